// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* main.c - finds the verb, parses its words, runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "term.h"

/* Returns how many words the verb's name takes; 0 when words name another verb. */
static size_t
matches(const struct cli_cmd *cmd, char *const *words, size_t n)
{
	size_t len = strcspn(cmd->words, " ");

	if (!n || strlen(words[0]) != len || strncmp(cmd->words, words[0], len) != 0)
		return 0;
	if (!cmd->words[len])
		return 1;
	return n > 1 && !strcmp(cmd->words + len + 1, words[1]) ? 2 : 0;
}

/* Lists the verbs whose first word is first, one line each; for "" all verbs under the
 * headings of their groups.  Returns their number. */
static size_t
put_verbs(struct moore_buf *b, const char *first)
{
	const struct cli_cmd *before = NULL;
	size_t len = strlen(first), n = 0;
	char left[120];

	for (const struct cli_cmd *cmd = cli_cmds; cmd->words; cmd++) {
		if (len && (strncmp(cmd->words, first, len) != 0 || cmd->words[len] != ' '))
			continue;
		if (!len && (!before || before->group != cmd->group))
			cli_putf(b, "%s%s:\n", before ? "\n" : "", cli_groups[cmd->group]);
		before = cmd;
		snprintf(left, sizeof(left), "  %s %s", cmd->words, cmd->args);
		cli_put_help(b, left, 35, cmd->help);
		n++;
	}
	return n;
}

static int
print_help(const char *first)
{
	struct moore_buf b = MOORE_BUF_INIT;

	cli_putf(&b, "usage: moorectl [--socket PATH] [--no-pager] VERB [arguments] [options]\n\n"
		 "Plans, routes and checks low-diameter InfiniBand fabrics, and asks moored about\n"
		 "a running fabric, on its socket (" CLI_SOCKET ").\n\n");
	put_verbs(&b, first);
	if (!first[0])
		cli_putf(&b, "\ncheck, repair, verify, path and table ask moored when no files are "
			 "named.\n");
	cli_putf(&b, "\nEvery verb takes --help and --json.  `moorectl --version` prints the "
		 "version.\nExit codes: 0 success, 1 the check found something, 2 misuse or "
		 "failure.\n");
	return cli_print_text(&b);
}

/* Prints one line for each verb, for shell completion: its words, a tab, its options, a tab, and
 * the options that have certain words as values, with these. */
static int
print_list(void)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const struct cli_opt *o;

	for (const struct cli_cmd *cmd = cli_cmds; cmd->words; cmd++) {
		cli_putf(&b, "%s\t", cmd->words);
		for (o = cmd->opts; o && o->name; o++)
			cli_putf(&b, "--%s%s ", o->name, o->arg ? "=" : "");
		for (o = cli_common_opts; o->name; o++)
			cli_putf(&b, "--%s ", o->name);
		cli_putf(&b, "\t");
		for (o = cmd->opts; o && o->name; o++)
			cli_put_values(&b, cmd, o);
		cli_putf(&b, "\n");
	}
	return cli_print_data(&b);
}

static int
print_version(void)
{
	struct moore_buf b = MOORE_BUF_INIT;

	cli_putf(&b, "moorectl " MOORE_VERSION "\n");
	return cli_print_text(&b);
}

static const char *
words_at(const void *arg, size_t i)
{
	(void)arg;
	return cli_cmds[i].words;
}

static int
unknown_verb(char *const *words, size_t n)
{
	struct moore_buf b = MOORE_BUF_INIT;
	char typed[80];
	const char *near;
	int rc;

	if (put_verbs(&b, words[0]) && n == 1) {
		rc = cli_error("%s: which of these? try: moorectl --help", words[0]);
		fwrite(b.data, 1, b.len, stderr);
		moore_buf_free(&b);
		return rc;
	}
	snprintf(typed, sizeof(typed), "%s%s%s", words[0], b.len ? " " : "",
		 b.len ? words[1] : "");
	near = cli_nearest(typed, words_at, NULL);
	moore_buf_free(&b);
	if (near)
		return cli_error("%s: no such verb: did you mean moorectl %s?", typed, near);
	return cli_error("%s: no such verb: try: moorectl --help", typed);
}

static int
run(const struct cli_cmd *cmd, char *const *words, size_t n)
{
	struct cli_call c = { .cmd = cmd };
	struct moore_buf help = MOORE_BUF_INIT;
	int rc;

	c.arg = calloc(n + 1, sizeof(*c.arg));
	c.given = calloc(n + 1, sizeof(*c.given));
	if (!c.arg || !c.given) {
		rc = cli_error("out of memory");
	} else if ((rc = cli_parse(&c, words, n)) == CLI_OK) {
		if (cli_has(&c, "no-pager"))
			cli_no_pager();
		if (cli_opt(&c, "socket"))
			cli_set_socket(cli_opt(&c, "socket"));
		if (c.help) {
			cli_help_cmd(cmd, &help);
			rc = cli_print_text(&help);
		} else {
			rc = cmd->run(&c);
		}
	}
	cli_idle();
	free(c.arg);
	free(c.given);
	return rc;
}

/* Reads --socket PATH, --socket=PATH or --no-pager, which may also come before the verb.
 * Returns how many words it took; 0 when the first word is another one. */
static size_t
take_early(char *const *words, size_t n)
{
	if (n && !strcmp(words[0], "--no-pager")) {
		cli_no_pager();
		return 1;
	}
	if (n && !strncmp(words[0], "--socket=", 9)) {
		cli_set_socket(words[0] + 9);
		return 1;
	}
	if (n > 1 && !strcmp(words[0], "--socket")) {
		cli_set_socket(words[1]);
		return 2;
	}
	return 0;
}

static int
dispatch(char *const *words, size_t n)
{
	size_t taken;

	for (; (taken = take_early(words, n)); n -= taken)
		words += taken;
	if (!n || !words[0][0])
		return cli_error("which verb? try: moorectl --help");
	if (!strcmp(words[0], "--help") || !strcmp(words[0], "-h"))
		return print_help("");
	if (!strcmp(words[0], "--version"))
		return print_version();
	if (!strcmp(words[0], "--list"))
		return print_list();
	for (const struct cli_cmd *cmd = cli_cmds; cmd->words; cmd++)
		if ((taken = matches(cmd, words, n)))
			return run(cmd, words + taken, n - taken);
	if (n > 1 && (!strcmp(words[1], "--help") || !strcmp(words[1], "-h")))
		return print_help(words[0]);
	return unknown_verb(words, n);
}

int
main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)argc - 1 : 0;
	bool json = false;
	int rc;

	json_object_seed(1);	/* keys in the same order in every run */
	for (size_t i = 1; i <= n; i++)
		json |= !strcmp(argv[i], "--json") || !strcmp(argv[i], "-j");
	rc = dispatch(argv + 1, n);
	return json ? cli_print_failure(rc) : rc;
}
