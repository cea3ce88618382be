/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/jobs.h - how the caller lends its processors to the library.
 *
 * The library creates no thread.  Functions that can use several processors take a struct
 * moore_jobs (NULL: they run everything in the caller's thread).  Their results are the same
 * bits for any width and any order of the jobs.  A job may run jobs itself. */
#ifndef MOORE_JOBS_H
#define MOORE_JOBS_H

#include "base.h"

MOORE_BEGIN

struct moore_jobs {
	/* Calls job(arg, worker, i) once for each i below n, in any order, and returns when all
	 * calls have returned.  worker is below width; no two calls with the same worker run at
	 * the same time, so it can number scratch memory. */
	void (*run)(unsigned width, size_t n, void (*job)(void *arg, unsigned worker, size_t i),
		    void *arg);
	unsigned width;		/* calls that may run at the same time; at least 1 */
};

MOORE_END

#endif
