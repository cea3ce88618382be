// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* page.c - serves the web page: a part.
 *
 * Any process that reaches the port may read what members of `group` may read on the socket, so it is
 * meant for localhost or a proxy that asks for a password.  A browser on that host also runs
 * scripts of other sites: Host and Origin are checked, no answer allows another site to read it,
 * and the page itself runs no script but its own file. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "page/page.h"

enum { TAKERS = 64, STREAMS = 32 };

/* Of every answer. */
#define FIELDS \
	"Content-Security-Policy: default-src 'self'; frame-ancestors 'none'; base-uri 'none'; " \
	"form-action 'none'\r\n" \
	"X-Content-Type-Options: nosniff\r\n" \
	"Cross-Origin-Resource-Policy: same-origin\r\n" \
	"Referrer-Policy: no-referrer\r\n" \
	"Cache-Control: no-store\r\n"

#define API "/api/"

static void
ask(void *arg, struct http_peer *p, struct http_head *h)
{
	struct web *g = arg;

	const char *why = http_head_distrust(h, g->d->conf.page_hosts);
	char status[128];

	snprintf(status, sizeof(status), "403 Forbidden: %s", why ? why : "");
	if (why)
		http_refuse(p, status, "");
	else if (!strncmp(h->path, API, strlen(API)))
		page_api(g, p, h->path + strlen(API), h->query);
	else if (!strcmp(h->path, "/events"))
		http_stream(p);
	else if (!strcmp(h->path, "/chart.js"))
		page_library(g, p);
	else
		page_file(p, h->path);
}

static int
start(struct moored *d)
{
	struct web *g;

	if (!d->conf.page[0])
		return 0;
	if (!(g = d->web = calloc(1, sizeof(*g))))
		return -1;
	g->d = d;
	g->site = (struct http_site){ .name = "page", .peers = FDS_PAGE, .takers = TAKERS,
		.streams = STREAMS, .fields = FIELDS, .ask = ask, .arg = g };
	page_api_start(g);
	return http_new(&g->http, d, &g->site, d->conf.page);
}

static void
stop(struct moored *d)
{
	if (!d->web)
		return;
	http_free(d->web->http);
	free(d->web);
	d->web = NULL;
}

/* ---- events ------------------------------------------------------------------------ */

bool
page_listens(const struct moored *d)
{
	return d->web && d->web->http && http_streams(d->web->http);
}

void
page_event(struct moored *d, const char *line, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (!page_listens(d))
		return;
	moore_buf_fmt(&b, "data: %.*s\n", (int)len, line);
	if (!b.oom)
		http_broadcast(d->web->http, b.data, b.len);
	moore_buf_free(&b);
}

/* Counters were read: the page asks for the loads.  This is no event of the socket, whose clients
 * ask at the pace they like. */
static void
polled(struct moored *d, const struct poll *poll)
{
	char line[120];
	int n = snprintf(line, sizeof(line), "{\"method\":\"poll\",\"params\":{\"plane\":%u}}\n",
			 poll->snap->plane);

	page_event(d, line, (size_t)n);
}

const struct part part_page = { .name = "page", .start = start, .polled = polled, .stop = stop };
