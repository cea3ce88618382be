// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_links.c - rules for links and switches: what the reader accepts, and that routes
 * avoid what they should avoid wherever something else connects.  A search of its own, link
 * by link, decides whether something else does. */
#include "harness.h"

#include "fabrics.h"
#include "moore/check.h"
#include "moore/lane.h"
#include "moore/links.h"
#include "moore/route.h"

static void
test_parse(void **state)
{
	static const struct {
		const char *why, *text;
		int want;
		unsigned line;
		const char *message;
		size_t n;
		struct moore_link_rule last;
	} T[] = {
		{ "empty", "", 0, 0, NULL, 0, { 0 } },
		{ "comments", "# a\n\n \t# b\n", 0, 0, NULL, 0, { 0 } },
		{ "a switch", "sw1 avoid\n", 0, 0, NULL, 1, { "sw1", 0, 0, MOORE_LINK_AVOID, 1 } },
		{ "a port", "a avoid\nsw1:12 avoid # drained\n", 0, 0, NULL, 2,
		  { "sw1", 0, 12, MOORE_LINK_AVOID, 2 } },
		{ "a weight", "sw1:3\tweight  7\r\n", 0, 0, NULL, 1, { "sw1", 0, 3, 7, 1 } },
		{ "a GUID", "0x0008f1:3 weight 100", 0, 0, NULL, 1, { NULL, 0x8f1, 3, 100, 1 } },
		{ "blanks and colons in a name", "MF0;sw 1:SX6036/U1 avoid\n", 0, 0, NULL, 1,
		  { "MF0;sw 1:SX6036/U1", 0, 0, MOORE_LINK_AVOID, 1 } },
		{ "and a port after it", "MF0;sw 1:SX6036/U1:36 avoid\n", 0, 0, NULL, 1,
		  { "MF0;sw 1:SX6036/U1", 0, 36, MOORE_LINK_AVOID, 1 } },
		{ "a # in a name", "sw#1 avoid\n", 0, 0, NULL, 1, { "sw#1", 0, 0, MOORE_LINK_AVOID, 1 } },
		{ "a name that only begins as a GUID", "0xcafeteria avoid\n", 0, 0, NULL, 1,
		  { "0xcafeteria", 0, 0, MOORE_LINK_AVOID, 1 } },
		{ "no action", "\nsw1:3\n", -MOORE_ESYNTAX, 2, "\"sw1:3\" is neither avoid nor weight 1..100", 0, { 0 } },
		{ "weight 0", "sw1 weight 0\n", -MOORE_ESYNTAX, 1, "\"0\" is neither", 0, { 0 } },
		{ "weight 101", "sw1 weight 101\n", -MOORE_ESYNTAX, 1, "\"101\" is neither", 0, { 0 } },
		{ "a number alone", "sw1 7\n", -MOORE_ESYNTAX, 1, "\"7\" is neither", 0, { 0 } },
		{ "port 0", "sw1:0 avoid\n", -MOORE_ESYNTAX, 1, "port 0 is not 1 to 254", 0, { 0 } },
		{ "port 255", "sw1:255 avoid\n", -MOORE_ESYNTAX, 1, "port 255 is not 1 to 254", 0, { 0 } },
		{ "no name", "avoid\n", -MOORE_ESYNTAX, 1, "no switch is named", 0, { 0 } },
		{ "no name but a port", ":3 avoid\n", -MOORE_ESYNTAX, 1, "no switch is named", 0, { 0 } },
		{ "no name, a weight", "a avoid\nweight 3\n", -MOORE_ESYNTAX, 2, "no switch is named", 0, { 0 } },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		const struct moore_link_rule *want = &T[i].last, *got;
		struct moore_links *l;
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].why, moore_links_parse(&l, T[i].text, strlen(T[i].text), &err), T[i].want);
		CHECK_EQ(T[i].why, err.line, T[i].line);
		if (T[i].want) {
			CHECK(T[i].why, !l);
			CHECK_STR(T[i].why, err.text, T[i].message);
			continue;
		}
		CHECK_EQ(T[i].why, l->n, T[i].n);
		if (l->n) {
			got = &l->rule[l->n - 1];
			CHECK(T[i].why, !got->name == !want->name);
			if (got->name)
				assert_string_equal(got->name, want->name);
			CHECK_EQ(T[i].why, got->guid, want->guid);
			CHECK_EQ(T[i].why, got->port, want->port);
			CHECK_EQ(T[i].why, got->weight, want->weight);
			CHECK_EQ(T[i].why, got->line, want->line);
		}
		moore_links_free(l);
	}
}

