// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* engine.c - measures the stages of the engine off line (the best of some runs, in
 * processor time) and, for comparison, copying its forwarding tables once; how the time
 * grows with the tables; what trees that are kept save after a cut; what judging mixtures costs
 * beside the check; and how much faster two threads are than one.
 *
 *   engine [FAMILY PARAMS LMC PROFILE]...	(engine slimfly 'q=13 p=9' 2 any-sl)
 *
 * With arguments it measures these fabrics alone. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "fabrics.h"
#include "moore/engine.h"
#include "moore/mix.h"
#include "threads.h"

#define RUNS 5

static double
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

enum { MARKS = MOORE_MARK_CHECKED + 1 };

struct marks {
	double at[MARKS];
};

static void
mark(void *arg, enum moore_engine_mark m)
{
	((struct marks *)arg)->at[m] = now_ms();
}

/* Repeats the copy until the time is long enough for the clock. */
static double
copy_ms(const struct moore_lft *t)
{
	size_t n = t->stride * t->n_switches, times = 1 + (16u << 20) / n;
	uint8_t *to = malloc(n);
	double best = 1e9;

	memset(to, 1, n);
	for (int i = 0; i < RUNS; i++) {
		double start = now_ms();

		for (size_t k = 0; k < times; k++) {
			memcpy(to, t->row, n);
			__asm__ volatile("" : : "r"(to) : "memory");
		}
		if (now_ms() - start < best)
			best = now_ms() - start;
	}
	free(to);
	return best / (double)times;
}

/* Fits a line through (log bytes, log ms) of several fabrics. */
struct line {
	double n, x, y, xx, xy;
};

static void
add_point(struct line *l, double bytes, double ms)
{
	double x = log(bytes), y = log(ms);

	l->n++;
	l->x += x;
	l->y += y;
	l->xx += x * x;
	l->xy += x * y;
}

static double
slope(const struct line *l)
{
	return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
}

static void
bench(const char *family, const char *params, uint8_t lmc, const char *profile, struct line *line)
{
	struct moore_fabric *f = test_family(family, params, lmc);
	double best[MARKS + 1] = { 1e9, 1e9, 1e9, 1e9 }, first = 0, copy = 0, bytes = 0;
	struct moore_ranks *ranks = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	moore_conf_set(&conf, "profile", profile, NULL);
	conf.ranks = &ranks;
	for (int i = 0; i < RUNS; i++) {
		struct moore_engine_result *r;
		struct marks m;
		double start = now_ms(), last = start;

		if (moore_engine_run(&r, f, NULL, &conf, mark, &m, &err) < 0) {
			fprintf(stderr, "engine: %s %s: %s\n", family, params, err.text);
			exit(1);
		}
		for (int k = 0; k < MARKS; last = m.at[k++])
			if (m.at[k] - last < best[k])
				best[k] = m.at[k] - last;
		if (m.at[MARKS - 1] - start < best[MARKS])
			best[MARKS] = m.at[MARKS - 1] - start;
		if (i == 0) {
			first = m.at[MARKS - 1] - start;
			copy = copy_ms(r->lft);
		}
		bytes = (double)r->lft->stride * r->lft->n_switches;
		moore_engine_result_free(r);
	}
	add_point(line, bytes, best[MARKS]);
	printf("  %-10s %-8s %3d %8u %6u %9.2f %7.2f %7.2f %8.2f %8.2f %11.0f\n", params, profile, lmc,
	       f->n_switches, f->lid_top, best[0], best[1], best[2], best[MARKS], first, best[0] / copy);
	moore_ranks_free(ranks);
	moore_fabric_free(f);
}

enum { N_MORE = 2000 };

