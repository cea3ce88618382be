// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* motion.c - brings new tables to the switches in safe steps, within one sweep.
 *
 *   build_fwd_tables()   plan the steps, judge them, leave the rows of step 1 to OpenSM
 *   UCAST_ROUTING_DONE   OpenSM has waited for every answer: send the other steps
 *
 * OpenSM reports UCAST_ROUTING_DONE from the thread that sweeps, without its lock, before
 * it activates links.  Rows of live pairs over a link that is not active yet would drop
 * their packets until then.  So where there are such rows, OpenSM at first sends what the
 * switches hold already (and no path to those that have been reset), then the links are
 * activated with OpenSM's own function, which OpenSM later finds done, and only then the
 * steps begin.
 *
 * If packets may still be there that followed rows of another subnet manager, or took lanes that
 * have changed since, they leave before any row is sent: no mixture that is judged has them.
 *
 * If the trees of multicast groups that are in force allow no steps, or none that leave live
 * pairs alone, the trees shrink before any row is sent (trees.c), and packets leave the links that
 * they have lost.
 *
 * Invariant: a row is sent only as part of a step that the checker accepted, or an error
 * says that what is in force is not known to be safe.
 * Elsewhere: the steps (lib/motion, lib/engine/steps.c), what the switches hold (held.c), packets of
 * earlier rows (packets.c). */
#include "plugin.h"

#include <opensm/osm_ucast_mgr.h>
#include <time.h>

/* Without this, programs that only read the plugin's version could not load it. */
#pragma weak osm_exit_flag

/* These functions of the opensm program are in none of its headers. */
extern int osm_link_mgr_process(osm_sm_t *sm, const uint8_t state);
extern int osm_mcast_mgr_process(osm_sm_t *sm, boolean_t config_all);

enum {
	RETRIES = 3,		/* sweeps that are asked for in a row when answers are missing */
	NAP_NS = 5000000,
};

/* ---- planning ------------------------------------------------------------------------- */

static bool
is_active(const osm_switch_t *sw, uint8_t port)
{
	return port == 0 || mplug_is_active(osm_node_get_physp_ptr(sw->p_node, port));
}

/* True if the row holds a port now that sends packets on. */
static bool
is_live(const struct mplug_view *v, moore_swid s, uint8_t port)
{
	return port <= v->f->sw[s].n_ports &&
		moore_fabric_port(v->f, s, port)->role != MOORE_ROLE_NONE && is_active(v->sw[s], port);
}

