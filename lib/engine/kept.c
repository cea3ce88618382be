// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kept.c - compares what is seen with the graph that was kept from an earlier sweep.
 *
 * Both are written as sorted lists of numbers: the linked pairs of switches, and the end of
 * each cable with the port that it leads to.  Switches are those of the kept graph, found by
 * GUID; a link to another switch is extra. */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/intended.h"
#include "fabric/guid_map.h"

#define HOST UINT64_MAX		/* in place of a peer: an endpoint */

struct end {
	uint64_t at, to;	/* switch << 8 | port; HOST */
};

struct list {
	uint64_t *pair;		/* lesser switch << 32 | greater */
	struct end *end;
	size_t n_pairs, n_ends;
};

static int
cmp_pair(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int
cmp_end(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static bool
list_alloc(struct list *l, size_t n_ends, struct moore_arena *tmp)
{
	l->pair = moore_arena_alloc(tmp, n_ends + 1, sizeof(*l->pair));
	l->end = moore_arena_alloc(tmp, n_ends + 1, sizeof(*l->end));
	return l->pair && l->end;
}

static uint64_t
place(uint32_t sw, moore_portnum port)
{
	return (uint64_t)sw << 8 | port;
}

/* Adds one end of a cable between switches; the pair is added from its lesser end. */
static void
add_end(struct list *l, uint32_t sw, moore_portnum port, uint32_t peer, moore_portnum peer_port)
{
	l->end[l->n_ends++] = (struct end){ place(sw, port), place(peer, peer_port) };
	if (sw < peer)
		l->pair[l->n_pairs++] = (uint64_t)sw << 32 | peer;
}

/* Sorts both lists and drops the repeats that parallel cables make. */
static void
settle(struct list *l)
{
	size_t n = 0;

	qsort(l->pair, l->n_pairs, sizeof(*l->pair), cmp_pair);
	qsort(l->end, l->n_ends, sizeof(*l->end), cmp_end);
	for (size_t i = 0; i < l->n_pairs; i++)
		if (!n || l->pair[n - 1] != l->pair[i])
			l->pair[n++] = l->pair[i];
	l->n_pairs = n;
}

static bool
list_kept(struct list *l, const struct moore_plan *kept, struct moore_arena *tmp)
{
	if (!list_alloc(l, 2 * (size_t)kept->n_cables + kept->n_endpoints, tmp))
		return false;
	for (uint32_t i = 0; i < kept->n_cables; i++) {
		const struct moore_plan_cable *c = &kept->cable[i];

		add_end(l, c->sw[0], c->port[0], c->sw[1], c->port[1]);
		add_end(l, c->sw[1], c->port[1], c->sw[0], c->port[0]);
	}
	for (uint32_t i = 0; i < kept->n_endpoints; i++)
		l->end[l->n_ends++] = (struct end){ place(kept->ep[i].sw, kept->ep[i].port), HOST };
	settle(l);
	return true;
}

/* The index in kept of each switch that is seen; MOORE_NONE: it is not kept. */
static moore_swid *
find_switches(const struct moore_plan *kept, const struct moore_fabric *seen,
	      struct moore_arena *tmp)
{
	moore_swid *is = moore_arena_alloc(tmp, (size_t)seen->n_switches + 1, sizeof(*is));
	struct moore_guid_map by_guid;

	if (!is || !moore_guid_map_init(&by_guid, kept->n_switches, tmp))
		return NULL;
	for (uint32_t i = 0; i < kept->n_switches; i++)
		if (kept->sw[i].guid)
			moore_guid_map_put(&by_guid, kept->sw[i].guid, i);
	for (moore_swid s = 0; s < seen->n_switches; s++)
		is[s] = moore_guid_map_get(&by_guid, seen->sw[s].guid);
	return is;
}

/* Lists what is seen of the kept switches; returns how many links lead to others. */
static uint32_t
list_seen(struct list *l, const struct moore_fabric *seen, const moore_swid *is)
{
	uint32_t extra = 0;

	for (moore_swid s = 0; s < seen->n_switches; s++)
		for (unsigned p = 1; p <= seen->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(seen, s, (moore_portnum)p);
			bool known = is[s] != MOORE_NONE;

			if (q->role == MOORE_ROLE_ENDPOINT && known)
				l->end[l->n_ends++] = (struct end){
					place(is[s], (moore_portnum)p), HOST };
			if (q->role != MOORE_ROLE_SWITCH)
				continue;
			if (known && is[q->peer] != MOORE_NONE)
				add_end(l, is[s], (moore_portnum)p, is[q->peer], q->peer_port);
			else
				extra++;
		}
	settle(l);
	return extra;
}

static void
compare_lists(struct moore_kept_diff *d, const struct list *kept, const struct list *seen)
{
	size_t common = 0;

	for (size_t i = 0; i < seen->n_pairs; i++)
		common += bsearch(&seen->pair[i], kept->pair, kept->n_pairs, sizeof(*kept->pair),
				  cmp_pair) != NULL;
	d->missing += (uint32_t)(kept->n_pairs - common);
	d->extra += (uint32_t)(seen->n_pairs - common);
	for (size_t i = 0; i < seen->n_ends; i++)
		d->moved += !bsearch(&seen->end[i], kept->end, kept->n_ends, sizeof(*kept->end),
				     cmp_end);
	for (size_t i = 0; i < kept->n_ends; i++)
		d->hosts += kept->end[i].to == HOST && !bsearch(&kept->end[i], seen->end,
			    seen->n_ends, sizeof(*seen->end), cmp_end);
}

int
moore_kept_compare(struct moore_kept_diff *out, const struct moore_plan *kept,
		   const struct moore_fabric *seen, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	moore_swid *is = find_switches(kept, seen, &tmp);
	struct list k = { .n_pairs = 0 }, s = { .n_pairs = 0 };
	uint32_t common = 0;

	*out = (struct moore_kept_diff){ 0 };
	if (!is || !list_kept(&k, kept, &tmp) || !list_alloc(&s, seen->n_ports, &tmp)) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (moore_swid i = 0; i < seen->n_switches; i++)
		common += is[i] != MOORE_NONE;
	out->missing = kept->n_switches - common;
	out->extra = seen->n_switches - common;
	out->extra += list_seen(&s, seen, is);
	compare_lists(out, &k, &s);
	moore_arena_free(&tmp);
	return 0;
}
