/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/counters.h - the performance counters of ports, and what a port carried
 * between two readings of them.
 *
 * In this header and in hot.h, demand.h and select.h, what belongs to a port is an
 * element of an array over fabric.port[]: index sw.port0 + n stands for port n of the
 * switch and for the link that leaves by it.  Time is an argument: monotonic, in
 * microseconds.  The functions are pure, and they borrow fabrics and tables for the call
 * unless a comment says otherwise. */
#ifndef MOORE_COUNTERS_H
#define MOORE_COUNTERS_H

#include "base.h"
#include "plan.h"

MOORE_BEGIN

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
	uint32_t has;		/* bit c: counter c was read */
	uint64_t v[MOORE_N_COUNTERS];
};

/* The link that leaves by a port.  A tick of XmitWait is the time in which the port sends
 * tick_bytes (PortSamplesControl.Tick: 8 on Quantum, 32 for each lane on Switch-IB). */
struct moore_line {
	double bytes_per_s;	/* data rate; 0: unknown, and then no share is computed */
	double tick_bytes;
};
/* Assumed for every port: only PortSamplesControl reports the tick, and it is optional. */
#define MOORE_TICK_BYTES 8.0

struct moore_port_traffic {
	uint32_t has;		/* bit c: delta[c] is known */
	bool restarted;		/* some counter was reset; its delta counts from the reset */
	double seconds;		/* between the readings; 0: nothing is known */
	uint64_t delta[MOORE_N_COUNTERS];
	/* Shares from 0 to 1, negative when unknown: of the data rate sent and received, and
	 * of the time that packets waited. */
	double tx, rx, wait;
};

/* What a port carried between two readings, the older one first.  A counter that fell
 * wrapped if it was in the last quarter of its range and is in the first; otherwise it was
 * reset and counts from 0.  All counters but data and packets stop at their greatest value
 * (IBTA 16.1.3.5); one that stands there is unknown.  If the readings are not in order of
 * time, nothing is known.  O(1). */
MOORE_API void moore_traffic_between(struct moore_port_traffic *out,
				     const struct moore_reading *before,
				     const struct moore_reading *now,
				     const struct moore_line *line);
/* Data rate of a link in bytes per second, after line coding (IBTA 14.2.5.6); 0 when width
 * or speed is unknown. */
MOORE_API double moore_rate_bytes(struct moore_rate r);

MOORE_END

#endif
