// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_motion_campaign.c - random cuts and repairs of random fabrics, one upon the other, and
 * single ones of each link and switch (all of them under MOORE_SOAK, else a sample), each
 * brought to the switches in steps (lib/motion).  Some sequences end in the middle of a
 * step, after which each of its rows has its old or its new value, and the next change begins
 * from there; sometimes packets of the steps before are still on their way.
 *
 * Every mixture is judged by moore_mix_held(), which shares nothing with the builder of
 * steps: each step, and all steps since the last wait together.
 *
 * Each draw has a seed of its own, made of the printed seed and its number.  A failure
 * prints that seed; with $MOORE_SEED set to it, the failing draw is the first one. */
#include "fabrics.h"
#include "harness.h"
#include "least_steps.h"
#include "moore/engine.h"
#include "moore/lane.h"
#include "moore/mix.h"
#include "moore/motion.h"
#include "moore/permute.h"

#define CHANGES 10		/* one upon the other, in each draw */

struct rows {
	struct moore_row *row;
	size_t n, cap;
};

struct counts {
	unsigned changes, steps, most, waits, unsafe, broken, alone;
	uint64_t live, interrupted;
};

enum { ANY_SL, ANY_SL_ALONE, SL_HINT, N_KINDS };	/* ANY_SL_ALONE: without a plan */

static const char *const KIND[] = { "any-sl", "any-sl, no plan", "sl-hint" };

struct world {
	char why[160];
	struct moore_rng *rng;
	struct moore_plan *plan;	/* NULL: the engine gets none */
	struct moore_fabric *whole;
	bool narrow;			/* some links have one lane */
	bool *out;			/* for each port of whole: it is cut */
	enum moore_profile profile;
	struct moore_fabric *f;		/* as it is now */
	struct moore_engine_result *r;	/* of f */
	struct moore_lft *lft;		/* what the switches may hold */
	struct rows more;
	struct rows past;		/* rows that packets may have followed before */
	bool at_rest;			/* the sequence before was complete */
	bool undisturbed;		/* every sequence is played to its end */
	bool was_unsafe;		/* the last change began with what could deadlock */
	struct moore_sl_set *sls;	/* SLs that sources may still use; NULL: any SL */
	struct counts n;
};

static void
add(struct rows *t, moore_swid s, moore_lid lid, uint8_t port)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 256;
		t->row = realloc(t->row, t->cap * sizeof(*t->row));
	}
	t->row[t->n++] = (struct moore_row){ s, lid, port };
}

static void
add_all(struct rows *t, const struct moore_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add(t, row[i].sw, row[i].lid, row[i].port);
}

static struct moore_lft *
copy_of(const struct moore_lft *t)
{
	struct moore_lft *c;

	assert_int_equal(moore_lft_new(&c, t->n_switches, (moore_lid)(t->stride - 1), NULL), 0);
	memcpy(c->row, t->row, t->stride * t->n_switches);
	return c;
}

/* ---- fabrics ------------------------------------------------------------------------- */

static const struct {
	const char *family, *params;
} MEMBER[] = {
	{ "slimfly", "q=3" }, { "slimfly", "q=4" }, { "slimfly", "q=5" }, { "oft", "k=3" },
	{ "oft", "k=4" }, { "mlfm", "h=3" }, { "mlfm", "h=4" }, { "mlfm", "h=5 l=2" },
	{ "torus2d", "a=4 b=5 p=2" }, { "hypercube", "n=4" }, { "fhypercube", "n=4 p=2" },
	{ "hyperx", "s1=3 s2=3 s3=2 p=2" }, { "dragonfly", "a=4 h=1 p=2" },
	{ "dln", "n=24 k=4 p=2" }, { "myriclos", "n=32" },
};

static void
permute(struct moore_plan *p, struct moore_rng *rng)
{
	const struct moore_permute_opts opts = { .trials = 1, .seed = moore_rng_next(rng),
		.method = (enum moore_permute_method)moore_rng_below(rng, MOORE_N_PERMUTE),
		.fraction = (1 + moore_rng_below(rng, 10)) / 10. };
	struct moore_permutation *result = NULL;

	if (!p->sw[0].cabinet)
		assert_int_equal(moore_plan_fill_cabinets(p, 3 + moore_rng_below(rng, 6), NULL), 0);
	moore_permute(p, &opts, &result, NULL);	/* a plan that would fall apart stays as it was */
	moore_permutation_free(result);
}

