/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire.h - what `check`, `repair` and `watch` share: reading what they compare. */
#ifndef MOORE_CLI_WIRE_H
#define MOORE_CLI_WIRE_H

#include "online.h"

struct cli_wire {
	struct moore_plan *plan;
	struct moore_seen *seen;
	struct moore_wire *w;
	const char *fabric;	/* what messages call it */
	long long sweep, at_ms;	/* of moored's answer; 0 of files */
};
/* Read the arguments PLAN and FABRIC and compare them; what is not named is asked of moored.
 * End with _free whatever is returned. */
int cli_wire_load(const struct cli_call *c, struct cli_wire *out);
/* Both from moored. */
int cli_wire_ask(const struct cli_call *c, struct cli_client *cl, struct cli_wire *out);
void cli_wire_free(struct cli_wire *x);

/* One deviation, as `check` prints it. */
void cli_put_deviation(struct moore_buf *b, const json_t *deviation);

#endif
