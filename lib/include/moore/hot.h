/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/hot.h - findings about links, from poll to poll: overloaded, waited for, faulty,
 * slow, silent.  docs/hotspots.md says when each is raised and cleared. */
#ifndef MOORE_HOT_H
#define MOORE_HOT_H

#include "base.h"
#include "counters.h"
#include "fabric.h"
#include "plan.h"

MOORE_BEGIN

/* For each port of from, the index in to's ports of the port with the same switch GUID and
 * number: *out has from->n_ports elements, MOORE_NONE where to has no such port; the caller
 * frees it with free().  O(ports + switches log switches). */
MOORE_API int moore_port_map(uint32_t **out, const struct moore_fabric *from,
			     const struct moore_fabric *to, struct moore_err *err);

enum moore_finding {
	MOORE_FIND_LOAD,	/* a link between switches carries much more than the others */
	MOORE_FIND_WAIT,	/* packets wait for it much longer than for others of its kind */
	MOORE_FIND_ERRORS,	/* its error counters rise */
	MOORE_FIND_FLAPS,	/* it went down or recovered again and again */
	MOORE_FIND_DISCARDS,	/* packets are discarded before it */
	MOORE_FIND_SLOW,	/* its speed is lower than planned */
	MOORE_FIND_NARROW,	/* it has fewer lanes than planned */
	MOORE_FIND_SILENT,	/* its counters cannot be read */
	MOORE_N_FINDINGS
};
MOORE_API const char *moore_finding_name(enum moore_finding k);	/* "load" */
MOORE_API const char *moore_finding_help(enum moore_finding k);	/* one line */

/* The distribution of a quantity over links, as Jain et al. (SC 2014) report it. */
struct moore_summary {
	uint32_t n;
	double min, q1, median, q3, max, mean;
	double mad;		/* median distance from the median */
};
/* Sorts v.  A quartile between two values is interpolated.  O(n log n). */
MOORE_API void moore_summarize(struct moore_summary *out, double *v, uint32_t n);

/* Between switches, or to an endpoint. */
enum moore_link_kind { MOORE_LINK_FABRIC, MOORE_LINK_EDGE, MOORE_N_LINK_KINDS };

/* What one poll found out about a port. */
struct moore_hot_port {
	struct moore_port_traffic traffic;
	struct moore_rate is, should;	/* measured and planned; 0x: unknown, so never slow
					 * or narrow */
	bool answered;
};

struct moore_alarm {		/* a finding about one port */
	uint32_t port;
	enum moore_finding kind;
	bool raised;		/* in an event: true when raised, false when cleared */
	uint64_t since_us;	/* when its cause began */
	uint64_t at_us;		/* when it was raised or cleared */
	double value, peak;	/* now and greatest: a share, a count or lanes, by kind */
	double score;		/* (value - median) / spread; 0 for kinds without a median */
	uint32_t rank;		/* 1: the greatest of its kind of links; 0: not ranked */
};

typedef void moore_alarm_event(void *arg, const struct moore_alarm *a);

struct moore_hot;		/* what is kept from poll to poll: O(ports) of memory */

MOORE_API int moore_hot_new(struct moore_hot **out, const struct moore_fabric *f,
			    struct moore_err *err);
MOORE_API void moore_hot_free(struct moore_hot *h);
/* The fabric changed from `from` to `to`: what is known of a port moves to the port with
 * the same switch GUID and number.  Each alarm of a port that is gone is cleared by an
 * event() with its index in from.  On failure h stays as it was.
 * O(ports + switches log switches). */
MOORE_API int moore_hot_move(struct moore_hot *h, const struct moore_fabric *from,
			     const struct moore_fabric *to, uint64_t at_us,
			     moore_alarm_event *event, void *arg, struct moore_err *err);
/* Takes one poll, made at at_us, of all ports of f.  Calls event() for each alarm that is
 * raised or cleared, in order of ports.  -MOORE_ENOMEM leaves h as it was.
 * O(ports log ports). */
MOORE_API int moore_hot_step(struct moore_hot *h, const struct moore_fabric *f,
			     const struct moore_hot_port *port, uint64_t at_us,
			     moore_alarm_event *event, void *arg, struct moore_err *err);
/* Writes the first cap raised alarms to out, in order of ports; returns how many are
 * raised. */
MOORE_API uint32_t moore_hot_alarms(const struct moore_hot *h, struct moore_alarm *out,
				    uint32_t cap);
/* In the last step: the load of links between switches, the wait of each kind of link. */
MOORE_API const struct moore_summary *moore_hot_load(const struct moore_hot *h);
MOORE_API const struct moore_summary *moore_hot_wait(const struct moore_hot *h,
						     enum moore_link_kind k);

MOORE_END

#endif
