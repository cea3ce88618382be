// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_sample.c - a network too large to write whole: the files of a few switches, drawn by seed.
 *
 * The tables of all switches are judged as they were computed.  The files of the drawn ones are
 * read back and compared with these tables route by route and class by class. */
#include <stdlib.h>
#include <string.h>

#include "ethernet/ether.h"

struct drawn {
	uint64_t key;
	moore_swid sw;
};

static int
cmp_drawn(const void *a, const void *b)
{
	const struct drawn *x = a, *y = b;

	return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->sw > y->sw) - (x->sw < y->sw);
}

int
cli_ether_draw(const struct cli_call *c, uint32_t n_switches, uint8_t *drawn, uint32_t *n_drawn)
{
	uint64_t n = n_switches, seed = 1;
	struct drawn *all;
	int rc;

	if ((rc = cli_opt_u64(c, "sample", 1, n_switches, &n)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "seed", 0, UINT64_MAX, &seed)) != CLI_OK)
		return rc;
	if (!(all = calloc((size_t)n_switches + 1, sizeof(*all))))
		return cli_error("out of memory");
	for (moore_swid s = 0; s < n_switches; s++) {
		all[s].sw = s;
		all[s].key = moore_hash(moore_hash(MOORE_HASH_INIT, &seed, sizeof(seed)), &s, sizeof(s));
	}
	qsort(all, n_switches, sizeof(*all), cmp_drawn);
	for (uint64_t i = 0; i < n; i++)
		drawn[all[i].sw] = 1;
	*n_drawn = (uint32_t)n;
	free(all);
	return CLI_OK;
}

/* The classes of packets with a lossless mark, at ports that are cabled. */
static bool
same_classes(const struct moore_ether *x, moore_swid s, const struct moore_ether_config *a,
	     const struct moore_ether_config *b)
{
	bool same = true;

	for (unsigned p = 1; a->by_dscp && b->by_dscp && p <= x->plan->sw[s].ports && same; p++) {
		const struct moore_ether_peer *peer = moore_ether_peer(x, s, (moore_portnum)p);

		if (peer->sw == MOORE_NONE && peer->ep == MOORE_NONE)
			continue;
		same = a->pfc[p] == b->pfc[p];
		for (unsigned i = 0; i < x->opts.n_classes && same; i++) {
			size_t at = (size_t)p * MOORE_N_DSCP + x->opts.dscp[i];
			const struct moore_ether_class *u = &a->by_dscp[at], *v = &b->by_dscp[at];

			same = u->arrives == v->arrives && u->leaves == v->leaves &&
				(u->leaves == MOORE_ETHER_LOSSY || u->dscp == v->dscp);
		}
	}
	return same;
}

static int
compare_file(const char *dir, struct cli_ether *e, moore_swid s, const struct moore_ether_format *fmt,
	     const struct moore_ether_config *made)
{
	struct moore_ether_config *read = &e->config[s];
	int rc = cli_ether_read_file(dir, e, s, fmt);

	moore_ether_config_sort(read);
	if (rc == CLI_OK && ((read->n_routes && !moore_ether_routes_equal(made, read)) ||
			     !same_classes(e->x, s, made, read)))
		rc = cli_error("%s/%s/%s: is not what was computed: this is a defect of moorectl", dir,
			       e->x->plan->sw[s].name, fmt->file);
	moore_ether_config_fini(read);
	*read = (struct moore_ether_config){ 0 };
	return rc;
}

static int
compare_switch(const char *dir, struct cli_ether *e, const uint8_t *row, moore_swid s)
{
	const struct moore_ether_format *fmt;
	struct moore_ether_config made;
	struct moore_err err;
	int rc = CLI_OK;

	if (moore_ether_config(&made, e->x, e->racks, row, s, &err) < 0)
		return cli_error("%s", err.text);
	for (size_t i = 0; rc == CLI_OK && (fmt = moore_ether_format_at(i)); i++)
		if (fmt->read && cli_ether_has_file(dir, e, s, fmt))
			rc = compare_file(dir, e, s, fmt, &made);
	moore_ether_config_fini(&made);
	return rc;
}

/* Routes of all switches to their own hosts. */
static uint64_t
n_to_hosts(const struct cli_ether *e)
{
	const struct moore_ether_opts *o = &e->x->opts;

	return (uint64_t)e->x->plan->n_endpoints * o->n_layers *
		((uint64_t)o->range[MOORE_IP4].is_set + o->range[MOORE_IP6].is_set);
}

int
cli_ether_judge_sample(const char *dir, struct cli_ether *e, const struct cli_ether_made *m,
		       const uint8_t *drawn, json_t **answer)
{
	struct moore_ether_judged j = { .format = "computed", .has_classes = true, .verdict = m->verdict };
	uint32_t n = e->x->plan->n_switches;
	int rc = CLI_OK;

	*answer = NULL;
	cli_ether_drop_config(e);
	if (!(e->config = calloc((size_t)n + 1, sizeof(*e->config))))
		return cli_error("out of memory");
	cli_busy("comparing");
	for (moore_swid s = 0; s < n && rc == CLI_OK; s++)
		if (drawn[s])
			rc = compare_switch(dir, e, cli_ether_row(m, s), s);
	j.n_routes = m->n_routes + n_to_hosts(e);
	if (rc == CLI_OK && !(*answer = moore_answer_ether(e->x, e->racks, &j, 1)))
		rc = cli_error("out of memory");
	return rc;
}