static bool
all_links_active(const struct mplug_view *v)
{
	for (moore_swid s = 0; s < v->f->n_switches; s++)
		for (unsigned p = 1; p <= v->f->sw[s].n_ports; p++)
			if (moore_fabric_port(v->f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
			    !is_active(v->sw[s], (uint8_t)p))
				return false;
	return true;
}

static void
forget_plan(struct mplug_motion *m)
{
	moore_engine_steps_free(m->plan);
	m->plan = NULL;
	mplug_held_tables_free(&m->start);
}

static void
forget_goal(struct mplug_motion *m)
{
	moore_lft_free(m->goal);
	moore_sl2vl_free(m->want);
	moore_sl2vl_free(m->held_rows);
	moore_sl_set_free(m->sls);
	m->goal = NULL;
	m->want = m->held_rows = NULL;
	m->sls = NULL;
}

void
mplug_motion_forget(struct mplug_motion *m)
{
	forget_plan(m);
	mplug_packets_left(m);
	forget_goal(m);
}

/* The LIDs of the subnet manager: traps and its answers travel on them. */
static size_t
own_lids(const struct mplug_sm *sm, moore_lid lid[static 128])
{
	const osm_port_t *port = osm_get_port_by_guid(&sm->osm->subn, sm->osm->subn.sm_port_guid);
	uint16_t low, high;
	size_t n = 0;

	if (!port)
		return 0;
	osm_port_get_lid_range_ho(port, &low, &high);
	for (uint32_t l = low; l && l <= high && n < 128; l++)
		lid[n++] = (moore_lid)l;
	return n;
}

/* Finds the steps from what the switches hold to the goal.  -MOORE_EUNSAFE: the new routes
 * and the trees of multicast groups that are in force can deadlock. */
static int
make_plan(struct mplug_sm *sm, const struct mplug_view *v, struct moore_err *err)
{
	struct mplug_motion *m = &sm->motion;
	const struct moore_mft *const trees = sm->trees.held;
	moore_lid own[128];
	struct moore_motion_opts opts = { .sl2vl = m->want, .other = m->held_rows,
		.sl_set = m->sls, .mft = &trees, .n_mft = trees != NULL,
		.first = own, .n_first = own_lids(sm, own),
		.jobs = sm->settings.conf.jobs };
	struct moore_row *past;
	int rc;

	forget_plan(m);
	m->next = 0;
	if ((rc = mplug_held_tables(&m->start, &sm->held, v, err)) < 0)
		return rc;
	if (!(past = mplug_packets_list(sm, v->f, m->start.lft->stride, &opts.n_past)))
		return moore_fail_nomem(err);
	opts.past = past;
	rc = moore_engine_steps(&m->plan, v->f, &m->start.held, m->goal, &opts, err);
	free(past);
	if (rc < 0)
		return rc;
	if (m->plan->motion->start_unsafe)
		mplug_log_err(sm, MPLUG_MR_MOTION, "what the switches hold is not known to be safe: "
			      "traffic could deadlock until the new tables are in force");
	else if (m->plan->why.code)
		mplug_log_err(sm, MPLUG_MR_MOTION, "the checker rejects the steps to the new tables: "
			      "%s: while they go out, traffic could deadlock: this is a defect of the "
			      "engine, please report it", m->plan->why.text);
	return 0;
}

/* ---- sending -------------------------------------------------------------------------- */

static void
log_step(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;
	const struct moore_motion *plan = m->plan->motion;
	const uint64_t interrupted = m->plan->step[m->next - 1].interrupted;
	const uint32_t no_path = plan->step[m->next - 1].no_path;
	char dropped[40] = "";

	if (no_path)
		snprintf(dropped, sizeof(dropped), "%u row%s to no-path, ", no_path, MOORE_S(no_path));
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: step %u of %u: %zu block%s, %s%" PRIu64
		" live pair%s interrupted, %.0f ms\n", m->next, plan->n_steps, m->blocks, MOORE_S(m->blocks),
		dropped, interrupted, MOORE_S(interrupted), m->answered_ms - m->sent_ms);
	mplug_tell_step(sm, m->next, plan->n_steps);
	if (interrupted)
		mplug_log_err(sm, MPLUG_MR_INTERRUPTED, "%" PRIu64 " pairs that were connected are "
			      "interrupted for one step: no safe order of rows was found that avoids it",
			      interrupted);
}

/* Puts the rows of the next step into new_lft. */
static void
put_step(struct mplug_sm *sm, const struct mplug_view *v)
{
	struct mplug_motion *m = &sm->motion;
	const struct moore_motion *plan = m->plan->motion;
	const struct moore_motion_step *s = &plan->step[m->next++];
	const struct moore_row *r = &plan->row[s->first];
	size_t total;

	for (size_t i = 0; i < s->n; i++) {
		osm_switch_t *sw = v->sw[r[i].sw];
		uint8_t *row = &sw->new_lft[r[i].lid];

		if (r[i].lid > sw->max_lid_ho || *row == r[i].port)
			continue;
		if (is_live(v, r[i].sw, *row) &&
		    mplug_packets_note(m, v->f->sw[r[i].sw].guid, r[i].lid, *row) < 0)
			mplug_log_err(sm, MPLUG_MR_NOMEM, "out of memory: packets of earlier steps are "
				      "not considered");
		*row = r[i].port;
	}
	mplug_publish_count(v, &m->blocks, &total);
	m->sent_ms = mplug_now_ms();
}

/* Puts step 1 into new_lft.  Without steps, new_lft has the goal, which the switches hold. */
static void
put_first(struct mplug_sm *sm, const struct mplug_view *v)
{
	if (!sm->motion.plan->motion->n_steps)
		return;
	mplug_publish(v, sm->motion.start.lft);
	put_step(sm, v);
}

/* Finds OpenSM's switches of the newest fabric.  False if one is gone. */
static bool
view_now(struct mplug_sm *sm, struct mplug_view *v)
{
	*v = (struct mplug_view){ .f = sm->newest };
	v->sw = calloc((size_t)v->f->n_switches + 1, sizeof(*v->sw));
	for (moore_swid s = 0; v->sw && s < v->f->n_switches; s++) {
		v->sw[s] = osm_get_switch_by_guid(&sm->osm->subn, cl_hton64(v->f->sw[s].guid));
		if (!v->sw[s])
			mplug_view_free(v);
	}
	return v->sw;
}

/* Sends the blocks that differ, and no others: the first send of this sweep has sent all
 * blocks of the switches that need_update marks. */