static struct moore_links *
rules(const char *text)
{
	struct moore_links *l;
	struct moore_err err;

	if (moore_links_parse(&l, text, strlen(text), &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return l;
}

static struct moore_route *
route_checked(const char *why, const struct moore_fabric *seen,
	      const struct moore_fabric *intended, const struct moore_links *links)
{
	static const struct moore_check_opts all = { 0 };
	static const struct moore_lane_opts one_class = { { 0 } };
	const struct moore_route_opts opts = { .links = links };
	struct moore_verdict *v = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_route *r = NULL;
	struct moore_err err = { 0 };

	if (moore_route_build(&r, seen, intended, &opts, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	assert_int_equal(moore_lane_effective(&lanes, seen, &one_class, moore_route_entries(r), &err), 0);
	assert_int_equal(moore_check(&v, seen, moore_route_lft(r), lanes, NULL, &all, &err), 0);
	CHECK(why, v->acyclic);
	CHECK_EQ(why, v->unreachable, 0);
	CHECK(why, v->sound);
	moore_verdict_free(v);
	moore_sl2vl_free(lanes);
	return r;
}

/* Sets avoid[port index] at both ends of the links that a rule names. */
static void
note_avoided(const struct moore_fabric *f, bool *avoid, uint32_t s, unsigned port)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if ((port && p != port) || q->role != MOORE_ROLE_SWITCH)
			continue;
		avoid[f->sw[s].port0 + p] = true;
		avoid[f->sw[q->peer].port0 + q->peer_port] = true;
	}
}

/* got[s] is true if s reaches d without avoided links, over switches that map SLs. */
static void
reach(const struct moore_fabric *f, const bool *avoid, uint32_t d, bool *got)
{
	uint32_t *queue = malloc(f->n_switches * sizeof(*queue)), n = 0;

	memset(got, 0, f->n_switches);
	got[d] = true;
	queue[n++] = d;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = queue[i];

		for (unsigned p = 1; p <= f->sw[s].n_ports && (s == d || f->sw[s].maps_sl); p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role != MOORE_ROLE_SWITCH || avoid[f->sw[s].port0 + p] || got[q->peer])
				continue;
			got[q->peer] = true;
			queue[n++] = q->peer;
		}
	}
	free(queue);
}

/* Checks that a route uses an avoided link only if there is no other way.  Returns how many
 * routes use one. */
static unsigned
check_avoided(const char *why, const struct moore_fabric *f, const struct moore_lft *t,
	      const bool *avoid)
{
	struct moore_lid_owner *owner;
	bool *near = calloc(f->n_switches, sizeof(*near));
	unsigned n = 0;

	assert_int_equal(moore_fabric_lids(f, &owner, NULL), 0);
	for (uint32_t lid = 1; lid <= f->lid_top; lid++) {
		if (owner[lid].sw == MOORE_NONE)
			continue;
		reach(f, avoid, owner[lid].sw, near);
		for (uint32_t s = 0; s < f->n_switches; s++) {
			bool used = false;
			uint32_t at = s;

			while (at != owner[lid].sw && moore_lft_row(t, at)[lid] != MOORE_NO_PATH) {
				uint32_t p = f->sw[at].port0 + moore_lft_row(t, at)[lid];

				used |= avoid[p];
				at = f->port[p].peer;
			}
			CHECK(why, !(used && near[s]));
			n += used;
		}
	}
	free(near);
	free(owner);
	return n;
}