static void
draw(struct world *w, struct moore_rng *rng, uint64_t seed)
{
	size_t k = moore_rng_below(rng, ARRAY_LEN(MEMBER) + 4);
	unsigned lmc = moore_rng_below(rng, 3), n = 8 + moore_rng_below(rng, 16);
	bool random = k >= ARRAY_LEN(MEMBER), permuted = false, planned = true;

	*w = (struct world){ .rng = rng, .profile = moore_rng_below(rng, 2) ?
		MOORE_PROFILE_SL_HINT : MOORE_PROFILE_ANY_SL };
	if (random) {
		w->whole = test_random_fabric(rng, n, 2 * n, (uint8_t)lmc);
		planned = false;
	} else {
		w->plan = plan_of(MEMBER[k].family, MEMBER[k].params);
		if ((permuted = moore_rng_below(rng, 3) == 0))
			permute(w->plan, rng);
		assert_int_equal(moore_fabric_from_plan(&w->whole, w->plan, (uint8_t)lmc, NULL), 0);
		if (moore_rng_below(rng, 4) == 0) {
			moore_plan_free(w->plan);
			w->plan = NULL;
			planned = false;
		}
	}
	if ((w->narrow = moore_rng_below(rng, 4) == 0))
		test_narrow_some(w->whole, rng, 10);
	w->out = calloc(w->whole->n_ports, sizeof(*w->out));
	snprintf(w->why, sizeof(w->why), "MOORE_SEED=%llu: %s %s%s%s%s, LMC %u, %s",
		 (unsigned long long)seed, random ? "random graph" : MEMBER[k].family,
		 random ? "" : MEMBER[k].params, permuted ? ", permuted" : "",
		 planned ? "" : ", no plan", w->narrow ? ", links with one lane" : "", lmc,
		 w->profile == MOORE_PROFILE_SL_HINT ? "sl-hint" : "any-sl");
}

static void
fini(struct world *w)
{
	moore_engine_result_free(w->r);
	moore_fabric_free(w->f);
	moore_fabric_free(w->whole);
	moore_plan_free(w->plan);
	moore_lft_free(w->lft);
	moore_sl_set_free(w->sls);
	free(w->past.row);
	free(w->more.row);
	free(w->out);
}

/* ---- cuts and repairs ------------------------------------------------------------------ */

/* Sets both ends of a link, or the port of an endpoint. */
static void
set_port(struct world *w, moore_swid s, unsigned p, bool out)
{
	const struct moore_port *q = moore_fabric_port(w->whole, s, (moore_portnum)p);

	w->out[w->whole->sw[s].port0 + p] = out;
	if (q->role == MOORE_ROLE_SWITCH)
		w->out[w->whole->sw[q->peer].port0 + q->peer_port] = out;
}

static void
set_switch(struct world *w, moore_swid s, bool out)
{
	for (unsigned p = 1; p <= w->whole->sw[s].n_ports; p++)
		set_port(w, s, p, out);
}

/* Sets one drawn port to `out` that was not so.  Returns false if it finds none. */
static bool
set_one(struct world *w, bool out)
{
	const struct moore_fabric *f = w->whole;

	for (unsigned tries = 0; tries < 500; tries++) {
		moore_swid s = moore_rng_below(w->rng, f->n_switches);
		unsigned p = f->sw[s].n_ports ? 1 + moore_rng_below(w->rng, f->sw[s].n_ports) : 0;
		uint8_t role = moore_fabric_port(f, s, (moore_portnum)p)->role;

		if (!p || w->out[f->sw[s].port0 + p] == out || role == MOORE_ROLE_NONE ||
		    (role == MOORE_ROLE_ENDPOINT && moore_rng_below(w->rng, 4)))
			continue;
		set_port(w, s, p, out);
		return true;
	}
	return false;
}

