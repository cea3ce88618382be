// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_held_lanes.c - routes rely only on lanes that the switches have (lanes.c), on a fake
 * of OpenSM's structures.
 *
 * The oracle is the checker on the rows that packets meet: OpenSM's copy of a row where both
 * ports send, and elsewhere what OpenSM sets before it activates the ports. */
#include "harness.h"

#include <stdlib.h>
#include <unistd.h>

#include "fake_opensm.h"
#include "plan_of.h"
#include "../../opensm-plugin/plugin.h"

static void
write_conf(const char *text)
{
	char all[256];

	snprintf(all, sizeof(all), "moored /nowhere\n%s", text);
	fake_write(fake_conf, all);
}

static struct mplug_sm *
begin_lmc(const char *settings, uint8_t lmc)
{
	struct moore_plan *p = plan_of("slimfly", "q=5");
	struct moore_fabric *f;

	write_conf(settings);
	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	moore_plan_free(p);
	fake_build(f);
	fake_slvl = NULL;
	fake_slvl_gets = 0;
	return fake_load();
}

static struct mplug_sm *
begin(const char *settings)
{
	return begin_lmc(settings, 2);
}

static void
end(struct mplug_sm *sm)
{
	fake_unload(sm);
	fake_free();
}

/* ---- the oracle ---------------------------------------------------------------------- */

static bool
active(const osm_physp_t *p)
{
	return p && ib_port_info_get_port_state(&p->port_info) == IB_LINK_ACTIVE;
}

static struct moore_sl_row
row_met(moore_swid s, moore_portnum in, moore_portnum out)
{
	osm_physp_t *p = fake.sw[s]->physp_table, *to = &p[out];
	ib_slvl_table_t t = *osm_physp_get_slvl_tbl(to, in);
	struct moore_sl_row row;

	if (fake.osm->subn.opt.qos && !(active(to) && (!in || active(p[in].p_remote_physp))))
		re.update_sl2vl(fake_context, to, in, out, &t);
	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		row.vl[sl] = sl & 1 ? t.raw_vl_by_sl[sl / 2] & 15 : t.raw_vl_by_sl[sl / 2] >> 4;
	return row;
}

