// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_permute.c - permuted plans against the rules of the paper, read from the plans
 * alone; every swap of a small plan against brute force; and steps, replayed plug by plug. */
#include "fabrics.h"
#include "harness.h"
#include "moore/engine.h"
#include "moore/permute.h"
#include "moore/steps.h"

/* ---- plans ------------------------------------------------------------------- */

/* Makes the plan of "slimfly q=5 p=4" or the like, with cabinets of `size` switches (0:
 * none). */
static struct moore_plan *
make_plan(const char *spec, uint32_t size)
{
	char copy[128], *save = NULL, *name;
	const struct moore_topo_family *f;
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t = NULL;
	struct moore_plan *p = NULL;
	struct moore_err err = { 0 };
	const char *word[8];
	size_t n = 0;

	snprintf(copy, sizeof(copy), "%s", spec);
	name = strtok_r(copy, " ", &save);
	f = moore_topo_family_find(name);
	while ((word[n] = strtok_r(NULL, " ", &save)))
		n++;
	if (moore_topo_params_parse(f, param, word, n, &err) < 0 ||
	    moore_topo_build(&t, f, param, &err) < 0 || moore_plan_from_topo(&p, t, &err) < 0 ||
	    (size && moore_plan_fill_cabinets(p, size, &err) < 0))
		fail_msg("%s: %s", spec, err.text);
	moore_topo_free(t);
	return p;
}

/* A plan of two switches in each of two cabinets, with these cables (-1 ends the list). */
static struct moore_plan *
small_plan(const int *ends, const char *cabinets)
{
	struct moore_buf b = MOORE_BUF_INIT;
	uint8_t used[8] = { 0 };
	struct moore_plan *p;
	struct moore_err err = { 0 };

	moore_buf_fmt(&b, "{\"moore_plan\": 1, \"switches\": [");
	for (int s = 0; cabinets[s]; s++)
		moore_buf_fmt(&b, "%s{\"name\": \"s%d\", \"ports\": 8, \"cabinet\": \"%c\"}",
			      s ? ", " : "", s, cabinets[s]);
	moore_buf_fmt(&b, "], \"endpoints\": [], \"cables\": [");
	for (int i = 0; ends[i] >= 0; i += 2)
		moore_buf_fmt(&b, "%s{\"a\": {\"switch\": \"s%d\", \"port\": %d}, \"b\": {\"switch\": \"s%d\", "
			      "\"port\": %d}, \"length\": %d}", i ? ", " : "", ends[i], ++used[ends[i]],
			      ends[i + 1], ++used[ends[i + 1]],
			      cabinets[ends[i]] == cabinets[ends[i + 1]] ? 2 :
			      (cabinets[ends[i]] + cabinets[ends[i + 1]]));
	moore_buf_fmt(&b, "]}");
	if (moore_plan_parse(&p, b.data, b.len, &err) < 0)
		fail_msg("%s: %s", b.data, err.text);
	moore_buf_free(&b);
	return p;
}

static struct moore_plan *
copy_plan(const struct moore_plan *p)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *q;
	struct moore_err err = { 0 };

	if (moore_plan_write(p, &b, &err) < 0 || moore_plan_parse(&q, b.data, b.len, &err) < 0)
		fail_msg("copy: %s", err.text);
	moore_buf_free(&b);
	return q;
}

/* ---- what every permutation must keep --------------------------------------------- */

/* How many cables join each pair of switches, as an n x n matrix. */
static uint8_t *
pairs_of(const struct moore_plan *p)
{
	uint8_t *m = calloc((size_t)p->n_switches * p->n_switches, 1);

	for (uint32_t c = 0; c < p->n_cables; c++) {
		const moore_swid *s = p->cable[c].sw;

		m[(size_t)s[0] * p->n_switches + s[1]]++;
		m[(size_t)s[1] * p->n_switches + s[0]]++;
	}
	return m;
}

