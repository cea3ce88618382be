// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* graph.c - one switch graph of what is planned and what is seen.
 *
 * Invariant: nodes and edges stand in an order that depends on the plan and on
 * GUIDs alone, never on the order in which a fabric was discovered.  Switches
 * of the two fabrics correspond by GUID, else by name. */
#include <stdlib.h>
#include <string.h>

#include "route/route_impl.h"

struct key {			/* a switch by what it is looked up by */
	uint64_t guid;
	const char *name;
	moore_swid sw;
};

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

static struct key *
sorted_keys(struct moore_arena *tmp, const struct moore_fabric *f,
	    int (*cmp)(const void *, const void *))
{
	struct key *k = moore_arena_alloc(tmp, f->n_switches + 1, sizeof(*k));

	if (!k)
		return NULL;
	for (moore_swid s = 0; s < f->n_switches; s++)
		k[s] = (struct key){ f->sw[s].guid, f->sw[s].name ? f->sw[s].name : "", s };
	qsort(k, f->n_switches, sizeof(*k), cmp);
	return k;
}

/* The one key equal to want, not yet bound; MOORE_NONE when none or several. */
static moore_swid
find_key(const struct key *k, uint32_t n, const struct key *want,
	 int (*cmp)(const void *, const void *), const uint32_t *node_of)
{
	uint32_t lo = 0, hi = n;
	struct key w = *want;
	moore_swid found;

	w.sw = 0;		/* compare as least among equals */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (cmp(&k[mid], &w) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n)
		return MOORE_NONE;
	w.sw = found = k[lo].sw;
	if (cmp(&k[lo], &w) || node_of[found] != MOORE_NONE)
		return MOORE_NONE;
	if (lo + 1 < n) {
		w.sw = k[lo + 1].sw;
		if (!cmp(&k[lo + 1], &w))
			return MOORE_NONE;
	}
	return found;
}

/* Number the nodes: planned ones first, bound to what is seen; then the rest. */
static int
bind_nodes(struct moore_rgraph *g, const struct moore_fabric *seen,
	   const struct moore_fabric *intended, struct moore_arena *tmp, struct moore_err *err)
{
	struct key *guids = sorted_keys(tmp, seen, by_guid);
	struct key *names = sorted_keys(tmp, seen, by_name);
	uint32_t n_planned = intended ? intended->n_switches : 0;

	if (!guids || !names)
		return moore_fail_nomem(err);
	memset(g->node_of, 0xff, seen->n_switches * sizeof(*g->node_of));
	memset(g->seen, 0xff, (size_t)(n_planned + seen->n_switches) * sizeof(*g->seen));
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t v = 0; v < n_planned; v++) {
			const struct moore_switch *sw = &intended->sw[v];
			struct key want = { sw->guid, sw->name ? sw->name : "", 0 };
			moore_swid s = MOORE_NONE;

			if (g->seen[v] != MOORE_NONE)
				continue;
			if (pass == 0 && want.guid)
				s = find_key(guids, seen->n_switches, &want, by_guid, g->node_of);
			else if (pass == 1 && *want.name)
				s = find_key(names, seen->n_switches, &want, by_name, g->node_of);
			if (s == MOORE_NONE)
				continue;
			g->seen[v] = s;
			g->node_of[s] = v;
		}
	}
	g->n = n_planned;
	for (uint32_t i = 0; i < seen->n_switches; i++) {
		if (g->node_of[guids[i].sw] != MOORE_NONE)
			continue;
		g->seen[g->n] = guids[i].sw;
		g->node_of[guids[i].sw] = g->n++;
	}
	g->n_extra = g->n - n_planned;
	return 0;
}

struct half {			/* one end of a link, seen from node v */
	uint32_t to;
	moore_portnum port, peer_port;
	uint8_t flags;
	uint8_t lanes;
	uint8_t mark;		/* MOORE_LINK_AVOID, or its weight */
};

static int
by_neighbour(const void *a, const void *b)
{
	const struct half *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

/* Add the switch links of f's switch s to h; node numbers from map (NULL: same). */
static uint32_t
take_halves(struct half *h, const struct moore_fabric *f, moore_swid s,
	    const uint32_t *map, uint8_t flags)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (q->role != MOORE_ROLE_SWITCH || q->peer == s)
			continue;
		h[n++] = (struct half){ map ? map[q->peer] : q->peer, (moore_portnum)p,
					q->peer_port, flags, q->lanes, 1 };
	}
	return n;
}

