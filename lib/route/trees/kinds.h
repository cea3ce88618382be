/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* kinds.h - the kinds of layers: what a detour should look like.
 *
 * A *detour* is a route that is longer than the minimal one of its pair.  Routes to one LID
 * form an in-tree, so no walk meets a switch twice; what is left of each published scheme is
 * a preference among routes (docs/theory.md, section 4).  Other detours are taken where no
 * preferred one exists. */
#ifndef MOORE_ROUTE_KINDS_H
#define MOORE_ROUTE_KINDS_H

#include "moore/route.h"

struct moore_rkind {
	bool longest;		/* fixes the last two hops before the root rather than one */
	bool straight;		/* a neighbour of the root with children goes straight to it */
	bool among_hosts;	/* the switch two hops before the root is a source */
};

const struct moore_rkind *moore_rkind_of(enum moore_layers layers);

#endif
