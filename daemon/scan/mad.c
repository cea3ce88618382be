// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mad.c - pipelined Gets: a bounded number on their way, each with a place.
 *
 * A Get is sent TRIES times at most, TIMEOUT_MS apart.  An address that lets one Get pass
 * without ever having answered, or two in a row, is dead: the rest of its Gets end at
 * once.  So a dead port costs TRIES timeouts and AT_ONE places, however much was to be
 * asked of it.  When 8 times as many Gets as there are places passed in a row (twice as
 * many when nobody has answered yet), the rest of the batch ends.
 *
 * Answers are matched by the lower half of the transaction ID (the kernel owns the upper):
 * place and generation, so an answer that comes too late matches no Get. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "scan/mad_impl.h"

enum { TIMEOUT_MS = 200, TRIES = 3, MAD_HEADER = 64, QP1_QKEY = (int)0x80010000 };

static void
send_place(struct mad_port *m, const struct mad_batch *b, uint32_t at)
{
	struct place *p = &m->place[at];
	const struct mad_ask *q = &b->entry[p->entry].q;
	bool gmp = q->class == MAD_PERF || q->class == MAD_SA;

	p->generation++;
	p->tries++;
	memset(m->umad, 0, umad_size());
	mad_compose(umad_get_mad(m->umad), q, &b->to[q->to], p->generation << PLACE_BITS | at);
	umad_set_addr(m->umad, q->class == MAD_SMP_DIRECT ? 0xffff : (int)b->to[q->to].lid, gmp, 0,
		      gmp ? QP1_QKEY : 0);
	m->sent++;
	p->until_us = mono_us() + TIMEOUT_MS * 1000;
	/* A Get that cannot be sent has no answer either, and is sent once more after it. */
	(void)umad_send(m->fd, m->agent[q->class], m->umad, IB_MAD_SIZE, TIMEOUT_MS, 0);
	if (p->until_us < m->next_check_us)
		m->next_check_us = p->until_us;
}

static void
start_one(struct mad_port *m, const struct mad_batch *b, uint32_t entry)
{
	uint32_t at = m->free_place[m->n_places - 1 - m->n_out++];

	m->place[at].entry = entry;
	m->place[at].tries = 0;
	send_place(m, b, at);
}

/* The Get at a place ends; its address may send again. */
static struct mad_ask
end_place(struct mad_port *m, struct mad_batch *b, uint32_t at)
{
	struct place *p = &m->place[at];
	struct mad_ask q = b->entry[p->entry].q;

	p->entry = NOTHING;
	m->free_place[m->n_places - m->n_out--] = at;
	b->to[q.to].out--;
	mad_enter_ring(b, q.to);
	return q;
}

static void
miss(struct mad_port *m, struct mad_batch *b, uint32_t at)
{
	struct mad_ask q;
	struct mad_to *t;

	b->late += m->place[at].tries == 1;
	if (m->place[at].tries < TRIES && !b->to[b->entry[m->place[at].entry].q.to].dead) {
		send_place(m, b, at);
		return;
	}
	q = end_place(m, b, at);
	t = &b->to[q.to];
	t->dead |= ++t->misses > t->answered;
	m->silent++;
	b->answer(b, &q, NULL, 0);
}

static void
expire(struct mad_port *m, struct mad_batch *b)
{
	uint64_t now = mono_us();

	m->next_check_us = UINT64_MAX;
	for (uint32_t i = 0; i < m->n_places; i++) {
		if (m->place[i].entry == NOTHING)
			continue;
		if (m->place[i].until_us <= now)
			miss(m, b, i);
		else if (m->place[i].until_us < m->next_check_us)
			m->next_check_us = m->place[i].until_us;
	}
}

