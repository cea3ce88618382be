// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_judge.c - judges what Ethernet switches would do with their configurations, and says so. */
#include <string.h>

#include "ethernet/ether.h"
#include "threads.h"

/* ---- judging ----------------------------------------------------------------------------- */

#define JUDGED_MAX 4

struct judging {
	struct cli_ether e;
	struct moore_ether_faults of_hosts;	/* of their files, which count with every format */
	struct moore_verdict *verdict[JUDGED_MAX];
	struct moore_mix_held *sets[JUDGED_MAX];
	struct moore_ether_judged judged[JUDGED_MAX];
	size_t n;
};

int
cli_ether_tables(struct cli_ether *e, struct moore_ether_tables *t, struct moore_sl2vl **lanes,
		 struct moore_ether_faults *faults)
{
	struct moore_err err;

	*lanes = NULL;
	if (moore_ether_tables_init(t, e->racks, &err) < 0 ||
	    (e->x->plan->n_switches && e->config[0].by_dscp ?
	     moore_ether_lanes(lanes, faults, e->x, e->racks, e->config, &err) :
	     moore_sl2vl_new(lanes, e->racks, &err)) < 0)
		return cli_error("%s", err.text);
	for (moore_swid s = 0; s < e->x->plan->n_switches; s++)
		if (moore_ether_take_config(t, faults, e->x, e->racks, s, &e->config[s], &err) < 0)
			return cli_error("%s", err.text);
	return CLI_OK;
}

/* Counts the routes of all switches, and of these the ones with several next hops. */
static void
count_routes(const struct cli_ether *e, struct moore_ether_judged *out)
{
	for (moore_swid s = 0; s < e->x->plan->n_switches; s++) {
		const struct moore_ether_config *c = &e->config[s];
		uint32_t n;

		for (uint32_t i = 0; i < c->n_routes; i += n) {
			n = moore_ether_config_hops(c, i);
			if (c->route[i].is_backup) {
				out->backed.n_backed++;
				continue;
			}
			out->n_routes++;
			out->backed.n_routes += c->route[i].via.is_set;
			out->n_sets += n > 1;
			out->n_set_hops += n > 1 ? n : 0;
		}
	}
}

/* Judges the first next hops, and, where there are more, every mixture of them. */
static int
judge_tables(struct judging *j, const struct moore_ether_tables *t, const struct moore_sl2vl *lanes)
{
	struct moore_jobs jobs = threads_lend(0);
	const struct moore_check_opts o = { .sl_mask = 1, .jobs = &jobs };
	const struct moore_held first = { .lft = t->lft };
	const struct moore_held held = { .lft = t->lft, .more = t->more, .n_more = t->n_more };
	const struct moore_mix_lanes mix = { .sl2vl = lanes };
	struct moore_err err;

	if (moore_check(&j->verdict[j->n], j->e.racks, t->lft, lanes, NULL, &o, &err) < 0 ||
	    (t->n_more && moore_mix_held(&j->sets[j->n], j->e.racks, &held, &first, &mix, &jobs,
					 &err) < 0))
		return cli_error("%s", err.text);
	return CLI_OK;
}

int
cli_ether_judge_backups(const struct cli_ether *e, const struct moore_ether_tables *t,
			const struct moore_sl2vl *lanes, struct moore_mix_cuts *out)
{
	struct moore_jobs jobs = threads_lend(0);
	const struct moore_held rows = { .lft = t->lft, .more = t->more, .n_more = t->n_more };
	const struct moore_mix_lanes mix = { .sl2vl = lanes };
	struct moore_err err;

	cli_busy("judging each cut");
	if (moore_mix_cuts(out, e->racks, &rows, t->backup, t->n_backup, &mix, &jobs, &err) < 0)
		return cli_error("%s", err.text);
	return CLI_OK;
}

static int
judge_format(const char *dir, struct judging *j, const char *format)
{
	struct moore_ether_judged *out = &j->judged[j->n];
	struct moore_ether_tables tables = { NULL };
	struct moore_sl2vl *lanes = NULL;
	int rc;

	*out = (struct moore_ether_judged){ .format = format, .faults = j->of_hosts };
	if ((rc = cli_ether_read(dir, format, &j->e, &out->has_classes)) != CLI_OK ||
	    (rc = cli_ether_check_switches(dir, format, &j->e, &out->faults)) != CLI_OK)
		return rc;
	cli_busy("checking");
	count_routes(&j->e, out);
	if ((rc = cli_ether_tables(&j->e, &tables, &lanes, &out->faults)) == CLI_OK)
		rc = judge_tables(j, &tables, lanes);
	if (rc == CLI_OK && out->backed.n_backed)
		rc = cli_ether_judge_backups(&j->e, &tables, lanes, &out->backed.cuts);
	out->verdict = j->verdict[j->n];
	out->sets = j->sets[j->n];
	j->n++;
	moore_ether_tables_fini(&tables);
	moore_sl2vl_free(lanes);
	return rc;
}

