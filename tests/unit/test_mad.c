// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_mad.c - many Gets at a time, on a fake libibumad with a clock of its own.
 * umad_send() asks a script when and how a Get is answered; umad_recv() advances the clock. */
#include <endian.h>
#include <errno.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include "harness.h"
#include "clock.h"
#include "scan/mad.h"

enum { HEADER = 64, PLACES = 16, QUEUE = 4096, MS = 1000, TIMEOUT = 200 * MS, LIDS = 64 };
#define NO_ANSWER UINT64_MAX

/* ---- the fake ------------------------------------------------------------------------ */

struct reply {
	uint64_t at;
	uint8_t mad[IB_MAD_SIZE];
	uint32_t umad_status;	/* not 0: the kernel returns the Get unsent */
};
struct script {			/* what happens to the nth sending (from 0) of a Get */
	uint64_t after_us;	/* may be NO_ANSWER */
	uint16_t status;	/* status of the MAD */
	uint32_t umad_status;
};

static struct {
	uint64_t now;
	struct script (*script)(unsigned lid, uint32_t mod, unsigned nth);
	struct reply queue[QUEUE];
	size_t n_queue;
	unsigned n_sent, nth[LIDS][QUEUE];
	unsigned out, most_out, of[LIDS], most_of[LIDS], first_of[LIDS];
	bool absent, unopened;
	int phys_state;
} fake;

uint64_t mono_us(void) { return fake.now; }

int umad_init(void) { return 0; }
int
umad_get_port(const char *ca, int num, umad_port_t *p)
{
	if (fake.absent)
		return -ENODEV;
	memset(p, 0, sizeof(*p));
	snprintf(p->ca_name, sizeof(p->ca_name), "%s", ca ? ca : "fake0");
	p->portnum = num ? num : 1;
	p->phys_state = (unsigned)fake.phys_state;
	return 0;
}
int umad_release_port(umad_port_t *p) { (void)p; return 0; }
int umad_open_port(const char *ca, int num) { (void)ca, (void)num; return fake.unopened ? -EPERM : 5; }
int umad_close_port(int fd) { (void)fd; return 0; }
int
umad_register(int fd, int class, int version, uint8_t rmpp,
	      long mask[16 / sizeof(long)])
{
	(void)fd, (void)version, (void)rmpp, (void)mask;
	return class;
}
size_t umad_size(void) { return HEADER; }
void *umad_get_mad(void *umad) { return (uint8_t *)umad + HEADER; }
int umad_status(void *umad) { return *(int *)umad; }
int
umad_set_addr(void *umad, int dlid, int dqp, int sl, int qkey)
{
	(void)dqp, (void)sl, (void)qkey;
	((int *)umad)[1] = dlid;
	return 0;
}

static unsigned
lid_in(const uint8_t *umad)
{
	int lid;

	memcpy(&lid, umad + 4, sizeof(lid));
	return (unsigned)lid < LIDS ? (unsigned)lid : umad[HEADER + 128 + 1];	/* path[1] */
}

static uint32_t
mod_in(const uint8_t *umad)
{
	uint32_t mod;

	memcpy(&mod, umad + HEADER + 20, sizeof(mod));
	return be32toh(mod);
}