static void
send_blocks(struct mplug_sm *sm, const struct mplug_view *v)
{
	unsigned *was = malloc(((size_t)v->f->n_switches + 1) * sizeof(*was));
	unsigned all = sm->osm->subn.need_update;

	sm->osm->subn.need_update = 0;
	for (moore_swid s = 0; was && s < v->f->n_switches; s++) {
		was[s] = v->sw[s]->need_update;
		v->sw[s]->need_update = 0;
	}
	osm_ucast_mgr_set_fwd_tables(&sm->osm->sm.ucast_mgr);
	for (moore_swid s = 0; was && s < v->f->n_switches; s++)
		v->sw[s]->need_update = was[s];
	sm->osm->subn.need_update = all;
	free(was);
}

/* Reads the answers to a step.  Returns the number of blocks without one. */
static size_t
note_answers(struct mplug_sm *sm)
{
	size_t lost = mplug_held_note(sm, true);

	sm->motion.answered_ms = mplug_now_ms();
	if (sm->motion.plan && sm->motion.next)
		log_step(sm);
	return lost;
}

/* Calls `send` under OpenSM's lock, waits for the answers, and returns how many are missing;
 * or a negative number if nothing could be sent. */
static long
with_lock(struct mplug_sm *sm, int (*send)(struct mplug_sm *, struct mplug_view *))
{
	struct mplug_view v;
	long rc = -1;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	if (view_now(sm, &v)) {
		rc = send(sm, &v);
		mplug_view_free(&v);
	}
	CL_PLOCK_RELEASE(&sm->osm->lock);
	if (rc < 0 || wait_for_pending_transactions(&sm->osm->stats))
		return -1;
	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	rc = (long)note_answers(sm);
	CL_PLOCK_RELEASE(&sm->osm->lock);
	return rc;
}

static int
send_next(struct mplug_sm *sm, struct mplug_view *v)
{
	put_step(sm, v);
	send_blocks(sm, v);
	return 0;
}

/* Without steps, all rows go out at once. */
static void
give_up(struct mplug_sm *sm, const struct mplug_view *v, const struct moore_err *err)
{
	forget_plan(&sm->motion);
	mplug_log_err(sm, MPLUG_MR_MOTION, "no steps to the new tables: %s: all rows go out at "
		      "once, and meanwhile traffic could deadlock", err->text);
	if (sm->motion.goal)
		mplug_publish(v, sm->motion.goal);
}

static int
send_anew(struct mplug_sm *sm, struct mplug_view *v)
{
	struct moore_err err;

	if (sm->motion.plan && !sm->motion.trees_first && !sm->motion.new_rows) {
		put_first(sm, v);	/* as planned: nothing has changed but the links */
	} else if (mplug_trees_read(sm, v, &err) < 0 || make_plan(sm, v, &err) < 0) {
		give_up(sm, v, &err);
	} else {
		mplug_publish(v, sm->motion.goal);
		put_first(sm, v);
	}
	send_blocks(sm, v);
	return 0;
}

/* ---- the sequence ------------------------------------------------------------------ */

/* A trap has arrived, or OpenSM ends. */
static bool
disturbed(const struct mplug_sm *sm)
{
	return sm->osm->subn.force_heavy_sweep || (&osm_exit_flag && osm_exit_flag);
}

static void
let_packets_leave(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;
	double start = mplug_now_ms(), end = m->answered_ms + mplug_packets_stay_ms(sm);
	const struct timespec nap = { .tv_nsec = NAP_NS };

	while (!disturbed(sm) && mplug_now_ms() < end)
		nanosleep(&nap, NULL);
	m->waited_ms += mplug_now_ms() - start;
	if (!disturbed(sm)) {
		mplug_packets_left(m);
		m->strange_ms = 0;
	}
}

static void
activate_links(struct mplug_sm *sm)
{
	static const uint8_t state[] = { IB_LINK_NO_CHANGE, IB_LINK_ARMED, IB_LINK_ACTIVE };

	for (size_t i = 0; i < ARRAY_LEN(state); i++) {
		osm_link_mgr_process(&sm->osm->sm, state[i]);
		wait_for_pending_transactions(&sm->osm->stats);
	}
}

/* True if there are rows to send. */
static bool
is_unfinished(const struct mplug_motion *m)
{
	return m->trees_first || m->links_first || m->wait_first ||
		(m->plan && m->next < m->plan->motion->n_steps);
}

/* Leaves only those links in the trees of multicast groups that the new trees have, too. */
static void
shrink_trees(struct mplug_sm *sm)
{
	if (sm->osm->subn.opt.disable_multicast)
		return;
	sm->trees.common_only = true;
	osm_mcast_mgr_process(&sm->osm->sm, TRUE);
	wait_for_pending_transactions(&sm->osm->stats);
	sm->motion.answered_ms = mplug_now_ms();
	osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: trees of multicast groups shrink first, since "
		"no safe steps to the new routes leave them alone\n");
}

