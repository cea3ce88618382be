// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain.c - what to spare: which avoided links stay in use, and why.
 *
 * An avoided link is treated as down, so that the trees are repaired around it
 * as around a failure, unless something is connected by such links alone:
 *   - a switch of which every link is avoided keeps its links, and becomes a
 *     leaf: nothing passes through it;
 *   - parts that only avoided links join keep one link for each step of a
 *     spanning tree of the parts, so that no route leaves a part to come back;
 *   - where leaves would cut others off, they count as parts instead.
 * Invariant: whatever was connected through switches that may pass packets on
 * still is. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

struct drain {
	struct moore_rgraph *g;
	uint32_t *part;		/* union of what may be used so far */
	uint32_t *whole;	/* union of all that is up */
	uint32_t *seen_part;	/* of a root in whole: the part met there */
	uint8_t *leaf;		/* every link is avoided, and it may be a leaf */
	uint8_t *broken;	/* of a root in whole: its parts are not joined */
	uint8_t *keep;		/* of an avoided edge */
};

static uint32_t
find(uint32_t *of, uint32_t v)
{
	while (of[v] != v)
		v = of[v] = of[of[v]];
	return v;
}

static bool
join(uint32_t *of, uint32_t a, uint32_t b)
{
	a = find(of, a);
	b = find(of, b);
	of[a] = b;
	return a != b;
}

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

/* May v pass packets on, as far as is known now? */
static bool
is_through(const struct drain *d, uint32_t v)
{
	return d->g->transit[v] && !d->leaf[v];
}

static void
start(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t up = 0, avoided = 0;

		d->part[v] = d->whole[v] = v;
		d->seen_part[v] = MOORE_NONE;
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			up += is_up(d, e);
			avoided += is_up(d, e) && is_avoided(d, e);
		}
		d->leaf[v] = g->transit[v] && up && avoided == up;
	}
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++) {
			if (!is_up(d, e) || !g->transit[v] || !g->transit[g->to[e]])
				continue;
			join(d->whole, v, g->to[e]);
			if (!is_avoided(d, e))
				join(d->part, v, g->to[e]);
		}
}

/* Keep the avoided links that join parts (Kruskal). */
static void
join_parts(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			if (is_up(d, e) && is_avoided(d, e) && is_through(d, v) &&
			    is_through(d, g->to[e]) && join(d->part, v, g->to[e]))
				d->keep[e] = d->keep[g->rev[e]] = 1;
}

static bool
has_through(const struct drain *d, uint32_t v, bool not_avoided)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
		if (is_up(d, e) && is_through(d, g->to[e]) && !(not_avoided && is_avoided(d, e)))
			return true;
	return false;
}

/* Where the parts are not one, or a leaf hangs on leaves alone: no leaves. */
static void
open_leaves(struct drain *d)
{
	const struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t w = find(d->whole, v), p = find(d->part, v);

		if (d->leaf[v])
			d->broken[w] |= !has_through(d, v, false);
		else if (g->transit[v] && d->seen_part[w] == MOORE_NONE)
			d->seen_part[w] = p;
		else if (g->transit[v])
			d->broken[w] |= d->seen_part[w] != p;
	}
	for (uint32_t v = 0; v < g->n; v++)
		d->leaf[v] &= !d->broken[find(d->whole, v)];
}

/* Does an end of edge e reach others by avoided links alone? */
static bool
hangs_on(const struct drain *d, uint32_t v)
{
	return d->leaf[v] || (!d->g->transit[v] && !has_through(d, v, true));
}

static void
take_down(struct drain *d)
{
	struct moore_rgraph *g = d->g;

	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			if (is_up(d, e) && is_avoided(d, e))
				d->keep[e] |= hangs_on(d, v) || hangs_on(d, g->to[e]);
	for (uint32_t e = 0; e < g->n_edges; e++) {
		if (!is_up(d, e) || !is_avoided(d, e) || d->keep[e])
			continue;
		g->flags[e] &= (uint8_t)~MOORE_EDGE_UP;
		for (uint32_t i = g->xpar[e]; i < g->xpar[e + 1]; i++) {
			g->n_avoided += g->par[i].live;
			g->par[i].live = 0;
		}
	}
	for (uint32_t v = 0; v < g->n; v++)
		if (d->leaf[v]) {
			g->transit[v] = MOORE_EDGE_PLANNED;
			g->n_drained++;
		}
}

int
moore_rdrain(struct moore_rgraph *g, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct drain d = { .g = g };
	uint32_t e = 0;
	int rc = 0;

	while (e < g->n_edges && !(g->flags[e] & MOORE_EDGE_AVOID))
		e++;
	if (e == g->n_edges)
		return 0;
	d.part = moore_arena_alloc(&tmp, g->n, sizeof(*d.part));
	d.whole = moore_arena_alloc(&tmp, g->n, sizeof(*d.whole));
	d.seen_part = moore_arena_alloc(&tmp, g->n, sizeof(*d.seen_part));
	d.leaf = moore_arena_alloc(&tmp, g->n, 1);
	d.broken = moore_arena_alloc(&tmp, g->n, 1);
	d.keep = moore_arena_alloc(&tmp, g->n_edges, 1);
	if (!d.part || !d.whole || !d.seen_part || !d.leaf || !d.broken || !d.keep) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	start(&d);
	join_parts(&d);
	open_leaves(&d);
	join_parts(&d);
	take_down(&d);
out:
	moore_arena_free(&tmp);
	return rc;
}

/* ---- which rule for which port -------------------------------------------- */

static bool
is_meant(const struct moore_link_rule *r, const struct moore_switch *sw)
{
	return r->name ? sw->name && !strcmp(sw->name, r->name) : sw->guid == r->guid;
}

/* Rules are kept by node and port; the strictest counts.  A rule speaks of a
 * switch by what it is called on the fabric or in the plan. */
void
moore_rdrain_mark(struct moore_rgraph *g, const struct moore_fabric *seen,
		  const struct moore_fabric *intended, const struct moore_links *links)
{
	uint32_t n_planned = g->n - g->n_extra;

	for (size_t i = 0; i < links->n; i++) {
		const struct moore_link_rule *r = &links->rule[i];
		bool found = false;

		for (uint32_t v = 0; v < g->n; v++) {
			uint8_t *mark = &g->mark[v * 256 + r->port];

			if (!(g->seen[v] != MOORE_NONE && is_meant(r, &seen->sw[g->seen[v]])) &&
			    !(intended && v < n_planned && is_meant(r, &intended->sw[v])))
				continue;
			*mark = *mark > r->weight ? *mark : r->weight;
			found = true;
		}
		if (!found && !g->n_unknown++)
			g->unknown_line = r->line;
	}
}
