/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* attr.h - fields of the attributes that Gets bring, in our types. */
#ifndef MOORED_ATTR_H
#define MOORED_ATTR_H

#include <infiniband/mad.h>

#include "scan/seen.h"

enum { CAP_SL_MAP = 1 << 6 };	/* of port 0's PortInfo: the switch maps SLs (IBTA 14.2.5.6) */

/* libibmad reads an attribute from a pointer without const, and does not write there. */
static inline uint32_t
attr_field(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field((void *)(uintptr_t)data, 0, f);
}

static inline uint64_t
attr_field64(const uint8_t *data, enum MAD_FIELDS f)
{
	return mad_get_field64((void *)(uintptr_t)data, 0, f);
}

/* Reads the active width and speed from PortInfo. */
struct moore_rate attr_rate(const uint8_t *port_info);
/* NodeDescription is up to 64 bytes of anything; control characters become _. */
void attr_desc(char desc[DESC_MAX + 1], const uint8_t *node_desc);
/* What of a switch's SwitchInfo is kept. */
void attr_switch_info(struct seen_switch *s, const uint8_t *switch_info);

#endif
