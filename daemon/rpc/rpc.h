/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* rpc.h - JSON-RPC 2.0: a line in, a line out.  No descriptor, no clock. */
#ifndef MOORED_RPC_H
#define MOORED_RPC_H

#include "moored.h"

#define RPC_BATCH_MAX 100	/* requests in one batch */

struct rpc_method {		/* a method with its schemas read */
	const struct method *m;
	json_t *params, *result;
};

struct rpc_job;

/* Who answers, and where answers go.  rpc_line() and rpc_job_end() call these on
 * their own thread. */
struct rpc_host {
	struct moored *d;
	const struct rpc_method *(*find)(const char *name);	/* NULL: none */
	/* Take and give back the references of a call (view, plan). */
	void (*capture)(struct moored *d, struct call *c);
	void (*release)(struct call *c);
	/* Arrange that rpc_job_run(job) runs elsewhere and then rpc_job_end(job) here;
	 * -1 when too much is waiting. */
	int (*defer)(void *client, struct rpc_job *job, enum takes takes);
	/* The answer to one line, with its newline; text is the receiver's to free().  NULL
	 * when nothing is to be answered.  Called once for each rpc_line(). */
	void (*reply)(void *client, char *text, size_t len);
};

/* Answer a line (without its newline) of the client.  How many requests it held, 1 at
 * least: a batch costs what its requests would. */
unsigned rpc_line(const struct rpc_host *h, void *client, enum access access, const char *data,
		  size_t len);
void rpc_job_run(struct rpc_job *j);	/* any thread */
void rpc_job_end(struct rpc_job *j);	/* the thread of rpc_line(); j is gone then */

/* {"jsonrpc":"2.0","id":null,"error":...} and a newline, for what has no request. */
char *rpc_error_line(int code, const char *text, size_t *len);
/* {"jsonrpc":"2.0","method":...} and a newline; NULL when memory ran out.  Takes params. */
char *rpc_notification(const char *method, json_t *params, size_t *len);

#endif
