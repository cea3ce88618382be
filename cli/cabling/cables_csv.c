// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cables_csv.c - the cable list for other programs: one line for each cable, and, for a
 * printer of labels, one line for each end of a cable. */
#include "cabling/cables.h"

static void
put_csv_field(struct moore_buf *b, const char *s)
{
	moore_csv_put(b, s);
	cli_putf(b, ",");
}

void
cli_put_cables_csv(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "crew,bundle,kind,a_label,b_label,a_node,a_port,b_node,b_port,length_m,stock_m,"
		 "medium,label\n");
	for (size_t i = 0; i < k->n_work; i++) {
		const struct moore_work *w = &k->work[i];
		struct cli_cable_line l;

		cli_cable_line(k, w, &l);
		cli_putf(b, "%u,%u,%s,", w->crew, w->bundle, w->endpoint ? "endpoint" : "cable");
		for (int e = 0; e < 2; e++)
			put_csv_field(b, w->endpoint && e ? "" : cli_cable_label(&l, e));
		for (int e = 0; e < 2; e++) {
			put_csv_field(b, l.node[e]);
			cli_putf(b, "%u,", l.port[e]);
		}
		cli_putf(b, "%.3f,%g,%s,", l.length, l.stock->length, cli_stock_kind(l.stock));
		put_csv_field(b, l.own);
		b->data[b->len - 1] = '\n';	/* in place of the last comma */
		cli_cable_line_free(&l);
	}
}

/* An endpoint stands in the cabinet of its switch, at a unit that the plan does not give. */
static void
put_end(struct moore_buf *b, const struct cli_cables *k, const struct moore_work *w,
	const struct cli_cable_line *l, int e)
{
	const struct moore_plan *p = k->plan;

	put_csv_field(b, p->cabinet[w->cabinet[e]].name);
	if (w->endpoint && e)
		cli_putf(b, ",");
	else
		cli_putf(b, "%u,", p->sw[w->endpoint ? p->ep[w->index].sw :
					 p->cable[w->index].sw[e ? !w->first : w->first]].unit);
	put_csv_field(b, l->node[e]);
	cli_putf(b, "%u,", l->port[e]);
}

void
cli_put_cables_labels(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "line,end,crew,here,there,cabinet,unit,node,port,far_cabinet,far_unit,far_node,"
		 "far_port,stock_m,medium,label\n");
	for (size_t i = 0; i < k->n_work; i++) {
		const struct moore_work *w = &k->work[i];
		struct cli_cable_line l;

		cli_cable_line(k, w, &l);
		for (int e = 0; e < 2; e++) {
			cli_putf(b, "%zu,%c,%u,", i + 1, e ? 'B' : 'A', w->crew);
			put_csv_field(b, cli_cable_label(&l, e));
			put_csv_field(b, cli_cable_label(&l, !e));
			put_end(b, k, w, &l, e);
			put_end(b, k, w, &l, !e);
			cli_putf(b, "%g,%s,", l.stock->length, cli_stock_kind(l.stock));
			moore_csv_put(b, l.own);
			cli_putf(b, "\n");
		}
		cli_cable_line_free(&l);
	}
}
