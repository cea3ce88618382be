// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* audit.c - counts all packets and credits where they are, for tests.
 *
 * The counts are taken from lists and events, and compared with those that the simulation keeps. */
#include <string.h>

#include "sim/sim_impl.h"

static uint32_t
length(const struct sim *s, const struct sim_queue *q)
{
	uint32_t n = 0;

	for (uint32_t k = q->head; k != MOORE_NONE; k = s->packet[k].next)
		n++;
	return n;
}

/* The packets of all lines of an input buffer; counts a bit of lines[] that is wrong in *wrong. */
static uint32_t
buffer_length(const struct sim *s, uint32_t q, uint32_t *wrong)
{
	uint32_t n = 0;

	for (uint32_t line = 0; line < s->n_lines; line++) {
		const uint32_t here = length(s, &sim_lines(s, q)[line]);

		*wrong += s->n_lines > 1 &&
			(here > 0) != (s->lines[(size_t)q * s->line_words + line / 64] >> line % 64 & 1);
		n += here;
	}
	return n;
}

/* Adds what is announced by events: slots by channel and VL, packets on links. */
static uint32_t
count_events(const struct sim *s, uint32_t *slot)
{
	uint32_t flying = 0;

	for (uint32_t b = 0; b < s->wheel.n; b++)
		for (uint32_t i = s->wheel.head[b]; i != MOORE_NONE; i = s->wheel.event[i].next) {
			const struct sim_event *e = &s->wheel.event[i];

			flying += e->kind == SIM_ARRIVE;
			if (e->kind == SIM_ARRIVE)
				slot[s->channel[e->at].up * s->n_vl + e->vl]++;
			if (e->kind == SIM_CREDIT)
				slot[e->at * s->n_vl + e->vl]++;
		}
	return flying;
}

/* Returns whether the phases together have what the whole run has. */
static bool
phases_add_up(const struct sim *s)
{
	uint64_t made = 0, received = 0, lost = 0;

	for (uint32_t i = 0; s->changes && i < s->changes->n_phases; i++) {
		made += s->changes->phase[i].made;
		received += s->changes->count[i].received;
		for (unsigned k = 0; k < MOORE_N_SIM_LOSSES; k++)
			lost += s->changes->phase[i].lost[k];
	}
	return !s->changes || (made == s->made && received == s->received && lost == s->dropped);
}

const char *
moore_sim_audit(const struct sim *s, uint32_t *slot)
{
	uint32_t packets, wrong = 0;

	memset(slot, 0, (size_t)s->n_channels * s->n_vl * sizeof(*slot));
	packets = count_events(s, slot);
	for (uint32_t q = 0; q < s->n_ports * s->n_vl; q++) {
		const struct sim_channel *c = &s->channel[q / s->n_vl];
		const uint32_t n = buffer_length(s, q, &wrong), out = length(s, &s->out[q]);
		const bool sending = c->link_busy && c->sending == q % s->n_vl;

		packets += n + out;
		if (wrong)
			return "the set of lines with packets";
		if (n != s->n_in[q] || out + sending != s->n_out[q])
			return "the length of a queue";
		if (s->n_out[q] > s->o.out_queue)
			return "an output queue has more packets than room";
		if (c->up != MOORE_NONE)
			slot[c->up * s->n_vl + q % s->n_vl] += n;
		else if (n)
			return "a packet came from nowhere";
	}
	for (uint32_t q = 0; q < s->n_channels * s->n_vl; q++)
		if (s->channel[q / s->n_vl].down != MOORE_NONE && slot[q] + s->credit[q] != s->o.buffer)
			return "credits and packets are not the size of the buffer";
	if (packets != s->n_packets || s->made != s->received + s->dropped + packets)
		return "packets were made or lost on the way";
	if (!phases_add_up(s))
		return "the counts of phases";
	return NULL;
}
