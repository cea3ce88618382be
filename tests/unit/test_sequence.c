// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_sequence.c - the steps in which new tables reach the switches (motion.c), on a fake of
 * OpenSM's structures whose switches hold rows of their own.
 *
 * The oracle walks the rows that the switches hold after each send: no pair that was
 * connected before a change may be cut off by a step. */
#include "harness.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fake_opensm.h"
#include "plan_of.h"
#include "../../opensm-plugin/plugin.h"

extern void complib_init(void);	/* starts the thread of the timers */

static time_t ahead;		/* seconds by which the clock is ahead */

int
clock_gettime(clockid_t id, struct timespec *out)
{
	int rc = (int)syscall(SYS_clock_gettime, id, out);

	out->tv_sec += ahead;
	return rc;
}

static void
write_files(const struct moore_plan *p, const char *conf)
{
	struct moore_buf b = MOORE_BUF_INIT;

	assert_int_equal(moore_plan_write(p, &b, NULL), 0);
	fake_write(fake_plan, b.data);
	b.len = 0;
	moore_buf_fmt(&b, "moored (null)\nplan %s\n%s", fake_plan, conf);
	fake_write(fake_conf, b.data);
	moore_buf_free(&b);
}

static void
init_port(osm_physp_t *p)
{
	if (p->p_remote_physp)
		ib_port_info_set_port_state(&p->port_info, IB_LINK_INIT);
}

static struct mplug_sm *
start_with(struct moore_plan *p, uint8_t lmc, const char *conf)
{
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	write_files(p, conf);
	moore_plan_free(p);
	fake_build(f);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned n = 1; n < fake.sw[s]->physp_tbl_size; n++)
			init_port(&fake.sw[s]->physp_table[n]);
	return fake_load();
}

static struct mplug_sm *
start(uint8_t lmc, const char *conf)
{
	return start_with(plan_of("slimfly", "q=5"), lmc, conf);
}

static void
stop(struct mplug_sm *sm)
{
	fake_unload(sm);
	fake_free();
}

/* The thread of the timers may hold the lock for a moment. */
static bool
lock_is_free(void)
{
	for (int i = 0; i < 1000; i++) {
		if (pthread_rwlock_trywrlock(&fake.osm->lock.lock) == 0)
			return pthread_rwlock_unlock(&fake.osm->lock.lock) == 0;
		usleep(1000);
	}
	return false;
}

