// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* middles.c - the classes of a graph with middle switches (OFT, MLFM, leaf and spine): the copies
 * of a line of an OFT, a column of an MLFM, all leaves under the same spines. */
#include <stdlib.h>
#include <string.h>

#include "route/tuning.h"
#include "route/turns/middles.h"
#include "route/turns/turns.h"

#define MAX_DEGREE 127		/* moore_rmiddles_rank() counts that far */
#define MAX_CLASSES 255		/* and moore_rmiddles_rank_pairs() */

static uint32_t
degree(const struct moore_rgraph *g, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		n += moore_rgraph_is_planned(g, e);
	return n;
}

/* Adds `by` to common[t] for each middle switch that s shares with t. */
static void
count_common(const struct moore_rgraph *g, uint32_t s, uint32_t by, uint32_t *common)
{
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
		const uint32_t m = g->to[e];

		if (!moore_rgraph_is_planned(g, e) || g->is_source[m])
			continue;
		for (uint32_t o = g->xadj[m]; o < g->xadj[m + 1]; o++)
			if (moore_rgraph_is_planned(g, o))
				common[g->to[o]] += by;
	}
}

/* What judge() tells the kind of graph by. */
struct count {
	uint64_t n_pairs, n_apart;	/* of switches of two classes; of these, that share no middle switch */
	uint32_t n_middles, n_twos;	/* middle switches; of these, that join just two classes */
	uint32_t max_degree;		/* of a middle switch */
};

/* Puts s into the class of the first switch before it that shares more than half of the middle
 * switches of each of the two, or into a new class.  common[n] is zeroed, and is so again. */
static void
classify(struct moore_rmiddles *c, struct count *n_of, const struct moore_rgraph *g, uint32_t s,
	 uint32_t *common)
{
	uint32_t n = degree(g, s), found = MOORE_NONE;

	count_common(g, s, 1, common);
	for (uint32_t t = 0; t < s; t++) {
		bool same = 2 * common[t] > n && 2 * common[t] > degree(g, t);

		if (c->class_of[t] == MOORE_NONE)
			continue;	/* a middle switch */
		if (same && found == MOORE_NONE)
			found = t;
		n_of->n_pairs += !same;
		n_of->n_apart += !common[t];
	}
	count_common(g, s, UINT32_MAX, common);
	c->class_of[s] = found == MOORE_NONE ? c->n_classes++ : c->class_of[found];
	c->place[s] = c->size[c->class_of[s]]++;
}

/* The number of classes that middle switch m joins; 3 also means more. */
static unsigned
count_joined(const struct moore_rmiddles *c, const struct moore_rgraph *g, uint32_t m)
{
	uint32_t joined[2] = { MOORE_NONE, MOORE_NONE };
	unsigned n = 0;

	for (uint32_t e = g->xadj[m]; n < 3 && e < g->xadj[m + 1]; e++) {
		uint32_t k = c->class_of[g->to[e]];

		if (!moore_rgraph_is_planned(g, e) || k == joined[0] || k == joined[1])
			continue;
		if (n < 2)
			joined[n] = k;
		n++;
	}
	return n;
}

static void
count_middle(const struct moore_rmiddles *c, struct count *n, const struct moore_rgraph *g, uint32_t m)
{
	const uint32_t d = degree(g, m);

	n->n_middles++;
	n->n_twos += count_joined(c, g, m) == 2;
	n->max_degree = d > n->max_degree ? d : n->max_degree;
}

/* An OFT and an MLFM keep their constructions where some cables are missing or crossed. */
static void
judge(struct moore_rmiddles *c, const struct count *n)
{
	const bool twos = n->n_twos * MOORE_TWOS_OF_LINES > n->n_middles;

	c->lines = c->n_classes > 1 && !twos && n->max_degree <= MAX_DEGREE;
	c->paired = c->n_classes > 2 && twos && c->n_classes <= MAX_CLASSES &&
		n->n_apart * MOORE_APART_OF_PAIRED <= n->n_pairs;
}

/* Whether most pairs of sources share a middle switch.  common[n] is zeroed, and is so again. */
static bool
share_most(const struct moore_rgraph *g, uint32_t *common)
{
	const uint32_t n = moore_rgraph_n_intended(g);
	uint64_t n_pairs = 0, n_shared = 0;

	if (!memchr(g->is_source, 0, n))
		return false;	/* as on Slim Fly */
	for (uint32_t s = 0; s < n; s++) {
		if (!g->is_source[s])
			continue;
		count_common(g, s, 1, common);
		for (uint32_t t = 0; t < s; t++) {
			n_pairs += g->is_source[t];
			n_shared += g->is_source[t] && common[t];
		}
		count_common(g, s, UINT32_MAX, common);
	}
	return 2 * n_shared > n_pairs;
}

uint32_t
moore_rmiddles_other(const struct moore_rgraph *g, const struct moore_rmiddles *c, uint32_t m, uint32_t of)
{
	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (moore_rgraph_is_planned(g, e) && c->class_of[g->to[e]] != of)
			return c->class_of[g->to[e]];
	return of;
}

int
moore_rmiddles_find(struct moore_rmiddles *c, const struct moore_rgraph *g)
{
	const bool exist = moore_rhalves_exist(g);
	uint32_t n = moore_rgraph_n_intended(g);
	uint32_t *common = calloc((size_t)g->n + 1, sizeof(*common));
	struct count n_of = { 0 };

	*c = (struct moore_rmiddles){ 0 };
	c->class_of = malloc(((size_t)g->n + 1) * sizeof(*c->class_of));
	c->place = calloc((size_t)g->n + 1, sizeof(*c->place));
	c->size = calloc((size_t)g->n + 1, sizeof(*c->size));
	if (!common || !c->class_of || !c->place || !c->size) {
		free(common);
		return -MOORE_ENOMEM;
	}
	for (uint32_t s = 0; s < g->n; s++) {
		c->class_of[s] = MOORE_NONE;
		if (exist && s < n && g->is_source[s] && degree(g, s))
			classify(c, &n_of, g, s, common);
	}
	for (uint32_t m = 0; exist && m < n; m++)
		if (!g->is_source[m])
			count_middle(c, &n_of, g, m);
	judge(c, &n_of);
	c->among_leaves = exist ? c->n_classes > 1 : share_most(g, common);
	free(common);
	return 0;
}

void
moore_rmiddles_fini(struct moore_rmiddles *c)
{
	free(c->class_of);
	free(c->place);
	free(c->size);
	*c = (struct moore_rmiddles){ 0 };
}
