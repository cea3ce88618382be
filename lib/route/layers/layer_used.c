// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_used.c - keeps the first and last links that earlier routes of each pair used: as masks, or, with
 * few trees for each root, as the links of every tree, from which masks are made when trees of a root
 * are made (layer_used.h). */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_tree.h"

/* With so many trees of a root or fewer, their links take less memory than the masks, and little
 * time to read again. */
#define FEW_TREES 8

/* Sets the masks of root d as if it had no tree yet. */
static void
start_root(const struct moore_rgraph *g, uint32_t d, struct moore_rused *used)
{
	memset(used, 0, g->n * sizeof(*used));
	for (uint32_t o = g->xadj[d]; o < g->xadj[d + 1]; o++)
		for (uint32_t r = g->to[o], k = g->xadj[r]; k < g->xadj[r + 1]; k++) {
			struct moore_rused *u = &used[g->to[k]];
			bool more = u->n_minimal < 2 && moore_rgraph_is_planned(g, o) && moore_rgraph_is_planned(g, k);

			u->n_minimal = (uint8_t)(u->n_minimal + more);
		}
}

static void
start_job(void *arg, unsigned worker, size_t root)
{
	const struct moore_rlayers *v = arg;
	const struct moore_rgraph *g = v->minimal->v->g;

	(void)worker;
	start_root(g, (uint32_t)root, v->used + root * g->n);
}

bool
moore_rused_init(struct moore_rlayers *v, uint32_t n_trees)
{
	size_t n = v->minimal->v->g->n;

	if (n_trees <= FEW_TREES)
		return (v->links = calloc(n + 1, sizeof(*v->links)));
	if (!(v->used = malloc((n * n + 1) * sizeof(*v->used))))
		return false;
	moore_jobs_run(v->jobs, moore_jobs_width(v->jobs, n), n, start_job, v);
	return true;
}

static void
forget_own(struct moore_rused *used, uint32_t n)
{
	for (uint32_t s = 0; s < n; s++)
		used[s].own_first = used[s].own_last = 0;
}

void
moore_rused_open(struct moore_rlayer_tree *w)
{
	const struct moore_rgraph *g = w->view->g;
	const struct moore_rused_links *k;

	w->used = w->v->used;
	if (!w->v->links) {
		w->used += (size_t)w->root * g->n;
		return;
	}
	start_root(g, w->root, w->used);
	k = &w->v->links[w->root];
	for (uint32_t t = 0; t < k->n_trees; t++) {
		const uint8_t *slot = k->slot + (size_t)t * g->n * 2;

		if (t == k->own)
			forget_own(w->used, g->n);
		for (uint32_t s = 0; s < g->n; s++, slot += 2)
			if (slot[0] != MOORE_SLOT_NONE)
				moore_rused_add(&w->used[s], slot[0], slot[1]);
	}
}

void
moore_rused_begin(struct moore_rlayer_tree *w)
{
	size_t n = w->view->g->n;
	struct moore_rused_links *k = w->v->links ? &w->v->links[w->root] : NULL;
	uint8_t *slot = k ? realloc(k->slot, (k->n_trees + 1) * n * 2) : NULL;

	if (!k)
		return;
	w->noted = NULL;
	if (!slot) {
		w->v->oom = true;
		return;
	}
	k->slot = slot;
	w->noted = slot + k->n_trees++ * n * 2;
	memset(w->noted, MOORE_SLOT_NONE, n * 2);
}

void
moore_rused_begin_variant(struct moore_rlayer_tree *w)
{
	const struct moore_ronward *o = w->v->onward;

	if (w->v->links)
		w->v->links[w->root].own = w->v->links[w->root].n_trees;
	moore_rused_begin(w);
	for (uint32_t s = 0; s < w->view->g->n; s++) {
		w->used[s].own_first = w->used[s].own_last = 0;
		if (s != w->root)
			moore_rused_note(w, s, w->slot[s] & 63, o[s].end);
	}
}
