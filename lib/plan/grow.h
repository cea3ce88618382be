/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* grow.h - the switches that are built first. */
#ifndef MOORE_GROW_H
#define MOORE_GROW_H

#include "moore/plan.h"

#define MOORE_GROW_SWITCHES_MAX 2048	/* two bytes for each pair of them: 8 MiB */

/* Chooses `want` switches of p, those among them that in[] has already.  Of all that were tried
 * these have the most pairs of switches with endpoints at distance one and two.  They are
 * connected if those of in[] are, or if there were none, and if p is connected.
 * -MOORE_ENOMEM, or -MOORE_EINVAL if p has too many switches.  O(want * n * (n + degree^2)). */
int moore_grow_choose(bool *in, const struct moore_plan *p, uint32_t want,
		      void (*progress)(void *arg, double share), void *arg, struct moore_err *err);

#endif