/* Compares moore_mix_held(), with and without N_MORE further values, with moore_check(). */
static void
bench_held(const char *params, uint8_t lmc)
{
	struct moore_fabric *f = test_family("slimfly", params, lmc);
	double best[3] = { 1e9, 1e9, 1e9 };
	struct moore_row more[N_MORE];
	struct moore_rng rng = { 1 };
	struct moore_engine_result *r;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	if (moore_engine_run(&r, f, NULL, &conf, NULL, NULL, &err) < 0)
		exit(1);
	for (int i = 0; i < N_MORE; i++) {
		moore_swid s = moore_rng_below(&rng, f->n_switches);
		uint8_t port = (uint8_t)(1 + moore_rng_below(&rng, f->sw[s].n_ports));

		more[i] = (struct moore_row){ s, (moore_lid)(1 + moore_rng_below(&rng, f->lid_top)),
					      i % 2 ? MOORE_NO_PATH : port };
	}
	for (int i = 0; i < 3 * RUNS; i++) {
		struct moore_held before = { .lft = r->lft };
		struct moore_held held = { r->lft, more, i % 3 < 2 ? 0 : N_MORE, NULL };
		struct moore_mix_lanes lanes = { .sl2vl = r->sl2vl, .sl_set = r->sl_set };
		struct moore_check_opts opts = { .sl_set = r->sl_set };
		struct moore_mix_held *m = NULL;
		struct moore_verdict *v = NULL;
		double start = now_ms();
		int rc = i % 3 ? moore_mix_held(&m, f, &held, &before, &lanes, NULL, &err) :
			moore_check(&v, f, r->lft, r->sl2vl, NULL, &opts, &err);

		if (rc < 0)
			exit(1);
		if (now_ms() - start < best[i % 3])
			best[i % 3] = now_ms() - start;
		moore_mix_held_free(m);
		moore_verdict_free(v);
	}
	printf("judging what switches hold, %s LMC %d: %.2f ms, %.2f times the check; with %d further values "
	       "%.2f ms, %.2f times\n", params, lmc, best[1], best[1] / best[0], N_MORE, best[2],
	       best[2] / best[0]);
	moore_engine_result_free(r);
	moore_fabric_free(f);
}

/* Cuts the first link between switches. */
static void
cut_first(struct moore_fabric *f)
{
	for (unsigned p = 1; p <= f->sw[0].n_ports; p++)
		if (moore_fabric_port(f, 0, (moore_portnum)p)->role == MOORE_ROLE_SWITCH) {
			moore_fabric_cut(f, 0, (moore_portnum)p);
			return;
		}
}

/* Routes the intact fabric, then several times without one link, with kept trees or not. */
static void
bench_cut(const char *family, const char *params, uint8_t lmc, const char *profile)
{
	struct moore_fabric *f = test_family(family, params, lmc);
	double best[2][2] = { { 1e9, 1e9 }, { 1e9, 1e9 } };
	struct moore_plan *plan = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	moore_conf_set(&conf, "profile", profile, NULL);
	if (moore_plan_from_fabric(&plan, f, &err) < 0)
		exit(1);
	for (unsigned i = 0; i < 2; i++) {
		struct moore_fabric *cut = NULL;
		struct moore_ranks *ranks = NULL;
		struct moore_grown *grown = NULL;

		conf.ranks = &ranks;
		conf.grown = i ? &grown : NULL;
		if (moore_fabric_copy(&cut, f, &err) < 0)
			exit(1);
		for (int k = 0; k <= RUNS; k++) {
			struct moore_engine_result *r;
			struct marks m;
			double start = now_ms();

			if (moore_engine_run(&r, cut, plan, &conf, mark, &m, &err) < 0)
				exit(1);
			if (k && m.at[0] - start < best[i][0])
				best[i][0] = m.at[0] - start;
			if (k && m.at[MARKS - 1] - start < best[i][1])
				best[i][1] = m.at[MARKS - 1] - start;
			moore_engine_result_free(r);
			if (k == 0)
				cut_first(cut);
		}
		moore_ranks_free(ranks);
		moore_grown_free(grown);
		moore_fabric_free(cut);
	}
	printf("  %-10s %-8s %3d %9.2f %9.2f %7.1f %9.2f %9.2f %7.1f\n", params, profile, lmc, best[0][0],
	       best[1][0], best[0][0] / best[1][0], best[0][1], best[1][1], best[0][1] / best[1][1]);
	moore_plan_free(plan);
	moore_fabric_free(f);
}

static double
wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Runs the whole engine on one thread and on two in turn, and prints the best times as a clock
 * on the wall measures them. */
static void
bench_threads(const char *family, const char *params, uint8_t lmc, const char *profile)
{
	struct moore_fabric *f = test_family(family, params, lmc);
	double best[2] = { 1e9, 1e9 };
	struct moore_ranks *ranks = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	moore_conf_set(&conf, "profile", profile, NULL);
	conf.ranks = &ranks;
	for (unsigned i = 0; i < 4 * RUNS; i++) {
		const struct moore_jobs jobs = threads_lend(1 + i % 2);
		struct moore_engine_result *r;
		double start = wall_ms();

		conf.jobs = &jobs;
		if (moore_engine_run(&r, f, NULL, &conf, NULL, NULL, &err) < 0)
			exit(1);
		if (wall_ms() - start < best[i % 2])
			best[i % 2] = wall_ms() - start;
		moore_engine_result_free(r);
	}
	printf("  %-10s %-8s %3d %8.2f %8.2f %8.2f\n", params, profile, lmc, best[0], best[1],
	       best[0] / best[1]);
	moore_ranks_free(ranks);
	moore_fabric_free(f);
}

