// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_motion.c - the steps of a change: each mixture is judged by moore_mix_held(), which
 * knows nothing of how steps are made, and what each drops is also found by following every
 * value of every row. */
#include "engine/intended.h"
#include "fabrics.h"
#include "harness.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "moore/mix.h"
#include "moore/motion.h"
#include "plan_of.h"

static struct moore_lft *
copy_of(const struct moore_lft *t)
{
	struct moore_lft *c;
	struct moore_err err;

	assert_int_equal(moore_lft_new(&c, t->n_switches, (moore_lid)(t->stride - 1), &err), 0);
	memcpy(c->row, t->row, t->stride * t->n_switches);
	return c;
}

/* True if a packet for lid that is at s may be dropped in the mixture of a and b. */
static bool
may_drop(const struct moore_fabric *f, const struct moore_lft *a, const struct moore_lft *b,
	 moore_lid lid, const struct moore_lid_owner *own, moore_swid s, unsigned depth)
{
	const uint8_t out[] = { moore_lft_row(a, s)[lid], moore_lft_row(b, s)[lid] };

	if (depth > f->n_switches)
		return true;
	for (unsigned i = 0; i < 2; i++) {
		const struct moore_port *p = out[i] > f->sw[s].n_ports ? NULL :
			moore_fabric_port(f, s, out[i]);

		if (own->sw == s && own->port == out[i])
			continue;
		if (!p || p->role != MOORE_ROLE_SWITCH ||
		    may_drop(f, a, b, lid, own, p->peer, depth + 1))
			return true;
	}
	return false;
}

struct seen {
	unsigned changes, steps, unsafe;
	uint64_t interrupted, back, dead;
};

/* Counts the pairs that `from` delivers and that the mixture of a and b may drop. */
static uint64_t
count_interrupted(const struct moore_fabric *f, const struct moore_lft *a, const struct moore_lft *b)
{
	struct moore_lid_owner *own;
	struct moore_err err;
	uint64_t n = 0;

	assert_int_equal(moore_fabric_lids(f, &own, &err), 0);
	for (unsigned lid = 1; lid <= f->lid_top; lid++)
		for (moore_swid s = 0; own[lid].sw != MOORE_NONE && s < f->n_switches; s++)
			n += s != own[lid].sw && test_has_endpoint(f, s) &&
				!may_drop(f, a, a, (moore_lid)lid, &own[lid], s, 0) &&
				may_drop(f, a, b, (moore_lid)lid, &own[lid], s, 0);
	free(own);
	return n;
}

/* Counts the pairs that `was` does not deliver, and `now` does. */
static uint64_t
count_back(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now)
{
	struct moore_lid_owner *own;
	struct moore_err err;
	uint64_t n = 0;

	assert_int_equal(moore_fabric_lids(f, &own, &err), 0);
	for (unsigned lid = 1; lid <= f->lid_top; lid++)
		for (moore_swid s = 0; own[lid].sw != MOORE_NONE && s < f->n_switches; s++)
			n += s != own[lid].sw && test_has_endpoint(f, s) &&
				may_drop(f, was, was, (moore_lid)lid, &own[lid], s, 0) &&
				!may_drop(f, now, now, (moore_lid)lid, &own[lid], s, 0);
	free(own);
	return n;
}

static struct moore_mix_held *
judge(const struct moore_fabric *f, const struct moore_held *held, const struct moore_held *before,
      const struct moore_motion_opts *o)
{
	const struct moore_mix_lanes lanes = { .sl2vl = o->sl2vl, .sl_set = o->sl_set };
	struct moore_mix_held *v;
	struct moore_err err;

	assert_int_equal(moore_mix_held(&v, f, held, before, &lanes, NULL, &err), 0);
	return v;
}

/* Plays the steps from old to now, and judges each, by the rows before and after it, and
 * with all rows since the last wait. */
static void
play(struct seen *seen, const struct moore_fabric *f, const struct moore_engine_result *old,
     const struct moore_engine_result *now)
{
	const struct moore_lft *was = old->lft;
	const struct moore_motion_opts opts = { .sl2vl = now->sl2vl, .sl_set = now->sl_set };
	struct moore_lft *a = copy_of(was), *b = copy_of(was), *stale = copy_of(was);
	struct moore_motion *m;
	struct moore_err err;
	size_t since = 0;	/* the first row after the last wait */

	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now->lft,
					    &opts, &err), 0);
	for (uint32_t i = 0; i < m->n_steps; i++) {
		const struct moore_motion_step *st = &m->step[i];
		struct moore_held held = { a, m->row + st->first, st->n, NULL }, all;
		struct moore_mix_held *step, *rows;

		for (size_t k = 0; k < st->n; k++) {
			const struct moore_row *r = &m->row[st->first + k];

			assert_int_not_equal(moore_lft_row(b, r->sw)[r->lid], r->port);
			moore_lft_row(b, r->sw)[r->lid] = r->port;
		}
		if (st->wait) {
			memcpy(stale->row, a->row, a->stride * a->n_switches);
			since = st->first;
		}
		all = (struct moore_held){ stale, m->row + since, st->first + st->n - since, NULL };
		step = judge(f, &held, &(struct moore_held){ .lft = a }, &opts);
		rows = judge(f, &all, NULL, &opts);
		/* Under sl-hint, the old rows may be unsafe with the SLs of the new ones. */
		if (i || !m->start_unsafe)
			seen->unsafe += !step->safe || !rows->safe;
		assert_int_equal(step->interrupted, st->interrupted);
		assert_int_equal(count_interrupted(f, a, b), st->interrupted);
		assert_int_equal(count_back(f, was, b), st->back);
		seen->interrupted += st->interrupted;
		moore_mix_held_free(step);
		moore_mix_held_free(rows);
		memcpy(a->row, b->row, a->stride * a->n_switches);
	}
	assert_memory_equal(b->row, now->lft->row, b->stride * b->n_switches);
	assert_true(!m->start_unsafe || now->sl_set);
	seen->changes++;
	seen->steps += m->n_steps;
	seen->dead += m->dead;
	seen->back += m->n_steps ? m->step[0].back : 0;
	moore_motion_free(m);
	moore_lft_free(a);
	moore_lft_free(b);
	moore_lft_free(stale);
}

