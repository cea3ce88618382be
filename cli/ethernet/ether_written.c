// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* ether_written.c - the files of a directory that hold neither routes nor classes: those of the hosts, and
 * what a switch loads besides.  They are compared with what is written for the network. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ethernet/ether.h"

const struct cli_ether_host_file cli_ether_host_files[] = {
	{ "setup.ipbatch", moore_ether_write_host_setup }, { "env", moore_ether_write_host_env }, { NULL, NULL },
};

void
cli_ether_host_name(char out[CLI_ETHER_FILE_MAX], const struct moore_ether *x, moore_epid e,
		    const struct cli_ether_host_file *file)
{
	const unsigned port = x->plan->ep[e].ca_port;

	if (port > 1)
		snprintf(out, CLI_ETHER_FILE_MAX, "eth%u-%s", port - 1, file->name);
	else
		snprintf(out, CLI_ETHER_FILE_MAX, "%s", file->name);
}

/* A file of a directory, and what should stand in it. */
struct written {
	struct moore_ether_fault at;
	struct moore_buf want, text;
	bool is_there;
};

static struct moore_ether_file
file_of(const struct written *w)
{
	return (struct moore_ether_file){ &w->at, &w->want, w->text.data ? w->text.data : "", w->text.len };
}

static void
written_fini(struct written *w)
{
	moore_buf_free(&w->want);
	moore_buf_free(&w->text);
}

/* Reads the file w->at.file of directory dir/name, and compares it with the lines that it should have. */
static int
check_file(const char *dir, const char *name, const struct moore_ether *x, struct written *w,
	   struct moore_ether_faults *faults)
{
	char *in = cli_path_join(dir, name), *path = in ? cli_path_join(in, w->at.file) : NULL;
	struct moore_ether_file file;
	struct moore_err err;
	struct stat st;
	int rc = CLI_OK;

	w->is_there = path && stat(path, &st) == 0;
	if (!path)
		rc = cli_error("out of memory");
	else if (!w->is_there)
		moore_ether_add_fault(faults, &w->at);
	else if ((rc = cli_read(path, &w->text)) == CLI_OK && (file = file_of(w), true) &&
		 moore_ether_check_lines(faults, x, &file, &err) < 0)
		rc = cli_error_at(path, &err);
	free(path);
	free(in);
	return rc;
}

/* Whether a file undoes what one sets that is loaded before it. */
static int
check_later(const struct written *before, const struct written *w, struct moore_ether_faults *faults)
{
	const struct moore_ether_file first = file_of(before), then = file_of(w);
	struct moore_err err;

	if (before->is_there && w->is_there && moore_ether_check_later(faults, &first, &then, &err) < 0)
		return cli_error("%s", err.text);
	return CLI_OK;
}

/* ---- hosts --------------------------------------------------------------------------------- */

static int
check_host_file(const char *dir, const struct moore_ether *x, moore_epid e, const struct cli_ether_host_file *h,
		struct written *w, struct moore_ether_faults *faults)
{
	struct moore_err err;

	w->at = (struct moore_ether_fault){ .kind = MOORE_ETHER_INCOMPLETE, .sw = x->plan->ep[e].sw, .host = e };
	cli_ether_host_name(w->at.file, x, e, h);
	if (h->write(x, e, &w->want, &err) < 0)
		return cli_error("%s", err.text);
	return check_file(dir, x->plan->ep[e].name, x, w, faults);
}

/* The files of that kind of the n ports of one host, in the order in which they are loaded. */
static int
check_ports(const char *dir, const struct moore_ether *x, const moore_epid *port, size_t n,
	    const struct cli_ether_host_file *h, struct moore_ether_faults *faults)
{
	struct written *w = calloc(n, sizeof(*w));
	int rc = w ? CLI_OK : cli_error("out of memory");

	for (size_t i = 0; i < n && rc == CLI_OK; i++) {
		rc = check_host_file(dir, x, port[i], h, &w[i], faults);
		for (size_t k = 0; k < i && rc == CLI_OK; k++)
			rc = check_later(&w[k], &w[i], faults);
	}
	for (size_t i = 0; w && i < n; i++)
		written_fini(&w[i]);
	free(w);
	return rc;
}

