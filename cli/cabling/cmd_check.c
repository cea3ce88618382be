// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_check.c - `moorectl check`: whether the fabric is cabled as planned, and if not, what
 * is where. */
#include "cabling/wire.h"

void
cli_put_deviation(struct moore_buf *b, const json_t *d)
{
	const long long since = cli_int(d, "since");

	cli_putf(b, CLI_RED "%-16s" CLI_PLAIN " %s", cli_str(d, "verdict"), cli_str(d, "text"));
	if (since / 1000) {
		cli_putf(b, "; since ");
		cli_put_when(b, "%F %T", since);
	}
	cli_putf(b, "\n");
}

static void
put_check(struct moore_buf *b, const json_t *answer)
{
	const json_t *cabinets = json_object_get(answer, "cabinets"), *x;
	const json_t *deviations = json_object_get(answer, "deviations");
	const long long by_cables = cli_int(json_object_get(answer, "bound"), "structure");
	size_t n = json_array_size(deviations), i;

	json_array_foreach(deviations, i, x)
		cli_put_deviation(b, x);
	if (json_array_size(cabinets))
		cli_putf(b, "\n");
	json_array_foreach(cabinets, i, x)
		cli_putf(b, "cabinet %-20s %lld\n", cli_str(x, "cabinet"), cli_int(x, "deviations"));
	cli_putf(b, "%s", n ? "\n" : "");
	cli_put_size(b, answer);
	cli_putf(b, ": ");
	if (!n)
		cli_putf(b, CLI_GREEN "cabled as planned" CLI_PLAIN "\n");
	else
		cli_putf(b, CLI_RED "%zu deviation%s" CLI_PLAIN "\n", n, MOORE_S(n));
	if (by_cables)
		cli_putf(b, "%lld switch%s identified by %s cables alone\n", by_cables,
			 by_cables == 1 ? " was" : "es were", by_cables == 1 ? "its" : "their");
}

int
cmd_check(const struct cli_call *c)
{
	static const struct cli_online how = { "wiring.check", put_check, cli_not_ok,
		"name PLAN and FABRIC" };
	struct cli_wire x;
	int rc;

	/* Only moored's own verdict knows since when a deviation stands. */
	if (!c->n_args)
		return cli_online(c, &how, NULL);
	if ((rc = cli_wire_load(c, &x)) == CLI_OK)
		rc = cli_show(c, moore_answer_check(x.w), put_check, cli_not_ok);
	cli_wire_free(&x);
	return rc;
}
