// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* renumber.c - a copy of a fabric in which switches have other numbers, or are left out. */
#include <stdlib.h>
#include <string.h>

#include "engine/intended.h"

struct work {
	const struct moore_fabric *from;
	const moore_swid *to;	/* by switch: its number in the copy, or MOORE_NONE if it is left out */
	moore_epid *ep_to;	/* likewise, by endpoint */
	uint32_t n_switches, n_endpoints, n_ports;	/* of the copy */
};

static void
count(struct work *w)
{
	const struct moore_fabric *f = w->from;

	for (moore_swid s = 0; s < f->n_switches; s++)
		if (w->to[s] != MOORE_NONE) {
			w->n_switches++;
			w->n_ports += f->sw[s].n_ports + 1u;
		}
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const moore_swid s = f->ep[e].sw;

		w->ep_to[e] = s == MOORE_NONE || w->to[s] != MOORE_NONE ? w->n_endpoints++ : MOORE_NONE;
	}
}

static char *
copy_name(const char *name)
{
	return moore_strndup(name ? name : "", name ? strlen(name) : 0);
}

static bool
copy_switches(const struct work *w, struct moore_fabric *g)
{
	for (moore_swid s = 0; s < w->from->n_switches; s++) {
		struct moore_switch *to;

		if (w->to[s] == MOORE_NONE)
			continue;
		to = &g->sw[w->to[s]];
		*to = w->from->sw[s];
		if (!(to->name = copy_name(w->from->sw[s].name)))
			return false;
	}
	moore_fabric_layout(g);
	return true;
}

static bool
copy_endpoints(const struct work *w, struct moore_fabric *g)
{
	for (moore_epid e = 0; e < w->from->n_endpoints; e++) {
		struct moore_endpoint *to;

		if (w->ep_to[e] == MOORE_NONE)
			continue;
		to = &g->ep[w->ep_to[e]];
		*to = w->from->ep[e];
		to->sw = to->sw == MOORE_NONE ? MOORE_NONE : w->to[to->sw];
		if (!(to->name = copy_name(w->from->ep[e].name)))
			return false;
	}
	return true;
}

/* A port that leads to a switch that is left out has no link in the copy. */
static void
copy_ports(const struct work *w, struct moore_fabric *g)
{
	const struct moore_fabric *f = w->from;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 0; w->to[s] != MOORE_NONE && p <= f->sw[s].n_ports; p++) {
			struct moore_port *to = &g->port[g->sw[w->to[s]].port0 + p];

			*to = *moore_fabric_port(f, s, (moore_portnum)p);
			if (to->role == MOORE_ROLE_SWITCH)
				to->peer = w->to[to->peer];
			else if (to->role == MOORE_ROLE_ENDPOINT)
				to->peer = w->ep_to[to->peer];
			if (to->role == MOORE_ROLE_SWITCH && to->peer == MOORE_NONE)
				*to = (struct moore_port){ .peer = MOORE_NONE };
		}
}

int
moore_intended_renumber(struct moore_fabric **out, const struct moore_fabric *f, const moore_swid *to,
			struct moore_err *err)
{
	struct work w = { .from = f, .to = to };
	struct moore_fabric *g = NULL;
	int rc;

	*out = NULL;
	if (!(w.ep_to = malloc((f->n_endpoints + (size_t)1) * sizeof(*w.ep_to))))
		return moore_fail_nomem(err);
	count(&w);
	rc = moore_fabric_new(&g, w.n_switches, w.n_endpoints, w.n_ports, err);
	if (rc == 0 && (!copy_switches(&w, g) || !copy_endpoints(&w, g)))
		rc = moore_fail_nomem(err);
	if (rc < 0) {
		moore_fabric_free(g);
	} else {
		copy_ports(&w, g);
		g->lid_top = f->lid_top;
		g->lid_max = f->lid_max;
		*out = g;
	}
	free(w.ep_to);
	return rc;
}
