// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_http.c - heads of HTTP requests, which browsers may ask, and queries. */
#include "harness.h"
#include "http/head.h"

/* want: "METHOD PATH QUERY HOST ORIGIN", or NULL when the head is refused. */
static const struct { const char *why, *text, *want; } heads[] = {
	{ "a request", "GET /a?b=c HTTP/1.1\r\nHost: x:1\r\n\r\n", "GET|/a|b=c|x:1|" },
	{ "lines end with LF alone", "GET / HTTP/1.0\nHost: x\n\n", "GET|/||x|" },
	{ "names of fields have no case, and blanks around values go",
	  "HEAD / HTTP/1.1\r\nhOST:\t x \r\nORIGIN: http://x\r\n\r\n", "HEAD|/||x|http://x" },
	{ "other fields, and lines that are none", "GET / HTTP/1.1\r\nrubbish\r\nA: b\r\n\r\n", "GET|/|||" },
	{ "a second '?' belongs to the query", "GET /a?b?c HTTP/1.1\r\n\r\n", "GET|/a|b?c||" },
	{ "two Hosts: a proxy may believe the other", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", NULL },
	{ "two Origins", "GET / HTTP/1.1\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n", NULL },
	{ "no version", "GET /\r\n\r\n", NULL },
	{ "HTTP/2's first line", "PRI * HTTP/2.0\r\n\r\n", NULL },
	{ "a whole address as target", "GET http://x/ HTTP/1.1\r\n\r\n", NULL },
	{ "no target", "GET\r\n\r\n", NULL },
	{ "nothing", "\r\n\r\n", NULL },
};

static void
test_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++) {
		char text[200], got[200] = "";
		struct http_head h;

		strcpy(text, heads[i].text);
		if (http_head_read(&h, text, strlen(text)))
			snprintf(got, sizeof(got), "%s|%s|%s|%s|%s", h.method, h.path, h.query, h.host,
				 h.origin);
		CHECK(heads[i].why, !strcmp(got, heads[i].want ? heads[i].want : ""));
	}
}

static void
test_nul(void **state)
{
	char text[] = "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n";
	struct http_head h;

	(void)state;
	CHECK("a NUL within the head", !http_head_read(&h, text, sizeof(text) - 1));
}

#define NAMES "noc.example,Moore"
static const struct { const char *why, *host, *origin; bool want; } sites[] = {
	{ "localhost", "localhost:9685", "", true },
	{ "an IPv4 address", "10.1.2.3", "", true },
	{ "an IPv6 address", "[fe80::1]:9685", "", true },
	{ "a name of the setting", "NOC.example", "", true },
	{ "the last name of the setting", "moore:443", "", true },
	{ "the page itself", "localhost:9685", "http://localhost:9685", true },
	{ "behind a proxy with TLS", "noc.example", "https://noc.example", true },
	{ "no Host", "", "", false },
	{ "another name, which may lead here by DNS rebinding", "evil.example", "", false },
	{ "the beginning of a name", "noc", "", false },
	{ "a name that begins with one", "noc.example.evil", "", false },
	{ "an address with more after it", "127.0.0.1.evil.example", "", false },
	{ "a bracket without its end", "[::1", "", false },
	{ "no address in brackets", "[evil]", "", false },
	{ "two names at once", "noc.example,Moore", "", false },
	{ "a port alone", ":9685", "", false },
	{ "another site", "localhost:9685", "http://evil.example", false },
	{ "another port of this host", "localhost:9685", "http://localhost:80", false },
	{ "a sandboxed frame, or a file", "localhost:9685", "null", false },
};

static void
test_sites(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sites); i++)
		CHECK_EQ(sites[i].why, !http_head_distrust(&(struct http_head){ .host = sites[i].host,
			 .origin = sites[i].origin }, NAMES), sites[i].want);
}

static const struct { const char *why, *text, *want; } queries[] = {
	{ "plain text", "s0-0", "s0-0" },
	{ "escapes of both cases, and a plus", "a%2fb%2Fc+d", "a/b/c d" },
	{ "UTF-8", "%c3%a4", "\xc3\xa4" },
	{ "half an escape", "a%2", NULL },
	{ "no hexadecimal digits", "%zz", NULL },
	{ "NUL", "a%00b", NULL },
};

static void
test_queries(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(queries); i++) {
		char text[50];
		bool good;

		strcpy(text, queries[i].text);
		good = http_unescape(text);
		CHECK(queries[i].why, good ? queries[i].want && !strcmp(text, queries[i].want) :
		      !queries[i].want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heads), cmocka_unit_test(test_nul),
		cmocka_unit_test(test_sites), cmocka_unit_test(test_queries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
