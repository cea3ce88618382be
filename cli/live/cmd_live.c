// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_live.c - `moorectl status`, `switches`, `links`, `events`: what moored found. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "online.h"

static const char *
or_dash(const char *s)
{
	return *s ? s : "-";
}

/* ---- status -------------------------------------------------------------------------- */

static bool
is_up(const json_t *plane)
{
	return !strcmp(cli_str(plane, "state"), "up");
}

/* Whether the switches hold what the plugin computed. */
static void
put_held(struct moore_buf *b, const json_t *t)
{
	const json_t *routes = json_object_get(t, "routes_held");
	const json_t *lanes = json_object_get(t, "lanes_held");
	const char *yet = cli_yes(t, "up") ? "" : " yet";

	if (json_is_false(routes))
		cli_putf(b, CLI_YELLOW "the switches do not hold its routes%s" CLI_PLAIN "\n", yet);
	else if (json_is_false(lanes))
		cli_putf(b, CLI_YELLOW "the switches do not hold its lanes%s" CLI_PLAIN "\n", yet);
	else if (json_is_true(routes))
		cli_putf(b, "the switches hold its routes%s\n", json_is_true(lanes) ? " and lanes" : "");
	else
		cli_putf(b, "no tables were read back to compare with it\n");
}

/* What OpenSM's plugin said.  Why it refused is the text of the problem sweep-refused. */
static void
put_told(struct moore_buf *b, const json_t *t)
{
	const char *state = cli_str(t, "state");

	if (!json_is_object(t))
		return;
	cli_putf(b, "               its sweep %lld: ", cli_int(t, "number"));
	if (!strcmp(state, "routed"))
		cli_putf(b, "routed, hash %s: ", cli_str(t, "hash"));
	else
		cli_putf(b, CLI_RED "%s" CLI_PLAIN ": ", !strcmp(state, "kept") ?
			 "refused, it keeps the last good routes" : "refused, it sets no routes");
	put_held(b, t);
	if (cli_int(t, "step") < cli_int(t, "steps"))
		cli_putf(b, "               " CLI_YELLOW "step %lld of %lld is in force" CLI_PLAIN "\n",
			 cli_int(t, "step"), cli_int(t, "steps"));
}

/* "3 deviations from the plan: ...", or what to say of none. */
static void
put_count(struct moore_buf *b, const json_t *plane, const char *key, const char *none,
	  const char *what, const char *noun)
{
	long long n = cli_int(plane, key);

	if (!json_is_integer(json_object_get(plane, key)))
		return;		/* not known yet */
	if (n)
		cli_putf(b, "               " CLI_RED "%lld %s%s" CLI_PLAIN " %s\n", n, noun,
			 MOORE_S(n), what);
	else
		cli_putf(b, "               %s\n", none);
}

static void
put_manager(struct moore_buf *b, const json_t *plane)
{
	bool silent = json_is_false(json_object_get(plane, "sm_answers"));
	long long heard_ms = cli_int(plane, "sm_heard_ms");

	if (!*cli_str(plane, "sm"))
		return;
	cli_putf(b, "               %sSM %s", silent ? CLI_RED : "", cli_str(plane, "sm"));
	if (silent) {
		cli_putf(b, ": no master since ");
		cli_put_when(b, "%F %T, ", heard_ms);
		cli_put_time(b, (long long)time(NULL) * 1000 - heard_ms);
	}
	cli_putf(b, CLI_PLAIN "\n");
}

static void
put_ago(struct moore_buf *b, const json_t *o, const char *key)
{
	cli_put_time(b, (long long)time(NULL) * 1000 - cli_int(o, key));
	cli_putf(b, " ago");
}

/* The other managers, and which one was master before. */
static void
put_managers(struct moore_buf *b, const json_t *plane)
{
	const char *master = cli_str(plane, "sm");
	const json_t *m;
	size_t i;

	if (*cli_str(plane, "sm_was")) {
		cli_putf(b, "               it became master ");
		put_ago(b, plane, "sm_changed_ms");
		cli_putf(b, "; before, it was %s\n", cli_str(plane, "sm_was"));
	}
	json_array_foreach(json_object_get(plane, "managers"), i, m) {
		const char *guid = cli_str(m, "guid");

		if (!strncmp(master, guid, strlen(guid)))
			continue;
		cli_putf(b, "               also %s at LID %lld prio %lld %s", guid, cli_int(m, "lid"),
			 cli_int(m, "priority"), cli_str(m, "state"));
		if (cli_yes(m, "lost")) {
			cli_putf(b, ", " CLI_RED "lost" CLI_PLAIN ", heard ");
			put_ago(b, m, "heard_ms");
		}
		cli_putf(b, "\n");
	}
}