static struct moore_engine_result *
run(const struct moore_fabric *f, const struct moore_plan *plan, enum moore_profile profile)
{
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	conf.profile = profile;
	assert_int_equal(moore_engine_run(&r, f, plan, &conf, NULL, NULL, &err), 0);
	return r;
}

/* Cuts ports first to last of switch s where they lead to switches, and restores them. */
static void
cut_ports(struct seen *seen, const struct moore_fabric *f, const struct moore_plan *plan,
	  const struct moore_engine_result *all, enum moore_profile profile, moore_swid s,
	  unsigned first, unsigned last)
{
	uint64_t before = seen->interrupted;
	struct moore_engine_result *r;
	struct moore_fabric *less;
	struct moore_err err;

	assert_int_equal(moore_fabric_copy(&less, f, &err), 0);
	for (unsigned p = first; p <= last; p++)
		if (moore_fabric_port(less, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH)
			moore_fabric_cut(less, s, (moore_portnum)p);
	r = run(less, plan, profile);
	play(seen, less, all, r);
	if (profile == MOORE_PROFILE_ANY_SL)	/* no cut interrupts a pair */
		assert_int_equal(seen->interrupted, before);
	play(seen, f, r, all);
	moore_engine_result_free(r);
	moore_fabric_free(less);
}

/* Cuts every `stride`-th link, or switch if whole is set, and restores it. */
static struct seen
cut_and_restore(const char *family, const char *param, uint8_t lmc, enum moore_profile profile,
		unsigned stride, bool whole)
{
	struct moore_plan *plan = plan_of(family, param);
	struct moore_engine_result *all;
	struct seen seen = { .changes = 0 };
	struct moore_fabric *f;
	struct moore_err err;
	unsigned i = 0;

	assert_int_equal(moore_fabric_from_plan(&f, plan, lmc, &err), 0);
	all = run(f, plan, profile);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= (whole ? 1 : f->sw[s].n_ports); p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if ((whole || (q->role == MOORE_ROLE_SWITCH && q->peer >= s)) && i++ % stride == 0)
				cut_ports(&seen, f, plan, all, profile, s, p, whole ? f->sw[s].n_ports : p);
		}
	moore_engine_result_free(all);
	moore_plan_free(plan);
	moore_fabric_free(f);
	return seen;
}

/* One link of switch s, or all of them, is cut and restored; four LIDs for each endpoint. */
static struct seen
cut_once(const char *family, const char *param, moore_swid s, moore_portnum port, bool whole)
{
	struct moore_plan *plan = plan_of(family, param);
	struct seen seen = { .changes = 0 };
	struct moore_engine_result *all;
	struct moore_fabric *f;
	struct moore_err err;

	assert_int_equal(moore_fabric_from_plan(&f, plan, 2, &err), 0);
	all = run(f, plan, MOORE_PROFILE_ANY_SL);
	cut_ports(&seen, f, plan, all, MOORE_PROFILE_ANY_SL, s, port,
		  whole ? f->sw[s].n_ports : port);
	moore_engine_result_free(all);
	moore_plan_free(plan);
	moore_fabric_free(f);
	return seen;
}

/* ---- the tests -------------------------------------------------------------------------- */

/* Cuts and repairs: how many dead pairs are back after the first step, and how many steps
 * all changes take together. */
#define ANY MOORE_PROFILE_ANY_SL
#define HINT MOORE_PROFILE_SL_HINT

static void
test_links(void **state)
{
	static const struct {
		const char *why, *family, *param;
		uint8_t lmc;
		unsigned stride, back_percent, steps_percent;
		enum moore_profile profile;
	} T[] = {
		{ "q=5, LMC 0", "slimfly", "q=5", 0, 1, 90, 200, ANY },
		{ "q=5, LMC 1", "slimfly", "q=5", 1, 7, 65, 260, ANY },
		{ "q=5, LMC 2", "slimfly", "q=5", 2, 7, 65, 275, ANY },
		{ "q=4, LMC 1", "slimfly", "q=4", 1, 5, 65, 260, ANY },
		{ "OFT, LMC 0", "oft", "k=4", 0, 3, 90, 260, ANY },
		{ "OFT, LMC 2", "oft", "k=4", 2, 11, 65, 290, ANY },
		{ "MLFM, LMC 0", "mlfm", "h=4", 0, 3, 90, 260, ANY },
		{ "MLFM, LMC 2", "mlfm", "h=4", 2, 1, 65, 250, ANY },
		{ "q=5, sl-hint, LMC 0", "slimfly", "q=5", 0, 5, 0, 320, HINT },
		{ "q=5, sl-hint, LMC 2", "slimfly", "q=5", 2, 11, 0, 400, HINT },
		{ "MLFM, sl-hint, LMC 1", "mlfm", "h=4", 1, 11, 0, 400, HINT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i += test_stride()) {
		struct seen s = cut_and_restore(T[i].family, T[i].param, T[i].lmc,
						T[i].profile, T[i].stride, false);

		CHECK_EQ(T[i].why, s.unsafe, 0);
		CHECK(T[i].why, s.changes > 10 && s.dead > 0);
		CHECK(T[i].why, s.back * 100 >= s.dead * T[i].back_percent);
		CHECK(T[i].why, s.steps * 100 <= s.changes * T[i].steps_percent);
		print_message("# %s: %u changes, %u steps, %llu of %llu dead pairs back, %llu interrupted\n",
			      T[i].why, s.changes, s.steps, (unsigned long long)s.back,
			      (unsigned long long)s.dead, (unsigned long long)s.interrupted);
	}
}

/* Repairs that take many steps, or interrupt pairs, if they are built from the old tables on alone.
 * Port 10 of o0-22 of OFT k=6 is a link of the spanning tree near its root, with a quarter of the
 * tree behind it.  If the part is attached again where its ranks must change, live routes change
 * with them. */
/* The rows of lid that step 1 leaves without a path, when the LIDs in o->first change first. */
static unsigned
left_out(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now,
	 const struct moore_motion_opts *o, moore_lid lid)
{
	struct moore_motion *m;
	struct moore_err err;
	unsigned n = 0;

	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now, o, &err), 0);
	for (size_t i = 0; m->n_steps && i < m->step[0].n; i++)
		n += m->row[i].lid == lid && m->row[i].port == MOORE_NO_PATH;
	moore_motion_free(m);
	return n;
}

