// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* links_file.c - replaces a links file without losing what a person writes at the same time.
 *
 * Editors take no lock.  So the new file and the old one exchange their names in one step, and
 * then the old one is read again: if it is not what the change was made from, both exchange
 * names once more, and the change is made again.  The old one is read a second time after
 * SETTLE_MS, for a program that had opened it before the exchange and wrote after it.  Programs
 * of moore wait for one another at PATH.lock, which stays.
 *
 * A crash leaves the old file or the new one in place, and perhaps PATH.new, which the next
 * change renames to PATH.before-moore. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "links_file.h"
#include "write_whole.h"

enum { SETTLE_MS = 50, TRIES = 20 };

struct links_file {
	char *path, *beside, *before, *lock;	/* names: symbolic links are followed */
	int locked;		/* descriptor of the lock */
	struct moore_buf text;	/* what the file held */
	bool absent;		/* there was no file */
	const struct moore_drain_line *drop, *add;
	size_t n_drop, n_add;
};

static int
fail(struct moore_err *err, const char *what, const char *path)
{
	return moore_fail(err, MOORE_EINVAL, 0, "%.200s: cannot %s: %s: nothing was changed; make its "
			  "folder writable, or free space", path, what, strerror(errno));
}

static int
read_file(const char *path, struct moore_buf *out, bool *absent, struct moore_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char piece[4096];
	ssize_t n;

	out->len = 0;
	*absent = fd < 0 && errno == ENOENT;
	if (fd < 0)
		return *absent ? 0 : fail(err, "read", path);
	while ((n = read(fd, piece, sizeof(piece))) > 0 && out->len <= LINKS_FILE_MAX)
		moore_buf_add(out, piece, (size_t)n);
	if (n < 0) {
		close(fd);
		return fail(err, "read", path);
	}
	close(fd);
	if (out->oom)
		return moore_fail_nomem(err);
	return out->len > LINKS_FILE_MAX ?
	       moore_fail(err, MOORE_EINVAL, 0, "%.200s: larger than 1 MiB: this is no links file",
			  path) : 0;
}

