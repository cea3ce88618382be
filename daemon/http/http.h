/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* http.h - serves HTTP/1.1 on one port, with bounds on all that a peer can make it hold.
 *
 * One request for each connection, GET or HEAD, without a body.  Everything here runs on the
 * loop's thread. */
#ifndef MOORED_HTTP_H
#define MOORED_HTTP_H

#include "http/head.h"
#include "state.h"

struct evbuffer;			/* of libevent */
struct http;			/* a port that is served */
struct http_peer;		/* a connection, whose request awaits its answer */

struct http_site {
	const char *name;	/* of its setting; begins the lines of the log */
	unsigned peers;		/* connections at once */
	unsigned takers;	/* of these, answers that wait to be read */
	unsigned streams;	/* of these, streams (http_stream()) */
	const char *fields;	/* of each answer: "Name: value\r\n"... */
	/* Answers one request: calls one of the functions below, once, now or later. */
	void (*ask)(void *arg, struct http_peer *p, struct http_head *h);
	void *arg;
};
/* Why nothing can be served on ADDRESS:PORT, as far as can be told without listening; NULL: it can. */
const char *http_address_fault(const char *address);
/* Serves ADDRESS:PORT until http_free(); site is borrowed.  An address that cannot be bound is in
 * the log and stops nothing else.  0, or -1: address is malformed (the log says so), or out of
 * memory. */
int http_new(struct http **out, struct moored *d, const struct http_site *site, const char *address);
void http_free(struct http *h);		/* NULL is fine */

/* ---- answers: each ends the request, and p may be gone after it -------------------- */

/* 200 with that type and these bytes, which stay valid (`owned`: which it frees). */
void http_answer(struct http_peer *p, const char *type, char *body, size_t len, bool owned);
/* 200 with that type and what is in body, which is emptied. */
void http_answer_buffer(struct http_peer *p, const char *type, struct evbuffer *body);
/* status "404 Not Found", and fields as in struct http_site or "". */
void http_refuse(struct http_peer *p, const char *status, const char *fields);

/* ---- answers that come later ------------------------------------------------------- */

/* Stands in whatever makes the answer.  peer becomes NULL when the connection ends first. */
struct http_wait {
	struct http_peer *peer;
};
void http_wait(struct http_peer *p, struct http_wait *w);
/* The answer is made: forgets w and returns its peer; NULL: it is gone. */
struct http_peer *http_waited(struct http_wait *w);

/* ---- streams of events (text/event-stream) ----------------------------------------- */

/* Turns p into a stream, to which http_broadcast() sends; refuses it with 503 when there are too
 * many. */
void http_stream(struct http_peer *p);
unsigned http_streams(const struct http *h);
/* Sends these bytes to every stream, and closes each that has not read what it was sent before. */
void http_broadcast(struct http *h, const char *text, size_t len);

#endif
