// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_layer.c - the trees of one slice of sl-hint, made side by side.
 *
 * The roots are divided into strands.  Minimal trees are given.  Table A is right for all of them, and for
 * all that are noted before, so they meet each other whatever their sequence; only one that is not whole
 * has to heed the loads of others.
 *
 * The trees of a layer are grown.  A tree heeds the loads at the beginning of the layer and
 * those of earlier trees of its own strand, and the routes of earlier layers.  It does not know
 * the routes that the other trees of the layer take the other way, so it can lack a table in
 * common with them; of two such trees that of the greater root is mended afterwards, as are
 * all where links are missing, one after the other.  (Three hops always have one: see the
 * senses of hint_plan.c.)  If no link is missing such a tree is grown anew first, since it then
 * knows the others.  So the trees depend on the number of strands, but not on that of the
 * workers. */
#include <stdlib.h>
#include <string.h>

#include "route/hint/hint_tree.h"
#include "route/tuning.h"

#define BLOCK 32		/* roots whose entries of met[] fill a cache line */
#define PART 64			/* nodes whose entries of a tree do */

struct layer {
	struct moore_rhint *h;
	const struct moore_rview *planned, *up;
	const uint32_t *n_connected;
	const uint8_t *present;	/* by root: LIDs that its tree serves; 0: it has no tree */
	uint32_t number;	/* of the first layer that shares the trees */
	const uint8_t *given;	/* [root * n + node]: minimal trees; NULL: they are grown */
	bool counts;		/* their routes belong in load[] */
};

/* ---- workers ------------------------------------------------------------------------- */

int
moore_rhint_lend(struct moore_rhint *h)
{
	size_t nn = (size_t)h->g->n * h->g->n + 1;
	unsigned width = moore_jobs_width(h->jobs, MOORE_STRANDS);

	h->slots = malloc(nn);
	h->lens = malloc(nn);
	h->oks = malloc(nn);
	h->is_clean = calloc((size_t)h->g->n + 1, 1);
	if (!h->slots || !h->lens || !h->oks || !h->is_clean ||
	    !(h->worker = calloc(width, sizeof(*h->worker))))
		return -MOORE_ENOMEM;
	for (; h->n_workers < width; h->n_workers++) {
		struct moore_rhint *own = &h->worker[h->n_workers];

		*own = *h;
		if (moore_rhint_alloc_scratch(own) < 0) {
			moore_rhint_free_scratch(own);
			return -MOORE_ENOMEM;
		}
	}
	return 0;
}

/* ---- one tree -------------------------------------------------------------------------- */

static void
store(const struct moore_rhint *own, uint32_t root)
{
	size_t n = own->g->n, at = root * n;

	memcpy(own->slots + at, own->slot, n);
	memcpy(own->lens + at, own->len, n);
	memcpy(own->oks + at, own->ok, n);
}

/* Makes the tree of root the one at hand. */
static void
load(struct moore_rhint *h, uint32_t root)
{
	size_t n = h->g->n, at = root * n;

	memcpy(h->slot, h->slots + at, n);
	memcpy(h->len, h->lens + at, n);
	memcpy(h->ok, h->oks + at, n);
	h->n_reached = 0;
	for (unsigned len = 0, left = 1; left; len++) {
		left = 0;
		for (uint32_t s = 0; s < n; s++) {
			if (h->len[s] == len)
				h->queue[h->n_reached++] = s;
			left |= h->len[s] > len && h->len[s] != MOORE_LEN_NONE;
		}
	}
	h->n_queued = h->n_reached;
}

/* Whether the tree has every node, each with a route that meets those from the root in earlier
 * layers, and those to lesser roots in this one. */
