// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* order.c - keeps the channels in an order in which every dependency goes forward, while
 * dependencies are added (Pearce and Kelly, "A dynamic topological sort algorithm for
 * directed acyclic graphs", JEA 2006).
 *
 * A dependency a -> b that goes backward in the order concerns only the channels between b
 * and a: those that b leads to and those that lead to a.  If a is among the former, the new
 * dependency closes a cycle; else the two groups exchange places.  An order stays valid
 * when dependencies are taken away, so undoing a flip does not touch it. */
#include <stdlib.h>
#include <string.h>

#include "motion_impl.h"

int
moore_mo_order_init(struct moore_mo_order *g, const struct moore_mo_net *n,
		    struct moore_arena *a, struct moore_err *err)
{
	size_t nc = (size_t)n->n_slots * n->n_vl;

	*g = (struct moore_mo_order){ .n = n, .n_channels = (uint32_t)nc };
	if (!(g->held = moore_arena_alloc(a, ((size_t)n->n_turns + 1) * n->n_cls,
					  sizeof(*g->held))) ||
	    !(g->at = moore_arena_alloc(a, nc + 1, sizeof(*g->at))) ||
	    !(g->seen = moore_arena_alloc(a, nc + 1, sizeof(*g->seen))) ||
	    !(g->fwd = moore_arena_alloc(a, nc + 1, sizeof(*g->fwd))) ||
	    !(g->back = moore_arena_alloc(a, nc + 1, sizeof(*g->back))) ||
	    !(g->place = moore_arena_alloc(a, nc + 1, sizeof(*g->place))))
		return moore_fail_nomem(err);
	return 0;
}

void
moore_mo_order_free(struct moore_mo_order *g)
{
	free(g->log);
	g->log = NULL;
}

/* ---- neighbours of a channel ------------------------------------------------------------ */

/* Calls each(g, successor) for the channels that packets on channel c may wait for; stops
 * when it returns false. */
static inline bool
each_after(struct moore_mo_order *g, uint32_t c, bool (*each)(struct moore_mo_order *, uint32_t))
{
	const struct moore_mo_net *n = g->n;
	uint32_t link = c / n->n_vl, to = n->next[link], slot0;
	unsigned vl = c % n->n_vl;

	if (to == MOORE_NONE)
		return true;
	slot0 = n->f->sw[to].port0;
	for (unsigned p = 1, n_ports = n->f->sw[to].n_ports; p <= n_ports; p++) {
		size_t cell = moore_mo_cell(n, link, p);
		unsigned leave = 0;

		for (unsigned x = 0; x < n->n_cls; x++)
			leave |= n->leave[cell + x] & (0u - ((unsigned)g->held[cell + x] >> vl & 1u));
		for (; leave; leave &= leave - 1)
			if (!each(g, (slot0 + p) * n->n_vl + (unsigned)__builtin_ctz(leave)))
				return false;
	}
	return true;
}

static void
each_before(struct moore_mo_order *g, uint32_t c, moore_swid s,
	    void (*each)(struct moore_mo_order *, uint32_t))
{
	const struct moore_mo_net *n = g->n;
	const struct moore_switch *sw = &n->f->sw[s];
	unsigned vl = c % n->n_vl, out = c / n->n_vl - sw->port0;

	for (unsigned p = 1; p <= sw->n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(n->f, s, (moore_portnum)p);
		uint32_t link;
		unsigned held = 0;
		size_t cell;

		if (q->role != MOORE_ROLE_SWITCH)
			continue;
		link = n->f->sw[q->peer].port0 + q->peer_port;
		cell = moore_mo_cell(n, link, out);
		for (unsigned x = 0; x < n->n_cls; x++)
			held |= n->leave[cell + x] >> vl & 1 ? g->held[cell + x] : 0u;
		for (; held; held &= held - 1)
			each(g, link * n->n_vl + (unsigned)__builtin_ctz(held));
	}
}

/* The switch that a link's slot belongs to. */
static moore_swid
switch_of(const struct moore_mo_net *n, uint32_t link)
{
	moore_swid to = n->next[link];
	const struct moore_port *far;

	far = &n->f->port[link];
	return moore_fabric_port(n->f, to, far->peer_port)->peer;
}

/* ---- from scratch ------------------------------------------------------------------------ */

static bool
count_in(struct moore_mo_order *g, uint32_t c)
{
	g->seen[c]++;
	return true;
}

static bool
take_in(struct moore_mo_order *g, uint32_t c)
{
	if (!--g->seen[c])
		g->fwd[g->n_fwd++] = c;
	return true;
}

bool
moore_mo_sort(struct moore_mo_order *g)
{
	memset(g->seen, 0, g->n_channels * sizeof(*g->seen));
	g->stamp = 0;
	g->n_fwd = 0;
	for (uint32_t c = 0; c < g->n_channels; c++)
		each_after(g, c, count_in);
	for (uint32_t c = 0; c < g->n_channels; c++)
		if (!g->seen[c])
			g->fwd[g->n_fwd++] = c;
	for (uint32_t i = 0; i < g->n_fwd; i++) {
		g->at[g->fwd[i]] = i;
		each_after(g, g->fwd[i], take_in);
	}
	g->ordered = g->n_fwd == g->n_channels;
	memset(g->seen, 0, g->n_channels * sizeof(*g->seen));
	return g->ordered;
}

/* ---- one dependency more ------------------------------------------------------------------ */

static bool
reach_fwd(struct moore_mo_order *g, uint32_t c)
{
	uint32_t high = g->place[0];

	if (g->at[c] == high)
		return false;	/* the channel from which the new dependency leads */
	if (g->at[c] < high && g->seen[c] != g->stamp) {
		g->seen[c] = g->stamp;
		g->fwd[g->n_fwd++] = c;
	}
	return true;
}

static void
reach_back(struct moore_mo_order *g, uint32_t c)
{
	if (g->at[c] > g->place[1] && g->seen[c] != g->stamp) {
		g->seen[c] = g->stamp;
		g->back[g->n_back++] = c;
	}
}

static void
sort_by_place(const struct moore_mo_order *g, uint32_t *list, uint32_t n)
{
	for (uint32_t gap = n / 2; gap; gap /= 2)	/* Shell's sort: the lists are short */
		for (uint32_t i = gap; i < n; i++)
			for (uint32_t k = i; k >= gap && g->at[list[k - gap]] > g->at[list[k]]; k -= gap) {
				uint32_t x = list[k];

				list[k] = list[k - gap];
				list[k - gap] = x;
			}
}

/* Gives the places of both lists to back[], then fwd[], each in its present order. */
static void
exchange(struct moore_mo_order *g)
{
	uint32_t b = 0, f = 0, n = 0;

	sort_by_place(g, g->back, g->n_back);
	sort_by_place(g, g->fwd, g->n_fwd);
	while (b < g->n_back || f < g->n_fwd)
		if (f == g->n_fwd || (b < g->n_back && g->at[g->back[b]] < g->at[g->fwd[f]]))
			g->place[n++] = g->at[g->back[b++]];
		else
			g->place[n++] = g->at[g->fwd[f++]];
	for (uint32_t i = 0; i < g->n_back; i++)
		g->at[g->back[i]] = g->place[i];
	for (uint32_t i = 0; i < g->n_fwd; i++)
		g->at[g->fwd[i]] = g->place[g->n_back + i];
}

/* Makes from come before to, or returns false if that is impossible. */
static bool
put_before(struct moore_mo_order *g, uint32_t from, uint32_t to)
{
	if (from == to)
		return false;
	if (g->at[from] < g->at[to])
		return true;
	g->place[0] = g->at[from];
	g->place[1] = g->at[to];
	g->stamp++;
	g->n_fwd = g->n_back = 0;
	g->seen[to] = g->stamp;
	g->fwd[g->n_fwd++] = to;
	for (uint32_t i = 0; i < g->n_fwd; i++)
		if (!each_after(g, g->fwd[i], reach_fwd))
			return false;
	g->seen[from] = g->stamp;
	g->back[g->n_back++] = from;
	for (uint32_t i = 0; i < g->n_back; i++)
		each_before(g, g->back[i], switch_of(g->n, g->back[i] / g->n->n_vl), reach_back);
	exchange(g);
	return true;
}

bool
moore_mo_set(struct moore_mo_order *g, uint16_t *where, uint16_t value)
{
	struct moore_mo_undo *log = g->n_log < g->cap_log ? g->log :
		moore_grow(g->log, g->n_log, &g->cap_log, sizeof(*log));

	if (!log) {
		g->oom = true;
		return false;
	}
	g->log = log;
	log[g->n_log++] = (struct moore_mo_undo){ where, *where };
	*where = value;
	return true;
}

bool
moore_mo_hold(struct moore_mo_order *g, uint32_t link, unsigned port, unsigned x, uint16_t vls)
{
	const struct moore_mo_net *n = g->n;
	size_t cell = moore_mo_cell(n, link, port) + x;
	uint32_t slot = n->f->sw[n->next[link]].port0 + port;
	unsigned more = vls & ~(unsigned)g->held[cell];

	if (!more)
		return true;
	if (!g->ordered) {
		g->held[cell] |= vls;
		return true;
	}
	for (unsigned v = more; v; v &= v - 1) {
		uint32_t from = link * n->n_vl + (unsigned)__builtin_ctz(v);

		if (!moore_mo_set(g, &g->held[cell], (uint16_t)(g->held[cell] | (v & -v))))
			return false;
		for (unsigned w = n->leave[cell]; w; w &= w - 1)
			if (!put_before(g, from, slot * n->n_vl + (unsigned)__builtin_ctz(w)))
				return false;
	}
	return true;
}

void
moore_mo_begin(struct moore_mo_order *g)
{
	g->n_log = 0;
}

void
moore_mo_undo(struct moore_mo_order *g)
{
	while (g->n_log) {
		g->n_log--;
		*g->log[g->n_log].where = g->log[g->n_log].was;
	}
}