/* Changes what is cut.  Returns true if nothing came back. */
static bool
disturb(struct world *w)
{
	unsigned kind = moore_rng_below(w->rng, 10);
	moore_swid s = moore_rng_below(w->rng, w->whole->n_switches);

	switch (kind) {
	case 0:
		set_switch(w, s, true);
		return true;
	case 1:
		set_switch(w, s, false);
		return false;
	case 2:			/* two at once */
		set_one(w, true);
		set_one(w, true);
		return true;
	case 3:			/* one goes while another returns */
		set_one(w, false);
		set_one(w, true);
		return false;
	case 4:
		memset(w->out, 0, w->whole->n_ports * sizeof(*w->out));
		return false;
	case 5: case 6: case 7:
		set_one(w, false);
		return false;
	default:
		set_one(w, true);
		return true;
	}
}

static struct moore_fabric *
present(const struct world *w)
{
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_copy(&f, w->whole, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
			if (w->out[f->sw[s].port0 + p] &&
			    moore_fabric_port(f, s, (moore_portnum)p)->role != MOORE_ROLE_NONE)
				moore_fabric_cut(f, s, (moore_portnum)p);
	return f;
}

static struct moore_engine_result *
route(const struct world *w, const struct moore_fabric *f)
{
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	conf.profile = w->profile;
	if (moore_engine_run(&r, f, w->plan, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s: %s", w->why, err.text);
	return r;
}

/* ---- what must hold ----------------------------------------------------------------------- */

/* A sequence as it is played. */
struct play {
	struct world *w;
	const struct moore_motion *m;
	const struct moore_motion_opts *opts;
	struct moore_lft *now, *past;	/* the rows, and those at the last wait */
	struct rows more, since;	/* further values of now and of past */
	bool cut;			/* no link came back */
};

static struct moore_mix_held *
judge(const struct play *p, const struct moore_lft *lft, const struct rows *more,
      const struct moore_held *before)
{
	const struct moore_mix_lanes lanes = { .sl2vl = p->opts->sl2vl, .other = p->opts->other,
		.sl_set = p->opts->sl_set };
	const struct moore_held held = { .lft = lft, .more = more->row, .n_more = more->n };
	struct moore_mix_held *v;

	CHECK_EQ(p->w->why, moore_mix_held(&v, p->w->f, &held, before, &lanes, NULL, NULL), 0);
	return v;
}

static void
check_step(struct play *p, uint32_t i)
{
	const struct moore_motion_step *st = &p->m->step[i];
	const struct moore_held before = { .lft = p->now, .more = p->more.row, .n_more = p->more.n };
	struct rows both = { NULL, 0, 0 };
	struct moore_mix_held *step, *all;
	const char *why = p->w->why;

	for (size_t k = 0; k < st->n; k++) {
		const struct moore_row *r = &p->m->row[st->first + k];

		CHECK(why, moore_lft_row(p->now, r->sw)[r->lid] != r->port);
	}
	add_all(&both, p->more.row, p->more.n);
	add_all(&both, p->m->row + st->first, st->n);
	step = judge(p, p->now, &both, &before);
	all = judge(p, p->past, &p->since, NULL);
	if (!p->m->start_unsafe || i) {
		CHECK(why, step->safe);
		CHECK(why, all->safe);
	}
	CHECK_EQ(why, step->interrupted, st->interrupted);
	if (p->w->plan && !p->w->narrow && p->w->at_rest && p->cut && !p->m->start_unsafe)
		CHECK_EQ(why, step->interrupted, 0);
	p->w->n.live += i ? 0 : step->live;
	p->w->n.interrupted += step->interrupted;
	moore_mix_held_free(step);
	moore_mix_held_free(all);
	free(both.row);
}

/* Plays a step.  Returns false if the sequence ends in the middle of it. */
static bool
play_step(struct play *p, uint32_t i)
{
	const struct moore_motion_step *st = &p->m->step[i];
	const struct moore_row *row = p->m->row + st->first;

	CHECK(p->w->why, i || !st->wait);
	if (st->wait) {
		memcpy(p->past->row, p->now->row, p->now->stride * p->now->n_switches);
		p->since.n = 0;
		p->w->n.waits++;
	}
	add_all(&p->since, row, st->n);
	check_step(p, i);
	if (!p->w->undisturbed && moore_rng_below(p->w->rng, 6) == 0) {
		add_all(&p->more, row, st->n);
		return false;
	}
	p->more.n = 0;		/* rows of several values are sent again with step 1 */
	for (size_t k = 0; k < st->n; k++)
		moore_lft_row(p->now, row[k].sw)[row[k].lid] = row[k].port;
	return true;
}

/* Values by which packets that are still on their way were forwarded.  A link that is gone
 * has lost its packets. */
static void
keep_past(struct play *p)
{
	const struct moore_fabric *f = p->w->f;

	for (moore_swid s = 0; s < p->past->n_switches; s++)
		for (unsigned lid = 1; lid <= f->lid_top; lid++)
			if (moore_lft_row(p->past, s)[lid] != moore_lft_row(p->now, s)[lid])
				add(&p->since, s, (moore_lid)lid, moore_lft_row(p->past, s)[lid]);
	for (size_t k = 0; k < p->since.n; k++) {
		const struct moore_row *r = &p->since.row[k];

		if (r->port <= f->sw[r->sw].n_ports &&
		    moore_fabric_port(f, r->sw, r->port)->role == MOORE_ROLE_SWITCH)
			add(&p->w->past, r->sw, r->lid, r->port);
	}
}

static void
play(struct play *p)
{
	struct world *w = p->w;
	uint32_t i = 0;

	while (i < p->m->n_steps && play_step(p, i))
		i++;
	w->n.broken += i < p->m->n_steps;
	w->n.steps += p->m->n_steps;
	w->n.most = p->m->n_steps > w->n.most ? p->m->n_steps : w->n.most;
	w->n.unsafe += p->m->start_unsafe;
	/* If a link comes back before the rows that lead over it are replaced, old rows meet
	 * new ones that were not judged with them; and so it stays until these are gone. */
	CHECK(w->why, !p->m->start_unsafe || w->profile == MOORE_PROFILE_SL_HINT ||
	      w->was_unsafe || (!w->at_rest && !p->cut));
	w->was_unsafe = p->m->start_unsafe;
	w->at_rest = i == p->m->n_steps;
	if (w->at_rest) {
		p->more.n = 0;
		CHECK(w->why, !memcmp(p->now->row, w->r->lft->row, p->now->stride * p->now->n_switches));
		moore_sl_set_free(w->sls);
		w->sls = NULL;
	}
	w->past.n = 0;
	if (!w->undisturbed && moore_rng_below(w->rng, 4) == 0)
		keep_past(p);
}

/* The SL2VL rows that may still be in force: those of the old tables between ports that had
 * links then.  Over a link that is new no data goes until its rows are set. */
static struct moore_sl2vl *
lanes_before(const struct world *w, const struct moore_fabric *was, const struct moore_sl2vl *old)
{
	const struct moore_fabric *f = w->f;
	struct moore_sl2vl *t;

	assert_int_equal(moore_sl2vl_new(&t, f, NULL), 0);
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned in = 0; in <= f->sw[s].n_ports; in++)
			for (unsigned out = 0; out <= f->sw[s].n_ports; out++) {
				bool had = moore_fabric_port(was, s, (moore_portnum)in)->role &&
					moore_fabric_port(was, s, (moore_portnum)out)->role;

				moore_sl2vl_set(t, s, (moore_portnum)in, (moore_portnum)out,
						moore_sl2vl_get(had ? old : w->r->sl2vl, s, (moore_portnum)in,
								(moore_portnum)out), NULL);
			}
	return t;
}

/* Adds the SLs of the present routes to those that sources may still use. */
static void
add_sls(struct world *w)
{
	const struct moore_sl_set *t = w->r->sl_set;

	if (t && !w->sls)
		assert_int_equal(moore_sl_set_new(&w->sls, t->n_switches, (moore_lid)(t->stride - 1), NULL), 0);
	for (size_t k = 0; t && k < t->n_switches * t->stride; k++)
		w->sls->sl[k] |= t->sl[k];
}

/* True if the final rows are safe by themselves. */
static bool
is_end_safe(const struct play *p)
{
	const struct rows none = { NULL, 0, 0 };
	struct moore_mix_held *v = judge(p, p->w->r->lft, &none, NULL);
	bool safe = v->safe;

	moore_mix_held_free(v);
	return safe;
}

/* Finds the steps.  Under sl-hint the new routes need not be safe for SLs of the old ones;
 * no steps can mend that, and then the new SLs and SL2VL tables count alone. */
static struct moore_motion *
find_steps(struct play *p, struct moore_motion_opts *opts, const struct moore_held *held)
{
	const struct world *w = p->w;
	struct moore_motion *m = NULL;
	bool end_safe = is_end_safe(p);
	int rc = moore_motion_build(&m, w->f, held, w->r->lft, opts, NULL);

	CHECK(w->why, end_safe || w->profile == MOORE_PROFILE_SL_HINT);
	CHECK(w->why, rc == 0 || (rc == -MOORE_EUNSAFE && !end_safe && !m));
	if (end_safe)
		return m;
	p->w->n.alone++;
	moore_motion_free(m);
	opts->other = NULL;
	opts->sl_set = w->r->sl_set;
	CHECK_EQ(w->why, moore_motion_build(&m, w->f, held, w->r->lft, opts, NULL), 0);
	return m;
}

/* Brings what was set in w->out to the switches.  cut: nothing came back. */
static void
change(struct world *w, bool cut)
{
	struct moore_engine_result *old = w->r;
	struct moore_fabric *was = w->f;
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct play p = { .w = w, .opts = &opts, .now = copy_of(w->lft), .past = copy_of(w->lft),
		.cut = cut };
	struct moore_held held = { .lft = w->lft, .more = w->more.row, .n_more = w->more.n };
	struct moore_motion *m;
	struct moore_sl2vl *other;

	add_sls(w);
	w->f = present(w);
	w->r = route(w, w->f);
	add_sls(w);
	other = lanes_before(w, was, old->sl2vl);
	opts = (struct moore_motion_opts){ .sl2vl = w->r->sl2vl, .other = other, .sl_set = w->sls,
		.past = w->past.row, .n_past = w->past.n };
	p.m = m = find_steps(&p, &opts, &held);
	add_all(&p.more, w->more.row, w->more.n);
	add_all(&p.since, w->more.row, w->more.n);
	add_all(&p.since, w->past.row, w->past.n);
	play(&p);
	w->n.changes++;
	moore_motion_free(m);
	moore_sl2vl_free(other);
	moore_lft_free(w->lft);
	moore_lft_free(p.past);
	free(p.since.row);
	free(w->more.row);
	w->lft = p.now;
	w->more = p.more;
	moore_engine_result_free(old);
	moore_fabric_free(was);
}

/* ---- the test ----------------------------------------------------------------------------- */

static void
sum_up(struct counts *to, const struct counts *n)
{
	to->changes += n->changes;
	to->steps += n->steps;
	to->most = n->most > to->most ? n->most : to->most;
	to->waits += n->waits;
	to->unsafe += n->unsafe;
	to->broken += n->broken;
	to->alone += n->alone;
	to->live += n->live;
	to->interrupted += n->interrupted;
}

static void
print(const char *kind, const struct counts *n)
{
	print_message("# %s: %u changes, %u steps, at most %u; %u waits, %u ended in a step, %u unsafe "
		      "at the start, %u with the new SLs alone; %llu of %llu live pairs interrupted\n",
		      kind, n->changes, n->steps, n->most, n->waits, n->broken, n->unsafe, n->alone,
		      (unsigned long long)n->interrupted, (unsigned long long)n->live);
}

/* The switches hold the routes of the present fabric. */
static void
begin(struct world *w)
{
	w->f = present(w);
	w->r = route(w, w->f);
	w->lft = copy_of(w->r->lft);
	w->at_rest = true;
}

static void
test_campaign(void **state)
{
	uint64_t seed = test_seed();
	struct counts all[N_KINDS] = { { 0 } };

	(void)state;
	for (unsigned i = 0; i < test_rounds(80); i++) {
		struct moore_rng rng = { seed + i };
		struct world w;

		draw(&w, &rng, seed + i);
		begin(&w);
		for (unsigned k = 0; k < CHANGES; k++)
			change(&w, disturb(&w));
		sum_up(&all[w.profile == MOORE_PROFILE_SL_HINT ? SL_HINT : w.plan ? ANY_SL :
			    ANY_SL_ALONE], &w.n);
		fini(&w);
	}
	for (unsigned k = 0; k < N_KINDS; k++)
		print(KIND[k], &all[k]);
}

/* ---- each link and each switch by itself ------------------------------------------------- */

/* Sets the kth link between switches, or, when those are all counted, the kth switch.  Returns
 * false if there are fewer. */
static bool
set_kth(struct world *w, unsigned k, bool out)
{
	const struct moore_fabric *f = w->whole;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role != MOORE_ROLE_SWITCH || q->peer < s || k-- > 0)
				continue;
			set_port(w, s, p, out);
			return true;
		}
	if (k >= f->n_switches)
		return false;
	set_switch(w, k, out);
	return true;
}

