// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_conf.c - `moorectl conf`: moore.conf with its defaults, and whether a given one is
 * right. */
#include "online.h"

int
cmd_conf(const struct cli_call *c)
{
	struct moore_buf text = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json(moore_answer_conf());
	moore_conf_template(&text);
	return cli_print_text(&text);
}

int
cmd_conf_check(const struct cli_call *c)
{
	const char *file = cli_file_name(c->arg[0]);
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_conf conf;
	struct moore_err err = { 0 };
	int rc = cli_try_conf(c->arg[0], &conf, &err);

	if (rc == CLI_FAIL)
		return rc;
	if (c->json)
		return cli_show(c, moore_answer_conf_check(file, &conf, rc == CLI_OK ? NULL : &err),
				NULL, cli_not_ok);
	if (rc == CLI_FOUND) {
		cli_error_at(c->arg[0], &err);
		return rc;
	}
	cli_putf(&text, "%s: " CLI_GREEN "valid" CLI_PLAIN "\n", file);
	return cli_print_text(&text);
}
