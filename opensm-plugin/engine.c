// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* engine.c - the routing engine "moore": what happens at each sweep.
 *
 *   settings -> observe -> preconditions -> route and check -> publish
 *
 * Invariant: OpenSM receives tables that the checker accepted on the lanes that links have
 * now (lanes.c): new ones, or the last accepted ones without the rows that lead through
 * links that are gone.  If neither passes, an ERR line says so at each sweep.  The engine
 * returns failure only when it has never routed: OpenSM has emptied new_lft before it
 * calls the engine, so after a failure path queries, joins and new ports are refused. */
#include "plugin.h"

#include <time.h>

/* This function of the opensm program is in none of its headers. */
extern void osm_sm_signal(osm_sm_t *sm, osm_signal_t signal);

enum { ASKED_MAX = 3 };	/* sweeps asked for in a row */

double
mplug_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
mark(void *arg, enum moore_engine_mark m)
{
	static const enum mplug_time at[] = {
		[MOORE_MARK_ROUTED] = MPLUG_T_ROUTED,
		[MOORE_MARK_LANES] = MPLUG_T_LANES,
		[MOORE_MARK_CHECKED] = MPLUG_T_CHECKED,
	};
	struct mplug_times *t = arg;

	t->ms[at[m]] = mplug_now_ms();
}

/* ---- preconditions -------------------------------------------------------- */

static bool qos_off(const osm_subn_opt_t *o) { return !o->qos; }
static bool one_lane(const osm_subn_opt_t *o) { return o->max_op_vls < 2; }
static bool caches(const osm_subn_opt_t *o) { return o->use_ucast_cache; }

static const struct {
	bool (*broken)(const osm_subn_opt_t *o);
	bool for_lanes;		/* it does not matter where one lane suffices */
	enum mplug_mr mr;
	const char *text;
} precondition[] = {
	{ qos_off, true, MPLUG_MR_QOS, "qos is FALSE: SL2VL tables would not be programmed and "
		"traffic could deadlock: set \"qos TRUE\" in opensm.conf" },
	{ caches, false, MPLUG_MR_CACHE, "use_ucast_cache is TRUE: OpenSM would route without asking: "
		"set \"use_ucast_cache FALSE\" in opensm.conf" },
	{ one_lane, true, MPLUG_MR_VLS, "max_op_vls is below 2: links would run one lane and traffic "
		"could deadlock: set \"max_op_vls 2\" (2 lanes) or more in opensm.conf" },
};

/* Returns the first one that is broken, and logs the others. */
static enum mplug_mr
check_preconditions(struct mplug_sm *sm, struct moore_err *err)
{
	const bool one_lane_does = moore_conf_lanes(&sm->settings.conf) == 1;
	enum mplug_mr mr = MPLUG_MR_OK;

	for (size_t i = 0; i < ARRAY_LEN(precondition); i++) {
		if ((one_lane_does && precondition[i].for_lanes) || !precondition[i].broken(&sm->osm->subn.opt))
			continue;
		if (mr) {
			mplug_log_err(sm, precondition[i].mr, "%s", precondition[i].text);
			continue;
		}
		moore_fail(err, MOORE_EPRECOND, 0, "%s", precondition[i].text);
		mr = precondition[i].mr;
	}
	return mr;
}

static void
warn_fallback(struct mplug_sm *sm)
{
	if (!sm->osm->no_fallback_routing_engine)
		mplug_log_err(sm, MPLUG_MR_FALLBACK, "no_fallback is not listed: should this "
			      "engine refuse at start, minhop takes over in silence: set "
			      "\"routing_engine moore,no_fallback\" in opensm.conf");
}

/* A warning only: classes that share lanes are as safe as classes with their own. */
static void
warn_classes(struct mplug_sm *sm)
{
	uint8_t have = moore_lanes_of_code(sm->osm->subn.opt.max_op_vls);
	uint8_t need = moore_conf_lanes(&sm->settings.conf);

	if (have < need)
		mplug_log_err(sm, MPLUG_MR_CLASSES, "max_op_vls gives %u lanes and the classes of "
			      "moore.conf need %u: classes share lanes: set \"max_op_vls %u\" in "
			      "opensm.conf, or use fewer classes", have, need,
			      moore_code_of_lanes(need));
}

