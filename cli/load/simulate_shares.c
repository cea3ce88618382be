// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* simulate_shares.c - the shares of LID offsets on which the senders of a pattern load the fullest link least, as
 * `moorectl select` finds them, for `--routing shares`. */
#include <stdlib.h>

#include "moore/shares.h"
#include "load/simulate.h"

#define GAP 0.01		/* of the greatest load to the proven bound, as of `moorectl select` */

/* Each sender sends one unit in all, so loads are shares of full rate. */
static int
list_amounts(const struct cli_simulation *s, const struct moore_sim_traffic *t, struct moore_amount **out, uint32_t *n)
{
	const uint64_t pairs = t->flow ? t->n_flows : (uint64_t)t->n_nodes * (t->n_nodes - 1);
	uint32_t *flows = calloc((size_t)s->world->t.f->n_endpoints + 1, sizeof(*flows));
	struct moore_amount *a = *out = pairs <= MOORE_AMOUNTS_MAX ? calloc(pairs + 1, sizeof(*a)) : NULL;

	*n = 0;
	if (pairs > MOORE_AMOUNTS_MAX)
		cli_misuse(s->c, "--routing shares: over %u pairs of nodes: give fewer --processes", MOORE_AMOUNTS_MAX);
	else if (!a || !flows)
		cli_error("out of memory");
	for (uint32_t i = 0; a && flows && t->flow && i < t->n_flows; i++)
		flows[t->flow[i].from]++;
	for (uint32_t i = 0; a && flows && t->flow && i < t->n_flows; i++)
		if (t->flow[i].from != t->flow[i].to)
			a[(*n)++] = (struct moore_amount){ t->flow[i].from, t->flow[i].to, 1.0 / flows[t->flow[i].from] };
	for (uint32_t i = 0; a && !t->flow && i < t->n_nodes; i++)
		for (uint32_t k = 0; k < t->n_nodes; k++)
			if (k != i)
				a[(*n)++] = (struct moore_amount){ t->node[i], t->node[k], 1.0 / (t->n_nodes - 1) };
	free(flows);
	return a && flows ? CLI_OK : CLI_FAIL;
}

int
cli_sim_shares(struct cli_simulation *s, unsigned i)
{
	const struct moore_fabric *f = s->world->t.f;
	struct moore_sim_traffic *t = &s->traffic[i];
	struct moore_amount *a = NULL;
	struct moore_shares *x = NULL;
	struct moore_err err;
	uint32_t n = 0;
	int rc;

	if (s->exchange)
		return cli_misuse(s->c, "--routing shares: the shares are those of a lasting load: give --pattern");
	cli_busy("finding shares");
	if ((rc = list_amounts(s, t, &a, &n)) == CLI_OK &&
	    moore_shares_find(&x, f, s->world->t.lft, a, n, 0, GAP, &err) < 0)
		rc = cli_error("%s", err.text);
	if (rc == CLI_OK && !(s->share[i] = calloc((size_t)f->n_endpoints * x->n_offsets + 1, sizeof(double))))
		rc = cli_error("out of memory");
	for (uint32_t h = 0; rc == CLI_OK && h < x->n_hosts; h++)
		for (uint32_t k = 0; k < x->n_offsets; k++)
			s->share[i][(size_t)x->host[h] * x->n_offsets + k] = x->share[h * x->n_offsets + k];
	if (rc == CLI_OK) {
		s->carried[i] = x->greatest > 1 ? 1 / x->greatest : 1;
		t->share = s->share[i];
		t->n_offsets = x->n_offsets;
	}
	moore_shares_free(x);
	free(a);
	return rc;
}
