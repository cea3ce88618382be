// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_ask.c - runs a command for each document of each switch, several at once.
 *
 * A run is one process in a group of its own, with a pipe for its answer, which is bounded in
 * size, and one of which the first line is kept to say why it failed.  One loop polls the pipes
 * of all runs.  A run that takes too long is killed with its group, and so are all runs when a
 * signal ends the program. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lldp.h"

#define RUNS 16			/* at once */
#define WORDS_MAX 64		/* of a command */
#define SWITCHES_MAX 100000
#define REAP_MS 20		/* how often to look for the end of a process without pipes */

enum { ANSWER, COMPLAINT, PIPES };

struct run {
	pid_t pid;		/* 0: the place is free */
	uint32_t sw;
	enum moore_lldp_doc doc;
	int fd[PIPES];		/* -1: at its end */
	struct moore_buf text;
	char complaint[160];
	size_t n_complaint;
	const char *why;	/* it was killed: the reason */
	long long deadline;	/* of now_ms() */
};

struct asking {
	const struct cli_lldp_question *q;
	struct cli_lldp *x;
	struct run run[RUNS];
	uint64_t next;		/* task to start: MOORE_LLDP_DOCS * switch + document */
	uint64_t done;
	char **name;		/* of the switches that are asked, sorted */
	uint32_t n_names, cap_names;
};

static long long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- a command ---------------------------------------------------------------------- */

/* Appends a word of the command with the names put in. */
static void
put_word(struct moore_buf *b, const char *word, size_t len, const char *sw, const char *what)
{
	static const char *const name[] = { "{switch}", "{what}" };
	const char *const value[] = { sw, what };

	for (size_t i = 0, k; i < len;) {
		for (k = 0; k < ARRAY_LEN(name); k++)
			if (len - i >= strlen(name[k]) && !memcmp(word + i, name[k], strlen(name[k])))
				break;
		if (k < ARRAY_LEN(name)) {
			moore_buf_add(b, value[k], strlen(value[k]));
			i += strlen(name[k]);
		} else {
			moore_buf_add(b, word + i++, 1);
		}
	}
	moore_buf_add(b, "", 1);
}

/* Splits the command into words, which lie in *b; argv has room for WORDS_MAX + 1. */
static int
make_words(const struct cli_lldp_question *q, const char *sw, const char *what, struct moore_buf *b,
	   char **argv)
{
	size_t n = 0, at = 0;

	for (const char *s = q->command; *(s += strspn(s, " \t")); s += strcspn(s, " \t")) {
		if (n++ == WORDS_MAX)
			return cli_error("--command: more than %d words", WORDS_MAX);
		put_word(b, s, strcspn(s, " \t"), sw, what);
	}
	if (!n || b->oom)
		return cli_error(n ? "out of memory" : "--command: is empty");
	for (size_t i = 0; i < n; at += strlen(b->data + at) + 1)
		argv[i++] = b->data + at;
	argv[n] = NULL;
	return CLI_OK;
}

/* ---- a run -------------------------------------------------------------------------- */

static int
spawn(char **argv, const int *to, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t usual;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, to[ANSWER], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, to[COMPLAINT], STDERR_FILENO);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

static int
open_pipes(int *from, int *to)
{
	int end[2];

	for (int i = 0; i < PIPES; i++)
		from[i] = to[i] = -1;
	for (int i = 0; i < PIPES; i++) {
		if (pipe2(end, O_CLOEXEC) < 0)
			return cli_error("cannot make a pipe: %s", strerror(errno));
		from[i] = end[0];
		to[i] = end[1];
		fcntl(from[i], F_SETFL, O_NONBLOCK);
	}
	return CLI_OK;
}

static void
close_pipes(int *fd)
{
	for (int i = 0; i < PIPES; i++) {
		if (fd[i] >= 0)
			close(fd[i]);
		fd[i] = -1;
	}
}

static int
start(struct asking *a, struct run *r, uint32_t sw, enum moore_lldp_doc doc)
{
	struct moore_buf words = MOORE_BUF_INIT;
	char *argv[WORDS_MAX + 1];
	int to[PIPES], error, rc;

	*r = (struct run){ .sw = sw, .doc = doc, .text = MOORE_BUF_INIT };
	if ((rc = open_pipes(r->fd, to)) == CLI_OK &&
	    (rc = make_words(a->q, a->x->sw[sw]->asked, moore_lldp_doc_name(doc), &words,
			     argv)) == CLI_OK &&
	    (error = spawn(argv, to, &r->pid)) != 0) {
		rc = cli_error("--command: cannot run %s: %s", argv[0], strerror(error));
		r->pid = 0;
	}
	if (rc != CLI_OK)
		close_pipes(r->fd);
	close_pipes(to);
	moore_buf_free(&words);
	r->deadline = now_ms() + 1000LL * a->q->timeout_s;
	return rc;
}

