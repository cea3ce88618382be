// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* errors.c - the errors of a port, added up over all readings.
 *
 * The counters of a port have counted since somebody reset them, which they do not tell.  So
 * what rose is added up from the first reading on, over resets, and each counter has the time
 * of its last rise.  Elsewhere: the difference of two readings (counters.c). */
#include "moore/errors.h"

static const struct {
	const char *name;
	bool error;
} counters[MOORE_N_COUNTERS] = {
	[MOORE_XMIT_DATA] = { "transmit_data", false },
	[MOORE_RCV_DATA] = { "receive_data", false },
	[MOORE_XMIT_PKTS] = { "transmit_packets", false },
	[MOORE_RCV_PKTS] = { "receive_packets", false },
	[MOORE_XMIT_WAIT] = { "transmit_wait", false },
	[MOORE_SYMBOL_ERROR] = { "symbol_error", true },
	[MOORE_LINK_RECOVERED] = { "link_error_recovery", true },
	[MOORE_LINK_DOWNED] = { "link_downed", true },
	[MOORE_RCV_ERROR] = { "receive_errors", true },
	[MOORE_RCV_REMOTE_PHYSICAL] = { "receive_remote_physical_errors", true },
	[MOORE_XMIT_DISCARD] = { "transmit_discards", true },
	[MOORE_LOCAL_INTEGRITY] = { "local_link_integrity_errors", true },
	[MOORE_BUFFER_OVERRUN] = { "excessive_buffer_overrun_errors", true },
	[MOORE_VL15_DROPPED] = { "vl15_dropped", true },
};

const char *
moore_counter_name(enum moore_counter c)
{
	return counters[c].name;
}

bool
moore_counter_is_error(enum moore_counter c)
{
	return counters[c].error;
}

void
moore_errors_add(struct moore_port_errors *e, const struct moore_port_traffic *t, uint64_t at_us)
{
	uint64_t us = (uint64_t)(t->seconds * 1e6);

	if (!us)
		return;
	if (!e->first_us)
		e->first_us = at_us > us ? at_us - us : 1;
	for (unsigned c = 0; c < MOORE_N_COUNTERS; c++)
		if (t->has >> c & 1 && t->delta[c]) {
			e->rose[c] += t->delta[c];
			e->last_us[c] = at_us;
		}
}

bool
moore_errors_any(const struct moore_reading *r)
{
	for (unsigned c = 0; c < MOORE_N_COUNTERS; c++)
		if (counters[c].error && r->has >> c & 1 && r->v[c])
			return true;
	return false;
}
