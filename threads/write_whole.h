/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* write_whole.h - writing all of a text although write() may take only a part of it. */
#ifndef MOORE_WRITE_WHOLE_H
#define MOORE_WRITE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes len bytes to fd, also over interruptions by signals; false with errno set. */
bool write_whole(int fd, const void *data, size_t len);

#endif
