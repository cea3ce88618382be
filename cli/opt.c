// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* opt.c - separates the words of a call into arguments and options, by the table of its verb.
 *
 * --name VALUE, --name=VALUE, -o VALUE and -oVALUE are options; `--` ends the options; `-`
 * alone is an argument.  Names cannot be abbreviated, so an option that is added later never
 * changes the meaning of an old script. */
#include <string.h>

#include "term.h"

const struct cli_opt cli_common_opts[] = {
	{ "json", 'j', NULL, "print the answer as JSON" },
	{ "no-pager", 0, NULL, "do not use $PAGER on a terminal" },
	{ "help", 'h', NULL, "print this help" },
	{ 0 }
};

/* Returns option i of a verb: its own options come first, then the common ones. */
static const struct cli_opt *
opt_at(const struct cli_cmd *cmd, size_t i)
{
	const struct cli_opt *o;

	for (o = cmd->opts; o && o->name; o++)
		if (i-- == 0)
			return o;
	for (o = cli_common_opts; o->name; o++)
		if (i-- == 0)
			return o;
	return NULL;
}

static const char *
opt_name_at(const void *cmd, size_t i)
{
	const struct cli_opt *o = opt_at(cmd, i);

	return o ? o->name : NULL;
}

static const struct cli_opt *
find_opt(const struct cli_cmd *cmd, const char *name, size_t len, char letter)
{
	const struct cli_opt *o;

	for (size_t i = 0; (o = opt_at(cmd, i)); i++)
		if (name ? strlen(o->name) == len && !strncmp(o->name, name, len) :
		    o->letter == letter)
			return o;
	return NULL;
}

static int
unknown_opt(const struct cli_call *c, const char *word)
{
	const char *near = word[1] == '-' ? cli_nearest(word + 2, opt_name_at, c->cmd) : NULL;

	if (near)
		return cli_misuse(c, "unknown option %s: did you mean --%s?", word, near);
	return cli_misuse(c, "unknown option %s", word);
}

/* Finds the option in word; *value is what the word holds after its name, or NULL. */
static const struct cli_opt *
read_opt(const struct cli_call *c, const char *word, const char **value)
{
	const char *eq;

	if (word[1] == '-') {
		eq = strchr(word, '=');
		*value = eq ? eq + 1 : NULL;
		return find_opt(c->cmd, word + 2, (eq ? (size_t)(eq - word) : strlen(word)) - 2, 0);
	}
	*value = word[2] ? word + 2 : NULL;
	return find_opt(c->cmd, NULL, 0, word[1]);
}

static int
check_args(const struct cli_call *c)
{
	if (c->help)
		return CLI_OK;
	if (c->n_args < c->cmd->min_args)
		return cli_misuse(c, "missing argument: it takes %s", c->cmd->args);
	if (c->n_args > c->cmd->max_args)
		return cli_misuse(c, "%s: one argument too many: it takes %s",
				  c->arg[c->cmd->max_args],
				  c->cmd->args[0] ? c->cmd->args : "none");
	return CLI_OK;
}

int
cli_parse(struct cli_call *c, char *const *words, size_t n)
{
	bool opts = true;

	for (size_t i = 0; i < n; i++) {
		const char *w = words[i], *value = NULL;
		const struct cli_opt *o;

		if (!opts || w[0] != '-' || !w[1]) {
			c->arg[c->n_args++] = w;
			continue;
		}
		if (!strcmp(w, "--")) {
			opts = false;
			continue;
		}
		if (!(o = read_opt(c, w, &value)))
			return unknown_opt(c, w);
		if (!o->arg && value)
			return cli_misuse(c, "%s: --%s takes no value", w, o->name);
		if (o->arg && !value && ++i == n)
			return cli_misuse(c, "%s needs a value: %s", w, o->arg);
		c->given[c->n_given++] = (struct cli_given){
			.opt = o, .value = o->arg && !value ? words[i] : value };
		c->json |= !strcmp(o->name, "json");
		c->help |= !strcmp(o->name, "help");
	}
	return check_args(c);
}

const char *
cli_opt(const struct cli_call *c, const char *name)
{
	for (size_t i = c->n_given; i-- > 0;)
		if (!strcmp(c->given[i].opt->name, name))
			return c->given[i].value;
	return NULL;
}

bool
cli_has(const struct cli_call *c, const char *name)
{
	for (size_t i = 0; i < c->n_given; i++)
		if (!strcmp(c->given[i].opt->name, name))
			return true;
	return false;
}

int
cli_opt_u64(const struct cli_call *c, const char *name, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *s = cli_opt(c, name), *p = s;
	uint64_t v;

	if (!s)
		return CLI_OK;
	if (!moore_text_u64(&p, s + strlen(s), 0, max, &v) || *p || v < min)
		return cli_misuse(c, "--%s %s: not a number from %llu to %llu", name, *s ? s : "\"\"",
				  (unsigned long long)min, (unsigned long long)max);
	*out = v;
	return CLI_OK;
}

