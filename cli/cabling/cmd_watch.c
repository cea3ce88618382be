// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_watch.c - `moorectl watch`: the fabric while it is cabled.
 *
 * moored tells of each change by an event; the verdict is then made anew.  On a
 * terminal one screen is drawn over and over; elsewhere, what came (+) and what
 * went (-) is a line each; with --json, one object for each verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cabling/wire.h"

/* ---- a verdict, by cabinet ------------------------------------------------------------ */

struct cabinet {
	const char *name;	/* of the plan; "" for all switches without one */
	uint32_t switches, live;
	uint32_t cables, good;	/* with an end here */
	uint32_t wrong;		/* things that are and should not be, with an end here */
};

struct state {
	struct cli_wire x;
	struct cabinet *cabinet;
	uint32_t n_cabinets, cables, good, live, wrong;
	uint32_t *of;		/* switch of the plan: its cabinet */
	char **line;		/* each deviation in words, sorted */
	uint32_t n_lines;
	const struct moore_deviation *next;	/* the cable to plug now; NULL */
};

static void
state_free(struct state *s)
{
	for (uint32_t i = 0; i < s->n_lines; i++)
		free(s->line[i]);
	free(s->line);
	free(s->cabinet);
	free(s->of);
	cli_wire_free(&s->x);
	*s = (struct state){ .n_lines = 0 };
}

static int
cabinet_cmp(const void *a, const void *b)
{
	return strcmp(((const struct cabinet *)a)->name, ((const struct cabinet *)b)->name);
}

/* The cabinets of the plan, sorted, each once; and of[]. */
static bool
find_cabinets(struct state *s)
{
	const struct moore_plan *p = s->x.plan;
	uint32_t n = 0;

	s->cabinet = calloc((size_t)p->n_switches + 1, sizeof(*s->cabinet));
	s->of = calloc((size_t)p->n_switches + 1, sizeof(*s->of));
	if (!s->cabinet || !s->of)
		return false;
	for (uint32_t i = 0; i < p->n_switches; i++)
		s->cabinet[i].name = p->sw[i].cabinet ? p->sw[i].cabinet : "";
	qsort(s->cabinet, p->n_switches, sizeof(*s->cabinet), cabinet_cmp);
	for (uint32_t i = 0; i < p->n_switches; i++)
		if (!n || strcmp(s->cabinet[n - 1].name, s->cabinet[i].name))
			s->cabinet[n++] = s->cabinet[i];
	s->n_cabinets = n;
	for (uint32_t i = 0; i < p->n_switches; i++) {
		struct cabinet key = { .name = p->sw[i].cabinet ? p->sw[i].cabinet : "" };
		struct cabinet *c = bsearch(&key, s->cabinet, n, sizeof(key), cabinet_cmp);

		s->of[i] = (uint32_t)(c - s->cabinet);
		c->switches++;
		c->live += s->x.w->occupant[i] != MOORE_NONE;
		s->live += s->x.w->occupant[i] != MOORE_NONE;
	}
	return true;
}

static void
count_cables(struct state *s)
{
	const struct moore_plan *p = s->x.plan;
	const struct moore_wire *w = s->x.w;

	s->cables = p->n_cables;
	for (uint32_t i = 0; i < p->n_cables; i++) {
		uint32_t a = s->of[p->cable[i].sw[0]], b = s->of[p->cable[i].sw[1]];

		s->cabinet[a].cables++;
		s->cabinet[b].cables += a != b;
	}
	for (uint32_t i = 0; i < w->planned.n; i++) {
		const struct moore_wire_cable *c = &w->planned.cable[i], *o;
		uint32_t at = w->observed.at[c->jack[0]], a, b;

		if (c->endpoint || at == MOORE_NONE)
			continue;
		o = &w->observed.cable[at];
		if (o->jack[o->jack[0] == c->jack[0]] != c->jack[1])
			continue;
		a = s->of[p->cable[c->index].sw[0]], b = s->of[p->cable[c->index].sw[1]];
		s->good++;
		s->cabinet[a].good++;
		s->cabinet[b].good += a != b;
	}
}

