// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_plugin.c - the plugin's own files, called through the callbacks that OpenSM uses, on
 * a fake of OpenSM's structures (fake_opensm.h).
 *
 * The oracles are libmoore's reader of the same plan, the independent checker, and rows
 * written by hand.  The tests in tests/fabric run the real OpenSM with the plugin. */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fake_opensm.h"
#include "plan_of.h"
#include "../../opensm-plugin/plugin.h"

extern osm_event_plugin_t osm_event_plugin;

static time_t frozen;	/* what time() returns; 0: the real time */
static int readings = -1;	/* of the monotonic clock so far; -1: it is the real one */

/* The nth reading is n * n seconds and n tenths. */
int
clock_gettime(clockid_t id, struct timespec *out)
{
	if (readings < 0 || id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, out);
	readings++;
	*out = (struct timespec){ readings * readings, readings * 100000000l };
	return 0;
}

time_t
time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (frozen)
		now.tv_sec = frozen;
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}

/* This tells how read() and write() behave; NULL: as always. */
static const struct fake_io {
	unsigned interrupted;	/* so many calls fail with EINTR */
	size_t most;		/* each of the others moves at most so many bytes */
} *fake_io;
static unsigned io_calls;	/* since fake_io was set; after IO_CALLS_MAX they fail */
#define IO_CALLS_MAX 4000000

/* Counts a call.  Returns -1 if it fails, else 0 and in *n the bytes to move. */
static int
fake_call(int fd, size_t *n)
{
	if (!fake_io)
		return 0;
	CHECK("programs that OpenSM starts do not inherit it", fcntl(fd, F_GETFD) & FD_CLOEXEC);
	io_calls++;
	if (*n > fake_io->most)
		*n = fake_io->most;
	if (io_calls > fake_io->interrupted && io_calls <= IO_CALLS_MAX)
		return 0;
	errno = io_calls > IO_CALLS_MAX ? EBADF : EINTR;
	return -1;
}

ssize_t
read(int fd, void *to, size_t n)
{
	if (fake_io)
		memset(to, 0, n);	/* there must be room for all that is asked for */
	return fake_call(fd, &n) < 0 ? -1 : syscall(SYS_read, fd, to, n);
}

ssize_t
write(int fd, const void *from, size_t n)
{
	return fake_call(fd, &n) < 0 ? -1 : syscall(SYS_write, fd, from, n);
}

static int stat_error, close_error;	/* fstat() and close() fail with it unless it is 0 */
static const struct timespec *file_times;	/* of modification and change, of every file */

static int
faked(int rc, struct stat *st)
{
	if (file_times) {
		st->st_mtim = file_times[0];
		st->st_ctim = file_times[1];
	}
	return rc;
}

int
fstat(int fd, struct stat *st)
{
	errno = stat_error ? stat_error : errno;
	return stat_error ? -1 : faked(fstatat(fd, "", st, AT_EMPTY_PATH), st);
}

int
close(int fd)
{
	int rc = (int)syscall(SYS_close, fd);

	errno = close_error ? close_error : errno;
	return close_error ? -1 : rc;
}

int
stat(const char *path, struct stat *st)
{
	return faked(fstatat(AT_FDCWD, path, st, 0), st);
}

static char dir[] = "/tmp/moore-plugin-XXXXXX";

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

