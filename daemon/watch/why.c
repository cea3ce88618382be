// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* why.c - the causes of findings when they were raised, for clients that ask when the link
 * is no longer hot.
 *
 * The estimate takes up to a second.  A worker makes it from a copy of the step, once for all
 * findings that the step raised.  One further step can wait until it ends; findings that others
 * raise meanwhile have no cause.
 * Elsewhere: the estimate itself (lib/load), its words (lib/answer), the answer to
 * hotspots.explain (methods/hot.c). */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "state.h"
#include "watch/hot.h"

enum { SUSPECTS = 3 };		/* of each cause */

struct hot_job {
	struct moored *d;
	unsigned plane;
	struct hot_copy *copy;
	struct hot_raised raised;
	json_t *why[HOT_WHY];
};

static json_t *
json_why(const struct hot_copy *h, const struct moore_cause *c, double misfit)
{
	struct hot_place at;

	hot_place_of(h->snap, c->port, &at);
	return moore_json_cause(h->snap->fabric, c, &(struct moore_link_name){ at.from, at.to, at.port,
		at.to_port }, misfit, SUSPECTS);
}

static void
find_causes(void *arg)
{
	struct hot_job *j = arg;
	struct moore_demand *d = NULL;
	struct moore_cause *c = malloc(sizeof(*c));
	double misfit;

	if (c && moore_demand_estimate(&d, j->copy->snap->fabric, j->copy->snap->lft,
				       &(struct moore_loads){ j->copy->tx, j->copy->rx }, &misfit,
				       NULL) == 0)
		for (unsigned i = 0; i < j->raised.n; i++)
			if (moore_cause_of(c, d, j->raised.port[i], j->copy->line, NULL) == 0)
				j->why[i] = json_why(j->copy, c, misfit);
	moore_demand_free(d);
	free(c);
}

void
hot_job_free(struct hot_job *j)
{
	if (!j)
		return;
	for (unsigned i = 0; i < j->raised.n; i++)
		json_decref(j->why[i]);
	hot_copy_free(j->copy);
	free(j);
}

static void keep_causes(void *arg);

static void
start(struct hot_plane *p, struct hot_job *j)
{
	p->explaining = worker_add(j->d->worker[WORK_OWN], find_causes, keep_causes, j) == 0;
	if (!p->explaining)
		hot_job_free(j);
}

/* The entries may have been overwritten since, or the log may have begun again. */
static void
keep_causes(void *arg)
{
	struct hot_job *j = arg;
	struct hot_plane *p = hot_plane(j->d, j->plane);

	for (unsigned i = 0; i < j->raised.n; i++) {
		uint64_t k = j->raised.entry[i];

		if (p && k < p->n_logged && p->n_logged - k <= HOT_LOG && j->why[i]) {
			json_decref(p->log[k % HOT_LOG].why);
			p->log[k % HOT_LOG].why = json_incref(j->why[i]);
		}
	}
	hot_job_free(j);
	if (p) {
		j = p->waiting;
		p->waiting = NULL;
		p->explaining = false;
		if (j)
			start(p, j);
	}
}

void
hot_explain(struct moored *d, unsigned plane, const struct hot_raised *raised)
{
	struct hot_plane *p = hot_plane(d, plane);
	struct hot_job *j;

	if (!raised->n || p->waiting || !p->snap->lft || !(j = calloc(1, sizeof(*j))))
		return;
	*j = (struct hot_job){ .d = d, .plane = plane, .copy = hot_copy(d, plane), .raised = *raised };
	if (!j->copy)
		hot_job_free(j);
	else if (p->explaining)
		p->waiting = j;
	else
		start(p, j);
}
