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

/* Past events are files of lines too, each named by the number of its first event.  Write one,
 * as a whole; remove those all of whose events are older than number oldest; read all, oldest
 * first.  take() gets each line; a file with a line that it refuses is renamed to NAME.bad
 * after the lines before it were taken. */
int store_events_write(const char *dir, uint64_t first, const struct moore_buf *lines,
		       struct moore_err *err);
void store_events_expire(const char *dir, uint64_t oldest);
void store_events_load(const char *dir, bool (*take)(void *arg, uint64_t first, const char *line,
		       size_t len), void *arg, void (*say)(const char *text));

#endif
