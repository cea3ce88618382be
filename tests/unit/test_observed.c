// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_observed.c - the plan made from a discovery walk equals the plan that the reader of
 * ibnetdiscover's listing makes of the same fabric.  The random fabrics have names that no
 * plan may contain, CAs of several ports, routers and rates of all kinds.  The order of the
 * walk makes no difference. */
#include <time.h>

#include "harness.h"
#include "moore/plan.h"
#include "scan/seen.h"

static struct moore_rng rng;

static unsigned
pick(unsigned n)
{
	return (unsigned)moore_rng_below(&rng, n);
}

/* ---- the listing of a walk -------------------------------------------------------------- */

static void
list_switch(struct moore_buf *b, const struct seen *s, const struct seen_switch *sw)
{
	moore_buf_fmt(b, "switchguid=0x%llx(%llx)\nSwitch\t%u \"S-%016llx\"\t\t# \"%s\" base port 0\n",
		      (unsigned long long)sw->guid, (unsigned long long)sw->port_guid, sw->n_ports,
		      (unsigned long long)sw->guid, sw->desc);
	for (unsigned k = 1; k <= sw->n_ports; k++) {
		const struct seen_port *p = &sw->port[k];

		if (p->role == MOORE_ROLE_NONE)
			continue;
		moore_buf_fmt(b, "[%u]\t\"%c-%016llx\"[%u]\t# ", k,
			      p->role == MOORE_ROLE_SWITCH ? 'S' : s->ep[p->peer].router ? 'R' : 'H',
			      (unsigned long long)(p->role == MOORE_ROLE_SWITCH ?
						   s->sw[p->peer].guid : s->ep[p->peer].node_guid),
			      p->peer_port);
		moore_rate_put(b, p->rate);
		moore_buf_fmt(b, "\n");
	}
}

static void
list(struct moore_buf *b, const struct seen *s)
{
	for (uint32_t i = 0; i < s->n_switches; i++)
		list_switch(b, s, &s->sw[i]);
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		const struct seen_endpoint *e = &s->ep[i];

		if (!i || s->ep[i - 1].node_guid != e->node_guid)
			moore_buf_fmt(b, "\n%s\t%u \"%c-%016llx\"\t\t# \"%s\"\n",
				      e->router ? "Rt" : "Ca", e->node_ports, e->router ? 'R' : 'H',
				      (unsigned long long)e->node_guid, e->desc);
		moore_buf_fmt(b, "[%u](%llx) \t\"S-%016llx\"[%u]\t\t# ", e->ca_port,
			      (unsigned long long)e->guid, (unsigned long long)s->sw[e->sw].guid,
			      e->port);
		moore_rate_put(b, s->sw[e->sw].port[e->port].rate);
		moore_buf_fmt(b, "\n");
	}
}

/* ---- fabrics -------------------------------------------------------------------------------- */

static const char *const names[] = { "", "  ", "s", "s", "s ", "a\"b", "back\\slash", "\xc3\xa9t\xc3\xa9",
	"\xff\xfe", "0123456789012345678901234567890123456789012345678901234567890123",
	"012345678901234567890123456789012345678901234567890123456789\xc3\xa9\xc3\xa9", "\"", "# \"x\" lid 0" };

static struct moore_rate
any_rate(bool one)
{
	return one ? (struct moore_rate){ 4, 6 } :
		(struct moore_rate){ (uint8_t[]){ 1, 1, 4, 12 }[pick(4)], (uint8_t)(1 + pick(9)) };
}

/* GUIDs that do not rise with i. */
static uint64_t
guid_of(uint32_t i)
{
	return ((uint64_t)i * 0x9e3779b97f4a7c15ull) | 1;
}

static void
add_switch(struct seen *s, uint8_t ports, bool plain, bool one_rate)
{
	struct seen_switch *sw = seen_room(s);

	*sw = (struct seen_switch){ .guid = guid_of(s->n_switches), .port_guid = guid_of(s->n_switches) + 1,
		.n_ports = ports, .lid = (moore_lid)(s->n_switches + 1), .capability = 1 << 6 };
	if (plain)
		snprintf(sw->desc, sizeof(sw->desc), "sw%u", s->n_switches);
	else
		snprintf(sw->desc, sizeof(sw->desc), "%s", names[pick(ARRAY_LEN(names))]);
	sw->port = calloc(ports + 1u, sizeof(*sw->port));
	for (unsigned k = 0; k <= ports; k++)
		sw->port[k] = (struct seen_port){ .peer = MOORE_NONE, .state = 4, .phys = 5, .op_vls = 3,
						  .rate = any_rate(one_rate) };
	sw->port[0].role = MOORE_ROLE_SELF;
	seen_keep(s);
}

