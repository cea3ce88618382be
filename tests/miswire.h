/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* miswire.h - copies a plan and puts random faults into the copy.  For each fault it
 * records the verdicts that the check must give and the moves that the fault took.  The
 * plan has spare ports at its switches. */
#ifndef MOORE_TEST_MISWIRE_H
#define MOORE_TEST_MISWIRE_H

#include "base/random.h"
#include "moore/wire.h"

#define SPARE_PORTS 2

struct miswire {
	const struct moore_plan *plan;
	struct moore_plan *p;		/* the copy, which gets the faults */
	uint8_t (*used)[256];		/* by switch and port: was in use at any time */
	uint8_t *touched;		/* by cable, then endpoint, then switch: already has a
					 * fault */
	uint32_t moves;			/* cable ends that were moved */
	uint32_t exchanges;
	uint32_t want[MOORE_WIRE_VERDICTS];
	uint64_t sum;			/* sum of miswire_key() over the expected verdicts */
};

/* Wrong peer and wrong port share a key: if two pairs of switches exchange two cables each,
 * every cable joins the right switches again, but at other ports. */
static inline uint64_t
miswire_key(int verdict, uint64_t what)
{
	int v = verdict == MOORE_WIRE_WRONG_PORT ? MOORE_WIRE_WRONG_PEER : verdict;
	struct moore_rng r = { (uint64_t)v << 56 ^ what };

	return moore_rng_next(&r);
}

static inline void
miswire_expect(struct miswire *m, enum moore_wire_verdict v, uint64_t what)
{
	m->want[v]++;
	m->sum += miswire_key((int)v, what);
}

static inline struct moore_plan *
miswire_copy(const struct moore_plan *p)
{
	struct moore_plan *c = calloc(1, sizeof(*c));

	*c = (struct moore_plan){ .rate = p->rate, .n_switches = p->n_switches,
		.n_endpoints = p->n_endpoints, .n_cables = p->n_cables };
	c->sw = calloc(p->n_switches + 1u, sizeof(*c->sw));
	c->ep = calloc(p->n_endpoints + 1u, sizeof(*c->ep));
	c->cable = calloc(p->n_cables + 65u, sizeof(*c->cable));	/* room for extra cables */
	for (uint32_t i = 0; i < p->n_switches; i++) {
		c->sw[i] = p->sw[i];
		c->sw[i].name = strdup(p->sw[i].name);
		c->sw[i].cabinet = NULL;
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		c->ep[i] = p->ep[i];
		c->ep[i].name = strdup(p->ep[i].name);
	}
	for (uint32_t i = 0; i < p->n_cables; i++) {
		c->cable[i] = p->cable[i];
		c->cable[i].label = NULL;
	}
	return c;
}

static inline void
miswire_init(struct miswire *m, const struct moore_plan *p)
{
	*m = (struct miswire){ .plan = p, .p = miswire_copy(p) };
	m->used = calloc(p->n_switches + 1u, sizeof(*m->used));
	m->touched = calloc(p->n_cables + p->n_endpoints + p->n_switches + 1u, 1);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		m->used[p->ep[i].sw][p->ep[i].port] = 1;
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int k = 0; k < 2; k++)
			m->used[p->cable[i].sw[k]][p->cable[i].port[k]] = 1;
}

static inline void
miswire_fini(struct miswire *m)
{
	moore_plan_free(m->p);
	free(m->used);
	free(m->touched);
}

/* A port of s that was never in use, which now counts as used; 0 if there is none. */
static inline moore_portnum
miswire_port(struct miswire *m, moore_swid s)
{
	for (unsigned p = 1; p <= m->p->sw[s].ports; p++)
		if (!m->used[s][p])
			return m->used[s][p] = 1, (moore_portnum)p;
	return 0;
}

static inline uint8_t *
miswire_ep(struct miswire *m, uint32_t i)
{
	return &m->touched[m->plan->n_cables + i];
}

static inline uint8_t *
miswire_sw(struct miswire *m, uint32_t i)
{
	return &m->touched[m->plan->n_cables + m->plan->n_endpoints + i];
}

/* Picks a random cable and marks it as touched; MOORE_NONE if it was touched before. */
static inline uint32_t
miswire_cable(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = m->plan->n_cables ? moore_rng_below(r, m->plan->n_cables) : MOORE_NONE;

	if (i == MOORE_NONE || m->touched[i])
		return MOORE_NONE;
	m->touched[i] = 1;
	return i;
}

