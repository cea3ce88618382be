// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hot.c - findings from polls: a part.
 *
 * It keeps the last readings of each plane, reports each finding that is raised or cleared to
 * subscribers and to the log, and remembers the last HOT_LOG of them.  The rate that a link
 * should have is the planned one; without a plan it is the best rate of any link of the fabric.
 * Elsewhere: the statistics (lib/load), rates over time (history.c). */
#include <stdlib.h>
#include <string.h>

#include "watch/hot.h"
#include "log.h"
#include "state.h"

/* Rates are means over at least this time.  Some devices, and ibsim's console, update counters
 * less often than they are read; over a shorter time some polls would find no change. */
#define STEP_US 2000000u
#define EARLY_US 100000u	/* a poll may come so much earlier */

struct hot {
	struct hot_plane plane[MOORED_PLANES_MAX];
};

struct hot_plane *
hot_plane(const struct moored *d, unsigned plane)
{
	struct hot_plane *p = d->hot && plane < MOORED_PLANES_MAX ? &d->hot->plane[plane] : NULL;

	return p && p->snap ? p : NULL;
}

void
hot_place_of(const struct snapshot *s, uint32_t port, struct hot_place *out)
{
	const struct moore_fabric *f = s->fabric;
	const struct moore_port *p = &f->port[port];
	uint32_t lo = 0, hi = f->n_switches;

	while (hi - lo > 1) {		/* port0 rises with the switches */
		uint32_t mid = lo + (hi - lo) / 2;

		if (f->sw[mid].port0 <= port)
			lo = mid;
		else
			hi = mid;
	}
	*out = (struct hot_place){ .from = f->sw[lo].name ? f->sw[lo].name : "", .to = "",
				   .guid = f->sw[lo].guid, .sw = lo,
				   .port = (moore_portnum)(port - f->sw[lo].port0) };
	if (p->role == MOORE_ROLE_SWITCH) {
		out->to = f->sw[p->peer].name ? f->sw[p->peer].name : "";
		out->to_port = p->peer_port;
	} else if (p->role == MOORE_ROLE_ENDPOINT) {
		out->to = f->ep[p->peer].name ? f->ep[p->peer].name : "";
		out->to_port = f->ep[p->peer].ca_port;
		out->edge = true;
	}
}

/* ---- what was raised or cleared ---------------------------------------------------- */

struct told {
	struct moored *d;
	struct hot_plane *p;
	const struct snapshot *snap;	/* its ports are those of the alarms */
	unsigned plane;
	uint64_t at_ms;
	struct hot_raised raised;	/* findings whose cause is to be estimated */
};

static void
remember(struct told *t, const struct moore_alarm *a, const struct hot_place *at)
{
	struct hot_entry *e = &t->p->log[t->p->n_logged % HOT_LOG];

	if (a->raised && (a->kind == MOORE_FIND_LOAD || a->kind == MOORE_FIND_WAIT) &&
	    t->raised.n < HOT_WHY) {
		t->raised.port[t->raised.n] = a->port;
		t->raised.entry[t->raised.n++] = t->p->n_logged;
	}
	t->p->n_logged++;
	json_decref(e->why);
	*e = (struct hot_entry){ .at_ms = t->at_ms, .alarm = *a, .port = at->port,
				 .to_port = at->to_port, .guid = at->guid };
	snprintf(e->from, sizeof(e->from), "%s", at->from);
	snprintf(e->to, sizeof(e->to), "%s", at->to);
}

static void
on_alarm(void *arg, const struct moore_alarm *a)
{
	struct told *t = arg;
	struct hot_place at;
	struct log_field field[] = { { "FINDING", moore_finding_name(a->kind) },
				     { "STATE", a->raised ? "raised" : "cleared" }, { NULL, NULL } };

	hot_place_of(t->snap, a->port, &at);
	t->p->raised[a->kind] += a->raised;
	t->p->standing[a->kind] += a->raised ? 1 : UINT32_MAX;
	remember(t, a, &at);
	log_say(a->raised ? LOG_WARNING : LOG_NOTICE, field, "%s:%u to %s:%u: %s: %s", at.from,
		at.port, at.to, at.to_port, a->raised ? moore_finding_help(a->kind) : "is over",
		moore_finding_name(a->kind));
	event_publish(t->d, EVENT_HOTSPOT, json_pack("{s:i, s:I, s:s, s:b, s:s*, s:i, s:s*, s:i, s:f}",
		"plane", (int)t->plane, "at_ms", (json_int_t)t->at_ms, "finding",
		moore_finding_name(a->kind), "raised", (int)a->raised, "switch", at.from, "port",
		at.port, "peer", at.to, "peer_port", at.to_port, "value", a->value));
}