/* Sends what is left.  Returns the number of blocks without an answer, or -1 if the
 * sequence cannot go on. */
static long
send_rest(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;
	long lost = 0;

	if (m->trees_first)
		shrink_trees(sm);
	if (m->links_first)
		activate_links(sm);
	if (m->trees_first || m->wait_first)
		let_packets_leave(sm);	/* those of the links that the trees have lost, too */
	if (disturbed(sm))
		return -1;
	if (m->trees_first || m->links_first || m->wait_first)
		lost = with_lock(sm, send_anew);
	while (lost == 0 && m->plan && m->next < m->plan->motion->n_steps) {
		if (m->plan->motion->step[m->next].wait)
			let_packets_leave(sm);
		if (disturbed(sm))
			return -1;
		lost = with_lock(sm, send_next);
	}
	return lost;
}

static void
log_end(struct mplug_sm *sm, long lost)
{
	struct mplug_motion *m = &sm->motion;

	m->disturbed = lost < 0 ? m->disturbed + 1 : 0;
	if (lost == 0) {
		m->early = 0;
		if (m->plan && (m->next > 1 || m->trees_first || m->wait_first))
			osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: all rows are in force after %.0f ms, "
				"of which %.0f ms let packets leave\n", mplug_now_ms() - m->begun_ms,
				m->waited_ms);
		return;
	}
	m->early++;
	if (lost < 0) {
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: the steps end early, since another sweep was "
			"asked for (the fabric has changed, or SIGHUP): it goes on from what the "
			"switches may hold\n");
		return;
	}
	mplug_log_err(sm, MPLUG_MR_ANSWERS, "%ld LFT blocks were not answered: the switches hold old "
		      "or new rows; %s", lost, m->early > RETRIES ? "OpenSM sends them again at its "
		      "next heavy sweep" : "one more sweep follows");
	if (m->early <= RETRIES)
		sm->osm->subn.force_heavy_sweep = TRUE;
}

/* OpenSM computes the trees of multicast groups next. */
static void
judge_trees(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;
	const struct moore_mix_lanes lanes = { .sl2vl = m->want, .sl_set = m->sls };
	struct mplug_held_tables t;
	struct mplug_view v;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	if (m->goal && view_now(sm, &v)) {
		if (mplug_held_tables(&t, &sm->held, &v, NULL) == 0) {
			mplug_trees_judge(sm, &t.held, &lanes);
			mplug_held_tables_free(&t);
		}
		mplug_view_free(&v);
	}
	CL_PLOCK_RELEASE(&sm->osm->lock);
}

void
mplug_motion_sent(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;
	bool asked = m->asked;
	long lost;

	CL_PLOCK_EXCL_ACQUIRE(&sm->osm->lock);
	lost = (long)note_answers(sm);
	CL_PLOCK_RELEASE(&sm->osm->lock);
	if (sm->lanes_lowered && sm->osm->subn.opt.qos)
		mplug_packets_strange(sm);	/* the lanes are right from now on */
	if (lost == 0 && is_unfinished(m))
		lost = disturbed(sm) ? -1 : send_rest(sm);
	log_end(sm, lost);
	judge_trees(sm);
	forget_plan(m);
	m->asked = false;
	if (asked)
		sm->osm->subn.force_heavy_sweep = TRUE;
}

/* A sweep that this one asked for is no reason to end the steps early: the request is
 * repeated after them. */
static void
put_off_request(struct mplug_sm *sm)
{
	struct mplug_motion *m = &sm->motion;

	m->asked = sm->osm->subn.force_heavy_sweep && !m->trapped;
	if (m->asked)
		sm->osm->subn.force_heavy_sweep = FALSE;
}

void
mplug_motion_new_sweep(struct mplug_sm *sm)
{
	forget_plan(&sm->motion);
	sm->motion.trees_first = sm->motion.links_first = sm->motion.wait_first = false;
	sm->motion.trapped = sm->osm->subn.force_heavy_sweep;
}

static void
begin_fast(struct mplug_sm *sm, const struct mplug_view *v)
{
	size_t changed, total;

	mplug_publish_count(v, &changed, &total);
	if (changed)
		osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: motion is fast: %zu blocks go out at once, "
			"and until the last is written traffic could deadlock\n", changed);
}

