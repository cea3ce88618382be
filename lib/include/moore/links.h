/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/links.h - links and switches to spare: a text of lines
 *
 *	NAME[:PORT] avoid	only where nothing else connects (to drain it)
 *	NAME[:PORT] weight N	1..100: each unit of load counts N times
 *
 * NAME is a switch's name or 0xGUID; without :PORT all its links are meant; #
 * starts a comment.  Where several lines meet at a link, avoid counts, else the
 * greatest weight. */
#ifndef MOORE_LINKS_H
#define MOORE_LINKS_H

#include "base.h"

MOORE_BEGIN

#define MOORE_LINK_WEIGHT_MAX 100
#define MOORE_LINK_AVOID 255	/* greater than every weight */

struct moore_link_rule {
	char *name;		/* NULL: by GUID */
	uint64_t guid;
	moore_portnum port;	/* 0: every link of the switch */
	uint8_t weight;		/* 1..MOORE_LINK_WEIGHT_MAX or MOORE_LINK_AVOID */
	unsigned line;
};

struct moore_links {
	size_t n;
	struct moore_link_rule *rule;
};

/* -MOORE_ESYNTAX: err->line and why.  O(len). */
MOORE_API int moore_links_parse(struct moore_links **out, const char *text, size_t len,
				struct moore_err *err);
MOORE_API void moore_links_free(struct moore_links *l);
/* The rules into a hash (NULL: none). */
MOORE_API uint64_t moore_links_hash(uint64_t h, const struct moore_links *l);

MOORE_END

#endif
