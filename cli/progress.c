// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* progress.c - shows on a terminal what takes more than a second, and for how long. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"

/* A timer shows progress, so that libmoore's functions need no callback.  Its handler only
 * formats digits and writes, which a signal handler may do. */
static const char *volatile busy_what;
static volatile sig_atomic_t busy_seconds, busy_percent, busy_left;

static size_t
put_text(char *to, const char *s)
{
	size_t n = strlen(s);

	memcpy(to, s, n);
	return n;
}

static size_t
put_number(char *to, unsigned v)
{
	char t[12];
	size_t n = 0;

	do
		t[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		to[i] = t[n - 1 - i];
	return n;
}

static void
tick(int sig)
{
	char line[128];
	size_t n;
	ssize_t done;

	(void)sig;
	n = put_text(line, "\rmoorectl: ");
	n += put_text(line + n, busy_what);
	n += put_text(line + n, ", ");
	n += put_number(line + n, (unsigned)++busy_seconds);
	n += put_text(line + n, " s");
	if (busy_percent) {
		n += put_text(line + n, ", ");
		n += put_number(line + n, (unsigned)busy_percent);
		n += put_text(line + n, " %");
	}
	if (busy_left) {
		n += put_text(line + n, ", ");
		n += put_number(line + n, (unsigned)(busy_left < 120 ? busy_left : busy_left / 60));
		n += put_text(line + n, busy_left < 120 ? " s left" : " min left");
	}
	n += put_text(line + n, "\033[K");
	done = write(STDERR_FILENO, line, n);
	(void)done;
}

static void
set_timer(long seconds)
{
	struct itimerval t = { { seconds, 0 }, { seconds, 0 } };

	setitimer(ITIMER_REAL, &t, NULL);
}

/* The timer goes on from one stage to the next, so that many short ones are shown too. */
void
cli_busy(const char *what)	/* a short string literal */
{
	struct sigaction sa = { .sa_handler = tick, .sa_flags = SA_RESTART };
	const bool runs = busy_what;

	if (!isatty(STDERR_FILENO))
		return;
	busy_what = what;
	busy_percent = 0;
	busy_left = 0;
	if (runs)
		return;
	sigaction(SIGALRM, &sa, NULL);
	set_timer(1);
}

void
cli_busy_share(void *unused, double share)
{
	(void)unused;
	busy_percent = (sig_atomic_t)(share * 100);
}

void
cli_busy_left(double seconds)
{
	busy_left = seconds > 1 && seconds < 1e9 ? (sig_atomic_t)seconds : 1;
}

void
cli_idle(void)
{
	if (!busy_what)
		return;
	set_timer(0);
	if (busy_seconds)
		fputs("\r\033[K", stderr);
	busy_what = NULL;
	busy_seconds = 0;
}
