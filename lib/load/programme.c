// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* programme.c - divides flows over their routes so that the greatest load of a link is least,
 * and proves how near to the optimum the division is.
 *
 * With x the shares (each flow's sum is 1), y prices of links (their sum is 1) and A the
 * matrix of links by routes, the least greatest load is min over x of max over y of y'Ax.  For
 * any x the greatest entry of Ax is an upper bound; for any y the sum of each flow's cheapest
 * route is a lower bound.  Both are computed at every check, so the answer carries its proof
 * and does not depend on how well the steps converge.
 *
 * The steps are those of the primal-dual hybrid gradient method (Chambolle and Pock, J. Math.
 * Imaging Vis. 40, 2011), restarted from the average or the current point as in PDLP
 * (Applegate et al., "Practical large-scale linear programming using primal-dual hybrid
 * gradient", NeurIPS 2021).  A step is two passes over the routes, and some
 * hundred steps reach 1 %.  A solver from a library would be one more thing that lib/ takes
 * from outside.  Only +, -, * and / are used, in a fixed order, so every machine computes the
 * same result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "programme.h"

#define MAX_STEPS 200000u
#define CHECK_EVERY 8u
#define WEIGHT 4	/* of steps in prices at the beginning, over those for even shares and
			 * prices; of 1, 4 and 16, the fewest steps over Slim Fly q=7 to 13, OFT
			 * k=8 and MLFM h=10.  Restarts adapt it. */

/* ---- routes --------------------------------------------------------------------- */

static bool
get_vectors(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->cap_flows * p->n_offsets + 1, m = (size_t)p->f->n_ports + 1;
	double **const by_route[] = { &p->share, &s->x, &s->x_sum, &s->x_then, &s->cost,
				      &s->cost_sum };
	double **const by_link[] = { &p->load, &p->price, &s->y, &s->y_sum, &s->y_then, &s->load,
				     &s->load_was, &s->load_sum, &s->aim };

	for (size_t i = 0; i < ARRAY_LEN(by_route); i++)
		if (!(*by_route[i] = moore_arena_alloc(&p->tmp, n, sizeof(double))))
			return false;
	for (size_t i = 0; i < ARRAY_LEN(by_link); i++)
		if (!(*by_link[i] = moore_arena_alloc(&p->tmp, m, sizeof(double))))
			return false;
	return (p->start = moore_arena_alloc(&p->tmp, n, sizeof(*p->start))) &&
	       (p->entry = moore_arena_alloc(&p->tmp, m, sizeof(*p->entry))) &&
	       (p->slot = moore_arena_alloc(&p->tmp, m, sizeof(*p->slot))) &&
	       (p->index = moore_arena_alloc(&p->tmp, m, sizeof(*p->index)));
}

int
moore_programme_init(struct moore_programme *p, const struct moore_fabric *f,
		     const struct moore_lft *lft, uint32_t n_offsets, uint32_t cap_flows,
		     struct moore_err *err)
{
	*p = (struct moore_programme){ .f = f, .lft = lft, .n_offsets = n_offsets,
				       .cap_flows = cap_flows };
	return get_vectors(p) ? 0 : moore_fail_nomem(err);
}

void
moore_programme_fini(struct moore_programme *p)
{
	free(p->link);
	free(p->units);
	moore_arena_free(&p->tmp);
	*p = (struct moore_programme){ 0 };
}

void
moore_programme_clear(struct moore_programme *p)
{
	for (uint32_t i = 0; i < p->n_links; i++)
		p->index[p->slot[i]] = 0;
	p->n_flows = p->n_links = p->n_unrouted = 0;
	p->start[0] = 0;
}

/* Adds units to a link of the route that begins at link[first].  False: out of memory. */
static bool
load_link(struct moore_programme *p, uint32_t slot, double units, uint32_t first, uint32_t *end)
{
	const uint32_t at = p->entry[slot];
	uint32_t *link;
	double *amount;

	if (at >= first && at < *end && p->index[slot] == p->link[at] + 1) {
		p->units[at] += units;
		return true;
	}
	if (!(link = moore_grow(p->link, *end, &p->cap_link, sizeof(*link))))
		return false;
	p->link = link;
	if (!(amount = moore_grow(p->units, *end, &p->cap_units, sizeof(*amount))))
		return false;
	p->units = amount;
	if (!p->index[slot]) {
		p->slot[p->n_links++] = slot;
		p->index[slot] = p->n_links;
	}
	p->entry[slot] = *end;
	p->units[*end] = units;
	p->link[(*end)++] = p->index[slot] - 1;
	return true;
}

enum found { ARRIVES, LEADS_NOWHERE, OUT_OF_MEMORY };

static enum found
load_route(struct moore_programme *p, const struct moore_programme_pair *w, unsigned k,
	   uint32_t first, uint32_t *end)
{
	const struct moore_endpoint *to = &p->f->ep[w->to];
	moore_swid s = w->from;

	if (k >= 1u << to->lmc)
		return LEADS_NOWHERE;
	for (unsigned hops = 0; hops <= MOORE_HOPS_MAX; hops++) {
		uint8_t out = moore_lft_row(p->lft, s)[to->lid + k];
		const struct moore_port *port = moore_fabric_port(p->f, s, out);

		if (s == to->sw && out == to->port)
			return ARRIVES;
		if (out > p->f->sw[s].n_ports || port->role != MOORE_ROLE_SWITCH)
			break;
		if (!load_link(p, p->f->sw[s].port0 + out, w->units, first, end))
			return OUT_OF_MEMORY;
		s = port->peer;
	}
	return LEADS_NOWHERE;
}

bool
moore_programme_add(struct moore_programme *p, const struct moore_programme_pair *pair, uint32_t n)
{
	uint32_t *start = &p->start[(size_t)p->n_flows * p->n_offsets], end = start[0];

	for (unsigned k = 0; k < p->n_offsets; k++) {
		const uint32_t first = end;
		enum found found = ARRIVES;

		for (uint32_t i = 0; i < n && found == ARRIVES; i++)
			found = load_route(p, &pair[i], k, first, &end);
		if (found == OUT_OF_MEMORY)
			return false;
		start[k + 1] = end = found == ARRIVES ? end : first;
	}
	if (end == start[0])
		p->n_unrouted++;
	else
		p->n_flows++;
	return true;
}

bool
moore_programme_add_routes(struct moore_programme *p, const struct moore_programme_routes *r,
			   const double *width)
{
	uint32_t *start = &p->start[(size_t)p->n_flows * p->n_offsets], end = start[0];

	for (uint32_t k = 0, i = 0; k < p->n_offsets; k++) {
		const uint32_t first = end;

		for (; k < r->n && i < r->end[k]; i++)
			if (!load_link(p, r->slot[i], r->units / width[r->slot[i]], first, &end))
				return false;
		start[k + 1] = end;
	}
	if (end == start[0])
		p->n_unrouted++;
	else
		p->n_flows++;
	return true;
}

/* ---- projections ------------------------------------------------------------------- */

/* The theta for which the sum of max(v - theta, 0) is 1, by Newton's method from a guess. */
static double
threshold(const double *v, uint32_t n, double theta)
{
	for (unsigned i = 0; i < 60; i++) {
		double sum = -1, next;
		uint32_t above = 0;

		for (uint32_t j = 0; j < n; j++) {
			sum += v[j] > theta ? v[j] : 0;
			above += v[j] > theta;
		}
		if (!above) {		/* begin below the greatest */
			for (uint32_t j = 0; j < n; j++)
				theta = !j || v[j] > theta ? v[j] : theta;
			theta -= 1;
			continue;
		}
		next = sum / above;
		if (next <= theta && i)
			break;
		theta = next;
	}
	return theta;
}

/* Moves the shares of one flow against its costs, by the length t, back onto sum 1. */
static void
move_flow(const struct moore_programme *p, uint32_t i, double t)
{
	const size_t r = (size_t)i * p->n_offsets;
	double v[MOORE_N_OFFSETS], theta, sum = 0;
	uint32_t n = 0;

	for (unsigned k = 0; k < p->n_offsets; k++)
		if (moore_programme_leads(p, r + k)) {
			v[n] = p->s.x[r + k] - t * p->s.cost[r + k];
			sum += v[n++];
		}
	theta = threshold(v, n, (sum - 1) / n);
	n = 0;
	for (unsigned k = 0; k < p->n_offsets; k++)
		if (moore_programme_leads(p, r + k)) {
			p->s.x[r + k] = v[n] > theta ? v[n] - theta : 0;
			n++;
		}
}

static void
move_prices(struct moore_programme *p, double t)
{
	struct moore_programme_steps *s = &p->s;

	for (uint32_t i = 0; i < p->n_links; i++)
		s->aim[i] = s->y[i] + t * (2 * s->load[i] - s->load_was[i]);
	s->theta = threshold(s->aim, p->n_links, s->theta);
	for (uint32_t i = 0; i < p->n_links; i++)
		s->y[i] = s->aim[i] > s->theta ? s->aim[i] - s->theta : 0;
}

/* ---- products and bounds --------------------------------------------------------------- */

static void
set_costs(const struct moore_programme *p, const double *price, double *cost)
{
	for (size_t r = 0; r < (size_t)p->n_flows * p->n_offsets; r++) {
		double sum = 0;

		for (uint32_t i = p->start[r]; i < p->start[r + 1]; i++)
			sum += price[p->link[i]] * p->units[i];
		cost[r] = sum;
	}
}

static void
set_loads(const struct moore_programme *p, const double *share, double *load)
{
	memset(load, 0, p->n_links * sizeof(*load));
	for (size_t r = 0; r < (size_t)p->n_flows * p->n_offsets; r++)
		for (uint32_t i = p->start[r]; share[r] > 0 && i < p->start[r + 1]; i++)
			load[p->link[i]] += share[r] * p->units[i];
}

static double
greatest_of(const double *v, uint32_t n)
{
	double top = 0;

	for (uint32_t i = 0; i < n; i++)
		top = v[i] > top ? v[i] : top;
	return top;
}

double
moore_programme_greatest(struct moore_programme *p, const double *share)
{
	set_loads(p, share, p->s.load);
	return greatest_of(p->s.load, p->n_links);
}

/* The sum over the flows of the cheapest route. */
static double
cheapest_of(const struct moore_programme *p, const double *cost)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->n_flows; i++) {
		const size_t r = (size_t)i * p->n_offsets;
		double least = INFINITY;

		for (unsigned k = 0; k < p->n_offsets; k++)
			if (cost[r + k] < least && moore_programme_leads(p, r + k))
				least = cost[r + k];
		sum += least;
	}
	return sum;
}

