/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* listen.h - the Unix socket that moored serves, and what a peer that connects may do. */
#ifndef MOORED_LISTEN_H
#define MOORED_LISTEN_H

#include <sys/socket.h>

#include "method.h"

struct listening {
	int fd;			/* listens; its user closes it */
	int lock_fd;		/* -1: systemd passed the socket */
	char path[108];		/* of a file that listen_close() removes; "" for systemd's */
};
/* The socket that systemd passed, or one at path, which no other moored serves.  Raises the
 * limit on descriptors, and logs when it is too low for `clients`.  0, or -1 with *err. */
int listen_open(struct listening *out, const char *path, unsigned clients, struct moore_err *err);
void listen_close(struct listening *s);

/* How many clients there are descriptors for: the limit less what the daemon itself needs. */
unsigned listen_clients_max(void);
/* Finds the user of the process at the other end of fd and returns what that user may do:
 * root and moored's own user may change things, members of the group `readers` (-1: none)
 * may ask. */
enum access listen_access(int fd, int64_t readers, struct ucred *peer);

#endif
