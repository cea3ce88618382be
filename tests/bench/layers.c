// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layers.c - what each kind of layers reaches on each topology at LMC 2: the share of pairs
 * with a detour in some layer, load, hops, disjoint routes.  Then, on Slim Fly, coverage
 * and load as LIDs are added.  Arguments such as "slimfly q=5 p=4" restrict the first part
 * to these fabrics. */
#include <stdio.h>

#include "fabrics.h"
#include "moore/conf.h"
#include "moore/quality.h"
#include "moore/route.h"

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
fabric(const char *word)
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

int
main(int argc, char **argv)
{
	static const char *const all[] = {
		"slimfly q=5 p=4", "slimfly q=7 p=5", "slimfly q=9 p=6", "slimfly q=13 p=9",
		"oft k=6 p=6", "oft k=12 p=12", "mlfm h=6 p=6", "mlfm h=15 p=15",
	};

	printf("| fabric | profile | layers | apart %% | adjacent %% | load | in a layer | hops | "
	       "disjoint |\n|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; argc < 2 && i < ARRAY_LEN(all); i++)
		fabric(all[i]);
	for (int i = 1; i < argc; i++)
		fabric(argv[i]);
	if (argc > 1)
		return 0;
	printf("\n| slimfly | layers | three hops in a layer %% | apart %% | load |\n"
	       "|---|---|---|---|---|\n");
	for (size_t i = 0; i < 4; i++)
		for (uint8_t lmc = 1; lmc <= 3; lmc++)
			curve(strchr(all[i], ' ') + 1, lmc);
	return 0;
}
