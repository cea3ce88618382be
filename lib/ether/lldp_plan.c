// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_plan.c - what a plan has under a name, and at a port of a switch. */
#include <stdlib.h>
#include <string.h>

#include "lldp_impl.h"

int
moore_lldp_plan_init(struct moore_lldp_plan *x, const struct moore_plan *p, struct moore_err *err)
{
	*x = (struct moore_lldp_plan){ .plan = p };
	if (!p)
		return 0;
	x->name = malloc(((size_t)p->n_switches + p->n_endpoints + 1) * sizeof(*x->name));
	x->plug = moore_plan_plugs(p);
	if (!x->name || !x->plug) {
		moore_lldp_plan_fini(x);
		return moore_fail_nomem(err);
	}
	x->n_plugs = p->n_endpoints + 2 * (size_t)p->n_cables;
	for (moore_swid s = 0; s < p->n_switches; s++)
		x->name[x->n_names++] = (struct moore_plan_ref){ p->sw[s].name, 0, s, MOORE_PLAN_SWITCH };
	for (moore_epid e = 0; e < p->n_endpoints; e++)
		x->name[x->n_names++] = (struct moore_plan_ref){ p->ep[e].name, 0, e,
								 MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(x->name, x->n_names);
	return 0;
}

void
moore_lldp_plan_fini(struct moore_lldp_plan *x)
{
	free(x->name);
	free(x->plug);
	*x = (struct moore_lldp_plan){ NULL };
}

moore_swid
moore_lldp_planned_switch(const struct moore_lldp_plan *x, const char *name)
{
	return moore_plan_refs_find(x->name, x->n_names, name, 0, MOORE_PLAN_SWITCH);
}

bool
moore_lldp_planned_host(const struct moore_lldp_plan *x, const char *name)
{
	return moore_plan_refs_find(x->name, x->n_names, name, 0, MOORE_PLAN_ENDPOINT) != MOORE_NONE;
}

struct moore_lldp_peer
moore_lldp_planned_peer(const struct moore_lldp_plan *x, moore_swid s, moore_portnum port)
{
	const struct moore_plan *p = x->plan;
	uint64_t key = moore_plan_plug_key(s, port);
	uint32_t i;

	if (s == MOORE_NONE)
		return (struct moore_lldp_peer){ NULL };
	if ((i = moore_plan_refs_find(x->plug, x->n_plugs, "", key, MOORE_PLAN_ENDPOINT)) != MOORE_NONE)
		return (struct moore_lldp_peer){ p->ep[i].name, p->ep[i].ca_port, true };
	for (int end = 0; end < 2; end++)
		if ((i = moore_plan_refs_find(x->plug, x->n_plugs, "", key, end ? MOORE_PLAN_CABLE_B :
					      MOORE_PLAN_CABLE_A)) != MOORE_NONE)
			return (struct moore_lldp_peer){ p->sw[p->cable[i].sw[!end]].name,
							 p->cable[i].port[!end], false };
	return (struct moore_lldp_peer){ NULL };
}
