// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* stock.c - multicast trees as OpenSM builds them by itself.
 *
 * Source: osm_mcast_mgr.c and osm_switch_recommend_mcast_path() of OpenSM 3.3.24. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "moore/stock.h"

#define DEPTH_MAX 63		/* switches below the root; OpenSM stops there */

/* ---- hops ----------------------------------------------------------------------- */

/* Sets the hops from every switch to d, level by level. */
static void
hops_to(const struct moore_fabric *f, struct moore_stock_hop *hops, moore_swid d,
	moore_swid *queue)
{
	uint32_t n = 1;

	hops[(size_t)d * f->n_switches + d].n = 0;
	queue[0] = d;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t next = (uint8_t)(hops[(size_t)queue[i] * f->n_switches + d].n + 1);

		for (unsigned p = 1; p <= f->sw[queue[i]].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, queue[i], (moore_portnum)p);
			struct moore_stock_hop *h = q->role != MOORE_ROLE_SWITCH ? NULL :
				&hops[(size_t)q->peer * f->n_switches + d];

			if (!h || h->n < next || next == MOORE_STOCK_NO_HOPS)
				continue;
			if (h->n > next) {
				*h = (struct moore_stock_hop){ next, q->peer_port };
				queue[n++] = q->peer;
			} else if (q->peer_port < h->port) {
				h->port = q->peer_port;
			}
		}
	}
}

int
moore_stock_hops(struct moore_stock_hop **out, const struct moore_fabric *f, struct moore_err *err)
{
	size_t n = f->n_switches;
	moore_swid *queue = malloc((n + 1) * sizeof(*queue));

	if (!(*out = malloc((n * n + 1) * sizeof(**out))) || !queue) {
		free(queue);
		free(*out);
		*out = NULL;
		return moore_fail_nomem(err);
	}
	for (size_t i = 0; i < n * n; i++)
		(*out)[i] = (struct moore_stock_hop){ MOORE_STOCK_NO_HOPS, 0 };
	for (moore_swid d = 0; d < n; d++)
		hops_to(f, *out, d, queue);
	free(queue);
	return 0;
}

static int
lacks_way(const struct moore_fabric *f, moore_swid s, moore_swid d, struct moore_err *err)
{
	return moore_fail(err, MOORE_EPLAN, 0, "no hops from %s to LID %u (%s), to which links lead: copy "
			  "the file whole, and all files after the same sweep", f->sw[s].name,
			  f->sw[d].lid, f->sw[d].name);
}

/* A switch reaches itself, and what a neighbour reaches: so each of a connected part reaches all. */
int
moore_stock_hops_whole(const struct moore_fabric *f, const struct moore_stock_hop *hops,
		       struct moore_err *err)
{
	for (moore_swid s = 0; s < f->n_switches; s++) {
		const struct moore_stock_hop *own = &hops[(size_t)s * f->n_switches];

		if (f->sw[s].lid && own[s].n)
			return lacks_way(f, s, s, err);
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);
			const struct moore_stock_hop *next = q->role != MOORE_ROLE_SWITCH ? own :
				&hops[(size_t)q->peer * f->n_switches];

			for (moore_swid d = 0; d < f->n_switches; d++)
				if (f->sw[d].lid && own[d].n == MOORE_STOCK_NO_HOPS &&
				    next[d].n != MOORE_STOCK_NO_HOPS)
					return lacks_way(f, s, d, err);
		}
	}
	return 0;
}

/* ---- members ---------------------------------------------------------------------- */

static bool
has_endpoint(const struct moore_fabric *f, moore_swid s, const moore_mcast_ports *members)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		if (moore_bits_get(members[s], p) &&
		    moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

void
moore_stock_everyone(const struct moore_fabric *f, moore_mcast_ports *members)
{
	memset(members, 0, f->n_switches * sizeof(*members));
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].sw != MOORE_NONE)
			moore_bits_set(members[f->ep[e].sw], f->ep[e].port);
}

/* ---- the root ------------------------------------------------------------------------ */

/* OpenSM's map of switches compares GUIDs in network byte order as numbers of the host. */
static bool
comes_first(const struct moore_fabric *f, moore_swid a, moore_swid b)
{
	return __builtin_bswap64(f->sw[a].guid) < __builtin_bswap64(f->sw[b].guid);
}

moore_swid
moore_stock_root(const struct moore_fabric *f, const struct moore_stock_hop *hops,
		 const moore_mcast_ports *members)
{
	moore_swid best = MOORE_NONE;
	unsigned least = UINT32_MAX;

	for (moore_swid s = 0; s < f->n_switches; s++) {
		const struct moore_stock_hop *row = &hops[(size_t)s * f->n_switches];
		unsigned farthest = 0;
		bool any = false;

		for (moore_swid d = 0; d < f->n_switches; d++) {
			bool itself = moore_bits_get(members[d], 0);
			unsigned hops = row[d].n + (itself ? 0u : 1u);

			if (!itself && !has_endpoint(f, d, members))
				continue;
			any = true;
			if (hops > farthest)
				farthest = hops;
		}
		if (any && (farthest < least || (farthest == least && comes_first(f, s, best)))) {
			best = s;
			least = farthest;
		}
	}
	return best;
}

/* ---- the tree ---------------------------------------------------------------------- */

/* Adds the links from root to d; returns false when there is no way. */
static bool
add_way(const struct moore_fabric *f, const struct moore_stock_hop *hops, moore_swid root,
	moore_swid d, moore_mcast_ports *tree)
{
	moore_swid s = root;

	for (unsigned depth = 0; s != d; depth++) {
		const struct moore_stock_hop *h = &hops[(size_t)s * f->n_switches + d];
		const struct moore_port *q = moore_fabric_port(f, s, h->port);

		if (h->n == MOORE_STOCK_NO_HOPS || q->role != MOORE_ROLE_SWITCH || depth == DEPTH_MAX)
			return false;
		moore_bits_set(tree[s], h->port);
		moore_bits_set(tree[q->peer], q->peer_port);
		s = q->peer;
	}
	return true;
}

void
moore_stock_tree(const struct moore_fabric *f, const struct moore_stock_hop *hops, moore_swid root,
		 const moore_mcast_ports *members, moore_mcast_ports *tree)
{
	memset(tree, 0, f->n_switches * sizeof(*tree));
	for (moore_swid d = 0; d < f->n_switches; d++) {
		bool any = moore_bits_get(members[d], 0) || has_endpoint(f, d, members);

		if (!any || !add_way(f, hops, root, d, tree))
			continue;
		for (unsigned p = 0; p <= f->sw[d].n_ports; p++)
			if (moore_bits_get(members[d], p) &&
			    moore_fabric_port(f, d, (moore_portnum)p)->role != MOORE_ROLE_SWITCH)
				moore_bits_set(tree[d], p);
	}
}
