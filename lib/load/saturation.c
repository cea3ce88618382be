// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* saturation.c - the greatest load of a link under a traffic pattern, with each flow spread
 * over the offsets of its destination as well as can be found.
 *
 * Minimising the greatest load is a linear programme.  It is approximated by Frank-Wolfe
 * steps on the sum of (load / greatest)^n with n rising.  In each round every flow moves a
 * small share of itself to the offset whose route costs least by that measure; flows are
 * handled one after the other, and each sees the changes of those before it.  Powers are
 * computed by squaring, without other functions, and the number of rounds is fixed, so the
 * result is the same on every machine.
 *
 * The distance from the optimum is bounded: by duality, for any prices y of links, no
 * shares give a greatest load below (the sum of each flow's cheapest route) / (the sum of
 * y).  The prices that steer the steps, averaged, are used for this bound. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "load_impl.h"

#define ROUNDS 800
#define MEMORY 24		/* rounds over which prices are averaged */

struct flow {
	moore_swid from;
	moore_epid to;
	double units;
};

struct model {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	struct moore_saturation *out;
	struct moore_arena tmp;
	struct flow *flow;
	double *share;		/* [flow * n_offsets + offset] */
	double *load, *price;	/* for each slot, which is port0 + port */
	double *usual;		/* prices averaged over the last rounds, for the bound */
	double *column;		/* [offset * n_slots + slot]: load with everything in that offset */
	uint32_t n_slots, n_flows;
	double top;		/* the greatest load */
	unsigned power;		/* log2 of n */
};

/* ---- routes ---------------------------------------------------------------- */

/* Takes the next link of a route: its slot, and the switch it leads to.  Returns false at
 * the end of the route, or where the tables lead nowhere. */
static bool
step(const struct model *m, moore_swid *s, unsigned lid, uint32_t *slot)
{
	uint8_t out = moore_lft_row(m->lft, *s)[lid];
	const struct moore_port *p;

	if (out > m->f->sw[*s].n_ports)
		return false;
	p = moore_fabric_port(m->f, *s, out);
	*slot = m->f->sw[*s].port0 + out;
	if (p->role != MOORE_ROLE_SWITCH)
		return false;
	*s = p->peer;
	return true;
}

static bool
arrives(const struct model *m, moore_swid from, moore_epid to, unsigned lid)
{
	const struct moore_endpoint *ep = &m->f->ep[to];
	uint32_t slot = 0;

	for (uint32_t hops = 0; hops <= m->f->n_switches; hops++)
		if (!step(m, &from, lid, &slot))
			return from == ep->sw && moore_lft_row(m->lft, from)[lid] == ep->port;
	return false;
}

static bool
has_route(const struct model *m, const struct flow *w, unsigned k)
{
	const struct moore_endpoint *ep = &m->f->ep[w->to];

	return k < 1u << ep->lmc && arrives(m, w->from, w->to, ep->lid + k);
}

static void
add_route(const struct model *m, const struct flow *w, unsigned k, double units, double *load)
{
	moore_swid s = w->from;
	uint32_t slot;

	while (step(m, &s, m->f->ep[w->to].lid + k, &slot))
		load[slot] += units;
}

static double
cost(const struct model *m, const struct flow *w, unsigned k)
{
	moore_swid s = w->from;
	double sum = 0;
	uint32_t slot;

	while (step(m, &s, m->f->ep[w->to].lid + k, &slot))
		sum += m->price[slot];
	return sum;
}

/* ---- flows ----------------------------------------------------------------- */

static bool
takes_part(const struct moore_endpoint *ep)
{
	return ep->sw != MOORE_NONE && ep->lid;
}

/* The i-th endpoint of a switch; MOORE_NONE past the last. */
static moore_epid
endpoint_at(const struct moore_fabric *f, moore_swid s, unsigned i)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_ENDPOINT && takes_part(&f->ep[port->peer]) && !i--)
			return port->peer;
	}
	return MOORE_NONE;
}

