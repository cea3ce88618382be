// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_fabric.c - the invariants of fabrics, lookups by name and LID, fabrics made from
 * plans, and tables in memory. */
#include "harness.h"
#include "moore/tables.h"

/* S0 --2:2-- S1 --3:3-- S2.  On port 1 of S0 is port 1 of "host", on port 1 of S1 is port 2
 * of "host", on port 1 of S2 a router "edge".  S0 has LID 1; "host" has LMC 1. */
static struct moore_fabric *
small(void)
{
	static const char *const sw[] = { "S0", "S1", "S2" }, *const ep[] = { "host", "host", "edge" };
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_new(&f, 3, 3, 15, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		f->sw[i].guid = f->sw[i].port_guid = 0x200 + i;
		f->sw[i].n_ports = 4;
		f->sw[i].lid = (moore_lid)(1 + i);
		f->sw[i].name = moore_strndup(sw[i], 2);
		f->ep[i].node_guid = i < 2 ? 0x100 : 0x110;
		f->ep[i].guid = 0x101 + i;
		f->ep[i].ca_port = i == 1 ? 2 : 1;
		f->ep[i].router = i == 2;
		f->ep[i].lid = (moore_lid)(4 + 2 * i);
		f->ep[i].lmc = i < 2;
		f->ep[i].name = moore_strndup(ep[i], 4);
	}
	moore_fabric_layout(f);
	for (uint32_t i = 0; i < 3; i++)
		moore_fabric_attach(f, i, i, 1, 8);
	moore_fabric_link(f, 0, 2, 1, 2, 8);
	moore_fabric_link(f, 1, 3, 2, 3, 4);
	return f;
}

static struct moore_port *
port(struct moore_fabric *f, moore_swid s, unsigned p)
{
	return &f->port[f->sw[s].port0 + p];
}

static void far_end_empty(struct moore_fabric *f) { port(f, 1, 2)->role = MOORE_ROLE_NONE; }
static void far_end_elsewhere(struct moore_fabric *f) { port(f, 1, 2)->peer_port = 3; }
static void peer_out_of_range(struct moore_fabric *f) { port(f, 0, 2)->peer = 9; }
static void peer_port_out_of_range(struct moore_fabric *f) { port(f, 0, 2)->peer_port = 5; }
static void link_to_port0(struct moore_fabric *f) { port(f, 0, 2)->peer_port = 0; }
static void ep_elsewhere(struct moore_fabric *f) { f->ep[0].port = 4; }
static void ep_out_of_range(struct moore_fabric *f) { port(f, 0, 1)->peer = 3; }
static void ep_not_there(struct moore_fabric *f) { port(f, 2, 1)->role = MOORE_ROLE_NONE; }
static void self_on_port1(struct moore_fabric *f) { port(f, 0, 4)->role = MOORE_ROLE_SELF; }
static void port0_not_self(struct moore_fabric *f) { port(f, 0, 0)->role = MOORE_ROLE_NONE; }
static void no_lanes(struct moore_fabric *f) { port(f, 0, 2)->lanes = 0; }
static void many_lanes(struct moore_fabric *f) { port(f, 0, 1)->lanes = 16; }
static void not_laid_out(struct moore_fabric *f) { f->sw[1].port0 = 0; }
static void too_few_ports(struct moore_fabric *f) { f->sw[2].n_ports = 5; }
static void lid_twice(struct moore_fabric *f) { f->sw[2].lid = 1; }
static void lids_overlap(struct moore_fabric *f) { f->sw[2].lid = 5; }
static void lid_not_aligned(struct moore_fabric *f) { f->ep[0].lid = 9; }
static void lmc_too_large(struct moore_fabric *f) { f->ep[0].lmc = 8; }
static void lid_too_large(struct moore_fabric *f) { f->ep[2].lid = 0xc000; }
static void no_lid(struct moore_fabric *f) { f->ep[0].lid = 0; }
static void cut_link(struct moore_fabric *f) { moore_fabric_cut(f, 0, 2); }
static void cut_host(struct moore_fabric *f) { moore_fabric_cut(f, 0, 1); }
static void cut_port0(struct moore_fabric *f) { moore_fabric_cut(f, 0, 0); }

