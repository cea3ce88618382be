// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* motion.c - cuts and restores links or switches of a planned fabric, and counts the steps
 * that each change takes and what it interrupts (tests/unit/test_motion.c judges them).
 *
 *     motion FAMILY PARAMETERS LMC [COUNT [SEED [switch|tree|N]]]
 *
 * COUNT links are drawn, or switches, or links of the spanning tree; without it or with 0, all are
 * cut.  With a number N, N links that are drawn anew are cut together, COUNT times.  Times are those of
 * moore_motion_build(), and their ratio to the engine's runs for the same fabrics.  "bound" is the
 * least number of steps with old and new values alone (least_steps.h); detours and drops can do with
 * fewer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "least_steps.h"
#include "moore/engine.h"
#include "moore/motion.h"
#include "plan_of.h"
#include "route/build.h"

#define STEPS_MAX 8

struct tally {
	const char *what;
	unsigned n, unsafe, no_wait, dropped, steps[STEPS_MAX + 1];
	unsigned bound[LEAST_NONE + 1], above, below;	/* changes that need as many steps, or take
							 * more or fewer */
	uint64_t dead, back, interrupted, rows;
	double ms;
};

struct bench {
	struct moore_plan *plan;
	struct moore_fabric *whole;
	struct moore_engine_result *routed;
	struct tally cut, repair;
	double engine_ms;
};

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
give_up(const struct moore_err *err)
{
	fprintf(stderr, "motion: %s\n", err->text);
	exit(2);
}

static struct moore_engine_result *
route(struct bench *b, const struct moore_fabric *f)
{
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;
	double start = now_ms();

	moore_conf_defaults(&conf);
	if (moore_engine_run(&r, f, b->plan, &conf, NULL, NULL, &err) < 0)
		give_up(&err);
	b->engine_ms += now_ms() - start;
	return r;
}

static void
count(struct tally *t, const struct moore_motion *m)
{
	bool waits = false, dropped = false;

	for (uint32_t i = 0; i < m->n_steps; i++) {
		waits |= m->step[i].wait;
		dropped |= m->step[i].interrupted != 0;
		t->interrupted += m->step[i].interrupted;
	}
	t->n++;
	t->unsafe += m->start_unsafe;
	t->no_wait += !waits;
	t->dropped += dropped;
	t->dead += m->dead;
	t->back += m->n_steps ? m->step[0].back : 0;
	t->rows += m->n_rows;
	t->steps[m->n_steps < STEPS_MAX ? m->n_steps : STEPS_MAX]++;
}

static void
compare(struct tally *t, uint32_t n_steps, unsigned bound)
{
	t->bound[bound]++;
	t->above += n_steps > bound;
	t->below += n_steps < bound;
}

/* The steps from some tables to those routed for the fabric f. */
static void
change(struct tally *t, const struct moore_fabric *f, const struct moore_lft *was,
       const struct moore_engine_result *now)
{
	const struct moore_held held = { .lft = was };
	const struct moore_motion_opts opts = { .sl2vl = now->sl2vl, .sl_set = now->sl_set };
	struct moore_motion *m;
	struct moore_err err;
	double start = now_ms();

	if (moore_motion_build(&m, f, &held, now->lft, &opts, &err) < 0)
		give_up(&err);
	t->ms += now_ms() - start;
	count(t, m);
	compare(t, m->n_steps, least_steps(f, now->sl2vl, was, now->lft));
	moore_motion_free(m);
}

/* Judges the loss of what `less` lacks, and its return; frees less. */
static void
lose(struct bench *b, struct moore_fabric *less)
{
	struct moore_engine_result *r = route(b, less);

	change(&b->cut, less, b->routed->lft, r);
	change(&b->repair, b->whole, r->lft, b->routed);
	moore_engine_result_free(r);
	moore_fabric_free(less);
}

static struct moore_fabric *
copy(const struct bench *b)
{
	struct moore_fabric *f;
	struct moore_err err;

	if (moore_fabric_copy(&f, b->whole, &err) < 0)
		give_up(&err);
	return f;
}

