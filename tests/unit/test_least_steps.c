// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_least_steps.c - the bound on the number of steps (least_steps.h), beside the length of chains
 * that were made by hand and beside the shortest sequence of all, which is found by trying every set
 * of rows in every step.  There moore_mix_held() judges each mixture. */
#include "fabrics.h"
#include "harness.h"
#include "least_steps.h"
#include "moore/lane.h"
#include "moore/mix.h"

#define ROWS_MAX 5
#define VALUES 3		/* of a row in a state: old, new, none */

/* ---- every sequence ------------------------------------------------------------------------ */

struct change {
	struct moore_fabric *f;
	struct moore_sl2vl *lanes;
	struct moore_lft *was, *now;
	struct moore_row row[ROWS_MAX];		/* that change, with their new values */
	unsigned n_rows, n_states;
};

static struct moore_lft *
empty(const struct moore_fabric *f)
{
	struct moore_lft *t;

	assert_int_equal(moore_lft_new(&t, f->n_switches, f->lid_top, NULL), 0);
	memset(t->row, MOORE_NO_PATH, t->stride * t->n_switches);
	return t;
}

/* False if there are more than ROWS_MAX. */
static bool
list_rows(struct change *c)
{
	c->n_rows = 0;
	c->n_states = 1;
	for (moore_swid s = 0; s < c->f->n_switches; s++)
		for (unsigned lid = 1; lid <= c->f->lid_top; lid++) {
			uint8_t port = moore_lft_row(c->now, s)[lid];

			if (moore_lft_row(c->was, s)[lid] == port)
				continue;
			if (c->n_rows == ROWS_MAX)
				return false;
			c->row[c->n_rows++] = (struct moore_row){ s, (moore_lid)lid, port };
			c->n_states *= VALUES;
		}
	return true;
}

static uint8_t
value(const struct change *c, unsigned state, unsigned k)
{
	const uint8_t v[VALUES] = { moore_lft_row(c->was, c->row[k].sw)[c->row[k].lid], c->row[k].port,
		MOORE_NO_PATH };

	while (k--)
		state /= VALUES;
	return v[state % VALUES];
}

/* True if a step between two states is safe and drops no pair that the old rows connect. */
static bool
is_step(const struct change *c, unsigned from, unsigned to)
{
	const struct moore_mix_lanes lanes = { .sl2vl = c->lanes };
	struct moore_lft *lft = empty(c->f);
	struct moore_held held = { .lft = lft }, before = { .lft = c->was };
	struct moore_row more[ROWS_MAX];
	struct moore_mix_held *v;
	bool good;

	memcpy(lft->row, c->was->row, c->was->stride * c->was->n_switches);
	for (unsigned k = 0; k < c->n_rows; k++) {
		moore_lft_row(lft, c->row[k].sw)[c->row[k].lid] = value(c, from, k);
		more[k] = (struct moore_row){ c->row[k].sw, c->row[k].lid, value(c, to, k) };
	}
	held.more = more;
	held.n_more = c->n_rows;
	assert_int_equal(moore_mix_held(&v, c->f, &held, &before, &lanes, NULL, NULL), 0);
	good = v->safe && !v->interrupted;
	moore_mix_held_free(v);
	moore_lft_free(lft);
	return good;
}

/* The state in which every row is new. */
static unsigned
last_state(const struct change *c)
{
	return (c->n_states - 1) / 2;
}

/* The steps of the shortest sequence, by breadth-first search from the old state, or LEAST_NONE. */
static unsigned
shortest(const struct change *c)
{
	unsigned *queue = calloc(c->n_states, sizeof(*queue)), *steps = calloc(c->n_states, sizeof(*steps));
	unsigned tail = 1, n = LEAST_NONE;

	for (unsigned i = 0; i < tail && n == LEAST_NONE; i++)
		for (unsigned to = 1; to < c->n_states; to++)
			if (!steps[to] && is_step(c, queue[i], to)) {
				steps[to] = steps[queue[i]] + 1;
				queue[tail++] = to;
				if (to == last_state(c))
					n = steps[to];
			}
	free(queue);
	free(steps);
	return n;
}

static void
end(struct change *c)
{
	moore_sl2vl_free(c->lanes);
	moore_lft_free(c->was);
	moore_lft_free(c->now);
	moore_fabric_free(c->f);
}

/* ---- by hand -------------------------------------------------------------------------------- */

static uint8_t
port_to(const struct moore_fabric *f, moore_swid s, moore_swid peer)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == peer)
			return (uint8_t)p;
	}
	return MOORE_NO_PATH;
}

/* A change without rows, on a graph with an endpoint at every switch. */
static struct change
change_on(uint32_t n, const struct moore_topo_link *link, size_t n_links)
{
	static const struct moore_lane_opts one_class = { { 0 } };
	uint16_t ep[16];
	struct change c;

	for (uint32_t s = 0; s < n; s++)
		ep[s] = 1;
	c.f = test_fabric(n, link, n_links, ep, 0);
	assert_int_equal(moore_lane_effective(&c.lanes, c.f, &one_class, NULL, NULL), 0);
	c.was = empty(c.f);
	c.now = empty(c.f);
	return c;
}

/* In a ring of n switches all but switch 0 send its endpoint's packets upwards, then downwards:
 * each new value leads to a switch that sends back by its old one, so one row follows the other. */
