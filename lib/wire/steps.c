// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* steps.c - an order of moves in which a running fabric can be rewired.
 *
 * A cable may move when the ports it goes to are free, or become free in the same step.  So
 * a set of cables that moves together is closed: it contains every cable that holds a port
 * which a cable of the set needs.  A step is filled with small closed sets, first those
 * that take few cables from any one switch, so that its remaining links are not overloaded.
 * If all remaining closed sets exceed the limit, a set is cut by exchanging two ends: one
 * goes to its final port, and the other waits in the port that became free.
 *
 * Invariant: each port holds at most one end; end_at[] and at[] are inverse to each other;
 * an end in its final port stays there.  So the number of moves is at most twice the number
 * of misplaced ends.
 * Elsewhere: reading the present wiring as such a state (steps_state.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/union_find.h"
#include "wire/steps_impl.h"

struct board {
	const struct moore_plan *plan;	/* the new plan */
	const struct ports *ports;
	uint32_t n;			/* number of cables */
	uint32_t *at, *want;		/* present and final port of each end */
	uint32_t *end_at;		/* the present end in each port */
	bool *touched;			/* the cables that move in this step */
	uint32_t max, n_touched;
	uint32_t *lost, most_lost;	/* moving cables of each switch, and the limit on them */
	bool held_back;			/* a set was refused because of that limit */
	uint32_t *set;			/* the cables that move together */
	uint32_t *in_set, n_sets;	/* for each cable, the number of the last set that
					 * contains it */
	uint32_t *root;			/* union-find over switches */
	uint32_t max_parts;
	struct moore_steps *s;
	uint32_t cap_moves, cap_steps;	/* room in s->move and in s->first */
	bool cut;			/* a set was refused because it would disconnect the
					 * fabric */
};

/* ---- parts ----------------------------------------------------------------- */

/* Counts the connected parts of the switches, by the cables at these ports that do not move
 * in this step. */
static uint32_t
count_parts(struct board *b, const uint32_t *at)
{
	uint32_t parts = b->plan->n_switches;

	moore_union_start(b->root, b->plan->n_switches);
	for (uint32_t c = 0; c < b->n; c++) {
		if (b->touched[c] || at[2 * c] == MOORE_NONE || at[2 * c + 1] == MOORE_NONE)
			continue;
		parts -= moore_union_join(b->root, moore_ports_plug(b->ports, at[2 * c]).sw,
					  moore_ports_plug(b->ports, at[2 * c + 1]).sw);
	}
	return parts;
}

/* Marks these cables as moving, or not; returns the greatest number of moving cables at any
 * of their switches. */
static uint32_t
mark(struct board *b, const uint32_t *cable, uint32_t n, bool touched)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < 2 * n; i++) {
		const uint32_t port = b->at[2 * cable[i / 2] + i % 2];
		uint32_t *lost;

		b->touched[cable[i / 2]] = touched;
		if (port == MOORE_NONE)
			continue;
		lost = &b->lost[moore_ports_plug(b->ports, port).sw];
		*lost = touched ? *lost + 1 : *lost - 1;
		most = *lost > most ? *lost : most;
	}
	return most;
}

/* Marks these cables as moving as well, unless that exceeds the limit of a switch or
 * disconnects the fabric. */
static bool
touch(struct board *b, const uint32_t *cable, uint32_t n)
{
	if (mark(b, cable, n, true) > b->most_lost)
		b->held_back = true;
	else if (count_parts(b, b->at) > b->max_parts)
		b->cut = true;
	else {
		b->n_touched += n;
		return true;
	}
	mark(b, cable, n, false);
	return false;
}

/* ---- moves ------------------------------------------------------------------- */

static bool
misplaced(const struct board *b, uint32_t cable)
{
	return b->at[2 * cable] != b->want[2 * cable] ||
	       b->at[2 * cable + 1] != b->want[2 * cable + 1];
}

static int
note(struct board *b, uint32_t end, uint32_t to, struct moore_err *err)
{
	struct moore_steps *s = b->s;
	struct moore_cable_move *more = moore_grow(s->move, s->n_moves, &b->cap_moves, sizeof(*more));

	if (!more)
		return moore_fail_nomem(err);
	s->move = more;
	s->move[s->n_moves++] = (struct moore_cable_move){
		end / 2, end % 2, moore_ports_plug(b->ports, b->at[end]),
		moore_ports_plug(b->ports, to),
	};
	return 0;
}

static void
place(struct board *b, uint32_t end, uint32_t port)
{
	if (b->at[end] != MOORE_NONE && b->end_at[b->at[end]] == end)
		b->end_at[b->at[end]] = MOORE_NONE;
	b->at[end] = port;
	if (port != MOORE_NONE)
		b->end_at[port] = end;
}

static int
bring_home(struct board *b, const uint32_t *cable, uint32_t n, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t i = 0; i < 2 * n && rc == 0; i++) {
		const uint32_t end = 2 * cable[i / 2] + i % 2;

		if (b->at[end] == b->want[end])
			continue;
		rc = note(b, end, b->want[end], err);
		place(b, end, b->want[end]);
	}
	return rc;
}

