/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lastgood.h - the part of the plugin that needs nothing of OpenSM's. */
#ifndef MOORE_LASTGOOD_H
#define MOORE_LASTGOOD_H

#include "moore/tables.h"

/* Index, or MOORE_NONE.  Switches and endpoints of f ascend by GUID. */
moore_swid moore_switch_by_guid(const struct moore_fabric *f, uint64_t guid);
moore_epid moore_endpoint_by_guid(const struct moore_fabric *f, uint64_t guid);

/* The rows of lft, made for old, as far as they hold in the fabric now.
 * -MOORE_ENOMEM.  O(switches * LIDs). */
int moore_lastgood(struct moore_lft **out, const struct moore_fabric *now,
		   const struct moore_fabric *old, const struct moore_lft *lft,
		   struct moore_err *err);

#endif