static void
print_head(void)
{
	printf("the engine alone, best of %d runs, ms; first: the first run, which also searches the\n"
	       "ranks that later ones keep, as the plugin does from sweep to sweep\n", RUNS);
	printf("  %-10s %-8s %3s %8s %6s %9s %7s %7s %8s %8s %11s\n", "fabric", "profile", "LMC", "switches",
	       "LIDs", "routing", "lanes", "check", "total", "first", "routing/copy");
}

static void
print_head_of_cut(void)
{
	printf("one link of the plan cut, best of %d runs, ms: without kept trees, with them, ratio\n"
	       "  %-10s %-8s %3s %9s %9s %7s %9s %9s %7s\n", RUNS, "fabric", "profile", "LMC", "routing",
	       "kept", "ratio", "total", "kept", "ratio");
}

static void
print_head_of_threads(void)
{
	printf("the whole engine on one thread and on two, best of %d runs, ms\n", 2 * RUNS);
	printf("  %-10s %-8s %3s %8s %8s %8s\n", "fabric", "profile", "LMC", "one", "two", "one/two");
}

/* Measures the fabrics that the arguments name. */
static int
bench_named(int n, char *const *arg)
{
	struct line other = { 0 };

	if (n % 4) {
		fprintf(stderr, "usage: engine [FAMILY PARAMS LMC PROFILE]...\n");
		return 2;
	}
	print_head();
	for (int i = 0; i < n; i += 4)
		bench(arg[i], arg[i + 1], (uint8_t)atoi(arg[i + 2]), arg[i + 3], &other);
	print_head_of_cut();
	for (int i = 0; i < n; i += 4)
		bench_cut(arg[i], arg[i + 1], (uint8_t)atoi(arg[i + 2]), arg[i + 3]);
	print_head_of_threads();
	for (int i = 0; i < n; i += 4)
		bench_threads(arg[i], arg[i + 1], (uint8_t)atoi(arg[i + 2]), arg[i + 3]);
	return 0;
}

int
main(int argc, char **argv)
{
	static const char *const minimal[] = { "q=5", "q=7", "q=9", "q=11", "q=13 p=9", "q=17",
					       "q=23" };
	static const char *const layered[] = { "q=5 p=4", "q=7 p=4", "q=9 p=4", "q=11 p=4",
					       "q=13 p=4", "q=17 p=4", "q=23 p=4" };
	struct line of_minimal = { 0 }, of_layered = { 0 }, other = { 0 };

	if (argc > 1)
		return bench_named(argc - 1, argv + 1);
	print_head();
	for (size_t i = 0; i < ARRAY_LEN(minimal); i++)
		bench("slimfly", minimal[i], 0, "any-sl", &of_minimal);
	for (size_t i = 0; i < ARRAY_LEN(layered); i++)
		bench("slimfly", layered[i], 2, "any-sl", &of_layered);
	bench("slimfly", "q=13 p=9", 2, "any-sl", &other);
	bench("slimfly", "q=13 p=9", 2, "sl-hint", &other);
	bench("oft", "k=12", 0, "any-sl", &other);
	bench("mlfm", "h=15", 0, "any-sl", &other);
	printf("total grows as the tables' bytes to the power of %.2f (LMC 0), %.2f (LMC 2, p=4)\n",
	       slope(&of_minimal), slope(&of_layered));
	print_head_of_cut();
	bench_cut("slimfly", "q=13 p=9", 0, "any-sl");
	bench_cut("slimfly", "q=13 p=9", 2, "any-sl");
	bench_cut("oft", "k=12", 2, "any-sl");
	bench_cut("mlfm", "h=15", 2, "any-sl");
	bench_held("q=13 p=9", 2);
	print_head_of_threads();
	bench_threads("slimfly", "q=13 p=9", 0, "any-sl");
	bench_threads("slimfly", "q=23", 0, "any-sl");
	bench_threads("slimfly", "q=13 p=9", 2, "any-sl");
	bench_threads("slimfly", "q=13 p=9", 2, "sl-hint");
	bench_threads("oft", "k=12", 0, "any-sl");
	bench_threads("mlfm", "h=15", 0, "any-sl");
	return 0;
}
