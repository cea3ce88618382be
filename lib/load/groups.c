// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* groups.c - permutations of groups of switches that the tables carry badly.
 *
 * Switches with the same neighbours, such as the columns of an MLFM, form a *group*, and each
 * other switch is a vertex of its own.  All links between two of these are one link as wide as
 * they are together, and a group sends to a group over each route that one of its endpoints has.
 * What groups can send in this way is no less than what their switches can: loads are even over
 * the links of a wide one, and any part may take any route.  On MLFM it is within 1 % of it, but more
 * where entry turns serve some switches of a column alone.
 *
 * Its programme has one flow for each group, and is a thousand times smaller than that of all
 * endpoints.  So every exchange of the targets of two groups is tried. */
#include <string.h>

#include "load/groups.h"

#define GAP 0.005
#define SWEEPS 16		/* over all exchanges, at most */
#define LARGE 3			/* switches in a group, in the mean */
#define ROOM (MOORE_N_OFFSETS * 8)	/* links of the routes of a pair */

/* ---- groups ---------------------------------------------------------------------------- */

static const struct moore_port *
link_at(const struct moore_fabric *f, moore_swid s, unsigned p)
{
	const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

	return port->role == MOORE_ROLE_SWITCH ? port : NULL;
}

/* Links of s, and in *shared those to switches whose mark[] is this one. */
static uint32_t
count_links(const struct moore_fabric *f, moore_swid s, const uint32_t *mark, uint32_t is,
	    uint32_t *shared)
{
	uint32_t n = 0;

	*shared = 0;
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = link_at(f, s, p);

		n += port != NULL;
		*shared += port && mark[port->peer] == is;
	}
	return n;
}

/* True if ends i and j have more than half of their links to the same switches.  All have, until
 * some fail. */
static bool
are_alike(const struct moore_groups *g, uint32_t i, uint32_t j, uint32_t *mark)
{
	const struct moore_fabric *f = g->f;
	uint32_t n_i, n_j, shared;

	if (g->e->near[(size_t)i * g->e->n + j] != 2)
		return false;
	n_i = count_links(f, g->e->sw[i], mark, i + 1, &shared);
	n_j = count_links(f, g->e->sw[j], mark, i + 1, &shared);
	return 2 * shared > n_i && 2 * shared > n_j;
}

/* Puts each end in the group of the first end before it that it is like. */
static void
group_ends(struct moore_groups *g, uint32_t *mark, uint32_t *head)
{
	const struct moore_fabric *f = g->f;

	for (uint32_t i = 0; i < g->e->n; i++) {
		const moore_swid s = g->e->sw[i];
		uint32_t a = 0;

		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			if (link_at(f, s, p))
				mark[link_at(f, s, p)->peer] = i + 1;
		while (a < g->n && !are_alike(g, i, head[a], mark))
			a++;
		g->of[i] = a;
		if (a == g->n)
			head[g->n++] = i;
	}
}

static void
list_members(struct moore_groups *g)
{
	uint32_t at = 0;

	for (uint32_t a = 0; a < g->n; a++) {
		g->first[a] = at;
		for (uint32_t i = 0; i < g->e->n; i++)
			if (g->of[i] == a)
				g->member[at++] = i;
	}
	g->first[g->n] = at;
}

static size_t
vertex_of(const struct moore_groups *g, moore_swid s)
{
	return g->e->at[s] == MOORE_NONE ? g->n + s : g->of[g->e->at[s]];
}

static bool
merge_links(struct moore_groups *g, struct moore_arena *tmp)
{
	const struct moore_fabric *f = g->f;
	const size_t n = (size_t)g->n + f->n_switches;
	uint32_t *slot = moore_arena_alloc(tmp, n * n, sizeof(*slot));

	for (moore_swid s = 0; slot && s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = link_at(f, s, p);
			uint32_t *first;

			if (!port)
				continue;
			first = &slot[vertex_of(g, s) * n + vertex_of(g, port->peer)];
			if (!*first)
				*first = f->sw[s].port0 + p;
			g->slot[f->sw[s].port0 + p] = *first;
			g->width[*first]++;
		}
	return slot != NULL;
}

