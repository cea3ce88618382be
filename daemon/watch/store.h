/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* store.h - what outlives a restart: files in state_dir, whole or not there at all.
 * Blocks on the disk: for the worker's thread. */
#ifndef MOORED_STORE_H
#define MOORED_STORE_H

#include "moore/history.h"

/* Written beside, synced, renamed.  -MOORE_EINVAL, and the file is as it was. */
int store_write(const char *dir, const char *name, const void *data, size_t len,
		struct moore_err *err);
/* History of a plane is files of some rows each; a name tells the last of them. */
int store_add(const char *dir, unsigned plane, uint64_t last_ms, const struct moore_buf *b,
	      struct moore_err *err);
/* All of it, oldest first; then `say` is told of each file that is none, or not whole:
 * it is renamed to NAME.bad and left out.  -MOORE_ENOMEM; -MOORE_EINVAL for the folder. */
int store_load(const char *dir, unsigned plane, struct moore_history *into,
	       void (*say)(const char *text), struct moore_err *err);
/* Remove those that end before that. */
void store_expire(const char *dir, unsigned plane, uint64_t before_ms);
/* The number in file "sweep"; 0 when there is none (what is no number is set aside). */
uint64_t store_sweep(const char *dir, void (*say)(const char *text));

#endif
