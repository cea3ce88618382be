// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_wire.c - random faults in every family: the check names all of them and nothing
 * else, and the repair takes at most as many moves as the faults did.  The number of moves
 * is compared with brute force.  Tables of cases test each verdict, both readers of
 * discoveries, and wirings that are an image of the plan. */
#include "harness.h"

#include "miswire.h"
#include "moore/topo.h"

/* ---- plans ------------------------------------------------------------------------ */

static struct moore_plan *
give_room(struct moore_plan *p)
{
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].ports = (moore_portnum)(p->sw[i].ports + SPARE_PORTS);
	p->rate = (struct moore_rate){ 4, 7 };
	return p;
}

static struct moore_plan *
plan_of(const char *family, const char *const *words, size_t n_words)
{
	const struct moore_topo_family *f = moore_topo_family_find(family);
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo *t;
	struct moore_plan *p;
	struct moore_err err;

	if (moore_topo_params_parse(f, param, words, n_words, &err) < 0 ||
	    moore_topo_build(&t, f, param, &err) < 0 || moore_plan_from_topo(&p, t, &err) < 0)
		fail_msg("%s: %s", family, err.text);
	moore_topo_free(t);
	return give_room(p);
}

static int
link_cmp(const void *x, const void *y)
{
	const struct moore_topo_link *a = x, *b = y;

	return a->a != b->a ? (a->a < b->a ? -1 : 1) : (a->b > b->b) - (a->b < b->b);
}

/* A ring, its links swapped two by two so that every switch keeps d links. */
static struct moore_plan *
random_regular(struct moore_rng *r, uint32_t n, uint32_t d, uint16_t endpoints)
{
	struct moore_topo t = { .n_switches = n, .n_links = n * d / 2 };
	uint8_t (*near)[64] = calloc(n, sizeof(*near));
	struct moore_plan *p;
	uint32_t k = 0;

	t.link = calloc(t.n_links, sizeof(*t.link));
	t.name = calloc(n, sizeof(*t.name));
	t.endpoints = calloc(n, sizeof(*t.endpoints));
	for (uint32_t i = 0; i < n; i++) {
		snprintf(t.name[i], sizeof(t.name[i]), "s%u", i);
		t.endpoints[i] = endpoints;
		for (uint32_t j = 1; j <= d / 2; j++, k++) {
			t.link[k] = (struct moore_topo_link){ i, (i + j) % n };
			near[i][(i + j) % n] = near[(i + j) % n][i] = 1;
		}
	}
	for (uint32_t tries = 0; tries < 10 * t.n_links; tries++) {
		struct moore_topo_link *x = &t.link[moore_rng_below(r, t.n_links)];
		struct moore_topo_link *y = &t.link[moore_rng_below(r, t.n_links)];
		moore_swid b = x->b;

		if (x->a == y->b || y->a == x->b || x->a == y->a || x->b == y->b ||
		    near[x->a][y->b] || near[y->a][x->b])
			continue;
		near[x->a][x->b] = near[x->b][x->a] = near[y->a][y->b] = near[y->b][y->a] = 0;
		x->b = y->b;
		y->b = b;
		near[x->a][x->b] = near[x->b][x->a] = near[y->a][y->b] = near[y->b][y->a] = 1;
	}
	for (uint32_t i = 0; i < t.n_links; i++)
		if (t.link[i].a > t.link[i].b)
			t.link[i] = (struct moore_topo_link){ t.link[i].b, t.link[i].a };
	qsort(t.link, t.n_links, sizeof(*t.link), link_cmp);
	assert_int_equal(moore_plan_from_topo(&p, &t, NULL), 0);
	free(near);
	free(t.link);
	free(t.name);
	free(t.endpoints);
	return give_room(p);
}

static const struct {
	const char *family;
	const char *words[6];
	size_t n_words;
} families[] = {
	{ "slimfly", { "q=4", "p=2" }, 2 },
	{ "slimfly", { "q=5", "p=3" }, 2 },
	{ "oft", { "k=3" }, 1 },
	{ "oft", { "k=4", "p=2" }, 2 },
	{ "mlfm", { "h=3" }, 1 },
	{ "mlfm", { "h=4", "p=2" }, 2 },
	{ "hypercube", { "n=5" }, 1 },
	{ "fhypercube", { "n=5", "p=2" }, 2 },
	{ "torus2d", { "a=5", "b=6" }, 2 },
	{ "torus2d", { "a=2", "b=9" }, 2 },
	{ "torus5d", { "a=2", "b=2", "c=2", "d=3", "e=2" }, 5 },
	{ "myriclos", { "n=64" }, 1 },
	{ "dragonfly", { "a=4", "h=2", "p=2" }, 3 },
	{ "hyperx", { "s1=3", "s2=3", "s3=3", "p=2" }, 4 },
	{ "hyperx", { "s1=12", "s2=1", "s3=1" }, 3 },	/* all switches are joined to all */
	{ "dln", { "n=32", "k=4" }, 2 },
	{ "random", { NULL }, 0 },
	{ "random, no endpoints", { NULL }, 0 },
};

