// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* notice.c - a sweep's notice as text and back, from one table of fields.
 * Elsewhere: the sender (opensm-plugin/tell.c), the receiver (daemon/watch/sweeps.c). */
#include <stddef.h>
#include <string.h>

#include "moore/conf.h"
#include "moore/notice.h"

#define FIRST "moore-sweep 1"

enum type { HEX, NUMBER, WORD, TEXT };	/* WORD: 32 bits, such as an index into a list of words */

#define FIELD(name, type, max) { #name, type, offsetof(struct moore_notice, name), max }
static const struct field {
	const char *key;
	enum type type;
	size_t offset;
	uint64_t max;		/* greatest number; for a text the size of its array */
} fields[] = {
	FIELD(sm, HEX, UINT64_MAX),
	FIELD(number, NUMBER, UINT64_MAX / 2),
	FIELD(state, WORD, MOORE_N_NOTICES - 1),
	FIELD(up, WORD, 1),
	FIELD(profile, WORD, MOORE_PROFILE_SL_HINT),
	FIELD(layers, WORD, MOORE_N_LAYERS - 1),
	FIELD(hash, HEX, UINT64_MAX),
	FIELD(routes, HEX, UINT64_MAX),
	FIELD(lanes, HEX, UINT64_MAX),
	FIELD(switches, NUMBER, UINT32_MAX),
	FIELD(endpoints, NUMBER, UINT32_MAX),
	FIELD(missing_links, NUMBER, UINT32_MAX),
	FIELD(missing_switches, NUMBER, UINT32_MAX),
	FIELD(blocks, NUMBER, UINT32_MAX),
	FIELD(step, WORD, UINT32_MAX),
	FIELD(steps, WORD, UINT32_MAX),
	FIELD(topology, TEXT, sizeof(((struct moore_notice *)NULL)->topology)),
	FIELD(why, TEXT, sizeof(((struct moore_notice *)NULL)->why)),
};

const char *
moore_notice_state_name(enum moore_notice_state s)
{
	static const char *const name[] = { "routed", "kept", "refused" };

	return name[s];
}

static void
put(struct moore_buf *out, const struct field *k, const char *field)
{
	uint64_t wide;
	uint32_t word;

	switch (k->type) {
	case TEXT:
		moore_buf_fmt(out, "%s ", k->key);
		for (; *field; field++)
			moore_buf_add(out, *field == '\n' ? " " : field, 1);
		moore_buf_add(out, "\n", 1);
		return;
	case WORD:
		memcpy(&word, field, sizeof(word));
		moore_buf_fmt(out, "%s %u\n", k->key, word);
		return;
	case HEX:
	case NUMBER:
		memcpy(&wide, field, sizeof(wide));
		moore_buf_fmt(out, k->type == HEX ? "%s %llx\n" : "%s %llu\n", k->key,
			      (unsigned long long)wide);
	}
}

void
moore_notice_write(struct moore_buf *out, const struct moore_notice *n)
{
	moore_buf_fmt(out, FIRST "\n");
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		put(out, &fields[i], (const char *)n + fields[i].offset);
}

static void
take_text(char *field, size_t room, const char *s, const char *end)
{
	size_t n = (size_t)(end - s) < room ? (size_t)(end - s) : room - 1;

	memset(field, 0, room);		/* if a key occurs twice, the last value counts */
	for (size_t i = 0; i < n; i++)
		field[i] = (unsigned char)s[i] < ' ' || s[i] == 127 ? '?' : s[i];
}

static bool
take(struct moore_notice *n, const struct field *k, const char *s, const char *end)
{
	char *field = (char *)n + k->offset;
	uint64_t wide;
	uint32_t word;

	if (k->type == TEXT) {
		take_text(field, (size_t)k->max, s, end);
		return true;
	}
	if (!moore_text_u64(&s, end, k->type == HEX ? 16 : 10, k->max, &wide) || s != end)
		return false;
	word = (uint32_t)wide;
	if (k->type == WORD)
		memcpy(field, &word, sizeof(word));
	else
		memcpy(field, &wide, sizeof(wide));
	return true;
}

static const struct field *
find(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (strlen(fields[i].key) == len && !memcmp(fields[i].key, s, len))
			return &fields[i];
	return NULL;
}

int
moore_notice_parse(struct moore_notice *n, const void *data, size_t len, struct moore_err *err)
{
	const char *s = data, *end = s + len;

	memset(n, 0, sizeof(*n));
	if (len > MOORE_NOTICE_MAX || len < sizeof(FIRST) || memcmp(s, FIRST "\n", sizeof(FIRST)))
		return moore_fail(err, MOORE_ESYNTAX, 1, "not a notice of a sweep: it does not begin with "
				  "\"" FIRST "\"");
	s += sizeof(FIRST);
	for (unsigned line = 2; s < end; line++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s)), *space;
		const struct field *k;

		if (!stop)
			return moore_fail(err, MOORE_ESYNTAX, line, "the line is truncated");
		if (!(space = memchr(s, ' ', (size_t)(stop - s))))
			return moore_fail(err, MOORE_ESYNTAX, line, "no value");
		if ((k = find(s, (size_t)(space - s))) && !take(n, k, space + 1, stop))
			return moore_fail(err, MOORE_ESYNTAX, line, "%s: invalid value", k->key);
		s = stop + 1;
	}
	if (!n->sm || !n->number)
		return moore_fail(err, MOORE_ESYNTAX, 0, "the field sm or number is missing or 0");
	return 0;
}
