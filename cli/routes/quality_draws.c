// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* quality_draws.c - `moorectl quality PLAN --fail-share`: many times, links fail at random, the
 * fabric that is left is routed again, and graph, routes and judgement are measured.
 *
 * Each draw is one order of the links: of every share the first links of that order fail, so a
 * draw at a greater share lacks all that it lacks at a smaller one. */
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "design/report.h"
#include "design/structure.h"

#define SHARES_MAX 64
#define DRAWS_MAX 100000

struct cable {
	uint64_t key;			/* random; they fail in the order of their keys */
	moore_swid sw;
	moore_portnum port;
};

struct drawing {
	const struct cli_call *c;
	struct cli_routing r;		/* of the fabric before links fail */
	double share[SHARES_MAX];
	struct moore_draws all;
	struct moore_draw *draw;	/* all.draw */
	struct cable *cable;		/* the links between switches, in the order of the draw */
	struct moore_topo_link *link;	/* scratch: those that are left */
	uint16_t *endpoints;		/* of each switch */
	struct moore_buf drawn;		/* for --drawn: the links that failed, as CSV */
};

/* ---- options --------------------------------------------------------------------------- */

static int
read_shares(struct drawing *d)
{
	const char *text = cli_opt(d->c, "fail-share"), *p = text;

	d->all.share = d->share;
	for (char *end = NULL; !end || *end; p = end + 1) {
		const double v = strtod(p, &end);

		if (end == p || (*end && *end != ',') || !(v >= 0 && v < 1))
			return cli_misuse(d->c, "--fail-share %s: not a list of shares: give numbers from "
					  "0 up to, but not including, 1 with commas between, for instance "
					  "0,0.05,0.1", text);
		if (d->all.n_shares == SHARES_MAX)
			return cli_misuse(d->c, "--fail-share: over %d shares: give fewer", SHARES_MAX);
		d->share[d->all.n_shares++] = v;
	}
	return CLI_OK;
}

static int
read_options(struct drawing *d)
{
	uint64_t draws = 20;
	int rc;

	d->all.seed = 1;
	if ((rc = read_shares(d)) != CLI_OK ||
	    (rc = cli_opt_u64(d->c, "draws", 1, DRAWS_MAX, &draws)) != CLI_OK ||
	    (rc = cli_opt_u64(d->c, "seed", 0, INT64_MAX, &d->all.seed)) != CLI_OK)
		return rc;
	d->all.n_draws = (uint32_t)draws;
	return CLI_OK;
}

/* ---- one draw --------------------------------------------------------------------------- */

/* Lists the links between switches of f; cable may be NULL. Returns their number. */
static uint32_t
list_cables(const struct moore_fabric *f, struct cable *cable, struct moore_topo_link *link)
{
	uint32_t n = 0;

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

			if (port->role != MOORE_ROLE_SWITCH || port->peer < s ||
			    (port->peer == s && port->peer_port < p))
				continue;
			if (cable)
				cable[n] = (struct cable){ 0, s, (moore_portnum)p };
			if (link)
				link[n] = (struct moore_topo_link){ s, port->peer };
			n++;
		}
	return n;
}

static void
count_endpoints(struct drawing *d)
{
	for (uint32_t e = 0; e < d->r.seen->n_endpoints; e++)
		d->endpoints[d->r.seen->ep[e].sw]++;
}

static int
by_key(const void *x, const void *y)
{
	const uint64_t a = ((const struct cable *)x)->key, b = ((const struct cable *)y)->key;

	return (a > b) - (a < b);
}

static void
shuffle(struct drawing *d, uint32_t draw)
{
	for (uint32_t i = 0; i < d->all.n_links; i++) {
		struct cable *k = &d->cable[i];
		const uint64_t what[] = { k->sw, k->port, draw, d->all.seed };

		k->key = moore_hash(MOORE_HASH_INIT, what, sizeof(what));
	}
	qsort(d->cable, d->all.n_links, sizeof(*d->cable), by_key);
}

/* Notes the first n links of the order that was drawn, which fail at the greatest share. */
static void
note_drawn(struct drawing *d, uint32_t draw, uint32_t n)
{
	const struct moore_fabric *f = d->r.seen;

	if (!draw)
		cli_putf(&d->drawn, "draw,order,switch,port,peer,peer_port\n");
	for (uint32_t i = 0; i < n; i++) {
		const struct cable *k = &d->cable[i];
		const struct moore_port *port = moore_fabric_port(f, k->sw, k->port);

		cli_putf(&d->drawn, "%u,%u,", draw + 1, i + 1);
		moore_csv_put(&d->drawn, f->sw[k->sw].name);
		cli_putf(&d->drawn, ",%u,", k->port);
		moore_csv_put(&d->drawn, f->sw[port->peer].name);
		cli_putf(&d->drawn, ",%u\n", port->peer_port);
	}
}

static int
measure_routes(struct drawing *d, const struct moore_fabric *f, struct moore_draw *out,
	       struct moore_err *err)
{
	struct moore_engine_result *result = NULL;
	int rc = moore_engine_run(&result, f, d->r.plan, &d->r.conf, NULL, NULL, err);

	if (rc < 0)
		return rc == -MOORE_ENOMEM ? rc : 0;
	out->sound = result->verdict->sound;
	if (result->verdict->pairs)
		out->partitioned = (double)result->verdict->partitioned / (double)result->verdict->pairs;
	rc = cli_worst_share(&out->uniform, &out->worst, f, result->lft, d->all.seed, err);
	moore_engine_result_free(result);
	return rc;
}

