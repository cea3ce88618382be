// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* job.c - patterns of messages between processes, and placements of processes on nodes: those of Jain
 * et al., SC'14, section IV, and a few more. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "moore/predict.h"

enum { PARTNERS_MIN = 6, PARTNERS_MAX = 20, MESH_REACH = 30, MAX_DIMS = 4, ALLTOALL_MAX = 8192 };

struct list {			/* of flows, growing */
	struct moore_flow *flow;
	uint32_t n, cap;
	uint32_t open;		/* the first flow of the last node that sends */
	const moore_epid *node;
	uint32_t per_node, n_processes;
	uint64_t seed;
	bool oom;
};

static int
by_target(const void *x, const void *y)
{
	const struct moore_flow *a = x, *b = y;

	return a->to < b->to ? -1 : a->to > b->to;
}

/* Joins the flows of the last node that sends, where they lead to the same node. */
static void
join(struct list *l)
{
	uint32_t n = l->open;

	if (l->per_node > 1 && l->n > l->open)
		qsort(l->flow + l->open, l->n - l->open, sizeof(*l->flow), by_target);
	for (uint32_t i = l->open; l->per_node > 1 && i < l->n; i++)
		if (n > l->open && l->flow[n - 1].to == l->flow[i].to)
			l->flow[n - 1].amount += l->flow[i].amount;
		else
			l->flow[n++] = l->flow[i];
	l->n = l->open = l->per_node > 1 ? n : l->n;
}

static void
add(struct list *l, uint32_t from, uint32_t to)
{
	const moore_epid sends = l->node[from / l->per_node], receives = l->node[to / l->per_node];
	struct moore_flow *f;

	if (l->oom || sends == receives)
		return;
	if (l->n > l->open && l->flow[l->open].from != sends)
		join(l);
	if (!(f = moore_grow(l->flow, l->n, &l->cap, sizeof(*f)))) {
		l->oom = true;
		return;
	}
	l->flow = f;
	f[l->n++] = (struct moore_flow){ sends, receives, 1 };
}

static uint64_t
random_bits(const struct list *l, uint32_t process, uint32_t what)
{
	struct moore_rng r = { l->seed ^ ((uint64_t)process << 20) ^ what };

	return moore_rng_next(&r);
}

static void
all_to_all(struct list *l, unsigned unused)
{
	(void)unused;
	for (uint32_t i = 0; i < l->n_processes; i++)
		for (uint32_t k = 1; k < l->n_processes; k++)
			add(l, i, (i + k) % l->n_processes);
}

