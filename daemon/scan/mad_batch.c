// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mad_batch.c - a batch: addresses, and the Gets to each.
 *
 * Addresses that have something to send stand in a ring and take turns, so no switch
 * gets a burst; at most AT_ONE are on their way to each, one until it has answered. */
#include <stdlib.h>
#include <string.h>

#include "scan/mad_impl.h"

void
mad_batch_fini(struct mad_batch *b)
{
	free(b->to);
	free(b->entry);
	memset(b, 0, sizeof(*b));
}

uint32_t
mad_add_to(struct mad_batch *b, moore_lid lid, const uint8_t *path, uint8_t hops)
{
	struct mad_to *t;

	if (!(t = moore_grow(b->to, b->n_to, &b->cap_to, sizeof(*t)))) {
		b->oom = true;
		return 0;
	}
	b->to = t;
	if (!b->n_to)
		b->head = b->tail = NOTHING;
	t += b->n_to;
	*t = (struct mad_to){ .lid = lid, .hops = hops, .first = NOTHING, .last = NOTHING };
	if (path)
		memcpy(t->path, path, (size_t)hops + 1);
	return b->n_to++;
}

void
mad_enter_ring(struct mad_batch *b, uint32_t i)
{
	struct mad_to *t = &b->to[i];

	if (t->in_ring || t->first == NOTHING || t->out >= (t->answered ? AT_ONE : 1))
		return;
	t->in_ring = true;
	t->next = NOTHING;
	if (b->tail != NOTHING)
		b->to[b->tail].next = i;
	else
		b->head = i;
	b->tail = i;
}

void
mad_add(struct mad_batch *b, struct mad_ask q)
{
	struct mad_entry *e;
	struct mad_to *t;

	if (b->oom)
		return;
	if (!(e = moore_grow(b->entry, b->n_entries, &b->cap_entries, sizeof(*e)))) {
		b->oom = true;
		return;
	}
	b->entry = e;
	t = &b->to[q.to];
	b->entry[b->n_entries] = (struct mad_entry){ q, NOTHING };
	if (t->first == NOTHING)
		t->first = b->n_entries;
	else
		b->entry[t->last].next = b->n_entries;
	t->last = b->n_entries++;
	mad_enter_ring(b, q.to);
}

void
mad_add_smp(struct mad_batch *b, uint32_t to, uint16_t attr, uint32_t mod, uint32_t tag)
{
	mad_add(b, (struct mad_ask){ .to = to, .mod = mod, .tag = tag, .attr = attr,
				     .class = MAD_SMP_DIRECT });
}

uint32_t
mad_take_turn(struct mad_batch *b)
{
	struct mad_to *t;
	uint32_t i = b->n_to ? b->head : NOTHING, e;

	if (i == NOTHING)
		return NOTHING;
	t = &b->to[i];
	b->head = t->next;
	if (b->head == NOTHING)
		b->tail = NOTHING;
	t->in_ring = false;
	e = t->first;
	t->first = b->entry[e].next;
	t->out++;
	mad_enter_ring(b, i);
	return e;
}
