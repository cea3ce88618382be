// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pair_share.c - how much all classes can send at once over detours, by the numbers of arcs
 * (pair_ranks.c).
 *
 * Let every class a send to class to[a].  What it sends over class c takes the links of arc
 * a -> c and then those of arc c -> to[a].  The latter are also the first links of what class
 * c sends over class to[a], if the numbers allow that.  So these two arcs, a -> c and c -> to[a],
 * share links: what class a sends over c and what class c sends over to[a] is no more than a link
 * carries.  Such arcs follow each other in a *run*.  Numbers rise along a run, so none is a
 * circle.  Of a run of three arcs the first and the third can be used in full, of one of two
 * only one.
 *
 * To find the greatest amount that every class can send, each class has a weight.  In each round
 * every run is used in the way in which the weights of the arcs in use have the greatest sum; then
 * classes that sent less than the mean get more weight.  All rounds together are a way to send, so
 * what the class with the least sent is possible; it is about a hundredth below the greatest.
 * For any weights, that sum over the sum of all weights bounds what every class can send.
 * Every number is an integer. */
#include <string.h>

#include "route/tuning.h"
#include "route/turns/pairs.h"

#define WEIGHT ((uint64_t)1 << 20)	/* of each class at the beginning */
#define MOST (WEIGHT << 4)
#define MOST_CLIMBS 4			/* of one search for a bad permutation */

void
moore_rpairs_shift(struct moore_rpairs *p, uint32_t shift)
{
	for (uint32_t a = 0; a < p->n; a++) {
		p->to[a] = (uint8_t)((a + shift) % p->n);
		p->from[p->to[a]] = (uint8_t)a;
	}
}

/* Whether arc a -> c is open and begins a run. */
static bool
begins_run(const struct moore_rpairs *p, uint32_t a, uint32_t c)
{
	return moore_rpairs_is_open(p, a, c) && !moore_rpairs_is_open(p, p->from[c], a);
}

/* Lists the run that begins with arc a -> c. */
static void
list_run(struct moore_rpairs *p, uint32_t a, uint32_t c)
{
	bool begins = true;

	while (moore_rpairs_is_open(p, a, c)) {
		uint32_t b = p->to[a];

		p->source[p->n_arcs] = (uint8_t)a;
		p->begins[p->n_arcs++] = begins;
		begins = false;
		a = c;
		c = b;
	}
	p->begins[p->n_arcs] = true;
}

static void
list_runs(struct moore_rpairs *p)
{
	p->n_arcs = 0;
	for (uint32_t a = 0; a < p->n; a++)
		for (uint32_t c = 0; c < p->n; c++)
			if (begins_run(p, a, c))
				list_run(p, a, c);
}

/* Uses some arcs of the run that is source[i] to source[end - 1], of which none follows another:
 * those whose weights have the greatest sum.  best[k + 1] is the greatest sum of the arcs up to k. */
