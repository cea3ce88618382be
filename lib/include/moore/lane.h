/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/lane.h - SL to VL under profile any-sl: the VL tells where a packet
 * came from.  It depends on port roles alone, so it does not change with
 * routes. */
#ifndef MOORE_LANE_H
#define MOORE_LANE_H

#include "base.h"
#include "tables.h"

#define MOORE_ANY_SL_VLS 2

/* VL for packets that enter by a port of this role, whatever the SL. */
static inline uint8_t
moore_lane_any_sl(enum moore_role in)
{
	return in == MOORE_ROLE_SWITCH ? 1 : 0;
}

/* The tables as the hardware will apply them: the rule above masked to the
 * lanes of each out port as OpenSM masks it (vl & (lanes' power of two - 1)),
 * and VL = SL (masked) on a switch that cannot map SLs. */
MOORE_API int moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
				   struct moore_err *err);

#endif
