// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* head.c - reads the head of an HTTP request.
 *
 * Only what an answer depends on is read: a request has no body, and no field but Host and Origin
 * changes what is answered.  Fields that are sent twice are refused, since a proxy and moored
 * might each believe another of the two. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "http/head.h"
#include "moore/base.h"

/* The next line of *text without its end, or NULL after the last one. */
static char *
next_line(char **text)
{
	char *line = strsep(text, "\n");
	size_t n = line ? strlen(line) : 0;

	if (n && line[n - 1] == '\r')
		line[n - 1] = '\0';
	return line;
}

/* "GET /path?query HTTP/1.1" */
static bool
read_first(struct http_head *h, char *line)
{
	char *target;

	h->method = strsep(&line, " ");
	target = line ? strsep(&line, " ") : NULL;
	if (!target || target[0] != '/' || !line || strncmp(line, "HTTP/1.", 7) != 0)
		return false;
	h->path = strsep(&target, "?");
	h->query = target ? target : "";
	return true;
}

static bool
read_field(struct http_head *h, char *line)
{
	const struct { const char *name; const char **value; } fields[] = {
		{ "Host", &h->host }, { "Origin", &h->origin },
	};
	char *value = line, *name = strsep(&value, ":");

	for (size_t i = 0; value && i < ARRAY_LEN(fields); i++)
		if (!strcasecmp(name, fields[i].name)) {
			value += strspn(value, " \t");
			value[strcspn(value, " \t")] = '\0';
			if (*fields[i].value[0])
				return false;
			*fields[i].value = value;
		}
	return true;
}

bool
http_head_read(struct http_head *h, char *text, size_t len)
{
	char *line;

	*h = (struct http_head){ .host = "", .origin = "" };
	if (strlen(text) != len || !(line = next_line(&text)) || !read_first(h, line))
		return false;
	while ((line = next_line(&text)) && *line)
		if (!read_field(h, line))
			return false;
	return line != NULL;
}

/* ---- which sites may ask ----------------------------------------------------------- */

/* The length of "name" in "name:port", and of "[::1]" in "[::1]:port". */
static size_t
name_len(const char *host)
{
	const char *bracket = host[0] == '[' ? strchr(host, ']') : NULL;

	return bracket ? (size_t)(bracket + 1 - host) : strcspn(host, ":");
}

static bool
is_address(const char *host, size_t n)
{
	struct in6_addr a;
	char text[64];

	if (n < 2 || n >= sizeof(text))
		return false;
	memcpy(text, host, n);
	text[n] = '\0';
	if (text[0] != '[')
		return inet_pton(AF_INET, text, &a) == 1;
	text[n - 1] = '\0';
	return inet_pton(AF_INET6, text + 1, &a) == 1;
}

static bool
is_named(const char *host, size_t n, const char *names)
{
	for (size_t k; *names; names += k + (names[k] == ',')) {
		k = strcspn(names, ",");
		if (k == n && !strncasecmp(host, names, n))
			return true;
	}
	return false;
}

const char *
http_head_distrust(const struct http_head *h, const char *names)
{
	size_t n = name_len(h->host);
	const char *site = strstr(h->origin, "://");

	if (!n || !(is_address(h->host, n) || is_named(h->host, n, "localhost") ||
		    is_named(h->host, n, names)))
		return "page_hosts of moored.conf(5) does not name this host";
	if (h->origin[0] && !(site && !strcasecmp(site + 3, h->host)))
		return "the Origin is another site than the Host, which a proxy must pass on";
	return NULL;
}

/* ---- queries ----------------------------------------------------------------------- */

static int
hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
http_unescape(char *text)
{
	char *to = text;
	int high, low;

	for (; *text; text++, to++) {
		*to = *text == '+' ? ' ' : *text;
		if (*text != '%')
			continue;
		high = hex_digit(text[1]);
		low = high < 0 ? -1 : hex_digit(text[2]);
		if (low < 0 || !(high | low))
			return false;
		*to = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
	return true;
}
