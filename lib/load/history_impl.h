/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* history_impl.h - what the two files of history share: the ring itself. */
#ifndef MOORE_HISTORY_IMPL_H
#define MOORE_HISTORY_IMPL_H

#include "moore/history.h"

struct moore_history_switch {
	uint64_t guid;
	uint32_t column;	/* the column of port 1 */
	uint8_t n_ports;
};

struct moore_history_row {
	uint64_t at_ms;
	uint32_t span_ms, width;
	uint32_t *v;
};

struct moore_history {
	uint32_t max_rows, first, n_rows;
	struct moore_history_row *row;		/* a ring */
	struct moore_history_switch *sw;	/* in the order of their columns */
	uint32_t n_switches, cap_switches, n_columns;
};

static inline const struct moore_history_row *
moore_history_nth(const struct moore_history *h, uint32_t n)
{
	return &h->row[(h->first + n) % h->max_rows];
}

/* The index of the switch in sw[], or MOORE_NONE; hint is tried first. */
uint32_t moore_history_find(const struct moore_history *h, uint64_t guid, uint8_t n_ports,
			    uint32_t hint);
/* The same, but a new switch is added; MOORE_NONE when out of memory. */
uint32_t moore_history_column(struct moore_history *h, uint64_t guid, uint8_t n_ports,
			      uint32_t hint);
/* Returns a new row in which no column has a value; NULL when out of memory. */
uint32_t *moore_history_blank(const struct moore_history *h);
/* Takes ownership of v (width values), on failure too. */
int moore_history_push(struct moore_history *h, uint64_t at_ms, uint32_t span_ms, uint32_t *v,
		       uint32_t width, struct moore_err *err);
/* The number of rows that are not later than after_ms. */
uint32_t moore_history_after(const struct moore_history *h, uint64_t after_ms);

#endif
