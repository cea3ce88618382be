// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* store.c - files of history, each of which is complete or does not exist.
 *
 * "history-PLANE-LAST.moore" holds the rows up to LAST (ms, 16 hexadecimal digits, so that
 * names sort by time).  A running daemon writes more files and removes the oldest, and never
 * changes one, so a crash costs only the rows that were not written yet.  While a file is
 * written its name begins with a dot; such files are removed at the start.
 *
 * "events-FIRST.jsonl" holds past events, one on each line; FIRST is the number of the first,
 * 16 hexadecimal digits.  The last of these files is replaced while it grows. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "records/store.h"
#include "write_whole.h"

#define FILE_MAX ((size_t)256 << 20)
#define EVENTS_MAX ((size_t)16 << 20)
enum { PATH_LEN = 1024 };

static void
sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

int
store_write(const char *dir, const char *name, const void *data, size_t len, struct moore_err *err)
{
	char to[PATH_LEN], beside[PATH_LEN];
	int fd, why;
	bool good;

	snprintf(to, sizeof(to), "%s/%s", dir, name);
	snprintf(beside, sizeof(beside), "%s/.%s", dir, name);
	fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	good = fd >= 0 && write_whole(fd, data, len) && fsync(fd) == 0;
	why = errno;
	if (fd >= 0)
		close(fd);
	if (good && rename(beside, to) < 0) {
		good = false;
		why = errno;
	}
	if (!good) {
		unlink(beside);
		/* Without the name, which changes while the cause is one, and would be logged again. */
		return moore_fail(err, MOORE_EINVAL, 0, "%.200s: cannot write: %s: free space, or allow "
				  "moored to write there (state_dir)", dir, strerror(why));
	}
	sync_dir(dir);
	return 0;
}

int
store_add(const char *dir, unsigned plane, uint64_t last_ms, const struct moore_buf *b,
	  struct moore_err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "history-%u-%016" PRIx64 ".moore", plane, last_ms);
	return store_write(dir, name, b->data, b->len, err);
}

/* Is this the name of a file of that plane's history?  Then *last_ms is the time in it. */
static bool
is_history(const char *name, unsigned plane, uint64_t *last_ms)
{
	unsigned p;
	int n = -1;

	return sscanf(name, "history-%u-%16" SCNx64 ".moore%n", &p, last_ms, &n) == 2 && n > 0 &&
	       !name[n] && p == plane;
}

/* Rename what holds no history of ours, so that it is neither read again nor lost. */
static void
set_aside(const char *path, const char *why, void (*say)(const char *text))
{
	char to[PATH_LEN + 8], text[3 * PATH_LEN];

	snprintf(to, sizeof(to), "%s.bad", path);
	if (rename(path, to) == 0)
		snprintf(text, sizeof(text), "%s: %s: set aside as %s", path, why, to);
	else
		snprintf(text, sizeof(text), "%s: %s: not read, and left there: cannot rename it: %s",
			 path, why, strerror(errno));
	say(text);
}

/* What file_read() made of it.  A file that cannot be read may hold good history, so it
 * stays where it is; what is no file of ours is set aside. */
static void
complain(const char *path, int rc, const struct moore_err *why, void (*say)(const char *text))
{
	char text[PATH_LEN];

	if (rc != -MOORE_EINVAL) {
		set_aside(path, why->text, say);
		return;
	}
	snprintf(text, sizeof(text), "%s: left there", why->text);
	say(text);
}

/* Reads every frame of rows.  A frame of another kind is of a later version and is skipped. */
static int
read_frames(const struct moore_buf *b, struct moore_history *h, struct moore_err *err)
{
	const uint8_t *at = (const uint8_t *)b->data, *end = at + b->len, *body;
	char kind[4];
	size_t len;
	int rc;

	if (at == end)
		return moore_fail(err, MOORE_ESYNTAX, 0, "empty");
	while ((rc = moore_frame_next(&at, end, kind, &body, &len, err)) == 1)
		if (!memcmp(kind, MOORE_FRAME_ROWS, 4) &&
		    (rc = moore_history_read(h, body, len, err)) < 0)
			break;
	return rc;
}

