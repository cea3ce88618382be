// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* complete.c - makes the intended fabric of a degraded one that was recognised: the fabric as
 * it is seen, with the links and switches that the family's graph has besides.
 *
 * Switches that are seen keep their places and GUIDs, so they are sorted as before the
 * failure; missing ones come last, since their GUIDs are unknown. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/intended.h"

#define LANES 8			/* of a link that is missing: more than one */

struct work {
	const struct moore_fabric *seen;
	const struct moore_topo *whole;
	moore_swid *at;		/* by switch of whole: its index in the new fabric */
	uint32_t *lost;		/* by switch of the new fabric: links that are missing */
	uint32_t n_hosts;	/* endpoints of a missing switch, if it has any */
	struct moore_fabric *f;
};

static bool
is_seen(const struct work *w, moore_swid s)
{
	return s < w->seen->n_switches;
}

static bool
is_linked(const struct moore_fabric *f, moore_swid a, moore_swid b)
{
	for (unsigned p = 1; p <= f->sw[a].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(f, a, (moore_portnum)p);

		if (q->role == MOORE_ROLE_SWITCH && q->peer == b)
			return true;
	}
	return false;
}

static bool
is_missing(const struct work *w, const struct moore_topo_link *l)
{
	const moore_swid a = w->at[l->a], b = w->at[l->b];

	return !is_seen(w, a) || !is_seen(w, b) || !is_linked(w->seen, a, b);
}

static unsigned
count_role(const struct moore_fabric *f, moore_swid s, uint8_t role)
{
	unsigned n = 0;

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		n += moore_fabric_port(f, s, (moore_portnum)p)->role == role;
	return n;
}

/* The number of endpoints of switch s of whole, if it is missing. */
static unsigned
hosts_of(const struct work *w, uint32_t s)
{
	return w->whole->endpoints[s] ? w->n_hosts : 0;
}

/* Numbers the switches, counts what is missing at each, and finds n_hosts. */
static void
prepare(struct work *w, const struct moore_topo_part *part)
{
	uint32_t n = w->seen->n_switches;

	memset(w->at, 0xff, w->whole->n_switches * sizeof(*w->at));
	for (moore_swid s = 0; s < n; s++) {
		const unsigned hosts = count_role(w->seen, s, MOORE_ROLE_ENDPOINT);

		w->at[part->image[s]] = s;
		w->n_hosts = hosts > w->n_hosts ? hosts : w->n_hosts;
	}
	for (uint32_t v = 0; v < w->whole->n_switches; v++)
		if (w->at[v] == MOORE_NONE)
			w->at[v] = n++;
	for (uint32_t i = 0; i < w->whole->n_links; i++)
		if (is_missing(w, &w->whole->link[i])) {
			w->lost[w->at[w->whole->link[i].a]]++;
			w->lost[w->at[w->whole->link[i].b]]++;
		}
}

/* A switch that is seen gets more ports if its free ones do not suffice. */
static int
count_ports(struct work *w, moore_portnum *n_ports, uint32_t *sum, uint32_t *n_hosts,
	    struct moore_err *err)
{
	for (uint32_t v = 0; v < w->whole->n_switches; v++) {
		const moore_swid s = w->at[v];
		unsigned ports = w->lost[s] + hosts_of(w, v);

		if (is_seen(w, s)) {
			const unsigned used = w->seen->sw[s].n_ports -
				count_role(w->seen, s, MOORE_ROLE_NONE) + w->lost[s];

			ports = used > w->seen->sw[s].n_ports ? used : w->seen->sw[s].n_ports;
		} else {
			*n_hosts += hosts_of(w, v);
		}
		if (ports > MOORE_PORT_MAX)
			return moore_fail(err, MOORE_EPLAN, 0, "a switch has no port for a missing link");
		n_ports[s] = (moore_portnum)ports;
		*sum += ports + 1;
	}
	return 0;
}

static bool
copy_switches(struct work *w, const moore_portnum *n_ports)
{
	for (moore_swid s = 0; s < w->f->n_switches; s++) {
		struct moore_switch *to = &w->f->sw[s];

		if (is_seen(w, s)) {
			const char *name = w->seen->sw[s].name ? w->seen->sw[s].name : "";

			*to = w->seen->sw[s];
			to->name = moore_strndup(name, strlen(name));
		} else {
			*to = (struct moore_switch){ .maps_sl = true, .name = moore_strndup("", 0) };
		}
		to->n_ports = n_ports[s];
		if (!to->name)
			return false;
	}
	moore_fabric_layout(w->f);
	return true;
}

