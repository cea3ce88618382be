/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/history.h - rates of every switch port over time, small enough to keep an hour
 * of seconds of a large fabric, and the bytes that carry them to a file and back.
 *
 * A row is one poll; a column is a switch port, known by the GUID of its switch, so
 * that switches may come and go.  A value takes four bytes: bytes per second out and
 * in to 1 part in 128, waiting ticks per second to 1 in 16. */
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

/* Keeps the last max_rows rows. */
MOORE_API int moore_history_new(struct moore_history **out, uint32_t max_rows,
				struct moore_err *err);
MOORE_API void moore_history_free(struct moore_history *h);
/* One row: sample[] has f->n_ports elements (port 0 is skipped).  at_ms is the wall clock
 * at its end, span_ms what it covers; a row that is not later than the last is refused
 * (-MOORE_EINVAL): a clock that was set back begins nothing anew.  When columns that are
 * no more outnumber those in use by far, older rows go.  O(ports). */
MOORE_API int moore_history_add(struct moore_history *h, const struct moore_fabric *f,
				const struct moore_sample *sample, uint64_t at_ms,
				uint32_t span_ms, struct moore_err *err);

MOORE_API uint32_t moore_history_rows(const struct moore_history *h);
MOORE_API uint64_t moore_history_first(const struct moore_history *h);	/* at_ms; 0: empty */
MOORE_API uint64_t moore_history_last(const struct moore_history *h);

/* Rows later than after_ms of one port, oldest first, while fn() says so.  False when
 * that port never was there.  O(rows + switches). */
typedef bool moore_history_fn(void *arg, uint64_t at_ms, uint32_t span_ms,
			      const struct moore_sample *s);
MOORE_API bool moore_history_port(const struct moore_history *h, uint64_t guid,
				  moore_portnum port, uint64_t after_ms, moore_history_fn *fn,
				  void *arg);
/* One row at a time: the first that is later than after_ms, for every port of f (unknown
 * where it has none).  Its at_ms, or 0 when there is none. */
MOORE_API uint64_t moore_history_row(const struct moore_history *h, const struct moore_fabric *f,
				     uint64_t after_ms, struct moore_sample *sample,
				     uint32_t *span_ms);

/* ---- frames: what a file of history, or a recording, is a row of -------------------- */

/* "MOO1", a kind of four letters, the length and a hash of what follows. */
#define MOORE_FRAME_ROWS "ROWS"		/* moore_history_write() */
#define MOORE_FRAME_PLAN "PLAN"		/* moore_plan_write(): the fabric as it was */
#define MOORE_FRAME_HEAD 24
MOORE_API void moore_frame_write(struct moore_buf *out, const char kind[4], const void *body,
				 size_t len);
/* The frame at *at, and *at past it: 1; 0 at the end; -MOORE_ESYNTAX when what is there is
 * no frame (foreign), or less than one (truncated), or was changed. */
MOORE_API int moore_frame_next(const uint8_t **at, const uint8_t *end, char kind[4],
			       const uint8_t **body, size_t *len, struct moore_err *err);
/* At most max_rows rows later than after_ms as a frame; *last (may be NULL) is the at_ms
 * of the last of them, or after_ms when there is none and nothing was written. */
MOORE_API int moore_history_write(const struct moore_history *h, uint64_t after_ms,
				  uint32_t max_rows, struct moore_buf *out, uint64_t *last,
				  struct moore_err *err);
/* Add the rows of a body of kind ROWS that are later than the last of h.
 * -MOORE_ESYNTAX leaves h as it was.  Memory is bounded by 128 MiB for a frame. */
MOORE_API int moore_history_read(struct moore_history *h, const uint8_t *body, size_t len,
				 struct moore_err *err);

MOORE_END

#endif
