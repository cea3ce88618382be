// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain.c - which avoided links stay in use, and why.
 *
 * An avoided link is taken down, so that trees are repaired around it as around a
 * failure, unless something is connected by such links alone:
 *   - A switch of which every link is avoided keeps its links and becomes a leaf: nothing
 *     is routed through it.
 *   - Parts of the fabric that only avoided links join keep one link for each edge of a
 *     spanning tree of the parts, so that no route leaves a part and comes back.
 *   - Where such leaves would cut others off, they count as parts instead.
 * Invariant: switches connected through switches that may pass packets on stay so. */
#include <string.h>

#include "base/arena.h"
#include "base/union_find.h"
#include "route/graph/graph.h"

struct drain {
	struct moore_rgraph *g;
	/* Two unions of nodes: by the links that may be used so far, and by all that are up. */
	uint32_t *part, *whole;
	uint32_t *first_part;	/* by representative in whole: the part of its first switch */
	uint8_t *leaf;		/* by node: every link is avoided, and it may be a leaf */
	uint8_t *broken;	/* by representative in whole: its parts are not joined */
	uint8_t *keep;		/* by avoided edge: it stays up */
};

static bool
is_up(const struct drain *d, uint32_t e)
{
	return d->g->flags[e] & MOORE_EDGE_UP;
}

static bool
is_avoided(const struct drain *d, uint32_t e)
{
	return d->g->flags[e] & MOORE_EDGE_AVOID;
}

static bool
may_pass(const struct drain *d, uint32_t v)
{
	return d->g->transit[v] && !d->leaf[v];
}

/* Leaves are the switches of which every live link is avoided. */
static void
find_leaves(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t up = 0, avoided = 0;

		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			up += is_up(d, e);
			avoided += is_up(d, e) && is_avoided(d, e);
		}
		d->leaf[v] = g->transit[v] && up && avoided == up;
	}
}

static void
find_parts(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	moore_union_start(d->part, g->n);
	moore_union_start(d->whole, g->n);
	for (uint32_t v = 0; v < g->n; v++)
		d->first_part[v] = MOORE_NONE;
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			if (!is_up(d, e) || !g->transit[v] || !g->transit[g->to[e]])
				continue;
			moore_union_join(d->whole, v, g->to[e]);
			if (!is_avoided(d, e))
				moore_union_join(d->part, v, g->to[e]);
		}
}

/* Keeps the avoided links that join parts (Kruskal). */
static void
join_parts(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			if (is_up(d, e) && is_avoided(d, e) && may_pass(d, v) &&
			    may_pass(d, g->to[e]) && moore_union_join(d->part, v, g->to[e]))
				d->keep[e] = d->keep[g->rev[e]] = 1;
}

/* Whether v has a neighbour that may pass packets on; over a link that is not avoided,
 * when without_avoided is set. */
static bool
has_transit_neighbour(const struct drain *d, uint32_t v, bool without_avoided)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
		if (is_up(d, e) && may_pass(d, g->to[e]) && !(without_avoided && is_avoided(d, e)))
			return true;
	return false;
}

/* Makes parts of the leaves of every component whose parts are not joined without them, or
 * in which a leaf has leaves alone for neighbours. */
static void
open_leaves(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t w = moore_union_find(d->whole, v), p = moore_union_find(d->part, v);

		if (d->leaf[v])
			d->broken[w] |= !has_transit_neighbour(d, v, false);
		else if (g->transit[v] && d->first_part[w] == MOORE_NONE)
			d->first_part[w] = p;
		else if (g->transit[v])
			d->broken[w] |= d->first_part[w] != p;
	}
	for (uint32_t v = 0; v < g->n; v++)
		d->leaf[v] &= !d->broken[moore_union_find(d->whole, v)];
}

/* Whether v, which others are not routed through, has avoided links alone. */
static bool
needs_avoided(const struct drain *d, uint32_t v)
{
	return d->leaf[v] || (!d->g->transit[v] && !has_transit_neighbour(d, v, true));
}

static void
take_link_down(struct moore_rgraph *g, uint32_t e)
{
	g->flags[e] &= (uint8_t)~MOORE_EDGE_UP;
	for (uint32_t i = g->xpar[e]; i < g->xpar[e + 1]; i++) {
		g->spared.n_ends += g->par[i].live;
		g->par[i].live = 0;
	}
}

static void
take_down(struct drain *d)
{
	struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			if (is_up(d, e) && is_avoided(d, e))
				d->keep[e] |= needs_avoided(d, v) || needs_avoided(d, g->to[e]);
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (is_up(d, e) && is_avoided(d, e) && !d->keep[e])
			take_link_down(g, e);
	for (uint32_t v = 0; v < g->n; v++)
		if (d->leaf[v]) {
			g->transit[v] = MOORE_EDGE_PLANNED;
			g->spared.n_drained++;
		}
}

static bool
has_avoided(const struct moore_rgraph *g)
{
	for (uint32_t e = 0; e < g->n_edges; e++)
		if (g->flags[e] & MOORE_EDGE_AVOID)
			return true;
	return false;
}

int
moore_rgraph_drain(struct moore_rgraph *g, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct drain d = { .g = g };
	int rc = 0;

	if (!has_avoided(g))
		return 0;
	d.part = moore_arena_alloc(&tmp, g->n, sizeof(*d.part));
	d.whole = moore_arena_alloc(&tmp, g->n, sizeof(*d.whole));
	d.first_part = moore_arena_alloc(&tmp, g->n, sizeof(*d.first_part));
	d.leaf = moore_arena_alloc(&tmp, g->n, 1);
	d.broken = moore_arena_alloc(&tmp, g->n, 1);
	d.keep = moore_arena_alloc(&tmp, g->n_edges, 1);
	if (!d.part || !d.whole || !d.first_part || !d.leaf || !d.broken || !d.keep) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	find_leaves(&d);
	find_parts(&d);
	join_parts(&d);
	open_leaves(&d);
	join_parts(&d);
	take_down(&d);
out:
	moore_arena_free(&tmp);
	return rc;
}

/* ---- which rule applies to which port ------------------------------------------ */

static bool
is_named(const struct moore_link_rule *r, const struct moore_switch *sw)
{
	return r->name ? sw->name && !strcmp(sw->name, r->name) : sw->guid == r->guid;
}

/* A rule may use the name that a switch has on the fabric or in the plan. */
static bool
applies_to(const struct moore_link_rule *r, const struct moore_rgraph *g, uint32_t v,
	   const struct moore_fabric *seen, const struct moore_fabric *intended)
{
	return (g->sw_of[v] != MOORE_NONE && is_named(r, &seen->sw[g->sw_of[v]])) ||
		(intended && v < g->n - g->n_extra && is_named(r, &intended->sw[v]));
}

void
moore_rgraph_mark_rules(struct moore_rgraph *g, const struct moore_fabric *seen,
			const struct moore_fabric *intended, const struct moore_links *rules,
			uint8_t *rule)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct moore_link_rule *r = &rules->rule[i];
		bool found = false;

		for (uint32_t v = 0; v < g->n; v++) {
			uint8_t *at = &rule[v * 256 + r->port];

			if (!applies_to(r, g, v, seen, intended))
				continue;
			*at = *at > r->weight ? *at : r->weight;
			found = true;
		}
		if (!found && !g->spared.n_unknown++)
			g->spared.unknown_line = r->line;
	}
}
