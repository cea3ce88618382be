// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_unlike.c - a fabric that was built unlike its plan gets sound tables that reach everything.
 *
 * Each round takes a family's plan, which may be permuted and may lack hosts, and a fabric that differs from it
 * at random: hosts at switches and ports where the plan has none, switches that are gone or lost their hosts,
 * cables that are gone, crossed or not planned, switches that hang in chains, links with one lane, and links
 * to avoid.  The settings are drawn, too, and the order of the GUIDs, and whether the plan is given, was
 * kept, or neither.  The checker judges.  The same tables must come out where trees are kept from an earlier
 * fabric. */
#include "harness.h"

#include "moore/moore.h"
#include "plan_of.h"

#define MAX_EDITS 16

static const char *const families[][2] = {
	{ "slimfly", "q=3 p=2" }, { "slimfly", "q=4 p=2" }, { "slimfly", "q=5 p=3" }, { "oft", "k=3" },
	{ "oft", "k=4" }, { "oft", "k=5" }, { "mlfm", "h=3" }, { "mlfm", "h=4" }, { "mlfm", "h=5 p=2" },
	{ "fattree2", "k=6" }, { "fattree3", "k=4" }, { "hyperx", "s1=3 s2=3 p=2" }, { "hypercube", "n=4 p=2" },
	{ "dragonfly", "a=4 h=2 p=2" },
};

/* Elements of the plan have GUIDs of their own, so that each is known by its GUID whatever else is there.  The
 * GUIDs of switches are multiples of step modulo a prime, so they differ and come in another order. */
static struct moore_plan *
plan_with_guids(const char *const *family, uint32_t step)
{
	const uint32_t prime = 10007;
	struct moore_plan *p = plan_of(family[0], family[1]);

	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = 0x200000 + i * step % prime;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = 0x100000 + i;
	p->sw = realloc(p->sw, (p->n_switches + MAX_EDITS) * sizeof(*p->sw));
	p->ep = realloc(p->ep, (p->n_endpoints + MAX_EDITS) * sizeof(*p->ep));
	p->cable = realloc(p->cable, (p->n_cables + MAX_EDITS) * sizeof(*p->cable));
	return p;
}

/* ---- what may differ --------------------------------------------------------------------- */

/* Names and GUIDs of what is not planned have numbers that never come again. */
static uint32_t n_extra;

static char *
name_of_extra(void)
{
	char name[32];

	snprintf(name, sizeof(name), "extra-%u", ++n_extra);
	return strdup(name);
}

static void
add_cable(struct moore_plan *p, moore_swid a, moore_swid b)
{
	p->cable[p->n_cables++] = (struct moore_plan_cable){
		.sw = { a, b }, .port = { ++p->sw[a].ports, ++p->sw[b].ports } };
}

static void
add_host_at(struct moore_plan *p, moore_swid s)
{
	char *name = name_of_extra();

	p->ep[p->n_endpoints++] = (struct moore_plan_endpoint){ .name = name, .guid = 0x300000 + n_extra,
		.ca_port = 1, .sw = s, .port = ++p->sw[s].ports };
}

static void
add_host(struct moore_rng *r, struct moore_plan *p)
{
	add_host_at(p, moore_rng_below(r, p->n_switches));
}

/* Whether another switch than s has hosts. */
static bool
has_others(const struct moore_plan *p, moore_swid s)
{
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		if (p->ep[i].sw != s)
			return true;
	return false;
}

/* Takes all hosts of a switch, unless no other has any. */
static void
take_hosts_of(struct moore_plan *p, moore_swid s)
{
	if (has_others(p, s))
		plan_take_hosts(p, s);
}

static void
take_hosts(struct moore_rng *r, struct moore_plan *p)
{
	take_hosts_of(p, p->ep[moore_rng_below(r, p->n_endpoints)].sw);
}

/* Takes those of some switches out of a hundred. */
static void
take_many_hosts(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t percent = moore_rng_below(r, 100);

	for (moore_swid s = 0; s < p->n_switches; s++)
		if (moore_rng_below(r, 100) < percent)
			take_hosts_of(p, s);
}

static void
take_cable(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t i = moore_rng_below(r, p->n_cables);

	free(p->cable[i].label);
	p->cable[i] = p->cable[--p->n_cables];
}

/* Takes a switch with its hosts and cables; the last one gets its number. */
static void
take_switch(struct moore_rng *r, struct moore_plan *p)
{
	const moore_swid s = moore_rng_below(r, p->n_switches), last = p->n_switches - 1;
	uint32_t n = 0;

	if (!has_others(p, s))
		return;
	plan_take_hosts(p, s);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].sw = p->ep[i].sw == last ? s : p->ep[i].sw;
	for (uint32_t i = 0; i < p->n_cables; i++) {
		struct moore_plan_cable *c = &p->cable[i];

		if (c->sw[0] == s || c->sw[1] == s)
			continue;
		for (unsigned k = 0; k < 2; k++)
			c->sw[k] = c->sw[k] == last ? s : c->sw[k];
		p->cable[n++] = *c;
	}
	p->n_cables = n;
	free(p->sw[s].name);
	p->sw[s] = p->sw[last];
	p->n_switches = last;
}

