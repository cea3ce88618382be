/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* guid_map.h - a map from GUID to number, in an arena.  Open addressing; the caller gives the
 * greatest number of entries beforehand. */
#ifndef MOORE_FABRIC_GUID_MAP_H
#define MOORE_FABRIC_GUID_MAP_H

#include "base/arena.h"
#include "moore/base.h"

struct moore_guid_map {
	struct moore_guid_slot {
		uint64_t guid;
		uint32_t value;		/* the number + 1; 0: free */
	} *slot;
	size_t mask;
};

static inline bool
moore_guid_map_init(struct moore_guid_map *m, size_t most, struct moore_arena *a)
{
	size_t n = 16;

	while (n < most * 2)
		n *= 2;
	m->mask = n - 1;
	return (m->slot = moore_arena_alloc(a, n, sizeof(*m->slot)));
}

static inline struct moore_guid_slot *
moore_guid_map_slot(const struct moore_guid_map *m, uint64_t guid)
{
	size_t i = (size_t)(guid * 0x9e3779b97f4a7c15ull >> 20) & m->mask;

	while (m->slot[i].value && m->slot[i].guid != guid)
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

/* Returns the number, or MOORE_NONE when the GUID has none. */
static inline uint32_t
moore_guid_map_get(const struct moore_guid_map *m, uint64_t guid)
{
	return moore_guid_map_slot(m, guid)->value - 1;
}

static inline void
moore_guid_map_put(struct moore_guid_map *m, uint64_t guid, uint32_t value)
{
	*moore_guid_map_slot(m, guid) = (struct moore_guid_slot){ guid, value + 1 };
}

#endif
