/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/load.h - what counters say: rates, hot links, who causes them, which offset
 * to take instead.
 *
 * Everything that is of a port is an array over fabric.port[]: index sw.port0 + n
 * is port n of a switch, and the link that *leaves* by it.  Time is an argument,
 * monotonic, in microseconds; nothing here reads a clock.  All is pure; fabrics and
 * tables are borrowed for the call unless a function says otherwise. */
#ifndef MOORE_LOAD_H
#define MOORE_LOAD_H

#include "base.h"
#include "fabric.h"
#include "plan.h"
#include "tables.h"

MOORE_BEGIN

/* The index in to's ports of each of from's, by the GUID of the switch and the number of
 * the port: an array of from->n_ports, MOORE_NONE where to has none, to be freed with
 * free().  O(ports + switches log switches). */
MOORE_API int moore_port_map(uint32_t **out, const struct moore_fabric *from,
			     const struct moore_fabric *to, struct moore_err *err);

/* ---- counters (counters.c) -------------------------------------------------------- */

enum moore_counter {
	MOORE_XMIT_DATA,	/* words of 4 bytes */
	MOORE_RCV_DATA,
	MOORE_XMIT_PKTS,
	MOORE_RCV_PKTS,
	MOORE_XMIT_WAIT,	/* ticks */
	MOORE_SYMBOL_ERROR, MOORE_LINK_RECOVERED, MOORE_LINK_DOWNED, MOORE_RCV_ERROR,
	MOORE_RCV_REMOTE_PHYSICAL, MOORE_XMIT_DISCARD, MOORE_LOCAL_INTEGRITY,
	MOORE_BUFFER_OVERRUN, MOORE_VL15_DROPPED,
	MOORE_N_COUNTERS
};

struct moore_reading {
	uint64_t at_us;		/* 0: the port did not answer */
	uint32_t has;		/* bit of each counter that it has */
	uint64_t v[MOORE_N_COUNTERS];
};

/* A link that counts.  A tick of XmitWait is the time that so many bytes take on
 * the port (PortSamplesControl.Tick: 8 on Quantum, 32 for each lane on Switch-IB). */
struct moore_line {
	double bytes_per_s;	/* what the link carries; 0: unknown, and so are shares */
	double tick_bytes;
};
/* Taken for all: no attribute but PortSamplesControl, which is optional, tells it. */
#define MOORE_TICK_BYTES 8.0

struct moore_port_traffic {
	uint32_t has;		/* bit of each delta that is known */
	bool restarted;		/* some counter began again: its delta counts from there */
	double seconds;		/* between the readings; 0: nothing is known */
	uint64_t delta[MOORE_N_COUNTERS];
	double tx, rx, wait;	/* of the link, of the link towards us, of time: 0..1;
				 * negative when unknown */
};

/* Two readings of one port in order.  A counter that fell has wrapped when it was in
 * the last quarter of its range and is in the first, else it was set back and counts
 * since.  Counters that stop at their top (all but data and packets: IBTA 16.1.3.5)
 * and stand there say nothing.  Readings out of order say nothing at all.  O(1). */
MOORE_API void moore_traffic_between(struct moore_port_traffic *out, const struct moore_reading *before,
			     const struct moore_reading *now, const struct moore_line *line);
/* Data rate of a link in bytes per second (IBTA 14.2.5.6: after line coding); 0 when
 * width or speed is unknown. */
MOORE_API double moore_rate_bytes(struct moore_rate r);

/* ---- hot links (hot.c) --------------------------------------------------------------- */

enum moore_finding {
	MOORE_FIND_LOAD,	/* a link between switches carries much more than the others */
	MOORE_FIND_WAIT,	/* packets wait for it much longer than for others of its kind */
	MOORE_FIND_ERRORS,	/* it errs */
	MOORE_FIND_FLAPS,	/* it went down, or recovered, again and again */
	MOORE_FIND_DISCARDS,	/* packets are thrown away before it */
	MOORE_FIND_SLOW,	/* a lower speed than it should have */
	MOORE_FIND_NARROW,	/* fewer lanes than it should have */
	MOORE_FIND_SILENT,	/* its counters cannot be read */
	MOORE_N_FINDINGS
};
MOORE_API const char *moore_finding_name(enum moore_finding k);	/* "load" */
MOORE_API const char *moore_finding_help(enum moore_finding k);	/* one line */