static struct moore_plan *
plan_at(struct moore_rng *r, size_t i)
{
	if (strncmp(families[i].family, "random", 6) != 0)
		return plan_of(families[i].family, families[i].words, families[i].n_words);
	return random_regular(r, 16 + moore_rng_below(r, 32), 4 + 2 * moore_rng_below(r, 2),
			      families[i].family[6] ? 0 : 2);
}

/* ---- what a failure prints
 * --------------------------------------------------------------- */

static void
show(const struct moore_wire *w, const struct miswire *m)
{
	for (int v = 0; v < MOORE_WIRE_VERDICTS; v++)
		if (m->want[v])
			print_message("# wanted %u %s\n", m->want[v], moore_wire_text(v)->name);
	for (uint32_t i = 0; i < w->n_deviations && i < 16; i++) {
		const struct moore_deviation *d = &w->deviation[i];

		print_message("# %s cable %d: %u[%u] - %u[%u], found %u[%u] - %u[%u]\n",
			moore_wire_text(d->verdict)->name, (int)d->cable, d->planned[0].slot,
			d->planned[0].port, d->planned[1].slot, d->planned[1].port,
			d->observed[0].slot, d->observed[0].port, d->observed[1].slot,
			d->observed[1].port);
	}
}

/* Cases with a shorter explanation than the faults: only where switches have three or four
 * cables and most of these are wrong. */
static unsigned shorter_accounts;

static void
same_verdicts(const char *why, const struct moore_wire *w, const struct moore_repair *fix,
	      const struct miswire *m)
{
	uint32_t got[MOORE_WIRE_VERDICTS] = { 0 };

	for (uint32_t i = 0; i < w->n_deviations; i++)
		got[w->deviation[i].verdict]++;
	if (got[MOORE_WIRE_WRONG_PORT] > m->want[MOORE_WIRE_WRONG_PORT] &&
	    got[MOORE_WIRE_WRONG_PEER] + got[MOORE_WIRE_WRONG_PORT] ==
	    m->want[MOORE_WIRE_WRONG_PEER] + m->want[MOORE_WIRE_WRONG_PORT]) {
		got[MOORE_WIRE_WRONG_PEER] = m->want[MOORE_WIRE_WRONG_PEER];
		got[MOORE_WIRE_WRONG_PORT] = m->want[MOORE_WIRE_WRONG_PORT];
	}
	if (memcmp(got, m->want, sizeof(got)) == 0 && miswire_named(w) == m->sum)
		return;
	/* The faults may look like something that needs fewer moves. */
	if (fix->n_moves + MOORE_WIRE_EXCHANGE * w->n_exchanges <
	    m->moves + MOORE_WIRE_EXCHANGE * m->exchanges) {
		shorter_accounts++;
		return;
	}
	show(w, m);
	fail_msg("%s: other deviations than were put in", why);
}

/* ---- faults at random -------------------------------------------------------------------- */

static void
one_case(const char *why, struct moore_rng *r, const struct moore_plan *p)
{
	struct moore_seen seen = { NULL };
	struct moore_repair *fix;
	struct moore_wire *w;
	struct miswire m;
	const char *wrong;

	miswire_init(&m, p);
	for (unsigned k = moore_rng_below(r, 7); k > 0; k--)
		miswire_faults[moore_rng_below(r, ARRAY_LEN(miswire_faults))](r, &m);
	miswire_finish(r, &m);
	seen.plan = m.p;
	CHECK_EQ(why, moore_plan_check(m.p, NULL, NULL), 0);
	CHECK_EQ(why, moore_wire_check(&w, p, &seen, NULL), 0);
	CHECK_EQ(why, moore_wire_repair(&fix, w, NULL), 0);
	same_verdicts(why, w, fix, &m);
	CHECK(why, fix->n_moves <= m.moves);
	CHECK(why, fix->optimal);
	wrong = miswire_apply(w, fix);
	if (wrong)
		fail_msg("%s: %s", why, wrong);
	moore_repair_free(fix);
	moore_wire_free(w);
	miswire_fini(&m);
}