static void
test_seal(void **state)
{
	static const struct {
		const char *why;
		void (*tweak)(struct moore_fabric *);
		int want;
		const char *says;
	} T[] = {
		{ "as built", NULL, 0, "" },
		{ "a link to an empty port", far_end_empty, -MOORE_EPLAN, "S0 port 2" },
		{ "a link that does not lead back", far_end_elsewhere, -MOORE_EPLAN, "port 2" },
		{ "no such switch", peer_out_of_range, -MOORE_EPLAN, "S0 port 2" },
		{ "no such port", peer_port_out_of_range, -MOORE_EPLAN, "S0 port 2" },
		{ "a link to port 0", link_to_port0, -MOORE_EPLAN, "S0 port 2" },
		{ "the endpoint thinks otherwise", ep_elsewhere, -MOORE_EPLAN, "S0 port 1" },
		{ "no such endpoint", ep_out_of_range, -MOORE_EPLAN, "S0 port 1" },
		{ "an endpoint nobody sees", ep_not_there, -MOORE_EPLAN, "edge" },
		{ "two ports 0", self_on_port1, -MOORE_EPLAN, "S0 port 4" },
		{ "port 0 lost its role", port0_not_self, -MOORE_EPLAN, "port 0" },
		{ "a link without lanes", no_lanes, -MOORE_EPLAN, "lanes" },
		{ "16 lanes", many_lanes, -MOORE_EPLAN, "lanes" },
		{ "ports on top of each other", not_laid_out, -MOORE_EPLAN, "S1" },
		{ "ports beyond the array", too_few_ports, -MOORE_EPLAN, "S2" },
		{ "one LID for two", lid_twice, -MOORE_ELID, "S2: LID 1" },
		{ "within another's range", lids_overlap, -MOORE_ELID, "LID 5" },
		{ "not a multiple of 2^LMC", lid_not_aligned, -MOORE_ELID, "LID 9" },
		{ "LMC 8", lmc_too_large, -MOORE_ELID, "LMC 8" },
		{ "a multicast LID", lid_too_large, -MOORE_ELID, "0xc000" },
		{ "no LID yet", no_lid, 0, "" },
		{ "a link cut", cut_link, 0, "" },
		{ "a host unplugged", cut_host, 0, "" },
		{ "port 0 cannot be cut", cut_port0, 0, "" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = small();
		struct moore_err err = { 0 };

		if (T[i].tweak)
			T[i].tweak(f);
		CHECK_EQ(T[i].why, moore_fabric_seal(f, &err), T[i].want);
		CHECK_STR(T[i].why, err.text, T[i].says);
		moore_fabric_free(f);
	}
}

static void
test_cut(void **state)
{
	struct moore_fabric *f = small();
	(void)state;

	moore_fabric_cut(f, 1, 2);
	CHECK_EQ("the far end too", port(f, 0, 2)->role, MOORE_ROLE_NONE);
	CHECK_EQ("and its peer", port(f, 0, 2)->peer, MOORE_NONE);
	moore_fabric_cut(f, 0, 1);
	CHECK_EQ("the endpoint is nowhere", f->ep[0].sw, MOORE_NONE);
	moore_fabric_cut(f, 0, 0);
	CHECK_EQ("port 0 stays", port(f, 0, 0)->role, MOORE_ROLE_SELF);
	moore_fabric_free(f);
}

static void
test_lids(void **state)
{
	static const struct {
		const char *why;
		unsigned lid;
		moore_swid sw;
		unsigned port;
		moore_epid ep;
		unsigned offset;
	} T[] = {
		{ "LID 0 is none", 0, MOORE_NONE, 0, MOORE_NONE, 0 },
		{ "a switch", 2, 1, 0, MOORE_NONE, 0 },
		{ "a base LID", 4, 0, 1, 0, 0 },
		{ "offset 1", 7, 1, 1, 1, 1 },
		{ "LMC 0", 8, 2, 1, 2, 0 },
	};
	struct moore_fabric *f = small();
	struct moore_lid_owner *own;
	(void)state;

	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	CHECK_EQ("greatest LID", f->lid_top, 8);
	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_EQ(T[i].why, own[T[i].lid].sw, T[i].sw);
		CHECK_EQ(T[i].why, own[T[i].lid].port, T[i].port);
		CHECK_EQ(T[i].why, own[T[i].lid].ep, T[i].ep);
		CHECK_EQ(T[i].why, own[T[i].lid].offset, T[i].offset);
	}
	free(own);
	moore_fabric_cut(f, 2, 1);
	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	CHECK_EQ("an unplugged endpoint's LID is nobody's", own[8].sw, MOORE_NONE);
	free(own);
	moore_fabric_free(f);
}

