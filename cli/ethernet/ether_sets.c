// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_sets.c - further next hops: several for the routes of layer 0, of equally many hops; or a
 * backup for each route.
 *
 * The configurations become tables of the judged racks, as they do when they are verified, and
 * rows get further values; each becomes a next hop. */
#include <stdlib.h>

#include "ethernet/ether.h"
#include "threads.h"

/* Cuts the links that the racks of the router lack. */
static void
cut_as(struct moore_fabric *judged, const struct moore_fabric *routed)
{
	for (moore_swid s = 0; s < judged->n_switches; s++)
		for (unsigned p = 1; p <= judged->sw[s].n_ports; p++)
			if (moore_fabric_port(judged, s, (moore_portnum)p)->role == MOORE_ROLE_SWITCH &&
			    moore_fabric_port(routed, s, (moore_portnum)p)->role != MOORE_ROLE_SWITCH)
				moore_fabric_cut(judged, s, (moore_portnum)p);
}

/* The set of LIDs that stand for prefixes of layer 0, a bit each. */
static uint64_t *
minimal_layer(const struct cli_ether *judged)
{
	uint64_t *lids = calloc(judged->racks->lid_top / 64 + 1, sizeof(*lids));
	struct moore_ether_target to;

	for (moore_lid lid = 1; lids && lid <= judged->racks->lid_top; lid++)
		if (moore_ether_target(judged->x, judged->racks, lid, &to) && to.layer == 0)
			lids[lid / 64] |= (uint64_t)1 << lid % 64;
	return lids;
}

static int
add_hops(struct cli_ether *judged, const struct moore_row *more, size_t n)
{
	struct moore_err err;

	for (size_t i = 0; i < n; i++) {
		struct moore_ether_target to = { 0 };
		struct moore_ether_route r;

		moore_ether_target(judged->x, judged->racks, more[i].lid, &to);
		r = moore_ether_route_over(judged->x, more[i].sw, &to, more[i].port);
		if (moore_ether_config_add(&judged->config[more[i].sw], &r, &err) < 0)
			return cli_error("%s", err.text);
	}
	for (moore_swid s = 0; s < judged->x->plan->n_switches; s++)
		moore_ether_config_sort(&judged->config[s]);
	return CLI_OK;
}

static int
add_backups(struct cli_ether *judged, const struct moore_lft *backup)
{
	int rc = CLI_OK;

	for (moore_swid s = 0; s < judged->racks->n_switches && rc == CLI_OK; s++) {
		for (moore_lid lid = 1; lid <= judged->racks->lid_top && rc == CLI_OK; lid++) {
			uint8_t port = moore_lft_row(backup, s)[lid];
			struct moore_ether_target to;
			struct moore_ether_route r;
			struct moore_err err;

			if (port == MOORE_NO_PATH || !moore_ether_target(judged->x, judged->racks, lid, &to))
				continue;
			r = moore_ether_route_over(judged->x, s, &to, port);
			r.is_backup = true;
			if (moore_ether_config_add(&judged->config[s], &r, &err) < 0)
				rc = cli_error("%s", err.text);
		}
		moore_ether_config_sort(&judged->config[s]);
	}
	return rc;
}

/* Adds a backup to each route that has one. */
static int
back_up(struct cli_ether *judged)
{
	struct moore_ether_faults ignored = { .n = 0 };
	struct moore_ether_tables tables = { NULL };
	struct moore_jobs jobs = threads_lend(0);
	struct moore_lft *backup = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_err err;
	int rc = cli_ether_tables(judged, &tables, &lanes, &ignored);

	if (rc == CLI_OK &&
	    moore_ether_backups(&backup, judged->racks, tables.lft, lanes, &jobs, &err) < 0)
		rc = cli_error("%s", err.text);
	if (rc == CLI_OK)
		rc = add_backups(judged, backup);
	moore_ether_tables_fini(&tables);
	moore_sl2vl_free(lanes);
	moore_lft_free(backup);
	return rc;
}

/* Adds up to n - 1 next hops to each route of layer 0. */
static int
widen(struct cli_ether *judged, unsigned n)
{
	struct moore_ether_faults ignored = { .n = 0 };
	struct moore_ether_tables tables = { NULL };
	struct moore_motion_opts opts = { NULL };
	uint64_t *lids = minimal_layer(judged);
	struct moore_sl2vl *lanes = NULL;
	struct moore_row *more = NULL;
	struct moore_err err;
	size_t n_more;
	int rc = lids ? cli_ether_tables(judged, &tables, &lanes, &ignored) : cli_error("out of memory");

	opts.sl2vl = lanes;
	if (rc == CLI_OK && moore_motion_widen(&more, &n_more, judged->racks, tables.lft, lids, n, &opts,
					       &err) < 0)
		rc = cli_error("%s", err.text);
	if (rc == CLI_OK)
		rc = add_hops(judged, more, n_more);
	moore_ether_tables_fini(&tables);
	moore_sl2vl_free(lanes);
	free(lids);
	free(more);
	return rc;
}

int
cli_ether_widen(struct cli_ether *e, const struct moore_lft *lft, unsigned n)
{
	struct cli_ether judged = { .x = e->x };
	uint32_t n_switches = e->x->plan->n_switches;
	struct moore_err err;
	int rc = CLI_OK;

	if (!(judged.config = e->config = calloc((size_t)n_switches + 1, sizeof(*e->config))))
		return cli_error("out of memory");
	cli_busy("finding further next hops");
	for (moore_swid s = 0; s < n_switches; s++)
		if (moore_ether_config(&e->config[s], e->x, e->racks, moore_lft_row(lft, s), s, &err) < 0)
			return cli_error("%s", err.text);
	if (moore_ether_racks(&judged.racks, e->x, MOORE_RACKS_JUDGED, &err) < 0)
		return cli_error("%s", err.text);
	cut_as(judged.racks, e->racks);
	rc = n > 1 ? widen(&judged, n) : back_up(&judged);
	moore_fabric_free(judged.racks);
	return rc;
}