static void
test_random(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned used = 0, rounds_drained = 0;
	(void)state;

	for (unsigned i = 0; i < test_rounds(600); i++) {
		uint32_t n = 2 + moore_rng_below(&r, 22);
		struct moore_fabric *f = test_random_fabric(&r, n, moore_rng_below(&r, 3 * n), 0), *g, *h;
		struct moore_buf text = MOORE_BUF_INIT;
		struct moore_links *l;
		struct moore_route *a, *b;
		struct moore_route_stats st;
		bool *avoid;
		char why[64];

		snprintf(why, sizeof(why), "round %u, %u switches", i, n);
		assert_int_equal(moore_fabric_copy(&g, f, NULL), 0);
		test_cut_some(g, &r, moore_rng_below(&r, 20));
		avoid = calloc(g->n_ports, sizeof(*avoid));
		moore_buf_fmt(&text, "# rules\n");
		for (unsigned k = moore_rng_below(&r, 6); k > 0; k--) {
			uint32_t s = moore_rng_below(&r, n);
			unsigned p = moore_rng_below(&r, f->sw[s].n_ports + 1u);

			if (p)
				moore_buf_fmt(&text, "sw%u:%u avoid\n", s, p);
			else
				moore_buf_fmt(&text, "0x%llx avoid\n", (unsigned long long)f->sw[s].guid);
			note_avoided(g, avoid, s, p);
		}
		moore_buf_fmt(&text, "sw%u weight %u\n", moore_rng_below(&r, n), 1 + moore_rng_below(&r, 100));
		l = rules(text.data);
		a = route_checked(why, g, f, l);
		moore_route_stats(a, &st);
		CHECK_EQ("all are known", st.unknown_rules, 0);
		rounds_drained += st.drained_switches > 0;
		used += check_avoided(why, g, moore_route_lft(a), avoid);
		moore_route_free(a);
		a = route_checked(why, g, NULL, l);
		check_avoided(why, g, moore_route_lft(a), avoid);
		/* The order of discovery makes no difference. */
		h = test_shuffled(g, &r);
		b = route_checked(why, h, NULL, l);
		for (uint32_t s = 0; s < g->n_switches; s++)
			for (uint32_t t = 0; t < h->n_switches; t++)
				if (g->sw[s].guid == h->sw[t].guid)
					CHECK(why, !memcmp(moore_lft_row(moore_route_lft(a), s),
							   moore_lft_row(moore_route_lft(b), t),
							   moore_route_lft(a)->stride));
		moore_route_free(a);
		moore_route_free(b);
		moore_links_free(l);
		moore_buf_free(&text);
		free(avoid);
		moore_fabric_free(f);
		moore_fabric_free(g);
		moore_fabric_free(h);
	}
	print_message("# avoided links used as a last resort by %u routes; leaves in %u rounds\n",
		      used, rounds_drained);
	CHECK("both happen", used && rounds_drained);
}

/* How many routes (switch, LID) pass through switch x, apart from those that start or end
 * there. */
static unsigned
transit(const struct moore_fabric *f, const struct moore_lft *t, uint32_t x)
{
	struct moore_lid_owner *owner;
	unsigned n = 0;

	assert_int_equal(moore_fabric_lids(f, &owner, NULL), 0);
	for (uint32_t lid = 1; lid <= f->lid_top; lid++)
		for (uint32_t s = 0; s < f->n_switches && owner[lid].sw != MOORE_NONE; s++) {
			uint32_t at = s;

			while (at != owner[lid].sw) {
				n += at == x && at != s;
				at = moore_fabric_port(f, at, moore_lft_row(t, at)[lid])->peer;
			}
		}
	free(owner);
	return n;
}