static void
test_faults(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned rounds = test_rounds(400);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		struct moore_plan *p = plan_at(&r, i);

		for (unsigned k = 0; k < rounds; k++) {
			uint64_t from = r.state;
			char why[120];

			snprintf(why, sizeof(why), "%s %s, state %llu", families[i].family,
				 families[i].words[0] ? families[i].words[0] : "",
				 (unsigned long long)from);
			one_case(why, &r, p);
		}
		moore_plan_free(p);
	}
	print_message("# %zu fabrics with up to 6 faults; %u have a shorter account than what was "
		      "put in\n", ARRAY_LEN(families) * rounds, shorter_accounts);
	CHECK("hardly ever shorter", shorter_accounts * 1000 <= ARRAY_LEN(families) * rounds);
}

/* ---- no known names
 * ---------------------------------------------------------------------- */

static void
rename_all(struct moore_plan *p, bool endpoints)
{
	char name[32];

	for (uint32_t i = 0; i < p->n_switches; i++) {
		snprintf(name, sizeof(name), "MF0;unit%u", i);
		free(p->sw[i].name);
		p->sw[i].name = strdup(name);
	}
	for (uint32_t i = 0; i < p->n_endpoints && endpoints; i++) {
		snprintf(name, sizeof(name), "host%u", i);
		free(p->ep[i].name);
		p->ep[i].name = strdup(name);
	}
}

static void
test_no_names(void **state)
{
	static miswire_fault *const faults[] = { fault_swap_ends, fault_move_end, fault_missing };
	struct moore_rng r = { test_seed() + 1 };
	unsigned rounds = test_rounds(12), longer = 0;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(families); i++)
		for (unsigned k = 0; k < rounds; k++) {
			const char *why = families[i / 2].family;
			struct moore_plan *p = plan_at(&r, i / 2);
			struct moore_seen seen = { NULL };
			struct moore_repair *fix;
			struct moore_wire *w;
			struct miswire m;
			uint32_t n = 0;

			miswire_init(&m, p);
			for (unsigned j = k % 4; j > 0; j--)
				faults[moore_rng_below(&r, 3)](&r, &m);
			miswire_finish(&r, &m);
			rename_all(m.p, i % 2);
			seen.plan = m.p;
			CHECK_EQ(why, moore_wire_check(&w, p, &seen, NULL), 0);
			for (int v = 0; v < MOORE_WIRE_VERDICTS; v++)
				n += m.want[v];
			CHECK_EQ(why, w->by_structure, p->n_switches);
			CHECK_EQ(why, moore_wire_repair(&fix, w, NULL), 0);
			CHECK(why, fix->n_moves <= m.moves || !fix->optimal);
			CHECK(why, fix->lower_bound <= fix->n_moves && fix->lower_bound <= m.moves);
			longer += fix->n_moves > m.moves;
			/* Without names, an explanation with fewer moves is as good as the
			 * faults. */
			if (w->n_deviations != n && fix->n_moves == m.moves) {
				show(w, &m);
				fail_msg("%s: %u deviations, not %u", why, w->n_deviations, n);
			}
			CHECK(why, !miswire_apply(w, fix));
			moore_repair_free(fix);
			moore_wire_free(w);
			miswire_fini(&m);
			moore_plan_free(p);
		}
	print_message("# %u of %zu repairs longer than what was put in, where no name is known\n",
		      longer, 2 * ARRAY_LEN(families) * rounds);
	CHECK("hardly ever longer", longer * 100 <= 2 * ARRAY_LEN(families) * rounds);
}

/* ---- images -------------------------------------------------------------------------------- */

/* Gives every switch the name of another.  `ports`: the ports of each are permuted, too;
 * `stay`: endpoints stay with the named switch. */
static void
make_image(struct moore_rng *r, struct miswire *m, bool ports, bool stay)
{
	struct moore_plan *p = m->p;
	uint32_t n = p->n_switches, *to = malloc(n * sizeof(*to));
	char **name = malloc(n * sizeof(*name));

	for (uint32_t i = 0; i < n; i++)
		name[to[i] = i] = p->sw[i].name;
	for (uint32_t i = n; i > 1; i--) {
		uint32_t k = moore_rng_below(r, i), t = to[k];

		to[k] = to[i - 1];
		to[i - 1] = t;
	}
	for (uint32_t i = 0; i < n; i++)
		p->sw[i].name = name[to[i]];
	for (uint32_t i = 0; i < p->n_endpoints && stay; i++)
		for (uint32_t s = 0; s < n; s++)
			if (to[s] == m->plan->ep[i].sw) {
				p->ep[i].sw = s;
				break;
			}
	for (uint32_t i = 0; i < p->n_cables && ports; i++) {	/* rotates the ports of cables */
		for (int k = 0; k < 2; k++) {
			moore_swid s = p->cable[i].sw[k];
			unsigned top = p->sw[s].ports, least = 255;

			for (uint32_t j = 0; j < m->plan->n_cables; j++)
				for (int e = 0; e < 2; e++)
					if (m->plan->cable[j].sw[e] == s && m->plan->cable[j].port[e] < least)
						least = m->plan->cable[j].port[e];
			p->cable[i].port[k] = (moore_portnum)(top - (m->plan->cable[i].port[k] - least));
		}
	}
	free(name);
	free(to);
}

