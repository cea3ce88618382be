// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* keys.c - reads `key value` files by a table of keys, and writes their templates. */
#include <string.h>

#include "moore/keys.h"

enum { SHOWN = 60 };		/* bytes of a wrong value that a message quotes */

/* The place of a value; messages begin with it. */
struct place {
	const char *path;	/* NULL: the file has no name */
	unsigned line;
	struct moore_err *err;
};

/* A part of the text, which is not copied. */
struct part {
	const char *s, *end;
};

static size_t
length(struct part p)
{
	return (size_t)(p.end - p.s);
}

static int
shown(struct part p)
{
	return length(p) < SHOWN ? (int)length(p) : SHOWN;
}

static int
refuse(const struct place *at, const char *fmt, ...) MOORE_PRINTF(2, 3);

static int
refuse(const struct place *at, const char *fmt, ...)
{
	struct moore_buf b = MOORE_BUF_INIT;
	va_list ap;
	int rc;

	if (at->path)
		moore_buf_fmt(&b, "%.150s:%u: ", at->path, at->line);
	va_start(ap, fmt);
	moore_buf_vfmt(&b, fmt, ap);
	va_end(ap);
	rc = b.oom ? moore_fail_nomem(at->err) :
		moore_fail(at->err, MOORE_ESYNTAX, at->line, "%s", b.data);
	moore_buf_free(&b);
	return rc;
}

/* ---- values ------------------------------------------------------------------------- */

static int
set_number(void *field, const struct moore_key *k, struct part v, const struct place *at)
{
	const char *p = v.s;
	uint64_t wide;
	uint32_t narrow;

	if (!moore_text_u64(&p, v.end, 0, k->max, &wide) || p != v.end || wide < k->min)
		return refuse(at, "%s: \"%.*s\" is not a number from %llu to %llu", k->key, shown(v),
			      v.s, (unsigned long long)k->min, (unsigned long long)k->max);
	narrow = (uint32_t)wide;
	if (k->type == MOORE_KEY_U32)
		memcpy(field, &narrow, sizeof(narrow));
	else
		memcpy(field, &wide, sizeof(wide));
	return 0;
}

static int
set_text(char *field, const struct moore_key *k, struct part v, const struct place *at)
{
	if (length(v) == 6 && !memcmp(v.s, "(null)", 6))
		v.end = v.s;
	if (length(v) >= k->max || memchr(v.s, '\0', length(v)))
		return refuse(at, "%s: longer than %llu bytes, or it holds a NUL", k->key,
			      (unsigned long long)k->max - 1);
	memcpy(field, v.s, length(v));
	field[length(v)] = '\0';
	return 0;
}

static int
set_word(void *field, const struct moore_key *k, struct part v, const struct place *at)
{
	uint32_t position = 0;

	for (const char *w = k->words;; w++, position++) {
		size_t n = strcspn(w, "|");

		if (n == length(v) && !memcmp(w, v.s, n)) {
			memcpy(field, &position, sizeof(position));
			return 0;
		}
		w += n;
		if (!*w)
			break;
	}
	return refuse(at, "%s: \"%.*s\" is none of %s", k->key, shown(v), v.s, k->words);
}

static int
set_per_sl(void *field, const struct moore_key *k, struct part v, const struct place *at)
{
	uint8_t of[MOORE_N_SL];
	const char *p = v.s;
	uint64_t x = 0;
	unsigned n = 0;

	do {
		if (n == MOORE_N_SL || !moore_text_u64(&p, v.end, 10, k->max, &x) || x < k->min)
			break;
		of[n++] = (uint8_t)x;
	} while (p < v.end && *p == ',' && ++p);
	if (!n || p != v.end || p[-1] == ',')
		return refuse(at, "%s: \"%.*s\" is not 1 to %u numbers from %llu to %llu with commas "
			      "between", k->key, shown(v), v.s, MOORE_N_SL,
			      (unsigned long long)k->min, (unsigned long long)k->max);
	while (n < MOORE_N_SL)
		of[n++] = (uint8_t)x;
	memcpy(field, of, sizeof(of));
	return 0;
}

static int
set_value(void *out, const struct moore_key *k, struct part v, const struct place *at)
{
	char *field = (char *)out + k->offset;

	switch (k->type) {
	case MOORE_KEY_TEXT:
		return set_text(field, k, v, at);
	case MOORE_KEY_WORD:
		return set_word(field, k, v, at);
	case MOORE_KEY_PER_SL:
		return set_per_sl(field, k, v, at);
	case MOORE_KEY_U32:
	case MOORE_KEY_U64:
		break;
	}
	return set_number(field, k, v, at);
}

