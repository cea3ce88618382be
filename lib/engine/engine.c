// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* engine.c - makes the tables: routes, lanes, and the verdict of the checker on them.
 *
 * Invariant: a result is returned only if its verdict is sound.  The checker knows nothing
 * of how the tables were made.
 *
 * Elsewhere: which fabric the routes are computed for (intended.c), and why tables are not sound
 * (unsound.c). */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "engine/intended.h"
#include "engine/unsound.h"
#include "moore/lane.h"

static struct moore_route_opts
route_opts(const struct moore_conf *conf)
{
	return (struct moore_route_opts){
		.seed = conf->seed, .profile = conf->profile, .layers = conf->layers,
		.links = conf->link_rules, .jobs = conf->jobs, .ranks = conf->ranks,
		.grown = conf->grown, .by_roles = conf->by_roles,
	};
}

/* Routes by the plan.  Leaves r->route NULL if none of the planned switches is seen. */
static int
route_planned(struct moore_engine_result *r, const struct moore_fabric *seen,
	      const struct moore_plan *plan, const struct moore_route_opts *opts,
	      struct moore_err *err)
{
	struct moore_fabric *intended = NULL;
	uint32_t n_known;
	int rc;

	if ((rc = moore_intended_of_plan(&intended, plan, err)) < 0 ||
	    (rc = moore_intended_take_core(&intended, err)) < 0 ||
	    (rc = moore_route_matches(&n_known, seen, intended, err)) < 0)
		goto out;
	r->plan_unused = n_known == 0 && plan->n_switches;
	if (r->plan_unused ||
	    (rc = moore_route_build(&r->route, seen, intended, opts, err)) < 0)
		goto out;
	r->intent = MOORE_INTENT_PLAN;
	moore_intended_name(plan, "planned ", r->topology, sizeof(r->topology));
out:
	moore_fabric_free(intended);
	return rc;
}

/* Makes the SL2VL tables; under one-vl all on VL 0, so that all lanes are judged as one.  entry may be
 * NULL. */
static int
lanes(struct moore_engine_result *r, const struct moore_fabric *seen,
      const struct moore_conf *conf, const uint8_t *entry, struct moore_err *err)
{
	if (conf->profile == MOORE_PROFILE_ONE_VL)
		return moore_sl2vl_new(&r->sl2vl, seen, err);
	if (conf->profile == MOORE_PROFILE_SL_HINT)
		return moore_lane_hint_effective(&r->sl2vl, seen, &conf->lanes,
						 moore_route_order(r->route), entry, err);
	return moore_lane_effective(&r->sl2vl, seen, &conf->lanes, entry, err);
}

/* Under sl-hint, makes the set of SLs that are safe for each LID. */
static int
sl_set(struct moore_engine_result *r, const struct moore_conf *conf, struct moore_err *err)
{
	int rc = moore_route_sl_set(r->route, &r->sl_set, err);

	if (rc == 0)
		moore_lane_hint_spread(&conf->lanes, r->sl_set);
	return rc;
}

/* ---- the hash --------------------------------------------------------------- */

static uint64_t
hash_plan(uint64_t h, const struct moore_plan *p)
{
	for (uint32_t i = 0; i < p->n_switches; i++) {
		h = moore_hash(h, &p->sw[i].guid, sizeof(p->sw[i].guid));
		h = moore_hash(h, p->sw[i].name, strlen(p->sw[i].name) + 1);
	}
	for (uint32_t i = 0; i < p->n_cables; i++) {
		h = moore_hash(h, p->cable[i].sw, sizeof(p->cable[i].sw));
		h = moore_hash(h, p->cable[i].port, sizeof(p->cable[i].port));
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		h = moore_hash(h, &p->ep[i].sw, sizeof(p->ep[i].sw));
		h = moore_hash(h, &p->ep[i].port, sizeof(p->ep[i].port));
	}
	return h;
}

/* The hashes of the tables are made already. */
static uint64_t
hash_all(const struct moore_engine_result *r, const struct moore_plan *plan,
	 const struct moore_conf *conf)
{
	uint64_t h = moore_hash(MOORE_HASH_INIT, &conf->seed, sizeof(conf->seed));

	h = moore_hash(h, &conf->profile, sizeof(conf->profile));
	h = moore_hash(h, &conf->layers, sizeof(conf->layers));
	h = moore_hash(h, &conf->lanes, sizeof(conf->lanes));
	h = moore_links_hash(h, conf->link_rules);
	if (plan)
		h = hash_plan(h, plan);
	h = moore_hash(h, &r->routes_hash, sizeof(r->routes_hash));
	return moore_hash(h, &r->lanes_hash, sizeof(r->lanes_hash));
}

/* ---- tasks that may be done side by side ---------------------------------------- */

