// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_call.c - `moorectl call`: any method of moored, as it answers. */
#include "client.h"

/* Name and help of each method; completion takes the names. */
static int
list_methods(const struct cli_call *c)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *result, *m;
	size_t i;
	int rc = cli_ask("system.methods", NULL, &result);

	if (rc != CLI_OK)
		return rc;
	if (c->json)
		return cli_print_json(result);
	json_array_foreach(json_object_get(result, "methods"), i, m)
		cli_putf(&b, "%-20s %s\n", json_string_value(json_object_get(m, "name")),
			 json_string_value(json_object_get(m, "help")));
	json_decref(result);
	return cli_print_text(&b);
}

int
cmd_call(const struct cli_call *c)
{
	json_t *params = NULL, *result;
	json_error_t e;
	int rc;

	if (!c->n_args)
		return list_methods(c);
	if (c->n_args > 1 && !(params = json_loads(c->arg[1], JSON_REJECT_DUPLICATES, &e)))
		return cli_misuse(c, "%s: no JSON: byte %d: %s", c->arg[1], e.position, e.text);
	rc = cli_ask(c->arg[0], params, &result);
	return rc == CLI_OK ? cli_print_json(result) : rc;
}