static bool
copy_endpoints(struct work *w)
{
	for (moore_epid e = 0; e < w->seen->n_endpoints; e++) {
		const struct moore_endpoint *from = &w->seen->ep[e];
		const char *name = from->name ? from->name : "";

		w->f->ep[e] = *from;
		if (!(w->f->ep[e].name = moore_strndup(name, strlen(name))))
			return false;
		if (from->sw != MOORE_NONE)
			moore_fabric_attach(w->f, e, from->sw, from->port,
					    moore_fabric_port(w->seen, from->sw, from->port)->lanes);
	}
	return true;
}

/* Of the free ports of s, the one nearest to a port with a link: routes number the endpoints
 * of a switch by their ports, so a link's port should not count as one of theirs. */
static moore_portnum
free_port(const struct moore_fabric *f, moore_swid s)
{
	unsigned best = 0, least = UINT32_MAX;

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		unsigned far = MOORE_PORT_MAX + 1;

		if (moore_fabric_port(f, s, (moore_portnum)p)->role != MOORE_ROLE_NONE)
			continue;
		for (unsigned k = 1; k <= f->sw[s].n_ports; k++)
			if (moore_fabric_port(f, s, (moore_portnum)k)->role == MOORE_ROLE_SWITCH)
				far = far < (k > p ? k - p : p - k) ? far : k > p ? k - p : p - k;
		if (far < least) {
			least = far;
			best = p;
		}
	}
	return (moore_portnum)best;
}

static void
add_links(struct work *w)
{
	for (moore_swid s = 0; s < w->seen->n_switches; s++)
		for (unsigned p = 1; p <= w->seen->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(w->seen, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				moore_fabric_link(w->f, s, (moore_portnum)p, q->peer, q->peer_port,
						  q->lanes);
		}
	for (uint32_t i = 0; i < w->whole->n_links; i++) {
		const struct moore_topo_link *l = &w->whole->link[i];

		if (is_missing(w, l))
			moore_fabric_link(w->f, w->at[l->a], free_port(w->f, w->at[l->a]),
					  w->at[l->b], free_port(w->f, w->at[l->b]), LANES);
	}
}

/* Attaches the endpoints of missing switches, to the ports that their links left. */
static bool
add_hosts(struct work *w)
{
	moore_epid e = w->seen->n_endpoints;

	for (uint32_t v = 0; v < w->whole->n_switches; v++)
		for (unsigned i = 0; !is_seen(w, w->at[v]) && i < hosts_of(w, v); i++, e++) {
			if (!(w->f->ep[e].name = moore_strndup("", 0)))
				return false;
			moore_fabric_attach(w->f, e, w->at[v], free_port(w->f, w->at[v]), LANES);
		}
	return true;
}

static int
build(struct work *w, struct moore_arena *tmp, struct moore_err *err)
{
	moore_portnum *n_ports = moore_arena_alloc(tmp, (size_t)w->whole->n_switches + 1, 1);
	uint32_t sum = 0, n_hosts = 0;
	int rc;

	if (!n_ports)
		return moore_fail_nomem(err);
	if ((rc = count_ports(w, n_ports, &sum, &n_hosts, err)) < 0 ||
	    (rc = moore_fabric_new(&w->f, w->whole->n_switches, w->seen->n_endpoints + n_hosts,
				   sum, err)) < 0)
		return rc;
	if (!copy_switches(w, n_ports) || !copy_endpoints(w))
		return moore_fail_nomem(err);
	add_links(w);
	return add_hosts(w) ? 0 : moore_fail_nomem(err);
}

int
moore_complete(struct moore_fabric **out, const struct moore_fabric *seen,
	       const struct moore_topo_part *part, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct work w = { .seen = seen, .whole = part->whole };
	int rc;

	*out = NULL;
	w.at = moore_arena_alloc(&tmp, (size_t)w.whole->n_switches + 1, sizeof(*w.at));
	w.lost = moore_arena_alloc(&tmp, (size_t)w.whole->n_switches + 1, sizeof(*w.lost));
	if (!w.at || !w.lost) {
		rc = moore_fail_nomem(err);
	} else {
		prepare(&w, part);
		rc = build(&w, &tmp, err);
	}
	if (rc < 0)
		moore_fabric_free(w.f);
	else
		*out = w.f;
	moore_arena_free(&tmp);
	return rc;
}
