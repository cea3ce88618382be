// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* motion.c - cuts a change into steps.
 *
 * At first the former values of all rows count as long as the sequence lasts, since packets
 * may still be on their way by them.  If the second step does not complete the change
 * so, it is taken back and waits until they have left; so does each step after it.  If
 * no row can be flipped even so, those that are left take detours, once.  If that does not
 * help, those of LIDs that cannot change in one step become no-path although they are live.  If
 * all do, every row is final or empty, and the next step completes the change: its mixture is a
 * part of the final tables.
 *
 * Detours (flip.c) bring pairs back in the first step and mostly make the sequence shorter, but
 * can make it longer; if it takes some and has more than two steps, it is compared with the
 * one without.  With several workers, both are built side by side.  meet.c shortens a sequence
 * that is still long.  If that is not enough, the whole is tried with idle rows that yield. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "motion_impl.h"

#define DETOURS_PAY 2

static bool
is_done(const struct moore_mo_build *b)
{
	for (uint32_t i = 0; i < b->c.n; i++)
		if (b->c.col[i].left)
			return false;
	return true;
}

static struct moore_motion_step *
new_step(struct moore_mo_build *b, bool wait)
{
	struct moore_motion *m = b->m;
	struct moore_motion_step *st = m->n_steps < m->cap_steps ? m->step :
		moore_grow(m->step, m->n_steps, &m->cap_steps, sizeof(*st));

	if (!st)
		return NULL;
	m->step = st;
	st[m->n_steps] = (struct moore_motion_step){ .first = m->n_rows, .wait = wait };
	return &st[m->n_steps++];
}

/* Forgets former values: the packets that took them have left. */
static void
forget(struct moore_mo_build *b)
{
	b->c.n_extra = 0;
	for (uint32_t i = 0; i < b->c.n; i++)
		b->c.col[i].extra = MOORE_NONE;
	moore_mo_hold_all(b);
}

/* Adds one step of one kind.  Returns 1; 0 if there is nothing that it could change; -1 when
 * memory is out.  With the first step, rows that are not known or of which several values are
 * held are sent again, so it may be empty; after it no switch holds their further values. */
static int
add_step(struct moore_mo_build *b, bool wait, bool (*kind)(struct moore_mo_build *))
{
	uint32_t n_rows = b->m->n_rows;

	if (wait)
		forget(b);
	if (!new_step(b, wait) || !kind(b))
		return -1;
	if (b->m->n_rows == n_rows && !(b->m->n_steps == 1 && (b->c.n_extra || b->unknown))) {
		b->m->n_steps--;
		return 0;
	}
	for (uint32_t e = 0; e < b->c.n_extra; e++)
		b->c.extra[e].stale = true;
	return 1;
}

/* Adds a step of the first kind that changes a row; results as of add_step(). */
static int
add_some_step(struct moore_mo_build *b, bool wait, bool *may_evade)
{
	bool first = b->m->n_steps == 0;
	int rc = first && moore_mo_drops_first(b) ? 0 : add_step(b, wait, moore_mo_flip);

	if (rc == 0 && *may_evade && (wait || (first && !b->c.n_extra))) {
		*may_evade = false;
		rc = add_step(b, wait, moore_mo_evade);
	}
	return rc == 0 ? add_step(b, wait, moore_mo_drop) : rc;
}

static int
add_steps(struct moore_mo_build *b)
{
	bool wait = false, may_evade = !moore_mo_drops_first(b);

	while (!is_done(b)) {
		uint32_t n = b->m->n_steps;
		int rc = add_some_step(b, wait, &may_evade);

		if (rc < 0)
			return moore_fail_nomem(b->err);
		/* Every row is final or empty, so the final tables have a cycle. */
		if (rc == 0 && (wait || !b->c.n_extra))
			return moore_fail(b->err, MOORE_EUNSAFE, 0, "the new routes can deadlock on "
					  "the lanes that are in force");
		if (rc == 0) {		/* former values are in the way */
			wait = true;
		} else if (n == 1 && !wait && !is_done(b)) {
			moore_mo_take_back(b);
			wait = true;
		} else {
			b->m->step[n].back = moore_mo_back(b);
			wait |= moore_mo_drops_first(b);
		}
	}
	return 0;
}

static int
get_memory(struct moore_mo_build *b)
{
	struct moore_arena *a = &b->tmp;
	size_t n = (size_t)b->net.n_sw + 1;

	b->n_cells = ((size_t)b->net.n_turns + 1) * b->net.n_cls;
	if (!(b->base = moore_arena_alloc(a, b->n_cells, sizeof(*b->base))) ||
	    !(b->was_dead = moore_arena_alloc(a, b->c.n * n, 1)) ||
	    !(b->live = moore_arena_alloc(a, n, 1)) || !(b->hops = moore_arena_alloc(a, n, 1)) ||
	    !(b->todo = moore_arena_alloc(a, n, sizeof(*b->todo))))
		return moore_fail_nomem(b->err);
	return 0;
}

