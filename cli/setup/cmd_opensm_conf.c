// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_opensm_conf.c - `moorectl opensm-conf`: puts the settings that the plugin needs into an
 * opensm.conf.
 *
 * A setting that already suits the plugin stays as it is, so a second run changes nothing.
 * Otherwise the line in force, which is the last one with the key, is replaced; a key that is
 * absent gets a line at the end.  All other lines stay byte for byte.  The old file stays
 * under another name: it gets that name by link(), which replaces no earlier backup and keeps
 * owner and permissions, before the new file takes its place.
 *
 * doctor judges the same settings; a test runs it on what this verb writes. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "online.h"

enum { VALUE_MAX = 2048 };	/* a value of cli_setting, and what is added to it */

struct merge {
	const char *path;
	struct moore_buf old;		/* text of opensm.conf; empty when there is no file */
	bool is_new;
	const char *moore_conf;		/* that of --moore-conf, or NULL */
	unsigned lanes_code;		/* the max_op_vls that moore.conf needs; with 1 no SL to VL tables */
};

struct change {
	struct cli_setting was;		/* was.line is 0 when the key is absent */
	char value[VALUE_MAX];
};

/* ---- the value that each key should have; "" when it may stay ----------------------------- */

/* OpenSM writes (null) for a value that is not set. */
static bool
is_unset(const struct cli_setting *s)
{
	return !s->value[0] || !strcmp(s->value, "(null)");
}

/* Other plugins stay.  OpenSM splits the list at its first comma only, so blanks separate the
 * names here. */
static void
want_plugin(const struct merge *m, const struct cli_setting *s, char *out)
{
	const char *comma = strchr(s->value, ','), *p = s->value;
	bool first, named = cli_has_word(s->value, "osmmoore", &first);
	size_t n, len = 0;

	(void)m;
	if (named && !(comma && strchr(comma + 1, ',')))
		return;
	for (; !is_unset(s) && *(p += strspn(p, ", \t")); p += n) {
		n = strcspn(p, ", \t");
		len += (size_t)snprintf(out + len, VALUE_MAX - len, "%.*s ", (int)n, p);
	}
	snprintf(out + len, VALUE_MAX - len, "%s", named ? "" : "osmmoore");
	len = strlen(out);
	if (out[len - 1] == ' ')
		out[len - 1] = '\0';
}

/* The options of other plugins stay, on the same line; the plugin reads the first moore_conf=,
 * so its own comes before them. */
static void
want_options(const struct merge *m, const struct cli_setting *s, char *out)
{
	const char *file = m->moore_conf ? m->moore_conf : MOORE_SYSCONFDIR "/moore/moore.conf";
	size_t n = 0;
	const char *at = cli_moore_conf_in(s->value, &n);

	if (at && n && (!m->moore_conf || (n == strlen(file) && !memcmp(at, file, n))))
		return;
	if (at)
		snprintf(out, VALUE_MAX, "%.*s%s%s", (int)(at - s->value), s->value, file, at + n);
	else
		snprintf(out, VALUE_MAX, "moore_conf=%s%s%s", file, is_unset(s) ? "" : " ",
			 is_unset(s) ? "" : s->value);
}

static void
want_engine(const struct merge *m, const struct cli_setting *s, char *out)
{
	bool first = false, other;

	(void)m;
	if (!cli_has_word(s->value, "moore", &first) || !first ||
	    !cli_has_word(s->value, "no_fallback", &other))
		snprintf(out, VALUE_MAX, "moore,no_fallback");
}

static void
want_qos(const struct merge *m, const struct cli_setting *s, char *out)
{
	if (m->lanes_code > 1 && strcmp(s->value, "TRUE") != 0)
		snprintf(out, VALUE_MAX, "TRUE");
}

/* Code 5, OpenSM's default, divides the buffers of every port among fifteen lanes, so it is
 * replaced unless the classes need them; a smaller number was chosen by a person, and stays
 * when it suffices. */
static void
want_lanes(const struct merge *m, const struct cli_setting *s, char *out)
{
	const char *p = s->value;
	uint64_t v;

	if (s->line && moore_text_u64(&p, p + strlen(p), 0, 5, &v) && !*p &&
	    v >= m->lanes_code && (v < 5 || m->lanes_code == 5))
		return;
	snprintf(out, VALUE_MAX, "%u", m->lanes_code);
}

static void
want_no_cache(const struct merge *m, const struct cli_setting *s, char *out)
{
	(void)m;
	if (!strcmp(s->value, "TRUE"))
		snprintf(out, VALUE_MAX, "FALSE");
}