static bool
is_absence(const struct moore_deviation *d)
{
	return d->verdict == MOORE_WIRE_MISSING || d->verdict == MOORE_WIRE_MISSING_SWITCH ||
		d->verdict == MOORE_WIRE_MISSING_ENDPOINT;
}

static void
count_wrong(struct state *s)
{
	const struct moore_wire *w = s->x.w;

	for (uint32_t i = 0; i < w->n_deviations; i++) {
		const struct moore_deviation *d = &w->deviation[i];
		uint32_t last = MOORE_NONE;

		if (is_absence(d))
			continue;
		s->wrong++;
		for (int e = 0; e < 2; e++) {
			struct moore_wire_jack j = d->observed[e];

			if (j.slot == MOORE_NONE || j.endpoint || j.slot >= s->x.plan->n_switches ||
			    s->of[j.slot] == last)
				continue;
			last = s->of[j.slot];
			s->cabinet[last].wrong++;
		}
	}
}

/* Of the cables that are missing, one in the cabinet that is nearest to done: crews
 * finish one before they walk on. */
static void
find_next(struct state *s)
{
	const struct moore_wire *w = s->x.w;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < w->n_deviations; i++) {
		const struct moore_deviation *d = &w->deviation[i];

		for (int e = 0; e < 2 && d->verdict == MOORE_WIRE_MISSING; e++) {
			const struct cabinet *c;

			if (d->planned[e].slot == MOORE_NONE || d->planned[e].endpoint)
				continue;
			c = &s->cabinet[s->of[d->planned[e].slot]];
			if (c->cables - c->good >= best)
				continue;
			best = c->cables - c->good;
			s->next = d;
		}
	}
}

static int
line_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
make_lines(struct state *s)
{
	const struct moore_wire *w = s->x.w;

	s->line = calloc((size_t)w->n_deviations + 1, sizeof(*s->line));
	for (uint32_t i = 0; s->line && i < w->n_deviations; i++) {
		json_t *d = moore_json_deviation(w, &w->deviation[i]);
		struct moore_buf b = MOORE_BUF_INIT;

		cli_put_deviation(&b, d);
		json_decref(d);
		if (d && !b.oom && b.len)
			s->line[s->n_lines] = strndup(b.data, b.len - 1);	/* no line feed */
		moore_buf_free(&b);
		if (!s->line[s->n_lines])
			return false;
		s->n_lines++;
	}
	if (s->line)
		qsort(s->line, s->n_lines, sizeof(*s->line), line_cmp);
	return s->line;
}

static int
look(const struct cli_call *c, struct cli_client *cl, struct state *s)
{
	int rc = cli_wire_ask(c, cl, &s->x);

	if (rc != CLI_OK)
		return rc;
	if (!find_cabinets(s) || !make_lines(s))
		return cli_error("out of memory");
	count_cables(s);
	count_wrong(s);
	find_next(s);
	return CLI_OK;
}

/* ---- what is shown ----------------------------------------------------------------------- */

static void
put_clock(struct moore_buf *b)
{
	time_t now = time(NULL);
	char s[16];

	strftime(s, sizeof(s), "%H:%M:%S", localtime(&now));
	cli_putf(b, "%s  ", s);
}

static void
put_sum(struct moore_buf *b, const struct state *s)
{
	put_clock(b);
	cli_putf(b, "%s%u of %u cables as planned" CLI_PLAIN ", %u of %u switches live, %s%u wrong"
		 CLI_PLAIN " (scan %lld)\n", s->good == s->cables ? CLI_GREEN : CLI_YELLOW, s->good,
		 s->cables, s->live, s->x.plan->n_switches, s->wrong ? CLI_RED : CLI_GREEN, s->wrong,
		 s->x.sweep);
}

