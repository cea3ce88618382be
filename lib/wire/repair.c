// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* repair.c - the moves of cable ends that turn the fabric into the plan, and their order.
 *
 * Which cable becomes which is decided in assign.c, so the number of moves is fixed, and it
 * is the least possible.  With o observed and p planned cables, not counting those that are
 * the same, each cable of the greater number needs two moves of ends, whether it is moved,
 * removed or new, less one for each pair that shares a jack; and assign.c finds the
 * greatest number of such pairs.
 *
 * Order: an end can only be plugged into a jack after the end that is in it has been
 * pulled.  Each jack is the target of at most one end and holds at most one, so moves that
 * wait for one another form rows and rings.  A ring is one step: all its ends are pulled,
 * then plugged in.  In a row each move is a step, beginning with the move to the free jack.
 * Among the steps that can come next, one that disconnects no two switches is preferred. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "wire/wire_impl.h"

#define LOOK_AHEAD 64		/* steps looked at before one that disconnects switches is taken */

struct job {
	const struct moore_wire *w;
	uint32_t (*now)[2];	/* present jacks of each cable (observed, then new) as moves are
				 * made */
	uint32_t *holder;	/* for each jack, the cable that is in it as moves are made */
	uint32_t *mover;	/* for each (cable, end), its move */
	struct moore_repair_move *move;	/* the moves, before they are put in order */
	uint32_t n_moves;
	uint32_t *waits;	/* for each move, the move that waits for it; MOORE_NONE */
	uint8_t *state;		/* for each move: WAITING, IN_ROW or IN_RING */
	uint32_t *ready, n_ready;	/* the moves whose step can come next */
	uint32_t *lifted, step;	/* for each cable, the last step that pulls an end of it */
	uint32_t *base;		/* the first jack of each slot */
	uint32_t *queue, *stamp, round;	/* scratch of the search for another path */
	struct moore_arena mem;
};
enum { WAITING, IN_ROW, IN_RING };

/* ---- which ends move -------------------------------------------------------------- */

static void
add_move(struct job *j, uint32_t cable, int end, uint32_t to)
{
	uint32_t from = j->now[cable][end];

	if (from == to)
		return;
	j->mover[2 * cable + (uint32_t)end] = j->n_moves;
	j->move[j->n_moves++] = (struct moore_repair_move){ cable, (uint8_t)end, from, to, 0, false };
}

static bool
at_switch_of(const struct job *j, uint32_t jack, uint32_t of)
{
	uint32_t s = jack == MOORE_NONE ? MOORE_NONE : moore_jack_switch(j->w, jack);

	return s != MOORE_NONE && s == moore_jack_switch(j->w, of);
}

/* True if end 0 of the cable goes to end 1 of the planned cable.  An end that is in a
 * planned jack stays there; otherwise an end that is at a planned switch stays at it. */
static bool
is_turned(const struct job *j, const uint32_t *now, const uint32_t *to)
{
	if (now[0] == to[0] || now[1] == to[1])
		return false;
	if (now[0] == to[1] || now[1] == to[0])
		return true;
	return !at_switch_of(j, now[0], to[0]) && !at_switch_of(j, now[1], to[1]) &&
		(at_switch_of(j, now[0], to[1]) || at_switch_of(j, now[1], to[0]));
}

static void
become(struct job *j, uint32_t cable, const struct moore_wire_cable *p)
{
	bool turned = is_turned(j, j->now[cable], p->jack);

	add_move(j, cable, 0, p->jack[turned]);
	add_move(j, cable, 1, p->jack[!turned]);
}

/* Makes the moves.  Observed cables that become no planned cable are used for planned
 * cables that none becomes, while there are both; then new cables are plugged in, or ends
 * are unplugged.  Returns the number of new cables. */
static uint32_t
make_moves(struct job *j)
{
	const struct moore_wire_cables *have = &j->w->observed, *want = &j->w->planned;
	uint32_t spare = 0, n_new = 0;

	for (uint32_t i = 0; i < want->n; i++) {
		if (want->cable[i].mate != MOORE_NONE) {
			become(j, want->cable[i].mate, &want->cable[i]);
			continue;
		}
		while (spare < have->n && have->cable[spare].mate != MOORE_NONE)
			spare++;
		become(j, spare < have->n ? spare++ : have->n + n_new++, &want->cable[i]);
	}
	for (; spare < have->n; spare++)
		for (int end = 0; end < 2 && have->cable[spare].mate == MOORE_NONE; end++)
			add_move(j, spare, end, MOORE_NONE);
	return n_new;
}

/* ---- what waits for what ------------------------------------------------------------ */

/* The move that must free the jack that move i goes to; MOORE_NONE if it is free. */
static uint32_t
blocker(const struct job *j, uint32_t i)
{
	uint32_t to = j->move[i].to, cable = to == MOORE_NONE ? MOORE_NONE : j->holder[to];

	return cable == MOORE_NONE ? MOORE_NONE : j->mover[2 * cable + (j->now[cable][1] == to)];
}