static void
accept_image(const char *why, const struct moore_plan *p, const struct moore_seen *seen,
	     const struct moore_wire *w)
{
	struct moore_plan *now;
	struct moore_wire *again;
	struct moore_err err = { 0 };

	CHECK(why, w->image);
	if (moore_wire_accept(&now, w, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	CHECK_EQ(why, now->n_cables, p->n_cables);
	CHECK_EQ(why, moore_wire_check(&again, now, seen, NULL), 0);
	CHECK_EQ(why, again->n_deviations, 0);
	moore_wire_free(again);
	moore_plan_free(now);
}

static void
test_images(void **state)
{
	struct moore_rng r = { test_seed() + 2 };

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_LEN(families); i++) {
		const char *why = families[i / 4].family;
		struct moore_plan *p = plan_at(&r, i / 4);
		/* In this hyperx all switches are joined to all, so only ports distinguish
		 * them. */
		bool ports = i % 2 && strcmp(why, "hyperx"), everywhere = !strcmp(why, "slimfly") || !strcmp(why, "random");
		bool stay = i / 2 % 2 && everywhere;	/* endpoints can stay where every switch
							 * has room for them */
		struct moore_seen seen = { NULL };
		uint32_t n[MOORE_WIRE_VERDICTS] = { 0 };
		struct moore_repair *fix;
		struct moore_wire *w;
		struct miswire m;

		miswire_init(&m, p);
		make_image(&r, &m, ports, stay);
		miswire_finish(&r, &m);
		seen.plan = m.p;
		CHECK_EQ(why, moore_plan_check(m.p, NULL, NULL), 0);
		CHECK_EQ(why, moore_wire_check(&w, p, &seen, NULL), 0);
		for (uint32_t k = 0; k < w->n_deviations; k++)
			n[w->deviation[k].verdict]++;
		if (n[MOORE_WIRE_MIRRORED] != 1 ||
		    w->n_deviations != 1 + n[MOORE_WIRE_WRONG_PORT] || (!ports && w->n_deviations != 1)) {
			show(w, &m);
			fail_msg("%s: %u deviations, ports %d, endpoints stay %d", why,
				 w->n_deviations, ports, stay);
		}
		CHECK_EQ(why, moore_wire_repair(&fix, w, NULL), 0);
		CHECK(why, !miswire_apply(w, fix));
		CHECK(why, ports || !fix->n_moves);
		moore_repair_free(fix);
		accept_image(why, p, &seen, w);
		moore_wire_free(w);
		miswire_fini(&m);
		moore_plan_free(p);
	}
}

/* The plan is a hypercube with two cables in place of one, its ports are permuted, and no
 * name is known: so the graphs have to be mapped with their parallel cables. */
static void
test_parallel(void **state)
{
	static const char *const words[] = { "n=4", "p=0" };
	struct moore_plan *one = plan_of("hypercube", words, 2), *p = miswire_copy(one);
	struct moore_rng r = { test_seed() + 4 };
	struct moore_seen seen = { NULL };
	struct moore_wire *w;
	struct miswire m;

	(void)state;
	p->cable = realloc(p->cable, (2 * p->n_cables + 65u) * sizeof(*p->cable));
	for (uint32_t i = 0; i < one->n_cables; i++) {
		p->cable[p->n_cables] = p->cable[i];
		for (int k = 0; k < 2; k++)
			p->cable[p->n_cables].port[k] = (moore_portnum)(p->cable[i].port[k] + 6);
		p->n_cables++;
	}
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].ports = 12;
	miswire_init(&m, p);
	make_image(&r, &m, true, false);
	miswire_finish(&r, &m);
	rename_all(m.p, true);
	seen.plan = m.p;
	assert_int_equal(moore_plan_check(m.p, NULL, NULL), 0);
	assert_int_equal(moore_wire_check(&w, p, &seen, NULL), 0);
	accept_image("parallel cables", p, &seen, w);
	moore_wire_free(w);
	miswire_fini(&m);
	moore_plan_free(p);
	moore_plan_free(one);
}

