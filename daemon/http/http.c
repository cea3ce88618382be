// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* http.c - serves metrics_write() under /metrics, by HTTP/1.1: a part.
 *
 * One request for each connection, GET or HEAD, without a body.  Any process that reaches the
 * port can send requests, so everything is bounded: PEERS connections at once, ASK_S until
 * the request is complete, ALL_S in all, HEAD_MAX bytes of request, TAKERS answers that
 * wait to be read.  Where there are too many, the oldest connection that is not being
 * answered is closed for the new one: a scraper sends its request at once, so connections
 * that send nothing, or half, do not keep it out.
 *
 * The text is made on the worker from a copy (metrics.c).  An address that cannot be bound
 * is in the log and stops nothing else. */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/listener.h>

#include "log.h"
#include "state.h"
#include "watch/metrics.h"

enum { PEERS = FDS_HTTP, SCRAPES = 4, TAKERS = 8, ASK_S = 10, ALL_S = 30, END_S = 2,
	HEAD_MAX = 8192 };

enum stage {
	ASKS,		/* its request is not complete */
	WAITS,		/* the worker makes its answer */
	TAKES,		/* its answer is being written */
	ENDS,		/* all is written; it closes, or its time ends */
};

TAILQ_HEAD(peers, peer);

struct web {
	struct moored *d;
	struct evconnlistener *listener;
	struct event *retry;		/* accepts again after descriptors ran out */
	struct peers peers;		/* the oldest first */
	unsigned n_peers, n_takers, n_scrapes;
	struct log_gate closed, unaccepted;
};

struct peer {
	TAILQ_ENTRY(peer) all;
	struct web *web;
	struct bufferevent *bev;
	struct event *deadline;
	enum stage stage;
	bool head;		/* a HEAD request: no body */
	struct scrape *scrape;	/* while it waits */
};

struct scrape {
	struct moored *d;
	struct peer *peer;	/* NULL: it is gone */
	struct metrics *m;
	struct moore_buf text;
};

static void
peer_close(struct peer *p)
{
	struct web *w = p->web;

	if (p->scrape)
		p->scrape->peer = NULL;
	w->n_takers -= p->stage == TAKES;
	w->n_peers--;
	TAILQ_REMOVE(&w->peers, p, all);
	event_free(p->deadline);
	bufferevent_free(p->bev);
	free(p);
}

/* Closes the oldest connection in one of these stages (bits); false: there is none. */
static bool
close_oldest(struct web *w, unsigned stages)
{
	struct peer *p;

	TAILQ_FOREACH(p, &w->peers, all)
		if (stages >> p->stage & 1) {
			peer_close(p);
			return true;
		}
	return false;
}

/* ---- answers ----------------------------------------------------------------------- */

static void
free_text(const void *data, size_t len, void *arg)
{
	(void)len, (void)arg;
	free((void *)(uintptr_t)data);
}

/* Answers the request, and ends the sending side once all is written.  body (len bytes) is
 * taken when `owned`; a HEAD request gets its length alone. */
static void
answer(struct peer *p, const char *status, const char *fields, char *body, size_t len, bool owned)
{
	struct evbuffer *out = bufferevent_get_output(p->bev);

	if (p->web->n_takers >= TAKERS && close_oldest(p->web, 1u << TAKES))
		log_gated(&p->web->closed, LOG_WARNING, "metrics: %d answers wait to be read: the "
			  "oldest connection is closed", TAKERS);
	p->web->n_takers++;
	p->stage = TAKES;
	evbuffer_add_printf(out, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n",
			    status, fields, len);
	if (p->head) {
		if (owned)
			free(body);
	} else if (!owned) {
		evbuffer_add(out, body, len);
	} else if (evbuffer_add_reference(out, body, len, free_text, NULL) < 0) {
		free(body);
		peer_close(p);
	}
}

static void
answer_error(struct peer *p, const char *status, const char *fields)
{
	char text[100];
	int n = snprintf(text, sizeof(text), "%s\n", status);

	answer(p, status, fields, text, (size_t)n, false);
}

/* ---- /metrics ---------------------------------------------------------------------- */

static void
scrape_run(void *arg)
{
	struct scrape *s = arg;

	metrics_write(s->m, &s->text);
}

