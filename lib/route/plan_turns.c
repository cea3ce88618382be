// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan_turns.c - turns for the intended graph, and close to them for what is up; and whether
 * ranks follow colours or the order.
 *
 * Colours suit layers.  They are not used where they would make the minimal routes between
 * switches with endpoints longer by more than a hop, as each switch has too few links there, nor where
 * links are much more even by the order. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "route/build.h"
#include "route/turns/groups.h"
#include "route/turns/middles.h"
#include "route/turns/sequence.h"
#include "route/tuning.h"

/* Routes between switches with endpoints. */
struct lengths {
	unsigned most;		/* hops; MOORE_LEN_NONE when some switch is not reached */
	uint64_t sum;		/* hops of all; UINT64_MAX likewise */
};

/* Measures the routes of trees grown under v without loads. */
static struct lengths
measure_routes(struct moore_rbuild *b, const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;
	const struct moore_rtree *t = &b->tree;
	struct lengths l = { 0 };

	for (uint32_t root = 0; root < g->n; root++) {
		if (!g->is_source[root])
			continue;
		if (!moore_rtree_grow(&b->tree, v, root, NULL, b->n_connected[root]))
			return (struct lengths){ MOORE_LEN_NONE, UINT64_MAX };
		for (uint32_t i = 0; i < t->n_reached; i++) {
			unsigned hops = g->is_source[t->queue[i]] ? t->len[t->queue[i]] : 0;

			l.most = hops > l.most ? hops : l.most;
			l.sum += hops;
		}
	}
	return l;
}

/* Colours for links that are not planned: any will do that no other link changes. */
static void
paint_extra(const struct moore_rgraph *g, uint32_t *colour)
{
	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			struct moore_rng r = { (uint64_t)s << 32 | g->to[e] };

			colour[e] = moore_rgraph_is_planned(g, e) ? MOORE_RANK_MIDDLE :
				(uint32_t)moore_rng_next(&r);
		}
}

/* Makes the spanning tree that a search for colours heeds.  r->turns.pos is scratch. */
static int
prepare_tree(struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	uint32_t *parent = b->plan_turns.parent;
	int rc = 0;

	if (b->cols.middles.lines) {
		moore_rmiddles_number(g, b->r->turns.pos);
		moore_rmiddles_tree(g, b->r->turns.pos, parent);
	} else if (b->cols.middles.paired) {	/* the tree follows from the ranks */
		memset(parent, 0xff, g->n * sizeof(*parent));
	} else {
		rc = moore_rturns_build(&b->plan_turns, &b->planned, NULL, b->colour, err);
	}
	return rc;
}

/* Fills colour[] by the search that suits the graph. */
static int
search(struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	const struct moore_rmiddles *c = &b->cols.middles;

	if (c->paired)
		return moore_rmiddles_rank_pairs(g, c, b->colour, err);
	if (c->lines)
		return moore_rmiddles_rank(g, b->r->turns.pos, b->plan_turns.parent, b->colour, err);
	return moore_rranks_search(g, &b->plan_turns, b->colour, MOORE_RANK_SEED, err);
}

/* Fills colour[] from what the caller kept of an earlier search, or by a new one. */
static int
search_colours(struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	int rc;

	paint_extra(g, b->colour);
	rc = prepare_tree(b, err);
	if (rc < 0 || (b->ranks && moore_ranks_find(*b->ranks, g, &b->plan_turns, b->colour)))
		return rc;
	rc = search(b, err);
	if (rc == 0 && moore_ranks_keep(b->ranks, g, &b->plan_turns, b->colour) < 0)
		rc = moore_fail_nomem(err);
	return rc;
}

