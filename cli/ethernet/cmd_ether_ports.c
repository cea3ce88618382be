// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_ports.c - `moorectl ethernet ports`: each port of a switch with its planned and its
 * actual neighbour, in the columns of ptmctl. */
#include <string.h>

#include "ethernet/lldp.h"

static const struct cli_col columns[] = {
	{ "switch", CLI_CUT }, { "port", CLI_LEFT }, { "cbl status", CLI_LEFT }, { "exp nbr", CLI_CUT },
	{ "act nbr", CLI_CUT }, { 0 }
};

static void
put_ports(struct moore_buf *b, const json_t *answer)
{
	struct cli_grid g = CLI_GRID(columns);
	const json_t *p, *actual;
	size_t i, k;

	json_array_foreach(json_object_get(answer, "ports"), i, p) {
		struct moore_buf list = MOORE_BUF_INIT;
		const char *status = cli_str(p, "status");

		json_array_foreach(json_object_get(p, "actual"), k, actual)
			moore_buf_fmt(&list, "%s%s", k ? "," : "", json_string_value(actual));
		cli_cell(&g, "%s", cli_str(p, "switch"));
		cli_cell(&g, "%s", cli_str(p, "port"));
		cli_cell(&g, "%s%s%s", !strcmp(status, "fail") ? CLI_RED : "", status,
			 !strcmp(status, "fail") ? CLI_PLAIN : "");
		cli_cell(&g, "%s", *cli_str(p, "expected") ? cli_str(p, "expected") : "N/A");
		cli_cell(&g, "%s", list.data ? list.data : "no-info");
		moore_buf_free(&list);
	}
	cli_put_grid(b, &g);
	cli_putf(b, "\n%lld pass, %lld fail, %lld not planned\n", cli_int(answer, "pass"),
		 cli_int(answer, "fail"), cli_int(answer, "not_planned"));
}

/* Keeps the switch of that name alone. */
static int
keep(struct cli_lldp *x, const char *name)
{
	for (uint32_t i = 0; i < x->n; i++)
		if (!strcmp(x->sw[i]->name, name) || !strcmp(x->sw[i]->asked, name)) {
			struct moore_lldp_switch *s = x->sw[i];

			x->sw[i] = x->sw[0];
			x->sw[0] = s;
			while (x->n > 1)
				moore_lldp_free(x->sw[--x->n]);
			return CLI_OK;
		}
	return cli_error("%s: no switch of that name reports", name);
}

int
cmd_ether_ports(const struct cli_call *c)
{
	struct moore_lldp_cables cables = { NULL };
	struct moore_plan *plan = NULL;
	struct cli_lldp x = { NULL };
	struct moore_err err;
	int rc;

	if ((rc = cli_load_plan(c->arg[0], &plan)) == CLI_OK &&
	    (rc = cli_lldp_read_dir(c->arg[1], &x)) == CLI_OK &&
	    (c->n_args < 3 || (rc = keep(&x, c->arg[2])) == CLI_OK)) {
		if (moore_lldp_compare(&cables, x.sw, x.n, plan, &err) < 0)
			rc = cli_error("%s", err.text);
		else
			rc = cli_show(c, moore_answer_ports(&cables), put_ports, cli_not_ok);
	}
	moore_lldp_cables_fini(&cables);
	cli_lldp_free(&x);
	moore_plan_free(plan);
	return rc;
}