/* ---- fewest moves: brute force ---------------------------------------------------------------- */

static uint32_t
ends_to_move(const uint32_t *o, const uint32_t *p)
{
	uint32_t straight = (uint32_t)(o[0] != p[0]) + (uint32_t)(o[1] != p[1]);
	uint32_t turned = (uint32_t)(o[0] != p[1]) + (uint32_t)(o[1] != p[0]);

	return straight < turned ? straight : turned;
}

/* The least cost over all assignments of observed to planned cables, by subsets of the
 * planned ones.  A cable without a counterpart costs both its ends. */
static uint32_t
least_moves(const struct moore_wire *w)
{
	uint32_t n_o = w->observed.n, n_p = w->planned.n, all = 1u << n_p, best = UINT32_MAX;
	uint32_t *cost = malloc(all * sizeof(*cost)), *next = malloc(all * sizeof(*next));

	memset(cost, 0xff, all * sizeof(*cost));
	cost[0] = 0;
	for (uint32_t i = 0; i < n_o; i++) {
		memset(next, 0xff, all * sizeof(*next));
		for (uint32_t s = 0; s < all; s++) {
			if (cost[s] == UINT32_MAX)
				continue;
			next[s] = next[s] < cost[s] + 2 ? next[s] : cost[s] + 2;
			for (uint32_t k = 0; k < n_p; k++) {
				uint32_t c = cost[s] + ends_to_move(w->observed.cable[i].jack,
								    w->planned.cable[k].jack);

				if (!(s >> k & 1) && c < next[s | 1u << k])
					next[s | 1u << k] = c;
			}
		}
		memcpy(cost, next, all * sizeof(*cost));
	}
	for (uint32_t s = 0; s < all; s++) {
		uint32_t left = 0;

		for (uint32_t k = 0; k < n_p; k++)
			left += !(s >> k & 1);
		if (cost[s] != UINT32_MAX && cost[s] + 2 * left < best)
			best = cost[s] + 2 * left;
	}
	free(cost);
	free(next);
	return best;
}

/* n cables between random free ports of n_sw switches with 5 ports each. */
static struct moore_plan *
random_cables_plan(struct moore_rng *r, uint32_t n_sw, uint32_t n)
{
	struct moore_plan *p = calloc(1, sizeof(*p));
	uint8_t used[8][8] = { { 0 } };
	char name[16];

	p->sw = calloc(n_sw, sizeof(*p->sw));
	p->ep = calloc(1, sizeof(*p->ep));
	p->cable = calloc(n + 1, sizeof(*p->cable));
	p->n_switches = n_sw;
	for (uint32_t i = 0; i < n_sw; i++) {
		snprintf(name, sizeof(name), "s%u", i);
		p->sw[i] = (struct moore_plan_switch){ .name = strdup(name), .ports = 5 };
	}
	for (uint32_t tries = 0; tries < 200 && p->n_cables < n; tries++) {
		moore_swid a = moore_rng_below(r, n_sw), b = moore_rng_below(r, n_sw);
		moore_portnum pa = (moore_portnum)(1 + moore_rng_below(r, 5));
		moore_portnum pb = (moore_portnum)(1 + moore_rng_below(r, 5));

		if (a == b || used[a][pa] || used[b][pb])
			continue;
		used[a][pa] = used[b][pb] = 1;
		p->cable[p->n_cables++] = (struct moore_plan_cable){ { a, b }, { pa, pb }, { 0 }, 0, NULL };
	}
	return p;
}

/* Exchanges up to six random pairs of cable ends. */
static void
scramble(struct moore_rng *r, struct moore_plan *p)
{
	for (uint32_t k = moore_rng_below(r, 7); k > 0 && p->n_cables > 1; k--) {
		struct moore_plan_cable *a = &p->cable[moore_rng_below(r, p->n_cables)];
		struct moore_plan_cable *b = &p->cable[moore_rng_below(r, p->n_cables)];
		moore_swid s = a->sw[1];
		moore_portnum port = a->port[1];

		if (a == b || a->sw[0] == b->sw[1] || b->sw[0] == a->sw[1])
			continue;
		a->sw[1] = b->sw[1];
		a->port[1] = b->port[1];
		b->sw[1] = s;
		b->port[1] = port;
	}
}

