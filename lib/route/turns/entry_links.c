// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* entry_links.c - links that routes only ever begin with, where middle switches join two classes, the
 * columns of an MLFM (middles.h).
 *
 * A detour from column a to column b over a switch of column c passes the middle switches of {a, c} and
 * of {c, b}, and the turn in c is allowed where the number rises from a -> c to c -> b (pair_ranks.c).
 * That is so for about half of the columns c, and permutations of columns share these unevenly.  A
 * route that begins with an entry link needs no number to rise.  But nothing in transit can take that
 * link, so the other links up carry more.
 *
 * So of the links up of each switch some are entry links: as many of each switch, at each middle switch
 * from each of its two columns, and for each place in a column and each column that is led to.
 * A switch at place p of column a has an entry link towards column b where the sum of p and of b's
 * distance from a, in a drawn sequence of columns, has one of the least remainders.  Links towards column 0
 * and those of its first switch are left out: the spanning tree wants them (pair_ranks.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "route/tuning.h"
#include "route/turns/middles.h"
#include "route/turns/turns.h"

/* Whether planned edge e of low switch s is wanted as an entry link.  nth[] is the place of each class in
 * the sequence. */
static bool
wants_entry(const struct moore_rgraph *g, const struct moore_rmiddles *c, const uint32_t *nth,
	    uint32_t s, uint32_t e)
{
	uint32_t k = c->class_of[s], size = c->size[k], other = moore_rmiddles_other(g, c, g->to[e], k);
	uint32_t apart = (nth[other] + c->n_classes - nth[k]) % c->n_classes;
	bool in_tree = other == 0 || (k == 0 && c->place[s] == 0);

	return !in_tree && (apart + c->place[s]) % size < size / MOORE_ENTRY_LINKS;
}

int
moore_rmiddles_enter(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint8_t *entry_wanted,
		     struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *nth = moore_arena_alloc(&tmp, (size_t)c->n_classes + 1, sizeof(*nth));
	struct moore_rng rng = { MOORE_PAIRS_SEED };

	if (!nth)
		return moore_fail_nomem(err);
	for (uint32_t k = 0; k < c->n_classes; k++)
		nth[k] = k;
	moore_rng_shuffle(&rng, nth, c->n_classes);
	for (uint32_t s = 0; s < moore_rgraph_n_intended(g); s++)
		for (uint32_t e = g->xadj[s]; g->is_source[s] && e < g->xadj[s + 1]; e++)
			entry_wanted[e] = moore_rgraph_is_planned(g, e) && wants_entry(g, c, nth, s, e);
	moore_arena_free(&tmp);
	return 0;
}

int
moore_rturns_set_entries(struct moore_rturns *t, const struct moore_rgraph *g, struct moore_err *err)
{
	uint32_t n = 0;

	for (uint32_t e = 0; e < g->n_edges; e++)
		n += t->enters[e] = t->entry_wanted[e] && !moore_rturns_in_tree(t, g, e);
	if (n && t->onto == t->rank && !(t->onto = malloc(((size_t)g->n_edges + 1) * sizeof(*t->onto)))) {
		t->onto = t->rank;
		return moore_fail_nomem(err);
	}
	for (uint32_t e = 0; t->onto != t->rank && e < g->n_edges; e++) {
		t->rank[e] = t->enters[e] ? MOORE_RANK_ENTRY : t->rank[e];
		t->onto[e] = t->enters[e] ? 0 : t->rank[e];
	}
	return 0;
}
