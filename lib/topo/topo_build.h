/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* topo_build.h - what a family's file includes: its entry for the registry, and a draft
 * that collects switches and links and becomes a topology. */
#ifndef MOORE_TOPO_BUILD_H
#define MOORE_TOPO_BUILD_H

#include "moore/topo.h"

/* The default of a parameter that resolve() computes from other parameters. */
#define MOORE_TOPO_DERIVED (-3)
/* The parameter `letter`: endpoints on each switch, of which resolve() gives half as many as links. */
#define MOORE_TOPO_HALF_ITS_LINKS(letter) { .key = letter, .endpoints = true, .min = 0, \
	.max = MOORE_PORT_MAX, .dflt = MOORE_TOPO_DERIVED, \
	.help = "endpoints on each switch (default: half its links)" }

#define MOORE_TOPO_SIZE_MAX 1000000	/* limit on the switches of a family whose size is a
					 * product of parameters */

/* -MOORE_EINVAL if there are more than MOORE_TOPO_SIZE_MAX switches. */
int moore_topo_need_size(uint64_t switches, struct moore_err *err);

/* -MOORE_EINVAL unless value + offset is a prime power; the error names the nearest valid
 * values.  At both ends of the parameter's range, value + offset must be a prime power. */
int moore_topo_need_prime_power(const struct moore_topo_param *p, int64_t value, int offset,
				struct moore_err *err);

/* The counts of a graph whose switches all have as many links, and as many endpoints. */
struct moore_topo_counts moore_topo_regular(uint64_t switches, uint64_t degree, uint64_t endpoints);

/* The family's counts() say how much room is allocated, and moore_topo_draft_finish()
 * compares with them. */
struct moore_topo_draft {
	struct moore_topo *t;		/* the topology being filled */
	uint64_t n_links;		/* links added so far; those beyond the room are only
					 * counted */
	uint64_t max_links;
	struct moore_buf name;		/* scratch */
};

/* Allocates t's arrays.  On failure, too, the caller frees them with moore_topo_free(). */
int moore_topo_draft_init(struct moore_topo_draft *d, struct moore_topo *t,
			  struct moore_err *err);
void moore_topo_draft_switch(struct moore_topo_draft *d, moore_swid s, uint16_t endpoints,
			     const char *fmt, ...) MOORE_PRINTF(4, 5);
void moore_topo_draft_join(struct moore_topo_draft *d, moore_swid a, moore_swid b);
/* Sorts the links and checks them.  -MOORE_ENOMEM; -MOORE_EPLAN when a link is doubled,
 * joins a switch to itself or names a switch past the last, when the number of links is not
 * the one that counts() gives, or when a switch has no name. */
int moore_topo_draft_finish(struct moore_topo_draft *d, struct moore_err *err);

#endif
