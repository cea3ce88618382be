// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_plugin.c - the plugin's own files, called through the callbacks that OpenSM uses, on
 * a fake of OpenSM's structures (fake_opensm.h).
 *
 * The oracles are libmoore's reader of the same plan, the independent checker, and rows
 * written by hand.  The tests in tests/fabric run the real OpenSM with the plugin. */
#include "harness.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "fake_opensm.h"
#include "../../opensm-plugin/plugin.h"

extern osm_event_plugin_t osm_event_plugin;

static char dir[] = "/tmp/moore-plugin-XXXXXX";
static struct osm_routing_engine re;

/* ---- set-up ------------------------------------------------------------------------- */

static void
write_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Writes a moore.conf that names a socket of the test's own, followed by `more`. */
static void
write_conf(const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text), "moored %s/sock\n%s", dir, more);
	write_file("moore.conf", text);
}

static struct moore_fabric *
slimfly(uint8_t lmc)
{
	static const char *const words[] = { "q=5", "p=2" };
	const struct moore_topo_family *family = moore_topo_family_find("slimfly");
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_fabric *f;
	struct moore_topo *t;
	struct moore_plan *p;
	uint64_t *sw, *ep;

	assert_int_equal(moore_topo_params_parse(family, param, words, 2, NULL), 0);
	assert_int_equal(moore_topo_build(&t, family, param, NULL), 0);
	assert_int_equal(moore_plan_from_topo(&p, t, NULL), 0);
	assert_int_equal(moore_plan_guids(p, &sw, &ep, NULL), 0);
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = sw[i];
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = ep[i];
	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	free(sw);
	free(ep);
	moore_plan_free(p);
	moore_topo_free(t);
	return f;
}

static struct mplug_sm *
start(uint8_t lmc)
{
	static char options[256];
	struct mplug_sm *sm;

	fake_build(slimfly(lmc));
	snprintf(options, sizeof(options), "other=1 moore_conf=%s/moore.conf", dir);
	fake.osm->subn.opt.event_plugin_options = options;
	sm = osm_event_plugin.create(fake.osm);
	assert_non_null(sm);
	assert_string_equal(fake_engine->name, "moore");
	assert_int_equal(fake_engine->setup(&re, fake.osm), 0);
	return sm;
}

/* Ends in the order in which OpenSM does: engines first. */
static void
stop(struct mplug_sm *sm)
{
	re.destroy(fake_context);
	osm_event_plugin.delete(sm);
	fake_free();
}

static int
route(void)
{
	return re.ucast_build_fwd_tables(fake_context);
}

/* Copies the rows in new_lft into a table. */
static struct moore_lft *
published(void)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, fake.f->n_switches, fake.f->lid_top, NULL), 0);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memcpy(moore_lft_row(t, s), fake.sw[s]->sw->new_lft, (size_t)fake.f->lid_top + 1);
	return t;
}

/* Checks whether the checker accepts what is in new_lft on the lanes of any-sl. */
static void
check_published(const char *why, const struct moore_fabric *f, bool sound)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	struct moore_check_opts opts = { 0 };
	struct moore_lft *lft = published();
	struct moore_verdict *v;
	struct moore_sl2vl *t;

	assert_int_equal(moore_lane_effective(&t, f, &one_class, NULL), 0);
	assert_int_equal(moore_check(&v, f, lft, t, NULL, &opts, NULL), 0);
	CHECK(why, v->acyclic && v->loops == 0);
	CHECK_EQ(why, v->sound, sound);
	moore_verdict_free(v);
	moore_sl2vl_free(t);
	moore_lft_free(lft);
}

/* ---- observing ---------------------------------------------------------------------- */

