/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* drainer.h - drains links with errors or flaps without being asked, if `drain` of moored.conf
 * allows it: a part. */
#ifndef MOORED_DRAINER_H
#define MOORED_DRAINER_H

#include "part.h"

extern const struct part part_drainer;

#endif
