// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_diff_backup.c - backups while the routes of switches change.
 *
 * The steps from old to new routes are judged for a fabric of which no further link fails.  If one
 * did, backups would come into force beside routes with which they were never judged.  So backups
 * that are not in force are withdrawn before the first step, and the new ones are added after the
 * last: at any time each switch holds routes that are being changed and no idle backup, or a part
 * of the backups that were judged together with the routes that all switches have.
 *
 * A backup is in force where the prefix has no other route over a link that is there: its port was
 * cut.  Packets use it, so the steps begin from it, and it goes only after the new route is there.
 * While routes stay as they are, backups that stay are left alone. */
#include "ethernet/ether_diff.h"

const struct moore_ether_route *
cli_ether_diff_route(const struct moore_ether_config *c, const struct moore_addr *to, bool is_backup)
{
	for (uint32_t i = moore_ether_config_find(c, to); i < c->n_routes; i++)
		if (!moore_addr_equal(&c->route[i].to, to))
			return NULL;
		else if (c->route[i].is_backup == is_backup)
			return &c->route[i];
	return NULL;
}

static bool
is_link(const struct cli_ether_diff *d, moore_swid s, unsigned port)
{
	const struct moore_fabric *f = d->new.racks;

	return port <= f->sw[s].n_ports &&
		moore_fabric_port(f, s, (moore_portnum)port)->role == MOORE_ROLE_SWITCH;
}

bool
cli_ether_diff_in_force(const struct cli_ether_diff *d, moore_swid s, const struct moore_addr *to)
{
	const struct moore_ether_config *c = &d->old.config[s];
	const struct moore_ether_route *r = cli_ether_diff_route(c, to, false);

	for (; r && r < c->route + c->n_routes && moore_addr_equal(&r->to, to) && !r->is_backup; r++)
		if (is_link(d, s, r->port))
			return false;
	return cli_ether_diff_route(c, to, true);
}

void
cli_ether_diff_use_backups(const struct cli_ether_diff *d, struct moore_ether_tables *was)
{
	for (uint32_t i = 0; i < was->n_backup; i++) {
		uint8_t *port = &moore_lft_row(was->lft, was->backup[i].sw)[was->backup[i].lid];

		if (*port == MOORE_NO_PATH || !is_link(d, was->backup[i].sw, *port))
			*port = was->backup[i].port;
	}
}

int
cli_ether_diff_judge_backups(const struct cli_ether_diff *d, const struct moore_ether_tables *now,
			     const struct moore_sl2vl *lanes)
{
	struct moore_mix_cuts cuts = { .n_bad = 0 };
	int rc = now->n_backup ? cli_ether_judge_backups(&d->new, now, lanes, &cuts) : CLI_OK;

	moore_mix_held_free(cuts.bad);
	if (rc == CLI_OK && cuts.n_bad)
		rc = cli_error("the backups of the directory are not safe while a link is down: see "
			       "moorectl ethernet verify");
	return rc;
}

/* True if the other configuration of the switch has this backup, too. */
static bool
stays(const struct moore_ether_config *other, const struct moore_ether_route *r)
{
	const struct moore_ether_route *b = cli_ether_diff_route(other, &r->to, true);

	return b && moore_ether_route_equal(b, r);
}

bool
cli_ether_diff_backup_is(const struct cli_ether_diff *d, moore_swid s,
			 const struct moore_ether_route *r, enum cli_ether_backup_edit which)
{
	const bool in_force = cli_ether_diff_in_force(d, s, &r->to);

	switch (which) {
	case CLI_ETHER_BACKUP_IDLE:
		return !in_force && (d->primaries_change || !stays(&d->new.config[s], r));
	case CLI_ETHER_BACKUP_IN_FORCE:
		return in_force && !stays(&d->new.config[s], r);
	default:
		return d->primaries_change && !cli_ether_diff_in_force(d, s, &r->to) ? true :
		       !stays(&d->old.config[s], r);
	}
}