/* Room for the ways of one LID: each row has one value at first, further ones that it may
 * have, a final one, and those of steps between. */
static uint32_t
most_ways(const struct moore_mo_build *b)
{
	uint32_t n = 4 * b->net.n_sw + b->c.most_extra;

	return b->net.o->n_mft && n < b->net.n_slots ? b->net.n_slots : n;
}

/* Makes the orders and the mixtures, which are empty. */
static int
init_parts(struct moore_mo_build *b)
{
	struct moore_arena *a = &b->tmp;
	int rc;

	if ((rc = moore_mo_order_init(&b->order, &b->net, a, b->err)) < 0 ||
	    (rc = moore_mo_ways_init(&b->ways, &b->net, &b->order, most_ways(b), a, b->err)) < 0 ||
	    (rc = moore_mo_order_init(&b->goal, &b->net, a, b->err)) < 0 ||
	    (rc = moore_mo_ways_init(&b->goal_ways, &b->net, &b->goal, most_ways(b), a, b->err)) < 0 ||
	    (rc = get_memory(b)) < 0)
		return rc;
	return moore_mo_holders_init(b);
}

static int
prepare(struct moore_mo_build *b)
{
	struct moore_arena *a = &b->tmp;
	int rc;

	if ((rc = moore_mo_layout(&b->net, b->net.f, b->net.o, a, b->err)) < 0 ||
	    (rc = moore_mo_columns_init(&b->c, &b->net, b->held, b->now, a, b->err)) < 0 ||
	    b->c.n == 0 || (rc = init_parts(b)) < 0)
		return rc;
	return moore_mo_start(b);
}

int
moore_mo_copy(struct moore_mo_build *to, const struct moore_mo_build *b)
{
	int rc;

	to->net = b->net;
	to->held = b->held;
	to->now = b->now;
	to->from = b->from;
	to->to = b->to;
	to->unsafe = b->unsafe;
	to->rest = b->rest;
	if ((rc = moore_mo_columns_copy(&to->c, &b->c, &to->net, to->err)) < 0 ||
	    (rc = init_parts(to)) < 0)
		return rc;
	memcpy(to->base, b->base, b->n_cells * sizeof(*b->base));
	return 0;
}

void
moore_mo_end(struct moore_mo_build *b)
{
	free(b->before);
	moore_mo_columns_free(&b->c);
	moore_mo_order_free(&b->order);
	moore_mo_order_free(&b->goal);
	moore_arena_free(&b->tmp);
}

/* Goes back to the beginning. */
static int
start_again(struct moore_mo_build *b)
{
	int rc = 0;

	if (b->from)
		moore_mo_columns_between(&b->c, &b->net, b->from, b->to);
	else
		rc = moore_mo_columns_begin(&b->c, &b->net, b->held, b->now, b->err);
	if (rc < 0)
		return rc;
	moore_mo_set_goal(b);
	moore_mo_hold_all(b);
	moore_mo_sort(&b->order);
	return 0;
}

static int
build_one(struct moore_motion **out, struct moore_mo_build *b)
{
	struct moore_motion *m = calloc(1, sizeof(*m));
	int rc;

	*out = NULL;
	if (!m)
		return moore_fail_nomem(b->err);
	b->m = m;
	m->start_unsafe = b->unsafe;
	if ((rc = add_steps(b)) < 0) {
		moore_motion_free(m);
		return rc;
	}
	if (m->n_steps)
		m->dead = m->step[m->n_steps - 1].back;
	*out = m;
	return 0;
}

bool
moore_mo_is_better(const struct moore_motion *a, const struct moore_motion *b)
{
	uint64_t n = 0, m = 0;

	for (uint32_t i = 0; i < a->n_steps; i++)
		n += a->step[i].interrupted;
	for (uint32_t i = 0; i < b->n_steps; i++)
		m += b->step[i].interrupted;
	return n != m ? n < m : a->n_steps < b->n_steps;
}

static int
check_rows(const struct moore_fabric *f, const struct moore_row *r, size_t n, size_t stride,
	   struct moore_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (r[i].sw >= f->n_switches || r[i].lid >= stride)
			return moore_fail(err, MOORE_EINVAL, 0, "rows held: LID %u of switch %u is not "
					  "in the tables", r[i].lid, r[i].sw);
	return 0;
}

static int
check_fit(const struct moore_fabric *f, const struct moore_held *held,
	  const struct moore_lft *now, const struct moore_motion_opts *o, struct moore_err *err)
{
	int rc;

	if (held->lft->n_switches != f->n_switches || now->n_switches != f->n_switches ||
	    held->lft->stride != now->stride || now->stride <= f->lid_top ||
	    now->stride > MOORE_LID_MAX + 1u)
		return moore_fail(err, MOORE_EINVAL, 0, "LFTs: made for another fabric");
	rc = check_rows(f, held->more, held->n_more, now->stride, err);
	return rc < 0 ? rc : check_rows(f, o->past, o->n_past, now->stride, err);
}

