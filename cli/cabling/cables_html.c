// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cables_html.c - the sheet that a crew prints: a cover with the counts, what to order, the
 * floor, which lines each crew has and how to read them, and then a page for each group of cables with the ways on the floor and a line
 * with a box to tick for each cable.  It is one file without script, font or style sheet of
 * its own, and the same plan and options give the same bytes: its date is an option.
 *
 * Every page ends with the hash of the plan, so that a page of another plan is noticed. */
#include <stdlib.h>
#include <string.h>

#include "cabling/cables.h"
#include "svg.h"

/* ---- the cover ------------------------------------------------------------------------ */

static void
put_fact(struct moore_buf *b, const char *what, const char *value)
{
	cli_putf(b, "<tr><th>%s<td>", what);
	moore_buf_xml(b, value);
	cli_putf(b, "</tr>\n");
}

static void
put_family(struct moore_buf *b, const struct moore_plan *p)
{
	struct moore_buf text = MOORE_BUF_INIT;

	if (!p->family)
		return;
	cli_putf(&text, "%s", p->family);
	for (size_t i = 0; i < p->n_params; i++)
		cli_putf(&text, " %s=%lld", p->key[i], (long long)p->value[i]);
	cli_putf(&text, "%s", p->permuted ? ", ends exchanged" : "");
	put_fact(b, "family", text.data ? text.data : "");
	moore_buf_free(&text);
}

static void
put_facts(struct moore_buf *b, const struct cli_cables *k, uint64_t hash)
{
	const struct moore_plan *p = k->plan;
	uint32_t inside = 0, groups = 0;

	for (size_t i = 0; i < k->n_work; i++)
		inside += !k->work[i].endpoint && k->work[i].cabinet[0] == k->work[i].cabinet[1];
	for (size_t i = 0; i < k->n_work; i += cli_cables_group(k, i))
		groups++;
	cli_putf(b, "<table class=\"facts\">\n");
	put_fact(b, "plan", k->title);
	put_family(b, p);
	cli_putf(b, "<tr><th>hash of the plan<td>0x%016llx</tr>\n", (unsigned long long)hash);
	put_fact(b, "date", k->date ? k->date : "");
	cli_putf(b, "<tr><th>cabinets<td>%u</tr>\n<tr><th>switches<td>%u</tr>\n"
		 "<tr><th>endpoints<td>%u</tr>\n<tr><th>cables between cabinets<td>%u</tr>\n"
		 "<tr><th>cables inside a cabinet<td>%u</tr>\n<tr><th>cables to endpoints<td>%u</tr>\n"
		 "<tr><th>crews<td>%u</tr>\n<tr><th>groups of cables; each begins a page<td>%u</tr>\n"
		 "</table>\n", p->n_cabinets, p->n_switches, p->n_endpoints, p->n_cables - inside,
		 inside, p->n_endpoints, k->n_crews, groups);
}

static void
put_stock(struct moore_buf *b, const struct cli_cables *k)
{
	const struct moore_plan *p = k->plan;

	cli_putf(b, "<h2>To order</h2>\n<table>\n<thead><tr><th>length, m<th>medium<th>between switches"
		 "<th>to endpoints<th>pieces<th>price</tr></thead>\n");
	for (uint32_t s = 0; s < k->catalogue->n; s++) {
		const struct moore_stock *stock = &k->catalogue->stock[s];
		const uint32_t ends = s == k->endpoint_stock ? p->n_endpoints : 0;

		if (!k->pieces[s])
			continue;
		cli_putf(b, "<tr><td>%g<td>%s<td>%u<td>%u<td>%u<td>", stock->length,
			 cli_stock_kind(stock), k->pieces[s] - ends, ends, k->pieces[s]);
		if (stock->price > 0)
			cli_putf(b, "%.2f", k->pieces[s] * stock->price);
		cli_putf(b, "</tr>\n");
	}
	cli_putf(b, "<tr><th>%.1f in all<th><th>%u<th>%u<th>%u<th>", k->bought, p->n_cables, p->n_endpoints,
		 p->n_cables + p->n_endpoints);
	if (k->price > 0)
		cli_putf(b, "%.2f", k->price);
	cli_putf(b, "</tr>\n</table>\n<p>Cables between switches are routed over %.1f m; a cable to an "
		 "endpoint is %g m long.</p>\n", k->metres, k->endpoint_length);
	if (k->price > 0 && k->unpriced)
		cli_putf(b, "<p>%u cables have no price.</p>\n", k->unpriced);
}

