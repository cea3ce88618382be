// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* children.c - runs many commands at once: one poll loop feeds each its input, takes its output,
 * and kills those that are late or print too much. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <moore/base.h>

#include "children.h"

#define REAP_MS 20	/* how often to look for the end of a child whose outputs are closed */

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
spawn(struct child *c, int in, int out, int errors)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;	/* this thread may block all, and ignore SIGPIPE */
	pid_t pid = 0;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, errors, 2);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	/* A group of its own, so that what the command starts is killed with it. */
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(&pid, c->argv[0], &actions, &attr, c->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	c->pid = pid;
	if (rc)
		snprintf(c->why, sizeof(c->why), "cannot run %.80s: %s", c->argv[0], strerror(rc));
	return !rc;
}

static bool
start(struct child *c, unsigned seconds)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, errors[2] = { -1, -1 };
	bool ok = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
		pipe2(errors, O_CLOEXEC) == 0;

	*c = (struct child){ .argv = c->argv, .input = c->input, .in = -1, .out = -1, .errors = -1 };
	if (!ok)
		snprintf(c->why, sizeof(c->why), "%s", strerror(errno));
	if (ok && (ok = spawn(c, in[0], out[1], errors[1]))) {
		c->in = in[1];
		c->out = out[0];
		c->errors = errors[0];
		fcntl(c->in, F_SETFL, O_NONBLOCK);
		fcntl(c->out, F_SETFL, O_NONBLOCK);
		fcntl(c->errors, F_SETFL, O_NONBLOCK);
		in[1] = out[0] = errors[0] = -1;
		c->deadline = now_ms() + (long)seconds * 1000;
	}
	for (int i = 0; i < 2; i++) {
		shut(&in[i]);
		shut(&out[i]);
		shut(&errors[i]);
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

/* Kills a child and what it started; its end is then found like any other. */
static void
stop(struct child *c)
{
	kill(-c->pid, SIGKILL);
	c->killed = true;
	shut(&c->in);
	shut(&c->out);
	shut(&c->errors);
}

/* Takes what there is at one of the two outputs. */
static void
take(struct child *c, int *fd, size_t output_max)
{
	char part[65536];
	ssize_t n = read(*fd, part, sizeof(part));
	size_t room = sizeof(c->why) - 1 - c->n_why;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		shut(fd);
	} else if (fd == &c->errors) {
		room = room < (size_t)n ? room : (size_t)n;
		memcpy(c->why + c->n_why, part, room);
		c->n_why += room;
	} else {
		moore_buf_add(&c->output, part, (size_t)n);
		if (c->output.len > output_max || c->output.oom) {
			stop(c);
			snprintf(c->why, sizeof(c->why), c->output.oom ? "memory ran out" :
				 "its answer is longer than %zu MiB", output_max >> 20);
		}
	}
}

/* Sets why from how the child ended. */
static void
explain(struct child *c, int status)
{
	if (c->killed)
		return;
	c->why[strcspn(c->why, "\r\n")] = '\0';
	moore_text_hide(c->why);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		c->why[0] = '\0';
	else if (!*c->why && WIFEXITED(status))
		snprintf(c->why, sizeof(c->why), "the command exited with %d", WEXITSTATUS(status));
	else if (!*c->why)
		snprintf(c->why, sizeof(c->why), "signal %d ended the command", WTERMSIG(status));
}

/* ---- all of them --------------------------------------------------------------------------- */

static bool
is_silent(const struct child *c)
{
	return c->out < 0 && c->errors < 0;
}

/* Waits for something to happen to the running children, which are listed. */
static void
attend(struct child **running, unsigned n, size_t output_max)
{
	struct pollfd *fd = calloc(3 * (size_t)n + 1, sizeof(*fd));
	long now = now_ms(), first = now + 1000;

	for (unsigned i = 0; fd && i < n; i++) {
		const struct child *c = running[i];
		long next = is_silent(c) ? now + REAP_MS : c->deadline;

		fd[3 * i] = (struct pollfd){ .fd = c->in, .events = POLLOUT };
		fd[3 * i + 1] = (struct pollfd){ .fd = c->out, .events = POLLIN };
		fd[3 * i + 2] = (struct pollfd){ .fd = c->errors, .events = POLLIN };
		first = next < first ? next : first;
	}
	if (!fd || poll(fd, 3 * n, first > now ? (int)(first - now) : 0) < 0) {
		free(fd);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct child *c = running[i];

		if (c->in >= 0 && fd[3 * i].revents)
			feed(c);
		if (c->out >= 0 && fd[3 * i + 1].revents)
			take(c, &c->out, output_max);
		if (c->errors >= 0 && fd[3 * i + 2].revents)
			take(c, &c->errors, output_max);
	}
	free(fd);
}

/* Notes that a child has ended, or did not start.  Sets *failed if it has failed. */
static void
note_end(const struct child *x, size_t i, const struct child_rules *rules, bool *failed)
{
	*failed |= *x->why != '\0';
	if (rules->ended)
		rules->ended(rules->arg, i);
}

/* Ends those that have nothing more to print, kills those that are late, and gives the places of
 * those that have ended back.  Sets *failed if one of them has failed. */
static unsigned
end_finished(struct child *c, struct child **running, unsigned n, const struct child_rules *rules, bool *failed)
{
	long now = now_ms();
	int status;

	for (unsigned i = 0; i < n;) {
		struct child *x = running[i];

		if (now > x->deadline && !x->killed) {
			stop(x);
			snprintf(x->why, sizeof(x->why), "it took too long: more than %u second%s",
				 rules->seconds, MOORE_S(rules->seconds));
		}
		if (!is_silent(x) || waitpid(x->pid, &status, WNOHANG) != x->pid) {
			i++;
			continue;
		}
		shut(&x->in);
		explain(x, status);
		running[i] = running[--n];
		note_end(x, (size_t)(x - c), rules, failed);
	}
	return n;
}

static void
kill_all(struct child **running, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		stop(running[i]);
		while (waitpid(running[i]->pid, NULL, 0) < 0 && errno == EINTR)
			;
		snprintf(running[i]->why, sizeof(running[i]->why), "it was ended");
	}
}

void
children_run(struct child *c, size_t n, const struct child_rules *rules)
{
	struct child **running = calloc(rules->width + 1, sizeof(struct child *));
	unsigned n_running = 0;
	size_t next = 0;
	bool failed = false;

	for (size_t i = 0; i < n; i++)
		snprintf(c[i].why, sizeof(c[i].why), running ? "it was not started" : "memory ran out");
	while (running && (next < n || n_running)) {
		while (next < n && n_running < rules->width) {
			if (start(&c[next], rules->seconds))
				running[n_running++] = &c[next];
			else
				note_end(&c[next], next, rules, &failed);
			next++;
		}
		if (n_running)
			attend(running, n_running, rules->output_max);
		n_running = end_finished(c, running, n_running, rules, &failed);
		if (failed && rules->ends_at_failure)
			n = next;
		if (rules->go_on && !rules->go_on(rules->arg, (double)(next - n_running) / (double)n)) {
			kill_all(running, n_running);
			break;
		}
	}
	free(running);
}

void
children_free(struct child *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c[i].argv)
			free(c[i].argv[0]);
		free(c[i].argv);
		moore_buf_free(&c[i].output);
		c[i] = (struct child){ .argv = NULL };
	}
}