static void
check_cables(const char *why, const struct moore_plan *a, const struct moore_plan *b)
{
	uint8_t *was = pairs_of(a), *now = pairs_of(b);
	const size_t n = a->n_switches;

	CHECK_EQ(why, a->n_cables, b->n_cables);
	for (uint32_t c = 0; c < a->n_cables; c++) {
		const struct moore_plan_cable *x = &a->cable[c], *y = &b->cable[c];

		for (int e = 0; e < 2; e++)
			CHECK("each end stays in its cabinet", !strcmp(a->sw[x->sw[e]].cabinet,
								       b->sw[y->sw[e]].cabinet));
		CHECK("length", x->length >= y->length && x->length <= y->length);
		CHECK("no loop", y->sw[0] != y->sw[1]);
	}
	for (size_t i = 0; i < n * n; i++)
		CHECK("no second cable of a pair", now[i] <= 1 || now[i] <= was[i]);
	free(was);
	free(now);
}

/* Makes the moves on a copy of the old plan, and checks that the result is the new one. */
static void
check_moves(const struct moore_plan *old, const struct moore_plan *new,
	    const struct moore_permutation *r)
{
	struct moore_plan *p = copy_plan(old);

	for (uint32_t i = 0; i < r->n_moves; i++) {
		const struct moore_cable_move *m = &r->move[i];
		struct moore_plan_cable *c = &p->cable[m->cable];

		CHECK("from where it is", c->sw[m->end] == m->from.sw && c->port[m->end] == m->from.port);
		CHECK("to another port", m->from.sw != m->to.sw || m->from.port != m->to.port);
		c->sw[m->end] = m->to.sw;
		c->port[m->end] = m->to.port;
	}
	for (uint32_t c = 0; c < p->n_cables; c++)
		for (int e = 0; e < 2; e++)
			CHECK("where the new plan has it", p->cable[c].sw[e] == new->cable[c].sw[e] &&
			      p->cable[c].port[e] == new->cable[c].port[e]);
	moore_plan_free(p);
}

static const char *const bases[] = {
	"slimfly q=5 p=4", "slimfly q=7", "oft k=4", "mlfm h=4", "torus2d a=8 b=8",
	"torus5d a=4 b=2 c=2 d=3 e=2", "hypercube n=6", "fhypercube n=6", "myriclos n=256",
	"dragonfly a=4 h=2 p=2", "hyperx s1=4 s2=4 s3=3", "dln n=64 k=6", "torus2d a=3 b=2",
};

static void
test_properties(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = 0; round < test_rounds(4 * ARRAY_LEN(bases) * MOORE_N_PERMUTE); round++) {
		const char *spec = bases[round / MOORE_N_PERMUTE % ARRAY_LEN(bases)];
		struct moore_plan *p = make_plan(spec, 1 + moore_rng_below(&rng, 20)), *old = copy_plan(p);
		const struct moore_permute_opts o = {
			.method = (enum moore_permute_method)(round % MOORE_N_PERMUTE),
			.fraction = moore_rng_below(&rng, 5) / 4.0, .trials = 1 + moore_rng_below(&rng, 4),
			.seed = moore_rng_next(&rng),
		};
		struct moore_permutation *r, *again;
		struct moore_plan *q = copy_plan(p);
		struct moore_err err = { 0 };
		int rc = moore_permute(p, &o, &r, &err);

		if (rc < 0) {
			CHECK_STR(spec, err.text, "left the fabric in one part");
			CHECK("as it was", !p->permuted);
			check_cables(spec, old, p);
		} else {
			CHECK_EQ(spec, moore_plan_check(p, NULL, &err), 0);
			CHECK_EQ(spec, moore_permute_check(old, p, &err), 0);
			check_cables(spec, old, p);
			check_moves(old, p, r);
			CHECK("seed", p->permuted && p->permutation_seed == o.seed);
			CHECK("none allowed, none made", o.fraction > 0 || !r->n_moves);
			for (uint32_t t = 0; t < o.trials; t++)
				CHECK("the best", r->after.diameter < r->trial[t].diameter ||
				      (r->after.diameter == r->trial[t].diameter &&
				       r->after.mean_distance <= r->trial[t].mean_distance));
			CHECK_EQ("again", moore_permute(q, &o, &again, &err), 0);
			CHECK("the seed says all", again->n_moves == r->n_moves &&
			      !memcmp(again->move, r->move, r->n_moves * sizeof(*r->move)));
			moore_permutation_free(again);
		}
		moore_permutation_free(r);
		moore_plan_free(p);
		moore_plan_free(q);
		moore_plan_free(old);
	}
}

