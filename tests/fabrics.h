/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* fabrics.h - makes fabrics for tests, from a topology family or from a random graph, with
 * ports, endpoints and LIDs but without a plan. */
#ifndef MOORE_TEST_FABRICS_H
#define MOORE_TEST_FABRICS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "moore/fabric.h"
#include "moore/tables.h"
#include "moore/topo.h"
#include "plan_of.h"

/* Gives out LIDs in index order: one to each switch, then 2^lmc to each endpoint. */
static inline int
test_number(struct moore_fabric *f, uint8_t lmc, struct moore_err *err)
{
	unsigned lid = 1, step = 1u << lmc;

	for (moore_swid s = 0; s < f->n_switches; s++)
		f->sw[s].lid = (moore_lid)lid++;
	lid = (lid + step - 1) & ~(step - 1);
	for (moore_epid e = 0; e < f->n_endpoints; e++, lid += step) {
		if (f->ep[e].sw == MOORE_NONE)
			continue;
		f->ep[e].lid = (moore_lid)lid;
		f->ep[e].lmc = lmc;
	}
	return moore_fabric_seal(f, err);
}

/* Puts the endpoints on the first ports of each switch, then the links in the order given. */
static inline struct moore_fabric *
test_fabric(uint32_t n_switches, const struct moore_topo_link *link, size_t n_links,
	    const uint16_t *endpoints, uint8_t lmc)
{
	unsigned *used = calloc(n_switches + 1, sizeof(*used));
	uint32_t n_ep = 0, n_ports = 0, e = 0;
	struct moore_fabric *f = NULL;
	struct moore_err err;
	char name[32];

	for (uint32_t s = 0; s < n_switches; s++) {
		n_ep += endpoints[s];
		used[s] = endpoints[s];
	}
	for (size_t i = 0; i < n_links; i++) {
		used[link[i].a]++;
		used[link[i].b]++;
	}
	for (uint32_t s = 0; s < n_switches; s++)
		n_ports += used[s] + 1;
	if (moore_fabric_new(&f, n_switches, n_ep, n_ports, &err) < 0)
		abort();
	for (uint32_t s = 0; s < n_switches; s++) {
		f->sw[s].guid = f->sw[s].port_guid = 0x200000 + s;
		f->sw[s].n_ports = (moore_portnum)used[s];
		f->sw[s].maps_sl = true;
		snprintf(name, sizeof(name), "sw%u", s);
		f->sw[s].name = strdup(name);
		used[s] = 0;
	}
	moore_fabric_layout(f);
	for (uint32_t s = 0; s < n_switches; s++)
		for (unsigned k = 0; k < endpoints[s]; k++, e++) {
			f->ep[e].guid = 0x100001 + 2 * (uint64_t)e;
			f->ep[e].node_guid = f->ep[e].guid - 1;
			f->ep[e].ca_port = 1;
			snprintf(name, sizeof(name), "h%u", e);
			f->ep[e].name = strdup(name);
			moore_fabric_attach(f, e, s, (moore_portnum)++used[s], 8);
		}
	for (size_t i = 0; i < n_links; i++) {
		used[link[i].a]++;
		used[link[i].b]++;
		moore_fabric_link(f, link[i].a, (moore_portnum)used[link[i].a],
				  link[i].b, (moore_portnum)used[link[i].b], 8);
	}
	free(used);
	if (test_number(f, lmc, &err) < 0) {
		fprintf(stderr, "test_fabric: %s\n", err.text);
		abort();
	}
	return f;
}

/* For example test_family("slimfly", "q=5 p=4", 0). */
static inline struct moore_fabric *
test_family(const char *family, const char *params, uint8_t lmc)
{
	struct moore_topo *t = topo_of(family, params);
	struct moore_fabric *f;

	f = test_fabric(t->n_switches, t->link, t->n_links, t->endpoints, lmc);
	moore_topo_free(t);
	return f;
}

/* A connected random graph: a random tree and up to `extra` random links, some of them
 * parallel, with 0 to 2 endpoints on each switch. */
static inline struct moore_fabric *
test_random_fabric(struct moore_rng *r, uint32_t n, uint32_t extra, uint8_t lmc)
{
	struct moore_topo_link *link = calloc(n + extra, sizeof(*link));
	uint16_t *ep = calloc(n, sizeof(*ep));
	struct moore_fabric *f;
	size_t m = 0;

	for (uint32_t s = 1; s < n; s++)
		link[m++] = (struct moore_topo_link){ moore_rng_below(r, s), s };
	for (uint32_t i = 0; i < extra && n > 1; i++) {
		uint32_t a = moore_rng_below(r, n), b = moore_rng_below(r, n);

		if (a != b)
			link[m++] = (struct moore_topo_link){ a, b };
	}
	for (uint32_t s = 0; s < n; s++)
		ep[s] = (uint16_t)moore_rng_below(r, 3);
	f = test_fabric(n, link, m, ep, lmc);
	free(link);
	free(ep);
	return f;
}

/* A copy of f that has only the switches order[0..n-1], in that order, and their endpoints
 * in reverse order.  GUIDs, names and LIDs stay the same. */
