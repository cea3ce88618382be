// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_accept.c - what is read of a switch, held against what was programmed: each row of the
 * table below changes one thing and names the verdicts that change. */
#include "harness.h"
#include "fabrics.h"
#include "moore/accept.h"
#include "moore/engine.h"

struct rig {
	struct moore_fabric *f;		/* of both sides */
	struct moore_engine_result *r;
	struct moore_lft *lft;		/* what is read */
	struct moore_sl2vl *sl2vl;
	struct moore_hardware *h;
	struct moore_accept_side read, was;
};

enum { SW = 7 };	/* of slimfly q=3 p=2; ports 1 and 2 have endpoints */

static void
report(struct moore_hardware *h, const struct moore_fabric *f)
{
	static const struct moore_arb_entry even[] = { { 0, 64 }, { 1, 64 } };
	struct moore_err err;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		h->sw[s][MOORE_SW_LFT_CAP] = 49152;
		h->sw[s][MOORE_SW_LFT_TOP] = f->lid_top;
		h->sw[s][MOORE_SW_MAPS_SL] = 1;
	}
	for (uint32_t p = 0; p < f->n_ports; p++) {
		h->port[p][MOORE_PT_VLS] = 8;
		h->port[p][MOORE_PT_VL_CAP] = 8;
		h->port[p][MOORE_PT_LOW_CAP] = 8;
		assert_int_equal(moore_hardware_set_arb(h, p, MOORE_ARB_LOW, even, 2, &err), 0);
	}
}

static void
set_up(struct rig *g)
{
	struct moore_conf conf;
	struct moore_plan *p = plan_of("slimfly", "q=3 p=2");
	struct moore_err err;

	*g = (struct rig){ NULL };
	moore_conf_defaults(&conf);
	assert_int_equal(moore_fabric_from_plan(&g->f, p, 1, &err), 0);
	assert_int_equal(moore_engine_run(&g->r, g->f, p, &conf, NULL, NULL, &err), 0);
	assert_int_equal(moore_lft_new(&g->lft, g->f->n_switches, g->f->lid_top, &err), 0);
	memcpy(g->lft->row, g->r->lft->row, g->lft->stride * g->f->n_switches);
	assert_int_equal(moore_sl2vl_new(&g->sl2vl, g->f, &err), 0);
	for (moore_swid s = 0; s < g->f->n_switches; s++)
		for (unsigned in = 0; in <= g->f->sw[s].n_ports; in++)
			for (unsigned out = 0; out <= g->f->sw[s].n_ports; out++)
				assert_int_equal(moore_sl2vl_set(g->sl2vl, s, (moore_portnum)in, (moore_portnum)out,
					moore_sl2vl_get(g->r->sl2vl, s, (moore_portnum)in, (moore_portnum)out), &err), 0);
	assert_int_equal(moore_hardware_new(&g->h, g->f, &err), 0);
	report(g->h, g->f);
	g->read = (struct moore_accept_side){ g->f, g->lft, g->sl2vl, g->h, true };
	g->was = (struct moore_accept_side){ g->f, g->r->lft, g->r->sl2vl, NULL, true };
	moore_plan_free(p);
}

static void
tear_down(struct rig *g)
{
	moore_hardware_free(g->h);
	moore_sl2vl_free(g->sl2vl);
	moore_lft_free(g->lft);
	moore_engine_result_free(g->r);
	moore_fabric_free(g->f);
}

/* ---- one thing is otherwise ------------------------------------------------------------- */

static uint32_t at(const struct rig *g, unsigned port) { return g->f->sw[SW].port0 + port; }

static void
one_row(struct rig *g, moore_swid s, moore_portnum in, moore_portnum out)
{
	struct moore_sl_row row = *moore_sl2vl_get(g->sl2vl, s, in, out);

	row.vl[9] ^= 1;
	assert_int_equal(moore_sl2vl_set(g->sl2vl, s, in, out, &row, NULL), 0);
}