static void
use_run(struct moore_rpairs *p, uint32_t i, uint32_t end)
{
	uint64_t *best = p->best;

	best[i] = 0;
	for (uint32_t k = i; k < end; k++) {
		uint64_t with = p->weight[p->source[k]] + (k > i ? best[k - 1] : 0);

		best[k + 1] = with > best[k] ? with : best[k];
	}
	while (end > i) {
		if (best[end] == best[end - 1]) {
			end--;
			continue;
		}
		p->now[p->source[end - 1]]++;
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
	for (uint32_t c = 0; c < p->n; c++) {
		p->sent[c] += p->now[c];
		p->mean_weight[c] += p->weight[c];
	}
	change_weights(p);
}

uint32_t
moore_rpairs_share(struct moore_rpairs *p)
{
	uint32_t least = UINT32_MAX;

	list_runs(p);
	for (uint32_t c = 0; c < p->n; c++) {
		p->weight[c] = WEIGHT;
		p->sent[c] = 0;
		p->mean_weight[c] = 0;
	}
	for (unsigned i = 0; i < MOORE_PAIRS_ROUNDS; i++)
		send_once(p);
	for (uint32_t c = 0; c < p->n; c++)
		least = p->sent[c] < least ? p->sent[c] : least;
	return least;
}

/* ---- bad permutations --------------------------------------------------------------------- */

/* The greatest sum of the mean weights of arcs in use. */
static uint64_t
value_of(const struct moore_rpairs *p)
{
	uint64_t sum = 0;

	for (uint32_t x = 0; x < p->n; x++)
		for (uint32_t y = 0; y < p->n; y++) {
			uint64_t best = 0, before = 0;

			if (!begins_run(p, x, y))
				continue;
			for (uint32_t a = x, c = y; moore_rpairs_is_open(p, a, c);) {
				uint64_t with = before + p->mean_weight[a];
				uint32_t b = p->to[a];

				before = best;
				best = with > best ? with : best;
				a = c;
				c = b;
			}
			sum += best;
		}
	return sum;
}

static void
exchange_targets(struct moore_rpairs *p, uint32_t a, uint32_t b)
{
	uint8_t to = p->to[a];

	p->to[a] = p->to[b];
	p->to[b] = to;
	p->from[p->to[a]] = (uint8_t)a;
	p->from[to] = (uint8_t)b;
}

static void
draw_permutation(struct moore_rpairs *p, struct moore_rng *rng)
{
	moore_rpairs_shift(p, 1);
	for (uint32_t a = 0; a < p->n; a++) {
		uint32_t b = moore_rng_below(rng, p->n);

		if (p->to[a] != b && p->to[b] != a)
			exchange_targets(p, a, b);
	}
}

/* Exchanges the targets of two classes as long as that makes the value less. */
static void
lower_value(struct moore_rpairs *p)
{
	uint64_t least = value_of(p);
	uint32_t n = p->n, since = 0;

	for (uint32_t i = 0; since < n * n; i = (i + 1) % (n * n), since++) {
		uint32_t a = i / n, b = i % n;
		uint64_t value;

		if (a >= b || p->to[a] == b || p->to[b] == a)
			continue;
		exchange_targets(p, a, b);
		value = value_of(p);
		if (value < least) {
			least = value;
			since = 0;
		} else {
			exchange_targets(p, a, b);
		}
	}
}

uint32_t
moore_rpairs_worst(struct moore_rpairs *p, struct moore_rng *rng)
{
	uint32_t least, share;

	draw_permutation(p, rng);
	share = moore_rpairs_share(p);
	for (unsigned i = 0; i < MOST_CLIMBS; i++) {
		least = share;
		lower_value(p);
		share = moore_rpairs_share(p);
		if (share >= least)
			break;
	}
	return share;
}

bool
moore_rpairs_init(struct moore_rpairs *p, uint32_t n, const uint32_t *number,
		  struct moore_arena *a)
{
	size_t n_arcs = (size_t)n * n + 1;

	*p = (struct moore_rpairs){ .n = n, .number = number };
	p->to = moore_arena_alloc(a, n, sizeof(*p->to));
	p->from = moore_arena_alloc(a, n, sizeof(*p->from));
	p->source = moore_arena_alloc(a, n_arcs, sizeof(*p->source));
	p->begins = moore_arena_alloc(a, n_arcs, sizeof(*p->begins));
	p->best = moore_arena_alloc(a, n_arcs, sizeof(*p->best));
	p->weight = moore_arena_alloc(a, n, sizeof(*p->weight));
	p->mean_weight = moore_arena_alloc(a, n, sizeof(*p->mean_weight));
	p->now = moore_arena_alloc(a, n, sizeof(*p->now));
	p->sent = moore_arena_alloc(a, n, sizeof(*p->sent));
	return p->to && p->from && p->source && p->begins && p->best && p->weight &&
		p->mean_weight && p->now && p->sent;
}
