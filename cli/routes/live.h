/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* live.h - the tables in force, from moored. */
#ifndef MOORE_CLI_LIVE_H
#define MOORE_CLI_LIVE_H

#include "online.h"

/* Asks moored for the tables that the switches hold; *at becomes when it scanned the fabric, in
 * seconds since 1970.  off_line is what to do without moored, for the message.  The caller calls
 * cli_tables_free() after CLI_OK. */
int cli_load_live(const struct cli_call *c, const char *off_line, struct cli_tables *out, uint64_t *at);

#endif