static void weights(struct rig *g, int which, unsigned vl0, unsigned vl1)
{
	const struct moore_arb_entry e[] = { { 0, (uint8_t)vl0 }, { 1, (uint8_t)vl1 } };

	assert_int_equal(moore_hardware_set_arb(g->h, at(g, 4), which, e, 2, NULL), 0);
}

static void nothing(struct rig *g) { (void)g; }
static void row_of_a_pair(struct rig *g) { one_row(g, SW, 3, 4); }
static void row_from_port_0(struct rig *g) { one_row(g, SW, 0, 4); }
static void row_back(struct rig *g) { one_row(g, SW, 4, 4); }
static void row_to_port_0(struct rig *g) { one_row(g, SW, 4, 0); }
static void row_elsewhere(struct rig *g) { one_row(g, SW + 1, 3, 4); }
static void maps_none(struct rig *g) { g->h->sw[SW][MOORE_SW_MAPS_SL] = 0; }
static void port_0_silent(struct rig *g) { g->h->port[at(g, 0)][MOORE_PT_VLS] = 0; }
static void fewer_vls(struct rig *g) { g->h->port[at(g, 3)][MOORE_PT_VLS] = 4; }
static void vls_above_cap(struct rig *g) { g->h->port[at(g, 3)][MOORE_PT_VL_CAP] = 4; }
static void no_weight(struct rig *g) { weights(g, MOORE_ARB_LOW, 64, 0); }
static void uneven(struct rig *g) { weights(g, MOORE_ARB_LOW, 64, 63); }
static void uneven_high(struct rig *g) { weights(g, MOORE_ARB_HIGH, 1, 0); }
static void by_high(struct rig *g) { weights(g, MOORE_ARB_LOW, 0, 0); weights(g, MOORE_ARB_HIGH, 8, 8); }
static void arb_unread(struct rig *g) { g->h->arb[at(g, 4)][MOORE_ARB_LOW].read = false; }
static void arb_missing(struct rig *g) { arb_unread(g); g->h->port[at(g, 4)][MOORE_PT_LOW_CAP] = 0; }
static void no_path_kept_not(struct rig *g)
{
	uint8_t *row = moore_lft_row(g->lft, SW);
	uint32_t lid = 1;

	while (lid <= g->f->lid_top && row[lid] != MOORE_NO_PATH)
		lid++;
	assert_true(lid <= g->f->lid_top);
	row[lid] = 0;
}
static void other_port(struct rig *g) { moore_lft_row(g->lft, SW)[g->f->sw[1].lid] ^= 1; }
static void path_bit(struct rig *g)
{
	for (uint32_t e = 0; e < g->f->n_endpoints; e++)
		if (g->f->ep[e].sw == SW && g->f->ep[e].port == 1)
			moore_lft_row(g->lft, SW)[g->f->ep[e].lid + 1] = 2;
}
static void low_top(struct rig *g) { g->h->sw[SW][MOORE_SW_LFT_TOP]--; }
static void small_table(struct rig *g) { g->h->sw[SW][MOORE_SW_LFT_CAP] = g->f->lid_top; }
static void not_read(struct rig *g) { g->h->sw[SW][MOORE_SW_LFT_CAP] = 0; }
static void no_hardware(struct rig *g) { g->read.hardware = NULL; }
static void not_programmed(struct rig *g) { g->was = (struct moore_accept_side){ .f = NULL }; }
static void other_switch(struct rig *g) { g->was.f = NULL; }
static void no_lanes(struct rig *g) { g->was.sl2vl = NULL; }
static void vls_assumed(struct rig *g) { g->was.vls = false; }