static inline struct moore_fabric *
test_rebuild(const struct moore_fabric *f, const uint32_t *order, uint32_t n)
{
	uint32_t *at = malloc((f->n_switches + 1) * sizeof(*at));
	uint32_t n_ports = 0, n_ep = 0, e = 0;
	struct moore_fabric *g = NULL;
	struct moore_err err;

	memset(at, 0xff, f->n_switches * sizeof(*at));
	for (uint32_t i = 0; i < n; i++) {
		at[order[i]] = i;
		n_ports += f->sw[order[i]].n_ports + 1u;
	}
	for (uint32_t i = 0; i < f->n_endpoints; i++)
		n_ep += f->ep[i].sw != MOORE_NONE && at[f->ep[i].sw] != MOORE_NONE;
	if (moore_fabric_new(&g, n, n_ep, n_ports, &err) < 0)
		abort();
	for (uint32_t i = 0; i < n; i++) {
		g->sw[i] = f->sw[order[i]];
		g->sw[i].name = strdup(f->sw[order[i]].name);
	}
	moore_fabric_layout(g);
	for (uint32_t i = f->n_endpoints; i-- > 0;) {
		const struct moore_endpoint *ep = &f->ep[i];

		if (ep->sw == MOORE_NONE || at[ep->sw] == MOORE_NONE)
			continue;
		g->ep[e] = *ep;
		g->ep[e].name = strdup(ep->name);
		moore_fabric_attach(g, e++, at[ep->sw], ep->port,
				    moore_fabric_port(f, ep->sw, ep->port)->lanes);
	}
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports && at[s] != MOORE_NONE; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer >= s && at[q->peer] != MOORE_NONE)
				moore_fabric_link(g, at[s], (moore_portnum)p, at[q->peer],
						  q->peer_port, q->lanes);
		}
	free(at);
	if (moore_fabric_seal(g, &err) < 0) {
		fprintf(stderr, "test_rebuild: %s\n", err.text);
		abort();
	}
	return g;
}

static inline struct moore_fabric *
test_shuffled(const struct moore_fabric *f, struct moore_rng *r)
{
	uint32_t *order = malloc((f->n_switches + 1) * sizeof(*order));
	struct moore_fabric *g;

	for (uint32_t i = 0; i < f->n_switches; i++) {
		uint32_t k = moore_rng_below(r, i + 1);

		order[i] = order[k];
		order[k] = i;
	}
	g = test_rebuild(f, order, f->n_switches);
	free(order);
	return g;
}

/* Switches exchange their GUIDs, in whose order the router numbers them. */
static inline void
test_deal_guids(struct moore_fabric *f, struct moore_rng *r)
{
	for (uint32_t s = 0; s < f->n_switches; s++) {
		struct moore_switch *x = &f->sw[s], *y = &f->sw[moore_rng_below(r, s + 1)];
		const uint64_t guid = x->guid;

		x->guid = y->guid;
		y->guid = guid;
	}
}

static inline struct moore_fabric *
test_without(const struct moore_fabric *f, uint32_t dead)
{
	uint32_t *order = malloc((f->n_switches + 1) * sizeof(*order)), n = 0;
	struct moore_fabric *g;

	for (uint32_t i = 0; i < f->n_switches; i++)
		if (i != dead)
			order[n++] = i;
	g = test_rebuild(f, order, n);
	free(order);
	return g;
}

/* Makes a random in-tree for each LID over links that are up.  Each of so many tries draws a
 * port of a switch; with few of them, some switches get no route. */
static inline struct moore_lft *
test_random_trees(const struct moore_fabric *f, struct moore_rng *r, unsigned tries)
{
	bool *in = malloc((f->n_switches + 1) * sizeof(*in));
	struct moore_lid_owner *own;
	struct moore_lft *t;

	if (!in || moore_lft_new(&t, f->n_switches, f->lid_top, NULL) < 0 ||
	    moore_fabric_lids(f, &own, NULL) < 0)
		abort();
	for (unsigned lid = 1; lid <= f->lid_top; lid++) {
		if (own[lid].sw == MOORE_NONE)
			continue;
		memset(in, false, f->n_switches * sizeof(*in));
		moore_lft_row(t, own[lid].sw)[lid] = own[lid].port;
		in[own[lid].sw] = true;
		for (unsigned i = 0; i < tries; i++) {
			moore_swid s = moore_rng_below(r, f->n_switches);
			unsigned p = moore_rng_below(r, f->sw[s].n_ports + 1u);
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (in[s] || q->role != MOORE_ROLE_SWITCH || !in[q->peer])
				continue;
			moore_lft_row(t, s)[lid] = (uint8_t)p;
			in[s] = true;
		}
	}
	free(own);
	free(in);
	return t;
}

static inline bool
test_has_endpoint(const struct moore_fabric *f, moore_swid s)
{
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		if (moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

/* Gives links between switches one lane: each end draws with a probability of percent/100. */
static inline void
test_narrow_some(struct moore_fabric *f, struct moore_rng *r, unsigned percent)
{
	for (uint32_t p = 0; p < f->n_ports; p++) {
		struct moore_port *q = &f->port[p];

		if (q->role == MOORE_ROLE_SWITCH && moore_rng_below(r, 100) < percent)
			q->lanes = f->port[f->sw[q->peer].port0 + q->peer_port].lanes = 1;
	}
}

/* Cuts each link between switches with a probability of percent/100.  Returns how many it
 * cut. */
static inline unsigned
test_cut_some(struct moore_fabric *f, struct moore_rng *r, unsigned percent)
{
	unsigned n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && q->peer > s &&
			    moore_rng_below(r, 100) < percent) {
				moore_fabric_cut(f, s, (moore_portnum)p);
				n++;
			}
		}
	return n;
}

#endif
