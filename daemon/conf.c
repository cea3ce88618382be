// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - moored.conf from one table of keys: parser, defaults, --print-config
 * and, by a test, moored.conf(5). */
#include <stddef.h>
#include <string.h>

#include "conf.h"

enum { CONF_MAX = 1 << 20 };

#define TEXT(field) false, offsetof(struct moored_conf, field), \
	sizeof(((struct moored_conf *)NULL)->field), 0
#define NUMBER(field, min, max) true, offsetof(struct moored_conf, field), min, max

static const struct conf_key {
	const char *key, *dflt, *help;
	bool live;		/* a reload changes it; otherwise a restart */
	bool number;
	size_t offset;
	size_t min, max;	/* of a number; min is the room for a text */
} keys[] = {
	{ "plan", "(null)",
	  "The intended fabric (moorectl plan new): what is found is checked against it. "
	  "Without it the fabric is served as it is found.", true, TEXT(plan) },
	{ "socket", "/run/moored/moored.sock",
	  "The Unix socket on which moorectl and others ask. Not used when systemd hands "
	  "one over.", false, TEXT(socket) },
	{ "group", "(null)",
	  "Members of this group may ask; root and the user that moored runs as may also "
	  "change (reload, plan). Without it nobody else may ask.", true, TEXT(group) },
	{ "state_dir", "/var/lib/moored",
	  "Where history and the number of the last sweep outlive a restart; (null) keeps "
	  "nothing.", false, TEXT(state_dir) },
	{ "moore_conf", "(null)",
	  "The moore.conf of the routing engine, for routes that are computed and not read "
	  "back; (null) is its defaults.", true, TEXT(moore_conf) },
	{ "planes", "(null)",
	  "Ports of this host, one for each fabric, as DEVICE:PORT with commas between "
	  "(mlx5_0:1,mlx5_1:1); (null) is the first active one.", false, TEXT(planes) },
	{ "metrics", "127.0.0.1:9684",
	  "ADDRESS:PORT that serves Prometheus text under /metrics; (null) serves none.", false,
	  TEXT(metrics) },
	{ "poll_ms", "1000", "Milliseconds from one reading of all counters to the next.", false,
	  NUMBER(poll_ms, 100, 3600000) },
	{ "sweep_s", "10",
	  "Seconds between looks for changes that nothing announced. A change that is "
	  "announced is looked at at once.", false, NUMBER(sweep_s, 1, 86400) },
	{ "history_s", "3600", "Seconds of rates that are kept for each port.", false,
	  NUMBER(history_s, 60, 604800) },
	{ "outstanding", "16", "MADs that may be on their way at once.", false,
	  NUMBER(outstanding, 1, 1024) },
	{ "clients", "1024", "Connections at once; one more is told so and closed.", true,
	  NUMBER(clients, 1, CONF_CLIENTS_MAX) },
};

