// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* grow_choose.c - chooses which switches of a plan to build first.
 *
 * Traffic runs between switches with endpoints, and in a low-diameter graph a pair of them that
 * is not at distance one or two is far apart.  So a choice is worth two for each such pair that
 * is adjacent and one for each that has a chosen common neighbour; of equal choices the one
 * with more links is better.  The switch that adds most is taken, one after the other, from
 * several first switches; from the best of these choices a tabu search goes on (Glover, 1989):
 * the switch that is worth least is exchanged for the one that adds most, also where that makes
 * the choice worse, and neither may come back for some turns.  The best choice that was met and
 * is connected is kept.
 *
 * What a switch adds follows from the number of chosen common neighbours of each pair, which is
 * kept up to date. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plan/grow.h"

#define ADJACENT 0x8000u	/* beside the number of chosen common neighbours of a pair */
#define STARTS 4
#define SEARCH_WORK 2e9		/* pairs that the search looks at: a second or two */
#define SEARCH_TURNS 20000	/* and its greatest number of turns */
#define TABU 2			/* turns for which an exchange is not undone: from 2 to 9 */
#define TABU_MORE 8

struct choice {
	uint32_t n;
	uint32_t *first, *next;		/* neighbours of s: next[first[s]] to next[first[s + 1] - 1] */
	bool *counts;			/* switches with endpoints */
	bool *in;
	uint16_t *common;		/* n * n */
	uint32_t *queue;		/* for walks */
	bool *seen;
	const bool *fixed;		/* these stay */
	uint32_t *until;		/* the turn before which a switch is not exchanged */
	uint32_t turn;
};

struct worth {
	int64_t pairs, links;
};

static bool
is_better(struct worth a, struct worth b)
{
	return a.pairs != b.pairs ? a.pairs > b.pairs : a.links > b.links;
}

/* ---- the graph ------------------------------------------------------------------------- */

static void
join(struct choice *c, const struct moore_plan *p)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < p->n_cables; i++) {
		const moore_swid *sw = p->cable[i].sw;

		c->common[(size_t)sw[0] * c->n + sw[1]] = c->common[(size_t)sw[1] * c->n + sw[0]] = ADJACENT;
	}
	for (uint32_t s = 0; s < c->n; s++) {
		c->first[s] = at;
		for (uint32_t t = 0; t < c->n; t++)
			if (c->common[(size_t)s * c->n + t])
				c->next[at++] = t;
	}
	c->first[c->n] = at;
	for (uint32_t e = 0; e < p->n_endpoints; e++)
		c->counts[p->ep[e].sw] = true;
}

static bool
new_choice(struct choice *c, const struct moore_plan *p, struct moore_arena *tmp)
{
	size_t n = p->n_switches;

	*c = (struct choice){ .n = p->n_switches };
	c->first = moore_arena_alloc(tmp, n + 1, sizeof(*c->first));
	c->next = moore_arena_alloc(tmp, 2 * (size_t)p->n_cables + 1, sizeof(*c->next));
	c->counts = moore_arena_alloc(tmp, n + 1, sizeof(*c->counts));
	c->in = moore_arena_alloc(tmp, n + 1, sizeof(*c->in));
	c->common = moore_arena_alloc(tmp, n * n + 1, sizeof(*c->common));
	c->queue = moore_arena_alloc(tmp, n + 1, sizeof(*c->queue));
	c->seen = moore_arena_alloc(tmp, n + 1, sizeof(*c->seen));
	c->until = moore_arena_alloc(tmp, n + 1, sizeof(*c->until));
	if (!c->first || !c->next || !c->counts || !c->in || !c->common || !c->queue || !c->seen ||
	    !c->until)
		return false;
	join(c, p);
	return true;
}

/* ---- one switch more or less ---------------------------------------------------------------- */

/* Chooses s, or gives it up. */
static void
put(struct choice *c, uint32_t s, bool in)
{
	c->in[s] = in;
	for (uint32_t i = c->first[s]; i < c->first[s + 1]; i++)
		for (uint32_t k = c->first[s]; k < c->first[s + 1]; k++) {
			uint16_t *pair = &c->common[(size_t)c->next[i] * c->n + c->next[k]];

			if (i != k)
				*pair = (uint16_t)(in ? *pair + 1 : *pair - 1);
		}
}

/* Counts the pairs of neighbours of s that have no other way of at most two hops. */
static uint32_t
pairs_through(const struct choice *c, uint32_t s)
{
	uint32_t n = 0;

	for (uint32_t i = c->first[s]; i < c->first[s + 1]; i++) {
		uint32_t a = c->next[i];

		if (!c->in[a] || !c->counts[a])
			continue;
		for (uint32_t k = i + 1; k < c->first[s + 1]; k++) {
			uint32_t b = c->next[k];

			n += c->in[b] && c->counts[b] && !c->common[(size_t)a * c->n + b];
		}
	}
	return n;
}

/* Returns what s, which is not chosen, would add. */
static struct worth
gain(const struct choice *c, uint32_t s)
{
	const uint16_t *pair = c->common + (size_t)s * c->n;
	struct worth w = { pairs_through(c, s), 0 };

	for (uint32_t i = c->first[s]; i < c->first[s + 1]; i++)
		w.links += c->in[c->next[i]];
	for (uint32_t t = 0; c->counts[s] && t < c->n; t++)
		if (c->in[t] && c->counts[t])
			w.pairs += pair[t] & ADJACENT ? 2 : pair[t] != 0;
	return w;
}

