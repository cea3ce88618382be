// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_lastgood.c - the last good tables after the fabric has changed.  Each row changes
 * one thing between the fabric that was routed and the present one.  A naive twin computes
 * what every entry must be, and the checker tests that nothing became cyclic. */
#include "harness.h"

#include "moore/moore.h"
#include "plan_of.h"

#include "../../opensm-plugin/lastgood.h"

static struct moore_plan *
small_plan(void)
{
	struct moore_plan *p = plan_of("slimfly", "q=5 p=2");
	uint64_t *sw, *ep;

	assert_int_equal(moore_plan_guids(p, &sw, &ep, NULL), 0);
	for (uint32_t i = 0; i < p->n_switches; i++) {
		p->sw[i].guid = sw[i];
		p->sw[i].ports = (moore_portnum)(p->sw[i].ports + 1);	/* one free port */
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = ep[i];
	free(sw);
	free(ep);
	return p;
}

/* ---- changes of the fabric ------------------------------------------------------ */

static void
drop_last_endpoint(struct moore_plan *p)
{
	free(p->ep[--p->n_endpoints].name);
}

static void
move_endpoint(struct moore_plan *p)
{
	p->ep[7].sw = 40;
	p->ep[7].port = p->sw[40].ports;
}

static void
shift_endpoint(struct moore_plan *p)
{
	p->ep[7].port = p->sw[p->ep[7].sw].ports;
}

static void
other_switch(struct moore_plan *p)
{
	p->sw[p->n_switches - 1].guid += 1000;
}

static void
other_first_switch(struct moore_plan *p)
{
	p->sw[0].guid--;
}

static void
cut_links(struct moore_fabric *f)
{
	moore_fabric_cut(f, 0, 4);
	moore_fabric_cut(f, 17, 6);
}

static void
cut_switch(struct moore_fabric *f)
{
	for (unsigned p = 1; p <= f->sw[9].n_ports; p++)
		moore_fabric_cut(f, 9, (moore_portnum)p);
}

/* Gives all switches and endpoints other LIDs, in reverse order. */
static void
renumber(struct moore_fabric *f)
{
	moore_lid lid = 8;

	for (moore_epid e = f->n_endpoints; e-- > 0; lid = (moore_lid)(lid + 2))
		f->ep[e].lid = lid;
	for (moore_swid s = f->n_switches; s-- > 0; lid++)
		f->sw[s].lid = lid;
}

/* LIDs that the old tables do not have. */
static void
more_lids(struct moore_fabric *f)
{
	f->sw[5].lid = 1000;
	f->sw[5].lmc = 1;
	f->ep[7].lid = 1004;
	f->ep[7].lmc = 2;
}

/* A switch with two LIDs (lmc_esp0). */
static void
two_lids(struct moore_fabric *f)
{
	f->sw[5].lid = 1000;
	f->sw[5].lmc = 1;
}

static void
two_other_lids(struct moore_fabric *f)
{
	f->sw[5].lid = 2000;
	f->sw[5].lmc = 1;
}

static const struct {
	const char *why;
	void (*plan_old)(struct moore_plan *p), (*plan_now)(struct moore_plan *p);
	void (*now)(struct moore_fabric *f);
	bool all_reached;
	void (*old)(struct moore_fabric *f);
} T[] = {
	{ "nothing changed: nothing changes", NULL, NULL, NULL, true, NULL },
	{ "LIDs changed: known by GUID", NULL, NULL, renumber, true, NULL },
	{ "LMCs rose: an endpoint's LIDs take its switch's tree", NULL, NULL, more_lids, false, NULL },
	{ "a switch's two LIDs changed", NULL, NULL, two_other_lids, true, two_lids },
	{ "links went: no-path, the rest stays", NULL, NULL, cut_links, false, NULL },
	{ "a switch went", NULL, NULL, cut_switch, false, NULL },
	{ "an endpoint is new: its switch's tree", drop_last_endpoint, NULL, NULL, true, NULL },
	{ "an endpoint went", NULL, drop_last_endpoint, NULL, true, NULL },
	{ "an endpoint moved to another switch", NULL, move_endpoint, NULL, true, NULL },
	{ "an endpoint moved to another port", NULL, shift_endpoint, NULL, true, NULL },
	{ "a switch is new: no routes", other_switch, NULL, NULL, false, NULL },
	{ "the first switch is new", other_first_switch, NULL, NULL, false, NULL },
};

/* ---- the naive twin -------------------------------------------------------- */

static moore_swid
naive_switch(const struct moore_fabric *f, uint64_t guid)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		if (f->sw[s].guid == guid)
			return s;
	return MOORE_NONE;
}

