/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire.h - what `check` and `repair` share: who is compared, and places in the
 * words of the floor. */
#ifndef MOORE_CLI_WIRE_H
#define MOORE_CLI_WIRE_H

#include "cli.h"

struct cli_wire {
	struct moore_plan *plan;
	struct moore_seen *seen;
	struct moore_wire *w;
};
/* Read the two arguments and compare them.  End with _free whatever is returned. */
int cli_wire_load(const struct cli_call *c, struct cli_wire *out);
void cli_wire_free(struct cli_wire *x);

bool cli_wire_nowhere(struct moore_wire_jack j);
/* "S3[7]", "h12", and with the place "S3[7] (cabinet A2, unit 5)". */
void cli_put_jack(struct moore_buf *b, const struct moore_wire *w, struct moore_wire_jack j,
		  bool place);
/* Null when it is nowhere; else switch or endpoint, port, cabinet and unit. */
json_t *cli_json_jack(const struct moore_wire *w, struct moore_wire_jack j);
/* NULL when it has none. */
const char *cli_cabinet_of(const struct moore_wire *w, struct moore_wire_jack j);

#endif