static void
observes_what_opensm_discovered(void **state)
{
	struct mplug_sm *sm = start(2);
	struct mplug_view v;

	(void)state;
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	CHECK_EQ("switches", v.f->n_switches, fake.f->n_switches);
	CHECK_EQ("endpoints", v.f->n_endpoints, fake.f->n_endpoints);
	CHECK_EQ("greatest LID", v.f->lid_top, fake.f->lid_top);
	for (moore_swid s = 0; s < v.f->n_switches; s++) {
		moore_swid in_plan = MOORE_NONE;

		CHECK("switches ascend by GUID", !s || v.f->sw[s - 1].guid < v.f->sw[s].guid);
		CHECK("sw[] is in the same order",
		      cl_ntoh64(v.sw[s]->p_node->node_info.node_guid) == v.f->sw[s].guid);
		for (moore_swid i = 0; i < fake.f->n_switches; i++)
			if (fake.f->sw[i].guid == v.f->sw[s].guid)
				in_plan = i;
		for (unsigned p = 1; p <= v.f->sw[s].n_ports; p++) {
			const struct moore_port *a = moore_fabric_port(v.f, s, (moore_portnum)p);
			const struct moore_port *b = moore_fabric_port(fake.f, in_plan, (moore_portnum)p);

			CHECK_EQ("role of the port", a->role, b->role);
			if (a->role == MOORE_ROLE_SWITCH)
				CHECK("peer", v.f->sw[a->peer].guid == fake.f->sw[b->peer].guid);
			CHECK_EQ("lanes of the link", a->lanes, a->role ? 8 : 0);
		}
	}
	CHECK("no lanes are about to change", !v.lanes_pending);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	stop(sm);
}

static void down_at_one_end(void) { ib_port_info_set_port_state(
	&fake.sw[0]->physp_table[4].p_remote_physp->port_info, IB_LINK_DOWN); }
static void unhealthy(void) { fake.sw[0]->physp_table[4].healthy = FALSE; }
static void one_sided(void) { fake.sw[0]->physp_table[4].p_remote_physp->p_remote_physp = NULL; }
static void host_down(void) { ib_port_info_set_port_state(&fake.ca[0]->physp_table[1].port_info,
							  IB_LINK_DOWN); }
static void lid_taken(void) { fake.ca[0]->physp_table[1].port_info.base_lid =
	fake.ca[1]->physp_table[1].port_info.base_lid; }
static void lid_unaligned(void) { fake.ca[0]->physp_table[1].port_info.base_lid = cl_hton16(1001); }
static void one_lane(void) { ib_port_info_set_op_vls(&fake.sw[0]->physp_table[4].port_info, 1); }
static void router(void) { fake.ca[0]->node_info.node_type = IB_NODE_TYPE_ROUTER; }

static void
observes_defects(void **state)
{
	static const struct {
		const char *why;
		void (*change)(void);
		int links, endpoints, without_lid, one_lane, routers;
		bool pending;
	} T[] = {
		{ "an intact fabric", NULL, 0, 0, 0, 0, 0, false },
		{ "a link that is down at one end does not count", down_at_one_end, -2, 0, 0, 0, 0, false },
		{ "a link that OpenSM holds unhealthy does not count", unhealthy, -2, 0, 0, 0, 0, false },
		{ "a link that one end denies does not count", one_sided, -2, 0, 0, 0, 0, false },
		{ "an endpoint whose port is down does not count", host_down, 0, -1, 0, 0, 0, false },
		{ "a LID that two ports claim is nobody's", lid_taken, 0, 0, 1, 0, 0, false },
		{ "a LID that its LMC does not divide is none", lid_unaligned, 0, 0, 1, 0, 0, false },
		{ "a link that runs one lane now is routed so, and another sweep is needed",
		  one_lane, 0, 0, 0, 2, 0, true },
		{ "a router's port is an endpoint", router, 0, 0, 0, 0, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = start(2);
		int links = 0, planned = 0, without = 0, one = 0, routers = 0;
		struct mplug_view v;

		if (T[i].change)
			T[i].change();
		CHECK_EQ(T[i].why, mplug_observe(sm, &v, NULL), 0);
		for (uint32_t p = 0; p < v.f->n_ports; p++) {
			links += v.f->port[p].role == MOORE_ROLE_SWITCH;
			one += v.f->port[p].role == MOORE_ROLE_SWITCH && v.f->port[p].lanes == 1;
		}
		for (uint32_t p = 0; p < fake.f->n_ports; p++)
			planned += fake.f->port[p].role == MOORE_ROLE_SWITCH;
		for (moore_epid e = 0; e < v.f->n_endpoints; e++) {
			without += !v.f->ep[e].lid;
			routers += v.f->ep[e].router;
		}
		CHECK_EQ(T[i].why, links - planned, T[i].links);
		CHECK_EQ(T[i].why, (int)v.f->n_endpoints - (int)fake.f->n_endpoints, T[i].endpoints);
		CHECK_EQ(T[i].why, without, T[i].without_lid);
		CHECK_EQ(T[i].why, one, T[i].one_lane);
		CHECK_EQ(T[i].why, routers, T[i].routers);
		CHECK_EQ(T[i].why, v.lanes_pending, T[i].pending);
		moore_fabric_free(v.f);
		mplug_view_free(&v);
		stop(sm);
	}
}

/* ---- the sweep ---------------------------------------------------------------------- */

static void qos_off(void) { fake.osm->subn.opt.qos = FALSE; }
static void caches(void) { fake.osm->subn.opt.use_ucast_cache = TRUE; }
static void one_vl(void) { fake.osm->subn.opt.max_op_vls = 1; }
static void bad_conf(void) { write_conf("seed x\n"); }
static void no_plan(void) { write_conf("plan /nonexistent/plan.json\n"); }
static void no_links(void) { write_conf("links /nonexistent/links\n"); }
static void no_conf(void) { char p[64]; snprintf(p, sizeof(p), "%s/moore.conf", dir); unlink(p); }

/* Reasons for which the engine does not route.  It refuses if nothing was ever routed;
 * later the last good tables stay in force. */
static const struct {
	const char *why;
	void (*change)(void);
	const char *log;
	bool settings;	/* a fault in moore's own files: later the last good settings apply */
	bool one_lane;	/* later the engine makes routes for one lane */
} refusal[] = {
	{ "qos is off", qos_off, "ERR MR01", false, false },
	{ "one lane", one_vl, "ERR MR02", false, true },
	{ "the cache", caches, "ERR MR03", false, false },
	{ "a line of moore.conf", bad_conf, "ERR MR04", true, false },
	{ "moore.conf that is named is missing", no_conf, "ERR MR04", true, false },
	{ "the plan is missing", no_plan, "ERR MR05", true, false },
	{ "the links file is missing", no_links, "ERR MR14", true, false },
};

static void
refuses_at_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusal); i++) {
		struct mplug_sm *sm;
		struct moore_lft *t;

		write_conf("");
		sm = start(0);
		refusal[i].change();
		CHECK(refusal[i].why, route() < 0);
		CHECK_STR(refusal[i].why, fake.log, refusal[i].log);
		CHECK_STR(refusal[i].why, fake.log, "; no routes are set");
		t = published();
		for (size_t lid = 0; lid <= fake.f->lid_top; lid++)
			CHECK_EQ(refusal[i].why, moore_lft_row(t, 3)[lid], MOORE_NO_PATH);
		moore_lft_free(t);
		stop(sm);
	}
}