/* One sweep; afterwards new_lft holds what was sent last. */
static void
sweep(void)
{
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memset(fake.sw[s]->sw->new_lft, OSM_NO_PATH, fake_bytes());
	fake.osm->subn.force_heavy_sweep = FALSE;
	fake.log[0] = '\0';
	fake.sends = fake.activations = 0;
	osm_event_plugin.report(fake_context, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
	assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
	osm_ucast_mgr_set_fwd_tables(NULL);
	fake_set_lanes();
	osm_event_plugin.report(fake_context, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
	fake_activate();
	osm_event_plugin.report(fake_context, OSM_EVENT_ID_SUBNET_UP, NULL);
	CHECK("OpenSM's lock is free", lock_is_free());
}

/* ---- the oracle ---------------------------------------------------------------------- */

/* True if the rows that switches hold bring packets from s to the LID over active links. */
static bool
arrives(moore_swid s, moore_lid lid, const struct moore_lid_owner *to)
{
	for (unsigned hops = 0; hops < 16; hops++) {
		const osm_physp_t *p;
		uint8_t port = fake.truth[s][lid];

		if (s == to->sw)
			return port == to->port;
		if (port == 0 || port >= fake.sw[s]->physp_tbl_size)
			return false;
		p = &fake.sw[s]->physp_table[port];
		if (!p->p_remote_physp || !p->p_remote_physp->p_node->sw ||
		    ib_port_info_get_port_state(&p->port_info) != IB_LINK_ACTIVE)
			return false;
		s = fake_index(p->p_remote_physp->p_node);
	}
	return false;
}

static bool *live;		/* pairs (switch, LID) before the change */
static size_t cut_off;		/* of them, by some step */

/* The number of pairs that are connected.  With `compare`, counts those that were cut off. */
static size_t
count_pairs(bool compare)
{
	size_t stride = fake.f->lid_top + 1u, n = 0;
	struct moore_lid_owner *owner;

	assert_int_equal(moore_fabric_lids(fake.f, &owner, NULL), 0);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned lid = 1; lid < stride; lid++) {
			bool ok = owner[lid].sw != MOORE_NONE && arrives(s, (moore_lid)lid, &owner[lid]);

			n += ok;
			if (compare)
				cut_off += live[s * stride + lid] && !ok;
			else
				live[s * stride + lid] = ok;
		}
	free(owner);
	return n;
}

static void
after_each_send(void)
{
	count_pairs(true);
}

/* From here on, no pair that is connected now may be cut off. */
static size_t
watch(void)
{
	free(live);
	live = calloc((size_t)fake.f->n_switches * (fake.f->lid_top + 1u), 1);
	cut_off = 0;
	fake.sent = after_each_send;
	return count_pairs(false);
}

static void
unwatch(void)
{
	free(live);
	live = NULL;
}

static bool
logged(const char *text)
{
	return strstr(fake.log, text);
}

/* ---- tests ------------------------------------------------------------------------------ */

static void
first_tables_take_one_step(void **state)
{
	struct mplug_sm *sm = start(2, "");
	size_t all = (size_t)fake.f->n_switches * (fake.f->n_endpoints * 4 + fake.f->n_switches);

	(void)state;
	sweep();
	CHECK("one step", logged("moore: step 1 of 1: ") && !logged("ERR"));
	CHECK("which is its own end", !logged("all rows are in force"));
	CHECK_EQ("sends", fake.sends, 1u);
	watch();
	CHECK_EQ("every pair is connected", count_pairs(true), all);
	sweep();
	CHECK("no change, no step", !logged("moore: step"));
	unwatch();
	stop(sm);
}

static void
a_cut_interrupts_no_pair(void **state)
{
	(void)state;
	for (uint8_t lmc = 0; lmc <= 2; lmc = (uint8_t)(lmc + 2)) {
		struct mplug_sm *sm = start(lmc, "motion_wait 1\n");
		size_t all;

		sweep();
		all = watch();
		fake_cut(0, 5);
		CHECK("pairs are lost", watch() < all);
		sweep();
		CHECK("steps", logged("moore: step 1 of ") && !logged("ERR"));
		CHECK_EQ("no pair is cut off", cut_off, (size_t)0);
		CHECK_EQ("all are connected again", count_pairs(true), all);
		CHECK_EQ("no further sweep is asked for", fake.osm->subn.force_heavy_sweep, FALSE);
		unwatch();
		stop(sm);
	}
}

static void
rows_wait_for_links_that_are_not_active(void **state)
{
	moore_portnum there;
	moore_swid t;

	(void)state;
	for (uint8_t lmc = 0; lmc <= 2; lmc = (uint8_t)(lmc + 2)) {
		struct mplug_sm *sm = start(lmc, "motion_wait 1\n");
		size_t all;

		sweep();
		all = watch();
		t = moore_fabric_port(fake.f, 0, 5)->peer;
		there = moore_fabric_port(fake.f, 0, 5)->peer_port;
		fake_cut(0, 5);
		sweep();
		fake_relink(0, 5, t, there);
		CHECK_EQ("all are connected", watch(), all);
		sweep();
		CHECK_EQ("links are activated", fake.activations, 1u);
		CHECK("then there are steps", logged("moore: step 1 of "));
		CHECK_EQ("no pair is cut off", cut_off, (size_t)0);
		unwatch();
		stop(sm);
	}
}

static void
an_unanswered_step_is_repeated(void **state)
{
	struct mplug_sm *sm = start(0, "motion_wait 1\n");
	size_t all;

	(void)state;
	sweep();
	all = watch();
	fake_cut(0, 5);
	watch();
	fake.mute[0] = true;
	for (int i = 0; i < 5; i++) {
		sweep();
		CHECK_EQ("one send", fake.sends, 1u);
		CHECK("an error says so", i > 0 || logged("ERR MR21: "));
		CHECK("and what follows", i > 0 || logged("one more sweep follows"));
		CHECK("no fourth sweep", i != 3 || logged("OpenSM sends them again at its next"));
		CHECK_EQ("three sweeps are asked for", fake.osm->subn.force_heavy_sweep, i < 3);
	}
	fake.mute[0] = false;
	sweep();
	CHECK_EQ("no pair is cut off", cut_off, (size_t)0);
	CHECK_EQ("all are connected again", count_pairs(true), all);
	unwatch();
	stop(sm);
}

static unsigned trap_after;

static void
a_trap_arrives(void)
{
	after_each_send();
	if (fake.sends == trap_after)
		fake.osm->subn.force_heavy_sweep = TRUE;
}

static void
a_trap_ends_the_steps(void **state)
{
	(void)state;
	for (trap_after = 1; trap_after <= 2; trap_after++) {
		struct mplug_sm *sm = start(2, "motion_wait 1\n");
		size_t all;

		sweep();
		all = watch();
		fake_cut(0, 4);	/* three steps or more */
		watch();
		fake.sent = a_trap_arrives;
		sweep();
		CHECK_EQ("sends", fake.sends, trap_after);
		CHECK("the log says so", logged("the steps end early"));
		CHECK("the next sweep follows", fake.osm->subn.force_heavy_sweep);
		fake.sent = after_each_send;
		fake_cut(3, 6);
		watch();
		sweep();
		CHECK_EQ("no pair is cut off", cut_off, (size_t)0);
		CHECK_EQ("all are connected again", count_pairs(true), all);
		unwatch();
		stop(sm);
	}
}

/* The steps end after the first.  The second one has to wait for the packets of the first in
 * the next sweep as well, unless these have left by then. */
static void
packets_of_a_sweep_before_count_until_they_have_left(void **state)
{
	(void)state;
	for (int left = 0; left <= 1; left++) {
		struct mplug_sm *sm = start(0, "motion_wait 1000\n");

		sweep();
		watch();
		fake_cut(0, 5);
		watch();
		trap_after = 1;
		fake.sent = a_trap_arrives;
		sweep();
		CHECK("the steps end early", logged("moore: step 1 of 2: ") && sm->motion.n_past);
		fake.sent = NULL;
		ahead += 2 * left;
		sweep();
		CHECK("they count", logged(left ? "moore: step 1 of 1: " : "moore: step 2 of 2: "));
		CHECK_EQ("it waits", sm->motion.waited_ms > 0, !left);
		ahead = 0;
		unwatch();
		stop(sm);
	}
}

static unsigned marked;		/* switches that OpenSM sends all blocks in this send */

static void
mark_after_first_send(void)
{
	marked = fake.osm->subn.need_update;
	for (moore_swid s = 0; s < fake.f->n_switches; s++) {
		marked += fake.sw[s]->sw->need_update;
		if (fake.sends == 1)
			fake.sw[s]->sw->need_update = 1;
	}
	if (fake.sends == 1)
		fake.osm->subn.need_update = 1;
}

static void
later_steps_send_no_block_that_has_not_changed(void **state)
{
	struct mplug_sm *sm = start(0, "motion_wait 1\n");
	unsigned left;

	(void)state;
	sweep();
	fake_cut(0, 5);
	fake.sent = mark_after_first_send;
	sweep();
	CHECK_EQ("two steps", fake.sends, 2u);
	CHECK_EQ("no switch is marked in the second", marked, 0u);
	left = fake.osm->subn.need_update;
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		left += fake.sw[s]->sw->need_update;
	CHECK_EQ("the marks stay", left, 1u + fake.f->n_switches);
	stop(sm);
}

static void
fast_sends_all_at_once(void **state)
{
	struct mplug_sm *sm = start(2, "motion fast\n");

	(void)state;
	sweep();
	fake_cut(0, 5);
	sweep();
	CHECK("the log says so", logged("motion is fast: ") && !logged("moore: step"));
	CHECK_EQ("one send", fake.sends, 1u);
	sweep();
	CHECK("no change, no line", !logged("motion is fast"));
	stop(sm);
}

/* The link at that port, which leads to another switch comes back as INIT. */
static void
come_back(moore_swid s, moore_portnum port)
{
	const struct moore_port *p = moore_fabric_port(fake.f, s, port);

	assert_int_equal(p->role, MOORE_ROLE_SWITCH);
	fake_relink(s, port, p->peer, p->peer_port);
}

/* Cuts the link of (switch 0, port 5), or brings it back, and sweeps. */
static void
change_link(bool back)
{
	if (back)
		come_back(0, 5);
	else
		fake_cut(0, 5);
	sweep();
	osm_link_mgr_process(NULL, IB_LINK_ACTIVE);
}

static unsigned
missing(struct mplug_sm *sm)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	return st.missing_links;
}