/* Which lines a crew has, and where it begins and ends. */
static void
put_crews(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "<h2>Crews</h2>\n<table>\n<thead><tr><th>crew<th>lines<th>cables<th>begins with"
		 "<th>ends with</tr></thead>\n");
	for (size_t i = 0, n; i < k->n_work; i += n) {
		size_t last = i;

		for (n = 0; i + n < k->n_work && k->work[i + n].crew == k->work[i].crew;) {
			last = i + n;
			n += cli_cables_group(k, last);
		}
		cli_putf(b, "<tr><td>%u<td>%zu to %zu<td>%zu", k->work[i].crew, i + 1, i + n, n);
		for (int e = 0; e < 2; e++) {
			struct moore_buf where = MOORE_BUF_INIT;

			cli_cables_where(&where, k, e ? last : i);
			cli_putf(b, "<td>");
			moore_buf_xml(b, where.data ? where.data : "");
			moore_buf_free(&where);
		}
		cli_putf(b, "</tr>\n");
	}
	cli_putf(b, "</table>\n");
}

/* What a crew has to know that sees such a sheet for the first time. */
static void
put_reading(struct moore_buf *b, const struct cli_cables *k)
{
	struct cli_cable_line l;

	cli_putf(b, "<h2>How to read the pages</h2>\n<ul>\n");
	if (k->n_work) {
		cli_cable_line(k, &k->work[0], &l);
		cli_putf(b, "<li>A label is cabinet-unit-port: <strong>");
		moore_buf_xml(b, cli_cable_label(&l, 0));
		cli_putf(b, "</strong> is port %u of the switch ", l.port[0]);
		moore_buf_xml(b, l.node[0]);
		cli_putf(b, ". Unit 1 is the lowest of a cabinet.\n");
		cli_cable_line_free(&l);
	}
	cli_putf(b, "<li>A line is a cable. Take one of the length and kind in the line, plug in both ends, "
		 "then tick the box. Each end carries the label of the port that it is plugged into.\n"
		 "<li>In the picture of a page, <strong>one end</strong> of its cables is in the dark cabinet, and "
		 "<strong>the other end</strong> is in a light one, below whose name stands how many go there. Red "
		 "lines show the way along the aisles. Without a light cabinet, both ends are in the dark "
		 "one.\n");
	if (k->plan->n_endpoints)
		cli_putf(b, "<li>Endpoints are the hosts. The plan does not tell where they stand: find them by "
			 "name. The label of their end is the name and, in brackets, the port.\n");
	cli_putf(b, "<li>The foot of each page has the hash of the plan. A page with another hash than this "
		 "cover is of another plan: do not use it.\n</ul>\n");
}

static void
put_cover(struct moore_buf *b, const struct cli_cables *k, uint64_t hash)
{
	cli_putf(b, "<h1>Cabling: ");
	moore_buf_xml(b, k->title);
	cli_putf(b, "</h1>\n");
	put_facts(b, k, hash);
	put_stock(b, k);
	cli_putf(b, "<h2>The floor</h2>\n");
	cli_put_cables_floor(b, k);
	cli_putf(b, "<p>Seen from above. A cabinet has its name and the number of its cables to switches. "
		 "Rows are %g m apart, cabinets of a row %g m; the picture is not to scale.</p>\n",
		 k->plan->row_pitch, k->plan->column_pitch);
	if (k->n_crews > 1)
		put_crews(b, k);
	put_reading(b, k);
}

/* ---- the groups ----------------------------------------------------------------------- */

