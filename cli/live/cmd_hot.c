// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_hot.c - `moorectl hotspots`, `errors` and `explain`: which links stand out or have
 * errors, and why one is loaded.  The statistics and causes are moored's (moore/hot.h and moore/demand.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live/optics.h"
#include "online.h"

#define SMALL 0.02		/* of a link's load: not worth a line */

/* ---- numbers ------------------------------------------------------------------------- */

static void
put_share(struct moore_buf *b, const json_t *o, const char *key)
{
	if (json_is_number(json_object_get(o, key)))
		cli_putf(b, "%.0f %%", 100 * cli_num(o, key));
	else
		cli_putf(b, "?");
}

/* "S3[7]", or the name alone of an endpoint's only port. */
static void
cell_end(struct cli_grid *g, const json_t *o, const char *name, const char *port)
{
	if (!*cli_str(o, name))
		cli_cell(g, "-");
	else
		cli_cell(g, "%s[%lld]", cli_str(o, name), cli_int(o, port));
}

/* ---- hotspots ------------------------------------------------------------------------- */

static void
put_spread(struct moore_buf *b, const char *what, const json_t *s)
{
	if (!cli_int(s, "links"))
		return;
	cli_putf(b, "%s: min %.1f %%, quartiles %.1f, %.1f and %.1f %%, max %.1f %%, mean %.1f %%",
		 what, 100 * cli_num(s, "min"), 100 * cli_num(s, "q1"), 100 * cli_num(s, "median"),
		 100 * cli_num(s, "q3"), 100 * cli_num(s, "max"), 100 * cli_num(s, "mean"));
	cli_putf(b, " of %lld links\n", cli_int(s, "links"));
}

/* A share where the finding is of one, else a count. */
static void
cell_value(struct cli_grid *g, const json_t *h)
{
	bool share = !strcmp(cli_str(h, "finding"), "load") || !strcmp(cli_str(h, "finding"), "wait");

	if (share)
		cli_cell_share(g, h, "value");
	else
		cli_cell(g, "%.6g", cli_num(h, "value"));
}

static void
put_hotspots(struct moore_buf *b, const json_t *answer)
{
	static const struct cli_col col[] = {
		{ "FINDING", CLI_LEFT }, { "LINK", CLI_CUT }, { "TO", CLI_CUT }, { "VALUE", CLI_RIGHT },
		{ "LOAD", CLI_RIGHT }, { "WAIT", CLI_RIGHT }, { "RANK", CLI_RIGHT },
		{ "FOR", CLI_RIGHT }, { "CABLE", CLI_CUT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	const json_t *list = json_object_get(answer, "hotspots"), *h;
	size_t i;

	json_array_foreach(list, i, h) {
		cli_cell(&g, CLI_RED "%s" CLI_PLAIN, cli_str(h, "finding"));
		cell_end(&g, h, "switch", "port");
		cell_end(&g, h, "peer", "peer_port");
		cell_value(&g, h);
		cli_cell_share(&g, h, "load");
		cli_cell_share(&g, h, "wait");
		if (cli_int(h, "rank"))
			cli_cell(&g, "%lld", cli_int(h, "rank"));
		else
			cli_cell(&g, "-");
		cli_cell(&g, "%lld s", cli_int(h, "for_s"));
		cli_cell(&g, "%s", *cli_str(h, "cable") ? cli_str(h, "cable") : "-");
	}
	if (json_array_size(list))
		cli_put_grid(b, &g);
	else
		cli_putf(b, CLI_GREEN "no link stands out" CLI_PLAIN "\n");
	if (cli_int(answer, "total") > (long long)json_array_size(list))
		cli_putf(b, "the first %zu of %lld\n", json_array_size(list), cli_int(answer, "total"));
	put_spread(b, "load", json_object_get(answer, "load"));
	put_spread(b, "wait", json_object_get(answer, "wait"));
	if (json_array_size(list))
		cli_putf(b, "moorectl explain LINK shows which traffic causes it\n");
}

/* On a terminal the table anew each second; elsewhere what comes and goes. */
static int
watch_screen(const struct cli_call *c, struct cli_client *cl)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *answer, *event;
	int rc;

	while ((rc = cli_online_ask(c, cl, "hotspots.list", NULL, &answer)) == CLI_OK) {
		put_hotspots(&b, answer);
		json_decref(answer);
		if ((rc = cli_print_screen(&b)) != CLI_OK ||
		    (rc = cli_next_event(cl, 1000, &event)) != CLI_OK)
			return rc;
		json_decref(event);
	}
	return rc;
}

static void
put_change(struct moore_buf *b, const json_t *e)
{
	cli_put_when(b, "%H:%M:%S", cli_int(e, "at_ms"));
	cli_putf(b, "  %s %-8s %s[%lld]", cli_yes(e, "raised") ? CLI_RED "+" CLI_PLAIN :
		 CLI_GREEN "-" CLI_PLAIN, cli_str(e, "finding"), cli_str(e, "switch"),
		 cli_int(e, "port"));
	if (*cli_str(e, "peer"))
		cli_putf(b, " -> %s[%lld]", cli_str(e, "peer"), cli_int(e, "peer_port"));
	cli_putf(b, "\n");
}

static int
watch_lines(const struct cli_call *c, struct cli_client *cl)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *answer, *event;
	int rc = cli_online_ask(c, cl, "hotspots.list", NULL, &answer);

	if (rc != CLI_OK)
		return rc;
	if (c->json) {
		rc = cli_print_json_line(answer);
	} else {
		put_hotspots(&b, answer);
		json_decref(answer);
		rc = cli_print_text(&b);
	}
	while (rc == CLI_OK && (rc = cli_next_event(cl, -1, &event)) == CLI_OK) {
		if (c->json) {
			rc = cli_print_json_line(json_incref(json_object_get(event, "params")));
		} else {
			put_change(&b, json_object_get(event, "params"));
			rc = cli_print_text(&b);
		}
		json_decref(event);
	}
	return rc;
}

