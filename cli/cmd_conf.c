// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_conf.c - `moorectl conf`: moore.conf as it is by default, and is a given
 * one right. */
#include "cli.h"

int
cmd_conf(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT;
	const struct moore_key *k;
	json_t *list;

	if (!c->json) {
		moore_conf_template(&text);
		return cli_print_text(&text);
	}
	list = json_array();
	for (size_t i = 0; (k = moore_conf_key_at(i)); i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "key", k->key,
						      "default", k->dflt, "help", k->help));
	return cli_print_json(list);
}

int
cmd_conf_check(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_conf conf;
	struct moore_err err = { 0 };
	int rc = cli_try_conf(c->arg[0], &conf, &err);
	int shown;

	if (rc == CLI_FAIL)
		return rc;
	if (c->json) {
		shown = cli_print_json(rc == CLI_OK ?
			json_pack("{s:b, s:o, s:I, s:o}", "valid", 1, "plan",
				  cli_json_name(conf.plan), "seed", (json_int_t)conf.seed,
				  "error", json_null()) :
			json_pack("{s:b, s:{s:i, s:o}}", "valid", 0, "error", "line",
				  (int)err.line, "text", cli_json_name(err.text)));
		return shown != CLI_OK ? shown : rc;
	}
	if (rc == CLI_FOUND) {
		cli_error_at(c->arg[0], &err);
		return rc;
	}
	cli_putf(&text, "%s: " CLI_GREEN "valid" CLI_PLAIN "\n", cli_file_name(c->arg[0]));
	return cli_print_text(&text);
}