/* Cuts one port of switch s, or with port 0 all its links, and restores them. */
static void
cut(struct bench *b, moore_swid s, moore_portnum port)
{
	struct moore_fabric *less = copy(b);

	for (unsigned p = 1; p <= less->sw[s].n_ports; p++)
		if ((!port || p == port) &&
		    moore_fabric_port(less, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH)
			moore_fabric_cut(less, s, (moore_portnum)p);
	lose(b, less);
}

/* Cuts n drawn links together, and restores them. */
static void
cut_together(struct bench *b, unsigned n, struct moore_rng *rng)
{
	struct moore_fabric *less = copy(b);

	while (n) {
		moore_swid s = moore_rng_below(rng, less->n_switches);
		moore_portnum p = (moore_portnum)(1 + moore_rng_below(rng, less->sw[s].n_ports));

		if (moore_fabric_port(less, s, p)->role == MOORE_ROLE_SWITCH) {
			moore_fabric_cut(less, s, p);
			n--;
		}
	}
	lose(b, less);
}

static bool
is_in_tree(const struct moore_route *r, moore_swid s, moore_swid peer)
{
	const uint32_t *parent = r->turns.parent, a = r->g.node_of[s], b = r->g.node_of[peer];

	return (parent[a] != MOORE_NONE && r->g.to[parent[a]] == b) ||
		(parent[b] != MOORE_NONE && r->g.to[parent[b]] == a);
}

static bool
is_candidate(const struct bench *b, moore_swid s, unsigned p, const char *what)
{
	const struct moore_port *q = moore_fabric_port(b->whole, s, (moore_portnum)p);

	if (!strcmp(what, "switch"))
		return p == 0;
	return q->role == MOORE_ROLE_SWITCH && q->peer > s &&
		(strcmp(what, "tree") || is_in_tree(b->routed->route, s, q->peer));
}

static void
cut_some(struct bench *b, unsigned want, uint64_t seed, const char *what)
{
	const struct moore_fabric *f = b->whole;
	struct moore_rng rng = { seed };
	uint32_t left = 0;

	if (atoi(what) > 0) {
		for (unsigned i = 0; i < want; i++)
			cut_together(b, (unsigned)atoi(what), &rng);
		return;
	}
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++)
			left += is_candidate(b, s, p, what);
	want = want && want < left ? want : left;
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; p <= f->sw[s].n_ports; p++)
			if (is_candidate(b, s, p, what) &&
			    moore_rng_below(&rng, left--) < want) {
				cut(b, s, (moore_portnum)p);
				want--;
			}
}

static void
print_bounds(const struct tally *t)
{
	printf("  bound");
	for (unsigned i = 0; i <= LEAST_MAX; i++)
		if (t->bound[i])
			printf(" %u:%u", i, t->bound[i]);
	if (t->bound[LEAST_NONE])
		printf(" none:%u", t->bound[LEAST_NONE]);
	printf("; %u above it, %u below\n", t->above, t->below);
}

static void
print(const struct bench *b, const struct tally *t)
{
	printf("%s: %u, of %llu rows; steps", t->what, t->n, (unsigned long long)t->rows);
	for (unsigned i = 0; i <= STEPS_MAX; i++)
		if (t->steps[i])
			printf(" %u%s:%u", i, i == STEPS_MAX ? "+" : "", t->steps[i]);
	printf("; %u without a wait\n", t->no_wait);
	print_bounds(t);
	printf("  %llu of %llu dead pairs back after the first step, %llu interrupted in %u, "
	       "%u unsafe at the start; %.1f ms each, %.2f of the engine\n",
	       (unsigned long long)t->back, (unsigned long long)t->dead,
	       (unsigned long long)t->interrupted, t->dropped, t->unsafe, t->ms / t->n,
	       t->ms / b->engine_ms);
}

int
main(int argc, char **argv)
{
	struct bench b = { .cut = { .what = "cuts" }, .repair = { .what = "repairs" } };
	struct moore_err err;

	if (argc < 4 || argc > 7) {
		fprintf(stderr, "usage: motion FAMILY PARAMETERS LMC [COUNT [SEED [switch|tree|N]]]\n");
		return 2;
	}
	b.plan = plan_of(argv[1], argv[2]);
	if (moore_fabric_from_plan(&b.whole, b.plan, (uint8_t)atoi(argv[3]), &err) < 0)
		give_up(&err);
	b.routed = route(&b, b.whole);
	b.engine_ms = 0;
	cut_some(&b, argc > 4 ? (unsigned)atoi(argv[4]) : 0, argc > 5 ? strtoull(argv[5], NULL, 0) : 1,
		 argc > 6 ? argv[6] : "link");
	print(&b, &b.cut);
	print(&b, &b.repair);
	moore_engine_result_free(b.routed);
	moore_fabric_free(b.whole);
	moore_plan_free(b.plan);
	return 0;
}