int
cmd_hotspots(const struct cli_call *c)
{
	static const struct cli_online how = { "hotspots.list", put_hotspots, cli_not_ok, NULL };
	struct cli_client cl;
	int rc;

	if (!cli_has(c, "watch"))
		return cli_online(c, &how, NULL);
	if ((rc = cli_connect(&cl, NULL)) == CLI_OK &&
	    (rc = cli_subscribe(&cl, json_pack("[s]", "hotspot"))) == CLI_OK)
		rc = !c->json && isatty(STDOUT_FILENO) ? watch_screen(c, &cl) : watch_lines(c, &cl);
	cli_disconnect(&cl);
	return rc;
}

/* ---- errors ---------------------------------------------------------------------------- */

static void
cell_ago(struct cli_grid *g, long long now_ms, const json_t *o, const char *key)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (json_is_integer(json_object_get(o, key)))
		cli_put_time(&b, now_ms - cli_int(o, key));
	moore_buf_add(&b, "", 1);
	cli_cell(g, "%s", b.len > 1 ? b.data : "-");
	moore_buf_free(&b);
}

static void
put_port(struct cli_grid *g, const json_t *port, long long now_ms)
{
	const json_t *c;
	size_t i;

	json_array_foreach(json_object_get(port, "counters"), i, c) {
		cell_end(g, port, "switch", "port");
		cell_end(g, port, "peer", "peer_port");
		cli_cell(g, "%s", cli_str(c, "counter"));
		cli_cell(g, "%lld", cli_int(c, "value"));
		cli_cell(g, "%lld", cli_int(c, "rose"));
		cli_cell(g, "%.4g", cli_num(c, "per_hour"));
		cell_ago(g, now_ms, c, "last_ms");
		cell_ago(g, now_ms, port, "since_ms");
		cli_cell(g, "%s", *cli_str(port, "cable") ? cli_str(port, "cable") : "-");
	}
}

