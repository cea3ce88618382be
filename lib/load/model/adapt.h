/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* adapt.h - what the files of adaptive routing share: the paths between which a flow chooses. */
#ifndef MOORE_LOAD_MODEL_ADAPT_H
#define MOORE_LOAD_MODEL_ADAPT_H

#include "base/random.h"
#include "load/model/net.h"

static inline double
moore_adapt_random(struct moore_rng *rng)	/* 0 to 1, without 1 */
{
	return (double)(moore_rng_next(rng) >> 11) * 0x1p-53;
}

/* ---- direct paths: one by one (direct.c) ------------------------------------------------------- */

struct moore_direct {		/* of one flow; all are shortest, and so equally long */
	const uint32_t *port;	/* that sends: [path * hops + hop] */
	uint32_t hops;
	uint32_t paths;
};

struct moore_directs {
	struct moore_direct *flow;	/* by place */
	uint32_t **room;		/* the ports of each batch of receivers */
	size_t n_room;
};

/* Draws up to n_direct different shortest paths of each flow.  flow[] is in the order of .to; place[i] says
 * where the paths of flow i go.  -MOORE_ENOMEM.  moore_directs_free() frees them in any case.
 * O(links * diameter) for each 64 receivers, and O(paths * hops * degree) for each flow. */
int moore_directs_draw(struct moore_directs *out, const struct moore_net *net, const struct moore_pair *flow,
		       uint32_t n_flows, const uint32_t *place,
		       const struct moore_predict_opts *o, struct moore_arena *mem, struct moore_err *err);
void moore_directs_free(struct moore_directs *d);

/* ---- indirect paths: by trees (tree.c) ------------------------------------------------------------ */

/* A tree has one shortest path from each switch to its root, and the same path back.  So two values of a switch tell
 * all that matters of its two paths: their least link, and what is to be added to each of their links. */
struct moore_tree {
	moore_swid *order;	/* the switches that reach the root, which is the first; parents before children */
	uint32_t n;
	moore_swid *parent;
	struct moore_half {	/* by switch: the link to the parent, and the one back */
		uint32_t port;	/* that sends */
		float least;	/* of the values of the links up to the root; 0: there is no path */
		double sum;	/* to be added to these links */
		double sent;
	} *up, *down;
};

struct moore_tree_work {	/* of one worker */
	uint32_t *far;
	double *paths;
};

bool moore_tree_init(struct moore_tree *t, uint32_t n_switches, struct moore_arena *mem);
/* Draws a tree: each path is one of the shortest, and all are equally likely.  back[k] is the port that sends
 * along arc k in the other direction.  O(links). */
void moore_tree_draw(struct moore_tree *t, const struct moore_net *net, const uint32_t *back, moore_swid root,
		     struct moore_tree_work *w, struct moore_rng *rng);
/* Sets the least of value[], by port, on each path. */
void moore_tree_least(struct moore_tree *t, const double *value);
/* Adds the sums of all paths to at[], by port, and clears them; so does the second with what is sent. */
void moore_tree_add_sums(struct moore_tree *t, double *at);
void moore_tree_add_sent(struct moore_tree *t, double *at);

#endif