int
umad_send(int fd, int agent, void *umad, int len, int timeout_ms, int retries)
{
	unsigned lid = lid_in(umad);
	uint32_t mod = mod_in(umad);
	struct script s = fake.script(lid, mod, fake.nth[lid][mod % QUEUE]++);
	struct reply *r;

	(void)fd, (void)agent, (void)len, (void)timeout_ms, (void)retries;
	fake.n_sent++;
	if (fake.nth[lid][mod % QUEUE] == 1) {	/* a new Get, not a repeated one */
		fake.out++;
		fake.of[lid]++;
	}
	if (fake.out > fake.most_out)
		fake.most_out = fake.out;
	if (fake.of[lid] > fake.most_of[lid])
		fake.most_of[lid] = fake.of[lid];
	if (s.after_us == NO_ANSWER)
		return 0;
	assert_true(fake.n_queue < QUEUE);
	r = &fake.queue[fake.n_queue++];
	*r = (struct reply){ .at = fake.now + s.after_us, .umad_status = s.umad_status };
	memcpy(r->mad, (uint8_t *)umad + HEADER, IB_MAD_SIZE);
	r->mad[3] |= s.umad_status ? 0 : IB_MAD_RESPONSE;
	r->mad[4] = (uint8_t)(s.status >> 8);
	r->mad[5] = (uint8_t)s.status;
	memcpy(r->mad + 64, &mod, sizeof(mod));	/* the reply carries what was asked */
	return 0;
}

int
umad_recv(int fd, void *umad, int *len, int wait_ms)
{
	uint64_t until = fake.now + (uint64_t)wait_ms * MS;
	size_t first = 0;
	struct reply r;

	(void)fd;
	for (size_t i = 1; i < fake.n_queue; i++)
		if (fake.queue[i].at < fake.queue[first].at)
			first = i;
	if (!fake.n_queue || fake.queue[first].at > until) {
		fake.now = until;
		return -ETIMEDOUT;
	}
	r = fake.queue[first];
	fake.queue[first] = fake.queue[--fake.n_queue];
	fake.now = r.at > fake.now ? r.at : fake.now;
	memset(umad, 0, HEADER);
	*(uint32_t *)umad = r.umad_status;
	memcpy((uint8_t *)umad + HEADER, r.mad, IB_MAD_SIZE);
	*len = IB_MAD_SIZE;
	return 0;
}

/* ---- scripts --------------------------------------------------------------------------- */

static struct script
at_once(unsigned lid, uint32_t mod, unsigned nth)
{
	(void)lid, (void)mod, (void)nth;
	return (struct script){ 10, 0, 0 };
}

static struct script
backwards(unsigned lid, uint32_t mod, unsigned nth)	/* the last Get is answered first */
{
	(void)lid, (void)nth;
	return (struct script){ 100 * MS - mod * 100, 0, 0 };
}

static struct script
dead_lid_1(unsigned lid, uint32_t mod, unsigned nth)
{
	(void)mod, (void)nth;
	return (struct script){ lid == 1 ? NO_ANSWER : 10, 0, 0 };
}

static struct script
silence(unsigned lid, uint32_t mod, unsigned nth)
{
	(void)lid, (void)mod, (void)nth;
	return (struct script){ NO_ANSWER, 0, 0 };
}

static struct script
third_time(unsigned lid, uint32_t mod, unsigned nth)
{
	(void)lid, (void)mod;
	return (struct script){ nth < 2 ? NO_ANSWER : 10, 0, 0 };
}

static struct script
late(unsigned lid, uint32_t mod, unsigned nth)	/* the first answer arrives during the second try */
{
	(void)lid, (void)mod;
	return (struct script){ nth ? 100 * MS : TIMEOUT + 50 * MS, 0, 0 };
}

static struct script
refused(unsigned lid, uint32_t mod, unsigned nth)	/* with the direction bit of a directed
							 * SMP */
{
	(void)lid, (void)nth;
	return (struct script){ 10, mod == 3 ? 0x801c : 0x8000, 0 };
}

static struct script
unsent(unsigned lid, uint32_t mod, unsigned nth)	/* the kernel returns the first Get */
{
	(void)lid, (void)mod;
	return (struct script){ 10, 0, nth ? 0 : EINVAL };
}

static struct script
mute_at_5(unsigned lid, uint32_t mod, unsigned nth)	/* answers five Gets, then no more */
{
	(void)lid, (void)nth;
	return (struct script){ mod < 5 ? 10 : NO_ANSWER, 0, 0 };
}

/* ---- batches ---------------------------------------------------------------------------- */

