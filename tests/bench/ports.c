// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ports.c - reads all counters of all switch ports of the present fabric, with moored's
 * reader and with a bare loop that keeps equally many MADs outstanding and does nothing
 * else.
 *
 *   ports time          prints milliseconds: walk, look, moored's reading, a bare loop of
 *                       the same Gets, a bare loop of one Get for each port; the median
 *                       of ROUNDS
 *   ports fill DIR      writes an hour of history of this fabric to DIR, under a fake clock
 *
 * tests/bench/scan runs both on ibsim. */
#include <endian.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "scan/seen.h"
#include "records/store.h"

enum { OUTSTANDING = 16, ROUNDS = 9 };

static atomic_ullong beat;
static atomic_bool never;

static void
must(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "ports: %s failed\n", what);
		exit(1);
	}
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), by_size);
	return v[ROUNDS / 2];
}

static double
since(uint64_t from)
{
	return (double)(mono_us() - from) / 1000;
}

/* ---- the bare loop ------------------------------------------------------------------------- */

struct get {
	uint16_t lid, attr;
	uint8_t port;
};

static void
send_get(int fd, int agent, uint8_t *umad, const struct get *g, uint32_t tid)
{
	uint8_t *mad = umad_get_mad(umad);

	memset(umad, 0, umad_size() + IB_MAD_SIZE);
	mad[0] = 1;
	mad[1] = IB_PERFORMANCE_CLASS;
	mad[2] = 1;
	mad[3] = IB_MAD_METHOD_GET;
	tid = htobe32(tid);
	memcpy(mad + 12, &tid, 4);
	mad[17] = (uint8_t)g->attr;
	mad[65] = g->port;
	umad_set_addr(umad, g->lid, 1, 0, (int)0x80010000);
	must(umad_send(fd, agent, umad, IB_MAD_SIZE, 1000, 0) == 0, "send");
}

static double
bare(const struct get *g, uint32_t n)
{
	int fd = umad_open_port(NULL, 0), agent = umad_register(fd, IB_PERFORMANCE_CLASS, 1, 0, NULL);
	uint8_t *umad = calloc(1, umad_size() + IB_MAD_SIZE);
	uint32_t sent = 0, got = 0;
	uint64_t from = mono_us();
	double took;

	must(fd >= 0 && agent >= 0 && umad, "open");
	while (got < n) {
		int len = IB_MAD_SIZE;

		while (sent < n && sent - got < OUTSTANDING) {
			send_get(fd, agent, umad, &g[sent], sent + 1);
			sent++;
		}
		must(umad_recv(fd, umad, &len, 2000) >= 0, "an answer");
		got++;
	}
	took = since(from);
	umad_unregister(fd, agent);
	umad_close_port(fd);
	free(umad);
	return took;
}

static struct get *
list_gets(const struct seen *s, uint32_t *n)
{
	struct get *g = calloc((size_t)s->n_switches * 512, sizeof(*g));

	must(g != NULL, "memory");
	*n = 0;
	for (unsigned k = 1; k < 256; k++)
		for (uint32_t i = 0; i < s->n_switches; i++)
			if (k <= s->sw[i].n_ports && s->sw[i].port[k].role)
				g[(*n)++] = (struct get){ s->sw[i].lid, IB_GSI_PORT_COUNTERS_EXT,
							  (uint8_t)k };
	for (uint32_t i = 0; i < *n; i++) {
		g[*n + i] = g[i];
		g[*n + i].attr = IB_GSI_PORT_COUNTERS;
	}
	return g;
}

/* ---- moored's reader
 * ------------------------------------------------------------------------ */

static double
reading(struct seen *s, const struct ask_with *w, struct snapshot *snap)
{
	struct poll *p = calloc(1, sizeof(*p));
	uint64_t from = mono_us();
	double took;

	must(p != NULL, "memory");
	p->snap = snapshot_get(snap);
	p->port = calloc(snap->fabric->n_ports, sizeof(*p->port));
	must(p->port && read_counters(s, w, p) == MAD_DONE && !p->n_failed, "reading");
	took = since(from);
	poll_free(p);
	return took;
}

static void
time_all(struct seen *s, struct ask_with *w, struct snapshot *snap)
{
	double walks[ROUNDS], look[ROUNDS], ours[ROUNDS], same[ROUNDS], one[ROUNDS];
	struct moore_err err;
	struct get *g;
	uint32_t n;
	bool changed;
	char name[64];

	g = list_gets(s, &n);
	reading(s, w, snap);
	for (int i = 0; i < ROUNDS; i++) {
		struct seen *again;
		uint64_t from = mono_us();

		must(seen_discover(&again, w, &err) == 0, "walk");
		walks[i] = since(from);
		seen_free(again);
		from = mono_us();
		must(seen_changed(s, w, &changed) == MAD_DONE && !changed, "look");
		look[i] = since(from);
		ours[i] = reading(s, w, snap);
		/* The simulator supports only one owner of a management class. */
		mad_close(w->mad);
		same[i] = bare(g, 2 * n);
		one[i] = bare(g, n);
		must(mad_open(&w->mad, "", 0, OUTSTANDING, name, &err) == 0, "opening");
	}
	printf("%u switches, %u ports: walk %.1f ms, look %.1f ms, reading %.1f ms; bare loop of the "
	       "same %u Gets %.1f ms, of one Get for each port %.1f ms\nreading / bare: %.2f, "
	       "reading / one Get: %.2f\nreading_ms=%.1f\n", s->n_switches, n, median(walks),
	       median(look), median(ours), 2 * n, median(same), median(one),
	       median(ours) / median(same), median(ours) / median(one), median(ours));
	free(g);
}

/* ---- an hour of history
 * ------------------------------------------------------------------------ */

static void
fill(const struct moore_fabric *f, const char *dir)
{
	struct moore_sample *s = calloc(f->n_ports, sizeof(*s));
	struct moore_rng rng = { 1 };
	struct moore_history *h;
	uint64_t at = (uint64_t)time(NULL) * 1000 - 3600000, last = 0;
	struct moore_err err;

	must(s && moore_history_new(&h, 3600, &err) == 0, "memory");
	for (unsigned t = 0; t < 3600; t++, at += 1000) {
		for (uint32_t i = 0; i < f->n_ports; i++)
			s[i] = (struct moore_sample){ true, moore_rng_next(&rng) >> 33,
						      moore_rng_next(&rng) >> 33, t };
		must(moore_history_add(h, f, s, at, 1000, &err) == 0, "a row");
	}
	for (unsigned i = 0; i < 3600 / 20; i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		must(moore_history_write(h, last, 20, &b, &last, &err) == 0 &&
		     store_add(dir, 0, last, &b, &err) == 0, "writing");
		moore_buf_free(&b);
	}
	moore_history_free(h);
	free(s);
}

int
main(int argc, char **argv)
{
	struct mad_port *m;
	struct snapshot *snap;
	struct moore_err err;
	struct seen *s;
	struct ask_with w;
	char name[64];

	must(argc > 1 && mad_open(&m, "", 0, OUTSTANDING, name, &err) == 0, "opening");
	w = (struct ask_with){ .mad = m, .beat = &beat, .stop = &never };
	must(seen_discover(&s, &w, &err) == 0 && seen_snapshot(s, &snap, &err) == 0 &&
	     snap->fabric, "the walk");
	if (!strcmp(argv[1], "time"))
		time_all(s, &w, snap);
	else
		fill(snap->fabric, argv[2]);
	snapshot_put(snap);
	seen_free(s);
	return 0;
}