enum task {
	ROUTE,
	CHOOSE,			/* without a plan: the fabric that routes are computed for */
	PREPARE,		/* what needs lanes but no routes */
	LANES,
	SL_SET,
	JUDGE,
	HASH_ROUTES,
	HASH_LANES,
};

#define TASKS_MAX 3

struct tasks {
	struct moore_engine_result *r;
	const struct moore_fabric *seen;
	const struct moore_plan *plan;
	const struct moore_conf *conf;
	struct moore_intended intended;	/* of CHOOSE */
	const uint8_t *entry;	/* of the routes; NULL until these are complete, or if there is none */
	bool as_seen;		/* CHOOSE is done beside ROUTE, which takes the fabric as it is seen */
	struct moore_check_parts *check;	/* of PREPARE, for the routes as one part; may be NULL */
	const enum task *task;
	int rc[TASKS_MAX];
	struct moore_err err[TASKS_MAX];
};

static int
choose(struct tasks *t, struct moore_err *err)
{
	struct moore_engine_result *r = t->r;
	struct moore_intended *i = &t->intended;
	const int rc = moore_intended_choose(i, t->seen, t->conf->kept, err);

	if (rc < 0)
		return rc;
	memcpy(r->topology, i->topology, sizeof(r->topology));
	r->intent = i->is;
	r->keep = i->keep && !t->plan;
	r->kept_differs = i->kept_differs;
	r->n_unknown = i->n_unknown;
	return 0;
}

static int
route_for(struct tasks *t, const struct moore_fabric *intended, struct moore_err *err)
{
	struct moore_route_opts opts = route_opts(t->conf);

	opts.lanes_as_seen = true;
	return moore_route_build(&t->r->route, t->seen, intended, &opts, err);
}

static int
route(struct tasks *t, struct moore_err *err)
{
	const struct moore_route_opts opts = route_opts(t->conf);
	int rc;

	if (t->as_seen) {
		route_for(t, NULL, NULL);	/* route_again() reports a failure */
		return 0;
	}
	if (t->plan && ((rc = route_planned(t->r, t->seen, t->plan, &opts, err)) < 0 || t->r->route))
		return rc;
	rc = choose(t, err);
	return rc < 0 ? rc : route_for(t, t->intended.fabric, err);
}

/* After CHOOSE beside ROUTE.  The fabric is the intended one, or a rare one that has the numbers of a
 * family but is a part of another. */
static int
route_again(struct tasks *t, struct moore_err *err)
{
	if (t->r->route && !t->intended.fabric)
		return 0;
	moore_route_free(t->r->route);
	t->r->route = NULL;
	return route_for(t, t->intended.fabric, err);
}

/* Makes the lanes and their hash, and has the checker read them. */
static int
prepare(struct tasks *t, struct moore_err *err)
{
	struct moore_engine_result *r = t->r;
	const size_t n_lids = ((size_t)t->seen->lid_top / MOORE_CHECK_PART + 1) * MOORE_CHECK_PART;
	int rc;

	if ((rc = lanes(r, t->seen, t->conf, t->entry, err)) < 0 ||
	    (rc = moore_sl2vl_hash(&r->lanes_hash, t->seen, r->sl2vl, err)) < 0)
		return rc;
	rc = moore_check_parts_new(&t->check, t->seen, r->sl2vl, t->conf->jobs, n_lids, err);
	return rc == -MOORE_EINVAL ? 0 : rc;	/* some rows drop packets: judge() finds out which */
}

static int
judge(struct tasks *t, struct moore_err *err)
{
	struct moore_engine_result *r = t->r;
	const struct moore_check_opts in_use = { .sl_set = r->sl_set, .jobs = t->conf->jobs };
	int rc;

	if (t->check) {
		moore_check_part(t->check, r->lft, 0);
		rc = moore_check_parts_end(&r->verdict, t->check, err);
	} else {
		rc = moore_check(&r->verdict, t->seen, r->lft, r->sl2vl, NULL, &in_use, err);
	}
	if (rc < 0)
		return rc;
	return r->verdict->sound ? 0 : moore_unsound_fail(r->verdict, t->seen, err);
}

static int
do_task(struct tasks *t, enum task task, struct moore_err *err)
{
	struct moore_engine_result *r = t->r;

	switch (task) {
	case ROUTE:
		return route(t, err);
	case CHOOSE:
		return choose(t, err);
	case PREPARE:
		return prepare(t, err);
	case LANES:
		return lanes(r, t->seen, t->conf, t->entry, err);
	case SL_SET:
		return sl_set(r, t->conf, err);
	case JUDGE:
		return judge(t, err);
	case HASH_ROUTES:
		return moore_lft_hash(&r->routes_hash, t->seen, r->lft, err);
	case HASH_LANES:
		return moore_sl2vl_hash(&r->lanes_hash, t->seen, r->sl2vl, err);
	}
	return 0;
}

