/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* random_plan.h - makes valid random plans in which every field of a plan occurs. */
#ifndef MOORE_TEST_RANDOM_PLAN_H
#define MOORE_TEST_RANDOM_PLAN_H

#include "base/random.h"
#include "moore/plan.h"

static char *
random_text(struct moore_rng *r, const char *unique, unsigned n, bool name)
{
	/* no blank at either end, since readers trim descriptions */
	static const char *const bits[] = { "a", "Z", "7", " - ", "_", ",", ";", "=", "(", "]", "'",
		"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "#", "@", "\"", "\\" };
	char t[200];
	int len = snprintf(t, sizeof(t), "%s%u", unique, n);

	for (unsigned k = moore_rng_below(r, 9); k; k--)
		len += snprintf(t + len, sizeof(t) - (size_t)len, "%s.",
				bits[moore_rng_below(r, ARRAY_LEN(bits) - (name ? 2 : 0))]);
	return strdup(t);
}

/* A free port of sw, or 0. */
static moore_portnum
random_port(struct moore_rng *r, const struct moore_plan *p, uint8_t used[][256], moore_swid sw)
{
	for (int tries = 0; tries < 8; tries++) {
		moore_portnum port = (moore_portnum)(1 + moore_rng_below(r, p->sw[sw].ports));

		if (!used[sw][port])
			return used[sw][port] = 1, port;
	}
	return 0;
}

static void
random_endpoints(struct moore_rng *r, struct moore_plan *p, uint8_t used[][256], uint32_t max)
{
	p->ep = calloc(max + 1, sizeof(*p->ep));
	for (uint32_t i = 0; i < max; i++) {
		struct moore_plan_endpoint *e = &p->ep[p->n_endpoints];
		const struct moore_plan_endpoint *last = p->n_endpoints ? e - 1 : NULL;

		*e = (struct moore_plan_endpoint){ .sw = moore_rng_below(r, p->n_switches) };
		if (!(e->port = random_port(r, p, used, e->sw)))
			continue;
		e->guid = moore_rng_below(r, 3) ? 0 : moore_rng_next(r) | 1ull << 60;
		if (last && !moore_rng_below(r, 4) && last->ca_port < 9) {
			e->name = strdup(last->name);
			e->ca_port = (uint8_t)(last->ca_port + 1 + moore_rng_below(r, 2));
		} else {
			e->name = random_text(r, "h", i, true);
			e->ca_port = (uint8_t)(1 + moore_rng_below(r, 2));
		}
		p->n_endpoints++;
	}
}

static void
random_cables(struct moore_rng *r, struct moore_plan *p, uint8_t used[][256], uint32_t max)
{
	p->cable = calloc(max + 1, sizeof(*p->cable));
	for (uint32_t i = 0; i < max && p->n_switches > 1; i++) {
		struct moore_plan_cable *c = &p->cable[p->n_cables];

		*c = (struct moore_plan_cable){ .sw[0] = moore_rng_below(r, p->n_switches) };
		c->sw[1] = (c->sw[0] + 1 + moore_rng_below(r, p->n_switches - 1)) % p->n_switches;
		for (int k = 0; k < 2; k++)
			c->port[k] = random_port(r, p, used, c->sw[k]);
		if (!c->port[0] || !c->port[1])
			continue;
		if (!moore_rng_below(r, 2))
			c->label = random_text(r, "C", i, false);
		switch (moore_rng_below(r, 4)) {
		case 0: c->length = 1 + moore_rng_below(r, 1000000); break;
		case 1: c->length = (1 + moore_rng_below(r, 100000)) / 100.0; break;
		case 2: c->length = 1e6 * ((double)(moore_rng_next(r) >> 11) + 1) / 9007199254740993.0;
		}
		p->n_cables++;
	}
}

static struct moore_rate
random_rate(struct moore_rng *r)
{
	static const uint8_t widths[] = { 0, 1, 2, 4, 8, 12 };
	uint8_t width = widths[moore_rng_below(r, 6)];

	return (struct moore_rate){ width, width ? (uint8_t)(1 + moore_rng_below(r, 9)) : 0 };
}

/* Adds rates, and a floor with the cabinets that the switches name. */
static void
random_floor(struct moore_rng *r, struct moore_plan *p)
{
	p->rate = random_rate(r);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].rate = random_rate(r);
	for (uint32_t i = 0; i < p->n_cables; i++)
		p->cable[i].rate = random_rate(r);
	if (moore_rng_below(r, 2))
		return;
	p->column_pitch = 0.6;
	p->row_pitch = 2.1;
	p->cabinet = calloc(p->n_switches + 1, sizeof(*p->cabinet));
	for (uint32_t i = 0; i < p->n_switches; i++) {
		uint32_t j = 0;

		while (p->sw[i].cabinet && j < p->n_cabinets && strcmp(p->cabinet[j].name, p->sw[i].cabinet))
			j++;
		if (!p->sw[i].cabinet || j < p->n_cabinets)
			continue;
		p->cabinet[p->n_cabinets++] = (struct moore_plan_cabinet){ strdup(p->sw[i].cabinet), i, 3 };
	}
}

static struct moore_plan *
random_plan(struct moore_rng *r)
{
	static uint8_t used[16][256];
	struct moore_plan *p = calloc(1, sizeof(*p));

	memset(used, 0, sizeof(used));
	p->n_switches = 1 + moore_rng_below(r, 15);
	p->sw = calloc(p->n_switches, sizeof(*p->sw));
	for (uint32_t i = 0; i < p->n_switches; i++) {
		struct moore_plan_switch *s = &p->sw[i];

		s->name = random_text(r, "s", i, true);
		s->ports = (moore_portnum)(1 + moore_rng_below(r, moore_rng_below(r, 5) ? 12 : 254));
		s->guid = moore_rng_below(r, 2) ? 0 : moore_rng_next(r) | 1ull << 61;
		if (!moore_rng_below(r, 2)) {
			s->cabinet = random_text(r, "R", i / 4, false);
			s->unit = moore_rng_below(r, 43);
		}
	}
	random_endpoints(r, p, used, moore_rng_below(r, 40));
	random_cables(r, p, used, moore_rng_below(r, 60));
	random_floor(r, p);
	if (moore_rng_below(r, 2)) {
		p->family = strdup("any-family_1");
		p->key = calloc(3, sizeof(*p->key));
		p->value = calloc(3, sizeof(*p->value));
		p->n_params = moore_rng_below(r, 4);
		for (size_t i = 0; i < p->n_params; i++) {
			memcpy(p->key[i], "k_params_15long", 16);
			p->key[i][0] = (char)('k' + i);
			p->value[i] = (int64_t)moore_rng_next(r);
		}
	}
	p->permuted = moore_rng_below(r, 2);
	if (p->permuted)
		p->permutation_seed = moore_rng_next(r) >> moore_rng_below(r, 64);
	return p;
}

#endif
