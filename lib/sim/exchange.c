// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* exchange.c - messages that are sent once, and some of them after others were received.
 *
 * A host's messages stand by rising `after`, so those that it may send are its first ones.  It sends a
 * packet of each in turn, as fast as its link takes them.  The exchange is complete when the last byte
 * of the last message has come. */
#include "sim/sim_impl.h"

/* Lets a host send all messages that wait for no more than it has received. */
static void
open_messages(struct sim *s, struct sim_host *h)
{
	while (h->open < h->n && s->message[h->first + h->open].after <= h->got)
		h->left += s->message[h->first + h->open++].to_send;
}

void
moore_sim_start_exchange(struct sim *s)
{
	const struct moore_sim_traffic *t = s->point.traffic;

	for (uint32_t i = 0; i < t->n_messages; i++)
		s->host[t->message[i].from].n++;
	moore_sim_place_lists(s);
	for (uint32_t i = 0; i < t->n_messages; i++) {
		const struct moore_sim_message *m = &t->message[i];
		struct sim_host *h = &s->host[m->from];

		s->message[h->first + h->n++] = (struct sim_message){ m->to, m->after, m->packets, m->packets };
	}
	s->n_open = t->n_messages;
	for (uint32_t e = 0; e < s->f->n_endpoints; e++)
		open_messages(s, &s->host[e]);
}

uint32_t
moore_sim_next_message(struct sim *s, struct sim_host *h)
{
	uint32_t m;

	if (!h->left)
		return MOORE_NONE;
	do {
		m = h->first + h->next;
		h->next = h->next + 1 >= h->open ? 0 : h->next + 1;
	} while (!s->message[m].to_send);
	s->message[m].to_send--;
	h->left--;
	return m;
}

void
moore_sim_got_packet(struct sim *s, uint32_t m, uint64_t t)
{
	s->received++;
	if (--s->message[m].to_receive)
		return;
	s->n_open--;
	s->completion = t > s->completion ? t : s->completion;
	sim_wheel_add(&s->wheel, t, SIM_GOT, s->message[m].to, 0, 0);
}

void
moore_sim_got_message(struct sim *s, uint32_t host)
{
	s->host[host].got++;
	open_messages(s, &s->host[host]);
	moore_sim_inject(s, host);
}
