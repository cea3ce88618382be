// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* permute.c - swap-and-randomize: a random topology made from a plan's own cables.
 *
 * The paper replaces links v1-v2 and v3-v4 by v1-v4 and v3-v2 where that keeps the number
 * of links between any two cabinets.  That is the case exactly if some end of the first
 * link and some end of the second are in one cabinet, and then exchanging these two plugs
 * does it.  So a swap here is an exchange of two plugs inside a cabinet, and a cable always
 * runs between the same two cabinets.  All three methods of the paper are this swap on
 * different sets of cables, and the paper's exceptions (v1 and v3 in one cabinet; not both
 * inside different cabinets) follow from the rule.
 *
 * Invariant: plug[] is a permutation of the ports in use, and for each cable end e the
 * cabinet of plug[e] is the one that the plan gives it.
 * Source: Fujiwara et al., TPDS 2014, section 3.  Elsewhere: an order in which the
 * moves can be made (steps.c), the cabinets of switches (cabinets.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "moore/permute.h"

#define CABINETS_MAX 2000	/* pairs of cabinets are looked up in a square table */

struct group {			/* the cables between one pair of cabinets */
	uint32_t first, n;	/* they are board.sorted[first..first+n-1] */
};

struct board {
	struct moore_plan *p;
	const struct moore_permute_opts *opts;
	uint32_t n_cabs;
	uint32_t *cab;		/* the cabinet of each switch */
	/* The ports in use, sorted by switch: those of s are first[s]..first[s+1]-1. */
	uint32_t *first, *port_sw;
	uint8_t *port_no;
	uint32_t *home;		/* for each cable end, its port in the plan */
	uint32_t *plug, *end_at;	/* for each end, its present port; for each port, its
					 * present end */
	uint32_t *sorted, *set;	/* cables sorted by pair of cabinets; the cables being paired off */
	struct group *pair;	/* the cables of cabinets lo <= hi: [lo * n_cabs + hi] */
	struct moore_topo_link *link;	/* scratch of measure() */
	struct moore_rng rng;
	uint32_t n_swaps;
};

const char *
moore_permute_name(enum moore_permute_method m)
{
	static const char *const name[] = {
		[MOORE_PERMUTE_TWO_CAB] = "two-cab",
		[MOORE_PERMUTE_THREE_CAB] = "three-cab",
		[MOORE_PERMUTE_ONE_STEP] = "one-step",
	};

	return (unsigned)m < MOORE_N_PERMUTE ? name[m] : NULL;
}

/* ---- one swap -------------------------------------------------------------- */

static uint32_t
switch_of(const struct board *b, uint32_t end)
{
	return b->port_sw[b->plug[end]];
}

static bool
joined(const struct board *b, uint32_t s, uint32_t t)
{
	for (uint32_t i = b->first[s]; i < b->first[s + 1]; i++)
		if (switch_of(b, b->end_at[i] ^ 1) == t)
			return true;
	return false;
}

/* Picks two ends, one of each cable, in one cabinet; at random if there are several such
 * choices.  (Between two cabinets both choices give the same links.) */
static bool
pick_ends(struct board *b, uint32_t c1, uint32_t c2, uint32_t end[2])
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t e = 2 * c1 + k / 2, f = 2 * c2 + k % 2;

		if (b->cab[switch_of(b, e)] == b->cab[switch_of(b, f)] &&
		    moore_rng_below(&b->rng, ++n) == 0) {
			end[0] = e;
			end[1] = f;
		}
	}
	return n > 0;
}

static void
exchange(struct board *b, uint32_t e, uint32_t f)
{
	const uint32_t port = b->plug[e];

	b->plug[e] = b->plug[f];
	b->plug[f] = port;
	b->end_at[b->plug[e]] = e;
	b->end_at[b->plug[f]] = f;
}

static bool
allowed(struct board *b)
{
	return (double)(moore_rng_next(&b->rng) >> 11) < b->opts->fraction * 0x1p53;
}

static void
try_swap(struct board *b, uint32_t c1, uint32_t c2)
{
	uint32_t end[2] = { 0 }, v1, v2, v3, v4;

	if (!allowed(b) || !pick_ends(b, c1, c2, end))
		return;
	v1 = switch_of(b, end[0]);
	v2 = switch_of(b, end[0] ^ 1);
	v3 = switch_of(b, end[1]);
	v4 = switch_of(b, end[1] ^ 1);
	if (v1 == v3 || v1 == v4 || v2 == v3 || v2 == v4 || joined(b, v1, v4) || joined(b, v3, v2))
		return;
	exchange(b, end[0], end[1]);
	b->n_swaps++;
}

/* ---- sets of cables ---------------------------------------------------------- */