static bool
is_clean(const struct layer *l, uint32_t root)
{
	const struct moore_rhint *h = l->h;
	const struct moore_rhint_tree w = { .h = l->h, .root = root, .met = h->met_up,
		.with_a = l->given };
	uint32_t n = h->g->n, n_reached = 0;

	for (uint32_t s = 0; s < n; s++) {
		size_t sr = (size_t)s * n + root, rs = (size_t)root * n + s;
		unsigned there = h->oks[rs] & OK_TABLES, back = h->oks[sr] & OK_TABLES;

		if (h->lens[rs] == MOORE_LEN_NONE)
			continue;
		n_reached++;
		if (s == root)
			continue;
		if (!moore_rhint_admits(&w, s, h->oks[rs]))
			return false;
		if (s < root && l->present[s] && !h->only_a && h->lens[sr] != MOORE_LEN_NONE &&
		    !(there & back))
			return false;
	}
	return n_reached == l->n_connected[root];
}

/* ---- jobs ------------------------------------------------------------------------------ */

static void
make_strand(void *arg, unsigned worker, size_t strand)
{
	const struct layer *l = arg;
	const struct moore_rhint *h = l->h;
	struct moore_rhint *own = &h->worker[worker];
	uint32_t n_edges = h->g->n_edges;

	memcpy(own->load, h->load, n_edges * sizeof(*own->load));
	for (uint32_t root = (uint32_t)strand; root < h->g->n; root += MOORE_STRANDS) {
		if (!l->present[root])
			continue;
		if (l->given)
			moore_rhint_take(own, l->up, root, l->given + (size_t)root * h->g->n);
		else
			moore_rhint_grow(own, l->planned, l->number, root);
		if (l->counts)
			moore_rhint_count(own, l->present[root]);
		store(own, root);
	}
	for (uint32_t e = 0; e < n_edges; e++)
		own->added[e] += own->load[e] - h->load[e];
}

static void
check_root(void *arg, unsigned worker, size_t root)
{
	const struct layer *l = arg;

	(void)worker;
	if (l->present[root])
		l->h->is_clean[root] = (l->given || l->h->g->as_planned) && is_clean(l, (uint32_t)root);
}

/* What the trees of a block add to met[] of some nodes, by root. */
struct notes {
	uint16_t bit[PART][BLOCK];
	uint16_t all[BLOCK], clean[BLOCK];	/* all bits; 0 where the tree is not clean */
};

/* Fills bit[] for n nodes from `from` on, and the roots from `first` on. */
static void
gather(const struct layer *l, struct notes *notes, uint32_t from, uint32_t n, uint32_t first)
{
	const struct moore_rhint *h = l->h;

	memset(notes->bit, 0, sizeof(notes->bit));
	for (uint32_t j = 0; j < BLOCK && first + j < h->g->n; j++) {
		size_t root = first + j, at = root * h->g->n + from;

		for (uint32_t i = 0; l->present[root] && i < n; i++)
			if (h->lens[at + i] != MOORE_LEN_NONE && from + i != root)
				notes->bit[i][j] = (uint16_t)(1u << (h->oks[at + i] & OK_TABLES));
	}
}

static inline void
add_bits(uint16_t *restrict met, const uint16_t *restrict bit, const uint16_t *restrict which, uint32_t n)
{
	for (uint32_t j = 0; j < n; j++)
		met[j] |= bit[j] & which[j];
}

/* A number that a compiler knows makes the loop short. */
static void
add_some(uint16_t *met, const uint16_t *bit, const uint16_t *which, uint32_t n)
{
	if (n < BLOCK)
		add_bits(met, bit, which, n);
	else
		add_bits(met, bit, which, BLOCK);
}

/* Notes the routes of a block of trees: what was grown in met_planned, and in met_up what is
 * clean. */
static void
note_block(void *arg, unsigned worker, size_t block)
{
	const struct layer *l = arg;
	const struct moore_rhint *h = l->h;
	uint32_t n = h->g->n, first = (uint32_t)block * BLOCK, width = n - first;
	struct notes notes;

	(void)worker;
	for (uint32_t j = 0; j < BLOCK; j++) {
		notes.all[j] = UINT16_MAX;
		notes.clean[j] = j < width && h->is_clean[first + j] ? UINT16_MAX : 0;
	}
	for (uint32_t s = 0; s < n; s++) {
		const uint16_t *bit = notes.bit[s % PART];
		size_t at = (size_t)s * n + first;

		if (s % PART == 0)
			gather(l, &notes, s, n - s < PART ? n - s : PART, first);
		if (!l->given)
			add_some(h->met_planned + at, bit, notes.all, width);
		add_some(h->met_up + at, bit, notes.clean, width);
	}
}

