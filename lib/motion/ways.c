// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ways.c - the mixture of one LID as a graph: a way for each value of a row that leads to
 * another switch, and the VLs on which packets may take it.
 *
 * A way carries the VLs on which its switch's own sources send and, for each way that
 * leads to the switch and carries anything, the VL of that turn: any packet that arrives
 * may meet any value of the row. */
#include <string.h>

#include "motion_impl.h"

int
moore_mo_ways_init(struct moore_mo_ways *w, const struct moore_mo_net *n,
		   struct moore_mo_order *g, uint32_t cap, struct moore_arena *a,
		   struct moore_err *err)
{
	*w = (struct moore_mo_ways){ .n = n, .g = g, .cap = cap };
	if (!(w->way = moore_arena_alloc(a, (size_t)cap + 1, sizeof(*w->way))) ||
	    !(w->vls = moore_arena_alloc(a, ((size_t)cap + 1) * n->n_cls, sizeof(*w->vls))) ||
	    !(w->queue = moore_arena_alloc(a, (size_t)cap + 1, sizeof(*w->queue))) ||
	    !(w->queued = moore_arena_alloc(a, (size_t)cap + 1, 1)) ||
	    !(w->out = moore_arena_alloc(a, (size_t)n->n_sw + 1, sizeof(*w->out))) ||
	    !(w->in = moore_arena_alloc(a, (size_t)n->n_sw + 1, sizeof(*w->in))) ||
	    !(w->drops = moore_arena_alloc(a, (size_t)n->n_sw + 1, 1)))
		return moore_fail_nomem(err);
	return 0;
}

void
moore_mo_ways_clear(struct moore_mo_ways *w, moore_lid lid)
{
	w->lid = lid;
	w->n_ways = 0;
	memset(w->out, 0xff, w->n->n_sw * sizeof(*w->out));	/* MOORE_NONE */
	memset(w->in, 0xff, w->n->n_sw * sizeof(*w->in));
	memset(w->drops, 0, w->n->n_sw);
}

static uint32_t
slot_of(const struct moore_mo_net *n, moore_swid s, uint8_t port)
{
	return port <= n->f->sw[s].n_ports ? n->f->sw[s].port0 + port : MOORE_NONE;
}

/* The VLs on which the sources of switch s send to the LID by this link, in class x. */
static uint16_t
sent(const struct moore_mo_ways *w, moore_swid s, uint32_t link, unsigned x)
{
	const struct moore_mo_net *n = w->n;
	const struct moore_sl_set *set = n->o->sl_set;

	if (set && (w->lid >= set->stride || !(moore_sl_set_row(set, s)[w->lid] & n->cls_mask[x])))
		return 0;
	return n->inject[(size_t)link * n->n_cls + x];
}

/* Returns the new way, or MOORE_NONE if the value leads to no switch or is there already. */
static uint32_t
new_way(struct moore_mo_ways *w, moore_swid s, uint8_t port, bool stale)
{
	uint32_t link = slot_of(w->n, s, port), i = w->n_ways;
	moore_swid to = link == MOORE_NONE ? MOORE_NONE : w->n->next[link];

	if (to == MOORE_NONE || w->n_ways == w->cap)
		return MOORE_NONE;
	for (uint32_t k = w->out[s]; k != MOORE_NONE; k = w->way[k].out)
		if (w->way[k].link == link) {
			w->way[k].stale &= stale;
			return MOORE_NONE;
		}
	w->way[i] = (struct moore_mo_way){ link, s, to, w->out[s], w->in[to], stale };
	memset(&w->vls[(size_t)i * w->n->n_cls], 0, w->n->n_cls * sizeof(*w->vls));
	w->queued[i] = 0;
	w->out[s] = w->in[to] = i;
	w->n_ways++;
	return i;
}