int
cli_ether_judge(const char *dir, json_t **answer)
{
	struct judging j = { .n = 0 };
	int rc = cli_ether_load(dir, &j.e);

	*answer = NULL;
	if (rc == CLI_OK)
		rc = cli_ether_check_hosts(dir, &j.e, &j.of_hosts);
	for (size_t i = 0; rc == CLI_OK && cli_ether_route_format(i); i++)
		if (cli_ether_has(dir, &j.e, cli_ether_route_format(i)))
			rc = judge_format(dir, &j, cli_ether_route_format(i));
	if (rc == CLI_OK && !j.n)
		rc = cli_error("%s: the switches have no file of routes there: emit them with moorectl "
			       "ethernet emit", dir);
	if (rc == CLI_OK && !(*answer = moore_answer_ether(j.e.x, j.e.racks, j.judged, j.n)))
		rc = cli_error("out of memory");
	for (size_t i = 0; i < j.n; i++) {
		moore_verdict_free(j.verdict[i]);
		moore_mix_held_free(j.sets[i]);
		moore_mix_held_free(j.judged[i].backed.cuts.bad);
	}
	cli_ether_free(&j.e);
	return rc;
}

/* ---- the answer in words ------------------------------------------------------------------- */

static const struct {
	const char *kind, *text;
} kinds[] = {
	{ "no-link", "sends to a port without a cable what is for" },
	{ "wrong-next-hop", "names a next hop that is not the switch at that port, for" },
	{ "host-not-routed", "does not send to the host's own port what is for" },
	{ "split-prefix", "splits among several ports what is for" },
	{ "lossy", "may lose packets of a lossless class that enter" },
	{ "other-class", "takes packets in another class than they were sent in, at" },
	{ "mixed-classes", "sends on in several classes what enters" },
};

/* A file that is missing, or lacks a line. */
static void
put_incomplete(struct moore_buf *b, const json_t *f)
{
	const char *host = cli_str(f, "host"), *lacks = cli_str(f, "lacks");

	cli_putf(b, "  %s%s/%s ", *host ? CLI_ETHER_HOSTS "/" : "", *host ? host : cli_str(f, "switch"),
		 cli_str(f, "file"));
	if (cli_int(f, "line") && !*lacks)
		cli_putf(b, "has line %lld, which leads addresses of the network elsewhere\n", cli_int(f, "line"));
	else if (cli_int(f, "line"))
		cli_putf(b, strchr(lacks, '=') ? "has in line %lld another value than %s\n" :
			 "has line %lld, which undoes %s\n", cli_int(f, "line"), lacks);
	else
		cli_putf(b, "%s%s\n", *lacks ? "lacks the line " : "is missing", lacks);
}

static void
put_faults(struct moore_buf *b, const json_t *table)
{
	const json_t *f;
	size_t i;

	if (!cli_int(table, "faults"))
		return;
	cli_putf(b, CLI_RED "faults" CLI_PLAIN "         %lld, the first of them:\n",
		 cli_int(table, "faults"));
	json_array_foreach(json_object_get(table, "fault_list"), i, f) {
		if (*cli_str(f, "file")) {
			put_incomplete(b, f);
			continue;
		}
		cli_putf(b, "  %s ", cli_str(f, "switch"));
		for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
			if (!strcmp(kinds[k].kind, cli_str(f, "kind")))
				cli_putf(b, "%s ", kinds[k].text);
		if (*cli_str(f, "to"))
			cli_putf(b, "%s", cli_str(f, "to"));
		else
			cli_putf(b, "port %lld with DSCP %lld", cli_int(f, "port"), cli_int(f, "dscp"));
		if (cli_int(f, "line"))
			cli_putf(b, " (line %lld)", cli_int(f, "line"));
		cli_putf(b, "\n");
	}
}

static void
put_cycle(struct moore_buf *b, const json_t *cycle)
{
	const json_t *link;
	size_t i;

	cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": paused ports on these %zu links can wait for one "
		 "another for ever:\n", json_array_size(cycle));
	json_array_foreach(cycle, i, link) {
		cli_putf(b, "  %zu. ", i + 1);
		cli_put_link(b, link);
		cli_putf(b, " in class %lld\n", cli_int(link, "class"));
	}
}