/* Returns the switch that adds most, of those with a link to a chosen one if there are any;
 * MOORE_NONE when none may be added. */
static uint32_t
best_to_add(const struct choice *c, struct worth *out)
{
	uint32_t best = MOORE_NONE;

	for (uint32_t s = 0; s < c->n; s++) {
		struct worth w;

		if (c->in[s] || c->until[s] > c->turn)
			continue;
		w = gain(c, s);
		if (best == MOORE_NONE || (w.links && !out->links) ||
		    ((w.links || !out->links) && is_better(w, *out))) {
			best = s;
			*out = w;
		}
	}
	return best;
}

/* Returns the switch, of those that may be given up, that is worth least, or MOORE_NONE. */
static uint32_t
least_chosen(struct choice *c, struct worth *out)
{
	uint32_t least = MOORE_NONE;

	for (uint32_t s = 0; s < c->n; s++) {
		struct worth w;

		if (!c->in[s] || c->fixed[s] || c->until[s] > c->turn)
			continue;
		put(c, s, false);
		w = gain(c, s);
		put(c, s, true);
		if (least == MOORE_NONE || is_better(*out, w)) {
			least = s;
			*out = w;
		}
	}
	return least;
}

static bool
is_connected(struct choice *c)
{
	uint32_t head = 0, tail = 0, n = 0;

	memset(c->seen, 0, c->n * sizeof(*c->seen));
	for (uint32_t s = 0; s < c->n; s++)
		if (c->in[s] && n++ == 0) {
			c->queue[tail++] = s;
			c->seen[s] = true;
		}
	while (head < tail) {
		uint32_t s = c->queue[head++];

		for (uint32_t i = c->first[s]; i < c->first[s + 1]; i++) {
			uint32_t t = c->next[i];

			if (c->in[t] && !c->seen[t]) {
				c->seen[t] = true;
				c->queue[tail++] = t;
			}
		}
	}
	return tail == n;
}

/* ---- a choice --------------------------------------------------------------------------------- */

/* What all that are chosen are worth, twice over: a pair is met at both its ends. */
static struct worth
total(const struct choice *c)
{
	struct worth sum = { 0, 0 };

	for (uint32_t s = 0; s < c->n; s++)
		if (c->in[s]) {
			struct worth w = gain(c, s);

			sum.pairs += w.pairs - pairs_through(c, s);
			sum.links += w.links;
		}
	return sum;
}

/* Chooses in[] instead. */
static void
set(struct choice *c, const bool *in)
{
	for (uint32_t s = 0; s < c->n; s++)
		if (c->in[s] != in[s])
			put(c, s, in[s]);
}

/* Chooses `want` switches, those of fixed among them, from start on if these are none. */
static void
fill(struct choice *c, uint32_t start, uint32_t want)
{
	struct worth w;
	uint32_t n = 0;

	set(c, c->fixed);
	for (uint32_t s = 0; s < c->n; s++)
		n += c->fixed[s];
	if (n == 0 && want) {
		put(c, start, true);
		n = 1;
	}
	for (; n < want; n++)
		put(c, best_to_add(c, &w), true);
}

/* Exchanges switches, and keeps in best[] the best choice that is met, which is worth `worth`. */
static void
search(struct choice *c, bool *best, struct worth worth, void (*progress)(void *arg, double share),
       void *arg)
{
	double degree = (double)c->first[c->n] / c->n, turns;

	turns = SEARCH_WORK / (c->n * (c->n + degree * degree));
	turns = turns < SEARCH_TURNS ? turns : SEARCH_TURNS;
	for (c->turn = 1; c->turn < turns; c->turn++) {
		struct worth w;
		uint32_t out = least_chosen(c, &w), in;

		if (out == MOORE_NONE)
			continue;
		put(c, out, false);
		c->until[out] = c->turn + TABU + c->turn % TABU_MORE;
		if ((in = best_to_add(c, &w)) == MOORE_NONE)
			in = out;
		put(c, in, true);
		c->until[in] = c->turn + TABU + c->turn % TABU_MORE;
		w = total(c);
		if (is_better(w, worth) && is_connected(c)) {
			worth = w;
			memcpy(best, c->in, c->n * sizeof(*best));
		}
		if (progress)
			progress(arg, c->turn / turns);
	}
}

int
moore_grow_choose(bool *in, const struct moore_plan *p, uint32_t want,
		  void (*progress)(void *arg, double share), void *arg, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct worth best = { -1, -1 };
	struct choice c;
	bool *fixed, any = false;
	int rc = 0;

	if (p->n_switches > MOORE_GROW_SWITCHES_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u switches: the search for the best ones to build "
				  "first takes plans of at most %d", p->n_switches, MOORE_GROW_SWITCHES_MAX);
	if (!(fixed = moore_arena_alloc(&tmp, (size_t)p->n_switches + 1, sizeof(*fixed))) ||
	    !new_choice(&c, p, &tmp)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t s = 0; s < c.n; s++)
		any |= fixed[s] = in[s];
	c.fixed = fixed;
	for (uint32_t i = 0; i < (any ? 1 : STARTS); i++) {
		struct worth w;

		fill(&c, (uint32_t)((uint64_t)c.n * i / STARTS), want);
		w = total(&c);
		if (is_better(w, best)) {
			best = w;
			memcpy(in, c.in, c.n * sizeof(*in));
		}
	}
	set(&c, in);
	search(&c, in, best, progress, arg);
out:
	moore_arena_free(&tmp);
	return rc;
}
