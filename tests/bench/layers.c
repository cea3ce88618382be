// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layers.c - what the layers of each topology carry in the worst case, and at what price.
 *
 * The first table has a row for each fabric: every Slim Fly to q = 25, OFT to k = 18 and MLFM
 * to h = 20, with as many endpoints as the family's source says, or as LIDs suffice for.  It
 * shows the share of full rate under each pattern of moore/saturation.h, coverage, load, and
 * the time to build the tables.  The second table has a row for each kind of layers, and the
 * third shows, on Slim Fly, coverage and load as LIDs are added.
 *
 * Arguments: "lmc=N" (2), "starts=N" (4, of each search), "profile=P" (any-sl), "order=SEED" (0: the
 * family's; else GUIDs, and so the numbers of switches, are dealt at random), then fabrics such as
 * "slimfly q=5 p=4", to which the first table is then restricted; or "kinds" for the other two tables. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "fabrics.h"
#include "moore/conf.h"
#include "moore/quality.h"
#include "moore/route.h"
#include "moore/saturation.h"

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

struct asked {
	uint8_t lmc;
	unsigned starts;
	char profile[16];
	uint64_t order;
};

static struct moore_route *
route_or_exit(const struct moore_fabric *f, const char *name, const char *profile, double *took)
{
	struct moore_route_opts opts = { .seed = 0 };
	struct moore_conf conf;
	struct moore_route *r = NULL;
	struct moore_err err;
	double since = seconds();

	moore_conf_defaults(&conf);
	if (moore_conf_set(&conf, "profile", profile, &err) < 0 ||
	    (opts.profile = conf.profile, moore_route_build(&r, f, NULL, &opts, &err)) < 0) {
		printf("%s: %s\n", name, err.text);
		exit(1);
	}
	*took = seconds() - since;
	return r;
}

/* Prints the share of full rate of each pattern, after the least of them. */
static void
shares(const struct moore_fabric *f, const struct moore_lft *lft, unsigned starts)
{
	const struct moore_saturation_opts opts = { .seed = 1, .starts = starts };
	double share[MOORE_N_PATTERNS], least = 2;
	int worst = MOORE_PATTERN_SHIFT;

	for (int p = MOORE_PATTERN_SHIFT; p < MOORE_N_PATTERNS; p++) {
		struct moore_saturation s;

		share[p] = -1;		/* no flows */
		if (!moore_pattern_fits(f, p) ||
		    moore_saturation_measure(&s, NULL, f, lft, p, &opts, NULL) < 0 || !s.n_flows)
			continue;
		share[p] = moore_throughput(s.pair);
		worst = share[p] < 0.995 * least ? p : worst;	/* of equals, the plainest */
		least = share[p] < least ? share[p] : least;
	}
	if (share[MOORE_PATTERN_OVERLAP] < 0)	/* one column for both of Kathareios et al. */
		share[MOORE_PATTERN_OVERLAP] = share[MOORE_PATTERN_SHIFT];
	printf(" %.1f %s |", 100 * least, moore_pattern_name(worst));
	for (int p = MOORE_PATTERN_OVERLAP; p < MOORE_N_PATTERNS; p++)
		if (share[p] < 0)
			printf(" – |");
		else
			printf(" %.1f |", 100 * share[p]);
}

static void
worst(const char *word, const struct asked *a)
{
	struct moore_quality *q = NULL;
	struct moore_fabric *f, *plain;
	double took, took_plain, since;
	struct moore_route *r;
	char family[32];

	snprintf(family, sizeof(family), "%.*s", (int)strcspn(word, " "), word);
	f = test_family(family, word + strlen(family), a->lmc);
	plain = test_family(family, word + strlen(family), 0);
	if (a->order) {
		test_deal_guids(f, &(struct moore_rng){ a->order });
		test_deal_guids(plain, &(struct moore_rng){ a->order });
	}
	moore_route_free(route_or_exit(plain, word, a->profile, &took_plain));
	r = route_or_exit(f, word, a->profile, &took);
	since = seconds();
	printf("| %s |", word);
	fflush(stdout);
	shares(f, moore_route_lft(r), a->starts);
	if (moore_quality_measure(&q, f, moore_route_lft(r), NULL) < 0)
		exit(1);
	printf(" %.2f | %.2f | %.2f | %.0f | %.0f |\n", percent(q->pairs.longer[2], q->pairs.n[2]),
	       q->load.max / q->load.mean, took, took / took_plain, seconds() - since);
	fflush(stdout);
	moore_quality_free(q);
	moore_route_free(r);
	moore_fabric_free(plain);
	moore_fabric_free(f);
}

/* The row of a family's member with as many endpoints as LIDs suffice for; none where the
 * family has no such member. */
static void
member(const char *family, const char *rest, unsigned size, const struct asked *a)
{
	const char *key = strcmp(family, "slimfly") ? !strcmp(family, "oft") ? "k" : "h" : "q";
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	char first[32], word[80];
	const char *words[] = { first, rest };
	const struct moore_topo_family *of = moore_topo_family_find(family);
	struct moore_topo_counts n;
	unsigned p, with;

	snprintf(first, sizeof(first), "%s=%u", key, size);
	if (moore_topo_params_parse(of, param, words, *rest ? 2 : 1, NULL) < 0)
		return;
	of->counts(param, &n);
	p = (unsigned)param[1];
	for (with = (unsigned)n.endpoints / p; n.switches + ((with * p + 1) << a->lmc) > MOORE_LID_MAX;)
		p--;
	snprintf(word, sizeof(word), "%s %s p=%u", family, first, p);
	worst(word, a);
}

static void
all_members(const struct asked *a)
{
	for (unsigned q = 4; q <= 25; q++)
		member("slimfly", "p=floor", q, a);
	for (unsigned k = 4; k <= 18; k++)
		member("oft", "", k, a);
	for (unsigned h = 4; h <= 20; h++)
		member("mlfm", "", h, a);
}

static void
all_kinds(void)
{
	static const char *const all[] = {
		"slimfly q=5 p=4", "slimfly q=7 p=5", "slimfly q=9 p=6", "slimfly q=13 p=9",
		"oft k=6 p=6", "oft k=12 p=12", "mlfm h=6 p=6", "mlfm h=15 p=15",
	};

	printf("\n| fabric | profile | layers | apart %% | adjacent %% | load | in a layer | hops | "
	       "disjoint |\n|---|---|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		kinds(all[i]);
	printf("\n| slimfly | layers | three hops in a layer %% | apart %% | load |\n"
	       "|---|---|---|---|---|\n");
	for (size_t i = 0; i < 4; i++)
		for (uint8_t lmc = 1; lmc <= 3; lmc++)
			curve(strchr(all[i], ' ') + 1, lmc);
}

int
main(int argc, char **argv)
{
	struct asked a = { 2, 4, "any-sl", 0 };
	int i = 1;

	if (argc == 2 && !strcmp(argv[1], "kinds")) {
		all_kinds();
		return 0;
	}
	for (; i < argc && (sscanf(argv[i], "lmc=%hhu", &a.lmc) == 1 ||
			    sscanf(argv[i], "starts=%u", &a.starts) == 1 ||
			    sscanf(argv[i], "order=%" SCNu64, &a.order) == 1 ||
			    sscanf(argv[i], "profile=%15s", a.profile) == 1); i++)
		;
	printf("%% of full rate, %s, LMC %u, %u starts of each search; times of one processor\n\n"
	       "| fabric | least | shift or overlap | Yébenes | matching | single pair | random | "
	       "adversary | anywhere | coverage | load | build s | over LMC 0 | judge s |\n"
	       "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n", a.profile, a.lmc, a.starts);
	if (i == argc) {
		all_members(&a);
		all_kinds();
	}
	for (; i < argc; i++)
		worst(argv[i], &a);
	return 0;
}