static uint8_t
most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* The strictest of what is said of either end, of its port or its switch. */
static uint8_t
mark_of(const struct moore_rgraph *g, uint32_t v, const struct half *h)
{
	const uint8_t *near = g->mark + v * 256, *far = g->mark + h->to * 256;
	uint8_t m = most(most(near[0], near[h->port]), most(far[0], far[h->peer_port]));

	return most(m, 1);
}

/* All links of node v, sorted by neighbour and port. */
static uint32_t
node_halves(struct half *h, const struct moore_rgraph *g, uint32_t v,
	    const struct moore_fabric *seen, const struct moore_fabric *intended)
{
	uint32_t n = 0, n_planned = g->n - g->n_extra;
	uint8_t seen_flags = MOORE_EDGE_UP;

	if (!intended)
		seen_flags |= MOORE_EDGE_PLANNED;
	if (intended && v < n_planned)
		n = take_halves(h, intended, v, NULL, MOORE_EDGE_PLANNED);
	if (g->seen[v] != MOORE_NONE)
		n += take_halves(h + n, seen, g->seen[v], g->node_of, seen_flags);
	for (uint32_t i = 0; i < n; i++)
		h[i].mark = mark_of(g, v, &h[i]);
	qsort(h, n, sizeof(*h), by_neighbour);
	return n;
}

/* Is this one in use, apart from its lanes?  One to be avoided is only where its
 * neighbours are as well. */
static bool
is_usable(const struct half *h, bool avoid)
{
	return h->flags & MOORE_EDGE_UP && (avoid || h->mark != MOORE_LINK_AVOID);
}

/* Parallel ports of edge e: those planned and those up, each port once; a
 * one-lane link is left out where a wider one is up.  The edge costs what the
 * cheapest of them does. */
static uint32_t
merge_parallel(struct moore_rgraph *g, uint32_t e, const struct half *h, uint32_t n)
{
	struct moore_par *out = g->par + g->xpar[e];
	uint8_t widest = 0, *flags = &g->flags[e];
	bool avoid = true;
	uint32_t n_out = 0;

	*flags = 0;
	g->cost[e] = MOORE_LINK_AVOID;
	for (uint32_t i = 0; i < n; i++) {
		*flags |= h[i].flags;
		avoid &= !is_usable(&h[i], false);
		g->cost[e] = h[i].mark < g->cost[e] ? h[i].mark : g->cost[e];
	}
	if (*flags & MOORE_EDGE_UP && avoid)
		*flags |= MOORE_EDGE_AVOID;
	if (g->cost[e] == MOORE_LINK_AVOID)
		g->cost[e] = 1;
	for (uint32_t i = 0; i < n; i++)
		if (is_usable(&h[i], avoid))
			widest = most(widest, h[i].lanes);
	if (*flags & MOORE_EDGE_UP && widest < 2)
		*flags |= MOORE_EDGE_ONE_LANE;
	for (uint32_t i = 0; i < n; i++) {
		bool usable = is_usable(&h[i], avoid);

		if (!n_out || out[n_out - 1].port != h[i].port)
			out[n_out++] = (struct moore_par){ h[i].port, 0 };
		out[n_out - 1].live |= usable && (h[i].lanes >= 2 || widest < 2);
		g->n_avoided += h[i].flags & MOORE_EDGE_UP && !usable;
	}
	return n_out;
}

static int
build_edges(struct moore_rgraph *g, const struct moore_fabric *seen,
	    const struct moore_fabric *intended, struct moore_err *err)
{
	struct half h[2 * MOORE_PORT_MAX];
	uint32_t n_edges = 0, n_par = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t n = node_halves(h, g, v, seen, intended);

		g->xadj[v] = n_edges;
		for (uint32_t i = 0, j; i < n; i = j) {
			for (j = i; j < n && h[j].to == h[i].to; j++)
				;
			g->to[n_edges] = h[i].to;
			g->xpar[n_edges] = n_par;
			n_par += merge_parallel(g, n_edges, h + i, j - i);
			n_edges++;
		}
		if (n_edges - g->xadj[v] >= MOORE_SLOT_NONE)
			return moore_fail(err, MOORE_EPLAN, 0,
					  "a switch has more than %u neighbours", MOORE_PORT_MAX);
	}
	g->xadj[g->n] = g->n_edges = n_edges;
	g->xpar[n_edges] = n_par;
	return 0;
}

/* Edges come in pairs; walking tails in order meets each head's in order too. */
static void
pair_edges(struct moore_rgraph *g, uint32_t *cursor)
{
	for (uint32_t v = 0; v < g->n; v++)
		cursor[v] = g->xadj[v];
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			g->rev[e] = cursor[g->to[e]]++;
}

