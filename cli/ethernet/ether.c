// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether.c - a directory of the configurations of Ethernet switches: reading it back, and
 * judging what the switches would do with it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ethernet/ether.h"
#include "moore/lldp.h"
#include "threads.h"

int
cli_ether_check_name(const char *plan, const char *name)
{
	if (moore_lldp_good_name(name))
		return CLI_OK;
	return cli_error("%s: \"%s\": cannot stand in paths and commands: rename the switch or host in the plan; "
			 "letters, digits and any of . _ : + - are fine, the first a letter or digit", plan, name);
}

void
cli_ether_drop_config(struct cli_ether *e)
{
	for (moore_swid s = 0; e->config && s < e->x->plan->n_switches; s++)
		moore_ether_config_fini(&e->config[s]);
	free(e->config);
	e->config = NULL;
}

void
cli_ether_free(struct cli_ether *e)
{
	cli_ether_drop_config(e);
	moore_fabric_free(e->racks);
	moore_ether_free(e->x);
	*e = (struct cli_ether){ NULL };
}

/* ---- reading --------------------------------------------------------------------------- */

static int
read_addresses(const char *path, struct moore_plan *plan, struct cli_ether *out)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc = cli_read(path, &text);

	if (rc != CLI_OK)
		moore_plan_free(plan);
	else if (moore_ether_read_addresses(&out->x, plan, text.data ? text.data : "", text.len,
					    &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	if (rc == CLI_OK && moore_ether_racks(&out->racks, out->x, MOORE_RACKS_JUDGED, &err) < 0)
		rc = cli_error_at(path, &err);
	return rc;
}

int
cli_ether_load(const char *dir, struct cli_ether *out)
{
	char *plan_path = cli_path_join(dir, CLI_ETHER_PLAN);
	char *path = cli_path_join(dir, CLI_ETHER_ADDRESSES);
	struct moore_plan *plan;
	int rc;

	*out = (struct cli_ether){ NULL };
	if (!path || !plan_path)
		rc = cli_error("out of memory");
	else if ((rc = cli_load_plan(plan_path, &plan)) == CLI_OK)
		rc = read_addresses(path, plan, out);
	free(plan_path);
	free(path);
	return rc;
}

static char *
switch_file(const char *dir, const struct cli_ether *e, moore_swid s, const char *file)
{
	char *at = cli_path_join(dir, e->x->plan->sw[s].name);
	char *path = at ? cli_path_join(at, file) : NULL;

	free(at);
	return path;
}

int
cli_ether_read_file(const char *dir, struct cli_ether *e, moore_swid s, const struct moore_ether_format *fmt)
{
	char *path = switch_file(dir, e, s, fmt->file);
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc = path ? cli_read(path, &text) : cli_error("out of memory");

	if (rc == CLI_OK && fmt->read(e->x, s, text.data ? text.data : "", text.len, &e->config[s],
				      &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	free(path);
	return rc;
}

bool
cli_ether_has_file(const char *dir, const struct cli_ether *e, moore_swid s,
		   const struct moore_ether_format *fmt)
{
	char *path = switch_file(dir, e, s, fmt->file);
	struct stat st;
	bool there = path && stat(path, &st) == 0;

	free(path);
	return there;
}

bool
cli_ether_has(const char *dir, const struct cli_ether *e, const char *format)
{
	const struct moore_ether_format *fmt;

	for (moore_swid s = 0; s < e->x->plan->n_switches; s++)
		for (size_t i = 0; (fmt = moore_ether_format_at(i)); i++)
			if (fmt->read && !strcmp(fmt->name, format) && cli_ether_has_file(dir, e, s, fmt))
				return true;
	return false;
}

/* The readers of a format: its own files, of the families that the network has, and beside routes
 * for Linux those of a format of classes (NULL: none). */
static bool
belongs(const struct cli_ether *e, const struct moore_ether_format *fmt, const char *format,
	const char *classes)
{
	bool has = false;

	for (unsigned ip = 0; ip < MOORE_N_IP; ip++)
		has = has || (fmt->families >> ip & 1 && e->x->opts.range[ip].is_set);
	return has && fmt->read &&
		(!strcmp(fmt->name, format) || (classes && !strcmp(fmt->name, classes)));
}

static int
read_whole(const char *dir, struct cli_ether *e, moore_swid s, const struct moore_ether_format *fmt)
{
	if (!cli_ether_has_file(dir, e, s, fmt))
		return cli_error("%s/%s/%s: is missing: add it, since the files of all switches are read "
				 "(ethernet emit --sample writes those of some)", dir,
				 e->x->plan->sw[s].name, fmt->file);
	return cli_ether_read_file(dir, e, s, fmt);
}

int
cli_ether_read(const char *dir, const char *format, struct cli_ether *e, bool *has_classes)
{
	const char *classes = !strcmp(format, "sonic") ? NULL : cli_ether_has(dir, e, "nft") ? "nft" :
		cli_ether_has(dir, e, "nft-list") ? "nft-list" : NULL;
	const struct moore_ether_format *fmt;
	uint32_t n = e->x->plan->n_switches;
	int rc = CLI_OK;

	cli_ether_drop_config(e);
	if (!(e->config = calloc(n + 1, sizeof(*e->config))))
		return cli_error("out of memory");
	cli_busy("reading");
	for (moore_swid s = 0; s < n && rc == CLI_OK; s++) {
		for (size_t i = 0; (fmt = moore_ether_format_at(i)) && rc == CLI_OK; i++)
			if (belongs(e, fmt, format, classes))
				rc = read_whole(dir, e, s, fmt);
		moore_ether_config_sort(&e->config[s]);
		cli_busy_share(NULL, (s + 1.0) / n);
	}
	*has_classes = rc == CLI_OK && n && e->config[0].by_dscp;
	return rc;
}

const char *
cli_ether_route_format(size_t i)
{
	static const char *const formats[] = { "ipbatch", "frr", "sonic", "running" };

	return i < ARRAY_LEN(formats) ? formats[i] : NULL;
}

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

/* ---- parts that fail ---------------------------------------------------------------------------- */

/* Cuts what `left` lacks; its switches are in the order of the racks. */
static void
cut_missing(struct moore_fabric *racks, const struct moore_fabric *left)
{
	moore_swid k = 0;

	for (moore_swid s = 0; s < racks->n_switches; s++) {
		bool there = k < left->n_switches && left->sw[k].guid == racks->sw[s].guid;

		for (unsigned p = 1; p <= racks->sw[s].n_ports; p++) {
			uint8_t role = moore_fabric_port(racks, s, (moore_portnum)p)->role;

			if (role != MOORE_ROLE_NONE &&
			    (!there ? role == MOORE_ROLE_SWITCH :
			     moore_fabric_port(left, k, (moore_portnum)p)->role == MOORE_ROLE_NONE))
				moore_fabric_cut(racks, s, (moore_portnum)p);
		}
		k += there;
	}
}

/* Whether --fail names an endpoint of the plan, or the port of a switch that it is connected to. */
static bool
names_host(const struct moore_plan *plan, const struct moore_plan_endpoint *ep, const char *what)
{
	const char *sw = plan->sw[ep->sw].name;
	size_t n = strlen(sw);
	uint64_t port;

	if (!strcmp(what, ep->name))
		return true;
	if (strncmp(what, sw, n) != 0 || what[n] != ':')
		return false;
	what += n + 1;
	return moore_text_u64(&what, what + strlen(what), 10, UINT16_MAX, &port) && !*what && port == ep->port;
}

/* The racks have no hosts, only the prefixes of their switches. */
static int
refuse_hosts(const struct cli_call *c, const struct moore_plan *plan)
{
	for (size_t i = 0; i < c->n_given; i++)
		for (moore_epid e = 0; !strcmp(c->given[i].opt->name, "fail") && e < plan->n_endpoints; e++)
			if (names_host(plan, &plan->ep[e], c->given[i].value))
				return cli_misuse(c, "--fail %s: host %s has no other way to its switch: routes change only "
						  "where a switch or a link between switches fails", c->given[i].value,
						  plan->ep[e].name);
	return CLI_OK;
}

int
cli_ether_fail_parts(const struct cli_call *c, struct cli_ether *e)
{
	struct moore_fabric *left;
	struct moore_err err;
	int rc;

	if (!cli_has(c, "fail"))
		return CLI_OK;
	if ((rc = refuse_hosts(c, e->x->plan)) != CLI_OK)
		return rc;
	if (moore_fabric_copy(&left, e->racks, &err) < 0)
		return cli_error("%s", err.text);
	if ((rc = cli_fail_parts(c, &left)) == CLI_OK)
		cut_missing(e->racks, left);
	moore_fabric_free(left);
	return rc;
}
