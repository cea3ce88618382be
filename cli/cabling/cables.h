/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* cables.h - the cable list, shared by the files that print it. */
#ifndef MOORE_CLI_CABLES_H
#define MOORE_CLI_CABLES_H

#include "cli.h"

struct cli_cables {
	struct moore_plan *plan;
	struct moore_catalogue *catalogue;
	struct moore_work *work;
	size_t n_work;
	uint32_t n_crews;
	bool by_bundle;			/* false: by pair of cabinets */
	uint32_t *pieces;		/* pieces of each stock to order */
	double metres, bought, price;	/* metres routed, metres to order, and their price */
	uint32_t unpriced;		/* pieces whose stock has no price */
};

struct cli_cable_line {			/* end 0 comes first; an endpoint is end 1 */
	const char *node[2];
	unsigned port[2];
	struct moore_buf label[2];	/* CABINET-UNIT-PORT; empty for an endpoint */
	double length;
	const struct moore_stock *stock;	/* NULL for an endpoint */
	const char *own;		/* the label in the plan, or NULL */
};
void cli_cable_line(const struct cli_cables *k, const struct moore_work *w,
		    struct cli_cable_line *out);
void cli_cable_line_free(struct cli_cable_line *l);
const char *cli_cable_label(const struct cli_cable_line *l, int end);
const char *cli_stock_kind(const struct moore_stock *s);

/* True when a pair or bundle begins with line i; and its heading: "A01 to B03: 16". */
bool cli_cables_starts(const struct cli_cables *k, size_t i);
void cli_cables_heading(struct moore_buf *b, const struct cli_cables *k, size_t i);

/* Appends the page to print: floor, totals, lists (cables_html.c). */
void cli_put_cables_html(struct moore_buf *b, const struct cli_cables *k);

#endif
