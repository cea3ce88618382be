// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix.c - judges a change of tables: all combinations of old and new rows at once.
 *
 * For loops, the old and new next hops of a LID are taken as one graph (mix_walk.c).  For
 * deadlock, the turns that any combination makes go through the checker's own dependency
 * graph (check_graph.c); the lanes of both SL2VL tables count, since SL2VL tables are sent
 * after the LFTs.  Then an order of writes is sought (mix_order.c).  If an arbitrary
 * mixture could deadlock, the turns that this order permits are judged once more. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "fabric/guid_map.h"
#include "mix_impl.h"

void
moore_mix_free(struct moore_mix *m)
{
	if (!m)
		return;
	free(m->loop);
	free(m->cycle);
	free(m->step);
	free(m);
}

int
moore_mx_fit(const struct moore_fabric *f, const struct moore_lft *t, size_t stride,
	     const char *which, struct moore_err *err)
{
	if (t->stride != stride || stride > MOORE_LID_MAX + 1u)
		return moore_fail(err, MOORE_EINVAL, 0, "%sLFTs: made for another fabric", which);
	return moore_ck_fit_lft(f, t, which, err);
}

struct by_guid {
	uint64_t guid;
	uint32_t sw;
};

static int
guid_cmp(const void *a, const void *b)
{
	const struct by_guid *x = a, *y = b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

static int
set_up(struct moore_mx *m, struct moore_mix *v, struct moore_err *err)
{
	struct moore_arena *a = &m->k.tmp;
	uint32_t n = m->k.f->n_switches;
	struct by_guid *g = moore_arena_alloc(a, (size_t)n + 1, sizeof(*g));

	m->n_blocks = (uint32_t)(m->now->stride / MOORE_LFT_BLOCK);
	m->by_guid = moore_arena_alloc(a, (size_t)n + 1, sizeof(*m->by_guid));
	m->loops = moore_arena_alloc(a, moore_bits_words(m->now->stride), sizeof(*m->loops));
	v->loop = calloc((size_t)n + 1, sizeof(*v->loop));
	if (!g || !m->by_guid || !m->loops || !v->loop)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < n; s++)
		g[s] = (struct by_guid){ m->k.f->sw[s].guid, s };
	qsort(g, n, sizeof(*g), guid_cmp);
	for (uint32_t s = 0; s < n; s++)
		m->by_guid[s] = g[s].sw;
	return moore_ck_net(&m->k, err);
}

int
moore_mx_turns(struct moore_ck *k, struct moore_mx_turns *out, struct moore_err *err)
{
	struct moore_verdict seen = { .order = NULL };
	struct moore_ck_graph g = { .n = 0 };
	uint32_t *cycle = NULL, len = 0;
	int rc = moore_ck_graph(k, &g, &seen, err);

	*out = (struct moore_mx_turns){ .acyclic = seen.acyclic, .n_channels = seen.n_channels,
		.n_dependencies = seen.n_dependencies };
	free(seen.order);
	if (rc < 0 || seen.acyclic)
		return rc;
	if ((rc = moore_ck_cycle(k, &g, &cycle, &len, err)) < 0)
		return rc;
	if (!(out->cycle = calloc(len, sizeof(*out->cycle))))
		return moore_fail_nomem(err);
	out->cycle_len = len;
	for (uint32_t i = 0; i < len; i++)
		out->cycle[i] = g.channel[cycle[i]];
	return 0;
}

static int
judge_turns(struct moore_mx *m, struct moore_mix *v, struct moore_err *err)
{
	struct moore_mx_turns t;
	int rc = moore_mx_turns(&m->k, &t, err);

	v->acyclic = t.acyclic;
	v->n_channels = t.n_channels;
	v->n_dependencies = t.n_dependencies;
	v->cycle = t.cycle;
	v->cycle_len = t.cycle_len;
	return rc;
}

/* Judges again without the turns that the order of writes rules out. */
static int
judge_order(struct moore_mx *m, struct moore_mix *v, struct moore_err *err)
{
	struct moore_mix scratch = { .loop_len = 2 };	/* 2 disables the search for loops */
	struct moore_verdict seen = { .order = NULL };
	struct moore_ck_graph g = { .n = 0 };
	uint32_t *when;
	int rc;

	v->order_acyclic = v->acyclic;
	if (v->acyclic || v->order == MOORE_ORDER_UNKNOWN)
		return 0;
	when = moore_arena_alloc(&m->k.tmp, (size_t)m->n_blocks * m->k.n_sw + 1, sizeof(*when));
	if (!when)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < v->n_steps; i++)
		when[(size_t)v->step[i].block * m->k.n_sw + v->step[i].sw] = i;
	m->when = when;
	for (size_t i = 0; i < moore_ck_n_cells(&m->k); i++)
		m->k.cell[i].held = 0;
	if ((rc = moore_mx_walk(m, &scratch, err)) < 0 ||
	    (rc = moore_ck_graph(&m->k, &g, &seen, err)) < 0)
		return rc;
	free(seen.order);
	v->order_acyclic = seen.acyclic;
	return 0;
}