static void
receive(struct mad_port *m, struct mad_batch *b, int wait_ms)
{
	int len = IB_MAD_SIZE;
	const uint8_t *mad = umad_get_mad(m->umad);
	struct mad_ask q;
	uint32_t tid, at;
	uint16_t status;

	/* A simulator hands over what was sent, which may end before the MAD does. */
	memset(umad_get_mad(m->umad), 0, IB_MAD_SIZE);
	if (umad_recv(m->fd, m->umad, &len, wait_ms) < 0 || len < MAD_HEADER)
		return;
	memcpy(&tid, mad + 12, sizeof(tid));
	tid = be32toh(tid);
	at = tid & ((1u << PLACE_BITS) - 1);
	if (at >= m->n_places || m->place[at].entry == NOTHING ||
	    (m->place[at].generation & UINT32_MAX >> PLACE_BITS) != tid >> PLACE_BITS)
		return;
	if (umad_status(m->umad)) {	/* the kernel gave it up */
		miss(m, b, at);
		return;
	}
	if (!(mad[3] & IB_MAD_RESPONSE))
		return;
	b->to[b->entry[m->place[at].entry].q.to].answered = true;
	q = end_place(m, b, at);
	b->to[q.to].misses = 0;
	m->silent = 0;
	b->heard = true;
	memcpy(&status, mad + 4, sizeof(status));
	status = be16toh(status) & 0x7fff;	/* the top bit is the direction of an SMP */
	b->answer(b, &q, status ? NULL : mad + mad_data_at(q.class), status);
}

/* ---- whole batches ------------------------------------------------------------------ */

static void
fill(struct mad_port *m, struct mad_batch *b)
{
	uint32_t e;

	while (m->n_out < m->n_places && (e = mad_take_turn(b)) != NOTHING) {
		struct mad_ask q = b->entry[e].q;

		if (b->to[q.to].dead) {
			b->to[q.to].out--;
			mad_enter_ring(b, q.to);
			b->answer(b, &q, NULL, 0);
		} else {
			start_one(m, b, e);
		}
	}
}

static void
ignore(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	(void)b, (void)q, (void)data, (void)status;
}

/* Forgets what is on its way: an answer to it will match no Get. */
static void
forget(struct mad_port *m)
{
	for (uint32_t i = 0; i < m->n_places; i++) {
		m->place[i].entry = NOTHING;
		m->place[i].generation++;
		m->free_place[i] = i;
	}
	m->n_out = 0;
}

/* Waits for what is on its way, and drops it: ibsim dies of answers to a closed port. */
static void
drop_all(struct mad_port *m, struct mad_batch *b)
{
	uint64_t now, until = mono_us() + TIMEOUT_MS * 1000;

	b->answer = ignore;
	while (m->n_out && (now = mono_us()) < until)
		receive(m, b, (int)((until - now) / 1000) + 1);
	forget(m);
}

static void
all_dead(struct mad_port *m, struct mad_batch *b)
{
	for (uint32_t i = 0; i < b->n_to; i++)
		b->to[i].dead = true;
	for (uint32_t i = 0; i < m->n_places; i++)
		if (m->place[i].entry != NOTHING) {
			struct mad_ask q = end_place(m, b, i);

			b->answer(b, &q, NULL, 0);
		}
	fill(m, b);
}

enum mad_end
mad_run(struct mad_port *m, struct mad_batch *b, atomic_ullong *beat, atomic_bool *stop)
{
	m->silent = 0;
	m->next_check_us = UINT64_MAX;
	for (;;) {
		uint64_t now = mono_us();

		atomic_store(beat, now / 1000);
		if (now >= m->next_check_us)
			expire(m, b);
		if (b->oom || atomic_load(stop)) {
			drop_all(m, b);
			return b->oom ? MAD_NOMEM : MAD_STOPPED;
		}
		if (b->enough || b->late > b->late_max) {
			forget(m);
			return b->enough ? MAD_DONE : MAD_LEFT;
		}
		if (m->silent >= (b->heard ? 8 : 2) * m->n_places)
			all_dead(m, b);
		if (!b->pause_us || now < b->pause_us)
			fill(m, b);
		else if (!m->n_out && b->n_to && b->head != NOTHING)
			return MAD_PAUSED;
		if (!m->n_out)
			break;
		now = mono_us();
		receive(m, b, m->next_check_us > now ? (int)((m->next_check_us - now) / 1000) + 1 : 1);
	}
	if (b->oom)
		return MAD_NOMEM;
	return b->n_entries && !b->heard ? MAD_SILENT : MAD_DONE;
}
