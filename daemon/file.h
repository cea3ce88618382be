/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* file.h - reads files whose path was configured. */
#ifndef MOORED_FILE_H
#define MOORED_FILE_H

#include "moore/base.h"

/* Read a whole regular file of at most max bytes, and a NUL after it.
 * -MOORE_EINVAL it cannot be opened or read; -MOORE_ESYNTAX it is no regular file, or
 * larger; -MOORE_ENOMEM.  The caller frees *out after success. */
int file_read(const char *path, size_t max, struct moore_buf *out, struct moore_err *err);

#endif
