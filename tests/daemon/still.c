// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* still.c - a scanner for tests that need no fabric: moored-still is moored with this file
 * in place of scanner.c.
 *
 * It takes the plan in $MOORED_STILL as an intact fabric with the engine's routes, once,
 * and again at each kick or when the file changes.  Without the variable it reports that
 * there is no device.
 *
 * It then makes $MOORED_STILL_POLLS polls of made-up counters at once, one for each second
 * of a clock of its own that starts at 1,700,000,000.  All endpoints send evenly to all
 * others.  The file $MOORED_STILL_TRAFFIC adds more: each line is valid FROM one second TO
 * another of that clock, counted from its start, in bytes and events per second:
 *	flow FROM TO SOURCE DEST OFFSET BYTES	from endpoint to endpoint (indices)
 *	count FROM TO SWITCH PORT COUNTER N	counter by its index in enum moore_counter */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "conf.h"
#include "file.h"
#include "loop.h"
#include "scan/scanner.h"
#include "moore/engine.h"

struct scanner {
	struct loop *loop;
	struct scanner_calls calls;
	struct moore_plan *plan;
	uint64_t scan;
	struct event *look;
	ino_t ino;		/* of the plan file, which is always replaced as a whole */
	struct snapshot *snap;
	unsigned polls, at;	/* number of polls; the next one */
	double *tx, *rx;	/* the even traffic: bytes per second, by port */
	double *sum;		/* each counter of each port */
	uint32_t n_ports;	/* ports in these arrays */
	struct trouble {
		bool flow;
		unsigned from, to, a, b, c;
		double how;
	} trouble[64];
	unsigned n_troubles;
};

static struct moore_plan *
read_plan(void)
{
	const char *path = getenv("MOORED_STILL");
	struct moore_buf text;
	struct moore_plan *p = NULL;
	struct moore_err err;

	if (!path)
		return NULL;
	if (file_read(path, (size_t)1 << 28, &text, &err) < 0 ||
	    moore_plan_parse(&p, text.data, text.len, &err) < 0) {
		fprintf(stderr, "still: %s\n", err.text);
		exit(3);
	}
	moore_buf_free(&text);
	return p;
}

/* Every switch and port reports the same, and all its arbitration is for VLs 0 and 1. */
static void
report(struct snapshot *s)
{
	static const uint32_t sw[MOORE_N_SW_VALUES] = { 713, 53000, 160, 49152, 0, 4096, 0xbfff, 1, 0 };
	static const uint16_t port[MOORE_N_PT_VALUES] = { 4, 4, 7, 5, 5, 8, 8, 0, 8, 8 };
	static const struct moore_arb_entry even[] = { { 0, 64 }, { 1, 64 } };
	struct moore_err err;

	if (moore_hardware_new(&s->hardware, s->fabric, &err) < 0)
		exit(3);
	for (uint32_t i = 0; i < s->fabric->n_switches; i++) {
		memcpy(s->hardware->sw[i], sw, sizeof(sw));
		s->hardware->sw[i][MOORE_SW_LFT_TOP] = s->fabric->lid_top;
	}
	for (uint32_t i = 0; i < s->fabric->n_ports; i++) {
		if (!s->fabric->port[i].role)
			continue;
		memcpy(s->hardware->port[i], port, sizeof(port));
		for (int k = 0; k < MOORE_N_ARB; k++)
			if (moore_hardware_set_arb(s->hardware, i, k, even, ARRAY_LEN(even), &err) < 0)
				exit(3);
	}
}

static void
route(struct snapshot *s)
{
	struct moore_engine_result *r = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	if (moore_fabric_from_plan(&s->fabric, s->seen, 2, &err) < 0 ||
	    moore_engine_run(&r, s->fabric, s->seen, &conf, NULL, NULL, &err) < 0 ||
	    moore_lft_new(&s->lft, s->fabric->n_switches, s->fabric->lid_top, &err) < 0) {
		fprintf(stderr, "still: %s\n", err.text);
		exit(3);
	}
	for (uint32_t i = 0; i < s->fabric->n_switches; i++)
		for (size_t l = 0; l < s->lft->stride; l++)
			moore_lft_row(s->lft, i)[l] = l < r->lft->stride ?
				moore_lft_row(r->lft, i)[l] : MOORE_NO_PATH;
	s->sl2vl = r->sl2vl;
	r->sl2vl = NULL;
	report(s);
	s->routes_hash = r->routes_hash;
	s->lanes_hash = r->lanes_hash;
	moore_engine_result_free(r);
}