static char *
in_dir(const char *name, const char *suffix)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s%s", dir, name, suffix);
	return path;
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
	struct moore_plan *p = plan_of("slimfly", "q=5 p=2");
	struct moore_fabric *f;
	uint64_t *sw, *ep;

	assert_int_equal(moore_plan_guids(p, &sw, &ep, NULL), 0);
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = sw[i] + (i % 3 << 8);	/* ascending in neither byte order */
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = ep[i] + (i % 5 << 12);
	assert_int_equal(moore_fabric_from_plan(&f, p, lmc, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	free(sw);
	free(ep);
	moore_plan_free(p);
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
	mplug_early_end(sm);	/* the thread ends here, so each run is the same */
	assert_string_equal(fake_engine->name, "moore");
	assert_int_equal(fake_engine->setup(&re, fake.osm), 0);
	return sm;
}

/* Ends in the order in which OpenSM does: engines first. */
static void
stop(struct mplug_sm *sm)
{
	re.destroy(fake_context);
	CHECK("no routes are kept", !sm->good && !sm->newest && !sm->result);
	osm_event_plugin.delete(sm);
	fake_free();
}

/* The part of a sweep after the routes: new_lft has the final rows afterwards. */
static void
configure(void)
{
	osm_ucast_mgr_set_fwd_tables(NULL);
	if (fake.osm->subn.opt.qos)
		fake_set_lanes();
	osm_event_plugin.report(fake_context, OSM_EVENT_ID_UCAST_ROUTING_DONE, NULL);
	fake_activate();
}

static int
route(void)
{
	int rc;

	osm_event_plugin.report(fake_context, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
	rc = re.ucast_build_fwd_tables(fake_context);
	if (rc == 0)
		configure();
	return rc;
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

	assert_int_equal(moore_lane_effective(&t, f, &one_class, NULL, NULL), 0);
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
	CHECK_EQ("ports", v.f->n_ports, fake.f->n_ports);
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
static void one_lane_there(void) { ib_port_info_set_op_vls(
	&fake.sw[0]->physp_table[4].p_remote_physp->port_info, 1); }
static void unknown_lanes(void) { ib_port_info_set_op_vls(&fake.sw[0]->physp_table[4].port_info, 0); }
static void unknown_lanes_there(void) { ib_port_info_set_op_vls(
	&fake.sw[0]->physp_table[4].p_remote_physp->port_info, 0); }
static void two_lanes(void) { ib_port_info_set_op_vls(&fake.sw[0]->physp_table[4].port_info, 2); }
static void two_lanes_there(void) { ib_port_info_set_op_vls(
	&fake.sw[0]->physp_table[4].p_remote_physp->port_info, 2); }
static void
four_lanes_needed(void)
{
	((struct mplug_sm *)fake_context)->settings.conf.lanes.sl_class[5] = 1;
}
static void two_of_four_lanes(void) { four_lanes_needed(); two_lanes(); }
static void two_of_four_lanes_there(void) { four_lanes_needed(); two_lanes_there(); }
static void
one_lane_under_one_vl(void)
{
	((struct mplug_sm *)fake_context)->settings.conf.profile = MOORE_PROFILE_ONE_VL;
	one_lane();
}
static void peer_down(void) { ib_port_info_set_port_state(&fake.sw[0]->physp_table[4].port_info,
							  IB_LINK_DOWN); }
static void host_alone(void) { fake.ca[0]->physp_table[1].p_remote_physp = NULL; }
static void
hosts_linked(void)
{
	fake_link(&fake.ca[0]->physp_table[1], &fake.ca[1]->physp_table[1]);
}
static void host_on_port_0(void) { fake_link(&fake.ca[0]->physp_table[1], &fake.sw[3]->physp_table[0]); }
static void
link_to_port_0(void)
{
	fake.sw[0]->physp_table[4].p_remote_physp->p_remote_physp = NULL;
	fake_link(&fake.sw[0]->physp_table[4], &fake.sw[3]->physp_table[0]);
}
static void
link_from_port_0(void)
{
	fake.sw[3]->physp_table[4].p_remote_physp->p_remote_physp = NULL;
	fake_link(&fake.sw[3]->physp_table[4], &fake.sw[0]->physp_table[0]);
}
static void
link_at_port_1(void)
{
	osm_physp_t *peer = fake.sw[0]->physp_table[4].p_remote_physp;

	fake_cut(0, 1);
	fake_cut(0, 4);
	fake_link(&fake.sw[0]->physp_table[1], peer);
}
static void
cable_to_itself(void)
{
	fake_cut(0, 4);
	fake_cut(0, 5);
	fake_link(&fake.sw[0]->physp_table[4], &fake.sw[0]->physp_table[5]);
}
static void no_lid(void) { fake.ca[0]->physp_table[1].port_info.base_lid = 0; }
static void greatest_lids(void) { fake.ca[0]->physp_table[1].port_info.base_lid = cl_hton16(0xbffc); }
static void lids_of_multicast(void) { fake.ca[0]->physp_table[1].port_info.base_lid = cl_hton16(0xc000); }
static void
last_lid_taken(void)
{
	bool swapped = cl_ntoh64(fake.port[0].guid) > cl_ntoh64(fake.port[1].guid);
	osm_physp_t *a = fake.port[swapped].p_physp, *b = fake.port[!swapped].p_physp;

	a->port_info.mkey_lmc = 0;
	a->port_info.base_lid = cl_hton16((uint16_t)(cl_ntoh16(b->port_info.base_lid) + 3));
}
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
		{ "one lane at the other end counts too", one_lane_there, 0, 0, 0, 2, 0, true },
		{ "lanes that are not known yet change nothing", unknown_lanes, 0, 0, 0, 0, 0, false },
		{ "at the other end neither", unknown_lanes_there, 0, 0, 0, 0, 0, false },
		{ "two lanes suffice for one class", two_lanes, 0, 0, 0, 0, 0, false },
		{ "at the other end, too", two_lanes_there, 0, 0, 0, 0, 0, false },
		{ "two classes gain lanes", two_of_four_lanes, 0, 0, 0, 0, 0, true },
		{ "at the other end, too", two_of_four_lanes_there, 0, 0, 0, 0, 0, true },
		{ "routes of one-vl need one lane, so no sweep waits for more", one_lane_under_one_vl,
		  0, 0, 0, 2, 0, false },
		{ "a link that is down here does not count", peer_down, -2, 0, 0, 0, 0, false },
		{ "an endpoint without a link does not count", host_alone, 0, -1, 0, 0, 0, false },
		{ "nor do CAs linked to each other", hosts_linked, 0, -2, 0, 0, 0, false },
		{ "nor does one on port 0", host_on_port_0, 0, -1, 0, 0, 0, false },
		{ "a link to port 0 does not count", link_to_port_0, -2, 0, 0, 0, 0, false },
		{ "nor does one from port 0", link_from_port_0, -2, 0, 0, 0, 0, false },
		{ "one at port 1 counts", link_at_port_1, 0, -1, 0, 0, 0, false },
		{ "nor does a cable from a switch to itself", cable_to_itself, -4, 0, 0, 0, 0, false },
		{ "LID 0 is none", no_lid, 0, 0, 1, 0, 0, false },
		{ "the greatest unicast LIDs", greatest_lids, 0, 0, 0, 0, 0, false },
		{ "LIDs of multicast are none", lids_of_multicast, 0, 0, 1, 0, 0, false },
		{ "the last LID is another port's", last_lid_taken, 0, 0, 1, 0, 0, false },
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

/* OpenSM has not found anything yet. */
static void
observes_nothing(void **state)
{
	struct mplug_sm *sm = start(0);
	struct mplug_view v;

	(void)state;
	cl_qmap_init(&fake.osm->subn.sw_guid_tbl);
	cl_qmap_init(&fake.osm->subn.port_guid_tbl);
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	CHECK_EQ("switches", v.f->n_switches, 0);
	CHECK_EQ("endpoints", v.f->n_endpoints, 0);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	stop(sm);
}

static void
fields_and_codes(void **state)
{
	struct mplug_sm *sm = start(1);
	struct mplug_view v;
	moore_swid without = MOORE_NONE;

	(void)state;
	fake.sw[2]->physp_table[0].port_info.capability_mask = 0;
	fake.sw[4]->physp_table[0].port_guid = 0;
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	for (moore_epid e = 0; e < v.f->n_endpoints; e++) {
		const struct moore_endpoint *d = &v.f->ep[e], *want = fake.f->ep;

		CHECK("endpoints ascend by GUID", !e || v.f->ep[e - 1].guid < d->guid);
		while (want->guid != d->guid)
			want++;
		CHECK("node GUID", d->node_guid == want->node_guid);
		CHECK_EQ("LID", d->lid, want->lid);
		CHECK_EQ("LMC", d->lmc, want->lmc);
		CHECK_EQ("port of the CA", d->ca_port, 1);
		CHECK_EQ("port of the switch", d->port, want->port);
		CHECK_EQ("lanes of its link", moore_fabric_port(v.f, d->sw, d->port)->lanes, 8);
		CHECK("name", !strcmp(d->name, want->name));
		CHECK("switch", v.f->sw[d->sw].guid == fake.f->sw[want->sw].guid);
	}
	for (moore_swid s = 0; s < v.f->n_switches; s++) {
		const struct moore_switch *d = &v.f->sw[s], *want = fake.f->sw;

		while (want->guid != d->guid)
			want++;
		CHECK("name", !strcmp(d->name, want->name));
		CHECK_EQ("ports", d->n_ports, want->n_ports);
		if (want == &fake.f->sw[4])
			without = s;
		else
			CHECK_EQ("LID", d->lid, want->lid);
		CHECK_EQ("maps SLs", d->maps_sl, want != &fake.f->sw[2] && s != without);
		CHECK("port GUID", d->port_guid == (s == without ? 0 : want->guid));
	}
	CHECK_EQ("a switch whose port 0 is unknown has no LID", v.f->sw[without].lid, 0);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	for (long at = 0, n = 1, rc; at <= n; at++) {	/* one more than the last that failed */
		alloc_count = 0;
		alloc_fail_at = at;
		rc = mplug_observe(sm, &v, NULL);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK_EQ("every allocation fails in turn", rc, at < n ? -MOORE_ENOMEM : 0);
		moore_fabric_free(v.f);
		mplug_view_free(&v);
	}
	fake.sw[4]->physp_table[0].port_guid = cl_hton64(fake.f->sw[4].guid);
	stop(sm);
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
		CHECK_EQ(why, !!strstr(fake.log, "the last good routes stay"),
			 !refusal[i].settings && !refusal[i].one_lane);
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
an_error_with_another_text_is_not_over(void **state)
{
	static const char *const text[] = { "a", "a", "b", "b", NULL, NULL };
	static struct mplug_sm sm;

	(void)state;
	fake_build(slimfly(0));
	sm = (struct mplug_sm){ .osm = fake.osm };
	for (size_t i = 0; i < ARRAY_LEN(text); i++) {
		fake.log[0] = '\0';
		mplug_log_new_sweep(&sm);
		CHECK_EQ("it goes on", !!strstr(fake.log, "MR01 has another text now, repeats not logged: 1"),
			 i == 3);
		CHECK_EQ("it ends", !!strstr(fake.log, "MR01 is over, repeats not logged: 1"), i == 5);
		if (text[i])
			mplug_log_err(&sm, MPLUG_MR_QOS, "%s", text[i]);
	}
	fake_free();
}

static void
what_is_unsafe_is_logged_each_time(void **state)
{
	static const enum mplug_mr code[] = { MPLUG_MR_IN_FORCE, MPLUG_MR_MOTION };
	static struct mplug_sm sm;

	(void)state;
	fake_build(slimfly(0));
	sm = (struct mplug_sm){ .osm = fake.osm };
	for (unsigned sweep = 0; sweep < 4; sweep++) {
		mplug_log_new_sweep(&sm);
		CHECK("no repeats are counted", !strstr(fake.log, "is over"));
		for (size_t i = 0; sweep < 3 && i < ARRAY_LEN(code); i++) {
			fake.log[0] = '\0';
			mplug_log_err(&sm, code[i], "as before");
			CHECK_STR("each time", fake.log, "as before");
		}
	}
	fake_free();
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
warns_of_few_lanes(void **state)
{
	static const struct { const char *conf; unsigned code; const char *log; } T[] = {
		{ "", 2, NULL },
		{ "classes 0,1\n", 3, NULL },
		{ "classes 0,1\n", 2, "gives 2 lanes and the classes of moore.conf need 4: classes "
		  "share lanes: set \"max_op_vls 3\"" },
		{ "classes 0,1,2,3\n", 3, "gives 4 lanes and the classes of moore.conf need 8: classes "
		  "share lanes: set \"max_op_vls 4\"" },
		{ "classes 0,1,2,3,4\n", 4, "gives 8 lanes and the classes of moore.conf need 15: classes "
		  "share lanes: set \"max_op_vls 5\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm;

		write_conf(T[i].conf);
		sm = start(0);
		fake.osm->subn.opt.max_op_vls = (uint8_t)T[i].code;
		assert_int_equal(route(), 0);
		CHECK_STR(T[i].conf, fake.log, T[i].log ? T[i].log : "");
		CHECK_EQ(T[i].conf, !!strstr(fake.log, "ERR MR13"), T[i].log != NULL);
		CHECK(T[i].conf, !strstr(fake.log, "ERR MR12"));
		fake_next_sweep();
		fake.osm->no_fallback_routing_engine = FALSE;
		assert_int_equal(route(), 0);
		CHECK("only in the first sweep", !strstr(fake.log, "ERR MR12"));
		stop(sm);
	}
}

static void
warns_of_unknown_links(void **state)
{
	char text[600];
	struct mplug_sm *sm;

	(void)state;
	snprintf(text, sizeof(text), "links %s/links\n", dir);
	write_conf(text);
	sm = start(0);
	snprintf(text, sizeof(text), "# nothing\nelsewhere avoid\n0x%016" PRIx64 ":4 avoid\n"
		 "nowhere weight 3\n", fake.f->sw[0].guid);
	write_file("links", text);
	assert_int_equal(route(), 0);
	CHECK_STR("two of three lines", fake.log, "ERR MR14");
	CHECK_STR("two of three lines", fake.log, "links: 2 lines name switches that are neither there "
		  "nor planned, the first is line 2");
	CHECK_STR("one link is avoided", fake.log, "; avoided links: 1;");
	write_file("links", "x y\n");
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_STR("file and line", fake.log, "links:1: ");
	CHECK_STR("the rules stay", fake.log, "; avoided links: 1;");
	unlink(in_dir("links", ""));
	write_conf("");
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK("without rules", !strstr(fake.log, "avoided"));
	stop(sm);
}

static void
a_cut_goes_without_the_link(void **state)
{
	struct moore_fabric *cut;
	struct moore_port lost;
	struct mplug_sm *sm;
	char want[256];

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK_STR("one line", fake.log, "moore: slimfly q=5");
	CHECK_STR("one LID for each endpoint", fake.log, " endpoints, 1 layer,");
	CHECK_STR("all blocks change at first", fake.log, "LFT blocks change");
	CHECK("no lanes are pending", !fake.osm->subn.force_heavy_sweep);
	cut = slimfly(0);
	lost = *moore_fabric_port(cut, 0, 4);
	snprintf(want, sizeof(want), "; missing links: 1 (%s[4] -- %s[%u]); hash ", cut->sw[0].name,
		 cut->sw[lost.peer].name, lost.peer_port);
	moore_fabric_cut(cut, 0, 4);
	fake_next_sweep();
	fake_cut(0, 4);
	assert_int_equal(route(), 0);
	check_published("routed around the cut", cut, true);
	CHECK_STR("the line names it", fake.log, want);

	/* Another cut while the cache is on: the last good rows, without those over the link. */
	fake_next_sweep();
	moore_fabric_cut(cut, 7, 6);
	fake_cut(7, 6);
	caches();
	assert_int_equal(route(), 0);
	check_published("last good rows are safe, though some are gone", cut, false);
	moore_fabric_free(cut);
	stop(sm);
}

/* If a link is about to gain lanes, the engine asks for another sweep, in which OpenSM sets
 * its SL2VL rows, and for one more, in which routes rely on them. */
static void
asks_for_other_sweeps(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	one_lane();
	for (int sweep = 0; sweep < 4; sweep++) {
		assert_int_equal(route(), 0);
		CHECK_EQ("asked in the first two", fake.osm->subn.force_heavy_sweep, sweep < 2);
		fake_next_sweep();
	}
	stop(sm);
}

static const char *
after(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	return at ? at + strlen(part) : "";
}

/* The only line of a sweep that routed an intact fabric. */
static void
line_of_a_sweep(void **state)
{
	struct mplug_sm *sm;
	char want[512];
	unsigned blocks, rows;

	(void)state;
	write_conf("");
	sm = start(2);
	blocks = fake.f->n_switches * (fake.f->lid_top / 64u + 1);
	CHECK_STR("version and file", fake.log, "moore: version " MOORE_VERSION " for ");
	CHECK_STR("version and file", fake.log, dir);
	fake.log[0] = '\0';
	fake_level = 0;
	osm_event_plugin.report(sm, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
	readings = 0;
	assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
	readings = -1;
	configure();
	CHECK_EQ("as information", fake_level, OSM_LOG_INFO);
	snprintf(want, sizeof(want), "moore: slimfly q=5: 50 switches, 100 endpoints, 4 layers, 2 VLs; "
		 "total 48600.0 ms (routing 7100.0, lanes 9100.0, check 11100.0); "
		 "%u of %u LFT blocks change; SL2VL rows to set: ", blocks, blocks);
	CHECK_STR("first", fake.log, want);
	assert_int_equal(sscanf(strstr(fake.log, "SL2VL"), "SL2VL rows to set: %u", &rows), 1);
	CHECK("rows are to be set", rows > 0);
	snprintf(want, sizeof(want), "blocks change; SL2VL rows to set: %u; hash %016" PRIx64 "\n", rows,
		 sm->result->hash);
	CHECK_STR("counts that are zero have no term", fake.log, want);
	fake_next_sweep();
	fake.sw[7]->sw->lft[64] ^= 1;
	assert_int_equal(route(), 0);
	snprintf(want, sizeof(want), "; 1 of %u LFT blocks change", blocks);
	CHECK_STR("one block differs", fake.log, want);
	CHECK("every link counts with its lanes", !strstr(fake.log, "count with fewer lanes"));
	for (moore_epid e = 1; e < fake.f->n_endpoints; e++)
		fake.port[e].p_physp->port_info.mkey_lmc = 1;
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_STR("as many as the endpoint with the most", fake.log, " endpoints, 4 layers,");
	fake.port[0].p_physp->port_info.mkey_lmc = 1;
	fake.port[fake.f->n_endpoints - 1].p_physp->port_info.mkey_lmc = 2;
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_STR("which may be the last", fake.log, " endpoints, 4 layers,");
	stop(sm);
}

/* At most MPLUG_SAID_MAX different errors are logged; those that stop are counted. */
static void
different_errors_are_bounded(void **state)
{
	static struct mplug_sm sm;
	unsigned n = 0, over = 0;

	(void)state;
	fake_build(slimfly(0));
	sm = (struct mplug_sm){ .osm = fake.osm };
	for (unsigned sweep = 0; sweep < 5; sweep++) {
		mplug_log_new_sweep(&sm);
		for (unsigned i = 0; i < MPLUG_SAID_MAX + 2 * !sweep; i++)
			if (sweep < 1 || (sweep < 3 && i % 2))
				mplug_log_err(&sm, MPLUG_MR_ROUTE, "error %u", i);
	}
	for (const char *at = fake.log; *(at = after(at, "ERR MR07: error ")); n++)
		CHECK_EQ("in order", atoi(at), (int)n);
	CHECK_EQ("logged", n, MPLUG_SAID_MAX);
	for (const char *at = fake.log; *(at = after(at, "MR07 is over, repeats not logged: ")); over++)
		CHECK_EQ("repeats", atoi(at), 2);
	CHECK_EQ("those with repeats are over", over, MPLUG_SAID_MAX / 2);
	fake.log[0] = '\0';
	mplug_log_err(&sm, MPLUG_MR_ROUTE, "error 0");
	mplug_log_err(&sm, MPLUG_MR_PLAN, "error 0");
	CHECK_STR("news again", fake.log, "ERR MR07: error 0");
	CHECK_STR("another code is another error", fake.log, "ERR MR05: error 0");
	fake.log[0] = '\0';
	mplug_log_err(&sm, MPLUG_MR_PLAN, "%02000d", 7);
	CHECK_EQ("a long error is cut", strlen(fake.log), strlen("moore: ERR MR05: \n") + 1023);
	fake_free();
}

/* Compares rows as long as a switch's table, and never longer than lft's. */
static void
publishes_whole_rows(void **state)
{
	struct mplug_sm *sm;
	struct mplug_view v;
	struct moore_lft *lft;
	size_t changed, total;
	osm_switch_t *a, *b;

	(void)state;
	sm = start(0);
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	assert_int_equal(moore_lft_new(&lft, v.f->n_switches, 63, NULL), 0);
	memset(lft->row, 9, v.f->n_switches * lft->stride);
	a = v.sw[0];
	b = v.sw[1];
	a->max_lid_ho = 20;
	mplug_publish(&v, lft);
	CHECK_EQ("the last LID of the switch", a->new_lft[20], 9);
	CHECK_EQ("not beyond it", a->new_lft[21], OSM_NO_PATH);
	CHECK_EQ("the last LID of the row", b->new_lft[63], 9);
	CHECK_EQ("not beyond it", b->new_lft[64], OSM_NO_PATH);
	mplug_publish_count(&v, &changed, &total);
	CHECK_EQ("one block of each switch", changed, v.f->n_switches);
	CHECK_EQ("one of the short one", total, 1 + (v.f->n_switches - 1) * (fake.f->lid_top / 64u + 1));
	moore_lft_free(lft);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	stop(sm);
}

/* Whichever allocation of a sweep fails, OpenSM gets safe tables or none. */
static void
memory_runs_out(void **state)
{
	struct mplug_sm *sm;
	unsigned failed = 0;

	(void)state;
	write_conf("");
	sm = start(0);
	for (long at = 0, n = 1, round = 0; round < 2; at = at < n ? at + 1 + at / 3 : 0, round += !at) {
		int rc;

		fake_next_sweep();
		sm->said.n = 0;
		alloc_count = 0;
		alloc_fail_at = at;
		rc = route();
		alloc_fail_at = -1;
		n = alloc_count;
		failed += rc < 0;
		CHECK("it is logged", rc == 0 || strstr(fake.log, "ERR MR09") ||
		      strstr(fake.log, "Cannot allocate memory"));
		if (rc == 0)
			check_published("safe", fake.f, true);
	}
	CHECK("some failed", failed > 3);
	qos_off();
	fake_next_sweep();
	alloc_count = 0;
	assert_int_equal(route(), 0);
	failed = 0;
	for (long n = alloc_count, at = n - 80; at < n; at++) {	/* of the restored tables */
		int rc;

		fake_next_sweep();
		alloc_count = 0;
		alloc_fail_at = at;
		rc = route();
		alloc_fail_at = -1;
		failed += rc < 0 && strstr(fake.log, "the last good routes cannot be restored");
		if (strstr(fake.log, "the last good routes cannot be restored"))
			CHECK_EQ("moored is told", sm->tell.notice.state, MOORE_NOTICE_REFUSED);
		if (rc == 0)
			check_published("safe", fake.f, true);
	}
	CHECK("restoring failed and was logged", failed > 0);
	fake.osm->subn.opt.qos = TRUE;
	fake_next_sweep();
	CHECK_EQ("afterwards it routes", route(), 0);
	check_published("safe", fake.f, true);
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
	write_conf("classes 0,1,2,3,0\n");
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
				 (sl < 4 ? 2 * sl : 0) + from_switch);
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
check_hinted_row(const struct mplug_sm *sm, moore_swid s, moore_portnum in, moore_portnum out)
{
	osm_node_t *n = osm_get_switch_by_guid(&fake.osm->subn, cl_hton64(sm->good->sw[s].guid))->p_node;
	const struct moore_sl_row *want = moore_sl2vl_get(sm->result->sl2vl, s, in, out);
	ib_slvl_table_t t;

	if (!moore_fabric_port(sm->good, s, in)->role || !moore_fabric_port(sm->good, s, out)->role)
		return;
	memset(&t, 0xee, sizeof(t));
	re.update_sl2vl(fake_context, &n->physp_table[out], in, out, &t);
	for (unsigned sl = 0; sl < 16; sl++)
		CHECK_EQ("lane", vl_of(&t, sl), want->vl[sl]);
}

/* Under sl-hint: every row between ports in use is the one that the checker was given. */
static void
hinted_lanes(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("profile sl-hint\n");
	sm = start(0);
	assert_int_equal(route(), 0);
	for (moore_swid s = 0; s < sm->good->n_switches; s++)
		for (unsigned out = 1; out <= sm->good->sw[s].n_ports; out++)
			for (unsigned in = 0; in <= sm->good->sw[s].n_ports; in++)
				check_hinted_row(sm, s, (moore_portnum)in, (moore_portnum)out);
	stop(sm);
}

static void
set_state(moore_swid s, unsigned state)
{
	for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++)
		ib_port_info_set_port_state(&fake.sw[s]->physp_table[p].port_info, (uint8_t)state);
}

/* Under sl-hint, while the last good routes stay: a switch that they do not know. */
static void
lanes_of_an_unknown_switch(void **state)
{
	cl_qmap_t *table;
	struct mplug_sm *sm;
	ib_slvl_table_t row;
	const moore_swid s = 7;

	(void)state;
	write_conf("profile sl-hint\n");
	sm = start(0);
	table = &fake.osm->subn.sw_guid_tbl;
	set_state(s, IB_LINK_DOWN);
	cl_qmap_remove_item(table, &fake.sw[s]->sw->map_item);
	assert_int_equal(route(), 0);
	memset(osm_physp_get_slvl_tbl(&fake.sw[s]->physp_table[4], 5), 0x33, sizeof(row));
	re.update_sl2vl(fake_context, &fake.sw[s]->physp_table[4], 5, 4, &row);
	CHECK_EQ("nothing is known of it", vl_of(&row, 0), 3);
	set_state(s, IB_LINK_ACTIVE);
	cl_qmap_insert(table, fake.sw[s]->node_info.node_guid, &fake.sw[s]->sw->map_item);
	caches();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++) {
		osm_physp_t *here = &fake.sw[s]->physp_table[p], *there = here->p_remote_physp;
		ib_slvl_table_t t;

		for (unsigned in = 0; in <= fake.f->sw[s].n_ports; in++) {
			memset(osm_physp_get_slvl_tbl(here, (uint8_t)in), 0x33, sizeof(t));
			re.update_sl2vl(fake_context, here, (uint8_t)in, (uint8_t)p, &t);
			CHECK_EQ("its own rows stay", vl_of(&t, 0), 3);
		}
		if (!there->p_node->sw)
			continue;
		for (unsigned q = 0; q < there->p_node->physp_tbl_size; q++) {
			osm_physp_t *other = &there->p_node->physp_table[q];

			memset(osm_physp_get_slvl_tbl(there, (uint8_t)q), 0x33, sizeof(t));
			re.update_sl2vl(fake_context, there, (uint8_t)q, there->port_num, &t);
			CHECK_EQ("rows towards it stay", vl_of(&t, 0), 3);
			if (!q || q == there->port_num)
				continue;
			memset(osm_physp_get_slvl_tbl(other, there->port_num), 0x33, sizeof(t));
			re.update_sl2vl(fake_context, other, there->port_num, (uint8_t)q, &t);
			CHECK_EQ("rows from it stay", vl_of(&t, 0), 3);
			re.update_sl2vl(fake_context, other, 0, (uint8_t)q, &t);
			CHECK_EQ("others are set", vl_of(&t, 0), 0);
		}
	}
	stop(sm);
}

/* Under sl-hint, while the last good routes stay: a switch had one port less for them. */
static void
lanes_of_an_unknown_port(void **state)
{
	const moore_swid s = 7;
	struct mplug_sm *sm;
	osm_physp_t *port;
	ib_slvl_table_t t;
	uint8_t last;

	(void)state;
	write_conf("profile sl-hint\n");
	sm = start(0);
	port = fake.sw[s]->physp_table;
	last = fake.f->sw[s].n_ports;
	ib_port_info_set_port_state(&port[last].port_info, IB_LINK_DOWN);
	fake.sw[s]->sw->num_ports--;
	assert_int_equal(route(), 0);
	ib_port_info_set_port_state(&port[last].port_info, IB_LINK_ACTIVE);
	fake.sw[s]->sw->num_ports++;
	qos_off();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	for (uint8_t p = (uint8_t)(last - 2); p < last; p++) {
		memset(osm_physp_get_slvl_tbl(&port[p], last), 0x33, sizeof(t));
		re.update_sl2vl(fake_context, &port[p], last, p, &t);
		CHECK_EQ("rows from it stay", vl_of(&t, 0), 3);
		memset(osm_physp_get_slvl_tbl(&port[last], p), 0x33, sizeof(t));
		re.update_sl2vl(fake_context, &port[last], p, last, &t);
		CHECK_EQ("rows towards it stay", vl_of(&t, 0), 3);
	}
	stop(sm);
}

static void no_map(void) { fake.sw[6]->physp_table[0].port_info.capability_mask = 0; }
static void one_port_anew(void) { fake.sw[6]->physp_table[5].need_update = 1; }
static void all_anew(void) { fake.osm->subn.need_update = TRUE; }
static void a_link_less(void) { fake_cut(0, 4); }
static void
all_codes(void)
{
	for (unsigned p = 1; p <= 7; p++)
		ib_port_info_set_op_vls(&fake.sw[6]->physp_table[p].port_info, (uint8_t)(p % 7));
}

static void
rows_to_set(void **state)
{
	static const struct {
		const char *why, *conf;
		void (*change)(void);
		bool again;	/* some rows are set at every sweep */
	} T[] = {
		{ "one class", "", NULL, false },
		{ "seven classes", "classes 0,1,2,3,4,5,6\n", NULL, false },
		{ "sl-hint", "profile sl-hint\nclasses 0,0,0,0,1\n", NULL, false },
		{ "a switch without SL2VL tables", "", no_map, false },
		{ "a port that was reset", "", one_port_anew, true },
		{ "a new subnet manager", "", all_anew, true },
		{ "a link that is down", "", a_link_less, false },
		{ "every number of lanes", "classes 0,1,2,3,4,5,6\n", all_codes, false },
		{ "every number of lanes under sl-hint", "profile sl-hint\n", all_codes, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm;

		write_conf(T[i].conf);
		sm = start(0);
		if (T[i].change)
			T[i].change();
		for (unsigned sweep = 0; sweep < 2; sweep++) {
			size_t told, set;

			fake_next_sweep();
			CHECK_EQ(T[i].why, re.ucast_build_fwd_tables(fake_context), 0);
			/* A count that is zero has no term. */
			told = strstr(fake.log, "; SL2VL rows to set: ") ?
				(size_t)atol(after(fake.log, "; SL2VL rows to set: ")) : 0;
			set = fake_set_lanes();
			CHECK_EQ(T[i].why, told, set);
			CHECK_EQ(T[i].why, set > 0, !sweep || T[i].again);
		}
		stop(sm);
	}
}

/* OpenSM sets need_update of every endpoint at a switch that reports a change. */
static void
endpoints_keep_their_tables(void **state)
{
	struct mplug_sm *sm;
	osm_physp_t *p;

	(void)state;
	write_conf("");
	sm = start(0);
	p = &fake.ca[0]->physp_table[1];
	p->need_update = 1;
	ib_port_info_set_port_state(&p->port_info, IB_LINK_ACTIVE);
	assert_int_equal(route(), 0);
	CHECK_EQ("an endpoint that was not there before", p->need_update, 1);
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_EQ("one that was", p->need_update, 0);
	p->need_update = 1;
	ib_port_info_set_port_state(&p->port_info, IB_LINK_INIT);
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_EQ("one that may have been reset", p->need_update, 1);
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
		{ "room for just two", "", 4, 2, 0x3, 0 },
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
			for (unsigned n = 0; n < 32; n++)
				CHECK_EQ("the first entries, without a gap", t.vl_entry[n].weight != 0,
					 n < (unsigned)__builtin_popcount(lanes));
			CHECK_EQ(T[i].why, lanes, block == 0 ? T[i].low : block == 2 ? T[i].high : 0);
			memset(&t, 0xee, sizeof(t));
			re.update_vlarb(fake_context, p, 4, &t, 1, block);
			CHECK_EQ("no more entries than the block has", t.vl_entry[1].weight, 0);
			memset(&t, 0xee, sizeof(t));
			re.update_vlarb(fake_context, &fake.sw[0]->physp_table[0], 0, &t, 32, block);
			re.update_vlarb(fake_context, &fake.ca[0]->physp_table[1], 1, &t, 32, block);
			CHECK_EQ("port 0 and CAs are left alone", t.vl_entry[1].vl, 0xee);
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
			uint8_t sl = re.path_sl(fake_context, 0, cl_hton16((uint16_t)slid),
							cl_hton16((uint16_t)dlid));

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
	member->port = (osm_port_t *)(uintptr_t)port;
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

/* Makes a group of the endpoints e[0..n), and its tree. */
struct fake_group {
	osm_mgrp_box_t box;
	osm_mgrp_t g;
	osm_mcm_port_t member[8];
	unsigned n;
};

static void
new_group(struct fake_group *g, uint8_t sl)
{
	memset(g, 0, sizeof(*g));
	g->box.mlid = 0xc001;
	g->g.mlid = cl_hton16(0xc001);
	g->g.mcmember_rec.sl_flow_hop = ib_member_set_sl_flow_hop(sl, 0, 0);
	cl_qlist_init(&g->box.mgrp_list);
	cl_qmap_init(&g->g.mcm_port_tbl);
	cl_qlist_insert_tail(&g->box.mgrp_list, &g->g.list_item);
}

static void
add(struct fake_group *g, const osm_port_t *port)
{
	join(&g->g, &g->member[g->n++], port);
}

/* Builds the tree and returns the number of entries in all switches. */
static unsigned
entries(struct fake_group *g, int want)
{
	unsigned n = 0;

	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memset(fake.sw[s]->sw->mcast_tbl.p_mask_tbl, 0, FAKE_MFT * 2 * (IB_MCAST_POSITION_MAX + 1));
	CHECK_EQ("status", re.mcast_build_stree(fake_context, &g->box), want);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned i = 0; i <= IB_MCAST_POSITION_MAX; i++)
			n += (unsigned)__builtin_popcount((*fake.sw[s]->sw->mcast_tbl.p_mask_tbl)[1][i]);
	return n;
}

static void
groups_under_sl_hint(void **state)
{
	static const uint8_t safe[] = { 0, 4 }, unsafe[] = { 2, 3, 5, 7 };	/* 8 and more overflow an int in ib_types.h */
	struct fake_group g;
	struct mplug_sm *sm;

	(void)state;
	write_conf("profile sl-hint\nclasses 0,0,0,0,1\n");
	sm = start(0);
	new_group(&g, 0);
	add(&g, &fake.port[0]);
	add(&g, &fake.port[1]);
	CHECK_EQ("before the first sweep", entries(&g, IB_SUCCESS), 0);
	assert_int_equal(route(), 0);
	CHECK_EQ("two members on one switch", entries(&g, IB_SUCCESS), 2);
	for (size_t i = 0; i < ARRAY_LEN(safe); i++) {
		g.g.mcmember_rec.sl_flow_hop = ib_member_set_sl_flow_hop(safe[i], 0, 0);
		CHECK_EQ("a safe SL", entries(&g, IB_SUCCESS), 2);
	}
	for (size_t i = 0; i < ARRAY_LEN(unsafe); i++) {
		char text[80];

		g.g.mcmember_rec.sl_flow_hop = ib_member_set_sl_flow_hop(unsafe[i], 0, 0);
		CHECK_EQ("an unsafe SL: no tree", entries(&g, IB_SUCCESS), 0);
		snprintf(text, sizeof(text), "ERR MR16: multicast group 0xc001 is on SL %u", unsafe[i]);
		CHECK_STR("an unsafe SL", fake.log, text);
	}
	fake.log[0] = '\0';
	sm->said.n = 0;
	new_group(&g, 3);
	add(&g, &fake.port[0]);
	CHECK_EQ("one member needs no tree", entries(&g, IB_SUCCESS), 0);
	CHECK("so its SL does not matter", !*fake.log);
	stop(sm);
}

static void
groups(void **state)
{
	struct fake_group g;
	struct mplug_sm *sm;
	osm_physp_t *peer;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	new_group(&g, 3);
	add(&g, &fake.port[0]);
	add(&g, &fake.port[1]);
	CHECK_EQ("every SL is safe under any-sl", entries(&g, IB_SUCCESS), 2);
	new_group(&g, 0);
	add(&g, &fake.port[0]);
	add(&g, &fake.port[fake.f->n_endpoints + fake.f->ep[0].sw]);
	CHECK_EQ("a switch is a member: port 0", entries(&g, IB_SUCCESS), 2);
	CHECK_EQ("port 0", (*fake.sw[fake.f->ep[0].sw]->sw->mcast_tbl.p_mask_tbl)[1][0] & 1, 1);
	peer = fake.port[1].p_physp->p_remote_physp;
	fake.port[1].p_physp->p_remote_physp = NULL;
	add(&g, &fake.port[1]);
	CHECK_EQ("a member without a link", entries(&g, IB_SUCCESS), 2);
	CHECK_STR("a member without a link", fake.log, "ERR MR10: multicast group 0xc001: member 0x");
	new_group(&g, 0);
	add(&g, &fake.port[0]);
	add(&g, &fake.port[1]);
	CHECK_EQ("it leaves one member, which needs no tree", entries(&g, IB_SUCCESS), 0);
	add(&g, &fake.port[fake.f->n_endpoints + fake.f->ep[0].sw]);
	fake.port[1].p_physp->p_remote_physp = &fake.ca[2]->physp_table[1];
	CHECK_EQ("a member linked to a CA", entries(&g, IB_SUCCESS), 2);
	fake.port[1].p_physp = NULL;
	CHECK_EQ("a member without a port", entries(&g, IB_SUCCESS), 2);
	fake.port[1].p_physp = &fake.ca[1]->physp_table[1];
	fake.port[1].p_physp->p_remote_physp = peer;
	fake.sw[fake.f->ep[0].sw]->sw->switch_info.mcast_cap = 0;
	CHECK_EQ("members on a switch without multicast", entries(&g, IB_SUCCESS), 0);
	stop(sm);
}

static void
groups_without_memory(void **state)
{
	struct fake_group g;
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	new_group(&g, 0);
	add(&g, &fake.port[0]);
	add(&g, &fake.port[41]);
	add(&g, &fake.port[97]);
	for (long at = 0, n = 1, rc; at <= n; at++) {
		alloc_count = 0;
		alloc_fail_at = at;
		rc = re.mcast_build_stree(fake_context, &g.box);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("memory runs out", (rc == IB_SUCCESS) == (at >= n));
		CHECK("which is no fault of the tree", !strstr(fake.log, "ERR MR11"));
	}
	CHECK_STR("memory for the tree runs out", fake.log, "ERR MR09: multicast group 0xc001: ");
	stop(sm);
}

static bool
linked(moore_swid a, moore_swid b)
{
	for (unsigned p = 1; p <= fake.f->sw[a].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(fake.f, a, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == b)
			return true;
	}
	return false;
}

/* Any two switches are joined by a tree of one link or more.  The first switch cannot map
 * SLs, so it is a leaf of each tree; otherwise it would be the root. */
static void
groups_of_two(void **state)
{
	struct fake_group g;
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	fake.sw[0]->physp_table[0].port_info.capability_mask = 0;
	assert_int_equal(route(), 0);
	CHECK("the first switch", sm->good->sw[0].guid == fake.f->sw[0].guid);
	for (moore_swid a = 0; a < fake.f->n_switches; a += 11)
		for (moore_swid b = 0; b < fake.f->n_switches; b++) {
			unsigned n;

			if (a == b)
				continue;
			new_group(&g, 0);
			add(&g, &fake.port[fake.f->n_endpoints + a]);
			add(&g, &fake.port[fake.f->n_endpoints + b]);
			n = entries(&g, IB_SUCCESS);
			CHECK("two ports 0, and two ports of each link", n >= 4 && n % 2 == 0);
			CHECK("two hops at least if there is no link", n >= 6 || linked(a, b));
		}
	CHECK("no errors", !strstr(fake.log, "ERR"));
	stop(sm);
}

/* A link of the tree that went since the last sweep, and a switch without multicast. */
static void
groups_cut_off(void **state)
{
	struct fake_group g;
	struct mplug_sm *sm;
	moore_swid a, b = 0;
	unsigned whole;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	a = fake.f->ep[0].sw;
	while (b == a || linked(a, b))
		b++;
	new_group(&g, 0);
	add(&g, &fake.port[fake.f->n_endpoints + a]);
	add(&g, &fake.port[fake.f->n_endpoints + b]);
	whole = entries(&g, IB_SUCCESS);
	CHECK("two ports 0, and two ports for each of two links or more", whole >= 6 && whole % 2 == 0);
	CHECK("no errors", !strstr(fake.log, "ERR"));
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		if (s != a && s != b)
			fake.sw[s]->sw->switch_info.mcast_cap = 0;
	CHECK_EQ("transit without multicast", entries(&g, IB_SUCCESS), 2);
	CHECK_STR("transit without multicast", fake.log, "ERR MR11: multicast group 0xc001: its "
		  "tree needs port ");
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		if (s != a && s != b)
			cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &fake.sw[s]->sw->map_item);
	CHECK_EQ("no transit at all", entries(&g, IB_SUCCESS), 2);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		if (s != a && s != b)
			cl_qmap_insert(&fake.osm->subn.sw_guid_tbl, fake.sw[s]->node_info.node_guid,
				       &fake.sw[s]->sw->map_item);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		fake.sw[s]->sw->switch_info.mcast_cap = cl_hton16(FAKE_MFT);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++)
			if (fake.sw[s]->physp_table[p].p_remote_physp &&
			    fake.sw[s]->physp_table[p].p_remote_physp->p_node->sw)
				fake_cut(s, p);
	sm->said.n = 0;
	CHECK_EQ("only the members' own ports", entries(&g, IB_SUCCESS), 2);
	CHECK_STR("the link is gone", fake.log, "ERR MR11: multicast group 0xc001: its tree needs port ");
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++)
			if (!fake.sw[s]->physp_table[p].p_remote_physp)
				fake.sw[s]->physp_table[p].p_remote_physp = &fake.ca[0]->physp_table[1];
	CHECK_EQ("the ports lead elsewhere", entries(&g, IB_SUCCESS), 2);
	stop(sm);
}

/* ---- files under sl-hint ------------------------------------------------------------- */

static const char *const dump_names[] = { "moore-path-sl.dump", "moore-slvl.dump", "moore-psl.dump" };
#define N_DUMPS ARRAY_LEN(dump_names)

static bool
holds(const char *path, const struct moore_buf *want)
{
	char *text = malloc(want->len + 1);
	FILE *f = fopen(path, "r");
	bool same = f && fread(text, 1, want->len + 1, f) == want->len && !memcmp(text, want->data, want->len);

	if (f)
		fclose(f);
	free(text);
	return same;
}

static uint8_t
answered_sl(const void *context, moore_lid slid, moore_lid dlid)
{
	return re.path_sl((void *)(uintptr_t)context, 0, cl_hton16((uint16_t)slid),
			  cl_hton16((uint16_t)dlid));
}

static void
expected_dumps(const struct mplug_sm *sm, struct moore_buf *want)
{
	memset(want, 0, N_DUMPS * sizeof(*want));
	assert_int_equal(moore_dump_write_path_sl(sm->good, sm->result->sl_set, &want[0], NULL), 0);
	moore_dump_write_slvl(sm->good, sm->result->sl2vl, &want[1]);
	for (moore_epid e = 0; e < sm->good->n_endpoints; e++)
		moore_dump_write_psl(sm->good, e, answered_sl, fake_context, &want[2]);
}

static struct mplug_sm *
start_hinted(void)
{
	struct mplug_sm *sm;

	write_conf("profile sl-hint\n");
	sm = start(1);
	fake.osm->subn.opt.dump_files_dir = dir;
	fake.osm->log.level = OSM_LOG_ROUTING;
	return sm;
}

static void
dumps(void **state)
{
	struct mplug_sm *sm = start_hinted();
	struct moore_buf want[N_DUMPS];

	(void)state;
	fake.osm->log.level = 0xff & ~OSM_LOG_ROUTING;
	assert_int_equal(route(), 0);
	CHECK("only when OpenSM writes its own", access(in_dir(dump_names[0], ""), F_OK) < 0);
	fake.osm->log.level = OSM_LOG_ROUTING;
	fake.osm->subn.opt.dump_files_dir = NULL;
	mplug_dump(sm);
	CHECK("only in a folder", access("(null)/moore-slvl.dump", F_OK) < 0);
	fake.osm->subn.opt.dump_files_dir = dir;
	expected_dumps(sm, want);
	for (unsigned round = 0; round < 2; round++) {
		fake_next_sweep();
		assert_int_equal(route(), 0);
		for (size_t i = 0; i < N_DUMPS; i++) {
			struct stat st;

			CHECK(dump_names[i], holds(in_dir(dump_names[i], ""), &want[i]));
			CHECK_EQ("stat", stat(in_dir(dump_names[i], ""), &st), 0);
			CHECK_EQ("no execute bits", st.st_mode & 0111, 0);
			CHECK("whole", access(in_dir(dump_names[i], ".new"), F_OK) < 0);
		}
		/* what a run that was killed may have left */
		write_file("moore-slvl.dump.new", "");
		assert_int_equal(truncate(in_dir(dump_names[1], ".new"), (off_t)want[1].len + 99), 0);
	}
	unlink(in_dir(dump_names[1], ".new"));
	write_conf("");
	fake_next_sweep();
	assert_int_equal(route(), 0);
	for (size_t i = 0; i < N_DUMPS; i++) {
		CHECK("any-sl has none", access(in_dir(dump_names[i], ""), F_OK) < 0);
		moore_buf_free(&want[i]);
	}
	CHECK("no errors", !strstr(fake.log, "ERR MR15"));
	stop(sm);
}

static void tmp_is_a_link(void) { assert_int_equal(symlink("x", in_dir(dump_names[1], ".new")), 0); }
static void cannot_be_closed(void) { close_error = EDQUOT; }
static void name_is_a_folder(void) { assert_int_equal(mkdir(in_dir(dump_names[1], ""), 0700), 0); }
static void
disk_is_full(void)
{
	struct rlimit limit = { 5000, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file that cannot be written whole stays as it was. */
static void
dumps_that_fail(void **state)
{
	static const struct {
		const char *why;
		void (*change)(void);
		int failed;	/* number of files */
		const char *error;
	} T[] = {
		{ "a symbolic link is not followed", tmp_is_a_link, 1,
		  "moore-slvl.dump: Too many levels of symbolic links: it is not written" },
		{ "the file cannot be replaced", name_is_a_folder, 1,
		  "moore-slvl.dump: Is a directory: it is not written" },
		{ "the last bytes are lost", cannot_be_closed, 3,
		  "moore-psl.dump: Disk quota exceeded: it is not written" },
		{ "the disk is full", disk_is_full, 3, "moore-psl.dump: File too large: it is not written" },
	};
	static const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = start_hinted();
		int n = 0;

		T[i].change();
		CHECK_EQ(T[i].why, route(), 0);
		setrlimit(RLIMIT_FSIZE, &none);
		close_error = 0;
		CHECK_STR(T[i].why, fake.log, T[i].error);
		for (const char *at = fake.log; *(at = after(at, "ERR MR15"));)
			n++;
		n -= strstr(fake.log, "moore-op-vls.dump: ") != NULL;	/* not one of dump_names[] */
		CHECK_EQ(T[i].why, n, T[i].failed);
		for (size_t d = 0; d < N_DUMPS; d++) {
			CHECK(T[i].why, access(in_dir(dump_names[d], ".new"), F_OK) < 0);
			remove(in_dir(dump_names[d], ".new"));
			n -= access(in_dir(dump_names[d], ""), R_OK) == 0;
			remove(in_dir(dump_names[d], ""));
		}
		CHECK_EQ("the others are written", n, T[i].failed - 3 + T[i].failed -
			 (T[i].change == name_is_a_folder));
		stop(sm);
	}
}

/* moore-op-vls.dump holds the lanes that links have after the sweep, not those of before. */
static void
dumps_op_vls(void **state)
{
	static const char name[] = "moore-op-vls.dump";
	struct moore_buf want = MOORE_BUF_INIT;
	struct mplug_sm *sm;
	struct mplug_view v;

	(void)state;
	write_conf("");
	sm = start(0);
	fake.osm->subn.opt.dump_files_dir = dir;
	fake.osm->log.level = OSM_LOG_ROUTING;
	one_lane();
	ib_port_info_set_op_vls(&fake.sw[49]->physp_table[1].port_info, 1);
	assert_int_equal(route(), 0);
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	moore_dump_write_op_vls(v.f, &want);
	CHECK("as OpenSM has set them", holds(in_dir(name, ""), &want));
	for (long at = 0, n = 0; at <= n; at++) {
		unlink(in_dir(name, ""));
		sm->said.n = 0;
		fake.log[0] = '\0';
		alloc_count = 0;
		alloc_fail_at = at;
		mplug_dump_op_vls(sm);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK_EQ("it is written", holds(in_dir(name, ""), &want), at >= n);
		CHECK_EQ("or an error is", !!strstr(fake.log, "moore-op-vls.dump: Cannot allocate memory"), at < n);
	}
	unlink(in_dir(name, ""));
	moore_buf_free(&want);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	stop(sm);
}

/* Short writes, also of one byte, and interruptions do not show in the files. */
static void
dumps_piece_by_piece(void **state)
{
	static const struct fake_io T[] = { { 0, 1 }, { 3, 4000 } };
	struct mplug_sm *sm = start_hinted();
	struct moore_buf want[N_DUMPS];

	(void)state;
	assert_int_equal(route(), 0);
	expected_dumps(sm, want);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		for (size_t d = 0; d < N_DUMPS; d++)
			unlink(in_dir(dump_names[d], ""));
		fake_io = &T[i];
		io_calls = 0;
		mplug_dump(sm);
		fake_io = NULL;
		for (size_t d = 0; d < N_DUMPS; d++)
			CHECK(dump_names[d], holds(in_dir(dump_names[d], ""), &want[d]));
	}
	for (size_t d = 0; d < N_DUMPS; d++) {
		unlink(in_dir(dump_names[d], ""));
		moore_buf_free(&want[d]);
	}
	CHECK("no errors", !strstr(fake.log, "ERR MR15"));
	stop(sm);
}

/* The longest path of a dump, and of the file that is renamed to it, which is a symbolic
 * link at first. */
static void
dumps_in_a_long_folder(void **state)
{
	struct mplug_sm *sm = start_hinted();
	char folder[2048 - sizeof("moore-path-sl.dump")];
	struct moore_buf want[N_DUMPS];

	(void)state;
	memset(folder, '/', sizeof(folder));
	memcpy(folder, dir, strlen(dir));
	folder[sizeof(folder) - 1] = '\0';
	fake.osm->subn.opt.dump_files_dir = folder;
	assert_int_equal(symlink("x", in_dir(dump_names[0], ".new")), 0);
	assert_int_equal(route(), 0);
	CHECK_STR("the link is not followed", fake.log, "ERR MR15");
	fake.log[0] = '\0';
	mplug_dump(sm);
	CHECK("no errors", !strstr(fake.log, "ERR MR15"));
	expected_dumps(sm, want);
	for (size_t d = 0; d < N_DUMPS; d++) {
		CHECK(dump_names[d], holds(in_dir(dump_names[d], ""), &want[d]));
		unlink(in_dir(dump_names[d], ""));
		moore_buf_free(&want[d]);
	}
	stop(sm);
}

/* A folder one byte longer than above.  Before paths were checked, the one of moore-path-sl.dump
 * was cut to that of a file which is there already. */
static void
dumps_in_too_long_a_folder(void **state)
{
	static const char cut[] = "moore-path-sl.dum";
	struct mplug_sm *sm = start_hinted();
	struct moore_sl_set *set;
	char folder[2049 - sizeof("moore-path-sl.dump")];

	(void)state;
	assert_int_equal(route(), 0);
	for (size_t d = 0; d < N_DUMPS; d++)
		unlink(in_dir(dump_names[d], ""));
	memset(folder, '/', sizeof(folder));
	memcpy(folder, dir, strlen(dir));
	folder[sizeof(folder) - 1] = '\0';
	fake.osm->subn.opt.dump_files_dir = folder;
	write_file(cut, "keep\n");
	fake.log[0] = '\0';
	mplug_dump(sm);
	CHECK_STR("refused", fake.log,
		  "ERR MR15: moore-path-sl.dump: File name too long: it is not written");
	CHECK("not written under a part of its name",
	      holds(in_dir(cut, ""), &(struct moore_buf){ .data = (char[]){ "keep\n" }, .len = 5 }));
	CHECK("a shorter name fits", access(in_dir(dump_names[1], ""), F_OK) == 0);
	set = sm->result->sl_set;
	sm->result->sl_set = NULL;
	mplug_dump(sm);
	sm->result->sl_set = set;
	CHECK("nor is that file removed", access(in_dir(cut, ""), F_OK) == 0);
	unlink(in_dir(cut, ""));
	for (size_t d = 0; d < N_DUMPS; d++)
		unlink(in_dir(dump_names[d], ""));
	stop(sm);
}

static void
dumps_without_memory(void **state)
{
	struct mplug_sm *sm = start_hinted();
	struct moore_buf want[N_DUMPS];

	(void)state;
	assert_int_equal(route(), 0);
	expected_dumps(sm, want);
	for (long at = 0, n = 1; at < n; at += 1 + at / 2) {
		int missing = 0;

		for (size_t i = 0; i < N_DUMPS; i++)
			unlink(in_dir(dump_names[i], ""));
		sm->said.n = 0;
		fake.log[0] = '\0';
		alloc_count = 0;
		alloc_fail_at = at;
		mplug_dump(sm);
		alloc_fail_at = -1;
		n = alloc_count;
		for (size_t i = 0; i < N_DUMPS; i++) {
			CHECK("whole or not at all", access(in_dir(dump_names[i], ""), F_OK) < 0 ||
			      holds(in_dir(dump_names[i], ""), &want[i]));
			missing += access(in_dir(dump_names[i], ""), F_OK) < 0;
		}
		if (n <= at)
			break;
		CHECK_EQ("one is missing", missing, 1);
		CHECK_STR("and the reason is logged", fake.log, "Cannot allocate memory: it is not written");
	}
	for (size_t i = 0; i < N_DUMPS; i++) {
		unlink(in_dir(dump_names[i], ""));
		moore_buf_free(&want[i]);
	}
	stop(sm);
}

static void
policies(void **state)
{
	static const struct { const char *why, *conf, *partitions, *qos, *log; } T[] = {
		{ "none", "profile sl-hint\n", NULL, NULL, NULL },
		{ "SL 0", "profile sl-hint\n", "A=1,sl=0: ALL;\n", "sl: 0\n", NULL },
		{ "a partition", "profile sl-hint\n", "A=1: ALL;\nB=2,sl=3: ALL;\n", NULL,
		  "partitions.conf:2: sets SL 3" },
		{ "a QoS policy", "profile sl-hint\n", "A=1,sl=0: ALL;\n",
		  "qos-levels\nqos-level\nname: x\nsl: 2\n", "policy.conf:4: sets SL 2" },
		{ "the syntax of the other file", "profile sl-hint\n", "sl: 2\n", "A=1,sl=2\n", NULL },
		{ "SL 4 in a class of its own", "profile sl-hint\nclasses 0,0,0,0,1\n",
		  "A=1,sl=4: ALL;\n", NULL, NULL },
		{ "any-sl", "", "B=2,sl=3: ALL;\n", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		static char partitions[300], qos[300];
		struct mplug_sm *sm;

		write_conf(T[i].conf);
		sm = start(0);
		strcpy(partitions, in_dir("partitions.conf", ""));
		strcpy(qos, in_dir("policy.conf", ""));
		unlink(partitions);
		unlink(qos);
		if (T[i].partitions)
			write_file("partitions.conf", T[i].partitions);
		if (T[i].qos)
			write_file("policy.conf", T[i].qos);
		fake.osm->subn.opt.partition_config_file = partitions;
		fake.osm->subn.opt.qos_policy_file = qos;
		CHECK_EQ(T[i].why, route(), 0);
		if (T[i].log)
			CHECK_STR(T[i].why, fake.log, T[i].log);
		CHECK_EQ(T[i].why, !!strstr(fake.log, "ERR MR17"), T[i].log != NULL);
		fake.osm->subn.opt.qos = FALSE;
		sm->said.n = 0;
		fake.log[0] = '\0';
		mplug_settings_policies(sm);
		CHECK_EQ("without qos the QoS policy does not matter", !!strstr(fake.log, "policy.conf"), 0);
		stop(sm);
	}
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

/* The rows behind the notice are those that the plugin published, of each switch. */
static void
next_rows(const char *why, int fd, const struct mplug_sm *sm, const struct moore_notice *n)
{
	uint32_t each[64];
	struct moore_rows r;
	char text[4096];
	ssize_t len = recv(fd, text, sizeof(text), 0);

	CHECK(why, len > 0 && fake.f->n_switches <= ARRAY_LEN(each));
	CHECK_EQ(why, moore_rows_parse(&r, text, (size_t)len, NULL), 0);
	CHECK(why, r.sm == n->sm && r.number == n->number);
	CHECK_EQ(why, r.n, fake.f->n_switches);
	CHECK_EQ(why, moore_lft_hash_each(each, sm->good, sm->result->lft, NULL), 0);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		CHECK(why, moore_rows_have(&r, each[s]));
	moore_rows_free(&r);
}

static unsigned
open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void
tells_moored(void **state)
{
	unsigned before = open_descriptors();
	struct moore_notice n;
	struct mplug_sm *sm;
	uint64_t routes;
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
	CHECK("not inherited", fcntl(sm->tell.fd, F_GETFD) & FD_CLOEXEC);
	CHECK_EQ("state", n.state, MOORE_NOTICE_ROUTED);
	CHECK_EQ("its number", n.number, 3);
	CHECK("its hash", n.hash == sm->result->hash);
	CHECK_EQ("nothing changed", n.blocks, 0);
	CHECK("port GUID of the subnet manager", n.sm == fake.f->ep[0].guid);
	CHECK_EQ("not up yet", n.up, 0);
	CHECK_EQ("profile", n.profile, MOORE_PROFILE_ANY_SL);
	CHECK_EQ("switches", n.switches, fake.f->n_switches);
	CHECK_EQ("endpoints", n.endpoints, fake.f->n_endpoints);
	CHECK_EQ("missing links", n.missing_links, 0);
	CHECK_EQ("missing switches", n.missing_switches, 0);
	CHECK("topology", !strcmp(n.topology, "slimfly q=5"));
	CHECK("routes", n.routes == sm->result->routes_hash && n.routes);
	CHECK("lanes", n.lanes == sm->result->lanes_hash && n.lanes);
	CHECK("no reason", !*n.why);
	routes = n.routes;
	osm_event_plugin.report(sm, OSM_EVENT_ID_HEAVY_SWEEP_DONE, NULL);
	CHECK("only of the subnet that is up", recv(fd, &n, sizeof(n), 0) < 0);
	osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
	next_notice("up", fd, &n);
	CHECK_EQ("up", n.up, 1);
	next_rows("and the rows", fd, sm, &n);
	osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
	CHECK("told once", recv(fd, &n, sizeof(n), 0) < 0);
	qos_off();
	fake_next_sweep();
	assert_int_equal(route(), 0);
	next_notice("kept", fd, &n);
	CHECK_EQ("state", n.state, MOORE_NOTICE_KEPT);
	CHECK_STR("why", n.why, "MR01: qos is FALSE");
	CHECK("the same routes", n.routes == routes);
	CHECK("no lanes", !n.lanes && !n.hash);
	CHECK_EQ("number", n.number, 4);
	osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
	next_notice("kept, and up", fd, &n);
	CHECK("no rows of the last good routes", recv(fd, &n, sizeof(n), 0) < 0);
	fake.osm->subn.opt.qos = TRUE;
	fake_next_sweep();
	fake.sw[7]->sw->lft[64] ^= 1;
	assert_int_equal(route(), 0);
	next_notice("one block differs", fd, &n);
	CHECK_EQ("one block differs", n.blocks, 1);
	close(fd);
	stop(sm);
	CHECK_EQ("every descriptor was closed", open_descriptors(), before);
}

static void nobody(void) { unlink(in_dir("sock", MOORE_NOTICE_SUFFIX)); }
static void stopped(void) { close(listen_here()); }
static void
no_name(void)
{
	char conf[300];

	snprintf(conf, sizeof(conf), "moored /%0*d\n", (int)sizeof(((struct sockaddr_un *)0)->sun_path) -
		 1 - (int)strlen(MOORE_NOTICE_SUFFIX), 0);
	write_file("moore.conf", conf);
}
static void
longest_name(void)
{
	char conf[300];

	snprintf(conf, sizeof(conf), "moored /%0*d\n", (int)sizeof(((struct sockaddr_un *)0)->sun_path) -
		 2 - (int)strlen(MOORE_NOTICE_SUFFIX), 0);
	write_file("moore.conf", conf);
}
static void no_notices(void) { write_file("moore.conf", "moored (null)\n"); }
static void not_a_socket(void) { stopped(); nobody(); write_file("sock" MOORE_NOTICE_SUFFIX, ""); }
static void
in_a_file(void)
{
	char conf[300];

	snprintf(conf, sizeof(conf), "moored %s/moore.conf/sock\n", dir);
	write_file("moore.conf", conf);
}

/* A notice that cannot be sent is dropped, and each kind of failure is logged once. */
static void
moored_does_not_listen(void **state)
{
	static const struct { const char *why; void (*change)(void); const char *log; } T[] = {
		{ "no socket", nobody, "nobody listens (No such file or directory)" },
		{ "nobody at the socket", stopped, "nobody listens (Connection refused)" },
		{ "no socket at all", not_a_socket, "nobody listens (Connection refused)" },
		{ "another error", in_a_file, "cannot send (Not a directory)" },
		{ "too long a name", no_name, "cannot send (File name too long)" },
		{ "the longest name", longest_name, "nobody listens (No such file or directory)" },
		{ "no notices are wanted", no_notices, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm;

		write_conf("");
		T[i].change();
		sm = start(0);
		osm_event_plugin.report(sm, OSM_EVENT_ID_SUBNET_UP, NULL);
		CHECK(T[i].why, !strstr(fake.log, "moored at"));
		for (unsigned sweep = 0; sweep < 2; sweep++) {
			CHECK_EQ(T[i].why, route(), 0);
			CHECK_STR(T[i].why, fake.log, T[i].log && !sweep ? T[i].log : "");
			CHECK_EQ(T[i].why, !!strstr(fake.log, "moored at"), T[i].log && !sweep);
			CHECK("one line", !*after(after(fake.log, "moored at"), "moored at"));
			fake_next_sweep();
		}
		stop(sm);
	}
	nobody();
}

/* OpenSM may run without standard input: then 0 is a descriptor like any other, of the socket
 * in the first round and of the files that are written in the second. */
static void
without_standard_input(void **state)
{
	static const char *const conf[] = { NULL, "profile sl-hint\nmoored (null)\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(conf); i++) {
		int listener = listen_here(), input = dup(0);
		struct mplug_sm *sm = start_hinted();
		struct moore_notice n;
		unsigned before;

		if (conf[i])
			write_file("moore.conf", conf[i]);
		close(0);
		before = open_descriptors();
		for (unsigned sweep = 1; sweep <= 2; sweep++) {
			fake_next_sweep();
			CHECK_EQ("a sweep", route(), 0);
			CHECK("no errors", !strstr(fake.log, "ERR") && !strstr(fake.log, "cannot send"));
			if (!conf[i])
				next_notice("a sweep", listener, &n);
		}
		stop(sm);
		CHECK_EQ("every descriptor was closed", open_descriptors(), before);
		if (input >= 0)
			dup2(input, 0);
		close(input);
		close(listener);
		for (size_t d = 0; d < N_DUMPS; d++)
			unlink(in_dir(dump_names[d], ""));
	}
	nobody();
}

/* The hash of the last good routes is missing in a notice if there is no memory for it. */
static void
notices_without_memory(void **state)
{
	struct mplug_sm *sm;
	struct mplug_view v;
	struct moore_lft *lft;
	uint64_t want;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	lft = published();
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	assert_int_equal(moore_lft_hash(&want, v.f, lft, NULL), 0);
	for (long at = 0, n = 1; at < n; at++) {
		alloc_count = 0;
		alloc_fail_at = at;
		mplug_tell_sweep(sm, &v, MPLUG_MR_QOS, "", lft);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("right or none", sm->tell.notice.routes == want ||
		      (at < n && sm->tell.notice.routes == 0));
	}
	moore_lft_free(lft);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	stop(sm);
}

static void
moored_is_slow(void **state)
{
	struct mplug_sm *sm;
	struct moore_notice n;
	struct sockaddr_un a;
	socklen_t len = sizeof(a);
	int fd = listen_here();

	(void)state;
	write_conf("");
	sm = start(0);
	qos_off();
	CHECK("refused", route() < 0);
	next_notice("refused", fd, &n);
	CHECK_EQ("state", n.state, MOORE_NOTICE_REFUSED);
	CHECK("no routes", !n.routes);
	getsockname(fd, (struct sockaddr *)&a, &len);
	while (sendto(sm->tell.fd, "", 0, MSG_DONTWAIT, (struct sockaddr *)&a, len) == 0)
		;
	fake_next_sweep();
	CHECK("refused, without a wait", route() < 0);
	CHECK_STR("why", fake.log, "its queue is full (Resource temporarily unavailable)");
	close(fd);
	fake_next_sweep();
	CHECK("refused", route() < 0);
	CHECK_STR("another failure is logged, too", fake.log, "nobody listens (Connection refused)");
	stop(sm);
	nobody();
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
	static const struct timespec times[][2] = {
		{ { 1000, 0 }, { 1000, 0 } }, { { 1000, 0 }, { 1000, 1 } }, { { 1000, 1 }, { 1000, 1 } },
		{ { 1000, 1 }, { 1001, 1 } }, { { 1001, 1 }, { 1001, 1 } } };
	const size_t n = 1 << 20;
	char *text = malloc(n), name[300];
	unsigned long long before;
	struct mplug_sm *sm;
	struct stat st;

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
	CHECK_STR("which file", fake.log, "/plan: ");
	CHECK_STR("why", fake.log, "found an array, want an object; the last good settings stay");
	before = bytes_read();
	fake_next_sweep();
	CHECK_EQ("young", route(), 0);
	CHECK("is read again", bytes_read() - before > n / 2);
	assert_int_equal(stat(in_dir("plan", ""), &st), 0);
	frozen = st.st_ctim.tv_sec + 2;
	for (unsigned i = 0; i < 2; i++) {
		before = bytes_read();
		fake_next_sweep();
		CHECK_EQ("two seconds old", route(), 0);
		CHECK("is read again", bytes_read() - before > n / 2);
	}
	frozen++;
	fake_next_sweep();
	CHECK_EQ("old", route(), 0);
	before = bytes_read();
	for (unsigned i = 0; i < 5; i++) {
		fake_next_sweep();
		CHECK_EQ("old", route(), 0);
		CHECK("is logged once", !strstr(fake.log, "ERR MR"));
	}
	CHECK("is not read again", bytes_read() - before < n / 2);
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		file_times = times[i];
		for (unsigned again = 0; again < 2; again++) {
			before = bytes_read();
			fake_next_sweep();
			CHECK_EQ("other times", route(), 0);
			CHECK_EQ("is read again once", bytes_read() - before > n / 2, !again);
		}
	}
	file_times = NULL;
	write_file("plan", "{}");
	fake_next_sweep();
	CHECK_EQ("changed", route(), 0);
	CHECK_STR("is read", fake.log, "moore_plan: missing");
	frozen = 0;
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

static void
write_plan(uint64_t first_guid)
{
	struct moore_plan *p = plan_of("slimfly", "q=5 p=2");
	struct moore_buf b = MOORE_BUF_INIT;

	if (first_guid)
		p->sw[0].guid = first_guid;
	assert_int_equal(moore_plan_write(p, &b, NULL), 0);
	write_file("plan", b.data);
	moore_buf_free(&b);
	moore_plan_free(p);
}

/* Overwrites what earlier calls have left on the stack. */
static void
dirty_stack(void)
{
	volatile char junk[8192];

	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = 0x55;
}

/* The plan is parsed when the bytes of its file change, and it goes when moore.conf no
 * longer names it. */
static void
follows_the_plan(void **state)
{
	const struct moore_plan *first;
	struct mplug_sm *sm;
	struct mplug_view v;
	osm_physp_t *peer;
	char text[300];

	(void)state;
	write_plan(0);
	snprintf(text, sizeof(text), "plan %s/plan\n", dir);
	write_conf(text);
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK_STR("planned", fake.log, "moore: planned slimfly q=5 p=2: ");
	first = sm->settings.plan;
	fake_next_sweep();
	write_plan(0);
	assert_int_equal(route(), 0);
	CHECK_STR("planned", fake.log, "moore: planned slimfly q=5 p=2: ");
	CHECK("the same bytes are not parsed", sm->settings.plan == first);
	fake_next_sweep();
	write_plan(fake.f->sw[0].guid);
	assert_int_equal(route(), 0);
	CHECK("other bytes are", sm->settings.plan->sw[0].guid == fake.f->sw[0].guid);
	CHECK_EQ("nothing is missing", sm->tell.notice.missing_links, 0);
	fake_next_sweep();
	peer = fake.sw[0]->physp_table[4].p_remote_physp;
	fake_cut(0, 4);
	assert_int_equal(route(), 0);
	CHECK_EQ("one link is", sm->tell.notice.missing_links, 1);
	assert_int_equal(mplug_observe(sm, &v, NULL), 0);
	dirty_stack();
	mplug_tell_sweep(sm, &v, MPLUG_MR_OK, "", NULL);
	CHECK_EQ("one link is", sm->tell.notice.missing_links, 1);
	moore_fabric_free(v.f);
	mplug_view_free(&v);
	CHECK_EQ("but no switch", sm->tell.notice.missing_switches, 0);
	fake_next_sweep();
	set_state(20, IB_LINK_DOWN);
	cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &fake.sw[20]->sw->map_item);
	assert_int_equal(route(), 0);
	CHECK_EQ("a switch is missing, too", sm->tell.notice.missing_switches, 1);
	fake_link(&fake.sw[0]->physp_table[4], peer);
	set_state(20, IB_LINK_ACTIVE);
	cl_qmap_insert(&fake.osm->subn.sw_guid_tbl, fake.sw[20]->node_info.node_guid,
		       &fake.sw[20]->sw->map_item);
	fake_next_sweep();
	write_conf("");
	assert_int_equal(route(), 0);
	CHECK("no plan", !sm->settings.plan);
	CHECK_STR("recognised again", fake.log, "moore: slimfly q=5: ");
	stop(sm);
	unlink(in_dir("plan", ""));
}

/* Freed settings name neither plan nor links, so they can be freed again. */
static void
frees_settings(void **state)
{
	struct mplug_sm *sm;
	char text[300];

	(void)state;
	write_plan(0);
	write_file("links", "s0-0-0:4 avoid\n");
	snprintf(text, sizeof(text), "plan %s/plan\nlinks %s/links\n", dir, dir);
	write_conf(text);
	sm = start(0);
	assert_int_equal(route(), 0);
	CHECK("read", sm->settings.plan && sm->settings.links);
	mplug_settings_free(&sm->settings);
	CHECK("freed", !sm->settings.plan && !sm->settings.links);
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK("read again, for the plugin to free", sm->settings.plan && sm->settings.links);
	unlink(in_dir("plan", ""));
	fake_next_sweep();
	assert_int_equal(route(), 0);
	CHECK_STR("links that are read in vain are freed", fake.log, "/plan: No such file or directory");
	stop(sm);
	unlink(in_dir("plan", ""));
	unlink(in_dir("links", ""));
}

/* A file is read whole although single reads are short or interrupted, unless it shrinks. */
static void
reads_piece_by_piece(void **state)
{
	static const struct { const char *why; struct fake_io how; const char *log; } T[] = {
		{ "seven bytes at a time", { 0, 7 }, "moore: slimfly" },
		{ "interrupted twice", { 2, 7 }, "moore: slimfly" },
		{ "the file shrinks after an interruption", { 1, 0 }, "moore.conf: Input/output error" },
	};

	(void)state;
	write_conf("");
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = start(0);

		fake_io = &T[i].how;
		io_calls = 0;
		route();
		fake_io = NULL;
		CHECK_STR(T[i].why, fake.log, T[i].log);
		stop(sm);
	}
}

/* Files that moore.conf cannot be, and the errors that name the line. */
static void
reads_moore_conf(void **state)
{
	static const struct { const char *why; size_t len; bool read; } T[] = {
		{ "one byte", 1, true }, { "the longest", 1 << 16, true }, { "longer", (1 << 16) + 1, false } };
	static const char made[] = "/sys/devices/system/cpu/online";	/* shorter than fstat() tells */
	struct mplug_sm *sm;
	struct stat st;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		char *text = malloc(T[i].len + 1);

		memset(text, '\n', T[i].len);
		text[T[i].len] = '\0';
		write_file("moore.conf", text);
		sm = start(0);
		CHECK_EQ(T[i].why, route(), T[i].read ? 0 : -1);
		CHECK_EQ(T[i].why, !!strstr(fake.log, "moore.conf: is larger than 64 KiB"), !T[i].read);
		stop(sm);
		free(text);
	}
	write_conf("\nseed x\n");
	sm = start(0);
	CHECK("a bad line", route() < 0);
	CHECK_STR("its number", fake.log, "moore.conf:3: seed");
	strcpy(sm->settings.path, dir);
	fake_next_sweep();
	CHECK("a folder", route() < 0);
	CHECK_STR("a folder", fake.log, "Is a directory");
	if (stat(made, &st) == 0 && st.st_size > 1000) {
		strcpy(sm->settings.path, made);
		fake_next_sweep();
		CHECK("shorter than its size", route() < 0);
		CHECK_STR("shorter than its size", fake.log, "Input/output error");
	}
	strcpy(sm->settings.path, in_dir("none", ""));
	sm->settings.named = false;
	fake_next_sweep();
	CHECK_EQ("without a file the defaults hold", route(), 0);
	write_conf("");
	strcpy(sm->settings.path, in_dir("moore.conf", ""));
	fake_next_sweep();
	errno = EINTR;
	CHECK_EQ("an old errno does not matter", route(), 0);
	stat_error = EOVERFLOW;
	errno = 0;
	fake_next_sweep();
	CHECK_EQ("the size is unknown", route(), 0);
	stat_error = 0;
	CHECK_STR("the size is unknown", fake.log, "moore.conf: Value too large for defined data type; "
		  "the last good settings stay in force");
	write_file("moore.conf", "");
	fake_next_sweep();
	CHECK_EQ("emptied", route(), 0);
	CHECK_STR("emptied", fake.log, "moore.conf: is empty: `moorectl conf` prints what it can hold; a "
		  "comment alone stands for the defaults; the last good settings stay in force");
	stop(sm);
	sm = start(0);
	CHECK_EQ("empty at the start", route(), 0);
	CHECK_STR("empty at the start", fake.log, "ERR MR04: ");
	CHECK_STR("empty at the start", fake.log, "; the defaults apply, and no plan");
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

static void
long_options(void **state)
{
	static const char head[] = "moore_conf=";
	static char text[MOORE_CONF_PATH_MAX + 100];
	static struct mplug_sm sm;

	(void)state;
	fake_build(slimfly(0));
	sm.osm = fake.osm;
	for (size_t len = MOORE_CONF_PATH_MAX - 1; len <= MOORE_CONF_PATH_MAX; len++) {
		sm.settings = (struct mplug_settings){ .named = false };
		snprintf(text, sizeof(text), "%s%0*d\tmore", head, (int)len, 0);
		mplug_settings_init(&sm, text);
		CHECK_EQ("the longest path", sm.settings.named, len < MOORE_CONF_PATH_MAX);
		CHECK_EQ("its length", strlen(sm.settings.path), sm.settings.named ? len :
			 strlen(MOORE_SYSCONFDIR "/moore/moore.conf"));
	}
	snprintf(text, sizeof(text), "a path of 1 to %d bytes is needed; using " MOORE_SYSCONFDIR,
		 MOORE_CONF_PATH_MAX - 1);
	CHECK_STR("why", fake.log, text);
	fake_free();
}

/* OpenSM ends the engine before the plugin, but nothing depends on it. */
static void
ends_with_the_plugin(void **state)
{
	struct mplug_sm *sm;

	(void)state;
	write_conf("");
	sm = start(0);
	assert_int_equal(route(), 0);
	osm_event_plugin.delete(sm);
	fake_context = NULL;	/* so that a leak shows */
	fake_free();
}

static void
cannot_be_created(void **state)
{
	(void)state;
	fake_build(slimfly(0));
	fake_refuses = true;
	CHECK("OpenSM does not take the engine", !osm_event_plugin.create(fake.osm));
	fake_refuses = false;
	fake_context = NULL;	/* so that a leak shows */
	alloc_count = 0;
	alloc_fail_at = 0;
	CHECK("memory runs out", !osm_event_plugin.create(fake.osm));
	alloc_fail_at = -1;
	fake_free();
}

/* Longer options move all that follows them. */
static void
move_what_follows_the_options(void)
{
	char *after = (char *)(&fake.osm->subn.opt + 1), *end = (char *)(fake.osm + 1);

	memmove(after + 8, after, (size_t)(end - after) - 8);
}

static void
laid_out_otherwise(void **state)
{
	static const struct { const char *why; enum fake_layout layout; const char *names; } T[] = {
		{ "the options have grown", FAKE_SAME, "sm.p_subn" },
		{ "a node", FAKE_OTHER_NODE, "osm_node_t" },
		{ "a port of a node", FAKE_OTHER_PHYSP, "osm_physp_t" },
		{ "a port", FAKE_OTHER_PORT, "osm_port_t" },
		{ "a switch", FAKE_OTHER_SWITCH, "osm_switch_t" },
		{ "its table of groups", FAKE_OTHER_TABLE, "osm_switch_t" },
		{ "the groups of an MLID", FAKE_OTHER_BOX, "osm_mgrp_box_t" },
		{ "a group", FAKE_OTHER_GROUP, "osm_mgrp_t" },
		{ "a member in a list of ports", FAKE_OTHER_MEMBER, "osm_mcast_work_obj_t" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		fake_build(slimfly(0));
		fake_engine = NULL;
		fake_layout = T[i].layout;
		if (!fake_layout)
			move_what_follows_the_options();
		CHECK(T[i].why, !osm_event_plugin.create(fake.osm) && !fake_engine);
		CHECK_STR(T[i].why, fake.log, "moore: ERR MR24: the plugin was built for another OpenSM 3.3.");
		CHECK_STR(T[i].why, fake.log, T[i].names);
		fake_free();
	}
	fake_layout = FAKE_SAME;
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
	static const char *const names[] = { "moore.conf", "plan", "moore-op-vls.dump", "partitions.conf", "policy.conf",
		"sock" MOORE_NOTICE_SUFFIX };
	char path[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

/* ---- hop tables -------------------------------------------------------------------- */

static uint8_t hop_table[50][256][16];	/* by switch, LID, port */

static uint8_t **
hop_rows(moore_swid s)
{
	static uint8_t *row[50][256];

	for (unsigned lid = 0; lid < 256; lid++)
		row[s][lid] = hop_table[s][lid];
	return row[s];
}

/* Sets d[s][t] to the distances, by Floyd and Warshall. */
static void
distances(unsigned d[50][50])
{
	for (moore_swid s = 0; s < 50; s++)
		for (moore_swid t = 0; t < 50; t++)
			d[s][t] = s == t ? 0 : 1000;
	for (moore_swid s = 0; s < 50; s++)
		for (moore_portnum p = 1; p <= fake.f->sw[s].n_ports; p++)
			if (moore_fabric_port(fake.f, s, p)->role == MOORE_ROLE_SWITCH)
				d[s][moore_fabric_port(fake.f, s, p)->peer] = 1;
	for (moore_swid m = 0; m < 50; m++)
		for (moore_swid s = 0; s < 50; s++)
			for (moore_swid t = 0; t < 50; t++)
				if (d[s][m] + d[m][t] < d[s][t])
					d[s][t] = d[s][m] + d[m][t];
}

/* Through port p one needs one hop more than from the switch at its other end.  The entry of
 * port 0 is the least. */
static void
hop_tables_have_the_distances(void **state)
{
	struct mplug_sm *sm = start(0);
	unsigned d[50][50];

	(void)state;
	assert_int_equal(fake.f->n_switches, 50);
	memset(hop_table, OSM_NO_PATH, sizeof(hop_table));
	distances(d);
	assert_int_equal(re.build_lid_matrices(fake_context), 0);
	for (moore_swid s = 0; s < 50; s++)
		fake.sw[s]->sw->hops = hop_rows(s);
	assert_int_equal(route(), 0);
	for (moore_swid s = 0; s < 50; s++)
		for (moore_swid t = 0; t < 50; t++)
			for (moore_portnum p = 0; p <= fake.f->sw[s].n_ports; p++) {
				const struct moore_port *port = moore_fabric_port(fake.f, s, p);
				unsigned want = port->role == MOORE_ROLE_SWITCH ? d[port->peer][t] + 1 :
					p == 0 ? d[s][t] : OSM_NO_PATH;

				CHECK_EQ("hops", hop_table[s][fake.f->sw[t].lid][p], want);
			}
	stop(sm);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(observes_what_opensm_discovered),
		cmocka_unit_test(observes_defects),
		cmocka_unit_test(observes_nothing),
		cmocka_unit_test(fields_and_codes),
		cmocka_unit_test(refuses_at_first),
		cmocka_unit_test(keeps_the_last_good),
		cmocka_unit_test(a_repeated_error_is_counted),
		cmocka_unit_test(an_error_with_another_text_is_not_over),
		cmocka_unit_test(what_is_unsafe_is_logged_each_time),
		cmocka_unit_test(warns_without_no_fallback),
		cmocka_unit_test(warns_of_few_lanes),
		cmocka_unit_test(warns_of_unknown_links),
		cmocka_unit_test(a_cut_goes_without_the_link),
		cmocka_unit_test(asks_for_other_sweeps),
		cmocka_unit_test(line_of_a_sweep),
		cmocka_unit_test(different_errors_are_bounded),
		cmocka_unit_test(publishes_whole_rows),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(lanes_by_role),
		cmocka_unit_test(hinted_lanes),
		cmocka_unit_test(lanes_of_an_unknown_switch),
		cmocka_unit_test(lanes_of_an_unknown_port),
		cmocka_unit_test(rows_to_set),
		cmocka_unit_test(endpoints_keep_their_tables),
		cmocka_unit_test(lanes_weigh_alike),
		cmocka_unit_test(hinted_path_records),
		cmocka_unit_test(group_tree),
		cmocka_unit_test(groups_under_sl_hint),
		cmocka_unit_test(groups),
		cmocka_unit_test(groups_without_memory),
		cmocka_unit_test(groups_of_two),
		cmocka_unit_test(groups_cut_off),
		cmocka_unit_test(dumps),
		cmocka_unit_test(dumps_that_fail),
		cmocka_unit_test(dumps_op_vls),
		cmocka_unit_test(dumps_piece_by_piece),
		cmocka_unit_test(dumps_in_a_long_folder),
		cmocka_unit_test(dumps_in_too_long_a_folder),
		cmocka_unit_test(dumps_without_memory),
		cmocka_unit_test(policies),
		cmocka_unit_test(tells_moored),
		cmocka_unit_test(moored_does_not_listen),
		cmocka_unit_test(without_standard_input),
		cmocka_unit_test(notices_without_memory),
		cmocka_unit_test(moored_is_slow),
		cmocka_unit_test(reads_a_bad_plan_once),
		cmocka_unit_test(refuses_what_is_no_plan),
		cmocka_unit_test(follows_the_plan),
		cmocka_unit_test(frees_settings),
		cmocka_unit_test(reads_piece_by_piece),
		cmocka_unit_test(reads_moore_conf),
		cmocka_unit_test(options),
		cmocka_unit_test(long_options),
		cmocka_unit_test(ends_with_the_plugin),
		cmocka_unit_test(hop_tables_have_the_distances),
		cmocka_unit_test(cannot_be_created),
		cmocka_unit_test(laid_out_otherwise),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
