// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* words.c - what the readers of configuration files share: the words of a line, addresses, ports,
 * and messages that quote a word. */
#include <string.h>

#include "ether_impl.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool
moore_ether_next_word(struct moore_ether_line *w, struct moore_ether_word *out)
{
	while (w->at < w->end && is_blank(*w->at))
		w->at++;
	*out = (struct moore_ether_word){ w->at, 0 };
	if (w->at == w->end || *w->at == '#')
		return false;
	while (w->at < w->end && !is_blank(*w->at))
		w->at++;
	out->len = (size_t)(w->at - out->at);
	return true;
}

int
moore_ether_fail_at(const struct moore_ether_line *w, const struct moore_ether_word *at,
		    const char *why)
{
	return moore_fail(w->err, MOORE_ESYNTAX, w->line, "\"%.*s\": %s",
			  (int)(at->len < 60 ? at->len : 60), at->at, why);
}

int
moore_ether_take_addr(const struct moore_ether_line *w, const struct moore_ether_word *at,
		      struct moore_addr *out)
{
	struct moore_err why;

	if (moore_addr_parse(out, at->at, at->len, &why) == 0)
		return 0;
	return moore_fail(w->err, MOORE_ESYNTAX, w->line, "%s", why.text);
}

int
moore_ether_read_port(const char *text, size_t len, moore_portnum *out)
{
	static const size_t skip = sizeof(MOORE_PORT_PREFIX) - 1;
	const char *digits = text + skip, *end = text + len;
	uint64_t n;

	if (len <= skip || memcmp(text, MOORE_PORT_PREFIX, skip) ||
	    !moore_text_u64(&digits, end, 10, MOORE_PORT_MAX, &n) || digits != end || !n)
		return -MOORE_ESYNTAX;
	*out = (moore_portnum)n;
	return 0;
}