/* Writes the file beside the old one, with the old one's owner and permissions. */
static int
write_beside(const struct links_file *l, const struct moore_buf *b, struct moore_err *err)
{
	struct stat st = { .st_mode = 0644 };
	bool old = stat(l->path, &st) == 0, good;
	int fd, why;

	fd = open(l->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	good = fd >= 0 && write_whole(fd, b->data, b->len) && (!old || fchown(fd, st.st_uid, st.st_gid) == 0 ||
					       errno == EPERM) &&
	       fchmod(fd, st.st_mode & 07777) == 0 && fsync(fd) == 0;
	why = errno;
	if (fd >= 0 && close(fd) < 0 && good) {
		good = false;
		why = errno;
	}
	if (good)
		return 0;
	unlink(l->beside);
	errno = why;
	return fail(err, "write", l->path);
}

static void
sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? moore_strndup(path, (size_t)(slash - path) + 1) : NULL;
	int fd = open(dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

/* Makes the new text, which must be a links file that the plugin accepts. */
static int
edit(const struct links_file *l, struct moore_buf *out, struct moore_err *err)
{
	struct moore_links *links = NULL;
	int rc;

	out->len = 0;
	rc = moore_drain_edit(out, l->text.data, l->text.len, l->drop, l->n_drop, l->add, l->n_add, err);
	if (rc == 0)
		rc = moore_links_parse(&links, out->data, out->len, err);
	moore_links_free(links);
	return rc;
}

static bool
is_same(const struct moore_buf *a, const struct moore_buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

/* Reads the file that was replaced: is it what the change was made from? */
static int
look_again(const struct links_file *l, bool *changed, struct moore_err *err)
{
	struct moore_buf now = MOORE_BUF_INIT;
	bool absent;
	int rc = read_file(l->beside, &now, &absent, err);

	*changed = rc == 0 && !is_same(&now, &l->text);
	moore_buf_free(&now);
	return rc;
}

static bool
exchange(const struct links_file *l)
{
	return renameat2(AT_FDCWD, l->beside, AT_FDCWD, l->path, RENAME_EXCHANGE) == 0;
}

/* Puts the new file in place.  *changed: a person wrote meanwhile, and that file is in place.
 * Where a file system cannot exchange names, the old file is not looked at. */
static int
put_in_place(const struct links_file *l, bool *changed, struct moore_err *err)
{
	const struct timespec settle = { 0, SETTLE_MS * 1000000L };
	int rc = 0;

	*changed = false;
	if (l->absent && renameat2(AT_FDCWD, l->beside, AT_FDCWD, l->path, RENAME_NOREPLACE) == 0)
		return 0;
	if (!exchange(l))
		return (errno == EINVAL || errno == ENOSYS) && rename(l->beside, l->path) == 0 ? 0 :
		       fail(err, "replace", l->path);
	for (int i = 0; i < 2 && rc == 0 && !*changed; i++) {
		if (i)
			nanosleep(&settle, NULL);
		rc = look_again(l, changed, err);
	}
	if (rc == 0 && !*changed)
		rename(l->beside, l->before);
	else if (!exchange(l))
		return fail(err, "replace", l->path);
	else
		unlink(l->beside);
	return rc;
}

static int
change(struct links_file *l, struct moore_err *err)
{
	struct moore_buf now = MOORE_BUF_INIT;
	bool again = true;
	int rc = 0;

	for (int i = 0; rc == 0 && again && i < TRIES; i++) {
		again = false;
		if ((rc = read_file(l->path, &l->text, &l->absent, err)) == 0 &&
		    (rc = edit(l, &now, err)) == 0 && !is_same(&now, &l->text) &&
		    (rc = write_beside(l, &now, err)) == 0)
			rc = put_in_place(l, &again, err);
	}
	if (rc == 0 && again)
		rc = moore_fail(err, MOORE_EINVAL, 0, "%.200s: another program changes it all the "
				"time: nothing was changed", l->path);
	if (rc == 0)
		sync_folder(l->path);
	moore_buf_free(&now);
	return rc;
}

/* *out: path and then end. */
static bool
name(char **out, const char *path, const char *end)
{
	struct moore_buf b = MOORE_BUF_INIT;

	moore_buf_fmt(&b, "%s%s", path, end);
	*out = b.oom ? NULL : strdup(b.data);
	moore_buf_free(&b);
	return *out;
}

static int
open_names(struct links_file *l, const char *path, struct moore_err *err)
{
	l->path = realpath(path, NULL);
	if (!l->path)
		l->path = strdup(path);
	if (!l->path || !name(&l->beside, l->path, ".new") ||
	    !name(&l->before, l->path, ".before-moore") || !name(&l->lock, l->path, ".lock"))
		return moore_fail_nomem(err);
	l->locked = open(l->lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (l->locked >= 0 && flock(l->locked, LOCK_EX) < 0)
		if (errno != EINTR)
			return fail(err, "lock", l->lock);
	if (l->locked < 0)
		return fail(err, "lock", l->lock);
	rename(l->beside, l->before);	/* of a crash */
	return 0;
}

int
links_file_change(const char *path, const struct moore_drain_line *drop, size_t n_drop,
		  const struct moore_drain_line *add, size_t n_add, struct moore_err *err)
{
	struct links_file l = { .locked = -1, .drop = drop, .add = add, .n_drop = n_drop,
				.n_add = n_add };
	int rc = open_names(&l, path, err);

	if (rc == 0)
		rc = change(&l, err);
	if (l.locked >= 0)
		close(l.locked);
	moore_buf_free(&l.text);
	free(l.path);
	free(l.beside);
	free(l.before);
	free(l.lock);
	return rc;
}