static void
test_drained_switches(void **state)
{
	static const struct {
		const char *why, *family, *params, *text;
		uint32_t drained[3];	/* numbers of the drained switches, the last one repeated */
	} T[] = {
		{ "one of a Slim Fly", "slimfly", "q=5 p=4", "sw7 avoid", { 7, 7, 7 } },
		{ "three", "slimfly", "q=5 p=4", "sw7 avoid\nsw8 avoid\nsw30 avoid", { 7, 8, 30 } },
		{ "by ports", "slimfly", "q=5 p=4", "sw7:5 avoid\nsw7:6 avoid\nsw7:7 avoid\nsw7:8 avoid\n"
		  "sw7:9 avoid\nsw7:10 avoid\nsw7:11 avoid", { 7, 7, 7 } },
		{ "of an OFT", "oft", "k=4", "sw3 avoid\nsw20 avoid", { 3, 20, 20 } },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_family(T[i].family, T[i].params, 0);
		struct moore_links *l = rules(T[i].text);

		for (int planned = 0; planned < 2; planned++) {
			struct moore_route *r = route_checked(T[i].why, f, planned ? f : NULL, l);
			struct moore_route_stats st;

			moore_route_stats(r, &st);
			CHECK(T[i].why, st.drained_switches >= 1);
			CHECK_EQ(T[i].why, st.missing_links, 0);
			for (int k = 0; k < 3; k++)
				CHECK_EQ(T[i].why, transit(f, moore_route_lft(r), T[i].drained[k]), 0);
			moore_route_free(r);
		}
		moore_links_free(l);
		moore_fabric_free(f);
	}
}

/* Draining changes only the routes that used what is drained; without the rule all routes
 * return. */
static void
test_churn(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=5 p=4", 0);
	struct moore_links *l = rules("sw0:5 avoid\n");
	struct moore_route *before = route_checked("before", f, f, NULL);
	struct moore_route *planned = route_checked("drained, planned", f, f, l);
	struct moore_route *seen = route_checked("drained, no plan", f, NULL, l);
	const struct moore_lft *t[] = { moore_route_lft(before), moore_route_lft(planned), moore_route_lft(seen) };
	struct moore_route_stats st;
	unsigned changed = 0;
	(void)state;

	for (uint32_t s = 0; s < 50; s++)
		for (uint32_t lid = 1; lid <= f->lid_top; lid++) {
			changed += moore_lft_row(t[0], s)[lid] != moore_lft_row(t[1], s)[lid];
			CHECK_EQ("a plan that all holds to is no plan", moore_lft_row(t[1], s)[lid],
				 moore_lft_row(t[2], s)[lid]);
		}
	moore_route_stats(planned, &st);
	CHECK_EQ("one link is out of use", st.avoided_links, 1);
	CHECK_EQ("and does not count as missing", st.missing_links, 0);
	CHECK_EQ("nor as left out", st.unused_links, 0);
	print_message("# rows changed by one drained link: %u of %u\n", changed, 50 * 250);
	CHECK("something changes", changed > 0);
	CHECK("little does", changed < 50 * 250 / 50);
	moore_route_free(before);
	moore_route_free(planned);
	moore_route_free(seen);
	moore_links_free(l);
	moore_fabric_free(f);
}

static void
test_last_resort(void **state)
{
	static const struct {
		const char *why, *text;
		size_t n;
		struct moore_topo_link link[6];
		unsigned avoided, drained;
	} T[] = {	/* rules of four switches */
		{ "a bridge stays in use", "sw1:3 avoid", 3, { { 0, 1 }, { 1, 2 }, { 2, 3 } }, 0, 0 },
		{ "an end that hangs on one", "sw1:2 avoid", 3, { { 0, 1 }, { 1, 2 }, { 2, 3 } }, 0, 1 },
		{ "a drained middle too", "sw1 avoid", 3, { { 0, 1 }, { 1, 2 }, { 2, 3 } }, 0, 0 },
		{ "a link of a ring does not", "sw0:2 avoid", 4, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 3 } }, 1, 0 },
		{ "a corner of a ring is a leaf", "sw0 avoid", 4, { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 3 } }, 0, 1 },
		{ "two neighbours of a ring", "sw0 avoid\nsw1 avoid", 4,
		  { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 3 } }, 0, 2 },
		{ "all of a ring: a tree of it", "sw0 avoid\nsw1 avoid\nsw2 avoid\nsw3 avoid", 4,
		  { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 3 } }, 1, 0 },
		{ "one of two cables", "sw0:2 avoid", 4, { { 0, 1 }, { 0, 1 }, { 1, 2 }, { 2, 3 } }, 1, 0 },
		{ "both", "sw0:2 avoid\nsw0:3 avoid", 4, { { 0, 1 }, { 0, 1 }, { 1, 2 }, { 2, 3 } }, 0, 1 },
	};
	static const uint16_t ep[] = { 1, 1, 1, 1 };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_fabric(4, T[i].link, T[i].n, ep, 0);
		struct moore_links *l = rules(T[i].text);
		struct moore_route *r = route_checked(T[i].why, f, NULL, l);
		struct moore_route_stats st;

		moore_route_stats(r, &st);
		CHECK_EQ(T[i].why, st.avoided_links, T[i].avoided);
		CHECK_EQ(T[i].why, st.drained_switches, T[i].drained);
		moore_route_free(r);
		moore_links_free(l);
		moore_fabric_free(f);
	}
}

