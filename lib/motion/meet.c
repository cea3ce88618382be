// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* meet.c - a shorter way, made from both ends.
 *
 * A step is safe in either direction, since its mixture is the same.  So where no pair comes
 * back any more, the rest of a sequence may as well be built backward: from the final tables to
 * those after some steps, and taken in reverse.  Rows then change as late as they can instead
 * of as early, and detours come at the end, where the forward sequence cannot have them.
 *
 * A sequence that is long, or that interrupts live pairs, is joined in this way after each of
 * its steps in turn, the beginning included, until one of the results is neither. */
#include <stdlib.h>
#include <string.h>

#include "motion_impl.h"

/* The most steps of a sequence that is not searched for a shorter one, or one less if pairs are
 * dead at the beginning and wait for it: time against steps.
 * (build/tests/bench/motion slimfly q=5 2)  With 3, the repairs of q=5 take 594 steps instead of
 * 595, and finding them 1.29 of the time of the engine instead of 0.92. */
#define STEPS_FEW 4

struct meet {
	struct moore_mo_build *b;
	size_t n;		/* values of all columns */
	uint8_t *at;		/* [column * n_sw + switch]: after the steps that are kept */
	uint8_t *fin;		/* of the final tables */
	uint8_t *cur;		/* scratch */
};

static uint64_t
n_interrupted(const struct moore_motion *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n_steps; i++)
		n += m->step[i].interrupted;
	return n;
}

bool
moore_mo_is_fine(const struct moore_motion *m)
{
	return m->n_steps <= STEPS_FEW - (m->dead != 0) && n_interrupted(m) == 0;
}

/* Writes the rows of a step into columns. */
static void
apply(const struct meet *w, const struct moore_motion *m, uint32_t step, uint8_t *columns)
{
	const struct moore_motion_step *st = &m->step[step];

	for (size_t k = st->first; k < st->first + st->n; k++)
		columns[(size_t)w->b->c.of[m->row[k].lid] * w->b->net.n_sw + m->row[k].sw] =
			m->row[k].port;
}

/* Gives the rows of all steps of m, which begin at the final tables, the values before. */
static void
turn_round(const struct meet *w, struct moore_motion *m)
{
	memcpy(w->cur, w->fin, w->n);
	for (uint32_t k = 0; k < m->n_rows; k++) {
		struct moore_row *r = &m->row[k];
		uint8_t *at = &w->cur[(size_t)w->b->c.of[r->lid] * w->b->net.n_sw + r->sw];
		uint8_t port = r->port;

		r->port = *at;
		*at = port;
	}
}

/* Marks in ways.drops[] the switches from which rows of column i do not lead to its LID. */
static void
find_drops(struct meet *w, uint32_t i, const uint8_t *columns)
{
	size_t n_sw = w->b->net.n_sw;

	memcpy(w->b->c.cur + i * n_sw, columns + i * n_sw, n_sw);
	moore_mo_plant(w->b, i);
	moore_mo_ways_spread(&w->b->ways);
}

/* True if all pairs that the final rows deliver are delivered by those in at[] as well. */
static bool
all_are_back(struct meet *w)
{
	struct moore_mo_build *b = w->b;

	for (uint32_t i = 0; i < b->c.n; i++) {
		if (!memcmp(w->at + (size_t)i * b->net.n_sw, w->fin + (size_t)i * b->net.n_sw,
			    b->net.n_sw))
			continue;
		find_drops(w, i, w->fin);
		memcpy(b->live, b->ways.drops, b->net.n_sw);
		find_drops(w, i, w->at);
		for (moore_swid s = 0; s < b->net.n_sw; s++)
			if (b->ways.drops[s] && !b->live[s] && (!b->yields || b->net.has_ep[s]))
				return false;
	}
	return true;
}

/* Builds the steps from the final tables to at[]; *out stays NULL if there are no safe ones. */
static int
build_back(struct moore_motion **out, const struct meet *w)
{
	struct moore_err err = { 0 };
	struct moore_mo_build r = { .err = &err, .tmp = MOORE_ARENA_INIT, .detours = true };
	int rc;

	*out = NULL;
	if ((rc = moore_mo_copy(&r, w->b)) == 0) {
		r.from = w->fin;
		r.to = w->at;
		r.backward = true;
		r.yields = w->b->yields;
		moore_mo_columns_between(&r.c, &r.net, r.from, r.to);
		moore_mo_add_final(&r);
		rc = r.unsafe ? 0 : moore_mo_build_better(out, &r);
	}
	moore_mo_end(&r);
	if (rc < 0 && w->b->err)
		*w->b->err = err;
	return rc;
}