static void
test_find(void **state)
{
	static const struct {
		const char *why, *what;
		int want;
		moore_swid sw;
		moore_epid ep;
		const char *says;
	} T[] = {
		{ "a switch by name", "S1", 0, 1, MOORE_NONE, "" },
		{ "an endpoint by name", "edge", 0, MOORE_NONE, 2, "" },
		{ "two ports of one name", "host", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "NAME:PORT" },
		{ "NAME:PORT", "host:2", 0, MOORE_NONE, 1, "" },
		{ "a port that it has not", "host:3", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "no name before the port", ":1", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "port 0 is no CA port", "host:0", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "switch GUID", "0x202", 0, 2, MOORE_NONE, "" },
		{ "port GUID", "0x0000000000000102", 0, MOORE_NONE, 1, "" },
		{ "node GUID of two ports", "0x100", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "2 ports" },
		{ "node GUID of one", "0x110", 0, MOORE_NONE, 2, "" },
		{ "no such GUID", "0x999", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "lid N", "lid 2", 0, 1, MOORE_NONE, "" },
		{ "N", "8", 0, MOORE_NONE, 2, "" },
		{ "a LID with an offset", "5", 0, MOORE_NONE, 0, "" },
		{ "LID 0", "0", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "no such LID", "lid 99", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "a LID as tools print it", "0x5", 0, MOORE_NONE, 0, "" },
		{ "too large for a LID", "0xc000", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "lid 0x is a number", "lid 0x5", 0, MOORE_NONE, 0, "" },
		{ "nothing", "", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
		{ "rubbish after a number", "5x", -MOORE_EINVAL, MOORE_NONE, MOORE_NONE, "nothing" },
	};
	struct moore_fabric *f = small();
	moore_swid sw;
	moore_epid ep;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].why, moore_fabric_find(f, T[i].what, &sw, &ep, &err), T[i].want);
		CHECK_EQ(T[i].why, sw, T[i].sw);
		CHECK_EQ(T[i].why, ep, T[i].ep);
		CHECK_STR(T[i].why, err.text, T[i].says);
	}
	free(f->sw[0].name);
	f->sw[0].name = moore_strndup("5", 1);
	CHECK_EQ("a name wins over a LID", moore_fabric_find(f, "5", &sw, &ep, NULL), 0);
	CHECK_EQ("a name wins over a LID", sw, 0);
	free(f->ep[2].name);
	f->ep[2].name = moore_strndup("S1", 2);
	CHECK_EQ("a host named as a switch", moore_fabric_find(f, "S1", &sw, &ep, NULL), -MOORE_EINVAL);
	moore_fabric_free(f);
}