static void
test_unknown(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=3 p=1", 0);
	struct moore_links *l = rules("sw1 weight 2\nsw1x avoid\n0x77 avoid\n");
	struct moore_route *r = route_checked("unknown", f, NULL, l);
	struct moore_route_stats st;
	(void)state;

	moore_route_stats(r, &st);
	CHECK_EQ("two", st.unknown_rules, 2);
	CHECK_EQ("the first", st.unknown_line, 2);
	moore_route_free(r);
	moore_links_free(l);
	moore_fabric_free(f);
}

/* Eight leaves (0..7) and four spines (8..11): all four ways are equal except for weights. */
static void
test_weights(void **state)
{
	static const struct {
		const char *why, *text;
		double least, most;	/* load of spine 8 over the mean load of the others */
	} T[] = {
		{ "no rules: even", "", 0.95, 1.05 },
		{ "weight 1 is nothing", "sw8 weight 1", 0.95, 1.05 },
		{ "weight 2: half", "sw8 weight 2", 0.4, 0.6 },
		{ "the same by ports", "sw8:1 weight 2\nsw8:2 weight 2\nsw8:3 weight 2\nsw8:4 weight 2\n"
		  "sw8:5 weight 2\nsw8:6 weight 2\nsw8:7 weight 2\nsw8:8 weight 2", 0.4, 0.6 },
		{ "all alike is nothing", "sw8 weight 3\nsw9 weight 3\nsw10 weight 3\nsw11 weight 3", 0.95, 1.05 },
		{ "weight 100: next to nothing", "sw8 weight 100", 0, 0.05 },
		{ "avoided: nothing", "sw8 avoid", 0, 0 },
	};
	static const uint16_t ep[12] = { 4, 4, 4, 4, 4, 4, 4, 4 };
	struct moore_topo_link link[32];
	(void)state;

	for (uint32_t i = 0; i < 32; i++)
		link[i] = (struct moore_topo_link){ i / 4, 8 + i % 4 };
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_fabric *f = test_fabric(12, link, 32, ep, 0);
		struct moore_links *l = rules(T[i].text);
		struct moore_route *r = route_checked(T[i].why, f, NULL, l);
		double others = 0, share;

		for (uint32_t s = 9; s < 12; s++)
			others += transit(f, moore_route_lft(r), s) / 3.0;
		share = transit(f, moore_route_lft(r), 8) / others;
		print_message("# %s: %.3f\n", T[i].why, share);
		CHECK(T[i].why, share >= T[i].least && share <= T[i].most);
		moore_route_free(r);
		moore_links_free(l);
		moore_fabric_free(f);
	}
}

static void
test_memory(void **state)
{
	struct moore_fabric *f = test_family("slimfly", "q=3 p=1", 0);
	struct moore_links *l = rules("sw1 avoid\nsw2:2 avoid\n");
	const struct moore_route_opts opts = { .links = l };
	struct moore_links *m;
	struct moore_route *r;
	(void)state;

	CHECK_OOM("parse", moore_links_parse(&m, "a b:1 avoid\nc weight 3\n", 23, NULL),
		  moore_links_free(m));
	CHECK_OOM("route", moore_route_build(&r, f, f, &opts, NULL), moore_route_free(r));
	moore_links_free(l);
	moore_fabric_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_last_resort),
		cmocka_unit_test(test_drained_switches),
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests_name("links", tests, NULL, NULL);
}
