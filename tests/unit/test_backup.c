// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_backup.c - backups of routes: on any fabric, whole or with links missing, they are safe while
 * any single link is down, by a judge that knows nothing of how they were chosen; and that judge
 * finds backups that are not. */
#include "harness.h"

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/ether.h"
#include "moore/lane.h"
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
	CHECK_EQ("none", moore_mix_cuts(&cuts, x.f, &rows, row, 0, &lanes, NULL, NULL), 0);
	CHECK_EQ("without backups all is safe", cuts.n_bad, 0);
	free(row);
	routed_free(&x);
}

/* ---- the judge against its definition ----------------------------------------------- */

enum { MAX_ROWS = 12 };

struct held_rows {
	struct moore_lft *lft;
	struct moore_row more[MAX_ROWS], backup[MAX_ROWS];
	uint64_t unknown;
	struct moore_held rows;
	uint32_t n_backup;
};

static struct moore_row
random_row(const struct moore_fabric *f, struct moore_rng *r)
{
	const moore_swid s = moore_rng_below(r, f->n_switches);

	return (struct moore_row){ s, (moore_lid)(1 + moore_rng_below(r, f->lid_top)),
		(uint8_t)moore_rng_below(r, f->sw[s].n_ports + 2u) };
}

static void
draw_rows(struct held_rows *h, const struct moore_fabric *f, struct moore_rng *r)
{
	h->lft = test_random_trees(f, r, 200);
	h->rows = (struct moore_held){ .lft = h->lft, .more = h->more, .n_more = moore_rng_below(r, 4) };
	h->n_backup = moore_rng_below(r, MAX_ROWS + 1);
	for (size_t i = 0; i < h->rows.n_more; i++)
		h->more[i] = random_row(f, r);
	for (uint32_t i = 0; i < h->n_backup; i++) {
		h->backup[i] = random_row(f, r);
		if (h->rows.n_more && moore_rng_below(r, 3) == 0) {	/* a backup of a further value */
			const struct moore_row *of = &h->more[moore_rng_below(r, (uint32_t)h->rows.n_more)];

			h->backup[i].sw = of->sw;
			h->backup[i].lid = of->lid;
		}
	}
	h->unknown = 1u << moore_rng_below(r, f->n_switches);
	if (moore_rng_below(r, 6) == 0)
		h->rows.unknown = &h->unknown;
}

static bool
has_value(const struct held_rows *h, const struct moore_row *of, moore_swid s, moore_portnum p)
{
	bool has = of->sw == s && moore_lft_row(h->lft, s)[of->lid] == p;

	for (size_t i = 0; i < h->rows.n_more; i++)
		has |= of->sw == s && h->more[i].sw == s && h->more[i].lid == of->lid && h->more[i].port == p;
	return has;
}

/* What may happen while the link at port p of s is down. */
static struct moore_mix_held *
judge_link(const struct moore_fabric *f, const struct held_rows *h, const struct moore_mix_lanes *lanes,
	   moore_swid s, moore_portnum p)
{
	const struct moore_port *q = moore_fabric_port(f, s, p);
	struct moore_row more[2 * MAX_ROWS];
	struct moore_held held = { h->lft, more, h->rows.n_more, h->rows.unknown };
	struct moore_mix_held *v;

	memcpy(more, h->more, sizeof(h->more));
	for (uint32_t i = 0; i < h->n_backup; i++)
		if (has_value(h, &h->backup[i], s, p) || has_value(h, &h->backup[i], q->peer, q->peer_port))
			more[held.n_more++] = h->backup[i];
	assert_int_equal(moore_mix_held(&v, f, &held, &h->rows, lanes, NULL, NULL), 0);
	return v;
}

static void
compare_cuts(const char *why, const struct moore_fabric *f, const struct held_rows *h,
	     const struct moore_mix_lanes *lanes, unsigned *n_bad)
{
	struct moore_mix_cuts cuts;
	uint32_t n = 0, bad = 0;

	CHECK_EQ(why, moore_mix_cuts(&cuts, f, &h->rows, h->backup, h->n_backup, lanes, NULL, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);
			struct moore_mix_held *v;

			if (q->role != MOORE_ROLE_SWITCH || q->peer * 256 + q->peer_port < s * 256 + p)
				continue;
			v = judge_link(f, h, lanes, s, (moore_portnum)p);
			n++;
			if ((!v->safe || v->interrupted) && !bad++) {
				CHECK(why, cuts.bad && cuts.sw == s && cuts.port == p);
				CHECK_EQ(why, cuts.bad->loop_lids, v->loop_lids);
				CHECK_EQ(why, cuts.bad->n_dependencies, v->n_dependencies);
				CHECK_EQ(why, cuts.bad->interrupted, v->interrupted);
			}
			moore_mix_held_free(v);
		}
	CHECK_EQ(why, cuts.n_links, n);
	CHECK_EQ(why, cuts.n_bad, bad);
	CHECK(why, !cuts.bad == !bad && (bad || cuts.sw == MOORE_NONE));
	moore_mix_held_free(cuts.bad);
	*n_bad += bad > 0;
}

