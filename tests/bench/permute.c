// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* permute.c - prints as Markdown the diameters and mean distances of "Swap-and-randomize"
 * (Fujiwara et al., TPDS 2014), figures 3 to 7, as this library finds them: the curves of the
 * paper are pictures.  Best of 20 trials, cabinets of 16 switches.  What its text states is
 * compared by tests/reproduce. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moore/permute.h"

#define TRIALS 20
#define N_MIN 5
#define N_MAX 12

enum { BASE = MOORE_N_PERMUTE };	/* not permuted */

struct value {
	unsigned diameter;
	double mean;
	double spread;		/* standard deviation over mean of the trials' mean distances */
};

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct moore_topo *
build(const char *spec)
{
	char copy[128], *save = NULL, *name;
	const struct moore_topo_family *f;
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t = NULL;
	struct moore_err err = { 0 };
	const char *word[8];
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", spec);
	name = strtok_r(copy, " ", &save);
	f = moore_topo_family_find(name);
	while (n < 8 && (word[n] = strtok_r(NULL, " ", &save)))
		n++;
	if (!f || moore_topo_params_parse(f, param, word, n, &err) < 0 ||
	    moore_topo_build(&t, f, param, &err) < 0) {
		fprintf(stderr, "%s: %s\n", spec, err.text);
		exit(2);
	}
	return t;
}

/* The spread of the trials; the square root is by Newton's method, to avoid libm. */
static double
spread_of(const struct moore_permutation *r)
{
	double mean = 0, var = 0, root = 1e-3;

	for (uint32_t i = 0; i < r->n_trials; i++)
		mean += r->trial[i].mean_distance / r->n_trials;
	for (uint32_t i = 0; i < r->n_trials; i++)
		var += (r->trial[i].mean_distance - mean) * (r->trial[i].mean_distance - mean) / r->n_trials;
	for (int i = 0; i < 60; i++)
		root = (root + var / root) / 2;
	return root / mean;
}

static struct value
measure(const char *spec, int method, double fraction)
{
	struct moore_topo *t = build(spec);
	struct moore_plan *p = NULL;
	struct moore_permutation *r = NULL;
	struct moore_graph_metrics m;
	struct moore_err err = { 0 };
	struct value v = { 0, 0, 0 };
	const struct moore_permute_opts o = {
		.method = (enum moore_permute_method)method, .fraction = fraction,
		.trials = TRIALS, .seed = 1,
	};

	if (method == BASE ?
	    moore_graph_measure(t->n_switches, t->link, t->n_links, t->n_switches, &m, NULL, NULL,
				&err) < 0 :
	    moore_plan_from_topo(&p, t, &err) < 0 || moore_plan_fill_cabinets(p, 16, &err) < 0 ||
	    moore_permute(p, &o, &r, &err) < 0) {
		fprintf(stderr, "%s: %s\n", spec, err.text);
		exit(2);
	}
	if (r) {
		m = r->after;
		v.spread = spread_of(r);
	}
	v.diameter = m.diameter;
	v.mean = m.mean_distance;
	moore_permutation_free(r);
	moore_plan_free(p);
	moore_topo_free(t);
	return v;
}

/* ---- the base graph of 2^n switches (MYRICLOS: nodes) ---------------------------------- */

/* The shape whose greatest dimension is smallest, greater dimensions first. */
static void
torus(char *out, size_t room, const char *family, unsigned n_dims, unsigned n)
{
	size_t len = (size_t)snprintf(out, room, "%s", family);

	for (unsigned i = 0; i < n_dims; i++)
		len += (size_t)snprintf(out + len, room - len, " %c=%u", 'a' + i,
					1u << (n / n_dims + (i < n % n_dims)));
}

static const char *
spec_of(const char *base, unsigned n)
{
	static char spec[128];

	if (!strcmp(base, "torus2d"))
		torus(spec, sizeof(spec), base, 2, n);
	else if (!strcmp(base, "torus5d"))
		torus(spec, sizeof(spec), base, 5, n);
	else if (!strcmp(base, "myriclos"))
		snprintf(spec, sizeof(spec), "myriclos n=%u", 1u << n);
	else if (!strncmp(base, "ring", 4))
		snprintf(spec, sizeof(spec), "dln n=%u k=%s", 1u << n, base + 4);
	else
		snprintf(spec, sizeof(spec), "%s n=%u", base, n);
	return spec;
}