struct heard {
	unsigned n, answered, refused;
	uint32_t order[QUEUE];	/* tags, in the order in which they ended */
	unsigned times[QUEUE];	/* how often each tag ended */
	bool wrong;		/* an answer had the data of another Get */
	uint32_t stop_at, more_at;	/* after so many answers: stop, or add one more Get; 0:
					 * never */
};

static void
on_answer(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data, unsigned status)
{
	struct heard *h = b->arg;
	uint32_t mod;

	h->order[h->n++] = q->tag;
	h->times[q->tag]++;
	h->answered += data != NULL;
	h->refused += !data && status;
	if (data) {
		memcpy(&mod, data, sizeof(mod));
		h->wrong |= mod != q->mod;
	}
	fake.out--;
	fake.of[1 + q->to]--;
	b->enough = h->stop_at && h->n >= h->stop_at;
	if (h->n == h->more_at)
		mad_add(b, (struct mad_ask){ .to = q->to, .mod = 999, .tag = 999, .class = MAD_SMP_DIRECT });
}

static atomic_ullong beat;
static atomic_bool stop;

static struct mad_port *
open_fake(struct script (*script)(unsigned, uint32_t, unsigned))
{
	struct mad_port *m;
	struct moore_err err;
	char name[64];

	memset(&fake, 0, sizeof(fake));
	fake.now = 1000000;
	fake.script = script;
	fake.phys_state = 5;
	atomic_store(&stop, false);
	assert_int_equal(mad_open(&m, "", 0, PLACES, name, &err), 0);
	assert_string_equal(name, "fake0:1");
	return m;
}

/* n Gets to each of n_to addresses, sorted by address. */
static void
fill_batch(struct mad_batch *b, struct heard *h, unsigned n_to, unsigned n)
{
	memset(h, 0, sizeof(*h));
	*b = (struct mad_batch){ .answer = on_answer, .arg = h, .late_max = MAD_PATIENT };
	for (unsigned i = 0; i < n_to; i++) {
		uint8_t path[64] = { 0, (uint8_t)(i + 1) };
		uint32_t to = mad_add_to(b, 0, path, 1);

		for (unsigned k = 0; k < n; k++)
			mad_add(b, (struct mad_ask){ .to = to, .mod = k, .tag = i * n + k,
						     .class = MAD_SMP_DIRECT });
	}
}

static bool
each_once(const struct heard *h, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (h->times[i] != 1)
			return false;
	return h->n == n;
}

static const struct {
	const char *why;
	struct script (*script)(unsigned, uint32_t, unsigned);
	unsigned n_to, n;
	enum mad_end end;
	unsigned answered, refused, sent;	/* sent 0: not compared */
	uint64_t ms;		/* greatest duration */
	uint32_t late;
} T[] = {
	{ "nothing to ask", at_once, 0, 0, MAD_DONE, 0, 0, 0, 0, 0 },
	{ "one", at_once, 1, 1, MAD_DONE, 1, 0, 1, 1, 0 },
	{ "many more than places", at_once, 50, 80, MAD_DONE, 4000, 0, 4000, 50, 0 },
	{ "answers out of order", backwards, 1, 200, MAD_DONE, 200, 0, 200, 6000, 0 },
	{ "a dead address costs three timeouts", dead_lid_1, 2, 30, MAD_DONE, 30, 0, 33, 610, 1 },
	{ "an answer to the third sending", third_time, 1, 4, MAD_DONE, 4, 0, 12, 1000, 4 },
	{ "an answer to a sending that was given up", late, 3, 1, MAD_DONE, 3, 0, 6, 305, 3 },
	{ "a port that refuses", refused, 1, 5, MAD_DONE, 4, 1, 5, 10, 0 },
	{ "what the kernel gives back is sent again", unsent, 2, 2, MAD_DONE, 4, 0, 8, 10, 4 },
	{ "an address that falls silent misses two", mute_at_5, 1, 40, MAD_DONE, 5, 0, 17, 1210, 4 },
	{ "nobody answers", silence, 1, 500, MAD_SILENT, 0, 0, 3, 610, 1 },
	{ "nobody of many answers", silence, 60, 60, MAD_SILENT, 0, 0, 0, 2000, 0 },
};

