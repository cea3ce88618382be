// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* saturation.c - the greatest load of a link under a traffic pattern, with each flow spread
 * over the offsets of its destination as well as can be found.
 *
 * With shares of its own for each flow, the least greatest load is a linear programme
 * (programme.c).  With the same shares for all flows there are few variables.  These are
 * found by Frank-Wolfe steps on the sum of (load / greatest)^n with n rising.  Powers are
 * computed by squaring, without other functions, and the number of rounds is fixed, so the
 * result is the same on every machine. */
#include <stdlib.h>
#include <string.h>

#include "load_impl.h"

#define ROUNDS 800
#define GAP 0.005		/* between pair and its bound */

struct model {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	struct moore_saturation *out;
	struct moore_ends ends;
	struct moore_programme p;	/* its flows are grouped by their switches */
	moore_swid *from;	/* of each flow */
	struct moore_arena tmp;
	double *load, *price;	/* for each slot, which is port0 + port */
	double *column;		/* [offset * n_slots + slot]: load with everything in that offset */
	uint32_t n_slots;
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
has_route(const struct model *m, moore_swid from, const struct moore_endpoint *ep, unsigned k)
{
	uint32_t slot = 0;

	if (k >= 1u << ep->lmc)
		return false;
	for (uint32_t hops = 0; hops <= MOORE_HOPS_MAX; hops++)
		if (!step(m, &from, ep->lid + k, &slot))
			return from == ep->sw &&
			       moore_lft_row(m->lft, from)[ep->lid + k] == ep->port;
	return false;
}

static void
add_route(const struct model *m, moore_swid s, unsigned lid, double units, double *load)
{
	uint32_t slot;

	while (step(m, &s, lid, &slot))
		load[slot] += units;
}

/* ---- flows ----------------------------------------------------------------- */

static int
find_peers(struct model *m, const struct moore_saturation_opts *opts, moore_swid *to,
	   struct moore_err *err)
{
	const enum moore_pattern pattern = m->out->pattern;

