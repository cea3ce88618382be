// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* http.c - /metrics on a local port, by libevent's evhttp: a part.
 *
 * The text is made on the worker from a copy; who hangs up meanwhile is answered to
 * nobody.  Few at a time: a scraper that asks faster than it is answered is told 503.
 * An address that cannot be bound is in the log and stops nothing else. */
#include <event2/buffer.h>
#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#include "watch/metrics.h"
#include "log.h"

#define AT_ONCE 4
#define TIMEOUT_S 30
#define HEADERS_MAX 8192

static struct {
	struct evhttp *http;
	struct moored *d;
	unsigned running;
} web;

struct scrape {
	struct evhttp_request *req;	/* NULL: the peer is gone */
	struct metrics *m;
	struct moore_buf text;
};

static void
scrape_run(void *arg)
{
	struct scrape *s = arg;

	metrics_write(s->m, &s->text);
}

static void
on_gone(struct evhttp_connection *c, void *arg)
{
	struct scrape *s = arg;

	(void)c;
	s->req = NULL;
}

static void
free_text(const void *data, size_t len, void *arg)
{
	(void)len, (void)arg;
	free((void *)data);
}

static void
reply(struct scrape *s)
{
	struct evbuffer *b = evbuffer_new();

	evhttp_connection_set_closecb(evhttp_request_get_connection(s->req), NULL, NULL);
	if (!b || s->text.oom ||
	    evbuffer_add_reference(b, s->text.data, s->text.len, free_text, NULL) < 0) {
		evhttp_send_error(s->req, HTTP_INTERNAL, "out of memory");
	} else {
		s->text = (struct moore_buf)MOORE_BUF_INIT;	/* the buffer's now */
		evhttp_add_header(evhttp_request_get_output_headers(s->req), "Content-Type",
				  "text/plain; version=0.0.4; charset=utf-8");
		evhttp_send_reply(s->req, HTTP_OK, "OK", b);
	}
	if (b)
		evbuffer_free(b);
}

static void
scrape_done(void *arg)
{
	struct scrape *s = arg;

	web.running--;
	if (s->req && web.http)
		reply(s);
	moore_buf_free(&s->text);
	metrics_free(s->m);
	free(s);
}

static void
on_metrics(struct evhttp_request *req, void *arg)
{
	struct scrape *s = web.running < AT_ONCE ? calloc(1, sizeof(*s)) : NULL;

	(void)arg;
	if (s && (s->m = metrics_take(web.d)) &&
	    worker_add(web.d->worker[WORK_SHORT], scrape_run, scrape_done, s) == 0) {
		web.running++;
		s->req = req;
		evhttp_connection_set_closecb(evhttp_request_get_connection(req), on_gone, s);
		return;
	}
	if (s)
		metrics_free(s->m);
	free(s);
	evhttp_send_error(req, HTTP_SERVUNAVAIL, "busy");
}

static void
on_other(struct evhttp_request *req, void *arg)
{
	(void)arg;
	evhttp_send_error(req, HTTP_NOTFOUND, "see /metrics");
}

/* "127.0.0.1:9684", "[::1]:9684" */
static bool
split(const char *s, char host[64], uint16_t *port)
{
	const char *colon = strrchr(s, ':'), *at = colon ? colon + 1 : s;
	size_t n = colon ? (size_t)(colon - s) : 0;
	uint64_t v;

	if (n > 1 && s[0] == '[' && s[n - 1] == ']') {
		s++;
		n -= 2;
	}
	if (!colon || n >= 64 || !moore_text_u64(&at, at + strlen(at), 10, 65535, &v) || *at)
		return false;
	memcpy(host, s, n);
	host[n] = '\0';
	*port = (uint16_t)v;
	return true;
}

static int
http_start(struct moored *d)
{
	char host[64];
	uint16_t port;

	web.d = d;
	if (!d->conf.metrics[0])
		return 0;
	if (!split(d->conf.metrics, host, &port)) {
		log_say(LOG_ERR, NULL, "metrics: \"%s\" is no ADDRESS:PORT", d->conf.metrics);
		return -1;
	}
	web.http = evhttp_new(loop_base(d->loop));
	if (!web.http)
		return -1;
	evhttp_set_allowed_methods(web.http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
	evhttp_set_max_body_size(web.http, 0);
	evhttp_set_max_headers_size(web.http, HEADERS_MAX);
	evhttp_set_timeout(web.http, TIMEOUT_S);
	evhttp_set_cb(web.http, "/metrics", on_metrics, NULL);
	evhttp_set_gencb(web.http, on_other, NULL);
	if (evhttp_bind_socket(web.http, host[0] ? host : "0.0.0.0", port) < 0)
		log_say(LOG_ERR, NULL, "metrics: cannot listen on %s: nothing is served there",
			d->conf.metrics);
	return 0;
}

static void
http_stop(struct moored *d)
{
	struct evhttp *http = web.http;

	(void)d;
	web.http = NULL;	/* what the worker still makes goes to nobody */
	if (http)
		evhttp_free(http);
}

const struct part part_http = { .name = "http", .start = http_start, .stop = http_stop };
