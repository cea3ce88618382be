// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* change.c - links that go down and come up, and rows that change, during a run.
 *
 * A packet whose head reaches a switch over a link that is down is lost, and its place in the buffer is free
 * again; so the credits of a link count on while it is down, and are right when it comes up.  A packet
 * that has come to an output whose link is down is lost there.  Packets that wait in an input have their
 * output already, as in a switch, which looks a packet up when it comes.
 *
 * script.c makes the changes, switch.c loses the packets. */
#include <string.h>

#include "sim/sim_impl.h"

/* ---- checks and memory ---------------------------------------------------------------------- */

static bool
is_possible(const struct sim *s, const struct moore_sim_change *c)
{
	if (c->kind == MOORE_SIM_PHASE)
		return true;
	if (c->sw >= s->f->n_switches || c->kind >= MOORE_N_SIM_CHANGES)
		return false;
	if (c->kind == MOORE_SIM_ROW)
		return c->lid < s->lft->stride;
	return c->port && c->port <= s->f->sw[c->sw].n_ports &&
		moore_fabric_port(s->f, c->sw, c->port)->role == MOORE_ROLE_SWITCH;
}

int
moore_sim_check_script(const struct sim *s, struct moore_err *err)
{
	const struct moore_sim_script *script = s->point.script;
	uint32_t phases = 1;
	bool good = !script || !s->point.traffic->message;

	for (size_t i = 0; script && good && i < script->n; i++) {
		phases += script->change[i].kind == MOORE_SIM_PHASE;
		good = is_possible(s, &script->change[i]) && phases <= MOORE_SIM_PHASES &&
			(!i || script->change[i].at >= script->change[i - 1].at);
	}
	return good ? 0 : moore_fail(err, MOORE_EINVAL, 0, "simulate: a script names what the fabric has not, has too "
				     "many phases, is out of order, or belongs to an exchange");
}

uint64_t
moore_sim_changes_memory(const struct sim *s)
{
	return !s->point.script ? 0 : sizeof(struct sim_changes) + 2 * s->f->n_switches * s->lft->stride +
		(uint64_t)MOORE_SIM_PHASES * SIM_BINS * sizeof(uint32_t);
}

/* Counts the changes of each row until the next phase begins. */
static void
count_left(struct sim_changes *c)
{
	for (size_t i = c->next; i < c->script->n && c->script->change[i].kind != MOORE_SIM_PHASE; i++) {
		const struct moore_sim_change *x = &c->script->change[i];

		if (x->kind == MOORE_SIM_ROW)
			c->left[(size_t)x->sw * c->lft.stride + x->lid]++;
	}
}

bool
moore_sim_changes_init(struct sim *s)
{
	const size_t size = s->f->n_switches * s->lft->stride;
	struct sim_changes *c = s->changes = moore_arena_alloc(&s->mem, 1, sizeof(*c));
	bool good = c != NULL;

	if (!good)
		return false;
	*c = (struct sim_changes){ .script = s->point.script, .lft = *s->lft, .n_phases = 1 };
	good = (c->lft.row = moore_arena_alloc(&s->mem, size + 1, 1)) && (c->left = moore_arena_alloc(&s->mem, size + 1, 1));
	for (unsigned i = 0; good && i < MOORE_SIM_PHASES; i++)
		good = (c->count[i].bin = moore_arena_alloc(&s->mem, SIM_BINS, sizeof(uint32_t)));
	if (!good)
		return false;
	memcpy(c->lft.row, s->lft->row, size);
	s->lft = &c->lft;
	count_left(c);
	return true;
}

/* ---- making the changes ----------------------------------------------------------------------- */

static void
begin_phase(struct sim *s)
{
	struct sim_changes *c = s->changes;

	c->phase[c->n_phases - 1].to = s->now;
	c->phase[c->n_phases++].from = s->now;
	count_left(c);
}

static void
set_link(struct sim *s, const struct moore_sim_change *x)
{
	const uint32_t here = s->f->sw[x->sw].port0 + x->port, there = s->channel[here].down;

	s->channel[here].dead = s->channel[there].dead = x->kind == MOORE_SIM_DOWN;
	moore_sim_serve(s, here);
	moore_sim_serve(s, there);
}

static void
set_row(struct sim *s, const struct moore_sim_change *x)
{
	struct sim_changes *c = s->changes;

	moore_lft_row(&c->lft, x->sw)[x->lid] = x->port;
	c->left[(size_t)x->sw * c->lft.stride + x->lid]--;
	for (moore_swid w = 0; s->far && w < s->f->n_switches; w++)	/* routes of this LID are others now */
		s->far[(size_t)w * c->lft.stride + x->lid] = 0;
}

void
moore_sim_make_changes(struct sim *s)
{
	struct sim_changes *c = s->changes;

	while (sim_next_change(s) <= s->now) {
		const struct moore_sim_change *x = &c->script->change[c->next++];

		if (x->kind == MOORE_SIM_PHASE)
			begin_phase(s);
		else if (x->kind == MOORE_SIM_ROW)
			set_row(s, x);
		else
			set_link(s, x);
	}
}

/* ---- what each phase has found -------------------------------------------------------------- */

void
moore_sim_judge_phases(const struct sim *s, struct moore_sim_result *out, uint64_t *bin)
{
	const struct sim_changes *c = s->changes;

	out->n_phases = c ? c->n_phases : 0;
	for (uint32_t i = 0; i < out->n_phases; i++) {
		struct moore_sim_phase *p = &out->phase[i];
		const struct sim_block *b = &c->count[i];

		*p = c->phase[i];
		if (i + 1 == out->n_phases)
			p->to = out->stalled ? out->stalled_at : s->end;
		p->received = b->received;
		if (p->to > p->from)
			p->accepted = (double)b->received / ((double)(p->to - p->from) * s->full_rate);
		p->latency_mean = moore_sim_mean_latency(b);
		moore_sim_sum_bins(bin, b, 1);
		p->latency_p99 = moore_sim_percentile(bin, b->received, 0.99);
	}
}