static void
add_link(struct seen *s, uint32_t a, uint8_t pa, uint32_t b, uint8_t pb)
{
	struct seen_port *x = &s->sw[a].port[pa], *y = &s->sw[b].port[pb];

	if (a == b || x->role || y->role)
		return;
	x->role = y->role = MOORE_ROLE_SWITCH;
	x->peer = b;
	x->peer_port = pb;
	y->peer = a;
	y->peer_port = pa;
}

static void
add_endpoint(struct seen *s, uint32_t sw, uint8_t port, uint64_t node_guid, uint8_t ca_port, bool router,
	     const char *desc)
{
	struct seen_port *p = &s->sw[sw].port[port];
	struct seen_endpoint *e = moore_grow(s->ep, s->n_endpoints, &s->cap_endpoints, sizeof(*e));

	s->ep = e;
	if (p->role)
		return;
	p->role = MOORE_ROLE_ENDPOINT;
	p->peer = s->n_endpoints;
	p->peer_port = ca_port;
	e += s->n_endpoints++;
	*e = (struct seen_endpoint){ .guid = node_guid + ca_port, .node_guid = node_guid, .ca_port = ca_port,
		.node_ports = 3, .router = router, .sw = sw, .port = port, .op_vls = 3,
		.lid = (moore_lid)(1000 + s->n_endpoints), .rate = p->rate };
	snprintf(e->desc, sizeof(e->desc), "%s", desc);
}

static struct seen *
random_fabric(void)
{
	struct seen *s = calloc(1, sizeof(*s));
	unsigned n = 1 + pick(12), ports = 1 + pick(16);
	bool one = pick(2), plain = pick(2);

	s->sm_lid = 1;
	for (unsigned i = 0; i < n; i++)
		add_switch(s, (uint8_t)ports, plain, one);
	for (unsigned i = 0; i < n * ports / 3; i++)
		add_link(s, pick(n), (uint8_t)(1 + pick(ports)), pick(n), (uint8_t)(1 + pick(ports)));
	for (unsigned i = 0; i < n * ports / 4; i++) {
		const char *desc = names[pick(ARRAY_LEN(names))];
		bool router = !pick(5);

		for (unsigned k = 0; k < 1 + pick(3); k++)
			add_endpoint(s, pick(n), (uint8_t)(1 + pick(ports)), guid_of(1000 + i) & ~7ull,
				     (uint8_t)(k + 1), router, desc);
	}
	assert_int_equal(seen_order(s), 0);
	return s;
}

/* ---- the two plans -------------------------------------------------------------------------- */

static int
plan_of_listing(const struct seen *s, struct moore_buf *json, struct moore_err *err)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_plan *p;
	int rc;

	list(&text, s);
	rc = moore_plan_format_find("ibnetdiscover")->parse(&p, text.data, text.len, err);
	if (rc == 0) {
		moore_plan_write(p, json, err);
		moore_plan_free(p);
	}
	moore_buf_free(&text);
	return rc;
}

static void
test_same(void **state)
{
	unsigned good = 0, rounds = test_rounds(400);

	(void)state;
	rng = (struct moore_rng){ test_seed() };
	for (unsigned i = 0; i < rounds; i++) {
		struct moore_buf a = MOORE_BUF_INIT, b = MOORE_BUF_INIT;
		struct seen *s = random_fabric();
		struct moore_err ea, eb = { 0 };
		struct snapshot *n = NULL;
		int want = plan_of_listing(s, &a, &ea);

		CHECK_EQ(ea.text, seen_snapshot(s, &n, &eb), want);
		good += want == 0;
		if (want == 0) {
			moore_plan_write(n->seen, &b, &eb);
			assert_string_equal(b.data, a.data);
			for (uint32_t k = 0; n->fabric && k < s->n_switches; k++)
				CHECK("one name in both", !strcmp(n->fabric->sw[k].name, n->seen->sw[k].name));
		}
		snapshot_put(n);
		seen_free(s);
		moore_buf_free(&a);
		moore_buf_free(&b);
	}
	CHECK("most of them are fabrics", good * 10 > rounds * 9);
}

