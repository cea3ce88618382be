// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_discover.c - `moorectl ethernet discover`: the fabric that switches report by LLDP,
 * written as a plan, and where their reports disagree. */
#include <string.h>

#include "ethernet/lldp.h"

#define TIMEOUT_S 10		/* unless --timeout is given */

static void
put_discovery(struct moore_buf *b, const json_t *answer)
{
	const json_t *findings = json_object_get(answer, "findings"), *x;
	long long n = 0;
	size_t i;

	json_array_foreach(findings, i, x) {
		bool is_note = cli_yes(x, "note");

		n += !is_note;
		cli_putf(b, "%s%-12s" CLI_PLAIN " %s\n", is_note ? CLI_YELLOW : CLI_RED, cli_str(x, "kind"),
			 cli_str(x, "text"));
	}
	cli_putf(b, "%s%lld of %lld switches answered: %lld switches, %lld hosts, %lld cables: ",
		 i ? "\n" : "", cli_int(answer, "answered"), cli_int(answer, "asked"),
		 cli_int(answer, "switches"), cli_int(answer, "hosts"), cli_int(answer, "cables"));
	if (!n)
		cli_putf(b, CLI_GREEN "both ends of every cable agree" CLI_PLAIN "\n");
	else
		cli_putf(b, CLI_RED "%lld finding%s" CLI_PLAIN "\n", n, MOORE_S(n));
}

/* Gets what the switches report: from DIR, or by --command. */
static int
hear(const struct cli_call *c, const struct moore_plan *plan, struct cli_lldp *x)
{
	struct cli_lldp_question q = { cli_opt(c, "command"), plan, cli_opt(c, "from"), TIMEOUT_S };
	uint64_t timeout = TIMEOUT_S;
	int rc = cli_opt_u64(c, "timeout", 1, 3600, &timeout);

	q.timeout_s = (unsigned)timeout;
	if (rc != CLI_OK)
		return rc;
	if (!q.command == !c->n_args)
		return cli_misuse(c, "give either DIR or --command");
	if (c->n_args && (q.from || cli_has(c, "timeout")))
		return cli_misuse(c, "--from and --timeout go with --command: leave them out");
	if (c->n_args) {
		cli_busy("reading");
		return cli_lldp_read_dir(c->arg[0], x);
	}
	if (!strstr(q.command, "{switch}") || !strstr(q.command, "{what}"))
		return cli_misuse(c, "--command must hold {switch} and {what}");
	if (!q.from && !plan)
		return cli_misuse(c, "--command needs --plan, whose switches are asked, or --from");
	return cli_lldp_ask(&q, x);
}

/* If no switch answered, the first reason. */
static int
refuse_silence(const struct cli_lldp *x)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (!x->sw[i]->silent)
			return CLI_OK;
	return cli_error("no switch answered: %s: %s", x->sw[0]->asked, x->sw[0]->silent);
}

static int
deliver(const struct cli_call *c, const struct moore_lldp_fabric *f, uint32_t n_asked)
{
	const char *to = cli_opt(c, "output");
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc = CLI_OK;

	if (to && moore_plan_write(f->plan, &text, &err) < 0)
		rc = cli_error("%s", err.text);
	else if (to)
		rc = cli_write(to, &text);
	moore_buf_free(&text);
	if (rc != CLI_OK)
		return rc;
	if (to && !strcmp(to, "-"))
		return f->n_findings == f->n_notes ? CLI_OK : CLI_FOUND;
	return cli_show(c, moore_answer_discovery(f, n_asked), put_discovery, cli_not_ok);
}

int
cmd_ether_discover(const struct cli_call *c)
{
	struct moore_lldp_fabric *f = NULL;
	struct moore_plan *plan = NULL;
	struct cli_lldp x = { NULL };
	struct moore_err err;
	int rc = CLI_OK;

	if (cli_opt(c, "plan"))
		rc = cli_load_plan(cli_opt(c, "plan"), &plan);
	if (rc == CLI_OK && (rc = hear(c, plan, &x)) == CLI_OK && (rc = refuse_silence(&x)) == CLI_OK) {
		rc = moore_lldp_join(&f, x.sw, x.n, plan, &err) < 0 ? cli_error("%s", err.text) : CLI_OK;
		cli_idle();
		if (rc == CLI_OK)
			rc = deliver(c, f, x.n);
	}
	moore_lldp_fabric_free(f);
	cli_lldp_free(&x);
	moore_plan_free(plan);
	return rc;
}
