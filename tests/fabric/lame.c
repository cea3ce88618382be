// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lame.c - a library preloaded into OpenSM on ibsim, whose ports all have 8 VLs and whose
 * switches all map SLs.  With it every port reports 15 VLs, and the switch with GUID
 * $LAME_SWITCH reports that it maps no SLs.  If $LAME_REFUSES names a file, that switch
 * refuses SL2VL tables instead while the file exists, and all else is as it is.  The directed
 * route to that switch identifies its answers. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad.h>

#define MAX_PATHS 4096
enum { CLASS = 1, METHOD = 3, STATUS = 5, HOPS = 7, ATTRIBUTE = 17, MODIFIER = 23, DATA = 64, PATH = 128 };
enum { DIRECTED = 0x81, GET_RESP = 0x81, NODE_INFO = 0x11, PORT_INFO = 0x15, SL2VL = 0x17 };
enum { GUID = DATA + 12, SL_MAP = DATA + 23, VL_CAP = DATA + 37 };

static struct path {
	uint8_t hops, way[64];
} lame[MAX_PATHS];
static unsigned n_lame;

static bool
is_lame(const uint8_t *mad)
{
	for (unsigned i = 0; i < n_lame; i++)
		if (lame[i].hops == mad[HOPS] && !memcmp(lame[i].way + 1, mad + PATH + 1, mad[HOPS]))
			return true;
	return false;
}

static void
change(uint8_t *mad)
{
	const char *want = getenv("LAME_SWITCH"), *refuses = getenv("LAME_REFUSES");
	uint64_t guid = 0;

	if (mad[CLASS] != DIRECTED || mad[METHOD] != GET_RESP || mad[HOPS] > 63)
		return;
	for (unsigned i = 0; i < 8; i++)
		guid = guid << 8 | mad[GUID + i];
	if (mad[ATTRIBUTE] == NODE_INFO && want && guid == strtoull(want, NULL, 16) &&
	    !is_lame(mad) && n_lame < MAX_PATHS) {
		lame[n_lame].hops = mad[HOPS];
		memcpy(lame[n_lame++].way, mad + PATH, 64);
	}
	if (refuses) {
		if (mad[ATTRIBUTE] == SL2VL && is_lame(mad) && access(refuses, F_OK) == 0)
			mad[STATUS] |= 0x1c;	/* a field has an invalid value */
		return;
	}
	if (mad[ATTRIBUTE] != PORT_INFO)
		return;
	mad[VL_CAP] = (uint8_t)(0x50 | (mad[VL_CAP] & 15));
	if (!mad[MODIFIER] && is_lame(mad))
		mad[SL_MAP] &= (uint8_t)~0x40;
}

int
umad_recv(int port, void *umad, int *length, int timeout)
{
	int (*real)(int, void *, int *, int) =
		(int (*)(int, void *, int *, int))dlsym(RTLD_NEXT, "umad_recv");
	int agent = real(port, umad, length, timeout);

	if (agent >= 0 && *length >= 256)
		change(umad_get_mad(umad));
	return agent;
}
