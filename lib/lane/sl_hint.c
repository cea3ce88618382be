// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sl_hint.c - SL to VL by the directions of a turn, as the hardware will apply it.
 *
 * A packet's first link is on VL 0, whatever the table: its port of entry leads
 * to no switch.  What leaves for an endpoint holds up nothing, so there the role
 * of the in port decides as under any-sl.  SLs that name no table map to VL 15,
 * which no mask of OpenSM's touches. */
#include "moore/lane.h"

#define VL_DROP 15

static bool
is_up(const uint32_t *pos, moore_swid from, moore_swid to)
{
	return pos[to] < pos[from];
}

struct moore_sl_row
moore_lane_hint_row(const struct moore_fabric *f, const uint32_t *pos, moore_swid s,
		    moore_portnum in, moore_portnum out)
{
	const struct moore_port *ip = moore_fabric_port(f, s, in);
	const struct moore_port *op = moore_fabric_port(f, s, out);
	bool turn = ip->role == MOORE_ROLE_SWITCH && op->role == MOORE_ROLE_SWITCH;
	struct moore_sl_row row;

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++) {
		if (sl >= MOORE_N_HINTS)
			row.vl[sl] = VL_DROP;
		else if (turn)
			row.vl[sl] = moore_lane_hint(sl, is_up(pos, ip->peer, s),
						     is_up(pos, s, op->peer));
		else
			row.vl[sl] = ip->role == MOORE_ROLE_SWITCH;
	}
	return row;
}

/* As OpenSM masks it to the lanes of the out port; VL = SL without a table. */
static struct moore_sl_row
effective_row(const struct moore_fabric *f, const uint32_t *pos, moore_swid s, moore_portnum in,
	      moore_portnum out)
{
	uint8_t mask = moore_lane_mask(moore_fabric_port(f, s, out)->lanes);
	struct moore_sl_row row = moore_lane_hint_row(f, pos, s, in, out);

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++) {
		if (!f->sw[s].maps_sl)
			row.vl[sl] = sl & mask;
		else if (row.vl[sl] != VL_DROP)
			row.vl[sl] &= mask;
	}
	return row;
}

int
moore_lane_hint_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
			  const uint32_t *pos, struct moore_err *err)
{
	struct moore_sl2vl *t;
	int rc;

	*out = NULL;
	if ((rc = moore_sl2vl_new(&t, f, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < f->n_switches && rc == 0; s++)
		for (unsigned o = 1; o <= f->sw[s].n_ports && rc == 0; o++) {
			if (moore_fabric_port(f, s, (moore_portnum)o)->role == MOORE_ROLE_NONE)
				continue;
			for (unsigned i = 0; i <= f->sw[s].n_ports && rc == 0; i++) {
				struct moore_sl_row row = effective_row(f, pos, s, (moore_portnum)i,
									(moore_portnum)o);

				rc = moore_sl2vl_set(t, s, (moore_portnum)i, (moore_portnum)o, &row, err);
			}
		}
	if (rc < 0) {
		moore_sl2vl_free(t);
		return rc;
	}
	*out = t;
	return 0;
}