/* Finds rows, which start at free jacks, and rings, each represented by one of its moves.
 * New cables come first, to keep more paths, and removals last. */
static void
find_steps(struct job *j)
{
	memset(j->waits, 0xff, ((size_t)j->n_moves + 1) * sizeof(*j->waits));
	for (uint32_t i = 0; i < j->n_moves; i++)
		if (blocker(j, i) != MOORE_NONE)
			j->waits[blocker(j, i)] = i;
	for (int turn = 0; turn < 3; turn++)
		for (uint32_t i = 0; i < j->n_moves; i++) {
			int when = j->move[i].from == MOORE_NONE ? 0 : j->move[i].to == MOORE_NONE ? 2 : 1;

			if (when != turn || blocker(j, i) != MOORE_NONE)
				continue;
			j->ready[j->n_ready++] = i;
			for (uint32_t k = i; k != MOORE_NONE; k = j->waits[k])
				j->state[k] = IN_ROW;
		}
	for (uint32_t i = 0; i < j->n_moves; i++) {
		if (j->state[i] != WAITING)
			continue;
		j->ready[j->n_ready++] = i;
		for (uint32_t k = i; j->state[k] == WAITING; k = j->waits[k])
			j->state[k] = IN_RING;
	}
}

/* The move after i in its step; MOORE_NONE if i was the last. */
static uint32_t
next_in_step(const struct job *j, uint32_t first, uint32_t i)
{
	return j->state[i] == IN_RING && j->waits[i] != first ? j->waits[i] : MOORE_NONE;
}

/* ---- are switches parted? ------------------------------------------------------------ */

/* True if `to` can be reached from `from` without the cables that this step pulls.
 * O(cables). */
static bool
reaches(struct job *j, uint32_t from, uint32_t to)
{
	uint32_t n = 1;

	j->round++;
	j->queue[0] = from;
	j->stamp[from] = j->round;
	for (uint32_t i = 0; i < n && j->stamp[to] != j->round; i++)
		for (uint32_t k = j->base[j->queue[i]]; k < j->base[j->queue[i] + 1]; k++) {
			uint32_t c = j->holder[k], far, s;

			if (c == MOORE_NONE || j->lifted[c] == j->step)
				continue;
			far = j->now[c][j->now[c][0] == k];
			s = far == MOORE_NONE ? MOORE_NONE : moore_jack_switch(j->w, far);
			if (s == MOORE_NONE || j->stamp[s] == j->round)
				continue;
			j->stamp[s] = j->round;
			j->queue[n++] = s;
		}
	return j->stamp[to] == j->round;
}

static bool
parts(struct job *j, uint32_t first)
{
	bool apart = false;

	j->step++;
	for (uint32_t i = first; i != MOORE_NONE; i = next_in_step(j, first, i))
		j->lifted[j->move[i].cable] = j->step;
	for (uint32_t i = first; i != MOORE_NONE && !apart; i = next_in_step(j, first, i)) {
		const uint32_t *now = j->now[j->move[i].cable];
		uint32_t a, b;

		if (now[0] == MOORE_NONE || now[1] == MOORE_NONE)
			continue;
		a = moore_jack_switch(j->w, now[0]);
		b = moore_jack_switch(j->w, now[1]);
		apart = a != MOORE_NONE && b != MOORE_NONE && a != b && !reaches(j, a, b);
	}
	return apart;
}

/* ---- the order ------------------------------------------------------------------------ */

static void
do_step(struct job *j, uint32_t first, bool apart, struct moore_repair *r)
{
	r->n_steps++;
	r->n_parting += apart;
	for (uint32_t i = first; i != MOORE_NONE; i = next_in_step(j, first, i)) {
		struct moore_repair_move *m = &j->move[i];

		if (m->from != MOORE_NONE)
			j->holder[m->from] = MOORE_NONE;
		m->step = r->n_steps;
		m->parts = apart;
		r->move[r->n_moves++] = *m;
	}
	for (uint32_t i = first; i != MOORE_NONE; i = next_in_step(j, first, i)) {
		const struct moore_repair_move *m = &j->move[i];

		j->now[m->cable][m->end] = m->to;
		if (m->to != MOORE_NONE)
			j->holder[m->to] = m->cable;
	}
}

/* Chooses the next of the ready steps: the first that disconnects no switches, else the
 * first. */
static uint32_t
choose(struct job *j, bool *apart)
{
	for (uint32_t i = 0; i < j->n_ready && i < LOOK_AHEAD; i++)
		if (!(*apart = parts(j, j->ready[i])))
			return i;
	return 0;
}

