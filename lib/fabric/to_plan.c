// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* to_plan.c - makes a plan of an observed fabric: its switches, links and endpoints as they
 * are, with their GUIDs.  Elsewhere: names that are unique (walked.c, listing.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "moore/fabric.h"
#include "moore/seen.h"

struct walk {
	struct moore_walked_node *node;	/* switches, then the nodes of endpoints */
	struct moore_walked_link *link;
	uint32_t n_nodes, n_links;
	struct by_node {		/* endpoints, sorted by the GUID of their node */
		uint64_t guid;
		moore_epid e;
	} *ep;
};

static int
by_node(const void *a, const void *b)
{
	const struct by_node *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->e < y->e ? -1 : x->e > y->e;
}

static const char *
text_of(const char *name)
{
	return name ? name : "";
}

static void
add_switches(struct walk *w, const struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		w->node[w->n_nodes++] = (struct moore_walked_node){ .guid = f->sw[s].guid,
			.desc = text_of(f->sw[s].name), .kind = 'S', .ports = f->sw[s].n_ports };
	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s)
				w->link[w->n_links++] = (struct moore_walked_link){
					.node = { s, q->peer },
					.port = { (moore_portnum)p, q->peer_port } };
		}
}

static void
add_endpoints(struct walk *w, const struct moore_fabric *f)
{
	uint32_t n = 0;

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].sw != MOORE_NONE)
			w->ep[n++] = (struct by_node){ f->ep[e].node_guid, e };
	qsort(w->ep, n, sizeof(*w->ep), by_node);
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_endpoint *ep = &f->ep[w->ep[i].e];
		struct moore_walked_node *node;

		if (!i || w->ep[i].guid != w->ep[i - 1].guid)
			w->node[w->n_nodes++] = (struct moore_walked_node){ .guid = ep->node_guid,
				.desc = text_of(ep->name), .kind = 'H' };
		node = &w->node[w->n_nodes - 1];
		node->ports = ep->ca_port > node->ports ? ep->ca_port : node->ports;
		w->link[w->n_links++] = (struct moore_walked_link){
			.node = { ep->sw, w->n_nodes - 1 }, .port = { ep->port, ep->ca_port },
			.port_guid = ep->guid };
	}
}

int
moore_plan_from_fabric(struct moore_plan **out, const struct moore_fabric *f,
		       struct moore_err *err)
{
	const size_t n_nodes = (size_t)f->n_switches + f->n_endpoints;
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk w = {
		.node = moore_arena_alloc(&tmp, n_nodes + 1, sizeof(*w.node)),
		.link = moore_arena_alloc(&tmp, (size_t)f->n_ports + 1, sizeof(*w.link)),
		.ep = moore_arena_alloc(&tmp, (size_t)f->n_endpoints + 1, sizeof(*w.ep)),
	};
	int rc;

	*out = NULL;
	if (!w.node || !w.link || !w.ep) {
		rc = moore_fail_nomem(err);
	} else {
		add_switches(&w, f);
		add_endpoints(&w, f);
		rc = moore_plan_from_walk(out, w.node, w.n_nodes, w.link, w.n_links, err);
	}
	moore_arena_free(&tmp);
	return rc;
}