/* ---- brute force -------------------------------------------------------------------- */

/* The paper's rule for one pair of links, case by case (section 3), without plugs: which
 * graphs can one swap of links 0 and 1 produce?  Bit k of the answer stands for v1-v4 and
 * v3-v2, where link 0 is (v1, v2) and link 1 is (v3, v4), turned round if k is 1. */
static unsigned
paper_allows(const int *l0, const int *l1, const char *cab, int method)
{
	unsigned can = 0;

	for (unsigned k = 0; k < 2; k++) {
		const int v1 = l0[0], v2 = l0[1], v3 = l1[k], v4 = l1[!k];
		const bool in0 = cab[v1] == cab[v2], in1 = cab[v3] == cab[v4];
		bool fits;

		if (v1 == v3 || v1 == v4 || v2 == v3 || v2 == v4)
			continue;
		if (in0 && in1)
			fits = cab[v1] == cab[v3];	/* E_i: in one cabinet */
		else if (in0 || in1)
			fits = method == MOORE_PERMUTE_ONE_STEP &&
			       (cab[v1] == cab[v3] || cab[v2] == cab[v4]);
		else
			fits = cab[v1] == cab[v3] || cab[v2] == cab[v4];
		if (fits)
			can |= 1u << k;
	}
	return can;
}

/* With only two links, in all shapes and cabinets: over many seeds exactly the graphs that
 * the rule allows are produced.  With more links, parallel ones would be forbidden, too. */
