// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pair_share.c - how much all classes can send at once over detours, by the numbers of arcs
 * (pair_ranks.c).
 *
 * Let every class a send to class a + shift.  What it sends over class c takes the links of arc
 * a -> c and then those of arc c -> a + shift.  The latter are also the first links of what class
 * c sends over class a + shift, if the numbers allow that.  So these two arcs, a -> c and c -> a +
 * shift, share links: what class a sends over c and what class c sends over a + shift is no more
 * than a link carries.  Such arcs follow each other in a *run*.  Numbers rise along a run, so none
 * is a circle.  Of a run of three arcs the first and the third can be used in full, of one of two
 * only one.
 *
 * To find the greatest amount that every class can send, each class has a weight.  In each round
 * every run is used in the way in which the weights of the arcs in use have the greatest sum; then
 * classes that sent less than the mean get more weight.  All rounds together are a way to send, so
 * what the class with the least sent is possible; it is about a hundredth below the greatest.
 * Every number is an integer. */
#include <string.h>

#include "route/tuning.h"
#include "route/turns/pairs.h"

#define WEIGHT ((uint64_t)1 << 20)	/* of each class at the beginning */
#define MOST (WEIGHT << 4)

static uint32_t
shifted(const struct moore_rpairs *p, uint32_t a, uint32_t shift)
{
	return (a + shift) % p->n;
}

/* Whether class a can send over class c. */
static bool
is_open(const struct moore_rpairs *p, uint32_t a, uint32_t c, uint32_t shift)
{
	uint32_t b = shifted(p, a, shift);

	return c != a && c != b && p->number[a * p->n + c] < p->number[c * p->n + b];
}

/* Lists the run that begins with arc a -> c. */
static void
list_run(struct moore_rpairs *p, uint32_t a, uint32_t c, uint32_t shift)
{
	bool begins = true;

	while (is_open(p, a, c, shift)) {
		uint32_t b = shifted(p, a, shift);

		p->from[p->n_arcs] = (uint8_t)a;
		p->begins[p->n_arcs++] = begins;
		begins = false;
		a = c;
		c = b;
	}
	p->begins[p->n_arcs] = true;
}

static void
list_runs(struct moore_rpairs *p, uint32_t shift)
{
	p->n_arcs = 0;
	for (uint32_t a = 0; a < p->n; a++)
		for (uint32_t c = 0; c < p->n; c++)
			if (!is_open(p, shifted(p, c, p->n - shift), a, shift))
				list_run(p, a, c, shift);
}

/* Uses some arcs of the run that is from[i] to from[end - 1], of which none follows another: those
 * whose weights have the greatest sum.  best[k + 1] is the greatest sum of the arcs up to k. */
static void
use_run(struct moore_rpairs *p, uint32_t i, uint32_t end)
{
	uint64_t *best = p->best;

	best[i] = 0;
	for (uint32_t k = i; k < end; k++) {
		uint64_t with = p->weight[p->from[k]] + (k > i ? best[k - 1] : 0);

		best[k + 1] = with > best[k] ? with : best[k];
	}
	while (end > i) {
		if (best[end] == best[end - 1]) {
			end--;
			continue;
		}
		p->now[p->from[end - 1]]++;
		end -= end - i > 1 ? 2 : 1;
	}
}

/* Weights change by what each class sent less or more than the mean in this round. */
static void
change_weights(struct moore_rpairs *p)
{
	int64_t sum = 0;
	uint64_t most = 0;

	for (uint32_t c = 0; c < p->n; c++)
		sum += p->now[c];
	for (uint32_t c = 0; c < p->n; c++) {
		int64_t w = (int64_t)p->weight[c];

		w += w * (sum - (int64_t)p->n * p->now[c]) / (MOORE_PAIRS_CALM * sum + 1);
		p->weight[c] = w > 1 ? (uint64_t)w : 1;
		most = p->weight[c] > most ? p->weight[c] : most;
	}
	for (; most > MOST; most /= 2)
		for (uint32_t c = 0; c < p->n; c++)
			p->weight[c] -= p->weight[c] / 2;
}

static void
send_once(struct moore_rpairs *p)
{
	memset(p->now, 0, p->n * sizeof(*p->now));
	for (uint32_t i = 0, end; i < p->n_arcs; i = end) {
		for (end = i + 1; !p->begins[end];)
			end++;
		use_run(p, i, end);
	}
	for (uint32_t c = 0; c < p->n; c++)
		p->sent[c] += p->now[c];
	change_weights(p);
}

static uint32_t
share_of(struct moore_rpairs *p, uint32_t shift)
{
	uint32_t least = UINT32_MAX;

	list_runs(p, shift);
	for (uint32_t c = 0; c < p->n; c++) {
		p->weight[c] = WEIGHT;
		p->sent[c] = 0;
	}
	for (unsigned i = 0; i < MOORE_PAIRS_ROUNDS; i++)
		send_once(p);
	for (uint32_t c = 0; c < p->n; c++)
		least = p->sent[c] < least ? p->sent[c] : least;
	return least;
}

uint32_t
moore_rpairs_share(struct moore_rpairs *p)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t shift = 1; shift < p->n; shift++) {
		uint32_t share = share_of(p, shift);

		least = share < least ? share : least;
	}
	return least;
}

bool
moore_rpairs_init(struct moore_rpairs *p, uint32_t n, const uint32_t *number,
		  struct moore_arena *a)
{
	size_t n_arcs = (size_t)n * n + 1;

	*p = (struct moore_rpairs){ .n = n, .number = number };
	p->from = moore_arena_alloc(a, n_arcs, sizeof(*p->from));
	p->begins = moore_arena_alloc(a, n_arcs, sizeof(*p->begins));
	p->best = moore_arena_alloc(a, n_arcs, sizeof(*p->best));
	p->weight = moore_arena_alloc(a, n, sizeof(*p->weight));
	p->now = moore_arena_alloc(a, n, sizeof(*p->now));
	p->sent = moore_arena_alloc(a, n, sizeof(*p->sent));
	return p->from && p->begins && p->best && p->weight && p->now && p->sent;
}