/* Traps and the SM's answers travel on rows that change first wherever the union allows. */
static void
test_first(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=4");
	struct moore_engine_result *all, *r;
	struct moore_fabric *f, *less;
	unsigned before = 0, after = 0;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 2, &err), 0);
	all = run(f, plan, ANY);
	assert_int_equal(moore_fabric_copy(&less, f, &err), 0);
	for (unsigned p = 3; p <= 5; p++)
		if (moore_fabric_port(less, 3, (moore_portnum)p)->role == MOORE_ROLE_SWITCH)
			moore_fabric_cut(less, 3, (moore_portnum)p);
	r = run(less, plan, ANY);
	for (moore_lid lid = 1; lid <= f->lid_top; lid++) {
		struct moore_motion_opts o = { .sl2vl = r->sl2vl, .first = &lid };
		unsigned as_others = left_out(less, all->lft, r->lft, &o, lid), first;

		if (!as_others)
			continue;
		o.n_first = 1;
		first = left_out(less, all->lft, r->lft, &o, lid);
		CHECK("no row is later than otherwise", first <= as_others);
		before += as_others;
		after += first;
	}
	print_message("# rows without a path after step 1: %u, of LIDs that change first %u\n", before,
		      after);
	CHECK("rows are back that were not otherwise", after < before);
	moore_engine_result_free(all);
	moore_engine_result_free(r);
	moore_plan_free(plan);
	moore_fabric_free(less);
	moore_fabric_free(f);
}

static void
test_long(void **state)
{
	static const struct {
		const char *why, *family, *param;
		moore_swid s;
		moore_portnum port;
		unsigned steps;		/* of the cut and the repair, at most */
	} T[] = {
		{ "a large part of the tree", "oft", "k=6", 22, 10, 3 + 4 },
		{ "OFT, 5 steps forward", "oft", "k=3", 7, 5, 2 + 4 },
		{ "q=4, rows that wait in a circle", "slimfly", "q=4", 0, 6, 2 + 5 },
		{ "q=4, another circle", "slimfly", "q=4", 16, 4, 2 + 5 },
		{ "OFT, turns that one of the ranks forbids", "oft", "k=5", 6, 8, 4 + 4 },
		{ "OFT, the same in minimal trees", "oft", "k=4", 9, 8, 2 + 4 },
		{ "q=4, turns that one of the ranks forbids", "slimfly", "q=4", 2, 5, 4 + 3 },
		{ "q=5, rows of one tree in a chain", "slimfly", "q=5", 10, 4, 3 + 4 },
		{ "q=4, rows of one tree in a chain", "slimfly", "q=4", 1, 5, 2 + 5 },
		{ "q=4, another cut of 5 steps", "slimfly", "q=4", 4, 7, 5 + 5 },
		{ "q=5, a circle", "slimfly", "q=5", 0, 4, 3 + 4 },
		{ "q=5, 5 steps forward", "slimfly", "q=5", 8, 7, 3 + 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct seen seen = cut_once(T[i].family, T[i].param, T[i].s, T[i].port, false);

		print_message("# %s: %u steps, %llu interrupted\n", T[i].why, seen.steps,
			      (unsigned long long)seen.interrupted);
		CHECK_EQ(T[i].why, seen.unsafe, 0);
		CHECK_EQ(T[i].why, seen.interrupted, 0);
		CHECK(T[i].why, seen.steps <= T[i].steps);
	}
}

/* ---- switches in another order ------------------------------------------------------------- */

/* The rows of t for the same switches in reverse order. */
static struct moore_lft *
reversed(const struct moore_lft *t)
{
	struct moore_lft *c = copy_of(t);

	for (moore_swid s = 0; s < t->n_switches; s++)
		memcpy(moore_lft_row(c, s), moore_lft_row(t, t->n_switches - 1 - s), t->stride);
	return c;
}

static struct moore_motion *
steps_on(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_sl2vl *lanes;
	struct moore_motion *m;

	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, NULL, NULL), 0);
	opts.sl2vl = lanes;
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now, &opts, NULL), 0);
	moore_sl2vl_free(lanes);
	return m;
}

