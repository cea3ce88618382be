/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/topo.h - topology families: one registry row and one file for each.
 * A topology is an abstract graph: switches by index, links by pairs, and how
 * many endpoints each switch has.  Ports and names of endpoints are the plan's. */
#ifndef MOORE_TOPO_H
#define MOORE_TOPO_H

#include "base.h"

MOORE_BEGIN

#define MOORE_TOPO_MAX_PARAMS 8
#define MOORE_TOPO_FLOOR (-1)	/* symbolic values of an endpoint parameter */
#define MOORE_TOPO_CEIL (-2)

struct moore_topo_link {
	moore_swid a, b;	/* a < b */
};

struct moore_topo {
	const struct moore_topo_family *family;
	int64_t param[MOORE_TOPO_MAX_PARAMS];	/* resolved: no symbolic value is left */
	uint32_t n_switches, n_links;
	char (*name)[32];		/* of each switch, unique, coordinates inside */
	uint16_t *endpoints;		/* at each switch */
	struct moore_topo_link *link;	/* sorted by (a, b), no duplicates */
};

struct moore_topo_counts {	/* closed forms, without building the graph */
	uint64_t switches, links, endpoints;
	uint32_t degree;	/* greatest number of switch-to-switch ports */
	uint32_t radix;		/* greatest number of ports, endpoint ports included */
};

struct moore_topo_param {
	const char *key;	/* "q" */
	int64_t min, max;
	int64_t dflt;		/* used when absent; a required one has required = true */
	bool required;
	bool symbolic;		/* takes "floor" and "ceil" as well */
	bool endpoints;		/* says how many endpoints there are: after all that shape the graph */
	const char *help;
};

struct moore_topo_family {
	const char *name;	/* "slimfly" */
	const char *title;	/* "Slim Fly (MMS graph)" */
	const char *source;	/* paper and section */
	struct moore_topo_param param[MOORE_TOPO_MAX_PARAMS];	/* key NULL ends */
	bool random;		/* drawn from a seed: never recognised */
	bool irregular;		/* counts() may fall when a parameter rises; it gives 0 switches where
				 * there is no graph */
	bool transitive;	/* some symmetry takes any switch to any other */
	unsigned n_alike;	/* the first n_alike parameters may be exchanged without
				 * changing the graph */
	/* Replace defaults and symbolic values; -MOORE_EINVAL when no graph exists. */
	int (*resolve)(int64_t *param, struct moore_err *err);
	/* Fills the closed forms.  Unless irregular: the number of switches never falls when a
	 * parameter rises, nor does the number of links when the last parameter that shapes the graph rises. */
	void (*counts)(const int64_t *param, struct moore_topo_counts *out);
	int (*build)(struct moore_topo *t, const int64_t *param, struct moore_err *err);
	/* The cabinet of a switch, from 0, as the source prescribes; NULL if it does not. */
	uint32_t (*cabinet)(const int64_t *param, moore_swid s);
};

/* The registry, in order; NULL past its end. */
MOORE_API const struct moore_topo_family *moore_topo_family_at(size_t i);
MOORE_API const struct moore_topo_family *moore_topo_family_find(const char *name);

/* Read "KEY=VALUE" words into param[] (MOORE_TOPO_MAX_PARAMS of them), defaults
 * and symbolic values resolved, ranges checked.  -MOORE_EINVAL names the word
 * and the range. */
MOORE_API int moore_topo_params_parse(const struct moore_topo_family *f, int64_t *param,
				      const char *const *words, size_t n_words,
				      struct moore_err *err);

/* Build a family's graph from resolved parameters.  O(switches * degree). */
MOORE_API int moore_topo_build(struct moore_topo **out, const struct moore_topo_family *f,
			       const int64_t *param, struct moore_err *err);
MOORE_API void moore_topo_free(struct moore_topo *t);

/* Finds the family of a graph.  Writes to text (64 bytes) for instance "slimfly q=5" when it
 * found and verified a map onto that family's graph, else "".  The search is bounded, so a
 * very symmetric graph may stay unnamed, but a name is never wrong.  A graph that lacks one
 * link is not recognised.  -MOORE_ENOMEM. */
MOORE_API int moore_topo_recognise(uint32_t n_switches, const struct moore_topo_link *link,
				   size_t n_links, char *text, struct moore_err *err);
/* Writes likewise the first graph of a family that has so many switches and links, or "".  A graph with
 * these numbers need not be that one.  -MOORE_ENOMEM. */
MOORE_API int moore_topo_guess(uint32_t n_switches, size_t n_links, char *text, struct moore_err *err);

/* Of a part, at most one switch in so many is missing, and beside the links of these at most one link in
 * so many. */
#define MOORE_TOPO_MISSING 8

/* A graph as a part of a family's graph.  image[] is the proof: no two switches have the same
 * image, and every link of the part goes to a link of whole. */
struct moore_topo_part {
	char text[64];		/* "slimfly q=5" */
	struct moore_topo *whole;
	moore_swid *image;	/* by switch of the part: the switch of whole that it is */
};

/* Finds the family's graph of which a graph is a part: switches and links may be missing,
 * none may be extra.  *out is NULL when none was found; else the caller ends it with
 * moore_topo_part_free().  The search is bounded, so a part may stay unrecognised: often
 * a Dragonfly from a=8 on, a Myrinet-Clos network from n=2048 on, and a Slim Fly of q=16 that
 * lacks 5 % of its links.  The answer depends only on the arguments.  O(the sum of the squares
 * of degrees). */
MOORE_API int moore_topo_recognise_part(struct moore_topo_part **out, uint32_t n_switches,
					const struct moore_topo_link *link, size_t n_links,
					struct moore_err *err);
MOORE_API void moore_topo_part_free(struct moore_topo_part *p);	/* NULL is fine */

/* The Moore bound: no graph of this degree and diameter has more vertices.  O(diameter). */
static inline double
moore_bound(uint32_t degree, uint32_t diameter)
{
	double bound = 1, more = degree;

	for (uint32_t i = 0; i < diameter && more > 0; i++) {
		bound += more;
		more *= degree - 1.0;
	}
	return bound;
}

/* ---- measures of any graph --------------------------------------------- */

struct moore_graph_metrics {
	uint32_t diameter;	/* 0 for one switch; MOORE_NONE when disconnected */
	double mean_distance;	/* over ordered pairs of distinct switches that are joined */
	uint32_t girth;		/* shortest cycle; 0 when there is none */
};

/* Distances from the first n_sources switches stand for all: all of them, or 1 where the family is
 * transitive.  Parallel links count as one.  progress (may be NULL) is called now and then with the share
 * that is done, 0..1.  O(sources * n * degree / 64) for diameter two. */
MOORE_API int moore_graph_measure(uint32_t n_switches, const struct moore_topo_link *link,
				  size_t n_links, uint32_t n_sources, struct moore_graph_metrics *out,
				  void (*progress)(void *arg, double share), void *arg,
				  struct moore_err *err);

MOORE_END

#endif
