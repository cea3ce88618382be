// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layers.c - what the layers of each topology carry in the worst case, and at what price.
 *
 * The first table has a row for each fabric, at LMC 2: the share of full rate under each
 * pattern of moore/saturation.h, then coverage, load, and the time to build the tables over
 * that of LMC 0.  The second table has a row for each kind of layers.  The third shows, on Slim
 * Fly, coverage and load as LIDs are added.  Arguments such as "slimfly q=5 p=4", or "lmc=3"
 * before them, restrict the program to the first table of these fabrics; "kinds" prints the
 * other two. */
#include <stdio.h>
#include <time.h>

#include "fabrics.h"
#include "moore/conf.h"
#include "moore/quality.h"
#include "moore/route.h"
#include "moore/saturation.h"

#define STARTS 4	/* of each search */

static double
percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Mean hops over the layers. */
static double
mean_hops(const struct moore_quality *q)
{
	uint64_t n = 0, sum = 0;

	for (uint32_t o = 1; o < q->n_offsets; o++)
		for (uint32_t h = 0; h <= MOORE_HOPS_MAX; h++) {
			n += q->offset[o].hops[h];
			sum += h * q->offset[o].hops[h];
		}
	return n ? (double)sum / (double)n : 0;
}

static double
greatest_layer(const struct moore_quality *q)
{
	double worst = 0;

	for (uint32_t o = 1; o < q->n_offsets; o++) {
		const struct moore_link_load *s = &q->offset[o].load;

		worst = s->max / s->mean > worst ? s->max / s->mean : worst;
	}
	return worst;
}

static void
row(const struct moore_fabric *f, const char *name, const char *profile, const char *layers)
{
	struct moore_route_opts opts = { .seed = 0 };
	struct moore_quality *q = NULL;
	struct moore_route *r = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	moore_conf_set(&conf, "profile", profile, NULL);
	moore_conf_set(&conf, "layers", layers, NULL);
	opts.profile = conf.profile;
	opts.layers = conf.layers;
	if (moore_route_build(&r, f, NULL, &opts, &err) < 0 ||
	    moore_quality_measure(&q, f, moore_route_lft(r), &err) < 0) {
		printf("%s: %s\n", name, err.text);
		exit(1);
	}
	printf("| %s | %s | %s | %.3f |", name, profile, layers,
	       percent(q->pairs.longer[2], q->pairs.n[2]));
	if (q->pairs.n[1])
		printf(" %.3f |", percent(q->pairs.longer[1], q->pairs.n[1]));
	else
		printf(" – |");
	printf(" %.2f | %.2f | %.2f | %.2f |\n", q->load.max / q->load.mean, greatest_layer(q),
	       mean_hops(q), q->mean_disjoint);
	fflush(stdout);
	moore_quality_free(q);
	moore_route_free(r);
}

/* Shares of pairs at distance two that have a detour: in the best layer, in the worst, and
 * in any layer. */
static void
curve(const char *params, uint8_t lmc)
{
	struct moore_fabric *f = test_family("slimfly", params, lmc);
	const struct moore_route_opts opts = { .seed = 0 };
	struct moore_quality *q = NULL;
	struct moore_route *r = NULL;
	double best = 0, worst = 100;

	if (moore_route_build(&r, f, NULL, &opts, NULL) < 0 ||
	    moore_quality_measure(&q, f, moore_route_lft(r), NULL) < 0)
		exit(1);
	for (uint32_t o = 1; o < q->n_offsets; o++) {
		const struct moore_quality_offset *at = &q->offset[o];
		double part = percent(at->three_hops, at->pairs.n[2]);

		best = part > best ? part : best;
		worst = part < worst ? part : worst;
	}
	printf("| %s | %u | %.1f to %.1f | %.3f | %.2f |\n", params, q->n_offsets - 1, worst, best,
	       percent(q->pairs.longer[2], q->pairs.n[2]), q->load.max / q->load.mean);
	moore_quality_free(q);
	moore_route_free(r);
	moore_fabric_free(f);
}

static void
kinds(const char *word)
{
	static const char *const profile[] = { "any-sl", "sl-hint" };
	static const char *const layers[] = { "valiant3", "nta", "valiant", "inr" };
	char family[32];
	struct moore_fabric *f;

	snprintf(family, sizeof(family), "%.*s", (int)strcspn(word, " "), word);
	f = test_family(family, word + strlen(family), 2);
	for (size_t p = 0; p < ARRAY_LEN(profile); p++)
		for (size_t k = 0; k < ARRAY_LEN(layers); k++)
			row(f, word, profile[p], layers[k]);
	moore_fabric_free(f);
}

