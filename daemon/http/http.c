// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* http.c - one port of HTTP/1.1: connections, and their bounds.
 *
 * Any process that reaches the port can send requests, so everything is bounded: connections
 * at once (peers of the site), ASK_S until the request is complete, ALL_S until the answer is
 * read, HEAD_MAX bytes of request, answers that wait to be read (takers), streams of events.
 * Where there are too many, the oldest connection that is not being answered is closed for the
 * new one: a scraper sends its request at once, so connections that send nothing, or half, do
 * not keep it out.
 *
 * Elsewhere: the head of a request (head.c), what is answered (metrics/scrape.c, page/). */
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

#include "http/http.h"
#include "log.h"

enum { ASK_S = 10, ALL_S = 30, END_S = 2, HEAD_MAX = 8192, STREAM_MAX = 256 << 10 };

enum stage {
	ASKS,		/* its request is not complete */
	WAITS,		/* its answer is being made */
	TAKES,		/* its answer is being written */
	STREAMS,	/* events are written to it as they come */
	ENDS,		/* all is written; it closes, or its time ends */
};

TAILQ_HEAD(peers, http_peer);

struct http {
	struct moored *d;
	const struct http_site *site;
	struct evconnlistener *listener;
	struct event *retry;		/* accepts again after descriptors ran out */
	struct peers peers;		/* the oldest first */
	unsigned n_peers, n_takers, n_streams;
	struct log_gate closed, unaccepted;
};

struct http_peer {
	TAILQ_ENTRY(http_peer) all;
	struct http *h;
	struct bufferevent *bev;
	struct event *deadline;
	enum stage stage;
	bool head;		/* a HEAD request: no body */
	struct http_wait *wait;	/* what makes its answer, or NULL */
};

static void
peer_close(struct http_peer *p)
{
	struct http *h = p->h;

	if (p->wait)
		p->wait->peer = NULL;
	h->n_takers -= p->stage == TAKES;
	h->n_streams -= p->stage == STREAMS;
	h->n_peers--;
	TAILQ_REMOVE(&h->peers, p, all);
	event_free(p->deadline);
	bufferevent_free(p->bev);
	free(p);
}

/* Closes the oldest connection in one of these stages (bits); false: there is none. */
static bool
close_oldest(struct http *h, unsigned stages)
{
	struct http_peer *p;

	TAILQ_FOREACH(p, &h->peers, all)
		if (stages >> p->stage & 1) {
			peer_close(p);
			return true;
		}
	return false;
}

static void
wait_for(struct http_peer *p, int s)
{
	event_add(p->deadline, &(struct timeval){ .tv_sec = s });
}

/* ---- answers ----------------------------------------------------------------------- */

static void
free_text(const void *data, size_t len, void *arg)
{
	(void)len, (void)arg;
	free((void *)(uintptr_t)data);
}

/* Writes the head of the answer.  The sending side ends once all is written. */
static void
answer_head(struct http_peer *p, const char *status, const char *fields, size_t len)
{
	struct http *h = p->h;

	if (h->n_takers >= h->site->takers && close_oldest(h, 1u << TAKES))
		log_gated(&h->closed, LOG_WARNING, "%s: %u answers wait to be read: the oldest "
			  "connection is closed", h->site->name, h->site->takers);
	h->n_takers++;
	p->stage = TAKES;
	wait_for(p, ALL_S);
	evbuffer_add_printf(bufferevent_get_output(p->bev), "HTTP/1.1 %s\r\n%s%sContent-Length: %zu\r\n"
			    "Connection: close\r\n\r\n", status, h->site->fields, fields, len);
}

static void
answer_ok(struct http_peer *p, const char *type, size_t len)
{
	char field[100];

	snprintf(field, sizeof(field), "Content-Type: %s\r\n", type);
	answer_head(p, "200 OK", field, len);
}

void
http_answer(struct http_peer *p, const char *type, char *body, size_t len, bool owned)
{
	struct evbuffer *out = bufferevent_get_output(p->bev);

	answer_ok(p, type, len);
	if (!p->head && evbuffer_add_reference(out, body, len, owned ? free_text : NULL, NULL) == 0)
		return;
	if (owned)
		free(body);
	if (!p->head)
		peer_close(p);
}