/* Adds a flow from each endpoint of s to the endpoint of `to` with the same number, as long
 * as both exist. */
static void
add_flows(struct model *m, moore_swid s, moore_swid to)
{
	moore_epid e;

	for (unsigned i = 0; endpoint_at(m->f, s, i) != MOORE_NONE &&
	     (e = endpoint_at(m->f, to, i)) != MOORE_NONE; i++)
		m->flow[m->n_flows++] = (struct flow){ s, e, 1 };
}

static int
fill_flows(struct model *m, struct moore_err *err)
{
	moore_swid *to = moore_arena_alloc(&m->tmp, (size_t)m->f->n_switches + 1, sizeof(*to));
	int rc;

	m->flow = moore_arena_alloc(&m->tmp, (size_t)m->f->n_endpoints + 1, sizeof(*m->flow));
	if (!to || !m->flow)
		return moore_fail_nomem(err);
	if ((rc = moore_pattern_peers(m->f, m->out->pattern, to, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < m->f->n_switches; s++) {
		if (to[s] != MOORE_NONE)
			add_flows(m, s, to[s]);
		else if (endpoint_at(m->f, s, 0) != MOORE_NONE)
			m->out->idle++;
	}
	m->out->n_flows = m->n_flows;
	return 0;
}

/* ---- prices ------------------------------------------------------------------ */

static double
price_of(const struct model *m, double load)
{
	double x = load / m->top;

	for (unsigned i = 0; i < m->power; i++)
		x *= x;
	return x > 1e-30 ? x : 0;
}

static double
find_top(struct model *m, const double *load)
{
	m->top = 0;
	for (uint32_t i = 0; i < m->n_slots; i++)
		if (load[i] > m->top)
			m->top = load[i];
	return m->top;
}

static double
set_prices(struct model *m)
{
	double sum = 0;

	find_top(m, m->load);
	for (uint32_t i = 0; i < m->n_slots; i++)
		sum += m->price[i] = m->top > 0 ? price_of(m, m->load[i]) : 0;
	return sum;
}

static unsigned
power_at(unsigned round)		/* n is 2^3 .. 2^9; a step is 1 / 2n */
{
	return 3 + 7 * round / (ROUNDS + 1);
}

/* ---- shares of each flow ------------------------------------------------------- */

static bool
usable(const struct model *m, uint32_t i, unsigned k)
{
	return m->share[(size_t)i * m->out->n_offsets + k] >= 0;
}

static unsigned
cheapest(const struct model *m, uint32_t i, double *least)
{
	unsigned best = 0;

	*least = -1;
	for (unsigned k = 0; k < m->out->n_offsets; k++) {
		double c;

		if (!usable(m, i, k) || ((c = cost(m, &m->flow[i], k)) >= *least && *least >= 0))
			continue;
		best = k;
		*least = c;
	}
	return best;
}

static void
reprice(struct model *m, const struct flow *w, unsigned k)
{
	moore_swid s = w->from;
	uint32_t slot;

	while (step(m, &s, m->f->ep[w->to].lid + k, &slot))
		m->price[slot] = price_of(m, m->load[slot]);
}

/* Moves a part of the flow to one offset. */
static void
move(struct model *m, uint32_t i, unsigned to, double part)
{
	double *x = &m->share[(size_t)i * m->out->n_offsets];
	const struct flow *w = &m->flow[i];

	for (unsigned k = 0; k < m->out->n_offsets; k++) {
		double was = x[k];

		if (!usable(m, i, k))
			continue;
		x[k] = (1 - part) * was + (k == to ? part : 0);
		add_route(m, w, k, (x[k] - was) * w->units, m->load);
		reprice(m, w, k);
	}
}

static void
note_hottest(struct model *m, const double *load)
{
	struct moore_saturation *o = m->out;

	for (moore_swid s = 0; s < m->f->n_switches; s++)
		for (unsigned p = 1; p <= m->f->sw[s].n_ports; p++)
			if (load[m->f->sw[s].port0 + p] >= m->top && m->top > 0) {
				o->hot_sw = s;
				o->hot_port = (moore_portnum)p;
				return;
			}
}

/* Updates the lower bound that no shares can be below, from the averaged prices. */
static void
bound(struct model *m, double total)
{
	double *now = m->price, least, all = 0, sum = 0;

	for (uint32_t i = 0; i < m->n_slots; i++)
		sum += m->usual[i] += (m->price[i] / total - m->usual[i]) / MEMORY;
	m->price = m->usual;
	for (uint32_t i = 0; i < m->n_flows; i++) {
		cheapest(m, i, &least);
		if (least > 0)
			all += least * m->flow[i].units;
	}
	m->price = now;
	if (sum > 0 && all / sum > m->out->pair_bound)
		m->out->pair_bound = all / sum;
}

static void
spread_by_pair(struct model *m)
{
	struct moore_saturation *o = m->out;
	double least, sum;

	o->pair = o->even;
	for (unsigned round = 0; round <= ROUNDS; round++) {
		m->power = power_at(round);
		sum = set_prices(m);
		if (m->top < o->pair || !round) {
			o->pair = m->top;
			note_hottest(m, m->load);
		}
		if (sum > 0)
			bound(m, sum);
		for (uint32_t i = 0; i < m->n_flows && m->top > 0; i++) {
			unsigned k = cheapest(m, i, &least);

			if (least >= 0)
				move(m, i, k, 0.5 / (1u << m->power));
		}
	}
}

/* ---- the same shares for all --------------------------------------------------- */

static void
mix_columns(struct model *m, const double *share)
{
	memset(m->load, 0, m->n_slots * sizeof(*m->load));
	for (unsigned k = 0; k < m->out->n_offsets; k++)
		for (uint32_t i = 0; share[k] > 0 && i < m->n_slots; i++)
			m->load[i] += share[k] * m->column[(size_t)k * m->n_slots + i];
}

/* The offset that costs least by the prices, among those that serve every flow. */
static unsigned
cheapest_column(const struct model *m)
{
	double least = -1;
	unsigned best = 0;

	for (unsigned k = 0; k < m->out->n_offsets; k++) {
		double sum = 0;

		for (uint32_t i = 0; i < m->n_slots; i++)
			sum += m->price[i] * m->column[(size_t)k * m->n_slots + i];
		if (m->out->alone[k] > 0 && (least < 0 || sum < least)) {
			least = sum;
			best = k;
		}
	}
	return best;
}

static void
try_each_alone(struct model *m)
{
	struct moore_saturation *o = m->out;

	for (unsigned k = 0; k < o->n_offsets; k++) {
		if (o->alone[k] <= 0 || (o->global > 0 && o->alone[k] >= o->global))
			continue;
		o->global = o->alone[k];
		memset(o->share, 0, sizeof(o->share));
		o->share[k] = 1;
		find_top(m, &m->column[(size_t)k * m->n_slots]);
		note_hottest(m, &m->column[(size_t)k * m->n_slots]);
	}
}

static void
spread_globally(struct model *m)
{
	struct moore_saturation *o = m->out;
	double x[MOORE_N_OFFSETS] = { 0 };
	unsigned whole = 0;

	for (unsigned k = 0; k < o->n_offsets; k++)
		whole += o->alone[k] > 0;
	for (unsigned k = 0; whole && k < o->n_offsets; k++)
		x[k] = o->alone[k] > 0 ? 1.0 / whole : 0;
	try_each_alone(m);
	for (unsigned round = 0; whole && round <= ROUNDS; round++) {
		unsigned to;

		mix_columns(m, x);
		m->power = power_at(round);
		set_prices(m);
		if (m->top < o->global) {
			o->global = m->top;
			memcpy(o->share, x, sizeof(x));
			note_hottest(m, m->load);
		}
		to = cheapest_column(m);
		for (unsigned k = 0; k < o->n_offsets; k++)
			x[k] += ((k == to) - x[k]) / (round + 4);
	}
}

/* ---- loads of each offset --------------------------------------------------------- */

static void
load_by_flows(struct model *m)
{
	const unsigned n = m->out->n_offsets;
	bool whole[MOORE_N_OFFSETS];

	memset(whole, 1, sizeof(whole));
	for (uint32_t i = 0; i < m->n_flows; i++) {
		unsigned routed = 0;

		for (unsigned k = 0; k < n; k++) {
			bool is = has_route(m, &m->flow[i], k);

			m->share[(size_t)i * n + k] = is ? 0 : -1;
			routed += is;
			whole[k] &= is;
		}
		for (unsigned k = 0; k < n; k++) {
			if (!usable(m, i, k))
				continue;
			m->share[(size_t)i * n + k] = 1.0 / routed;
			add_route(m, &m->flow[i], k, m->flow[i].units, &m->column[(size_t)k * m->n_slots]);
			add_route(m, &m->flow[i], k, m->flow[i].units / routed, m->load);
		}
	}
	for (unsigned k = 0; k < n; k++)
		m->out->alone[k] = whole[k] ? find_top(m, &m->column[(size_t)k * m->n_slots]) : 0;
	m->out->even = find_top(m, m->load);
}

/* The first and the last link of a route; false if the route has none. */
static bool
ends_of(const struct model *m, const struct flow *w, unsigned k, uint32_t *first, uint32_t *last)
{
	moore_swid s = w->from;
	uint32_t slot, n = 0;

	while (step(m, &s, m->f->ep[w->to].lid + k, &slot)) {
		if (!n++)
			*first = slot;
		*last = slot;
	}
	return n;
}

static void
note_ways(struct moore_ways *w, uint32_t n)
{
	w->mean += n;
	if (!w->least || n < w->least)
		w->least = n;
}

/* Counts the different first and last links of the flows of each switch, which are adjacent
 * in the list.  mark[link] is 1 + the last source that used the link first; mark[n_slots +
 * link] is the same for last links. */
static int
count_ways(struct model *m, struct moore_err *err)
{
	uint32_t *mark = moore_arena_alloc(&m->tmp, 2 * (size_t)m->n_slots + 1, sizeof(*mark));
	uint32_t first, last, n_first, n_last, sources = 0;

	if (!mark)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < m->n_flows; sources++) {
		const moore_swid from = m->flow[i].from;

		for (n_first = n_last = 0; i < m->n_flows && m->flow[i].from == from; i++)
			for (unsigned k = 0; k < m->out->n_offsets; k++) {
				if (!usable(m, i, k) || !ends_of(m, &m->flow[i], k, &first, &last))
					continue;
				n_first += mark[first] != from + 1;
				mark[first] = from + 1;
				n_last += mark[m->n_slots + last] != from + 1;
				mark[m->n_slots + last] = from + 1;
			}
		note_ways(&m->out->first, n_first);
		note_ways(&m->out->last, n_last);
	}
	if (sources) {
		m->out->first.mean /= sources;
		m->out->last.mean /= sources;
	}
	return 0;
}

static uint32_t
count_endpoints(struct model *m, uint32_t *at)
{
	uint32_t n = 0;

	for (moore_epid e = 0; e < m->f->n_endpoints; e++)
		if (takes_part(&m->f->ep[e])) {
			at[m->f->ep[e].sw]++;
			n++;
		}
	return n;
}

/* Uniform traffic from each endpoint to every other: flows are made one by one and not
 * stored. */
static int
load_uniformly(struct model *m, struct moore_err *err)
{
	uint32_t *at = moore_arena_alloc(&m->tmp, (size_t)m->f->n_switches + 1, sizeof(*at));
	const unsigned n = m->out->n_offsets;
	bool whole[MOORE_N_OFFSETS];
	uint32_t all;

	if (!at)
		return moore_fail_nomem(err);
	memset(whole, 1, sizeof(whole));
	all = count_endpoints(m, at);
	for (moore_epid e = 0; e < m->f->n_endpoints; e++)
		for (moore_swid s = 0; takes_part(&m->f->ep[e]) && s < m->f->n_switches; s++) {
			struct flow w = { s, e, all > 1 ? (double)at[s] / (all - 1) : 0 };

			if (!at[s] || s == m->f->ep[e].sw)
				continue;
			m->out->n_flows += at[s];
			for (unsigned k = 0; k < n; k++)
				if (has_route(m, &w, k))
					add_route(m, &w, k, w.units, &m->column[(size_t)k * m->n_slots]);
				else
					whole[k] = false;
		}
	for (unsigned k = 0; k < n; k++) {
		m->out->alone[k] = whole[k] ? find_top(m, &m->column[(size_t)k * m->n_slots]) : 0;
		for (uint32_t i = 0; i < m->n_slots; i++)
			m->load[i] += m->column[(size_t)k * m->n_slots + i] / n;
	}
	m->out->even = find_top(m, m->load);
	return 0;
}

/* ---- all of it ----------------------------------------------------------------------- */

static int
measure_up(struct model *m, struct moore_err *err)
{
	const struct moore_fabric *f = m->f;
	unsigned n = 0;

	if (m->lft->n_switches != f->n_switches)
		return moore_fail(err, MOORE_EINVAL, 0, "tables: of %u switches, and the fabric has "
				  "%u: take both from one run", m->lft->n_switches, f->n_switches);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		if (!takes_part(&f->ep[e]))
			continue;
		if (f->ep[e].lmc > 7 || f->ep[e].lid + (1u << f->ep[e].lmc) > m->lft->stride)
			return moore_fail(err, MOORE_EINVAL, 0, "tables: end before LID %u of "
					  "endpoint %s: take both from one run", f->ep[e].lid,
					  f->ep[e].name);
		if (n < 1u << f->ep[e].lmc)
			n = 1u << f->ep[e].lmc;
	}
	if (!n)
		return moore_fail(err, MOORE_EINVAL, 0, "fabric: no endpoint has a LID: traffic runs "
				  "between endpoints, so attach some");
	m->out->n_offsets = n;
	return 0;
}