/* ---- the fabric of a plane changed ------------------------------------------------- */

static void
forget(struct hot_plane *p)
{
	snapshot_put(p->snap);
	free(p->last);
	free(p->base);
	free(p->errors);
	free(p->host);
	free(p->host_errors);
	free(p->port);
	free(p->line);
	moore_hot_free(p->hot);
	for (unsigned i = 0; p->log && i < HOT_LOG; i++)
		json_decref(p->log[i].why);
	free(p->log);
	hot_job_free(p->waiting);
	*p = (struct hot_plane){ 0 };
}

/* Copies the readings and the errors of endpoints that both fabrics have; both are in the order of
 * node GUIDs and ports. */
static void
move_hosts(const struct hot_plane *p, const struct moore_fabric *f, struct moore_reading *to,
	   struct moore_port_errors *errors)
{
	const struct moore_fabric *old = p->snap->fabric;

	for (uint32_t i = 0, k = 0; i < f->n_endpoints; i++) {
		const struct moore_endpoint *e = &f->ep[i];

		while (k < old->n_endpoints && (old->ep[k].node_guid < e->node_guid ||
		       (old->ep[k].node_guid == e->node_guid && old->ep[k].ca_port < e->ca_port)))
			k++;
		if (k < old->n_endpoints && old->ep[k].node_guid == e->node_guid &&
		    old->ep[k].ca_port == e->ca_port) {
			to[i] = p->host[k];
			errors[i] = p->host_errors[k];
		}
	}
}

/* Moves readings and findings to the ports of a new snapshot.  False: out of memory, and p is
 * empty. */
static bool
move(struct hot_plane *p, struct snapshot *to, const struct told *t, uint64_t at_us)
{
	struct moore_reading *last = calloc(to->fabric->n_ports, sizeof(*last));
	struct moore_reading *base = calloc(to->fabric->n_ports, sizeof(*base));
	struct moore_reading *host = calloc(to->fabric->n_endpoints + (size_t)1, sizeof(*host));
	struct moore_port_errors *errors = calloc(to->fabric->n_ports, sizeof(*errors));
	struct moore_port_errors *host_errors = calloc(to->fabric->n_endpoints + (size_t)1, sizeof(*host_errors));
	struct moore_hot_port *port = calloc(to->fabric->n_ports, sizeof(*port));
	struct moore_line *line = calloc(to->fabric->n_ports, sizeof(*line));
	uint32_t *map = NULL;
	bool good = last && base && host && errors && host_errors && port && line;

	if (good && !p->hot)
		good = (p->log = calloc(HOT_LOG, sizeof(*p->log))) &&
		       moore_hot_new(&p->hot, to->fabric, NULL) == 0;
	else if (good)
		good = moore_port_map(&map, p->snap->fabric, to->fabric, NULL) == 0 &&
		       moore_hot_move(p->hot, p->snap->fabric, to->fabric, at_us, on_alarm,
				      (void *)t, NULL) == 0;
	for (uint32_t i = 0; good && map && i < p->snap->fabric->n_ports; i++)
		if (map[i] != MOORE_NONE) {
			last[map[i]] = p->last[i];
			base[map[i]] = p->base[i];
			errors[map[i]] = p->errors[i];
			port[map[i]] = p->port[i];
			port[map[i]].is = (struct moore_rate){ 0, 0 };
		}
	if (good && p->snap)
		move_hosts(p, to->fabric, host, host_errors);
	free(map);
	free(p->last);
	free(p->base);
	free(p->host);
	free(p->errors);
	free(p->host_errors);
	free(p->port);
	free(p->line);
	p->last = last;
	p->base = base;
	p->host = host;
	p->errors = errors;
	p->host_errors = host_errors;
	p->port = port;
	p->line = line;
	snapshot_put(p->snap);
	p->snap = snapshot_get(to);
	if (!good)
		forget(p);
	return good;
}

/* ---- what links run at, and should ------------------------------------------------- */

static bool
better(struct moore_rate a, struct moore_rate b)
{
	return moore_rate_bytes(a) > moore_rate_bytes(b);
}

