// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tape.c - reads JSON (RFC 8259) into a flat list of values, without recursion: open arrays and
 * objects stand on a stack of limited depth. */
#include <stdlib.h>
#include <string.h>

#include "tape.h"

struct reader {
	struct moore_tape *t;
	const char *s, *end;
	struct moore_err *err;
	uint32_t open[MOORE_TAPE_DEPTH];	/* arrays and objects around the present place */
	unsigned depth;
};

static int
wrong(const struct reader *r, const char *why)
{
	unsigned line = 1;

	for (const char *s = r->t->text; s < r->s; s++)
		line += *s == '\n';
	return moore_fail(r->err, MOORE_ESYNTAX, line, r->s < r->end ? "%s" : "the text ends too early: %s",
			  why);
}

static void
skip_blanks(struct reader *r)
{
	while (r->s < r->end && (*r->s == ' ' || *r->s == '\n' || *r->s == '\t' || *r->s == '\r'))
		r->s++;
}

static int
add(struct reader *r, enum moore_json_kind kind, const char *at, size_t len)
{
	struct moore_tape *t = r->t;
	struct moore_json_item *item = t->item;

	if (t->n == t->cap && !(item = moore_grow(t->item, t->n, &t->cap, sizeof(*item))))
		return moore_fail_nomem(r->err);
	t->item = item;
	t->item[t->n] = (struct moore_json_item){ (uint32_t)(at - t->text), (uint32_t)len, t->n + 1,
						  (uint8_t)kind };
	t->n++;
	return 0;
}

/* ---- values ------------------------------------------------------------------------- */

/* Steps over an escape, of which r->s is the backslash. */
static bool
skip_escape(struct reader *r)
{
	if (r->end - r->s < 2 || !r->s[1] || !strchr("\"\\/bfnrtu", r->s[1]))
		return false;
	if (r->s[1] == 'u')
		for (int i = 2; i < 6; i++)
			if (r->end - r->s <= i || !r->s[i] || !strchr("0123456789abcdefABCDEF", r->s[i]))
				return false;
	r->s += r->s[1] == 'u' ? 6 : 2;
	return true;
}

static int
read_string(struct reader *r)
{
	const char *from = ++r->s;

	for (;;) {
		while (r->s < r->end && *r->s != '"' && *r->s != '\\' && (unsigned char)*r->s >= ' ')
			r->s++;
		if (r->s == r->end)
			return wrong(r, "a string is not closed");
		if (*r->s == '"')
			return add(r, MOORE_JSON_STRING, from, (size_t)(r->s++ - from));
		if (*r->s != '\\')
			return wrong(r, "a string holds a control character");
		if (!skip_escape(r))
			return wrong(r, "a string holds an unknown escape");
	}
}

static size_t
skip_digits(struct reader *r)
{
	const char *from = r->s;

	while (r->s < r->end && *r->s >= '0' && *r->s <= '9')
		r->s++;
	return (size_t)(r->s - from);
}

static int
read_number(struct reader *r)
{
	const char *from = r->s;
	bool good;

	r->s += *r->s == '-';
	good = r->s < r->end && (*r->s == '0' ? (r->s++, true) : skip_digits(r) > 0);
	if (good && r->s < r->end && *r->s == '.') {
		r->s++;
		good = skip_digits(r) > 0;
	}
	if (good && r->s < r->end && (*r->s == 'e' || *r->s == 'E')) {
		r->s++;
		r->s += r->s < r->end && (*r->s == '-' || *r->s == '+');
		good = skip_digits(r) > 0;
	}
	return good ? add(r, MOORE_JSON_NUMBER, from, (size_t)(r->s - from)) :
	       wrong(r, "a value is wanted");
}