/* One letter for each row: y obeys, n does not obey, ? cannot be told. */
static const struct {
	const char *why;
	void (*change)(struct rig *g);
	const char *want, *text;
} T[] = {
	{ "all is kept", nothing, "yyyyyy", "differ by in port" },
	{ "a row of a pair of ports", row_of_a_pair, "nyyyyy", "in port 3, out port 4, SL 9: VL 1 was programmed "
	  "and VL 0 is read; 1 of" },
	{ "a row from port 0", row_from_port_0, "nyyyyy", "in port 0, out port 4" },
	{ "a row back to its port", row_back, "nyyyyy", "in port 4, out port 4" },
	{ "no row leads to port 0", row_to_port_0, "yyyyyy", "" },
	{ "a row of another switch", row_elsewhere, "yyyyyy", "" },
	{ "no SL to VL mapping", maps_none, "nyyyyy", "IsSLMappingSupported" },
	{ "port 0 did not answer", port_0_silent, "?yyyyy", "port 0 was not read" },
	{ "fewer VLs than programmed", fewer_vls, "ynyyyy", "port 3 runs 4 VLs; it can run 8, and 8" },
	{ "more VLs than it can run", vls_above_cap, "ynyyyy", "it can run 4" },
	{ "a VL without weight", no_weight, "yynyyy", "packets leave on VL 1, which has no weight" },
	{ "uneven weights", uneven, "yynyyy", "weights 64 and 63" },
	{ "uneven in the other table", uneven_high, "yynyyy", "high 1 and 0" },
	{ "weights in the other table", by_high, "yyyyyy", "" },
	{ "a table that was not read", arb_unread, "yy?yyy", "no arbitration table was read" },
	{ "a port that has none", arb_missing, "yynyyy", "no arbitration table was read" },
	{ "no-path is not kept", no_path_kept_not, "yyynyy", "255 was programmed and port 0 is read" },
	{ "another port", other_port, "yyynyy", "is read" },
	{ "a LID of the endpoint leads elsewhere", path_bit, "yyynyn", "path bits 1 of the endpoint at port 1" },
	{ "the top is too low", low_top, "yyyyny", "the top is LID" },
	{ "the table is too small", small_table, "yyyyny", "that the table can have" },
	{ "the switch did not answer", not_read, "??????", "nothing was read" },
	{ "dumps in place of what was read", no_hardware, "??????", "nothing was read" },
	{ "nothing to compare with", not_programmed, "??y?yy", "was not given" },
	{ "dumps of another fabric", other_switch, "??y?yy", "does not hold this switch" },
	{ "OpenSM without QoS", no_lanes, "?yyyyy", "or its SL to VL rows" },
	{ "VLs that nobody told", vls_assumed, "y?yyyy", "moore-op-vls.dump" },
};

static void
test_rows(void **state)
{
	static const char letter[] = { [MOORE_ACCEPT_UNKNOWN] = '?', [MOORE_ACCEPT_NO] = 'n',
		[MOORE_ACCEPT_YES] = 'y' };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf all = MOORE_BUF_INIT;
		struct moore_accepted a;
		char got[MOORE_N_ACCEPT + 1] = "";
		struct rig g;

		set_up(&g);
		T[i].change(&g);
		assert_int_equal(moore_accept(&a, &g.read, &g.was, SW, NULL), 0);
		for (int k = 0; k < MOORE_N_ACCEPT; k++) {
			got[k] = letter[a.row[k].verdict];
			CHECK(T[i].why, a.row[k].why.len);
			moore_buf_fmt(&all, "%s\n", a.row[k].why.data);
		}
		CHECK_STR(T[i].why, got, T[i].want);
		CHECK_STR(T[i].why, all.data, T[i].text);
		moore_buf_free(&all);
		moore_accepted_free(&a);
		tear_down(&g);
	}
}

static void
test_oom(void **state)
{
	struct moore_accepted a;
	struct rig g;
	(void)state;

	set_up(&g);
	CHECK_OOM("judging", moore_accept(&a, &g.read, &g.was, SW, NULL), moore_accepted_free(&a));
	moore_accepted_free(&a);
	tear_down(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows), cmocka_unit_test(test_oom) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
