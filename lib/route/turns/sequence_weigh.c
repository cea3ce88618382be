// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sequence_weigh.c - how many minimal routes pass each turn.
 *
 * Traffic from every switch flows to one root after the other.  Each switch divides what it
 * sends and what it passes on evenly among its neighbours that are nearer to the root. */
#include <string.h>

#include "base/arena.h"
#include "route/turns/sequence.h"

#define SILENT 16	/* an end without endpoints counts so many times less */

struct flow {
	const struct moore_rview *v;
	struct moore_rturn_list *t;
	uint32_t *hops;		/* by node: to the root, or MOORE_NONE */
	uint32_t *queue;	/* reached nodes by hops */
	uint64_t *amount;	/* by node: what passes it on the way to the root */
};

static uint32_t
measure(struct flow *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = 1;

	memset(w->hops, 0xff, g->n * sizeof(*w->hops));
	w->hops[root] = 0;
	w->queue[0] = root;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t r = w->queue[i];

		for (uint32_t e = g->xadj[r]; e < g->xadj[r + 1]; e++)
			if (g->flags[e] & w->v->flag && w->hops[g->to[e]] == MOORE_NONE &&
			    (r == root || moore_rview_transit(w->v, r))) {
				w->hops[g->to[e]] = w->hops[r] + 1;
				w->queue[n++] = g->to[e];
			}
	}
	return n;
}

/* Whether edge e of s leads nearer to the root, and traffic may go on from there. */
static bool
leads_on(const struct flow *w, uint32_t s, uint32_t e)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t r = g->to[e];

	return g->flags[e] & w->v->flag && w->hops[r] < w->hops[s] &&
		(!w->hops[r] || moore_rview_transit(w->v, r));
}

static uint32_t
count_next(const struct flow *w, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t e = w->v->g->xadj[s]; e < w->v->g->xadj[s + 1]; e++)
		n += leads_on(w, s, e);
	return n;
}

/* Adds the share of s that goes over its edge e to the turns from there. */
static void
pass_on(struct flow *w, uint32_t e, uint64_t share)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t r = g->to[e], n = count_next(w, r);

	w->amount[r] += share;
	for (uint32_t k = g->xadj[r]; k < g->xadj[r + 1]; k++)
		if (leads_on(w, r, k))
			w->t->weight[w->t->first[e] + k - g->xadj[r]] += share / n;
}

static void
flow_to(struct flow *w, uint32_t root)
{
	const struct moore_rgraph *g = w->v->g;
	uint32_t n = measure(w, root);
	uint64_t unit = g->is_source[root] ? MOORE_TURN_WEIGHT : MOORE_TURN_WEIGHT / SILENT;

	for (uint32_t i = 0; i < n; i++)
		w->amount[w->queue[i]] = g->is_source[w->queue[i]] ? unit : unit / SILENT;
	for (uint32_t i = n; i-- > 1;) {
		uint32_t s = w->queue[i], n_next = count_next(w, s);

		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
			if (leads_on(w, s, e))
				pass_on(w, e, w->amount[s] / n_next);
	}
}

int
moore_rturns_weigh(struct moore_rturn_list *t, const struct moore_rview *v, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t n = v->g->n;
	struct flow w = { .v = v, .t = t,
		.hops = moore_arena_alloc(&tmp, (size_t)n + 1, sizeof(*w.hops)),
		.queue = moore_arena_alloc(&tmp, (size_t)n + 1, sizeof(*w.queue)),
		.amount = moore_arena_alloc(&tmp, (size_t)n + 1, sizeof(*w.amount)) };
	int rc = 0;

	memset(t->weight, 0, t->n * sizeof(*t->weight));
	if (!w.hops || !w.queue || !w.amount)
		rc = moore_fail_nomem(err);
	for (uint32_t root = 0; rc == 0 && root < n; root++)
		flow_to(&w, root);
	moore_arena_free(&tmp);
	return rc;
}
