// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* links.c - parses the text that names links and switches to spare.
 *
 * A line is parsed from its end: the action, then a port after the last colon; the rest is
 * the name.  So names may contain blanks and colons, as those of real switches do. */
#include <stdlib.h>
#include <string.h>

#include "moore/links.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void
trim(const char **s, const char **end)
{
	while (*s < *end && is_blank(**s))
		(*s)++;
	while (*end > *s && is_blank((*end)[-1]))
		(*end)--;
}

/* Cuts the last word off the text s..*end and returns its start; *end is then before it. */
static const char *
last_word(const char *s, const char **end, size_t *len)
{
	const char *p = *end, *stop = *end;

	while (p > s && !is_blank(p[-1]))
		p--;
	*len = (size_t)(stop - p);
	*end = p;
	trim(&s, end);
	return p;
}

static bool
is_word(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

/* `avoid` or `weight N` at the end of the line. */
static int
take_action(struct moore_link_rule *r, const char *s, const char **end, struct moore_err *err)
{
	size_t len;
	const char *word = last_word(s, end, &len), *p = word, *before;
	uint64_t v = 0;
	size_t n;

	if (is_word(word, len, "avoid")) {
		r->weight = MOORE_LINK_AVOID;
		return 0;
	}
	before = last_word(s, end, &n);
	if (!moore_text_u64(&p, word + len, 10, MOORE_LINK_WEIGHT_MAX, &v) || p != word + len || !v ||
	    !is_word(before, n, "weight"))
		return moore_fail(err, MOORE_ESYNTAX, r->line,
				  "\"%.*s\" is neither avoid nor weight 1..%u: write `NAME[:PORT] avoid` "
				  "or `NAME[:PORT] weight N`", (int)(len < 80 ? len : 80), word,
				  MOORE_LINK_WEIGHT_MAX);
	r->weight = (uint8_t)v;
	return 0;
}

/* NAME[:PORT]: digits after the last colon are a port. */
static int
take_name(struct moore_link_rule *r, const char *s, const char *end, struct moore_err *err)
{
	const char *colon = end, *p;
	uint64_t v;

	while (colon > s && colon[-1] != ':')
		colon--;
	p = colon;
	if (colon > s && moore_text_u64(&p, end, 10, UINT64_MAX, &v) && p == end) {
		if (!v || v > MOORE_PORT_MAX)
			return moore_fail(err, MOORE_ESYNTAX, r->line, "port %llu is not 1 to %u",
					  (unsigned long long)v, MOORE_PORT_MAX);
		r->port = (moore_portnum)v;
		end = colon - 1;
	}
	if (s == end || memchr(s, '\0', (size_t)(end - s)))
		return moore_fail(err, MOORE_ESYNTAX, r->line,
				  "no switch is named: write its name or 0xGUID first");
	p = s;
	if (end - s > 2 && s[0] == '0' && s[1] == 'x' &&
	    moore_text_u64(&p, end, 0, UINT64_MAX, &v) && p == end) {
		r->guid = v;
		return 0;
	}
	r->name = moore_strndup(s, (size_t)(end - s));
	return r->name ? 0 : moore_fail_nomem(err);
}

static int
take_line(struct moore_links *l, const char *s, const char *end, unsigned line,
	  struct moore_err *err)
{
	struct moore_link_rule *r = &l->rule[l->n];
	int rc;

	for (const char *p = s; p < end; p++)
		if (*p == '#' && (p == s || is_blank(p[-1])))
			end = p;
	trim(&s, &end);
	if (s == end)
		return 0;
	*r = (struct moore_link_rule){ .line = line };
	if ((rc = take_action(r, s, &end, err)) < 0 || (rc = take_name(r, s, end, err)) < 0)
		return rc;
	l->n++;
	return 0;
}

int
moore_links_parse(struct moore_links **out, const char *text, size_t len, struct moore_err *err)
{
	struct moore_links *l = calloc(1, sizeof(*l));
	const char *end = text + len;
	size_t n_lines = 1;
	unsigned line = 0;
	int rc = 0;

	*out = NULL;
	for (const char *p = text; p < end; p++)
		n_lines += *p == '\n';
	if (!l || !(l->rule = calloc(n_lines, sizeof(*l->rule)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	while (text < end && rc == 0) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		rc = take_line(l, text, stop, ++line, err);
		text = nl ? nl + 1 : end;
	}
	if (rc == 0) {
		*out = l;
		l = NULL;
	}
out:
	moore_links_free(l);
	return rc;
}

void
moore_links_free(struct moore_links *l)
{
	if (!l)
		return;
	for (size_t i = 0; l->rule && i < l->n; i++)
		free(l->rule[i].name);
	free(l->rule);
	free(l);
}

uint64_t
moore_links_hash(uint64_t h, const struct moore_links *l)
{
	for (size_t i = 0; l && i < l->n; i++) {
		const struct moore_link_rule *r = &l->rule[i];

		if (r->name)
			h = moore_hash(h, r->name, strlen(r->name) + 1);
		h = moore_hash(h, &r->guid, sizeof(r->guid));
		h = moore_hash(h, &r->port, sizeof(r->port));
		h = moore_hash(h, &r->weight, sizeof(r->weight));
	}
	return h;
}