/* The number of connected parts, by cables that are plugged in at both ends and not lifted. */
static uint32_t
count_parts(const struct moore_wire *w, uint32_t (*now)[2], uint32_t n, const uint8_t *lifted)
{
	uint32_t group[16], parts = w->n_slots;
	bool again = true;

	for (uint32_t s = 0; s < w->n_slots; s++)
		group[s] = s;
	while (again) {
		again = false;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t a, b;

			if (lifted[i] || now[i][0] == MOORE_NONE || now[i][1] == MOORE_NONE)
				continue;
			a = w->jack[now[i][0]].slot;
			b = w->jack[now[i][1]].slot;
			if (group[a] == group[b])
				continue;
			for (uint32_t s = 0, g = group[b]; s < w->n_slots; s++)
				group[s] = group[s] == g ? group[a] : group[s];
			parts--;
			again = true;
		}
	}
	return parts;
}

/* Checks for each step whether it really disconnects switches, as it reports.  There are no
 * endpoints here. */
static void
check_parting(const char *why, const struct moore_wire *w, const struct moore_repair *fix)
{
	uint32_t n = w->observed.n + fix->n_new, before, during;
	uint32_t (*now)[2] = malloc((n + 1u) * sizeof(*now));
	uint8_t *lifted = calloc(n + 1u, 1);

	memset(now, 0xff, (n + 1u) * sizeof(*now));
	for (uint32_t i = 0; i < w->observed.n; i++)
		memcpy(now[i], w->observed.cable[i].jack, sizeof(*now));
	for (uint32_t i = 0, to; i < fix->n_moves; i = to) {
		memset(lifted, 0, n);
		before = count_parts(w, now, n, lifted);
		for (to = i; to < fix->n_moves && fix->move[to].step == fix->move[i].step; to++)
			lifted[fix->move[to].cable] = 1;
		during = count_parts(w, now, n, lifted);
		CHECK_EQ(why, fix->move[i].parts, during > before);
		for (uint32_t k = i; k < to; k++)
			now[fix->move[k].cable][fix->move[k].end] = fix->move[k].to;
	}
	free(now);
	free(lifted);
}

static void
test_fewest(void **state)
{
	struct moore_rng r = { test_seed() + 3 };
	unsigned rounds = test_rounds(1500);

	(void)state;
	for (unsigned k = 0; k < rounds; k++) {
		uint32_t n_sw = 3 + moore_rng_below(&r, 4);
		struct moore_plan *p = random_cables_plan(&r, n_sw, 3 + moore_rng_below(&r, 5)), *o;
		struct moore_seen seen = { NULL };
		struct moore_repair *fix;
		struct moore_wire *w;
		char why[64];

		snprintf(why, sizeof(why), "round %u", k);
		if (k % 2) {
			o = miswire_copy(p);
			scramble(&r, o);
			o->n_cables -= o->n_cables > 1 && k % 8 == 1;
		} else {
			o = random_cables_plan(&r, n_sw, 3 + moore_rng_below(&r, 5));
		}
		seen.plan = o;
		CHECK_EQ(why, moore_wire_check(&w, p, &seen, NULL), 0);
		CHECK_EQ(why, moore_wire_repair(&fix, w, NULL), 0);
		CHECK_EQ(why, fix->n_moves, least_moves(w));
		CHECK(why, fix->optimal || w->mirrored);
		CHECK(why, !miswire_apply(w, fix));
		check_parting(why, w, fix);
		moore_repair_free(fix);
		moore_wire_free(w);
		moore_plan_free(o);
		moore_plan_free(p);
	}
}

/* ---- discoveries -------------------------------------------------------------------------- */

#define SW(guid, name) "Switch\t4 \"S-" guid "\"\t\t# \"" name "\" base port 0 lid 0 lmc 0\n"
#define TO(port, guid, far) "[" port "]\t\"S-" guid "\"[" far "]\t\t# \"x\" lid 0 4xHDR\n"
#define HOST(port, guid, pguid) "[" port "]\t\"H-" guid "\"[1](" pguid ") \t\t# \"h\" lid 0 4xHDR\n"
#define CA(guid, name, pguid, sw, port) "Ca\t1 \"H-" guid "\"\t\t# \"" name "\"\n" \
	"[1](" pguid ") \t\"S-" sw "\"[" port "]\t\t# lid 0 lmc 0 \"x\" lid 0 4xHDR\n"

/* Cables lead from a[1] to b[1], b[2] to c[2], c[3] to a[3]; ha is at a[4], hb at b[4]. */
static const char triangle[] =
	SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4");

