// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_http.c - any bytes as the head of an HTTP request.  What is read lies within the bytes; a
 * site that is trusted without a setting is an address or localhost. */
#include "driver.h"
#include "http/head.h"

static const char fuzz_name[] = "heads of HTTP requests";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"GET /api/history.port?switch=s0%2d0&port=3 HTTP/1.1\r\nHost: localhost:9685\r\n"
		"Origin: http://localhost:9685\r\nAccept: */*\r\n\r\n",
		"HEAD /metrics HTTP/1.0\nHost: [::1]:80\n\n",
		NULL
	};

	return seeds;
}

static void
within(const char *s, const char *text, size_t len)
{
	if (*s && (s < text || s + strlen(s) > text + len))
		abort();
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	char *text = calloc(1, len + 1), *query;
	struct http_head h;

	if (!text)
		abort();
	memcpy(text, data, len);
	if (http_head_read(&h, text, len)) {
		within(h.method, text, len);
		within(h.path, text, len);
		within(h.query, text, len);
		within(h.host, text, len);
		within(h.origin, text, len);
		if (h.path[0] != '/')
			abort();
		if (!http_head_distrust(&h, "") && !strchr("[0123456789lL", h.host[0]))
			abort();
		query = strdup(h.query);
		if (!query || (http_unescape(query) && strlen(query) > strlen(h.query)))
			abort();
		free(query);
	}
	free(text);
}
