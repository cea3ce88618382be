// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* replay_sum.c - what a whole recording showed: the time it covers, the links that carried
 * most, and each finding with the time for which it stood.
 *
 * Links are kept by name, not by index, since the fabric may change within a recording. */
#include <stdlib.h>
#include <string.h>

#include "live/replay.h"

enum { BUSIEST = 5, FINDINGS = 20 };	/* lines of text; JSON has all findings */

void
cli_replayed_row(struct cli_replayed *s, long long at_ms, long long span_ms)
{
	if (!s->rows++)
		s->from_ms = at_ms - span_ms;
	s->to_ms = at_ms;
	s->covered_ms += span_ms;
}

/* ---- links ----------------------------------------------------------------------------- */

static void
add_number(json_t *o, const char *key, double v)
{
	json_object_set_new(o, key, json_real(cli_num(o, key) + v));
}

static void
raise_number(json_t *o, const char *key, double v)
{
	if (v > cli_num(o, key))
		json_object_set_new(o, key, json_real(v));
}

void
cli_replayed_link(struct cli_replayed *s, json_t *link, const struct cli_tally *t)
{
	struct moore_buf key = MOORE_BUF_INIT;
	json_t *o;

	cli_put_link(&key, link);
	if (!s->links)
		s->links = json_object();
	o = key.data ? json_object_get(s->links, key.data) : NULL;
	if (!o && key.data) {
		o = link;
		json_object_set(s->links, key.data, o);
	}
	add_number(o, "bytes", t->bytes);
	add_number(o, "seconds", t->seconds);
	raise_number(o, "peak", t->peak);
	if (t->share >= 0) {
		add_number(o, "share", t->share);
		add_number(o, "share_s", t->seconds);
		raise_number(o, "peak_share", t->peak_share);
	}
	json_decref(link);
	moore_buf_free(&key);
}

/* The greatest first; equal ones by name, so that the order is always the same. */
static bool
is_before(const json_t *a, const char *a_name, const json_t *b, const char *b_name)
{
	double x = cli_num(a, "bytes"), y = cli_num(b, "bytes");

	return x > y || (x >= y && strcmp(a_name, b_name) < 0);
}

static json_t *
json_link(const json_t *o)
{
	double share_s = cli_num(o, "share_s"), seconds = cli_num(o, "seconds");

	return json_pack("{s:O, s:O, s:O, s:I, s:I, s:I, s:o, s:o}", "switch",
		json_object_get(o, "switch"), "port", json_object_get(o, "port"), "peer",
		json_object_get(o, "peer"), "bytes", (json_int_t)cli_num(o, "bytes"), "bytes_per_s",
		(json_int_t)(seconds > 0 ? cli_num(o, "bytes") / seconds : 0), "peak_bytes_per_s",
		(json_int_t)cli_num(o, "peak"),
		"share", share_s > 0 ? json_real(cli_share(cli_num(o, "share") / share_s)) : json_null(),
		"peak_share", share_s > 0 ? json_real(cli_share(cli_num(o, "peak_share"))) : json_null());
}

static json_t *
json_busiest(const struct cli_replayed *s)
{
	const char *best[BUSIEST], *name;
	json_t *list = json_array(), *o;
	size_t n = 0, at;

	json_object_foreach(s->links, name, o) {
		for (at = n; at && is_before(o, name, json_object_get(s->links, best[at - 1]),
					     best[at - 1]); at--)
			if (at < BUSIEST)
				best[at] = best[at - 1];
		if (at < BUSIEST)
			best[at] = name;
		n += n < BUSIEST;
	}
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_link(json_object_get(s->links, best[i])));
	return list;
}

/* ---- findings -------------------------------------------------------------------------- */

static bool
is_same(const json_t *a, const json_t *b)
{
	return !strcmp(cli_str(a, "finding"), cli_str(b, "finding")) &&
		!strcmp(cli_str(a, "switch"), cli_str(b, "switch")) &&
		cli_int(a, "port") == cli_int(b, "port");
}