/* Returns the number of steps. */
static unsigned
steps_of(struct world *w, bool cut)
{
	unsigned before = w->n.steps;

	change(w, cut);
	return w->n.steps - before;
}

/* With one LID for each endpoint, few steps always suffice and no repair interrupts a pair. */
static void
cut_each(struct world *w, unsigned lmc)
{
	struct moore_lft *whole = copy_of(w->lft);
	unsigned all = 0, n, few_cuts = 0, few_repairs = 0;

	while (set_kth(w, all, false))
		all++;
	n = test_rounds(12) < all ? test_rounds(12) : all;
	for (unsigned i = 0; i < n; i++) {
		set_kth(w, i * all / n, true);
		few_cuts += steps_of(w, true) <= 3;
		set_kth(w, i * all / n, false);
		few_repairs += steps_of(w, false) <= 4;
		CHECK(w->why, !memcmp(w->lft->row, whole->row, whole->stride * whole->n_switches));
	}
	print_message("# %s: %u of %u cuts, %u within 3 steps, %u repairs within 4, at most %u; "
		      "%llu of %llu live pairs interrupted\n", w->why, n, all, few_cuts, few_repairs,
		      w->n.most, (unsigned long long)w->n.interrupted, (unsigned long long)w->n.live);
	CHECK_EQ(w->why, w->n.unsafe, 0);
	CHECK(w->why, w->n.interrupted * 10000 <= w->n.live);
	CHECK(w->why, lmc || (!w->n.interrupted && few_cuts == n && few_repairs == n));
	moore_lft_free(whole);
}