static void
keeps_the_last_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusal); i++) {
		const char *why = refusal[i].why;
		struct mplug_sm *sm;
		struct moore_lft *before, *after;

		write_conf("");
		sm = start(0);
		CHECK_EQ(why, route(), 0);
		check_published(why, fake.f, true);
		before = published();
		fake_next_sweep();
		refusal[i].change();
		CHECK_EQ(why, route(), 0);
		CHECK_STR(why, fake.log, refusal[i].log);
		CHECK_STR(why, fake.log, refusal[i].settings ? "the last good settings stay" :
			  refusal[i].one_lane ? "safe on one lane" : "the last good routes stay");
		after = published();
		if (!refusal[i].one_lane)
			for (moore_swid s = 0; s < fake.f->n_switches; s++)
				CHECK(why, !memcmp(moore_lft_row(before, s), moore_lft_row(after, s),
						   (size_t)fake.f->lid_top + 1));
		moore_lft_free(before);
		moore_lft_free(after);

		/* An error that persists is logged once; when it ends, its repeats are
		 * counted. */
		fake_next_sweep();
		CHECK_EQ(why, route(), 0);
		CHECK(why, !strstr(fake.log, "ERR MR"));
		fake_next_sweep();
		CHECK_EQ(why, route(), 0);
		write_conf("");
		fake.osm->subn.opt.qos = TRUE;
		fake.osm->subn.opt.use_ucast_cache = FALSE;
		fake.osm->subn.opt.max_op_vls = FAKE_VLS;
		fake_next_sweep();
		CHECK_EQ(why, route(), 0);
		fake_next_sweep();
		CHECK_EQ(why, route(), 0);
		check_published(why, fake.f, true);
		stop(sm);
	}
}