/* Collects cable c, the cables that hold its final ports, and so on; returns 0 if there are
 * more than `most`. */
static uint32_t
closed_set(struct board *b, uint32_t c, uint32_t most)
{
	uint32_t n = 0;

	b->set[n++] = c;
	b->in_set[c] = ++b->n_sets;
	for (uint32_t i = 0; i < 2 * n && n <= most; i++) {
		const uint32_t end = 2 * b->set[i / 2] + i % 2;
		const uint32_t holder = b->at[end] == b->want[end] ? MOORE_NONE :
					b->end_at[b->want[end]];

		if (holder == MOORE_NONE || b->in_set[holder / 2] == b->n_sets)
			continue;
		b->set[n++] = holder / 2;
		b->in_set[holder / 2] = b->n_sets;
	}
	return n <= most ? n : 0;
}

static int
move_closed_sets(struct board *b, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t c = 0; c < b->n && b->n_touched < b->max && rc == 0; c++) {
		uint32_t n;

		if (b->touched[c] || !misplaced(b, c) ||
		    !(n = closed_set(b, c, b->max - b->n_touched)) || !touch(b, b->set, n))
			continue;
		rc = bring_home(b, b->set, n, err);
	}
	return rc;
}

/* Moves one end to its final port; the end that was in that port takes the port it leaves. */
static int
exchange(struct board *b, uint32_t end, struct moore_err *err)
{
	const uint32_t from = b->at[end], to = b->want[end], other = b->end_at[to];
	const uint32_t cable[2] = { end / 2, other == MOORE_NONE ? end / 2 : other / 2 };
	const uint32_t n = cable[0] == cable[1] ? 1 : 2;
	int rc;

	if (n > b->max - b->n_touched || b->touched[cable[0]] || b->touched[cable[1]] ||
	    !touch(b, cable, n))
		return 0;
	if (other != MOORE_NONE) {
		if ((rc = note(b, other, from, err)) < 0)
			return rc;
		place(b, other, from);
	}
	if ((rc = note(b, end, to, err)) < 0)
		return rc;
	place(b, end, to);
	return 0;
}

static int
exchange_ends(struct board *b, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t e = 0; e < 2 * b->n && b->n_touched < b->max && rc == 0; e++)
		if (b->at[e] != b->want[e])
			rc = exchange(b, e, err);
	return rc;
}

/* ---- steps --------------------------------------------------------------------- */

static int
fail_stuck(const struct board *b, uint32_t c, struct moore_err *err)
{
	if (b->cut)
		return moore_fail(err, MOORE_EINVAL, 0, "step %u: whichever cables move next, at most %u at a "
				  "time, some switch is cut off meanwhile: try another number, or add "
				  "cables first", b->s->n_steps + 1, b->max);
	return moore_fail(err, MOORE_EINVAL, 0, "step %u: cables[%u] and another hold each other's ports: "
			  "%u at a time is too few, 2 will do", b->s->n_steps + 1, c, b->max);
}

/* Chooses the cables that move in this step.  The limit for each switch rises while there
 * is room up to twice the mean, and beyond that only while no set was found. */
static int
fill_step(struct board *b, struct moore_err *err)
{
	static int (*const choose[])(struct board *, struct moore_err *) = {
		move_closed_sets, exchange_ends
	};
	const uint64_t share = 4 * (uint64_t)b->max / b->plan->n_switches + 2;
	bool held_back = true;
	int rc = 0;

	for (uint64_t limit = share; held_back && !b->n_touched; limit = MOORE_PORT_MAX) {
		held_back = false;
		for (size_t i = 0; i < ARRAY_LEN(choose) && !b->n_touched && rc == 0; i++) {
			b->most_lost = 0;
			do {
				b->most_lost++;
				b->held_back = false;
				rc = choose[i](b, err);
			} while (rc == 0 && b->held_back && b->n_touched < b->max &&
				 b->most_lost < limit);
			held_back |= b->held_back && limit < MOORE_PORT_MAX;
		}
		if (rc < 0)
			break;
	}
	return rc;
}

static int
next_step(struct board *b, uint32_t c, struct moore_err *err)
{
	struct moore_steps *s = b->s;
	uint32_t *more;
	int rc;

	memset(b->touched, 0, b->n * sizeof(*b->touched));
	memset(b->lost, 0, b->plan->n_switches * sizeof(*b->lost));
	b->n_touched = 0;
	b->cut = false;
	if ((rc = fill_step(b, err)) < 0)
		return rc;
	if (!b->n_touched)
		return fail_stuck(b, c, err);
	if (!(more = moore_grow(s->first, s->n_steps + 1, &b->cap_steps, sizeof(*more))))
		return moore_fail_nomem(err);
	s->first = more;
	s->first[++s->n_steps] = s->n_moves;
	return 0;
}

