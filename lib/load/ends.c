// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ends.c - lists the switches that send and receive, and how near they are to each other. */
#include <string.h>

#include "load_impl.h"

static bool
takes_part(const struct moore_endpoint *ep)
{
	return ep->sw != MOORE_NONE && ep->lid;
}

static void
list(struct moore_ends *e, const struct moore_fabric *f)
{
	uint32_t n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++) {
		const uint32_t before = n;

		e->at[s] = MOORE_NONE;
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_ENDPOINT && takes_part(&f->ep[port->peer]))
				e->ep[n++] = port->peer;
		}
		if (n == before)
			continue;
		e->first[e->n] = before;
		e->at[s] = e->n;
		e->sw[e->n++] = s;
	}
	e->first[e->n] = n;
}

/* Notes the neighbours of s at that distance from ends[i], unless they are known nearer. */
static void
note_neighbours(struct moore_ends *e, const struct moore_fabric *f, moore_swid s, uint8_t *near,
		uint8_t hops)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);
		const uint32_t j = port->role == MOORE_ROLE_SWITCH ? e->at[port->peer] : MOORE_NONE;

		if (j != MOORE_NONE && near[j] > hops)
			near[j] = hops;
	}
}

static void
measure(struct moore_ends *e, const struct moore_fabric *f)
{
	memset(e->near, 3, (size_t)e->n * e->n);
	for (uint32_t i = 0; i < e->n; i++) {
		const moore_swid s = e->sw[i];
		uint8_t *near = &e->near[(size_t)i * e->n];

		near[i] = 0;
		note_neighbours(e, f, s, near, 1);
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role == MOORE_ROLE_SWITCH)
				note_neighbours(e, f, port->peer, near, 2);
		}
	}
}

int
moore_ends_list(struct moore_ends *e, const struct moore_fabric *f, struct moore_arena *mem,
		struct moore_err *err)
{
	const size_t n = (size_t)f->n_switches + 1;

	*e = (struct moore_ends){ 0 };
	if (!(e->sw = moore_arena_alloc(mem, n, sizeof(*e->sw))) ||
	    !(e->first = moore_arena_alloc(mem, n, sizeof(*e->first))) ||
	    !(e->at = moore_arena_alloc(mem, n, sizeof(*e->at))) ||
	    !(e->ep = moore_arena_alloc(mem, (size_t)f->n_endpoints + 1, sizeof(*e->ep))))
		return moore_fail_nomem(err);
	list(e, f);
	if (!(e->near = moore_arena_alloc(mem, (size_t)e->n * e->n + 1, 1)))
		return moore_fail_nomem(err);
	measure(e, f);
	return 0;
}

bool
moore_ends_send(const struct moore_ends *e, uint32_t i, uint32_t j, struct moore_programme *p)
{
	const uint32_t *first = e->first;

	for (uint32_t k = 0; first[i] + k < first[i + 1] && first[j] + k < first[j + 1]; k++) {
		const struct moore_programme_pair flow = { e->sw[i], e->ep[first[j] + k], 1 };

		if (!moore_programme_add(p, &flow, 1))
			return false;
	}
	return true;
}