static bool
get_memory(struct moore_groups *g)
{
	const size_t n = (size_t)g->e->n + 1;

	return (g->of = moore_arena_alloc(g->mem, n, sizeof(*g->of))) &&
	       (g->first = moore_arena_alloc(g->mem, n, sizeof(*g->first))) &&
	       (g->member = moore_arena_alloc(g->mem, n, sizeof(*g->member))) &&
	       (g->to = moore_arena_alloc(g->mem, n, sizeof(*g->to))) &&
	       (g->slot = moore_arena_alloc(g->mem, g->f->n_ports, sizeof(*g->slot))) &&
	       (g->width = moore_arena_alloc(g->mem, g->f->n_ports, sizeof(*g->width))) &&
	       (g->links = moore_arena_alloc(g->mem, ROOM, sizeof(*g->links))) &&
	       (g->ends = moore_arena_alloc(g->mem, MOORE_N_OFFSETS, sizeof(*g->ends)));
}

bool
moore_groups_are_large(const struct moore_groups *g)
{
	return g->n > 2 && LARGE * g->n <= g->e->n;
}

int
moore_groups_find(struct moore_groups *g, const struct moore_fabric *f,
		  const struct moore_lft *lft, const struct moore_ends *e,
		  struct moore_arena *mem, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *mark = moore_arena_alloc(&tmp, (size_t)f->n_switches + 1, sizeof(*mark));
	uint32_t *head = moore_arena_alloc(&tmp, (size_t)e->n + 1, sizeof(*head));
	bool ok;

	*g = (struct moore_groups){ .f = f, .lft = lft, .e = e, .mem = mem };
	if ((ok = mark && head && get_memory(g))) {
		group_ends(g, mark, head);
		list_members(g);
	}
	if (ok && moore_groups_are_large(g))
		ok = merge_links(g, &tmp) &&
		     (g->routes = moore_arena_alloc(mem, (size_t)g->n * g->n, sizeof(*g->routes)));
	moore_arena_free(&tmp);
	if (!ok)
		return moore_fail_nomem(err);
	/* A group has at most one detour over each other one. */
	return moore_programme_init(&g->p, f, lft, g->n < MOORE_N_OFFSETS ? g->n : MOORE_N_OFFSETS,
				    g->n, err);
}

void
moore_groups_fini(struct moore_groups *g)
{
	moore_programme_fini(&g->p);
}

/* ---- routes of a pair --------------------------------------------------------------------- */

/* Lists the wide links of a route.  Returns their number, or 0 if it leads nowhere. */
static uint32_t
follow(const struct moore_groups *g, moore_swid s, const struct moore_endpoint *to, unsigned k,
       uint32_t *slot, uint32_t room)
{
	for (uint32_t n = 0; n < room; n++) {
		const uint8_t out = moore_lft_row(g->lft, s)[to->lid + k];

		if (s == to->sw && out == to->port)
			return n;
		if (out > g->f->sw[s].n_ports || !link_at(g->f, s, out))
			return 0;
		slot[n] = g->slot[g->f->sw[s].port0 + out];
		s = link_at(g->f, s, out)->peer;
	}
	return 0;
}

/* Keeps the n links after those of the routes so far as one more route, unless it is one of
 * these. */
static void
keep_route(struct moore_programme_routes *r, uint32_t n)
{
	const uint32_t at = r->n ? r->end[r->n - 1] : 0;

	for (uint32_t k = 0; k < r->n; k++) {
		const uint32_t first = k ? r->end[k - 1] : 0;

		if (r->end[k] - first == n &&
		    !memcmp(&r->slot[first], &r->slot[at], n * sizeof(*r->slot)))
			return;
	}
	r->end[r->n++] = at + n;
}

