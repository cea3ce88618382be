/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* net.h - links between switches as arcs, and shortest paths to one switch. */
#ifndef MOORE_LOAD_MODEL_NET_H
#define MOORE_LOAD_MODEL_NET_H

#include "base/arena.h"
#include "moore/predict.h"

struct moore_net {
	const struct moore_fabric *f;
	uint32_t n;
	uint32_t *at;		/* arcs of switch s: at[s] to at[s + 1] - 1 */
	moore_swid *to;
	uint32_t *port;		/* of f->port[], that sends */
};
int moore_net_init(struct moore_net *net, const struct moore_fabric *f, struct moore_arena *mem,
		   struct moore_err *err);

struct moore_ways {		/* to one switch */
	moore_swid *order;	/* those that reach it, the nearest first */
	uint32_t n_order;
	uint32_t *far;		/* hops plus 1; 0: does not reach it, or was not searched */
	double *paths;		/* shortest ones */
};
bool moore_ways_init(struct moore_ways *w, const struct moore_net *net, struct moore_arena *mem);

/* Searches from x until n_wanted of the switches with wanted[s] > 0 are reached (NULL: all).
 * O(links). */
void moore_ways_to(struct moore_ways *w, const struct moore_net *net, moore_swid x, const double *wanted,
		   uint32_t n_wanted);

/* Sends amount[s] from each switch to the one of w, evenly over all shortest paths, and adds to load.
 * amount[] is zero afterwards.  Returns what has no path. */
double moore_ways_send(const struct moore_ways *w, const struct moore_net *net, double *amount, double *load);

/* Follows the tables from a switch to the switch of a LID: port[] are those that send, of f->port[], with
 * room for MOORE_HOPS_MAX.  Returns how many, MOORE_NONE when the tables do not lead there. */
uint32_t moore_net_follow(const struct moore_fabric *f, const struct moore_lft *lft, moore_swid from,
			  moore_lid lid, moore_swid to, uint32_t *port);
/* -MOORE_EINVAL unless lft is of this fabric. */
int moore_net_check(const struct moore_fabric *f, const struct moore_lft *lft, struct moore_err *err);

/* ---- paths to many switches, from few sources each --------------------------------------- */

#define MOORE_NEAR_SWITCHES 64	/* that are searched at once, a bit for each */

struct moore_near {
	uint64_t *seen, *front, *next;	/* by switch */
	uint8_t *far;		/* [s * MOORE_NEAR_SWITCHES + x]: hops from s to the x-th plus 1; 0: none
				 * lead there */
	double *paths;		/* by switch: shortest paths to the present one; 0: not counted */
	moore_swid *counted;	/* those that were */
	uint32_t n_counted;
};
bool moore_near_init(struct moore_near *w, const struct moore_net *net, struct moore_arena *mem);

/* Sets the distances to x[0..n_x-1], at most MOORE_NEAR_SWITCHES.  False if one is over 254 hops: use
 * moore_ways_to().  O(links * diameter). */
bool moore_near_to(struct moore_near *w, const struct moore_net *net, const moore_swid *x, uint32_t n_x);

/* Counts the shortest paths from s to x[i], and remembers them until moore_near_forget() is called, which is before
 * the next i.  Calls itself as deep as the distance. */
double moore_near_count(struct moore_near *w, const struct moore_net *net, uint32_t i, moore_swid s);
void moore_near_forget(struct moore_near *w);

/* Sends amount[s] from each of the sources to x[i], evenly over all shortest paths, and adds to load.
 * amount[] is zero afterwards.  Returns what has no path.  O(links of the switches on the paths). */
double moore_near_send(struct moore_near *w, const struct moore_net *net, uint32_t i,
		       const moore_swid *source, uint32_t n_sources, double *amount, double *load);

/* ---- adaptive routing ----------------------------------------------------------------- */

struct moore_pair {		/* what one switch sends to another */
	moore_swid to, from;
	uint32_t n_direct;	/* of its MOORE_ADAPT_PATHS paths; the others are indirect */
	double amount;
};

#define MOORE_ADAPT_PATHS 4	/* of a pair in one round */

#define MOORE_ADAPT_PAIRS 20000000u	/* at most: 0.2 kB each */
int moore_adapt_too_many(uint64_t n, const struct moore_predict_opts *o, struct moore_err *err);

/* Adds the adaptive routings' traffic to load[]: see adapt.c.  flow[] is in the order of to. */
int moore_predict_adaptive(struct moore_predicted *out, const struct moore_net *net,
			   const struct moore_pair *flow, uint32_t n_flows,
			   const struct moore_predict_opts *o, struct moore_arena *mem, struct moore_err *err);

#endif
