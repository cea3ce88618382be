// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* clock.c - the monotonic clock; apart, so that tests can have one of their own. */
#include <time.h>

#include "scan/mad.h"

uint64_t
mono_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}