static double
root(double a)
{
	double x = a > 1 ? a : 1;

	for (unsigned i = 0; i < 600 && x * x > a * (1 + 1e-9); i++)
		x = (x + a / x) / 2;
	return x;
}

static double
distance(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return root(sum);
}

static void
copy_scaled(double *to, const double *from, double scale, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] * scale;
}

/* ---- steps ---------------------------------------------------------------------------- */

/* The greatest singular value of A, by power iteration from even shares. */
static double
norm_of(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->n_flows * p->n_offsets;
	double norm = 0;

	for (size_t r = 0; r < n; r++)
		s->cost[r] = moore_programme_leads(p, r);
	for (unsigned i = 0; i < 10; i++) {
		double size = 0;

		for (size_t r = 0; r < n; r++)
			size += s->cost[r] * s->cost[r];
		norm = root(size);
		copy_scaled(s->cost, s->cost, 1 / norm, n);
		set_loads(p, s->cost, s->load);
		set_costs(p, s->load, s->cost);
	}
	return root(norm) * 1.02;	/* norm is of A'A */
}

static void
forget_sums(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->n_flows * p->n_offsets;

	memset(s->x_sum, 0, n * sizeof(double));
	memset(s->cost_sum, 0, n * sizeof(double));
	memset(s->y_sum, 0, p->n_links * sizeof(double));
	memset(s->load_sum, 0, p->n_links * sizeof(double));
	memcpy(s->x_then, s->x, n * sizeof(double));
	memcpy(s->y_then, s->y, p->n_links * sizeof(double));
	s->n = 0;
}