/* ---- the slice ----------------------------------------------------------------------- */

static void
note_all(struct layer *l)
{
	struct moore_rhint *h = l->h;
	uint32_t n_blocks = (h->g->n + BLOCK - 1) / BLOCK;

	moore_jobs_run(h->jobs, moore_jobs_width(h->jobs, n_blocks), n_blocks, note_block, l);
	for (unsigned i = 0; i < h->n_workers; i++)
		for (uint32_t e = 0; e < h->g->n_edges; e++)
			h->load[e] += h->worker[i].added[e];
}

/* Makes all trees, and finds those that are clean.  What is known of others stays as it is. */
static void
make_all(struct layer *l)
{
	struct moore_rhint *h = l->h;

	for (unsigned i = 0; i < h->n_workers; i++)
		memset(h->worker[i].added, 0, h->g->n_edges * sizeof(*h->worker[i].added));
	moore_jobs_run(h->jobs, h->n_workers, MOORE_STRANDS, make_strand, l);
	moore_jobs_run(h->jobs, moore_jobs_width(h->jobs, h->g->n), h->g->n, check_root, l);
}

bool
moore_rhint_minimal(struct moore_rhint *h, const struct moore_rview *up, const uint8_t *given, bool counts,
		    const uint8_t *present, const uint32_t *n_connected)
{
	struct layer l = { .h = h, .up = up, .n_connected = n_connected, .present = present,
		.given = given, .counts = counts };

	make_all(&l);
	for (uint32_t root = 0; root < h->g->n; root++)
		if (present[root] && !h->is_clean[root])
			return false;
	note_all(&l);
	return true;
}

/* Routes of four hops seldom have a table in common, so each tree must heed all before it. */
static uint32_t
one_by_one(const struct layer *l, uint32_t *moved)
{
	struct moore_rhint *h = l->h;

	for (uint32_t root = 0; root < h->g->n; root++) {
		const struct moore_rhint_tree grown = { .h = h, .root = root, .met = h->met_planned };

		if (!l->present[root])
			continue;
		moore_rhint_grow(h, l->planned, l->number, root);
		moore_rhint_note(&grown);
		if (!moore_rhint_mend(h, l->up, root, false, l->n_connected[root], moved))
			return root;
		moore_rhint_count(h, l->present[root]);
		store(h, root);
	}
	return MOORE_NONE;
}

uint32_t
moore_rhint_layer(struct moore_rhint *h, const struct moore_rview *planned,
		  const struct moore_rview *up, uint32_t number, const uint8_t *present,
		  const uint32_t *n_connected, uint32_t *moved)
{
	struct layer l = { .h = h, .planned = planned, .up = up, .n_connected = n_connected,
		.present = present, .number = number, .counts = true };

	if (h->kind->longest)
		return one_by_one(&l, moved);
	make_all(&l);
	note_all(&l);
	for (uint32_t root = 0; root < h->g->n; root++) {
		const struct moore_rhint_tree grown = { .h = h, .root = root, .met = h->met_planned };

		if (!present[root] || h->is_clean[root])
			continue;
		load(h, root);
		moore_rhint_count(h, -(uint32_t)present[root]);
		if (h->around && h->g->as_planned) {
			moore_rhint_grow(h, planned, number, root);
			moore_rhint_note(&grown);
		}
		if (!moore_rhint_mend(h, up, root, false, n_connected[root], moved))
			return root;
		moore_rhint_count(h, present[root]);
		store(h, root);
	}
	return MOORE_NONE;
}
