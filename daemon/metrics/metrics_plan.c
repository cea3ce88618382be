// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics_plan.c - the state of each planned cable, and the deviations by verdict. */
#include <stdlib.h>
#include <string.h>

#include "metrics/metrics_impl.h"
#include "watch/wiring.h"

/* ---- the plan, cable by cable ------------------------------------------------------ */

static const char ok[] = "ok";
/* Each planned link is in exactly one of these states; other verdicts are "other". */
static const char *const states[] = { ok, "missing", "wrong-peer", "wrong-port", "slow", "narrow",
				      "other" };

struct verdicts {
	const char **state;	/* of each planned cable */
	uint64_t count[MOORE_WIRE_VERDICTS];
};

static const char *
state_named(const char *name)
{
	for (size_t k = 0; k < ARRAY_LEN(states); k++)
		if (!strcmp(states[k], name))
			return states[k];
	return states[ARRAY_LEN(states) - 1];
}

/* Without a scan all links are missing.  False: out of memory. */
static bool
judge(const struct metrics *m, const struct metrics_plane *p, struct verdicts *v)
{
	const struct moore_plan *plan = m->plan->plan;
	struct wired x;

	v->state = malloc((plan->n_cables + (size_t)1) * sizeof(*v->state));
	if (!v->state)
		return false;
	for (uint32_t i = 0; i < plan->n_cables; i++)
		v->state[i] = p->view ? ok : states[1];
	if (!p->view)
		return true;
	if (wired_check(&x, p->view, m->plan, NULL) < 0)
		return false;
	for (uint32_t i = 0; i < x.w->n_deviations; i++) {
		const struct moore_deviation *d = &x.w->deviation[i];

		v->count[d->verdict]++;
		if (d->cable < plan->n_cables && d->planned[0].slot != MOORE_NONE &&
		    !d->planned[0].endpoint && !d->planned[1].endpoint)
			v->state[d->cable] = state_named(moore_wire_text(d->verdict)->name);
	}
	for (uint32_t i = 0; i < plan->n_cables; i++)
		for (int end = 0; end < 2; end++)
			if (x.w->occupant[plan->cable[i].sw[end]] == MOORE_NONE)
				v->state[i] = states[1];
	wired_free(&x);
	return true;
}

static void
put_cable(const struct metrics *m, const struct metrics_plane *p, struct moore_buf *b,
	  const char *name, uint32_t i, const char *state, bool one)
{
	const struct moore_plan *plan = m->plan->plan;
	const struct moore_plan_cable *c = &plan->cable[i];

	moore_buf_fmt(b, "%s{", name);
	metrics_label(b, "plane", p->name);
	moore_buf_fmt(b, ",");
	metrics_label(b, "switch", plan->sw[c->sw[0]].name);
	moore_buf_fmt(b, ",port=\"%u\",", c->port[0]);
	metrics_label(b, "peer", plan->sw[c->sw[1]].name);
	moore_buf_fmt(b, ",peer_port=\"%u\",", c->port[1]);
	metrics_label(b, "cable", c->label ? c->label : "");
	if (state)
		moore_buf_fmt(b, ",state=\"%s\"", state);
	moore_buf_fmt(b, "} %d\n", one);
}

/* A link that is slow or narrow, or in another port of the right switch, is up. */
static bool
is_up(const char *state)
{
	return state != states[1] && state != states[2] && state != states[ARRAY_LEN(states) - 1];
}

static void
put_plan(const struct metrics *m, struct moore_buf *b, const struct verdicts *v)
{
	metrics_head(b, "moore_planned_link_up", "gauge", "1 when the planned link joins the switches that it "
		     "should, 0 when it is missing or leads elsewhere.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (uint32_t c = 0; v[i].state && c < m->plan->plan->n_cables; c++)
			put_cable(m, &m->plane[i], b, "moore_planned_link_up", c, NULL,
				  is_up(v[i].state[c]));
	metrics_head(b, "moore_planned_link_state", "gauge", "1 for the state that the planned link is in; 0 for "
		     "the others, if these are served.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (uint32_t c = 0; v[i].state && c < m->plan->plan->n_cables; c++)
			for (size_t k = 0; k < ARRAY_LEN(states); k++)
				if (m->plane[i].ports == METRICS_ALL ||
				    (v[i].state[c] == states[k] && states[k] != ok))
					put_cable(m, &m->plane[i], b, "moore_planned_link_state", c,
						  states[k], v[i].state[c] == states[k]);
	metrics_head(b, "moore_wiring_deviations", "gauge",
		     "Deviations of the cabling from the plan, by verdict.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (unsigned k = 0; m->plane[i].view && v[i].state && k < MOORE_WIRE_VERDICTS; k++) {
			moore_buf_fmt(b, "moore_wiring_deviations{");
			metrics_label(b, "plane", m->plane[i].name);
			moore_buf_fmt(b, ",verdict=\"%s\"} %llu\n", moore_wire_text(k)->name,
				      (unsigned long long)v[i].count[k]);
		}
}

void
metrics_put_plan(const struct metrics *m, struct moore_buf *b)
{
	struct verdicts v[MOORED_PLANES_MAX] = { { NULL, { 0 } } };

	for (unsigned i = 0; i < m->n_planes; i++)
		b->oom |= !judge(m, &m->plane[i], &v[i]);
	put_plan(m, b, v);
	for (unsigned i = 0; i < m->n_planes; i++)
		free(v[i].state);
}