static int
board_init(struct board *b, const struct ports *ports, struct moore_arena *tmp,
	   struct moore_err *err)
{
	const uint32_t n_ports = moore_ports_count(ports);
	uint32_t now;

	b->end_at = moore_arena_alloc(tmp, (size_t)n_ports + 1, sizeof(*b->end_at));
	b->touched = moore_arena_alloc(tmp, (size_t)b->n + 1, sizeof(*b->touched));
	b->set = moore_arena_alloc(tmp, (size_t)b->n + 2, sizeof(*b->set));
	b->root = moore_arena_alloc(tmp, (size_t)b->plan->n_switches + 1, sizeof(*b->root));
	b->in_set = moore_arena_alloc(tmp, (size_t)b->n + 1, sizeof(*b->in_set));
	b->lost = moore_arena_alloc(tmp, (size_t)b->plan->n_switches + 1, sizeof(*b->lost));
	if (!b->end_at || !b->touched || !b->set || !b->root || !b->lost ||
	    !b->in_set)
		return moore_fail_nomem(err);
	memset(b->end_at, 0xff, ((size_t)n_ports + 1) * sizeof(*b->end_at));
	for (uint32_t e = 0; e < 2 * b->n; e++)
		if (b->at[e] != MOORE_NONE)
			b->end_at[b->at[e]] = e;
	now = count_parts(b, b->at);
	b->max_parts = count_parts(b, b->want);
	b->max_parts = now > b->max_parts ? now : b->max_parts;
	return 0;
}

static int
steps_new(struct moore_steps **out, const struct board *b, struct moore_err *err)
{
	struct moore_steps *s = *out = calloc(1, sizeof(*s));

	if (!s)
		return moore_fail_nomem(err);
	s->n_cables = b->n;
	s->now = calloc(2 * (size_t)b->n + 1, sizeof(*s->now));
	s->first = calloc(1, sizeof(*s->first));
	if (!s->now || !s->first)
		return moore_fail_nomem(err);
	for (uint32_t e = 0; e < 2 * b->n; e++)
		s->now[e] = moore_ports_plug(b->ports, b->at[e]);
	for (uint32_t c = 0; c < b->n; c++) {
		s->n_ahead += misplaced(b, c);
		s->n_out += b->at[2 * c] == MOORE_NONE || b->at[2 * c + 1] == MOORE_NONE;
	}
	return 0;
}

int
moore_steps_build(struct moore_steps **out, const struct moore_plan *old_plan,
		  const struct moore_plan *new_plan, const struct moore_plan *present,
		  uint32_t max_cables, struct moore_err *err)
{
	struct board b = { .plan = new_plan, .n = new_plan->n_cables, .max = max_cables,
			   .cap_steps = 1 };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_steps *s = NULL;
	struct ports ports;
	int rc;

	*out = NULL;
	if (!max_cables)
		return moore_fail(err, MOORE_EINVAL, 0, "no cable at a time: nothing can move");
	b.ports = &ports;
	if ((rc = moore_ports_init(&ports, new_plan, &tmp, err)) < 0 ||
	    (rc = moore_steps_state(&ports, old_plan, new_plan, present, &b.at, &b.want, &tmp, err)) < 0 ||
	    (rc = board_init(&b, &ports, &tmp, err)) < 0 ||
	    (rc = steps_new(&s, &b, err)) < 0)
		goto out;
	b.s = s;
	for (uint32_t c = 0; c < b.n && rc == 0;)
		if (misplaced(&b, c))
			rc = next_step(&b, c, err);
		else
			c++;
	if (rc < 0)
		goto out;
	*out = s;
	s = NULL;
out:
	moore_steps_free(s);
	moore_arena_free(&tmp);
	return rc;
}

void
moore_steps_free(struct moore_steps *s)
{
	if (!s)
		return;
	free(s->now);
	free(s->first);
	free(s->move);
	free(s);
}

uint32_t
moore_steps_cables(const struct moore_steps *s, const struct moore_plan *new_plan, uint32_t step,
		   struct moore_plan_cable *cable)
{
	const uint32_t end = step < s->n_steps ? s->first[step + 1] : s->n_moves;
	uint32_t n = 0;

	for (uint32_t c = 0; c < s->n_cables; c++) {
		cable[c] = new_plan->cable[c];
		for (unsigned k = 0; k < 2; k++) {
			cable[c].sw[k] = s->now[2 * c + k].sw;
			cable[c].port[k] = s->now[2 * c + k].port;
		}
	}
	for (uint32_t i = 0; i < end; i++) {
		const struct moore_cable_move *m = &s->move[i];

		cable[m->cable].sw[m->end] = step < s->n_steps && i >= s->first[step] ? MOORE_NONE :
					     m->to.sw;
		cable[m->cable].port[m->end] = m->to.port;
	}
	for (uint32_t c = 0; c < s->n_cables; c++)
		if (cable[c].sw[0] != MOORE_NONE && cable[c].sw[1] != MOORE_NONE &&
		    cable[c].sw[0] != cable[c].sw[1])
			cable[n++] = cable[c];
	return n;
}
