// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_walk.c - what the verdict counts on the routes to every LID: hops, faults and load.
 *
 * On each tree (check_tree.c) the hops of the inner nodes are computed from the root to the
 * leaves; each other switch has one more than the inner node to which it sends.
 *
 * The load of a link is that of the switch before it and that of all switches whose routes
 * lead through this one.  The former is counted for all links of a bundle at once: plane p
 * has bit p of the number of LIDs for which each link carries packets.
 *
 * Each worker has a struct moore_ck_counter; add_up() adds their counts. */
#include <string.h>

#include "check_impl.h"

#define BAD_END ((uint32_t)1 << 30)	/* hops of a route that ends, but not at the owner */
#define BAD_LOOP ((uint32_t)1 << 29)	/* hops of a route that loops */
#define PLANES 8

struct moore_ck_counter {	/* of one worker */
	const struct moore_ck *k;
	struct moore_verdict v;		/* only its counts and its first unreachable pair */
	uint32_t *hops;		/* of each node of a tree */
	const uint8_t *counted;	/* true for switches that are the source of pairs */
	bool load_to_switches;
	uint64_t *load;		/* load of each slot's link */
	struct planes {
		uint32_t n;	/* LIDs added */
		uint64_t bit[PLANES];
	} *planes;		/* of each bundle: what is to be added to load */
	uint64_t hist[MOORE_HOPS_MAX + 2];
};

static void
empty_planes(struct moore_ck_counter *w, const uint32_t *link, struct planes *c)
{
	for (unsigned p = 0; p < PLANES; p++)
		for (uint64_t m = c->bit[p]; m; m &= m - 1)
			w->load[link[__builtin_ctzll(m)]] += (uint64_t)1 << p;
	memset(c, 0, sizeof(*c));
}

/* Adds one to the load of each link over which switches send to this node. */
static void
load_kids(struct moore_ck_counter *w, const struct moore_ck_tree *t, const struct moore_ck_node *n)
{
	struct planes *c = &w->planes[n->bundle];
	uint64_t more = n->heavy_kids;

	for (unsigned p = 0; p < PLANES; p++) {
		uint64_t carry = c->bit[p] & more;

		c->bit[p] ^= more;
		more = carry;
	}
	if (++c->n == (1u << PLANES) - 1)
		empty_planes(w, t->sets->link[n->bundle], c);
}

/* Of the switches that send to this node, those that are the source of pairs. */
static uint32_t
counted_kids(const struct moore_ck_counter *w, const struct moore_ck_node *n)
{
	if (!w->k->opts.endpoints_only)
		return n->n_kids;
	return w->load_to_switches ? 0 : n->n_heavy;
}

static void
descend(struct moore_ck_counter *w, const struct moore_ck_tree *t, bool loaded)
{
	uint32_t *hops = w->hops;

	for (uint32_t a = 0; t->n_order < t->n_nodes && a < t->n_nodes; a++)
		hops[a] = BAD_LOOP;	/* stays so where there is no order */
	hops[t->n_nodes] = BAD_END;
	hops[t->n_nodes + 1] = UINT32_MAX;	/* overflows to 0 hops for the owner */
	for (uint32_t i = t->n_order; i-- > 0;) {
		const struct moore_ck_node *n = &t->node[t->order[i]];
		uint32_t h = hops[n->next] + 1;

		hops[t->order[i]] = h;
		if (h >= BAD_LOOP)
			continue;
		w->hist[h < MOORE_HOPS_MAX ? h + 1 : MOORE_HOPS_MAX + 1] += counted_kids(w, n);
		if (loaded) {
			w->load[n->link] += n->heavy;
			load_kids(w, t, n);
		}
	}
}

static uint32_t
hops_from(const struct moore_ck_counter *w, const struct moore_ck_tree *t, uint32_t s, unsigned lid)
{
	const struct moore_ck_way *y = &t->sets->way[w->k->slot0[s] +
						     t->out[(size_t)s * MOORE_CK_BLOCK]];

	return s == w->k->own[lid].sw && t->delivers ? 0 : w->hops[t->place[y->bundle]] + 1;
}

/* Classifies the pairs that descend() did not count or put into the last bin: faults,
 * partitions and very long routes. */
static void
sort_out(struct moore_ck_counter *w, const struct moore_ck_tree *t, unsigned lid)
{
	const struct moore_ck *k = w->k;
	struct moore_verdict *v = &w->v;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint32_t h = hops_from(w, t, s, lid);

		if (!w->counted[s] || h <= MOORE_HOPS_MAX)
			continue;
		v->pairs++;
		if (h < BAD_LOOP) {
			v->hops[MOORE_HOPS_MAX]++;
		} else if (k->part[s] != k->part[k->own[lid].sw]) {
			v->partitioned++;
		} else {
			if (!v->unreachable || lid < v->bad_lid) {
				v->bad_sw = s;
				v->bad_lid = (moore_lid)lid;
			}
			v->unreachable++;
			v->loops += h < BAD_END;
		}
	}
}

static void
visit(void *arg, const struct moore_ck_tree *t, unsigned lid)
{
	struct moore_ck_counter *w = arg;
	uint64_t before = w->hist[MOORE_HOPS_MAX + 1];

	descend(w, t, w->load_to_switches || w->k->own[lid].ep != MOORE_NONE);
	if (t->node[t->n_nodes + 1].below < w->k->n_sw || w->hist[MOORE_HOPS_MAX + 1] != before)
		sort_out(w, t, lid);
}