static void
task_job(void *arg, unsigned worker, size_t i)
{
	struct tasks *t = arg;

	(void)worker;
	t->rc[i] = do_task(t, t->task[i], &t->err[i]);
}

/* Does the n tasks.  Returns the failure of the first one that fails. */
static int
do_tasks(struct tasks *t, const enum task *task, unsigned n, struct moore_err *err)
{
	t->task = task;
	moore_jobs_run(t->conf->jobs, moore_jobs_width(t->conf->jobs, n), n, task_job, t);
	for (unsigned i = 0; i < n; i++)
		if (t->rc[i] < 0) {
			if (err)
				*err = t->err[i];
			return t->rc[i];
		}
	return 0;
}

/* ---- one run ----------------------------------------------------------------------- */

struct run {
	struct tasks tasks;
	void (*now)(void *arg, enum moore_engine_mark m);	/* may be NULL */
	void *arg;
	int rc;
	struct moore_err err;
};

static void
mark(const struct run *w, enum moore_engine_mark m)
{
	if (w->now)
		w->now(w->arg, m);
}

/* Makes the routes and, `meanwhile`, what needs none. */
static int
make_routes(struct run *w, bool meanwhile)
{
	struct tasks *t = &w->tasks;
	enum task first[TASKS_MAX] = { ROUTE };
	unsigned n = 1;
	int rc = 0;

	if (!t->plan && !t->conf->kept && moore_jobs_width(t->conf->jobs, 2) > 1)
		rc = moore_intended_looks_whole(&t->as_seen, t->seen, &w->err);
	if (meanwhile)
		first[n++] = PREPARE;
	if (t->as_seen)
		first[n++] = CHOOSE;
	if (rc == 0 && (rc = do_tasks(t, first, n, &w->err)) == 0 && t->as_seen)
		rc = route_again(t, &w->err);
	return rc;
}

/* The lanes were prepared without regard to entry turns, and there are some. */
static int
prepare_again(struct run *w)
{
	struct tasks *t = &w->tasks;

	moore_check_parts_free(t->check);
	t->check = NULL;
	moore_sl2vl_free(t->r->sl2vl);
	t->r->sl2vl = NULL;
	return prepare(t, &w->err);
}

static int
make_tables(struct run *w)
{
	static const enum task lanes_by_routes[] = { LANES, SL_SET };
	static const enum task last[] = { JUDGE, HASH_ROUTES, HASH_LANES };
	const struct moore_conf *conf = w->tasks.conf;
	const bool hinted = conf->profile == MOORE_PROFILE_SL_HINT;
	const bool meanwhile = !hinted && moore_jobs_width(conf->jobs, 2) > 1;
	struct moore_engine_result *r = w->tasks.r;
	int rc;

	if ((rc = make_routes(w, meanwhile)) < 0)
		return rc;
	r->lft = moore_route_lft(r->route);
	w->tasks.entry = moore_route_entries(r->route);
	mark(w, MOORE_MARK_ROUTED);
	if (meanwhile && w->tasks.entry && (rc = prepare_again(w)) < 0)
		return rc;
	if (!meanwhile && (rc = do_tasks(&w->tasks, lanes_by_routes, hinted ? 2 : 1, &w->err)) < 0)
		return rc;
	mark(w, MOORE_MARK_LANES);
	if ((rc = do_tasks(&w->tasks, last, meanwhile ? 2 : 3, &w->err)) < 0)
		return rc;
	mark(w, MOORE_MARK_CHECKED);
	r->hash = hash_all(r, w->tasks.plan, conf);
	return 0;
}

static void
run_job(void *arg, unsigned worker, size_t i)
{
	struct run *w = arg;

	(void)worker;
	(void)i;
	w->rc = make_tables(w);
}

int
moore_engine_run(struct moore_engine_result **out, const struct moore_fabric *seen,
		 const struct moore_plan *plan, const struct moore_conf *conf,
		 void (*now)(void *arg, enum moore_engine_mark), void *arg, struct moore_err *err)
{
	struct moore_engine_result *r = calloc(1, sizeof(*r));
	struct run w = { .tasks = { .r = r, .seen = seen, .plan = plan, .conf = conf }, .now = now,
		.arg = arg };

	*out = NULL;
	if (!r)
		return moore_fail_nomem(err);
	moore_jobs_keep(conf->jobs, run_job, &w);
	moore_check_parts_free(w.tasks.check);
	moore_fabric_free(w.tasks.intended.fabric);
	if (w.rc < 0) {
		if (err)
			*err = w.err;
		moore_engine_result_free(r);
		return w.rc;
	}
	*out = r;
	return 0;
}

void
moore_engine_result_free(struct moore_engine_result *r)
{
	if (!r)
		return;
	moore_route_free(r->route);
	moore_sl2vl_free(r->sl2vl);
	moore_sl_set_free(r->sl_set);
	moore_verdict_free(r->verdict);
	free(r);
}