static void
a_repeated_error_is_counted(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	qos_off();
	for (int sweep = 0; sweep < 4; sweep++) {
		fake_next_sweep();
		assert_int_equal(route(), 0);
		CHECK_EQ("logged in the first sweep only", !!strstr(fake.log, "ERR MR01"), !sweep);
	}
	fake.osm->subn.opt.qos = TRUE;
	for (int sweep = 0; sweep < 2; sweep++) {
		fake_next_sweep();
		assert_int_equal(route(), 0);
		CHECK_EQ("its end is logged once, when a sweep went without it",
			 !!strstr(fake.log, "MR01 is over, repeats not logged: 3"), sweep);
	}
	qos_off();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_STR("afterwards it is news again", fake.log, "ERR MR01");
	stop(sm);
}

static void
warns_without_no_fallback(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("classes 0,1,2\n");
	sm = start(0);
	fake.osm->no_fallback_routing_engine = FALSE;
	fake.osm->subn.opt.max_op_vls = 2;
	assert_int_equal(route(), 0);
	CHECK_STR("minhop would take over", fake.log, "ERR MR12");
	CHECK_STR("three classes need six lanes", fake.log,
		  "ERR MR13: max_op_vls gives 2 lanes and the classes of moore.conf need 8");
	CHECK_STR("and the remedy", fake.log, "set \"max_op_vls 4\"");
	stop(sm);
}

static void
a_cut_goes_without_the_link(void **state)
{
	struct moore_fabric *cut;
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK_STR("one line", fake.log, "moore: slimfly q=5");
	CHECK_STR("all blocks change at first", fake.log, "LFT blocks change");
	CHECK("no lanes are pending", !fake.osm->subn.force_heavy_sweep);
	cut = slimfly(0);
	moore_fabric_cut(cut, 0, 4);
	fake_next_sweep();
	fake_cut(0, 4);
	assert_int_equal(route(), 0);
	check_published("routed around the cut", cut, true);

	/* The same cut while qos is off: the last good rows, without those over the link. */
	fake_next_sweep();
	moore_fabric_cut(cut, 7, 6);
	fake_cut(7, 6);
	qos_off();
	assert_int_equal(route(), 0);
	check_published("last good rows are safe, though some are gone", cut, false);
	moore_fabric_free(cut);
	stop(sm);
}

/* If a link is about to gain lanes, the engine asks for one more sweep, and only one. */
static void
asks_once_for_another_sweep(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	one_lane();
	for (int sweep = 0; sweep < 3; sweep++) {
		assert_int_equal(route(), 0);
		CHECK_EQ("asked in the first sweep alone", fake.osm->subn.force_heavy_sweep, !sweep);
		fake_next_sweep();
	}
	stop(sm);
}

/* ---- lanes -------------------------------------------------------------------------- */

static unsigned
vl_of(const ib_slvl_table_t *t, unsigned sl)
{
	return sl % 2 ? t->raw_vl_by_sl[sl / 2] & 15u : t->raw_vl_by_sl[sl / 2] >> 4;
}

static void
lanes_by_role(void **state)
{
	ib_slvl_table_t t;
	struct mplug_sm *sm;
	osm_physp_t *out;

	(void)state;
	write_conf("classes 0,1,0\n");
	sm = start(0);
	memset(&t, 0xee, sizeof(t));
	re.update_sl2vl(fake_context, &fake.sw[0]->physp_table[4], 1, 4, &t);
	CHECK_EQ("before the first sweep the table stays", vl_of(&t, 0), 14);
	assert_int_equal(route(), 0);
	out = &fake.sw[0]->physp_table[4];
	for (unsigned in = 0; in <= fake.f->sw[0].n_ports; in++) {
		bool from_switch = in && moore_fabric_port(fake.f, 0, (moore_portnum)in)->role ==
			MOORE_ROLE_SWITCH;

		re.update_sl2vl(fake_context, out, (uint8_t)in, 4, &t);
		for (unsigned sl = 0; sl < 16; sl++)
			CHECK_EQ("class of the SL, and 1 when it comes from a switch", vl_of(&t, sl),
				 2 * (sl == 1) + from_switch);
	}
	memset(&t, 0xee, sizeof(t));
	re.update_sl2vl(fake_context, &fake.sw[0]->physp_table[0], 4, 0, &t);
	re.update_sl2vl(fake_context, &fake.ca[0]->physp_table[1], 0, 0, &t);
	CHECK_EQ("port 0 and CAs are left alone", vl_of(&t, 5), 14);

	/* For an in port that is down, the table stays as OpenSM believes the switch has
	 * it. */
	memset(osm_physp_get_slvl_tbl(out, 5), 0x33, sizeof(t));
	fake_cut(0, 5);
	fake_next_sweep();
	assert_int_equal(route(), 0);
	re.update_sl2vl(fake_context, out, 5, 4, &t);
	CHECK_EQ("kept", vl_of(&t, 9), 3);
	stop(sm);
}