/* Whether the tables are sound, and the age of what the SA answered. */
static void
put_tables(struct moore_buf *b, const json_t *plane)
{
	const json_t *sound = json_object_get(plane, "tables_sound");

	if (json_is_boolean(sound))
		cli_putf(b, "               the tables are %s" CLI_PLAIN ", scan %lld\n",
			 json_is_true(sound) ? "sound" : CLI_RED "not sound",
			 cli_int(plane, "tables_sound_sweep"));
	if (json_is_integer(json_object_get(plane, "sa_heard_ms"))) {
		cli_putf(b, "               the SA answered ");
		put_ago(b, plane, "sa_heard_ms");
		cli_putf(b, "\n");
	}
}

static void
put_problems(struct moore_buf *b, const json_t *list)
{
	const json_t *p;
	size_t i;

	json_array_foreach(list, i, p) {
		cli_putf(b, "               " CLI_RED "%s" CLI_PLAIN ", for ", cli_str(p, "what"));
		cli_put_time(b, (long long)time(NULL) * 1000 - cli_int(p, "since_ms"));
		cli_putf(b, ": %s\n", cli_str(p, "text"));
	}
}

static void
put_scan(struct moore_buf *b, const json_t *plane)
{
	cli_putf(b, "               ");
	cli_put_size(b, plane);
	cli_putf(b, " in scan %lld, ", cli_int(plane, "sweep"));
	cli_put_time(b, (long long)time(NULL) * 1000 - cli_int(plane, "at_ms"));
	cli_putf(b, " ago\n");
	if (json_is_integer(json_object_get(plane, "tables_sweep")))
		cli_putf(b, "               tables read back in scan %lld\n",
			 cli_int(plane, "tables_sweep"));
	else
		cli_putf(b, CLI_YELLOW "               %s" CLI_PLAIN "\n", strcmp(cli_str(plane, "name"), "ethernet") ?
			 "no tables were read back yet" : "no routes were read: that takes ethernet_dir in moored.conf");
	put_manager(b, plane);
	put_managers(b, plane);
	put_told(b, json_object_get(plane, "told"));
	put_tables(b, plane);
	put_problems(b, json_object_get(plane, "problems"));
	put_count(b, plane, "deviations", "cabled as planned",
		  "from the plan: moorectl check names them", "deviation");
	put_count(b, plane, "hotspots", "no link stands out",
		  "now: moorectl hotspots names them", "finding");
}

static void
put_plane(struct moore_buf *b, const json_t *p)
{
	const char *why = cli_str(p, "why");

	cli_putf(b, "plane %-8lld %s%s" CLI_PLAIN "%s%s%s%s\n", cli_int(p, "plane"),
		 is_up(p) ? CLI_GREEN : CLI_RED, cli_str(p, "state"), *cli_str(p, "name") ? ", " : "",
		 cli_str(p, "name"), *why ? ": " : "", why);
	if (json_object_get(p, "sweep"))
		put_scan(b, p);
}

static void
put_wrong(struct moore_buf *b, const json_t *status, const char *key, const char *what)
{
	if (*cli_str(status, key))
		cli_putf(b, "%-14s " CLI_RED "%s" CLI_PLAIN ": the previous one stays in force\n",
			 what, cli_str(status, key));
}

static void
put_status(struct moore_buf *b, const json_t *status)
{
	const json_t *plan = json_object_get(status, "plan"), *p;
	size_t i;

	cli_putf(b, "moored         %s, process %lld, for ", cli_str(status, "version"),
		 cli_int(status, "pid"));
	cli_put_time(b, cli_int(status, "uptime_ms"));
	cli_putf(b, "\n");
	json_array_foreach(json_object_get(status, "planes"), i, p)
		put_plane(b, p);
	cli_putf(b, "plan           ");
	if (json_is_object(plan)) {
		cli_putf(b, "%s: ", cli_str(plan, "path"));
		cli_put_size(b, plan);
		cli_putf(b, "\n");
	} else {
		cli_putf(b, "none: set `plan` in %s to have the cabling checked\n",
			 or_dash(cli_str(status, "config")));
	}
	put_wrong(b, status, "config_error", "configuration");
	put_wrong(b, status, "plan_error", "plan");
	if (*cli_str(status, "records_error"))
		cli_putf(b, "records        " CLI_RED "%s" CLI_PLAIN ": what happens now is lost when "
			 "moored ends\n", cli_str(status, "records_error"));
}

int
cmd_status(const struct cli_call *c)
{
	static const struct cli_online how = { "system.status", put_status, cli_not_ok, NULL };

	return cli_online(c, &how, NULL);
}

/* ---- lists ----------------------------------------------------------------------------- */

static void
cell_number(struct cli_grid *g, const json_t *o, const char *key)
{
	if (json_is_integer(json_object_get(o, key)))
		cli_cell(g, "%lld", cli_int(o, key));
	else
		cli_cell(g, "-");
}

