// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* worst.c - searches for patterns that the tables carry worst.
 *
 * A permutation says to which switch the endpoints of each switch send.  Its programme
 * (programme.c) gives prices of links whose sum is 1.  At these prices every pair of switches
 * has a worth: the sum of the cheapest routes of its flows.  No division of a permutation's
 * flows loads some link with less than the sum of the worths of its pairs.  So the permutation
 * of greatest worth has a bound that is no lower than the one before, and repeating the two
 * steps climbs until nothing gets worse.  Where it ends depends on the start, so there are
 * several.
 *
 * At the end of a climb no other permutation is worth more by these prices, but the programme of
 * another one finds other prices.  So from the worst permutation a local search follows, which
 * exchanges targets: first the pairs of which the prices lose least. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "load/groups.h"
#include "load/permutation.h"
#include "load_impl.h"

#define GAP 0.02		/* of the programmes of a search: prices need not be exact */
#define MAX_CLIMB 12		/* permutations from one start */
#define SHIFTS 8		/* that are judged, for each start */
#define DESCENTS 4		/* permutations of groups, for each start */
#define EXCHANGES 64		/* programmes of the last search for each start, */
#define ROUTES 2000		/* or fewer where they have more routes than this */
#define LEAST_EXCHANGES 4
#define GAP_OF_EXCHANGE 0.005

enum domain { ADJACENT, AT_TWO, ANYWHERE };

struct search {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_ends *e;
	struct moore_programme p;
	struct moore_rng rng;
	double *price;		/* by port */
	double *worth;		/* [i * n + j], of ends */
	double *aim;		/* worth, or the penalty of a pair outside the domain */
	struct moore_pair *pair;	/* adjacent pairs */
	double *cost;		/* by switch: price of its route to the present LID */
	moore_swid *stack;
	uint32_t *to, *best;	/* [i]: an end, or MOORE_NONE */
	double worst;		/* bound of best */
	struct moore_arena tmp;
};

/* ---- what pairs are worth ------------------------------------------------------------ */

/* Sets cost[] for every switch: the price of the route to a LID, INFINITY without one. */
static void
price_routes(struct search *w, const struct moore_endpoint *ep, unsigned lid)
{
	const struct moore_fabric *f = w->f;

	for (moore_swid s = 0; s < f->n_switches; s++)
		w->cost[s] = -1;
	w->cost[ep->sw] = moore_lft_row(w->lft, ep->sw)[lid] == ep->port ? 0 : INFINITY;
	for (moore_swid from = 0; from < f->n_switches; from++) {
		moore_swid s = from;
		unsigned n = 0;
		double c;

		while (w->cost[s] < 0) {
			const uint8_t out = moore_lft_row(w->lft, s)[lid];
			const struct moore_port *port = moore_fabric_port(f, s, out);

			w->stack[n++] = s;
			w->cost[s] = INFINITY;	/* what a loop comes back to */
			if (out > f->sw[s].n_ports || port->role != MOORE_ROLE_SWITCH)
				break;
			s = port->peer;
		}
		for (c = w->cost[s]; n; w->cost[s] = c) {
			s = w->stack[--n];
			if (c < INFINITY)
				c += w->price[f->sw[s].port0 + moore_lft_row(w->lft, s)[lid]];
		}
	}
}

/* Adds to the worth of each pair (i, j) the flow to the k-th endpoint of end j. */
static void
add_worth(struct search *w, uint32_t j, uint32_t k, double *least)
{
	const struct moore_endpoint *ep = &w->f->ep[w->e->ep[w->e->first[j] + k]];
	const uint32_t n = w->e->n;

	for (uint32_t i = 0; i < n; i++)
		least[i] = INFINITY;
	for (unsigned o = 0; o < 1u << ep->lmc; o++) {
		price_routes(w, ep, ep->lid + o);
		for (uint32_t i = 0; i < n; i++) {
			const double c = w->cost[w->e->sw[i]];

			least[i] = c < least[i] ? c : least[i];
		}
	}
	for (uint32_t i = 0; i < n; i++)
		if (i != j && k < w->e->first[i + 1] - w->e->first[i] && least[i] < INFINITY)
			w->worth[(size_t)i * n + j] += least[i];
}

