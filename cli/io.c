// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* io.c - reads and writes whole files.
 *
 * A file is written and synced beside its target and then renamed, so that at every moment
 * its name holds the old contents or the new, even after a crash.  Where the file system can,
 * the new file has no name until then, so a killed program leaves nothing behind.  What is
 * not a regular file (a device, a pipe) is written directly, since it has no contents to
 * keep.  Large contents are written while they are made. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "write_whole.h"

enum { PEER_MS = 2000 };	/* how long a pipe may lack its other end */

char *
cli_path_join(const char *dir, const char *name)
{
	char *s;

	return asprintf(&s, "%s/%s", dir, name) < 0 ? NULL : s;
}

/* ---- reading ------------------------------------------------------------------ */

/* True for disks and devices such as /dev/zero, whose contents never end.  Terminals and
 * /dev/null do end. */
static bool
is_endless(int fd, const struct stat *st)
{
	return S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && !isatty(fd) &&
					st->st_rdev != makedev(1, 3));
}

/* Opens a file to read; -1 with a message.  O_NONBLOCK, so that opening a pipe without a
 * writer returns. */
static int
open_input(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, st) < 0)
		cli_error("%s: cannot read: %s: give a file that exists and that you may read",
			  cli_file_name(path), strerror(errno));
	else if (S_ISDIR(st->st_mode))
		cli_error("%s: is a directory: give a file", path);
	else if (is_endless(fd, st))
		cli_error("%s: is a device: give a file", path);
	else
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Waits up to ms milliseconds (-1: without limit) for bytes or for the end of a pipe.  False
 * when neither came. */
static bool
await(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int n;

	while ((n = poll(&p, 1, ms)) < 0 && errno == EINTR)
		;
	return n > 0;
}

/* Reads some bytes and returns their number, 0 at the end, or -1 with errno.  *writer says
 * whether a pipe has had a writer: before that, its end of file does not count. */
static ssize_t
read_some(int fd, char *to, size_t len, bool *writer)
{
	bool waited = false;
	ssize_t n;

	for (;;) {
		n = read(fd, to, len);
		if (n < 0 && errno == EAGAIN)
			*writer = await(fd, -1);
		else if (n == 0 && !*writer && !waited)
			*writer = await(fd, PEER_MS);
		else if (n >= 0 || errno != EINTR)
			return n;
		waited = true;
	}
}

static int
too_large(const char *path, size_t max, const char *what)
{
	return cli_error("%s: larger than %zu MiB: this is no %s", cli_file_name(path), max >> 20,
			 what);
}

static int
read_all(int fd, const char *path, bool fifo, size_t max, const char *what, struct moore_buf *out)
{
	bool writer = !fifo;
	char chunk[65536];
	ssize_t n;

	while ((n = read_some(fd, chunk, sizeof(chunk), &writer)) > 0) {
		writer = true;
		moore_buf_add(out, chunk, (size_t)n);
		if (out->len > max)
			return too_large(path, max, what);
	}
	if (n < 0)
		return cli_error("%s: cannot read: %s", cli_file_name(path), strerror(errno));
	if (!writer)
		return cli_error("%s: is a pipe that nothing writes to: start the writer first, or "
				 "give a file", path);
	moore_buf_add(out, "", 0);	/* adds the NUL even when nothing was read */
	return out->oom ? cli_error("%s: out of memory", cli_file_name(path)) : CLI_OK;
}

int
cli_read_at_most(const char *path, size_t max, const char *what, struct moore_buf *out)
{
	const bool std = !strcmp(path, "-");
	struct stat st = { 0 };
	int fd = std ? STDIN_FILENO : open_input(path, &st), rc;

	*out = (struct moore_buf)MOORE_BUF_INIT;
	if (fd < 0)
		return CLI_FAIL;
	if (std && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		rc = cli_error("%s: is a directory: give a file", cli_file_name(path));
	else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max)
		rc = too_large(path, max, what);
	else
		rc = read_all(fd, path, !std && S_ISFIFO(st.st_mode), max, what, out);
	if (!std)
		close(fd);
	if (rc != CLI_OK)
		moore_buf_free(out);
	return rc;
}

int
cli_read(const char *path, struct moore_buf *out)
{
	return cli_read_at_most(path, CLI_READ_MAX, "dump or list of links", out);
}

/* No line of a dump is longer. */
#define PIECE ((size_t)1 << 20)

static bool
read_more(void *arg, const char **rest, const char **end)
{
	struct cli_lines *l = arg;
	ssize_t n = 0;

	l->len = (size_t)(*end - *rest);
	if (l->len)
		memmove(l->piece, *rest, l->len);
	while (l->len < l->cap && (n = read(l->fd, l->piece + l->len, l->cap - l->len)) < 0 &&
	       errno == EINTR)
		;
	if (n < 0)
		l->error = errno;
	if (n > 0)
		l->len += (size_t)n;
	*rest = l->piece;
	*end = l->piece + l->len;
	return n > 0;
}