double
moore_programme_even(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;

	for (uint32_t i = 0; i < p->n_flows; i++) {
		const size_t r = (size_t)i * p->n_offsets;
		unsigned routes = 0;

		for (unsigned k = 0; k < p->n_offsets; k++)
			routes += moore_programme_leads(p, r + k);
		for (unsigned k = 0; k < p->n_offsets; k++)
			s->x[r + k] = moore_programme_leads(p, r + k) ? 1.0 / routes : 0;
	}
	set_loads(p, s->x, s->load);
	return greatest_of(s->load, p->n_links);
}

/* Even shares, and prices in proportion to the loads that they make. */
static void
begin(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->n_flows * p->n_offsets;
	double sum = 0;

	s->norm = norm_of(p);
	moore_programme_even(p);
	for (uint32_t i = 0; i < p->n_links; i++)
		sum += s->load[i];
	copy_scaled(s->y, s->load, 1 / sum, p->n_links);
	s->weight = WEIGHT / root((double)p->n_flows * p->n_links);
	s->theta = 0;
	s->gap = s->gap_was = INFINITY;
	p->greatest = INFINITY;
	p->bound = 0;
	memset(p->share, 0, n * sizeof(double));
	forget_sums(p);
}

static void
step(struct moore_programme *p)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->n_flows * p->n_offsets;
	double *swap = s->load_was;

	set_costs(p, s->y, s->cost);
	for (size_t r = 0; r < n; r++)
		s->cost_sum[r] += s->cost[r];
	for (uint32_t i = 0; i < p->n_links; i++)
		s->y_sum[i] += s->y[i];
	for (uint32_t i = 0; i < p->n_flows; i++)
		move_flow(p, i, 1 / (s->weight * s->norm));
	s->load_was = s->load;
	s->load = swap;
	set_loads(p, s->x, s->load);
	move_prices(p, s->weight / s->norm);
	for (size_t r = 0; r < n; r++)
		s->x_sum[r] += s->x[r];
	for (uint32_t i = 0; i < p->n_links; i++)
		s->load_sum[i] += s->load[i];
	s->n++;
}