struct both {			/* the sequences with and without detours */
	struct moore_mo_build *with, without;
	struct moore_motion *m[2];
	int rc[2];
	struct moore_err err;
};

/* True if the sequence with detours is to be compared with the other. */
static bool
is_doubtful(const struct both *p)
{
	return p->rc[0] == 0 && p->with->detoured && p->m[0]->n_steps > DETOURS_PAY;
}

static void
build_job(void *arg, unsigned worker, size_t i)
{
	struct both *p = arg;

	(void)worker;
	if (i == 0)
		p->rc[0] = build_one(&p->m[0], p->with);
	else if ((p->rc[1] = start_again(&p->without)) == 0)
		p->rc[1] = build_one(&p->m[1], &p->without);
}

/* Builds the sequence with detours and, if that is doubtful, the other one. */
static int
build_both(struct both *p)
{
	bool may_detour = p->with->c.n && !moore_mo_drops_first(p->with);
	unsigned width = moore_jobs_width(p->with->net.o->jobs, may_detour ? 2 : 1);
	int rc;

	if (width > 1 && (rc = moore_mo_copy(&p->without, p->with)) < 0)
		return rc;
	moore_jobs_run(p->with->net.o->jobs, width, width, build_job, p);
	if (!is_doubtful(p))
		return p->rc[0];
	if (width == 1) {
		if ((rc = moore_mo_copy(&p->without, p->with)) < 0)
			return rc;
		build_job(p, 0, 1);
	}
	return p->rc[1];
}

int
moore_mo_build_better(struct moore_motion **out, struct moore_mo_build *b)
{
	struct both p = { .with = b,
		.without = { .err = &p.err, .tmp = MOORE_ARENA_INIT, .backward = b->backward,
			.yields = b->yields } };
	unsigned best;
	int rc = build_both(&p);

	*out = NULL;
	if (rc == 0) {
		best = is_doubtful(&p) && moore_mo_is_better(p.m[1], p.m[0]);
		*out = p.m[best];
		p.m[best] = NULL;
	} else if (p.rc[0] == 0 && b->err) {
		*b->err = p.err;
	}
	moore_motion_free(p.m[0]);
	moore_motion_free(p.m[1]);
	moore_mo_end(&p.without);
	return rc;
}

/* True if idle rows may yield: the sequence is long, and not because its first step drops all. */
static bool
may_yield(const struct moore_mo_build *b, const struct moore_motion *m)
{
	return !moore_mo_is_fine(m) && !m->start_unsafe && !b->net.o->drop_first;
}

static int
build_short(struct moore_motion **out, struct moore_mo_build *b)
{
	int rc = moore_mo_build_better(out, b);

	return rc < 0 ? rc : moore_mo_meet(out, b);
}

/* Replaces *m, which b has built, by a better sequence in which idle rows yield, if there is one. */
static int
try_yielding(struct moore_motion **m, const struct moore_mo_build *b)
{
	struct moore_mo_build y = { .err = b->err, .tmp = MOORE_ARENA_INIT, .detours = true,
		.yields = true };
	struct moore_motion *other = NULL, *worse;
	int rc;

	if ((rc = moore_mo_copy(&y, b)) == 0 && (rc = start_again(&y)) == 0 &&
	    (rc = build_short(&other, &y)) == 0 && moore_mo_is_better(other, *m)) {
		worse = *m;
		*m = other;
		other = worse;
	}
	moore_motion_free(other);
	moore_mo_end(&y);
	return rc;
}

int
moore_motion_build(struct moore_motion **out, const struct moore_fabric *f,
		   const struct moore_held *held, const struct moore_lft *now,
		   const struct moore_motion_opts *opts, struct moore_err *err)
{
	struct moore_mo_build b = {
		.net = { .f = f, .o = opts }, .held = held, .now = now, .err = err,
		.tmp = MOORE_ARENA_INIT, .detours = true,
	};
	struct moore_motion *m = NULL;
	int rc;

	*out = NULL;
	if ((rc = check_fit(f, held, now, opts, err)) == 0 && (rc = prepare(&b)) == 0 &&
	    (rc = build_short(&m, &b)) == 0 && may_yield(&b, m))
		rc = try_yielding(&m, &b);
	if (rc == 0)
		*out = m;
	else
		moore_motion_free(m);
	moore_mo_end(&b);
	return rc;
}

void
moore_motion_free(struct moore_motion *m)
{
	if (!m)
		return;
	free(m->row);
	free(m->step);
	free(m);
}
