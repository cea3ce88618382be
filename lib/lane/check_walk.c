// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_walk.c - what the verdict counts on the routes to every LID: hops, faults and load.
 *
 * On each tree (check_tree.c) the hops are computed from the root to the leaves.  A tree
 * that stands for several LIDs counts as many times.  Of the two additional switches, the
 * one whose routes fail has BAD_END hops, and the one that is the owner's end has -1.
 *
 * Each worker has a struct moore_ck_counter; add_up() adds their counts. */
#include "check_impl.h"

#define BAD_END ((uint32_t)1 << 30)	/* hops of a route that ends, but not at the owner */
#define BAD_LOOP ((uint32_t)1 << 29)	/* hops of a route that loops */

struct moore_ck_counter {	/* of one worker */
	const struct moore_ck *k;
	struct moore_verdict v;		/* only its counts and its first unreachable pair */
	uint32_t *hops;		/* of each switch to the LID being walked; n_sw + 2 */
	const uint8_t *counted;	/* true for switches that are the source of pairs */
	bool load_to_switches;
	uint64_t *load;		/* load of each slot's link */
	uint64_t hist[MOORE_HOPS_MAX + 2];
};

static void
descend(struct moore_ck_counter *w, const struct moore_ck_tree *t, bool loaded, uint32_t times)
{
	const uint64_t carries = loaded ? times : 0;
	uint32_t *hops = w->hops;

	hops[w->k->n_sw] = BAD_END;
	hops[w->k->n_sw + 1] = UINT32_MAX;	/* overflows to 0 hops for the owner */
	for (uint32_t i = t->n_order; i-- > 0;) {
		uint32_t s = t->order[i], h = hops[t->hop[s].next] + 1;

		hops[s] = h;
		w->load[w->k->slot0[s] + t->out[s]] += t->sources[s] * (h < BAD_LOOP ? carries : 0);
		w->hist[h <= MOORE_HOPS_MAX ? h : MOORE_HOPS_MAX + 1] += w->counted[s] * (uint64_t)times;
	}
}

/* Classifies the pairs that descend() put into the last bin: faults, partitions and very
 * long routes. */
static void
sort_out(struct moore_ck_counter *w, unsigned lid, uint32_t times)
{
	const struct moore_ck *k = w->k;
	struct moore_verdict *v = &w->v;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint32_t h = w->hops[s];

		if (!w->counted[s] || h <= MOORE_HOPS_MAX)
			continue;
		v->pairs += times;
		if (h < BAD_LOOP) {
			v->hops[MOORE_HOPS_MAX] += times;
		} else if (k->part[s] != k->part[k->own[lid].sw]) {
			v->partitioned += times;
		} else {
			if (!v->unreachable || lid < v->bad_lid) {
				v->bad_sw = s;
				v->bad_lid = (moore_lid)lid;
			}
			v->unreachable += times;
			v->loops += h < BAD_END ? times : 0;
		}
	}
}

static void
visit(void *arg, const struct moore_ck_tree *t, unsigned lid, uint32_t times)
{
	struct moore_ck_counter *w = arg;
	uint64_t before = w->hist[MOORE_HOPS_MAX + 1];
	bool loops = t->n_order < w->k->n_sw;

	for (uint32_t s = 0; loops && s < w->k->n_sw; s++)
		w->hops[s] = BAD_LOOP;	/* stays so where there is no order */
	descend(w, t, w->load_to_switches || w->k->own[lid].ep != MOORE_NONE, times);
	if (loops || w->hist[MOORE_HOPS_MAX + 1] != before)
		sort_out(w, lid, times);
}

/* Adds the counts of worker w. */
static void
add_up(struct moore_verdict *v, uint64_t *load, const struct moore_ck_counter *w)
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

/* Makes the counters of the workers, their visitors and walkers. */
static bool
get_memory(struct moore_ck_count *c, struct moore_ck *k)
{
	struct moore_arena *a = &k->tmp;
	size_t n_sw = (size_t)k->n_sw + 2;
	uint32_t *weight = moore_arena_alloc(a, n_sw, sizeof(*weight));
	uint8_t *counted = moore_arena_alloc(a, n_sw, 1);
	bool load_to_switches = true;

	c->n = moore_ck_width(k);
	c->copies = moore_ck_copies(k, c->n);
	c->worker = moore_arena_alloc(a, c->n, sizeof(*c->worker));
	c->visitor = moore_arena_alloc(a, c->n, sizeof(*c->visitor));
	if (!weight || !counted || !c->copies || !c->worker || !c->visitor)
		return false;
	for (uint32_t s = 0; s < k->n_sw; s++)
		load_to_switches &= !k->has_ep[s];
	for (uint32_t s = 0; s < k->n_sw; s++) {
		weight[s] = load_to_switches || k->has_ep[s];
		counted[s] = !k->opts.endpoints_only || k->has_ep[s];
	}
	for (unsigned i = 0; i < c->n; i++) {
		struct moore_ck_counter *w = &c->worker[i];

		*w = (struct moore_ck_counter){ .k = &c->copies[i], .counted = counted,
			.load_to_switches = load_to_switches,
			.hops = moore_arena_alloc(a, n_sw, sizeof(*w->hops)),
			.load = moore_arena_alloc(a, (size_t)k->n_slots + 1, sizeof(*w->load)) };
		c->visitor[i] = (struct moore_ck_visitor){ .k = &c->copies[i], .weight = weight,
			.visit = visit, .arg = w };
		if (!w->hops || !w->load)
			return false;
	}
	return (c->walker = moore_ck_walkers(k, c->visitor, c->n));
}

int
moore_ck_count_init(struct moore_ck_count *c, struct moore_ck *k, struct moore_err *err)
{
	*c = (struct moore_ck_count){ 0 };
	return get_memory(c, k) ? 0 : moore_fail_nomem(err);
}

void
moore_ck_count_rows(struct moore_ck_count *c, const struct moore_ck *k)
{
	for (unsigned i = 0; i < c->n; i++) {
		c->copies[i].lft = k->lft;
		c->copies[i].lid0 = k->lid0;
	}
	moore_ck_trees_by(k, c->walker, c->n);
}

void
moore_ck_count_end(struct moore_ck_count *c, struct moore_ck *k, struct moore_verdict *v)
{
	moore_ck_unite(c->copies, c->n);
	for (unsigned i = 0; i < c->n; i++)
		add_up(v, c->worker->load, &c->worker[i]);
	find_loads(k, c->worker->load, v);
}

int
moore_ck_walk(struct moore_ck *k, struct moore_verdict *v, struct moore_err *err)
{
	struct moore_ck_count c;
	int rc = moore_ck_count_init(&c, k, err);

	if (rc < 0)
		return rc;
	moore_ck_count_rows(&c, k);
	moore_ck_count_end(&c, k, v);
	return 0;
}
