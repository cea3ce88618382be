// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_route.c - `moorectl route`: what the plugin would compute in OpenSM, from a plan, with
 * failures; as the dumps that OpenSM would leave, and in steps from the tables in force. */
#include <string.h>

#include "online.h"
#include "routes/route_write.h"

/* ---- the steps from OLD_DIR ------------------------------------------------------------ */

static int
find_steps(const char *from, const struct cli_routing *r, struct cli_table_steps *way)
{
	const struct cli_tables now = { .f = r->seen, .lft = (struct moore_lft *)r->result->lft,
		.sl2vl = r->result->sl2vl, .sl_set = r->result->sl_set };
	struct cli_tables was;
	int rc;

	if ((rc = cli_load_tables(from, &was)) != CLI_OK)
		return rc;
	rc = cli_table_steps(way, from, &was, &now);
	cli_tables_free(&was);
	return rc;
}

/* ---- the answer ---------------------------------------------------------------------- */

static void
put_answer(struct moore_buf *b, const json_t *answer)
{
	const char *topology = cli_str(answer, "topology");
	long long unknown = cli_int(answer, "unknown_link_rules");
	long long switches = cli_int(answer, "missing_switches"), links = cli_int(answer, "missing_links");
	long long avoided = cli_int(answer, "avoided_links"), drained = cli_int(answer, "drained_switches");

	cli_putf(b, "topology       %s\n", *topology ? topology : "not recognised");
	cli_putf(b, "fabric         %lld switches, %lld endpoints\n", cli_int(answer, "switches"),
		 cli_int(answer, "endpoints"));
	if (switches || links)
		cli_putf(b, "missing        %lld switch%s, %lld link%s; %lld next hops differ from the "
			 "intact fabric's\n", switches, MOORE_ES(switches), links,
			 MOORE_S(links), cli_int(answer, "repaired"));
	if (avoided || drained)
		cli_putf(b, "avoided        %lld link%s out of use, nothing passes through %lld switch%s\n",
			 avoided, MOORE_S(avoided), drained, MOORE_ES(drained));
	if (unknown)
		cli_putf(b, "links file     %lld line%s no switch of the plan, the first is line "
			 "%lld\n", unknown, unknown == 1 ? " names" : "s name",
			 cli_int(answer, "unknown_link_line"));
	cli_put_verdict(b, answer);
	cli_put_sound(b, answer);
	cli_putf(b, "hash           %s\n", cli_str(answer, "hash"));
	if (json_object_get(answer, "steps"))
		cli_put_table_steps(b, json_object_get(answer, "steps"), CLI_STEPS_OF_LIDS);
}

static int
answer(const struct cli_call *c, const struct cli_routing *r, const struct moore_engine_steps *steps,
       const struct cli_written *w)
{
	const char *dir = cli_opt(c, "output");
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_route_stats s;
	int rc;

	moore_route_stats(r->result->route, &s);
	rc = cli_show(c, moore_answer_route(r->seen, r->result, &s, steps), put_answer, cli_not_ok);
	if (rc == CLI_FAIL || !dir || c->json)
		return rc;
	cli_putf(&b, "tables         in %s: %zu files, ", dir, w->files);
	cli_put_bytes(&b, w->bytes);
	cli_putf(&b, "\n");
	if (steps && steps->motion->n_steps)
		cli_putf(&b, "after steps    in %s/step-1 to %s/step-%u\n", dir, dir,
			 steps->motion->n_steps);
	return cli_print_text(&b) == CLI_OK ? rc : CLI_FAIL;
}

int
cmd_route(const struct cli_call *c)
{
	const char *dir = cli_opt(c, "output"), *from = cli_opt(c, "from");
	struct cli_table_steps way = { .steps = NULL };
	struct cli_routing r = { NULL };
	struct cli_written w = { 0 };
	int rc;

	if (dir && !strcmp(dir, "-"))
		return cli_misuse(c, "-o -: tables are several files: name a directory (it is made "
				  "when it is not there), or leave -o out for the verdict alone");
	if (from && !dir)
		return cli_misuse(c, "--from %s: the steps are written below the directory of -o: "
				  "name one", from);
	if ((rc = cli_route_plan(c, &r)) == CLI_OK && from)
		rc = find_steps(from, &r, &way);
	if (rc == CLI_OK && dir)
		rc = cli_write_routing(dir, &r, &way, &w);
	if (rc == CLI_OK)
		rc = answer(c, &r, way.steps, &w);
	cli_table_steps_free(&way);
	cli_routing_free(&r);
	return rc;
}