/* A word that means several: each of them matches. */
static void
test_matches(void **state)
{
	static const struct { const char *what; unsigned switches, endpoints; } T[] = {	/* bits */
		{ "S1", 1 << 1, 0 }, { "host", 0, 3 }, { "host:2", 0, 2 }, { "edge", 0, 4 },
		{ "0x201", 1 << 1, 0 }, { "1", 1, 0 }, { "lid 2", 1 << 1, 0 }, { "S9", 0, 0 },
		{ "", 0, 0 }, { "0x0", 0, 0 }, { "lid 99", 0, 0 },
		{ "0x2", 1 << 1, 0 },
	};
	struct moore_fabric *f = small();
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		for (uint32_t k = 0; k < 3; k++) {
			CHECK_EQ(T[i].what, moore_switch_matches(&f->sw[k], T[i].what),
				 T[i].switches >> k & 1);
			CHECK_EQ(T[i].what, moore_endpoint_matches(&f->ep[k], T[i].what),
				 T[i].endpoints >> k & 1);
		}
	free(f->sw[0].name);
	f->sw[0].name = moore_strndup("2", 1);
	CHECK("a name", moore_switch_matches(&f->sw[0], "2"));
	CHECK("and a LID", moore_switch_matches(&f->sw[1], "2"));
	moore_fabric_free(f);
}

static void
test_copy(void **state)
{
	struct moore_fabric *f = small(), *g;
	(void)state;

	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	CHECK_OOM("copy", moore_fabric_copy(&g, f, NULL), (void)0);
	assert_memory_equal(f->port, g->port, f->n_ports * sizeof(*f->port));
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(f->sw[i].name, g->sw[i].name);
		assert_string_equal(f->ep[i].name, g->ep[i].name);
		CHECK("its own name", f->sw[i].name != g->sw[i].name);
		CHECK_EQ("LID", g->ep[i].lid, f->ep[i].lid);
		CHECK_EQ("port", g->ep[i].sw, f->ep[i].sw);
	}
	CHECK_EQ("top", g->lid_top, f->lid_top);
	moore_fabric_cut(g, 0, 2);
	CHECK_EQ("the original is not touched", port(f, 0, 2)->role, MOORE_ROLE_SWITCH);
	CHECK_EQ("still sound", moore_fabric_seal(f, NULL), 0);
	moore_fabric_free(g);
	moore_fabric_free(f);
	moore_fabric_free(NULL);
}

/* ---- from a plan ----------------------------------------------------------------- */

static struct moore_plan_switch plan_sw[] = {
	{ .name = (char[]){ "b" }, .guid = 0x900, .ports = 3 },
	{ .name = (char[]){ "a" }, .guid = 0x800, .ports = 3 },
};
static struct moore_plan_endpoint plan_ep[] = {
	{ .name = (char[]){ "h0" }, .guid = 0x72, .ca_port = 2, .sw = 0, .port = 1 },
	{ .name = (char[]){ "h1" }, .guid = 0x61, .ca_port = 1, .sw = 1, .port = 3 },
	{ .name = (char[]){ "h2" }, .guid = 0x81, .ca_port = 1, .sw = 1, .port = 1 },
};
static struct moore_plan_cable plan_cable[] = { { .sw = { 0, 1 }, .port = { 2, 2 } } };

static struct moore_plan
plan(void)
{
	return (struct moore_plan){ .n_switches = 2, .n_endpoints = 3, .n_cables = 1,
		.sw = plan_sw, .ep = plan_ep, .cable = plan_cable };
}

