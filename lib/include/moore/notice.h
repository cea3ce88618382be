/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/notice.h - the plugin's report of a sweep to the daemon: one datagram, to the path
 * of the daemon's socket with MOORE_NOTICE_SUFFIX appended.  It is text, the version first
 * and then a `key value` on each line.  The reader skips keys that it does not know, so
 * plugin and daemon need not have the same version. */
#ifndef MOORE_NOTICE_H
#define MOORE_NOTICE_H

#include "base.h"
#include "profile.h"

MOORE_BEGIN

#define MOORE_NOTICE_SUFFIX ".sweep"
#define MOORE_NOTICE_MAX 2048	/* bytes of a datagram; a longer one is no notice */

enum moore_notice_state {
	MOORE_NOTICE_ROUTED,	/* new tables, or the same tables again */
	MOORE_NOTICE_KEPT,	/* refused: the last good routes stay where they still hold */
	MOORE_NOTICE_REFUSED,	/* refused, and there are no earlier routes */
	MOORE_N_NOTICES
};
MOORE_API const char *moore_notice_state_name(enum moore_notice_state s);	/* "routed" */

struct moore_notice {
	uint64_t sm;		/* port GUID of the subnet manager */
	uint64_t number;	/* of the sweep, from 1 in each run of the manager */
	enum moore_notice_state state;
	uint32_t up;		/* 1: the tables are written and the subnet is up; 0: not yet */
	enum moore_profile profile;
	enum moore_layers layers;
	/* As in moore_engine_result; 0 if no tables were made.  With KEPT, routes is the
	 * hash of the restored tables, and lanes is 0, since the lanes of ports that
	 * appeared later are not known. */
	uint64_t hash, routes, lanes;
	uint64_t switches, endpoints, missing_links, missing_switches;
	uint64_t blocks;	/* LFT blocks that change */
	/* Tables that go out in several steps: the step that all switches have acknowledged, and
	 * how many there are.  0: in one. */
	uint32_t step, steps;
	char topology[96];
	char why[512];		/* of a refusal; "" else */
};

MOORE_API void moore_notice_write(struct moore_buf *out, const struct moore_notice *n);
/* Reads a notice from any bytes.  -MOORE_ESYNTAX with err->line when they are not one; *n is
 * undefined then.  Texts too long for their field are cut, and control characters become
 * '?'.  O(len). */
MOORE_API int moore_notice_parse(struct moore_notice *n, const void *data, size_t len,
				 struct moore_err *err);

/* ---- the rows of each switch: a datagram of its own, behind a notice ---------------------- */

#define MOORE_ROWS_MAX 16384	/* switches; of a larger fabric none is sent */
#define MOORE_ROWS_BYTES (8 * MOORE_ROWS_MAX + 256)

struct moore_rows {
	uint64_t sm, number;	/* of the notice that it belongs to */
	uint32_t n, *hash;	/* moore_lft_hash_each(), rising */
};
/* Appends the datagram; sorts hash[]. */
MOORE_API void moore_rows_write(struct moore_buf *out, uint64_t sm, uint64_t number, uint32_t *hash,
				uint32_t n);
/* Is this such a datagram, and no notice? */
MOORE_API bool moore_rows_is(const void *data, size_t len);
/* The caller ends *out with moore_rows_free().  -MOORE_ESYNTAX, -MOORE_ENOMEM.  O(len). */
MOORE_API int moore_rows_parse(struct moore_rows *out, const void *data, size_t len,
			       struct moore_err *err);
MOORE_API void moore_rows_free(struct moore_rows *r);	/* leaves it empty */
/* Whether one of them is this. */
MOORE_API bool moore_rows_have(const struct moore_rows *r, uint32_t hash);

MOORE_END

#endif
