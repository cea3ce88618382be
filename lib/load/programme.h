/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* programme.h - the linear programme of a traffic pattern, for lib/load alone: each flow of
 * one unit is divided over its routes so that the greatest load of a link is least. */
#ifndef MOORE_LOAD_PROGRAMME_H
#define MOORE_LOAD_PROGRAMME_H

#include "base/arena.h"
#include "moore/tables.h"

struct moore_programme {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	uint32_t n_offsets;	/* routes of a flow: i * n_offsets .. (i + 1) * n_offsets - 1 */
	uint32_t n_flows, cap_flows;
	uint32_t n_unrouted;	/* flows without any route, which are not among n_flows */
	uint32_t n_links;	/* links with a route over them */
	uint32_t *start;	/* [route]: its links are link[start[route]] .. start[route + 1] - 1;
				 * none: the flow has no route at this offset */
	uint32_t *link, cap_link;
	double *units;		/* with link[]: the load of that link if all takes this route */
	uint32_t cap_units;
	uint32_t *entry;	/* by port: where its link stands in the route that is being added */
	uint32_t *slot;		/* [link]: its port in f->port */
	uint32_t *index;	/* by port: 1 + its link, or 0 */
	/* The answer of moore_programme_solve(): */
	double *share;		/* [route] */
	double *load;		/* [link], of these shares */
	double *price;		/* [link], with the sum 1: the proof of `bound` */
	double greatest;	/* of load */
	double bound;		/* no shares have a lower greatest load */
	struct moore_programme_steps {
		double *x, *x_sum, *x_then, *cost, *cost_sum;		/* [route] */
		double *y, *y_sum, *y_then, *load, *load_was, *load_sum, *aim;	/* [link] */
		double theta;	/* of the last projection of prices */
		double weight;	/* of steps in prices over steps in shares */
		double gap;	/* at the last restart */
		double gap_was;	/* at the last check */
		double norm;	/* of the matrix of links by routes, at least nearly */
		unsigned n;	/* steps since the last restart */
	} s;
	struct moore_arena tmp;
};

/* Borrows f and lft; room for that many flows.  The caller ends p with
 * moore_programme_fini(), whatever this returns. */
int moore_programme_init(struct moore_programme *p, const struct moore_fabric *f,
			 const struct moore_lft *lft, uint32_t n_offsets, uint32_t cap_flows,
			 struct moore_err *err);
void moore_programme_fini(struct moore_programme *p);
/* Removes all flows. */
void moore_programme_clear(struct moore_programme *p);
struct moore_programme_pair {
	moore_swid from;
	moore_epid to;
	double units;		/* above 0 */
};
/* Adds a flow to n receivers, which has a route at each offset that leads to all of them.
 * False: out of memory. */
bool moore_programme_add(struct moore_programme *p, const struct moore_programme_pair *pair,
			 uint32_t n);
struct moore_programme_routes {
	uint32_t n;		/* at most n_offsets of the programme */
	double units;
	uint32_t *end, *slot;	/* route k takes the links of ports slot[end[k - 1]] .. slot[end[k] - 1] */
};
/* Adds a flow with these routes, over links that stand for width[slot] links each.  False: out of
 * memory. */
bool moore_programme_add_routes(struct moore_programme *p, const struct moore_programme_routes *r,
				const double *width);
static inline bool
moore_programme_leads(const struct moore_programme *p, size_t route)
{
	return p->start[route] != p->start[route + 1];
}

/* Returns the greatest load when every flow is spread evenly over its routes. */
double moore_programme_even(struct moore_programme *p);
/* The greatest load of a link with these shares of the routes. */
double moore_programme_greatest(struct moore_programme *p, const double *share);
/* Stops as soon as greatest <= bound * (1 + gap), or greatest <= enough. */
void moore_programme_solve(struct moore_programme *p, double gap, double enough);

#endif