/* Leads a cable from one port of switch 0 to another of its ports, or to the same (a plug). */
static void
loop_back(struct moore_fabric *f, bool plug)
{
	moore_portnum port[2];
	unsigned n = 0;

	for (unsigned p = 1; p <= f->sw[0].n_ports && n < 2; p++)
		if (moore_fabric_port(f, 0, (moore_portnum)p)->role == MOORE_ROLE_SWITCH)
			port[n++] = (moore_portnum)p;
	if (n < 2)
		return;
	moore_fabric_cut(f, 0, port[0]);
	moore_fabric_cut(f, 0, port[1]);
	moore_fabric_link(f, 0, port[0], 0, port[!plug], 8);
}

static void
test_twin(void **state)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	struct moore_rng r = { test_seed() };
	const unsigned n = test_rounds(200);
	unsigned bad = 0;
	char why[64];
	(void)state;

	for (unsigned i = 0; i < n; i++) {
		struct moore_fabric *f = test_random_fabric(&r, 1 + moore_rng_below(&r, 6),
							    moore_rng_below(&r, 5), 0);
		struct moore_mix_lanes lanes = { .other = NULL };
		struct moore_sl2vl *l;
		struct held_rows h;

		snprintf(why, sizeof(why), "round %u", i);
		if (i % 4 == 3)
			loop_back(f, i % 8 == 7);
		assert_int_equal(moore_lane_effective(&l, f, &one_class, NULL, NULL), 0);
		lanes.sl2vl = l;
		draw_rows(&h, f, &r);
		compare_cuts(why, f, &h, &lanes, &bad);
		moore_lft_free(h.lft);
		moore_sl2vl_free(l);
		moore_fabric_free(f);
	}
	print_message("# %u of %u fabrics have a bad link\n", bad, n);
	CHECK("both occur", bad && bad < n);
}

static void
test_empty(void **state)
{
	struct moore_mix_cuts cuts;
	struct moore_fabric *f;
	struct moore_sl2vl *l;
	struct moore_lft *t;
	(void)state;

	assert_int_equal(moore_fabric_new(&f, 0, 0, 0, NULL), 0);
	assert_int_equal(moore_lft_new(&t, 0, 1, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&l, f, NULL), 0);
	const struct moore_held rows = { .lft = t };
	const struct moore_mix_lanes lanes = { .sl2vl = l };

	CHECK_EQ("no switches", moore_mix_cuts(&cuts, f, &rows, NULL, 0, &lanes, NULL, NULL), 0);
	CHECK_EQ("no links", cuts.n_links, 0);
	moore_lft_free(t);
	moore_sl2vl_free(l);
	moore_fabric_free(f);
}

static void
test_unfit(void **state)
{
	static const struct moore_row beyond[] = { { 8, 1, 1 }, { 7, 999, 1 } };
	struct moore_fabric *f = test_family("torus", "a=8", 0), *other = test_family("torus", "a=7", 0);
	struct moore_lft *t, *of_other;
	struct moore_sl2vl *l, *l_other;
	struct moore_err err;
	(void)state;

	assert_int_equal(moore_lft_new(&t, 8, f->lid_top, NULL), 0);
	assert_int_equal(moore_lft_new(&of_other, 7, f->lid_top, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&l, f, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&l_other, other, NULL), 0);
	const struct {
		const char *text;
		struct moore_held rows;
		const struct moore_row *backup;
		uint32_t n;
		const struct moore_sl2vl *lanes;
	} T[] = {
		{ "backup rows: switch 8, LID 1: not in", { .lft = t }, &beyond[0], 1, l },
		{ "backup rows: switch 7, LID 999: not in", { .lft = t }, &beyond[1], 1, l },
		{ "rows: switch 8, LID 1: not in", { t, &beyond[0], 1, NULL }, NULL, 0, l },
		{ "LFTs: made for", { .lft = of_other }, NULL, 0, l },
		{ "SL2VL: made for", { .lft = t }, NULL, 0, l_other },
	};

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const struct moore_mix_lanes lanes = { .sl2vl = T[i].lanes };
		struct moore_mix_cuts cuts;

		CHECK_EQ(T[i].text, moore_mix_cuts(&cuts, f, &T[i].rows, T[i].backup, T[i].n, &lanes, NULL,
						   &err), -MOORE_EINVAL);
		CHECK_EQ(T[i].text, strncmp(err.text, T[i].text, strlen(T[i].text)), 0);
		CHECK_EQ("err may be NULL", moore_mix_cuts(&cuts, f, &T[i].rows, T[i].backup, T[i].n, &lanes,
							   NULL, NULL), -MOORE_EINVAL);
		CHECK(T[i].text, !cuts.bad);
	}
	moore_lft_free(t);
	moore_lft_free(of_other);
	moore_sl2vl_free(l);
	moore_sl2vl_free(l_other);
	moore_fabric_free(f);
	moore_fabric_free(other);
}

/* A failure leaves no verdict. */
static int
cuts_or_none(struct moore_mix_cuts *cuts, const struct moore_fabric *f, const struct moore_held *rows,
	     const struct moore_row *row, uint32_t n, const struct moore_mix_lanes *lanes)
{
	struct moore_err err;
	const int rc = moore_mix_cuts(cuts, f, rows, row, n, lanes, NULL, &err);

	CHECK("a verdict or none", rc == 0 ? cuts->n_bad && cuts->bad : !cuts->bad);
	return rc;
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
	for (uint32_t i = 0; i < n; i++)
		row[i].port = MOORE_NO_PATH;	/* now each link is bad, and the first verdict is kept */
	CHECK_OOM("judging bad ones", cuts_or_none(&cuts, x.f, &rows, row, n, &lanes),
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
		cmocka_unit_test(test_twin),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_unfit),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
