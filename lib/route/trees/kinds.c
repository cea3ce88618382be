// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kinds.c - the table of kinds of layers. */
#include "route/trees/kinds.h"

static const struct moore_rkind kinds[MOORE_N_LAYERS] = {
	[MOORE_LAYERS_VALIANT3] = { .longest = false },
	[MOORE_LAYERS_NTA] = { .longest = true, .straight = true },
	[MOORE_LAYERS_VALIANT] = { .longest = true },
	[MOORE_LAYERS_INR] = { .longest = true, .among_hosts = true },
};

const struct moore_rkind *
moore_rkind_of(enum moore_layers layers)
{
	return &kinds[layers < MOORE_N_LAYERS ? layers : MOORE_LAYERS_VALIANT3];
}