static int
read_word(struct reader *r)
{
	static const struct { const char *word; enum moore_json_kind kind; } word[] = {
		{ "true", MOORE_JSON_TRUE }, { "false", MOORE_JSON_FALSE }, { "null", MOORE_JSON_NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(word); i++) {
		size_t n = strlen(word[i].word);

		if ((size_t)(r->end - r->s) >= n && !memcmp(r->s, word[i].word, n)) {
			r->s += n;
			return add(r, word[i].kind, r->s - n, n);
		}
	}
	return read_number(r);
}

/* Reads a value; of an array or object, only its bracket. */
static int
read_value(struct reader *r)
{
	int rc;

	skip_blanks(r);
	if (r->s == r->end)
		return wrong(r, "a value is wanted");
	if (*r->s == '"')
		return read_string(r);
	if (*r->s != '{' && *r->s != '[')
		return read_word(r);
	if (r->depth == MOORE_TAPE_DEPTH)
		return wrong(r, "arrays and objects are nested too deeply");
	r->open[r->depth++] = r->t->n;
	rc = add(r, *r->s == '{' ? MOORE_JSON_OBJECT : MOORE_JSON_ARRAY, r->s, 0);
	r->s++;
	return rc;
}

/* Whether an earlier key of the object has the text of the last item. */
static bool
is_twice(const struct moore_tape *t, uint32_t object)
{
	const struct moore_json_item *key = &t->item[t->n - 1];

	for (uint32_t k = object + 1; k < t->n - 1; k = t->item[k + 1].next)
		if (t->item[k].len == key->len &&
		    !memcmp(t->text + t->item[k].at, t->text + key->at, key->len))
			return true;
	return false;
}

static int
read_key(struct reader *r)
{
	uint32_t object = r->open[r->depth - 1];
	int rc;

	skip_blanks(r);
	if (r->s == r->end || *r->s != '"')
		return wrong(r, "a key in quotes is wanted");
	if (r->t->item[object].len > MOORE_TAPE_KEYS)
		return wrong(r, "an object has more than 1024 keys");
	if ((rc = read_string(r)) < 0)
		return rc;
	if (is_twice(r->t, object))
		return wrong(r, "a key is there twice");
	skip_blanks(r);
	if (r->s == r->end || *r->s != ':')
		return wrong(r, "a colon is wanted");
	r->s++;
	return 0;
}

/* ---- the text ----------------------------------------------------------------------- */

/* Goes on in the innermost array or object: closes it, or reads its next value. */
static int
step(struct reader *r)
{
	uint32_t in = r->open[r->depth - 1];
	struct moore_json_item *item = &r->t->item[in];
	bool is_object = item->kind == MOORE_JSON_OBJECT;
	int rc;

	skip_blanks(r);
	if (r->s < r->end && *r->s == (is_object ? '}' : ']')) {
		r->s++;
		r->depth--;
		item->next = r->t->n;
		return 0;
	}
	if (item->len++) {
		if (r->s == r->end || *r->s != ',')
			return wrong(r, is_object ? "a comma or } is wanted" : "a comma or ] is wanted");
		r->s++;
	}
	if (is_object && (rc = read_key(r)) < 0)
		return rc;
	return read_value(r);
}

int
moore_tape_read(struct moore_tape *t, const char *text, size_t len, struct moore_err *err)
{
	struct reader r = { .t = t, .s = text, .end = text + len, .err = err };
	int rc;

	*t = (struct moore_tape){ .text = text };
	if ((rc = add(&r, MOORE_JSON_NULL, text, 0)) == 0)	/* none */
		rc = read_value(&r);
	while (rc == 0 && r.depth)
		rc = step(&r);
	skip_blanks(&r);
	if (rc == 0 && r.s < r.end)
		rc = wrong(&r, "something follows the value");
	if (rc < 0)
		moore_tape_fini(t);
	return rc;
}

void
moore_tape_fini(struct moore_tape *t)
{
	free(t->item);
	*t = (struct moore_tape){ NULL };
}

/* ---- what it holds ------------------------------------------------------------------ */

bool
moore_tape_is_text(const struct moore_tape *t, uint32_t i, const char *text)
{
	size_t n = strlen(text);

	return moore_tape_is(t, i, MOORE_JSON_STRING) && t->item[i].len == n &&
	       !memcmp(t->text + t->item[i].at, text, n);
}

uint32_t
moore_tape_get(const struct moore_tape *t, uint32_t i, const char *key)
{
	if (!moore_tape_is(t, i, MOORE_JSON_OBJECT))
		return 0;
	for (uint32_t k = i + 1; k < t->item[i].next; k = t->item[k + 1].next)
		if (moore_tape_is_text(t, k, key))
			return k + 1;
	return 0;
}

/* The character of an escape, of which s is behind the backslash; *len becomes its length. */
static char
escaped(const char *s, size_t *len)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *at, *digits = s + 1;
	uint64_t c;

	*len = *s == 'u' ? 5 : 1;
	if (*s == 'u')
		return moore_text_u64(&digits, s + 5, 16, 0x7f, &c) ? (char)c : '?';
	return (at = strchr(from, *s)) ? to[at - from] : *s;
}

bool
moore_tape_text(const struct moore_tape *t, uint32_t i, char *out, size_t size)
{
	const char *s = t->text + t->item[i].at, *end = s + t->item[i].len;
	size_t n = 0, len;

	if (!moore_tape_is(t, i, MOORE_JSON_STRING))
		return false;
	for (; s < end && n < size - 1; s += len) {
		len = 1;
		if (*s == '\\') {
			out[n] = escaped(s + 1, &len);
			len++;
		} else {
			out[n] = *s;
		}
		if (!out[n++])
			return false;
	}
	out[n] = '\0';
	return s == end;
}

uint64_t
moore_tape_number(const struct moore_tape *t, uint32_t i, uint64_t max)
{
	const char *s = t->text + t->item[i].at, *end = s + t->item[i].len;
	uint64_t n;

	return moore_tape_is(t, i, MOORE_JSON_NUMBER) && moore_text_u64(&s, end, 10, max, &n) &&
	       s == end ? n : 0;
}