static const struct {
	const char *key;
	void (*want)(const struct merge *m, const struct cli_setting *s, char *out);
} rows[] = {
	{ "event_plugin_name", want_plugin },
	{ "event_plugin_options", want_options },
	{ "routing_engine", want_engine },
	{ "qos", want_qos },
	{ "max_op_vls", want_lanes },
	{ "use_ucast_cache", want_no_cache },
};

/* Finds what has to change; returns the number of changes. */
static size_t
find_changes(const struct merge *m, struct change out[static ARRAY_LEN(rows)])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		out[n].value[0] = '\0';
		cli_find_setting(m->old.data ? m->old.data : "", rows[i].key, &out[n].was);
		rows[i].want(m, &out[n].was, out[n].value);
		n += out[n].value[0] != '\0';
	}
	return n;
}

/* ---- the new text ------------------------------------------------------------------------- */

static const struct change *
change_of_line(const struct change *list, size_t n, unsigned line)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].was.line == line)
			return &list[i];
	return NULL;
}

static void
add_new_lines(const struct change *list, size_t n, struct moore_buf *out)
{
	bool headed = false;

	for (size_t i = 0; i < n; i++) {
		if (list[i].was.line)
			continue;
		if (!headed)
			cli_putf(out, "%s# Settings of the routing engine moore, see osmmoore(8).\n",
				 out->len ? "\n" : "");
		headed = true;
		cli_putf(out, "%s %s\n", list[i].was.key, list[i].value);
	}
}

static void
new_text(const struct merge *m, const struct change *list, size_t n, struct moore_buf *out)
{
	const char *p = m->old.data ? m->old.data : "", *end;
	const struct change *x;

	for (unsigned line = 1; *p; line++, p = end) {
		end = p + strcspn(p, "\n");
		end += *end == '\n';
		if ((x = change_of_line(list, n, line)))
			cli_putf(out, "%s %s\n", x->was.key, x->value);
		else
			moore_buf_add(out, p, (size_t)(end - p));
	}
	if (out->len && out->data[out->len - 1] != '\n')
		moore_buf_add(out, "\n", 1);
	add_new_lines(list, n, out);
}

/* ---- files -------------------------------------------------------------------------------- */

/* A value that cli_setting cuts off would lose its end when it is written again. */
static int
check_text(const struct merge *m)
{
	const char *p = m->old.data;
	struct cli_setting s = { .line = 0 };

	if (strlen(p) != m->old.len)
		return cli_error("%s: holds a byte 0, so it is no text: nothing was changed", m->path);
	while (cli_next_setting(&p, &s))
		if (strlen(s.value) == sizeof(s.value) - 1)
			return cli_error("%s:%u: %s: the value is longer than %zu bytes: nothing was "
					 "changed", m->path, s.line, s.key, sizeof(s.value) - 2);
	return CLI_OK;
}

static int
read_old(struct merge *m)
{
	struct stat st;
	int rc;

	if (stat(m->path, &st) < 0 && errno == ENOENT) {
		m->is_new = true;
		return CLI_OK;
	}
	if (stat(m->path, &st) == 0 && !S_ISREG(st.st_mode))
		return cli_error("%s: is no regular file: give the path of an opensm.conf", m->path);
	rc = cli_read_at_most(m->path, CLI_CONF_MAX, "opensm.conf", &m->old);
	return rc == CLI_OK ? check_text(m) : rc;
}

/* Reads the moore.conf that the plugin will read, for its classes; the defaults apply when the
 * file does not exist. */
static int
read_classes(struct merge *m)
{
	char named[sizeof(((struct cli_setting *)0)->value)];
	const char *file = m->moore_conf;
	struct moore_conf conf;

	if (!file) {
		cli_moore_conf_of(m->old.data ? m->old.data : "", named, sizeof(named));
		file = *named ? named : MOORE_SYSCONFDIR "/moore/moore.conf";
	}
	moore_conf_defaults(&conf);
	if (access(file, F_OK) == 0 && cli_load_conf(file, &conf) != CLI_OK)
		return CLI_FAIL;
	m->lanes_code = moore_code_of_lanes(moore_conf_lanes(&conf));
	return CLI_OK;
}

static int
make_backup(const char *file, char **name)
{
	char suffix[16] = "";

	for (unsigned i = 1; i < 1000; i++) {
		if (asprintf(name, "%s.before-moore%s", file, suffix) < 0) {
			*name = NULL;
			return cli_error("out of memory");
		}
		if (link(file, *name) == 0)
			return CLI_OK;
		if (errno != EEXIST)
			break;
		free(*name);
		*name = NULL;
		snprintf(suffix, sizeof(suffix), ".%u", i);
	}
	cli_error("%s: cannot make a backup beside it: %s: nothing was changed", file,
		  strerror(errno));
	free(*name);
	*name = NULL;
	return CLI_FAIL;
}