int
moore_mix_judge(struct moore_mix **out, const struct moore_fabric *f,
		const struct moore_mix_tables *was, const struct moore_mix_tables *now,
		struct moore_err *err)
{
	struct moore_mx m = { .was = was->lft, .now = now->lft, .k = { .f = f,
		.lft = now->lft, .sl2vl = now->sl2vl, .other = was->sl2vl,
		.opts = { .sl_mask = UINT16_MAX }, .tmp = MOORE_ARENA_INIT } };
	struct moore_mix *v = calloc(1, sizeof(*v));
	int rc;

	*out = NULL;
	if (!v)
		return moore_fail_nomem(err);
	if ((rc = moore_mx_fit(f, was->lft, now->lft->stride, "old ", err)) < 0 ||
	    (rc = moore_ck_fit_sl2vl(f, was->sl2vl, "old ", err)) < 0 ||
	    (rc = moore_mx_fit(f, now->lft, now->lft->stride, "new ", err)) < 0 ||
	    (rc = moore_ck_fit_sl2vl(f, now->sl2vl, "new ", err)) < 0 ||
	    (rc = set_up(&m, v, err)) < 0 ||
	    (rc = moore_mx_walk(&m, v, err)) < 0 ||
	    (rc = judge_turns(&m, v, err)) < 0 ||
	    (rc = moore_mx_order(&m, v, err)) < 0 ||
	    (rc = judge_order(&m, v, err)) < 0)
		goto out;
	v->safe = !v->loop_lids && v->acyclic;
	*out = v;
	v = NULL;
out:
	moore_mix_free(v);
	moore_arena_free(&m.k.tmp);
	return rc;
}

/* ---- two fabrics, one shape ------------------------------------------------------- */

struct lanes_of {		/* a switch of the old fabric */
	const struct moore_fabric *f;
	const struct moore_sl2vl *t;
	moore_swid s;		/* or MOORE_NONE */
};

static bool
had_link(const struct lanes_of *was, unsigned port)
{
	return was->s != MOORE_NONE && moore_fabric_port(was->f, was->s, (moore_portnum)port)->role !=
		MOORE_ROLE_NONE;
}

/* The lanes of a link are set before it carries data, so a new link never has old rows. */
static int
carry_lanes(struct moore_sl2vl *to, moore_swid s, const struct lanes_of *was,
	    const struct moore_sl2vl *now, struct moore_err *err)
{
	unsigned n = to->width[s];
	int rc = 0;

	for (unsigned in = 0; in < n; in++)
		for (unsigned out = 0; out < n && rc == 0; out++) {
			bool old = had_link(was, in) && had_link(was, out);

			rc = moore_sl2vl_set(to, s, (moore_portnum)in, (moore_portnum)out,
					     moore_sl2vl_get(old ? was->t : now, old ? was->s : s,
							     (moore_portnum)in, (moore_portnum)out),
					     err);
		}
	return rc;
}

static void
carry_row(struct moore_lft *to, moore_swid s, const struct moore_lft *from, moore_swid was)
{
	memcpy(moore_lft_row(to, s), moore_lft_row(from, was),
	       to->stride < from->stride ? to->stride : from->stride);
}

int
moore_mix_carry(struct moore_lft **lft, struct moore_sl2vl **sl2vl, const struct moore_fabric *f,
		size_t stride, const struct moore_fabric *from, const struct moore_mix_tables *was,
		const struct moore_mix_tables *now, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_guid_map map;
	int rc;

	*lft = NULL;
	if (sl2vl)
		*sl2vl = NULL;
	if ((rc = moore_lft_new(lft, f->n_switches, (moore_lid)(stride - 1), err)) < 0 ||
	    (sl2vl && (rc = moore_sl2vl_new(sl2vl, f, err)) < 0))
		goto out;
	if (!moore_guid_map_init(&map, from->n_switches, &tmp)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (moore_swid s = 0; s < from->n_switches; s++)
		moore_guid_map_put(&map, from->sw[s].guid, s);
	for (moore_swid s = 0; s < f->n_switches && rc == 0; s++) {
		moore_swid old = moore_guid_map_get(&map, f->sw[s].guid);
		bool same = old != MOORE_NONE && from->sw[old].n_ports == f->sw[s].n_ports;

		if (old != MOORE_NONE)
			carry_row(*lft, s, was->lft, old);
		if (sl2vl)
			rc = carry_lanes(*sl2vl, s, &(struct lanes_of){ from, was->sl2vl,
					 same ? old : MOORE_NONE }, now->sl2vl, err);
	}
out:
	moore_arena_free(&tmp);
	if (rc < 0) {
		moore_lft_free(*lft);
		*lft = NULL;
		if (sl2vl) {
			moore_sl2vl_free(*sl2vl);
			*sl2vl = NULL;
		}
	}
	return rc;
}
