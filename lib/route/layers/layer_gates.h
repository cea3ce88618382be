/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* layer_gates.h - the steps of a tree around gates (layer_gates.c), which layer_relays.c takes, too. */
#ifndef MOORE_ROUTE_LAYER_GATES_H
#define MOORE_ROUTE_LAYER_GATES_H

#include "route/layers/layer_tree.h"

/* Makes e, which does not lead to the root, the parent edge of s for good: adds the load of s. */
void moore_rgates_take(struct moore_rlayer_tree *w, uint32_t s, uint32_t e);

/* Chooses gates, and relays whose routes become final; ties go by `from`. */
void moore_rgates_open(struct moore_rlayer_tree *w, uint32_t from);

/* Whether the tail of edge e may come to its head. */
static inline bool
is_open(const struct moore_rlayer_tree *w, uint32_t e)
{
	return w->view->g->flags[e] & w->view->flag &&
		(!w->slice->one_lane || moore_rview_leaf(w->view, w->slot, w->root, e));
}

#endif
