// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_replay.c - `moorectl replay`: what `moorectl record` kept, seen again.
 *
 * A replay goes through the same statistics as moored's hotspots, on the recorded clock. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moore/history.h"
#include "moore/hot.h"
#include "online.h"
#include "live/replay.h"

enum { ROWS_AT_ONCE = 64, BUSIEST = 3 };

struct replay {
	const struct cli_call *call;
	struct moore_history *h;
	struct moore_hot *hot;
	struct moore_fabric *f;
	struct cli_tally *tally;	/* by port, of this fabric */
	struct moore_hot_port *port;
	struct moore_line *line;
	struct moore_sample *sample;
	uint64_t at_ms;			/* of the last row shown */
	uint64_t speed;			/* times real time; 0: at once */
	json_t *findings;		/* of this row */
	struct cli_replayed sum;
	struct moore_err err;
};

static void
replay_free_fabric(struct replay *r)
{
	moore_fabric_free(r->f);
	free(r->port);
	free(r->line);
	free(r->sample);
	free(r->tally);
	r->f = NULL;
	r->tally = NULL;
	r->port = NULL;
	r->line = NULL;
	r->sample = NULL;
}

static moore_swid
switch_of(const struct moore_fabric *f, uint32_t port)
{
	moore_swid s = f->n_switches - 1;

	while (s && f->sw[s].port0 > port)
		s--;
	return s;
}

/* A finding at a port of r->f. */
static json_t *
json_finding(const struct replay *r, const struct moore_alarm *a)
{
	moore_swid s = switch_of(r->f, a->port);
	moore_portnum p = (moore_portnum)(a->port - r->f->sw[s].port0);

	return json_pack("{s:s, s:b, s:o, s:i, s:o, s:f}", "finding",
		moore_finding_name(a->kind), "raised", a->raised, "switch",
		moore_json_name(r->f->sw[s].name), "port", p, "peer", moore_json_peer(r->f, s, p),
		"value", a->value);
}

static void
on_alarm(void *arg, const struct moore_alarm *a)
{
	struct replay *r = arg;
	json_t *o = json_finding(r, a);

	cli_replayed_finding(&r->sum, o, (long long)r->at_ms);
	json_array_append_new(r->findings, o);
}

/* No row shows it, since the port is gone; in the summary the finding ends. */
static void
on_gone(void *arg, const struct moore_alarm *a)
{
	struct replay *r = arg;
	json_t *o = json_finding(r, a);

	cli_replayed_finding(&r->sum, o, (long long)r->at_ms);
	json_decref(o);
}

/* Adds what the ports of this fabric carried to the summary. */
static void
sum_ports(struct replay *r)
{
	for (uint32_t i = 0; r->f && i < r->f->n_ports; i++) {
		moore_swid s = switch_of(r->f, i);
		moore_portnum p = (moore_portnum)(i - r->f->sw[s].port0);

		if (r->tally[i].seconds > 0)
			cli_replayed_link(&r->sum, json_pack("{s:o, s:i, s:o}", "switch",
				moore_json_name(r->f->sw[s].name), "port", p, "peer",
				moore_json_peer(r->f, s, p)), &r->tally[i]);
	}
}

static void
set_lines(struct replay *r, const struct moore_plan *p)
{
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int e = 0; e < 2; e++) {
			uint32_t at = r->f->sw[p->cable[i].sw[e]].port0 + p->cable[i].port[e];

			r->line[at] = (struct moore_line){
				moore_rate_bytes(moore_plan_rate(p, p->cable[i].rate)), MOORE_TICK_BYTES };
		}
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		if (p->ep[i].sw != MOORE_NONE)
			r->line[r->f->sw[p->ep[i].sw].port0 + p->ep[i].port] = (struct moore_line){
				moore_rate_bytes(moore_plan_rate(p, p->ep[i].rate)), MOORE_TICK_BYTES };
}