static void
test_from_plan(void **state)
{
	struct moore_plan p = plan();
	struct moore_fabric *f;
	struct moore_err err;
	(void)state;

	CHECK_OOM("from a plan", moore_fabric_from_plan(&f, &p, 2, &err), (void)0);
	CHECK_EQ("LIDs by GUID", f->sw[1].lid, 1);
	CHECK_EQ("LIDs by GUID", f->sw[0].lid, 2);
	CHECK_EQ("endpoints after switches, aligned", f->ep[1].lid, 4);
	CHECK_EQ("by GUID", f->ep[0].lid, 8);
	CHECK_EQ("by GUID", f->ep[2].lid, 12);
	CHECK_EQ("top", f->lid_top, 15);
	CHECK_EQ("node GUID", f->ep[0].node_guid, 0x70);
	CHECK_EQ("link", port(f, 1, 2)->peer, 0);
	CHECK_EQ("lanes", port(f, 1, 2)->lanes, 8);
	CHECK_EQ("endpoint", port(f, 1, 3)->peer, 1);
	CHECK_EQ("an empty port", port(f, 0, 3)->role, MOORE_ROLE_NONE);
	moore_fabric_free(f);
	CHECK_OOM("an outline", moore_fabric_outline(&f, &p, &err), moore_fabric_free(f));
	CHECK_EQ("LMC 8", moore_fabric_from_plan(&f, &p, 8, &err), -MOORE_EINVAL);
	plan_ep[2].guid = 0x61;
	CHECK_EQ("a GUID twice", moore_fabric_from_plan(&f, &p, 0, &err), -MOORE_EPLAN);
	CHECK_STR("it is named", err.text, "endpoints[2].guid");
	CHECK("nothing made", !f);
	plan_ep[2].guid = 0x81;
}

static void
test_too_many_lids(void **state)
{
	static const struct {
		const char *why;
		uint32_t endpoints;
		uint8_t lmc;
		int want;
	} T[] = {
		{ "just fits", 383, 7, 0 },	/* LIDs 128 to 49151 */
		{ "one more", 384, 7, -MOORE_ELID },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_plan p = plan();
		struct moore_plan_switch sw[2] = { plan_sw[0], plan_sw[1] };
		struct moore_fabric *f;
		struct moore_err err;

		sw[0].ports = sw[1].ports = 254;
		p.sw = sw;
		p.n_cables = 0;
		p.n_endpoints = T[i].endpoints;
		p.ep = calloc(p.n_endpoints, sizeof(*p.ep));
		for (uint32_t e = 0; e < p.n_endpoints; e++)
			p.ep[e] = (struct moore_plan_endpoint){ .name = plan_ep[0].name,
				.guid = 0x1000 + e, .ca_port = (uint8_t)(e % 254 + 1), .sw = e / 254,
				.port = (moore_portnum)(e % 254 + 1) };
		CHECK_EQ(T[i].why, moore_fabric_from_plan(&f, &p, T[i].lmc, &err), T[i].want);
		CHECK(T[i].why, T[i].want || f->lid_top == MOORE_LID_MAX);
		moore_fabric_free(f);
		free(p.ep);
	}
}

/* ---- tables ------------------------------------------------------------------------ */

static void
test_lft(void **state)
{
	static const struct {
		const char *why;
		moore_lid top;
		size_t stride;
	} T[] = {
		{ "no LID", 0, 64 }, { "one block", 63, 64 }, { "the next", 64, 128 },
		{ "all", MOORE_LID_MAX, 0xc000 },
	};
	struct moore_lft *t;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		CHECK_OOM(T[i].why, moore_lft_new(&t, 3, T[i].top, NULL), (void)0);
		CHECK_EQ(T[i].why, t->stride, T[i].stride);
		CHECK_EQ(T[i].why, moore_lft_row(t, 2)[T[i].stride - 1], MOORE_NO_PATH);
		moore_lft_free(t);
	}
}