int
store_load(const char *dir, unsigned plane, struct moore_history *into,
	   void (*say)(const char *text), struct moore_err *err)
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort), rc = 0;
	uint64_t last_ms;

	if (n < 0)
		return moore_fail(err, MOORE_EINVAL, 0, "%.200s: cannot read: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		char path[PATH_LEN];
		struct moore_buf b;
		struct moore_err why;
		int got;

		snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name);
		if (list[i]->d_name[0] == '.' && is_history(list[i]->d_name + 1, plane, &last_ms))
			unlink(path);
		if (!rc && is_history(list[i]->d_name, plane, &last_ms)) {
			if ((got = file_read(path, FILE_MAX, &b, &why)) == 0) {
				got = read_frames(&b, into, &why);
				moore_buf_free(&b);
			}
			if (got == -MOORE_ENOMEM)
				rc = moore_fail_nomem(err);
			else if (got < 0)
				complain(path, got, &why, say);
		}
		free(list[i]);
	}
	free(list);
	return rc;
}

void
store_expire(const char *dir, unsigned plane, uint64_t before_ms)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	uint64_t last_ms;

	while (d && (e = readdir(d)))
		if (is_history(e->d_name, plane, &last_ms) && last_ms < before_ms)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

bool
store_sweep(const char *dir, uint64_t *n, void (*say)(const char *text))
{
	char path[PATH_LEN];
	struct moore_buf b;
	struct moore_err err;
	const char *s;
	int rc;

	*n = 0;
	snprintf(path, sizeof(path), "%s/sweep", dir);
	if (access(path, F_OK) != 0)
		return true;
	if ((rc = file_read(path, 64, &b, &err)) < 0) {
		complain(path, rc, &err, say);
		return rc != -MOORE_EINVAL;
	}
	s = b.data;
	if (!moore_text_u64(&s, b.data + b.len, 10, (uint64_t)1 << 60, n) || *s != '\n') {
		set_aside(path, "no number", say);
		*n = 0;
	}
	moore_buf_free(&b);
	return true;
}

/* ---- past events -------------------------------------------------------------------- */

int
store_events_write(const char *dir, uint64_t first, const struct moore_buf *lines,
		   struct moore_err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "events-%016" PRIx64 ".jsonl", first);
	return store_write(dir, name, lines->data ? lines->data : "", lines->len, err);
}

static bool
is_events(const char *name, uint64_t *first)
{
	int n = -1;

	return sscanf(name, "events-%16" SCNx64 ".jsonl%n", first, &n) == 1 && n > 0 && !name[n];
}

/* The events of a file end where those of the next one begin. */
void
store_events_expire(const char *dir, uint64_t oldest)
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort), before = -1;
	uint64_t first;
	char path[PATH_LEN];

	for (int i = 0; i < n; i++) {
		if (!is_events(list[i]->d_name, &first))
			continue;
		if (before >= 0 && first <= oldest) {
			snprintf(path, sizeof(path), "%s/%s", dir, list[before]->d_name);
			unlink(path);
		}
		before = i;
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
}

static void
load_events(const char *path, uint64_t first, bool (*take)(void *arg, uint64_t first,
	    const char *line, size_t len), void *arg, void (*say)(const char *text))
{
	struct moore_buf b;
	struct moore_err err;
	int rc = file_read(path, EVENTS_MAX, &b, &err);
	const char *at, *end, *nl;

	if (rc < 0) {
		complain(path, rc, &err, say);
		return;
	}
	at = b.data;
	end = at + b.len;
	for (; at < end; at = nl + 1)
		if (!(nl = memchr(at, '\n', (size_t)(end - at))) ||
		    !take(arg, first, at, (size_t)(nl - at))) {
			set_aside(path, "a line is no event, or is cut", say);
			break;
		}
	moore_buf_free(&b);
}

void
store_events_load(const char *dir, bool (*take)(void *arg, uint64_t first, const char *line,
		  size_t len), void *arg, void (*say)(const char *text))
{
	struct dirent **list;
	int n = scandir(dir, &list, NULL, alphasort);
	uint64_t first;
	char path[PATH_LEN];

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (name[0] == '.' && is_events(name + 1, &first))
			unlink(path);
		else if (is_events(name, &first))
			load_events(path, first, take, arg, say);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}