/* GUID of the switch that port p of s leads to; 0 if it leads to none. */
static uint64_t
leads_to(const struct moore_fabric *f, moore_swid s, unsigned p)
{
	const struct moore_port *q;

	if (p > f->sw[s].n_ports)
		return 0;
	q = moore_fabric_port(f, s, (moore_portnum)p);
	return q->role == MOORE_ROLE_SWITCH ? f->sw[q->peer].guid : 0;
}

/* The old entry at switch s for offset `off` of endpoint guid, if that was at (d, port);
 * else the old entry for switch d.  If guid is 0, the old entry for offset `off` of d. */
static uint8_t
naive_entry(const struct moore_fabric *old, const struct moore_lft *lft, moore_swid s,
	    moore_swid d, uint64_t guid, moore_portnum port, unsigned off)
{
	moore_lid lid = (moore_lid)(old->sw[d].lid + (guid ? 0 : off));

	for (moore_epid e = 0; guid && e < old->n_endpoints; e++)
		if (old->ep[e].guid == guid && old->ep[e].sw == d && old->ep[e].port == port &&
		    off < 1u << old->ep[e].lmc)
			lid = (moore_lid)(old->ep[e].lid + off);
	return moore_lft_row(lft, s)[lid];
}

static void
check_rows(const char *why, const struct moore_fabric *now, const struct moore_lft *got,
	   const struct moore_fabric *old, const struct moore_lft *lft)
{
	struct moore_lid_owner *own;

	assert_int_equal(moore_fabric_lids(now, &own, NULL), 0);
	for (moore_swid s = 0; s < now->n_switches; s++) {
		moore_swid was = naive_switch(old, now->sw[s].guid);

		for (unsigned lid = 1; lid <= now->lid_top; lid++) {
			const struct moore_lid_owner *o = &own[lid];
			uint8_t want = MOORE_NO_PATH;
			moore_swid d = o->sw == MOORE_NONE ? MOORE_NONE :
				naive_switch(old, now->sw[o->sw].guid);

			if (d != MOORE_NONE && o->ep == MOORE_NONE && o->offset >= 1u << old->sw[d].lmc)
				d = MOORE_NONE;
			if (was != MOORE_NONE && d != MOORE_NONE && o->sw == s)
				want = o->port;
			else if (was != MOORE_NONE && d != MOORE_NONE)
				want = naive_entry(old, lft, was, d, o->ep == MOORE_NONE ? 0 :
						   now->ep[o->ep].guid, o->port, o->offset);
			if (want != MOORE_NO_PATH && o->sw != s &&
			    (!leads_to(now, s, want) || leads_to(now, s, want) != leads_to(old, was, want)))
				want = MOORE_NO_PATH;
			CHECK_EQ(why, moore_lft_row(got, s)[lid], want);
		}
	}
	free(own);
}

static void
check_safe(const char *why, const struct moore_fabric *f, const struct moore_lft *lft, bool all)
{
	struct moore_check_opts opts = { 0 };
	struct moore_verdict *v;
	static const struct moore_lane_opts one_class = { { 0 } };
	struct moore_sl2vl *t;

	assert_int_equal(moore_lane_effective(&t, f, &one_class, NULL, NULL), 0);
	assert_int_equal(moore_check(&v, f, lft, t, NULL, &opts, NULL), 0);
	CHECK(why, v->acyclic && v->loops == 0);
	CHECK_EQ(why, v->sound, all);
	moore_verdict_free(v);
	moore_sl2vl_free(t);
}

static struct moore_fabric *
fabric_of(void (*change)(struct moore_plan *p), void (*later)(struct moore_fabric *f))
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *f;

	if (change)
		change(p);
	assert_int_equal(moore_fabric_from_plan(&f, p, 1, NULL), 0);
	if (later)
		later(f);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	moore_plan_free(p);
	return f;
}

/* Frees both fabrics. */
static void
check_change(const char *why, struct moore_fabric *old, struct moore_fabric *now, bool all_reached)
{
	struct moore_conf conf;
	struct moore_engine_result *r;
	struct moore_lft *got;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_engine_run(&r, old, NULL, &conf, NULL, NULL, NULL), 0);
	assert_int_equal(mplug_lastgood(&got, now, old, r->lft, NULL), 0);
	check_rows(why, now, got, old, r->lft);
	check_safe(why, now, got, all_reached);
	moore_lft_free(got);
	moore_engine_result_free(r);
	moore_fabric_free(old);
	moore_fabric_free(now);
}

static void
changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		check_change(T[i].why, fabric_of(T[i].plan_old, T[i].old),
			     fabric_of(T[i].plan_now, T[i].now), T[i].all_reached);
}

/* A switch has fewer ports than before.  What the array of ports holds behind its last one
 * must not be read, even if it looks like the old link. */