static inline bool
miswire_joined(const struct moore_plan *p, moore_swid a, moore_swid b)
{
	for (uint32_t i = 0; i < p->n_cables; i++)
		if ((p->cable[i].sw[0] == a && p->cable[i].sw[1] == b) ||
		    (p->cable[i].sw[0] == b && p->cable[i].sw[1] == a))
			return true;
	return false;
}

/* ---- the faults.  A fault changes nothing if the random draw does not fit. ---------- */

static inline void
fault_swap_ends(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = miswire_cable(r, m), j = miswire_cable(r, m);
	struct moore_plan_cable *a, *b, t;
	bool same_a, same_b;

	if (i == MOORE_NONE || j == MOORE_NONE)
		return;
	a = &m->p->cable[i];
	b = &m->p->cable[j];
	if (a->sw[0] == b->sw[1] || b->sw[0] == a->sw[1])
		return;
	same_a = a->sw[0] == b->sw[0];
	same_b = a->sw[1] == b->sw[1];
	t = *a;
	a->sw[1] = b->sw[1];
	a->port[1] = b->port[1];
	b->sw[1] = t.sw[1];
	b->port[1] = t.port[1];
	m->moves += 2;
	miswire_expect(m, same_a || same_b ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_WRONG_PEER, i);
	miswire_expect(m, same_a || same_b ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_WRONG_PEER, j);
}

/* Moves one end of a cable to a free port, of the same switch or of another. */
static inline void
fault_move_end(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = miswire_cable(r, m);
	struct moore_plan_cable *c;
	int end = (int)moore_rng_below(r, 2);
	moore_swid to;
	moore_portnum port;
	bool same;

	if (i == MOORE_NONE)
		return;
	c = &m->p->cable[i];
	to = moore_rng_below(r, 2) ? c->sw[end] : moore_rng_below(r, m->p->n_switches);
	same = to == c->sw[end];
	if (to == c->sw[!end] || !(port = miswire_port(m, to)))
		return;
	c->sw[end] = to;
	c->port[end] = port;
	m->moves++;
	miswire_expect(m, same ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_WRONG_PEER, i);
}

/* A missing cable stays in the list, marked by sw[0] == sw[1], until all faults are in. */
static inline void
fault_missing(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = miswire_cable(r, m);

	if (i == MOORE_NONE)
		return;
	m->p->cable[i].sw[0] = m->p->cable[i].sw[1];
	m->moves += 2;
	miswire_expect(m, MOORE_WIRE_MISSING, i);
}

static inline uint64_t
miswire_ports_key(moore_swid a, moore_portnum pa, moore_swid b, moore_portnum pb)
{
	uint64_t x = (uint64_t)a << 8 | pa, y = (uint64_t)b << 8 | pb;

	return (x < y ? x : y) * 0x1000003 + (x < y ? y : x);
}

static inline void
fault_extra(struct moore_rng *r, struct miswire *m)
{
	moore_swid a = moore_rng_below(r, m->p->n_switches), b = moore_rng_below(r, m->p->n_switches);
	moore_portnum pa, pb;
	bool joined = miswire_joined(m->plan, a, b);

	/* An extra cable beside a planned one requires that the planned one has no fault,
	 * now or later. */
	for (uint32_t i = 0; i < m->plan->n_cables && joined; i++) {
		const struct moore_plan_cable *c = &m->plan->cable[i];

		if ((c->sw[0] == a && c->sw[1] == b) || (c->sw[0] == b && c->sw[1] == a)) {
			if (m->touched[i])
				return;
			m->touched[i] = 1;
		}
	}
	if (a == b || m->p->n_cables == m->plan->n_cables + 64 || !(pa = miswire_port(m, a)) ||
	    !(pb = miswire_port(m, b)))
		return;
	m->p->cable[m->p->n_cables++] = (struct moore_plan_cable){ .sw = { a, b }, .port = { pa, pb } };
	m->moves += 2;
	miswire_expect(m, joined ? MOORE_WIRE_DUPLICATE : MOORE_WIRE_EXTRA,
		       miswire_ports_key(a, pa, b, pb));
}