/* Copies the tables that are to be in force, and the lanes that they are judged with. */
static int
set_goal(struct mplug_sm *sm, const struct mplug_view *v, const struct moore_lft *lft,
	 struct moore_err *err)
{
	struct mplug_motion *m = &sm->motion;
	int rc;

	forget_goal(m);
	if ((rc = moore_lft_new(&m->goal, v->f->n_switches, v->f->lid_top, err)) < 0)
		return rc;
	memcpy(m->goal->row, lft->row, lft->stride * lft->n_switches);
	return mplug_lanes_in_motion(sm, &m->want, &m->held_rows, &m->sls, err);
}

static bool
interrupts(const struct moore_engine_steps *s)
{
	for (uint32_t k = 0; k < s->motion->n_steps; k++)
		if (s->step[k].interrupted)
			return true;
	return false;
}

/* True if a row of a live pair leads over a link that is not active yet, or if a step could
 * rely on such a link; unless the rows that are in force would be unsafe with the link. */
static bool
needs_links(const struct mplug_motion *m, const struct mplug_view *v)
{
	const struct moore_motion *plan = m->plan->motion;

	if (plan->start_unsafe || all_links_active(v))
		return false;
	for (size_t i = 0; i < plan->n_rows; i++) {
		const struct moore_row *r = &plan->row[i];

		if (r->port <= v->f->sw[r->sw].n_ports && !is_active(v->sw[r->sw], r->port) &&
		    is_live(v, r->sw, moore_lft_row(m->start.lft, r->sw)[r->lid]))
			return true;
	}
	return plan->n_steps > 1;
}

/* True if a switch has no active link: OpenSM sends it all its rows. */
static bool
some_carry_nothing(const struct mplug_view *v)
{
	for (moore_swid s = 0; s < v->f->n_switches; s++)
		if (!mplug_carries_data(v->sw[s]))
			return true;
	return false;
}

/* Leaves to OpenSM what it can send now, given the result rc of make_plan(). */
static void
begin_safe(struct mplug_sm *sm, const struct mplug_view *v, int rc, const struct moore_err *err)
{
	struct mplug_motion *m = &sm->motion;

	if (rc < 0 && rc != -MOORE_EUNSAFE) {
		give_up(sm, v, err);
		return;
	}
	m->trees_first = sm->trees.held && sm->trees.held->n_groups &&
		(rc < 0 || interrupts(m->plan));
	if (rc < 0 && !m->trees_first) {
		give_up(sm, v, err);
		return;
	}
	m->links_first = rc == 0 && needs_links(m, v);
	m->wait_first = rc == 0 && m->plan->motion->n_steps && !m->plan->motion->start_unsafe &&
		mplug_packets_are_strange(sm);
	m->new_rows = some_carry_nothing(v);
	if (m->trees_first || m->links_first || m->wait_first)
		mplug_publish(v, m->start.lft);
	else
		put_first(sm, v);
}

static unsigned
longest_route(const struct moore_verdict *v)
{
	unsigned h = MOORE_HOPS_MAX;

	while (h && !v->hops[h])
		h--;
	return h;
}

/* Another subnet manager's routes may be longer than those that the plugin made. */
static void
count_strange_hops(struct mplug_sm *sm, const struct mplug_view *v)
{
	const struct moore_check_opts opts = { .jobs = sm->settings.conf.jobs };
	struct mplug_motion *m = &sm->motion;
	struct moore_verdict *was;
	unsigned hops;

	if (m->strange_ms <= 0 ||
	    moore_check(&was, v->f, m->start.lft, m->want, NULL, &opts, NULL) < 0)
		return;
	hops = longest_route(was);
	if (hops > m->hops)
		m->hops = hops;
	moore_verdict_free(was);
}

void
mplug_motion_begin(struct mplug_sm *sm, const struct mplug_view *v, const struct moore_lft *lft)
{
	struct mplug_motion *m = &sm->motion;
	unsigned hops = longest_route(sm->result->verdict);
	struct moore_err err;
	int rc;

	put_off_request(sm);
	m->hops = hops > m->hops_new ? hops : m->hops_new;	/* of the old and the new tables */
	m->hops_new = hops;
	m->begun_ms = mplug_now_ms();
	m->waited_ms = 0;
	if (sm->settings.conf.motion == MOORE_MOTION_FAST) {
		begin_fast(sm, v);
		return;
	}
	if ((rc = set_goal(sm, v, lft, &err)) == 0 &&
	    (rc = mplug_trees_read(sm, v, &err)) == 0 &&
	    (rc = make_plan(sm, v, &err)) == 0)
		count_strange_hops(sm, v);
	begin_safe(sm, v, rc, &err);
}