/* Copies the spanning tree of plan_turns, whose ranks are its colours, to r->turns, which is scratch. */
static void
keep_tree(struct moore_rbuild *b)
{
	const struct moore_rgraph *g = &b->r->g;
	struct moore_rturns *t = &b->r->turns;

	memcpy(t->parent, b->plan_turns.parent, g->n * sizeof(*t->parent));
	memcpy(t->rank, b->colour, g->n_edges * sizeof(*t->rank));
	for (uint32_t s = 0; s < g->n; s++)
		t->pos[s] = s + (t->parent[s] != MOORE_NONE ? g->n : 0);
}

/* Colours for the planned graph, and plan_turns by them. */
static int
paint(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_rgraph *g = &b->r->g;
	bool split = !b->cols.own_trees && moore_rhalves_exist(g);
	int rc;

	if (!(b->colour = calloc((size_t)g->n_edges + 1, sizeof(*b->colour))))
		return moore_fail_nomem(err);
	b->plan_turns.close = b->r->turns.close = b->cols.own_trees;
	if (!split)
		rc = search_colours(b, err);
	else if ((rc = moore_rhalves_split(g, b->r->half, err)) == 0)
		moore_rcolours_by_halves(g, b->r->half, b->colour);
	if (rc < 0)
		return rc;
	if (b->cols.middles.lines)
		keep_tree(b);
	return moore_rturns_build(&b->plan_turns, &b->planned,
				  b->cols.middles.lines ? &b->r->turns : NULL, b->colour, err);
}

/* The greatest load of an edge, and the same in percent of the mean; UINT64_MAX when trees do not
 * reach all switches. */
struct peak {
	uint64_t load, percent;
};

/* Measures the load of trees that are grown under v; `even`: as balanced as those of a slice. */
static int
measure_peak(struct moore_rbuild *b, const struct moore_rview *v, bool even, struct peak *p,
	     struct moore_err *err)
{
	struct moore_rbalance trees = { 0 };
	uint64_t most = 0, sum = 0;
	uint32_t bad;
	int rc = moore_rbalance_build(&trees, v, b->n_connected, 0, &bad, err);

	if (rc == 0 && even)
		moore_rbalance_slice(&trees, 0, b->r->g.is_source);
	for (uint32_t e = 0; rc == 0 && e < b->r->g.n_edges; e++) {
		most = trees.load[e] > most ? trees.load[e] : most;
		sum += trees.load[e];
	}
	moore_rbalance_fini(&trees);
	*p = (struct peak){ most, sum ? most * 100 * b->r->g.n_edges / sum : 0 };
	if (rc == -MOORE_EUNREACH)	/* filling the tables meets it again, and reports it */
		*p = (struct peak){ UINT64_MAX, UINT64_MAX };
	return rc == -MOORE_EUNREACH ? 0 : rc;
}

/* Whether the fullest link has much less load with the turns of a than with those of b. */
static bool
is_much_less(struct peak a, struct peak b)
{
	return 100.0 * (double)a.load <= MOORE_TURNS_EVENER * (double)b.load;
}

/* Drops the colours again where they make minimal routes too long, or the fullest link much fuller.
 * Skipped where middle switches are split and where all routes have two hops at most; r->turns is
 * scratch. */
static int
judge_colours(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_rgraph *g = &b->r->g;
	struct moore_rview by_order = { g, b->planned.flag, b->planned.lanes, &b->r->turns };
	struct peak colours = { 0 }, order = { 0 };
	unsigned longest;
	bool too_long;
	int rc;

	if (b->cols.own_trees || memchr(b->r->half, 1, g->n) ||
	    (longest = measure_routes(b, &b->planned).most) <= 2)
		return 0;
	if ((rc = moore_rturns_build(&b->r->turns, &by_order, NULL, NULL, err)) < 0)
		return rc;
	too_long = longest > measure_routes(b, &by_order).most + 1;
	if (!too_long && ((rc = measure_peak(b, &b->planned, true, &colours, err)) < 0 ||
			  (rc = measure_peak(b, &by_order, true, &order, err)) < 0))
		return rc;
	if (too_long || is_much_less(order, colours)) {
		free(b->colour);
		b->colour = NULL;
	}
	return 0;
}

