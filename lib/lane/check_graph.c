// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_graph.c - makes the dependency graph of the channels from the VLs held at each
 * turn, as compressed rows, and orders it (Kahn 1962).
 *
 * There is a dependency (a, v) -> (b, w) if some packet that arrives over link a on VL v
 * leaves by link b on VL w.  The order is a certificate: to verify it, one only has to
 * check that every dependency goes forward in it. */
#include <stdlib.h>

#include "check_impl.h"

static uint32_t
bits(uint32_t v)
{
	return (uint32_t)__builtin_popcount(v);
}

static uint32_t
channel_id(const struct moore_ck_graph *g, uint32_t link, unsigned vl)
{
	return g->first[link] + bits(g->used[link] & ((1u << vl) - 1));
}

static uint16_t
used_vls(const struct moore_ck *k, uint32_t link)
{
	unsigned n_slots = k->f->sw[k->hop[link].next].n_ports + 2u;
	uint16_t used = 0;

	for (unsigned out = 0; out < n_slots; out++)
		for (unsigned x = 0; x < k->n_cls; x++)
			used |= moore_ck_cells(k, link, out)[x].held;
	return used;
}

struct work {			/* of a job for each switch */
	const struct moore_ck *k;
	struct moore_ck_graph *g;
	uint32_t *adj;
};

static void
fill_used(void *arg, unsigned worker, size_t s)
{
	const struct work *w = arg;

	(void)worker;
	for (uint32_t i = w->k->slot0[s]; i < w->k->slot0[s + 1]; i++)
		if (w->k->hop[i].next != w->k->n_sw)
			w->g->used[i] = used_vls(w->k, i);
}

static int
number_channels(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v,
		struct moore_err *err)
{
	g->used = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*g->used));
	g->first = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*g->first));
	if (!g->used || !g->first)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, fill_used, &(struct work){ k, g, NULL });
	for (uint32_t i = 0; i < k->n_slots; i++) {
		g->first[i] = g->n;
		g->n += bits(g->used[i]);
		v->vls |= g->used[i];
	}
	g->channel = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*g->channel));
	if (!g->channel)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (uint32_t i = k->slot0[s], n = g->first[i]; i < k->slot0[s + 1]; i++)
			for (unsigned vl = 0; vl < MOORE_VL_DROP; vl++)
				if (g->used[i] >> vl & 1)
					g->channel[n++] = (struct moore_channel){ s,
						(moore_portnum)(i - k->slot0[s]), (uint8_t)vl };
	return 0;
}

/* Fills to[v] with the VLs on which packets leave that hold VL v before the turn.  Returns
 * the set of VLs v for which there are any. */
static uint16_t
goes_on(const struct moore_ck *k, const struct moore_ck_cell *c, uint16_t *to)
{
	uint16_t all = 0;

	for (unsigned x = 0; x < k->n_cls; x++) {
		uint16_t held = c[x].out ? c[x].held : 0;

		for (unsigned rest = held; rest; rest &= rest - 1) {
			unsigned vl = (unsigned)__builtin_ctz(rest);

			to[vl] = (uint16_t)((all >> vl & 1 ? to[vl] : 0) | c[x].out);
			all |= (uint16_t)(1u << vl);
		}
	}
	return all;
}

/* If adj is NULL, counts the dependencies of link's channels in adj0[channel + 1]; else
 * writes them to adj from adj0[channel] on, and advances adj0[channel] past them. */
static void
row_of(const struct moore_ck *k, const struct moore_ck_graph *g, uint32_t link, uint32_t *adj)
{
	unsigned n_ports = k->f->sw[k->hop[link].next].n_ports;
	uint32_t slot0 = k->slot0[k->hop[link].next];

	for (unsigned out = 1; out <= n_ports; out++) {
		uint16_t to[16], held = goes_on(k, moore_ck_cells(k, link, out), to);

		for (unsigned rest = held; rest; rest &= rest - 1) {
			unsigned vl = (unsigned)__builtin_ctz(rest);
			uint32_t from = channel_id(g, link, vl);

			for (unsigned w = to[vl]; w; w &= w - 1)
				if (adj)
					adj[g->adj0[from]++] = channel_id(g, slot0 + out,
									  (unsigned)__builtin_ctz(w));
				else
					g->adj0[from + 1]++;
		}
	}
}

static void
rows_of(void *arg, unsigned worker, size_t s)
{
	const struct work *w = arg;

	(void)worker;
	for (uint32_t i = w->k->slot0[s]; i < w->k->slot0[s + 1]; i++)
		if (w->g->used[i])
			row_of(w->k, w->g, i, w->adj);
}

static int
fill_rows(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v,
	  struct moore_err *err)
{
	g->adj0 = moore_arena_alloc(&k->tmp, (size_t)g->n + 1, sizeof(*g->adj0));
	if (!g->adj0)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, rows_of, &(struct work){ k, g, NULL });
	for (uint32_t c = 0; c < g->n; c++)
		g->adj0[c + 1] += g->adj0[c];
	v->n_dependencies = g->adj0[g->n];
	g->adj = moore_arena_alloc(&k->tmp, v->n_dependencies + 1, sizeof(*g->adj));
	if (!g->adj)
		return moore_fail_nomem(err);
	moore_ck_each_switch(k, rows_of, &(struct work){ k, g, g->adj });
	/* Each row's start has advanced to the start of the next row. */
	for (uint32_t c = g->n; c > 0; c--)
		g->adj0[c] = g->adj0[c - 1];
	g->adj0[0] = 0;
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
	int rc;

	if ((rc = number_channels(k, g, v, err)) < 0 || (rc = fill_rows(k, g, v, err)) < 0)
		return rc;
	return put_in_order(k, g, v, err);
}