static void
rates_seen(struct hot_plane *p, struct moore_rate best[MOORE_N_LINK_KINDS])
{
	const struct moore_plan *s = p->snap->seen;
	const struct moore_fabric *f = p->snap->fabric;

	for (uint32_t i = 0; i < s->n_cables; i++)
		for (int end = 0; end < 2; end++) {
			const struct moore_plan_cable *c = &s->cable[i];
			struct moore_rate r = moore_plan_rate(s, c->rate);

			p->port[f->sw[c->sw[end]].port0 + c->port[end]].is = r;
			if (better(r, best[MOORE_LINK_FABRIC]))
				best[MOORE_LINK_FABRIC] = r;
		}
	for (uint32_t e = 0; e < s->n_endpoints; e++) {
		const struct moore_plan_endpoint *x = &s->ep[e];
		struct moore_rate r = moore_plan_rate(s, x->rate);

		if (x->sw == MOORE_NONE)
			continue;
		p->port[f->sw[x->sw].port0 + x->port].is = r;
		if (better(r, best[MOORE_LINK_EDGE]))
			best[MOORE_LINK_EDGE] = r;
	}
}

/* The port of a planned switch, found by name; NULL when it is not there. */
static struct moore_hot_port *
planned_port(struct hot_plane *p, const struct view *v, const char *name, moore_portnum port)
{
	moore_swid sw;
	moore_epid ep;

	if (view_find(v, name, &sw, &ep, NULL) < 0 || sw == MOORE_NONE ||
	    port > p->snap->fabric->sw[sw].n_ports)
		return NULL;
	return &p->port[p->snap->fabric->sw[sw].port0 + port];
}

/* Planned rates of cables, and of endpoints whose rate is not known. */
static void
rates_planned(struct hot_plane *p, const struct view *v, const struct moore_plan *plan)
{
	struct moore_hot_port *port;

	for (uint32_t i = 0; i < plan->n_cables; i++)
		for (int end = 0; end < 2; end++) {
			const struct moore_plan_cable *c = &plan->cable[i];
			struct moore_rate r = moore_plan_rate(plan, c->rate);

			if (r.width && (port = planned_port(p, v, plan->sw[c->sw[end]].name, c->port[end])))
				port->should = r;
		}
	for (uint32_t e = 0; e < plan->n_endpoints; e++) {
		const struct moore_plan_endpoint *x = &plan->ep[e];
		struct moore_rate r = moore_plan_rate(plan, x->rate);

		if (r.width && (port = planned_port(p, v, plan->sw[x->sw].name, x->port)) && !port->is.width)
			port->should = r;
	}
}

static void
set_rates(struct moored *d, struct hot_plane *p, unsigned plane)
{
	struct moore_rate best[MOORE_N_LINK_KINDS] = { { 0, 0 }, { 0, 0 } };
	const struct moore_fabric *f = p->snap->fabric;
	const struct view *v = d->plane[plane].view;

	rates_seen(p, best);
	/* Hosts may have ports of different rates, so none is too slow without a plan. */
	for (uint32_t i = 0; i < f->n_ports; i++) {
		p->port[i].should = f->port[i].role == MOORE_ROLE_SWITCH ? best[MOORE_LINK_FABRIC] :
				    p->port[i].is;
	}
	if (d->plan && v && v->snap == p->snap)
		rates_planned(p, v, d->plan->plan);
	/* Ethernet switches do not report rates; their links are taken to run at the planned ones. */
	for (uint32_t i = 0; i < f->n_ports; i++) {
		struct moore_rate r = p->port[i].is.width ? p->port[i].is : p->port[i].should;

		p->line[i] = (struct moore_line){ moore_rate_bytes(r), MOORE_TICK_BYTES };
	}
}

/* ---- a poll ------------------------------------------------------------------------ */

/* Computes rates since the last step.  False: it is too early. */
static bool
step(struct hot_plane *p, const struct poll *poll)
{
	if (p->step_us && p->at_us < p->step_us + STEP_US - EARLY_US)
		return false;
	for (uint32_t i = 0; i < p->snap->fabric->n_ports; i++) {
		struct moore_reading now = p->last[i];

		p->port[i].answered = poll->port[i].at_us != 0;
		if (!p->port[i].answered)
			now.at_us = 0;
		moore_traffic_between(&p->port[i].traffic, &p->base[i], &now, &p->line[i]);
		moore_errors_add(&p->errors[i], &p->port[i].traffic, p->at_us);
		if (now.at_us)
			p->base[i] = now;
	}
	p->step_us = p->at_us;
	return true;
}

