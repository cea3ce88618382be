// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* pathsl.c - prints the SL of each path record, as the SA answers a host that asks for
 * (source LID, destination LID).  Standard input has lines "NODE_GUID LID"; all ordered
 * pairs of them are asked for.  The output is what ibdmchk -c reads: NODE_GUID DLID SL.
 * Exits with 1 if a pair has no path. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <infiniband/umad.h>

#define SA_HEADER 56		/* MAD, RMPP and SA headers */
#define MAD_BYTES 256
#define TIMEOUT_MS 5000
#define COMPONENTS (1u << 4 | 1u << 5 | 1u << 12)	/* DLID, SLID, NumbPath */

static void
put(uint8_t *at, uint64_t v, unsigned bytes)
{
	while (bytes--) {
		at[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static int			/* the SL, or -1 */
ask(int port, int agent, const umad_port_t *here, unsigned slid, unsigned dlid)
{
	static uint64_t tid;
	uint8_t buf[sizeof(struct ib_user_mad) + MAD_BYTES] = { 0 };
	uint8_t *mad = umad_get_mad(buf), *rec = mad + SA_HEADER;
	int len = MAD_BYTES;

	put(mad, 0x01030201, 4);	/* base 1, class SA, version 2, method Get */
	put(mad + 8, ++tid, 8);
	put(mad + 16, 0x35, 2);		/* PathRecord */
	put(mad + 48, COMPONENTS, 8);
	put(rec + 40, dlid, 2);
	put(rec + 42, slid, 2);
	rec[49] = 1;			/* NumbPath */
	umad_set_addr(buf, (int)here->sm_lid, 1, (int)here->sm_sl, 0x80010000);
	if (umad_send(port, agent, buf, MAD_BYTES, TIMEOUT_MS, 0) < 0 ||
	    umad_recv(port, buf, &len, TIMEOUT_MS) < 0 || umad_status(buf) || mad[4] || mad[5])
		return -1;
	return rec[53] & 15;
}

int
main(void)
{
	static struct { unsigned long long guid; unsigned lid; } h[0xc000];
	size_t n = 0, bad = 0;
	umad_port_t here;
	int port, agent, sl;

	while (n < sizeof(h) / sizeof(*h) && scanf("%llx %i", &h[n].guid, (int *)&h[n].lid) == 2)
		n++;
	if (umad_init() < 0 || umad_get_port(NULL, 0, &here) < 0)
		return 2;
	port = umad_open_port(NULL, 0);
	agent = port < 0 ? -1 : umad_register(port, 3, 2, 0, NULL);
	if (agent < 0)
		return 2;
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++) {
			if (a == b)
				continue;
			sl = ask(port, agent, &here, h[a].lid, h[b].lid);
			bad += sl < 0;
			if (sl >= 0)
				printf("0x%016llx %u %d\n", h[a].guid, h[b].lid, sl);
		}
	umad_close_port(port);
	return bad != 0;
}