/* Replaces the file; *backup is then the caller's, NULL when there was no file before. */
static int
replace(const struct merge *m, const struct change *list, size_t n, char **backup)
{
	struct moore_buf text = MOORE_BUF_INIT;
	char *real = m->is_new ? NULL : realpath(m->path, NULL);
	int rc = CLI_OK;

	new_text(m, list, n, &text);
	if (!m->is_new)
		rc = real ? make_backup(real, backup) : cli_error("%s: %s", m->path, strerror(errno));
	if (rc == CLI_OK && (rc = cli_write(m->path, &text)) != CLI_OK && *backup)
		unlink(*backup);
	moore_buf_free(&text);
	free(real);
	return rc;
}

/* ---- the answer --------------------------------------------------------------------------- */

static json_t *
answer_of(const struct merge *m, const struct change *list, size_t n, bool write,
	  const char *backup)
{
	json_t *changes = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct cli_setting *was = &list[i].was;

		json_array_append_new(changes, json_pack("{s:s, s:o, s:o, s:s}", "key", was->key,
			"line", was->line ? json_integer(was->line) : json_null(),
			"was", was->line ? json_string(was->value) : json_null(),
			"value", list[i].value));
	}
	return json_pack("{s:b, s:s, s:o, s:b, s:s?}", "ok", write || !n, "file", m->path,
			 "changes", changes, "written", write && n, "backup", backup);
}

static void
put_answer(struct moore_buf *b, const json_t *answer)
{
	const char *file = json_string_value(json_object_get(answer, "file"));
	const char *backup = json_string_value(json_object_get(answer, "backup"));
	json_t *changes = json_object_get(answer, "changes"), *x;
	size_t i;

	if (!json_array_size(changes))
		cli_putf(b, "%s: has all settings that the plugin needs\n", file);
	json_array_foreach(changes, i, x) {
		const char *key = json_string_value(json_object_get(x, "key"));
		json_int_t line = json_integer_value(json_object_get(x, "line"));

		if (line)
			cli_putf(b, "line %d: " CLI_RED "- %s %s" CLI_PLAIN "\n", (int)line, key,
				 json_string_value(json_object_get(x, "was")));
		if (line)
			cli_putf(b, "line %d: ", (int)line);
		cli_putf(b, "%s" CLI_GREEN "+ %s %s" CLI_PLAIN "\n", line ? "" : "at the end: ", key,
			 json_string_value(json_object_get(x, "value")));
	}
	if (json_is_true(json_object_get(answer, "written")))
		cli_putf(b, "%s: written%s%s; OpenSM reads it at its next start\n", file,
			 backup ? "; the old file is " : "", backup ? backup : "");
}

static int
check_words(const struct cli_call *c, const char *path, const char *moore_conf)
{
	if (cli_has(c, "diff") == cli_has(c, "write"))
		return cli_misuse(c, "give either --diff or --write");
	if (!strcmp(path, "-") || !*path)
		return cli_misuse(c, "%s: give the path of an opensm.conf", cli_file_name(path));
	if (moore_conf && (moore_conf[0] != '/' || strpbrk(moore_conf, " \t\n#\"',") ||
			   strlen(moore_conf) >= MOORE_CONF_PATH_MAX))
		return cli_misuse(c, "--moore-conf %s: give its whole path, without blanks, quotes, "
				  "commas and #", moore_conf);
	return CLI_OK;
}

int
cmd_opensm_conf(const struct cli_call *c)
{
	struct merge m = {
		.path = c->n_args ? c->arg[0] : "/etc/opensm/opensm.conf",
		.moore_conf = cli_opt(c, "moore-conf"),
	};
	const bool write = cli_has(c, "write");
	struct change list[ARRAY_LEN(rows)];
	char *backup = NULL;
	size_t n = 0;
	int rc;

	if ((rc = check_words(c, m.path, m.moore_conf)) == CLI_OK &&
	    (rc = read_old(&m)) == CLI_OK && (rc = read_classes(&m)) == CLI_OK) {
		n = find_changes(&m, list);
		if (write && n)
			rc = replace(&m, list, n, &backup);
	}
	if (rc == CLI_OK)
		rc = cli_show(c, answer_of(&m, list, n, write, backup), put_answer, cli_not_ok);
	moore_buf_free(&m.old);
	free(backup);
	return rc;
}