static int
set_key(struct moored_conf *c, const struct conf_key *k, const char *s, size_t len,
	const char *path, unsigned line, struct moore_err *err)
{
	char *field = (char *)c + k->offset;
	const char *p = s;
	uint64_t v;
	uint32_t n;

	if (k->number) {
		if (!moore_text_u64(&p, s + len, 10, k->max, &v) || p != s + len || v < k->min)
			return moore_fail(err, MOORE_ESYNTAX, line,
					  "%.150s:%u: %s: \"%.*s\" is not a number from %zu to %zu",
					  path, line, k->key, (int)(len < 60 ? len : 60), s, k->min,
					  k->max);
		n = (uint32_t)v;
		memcpy(field, &n, sizeof(n));
		return 0;
	}
	if (len == 6 && !memcmp(s, "(null)", 6))
		len = 0;
	if (len >= k->min || memchr(s, '\0', len))
		return moore_fail(err, MOORE_ESYNTAX, line,
				  "%.150s:%u: %s: longer than %zu bytes, or it holds a NUL", path, line,
				  k->key, k->min - 1);
	memcpy(field, s, len);
	field[len] = '\0';
	return 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The value without blanks around it and without a comment after it. */
static void
trim(const char **s, const char **end)
{
	while (*s < *end && is_blank(**s))
		++*s;
	for (const char *p = *s; p < *end; p++)
		if (*p == '#' && (p == *s || is_blank(p[-1])))
			*end = p;
	while (*end > *s && is_blank((*end)[-1]))
		--*end;
}

static int
parse_line(struct moored_conf *c, const char *s, const char *end, const char *path,
	   unsigned line, uint64_t *seen, struct moore_err *err)
{
	const char *word;
	size_t i, len;

	trim(&s, &end);
	if (s == end)
		return 0;
	for (word = s; s < end && !is_blank(*s); s++)
		;
	len = (size_t)(s - word);
	for (i = 0; i < ARRAY_LEN(keys); i++)
		if (strlen(keys[i].key) == len && !memcmp(keys[i].key, word, len))
			break;
	if (i == ARRAY_LEN(keys))
		return moore_fail(err, MOORE_ESYNTAX, line, "%.150s:%u: %.*s: unknown key: `moored "
				  "--print-config` lists the keys", path, line,
				  (int)(len < 60 ? len : 60), word);
	if (*seen >> i & 1)
		return moore_fail(err, MOORE_ESYNTAX, line, "%.150s:%u: %s: set twice: remove one",
				  path, line, keys[i].key);
	*seen |= (uint64_t)1 << i;
	trim(&s, &end);
	if (s == end)
		return moore_fail(err, MOORE_ESYNTAX, line, "%.150s:%u: %s: has no value: write "
				  "`%s %s`", path, line, keys[i].key, keys[i].key, keys[i].dflt);
	return set_key(c, &keys[i], s, (size_t)(end - s), path, line, err);
}

void
moored_conf_defaults(struct moored_conf *c)
{
	memset(c, 0, sizeof(*c));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		set_key(c, &keys[i], keys[i].dflt, strlen(keys[i].dflt), "", 0, NULL);
}

int
moored_conf_parse(struct moored_conf *c, const char *path, const char *text, size_t len,
		  struct moore_err *err)
{
	const char *end = text + len;
	struct moored_conf made;
	uint64_t seen = 0;
	unsigned line = 0;
	int rc;

	moored_conf_defaults(&made);
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		if ((rc = parse_line(&made, text, stop, path, ++line, &seen, err)) < 0)
			return rc;
		text = nl ? nl + 1 : end;
	}
	*c = made;
	return 0;
}

int
moored_conf_read(struct moored_conf *c, const char *path, struct moore_err *err)
{
	struct moore_buf text;
	int rc = file_read(path, CONF_MAX, &text, err);

	if (rc < 0)
		return rc;
	rc = moored_conf_parse(c, path, text.data, text.len, err);
	moore_buf_free(&text);
	return rc;
}

void
moored_conf_take_live(struct moored_conf *c, const struct moored_conf *from,
		      struct moore_buf *stale)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t size = keys[i].number ? sizeof(uint32_t) : keys[i].min;
		char *to = (char *)c + keys[i].offset;
		const char *of = (const char *)from + keys[i].offset;

		if (keys[i].live)
			memcpy(to, of, size);
		else if (keys[i].number ? memcmp(to, of, size) : strcmp(to, of))
			moore_buf_fmt(stale, "%s%s", stale->len ? ", " : "", keys[i].key);
	}
}

/* ---- the template -------------------------------------------------------------- */

void
moored_conf_template(struct moore_buf *out)
{
	moore_buf_fmt(out, "# moored.conf - settings of moored, which watches the fabric.\n"
		      "# Lines are `key value`; # starts a comment.  These are the defaults.\n"
		      "# SIGHUP reads it again; a key marked (restart) takes a restart.\n");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct moore_buf help = MOORE_BUF_INIT;

		moore_buf_fmt(&help, "%s%s", keys[i].help, keys[i].live ? "" : " (restart)");
		moore_buf_add(out, "\n", 1);
		moore_buf_comment(out, help.data ? help.data : "");
		moore_buf_fmt(out, "%s %s\n", keys[i].key, keys[i].dflt);
		moore_buf_free(&help);
	}
}