static int
measure_one(struct drawing *d, uint32_t n_failed, struct moore_draw *out, struct moore_err *err)
{
	struct moore_graph_metrics m;
	struct moore_fabric *f = NULL;
	uint32_t n;
	int rc;

	out->failed = n_failed;
	if ((rc = moore_fabric_copy(&f, d->r.seen, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < n_failed; i++)
		moore_fabric_cut(f, d->cable[i].sw, d->cable[i].port);
	n = list_cables(f, NULL, d->link);
	rc = moore_graph_measure(f->n_switches, d->link, n, f->n_switches, &m, NULL, NULL, err);
	if (rc == 0) {
		out->connected = m.diameter != MOORE_NONE;
		out->diameter = out->connected ? m.diameter : 0;
		out->mean_distance = m.mean_distance;
		out->bisection = cli_bisection(&(struct cli_graph){ f->n_switches, d->link, n, d->endpoints });
		rc = measure_routes(d, f, out, err);
	}
	moore_fabric_free(f);
	return rc;
}

static uint32_t
failed_at(const struct moore_draws *all, double share)
{
	return (uint32_t)(share * all->n_links + 0.5);
}

static int
measure_all(struct drawing *d)
{
	const struct moore_draws *all = &d->all;
	uint32_t most = 0;
	const double total = (double)all->n_shares * all->n_draws;
	struct moore_err err;

	for (uint32_t i = 0; i < all->n_shares; i++)
		if (failed_at(all, all->share[i]) > most)
			most = failed_at(all, all->share[i]);
	cli_busy("drawing failures");
	for (uint32_t k = 0; k < all->n_draws; k++) {
		shuffle(d, k);
		if (cli_opt(d->c, "drawn"))
			note_drawn(d, k, most);
		for (uint32_t i = 0; i < all->n_shares; i++) {
			uint32_t n = failed_at(all, all->share[i]);

			if (measure_one(d, n, &d->draw[(size_t)i * all->n_draws + k], &err) < 0)
				return cli_error_at(d->c->arg[0], &err);
			cli_busy_share(NULL, ((double)k * all->n_shares + i) / total);
		}
	}
	return CLI_OK;
}

/* ---- the answer -------------------------------------------------------------------------- */

static const struct figure {
	const char *key, *head, *form;
	double times;
	const char *worst;	/* the end of the spread that is the worse one */
	int first, second;	/* widths of the median and of the worst */
} figures[] = {
	{ "diameter", "diameter", "%.3g", 1, "max", 5, 3 },
	{ "mean_distance", "distance", "%.3f", 1, "max", 7, 5 },
	{ "bisection", "bisection", "%.0f", 1, "min", 7, 5 },
	{ "throughput_uniform", "uniform %", "%.1f", 100, "min", 7, 5 },
	{ "throughput_worst", "worst %", "%.2f", 100, "min", 7, 5 },
};

static void
put_figure(struct moore_buf *b, const json_t *o, const struct figure *f)
{
	const json_t *s = json_object_get(o, f->key);

	for (int i = 0; i < 2; i++) {
		char text[24] = "-";

		if (json_is_object(s))
			snprintf(text, sizeof(text), f->form, f->times * cli_num(s, i ? f->worst : "median"));
		cli_putf(b, i ? " %*s" : "%*s", i ? f->second : f->first, text);
	}
}

static void
put_draws(struct moore_buf *b, const json_t *answer)
{
	const json_t *o;
	size_t i;

	cli_putf(b, "%lld links between switches, %lld draw%s\n\n%% fail joined sound",
		 cli_int(answer, "links"), cli_int(answer, "draws"), MOORE_S(cli_int(answer, "draws")));
	for (i = 0; i < ARRAY_LEN(figures); i++)
		cli_putf(b, "%*s", figures[i].first + 1 + figures[i].second, figures[i].head);
	cli_putf(b, "\n");
	json_array_foreach(json_object_get(answer, "shares"), i, o) {
		cli_putf(b, "%6.4g %6lld %5lld", 100 * cli_num(o, "share"), cli_int(o, "connected"),
			 cli_int(o, "sound"));
		for (size_t k = 0; k < ARRAY_LEN(figures); k++)
			put_figure(b, o, &figures[k]);
		cli_putf(b, "\n");
	}
	cli_putf(b, "\njoined, sound: so many draws; the other figures are of draws that are joined,\n"
		 "median and worst.\n"
		 "uniform, worst: the share of that traffic that the new routes carry.\n");
}

int
cli_quality_draws(const struct cli_call *c)
{
	struct drawing d = { .c = c, .drawn = MOORE_BUF_INIT };
	const struct moore_draws *all = &d.all;
	int rc;

	if ((rc = read_options(&d)) == CLI_OK && (rc = cli_route_plan(c, &d.r)) == CLI_OK) {
		d.all.n_links = list_cables(d.r.seen, NULL, NULL);
		d.draw = calloc((size_t)all->n_shares * all->n_draws, sizeof(*d.draw));
		d.cable = calloc((size_t)all->n_links + 1, sizeof(*d.cable));
		d.link = calloc((size_t)all->n_links + 1, sizeof(*d.link));
		d.endpoints = calloc((size_t)d.r.seen->n_switches + 1, sizeof(*d.endpoints));
		d.all.draw = d.draw;
		if (d.draw && d.cable && d.link && d.endpoints) {
			count_endpoints(&d);
			list_cables(d.r.seen, d.cable, NULL);
			rc = measure_all(&d);
		} else {
			rc = cli_error("out of memory");
		}
	}
	if (rc == CLI_OK && cli_opt(c, "drawn"))
		rc = cli_write(cli_opt(c, "drawn"), &d.drawn);
	if (rc == CLI_OK)
		rc = cli_show(c, moore_answer_draws(all), put_draws, NULL);
	cli_routing_free(&d.r);
	free(d.draw);
	free(d.cable);
	free(d.link);
	free(d.endpoints);
	moore_buf_free(&d.drawn);
	return rc;
}
