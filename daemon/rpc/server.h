/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* server.h - clients on the Unix socket, and their limits. */
#ifndef MOORED_SERVER_H
#define MOORED_SERVER_H

#include "moore/base.h"

struct server;
/* Serve d->conf.socket, or the socket that systemd passed.  0, or -1 with *err. */
int server_start(struct server **out, struct moored *d, struct moore_err *err);
/* Takes no more requests, and writes the answers that are made, for ms at most. */
void server_stop(struct server *s, unsigned ms);

struct server_count {
	unsigned clients, subscribers, outstanding;
	uint64_t accepted, refused, dropped, requests, events_lost;
};
struct server_count server_count(const struct server *s);

/* The kinds of events (bits by enum event_kind) that a client of struct call wants. */
uint32_t server_subscribed(const void *client);
void server_subscribe(void *client, uint32_t kinds);
/* Sends a line to every client that subscribed to the kind. */
void server_broadcast(struct server *s, unsigned kind, const char *line, size_t len);

#endif
