// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* draw_orbits.c - the order of the switches of a SpectralFly on a ring.
 *
 * Its switches are matrices m of two rows over the integers modulo q, up to a factor, and links join m and
 * m s for generators s.  So m -> u m keeps all links, for u = (1 1; 0 1), whose q-th power is the unit
 * matrix: the graph has a picture that looks the same when it is turned by a q-th.  Each part of the ring
 * holds one switch of each orbit; a switch lies in the part of the neighbour from which it is found first.
 * The names hold the matrices (lib/topo/lps.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "design/draw.h"

struct matrix {
	uint32_t a, b, c, d;	/* the first one of a and b that is not 0 is 1 */
};

struct named {
	struct matrix m;
	uint32_t sw;
};

struct orbits {
	uint32_t q, n;
	struct named *named;		/* sorted by matrix */
	struct matrix *m;		/* of each switch */
	uint32_t *at, *to;		/* neighbours of each switch */
	uint32_t *first;		/* of each orbit, its switch in part 0 */
	bool *taken;
};

static int
by_matrix(const void *x, const void *y)
{
	return memcmp(x, y, sizeof(struct matrix));
}

static struct matrix
scale(struct matrix m, uint32_t by, uint32_t q)
{
	return (struct matrix){ m.a * by % q, m.b * by % q, m.c * by % q, m.d * by % q };
}

/* Returns the switch u m, MOORE_NONE if no switch has its name. */
static uint32_t
turn(const struct orbits *o, uint32_t sw)
{
	const struct matrix m = o->m[sw];
	struct named key = { .m = { (m.a + m.c) % o->q, (m.b + m.d) % o->q, m.c, m.d } };
	const uint32_t lead = key.m.a ? key.m.a : key.m.b;
	const struct named *found;

	for (uint32_t by = 1; by < o->q; by++)
		if (lead * by % o->q == 1) {
			key.m = scale(key.m, by, o->q);
			break;
		}
	found = bsearch(&key, o->named, o->n, sizeof(*o->named), by_matrix);
	return found ? found->sw : MOORE_NONE;
}

static bool
read_names(struct orbits *o, const struct moore_plan *p)
{
	for (size_t i = 0; i < p->n_params; i++)
		if (!strcmp(p->key[i], "q"))
			o->q = (uint32_t)p->value[i];
	for (uint32_t s = 0; s < o->n; s++) {
		struct matrix *m = &o->m[s];
		char end;

		if (sscanf(p->sw[s].name, "l%5u-%5u-%5u-%5u%c", &m->a, &m->b, &m->c, &m->d, &end) != 4)
			return false;
		o->named[s] = (struct named){ *m, s };
	}
	qsort(o->named, o->n, sizeof(*o->named), by_matrix);
	return o->q > 1;
}

static void
fill_neighbours(struct orbits *o, const struct moore_plan *p)
{
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (unsigned e = 0; e < 2; e++)
			o->at[p->cable[i].sw[e] + 2]++;
	for (uint32_t s = 2; s < o->n + 2; s++)
		o->at[s] += o->at[s - 1];
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (unsigned e = 0; e < 2; e++)
			o->to[o->at[p->cable[i].sw[e] + 1]++] = p->cable[i].sw[!e];
}

/* Takes the orbit of a switch, unless that is done; false if it is not whole. */
static bool
take(struct orbits *o, uint32_t *n_orbits, uint32_t sw)
{
	uint32_t v = sw;

	if (o->taken[sw])
		return true;
	for (uint32_t part = 0; part < o->q; part++) {
		if (v == MOORE_NONE || o->taken[v])
			return false;
		o->taken[v] = true;
		v = turn(o, v);
	}
	o->first[(*n_orbits)++] = sw;
	return v == sw;
}

static bool
find_orbits(struct orbits *o, uint32_t *n_orbits)
{
	for (uint32_t s = 0, i = 0; s < o->n; s++) {
		if (!take(o, n_orbits, s))
			return false;
		for (; i < *n_orbits; i++)
			for (uint32_t v = o->first[i], k = o->at[v]; k < o->at[v + 1]; k++)
				if (!take(o, n_orbits, o->to[k]))
					return false;
	}
	return true;
}

bool
cli_draw_orbits(struct drawing *d, uint32_t *order, const struct moore_plan *p)
{
	const size_t n = (size_t)p->n_switches + 2;
	struct orbits o = { 0, p->n_switches, calloc(n, sizeof(*o.named)), calloc(n, sizeof(*o.m)),
			    calloc(n, sizeof(*o.at)), calloc(2 * (size_t)p->n_cables + 1, sizeof(*o.to)),
			    calloc(n, sizeof(*o.first)), calloc(n, sizeof(*o.taken)) };
	uint32_t n_orbits = 0;
	bool good = o.named && o.m && o.at && o.to && o.first && o.taken && read_names(&o, p);

	if (good) {
		fill_neighbours(&o, p);
		good = find_orbits(&o, &n_orbits);
	}
	for (uint32_t i = 0; good && i < n_orbits; i++)
		for (uint32_t part = 0, v = o.first[i]; part < o.q; part++, v = turn(&o, v)) {
			order[part * n_orbits + i] = v;
			d->node[v].part = part;
		}
	if (good)
		d->n_parts = o.q;
	free(o.named);
	free(o.m);
	free(o.at);
	free(o.to);
	free(o.first);
	free(o.taken);
	return good;
}