/* A frame of kind PLAN: the rows that follow are of this fabric. */
static int
take_fabric(struct replay *r, const uint8_t *body, size_t len)
{
	struct moore_fabric *f = NULL;
	struct moore_plan *p;
	int rc = moore_plan_parse(&p, (const char *)body, len, &r->err);

	if (rc < 0)
		return rc;
	rc = moore_fabric_from_plan(&f, p, 0, &r->err);
	if (rc == 0)	/* on_gone() finds ports of the old fabric, which is still r->f */
		rc = r->hot ? moore_hot_move(r->hot, r->f, f, r->at_ms * 1000, on_gone, r, &r->err) :
			moore_hot_new(&r->hot, f, &r->err);
	if (rc == 0) {
		sum_ports(r);
		replay_free_fabric(r);
		r->f = f;
		r->tally = calloc(f->n_ports, sizeof(*r->tally));
		r->port = calloc(f->n_ports, sizeof(*r->port));
		r->line = calloc(f->n_ports, sizeof(*r->line));
		r->sample = calloc(f->n_ports, sizeof(*r->sample));
		if (r->tally && r->port && r->line && r->sample)
			set_lines(r, p);
		else
			rc = moore_fail_nomem(&r->err);
	} else {
		moore_fabric_free(f);
	}
	moore_plan_free(p);
	return rc;
}

static double
share_of(double bytes, const struct moore_line *l)
{
	return l->bytes_per_s > 0 ? bytes / l->bytes_per_s : -1;
}

/* What a port between switches sent in a row. */
static void
count_port(struct cli_tally *t, const struct moore_sample *s, double share, double seconds)
{
	t->seconds += seconds;
	t->bytes += (double)s->tx * seconds;
	if ((double)s->tx > t->peak)
		t->peak = (double)s->tx;
	t->share = share < 0 ? -1 : t->share + share * seconds;
	if (share > t->peak_share)
		t->peak_share = share;
}

static void
judge_row(struct replay *r, uint32_t span_ms)
{
	for (uint32_t i = 0; i < r->f->n_ports; i++) {
		const struct moore_sample *s = &r->sample[i];
		struct moore_hot_port *p = &r->port[i];

		/* Errors and states are not recorded: every port counts as answering. */
		*p = (struct moore_hot_port){ .answered = true };
		p->traffic.tx = p->traffic.rx = p->traffic.wait = -1;
		if (!s->known)
			continue;
		p->traffic.seconds = span_ms / 1000.0;
		p->traffic.tx = share_of((double)s->tx, &r->line[i]);
		p->traffic.rx = share_of((double)s->rx, &r->line[i]);
		p->traffic.wait = share_of((double)s->wait * MOORE_TICK_BYTES, &r->line[i]);
		if (r->f->port[i].role == MOORE_ROLE_SWITCH)
			count_port(&r->tally[i], s, p->traffic.tx, p->traffic.seconds);
	}
	moore_hot_step(r->hot, r->f, r->port, r->at_ms * 1000, on_alarm, r, NULL);
}

/* The links between switches that sent most: a few, greatest first. */
static json_t *
json_busiest(const struct replay *r)
{
	json_t *list = json_array();
	uint32_t best[BUSIEST];
	size_t n = 0;

	for (uint32_t i = 0; i < r->f->n_ports; i++) {
		size_t at = n;

		if (!r->sample[i].known || r->f->port[i].role != MOORE_ROLE_SWITCH)
			continue;
		for (; at && r->sample[best[at - 1]].tx < r->sample[i].tx; at--)
			if (at < BUSIEST)
				best[at] = best[at - 1];
		if (at < BUSIEST)
			best[at] = i;
		n += n < BUSIEST;
	}
	for (size_t i = 0; i < n; i++) {
		moore_swid s = switch_of(r->f, best[i]);
		moore_portnum p = (moore_portnum)(best[i] - r->f->sw[s].port0);
		double share = r->port[best[i]].traffic.tx;

		json_array_append_new(list, json_pack("{s:o, s:i, s:o, s:I, s:o}", "switch",
			moore_json_name(r->f->sw[s].name), "port", p, "peer",
			moore_json_peer(r->f, s, p), "bytes_per_s",
			(json_int_t)r->sample[best[i]].tx, "share",
			share < 0 ? json_null() : json_real(cli_share(share))));
	}
	return list;
}

static void
put_link(struct moore_buf *b, const json_t *o)
{
	cli_put_place(b, o);
	cli_putf(b, " -> ");
	cli_put_place(b, json_object_get(o, "peer"));
}

