// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pattern.c - the papers' worst cases of minimal routing, which depend on the graph alone.
 *
 * Each pattern is a permutation of the switches with endpoints: no switch receives more
 * than its endpoints can take, so a full link is the network's.  Ties go to the lowest
 * index, so that a pattern is a function of the fabric.
 *
 * Source of shift and overlap: Kathareios et al., SC'15, section 4.2. */
#include <string.h>

#include "load_impl.h"

struct graph {
	const struct moore_fabric *f;
	const struct moore_ends *e;
	moore_swid *to;
};

static uint32_t
neighbour(const struct graph *g, moore_swid s, unsigned port)
{
	const struct moore_port *p = moore_fabric_port(g->f, s, (moore_portnum)port);

	return p->role == MOORE_ROLE_SWITCH ? p->peer : MOORE_NONE;
}

static void
shift(struct graph *g)
{
	const struct moore_ends *e = g->e;

	for (uint32_t i = 0; e->n > 1 && i < e->n; i++)
		g->to[e->sw[i]] = e->sw[(i + 1) % e->n];
}

static bool
is_free(const struct graph *g, uint32_t s)
{
	return s != MOORE_NONE && g->e->at[s] != MOORE_NONE && g->to[s] == MOORE_NONE;
}

/* For two switches with endpoints. */
static bool
at_two(const struct graph *g, moore_swid a, moore_swid b)
{
	return g->e->near[(size_t)g->e->at[a] * g->e->n + g->e->at[b]] == 2;
}

static void
exchange(struct graph *g, moore_swid a, moore_swid b)
{
	g->to[a] = b;
	g->to[b] = a;
}

/* Given a path a, b, c, finds a next switch d such that b and d are at distance two. */
static bool
overlap_on(struct graph *g, moore_swid a, moore_swid b, moore_swid c)
{
	for (unsigned p = 1; p <= g->f->sw[c].n_ports; p++) {
		uint32_t d = neighbour(g, c, p);

		if (!is_free(g, d) || d == a || !at_two(g, b, d))
			continue;
		exchange(g, a, c);
		exchange(g, b, d);
		return true;
	}
	return false;
}

static bool
overlap_from(struct graph *g, moore_swid a)
{
	for (unsigned p = 1; p <= g->f->sw[a].n_ports; p++) {
		uint32_t b = neighbour(g, a, p);

		for (unsigned r = 1; is_free(g, b) && r <= g->f->sw[b].n_ports; r++) {
			uint32_t c = neighbour(g, b, r);

			if (is_free(g, c) && at_two(g, a, c) && overlap_on(g, a, b, c))
				return true;
		}
	}
	return false;
}

static void
overlap(struct graph *g)
{
	for (moore_swid a = 0; a < g->f->n_switches; a++)
		if (is_free(g, a))
			overlap_from(g, a);
	for (moore_swid a = 0; a < g->f->n_switches; a++)
		for (moore_swid b = 0; is_free(g, a) && b < g->f->n_switches; b++)
			if (is_free(g, b) && at_two(g, a, b))
				exchange(g, a, b);
}

int
moore_pattern_peers(const struct moore_fabric *f, const struct moore_ends *e,
		    enum moore_pattern pattern, moore_swid *to, struct moore_err *err)
{
	struct graph g = { f, e, to };
	uint32_t ab[2];

	if (pattern == MOORE_PATTERN_YEBENES)
		return moore_yebenes_peers(f, e, ab, to, err);
	for (moore_swid s = 0; s < f->n_switches; s++)
		to[s] = MOORE_NONE;
	if (pattern == MOORE_PATTERN_SHIFT)
		shift(&g);
	else
		overlap(&g);
	return 0;
}

static bool
has_endpoints(const struct moore_fabric *f, moore_swid s)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

bool
moore_pattern_fits(const struct moore_fabric *f, enum moore_pattern pattern)
{
	bool direct = false;

	for (moore_swid s = 0; s < f->n_switches && !direct; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports && !direct; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			direct = port->role == MOORE_ROLE_SWITCH && has_endpoints(f, s) &&
				 has_endpoints(f, port->peer);
		}
	switch (pattern) {
	case MOORE_PATTERN_SHIFT:
		return !direct;
	case MOORE_PATTERN_OVERLAP:
	case MOORE_PATTERN_YEBENES:
	case MOORE_PATTERN_MATCHING:
		return direct;
	default:
		return true;
	}
}

const char *
moore_pattern_name(enum moore_pattern pattern)
{
	static const char *const name[] = {
		[MOORE_PATTERN_UNIFORM] = "uniform", [MOORE_PATTERN_SHIFT] = "shift",
		[MOORE_PATTERN_OVERLAP] = "overlap", [MOORE_PATTERN_YEBENES] = "yebenes",
		[MOORE_PATTERN_MATCHING] = "matching", [MOORE_PATTERN_SINGLE] = "single pair",
		[MOORE_PATTERN_RANDOM] = "random", [MOORE_PATTERN_ADVERSARY] = "adversary",
		[MOORE_PATTERN_ANYWHERE] = "anywhere",
	};

	return name[pattern];
}