static void
put_next(struct moore_buf *b, const struct state *s)
{
	json_t *d;

	if (!s->next) {
		if (s->n_lines && s->good == s->cables)
			cli_putf(b, "next: all cables are plugged in; moorectl check lists the other deviations\n");
		else if (s->n_lines)
			cli_putf(b, "next: no cable can be plugged as planned: moorectl repair lists "
				 "the moves; switches that are not live come first\n");
		return;
	}
	d = moore_json_deviation(s->x.w, s->next);
	cli_putf(b, "next: plug %s%s", cli_str(d, "label"), *cli_str(d, "label") ? ": " : "");
	cli_put_floor(b, json_object_get(d, "a"));
	cli_putf(b, " -- ");
	cli_put_floor(b, json_object_get(d, "b"));
	cli_putf(b, "\n");
	json_decref(d);
}

/* Lines that are in one and not in the other; both are sorted. */
static void
put_lines_apart(struct moore_buf *b, const struct state *in, const struct state *not_in,
		const char *mark)
{
	for (uint32_t i = 0, k = 0; i < in->n_lines; i++) {
		while (k < not_in->n_lines && strcmp(not_in->line[k], in->line[i]) < 0)
			k++;
		if (k == not_in->n_lines || strcmp(not_in->line[k], in->line[i]) != 0)
			cli_putf(b, "  %s %s\n", mark, in->line[i]);
	}
}

static void
put_cabinets(struct moore_buf *b, const struct state *s)
{
	static const struct cli_col col[] = {
		{ "CABINET", CLI_CUT }, { "SWITCHES", CLI_RIGHT }, { "LIVE", CLI_RIGHT },
		{ "CABLES", CLI_RIGHT }, { "AS PLANNED", CLI_RIGHT }, { "WRONG", CLI_RIGHT }, { 0 }
	};
	struct cli_grid g = CLI_GRID(col);

	for (uint32_t i = 0; i < s->n_cabinets; i++) {
		const struct cabinet *c = &s->cabinet[i];

		cli_cell(&g, "%s", *c->name ? c->name : "(none)");
		cli_cell(&g, "%u", c->switches);
		cli_cell(&g, "%s%u" CLI_PLAIN, c->live < c->switches ? CLI_YELLOW : "", c->live);
		cli_cell(&g, "%u", c->cables);
		cli_cell(&g, "%s%u" CLI_PLAIN, c->good < c->cables ? CLI_YELLOW : "", c->good);
		cli_cell(&g, "%s%u" CLI_PLAIN, c->wrong ? CLI_RED : "", c->wrong);
	}
	cli_put_grid(b, &g);
}

/* Rows of the terminal that the text takes. */
static size_t
rows_of(const struct moore_buf *text)
{
	struct moore_buf wrapped = MOORE_BUF_INIT;
	size_t n = 0;

	cli_wrap(&wrapped, text);
	for (size_t i = 0; i < wrapped.len; i++)
		n += wrapped.data[i] == '\n';
	moore_buf_free(&wrapped);
	return n;
}

/* Appends as many deviations as there is room for, and how many more there are. */
static void
put_some_lines(struct moore_buf *b, const struct state *s)
{
	struct moore_buf one = MOORE_BUF_INIT;
	size_t used = rows_of(b) + 1;	/* one row for the rest */
	uint32_t i = 0;

	for (; i < s->n_lines; i++) {
		one.len = 0;
		cli_putf(&one, "%s\n", s->line[i]);
		if ((used += rows_of(&one)) > cli_height())
			break;
		moore_buf_add(b, one.data, one.len);
	}
	b->oom |= one.oom;
	moore_buf_free(&one);
	if (i < s->n_lines)
		cli_putf(b, "and %u more: moorectl check", s->n_lines - i);
}

/* One screen: cabinets, the next cable, and of the deviations what there is room for. */
static int
draw(const struct state *s)
{
	struct moore_buf b = MOORE_BUF_INIT;

	put_sum(&b, s);
	put_next(&b, s);
	cli_putf(&b, "\n");
	put_cabinets(&b, s);
	cli_putf(&b, "\n");
	put_some_lines(&b, s);
	return cli_print_screen(&b);
}

