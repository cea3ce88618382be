// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mend.c - adds to a graph what it lacks of another where degrees tell, and maps the result onto
 * that graph.
 *
 * A vertex whose degree the whole does not have lacks links, at least up to the next degree that
 * the whole has: these are its stubs.  If as many links are missing as there are pairs of stubs,
 * each way to pair them gives a graph to try.  A stub is paired first with the one with which it
 * closes the most short cycles, unless no link of the whole lies on so many.  If one vertex is
 * missing, with as many links as there are stubs, it belongs to all of them.  The completed graph
 * must have the short cycles of the whole; then isomorph.c looks for the map.
 *
 * embed.c needs no such luck, but has to begin at the right place: in a graph whose vertices differ
 * in position, as in a Dragonfly, it seldom does. */
#include <string.h>

#include "topo/isomorph.h"
#include "topo/mend.h"

#define MAX_LINKS 6
#define MAX_STUBS (2 * MAX_LINKS)
/* An attempt to map that fails takes up to so many visits to each pair of links that meet, and more
 * in a graph without short cycles. */
#define VISITS_OF_MAP 32

struct mend {
	const struct moore_topo *whole;
	const struct moore_adjacency *part;
	const struct moore_cycles *cycles;
	struct moore_topo_link *link;	/* those of the part, then those that are added */
	size_t n_links;
	uint32_t *stub, n_stubs;	/* a vertex is listed for each link that it lacks */
	/* By two stubs: the cycles that a link between them closes in the part; MOORE_NONE: none can be
	 * there. */
	uint32_t closes[MAX_STUBS][MAX_STUBS];
	uint32_t *common, *colour, *image;
	uint64_t visits, *effort;	/* of a count of cycles */
	bool oom;
};

static bool
alloc_mend(struct mend *m, struct moore_arena *tmp)
{
	const size_t n = (size_t)m->whole->n_switches + 1;

	m->link = moore_arena_alloc(tmp, (size_t)m->whole->n_links + 1, sizeof(*m->link));
	m->stub = moore_arena_alloc(tmp, (size_t)m->whole->n_links + 1, sizeof(*m->stub));
	m->common = moore_arena_alloc(tmp, n, sizeof(*m->common));
	m->colour = moore_arena_alloc(tmp, 2 * n, sizeof(*m->colour));
	m->image = moore_arena_alloc(tmp, n, sizeof(*m->image));
	return m->link && m->stub && m->common && m->colour && m->image;
}

/* Lists the stubs; false if there are more than are missing. */
static bool
find_stubs(struct mend *m, const struct moore_adjacency *part, const struct moore_adjacency *g,
	   uint32_t most, struct moore_arena *tmp)
{
	uint8_t *has = moore_arena_alloc(tmp, (size_t)g->n + 1, 1);

	m->oom = !has;
	if (!has)
		return false;
	for (uint32_t v = 0; v < g->n; v++) {
		has[moore_adjacency_degree(g, v)] = 1;
		m->visits += (uint64_t)moore_adjacency_degree(g, v) * moore_adjacency_degree(g, v);
	}
	for (uint32_t v = 0; v < part->n; v++)
		for (uint32_t d = moore_adjacency_degree(part, v); d < g->n && !has[d]; d++) {
			if (m->n_stubs == most)
				return false;
			m->stub[m->n_stubs++] = v;
		}
	return m->n_stubs == most;
}

/* Tries the graph with the links that were added. */
static bool
matches(struct mend *m)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_adjacency g;
	struct moore_cycles c;
	bool same = false;

	*m->effort -= *m->effort < 3 * m->visits ? *m->effort : 3 * m->visits;
	if (!moore_adjacency_init(&g, m->whole->n_switches, m->link, m->n_links, &tmp)) {
		m->oom = true;
	} else {
		c = moore_cycles_count(&g, m->common, NULL);
		same = memcmp(c.n, m->cycles->n, sizeof(c.n)) == 0;
	}
	moore_arena_free(&tmp);
	if (!same)
		return false;
	*m->effort -= *m->effort < VISITS_OF_MAP * m->visits ? *m->effort : VISITS_OF_MAP * m->visits;
	memset(m->colour, 0, 2 * (size_t)m->whole->n_switches * sizeof(*m->colour));
	return moore_topo_map(m->whole->n_switches, m->link, m->whole->link, m->n_links, m->colour,
			      m->image, &m->oom);
}

/* Counts the short cycles that a link between v and w closes; MOORE_NONE when these are linked, or
 * when no link of the whole lies on so many. */
