// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_net.c - forwarding tables and lanes of a snapshot from what Ethernet switches run.
 *
 * The library turns routes into the tables of racks, where a LID stands for a prefix: a switch
 * and a layer.  Here each endpoint gets the rows of its switch's prefixes, one for each LID offset,
 * so that whatever reads the tables of an InfiniBand snapshot reads these too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "planned.h"
#include "scan/ether.h"

#define ADDRESSES_MAX ((size_t)1 << 30)

void
ether_net_free(struct ether_net *net)
{
	moore_fabric_free(net->racks);
	moore_ether_free(net->x);
	*net = (struct ether_net){ NULL };
}

static int
read_addresses(struct ether_net *out, const char *path, struct moore_plan *plan, struct moore_err *err)
{
	struct moore_buf text;
	struct moore_err why;
	int rc;

	if ((rc = file_read(path, ADDRESSES_MAX, &text, err)) < 0) {
		moore_plan_free(plan);
		return rc;
	}
	if ((rc = moore_ether_read_addresses(&out->x, plan, text.data, text.len, &why)) == 0) {
		/* Of a family whose routes are not read, none can be missing. */
		out->x->opts.range[ether_net_ip(out) == MOORE_IP4 ? MOORE_IP6 : MOORE_IP4].is_set = false;
		rc = moore_ether_racks(&out->racks, out->x, MOORE_RACKS_JUDGED, &why);
	}
	if (rc < 0)
		moore_fail(err, -rc, why.line, "%.150s: %s", path, why.text);
	moore_buf_free(&text);
	return rc;
}

int
ether_net_read(struct ether_net *out, const char *dir, struct moore_err *err)
{
	struct planned *plan = NULL;
	char path[sizeof(plan->path) + 16];
	int rc;

	*out = (struct ether_net){ NULL };
	snprintf(path, sizeof(path), "%s/plan.json", dir);
	if ((rc = planned_read(&plan, path, err)) < 0)
		return rc;
	snprintf(path, sizeof(path), "%s/addresses.json", dir);
	rc = read_addresses(out, path, plan->plan, err);
	plan->plan = NULL;		/* the network's */
	planned_put(plan);
	if (rc < 0)
		ether_net_free(out);
	return rc;
}

enum moore_ip
ether_net_ip(const struct ether_net *net)
{
	return net->x->opts.range[MOORE_IP4].is_set ? MOORE_IP4 : MOORE_IP6;
}

uint8_t
ether_net_lmc(const struct ether_net *net)
{
	uint8_t lmc = 0;

	while (1u << lmc < net->x->opts.n_layers)
		lmc++;
	return lmc;
}

moore_swid
ether_find(const struct moore_plan *plan, const char *name, moore_swid guess)
{
	if (guess < plan->n_switches && !strcmp(plan->sw[guess].name, name))
		return guess;
	for (moore_swid s = 0; s < plan->n_switches; s++)
		if (!strcmp(plan->sw[s].name, name))
			return s;
	return MOORE_NONE;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* For each switch of the snapshot: itself in the network, and the LID of its rack there. */
struct place {
	moore_swid sw;		/* MOORE_NONE: the network has no such switch */
	moore_lid lid;
};

static struct place *
places_of(const struct snapshot *s, const struct ether_net *net)
{
	uint32_t n = s->seen->n_switches;
	struct place *at = calloc((size_t)n + 1, sizeof(*at));
	moore_lid *lid = calloc((size_t)net->racks->n_switches + 1, sizeof(*lid));

	if (at && lid) {
		for (moore_epid e = 0; e < net->racks->n_endpoints; e++)
			lid[net->racks->ep[e].sw] = net->racks->ep[e].lid;
		for (moore_swid i = 0; i < n; i++) {
			at[i].sw = ether_find(net->x->plan, s->seen->sw[i].name, i);
			at[i].lid = at[i].sw != MOORE_NONE ? lid[at[i].sw] : 0;
		}
	} else {
		free(at);
		at = NULL;
	}
	free(lid);
	return at;
}

/* The rows of switch i; from[] are those of the racks. */
static void
fill_rows(struct snapshot *s, moore_swid i, const uint8_t *from, const struct place *at, uint32_t layers)
{
	const struct moore_fabric *f = s->fabric;
	uint8_t *row = moore_lft_row(s->lft, i);

	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw == MOORE_NONE || !at[ep->sw].lid)
			continue;
		for (uint32_t k = 0; k < 1u << ep->lmc; k++)
			row[ep->lid + k] = ep->sw == i ? ep->port : from[at[ep->sw].lid + k % layers];
	}
	for (moore_swid d = 0; d < f->n_switches; d++)
		if (at[d].lid)
			row[f->sw[d].lid] = d == i ? 0 : from[at[d].lid];
}

