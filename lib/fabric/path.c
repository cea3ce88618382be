// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* path.c - follows the forwarding tables as a packet would.
 *
 * A walk ends at the LID's port, at a switch without a route, or after as many hops as there
 * are switches, since it has then visited a switch twice. */
#include "moore/path.h"

static bool
arrived(const struct moore_lid_owner *owner, const struct moore_hop *h)
{
	return owner->sw == h->sw && owner->port == h->out;
}

void
moore_path_walk(const struct moore_fabric *f, const struct moore_lft *lft,
		const struct moore_sl2vl *sl2vl, const struct moore_lid_owner *owner,
		struct moore_path *w)
{
	moore_swid s = w->sw;
	moore_portnum in = w->in;

	w->fault = NULL;
	for (w->n_hops = 0; w->n_hops < f->n_switches;) {
		struct moore_hop *h = &w->hop[w->n_hops++];
		const struct moore_port *p;
		uint8_t out = w->lid < lft->stride ? moore_lft_row(lft, s)[w->lid] : MOORE_NO_PATH;

		*h = (struct moore_hop){ s, in, out, 0 };
		if (out == MOORE_NO_PATH || out > f->sw[s].n_ports) {
			w->fault = "the switch has no route to the LID";
			return;
		}
		if (out)
			h->vl = moore_sl2vl_vl(sl2vl, f, s, in, out, w->sl);
		if (h->vl == 15) {
			w->fault = "the SL maps to VL 15, which drops the packet";
			return;
		}
		if (arrived(&owner[w->lid], h))
			return;
		p = moore_fabric_port(f, s, out);
		if (p->role != MOORE_ROLE_SWITCH) {
			w->fault = "the route leaves the switches at the wrong port";
			return;
		}
		s = p->peer;
		in = p->peer_port;
	}
	w->fault = "the route runs in circles";
}

void
moore_lft_dangling(const struct moore_fabric *f, const struct moore_lft *lft,
		   struct moore_dangling *d)
{
	*d = (struct moore_dangling){ 0 };
	for (uint32_t s = 0; s < f->n_switches; s++) {
		const uint8_t *row = moore_lft_row(lft, s);

		for (unsigned lid = 1; lid < lft->stride; lid++) {
			if (row[lid] > f->sw[s].n_ports ||
			    moore_fabric_port(f, s, row[lid])->role != MOORE_ROLE_NONE)
				continue;
			if (!d->n++) {
				d->sw = s;
				d->lid = lid;
				d->port = row[lid];
			}
		}
	}
}