static void
test_sl2vl(void **state)
{
	struct moore_fabric *f = small();
	struct moore_sl_row row = { { 0 } };
	struct moore_err err = { 0 };
	struct moore_sl2vl *t;
	(void)state;

	CHECK_OOM("new", moore_sl2vl_new(&t, f, NULL), (void)0);
	CHECK_EQ("all VL 0", moore_sl2vl_get(t, 2, 4, 4)->vl[15], 0);
	row.vl[3] = 7;
	CHECK_EQ("set", moore_sl2vl_set(t, 2, 4, 1, &row, NULL), 0);
	CHECK_EQ("set", moore_sl2vl_set(t, 0, 0, 4, &row, NULL), 0);
	CHECK_EQ("one row for both", t->n_rows, 2);
	CHECK_EQ("get", moore_sl2vl_get(t, 2, 4, 1)->vl[3], 7);
	CHECK_EQ("not its mirror", moore_sl2vl_get(t, 2, 1, 4)->vl[3], 0);
	for (unsigned i = 2; i < 100; i++) {
		row.vl[0] = (uint8_t)(i % 15);
		row.vl[1] = (uint8_t)(i / 15);
		CHECK_OOM("row", moore_sl2vl_set(t, 1, 1, 1, &row, &err), (void)0);
	}
	CHECK_EQ("all distinct", t->n_rows, 100);
	t->rows = realloc(t->rows, UINT16_MAX * sizeof(row));
	for (; t->n_rows < UINT16_MAX; t->n_rows++)
		t->rows[t->n_rows] = row;
	row.vl[6] = 1;
	CHECK_EQ("one more", moore_sl2vl_set(t, 1, 1, 1, &row, &err), -MOORE_EINVAL);
	moore_sl2vl_free(t);
	moore_fabric_free(f);
}

/* The hash changes with everything in the tables that can affect a packet, and with nothing
 * else. */
static void
test_hash(void **state)
{
	static const struct {
		const char *why;
		moore_swid sw;
		unsigned lid, in, out;	/* a route by LID; if out is not 0, the lanes from in to
					 * out */
		bool maps, differs;
	} T[] = {
		{ "a route to an endpoint", 2, 5, 0, 0, true, true },
		{ "a route to a switch", 1, 3, 0, 0, true, true },
		{ "a LID that nobody has", 1, 10, 0, 0, true, false },
		{ "lanes between two links", 1, 0, 2, 3, true, true },
		{ "lanes from the switch itself", 1, 0, 0, 3, true, true },
		{ "lanes back out of the same port", 1, 0, 2, 2, true, false },
		{ "lanes to a port with no link", 1, 0, 2, 4, true, false },
		{ "lanes of a switch that has no such table", 1, 0, 2, 3, false, false },
	};
	static const struct moore_sl_row odd = { .vl = { 1 } };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = small();
		struct moore_sl2vl *v;
		struct moore_lft *t;
		uint64_t a[2], b[2];

		CHECK(T[i].why, moore_fabric_seal(f, NULL) == 0);
		f->sw[T[i].sw].maps_sl = T[i].maps;
		CHECK(T[i].why, moore_lft_new(&t, 3, 10, NULL) == 0 && moore_sl2vl_new(&v, f, NULL) == 0);
		CHECK_OOM(T[i].why, moore_lft_hash(&a[0], f, t, NULL), (void)0);
		CHECK_OOM(T[i].why, moore_sl2vl_hash(&a[1], f, v, NULL), (void)0);
		if (T[i].out)
			moore_sl2vl_set(v, T[i].sw, (moore_portnum)T[i].in, (moore_portnum)T[i].out, &odd,
					NULL);
		else
			moore_lft_row(t, T[i].sw)[T[i].lid] = 1;
		CHECK(T[i].why, moore_lft_hash(&b[0], f, t, NULL) == 0 &&
				moore_sl2vl_hash(&b[1], f, v, NULL) == 0);
		CHECK_EQ(T[i].why, a[0] != b[0], T[i].differs && !T[i].out);
		CHECK_EQ(T[i].why, a[1] != b[1], T[i].differs && T[i].out);
		moore_lft_free(t);
		moore_sl2vl_free(v);
		moore_fabric_free(f);
	}
}