static int
by_name(const void *a, const void *b, void *arg)
{
	const struct moore_plan *p = arg;
	const struct moore_plan_endpoint *x = &p->ep[*(const moore_epid *)a], *y = &p->ep[*(const moore_epid *)b];
	int d = strcmp(x->name, y->name);

	return d ? d : (x->ca_port > y->ca_port) - (x->ca_port < y->ca_port);
}

static int
check_each_host(const char *dir, const struct moore_ether *x, struct moore_ether_faults *faults)
{
	const struct moore_plan *p = x->plan;
	moore_epid *port = malloc(((size_t)p->n_endpoints + 1) * sizeof(*port));
	int rc = port ? CLI_OK : cli_error("out of memory");

	for (moore_epid e = 0; port && e < p->n_endpoints; e++)
		port[e] = e;
	if (port)
		qsort_r(port, p->n_endpoints, sizeof(*port), by_name, x->plan);
	for (uint32_t i = 0, n; i < p->n_endpoints && rc == CLI_OK; i += n) {
		n = 1;
		while (i + n < p->n_endpoints && !strcmp(p->ep[port[i]].name, p->ep[port[i + n]].name))
			n++;
		for (const struct cli_ether_host_file *h = cli_ether_host_files; h->name && rc == CLI_OK; h++)
			rc = check_ports(dir, x, &port[i], n, h, faults);
	}
	free(port);
	return rc;
}

int
cli_ether_check_hosts(const char *dir, const struct cli_ether *e, struct moore_ether_faults *faults)
{
	char *at = cli_path_join(dir, CLI_ETHER_HOSTS);
	struct stat st;
	/* What switches run, collected in a directory, comes without hosts. */
	bool has_hosts = at && stat(at, &st) == 0;
	int rc = at ? CLI_OK : cli_error("out of memory");

	if (rc == CLI_OK && has_hosts)
		rc = check_each_host(at, e->x, faults);
	free(at);
	return rc;
}

/* ---- switches ------------------------------------------------------------------------------ */

static int
check_switch(const char *dir, const char *format, const struct moore_ether *x, moore_swid s,
	     struct moore_ether_faults *faults)
{
	/* Without routes, so that settings which only spread packets among several next hops are not required. */
	const struct moore_ether_config none = { .n_routes = 0 };
	struct written before = { .is_there = false };
	const struct moore_ether_format *fmt;
	struct moore_err err;
	int rc = CLI_OK;

	for (size_t i = 0; (fmt = moore_ether_format_at(i)) && rc == CLI_OK; i++) {
		struct written w = { .at = { .kind = MOORE_ETHER_INCOMPLETE, .sw = s, .host = MOORE_NONE } };

		if (fmt->read || strcmp(fmt->name, format) != 0)
			continue;
		snprintf(w.at.file, sizeof(w.at.file), "%s", fmt->file);
		if (fmt->write(x, s, &none, &w.want, &err) < 0)
			rc = cli_error("%s", err.text);
		else if ((rc = check_file(dir, x->plan->sw[s].name, x, &w, faults)) == CLI_OK)
			rc = check_later(&before, &w, faults);
		written_fini(&before);
		before = w;
	}
	written_fini(&before);
	return rc;
}

int
cli_ether_check_switches(const char *dir, const char *format, const struct cli_ether *e,
			 struct moore_ether_faults *faults)
{
	int rc = CLI_OK;

	for (moore_swid s = 0; s < e->x->plan->n_switches && rc == CLI_OK; s++)
		rc = check_switch(dir, format, e->x, s, faults);
	return rc;
}
