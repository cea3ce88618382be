// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_ibdmchk.c - writes the two files that ibdmchk reads besides OpenSM's dumps: with -d
 * the lanes (`0xSWITCH_GUID IN OUT 0x01 0x23 ...`, a digit for each SL), with -c the SLs that
 * path records give to sources (`0xNODE_GUID DLID SL`). */
#include "moore/dumps.h"

void
moore_dump_write_slvl(const struct moore_fabric *f, const struct moore_sl2vl *t,
		      struct moore_buf *out)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned o = 1; o <= f->sw[s].n_ports; o++)
			for (unsigned i = 0; i <= f->sw[s].n_ports &&
			     moore_fabric_port(f, s, (moore_portnum)o)->role; i++) {
				const uint8_t *vl = moore_sl2vl_get(t, s, (moore_portnum)i,
								    (moore_portnum)o)->vl;

				moore_buf_fmt(out, "0x%016llx %u %u",
					      (unsigned long long)f->sw[s].guid, i, o);
				for (unsigned sl = 0; sl < MOORE_N_SL; sl += 2)
					moore_buf_fmt(out, " 0x%x%x", vl[sl], vl[sl + 1]);
				moore_buf_add(out, "\n", 1);
			}
}

static void
put_path(const struct moore_endpoint *from, moore_lid to, moore_path_sl *sl, const void *arg,
	 struct moore_buf *out)
{
	if (to && to != from->lid)
		moore_buf_fmt(out, "0x%016llx %u %u\n", (unsigned long long)from->node_guid, to,
			      sl(arg, from->lid, to));
}

void
moore_dump_write_psl(const struct moore_fabric *f, moore_epid from, moore_path_sl *sl,
		     const void *arg, struct moore_buf *out)
{
	if (!f->ep[from].lid)
		return;
	for (moore_swid s = 0; s < f->n_switches; s++)
		put_path(&f->ep[from], f->sw[s].lid, sl, arg, out);
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		put_path(&f->ep[from], f->ep[e].lid, sl, arg, out);
}