/* From the prices of the last programme.  aim is free to use until the next choice. */
static void
set_worth(struct search *w)
{
	const uint32_t n = w->e->n;

	memset(w->price, 0, w->f->n_ports * sizeof(*w->price));
	for (uint32_t i = 0; i < w->p.n_links; i++)
		w->price[w->p.slot[i]] = w->p.price[i];
	memset(w->worth, 0, (size_t)n * n * sizeof(*w->worth));
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t k = 0; k < w->e->first[j + 1] - w->e->first[j]; k++)
			add_worth(w, j, k, w->aim);
}

static void
set_random_worth(struct search *w)
{
	for (size_t i = 0; i < (size_t)w->e->n * w->e->n; i++)
		w->worth[i] = moore_rng_below(&w->rng, 1u << 30);
}

/* ---- permutations --------------------------------------------------------------------- */

static bool
is_in(const struct search *w, enum domain domain, uint32_t i, uint32_t j)
{
	return domain == AT_TWO ? w->e->near[(size_t)i * w->e->n + j] == 2 : i != j;
}

/* Sets to[] to the matching of adjacent ends with the greatest worth, as far as greed finds
 * it. */
static int
choose_matching(struct search *w, struct moore_err *err)
{
	const uint32_t n = w->e->n;
	size_t n_pairs = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = i + 1; j < n; j++)
			if (w->e->near[(size_t)i * n + j] == 1)
				w->pair[n_pairs++] = (struct moore_pair){ i, j,
					w->worth[(size_t)i * n + j] + w->worth[(size_t)j * n + i] };
	return moore_match(w->to, n, w->pair, n_pairs, err);
}

/* Sets to[] to the permutation within the domain with the most pairs and, among these, the
 * greatest worth. */
