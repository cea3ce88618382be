// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_drain.c - `moorectl drain`: which links may be taken out of use, and doing so.
 *
 * moored judges (drain.propose), and this verb writes the links file as the user who calls it.
 * OpenSM's plugin finds that the file has changed (osmmoore(8)), so nothing is signalled. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "links_file.h"
#include "live/optics.h"
#include "online.h"

/* ---- in words ------------------------------------------------------------------------------ */

static void
put_links(struct moore_buf *b, const json_t *links)
{
	static const struct cli_col col[] = {
		{ "LINK", CLI_CUT }, { "TO", CLI_CUT }, { "BECAUSE", CLI_LEFT }, { "DRAIN", CLI_LEFT },
		{ "", CLI_CUT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	const json_t *l;
	size_t i;

	json_array_foreach(links, i, l) {
		bool fine = !strcmp(cli_str(l, "verdict"), "fine");

		cli_cell(&g, "%s[%lld]", cli_str(l, "switch"), cli_int(l, "port"));
		if (*cli_str(l, "peer"))
			cli_cell(&g, "%s[%lld]", cli_str(l, "peer"), cli_int(l, "peer_port"));
		else
			cli_cell(&g, "-");
		cli_cell(&g, "%s", *cli_str(l, "finding") ? cli_str(l, "finding") : "asked");
		cli_cell(&g, "%s%s" CLI_PLAIN, fine ? CLI_GREEN : CLI_RED, cli_str(l, "verdict"));
		cli_cell(&g, "%s", cli_str(l, "text"));
	}
	cli_put_grid(b, &g);
}

/* A line for each drained port of the list. */
static void
put_drained(struct moore_buf *b, const char *head, const json_t *list)
{
	const json_t *d;
	size_t i;

	json_array_foreach(list, i, d) {
		cli_putf(b, "%-14s %s:%lld by %s, for ", head, cli_str(d, "guid"), cli_int(d, "port"),
			 cli_str(d, "by"));
		cli_put_time(b, (long long)time(NULL) * 1000 - cli_int(d, "at_ms"));
		cli_putf(b, ": %s\n", cli_str(d, "why"));
	}
}

/* The links that were judged, and at what cost they can be drained. */
static void
put_judged(struct moore_buf *b, const json_t *answer)
{
	const json_t *links = json_object_get(answer, "links");

	put_drained(b, "drained", json_object_get(answer, "drained"));
	if (json_array_size(links)) {
		put_links(b, links);
		cli_put_optics(b, links);
		cli_putf(b, "greatest load  %.6g routes on a link, %.6g when they are drained\n",
			 cli_num(answer, "load_before"), cli_num(answer, "load_after"));
	} else {
		cli_putf(b, CLI_GREEN "no link has errors or flaps" CLI_PLAIN "\n");
	}
}

/* What was judged before --undo is no longer so. */
static void
put_drain(struct moore_buf *b, const json_t *answer)
{
	const json_t *undone = json_object_get(answer, "undone");
	long long n = cli_int(answer, "written");

	if (undone)
		put_drained(b, "was drained", undone);
	else
		put_judged(b, answer);
	if (json_object_get(answer, "written"))
		cli_putf(b, "%lld line%s changed in %s%s\n", n, MOORE_S(n), cli_str(answer, "file"),
			 n ? "; OpenSM's plugin sweeps within seconds" : "");
	else if (!cli_yes(answer, "ok"))
		cli_putf(b, "--apply drains those that are fine, in %s\n", cli_str(answer, "file"));
}

/* ---- the file --------------------------------------------------------------------------------- */

/* The line of the end with these keys; false: there is no such end. */
static bool
line_of(const json_t *o, const char *guid, const char *port, struct moore_drain_line *out)
{
	const char *s = cli_str(o, guid), *end = s + strlen(s);

	*out = (struct moore_drain_line){ .port = (moore_portnum)cli_int(o, port) };
	return moore_text_u64(&s, end, 0, UINT64_MAX, &out->guid);
}

static struct moore_drain_line
new_line(const json_t *link)
{
	struct moore_drain_line l;

	line_of(link, "guid", "port", &l);
	l.at_s = (uint64_t)time(NULL);
	snprintf(l.by, sizeof(l.by), "moorectl");
	snprintf(l.why, sizeof(l.why), "%s %.60s[%lld] -> %.60s[%lld]",
		 *cli_str(link, "finding") ? cli_str(link, "finding") : "asked", cli_str(link, "switch"),
		 cli_int(link, "port"), cli_str(link, "peer"), cli_int(link, "peer_port"));
	return l;
}

/* The lines that --apply adds, or those that --undo removes: of the links asked for, or all.
 * Room for two of each link, and for one of each drained. */
static size_t
choose(const struct cli_call *c, const json_t *answer, struct moore_drain_line *out)
{
	const json_t *links = json_object_get(answer, "links"), *l;
	const bool all = cli_has(c, "undo") && !c->n_args;
	size_t n = 0, i;

	json_array_foreach(all ? json_object_get(answer, "drained") : links, i, l) {
		if (all)
			n += line_of(l, "guid", "port", &out[n]);
		else if (!cli_has(c, "undo") && !strcmp(cli_str(l, "verdict"), "fine"))
			out[n++] = new_line(l);
		else if (cli_has(c, "undo")) {
			n += line_of(l, "guid", "port", &out[n]);
			n += line_of(l, "peer_guid", "peer_port", &out[n]);
		}
	}
	return n;
}

/* Those of these links that have a line, which --undo removes. */
static json_t *
undone(const json_t *answer, const struct moore_drain_line *line, size_t n)
{
	const json_t *drained = json_object_get(answer, "drained");
	json_t *found = json_array(), *d;
	struct moore_drain_line has;
	size_t i;

	json_array_foreach(drained, i, d)
		for (size_t k = 0; k < n && line_of(d, "guid", "port", &has); k++)
			if (line[k].guid == has.guid && line[k].port == has.port) {
				json_array_append(found, d);
				break;
			}
	return found;
}

/* Whether all is as it was asked for, after the file was written. */
static bool
is_done(const json_t *answer)
{
	const json_t *links = json_object_get(answer, "links"), *l;
	size_t i;

	json_array_foreach(links, i, l)
		if (strcmp(cli_str(l, "verdict"), "fine") && strcmp(cli_str(l, "verdict"), "already"))
			return false;
	return true;
}

static int
write_file(const struct cli_call *c, json_t *answer)
{
	const bool undo = cli_has(c, "undo");
	const char *file = cli_str(answer, "file");
	struct moore_drain_line *line = calloc(2 * json_array_size(json_object_get(answer, "links")) +
		json_array_size(json_object_get(answer, "drained")) + 1, sizeof(*line));
	size_t n = line ? choose(c, answer, line) : 0;
	struct moore_err err = { 0 };
	int rc = line ? CLI_OK : cli_error("out of memory");

	if (line && links_file_change(file, line, undo ? n : 0, line, undo ? 0 : n, &err) < 0)
		rc = err.line ? cli_error_at(file, &err) : cli_error("%s", err.text);
	if (rc == CLI_OK) {
		if (undo) {
			json_object_set_new(answer, "undone", undone(answer, line, n));
			n = json_array_size(json_object_get(answer, "undone"));
		}
		json_object_set_new(answer, "written", json_integer((json_int_t)n));
		json_object_set_new(answer, "ok", json_boolean(undo || is_done(answer)));
	}
	free(line);
	return rc;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static json_t *
ask_for(const struct cli_call *c, int *rc)
{
	json_t *list = json_array();
	uint64_t port;
	char *name;

	*rc = CLI_OK;
	for (size_t i = 0; i < c->n_args && *rc == CLI_OK; i++) {
		if ((*rc = cli_read_link(c, c->arg[i], &name, &port)) != CLI_OK)
			break;
		json_array_append_new(list, json_pack("{s:o, s:i}", "switch", moore_json_name(name),
						      "port", (int)port));
		free(name);
	}
	if (*rc == CLI_OK)
		return c->n_args ? json_pack("{s:o}", "links", list) : (json_decref(list), json_object());
	json_decref(list);
	return NULL;
}

static int
run(const struct cli_call *c, const struct moore_optics *optics)
{
	json_t *answer, *params;
	int rc;

	if (!(params = ask_for(c, &rc)))
		return rc;
	if ((rc = cli_get(c, "drain.propose", params, NULL, &answer)) != CLI_OK)
		return rc;
	if ((cli_has(c, "apply") || cli_has(c, "undo")) && (rc = write_file(c, answer)) != CLI_OK) {
		json_decref(answer);
		return rc;
	}
	cli_join_optics(c, optics, json_object_get(answer, "links"), true);
	return cli_show(c, answer, put_drain, cli_not_ok);
}

int
cmd_drain(const struct cli_call *c)
{
	struct moore_optics optics;
	int rc;

	if (cli_has(c, "apply") + cli_has(c, "undo") + cli_has(c, "dry-run") > 1)
		return cli_misuse(c, "give one of --dry-run, --apply and --undo");
	if ((rc = cli_load_optics(c, &optics)) == CLI_OK)
		rc = run(c, &optics);
	moore_optics_free(&optics);
	return rc;
}