/* Keeps the shares, or the prices, if they are the best so far. */
static void
keep(struct moore_programme *p, const double *x, const double *load, double top, double scale)
{
	if (top >= p->greatest)
		return;
	p->greatest = top;
	copy_scaled(p->share, x, scale, (size_t)p->n_flows * p->n_offsets);
	copy_scaled(p->load, load, scale, p->n_links);
}

static void
keep_prices(struct moore_programme *p, const double *y, double bound, double scale)
{
	if (bound <= p->bound)
		return;
	p->bound = bound;
	copy_scaled(p->price, y, scale, p->n_links);
}

/* Begins again from the average or the present point, with the lengths of steps in shares
 * and in prices matched to the ways that each went since the last restart. */
static void
restart(struct moore_programme *p, bool average, double gap)
{
	struct moore_programme_steps *s = &p->s;
	const size_t n = (size_t)p->n_flows * p->n_offsets;
	double dx, dy;

	if (average) {
		copy_scaled(s->x, s->x_sum, 1.0 / s->n, n);
		copy_scaled(s->y, s->y_sum, 1.0 / s->n, p->n_links);
		copy_scaled(s->load, s->load_sum, 1.0 / s->n, p->n_links);
	}
	dx = distance(s->x, s->x_then, n);
	dy = distance(s->y, s->y_then, p->n_links);
	if (dx > 1e-12 && dy > 1e-12)
		s->weight = root(s->weight * dy / dx);
	s->gap = gap;
	s->gap_was = INFINITY;
	forget_sums(p);
}

/* Updates both bounds, and restarts where that pays. */
static void
check(struct moore_programme *p, unsigned round)
{
	struct moore_programme_steps *s = &p->s;
	const double part = 1.0 / s->n;
	const double top = greatest_of(s->load, p->n_links);
	const double top_average = greatest_of(s->load_sum, p->n_links) * part;
	double low, gap;
	bool average;
	const double low_average = cheapest_of(p, s->cost_sum) * part;

	set_costs(p, s->y, s->cost);
	low = cheapest_of(p, s->cost);
	average = top_average - low_average < top - low;
	gap = average ? top_average - low_average : top - low;
	keep(p, s->x, s->load, top, 1);
	keep(p, s->x_sum, s->load_sum, top_average, part);
	keep_prices(p, s->y, low, 1);
	keep_prices(p, s->y_sum, low_average, part);
	if (gap <= 0.2 * s->gap || (gap <= 0.8 * s->gap && gap > s->gap_was) ||
	    s->n > round * 0.36)
		restart(p, average, gap);
	else
		s->gap_was = gap;
}

void
moore_programme_solve(struct moore_programme *p, double gap, double enough)
{
	p->greatest = p->bound = 0;
	if (!p->n_flows)
		return;
	begin(p);
	for (unsigned round = 1; round <= MAX_STEPS; round++) {
		step(p);
		if (round % CHECK_EVERY)
			continue;
		check(p, round);
		if (p->greatest <= p->bound * (1 + gap) || p->greatest <= enough)
			break;
	}
}