static void
test_one_pair(void **state)
{
	static const char *const cabs[] = { "aaaa", "aabb", "abab", "abba", "aaab", "abbb", "abac", "abca", "aabc", "abcd" };
	static const int links[][5] = {
		{ 0, 1, 2, 3, -1 }, { 0, 1, 3, 2, -1 }, { 0, 2, 1, 3, -1 }, { 0, 1, 1, 2, -1 },
		{ 0, 1, 0, 2, -1 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(cabs) * ARRAY_LEN(links) * MOORE_N_PERMUTE; i++) {
		const int method = (int)(i % MOORE_N_PERMUTE);
		const char *cab = cabs[i / MOORE_N_PERMUTE % ARRAY_LEN(cabs)];
		const int *l = links[i / MOORE_N_PERMUTE / ARRAY_LEN(cabs)];
		unsigned want = paper_allows(l, l + 2, cab, method), got = 0;
		int distinct = 0;

		/* Three-cabinet swaps exchange cables between cabinets only if there are
		 * three. The other methods draw both links from one set of cables. */
		for (int c = 'a'; c <= 'd'; c++)
			distinct += strchr(cab, c) != NULL;
		if (cab[l[0]] != cab[l[1]] || cab[l[2]] != cab[l[3]]) {
			char key0[2] = { cab[l[0]], cab[l[1]] }, key1[2] = { cab[l[2]], cab[l[3]] };
			bool same = (key0[0] == key1[0] && key0[1] == key1[1]) ||
				    (key0[0] == key1[1] && key0[1] == key1[0]);

			if (method == MOORE_PERMUTE_TWO_CAB && !same)
				want = 0;
			if (method == MOORE_PERMUTE_THREE_CAB && distinct < 3)
				want = 0;
			if (method == MOORE_PERMUTE_ONE_STEP && !same && key0[0] != key0[1] &&
			    key1[0] != key1[1])
				want = 0;	/* not within two cabinets */
		}
		for (uint64_t seed = 0; seed < 40; seed++) {
			const struct moore_permute_opts o = {
				.method = (enum moore_permute_method)method, .fraction = 1,
				.trials = 1, .seed = seed,
			};
			struct moore_plan *p = small_plan(l, cab);
			struct moore_permutation *r;
			uint8_t *m;

			CHECK_EQ(cab, moore_permute(p, &o, &r, NULL), 0);
			m = pairs_of(p);
			for (unsigned k = 0; k < 2; k++)
				if (m[l[0] * 4 + l[2 + !k]] && m[l[1] * 4 + l[2 + k]] &&
				    !(m[l[0] * 4 + l[1]] && m[l[2] * 4 + l[3]]))
					got |= 1u << k;
			free(m);
			moore_permutation_free(r);
			moore_plan_free(p);
		}
		/* Several rounds (one-step, three-cabinet) can undo a swap and do it again,
		 * but all that the rule can reach is in `want`.  Two-cabinet swaps draw
		 * only once. */
		if (got != want)
			fail_msg("%s %s links %d-%d %d-%d: got %u, the paper allows %u",
				 moore_permute_name((enum moore_permute_method)method), cab, l[0], l[1],
				 l[2], l[3], got, want);
	}
}

/* A swap that would make parallel links is not made: 0-2 and 1-3 if 0-3 exists. */
static void
test_no_doubles(void **state)
{
	static const int links[] = { 0, 2, 1, 3, 0, 3, -1 };
	(void)state;

	for (uint64_t seed = 0; seed < 50; seed++) {
		const struct moore_permute_opts o = { MOORE_PERMUTE_TWO_CAB, 1, 1, seed, NULL, NULL };
		struct moore_plan *p = small_plan(links, "aabb"), *old = copy_plan(p);
		struct moore_permutation *r;

		CHECK_EQ("permuted", moore_permute(p, &o, &r, NULL), 0);
		check_cables("no double", old, p);
		CHECK_EQ("0-2 and 1-3 would double 0-3", r->n_swaps, 0);
		moore_permutation_free(r);
		moore_plan_free(p);
		moore_plan_free(old);
	}
}

static void
test_refused(void **state)
{
	static const struct { const char *why; uint32_t size; struct moore_permute_opts o; const char *part; } T[] = {
		{ "no cabinet", 0, { 0, 1, 1, 1, NULL, NULL }, "stands in no cabinet: place the plan first" },
		{ "no trial", 4, { 0, 1, 0, 1, NULL, NULL }, "no trials" },
		{ "below 0", 4, { 0, -0.1, 1, 1, NULL, NULL }, "0 to 1" },
		{ "above 1", 4, { 0, 1.1, 1, 1, NULL, NULL }, "0 to 1" },
		{ "no method", 4, { MOORE_N_PERMUTE, 1, 1, 1, NULL, NULL }, "method 3" },
	};
	struct moore_plan *p = make_plan("hypercube n=11", 1);
	struct moore_permutation *r;
	struct moore_err err;
	(void)state;

	CHECK_EQ("2048 cabinets", moore_permute(p, &T[1].o, &r, &err), -MOORE_EINVAL);
	CHECK_EQ("2048 cabinets", moore_permute(p, &(struct moore_permute_opts){ .fraction = 1, .trials = 1 },
						&r, &err), -MOORE_EINVAL);
	CHECK_STR("2048 cabinets", err.text, "at most 2000");
	CHECK_EQ("placed", moore_plan_fill_cabinets(p, 4, &err), -MOORE_EINVAL);
	CHECK_STR("placed", err.text, "already");
	moore_plan_free(p);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		p = make_plan("hypercube n=4", T[i].size);
		CHECK_EQ(T[i].why, moore_permute(p, &T[i].o, &r, &err), -MOORE_EINVAL);
		CHECK_STR(T[i].why, err.text, T[i].part);
		CHECK(T[i].why, !r && !p->permuted);
		moore_plan_free(p);
	}
}