/* A fabric from a dump may have its switches in another order than a plan; by GUID they are the
 * same, and so are the steps. */
static void
test_other_order(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=5");
	struct moore_engine_result *all, *less;
	struct moore_fabric *f, *g;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 2, NULL), 0);
	all = run(f, plan, ANY);
	moore_fabric_cut(f, 0, 3);
	less = run(f, plan, ANY);
	for (moore_swid s = 0; s < f->n_switches; s++)
		f->sw[s].guid = f->n_switches - s;
	assert_int_equal(moore_intended_by_guid(&g, f, NULL), 0);
	for (unsigned back = 0; back < 2; back++) {
		const struct moore_lft *was = back ? less->lft : all->lft;
		const struct moore_lft *now = back ? all->lft : less->lft;
		struct moore_lft *was_g = reversed(was), *now_g = reversed(now);
		struct moore_motion *m = steps_on(f, was, now), *n = steps_on(g, was_g, now_g);

		assert_int_equal(m->n_steps, n->n_steps);
		assert_int_equal(m->n_rows, n->n_rows);
		for (uint32_t k = 0; k < m->n_rows; k++) {
			assert_int_equal(m->row[k].sw, f->n_switches - 1 - n->row[k].sw);
			assert_int_equal(m->row[k].lid, n->row[k].lid);
			assert_int_equal(m->row[k].port, n->row[k].port);
		}
		moore_motion_free(m);
		moore_motion_free(n);
		moore_lft_free(was_g);
		moore_lft_free(now_g);
	}
	moore_engine_result_free(all);
	moore_engine_result_free(less);
	moore_fabric_free(f);
	moore_fabric_free(g);
	moore_plan_free(plan);
}

static void
test_switches(void **state)
{
	struct seen s;

	(void)state;
	s = cut_and_restore("slimfly", "q=5", 0, MOORE_PROFILE_ANY_SL, 3, true);
	assert_int_equal(s.unsafe, 0);
	assert_int_equal(s.interrupted, 0);
	s = cut_and_restore("mlfm", "h=3", 1, MOORE_PROFILE_ANY_SL, 2, true);
	assert_int_equal(s.unsafe, 0);
}

/* When one switch of MLFM h=4 returns, rows of many LIDs wait for each other in circles.  Only those
 * are dropped that cannot change in one step with the others: all of them would be 196 pairs. */
static void
test_drop(void **state)
{
	struct seen seen = cut_once("mlfm", "h=4", 23, 1, true);

	(void)state;
	print_message("# %u steps, %llu interrupted\n", seen.steps,
		      (unsigned long long)seen.interrupted);
	assert_int_equal(seen.unsafe, 0);
	assert_true(seen.interrupted <= 60);
}

/* Nothing changes: no steps.  Tables that do not fit are refused. */
static void
test_edges(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=4");
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_engine_result *r;
	struct moore_motion *m;
	struct moore_lft *less;
	struct moore_fabric *f;
	struct moore_row row = { 0, 1, 1 }, *more;
	uint64_t lids[64] = { 0 };
	struct moore_held held;
	size_t n_more;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 0, &err), 0);
	r = run(f, plan, MOORE_PROFILE_ANY_SL);
	opts.sl2vl = r->sl2vl;
	held = (struct moore_held){ .lft = r->lft };
	assert_int_equal(moore_motion_build(&m, f, &held, r->lft, &opts, &err), 0);
	assert_int_equal(m->n_steps, 0);
	moore_motion_free(m);
	assert_int_equal(moore_lft_new(&less, f->n_switches - 1, f->lid_top, &err), 0);
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = less }, r->lft, &opts,
					    &err), -MOORE_EINVAL);
	held = (struct moore_held){ .lft = r->lft, .more = &row, .n_more = 1 };
	row.sw = f->n_switches;
	assert_int_equal(moore_motion_build(&m, f, &held, r->lft, &opts, &err), -MOORE_EINVAL);
	assert_null(m);
	for (unsigned i = 0; i < 2; i++) {	/* another fabric's tables; no values at all */
		n_more = 1;
		assert_int_equal(moore_motion_widen(&more, &n_more, f, i ? r->lft : less, lids, i ? 0 : 2,
						    &opts, &err), -MOORE_EINVAL);
		assert_true(!more && !n_more);
	}
	moore_lft_free(less);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* From empty tables in one step; from those of switches of which nothing is known in two, the
 * second when the packets in the fabric have left. */
static void
test_bring_up(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=5");
	struct moore_motion_opts opts = { .sl2vl = NULL };
	uint64_t unknown[] = { UINT64_MAX };
	struct moore_engine_result *r;
	struct moore_motion *m;
	struct moore_lft *none;
	struct moore_fabric *f;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 1, &err), 0);
	r = run(f, plan, MOORE_PROFILE_ANY_SL);
	opts.sl2vl = r->sl2vl;
	none = copy_of(r->lft);
	memset(none->row, MOORE_NO_PATH, none->stride * none->n_switches);
	for (unsigned i = 0; i < 2; i++) {
		struct moore_held held = { .lft = none, .unknown = i ? unknown : NULL };

		assert_int_equal(moore_motion_build(&m, f, &held, r->lft, &opts, &err), 0);
		assert_int_equal(m->n_steps, 1 + i);
		assert_int_equal(m->start_unsafe, i);
		assert_int_equal(m->step[0].n == 0 && m->step[i].wait, i);
		assert_int_equal(m->step[0].interrupted, 0);
		assert_int_equal(m->step[i].back, m->dead);
		moore_motion_free(m);
	}
	moore_lft_free(none);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* Plays the steps from what is held, of which some is not known: what is held is unsafe, and
 * each step after the first is safe. */