static int
choose(struct search *w, enum domain domain, struct moore_err *err)
{
	const uint32_t n = w->e->n;
	double top = 0;
	int rc;

	if (domain == ADJACENT)
		return choose_matching(w, err);
	for (size_t i = 0; i < (size_t)n * n; i++)
		top = w->worth[i] > top ? w->worth[i] : top;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			w->aim[(size_t)i * n + j] = is_in(w, domain, i, j) ?
				w->worth[(size_t)i * n + j] : -(top + 1) * (n + 1);
	if ((rc = moore_assign(w->to, w->aim, n, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		if (!is_in(w, domain, i, w->to[i]))
			w->to[i] = MOORE_NONE;
	return 0;
}

/* Solves the programme of to[], unless its load is at most `enough`, and keeps to[] if it is
 * the worst so far. */
static int
judge_within(struct search *w, double gap, double enough, struct moore_err *err)
{
	moore_programme_clear(&w->p);
	for (uint32_t i = 0; i < w->e->n; i++)
		if (w->to[i] != MOORE_NONE && !moore_ends_send(w->e, i, w->to[i], &w->p))
			return moore_fail_nomem(err);
	moore_programme_solve(&w->p, gap, enough);
	if (w->p.bound > w->worst) {
		w->worst = w->p.bound;
		memcpy(w->best, w->to, w->e->n * sizeof(*w->best));
	}
	return 0;
}

static int
judge(struct search *w, double enough, struct moore_err *err)
{
	return judge_within(w, GAP, enough, err);
}

/* The sum of worths of to[]: a bound of its greatest load. */
static double
worth_of(const struct search *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->e->n; i++)
		sum += w->to[i] == MOORE_NONE ? 0 : w->worth[(size_t)i * w->e->n + w->to[i]];
	return sum;
}

/* Climbs from to[] until the bound no longer rises.  The second step is always taken: the
 * worth of a permutation may be much below its load as long as prices are those of another. */
static int
climb(struct search *w, enum domain domain, struct moore_err *err)
{
	double bound = 0;
	int rc;

	for (unsigned i = 0; i < MAX_CLIMB; i++) {
		if ((rc = judge(w, 0, err)) < 0)
			return rc;
		if (w->p.bound <= bound * 1.002)
			break;
		bound = w->p.bound;
		set_worth(w);
		if ((rc = choose(w, domain, err)) < 0)
			return rc;
		if (i && worth_of(w) <= bound * 1.002)
			break;
	}
	return 0;
}

static int
choose_random(struct search *w, enum domain domain, struct moore_err *err)
{
	set_random_worth(w);
	return choose(w, domain, err);
}

/* ---- every pair alone ------------------------------------------------------------------- */

struct alone {
	double even;		/* greatest load with even shares */
	uint32_t i, j;
};

static int
alone_cmp(const void *x, const void *y)
{
	const struct alone *a = x, *b = y;

	if (a->even > b->even || a->even < b->even)
		return a->even > b->even ? -1 : 1;
	return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

static int
set_alone(struct search *w, uint32_t i, uint32_t j, struct moore_err *err)
{
	moore_programme_clear(&w->p);
	return moore_ends_send(w->e, i, j, &w->p) ? 0 : moore_fail_nomem(err);
}

/* Lists all pairs, those first that do worst with even shares. */
static int
list_alone(struct search *w, struct alone **out, size_t *n_pairs, struct moore_err *err)
{
	const uint32_t n = w->e->n;
	struct alone *a = moore_arena_alloc(&w->tmp, (size_t)n * n + 1, sizeof(*a));
	int rc;

	if (!a)
		return moore_fail_nomem(err);
	*n_pairs = 0;
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t i = 0; i < n; i++) {
			if (i == j)
				continue;
			if ((rc = set_alone(w, i, j, err)) < 0)
				return rc;
			a[(*n_pairs)++] = (struct alone){ moore_programme_even(&w->p), i, j };
		}
	qsort(a, *n_pairs, sizeof(*a), alone_cmp);
	*out = a;
	return 0;
}

/* The pair that does worst alone.  Even shares are an upper bound of the load, so pairs are
 * tried in the order of that bound, and the rest is left out once it is below the worst. */
static int
single(struct search *w, struct moore_err *err)
{
	struct alone *a = NULL;
	size_t n_pairs = 0;
	int rc = list_alone(w, &a, &n_pairs, err);

	for (size_t k = 0; rc == 0 && k < n_pairs && a[k].even > w->worst; k++) {
		if ((rc = set_alone(w, a[k].i, a[k].j, err)) < 0)
			break;
		moore_programme_solve(&w->p, GAP / 4, w->worst);
		if (w->p.bound <= w->worst)
			continue;
		w->worst = w->p.bound;
		memset(w->best, 0xff, w->e->n * sizeof(*w->best));
		w->best[a[k].i] = a[k].j;
	}
	return rc;
}

/* ---- the patterns --------------------------------------------------------------------- */

static int
randoms(struct search *w, unsigned n, struct moore_err *err)
{
	int rc;

	for (unsigned i = 0; i < n; i++)
		if ((rc = choose_random(w, AT_TWO, err)) < 0 || (rc = judge(w, w->worst, err)) < 0)
			return rc;
	return 0;
}

static int
climb_from_pattern(struct search *w, enum moore_pattern pattern, enum domain domain,
		   struct moore_err *err)
{
	moore_swid *to = w->stack;
	int rc;

	if ((rc = moore_pattern_peers(w->f, w->e, pattern, to, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < w->e->n; i++)
		w->to[i] = to[w->e->sw[i]] == MOORE_NONE ? MOORE_NONE : w->e->at[to[w->e->sw[i]]];
	return climb(w, domain, err);
}

/* Sets to[] to the permutation that sends each end `by` ends further, but for pairs outside the
 * domain. */
static void
shift(struct search *w, uint32_t by, enum domain domain)
{
	const uint32_t n = w->e->n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = (i + by) % n;

		w->to[i] = is_in(w, domain, i, j) ? j : MOORE_NONE;
	}
}

/* Climbs from the worst of the n shifts after the first, which is the papers' pattern.  On a
 * fabric with columns, each column sends to one other by a shift.  Tables can carry one of these
 * well and another badly, and from one the climb seldom finds the other. */
static int
climb_from_shift(struct search *w, unsigned n, enum domain domain, struct moore_err *err)
{
	double top = 0;
	uint32_t at = 0;
	int rc;

	for (uint32_t by = 2; by < n + 2 && by < w->e->n; by++) {
		shift(w, by, domain);
		if ((rc = judge(w, top, err)) < 0)
			return rc;
		if (w->p.bound > top) {
			top = w->p.bound;
			at = by;
		}
	}
	if (!at)
		return 0;
	shift(w, at, domain);
	return climb(w, domain, err);
}

/* Climbs from near the worst permutation so far: the worth of every pair is changed by up
 * to a half before the next one is chosen. */
static int
climb_from_worst(struct search *w, enum domain domain, struct moore_err *err)
{
	const size_t n = w->e->n;
	int rc;

	memcpy(w->to, w->best, n * sizeof(*w->to));
	if ((rc = judge(w, 0, err)) < 0)
		return rc;
	set_worth(w);
	for (size_t i = 0; i < n * n; i++)
		w->worth[i] *= 0.5 + moore_rng_below(&w->rng, 1024) / 1024.0;
	if ((rc = choose(w, domain, err)) < 0)
		return rc;
	return climb(w, domain, err);
}

/* Sets to[] to the permutation of groups: the m-th member of each sends to the m-th. */
static void
send_groups(struct search *w, const struct moore_groups *g, enum domain domain)
{
	memset(w->to, 0xff, w->e->n * sizeof(*w->to));
	for (uint32_t a = 0; a < g->n; a++) {
		const uint32_t b = g->to[a];

		for (uint32_t x = g->first[a], y = g->first[b];
		     x < g->first[a + 1] && y < g->first[b + 1]; x++, y++)
			if (is_in(w, domain, g->member[x], g->member[y]))
				w->to[g->member[x]] = g->member[y];
	}
}

/* Climbs from permutations of groups, if there are groups, that are worse than all so far. */
static int
climb_from_groups(struct search *w, unsigned n, enum domain domain, struct moore_err *err)
{
	struct moore_groups g;
	int rc = moore_groups_find(&g, w->f, w->lft, w->e, &w->tmp, err);

	for (unsigned i = 0; rc == 0 && moore_groups_are_large(&g) && i < n; i++) {
		const double was = w->worst;

		if ((rc = moore_groups_descend(&g, &w->rng, err)) < 0)
			break;
		send_groups(w, &g, domain);
		if ((rc = judge(w, was, err)) == 0 && w->worst > was)
			rc = climb(w, domain, err);
	}
	moore_groups_fini(&g);
	return rc;
}

/* ---- exchanges ---------------------------------------------------------------------------- */

struct exchange {
	double loss;		/* of worth */
	uint32_t i, j;		/* ends whose targets are exchanged */
};

struct exchanges {
	struct exchange *x;
	size_t n;
	uint8_t *used;		/* by end: in this batch */
	uint32_t *now;		/* the permutation to which they belong */
	uint32_t batch;		/* exchanges that are made together */
};

static int
exchange_cmp(const void *x, const void *y)
{
	const struct exchange *a = x, *b = y;

	if (a->loss > b->loss || a->loss < b->loss)
		return a->loss < b->loss ? -1 : 1;
	return a->i != b->i ? (a->i > b->i) - (a->i < b->i) : (a->j > b->j) - (a->j < b->j);
}

/* Replaces half of the prices, which are often those of few links, by prices of all links that are
 * nearly full: the 16th power of the load. */
static void
smooth_prices(struct search *w)
{
	struct moore_programme *p = &w->p;
	double sum = 0;

	for (uint32_t i = 0; i < p->n_links; i++) {
		double x = p->load[i] / p->greatest;

		for (unsigned k = 0; k < 4; k++)
			x *= x;
		sum += p->load[i] = x;
	}
	for (uint32_t i = 0; i < p->n_links; i++)
		p->price[i] = (p->price[i] + p->load[i] / sum) / 2;
}

/* Lists the exchanges within the domain, those first that lose the least worth. */
static void
list_exchanges(struct search *w, struct exchanges *l, enum domain domain)
{
	const size_t n = w->e->n;

	smooth_prices(w);
	set_worth(w);
	l->n = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < i; j++) {
			const uint32_t a = l->now[i], b = l->now[j];

			if (a == MOORE_NONE || b == MOORE_NONE || !is_in(w, domain, i, b) ||
			    !is_in(w, domain, j, a))
				continue;
			l->x[l->n++] = (struct exchange){
				w->worth[i * n + a] + w->worth[j * n + b] -
				w->worth[i * n + b] - w->worth[j * n + a], i, j };
		}
	qsort(l->x, l->n, sizeof(*l->x), exchange_cmp);
}

/* Sets to[] to now[] with a batch of exchanges from the k-th on, no two of one end.  Returns the
 * first one after them. */
static size_t
make_batch(struct search *w, struct exchanges *l, size_t k)
{
	memset(l->used, 0, w->e->n);
	memcpy(w->to, l->now, w->e->n * sizeof(*w->to));
	for (uint32_t made = 0; k < l->n && made < l->batch; k++) {
		const uint32_t i = l->x[k].i, j = l->x[k].j;

		if (l->used[i] || l->used[j])
			continue;
		l->used[i] = l->used[j] = 1;
		w->to[i] = l->now[j];
		w->to[j] = l->now[i];
		made++;
	}
	return k;
}

/* Programmes that the search from the worst permutation may solve. */
static unsigned
exchanges_left(const struct search *w, unsigned starts)
{
	const size_t routes = (size_t)w->p.n_flows * w->p.n_offsets;
	const size_t n = routes > ROUTES ? (size_t)EXCHANGES * ROUTES / routes : EXCHANGES;

	return starts * (unsigned)(n > LEAST_EXCHANGES ? n : LEAST_EXCHANGES);
}

/* Tries the exchanges of the list until a batch makes the permutation worse.  A batch doubles with
 * each that does and halves with each that does not. */
static int
try_exchanges(struct search *w, struct exchanges *l, unsigned *left, double *load,
	      struct moore_err *err)
{
	for (size_t k = 0; k < l->n && *left; --*left) {
		int rc;

		k = make_batch(w, l, k);
		if ((rc = judge_within(w, GAP_OF_EXCHANGE, *load, err)) < 0)
			return rc;
		if (w->p.bound > *load * 1.0001) {
			--*left;
			*load = w->p.bound;
			memcpy(l->now, w->to, w->e->n * sizeof(*l->now));
			l->batch *= 2;
			return 1;
		}
		l->batch -= l->batch / 2;
	}
	return 0;
}

/* Exchanges targets of the worst permutation as long as that makes it worse. */
static int
exchange_from_worst(struct search *w, unsigned starts, enum domain domain, struct moore_err *err)
{
	const size_t n = w->e->n;
	struct exchanges l = { .batch = 1 };
	unsigned left;
	double load;
	int rc;

	if (!(l.x = moore_arena_alloc(&w->tmp, n * n / 2 + 1, sizeof(*l.x))) ||
	    !(l.used = moore_arena_alloc(&w->tmp, n + 1, 1)) ||
	    !(l.now = moore_arena_alloc(&w->tmp, n + 1, sizeof(*l.now))))
		return moore_fail_nomem(err);
	memcpy(l.now, w->best, n * sizeof(*l.now));
	memcpy(w->to, w->best, n * sizeof(*w->to));
	if ((rc = judge_within(w, GAP_OF_EXCHANGE, 0, err)) < 0)
		return rc;
	load = w->p.bound;
	left = exchanges_left(w, starts);
	do {
		list_exchanges(w, &l, domain);
		rc = try_exchanges(w, &l, &left, &load, err);
	} while (rc == 1);
	return rc;
}

static int
adversary(struct search *w, unsigned starts, enum domain domain, struct moore_err *err)
{
	static const enum moore_pattern known[] = {
		MOORE_PATTERN_SHIFT, MOORE_PATTERN_OVERLAP, MOORE_PATTERN_YEBENES,
	};
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (moore_pattern_fits(w->f, known[i]) &&
		    (rc = climb_from_pattern(w, known[i], domain, err)) < 0)
			return rc;
	for (unsigned i = 0; i < starts; i++)
		if ((rc = choose_random(w, domain, err)) < 0 || (rc = climb(w, domain, err)) < 0)
			return rc;
	if ((rc = climb_from_shift(w, starts * SHIFTS, domain, err)) < 0)
		return rc;
	if ((rc = climb_from_groups(w, starts * DESCENTS, domain, err)) < 0)
		return rc;
	for (unsigned i = 0; i < starts; i++)
		if ((rc = climb_from_worst(w, domain, err)) < 0)
			return rc;
	return exchange_from_worst(w, starts, domain, err);
}

static int
matching(struct search *w, unsigned starts, struct moore_err *err)
{
	int rc;

	for (unsigned i = 0; i <= starts; i++) {
		if (i)		/* before that all are worth 0: the order of the switches decides */
			set_random_worth(w);
		if ((rc = choose(w, ADJACENT, err)) < 0 || (rc = climb(w, ADJACENT, err)) < 0)
			return rc;
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int
get_memory(struct search *w, uint32_t n_offsets, struct moore_err *err)
{
	const size_t n = (size_t)w->e->n + 1, s = (size_t)w->f->n_switches + 1;

	if (!(w->price = moore_arena_alloc(&w->tmp, w->f->n_ports, sizeof(*w->price))) ||
	    !(w->worth = moore_arena_alloc(&w->tmp, n * n, sizeof(*w->worth))) ||
	    !(w->aim = moore_arena_alloc(&w->tmp, n * n, sizeof(*w->aim))) ||
	    !(w->pair = moore_arena_alloc(&w->tmp, w->f->n_ports, sizeof(*w->pair))) ||
	    !(w->cost = moore_arena_alloc(&w->tmp, s, sizeof(*w->cost))) ||
	    !(w->stack = moore_arena_alloc(&w->tmp, s, sizeof(*w->stack))) ||
	    !(w->to = moore_arena_alloc(&w->tmp, n, sizeof(*w->to))) ||
	    !(w->best = moore_arena_alloc(&w->tmp, n, sizeof(*w->best))))
		return moore_fail_nomem(err);
	memset(w->best, 0xff, n * sizeof(*w->best));
	return moore_programme_init(&w->p, w->f, w->lft, n_offsets, w->e->first[w->e->n], err);
}

int
moore_worst_peers(const struct moore_fabric *f, const struct moore_lft *lft,
		  const struct moore_ends *e, uint32_t n_offsets, enum moore_pattern pattern,
		  const struct moore_saturation_opts *opts, moore_swid *to, struct moore_err *err)
{
	struct search w = { .f = f, .lft = lft, .e = e, .rng = { opts->seed } };
	int rc = get_memory(&w, n_offsets, err);

	if (rc == 0)
		rc = pattern == MOORE_PATTERN_SINGLE ? single(&w, err) :
		     pattern == MOORE_PATTERN_MATCHING ? matching(&w, opts->starts, err) :
		     pattern == MOORE_PATTERN_RANDOM ? randoms(&w, opts->starts, err) :
		     adversary(&w, opts->starts, pattern == MOORE_PATTERN_ADVERSARY ? AT_TWO :
			       ANYWHERE, err);
	for (moore_swid s = 0; s < f->n_switches; s++)
		to[s] = MOORE_NONE;
	for (uint32_t i = 0; rc == 0 && i < e->n; i++)
		if (w.best[i] != MOORE_NONE)
			to[e->sw[i]] = e->sw[w.best[i]];
	moore_programme_fini(&w.p);
	moore_arena_free(&w.tmp);
	return rc;
}
