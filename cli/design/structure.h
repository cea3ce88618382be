/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* structure.h - what the spectrum and the partitions of a graph say of it, by ARPACK and METIS. */
#ifndef CLI_STRUCTURE_H
#define CLI_STRUCTURE_H

#include "moore/answer.h"

struct cli_graph {
	uint32_t n;			/* switches */
	const struct moore_topo_link *link;
	uint32_t n_links;
	const uint16_t *endpoints;	/* of each switch; NULL: as many on each */
};

/* The links between two halves of the graph, as few as METIS found.  The halves have as many
 * endpoints, or as many switches where none has endpoints, or as near to that as their numbers allow;
 * -1 with fewer than two switches, or when memory ran out.  The same graph gives the same number.
 * O(links) for each of at most 256 attempts. */
int64_t cli_bisection(const struct cli_graph *g);

void cli_structure_unknown(struct moore_structure *s);

/* Fills only what counting from each switch tells: distances between switches with endpoints, and
 * shortest paths.  Where all switches as sources would take over `work` visits to links, some that are
 * spread over all stand for them.  -MOORE_ENOMEM. */
int cli_distances(struct moore_structure *s, const struct cli_graph *g, bool transitive, double work,
		  struct moore_err *err);

/* Fills s for a graph.  What would take too long, or is not defined, stays unknown.  -MOORE_ENOMEM. */
int cli_structure(struct moore_structure *s, const struct cli_graph *g, bool transitive,
		  struct moore_err *err);

#endif