/* Takes the readings of the endpoints that had their turn. */
static void
take_hosts(struct hot_plane *p, const struct poll *poll)
{
	static const struct moore_line unknown = { 0, MOORE_TICK_BYTES };
	struct moore_port_traffic t;

	for (uint32_t i = 0, e = poll->host_first; i < poll->n_hosts && e < p->snap->fabric->n_endpoints; i++, e++) {
		if (!poll->host[i].at_us)
			continue;
		moore_traffic_between(&t, &p->host[e], &poll->host[i], &unknown);
		moore_errors_add(&p->host_errors[e], &t, p->at_us);
		p->host[e] = poll->host[i];
	}
}

static void
take(struct hot_plane *p, const struct poll *poll)
{
	uint64_t before_us = p->at_us;

	for (uint32_t i = 0; i < p->snap->fabric->n_ports; i++) {
		const struct moore_reading *now = &poll->port[i];

		if (now->at_us)
			p->last[i] = *now;
		if (now->at_us > p->at_us)
			p->at_us = now->at_us;
	}
	/* No port answered: the poll's own clock counts. */
	if (p->at_us == before_us && poll->at_ms > p->at_ms)
		p->at_us += (p->at_ms ? poll->at_ms - p->at_ms : 0) * 1000 + 1;
	take_hosts(p, poll);
	p->number = poll->number;
	p->at_ms = poll->at_ms;
	p->took_us = poll->took_us;
	p->n_asked = poll->n_asked;
	p->n_failed = poll->n_failed;
}

static void
hot_polled(struct moored *d, const struct poll *poll)
{
	unsigned plane = poll->snap->plane;
	struct hot_plane *p = &d->hot->plane[plane];
	struct told t = { .d = d, .p = p, .snap = p->snap, .plane = plane, .at_ms = poll->at_ms };

	if (!poll->snap->fabric)
		return;
	if (p->snap != poll->snap) {
		if (!move(p, poll->snap, &t, p->at_us)) {
			log_say(LOG_ERR, NULL, "plane %u: all findings are forgotten: out of memory", plane);
			return;
		}
		t.snap = p->snap;
		set_rates(d, p, plane);
	}
	take(p, poll);
	if (step(p, poll))
		moore_hot_step(p->hot, p->snap->fabric, p->port, p->at_us, on_alarm, &t, NULL);
	hot_explain(d, plane, &t.raised);
}

static void
hot_plan(struct moored *d)
{
	for (unsigned i = 0; i < MOORED_PLANES_MAX; i++)
		if (hot_plane(d, i))
			set_rates(d, hot_plane(d, i), i);
}

static int
hot_start(struct moored *d)
{
	d->hot = calloc(1, sizeof(*d->hot));
	return d->hot ? 0 : -1;
}

static void
hot_stop(struct moored *d)
{
	for (unsigned i = 0; d->hot && i < MOORED_PLANES_MAX; i++)
		forget(&d->hot->plane[i]);
	free(d->hot);
	d->hot = NULL;
}

const struct part part_hot = { .name = "hot", .start = hot_start, .polled = hot_polled,
			       .plan = hot_plan, .stop = hot_stop };

/* ---- for other threads ------------------------------------------------------------- */

void
hot_copy_free(struct hot_copy *c)
{
	if (!c)
		return;
	snapshot_put(c->snap);
	free(c->line);
	free(c->use);
	free(c->tx);
	free(c->rx);
	free(c);
}

static double
per_second(const struct moore_port_traffic *r, enum moore_counter k)
{
	return r->has >> k & 1 ? 4.0 * (double)r->delta[k] / r->seconds : -1;
}

struct hot_copy *
hot_copy(const struct moored *d, unsigned plane)
{
	const struct hot_plane *p = hot_plane(d, plane);
	struct hot_copy *c = p ? calloc(1, sizeof(*c)) : NULL;
	uint32_t n = p ? p->snap->fabric->n_ports : 0;

	if (!c)
		return NULL;
	c->snap = snapshot_get(p->snap);
	c->number = p->number;
	c->at_ms = p->at_ms;
	c->line = malloc(n * sizeof(*c->line));
	c->use = malloc(n * sizeof(*c->use));
	c->tx = malloc(n * sizeof(*c->tx));
	c->rx = malloc(n * sizeof(*c->rx));
	if (!c->line || !c->use || !c->tx || !c->rx) {
		hot_copy_free(c);
		return NULL;
	}
	memcpy(c->line, p->line, n * sizeof(*c->line));
	for (uint32_t i = 0; i < n; i++) {
		const struct moore_port_traffic *r = &p->port[i].traffic;

		c->use[i] = (struct moore_use){ r->tx, r->wait };
		c->tx[i] = per_second(r, MOORE_XMIT_DATA);
		c->rx[i] = per_second(r, MOORE_RCV_DATA);
	}
	return c;
}