/* A permutation is one large cycle through all processes in random order, so nobody sends to itself. */
static void
permutation(struct list *l, unsigned unused)
{
	uint32_t *order = calloc((size_t)l->n_processes + 1, sizeof(*order));
	struct moore_rng r = { l->seed };

	(void)unused;
	l->oom = !order;
	for (uint32_t i = 0; order && i < l->n_processes; i++) {
		const uint32_t k = moore_rng_below(&r, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; order && i < l->n_processes; i++)
		add(l, order[i], order[(i + 1) % l->n_processes]);
	free(order);
}

static void
shift(struct list *l, unsigned unused)
{
	(void)unused;
	for (uint32_t i = 0; i < l->n_processes; i++)
		add(l, i, (i + l->n_processes / 2) % l->n_processes);
}

/* Splits n into sides as alike as its divisors allow: the greatest divisor up to the root comes off,
 * one side after another. */
static void
sides(uint32_t n, unsigned dims, uint32_t *side)
{
	for (unsigned left = dims; left > 0; left--) {
		uint32_t best = 1;

		for (uint32_t d = 1; d <= n; d++) {
			uint64_t power = 1;

			for (unsigned k = 0; k < left && power <= n; k++)
				power *= d;
			if (power > n)
				break;
			if (n % d == 0)
				best = d;
		}
		side[dims - left] = left == 1 ? n : best;
		n /= best;
	}
}

static void
swap_if_less(uint32_t *a, uint32_t *b)
{
	const uint32_t less = *b;

	if (less < *a) {
		*b = *a;
		*a = less;
	}
}

/* The sides of a 3-D torus rise, so that the processes of the shortest one are next to each other, which Kathareios et
 * al. (SC'15), section 4.4, have in one switch: 12 x 14 x 19.  Jain et al. (SC'14) give no order for four sides. */
static void
stencil(struct list *l, unsigned dims)
{
	uint32_t side[MAX_DIMS];

	sides(l->n_processes, dims, side);
	if (dims == 3) {
		swap_if_less(&side[0], &side[1]);
		swap_if_less(&side[1], &side[2]);
		swap_if_less(&side[0], &side[1]);
	}
	for (uint32_t i = 0; i < l->n_processes; i++)
		for (uint32_t d = 0, step = 1; d < dims; step *= side[d++]) {
			const uint32_t at = i / step % side[d], base = i - at * step;

			add(l, i, base + (at + 1) % side[d] * step);
			if (side[d] > 2)
				add(l, i, base + (at + side[d] - 1) % side[d] * step);
		}
}

static void
many_to_many(struct list *l, unsigned unused)
{
	uint32_t side[3];

	(void)unused;
	sides(l->n_processes, 3, side);
	for (uint32_t i = 0; i < l->n_processes; i++) {
		const uint32_t at = i / side[0] % side[1], base = i - at * side[0];

		for (uint32_t k = 0; k < side[1]; k++)
			add(l, i, base + k * side[0]);
	}
}

/* Partners at most `reach` away, or anywhere with 0. */
static void
partners(struct list *l, unsigned reach)
{
	for (uint32_t i = 0; i < l->n_processes; i++) {
		const uint32_t n = PARTNERS_MIN + (uint32_t)(random_bits(l, i, 0) %
							      (PARTNERS_MAX - PARTNERS_MIN + 1));

		for (uint32_t k = 1; k <= n; k++) {
			const uint64_t bits = random_bits(l, i, k);
			const int64_t to = !reach ? (int64_t)(bits % l->n_processes) :
				(int64_t)i + (int64_t)(bits % (2 * reach + 1)) - (int64_t)reach;

			if (to >= 0 && to < (int64_t)l->n_processes)
				add(l, i, (uint32_t)to);
		}
	}
}

static const struct {
	const char *name;
	enum moore_job_kind kind;
	void (*make)(struct list *l, unsigned how);
	unsigned how;
} pattern[] = {
	[MOORE_JOB_UNIFORM] = { "uniform", MOORE_JOB_EVEN, NULL, 0 },
	[MOORE_JOB_ALLTOALL] = { "alltoall", MOORE_JOB_EVEN, all_to_all, 0 },
	[MOORE_JOB_PERMUTATION] = { "permutation", MOORE_JOB_OF_PROCESSES, permutation, 0 },
	[MOORE_JOB_SHIFT] = { "shift", MOORE_JOB_OF_PROCESSES, shift, 0 },
	[MOORE_JOB_STENCIL2] = { "stencil2", MOORE_JOB_OF_PROCESSES, stencil, 2 },
	[MOORE_JOB_STENCIL3] = { "stencil3", MOORE_JOB_OF_PROCESSES, stencil, 3 },
	[MOORE_JOB_STENCIL4] = { "stencil4", MOORE_JOB_OF_PROCESSES, stencil, 4 },
	[MOORE_JOB_MANY] = { "many", MOORE_JOB_OF_PROCESSES, many_to_many, 0 },
	[MOORE_JOB_SPREAD] = { "spread", MOORE_JOB_OF_PROCESSES, partners, 0 },
	[MOORE_JOB_MESH] = { "mesh", MOORE_JOB_OF_PROCESSES, partners, MESH_REACH },
	[MOORE_JOB_OVERLAP] = { "overlap", MOORE_JOB_OF_SWITCHES, NULL, 0 },
	[MOORE_JOB_YEBENES] = { "yebenes", MOORE_JOB_OF_SWITCHES, NULL, 0 },
	[MOORE_JOB_WORST] = { "worst", MOORE_JOB_OF_SWITCHES, NULL, 0 },
};

const char *
moore_job_pattern_name(enum moore_job_pattern p)
{
	return p < MOORE_N_JOB_PATTERNS ? pattern[p].name : NULL;
}

enum moore_job_kind
moore_job_pattern_kind(enum moore_job_pattern p)
{
	return pattern[p].kind;
}

int
moore_job_flows(struct moore_flow **out, uint32_t *n_flows, enum moore_job_pattern p,
		const moore_epid *node, uint32_t n, uint32_t per_node, uint64_t seed, struct moore_err *err)
{
	struct list l = { .node = node, .per_node = per_node, .n_processes = n, .seed = seed };

	if (p == MOORE_JOB_ALLTOALL && n > ALLTOALL_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "alltoall: over %d processes in one job", ALLTOALL_MAX);
	if (n > 1 && pattern[p].make)
		pattern[p].make(&l, pattern[p].how);
	join(&l);
	if (l.oom) {
		free(l.flow);
		return moore_fail_nomem(err);
	}
	*out = l.flow;
	*n_flows = l.n;
	return 0;
}

/* ---- placements ------------------------------------------------------------------------------- */

enum unit { NODE, SWITCH, CABINET, GROUP };

static const struct {
	const char *name;
	enum unit unit;		/* that is drawn, or taken in turn */
	enum { RANDOM, IN_TURN, IN_ORDER } how;
} placement[] = {
	[MOORE_PLACED_RDN] = { "RDN", NODE, RANDOM },
	[MOORE_PLACED_RDR] = { "RDR", SWITCH, RANDOM },
	[MOORE_PLACED_RDC] = { "RDC", CABINET, RANDOM },
	[MOORE_PLACED_RDG] = { "RDG", GROUP, RANDOM },
	[MOORE_PLACED_RRN] = { "RRN", NODE, IN_TURN },
	[MOORE_PLACED_RRR] = { "RRR", SWITCH, IN_TURN },
	[MOORE_PLACED_LINEAR] = { "linear", NODE, IN_ORDER },
};

const char *
moore_job_placement_name(enum moore_job_placement p)
{
	return p < MOORE_N_PLACEMENTS ? placement[p].name : NULL;
}

struct seat {
	uint64_t key;		/* seats are taken in its order, */
	uint64_t second;	/* then in this one's */
	moore_epid ep;
};

static int
by_key(const void *x, const void *y)
{
	const struct seat *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->second != b->second)
		return a->second < b->second ? -1 : 1;
	return a->ep < b->ep ? -1 : a->ep > b->ep;
}