/* ---- lists in help ----------------------------------------------------------- */

static void
put_families(struct moore_buf *out)
{
	const struct moore_topo_family *f;

	for (size_t i = 0; (f = moore_topo_family_at(i)); i++) {
		cli_putf(out, "  %s", f->name);
		for (size_t k = 0; k < MOORE_TOPO_MAX_PARAMS && f->param[k].key; k++) {
			const struct moore_topo_param *p = &f->param[k];

			cli_putf(out, p->required ? " %s=%s" : " [%s=%s]", p->key,
				 p->symbolic ? "floor|ceil|N" : "");
		}
		cli_putf(out, "\n");
	}
}

static void
put_format(struct moore_buf *out, const char *name, const char *help, const char *lost)
{
	char left[40];

	snprintf(left, sizeof(left), "  %s", name);
	cli_put_help(out, left, 17, help);
	if (lost) {
		cli_putf(out, "%17sleaves out ", "");
		cli_put_words(out, 28, 17, lost, strlen(lost));
	}
}

static void
put_written(struct moore_buf *out)
{
	const struct moore_plan_format *f;

	for (size_t i = 0; (f = moore_plan_format_at(i)); i++)
		if (f->write)
			put_format(out, f->name, f->help, f->lost);
}

static void
put_read(struct moore_buf *out)
{
	const struct moore_plan_format *f;

	for (size_t i = 0; (f = moore_plan_format_at(i)); i++)
		if (f->parse)
			put_format(out, f->name, f->help, NULL);
}

static void
put_ether_formats(struct moore_buf *out)
{
	const struct moore_ether_format *f;
	char left[64];

	for (size_t i = 0; (f = moore_ether_format_at(i)); i++)
		if (f->write)
{
			snprintf(left, sizeof(left), "  %-9s %s", f->name, f->file);
			cli_put_help(out, left, 33, f->help);
		}
}

/* Returns the length of a line that is a mark, empty or begins with a blank, or of a paragraph. */
static size_t
length_of_part(const char *s)
{
	size_t n = strcspn(s, "\n");

	while (*s != '@' && *s != ' ' && n && s[n] && s[n + 1] && !strchr("@ \n", s[n + 1]))
		n += 1 + strcspn(s + n + 1, "\n");
	return n + (s[n] == '\n');
}

/* Appends the paragraphs; a line that is one of the marks becomes its list, and one that begins with
 * a blank stays as it is. */
static void
put_more(const char *more, struct moore_buf *out)
{
	static const struct { const char *mark; void (*put)(struct moore_buf *out); } lists[] = {
		{ CLI_FAMILIES, put_families }, { CLI_WRITTEN, put_written }, { CLI_READ, put_read },
		{ CLI_ETHER_FORMATS, put_ether_formats },
	};

	for (size_t n; *more; more += n) {
		n = length_of_part(more);
		for (size_t i = 0; i < ARRAY_LEN(lists); i++)
			if (!strncmp(more, lists[i].mark, n)) {
				lists[i].put(out);
				goto next;
			}
		if (*more == ' ' || *more == '\n')
			cli_putf(out, "%.*s", (int)n, more);
		else
			cli_put_words(out, 0, 0, more, n);
next:;
	}
}

void
cli_help_cmd(const struct cli_cmd *cmd, struct moore_buf *out)
{
	const struct cli_opt *o;
	char left[160];

	snprintf(left, sizeof(left), "usage: moorectl %s%s%s [options]", cmd->words,
		 cmd->args[0] ? " " : "", cmd->args);
	cli_put_words(out, 0, 7, left, strlen(left));
	cli_putf(out, "\n");
	cli_put_words(out, 0, 0, cmd->help, strlen(cmd->help));
	if (cmd->more) {
		cli_putf(out, "\n");
		put_more(cmd->more, out);
	}
	cli_putf(out, "\noptions:\n");
	for (size_t i = 0; (o = opt_at(cmd, i)); i++) {
		snprintf(left, sizeof(left), "  %c%c%s --%s %s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ",
			 o->name, o->arg ? o->arg : "");
		cli_put_help(out, left, 29, o->help);
	}
}

/* ---- near misses ----------------------------------------------------------- */

enum { WORD_MAX = 40 };

/* Computes Levenshtein's distance, row by row. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], n = strlen(b), diag, up;

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		diag = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			up = row[j];
			row[j] = diag + (a[i] != b[j - 1]);
			if (up + 1 < row[j])
				row[j] = up + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diag = up;
		}
	}
	return row[n];
}

const char *
cli_nearest(const char *word, const char *(*name_at)(const void *arg, size_t i), const void *arg)
{
	size_t best = strlen(word) / 3 + 2, d;
	const char *name, *near = NULL;

	if (strlen(word) > WORD_MAX)
		return NULL;
	for (size_t i = 0; (name = name_at(arg, i)); i++)
		if (strlen(name) <= WORD_MAX && (d = distance(word, name)) < best) {
			best = d;
			near = name;
		}
	return near;
}
