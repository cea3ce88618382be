// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_cuts.c - judges the backups of rows: for each link between switches, what can happen while it
 * is down.
 *
 * The row of a LID whose value leads over the link holds two values, its own and its backup, at
 * the switches at both ends; all other rows stay.  Every mixture is judged, so it does not matter
 * which end finds the cut first, nor that packets which crossed the link are still on their way. */
#include <stdlib.h>

#include "base/jobs.h"
#include "mix_impl.h"

struct end {
	moore_swid sw;
	moore_portnum port;
};

struct result {			/* of a link */
	struct moore_mix_held *verdict;	/* NULL where the judge failed */
	int rc;
	struct moore_err err;
};

struct judging {
	const struct moore_fabric *f;
	const struct moore_held *rows;
	const struct moore_row *backup;
	uint32_t n_backup;
	const struct moore_mix_lanes *lanes;
	struct end (*link)[2];
	struct result *result;
};

/* Says whether a value of the row leads over that end of the link. */
static bool
leads_over(const struct moore_held *h, const struct moore_row *r, const struct end *end)
{
	if (r->sw != end->sw)
		return false;
	if (moore_lft_row(h->lft, r->sw)[r->lid] == end->port)
		return true;
	for (size_t i = 0; i < h->n_more; i++)
		if (h->more[i].sw == r->sw && h->more[i].lid == r->lid && h->more[i].port == end->port)
			return true;
	return false;
}

static void
judge_job(void *arg, unsigned worker, size_t i)
{
	struct judging *j = arg;
	const struct moore_held *rows = j->rows;
	struct result *r = &j->result[i];
	struct moore_row *more = malloc((rows->n_more + j->n_backup + 1) * sizeof(*more));
	struct moore_held held = *rows;

	(void)worker;
	if (!more) {
		r->rc = moore_fail_nomem(&r->err);
		return;
	}
	held.more = more;
	for (size_t k = 0; k < rows->n_more; k++)
		more[k] = rows->more[k];
	for (uint32_t k = 0; k < j->n_backup; k++)
		if (leads_over(rows, &j->backup[k], &j->link[i][0]) ||
		    leads_over(rows, &j->backup[k], &j->link[i][1]))
			more[held.n_more++] = j->backup[k];
	r->rc = moore_mix_held(&r->verdict, j->f, &held, rows, j->lanes, NULL, &r->err);
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
count_bad(struct judging *j, struct moore_mix_cuts *out, struct moore_err *err)
{
	for (uint32_t i = 0; i < out->n_links; i++) {
		struct result *r = &j->result[i];

		if (r->rc < 0) {
			if (err)
				*err = r->err;
			return r->rc;
		}
		if (r->verdict->safe && !r->verdict->interrupted)
			continue;
		if (!out->n_bad++) {
			out->sw = j->link[i][0].sw;
			out->port = j->link[i][0].port;
			out->bad = r->verdict;
			r->verdict = NULL;
		}
	}
	return 0;
}

int
moore_mix_cuts(struct moore_mix_cuts *out, const struct moore_fabric *f, const struct moore_held *rows,
	       const struct moore_row *backup, uint32_t n_backup, const struct moore_mix_lanes *lanes,
	       const struct moore_jobs *jobs, struct moore_err *err)
{
	struct judging j = { f, rows, backup, n_backup, lanes, NULL, NULL };
	const struct moore_held backups = { .lft = rows->lft, .more = backup, .n_more = n_backup };
	const size_t stride = rows->lft->stride, n = (size_t)f->n_ports + 1;
	int rc;

	*out = (struct moore_mix_cuts){ .sw = MOORE_NONE };
	if ((rc = moore_mx_fit_rows(f, rows, stride, "", err)) < 0 ||
	    (rc = moore_mx_fit_rows(f, &backups, stride, "backup ", err)) < 0)
		return rc;
	j.link = malloc(n * sizeof(*j.link));
	j.result = calloc(n, sizeof(*j.result));
	if (j.link && j.result) {
		out->n_links = list_links(f, j.link);
		moore_jobs_run(jobs, moore_jobs_width(jobs, out->n_links), out->n_links, judge_job, &j);
		rc = count_bad(&j, out, err);
	} else {
		rc = moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < out->n_links; i++)
		moore_mix_held_free(j.result[i].verdict);
	if (rc < 0) {
		moore_mix_held_free(out->bad);
		out->bad = NULL;
	}
	free(j.link);
	free(j.result);
	return rc;
}
