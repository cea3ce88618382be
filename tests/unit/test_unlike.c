// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_unlike.c - a fabric that was built unlike its plan gets sound tables that reach everything.
 *
 * Each round takes a family's plan, and a fabric that differs from it at random: hosts at switches and
 * ports where the plan has none, switches that lost their hosts, cables that are gone or that are not
 * planned, and switches that hang in chains.  The settings are drawn, too.  The checker judges. */
#include "harness.h"

#include "moore/moore.h"
#include "plan_of.h"

#define MAX_EDITS 16

static const char *const families[][2] = {
	{ "slimfly", "q=3 p=2" }, { "slimfly", "q=4 p=2" }, { "slimfly", "q=5 p=3" }, { "oft", "k=3" },
	{ "oft", "k=4" }, { "oft", "k=5" }, { "mlfm", "h=3" }, { "mlfm", "h=4" }, { "mlfm", "h=5 p=2" },
	{ "fattree2", "k=6" }, { "hypercube", "n=4 p=2" }, { "dragonfly", "a=4 h=2" },
};

/* Elements of the plan have GUIDs of their own, so that each is known by its GUID whatever else is there. */
static struct moore_plan *
plan_with_guids(const char *const *family)
{
	struct moore_plan *p = plan_of(family[0], family[1]);

	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = 0x200000 + i;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = 0x100000 + i;
	p->sw = realloc(p->sw, (p->n_switches + MAX_EDITS) * sizeof(*p->sw));
	p->ep = realloc(p->ep, (p->n_endpoints + MAX_EDITS) * sizeof(*p->ep));
	p->cable = realloc(p->cable, (p->n_cables + MAX_EDITS) * sizeof(*p->cable));
	return p;
}

/* ---- what may differ --------------------------------------------------------------------- */

static char *
name_of(const char *kind, uint32_t i)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u", kind, i);
	return strdup(name);
}

static void
add_cable(struct moore_plan *p, moore_swid a, moore_swid b)
{
	p->cable[p->n_cables++] = (struct moore_plan_cable){
		.sw = { a, b }, .port = { ++p->sw[a].ports, ++p->sw[b].ports } };
}

/* Names and GUIDs of hosts that are not planned differ by their switch and port. */
static void
add_host_at(struct moore_plan *p, moore_swid s)
{
	const moore_portnum port = ++p->sw[s].ports;

	p->ep[p->n_endpoints++] = (struct moore_plan_endpoint){ .name = name_of("extra-h", s * 256 + port),
		.guid = 0x300000 + s * 256 + port, .ca_port = 1, .sw = s, .port = port };
}

static void
add_host(struct moore_rng *r, struct moore_plan *p)
{
	add_host_at(p, moore_rng_below(r, p->n_switches));
}

/* Takes all hosts of a switch, unless no other has any. */
static void
take_hosts(struct moore_rng *r, struct moore_plan *p)
{
	const moore_swid s = p->ep[moore_rng_below(r, p->n_endpoints)].sw;
	uint32_t n = 0, others = 0;

	for (uint32_t i = 0; i < p->n_endpoints; i++)
		others += p->ep[i].sw != s;
	for (uint32_t i = 0; others && i < p->n_endpoints; i++) {
		if (p->ep[i].sw == s)
			free(p->ep[i].name);
		else
			p->ep[n++] = p->ep[i];
	}
	p->n_endpoints = others ? n : p->n_endpoints;
}

static void
take_cable(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t i = moore_rng_below(r, p->n_cables);

	free(p->cable[i].label);
	p->cable[i] = p->cable[--p->n_cables];
}

static void
join_two(struct moore_rng *r, struct moore_plan *p)
{
	const moore_swid a = moore_rng_below(r, p->n_switches);

	add_cable(p, a, (a + 1 + moore_rng_below(r, p->n_switches - 1)) % p->n_switches);
}

/* A switch that joins the last one or any other, and may join a second. */
static void
hang_switch(struct moore_rng *r, struct moore_plan *p)
{
	const uint32_t n = p->n_switches;
	const moore_swid at = moore_rng_below(r, 3) ? moore_rng_below(r, n) : n - 1;

	p->sw[n] = (struct moore_plan_switch){ .name = name_of("extra-s", n), .guid = 0x400000 + n };
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
		add_host, add_host, take_hosts, take_cable, join_two, hang_switch,
	};

	for (uint32_t n = 1 + moore_rng_below(r, MAX_EDITS / 2); n; n--)
		edits[moore_rng_below(r, ARRAY_LEN(edits))](r, p);
}

/* ---- rounds ------------------------------------------------------------------------------- */

/* Fails unless the tables are sound. */
static void
judge(const char *what, const struct moore_fabric *f, const struct moore_plan *p, const char *settings)
{
	struct moore_engine_result *res;
	struct moore_conf conf;
	struct moore_err err;

	assert_int_equal(moore_conf_parse(&conf, settings, strlen(settings), NULL), 0);
	if (moore_engine_run(&res, f, p, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s: %s", what, err.text);
	CHECK(what, res->verdict->sound);
	CHECK_EQ(what, res->verdict->unreachable, 0);
	moore_engine_result_free(res);
}

static void
any_difference(void **state)
{
	static const char *const settings[] = { "", "", "profile sl-hint\n", "profile one-vl\n" };
	struct moore_rng r = { test_seed() };
	(void)state;

	for (unsigned i = 0, n = test_rounds(400); i < n; i++) {
		const char *const *family = families[moore_rng_below(&r, ARRAY_LEN(families))];
		const char *set = settings[moore_rng_below(&r, ARRAY_LEN(settings))];
		const uint8_t lmc = (uint8_t)moore_rng_below(&r, 4);
		struct moore_plan *plan = plan_with_guids(family), *built = plan_with_guids(family);
		struct moore_fabric *f;
		char what[120];

		snprintf(what, sizeof(what), "round %u: %s %s, LMC %u, %s", i, family[0], family[1], lmc, set);
		edit(&r, built);
		assert_int_equal(moore_fabric_from_plan(&f, built, lmc, NULL), 0);
		judge(what, f, moore_rng_below(&r, 4) ? plan : NULL, set);
		moore_fabric_free(f);
		moore_plan_free(built);
		moore_plan_free(plan);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
