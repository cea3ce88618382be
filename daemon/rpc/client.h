/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* client.h - what client.c and server.c share: one connection, and the server that has all.
 *
 * server.c accepts connections and starts and stops; client.c reads the requests of one
 * client, runs them, and writes the answers and events.  Everything here runs on the loop's
 * thread. */
#ifndef MOORED_CLIENT_H
#define MOORED_CLIENT_H

#include <sys/queue.h>
#include <sys/socket.h>

#include <event2/bufferevent.h>

#include "log.h"
#include "rpc/listen.h"
#include "rpc/rpc.h"
#include "rpc/server.h"
#include "state.h"

struct client {
	LIST_ENTRY(client) all;
	struct server *s;
	struct bufferevent *bev;	/* NULL: gone, but jobs still refer to it */
	struct rpc_line *line;		/* the request line being answered; NULL: none */
	size_t held;			/* bytes in its buffers */
	struct event *again;		/* continues to read after a pause */
	enum access access;
	uid_t uid;
	pid_t pid;
	uint32_t kinds;			/* of events */
	unsigned jobs;			/* lines and jobs that refer to it */
	unsigned outstanding;		/* of these, on workers */
	double tokens;			/* requests that it may still send now (RATE) */
	uint64_t filled_us;		/* when tokens were added last */
	bool eof;			/* the peer has closed its sending end */
	bool deaf;			/* nothing more is read; closed when all is written */
	uint64_t lost;			/* events left out since the last one that was sent */
};

struct server {
	struct moored *d;
	struct rpc_host host;
	struct evconnlistener *listener;
	struct event *retry;		/* accepts again after descriptors ran out */
	LIST_HEAD(, client) clients;
	struct listening listening;
	struct server_count count;
	size_t held;			/* of all clients */
	size_t shared;			/* of these, bytes of texts that several answers share */
	struct log_gate dropped, unaccepted;
	bool stopping;			/* no more lines are read */
};

/* Serves the connection fd from now on, and owns it.  False: out of memory; fd stays open. */
bool client_new(struct server *s, int fd, enum access access, const struct ucred *peer);
/* Closes the connection.  c is freed now, or when its last job ends. */
void client_close(struct client *c);
size_t client_unsent(const struct client *c);	/* bytes of answers and events */
/* Sends a line of an event, or counts it as lost when too many bytes wait. */
void client_event(struct client *c, const char *line, size_t len);

/* For struct rpc_host; arg is a struct client. */
void client_reply(void *arg, struct evbuffer *out);
int client_defer(void *arg, struct rpc_job *job, enum takes takes);

#endif
