// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* run.c - runs commands for many switches, and ends them with the program. */
#include <signal.h>

#include "run.h"

static const int ending[] = { SIGHUP, SIGINT, SIGTERM };
static volatile sig_atomic_t ended_by;		/* one of these, once it came */

static void
on_end(int sig)
{
	ended_by = sig;
}

static void
catch_end(struct sigaction *usual)
{
	const struct sigaction a = { .sa_handler = on_end };

	for (size_t i = 0; i < ARRAY_LEN(ending); i++) {
		sigaction(ending[i], NULL, &usual[i]);
		if (usual[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &a, NULL);
	}
}

/* Restores what the signals do, and lets one that came do it. */
static int
release_end(const struct sigaction *usual)
{
	for (size_t i = 0; i < ARRAY_LEN(ending); i++)
		sigaction(ending[i], &usual[i], NULL);
	if (!ended_by)
		return CLI_OK;
	raise(ended_by);
	return cli_error("interrupted");
}

static bool
go_on(void *unused, double share)
{
	cli_busy_share(unused, share);
	return !ended_by;
}

int
cli_run(struct child *c, size_t n, const struct child_rules *rules)
{
	struct sigaction usual[ARRAY_LEN(ending)];
	struct child_rules own = *rules;

	own.go_on = go_on;
	catch_end(usual);
	children_run(c, n, &own);
	return release_end(usual);
}
