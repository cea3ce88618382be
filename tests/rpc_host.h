/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* rpc_host.h - a host for rpc.c without sockets or threads: it has three methods, collects
 * replies in one buffer, and keeps jobs in a list that the test runs when it wants. */
#ifndef MOORE_TEST_RPC_HOST_H
#define MOORE_TEST_RPC_HOST_H

#include <stdlib.h>
#include <string.h>

#include "daemon/rpc/rpc.h"

enum { JOBS_MAX = 8 };

static struct {
	struct moore_buf out;
	unsigned replies, captured, released, ran;
	struct rpc_job *job[JOBS_MAX];
	unsigned n_jobs;
	size_t shared;
} host;

static json_t *
run_echo(struct call *c, struct rpc_error *e)
{
	(void)e;
	host.ran++;
	return json_incref(c->params);
}

static json_t *
run_fail(struct call *c, struct rpc_error *e)
{
	(void)c;
	return rpc_fail(e, RPC_NOT_FOUND, "nothing \xff like it");
}

static json_t *
run_slow(struct call *c, struct rpc_error *e)
{
	(void)e;
	return json_pack("{s:b}", "alone", c->d == NULL);
}

static const struct method fake[] = {
	{ "echo", "", ACCESS_READ, "", "", run_echo, TAKES_NO_TIME, NULL, NULL },
	{ "fail", "", ACCESS_READ, "", "", run_fail, TAKES_NO_TIME, NULL, NULL },
	{ "slow", "", ACCESS_READ, "", "", run_slow, TAKES_A_MOMENT, NULL, NULL },
	{ "change", "", ACCESS_CHANGE, "", "", run_echo, TAKES_NO_TIME, NULL, NULL },
	{ "once", "", ACCESS_READ, "", "", NULL, TAKES_ONCE, NULL, NULL },
};
static char once_answer[] = "{\"always\":1}}";
static struct rpc_method fake_rows[ARRAY_LEN(fake)];

static const struct rpc_method *
fake_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(fake); i++) {
		fake_rows[i].m = &fake[i];
		if (fake[i].takes == TAKES_ONCE) {
			fake_rows[i].answer = once_answer;
			fake_rows[i].answer_len = sizeof(once_answer) - 1;
		}
		if (!fake_rows[i].params)
			fake_rows[i].params = json_pack("{s:s, s:{s:{s:i}}}", "type", "object",
							"properties", "n", "maximum", 9);
		if (!strcmp(fake[i].name, name))
			return &fake_rows[i];
	}
	return NULL;
}

static bool
fake_capture(struct moored *d, struct call *c, struct rpc_error *e)
{
	(void)d, (void)c, (void)e;
	host.captured++;
	return true;
}

static void
fake_release(struct call *c)
{
	(void)c;
	host.released++;
}

static int
fake_defer(void *client, struct rpc_job *job, enum takes takes)
{
	(void)client, (void)takes;
	if (host.n_jobs == JOBS_MAX)
		return -1;
	host.job[host.n_jobs++] = job;
	return 0;
}

static void
fake_reply(void *client, struct evbuffer *out)
{
	size_t n = out ? evbuffer_get_length(out) : 0;

	(void)client;
	host.replies++;
	if (n)
		moore_buf_add(&host.out, evbuffer_pullup(out, -1), n);
	if (out)
		evbuffer_free(out);
}

static const struct rpc_host fake_host = { NULL, fake_find, fake_capture, fake_release,
	fake_defer, fake_reply, &host.shared };

/* Runs all requests of a line, one after the other. */
static void
answer_line(enum access access, const char *data, size_t len)
{
	struct rpc_line *l = rpc_open(&fake_host, NULL, access, data, len, evbuffer_new());

	while (l && rpc_next(l))
		;
}

static void
run_jobs(void)
{
	while (host.n_jobs) {
		struct rpc_job *j = host.job[--host.n_jobs];

		rpc_job_run(j);
		rpc_job_end(j);
	}
}

static void
host_clear(void)
{
	moore_buf_free(&host.out);
	memset(&host, 0, sizeof(host));
}

static inline void
host_fini(void)
{
	host_clear();
	for (size_t i = 0; i < ARRAY_LEN(fake); i++) {
		json_decref(fake_rows[i].params);
		fake_rows[i].params = NULL;
	}
}

#endif