static const struct {
	const char *why, *text;
	const char *verdicts;	/* in order */
	uint32_t moves;
} seen_table[] = {
	{ "as planned", triangle, "", 0 },
	{ "loop in free ports",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3") TO("1", "c", "4") TO("4", "c", "1")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "loopback ", 2 },
	{ "loop where a cable should end",
	  SW("a", "a") TO("1", "b", "1") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "c", "4") TO("4", "c", "3")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "loopback ", 1 },
	{ "one end tells",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "one-sided ", 0 },
	{ "a switch is not there",
	  SW("a", "a") TO("1", "b", "1") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") HOST("4", "20", "21")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "missing-switch ", 0 },
	{ "another switch in its place",
	  SW("a", "a") TO("1", "b", "1") TO("3", "f", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "f", "2") HOST("4", "20", "21")
	  SW("f", "new") TO("2", "b", "2") TO("3", "a", "3")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "unknown-device ", 0 },
	{ "one switch more",
	  SW("a", "a") TO("1", "b", "1") TO("2", "f", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	  SW("f", "new") TO("1", "a", "2")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4"), "unknown-device ", 2 },
	{ "a host is not there",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	  CA("10", "ha", "11", "a", "4"), "missing-endpoint ", 0 },
	{ "a host more",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3") HOST("4", "30", "31")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4")
	  CA("30", "hc", "31", "c", "4"), "unknown-device ", 2 },
	{ "hosts in each other's place",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "20", "21")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "10", "11")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	  CA("10", "ha", "11", "b", "4") CA("20", "hb", "21", "a", "4"),
	  "endpoint-moved endpoint-moved ", 2 },
	{ "two hosts back to back are nobody's",
	  SW("a", "a") TO("1", "b", "1") TO("3", "c", "3") HOST("4", "10", "11")
	  SW("b", "b") TO("1", "a", "1") TO("2", "c", "2") HOST("4", "20", "21")
	  SW("c", "c") TO("2", "b", "2") TO("3", "a", "3")
	  CA("10", "ha", "11", "a", "4") CA("20", "hb", "21", "b", "4")
	  "Ca\t1 \"H-40\"\t# \"x\"\n[1](41) \"H-50\"[1](51) # \"y\" 4xHDR\n"
	  "Ca\t1 \"H-50\"\t# \"y\"\n[1](51) \"H-40\"[1](41) # \"x\" 4xHDR\n", "", 0 },
};

static void
test_seen(void **state)
{
	struct moore_plan *p;

	(void)state;
	assert_int_equal(moore_plan_format_find("ibnetdiscover")->parse(&p, triangle,
			 strlen(triangle), NULL), 0);
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = 0;
	for (size_t i = 0; i < ARRAY_LEN(seen_table); i++) {
		const char *why = seen_table[i].why;
		char got[200] = "";
		struct moore_repair *fix;
		struct moore_seen *s;
		struct moore_wire *w;
		struct moore_err err = { 0 };

		if (moore_seen_parse(&s, seen_table[i].text, strlen(seen_table[i].text), &err) < 0)
			fail_msg("%s: line %u: %s", why, err.line, err.text);
		CHECK_EQ(why, moore_wire_check(&w, p, s, NULL), 0);
		CHECK_EQ(why, moore_wire_repair(&fix, w, NULL), 0);
		for (uint32_t k = 0; k < w->n_deviations; k++) {
			strcat(got, moore_wire_text(w->deviation[k].verdict)->name);
			strcat(got, " ");
		}
		if (strcmp(got, seen_table[i].verdicts) != 0)
			fail_msg("%s: %s, not %s", why, got, seen_table[i].verdicts);
		CHECK_EQ(why, fix->n_moves, seen_table[i].moves);
		CHECK(why, !miswire_apply(w, fix));
		moore_repair_free(fix);
		moore_wire_free(w);
		moore_seen_free(s);
	}
	moore_plan_free(p);
}

