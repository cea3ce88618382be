// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_emit.c - `moorectl ethernet emit`: the addresses of a plan, the routes and classes
 * of its switches, and the settings of its hosts, in a directory.
 *
 * The files are written into a new directory, read back from there and judged; if they are sound, the
 * directory takes the name that was asked for.  Otherwise what was there stays, and the exit code is 1. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ethernet/ether.h"
#include "ethernet/ether_target.h"

/* ---- the options -------------------------------------------------------------------------- */

static int
read_range(const struct cli_call *c, const char *opt, enum moore_ip ip, struct moore_addr *out)
{
	const char *text = cli_opt(c, opt);
	struct moore_err err;

	if (!text)
		return CLI_OK;
	if (moore_addr_parse(out, text, strlen(text), &err) < 0)
		return cli_misuse(c, "--%s: %s", opt, err.text);
	if (out->ip != ip)
		return cli_misuse(c, "--%s %s: that is an address of the other family", opt, text);
	return CLI_OK;
}

/* Reads "26,34": one number or two. */
static int
read_pair(const struct cli_call *c, const char *opt, uint64_t max, uint8_t out[2], uint8_t *n)
{
	const char *at = cli_opt(c, opt), *end = at ? at + strlen(at) : NULL;
	bool more = at;
	uint64_t v[2];

	if (!at)
		return CLI_OK;
	for (*n = 0; more && *n < 2 && moore_text_u64(&at, end, 10, max, &v[*n]); (*n)++) {
		out[*n] = (uint8_t)v[*n];
		more = *at == ',';
		at += more;
	}
	if (more || at != end || (*n == 2 && v[0] == v[1]))
		return cli_misuse(c, "--%s %s: one number or two different ones, such as 3 or 3,4, up to "
				  "%llu; no proof needs more", opt, cli_opt(c, opt), (unsigned long long)max);
	return CLI_OK;
}

static int
read_classes(const struct cli_call *c, struct moore_ether_opts *o)
{
	uint8_t marks = o->n_classes;
	int rc = read_pair(c, "priorities", 7, o->priority, &o->n_classes);

	if (rc == CLI_OK && (rc = read_pair(c, "dscp", 63, o->dscp, &marks)) != CLI_OK)
		return rc;
	if (rc == CLI_OK && (cli_opt(c, "dscp") ? marks != o->n_classes : marks < o->n_classes))
		rc = cli_misuse(c, "--dscp %s: %u lossless %s as many marks", cli_opt(c, "dscp"), o->n_classes,
				o->n_classes > 1 ? "priorities need" : "priority needs");
	return rc;
}

static int
read_opts(const struct cli_call *c, struct moore_ether_opts *o)
{
	const char *hop = cli_opt(c, "next-hop");
	uint64_t layers, mtu;
	int rc;

	moore_ether_defaults(o);
	layers = o->n_layers;
	mtu = o->mtu;
	if ((rc = cli_opt_u64(c, "layers", 1, MOORE_ETHER_LAYERS_MAX, &layers)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "mtu", 1280, 65535, &mtu)) != CLI_OK ||
	    (rc = read_range(c, "ipv4", MOORE_IP4, &o->range[MOORE_IP4])) != CLI_OK ||
	    (rc = read_range(c, "ipv6", MOORE_IP6, &o->range[MOORE_IP6])) != CLI_OK ||
	    (rc = read_range(c, "links-ipv4", MOORE_IP4, &o->links[MOORE_IP4])) != CLI_OK ||
	    (rc = read_range(c, "links-ipv6", MOORE_IP6, &o->links[MOORE_IP6])) != CLI_OK ||
	    (rc = read_classes(c, o)) != CLI_OK)
		return rc;
	if (hop && strcmp(hop, "onlink") != 0 && strcmp(hop, "inet6") != 0)
		return cli_misuse(c, "--next-hop %s: it is onlink or inet6", hop);
	o->next_hop_inet6 = hop && !strcmp(hop, "inet6");
	o->n_layers = (uint32_t)layers;
	o->mtu = (uint32_t)mtu;
	return CLI_OK;
}

