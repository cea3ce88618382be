/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/lane.h - SL to VL under profile any-sl: the VL tells where a packet
 * came from.  It depends on port roles alone, so it does not change with
 * routes.  A class of service has a pair of VLs of its own: class c sends on
 * VL 2c from endpoints and port 0, on VL 2c+1 from switches, so every mask
 * keeps the two roles apart (docs/theory.md, "Classes"). */
#ifndef MOORE_LANE_H
#define MOORE_LANE_H

#include "base.h"
#include "tables.h"

#define MOORE_CLASS_MAX 6	/* VL 15 carries no data, so class 7 would have one VL */

struct moore_lane_opts {
	uint8_t sl_class[MOORE_N_SL];	/* class of each SL, 0..MOORE_CLASS_MAX */
};

/* VL of an SL for packets that enter by a port of this role. */
static inline uint8_t
moore_lane_any_sl(const struct moore_lane_opts *o, enum moore_role in, uint8_t sl)
{
	return (uint8_t)(2 * o->sl_class[sl] + (in == MOORE_ROLE_SWITCH));
}

/* The lanes (2, 4, 8 or 15) that give each class a pair of its own. */
MOORE_API uint8_t moore_lane_needed(const struct moore_lane_opts *o);
/* The VLs in use (bit v: VL v) on a port with that many lanes, where classes
 * that do not fit share pairs. */
MOORE_API uint16_t moore_lane_vls(const struct moore_lane_opts *o, uint8_t lanes);

/* The tables as the hardware will apply them: the rule above masked to the
 * lanes of each out port as OpenSM masks it (vl & (lanes' power of two - 1)),
 * and VL = SL (masked) on a switch that cannot map SLs. */
MOORE_API int moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
				   const struct moore_lane_opts *o, struct moore_err *err);

#endif