/* What holds for some choice among the next hops of each route. */
static void
put_sets(struct moore_buf *b, const json_t *sets)
{
	cli_putf(b, "sets           %lld routes have %lld next hops together\n", cli_int(sets, "routes"),
		 cli_int(sets, "next_hops"));
	if (cli_int(sets, "loops"))
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": packets to %lld prefixes can circle over some of "
			 "the next hops\n", cli_int(sets, "loops"));
	if (cli_int(sets, "unreachable"))
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %lld pairs are lost over some of the next hops\n",
			 cli_int(sets, "unreachable"));
}

/* What holds while a single link is down. */
static void
put_backups(struct moore_buf *b, const json_t *t)
{
	double share = 100 * (double)cli_int(t, "backed") / (double)cli_int(t, "routes");
	const json_t *bad = json_object_get(t, "bad");

	cli_putf(b, "backups        of %.1f %% of the routes to other switches; %.1f %% wait for the controller\n",
		 share, 100 - share);
	if (!bad) {
		cli_putf(b, "cuts           " CLI_GREEN "sound" CLI_PLAIN " with each of the %lld links down, seen "
			 "by one end or both\n", cli_int(t, "links"));
		return;
	}
	cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %lld of %lld links, if one of them is down; for example ",
		 cli_int(t, "bad_links"), cli_int(t, "links"));
	cli_put_link(b, bad);
	cli_putf(b, ": packets to %lld prefixes circle, %lld pairs are lost\n", cli_int(bad, "loops"),
		 cli_int(bad, "unreachable"));
	if (!cli_yes(bad, "acyclic"))
		put_cycle(b, json_object_get(bad, "cycle"));
}

static void
put_table(struct moore_buf *b, const json_t *t)
{
	const json_t *e = json_object_get(t, "example"), *sets = json_object_get(t, "sets"), *n;
	const char *hops, *sep = "";

	cli_putf(b, "%-14s %lld routes; hops ", cli_str(t, "format"), cli_int(t, "routes"));
	json_object_foreach(json_object_get(t, "hops"), hops, n) {
		cli_putf(b, "%s%s: %lld", sep, hops, json_integer_value(n));
		sep = ", ";
	}
	cli_putf(b, "%s; greatest load %.2f times the mean\n", *sep ? "" : "none",
		 cli_num(t, "max_over_mean_load"));
	if (!cli_yes(t, "classes_read"))
		cli_putf(b, CLI_YELLOW "classes        no file of classes: judged as if a packet kept "
			 "one class" CLI_PLAIN "\n");
	put_faults(b, t);
	if (cli_int(t, "unreachable"))
		cli_putf(b, CLI_RED "NOT sound" CLI_PLAIN ": %lld of %lld pairs are connected but have no "
			 "route, %lld of them because of a loop\n  for example from %s to %s (%s, layer %lld)\n",
			 cli_int(t, "unreachable"), cli_int(t, "pairs"), cli_int(t, "loops"),
			 cli_str(e, "switch"), cli_str(e, "prefix"), cli_str(e, "to"), cli_int(e, "layer"));
	if (cli_int(t, "partitioned"))
		cli_putf(b, CLI_YELLOW "partitioned    %lld pairs (switch, prefix) that no links connect"
			 CLI_PLAIN "\n", cli_int(t, "partitioned"));
	if (json_is_object(sets))
		put_sets(b, sets);
	if (json_is_object(json_object_get(t, "backups")))
		put_backups(b, json_object_get(t, "backups"));
	if (!cli_yes(t, "acyclic"))
		put_cycle(b, json_object_get(t, "cycle"));
	else if (json_is_object(sets) && !cli_yes(sets, "acyclic"))
		put_cycle(b, json_object_get(sets, "cycle"));
	else
		cli_put_sound(b, t);
}

void
cli_ether_put_judged(struct moore_buf *b, const json_t *answer)
{
	const json_t *c, *t;
	size_t i;

	cli_putf(b, "network        %lld switches, %lld hosts, %lld layer%s\nclasses       ",
		 cli_int(answer, "switches"), cli_int(answer, "hosts"), cli_int(answer, "layers"),
		 MOORE_S(cli_int(answer, "layers")));
	json_array_foreach(json_object_get(answer, "classes"), i, c)
		cli_putf(b, "%s DSCP %lld on priority %lld", i ? "," : "", cli_int(c, "dscp"),
			 cli_int(c, "priority"));
	cli_putf(b, "\n");
	json_array_foreach(json_object_get(answer, "tables"), i, t)
		put_table(b, t);
}
