/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* draft.h - a plan as a list of nodes by name and links between their ports, as
 * most text formats have it; and lines and CSV records of such a text.
 *
 * A draft takes what a parser finds, in its order, and remembers the line of each
 * for what it finds wrong at the end.  Memory is in proportion to the text. */
#ifndef MOORE_PLAN_DRAFT_H
#define MOORE_PLAN_DRAFT_H

#include "plan_parts.h"

struct moore_draft_node {
	char *name;
	char *shown;		/* the name in the plan when it is another; or NULL */
	char *cabinet;		/* or NULL */
	uint64_t guid;		/* of the node; 0 when unknown */
	moore_portnum ports;	/* 0: as many as the links need */
	unsigned line;
	bool declared;		/* not only named by a link */
	bool ca;		/* else a switch */
	uint32_t index;		/* in the plan: the draft's own */
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
	uint32_t *slot;		/* hash of names: node + 1, or 0 */
	uint32_t n_nodes, node_cap, n_links, link_cap, n_slots;
	bool twice;		/* a link may be given at both of its ends */
	bool declare;		/* a node must be declared */
	struct moore_err *err;
};

/* The node of that name, made when it is not there; MOORE_NONE when it cannot be
 * one (see d->err). */
uint32_t moore_draft_node(struct moore_draft *d, const char *name, size_t len, unsigned line);
int moore_draft_link(struct moore_draft *d, const struct moore_draft_link *link);
/* Make the plan: nodes and links in their order; -MOORE_EPLAN when a port has two
 * links, a link no switch, or a node is not declared. */
int moore_draft_finish(struct moore_draft *d, struct moore_plan **out);
void moore_draft_free(struct moore_draft *d);

/* ---- lines and records ------------------------------------------------------- */

struct moore_text {
	const char *s, *end;	/* what is left */
	unsigned line;		/* of the last one taken, from 1 */
};

/* The next line without its end; false after the last. */
bool moore_text_line(struct moore_text *t, const char **line, size_t *len);

#define MOORE_CSV_FIELDS 16

struct moore_csv {
	struct moore_text text;
	unsigned line;			/* on which the record begins */
	size_t n;			/* fields of the record; at most MOORE_CSV_FIELDS + 1 */
	struct moore_buf field[MOORE_CSV_FIELDS];
};
/* Field i of the record, blanks at its ends gone unless it was quoted; "" when
 * there is none. */
const char *moore_csv_field(const struct moore_csv *c, size_t i);
/* The next record that is not empty (RFC 4180); 1, 0 after the last, or -MOORE_E*. */
int moore_csv_next(struct moore_csv *c, struct moore_err *err);
void moore_csv_free(struct moore_csv *c);

/* The whole of s as a port number, 1..254. */
bool moore_text_port(const char *s, size_t len, moore_portnum *out);

#endif