static void
play_unknown(const struct moore_fabric *f, const struct moore_held *held,
	     const struct moore_engine_result *r)
{
	const struct moore_motion_opts opts = { .sl2vl = r->sl2vl };
	struct moore_held before = *held;
	struct moore_lft *now = copy_of(held->lft);
	struct moore_row all[512];
	struct moore_motion *m;
	struct moore_err err;

	for (moore_swid s = 0; s < f->n_switches; s++)	/* what the first step sends at least */
		if (held->unknown[s / 64] >> s % 64 & 1)
			memset(moore_lft_row(now, s), MOORE_NO_PATH, now->stride);
	assert_int_equal(moore_motion_build(&m, f, held, r->lft, &opts, &err), 0);
	assert_true(m->start_unsafe && m->n_steps == 2 && m->step[1].wait);
	for (uint32_t i = 0; i < m->n_steps; i++) {
		const struct moore_motion_step *st = &m->step[i];
		struct moore_held mixed = before;
		struct moore_mix_held *v;

		mixed.more = i ? m->row + st->first : all;
		mixed.n_more = before.n_more + st->n;
		assert_true(i || mixed.n_more <= ARRAY_LEN(all));
		if (!i) {
			memcpy(all, before.more, before.n_more * sizeof(*all));
			memcpy(all + before.n_more, m->row + st->first, st->n * sizeof(*all));
		}
		v = judge(f, &mixed, &before, &opts);
		assert_int_equal(v->safe, i);
		assert_int_equal(v->interrupted, st->interrupted);
		moore_mix_held_free(v);
		for (size_t k = st->first; k < st->first + st->n; k++)
			moore_lft_row(now, m->row[k].sw)[m->row[k].lid] = m->row[k].port;
		before = (struct moore_held){ .lft = now };
	}
	assert_memory_equal(now->row, r->lft->row, now->stride * now->n_switches);
	moore_motion_free(m);
	moore_lft_free(now);
}

/* Random switches of which nothing is known, random values that rows may hold as well, after a
 * cut. */
static void
test_unknown(void **state)
{
	struct moore_rng rng = { test_seed() };
	struct moore_plan *plan = plan_of("slimfly", "q=4");
	struct moore_engine_result *all, *r;
	struct moore_fabric *f;
	struct moore_err err;
	moore_portnum port = 1;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 1, &err), 0);
	all = run(f, plan, MOORE_PROFILE_ANY_SL);
	while (moore_fabric_port(f, 0, port)->role != MOORE_ROLE_SWITCH)
		port++;
	moore_fabric_cut(f, 0, port);
	r = run(f, plan, MOORE_PROFILE_ANY_SL);
	for (unsigned round = 0; round < 20; round++) {
		uint64_t unknown[1] = { 0 };
		struct moore_row more[20];
		const struct moore_held held = { all->lft, more, round % 2 ? ARRAY_LEN(more) : 0, unknown };

		for (unsigned k = 0; k <= round / 4; k++)
			unknown[0] |= UINT64_C(1) << moore_rng_below(&rng, f->n_switches);
		for (unsigned k = 0; k < ARRAY_LEN(more); k++)
			more[k] = (struct moore_row){ moore_rng_below(&rng, f->n_switches),
				(moore_lid)(1 + moore_rng_below(&rng, f->lid_top)),
				(uint8_t)moore_rng_below(&rng, 16) };
		play_unknown(f, &held, r);
	}
	moore_engine_result_free(all);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* Switch a has no row for a LID yet, and packets may be on their way to it, since the next
 * switch b of its final row led to a before: that row waits until they have left. */
static void
test_past(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=4");
	const struct moore_port *end;
	struct moore_engine_result *r;
	struct moore_motion_opts opts;
	struct moore_row past;
	struct moore_motion *m;
	struct moore_lft *was;
	struct moore_fabric *f;
	struct moore_err err;
	moore_swid a = 0;
	uint8_t port;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 0, &err), 0);
	r = run(f, plan, MOORE_PROFILE_ANY_SL);
	was = copy_of(r->lft);
	past.lid = f->ep[f->n_endpoints - 1].lid;
	do	/* b is not the switch of the LID */
		end = moore_fabric_port(f, a, port = moore_lft_row(was, a)[past.lid]);
	while ((end->role != MOORE_ROLE_SWITCH || end->peer == f->ep[f->n_endpoints - 1].sw) && ++a);
	past.sw = end->peer;
	past.port = (uint8_t)end->peer_port;
	moore_lft_row(was, a)[past.lid] = MOORE_NO_PATH;
	opts = (struct moore_motion_opts){ .sl2vl = r->sl2vl };
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, r->lft, &opts,
					    &err), 0);
	assert_int_equal(m->n_steps, 1);
	moore_motion_free(m);
	opts.past = &past;
	opts.n_past = 1;
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, r->lft, &opts,
					    &err), 0);
	assert_true(m->n_steps == 2 && m->step[1].wait && !m->start_unsafe);
	for (size_t k = 0; k < m->step[0].n; k++)
		assert_true(m->row[k].sw == a && m->row[k].port != port);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(m->step[i].interrupted, 0);
	moore_motion_free(m);
	past.sw = f->n_switches;
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, r->lft, &opts,
					    &err), -MOORE_EINVAL);
	moore_lft_free(was);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* Whatever is held: random rows are mostly cyclic, so what changes is dropped first. */
