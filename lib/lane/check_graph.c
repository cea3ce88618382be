// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_graph.c - makes the dependency graph of the channels from the VLs held at each
 * turn, as compressed rows, and orders it (Kahn 1962).
 *
 * There is a dependency (a, v) -> (b, w) if some packet that arrives over link a on VL v
 * leaves by link b on VL w.  The order is a certificate: to verify it, one only has to
 * check that every dependency goes forward in it. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "check_impl.h"

static uint32_t
channel_id(const struct moore_ck_graph *g, uint32_t link, unsigned vl)
{
	return g->first[link] + moore_bits_count(g->used[link] & ((1u << vl) - 1));
}

/* For a job for each switch, which takes the links that lead to it: their cells lie side by side. */
struct work {
	const struct moore_ck *k;
	struct moore_ck_graph *g;
	uint16_t (*n_deps)[16];	/* by slot: dependencies of the channel of each VL */
};

/* Fills to[v] with the VLs on which packets leave that hold VL v before the turn.  Returns
 * the set of VLs v for which there are any. */
static inline uint16_t
goes_on(const struct moore_ck_cell *c, const unsigned n_cls, uint16_t *to)
{
	uint16_t all = 0;

	for (unsigned x = 0; x < n_cls; x++) {
		uint16_t held = c[x].out ? c[x].held : 0;

		for (unsigned rest = held; rest; rest &= rest - 1) {
			unsigned vl = (unsigned)__builtin_ctz(rest);

			to[vl] = (uint16_t)((all >> vl & 1 ? to[vl] : 0) | c[x].out);
			all |= (uint16_t)(1u << vl);
		}
	}
	return all;
}

/* Notes the VLs in use on link and counts the dependencies of its channels: here first, as beside them
 * lie those of links that other workers take. */
static inline void
count_link(const struct work *w, const unsigned n_cls, uint32_t link)
{
	const struct moore_ck *k = w->k;
	const struct moore_ck_cell *cell = moore_ck_cells(k, link, 0);
	size_t step = (size_t)k->n_in[k->hop[link].next] * n_cls;
	unsigned n_slots = k->f->sw[k->hop[link].next].n_ports + 2u;
	uint16_t n_deps[16] = { 0 }, used = 0;

	for (unsigned out = 0; out < n_slots; out++, cell += step) {
		uint16_t to[16], held = goes_on(cell, n_cls, to);

		for (unsigned x = 0; x < n_cls; x++)
			used |= cell[x].held;
		for (unsigned rest = held; rest; rest &= rest - 1) {
			unsigned vl = (unsigned)__builtin_ctz(rest);

			n_deps[vl] = (uint16_t)(n_deps[vl] + moore_bits_count(to[vl]));
		}
	}
	w->g->used[link] = used;
	memcpy(w->n_deps[link], n_deps, sizeof(n_deps));
}

static void
count_links(void *arg, unsigned worker, size_t s)
{
	const struct work *w = arg;

	(void)worker;
	for (uint32_t i = w->k->into0[s]; i < w->k->into0[s + 1]; i++)
		if (w->k->n_cls == 1)
			count_link(w, 1, w->k->into[i]);	/* the usual case: no inner loop */
		else
			count_link(w, w->k->n_cls, w->k->into[i]);
}

/* Lists the channels of a slot, from g->first[] on, and where their rows begin. */
static void
list_channels(const struct work *w, moore_swid s, uint32_t slot)
{
	struct moore_ck_graph *g = w->g;
	uint32_t n = g->first[slot];

	for (unsigned rest = g->used[slot]; rest; rest &= rest - 1, n++) {
		unsigned vl = (unsigned)__builtin_ctz(rest);

		g->channel[n] = (struct moore_channel){ s, (moore_portnum)(slot - w->k->slot0[s]),
							(uint8_t)vl };
		g->adj0[n + 1] = g->adj0[n] + w->n_deps[slot][vl];
	}
}