static uint32_t
count_closed(struct mend *m, uint32_t v, uint32_t w)
{
	const struct moore_adjacency *g = m->part;
	uint64_t n[MOORE_N_CYCLES] = { 0 };
	bool linked = v == w;

	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++)
		m->common[g->adj[k]] = 1;
	for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++) {
		const uint32_t x = g->adj[k];

		linked |= x == w;
		n[MOORE_TRIANGLES] += m->common[x];
		for (uint32_t l = g->xadj[x]; l < g->xadj[x + 1]; l++)
			n[MOORE_SQUARES] += g->adj[l] != v && m->common[g->adj[l]];
	}
	for (uint32_t k = g->xadj[w]; k < g->xadj[w + 1]; k++)
		m->common[g->adj[k]] = 0;
	for (unsigned i = 0; i < MOORE_N_CYCLES; i++)
		linked |= n[i] > m->cycles->most[i];
	return linked ? MOORE_NONE : (uint32_t)(n[MOORE_TRIANGLES] + n[MOORE_SQUARES]);
}

static void
count_all_closed(struct mend *m)
{
	for (uint32_t i = 0; i < m->n_stubs; i++)
		for (uint32_t k = i + 1; k < m->n_stubs; k++)
			m->closes[i][k] = count_closed(m, m->stub[i], m->stub[k]);
}

/* Of the stubs after i that are not in the bit set used, the one with which i closes the most
 * cycles. */
static uint32_t
next_partner(const struct mend *m, uint32_t i, unsigned used)
{
	uint32_t best = MOORE_NONE;

	for (uint32_t k = i + 1; k < m->n_stubs; k++)
		if (!(used >> k & 1) && m->closes[i][k] != MOORE_NONE &&
		    (best == MOORE_NONE || m->closes[i][k] > m->closes[i][best]))
			best = k;
	return best;
}

/* Tries all ways to pair the stubs that are not in the bit set used. */
static bool
pair_up(struct mend *m, unsigned used)
{
	unsigned tried = 0;
	uint32_t i = 0, k;

	while (i < m->n_stubs && used >> i & 1)
		i++;
	if (i == m->n_stubs)
		return matches(m);
	while ((k = next_partner(m, i, used | tried)) != MOORE_NONE && !m->oom && *m->effort) {
		tried |= 1u << k;
		m->link[m->n_links++] = (struct moore_topo_link){ m->stub[i], m->stub[k] };
		if (pair_up(m, used | 1u << i | 1u << k))
			return true;
		m->n_links--;
	}
	return false;
}

/* Links the missing vertex, which has the next number, to all stubs. */
static bool
add_vertex(struct mend *m, uint32_t v)
{
	for (uint32_t i = 0; i < m->n_stubs; i++) {
		if (i && m->stub[i] == m->stub[i - 1])
			return false;
		m->link[m->n_links++] = (struct moore_topo_link){ m->stub[i], v };
	}
	return matches(m);
}

static void
list_links(struct mend *m, const struct moore_adjacency *g)
{
	for (uint32_t v = 0; v < g->n; v++)
		for (uint32_t k = g->xadj[v]; k < g->xadj[v + 1]; k++)
			if (g->adj[k] > v)
				m->link[m->n_links++] = (struct moore_topo_link){ v, g->adj[k] };
}

int
moore_topo_mend(const struct moore_adjacency *part, const struct moore_topo *whole,
		const struct moore_adjacency *g, const struct moore_cycles *cycles,
		uint64_t *effort, uint32_t *image)
{
	const uint32_t links = whole->n_links - part->xadj[part->n] / 2;
	struct mend m = { .whole = whole, .part = part, .cycles = cycles, .effort = effort };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	bool found = false;

	if (part->n + 1 < whole->n_switches || (part->n == whole->n_switches && links > MAX_LINKS))
		return 0;
	if (!alloc_mend(&m, &tmp)) {
		m.oom = true;
	} else if (part->n == whole->n_switches) {
		list_links(&m, part);
		if (find_stubs(&m, part, g, 2 * links, &tmp)) {
			count_all_closed(&m);
			found = pair_up(&m, 0);
		}
	} else {
		list_links(&m, part);
		found = find_stubs(&m, part, g, links, &tmp) && add_vertex(&m, part->n);
	}
	if (found)
		memcpy(image, m.image, part->n * sizeof(*image));
	moore_arena_free(&tmp);
	return m.oom ? -MOORE_ENOMEM : found;
}