static void
test_ring(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= 6; n++) {
		struct moore_topo_link link[6];
		struct change c;
		moore_lid lid;

		for (uint32_t s = 0; s < n; s++)
			link[s] = (struct moore_topo_link){ s, (s + 1) % n };
		c = change_on(n, link, n);
		lid = c.f->ep[0].lid;
		for (uint32_t s = 0; s < n; s++) {
			moore_lft_row(c.was, s)[lid] = s ? port_to(c.f, s, (s + 1) % n) : 1;
			moore_lft_row(c.now, s)[lid] = s ? port_to(c.f, s, s - 1) : 1;
		}
		assert_int_equal(least_steps(c.f, c.lanes, c.was, c.was), 0);
		assert_int_equal(least_steps(c.f, c.lanes, c.was, c.now), n - 1);
		assert_true(list_rows(&c));
		assert_int_equal(shortest(&c), n - 1);
		end(&c);
	}
}

/* Of a triangle, the link of switches 0 and 1 is lost, behind which 2 was, too.  The row of 1 has to
 * wait for that of 2.  Beside a switch 3 that can take the packets, it does not. */
static void
test_cut(void **state)
{
	static const struct moore_topo_link link[] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 3 } };

	(void)state;
	for (moore_swid by = 2; by <= 3; by++) {
		struct change c = change_on(4, link, ARRAY_LEN(link));
		moore_lid lid = c.f->ep[0].lid;

		for (moore_swid s = 1; s < 4; s++) {
			moore_lft_row(c.was, s)[lid] = port_to(c.f, s, s == 2 ? 1 : 0);
			moore_lft_row(c.now, s)[lid] = port_to(c.f, s, s == 1 ? by : 0);
		}
		moore_lft_row(c.was, 0)[lid] = moore_lft_row(c.now, 0)[lid] = 1;
		moore_fabric_cut(c.f, 0, port_to(c.f, 0, 1));
		assert_int_equal(least_steps(c.f, c.lanes, c.was, c.now), by == 2 ? 2 : 1);
		assert_true(list_rows(&c));
		assert_int_equal(shortest(&c), by == 2 ? 2 : 1);
		end(&c);
	}
}

/* ---- by chance ------------------------------------------------------------------------------ */

#define N_SW 6

/* Random routes to the endpoint of d: switches join the tree in random order. */
static void
draw_tree(const struct change *c, struct moore_lft *t, moore_swid d, struct moore_rng *rng)
{
	moore_lid lid = c->f->ep[d].lid;
	unsigned joined = 1u << d;

	moore_lft_row(t, d)[lid] = 1;
	while (joined != (1u << N_SW) - 1) {
		moore_swid s = moore_rng_below(rng, N_SW), to = moore_rng_below(rng, N_SW);
		uint8_t port = port_to(c->f, s, to);

		if (joined >> s & 1 || !(joined >> to & 1) || port == MOORE_NO_PATH)
			continue;
		moore_lft_row(t, s)[lid] = port;
		joined |= 1u << s;
	}
}

static bool
is_safe(const struct change *c, struct moore_lft *t)
{
	const struct moore_mix_lanes lanes = { .sl2vl = c->lanes };
	struct moore_mix_held *v;
	bool safe;

	assert_int_equal(moore_mix_held(&v, c->f, &(struct moore_held){ .lft = t }, NULL, &lanes, NULL, NULL),
			 0);
	safe = v->safe;
	moore_mix_held_free(v);
	return safe;
}

/* Two safe tables with few rows between them, on a ring with chords; every second time one link of
 * the old routes is lost. */
static struct change
draw(struct moore_rng *rng, bool lost)
{
	for (;;) {
		struct moore_topo_link link[N_SW + 4];
		struct change c;

		for (uint32_t s = 0; s < N_SW; s++)
			link[s] = (struct moore_topo_link){ s, (s + 1) % N_SW };
		for (uint32_t i = 0, s; i < 4; i++) {
			s = moore_rng_below(rng, N_SW);
			link[N_SW + i] = (struct moore_topo_link){ s, (s + 2 + moore_rng_below(rng, 3)) % N_SW };
		}
		c = change_on(N_SW, link, ARRAY_LEN(link));
		for (moore_swid d = 0; d < 3; d++)
			draw_tree(&c, c.was, d, rng);
		if (lost)
			moore_fabric_cut(c.f, 5, moore_lft_row(c.was, 5)[c.f->ep[moore_rng_below(rng, 3)].lid]);
		memcpy(c.now->row, c.was->row, c.was->stride * c.was->n_switches);
		for (moore_swid d = 0; d < 3; d++)
			if (lost || moore_rng_below(rng, 2))
				draw_tree(&c, c.now, d, rng);
		if (list_rows(&c) && c.n_rows > 1 && is_safe(&c, c.was) && is_safe(&c, c.now))
			return c;
		end(&c);
	}
}

/* No bound is greater than the shortest sequence has steps, and most are equal to it. */
static void
test_every_sequence(void **state)
{
	struct moore_rng rng = { test_seed() };
	unsigned equal = 0, several = 0, none = 0, n = test_rounds(600);

	(void)state;
	for (unsigned i = 0; i < n; i++) {
		struct change c = draw(&rng, i % 2);
		unsigned bound = least_steps(c.f, c.lanes, c.was, c.now), least = shortest(&c);

		assert_true(bound >= 1 && bound <= least);
		equal += bound == least;
		several += least > 1;
		none += least == LEAST_NONE;
		end(&c);
	}
	print_message("# %u changes, %u of them in several steps, %u without a sequence: %u bounds are reached\n",
		      n, several, none, equal);
	assert_true(equal * 100 >= n * 95 && several * 10 >= n);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_every_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