static bool
get_memory(struct model *m)
{
	size_t n = (size_t)m->n_slots + 1, k = m->out->n_offsets;

	return (m->load = moore_arena_alloc(&m->tmp, n, sizeof(*m->load))) &&
	       (m->price = moore_arena_alloc(&m->tmp, n, sizeof(*m->price))) &&
	       (m->usual = moore_arena_alloc(&m->tmp, n, sizeof(*m->usual))) &&
	       (m->column = moore_arena_alloc(&m->tmp, n * k, sizeof(*m->column))) &&
	       (m->share = moore_arena_alloc(&m->tmp, (size_t)m->n_flows * k + 1,
					     sizeof(*m->share)));
}

int
moore_saturation_measure(struct moore_saturation *out, const struct moore_fabric *f,
			 const struct moore_lft *lft, enum moore_pattern pattern,
			 struct moore_err *err)
{
	struct model m = { .f = f, .lft = lft, .out = out, .n_slots = f->n_ports };
	bool uniform = pattern == MOORE_PATTERN_UNIFORM;
	double *even;
	int rc;

	*out = (struct moore_saturation){ .pattern = pattern, .hot_sw = MOORE_NONE };
	if ((rc = measure_up(&m, err)) < 0 || (!uniform && (rc = fill_flows(&m, err)) < 0))
		goto out;
	if (!get_memory(&m) || !(even = moore_arena_alloc(&m.tmp, (size_t)m.n_slots + 1,
							  sizeof(*even)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if (uniform)
		rc = load_uniformly(&m, err);
	else
		load_by_flows(&m);
	if (rc < 0)
		goto out;
	memcpy(even, m.load, m.n_slots * sizeof(*even));
	spread_globally(&m);
	memcpy(m.load, even, m.n_slots * sizeof(*even));
	if (!uniform) {
		spread_by_pair(&m);
		rc = count_ways(&m, err);
	}
out:
	moore_arena_free(&m.tmp);
	return rc;
}
