// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* opensm_conf.c - reads the lines of opensm.conf as OpenSM 3.3 does (osm_subnet.c): # ends
 * a line anywhere, the last line with a key is in force, and blanks and then quotes around
 * a value are stripped. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

static void
set_value(struct cli_setting *s, const char *p, const char *end)
{
	while (p < end && isspace((unsigned char)*p))
		p++;
	while (p < end && isspace((unsigned char)end[-1]))
		end--;
	if (end - p >= 2 && *p == end[-1] && (*p == '"' || *p == '\'')) {
		p++;
		end--;
	}
	snprintf(s->value, sizeof(s->value), "%.*s", (int)(end - p), p);
}

bool
cli_next_setting(const char **text, struct cli_setting *s)
{
	while (*text && **text) {
		const char *p = *text + strspn(*text, " \t");
		const char *end = *text + strcspn(*text, "\n");
		const char *stop = memchr(*text, '#', (size_t)(end - *text));
		size_t n;

		stop = stop ? stop : end;
		*text = *end ? end + 1 : end;
		s->line++;
		for (n = 0; p + n < stop && !isspace((unsigned char)p[n]); n++)
			;
		if (p >= stop || !n)
			continue;
		snprintf(s->key, sizeof(s->key), "%.*s", (int)n, p);
		set_value(s, p + n, stop);
		return true;
	}
	return false;
}

void
cli_find_setting(const char *text, const char *key, struct cli_setting *out)
{
	struct cli_setting s = { .line = 0 };

	*out = (struct cli_setting){ .line = 0 };
	snprintf(out->key, sizeof(out->key), "%s", key);
	while (cli_next_setting(&text, &s))
		if (!strcmp(s.key, key))
			*out = s;
}

bool
cli_has_word(const char *value, const char *word, bool *first)
{
	const char *p = value;
	bool leading = true;

	for (; *(p += strspn(p, ", \t")); leading = false) {
		size_t n = strcspn(p, ", \t");

		if (n == strlen(word) && !strncmp(p, word, n)) {
			*first = leading;
			return true;
		}
		p += n;
	}
	return false;
}

const char *
cli_moore_conf_in(const char *value, size_t *len)
{
	static const char key[] = "moore_conf=";
	const char *at = strstr(value, key);

	if (!at || (at > value && !strchr(" \t,", at[-1])))
		return NULL;
	at += strlen(key);
	*len = strcspn(at, " \t");
	return at;
}

bool
cli_moore_conf_of(const char *opensm_conf, char *path, size_t size)
{
	struct cli_setting s;
	const char *at;
	size_t n = 0;

	cli_find_setting(opensm_conf, "event_plugin_options", &s);
	if ((at = cli_moore_conf_in(s.value, &n)))
		snprintf(path, size, "%.*s", (int)n, at);
	else
		snprintf(path, size, "%s", MOORE_SYSCONFDIR "/moore/moore.conf");
	return at != NULL;
}