/* Says whether --format, a list of names, has one; by default ipbatch and nft. */
static bool
asks_format(const struct cli_call *c, const char *name)
{
	const char *list = cli_opt(c, "format"), *at = list ? list : "ipbatch,nft";
	size_t n = strlen(name);

	for (; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, n) && (!at[n] || at[n] == ','))
			return true;
	return false;
}

static int
check_formats(const struct cli_call *c)
{
	const char *at = cli_opt(c, "format");

	while (at) {
		const struct moore_ether_format *fmt;
		size_t n = strcspn(at, ","), i = 0;

		while ((fmt = moore_ether_format_at(i)) && (!fmt->write || strlen(fmt->name) != n ||
							    strncmp(at, fmt->name, n) != 0))
			i++;
		if (!fmt)
			return cli_misuse(c, "--format: %.*s is no format: see --help", (int)n, at);
		at = at[n] ? at + n + 1 : NULL;
	}
	if (!asks_format(c, "ipbatch") && asks_format(c, "frr"))
		return cli_misuse(c, "--format: frr.conf holds routes alone: add ipbatch, which has the addresses, "
				  "neighbours and settings that they rest on");
	if (!asks_format(c, "ipbatch") && !asks_format(c, "sonic"))
		return cli_misuse(c, "--format: nft holds no routes: add ipbatch");
	return CLI_OK;
}

/* ---- the files ---------------------------------------------------------------------------------- */

static int
make_dir(const char *path)
{
	return mkdir(path, 0755) < 0 ? cli_ether_cannot("make", path) : CLI_OK;
}

static int
put_file(const char *dir, const char *name, struct moore_buf *b)
{
	char *path = cli_path_join(dir, name);
	FILE *f = path ? fopen(path, "wx") : NULL;
	int rc = CLI_OK;

	if (!path || b->oom)
		rc = cli_error("out of memory");
	else if (!f)
		rc = cli_ether_cannot("make", path);
	else if ((b->len && fwrite(b->data, 1, b->len, f) != b->len) | fclose(f))
		rc = cli_ether_cannot("write", path);
	moore_buf_free(b);
	free(path);
	return rc;
}

static int
emit_switch(const struct cli_call *c, const char *dir, struct cli_ether *e,
	    const struct cli_ether_made *m, moore_swid s)
{
	const char *name = e->x->plan->sw[s].name;
	const struct moore_ether_format *fmt;
	struct moore_ether_config config = { 0 };
	struct moore_err err;
	char *at;
	int rc;

	if (e->config) {
		config = e->config[s];		/* ours from here */
		e->config[s] = (struct moore_ether_config){ 0 };
	} else if (moore_ether_config(&config, e->x, e->racks, cli_ether_row(m, s), s, &err) < 0) {
		return cli_error("%s", err.text);
	}
	if (!(at = cli_path_join(dir, name)))
		rc = cli_error("out of memory");
	else
		rc = make_dir(at);
	for (size_t i = 0; rc == CLI_OK && (fmt = moore_ether_format_at(i)); i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		if (!fmt->write || !asks_format(c, fmt->name))
			continue;
		if (fmt->write(e->x, s, &config, &b, &err) < 0) {
			moore_buf_free(&b);
			rc = cli_error("%s: %s: %s", name, fmt->file, err.text);
		} else {
			rc = put_file(at, fmt->file, &b);
		}
	}
	free(at);
	moore_ether_config_fini(&config);
	return rc;
}

static int
emit_host(const char *dir, const struct moore_ether *x, moore_epid e)
{
	char *at = cli_path_join(dir, x->plan->ep[e].name);
	struct moore_err err;
	struct stat st;
	int rc = at ? CLI_OK : cli_error("out of memory");

	/* A host with several ports has one directory. */
	if (rc == CLI_OK && stat(at, &st) != 0)
		rc = make_dir(at);
	for (const struct cli_ether_host_file *h = cli_ether_host_files; rc == CLI_OK && h->name; h++) {
		struct moore_buf b = MOORE_BUF_INIT;
		char name[CLI_ETHER_FILE_MAX];

		cli_ether_host_name(name, x, e, h);
		if (h->write(x, e, &b, &err) < 0) {
			moore_buf_free(&b);
			rc = cli_error("%s", err.text);
		} else {
			rc = put_file(at, name, &b);
		}
	}
	free(at);
	return rc;
}

