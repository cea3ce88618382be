// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* grown.c - the trees of the intended graph, kept by the caller from build to build.
 *
 * They do not depend on what is missing, so after a cut a build that has them only repairs
 * them.  All that they depend on is written into a key: the intended graph with all numbers
 * of nodes and slots, settings, and the switches' hosts and LID ranges.  Trees are used if
 * that key is the same byte for byte.
 *
 * What is kept of a slice is its slots, a byte for each pair of switches, and its loads, by
 * which repairs choose.  Where each LID has a tree of its own (cols.own_trees) a slice of a layer has no
 * loads. */
#include <stdlib.h>
#include <string.h>

#include "route/build.h"
#include "route/tuning.h"

struct moore_grown {
	struct moore_buf key;
	uint32_t n, n_edges;
	bool by_colour, close;	/* as in struct moore_rturns */
	/* Turns of the intended graph: by edge, */
	uint32_t *colour, *rank;
	uint32_t *pos, *parent;	/* and by node */
	uint8_t *half;
	uint32_t *load;		/* [slice * n_edges + edge] */
	uint8_t *slot;		/* [(slice * n + root) * n + node] */
};

void
moore_grown_free(struct moore_grown *g)
{
	if (!g)
		return;
	moore_buf_free(&g->key);
	free(g->colour);
	free(g->half);
	free(g->load);
	free(g->slot);
	free(g);
}

/* ---- the key ----------------------------------------------------------------------- */

static void
add_graph(struct moore_buf *key, const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;
	const uint32_t size[] = { g->n, moore_rgraph_n_intended(g), g->n_edges };
	uint8_t counts = (uint8_t)(v->flag | v->lanes * MOORE_EDGE_ONE_LANE);

	moore_buf_add(key, size, sizeof(size));
	moore_buf_add(key, g->xadj, (g->n + 1) * sizeof(*g->xadj));
	moore_buf_add(key, g->to, g->n_edges * sizeof(*g->to));
	moore_buf_add(key, g->link_weight, g->n_edges);
	moore_buf_add(key, g->is_source, g->n);
	for (uint32_t e = 0; e < g->n_edges; e++)
		moore_buf_add(key, &(uint8_t){ g->flags[e] & counts }, 1);
	for (uint32_t s = 0; s < g->n; s++)
		moore_buf_add(key, &(uint8_t){ moore_rview_transit(v, s) }, 1);
}

static void
add_columns(struct moore_buf *key, const struct moore_rcolumns *c, uint32_t n)
{
	const uint32_t size[] = { c->n_offsets, c->n_variants, c->n_places, c->own_trees };

	moore_buf_add(key, size, sizeof(size));
	moore_buf_add(key, c->hosts, (size_t)n * c->n_places);
	for (size_t i = 0; i < c->n_slices; i++)
		moore_buf_add(key, &c->col[c->slice[i]].trees, sizeof(c->col->trees));
}

static bool
make_key(struct moore_buf *key, const struct moore_rbuild *b, const struct moore_route_opts *opts)
{
	const uint32_t settings[] = { opts->profile, opts->layers, b->lanes_as_seen, opts->by_roles };

	moore_buf_add(key, &opts->seed, sizeof(opts->seed));
	moore_buf_add(key, settings, sizeof(settings));
	add_graph(key, &b->planned);
	add_columns(key, &b->cols, b->r->g.n);
	return !key->oom;
}

/* ---- making room ------------------------------------------------------------------- */