static uint32_t
add_pair(struct board *b, uint32_t i, uint32_t j, uint32_t n)
{
	const struct group g = b->pair[(size_t)i * b->n_cabs + j];

	memcpy(b->set + n, b->sorted + g.first, g.n * sizeof(*b->set));
	return n + g.n;
}

/* Draws two cables at a time, without replacement, until fewer than two are left. */
static void
pair_off(struct board *b, uint32_t n)
{
	for (; n >= 2; n -= 2) {
		uint32_t c[2];

		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t i = moore_rng_below(&b->rng, n - k);

			c[k] = b->set[i];
			b->set[i] = b->set[n - k - 1];
		}
		try_swap(b, c[0], c[1]);
	}
}

static void
two_cab(struct board *b)
{
	for (uint32_t i = 0; i < b->n_cabs; i++)
		pair_off(b, add_pair(b, i, i, 0));
	for (uint32_t i = 0; i < b->n_cabs; i++)
		for (uint32_t j = i + 1; j < b->n_cabs; j++)
			pair_off(b, add_pair(b, i, j, 0));
}

static void
three_cab(struct board *b)
{
	for (uint32_t i = 0; i < b->n_cabs; i++)
		pair_off(b, add_pair(b, i, i, 0));
	for (uint32_t i = 0; i < b->n_cabs; i++)
		for (uint32_t j = i + 1; j < b->n_cabs; j++)
			for (uint32_t k = j + 1; k < b->n_cabs; k++)
				pair_off(b, add_pair(b, i, k, add_pair(b, j, k, add_pair(b, i, j, 0))));
}

/* A single cabinet has no partner (the paper's partner would be a cabinet of nodes), so its
 * cables are swapped among themselves. */
static void
one_step(struct board *b)
{
	if (b->n_cabs == 1)
		pair_off(b, add_pair(b, 0, 0, 0));
	for (uint32_t i = 0; i < b->n_cabs; i++)
		for (uint32_t j = i + 1; j < b->n_cabs; j++)
			pair_off(b, add_pair(b, i, j, add_pair(b, j, j, add_pair(b, i, i, 0))));
}

static void
shuffle(struct board *b)
{
	static void (*const method[])(struct board *) = {
		[MOORE_PERMUTE_TWO_CAB] = two_cab,
		[MOORE_PERMUTE_THREE_CAB] = three_cab,
		[MOORE_PERMUTE_ONE_STEP] = one_step,
	};

	method[b->opts->method](b);
}

/* ---- the board ----------------------------------------------------------------- */

static int
cabinet_order(const void *pa, const void *pb)
{
	const struct moore_plan_switch *const *a = pa, *const *b = pb;

	return strcmp((*a)->cabinet, (*b)->cabinet);
}

/* Numbers the cabinets in the order of their names. */
static int
number_cabinets(struct board *b, struct moore_arena *tmp, struct moore_err *err)
{
	struct moore_plan *p = b->p;
	struct moore_plan_switch **by = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(*by));

	b->cab = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(*b->cab));
	if (!by || !b->cab)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < p->n_switches; s++) {
		by[s] = &p->sw[s];
		if (!p->sw[s].cabinet)
			return moore_fail(err, MOORE_EINVAL, 0, "switch \"%s\" stands in no cabinet: place "
					  "the plan first", p->sw[s].name);
	}
	qsort(by, p->n_switches, sizeof(struct moore_plan_switch *), cabinet_order);
	for (uint32_t i = 0; i < p->n_switches; i++) {
		b->n_cabs += !i || strcmp(by[i]->cabinet, by[i - 1]->cabinet);
		b->cab[by[i] - p->sw] = b->n_cabs - 1;
	}
	if (b->n_cabs > CABINETS_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u cabinets: permutation takes at most %d",
				  b->n_cabs, CABINETS_MAX);
	return 0;
}

/* Lists the ports in use by switch, with the cable ends in the order of cables. */
static int
lay_ports(struct board *b, struct moore_arena *tmp, struct moore_err *err)
{
	const struct moore_plan *p = b->p;
	const size_t n_ends = 2 * (size_t)p->n_cables;
	uint32_t *next = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(*next));

	b->first = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(*b->first));
	b->port_sw = moore_arena_alloc(tmp, n_ends + 1, sizeof(*b->port_sw));
	b->port_no = moore_arena_alloc(tmp, n_ends + 1, sizeof(*b->port_no));
	b->home = moore_arena_alloc(tmp, n_ends + 1, sizeof(*b->home));
	b->plug = moore_arena_alloc(tmp, n_ends + 1, sizeof(*b->plug));
	b->end_at = moore_arena_alloc(tmp, n_ends + 1, sizeof(*b->end_at));
	b->link = moore_arena_alloc(tmp, (size_t)p->n_cables + 1, sizeof(*b->link));
	if (!next || !b->first || !b->port_sw || !b->port_no || !b->home || !b->plug ||
	    !b->end_at || !b->link)
		return moore_fail_nomem(err);
	for (size_t e = 0; e < n_ends; e++)
		b->first[p->cable[e / 2].sw[e % 2] + 1]++;
	for (uint32_t s = 0; s < p->n_switches; s++)
		b->first[s + 1] += next[s] = b->first[s];
	for (size_t e = 0; e < n_ends; e++) {
		const moore_swid s = p->cable[e / 2].sw[e % 2];

		b->port_sw[next[s]] = s;
		b->port_no[next[s]] = p->cable[e / 2].port[e % 2];
		b->home[e] = next[s]++;
	}
	return 0;
}

