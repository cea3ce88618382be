// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* write_whole.c - write() until nothing is left. */
#include <errno.h>
#include <unistd.h>

#include "write_whole.h"

bool
write_whole(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		const ssize_t n = write(fd, at, len);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return true;
}
