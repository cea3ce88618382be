/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* scan.h - reads a text line by line and a line token by token.  It copies nothing and reads
 * nothing past the end.  Of a text that comes in pieces only the present line is valid. */
#ifndef MOORE_FABRIC_SCAN_H
#define MOORE_FABRIC_SCAN_H

#include "guid_map.h"
#include "moore/dumps.h"

struct moore_scan {
	const char *at, *end;		/* the rest of the present line */
	const char *rest, *text_end;	/* the text after this line */
	unsigned line;			/* its number, from 1 */
	bool cut;			/* no newline: the text was cut off in this line */
	bool ended;			/* moore_scan_note() saw the mark at the end of the text */
	struct moore_source from;	/* gives more text; all zero: there is none */
};

static inline struct moore_scan
moore_scan_of(const char *text, size_t len)
{
	return (struct moore_scan){ .at = text, .end = text, .rest = text, .text_end = text + len };
}

static inline struct moore_scan
moore_scan_from(const struct moore_source *from)
{
	return (struct moore_scan){ .from = *from };
}

bool moore_scan_line(struct moore_scan *s);	/* to the next line; false after the last */
bool moore_scan_skip(struct moore_scan *s, const char *word);	/* past word, if it is next */
void moore_scan_spaces(struct moore_scan *s);
/* True for a line that holds no data: an empty one, or a comment.  "#--" marks the end of `file`;
 * moore_scan_end() returns -MOORE_ESYNTAX if there was none. */
bool moore_scan_note(struct moore_scan *s);
int moore_scan_end(const struct moore_scan *s, const char *file, struct moore_err *err);
/* Finds the switch of a section of `file`; -MOORE_EPLAN when the fabric has no such switch. */
int moore_scan_switch(const struct moore_scan *s, const struct moore_guid_map *switches,
		      uint64_t guid, const char *file, uint32_t *sw, struct moore_err *err);
/* The same for a line "Switch 0xGUID ...", after its first word; -MOORE_ESYNTAX when no GUID
 * follows. */
int moore_scan_header(struct moore_scan *s, const struct moore_guid_map *switches,
		      const char *file, uint32_t *sw, struct moore_err *err);
/* Maps the node GUIDs of f's switches, or the GUIDs of their ports 0, to indices; *out lives
 * as long as tmp. */
int moore_scan_switches(struct moore_guid_map *out, const struct moore_fabric *f, bool by_port,
			struct moore_arena *tmp, struct moore_err *err);
/* Takes a number, as moore_text_u64() does. */
bool moore_scan_num(struct moore_scan *s, unsigned base, uint64_t max, uint64_t *out);

static inline bool
moore_scan_done(const struct moore_scan *s)
{
	return s->at == s->end;
}

#endif