/* ---- the series of the figures -------------------------------------------------------------- */

struct curve {
	const char *name, *base;
	int method;
	double fraction;
};

static double greatest_spread;
static char spread_at[64];

static void
figure(const char *title, const struct curve *c, size_t n_curves)
{
	printf("\n%s\n\n| n |", title);
	for (size_t i = 0; i < n_curves; i++)
		printf(" %s |", c[i].name);
	printf("\n|---|");
	for (size_t i = 0; i < n_curves; i++)
		printf("---|");
	for (unsigned n = N_MIN; n <= N_MAX; n++) {
		printf("\n| %u |", n);
		for (size_t i = 0; i < n_curves; i++) {
			const struct value v = measure(spec_of(c[i].base, n), c[i].method, c[i].fraction);

			printf(" %u, %.2f |", v.diameter, v.mean);
			if (v.spread > greatest_spread) {
				greatest_spread = v.spread;
				snprintf(spread_at, sizeof(spread_at), "%s, n = %u", c[i].name, n);
			}
		}
		fflush(stdout);
	}
	printf("\n");
}

static void
figures(void)
{
	enum { P2 = MOORE_PERMUTE_TWO_CAB, P3 = MOORE_PERMUTE_THREE_CAB, P1 = MOORE_PERMUTE_ONE_STEP };
	static const struct curve t2[] = {
		{ "2DTORUS", "torus2d", BASE, 1 }, { "P2-2DTORUS", "torus2d", P2, 1 },
		{ "P3-2DTORUS", "torus2d", P3, 1 }, { "RING-4", "ring4", BASE, 1 },
	}, t5[] = {
		{ "5DTORUS", "torus5d", BASE, 1 }, { "P2-5DTORUS", "torus5d", P2, 1 },
		{ "P3-5DTORUS", "torus5d", P3, 1 }, { "RING-10", "ring10", BASE, 1 },
	}, cube[] = {
		{ "HYPERCUBE", "hypercube", BASE, 1 }, { "P2-HYPERCUBE", "hypercube", P2, 1 },
		{ "P3-HYPERCUBE", "hypercube", P3, 1 }, { "FHYPERCUBE", "fhypercube", BASE, 1 },
		{ "P2-FHYPERCUBE", "fhypercube", P2, 1 }, { "P3-FHYPERCUBE", "fhypercube", P3, 1 },
	}, clos[] = {
		{ "MYRICLOS", "myriclos", BASE, 1 }, { "P1-MYRICLOS", "myriclos", P1, 1 },
	}, part[] = {
		{ "5DTORUS", "torus5d", BASE, 1 }, { "p = 100 %", "torus5d", P2, 1 },
		{ "p = 50 %", "torus5d", P2, 0.5 }, { "p = 25 %", "torus5d", P2, 0.25 },
		{ "p = 5 %", "torus5d", P2, 0.05 },
	};

	figure("Figure 3: diameter, mean distance", t2, ARRAY_LEN(t2));
	figure("Figure 4: diameter, mean distance", t5, ARRAY_LEN(t5));
	figure("Hypercubes: diameter, mean distance", cube, ARRAY_LEN(cube));
	figure("Figure 5 (2^n nodes): diameter, mean distance", clos, ARRAY_LEN(clos));
	figure("Figure 7, P2-5DTORUS: diameter, mean distance", part, ARRAY_LEN(part));
	printf("\nGreatest coefficient of variation of the mean distance over %d trials: %.2f %% "
	       "(%s; paper: at most 1 %%)\n", TRIALS, 100 * greatest_spread, spread_at);
}

int
main(void)
{
	static const char *const method[] = { "two-cab", "three-cab", "one-step" };
	double start;

	figures();
	printf("\nSlim Fly q=13 (338 switches), %d trials: diameter, mean distance; seconds\n\n", TRIALS);
	printf("| base | diameter, mean | seconds |\n|---|---|---|\n");
	for (int m = MOORE_N_PERMUTE; m-- > 0;) {
		struct value v;

		start = now_s();
		v = measure("slimfly q=13", m, 1);
		printf("| %s | %u, %.2f | %.3f |\n", method[m], v.diameter, v.mean, now_s() - start);
	}
	return 0;
}