static void
order(struct job *j, struct moore_repair *r)
{
	bool apart = false;

	find_steps(j);
	while (j->n_ready) {
		uint32_t at = choose(j, &apart), first = j->ready[at];

		do_step(j, first, apart, r);
		if (j->state[first] == IN_ROW && j->waits[first] != MOORE_NONE) {
			j->ready[at] = j->waits[first];
			continue;
		}
		memmove(j->ready + at, j->ready + at + 1,
			(j->n_ready - at - 1) * sizeof(*j->ready));
		j->n_ready--;
	}
}

/* ---- all of it -------------------------------------------------------------------------- */

static bool
job_init(struct job *j, const struct moore_wire *w)
{
	size_t most = (size_t)w->observed.n + w->planned.n + 1;
	uint32_t n_ports = w->n_jacks - w->n_ep_slots;

	j->w = w;
	j->now = moore_arena_alloc(&j->mem, most, sizeof(*j->now));
	j->holder = moore_arena_alloc(&j->mem, (size_t)w->n_jacks + 1, sizeof(*j->holder));
	j->mover = moore_arena_alloc(&j->mem, 2 * most, sizeof(*j->mover));
	j->move = moore_arena_alloc(&j->mem, 2 * most, sizeof(*j->move));
	j->waits = moore_arena_alloc(&j->mem, 2 * most, sizeof(*j->waits));
	j->state = moore_arena_alloc(&j->mem, 2 * most, sizeof(*j->state));
	j->ready = moore_arena_alloc(&j->mem, 2 * most, sizeof(*j->ready));
	j->lifted = moore_arena_alloc(&j->mem, most, sizeof(*j->lifted));
	j->base = moore_arena_alloc(&j->mem, (size_t)w->n_slots + 1, sizeof(*j->base));
	j->queue = moore_arena_alloc(&j->mem, (size_t)w->n_slots + 1, sizeof(*j->queue));
	j->stamp = moore_arena_alloc(&j->mem, (size_t)w->n_slots + 1, sizeof(*j->stamp));
	if (!j->now || !j->holder || !j->mover || !j->move || !j->waits || !j->state || !j->ready ||
	    !j->lifted || !j->base || !j->queue || !j->stamp)
		return false;
	memset(j->now, 0xff, most * sizeof(*j->now));
	for (uint32_t i = 0; i < w->observed.n; i++)
		memcpy(j->now[i], w->observed.cable[i].jack, sizeof(*j->now));
	memcpy(j->holder, w->observed.at, w->n_jacks * sizeof(*j->holder));
	for (uint32_t k = n_ports; k-- > 0;)
		j->base[w->jack[k].slot] = k;
	j->base[w->n_slots] = n_ports;
	return true;
}

/* True if other switches could have been chosen for the planned ones.  If exactly one
 * switch is unknown and one slot is free, there was no choice. */
static bool
roles_guessed(const struct moore_wire *w)
{
	uint32_t named = w->by_guid + w->by_name;

	return w->mirrored || (w->by_structure && !(w->plan->n_switches == named + 1 &&
						    w->seen->plan->n_switches == named + 1));
}

static bool
endpoints_guessed(const struct moore_wire *w)
{
	return w->eps_by_place && w->n_ep_slots > w->plan->n_endpoints;
}

/* Sets the lower bound on moves over all choices of roles.  If roles were guessed, another
 * choice might need fewer moves, but never fewer than the ends of the cables that are
 * surplus or lacking, provided that every choice leaves the same planned cables. */
static void
bound(struct moore_repair *r, const struct moore_wire *w)
{
	uint32_t o = w->observed.n, p = w->planned.n;
	bool all_there = true;

	for (moore_swid s = 0; s < w->plan->n_switches; s++)
		all_there &= w->occupant[s] != MOORE_NONE;
	if (!roles_guessed(w) && !endpoints_guessed(w))
		r->lower_bound = r->n_moves;
	else if (all_there && !endpoints_guessed(w))
		r->lower_bound = 2 * (o > p ? o - p : p - o);
	r->optimal = r->lower_bound == r->n_moves;
}

int
moore_wire_repair(struct moore_repair **out, const struct moore_wire *w, struct moore_err *err)
{
	struct job j = { .mem = MOORE_ARENA_INIT };
	struct moore_repair *r = calloc(1, sizeof(*r));
	int rc = 0;

	*out = NULL;
	if (!r || !job_init(&j, w)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	r->n_new = make_moves(&j);
	if (!(r->move = calloc((size_t)j.n_moves + 1, sizeof(*r->move)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	order(&j, r);
	bound(r, w);
	*out = r;
	r = NULL;			/* the caller owns it now */
out:
	moore_repair_free(r);
	moore_arena_free(&j.mem);
	return rc;
}

void
moore_repair_free(struct moore_repair *r)
{
	if (!r)
		return;
	free(r->move);
	free(r);
}