static int
number_channels(struct moore_ck *k, struct moore_ck_graph *g, struct work *w, struct moore_verdict *v,
		struct moore_err *err)
{
	g->used = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*g->used));
	g->first = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*g->first));
	w->n_deps = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*w->n_deps));
	if (!g->used || !g->first || !w->n_deps)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, count_links, w);
	for (uint32_t i = 0; i < k->n_slots; i++) {
		g->first[i] = g->n;
		g->n += moore_bits_count(g->used[i]);
		v->vls |= g->used[i];
	}
	g->channel = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*g->channel));
	g->adj0 = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*g->adj0));
	if (!g->channel || !g->adj0)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (uint32_t i = k->slot0[s]; i < k->slot0[s + 1]; i++)
			list_channels(w, s, i);
	return 0;
}

/* Writes the rows of link's channels, from adj0[channel] on. */
static inline void
write_rows(const struct moore_ck *k, const struct moore_ck_graph *g, const unsigned n_cls, uint32_t link)
{
	const struct moore_ck_cell *cell = moore_ck_cells(k, link, 0);
	size_t step = (size_t)k->n_in[k->hop[link].next] * n_cls;
	unsigned n_ports = k->f->sw[k->hop[link].next].n_ports;
	uint32_t slot0 = k->slot0[k->hop[link].next], n = g->first[link], *adj = g->adj;
	uint64_t at[16];

	for (unsigned rest = g->used[link]; rest; rest &= rest - 1)
		at[__builtin_ctz(rest)] = g->adj0[n++];
	for (unsigned out = 1; out <= n_ports; out++) {
		uint16_t to[16], held = goes_on(cell + out * step, n_cls, to);

		for (unsigned rest = held; rest; rest &= rest - 1) {
			unsigned vl = (unsigned)__builtin_ctz(rest);

			for (unsigned w = to[vl]; w; w &= w - 1)
				adj[at[vl]++] = channel_id(g, slot0 + out, (unsigned)__builtin_ctz(w));
		}
	}
}

static void
rows_of(void *arg, unsigned worker, size_t s)
{
	const struct work *w = arg;

	(void)worker;
	for (uint32_t i = w->k->into0[s]; i < w->k->into0[s + 1]; i++)
		if (w->k->n_cls == 1)
			write_rows(w->k, w->g, 1, w->k->into[i]);
		else
			write_rows(w->k, w->g, w->k->n_cls, w->k->into[i]);
}

static int
fill_rows(struct moore_ck *k, struct moore_ck_graph *g, struct work *w, struct moore_verdict *v,
	  struct moore_err *err)
{
	v->n_dependencies = g->adj0[g->n];
	g->adj = moore_arena_alloc(&k->tmp, v->n_dependencies + 1, sizeof(*g->adj));
	if (!g->adj)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, rows_of, w);
	return 0;
}

/* Removes channels on which no remaining channel depends; if some remain, they contain a
 * cycle. */
static int
put_in_order(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v,
	     struct moore_err *err)
{
	uint32_t *order = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*order)), tail = 0;

	g->indeg = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*g->indeg));
	if (!order || !g->indeg)
		return moore_fail_nomem(err);
	for (uint64_t i = 0; i < g->adj0[g->n]; i++)
		g->indeg[g->adj[i]]++;
	for (uint32_t c = 0; c < g->n; c++)
		if (!g->indeg[c])
			order[tail++] = c;
	for (uint32_t i = 0; i < tail; i++)
		for (uint64_t e = g->adj0[order[i]]; e < g->adj0[order[i] + 1]; e++)
			if (!--g->indeg[g->adj[e]])
				order[tail++] = g->adj[e];
	v->n_channels = g->n;
	v->acyclic = tail == g->n;
	if (!v->acyclic)
		return 0;
	if (!(v->order = malloc(((size_t)g->n + 1) * sizeof(*v->order))))
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < tail; i++)
		v->order[i] = g->channel[order[i]];
	return 0;
}

int
moore_ck_graph(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v,
	       struct moore_err *err)
{
	struct work w = { .k = k, .g = g };
	int rc;

	if ((rc = number_channels(k, g, &w, v, err)) < 0 || (rc = fill_rows(k, g, &w, v, err)) < 0)
		return rc;
	return put_in_order(k, g, v, err);
}
