// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* why.c - the cause of a hot link in words, and the causes of findings when they were raised,
 * for clients that ask when the link is no longer hot.
 *
 * The estimate takes up to a second.  A worker makes it from a copy of the step, once for all
 * findings that the step raised.  Findings that are raised before it ends have no cause.
 * Elsewhere: the estimate itself (lib/load), the answer to hotspots.explain (methods/hot.c). */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "state.h"
#include "watch/hot.h"

static json_t *
json_ep(const struct moore_fabric *f, moore_epid e)
{
	return e == MOORE_NONE ? json_null() : moore_json_name(f->ep[e].name);
}

static json_t *
json_suspect(const struct moore_fabric *f, const struct moore_suspect *s)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:o}", "from",
			      moore_json_name(f->sw[s->from].name), "to", moore_json_name(f->sw[s->to].name),
			      "source", json_ep(f, s->source), "dest", json_ep(f, s->dest), "offset",
			      s->offset, "bytes_per_s", moore_json_bytes(s->bytes), "share",
			      moore_json_share(s->share), "certainty", moore_json_share(s->certainty));
	bool other = s->other < MOORE_N_OFFSETS;

	json_object_set_new(o, "other_offset", other ? json_integer(s->other) : json_null());
	json_object_set_new(o, "other_idle", other ? moore_json_share(s->idle) : json_null());
	return o;
}

/* The change to try, in words. */
static json_t *
json_remedy(const struct moore_fabric *f, const struct moore_cause *c, const struct hot_place *at)
{
	const struct moore_suspect *s = &c->suspect[0];
	char text[400];

	switch (c->remedy) {
	case MOORE_TRY_OFFSET:
		snprintf(text, sizeof(text), "send from %s to %s on offset %u (LID %u): its fullest link "
			 "is %.0f %% idle", f->sw[s->from].name, f->ep[s->dest].name, s->other,
			 f->ep[s->dest].lid + s->other, 100 * s->idle);
		break;
	case MOORE_TRY_SPLIT:
		snprintf(text, sizeof(text), "send half of what goes from %s to %s on offset %u (LID %u): "
			 "its fullest link is %.0f %% idle", f->sw[s->from].name, f->ep[s->dest].name,
			 s->other, f->ep[s->dest].lid + s->other, 100 * s->idle);
		break;
	case MOORE_TRY_WEIGHT:
		snprintf(text, sizeof(text), "%s: give the link a weight (\"%s:%u weight 2\" in the "
			 "links file of moore.conf) and let OpenSM route again", s->share < MOORE_CAUSE_MAIN ?
			 "no one pair carries it" : "the first pair's other ways are no better", at->from,
			 at->port);
		break;
	case MOORE_TRY_LAYERS:
		snprintf(text, sizeof(text), "%.0f %% of it goes from %s to %s, which has one LID and so one "
			 "way: set lmc 1 in opensm.conf and send it on offset 1, or run it elsewhere",
			 100 * s->share, f->sw[s->from].name, f->ep[s->dest].name);
		break;
	case MOORE_TRY_SPREAD:
		snprintf(text, sizeof(text), "several send to %s at once: no route helps; spread them in "
			 "time, or give the receiver more ports", at->to);
		break;
	default:
		snprintf(text, sizeof(text), c->n_suspects ? "one sender fills the link of its receiver: "
			 "nothing else shares it" : "nothing is known to send over it now");
	}
	return json_pack("{s:s, s:s}", "try", moore_remedy_name(c->remedy), "text", text);
}

void
put_cause(json_t *o, const struct hot_copy *h, const struct moore_cause *c, unsigned most)
{
	json_t *suspects = json_array();
	struct hot_place at;

	hot_place_of(h->snap, c->port, &at);
	for (unsigned i = 0; i < c->n_suspects && i < most; i++)
		json_array_append_new(suspects, json_suspect(h->snap->fabric, &c->suspect[i]));
	json_object_set_new(o, "suspects", suspects);
	json_object_set_new(o, "remedy", json_remedy(h->snap->fabric, c, &at));
}

/* ---- of what was raised ------------------------------------------------------------ */

struct job {
	struct moored *d;
	unsigned plane;
	struct hot_copy *copy;
	struct hot_raised raised;
	json_t *why[HOT_WHY];
};

static void
find_causes(void *arg)
{
	struct job *j = arg;
	struct moore_demand *d = NULL;
	struct moore_cause *c = malloc(sizeof(*c));
	double misfit;

	if (c && moore_demand_estimate(&d, j->copy->snap->fabric, j->copy->snap->lft,
				       &(struct moore_loads){ j->copy->tx, j->copy->rx }, &misfit,
				       NULL) == 0)
		for (unsigned i = 0; i < j->raised.n; i++)
			if (moore_cause_of(c, d, j->raised.port[i], j->copy->line, NULL) == 0) {
				j->why[i] = json_pack("{s:o}", "misfit", moore_json_share(misfit));
				put_cause(j->why[i], j->copy, c, 3);
			}
	moore_demand_free(d);
	free(c);
}

/* The entries may have been overwritten since, or the log may have begun again. */
static void
keep_causes(void *arg)
{
	struct job *j = arg;
	struct hot_plane *p = hot_plane(j->d, j->plane);

	for (unsigned i = 0; i < j->raised.n; i++) {
		uint64_t k = j->raised.entry[i];

		if (p && k < p->n_logged && p->n_logged - k <= HOT_LOG && j->why[i]) {
			json_decref(p->log[k % HOT_LOG].why);
			p->log[k % HOT_LOG].why = json_incref(j->why[i]);
		}
		json_decref(j->why[i]);
	}
	if (p)
		p->explaining = false;
	hot_copy_free(j->copy);
	free(j);
}

void
hot_explain(struct moored *d, unsigned plane, const struct hot_raised *raised)
{
	struct hot_plane *p = hot_plane(d, plane);
	struct job *j;

	if (!raised->n || p->explaining || !p->snap->lft || !(j = calloc(1, sizeof(*j))))
		return;
	*j = (struct job){ .d = d, .plane = plane, .copy = hot_copy(d, plane), .raised = *raised };
	p->explaining = j->copy && worker_add(d->worker[WORK_OWN], find_causes, keep_causes, j) == 0;
	if (!p->explaining) {
		hot_copy_free(j->copy);
		free(j);
	}
}
