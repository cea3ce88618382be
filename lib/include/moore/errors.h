/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/errors.h - the error counters of a port since its first reading.  Pure; owns nothing;
 * nothing fails. */
#ifndef MOORE_ERRORS_H
#define MOORE_ERRORS_H

#include "counters.h"

MOORE_BEGIN

struct moore_port_errors {	/* begins as zeros */
	uint64_t first_us;	/* the reading from which rose[] counts; 0: none yet */
	uint64_t rose[MOORE_N_COUNTERS];
	uint64_t last_us[MOORE_N_COUNTERS];	/* when it rose last; 0: it did not */
};

MOORE_API const char *moore_counter_name(enum moore_counter c);	/* "symbol_error" */
/* False for data, packets and wait. */
MOORE_API bool moore_counter_is_error(enum moore_counter c);
/* Adds what a port counted up to at_us; unknown differences add nothing. */
MOORE_API void moore_errors_add(struct moore_port_errors *e, const struct moore_port_traffic *t,
				uint64_t at_us);
/* True if an error counter of the reading is not 0. */
MOORE_API bool moore_errors_any(const struct moore_reading *r);

MOORE_END

#endif