/* Kills a run; its end is then seen like any other. */
static void
stop(struct run *r, const char *why)
{
	kill(-r->pid, SIGKILL);
	close_pipes(r->fd);
	r->why = why;
}

static void
read_pipe(struct run *r, int which)
{
	char piece[65536];
	ssize_t n = read(r->fd[which], piece, sizeof(piece));
	size_t room = sizeof(r->complaint) - 1 - r->n_complaint;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(r->fd[which]);
		r->fd[which] = -1;
	} else if (which == COMPLAINT) {
		room = room < (size_t)n ? room : (size_t)n;
		memcpy(r->complaint + r->n_complaint, piece, room);
		r->n_complaint += room;
	} else {
		moore_buf_add(&r->text, piece, (size_t)n);
		if (r->text.len > MOORE_LLDP_BYTES_MAX)
			stop(r, "its answer is longer than 16 MiB");
	}
}

/* Why a run failed; the text lasts as long as the run. */
static const char *
failure(struct run *r, int status)
{
	if (r->why)
		return r->why;
	r->complaint[strcspn(r->complaint, "\r\n")] = '\0';
	moore_text_hide(r->complaint);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (*r->complaint)
		return r->complaint;
	if (WIFEXITED(status))
		snprintf(r->complaint, sizeof(r->complaint), "the command exited with %d",
			 WEXITSTATUS(status));
	else
		snprintf(r->complaint, sizeof(r->complaint), "signal %d ended the command",
			 WTERMSIG(status));
	return r->complaint;
}

/* ---- which switches are asked ------------------------------------------------------- */