/* Loops do not become cables of the plan, so the checks of a plan do not see them. */
static void
test_bad_loops(void **state)
{
	static const struct {
		const char *why, *text, *error;
	} T[] = {
		{ "to a port that is not there", SW("a", "a") TO("4", "a", "20"), "[20], which has 4 ports" },
		{ "whose end leads elsewhere",
		  SW("a", "a") TO("2", "a", "4") TO("4", "a", "3") TO("3", "a", "4"),
		  "this leads to \"S-000000000000000a\"[4], but line" },
		{ "whose end is a cable's", SW("a", "a") TO("2", "a", "4") TO("4", "b", "1")
		  SW("b", "b") TO("1", "a", "4"), "this leads to \"S-000000000000000a\"[4], but line" },
		{ "two into one port", SW("a", "a") TO("2", "a", "4") TO("3", "a", "4"),
		  "port 4 is on line" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_seen *s;
		struct moore_err err = { 0 };

		CHECK_EQ(T[i].why, moore_seen_parse(&s, T[i].text, strlen(T[i].text), &err), -MOORE_EPLAN);
		CHECK_STR(T[i].why, err.text, T[i].error);
	}
}

#define END(kind, ports, node, port_guid, name, pn) "{ " kind " Ports:" ports " SystemGUID:" node \
	" NodeGUID:" node " PortGUID:" port_guid " VenID:000000 DevID:0000 Rev:00000000 {" name "} " \
	"LID:0001 PN:" pn " } "
#define LINE(a, b, rate) a b rate "\n"
#define HDR "PHY=4x LOG=ACT SPD=50"
#define A(pn) END("SW", "04", "000000000000000a", "000000000000000a", "a", pn)
#define B_(pn) END("SW", "04", "000000000000000b", "000000000000000b", "b", pn)
#define C_(pn) END("SW", "04", "000000000000000c", "000000000000000c", "c", pn)
#define HA END("CA", "01", "0000000000000010", "0000000000000011", "ha", "01")
#define HB END("CA-SM", "01", "0000000000000020", "0000000000000021", "hb", "01")

static void
test_subnet(void **state)
{
	static const char lst[] =
		LINE(A("01"), B_("01"), HDR) LINE(B_("01"), A("01"), HDR) LINE(B_("02"), C_("02"), HDR)
		LINE(C_("03"), A("03"), "PHY=1x LOG=ACT SPD=50") LINE(HA, A("04"), HDR)
		LINE(B_("04"), HB, "PHY=4x LOG=ACT SPD=FDR10") LINE(C_("01"), C_("04"), "PHY=4x LOG=INI SPD=???");
	uint32_t n[MOORE_WIRE_VERDICTS] = { 0 };
	struct moore_plan *p;
	struct moore_seen *s;
	struct moore_wire *w;
	struct moore_err err = { 0 };

	(void)state;
	assert_int_equal(moore_plan_format_find("ibnetdiscover")->parse(&p, triangle,
			 strlen(triangle), NULL), 0);
	if (moore_seen_parse(&s, lst, strlen(lst), &err) < 0)
		fail_msg("line %u: %s", err.line, err.text);
	assert_int_equal(moore_wire_check(&w, p, s, NULL), 0);
	for (uint32_t k = 0; k < w->n_deviations; k++)
		n[w->deviation[k].verdict]++;
	assert_int_equal(w->n_deviations, 3);
	assert_int_equal(n[MOORE_WIRE_NARROW], 1);
	assert_int_equal(n[MOORE_WIRE_SLOW], 1);
	assert_int_equal(n[MOORE_WIRE_LOOPBACK], 1);
	assert_int_equal(w->by_guid, 3);
	moore_wire_free(w);
	moore_seen_free(s);
	moore_plan_free(p);
}

/* ---- out of memory -------------------------------------------------------------------------- */

static int
all_of_it(const struct moore_plan *p, const char *text)
{
	struct moore_repair *fix = NULL;
	struct moore_plan *now = NULL;
	struct moore_seen *s = NULL;
	struct moore_wire *w = NULL;
	int rc;

	if ((rc = moore_seen_parse(&s, text, strlen(text), NULL)) == 0 &&
	    (rc = moore_wire_check(&w, p, s, NULL)) == 0 &&
	    (rc = moore_wire_repair(&fix, w, NULL)) == 0 && w->image)
		rc = moore_wire_accept(&now, w, NULL);
	moore_plan_free(now);
	moore_repair_free(fix);
	moore_wire_free(w);
	moore_seen_free(s);
	return rc;
}

static void
test_oom(void **state)
{
	struct moore_plan *p;

	(void)state;
	assert_int_equal(moore_plan_format_find("ibnetdiscover")->parse(&p, triangle,
			 strlen(triangle), NULL), 0);
	for (uint32_t i = 0; i < p->n_switches; i++)
		p->sw[i].guid = 0;
	for (size_t i = 0; i < ARRAY_LEN(seen_table); i++)
		CHECK_OOM(seen_table[i].why, all_of_it(p, seen_table[i].text), (void)0);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		p->ep[i].guid = 0;
	rename_all(p, true);	/* no name is known, so images are tried */
	CHECK_OOM("no names", all_of_it(p, triangle), (void)0);
	moore_plan_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seen), cmocka_unit_test(test_bad_loops), cmocka_unit_test(test_subnet),
		cmocka_unit_test(test_faults), cmocka_unit_test(test_no_names),
		cmocka_unit_test(test_images), cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_fewest),
		cmocka_unit_test(test_oom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