static void
put_errors(struct moore_buf *b, const json_t *answer)
{
	static const struct cli_col col[] = {
		{ "LINK", CLI_CUT }, { "TO", CLI_CUT }, { "COUNTER", CLI_LEFT }, { "VALUE", CLI_RIGHT },
		{ "ROSE", CLI_RIGHT }, { "PER HOUR", CLI_RIGHT }, { "LAST", CLI_RIGHT },
		{ "FOR", CLI_RIGHT }, { "CABLE", CLI_CUT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	const json_t *list = json_object_get(answer, "ports"), *port;
	size_t i;

	json_array_foreach(list, i, port)
		put_port(&g, port, cli_int(answer, "polled_ms"));
	if (json_array_size(list))
		cli_put_grid(b, &g);
	else
		cli_putf(b, CLI_GREEN "no error counter has counted" CLI_PLAIN "\n");
	cli_put_optics(b, list);
	if (cli_int(answer, "total") > (long long)json_array_size(list))
		cli_putf(b, "the first %zu of %lld ports\n", json_array_size(list), cli_int(answer, "total"));
}

int
cmd_errors(const struct cli_call *c)
{
	struct moore_optics optics;
	json_t *answer;
	int rc = cli_load_optics(c, &optics);

	if (rc != CLI_OK || (rc = cli_get(c, "errors.list", NULL, NULL, &answer)) != CLI_OK)
		goto out;
	cli_join_optics(c, &optics, json_object_get(answer, "ports"), false);
	rc = cli_show(c, answer, put_errors, cli_not_ok);
out:
	moore_optics_free(&optics);
	return rc;
}

/* ---- explain ------------------------------------------------------------------------------ */

static void
put_load(struct moore_buf *b, const json_t *x)
{
	cli_putf(b, "%s[%lld] -> %s[%lld]%s%s\n", cli_str(x, "switch"), cli_int(x, "port"),
		 cli_str(x, "peer"), cli_int(x, "peer_port"), *cli_str(x, "cable") ? ", cable " : "",
		 cli_str(x, "cable"));
	cli_putf(b, "load           ");
	put_share(b, x, "load");
	if (json_is_number(json_object_get(x, "bytes_per_s"))) {
		cli_putf(b, ", ");
		cli_put_rate(b, cli_num(x, "bytes_per_s"));
	}
	cli_putf(b, "; packets wait for it ");
	put_share(b, x, "wait");
	cli_putf(b, " of the time\n");
}

static void
put_routes(struct moore_buf *b, const json_t *routes)
{
	const json_t *n;
	size_t k;

	cli_putf(b, "routes over it ");
	json_array_foreach(routes, k, n)
		cli_putf(b, "%soffset %zu: %lld", k ? ", " : "", k, json_integer_value(n));
	cli_putf(b, " (switch, endpoint) pairs\n");
}

static void
put_suspects(struct moore_buf *b, const json_t *list)
{
	static const struct cli_col col[] = {
		{ "FROM", CLI_CUT }, { "TO", CLI_CUT }, { "OFFSET", CLI_RIGHT },
		{ "ABOUT", CLI_RIGHT }, { "SHARE", CLI_RIGHT }, { "CERTAINTY", CLI_RIGHT },
		{ "OTHER", CLI_RIGHT }, { "IDLE THERE", CLI_RIGHT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	size_t i, small = 0;
	const json_t *s;

	json_array_foreach(list, i, s) {
		struct moore_buf rate = MOORE_BUF_INIT;

		if (i && cli_num(s, "share") < SMALL) {
			small++;
			continue;
		}
		cli_cell(&g, "%s", cli_str(s, *cli_str(s, "source") ? "source" : "from"));
		cli_cell(&g, "%s", cli_str(s, *cli_str(s, "dest") ? "dest" : "to"));
		cli_cell(&g, "%lld", cli_int(s, "offset"));
		cli_put_rate(&rate, cli_num(s, "bytes_per_s"));
		cli_cell(&g, "%s", rate.len ? rate.data : "-");
		moore_buf_free(&rate);
		cli_cell_share(&g, s, "share");
		cli_cell_share(&g, s, "certainty");
		if (json_is_integer(json_object_get(s, "other_offset")))
			cli_cell(&g, "%lld", cli_int(s, "other_offset"));
		else
			cli_cell(&g, "-");
		cli_cell_share(&g, s, "other_idle");
	}
	cli_put_grid(b, &g);
	if (small)
		cli_putf(b, "and %zu more that are below %.0f %% of its load\n", small, 100 * SMALL);
}

static void
put_explain(struct moore_buf *b, const json_t *x)
{
	const json_t *list = json_object_get(x, "suspects");

	put_load(b, x);
	put_routes(b, json_object_get(x, "routes"));
	if (json_array_size(list)) {
		cli_putf(b, "senders        estimated from the loads of all links; ");
		put_share(b, x, "misfit");
		cli_putf(b, " of the load is unexplained:\n");
		put_suspects(b, list);
	}
	cli_putf(b, "try            %s\n", cli_str(json_object_get(x, "remedy"), "text"));
}

int
cli_read_link(const struct cli_call *c, const char *s, char **name, uint64_t *port)
{
	const char *at = strrchr(s, '['), *end = s + strlen(s), *p;

	if (!at)
		at = strrchr(s, ':');
	else if (end[-1] == ']')
		end--;
	p = at ? at + 1 : NULL;
	if (!at || at == s || !moore_text_u64(&p, end, 10, 254, port) || p != end || !*port)
		return cli_misuse(c, "%s: a link is named by the switch and port that it leaves by, "
				  "like s0-0-0[5] or s0-0-0:5", s);
	*name = strndup(s, (size_t)(at - s));
	return *name ? CLI_OK : cli_error("out of memory");
}

int
cmd_explain(const struct cli_call *c)
{
	static const struct cli_online how = { "hotspots.explain", put_explain, NULL, NULL };
	uint64_t port;
	char *name;
	int rc = cli_read_link(c, c->arg[0], &name, &port);

	if (rc != CLI_OK)
		return rc;
	rc = cli_online(c, &how, json_pack("{s:o, s:i}", "switch", moore_json_name(name), "port",
					   (int)port));
	free(name);
	return rc;
}
