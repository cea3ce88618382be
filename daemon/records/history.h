/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* history.h - rates of all ports of each plane, for the last history_s seconds. */
#ifndef MOORED_HISTORY_H
#define MOORED_HISTORY_H

#include "part.h"
#include "moore/history.h"

extern const struct part part_history;
/* For the loop's thread, which may use it until it returns to the loop.  NULL before the first
 * poll. */
const struct moore_history *history_of(const struct moored *d, unsigned plane);

#endif