int
ether_net_tables(struct snapshot *s, const struct ether_net *net,
		 const struct moore_ether_config *config, struct moore_ether_faults *faults, struct moore_err *err)
{
	struct moore_ether_tables t = { NULL };
	struct place *at = places_of(s, net);
	int rc = at ? moore_ether_tables_init(&t, net->racks, err) : moore_fail_nomem(err);

	for (moore_swid i = 0; i < net->racks->n_switches && rc == 0; i++)
		rc = moore_ether_take_config(&t, faults, net->x, net->racks, i, &config[i], err);
	if (rc == 0 && (rc = moore_lft_new(&s->lft, s->fabric->n_switches, s->fabric->lid_top, err)) == 0)
		for (moore_swid i = 0; i < s->fabric->n_switches; i++)
			if (at[i].sw != MOORE_NONE)
				fill_rows(s, i, moore_lft_row(t.lft, at[i].sw), at, net->x->opts.n_layers);
	moore_ether_tables_fini(&t);
	free(at);
	return rc;
}

/* ---- lanes ---------------------------------------------------------------------------------- */

/* The port of a rack at which packets come in as they do at a port of the switch: its own, or where
 * its hosts are. */
static moore_portnum
in_of(const struct moore_fabric *racks, moore_swid k, const struct moore_fabric *f, moore_swid i,
      unsigned in)
{
	if (moore_fabric_port(f, i, (moore_portnum)in)->role == MOORE_ROLE_SWITCH && in <= racks->sw[k].n_ports)
		return (moore_portnum)in;
	for (unsigned p = 1; p <= racks->sw[k].n_ports; p++)
		if (moore_fabric_port(racks, k, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return (moore_portnum)p;
	return 0;
}

static int
set_lanes(struct snapshot *s, moore_swid i, const struct moore_sl2vl *from, const struct moore_fabric *racks,
	  moore_swid k, struct moore_err *err)
{
	const struct moore_fabric *f = s->fabric;
	int rc = 0;

	for (unsigned in = 0; in <= f->sw[i].n_ports && rc == 0; in++)
		for (unsigned out = 1; out <= f->sw[i].n_ports && rc == 0; out++) {
			struct moore_sl_row row;

			if (out > racks->sw[k].n_ports ||
			    moore_fabric_port(f, i, (moore_portnum)out)->role != MOORE_ROLE_SWITCH)
				continue;
			memset(row.vl, moore_sl2vl_vl(from, racks, k, in_of(racks, k, f, i, in),
						      (moore_portnum)out, 0), sizeof(row.vl));
			rc = moore_sl2vl_set(s->sl2vl, i, (moore_portnum)in, (moore_portnum)out, &row, err);
		}
	return rc;
}

int
ether_net_lanes(struct snapshot *s, const struct ether_net *net,
		const struct moore_ether_config *config, struct moore_ether_faults *faults,
		struct moore_err *err)
{
	struct moore_sl2vl *lanes = NULL;
	int rc = moore_ether_lanes(&lanes, faults, net->x, net->racks, config, err);

	if (rc == 0)
		rc = moore_sl2vl_new(&s->sl2vl, s->fabric, err);
	for (moore_swid i = 0; i < s->fabric->n_switches && rc == 0; i++) {
		const moore_swid k = ether_find(net->x->plan, s->seen->sw[i].name, i);

		if (k != MOORE_NONE)
			rc = set_lanes(s, i, lanes, net->racks, k, err);
	}
	if (rc == 0)
		rc = moore_sl2vl_hash(&s->lanes_hash, s->fabric, s->sl2vl, err);
	if (rc < 0) {
		moore_sl2vl_free(s->sl2vl);
		s->sl2vl = NULL;
	}
	moore_sl2vl_free(lanes);
	return rc;
}
