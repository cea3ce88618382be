/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mcast.h - the tree of a multicast group. */
#ifndef MOORE_ROUTE_MCAST_H
#define MOORE_ROUTE_MCAST_H

#include "route/turns/turns.h"

/* As moore_route_mcast(), on the edges and turns of v. */
int moore_rmcast(const struct moore_rview *v, uint16_t group, const moore_swid *members,
		 size_t n, uint8_t *parent_port, struct moore_err *err);

#endif