static size_t
pair_of(const struct board *b, uint32_t cable)
{
	const uint32_t x = b->cab[b->p->cable[cable].sw[0]], y = b->cab[b->p->cable[cable].sw[1]];

	return x < y ? (size_t)x * b->n_cabs + y : (size_t)y * b->n_cabs + x;
}

static int
sort_cables(struct board *b, struct moore_arena *tmp, struct moore_err *err)
{
	const size_t n_pairs = (size_t)b->n_cabs * b->n_cabs;
	const uint32_t n = b->p->n_cables;
	uint32_t at = 0;

	b->pair = moore_arena_alloc(tmp, n_pairs + 1, sizeof(*b->pair));
	b->sorted = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*b->sorted));
	b->set = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*b->set));
	if (!b->pair || !b->sorted || !b->set)
		return moore_fail_nomem(err);
	for (uint32_t c = 0; c < n; c++)
		b->pair[pair_of(b, c)].n++;
	for (size_t i = 0; i < n_pairs; i++) {
		b->pair[i].first = at;
		at += b->pair[i].n;
		b->pair[i].n = 0;
	}
	for (uint32_t c = 0; c < n; c++) {
		struct group *g = &b->pair[pair_of(b, c)];

		b->sorted[g->first + g->n++] = c;
	}
	return 0;
}

/* ---- trials -------------------------------------------------------------------- */

static int
measure(const struct board *b, struct moore_graph_metrics *out, struct moore_err *err)
{
	for (uint32_t c = 0; c < b->p->n_cables; c++)
		b->link[c] = (struct moore_topo_link){ switch_of(b, 2 * c), switch_of(b, 2 * c + 1) };
	return moore_graph_measure(b->p->n_switches, b->link, b->p->n_cables, b->p->n_switches, out,
				   NULL, NULL, err);
}

static void
reset(struct board *b, uint32_t trial)
{
	const size_t n_ends = 2 * (size_t)b->p->n_cables;
	const uint64_t of[2] = { b->opts->seed, trial };

	memcpy(b->plug, b->home, n_ends * sizeof(*b->plug));
	for (uint32_t e = 0; e < n_ends; e++)
		b->end_at[b->plug[e]] = e;
	b->rng.state = moore_hash(MOORE_HASH_INIT, of, sizeof(of));
	b->n_swaps = 0;
}

/* A diameter of MOORE_NONE, of a graph in several parts, compares as the greatest. */
static bool
better(const struct moore_graph_metrics *a, const struct moore_graph_metrics *b)
{
	return a->diameter < b->diameter ||
	       (a->diameter == b->diameter && a->mean_distance < b->mean_distance);
}

static int
run_trials(struct board *b, struct moore_permutation *r, uint32_t *best_plug, struct moore_err *err)
{
	const struct moore_permute_opts *o = b->opts;
	int rc;

	reset(b, 0);
	if ((rc = measure(b, &r->before, err)) < 0)
		return rc;
	for (uint32_t t = 0; t < o->trials; t++) {
		reset(b, t);
		shuffle(b);
		if ((rc = measure(b, &r->trial[t], err)) < 0)
			return rc;
		if (!t || better(&r->trial[t], &r->trial[r->best])) {
			r->best = t;
			r->n_swaps = b->n_swaps;
			memcpy(best_plug, b->plug, 2 * (size_t)b->p->n_cables * sizeof(*best_plug));
		}
		if (o->progress)
			o->progress(o->arg, (double)(t + 1) / o->trials);
	}
	r->after = r->trial[r->best];
	if (r->after.diameter == MOORE_NONE && r->before.diameter != MOORE_NONE)
		return moore_fail(err, MOORE_EINVAL, 0, "none of %u trials left the fabric in one part: "
				  "try more, another seed, or a smaller fraction", o->trials);
	return 0;
}

