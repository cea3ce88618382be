// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* guid.c - finds a switch or endpoint by GUID, by binary search: the fabrics that
 * observe.c makes are sorted by GUID.  The GUID identifies it from sweep to sweep. */
#include "lastgood.h"

/* The index of guid among n ascending GUIDs that lie `step` bytes apart. */
static uint32_t
find_guid(const void *first, uint32_t n, size_t step, uint64_t guid)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		uint64_t g = *(const uint64_t *)(const void *)((const char *)first + mid * step);

		if (g == guid)
			return mid;
		if (g < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return MOORE_NONE;
}

moore_swid
mplug_switch_by_guid(const struct moore_fabric *f, uint64_t guid)
{
	return f->n_switches ? find_guid(&f->sw[0].guid, f->n_switches, sizeof(f->sw[0]), guid)
		: MOORE_NONE;
}

moore_epid
mplug_endpoint_by_guid(const struct moore_fabric *f, uint64_t guid)
{
	return f->n_endpoints ? find_guid(&f->ep[0].guid, f->n_endpoints, sizeof(f->ep[0]), guid)
		: MOORE_NONE;
}