/* ---- the worst case ------------------------------------------------------------------- */

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct moore_route *
route_or_exit(const struct moore_fabric *f, const char *name, double *took)
{
	const struct moore_route_opts opts = { .seed = 0 };
	struct moore_route *r = NULL;
	struct moore_err err;
	double since = seconds();

	if (moore_route_build(&r, f, NULL, &opts, &err) < 0) {
		printf("%s: %s\n", name, err.text);
		exit(1);
	}
	*took = seconds() - since;
	return r;
}

/* Prints the share of full rate of each pattern, after the least of them. */
static void
shares(const struct moore_fabric *f, const struct moore_lft *lft)
{
	const struct moore_saturation_opts opts = { .seed = 1, .starts = STARTS };
	double share[MOORE_N_PATTERNS], least = 1;
	bool flows[MOORE_N_PATTERNS] = { false };

	for (int p = MOORE_PATTERN_SHIFT; p < MOORE_N_PATTERNS; p++) {
		struct moore_saturation s;

		if (!moore_pattern_fits(f, p) ||
		    moore_saturation_measure(&s, NULL, f, lft, p, &opts, NULL) < 0 || !s.n_flows)
			continue;
		flows[p] = true;
		share[p] = moore_throughput(s.pair);
		least = share[p] < least ? share[p] : least;
	}
	printf(" %.1f |", 100 * least);
	for (int p = MOORE_PATTERN_SHIFT; p < MOORE_N_PATTERNS; p++) {
		if (p == MOORE_PATTERN_SHIFT && !flows[p])
			continue;	/* one column for both of Kathareios et al. */
		if (p == MOORE_PATTERN_OVERLAP && flows[MOORE_PATTERN_SHIFT])
			continue;
		if (flows[p])
			printf(" %.1f |", 100 * share[p]);
		else
			printf(" – |");
	}
}

static void
worst(const char *word, uint8_t lmc)
{
	struct moore_quality *q = NULL;
	struct moore_fabric *f, *plain;
	double took, took_plain, since;
	struct moore_route *r;
	char family[32];

	snprintf(family, sizeof(family), "%.*s", (int)strcspn(word, " "), word);
	f = test_family(family, word + strlen(family), lmc);
	plain = test_family(family, word + strlen(family), 0);
	moore_route_free(route_or_exit(plain, word, &took_plain));
	r = route_or_exit(f, word, &took);
	since = seconds();
	printf("| %s | %u |", word, lmc);
	fflush(stdout);
	shares(f, moore_route_lft(r));
	if (moore_quality_measure(&q, f, moore_route_lft(r), NULL) < 0)
		exit(1);
	printf(" %.2f | %.2f | %.2f | %.1f | %.1f |\n", percent(q->pairs.longer[2], q->pairs.n[2]),
	       q->load.max / q->load.mean, took, took / took_plain, seconds() - since);
	fflush(stdout);
	moore_quality_free(q);
	moore_route_free(r);
	moore_fabric_free(plain);
	moore_fabric_free(f);
}

int
main(int argc, char **argv)
{
	static const char *const all[] = {
		"slimfly q=5 p=4", "slimfly q=7 p=5", "slimfly q=9 p=6", "slimfly q=13 p=9",
		"oft k=6 p=6", "oft k=12 p=12", "mlfm h=6 p=6", "mlfm h=15 p=15",
	};
	bool only_kinds = argc == 2 && !strcmp(argv[1], "kinds");
	uint8_t lmc = 2;

	if (!only_kinds)
		printf("| fabric | LMC | least | shift or overlap | Yébenes | matching | single pair "
		       "| random | adversary | anywhere | coverage %% | load | build s | over LMC 0 "
		       "| judged s |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (int i = 1; i < argc && !only_kinds; i++) {
		if (sscanf(argv[i], "lmc=%hhu", &lmc) != 1)
			worst(argv[i], lmc);
	}
	if (argc > 1 && !only_kinds)
		return 0;
	for (size_t i = 0; !only_kinds && i < ARRAY_LEN(all); i++)
		worst(all[i], lmc);
	printf("\n| fabric | profile | layers | apart %% | adjacent %% | load | in a layer | hops | "
	       "disjoint |\n|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		kinds(all[i]);
	printf("\n| slimfly | layers | three hops in a layer %% | apart %% | load |\n"
	       "|---|---|---|---|---|\n");
	for (size_t i = 0; i < 4; i++)
		for (lmc = 1; lmc <= 3; lmc++)
			curve(strchr(all[i], ' ') + 1, lmc);
	return 0;
}
