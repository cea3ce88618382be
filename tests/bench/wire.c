// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wire.c - seconds for check and repair of a fabric of 3,000 switches and 40,500 cables
 * (random, 27 links and 4 endpoints at each switch), for several kinds of faults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "miswire.h"

#define SWITCHES 3000
#define LINKS 27
#define HOSTS 4

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
die(const char *what)
{
	fprintf(stderr, "wire: %s\n", what);
	exit(1);
}

/* Makes a ring with its diameters, and then exchanges cable ends two by two. */
static struct moore_plan *
make_plan(struct moore_rng *r)
{
	struct moore_plan *p = calloc(1, sizeof(*p));
	uint8_t *next = calloc(SWITCHES, 1);
	char name[32];

	p->sw = calloc(SWITCHES, sizeof(*p->sw));
	p->ep = calloc(SWITCHES * HOSTS, sizeof(*p->ep));
	p->cable = calloc(SWITCHES * LINKS / 2, sizeof(*p->cable));
	p->rate = (struct moore_rate){ 4, 7 };
	p->n_switches = SWITCHES;
	for (uint32_t i = 0; i < SWITCHES; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		p->sw[i] = (struct moore_plan_switch){ .name = strdup(name),
			.ports = HOSTS + LINKS + SPARE_PORTS };
		for (uint32_t k = 0; k < HOSTS; k++) {
			snprintf(name, sizeof(name), "s%u-h%u", i, k);
			p->ep[p->n_endpoints++] = (struct moore_plan_endpoint){ .name = strdup(name),
				.ca_port = 1, .sw = i, .port = (moore_portnum)(k + 1) };
		}
		for (uint32_t k = 1; k <= LINKS / 2 + (i < SWITCHES / 2); k++)
			p->cable[p->n_cables++] = (struct moore_plan_cable){ .sw = { i,
				(i + (k <= LINKS / 2 ? k : SWITCHES / 2)) % SWITCHES } };
	}
	for (uint32_t k = 0; k < 10 * p->n_cables; k++) {
		moore_swid *x = p->cable[moore_rng_below(r, p->n_cables)].sw;
		moore_swid *y = p->cable[moore_rng_below(r, p->n_cables)].sw, t = x[1];

		if (x == y || x[0] == y[1] || y[0] == x[1])
			continue;
		x[1] = y[1];
		y[1] = t;
	}
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int k = 0; k < 2; k++)
			p->cable[i].port[k] = (moore_portnum)(HOSTS + ++next[p->cable[i].sw[k]]);
	free(next);
	return p;
}

static void
relabel(struct moore_rng *r, struct moore_plan *p, bool strange)
{
	char name[32];

	for (uint32_t i = p->n_switches; i > 1; i--) {
		uint32_t k = moore_rng_below(r, i);
		char *t = p->sw[k].name;

		p->sw[k].name = p->sw[i - 1].name;
		p->sw[i - 1].name = t;
	}
	for (uint32_t i = 0; i < p->n_switches && strange; i++) {
		snprintf(name, sizeof(name), "unit %u", i);
		free(p->sw[i].name);
		p->sw[i].name = strdup(name);
	}
	for (uint32_t i = 0; i < p->n_endpoints && strange; i++) {
		snprintf(name, sizeof(name), "host %u", i);
		free(p->ep[i].name);
		p->ep[i].name = strdup(name);
	}
}

enum names { KEPT, DEALT, STRANGE };

static void
run(const char *what, const struct moore_plan *p, unsigned faults, enum names names)
{
	struct moore_rng r = { 7 };
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_seen *seen;
	struct moore_repair *fix;
	struct moore_wire *w;
	struct miswire m;
	double t[4];

	miswire_init(&m, p);
	for (unsigned k = 0; k < faults; k++)
		miswire_faults[moore_rng_below(&r, ARRAY_LEN(miswire_faults))](&r, &m);
	miswire_finish(&r, &m);
	if (names != KEPT)
		relabel(&r, m.p, names == STRANGE);
	if (moore_plan_format_find("ibnetdiscover")->write(m.p, &text, NULL) < 0)
		die("cannot write the fabric");
	t[0] = now();
	if (moore_seen_parse(&seen, text.data, text.len, NULL) < 0)
		die("cannot read the fabric");
	t[1] = now();
	if (moore_wire_check(&w, p, seen, NULL) < 0)
		die("check");
	t[2] = now();
	if (moore_wire_repair(&fix, w, NULL) < 0)
		die("repair");
	t[3] = now();
	if (miswire_apply(w, fix))
		die(miswire_apply(w, fix));
	printf("%-34s %6.2f %6.2f %7.2f %11u %6u %6u %9u\n", what, t[1] - t[0], t[2] - t[1],
	       t[3] - t[2], w->n_deviations, fix->n_moves, m.moves, w->n_exchanges);
	moore_repair_free(fix);
	moore_wire_free(w);
	moore_seen_free(seen);
	moore_buf_free(&text);
	miswire_fini(&m);
}

int
main(void)
{
	struct moore_rng r = { 1 };
	struct moore_plan *p = make_plan(&r);

	if (moore_plan_check(p, NULL, NULL) < 0)
		die("no plan");
	printf("%u switches, %u cables, %u endpoints; seconds\n%-34s %6s %6s %7s %11s %6s %6s %9s\n",
	       p->n_switches, p->n_cables, p->n_endpoints, "", "read", "check", "repair",
	       "deviations", "moves", "put in", "exchanges");
	run("as planned", p, 0, KEPT);
	run("100 faults", p, 100, KEPT);
	run("2,000 faults", p, 2000, KEPT);
	run("names dealt anew", p, 0, DEALT);
	run("names dealt anew, 100 faults", p, 100, DEALT);
	run("no name is known", p, 0, STRANGE);
	run("no name is known, 100 faults", p, 100, STRANGE);
	moore_plan_free(p);
	return 0;
}