/* True if new_lft cannot deadlock on the rows that packets meet now. */
static bool
is_safe(const struct mplug_sm *sm)
{
	const struct moore_check_opts opts = { .sl_set = sm->result->sl_set };
	struct moore_fabric *f = fake.f;
	struct moore_verdict *v;
	struct moore_sl2vl *t;
	struct moore_lft *lft;
	bool acyclic;

	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	assert_int_equal(moore_sl2vl_new(&t, f, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++) {
		memcpy(moore_lft_row(lft, s), fake.sw[s]->sw->new_lft, (size_t)f->lid_top + 1);
		for (unsigned out = 1; out <= f->sw[s].n_ports; out++)
			for (unsigned in = 0; in <= f->sw[s].n_ports; in++) {
				struct moore_sl_row row = row_met(s, (moore_portnum)in, (moore_portnum)out);

				assert_int_equal(moore_sl2vl_set(t, s, (moore_portnum)in,
								 (moore_portnum)out, &row, NULL), 0);
			}
	}
	assert_int_equal(moore_check(&v, f, lft, t, NULL, &opts, NULL), 0);
	acyclic = v->acyclic && !v->loops;
	moore_verdict_free(v);
	moore_sl2vl_free(t);
	moore_lft_free(lft);
	return acyclic;
}

/* One sweep.  Returns whether OpenSM was asked for another one. */
static bool
sweep(const char *why, struct mplug_sm *sm)
{
	bool again;

	fake_next_sweep();
	osm_event_plugin.report(sm, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
	CHECK_EQ(why, re.ucast_build_fwd_tables(fake_context), 0);
	CHECK(why, is_safe(sm));
	osm_ucast_mgr_set_fwd_tables(NULL);
	if (fake.osm->subn.opt.qos)
		fake_set_lanes();
	again = fake.osm->subn.force_heavy_sweep || sm->motion.asked;
	osm_event_plugin.report(sm, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
	CHECK_EQ("what was needed is acknowledged", fake.osm->subn.force_heavy_sweep, again);
	CHECK(why, is_safe(sm));
	fake_activate();
	return again;
}

static unsigned
lanes_used(const struct mplug_sm *sm)
{
	return (unsigned)__builtin_popcount(sm->result->verdict->vls);
}

static unsigned
one_lane_links(const struct mplug_sm *sm)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	return st.one_lane_links;
}

/* ---- a new subnet manager ---------------------------------------------------------------- */

static bool
no_answer(const osm_node_t *node, uint8_t in, uint8_t out, ib_slvl_table_t *t)
{
	(void)node, (void)in, (void)out, (void)t;
	return false;
}

static bool
by_role(const osm_node_t *node, uint8_t in, uint8_t out, ib_slvl_table_t *t)
{
	const osm_physp_t *from = node->physp_table[in].p_remote_physp;

	(void)out;
	memset(t, in && from && from->p_node->sw ? 0x11 : 0, sizeof(*t));
	return true;
}

/* Rows of another engine put packets from endpoints on VL 1 and all others on VL 0. */
static bool
the_wrong_way(const osm_node_t *node, uint8_t in, uint8_t out, ib_slvl_table_t *t)
{
	by_role(node, in, out, t);
	for (size_t i = 0; i < sizeof(t->raw_vl_by_sl); i++)
		t->raw_vl_by_sl[i] ^= 0x11;
	return true;
}

static void
what_others_left(void **state)
{
	static const struct {
		const char *why, *conf;
		bool is_active, one_lane;	/* at the first sweep */
		bool (*rows)(const osm_node_t *, uint8_t in, uint8_t out, ib_slvl_table_t *);
	} T[] = {
		{ "a first bring-up", "", false, false, no_answer },
		{ "rows of VL 0", "", true, true, NULL },
		{ "rows of another engine", "", true, true, the_wrong_way },
		{ "rows that could not be read", "", true, true, no_answer },
		{ "the right rows", "", true, false, by_role },
		{ "a first bring-up under sl-hint", "profile sl-hint\n", false, false, no_answer },
		{ "rows of any-sl under sl-hint", "profile sl-hint\n", true, true, by_role },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride()) {
		struct mplug_sm *sm = begin(T[i].conf);

		if (T[i].is_active)
			fake_activate();
		fake_slvl = T[i].rows;
		CHECK_EQ(T[i].why, sweep(T[i].why, sm), T[i].one_lane);
		CHECK_EQ(T[i].why, lanes_used(sm), T[i].one_lane ? 1 : 2);
		CHECK_EQ(T[i].why, fake_slvl_gets > 0, T[i].is_active);
		CHECK_EQ(T[i].why, strstr(fake.log, "count with fewer lanes") != NULL, T[i].one_lane);
		fake_slvl_gets = 0;
		CHECK_EQ("then all rows are set", sweep(T[i].why, sm), false);
		CHECK_EQ(T[i].why, lanes_used(sm), 2);
		CHECK_EQ(T[i].why, one_lane_links(sm), 0);
		CHECK_EQ("rows are read once", fake_slvl_gets, 0);
		fake.osm->subn.coming_out_of_standby = TRUE;
		fake_slvl = T[i].conf[0] ? no_answer : by_role;
		sweep(T[i].why, sm);
		CHECK("and after another manager", fake_slvl_gets > 0);
		end(sm);
	}
}

/* The answer to a Set is lost, or the Set: OpenSM's copy is VL 0, as in the row that is set. */
static void
a_row_is_lost(void **state)
{
	static const bool arrives[] = { true, false };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(arrives); i++) {
		struct mplug_sm *sm = begin("");
		osm_physp_t *out = &fake.sw[7]->physp_table[5];
		unsigned host = 1;

		while (moore_fabric_port(fake.f, 7, (moore_portnum)host)->role != MOORE_ROLE_ENDPOINT)
			host++;
		fake_activate();
		fake_slvl = the_wrong_way;
		osm_event_plugin.report(sm, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
		assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
		fake_configure_ports();
		if (!arrives[i])
			memset(&fake.lanes[7][host * 256 + 5], 0x11, sizeof(ib_slvl_table_t));
		memset(osm_physp_get_slvl_tbl(out, (uint8_t)host), 0, sizeof(ib_slvl_table_t));
		osm_event_plugin.report(sm, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
		CHECK_EQ("not relied on if the Set was lost", sweep("next", sm), !arrives[i]);
		CHECK_EQ("so its link has one lane", one_lane_links(sm), !arrives[i]);
		CHECK_EQ("and it is set then", sweep("last", sm), false);
		CHECK_EQ("all lanes", one_lane_links(sm), 0);
		end(sm);
	}
}

/* ---- lanes that change while traffic runs -------------------------------------------------- */

/* Switch 7 as it is when it has returned: OpenSM knows no rows of it. */
static void
return_of_7(void)
{
	for (unsigned out = 1; out <= fake.f->sw[7].n_ports; out++) {
		osm_physp_t *p = &fake.sw[7]->physp_table[out], *q = p->p_remote_physp;

		ib_port_info_set_port_state(&p->port_info, IB_LINK_INIT);
		if (q)
			ib_port_info_set_port_state(&q->port_info, IB_LINK_INIT);
		for (unsigned in = 0; in <= fake.f->sw[7].n_ports; in++)
			memset(osm_physp_get_slvl_tbl(p, (uint8_t)in), 0, sizeof(ib_slvl_table_t));
	}
}

/* A link that comes back carries nothing until OpenSM has set the rows of its packets. */
static void
rows_of_a_link_that_comes_back(void **state)
{
	struct mplug_sm *sm = begin("");
	const struct moore_port *back = moore_fabric_port(fake.f, 7, 5);

	(void)state;
	sweep("before", sm);
	fake_relink(7, 5, back->peer, back->peer_port);
	for (unsigned out = 1; out <= fake.f->sw[7].n_ports; out++)
		memset(osm_physp_get_slvl_tbl(&fake.sw[7]->physp_table[out], 5), 0,
		       sizeof(ib_slvl_table_t));
	CHECK_EQ("no other sweep", sweep("back", sm), false);
	CHECK_EQ("the other links have all lanes", one_lane_links(sm), 0);
	end(sm);
}

static void qos_off(void) { fake.osm->subn.opt.qos = FALSE; }
static void one_lane(void) { fake.osm->subn.opt.max_op_vls = 1; }
static void qos_off_and_one_lane(void) { qos_off(); one_lane(); }
static void qos_off_and_return(void) { qos_off(); return_of_7(); }
static void other_classes(void) { write_conf("classes 1,0,1,1\n"); }
static void
rows_of_7_lost(void)		/* over active links */
{
	return_of_7();
	fake_activate();
}

static void
while_traffic_runs(void **state)
{
	static const struct {
		const char *why, *conf;
		void (*change)(void);
		const char *log;
		bool restricted;	/* other routes than the last good ones, or than of two lanes */
	} T[] = {
		{ "qos off", "", qos_off, "ERR MR01: .*the last good routes stay", false },
		{ "qos off under sl-hint", "profile sl-hint\n", qos_off, "the last good routes stay", false },
		{ "one lane", "", one_lane, "safe on one lane", true },
		{ "qos off and one lane", "", qos_off_and_one_lane, "on the lanes that links have", true },
		{ "qos off, and a switch returns", "", qos_off_and_return, "on the lanes that links have", true },
		{ "the same under sl-hint", "profile sl-hint\n", qos_off_and_return, "MR01", true },
		{ "a switch returns", "", return_of_7, "LFT blocks change", false },
		{ "rows are lost", "", rows_of_7_lost, "do not hold the SL2VL rows yet", true },
		{ "other classes", "", other_classes, "LFT blocks change", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = begin(T[i].conf);
		const char *log = T[i].log + strcspn(T[i].log, "*");
		uint64_t was;

		sweep(T[i].why, sm);
		was = sm->result->routes_hash;
		T[i].change();
		sweep(T[i].why, sm);
		CHECK_STR(T[i].why, fake.log, *log ? log + 1 : T[i].log);
		CHECK_EQ(T[i].why, sm->result->routes_hash != was, T[i].restricted);
		CHECK("it is known to be safe", !strstr(fake.log, "MR18"));
		for (int n = 0; n < 2; n++)
			sweep(T[i].why, sm);
		fake.osm->subn.opt.qos = TRUE;
		fake.osm->subn.opt.max_op_vls = FAKE_VLS;
		for (int n = 0; n < 4; n++)
			sweep(T[i].why, sm);
		CHECK_EQ("routes as before", sm->result->routes_hash, was);
		CHECK_EQ("on all lanes", one_lane_links(sm), 0);
		end(sm);
	}
}

static size_t
rows_without_a_path(void)
{
	size_t n = 0;

	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (size_t lid = 1; lid <= fake.f->lid_top; lid++)
			n += fake.sw[s]->sw->new_lft[lid] == OSM_NO_PATH;
	return n;
}

/* All switches and endpoints stay connected, so new routes serve them, on the lanes that links have. */
static void
cut_with_qos_off(void **state)
{
	struct mplug_sm *sm = begin("");
	size_t n;

	(void)state;
	sweep("before", sm);
	n = rows_without_a_path();
	qos_off();
	fake_cut(7, 5);
	sweep("cut", sm);
	CHECK_STR("the log has why", fake.log, "on the lanes that links have");
	CHECK_EQ("all have routes", rows_without_a_path(), n);
	sweep("later", sm);
	CHECK_EQ("these stay", rows_without_a_path(), n);
	CHECK("and are known to be safe", !strstr(fake.log, "MR18"));
	end(sm);
}

/* ---- packets that took other lanes, or followed rows of another subnet manager -------------- */

/* True if packets had time to leave before the first row of the last sweep was sent. */
static bool
waited_first(const struct mplug_sm *sm)
{
	return strstr(fake.log, " ms let packets leave") && sm->motion.wait_first &&
		sm->motion.waited_ms > 100;
}

static void
packets_leave_first(void **state)
{
	struct mplug_sm *sm = begin_lmc("motion_wait 300\n", 0);

	(void)state;
	sweep("before", sm);
	qos_off_and_return();
	sweep("one lane at switch 7", sm);
	fake.osm->subn.opt.qos = TRUE;
	CHECK("lanes are set", sweep("no row changes", sm));
	CHECK("so none waits", !waited_first(sm));
	sweep("two lanes", sm);
	CHECK("packets that took the old lanes leave first", waited_first(sm));
	fake_cut(7, 5);
	sweep("a cut", sm);
	CHECK("they have left", strstr(fake.log, "step 1 of") && !waited_first(sm));
	fake_cut(9, 5);
	fake.osm->subn.coming_out_of_standby = TRUE;
	sweep("another master's packets", sm);
	CHECK("leave first", waited_first(sm));
	fake.osm->subn.coming_out_of_standby = FALSE;
	fake_cut(11, 5);
	sweep("a cut", sm);
	CHECK("they have left", strstr(fake.log, "step 1 of") && !waited_first(sm));
	fake_unload(sm);
	fake_cut(13, 5);
	sm = fake_load();
	sweep("packets of a subnet manager that has ended", sm);
	CHECK("leave first", waited_first(sm));
	end(sm);
	sm = begin_lmc("motion_wait 300\n", 0);
	fake.osm->subn.first_time_master_sweep = TRUE;
	sweep("a new fabric has no packets", sm);
	CHECK("none waits", !waited_first(sm));
	end(sm);
}

/* ---- what is not known to be safe is said each time ---------------------------------------- */

static void
rows_not_acknowledged(void **state)
{
	struct mplug_sm *sm = begin("");

	(void)state;
	for (unsigned n = 0; n < 6; n++) {
		fake_next_sweep();
		assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
		osm_ucast_mgr_set_fwd_tables(NULL);
		return_of_7();
		osm_event_plugin.report(sm, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
		CHECK_STR("each time", fake.log, "ERR MR18: SL2VL rows of");
		CHECK_EQ("another sweep, three times in a row", fake.osm->subn.force_heavy_sweep, n % 4 < 3);
	}
	fake.osm->subn.opt.qos = FALSE;
	fake.log[0] = '\0';
	osm_event_plugin.report(sm, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
	CHECK_EQ("with qos off OpenSM sends none", strlen(fake.log), 0);
	end(sm);
}

/* A switch that cannot map SLs, with 15 VLs: no routes are safe there. */
static void
no_safe_routes(void)
{
	fake.osm->subn.opt.max_op_vls = 5;
	fake.sw[3]->physp_table[0].port_info.capability_mask = 0;
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned p = 1; p < fake.sw[s]->physp_tbl_size; p++) {
			fake.sw[s]->physp_table[p].port_info.vl_cap = 5 << 4;
			ib_port_info_set_op_vls(&fake.sw[s]->physp_table[p].port_info, 5);
		}
	for (moore_epid e = 0; e < fake.f->n_endpoints; e++)
		fake.ca[e]->physp_table[1].port_info.vl_cap = 5 << 4;
}

static void
nothing_is_safe(void **state)
{
	struct mplug_sm *sm = begin("");

	(void)state;
	sweep("two lanes", sm);
	no_safe_routes();
	qos_off_and_return();
	for (int n = 0; n < 3; n++) {
		fake_next_sweep();
		assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
		CHECK_STR("said at each sweep", fake.log, "ERR MR18: the last good routes are not known to be "
			  "safe on the lanes that links have: the link at \"");
		CHECK_EQ("the reason is said once", strstr(fake.log, "ERR MR01") != NULL, !n);
		fake_configure_ports();
	}
	end(sm);
}

static void
memory_runs_out(void **state)
{
	struct mplug_sm *sm = begin("");
	long n = 1;

	(void)state;
	sweep("two lanes", sm);
	for (long at = 0; at < n; at += 1 + at / 8) {
		rows_of_7_lost();
		fake_next_sweep();
		alloc_count = 0;
		alloc_fail_at = at;
		if (re.ucast_build_fwd_tables(fake_context) == 0)
			osm_event_plugin.report(sm, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("safe, or said not to be", is_safe(sm) || strstr(fake.log, "MR18") ||
		      strstr(fake.log, "cannot be restored") || strstr(fake.log, "memory"));
	}
	end(sm);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_others_left),
		cmocka_unit_test(a_row_is_lost),
		cmocka_unit_test(rows_of_a_link_that_comes_back),
		cmocka_unit_test(while_traffic_runs),
		cmocka_unit_test(cut_with_qos_off),
		cmocka_unit_test(packets_leave_first),
		cmocka_unit_test(rows_not_acknowledged),
		cmocka_unit_test(nothing_is_safe),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