static void
test_each_cut(void **state)
{
	static const struct { const char *family, *params; } T[] = {
		{ "slimfly", "q=5" }, { "oft", "k=4" }, { "mlfm", "h=4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T) * 3; i++) {
		struct world w = { .undisturbed = true, .profile = MOORE_PROFILE_ANY_SL };
		uint8_t lmc = (uint8_t)(i % 3);

		w.plan = plan_of(T[i / 3].family, T[i / 3].params);
		assert_int_equal(moore_fabric_from_plan(&w.whole, w.plan, lmc, NULL), 0);
		w.out = calloc(w.whole->n_ports, sizeof(*w.out));
		snprintf(w.why, sizeof(w.why), "%s %s, LMC %u", T[i / 3].family, T[i / 3].params, lmc);
		begin(&w);
		cut_each(&w, lmc);
		fini(&w);
	}
}

/* Idle rows yield where that makes the sequence shorter: without it, three of these 42 cuts take four
 * steps, and 95 % within three are missed. */
static void
test_idle_rows(void **state)
{
	struct world w = { .why = "oft k=3, LMC 2", .undisturbed = true,
		.profile = MOORE_PROFILE_ANY_SL };
	const unsigned n_links = 42;
	unsigned few = 0;

	(void)state;
	w.plan = plan_of("oft", "k=3");
	assert_int_equal(moore_fabric_from_plan(&w.whole, w.plan, 2, NULL), 0);
	w.out = calloc(w.whole->n_ports, sizeof(*w.out));
	begin(&w);
	for (unsigned i = 0; i < n_links; i++) {
		set_kth(&w, i, true);
		few += steps_of(&w, true) <= 3;
		set_kth(&w, i, false);
		steps_of(&w, false);
	}
	CHECK_EQ(w.why, w.n.interrupted, 0);
	CHECK(w.why, 100 * few >= 95 * n_links);
	fini(&w);
}

/* One VL does not keep these routes from deadlock, so no steps lead to them. */
static void
test_unsafe_end(void **state)
{
	struct world w = { .why = "one VL" };
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_motion *m;
	struct moore_sl2vl *one;
	struct moore_err err;

	(void)state;
	w.plan = plan_of("slimfly", "q=5");
	assert_int_equal(moore_fabric_from_plan(&w.f, w.plan, 0, NULL), 0);
	w.r = route(&w, w.f);
	w.lft = copy_of(w.r->lft);
	memset(w.lft->row, MOORE_NO_PATH, w.lft->stride * w.lft->n_switches);
	assert_int_equal(moore_sl2vl_new(&one, w.f, NULL), 0);
	opts.sl2vl = one;
	assert_int_equal(moore_motion_build(&m, w.f, &(struct moore_held){ .lft = w.lft }, w.r->lft,
					    &opts, &err), -MOORE_EUNSAFE);
	assert_null(m);
	CHECK_STR(w.why, err.text, "can deadlock");
	opts.sl2vl = w.r->sl2vl;
	assert_int_equal(moore_motion_build(&m, w.f, &(struct moore_held){ .lft = w.lft }, w.r->lft,
					    &opts, &err), 0);
	moore_motion_free(m);
	moore_sl2vl_free(one);
	fini(&w);
}

/* ---- three rows that wait for each other ------------------------------------------------------ */

enum { G, S, P, Q, X, H, Y, K, N_CIRCLE };

static uint8_t
port_to(const struct moore_fabric *f, moore_swid s, moore_swid t)
{
	unsigned p = 1;

	while (moore_fabric_port(f, s, (moore_portnum)p)->role != MOORE_ROLE_SWITCH ||
	       moore_fabric_port(f, s, (moore_portnum)p)->peer != t)
		p++;
	return (uint8_t)p;
}

/* Sets the rows of an endpoint's LID along a route, given as a path of switches to its own. */
static void
set_route(const struct moore_fabric *f, struct moore_lft *t, moore_epid e, const char *path)
{
	static const char name[] = "gspqxhyk";

	for (; path[1]; path++) {
		moore_swid a = (moore_swid)(strchr(name, path[0]) - name);

		moore_lft_row(t, a)[f->ep[e].lid] =
			port_to(f, a, (moore_swid)(strchr(name, path[1]) - name));
	}
	moore_lft_row(t, f->ep[e].sw)[f->ep[e].lid] = f->ep[e].port;
}

static struct moore_lft *
circle_rows(const struct moore_fabric *f, bool new)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, NULL), 0);
	memset(t->row, MOORE_NO_PATH, t->stride * t->n_switches);
	set_route(f, t, 0, "qspg");
	set_route(f, t, 1, "psqg");
	set_route(f, t, 4, "px");
	set_route(f, t, 4, "qx");
	set_route(f, t, 4, new ? "hgsq" : "hgsp");
	set_route(f, t, 6, new ? "kpgsy" : "kpqgsy");
	set_route(f, t, 6, new ? "qp" : "qg");
	return t;
}