void
moore_mo_ways_add(struct moore_mo_ways *w, moore_swid s, uint8_t port, bool stale)
{
	uint32_t i = new_way(w, s, port, stale);

	for (unsigned x = 0; i != MOORE_NONE && x < w->n->n_cls; x++)
		w->vls[(size_t)i * w->n->n_cls + x] = sent(w, s, w->way[i].link, x);
}

/* Carries the VLs of way i over the turn to way k, in class x.  Returns false if a cycle
 * closes; sets *news if k got a VL. */
static bool
carry(struct moore_mo_ways *w, uint32_t i, uint32_t k, unsigned x, bool *news)
{
	const struct moore_mo_net *n = w->n;
	unsigned port = w->way[k].link - n->f->sw[w->way[k].from].port0;
	uint16_t vls = w->vls[(size_t)i * n->n_cls + x], *to = &w->vls[(size_t)k * n->n_cls + x];
	uint16_t leave = vls ? n->leave[moore_mo_cell(n, w->way[i].link, port) + x] : 0;

	if (leave && !moore_mo_hold(w->g, w->way[i].link, port, x, vls))
		return false;
	if (!(leave & ~*to))
		return true;
	*news = true;
	if (w->g->ordered)
		return moore_mo_set(w->g, to, *to | leave);
	*to |= leave;
	return true;
}

static void
enqueue(struct moore_mo_ways *w, uint32_t i, uint32_t *tail)
{
	if (w->queued[i])
		return;
	w->queued[i] = 1;
	w->queue[(*tail)++ % w->cap] = i;
}

static bool
returns(const struct moore_mo_ways *w, uint32_t i, uint32_t k)
{
	const struct moore_fabric *f = w->n->f;

	return w->way[k].link == f->sw[w->way[i].to].port0 + f->port[w->way[i].link].peer_port;
}

/* Carries VLs on from the ways in the queue until none is new. */
static bool
run(struct moore_mo_ways *w, uint32_t tail)
{
	bool fits = true;

	for (uint32_t head = 0; head != tail; head++) {
		uint32_t i = w->queue[head % w->cap];

		w->queued[i] = 0;
		for (uint32_t k = w->out[w->way[i].to]; fits && k != MOORE_NONE; k = w->way[k].out) {
			bool news = false;

			if (w->no_return && returns(w, i, k))
				continue;
			for (unsigned x = 0; fits && x < w->n->n_cls; x++)
				fits = carry(w, i, k, x, &news);
			if (news)
				enqueue(w, k, &tail);
		}
	}
	return fits;
}

void
moore_mo_ways_fill(struct moore_mo_ways *w)
{
	bool ordered = w->g->ordered;
	uint32_t tail = 0;

	w->g->ordered = false;
	for (uint32_t i = 0; i < w->n_ways; i++)
		enqueue(w, i, &tail);
	run(w, tail);
	w->g->ordered = ordered;
}

/* Sets up one way for each switch: its out port in port[], its link in w->out[], the number
 * of ways that lead to it in w->in[], and in w->vls[] what its own sources send. */
static inline void
plant_tree(struct moore_mo_ways *w, const uint8_t *row, uint8_t *port, const unsigned n_cls)
{
	const struct moore_mo_net *n = w->n;

	memset(w->in, 0, ((size_t)n->n_sw + 1) * sizeof(*w->in));
	for (moore_swid s = 0; s < n->n_sw; s++) {
		uint32_t link, to;

		port[s] = row[s] <= n->f->sw[s].n_ports ? row[s] : 0;	/* 0 is no link */
		link = n->f->sw[s].port0 + port[s];
		to = n->next[link];
		w->out[s] = link;
		w->in[to < n->n_sw ? to : n->n_sw]++;
		for (unsigned x = 0; x < n_cls; x++)
			w->vls[(size_t)s * n_cls + x] = n->o->sl_set ? sent(w, s, link, x) :
				n->inject[(size_t)link * n_cls + x];
	}
}