/* The check detects lengths that differ. */
static void
test_check(void **state)
{
	static const int links[] = { 0, 1, 2, 3, 0, 2, -1 }, other[] = { 0, 1, 0, 3, 0, 2, -1 };
	struct moore_plan *a = small_plan(links, "aabb"), *b = small_plan(links, "aabb");
	struct moore_plan *c = small_plan(other, "aabb");
	struct moore_err err;
	(void)state;

	CHECK_EQ("same", moore_permute_check(a, b, &err), 0);
	b->cable[1].length = 3;
	CHECK_EQ("a length", moore_permute_check(a, b, &err), -MOORE_EPLAN);
	CHECK_STR("which", err.text, "from \"b\" to \"b\" of 200 cm");
	CHECK_EQ("a pair", moore_permute_check(a, c, &err), -MOORE_EPLAN);
	b->n_cables--;
	CHECK_EQ("one less", moore_permute_check(a, b, &err), -MOORE_EPLAN);
	b->n_cables++;
	moore_plan_free(a);
	moore_plan_free(b);
	moore_plan_free(c);
}

static void
test_cabinets(void **state)
{
	struct moore_plan *p = make_plan("slimfly q=5", 16), *m = make_plan("myriclos n=256", 5);
	(void)state;

	CHECK("in order", !strcmp(p->sw[15].cabinet, "c00") && !strcmp(p->sw[16].cabinet, "c01") &&
	      !strcmp(p->sw[49].cabinet, "c03"));
	CHECK("table 1, whatever the size", !strcmp(m->sw[63].cabinet, "c00") &&
	      !strcmp(m->sw[64].cabinet, "c01") && !strcmp(m->sw[79].cabinet, "c01"));
	moore_plan_free(p);
	moore_plan_free(m);
}

/* ---- results of the paper
 * ---------------------------------------------------------------- */

static void
test_distances_fall(void **state)
{
	static const struct { const char *spec; uint32_t diameter; double mean; } T[] = {
		/* section 5.2, n = 12: the base less the gain that the paper reports for P2 */
		{ "torus2d a=64 b=64", 64 - 29, 32.01 - 13.50 },
		{ "torus5d a=8 b=8 c=4 d=4 e=4", 14 - 4, 7.00 - 1.61 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const struct moore_permute_opts o = { MOORE_PERMUTE_TWO_CAB, 1, 5, test_seed(), NULL, NULL };
		struct moore_plan *p = make_plan(T[i].spec, 16);
		struct moore_permutation *r;

		CHECK_EQ(T[i].spec, moore_permute(p, &o, &r, NULL), 0);
		CHECK(T[i].spec, r->after.diameter + 1 >= T[i].diameter && r->after.diameter <= T[i].diameter + 1);
		CHECK(T[i].spec, r->after.mean_distance > T[i].mean - 0.05 && r->after.mean_distance < T[i].mean + 0.05);
		moore_permutation_free(r);
		moore_plan_free(p);
	}
}

/* Permuted fabrics are routed, and the checker accepts their tables. */
static void
test_routed(void **state)
{
	static const char *const specs[] = {
		"slimfly q=5 p=2", "oft k=4 p=1", "mlfm h=4 p=1", "torus2d a=6 b=6", "hypercube n=5",
		"fhypercube n=5", "myriclos n=64", "dragonfly a=4 h=2", "hyperx s1=4 s2=3 s3=2",
		"torus5d a=2 b=2 c=3 d=2 e=2", "dln n=40 k=5", "myriclos n=256",
	};
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(specs) * MOORE_N_PERMUTE; i++)
		for (unsigned k = 0; k < test_rounds(4); k++) {
			const struct moore_permute_opts o = {
				(enum moore_permute_method)(i % MOORE_N_PERMUTE), 1, 5, moore_rng_next(&rng),
				NULL, NULL
			};
			const char *spec = specs[i / MOORE_N_PERMUTE];
			struct moore_plan *p = make_plan(spec, 8);
			struct moore_engine_result *e = NULL;
			struct moore_permutation *r;
			struct moore_fabric *f = NULL;
			struct moore_conf conf;
			struct moore_err err = { 0 };

			moore_conf_defaults(&conf);
			conf.profile = k % 2 ? MOORE_PROFILE_SL_HINT : MOORE_PROFILE_ANY_SL;
			if (moore_permute(p, &o, &r, &err) < 0 ||
			    moore_fabric_from_plan(&f, p, k & 2, &err) < 0 ||
			    moore_engine_run(&e, f, p, &conf, NULL, NULL, &err) < 0)
				fail_msg("%s: %s", spec, err.text);
			CHECK(spec, e->verdict->sound && !e->verdict->partitioned);
			moore_engine_result_free(e);
			moore_fabric_free(f);
			moore_permutation_free(r);
			moore_plan_free(p);
		}
}

