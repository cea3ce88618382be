// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_backup.c - backups of routes: on any fabric, whole or with links missing, they are safe while
 * any single link is down, by a judge that knows nothing of how they were chosen; and that judge
 * finds backups that are not. */
#include "harness.h"
#include "moore/engine.h"
#include "moore/ether.h"
#include "plan_of.h"

struct routed {
	struct moore_plan *plan;
	struct moore_fabric *f;
	struct moore_engine_result *r;
};

/* A fabric with four LIDs for each endpoint, without some of its links, and its tables. */
static void
route(struct routed *x, const char *family, const char *params, unsigned n_missing, struct moore_rng *rng)
{
	struct moore_conf conf;

	x->plan = plan_of(family, params);
	assert_int_equal(moore_fabric_from_plan(&x->f, x->plan, 2, NULL), 0);
	while (n_missing) {
		const moore_swid s = moore_rng_below(rng, x->f->n_switches);
		const moore_portnum p = (moore_portnum)(1 + moore_rng_below(rng, x->f->sw[s].n_ports));

		if (moore_fabric_port(x->f, s, p)->role != MOORE_ROLE_SWITCH)
			continue;
		moore_fabric_cut(x->f, s, p);
		n_missing--;
	}
	moore_conf_defaults(&conf);
	assert_int_equal(moore_engine_run(&x->r, x->f, x->plan, &conf, NULL, NULL, NULL), 0);
}

static void
routed_free(struct routed *x)
{
	moore_engine_result_free(x->r);
	moore_fabric_free(x->f);
	moore_plan_free(x->plan);
}

/* Lists the backups; the caller frees the list. */
static struct moore_row *
rows_of(const struct moore_lft *backup, uint32_t *n)
{
	struct moore_row *row = calloc(backup->stride * backup->n_switches + 1, sizeof(*row));

	*n = 0;
	for (moore_swid s = 0; s < backup->n_switches; s++)
		for (size_t lid = 1; lid < backup->stride; lid++)
			if (moore_lft_row(backup, s)[lid] != MOORE_NO_PATH)
				row[(*n)++] = (struct moore_row){ s, (moore_lid)lid,
								  moore_lft_row(backup, s)[lid] };
	return row;
}

static void
test_safe(void **state)
{
	static const struct { const char *family, *params; unsigned missing; } T[] = {
		{ "slimfly", "q=4 p=1", 0 }, { "slimfly", "q=5 p=1", 0 }, { "slimfly", "q=5 p=1", 6 },
		{ "oft", "k=3 p=1", 0 }, { "oft", "k=4 p=1", 3 }, { "mlfm", "h=3 p=1", 0 },
		{ "hyperx", "s1=4 s2=3", 0 }, { "polarfly", "q=4 p=1", 2 }, { "torus", "a=4 b=3 c=2", 0 },
		{ "dragonfly", "a=4 h=2", 0 }, { "fattree3", "k=4", 1 }, { "jellyfish", "n=20 k=5 p=1", 0 },
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_mix_cuts cuts;
		struct moore_lft *backup;
		struct moore_row *row;
		struct routed x;
		uint32_t n;

		route(&x, T[i].family, T[i].params, T[i].missing, &rng);
		const struct moore_held rows = { .lft = x.r->lft };
		const struct moore_mix_lanes lanes = { .sl2vl = x.r->sl2vl };

		CHECK_EQ(T[i].params, moore_ether_backups(&backup, x.f, x.r->lft, x.r->sl2vl, NULL, NULL), 0);
		row = rows_of(backup, &n);
		CHECK(T[i].params, n > 0);
		CHECK_EQ(T[i].params, moore_mix_cuts(&cuts, x.f, &rows, row, n, &lanes, NULL, NULL), 0);
		CHECK(T[i].params, cuts.n_links > 0);
		CHECK_EQ(T[i].params, cuts.n_bad, 0);
		CHECK(T[i].params, !cuts.bad);
		free(row);
		moore_lft_free(backup);
		routed_free(&x);
	}
}

/* On a ring, a backup at every switch leads back and forth over the cut. */
static void
test_judge_finds_loops(void **state)
{
	struct moore_mix_cuts cuts;
	struct routed x;
	(void)state;

	route(&x, "torus", "a=6", 0, NULL);
	const struct moore_held rows = { .lft = x.r->lft };
	const struct moore_mix_lanes lanes = { .sl2vl = x.r->sl2vl };
	struct moore_row *row = calloc((size_t)x.f->n_switches * (x.f->lid_top + 1u), sizeof(*row));
	uint32_t n = 0;

	for (moore_swid s = 0; s < x.f->n_switches; s++)
		for (moore_lid lid = 1; lid <= x.f->lid_top; lid++)
			for (moore_portnum p = 1; p <= x.f->sw[s].n_ports; p++) {
				const uint8_t first = moore_lft_row(x.r->lft, s)[lid];

				if (first && first != p && first != MOORE_NO_PATH &&
				    moore_fabric_port(x.f, s, first)->role == MOORE_ROLE_SWITCH &&
				    moore_fabric_port(x.f, s, p)->role == MOORE_ROLE_SWITCH)
					row[n++] = (struct moore_row){ s, lid, (uint8_t)p };
			}
	CHECK_EQ("judged", moore_mix_cuts(&cuts, x.f, &rows, row, n, &lanes, NULL, NULL), 0);
	CHECK("not safe", cuts.n_bad > 0 && cuts.bad && (!cuts.bad->safe || cuts.bad->interrupted));
	CHECK_EQ("a link", moore_fabric_port(x.f, cuts.sw, cuts.port)->role, MOORE_ROLE_SWITCH);
	moore_mix_held_free(cuts.bad);
	row[0].sw = x.f->n_switches;
	CHECK_EQ("a row of no switch", moore_mix_cuts(&cuts, x.f, &rows, row, 0, &lanes, NULL, NULL), 0);
	CHECK_EQ("without backups all is safe", cuts.n_bad, 0);
	free(row);
	routed_free(&x);
}

static void
test_out_of_memory(void **state)
{
	struct moore_mix_cuts cuts;
	struct moore_lft *backup;
	struct moore_row *row;
	struct moore_err err;
	struct routed x;
	uint32_t n;
	(void)state;

	route(&x, "torus", "a=3 b=2", 0, NULL);
	const struct moore_held rows = { .lft = x.r->lft };
	const struct moore_mix_lanes lanes = { .sl2vl = x.r->sl2vl };

	CHECK_OOM("choosing", moore_ether_backups(&backup, x.f, x.r->lft, x.r->sl2vl, NULL, &err),
		  (void)backup);
	row = rows_of(backup, &n);
	CHECK_OOM("judging", moore_mix_cuts(&cuts, x.f, &rows, row, n, &lanes, NULL, &err),
		  moore_mix_held_free(cuts.bad));
	free(row);
	moore_lft_free(backup);
	routed_free(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_safe),
		cmocka_unit_test(test_judge_finds_loops),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
