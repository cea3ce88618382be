// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drain_judge.c - judges whether a link may be drained.
 *
 * Invariant: if each link was judged fine when it was drained, the links that are left connect
 * the same switches as all links together, since a link is fine only if its own ends stay
 * connected.  Elsewhere: how routes avoid drained links (graph/drain.c). */
#include <stdlib.h>
#include <string.h>

#include "moore/drain.h"

static const struct {
	const char *name, *help;
} verdicts[MOORE_N_DRAINS] = {
	[MOORE_DRAIN_FINE] = { "fine", "it can be drained" },
	[MOORE_DRAIN_NO_LINK] = { "no-link", "the port has no link to another switch" },
	[MOORE_DRAIN_ALREADY] = { "already", "it is drained" },
	[MOORE_DRAIN_MANY] = { "many", "as many links as allowed are drained" },
	[MOORE_DRAIN_LAST] = { "last", "a switch at one end would keep fewer than two links" },
	[MOORE_DRAIN_BRIDGE] = { "bridge", "the links that are left would not connect its ends" },
};

const char *
moore_drain_name(enum moore_drain v)
{
	return verdicts[v].name;
}

const char *
moore_drain_help(enum moore_drain v)
{
	return verdicts[v].help;
}

static bool
is_named(const struct moore_link_rule *r, const struct moore_switch *s)
{
	return r->name ? s->name && !strcmp(r->name, s->name) : r->guid == s->guid;
}

static void
mark_link(const struct moore_fabric *f, moore_swid s, unsigned p, uint8_t *drained)
{
	const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

	if (q->role != MOORE_ROLE_SWITCH)
		return;
	drained[f->sw[s].port0 + p] = 1;
	drained[f->sw[q->peer].port0 + q->peer_port] = 1;
}

void
moore_drain_mark(const struct moore_fabric *f, const struct moore_links *l, uint8_t *drained)
{
	for (size_t i = 0; l && i < l->n; i++)
		for (moore_swid s = 0; s < f->n_switches; s++) {
			const struct moore_link_rule *r = &l->rule[i];

			if (r->weight != MOORE_LINK_AVOID || !is_named(r, &f->sw[s]))
				continue;
			for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
				if (!r->port || r->port == p)
					mark_link(f, s, p, drained);
		}
}

/* ---- the verdict --------------------------------------------------------------------- */

/* Whether the link at a port carries routes: it leads to a switch and is not drained. */
static bool
is_left(const struct moore_fabric *f, const uint8_t *drained, moore_swid s, unsigned p)
{
	return moore_fabric_port(f, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
	       !drained[f->sw[s].port0 + p];
}

static uint32_t
count_left(const struct moore_fabric *f, const uint8_t *drained, moore_swid s)
{
	uint32_t n = 0;

	for (unsigned p = 1; p <= f->sw[s].n_ports; p++)
		n += is_left(f, drained, s, p);
	return n;
}

static uint32_t
count_drained(const struct moore_fabric *f, const uint8_t *drained)
{
	uint32_t ends = 0;

	for (uint32_t i = 0; i < f->n_ports; i++)
		ends += drained[i];
	return ends / 2;
}

/* Searches from switch a for b, without the drained links and that at port p of a.  A switch
 * that cannot map SLs passes no packets on. */
static int
is_connected(bool *out, const struct moore_fabric *f, const uint8_t *drained, moore_swid a,
	     moore_portnum p, moore_swid b, struct moore_err *err)
{
	const moore_portnum back = moore_fabric_port(f, a, p)->peer_port;
	moore_swid *queue = malloc(f->n_switches * sizeof(*queue));
	uint8_t *seen = calloc(f->n_switches, 1);
	uint32_t n = 0;

	if (!queue || !seen) {
		free(queue);
		free(seen);
		return moore_fail_nomem(err);
	}
	queue[n++] = a;
	seen[a] = 1;
	for (uint32_t i = 0; i < n && !seen[b]; i++) {
		const moore_swid s = queue[i];

		for (unsigned k = 1; k <= f->sw[s].n_ports && (s == a || f->sw[s].maps_sl); k++) {
			moore_swid to = moore_fabric_port(f, s, (moore_portnum)k)->peer;

			if (!is_left(f, drained, s, k) || seen[to] || (s == a && k == p) ||
			    (s == b && k == back))
				continue;
			seen[to] = 1;
			queue[n++] = to;
		}
	}
	*out = seen[b];
	free(queue);
	free(seen);
	return 0;
}

int
moore_drain_judge(enum moore_drain *out, const struct moore_fabric *f, const uint8_t *drained,
		  moore_swid s, moore_portnum p, uint32_t most, struct moore_err *err)
{
	const struct moore_port *q = p && p <= f->sw[s].n_ports ? moore_fabric_port(f, s, p) : NULL;
	bool connected = false;
	int rc;

	*out = MOORE_DRAIN_NO_LINK;
	if (!q || q->role != MOORE_ROLE_SWITCH)
		return 0;
	*out = MOORE_DRAIN_ALREADY;
	if (drained[f->sw[s].port0 + p])
		return 0;
	*out = MOORE_DRAIN_MANY;
	if (count_drained(f, drained) >= most)
		return 0;
	*out = MOORE_DRAIN_LAST;
	if (count_left(f, drained, s) <= MOORE_DRAIN_KEEP ||
	    count_left(f, drained, q->peer) <= MOORE_DRAIN_KEEP)
		return 0;
	if ((rc = is_connected(&connected, f, drained, s, p, q->peer, err)) < 0)
		return rc;
	*out = connected ? MOORE_DRAIN_FINE : MOORE_DRAIN_BRIDGE;
	return 0;
}