/* ---- steps --------------------------------------------------------------------------------- */

/* The number of connected parts, by following the cables. */
static uint32_t
parts(uint32_t n_switches, const struct moore_plan_cable *cable, uint32_t n)
{
	uint32_t *part = calloc(n_switches, sizeof(*part)), n_parts = 0;
	bool more;

	for (uint32_t s = 0; s < n_switches; s++) {
		if (part[s])
			continue;
		part[s] = ++n_parts;
		do {
			more = false;
			for (uint32_t c = 0; c < n; c++)
				for (int e = 0; e < 2; e++)
					if (part[cable[c].sw[e]] && !part[cable[c].sw[!e]]) {
						part[cable[c].sw[!e]] = part[cable[c].sw[e]];
						more = true;
					}
		} while (more);
	}
	free(part);
	return n_parts;
}

/* Replays the steps on ports: only free ports are used, no more cables are unplugged than
 * allowed, and the end is the new plan. */
static void
check_steps(const char *why, const struct moore_steps *s, const struct moore_plan *new,
	    const struct moore_plan *present, uint32_t max, uint32_t max_parts)
{
	uint32_t (*in)[256] = calloc(new->n_switches, sizeof(*in));	/* cable end + 1 in each
									 * port */
	struct moore_switch_port *at = calloc(2 * new->n_cables, sizeof(*at));
	struct moore_plan_cable *cable = calloc(new->n_cables, sizeof(*cable));
	uint8_t *out = calloc(new->n_cables, 1);

	memcpy(at, s->now, 2 * new->n_cables * sizeof(*at));
	for (uint32_t e = 0; e < 2 * new->n_cables; e++)
		if (at[e].sw != MOORE_NONE) {
			CHECK_EQ(why, in[at[e].sw][at[e].port], 0);
			in[at[e].sw][at[e].port] = e + 1;
		}
	for (uint32_t c = 0; present && c < present->n_cables; c++)
		CHECK("the present is the start", in[present->cable[c].sw[0]][present->cable[c].port[0]] &&
		      (in[present->cable[c].sw[0]][present->cable[c].port[0]] - 1) / 2 ==
		      (in[present->cable[c].sw[1]][present->cable[c].port[1]] - 1) / 2);
	for (uint32_t i = 0; i < s->n_steps; i++) {
		uint32_t n_out = 0, n;

		CHECK("no empty step", s->first[i] < s->first[i + 1]);
		memset(out, 0, new->n_cables);
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
			const struct moore_cable_move *m = &s->move[k];
			const struct moore_switch_port *p = &at[2 * m->cable + m->end];

			n_out += !out[m->cable];
			out[m->cable] = 1;
			CHECK("from where it is", p->sw == m->from.sw && p->port == m->from.port);
			if (p->sw != MOORE_NONE)
				in[p->sw][p->port] = 0;
		}
		CHECK("no more than allowed", n_out <= max);
		n = 0;
		for (uint32_t c = 0; c < new->n_cables; c++)
			if (!out[c] && at[2 * c].sw != MOORE_NONE && at[2 * c + 1].sw != MOORE_NONE &&
			    at[2 * c].sw != at[2 * c + 1].sw)
				cable[n++] = (struct moore_plan_cable){ .sw = { at[2 * c].sw, at[2 * c + 1].sw } };
		CHECK("in one part meanwhile", parts(new->n_switches, cable, n) <= max_parts);
		CHECK_EQ("as moore_steps_cables has it", moore_steps_cables(s, new, i, cable), n);
		CHECK("the same graph", parts(new->n_switches, cable, n) <= max_parts);
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
			const struct moore_cable_move *m = &s->move[k];

			at[2 * m->cable + m->end] = m->to;
			if (m->to.sw == MOORE_NONE)
				continue;
			CHECK_EQ("into a free port", in[m->to.sw][m->to.port], 0);
			in[m->to.sw][m->to.port] = 2 * m->cable + m->end + 1;
		}
	}
	for (uint32_t e = 0; e < 2 * new->n_cables; e++)
		CHECK("home", at[e].sw == new->cable[e / 2].sw[e % 2] &&
		      at[e].port == new->cable[e / 2].port[e % 2]);
	CHECK_EQ("all of them", moore_steps_cables(s, new, s->n_steps, cable), new->n_cables);
	free(in);
	free(at);
	free(cable);
	free(out);
}