/* Adds the routes from end i to end j. */
static void
add_ends(const struct moore_groups *g, uint32_t i, uint32_t j, struct moore_programme_routes *r)
{
	const uint32_t *first = g->e->first;

	for (uint32_t k = 0; first[i] + k < first[i + 1] && first[j] + k < first[j + 1]; k++) {
		const struct moore_endpoint *ep = &g->f->ep[g->e->ep[first[j] + k]];

		r->units++;
		for (unsigned o = 0; o < 1u << ep->lmc && r->n < g->p.n_offsets; o++) {
			const uint32_t at = r->n ? r->end[r->n - 1] : 0;
			const uint32_t n = follow(g, g->e->sw[i], ep, o, &r->slot[at], ROOM - at);

			if (n)
				keep_route(r, n);
		}
	}
}

/* Returns NULL if there is no memory. */
static const struct moore_programme_routes *
find_routes(struct moore_groups *g, uint32_t a, uint32_t b)
{
	struct moore_programme_routes **kept = &g->routes[(size_t)a * g->n + b], *r;
	struct moore_programme_routes found = { .end = g->ends, .slot = g->links };
	uint32_t n;

	if (*kept)
		return *kept;
	for (uint32_t i = g->first[a], j = g->first[b]; i < g->first[a + 1] && j < g->first[b + 1];
	     i++, j++)
		add_ends(g, g->member[i], g->member[j], &found);
	n = found.n ? found.end[found.n - 1] : 0;
	if (!(r = moore_arena_alloc(g->mem, 1, sizeof(*r))) ||
	    !(r->end = moore_arena_alloc(g->mem, found.n + 1, sizeof(*r->end))) ||
	    !(r->slot = moore_arena_alloc(g->mem, n + 1, sizeof(*r->slot))))
		return NULL;
	r->n = found.n;
	r->units = found.units;
	memcpy(r->end, found.end, found.n * sizeof(*r->end));
	memcpy(r->slot, found.slot, n * sizeof(*r->slot));
	return *kept = r;
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Solves the programme of to[], unless its load is at most `enough`. */
static int
judge(struct moore_groups *g, double enough, struct moore_err *err)
{
	moore_programme_clear(&g->p);
	for (uint32_t a = 0; a < g->n; a++) {
		const struct moore_programme_routes *r = find_routes(g, a, g->to[a]);

		if (!r || !moore_programme_add_routes(&g->p, r, g->width))
			return moore_fail_nomem(err);
	}
	moore_programme_solve(&g->p, GAP, enough);
	return 0;
}

/* Exchanges the targets of a and b, unless one would send to itself. */
static bool
exchange(struct moore_groups *g, uint32_t a, uint32_t b)
{
	const uint32_t to = g->to[a];

	if (a == b || to == b || g->to[b] == a)
		return false;
	g->to[a] = g->to[b];
	g->to[b] = to;
	return true;
}

int
moore_groups_descend(struct moore_groups *g, struct moore_rng *rng, struct moore_err *err)
{
	const uint32_t n = g->n;
	double load;
	int rc;

	for (uint32_t a = 0; a < n; a++)
		g->to[a] = (a + 1) % n;
	for (uint32_t a = 0; a < n; a++)
		exchange(g, a, moore_rng_below(rng, n));
	if ((rc = judge(g, 0, err)) < 0)
		return rc;
	load = g->p.bound;
	for (uint32_t i = 0, since = 0; since < n * n && i < SWEEPS * n * n; i++, since++) {
		const uint32_t a = i / n % n, b = i % n;

		if (a > b || !exchange(g, a, b))
			continue;
		if ((rc = judge(g, load, err)) < 0)
			return rc;
		if (g->p.bound > load * 1.0001) {
			load = g->p.bound;
			since = 0;
		} else {
			exchange(g, a, b);
		}
	}
	return 0;
}
