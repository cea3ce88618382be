// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* online.c - asks moored one question, and prints parts of its answers as text. */
#include <string.h>

#include "online.h"

/* ---- asking ------------------------------------------------------------------------- */

json_t *
cli_plane(const struct cli_call *c, json_t *params)
{
	uint64_t plane = 0;

	if (!params)
		params = json_object();
	if (!cli_opt(c, "plane"))
		return params;
	if (cli_opt_u64(c, "plane", 0, 7, &plane) != CLI_OK) {
		json_decref(params);
		return NULL;
	}
	json_object_set_new(params, "plane", json_integer((json_int_t)plane));
	return params;
}

int
cli_online_ask(const struct cli_call *c, struct cli_client *cl, const char *method, json_t *params,
	       json_t **answer)
{
	*answer = NULL;
	if (!(params = cli_plane(c, params)))
		return CLI_FAIL;
	return cli_call(cl, method, params, answer, NULL);
}

static int
show(const struct cli_call *c, json_t *answer, cli_put_answer *put, cli_has_finding *found,
     int (*print)(struct moore_buf *text))
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool is_found = answer && found && found(answer);
	int rc;

	if (c->json || !answer) {
		rc = cli_print_json(answer);
	} else {
		put(&b, answer);
		json_decref(answer);
		rc = print(&b);
	}
	return rc == CLI_OK && is_found ? CLI_FOUND : rc;
}

int
cli_show(const struct cli_call *c, json_t *answer, cli_put_answer *put, cli_has_finding *found)
{
	return show(c, answer, put, found, cli_print_text);
}

int
cli_show_script(const struct cli_call *c, json_t *answer, cli_put_answer *put, cli_has_finding *found)
{
	return show(c, answer, put, found, cli_print_data);
}

bool
cli_not_ok(const json_t *answer)
{
	return json_is_false(json_object_get(answer, "ok"));
}

int
cli_get(const struct cli_call *c, const char *method, json_t *params, const char *off_line,
	json_t **answer)
{
	struct cli_client cl;
	int rc = cli_connect(&cl, off_line);

	*answer = NULL;
	if (rc == CLI_OK) {
		cli_busy("asking moored");
		rc = cli_online_ask(c, &cl, method, params, answer);
	} else {
		json_decref(params);
	}
	cli_disconnect(&cl);
	return rc;
}

int
cli_online(const struct cli_call *c, const struct cli_online *how, json_t *params)
{
	json_t *answer;
	int rc = cli_get(c, how->method, params, how->off_line, &answer);

	return rc == CLI_OK ? cli_show(c, answer, how->put, how->found) : rc;
}

/* ---- base64 --------------------------------------------------------------------------- */

static int
base64_digit(char c)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digit, c) : NULL;

	return at ? (int)(at - digit) : -1;
}

bool
cli_base64_read(const char *s, struct moore_buf *out)
{
	uint32_t v = 0;
	unsigned bits = 0;

	for (; *s && *s != '='; s++) {
		int d = base64_digit(*s);
		char byte;

		if (d < 0)
			return false;
		v = v << 6 | (uint32_t)d;
		if ((bits += 6) < 8)
			continue;
		bits -= 8;
		byte = (char)(v >> bits & 255);
		moore_buf_add(out, &byte, 1);
	}
	return !out->oom;
}

/* ---- fields ------------------------------------------------------------------------- */

const char *
cli_str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

long long
cli_int(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

double
cli_num(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

bool
cli_yes(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

/* ---- words -------------------------------------------------------------------------- */

/* Nearly every CA has one port, so port 1 of an endpoint is not printed. */
void
cli_put_place(struct moore_buf *b, const json_t *place)
{
	long long port = cli_int(place, "port");

	if (!json_is_object(place)) {
		cli_putf(b, "nothing");
		return;
	}
	if (json_object_get(place, "endpoint")) {
		cli_putf(b, "%s", cli_str(place, "endpoint"));
		port = port == 1 ? 0 : port;
	} else {
		cli_putf(b, "%s", cli_str(place, "switch"));
	}
	if (port)
		cli_putf(b, "[%lld]", port);
}

void
cli_put_link(struct moore_buf *b, const json_t *link)
{
	cli_put_place(b, link);
	cli_putf(b, " -> ");
	cli_put_place(b, json_object_get(link, "peer"));
}

void
cli_put_size(struct moore_buf *b, const json_t *o)
{
	const long long s = cli_int(o, "switches"), e = cli_int(o, "endpoints"), c = cli_int(o, "cables");

	cli_putf(b, "%lld switch%s, %lld endpoint%s, %lld cable%s", s, MOORE_ES(s), e, MOORE_S(e), c,
		 MOORE_S(c));
}

void
cli_put_floor(struct moore_buf *b, const json_t *place)
{
	cli_put_place(b, place);
	if (!*cli_str(place, "cabinet"))
		return;
	cli_putf(b, " (cabinet %s", cli_str(place, "cabinet"));
	if (cli_int(place, "unit"))
		cli_putf(b, ", unit %lld", cli_int(place, "unit"));
	cli_putf(b, ")");
}

void
cli_cell_place(struct cli_grid *g, const json_t *place)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (json_is_object(place))
		cli_put_floor(&b, place);
	cli_cell(g, "%s", b.len ? b.data : "-");
	moore_buf_free(&b);
}

void
cli_cell_share(struct cli_grid *g, const json_t *o, const char *key)
{
	if (json_is_number(json_object_get(o, key)))
		cli_cell(g, "%.0f %%", 100 * cli_num(o, key));
	else
		cli_cell(g, "-");
}

void
cli_put_time(struct moore_buf *b, long long ms)
{
	long long s = ms / 1000;

	if (ms < 0)
		cli_putf(b, "0 s");
	else if (s < 10)
		cli_putf(b, "%.1f s", (double)ms / 1000);
	else if (s < 120)
		cli_putf(b, "%lld s", s);
	else if (s < 7200)
		cli_putf(b, "%lld min", s / 60);
	else if (s < 172800)
		cli_putf(b, "%lld h %lld min", s / 3600, s / 60 % 60);
	else
		cli_putf(b, "%lld days", s / 86400);
}

void
cli_put_bytes(struct moore_buf *b, double bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB" };
	size_t i = 0;

	while (bytes >= 999.5 && i + 1 < ARRAY_LEN(unit)) {
		bytes /= 1000;
		i++;
	}
	cli_putf(b, bytes >= 99.5 || !i ? "%.0f %s" : "%.1f %s", bytes, unit[i]);
}

void
cli_put_rate(struct moore_buf *b, double bytes_per_s)
{
	cli_put_bytes(b, bytes_per_s);
	cli_putf(b, "/s");
}