static void
fewer_ports(void **state)
{
	struct moore_fabric *now = fabric_of(NULL, NULL);

	(void)state;
	for (unsigned p = 8; p <= 9; p++) {
		struct moore_port was = *moore_fabric_port(now, 9, (moore_portnum)p);

		moore_fabric_cut(now, 9, (moore_portnum)p);
		now->port[now->sw[9].port0 + p] = was;
	}
	now->sw[9].n_ports = 7;
	check_change("ports 8 and 9 are gone", fabric_of(NULL, NULL), now, false);
}

static int
tables_or_null(struct moore_lft **got, const struct moore_fabric *f, const struct moore_lft *lft)
{
	int rc;

	*got = (struct moore_lft *)(uintptr_t)lft;
	rc = mplug_lastgood(got, f, f, lft, NULL);
	CHECK("NULL after an error", rc >= 0 || !*got);
	return rc;
}

static void
memory_runs_out(void **state)
{
	struct moore_fabric *f = fabric_of(NULL, NULL);
	struct moore_lft *lft, *got;

	(void)state;
	assert_int_equal(moore_lft_new(&lft, f->n_switches, f->lid_top, NULL), 0);
	CHECK_OOM("every allocation fails in turn", tables_or_null(&got, f, lft),
		  moore_lft_free(got));
	moore_lft_free(lft);
	moore_fabric_free(f);
}

/* LID 0 stands for the groups, whose SLs do not depend on an owner. */
static void
sls_of_switches_that_are_known(void **state)
{
	struct moore_plan *p = small_plan();
	struct moore_fabric *old, *now;
	struct moore_sl_set *was, *is;
	struct moore_lid_owner *own;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&old, p, 1, NULL), 0);
	assert_int_equal(moore_fabric_seal(old, NULL), 0);
	assert_int_equal(moore_fabric_copy(&now, old, NULL), 0);
	assert_int_equal(moore_fabric_lids(now, &own, NULL), 0);
	assert_int_equal(moore_sl_set_new(&was, old->n_switches, old->lid_top, NULL), 0);
	for (moore_swid s = 0; s < old->n_switches; s++)
		for (size_t lid = 0; lid < was->stride; lid++)
			moore_sl_set_row(was, s)[lid] = (uint16_t)(1 + s * 997 + lid);
	now->sw[3].guid = 0x777;
	assert_int_equal(mplug_lastgood_sls(&is, now, old, was, NULL), 0);
	for (moore_swid s = 0; s < now->n_switches; s++)
		for (size_t lid = 0; lid <= now->lid_top; lid++) {
			bool known = s != 3 && (!lid || (own[lid].sw != MOORE_NONE && own[lid].sw != 3));

			CHECK_EQ("SLs", moore_sl_set_row(is, s)[lid],
				 known ? moore_sl_set_row(was, s)[lid] : 0);
		}
	free(own);
	moore_sl_set_free(was);
	moore_sl_set_free(is);
	moore_fabric_free(now);
	moore_fabric_free(old);
	moore_plan_free(p);
}

/* A port keeps its side in entry turns while it leads to the same switch. */
static void
entries_of_links_that_stay(void **state)
{
	struct moore_fabric *old = fabric_of(NULL, NULL), *now;
	uint8_t *entry = calloc(old->n_ports, 1);
	const moore_swid peer = moore_fabric_port(old, 5, 6)->peer;

	(void)state;
	for (unsigned p = 4; p <= 6; p++)
		entry[old->sw[5].port0 + p] = (uint8_t)p;
	assert_int_equal(moore_fabric_copy(&now, old, NULL), 0);
	moore_fabric_cut(now, 5, 4);
	now->sw[peer].guid += 1;	/* another switch, still in the sequence of GUIDs */
	CHECK("no entries at all", !mplug_lastgood_entry(now, 5, 5, old, NULL));
	CHECK("the same fabric", mplug_lastgood_entry(old, 5, 4, old, entry) == 4 &&
	      !mplug_lastgood_entry(old, 5, 7, old, entry));
	CHECK("a link that is gone", !mplug_lastgood_entry(now, 5, 4, old, entry));
	CHECK("a link that stays", mplug_lastgood_entry(now, 5, 5, old, entry) == 5);
	CHECK("a link to another switch", !mplug_lastgood_entry(now, 5, 6, old, entry));
	CHECK("no entry before", !mplug_lastgood_entry(now, 5, 7, old, entry));
	CHECK("the port of an endpoint", !mplug_lastgood_entry(now, 5, 1, old, entry));
	now->sw[5].guid += 1;
	CHECK("another switch", !mplug_lastgood_entry(now, 5, 5, old, entry));
	free(entry);
	moore_fabric_free(old);
	moore_fabric_free(now);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes),
		cmocka_unit_test(fewer_ports),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(sls_of_switches_that_are_known),
		cmocka_unit_test(entries_of_links_that_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