/* Adds the counts of worker w. */
static void
add_up(struct moore_verdict *v, uint64_t *load, const struct moore_ck_sets *t,
       struct moore_ck_counter *w)
{
	const struct moore_verdict *more = &w->v;

	if (more->unreachable && (!v->unreachable || more->bad_lid < v->bad_lid)) {
		v->bad_sw = more->bad_sw;
		v->bad_lid = more->bad_lid;
	}
	v->pairs += more->pairs;
	v->partitioned += more->partitioned;
	v->unreachable += more->unreachable;
	v->loops += more->loops;
	v->hops[MOORE_HOPS_MAX] += more->hops[MOORE_HOPS_MAX];
	for (unsigned h = 1; h <= MOORE_HOPS_MAX; h++) {
		v->hops[h] += w->hist[h];
		v->pairs += w->hist[h];
	}
	for (uint32_t b = 0; b < t->n_bundles; b++)
		empty_planes(w, t->link[b], &w->planes[b]);
	for (uint32_t i = 0; w->load != load && i < w->k->n_slots; i++)
		load[i] += w->load[i];
}

static void
find_loads(const struct moore_ck *k, const uint64_t *load, struct moore_verdict *v)
{
	uint64_t top = 0, sum = 0;

	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned p = 1; p <= k->f->sw[s].n_ports; p++) {
			uint32_t link = k->slot0[s] + p;

			if (k->hop[link].next == k->n_sw)
				continue;
			sum += load[link];
			if (load[link] <= top)
				continue;
			top = load[link];
			v->hottest = (struct moore_channel){ s, (moore_portnum)p, 0 };
		}
	v->max_load = (double)top;
	v->mean_load = k->n_links ? (double)sum / k->n_links : 0;
}

/* Makes the counters of n workers and their visitors. */
static bool
get_counters(struct moore_ck_counts *c, struct moore_ck *k, unsigned n,
	     struct moore_ck_visitor *visitor)
{
	struct moore_arena *a = &k->tmp;
	size_t n_sw = (size_t)k->n_sw + 2;
	uint8_t *weight = moore_arena_alloc(a, n_sw, 1), *counted = moore_arena_alloc(a, n_sw, 1);
	bool load_to_switches = true;

	c->worker = moore_arena_alloc(a, n, sizeof(*c->worker));
	if (!weight || !counted || !c->worker || !visitor)
		return false;
	for (uint32_t s = 0; s < k->n_sw; s++)
		load_to_switches &= !k->has_ep[s];
	for (uint32_t s = 0; s < k->n_sw; s++) {
		weight[s] = load_to_switches || k->has_ep[s];
		counted[s] = !k->opts.endpoints_only || k->has_ep[s];
	}
	for (unsigned i = 0; i < n; i++) {
		struct moore_ck_counter *w = &c->worker[i];

		*w = (struct moore_ck_counter){ .k = k, .counted = counted,
			.load_to_switches = load_to_switches,
			.load = moore_arena_alloc(a, (size_t)k->n_slots + 1, sizeof(*w->load)) };
		visitor[i] = (struct moore_ck_visitor){ .weight = weight, .visit = visit, .arg = w };
		if (!w->load)
			return false;
	}
	return true;
}

static bool
get_memory(struct moore_ck_counts *c, struct moore_ck *k)
{
	unsigned n = moore_ck_width(k);
	struct moore_ck_visitor *visitor = moore_arena_alloc(&k->tmp, n, sizeof(*visitor));
	size_t n_bundles;

	if (!get_counters(c, k, n, visitor) || !moore_ck_walk_init(&c->walk, k, visitor, n))
		return false;
	n_bundles = c->walk.sets->n_bundles;
	for (unsigned i = 0; i < n; i++) {
		struct moore_ck_counter *w = &c->worker[i];

		w->planes = moore_arena_alloc(&k->tmp, n_bundles + 1, sizeof(*w->planes));
		w->hops = moore_arena_alloc(&k->tmp, n_bundles + 2, sizeof(*w->hops));
		if (!w->planes || !w->hops)
			return false;
	}
	return true;
}

int
moore_ck_count_init(struct moore_ck_counts *c, struct moore_ck *k, struct moore_err *err)
{
	*c = (struct moore_ck_counts){ 0 };
	return get_memory(c, k) ? 0 : moore_fail_nomem(err);
}

void
moore_ck_count_rows(struct moore_ck_counts *c, const struct moore_ck *k)
{
	moore_ck_walk_rows(&c->walk, k);
}

void
moore_ck_count_end(struct moore_ck_counts *c, struct moore_ck *k, struct moore_verdict *v)
{
	moore_ck_walk_end(&c->walk, k);
	for (unsigned i = 0; i < c->walk.n; i++)
		add_up(v, c->worker->load, c->walk.sets, &c->worker[i]);
	find_loads(k, c->worker->load, v);
}

int
moore_ck_count(struct moore_ck *k, struct moore_verdict *v, struct moore_err *err)
{
	struct moore_ck_counts c;
	int rc = moore_ck_count_init(&c, k, err);

	if (rc < 0)
		return rc;
	moore_ck_count_rows(&c, k);
	moore_ck_count_end(&c, k, v);
	return 0;
}