void
http_answer_buffer(struct http_peer *p, const char *type, struct evbuffer *body)
{
	answer_ok(p, type, evbuffer_get_length(body));
	if (p->head)
		evbuffer_drain(body, SIZE_MAX);
	else if (bufferevent_write_buffer(p->bev, body) < 0)
		peer_close(p);
}

void
http_refuse(struct http_peer *p, const char *status, const char *fields)
{
	char field[200];
	size_t len = strlen(status) + 1;

	snprintf(field, sizeof(field), "%sContent-Type: text/plain\r\n", fields);
	answer_head(p, status, field, len);
	if (!p->head)
		evbuffer_add_printf(bufferevent_get_output(p->bev), "%s\n", status);
}

void
http_wait(struct http_peer *p, struct http_wait *w)
{
	p->stage = WAITS;
	p->wait = w;
	w->peer = p;
}

struct http_peer *
http_waited(struct http_wait *w)
{
	struct http_peer *p = w->peer;

	if (p)
		p->wait = NULL;
	w->peer = NULL;
	return p;
}

/* ---- streams ----------------------------------------------------------------------- */

void
http_stream(struct http_peer *p)
{
	struct http *h = p->h;

	if (h->n_streams >= h->site->streams) {
		http_refuse(p, "503 Service Unavailable", "Retry-After: 10\r\n");
		return;
	}
	evbuffer_add_printf(bufferevent_get_output(p->bev), "HTTP/1.1 200 OK\r\n%sContent-Type: "
			    "text/event-stream\r\nX-Accel-Buffering: no\r\nConnection: close\r\n\r\n",
			    h->site->fields);
	if (p->head) {
		p->stage = TAKES;
		h->n_takers++;
		return;
	}
	h->n_streams++;
	p->stage = STREAMS;
	event_del(p->deadline);
}

unsigned
http_streams(const struct http *h)
{
	return h->n_streams;
}

void
http_broadcast(struct http *h, const char *text, size_t len)
{
	struct http_peer *p, *next;

	for (p = TAILQ_FIRST(&h->peers); p; p = next) {
		next = TAILQ_NEXT(p, all);
		if (p->stage != STREAMS)
			continue;
		if (evbuffer_get_length(bufferevent_get_output(p->bev)) + len > STREAM_MAX ||
		    bufferevent_write(p->bev, text, len) < 0)
			peer_close(p);
	}
}

/* ---- requests ---------------------------------------------------------------------- */

/* text ends with the empty line after the head. */
static void
request(struct http_peer *p, char *text, size_t len)
{
	const struct http_site *site = p->h->site;
	struct http_head head;

	wait_for(p, ALL_S);
	if (!http_head_read(&head, text, len)) {
		http_refuse(p, "400 Bad Request", "");
		return;
	}
	p->head = !strcmp(head.method, "HEAD");
	if (!p->head && strcmp(head.method, "GET") != 0)
		http_refuse(p, "405 Method Not Allowed", "Allow: GET, HEAD\r\n");
	else
		site->ask(site->arg, p, &head);
}

/* How many bytes the head has, with the empty line at its end; 0: it is not complete. */
static size_t
head_len(struct evbuffer *in)
{
	struct evbuffer_ptr crlf = evbuffer_search(in, "\n\r\n", 3, NULL);
	struct evbuffer_ptr lf = evbuffer_search(in, "\n\n", 2, NULL);

	if (crlf.pos >= 0 && (lf.pos < 0 || crlf.pos < lf.pos))
		return (size_t)crlf.pos + 3;
	return lf.pos >= 0 ? (size_t)lf.pos + 2 : 0;
}

static void
on_read(struct bufferevent *bev, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(bev);
	size_t n = head_len(in);
	struct http_peer *p = arg;
	char text[HEAD_MAX + 1];

	if (p->stage == ASKS && n && n <= HEAD_MAX) {
		evbuffer_remove(in, text, n);
		text[n] = '\0';
		request(p, text, n);
		return;		/* p may be gone; what else it sent goes with the next bytes */
	}
	if (p->stage == ASKS && evbuffer_get_length(in) < HEAD_MAX)
		return;
	evbuffer_drain(in, SIZE_MAX);
	if (p->stage == ASKS)
		http_refuse(p, "431 Request Header Fields Too Large", "");
}

/* All is written.  What the peer still sends is read, since a close would reset the
 * connection, and the peer might lose the answer. */
