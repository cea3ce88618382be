/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* topo_build.h - what a family's file needs: its entry for the registry, and a
 * draft that collects switches and links and turns them into a topology. */
#ifndef MOORE_TOPO_BUILD_H
#define MOORE_TOPO_BUILD_H

#include "moore/topo.h"

/* The default of a parameter that resolve() derives from another one. */
#define MOORE_TOPO_DERIVED (-3)

extern const struct moore_topo_family moore_topo_slimfly;
extern const struct moore_topo_family moore_topo_mlfm;
extern const struct moore_topo_family moore_topo_oft;
extern const struct moore_topo_family moore_topo_torus2d;
extern const struct moore_topo_family moore_topo_torus5d;
extern const struct moore_topo_family moore_topo_hypercube;
extern const struct moore_topo_family moore_topo_fhypercube;
extern const struct moore_topo_family moore_topo_myriclos;
extern const struct moore_topo_family moore_topo_dragonfly;
extern const struct moore_topo_family moore_topo_hyperx;
extern const struct moore_topo_family moore_topo_dln;

#define MOORE_TOPO_SIZE_MAX 65536	/* switches of a family whose sizes multiply */

/* -MOORE_EINVAL when there are more. */
int moore_topo_need_size(uint64_t switches, struct moore_err *err);

/* Refuse a value unless value + offset is a prime power, naming the nearest ones
 * that will do: both ends of the parameter's range must. */
int moore_topo_need_prime_power(const struct moore_topo_param *p, int64_t value, int offset,
				struct moore_err *err);

/* Room comes from the family's counts(), which finish() holds it to. */
struct moore_topo_draft {
	struct moore_topo *t;		/* being filled */
	uint64_t n_links;		/* joined so far; kept while there is room */
	uint64_t max_links;
	struct moore_buf name;		/* scratch */
};

/* Allocate t's arrays, for moore_topo_free() also on failure. */
int moore_topo_draft_init(struct moore_topo_draft *d, struct moore_topo *t,
			  struct moore_err *err);
void moore_topo_draft_switch(struct moore_topo_draft *d, moore_swid s, uint16_t endpoints,
			     const char *fmt, ...) MOORE_PRINTF(4, 5);
void moore_topo_draft_join(struct moore_topo_draft *d, moore_swid a, moore_swid b);
/* Sort the links.  -MOORE_ENOMEM; -MOORE_EPLAN when one is doubled, runs from a
 * switch to itself or past the last, when their number is not counts()'s, or when
 * a switch was left without a name. */
int moore_topo_draft_finish(struct moore_topo_draft *d, struct moore_err *err);

#endif
