// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_ports.c - each port of a switch as the switch itself sees it, against the plan.  This is
 * what ptmd of Cumulus Linux tells of a switch; what the other end says plays no part. */
#include <stdlib.h>
#include <string.h>

#include "lldp_impl.h"

/* The name of a neighbour is the planned one, or that with a domain behind it. */
static bool
is_called(const char *name, const char *planned)
{
	size_t n = strlen(planned);

	return !strncmp(name, planned, n) && (!name[n] || name[n] == '.');
}

/* The port of a host that gives it no number is not compared. */
static bool
is_wanted(const struct moore_lldp_neighbour *nb, const struct moore_lldp_cable *c)
{
	moore_portnum port;

	if (!nb->name || !is_called(nb->name, c->want))
		return false;
	if (c->want_host) {
		port = nb->port ? moore_lldp_host_port(nb->port) : 0;
		return !port || port == c->want_port;
	}
	return nb->port && moore_lldp_switch_port(nb->port) == c->want_port;
}

static void
judge(struct moore_lldp_cable *c)
{
	c->status = c->want ? MOORE_LLDP_FAIL : MOORE_LLDP_NOT_PLANNED;
	if (!c->want || !c->has || c->has->down)
		return;
	for (uint32_t i = 0; i < c->has->n_neighbours; i++)
		if (is_wanted(&c->has->neighbour[i], c))
			c->status = MOORE_LLDP_PASS;
}

/* The name of the switch in the plan: it may give a domain that the plan leaves out. */
static moore_swid
find_planned(const struct moore_lldp_plan *x, const struct moore_lldp_switch *s)
{
	moore_swid at = moore_lldp_planned_switch(x, s->name);

	return at != MOORE_NONE ? at : moore_lldp_planned_switch(x, s->asked);
}

static int
add_ports(struct moore_lldp_cables *out, const struct moore_lldp_plan *x,
	  const struct moore_lldp_switch *s, struct moore_err *err)
{
	moore_swid planned = find_planned(x, s);

	for (unsigned p = 1; p <= MOORE_PORT_MAX; p++) {
		struct moore_lldp_peer want = moore_lldp_planned_peer(x, planned, (moore_portnum)p);
		struct moore_lldp_cable *list, c = { .sw = s, .number = (moore_portnum)p,
			.has = moore_lldp_port(s, (moore_portnum)p), .want = want.name,
			.want_port = want.port, .want_host = want.is_host };

		if (!c.want && (!c.has || !c.has->n_neighbours))
			continue;
		judge(&c);
		if (!(list = moore_grow(out->cable, out->n, &out->cap, sizeof(*list))))
			return moore_fail_nomem(err);
		out->cable = list;
		list[out->n++] = c;
		out->n_of[c.status]++;
	}
	return 0;
}

int
moore_lldp_compare(struct moore_lldp_cables *out, struct moore_lldp_switch *const *sw, uint32_t n,
		   const struct moore_plan *plan, struct moore_err *err)
{
	struct moore_lldp_plan x;
	int rc = moore_lldp_plan_init(&x, plan, err);

	*out = (struct moore_lldp_cables){ NULL };
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = add_ports(out, &x, sw[i], err);
	moore_lldp_plan_fini(&x);
	if (rc < 0)
		moore_lldp_cables_fini(out);
	return rc;
}

void
moore_lldp_cables_fini(struct moore_lldp_cables *c)
{
	free(c->cable);
	*c = (struct moore_lldp_cables){ NULL };
}
