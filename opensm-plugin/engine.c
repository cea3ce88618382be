// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* engine.c - the routing engine "moore": what happens at each sweep.
 *
 *   settings -> preconditions -> observe -> route and check -> publish
 *
 * Invariant: OpenSM gets tables that the checker accepted, or the last such
 * tables as far as they still hold.  Failure is returned only when nothing was
 * ever routed: by then OpenSM has emptied new_lft, and an engine that fails
 * leaves path queries, joins and new ports without service. */
#include "plugin.h"

#include <time.h>

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
mark(void *arg, enum moore_engine_mark m)
{
	static const enum moore_time at[] = {
		[MOORE_MARK_ROUTED] = MOORE_T_ROUTED,
		[MOORE_MARK_LANES] = MOORE_T_LANES,
		[MOORE_MARK_CHECKED] = MOORE_T_CHECKED,
	};
	struct moore_times *t = arg;

	t->ms[at[m]] = now_ms();
}

/* ---- preconditions -------------------------------------------------------- */

static bool qos_off(const osm_subn_opt_t *o) { return !o->qos; }
static bool one_lane(const osm_subn_opt_t *o) { return o->max_op_vls < 2; }
static bool caches(const osm_subn_opt_t *o) { return o->use_ucast_cache; }

static const struct {
	bool (*broken)(const osm_subn_opt_t *o);
	enum moore_mr mr;
	const char *text;
} precondition[] = {
	{ qos_off, MOORE_MR_QOS, "qos is FALSE: SL2VL tables would not be programmed and "
		"traffic could deadlock: set \"qos TRUE\" in opensm.conf" },
	{ caches, MOORE_MR_CACHE, "use_ucast_cache is TRUE: OpenSM would route without asking: "
		"set \"use_ucast_cache FALSE\" in opensm.conf" },
	{ one_lane, MOORE_MR_VLS, "max_op_vls is below 2: links would run one lane and traffic "
		"could deadlock: set \"max_op_vls 2\" (2 lanes) or more in opensm.conf" },
};

static enum moore_mr
check_preconditions(const struct moore_sm *sm, struct moore_err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(precondition); i++)
		if (precondition[i].broken(&sm->osm->subn.opt)) {
			moore_fail(err, MOORE_EPRECOND, 0, "%s", precondition[i].text);
			return precondition[i].mr;
		}
	return MOORE_MR_OK;
}

static void
warn_fallback(struct moore_sm *sm)
{
	if (!sm->osm->no_fallback_routing_engine)
		moore_log_err(sm, MOORE_MR_FALLBACK, "no_fallback is not listed: should this "
			      "engine refuse at start, minhop takes over in silence: set "
			      "\"routing_engine moore,no_fallback\" in opensm.conf");
}

/* Not refused: classes that share lanes are as safe as those that do not. */
static void
warn_classes(struct moore_sm *sm)
{
	uint8_t have = moore_lanes_of_code(sm->osm->subn.opt.max_op_vls);
	uint8_t need = moore_lane_needed(&sm->settings.conf.lanes);

	if (have < need)
		moore_log_err(sm, MOORE_MR_CLASSES, "max_op_vls gives %u lanes and the classes of "
			      "moore.conf need %u: classes share lanes: set \"max_op_vls %u\" in "
			      "opensm.conf, or use fewer classes", have, need,
			      need == 4 ? 3 : need == 8 ? 4 : 5);
}

static void
warn_links(struct moore_sm *sm)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	if (st.unknown_rules)
		moore_log_err(sm, MOORE_MR_LINKS, "%s: %u lines name switches that are neither there "
			      "nor planned, the first is line %u: write the name (NodeDescription) or "
			      "0xGUID of a switch", sm->settings.conf.links, st.unknown_rules,
			      st.unknown_line);
}

/* ---- one sweep ------------------------------------------------------------ */

/* Keep f as the newest; whatever is neither newest nor good goes. */
static void
keep_newest(struct moore_sm *sm, struct moore_fabric *f)
{
	if (sm->newest != sm->good)
		moore_fabric_free(sm->newest);
	sm->newest = f;
}

static void
keep_good(struct moore_sm *sm, struct moore_engine_result *r)
{
	moore_engine_result_free(sm->result);	/* borrows good: first */
	if (sm->good != sm->newest)
		moore_fabric_free(sm->good);
	sm->good = sm->newest;
	sm->result = r;
}

void
moore_sm_forget(struct moore_sm *sm)
{
	keep_newest(sm, NULL);
	keep_good(sm, NULL);
}

static enum moore_mr
code_of(const struct moore_err *err)
{
	switch (err->code) {
	case MOORE_ENOMEM: return MOORE_MR_NOMEM;
	case MOORE_EUNSAFE: return MOORE_MR_UNSAFE;
	case MOORE_EPLAN: case MOORE_ELID: return MOORE_MR_FABRIC;
	default: return MOORE_MR_ROUTE;
	}
}

/* New tables for the newest fabric, kept as the good ones. */
static enum moore_mr
route(struct moore_sm *sm, struct moore_times *t, struct moore_err *err)
{
	struct moore_engine_result *r;

	if (moore_engine_run(&r, sm->newest, sm->settings.plan, &sm->settings.conf, mark, t, err) < 0)
		return code_of(err);
	keep_good(sm, r);
	warn_links(sm);
	return MOORE_MR_OK;
}

