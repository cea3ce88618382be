/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire.h - reads the plan and the fabric that `check`, `repair` and `watch` compare. */
#ifndef MOORE_CLI_WIRE_H
#define MOORE_CLI_WIRE_H

#include "online.h"

struct cli_wire {
	struct moore_plan *plan;
	struct moore_seen *seen;
	struct moore_wire *w;
	const char *fabric;	/* the name of the fabric in messages */
	long long sweep, at_ms;	/* scan and time of moored's answer; 0 for files */
};
/* Reads the cables of a file (ibnetdiscover's, opensm-subnet.lst, a plan), a directory of dumps
 * or a capture. */
int cli_load_seen(const char *path, struct moore_seen **out);
int cli_ask_seen(const struct cli_call *c, struct moore_seen **out);	/* the same from moored */
/* Reads the arguments PLAN and FABRIC and compares them; moored provides those that are not
 * named. The caller calls cli_wire_free() whatever is returned. */
int cli_wire_load(const struct cli_call *c, struct cli_wire *out);
/* Does the same, with both from moored. */
int cli_wire_ask(const struct cli_call *c, struct cli_client *cl, struct cli_wire *out);
void cli_wire_free(struct cli_wire *x);

/* Appends one deviation as `check` prints it. */
void cli_put_deviation(struct moore_buf *b, const json_t *deviation);

#endif
