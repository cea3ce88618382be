// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_cables.c - `moorectl plan cables`: which cables to order and where each end is plugged
 * in, as text, JSON, CSV (cables_csv.c) or a sheet to print (cables_html.c). */
#include <stdlib.h>
#include <string.h>

#include "cabling/cables.h"

/* ---- sums ------------------------------------------------------------------------- */

static int
sum_stock(struct cli_cables *k)
{
	if (!(k->pieces = calloc(k->catalogue->n + 1u, sizeof(*k->pieces))))
		return cli_error("out of memory");
	for (size_t i = 0; i < k->n_work; i++)
		k->pieces[k->work[i].endpoint ? k->endpoint_stock : k->work[i].stock]++;
	for (uint32_t i = 0; i < k->plan->n_cables; i++)
		k->metres += k->plan->cable[i].length;
	for (uint32_t s = 0; s < k->catalogue->n; s++) {
		const struct moore_stock *stock = &k->catalogue->stock[s];

		k->bought += k->pieces[s] * stock->length;
		k->price += k->pieces[s] * stock->price;
		k->unpriced += stock->price > 0 ? 0 : k->pieces[s];
	}
	return CLI_OK;
}

/* ---- one line ----------------------------------------------------------------------- */

const char *
cli_stock_kind(const struct moore_stock *s)
{
	return s->optical ? "optical" : "copper";
}

void
cli_cable_line(const struct cli_cables *k, const struct moore_work *w, struct cli_cable_line *out)
{
	const struct moore_plan *p = k->plan;

	*out = (struct cli_cable_line){ .length = w->endpoint ? k->endpoint_length :
							       p->cable[w->index].length,
		.stock = &k->catalogue->stock[w->endpoint ? k->endpoint_stock : w->stock] };
	for (int e = 0; e < 2; e++) {
		const int end = e ? !w->first : w->first;
		moore_swid sw;

		if (w->endpoint && e) {
			out->node[e] = p->ep[w->index].name;
			out->port[e] = p->ep[w->index].ca_port;
			cli_putf(&out->label[e], "%s[%u]", out->node[e], out->port[e]);
			continue;
		}
		sw = w->endpoint ? p->ep[w->index].sw : p->cable[w->index].sw[end];
		out->node[e] = p->sw[sw].name;
		out->port[e] = w->endpoint ? p->ep[w->index].port : p->cable[w->index].port[end];
		moore_work_label(&out->label[e], p, sw, (moore_portnum)out->port[e]);
	}
	if (!w->endpoint)
		out->own = p->cable[w->index].label;
}

void
cli_cable_line_free(struct cli_cable_line *l)
{
	moore_buf_free(&l->label[0]);
	moore_buf_free(&l->label[1]);
}

const char *
cli_cable_label(const struct cli_cable_line *l, int end)
{
	return l->label[end].data ? l->label[end].data : "";
}

/* ---- text and JSON ---------------------------------------------------------------------- */

static void
put_totals(struct moore_buf *b, const struct cli_cables *k)
{
	cli_putf(b, "cables         %u between switches, %.1f m routed\n", k->plan->n_cables, k->metres);
	if (k->plan->n_endpoints)
		cli_putf(b, "               %u to endpoints, %g m each\n", k->plan->n_endpoints,
			 k->endpoint_length);
	cli_putf(b, "to order       %.1f m\n", k->bought);
	for (uint32_t s = 0; s < k->catalogue->n; s++) {
		const struct moore_stock *stock = &k->catalogue->stock[s];

		if (!k->pieces[s])
			continue;
		cli_putf(b, "%6g m %-7s %u", stock->length, cli_stock_kind(stock), k->pieces[s]);
		if (stock->price > 0)
			cli_putf(b, " at %.2f: %.2f", stock->price, k->pieces[s] * stock->price);
		cli_putf(b, "\n");
	}
	if (k->price > 0)
		cli_putf(b, "price          %.2f", k->price);
	if (k->price > 0 && k->unpriced)
		cli_putf(b, ", without %u cables that have no price", k->unpriced);
	cli_putf(b, "%s", k->price > 0 ? "\n" : "");
}

