// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sl_hint.c - SL to VL by the places of a turn's switches in the order, the table and the
 * class.
 *
 * The first link of a packet is on the even VL of its class, whatever the table, since the
 * port by which it enters leads to no switch.  Packets that leave for an endpoint block no
 * other, so there the role of the in port decides as under any-sl.  SLs of classes that are
 * not in use map to VL 15, which OpenSM's masks do not change. */
#include "moore/lane.h"

#define VL_DROP 15

uint8_t
moore_lane_hint_classes(const struct moore_lane_opts *o)
{
	unsigned used = 1;

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
		used |= 1u << moore_lane_hint_class(o, sl);
	return (uint8_t)used;
}

bool
moore_lane_hint_group(const struct moore_lane_opts *o, uint8_t sl)
{
	return sl % MOORE_N_HINTS == MOORE_HINT_A &&
		moore_lane_hint_classes(o) >> sl / MOORE_N_HINTS & 1;
}

struct moore_sl_row
moore_lane_hint_row(const struct moore_fabric *f, const struct moore_lane_opts *o,
		    const uint32_t *pos, const uint8_t *entry, moore_swid s, moore_portnum in,
		    moore_portnum out)
{
	const struct moore_port *ip = moore_fabric_port(f, s, in);
	const struct moore_port *op = moore_fabric_port(f, s, out);
	bool from_switch = moore_lane_role(f, entry, s, in, out) == MOORE_ROLE_SWITCH;
	uint8_t used = moore_lane_hint_classes(o), table[MOORE_N_HINTS];
	struct moore_sl_row row;

	for (unsigned t = 0; t < MOORE_N_HINTS; t++)
		table[t] = from_switch && op->role == MOORE_ROLE_SWITCH ?
			moore_hint_vl(t, pos[ip->peer], pos[s], pos[op->peer]) :
			from_switch;
	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
		row.vl[sl] = used >> sl / MOORE_N_HINTS & 1 ? (uint8_t)
			(2 * (sl / MOORE_N_HINTS) + table[sl % MOORE_N_HINTS]) : VL_DROP;
	return row;
}

void
moore_lane_hint_spread(const struct moore_lane_opts *o, struct moore_sl_set *t)
{
	uint8_t used = moore_lane_hint_classes(o);
	unsigned all = 0;	/* a bit for the first SL of each class in use */

	for (unsigned c = 0; c < MOORE_HINT_CLASSES; c++)
		all |= (unsigned)(used >> c & 1) << c * MOORE_N_HINTS;
	for (size_t i = 0; i < t->n_switches * t->stride; i++)
		t->sl[i] = (uint16_t)(t->sl[i] * all);	/* no carry: tables are four bits */
}