/* Finds a name, or where it would stand. */
static uint32_t
find_name(const struct asking *a, const char *name, bool *is_there)
{
	uint32_t lo = 0, hi = a->n_names;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (strcmp(a->name[mid], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*is_there = lo < a->n_names && !strcmp(a->name[lo], name);
	return lo;
}

static int
add_name(struct asking *a, const char *name)
{
	bool is_there;
	uint32_t at = find_name(a, name, &is_there);
	char **list, *copy;
	int rc;

	if (is_there)
		return CLI_OK;
	if (a->n_names == SWITCHES_MAX)
		return cli_error("more than %d switches", SWITCHES_MAX);
	if ((rc = cli_lldp_add(a->x, name)) != CLI_OK)
		return rc;
	list = moore_grow(a->name, a->n_names, &a->cap_names, sizeof(*list));
	if (!list)
		return cli_error("out of memory");
	a->name = list;
	if (!(copy = strdup(name)))
		return cli_error("out of memory");
	memmove(list + at + 1, list + at, (a->n_names - at) * sizeof(*list));
	list[at] = copy;
	a->n_names++;
	return CLI_OK;
}

/* Adds the neighbours of a switch that look like switches. */
static int
follow(struct asking *a, uint32_t sw)
{
	const struct moore_lldp_switch *s = a->x->sw[sw];
	int rc = CLI_OK;

	for (uint32_t i = 0; i < s->n_ports && rc == CLI_OK; i++)
		for (uint32_t k = 0; k < s->port[i].n_neighbours && s->port[i].number && rc == CLI_OK; k++)
			if (moore_lldp_is_switch(&s->port[i].neighbour[k]) && s->port[i].neighbour[k].name &&
			    moore_lldp_good_name(s->port[i].neighbour[k].name))
				rc = add_name(a, s->port[i].neighbour[k].name);
	return rc;
}

/* ---- all runs ----------------------------------------------------------------------- */

/* Takes the answer of a run that has ended. */
static int
finish(struct asking *a, struct run *r, int status)
{
	struct moore_lldp_switch *s = a->x->sw[r->sw];
	const char *why = failure(r, status);
	struct moore_err err;
	char text[sizeof(err.text) + 64];
	int rc = CLI_OK;

	if (r->text.oom)
		return cli_error("out of memory");
	if (!why && !s->silent &&
	    moore_lldp_read(s, r->doc, r->text.data ? r->text.data : "", r->text.len, &err) < 0) {
		snprintf(text, sizeof(text), "%s.json:%u: %s", moore_lldp_doc_name(r->doc), err.line,
			 err.text);
		if (!err.line)
			snprintf(text, sizeof(text), "%s.json: %s", moore_lldp_doc_name(r->doc), err.text);
		why = text;
	} else if (why && r->doc == MOORE_LLDP_LINKS) {
		why = NULL;		/* this document may be missing */
	}
	if (why && !s->silent)
		rc = cli_lldp_silence(a->x, r->sw, why);
	else if (a->q->from && r->doc == MOORE_LLDP_NEIGHBOURS && !s->silent)
		rc = follow(a, r->sw);
	moore_buf_free(&r->text);
	r->pid = 0;
	cli_busy_share(NULL, (double)++a->done / ((double)a->x->n * MOORE_LLDP_DOCS));
	return rc;
}

/* Starts runs while there are free places and documents to ask for. */
static int
fill(struct asking *a)
{
	int rc = CLI_OK;

	for (int i = 0; i < RUNS && rc == CLI_OK; i++)
		while (!a->run[i].pid && rc == CLI_OK && a->next < (uint64_t)a->x->n * MOORE_LLDP_DOCS) {
			uint32_t sw = (uint32_t)(a->next / MOORE_LLDP_DOCS);
			enum moore_lldp_doc doc = a->next++ % MOORE_LLDP_DOCS;

			if (a->x->sw[sw]->silent)
				a->done++;
			else
				rc = start(a, &a->run[i], sw, doc);
		}
	return rc;
}

/* Waits until a pipe has something to read or a run's time is over. */
static void
await(struct asking *a)
{
	struct pollfd p[RUNS * PIPES];
	struct run *of[RUNS * PIPES];
	int which[RUNS * PIPES];
	long long now = now_ms(), wait = 1000;
	nfds_t n = 0;

	for (int i = 0; i < RUNS; i++) {
		struct run *r = &a->run[i];

		for (int k = 0; r->pid && k < PIPES; k++)
			if (r->fd[k] >= 0) {
				of[n] = r;
				which[n] = k;
				p[n++] = (struct pollfd){ .fd = r->fd[k], .events = POLLIN };
			}
		if (r->pid && r->fd[ANSWER] < 0 && r->fd[COMPLAINT] < 0 && wait > REAP_MS)
			wait = REAP_MS;
		if (r->pid && r->deadline - now < wait)
			wait = r->deadline > now ? r->deadline - now : 0;
	}
	if (poll(p, n, (int)wait) <= 0)
		return;
	for (nfds_t i = 0; i < n; i++)
		if (p[i].revents && of[i]->fd[which[i]] >= 0)
			read_pipe(of[i], which[i]);
}

/* Ends the runs that are over, and those whose time is. */
static int
reap(struct asking *a)
{
	int rc = CLI_OK, status;

	for (int i = 0; i < RUNS && rc == CLI_OK; i++) {
		struct run *r = &a->run[i];

		if (r->pid && !r->why && now_ms() >= r->deadline)
			stop(r, "it took too long (--timeout)");
		if (r->pid && r->fd[ANSWER] < 0 && r->fd[COMPLAINT] < 0 &&
		    waitpid(r->pid, &status, WNOHANG) == r->pid)
			rc = finish(a, r, status);
	}
	return rc;
}

static bool
is_running(const struct asking *a)
{
	for (int i = 0; i < RUNS; i++)
		if (a->run[i].pid)
			return true;
	return false;
}

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

static int
ask_all(struct asking *a)
{
	struct sigaction usual[ARRAY_LEN(ending)];
	int rc, ended;

	catch_end(usual);
	rc = fill(a);
	while (rc == CLI_OK && !ended_by && is_running(a)) {
		await(a);
		if ((rc = reap(a)) == CLI_OK)
			rc = fill(a);
	}
	for (int i = 0; i < RUNS; i++)
		if (a->run[i].pid) {
			stop(&a->run[i], "");
			waitpid(a->run[i].pid, NULL, 0);
			moore_buf_free(&a->run[i].text);
		}
	ended = release_end(usual);
	return rc == CLI_OK ? ended : rc;
}

int
cli_lldp_ask(const struct cli_lldp_question *q, struct cli_lldp *out)
{
	struct asking a = { .q = q, .x = out };
	int rc = CLI_OK;

	*out = (struct cli_lldp){ NULL };
	cli_busy("asking the switches");
	if (q->from)
		rc = add_name(&a, q->from);
	for (moore_swid s = 0; !q->from && s < q->plan->n_switches && rc == CLI_OK; s++)
		rc = add_name(&a, q->plan->sw[s].name);
	if (rc == CLI_OK)
		rc = ask_all(&a);
	for (uint32_t i = 0; i < a.n_names; i++)
		free(a.name[i]);
	free(a.name);
	cli_idle();
	return rc;
}
