// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* listen.c - the Unix socket before anyone is connected: the lock that one daemon holds,
 * the file, the limit on descriptors, and what a peer may do.
 *
 * A lock beside the socket distinguishes a live daemon from the file that a killed one
 * left: the kernel drops the lock with the process that holds it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "state.h"
#include "log.h"
#include "notify.h"
#include "rpc/listen.h"

/* ---- descriptors ------------------------------------------------------------------- */

/* How many clients descriptors are left for. */
unsigned
listen_clients_max(void)
{
	struct rlimit r;
	rlim_t reserved = FDS_OWN + FDS_METRICS + FDS_PAGE;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur <= reserved)
		return 1;
	return r.rlim_cur - reserved < UINT_MAX ? (unsigned)(r.rlim_cur - reserved) : UINT_MAX;
}

/* As many descriptors as the system allows, up to those that `clients` can ask for. */
static void
raise_limit(unsigned clients)
{
	struct rlimit r;
	rlim_t most = FDS_OWN + FDS_METRICS + FDS_PAGE + CONF_CLIENTS_MAX;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max && r.rlim_cur < most) {
		r.rlim_cur = most < r.rlim_max ? most : r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
	if (listen_clients_max() < clients)
		log_say(LOG_WARNING, NULL, "clients %u: the limit on descriptors allows only %u (ulimit -n, or "
			"LimitNOFILE= of the unit)", clients, listen_clients_max());
}

/* ---- the lock ---------------------------------------------------------------------- */

/* Opens PATH.lock so that no other user can open it, since any process that can open a file
 * can hold a lock on it.  If an older moored made the file with mode 0644, the mode is
 * corrected. */
static int
open_lock(const char *name, struct moore_err *err)
{
	int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat st;

	if (fd < 0)
		return moore_fail(err, MOORE_EINVAL, 0, "%s: cannot create: %s: make its folder, "
				  "or choose another with --socket", name, strerror(errno));
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && fchmod(fd, 0600) == 0)
		return fd;
	close(fd);
	return moore_fail(err, MOORE_EINVAL, 0, "%s: belongs to another user: remove it, or choose a "
			  "folder that only moored's user can write with --socket", name);
}

/* Hold the lock of PATH, or say which process does. */
static int
take_lock(struct listening *s, const char *path, struct moore_err *err)
{
	char name[128], pid[16] = "";
	ssize_t n;

	snprintf(name, sizeof(name), "%s.lock", path);
	if ((s->lock_fd = open_lock(name, err)) < 0)
		return -1;
	if (flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		n = pread(s->lock_fd, pid, sizeof(pid) - 1, 0);
		pid[n > 0 ? strcspn(pid, "\n") : 0] = '\0';
		return moore_fail(err, MOORE_EINVAL, 0, "%s: another moored (process %s) serves it: "
				  "stop that one, or choose another with --socket", path, pid);
	}
	n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(s->lock_fd, 0) < 0 || pwrite(s->lock_fd, pid, (size_t)n, 0) < 0)
		log_say(LOG_WARNING, NULL, "%s: cannot write: %s", name, strerror(errno));
	return 0;
}

/* ---- the socket -------------------------------------------------------------------- */

static void
make_folder_of(const char *path)
{
	char dir[108];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	if ((slash = strrchr(dir, '/')) && slash != dir) {
		*slash = '\0';
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			log_say(LOG_WARNING, NULL, "%s: cannot create: %s", dir, strerror(errno));
	}
}

static int
bind_socket(struct listening *s, const char *path, struct moore_err *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	int fd;

	make_folder_of(path);
	if (take_lock(s, path, err) < 0)
		return -1;
	if (lstat(path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return moore_fail(err, MOORE_EINVAL, 0, "%s: exists and is not a socket: choose "
				  "another with --socket", path);
	unlink(path);		/* we hold the lock, so the process that made it has ended */
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 1024) < 0 ||
	    chmod(path, 0666) < 0) {
		moore_fail(err, MOORE_EINVAL, 0, "%s: cannot serve: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	strcpy(s->path, path);
	return fd;
}

int
listen_open(struct listening *out, const char *path, unsigned clients, struct moore_err *err)
{
	*out = (struct listening){ .fd = -1, .lock_fd = -1 };
	raise_limit(clients);
	out->fd = passed_socket(SOCK_STREAM);
	if (out->fd < 0)
		out->fd = bind_socket(out, path, err);
	if (out->fd >= 0)
		return 0;
	listen_close(out);
	return -1;
}

void
listen_close(struct listening *s)
{
	if (s->path[0])
		unlink(s->path);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	*s = (struct listening){ .fd = -1, .lock_fd = -1 };
}

/* ---- what a peer may do ------------------------------------------------------------ */

static bool
in_group(int fd, gid_t own, int64_t group)
{
	gid_t list[1024];
	socklen_t len = sizeof(list);

	if (group < 0 || own == group)
		return group >= 0;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, list, &len) < 0)
		return false;
	for (size_t i = 0; i < len / sizeof(*list); i++)
		if (list[i] == group)
			return true;
	return false;
}

enum access
listen_access(int fd, int64_t readers, struct ucred *peer)
{
	socklen_t len = sizeof(*peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, peer, &len) < 0)
		return ACCESS_NONE;
	if (peer->uid == 0 || peer->uid == geteuid())
		return ACCESS_CHANGE;
	return in_group(fd, peer->gid, readers) ? ACCESS_READ : ACCESS_NONE;
}
