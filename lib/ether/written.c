// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* written.c - whether a file that holds neither routes nor classes, such as the addresses of a switch, has
 * every line that is written into it.
 *
 * Their order and further lines are left alone: a file that was made with --fail also has the ports of
 * what failed, and a site may add settings of its own.  But of several lines KEY=VALUE with one key, as in
 * sysctl.conf and env, the last one counts; no further line of `ip`, here or in a file that is loaded later, may
 * undo one before it (undone.c); and none may be a route to addresses of the network,
 * or give one of them to a port. */
#include <stdlib.h>
#include <string.h>

#include "ether_impl.h"

struct line {
	const char *at;
	size_t len;
};

static int
by_text(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int d = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

	return d ? d : (x->len > y->len) - (x->len < y->len);
}

/* Takes the next line that is neither empty nor a comment; false at the end of the text. */
static bool
next_line(const char **text, const char *end, struct line *out)
{
	while (*text < end) {
		const char *nl = memchr(*text, '\n', (size_t)(end - *text));

		*out = (struct line){ *text, (size_t)((nl ? nl : end) - *text) };
		*text = nl ? nl + 1 : end;
		if (out->len && *out->at != '#')
			return true;
	}
	return false;
}

static int
split(struct line **out, size_t *n, const char *text, size_t len, struct moore_err *err)
{
	const char *end = text + len;
	struct line line;
	size_t room = 1;

	for (size_t i = 0; i < len; i++)
		room += text[i] == '\n';
	*n = 0;
	if (!(*out = malloc((room + 1) * sizeof(**out))))
		return moore_fail_nomem(err);
	while (next_line(&text, end, &line))
		(*out)[(*n)++] = line;
	qsort(*out, *n, sizeof(**out), by_text);
	return 0;
}

/* Leaves the text without the blanks around it. */
static struct line
trimmed(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	return (struct line){ at, (size_t)(end - at) };
}

/* What stands before the first = of a line, without the word `export` and the - by which sysctl leaves an error
 * unsaid; empty when there is no =.  *value is what stands behind it. */
static struct line
key_of(const struct line *l, struct line *value)
{
	const char *end = memchr(l->at, '=', l->len);
	struct line key = trimmed(l->at, end ? end : l->at);

	*value = end ? trimmed(end + 1, l->at + l->len) : key;
	if (key.len > 7 && !memcmp(key.at, "export ", 7))
		key = trimmed(key.at + 7, key.at + key.len);
	else if (key.len > 1 && *key.at == '-')
		key = (struct line){ key.at + 1, key.len - 1 };
	return key;
}

/* sysctl takes a / between the parts of a key as well. */
static bool
same_key(const struct line *a, const struct line *b)
{
	size_t i = 0;

	while (a->len == b->len && i < a->len &&
	       (a->at[i] == b->at[i] || (a->at[i] == '.' && b->at[i] == '/')))
		i++;
	return a->len == b->len && i == a->len;
}

/* The number of the line of text that begins at `at`. */
static unsigned
number_of(const char *text, const char *at)
{
	unsigned number = 1;

	for (; text < at; text++)
		number += *text == '\n';
	return number;
}

/* The number of the last line that has the key of `want`, if its value differs from that; else 0. */
static unsigned
overruled_by(const struct line *want, const char *text, size_t len)
{
	struct line value, line, other;
	const struct line key = key_of(want, &value);
	const char *from = text, *end = text + len, *by = NULL;

	while (key.len && next_line(&from, end, &line)) {
		const struct line of = key_of(&line, &other);

		if (same_key(&key, &of))
			by = by_text(&value, &other) == 0 ? NULL : line.at;
	}
	return by ? number_of(text, by) : 0;
}

/* Leaves those lines of text, in their sequence, that are not among the n sorted ones of known[]. */
static size_t
keep_further(struct line *out, const char *text, size_t len, const struct line *known, size_t n)
{
	const char *end = text + len;
	struct line line;
	size_t n_out = 0;

	while (next_line(&text, end, &line))
		if (!bsearch(&line, known, n, sizeof(*known), by_text))
			out[n_out++] = line;
	return n_out;
}

/* The number of the line of further[], from `last` on, that undoes `want`; else 0. */
static unsigned
undone_by(const struct line *want, const char *last, const struct line *further, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (further[i].at >= last && moore_ether_undoes(further[i].at, further[i].len, want->at, want->len))
			return number_of(text, further[i].at);
	return 0;
}

