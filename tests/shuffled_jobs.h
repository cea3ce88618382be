/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* shuffled_jobs.h - runs jobs in one thread, from the last to the first, with workers in turn.
 * So what depends on their order, or on the worker that runs one, differs on every run. */
#ifndef MOORE_TEST_SHUFFLED_JOBS_H
#define MOORE_TEST_SHUFFLED_JOBS_H

#include "moore/jobs.h"

static inline void
test_run_shuffled(unsigned width, size_t n, void (*job)(void *arg, unsigned worker, size_t i),
		  void *arg)
{
	for (size_t i = n; i-- > 0;)
		job(arg, (unsigned)((i + 1) % width), i);
}

#endif
