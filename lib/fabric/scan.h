/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* scan.h - read text line by line and a line token by token.  Nothing is copied;
 * nothing is read past the end.  Of a text in pieces only this line is there. */
#ifndef MOORE_FABRIC_SCAN_H
#define MOORE_FABRIC_SCAN_H

#include "guid_map.h"
#include "moore/dumps.h"

struct moore_scan {
	const char *at, *end;		/* what is left of this line */
	const char *rest, *text_end;	/* the lines after it */
	unsigned line;			/* number of this line, from 1 */
	bool cut;			/* this line has no newline: the text ends in it */
	struct moore_source from;	/* of more lines; all zero: there are none */
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

bool moore_scan_line(struct moore_scan *s);	/* go to the next line, if any */
bool moore_scan_skip(struct moore_scan *s, const char *word);	/* past word, if it is next */
void moore_scan_spaces(struct moore_scan *s);
/* The switch that a section of `file` is about; -MOORE_EPLAN when it is unknown. */
int moore_scan_switch(const struct moore_scan *s, const struct moore_guid_map *switches,
		      uint64_t guid, const char *file, uint32_t *sw, struct moore_err *err);
/* The switches of f by node GUID, or by that of port 0; lives until tmp ends. */
int moore_scan_switches(struct moore_guid_map *out, const struct moore_fabric *f, bool by_port,
			struct moore_arena *tmp, struct moore_err *err);
/* As moore_text_u64. */
bool moore_scan_num(struct moore_scan *s, unsigned base, uint64_t max, uint64_t *out);

static inline bool
moore_scan_done(const struct moore_scan *s)
{
	return s->at == s->end;
}

#endif