/* True for lines of one pair, bundle or cabinet, of which two crews may each have a part. */
static bool
same_place(const struct cli_cables *k, const struct moore_work *a, const struct moore_work *b)
{
	if (a->endpoint != b->endpoint || a->cabinet[0] != b->cabinet[0])
		return false;
	return k->by == CLI_BY_CABINET || (k->by == CLI_BY_BUNDLE ? a->bundle == b->bundle :
					   a->cabinet[1] == b->cabinet[1]);
}

static bool
same_group(const struct cli_cables *k, const struct moore_work *a, const struct moore_work *b)
{
	return a->crew == b->crew && same_place(k, a, b);
}

/* Tells a crew that has a part of a group which other crew has what is missing. */
static void
put_other_crew(struct moore_buf *b, const struct cli_cables *k, size_t i)
{
	const size_t end = i + cli_cables_group(k, i);

	if (i && same_place(k, &k->work[i], &k->work[i - 1]))
		cli_putf(b, ", begun by crew %u", k->work[i - 1].crew);
	if (end < k->n_work && same_place(k, &k->work[i], &k->work[end]))
		cli_putf(b, ", ended by crew %u", k->work[end].crew);
}

size_t
cli_cables_group(const struct cli_cables *k, size_t i)
{
	size_t n = 1;

	while (i + n < k->n_work && same_group(k, &k->work[i], &k->work[i + n]))
		n++;
	return n;
}

void
cli_cables_where(struct moore_buf *b, const struct cli_cables *k, size_t i)
{
	const struct moore_work *w = &k->work[i];
	const struct moore_plan_cabinet *from = &k->plan->cabinet[w->cabinet[0]];
	const struct moore_plan_cabinet *to = &k->plan->cabinet[w->cabinet[1]];

	if (w->endpoint)
		cli_putf(b, "%s to endpoints", from->name);
	else if (k->by == CLI_BY_CABINET)
		cli_putf(b, "from %s", from->name);
	else if (from == to)
		cli_putf(b, "inside %s", from->name);
	else if (k->by == CLI_BY_BUNDLE)
		cli_putf(b, "bundle %u: %s to row %u", w->bundle, from->name, to->row + 1);
	else
		cli_putf(b, "%s to %s", from->name, to->name);
	put_other_crew(b, k, i);
}

void
cli_cables_heading(struct moore_buf *b, const struct cli_cables *k, size_t i)
{
	if (k->n_crews > 1)
		cli_putf(b, "crew %u, ", k->work[i].crew);
	cli_cables_where(b, k, i);
	cli_putf(b, ": %zu", cli_cables_group(k, i));
}

static void
put_lines(struct moore_buf *b, const struct cli_cables *k)
{
	for (size_t i = 0; i < k->n_work; i++) {
		struct cli_cable_line l;

		if (!i || !same_group(k, &k->work[i], &k->work[i - 1])) {
			cli_putf(b, "\n");
			cli_cables_heading(b, k, i);
			cli_putf(b, "\n");
		}
		cli_cable_line(k, &k->work[i], &l);
		cli_putf(b, "  %-14s %-14s", cli_cable_label(&l, 0),
			 k->work[i].endpoint ? "" : cli_cable_label(&l, 1));
		cli_putf(b, " %5g m %-7s", l.stock->length, cli_stock_kind(l.stock));
		cli_putf(b, "  %s[%u] - %s[%u]%s%s\n", l.node[0], l.port[0], l.node[1], l.port[1],
			 l.own ? "  " : "", l.own ? l.own : "");
		cli_cable_line_free(&l);
	}
}