/* True if any cable or endpoint of switch s is touched; if `touch`, marks all of them. */
static inline bool
miswire_at(struct miswire *m, moore_swid s, bool touch)
{
	bool was = false;

	for (uint32_t i = 0; i < m->plan->n_cables; i++)
		if (m->plan->cable[i].sw[0] == s || m->plan->cable[i].sw[1] == s) {
			was |= m->touched[i];
			m->touched[i] |= touch;
		}
	for (uint32_t i = 0; i < m->plan->n_endpoints; i++)
		if (m->plan->ep[i].sw == s) {
			was |= *miswire_ep(m, i);
			*miswire_ep(m, i) |= touch;
		}
	return was;
}

/* Switches with few ports are exchanged only if none of their cables has another fault: a
 * switch of four cables, two of them wrong, could as well be in its own place. */
static inline void
fault_exchange(struct moore_rng *r, struct miswire *m)
{
	uint32_t n = m->p->n_switches, a = moore_rng_below(r, n), b = moore_rng_below(r, n);
	struct moore_plan_switch t;

	if (a == b || *miswire_sw(m, a) || *miswire_sw(m, b) || m->exchanges >= 3 ||
	    m->exchanges >= n / 8)
		return;
	if (m->plan->sw[a].ports < 8 + SPARE_PORTS || m->plan->sw[b].ports < 8 + SPARE_PORTS) {
		if (miswire_at(m, a, false) || miswire_at(m, b, false))
			return;
		miswire_at(m, a, true);
		miswire_at(m, b, true);
	}
	*miswire_sw(m, a) = *miswire_sw(m, b) = 1;
	t = m->p->sw[a];
	m->p->sw[a].name = m->p->sw[b].name;
	m->p->sw[a].guid = m->p->sw[b].guid;
	m->p->sw[b].name = t.name;
	m->p->sw[b].guid = t.guid;
	m->exchanges++;
	miswire_expect(m, MOORE_WIRE_SWAPPED, miswire_ports_key(a, 0, b, 0));
}

static inline void
fault_endpoint(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = m->p->n_endpoints ? moore_rng_below(r, m->p->n_endpoints) : MOORE_NONE;
	moore_swid to = moore_rng_below(r, m->p->n_switches);
	moore_portnum port;

	if (i == MOORE_NONE || *miswire_ep(m, i) || !(port = miswire_port(m, to)))
		return;
	*miswire_ep(m, i) = 1;
	m->moves++;
	miswire_expect(m, to == m->p->ep[i].sw ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_MOVED,
		       1ull << 40 | i);
	m->p->ep[i].sw = to;
	m->p->ep[i].port = port;
}

static inline void
fault_swap_endpoints(struct moore_rng *r, struct miswire *m)
{
	uint32_t n = m->p->n_endpoints, i = n ? moore_rng_below(r, n) : 0, j = n ? moore_rng_below(r, n) : 0;
	struct moore_plan_endpoint *a = &m->p->ep[i], *b = &m->p->ep[j], t = *a;

	if (i == j || *miswire_ep(m, i) || *miswire_ep(m, j))
		return;
	*miswire_ep(m, i) = *miswire_ep(m, j) = 1;
	m->moves += 2;
	miswire_expect(m, a->sw == b->sw ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_MOVED, 1ull << 40 | i);
	miswire_expect(m, a->sw == b->sw ? MOORE_WIRE_WRONG_PORT : MOORE_WIRE_MOVED, 1ull << 40 | j);
	a->sw = b->sw;
	a->port = b->port;
	b->sw = t.sw;
	b->port = t.port;
}

static inline void
fault_rate(struct moore_rng *r, struct miswire *m)
{
	uint32_t i = miswire_cable(r, m);
	bool narrow = moore_rng_below(r, 2);

	if (i == MOORE_NONE)
		return;
	m->p->cable[i].rate = narrow ? (struct moore_rate){ 1, 7 } : (struct moore_rate){ 4, 6 };
	miswire_expect(m, narrow ? MOORE_WIRE_NARROW : MOORE_WIRE_SLOW, i);
}

typedef void miswire_fault(struct moore_rng *r, struct miswire *m);
static miswire_fault *const miswire_faults[] = {
	fault_swap_ends, fault_move_end, fault_missing, fault_extra, fault_exchange, fault_endpoint,
	fault_swap_endpoints, fault_rate,
};