static void
put_line(struct moore_buf *b, const struct cli_cables *k, size_t i, bool own)
{
	struct cli_cable_line l;

	cli_cable_line(k, &k->work[i], &l);
	cli_putf(b, "<tr><td>%zu<td class=\"box\"><span></span><td>%g m %s", i + 1, l.stock->length,
		 cli_stock_kind(l.stock));
	for (int e = 0; e < 2; e++) {
		cli_putf(b, "<td class=\"label\">");
		moore_buf_xml(b, cli_cable_label(&l, e));
		cli_putf(b, "<td>");
		moore_buf_xml(b, l.node[e]);
		cli_putf(b, "<td>%u", l.port[e]);
	}
	if (own) {
		cli_putf(b, "<td>");
		moore_buf_xml(b, l.own ? l.own : "");
	}
	cli_putf(b, "</tr>\n");
	cli_cable_line_free(&l);
}

/* The head is repeated on each page of the table, so it says which group it is. */
static void
put_head(struct moore_buf *b, const char *heading, bool endpoints, bool own)
{
	cli_putf(b, "<table>\n<thead><tr><th colspan=\"%d\">", own ? 10 : 9);
	moore_buf_xml(b, heading);
	cli_putf(b, "</tr>\n<tr><th>line<th>done<th>cable<th>one end<th>switch<th>port<th>other end<th>%s"
		 "<th>port%s</tr></thead>\n<tbody>\n", endpoints ? "endpoint" : "switch",
		 own ? "<th>own label" : "");
}

static void
put_group(struct moore_buf *b, const struct cli_cables *k, size_t i, size_t n)
{
	struct moore_buf heading = MOORE_BUF_INIT;
	bool own = false;

	for (size_t w = i; w < i + n; w++)
		own |= !k->work[w].endpoint && k->plan->cable[k->work[w].index].label;
	cli_cables_heading(&heading, k, i);
	cli_putf(&heading, " cable%s", MOORE_S(n));
	cli_putf(b, "<section>\n<h2>");
	moore_buf_xml(b, heading.data ? heading.data : "");
	cli_putf(b, "</h2>\n");
	cli_put_cables_ways(b, k, i, n);
	put_head(b, heading.data ? heading.data : "", k->work[i].endpoint, own);
	for (size_t w = i; w < i + n; w++)
		put_line(b, k, w, own);
	cli_putf(b, "</tbody>\n</table>\n</section>\n");
	moore_buf_free(&heading);
}

void
cli_put_cables_html(struct moore_buf *b, const struct cli_cables *k)
{
	const uint64_t hash = cli_plan_hash(k->plan);

	cli_putf(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Cabling: ");
	moore_buf_xml(b, k->title);
	cli_putf(b, "</title>\n<style>\n"
		 "@page{size:A4;margin:14mm 12mm;@bottom-left{content:\"plan 0x%016llx\";font:9px "
		 "sans-serif}@bottom-center{content:\"label: cabinet-unit-port, unit 1 is the lowest\";"
		 "font:9px sans-serif}@bottom-right{content:\"page \" counter(page) \" of \" counter(pages);"
		 "font:9px sans-serif}}\n"
		 "body{font:11px/1.25 sans-serif;margin:0}section{break-before:page}\n"
		 "table{border-collapse:collapse}thead{display:table-header-group}"
		 "tr{break-inside:avoid}td,th{border:1px solid #999;padding:0 6px;text-align:left;"
		 "overflow-wrap:anywhere}h1,h2{break-after:avoid;margin:0 0 2mm}h2{margin-top:4mm}section h2{margin-top:0}\n"
		 "svg{display:block;max-width:100%%;margin:0 0 3mm}svg.all{max-height:110mm}"
		 "svg.ways{max-height:70mm}.label{font-weight:bold}\n"
		 ".box span{display:inline-block;width:9px;height:9px;vertical-align:middle;border:1px solid #000}\n"
		 "</style></head>\n<body>\n", (unsigned long long)hash);
	put_cover(b, k, hash);
	for (size_t i = 0, n; i < k->n_work; i += n) {
		n = cli_cables_group(k, i);
		put_group(b, k, i, n);
	}
	cli_putf(b, "</body>\n</html>\n");
}
