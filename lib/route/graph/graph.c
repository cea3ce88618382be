// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* graph.c - one switch graph of what is planned and what is observed.
 *
 * Invariant: nodes and edges are numbered by the plan and by GUIDs alone, whatever the
 * sequence in which the fabric was discovered.
 *
 * Elsewhere: which switch is which node (nodes.c), rules that spare links (drain.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "route/graph/graph.h"

struct input {
	const struct moore_fabric *seen, *intended;
	uint8_t *rule;		/* as moore_rgraph_mark_rules() fills it */
	uint32_t *cursor, *kind;	/* scratch, by node */
	enum moore_rgraph_use use;
};

struct end {			/* a link of one node, as that node has it */
	uint32_t to;
	moore_portnum port, peer_port;
	uint8_t flags;
	uint8_t lanes;
	uint8_t rule;		/* MOORE_LINK_AVOID or the weight of the link */
};

static int
by_neighbour(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

/* Appends the switch links of f's switch s to h; node_of may be NULL: nodes are switches. */
static uint32_t
list_ends(struct end *h, const struct moore_fabric *f, moore_swid s, const uint32_t *node_of,
	  uint8_t flags)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (q->role != MOORE_ROLE_SWITCH || q->peer == s)
			continue;
		h[n++] = (struct end){ node_of ? node_of[q->peer] : q->peer, (moore_portnum)p,
				       q->peer_port, flags, q->lanes, 1 };
	}
	return n;
}

static uint8_t
max_u8(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* The strictest rule for either port or either switch of a link. */
static uint8_t
rule_of(const uint8_t *rule, uint32_t v, const struct end *h)
{
	const uint8_t *near = rule + v * 256, *far = rule + h->to * 256;
	uint8_t m = max_u8(max_u8(near[0], near[h->port]), max_u8(far[0], far[h->peer_port]));

	return max_u8(m, 1);
}

/* All links of node v, sorted by neighbour and port. */
static uint32_t
ends_of_node(struct end *h, const struct moore_rgraph *g, uint32_t v, const struct input *in)
{
	uint32_t n = 0, n_planned = g->n - g->n_extra;
	uint8_t flags = MOORE_EDGE_UP;

	if (!in->intended)
		flags |= MOORE_EDGE_PLANNED;
	if (in->intended && v < n_planned)
		n = list_ends(h, in->intended, v, NULL, MOORE_EDGE_PLANNED);
	if (g->sw_of[v] != MOORE_NONE)
		n += list_ends(h + n, in->seen, g->sw_of[v], g->node_of, flags);
	for (uint32_t i = 0; i < n; i++)
		h[i].rule = rule_of(in->rule, v, &h[i]);
	qsort(h, n, sizeof(*h), by_neighbour);
	return n;
}

/* Whether the link is up and not avoided; avoided links count when all of the edge are. */
static bool
is_usable(const struct end *h, bool all_avoided)
{
	return h->flags & MOORE_EDGE_UP && (all_avoided || h->rule != MOORE_LINK_AVOID);
}

/* The flags of edge e and its weight, which is that of its lightest link.  Returns
 * whether no link of it is both up and free of `avoid`. */
static bool
merge_flags(struct moore_rgraph *g, uint32_t e, const struct end *h, uint32_t n)
{
	bool all_avoided = true;
	uint8_t weight = MOORE_LINK_AVOID;

	g->flags[e] = 0;
	for (uint32_t i = 0; i < n; i++) {
		g->flags[e] |= h[i].flags;
		all_avoided &= !is_usable(&h[i], false);
		weight = h[i].rule < weight ? h[i].rule : weight;
	}
	if (g->flags[e] & MOORE_EDGE_UP && all_avoided)
		g->flags[e] |= MOORE_EDGE_AVOID;
	g->link_weight[e] = weight == MOORE_LINK_AVOID ? 1 : weight;
	return all_avoided;
}

/* Lists each port of edge e once, planned or up; returns how many there are.  A one-lane
 * link is not used where a wider one is up. */
static uint32_t
merge_parallel(struct moore_rgraph *g, uint32_t e, const struct end *h, uint32_t n)
{
	struct moore_par *out = g->par + g->xpar[e];
	bool all_avoided = merge_flags(g, e, h, n);
	uint8_t widest = 0;
	uint32_t n_out = 0;

	for (uint32_t i = 0; i < n; i++)
		if (is_usable(&h[i], all_avoided))
			widest = max_u8(widest, g->one_vl ? 1 : h[i].lanes);
	if (g->one_vl || (g->flags[e] & MOORE_EDGE_UP && widest < 2))
		g->flags[e] |= MOORE_EDGE_ONE_LANE;
	for (uint32_t i = 0; i < n; i++) {
		bool usable = is_usable(&h[i], all_avoided);

		if (!n_out || out[n_out - 1].port != h[i].port)
			out[n_out++] = (struct moore_par){ h[i].port, 0 };
		out[n_out - 1].live |= usable && (h[i].lanes >= 2 || widest < 2);
		g->spared.n_ends += h[i].flags & MOORE_EDGE_UP && !usable;
	}
	return n_out;
}

static int
build_edges(struct moore_rgraph *g, const struct input *in, struct moore_err *err)
{
	struct end h[2 * MOORE_PORT_MAX];
	uint32_t n_edges = 0, n_par = 0;

	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t n = ends_of_node(h, g, v, in);

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

/* Each edge has an opposite one, and edges are sorted by tail, then by head; so the edges
 * into a node are met in the sequence of the edges out of it. */
static void
pair_edges(struct moore_rgraph *g, uint32_t *cursor)
{
	for (uint32_t v = 0; v < g->n; v++)
		cursor[v] = g->xadj[v];
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t e = g->xadj[v]; e < g->xadj[v + 1]; e++)
			g->rev[e] = cursor[g->to[e]]++;
}

/* Fills is_host_port and transit. */
static void
note_switches(struct moore_rgraph *g, const struct moore_fabric *seen,
	      const struct moore_fabric *intended)
{
	uint32_t n_planned = g->n - g->n_extra;

	for (uint32_t v = 0; v < g->n; v++) {
		bool planned = intended && v < n_planned;
		const struct moore_fabric *f = planned ? intended : seen;
		moore_swid s = planned ? v : g->sw_of[v];

		g->transit[v] = MOORE_EDGE_PLANNED | MOORE_EDGE_UP;
		if (!g->one_vl && g->sw_of[v] != MOORE_NONE && !seen->sw[g->sw_of[v]].maps_sl)
			g->transit[v] = 0;
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			g->is_host_port[v * 256 + p] = q->role != MOORE_ROLE_SWITCH;
		}
	}
}

