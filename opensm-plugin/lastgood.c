// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lastgood.c - carries the last accepted tables over to the fabric as it is now.
 *
 * Switches, endpoints and links are recognised by GUID, since LIDs may have changed.
 *   - An entry stays if its port still leads to the same switch; otherwise it becomes
 *     no-path.
 *   - A new endpoint, or one that was moved, takes the in-tree of its switch's own LID,
 *     and its own port at that switch.
 *   - A new switch gets no routes.
 * The result is safe: each of its dependencies between channels was also in the tables
 * that the checker accepted, which include the in-trees of the switches' LIDs. */
#include <stdlib.h>

#include "lastgood.h"

struct carry {
	const struct moore_fabric *now, *old;
	const struct moore_lft *lft;
	moore_swid *was;		/* for each switch now, its index in old */
	struct moore_lid_owner *owner;	/* for each LID now */
	moore_lid *lid_was;		/* for each LID now, the old LID whose tree it takes; 0: none */
	size_t n_lids;
};

/* The old LID whose in-tree o's LID takes; 0: none. */
static moore_lid
old_lid(const struct carry *c, const struct moore_lid_owner *o)
{
	const struct moore_switch *d;
	const struct moore_endpoint *e, *was;
	moore_epid at;

	if (o->sw == MOORE_NONE || c->was[o->sw] == MOORE_NONE)
		return 0;
	d = &c->old->sw[c->was[o->sw]];
	if (o->ep == MOORE_NONE)
		return d->lid && o->offset < 1u << d->lmc ? (moore_lid)(d->lid + o->offset) : 0;
	e = &c->now->ep[o->ep];
	at = mplug_endpoint_by_guid(c->old, e->guid);
	was = at == MOORE_NONE ? NULL : &c->old->ep[at];
	if (was && was->lid && was->sw == c->was[o->sw] && was->port == e->port &&
	    o->offset < 1u << was->lmc)
		return (moore_lid)(was->lid + o->offset);
	return d->lid;
}

/* True if port p of switch s (an index in `now`) leads to the same switch as before. */
static bool
same_link(const struct carry *c, moore_swid s, moore_portnum p)
{
	const struct moore_port *a, *b;

	if (p > c->now->sw[s].n_ports || p > c->old->sw[c->was[s]].n_ports)
		return false;
	a = moore_fabric_port(c->now, s, p);
	b = moore_fabric_port(c->old, c->was[s], p);
	return a->role == MOORE_ROLE_SWITCH && b->role == MOORE_ROLE_SWITCH &&
		c->was[a->peer] == b->peer;
}

static void
carry_row(const struct carry *c, moore_swid s, uint8_t *row)
{
	const uint8_t *old = moore_lft_row(c->lft, c->was[s]);

	for (size_t lid = 1; lid < c->n_lids; lid++) {
		const struct moore_lid_owner *o = &c->owner[lid];

		if (!c->lid_was[lid])
			continue;
		if (o->sw == s)
			row[lid] = o->port;
		else if (old[c->lid_was[lid]] != MOORE_NO_PATH &&
			 same_link(c, s, old[c->lid_was[lid]]))
			row[lid] = old[c->lid_was[lid]];
	}
}

/* Finds the old index of each switch and the old LID of each LID. */
static int
carry_init(struct carry *c, struct moore_err *err)
{
	int rc;

	c->n_lids = (size_t)c->now->lid_top + 1;
	if ((rc = moore_fabric_lids(c->now, &c->owner, err)) < 0)
		return rc;
	c->was = calloc((size_t)c->now->n_switches + 1, sizeof(*c->was));
	c->lid_was = calloc(c->n_lids, sizeof(*c->lid_was));
	if (!c->was || !c->lid_was)
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < c->now->n_switches; s++)
		c->was[s] = mplug_switch_by_guid(c->old, c->now->sw[s].guid);
	for (size_t lid = 1; lid < c->n_lids; lid++)
		c->lid_was[lid] = old_lid(c, &c->owner[lid]);
	return 0;
}

static void
carry_fini(struct carry *c)
{
	free(c->was);
	free(c->owner);
	free(c->lid_was);
}

int
mplug_lastgood(struct moore_lft **out, const struct moore_fabric *now,
	       const struct moore_fabric *old, const struct moore_lft *lft, struct moore_err *err)
{
	struct carry c = { .now = now, .old = old, .lft = lft };
	int rc = carry_init(&c, err);

	*out = NULL;
	if (rc == 0)
		rc = moore_lft_new(out, now->n_switches, now->lid_top, err);
	for (moore_swid s = 0; rc == 0 && s < now->n_switches; s++)
		if (c.was[s] != MOORE_NONE)
			carry_row(&c, s, moore_lft_row(*out, s));
	carry_fini(&c);
	return rc;
}

int
mplug_lastgood_sls(struct moore_sl_set **out, const struct moore_fabric *now,
		   const struct moore_fabric *old, const struct moore_sl_set *set,
		   struct moore_err *err)
{
	struct carry c = { .now = now, .old = old };
	int rc = carry_init(&c, err);

	*out = NULL;
	if (rc == 0)
		rc = moore_sl_set_new(out, now->n_switches, now->lid_top, err);
	for (moore_swid s = 0; rc == 0 && s < now->n_switches; s++)
		for (size_t lid = 0; c.was[s] != MOORE_NONE && lid < c.n_lids; lid++)
			if (!lid || c.lid_was[lid])	/* LID 0 stands for the groups */
				moore_sl_set_row(*out, s)[lid] =
					moore_sl_set_row(set, c.was[s])[c.lid_was[lid]];
	carry_fini(&c);
	return rc;
}

uint8_t
mplug_lastgood_entry(const struct moore_fabric *now, moore_swid s, moore_portnum p,
		     const struct moore_fabric *old, const uint8_t *entry)
{
	const struct moore_port *a, *b;
	moore_swid was;

	if (!entry)
		return 0;
	if (now == old)
		return entry[now->sw[s].port0 + p];
	a = moore_fabric_port(now, s, p);
	was = mplug_switch_by_guid(old, now->sw[s].guid);
	if (a->role != MOORE_ROLE_SWITCH || was == MOORE_NONE || p > old->sw[was].n_ports)
		return 0;
	b = moore_fabric_port(old, was, p);
	if (b->role != MOORE_ROLE_SWITCH || old->sw[b->peer].guid != now->sw[a->peer].guid)
		return 0;
	return entry[old->sw[was].port0 + p];
}
