// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* unsound.c - says why tables that the engine made are not sound. */
#include "engine/unsound.h"
#include "moore/lane.h"

/* Finds a switch on which SL 15 becomes VL 15, since it has no SL2VL table. */
static moore_swid
takes_sl15_for_vl15(const struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; !f->sw[s].maps_sl && p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role != MOORE_ROLE_NONE && moore_lane_mask(q->lanes) == 15)
				return s;
		}
	return MOORE_NONE;
}

static int
fail_dropped(const struct moore_verdict *v, const struct moore_fabric *seen, struct moore_err *err)
{
	moore_swid s = takes_sl15_for_vl15(seen);

	if (s != MOORE_NONE)
		return moore_fail(err, MOORE_EUNSAFE, 0,
				  "switch \"%s\" cannot map SLs and has ports with 15 VLs, on which "
				  "SL 15 is VL 15 and dropped: set max_op_vls to 4 or less in "
				  "opensm.conf", seen->sw[s].name);
	return moore_fail(err, MOORE_EUNSAFE, 0,
			  "the checker found %llu lane entries in use that drop packets: this is a "
			  "defect of the engine, please report it", (unsigned long long)v->dropped);
}

int
moore_unsound_fail(const struct moore_verdict *v, const struct moore_fabric *seen, struct moore_err *err)
{
	if (!v->acyclic)
		return moore_fail(err, MOORE_EUNSAFE, 0,
				  "the checker found a cycle of %u waiting channels through \"%s\" "
				  "port %u: this is a defect of the engine, please report it",
				  v->cycle_len, seen->sw[v->cycle[0].from.sw].name,
				  v->cycle[0].from.port);
	if (!v->unreachable)
		return fail_dropped(v, seen, err);
	return moore_fail(err, MOORE_EUNSAFE, 0,
			  "the checker found %llu connected pairs without a route, such as \"%s\" to "
			  "LID %u: this is a defect of the engine, please report it",
			  (unsigned long long)v->unreachable, seen->sw[v->bad_sw].name, v->bad_lid);
}
