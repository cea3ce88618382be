/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lastgood.h - the part of the plugin that uses nothing of OpenSM: finding switches and
 * endpoints by GUID, and carrying tables over to a changed fabric. */
#ifndef MPLUG_LASTGOOD_H
#define MPLUG_LASTGOOD_H

#include "moore/tables.h"

/* The index of the switch or endpoint with this GUID, or MOORE_NONE.  f's switches and
 * endpoints must be sorted by GUID, as observe.c makes them.  O(log n). */
moore_swid mplug_switch_by_guid(const struct moore_fabric *f, uint64_t guid);
moore_epid mplug_endpoint_by_guid(const struct moore_fabric *f, uint64_t guid);

/* Makes *out, tables for the fabric `now`, from lft, the tables of the fabric `old`: rows
 * whose link is gone become no-path.  The caller frees *out with moore_lft_free().
 * -MOORE_ENOMEM.  O(switches * LIDs). */
int mplug_lastgood(struct moore_lft **out, const struct moore_fabric *now,
		   const struct moore_fabric *old, const struct moore_lft *lft,
		   struct moore_err *err);

/* The number of port p of switch s of `now` in entry turns of the routes that were made for `old`, whose
 * entry[] (may be NULL) this is; 0 if the port leads to another switch than before.  O(log n). */
uint8_t mplug_lastgood_entry(const struct moore_fabric *now, moore_swid s, moore_portnum p,
			     const struct moore_fabric *old, const uint8_t *entry);

/* Makes *out, the SLs that sources use for each LID of those tables, from set, the SLs for
 * lft.  The caller frees *out with moore_sl_set_free().  -MOORE_ENOMEM. */
int mplug_lastgood_sls(struct moore_sl_set **out, const struct moore_fabric *now,
		       const struct moore_fabric *old, const struct moore_sl_set *set,
		       struct moore_err *err);

#endif
