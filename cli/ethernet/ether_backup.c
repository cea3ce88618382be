// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_backup.c - judges the backups of routes: for each link between switches, what can happen
 * while it is down.
 *
 * The row of a prefix whose route goes over the link holds two values, the route and its backup, at
 * the switches at both ends; all other rows stay.  Every mixture is judged, so it does not matter
 * which end finds the cut first, nor that packets which crossed the link are still on their way. */
#include <stdlib.h>

#include "ether.h"
#include "threads.h"

struct end {
	moore_swid sw;
	moore_portnum port;
};

struct judging {
	const struct cli_ether *e;
	const struct moore_ether_tables *t;
	const struct moore_sl2vl *lanes;
	struct end (*link)[2];
	struct moore_mix_held **verdict;	/* of each link; NULL where the judge failed */
};

/* Says whether a route of the row leads over that end of the link. */
static bool
leads_over(const struct moore_ether_tables *t, const struct moore_row *r, const struct end *end)
{
	if (r->sw != end->sw)
		return false;
	if (moore_lft_row(t->lft, r->sw)[r->lid] == end->port)
		return true;
	for (uint32_t i = 0; i < t->n_more; i++)
		if (t->more[i].sw == r->sw && t->more[i].lid == r->lid && t->more[i].port == end->port)
			return true;
	return false;
}

static void
judge_job(void *arg, unsigned worker, size_t i)
{
	struct judging *j = arg;
	const struct moore_ether_tables *t = j->t;
	const struct moore_held before = { .lft = t->lft, .more = t->more, .n_more = t->n_more };
	const struct moore_mix_lanes lanes = { .sl2vl = j->lanes };
	struct moore_row *more = malloc(((size_t)t->n_more + t->n_backup + 1) * sizeof(*more));
	struct moore_held held = { .lft = t->lft, .more = more, .n_more = t->n_more };
	struct moore_err err;

	(void)worker;
	if (!more)
		return;
	for (uint32_t k = 0; k < t->n_more; k++)
		more[k] = t->more[k];
	for (uint32_t k = 0; k < t->n_backup; k++)
		if (leads_over(t, &t->backup[k], &j->link[i][0]) || leads_over(t, &t->backup[k], &j->link[i][1]))
			more[held.n_more++] = t->backup[k];
	if (moore_mix_held(&j->verdict[i], j->e->racks, &held, &before, &lanes, NULL, &err) < 0)
		j->verdict[i] = NULL;
	free(more);
}

static uint32_t
list_links(const struct moore_fabric *f, struct end (*link)[2])
{
	uint32_t n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role != MOORE_ROLE_SWITCH ||
			    port->peer < s || (port->peer == s && port->peer_port < p))
				continue;
			link[n][0] = (struct end){ s, (moore_portnum)p };
			link[n++][1] = (struct end){ port->peer, port->peer_port };
		}
	return n;
}

/* Counts the links that are not safe, and keeps the verdict on the first. */
static int
count_bad(struct judging *j, struct moore_ether_backed *out)
{
	for (uint32_t i = 0; i < out->n_links; i++) {
		struct moore_mix_held *v = j->verdict[i];

		if (!v)
			return cli_error("out of memory");
		if (v->safe && !v->interrupted)
			continue;
		if (!out->n_bad++) {
			out->sw = j->link[i][0].sw;
			out->port = j->link[i][0].port;
			out->bad = v;
			j->verdict[i] = NULL;
		}
	}
	return CLI_OK;
}

int
cli_ether_judge_backups(const struct cli_ether *e, const struct moore_ether_tables *t,
			const struct moore_sl2vl *lanes, struct moore_ether_backed *out)
{
	struct judging j = { .e = e, .t = t, .lanes = lanes };
	struct moore_jobs jobs = threads_lend(0);
	int rc;

	j.link = malloc(((size_t)e->racks->n_ports + 1) * sizeof(*j.link));
	j.verdict = calloc((size_t)e->racks->n_ports + 1, sizeof(*j.verdict));
	if (j.link && j.verdict) {
		cli_busy("judging each cut");
		out->n_links = list_links(e->racks, j.link);
		jobs.run(jobs.width, out->n_links, judge_job, &j);
		rc = count_bad(&j, out);
	} else {
		rc = cli_error("out of memory");
	}
	for (uint32_t i = 0; j.verdict && i < out->n_links; i++)
		moore_mix_held_free(j.verdict[i]);
	free(j.link);
	free(j.verdict);
	return rc;
}