static void
a_flapping_link_counts_as_missing(void **state)
{
	struct mplug_sm *sm = start(0, "motion_wait 1\nflap_seconds 60\n");

	(void)state;
	sweep();
	change_link(false);
	ahead += 70;
	change_link(true);
	CHECK_EQ("two changes, apart", missing(sm), 0u);
	change_link(false);
	CHECK("two changes within a minute", !logged("MR22"));
	change_link(true);
	CHECK("three", logged("ERR MR22: the link from ") && logged("1 flapping link counts as missing"));
	CHECK_EQ("it is left out", missing(sm), 1u);
	ahead += 50;
	sweep();
	CHECK_EQ("50 s later too", missing(sm), 1u);
	ahead += 15;
	sweep();
	CHECK("the log says when it counts again", logged("is quiet: it counts again"));
	CHECK_EQ("then it is back", missing(sm), 0u);
	stop(sm);
	ahead = 0;
}

static void
a_link_that_came_back_between_sweeps_changed_twice(void **state)
{
	static const struct {
		const char *why, *conf;
		moore_swid sw;
		unsigned missing;
	} T[] = {
		{ "two changes are allowed", "flap_count 3\n", 0, 0 },
		{ "two are too many", "flap_count 2\n", 0, 1 },
		{ "at another switch, too", "flap_count 2\n", 7, 1 },
		{ "never", "flap_count 0\n", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = start(0, T[i].conf);

		sweep();
		come_back(T[i].sw, 5);
		sweep();
		CHECK_EQ(T[i].why, missing(sm), T[i].missing);
		stop(sm);
	}
}

static void
a_link_that_is_not_active_yet_has_not_changed_again(void **state)
{
	struct mplug_sm *sm = start(0, "flap_count 3\n");

	(void)state;
	sweep();
	come_back(0, 5);
	for (int i = 0; i < 3; i++)	/* OpenSM routes again before it activates the link */
		assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
	CHECK_EQ("two changes are allowed", missing(sm), 0u);
	stop(sm);
}

/* A switch that is restarted again and again: it is never cut off. */
static void
a_flapping_switch_keeps_one_link(void **state)
{
	struct mplug_sm *sm = start(0, "flap_count 2\nflap_seconds 60\n");
	unsigned n = 0;

	(void)state;
	sweep();
	for (unsigned p = 1; p <= fake.f->sw[7].n_ports; p++)
		if (moore_fabric_port(fake.f, 7, (moore_portnum)p)->role == MOORE_ROLE_SWITCH) {
			come_back(7, (moore_portnum)p);
			n++;
		}
	sweep();
	CHECK("logged", logged("ERR MR22") && logged("1 flapping link stays in use, since nothing else connects"));
	CHECK_EQ("all links but one are left out", missing(sm), n - 1);
	CHECK_EQ("all pairs are connected", sm->result->verdict->unreachable, (uint64_t)0);
	ahead += 61;
	sweep();
	CHECK_EQ("later all are back", missing(sm), 0u);
	stop(sm);
	ahead = 0;
}

/* Requests are lost, so OpenSM does not find links that are up. */
static void
a_link_that_is_not_found_does_not_flap(void **state)
{
	struct mplug_sm *sm = start(0, "flap_count 2\nflap_seconds 60\n");
	const struct moore_port *at = moore_fabric_port(fake.f, 0, 5);
	osm_physp_t *p = &fake.sw[0]->physp_table[5];
	osm_physp_t *q = &fake.sw[at->peer]->physp_table[at->peer_port];

	(void)state;
	sweep();
	for (int i = 0; i < 20; i++) {	/* more often than changes are remembered */
		p->p_remote_physp = q->p_remote_physp = NULL;
		ahead += i == 9 ? 70 : 0;
		sweep();
		CHECK_EQ("it counts as missing", missing(sm), 1u);
		p->p_remote_physp = q;
		q->p_remote_physp = p;
		sweep();
		CHECK_EQ("it is back at once", missing(sm), 0u);
	}
	CHECK("it never flaps", !logged("MR22"));
	change_link(false);
	change_link(true);
	CHECK("two real changes", logged("ERR MR22"));
	stop(sm);
	ahead = 0;
}

static void
await_signal(void)
{
	for (int i = 0; i < 1000 && !fake.signals; i++)
		usleep(10000);
	CHECK_EQ("one signal", fake.signals, 1u);
}

static void
a_timer_asks_for_the_sweep(void **state)
{
	struct mplug_sm *sm = start(0, "flap_count 2\nflap_seconds 1\n");

	(void)state;
	sweep();
	come_back(0, 5);
	sweep();
	await_signal();
	CHECK("a heavy sweep", fake.osm->subn.force_heavy_sweep);
	sweep();
	CHECK_EQ("the link is back", missing(sm), 0u);
	stop(sm);
}

static void
the_timer_is_for_the_first_of_two_links(void **state)
{
	struct mplug_sm *sm = start(0, "flap_count 2\nflap_seconds 40\n");

	(void)state;
	sweep();
	come_back(0, 5);
	sweep();
	ahead += 39;
	come_back(7, 5);
	sweep();
	CHECK_EQ("both are left out", missing(sm), 2u);
	await_signal();
	sweep();
	CHECK_EQ("the first is back", missing(sm), 1u);
	stop(sm);
	ahead = 0;
}

static void
steps_cut_short_twice_leave_the_link_out(void **state)
{
	struct mplug_sm *sm = start(2, "motion_wait 1\nflap_count 9\n");

	(void)state;
	sweep();
	trap_after = 1;
	live = calloc((size_t)fake.f->n_switches * (fake.f->lid_top + 1u), 1);
	fake.sent = a_trap_arrives;
	change_link(false);
	change_link(true);
	fake.sent = NULL;
	sweep();
	CHECK_EQ("the link is left out", missing(sm), 1u);
	sweep();
	CHECK_EQ("and stays so", missing(sm), 1u);
	unwatch();
	stop(sm);
}

/* ---- multicast ---------------------------------------------------------------------- */

enum { MLID = 0xc005, MEMBERS = 6, MAX_SW = 70 };

struct fake_group {
	osm_mgrp_box_t box;
	osm_mgrp_t g;
	osm_mcm_port_t member[MEMBERS];
};

/* Makes a group of endpoints that `pick` names, without repeats. */
static void
gather(struct fake_group *g, unsigned pick)
{
	*g = (struct fake_group){ .box = { .mlid = MLID }, .g = { .mlid = cl_hton16(MLID) } };
	cl_qlist_init(&g->box.mgrp_list);
	cl_qmap_init(&g->g.mcm_port_tbl);
	cl_qlist_insert_tail(&g->box.mgrp_list, &g->g.list_item);
	for (unsigned i = 0; i < MEMBERS; i++) {
		osm_port_t *port = &fake.port[(pick * 7 + i * (11 + pick)) % fake.f->n_endpoints];

		g->member[i].port = port;
		cl_qmap_insert(&g->g.mcm_port_tbl, port->guid, &g->member[i].map_item);
	}
	fake.osm->subn.mboxes[MLID - 0xc000] = &g->box;
	fake.osm->subn.max_mcast_lid_ho = MLID;
}

static bool
in_tree(moore_swid s, unsigned port)
{
	return osm_mcast_tbl_is_port(&fake.sw[s]->sw->mcast_tbl, MLID, (uint8_t)port);
}

struct links {			/* at each link between switches: bit 0 old tree, bit 1 new tree */
	uint8_t of[MAX_SW * MAX_SW];
};

/* Adds the links of the group's tree. */
static void
add_links(struct links *l, uint8_t bit)
{
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++) {
			const struct moore_port *at = moore_fabric_port(fake.f, s, (moore_portnum)p);

			if (at->role == MOORE_ROLE_SWITCH && in_tree(s, p))
				l->of[(s < at->peer ? s : at->peer) * MAX_SW + (s < at->peer ? at->peer : s)] |= bit;
		}
}