static void
test_random(void **state)
{
	struct moore_rng rng = { test_seed() };
	struct moore_plan *plan = plan_of("slimfly", "q=4");
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_engine_result *r;
	struct moore_fabric *f;
	struct moore_err err;
	unsigned unsafe = 0;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 0, &err), 0);
	r = run(f, plan, MOORE_PROFILE_ANY_SL);
	opts.sl2vl = r->sl2vl;
	for (unsigned round = 0; round < 40; round++) {
		struct moore_lft *was = copy_of(r->lft);
		struct moore_row more[20];
		struct moore_motion *m;

		for (unsigned k = 0; k < 1u << round / 4; k++) {
			moore_swid s = moore_rng_below(&rng, f->n_switches);

			moore_lft_row(was, s)[1 + moore_rng_below(&rng, f->lid_top)] =
				(uint8_t)moore_rng_below(&rng, f->sw[s].n_ports + 2u);
		}
		for (unsigned k = 0; k < ARRAY_LEN(more); k++)
			more[k] = (struct moore_row){ moore_rng_below(&rng, f->n_switches),
				(moore_lid)moore_rng_below(&rng, f->lid_top + 1u),
				(uint8_t)moore_rng_below(&rng, 256) };
		assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was,
			.more = more, .n_more = round % 2 ? ARRAY_LEN(more) : 0 }, r->lft, &opts, &err), 0);
		for (size_t k = 0; k < m->n_rows; k++)
			moore_lft_row(was, m->row[k].sw)[m->row[k].lid] = m->row[k].port;
		assert_memory_equal(was->row, r->lft->row, was->stride * was->n_switches);
		unsafe += m->start_unsafe;
		moore_motion_free(m);
		moore_lft_free(was);
	}
	assert_true(unsafe > 5 && unsafe < 40);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

/* A torus with a cut: the fabric after it, and the results before and after. */
struct cut {
	struct moore_fabric *f;
	struct moore_engine_result *all, *r;
};

static struct cut
cut_torus(void)
{
	struct moore_plan *plan = plan_of("torus2d", "a=3 b=3");
	moore_portnum port = 1;
	struct moore_err err;
	struct cut c;

	assert_int_equal(moore_fabric_from_plan(&c.f, plan, 0, &err), 0);
	c.all = run(c.f, plan, MOORE_PROFILE_ANY_SL);
	while (moore_fabric_port(c.f, 8, port)->role != MOORE_ROLE_SWITCH)
		port++;
	moore_fabric_cut(c.f, 8, port);
	c.r = run(c.f, plan, MOORE_PROFILE_ANY_SL);
	moore_plan_free(plan);
	return c;
}

static void
end_cut(struct cut *c)
{
	moore_engine_result_free(c->all);
	moore_engine_result_free(c->r);
	moore_fabric_free(c->f);
}

/* A tree of a group that holds one link, in both directions. */
static struct moore_mft *
link_tree(const struct moore_fabric *f, moore_swid a, moore_swid b)
{
	const moore_swid end[] = { a, b };
	struct moore_mft *t;

	assert_int_equal(moore_mft_new(&t, f->n_switches, NULL), 0);
	assert_int_equal(moore_mft_group(t, 0xc000), 0);
	for (unsigned i = 0; i < 2; i++)
		for (unsigned p = 1; p <= f->sw[end[i]].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, end[i], (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer == end[!i])
				t->mask[end[i]][p / 64] |= UINT64_C(1) << p % 64;
		}
	return t;
}

/* Three trees of a group, one link each, make a triangle: together they can deadlock. */
static void
test_groups(void **state)
{
	struct cut c = cut_torus();
	const struct moore_mft *t[] = { link_tree(c.f, 0, 1), link_tree(c.f, 1, 2),
					link_tree(c.f, 2, 0) };

	(void)state;
	for (size_t n = 0; n <= ARRAY_LEN(t); n++) {
		const struct moore_motion_opts opts = { .sl2vl = c.r->sl2vl, .mft = t, .n_mft = n };
		struct moore_motion *m = NULL;

		assert_int_equal(moore_motion_build(&m, c.f, &(struct moore_held){ .lft = c.all->lft },
						    c.r->lft, &opts, NULL), 0);
		assert_true(m->n_steps && m->start_unsafe == (n == 3));
		moore_motion_free(m);
	}
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		moore_mft_free((struct moore_mft *)t[i]);
	end_cut(&c);
}

/* ---- rings ------------------------------------------------------------------------------- */

static struct moore_fabric *
ring(uint32_t n)
{
	struct moore_topo_link link[80];
	uint16_t ep[80];

	for (uint32_t s = 0; s < n; s++) {
		link[s] = (struct moore_topo_link){ s, (s + 1) % n };
		ep[s] = 1;
	}
	return test_fabric(n, link, n, ep, 0);
}

static uint8_t
port_to(const struct moore_fabric *f, moore_swid s, moore_swid peer)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
		    moore_fabric_port(f, s, (moore_portnum)p)->peer == peer)
			return (uint8_t)p;
	abort();
}

static struct moore_lft *
no_rows(const struct moore_fabric *f)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, NULL), 0);
	memset(t->row, MOORE_NO_PATH, t->stride * t->n_switches);
	return t;
}

/* All switches but 0 send its endpoint's packets upwards, over up to 79 hops, then downwards.  Each
 * row has to wait until the switch below has changed. */
