// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* metrics_planes.c - what each plane has one value of: its scan, its polls, its subnet managers
 * and their tables.  One table row for each metric. */
#include "metrics/metrics_impl.h"

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
	metrics_label(b, "plane", plane);
	moore_buf_fmt(b, ",%s=\"%s\"} %u\n", key, value, n);
}

static void
put_states(const struct metrics *m, struct moore_buf *b)
{
	metrics_head(b, "moore_sm_managers", "gauge", "Subnet managers that were heard, by state; lost are those "
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
	metrics_head(b, "moore_tables_by", "gauge", "1 for who computed the tables that the switches hold, 0 for "
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

		metrics_head(b, x->name, x->type, x->help);
		for (unsigned i = 0; i < m->n_planes; i++) {
			double v = x->value(&m->plane[i]);

			if (v < 0)
				continue;
			moore_buf_fmt(b, "%s{", x->name);
			metrics_label(b, "plane", m->plane[i].name);
			moore_buf_fmt(b, "} ");
			metrics_real(b, v);
		}
	}
	put_states(m, b);
}

/* ---- planes ------------------------------------------------------------------------- */

void
metrics_put_planes(const struct metrics *m, struct moore_buf *b)
{
	metrics_head(b, "moore_plane_up", "gauge", "1 when the port of this plane is active and answers.");
	for (unsigned i = 0; i < m->n_planes; i++) {
		moore_buf_fmt(b, "moore_plane_up{");
		metrics_label(b, "plane", m->plane[i].name);
		moore_buf_fmt(b, "} ");
		metrics_real(b, up(&m->plane[i]));
	}
	put_managers(m, b);
	for (size_t k = 0; k < ARRAY_LEN(of_plane); k++) {
		const struct plane_metric *x = &of_plane[k];

		metrics_head(b, x->name, x->type, x->help);
		for (unsigned i = 0; i < m->n_planes; i++) {
			const struct metrics_plane *p = &m->plane[i];
			char text[40];

			if (x->polled ? !p->snap : !p->view)
				continue;
			moore_buf_fmt(b, "%s{", x->name);
			metrics_label(b, "plane", p->name);
			snprintf(text, sizeof(text), "} %.15g\n", x->value(p));
			moore_buf_fmt(b, "%s", text);
		}
	}
}
