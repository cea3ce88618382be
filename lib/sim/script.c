// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* script.c - when links and rows change: turns, each a change of links and the steps of tables that follow it.
 *
 * A subnet manager sends the rows of a switch in blocks of 64 LIDs, and a switch takes a block as a whole.  So a
 * block has one instant in a step, which depends on the seed, the turn, the step, the switch and the block
 * alone; between the first and the last instant the switches hold a mixture. */
#include <stdlib.h>

#include "base/random.h"
#include "moore/sim.h"

struct writer {
	struct moore_sim_script *to;
	size_t room;
	const struct moore_sim_pace *pace;
	uint64_t now;		/* when the step begins */
	uint64_t seed;		/* of the step */
	bool oom;
};

static void
add(struct writer *w, const struct moore_sim_change *c)
{
	struct moore_sim_script *s = w->to;

	if (s->n == w->room && !w->oom) {
		const size_t room = 2 * w->room + 64;
		struct moore_sim_change *more = realloc(s->change, room * sizeof(*more));

		w->oom = !more;
		if (more) {
			s->change = more;
			w->room = room;
		}
	}
	if (!w->oom)
		s->change[s->n++] = *c;
}

static void
add_row(struct writer *w, moore_swid sw, moore_lid lid, uint8_t port)
{
	struct moore_rng rng = { w->seed ^ ((uint64_t)sw << 16 | lid / MOORE_LFT_BLOCK) * 0x9e3779b97f4a7c15ull };

	add(w, &(struct moore_sim_change){ .at = w->now + moore_rng_next(&rng) % w->pace->step, .kind = MOORE_SIM_ROW,
					   .sw = sw, .lid = lid, .port = port });
}

static void
add_step(struct writer *w, const struct moore_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_row(w, row[i].sw, row[i].lid, row[i].port);
	w->now += w->pace->step;
	w->seed++;
}

static void
add_all_rows(struct writer *w, const struct moore_lft *was, const struct moore_lft *now)
{
	for (moore_swid s = 0; s < now->n_switches; s++)
		for (size_t lid = 0; lid < now->stride; lid++)
			if (moore_lft_row(was, s)[lid] != moore_lft_row(now, s)[lid])
				add_row(w, s, (moore_lid)lid, moore_lft_row(now, s)[lid]);
	w->now += w->pace->step;
	w->seed++;
}

static void
add_turn(struct writer *w, const struct moore_sim_turn *t)
{
	const struct moore_motion *m = t->motion;

	add(w, &(struct moore_sim_change){ .at = t->at, .kind = MOORE_SIM_PHASE });
	for (size_t i = 0; i < t->n_links; i++)
		add(w, &(struct moore_sim_change){ .at = t->at, .kind = (uint8_t)t->kind, .sw = t->link[i].sw,
						   .port = t->link[i].port });
	w->now = t->at + w->pace->detect;
	if (!m)
		add_all_rows(w, t->was, t->now);
	for (uint32_t k = 0; m && k < m->n_steps; k++) {
		w->now += m->step[k].wait ? w->pace->wait : 0;
		add_step(w, m->row + m->step[k].first, m->step[k].n);
	}
	add(w, &(struct moore_sim_change){ .at = w->now, .kind = MOORE_SIM_PHASE });
}

/* Of one time, a phase comes first, and a row that several changes have does not occur. */
static int
cmp_changes(const void *a, const void *b)
{
	const struct moore_sim_change *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	return x->lid != y->lid ? (x->lid < y->lid ? -1 : 1) : (x->port > y->port) - (x->port < y->port);
}

int
moore_sim_script_make(struct moore_sim_script *out, const struct moore_sim_turn *turn, size_t n,
		      const struct moore_sim_pace *pace, struct moore_err *err)
{
	struct writer w = { .to = out, .pace = pace, .seed = pace->seed };
	bool good = pace->step > 0 && 2 * n < MOORE_SIM_PHASES;

	*out = (struct moore_sim_script){ NULL, 0 };
	for (size_t i = 0; good && i < n; i++) {
		good = (!i || turn[i].at > w.now) && turn[i].was->n_switches == turn[i].now->n_switches &&
			turn[i].was->stride == turn[i].now->stride;
		if (good)
			add_turn(&w, &turn[i]);
	}
	if (!good || w.oom) {
		free(out->change);
		*out = (struct moore_sim_script){ NULL, 0 };
		return w.oom ? moore_fail_nomem(err) :
			moore_fail(err, MOORE_EINVAL, 0, "simulate: the links change again before the tables of the change "
				   "before are out: let them change later; or there are too many changes, a step takes no time, "
				   "or tables are not of one size");
	}
	if (out->n)
		qsort(out->change, out->n, sizeof(*out->change), cmp_changes);
	return 0;
}