static void
scrape_done(void *arg)
{
	struct scrape *s = arg;
	struct peer *p = s->peer;

	if (s->d->web)
		s->d->web->n_scrapes--;
	if (p) {
		p->scrape = NULL;
		if (s->text.oom) {
			answer_error(p, "500 Internal Server Error", "");
		} else {
			answer(p, "200 OK", "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n",
			       s->text.data, s->text.len, true);
			s->text = (struct moore_buf)MOORE_BUF_INIT;
		}
	}
	moore_buf_free(&s->text);
	metrics_free(s->m);
	free(s);
}

static void
scrape_start(struct peer *p)
{
	struct web *w = p->web;
	struct scrape *s = w->n_scrapes < SCRAPES ? calloc(1, sizeof(*s)) : NULL;

	if (s && (s->m = metrics_take(w->d)) &&
	    worker_add(w->d->worker[WORK_SHORT], scrape_run, scrape_done, s) == 0) {
		w->n_scrapes++;
		s->d = w->d;
		s->peer = p;
		p->scrape = s;
		p->stage = WAITS;
		return;
	}
	if (s)
		metrics_free(s->m);
	free(s);
	answer_error(p, "503 Service Unavailable", "Retry-After: 1\r\n");
}

/* ---- requests ---------------------------------------------------------------------- */

static void
wait_for(struct peer *p, int s)
{
	event_add(p->deadline, &(struct timeval){ .tv_sec = s });
}

/* line: "GET /metrics HTTP/1.1" */
static void
request(struct peer *p, char *line)
{
	char *method = strsep(&line, " "), *target = line ? strsep(&line, " ") : NULL;

	p->head = !strcmp(method, "HEAD");
	wait_for(p, ALL_S);
	if (!target || !line || strncmp(line, "HTTP/1.", 7) != 0)
		answer_error(p, "400 Bad Request", "");
	else if (!p->head && strcmp(method, "GET") != 0)
		answer_error(p, "405 Method Not Allowed", "Allow: GET, HEAD\r\n");
	else if (strcmp(strsep(&target, "?"), "/metrics") != 0)
		answer_error(p, "404 Not Found", "");
	else
		scrape_start(p);
}

static void
on_read(struct bufferevent *bev, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(bev);
	struct peer *p = arg;
	char *line;

	if (p->stage == ASKS && (evbuffer_search(in, "\n\r\n", 3, NULL).pos >= 0 ||
				 evbuffer_search(in, "\n\n", 2, NULL).pos >= 0)) {
		line = evbuffer_readln(in, NULL, EVBUFFER_EOL_CRLF);
		if (line)
			request(p, line);
		else
			peer_close(p);
		free(line);
		return;		/* p may be gone; what else it sent goes with the next bytes */
	}
	if (p->stage == ASKS && evbuffer_get_length(in) < HEAD_MAX)
		return;
	evbuffer_drain(in, SIZE_MAX);
	if (p->stage == ASKS) {
		wait_for(p, ALL_S);
		answer_error(p, "431 Request Header Fields Too Large", "");
	}
}

/* All is written.  What the peer still sends is read, since a close would reset the
 * connection, and the peer might lose the answer. */
static void
on_written(struct bufferevent *bev, void *arg)
{
	struct peer *p = arg;

	if (p->stage != TAKES)
		return;
	p->stage = ENDS;
	p->web->n_takers--;
	shutdown(bufferevent_getfd(bev), SHUT_WR);
	wait_for(p, END_S);
}

static void
on_event(struct bufferevent *bev, short what, void *arg)
{
	struct peer *p = arg;

	/* A peer that sends no more may still read its answer. */
	if (what & BEV_EVENT_EOF && (p->stage == WAITS || p->stage == TAKES))
		bufferevent_disable(bev, EV_READ);
	else
		peer_close(p);
}

static void
on_deadline(evutil_socket_t fd, short what, void *arg)
{
	(void)fd, (void)what;
	peer_close(arg);
}

/* ---- connections ------------------------------------------------------------------- */

