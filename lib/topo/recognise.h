/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* recognise.h - what the recognition of whole and of degraded graphs share. */
#ifndef MOORE_TOPO_RECOGNISE_H
#define MOORE_TOPO_RECOGNISE_H

#include "moore/topo.h"

/* The number of leading parameters that shape the graph; those after them only set
 * endpoints. */
unsigned moore_topo_n_shape(const struct moore_topo_family *f);

/* Writes the family and these parameters to text (64 bytes): "slimfly q=5".  -MOORE_ENOMEM. */
int moore_topo_describe(const struct moore_topo_family *f, const int64_t *param, char *text,
			struct moore_err *err);

#endif
