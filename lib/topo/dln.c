// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dln.c - a ring with k-2 random shortcuts at each switch, which Fujiwara calls RING-k.
 *
 * Each switch has k-2 stubs.  The shuffled stubs are paired.  A pair that would be a loop
 * or would double a link exchanges partners with randomly chosen other pairs until it is
 * neither.  These exchanges keep every switch's degree and create no further such pair.
 * Source: Koibuchi et al., "A Case for Random Shortcut Topologies for HPC
 * Interconnects", ISCA 2012. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"
#include "topo_build.h"

enum { N, K, SEED, P };

#define TRIES 1000		/* exchanges tried for one pair */
#define ROUNDS 100		/* attempts with a new shuffle */

struct pairs {
	uint32_t n, k;		/* number of switches, shortcuts at each */
	uint32_t n_stubs;
	uint32_t *stub;		/* the switch of each stub; stubs 2i and 2i+1 are a pair */
	uint32_t *peer;		/* k + 2 for each switch: the switches it is linked to so far,
				 * then MOORE_NONE */
};

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[N] % 2 && param[K] % 2)
		return moore_fail(err, MOORE_EINVAL, 0, "k=%lld: an odd number of switches needs an even k",
				  (long long)param[K]);
	if (2 * param[K] > param[N])
		return moore_fail(err, MOORE_EINVAL, 0, "k=%lld: at most half of n=%lld, give k=2..%lld",
				  (long long)param[K], (long long)param[N], (long long)param[N] / 2);
	return 0;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t n = (uint64_t)param[N], k = (uint64_t)param[K], p = (uint64_t)param[P];

	*out = (struct moore_topo_counts){
		.switches = n,
		.links = n * k / 2,
		.endpoints = n * p,
		.degree = (uint32_t)k,
		.radix = (uint32_t)(k + p),
	};
}

/* The index of b among the switches that a is linked to; for b MOORE_NONE, the first free
 * place. */
static uint32_t *
find_peer(const struct pairs *x, uint32_t a, uint32_t b)
{
	const uint32_t width = x->k + 2;

	for (uint32_t i = 0; i < width; i++)
		if (x->peer[a * width + i] == b)
			return &x->peer[a * width + i];
	return NULL;
}

static bool
fits(const struct pairs *x, uint32_t a, uint32_t b)
{
	return a != b && !find_peer(x, a, b);
}

static void
change_link(struct pairs *x, uint32_t a, uint32_t b, bool add)
{
	*find_peer(x, a, add ? MOORE_NONE : b) = add ? b : MOORE_NONE;
	*find_peer(x, b, add ? MOORE_NONE : a) = add ? a : MOORE_NONE;
}

/* Exchanges a partner of pair i, which is not a valid link yet, with a random earlier pair. */
static bool
repair(struct pairs *x, uint32_t i, struct moore_rng *r)
{
	uint32_t *mine = &x->stub[2 * i];

	for (unsigned tries = 0; i && tries < TRIES; tries++) {
		uint32_t *other = &x->stub[2 * moore_rng_below(r, i)];
		const uint32_t ends[2] = { other[0], other[1] }, side = moore_rng_below(r, 2);

		other[0] = ends[side];
		other[1] = ends[!side];
		if (!fits(x, mine[0], other[0]) || !fits(x, mine[1], other[1]))
			continue;
		change_link(x, other[0], other[1], false);
		/* Two links that cross would be the same link. */
		if ((mine[0] == mine[1] && other[0] == other[1]) ||
		    (mine[0] == other[1] && mine[1] == other[0])) {
			change_link(x, other[0], other[1], true);
			continue;
		}
		const uint32_t moved = mine[1];

		mine[1] = other[0];
		other[0] = moved;
		change_link(x, mine[0], mine[1], true);
		change_link(x, other[0], other[1], true);
		return true;
	}
	return false;
}

static bool
pair_stubs(struct pairs *x, struct moore_rng *r)
{
	for (uint32_t i = 0; i < x->n * (x->k + 2); i++)
		x->peer[i] = MOORE_NONE;
	for (uint32_t s = 0; s < x->n; s++)
		change_link(x, s, (s + 1) % x->n, true);
	for (uint32_t i = x->n_stubs; i > 1; i--) {
		const uint32_t k = moore_rng_below(r, i), s = x->stub[i - 1];

		x->stub[i - 1] = x->stub[k];
		x->stub[k] = s;
	}
	for (uint32_t i = 0; i < x->n_stubs / 2; i++) {
		const uint32_t a = x->stub[2 * i], b = x->stub[2 * i + 1];

		if (fits(x, a, b))
			change_link(x, a, b, true);
		else if (!repair(x, i, r))
			return false;
	}
	return true;
}

static bool
pairs_init(struct pairs *x, const int64_t *param, struct moore_arena *tmp)
{
	x->n = (uint32_t)param[N];
	x->k = (uint32_t)param[K] - 2;
	x->n_stubs = x->n * x->k;
	x->stub = moore_arena_alloc(tmp, x->n_stubs + 1, sizeof(*x->stub));
	x->peer = moore_arena_alloc(tmp, (size_t)x->n * (x->k + 2), sizeof(*x->peer));
	if (!x->stub || !x->peer)
		return false;
	for (uint32_t i = 0; i < x->n_stubs; i++)
		x->stub[i] = i / x->k;
	return true;
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	struct moore_rng r = { (uint64_t)param[SEED] };
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_topo_draft d;
	bool paired = false;
	struct pairs x;
	int rc;

	if (!pairs_init(&x, param, &tmp)) {
		moore_arena_free(&tmp);
		return moore_fail_nomem(err);
	}
	for (unsigned round = 0; round < ROUNDS && !paired; round++)
		paired = pair_stubs(&x, &r);
	if (!paired) {
		rc = moore_fail(err, MOORE_EINVAL, 0, "seed=%lld: no %u shortcuts at each switch were "
				"found: try another seed", (long long)param[SEED], x.k);
	} else if ((rc = moore_topo_draft_init(&d, t, err)) == 0) {
		for (uint32_t s = 0; s < x.n; s++) {
			moore_topo_draft_switch(&d, s, (uint16_t)param[P], "r%u", s);
			moore_topo_draft_join(&d, s, (s + 1) % x.n);
		}
		for (uint32_t i = 0; i < x.n_stubs / 2; i++)
			moore_topo_draft_join(&d, x.stub[2 * i], x.stub[2 * i + 1]);
		rc = moore_topo_draft_finish(&d, err);
	}
	moore_arena_free(&tmp);
	return rc;
}

const struct moore_topo_family moore_topo_dln = {
	.name = "dln",
	.title = "Ring with random shortcuts (DLN)",
	.source = "Koibuchi et al., ISCA 2012; RING-k of Fujiwara et al., TPDS 2014",
	.param = {
		[N] = { .key = "n", .min = 4, .max = MOORE_TOPO_SIZE_MAX, .required = true,
			.help = "switches" },
		[K] = { .key = "k", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "links of a switch, those of the ring included" },
		[SEED] = { .key = "seed", .min = 0, .max = INT64_MAX, .dflt = 1,
			   .help = "of the shortcuts (default: 1)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = 1,
			.help = "endpoints on each switch (default: 1)" },
	},
	.random = true,
	.resolve = resolve,
	.counts = counts,
	.build = build,
};