static void
test_table(void **state)
{
	struct mad_batch b;
	static struct heard h;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mad_port *m = open_fake(T[i].script);
		uint64_t from = fake.now;

		fill_batch(&b, &h, T[i].n_to, T[i].n);
		CHECK_EQ(T[i].why, mad_run(m, &b, &beat, &stop), T[i].end);
		CHECK(T[i].why, each_once(&h, T[i].n_to * T[i].n));
		CHECK_EQ(T[i].why, h.answered, T[i].answered);
		CHECK_EQ(T[i].why, h.refused, T[i].refused);
		CHECK(T[i].why, !h.wrong);
		CHECK_EQ(T[i].why, mad_sent(m), fake.n_sent);
		if (T[i].sent)
			CHECK_EQ(T[i].why, fake.n_sent, T[i].sent);
		if (T[i].late)
			CHECK_EQ(T[i].why, b.late, T[i].late);
		CHECK(T[i].why, fake.now - from <= T[i].ms * MS);
		CHECK(T[i].why, fake.most_out <= PLACES);
		for (unsigned k = 0; k < LIDS; k++)
			CHECK(T[i].why, fake.most_of[k] <= 4);
		mad_batch_fini(&b);
		mad_close(m);
	}
}

static void
test_turns(void **state)
{
	struct mad_port *m = open_fake(silence);
	struct mad_batch b;
	static struct heard h;

	(void)state;
	fill_batch(&b, &h, 3, 10);
	mad_run(m, &b, &beat, &stop);
	CHECK("one to an address that never answered", fake.most_of[1] == 1 && fake.most_of[3] == 1);
	mad_batch_fini(&b);
	mad_close(m);
	m = open_fake(backwards);
	fill_batch(&b, &h, 1, 20);
	mad_run(m, &b, &beat, &stop);
	CHECK_EQ("then four", fake.most_of[1], 4);
	CHECK("out of order", h.order[1] != 1);
	mad_batch_fini(&b);
	mad_close(m);
	m = open_fake(at_once);
	fill_batch(&b, &h, 40, 2);
	mad_run(m, &b, &beat, &stop);
	for (unsigned i = 0; i < PLACES; i++)
		CHECK_EQ("each address has a turn before any has two", h.order[i] % 2, 0);
	mad_batch_fini(&b);
	mad_close(m);
}

/* After MAD_LEFT, late answers to abandoned Gets match no Get of the next batch. */
static void
test_left(void **state)
{
	struct mad_port *m = open_fake(late);
	struct mad_batch b, next;
	static struct heard h, h2;
	unsigned n;

	(void)state;
	fill_batch(&b, &h, 10, 3);
	b.late_max = 2;
	CHECK_EQ("too many are late", mad_run(m, &b, &beat, &stop), MAD_LEFT);
	n = h.n;
	CHECK("before all have ended", n < 30);
	fake.script = at_once;
	memset(fake.nth, 0, sizeof(fake.nth));
	fill_batch(&next, &h2, 10, 3);
	CHECK_EQ("the next batch", mad_run(m, &next, &beat, &stop), MAD_DONE);
	CHECK("is its own", each_once(&h2, 30) && !h2.wrong && h2.answered == 30);
	CHECK_EQ("and nothing more came of the first", h.n, n);
	mad_batch_fini(&b);
	mad_batch_fini(&next);
	mad_close(m);
}