static int
emit_hosts(const char *dir, const struct moore_ether *x, const uint8_t *drawn)
{
	char *at = cli_path_join(dir, CLI_ETHER_HOSTS);
	int rc = at ? make_dir(at) : cli_error("out of memory");

	for (moore_epid e = 0; e < x->plan->n_endpoints && rc == CLI_OK; e++)
		if (drawn[x->plan->ep[e].sw])
			rc = emit_host(at, x, e);
	free(at);
	return rc;
}

/* The plan without the cables that are cut in the racks: what the routes rest on. */
static int
write_plan(const struct cli_ether *e, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan left = *e->x->plan;
	int rc;

	if (!(left.cable = malloc((left.n_cables + 1) * sizeof(*left.cable))))
		return moore_fail_nomem(err);
	left.n_cables = 0;
	for (uint32_t i = 0; i < e->x->plan->n_cables; i++) {
		const struct moore_plan_cable *k = &e->x->plan->cable[i];

		if (moore_fabric_port(e->racks, k->sw[0], k->port[0])->role == MOORE_ROLE_SWITCH)
			left.cable[left.n_cables++] = *k;
	}
	rc = moore_plan_write(&left, out, err);
	free(left.cable);
	return rc;
}

static int
emit_network(const char *dir, const struct cli_ether *e)
{
	struct moore_buf plan = MOORE_BUF_INIT, addresses = MOORE_BUF_INIT;
	const struct moore_ether *x = e->x;
	struct moore_err err;
	int rc;

	if (write_plan(e, &plan, &err) < 0 ||
	    moore_ether_write_addresses(x, &addresses, &err) < 0) {
		moore_buf_free(&plan);
		moore_buf_free(&addresses);
		return cli_error("%s", err.text);
	}
	if ((rc = put_file(dir, CLI_ETHER_PLAN, &plan)) != CLI_OK) {
		moore_buf_free(&addresses);
		return rc;
	}
	return put_file(dir, CLI_ETHER_ADDRESSES, &addresses);
}

