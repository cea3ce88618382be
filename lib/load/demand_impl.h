/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* demand_impl.h - what demand.c, cause.c and select.c share: the estimate, and a route as
 * the list of ports that it leaves by. */
#ifndef MOORE_LOAD_DEMAND_IMPL_H
#define MOORE_LOAD_DEMAND_IMPL_H

#include "moore/demand.h"

struct demand_dest {		/* one LID of an endpoint; sorted by (switch, endpoint, LID) */
	moore_lid lid;
	uint16_t offset;
	moore_epid ep;
};

struct moore_demand {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	uint32_t n_sources, n_dests;
	moore_swid *source;	/* the switches whose endpoints send */
	struct demand_dest *dest;
	float *x;		/* [dest][source], bytes per second */
	/* One row for each measured sum: row i is port i, row n_ports + i is source i. */
	double *row;		/* measured bytes per second; negative if unknown */
	double *fit;		/* the sum that x gives */
	double *rx;		/* by port, as measured: what the endpoint at that port sends */
};

/* Writes the ports that a packet for lid leaves by on its way from switch s to the
 * endpoint, and returns their number; 0 if it does not arrive. */
static inline unsigned
load_route(const struct moore_fabric *f, const struct moore_lft *lft, moore_swid s, moore_epid ep,
	   moore_lid lid, uint32_t port[MOORE_HOPS_MAX])
{
	for (unsigned n = 0; n < MOORE_HOPS_MAX;) {
		uint8_t out = lid < lft->stride ? moore_lft_row(lft, s)[lid] : MOORE_NO_PATH;
		const struct moore_port *p;

		if (!out || out > f->sw[s].n_ports)
			return 0;
		port[n++] = f->sw[s].port0 + out;
		p = &f->port[port[n - 1]];
		if (p->role == MOORE_ROLE_ENDPOINT)
			return p->peer == ep ? n : 0;
		if (p->role != MOORE_ROLE_SWITCH)
			return 0;
		s = p->peer;
	}
	return 0;
}

#endif
