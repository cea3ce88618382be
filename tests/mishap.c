// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mishap.c - a preloaded library that changes the clocks of a daemon or kills it.
 *
 *   MISHAP_CLOCK=FILE   FILE holds two numbers: how many seconds the wall clock and the
 *                       monotonic clock are ahead.  It is read whenever a clock is.
 *   MISHAP_KILL=N       the process is killed at its N-th step that changes files (open to
 *                       write, write, fsync, rename, unlink).  If that step is a write,
 *                       half of it is done first, else nothing.
 *
 * cc -shared -fPIC -o mishap.so mishap.c -ldl */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- clocks ------------------------------------------------------------------------ */

static long
ahead(clockid_t clock)
{
	const char *path = getenv("MISHAP_CLOCK");
	char text[64] = "";
	long wall = 0, mono = 0;
	long fd = path ? syscall(SYS_open, path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 0;
	if (syscall(SYS_read, fd, text, sizeof(text) - 1) > 0)
		sscanf(text, "%ld %ld", &wall, &mono);
	syscall(SYS_close, fd);
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? wall : mono;
}

int
clock_gettime(clockid_t clock, struct timespec *t)
{
	long rc = syscall(SYS_clock_gettime, clock, t);

	if (rc == 0)
		t->tv_sec += ahead(clock);
	return (int)rc;
}

time_t
time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}

/* ---- death ------------------------------------------------------------------------- */

static bool
is_last(void)
{
	static atomic_long steps;
	const char *n = getenv("MISHAP_KILL");

	return n && atomic_fetch_add(&steps, 1) + 1 == atol(n);
}

static void
step(void)
{
	if (is_last())
		raise(SIGKILL);
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

int
open(const char *path, int flags, ...)
{
	REAL(open);
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (flags & O_TRUNC)
		step();
	return real(path, flags, mode);
}

ssize_t
write(int fd, const void *data, size_t len)
{
	REAL(write);
	struct stat st;

	if (fd > 2 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_last()) {
		real(fd, data, len / 2);
		raise(SIGKILL);
	}
	return real(fd, data, len);
}

int
fsync(int fd)
{
	REAL(fsync);

	step();
	return real(fd);
}

int
rename(const char *from, const char *to)
{
	REAL(rename);

	step();
	return real(from, to);
}

int
unlinkat(int dir, const char *path, int flags)
{
	REAL(unlinkat);

	step();
	return real(dir, path, flags);
}