static void
join_two(struct moore_rng *r, struct moore_plan *p)
{
	const moore_swid a = moore_rng_below(r, p->n_switches);

	add_cable(p, a, (a + 1 + moore_rng_below(r, p->n_switches - 1)) % p->n_switches);
}

/* Two cables exchange an end. */
static void
cross_cables(struct moore_rng *r, struct moore_plan *p)
{
	struct moore_plan_cable *a = &p->cable[moore_rng_below(r, p->n_cables)];
	struct moore_plan_cable *b = &p->cable[moore_rng_below(r, p->n_cables)];
	const unsigned i = moore_rng_below(r, 2), j = moore_rng_below(r, 2);

	if (a != b && a->sw[!i] != b->sw[j] && b->sw[!j] != a->sw[i])
		plan_cross_cables(a, i, b, j);
}

/* A permuted plan, and what is built after it: the same cables exchange an end in both, which are alike. */
static void
permute(struct moore_rng *r, struct moore_plan *plan, struct moore_plan *built)
{
	for (uint32_t n = moore_rng_below(r, 3) ? 0 : 1 + moore_rng_below(r, 4); n; n--) {
		struct moore_rng same = *r;

		cross_cables(r, plan);
		cross_cables(&same, built);
	}
}

/* A switch that joins the last one or any other, and may join a second. */
static void
hang_switch(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t n = p->n_switches;
	const moore_swid at = moore_rng_below(r, 3) ? moore_rng_below(r, n) : n - 1;
	char *name = name_of_extra();

	p->sw[n] = (struct moore_plan_switch){ .name = name, .guid = 0x300000 + n_extra };
	p->n_switches++;
	add_cable(p, n, at);
	if (!moore_rng_below(r, 3))
		add_cable(p, n, (at + 1 + moore_rng_below(r, n - 1)) % n);
	if (moore_rng_below(r, 2))
		add_host_at(p, n);
}

static void
edit(struct moore_rng *r, struct moore_plan *p)
{
	static void (*const edits[])(struct moore_rng *, struct moore_plan *) = {
		add_host, add_host, take_hosts, take_many_hosts, take_cable, take_switch, join_two,
		cross_cables, hang_switch,
	};

	for (uint32_t n = 1 + moore_rng_below(r, MAX_EDITS / 2); n; n--)
		edits[moore_rng_below(r, ARRAY_LEN(edits))](r, p);
}

/* A plan may leave hosts out, of some switches or all. */
static void
spoil_plan(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t draw = moore_rng_below(r, 6);

	if (draw == 0)
		take_many_hosts(r, p);
	while (draw == 1 && p->n_endpoints)
		free(p->ep[--p->n_endpoints].name);
}

/* Some links have one lane.  Returns rules for others, to be freed with moore_links_free(). */
static struct moore_links *
spoil_links(struct moore_rng *r, struct moore_fabric *f)
{
	char text[512] = "";
	size_t len = 0;
	struct moore_links *rules;

	for (uint32_t n = moore_rng_below(r, 2) ? moore_rng_below(r, 6) : 0; n; n--) {
		const moore_swid s = moore_rng_below(r, f->n_switches);
		const moore_portnum port = (moore_portnum)(1 + moore_rng_below(r, f->sw[s].n_ports));
		struct moore_port *q = &f->port[f->sw[s].port0 + port];

		if (q->role != MOORE_ROLE_SWITCH)
			continue;
		if (moore_rng_below(r, 2)) {
			q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes = 1;
			continue;
		}
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s:%u %s\n", f->sw[s].name, port,
					moore_rng_below(r, 2) ? "avoid" : "weight 7");
	}
	assert_int_equal(moore_links_parse(&rules, text, len, NULL), 0);
	return rules;
}

/* ---- rounds ------------------------------------------------------------------------------- */

struct round {
	char what[120];
	const struct moore_plan *plan;	/* what it was built after; */
	bool given, kept;		/* it is given as the plan, or kept from an earlier sweep */
	const char *settings;
};

/* Makes the tables of f, and fails unless they are sound. */
static struct moore_engine_result *
run(const struct round *x, const struct moore_fabric *f, const struct moore_links *rules,
    struct moore_grown **grown)
{
	struct moore_engine_result *res;
	struct moore_conf conf;
	struct moore_err err;