/* Removes the missing cables and shuffles the lists, as a discovery would return them. */
static inline void
miswire_finish(struct moore_rng *r, struct miswire *m)
{
	struct moore_plan *p = m->p;
	uint32_t kept = 0, n = p->n_switches;
	uint32_t *to = malloc((n + 1u) * sizeof(*to));
	struct moore_plan_switch *sw = malloc((n + 1u) * sizeof(*sw));

	for (uint32_t i = 0; i < p->n_cables; i++)
		if (p->cable[i].sw[0] != p->cable[i].sw[1])
			p->cable[kept++] = p->cable[i];
	p->n_cables = kept;
	for (uint32_t i = 0; i < n; i++)
		to[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = moore_rng_below(r, i), t = to[k];

		to[k] = to[i - 1];
		to[i - 1] = t;
	}
	for (uint32_t i = 0; i < n; i++)
		sw[to[i]] = p->sw[i];
	memcpy(p->sw, sw, n * sizeof(*sw));
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].sw = to[p->ep[i].sw];
	for (uint32_t i = kept; i-- > 0;) {
		uint32_t k = moore_rng_below(r, i + 1);
		struct moore_plan_cable t = p->cable[i];

		p->cable[i] = p->cable[k];
		p->cable[k] = t;
		for (int e = 0; e < 2; e++)
			p->cable[i].sw[e] = to[p->cable[i].sw[e]];
	}
	free(sw);
	free(to);
}

/* ---- the verdicts that were given ------------------------------------------------ */

static inline uint64_t
miswire_named(const struct moore_wire *w)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < w->n_deviations; i++) {
		const struct moore_deviation *d = &w->deviation[i];
		const struct moore_wire_jack *e = d->planned[0].slot == MOORE_NONE ? d->observed :
			d->planned;
		uint64_t what = d->cable != MOORE_NONE ? d->cable :
			e[0].endpoint ? 1ull << 40 | e[0].slot :
			e[1].endpoint ? 1ull << 40 | e[1].slot :
			miswire_ports_key(e[0].slot, e[0].port, e[1].slot, e[1].port);

		sum += miswire_key((int)d->verdict, what);
	}
	return sum;
}

/* ---- moves, made one step after the other ------------------------------------------- */

/* Makes the moves of r.  Returns NULL if they turn the observed cables into the planned
 * ones, else what is wrong. */
static inline const char *
miswire_apply(const struct moore_wire *w, const struct moore_repair *r)
{
	uint32_t n = w->observed.n + r->n_new;
	uint32_t (*now)[2] = malloc((n + 1u) * sizeof(*now));
	uint32_t *held = malloc((w->n_jacks + 1u) * sizeof(*held));
	const char *wrong = NULL;
	uint32_t left = 0;

	memset(now, 0xff, (n + 1u) * sizeof(*now));
	memset(held, 0xff, (w->n_jacks + 1u) * sizeof(*held));
	for (uint32_t i = 0; i < w->observed.n; i++)
		for (int k = 0; k < 2; k++) {
			now[i][k] = w->observed.cable[i].jack[k];
			held[now[i][k]] = i;
		}
	for (uint32_t i = 0, to; i < r->n_moves && !wrong; i = to) {
		for (to = i; to < r->n_moves && r->move[to].step == r->move[i].step; to++) {
			const struct moore_repair_move *m = &r->move[to];

			if (m->cable >= n || now[m->cable][m->end] != m->from)
				wrong = "a move starts where the end is not";
			else if (m->from != MOORE_NONE)
				held[m->from] = MOORE_NONE;
		}
		for (uint32_t k = i; k < to && !wrong; k++) {
			const struct moore_repair_move *m = &r->move[k];

			now[m->cable][m->end] = m->to;
			if (m->to == MOORE_NONE)
				continue;
			if (held[m->to] != MOORE_NONE)
				wrong = "a jack is taken twice";
			held[m->to] = m->cable;
		}
	}
	for (uint32_t i = 0; i < n && !wrong; i++) {
		if (now[i][0] == MOORE_NONE && now[i][1] == MOORE_NONE)
			continue;
		left++;
		if (now[i][0] == MOORE_NONE || now[i][1] == MOORE_NONE)
			wrong = "a cable hangs by one end";
		else if (w->planned.at[now[i][0]] == MOORE_NONE ||
			 w->planned.at[now[i][0]] != w->planned.at[now[i][1]])
			wrong = "a cable is not planned";
	}
	if (!wrong && left != w->planned.n)
		wrong = "a planned cable is not there";
	free(now);
	free(held);
	return wrong;
}

#endif
