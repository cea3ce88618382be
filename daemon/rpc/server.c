// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* server.c - the socket of moored: access to it, and its start and end.
 *
 * Any local process can connect.  SO_PEERCRED gives its user, and a user without access gets
 * an error in words.  Elsewhere: the lines of a client and their limits (client.c), the
 * socket's lock and access (listen.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/listener.h>

#include "rpc/client.h"
#include "rpc/registry.h"

/* ---- connections ------------------------------------------------------------------- */

/* Sends one error and closes.  The peer loses the error when it does not read. */
static void
refuse(struct server *s, int fd, int code, const char *why)
{
	size_t len;
	char *line = rpc_error_line(code, why, &len);

	s->count.refused++;
	if (line && send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		s->count.dropped++;
	free(line);
	close(fd);
}

static void
on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *a, int len, void *arg)
{
	struct server *s = arg;
	struct ucred peer = { 0 };
	enum access access = listen_access(fd, s->d->readers, &peer);

	(void)l, (void)a, (void)len;
	if (access == ACCESS_NONE)
		refuse(s, fd, RPC_DENIED, "you are neither root, nor the user that moored runs as, "
		       "nor in the group of moored.conf(5)");
	else if (s->count.clients >= s->d->conf.clients || s->count.clients >= listen_clients_max())
		refuse(s, fd, RPC_BUSY, "too many connections: `clients` of moored.conf(5) and the limit "
		       "on descriptors set how many there may be");
	else if (!client_new(s, fd, access, &peer))
		refuse(s, fd, RPC_INTERNAL, "out of memory");
}

static void
on_retry(evutil_socket_t fd, short what, void *arg)
{
	struct server *s = arg;

	(void)fd, (void)what;
	evconnlistener_enable(s->listener);
}

/* Descriptors ran out: accept() would fail again at once. */
static void
on_accept_error(struct evconnlistener *l, void *arg)
{
	static const struct timeval second = { 1, 0 };
	struct server *s = arg;

	log_gated(&s->unaccepted, LOG_WARNING, "cannot accept: %s: trying again in 1 s",
		  strerror(errno));
	evconnlistener_disable(l);
	event_add(s->retry, &second);
}

static void
server_free(struct server *s)
{
	if (s->listener)
		evconnlistener_free(s->listener);
	if (s->retry)
		event_free(s->retry);
	listen_close(&s->listening);
	free(s);
}

int
server_start(struct server **out, struct moored *d, struct moore_err *err)
{
	struct server *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return moore_fail_nomem(err);
	s->d = d;
	s->host = (struct rpc_host){ d, method_find, state_capture, state_release, client_defer,
		client_reply, &s->shared };
	LIST_INIT(&s->clients);
	if (listen_open(&s->listening, d->conf.socket, d->conf.clients, err) < 0) {
		server_free(s);
		return -1;
	}
	s->retry = event_new(loop_base(d->loop), -1, 0, on_retry, s);
	s->listener = evconnlistener_new(loop_base(d->loop), on_accept, s, LEV_OPT_CLOSE_ON_FREE |
					 LEV_OPT_CLOSE_ON_EXEC, -1, s->listening.fd);
	if (!s->retry || !s->listener) {
		server_free(s);
		return moore_fail_nomem(err);
	}
	evconnlistener_set_error_cb(s->listener, on_accept_error);
	*out = s;
	return 0;
}

/* ---- the end, and what others ask -------------------------------------------------- */

static bool
all_written(const struct server *s)
{
	const struct client *c;

	LIST_FOREACH(c, &s->clients, all)
		if (client_unsent(c))
			return false;
	return true;
}

void
server_stop(struct server *s, unsigned ms)
{
	static const struct timeval tick = { 0, 10000 };
	struct event_base *base;
	struct client *c;

	if (!s)
		return;
	base = loop_base(s->d->loop);
	s->stopping = true;
	evconnlistener_disable(s->listener);
	LIST_FOREACH(c, &s->clients, all)
		bufferevent_disable(c->bev, EV_READ);
	event_base_loop(base, EVLOOP_NONBLOCK);		/* what the worker posted last */
	for (unsigned i = 0; i < ms / 10 && !all_written(s); i++) {
		event_base_loopexit(base, &tick);
		event_base_loop(base, EVLOOP_NO_EXIT_ON_EMPTY);
	}
	while ((c = LIST_FIRST(&s->clients)))
		client_close(c);
	server_free(s);
}

struct server_count
server_count(const struct server *s)
{
	return s->count;
}

uint32_t
server_subscribed(const void *client)
{
	return ((const struct client *)client)->kinds;
}

void
server_subscribe(void *client, uint32_t kinds)
{
	struct client *c = client;

	if (!c->bev)
		return;
	c->s->count.subscribers -= c->kinds != 0;
	c->s->count.subscribers += kinds != 0;
	c->kinds = kinds;
}

void
server_broadcast(struct server *s, unsigned kind, const char *line, size_t len)
{
	struct client *c, *next;

	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, all);
		if (c->kinds >> kind & 1)
			client_event(c, line, len);
	}
}