/* The plan as it is after a step, or, if `during`, in the middle of it. */
static struct moore_plan *
plan_at(const struct moore_steps *s, const struct moore_plan *new, uint32_t step, bool during)
{
	struct moore_plan *p = copy_plan(new);
	struct moore_plan_cable *cable = calloc(new->n_cables, sizeof(*cable));
	struct moore_steps upto = *s;
	uint32_t n;

	upto.n_steps = during ? s->n_steps : step;
	upto.n_moves = s->first[step];
	n = moore_steps_cables(&upto, new, step, cable);
	for (uint32_t c = 0; c < n; c++) {
		memcpy(p->cable[c].sw, cable[c].sw, sizeof(cable[c].sw));
		memcpy(p->cable[c].port, cable[c].port, sizeof(cable[c].port));
	}
	for (uint32_t c = n; c < p->n_cables; c++) {
		free(p->cable[c].label);
		p->cable[c].label = NULL;
	}
	p->n_cables = n;
	free(cable);
	return p;
}

static void
test_steps(void **state)
{
	struct moore_rng rng = { test_seed() };
	(void)state;

	for (unsigned round = 0; round < test_rounds(3 * ARRAY_LEN(bases) * MOORE_N_PERMUTE); round++) {
		const char *spec = bases[round / MOORE_N_PERMUTE % ARRAY_LEN(bases)];
		struct moore_plan *new = make_plan(spec, 1 + moore_rng_below(&rng, 20)), *old = copy_plan(new);
		struct moore_plan *present;
		const struct moore_permute_opts o = {
			(enum moore_permute_method)(round % MOORE_N_PERMUTE), 1, 5, moore_rng_next(&rng), NULL, NULL
		};
		const uint32_t k = 2 + moore_rng_below(&rng, 12);
		struct moore_permutation *r = NULL;
		struct moore_steps *s = NULL, *rest = NULL;
		struct moore_err err = { 0 };

		if (moore_permute(new, &o, &r, &err) < 0)
			goto next;
		if (moore_steps_build(&s, old, new, NULL, k, &err) < 0) {
			CHECK_STR(spec, err.text, "cut off meanwhile");
			goto next;
		}
		check_steps(spec, s, new, old, k, 1);
		CHECK_EQ("each misplaced end once, or by exchanges", s->n_moves >= r->n_moves, true);
		if (!s->n_steps)
			goto next;
		/* stops after a step, or in the middle of one */
		for (int during = 0; during < 2; during++) {
			uint32_t step = moore_rng_below(&rng, s->n_steps);

			present = plan_at(s, new, step, during);
			if (moore_steps_build(&rest, old, new, present, k, &err) < 0)
				CHECK_STR(spec, err.text, "cut off meanwhile");
			else
				check_steps(spec, rest, new, present, k, 1);
			moore_steps_free(rest);
			rest = NULL;
			moore_plan_free(present);
		}
		if (moore_steps_build(&rest, old, new, new, k, &err) < 0)
			fail_msg("%s: done: %s", spec, err.text);
		CHECK_EQ("nothing is left", rest->n_steps + rest->n_ahead, 0);
next:
		moore_steps_free(s);
		moore_steps_free(rest);
		moore_permutation_free(r);
		moore_plan_free(old);
		moore_plan_free(new);
	}
}