static void
apply(struct board *b, struct moore_permutation *r, const uint32_t *plug)
{
	for (uint32_t e = 0; e < 2 * b->p->n_cables; e++) {
		struct moore_plan_cable *c = &b->p->cable[e / 2];
		const uint32_t from = b->home[e], to = plug[e];

		if (from == to)
			continue;
		c->sw[e % 2] = b->port_sw[to];
		c->port[e % 2] = b->port_no[to];
		r->move[r->n_moves++] = (struct moore_cable_move){
			e / 2, e % 2, { b->port_sw[from], b->port_no[from] },
			{ b->port_sw[to], b->port_no[to] },
		};
	}
	b->p->permuted = true;
	b->p->permutation_seed = b->opts->seed;
}

static int
check_opts(const struct moore_permute_opts *o, struct moore_err *err)
{
	if ((unsigned)o->method >= MOORE_N_PERMUTE)
		return moore_fail(err, MOORE_EINVAL, 0, "method %d: there is none", (int)o->method);
	if (!(o->fraction >= 0 && o->fraction <= 1))
		return moore_fail(err, MOORE_EINVAL, 0, "the swappable fraction is 0 to 1");
	if (!o->trials)
		return moore_fail(err, MOORE_EINVAL, 0, "no trials: at least one is needed");
	return 0;
}

int
moore_permute(struct moore_plan *p, const struct moore_permute_opts *opts,
	      struct moore_permutation **out, struct moore_err *err)
{
	struct board b = { .p = p, .opts = opts };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_permutation *r = NULL;
	uint32_t *best = NULL;
	int rc;

	*out = NULL;
	if ((rc = check_opts(opts, err)) < 0 ||
	    (rc = number_cabinets(&b, &tmp, err)) < 0 ||
	    (rc = lay_ports(&b, &tmp, err)) < 0 ||
	    (rc = sort_cables(&b, &tmp, err)) < 0)
		goto out;
	best = moore_arena_alloc(&tmp, 2 * (size_t)p->n_cables + 1, sizeof(*best));
	r = calloc(1, sizeof(*r));
	if (r) {
		r->n_trials = opts->trials;
		r->trial = calloc(opts->trials, sizeof(*r->trial));
		r->move = calloc(2 * (size_t)p->n_cables + 1, sizeof(*r->move));
	}
	if (!best || !r || !r->trial || !r->move) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = run_trials(&b, r, best, err)) < 0)
		goto out;
	apply(&b, r, best);
	*out = r;
	r = NULL;
out:
	moore_permutation_free(r);
	moore_arena_free(&tmp);
	return rc;
}

void
moore_permutation_free(struct moore_permutation *r)
{
	if (!r)
		return;
	free(r->trial);
	free(r->move);
	free(r);
}

/* ---- the check ------------------------------------------------------------------ */

struct run {			/* one cable, for comparing two plans */
	const char *cab[2];	/* in the order of their names */
	double length;
};

static int
run_order(const void *pa, const void *pb)
{
	const struct run *a = pa, *b = pb;
	int d = strcmp(a->cab[0], b->cab[0]);

	if (d || (d = strcmp(a->cab[1], b->cab[1])))
		return d;
	return (a->length > b->length) - (a->length < b->length);
}

static struct run *
sorted_runs(const struct moore_plan *p, struct moore_arena *tmp)
{
	struct run *r = moore_arena_alloc(tmp, (size_t)p->n_cables + 1, sizeof(*r));

	for (uint32_t c = 0; r && c < p->n_cables; c++) {
		const char *x = p->sw[p->cable[c].sw[0]].cabinet, *y = p->sw[p->cable[c].sw[1]].cabinet;

		x = x ? x : "";
		y = y ? y : "";
		r[c] = (struct run){ { strcmp(x, y) < 0 ? x : y, strcmp(x, y) < 0 ? y : x },
				     p->cable[c].length };
	}
	if (r)
		qsort(r, p->n_cables, sizeof(*r), run_order);
	return r;
}

int
moore_permute_check(const struct moore_plan *a, const struct moore_plan *b, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct run *x = sorted_runs(a, &tmp), *y = sorted_runs(b, &tmp);
	int rc = 0;

	if (!x || !y)
		rc = moore_fail_nomem(err);
	else if (a->n_cables != b->n_cables)
		rc = moore_fail(err, MOORE_EPLAN, 0, "%u cables, and %u", a->n_cables, b->n_cables);
	for (uint32_t i = 0; rc == 0 && i < a->n_cables; i++) {
		const struct run *first = run_order(&x[i], &y[i]) < 0 ? &x[i] : &y[i];

		if (run_order(&x[i], &y[i]))
			rc = moore_fail(err, MOORE_EPLAN, 0, "cables from \"%s\" to \"%s\" of %d cm: not "
					"equally many", first->cab[0], first->cab[1],
					(int)(first->length * 100));
	}
	moore_arena_free(&tmp);
	return rc;
}