static void
warn_links(struct mplug_sm *sm)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	if (st.unknown_rules)
		mplug_log_err(sm, MPLUG_MR_LINKS, "%s: %u lines name switches that are neither there "
			      "nor planned, the first is line %u: write the name (NodeDescription) or "
			      "0xGUID of a switch", sm->settings.conf.links, st.unknown_rules,
			      st.unknown_line);
}

/* A plan of which the fabric may be a part lacks few of its links: at most one in MOORE_TOPO_MISSING, as
 * moore_topo_recognise_part() allows for the opposite. */
static void
warn_plan(struct mplug_sm *sm)
{
	const struct moore_fabric *f = sm->newest;
	struct moore_route_stats st;
	uint32_t ends = 0;

	if (!sm->settings.plan)
		return;
	for (uint32_t i = 0; i < f->n_ports; i++)
		ends += f->port[i].role == MOORE_ROLE_SWITCH;
	moore_route_stats(sm->result->route, &st);
	if (sm->result->plan_unused)
		mplug_log_err(sm, MPLUG_MR_PLAN, "%s: it is not used, since no switch of the fabric has "
			      "a GUID or a name (NodeDescription) of the plan: name the plan of this "
			      "fabric in moore.conf", sm->settings.conf.plan);
	else if (st.extra_links > ends / 2 / MOORE_TOPO_MISSING)
		mplug_log_err(sm, MPLUG_MR_PLAN, "%s: more than one link of the fabric in %d is not in the "
			      "plan: if it is the plan of another fabric, name the right one in "
			      "moore.conf; else moorectl check lists what differs",
			      sm->settings.conf.plan, MOORE_TOPO_MISSING);
}

/* ---- one sweep ------------------------------------------------------------ */

/* Makes f the newest fabric and frees the one before, unless it is also the good one. */
static void
keep_newest(struct mplug_sm *sm, struct moore_fabric *f)
{
	if (sm->newest != sm->good)
		moore_fabric_free(sm->newest);
	sm->newest = f;
}

static void
keep_good(struct mplug_sm *sm, struct moore_engine_result *r)
{
	moore_engine_result_free(sm->result);	/* before good, which it borrows */
	if (sm->good != sm->newest)
		moore_fabric_free(sm->good);
	sm->good = sm->newest;
	sm->result = r;
}

void
mplug_sm_forget(struct mplug_sm *sm)
{
	keep_newest(sm, NULL);
	keep_good(sm, NULL);
}

static enum mplug_mr
code_of(const struct moore_err *err)
{
	switch (err->code) {
	case MOORE_ENOMEM: return MPLUG_MR_NOMEM;
	case MOORE_EUNSAFE: return MPLUG_MR_UNSAFE;
	case MOORE_EPLAN: case MOORE_ELID: return MPLUG_MR_FABRIC;
	default: return MPLUG_MR_ROUTE;
	}
}

/* Computes and checks tables for the newest fabric, and keeps them as the good ones.  If
 * the switches do not have the lanes that they need, they are computed for fewer lanes. */
static enum mplug_mr
route(struct mplug_sm *sm, struct mplug_view *v, struct mplug_times *t, struct moore_err *err)
{
	struct moore_engine_result *r;
	int lowered;

	sm->settings.conf.kept = mplug_kept_read(sm);
	sm->settings.conf.ranks = &sm->ranks;
	sm->settings.conf.grown = &sm->grown;
	do {
		if (moore_engine_run(&r, sm->newest, sm->settings.plan, &sm->settings.conf, mark, t,
				     err) < 0)
			return code_of(err);
		if ((lowered = mplug_lanes_lower(sm, v, r->sl2vl, err)) != 0)
			moore_engine_result_free(r);
	} while (lowered > 0);
	if (lowered < 0)
		return code_of(err);
	keep_good(sm, r);
	warn_links(sm);
	warn_plan(sm);
	mplug_kept_update(sm);
	return MPLUG_MR_OK;
}

/* When max_op_vls falls to one lane under running traffic, the old tables, which rely on
 * two lanes, are no longer safe: tables under the rule for one lane are tried. */