static void
compare_with_plan(struct moore_rgraph *g)
{
	uint8_t whole = MOORE_EDGE_PLANNED | MOORE_EDGE_UP | (g->one_vl ? MOORE_EDGE_ONE_LANE : 0);

	g->as_planned = true;
	for (uint32_t v = 0; v < g->n; v++)
		g->as_planned &= g->transit[v] & MOORE_EDGE_UP && g->sw_of[v] != MOORE_NONE;
	g->all_flags = UINT8_MAX;
	for (uint32_t e = 0; e < g->n_edges; e++) {
		g->all_flags &= g->flags[e];
		g->some_flags |= g->flags[e];
		g->n_planned += moore_rgraph_is_planned(g, e);
	}
	g->as_planned &= !g->n_edges || (g->all_flags == whole && g->some_flags == whole);
}

unsigned
moore_rgraph_host_place(const struct moore_rgraph *g, uint32_t node, moore_portnum port)
{
	unsigned place = 0;

	for (unsigned p = 1; p < port; p++)
		place += g->is_host_port[node * 256 + p];
	return place;
}

/* Allocates arrays for at most that many nodes and edges. */
static bool
alloc_graph(struct moore_rgraph *g, size_t max_n, size_t max_e, size_t n_seen)
{
	g->xadj = calloc(max_n + 1, sizeof(*g->xadj));
	g->to = calloc(max_e + 1, sizeof(*g->to));
	g->rev = calloc(max_e + 1, sizeof(*g->rev));
	g->flags = calloc(max_e + 1, 1);
	g->link_weight = calloc(max_e + 1, 1);
	g->xpar = calloc(max_e + 1, sizeof(*g->xpar));
	g->par = calloc(max_e + 1, sizeof(*g->par));
	g->sw_of = calloc(max_n + 1, sizeof(*g->sw_of));
	g->node_of = calloc(n_seen + 1, sizeof(*g->node_of));
	g->is_source = calloc(max_n + 1, 1);
	g->is_host_port = calloc(max_n + 1, 256);
	g->transit = calloc(max_n + 1, 1);
	return g->xadj && g->to && g->rev && g->flags && g->link_weight && g->xpar && g->par &&
		g->sw_of && g->node_of && g->is_source && g->is_host_port && g->transit;
}

