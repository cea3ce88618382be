// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* event.c - an event of moored as one line: when, its kind, and what happened, in the words that
 * `check`, `hotspots` and `status` have for it.  An event of a later moored, of a kind without words
 * here, is printed by its fields. */
#include <string.h>
#include <time.h>

#include "online.h"

#define SHOWN 3			/* deviations of an event; the rest are counted */

/* ---- the words of each kind --------------------------------------------------------------- */

static void
put_sweep(struct moore_buf *b, const json_t *p)
{
	cli_putf(b, "scan %lld: %lld switches, %lld endpoints", cli_int(p, "sweep"), cli_int(p, "switches"),
		 cli_int(p, "endpoints"));
}

static void
put_state(struct moore_buf *b, const json_t *p)
{
	cli_putf(b, "%s%s%s", cli_str(p, "state"), *cli_str(p, "why") ? ": " : "", cli_str(p, "why"));
}

static void
put_reload(struct moore_buf *b, const json_t *p)
{
	const char *conf = cli_str(p, "config_error"), *plan = cli_str(p, "plan_error");

	if (cli_yes(p, "good"))
		cli_putf(b, "configuration and plan were read again");
	else
		cli_putf(b, "nothing is changed: %s%s%s", conf, *conf && *plan ? "; " : "", plan);
}

/* "missing s0[5] -- s1[3]: planned, and nothing is there; and 2 more" */
static void
put_deviations(struct moore_buf *b, const json_t *list, long long n)
{
	const json_t *d;
	size_t i;

	json_array_foreach(list, i, d) {
		if (i == SHOWN)
			break;
		cli_putf(b, "%s%s %s", i ? "; " : "", cli_str(d, "verdict"), cli_str(d, "text"));
	}
	if (n > SHOWN)
		cli_putf(b, "; and %lld more", n - SHOWN);
}

static void
put_wiring(struct moore_buf *b, const json_t *p)
{
	const json_t *came = json_object_get(p, "appeared"), *gone = json_object_get(p, "cleared");
	const long long n = cli_int(p, "deviations");

	put_deviations(b, came, cli_int(p, "n_appeared"));
	if (json_array_size(gone)) {
		cli_putf(b, "%sno more: ", json_array_size(came) ? "; " : "");
		put_deviations(b, gone, cli_int(p, "n_cleared"));
	}
	cli_putf(b, "%s", json_array_size(came) || json_array_size(gone) ? "; " : "");
	if (n)
		cli_putf(b, "%lld deviation%s in all", n, MOORE_S(n));
	else
		cli_putf(b, "all is as planned");
}

static void
put_hotspot(struct moore_buf *b, const json_t *p)
{
	const char *finding = cli_str(p, "finding"), *peer = cli_str(p, "peer");
	int k = 0;

	while (k < MOORE_N_FINDINGS && strcmp(moore_finding_name((enum moore_finding)k), finding) != 0)
		k++;
	cli_putf(b, "%s[%lld] -> %s", cli_str(p, "switch"), cli_int(p, "port"), *peer ? peer : "nothing");
	if (*peer)
		cli_putf(b, "[%lld]", cli_int(p, "peer_port"));
	cli_putf(b, ": %s", cli_yes(p, "raised") ? "" : "no more: ");
	if (k < MOORE_N_FINDINGS)
		cli_putf(b, "%s (%s)", moore_finding_help((enum moore_finding)k), finding);
	else
		cli_putf(b, "%s", finding);
}

static void
put_manager(struct moore_buf *b, const json_t *p)
{
	const char *sm = cli_str(p, "sm"), *was = cli_str(p, "was");

	if (!cli_yes(p, "answers"))
		cli_putf(b, "no master subnet manager answers at LID %lld", cli_int(p, "lid"));
	else if (*was)
		cli_putf(b, "another subnet manager is master, at LID %lld", cli_int(p, "lid"));
	else
		cli_putf(b, "the subnet manager at LID %lld answers", cli_int(p, "lid"));
	cli_putf(b, "%s%s", *sm ? ": " : "", sm);
	if (*was)
		cli_putf(b, "; before, it was %s", was);
}

static void
put_problem(struct moore_buf *b, const json_t *p)
{
	cli_putf(b, "%s%s: %s", cli_str(p, "what"), cli_yes(p, "raised") ? "" : " is over",
		 cli_str(p, "text"));
}

static void
put_drain(struct moore_buf *b, const json_t *p)
{
	cli_putf(b, "%s[%lld] %s: %s", cli_str(p, "guid"), cli_int(p, "port"),
		 cli_yes(p, "drained") ? "is drained" : "is used again", cli_str(p, "why"));
}

static const struct {
	const char *kind;
	void (*put)(struct moore_buf *b, const json_t *params);
} words[] = {
	{ "sweep", put_sweep }, { "state", put_state }, { "reload", put_reload },
	{ "wiring", put_wiring }, { "hotspot", put_hotspot }, { "manager", put_manager },
	{ "problem", put_problem }, { "drain", put_drain },
};

/* ---- another kind ------------------------------------------------------------------------- */

/* "plane 0, switches 50": the fields that are texts and numbers. */
static void
put_fields(struct moore_buf *b, const json_t *o)
{
	const char *key, *sep = "";
	json_t *v;

	json_object_foreach((json_t *)o, key, v) {
		if (!strcmp(key, "at_ms") || (!json_is_string(v) && !json_is_integer(v)))
			continue;
		cli_putf(b, "%s%s ", sep, key);
		if (json_is_string(v))
			cli_putf(b, "%s", json_string_value(v));
		else
			cli_putf(b, "%lld", (long long)json_integer_value(v));
		sep = ", ";
	}
}

void
cli_put_event(struct moore_buf *b, const json_t *event, const char *form)
{
	const char *method = cli_str(event, "method"), *dot = strchr(method, '.');
	const char *kind = dot ? dot + 1 : method;
	const json_t *params = json_object_get(event, "params");
	long long at_ms = cli_int(params, "at_ms");
	size_t k = 0;

	if (!(at_ms / 1000))
		at_ms = cli_int(event, "at_ms");
	if (!(at_ms / 1000))
		at_ms = (long long)time(NULL) * 1000;
	cli_put_when(b, form, at_ms);
	cli_putf(b, "  %-8s  ", kind);
	while (k < ARRAY_LEN(words) && strcmp(words[k].kind, kind) != 0)
		k++;
	if (k < ARRAY_LEN(words) && cli_int(params, "plane"))
		cli_putf(b, "plane %lld: ", cli_int(params, "plane"));
	if (k < ARRAY_LEN(words))
		words[k].put(b, params);
	else
		put_fields(b, params);
	cli_putf(b, "\n");
}