/* If two devices report the same GUID, the first one found keeps it. */
static void
test_first_keeps(void **state)
{
	struct seen *s = calloc(1, sizeof(*s));

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		add_switch(s, 40, true, true);
	for (unsigned i = 1; i <= 40; i++)
		add_endpoint(s, i % 3, (uint8_t)i, 0x5000, 1, false, i == 1 ? "first" : "other");
	CHECK_EQ("forty devices of one GUID", s->n_endpoints, 40);
	CHECK_EQ("in order", seen_order(s), 0);
	CHECK_EQ("one is left", s->n_endpoints, 1);
	CHECK_STR("the first", s->ep[0].desc, "first");
	CHECK_EQ("at its port", s->sw[s->ep[0].sw].port[1].role, MOORE_ROLE_ENDPOINT);
	for (unsigned i = 2; i <= 40; i++)
		for (unsigned k = 0; k < 3; k++)
			CHECK_EQ("the ports of the others are free", s->sw[k].port[i].role, MOORE_ROLE_NONE);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQ("switches are found by GUID", s->sw[seen_find(s, guid_of(i))].guid, guid_of(i));
	CHECK_EQ("and others are not", seen_find(s, 0x7777), MOORE_NONE);
	seen_free(s);
}

static void
test_no_memory(void **state)
{
	struct seen *s = calloc(1, sizeof(*s));
	struct snapshot *n;
	struct moore_err err;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		add_switch(s, 4, false, false);
	add_link(s, 0, 1, 1, 1);
	add_endpoint(s, 0, 2, 0x5000, 1, false, "h");
	assert_int_equal(seen_order(s), 0);
	CHECK_OOM("a snapshot", seen_snapshot(s, &n, &err), snapshot_put(n));
	seen_free(s);
}

static double
ms_since(clock_t from)
{
	return (double)(clock() - from) * 1e3 / CLOCKS_PER_SEC;
}

/* Measures how much is saved at the size of Slim Fly q=13 p=9.  Only printed, since time
 * depends on the machine. */
static void
test_cost(void **state)
{
	struct seen *s = calloc(1, sizeof(*s));
	struct moore_buf json = MOORE_BUF_INIT;
	struct snapshot *n;
	struct moore_err err;
	clock_t from;
	double direct, listed;

	(void)state;
	for (unsigned i = 0; i < 338; i++)
		add_switch(s, 40, true, true);
	for (unsigned i = 0; i < 338; i++)
		for (unsigned k = 1; k <= 14; k++)	/* port 14 + k of the k-th neighbour */
			add_link(s, i, (uint8_t)k, (i + k * 11) % 338, (uint8_t)(14 + k));
	for (unsigned i = 0; i < 338; i++)
		for (unsigned k = 0; k < 9; k++) {
			char desc[32];

			snprintf(desc, sizeof(desc), "h%u-%u", i, k);
			add_endpoint(s, i, (uint8_t)(29 + k), guid_of(1000 + i * 9 + k) & ~7ull, 1, false, desc);
		}
	assert_int_equal(seen_order(s), 0);
	from = clock();
	for (unsigned i = 0; i < 10; i++) {
		struct moore_buf text = MOORE_BUF_INIT;
		struct moore_plan *p;

		list(&text, s);
		assert_int_equal(moore_plan_format_find("ibnetdiscover")->parse(&p, text.data, text.len, &err), 0);
		moore_plan_free(p);
		moore_buf_free(&text);
	}
	listed = ms_since(from) / 10;
	s->sm_lid = 0;		/* no fabric is made, only the plans are compared */
	from = clock();
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(seen_snapshot(s, &n, &err), 0);
		snapshot_put(n);
	}
	direct = ms_since(from) / 10;
	print_message("# 338 switches, %u endpoints: plan in %.1f ms, by way of a listing %.1f: ratio %.2f\n",
		      s->n_endpoints, direct, listed, listed / direct);
	moore_buf_free(&json);
	seen_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same), cmocka_unit_test(test_first_keeps),
		cmocka_unit_test(test_no_memory), cmocka_unit_test(test_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