static int
connect_nodes(struct moore_rgraph *g, const struct input *in, struct moore_err *err)
{
	int rc = build_edges(g, in, err);

	if (rc < 0)
		return rc;
	pair_edges(g, in->cursor);
	note_switches(g, in->seen, in->intended);
	moore_rgraph_mark_hosted(g, in->seen, in->intended);
	if (in->use == MOORE_RGRAPH_LAYERS)
		moore_rgraph_set_aside(g, in->kind, in->cursor);
	moore_rgraph_mark_sources(g, in->cursor, in->kind);
	rc = moore_rgraph_drain(g, err);
	compare_with_plan(g);
	return rc;
}

int
moore_rgraph_build(struct moore_rgraph *g, const struct moore_fabric *seen,
		   const struct moore_fabric *intended, const struct moore_links *rules,
		   enum moore_rgraph_use use, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct input in = { .seen = seen, .intended = intended, .use = use };
	size_t max_n = seen->n_switches + (intended ? intended->n_switches : 0);
	size_t max_e = seen->n_ports + (intended ? intended->n_ports : 0);
	int rc = 0;

	*g = (struct moore_rgraph){ .one_vl = use == MOORE_RGRAPH_ONE_VL };
	in.rule = moore_arena_alloc(&tmp, max_n + 1, 256);
	in.cursor = moore_arena_alloc(&tmp, max_n + 1, sizeof(*in.cursor));
	in.kind = moore_arena_alloc(&tmp, max_n + 1, sizeof(*in.kind));
	if (!alloc_graph(g, max_n, max_e, seen->n_switches) || !in.rule || !in.cursor || !in.kind)
		rc = moore_fail_nomem(err);
	if (rc == 0 && (rc = moore_rgraph_bind(g, seen, intended, err)) == 0) {
		if (rules)
			moore_rgraph_mark_rules(g, seen, intended, rules, in.rule);
		rc = connect_nodes(g, &in, err);
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
	free(g->link_weight);
	free(g->xpar);
	free(g->par);
	free(g->sw_of);
	free(g->node_of);
	free(g->is_source);
	free(g->is_host_port);
	free(g->transit);
	*g = (struct moore_rgraph){ 0 };
}

bool
moore_rgraph_is_near(const struct moore_rgraph *g, unsigned apart_percent, uint32_t *mark)
{
	const bool all = g->all_flags & MOORE_EDGE_PLANNED;
	uint64_t n_sources = 0, n_apart = 0, most;

	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
		n_sources += g->is_source[s];
	most = n_sources * n_sources / 2 * apart_percent / 100;
	memset(mark, 0xff, g->n * sizeof(*mark));
	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++) {
		if (!g->is_source[s])
			continue;
		mark[s] = s;
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			const uint32_t r = g->to[e], end = g->xadj[r + 1];

			if (!moore_rgraph_is_planned(g, e))
				continue;
			mark[r] = s;
			for (uint32_t f = g->xadj[r]; f < end; f++)
				if (all || moore_rgraph_is_planned(g, f))
					mark[g->to[f]] = s;
		}
		for (uint32_t t = 0; t < s; t++)
			n_apart += g->is_source[t] && mark[t] != s;
		if (n_apart > most)
			return false;
	}
	return true;
}

void
moore_rgraph_spread(const struct moore_rgraph *g, uint8_t flag, uint32_t *dist, uint32_t *queue, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = g->xadj[queue[i]]; e < g->xadj[queue[i] + 1]; e++)
			if (g->flags[e] & flag && dist[g->to[e]] == MOORE_NONE) {
				dist[g->to[e]] = dist[queue[i]] + 1;
				queue[n++] = g->to[e];
			}
}