static void
put_switches(struct moore_buf *b, const json_t *answer)
{
	static const struct cli_col col[] = {
		{ "SWITCH", CLI_CUT }, { "GUID", CLI_LEFT }, { "LID", CLI_RIGHT },
		{ "PORTS", CLI_RIGHT }, { "CABINET", CLI_CUT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	const json_t *s;
	size_t i;

	json_array_foreach(json_object_get(answer, "switches"), i, s) {
		cli_cell(&g, "%s", cli_str(s, "name"));
		cli_cell(&g, "%s", or_dash(cli_str(s, "guid")));
		cell_number(&g, s, "lid");
		cell_number(&g, s, "ports");
		cli_cell(&g, "%s", or_dash(cli_str(s, "cabinet")));
	}
	cli_put_grid(b, &g);
}

int
cmd_switches(const struct cli_call *c)
{
	static const struct cli_online how = { "fabric.switches", put_switches, NULL, NULL };

	return cli_online(c, &how, NULL);
}

static void
put_links(struct moore_buf *b, const json_t *answer)
{
	static const struct cli_col col[] = {
		{ "LINK", CLI_CUT }, { "TO", CLI_CUT }, { "RATE", CLI_LEFT },
		{ "LOAD", CLI_RIGHT }, { "BACK", CLI_RIGHT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);
	const json_t *l;
	size_t i;

	json_array_foreach(json_object_get(answer, "links"), i, l) {
		cli_cell_place(&g, json_object_get(l, "a"));
		cli_cell_place(&g, json_object_get(l, "b"));
		cli_cell(&g, "%s", or_dash(cli_str(l, "rate")));
		cli_cell_share(&g, l, "load");
		cli_cell_share(&g, l, "load_back");
	}
	cli_put_grid(b, &g);
}

int
cmd_links(const struct cli_call *c)
{
	static const struct cli_online how = { "fabric.links", put_links, NULL, NULL };

	return cli_online(c, &how, c->n_args ?
			  json_pack("{s:o}", "switch", moore_json_name(c->arg[0])) : NULL);
}

/* ---- events ----------------------------------------------------------------------------- */

/* Takes event. */
static int
print_event(const struct cli_call *c, json_t *event, const char *form)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (c->json)
		return cli_print_json_line(event);
	cli_put_event(&b, event, form);
	json_decref(event);
	return cli_print_text(&b);
}

/* The kinds that were named; NULL: all. */
static json_t *
named_kinds(const struct cli_call *c)
{
	json_t *kinds = c->n_args ? json_array() : NULL;

	for (size_t i = 0; i < c->n_args; i++)
		json_array_append_new(kinds, moore_json_name(c->arg[i]));
	return kinds;
}

static int
follow_events(const struct cli_call *c, struct cli_client *cl)
{
	json_t *event;
	int rc = cli_subscribe(cl, named_kinds(c));

	while (rc == CLI_OK && (rc = cli_next_event(cl, -1, &event)) == CLI_OK)
		rc = print_event(c, event, "%H:%M:%S");
	return rc;
}

/* The first page names the oldest event that moored keeps: what is older is not missed silently. */
static void
warn_of_start(long long since_ms, const json_t *answer)
{
	long long first_ms = cli_int(answer, "first_ms");
	time_t at = (time_t)(first_ms / 1000);
	char clock[32];

	if (first_ms <= since_ms && first_ms)
		return;
	strftime(clock, sizeof(clock), "%F %T", localtime(&at));
	if (first_ms)
		fprintf(stderr, "moorectl: moored keeps no event from before %s\n", clock);
	else
		fprintf(stderr, "moorectl: moored keeps no event yet\n");
}

static int
past_events(const struct cli_call *c, struct cli_client *cl, long long since_ms, long long until_ms)
{
	long long after = 0;
	json_t *answer, *params, *event;
	size_t i;
	int rc;

	do {
		params = json_pack("{s:I, s:I, s:o*}", "since_ms", (json_int_t)since_ms, "after",
				   (json_int_t)after, "kinds", named_kinds(c));
		if (until_ms >= 0)
			json_object_set_new(params, "until_ms", json_integer(until_ms));
		if ((rc = cli_call(cl, "events.past", params, &answer, NULL)) != CLI_OK)
			return rc;
		if (!after && cli_opt(c, "since"))
			warn_of_start(since_ms, answer);
		json_array_foreach(json_object_get(answer, "events"), i, event)
			if (rc == CLI_OK)
				rc = print_event(c, json_incref(event), "%F %T");
		after = cli_int(answer, "next");
		json_decref(answer);
	} while (rc == CLI_OK && after);
	return rc;
}

int
cmd_events(const struct cli_call *c)
{
	long long since_ms = 0, until_ms = -1;
	struct cli_client cl;
	int rc;

	if ((rc = cli_opt_when(c, "since", &since_ms)) != CLI_OK ||
	    (rc = cli_opt_when(c, "until", &until_ms)) != CLI_OK)
		return rc;
	if (until_ms >= 0 && until_ms <= since_ms)
		return cli_misuse(c, "--until %s: not later than --since", cli_opt(c, "until"));
	if ((rc = cli_connect(&cl, NULL)) == CLI_OK)
		rc = cli_opt(c, "since") || cli_opt(c, "until") ?
			past_events(c, &cl, since_ms, until_ms) : follow_events(c, &cl);
	cli_disconnect(&cl);
	return rc;
}