static json_t *
json_line(const struct cli_cables *k, const struct moore_work *w)
{
	struct cli_cable_line l;
	json_t *o;

	cli_cable_line(k, w, &l);
	o = json_pack("{s:i, s:i, s:s, s:o, s:o, s:o, s:i, s:o, s:i, s:f, s:f, s:s}", "crew", (int)w->crew, "bundle",
		      (int)w->bundle, "kind", w->endpoint ? "endpoint" : "cable", "a_label",
		      moore_json_name(cli_cable_label(&l, 0)), "b_label", w->endpoint ? json_null() :
		      moore_json_name(cli_cable_label(&l, 1)), "a_node", moore_json_name(l.node[0]),
		      "a_port", (int)l.port[0], "b_node", moore_json_name(l.node[1]), "b_port",
		      (int)l.port[1], "length_m", l.length, "stock_m", l.stock->length, "medium",
		      cli_stock_kind(l.stock));
	if (o && l.own)
		json_object_set_new(o, "label", moore_json_name(l.own));
	cli_cable_line_free(&l);
	return o;
}

static json_t *
json_cables(const struct cli_cables *k)
{
	json_t *stock = json_array(), *lines = json_array();

	for (uint32_t s = 0; s < k->catalogue->n; s++)
		if (k->pieces[s])
			json_array_append_new(stock, json_pack("{s:f, s:s, s:i, s:i, s:f}", "length_m",
				k->catalogue->stock[s].length, "medium",
				cli_stock_kind(&k->catalogue->stock[s]), "pieces", (int)k->pieces[s],
				"to_endpoints", s == k->endpoint_stock ? (int)k->plan->n_endpoints : 0,
				"price", k->pieces[s] * k->catalogue->stock[s].price));
	for (size_t i = 0; i < k->n_work; i++)
		json_array_append_new(lines, json_line(k, &k->work[i]));
	return json_pack("{s:i, s:i, s:f, s:f, s:f, s:i, s:o, s:o}", "cables",
			 (int)k->plan->n_cables, "to_endpoints", (int)k->plan->n_endpoints, "metres", k->metres, "metres_bought", k->bought, "price", k->price,
			 "without_price", (int)k->unpriced, "stock", stock, "lines", lines);
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int
load_catalogue(const char *path, struct moore_catalogue **out)
{
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc;

	if (!path)
		return moore_catalogue_example(out, &err) < 0 ? cli_error("%s", err.text) : CLI_OK;
	if ((rc = cli_read(path, &text)) != CLI_OK)
		return rc;
	if (moore_catalogue_parse(out, text.data, text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	return rc;
}

/* The order of the lines; those of a cabinet are together in the order by pair, too. */
static int
list_by(struct cli_cables *k, enum cli_cables_by by, const char *path)
{
	struct moore_err err;

	free(k->work);
	k->work = NULL;
	k->by = by;
	if (moore_work_list(&k->work, k->plan, k->catalogue, by == CLI_BY_BUNDLE ?
			    MOORE_WORK_BUNDLE : MOORE_WORK_PAIR, k->n_crews, &err) < 0)
		return cli_error_at(path, &err);
	return CLI_OK;
}

/* Without --by, takes the finest grouping that has at most GROUPS_MAX groups, which on the
 * sheet is a page each: that is what fits into one folder. */
static int
make_list(const struct cli_call *c, struct cli_cables *k)
{
	static const char *const names[] = { "pair", "bundle", "cabinet" };
	enum { GROUPS_MAX = 200 };
	const char *by = cli_opt(c, "by");
	int rc = CLI_OK;

	for (size_t i = 0; by && i < ARRAY_LEN(names); i++)
		if (!strcmp(by, names[i]))
			return list_by(k, (enum cli_cables_by)i, c->arg[0]);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = 0;

		if ((rc = list_by(k, (enum cli_cables_by)i, c->arg[0])) != CLI_OK)
			return rc;
		for (size_t w = 0; w < k->n_work; w += cli_cables_group(k, w))
			n++;
		if (n <= GROUPS_MAX)
			break;
	}
	return rc;
}

/* All cables to endpoints stay in their cabinet, and so have one length. */
static int
pick_endpoint_stock(const struct cli_call *c, struct cli_cables *k)
{
	const char *text = cli_opt(c, "endpoint-length");
	char *end;

	k->endpoint_length = moore_place_model_at(0)->inside;
	if (text) {
		k->endpoint_length = strtod(text, &end);
		if (!(k->endpoint_length > 0) || end == text || *end)
			return cli_misuse(c, "--endpoint-length %s: want metres, as in 2.5", text);
	}
	k->endpoint_stock = moore_catalogue_pick(k->catalogue, k->endpoint_length);
	if (k->endpoint_stock == MOORE_NONE && k->plan->n_endpoints)
		return cli_error("cables to endpoints: %g m: longer than every cable of the catalogue: "
				 "add one, or give another --endpoint-length", k->endpoint_length);
	return CLI_OK;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : cli_file_name(path);
}

static int
load(const struct cli_call *c, struct cli_cables *k)
{
	const char *by = cli_opt(c, "by");
	uint64_t crews = 1;
	int rc;

	if (by && strcmp(by, "pair") && strcmp(by, "bundle") && strcmp(by, "cabinet"))
		return cli_misuse(c, "--by %s: it is pair, bundle or cabinet", by);
	if ((cli_opt(c, "title") || cli_opt(c, "date")) && !cli_opt(c, "html"))
		return cli_misuse(c, "--title and --date are printed on the sheet: add --html FILE");
	if ((rc = cli_opt_u64(c, "crews", 1, 10000, &crews)) != CLI_OK ||
	    (rc = load_catalogue(cli_opt(c, "catalogue"), &k->catalogue)) != CLI_OK ||
	    (rc = cli_load_plan(c->arg[0], &k->plan)) != CLI_OK)
		return rc;
	k->n_crews = (uint32_t)crews;
	k->n_work = (size_t)k->plan->n_cables + k->plan->n_endpoints;
	k->title = cli_opt(c, "title") ? cli_opt(c, "title") : base_name(c->arg[0]);
	k->date = cli_opt(c, "date");
	if ((rc = make_list(c, k)) != CLI_OK || (rc = pick_endpoint_stock(c, k)) != CLI_OK)
		return rc;
	return sum_stock(k);
}

static int
answer(const struct cli_call *c, const struct cli_cables *k)
{
	static const struct {
		const char *opt;
		void (*put)(struct moore_buf *b, const struct cli_cables *k);
	} files[] = { { "csv", cli_put_cables_csv }, { "labels", cli_put_cables_labels },
		      { "html", cli_put_cables_html } };
	struct moore_buf data[ARRAY_LEN(files)] = { MOORE_BUF_INIT }, text = MOORE_BUF_INIT;
	struct cli_file file[ARRAY_LEN(files)];
	bool out = false;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const char *path = cli_opt(c, files[i].opt);

		if (!path)
			continue;
		files[i].put(&data[n], k);
		out |= !strcmp(path, "-");
		file[n] = (struct cli_file){ .path = path, .data = &data[n] };
		n++;
	}
	cli_idle();
	rc = cli_write_all(file, n);
	for (size_t i = 0; i < n; i++)
		moore_buf_free(&data[i]);
	if (rc != CLI_OK || out)
		return rc;
	if (c->json)
		return cli_print_json(json_cables(k));
	put_totals(&text, k);
	if (!n)
		put_lines(&text, k);
	return cli_print_text(&text);
}

int
cmd_plan_cables(const struct cli_call *c)
{
	struct cli_cables k = { 0 };
	int rc;

	cli_busy("listing cables");
	if ((rc = load(c, &k)) == CLI_OK)
		rc = answer(c, &k);
	free(k.pieces);
	free(k.work);
	moore_catalogue_free(k.catalogue);
	moore_plan_free(k.plan);
	return rc;
}
