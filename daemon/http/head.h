/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* head.h - reads the head of an HTTP request: its first line, and the fields Host and Origin.
 * Pure: bytes in, pointers into them out. */
#ifndef MOORED_HEAD_H
#define MOORED_HEAD_H

#include <stdbool.h>
#include <stddef.h>

struct http_head {
	const char *method;	/* "GET" */
	const char *path;	/* "/metrics", as it was sent */
	const char *query;	/* what follows the first '?'; "" when there is none */
	const char *host, *origin;	/* "" when the field is absent */
};
/* Splits text (len bytes and a NUL after them), which ends with the head's empty line; *h points
 * into it.  False: it is no head of HTTP/1, or has two different values of Host or Origin. */
bool http_head_read(struct http_head *h, char *text, size_t len);

/* Why a browser that names this Host and Origin may not ask; NULL: it may.  Host must be an IP
 * address, localhost, or one of the names (separated by commas), with or without a port; Origin
 * must be absent, or the same host and port as Host.  A web site that points its own name to our
 * address (DNS rebinding) names itself in Host. */
const char *http_head_distrust(const struct http_head *h, const char *names);

/* Decodes %XX and '+' of a query in place; false: a bad %XX, or one that means NUL. */
bool http_unescape(char *text);

#endif
