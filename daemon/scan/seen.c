// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* seen.c - struct seen: switches by GUID, and the order of its arrays. */
#include <stdlib.h>
#include <string.h>

#include "scan/seen.h"

void
seen_free(struct seen *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_switches; i++) {
		free(s->sw[i].port);
		free(s->sw[i].lft);
		free(s->sw[i].sl2vl);
		free(s->sw[i].mft);
		free(s->sw[i].hardware);
	}
	free(s->sw);
	free(s->ep);
	free(s->by_guid);
	free(s);
}

/* ---- switches by GUID: an open hash, at most half full ------------------------------ */

static uint32_t
slot_of(const struct seen *s, uint64_t guid)
{
	uint32_t i = (uint32_t)((guid * 0x9e3779b97f4a7c15ull) >> 40) & (s->n_slots - 1);

	while (s->by_guid[i] != MOORE_NONE && s->sw[s->by_guid[i]].guid != guid)
		i = (i + 1) & (s->n_slots - 1);
	return i;
}

uint32_t
seen_find(const struct seen *s, uint64_t guid)
{
	return s->n_slots ? s->by_guid[slot_of(s, guid)] : MOORE_NONE;
}

static void
index_all(struct seen *s)
{
	memset(s->by_guid, 0xff, s->n_slots * sizeof(*s->by_guid));
	for (uint32_t i = 0; i < s->n_switches; i++)
		s->by_guid[slot_of(s, s->sw[i].guid)] = i;
}

struct seen_switch *
seen_room(struct seen *s)
{
	struct seen_switch *sw = moore_grow(s->sw, s->n_switches, &s->cap_switches, sizeof(*sw));

	if (!sw)
		return NULL;
	s->sw = sw;
	if (2 * (s->n_switches + 1) > s->n_slots) {
		uint32_t n = s->n_slots ? 2 * s->n_slots : 256;
		uint32_t *more = realloc(s->by_guid, n * sizeof(*more));

		if (!more)
			return NULL;
		s->by_guid = more;
		s->n_slots = n;
		index_all(s);
	}
	return sw + s->n_switches;
}

void
seen_keep(struct seen *s)
{
	s->by_guid[slot_of(s, s->sw[s->n_switches].guid)] = s->n_switches;
	s->n_switches++;
}

/* ---- order: no trace is left of the order in which the walk found things ------------ */

static int
by_guid(const void *a, const void *b)
{
	const struct seen_switch *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Switches in the order of their GUIDs; guid[i] is that of the switch that was i. */
static void
order_switches(struct seen *s, uint64_t *guid)
{
	for (uint32_t i = 0; i < s->n_switches; i++)
		guid[i] = s->sw[i].guid;
	qsort(s->sw, s->n_switches, sizeof(*s->sw), by_guid);
	index_all(s);
	for (uint32_t i = 0; i < s->n_switches; i++)
		for (unsigned k = 1; k <= s->sw[i].n_ports; k++) {
			struct seen_port *p = &s->sw[i].port[k];

			if (p->role == MOORE_ROLE_SWITCH)
				p->peer = seen_find(s, guid[p->peer]);
			else if (p->role == MOORE_ROLE_ENDPOINT)
				p->role = MOORE_ROLE_NONE;	/* order_endpoints() sets it */
		}
}

struct found_endpoint {
	struct seen_endpoint e;
	uint32_t was;		/* its index in the order of the walk */
};

static int
by_node_and_port(const void *a, const void *b)
{
	const struct found_endpoint *x = a, *y = b;

	if (x->e.node_guid != y->e.node_guid)
		return x->e.node_guid > y->e.node_guid ? 1 : -1;
	if (x->e.ca_port != y->e.ca_port)
		return x->e.ca_port - y->e.ca_port;
	return (x->was > y->was) - (x->was < y->was);
}

static bool
same_port(const struct seen_endpoint *a, const struct seen_endpoint *b)
{
	return a->node_guid == b->node_guid && a->ca_port == b->ca_port;
}

/* Endpoints in the order of node GUID and port.  If two devices report the same GUID, the
 * first one found keeps it.  An endpoint beside no switch is left out. */
static void
order_endpoints(struct seen *s, const uint64_t *guid, struct found_endpoint *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->n_endpoints; i++)
		f[i] = (struct found_endpoint){ s->ep[i], i };
	qsort(f, s->n_endpoints, sizeof(*f), by_node_and_port);
	for (uint32_t i = 0; i < s->n_endpoints; i++) {
		struct seen_endpoint *e = &f[i].e;
		struct seen_port *p;

		if (e->sw == MOORE_NONE || (n && same_port(&s->ep[n - 1], e)))
			continue;
		e->sw = seen_find(s, guid[e->sw]);
		p = &s->sw[e->sw].port[e->port];
		p->role = MOORE_ROLE_ENDPOINT;
		p->peer = n;
		s->ep[n++] = *e;
	}
	s->n_endpoints = n;
}

int
seen_order(struct seen *s)
{
	struct found_endpoint *f = malloc(((size_t)s->n_endpoints + 1) * sizeof(*f));
	uint64_t *guid = malloc(((size_t)s->n_switches + 1) * sizeof(*guid));
	int rc = f && guid ? 0 : -1;

	if (!rc) {
		order_switches(s, guid);
		order_endpoints(s, guid, f);
	}
	free(f);
	free(guid);
	return rc;
}
