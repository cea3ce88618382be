// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* file.c - reads a whole file, of bounded size: a configured path may name anything. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static int
read_fd(int fd, const char *path, size_t max, struct moore_buf *out, struct moore_err *err)
{
	char chunk[65536];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))	/* a pipe would block */
		return moore_fail(err, MOORE_ESYNTAX, 0, "%.200s: is no regular file", path);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return moore_fail(err, MOORE_EINVAL, 0, "%.200s: cannot read: %s", path,
					  strerror(errno));
		moore_buf_add(out, chunk, (size_t)n);
		if (out->len > max)
			return moore_fail(err, MOORE_ESYNTAX, 0, "%.200s: larger than %zu KiB", path,
					  max >> 10);
	}
	moore_buf_add(out, "", 0);
	return out->oom ? moore_fail_nomem(err) : 0;
}

int
file_read(const char *path, size_t max, struct moore_buf *out, struct moore_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;

	*out = (struct moore_buf)MOORE_BUF_INIT;
	if (fd < 0)
		return moore_fail(err, MOORE_EINVAL, 0, "%.200s: cannot read: %s", path,
				  strerror(errno));
	rc = read_fd(fd, path, max, out, err);
	close(fd);
	if (rc < 0)
		moore_buf_free(out);
	return rc;
}
