// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* attr.c - attributes in our types (IBTA 14.2.5). */
#include <string.h>

#include "scan/attr.h"

struct moore_rate
attr_rate(const uint8_t *info)
{
	static const uint8_t width[] = { [1] = 1, [2] = 4, [4] = 8, [8] = 12, [16] = 2 };
	static const uint8_t speed[] = { [1] = 1, [2] = 2, [4] = 3 };
	static const uint8_t ext[] = { [1] = 5, [2] = 6, [4] = 7, [8] = 8 };
	uint32_t w = attr_field(info, IB_PORT_LINK_WIDTH_ACTIVE_F);
	uint32_t s = attr_field(info, IB_PORT_LINK_SPEED_ACTIVE_F);
	uint32_t e = attr_field(info, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);
	struct moore_rate r = { 0, 0 };

	if (e < ARRAY_LEN(ext) && ext[e])
		r.speed = ext[e];
	else if (s < ARRAY_LEN(speed))
		r.speed = speed[s];
	if (r.speed && w < ARRAY_LEN(width))
		r.width = width[w];
	return r.width ? r : (struct moore_rate){ 0, 0 };
}

void
attr_desc(char desc[DESC_MAX + 1], const uint8_t *data)
{
	memcpy(desc, data, DESC_MAX);
	desc[DESC_MAX] = '\0';
	for (char *c = desc; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '_';
}

void
attr_switch_info(struct seen_switch *s, const uint8_t *info)
{
	s->lft_top = (uint16_t)attr_field(info, IB_SW_LINEAR_FDB_TOP_F);
	s->mft_cap = (uint16_t)attr_field(info, IB_SW_MCAST_FDB_CAP_F);
	s->mft_top = (uint16_t)attr_field(info, IB_SW_MCAST_FDB_TOP_F);
}