/* True if the links form a circle: repeatedly takes away switches with one link. */
static bool
has_circle(const struct links *l)
{
	struct links left = *l;
	bool again = true, any = false;

	while (again) {
		again = false;
		for (unsigned s = 0; s < MAX_SW; s++) {
			unsigned n = 0, last = 0;

			for (unsigned t = 0; t < MAX_SW; t++)
				if (left.of[(s < t ? s : t) * MAX_SW + (s < t ? t : s)]) {
					n++;
					last = t;
				}
			if (n == 1) {
				left.of[(s < last ? s : last) * MAX_SW + (s < last ? last : s)] = 0;
				again = true;
			}
		}
	}
	for (size_t i = 0; i < sizeof(left.of); i++)
		any |= left.of[i];
	return any;
}

/* Builds the tree as OpenSM does. */
static void
build_tree(struct fake_group *g)
{
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memset((*fake.sw[s]->sw->mcast_tbl.p_mask_tbl)[MLID - 0xc000], 0, 32);
	assert_int_equal(re.mcast_build_stree(fake_context, &g->box), IB_SUCCESS);
}

static bool
asked_for_group(void)
{
	for (int i = 0; i < 50 && !fake.rerouted; i++)
		usleep(2000);
	return fake.rerouted == MLID;
}

