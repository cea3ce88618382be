// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* any_sl.c - SL to VL by port roles and class, as the hardware will apply it.
 *
 * A packet of class c that enters a switch from an endpoint or port 0 leaves on
 * VL 2c, one that enters from another switch on VL 2c+1.  Masks keep low bits,
 * so the last bit always tells the two apart.  What counts is the
 * table after OpenSM's masking to the lanes of the out port (osm_qos.c: vl &
 * (2^(code-1) - 1)), and VL = SL where a switch has no table. */
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
	unsigned vls = 0;

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
		for (size_t r = 0; r < ARRAY_LEN(from); r++)
			vls |= 1u << (moore_lane_any_sl(o, from[r], sl) & moore_lane_mask(lanes));
	return (uint16_t)vls;
}

static struct moore_sl_row
effective_row(const struct moore_switch *sw, const struct moore_lane_opts *o, enum moore_role in,
	      uint8_t lanes)
{
	struct moore_sl_row row;
	uint8_t mask = moore_lane_mask(lanes);

	for (uint8_t sl = 0; sl < MOORE_N_SL; sl++)
		row.vl[sl] = (sw->maps_sl ? moore_lane_any_sl(o, in, sl) : sl) & mask;
	return row;
}

int
moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
		     const struct moore_lane_opts *opts, struct moore_err *err)
{
	struct moore_sl2vl *t;
	int rc;

	*out = NULL;
	if ((rc = moore_sl2vl_new(&t, f, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < f->n_switches && rc == 0; s++) {
		const struct moore_switch *sw = &f->sw[s];

		for (unsigned o = 1; o <= sw->n_ports && rc == 0; o++) {
			const struct moore_port *op = moore_fabric_port(f, s, (moore_portnum)o);

			if (op->role == MOORE_ROLE_NONE)
				continue;
			for (unsigned i = 0; i <= sw->n_ports && rc == 0; i++) {
				const struct moore_port *ip = moore_fabric_port(f, s, (moore_portnum)i);
				struct moore_sl_row row = effective_row(sw, opts, ip->role, op->lanes);

				rc = moore_sl2vl_set(t, s, (moore_portnum)i, (moore_portnum)o, &row, err);
			}
		}
	}
	if (rc < 0) {
		moore_sl2vl_free(t);
		return rc;
	}
	*out = t;
	return 0;
}