static void
put_row(struct moore_buf *b, const json_t *row)
{
	const json_t *o;
	size_t i;

	cli_put_when(b, "%F %T ", cli_int(row, "at_ms"));
	json_array_foreach(json_object_get(row, "busiest"), i, o) {
		cli_putf(b, "%s", i ? ", " : " ");
		put_link(b, o);
		cli_putf(b, " ");
		cli_put_rate(b, cli_num(o, "bytes_per_s"));
		if (json_is_real(json_object_get(o, "share")))
			cli_putf(b, " (%.0f %%)", 100 * cli_num(o, "share"));
	}
	cli_putf(b, "\n");
	json_array_foreach(json_object_get(row, "findings"), i, o) {
		cli_putf(b, "  %s %-8s ", cli_yes(o, "raised") ? CLI_RED "+" CLI_PLAIN :
			 CLI_GREEN "-" CLI_PLAIN, cli_str(o, "finding"));
		put_link(b, o);
		cli_putf(b, "\n");
	}
}

static int
show_row(struct replay *r, uint32_t span_ms)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *row;

	r->findings = json_array();
	judge_row(r, span_ms);
	row = json_pack("{s:I, s:i, s:o, s:o}", "at_ms", (json_int_t)r->at_ms, "span_ms", (int)span_ms,
			"busiest", json_busiest(r), "findings", r->findings);
	cli_replayed_row(&r->sum, (long long)r->at_ms, span_ms);
	if (r->call->json)
		return cli_print_json_line(row);
	put_row(&b, row);
	json_decref(row);
	return cli_print_text(&b);
}

static int
take_rows(struct replay *r, const uint8_t *body, size_t len)
{
	uint64_t at, before;
	uint32_t span_ms;
	int rc = moore_history_read(r->h, body, len, &r->err);

	if (rc < 0 || !r->f)
		return rc;
	while ((at = moore_history_row(r->h, r->f, r->at_ms, r->sample, &span_ms))) {
		before = r->at_ms;
		r->at_ms = at;
		if (r->speed && before) {
			uint64_t ms = (at - before) / r->speed;

			nanosleep(&(struct timespec){ (time_t)(ms / 1000),
				  (long)(ms % 1000) * 1000000 }, NULL);
		}
		if (show_row(r, span_ms) != CLI_OK)
			return -1;
	}
	return 0;
}

static int
replay_all(struct replay *r, const struct moore_buf *file)
{
	const uint8_t *at = (const uint8_t *)file->data, *end = at + file->len, *body;
	char kind[4];
	size_t len;
	int rc;

	while ((rc = moore_frame_next(&at, end, kind, &body, &len, &r->err)) > 0) {
		rc = 0;
		if (!memcmp(kind, MOORE_FRAME_PLAN, 4))
			rc = take_fabric(r, body, len);
		else if (!memcmp(kind, MOORE_FRAME_ROWS, 4))
			rc = take_rows(r, body, len);
		if (rc < 0)
			break;
	}
	return rc;
}

static int
show_sum(struct replay *r)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *o;

	sum_ports(r);
	o = cli_replayed_json(&r->sum);
	if (r->call->json)
		return cli_print_json_line(json_pack("{s:o}", "summary", o));
	cli_put_replayed(&b, o);
	json_decref(o);
	return cli_print_text(&b);
}

int
cmd_replay(const struct cli_call *c)
{
	struct replay r = { .call = c };
	struct moore_buf file;
	bool whole;
	int rc;

	if ((rc = cli_opt_u64(c, "speed", 1, 100000, &r.speed)) != CLI_OK ||
	    (rc = cli_read(c->arg[0], &file)) != CLI_OK)
		return rc;
	whole = moore_history_new(&r.h, ROWS_AT_ONCE, &r.err) == 0 &&
		(!file.len || replay_all(&r, &file) >= 0);
	if (r.sum.rows)		/* a recording that was interrupted has a summary, too */
		rc = show_sum(&r);
	else if (whole)
		rc = cli_error("%s: it holds no rows of rates", cli_file_name(c->arg[0]));
	if (!whole)
		rc = cli_error_at(c->arg[0], &r.err);
	cli_replayed_free(&r.sum);
	replay_free_fabric(&r);
	moore_hot_free(r.hot);
	moore_history_free(r.h);
	moore_buf_free(&file);
	return rc;
}
