// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* nodes.c - which switch of the observed fabric is which switch of the plan.
 *
 * Switches correspond by GUID, else by name.  A name or GUID that several switches of the
 * fabric have matches none of them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "route/graph/graph.h"

struct key {			/* what a switch is looked up by */
	uint64_t guid;
	const char *name;
	moore_swid sw;
};

typedef int key_cmp(const void *, const void *);

static int
by_guid(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

static int
by_name(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : x->sw < y->sw ? -1 : x->sw > y->sw;
}

static struct key
key_of(const struct moore_switch *sw, moore_swid s)
{
	return (struct key){ sw->guid, sw->name ? sw->name : "", s };
}

static struct key *
sorted_keys(struct moore_arena *tmp, const struct moore_fabric *f, key_cmp *cmp)
{
	struct key *k = moore_arena_alloc(tmp, f->n_switches + 1, sizeof(*k));

	if (!k)
		return NULL;
	for (moore_swid s = 0; s < f->n_switches; s++)
		k[s] = key_of(&f->sw[s], s);
	qsort(k, f->n_switches, sizeof(*k), cmp);
	return k;
}

/* Index of the first of n sorted keys that is not less than want. */
static uint32_t
lower_bound(const struct key *k, uint32_t n, const struct key *want, key_cmp *cmp)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (cmp(&k[mid], want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Whether k equals want but for the switch number. */
static bool
is_same(const struct key *k, struct key want, key_cmp *cmp)
{
	want.sw = k->sw;
	return cmp(k, &want) == 0;
}

/* The only switch with this key, unless it is bound already; else MOORE_NONE. */
static moore_swid
find_key(const struct key *k, uint32_t n, struct key want, key_cmp *cmp, const uint32_t *node_of)
{
	uint32_t i;

	want.sw = 0;		/* less than every equal key */
	i = lower_bound(k, n, &want, cmp);
	if (i == n || !is_same(&k[i], want, cmp) || node_of[k[i].sw] != MOORE_NONE ||
	    (i + 1 < n && is_same(&k[i + 1], want, cmp)))
		return MOORE_NONE;
	return k[i].sw;
}

static void
bind_planned(struct moore_rgraph *g, const struct moore_fabric *intended, const struct key *keys,
	     uint32_t n_keys, key_cmp *cmp)
{
	for (uint32_t v = 0; v < intended->n_switches; v++) {
		struct key want = key_of(&intended->sw[v], 0);
		bool has_key = cmp == by_guid ? want.guid != 0 : *want.name != '\0';
		moore_swid s;

		if (g->sw_of[v] != MOORE_NONE || !has_key)
			continue;
		s = find_key(keys, n_keys, want, cmp, g->node_of);
		if (s == MOORE_NONE)
			continue;
		g->sw_of[v] = s;
		g->node_of[s] = v;
	}
}

int
moore_rgraph_bind(struct moore_rgraph *g, const struct moore_fabric *seen,
		  const struct moore_fabric *intended, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct key *guids = sorted_keys(&tmp, seen, by_guid);
	struct key *names = sorted_keys(&tmp, seen, by_name);
	uint32_t n_planned = intended ? intended->n_switches : 0;

	if (!guids || !names) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	memset(g->node_of, 0xff, seen->n_switches * sizeof(*g->node_of));
	memset(g->sw_of, 0xff, (size_t)(n_planned + seen->n_switches) * sizeof(*g->sw_of));
	if (intended) {
		bind_planned(g, intended, guids, seen->n_switches, by_guid);
		bind_planned(g, intended, names, seen->n_switches, by_name);
	}
	g->n = n_planned;
	for (uint32_t i = 0; i < seen->n_switches; i++) {
		if (g->node_of[guids[i].sw] != MOORE_NONE)
			continue;
		g->sw_of[g->n] = guids[i].sw;
		g->node_of[guids[i].sw] = g->n++;
	}
	g->n_extra = g->n - n_planned;
	moore_arena_free(&tmp);
	return 0;
}

int
moore_route_matches(uint32_t *n, const struct moore_fabric *seen,
		    const struct moore_fabric *intended, struct moore_err *err)
{
	struct moore_rgraph g = {
		.sw_of = calloc((size_t)intended->n_switches + seen->n_switches + 1, sizeof(*g.sw_of)),
		.node_of = calloc((size_t)seen->n_switches + 1, sizeof(*g.node_of)),
	};
	int rc = g.sw_of && g.node_of ? moore_rgraph_bind(&g, seen, intended, err) :
		moore_fail_nomem(err);

	*n = rc < 0 ? 0 : seen->n_switches - g.n_extra;
	free(g.sw_of);
	free(g.node_of);
	return rc;
}