/* Searches with more and more weight on evenness until the load is even enough; otherwise takes
 * the sequence with the least greatest load. */
static int
search_places(struct moore_rbuild *b, struct moore_err *err)
{
	static const uint8_t power[] = MOORE_SEQUENCE_POWERS;
	uint32_t n_edges = b->r->g.n_edges;
	uint32_t *place = calloc((size_t)n_edges + 1, sizeof(*place));
	uint64_t least = UINT64_MAX;
	struct peak p;
	int rc = place ? 0 : moore_fail_nomem(err);

	for (unsigned i = 0; rc == 0 && i < ARRAY_LEN(power) && least > MOORE_SEQUENCE_EVEN; i++) {
		if ((rc = moore_rsequence_search(&b->planned, i, power[i], place, err)) < 0 ||
		    (rc = moore_rranks_by_place(&b->plan_turns, &b->r->g, place, err)) < 0 ||
		    (rc = measure_peak(b, &b->planned, false, &p, err)) < 0)
			break;
		if (!i || p.percent < least) {
			least = p.percent;
			memcpy(b->colour, place, n_edges * sizeof(*place));
		}
	}
	free(place);
	return rc;
}

/* Whether some edge is not planned.  It has a place in the sequence, so the places of the
 * planned edges are not those of the intended graph then. */
static bool
has_extra(const struct moore_rgraph *g)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (!moore_rgraph_is_planned(g, e))
			return true;
	return false;
}

/* Under profile one-vl the place of each edge in the sequence stands for its colour. */
static int
arrange(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_rgraph *g = &b->r->g;
	bool keeps;
	int rc;

	if (!(b->colour = calloc((size_t)g->n_edges + 1, sizeof(*b->colour))))
		return moore_fail_nomem(err);
	if ((rc = moore_rturns_build(&b->plan_turns, &b->planned, NULL, b->colour, err)) < 0)
		return rc;
	keeps = b->ranks && !has_extra(g);
	if (!keeps || !moore_ranks_find(*b->ranks, g, &b->plan_turns, b->colour)) {
		if ((rc = search_places(b, err)) < 0)
			return rc;
		if (keeps && moore_ranks_keep(b->ranks, g, &b->plan_turns, b->colour) < 0)
			return moore_fail_nomem(err);
	}
	return moore_rranks_by_place(&b->plan_turns, g, b->colour, err);
}

/* ---- groups ------------------------------------------------------------------------------ */

/* Fills plan_turns by groups, and by_order by the order.  Sets *better to whether routes are
 * shorter by groups. */
static int
compare_with_order(struct moore_rbuild *b, const struct moore_rgroups *s, bool *better,
		   struct moore_err *err)
{
	struct moore_rview by_order = { &b->r->g, b->planned.flag, b->planned.lanes, &b->r->turns };
	int rc;

	b->plan_turns.close = true;
	if ((rc = moore_rgroups_rank(&b->planned, s, b->colour, &b->r->turns, err)) < 0 ||
	    (rc = moore_rturns_build(&b->plan_turns, &b->planned, &b->r->turns, b->colour, err)) < 0 ||
	    (rc = moore_rturns_build(&b->r->turns, &by_order, NULL, NULL, err)) < 0)
		return rc;
	*better = measure_routes(b, &b->planned).sum < measure_routes(b, &by_order).sum;
	return 0;
}

/* Sets colour and plan_turns by groups where the planned graph has any and routes are shorter
 * with them than by the order; r->turns is scratch. */