int
cli_lines_open(const char *path, struct cli_lines *l)
{
	struct stat st;

	*l = (struct cli_lines){ .source = { read_more, l }, .path = path, .cap = PIECE };
	if ((l->fd = open_input(path, &st)) < 0)
		return CLI_FAIL;
	if (S_ISREG(st.st_mode) && (l->piece = malloc(l->cap)))
		return CLI_OK;
	close(l->fd);
	return S_ISREG(st.st_mode) ? cli_error("out of memory") :
	       cli_error("%s: is no regular file: it is read twice", path);
}

int
cli_lines_close(struct cli_lines *l)
{
	close(l->fd);
	free(l->piece);
	return l->error ? cli_error("%s: cannot read: %s", l->path, strerror(l->error)) : CLI_OK;
}

/* ---- writing ------------------------------------------------------------------ */

struct drain {
	int fd, error;		/* error: errno of a write that failed */
};

static bool
drain_to(void *arg, const char *data, size_t len)
{
	struct drain *d = arg;

	if (write_whole(d->fd, data, len))
		return true;
	d->error = errno;
	return false;
}

static int
cannot_write(const char *path)
{
	const char *why = strerror(errno);

	if (!strcmp(path, "-"))
		return cli_error("standard output: cannot write: %s: the output is not complete",
				 why);
	return cli_error("%s: cannot write: %s: nothing was changed; write elsewhere, "
			 "free space, or get permission to write there", path, why);
}

/* Writes the contents of f to fd; CLI_FAIL with a message. */
static int
write_contents(int fd, const struct cli_file *f)
{
	struct drain d = { fd, 0 };
	struct moore_buf b = { .drain = drain_to, .drain_arg = &d };
	struct moore_err err = { 0 };
	int rc;

	if (f->data)
		return write_whole(fd, f->data->data, f->data->len) ? CLI_OK : cannot_write(f->path);
	rc = f->write(f->arg, &b, &err);
	moore_buf_drain(&b);
	if (d.error) {
		errno = d.error;
		rc = cannot_write(f->path);
	} else if (rc < 0 || b.oom) {
		rc = cli_error("%s: %s", f->path, rc < 0 ? err.text : "out of memory");
	}
	moore_buf_free(&b);
	return rc;
}

/* Returns the descriptor that a name such as /dev/stdout stands for, or -1.  If the name were
 * opened, a regular file behind it would be replaced, or overwritten from its start. */
static int
standing_for(const char *path)
{
	static const char *const dir[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t fd;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_LEN(dir); i++) {
		const char *s = path + strlen(dir[i]), *end = path + strlen(path);

		if (!strncmp(path, dir[i], strlen(dir[i])) &&
		    moore_text_u64(&s, end, 10, INT_MAX, &fd) && s == end)
			return (int)fd;
	}
	return -1;
}

/* Opens a pipe or device to write, waiting up to PEER_MS for a reader of a pipe. */
static int
open_direct(const char *path)
{
	const struct timespec pause = { 0, 50000000 };
	int fd;

	for (int ms = 0; (fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) < 0 &&
	     errno == ENXIO && ms < PEER_MS; ms += 50)
		nanosleep(&pause, NULL);
	if (fd >= 0)
		fcntl(fd, F_SETFL, O_WRONLY);	/* writes then wait for the reader */
	return fd;
}

static int
write_direct(const struct cli_file *f, int standing)
{
	int fd = standing >= 0 ? dup(standing) : open_direct(f->path), rc;

	if (fd < 0)
		return errno == ENXIO ? cli_error("%s: is a pipe or socket that nothing reads from: "
						  "start the reader first, or give a file", f->path) :
		       cannot_write(f->path);
	rc = write_contents(fd, f);
	return close(fd) < 0 && rc == CLI_OK ? cannot_write(f->path) : rc;
}

/* Returns the file that a symbolic link leads to and that does not exist yet, which is what a
 * shell would create.  NULL when out of memory. */
static char *
follow(const char *path)
{
	char *name = strdup(path), to[PATH_MAX], *next, *slash;
	ssize_t n;

	for (int i = 0; name && i < 40 && (n = readlink(name, to, sizeof(to) - 1)) >= 0; i++) {
		to[n] = '\0';
		slash = strrchr(name, '/');
		if (to[0] == '/' || !slash)
			next = strdup(to);
		else if (asprintf(&next, "%.*s/%s", (int)(slash - name), name, to) < 0)
			next = NULL;
		free(name);
		name = next;
	}
	return name;
}

