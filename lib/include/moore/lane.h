/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/lane.h - SL to VL.
 *
 * Profile any-sl: the VL tells where a packet came from.  It depends on port
 * roles alone, so it does not change with routes.  A class of service has a pair
 * of VLs of its own: class c sends on VL 2c from endpoints and port 0, on VL 2c+1
 * from switches, so every mask keeps the two roles apart (docs/theory.md,
 * "Classes").
 *
 * Profile sl-hint: the VL rises where a route turns from down to up in an order
 * of the switches.  A table cannot see the VL that a packet is on, so the SL
 * names one of four tables, each right for most routes (docs/theory.md), and one
 * of four classes: SL = 4 * class + table, on the same pair of VLs. */
#ifndef MOORE_LANE_H
#define MOORE_LANE_H

#include "base.h"
#include "profile.h"
#include "tables.h"

MOORE_BEGIN

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
/* OpenSM masks VLs to the low c-1 bits on a port of OperVLs code c (1, 2, 4, 8, 15
 * lanes); VL 15 stays. */
static inline uint8_t
moore_lane_mask(uint8_t lanes)
{
	return lanes >= 15 ? 15 : lanes >= 8 ? 7 : lanes >= 4 ? 3 : lanes >= 2 ? 1 : 0;
}

/* The tables as the hardware will apply them: the rule above masked to the
 * lanes of each out port as OpenSM masks it (vl & (lanes' power of two - 1)),
 * and VL = SL (masked) on a switch that cannot map SLs. */
MOORE_API int moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
				   const struct moore_lane_opts *o, struct moore_err *err);

/* ---- profile sl-hint ------------------------------------------------------- */

/* Classes above the last, which moore.conf does not admit, count as the last. */
enum { MOORE_HINT_CLASSES = MOORE_N_SL / MOORE_N_HINTS };

/* The class that is meant by who asks for an SL. */
static inline uint8_t
moore_lane_hint_class(const struct moore_lane_opts *o, uint8_t asked)
{
	uint8_t c = o->sl_class[asked % MOORE_N_SL];

	return c < MOORE_HINT_CLASSES ? c : MOORE_HINT_CLASSES - 1;
}

/* The SL of a path record for which the tables in right (bit t, some are) would do,
 * when `asked` was asked for: that one where it will do and is of its own class. */
static inline uint8_t
moore_lane_hint_sl(const struct moore_lane_opts *o, uint8_t asked, uint8_t right)
{
	uint8_t c = moore_lane_hint_class(o, asked);

	if (asked / MOORE_N_HINTS == c && right >> asked % MOORE_N_HINTS & 1)
		return asked;
	return (uint8_t)(c * MOORE_N_HINTS + __builtin_ctz(right));
}

/* The classes in use (bit c): 0, and those that SLs are given. */
MOORE_API uint8_t moore_lane_hint_classes(const struct moore_lane_opts *o);

/* Is the SL right for every route without a turn from down to up, whatever the lanes
 * of its links?  Those of groups are such. */
MOORE_API bool moore_lane_hint_group(const struct moore_lane_opts *o, uint8_t sl);

/* The row of (in, out) at switch s as the rule wants it, not masked.  pos[] is the
 * place of each switch in the order, 0 the greatest.  SLs not in use: VL 15. */
MOORE_API struct moore_sl_row moore_lane_hint_row(const struct moore_fabric *f,
						  const struct moore_lane_opts *o,
						  const uint32_t *pos, moore_swid s,
						  moore_portnum in, moore_portnum out);

/* All rows as the hardware will apply them, like moore_lane_effective(). */
MOORE_API int moore_lane_hint_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
					const struct moore_lane_opts *o, const uint32_t *pos,
					struct moore_err *err);

/* Repeat the tables in t (SL = table) in every class in use. */
MOORE_API void moore_lane_hint_spread(const struct moore_lane_opts *o, struct moore_sl_set *t);

MOORE_END

#endif
