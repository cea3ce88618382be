// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_history.c - `moorectl history`: what happened to a link, a switch, an endpoint, or the whole
 * fabric, as moored keeps it. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

static void
put_load(struct moore_buf *b, const json_t *load)
{
	cli_putf(b, "load           out ");
	cli_put_rate(b, cli_num(load, "mean_out"));
	cli_putf(b, ", in ");
	cli_put_rate(b, cli_num(load, "mean_in"));
	cli_putf(b, " on average since ");
	cli_put_when(b, "%F %T", cli_int(load, "first_ms"));
	cli_putf(b, "; at most ");
	cli_put_rate(b, cli_num(load, "most_out"));
	cli_putf(b, " out, at ");
	cli_put_when(b, "%F %T", cli_int(load, "most_ms"));
	cli_putf(b, "\n");
}

static void
put_counters(struct moore_buf *b, const json_t *list)
{
	const json_t *c;
	size_t i;

	json_array_foreach(list, i, c) {
		cli_putf(b, "counter        %s is %lld, rose by %lld", cli_str(c, "counter"),
			 cli_int(c, "value"), cli_int(c, "rose"));
		if (json_is_integer(json_object_get(c, "last_ms"))) {
			cli_putf(b, ", last at ");
			cli_put_when(b, "%F %T", cli_int(c, "last_ms"));
		}
		cli_putf(b, "\n");
	}
}

static void
put_head(struct moore_buf *b, const json_t *answer, bool any)
{
	const char *what = cli_str(answer, "what");

	if (*what) {
		cli_putf(b, "%s", what);
		if (json_is_integer(json_object_get(answer, "port")))
			cli_putf(b, "[%lld]", cli_int(answer, "port"));
		cli_putf(b, "%s\n", any ? "" : ": no event names it");
	} else if (!any) {
		cli_putf(b, "nothing happened\n");
	}
}

static void
put_history(struct moore_buf *b, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "events"), *event;
	size_t i;

	put_head(b, answer, json_array_size(list) > 0);
	if (cli_yes(answer, "cut"))
		cli_putf(b, CLI_YELLOW "earlier events are left out: --since names a later time" CLI_PLAIN
			 "\n");
	json_array_foreach(list, i, event)
		cli_put_event(b, event, "%F %T");
	if (json_is_object(json_object_get(answer, "load")))
		put_load(b, json_object_get(answer, "load"));
	put_counters(b, json_object_get(answer, "counters"));
}

/* NAME[PORT] and NAME:PORT are links, if a number stands there. */
static bool
is_link(const char *s)
{
	const char *at = strpbrk(s, "[") ? strrchr(s, '[') : strrchr(s, ':');
	const char *end = s + strlen(s), *p = at ? at + 1 : NULL;
	uint64_t port;

	return at && at > s && moore_text_u64(&p, end, 10, 254, &port) && port &&
	       !strcmp(p, *at == '[' ? "]" : "");
}

int
cmd_history(const struct cli_call *c)
{
	static const struct cli_online how = { "history.of", put_history, NULL, NULL };
	const char *what = c->n_args ? c->arg[0] : NULL;
	json_t *params = json_object();
	long long since_ms = 0;
	char *name = NULL;
	uint64_t port = 0;
	int rc = cli_opt_when(c, "since", &since_ms);

	if (rc == CLI_OK && what && is_link(what))
		rc = cli_read_link(c, what, &name, &port);
	if (rc != CLI_OK) {
		json_decref(params);
		return rc;
	}
	if (what)
		json_object_set_new(params, "what", moore_json_name(name ? name : what));
	json_object_set_new(params, "since_ms", json_integer(since_ms));
	if (port)
		json_object_set_new(params, "port", json_integer((json_int_t)port));
	free(name);
	return cli_online(c, &how, params);
}
