/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* igraph_oracle.h - igraph's word on two graphs, for tests and benches.
 *
 * The only file that meets igraph (GPL 2 or later): its errors come back as codes,
 * it draws nothing at random here.  BLISS compares canonical forms of simple graphs
 * and cannot be stopped (igraph 0.10 then frees what BLISS still uses); of parallel
 * links VF2 is asked, their number being the colour of one link, until the time
 * allowed is over. */
#ifndef MOORE_TEST_IGRAPH_ORACLE_H
#define MOORE_TEST_IGRAPH_ORACLE_H

#include <stdlib.h>
#include <time.h>

#include <igraph/igraph.h>

#include "moore/topo.h"

enum oracle_says { ORACLE_DIFFER, ORACLE_SAME, ORACLE_STOPPED };
enum oracle_how { ORACLE_BLISS, ORACLE_VF2 };

static double oracle_until;		/* of oracle_now; 0: for ever */

static inline double
oracle_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static igraph_error_t
oracle_stop(void *data)
{
	(void)data;
	if (!oracle_until || oracle_now() < oracle_until)
		return IGRAPH_SUCCESS;
	IGRAPH_FINALLY_FREE();
	return IGRAPH_INTERRUPTED;
}

static void
oracle_init(void)
{
	igraph_set_error_handler(igraph_error_handler_ignore);
	igraph_set_interruption_handler(oracle_stop);
}

static void
oracle_graph(igraph_t *g, uint32_t n, const struct moore_topo_link *link, size_t n_links)
{
	igraph_vector_int_t edge;

	if (igraph_vector_int_init(&edge, 2 * (igraph_integer_t)n_links))
		abort();
	for (size_t i = 0; i < n_links; i++) {
		VECTOR(edge)[2 * i] = link[i].a;
		VECTOR(edge)[2 * i + 1] = link[i].b;
	}
	if (igraph_create(g, &edge, n, IGRAPH_UNDIRECTED))
		abort();
	igraph_vector_int_destroy(&edge);
}

static void
oracle_colour(igraph_vector_int_t *v, uint32_t n, const uint32_t *colour)
{
	if (igraph_vector_int_init(v, n))
		abort();
	for (uint32_t i = 0; i < n; i++)
		VECTOR(*v)[i] = colour[i];
}

/* One link in place of parallel ones, with their number. */
static void
oracle_simplify(igraph_t *g, igraph_vector_int_t *times)
{
	igraph_t simple;
	igraph_vector_int_t own;

	if (igraph_vector_int_init(times, 0) || igraph_vector_int_init(&own, 0) ||
	    igraph_simplify_and_colorize(g, &simple, &own, times))
		abort();
	igraph_vector_int_destroy(&own);
	igraph_destroy(g);
	*g = simple;
}

/* Are two graphs alike, colours (of a, then of b) kept?  *took: seconds of igraph's
 * own search, of VF2 up to allowed. */
static enum oracle_says
oracle_ask(enum oracle_how how, uint32_t n, const struct moore_topo_link *a,
	   const struct moore_topo_link *b, size_t n_links, const uint32_t *colour,
	   double allowed, double *took)
{
	igraph_t g, h;
	igraph_vector_int_t of_g, of_h, map, times_g, times_h;
	igraph_bool_t same = false;
	igraph_error_t rc;

	oracle_graph(&g, n, a, n_links);
	oracle_graph(&h, n, b, n_links);
	oracle_colour(&of_g, n, colour);
	oracle_colour(&of_h, n, colour + n);
	if (how == ORACLE_VF2) {
		oracle_simplify(&g, &times_g);
		oracle_simplify(&h, &times_h);
	}
	if (igraph_vector_int_init(&map, 0))
		abort();
	*took = oracle_now();
	oracle_until = how == ORACLE_VF2 ? *took + allowed : 0;
	if (how == ORACLE_BLISS)
		rc = igraph_isomorphic_bliss(&g, &h, &of_g, &of_h, &same, &map, NULL,
					     IGRAPH_BLISS_FL, NULL, NULL);
	else
		rc = igraph_isomorphic_vf2(&g, &h, &of_g, &of_h, &times_g, &times_h, &same,
					   &map, NULL, NULL, NULL, NULL);
	*took = oracle_now() - *took;
	if (rc && rc != IGRAPH_INTERRUPTED)
		abort();
	if (how == ORACLE_VF2) {
		igraph_vector_int_destroy(&times_g);
		igraph_vector_int_destroy(&times_h);
	}
	igraph_vector_int_destroy(&map);
	igraph_vector_int_destroy(&of_g);
	igraph_vector_int_destroy(&of_h);
	igraph_destroy(&g);
	igraph_destroy(&h);
	return rc ? ORACLE_STOPPED : same ? ORACLE_SAME : ORACLE_DIFFER;
}

#endif