static int
emit(const struct cli_call *c, const char *dir, struct cli_ether *e, const struct cli_ether_made *m,
     const uint8_t *drawn)
{
	uint32_t n = e->x->plan->n_switches;
	int rc = emit_network(dir, e);

	cli_busy("writing");
	if (rc == CLI_OK)
		rc = emit_hosts(dir, e->x, drawn);
	for (moore_swid s = 0; s < n && rc == CLI_OK; s++) {
		if (drawn[s])
			rc = emit_switch(c, dir, e, m, s);
		cli_busy_share(NULL, (s + 1.0) / n);
	}
	return rc;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

/* Names become directories, and words of the user's commands. */
static int
check_name(const char *plan, const char *name)
{
	if (!strcmp(name, CLI_ETHER_HOSTS) || !strcmp(name, CLI_ETHER_PLAN) || !strcmp(name, CLI_ETHER_ADDRESSES))
		return cli_error("%s: \"%s\": a file beside the switches has this name: rename the switch or host "
				 "in the plan", plan, name);
	return cli_ether_check_name(plan, name);
}

static int
check_names(const char *path, const struct moore_plan *p)
{
	int rc = CLI_OK;

	for (moore_swid s = 0; s < p->n_switches && rc == CLI_OK; s++)
		rc = check_name(path, p->sw[s].name);
	for (moore_epid e = 0; e < p->n_endpoints && rc == CLI_OK; e++)
		rc = check_name(path, p->ep[e].name);
	return rc;
}

static int
make_network(const struct cli_call *c, struct cli_ether *e)
{
	struct moore_ether_opts o;
	struct moore_plan *plan;
	struct moore_err err;
	int rc;

	if ((rc = check_formats(c)) != CLI_OK || (rc = read_opts(c, &o)) != CLI_OK ||
	    (rc = cli_load_plan(c->arg[0], &plan)) != CLI_OK)
		return rc;
	if ((rc = check_names(c->arg[0], plan)) != CLI_OK) {
		moore_plan_free(plan);
		return rc;
	}
	if (moore_ether_number(&e->x, plan, &o, &err) < 0 ||
	    moore_ether_racks(&e->racks, e->x, MOORE_RACKS_ROUTED, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	if (moore_ether_in_parts(e->x) && !cli_has(c, "sample"))
		return cli_error("%s: the files of all %u switches would not fit on most disks: with --sample 200 the "
				 "tables of all are proven, and 200 switches get files", c->arg[0],
				 e->x->plan->n_switches);
	return cli_ether_fail_parts(c, e);
}

/* Routes, writes into dir, and judges what was written. */
static int
make_files(const struct cli_call *c, const char *dir, struct cli_ether *e, json_t **answer)
{
	uint32_t n = e->x->plan->n_switches, n_drawn = 0;
	struct cli_ether_made m = { NULL };
	uint8_t *drawn = calloc((size_t)n + 1, 1);
	uint64_t n_hops = 1;
	int rc = drawn ? cli_ether_draw(c, n, drawn, &n_drawn) : cli_error("out of memory");

	if (rc == CLI_OK && (rc = cli_opt_u64(c, "ecmp", 1, MOORE_PORT_MAX, &n_hops)) == CLI_OK &&
	    n_hops > 1 && n_drawn < n)
		rc = cli_misuse(c, "--ecmp and --sample: a sample is judged as one next hop for each prefix; "
				"leave one of them out");
	if (rc == CLI_OK && cli_has(c, "backup") && (n_hops > 1 || n_drawn < n))
		rc = cli_misuse(c, "--backup goes neither with --ecmp nor with --sample: leave one of them out");
	if (rc == CLI_OK && (rc = cli_ether_make(c, e, drawn, n_drawn, &m)) == CLI_OK &&
	    (n_hops > 1 || cli_has(c, "backup")))
		rc = cli_ether_widen(e, m.lft, (unsigned)n_hops);
	if (rc == CLI_OK)
		rc = emit(c, dir, e, &m, drawn);
	if (rc == CLI_OK && n_drawn < n)
		rc = cli_ether_judge_sample(dir, e, &m, drawn, answer);
	cli_ether_made_fini(&m);
	if (rc == CLI_OK && n_drawn == n)
		rc = cli_ether_judge(dir, answer);
	free(drawn);
	return rc;
}

/* Whether all routes were judged with classes that were read. */
static bool
has_classes(const json_t *answer)
{
	const json_t *t;
	size_t i;

	json_array_foreach(json_object_get(answer, "tables"), i, t)
		if (!cli_yes(t, "classes_read"))
			return false;
	return true;
}

int
cmd_ether_emit(const struct cli_call *c)
{
	const char *dir = cli_opt(c, "output");
	struct cli_ether e = { NULL };
	struct cli_ether_target t = { NULL };
	json_t *answer = NULL;
	int rc;

	if (!dir || !*dir || !strcmp(dir, "-"))
		return cli_misuse(c, "-o DIR is missing: the files of each switch go into a directory");
	if ((rc = make_network(c, &e)) == CLI_OK && (rc = cli_ether_target_open(&t, dir)) == CLI_OK)
		rc = make_files(c, t.tmp, &e, &answer);
	if (rc == CLI_OK && !cli_yes(answer, "ok"))
		rc = CLI_FOUND;
	rc = cli_ether_target_close(&t, rc);
	cli_ether_free(&e);
	if (rc == CLI_FOUND && !has_classes(answer))
		cli_error("%s: left as it was, since the routes need two lossless classes, and no file marks them: add nft "
			  "to --format, or choose one class with --priorities 3", dir);
	else if (rc == CLI_FOUND)
		cli_error("%s: left as it was, since the new files are not sound: this is a defect of moorectl, or "
			  "another program changed them", dir);
	if (rc != CLI_OK && rc != CLI_FOUND) {
		json_decref(answer);
		return rc;
	}
	return cli_show(c, answer, cli_ether_put_judged, cli_not_ok);
}