/* Over the links of one kind that are known: Jain et al. (SC 2014) report these. */
struct moore_summary {
	uint32_t n;
	double min, q1, median, q3, max, mean;
	double mad;		/* median distance from the median */
};
/* Sorts v.  A quartile between two values is interpolated.  O(n log n). */
MOORE_API void moore_summarize(struct moore_summary *out, double *v, uint32_t n);

enum moore_link_kind { MOORE_LINK_FABRIC, MOORE_LINK_EDGE, MOORE_N_LINK_KINDS };

/* What is known of a port at one poll. */
struct moore_hot_port {
	struct moore_port_traffic traffic;
	struct moore_rate is, should;	/* 0x: unknown, and then neither slow nor narrow */
	bool answered;
};

struct moore_alarm {		/* a finding that was raised, or was and is cleared */
	uint32_t port;
	enum moore_finding kind;
	bool raised;		/* as of an event: else it was cleared */
	uint64_t since_us;	/* when what raised it began */
	uint64_t at_us;		/* when it was raised, or cleared */
	double value, peak;	/* the share, the count, lanes: what `unit` of its kind says */
	double score;		/* how far out: (value - median) / spread; 0 where there is none */
	uint32_t rank;		/* 1: the greatest of its kind of links; 0 where there is none */
};

typedef void moore_alarm_event(void *arg, const struct moore_alarm *a);

struct moore_hot;		/* what persists from poll to poll: O(ports) of memory */

MOORE_API int moore_hot_new(struct moore_hot **out, const struct moore_fabric *f,
			    struct moore_err *err);
MOORE_API void moore_hot_free(struct moore_hot *h);
/* The fabric changed: what is known goes over to the ports of the new one, by the GUID
 * of the switch and the port's number.  event() is told of each alarm of a port that is
 * gone, with its index in from.  h stays as it was on failure.  O(ports + switches log
 * switches). */
MOORE_API int moore_hot_move(struct moore_hot *h, const struct moore_fabric *from,
			     const struct moore_fabric *to, uint64_t at_us,
			     moore_alarm_event *event, void *arg, struct moore_err *err);
/* One poll at at_us of the ports of f.  event() is told of each alarm that is raised
 * or cleared, in order of ports.  -MOORE_ENOMEM leaves h as it was.  O(ports log ports). */
MOORE_API int moore_hot_step(struct moore_hot *h, const struct moore_fabric *f,
			     const struct moore_hot_port *port, uint64_t at_us,
			     moore_alarm_event *event, void *arg, struct moore_err *err);
/* Those that stand now, in order of ports: how many; the first cap of them in out. */
MOORE_API uint32_t moore_hot_alarms(const struct moore_hot *h, struct moore_alarm *out,
				    uint32_t cap);
/* Of the last step: load of links between switches, wait of each kind. */
MOORE_API const struct moore_summary *moore_hot_load(const struct moore_hot *h);
MOORE_API const struct moore_summary *moore_hot_wait(const struct moore_hot *h,
							 enum moore_link_kind k);

/* ---- who sends to whom (demand.c) ---------------------------------------------------- */

/* Bytes per second by port; negative where it is not known. */
struct moore_loads {
	const double *tx;	/* out of the port */
	const double *rx;	/* into it */
};

/* An estimate of the bytes per second from each switch to each endpoint LID, such
 * that routed by the tables they give the loads: tomogravity (Zhang, Roughan, Duffield,
 * Greenberg, SIGMETRICS 2003): first what a gravity model says (a source sends to each
 * destination in proportion to what that receives), then brought into agreement with
 * the links by multiplicative steps that lessen the Kullback-Leibler divergence. */
struct moore_demand;

/* Borrows f and lft until it is freed.  *misfit (may be NULL) is the part of all measured
 * load that it leaves unexplained, 0..1.  -MOORE_EINVAL when the tables do not fit.
 * O(rounds * switches * LIDs * hops); memory: 4 bytes for each (sending switch, LID of a
 * receiving endpoint). */
MOORE_API int moore_demand_estimate(struct moore_demand **out, const struct moore_fabric *f,
				    const struct moore_lft *lft, const struct moore_loads *loads,
				    double *misfit, struct moore_err *err);
MOORE_API void moore_demand_free(struct moore_demand *d);

/* ---- why a link is hot (cause.c) -------------------------------------------------------- */