static void
test_ring(void **state)
{
	static const struct moore_lane_opts one_class = { { 0 } };

	(void)state;
	for (uint32_t n = 20; n <= 80; n += 20) {
		struct moore_fabric *f = ring(n);
		struct moore_lft *was = no_rows(f), *now = no_rows(f);
		struct moore_motion_opts opts = { .sl2vl = NULL };
		struct moore_sl2vl *lanes;
		moore_lid lid = f->ep[0].lid;
		struct moore_motion *m;

		assert_int_equal(moore_lane_effective(&lanes, f, &one_class, NULL, NULL), 0);
		opts.sl2vl = lanes;
		moore_lft_row(was, 0)[lid] = moore_lft_row(now, 0)[lid] = 1;
		for (uint32_t s = 1; s < n; s++) {
			moore_lft_row(was, s)[lid] = port_to(f, s, (s + 1) % n);
			moore_lft_row(now, s)[lid] = port_to(f, s, s - 1);
		}
		assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now, &opts,
						    NULL), 0);
		assert_int_equal(m->n_steps, n - 1);
		assert_int_equal(m->n_rows, n - 1);
		for (uint32_t i = 0; i < m->n_rows; i++)
			assert_true(m->row[i].sw == i + 1 && m->step[i].n == 1 && !m->step[i].interrupted);
		moore_motion_free(m);
		moore_sl2vl_free(lanes);
		moore_lft_free(was);
		moore_lft_free(now);
		moore_fabric_free(f);
	}
}

/* Lanes of a ring on which all packets go upwards: those that pass switch 0 change to VL 1 there,
 * except, if it is not 0, those of one SL. */
static struct moore_sl2vl *
dateline(const struct moore_fabric *f, unsigned except)
{
	struct moore_sl2vl *t;

	assert_int_equal(moore_sl2vl_new(&t, f, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
			for (unsigned out = 0; out <= f->sw[s].n_ports; out++) {
				bool transit = in == port_to(f, s, (s + f->n_switches - 1) % f->n_switches);
				struct moore_sl_row row;

				for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
					row.vl[sl] = transit && !s && (!except || sl != except);
				assert_int_equal(moore_sl2vl_set(t, s, (moore_portnum)in, (moore_portnum)out,
								 &row, NULL), 0);
			}
	return t;
}

/* Every SL counts: if one can deadlock, no steps lead to the tables. */
static void
test_one_sl(void **state)
{
	struct moore_fabric *f = ring(3);
	struct moore_lft *was = no_rows(f), *now = no_rows(f);

	(void)state;
	for (moore_swid s = 0; s < 3; s++)
		for (moore_epid e = 0; e < 3; e++)
			moore_lft_row(now, s)[f->ep[e].lid] = f->ep[e].sw == s ? 1 :
				port_to(f, s, (s + 1) % 3);
	for (unsigned except = 0; except < MOORE_N_SL; except++) {
		struct moore_sl2vl *lanes = dateline(f, except);
		const struct moore_motion_opts opts = { .sl2vl = lanes };
		struct moore_motion *m;

		assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now, &opts,
						    NULL), except ? -MOORE_EUNSAFE : 0);
		moore_motion_free(m);
		moore_sl2vl_free(lanes);
	}
	moore_lft_free(was);
	moore_lft_free(now);
	moore_fabric_free(f);
}

/* Nothing is known of a switch, whose one link is on its first port. */
static void
test_unknown_leaf(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 0 } };
	static const struct moore_lane_opts one_class = { { 0 } };
	static const uint16_t ep[] = { 1, 1, 1, 0 };
	const uint64_t unknown[] = { 1u << 3 };
	struct moore_fabric *f = test_fabric(4, link, ARRAY_LEN(link), ep, 0);
	struct moore_lft *was = no_rows(f), *now = no_rows(f);
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_sl2vl *lanes;
	struct moore_motion *m;

	(void)state;
	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, NULL, NULL), 0);
	opts.sl2vl = lanes;
	moore_lft_row(now, 0)[f->ep[0].lid] = 1;
	moore_lft_row(now, 3)[f->ep[0].lid] = 1;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ was, NULL, 0,
						    i ? unknown : NULL }, now, &opts, NULL), 0);
		assert_int_equal(m->start_unsafe, i);
		moore_motion_free(m);
	}
	moore_sl2vl_free(lanes);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_fabric_free(f);
}

/* Switch 1 of a triangle may still drop packets to switch 0, and the new row of switch 2 leads there.
 * The first step sends only the row of switch 1 again, and the second one the new row: no pair is
 * interrupted. */
static void
test_resent(void **state)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	struct moore_fabric *f = ring(3);
	struct moore_lft *was = no_rows(f), *now = no_rows(f);
	const struct moore_row more = { 1, f->ep[0].lid, MOORE_NO_PATH };
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_sl2vl *lanes;
	struct moore_motion *m;

	(void)state;
	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, NULL, NULL), 0);
	opts.sl2vl = lanes;
	for (moore_swid s = 0; s < 3; s++) {
		moore_lft_row(was, s)[more.lid] = s ? port_to(f, s, 0) : 1;
		moore_lft_row(now, s)[more.lid] = s ? port_to(f, s, s - 1) : 1;
	}
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ was, &more, 1, NULL }, now, &opts,
					    NULL), 0);
	assert_int_equal(m->n_steps, 2);
	assert_int_equal(m->step[0].n, 0);
	assert_int_equal(m->step[1].n, 1);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(!m->step[i].interrupted && !m->step[i].wait);
	moore_motion_free(m);
	moore_sl2vl_free(lanes);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_fabric_free(f);
}

/* ---- several values ---------------------------------------------------------------------- */