static enum mplug_mr
decide(struct mplug_sm *sm, struct mplug_view *v, struct mplug_times *t, struct moore_err *err)
{
	enum mplug_mr mr = check_preconditions(sm, err);

	if (!mr) {
		warn_classes(sm);
		mplug_settings_policies(sm);
	}
	if (mr == MPLUG_MR_VLS && sm->result) {
		mplug_log_err(sm, mr, "%s; until then routes are restricted to what is safe "
			      "on one lane", err->text);
		return route(sm, v, t, err);
	}
	return mr ? mr : route(sm, v, t, err);
}

/* OpenSM sweeps again at once if force_heavy_sweep is set when a sweep ends. */
void
mplug_ask_again(struct mplug_sm *sm)
{
	if (sm->asking || sm->asked_again == ASKED_MAX)
		return;
	sm->asked_again++;
	sm->asking = true;
	sm->osm->subn.force_heavy_sweep = TRUE;
}

void
mplug_ask_for_sweep(struct mplug_sm *sm)
{
	sm->osm->subn.force_heavy_sweep = TRUE;
	osm_sm_signal(&sm->osm->sm, OSM_SIGNAL_SWEEP);
}

static int
publish_new(struct mplug_sm *sm, const struct mplug_view *v, struct mplug_times *t)
{
	mplug_publish(v, sm->result->lft);
	t->ms[MPLUG_T_END] = mplug_now_ms();
	mplug_log_sweep(sm, v, t);
	if (v->lanes_lowered)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: %zu links count with fewer lanes than "
			"they run: their switches do not hold the SL2VL rows%s\n", v->lanes_lowered,
			v->lanes_pending ? " yet" : "");
	mplug_tell_sweep(sm, v, MPLUG_MR_OK, "", NULL);
	mplug_dump(sm);
	if (v->lanes_pending)
		mplug_ask_again(sm);
	mplug_motion_begin(sm, v, sm->result->lft);
	return 0;
}

/* True if some switch has no route to a LID in use. */
static bool
cuts_off(const struct moore_fabric *f, const struct moore_lft *lft)
{
	struct moore_lid_owner *owner;
	bool found = false;

	if (moore_fabric_lids(f, &owner, NULL) < 0)
		return false;
	for (moore_swid s = 0; s < f->n_switches && !found; s++)
		for (size_t lid = 1; lid <= f->lid_top && !found; lid++)
			found = owner[lid].sw != MOORE_NONE &&
				moore_lft_row(lft, s)[lid] == MOORE_NO_PATH;
	free(owner);
	return found;
}

/* Publishes the last good routes if the lanes bear them and, with qos FALSE, they reach all; else
 * new ones for the lanes as they are; else the last good routes all the same.  mr and why say what
 * prevented new routes. */
static int
publish_last_good(struct mplug_sm *sm, struct mplug_view *v, struct mplug_times *t,
		  enum mplug_mr mr, const char *why)
{
	struct moore_lft *lft;
	struct moore_err err, unsafe, other;
	int rc = mplug_lastgood(&lft, sm->newest, sm->good, sm->result->lft, &err);

	if (rc < 0) {
		mplug_log_err(sm, code_of(&err), "the last good routes cannot be restored: %s",
			      err.text);
		mplug_tell_sweep(sm, v, code_of(&err), err.text, NULL);
		return rc;
	}
	rc = mplug_lanes_bear(sm, v, lft, &unsafe);
	if ((rc < 0 || (mr == MPLUG_MR_QOS && cuts_off(sm->newest, lft))) &&
	    !route(sm, v, t, &other)) {
		mplug_log_err(sm, mr, "%s; until then routes are restricted to what is safe on the "
			      "lanes that links have", why);
		moore_lft_free(lft);
		return publish_new(sm, v, t);
	}
	mplug_log_err(sm, mr, "%s; the last good routes stay in force", why);
	if (rc < 0)
		mplug_log_err(sm, MPLUG_MR_IN_FORCE, "the last good routes are not known to be safe on "
			      "the lanes that links have: %s; new routes: %s", unsafe.text, other.text);
	mplug_publish(v, lft);
	mplug_tell_sweep(sm, v, mr, why, lft);
	if (v->lanes_pending)
		mplug_ask_again(sm);
	mplug_motion_begin(sm, v, lft);
	moore_lft_free(lft);
	return 0;
}