/* The last place of a line in the sorted lines has[n], or NULL. */
static const char *
last_place(const struct line *want, const struct line *has, size_t n)
{
	const struct line *at = bsearch(want, has, n, sizeof(*has), by_text);
	const char *last = at ? at->at : NULL;

	while (at && at > has && by_text(at - 1, want) == 0)
		at--;
	for (; at && at < has + n && by_text(at, want) == 0; at++)
		last = at->at > last ? at->at : last;
	return last;
}

/* A file, and what stands in it beside the lines that are written into it, in their sequence. */
struct split {
	struct line *has, *further;	/* has is sorted */
	size_t n, n_further;
};

static void
split_fini(struct split *s)
{
	free(s->has);
	free(s->further);
}

static int
split_init(struct split *s, const struct moore_ether_file *file, struct moore_err *err)
{
	struct line *known = NULL;
	size_t n_known;
	int rc;

	*s = (struct split){ NULL };
	if (file->want->oom)
		return moore_fail_nomem(err);
	if ((rc = split(&s->has, &s->n, file->text, file->len, err)) == 0 &&
	    (rc = split(&s->further, &s->n_further, file->text, file->len, err)) == 0 &&
	    (rc = split(&known, &n_known, file->want->data ? file->want->data : "", file->want->len, err)) == 0)
		s->n_further = keep_further(s->further, file->text, file->len, known, n_known);
	free(known);
	return rc;
}

/* Adds a fault in a file: the line of that number, or its absence, concerns `want`. */
static void
add_at(struct moore_ether_faults *f, const struct moore_ether_file *file, unsigned number, const struct line *want)
{
	struct moore_ether_fault fault = *file->at;

	fault.line = number;
	memcpy(fault.lacks, want->at, want->len < sizeof(fault.lacks) ? want->len : sizeof(fault.lacks) - 1);
	moore_ether_add_fault(f, &fault);
}

/* Takes the next line that is written into a file. */
static bool
next_wanted(const char **from, const struct moore_ether_file *file, struct line *out)
{
	const char *end = file->want->data ? file->want->data + file->want->len : NULL;

	if (!*from)
		*from = file->want->data;
	return *from && next_line(from, end, out);
}

/* Whether a line is a route to addresses of the network, other than by the way of one that is written, or gives
 * one of them to a port. */
static bool
leads_off(const struct moore_ether *x, const struct moore_ether_file *file, const struct line *line)
{
	const char *from = NULL;
	struct line want;

	if (!moore_ether_leads_into(x, file->at->host != MOORE_NONE, line->at, line->len))
		return false;
	while (next_wanted(&from, file, &want))
		if (moore_ether_same_way(line->at, line->len, want.at, want.len))
			return false;
	return true;
}

int
moore_ether_check_lines(struct moore_ether_faults *f, const struct moore_ether *x, const struct moore_ether_file *file,
			struct moore_err *err)
{
	const char *from = NULL;
	struct line line;
	struct split s;
	int rc = split_init(&s, file, err);

	while (rc == 0 && next_wanted(&from, file, &line)) {
		const char *last = last_place(&line, s.has, s.n);
		unsigned by = overruled_by(&line, file->text, file->len);

		if (!by && last)
			by = undone_by(&line, last, s.further, s.n_further, file->text);
		if (by || !last)
			add_at(f, file, by, &line);
	}
	for (size_t i = 0; rc == 0 && i < s.n_further; i++)
		if (leads_off(x, file, &s.further[i]))
			add_at(f, file, number_of(file->text, s.further[i].at), &(struct line){ "", 0 });
	split_fini(&s);
	return rc;
}

int
moore_ether_check_later(struct moore_ether_faults *f, const struct moore_ether_file *file,
			const struct moore_ether_file *later, struct moore_err *err)
{
	const char *from = NULL;
	struct line line;
	struct split s;
	int rc = split_init(&s, later, err);

	while (rc == 0 && s.n_further && next_wanted(&from, file, &line)) {
		unsigned by = undone_by(&line, later->text, s.further, s.n_further, later->text);

		if (by)
			add_at(f, later, by, &line);
	}
	split_fini(&s);
	return rc;
}
