/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lldp_impl.h - what the files lldp*.c share. */
#ifndef MOORE_LLDP_IMPL_H
#define MOORE_LLDP_IMPL_H

#include "moore/lldp.h"
#include "plan/plan_parts.h"

/* The number of a port of a switch, and of a host, from the name of its interface; 0 when the
 * name has none. */
moore_portnum moore_lldp_switch_port(const char *name);
moore_portnum moore_lldp_host_port(const char *name);

/* ---- what a plan has at each port of a switch ----------------------------------------- */

struct moore_lldp_plan {
	const struct moore_plan *plan;		/* NULL: none, and then nothing is found */
	struct moore_plan_ref *name;		/* switches, and endpoints with their ca_port */
	size_t n_names;
	struct moore_plan_ref *plug;		/* of moore_plan_plugs() */
	size_t n_plugs;
};

struct moore_lldp_peer {
	const char *name;	/* NULL: nothing */
	moore_portnum port;	/* of the switch, or of the host */
	bool is_host;
};

int moore_lldp_plan_init(struct moore_lldp_plan *x, const struct moore_plan *p,
			 struct moore_err *err);
void moore_lldp_plan_fini(struct moore_lldp_plan *x);
moore_swid moore_lldp_planned_switch(const struct moore_lldp_plan *x, const char *name);
bool moore_lldp_planned_host(const struct moore_lldp_plan *x, const char *name);
struct moore_lldp_peer moore_lldp_planned_peer(const struct moore_lldp_plan *x, moore_swid s,
					       moore_portnum port);

#endif
