// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* any_sl.c - SL to VL by port roles and class, and the lanes that classes use.
 *
 * A packet of class c that enters a switch from an endpoint or from port 0, or takes an entry turn,
 * leaves on VL 2c; any other leaves on VL 2c+1.  OpenSM's masks keep the low bits, so the last bit
 * always distinguishes the two. */
#include "moore/lane.h"

uint8_t
moore_lane_needed(const struct moore_lane_opts *o)
{
	uint8_t top = 0;

	for (unsigned sl = 0; sl < MOORE_N_SL; sl++)
		top = o->sl_class[sl] > top ? o->sl_class[sl] : top;
	return top == 0 ? 2 : top == 1 ? 4 : top <= 3 ? 8 : 15;
}

uint16_t
moore_lane_vls(const struct moore_lane_opts *o, uint8_t lanes)
{
	static const enum moore_role from[] = { MOORE_ROLE_ENDPOINT, MOORE_ROLE_SWITCH };
	unsigned vls = 1u | 1u << (1 & moore_lane_mask(lanes));	/* class 0: SL 0 of sl-hint */

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
		for (size_t r = 0; r < ARRAY_LEN(from); r++)
			vls |= 1u << (moore_lane_any_sl(o, from[r], sl) & moore_lane_mask(lanes));
	return (uint16_t)vls;
}
