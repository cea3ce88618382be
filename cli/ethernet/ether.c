// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether.c - a directory of the configurations of Ethernet switches, read back; and which of its
 * parts fail. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ethernet/ether.h"
#include "moore/lldp.h"

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
