/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* jobs.h - runs jobs with what the caller lends (moore/jobs.h). */
#ifndef MOORE_BASE_JOBS_H
#define MOORE_BASE_JOBS_H

#include "moore/jobs.h"

/* The number of workers that n jobs can use, at least 1. */
static inline unsigned
moore_jobs_width(const struct moore_jobs *jobs, size_t n)
{
	return !jobs || n < 2 ? 1 : jobs->width < n ? jobs->width : (unsigned)n;
}

/* Runs n jobs on this many workers; 1 is a loop. */
static inline void
moore_jobs_run(const struct moore_jobs *jobs, unsigned width, size_t n,
	       void (*job)(void *arg, unsigned worker, size_t i), void *arg)
{
	if (width > 1) {
		jobs->run(width, n, job, arg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		job(arg, 0, i);
}

/* Calls job(arg, 0, 0), and keeps threads meanwhile: what it runs on jobs shares them, where each
 * call of run() would create its own. */
static inline void
moore_jobs_keep(const struct moore_jobs *jobs, void (*job)(void *arg, unsigned worker, size_t i),
		void *arg)
{
	if (moore_jobs_width(jobs, 2) > 1)
		jobs->run(jobs->width, 1, job, arg);
	else
		job(arg, 0, 0);
}

#endif
