/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* draft.h - a plan in the making: named nodes and links between their ports, as most text
 * formats list them; and the lines and CSV records of such texts.
 *
 * A parser adds nodes and links in the order of its text.  The draft keeps their line numbers
 * for errors that only show at the end.  Its memory is proportional to the text. */
#ifndef MOORE_PLAN_DRAFT_H
#define MOORE_PLAN_DRAFT_H

#include "plan_parts.h"

struct moore_draft_node {
	char *name;
	char *shown;		/* the node's name in the plan, if it differs; or NULL */
	char *cabinet;		/* or NULL */
	unsigned unit;		/* 0 when unknown */
	uint64_t guid;		/* of the node; 0 when unknown */
	moore_portnum ports;	/* 0: as many as its links use */
	unsigned line;
	bool declared;		/* has a record of its own; false: only links name it */
	bool ca;		/* true: a CA; false: a switch */
	uint32_t index;		/* index in the plan; set by moore_draft_finish() */
};

struct moore_draft_link {
	uint32_t node[2];
	moore_portnum port[2];
	unsigned line;
	double length;		/* 0 when unknown */
	char *label;		/* or NULL */
};

struct moore_draft {
	struct moore_draft_node *node;
	struct moore_draft_link *link;
	uint32_t *slot;		/* hash table of names: node + 1, or 0 for free */
	uint32_t n_nodes, node_cap, n_links, link_cap, n_slots;
	bool twice;		/* the text may list a link at both of its ends */
	bool declare;		/* every node needs a record of its own */
	struct moore_err *err;
};

/* Returns the node of that name and adds it if it is new.  MOORE_NONE, with *d->err filled,
 * when the name is not allowed or memory ran out. */
uint32_t moore_draft_node(struct moore_draft *d, const char *name, size_t len, unsigned line);
/* The node of that name, or NULL; valid until a node is added. */
struct moore_draft_node *moore_draft_find(struct moore_draft *d, const char *name);
int moore_draft_link(struct moore_draft *d, const struct moore_draft_link *link);
/* Makes the plan, with nodes and links in the order in which they were added.  -MOORE_EPLAN
 * when a port has two links, a link has no switch, or a node lacks its record. */
int moore_draft_finish(struct moore_draft *d, struct moore_plan **out);
void moore_draft_free(struct moore_draft *d);

/* ---- lines and records ------------------------------------------------------- */

struct moore_text {
	const char *s, *end;	/* the rest of the text */
	unsigned line;		/* number of the last line taken, from 1 */
};

/* Takes the next line, without its end; false after the last. */
bool moore_text_line(struct moore_text *t, const char **line, size_t *len);

#define MOORE_CSV_FIELDS 16

struct moore_csv {
	struct moore_text text;
	unsigned line;			/* where the record begins */
	size_t n;			/* fields of the record, up to MOORE_CSV_FIELDS + 1 */
	struct moore_buf field[MOORE_CSV_FIELDS];
};
/* Returns field i of the record, or "" when there is none.  Blanks at its ends are removed
 * unless it was quoted. */
const char *moore_csv_field(const struct moore_csv *c, size_t i);
/* Takes the next record that is not empty (RFC 4180); a byte order mark is passed over.
 * Returns 1, 0 after the last, or -MOORE_E*. */
int moore_csv_next(struct moore_csv *c, struct moore_err *err);
void moore_csv_free(struct moore_csv *c);

/* Reads s as a port number, 1..254; false when it is anything else. */
bool moore_text_port(const char *s, size_t len, moore_portnum *out);

#endif
