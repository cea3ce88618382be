/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/notice.h - what the plugin tells the daemon of a sweep: one datagram, to the
 * daemon's socket's path with MOORE_NOTICE_SUFFIX.  Text, a `key value` each line, first
 * the version.  Who reads skips keys that it does not know, so that the two need not be
 * of one version. */
#ifndef MOORE_NOTICE_H
#define MOORE_NOTICE_H

#include "base.h"
#include "profile.h"

MOORE_BEGIN

#define MOORE_NOTICE_SUFFIX ".sweep"
#define MOORE_NOTICE_MAX 2048	/* bytes of a datagram; more is none */

enum moore_notice_state {
	MOORE_NOTICE_ROUTED,	/* new tables, or the same once more */
	MOORE_NOTICE_KEPT,	/* refused: the last good routes stay, as far as they hold */
	MOORE_NOTICE_REFUSED,	/* refused, and there never were any */
	MOORE_N_NOTICES
};
MOORE_API const char *moore_notice_state_name(enum moore_notice_state s);	/* "routed" */

struct moore_notice {
	uint64_t sm;		/* port GUID of the subnet manager */
	uint64_t number;	/* of the sweep, from 1, in this run of it */
	enum moore_notice_state state;
	uint32_t up;		/* 1: the tables are written and the subnet is up; 0: not yet */
	enum moore_profile profile;
	enum moore_layers layers;
	/* moore_engine_result's; 0 where no tables were made.  With KEPT, routes is of
	 * what was restored, and lanes 0: those of ports that came since are not known. */
	uint64_t hash, routes, lanes;
	uint64_t switches, endpoints, missing_links, missing_switches;
	uint64_t blocks;	/* LFT blocks that change */
	char topology[96];
	char why[512];		/* of a refusal; "" else */
};

MOORE_API void moore_notice_write(struct moore_buf *out, const struct moore_notice *n);
/* Reads a notice from any bytes.  -MOORE_ESYNTAX with err->line when they are not one; *n is
 * undefined then.  Texts too long for their field are cut, and control characters become
 * '?'.  O(len). */
MOORE_API int moore_notice_parse(struct moore_notice *n, const void *data, size_t len,
				 struct moore_err *err);

MOORE_END

#endif
