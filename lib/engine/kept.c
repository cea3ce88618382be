// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kept.c - compares what is seen with the graph that was kept from an earlier sweep.
 *
 * Linked pairs of switches are compared as sorted lists of numbers; what each port leads to is looked
 * up by switch and port.  Switches are those of the kept graph, found by GUID; a link to another switch
 * is extra. */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/intended.h"
#include "fabric/guid_map.h"

#define HOST UINT64_MAX		/* in place of a peer: an endpoint */

struct pairs {
	uint64_t *pair;		/* lesser switch << 32 | greater */
	size_t n;
};

struct ends {			/* of the kept graph, by switch and port */
	uint32_t *first;	/* of each switch: its port 0 */
	uint64_t *to;		/* the peer, switch << 8 | port; HOST; 0: nothing */
	uint8_t *met;		/* true for endpoints that are seen as well */
	uint32_t n;
};

static int
cmp_pair(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t
place(uint32_t sw, moore_portnum port)
{
	return (uint64_t)sw << 8 | port;
}

/* Adds the pair if a is the lesser one. */
static void
add_pair(struct pairs *l, uint32_t a, uint32_t b)
{
	if (a < b)
		l->pair[l->n++] = (uint64_t)a << 32 | b;
}

/* Sorts the pairs and drops the repeats that parallel cables make. */
static void
settle(struct pairs *l)
{
	size_t n = 0;

	qsort(l->pair, l->n, sizeof(*l->pair), cmp_pair);
	for (size_t i = 0; i < l->n; i++)
		if (!n || l->pair[n - 1] != l->pair[i])
			l->pair[n++] = l->pair[i];
	l->n = n;
}

static bool
list_kept(struct pairs *l, struct ends *e, const struct moore_plan *kept, struct moore_arena *tmp)
{
	uint32_t n = 0;

	e->first = moore_arena_alloc(tmp, (size_t)kept->n_switches + 1, sizeof(*e->first));
	l->pair = moore_arena_alloc(tmp, (size_t)kept->n_cables + 1, sizeof(*l->pair));
	for (uint32_t i = 0; e->first && i < kept->n_switches; i++) {
		e->first[i] = n;
		n += kept->sw[i].ports + 1u;
	}
	e->n = n;
	e->to = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*e->to));
	e->met = moore_arena_alloc(tmp, (size_t)n + 1, 1);
	if (!l->pair || !e->first || !e->to || !e->met)
		return false;
	for (uint32_t i = 0; i < kept->n_cables; i++) {
		const struct moore_plan_cable *c = &kept->cable[i];

		e->to[e->first[c->sw[0]] + c->port[0]] = place(c->sw[1], c->port[1]);
		e->to[e->first[c->sw[1]] + c->port[1]] = place(c->sw[0], c->port[0]);
		add_pair(l, c->sw[0], c->sw[1]);
		add_pair(l, c->sw[1], c->sw[0]);
	}
	for (uint32_t i = 0; i < kept->n_endpoints; i++)
		e->to[e->first[kept->ep[i].sw] + kept->ep[i].port] = HOST;
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

/* Whether the kept graph has the end of a cable to that peer at this port. */
static bool
is_kept(struct ends *e, const struct moore_plan *kept, moore_swid sw, moore_portnum port, uint64_t to)
{
	const uint32_t i = e->first[sw] + port;

	if (port > kept->sw[sw].ports || e->to[i] != to)
		return false;
	e->met[i] = to == HOST;
	return true;
}

/* Lists what is seen of the kept switches, and counts in *d what leads elsewhere. */
static void
list_seen(struct pairs *l, struct moore_kept_diff *d, struct ends *e, const struct moore_plan *kept,
	  const struct moore_fabric *seen, const moore_swid *is)
{
	for (moore_swid s = 0; s < seen->n_switches; s++)
		for (unsigned p = 1; p <= seen->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(seen, s, (moore_portnum)p);
			bool known = is[s] != MOORE_NONE;

			if (q->role == MOORE_ROLE_ENDPOINT && known)
				d->moved += !is_kept(e, kept, is[s], (moore_portnum)p, HOST);
			if (q->role != MOORE_ROLE_SWITCH)
				continue;
			if (!known || is[q->peer] == MOORE_NONE) {
				d->extra++;
				continue;
			}
			d->moved += !is_kept(e, kept, is[s], (moore_portnum)p,
					     place(is[q->peer], q->peer_port));
			add_pair(l, is[s], is[q->peer]);
		}
	settle(l);
}

static size_t
count_common(const struct pairs *a, const struct pairs *b)
{
	size_t common = 0, k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && b->pair[k] < a->pair[i])
			k++;
		common += k < b->n && b->pair[k] == a->pair[i];
	}
	return common;
}

int
moore_kept_compare(struct moore_kept_diff *out, const struct moore_plan *kept,
		   const struct moore_fabric *seen, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	moore_swid *is = find_switches(kept, seen, &tmp);
	struct pairs k = { .n = 0 }, s = { .n = 0 };
	uint32_t common = 0;
	struct ends e;
	size_t links;

	*out = (struct moore_kept_diff){ 0 };
	s.pair = moore_arena_alloc(&tmp, (size_t)seen->n_ports + 1, sizeof(*s.pair));
	if (!is || !s.pair || !list_kept(&k, &e, kept, &tmp)) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (moore_swid i = 0; i < seen->n_switches; i++)
		common += is[i] != MOORE_NONE;
	list_seen(&s, out, &e, kept, seen, is);
	links = count_common(&s, &k);
	out->missing = kept->n_switches - common + (uint32_t)(k.n - links);
	out->extra += seen->n_switches - common + (uint32_t)(s.n - links);
	for (uint32_t i = 0; i < e.n; i++)
		out->hosts += e.to[i] == HOST && !e.met[i];
	moore_arena_free(&tmp);
	return 0;
}
