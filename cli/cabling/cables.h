/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cables.h - the cable list, shared by the files that print it. */
#ifndef MOORE_CLI_CABLES_H
#define MOORE_CLI_CABLES_H

#include "cli.h"

enum cli_cables_by { CLI_BY_PAIR, CLI_BY_BUNDLE, CLI_BY_CABINET };

struct cli_cables {
	struct moore_plan *plan;
	struct moore_catalogue *catalogue;
	struct moore_work *work;
	size_t n_work;
	uint32_t n_crews;
	enum cli_cables_by by;
	const char *title, *date;	/* of the sheet; date is NULL when it is left blank */
	double endpoint_length;		/* metres of each cable to an endpoint */
	uint32_t endpoint_stock;	/* in the catalogue; MOORE_NONE if there is no endpoint */
	uint32_t *pieces;		/* pieces of each stock to order, endpoints' included */
	double metres, bought, price;	/* metres routed between switches, all metres to order,
					 * and their price */
	uint32_t unpriced;		/* pieces whose stock has no price */
};

struct cli_cable_line {			/* end 0 comes first; an endpoint is end 1 */
	const char *node[2];
	unsigned port[2];
	struct moore_buf label[2];	/* CABINET-UNIT-PORT; of an endpoint NAME[PORT] */
	double length;
	const struct moore_stock *stock;
	const char *own;		/* the label in the plan, or NULL */
};
void cli_cable_line(const struct cli_cables *k, const struct moore_work *w,
		    struct cli_cable_line *out);
void cli_cable_line_free(struct cli_cable_line *l);
const char *cli_cable_label(const struct cli_cable_line *l, int end);
const char *cli_stock_kind(const struct moore_stock *s);

/* The number of lines in the group (a pair, a bundle or a cabinet) that begins with line i; where
 * it is: "A01 to B03", and which other crew has the rest of it; and its heading: "crew 1, A01 to
 * B03: 16". */
size_t cli_cables_group(const struct cli_cables *k, size_t i);
void cli_cables_where(struct moore_buf *b, const struct cli_cables *k, size_t i);
void cli_cables_heading(struct moore_buf *b, const struct cli_cables *k, size_t i);

/* Each appends a file: a line for each cable, or for each end of a cable (cables_csv.c); the
 * sheet to print (cables_html.c). */
void cli_put_cables_csv(struct moore_buf *b, const struct cli_cables *k);
void cli_put_cables_labels(struct moore_buf *b, const struct cli_cables *k);
void cli_put_cables_html(struct moore_buf *b, const struct cli_cables *k);

/* Append the picture of all cabinets; and that of the ways from the first cabinet of n lines
 * to the others, on the same floor (cables_floor.c). */
void cli_put_cables_floor(struct moore_buf *b, const struct cli_cables *k);
void cli_put_cables_ways(struct moore_buf *b, const struct cli_cables *k, size_t i, size_t n);

#endif
