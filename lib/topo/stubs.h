/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* stubs.h - random links: each switch has stubs, and shuffled stubs are paired.
 *
 * A pair that would be a loop or would double a link exchanges partners with randomly chosen
 * earlier pairs until it is neither.  These exchanges keep every switch's degree and create no
 * further such pair. */
#ifndef MOORE_TOPO_STUBS_H
#define MOORE_TOPO_STUBS_H

#include "base/arena.h"
#include "base/random.h"
#include "topo_build.h"

struct moore_stubs {
	uint32_t n, width;	/* switches; greatest number of links of one, stubs included */
	uint32_t *peer;		/* `width` for each switch: the switches it is linked to so far,
				 * then MOORE_NONE */
	bool patient;		/* earlier attempts failed: parts may be drawn again alone */
};

/* Adds a link that stays as it is; it may be there already. */
void moore_stubs_link(struct moore_stubs *x, uint32_t a, uint32_t b);
/* Removes the link of a and b, if there is one. */
void moore_stubs_cut(struct moore_stubs *x, uint32_t a, uint32_t b);
/* Shuffles and pairs stubs; stub[] holds the switch of each, and afterwards those of 2i and 2i + 1
 * are linked.  False if no partners were found: clear, and try again with other numbers. */
bool moore_stubs_pair(struct moore_stubs *x, uint32_t *stub, uint32_t n_stubs, struct moore_rng *r);

/* -MOORE_EINVAL unless n switches can have k links each, of which enough can be drawn: the parameters n and k
 * of a family. */
int moore_stubs_check(int64_t n, int64_t k, struct moore_err *err);

struct moore_stubs_family {
	uint32_t n, width;	/* of struct moore_stubs */
	uint32_t each;		/* stubs of every switch that draw() finds in stub[], in order of switches;
				 * it stays as draw() left it */
	size_t n_stubs;		/* for which stub[] has room; at least n * each */
	/* Makes one attempt on a graph without links; false if it failed. */
	bool (*draw)(struct moore_stubs *x, uint32_t *stub, const int64_t *param, struct moore_rng *r);
	void (*name)(struct moore_topo_draft *d, moore_swid s, const int64_t *param);
	const char *none;	/* what is said when no attempt joined all switches */
};

/* Builds t from the first attempt that succeeds and joins all switches.  -MOORE_EINVAL when none of two
 * hundred did; -MOORE_ENOMEM. */
int moore_stubs_build(struct moore_topo *t, const struct moore_stubs_family *f, const int64_t *param,
		      int64_t seed, struct moore_err *err);

#endif
