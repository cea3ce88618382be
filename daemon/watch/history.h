/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* history.h - rates of each plane, as far back as history_s says. */
#ifndef MOORED_HISTORY_H
#define MOORED_HISTORY_H

#include "part.h"
#include "moore/history.h"

extern const struct part part_history;
/* On the loop's thread, until it returns to the loop; NULL before the first poll. */
const struct moore_history *history_of(const struct moored *d, unsigned plane);

#endif