static int
arrange_groups(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_rgroups s = { 0 };
	bool better = false;
	int rc = 0;

	if (b->hinted || b->r->g.one_vl || b->cols.own_trees)
		return 0;
	if (moore_rgroups_find(&s, &b->r->g) < 0)
		rc = moore_fail_nomem(err);
	if (rc == 0 && s.n) {
		if ((b->colour = calloc((size_t)b->r->g.n_edges + 1, sizeof(*b->colour)))) {
			paint_extra(&b->r->g, b->colour);
			rc = compare_with_order(b, &s, &better, err);
		} else {
			rc = moore_fail_nomem(err);
		}
	}
	if (!better) {
		free(b->colour);
		b->colour = NULL;
	}
	b->plan_turns.close = b->r->turns.close = better;
	moore_rgroups_fini(&s);
	return rc;
}

/* ---- the order ----------------------------------------------------------------------------- */

static int
try_order(struct moore_rbuild *b, enum moore_rorder order, struct peak *p, struct moore_err *err)
{
	int rc;

	b->plan_turns.order = b->r->turns.order = order;
	rc = moore_rturns_build(&b->plan_turns, &b->planned, NULL, NULL, err);
	return rc < 0 ? rc : measure_peak(b, &b->planned, true, p, err);
}

/* Takes the order by distance (order.c) on a folded graph, whose minimal routes it allows, and where the
 * fullest link has much less load under it.  Skipped where routes have no turn that counts, and where
 * another rule makes the order.  The layers of sl-hint have an order of their own. */
static int
choose_order(struct moore_rbuild *b, bool is_near, struct moore_err *err)
{
	struct peak first = { 0 }, near = { 0 };
	int rc;

	if (b->hinted && b->cols.n_offsets > 1)
		b->plan_turns.order = MOORE_RORDER_MIXED;
	if (b->hinted || b->r->g.one_vl || b->cols.own_trees || is_near)
		return 0;
	if (!b->cols.folded && ((rc = try_order(b, MOORE_RORDER_NEAR, &near, err)) < 0 ||
				(rc = try_order(b, MOORE_RORDER_NUMBERED, &first, err)) < 0))
		return rc;
	b->plan_turns.order = b->r->turns.order = b->cols.folded || is_much_less(near, first) ?
		MOORE_RORDER_NEAR : MOORE_RORDER_NUMBERED;
	return 0;
}

/* Turns of the intended graph. */
static int
plan_turns(struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	const bool near = moore_rgraph_is_near(g, 0, b->tree.list);
	/* Where this is true, no turn can make a route longer than two hops. */
	const bool all_near = near && g->as_planned && !memchr(g->is_source, 0, g->n);
	int rc = all_near ? 0 : arrange_groups(b, err);

	if (rc < 0 || b->colour || (rc = choose_order(b, near, err)) < 0)
		return rc;
	if ((b->layered && ((rc = paint(b, err)) < 0 || (!all_near && (rc = judge_colours(b, err)) < 0))) ||
	    (b->r->g.one_vl && (rc = arrange(b, err)) < 0))
		return rc;
	return b->colour ? 0 : moore_rturns_build(&b->plan_turns, &b->planned, NULL, NULL, err);
}

int
moore_rbuild_turns(struct moore_rbuild *b, bool by_roles, struct moore_err *err)
{
	struct moore_rgraph *g = &b->r->g;
	int rc;

	if (b->cols.middles.paired && !by_roles)
		moore_rmiddles_enter(g, &b->cols.middles, b->r->entry_wanted);
	if ((rc = b->grown ? moore_rgrown_turns(b, err) : plan_turns(b, err)) < 0)
		return rc;
	moore_rgrown_keep_turns(b);
	rc = moore_rturns_build(&b->r->turns, &b->up, &b->plan_turns, b->colour, err);
	if (rc == 0)
		rc = moore_rbuild_entries(b->r, err);
	if (rc == 0 && moore_rturns_common(&b->common_turns, g, &b->plan_turns, &b->r->turns) < 0)
		rc = moore_fail_nomem(err);
	for (uint32_t s = 0; rc == 0 && b->hinted && s < g->n; s++)
		if (g->sw_of[s] != MOORE_NONE)
			b->r->order[g->sw_of[s]] = b->r->turns.pos[s];
	return rc;
}