static void
on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *a, int len, void *arg)
{
	struct event_base *base = evconnlistener_get_base(l);
	struct web *w = arg;
	struct peer *p;

	(void)a, (void)len;
	if (w->n_peers >= PEERS && close_oldest(w, 1u << ASKS | 1u << TAKES | 1u << ENDS))
		log_gated(&w->closed, LOG_WARNING, "metrics: %d connections are open: the oldest is "
			  "closed", PEERS);
	p = calloc(1, sizeof(*p));
	if (p) {
		p->deadline = event_new(base, -1, 0, on_deadline, p);
		p->bev = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
	}
	if (!p || !p->deadline || !p->bev) {
		if (p && p->deadline)
			event_free(p->deadline);
		if (p && p->bev)
			bufferevent_free(p->bev);
		else
			close(fd);
		free(p);
		return;
	}
	p->web = w;
	TAILQ_INSERT_TAIL(&w->peers, p, all);
	w->n_peers++;
	wait_for(p, ASK_S);
	bufferevent_setcb(p->bev, on_read, on_written, on_event, p);
	bufferevent_setwatermark(p->bev, EV_READ, 0, HEAD_MAX);
	bufferevent_enable(p->bev, EV_READ | EV_WRITE);
}

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct web *w = arg;

	(void)fd, (void)what;
	evconnlistener_enable(w->listener);
}

/* Descriptors ran out: accept() would fail again at once. */
static void
on_accept_error(struct evconnlistener *l, void *arg)
{
	struct web *w = arg;

	log_gated(&w->unaccepted, LOG_WARNING, "metrics: cannot accept: %s: trying again in 1 s",
		  strerror(errno));
	evconnlistener_disable(l);
	event_add(w->retry, &(struct timeval){ .tv_sec = 1 });
}

/* ---- start and stop ---------------------------------------------------------------- */

/* "127.0.0.1:9684", "[::1]:9684" */
static bool
split(const char *s, char host[64], const char **port)
{
	const char *colon = strrchr(s, ':'), *at = colon ? colon + 1 : s;
	size_t n = colon ? (size_t)(colon - s) : 0;
	uint64_t v;

	*port = at;
	if (n > 1 && s[0] == '[' && s[n - 1] == ']') {
		s++;
		n -= 2;
	}
	if (!colon || n >= 64 || !moore_text_u64(&at, at + strlen(at), 10, 65535, &v) || *at)
		return false;
	memcpy(host, s, n);
	host[n] = '\0';
	return true;
}

/* NULL: it listens.  Otherwise the reason. */
static const char *
listen_on(struct web *w, const char *host, const char *port)
{
	struct addrinfo *a, hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_ADDRCONFIG };
	int rc = getaddrinfo(host[0] ? host : "0.0.0.0", port, &hints, &a);

	if (rc)
		return rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc);
	w->listener = evconnlistener_new_bind(loop_base(w->d->loop), on_accept, w, LEV_OPT_REUSEABLE |
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 128, a->ai_addr, (int)a->ai_addrlen);
	rc = errno;
	freeaddrinfo(a);
	if (!w->listener)
		return strerror(rc);
	evconnlistener_set_error_cb(w->listener, on_accept_error);
	return NULL;
}

static int
http_start(struct moored *d)
{
	struct web *w;
	char host[64];
	const char *port, *why;

	if (!d->conf.metrics[0])
		return 0;
	if (!split(d->conf.metrics, host, &port)) {
		log_say(LOG_ERR, NULL, "metrics: \"%s\" is no ADDRESS:PORT", d->conf.metrics);
		return -1;
	}
	if (!(w = d->web = calloc(1, sizeof(*w))))
		return -1;
	w->d = d;
	TAILQ_INIT(&w->peers);
	if (!(w->retry = event_new(loop_base(d->loop), -1, 0, on_retry, w)))
		return -1;
	if ((why = listen_on(w, host, port)))
		log_say(LOG_ERR, NULL, "metrics: cannot listen on %s: %s: nothing is served there",
			d->conf.metrics, why);
	return 0;
}

static void
http_stop(struct moored *d)
{
	struct web *w = d->web;

	if (!w)
		return;
	while (!TAILQ_EMPTY(&w->peers))
		peer_close(TAILQ_FIRST(&w->peers));
	if (w->listener)
		evconnlistener_free(w->listener);
	if (w->retry)
		event_free(w->retry);
	free(w);
	d->web = NULL;	/* what the worker still makes goes to nobody */
}

const struct part part_http = { .name = "http", .start = http_start, .stop = http_stop };
