// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* policy.c - finds the SLs that OpenSM's files set: `sl=N` of partitions.conf, `sl: N` of
 * the levels of a QoS policy, and `...: N` of its simple rules (qos-ulps).  It reads no
 * more of their syntax than that. */
#include <string.h>

#include "moore/conf.h"

struct scan {
	const struct moore_lane_opts *o;
	struct moore_policy_sls *found;
	unsigned line;
	bool in_ulps;
};

static const char *
past_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
		s++;
	return s;
}

/* Returns the place after the word, which may be in upper or lower case, or NULL if s does
 * not begin with it. */
static const char *
past_word(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i < n; i++)
		if ((size_t)(end - s) <= i || (s[i] >= 'A' && s[i] <= 'Z' ? s[i] | 0x20 : s[i]) != word[i])
			return NULL;
	return s + n;
}

/* Reads the SL at s and notes it if it is the first wrong one (moore_policy_sls). */
static void
note_sl(struct scan *c, const char *s, const char *end)
{
	struct moore_policy_sls *f = c->found;
	uint64_t sl;

	s = past_blanks(s, end);
	if (!moore_text_u64(&s, end, 0, MOORE_N_SL - 1, &sl))
		return;
	f->n++;
	if (f->wrong_line || (moore_lane_hint_group(c->o, (uint8_t)sl) &&
			      moore_lane_hint_class(c->o, (uint8_t)sl) == sl / MOORE_N_HINTS))
		return;
	f->wrong_line = c->line;
	f->wrong = (uint8_t)sl;
}

/* "Storage=0x8001,ipoib,sl=3 : ALL;" */
static void
partition_line(struct scan *c, const char *s, const char *end)
{
	for (const char *p = s, *q; p < end; p++) {
		if ((p > s && !strchr(",:; \t", p[-1])) || !(q = past_word(p, end, "sl")))
			continue;
		q = past_blanks(q, end);
		if (q < end && *q == '=')
			note_sl(c, q + 1, end);
	}
}

static void
policy_line(struct scan *c, const char *s, const char *end)
{
	const char *p = past_blanks(s, end), *q;

	if (past_word(p, end, "end-qos-ulps")) {
		c->in_ulps = false;
	} else if (past_word(p, end, "qos-ulps")) {
		c->in_ulps = true;
	} else if (c->in_ulps) {
		for (q = end; q > p && q[-1] != ':'; q--)
			;
		if (q > p)
			note_sl(c, q, end);
	} else if ((q = past_word(p, end, "sl"))) {
		q = past_blanks(q, end);
		if (q < end && *q == ':')
			note_sl(c, q + 1, end);
	}
}

struct moore_policy_sls
moore_policy_scan(const char *text, size_t len, bool partitions, const struct moore_lane_opts *o)
{
	struct moore_policy_sls found = { 0 };
	struct scan c = { .o = o, .found = &found };

	for (const char *s = text, *all = text + len, *nl; s < all; s = nl + 1) {
		const char *end;

		if (!(nl = memchr(s, '\n', (size_t)(all - s))))
			nl = all;
		end = memchr(s, '#', (size_t)(nl - s));
		c.line++;
		(partitions ? partition_line : policy_line)(&c, s, end ? end : nl);
	}
	return found;
}
