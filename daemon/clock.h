/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* clock.h - what time it is. */
#ifndef MOORED_CLOCK_H
#define MOORED_CLOCK_H

#include <stdint.h>

uint64_t mono_us(void);	/* microseconds of a clock that nobody sets: for due times */
uint64_t wall_ms(void);	/* milliseconds since 1970: for answers, events and files */

#endif
