// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* halves.c - splits the middle switches of an OFT or MLFM into two halves, P1 and P2.
 *
 * A middle switch has no endpoints, and all its planned neighbours have some.  Each switch
 * with endpoints should have as many neighbours in P1 as in P2: greedily at first, then by
 * local search on the sum of the fourth powers of the differences. */
#include "base/arena.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

struct split {
	const struct moore_rgraph *g;
	uint8_t *half;
	int *lean;		/* by node: planned neighbours in P1 less those in P2 */
};

bool
moore_rhalves_exist(const struct moore_rgraph *g)
{
	uint32_t n_links = 0;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			if (!moore_rgraph_is_planned(g, e))
				continue;
			if (g->is_source[s] == g->is_source[g->to[e]])
				return false;
			n_links++;
		}
	return n_links > 0;
}

static void
add_lean(struct split *w, uint32_t m, int by)
{
	const struct moore_rgraph *g = w->g;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (moore_rgraph_is_planned(g, e))
			w->lean[g->to[e]] += by;
}

static void
change_half(struct split *w, uint32_t m)
{
	w->half[m] ^= 3;	/* 1 becomes 2, 2 becomes 1 */
	add_lean(w, m, w->half[m] == 2 ? -2 : 2);
}

static int64_t
fourth(int64_t x)
{
	return x * x * x * x;
}

/* What change_half(m) would add to the sum of the fourth powers of lean[]. */
static int64_t
cost_of_change(const struct split *w, uint32_t m)
{
	const struct moore_rgraph *g = w->g;
	int by = w->half[m] == 2 ? 2 : -2;
	int64_t sum = 0;

	for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
		if (moore_rgraph_is_planned(g, e))
			sum += fourth(w->lean[g->to[e]] + by) - fourth(w->lean[g->to[e]]);
	return sum;
}

/* Moves m to the other half, alone or in exchange for a switch there, if that evens lean[]. */
static bool
try_change(struct split *w, uint32_t m)
{
	int64_t cost = cost_of_change(w, m);

	change_half(w, m);
	if (cost < 0)
		return true;
	for (uint32_t o = 0; o < w->g->n; o++)
		if (w->half[o] == w->half[m] && o != m && cost + cost_of_change(w, o) < 0) {
			change_half(w, o);
			return true;
		}
	change_half(w, m);
	return false;
}

/* Puts each middle switch where its neighbours have fewer so far; ties alternate. */
static void
split_greedily(struct split *w)
{
	const struct moore_rgraph *g = w->g;

	for (uint32_t m = 0; m < g->n; m++) {
		int sum = 0;

		if (g->is_source[m])
			continue;
		for (uint32_t e = g->xadj[m]; e < g->xadj[m + 1]; e++)
			sum += moore_rgraph_is_planned(g, e) ? w->lean[g->to[e]] : 0;
		w->half[m] = sum > 0 || (sum == 0 && m & 1) ? 2 : 1;
		add_lean(w, m, w->half[m] == 2 ? -1 : 1);
	}
}

int
moore_rhalves_split(const struct moore_rgraph *g, uint8_t *half, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct split w = { g, half, moore_arena_alloc(&tmp, (size_t)g->n + 1, sizeof(*w.lean)) };
	bool any = true;

	if (!w.lean)
		return moore_fail_nomem(err);
	split_greedily(&w);
	for (unsigned round = 0; any && round < MOORE_HALVES_ROUNDS; round++) {
		any = false;
		for (uint32_t m = 0; m < g->n; m++)
			any |= half[m] && try_change(&w, m);
	}
	moore_arena_free(&tmp);
	return 0;
}
