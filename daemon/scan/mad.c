// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mad.c - pipelined MADs over libibumad, a bounded number outstanding.
 *
 * Addresses that have something to send stand in a ring and take turns, so no
 * switch gets a burst; at most AT_ONE are on their way to each, one until it has
 * answered.  A Get is sent
 * TRIES times at most, TIMEOUT_MS apart.  An address that lets one pass without ever
 * having answered, or two in a row, is dead: the rest of its Gets end at once.  So
 * a dead port costs TRIES timeouts and AT_ONE places, however much was to be
 * asked of it; and when nobody answers any more, so does the whole batch.
 *
 * Answers are matched by the lower half of the transaction ID (the kernel owns
 * the upper): place and generation, so one that comes too late is nobody's. */
#include <endian.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scan/mad.h"

enum { TIMEOUT_MS = 200, TRIES = 3, AT_ONE = 4, PLACE_BITS = 10, DATA_AT = 64, SA_DATA_AT = 56,
	SA_MASK_AT = 48, QP1_QKEY = (int)0x80010000 };
#define NOTHING UINT32_MAX

struct mad_to {
	moore_lid lid;
	uint8_t hops, path[64];
	bool in_ring, dead, answered;
	uint8_t out, misses;
	uint32_t first, last;	/* entries to send; NOTHING */
	uint32_t next;		/* in the ring */
};

struct mad_entry {
	struct mad_ask q;
	uint32_t next;		/* of the same address */
};

struct place {			/* for a Get on its way */
	uint32_t entry;		/* NOTHING: free */
	uint32_t generation;
	uint64_t until_us;
	uint8_t tries;
};

struct mad_port {
	int fd, agent[N_MAD_CLASSES];
	char ca[UMAD_CA_NAME_LEN];
	int num;
	unsigned n_places, n_out;
	struct place *place;
	uint32_t *free_place;
	uint64_t next_check_us;	/* no place expires before that */
	unsigned silent;	/* Gets that ended without an answer since the last one */
	uint64_t sent;
	uint8_t *umad;
};

static const struct {
	int class, version;
} classes[N_MAD_CLASSES] = {
	[MAD_SMP_DIRECT] = { IB_SMI_DIRECT_CLASS, 1 }, [MAD_SMP_LID] = { IB_SMI_CLASS, 1 },
	[MAD_PERF] = { IB_PERFORMANCE_CLASS, 1 }, [MAD_SA] = { IB_SA_CLASS, 2 },
};

uint64_t
mono_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* ---- the port ------------------------------------------------------------------------ */

static int
places_new(struct mad_port *m, unsigned n)
{
	m->n_places = n < 1u << PLACE_BITS ? n : 1u << PLACE_BITS;
	m->place = calloc(m->n_places, sizeof(*m->place));
	m->free_place = calloc(m->n_places, sizeof(*m->free_place));
	m->umad = calloc(1, umad_size() + IB_MAD_SIZE);
	if (!m->place || !m->free_place || !m->umad)
		return -1;
	for (unsigned i = 0; i < m->n_places; i++) {
		m->place[i].entry = NOTHING;
		m->free_place[i] = i;
	}
	return 0;
}

int
mad_open(struct mad_port **out, const char *ca, int port, unsigned outstanding, char name[64],
	 struct moore_err *err)
{
	struct mad_port *m = calloc(1, sizeof(*m));
	umad_port_t info;

	*out = NULL;
	if (!m)
		return moore_fail_nomem(err);
	m->fd = -1;
	if (umad_init() < 0 || umad_get_port(ca[0] ? ca : NULL, port, &info) < 0) {
		mad_close(m);
		return moore_fail(err, MOORE_EPRECOND, 0, "there is no umad port %s%s: is ib_umad "
				  "loaded, and /dev/infiniband/umad* readable?", ca, ca[0] ? "" :
				  "at all");
	}
	memcpy(m->ca, info.ca_name, sizeof(m->ca));
	m->num = info.portnum;
	umad_release_port(&info);
	snprintf(name, 64, "%s:%d", m->ca, m->num);
	m->fd = umad_open_port(m->ca, m->num);
	for (int i = 0; i < N_MAD_CLASSES && m->fd >= 0; i++)
		if ((m->agent[i] = umad_register(m->fd, classes[i].class, classes[i].version, 0,
						 NULL)) < 0) {
			umad_close_port(m->fd);
			m->fd = -1;
		}
	if (m->fd < 0 || places_new(m, outstanding) < 0) {
		mad_close(m);
		return moore_fail(err, MOORE_EPRECOND, 0, "%.60s cannot be opened for MADs: may this "
				  "user open /dev/infiniband/umad*?", name);
	}
	*out = m;
	return 0;
}

void
mad_close(struct mad_port *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		umad_close_port(m->fd);
	free(m->place);
	free(m->free_place);
	free(m->umad);
	free(m);
}

bool
mad_there(const struct mad_port *m)
{
	umad_port_t info;

	if (umad_get_port(m->ca, m->num, &info) < 0)
		return false;
	umad_release_port(&info);
	return true;
}

bool
mad_active(const struct mad_port *m)
{
	umad_port_t info;
	bool up;

	if (umad_get_port(m->ca, m->num, &info) < 0)
		return false;
	up = info.phys_state == 5;	/* LinkUp: SMPs pass, whatever the SM has done so far */
	umad_release_port(&info);
	return up;
}

