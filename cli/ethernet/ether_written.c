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

/* Compares a file, at->file of directory dir/name, with the lines that it should have, which it frees. */
static int
check_file(const char *dir, const char *name, const struct moore_ether_fault *at, struct moore_buf *want,
	   struct moore_ether_faults *faults)
{
	char *in = cli_path_join(dir, name), *path = in ? cli_path_join(in, at->file) : NULL;
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	struct stat st;
	int rc = CLI_OK;

	if (!path)
		rc = cli_error("out of memory");
	else if (stat(path, &st) != 0)
		moore_ether_add_fault(faults, at);
	else if ((rc = cli_read(path, &text)) == CLI_OK &&
		 moore_ether_check_lines(faults, at, want, text.data, text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(want);
	moore_buf_free(&text);
	free(path);
	free(in);
	return rc;
}

static int
check_host(const char *dir, const struct moore_ether *x, moore_epid e, struct moore_ether_faults *faults)
{
	struct moore_ether_fault at = { .kind = MOORE_ETHER_INCOMPLETE, .sw = x->plan->ep[e].sw, .host = e };
	struct moore_err err;
	int rc = CLI_OK;

	for (const struct cli_ether_host_file *h = cli_ether_host_files; h->name && rc == CLI_OK; h++) {
		struct moore_buf want = MOORE_BUF_INIT;

		cli_ether_host_name(at.file, x, e, h);
		if (h->write(x, e, &want, &err) < 0) {
			moore_buf_free(&want);
			return cli_error("%s", err.text);
		}
		rc = check_file(dir, x->plan->ep[e].name, &at, &want, faults);
	}
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

	for (moore_epid i = 0; rc == CLI_OK && has_hosts && i < e->x->plan->n_endpoints; i++)
		rc = check_host(at, e->x, i, faults);
	free(at);
	return rc;
}

int
cli_ether_check_switches(const char *dir, const char *format, const struct cli_ether *e,
			 struct moore_ether_faults *faults)
{
	/* Without routes, so that settings which only spread packets among several next hops are not required. */
	const struct moore_ether_config none = { .n_routes = 0 };
	const struct moore_ether_format *fmt;
	struct moore_err err;
	int rc = CLI_OK;

	for (moore_swid s = 0; s < e->x->plan->n_switches && rc == CLI_OK; s++)
		for (size_t i = 0; (fmt = moore_ether_format_at(i)) && rc == CLI_OK; i++) {
			struct moore_ether_fault at = { .kind = MOORE_ETHER_INCOMPLETE, .sw = s, .host = MOORE_NONE };
			struct moore_buf want = MOORE_BUF_INIT;

			if (fmt->read || strcmp(fmt->name, format) != 0)
				continue;
			snprintf(at.file, sizeof(at.file), "%s", fmt->file);
			if (fmt->write(e->x, s, &none, &want, &err) < 0) {
				moore_buf_free(&want);
				return cli_error("%s", err.text);
			}
			rc = check_file(dir, e->x->plan->sw[s].name, &at, &want, faults);
		}
	return rc;
}
