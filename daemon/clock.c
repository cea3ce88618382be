// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* clock.c - the two clocks; apart, so that tests can have a monotonic clock of their own. */
#include <time.h>

#include "clock.h"

static uint64_t
us_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t
mono_us(void)
{
	return us_of(CLOCK_MONOTONIC);
}

uint64_t
wall_ms(void)
{
	return us_of(CLOCK_REALTIME) / 1000;
}