static void
lanes_weigh_alike(void **state)
{
	static const struct {
		const char *why, *conf;
		unsigned op_vls, low_cap, low, high;	/* lanes in the two tables */
	} T[] = {
		{ "two lanes in the low table", "", 4, 8, 0x3, 0 },
		{ "four for two classes", "classes 0,1,0\n", 4, 8, 0xf, 0 },
		{ "one lane", "", 1, 8, 0x1, 0 },
		{ "too small a low table: injection low, transit high", "", 4, 1, 0x1, 0x2 },
		{ "and for two classes", "classes 0,1,0\n", 4, 2, 0x5, 0xa },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm;
		osm_physp_t *p;

		write_conf(T[i].conf);
		sm = start(0);
		CHECK_EQ(T[i].why, route(), 0);
		p = &fake.sw[0]->physp_table[4];
		p->port_info.vl_arb_low_cap = (uint8_t)T[i].low_cap;
		ib_port_info_set_op_vls(&p->port_info, (uint8_t)T[i].op_vls);
		for (unsigned block = 0; block < 4; block++) {
			unsigned lanes = 0;
			ib_vl_arb_table_t t;

			memset(&t, 0xee, sizeof(t));
			re.update_vlarb(fake_context, p, 4, &t, 32, block);
			for (unsigned n = 0; n < 32; n++) {
				CHECK(T[i].why, t.vl_entry[n].weight == 0 || t.vl_entry[n].weight == 64);
				if (t.vl_entry[n].weight)
					lanes |= 1u << t.vl_entry[n].vl;
			}
			CHECK_EQ(T[i].why, lanes, block == 0 ? T[i].low : block == 2 ? T[i].high : 0);
		}
		stop(sm);
	}
}

/* ---- path records and multicast ------------------------------------------------------- */

static void
hinted_path_records(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("profile sl-hint\n");
	sm = start(1);
	assert_int_equal(route(), 0);
	for (moore_epid a = 0; a < fake.f->n_endpoints; a += 7)
		for (moore_epid b = 0; b < fake.f->n_endpoints; b += 5) {
			moore_lid slid = fake.f->ep[a].lid, dlid = (moore_lid)(fake.f->ep[b].lid + 1);
			uint8_t right = moore_route_right(sm->result->route, slid, dlid);
			uint8_t sl = re.path_sl(fake_context, 0, cl_hton16(slid), cl_hton16(dlid));

			CHECK("the SL names a table that is right there and back", right >> sl & 1);
		}
	stop(sm);

	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK_EQ("under any-sl the hint is the answer", re.path_sl(fake_context, 7, 1, 2), 7);
	stop(sm);
}

static void
join(osm_mgrp_t *g, osm_mcm_port_t *member, const osm_port_t *port)
{
	cl_qmap_insert(&g->mcm_port_tbl, port->guid, &member->map_item);
}

static void
group_tree(void **state)
{
	osm_mgrp_box_t box = { .mlid = 0xc003 };
	osm_mcm_port_t member[3];
	osm_mgrp_t g = { .mlid = cl_hton16(0xc003) };
	struct mplug_sm *sm;
	unsigned ends = 0, links = 0;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	cl_qlist_init(&box.mgrp_list);
	cl_qmap_init(&g.mcm_port_tbl);
	cl_qlist_insert_tail(&box.mgrp_list, &g.list_item);
	join(&g, &member[0], &fake.port[0]);
	assert_int_equal(re.mcast_build_stree(fake_context, &box), IB_SUCCESS);
	join(&g, &member[1], &fake.port[41]);
	join(&g, &member[2], &fake.port[97]);
	assert_int_equal(re.mcast_build_stree(fake_context, &box), IB_SUCCESS);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++) {
			osm_switch_t *sw = fake.sw[s]->sw;
			const struct moore_port *at = moore_fabric_port(fake.f, s, (moore_portnum)p);

			if (!((*sw->mcast_tbl.p_mask_tbl)[3][p / 16] >> p % 16 & 1))
				continue;
			ends += at->role == MOORE_ROLE_ENDPOINT;
			links += at->role == MOORE_ROLE_SWITCH;
			if (at->role == MOORE_ROLE_SWITCH)
				CHECK("both ends of a link are in the tree",
				      (*fake.sw[at->peer]->sw->mcast_tbl.p_mask_tbl)[3][at->peer_port / 16] >>
				      at->peer_port % 16 & 1);
		}
	CHECK_EQ("members", ends, 3);
	CHECK("a tree over the switches of three members at diameter two", links >= 4 && links <= 12);

	/* a switch that does not support multicast */
	fake.sw[fake.f->ep[41].sw]->sw->switch_info.mcast_cap = 0;
	assert_int_equal(re.mcast_build_stree(fake_context, &box), IB_SUCCESS);
	CHECK_STR("its members are left out, and said", fake.log, "ERR MR10");
	stop(sm);
}