static uint64_t
unit_of(const struct moore_fabric *f, const struct moore_floor *floor, enum unit unit, moore_epid e)
{
	const moore_swid s = f->ep[e].sw;

	return unit == NODE ? e : unit == SWITCH ? s : unit == CABINET ? floor->cabinet[s] : floor->group[s];
}

/* Numbers the units of each group in their order, so that the first units of all groups come first. */
static void
take_turns(struct seat *seat, uint32_t n, const struct moore_fabric *f, const struct moore_floor *floor,
	   enum unit unit)
{
	uint64_t turn = 0;

	for (uint32_t i = 0; i < n; i++)
		seat[i] = (struct seat){ floor->group[f->ep[seat[i].ep].sw],
					 unit_of(f, floor, unit, seat[i].ep), seat[i].ep };
	qsort(seat, n, sizeof(*seat), by_key);
	for (uint32_t i = 0; i < n; i++) {
		if (i && seat[i].key != (seat[i - 1].second >> 32))
			turn = 0;
		else if (i && unit_of(f, floor, unit, seat[i].ep) != unit_of(f, floor, unit, seat[i - 1].ep))
			turn++;
		seat[i].second = seat[i].key << 32;	/* the group; its turn becomes the key */
		seat[i].key = turn;
	}
	qsort(seat, n, sizeof(*seat), by_key);
}

int
moore_job_place(moore_epid *node, uint32_t n, const struct moore_fabric *f,
		const struct moore_floor *floor, const bool *taken, enum moore_job_placement p,
		uint64_t seed, struct moore_err *err)
{
	const enum unit unit = placement[p].unit;
	struct seat *seat = calloc((size_t)f->n_endpoints + 1, sizeof(*seat));
	uint32_t free_nodes = 0;

	if (!seat)
		return moore_fail_nomem(err);
	if ((unit == CABINET && !floor->cabinet) ||
	    ((unit == GROUP || placement[p].how == IN_TURN) && !floor->group)) {
		free(seat);
		return moore_fail(err, MOORE_EINVAL, 0, "%s: it is not known where the switches stand: "
				  "`moorectl plan place` puts them into cabinets",
				  placement[p].name);
	}
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const uint64_t u = placement[p].how == IN_ORDER ? e : unit_of(f, floor, unit, e);
		struct moore_rng r = { seed ^ u << 16 };

		if (!(taken && taken[e]))
			seat[free_nodes++] = (struct seat){ placement[p].how == RANDOM ? moore_rng_next(&r) : u,
							    0, e };
	}
	if (free_nodes < n) {
		free(seat);
		return moore_fail(err, MOORE_EINVAL, 0, "%u nodes are needed, but %u are free: give fewer "
				  "processes", n, free_nodes);
	}
	if (placement[p].how == IN_TURN)
		take_turns(seat, free_nodes, f, floor, unit);
	else
		qsort(seat, free_nodes, sizeof(*seat), by_key);
	for (uint32_t i = 0; i < n; i++)
		node[i] = seat[i].ep;
	free(seat);
	return 0;
}