static void
note_switches(struct moore_rgraph *g, const struct moore_fabric *seen,
	      const struct moore_fabric *intended)
{
	uint32_t n_planned = g->n - g->n_extra;
	bool any = false;

	for (uint32_t v = 0; v < g->n; v++) {
		bool planned = intended && v < n_planned;
		const struct moore_fabric *f = planned ? intended : seen;
		moore_swid s = planned ? v : g->seen[v];

		g->transit[v] = MOORE_EDGE_PLANNED | MOORE_EDGE_UP;
		if (g->seen[v] != MOORE_NONE && !seen->sw[g->seen[v]].maps_sl)
			g->transit[v] = 0;
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			g->is_host_port[v * 256 + p] = q->role != MOORE_ROLE_SWITCH;
			if (q->role == MOORE_ROLE_ENDPOINT)
				g->weight[v] = any = true;
		}
	}
	if (!any)
		memset(g->weight, 1, g->n);
	memcpy(g->prio, g->weight, g->n);
}

static void
compare_with_plan(struct moore_rgraph *g)
{
	g->as_planned = true;
	for (uint32_t v = 0; v < g->n; v++)
		g->as_planned &= g->transit[v] & MOORE_EDGE_UP && g->seen[v] != MOORE_NONE;
	for (uint32_t e = 0; e < g->n_edges; e++)
		g->as_planned &= g->flags[e] == (MOORE_EDGE_PLANNED | MOORE_EDGE_UP);
}

unsigned
moore_rgraph_slot(const struct moore_rgraph *g, uint32_t node, moore_portnum port)
{
	unsigned slot = 0;

	for (unsigned p = 1; p < port; p++)
		slot += g->is_host_port[node * 256 + p];
	return slot;
}

int
moore_rgraph_build(struct moore_rgraph *g, const struct moore_fabric *seen,
		   const struct moore_fabric *intended, const struct moore_links *links,
		   struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t max_n = seen->n_switches + (intended ? intended->n_switches : 0);
	size_t max_e = seen->n_ports + (intended ? intended->n_ports : 0);
	uint32_t *cursor;
	int rc;

	*g = (struct moore_rgraph){ 0 };
	g->xadj = calloc(max_n + 1, sizeof(*g->xadj));
	g->to = calloc(max_e + 1, sizeof(*g->to));
	g->rev = calloc(max_e + 1, sizeof(*g->rev));
	g->flags = calloc(max_e + 1, 1);
	g->xpar = calloc(max_e + 1, sizeof(*g->xpar));
	g->par = calloc(max_e + 1, sizeof(*g->par));
	g->seen = calloc(max_n + 1, sizeof(*g->seen));
	g->node_of = calloc(seen->n_switches + 1, sizeof(*g->node_of));
	g->transit = calloc(max_n + 1, 1);
	g->weight = calloc(max_n + 1, 1);
	g->prio = calloc(max_n + 1, 1);
	g->half = calloc(max_n + 1, 1);
	g->is_host_port = calloc(max_n + 1, 256);
	g->cost = calloc(max_e + 1, 1);
	g->mark = calloc(max_n + 1, 256);
	cursor = moore_arena_alloc(&tmp, max_n + 1, sizeof(*cursor));
	if (!g->xadj || !g->to || !g->rev || !g->flags || !g->xpar || !g->par || !g->seen ||
	    !g->node_of || !g->transit || !g->weight || !g->prio || !g->half || !g->is_host_port ||
	    !g->cost || !g->mark || !cursor)
		rc = moore_fail_nomem(err);
	else
		rc = bind_nodes(g, seen, intended, &tmp, err);
	if (rc == 0 && links)
		moore_rdrain_mark(g, seen, intended, links);
	if (rc == 0 && (rc = build_edges(g, seen, intended, err)) == 0) {
		pair_edges(g, cursor);
		note_switches(g, seen, intended);
		rc = moore_rdrain(g, err);
		compare_with_plan(g);
	}
	moore_arena_free(&tmp);
	return rc;
}

void
moore_rgraph_fini(struct moore_rgraph *g)
{
	free(g->xadj);
	free(g->to);
	free(g->rev);
	free(g->flags);
	free(g->xpar);
	free(g->par);
	free(g->seen);
	free(g->node_of);
	free(g->transit);
	free(g->weight);
	free(g->prio);
	free(g->half);
	free(g->is_host_port);
	free(g->cost);
	free(g->mark);
	*g = (struct moore_rgraph){ 0 };
}
