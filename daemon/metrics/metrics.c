// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics.c - Prometheus text, format 0.0.4, and what it is made of.
 *
 * Names and labels of port counters are those of treydock/infiniband_exporter
 * (infiniband_switch_port_*{guid,port}, joined with infiniband_switch_uplink_info), so
 * that dashboards made for that exporter still work; all other names begin with moore_.
 * A planned link has a series for as long as it is planned: a missing link has the value 0.
 * metrics_ports of moored.conf(5) bounds the series of ports and of states.
 * Counters have the values that the ports reported; nothing resets them.
 *
 * Elsewhere: values of planes and managers (metrics_planes.c), of ports (metrics_ports.c), of
 * planned cables (metrics_plan.c). */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "json.h"
#include "metrics/metrics_impl.h"

/* ---- text -------------------------------------------------------------------------- */

void
metrics_head(struct moore_buf *b, const char *name, const char *type, const char *help)
{
	moore_buf_fmt(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* name="value", escaped; what is no UTF-8 becomes '?'. */
void
metrics_label(struct moore_buf *b, const char *name, const char *value)
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

void
metrics_real(struct moore_buf *b, double x)
{
	char text[40];

	snprintf(text, sizeof(text), "%.6g", x);
	moore_buf_fmt(b, "%s\n", text);
}

/* ---- findings ---------------------------------------------------------------------- */

static void
put_findings(const struct metrics *m, struct moore_buf *b)
{
	static const char *const name[] = { "moore_hotspots", "moore_hotspots_raised_total" };

	for (unsigned total = 0; total < 2; total++) {
		metrics_head(b, name[total], total ? "counter" : "gauge", total ?
			     "Findings raised since moored started." :
			     "Findings that are raised now.");
		for (unsigned i = 0; i < m->n_planes; i++)
			for (unsigned k = 0; m->plane[i].snap && k < MOORE_N_FINDINGS; k++) {
				moore_buf_fmt(b, "%s{", name[total]);
				metrics_label(b, "plane", m->plane[i].name);
				moore_buf_fmt(b, ",finding=\"%s\"} %llu\n", moore_finding_name(k),
					      (unsigned long long)(total ? m->plane[i].raised[k] :
					      m->plane[i].standing[k]));
			}
	}
}

/* ---- all of it ---------------------------------------------------------------------- */

void
metrics_write(const struct metrics *m, struct moore_buf *b)
{
	metrics_head(b, "moored_build_info", "gauge", "Version of moored.");
	moore_buf_fmt(b, "moored_build_info{version=\"" MOORE_VERSION "\"} 1\n");
	metrics_head(b, "moored_config_good", "gauge", "1 when the last reading of configuration and plan was "
		     "right.");
	moore_buf_fmt(b, "moored_config_good %d\n", m->config_good);
	metrics_head(b, "moored_records_good", "gauge", "0 when history or events cannot be written to state_dir.");
	moore_buf_fmt(b, "moored_records_good %d\n", m->records_good);
	metrics_head(b, "moored_start_time_seconds", "gauge", "Time at which moored was started.");
	moore_buf_fmt(b, "moored_start_time_seconds %llu\n",
		      (unsigned long long)(m->started_ms / 1000));
	metrics_put_planes(m, b);
	put_findings(m, b);
	if (m->plan)
		metrics_put_plan(m, b);
	metrics_put_ports(m, b);
	metrics_put_hosts(m, b);
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
