// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* bound.c - a lower bound on the cable of every arrangement (Gilmore 1962, Lawler 1963).
 *
 * A thing i on spot s costs at least c(i, s): the products of its weights, heaviest first,
 * and the distances from s, shortest first, added up.  Twice the total length is at least
 * the cost of the cheapest assignment of things to spots under c.  That in turn is at least
 * the sum of any u and v with u(i) + v(s) <= c(i, s) and v <= 0.  Here v is computed from
 * the least value of each column, which is the best choice if all things have the same
 * weights, and u is then the best one for that v.  Spots of one site have the same
 * distances, and things with the same weights have the same row, so each is computed once. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "place_impl.h"

struct bound {
	const struct moore_layout *l;
	uint32_t n_rows, n_columns;	/* numbers of distinct things and of distinct spots */
	uint32_t *row;		/* one thing of each row */
	uint32_t *times;	/* how many things share each row */
	uint32_t *column;	/* one spot of each column */
	uint32_t *room;		/* how many spots share each column */
	uint32_t *heavy;	/* the weights of all links, heaviest first within each thing */
	int64_t *cost;		/* [row * n_columns + column] */
	int64_t *reach;		/* the distances from one spot, ascending */
	int64_t *least;		/* the least cost of each column; later v */
};

static int
falling(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a < b) - (a > b);
}

static int
rising(const void *x, const void *y)
{
	const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static bool
same_weights(const struct bound *b, uint32_t i, uint32_t j)
{
	const uint32_t *start = b->l->links->start, n = start[i + 1] - start[i];

	return n == start[j + 1] - start[j] &&
	       !memcmp(b->heavy + start[i], b->heavy + start[j], n * sizeof(*b->heavy));
}

/* Things with equal weights share a row if they follow one another or the row is one of the
 * last few: finding every equal row would cost more than it saves. */
static void
find_rows(struct bound *b)
{
	const struct moore_links_of *k = b->l->links;

	memcpy(b->heavy, k->weight, k->start[k->n] * sizeof(*b->heavy));
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t r = b->n_rows, from = r > 16 ? r - 16 : 0;

		qsort(b->heavy + k->start[i], k->start[i + 1] - k->start[i], sizeof(*b->heavy),
		      falling);
		while (r > from && !same_weights(b, b->row[r - 1], i))
			r--;
		if (r == from) {
			r = ++b->n_rows;
			b->row[r - 1] = i;
		}
		b->times[r - 1]++;
	}
}

/* Spots of one site share a column; they follow one another. */
static void
find_columns(struct bound *b)
{
	for (uint32_t s = 0; s < b->l->n_spots; s++) {
		if (!s || b->l->spot[s].site != b->l->spot[s - 1].site)
			b->column[b->n_columns++] = s;
		b->room[b->n_columns - 1]++;
	}
}

static void
fill_column(struct bound *b, uint32_t c)
{
	const struct moore_layout *l = b->l;
	const uint32_t *start = l->links->start;
	uint32_t n = 0;

	for (uint32_t s = 0; s < l->n_spots; s++)
		if (s != b->column[c])
			b->reach[n++] = moore_layout_run(l, b->column[c], s);
	qsort(b->reach, n, sizeof(*b->reach), rising);
	b->least[c] = INT64_MAX;
	for (uint32_t r = 0; r < b->n_rows; r++) {
		const uint32_t from = start[b->row[r]], degree = start[b->row[r] + 1] - from;
		int64_t sum = 0;

		for (uint32_t e = 0; e < degree; e++)
			sum += b->heavy[from + e] * b->reach[e];
		b->cost[(size_t)r * b->n_columns + c] = sum;
		b->least[c] = sum < b->least[c] ? sum : b->least[c];
	}
}

/* The n-th smallest of the columns' least costs, each counted once for each of its spots. */
static int64_t
nth_least(struct bound *b, uint32_t n)
{
	int64_t value = 0, best;
	uint32_t seen = 0;

	for (int64_t floor = -1; seen < n; floor = value) {
		best = INT64_MAX;
		for (uint32_t c = 0; c < b->n_columns; c++)
			if (b->least[c] > floor && b->least[c] < best)
				best = b->least[c];
		value = best;
		for (uint32_t c = 0; c < b->n_columns; c++)
			seen += b->least[c] == value ? b->room[c] : 0;
	}
	return value;
}

static int64_t
dual_value(struct bound *b)
{
	const int64_t level = nth_least(b, b->l->links->n);
	int64_t sum = 0;

	for (uint32_t c = 0; c < b->n_columns; c++) {
		b->least[c] = b->least[c] < level ? b->least[c] - level : 0;
		sum += b->least[c] * b->room[c];
	}
	for (uint32_t r = 0; r < b->n_rows; r++) {
		const int64_t *cost = b->cost + (size_t)r * b->n_columns;
		int64_t u = INT64_MAX;

		for (uint32_t c = 0; c < b->n_columns; c++)
			u = cost[c] - b->least[c] < u ? cost[c] - b->least[c] : u;
		sum += u * b->times[r];
	}
	return sum;
}

int64_t
moore_layout_bound(const struct moore_layout *l, struct moore_err *err)
{
	const struct moore_links_of *k = l->links;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct bound b = { .l = l };
	int64_t value;

	b.row = moore_arena_alloc(&tmp, k->n + 1u, sizeof(*b.row));
	b.times = moore_arena_alloc(&tmp, k->n + 1u, sizeof(*b.times));
	b.column = moore_arena_alloc(&tmp, l->n_spots + 1u, sizeof(*b.column));
	b.room = moore_arena_alloc(&tmp, l->n_spots + 1u, sizeof(*b.room));
	b.heavy = moore_arena_alloc(&tmp, k->start[k->n] + 1u, sizeof(*b.heavy));
	b.reach = moore_arena_alloc(&tmp, l->n_spots + 1u, sizeof(*b.reach));
	b.least = moore_arena_alloc(&tmp, l->n_spots + 1u, sizeof(*b.least));
	if (b.row && b.times && b.column && b.room && b.heavy && b.reach && b.least) {
		find_rows(&b);
		find_columns(&b);
		b.cost = moore_arena_alloc(&tmp, (size_t)b.n_rows * b.n_columns + 1, sizeof(*b.cost));
	}
	if (!b.cost) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (uint32_t c = 0; c < b.n_columns; c++)
		fill_column(&b, c);
	value = dual_value(&b);
	moore_arena_free(&tmp);
	return (value + 1) / 2;		/* each link was counted at both ends */
}
