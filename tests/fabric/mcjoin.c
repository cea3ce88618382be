// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mcjoin.c - joins ports to a multicast group as a host does: for each port one SubnAdm Set
 * of an MCMemberRecord (IBTA 15.2.5.17) over libibumad.
 *
 *	mcjoin GROUP[@SL] GUID...	group number 0..65535; GUIDs of ports of any host
 *
 * Creates the group if it does not exist.  Prints "GUID MLID" for each port. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad.h>

#define SA_HEADER 56		/* MAD, RMPP and SA headers */
#define MAD_BYTES 256
#define TIMEOUT_MS 5000

/* The request sets MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel and JoinState. */
#define COMPONENTS (1u << 0 | 1u << 1 | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 12 | 1u << 13 | 1u << 16)

static void
put(uint8_t *at, uint64_t v, unsigned bytes)
{
	while (bytes--) {
		at[bytes] = (uint8_t)v;
		v >>= 8;
	}
}

static void
fill(uint8_t *mad, unsigned group, unsigned sl, uint64_t guid, uint64_t tid)
{
	uint8_t *rec = mad + SA_HEADER;

	memset(mad, 0, MAD_BYTES);
	put(mad, 0x01030202, 4);	/* base 1, class SA, version 2, method Set */
	put(mad + 8, tid, 8);
	put(mad + 16, 0x38, 2);		/* MCMemberRecord */
	put(mad + 48, COMPONENTS, 8);
	/* A link-local group of IPoIB; with an SL another kind, since those of IPoIB have
	 * the SL of their partition. */
	put(rec, sl ? 0xff12401cffff0000 : 0xff12401bffff0000, 8);
	put(rec + 8, group, 8);
	put(rec + 16, 0xfe80000000000000, 8);
	put(rec + 24, guid, 8);
	put(rec + 32, 0x0b1b, 4);	/* Q_Key */
	put(rec + 40, 0xffff, 2);	/* P_Key */
	rec[44] = (uint8_t)(sl << 4);
	rec[48] = 0x21;			/* scope link local, full member */
}

static int
join(int port, int agent, const umad_port_t *here, unsigned group, unsigned sl, uint64_t guid)
{
	uint8_t buf[sizeof(struct ib_user_mad) + MAD_BYTES] = { 0 };
	int len = MAD_BYTES;
	uint8_t *mad = umad_get_mad(buf);

	fill(mad, group, sl, guid, guid);
	umad_set_addr(buf, (int)here->sm_lid, 1, (int)here->sm_sl, 0x80010000);
	if (umad_send(port, agent, buf, MAD_BYTES, TIMEOUT_MS, 0) < 0 ||
	    umad_recv(port, buf, &len, TIMEOUT_MS) < 0 || umad_status(buf)) {
		fprintf(stderr, "mcjoin: 0x%llx: no answer\n", (unsigned long long)guid);
		return 1;
	}
	if (mad[4] || mad[5]) {
		fprintf(stderr, "mcjoin: 0x%llx: status 0x%02x%02x\n", (unsigned long long)guid,
			mad[4], mad[5]);
		return 1;
	}
	printf("0x%016llx 0x%02x%02x\n", (unsigned long long)guid, mad[SA_HEADER + 36],
	       mad[SA_HEADER + 37]);
	return 0;
}

int
main(int argc, char **argv)
{
	umad_port_t here;
	unsigned group, sl = 0;
	int port, agent, rc = 0;

	if (argc < 3 || umad_init() < 0 || umad_get_port(NULL, 0, &here) < 0)
		return 2;
	port = umad_open_port(NULL, 0);
	agent = port < 0 ? -1 : umad_register(port, 3, 2, 0, NULL);
	if (agent < 0)
		return 2;
	if (sscanf(argv[1], "%u@%u", &group, &sl) < 1 || sl > 15)
		return 2;
	for (int i = 2; i < argc; i++)
		rc |= join(port, agent, &here, group, sl, strtoull(argv[i], NULL, 0));
	umad_close_port(port);
	return rc;
}