/* Returns the permissions of the file that is replaced, or those of a new file. */
static mode_t
mode_for(const struct stat *old, bool program)
{
	mode_t mask;

	if (old)
		return old->st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return (program ? 0777 : 0666) & ~mask;
}

#define FD_NAME sizeof("/proc/self/fd/-2147483648")

/* Names the open file for linkat(); false where there is no /proc. */
static bool
fd_name(int fd, char name[FD_NAME])
{
	snprintf(name, FD_NAME, "/proc/self/fd/%d", fd);
	return access(name, F_OK) == 0;
}

/* Opens f->fd, a file in the directory of f->real: without a name, or else named f->tmp. */
static int
open_beside(struct cli_file *f)
{
	char *copy = strdup(f->real), name[FD_NAME];

	if (!copy)
		return cli_error("out of memory");
	f->fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(copy);
	if (f->fd >= 0 && fd_name(f->fd, name))
		return CLI_OK;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	if (asprintf(&f->tmp, "%s.XXXXXX", f->real) < 0) {
		f->tmp = NULL;
		return cli_error("out of memory");
	}
	if ((f->fd = mkostemp(f->tmp, O_CLOEXEC)) >= 0)
		return CLI_OK;
	free(f->tmp);
	f->tmp = NULL;
	return cannot_write(f->path);
}

/* Writes the contents of f to f->fd, which is later renamed to f->real: f->path with its
 * symbolic links followed. */
static int
stage(struct cli_file *f)
{
	const int standing = standing_for(f->path);
	struct stat st;
	bool there = standing < 0 && stat(f->path, &st) == 0;
	int rc;

	if (f->data && f->data->oom)
		return cli_error("out of memory");
	if (there && S_ISDIR(st.st_mode))
		return cli_error("%s: is a directory: give the name of a file", f->path);
	if (standing >= 0 || (there && !S_ISREG(st.st_mode)))
		return write_direct(f, standing);
	if (!there && errno != ENOENT)
		return cannot_write(f->path);
	f->real = there ? realpath(f->path, NULL) : follow(f->path);
	if (!f->real)
		return cli_error("out of memory");
	if ((rc = open_beside(f)) != CLI_OK || (rc = write_contents(f->fd, f)) != CLI_OK)
		return rc;
	if (fchmod(f->fd, mode_for(there ? &st : NULL, f->program)) < 0 || fsync(f->fd) < 0)
		return cannot_write(f->path);
	return CLI_OK;
}

/* Gives f->fd a temporary name, since linkat() cannot replace a file and rename() can. */
static bool
give_name(struct cli_file *f)
{
	char name[FD_NAME];

	if (f->tmp)
		return true;
	fd_name(f->fd, name);
	for (unsigned i = 0; i < 100; i++) {
		if (asprintf(&f->tmp, "%s.%d-%u", f->real, (int)getpid(), i) < 0) {
			f->tmp = NULL;
			return false;
		}
		if (linkat(AT_FDCWD, name, AT_FDCWD, f->tmp, AT_SYMLINK_FOLLOW) == 0)
			return true;
		free(f->tmp);
		f->tmp = NULL;
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static void
sync_dir_of(const char *path)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);	/* not supported everywhere; the file itself is synced */
		close(fd);
	}
	free(copy);
}

/* Refuses two files of the same name: the later one would replace the earlier. */
static int
refuse_twice(const struct cli_file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(files[i].path, files[j].path))
				return cli_error("%s: is to be written twice: give each file a "
						 "name of its own: nothing was changed",
						 files[i].path);
	return CLI_OK;
}

int
cli_write_all(struct cli_file *files, size_t n)
{
	int rc = refuse_twice(files, n);

	for (size_t i = 0; i < n; i++) {
		files[i].tmp = files[i].real = NULL;
		files[i].fd = -1;
	}
	for (size_t i = 0; i < n && rc == CLI_OK; i++)
		rc = stage(&files[i]);
	for (size_t i = 0; i < n; i++) {
		if (rc == CLI_OK && files[i].fd >= 0 &&
		    (!give_name(&files[i]) || rename(files[i].tmp, files[i].real) < 0))
			rc = cannot_write(files[i].path);
		if (rc != CLI_OK && files[i].tmp)
			unlink(files[i].tmp);	/* fails when the file was renamed */
		if (i + 1 == n && files[i].fd >= 0)
			sync_dir_of(files[i].real);
		if (files[i].fd >= 0)
			close(files[i].fd);
		free(files[i].tmp);
		free(files[i].real);
	}
	return rc;
}

int
cli_write(const char *path, const struct moore_buf *data)
{
	struct cli_file f = { .path = path, .data = data };

	return cli_write_all(&f, 1);
}