/* Lanes lost while running: old tables were made for two, so new ones under the
 * rule for one lane are safer, if they can be had. */
static enum moore_mr
decide(struct moore_sm *sm, struct moore_times *t, struct moore_err *err)
{
	enum moore_mr mr = check_preconditions(sm, err);

	if (!mr) {
		warn_classes(sm);
		moore_settings_policies(sm);
	}
	if (mr == MOORE_MR_VLS && sm->result) {
		moore_log_err(sm, mr, "%s; until then routes are restricted to what is safe "
			      "on one lane", err->text);
		return route(sm, t, err);
	}
	return mr ? mr : route(sm, t, err);
}

/* mr and why: what keeps new routes from being made. */
static int
publish_last_good(struct moore_sm *sm, const struct moore_view *v, enum moore_mr mr,
		  const char *why)
{
	struct moore_lft *lft;
	struct moore_err err;
	int rc = moore_lastgood(&lft, sm->newest, sm->good, sm->result->lft, &err);

	if (rc < 0) {
		moore_log_err(sm, code_of(&err), "the last good routes cannot be restored: %s",
			      err.text);
		moore_tell_sweep(sm, v, code_of(&err), err.text, NULL);
		return rc;
	}
	moore_publish(v, lft);
	moore_tell_sweep(sm, v, mr, why, lft);
	moore_lft_free(lft);
	return 0;
}

/* OpenSM sweeps once more when this flag is set at the end of a sweep. */
static void
ask_again(struct moore_sm *sm, const struct moore_view *v)
{
	if (v->lanes_pending && !sm->asked_again)
		sm->osm->subn.force_heavy_sweep = TRUE;
	sm->asked_again = v->lanes_pending;
}

static int
sweep(struct moore_sm *sm, struct moore_view *v, struct moore_times *t, enum moore_mr mr,
      struct moore_err *err)
{
	if (!mr)
		mr = decide(sm, t, err);
	if (!mr) {
		moore_publish(v, sm->result->lft);
		t->ms[MOORE_T_END] = now_ms();
		moore_log_sweep(sm, v, t);
		moore_tell_sweep(sm, v, MOORE_MR_OK, "", NULL);
		moore_dump(sm);
		ask_again(sm, v);
		return 0;
	}
	if (!sm->result) {
		moore_log_err(sm, mr, "%s; no routes are set", err->text);
		moore_tell_sweep(sm, v, mr, err->text, NULL);
		return -1;
	}
	moore_log_err(sm, mr, "%s; the last good routes stay in force", err->text);
	return publish_last_good(sm, v, mr, err->text);
}

static int
build_fwd_tables(void *context)
{
	struct moore_sm *sm = context;
	struct moore_times t = { .ms = { [MOORE_T_START] = now_ms() } };
	struct moore_err err, why = { .code = 0 };
	struct moore_view v;
	enum moore_mr mr;
	int rc;

	moore_log_new_sweep(sm);
	if (!sm->newest)	/* the first sweep: it does not change later */
		warn_fallback(sm);
	mr = moore_settings_read(sm, &why);	/* first: the classes say which lanes count */
	if (moore_observe(sm, &v, &err) < 0) {
		moore_log_err(sm, code_of(&err), "%s", err.text);
		return -1;	/* no fabric, no rows: the switches keep theirs */
	}
	t.ms[MOORE_T_OBSERVED] = now_ms();
	keep_newest(sm, v.f);
	rc = sweep(sm, &v, &t, mr, &why);
	moore_view_free(&v);
	return rc;
}

/* any-sl: every SL is safe on every LID, so whatever is asked for is right.
 * sl-hint: the SL of a table that is right there and back, of the class that the
 * hint (of a partition, a QoS policy or the query) means.  OpenSM refuses a query
 * for an SL that is not what it is told here (ERR 1F2A), and rightly: no other SL
 * than a right one may be used. */
uint8_t
moore_path_sl_of(const struct moore_sm *sm, uint8_t hint, moore_lid slid, moore_lid dlid)
{
	if (!sm->result || !sm->result->sl_set)
		return hint;
	return moore_lane_hint_sl(&sm->settings.conf.lanes, hint,
				  moore_route_right(sm->result->route, slid, dlid));
}

static uint8_t
path_sl(void *context, uint8_t hint, const ib_net16_t slid, const ib_net16_t dlid)
{
	return moore_path_sl_of(context, hint, cl_ntoh16(slid), cl_ntoh16(dlid));
}

static void
destroy(void *context)
{
	moore_sm_forget(context);
}

/* build_lid_matrices stays NULL: OpenSM's own hop tables serve its dumps. */
static int
setup(struct osm_routing_engine *re, osm_opensm_t *osm)
{
	(void)osm;
	re->ucast_build_fwd_tables = build_fwd_tables;
	re->update_sl2vl = moore_update_sl2vl;
	re->update_vlarb = moore_update_vlarb;
	re->path_sl = path_sl;
	re->mcast_build_stree = moore_mcast_build;
	re->destroy = destroy;
	return 0;
}

/* OpenSM hands `context` to the callbacks: the one that is given when this is
 * registered. */
const external_routing_engine_module_t moore_engine_module = { "moore", setup, NULL };