static void
group_on_an_unsafe_sl(void **state)
{
	osm_mgrp_box_t box = { .mlid = 0xc001 };
	osm_mcm_port_t member[2];
	osm_mgrp_t g = { .mlid = cl_hton16(0xc001) };
	struct mplug_sm *sm;

	(void)state;
	write_conf("profile sl-hint\n");
	sm = start(0);
	assert_int_equal(route(), 0);
	cl_qlist_init(&box.mgrp_list);
	cl_qmap_init(&g.mcm_port_tbl);
	cl_qlist_insert_tail(&box.mgrp_list, &g.list_item);
	join(&g, &member[0], &fake.port[0]);
	join(&g, &member[1], &fake.port[41]);
	g.mcmember_rec.sl_flow_hop = ib_member_set_sl_flow_hop(2, 0, 0);
	assert_int_equal(re.mcast_build_stree(fake_context, &box), IB_SUCCESS);
	CHECK_STR("it gets no tree", fake.log, "ERR MR16: multicast group 0xc001 is on SL 2");
	stop(sm);
}

/* ---- notices to moored
 * ------------------------------------------------------------------- */

static int
listen_here(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s/sock" MOORE_NOTICE_SUFFIX, dir);
	unlink(a.sun_path);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void
next_notice(const char *why, int fd, struct moore_notice *n)
{
	char text[4096];
	ssize_t len = recv(fd, text, sizeof(text), 0);

	CHECK(why, len > 0);
	CHECK_EQ(why, moore_notice_parse(n, text, (size_t)len, NULL), 0);
}

static void
tells_moored(void **state)
{
	struct moore_notice n;
	struct mplug_sm *sm;
	int fd;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK_STR("nobody listens: said once", fake.log, "nobody listens");
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK("and not again", !strstr(fake.log, "nobody listens"));
	fd = listen_here();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	next_notice("routed", fd, &n);
	CHECK_EQ("state", n.state, MOORE_NOTICE_ROUTED);
	CHECK_EQ("its number", n.number, 3);
	CHECK("its hash", n.hash == sm->result->hash);
	CHECK_EQ("nothing changed", n.blocks, 0);
	osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
	next_notice("up", fd, &n);
	CHECK_EQ("up", n.up, 1);
	osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
	CHECK("told once", recv(fd, &n, sizeof(n), 0) < 0);
	qos_off();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	next_notice("kept", fd, &n);
	CHECK_EQ("state", n.state, MOORE_NOTICE_KEPT);
	CHECK_STR("why", n.why, "MR01");
	close(fd);
	stop(sm);
}

/* ---- a plan that cannot be used -------------------------------------------------------------- */

/* How many bytes this process has read so far. */
static unsigned long long
bytes_read(void)
{
	unsigned long long n = 0;
	FILE *f = fopen("/proc/self/io", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "rchar: %llu", &n), 1);
	fclose(f);
	return n;
}

/* A megabyte of empty arrays is refused.  It is read again while the file is so new that a
 * change could go unnoticed, then no more until the file changes. */