/* If it is not known whether H has a row for LID 4, its pair is dead at the beginning, and the
 * first step, which drops a row on its way, does not interrupt it. */
static void
count_drops(const struct moore_fabric *f, const struct moore_lft *was, const struct moore_lft *now,
	    const struct moore_sl2vl *sl2vl)
{
	const struct moore_row none = { H, f->ep[4].lid, MOORE_NO_PATH };
	const struct moore_held held = { was, &none, 1, NULL };
	const struct moore_motion_opts opts = { .sl2vl = sl2vl, .drop_first = true };
	const struct moore_mix_lanes lanes = { .sl2vl = sl2vl };
	struct rows more = { NULL, 0, 0 };
	struct moore_mix_held *v;
	struct moore_motion *m;

	assert_int_equal(moore_motion_build(&m, f, &held, now, &opts, NULL), 0);
	assert_true(m->step[0].n > 0);
	add(&more, none.sw, none.lid, none.port);
	for (size_t k = 0; k < m->step[0].n; k++)
		add(&more, m->row[k].sw, m->row[k].lid, m->row[k].port);
	assert_int_equal(moore_mix_held(&v, f, &(struct moore_held){ was, more.row, more.n, NULL },
					&held, &lanes, NULL, NULL), 0);
	assert_true(v->interrupted > 0);
	CHECK_EQ("pairs that the first step interrupts", m->step[0].interrupted, v->interrupted);
	moore_mix_held_free(v);
	moore_motion_free(m);
	free(more.row);
}