void
cli_replayed_finding(struct cli_replayed *s, const json_t *f, long long at_ms)
{
	json_t *o;

	if (!s->findings)
		s->findings = json_array();
	if (cli_yes(f, "raised")) {
		json_array_append_new(s->findings, json_pack("{s:O, s:O, s:O, s:O, s:I, s:n}", "finding",
			json_object_get(f, "finding"), "switch", json_object_get(f, "switch"), "port",
			json_object_get(f, "port"), "peer", json_object_get(f, "peer"), "from_ms",
			(json_int_t)at_ms, "to_ms"));
		return;
	}
	for (size_t i = json_array_size(s->findings); i-- > 0;) {
		o = json_array_get(s->findings, i);
		if (is_same(o, f) && json_is_null(json_object_get(o, "to_ms"))) {
			json_object_set_new(o, "to_ms", json_integer(at_ms));
			return;
		}
	}
}

/* ---- the summary ----------------------------------------------------------------------- */

json_t *
cli_replayed_json(const struct cli_replayed *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "from_ms", (json_int_t)s->from_ms, "to_ms",
		(json_int_t)s->to_ms, "covered_ms", (json_int_t)s->covered_ms, "rows",
		(json_int_t)s->rows, "busiest", json_busiest(s), "findings",
		s->findings ? json_incref(s->findings) : json_array());
}

static void
put_rate(struct moore_buf *b, const json_t *o, const char *rate, const char *share)
{
	cli_put_rate(b, cli_num(o, rate));
	if (json_is_real(json_object_get(o, share)))
		cli_putf(b, " (%.0f %%)", 100 * cli_num(o, share));
}

static void
put_finding(struct moore_buf *b, const json_t *f)
{
	cli_putf(b, "  %-8s ", cli_str(f, "finding"));
	cli_put_link(b, f);
	cli_putf(b, ", from ");
	cli_put_when(b, "%F %T", cli_int(f, "from_ms"));
	if (json_is_integer(json_object_get(f, "to_ms"))) {
		cli_putf(b, " for ");
		cli_put_time(b, cli_int(f, "to_ms") - cli_int(f, "from_ms"));
	} else {
		cli_putf(b, " to the end");
	}
	cli_putf(b, "\n");
}

void
cli_put_replayed(struct moore_buf *b, const json_t *summary)
{
	const json_t *busiest = json_object_get(summary, "busiest"), *o;
	const json_t *findings = json_object_get(summary, "findings");
	size_t n = json_array_size(findings), i;

	cli_putf(b, "\n");
	cli_put_time(b, cli_int(summary, "covered_ms"));
	cli_putf(b, " in %lld rows, from ", cli_int(summary, "rows"));
	cli_put_when(b, "%F %T", cli_int(summary, "from_ms"));
	cli_putf(b, " to ");
	cli_put_when(b, "%F %T", cli_int(summary, "to_ms"));
	cli_putf(b, "\n%s", json_array_size(busiest) ? "links that carried most:\n" : "");
	json_array_foreach(busiest, i, o) {
		cli_putf(b, "  ");
		cli_put_link(b, o);
		cli_putf(b, " ");
		put_rate(b, o, "bytes_per_s", "share");
		cli_putf(b, ", at most ");
		put_rate(b, o, "peak_bytes_per_s", "peak_share");
		cli_putf(b, "\n");
	}
	cli_putf(b, n ? "%zu finding%s:\n" : "no findings\n", n, MOORE_S(n));
	json_array_foreach(findings, i, o)
		if (i < FINDINGS)
			put_finding(b, o);
	if (n > FINDINGS)
		cli_putf(b, "  and %zu more: --json lists all\n", n - FINDINGS);
}

void
cli_replayed_free(struct cli_replayed *s)
{
	json_decref(s->links);
	json_decref(s->findings);
}
