/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* igraph_oracle.h - lets igraph decide whether two graphs are isomorphic, for tests and
 * benches.
 *
 * No other file includes igraph (GPL 2 or later).  Its errors are returned as codes, and it
 * draws no random numbers here.  BLISS compares canonical forms of simple graphs.  For
 * graphs with parallel links VF2 is used: one link stands for the parallel ones and has
 * their number as its colour, which BLISS does not support.  No interruption handler is
 * set, because BLISS in igraph 0.10.2 reports success and "not isomorphic" when a handler
 * interrupts it. */
#ifndef MOORE_TEST_IGRAPH_ORACLE_H
#define MOORE_TEST_IGRAPH_ORACLE_H

#include <stdlib.h>

#include <igraph/igraph.h>

#include "moore/topo.h"

enum oracle_how { ORACLE_BLISS, ORACLE_VF2 };

static inline void
oracle_init(void)
{
	igraph_set_error_handler(igraph_error_handler_ignore);
}

static inline void
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

static inline void
oracle_colour(igraph_vector_int_t *v, uint32_t n, const uint32_t *colour)
{
	if (igraph_vector_int_init(v, n))
		abort();
	for (uint32_t i = 0; i < n; i++)
		VECTOR(*v)[i] = colour[i];
}

/* Replaces parallel links by one link; times[] receives how many there were. */
static inline void
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

/* True if the two graphs are isomorphic with equal colours.  colour[] holds n colours of a,
 * then n of b. */
static inline bool
oracle_alike(enum oracle_how how, uint32_t n, const struct moore_topo_link *a,
	     const struct moore_topo_link *b, size_t n_links, const uint32_t *colour)
{
	igraph_t g, h;
	igraph_vector_int_t of_g, of_h, times_g, times_h;
	igraph_bool_t same = false;
	igraph_error_t rc;

	oracle_graph(&g, n, a, n_links);
	oracle_graph(&h, n, b, n_links);
	oracle_colour(&of_g, n, colour);
	oracle_colour(&of_h, n, colour + n);
	if (how == ORACLE_VF2) {
		oracle_simplify(&g, &times_g);
		oracle_simplify(&h, &times_h);
		rc = igraph_isomorphic_vf2(&g, &h, &of_g, &of_h, &times_g, &times_h, &same,
					   NULL, NULL, NULL, NULL, NULL);
		igraph_vector_int_destroy(&times_g);
		igraph_vector_int_destroy(&times_h);
	} else {
		rc = igraph_isomorphic_bliss(&g, &h, &of_g, &of_h, &same, NULL, NULL,
					     IGRAPH_BLISS_FL, NULL, NULL);
	}
	if (rc)
		abort();
	igraph_vector_int_destroy(&of_g);
	igraph_vector_int_destroy(&of_h);
	igraph_destroy(&g);
	igraph_destroy(&h);
	return same;
}

#endif