/* The hops of the row of switch s, or UINT32_MAX. */
static uint32_t
hops_of(const struct moore_fabric *f, const struct moore_lft *t, const struct moore_lid_owner *own,
	moore_lid lid, moore_swid s)
{
	uint32_t n = 0;

	for (; s != own[lid].sw && n < f->n_switches; n++) {
		uint8_t out = moore_lft_row(t, s)[lid];

		if (out > f->sw[s].n_ports || moore_fabric_port(f, s, out)->role != MOORE_ROLE_SWITCH)
			return UINT32_MAX;
		s = moore_fabric_port(f, s, out)->peer;
	}
	return n;
}

/* Widens the rows of all LIDs of a family; returns the values that were added. */
static size_t
widen(const char *family, const char *param, enum moore_profile profile, unsigned n_max)
{
	struct moore_plan *plan = plan_of(family, param);
	struct moore_motion_opts opts = { .sl_set = NULL };
	struct moore_engine_result *r;
	struct moore_lid_owner *own;
	struct moore_fabric *f;
	struct moore_mix_held *v;
	struct moore_row *more;
	uint64_t *lids;
	size_t n;

	assert_int_equal(moore_fabric_from_plan(&f, plan, 1, NULL), 0);
	r = run(f, NULL, profile);
	opts.sl2vl = r->sl2vl;
	lids = malloc((f->lid_top / 64u + 1) * sizeof(*lids));
	memset(lids, 0xff, (f->lid_top / 64u + 1) * sizeof(*lids));
	assert_int_equal(moore_motion_widen(&more, &n, f, r->lft, lids, n_max, &opts, NULL), 0);
	v = judge(f, &(struct moore_held){ r->lft, more, n, NULL }, &(struct moore_held){ .lft = r->lft },
		  &opts);
	assert_true(v->safe && v->live && !v->interrupted);
	assert_int_equal(moore_fabric_lids(f, &own, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		moore_swid to = moore_fabric_port(f, more[i].sw, more[i].port)->peer;

		assert_int_not_equal(more[i].port, moore_lft_row(r->lft, more[i].sw)[more[i].lid]);
		assert_int_equal(hops_of(f, r->lft, own, more[i].lid, to) + 1,
				 hops_of(f, r->lft, own, more[i].lid, more[i].sw));
	}
	moore_mix_held_free(v);
	moore_engine_result_free(r);
	moore_fabric_free(f);
	moore_plan_free(plan);
	free(own);
	free(lids);
	free(more);
	return n;
}

/* Values of equal hops are found where there are any, and no mixture of them is unsafe. */
static void
test_widen(void **state)
{
	static const struct {
		const char *family, *param;
		enum moore_profile profile;
		unsigned n;
		bool some;
	} T[] = {
		{ "oft", "k=3", MOORE_PROFILE_ANY_SL, 4, true },
		{ "mlfm", "h=4", MOORE_PROFILE_ANY_SL, 4, true },
		{ "mlfm", "h=4", MOORE_PROFILE_ONE_VL, 4, false },
		{ "slimfly", "q=5", MOORE_PROFILE_ANY_SL, 2, false },
		{ "hypercube", "n=4", MOORE_PROFILE_ANY_SL, 2, true },
		{ "torus2d", "a=4 b=4", MOORE_PROFILE_ANY_SL, 2, true },
		{ "torus2d", "a=4 b=4", MOORE_PROFILE_ONE_VL, 2, true },
		{ "torus2d", "a=4 b=4", MOORE_PROFILE_ANY_SL, 1, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		size_t n = widen(T[i].family, T[i].param, T[i].profile, T[i].n);

		printf("# %s %s, profile %d, up to %u values: %zu added\n", T[i].family, T[i].param,
		       T[i].profile, T[i].n, n);
		assert_true(!T[i].some || n);
		assert_true(T[i].n > 1 || !n);
	}
}

/* A repair that is built from both ends. */
static void
test_memory_long(void **state)
{
	struct moore_plan *plan = plan_of("oft", "k=3");
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_engine_result *all, *r;
	struct moore_motion *m = NULL;
	struct moore_fabric *f, *less;
	struct moore_err err;

	(void)state;
	assert_int_equal(moore_fabric_from_plan(&f, plan, 2, &err), 0);
	assert_int_equal(moore_fabric_copy(&less, f, &err), 0);
	moore_fabric_cut(less, 7, 5);
	all = run(f, plan, ANY);
	r = run(less, plan, ANY);
	opts.sl2vl = all->sl2vl;
	CHECK_OOM("a repair", moore_motion_build(&m, f, &(struct moore_held){ .lft = r->lft },
						 all->lft, &opts, NULL), moore_motion_free(m));
	moore_engine_result_free(all);
	moore_engine_result_free(r);
	moore_fabric_free(less);
	moore_fabric_free(f);
	moore_plan_free(plan);
}

static void
test_memory(void **state)
{
	struct cut c = cut_torus();
	const struct moore_motion_opts opts = { .sl2vl = c.r->sl2vl };
	struct moore_motion *m = NULL;
	struct moore_row *more = NULL;
	const uint64_t lids[] = { UINT64_MAX, UINT64_MAX };
	size_t n;

	(void)state;
	assert_true(c.f->lid_top < 64 * ARRAY_LEN(lids));
	CHECK_OOM("a cut", moore_motion_build(&m, c.f, &(struct moore_held){ .lft = c.all->lft },
					      c.r->lft, &opts, NULL), moore_motion_free(m));
	CHECK_OOM("further values", moore_motion_widen(&more, &n, c.f, c.r->lft, lids, 2, &opts, NULL),
		  free(more));
	end_cut(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_first),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_other_order),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_bring_up),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_one_sl),
		cmocka_unit_test(test_unknown_leaf),
		cmocka_unit_test(test_resent),
		cmocka_unit_test(test_widen),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_memory_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
