/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/links.h - a list of links and switches that routes should use less, as lines
 *
 *	NAME[:PORT] avoid	used only where nothing else connects (to drain it)
 *	NAME[:PORT] weight N	1..100: each unit of load counts N times
 *
 * NAME is the name of a switch or its 0xGUID; without :PORT the line holds for all its
 * links; # starts a comment.  If several lines hold for one link, avoid takes precedence,
 * then the greatest weight. */
#ifndef MOORE_LINKS_H
#define MOORE_LINKS_H

#include "base.h"

MOORE_BEGIN

#define MOORE_LINK_WEIGHT_MAX 100
#define MOORE_LINK_AVOID 255	/* greater than every weight */

struct moore_link_rule {
	char *name;		/* NULL: given by GUID */
	uint64_t guid;
	moore_portnum port;	/* 0: all links of the switch */
	uint8_t weight;		/* 1..MOORE_LINK_WEIGHT_MAX or MOORE_LINK_AVOID */
	unsigned line;
};

struct moore_links {
	size_t n;
	struct moore_link_rule *rule;
};

/* The caller frees *out with moore_links_free().  -MOORE_ESYNTAX sets err->line and says
 * why; -MOORE_ENOMEM.  O(len). */
MOORE_API int moore_links_parse(struct moore_links **out, const char *text, size_t len,
				struct moore_err *err);
MOORE_API void moore_links_free(struct moore_links *l);
/* Returns the hash h extended by the rules; h itself if l is NULL. */
MOORE_API uint64_t moore_links_hash(uint64_t h, const struct moore_links *l);

MOORE_END

#endif
