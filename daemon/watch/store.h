/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* store.h - the files in state_dir that moored reads when it starts again.  These calls
 * wait for the disk, so they are for a worker's thread. */
#ifndef MOORED_STORE_H
#define MOORED_STORE_H

#include "moore/history.h"

/* Write a file under another name, sync it, rename it.  -MOORE_EINVAL: the file is as it was. */
int store_write(const char *dir, const char *name, const void *data, size_t len,
		struct moore_err *err);
/* History of a plane is several files of some rows each; the name holds the time of the last
 * row.  This writes one more. */
int store_add(const char *dir, unsigned plane, uint64_t last_ms, const struct moore_buf *b,
	      struct moore_err *err);
/* Read all files of a plane, oldest first.  A file that is damaged or not ours is renamed to
 * NAME.bad, one that cannot be opened stays; say() gets one sentence about each, and the rest
 * is read.  -MOORE_ENOMEM; -MOORE_EINVAL when the folder cannot be read. */
int store_load(const char *dir, unsigned plane, struct moore_history *into,
	       void (*say)(const char *text), struct moore_err *err);
/* Remove the files whose last row is older. */
void store_expire(const char *dir, unsigned plane, uint64_t before_ms);
/* The number in the file "sweep"; 0 when there is none, or when it holds no number and is set
 * aside.  False: the file is there and cannot be read, so it must not be replaced. */
bool store_sweep(const char *dir, uint64_t *n, void (*say)(const char *text));

#endif
