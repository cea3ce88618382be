// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lame.c - a library preloaded into OpenSM on ibsim, whose ports all have 8 VLs and whose
 * switches all map SLs.  With it every port reports 15 VLs, and the switch with GUID
 * $LAME_SWITCH reports that it maps no SLs.  If $LAME_REFUSES names a file, that switch
 * refuses SL2VL tables instead while the file exists, and all else is as it is.  If $LAME_LIE is
 * one of the lies below, that switch tells it instead.  The directed route to that switch
 * identifies its answers. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad.h>

#define MAX_PATHS 4096
enum { CLASS = 1, METHOD = 3, STATUS = 5, HOPS = 7, ATTRIBUTE = 17, MODIFIER = 23, DATA = 64, PATH = 128 };
enum { DIRECTED = 0x81, GET_RESP = 0x81, NODE_INFO = 0x11, SWITCH_INFO = 0x12, PORT_INFO = 0x15,
	SL2VL = 0x17, ARBITRATION = 0x18, FORWARDING = 0x19 };
enum { GUID = DATA + 12, TOP = DATA + 6, SL_MAP = DATA + 23, VL_CAP = DATA + 37, OP_VLS = DATA + 43 };

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

/* ---- lies ------------------------------------------------------------------------------ */

/* It keeps one row for each out port, the first that is asked for. */
static void
lie_by_out(uint8_t *mad)
{
	static uint8_t row[256][8];
	static bool have[256];
	const uint8_t out = mad[MODIFIER];

	if (!have[out])
		memcpy(row[out], mad + DATA, 8);
	have[out] = true;
	memcpy(mad + DATA, row[out], 8);
}

static void
lie_no_path(uint8_t *mad)
{
	for (unsigned i = 0; i < 64; i++)
		mad[DATA + i] = mad[DATA + i] == 255 ? 0 : mad[DATA + i];
}

static void
lie_shifted(uint8_t *mad)
{
	memmove(mad + DATA + 1, mad + DATA, 63);
}

static void
lie_weight(uint8_t *mad)
{
	mad[DATA + 3] = (uint8_t)(mad[DATA + 3] / 2);
}

static void
lie_no_weight(uint8_t *mad)
{
	memset(mad + DATA, 0, 64);
}

static void
lie_top(uint8_t *mad)
{
	mad[TOP + 1]--;
}

static void
lie_vls(uint8_t *mad)
{
	if (mad[MODIFIER])
		mad[OP_VLS] = (uint8_t)(0x30 | (mad[OP_VLS] & 15));
}

static void
lie_map(uint8_t *mad)
{
	if (!mad[MODIFIER])
		mad[SL_MAP] &= (uint8_t)~0x40;
}

static const struct {
	const char *name;
	uint8_t attribute;
	void (*tell)(uint8_t *mad);
} lies[] = {
	{ "by-out", SL2VL, lie_by_out }, { "no-path", FORWARDING, lie_no_path },
	{ "shifted", FORWARDING, lie_shifted }, { "weight", ARBITRATION, lie_weight },
	{ "no-weight", ARBITRATION, lie_no_weight }, { "top", SWITCH_INFO, lie_top },
	{ "vls", PORT_INFO, lie_vls }, { "map", PORT_INFO, lie_map },
};

static void
lie(const char *name, uint8_t *mad)
{
	bool known = false;

	for (unsigned i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		known |= !strcmp(lies[i].name, name);
		if (!strcmp(lies[i].name, name) && mad[ATTRIBUTE] == lies[i].attribute && is_lame(mad))
			lies[i].tell(mad);
	}
	if (!known)
		abort();
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
	if (getenv("LAME_LIE")) {
		lie(getenv("LAME_LIE"), mad);
		return;
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