	return pattern <= MOORE_PATTERN_YEBENES ?
		moore_pattern_peers(m->f, &m->ends, pattern, to, err) :
		moore_worst_peers(m->f, m->lft, &m->ends, m->out->n_offsets, pattern, opts, to, err);
}

static int
fill_flows(struct model *m, const moore_swid *to, struct moore_err *err)
{
	int rc = moore_programme_init(&m->p, m->f, m->lft, m->out->n_offsets, m->f->n_endpoints, err);

	m->from = moore_arena_alloc(&m->tmp, (size_t)m->f->n_endpoints + 1, sizeof(*m->from));
	if (rc == 0 && !m->from)
		rc = moore_fail_nomem(err);
	for (uint32_t i = 0, n = 0; rc == 0 && i < m->ends.n; i++) {
		const moore_swid s = m->ends.sw[i];

		if (to[s] == MOORE_NONE)
			m->out->idle++;
		else if (!moore_ends_send(&m->ends, i, m->ends.at[to[s]], &m->p))
			rc = moore_fail_nomem(err);
		while (n < m->p.n_flows)
			m->from[n++] = s;
	}
	m->out->n_flows = m->p.n_flows;
	m->out->n_unrouted = m->p.n_unrouted;
	return rc;
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

/* Adds units to the links of the i-th flow's route at offset k. */
static void
add_flow(const struct model *m, uint32_t i, unsigned k, double units, double *load)
{
	const uint32_t *start = &m->p.start[(size_t)i * m->out->n_offsets + k];

	for (uint32_t l = start[0]; l < start[1]; l++)
		load[m->p.slot[m->p.link[l]]] += units;
}

static void
load_by_flows(struct model *m)
{
	const unsigned n = m->out->n_offsets;
	bool whole[MOORE_N_OFFSETS];

	memset(whole, m->out->n_unrouted == 0, sizeof(whole));
	for (uint32_t i = 0; i < m->p.n_flows; i++) {
		unsigned routed = 0;

		for (unsigned k = 0; k < n; k++) {
			whole[k] &= moore_programme_leads(&m->p, (size_t)i * n + k);
			routed += moore_programme_leads(&m->p, (size_t)i * n + k);
		}
		for (unsigned k = 0; k < n; k++) {
			add_flow(m, i, k, 1, &m->column[(size_t)k * m->n_slots]);
			add_flow(m, i, k, 1.0 / routed, m->load);
		}
	}
	for (unsigned k = 0; k < n; k++)
		m->out->alone[k] = whole[k] ? find_top(m, &m->column[(size_t)k * m->n_slots]) : 0;
	m->out->even = find_top(m, m->load);
}

static void
spread_by_pair(struct model *m)
{
	moore_programme_solve(&m->p, GAP, 0);
	m->out->pair = m->p.greatest;
	m->out->pair_bound = m->p.bound;
	memset(m->load, 0, m->n_slots * sizeof(*m->load));
	for (uint32_t i = 0; i < m->p.n_links; i++)
		m->load[m->p.slot[i]] = m->p.load[i];
	find_top(m, m->load);
	note_hottest(m, m->load);
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
	const uint32_t *start = m->p.start, *link = m->p.link;
	uint32_t n_first, n_last, sources = 0;

	if (!mark)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < m->p.n_flows; sources++) {
		const moore_swid from = m->from[i];

		for (n_first = n_last = 0; i < m->p.n_flows && m->from[i] == from; i++)
			for (size_t r = (size_t)i * m->out->n_offsets, k = 0; k < m->out->n_offsets;
			     r++, k++) {
				uint32_t *first, *last;

				if (!moore_programme_leads(&m->p, r))
					continue;
				first = &mark[link[start[r]]];
				last = &mark[m->n_slots + link[start[r + 1] - 1]];
				n_first += *first != from + 1;
				n_last += *last != from + 1;
				*first = *last = from + 1;
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

/* Adds to the columns the traffic of the endpoints of a switch to one elsewhere, `units` in all.
 * Where only some offsets have a route, these take what an even share of the others would be:
 * that goes into load.  Returns the number of offsets with a route. */
static unsigned
add_uniform(struct model *m, moore_swid from, const struct moore_endpoint *ep, double units,
	    bool *whole)
{
	const unsigned n = m->out->n_offsets;
	bool leads[MOORE_N_OFFSETS];
	unsigned routed = 0;

	for (unsigned k = 0; k < n; k++) {
		routed += leads[k] = has_route(m, from, ep, k);
		whole[k] &= leads[k];
		if (leads[k])
			add_route(m, from, ep->lid + k, units, &m->column[(size_t)k * m->n_slots]);
	}
	for (unsigned k = 0; routed < n && k < n; k++)
		if (leads[k])
			add_route(m, from, ep->lid + k, units * (1.0 / routed - 1.0 / n), m->load);
	return routed;
}

/* Uniform traffic from each endpoint to every other: flows are made one by one and not
 * stored. */
static void
load_uniformly(struct model *m)
{
	const struct moore_ends *ends = &m->ends;
	const unsigned n = m->out->n_offsets;
	const uint32_t all = ends->first[ends->n];
	bool whole[MOORE_N_OFFSETS];

	memset(whole, 1, sizeof(whole));
	for (uint32_t e = 0; e < all; e++)
		for (uint32_t i = 0; i < ends->n; i++) {
			const struct moore_endpoint *ep = &m->f->ep[ends->ep[e]];
			const uint32_t at = ends->first[i + 1] - ends->first[i];

			if (ends->sw[i] == ep->sw)
				continue;
			if (add_uniform(m, ends->sw[i], ep, (double)at / (all - 1), whole))
				m->out->n_flows += at;
			else
				m->out->n_unrouted += at;
		}
	for (unsigned k = 0; k < n; k++) {
		m->out->alone[k] = whole[k] ? find_top(m, &m->column[(size_t)k * m->n_slots]) : 0;
		for (uint32_t i = 0; i < m->n_slots; i++)
			m->load[i] += m->column[(size_t)k * m->n_slots + i] / n;
	}
	m->out->even = find_top(m, m->load);
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
	for (uint32_t i = 0; i < m->ends.first[m->ends.n]; i++) {
		const struct moore_endpoint *ep = &f->ep[m->ends.ep[i]];

		if (ep->lmc > 7 || ep->lid + (1u << ep->lmc) > m->lft->stride)
			return moore_fail(err, MOORE_EINVAL, 0, "tables: end before LID %u of "
					  "endpoint %s: take both from one run", ep->lid, ep->name);
		if (n < 1u << ep->lmc)
			n = 1u << ep->lmc;
	}
	if (!n)
		return moore_fail(err, MOORE_EINVAL, 0, "fabric: no endpoint has a LID: traffic runs "
				  "between endpoints, so attach some");
	m->out->n_offsets = n;
	return 0;
}

static int
get_memory(struct model *m, struct moore_err *err)
{
	size_t n = (size_t)m->n_slots + 1, k = m->out->n_offsets;
	bool ok = (m->load = moore_arena_alloc(&m->tmp, n, sizeof(*m->load))) &&
		  (m->price = moore_arena_alloc(&m->tmp, n, sizeof(*m->price))) &&
		  (m->column = moore_arena_alloc(&m->tmp, n * k, sizeof(*m->column)));

	return ok ? 0 : moore_fail_nomem(err);
}

/* Everything but UNIFORM. */
static int
measure_permutation(struct model *m, const struct moore_saturation_opts *opts, moore_swid *to,
		    struct moore_err *err)
{
	int rc;

	if (!to)
		to = moore_arena_alloc(&m->tmp, (size_t)m->f->n_switches + 1, sizeof(*to));
	if (!to)
		return moore_fail_nomem(err);
	if ((rc = find_peers(m, opts, to, err)) < 0 || (rc = fill_flows(m, to, err)) < 0)
		return rc;
	load_by_flows(m);
	spread_globally(m);
	spread_by_pair(m);
	return count_ways(m, err);
}

int
moore_saturation_measure(struct moore_saturation *out, moore_swid *to,
			 const struct moore_fabric *f, const struct moore_lft *lft,
			 enum moore_pattern pattern, const struct moore_saturation_opts *opts,
			 struct moore_err *err)
{
	struct model m = { .f = f, .lft = lft, .out = out, .n_slots = f->n_ports };
	int rc;

	*out = (struct moore_saturation){ .pattern = pattern, .hot_sw = MOORE_NONE };
	for (moore_swid s = 0; to && s < f->n_switches; s++)
		to[s] = MOORE_NONE;
	if ((rc = moore_ends_list(&m.ends, f, &m.tmp, err)) < 0 || (rc = measure_up(&m, err)) < 0 ||
	    (rc = get_memory(&m, err)) < 0)
		goto out;
	if (pattern != MOORE_PATTERN_UNIFORM) {
		rc = measure_permutation(&m, opts, to, err);
	} else {
		load_uniformly(&m);
		spread_globally(&m);
	}
out:
	moore_programme_fini(&m.p);
	moore_arena_free(&m.tmp);
	return rc;
}
