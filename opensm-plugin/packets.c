// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* packets.c - packets that may still be in the fabric although the rows or lanes that they followed
 * have changed: how long they stay, and which rows of earlier steps they may be on. */
#include "plugin.h"

enum { LIFETIME_MAX = 19 };	/* greater codes mean: no limit */

static double
lifetime_ms(uint8_t code)
{
	return 0.004096 * (double)(1u << (code < LIFETIME_MAX ? code : LIFETIME_MAX));
}

double
mplug_packets_stay_ms(const struct mplug_sm *sm)
{
	const osm_subn_opt_t *o = &sm->osm->subn.opt;
	double life = lifetime_ms(o->packet_life_time);
	double inner = lifetime_ms(o->head_of_queue_lifetime);
	double leaf = lifetime_ms(o->leaf_head_of_queue_lifetime);

	if (sm->settings.conf.motion_wait)
		return sm->settings.conf.motion_wait;
	return sm->motion.hops * (inner > life ? inner : life) + (leaf > life ? leaf : life);
}

void
mplug_packets_left(struct mplug_motion *m)
{
	free(m->past);
	m->past = NULL;
	m->n_past = m->cap_past = 0;
}

int
mplug_packets_note(struct mplug_motion *m, uint64_t guid, moore_lid lid, uint8_t port)
{
	struct mplug_past_row *past = moore_grow(m->past, m->n_past, &m->cap_past, sizeof(*past));

	if (!past)
		return -1;
	m->past = past;
	m->past[m->n_past++] = (struct mplug_past_row){ guid, lid, port };
	return 0;
}

struct moore_row *
mplug_packets_list(struct mplug_sm *sm, const struct moore_fabric *f, size_t stride, size_t *n)
{
	struct mplug_motion *m = &sm->motion;
	struct moore_row *row;

	if (mplug_now_ms() - m->answered_ms > mplug_packets_stay_ms(sm))
		mplug_packets_left(m);
	*n = 0;
	row = malloc((m->n_past + 1) * sizeof(*row));
	for (size_t i = 0; row && i < m->n_past; i++) {
		const struct mplug_past_row *p = &m->past[i];
		moore_swid s = mplug_switch_by_guid(f, p->guid);

		if (s != MOORE_NONE && p->lid < stride)
			row[(*n)++] = (struct moore_row){ s, p->lid, p->port };
	}
	return row;
}

void
mplug_packets_strange(struct mplug_sm *sm)
{
	sm->motion.strange_ms = mplug_now_ms();
}

bool
mplug_packets_are_strange(const struct mplug_sm *sm)
{
	const struct mplug_motion *m = &sm->motion;

	return m->strange_ms > 0 && mplug_now_ms() - m->strange_ms < mplug_packets_stay_ms(sm);
}