/* Adds the steps of back to j, in reverse order.  Their rows have the values before each step
 * already. */
static void
add_reversed(struct moore_motion *j, const struct moore_motion *back)
{
	for (uint32_t i = back->n_steps; i--;) {
		const struct moore_motion_step *st = &back->step[i];
		struct moore_motion_step *to = &j->step[j->n_steps];

		*to = (struct moore_motion_step){ .first = j->n_rows, .n = st->n,
			.wait = j->n_steps > 0, .back = j->dead };
		for (size_t k = st->first; k < st->first + st->n; k++) {
			to->no_path += back->row[k].port == MOORE_NO_PATH;
			j->row[j->n_rows++] = back->row[k];
		}
		j->n_steps++;
	}
}

/* The first n steps of m and then those of back, turned round. */
static struct moore_motion *
join(const struct meet *w, const struct moore_motion *m, uint32_t n,
     struct moore_motion *back)
{
	struct moore_motion *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->dead = m->dead;
	j->n_steps = n;
	j->n_rows = n ? (uint32_t)(m->step[n - 1].first + m->step[n - 1].n) : 0;
	j->cap_steps = n + back->n_steps;
	j->cap_rows = j->n_rows + back->n_rows;
	j->step = calloc((size_t)j->cap_steps + 1, sizeof(*j->step));
	j->row = calloc((size_t)j->cap_rows + 1, sizeof(*j->row));
	if (!j->step || !j->row) {
		moore_motion_free(j);
		return NULL;
	}
	memcpy(j->step, m->step, n * sizeof(*j->step));
	memcpy(j->row, m->row, j->n_rows * sizeof(*j->row));
	turn_round(w, back);
	add_reversed(j, back);
	return j;
}

/* Sets *out to m's first n steps, which lead to at[], and a way back to there; or to NULL if there
 * is none without an interruption. */
static int
join_after(struct moore_motion **out, struct meet *w, const struct moore_motion *m, uint32_t n)
{
	struct moore_motion *back = NULL;
	int rc = all_are_back(w) ? build_back(&back, w) : 0;

	*out = NULL;
	if (back && n_interrupted(back) == 0 && !(*out = join(w, m, n, back)))
		rc = moore_fail_nomem(w->b->err);
	moore_motion_free(back);
	return rc;
}

/* Fills at[] with what is held at the beginning, and fin[]. */
static int
start(struct meet *w)
{
	struct moore_mo_build *b = w->b;
	int rc;

	w->n = (size_t)b->c.n * b->net.n_sw;
	if (!(w->at = moore_arena_alloc(&b->tmp, w->n + 1, 1)) ||
	    !(w->fin = moore_arena_alloc(&b->tmp, w->n + 1, 1)) ||
	    !(w->cur = moore_arena_alloc(&b->tmp, w->n + 1, 1)))
		return moore_fail_nomem(b->err);
	if ((rc = moore_mo_columns_begin(&b->c, &b->net, b->held, b->now, b->err)) < 0)
		return rc;
	memcpy(w->at, b->c.cur, w->n);
	memcpy(w->fin, b->c.fin, w->n);
	moore_mo_columns_between(&b->c, &b->net, w->at, w->fin);
	return 0;
}

int
moore_mo_meet(struct moore_motion **m, struct moore_mo_build *b)
{
	/* The first step also ends what several values of a row, or unknown ones, made possible. */
	uint32_t first = b->held->n_more || b->net.o->n_past || b->unknown;
	const struct moore_motion *forward = *m;
	struct moore_motion *best = NULL, *j;
	struct meet w = { .b = b };
	int rc;

	if (moore_mo_is_fine(forward) || forward->start_unsafe || b->net.o->drop_first)
		return 0;
	rc = start(&w);
	for (uint32_t n = 0; rc == 0 && n + 1 < forward->n_steps && !(best && moore_mo_is_fine(best)); n++) {
		if (n)
			apply(&w, forward, n - 1, w.at);
		if (n < first || (rc = join_after(&j, &w, forward, n)) < 0 || !j)
			continue;
		if (moore_mo_is_better(j, best ? best : forward)) {
			moore_motion_free(best);
			best = j;
		} else {
			moore_motion_free(j);
		}
	}
	if (best) {
		moore_motion_free(*m);
		*m = best;
	}
	return rc;
}
