// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* rpc.c - JSON-RPC 2.0 (jsonrpc.org/specification, 2013-01-04).
 *
 * A *turn* is one line that is being answered: a request, or a batch whose answers
 * are collected until the last is there.  A request that takes long leaves as a *job*;
 * the turn waits for it and the loop does not.  Params go by name.
 * A notification to a slow method does nothing: slow methods only read, but for those
 * with finish(), which do run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "rpc/schema.h"

struct turn {
	const struct rpc_host *h;
	void *client;
	enum access access;
	bool batch;
	unsigned pending;	/* jobs, and one while the line is read */
	json_t *answers;	/* an array, also of one request */
};

struct rpc_job {
	struct turn *t;
	const struct method *m;
	struct call c;
	json_t *id;		/* NULL: a notification */
	json_t *result;
	struct rpc_error e;
};

json_t *
rpc_fail(struct rpc_error *e, int code, const char *fmt, ...)
{
	va_list ap;

	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return NULL;
}

/* ---- lines ------------------------------------------------------------------------ */

/* j and a newline; takes j (which may be NULL: memory ran out while it was made). */
static char *
line_of(json_t *j, size_t *len)
{
	static const char sorry[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
				    "\"message\":\"out of memory\"}}\n";
	size_t n = 0, room = 512, need;
	char *s = malloc(room), *more;

	while (j && s) {
		need = json_dumpb(j, s, room - 1, JSON_COMPACT | JSON_REAL_PRECISION(12));
		if (need && need < room) {
			n = need;
			s[n++] = '\n';
			break;
		}
		room = need ? need + 1 : 0;
		more = room ? realloc(s, room) : NULL;
		if (!more) {
			free(s);
			s = NULL;
		} else {
			s = more;
		}
	}
	json_decref(j);
	if (!n) {
		free(s);
		s = strdup(sorry);
		n = s ? sizeof(sorry) - 1 : 0;
	}
	*len = n;
	return s;
}

static json_t *
error_object(json_t *id, int code, const char *text)
{
	json_t *message = json_string(text);

	if (!message)		/* it quotes what is not UTF-8 */
		message = json_string("(the message cannot be shown)");
	return json_pack("{s:s, s:O, s:{s:i, s:o}}", "jsonrpc", "2.0", "id", id, "error", "code",
			 code, "message", message);
}

char *
rpc_error_line(int code, const char *text, size_t *len)
{
	return line_of(error_object(json_null(), code, text), len);
}

char *
rpc_notification(const char *method, json_t *params, size_t *len)
{
	json_t *j = params ? json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method,
				       "params", params) : NULL;

	return j ? line_of(j, len) : NULL;	/* nobody asked: no error to answer with */
}

/* ---- turns ------------------------------------------------------------------------ */

static void
turn_put(struct turn *t)
{
	json_t *j;
	char *s = NULL;
	size_t len = 0;

	if (--t->pending)
		return;
	if (json_array_size(t->answers)) {
		j = t->batch ? t->answers : json_array_get(t->answers, 0);
		s = line_of(json_incref(j), &len);
	}
	json_decref(t->answers);
	t->h->reply(t->client, s, len);
	free(t);
}

static void
answer_error(struct turn *t, json_t *id, const struct rpc_error *e)
{
	if (id)
		json_array_append_new(t->answers, error_object(id, e->code, e->text));
}

static void
answer(struct turn *t, json_t *id, json_t *result, const struct rpc_error *e)
{
	static const struct rpc_error oom = { RPC_INTERNAL, "out of memory" };

	if (!result)
		answer_error(t, id, e->code ? e : &oom);
	else if (id)
		json_array_append_new(t->answers, json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0",
							    "id", id, "result", result));
	json_decref(result);
}

/* ---- jobs ------------------------------------------------------------------------- */

void
rpc_job_run(struct rpc_job *j)
{
	j->result = j->m->run(&j->c, &j->e);
}

static void
job_free(struct rpc_job *j)
{
	j->t->h->release(&j->c);
	json_decref(j->c.params);
	json_decref(j->id);
	free(j);
}

void
rpc_job_end(struct rpc_job *j)
{
	struct turn *t = j->t;

	if (!j->result && !j->e.code)
		rpc_fail(&j->e, RPC_INTERNAL, "moored stops, or memory ran out");
	j->c.d = t->h->d;
	if (j->m->finish)
		j->result = j->m->finish(&j->c, j->result, &j->e);
	answer(t, j->id, j->result, &j->e);
	job_free(j);
	turn_put(t);
}

/* False: *e says why it did not leave. */
static bool
send_away(struct turn *t, const struct method *m, const struct call *c, json_t *id,
	  struct rpc_error *e)
{
	struct rpc_job *j = calloc(1, sizeof(*j));