#define MOORE_CAUSE_FLOWS 10
#define MOORE_CAUSE_OFFSETS 128
#define MOORE_CAUSE_MAIN 0.25	/* of the link's load: then one pair is worth moving */

/* What goes over the link from one switch to another. */
struct moore_suspect {
	moore_swid from, to;
	moore_epid source;	/* sends most of all at from; MOORE_NONE when not known */
	moore_epid dest;	/* of those at to, the one most of this is for */
	uint16_t offset;	/* of that endpoint's LIDs, the one most of this is for */
	double bytes;		/* a second, over this link */
	double share;		/* of the link's load */
	double most;		/* what the counters along the routes leave room for */
	/* bytes / most: 1 when these counters cannot be explained otherwise, near 0 when
	 * many others could be it as well. */
	double certainty;
	double idle;		/* share that is free on the best other offset's fullest link */
	uint16_t other;		/* that offset; MOORE_CAUSE_OFFSETS when there is none */
};

enum moore_remedy {
	MOORE_TRY_NOTHING,	/* nothing is known to carry traffic here */
	MOORE_TRY_OFFSET,	/* send the first suspect's traffic on its other offset */
	MOORE_TRY_SPLIT,	/* the same, but half of it: all of it would fill that way too */
	MOORE_TRY_WEIGHT,	/* many small flows, or one with no better way: give the link a
				 * weight, so that others leave it, and route again */
	MOORE_TRY_LAYERS,	/* one pair, which has no other offset: a greater LMC */
	MOORE_TRY_SPREAD,	/* one receiver, several senders: no route helps; place them apart */
	MOORE_N_REMEDIES
};
MOORE_API const char *moore_remedy_name(enum moore_remedy r);

struct moore_cause {
	uint32_t port;
	double load;		/* bytes per second; negative when it was not measured */
	double explained;	/* of these, what the estimate puts on the link */
	uint32_t n_offsets;
	uint64_t routes[MOORE_CAUSE_OFFSETS];	/* (switch with endpoints, endpoint) over it */
	uint32_t n_suspects;	/* greatest first */
	struct moore_suspect suspect[MOORE_CAUSE_FLOWS];
	enum moore_remedy remedy;
};

/* line[] (of each port) turns bytes into shares.  O(switches * LIDs * hops). */
MOORE_API int moore_cause_of(struct moore_cause *out, const struct moore_demand *d, uint32_t port,
			     const struct moore_line *line, struct moore_err *err);

/* ---- which offset to take (select.c) ----------------------------------------------------- */

/* The comparison of UGAL-L: the route of least length stands unless another is
 * cheaper by this: it is taken when
 *	queue(minimal) > weight * queue(other) * (by_hops ? hops(other)/hops(minimal) : 1)
 *			 + threshold.
 * queue() stands for the occupancy of an output: the mean number in an M/M/1 queue,
 * b / (1 - b), that is busy for the share b of the time: sending, or waiting to. */
struct moore_ugal {
	const char *name, *source;
	double weight, threshold;
	bool by_hops;
	bool local;		/* only the first link counts (UGAL-L); else the worst */
};
MOORE_API const struct moore_ugal *moore_ugal_at(size_t i);	/* NULL past the end */

struct moore_use {		/* of a port */
	double load, wait;	/* shares; negative (unknown) counts as nothing */
};

struct moore_choice {
	moore_swid from;	/* set by the caller, as are ep and bytes */
	moore_epid ep;
	double bytes;		/* a second that it will send; 0: only asks */
	uint16_t offset;	/* chosen */
	bool minimal;		/* it is the shortest, or as short */
	uint16_t n_offsets;
	uint16_t hops[MOORE_CAUSE_OFFSETS];	/* between switches; UINT16_MAX: no route */
	double queue[MOORE_CAUSE_OFFSETS];
	uint32_t worst[MOORE_CAUSE_OFFSETS];	/* port of the fullest link; MOORE_NONE */
};

/* Choose for each in turn; what a choice will send counts for those after it: use[] is
 * changed by that.  A pair without any route has offset MOORE_CAUSE_OFFSETS.
 * -MOORE_EINVAL for a switch or endpoint that is none.  O(n * offsets * hops). */
MOORE_API int moore_path_select(const struct moore_fabric *f, const struct moore_lft *lft,
				const struct moore_line *line, struct moore_use *use,
				const struct moore_ugal *form, struct moore_choice *c, size_t n,
				struct moore_err *err);

MOORE_END

#endif