static bool
is_whole(struct mplug_sm *sm, struct fake_group *g)
{
	uint64_t (*mask)[4] = calloc(fake.f->n_switches, sizeof(*mask));
	bool same = true;

	assert_int_equal(mplug_mcast_masks(sm, &g->box, mask), 0);
	for (moore_swid s = 0; s < fake.f->n_switches; s++) {
		moore_swid t = mplug_switch_by_guid(sm->good, fake.f->sw[s].guid);

		for (unsigned p = 0; p <= fake.f->sw[s].n_ports; p++)
			same &= in_tree(s, p) == (mask[t][p / 64] >> p % 64 & 1);
	}
	free(mask);
	return same;
}

static void
trees_change_without_a_circle(void **state)
{
	struct mplug_sm *sm = start(0, "");
	unsigned softened = 0;

	(void)state;
	sweep();
	for (unsigned i = 0; i < 60; i++) {
		struct links l = { { 0 } };
		struct fake_group g;

		add_links(&l, 1);
		gather(&g, i);
		fake.rerouted = 0;
		build_tree(&g);
		add_links(&l, 2);
		CHECK("old and new links form no circle", !has_circle(&l));
		if (!is_whole(sm, &g)) {
			softened++;
			CHECK("OpenSM is asked once more", asked_for_group());
			l = (struct links){ { 0 } };
			add_links(&l, 1);
			build_tree(&g);
			add_links(&l, 2);
			CHECK("no circle then either", !has_circle(&l));
		}
		CHECK("the whole tree", is_whole(sm, &g));
	}
	CHECK("some trees had to be changed in two rounds", softened > 0 && softened < 60);
	stop(sm);
}

