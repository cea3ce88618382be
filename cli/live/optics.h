/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* optics.h - FEC, bit error rates and modules beside the links of an answer (--ibdiagnet DIR and
 * --mlxlink DIR). */
#ifndef MOORE_CLI_OPTICS_H
#define MOORE_CLI_OPTICS_H

#include "online.h"

/* Reads the files that are in each DIR; *out is empty without the options.  What mlxlink printed of
 * a port replaces what ibdiagnet has of it.  The caller ends it with moore_optics_free(), also on
 * failure.  CLI_FAIL: DIR has none, or one cannot be read. */
int cli_load_optics(const struct cli_call *c, struct moore_optics *out);
/* With one of the options, adds `optics` to each row that has `guid` and `port`, and with both_ends
 * `peer_optics` for `peer_guid` and `peer_port`; null where the files have nothing. */
void cli_join_optics(const struct cli_call *c, const struct moore_optics *t, json_t *rows,
		     bool both_ends);
/* Appends a line for each end that has them. */
void cli_put_optics(struct moore_buf *b, const json_t *rows);

#endif