static void
on_written(struct bufferevent *bev, void *arg)
{
	struct http_peer *p = arg;

	if (p->stage != TAKES)
		return;
	p->stage = ENDS;
	p->h->n_takers--;
	shutdown(bufferevent_getfd(bev), SHUT_WR);
	wait_for(p, END_S);
}

static void
on_event(struct bufferevent *bev, short what, void *arg)
{
	struct http_peer *p = arg;

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
	struct http *h = arg;
	struct http_peer *p;

	(void)a, (void)len;
	if (h->n_peers >= h->site->peers && close_oldest(h, 1u << ASKS | 1u << TAKES | 1u << ENDS))
		log_gated(&h->closed, LOG_WARNING, "%s: %u connections are open: the oldest is "
			  "closed", h->site->name, h->site->peers);
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
	p->h = h;
	TAILQ_INSERT_TAIL(&h->peers, p, all);
	h->n_peers++;
	wait_for(p, ASK_S);
	bufferevent_setcb(p->bev, on_read, on_written, on_event, p);
	bufferevent_setwatermark(p->bev, EV_READ, 0, HEAD_MAX);
	bufferevent_enable(p->bev, EV_READ | EV_WRITE);
}

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct http *h = arg;

	(void)fd, (void)what;
	evconnlistener_enable(h->listener);
}

/* Descriptors ran out: accept() would fail again at once. */
static void
on_accept_error(struct evconnlistener *l, void *arg)
{
	struct http *h = arg;

	log_gated(&h->unaccepted, LOG_WARNING, "%s: cannot accept: %s: trying again in 1 s",
		  h->site->name, strerror(errno));
	evconnlistener_disable(l);
	event_add(h->retry, &(struct timeval){ .tv_sec = 1 });
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

/* NULL, and *a is for freeaddrinfo().  Otherwise the reason. */
static const char *
resolve(const char *host, const char *port, struct addrinfo **a)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_ADDRCONFIG };
	int rc = getaddrinfo(host[0] ? host : "0.0.0.0", port, &hints, a);

	return rc == EAI_SYSTEM ? strerror(errno) : rc ? gai_strerror(rc) : NULL;
}

const char *
http_address_fault(const char *address)
{
	struct addrinfo *a;
	const char *port, *why;
	char host[64];

	if (!split(address, host, &port))
		return "no ADDRESS:PORT";
	if (!(why = resolve(host, port, &a)))
		freeaddrinfo(a);
	return why;
}

/* NULL: it listens.  Otherwise the reason. */
static const char *
listen_on(struct http *h, const char *host, const char *port)
{
	struct addrinfo *a;
	const char *why = resolve(host, port, &a);
	int rc;

	if (why)
		return why;
	h->listener = evconnlistener_new_bind(loop_base(h->d->loop), on_accept, h, LEV_OPT_REUSEABLE |
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 128, a->ai_addr, (int)a->ai_addrlen);
	rc = errno;
	freeaddrinfo(a);
	if (!h->listener)
		return strerror(rc);
	evconnlistener_set_error_cb(h->listener, on_accept_error);
	return NULL;
}

int
http_new(struct http **out, struct moored *d, const struct http_site *site, const char *address)
{
	struct http *h;
	char host[64];
	const char *port, *why;

	*out = NULL;
	if (!split(address, host, &port)) {
		log_say(LOG_ERR, NULL, "%s: \"%s\" is no ADDRESS:PORT", site->name, address);
		return -1;
	}
	if (!(h = *out = calloc(1, sizeof(*h))))
		return -1;
	h->d = d;
	h->site = site;
	TAILQ_INIT(&h->peers);
	if (!(h->retry = event_new(loop_base(d->loop), -1, 0, on_retry, h)))
		return -1;
	if ((why = listen_on(h, host, port)))
		log_say(LOG_ERR, NULL, "%s: cannot listen on %s: %s: nothing is served there",
			site->name, address, why);
	return 0;
}

void
http_free(struct http *h)
{
	if (!h)
		return;
	while (!TAILQ_EMPTY(&h->peers))
		peer_close(TAILQ_FIRST(&h->peers));
	if (h->listener)
		evconnlistener_free(h->listener);
	if (h->retry)
		event_free(h->retry);
	free(h);
}
