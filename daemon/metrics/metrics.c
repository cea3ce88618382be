// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics.c - Prometheus text, format 0.0.4: one table row for each metric.
 *
 * Names and labels of port counters are those of treydock/infiniband_exporter
 * (infiniband_switch_port_*{guid,port}, joined with infiniband_switch_uplink_info), so
 * that dashboards made for that exporter still work; all other names begin with moore_.
 * A planned link has a series for as long as it is planned: a missing link has the value 0.
 * metrics_ports of moored.conf(5) bounds the series of ports and of states.
 * Counters have the values that the ports reported; nothing resets them. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "metrics/metrics.h"
#include "watch/wiring.h"

/* ---- text -------------------------------------------------------------------------- */

static void
head(struct moore_buf *b, const char *name, const char *type, const char *help)
{
	moore_buf_fmt(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* name="value", escaped; what is no UTF-8 becomes '?'. */
static void
label(struct moore_buf *b, const char *name, const char *value)
{
	json_t *utf8 = moore_json_name(value);	/* jansson knows what is UTF-8 */

	moore_buf_fmt(b, "%s=\"", name);
	for (const char *s = utf8 ? json_string_value(utf8) : ""; *s; s++)
		if (*s == '\\' || *s == '"')
			moore_buf_fmt(b, "\\%c", *s);
		else if (*s == '\n')
			moore_buf_fmt(b, "\\n");
		else
			moore_buf_add(b, s, 1);
	moore_buf_fmt(b, "\"");
	json_decref(utf8);
}

static void
put_real(struct moore_buf *b, double x)
{
	char text[40];

	snprintf(text, sizeof(text), "%.6g", x);
	moore_buf_fmt(b, "%s\n", text);
}

/* ---- one value for each plane ------------------------------------------------------ */

struct plane_metric {
	const char *name, *type, *help;
	bool polled;		/* needs a poll */
	double (*value)(const struct metrics_plane *p);
};

static double up(const struct metrics_plane *p) { return p->state == PLANE_UP; }
static double sweep(const struct metrics_plane *p) { return (double)p->view->snap->scan; }
static double sweep_s(const struct metrics_plane *p) { return p->view->snap->took_ms / 1e3; }
static double sweep_at(const struct metrics_plane *p) { return (double)p->view->snap->at_ms / 1e3; }
static double n_switches(const struct metrics_plane *p) { return p->view->snap->seen->n_switches; }
static double n_endpoints(const struct metrics_plane *p) { return p->view->snap->seen->n_endpoints; }
static double n_links(const struct metrics_plane *p) { return p->view->snap->seen->n_cables; }
static double polls(const struct metrics_plane *p) { return (double)p->polls; }
static double poll_s(const struct metrics_plane *p) { return p->took_us / 1e6; }
static double poll_at(const struct metrics_plane *p) { return (double)p->polled_ms / 1e3; }
static double asked(const struct metrics_plane *p) { return p->n_asked; }
static double failed(const struct metrics_plane *p) { return p->n_failed; }

static const struct plane_metric of_plane[] = {
	{ "moore_sweep_number", "gauge", "Number of the last scan that found a change.", false, sweep },
	{ "moore_sweep_duration_seconds", "gauge", "Time that the last scan took.", false, sweep_s },
	{ "moore_sweep_timestamp_seconds", "gauge", "Time at which the last scan ended.", false,
	  sweep_at },
	{ "moore_switches", "gauge", "Switches found.", false, n_switches },
	{ "moore_endpoints", "gauge", "Endpoints (CA ports) found.", false, n_endpoints },
	{ "moore_links", "gauge", "Links between switches found.", false, n_links },
	{ "moore_polls_total", "counter", "Polls of all counters so far.", true, polls },
	{ "moore_poll_duration_seconds", "gauge", "Time that the last poll of all counters took.", true,
	  poll_s },
	{ "moore_poll_timestamp_seconds", "gauge", "Time of the last poll of all counters.", true,
	  poll_at },
	{ "moore_poll_ports", "gauge", "Ports asked in the last poll.", true, asked },
	{ "moore_poll_failed_ports", "gauge", "Ports that did not answer in the last poll.", true,
	  failed },
};

/* ---- subnet managers and their tables ----------------------------------------------- */

static double
sm_up(const struct metrics_plane *p)
{
	return p->manager == MANAGER_UNKNOWN ? -1 : p->manager == MANAGER_ANSWERS;
}

static double sm_changes(const struct metrics_plane *p) { return (double)p->managers.changes; }
static double
sound(const struct metrics_plane *p)
{
	return p->sound.known ? p->sound.sound : -1;
}
static double last_sweep_ok(const struct metrics_plane *p) { return p->last_sweep_ok; }

/* A negative value is unknown, and has no series. */
static const struct plane_metric of_manager[] = {
	{ "moore_sm_up", "gauge", "1 when the master subnet manager of this plane answers SMInfo.",
	  false, sm_up },
	{ "moore_sm_changes_total", "counter", "How often another subnet manager became master.", false,
	  sm_changes },
	{ "moore_tables_sound", "gauge", "1 when traffic on the tables read back from the switches can "
	  "neither deadlock nor get lost.", false, sound },
	{ "moore_last_sweep_ok", "gauge", "1 when OpenSM's plugin routed its last sweep, 0 when it "
	  "refused.", false, last_sweep_ok },
};

static void
put_state(struct moore_buf *b, const char *name, const char *plane, const char *key,
	  const char *value, unsigned n)
{
	moore_buf_fmt(b, "%s{", name);
	label(b, "plane", plane);
	moore_buf_fmt(b, ",%s=\"%s\"} %u\n", key, value, n);
}

static void
put_states(const struct metrics *m, struct moore_buf *b)
{
	head(b, "moore_sm_managers", "gauge", "Subnet managers that were heard, by state; lost are those "
	     "that answer no more.");
	for (unsigned i = 0; i < m->n_planes; i++) {
		const struct metrics_plane *p = &m->plane[i];

		if (p->manager == MANAGER_UNKNOWN)
			continue;
		put_state(b, "moore_sm_managers", p->name, "state", "lost", managers_lost(&p->managers));
		put_state(b, "moore_sm_managers", p->name, "state", "master",
			  managers_in(&p->managers, SM_MASTER));
		put_state(b, "moore_sm_managers", p->name, "state", "standby",
			  managers_in(&p->managers, SM_STANDBY));
	}
	head(b, "moore_tables_by", "gauge", "1 for who computed the tables that the switches hold, 0 for "
	     "the others.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (enum tables_by k = 0; k < N_TABLES_BY; k++)
			put_state(b, "moore_tables_by", m->plane[i].name, "by", tables_by_name(k),
				  m->plane[i].by == k);
}

static void
put_managers(const struct metrics *m, struct moore_buf *b)
{
	for (size_t k = 0; k < ARRAY_LEN(of_manager); k++) {
		const struct plane_metric *x = &of_manager[k];

		head(b, x->name, x->type, x->help);
		for (unsigned i = 0; i < m->n_planes; i++) {
			double v = x->value(&m->plane[i]);

			if (v < 0)
				continue;
			moore_buf_fmt(b, "%s{", x->name);
			label(b, "plane", m->plane[i].name);
			moore_buf_fmt(b, "} ");
			put_real(b, v);
		}
	}
	put_states(m, b);
}

/* ---- planes ------------------------------------------------------------------------- */

static void
put_planes(const struct metrics *m, struct moore_buf *b)
{
	head(b, "moore_plane_up", "gauge", "1 when the port of this plane is active and answers.");
	for (unsigned i = 0; i < m->n_planes; i++) {
		moore_buf_fmt(b, "moore_plane_up{");
		label(b, "plane", m->plane[i].name);
		moore_buf_fmt(b, "} ");
		put_real(b, up(&m->plane[i]));
	}
	put_managers(m, b);
	for (size_t k = 0; k < ARRAY_LEN(of_plane); k++) {
		const struct plane_metric *x = &of_plane[k];

		head(b, x->name, x->type, x->help);
		for (unsigned i = 0; i < m->n_planes; i++) {
			const struct metrics_plane *p = &m->plane[i];
			char text[40];

			if (x->polled ? !p->snap : !p->view)
				continue;
			moore_buf_fmt(b, "%s{", x->name);
			label(b, "plane", p->name);
			snprintf(text, sizeof(text), "} %.15g\n", x->value(p));
			moore_buf_fmt(b, "%s", text);
		}
	}
}

/* ---- ports ------------------------------------------------------------------------- */

/* What the series are for: enum metrics_ports says which ports have them. */
enum purpose { OF_LOAD, OF_MORE, OF_ERRORS };

static const struct {
	const char *name, *help;
	enum moore_counter counter;
	unsigned times;
	enum purpose of;
} counters[] = {
	{ "transmit_data_bytes", "PortXmitData, in bytes", MOORE_XMIT_DATA, 4, OF_LOAD },
	{ "receive_data_bytes", "PortRcvData, in bytes", MOORE_RCV_DATA, 4, OF_MORE },
	{ "transmit_packets", "PortXmitPkts", MOORE_XMIT_PKTS, 1, OF_MORE },
	{ "receive_packets", "PortRcvPkts", MOORE_RCV_PKTS, 1, OF_MORE },
	{ "transmit_wait", "PortXmitWait, in ticks", MOORE_XMIT_WAIT, 1, OF_LOAD },
	{ "symbol_error", "SymbolErrorCounter", MOORE_SYMBOL_ERROR, 1, OF_ERRORS },
	{ "link_error_recovery", "LinkErrorRecoveryCounter", MOORE_LINK_RECOVERED, 1, OF_ERRORS },
	{ "link_downed", "LinkDownedCounter", MOORE_LINK_DOWNED, 1, OF_ERRORS },
	{ "receive_errors", "PortRcvErrors", MOORE_RCV_ERROR, 1, OF_ERRORS },
	{ "receive_remote_physical_errors", "PortRcvRemotePhysicalErrors", MOORE_RCV_REMOTE_PHYSICAL, 1,
	  OF_ERRORS },
	{ "transmit_discards", "PortXmitDiscards", MOORE_XMIT_DISCARD, 1, OF_ERRORS },
	{ "local_link_integrity_errors", "LocalLinkIntegrityErrors", MOORE_LOCAL_INTEGRITY, 1,
	  OF_ERRORS },
	{ "excessive_buffer_overrun_errors", "ExcessiveBufferOverrunErrors", MOORE_BUFFER_OVERRUN, 1,
	  OF_ERRORS },
	{ "vl15_dropped", "VL15Dropped", MOORE_VL15_DROPPED, 1, OF_ERRORS },
};

static bool
linked(const struct moore_port *p)
{
	return p->role == MOORE_ROLE_SWITCH || p->role == MOORE_ROLE_ENDPOINT;
}

/* Uplinks are those of the last scan, as the verdicts are; counters those of the last poll. */
static const struct moore_fabric *
scanned(const struct metrics_plane *p)
{
	return p->view ? p->view->snap->fabric : NULL;
}

static const struct moore_fabric *
polled(const struct metrics_plane *p)
{
	return p->snap ? p->snap->fabric : NULL;
}

/* Calls fn() for each external port of the fabric that of() names. */
static void
each_port(const struct metrics *m, struct moore_buf *b, unsigned which,
	  const struct moore_fabric *(*of)(const struct metrics_plane *p), void (*fn)(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
		     const struct moore_switch *s, unsigned port))
{
	for (unsigned i = 0; i < m->n_planes; i++) {
		const struct moore_fabric *f = of(&m->plane[i]);

		for (uint32_t s = 0; f && s < f->n_switches; s++)
			for (unsigned n = 1; n <= f->sw[s].n_ports; n++)
				fn(&m->plane[i], b, which, &f->sw[s], n);
	}
}

/* An error counter that is not 0 is served of any port. */
static bool
is_served(enum metrics_ports ports, enum purpose of, bool link, uint64_t value)
{
	return ports == METRICS_ALL || (link && (ports == METRICS_LINKS || of == OF_LOAD)) ||
		(of == OF_ERRORS && value);
}

static uint64_t
errors_of(const struct moore_reading *r)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < ARRAY_LEN(counters); k++)
		if (r->at_us && counters[k].of == OF_ERRORS && r->has >> counters[k].counter & 1)
			n += r->v[counters[k].counter];
	return n;
}

static void
put_counter(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	    const struct moore_switch *s, unsigned port)
{
	const struct moore_reading *r = &p->last[s->port0 + port];
	bool link = p->snap->fabric->port[s->port0 + port].role == MOORE_ROLE_SWITCH;

	if (r->at_us && r->has >> counters[which].counter & 1 &&
	    is_served(p->ports, counters[which].of, link, r->v[counters[which].counter]))
		moore_buf_fmt(b, "infiniband_switch_port_%s_total{guid=\"0x%016llx\",port=\"%u\"} %llu\n",
			      counters[which].name, (unsigned long long)s->guid, port,
			      (unsigned long long)r->v[counters[which].counter] * counters[which].times);
}

static void
put_uplink(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	   const struct moore_switch *s, unsigned port)
{
	const struct moore_fabric *f = p->view->snap->fabric;
	const struct moore_port *q = &f->port[s->port0 + port];
	bool sw = q->role == MOORE_ROLE_SWITCH;
	bool counts = p->snap == p->view->snap && errors_of(&p->last[s->port0 + port]);

	(void)which;
	if (!linked(q) || !is_served(p->ports, OF_ERRORS, sw, sw || counts))
		return;
	moore_buf_fmt(b, "infiniband_switch_uplink_info{guid=\"0x%016llx\",port=\"%u\",",
		      (unsigned long long)s->guid, port);
	label(b, "switch", s->name ? s->name : "");
	moore_buf_fmt(b, ",");
	label(b, "uplink", (sw ? f->sw[q->peer].name : f->ep[q->peer].name) ?: "");
	moore_buf_fmt(b, ",uplink_guid=\"0x%016llx\",uplink_type=\"%s\",uplink_port=\"%u\","
		      "uplink_lid=\"%u\"} 1\n", (unsigned long long)(sw ? f->sw[q->peer].guid :
		      f->ep[q->peer].node_guid), sw ? "SW" : f->ep[q->peer].router ? "RT" : "CA",
		      sw ? q->peer_port : f->ep[q->peer].ca_port,
		      sw ? f->sw[q->peer].lid : f->ep[q->peer].lid);
}

static void
put_share(const struct metrics_plane *p, struct moore_buf *b, unsigned which,
	  const struct moore_switch *s, unsigned port)
{
	float x = (which ? p->wait : p->load)[s->port0 + port];

	const struct moore_port *q = &p->snap->fabric->port[s->port0 + port];

	if (x < 0 || !linked(q) || !is_served(p->ports, OF_MORE, q->role == MOORE_ROLE_SWITCH, 0))
		return;
	moore_buf_fmt(b, "moore_link_%s_ratio{guid=\"0x%016llx\",port=\"%u\"} ", which ? "wait" : "load",
		      (unsigned long long)s->guid, port);
	put_real(b, (double)x);
}

/* Tells of the first errors at a port, which a counter that appears with them does not. */
static void
put_sums(const struct metrics *m, struct moore_buf *b)
{
	head(b, "moore_switch_errors_total", "counter", "Sum of all error counters of the switch's ports.");
	for (unsigned i = 0; i < m->n_planes; i++) {
		const struct metrics_plane *p = &m->plane[i];
		const struct moore_fabric *f = polled(p);

		for (uint32_t s = 0; f && s < f->n_switches; s++) {
			uint64_t n = 0;

			for (unsigned k = 1; k <= f->sw[s].n_ports; k++)
				n += errors_of(&p->last[f->sw[s].port0 + k]);
			moore_buf_fmt(b, "moore_switch_errors_total{guid=\"0x%016llx\"} %llu\n",
				      (unsigned long long)f->sw[s].guid, (unsigned long long)n);
		}
	}
}

static void
put_ports(const struct metrics *m, struct moore_buf *b)
{
	char name[80];

	for (unsigned k = 0; k < ARRAY_LEN(counters); k++) {
		snprintf(name, sizeof(name), "infiniband_switch_port_%s_total", counters[k].name);
		moore_buf_fmt(b, "# HELP %s InfiniBand switch port %s.\n# TYPE %s counter\n", name,
			      counters[k].help, name);
		each_port(m, b, k, polled, put_counter);
	}
	put_sums(m, b);
	head(b, "infiniband_switch_uplink_info", "gauge", "The device at the other end of a switch port.");
	each_port(m, b, 0, scanned, put_uplink);
	head(b, "moore_link_load_ratio", "gauge", "Share of the capacity of the "
	     "port's outgoing link that was in use at the last poll.");
	each_port(m, b, 0, polled, put_share);
	head(b, "moore_link_wait_ratio", "gauge", "Share of time for which packets waited for the port's "
	     "outgoing link.");
	each_port(m, b, 1, polled, put_share);
}

/* ---- ports of endpoints -------------------------------------------------------------- */

static void
put_host(const struct metrics_plane *p, struct moore_buf *b, unsigned which, moore_epid e)
{
	const struct moore_endpoint *x = &p->snap->fabric->ep[e];
	const struct moore_reading *r = &p->host[e];

	if (r->at_us && r->has >> counters[which].counter & 1 &&
	    is_served(p->ports, counters[which].of, false, r->v[counters[which].counter]))
		moore_buf_fmt(b, "infiniband_hca_port_%s_total{guid=\"0x%016llx\",port=\"%u\"} %llu\n",
			      counters[which].name, (unsigned long long)x->node_guid, x->ca_port,
			      (unsigned long long)r->v[counters[which].counter] * counters[which].times);
}

/* Names those whose errors are served, or all; none while the last scan is newer than the poll. */
static void
put_host_uplink(const struct metrics_plane *p, struct moore_buf *b, unsigned which, moore_epid e)
{
	const struct moore_fabric *f = p->snap->fabric;
	const struct moore_endpoint *x = &f->ep[e];

	(void)which;
	if (!p->view || p->view->snap != p->snap || x->sw == MOORE_NONE || !p->host[e].at_us ||
	    !is_served(p->ports, OF_ERRORS, false, errors_of(&p->host[e])))
		return;
	moore_buf_fmt(b, "infiniband_hca_uplink_info{guid=\"0x%016llx\",", (unsigned long long)x->node_guid);
	label(b, "hca", x->name ? x->name : "");
	moore_buf_fmt(b, ",port=\"%u\",", x->ca_port);
	label(b, "uplink", f->sw[x->sw].name ? f->sw[x->sw].name : "");
	moore_buf_fmt(b, ",uplink_guid=\"0x%016llx\",uplink_type=\"SW\",uplink_port=\"%u\","
		      "uplink_lid=\"%u\"} 1\n", (unsigned long long)f->sw[x->sw].guid, x->port,
		      f->sw[x->sw].lid);
}

static void
put_hosts(const struct metrics *m, struct moore_buf *b)
{
	char name[80];

	for (unsigned k = 0; k <= ARRAY_LEN(counters); k++) {
		bool last = k == ARRAY_LEN(counters);

		snprintf(name, sizeof(name), "infiniband_hca_port_%s_total", last ? "" : counters[k].name);
		if (last)
			head(b, "infiniband_hca_uplink_info", "gauge", "The switch port at the other end of "
			     "an HCA port.");
		else
			moore_buf_fmt(b, "# HELP %s InfiniBand HCA port %s.\n# TYPE %s counter\n", name,
				      counters[k].help, name);
		for (unsigned i = 0; i < m->n_planes; i++)
			for (moore_epid e = 0; m->plane[i].snap && e < m->plane[i].snap->fabric->n_endpoints; e++)
				(last ? put_host_uplink : put_host)(&m->plane[i], b, k, e);
	}
}

/* ---- findings ---------------------------------------------------------------------- */

static void
put_findings(const struct metrics *m, struct moore_buf *b)
{
	static const char *const name[] = { "moore_hotspots", "moore_hotspots_raised_total" };

	for (unsigned total = 0; total < 2; total++) {
		head(b, name[total], total ? "counter" : "gauge", total ?
		     "Findings raised since moored started." :
		     "Findings that are raised now.");
		for (unsigned i = 0; i < m->n_planes; i++)
			for (unsigned k = 0; m->plane[i].snap && k < MOORE_N_FINDINGS; k++) {
				moore_buf_fmt(b, "%s{", name[total]);
				label(b, "plane", m->plane[i].name);
				moore_buf_fmt(b, ",finding=\"%s\"} %llu\n", moore_finding_name(k),
					      (unsigned long long)(total ? m->plane[i].raised[k] :
					      m->plane[i].standing[k]));
			}
	}
}

/* ---- the plan, cable by cable ------------------------------------------------------ */

static const char ok[] = "ok";
/* Each planned link is in exactly one of these states; other verdicts are "other". */
static const char *const states[] = { ok, "missing", "wrong-peer", "wrong-port", "slow", "narrow",
				      "other" };

struct verdicts {
	const char **state;	/* of each planned cable */
	uint64_t count[MOORE_WIRE_VERDICTS];
};

static const char *
state_named(const char *name)
{
	for (size_t k = 0; k < ARRAY_LEN(states); k++)
		if (!strcmp(states[k], name))
			return states[k];
	return states[ARRAY_LEN(states) - 1];
}

/* Without a scan all links are missing.  False: out of memory. */
static bool
judge(const struct metrics *m, const struct metrics_plane *p, struct verdicts *v)
{
	const struct moore_plan *plan = m->plan->plan;
	struct wired x;

	v->state = malloc((plan->n_cables + (size_t)1) * sizeof(*v->state));
	if (!v->state)
		return false;
	for (uint32_t i = 0; i < plan->n_cables; i++)
		v->state[i] = p->view ? ok : states[1];
	if (!p->view)
		return true;
	if (wired_check(&x, p->view, m->plan, NULL) < 0)
		return false;
	for (uint32_t i = 0; i < x.w->n_deviations; i++) {
		const struct moore_deviation *d = &x.w->deviation[i];

		v->count[d->verdict]++;
		if (d->cable < plan->n_cables && d->planned[0].slot != MOORE_NONE &&
		    !d->planned[0].endpoint && !d->planned[1].endpoint)
			v->state[d->cable] = state_named(moore_wire_text(d->verdict)->name);
	}
	for (uint32_t i = 0; i < plan->n_cables; i++)
		for (int end = 0; end < 2; end++)
			if (x.w->occupant[plan->cable[i].sw[end]] == MOORE_NONE)
				v->state[i] = states[1];
	wired_free(&x);
	return true;
}

static void
put_cable(const struct metrics *m, const struct metrics_plane *p, struct moore_buf *b,
	  const char *name, uint32_t i, const char *state, bool one)
{
	const struct moore_plan *plan = m->plan->plan;
	const struct moore_plan_cable *c = &plan->cable[i];

	moore_buf_fmt(b, "%s{", name);
	label(b, "plane", p->name);
	moore_buf_fmt(b, ",");
	label(b, "switch", plan->sw[c->sw[0]].name);
	moore_buf_fmt(b, ",port=\"%u\",", c->port[0]);
	label(b, "peer", plan->sw[c->sw[1]].name);
	moore_buf_fmt(b, ",peer_port=\"%u\",", c->port[1]);
	label(b, "cable", c->label ? c->label : "");
	if (state)
		moore_buf_fmt(b, ",state=\"%s\"", state);
	moore_buf_fmt(b, "} %d\n", one);
}

/* A link that is slow or narrow, or in another port of the right switch, is up. */
static bool
is_up(const char *state)
{
	return state != states[1] && state != states[2] && state != states[ARRAY_LEN(states) - 1];
}

static void
put_plan(const struct metrics *m, struct moore_buf *b, const struct verdicts *v)
{
	head(b, "moore_planned_link_up", "gauge", "1 when the planned link joins the switches that it "
	     "should, 0 when it is missing or leads elsewhere.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (uint32_t c = 0; v[i].state && c < m->plan->plan->n_cables; c++)
			put_cable(m, &m->plane[i], b, "moore_planned_link_up", c, NULL,
				  is_up(v[i].state[c]));
	head(b, "moore_planned_link_state", "gauge", "1 for the state that the planned link is in; 0 for "
	     "the others, if these are served.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (uint32_t c = 0; v[i].state && c < m->plan->plan->n_cables; c++)
			for (size_t k = 0; k < ARRAY_LEN(states); k++)
				if (m->plane[i].ports == METRICS_ALL ||
				    (v[i].state[c] == states[k] && states[k] != ok))
					put_cable(m, &m->plane[i], b, "moore_planned_link_state", c,
						  states[k], v[i].state[c] == states[k]);
	head(b, "moore_wiring_deviations", "gauge",
	     "Deviations of the cabling from the plan, by verdict.");
	for (unsigned i = 0; i < m->n_planes; i++)
		for (unsigned k = 0; m->plane[i].view && v[i].state && k < MOORE_WIRE_VERDICTS; k++) {
			moore_buf_fmt(b, "moore_wiring_deviations{");
			label(b, "plane", m->plane[i].name);
			moore_buf_fmt(b, ",verdict=\"%s\"} %llu\n", moore_wire_text(k)->name,
				      (unsigned long long)v[i].count[k]);
		}
}

void
metrics_write(const struct metrics *m, struct moore_buf *b)
{
	struct verdicts v[MOORED_PLANES_MAX] = { { NULL, { 0 } } };

	head(b, "moored_build_info", "gauge", "Version of moored.");
	moore_buf_fmt(b, "moored_build_info{version=\"" MOORE_VERSION "\"} 1\n");
	head(b, "moored_config_good", "gauge", "1 when the last reading of configuration and plan was "
	     "right.");
	moore_buf_fmt(b, "moored_config_good %d\n", m->config_good);
	head(b, "moored_records_good", "gauge", "0 when history or events cannot be written to state_dir.");
	moore_buf_fmt(b, "moored_records_good %d\n", m->records_good);
	head(b, "moored_start_time_seconds", "gauge", "Time at which moored was started.");
	moore_buf_fmt(b, "moored_start_time_seconds %llu\n",
		      (unsigned long long)(m->started_ms / 1000));
	put_planes(m, b);
	put_findings(m, b);
	if (m->plan) {
		for (unsigned i = 0; i < m->n_planes; i++)
			b->oom |= !judge(m, &m->plane[i], &v[i]);
		put_plan(m, b, v);
		for (unsigned i = 0; i < m->n_planes; i++)
			free(v[i].state);
	}
	put_ports(m, b);
	put_hosts(m, b);
}

/* ---- copies ------------------------------------------------------------------------ */

static void
take_managers(struct metrics_plane *m, const struct moored *d, unsigned i)
{
	const struct plane *p = &d->plane[i];
	const struct snapshot *s = p->view ? p->view->snap : NULL;
	uint64_t at_ms;
	const struct moore_notice *n = sweeps_last(d, s, &at_ms);

	m->manager = p->manager.found;
	m->managers = p->managers;
	m->by = sweeps_tables_by(d, s, wall_ms());
	m->sound = *sound_last(d, i);
	m->last_sweep_ok = n ? n->state == MOORE_NOTICE_ROUTED : -1;
}

static bool
take_plane(struct metrics_plane *m, const struct moored *d, unsigned i)
{
	const struct plane *p = &d->plane[i];
	const struct hot_plane *h = hot_plane(d, i);
	uint32_t n = h ? h->snap->fabric->n_ports : 0;

	memcpy(m->name, p->name, sizeof(m->name));
	m->state = p->state;
	m->ports = d->conf.metrics_ports;
	take_managers(m, d, i);
	m->view = view_get(p->view);
	if (!h)
		return true;
	m->snap = snapshot_get(h->snap);
	m->polls = h->number;
	m->polled_ms = h->at_ms;
	m->took_us = h->took_us;
	m->n_asked = h->n_asked;
	m->n_failed = h->n_failed;
	m->last = malloc(n * sizeof(*m->last));
	m->load = malloc(n * sizeof(*m->load));
	m->wait = malloc(n * sizeof(*m->wait));
	m->host = malloc((h->snap->fabric->n_endpoints + (size_t)1) * sizeof(*m->host));
	if (!m->last || !m->host || !m->load || !m->wait)
		return false;
	memcpy(m->last, h->last, n * sizeof(*m->last));
	memcpy(m->host, h->host, h->snap->fabric->n_endpoints * sizeof(*m->host));
	for (uint32_t k = 0; k < n; k++) {
		m->load[k] = (float)h->port[k].traffic.tx;
		m->wait[k] = (float)h->port[k].traffic.wait;
	}
	memcpy(m->standing, h->standing, sizeof(m->standing));
	memcpy(m->raised, h->raised, sizeof(m->raised));
	return true;
}

void
metrics_free(struct metrics *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n_planes; i++) {
		view_put(m->plane[i].view);
		snapshot_put(m->plane[i].snap);
		free(m->plane[i].last);
		free(m->plane[i].host);
		free(m->plane[i].load);
		free(m->plane[i].wait);
	}
	planned_put(m->plan);
	free(m);
}

struct metrics *
metrics_take(struct moored *d)
{
	struct metrics *m = calloc(1, sizeof(*m));
	bool good = m;

	if (!m)
		return NULL;
	m->n_planes = d->n_planes;
	m->plan = planned_get(d->plan);
	m->reloads = d->reloads;
	m->started_ms = d->started_ms;
	m->config_good = !d->conf_error[0] && !d->plan_error[0];
	m->records_good = !records_error(&d->records)[0];
	for (unsigned i = 0; good && i < d->n_planes; i++)
		good = take_plane(&m->plane[i], d, i);
	if (good)
		return m;
	metrics_free(m);
	return NULL;
}