static int
tell(const struct state *s, const struct state *before)
{
	struct moore_buf b = MOORE_BUF_INIT, lines = MOORE_BUF_INIT;

	put_lines_apart(&lines, before, s, CLI_GREEN "-" CLI_PLAIN);
	put_lines_apart(&lines, s, before, CLI_RED "+" CLI_PLAIN);
	if (before->x.w && !lines.len)
		return CLI_OK;
	put_sum(&b, s);
	moore_buf_add(&b, lines.data, lines.len);
	moore_buf_free(&lines);
	put_next(&b, s);
	return cli_print_text(&b);
}

static json_t *
json_state(const struct state *s)
{
	json_t *cabinets = json_array(), *list = json_array();

	for (uint32_t i = 0; i < s->n_cabinets; i++) {
		const struct cabinet *c = &s->cabinet[i];

		json_array_append_new(cabinets, json_pack("{s:o, s:i, s:i, s:i, s:i, s:i}",
			"cabinet", *c->name ? moore_json_name(c->name) : json_null(), "switches",
			(int)c->switches, "live", (int)c->live, "cables", (int)c->cables,
			"as_planned", (int)c->good, "wrong", (int)c->wrong));
	}
	for (uint32_t i = 0; i < s->x.w->n_deviations; i++)
		json_array_append_new(list, moore_json_deviation(s->x.w, &s->x.w->deviation[i]));
	return json_pack("{s:I, s:I, s:b, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "sweep",
		(json_int_t)s->x.sweep, "at_ms", (json_int_t)s->x.at_ms, "ok", !s->n_lines,
		"switches", (int)s->x.plan->n_switches, "live", (int)s->live, "cables",
		(int)s->cables, "as_planned", (int)s->good, "wrong", (int)s->wrong, "cabinets",
		cabinets, "next", s->next ? moore_json_deviation(s->x.w, s->next) : json_null(),
		"deviations", list);
}

/* ---- the verb ------------------------------------------------------------------------------ */

static int
show(const struct cli_call *c, const struct state *s, const struct state *before)
{
	if (c->json)
		return cli_print_json_line(json_state(s));
	return isatty(STDOUT_FILENO) ? draw(s) : tell(s, before);
}

/* Until something changed; what else came meanwhile is of the same change. */
static int
wait_change(struct cli_client *cl)
{
	json_t *event = NULL;
	int rc = cli_next_event(cl, -1, &event);

	while (rc == CLI_OK && event) {
		json_decref(event);
		rc = cli_next_event(cl, 0, &event);
	}
	return rc;
}

/* Until there is a fabric to judge. */
static int
await_fabric(const struct cli_call *c, struct cli_client *cl)
{
	json_t *answer;
	json_t *params = cli_plane(c, NULL);
	int code, rc = CLI_FAIL;

	while (params && (rc = cli_call(cl, "fabric.summary", json_incref(params), &answer,
					&code)) != CLI_OK) {
		if (code != CLI_NO_FABRIC)
			break;
		fprintf(stderr, "moorectl: moored has found no fabric yet: waiting\n");
		if ((rc = wait_change(cl)) != CLI_OK)
			break;
	}
	json_decref(params);
	json_decref(answer);
	return rc;
}

int
cmd_watch(const struct cli_call *c)
{
	struct state now = { .n_lines = 0 }, before = { .n_lines = 0 };
	bool until = cli_has(c, "until-complete");
	struct cli_client cl;
	int rc;

	if ((rc = cli_connect(&cl, NULL)) == CLI_OK)
		rc = cli_subscribe(&cl, json_pack("[s, s, s]", "sweep", "state", "reload"));
	while (rc == CLI_OK && (rc = await_fabric(c, &cl)) == CLI_OK &&
	       (rc = look(c, &cl, &now)) == CLI_OK &&
	       (rc = show(c, &now, &before)) == CLI_OK && !(until && !now.n_lines)) {
		state_free(&before);
		before = now;
		now = (struct state){ .n_lines = 0 };
		rc = wait_change(&cl);
	}
	state_free(&now);
	state_free(&before);
	cli_disconnect(&cl);
	return rc;
}
