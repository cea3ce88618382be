// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* undone.c - whether a line of `ip -batch` takes back what an earlier line of ours has set: the same address,
 * neighbour or route deleted or flushed, the same neighbour or route replaced by another one, the same port
 * set down, renamed, moved to another network namespace, or given another MAC or MTU.
 *
 * Likewise whether a line makes a route to addresses of the network, or gives such an address to a port: the
 * kernel takes the longest prefix that holds an address, whichever program wrote it.
 *
 * ip takes beginnings of words for the words, and so does this. */
#include <string.h>

#include "ether_impl.h"

#define WORDS 24		/* of a line; more are not looked at */

struct said {			/* what a line says */
	struct moore_ether_word word[WORDS];
	size_t n;
	char object;		/* first letter of link, address, neighbour or route; 0 if it is none of them */
	char verb;		/* likewise of add, change, delete, flush, replace or set */
	struct moore_ether_word dev;	/* len 0: none */
};

static bool
same(const struct moore_ether_word *a, const struct moore_ether_word *b)
{
	return a->len == b->len && !memcmp(a->at, b->at, a->len);
}

static bool
begins(const struct moore_ether_word *w, const char *of)
{
	return w->len && w->len <= strlen(of) && !memcmp(w->at, of, w->len);
}

static char
letter_of(const struct moore_ether_word *w, const char *const *of)
{
	for (; *of; of++)
		if (begins(w, *of))
			return **of;
	return 0;
}

/* The word after the first one that is `key`, or one of no letters. */
static struct moore_ether_word
after(const struct said *l, const char *key)
{
	for (size_t i = 2; i + 1 < l->n; i++)
		if (l->word[i].len == strlen(key) && begins(&l->word[i], key))
			return l->word[i + 1];
	return (struct moore_ether_word){ NULL, 0 };
}

static bool
has_word(const struct said *l, const char *word)
{
	for (size_t i = 2; i < l->n; i++)
		if (l->word[i].len == strlen(word) && begins(&l->word[i], word))
			return true;
	return false;
}

static struct said
read_said(const char *at, size_t len)
{
	static const char *const objects[] = { "link", "address", "neighbour", "neighbor", "route", NULL };
	static const char *const verbs[] = { "add", "change", "delete", "flush", "replace", "set", NULL };
	struct moore_ether_line line = { .at = at, .end = at + len };
	struct said l = { .n = 0 };

	while (l.n < WORDS && moore_ether_next_word(&line, &l.word[l.n]))
		l.n++;
	if (l.n < 2)
		return l;
	l.object = letter_of(&l.word[0], objects);
	l.verb = letter_of(&l.word[1], verbs);
	l.dev = after(&l, "dev");
	if (l.object == 'l' && !l.dev.len && l.n > 2 && !begins(&l.word[2], "group"))
		l.dev = l.word[2];	/* link set NAME ... */
	return l;
}

static bool
differs(const struct said *a, const struct said *b, const char *key)
{
	const struct moore_ether_word x = after(a, key), y = after(b, key);

	return x.len && !same(&x, &y);
}

/* Whether both lines name one address or prefix; the length of an address may be left out. */
static bool
same_target(const struct said *a, const struct said *b)
{
	struct moore_ether_word x, y;
	const char *slash;

	if (a->n < 3 || b->n < 3)
		return false;
	x = a->word[2];
	y = b->word[2];
	if (a->object == 'a' && !memchr(x.at, '/', x.len) && (slash = memchr(y.at, '/', y.len)))
		y.len = (size_t)(slash - y.at);
	return same(&x, &y) || (begins(&x, "default") && y.len >= 2 && !memcmp(y.at + y.len - 2, "/0", 2));
}

/* Whether a line has one of these words, of which the last is NULL. */
static bool
has_any(const struct said *l, const char *const *words)
{
	for (; *words; words++)
		if (has_word(l, *words))
			return true;
	return false;
}

bool
moore_ether_undoes(const char *line, size_t len, const char *want, size_t want_len)
{
	/* What stops a port from routing packets. */
	static const char *const stops[] = { "down", "netns", "name", "master", "vrf", NULL };
	const struct said l = read_said(line, len), w = read_said(want, want_len);
	bool replaces = l.verb == 'r' || l.verb == 'c';
	bool other_dev = l.dev.len && !same(&l.dev, &w.dev);

	if (!l.object || l.object != w.object)
		return false;
	if (l.object == 'r' && differs(&l, &w, "metric"))
		return false;
	if (l.object == 'r' && replaces)	/* over whatever port */
		return same_target(&l, &w) && !differs(&w, &l, "metric");
	if (other_dev)
		return false;
	if (l.object == 'l')
		return l.verb == 'd' || has_any(&l, stops) || differs(&l, &w, "mtu") || differs(&l, &w, "address");
	if (l.verb == 'f')
		return true;
	return same_target(&l, &w) && (l.verb == 'd' || (l.object == 'n' && replaces));
}

/* Whether an address or prefix lies within a prefix of the network, or the numbers of its links; for a host,
 * which has no routes to single prefixes, whether it shares an address with their ranges. */
static bool
is_within(const struct moore_ether *x, const struct moore_addr *a, bool is_host)
{
	const struct moore_addr *range = &x->opts.range[a->ip], *links = &x->opts.links[a->ip];

	if (links->is_set && moore_addr_within(a, links))
		return true;
	if (!range->is_set)
		return false;
	if (is_host)
		return a->len && (moore_addr_within(a, range) || moore_addr_within(range, a));
	return moore_ether_is_part(x, MOORE_NONE, a);
}

bool
moore_ether_leads_into(const struct moore_ether *x, bool is_host, const char *line, size_t len)
{
	static const char *const makes[] = { "add", "append", "change", "prepend", "replace", NULL };
	static const char *const kinds[] = { "blackhole", "prohibit", "throw", "unicast", "unreachable", NULL };
	const struct said l = read_said(line, len);
	const char *slash;
	struct moore_addr to;
	struct moore_err why;
	size_t at = 2, n;

	if ((l.object != 'r' && l.object != 'a') || l.n < 3 || !letter_of(&l.word[1], makes))
		return false;
	at += l.object == 'r' && l.n > 3 && letter_of(&l.word[2], kinds);
	n = l.word[at].len;
	if (l.object == 'a' && (slash = memchr(l.word[at].at, '/', n)))
		n = (size_t)(slash - l.word[at].at);
	return moore_addr_parse(&to, l.word[at].at, n, &why) == 0 && is_within(x, &to, is_host);
}

bool
moore_ether_same_way(const char *line, size_t len, const char *want, size_t want_len)
{
	const struct said l = read_said(line, len), w = read_said(want, want_len);
	const struct moore_ether_word via = after(&w, "via"), by = after(&l, "via");

	return w.object == 'r' && via.len && same(&via, &by) && same(&w.dev, &l.dev);
}
