// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* walked.c - makes a plan from the nodes and links that a walk of the fabric found.
 *
 * Unlike a listing, a walk gives each link once and peers as indices, so nothing has to be
 * found or compared.  Elsewhere: listings and the rules for names (listing.c). */
#include <stdlib.h>
#include <string.h>

#include "listing.h"

/* The walk's nodes as those of a listing, for their names. */
static int
name_nodes(struct moore_listing *d, const struct moore_walked_node *node, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct moore_listed_node *k = moore_listing_node(d);

		if (!k)
			return -MOORE_ENOMEM;
		*k = (struct moore_listed_node){ .guid = node[i].guid, .desc = node[i].desc,
			.desc_len = strlen(node[i].desc), .kind = node[i].kind };
		d->n_nodes++;
	}
	return moore_listing_names(d);
}

static struct moore_plan *
new_plan(const struct moore_walked_node *node, uint32_t n_nodes,
	 const struct moore_walked_link *link, uint32_t n_links)
{
	uint32_t n_switches = 0, n_cables = 0;

	while (n_switches < n_nodes && node[n_switches].kind == 'S')
		n_switches++;
	for (uint32_t i = 0; i < n_links; i++)
		n_cables += link[i].node[1] < n_switches;
	return moore_plan_new(n_switches, n_links - n_cables, n_cables);
}

static int
fill(struct moore_plan *p, struct moore_listing *d, const struct moore_walked_node *node,
     const struct moore_walked_link *link, uint32_t n_links)
{
	struct moore_plan_endpoint *e = p->ep;
	struct moore_plan_cable *c = p->cable;

	for (uint32_t i = 0; i < p->n_switches; i++) {
		p->sw[i] = (struct moore_plan_switch){ .name = d->node[i].name, .guid = node[i].guid,
						       .ports = node[i].ports };
		d->node[i].name = NULL;		/* now the plan's */
	}
	for (uint32_t i = 0; i < n_links; i++) {
		const struct moore_walked_link *k = &link[i];

		if (k->node[1] < p->n_switches) {
			*c++ = (struct moore_plan_cable){ .sw = { k->node[0], k->node[1] },
				.port = { k->port[0], k->port[1] }, .rate = k->rate[0] };
			continue;
		}
		*e = (struct moore_plan_endpoint){ .guid = k->port_guid, .ca_port = k->port[1],
			.sw = k->node[0], .port = k->port[0], .rate = k->rate[1],
			.name = moore_strndup(d->node[k->node[1]].name,
					      strlen(d->node[k->node[1]].name)) };
		if (!e++->name)
			return moore_fail_nomem(d->err);
	}
	return 0;
}

static void
share_rate(struct moore_plan *p, const struct moore_walked_link *link, uint32_t n_links)
{
	for (uint32_t i = 0; i < n_links; i++)
		for (int e = 0; e < 2; e++)
			if (link[i].rate[e].width != link[0].rate[0].width ||
			    link[i].rate[e].speed != link[0].rate[0].speed)
				return;
	if (n_links)
		moore_listing_share_rate(p, &link[0].rate[0]);
}

int
moore_plan_from_walk(struct moore_plan **out, const struct moore_walked_node *node,
		     uint32_t n_nodes, const struct moore_walked_link *link, uint32_t n_links,
		     struct moore_err *err)
{
	struct moore_listing d = { .err = err };
	struct moore_plan *p = new_plan(node, n_nodes, link, n_links);
	int rc = p ? 0 : moore_fail_nomem(err);

	*out = NULL;
	if (!rc && (rc = name_nodes(&d, node, n_nodes)) == 0 &&
	    (rc = fill(p, &d, node, link, n_links)) == 0) {
		share_rate(p, link, n_links);
		rc = moore_plan_check(p, NULL, err);
	}
	moore_listing_fini(&d);
	if (rc < 0)
		moore_plan_free(p);
	else
		*out = p;
	return rc;
}
