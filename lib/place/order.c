// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* order.c - decides which switches share a cabinet: it orders the switches, and consecutive
 * ones fill the cabinets.
 *
 * Fujiwara 2014 takes the order of the plan.  The order by structure uses the class that
 * the family's row below gives each switch, and takes one class after the other: in a Slim
 * Fly the columns (0, x, *) and (1, x, *), which are joined by a perfect matching (cf.
 * Besta and Hoefler, SC'14, section VI); in an MLFM a column of local switches with half of
 * the global switches that it shares; in an OFT the counterparts that share all points.
 * Within a class, and for unknown families, each cabinet is filled by always adding the
 * switch with most links into it.
 * Elsewhere: exchanging switches afterwards (place.c, anneal.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "place_impl.h"

/* ---- classes: one row for each family ------------------------------------------- */

static uint32_t
slimfly_switches(const int64_t *v)
{
	return (uint32_t)(2 * v[0] * v[0]);
}

static uint32_t
slimfly_class(const int64_t *v, uint32_t i)
{
	return i / (uint32_t)v[0] % (uint32_t)v[0];
}

static uint32_t
mlfm_switches(const int64_t *v)
{
	return (uint32_t)(v[1] * (v[0] + 1) + v[0] * (v[0] + 1) / 2);
}

/* Global switches are numbered by pairs of columns a < b.  Those with an odd sum belong to
 * column a, those with an even sum to b. */
static uint32_t
mlfm_class(const int64_t *v, uint32_t i)
{
	const uint32_t columns = (uint32_t)v[0] + 1, locals = (uint32_t)v[1] * columns;
	uint32_t a = 0, left;

	if (i < locals)
		return i % columns;
	for (left = i - locals; left >= columns - 1 - a; a++)
		left -= columns - 1 - a;
	return (a + a + 1 + left) % 2 ? a : a + 1 + left;
}

static uint32_t
oft_switches(const int64_t *v)
{
	return (uint32_t)(3 * (v[0] * v[0] - v[0] + 1));
}

static uint32_t
oft_class(const int64_t *v, uint32_t i)
{
	return i % (uint32_t)(v[0] * v[0] - v[0] + 1);
}

static const struct {
	const char *family;
	size_t n_params;
	uint32_t (*switches)(const int64_t *v);
	uint32_t (*class_of)(const int64_t *v, uint32_t i);
} families[] = {
	{ "slimfly", 1, slimfly_switches, slimfly_class },
	{ "mlfm", 2, mlfm_switches, mlfm_class },
	{ "oft", 1, oft_switches, oft_class },
};

/* A plan may name a family and still have another graph.  Then the numbers of switches
 * usually differ; if they agree, the order is valid but less good. */
static void
fill_classes(uint32_t *class, const struct moore_plan *p)
{
	for (size_t f = 0; p->family && f < ARRAY_LEN(families); f++) {
		if (strcmp(families[f].family, p->family) || p->n_params < families[f].n_params)
			continue;
		for (size_t k = 0; k < families[f].n_params; k++)
			if (p->value[k] < 1 || p->value[k] > 1000)
				return;
		if (families[f].switches(p->value) != p->n_switches)
			return;
		for (uint32_t i = 0; i < p->n_switches; i++)
			class[i] = families[f].class_of(p->value, i);
	}
}

/* ---- growth ------------------------------------------------------------------------ */

struct growth {
	const struct moore_links_of *links;
	uint32_t *class, *gain;		/* gain: links of a switch into the cabinet being filled */
	uint32_t *queue;		/* all switches, sorted by class */
	uint32_t *near;			/* the switches with a gain */
	uint32_t n_near;
	uint64_t *done;
};

struct by_class {
	uint32_t class, i;
};

static int
class_cmp(const void *x, const void *y)
{
	const struct by_class *a = x, *b = y;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->i > b->i) - (a->i < b->i);
}

static bool
fill_queue(struct growth *g)
{
	struct by_class *c = malloc((g->links->n + 1u) * sizeof(*c));

	if (!c)
		return false;
	for (uint32_t i = 0; i < g->links->n; i++)
		c[i] = (struct by_class){ g->class[i], i };
	qsort(c, g->links->n, sizeof(*c), class_cmp);
	for (uint32_t i = 0; i < g->links->n; i++)
		g->queue[i] = c[i].i;
	free(c);
	return true;
}

static void
put_in(struct growth *g, uint32_t i)
{
	const struct moore_links_of *k = g->links;

	moore_bits_set(g->done, i);
	for (uint32_t e = k->start[i]; e < k->start[i + 1]; e++) {
		if (!g->gain[k->peer[e]] && !moore_bits_get(g->done, k->peer[e]))
			g->near[g->n_near++] = k->peer[e];
		g->gain[k->peer[e]] += k->weight[e];
	}
}

/* Chooses, in the class being placed, the switch with most links into the cabinet; if none
 * has links, the next switch. */
static uint32_t
choose(const struct growth *g, uint32_t next)
{
	uint32_t best = next;

	for (uint32_t k = 0; k < g->n_near; k++) {
		const uint32_t i = g->near[k];

		if (moore_bits_get(g->done, i) || g->class[i] != g->class[next])
			continue;
		if (g->gain[i] > g->gain[best] || (g->gain[i] == g->gain[best] && i < best))
			best = i;
	}
	return best;
}

static void
close_cabinet(struct growth *g)
{
	memset(g->gain, 0, g->links->n * sizeof(*g->gain));
	g->n_near = 0;
}

static void
grow(struct growth *g, uint32_t *order, uint32_t size)
{
	for (uint32_t n = 0, next = 0; n < g->links->n; n++) {
		if (n % size == 0)
			close_cabinet(g);
		while (moore_bits_get(g->done, g->queue[next]))
			next++;
		order[n] = choose(g, g->queue[next]);
		put_in(g, order[n]);
	}
}

int
moore_place_order(uint32_t *order, const struct moore_plan *p, const struct moore_links_of *links,
		  uint32_t size, bool structure, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct growth g = { .links = links };
	int rc = 0;

	for (uint32_t i = 0; i < links->n; i++)
		order[i] = i;
	if (!structure)
		return 0;
	g.class = moore_arena_alloc(&tmp, links->n + 1u, sizeof(*g.class));
	g.gain = moore_arena_alloc(&tmp, links->n + 1u, sizeof(*g.gain));
	g.queue = moore_arena_alloc(&tmp, links->n + 1u, sizeof(*g.queue));
	g.near = moore_arena_alloc(&tmp, links->n + 1u, sizeof(*g.near));
	g.done = moore_arena_alloc(&tmp, moore_bits_words(links->n) + 1, sizeof(*g.done));
	if (!g.class || !g.gain || !g.queue || !g.near || !g.done) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	fill_classes(g.class, p);
	if (!fill_queue(&g)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	grow(&g, order, size);
out:
	moore_arena_free(&tmp);
	return rc;
}
