// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* layer_models.c - where classes are paired, as the columns of an MLFM, trees of the same class's
 * roots that look alike (layer_middles.c has the words).
 *
 * Let every switch of class a send to another of class b.  A detour over class c goes down a link from
 * the middle switch of a and c to the intermediate of its tree in c, and such a link can carry no more
 * than one endpoint.  In the trees of one root the switches of a divide themselves evenly between those
 * links, since each use makes a link dearer for the others.  But they send to different roots.  If a
 * switch chose otherwise in the trees of each root, then for some permutation many would choose the same
 * link, and others none.  If it chooses the same, then links are used as evenly for every permutation as
 * for one root.
 *
 * So a tree is made like its *model*: the first tree in the same layer, of a root in the same class,
 * whose intermediates have the same places.  Where a node has another parent than in the model, it
 * pays MOORE_PRICE_UNLIKE: trees can still differ where ranks do, and where links would be loaded
 * unevenly.  With one layer an endpoint has one detour only, and trees that are alike leave a switch
 * fewer first and last links; so there are no models. */
#include <stdlib.h>
#include <string.h>

#include "route/layers/layer_mtree.h"

/* The models of one strand, which has every MOORE_STRANDS-th class. */
static size_t
n_models(const struct moore_rmtrees *w)
{
	return ((size_t)w->classes->n_classes / MOORE_STRANDS + 1) * w->max_size * w->n_layers;
}

bool
moore_rmtrees_alloc_models(struct moore_rmtrees *w)
{
	const struct moore_rmiddles *c = w->classes;

	for (uint32_t k = 0; c->paired && w->n_layers > 1 && k < c->n_classes; k++)
		w->max_size = c->size[k] > w->max_size ? c->size[k] : w->max_size;
	w->models = calloc(n_models(w) + 1, w->v->g->n);
	return w->models;
}

void
moore_rmtrees_forget_models(struct moore_rmtrees *w)
{
	memset(w->models, MOORE_SLOT_NONE, n_models(w) * w->v->g->n);
}

uint8_t *
moore_rmtrees_find_model(const struct moore_rmtrees *w)
{
	const struct moore_rmiddles *c = w->classes;
	uint32_t k = c->class_of[w->t.root], layer = w->n_built % w->n_layers;
	size_t place;

	if (!w->max_size || k == MOORE_NONE)
		return NULL;
	place = k / MOORE_STRANDS * (size_t)w->max_size + moore_rmtrees_first_place(w) % c->size[k];
	return w->models + (place * w->n_layers + layer) * w->v->g->n;
}

void
moore_rmtrees_keep_model(struct moore_rmtrees *w)
{
	for (uint32_t s = 0; s < w->v->g->n; s++)
		if (w->model[s] == MOORE_SLOT_NONE)
			w->model[s] = w->t.slot[s];
}
