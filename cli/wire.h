/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire.h - what `check` and `repair` share: who is compared, and places in the
 * words of the floor. */
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

bool cli_wire_nowhere(struct moore_wire_jack j);
/* "S3[7]", "h12", and with the place "S3[7] (cabinet A2, unit 5)". */
void cli_put_jack(struct moore_buf *b, const struct moore_wire *w, struct moore_wire_jack j,
		  bool place);
/* Null when it is nowhere; else switch or endpoint, port, cabinet and unit. */
json_t *cli_json_jack(const struct moore_wire *w, struct moore_wire_jack j);
/* What `check` says of one. */
void cli_put_deviation(struct moore_buf *b, const struct moore_wire *w,
		       const struct moore_deviation *d);
json_t *cli_json_deviation(const struct moore_wire *w, const struct moore_deviation *d);
/* NULL when it has none. */
const char *cli_cabinet_of(const struct moore_wire *w, struct moore_wire_jack j);

#endif