/* The example of docs/theory.md: whichever rows get their new values first, a mixture is
 * unsafe.  Only values that neither table has lead out of it. */
static void
test_circle_of_rows(void **state)
{
	static const struct moore_topo_link link[] = { { G, S }, { S, P }, { G, P }, { S, Q }, { G, Q },
		{ P, Q }, { P, X }, { Q, X }, { G, H }, { S, Y }, { P, K } };
	static const uint16_t ep[N_CIRCLE] = { [G] = 2, [P] = 1, [Q] = 1, [X] = 1, [H] = 1, [Y] = 1,
		[K] = 1 };
	struct moore_fabric *f = test_fabric(N_CIRCLE, link, ARRAY_LEN(link), ep, 0);
	struct moore_lft *was = circle_rows(f, false), *now = circle_rows(f, true);
	const struct moore_row row[] = {
		{ S, f->ep[4].lid, moore_lft_row(now, S)[f->ep[4].lid] },
		{ P, f->ep[6].lid, moore_lft_row(now, P)[f->ep[6].lid] },
		{ Q, f->ep[6].lid, moore_lft_row(now, Q)[f->ep[6].lid] },
	};
	const struct moore_lane_opts one_class = { { 0 } };
	struct moore_motion_opts opts = { .sl2vl = NULL };
	struct moore_sl2vl *lanes;
	struct moore_motion *m;
	struct world w = { .why = "three rows", .f = f };
	struct play p = { .w = &w, .opts = &opts };
	uint64_t interrupted = 0, detours = 0;

	(void)state;
	assert_int_equal(moore_lane_effective(&lanes, f, &one_class, NULL, NULL), 0);
	opts.sl2vl = lanes;
	for (unsigned set = 0; set <= 8; set++) {	/* 8: all rows, new ones alone */
		struct rows more = { NULL, 0, 0 };
		struct moore_mix_held *v;

		for (unsigned k = 0; k < 3; k++)
			if (set >> k & 1)
				add(&more, row[k].sw, row[k].lid, row[k].port);
		v = judge(&p, set == 8 ? now : was, &more, NULL);
		CHECK_EQ(set == 0 ? "old rows" : set == 8 ? "new rows" : "a mixture", v->safe, set % 8 == 0);
		moore_mix_held_free(v);
		free(more.row);
	}
	assert_int_equal(least_steps(f, lanes, was, now), LEAST_NONE);
	assert_int_equal(moore_motion_build(&m, f, &(struct moore_held){ .lft = was }, now, &opts, NULL),
			 0);
	for (uint32_t i = 0; i < m->n_steps; i++)
		interrupted += m->step[i].interrupted;
	assert_false(m->start_unsafe);
	assert_int_equal(interrupted, 0);
	for (uint32_t k = 0; k < m->n_rows; k++)
		detours += moore_lft_row(was, m->row[k].sw)[m->row[k].lid] != m->row[k].port &&
			moore_lft_row(now, m->row[k].sw)[m->row[k].lid] != m->row[k].port;
	assert_true(detours > 0);
	moore_motion_free(m);
	count_drops(f, was, now, lanes);
	moore_sl2vl_free(lanes);
	moore_lft_free(was);
	moore_lft_free(now);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unsafe_end),
		cmocka_unit_test(test_campaign),
		cmocka_unit_test(test_each_cut),
		cmocka_unit_test(test_idle_rows),
		cmocka_unit_test(test_circle_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