static void
trees_that_could_wait_keep_old_links_first(void **state)
{
	struct mplug_sm *sm = start(0, "");
	struct fake_group g;

	(void)state;
	sweep();
	gather(&g, 1);
	build_tree(&g);
	CHECK("the first tree is whole", is_whole(sm, &g));
	sm->trees.common_only = true;
	gather(&g, 2);
	fake.rerouted = 0;
	build_tree(&g);
	CHECK("new links wait", !is_whole(sm, &g));
	CHECK("OpenSM is asked once more", asked_for_group());
	build_tree(&g);
	CHECK("then the tree is whole", is_whole(sm, &g));
	stop(sm);
}

/* The masks that the plugin read in the last sweep are those that OpenSM has. */
static bool
masks_were_read(const struct mplug_sm *sm)
{
	const struct moore_mft *t = sm->trees.held;
	bool same = t->n_groups == 1 && t->mlid[0] == MLID;

	for (moore_swid s = 0; same && s < fake.f->n_switches; s++) {
		const uint64_t *mask = t->mask[mplug_switch_by_guid(sm->newest, fake.f->sw[s].guid)];

		for (unsigned p = 0; p < 256; p++)
			same &= (mask[p / 64] >> p % 64 & 1) == (p <= fake.f->sw[s].n_ports && in_tree(s, p));
	}
	return same;
}

static void
masks_of_switches_with_many_ports(void **state)
{
	struct mplug_sm *sm = start_with(plan_of("hypercube", "n=2 p=70"), 0, "");
	struct fake_group g;

	(void)state;
	sweep();
	for (unsigned pick = 8, port = 63; pick < 10; pick++, port++) {
		bool used = false;

		gather(&g, pick);
		build_tree(&g);
		sweep();
		CHECK("read", masks_were_read(sm));
		for (moore_swid s = 0; s < fake.f->n_switches; s++)
			used |= in_tree(s, port);
		CHECK("a member at this port", used);
	}
	stop(sm);
}

