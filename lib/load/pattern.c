// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pattern.c - traffic patterns that are the worst cases of minimal routing.
 *
 * Each pattern is a permutation of the switches with endpoints: no switch receives more
 * than its endpoints can take, so a full link is the network's.  Ties go to the lowest
 * index, so that a pattern is a function of the fabric.
 *
 * Source of shift and overlap: Kathareios et al., SC'15, section 4.2. */
#include <string.h>

#include "base/arena.h"
#include "load_impl.h"

struct graph {
	const struct moore_fabric *f;
	uint8_t *sends;		/* the switch has endpoints */
	uint8_t *near;		/* distances from the present switch: 0 to 2, and 3 for more */
	moore_swid *end;	/* the switches with endpoints */
	moore_swid *to;
};

static uint32_t
neighbour(const struct graph *g, moore_swid s, unsigned port)
{
	const struct moore_port *p = moore_fabric_port(g->f, s, (moore_portnum)port);

	return p->role == MOORE_ROLE_SWITCH ? p->peer : MOORE_NONE;
}

static void
look_around(struct graph *g, moore_swid from)
{
	memset(g->near, 3, g->f->n_switches);
	g->near[from] = 0;
	for (unsigned hop = 1; hop <= 2; hop++)
		for (moore_swid s = 0; s < g->f->n_switches; s++)
			for (unsigned p = 1; g->near[s] == hop - 1 && p <= g->f->sw[s].n_ports; p++) {
				uint32_t n = neighbour(g, s, p);

				if (n != MOORE_NONE && g->near[n] > hop)
					g->near[n] = (uint8_t)hop;
			}
}

static void
note_senders(struct graph *g)
{
	for (moore_epid e = 0; e < g->f->n_endpoints; e++)
		if (g->f->ep[e].sw != MOORE_NONE && g->f->ep[e].lid)
			g->sends[g->f->ep[e].sw] = 1;
}

static void
shift(struct graph *g)
{
	moore_swid first = MOORE_NONE, last = MOORE_NONE;

	for (moore_swid s = 0; s < g->f->n_switches; s++) {
		if (!g->sends[s])
			continue;
		if (first == MOORE_NONE)
			first = s;
		else
			g->to[last] = s;
		last = s;
	}
	if (first != last)
		g->to[last] = first;
}

static bool
is_free(const struct graph *g, uint32_t s)
{
	return s != MOORE_NONE && g->sends[s] && g->to[s] == MOORE_NONE;
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
	look_around(g, b);
	for (unsigned p = 1; p <= g->f->sw[c].n_ports; p++) {
		uint32_t d = neighbour(g, c, p);

		if (!is_free(g, d) || d == a || g->near[d] != 2)
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

			look_around(g, a);
			if (is_free(g, c) && g->near[c] == 2 && overlap_on(g, a, b, c))
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
	for (moore_swid a = 0; a < g->f->n_switches; a++) {
		if (!is_free(g, a))
			continue;
		look_around(g, a);
		for (moore_swid b = 0; b < g->f->n_switches && g->to[a] == MOORE_NONE; b++)
			if (is_free(g, b) && g->near[b] == 2)
				exchange(g, a, b);
	}
}

/* True if the n switches from `from` on can send to the n switches from `to` on, each pair
 * at distance two. */
static bool
all_at_two(struct graph *g, const moore_swid *end, uint32_t n, uint32_t from, uint32_t to,
	   uint32_t by)
{
	for (uint32_t i = 0; i < n; i++) {
		look_around(g, end[from + i]);
		if (g->near[end[to + (i + by) % n]] != 2)
			return false;
	}
	return true;
}

/* One half of the switches sends to the other half, shifted by the least number that keeps
 * every pair at distance two. */
static void
cross(struct graph *g)
{
	uint32_t n = 0, by;

	for (moore_swid s = 0; s < g->f->n_switches; s++)
		if (g->sends[s])
			g->end[n++] = s;
	n /= 2;
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t from = half * n, to = n - from;

		for (by = 0; by < n && !all_at_two(g, g->end, n, from, to, by); by++)
			;
		for (uint32_t i = 0; by < n && i < n; i++)
			g->to[g->end[from + i]] = g->end[to + (i + by) % n];
	}
}

int
moore_pattern_peers(const struct moore_fabric *f, enum moore_pattern pattern, moore_swid *to,
		    struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct graph g = { .f = f, .to = to };
	size_t n = (size_t)f->n_switches + 1;
	int rc = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		to[s] = MOORE_NONE;
	if (!(g.sends = moore_arena_alloc(&tmp, n, 1)) || !(g.near = moore_arena_alloc(&tmp, n, 1)) ||
	    !(g.end = moore_arena_alloc(&tmp, n, sizeof(*g.end)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	note_senders(&g);
	if (pattern == MOORE_PATTERN_SHIFT)
		shift(&g);
	else if (pattern == MOORE_PATTERN_OVERLAP)
		overlap(&g);
	else
		cross(&g);
out:
	moore_arena_free(&tmp);
	return rc;
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
	return pattern == MOORE_PATTERN_UNIFORM || direct != (pattern == MOORE_PATTERN_SHIFT);
}

const char *
moore_pattern_name(enum moore_pattern pattern)
{
	static const char *const name[] = {
		[MOORE_PATTERN_UNIFORM] = "uniform", [MOORE_PATTERN_SHIFT] = "shift",
		[MOORE_PATTERN_OVERLAP] = "overlap", [MOORE_PATTERN_CROSS] = "cross",
	};

	return name[pattern];
}