/* A route that differs changes the number of its switch, and of no other. */
static void
hash_of_each_switch(void **state)
{
	struct moore_fabric *f = small();
	uint32_t before[3], after[3];
	struct moore_lft *t;

	(void)state;
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	assert_int_equal(moore_lft_new(&t, 3, 10, NULL), 0);
	CHECK_OOM("before", moore_lft_hash_each(before, f, t, NULL), (void)0);
	CHECK("equal rows of two switches differ", before[0] != before[1] && before[1] != before[2] &&
	      before[0] != before[2]);
	for (moore_swid s = 0; s < 3; s++) {
		moore_lft_row(t, s)[5] ^= 1;
		assert_int_equal(moore_lft_hash_each(after, f, t, NULL), 0);
		for (moore_swid k = 0; k < 3; k++)
			CHECK_EQ("this one alone", before[k] != after[k], k == s);
		moore_lft_row(t, s)[5] ^= 1;
	}
	moore_lft_free(t);
	moore_fabric_free(f);
}

/* Rows that no pair of ports has any more do not count, nor does how many there are. */
static void
hash_ignores_unused_rows(void **state)
{
	struct moore_fabric *f = small();
	struct moore_sl_row row = { .vl = { 1, 2, 3 } };
	struct moore_sl2vl *t;
	uint64_t few, many;

	(void)state;
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	f->sw[1].maps_sl = true;
	assert_int_equal(moore_sl2vl_new(&t, f, NULL), 0);
	assert_int_equal(moore_sl2vl_set(t, 1, 2, 3, &row, NULL), 0);
	assert_int_equal(moore_sl2vl_hash(&few, f, t, NULL), 0);
	for (unsigned i = 0; i < 300; i++) {
		const struct moore_sl_row other = { .vl = { [14] = (uint8_t)(i / 16), [15] = i % 16 } };

		assert_int_equal(moore_sl2vl_set(t, 1, 2, 3, &other, NULL), 0);
	}
	assert_int_equal(moore_sl2vl_set(t, 1, 2, 3, &row, NULL), 0);
	assert_int_equal(moore_sl2vl_hash(&many, f, t, NULL), 0);
	assert_true(few == many);
	moore_sl2vl_free(t);
	moore_fabric_free(f);
}

static void
test_mft(void **state)
{
	struct moore_mft *t;
	(void)state;

	CHECK_OOM("new", moore_mft_new(&t, 3, NULL), (void)0);
	for (uint16_t g = 0; g < 100; g++) {
		CHECK_OOM("group", (int)moore_mft_group(t, (uint16_t)(0xc000 + g)), (void)0);
		moore_bits_set(t->mask[g * 3u + 2], g);
	}
	CHECK_EQ("found again", moore_mft_group(t, 0xc007), 7);
	CHECK_EQ("not added again", t->n_groups, 100);
	CHECK("kept when growing", moore_bits_get(t->mask[7 * 3 + 2], 7));
	CHECK_EQ("new ones are empty", t->mask[7 * 3 + 1][0], 0);
	moore_mft_free(t);
	moore_mft_free(NULL);
}

static void
codes_of_lanes(void **state)
{
	static const uint8_t lanes[] = { 1, 1, 2, 4, 8, 15, 15, 15 };

	(void)state;
	for (unsigned code = 0; code < ARRAY_LEN(lanes); code++)
		CHECK_EQ("lanes of a code", moore_lanes_of_code(code), lanes[code]);
	for (unsigned n = 0; n <= 15; n++) {
		unsigned code = 1;

		while (lanes[code] < n)
			code++;
		CHECK_EQ("code of lanes", moore_code_of_lanes(n), code);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seal),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_lids),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_from_plan),
		cmocka_unit_test(test_too_many_lids),
		cmocka_unit_test(test_lft),
		cmocka_unit_test(test_sl2vl),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(hash_of_each_switch), cmocka_unit_test(hash_ignores_unused_rows),
		cmocka_unit_test(test_mft), cmocka_unit_test(codes_of_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