/* ---- lines -------------------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Removes a comment from the end of p, and blanks from both ends. */
static struct part
trim(struct part p)
{
	while (p.s < p.end && is_blank(*p.s))
		p.s++;
	for (const char *c = p.s; c < p.end; c++)
		if (*c == '#' && (c == p.s || is_blank(c[-1])))
			p.end = c;
	while (p.end > p.s && is_blank(p.end[-1]))
		p.end--;
	return p;
}

static const struct moore_key *
find_key(const struct moore_keys *t, struct part word)
{
	for (size_t i = 0; i < t->n; i++)
		if (strlen(t->row[i].key) == length(word) &&
		    !memcmp(t->row[i].key, word.s, length(word)))
			return &t->row[i];
	return NULL;
}

static int
parse_line(const struct moore_keys *t, void *out, struct part p, unsigned *line,
	   const struct place *at)
{
	struct part word = { trim(p).s, trim(p).s }, value;
	const struct moore_key *k;

	p = trim(p);
	if (p.s == p.end)
		return 0;
	while (word.end < p.end && !is_blank(*word.end))
		word.end++;
	if (!(k = find_key(t, word)))
		return refuse(at, "%.*s: unknown key: `%s` lists the keys", shown(word), word.s,
			      t->lister);
	if (line[k - t->row])
		return refuse(at, "%s: set twice: remove one", k->key);
	line[k - t->row] = at->line;
	value = trim((struct part){ word.end, p.end });
	if (value.s == value.end)
		return refuse(at, "%s: has no value: write `%s %s`", k->key, k->key, k->dflt);
	return set_value(out, k, value, at);
}

void
moore_keys_defaults(const struct moore_keys *t, void *out)
{
	const struct place nowhere = { NULL, 0, NULL };

	for (size_t i = 0; i < t->n; i++) {
		const char *v = t->row[i].dflt;

		set_value(out, &t->row[i], (struct part){ v, v + strlen(v) }, &nowhere);
	}
}

int
moore_keys_parse(const struct moore_keys *t, void *out, const char *path, const char *text,
		 size_t len, unsigned *line, struct moore_err *err)
{
	unsigned seen[MOORE_KEYS_MAX] = { 0 };	/* line of each key that was read */
	struct place at = { path, 0, err };
	const char *end = text + len;
	int rc;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		const char *stop = nl ? nl : end;

		at.line++;
		if ((rc = parse_line(t, out, (struct part){ text, stop }, seen, &at)) < 0)
			return rc;
		text = nl ? nl + 1 : end;
	}
	if (line)
		memcpy(line, seen, t->n * sizeof(*line));
	return 0;
}

void
moore_keys_skip(char *text, size_t len, unsigned line)
{
	char *end = text + len;

	for (unsigned at = 1; text < end && at <= line; text++) {
		if (*text == '\n')
			at++;
		else if (at == line)
			*text = ' ';
	}
}

unsigned
moore_keys_line(const char *text, size_t len, const char *key)
{
	const char *end = text + len;

	for (unsigned line = 1; text < end; line++) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct part p = trim((struct part){ text, nl ? nl : end });
		size_t n = strlen(key);

		if (length(p) > n && !memcmp(p.s, key, n) && is_blank(p.s[n]))
			return line;
		text = nl ? nl + 1 : end;
	}
	return 0;
}

int
moore_keys_set(const struct moore_keys *t, void *out, const char *key, const char *value,
	       struct moore_err *err)
{
	const struct moore_key *k = find_key(t, (struct part){ key, key + strlen(key) });

	return set_value(out, k, (struct part){ value, value + strlen(value) },
			 &(struct place){ NULL, 0, err });
}

void
moore_keys_template(const struct moore_keys *t, struct moore_buf *out)
{
	moore_buf_fmt(out, "%s", t->head);
	for (size_t i = 0; i < t->n; i++) {
		const struct moore_key *k = &t->row[i];
		struct moore_buf help = MOORE_BUF_INIT;

		moore_buf_fmt(&help, "%s%s", k->help, k->restart ? " (restart)" : "");
		moore_buf_add(out, "\n", 1);
		moore_buf_comment(out, help.data ? help.data : "");
		moore_buf_fmt(out, "%s %s\n", k->key, k->dflt);
		out->oom |= help.oom;
		moore_buf_free(&help);
	}
}
