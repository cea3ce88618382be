// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* counters.c - two readings of a port to what happened between them.
 *
 * Source: IBTA 16.1.3.5 (PortCounters: stop at their top) and 16.1.4.11
 * (PortCountersExtended); the width of each is a table row.  A reader that takes
 * XmitWait from the extended attribute has more bits, which does no harm: then it
 * never stands at the 32-bit top. */
#include "moore/counters.h"

static const struct {
	uint8_t bits;
	bool stops;		/* it stops at its greatest value instead of wrapping to 0 */
} counters[MOORE_N_COUNTERS] = {
	[MOORE_XMIT_DATA] = { 64, false },	[MOORE_RCV_DATA] = { 64, false },
	[MOORE_XMIT_PKTS] = { 64, false },	[MOORE_RCV_PKTS] = { 64, false },
	[MOORE_XMIT_WAIT] = { 32, true },
	[MOORE_SYMBOL_ERROR] = { 16, true },	[MOORE_LINK_RECOVERED] = { 8, true },
	[MOORE_LINK_DOWNED] = { 8, true },	[MOORE_RCV_ERROR] = { 16, true },
	[MOORE_RCV_REMOTE_PHYSICAL] = { 16, true },	[MOORE_XMIT_DISCARD] = { 16, true },
	[MOORE_LOCAL_INTEGRITY] = { 4, true },	[MOORE_BUFFER_OVERRUN] = { 4, true },
	[MOORE_VL15_DROPPED] = { 16, true },
};

/* Bytes of data that a lane carries per second, from SDR to XDR. */
static const double lane_rate[] = { 0, 2e9 / 8, 4e9 / 8, 8e9 / 8, 10e9 / 8, 13.64e9 / 8, 25e9 / 8,
				    50e9 / 8, 100e9 / 8, 200e9 / 8 };

double
moore_rate_bytes(struct moore_rate r)
{
	return r.speed < ARRAY_LEN(lane_rate) ? lane_rate[r.speed] * r.width : 0;
}

/* Returns false if nothing is known of the counter between the two readings. */
static bool
delta(enum moore_counter c, uint64_t before, uint64_t now, uint64_t *out, bool *restarted)
{
	uint64_t top = UINT64_MAX >> (64 - counters[c].bits);
	/* Some devices let XmitWait wrap, and most let 32-bit data counters wrap. */
	bool wraps = counters[c].bits >= 32;

	if (counters[c].stops && now == top)
		return false;
	*out = now - before;
	if (now >= before)
		return true;
	if (wraps && before > top - top / 4 && before <= top && now < top / 4) {
		*out = now + (top - before) + 1;
		return true;
	}
	*out = now;
	*restarted = true;
	return true;
}

static double
share(double part, double whole)
{
	double x = part / whole;

	return x > 1 ? 1 : x;
}

static bool
has(const struct moore_port_traffic *r, enum moore_counter c)
{
	return r->has >> c & 1;
}

void
moore_traffic_between(struct moore_port_traffic *out, const struct moore_reading *before,
	      const struct moore_reading *now, const struct moore_line *line)
{
	double full;

	*out = (struct moore_port_traffic){ .tx = -1, .rx = -1, .wait = -1 };
	if (!before->at_us || now->at_us <= before->at_us)
		return;
	out->seconds = (double)(now->at_us - before->at_us) / 1e6;
	for (unsigned c = 0; c < MOORE_N_COUNTERS; c++)
		if ((before->has & now->has) >> c & 1 &&
		    delta((enum moore_counter)c, before->v[c], now->v[c], &out->delta[c],
			  &out->restarted))
			out->has |= 1u << c;
	full = line->bytes_per_s * out->seconds;
	if (full <= 0)
		return;
	if (has(out, MOORE_XMIT_DATA))
		out->tx = share(4.0 * (double)out->delta[MOORE_XMIT_DATA], full);
	if (has(out, MOORE_RCV_DATA))
		out->rx = share(4.0 * (double)out->delta[MOORE_RCV_DATA], full);
	if (has(out, MOORE_XMIT_WAIT))
		out->wait = share((double)out->delta[MOORE_XMIT_WAIT] * line->tick_bytes, full);
}