/* Returns NULL without memory, or where more than MOORE_GROWN_BYTES are needed. */
static struct moore_grown *
make_room(const struct moore_rbuild *b)
{
	const struct moore_rcolumns *c = &b->cols;
	size_t n = b->r->g.n, m = b->r->g.n_edges;
	size_t n_loads = (c->own_trees ? c->n_minimal : c->n_slices) * m;
	size_t n_slots = (c->n_minimal + moore_rcolumns_layer_slices(c)) * n * n;
	struct moore_grown *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	*g = (struct moore_grown){ .n = (uint32_t)n, .n_edges = (uint32_t)m, .key = MOORE_BUF_INIT };
	if (!(g->colour = calloc(2 * m + 2 * n + 1, sizeof(*g->colour))))
		goto none;
	g->rank = g->colour + m;
	g->pos = g->rank + m;
	g->parent = g->pos + n;
	if (n_slots + n_loads * sizeof(*g->load) > MOORE_GROWN_BYTES)
		goto none;
	g->half = malloc(n + 1);
	g->slot = calloc(n_slots + 1, 1);
	g->load = malloc((n_loads + 1) * sizeof(*g->load));
	if (g->half && g->slot && g->load)
		return g;
none:
	moore_grown_free(g);
	return NULL;
}

void
moore_rgrown_open(struct moore_rbuild *b, const struct moore_route_opts *opts)
{
	struct moore_buf key = MOORE_BUF_INIT;
	struct moore_grown *was = opts->grown ? *opts->grown : NULL;
	bool known = opts->grown && make_key(&key, b, opts);

	if (known && was && was->key.len == key.len && !memcmp(was->key.data, key.data, key.len)) {
		b->grown = was;
		moore_buf_free(&key);
		return;
	}
	if (opts->grown)
		*opts->grown = NULL;	/* first, since both would need twice the room */
	moore_grown_free(was);
	b->growing = known && !b->hinted ? make_room(b) : NULL;
	if (b->growing)
		b->growing->key = key;
	else
		moore_buf_free(&key);
}

void
moore_rgrown_close(struct moore_rbuild *b, const struct moore_route_opts *opts, bool complete)
{
	if (complete && b->growing)
		*opts->grown = b->growing;
	else
		moore_grown_free(b->growing);
	b->growing = NULL;
}

/* ---- turns -------------------------------------------------------------------------- */

void
moore_rgrown_keep_turns(struct moore_rbuild *b)
{
	const struct moore_rturns *t = &b->plan_turns;
	struct moore_grown *g = b->growing;

	if (!g)
		return;
	g->by_colour = b->colour != NULL;
	g->close = t->close;
	if (b->colour)
		memcpy(g->colour, b->colour, g->n_edges * sizeof(*g->colour));
	memcpy(g->rank, t->rank, g->n_edges * sizeof(*g->rank));
	memcpy(g->pos, t->pos, g->n * sizeof(*g->pos));
	memcpy(g->parent, t->parent, g->n * sizeof(*g->parent));
	memcpy(g->half, t->half, g->n);
}

int
moore_rgrown_turns(struct moore_rbuild *b, struct moore_err *err)
{
	const struct moore_grown *g = b->grown;
	struct moore_rturns *t = &b->plan_turns;

	t->close = b->r->turns.close = g->close;
	t->by_colour = g->by_colour;
	memcpy(t->rank, g->rank, g->n_edges * sizeof(*g->rank));
	memcpy(t->pos, g->pos, g->n * sizeof(*g->pos));
	memcpy(t->parent, g->parent, g->n * sizeof(*g->parent));
	memcpy(b->r->half, g->half, g->n);
	if (!g->by_colour)
		return 0;
	if (!(b->colour = malloc((g->n_edges + (size_t)1) * sizeof(*b->colour))))
		return moore_fail_nomem(err);
	memcpy(b->colour, g->colour, g->n_edges * sizeof(*g->colour));
	return moore_rturns_set_entries(t, &b->r->g, NULL, err);
}

/* ---- trees -------------------------------------------------------------------------- */

uint8_t *
moore_rgrown_slice(const struct moore_grown *g, size_t slice)
{
	return g->slot + slice * g->n * g->n;
}

void
moore_rgrown_keep_loads(struct moore_grown *g, size_t slice, const uint32_t *load)
{
	memcpy(g->load + slice * g->n_edges, load, g->n_edges * sizeof(*load));
}

void
moore_rgrown_loads(const struct moore_grown *g, size_t slice, uint32_t *load)
{
	memcpy(load, g->load + slice * g->n_edges, g->n_edges * sizeof(*load));
}