/* Carries the VLs over each way once, the sources first (Kahn 1962).  This loop runs for most
 * LIDs in each sweep; so it has no branch but its end, and ways that lead to no switch lead
 * to the switch n_sw, which is never reached.  Returns the number of switches passed. */
static inline uint32_t
pass_tree(struct moore_mo_ways *w, const uint8_t *port, const unsigned n_cls)
{
	const struct moore_mo_net *n = w->n;
	uint32_t n_sw = n->n_sw, tail = 0;

	for (uint32_t s = 0; s < n_sw; s++) {
		w->queue[tail] = s;
		tail += !w->in[s];
	}
	w->in[n_sw] = 0;	/* counts down from 0: never becomes 0 again */
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t s = w->queue[i], next = n->next[w->out[s]];
		uint32_t to = next < n_sw ? next : n_sw;
		size_t cell = ((size_t)n->turn0[w->out[s]] + port[to]) * n_cls;

		for (unsigned x = 0; x < n_cls; x++) {
			unsigned vls = w->vls[(size_t)s * n_cls + x], leave = n->leave[cell + x];

			w->g->held[cell + x] |= (uint16_t)(leave ? vls : 0);
			w->vls[(size_t)to * n_cls + x] |= (uint16_t)(vls ? leave : 0);
		}
		w->queue[tail] = to;
		tail += !--w->in[to];
	}
	return tail;
}

/* Switches on a loop are left over; these are filled in as any mixture is. */
void
moore_mo_ways_hold(struct moore_mo_ways *w, moore_lid lid, const uint8_t *row)
{
	const unsigned n_cls = w->n->n_cls;
	uint8_t *port = w->drops;	/* scratch; port[n_sw] is 0 */
	uint32_t done;

	w->lid = lid;
	if (n_cls == 1) {	/* the usual case: without inner loops */
		plant_tree(w, row, port, 1);
		done = pass_tree(w, port, 1);
	} else {
		plant_tree(w, row, port, n_cls);
		done = pass_tree(w, port, n_cls);
	}
	if (done == w->n->n_sw)
		return;
	moore_mo_ways_clear(w, lid);
	for (moore_swid s = 0; s < w->n->n_sw; s++)
		moore_mo_ways_add(w, s, row[s], false);
	moore_mo_ways_fill(w);
}

static void
remove_last(struct moore_mo_ways *w)
{
	const struct moore_mo_way *y = &w->way[--w->n_ways];

	w->out[y->from] = y->out;
	w->in[y->to] = y->in;
}

bool
moore_mo_ways_flip(struct moore_mo_ways *w, moore_swid s, uint8_t port)
{
	uint32_t i = new_way(w, s, port, false), tail = 0;
	bool fits = true;

	if (i == MOORE_NONE)
		return w->n_ways < w->cap;
	moore_mo_begin(w->g);
	for (unsigned x = 0; x < w->n->n_cls; x++)
		w->vls[(size_t)i * w->n->n_cls + x] = sent(w, s, w->way[i].link, x);
	for (uint32_t k = w->in[s]; fits && k != MOORE_NONE; k = w->way[k].in)
		for (unsigned x = 0; fits && x < w->n->n_cls; x++) {
			bool news = false;

			fits = carry(w, k, i, x, &news);
		}
	enqueue(w, i, &tail);
	if (run(w, fits ? tail : 0) && fits)
		return true;
	w->queued[i] = 0;
	moore_mo_undo(w->g);
	remove_last(w);
	return false;
}

void
moore_mo_ways_spread(struct moore_mo_ways *w)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < w->n->n_sw; s++)
		if (w->drops[s])
			w->queue[n++ % w->cap] = s;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = w->in[w->queue[i]]; k != MOORE_NONE; k = w->way[k].in)
			if (!w->way[k].stale && !w->drops[w->way[k].from]) {
				w->drops[w->way[k].from] = 1;
				w->queue[n++] = w->way[k].from;
			}
}
