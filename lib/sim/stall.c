// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stall.c - finds input buffers that wait for each other and can never move again.
 *
 * The first packet of a queue cannot cross when its output queue is full and idle, and then waits for the
 * buffer at the other end of that link.  A full buffer moves again if one of its first packets does,
 * and one with room moves when a packet comes.  So the buffers that never move are the largest set of
 * full ones in which each first packet waits for a buffer of the set: those that can move are left out
 * until nothing changes, and no rule of time is needed.  A walk within the set ends in a cycle. */
#include "sim/sim_impl.h"

/* The buffer for which the first packet of a queue in the buffer of `port` waits; MOORE_NONE: it can move,
 * now or when something in motion is done. */
static uint32_t
waits_for(const struct sim *s, uint32_t port, const struct sim_queue *queue)
{
	const struct sim_packet *p = &s->packet[queue->head];
	const uint32_t at = s->f->sw[s->channel[port].sw].port0 + p->out, v = p->out_vl;
	const struct sim_channel *c = &s->channel[at];

	if (c->down == MOORE_NONE || c->dead || s->n_out[(size_t)at * s->n_vl + v] < s->o.out_queue ||
	    (c->link_busy && c->sending == v))
		return MOORE_NONE;
	return c->down * s->n_vl + v;
}

/* Returns whether all first packets of a full buffer wait for marked ones; *next is one of these. */
static bool
stands(const struct sim *s, const uint32_t *mark, uint32_t q, uint32_t *next)
{
	const struct sim_queue *queue = sim_lines(s, q);

	for (uint32_t line = 0; line < s->n_lines; line++)
		if (queue[line].head != MOORE_NONE) {
			*next = waits_for(s, q / s->n_vl, &queue[line]);
			if (*next == MOORE_NONE || !mark[*next])
				return false;
		}
	return true;
}

/* Leaves the marks of the buffers that can never move; returns the first one, or MOORE_NONE. */
static uint32_t
mark_stalled(const struct sim *s, uint32_t *mark)
{
	const uint32_t n = s->n_ports * s->n_vl;
	uint32_t first = MOORE_NONE, next;
	bool changed = true;

	for (uint32_t q = 0; q < n; q++)
		mark[q] = s->n_in[q] >= s->o.buffer;
	while (changed) {
		changed = false;
		first = MOORE_NONE;
		for (uint32_t q = 0; q < n; q++) {
			if (!mark[q])
				continue;
			mark[q] = stands(s, mark, q, &next);
			changed |= !mark[q];
			first = mark[q] && first == MOORE_NONE ? q : first;
		}
	}
	return first;
}

uint32_t
moore_sim_find_stall(const struct sim *s, uint32_t *mark, uint32_t *where)
{
	uint32_t at = mark_stalled(s, mark), length = 0;

	if (at == MOORE_NONE)
		return 0;
	while (mark[at] == 1) {
		mark[at] = 2;
		stands(s, mark, at, &at);
	}
	*where = at;
	do
		stands(s, mark, at, &at);
	while (++length && at != *where);
	return length;
}
