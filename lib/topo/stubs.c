// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stubs.c - the pairing of stubs. */
#include "topo/stubs.h"

#define TRIES 1000		/* exchanges tried for one pair */
#define ROUNDS 100		/* attempts with a new shuffle, and again so many with patience */

static bool
init(struct moore_stubs *x, uint32_t n, uint32_t width, struct moore_arena *tmp)
{
	*x = (struct moore_stubs){ n, width, moore_arena_alloc(tmp, (size_t)n * width + 1,
							       sizeof(*x->peer)), false };
	return x->peer;
}

static void
clear(struct moore_stubs *x)
{
	for (size_t i = 0; i < (size_t)x->n * x->width; i++)
		x->peer[i] = MOORE_NONE;
}

/* The index of b among the switches that a is linked to; for b MOORE_NONE, the first free
 * place. */
static uint32_t *
find_peer(const struct moore_stubs *x, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < x->width; i++)
		if (x->peer[(size_t)a * x->width + i] == b)
			return &x->peer[(size_t)a * x->width + i];
	return NULL;
}

static bool
fits(const struct moore_stubs *x, uint32_t a, uint32_t b)
{
	return a != b && !find_peer(x, a, b);
}

static void
change_link(struct moore_stubs *x, uint32_t a, uint32_t b, bool add)
{
	*find_peer(x, a, add ? MOORE_NONE : b) = add ? b : MOORE_NONE;
	*find_peer(x, b, add ? MOORE_NONE : a) = add ? a : MOORE_NONE;
}

void
moore_stubs_cut(struct moore_stubs *x, uint32_t a, uint32_t b)
{
	if (find_peer(x, a, b))
		change_link(x, a, b, false);
}

void
moore_stubs_link(struct moore_stubs *x, uint32_t a, uint32_t b)
{
	if (fits(x, a, b))
		change_link(x, a, b, true);
}

/* Exchanges a partner of pair i, which is not a valid link yet, with a random earlier pair. */
static bool
repair(struct moore_stubs *x, uint32_t *stub, uint32_t i, struct moore_rng *r)
{
	uint32_t *mine = &stub[2 * (size_t)i];

	for (unsigned tries = 0; i && tries < TRIES; tries++) {
		uint32_t *other = &stub[2 * (size_t)moore_rng_below(r, i)];
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

bool
moore_stubs_pair(struct moore_stubs *x, uint32_t *stub, uint32_t n_stubs, struct moore_rng *r)
{
	moore_rng_shuffle(r, stub, n_stubs);
	for (uint32_t i = 0; i < n_stubs / 2; i++) {
		const uint32_t a = stub[2 * (size_t)i], b = stub[2 * (size_t)i + 1];

		if (fits(x, a, b))
			change_link(x, a, b, true);
		else if (!repair(x, stub, i, r))
			return false;
	}
	return true;
}

static bool
connected(const struct moore_stubs *x, uint32_t *scratch)
{
	uint32_t *queue = scratch, *seen = scratch + x->n, tail = 1;

	for (uint32_t s = 0; s < x->n; s++)
		seen[s] = s == 0;
	queue[0] = 0;
	for (uint32_t i = 0; i < tail; i++)
		for (uint32_t k = 0; k < x->width; k++) {
			uint32_t to = x->peer[(size_t)queue[i] * x->width + k];

			if (to == MOORE_NONE || seen[to])
				continue;
			seen[to] = 1;
			queue[tail++] = to;
		}
	return tail == x->n;
}

static void
join(const struct moore_stubs *x, struct moore_topo_draft *d)
{
	for (uint32_t s = 0; s < x->n; s++)
		for (uint32_t k = 0; k < x->width; k++) {
			uint32_t to = x->peer[(size_t)s * x->width + k];

			if (to != MOORE_NONE && s < to)
				moore_topo_draft_join(d, s, to);
		}
}

/* Draws until an attempt succeeds and joins all switches. */
static bool
draw(const struct moore_stubs_family *f, struct moore_stubs *x, uint32_t *stub, uint32_t *scratch,
     const int64_t *param, int64_t seed)
{
	struct moore_rng r = { (uint64_t)seed };

	for (size_t i = 0; i < (size_t)f->n * f->each; i++)
		stub[i] = (uint32_t)(i / f->each);
	for (unsigned round = 0; round < 2 * ROUNDS; round++) {
		clear(x);
		x->patient = round >= ROUNDS;
		if (f->draw(x, stub, param, &r) && connected(x, scratch))
			return true;
	}
	return false;
}

int
moore_stubs_check(int64_t n, int64_t k, struct moore_err *err)
{
	if (n % 2 && k % 2)
		return moore_fail(err, MOORE_EINVAL, 0, "k=%lld: an odd number of switches needs an even k",
				  (long long)k);
	if (2 * k > n)
		return moore_fail(err, MOORE_EINVAL, 0, "k=%lld: at most half of n=%lld, give k=2..%lld",
				  (long long)k, (long long)n, (long long)n / 2);
	return 0;
}

int
moore_stubs_build(struct moore_topo *t, const struct moore_stubs_family *f, const int64_t *param,
		  int64_t seed, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	uint32_t *stub = moore_arena_alloc(&tmp, f->n_stubs + 1, sizeof(*stub));
	uint32_t *scratch = moore_arena_alloc(&tmp, 2 * (size_t)f->n, sizeof(*scratch));
	struct moore_topo_draft d;
	struct moore_stubs x;
	int rc;

	if (!stub || !scratch || !init(&x, f->n, f->width, &tmp)) {
		rc = moore_fail_nomem(err);
	} else if (!draw(f, &x, stub, scratch, param, seed)) {
		rc = moore_fail(err, MOORE_EINVAL, 0, "seed=%lld: %s", (long long)seed, f->none);
	} else if ((rc = moore_topo_draft_init(&d, t, err)) == 0) {
		for (moore_swid s = 0; s < f->n; s++)
			f->name(&d, s, param);
		join(&x, &d);
		rc = moore_topo_draft_finish(&d, err);
	}
	moore_arena_free(&tmp);
	return rc;
}
