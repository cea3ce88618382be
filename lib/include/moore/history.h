/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/history.h - the rates of every switch port over time, small enough to keep an hour
 * of a large fabric at one row a second, and the format of history files.
 *
 * A row is one poll.  A column is a switch port, identified by the GUID of its switch, so
 * switches may come and go.  A value takes four bytes: bytes per second out and in with a
 * relative error of 1/128, waiting ticks per second with 1/16. */
#ifndef MOORE_HISTORY_H
#define MOORE_HISTORY_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

struct moore_sample {		/* per second */
	bool known;
	uint64_t tx, rx;	/* bytes */
	uint64_t wait;		/* ticks, at most 2^31 */
};

struct moore_history;

/* Makes a history that keeps the last max_rows rows. */
MOORE_API int moore_history_new(struct moore_history **out, uint32_t max_rows,
				struct moore_err *err);
MOORE_API void moore_history_free(struct moore_history *h);
/* Adds one row.  sample[] has f->n_ports elements (port 0 is skipped); at_ms is the wall
 * clock at the end of the row and span_ms its duration.  A row that is not later than the
 * last is refused (-MOORE_EINVAL), so if the clock is set back, the old rows stay and
 * nothing is added until it has caught up.  If far more columns belong to removed ports
 * than to present ones, all older rows are dropped.  O(ports). */
MOORE_API int moore_history_add(struct moore_history *h, const struct moore_fabric *f,
				const struct moore_sample *sample, uint64_t at_ms,
				uint32_t span_ms, struct moore_err *err);

MOORE_API uint32_t moore_history_rows(const struct moore_history *h);
MOORE_API uint64_t moore_history_first(const struct moore_history *h);	/* at_ms; 0: no row */
MOORE_API uint64_t moore_history_last(const struct moore_history *h);

/* Calls fn() for the rows later than after_ms of one port, oldest first, until it returns
 * false.  Returns false if the port never had a row.  O(rows + switches). */
typedef bool moore_history_fn(void *arg, uint64_t at_ms, uint32_t span_ms,
			      const struct moore_sample *s);
MOORE_API bool moore_history_port(const struct moore_history *h, uint64_t guid,
				  moore_portnum port, uint64_t after_ms, moore_history_fn *fn,
				  void *arg);
/* Fills sample[] for every port of f from the first row that is later than after_ms; ports
 * without a value in it are not known.  Returns its at_ms, or 0 if there is no such row. */
MOORE_API uint64_t moore_history_row(const struct moore_history *h, const struct moore_fabric *f,
				     uint64_t after_ms, struct moore_sample *sample,
				     uint32_t *span_ms);

/* ---- frames: a history file, or a recording, is a sequence of these ------------------ */

/* A frame is "MOO1", a kind of four letters, the length and a hash of its body, and the
 * body. */
#define MOORE_FRAME_ROWS "ROWS"		/* moore_history_write() */
#define MOORE_FRAME_PLAN "PLAN"		/* moore_plan_write(): the fabric at that time */
#define MOORE_FRAME_HEAD 24
MOORE_API void moore_frame_write(struct moore_buf *out, const char kind[4], const void *body,
				 size_t len);
/* Reads the frame at *at and advances *at past it: returns 1, or 0 at the end.
 * -MOORE_ESYNTAX if the bytes there are no frame, or a truncated or changed one. */
MOORE_API int moore_frame_next(const uint8_t **at, const uint8_t *end, char kind[4],
			       const uint8_t **body, size_t *len, struct moore_err *err);
/* Appends a frame with at most max_rows rows later than after_ms.  *last (may be NULL) is
 * set to the at_ms of the last of them, or to after_ms if there are none; then nothing is
 * written. */
MOORE_API int moore_history_write(const struct moore_history *h, uint64_t after_ms,
				  uint32_t max_rows, struct moore_buf *out, uint64_t *last,
				  struct moore_err *err);
/* Adds the rows of a body of kind ROWS that are later than the last of h.
 * -MOORE_ESYNTAX leaves h unchanged.  Uses at most 128 MiB of memory for a frame. */
MOORE_API int moore_history_read(struct moore_history *h, const uint8_t *body, size_t len,
				 struct moore_err *err);

MOORE_END

#endif
