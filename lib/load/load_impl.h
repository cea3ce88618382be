/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* load_impl.h - flows of a traffic pattern, for lib/load alone. */
#ifndef MOORE_LOAD_IMPL_H
#define MOORE_LOAD_IMPL_H

#include "moore/saturation.h"

/* Sets to[s] to the switch that all endpoints of s send to, or MOORE_NONE.  No two switches
 * send to the same one. */
int moore_pattern_peers(const struct moore_fabric *f, enum moore_pattern pattern,
			moore_swid *to, struct moore_err *err);

#endif
