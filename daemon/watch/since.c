// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* since.c - since when each deviation of a plane stands.
 *
 * A deviation is known by a hash of its JSON, so its list stays small where a fabric has many.
 * If its text changes, because the plan moves a switch to another cabinet for instance, it
 * counts as another deviation, as it does for event.wiring. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch/since.h"

/* "since" itself is not in it, as sinces_put() is called once. */
static uint64_t
hash_of(const json_t *deviation)
{
	char *text = json_dumps(deviation, JSON_COMPACT);
	uint64_t h = text ? moore_hash(MOORE_HASH_INIT, text, strlen(text)) : 0;

	free(text);
	return h;
}

static int
since_cmp(const void *a, const void *b)
{
	const struct since *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static const struct since *
find(const struct sinces *s, uint64_t hash)
{
	struct since key = { hash, 0 };

	return s->n ? bsearch(&key, s->of, s->n, sizeof(key), since_cmp) : NULL;
}

bool
sinces_next(struct sinces *out, const struct sinces *old, const json_t *deviations, uint64_t at_ms)
{
	const json_t *d;
	size_t i;

	*out = (struct sinces){ .of = calloc(json_array_size(deviations) + 1, sizeof(*out->of)) };
	if (!out->of)
		return false;
	json_array_foreach(deviations, i, d) {
		uint64_t hash = hash_of(d);
		const struct since *was = find(old, hash);

		out->of[out->n++] = (struct since){ hash, was ? was->at_ms : at_ms };
	}
	qsort(out->of, out->n, sizeof(*out->of), since_cmp);
	return true;
}

bool
sinces_copy(struct sinces *out, const struct sinces *from)
{
	*out = (struct sinces){ .of = calloc(from->n + 1, sizeof(*out->of)), .n = from->n };
	if (!out->of)
		return false;
	if (from->n)
		memcpy(out->of, from->of, from->n * sizeof(*out->of));
	return true;
}

bool
sinces_equal(const struct sinces *a, const struct sinces *b)
{
	return a->n == b->n && (!a->n || !memcmp(a->of, b->of, a->n * sizeof(*a->of)));
}

void
sinces_free(struct sinces *s)
{
	free(s->of);
	*s = (struct sinces){ NULL, 0 };
}

void
sinces_put(const struct sinces *s, json_t *deviations, uint64_t at_ms)
{
	json_t *d;
	size_t i;

	json_array_foreach(deviations, i, d) {
		const struct since *was = find(s, hash_of(d));

		json_object_set_new(d, "since", json_integer((json_int_t)(was ? was->at_ms : at_ms)));
	}
}

/* ---- as a file --------------------------------------------------------------------- */

bool
sinces_write(const struct sinces *s, struct moore_buf *out)
{
	for (size_t i = 0; i < s->n; i++)
		moore_buf_fmt(out, "%016" PRIx64 " %016" PRIx64 "\n", s->of[i].hash, s->of[i].at_ms);
	return !out->oom;
}

bool
sinces_read(struct sinces *out, const char *text, size_t len)
{
	enum { LINE = 34 };
	struct since x;
	char line[LINE + 1];

	*out = (struct sinces){ .of = calloc(len / LINE + 1, sizeof(*out->of)) };
	if (!out->of)
		return false;
	for (; len >= LINE; text += LINE, len -= LINE) {
		memcpy(line, text, LINE);
		line[LINE] = '\0';
		if (sscanf(line, "%16" SCNx64 " %16" SCNx64, &x.hash, &x.at_ms) != 2 ||
		    line[LINE - 1] != '\n')
			break;
		out->of[out->n++] = x;
	}
	qsort(out->of, out->n, sizeof(*out->of), since_cmp);
	return true;
}