	if (!j) {
		rpc_fail(e, RPC_INTERNAL, "out of memory");
		return false;
	}
	*j = (struct rpc_job){ .t = t, .m = m, .c = *c, .id = json_incref(id) };
	json_incref(j->c.params);
	t->h->capture(t->h->d, &j->c);
	if (m->prepare && !m->prepare(&j->c, e)) {
		job_free(j);
		return false;
	}
	j->c.d = NULL;
	t->pending++;
	if (t->h->defer(t->client, j, m->takes) == 0)
		return true;
	t->pending--;
	j->c.d = t->h->d;
	if (m->finish)
		json_decref(m->finish(&j->c, NULL, e));
	job_free(j);
	rpc_fail(e, RPC_BUSY, "too many requests are outstanding: ask again when some are "
		 "answered");
	return false;
}

static void
run_here(struct turn *t, const struct method *m, struct call *c, json_t *id)
{
	struct rpc_error e = { 0 };

	t->h->capture(t->h->d, c);
	answer(t, id, m->run(c, &e), &e);
	t->h->release(c);
}

/* ---- requests ----------------------------------------------------------------------- */

static bool
may_call(const struct turn *t, const struct method *m, struct rpc_error *e)
{
	if (t->access >= m->access)
		return true;
	rpc_fail(e, RPC_DENIED, "%s: only root and the user that moored runs as may call it",
		 m->name);
	return false;
}

static void
call_method(struct turn *t, const struct rpc_method *rm, json_t *params, json_t *id)
{
	struct call c = { .d = t->h->d, .access = t->access, .client = t->client };
	struct rpc_error e = { 0 };
	char why[300];

	c.params = params ? json_incref(params) : json_object();
	if (!c.params)
		rpc_fail(&e, RPC_INTERNAL, "out of memory");
	else if (!json_is_object(c.params))
		rpc_fail(&e, RPC_PARAMS, "params: give them by name, as an object");
	else if (!schema_check(rm->params, c.params, why, sizeof(why)))
		rpc_fail(&e, RPC_PARAMS, "%s", why);
	else if (!may_call(t, rm->m, &e))
		;
	else if (rm->m->takes == TAKES_NO_TIME)
		run_here(t, rm->m, &c, id);
	else if (id || rm->m->finish)
		send_away(t, rm->m, &c, id, &e);
	if (e.code)
		answer_error(t, id, &e);
	json_decref(c.params);
}

static void
bad_request(struct turn *t, const char *why)
{
	json_array_append_new(t->answers, error_object(json_null(), RPC_REQUEST, why));
}

static void
request(struct turn *t, json_t *r)
{
	json_t *id = json_object_get(r, "id"), *name = json_object_get(r, "method");
	json_t *params = json_object_get(r, "params");
	const char *version = json_string_value(json_object_get(r, "jsonrpc"));
	const struct rpc_method *rm;
	struct rpc_error e = { 0 };

	if (!json_is_object(r))
		bad_request(t, "a request is an object");
	else if (!version || strcmp(version, "2.0") != 0)
		bad_request(t, "jsonrpc: want \"2.0\"");
	else if (id && !json_is_string(id) && !json_is_number(id) && !json_is_null(id))
		bad_request(t, "id: want a string, a number or null");
	else if (!json_is_string(name))
		bad_request(t, "method: want a string");
	else if (params && !json_is_object(params) && !json_is_array(params))
		bad_request(t, "params: want an object");
	else if ((rm = t->h->find(json_string_value(name))))
		call_method(t, rm, params, id);
	else if (id) {
		rpc_fail(&e, RPC_METHOD, "%.80s: no such method: system.methods lists them",
			 json_string_value(name));
		answer_error(t, id, &e);
	}
}

static unsigned
requests(struct turn *t, json_t *in)
{
	json_t *one;
	size_t i;

	if (!json_is_array(in)) {
		request(t, in);
		return 1;
	}
	if (!json_array_size(in)) {
		bad_request(t, "the batch is empty");
		return 1;
	}
	if (json_array_size(in) > RPC_BATCH_MAX) {
		bad_request(t, "more than 100 requests in one batch: send several");
		return 1;
	}
	t->batch = true;
	json_array_foreach(in, i, one)
		request(t, one);
	return (unsigned)json_array_size(in);
}

unsigned
rpc_line(const struct rpc_host *h, void *client, enum access access, const char *data, size_t len)
{
	struct turn *t = calloc(1, sizeof(*t));
	char why[JSON_ERROR_TEXT_LENGTH + 64];
	json_error_t je;
	unsigned n = 1;
	json_t *in;

	if (t)
		*t = (struct turn){ .h = h, .client = client, .access = access, .pending = 1,
			.answers = json_array() };
	if (!t || !t->answers) {
		free(t);
		h->reply(client, NULL, 0);
		return n;
	}
	in = json_loadb(data, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &je);
	if (in) {
		n = requests(t, in);
	} else {
		snprintf(why, sizeof(why), "byte %d: %s", je.position, je.text);
		json_array_append_new(t->answers, error_object(json_null(), RPC_PARSE, why));
	}
	json_decref(in);
	turn_put(t);
	return n;
}
