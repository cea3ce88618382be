// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* churn.c - counts the rows and blocks that change, and those that must change.
 *
 * A row must change (forced) if its port leads to nothing now although its switch is still
 * connected to the LID.  Every table that delivers the LID uses a working port there, so it
 * differs in that row and in the block that contains it.
 *
 * A row also counts under shortest if it belongs to a base LID and its next switch is not
 * one hop nearer to the LID in the present fabric.  A table that routes base LIDs on
 * shortest paths has only rows that lead nearer, so it differs in that row too. */
#include <stdlib.h>
#include <string.h>

#include "moore/mix.h"

enum { UNKNOWN, ARRIVES, LOST };

struct churn {
	const struct moore_fabric *f;
	const struct moore_lft *was, *now;
	struct moore_lid_owner *own;
	uint32_t *dist, *queue;		/* hops to the present LID's switch; MOORE_NONE: not
					 * connected */
	uint8_t *fate;			/* fate of each old route to the present LID */
	uint8_t (*mark)[3];		/* for each (switch, block): lost, forced, shortest */
	struct moore_churn *out;
};

static void
measure(struct churn *c, moore_swid root)
{
	uint32_t tail = 0;

	memset(c->dist, 0xff, c->f->n_switches * sizeof(*c->dist));
	c->dist[root] = 0;
	c->queue[tail++] = root;
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t s = c->queue[i];

		for (unsigned p = 1; p <= c->f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(c->f, s, (moore_portnum)p);

			if (q->role != MOORE_ROLE_SWITCH || c->dist[q->peer] != MOORE_NONE)
				continue;
			c->dist[q->peer] = c->dist[s] + 1;
			c->queue[tail++] = q->peer;
		}
	}
}

/* Returns the switch that port out of s leads to, or MOORE_NONE. */
static moore_swid
next_of(const struct churn *c, moore_swid s, uint8_t out)
{
	const struct moore_port *p;

	if (out > c->f->sw[s].n_ports)
		return MOORE_NONE;
	p = moore_fabric_port(c->f, s, out);
	return p->role == MOORE_ROLE_SWITCH ? p->peer : MOORE_NONE;
}

/* Follows the old routes to a LID through the present fabric. */
static void
follow(struct churn *c, unsigned lid)
{
	uint32_t n = c->f->n_switches;

	memset(c->fate, UNKNOWN, n);
	c->fate[c->own[lid].sw] = ARRIVES;
	for (moore_swid s = 0; s < n; s++) {
		moore_swid at = s;
		uint32_t len = 0;
		uint8_t fate;

		while (at != MOORE_NONE && c->fate[at] == UNKNOWN && len < n) {
			c->queue[len++] = at;
			at = next_of(c, at, moore_lft_row(c->was, at)[lid]);
		}
		fate = at == MOORE_NONE || c->fate[at] != ARRIVES ? LOST : ARRIVES;
		while (len)
			c->fate[c->queue[--len]] = fate;
	}
}

static void
look_at(struct churn *c, moore_swid s, unsigned lid)
{
	const struct moore_lid_owner *o = &c->own[lid];
	uint8_t out = moore_lft_row(c->was, s)[lid];
	size_t block = s * (c->was->stride / MOORE_LFT_BLOCK) + lid / MOORE_LFT_BLOCK;
	moore_swid next = next_of(c, s, out);
	bool forced = s == o->sw ? out != o->port : next == MOORE_NONE;
	bool shortest = forced || (s != o->sw && !o->offset && c->dist[next] + 1 != c->dist[s]);

	if (c->dist[s] == MOORE_NONE)
		return;
	c->out->lost.rows += forced || c->fate[s] == LOST;
	c->out->forced.rows += forced;
	c->out->shortest.rows += shortest;
	c->mark[block][0] |= forced || c->fate[s] == LOST;
	c->mark[block][1] |= forced;
	c->mark[block][2] |= shortest;
}

static void
count_changes(struct churn *c)
{
	struct moore_churn *out = c->out;
	size_t n_blocks = c->was->stride / MOORE_LFT_BLOCK * c->f->n_switches;

	for (size_t b = 0; b < n_blocks; b++) {
		const uint8_t *x = c->was->row + b * MOORE_LFT_BLOCK;
		const uint8_t *y = c->now->row + b * MOORE_LFT_BLOCK;
		unsigned rows = 0;

		for (unsigned i = 0; i < MOORE_LFT_BLOCK; i++)
			rows += x[i] != y[i];
		out->changed.rows += rows;
		out->changed.blocks += rows > 0;
		out->lost.blocks += c->mark[b][0];
		out->forced.blocks += c->mark[b][1];
		out->shortest.blocks += c->mark[b][2];
	}
	out->all.blocks = n_blocks;
	out->all.rows = n_blocks * MOORE_LFT_BLOCK;
}

/* The LIDs of one switch are usually consecutive, so distances are seldom recomputed. */
static void
count_bounds(struct churn *c)
{
	moore_swid root = MOORE_NONE;

	for (unsigned lid = 1; lid <= c->f->lid_top; lid++) {
		if (c->own[lid].sw == MOORE_NONE)
			continue;
		if (c->own[lid].sw != root)
			measure(c, root = c->own[lid].sw);
		follow(c, lid);
		for (moore_swid s = 0; s < c->f->n_switches; s++)
			look_at(c, s, lid);
	}
}

int
moore_churn(struct moore_churn *out, const struct moore_fabric *f, const struct moore_lft *was,
	    const struct moore_lft *now, struct moore_err *err)
{
	size_t n = (size_t)f->n_switches + 1;
	struct churn c = { .f = f, .was = was, .now = now, .out = out };
	int rc;

	memset(out, 0, sizeof(*out));
	if (was->n_switches != f->n_switches || now->n_switches != f->n_switches ||
	    was->stride != now->stride || was->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "LFTs: made for another fabric");
	if ((rc = moore_fabric_lids(f, &c.own, err)) < 0)
		return rc;
	c.dist = malloc(n * sizeof(*c.dist));
	c.queue = malloc(n * sizeof(*c.queue));
	c.fate = malloc(n);
	c.mark = calloc(n * (was->stride / MOORE_LFT_BLOCK), sizeof(*c.mark));
	if (!c.dist || !c.queue || !c.fate || !c.mark) {
		rc = moore_fail_nomem(err);
	} else {
		count_bounds(&c);
		count_changes(&c);
	}
	free(c.dist);
	free(c.queue);
	free(c.fate);
	free(c.mark);
	free(c.own);
	return rc;
}

/* ---- lanes -------------------------------------------------------------------------------- */

void
moore_sl2vl_churn(struct moore_lane_churn *out, const struct moore_fabric *f,
		  const struct moore_sl2vl *was, const struct moore_sl2vl *now)
{
	*out = (struct moore_lane_churn){ 0, 0 };
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned i = 0, n = f->sw[s].n_ports; i <= n; i++)
			for (unsigned o = 1; o <= n && moore_fabric_port(f, s, (moore_portnum)i)->role; o++) {
				if (i == o || !moore_fabric_port(f, s, (moore_portnum)o)->role)
					continue;
				out->all++;
				out->changed += memcmp(moore_sl2vl_get(was, s, (moore_portnum)i,
								       (moore_portnum)o),
						       moore_sl2vl_get(now, s, (moore_portnum)i,
								       (moore_portnum)o),
						       sizeof(struct moore_sl_row)) != 0;
			}
}