static void
test_pause(void **state)
{
	struct mad_port *m = open_fake(at_once);
	struct mad_batch b;
	static struct heard h;

	(void)state;
	fill_batch(&b, &h, 2, 400);
	b.pause_us = fake.now + 300;
	CHECK_EQ("it pauses", mad_run(m, &b, &beat, &stop), MAD_PAUSED);
	CHECK("amid the batch, with nothing on its way", h.n > 8 && h.n < 800 && !fake.out);
	b.pause_us = 0;
	CHECK_EQ("it goes on", mad_run(m, &b, &beat, &stop), MAD_DONE);
	CHECK("to the end", each_once(&h, 800));
	CHECK_EQ("the beat is the clock", atomic_load(&beat), fake.now / MS);
	mad_batch_fini(&b);
	mad_close(m);
}

static void
test_ends(void **state)
{
	struct mad_port *m = open_fake(at_once);
	struct mad_batch b;
	static struct heard h;
	uint64_t from;

	(void)state;
	fill_batch(&b, &h, 10, 10);
	h.stop_at = 7;
	CHECK_EQ("enough", mad_run(m, &b, &beat, &stop), MAD_DONE);
	CHECK_EQ("the rest is not asked", h.n, 7);
	mad_batch_fini(&b);

	fill_batch(&b, &h, 2, 3);
	h.more_at = 6;
	CHECK_EQ("answer() adds a Get", mad_run(m, &b, &beat, &stop), MAD_DONE);
	CHECK_EQ("which is answered too", h.times[999], 1);
	mad_batch_fini(&b);

	fake.script = silence;
	fill_batch(&b, &h, 10, 3);
	atomic_store(&stop, true);
	from = fake.now;
	CHECK_EQ("stop", mad_run(m, &b, &beat, &stop), MAD_STOPPED);
	CHECK("soon", fake.now - from <= TIMEOUT + MS && !h.n);
	mad_batch_fini(&b);
	mad_close(m);
}

static void
test_port(void **state)
{
	struct mad_port *m = open_fake(at_once);
	struct moore_err err;
	char name[64];

	(void)state;
	CHECK("there, and its link is up", mad_there(m) && mad_active(m));
	fake.phys_state = 2;
	CHECK("polling", mad_there(m) && !mad_active(m));
	fake.absent = true;
	CHECK("gone", !mad_there(m) && !mad_active(m));
	mad_close(m);
	CHECK_EQ("none", mad_open(&m, "x0", 2, 4, name, &err), -MOORE_EPRECOND);
	CHECK_STR("none", err.text, "no umad port x0");
	fake.absent = false;
	fake.unopened = true;
	CHECK_EQ("closed to us", mad_open(&m, "x0", 2, 4, name, &err), -MOORE_EPRECOND);
	CHECK_STR("closed to us", err.text, "x0:2 cannot be opened");
	mad_close(NULL);
}

/* When each allocation fails in turn, the result is MAD_NOMEM or a failed open, and nothing
 * leaks. */
static void
test_no_memory(void **state)
{
	struct mad_port *m = open_fake(at_once);
	struct moore_err err;
	static struct heard h;
	char name[64];
	bool failed = true;

	(void)state;
	for (long k = 0; failed; k++) {
		struct mad_batch b;

		alloc_count = 0;
		alloc_fail_at = k;
		fill_batch(&b, &h, 60, 10);
		alloc_fail_at = -1;
		failed = b.oom;
		CHECK_EQ("out of memory", mad_run(m, &b, &beat, &stop), failed ? MAD_NOMEM : MAD_DONE);
		mad_batch_fini(&b);
		memset(fake.nth, 0, sizeof(fake.nth));
		fake.out = 0;
	}
	mad_close(m);
	for (long k = 0; k < 4; k++) {
		alloc_count = 0;
		alloc_fail_at = k;
		if (mad_open(&m, "", 0, 4, name, &err) == 0)
			mad_close(m);
		alloc_fail_at = -1;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_turns), cmocka_unit_test(test_left),
		cmocka_unit_test(test_pause), cmocka_unit_test(test_ends), cmocka_unit_test(test_port),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