	assert_int_equal(moore_conf_parse(&conf, x->settings, strlen(x->settings), NULL), 0);
	conf.grown = grown;
	conf.link_rules = rules;
	conf.kept = x->kept ? x->plan : NULL;
	if (moore_engine_run(&res, f, x->given ? x->plan : NULL, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s: %s", x->what, err.text);
	CHECK(x->what, res->verdict->sound);
	CHECK_EQ(x->what, res->verdict->unreachable, 0);
	return res;
}

/* Does the same, and returns the hash of the tables. */
static uint64_t
judge(const struct round *x, const struct moore_fabric *f, const struct moore_links *rules,
      struct moore_grown **grown)
{
	struct moore_engine_result *res = run(x, f, rules, grown);
	const uint64_t hash = res->routes_hash;

	moore_engine_result_free(res);
	return hash;
}

/* The fabric as it is planned, then the one that was built. */
static void
play(struct moore_rng *r, const struct round *x, const struct moore_plan *built, uint8_t lmc)
{
	struct moore_fabric *whole, *f;
	struct moore_grown *grown = NULL;
	struct moore_links *rules;
	uint64_t hash;

	assert_int_equal(moore_fabric_from_plan(&whole, x->plan, lmc, NULL), 0);
	assert_int_equal(moore_fabric_from_plan(&f, built, lmc, NULL), 0);
	rules = spoil_links(r, f);
	judge(x, whole, NULL, &grown);
	hash = judge(x, f, rules, NULL);
	CHECK(x->what, judge(x, f, rules, &grown) == hash);
	CHECK(x->what, judge(x, f, rules, &grown) == hash);
	moore_grown_free(grown);
	moore_links_free(rules);
	moore_fabric_free(f);
	moore_fabric_free(whole);
}

static void
any_difference(void **state)
{
	static const char *const settings[] = { "", "", "profile sl-hint\n", "profile one-vl\n" };
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = 0, n = test_rounds(80); i < n; i++) {
		const char *const *family = families[moore_rng_below(&r, ARRAY_LEN(families))];
		const uint8_t lmc = (uint8_t)moore_rng_below(&r, 4);
		const uint32_t step = 1 + moore_rng_below(&r, 10000);
		struct moore_plan *plan = plan_with_guids(family, step), *built = plan_with_guids(family, step);
		const unsigned given = moore_rng_below(&r, 4);
		struct round x = { .plan = plan, .given = given > 1, .kept = given == 1,
			.settings = settings[moore_rng_below(&r, ARRAY_LEN(settings))] };

		snprintf(x.what, sizeof(x.what), "round %u: %s %s, LMC %u, %s", i, family[0], family[1], lmc,
			 x.settings);
		permute(&r, plan, built);
		spoil_plan(&r, plan);
		edit(&r, built);
		play(&r, &x, built, lmc);
		moore_plan_free(built);
		moore_plan_free(plan);
	}
}

/* ---- a host more ----------------------------------------------------------------------------- */

/* The host has the greatest LIDs, so all others are the same.  Under sl-hint rows may change, since it counts
 * all that it sees. */
static void
compare(const struct round *x, const struct moore_plan *built, uint8_t lmc)
{
	struct moore_fabric *whole, *f;
	struct moore_engine_result *a, *b;

	assert_int_equal(moore_fabric_from_plan(&whole, x->plan, lmc, NULL), 0);
	assert_int_equal(moore_fabric_from_plan(&f, built, lmc, NULL), 0);
	a = run(x, whole, NULL, NULL);
	b = run(x, f, NULL, NULL);
	for (moore_swid s = 0; s < whole->n_switches && !strstr(x->settings, "hint"); s++)
		CHECK(x->what, !memcmp(moore_lft_row(a->lft, s), moore_lft_row(b->lft, s), whole->lid_top + 1u));
	moore_engine_result_free(b);
	moore_engine_result_free(a);
	moore_fabric_free(f);
	moore_fabric_free(whole);
}

/* At the first switch, which has hosts, and at the one with the middle number, which has none in some
 * families. */
static void
a_host_more(void **state)
{
	static const char *const settings[] = { "", "profile one-vl\n", "profile sl-hint\n" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(families); i++)
		for (unsigned k = 0; k < 2 * ARRAY_LEN(settings) * 3; k += test_stride()) {
			const uint8_t lmc = (uint8_t)(k / 2 % 3);
			struct moore_plan *plan = plan_with_guids(families[i], 4999);
			struct moore_plan *built = plan_with_guids(families[i], 4999);
			struct round x = { .plan = plan, .given = true, .settings = settings[k / 6] };

			snprintf(x.what, sizeof(x.what), "%s %s, LMC %u, %s", families[i][0], families[i][1], lmc,
				 x.settings);
			add_host_at(built, k % 2 ? built->n_switches / 2 : 0);
			compare(&x, built, lmc);
			moore_plan_free(built);
			moore_plan_free(plan);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_difference),
		cmocka_unit_test(a_host_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
