// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_grow.c - `moorectl plan grow`: the part of a fabric to build first, or next. */
#include "cli.h"

int
cmd_plan_grow(const struct cli_call *c)
{
	const char *built = cli_opt(c, "from");
	struct moore_buf json = MOORE_BUF_INIT;
	struct moore_plan *whole = NULL, *stage = NULL, *p = NULL;
	uint64_t switches, endpoints = UINT32_MAX;
	struct moore_err err;
	int rc;

	if (!built && !cli_has(c, "switches"))
		return cli_misuse(c, "--switches N is missing: say how many to build, or with --from STAGE, "
				  "what is built already");
	cli_busy("growing");
	if ((rc = cli_load_plan(c->arg[0], &whole)) != CLI_OK ||
	    (built && (rc = cli_load_plan(built, &stage)) != CLI_OK))
		goto out;
	switches = stage ? stage->n_switches : 0;
	if ((rc = cli_opt_u64(c, "switches", 1, UINT32_MAX, &switches)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "endpoints", 0, UINT32_MAX, &endpoints)) != CLI_OK)
		goto out;
	if (moore_plan_grow(&p, whole, stage, (uint32_t)switches, (uint32_t)endpoints, cli_busy_share, NULL,
			    &err) < 0)
		rc = cli_error_at(err.code == MOORE_EPLAN ? built : c->arg[0], &err);
	else if (moore_plan_write(p, &json, &err) < 0)
		rc = cli_error("%s", err.text);
	else
		rc = cli_deliver(c, cli_opt(c, "output"), p, &json);
out:
	moore_buf_free(&json);
	moore_plan_free(p);
	moore_plan_free(stage);
	moore_plan_free(whole);
	return rc;
}