static int
sweep(struct mplug_sm *sm, struct mplug_view *v, struct mplug_times *t, enum mplug_mr mr,
      struct moore_err *err)
{
	if (!mr)
		mr = decide(sm, v, t, err);
	if (!mr)
		return publish_new(sm, v, t);
	if (!sm->result) {
		mplug_log_err(sm, mr, "%s; no routes are set", err->text);
		mplug_tell_sweep(sm, v, mr, err->text, NULL);
		return -1;
	}
	return publish_last_good(sm, v, t, mr, err->text);
}

static int
build_fwd_tables(void *context)
{
	struct mplug_sm *sm = context;
	struct mplug_times t = { .ms = { [MPLUG_T_START] = mplug_now_ms() } };
	struct moore_err err, why = { .code = 0 };
	struct mplug_view v;
	enum mplug_mr mr;
	int rc;

	mplug_early_end(sm);
	mplug_log_new_sweep(sm);
	sm->asked_again = sm->asking ? sm->asked_again : 0;
	sm->asking = false;
	mplug_motion_new_sweep(sm);
	if (!sm->newest)	/* only in the first sweep: the setting cannot change later */
		warn_fallback(sm);
	mr = mplug_settings_read(sm, &why);	/* first: observing lanes depends on the classes */
	mplug_watch_note(sm);
	if (mplug_observe(sm, &v, &err) < 0) {
		mplug_log_err(sm, code_of(&err), "%s", err.text);
		return -1;	/* OpenSM sends nothing: the switches keep their tables */
	}
	mplug_hops_fill(&v, sm->settings.conf.jobs);
	mplug_held_distrust(&sm->held, &v);
	mplug_endpoints_trust(sm);
	t.ms[MPLUG_T_OBSERVED] = mplug_now_ms();
	keep_newest(sm, v.f);
	mplug_rows_prepare(sm);
	mplug_dump_op_vls(sm);
	rc = sweep(sm, &v, &t, mr, &why);
	sm->lanes_lowered = v.lanes_lowered;
	mplug_view_free(&v);
	return rc;
}

/* Under any-sl every SL is safe on every LID, so the answer is the hint itself.  Under
 * sl-hint the answer is an SL whose table is right in both directions, in the class that
 * the hint (from a partition, a QoS policy or the query) stands for.  OpenSM refuses a
 * query for any other SL (ERR 1F2A), as it should: only the answered SL is safe. */
uint8_t
mplug_path_sl_of(const struct mplug_sm *sm, uint8_t hint, moore_lid slid, moore_lid dlid)
{
	if (!sm->result || !sm->result->sl_set)
		return hint;
	return moore_lane_hint_sl(&sm->settings.conf.lanes, hint,
				  moore_route_right(sm->result->route, slid, dlid));
}

static uint8_t
path_sl(void *context, uint8_t hint, const ib_net16_t slid, const ib_net16_t dlid)
{
	return mplug_path_sl_of(context, hint, cl_ntoh16(slid), cl_ntoh16(dlid));
}

static void
destroy(void *context)
{
	mplug_sm_forget(context);
}

/* OpenSM calls this before build_fwd_tables(), which fills its hop tables. */
static int
build_lid_matrices(void *context)
{
	(void)context;
	return 0;
}

static int
setup(struct osm_routing_engine *re, osm_opensm_t *osm)
{
	(void)osm;
	re->build_lid_matrices = build_lid_matrices;
	re->ucast_build_fwd_tables = build_fwd_tables;
	re->update_sl2vl = mplug_update_sl2vl;
	re->update_vlarb = mplug_update_vlarb;
	re->path_sl = path_sl;
	re->mcast_build_stree = mplug_mcast_build;
	re->destroy = destroy;
	return 0;
}

/* The callbacks receive the context that is passed when this module is registered. */
const external_routing_engine_module_t mplug_engine_module = { "moore", setup, NULL };
