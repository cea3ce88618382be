// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_find.c - `moorectl find`: what a LID, a GUID, a name or a label means, where it stands
 * and what it is connected to; from files, or from moored. */
#include <string.h>

#include "cabling/wire.h"

/* ---- the answer --------------------------------------------------------------------- */

/* A label holds cabinet, unit and port, so it stands in their place. */
static void
put_jack(struct moore_buf *b, const json_t *jack)
{
	if (!*cli_str(jack, "label")) {
		cli_put_floor(b, jack);
		return;
	}
	cli_put_place(b, jack);
	cli_putf(b, " (%s)", cli_str(jack, "label"));
}

static void
put_links(struct moore_buf *b, const json_t *match)
{
	const json_t *link;
	size_t i;

	json_array_foreach(json_object_get(match, "links"), i, link) {
		cli_putf(b, "  ");
		put_jack(b, json_object_get(link, "here"));
		cli_putf(b, " -- ");
		put_jack(b, json_object_get(link, "there"));
		if (*cli_str(link, "cable") && strcmp(cli_str(match, "kind"), "cable"))
			cli_putf(b, ", cable %s", cli_str(link, "cable"));
		cli_putf(b, "\n");
	}
	if (!i)
		cli_putf(b, "  connected to nothing\n");
}

static void
put_numbers(struct moore_buf *b, const json_t *match)
{
	static const struct {
		const char *key, *name;
	} guids[] = { { "guid", "GUID" }, { "port_guid", "port GUID" }, { "node_guid", "node GUID" } };
	const long long lid = cli_int(match, "lid"), lids = cli_int(match, "lids");

	for (size_t i = 0; i < ARRAY_LEN(guids); i++)
		if (*cli_str(match, guids[i].key) &&
		    (!i || strcmp(cli_str(match, guids[i].key), cli_str(match, "guid"))))
			cli_putf(b, ", %s %s", guids[i].name, cli_str(match, guids[i].key));
	if (lid && lids > 1)
		cli_putf(b, ", LIDs %lld-%lld", lid, lid + lids - 1);
	else if (lid)
		cli_putf(b, ", LID %lld", lid);
	if (json_is_number(json_object_get(match, "length_m")))
		cli_putf(b, ", %.1f m", cli_num(match, "length_m"));
}

static void
put_match(struct moore_buf *b, const json_t *match)
{
	cli_putf(b, "%s%s%s", cli_str(match, "kind"), *cli_str(match, "name") ? " " : "",
		 cli_str(match, "name"));
	if (*cli_str(match, "cabinet"))
		cli_putf(b, ", cabinet %s", cli_str(match, "cabinet"));
	if (cli_int(match, "unit"))
		cli_putf(b, ", unit %lld", cli_int(match, "unit"));
	put_numbers(b, match);
	if (json_is_false(json_object_get(match, "planned")))
		cli_putf(b, CLI_YELLOW ", not in the plan" CLI_PLAIN);
	if (json_is_false(json_object_get(match, "found")))
		cli_putf(b, CLI_RED ", not in the fabric" CLI_PLAIN);
	cli_putf(b, "\n");
	put_links(b, match);
}

static void
put_find(struct moore_buf *b, const json_t *answer)
{
	const json_t *match;
	size_t i;

	json_array_foreach(json_object_get(answer, "matches"), i, match)
		put_match(b, match);
	if (!i)
		cli_putf(b, "%s: no switch, endpoint or cable has that name, GUID, LID or label\n",
			 cli_str(answer, "what"));
}

/* ---- from files ----------------------------------------------------------------------- */

static int
outline(const char *path, const struct moore_plan *p, struct moore_fabric **out)
{
	struct moore_err err;

	return moore_fabric_outline(out, p, &err) < 0 ? cli_error_at(path, &err) : CLI_OK;
}

/* Dumps have LIDs; what the other files list is known without them. */
static int
load_fabric(const char *path, struct cli_tables *t)
{
	struct moore_buf text;
	struct moore_seen *seen = NULL;
	struct moore_err err;
	int rc;

	if (cli_is_tables(path))
		return cli_load_tables(path, t);
	if ((rc = cli_read(path, &text)) != CLI_OK)
		return rc;
	if (moore_seen_parse(&seen, text.data ? text.data : "", text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	else
		rc = outline(path, seen->plan, &t->f);
	moore_buf_free(&text);
	moore_seen_free(seen);
	return rc;
}

static int
from_files(const struct cli_call *c)
{
	const bool alone = c->n_args == 2 && cli_is_tables(c->arg[1]);
	const char *const fabric = c->n_args == 3 ? c->arg[2] : alone ? c->arg[1] : NULL;
	struct moore_fabric *planned = NULL;
	struct moore_plan *plan = NULL;
	struct cli_tables t = { NULL };
	int rc = CLI_OK;

	if (!alone && (rc = cli_load_plan(c->arg[1], &plan)) == CLI_OK)
		rc = outline(c->arg[1], plan, &planned);
	if (rc == CLI_OK && fabric)
		rc = load_fabric(fabric, &t);
	if (rc == CLI_OK)
		rc = cli_show(c, moore_answer_find(&(struct moore_find){ .fabric = t.f, .plan = plan,
			.outline = planned }, c->arg[0]), put_find, cli_not_ok);
	cli_tables_free(&t);
	moore_fabric_free(planned);
	moore_plan_free(plan);
	return rc;
}

int
cmd_find(const struct cli_call *c)
{
	static const struct cli_online how = { "fabric.locate", put_find, cli_not_ok,
		"moorectl find WORD PLAN" };

	if (c->n_args > 1)
		return from_files(c);
	return cli_online(c, &how, json_pack("{s:o}", "what", moore_json_name(c->arg[0])));
}
