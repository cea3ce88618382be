/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ether.h - the network that `moorectl ethernet emit` wrote to a directory, and the forwarding
 * tables that follow from the routes of running switches. */
#ifndef MOORED_ETHER_H
#define MOORED_ETHER_H

#include "moore/ether.h"
#include "snapshot.h"

struct ether_net {
	struct moore_ether *x;		/* NULL: no directory was read */
	struct moore_fabric *racks;	/* judged racks (ether.h of moore) */
};
/* Reads plan.json and addresses.json of dir, of the latter one family (ether_net_ip()).  After a
 * failure *out is empty. */
int ether_net_read(struct ether_net *out, const char *dir, struct moore_err *err);
void ether_net_free(struct ether_net *net);	/* and makes it empty */

/* The family whose routes are read: IPv4 when the network has it, else IPv6. */
enum moore_ip ether_net_ip(const struct ether_net *net);
/* The LMC by which offset l of an endpoint stands for layer l. */
uint8_t ether_net_lmc(const struct ether_net *net);
/* The switch of that name in a plan, or MOORE_NONE; guess is where most are. */
moore_swid ether_find(const struct moore_plan *plan, const char *name, moore_swid guess);
/* Sets s->lft from the routes of the network's switches, config[] in their order.  s has a fabric
 * with that LMC.  An endpoint counts as a host of the switch that it is connected to, with the
 * prefixes of that switch; of several next hops the first counts.  Adds to *faults what is wrong with routes.
 * O(switches * endpoints * layers). */
int ether_net_tables(struct snapshot *s, const struct ether_net *net,
		     const struct moore_ether_config *config, struct moore_ether_faults *faults,
		     struct moore_err *err);
/* Sets s->sl2vl from the classes of the network's switches: on every SL, VL i is the i-th lossless
 * priority.  Where the classes of switches do not fit together, or those of some are not known,
 * *faults says where lossless packets may be lost.  O(switches * ports^2). */
int ether_net_lanes(struct snapshot *s, const struct ether_net *net,
		    const struct moore_ether_config *config, struct moore_ether_faults *faults,
		    struct moore_err *err);

#endif
