// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* drains.c - judges drains on the fabric as it is, and computes what they cost.
 *
 * The cost is the greatest load of a link in the tables that the engine computes with the links
 * file as it is, and in those with the lines added: each switch with endpoints sends one unit to
 * each endpoint LID (moore/check.h).  Elsewhere: the rule (moore/drain.h), the file
 * (threads/links_file.c), draining without being asked (drainer.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "moore/engine.h"
#include "watch/drains.h"
#include "watch/expected.h"
#include "watch/hot.h"

size_t
drains_wanted(const struct moored *d, unsigned plane, struct drain_want *out)
{
	const struct hot_plane *p = hot_plane(d, plane);
	const uint32_t most = p ? moore_hot_alarms(p->hot, NULL, 0) : 0;
	struct moore_alarm *a = calloc((size_t)most + 1, sizeof(*a));
	struct hot_place at;
	size_t n = 0;

	if (most && a)
		moore_hot_alarms(p->hot, a, most);
	for (uint32_t i = 0; a && i < most && n < DRAINS_MAX; i++) {
		if (a[i].kind != MOORE_FIND_ERRORS && a[i].kind != MOORE_FIND_FLAPS)
			continue;
		hot_place_of(p->snap, a[i].port, &at);
		if (!at.edge && *at.to)
			out[n++] = (struct drain_want){ at.guid, at.port, moore_finding_name(a[i].kind) };
	}
	free(a);
	return n;
}

/* ---- the files ------------------------------------------------------------------------- */

/* Puts the file before the line, since several files are read. */
static int
name_file(int rc, const struct drains *x, const char *moore_conf, struct moore_err *err)
{
	const struct moore_err was = *err;

	return rc == 0 || !was.line ? rc :
	       moore_fail(err, was.code, was.line, "%.200s:%u: %s",
			  *x->conf.links ? x->conf.links : moore_conf, was.line, was.text);
}

int
drains_read(struct drains *x, const struct moore_fabric *f, const char *moore_conf,
	    struct moore_err *err)
{
	int rc;

	*x = (struct drains){ .links = NULL };
	err->line = 0;
	if ((rc = conf_for_routes(moore_conf, &x->conf, &x->links, err)) < 0)
		return name_file(rc, x, moore_conf, err);
	if (!*x->conf.links)
		return moore_fail(err, MOORE_EINVAL, 0, "%.200s names no file of links: write a line "
				  "`links PATH` into it, and let moore_conf of moored.conf name it",
				  *moore_conf ? moore_conf : "moore.conf");
	x->drained = calloc((size_t)f->n_ports + 1, 1);
	if (!x->drained)
		return moore_fail_nomem(err);
	if ((rc = file_read(x->conf.links, (size_t)1 << 20, &x->text, err)) < 0)
		return rc;
	rc = moore_drain_read(&x->line, &x->n_lines, x->text.data, x->text.len, err);
	if (rc < 0)
		return name_file(rc, x, moore_conf, err);
	moore_drain_mark(f, x->links, x->drained);
	return 0;
}

void
drains_free(struct drains *x)
{
	moore_links_free(x->links);
	moore_buf_free(&x->text);
	free(x->line);
	free(x->drained);
}

/* ---- the verdict ------------------------------------------------------------------------ */

/* Fills in the link that a GUID and a port name, from the end with the lesser GUID.  Returns that
 * switch and *port, or MOORE_NONE. */
static moore_swid
place(const struct moore_fabric *f, const struct drain_want *want, struct moore_drain_link *out,
      moore_portnum *port)
{
	const struct moore_port *q;
	moore_swid s = 0;

	*out = (struct moore_drain_link){ .guid = want->guid, .finding = want->finding,
		.verdict = MOORE_DRAIN_NO_LINK, .at = { .from = "", .to = "", .port = want->port } };
	while (s < f->n_switches && f->sw[s].guid != want->guid)
		s++;
	if (s == f->n_switches || want->port > f->sw[s].n_ports)
		return MOORE_NONE;
	out->at.from = f->sw[s].name ? f->sw[s].name : "";
	q = moore_fabric_port(f, s, want->port);
	*port = want->port;
	if (q->role != MOORE_ROLE_SWITCH)
		return MOORE_NONE;
	if (f->sw[q->peer].guid < want->guid) {
		*port = q->peer_port;
		s = q->peer;
		q = moore_fabric_port(f, s, *port);
	}
	out->guid = f->sw[s].guid;
	out->peer_guid = f->sw[q->peer].guid;
	out->at = (struct moore_link_name){ f->sw[s].name ? f->sw[s].name : "",
		f->sw[q->peer].name ? f->sw[q->peer].name : "", *port, q->peer_port };
	return s;
}

static void
mark(const struct moore_fabric *f, moore_swid s, moore_portnum port, uint8_t *drained)
{
	const struct moore_port *q = moore_fabric_port(f, s, port);

	drained[f->sw[s].port0 + port] = 1;
	drained[f->sw[q->peer].port0 + q->peer_port] = 1;
}

int
drains_judge(struct drains *x, const struct moore_fabric *f, const struct drain_want *want,
	     size_t n, uint32_t most, struct moore_drain_link *out, struct moore_err *err)
{
	moore_portnum port;
	int rc;

	for (size_t i = 0; i < n; i++) {
		moore_swid s = place(f, &want[i], &out[i], &port);

		if (s == MOORE_NONE)
			continue;
		if ((rc = moore_drain_judge(&out[i].verdict, f, x->drained, s, port, most, err)) < 0)
			return rc;
		if (out[i].verdict == MOORE_DRAIN_FINE)
			mark(f, s, port, x->drained);
	}
	return 0;
}

struct moore_drain_line
drains_line(const struct moore_drain_link *l, const char *by, uint64_t at_s)
{
	struct moore_drain_line line = { .guid = l->guid, .port = l->at.port, .at_s = at_s };

	snprintf(line.by, sizeof(line.by), "%s", by);
	snprintf(line.why, sizeof(line.why), "%s %.60s[%u] -> %.60s[%u]",
		 l->finding ? l->finding : "asked", l->at.from, l->at.port, l->at.to, l->at.to_port);
	return line;
}

/* ---- the cost ---------------------------------------------------------------------------- */

static int
load_with(double *load, const struct drains *x, const struct moore_fabric *f,
	  const struct moore_plan *plan, const struct moore_links *links, struct moore_err *err)
{
	struct moore_engine_result *r = NULL;
	struct moore_conf conf = x->conf;
	int rc;

	conf.link_rules = links;
	if ((rc = run_engine(&r, f, plan, &conf, err)) == 0)
		*load = r->verdict->max_load;
	moore_engine_result_free(r);
	return rc;
}

int
drains_cost(struct moore_drain_cost *cost, const struct drains *x, const struct moore_fabric *f,
	    const struct moore_plan *plan, const struct moore_drain_link *link, size_t n,
	    struct moore_err *err)
{
	struct moore_drain_line *add = calloc(n + 1, sizeof(*add));
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_links *links = NULL;
	size_t n_add = 0;
	int rc;

	for (size_t i = 0; add && i < n; i++)
		if (link[i].verdict == MOORE_DRAIN_FINE)
			add[n_add++] = drains_line(&link[i], "moored", 0);
	if (!add)
		rc = moore_fail_nomem(err);
	else if ((rc = load_with(&cost->before, x, f, plan, x->links, err)) == 0 &&
		 (rc = moore_drain_edit(&text, x->text.data, x->text.len, NULL, 0, add, n_add, err)) == 0 &&
		 (rc = moore_links_parse(&links, text.data ? text.data : "", text.len, err)) == 0)
		rc = load_with(&cost->after, x, f, plan, links, err);
	moore_links_free(links);
	moore_buf_free(&text);
	free(add);
	return rc;
}