static void
links_at_high_ports_wait(void **state)
{
	struct mplug_sm *sm = start_with(plan_of("hyperx", "s1=70 s2=1 s3=1 p=1"), 0, "");
	struct links was = { { 0 } }, is = { { 0 } };
	struct fake_group g;

	(void)state;
	sweep();
	gather(&g, 1);
	build_tree(&g);
	add_links(&was, 1);
	sm->trees.common_only = true;
	gather(&g, 2);
	build_tree(&g);
	add_links(&is, 1);
	for (size_t i = 0; i < sizeof(is.of); i++)
		CHECK("no new link", !is.of[i] || was.of[i]);
	stop(sm);
}

static void
trees_that_cannot_be_judged_keep_old_links_first(void **state)
{
	struct mplug_sm *sm = start(0, "");
	struct mplug_held_tables t;
	struct moore_mix_lanes lanes;
	struct mplug_view v;
	struct fake_group g;
	long unchanged, n = 1;

	(void)state;
	sweep();
	gather(&g, 3);
	build_tree(&g);
	sweep();
	v = (struct mplug_view){ .f = sm->newest,
		.sw = calloc(sm->newest->n_switches, sizeof(*v.sw)) };
	for (moore_swid s = 0; s < v.f->n_switches; s++)
		v.sw[s] = osm_get_switch_by_guid(&fake.osm->subn, cl_hton64(v.f->sw[s].guid));
	assert_int_equal(mplug_held_tables(&t, &sm->held, &v, NULL), 0);
	alloc_count = 0;
	lanes = (struct moore_mix_lanes){ .sl2vl = sm->motion.want, .sl_set = sm->motion.sls };
	mplug_trees_judge(sm, &t.held, &lanes);
	unchanged = alloc_count;
	gather(&g, 4);
	for (long at = 0; at <= n; at++) {
		alloc_count = 0;
		alloc_fail_at = at;
		mplug_trees_judge(sm, &t.held, &lanes);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK_EQ("memory runs out", sm->trees.common_only, at < n);
	}
	CHECK("the tree has changed, so it is judged", n > unchanged);
	mplug_trees_forget(&sm->trees);
	sm->trees.common_only = true;
	mplug_trees_judge(sm, &t.held, &lanes);
	CHECK("without old trees there are no old links", !sm->trees.common_only);
	mplug_held_tables_free(&t);
	mplug_view_free(&v);
	stop(sm);
}

static void
steps_respect_the_trees_in_force(void **state)
{
	struct mplug_sm *sm = start(2, "motion_wait 1\n");
	struct fake_group g;

	(void)state;
	sweep();
	gather(&g, 3);
	build_tree(&g);
	watch();
	fake_cut(0, 5);
	watch();
	sweep();
	CHECK("steps", logged("moore: step 1 of ") && !logged("ERR"));
	CHECK("the trees were read", masks_were_read(sm));
	CHECK_EQ("no pair is cut off", cut_off, (size_t)0);
	build_tree(&g);
	unwatch();
	stop(sm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_tables_take_one_step),
		cmocka_unit_test(a_cut_interrupts_no_pair),
		cmocka_unit_test(rows_wait_for_links_that_are_not_active),
		cmocka_unit_test(an_unanswered_step_is_repeated),
		cmocka_unit_test(a_trap_ends_the_steps),
		cmocka_unit_test(packets_of_a_sweep_before_count_until_they_have_left),
		cmocka_unit_test(later_steps_send_no_block_that_has_not_changed),
		cmocka_unit_test(fast_sends_all_at_once),
		cmocka_unit_test(trees_change_without_a_circle),
		cmocka_unit_test(trees_that_could_wait_keep_old_links_first),
		cmocka_unit_test(masks_of_switches_with_many_ports),
		cmocka_unit_test(links_at_high_ports_wait),
		cmocka_unit_test(trees_that_cannot_be_judged_keep_old_links_first),
		cmocka_unit_test(steps_respect_the_trees_in_force),
		cmocka_unit_test(a_flapping_link_counts_as_missing),
		cmocka_unit_test(a_link_that_came_back_between_sweeps_changed_twice),
		cmocka_unit_test(a_link_that_is_not_active_yet_has_not_changed_again),
		cmocka_unit_test(a_flapping_switch_keeps_one_link),
		cmocka_unit_test(a_link_that_is_not_found_does_not_flap),
		cmocka_unit_test(a_timer_asks_for_the_sweep),
		cmocka_unit_test(the_timer_is_for_the_first_of_two_links),
		cmocka_unit_test(steps_cut_short_twice_leave_the_link_out),
	};

	complib_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