/* Labels identify cables, in whatever order a plan lists them. */
static void
test_steps_labels(void **state)
{
	struct moore_plan *old = make_plan("hypercube n=4", 4), *new = copy_plan(old);
	struct moore_steps *s;
	struct moore_err err;
	char label[16];
	(void)state;

	for (uint32_t c = 0; c < old->n_cables; c++) {
		snprintf(label, sizeof(label), "C%02u", c);
		old->cable[c].label = strdup(label);
		new->cable[old->n_cables - 1 - c] = old->cable[c];
		new->cable[old->n_cables - 1 - c].label = strdup(label);
	}
	CHECK_EQ("by label", moore_steps_build(&s, old, new, NULL, 1, &err), 0);
	CHECK_EQ("nothing moves", s->n_ahead, 0);
	moore_steps_free(s);
	free(new->cable[3].label);
	new->cable[3].label = strdup("another");
	CHECK_EQ("one only", moore_steps_build(&s, old, new, NULL, 9, &err), -MOORE_EPLAN);
	CHECK_STR("which", err.text, "is in one of the plans only");
	moore_plan_free(old);
	moore_plan_free(new);
}

static void
test_steps_refused(void **state)
{
	static const int ring[] = { 0, 1, 1, 2, 2, 3, 3, 0, -1 }, turned[] = { 0, 2, 1, 2, 1, 3, 3, 0, -1 };
	static const int less[] = { 0, 1, 1, 2, 2, 3, -1 }, extra[] = { 0, 1, 1, 2, 2, 3, 3, 0, 0, 2, -1 };
	struct moore_plan *old = small_plan(ring, "aaaa"), *new = small_plan(turned, "aaaa");
	struct moore_plan *few = small_plan(less, "aaaa"), *many = small_plan(extra, "aaaa");
	struct moore_plan *five = small_plan(ring, "aaaab");
	struct moore_steps *s;
	struct moore_err err;
	(void)state;

	CHECK_EQ("none at a time", moore_steps_build(&s, old, new, NULL, 0, &err), -MOORE_EINVAL);
	CHECK_EQ("counts", moore_steps_build(&s, few, new, NULL, 2, &err), -MOORE_EPLAN);
	CHECK_EQ("switches", moore_steps_build(&s, old, new, five, 2, &err), -MOORE_EPLAN);
	CHECK_STR("which", err.text, "switch \"s4\" of the present fabric is not in the new plan");
	CHECK_EQ("not of this change", moore_steps_build(&s, old, new, many, 4, &err), -MOORE_EPLAN);
	CHECK_STR("where", err.text, "is one more than the plans have cables");
	CHECK_EQ("two links of a ring leave no way", moore_steps_build(&s, old, new, NULL, 4, &err),
		 -MOORE_EINVAL);
	CHECK_STR("why", err.text, "cut off meanwhile");
	CHECK("no result", !s);
	moore_plan_free(old);
	moore_plan_free(new);
	moore_plan_free(few);
	moore_plan_free(many);
	moore_plan_free(five);
}

static void
test_out_of_memory(void **state)
{
	const struct moore_permute_opts o = { MOORE_PERMUTE_TWO_CAB, 1, 2, 1, NULL, NULL };
	struct moore_plan *p = make_plan("hypercube n=5", 8), *old = copy_plan(p);
	struct moore_permutation *r;
	struct moore_steps *s;
	struct moore_err err;
	(void)state;

	CHECK_OOM("permute", moore_permute(p, &o, &r, &err), moore_permutation_free(r));
	CHECK_OOM("check", moore_permute_check(old, p, &err), (void)0);
	CHECK_OOM("steps", moore_steps_build(&s, old, p, old, 4, &err), moore_steps_free(s));
	moore_plan_free(p);
	moore_plan_free(old);
	moore_permutation_free(NULL);
	moore_steps_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_properties),
		cmocka_unit_test(test_one_pair),
		cmocka_unit_test(test_no_doubles),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_cabinets),
		cmocka_unit_test(test_distances_fall),
		cmocka_unit_test(test_routed),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_steps_labels),
		cmocka_unit_test(test_steps_refused),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests_name("permute", tests, NULL, NULL);
}
