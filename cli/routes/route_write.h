/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* route_write.h - computed routes as files. */
#ifndef MOORE_CLI_ROUTE_WRITE_H
#define MOORE_CLI_ROUTE_WRITE_H

#include "cli.h"

struct cli_written {
	size_t files;
	double bytes;
};
/* Writes the tables to dir, which is made if it is not there, and, unless way has none, the steps to
 * them below it.  Files that an earlier run left are removed.  Returns CLI_OK or CLI_FAIL. */
int cli_write_routing(const char *dir, const struct cli_routing *r, const struct cli_table_steps *way,
		      struct cli_written *w);

#endif
