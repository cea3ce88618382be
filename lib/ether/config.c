// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* config.c - the configuration of one switch: a sorted list of routes. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

int
moore_ether_config_add(struct moore_ether_config *c, const struct moore_ether_route *r,
		       struct moore_err *err)
{
	struct moore_ether_route *grown = moore_grow(c->route, c->n_routes, &c->cap_routes,
						     sizeof(*grown));

	if (!grown)
		return moore_fail_nomem(err);
	c->route = grown;
	c->route[c->n_routes++] = *r;
	return 0;
}

bool
moore_ether_route_equal(const struct moore_ether_route *a, const struct moore_ether_route *b)
{
	return moore_addr_equal(&a->to, &b->to) && moore_addr_equal(&a->via, &b->via) &&
		a->port == b->port && a->onlink == b->onlink && a->is_backup == b->is_backup;
}

bool
moore_ether_routes_equal(const struct moore_ether_config *a, const struct moore_ether_config *b)
{
	bool same = a->n_routes == b->n_routes;

	for (uint32_t i = 0; same && i < a->n_routes; i++)
		same = moore_ether_route_equal(&a->route[i], &b->route[i]);
	return same;
}

static int
by_destination(const void *a, const void *b)
{
	const struct moore_ether_route *x = a, *y = b;
	int d = moore_addr_order(&x->to, &y->to);

	if (d)
		return d;
	if (x->is_backup != y->is_backup)
		return x->is_backup - y->is_backup;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

void
moore_ether_config_sort(struct moore_ether_config *c)
{
	uint32_t n = 0;

	if (c->n_routes)
		qsort(c->route, c->n_routes, sizeof(*c->route), by_destination);
	for (uint32_t i = 0; i < c->n_routes; i++)
		if (!n || !moore_ether_route_equal(&c->route[n - 1], &c->route[i]))
			c->route[n++] = c->route[i];
	c->n_routes = n;
}

uint32_t
moore_ether_config_find(const struct moore_ether_config *c, const struct moore_addr *to)
{
	uint32_t low = 0, high = c->n_routes;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (moore_addr_order(&c->route[mid].to, to) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t
moore_ether_config_hops(const struct moore_ether_config *c, uint32_t i)
{
	uint32_t n = 0;

	while (i + n < c->n_routes && moore_addr_equal(&c->route[i + n].to, &c->route[i].to) &&
	       c->route[i + n].is_backup == c->route[i].is_backup)
		n++;
	return n;
}

uint32_t
moore_ether_config_backups(const struct moore_ether_config *c, uint32_t i)
{
	return i < c->n_routes && moore_addr_equal(&c->route[i].to, &c->route[i - 1].to) ?
		moore_ether_config_hops(c, i) : 0;
}

void
moore_ether_config_fini(struct moore_ether_config *c)
{
	free(c->route);
	free(c->by_dscp);
	free(c->pfc);
	*c = (struct moore_ether_config){ 0 };
}
