/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/drain.h - which links may be drained, and the lines by which programs drain them.
 *
 * A links file (moore/links.h) belongs to people.  Programs keep their lines in a part of it,
 * between two marker lines, one line for each link:
 *
 *	0xGUID:PORT avoid # AT BY WHY
 *
 * AT is the time in seconds since 1970, BY the program, WHY the rest of the line. */
#ifndef MOORE_DRAIN_H
#define MOORE_DRAIN_H

#include "base.h"
#include "fabric.h"
#include "links.h"

MOORE_BEGIN

/* ---- which links ------------------------------------------------------------------- */

#define MOORE_DRAIN_KEEP 2	/* links to other switches that each switch keeps */

enum moore_drain {		/* may the link be drained? */
	MOORE_DRAIN_FINE,
	MOORE_DRAIN_NO_LINK,	/* the port has no link to another switch */
	MOORE_DRAIN_ALREADY,	/* it is drained */
	MOORE_DRAIN_MANY,	/* as many links as allowed are drained */
	MOORE_DRAIN_LAST,	/* a switch would keep fewer than MOORE_DRAIN_KEEP links */
	MOORE_DRAIN_BRIDGE,	/* the links that are left do not connect its ends */
	MOORE_N_DRAINS
};
MOORE_API const char *moore_drain_name(enum moore_drain v);	/* "bridge" */
MOORE_API const char *moore_drain_help(enum moore_drain v);	/* one sentence */

/* Sets drained[] to 1 at both ends of each link that a rule of l (NULL: none) avoids; drained
 * has f->n_ports elements.  O(rules * switches). */
MOORE_API void moore_drain_mark(const struct moore_fabric *f, const struct moore_links *l,
				uint8_t *drained);
/* Judges the link at port p of switch s, when those in drained[] are drained and at most `most`
 * links may be.  -MOORE_ENOMEM.  O(ports). */
MOORE_API int moore_drain_judge(enum moore_drain *out, const struct moore_fabric *f,
				const uint8_t *drained, moore_swid s, moore_portnum p,
				uint32_t most, struct moore_err *err);

/* ---- the part of the file ------------------------------------------------------------ */

#define MOORE_DRAIN_BEGIN "# moore drain: begin; moorectl drain and moored write the lines from here"
#define MOORE_DRAIN_END "# moore drain: end"

struct moore_drain_line {
	uint64_t guid;		/* of the switch at one end, */
	moore_portnum port;	/* and its port */
	uint64_t at_s;
	char by[16];		/* a word */
	char why[160];		/* control characters are written as ? */
};

/* Lists the lines of the part, in an array to be freed with free().  Other lines in the part,
 * which a person may have written, are left out.  -MOORE_ESYNTAX sets err->line if one marker
 * is missing or occurs twice; -MOORE_ENOMEM.  O(len). */
MOORE_API int moore_drain_read(struct moore_drain_line **out, size_t *n, const char *text,
			       size_t len, struct moore_err *err);
/* Appends to out the text without the lines of the part that name the GUID and port of one of
 * drop[], and with those of add[].  All other bytes stay; an empty part is removed.  Fails as
 * moore_drain_read(), and then out is as it was. */
MOORE_API int moore_drain_edit(struct moore_buf *out, const char *text, size_t len,
			       const struct moore_drain_line *drop, size_t n_drop,
			       const struct moore_drain_line *add, size_t n_add,
			       struct moore_err *err);

MOORE_END

#endif