uint64_t
mad_sent(const struct mad_port *m)
{
	return m->sent;
}

/* ---- batches -------------------------------------------------------------------------- */

void
mad_batch_fini(struct mad_batch *b)
{
	free(b->to);
	free(b->entry);
	memset(b, 0, sizeof(*b));
}

/* Room for element n of *array; false and b->oom when there is none. */
static bool
room(struct mad_batch *b, void *array, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t more = *cap ? *cap * 2 : 256;
	void **a = array, *p;

	if (n < *cap)
		return true;
	p = realloc(*a, more * size);
	if (!p) {
		b->oom = true;
		return false;
	}
	*a = p;
	*cap = more;
	return true;
}

uint32_t
mad_add_to(struct mad_batch *b, moore_lid lid, const uint8_t *path, uint8_t hops)
{
	struct mad_to *t;

	if (!room(b, &b->to, b->n_to, &b->cap_to, sizeof(*b->to)))
		return 0;
	if (!b->n_to)
		b->head = b->tail = NOTHING;
	t = &b->to[b->n_to];
	*t = (struct mad_to){ .lid = lid, .hops = hops, .first = NOTHING, .last = NOTHING };
	if (path)
		memcpy(t->path, path, (size_t)hops + 1);
	return b->n_to++;
}

static void
enter_ring(struct mad_batch *b, uint32_t i)
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
	struct mad_to *t;

	if (b->oom || !room(b, &b->entry, b->n_entries, &b->cap_entries, sizeof(*b->entry)))
		return;
	t = &b->to[q.to];
	b->entry[b->n_entries] = (struct mad_entry){ q, NOTHING };
	if (t->first == NOTHING)
		t->first = b->n_entries;
	else
		b->entry[t->last].next = b->n_entries;
	t->last = b->n_entries++;
	enter_ring(b, q.to);
}

/* The next entry in turn, or NOTHING. */
static uint32_t
take_turn(struct mad_batch *b)
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
	enter_ring(b, i);
	return e;
}

/* ---- one Get ---------------------------------------------------------------------------- */

static void
put16(uint8_t *p, uint16_t v)
{
	v = htobe16(v);
	memcpy(p, &v, sizeof(v));
}

static void
put32(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, sizeof(v));
}

static void
compose(const struct mad_batch *b, const struct mad_ask *q, uint8_t *mad, uint32_t tid)
{
	const struct mad_to *t = &b->to[q->to];

	memset(mad, 0, IB_MAD_SIZE);
	mad[0] = 1;
	mad[1] = (uint8_t)classes[q->class].class;
	mad[2] = (uint8_t)classes[q->class].version;
	mad[3] = IB_MAD_METHOD_GET;
	put32(mad + 12, tid);
	put16(mad + 16, q->attr);
	switch (q->class) {
	case MAD_SMP_DIRECT:
		mad[7] = t->hops;
		put32(mad + 20, q->mod);
		put16(mad + 32, 0xffff);
		put16(mad + 34, 0xffff);
		memcpy(mad + 128, t->path, sizeof(t->path));
		break;
	case MAD_SMP_LID:
		put32(mad + 20, q->mod);
		break;
	case MAD_PERF:
		mad[DATA_AT + 1] = (uint8_t)q->mod;
		break;
	case MAD_SA:
		mad[SA_MASK_AT + 6] = 1 << (12 - 8);		/* of these, one */
		mad[SA_MASK_AT + 7] = 1 << 4 | 1 << 5;		/* DLID, SLID */
		put16(mad + SA_DATA_AT + 40, (uint16_t)q->mod);
		put16(mad + SA_DATA_AT + 42, (uint16_t)(q->mod >> 16));
		mad[SA_DATA_AT + 49] = 1;
		break;
	}
}

static void
send_place(struct mad_port *m, const struct mad_batch *b, uint32_t at)
{
	struct place *p = &m->place[at];
	const struct mad_ask *q = &b->entry[p->entry].q;
	bool gmp = q->class == MAD_PERF || q->class == MAD_SA;

	p->generation++;
	p->tries++;
	memset(m->umad, 0, umad_size());
	compose(b, q, umad_get_mad(m->umad), p->generation << PLACE_BITS | at);
	umad_set_addr(m->umad, q->class == MAD_SMP_DIRECT ? 0xffff : b->to[q->to].lid, gmp, 0,
		      gmp ? QP1_QKEY : 0);
	m->sent++;
	p->until_us = mono_us() + TIMEOUT_MS * 1000;
	/* One that cannot be sent is one that is not answered: it is tried once more. */
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
	enter_ring(b, q.to);
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
	if (umad_recv(m->fd, m->umad, &len, wait_ms) < 0 || len < DATA_AT)
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
	b->answer(b, &q, status ? NULL : mad + (q.class == MAD_SA ? SA_DATA_AT : DATA_AT), status);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Start what may be started. */
static void
fill(struct mad_port *m, struct mad_batch *b)
{
	uint32_t e;

	while (m->n_out < m->n_places && (e = take_turn(b)) != NOTHING) {
		struct mad_ask q = b->entry[e].q;

		if (b->to[q.to].dead) {
			b->to[q.to].out--;
			enter_ring(b, q.to);
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

/* Forget what is on its way: answers to it will be nobody's. */
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

/* Let it come home first: a simulator dies of answers to a port that was closed. */
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
		/* Whoever is left has had its chance when so many passed in a row. */
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