static void
reads_a_bad_plan_once(void **state)
{
	const size_t n = 1 << 20;
	char *text = malloc(n), name[300];
	unsigned long long before;
	struct mplug_sm *sm;

	(void)state;
	memset(text, '[', n);
	text[n - 1] = '\0';
	write_conf("");
	sm = start(0);
	CHECK_EQ("without a plan", route(), 0);
	write_file("plan", text);
	snprintf(name, sizeof(name), "plan %s/plan\n", dir);
	write_conf(name);
	fake_next_sweep();
	CHECK_EQ("the last good routes", route(), 0);
	CHECK_STR("why", fake.log, "found an array, want an object; the last good settings stay");
	before = bytes_read();
	fake_next_sweep();
	CHECK_EQ("young", route(), 0);
	CHECK("is read again", bytes_read() - before > n / 2);
	sleep(4);
	fake_next_sweep();
	CHECK_EQ("old", route(), 0);
	before = bytes_read();
	for (unsigned i = 0; i < 5; i++) {
		fake_next_sweep();
		CHECK_EQ("old", route(), 0);
		CHECK("is logged once", !strstr(fake.log, "ERR MR"));
	}
	CHECK("is not read again", bytes_read() - before < n / 2);
	write_file("plan", "{}");
	fake_next_sweep();
	CHECK_EQ("changed", route(), 0);
	CHECK_STR("is read", fake.log, "moore_plan: missing");
	free(text);
	stop(sm);
}

/* A pipe does not block OpenSM, a large file does not fill its memory, and no control byte
 * of a file reaches the terminal on which someone reads the log. */
static void
refuses_what_is_no_plan(void **state)
{
	char path[300], text[400];
	struct mplug_sm *sm;

	(void)state;
	snprintf(path, sizeof(path), "%s/plan", dir);
	snprintf(text, sizeof(text), "plan %s\n", path);
	unlink(path);
	write_conf("");
	sm = start(0);
	write_conf(text);
	assert_int_equal(mkfifo(path, 0600), 0);
	CHECK("a FIFO", route() < 0);
	CHECK_STR("a FIFO", fake.log, "plan: is no regular file");
	unlink(path);
	write_file("plan", "");
	assert_int_equal(truncate(path, (off_t)MOORE_PLAN_SUBNET_BYTES_MAX + 1), 0);
	fake_next_sweep();
	CHECK("too long", route() < 0);
	CHECK_STR("too long", fake.log, "plan: is larger than 163840 KiB");
	write_conf("pl\033[2J\xe2\x80\xae x\n");
	fake_next_sweep();
	CHECK("control characters", route() < 0);
	CHECK_STR("control characters", fake.log, "ERR MR04");
	CHECK("are not logged", !strchr(fake.log, '\033') && !strstr(fake.log, "\xe2\x80\xae"));
	unlink(path);
	stop(sm);
}

/* ---- options ------------------------------------------------------------------------------ */

static void
options(void **state)
{
	static const struct { const char *why, *text, *path; bool named; } T[] = {
		{ "none", NULL, MOORE_SYSCONFDIR "/moore/moore.conf", false },
		{ "alone", "moore_conf=/a/b", "/a/b", true },
		{ "among others", "x=1,moore_conf=/a/b y", "/a/b", true },
		{ "a longer name is not ours", "xmoore_conf=/a/b", MOORE_SYSCONFDIR "/moore/moore.conf", false },
		{ "empty", "moore_conf= x", MOORE_SYSCONFDIR "/moore/moore.conf", false },
	};
	static struct mplug_sm sm;

	(void)state;
	fake_build(slimfly(0));
	sm.osm = fake.osm;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		sm.settings = (struct mplug_settings){ .named = false };
		mplug_settings_init(&sm, T[i].text);
		CHECK(T[i].why, !strcmp(sm.settings.path, T[i].path));
		CHECK_EQ(T[i].why, sm.settings.named, T[i].named);
	}
	CHECK_STR("an empty path is an error", fake.log, "ERR MR04");
	fake_free();
}

static int
make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int
remove_dir(void **state)
{
	static const char *const names[] = { "moore.conf", "plan", "sock" MOORE_NOTICE_SUFFIX };
	char path[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(observes_what_opensm_discovered),
		cmocka_unit_test(observes_defects),
		cmocka_unit_test(refuses_at_first),
		cmocka_unit_test(keeps_the_last_good),
		cmocka_unit_test(a_repeated_error_is_counted),
		cmocka_unit_test(warns_without_no_fallback),
		cmocka_unit_test(a_cut_goes_without_the_link),
		cmocka_unit_test(asks_once_for_another_sweep),
		cmocka_unit_test(lanes_by_role),
		cmocka_unit_test(lanes_weigh_alike),
		cmocka_unit_test(hinted_path_records),
		cmocka_unit_test(group_tree),
		cmocka_unit_test(group_on_an_unsafe_sl),
		cmocka_unit_test(tells_moored),
		cmocka_unit_test(reads_a_bad_plan_once),
		cmocka_unit_test(refuses_what_is_no_plan),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
