// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* amounts.c - reads a traffic matrix: a line for each pair of endpoints.
 *
 * A matrix repeats few words, so each is looked up once in the fabric and then remembered by
 * its hash. */
#include <stdlib.h>
#include <string.h>

#include "fabric/guid_map.h"
#include "moore/shares.h"

#define WORD_MAX 256		/* bytes of a word */
#define WORDS_EACH 4		/* words that are remembered for each endpoint: its name, LIDs, GUIDs */

struct word {
	const char *s;
	size_t len;
};

struct reader {
	const struct moore_fabric *f;
	struct moore_guid_map known;	/* hash of a word to its endpoint */
	size_t n_known;
	unsigned line;
	struct moore_amount *a;
	uint32_t n, cap;
	struct moore_err *err;
};

static int
shown(struct word w)
{
	return (int)(w.len < 60 ? w.len : 60);
}

/* Takes the next word of *s..end; one of length 0 at the end.  A carriage return ends a word,
 * too, so that files of other systems can be read. */
static struct word
take(const char **s, const char *end, char space)
{
	struct word w;

	while (*s < end && (**s == space || **s == '\r'))
		(*s)++;
	w.s = *s;
	while (*s < end && **s != space && **s != '\r')
		(*s)++;
	w.len = (size_t)(*s - w.s);
	return w;
}

static int
find(struct reader *r, struct word w, moore_epid *ep)
{
	char name[WORD_MAX];
	struct moore_err why;
	moore_swid sw;

	if (w.len >= sizeof(name))
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "\"%.*s...\": longer than a name",
				  shown(w), w.s);
	memcpy(name, w.s, w.len);
	name[w.len] = '\0';
	if (moore_fabric_find(r->f, name, &sw, ep, &why) < 0)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "%s", why.text);
	if (*ep == MOORE_NONE)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "%s: is a switch: name an endpoint",
				  name);
	if (r->f->ep[*ep].sw == MOORE_NONE || !r->f->ep[*ep].lid)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "%s: has no %s, so nothing can be sent",
				  name, r->f->ep[*ep].lid ? "link" : "LID");
	return 0;
}

static int
look_up(struct reader *r, struct word w, moore_epid *ep)
{
	const uint64_t key = moore_hash(MOORE_HASH_INIT, w.s, w.len);
	int rc;

	if ((*ep = moore_guid_map_get(&r->known, key)) != MOORE_NONE)
		return 0;
	if ((rc = find(r, w, ep)) == 0 && r->n_known < (size_t)r->f->n_endpoints * WORDS_EACH) {
		moore_guid_map_put(&r->known, key, *ep);
		r->n_known++;
	}
	return rc;
}

static int
keep(struct reader *r, struct moore_amount a)
{
	struct moore_amount *grown;

	if (a.from == a.to || a.amount <= 0)
		return 0;
	if (r->n == MOORE_AMOUNTS_MAX)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "more than %u pairs", MOORE_AMOUNTS_MAX);
	if (!(grown = moore_grow(r->a, r->n, &r->cap, sizeof(*r->a))))
		return moore_fail_nomem(r->err);
	r->a = grown;
	r->a[r->n++] = a;
	return 0;
}

static int
read_line(struct reader *r, const char *s, const char *end, char space)
{
	struct word from = take(&s, end, space), to = take(&s, end, space);
	struct word amount = take(&s, end, space), more = take(&s, end, space);
	struct moore_amount a;
	const char *p = amount.s;
	uint64_t number;
	int rc;

	if (!from.len)
		return 0;
	if (!amount.len || more.len)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "not of the form SOURCE DESTINATION "
				  "AMOUNT%s", space == ' ' ? "; names that hold blanks need tabs "
				  "between the words" : "");
	if (!moore_text_u64(&p, p + amount.len, 10, UINT64_MAX, &number) || p != amount.s + amount.len)
		return moore_fail(r->err, MOORE_ESYNTAX, r->line, "\"%.*s\": the amount is a whole number "
				  "from 0 to %llu", shown(amount), amount.s, (unsigned long long)UINT64_MAX);
	a.amount = (double)number;
	if ((rc = look_up(r, from, &a.from)) < 0 || (rc = look_up(r, to, &a.to)) < 0)
		return rc;
	return keep(r, a);
}

static int
read_all(struct reader *r, const char *text, const char *end)
{
	int rc = 0;

	while (rc == 0 && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text)), *stop = nl ? nl : end;
		const char *hash = memchr(text, '#', (size_t)(stop - text));

		r->line++;
		stop = hash ? hash : stop;
		rc = read_line(r, text, stop, memchr(text, '\t', (size_t)(stop - text)) ? '\t' : ' ');
		text = nl ? nl + 1 : end;
	}
	return rc;
}

int
moore_amounts_parse(struct moore_amount **out, uint32_t *n, const struct moore_fabric *f,
		    const char *text, size_t len, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct reader r = { .f = f, .err = err };
	int rc;

	*out = NULL;
	*n = 0;
	rc = moore_guid_map_init(&r.known, (size_t)f->n_endpoints * WORDS_EACH, &tmp) ? read_all(&r, text, text + len) :
		moore_fail_nomem(err);
	moore_arena_free(&tmp);
	if (rc < 0) {
		free(r.a);
		return rc;
	}
	*out = r.a;
	*n = r.n;
	return 0;
}