/* ---- polls ------------------------------------------------------------------------------ */

static void
add_flow(struct scanner *w, moore_epid a, moore_epid b, unsigned offset, double bytes)
{
	const struct moore_fabric *f = w->snap->fabric;
	moore_swid s = f->ep[a].sw;

	w->rx[f->sw[s].port0 + f->ep[a].port] += bytes;
	for (;;) {
		uint8_t out = moore_lft_row(w->snap->lft, s)[f->ep[b].lid + offset];
		const struct moore_port *p;

		if (out == MOORE_NO_PATH)
			return;
		p = moore_fabric_port(f, s, out);
		w->tx[f->sw[s].port0 + out] += bytes;
		if (p->role != MOORE_ROLE_SWITCH)
			return;
		w->rx[f->sw[p->peer].port0 + p->peer_port] += bytes;
		s = p->peer;
	}
}

static void
read_traffic(struct scanner *w)
{
	const char *path = getenv("MOORED_STILL_TRAFFIC");
	FILE *in = path ? fopen(path, "r") : NULL;
	char word[16];

	w->n_troubles = 0;
	while (in && w->n_troubles < 64) {
		struct trouble *t = &w->trouble[w->n_troubles];

		if (fscanf(in, "%15s %u %u %u %u %u %lf", word, &t->from, &t->to, &t->a, &t->b, &t->c,
			   &t->how) != 7)
			break;
		t->flow = !strcmp(word, "flow");
		w->n_troubles++;
	}
	if (in)
		fclose(in);
}

/* Starts the counters of a fabric of that many ports at zero, as after a restart. */
static void
start_counting(struct scanner *w)
{
	const struct moore_fabric *f = w->snap->fabric;

	free(w->tx);
	free(w->rx);
	free(w->sum);
	w->n_ports = f->n_ports;
	w->tx = calloc(f->n_ports, sizeof(*w->tx));
	w->rx = calloc(f->n_ports, sizeof(*w->rx));
	w->sum = calloc((size_t)f->n_ports * MOORE_N_COUNTERS, sizeof(*w->sum));
	for (moore_epid a = 0; a < f->n_endpoints; a++)
		for (moore_epid b = 0; b < f->n_endpoints; b++)
			if (a != b)
				add_flow(w, a, b, 0, 2e9 / f->n_endpoints);
	read_traffic(w);
	for (unsigned k = 0; k < w->n_troubles; k++) {
		const struct trouble *t = &w->trouble[k];

		if (t->flow && w->at >= t->from && w->at < t->to)
			add_flow(w, t->a, t->b, t->c, t->how);
	}
}

static void
count(struct scanner *w)
{
	const struct moore_fabric *f = w->snap->fabric;

	for (unsigned k = 0; k < w->n_troubles; k++) {
		const struct trouble *t = &w->trouble[k];

		if (t->flow && w->at == t->from)
			add_flow(w, t->a, t->b, t->c, t->how);
		if (t->flow && w->at == t->to)
			add_flow(w, t->a, t->b, t->c, -t->how);
		if (!t->flow && w->at >= t->from && w->at < t->to)
			w->sum[(f->sw[t->a].port0 + t->b) * MOORE_N_COUNTERS + t->c] += t->how;
	}
	for (uint32_t i = 0; i < f->n_ports; i++) {
		w->sum[i * MOORE_N_COUNTERS + MOORE_XMIT_DATA] += w->tx[i] / 4;
		w->sum[i * MOORE_N_COUNTERS + MOORE_RCV_DATA] += w->rx[i] / 4;
	}
}

