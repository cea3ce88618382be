// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_models.c - on an MLFM the trees of a column's roots are alike, so whatever permutation of its
 * switches one column sends to another, the links to the intermediates are used about evenly. */
#include "base/random.h"
#include "fabrics.h"
#include "harness.h"
#include "moore/route.h"

struct mlfm {
	uint32_t n_columns, n_rows;
	struct moore_fabric *f;
	const struct moore_lft *lft;
	uint32_t *n;		/* [column * n_rows + row]: routes by this intermediate */
};

/* Switches with endpoints come first, row by row. */
static moore_swid
low(const struct mlfm *x, uint32_t row, uint32_t column)
{
	return row * x->n_columns + column;
}

static moore_swid
next(const struct mlfm *x, moore_swid s, moore_lid lid)
{
	moore_portnum port = moore_lft_row(x->lft, s)[lid];

	return moore_fabric_port(x->f, s, port)->peer;
}

/* Counts the intermediates of the detours from a switch to every layer of a switch's endpoints. */
static void
count_detours(struct mlfm *x, moore_swid from, moore_swid to)
{
	for (moore_epid e = 0; e < x->f->n_endpoints; e++)
		for (moore_lid o = 1; x->f->ep[e].sw == to && o < 4; o++) {
			moore_lid lid = (moore_lid)(x->f->ep[e].lid + o);
			moore_swid i = next(x, next(x, from, lid), lid);

			if (i != to)
				x->n[i % x->n_columns * x->n_rows + i / x->n_columns]++;
		}
}

/* How many times the mean the busiest intermediate of a column serves, over all columns that serve
 * the two, when the switches of column a send to those of column b by a random permutation.  Intermediates
 * whose link towards b is an entry link serve none, and columns that serve only entry links few. */
static double
unevenness(struct mlfm *x, uint32_t a, uint32_t b, struct moore_rng *rng)
{
	uint32_t to[16], n_used = 0;
	double sum = 0;

	memset(x->n, 0, (size_t)x->n_columns * x->n_rows * sizeof(*x->n));
	for (uint32_t row = 0; row < x->n_rows; row++) {
		uint32_t k = moore_rng_below(rng, row + 1);

		to[row] = to[k];
		to[k] = row;
	}
	for (uint32_t row = 0; row < x->n_rows; row++)
		count_detours(x, low(x, row, a), low(x, to[row], b));
	for (uint32_t c = 0; c < x->n_columns; c++) {
		uint32_t all = 0, most = 0, serving = 0;

		for (uint32_t row = 0; row < x->n_rows; row++) {
			uint32_t n = x->n[c * x->n_rows + row];

			all += n;
			serving += n > 0;
			most = n > most ? n : most;
		}
		if (all < 4 * x->n_rows)
			continue;
		sum += (double)most * serving / all;
		n_used++;
	}
	return n_used ? sum / n_used : 1;
}

static void
used_evenly(void **state)
{
	static const struct {
		const char *params;
		uint32_t h, rows;
		double most;	/* trees that are not alike have 1.37 and 1.52 */
	} T[] = {
		{ "h=6", 6, 6, 1.34 },
		{ "h=9", 9, 9, 1.47 },
	};
	struct moore_rng rng = { 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mlfm x = { .n_columns = T[i].h + 1, .n_rows = T[i].rows };
		const struct moore_route_opts opts = { .seed = 0 };
		struct moore_route *r = NULL;
		uint32_t n = 0;
		double sum = 0;

		x.f = test_family("mlfm", T[i].params, 2);
		assert_int_equal(moore_route_build(&r, x.f, NULL, &opts, NULL), 0);
		x.lft = moore_route_lft(r);
		x.n = calloc((size_t)x.n_columns * x.n_rows, sizeof(*x.n));
		for (uint32_t a = 0; a < x.n_columns; a++)
			for (uint32_t b = 0; b < x.n_columns; b++)
				if (a != b && ++n)
					sum += unevenness(&x, a, b, &rng);
		print_message("# mlfm %s: the busiest intermediate serves %.2f times the mean\n",
			      T[i].params, sum / n);
		CHECK(T[i].params, sum / n < T[i].most);
		free(x.n);
		moore_route_free(r);
		moore_fabric_free(x.f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(used_evenly) };

	return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
