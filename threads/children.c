// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* children.c - runs many commands at once: one poll loop feeds each its input, takes its output,
 * and kills those that are late or say too much. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "children.h"

/* ---- templates ----------------------------------------------------------------------- */

/* Appends text with its places filled in. */
static void
fill(struct moore_buf *b, const char *text, size_t len, const struct child_place *places, size_t n)
{
	const char *end = text + len;

	while (text < end) {
		size_t i = 0;

		while (i < n && ((size_t)(end - text) < strlen(places[i].name) ||
				 strncmp(text, places[i].name, strlen(places[i].name)) != 0))
			i++;
		if (i < n) {
			moore_buf_add(b, places[i].value, strlen(places[i].value));
			text += strlen(places[i].name);
		} else {
			moore_buf_add(b, text++, 1);
		}
	}
}

char **
child_words(const char *text, const struct child_place *places, size_t n)
{
	struct moore_buf all = MOORE_BUF_INIT;
	size_t count = 0, at = 0;
	char **argv;

	for (const char *p = text; *(p += strspn(p, " \t")); count++) {
		size_t len = strcspn(p, " \t");

		fill(&all, p, len, places, n);
		moore_buf_add(&all, "", 1);
		p += len;
	}
	argv = count && !all.oom ? calloc(count + 1, sizeof(*argv)) : NULL;
	if (!argv) {
		moore_buf_free(&all);
		return NULL;
	}
	for (size_t i = 0; i < count; i++, at += strlen(all.data + at) + 1)
		argv[i] = all.data + at;
	return argv;
}

/* ---- one child -------------------------------------------------------------------------- */

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool
spawn(struct child *c, int in, int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;		/* blocked: this thread may block all */
	pid_t pid = 0;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	/* A group of its own, so that what the command starts is killed with it. */
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(&pid, c->argv[0], &actions, &attr, c->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	c->pid = pid;
	if (rc)
		c->why = strerror(rc);
	return !rc;
}

static bool
start(struct child *c, unsigned seconds)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	bool ok;

	c->in = c->out = -1;
	c->pid = 0;
	c->sent = 0;
	c->why = NULL;
	c->output = (struct moore_buf)MOORE_BUF_INIT;
	ok = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0;
	if (!ok)
		c->why = strerror(errno);
	if (ok && (ok = spawn(c, in[0], out[1]))) {
		c->in = in[1];
		c->out = out[0];
		fcntl(c->in, F_SETFL, O_NONBLOCK);
		fcntl(c->out, F_SETFL, O_NONBLOCK);
		in[1] = out[0] = -1;
		c->deadline = now_ms() + (long)seconds * 1000;
	}
	for (int i = 0; i < 2; i++) {
		shut(&in[i]);
		shut(&out[i]);
	}
	return ok;
}

/* Whole lines in one write that is not divided: if this program ends in between, the command
 * never gets a part of a line, which might be another valid line. */
static size_t
next_part(const char *text, size_t len)
{
	size_t n = len < PIPE_BUF ? len : PIPE_BUF;
	const char *nl = memrchr(text, '\n', n);

	return nl ? (size_t)(nl - text) + 1 : n;
}

static void
feed(struct child *c)
{
	size_t len = c->input ? c->input->len : 0;
	const char *at = len ? c->input->data + c->sent : NULL;
	ssize_t n = c->sent < len ? write(c->in, at, next_part(at, len - c->sent)) : 0;

	if (n > 0)
		c->sent += (size_t)n;
	if (c->sent == len || (n < 0 && errno != EAGAIN && errno != EINTR))
		shut(&c->in);
}

/* Takes what there is; at its end the child is awaited. */
static void
take(struct child *c)
{
	char part[65536];
	ssize_t n = read(c->out, part, sizeof(part));

	if (n > 0) {
		moore_buf_add(&c->output, part, (size_t)n);
		if (c->output.len > CHILD_OUTPUT_MAX || c->output.oom) {
			c->why = "it says too much";
			kill(-c->pid, SIGKILL);
			shut(&c->out);
		}
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		shut(&c->out);
	}
}

static void
end(struct child *c)
{
	shut(&c->in);
	shut(&c->out);
	while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR)
		;
	if (c->why)
		return;
	if (WIFSIGNALED(c->status))
		c->why = "a signal ended it";
	else if (WEXITSTATUS(c->status))
		c->why = "it ended with a failure";
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Waits for something to happen to the running children, which are listed. */
static void
attend(struct child **running, unsigned n)
{
	struct pollfd *fd = calloc(2 * (size_t)n + 1, sizeof(*fd));
	long now = now_ms(), first = now + 1000;

	for (unsigned i = 0; fd && i < n; i++) {
		fd[2 * i] = (struct pollfd){ .fd = running[i]->in, .events = POLLOUT };
		fd[2 * i + 1] = (struct pollfd){ .fd = running[i]->out, .events = POLLIN };
		first = running[i]->deadline < first ? running[i]->deadline : first;
	}
	if (!fd || poll(fd, 2 * n, first > now ? (int)(first - now) : 0) < 0) {
		free(fd);
		return;
	}
	now = now_ms();
	for (unsigned i = 0; i < n; i++) {
		struct child *c = running[i];

		if (c->in >= 0 && fd[2 * i].revents)
			feed(c);
		if (c->out >= 0 && fd[2 * i + 1].revents)
			take(c);
		if (c->out >= 0 && now > c->deadline) {
			c->why = "it did not end in time";
			kill(-c->pid, SIGKILL);
			shut(&c->out);
		}
	}
	free(fd);
}

/* Ends those that have nothing more to say, and gives their places back. */
static unsigned
end_finished(struct child **running, unsigned n)
{
	for (unsigned i = 0; i < n;) {
		if (running[i]->out >= 0) {
			i++;
			continue;
		}
		end(running[i]);
		running[i] = running[--n];
	}
	return n;
}

static void
kill_all(struct child **running, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		running[i]->why = "it was ended";
		kill(-running[i]->pid, SIGKILL);
		end(running[i]);
	}
}

void
children_run(struct child *c, size_t n, unsigned width, unsigned seconds,
	     bool (*go_on)(void *arg, double share), void *arg)
{
	struct child **running = calloc(width + 1, sizeof(struct child *));
	unsigned n_running = 0;
	size_t next = 0;

	for (size_t i = 0; i < n; i++)
		c[i].why = running ? "it was not started" : "memory ran out";
	while (running && (next < n || n_running)) {
		while (next < n && n_running < width) {
			if (start(&c[next], seconds))
				running[n_running++] = &c[next];
			next++;
		}
		if (n_running)
			attend(running, n_running);
		n_running = end_finished(running, n_running);
		if (go_on && !go_on(arg, (double)(next - n_running) / (double)n)) {
			kill_all(running, n_running);
			break;
		}
	}
	free(running);
}