static void
next_poll(void *arg)
{
	struct scanner *w = arg;
	struct poll *p;

	if (w->at >= w->polls)
		return;
	p = calloc(1, sizeof(*p));
	p->snap = snapshot_get(w->snap);
	p->number = ++w->at;
	p->at_ms = (1700000000ull + w->at) * 1000;
	p->took_us = 1000;
	p->n_asked = w->snap->fabric->n_ports;
	p->port = calloc(w->snap->fabric->n_ports, sizeof(*p->port));
	count(w);
	for (uint32_t i = 0; i < w->snap->fabric->n_ports; i++) {
		p->port[i].at_us = w->at * 1000000ull;
		p->port[i].has = (1u << MOORE_N_COUNTERS) - 1;
		for (unsigned c = 0; c < MOORE_N_COUNTERS; c++)
			p->port[i].v[c] = (uint64_t)w->sum[i * MOORE_N_COUNTERS + c];
	}
	p->n_hosts = w->snap->fabric->n_endpoints;
	p->host = calloc(p->n_hosts + (size_t)1, sizeof(*p->host));
	for (uint32_t i = 0; i < p->n_hosts; i++) {
		p->host[i].at_us = w->at * 1000000ull;
		p->host[i].has = (1u << MOORE_N_COUNTERS) - 1;
	}
	w->calls.polled(w->calls.arg, p);
	loop_post(w->loop, next_poll, w);
}

/* ---- the scanner ---------------------------------------------------------------------------- */

static void
find(void *arg)
{
	struct scanner *w = arg;
	struct snapshot *s;
	struct timespec now;
	bool first;

	clock_gettime(CLOCK_REALTIME, &now);
	w->plan = read_plan();
	if (!w->plan) {
		w->calls.state(w->calls.arg, 0, PLANE_NO_DEVICE, "there is no umad port");
		return;
	}
	s = calloc(1, sizeof(*s));
	atomic_init(&s->refs, 1);
	s->scan = s->tables_scan = w->scan++;
	s->at_ms = (uint64_t)now.tv_sec * 1000;
	s->seen = w->plan;
	route(s);
	w->calls.state(w->calls.arg, 0, PLANE_UP, "");
	w->calls.manager(w->calls.arg, 0, &(struct manager_state){ .found = MANAGER_ANSWERS, .lid = 1,
		.heard_ms = s->at_ms });
	snapshot_put(w->snap);
	w->snap = snapshot_get(s);
	w->calls.snapshot(w->calls.arg, s);
	first = !w->tx;
	if (w->n_ports != w->snap->fabric->n_ports)
		start_counting(w);
	if (first)
		next_poll(w);
}

static void
look(evutil_socket_t fd, short what, void *arg)
{
	struct scanner *w = arg;
	const char *path = getenv("MOORED_STILL");
	struct stat st;

	(void)fd, (void)what;
	if (!path || stat(path, &st) < 0 || st.st_ino == w->ino)
		return;
	if (w->ino)
		find(w);
	w->ino = st.st_ino;
}

int
scanner_start(struct scanner **out, struct loop *l, const struct moored_conf *c,
	      uint64_t first_scan, const struct scanner_calls *calls)
{
	struct scanner *w = calloc(1, sizeof(*w));
	const char *polls = getenv("MOORED_STILL_POLLS");

	(void)c;
	*out = w;
	if (!w)
		return -1;
	*w = (struct scanner){ .loop = l, .calls = *calls, .scan = first_scan,
			       .polls = polls ? (unsigned)atoi(polls) : 0 };
	look(-1, 0, w);
	w->look = event_new(loop_base(l), -1, EV_PERSIST, look, w);
	event_add(w->look, &(struct timeval){ .tv_usec = 50000 });
	return loop_post(l, find, w);
}

void
scanner_kick(struct scanner *s)
{
	loop_post(s->loop, find, s);
}

bool
scanner_stop(struct scanner *s)
{
	event_free(s->look);
	snapshot_put(s->snap);
	free(s->tx);
	free(s->rx);
	free(s->sum);
	free(s);
	return true;
}
