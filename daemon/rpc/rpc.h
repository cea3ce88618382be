/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* rpc.h - JSON-RPC 2.0: a line of requests in, a line of answers out.  No descriptor and
 * no clock; answers are libevent's buffers so that long texts are not copied. */
#ifndef MOORED_RPC_H
#define MOORED_RPC_H

#include <event2/buffer.h>

#include "method.h"

#define RPC_BATCH_MAX 100	/* requests in one batch */

struct rpc_method {		/* a method with its schemas read */
	const struct method *m;
	json_t *params, *result;
	/* The result of a method that TAKES_ONCE, as text, and the '}' after it. */
	char *answer;
	size_t answer_len;
};

struct rpc_job;

/* The methods, and the destination of answers.  The functions of rpc.c call these functions
 * on their caller's thread. */
struct rpc_host {
	struct moored *d;
	const struct rpc_method *(*find)(const char *name);	/* NULL: none */
	/* Take and give back the references of a call (view, plan).  capture() returns false, with
	 * the reason in *e, if its parameters name what there is not; release() follows all the same. */
	bool (*capture)(struct moored *d, struct call *c, struct rpc_error *e);
	void (*release)(struct call *c);
	/* Arrange that rpc_job_run(job) runs elsewhere and then rpc_job_end(job) here;
	 * -1 when too much is waiting. */
	int (*defer)(void *client, struct rpc_job *job, enum takes takes);
	/* The answers to one line, with a newline; out is the receiver's, and NULL when nothing is
	 * to be answered.  Called once for each rpc_open(). */
	void (*reply)(void *client, struct evbuffer *out);
	/* Counts bytes of answers that are shared and not copied, while a buffer refers to them. */
	size_t *shared;
};

/* A line of the client that is being answered, one request at a time: a batch need not be
 * answered at once. */
struct rpc_line;

/* Begin with a line (without its newline), which is copied.  Takes out, which is empty and
 * gets the answers.  NULL: out of memory, and reply() was called. */
struct rpc_line *rpc_open(const struct rpc_host *h, void *client, enum access access,
			  const char *data,
			  size_t len, struct evbuffer *out);
/* Answer the next request of the line.  False: it was the last, and l is not the caller's any
 * more; reply() comes when its jobs are done, or has come. */
bool rpc_next(struct rpc_line *l);
/* Instead of rpc_next(): the client is gone, and the rest is not answered. */
void rpc_abandon(struct rpc_line *l);
void *rpc_job_client(const struct rpc_job *j);	/* that of its rpc_open() */
void rpc_job_run(void *job);		/* any thread: a run() of worker_add() */
void rpc_job_end(struct rpc_job *j);	/* the thread of rpc_open(); j is gone then */

/* {"jsonrpc":"2.0","id":null,"error":...} and a newline, for what has no request. */
char *rpc_error_line(int code, const char *text, size_t *len);
/* {"jsonrpc":"2.0","method":...} and a newline; NULL when memory ran out.  Takes params. */
char *rpc_notification(const char *method, json_t *params, size_t *len);

#endif
