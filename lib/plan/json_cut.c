// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* json_cut.c - where the values of a JSON text begin and end.  The words of the errors
 * are jansson's where it has some. */
#include <string.h>

#include "json_cut.h"

int
moore_cut_peek(struct moore_cut *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' ||
				  *c->at == '\r'))
		c->at++;
	return c->at < c->end ? (unsigned char)*c->at : -1;
}

bool
moore_cut_char(struct moore_cut *c, char want)
{
	if (moore_cut_peek(c) != want)
		return false;
	c->at++;
	return true;
}

int
moore_cut_fail(const struct moore_cut *c, const char *at, const char *what, struct moore_err *err)
{
	unsigned line = 1, column = 0;

	for (const char *s = c->text; s < at; s++) {
		line += *s == '\n';
		column = *s == '\n' ? 0 : column + ((*s & 0xc0) != 0x80);	/* characters */
	}
	return moore_fail(err, MOORE_ESYNTAX, line, "column %u: %s", column, what);
}

/* The byte after the string that opens at s, or NULL when it is not closed before end. */
static const char *
skip_string(const char *s, const char *end)
{
	for (s++; s < end && *s != '"'; s++)
		if (*s == '\\' && ++s == end)
			return NULL;
	return s < end ? s + 1 : NULL;
}

/* The byte after the value that begins at s, or NULL when end comes first.  Brackets are
 * counted whatever their kind: the parser of the slice finds a wrong one. */
static const char *
skip_value(const char *s, const char *end)
{
	size_t depth = 0;

	while (s < end) {
		if (*s == '"') {
			if (!(s = skip_string(s, end)) || !depth)
				return s;
			continue;
		}
		if (*s == '{' || *s == '[')
			depth++;
		else if ((*s == '}' || *s == ']') && (!depth || !--depth))
			return s + 1;
		s++;
		if (!depth && (s == end || strchr(" \t\r\n,]}", *s)))
			return s;
	}
	return NULL;
}

int
moore_cut_value(struct moore_cut *c, const char **slice, struct moore_err *err)
{
	const int first = moore_cut_peek(c);
	const bool cut = (size_t)(c->end - c->at) > MOORE_CUT_VALUE_MAX;
	const char *end = cut ? c->at + MOORE_CUT_VALUE_MAX : c->end, *after;

	if (first < 0)
		return moore_cut_fail(c, c->at, "the text ends where a value is expected: is the "
				      "file whole?", err);
	if (strchr(",:]}", first))
		return moore_cut_fail(c, c->at, "unexpected token: a value is expected", err);
	if (!(after = skip_value(c->at, end)))
		return cut ? moore_cut_fail(c, c->at, "this value is longer than 65536 bytes: "
					    "nothing in a plan is", err) :
		       moore_cut_fail(c, c->end, "the text ends inside a value: is the file "
				      "whole?", err);
	*slice = c->at;
	c->at = after;
	return 0;
}

int
moore_cut_array(struct moore_cut *c, uint32_t max, uint32_t *n, struct moore_err *err)
{
	const char *slice;
	int rc;

	*n = 0;
	c->at++;
	if (moore_cut_char(c, ']'))
		return 0;
	do {
		if (*n == max)
			return 1;
		if ((rc = moore_cut_value(c, &slice, err)) < 0)
			return rc;
		++*n;
	} while (moore_cut_char(c, ','));
	return moore_cut_char(c, ']') ? 0 :
	       moore_cut_fail(c, c->at, c->at == c->end ? "']' expected near end of file" :
			      "',' or ']' expected", err);
}
