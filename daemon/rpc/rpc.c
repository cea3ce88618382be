// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* rpc.c - JSON-RPC 2.0 (jsonrpc.org/specification, 2013-01-04).
 *
 * A line is a request, or a batch, whose answers are collected until the last is made.
 * The whole line is parsed first, since an error in it answers for all of a batch; then
 * each request of a batch is parsed again when it is its turn.  So a batch that waits
 * costs its text and not its tree, which may be thirty times as large.
 *
 * A request that takes long leaves as a *job*: the line waits for it, the loop does not.
 * Params go by name.  A notification to a slow method does nothing: slow methods only
 * read, but for those with finish(), which do run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc.h"
#include "rpc/schema.h"

struct rpc_line {
	const struct rpc_host *h;
	void *client;
	enum access access;
	unsigned pending;	/* jobs, and one while requests are left */
	json_t *only;		/* the request, where it is not a batch */
	char *text;		/* of a batch; NULL: not a batch */
	size_t len, at;		/* its length; where the next request is searched */
	unsigned n_left;	/* requests */
	bool answered;		/* something is in out */
	struct evbuffer *out;
};

struct rpc_job {
	struct rpc_line *l;
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

/* ---- text -------------------------------------------------------------------------- */

static int
add_piece(const char *text, size_t len, void *buf)
{
	moore_buf_add(buf, text, len);
	return ((struct moore_buf *)buf)->oom ? -1 : 0;
}

/* j between two characters (0: none), which the caller frees; NULL: out of memory.  Takes j
 * (NULL: memory ran out while it was made). */
static char *
text_of(json_t *j, char before, char after, size_t *len)
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool good;

	moore_buf_add(&b, &before, before != 0);
	good = j && json_dump_callback(j, add_piece, &b, JSON_ENCODE_ANY | JSON_COMPACT |
				       JSON_REAL_PRECISION(12)) == 0;
	moore_buf_add(&b, &after, after != 0);
	json_decref(j);
	if (!good || b.oom) {
		moore_buf_free(&b);
		return NULL;
	}
	*len = b.len;
	return b.data;
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
	return text_of(error_object(json_null(), code, text), 0, '\n', len);
}

char *
rpc_notification(const char *method, json_t *params, size_t *len)
{
	json_t *j = params ? json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method,
				       "params", params) : NULL;

	return text_of(j, 0, '\n', len);
}

/* ---- answers ----------------------------------------------------------------------- */

static void
free_text(const void *data, size_t len, void *arg)
{
	(void)len, (void)arg;
	free((void *)(uintptr_t)data);
}

static void
uncount(const void *data, size_t len, void *shared)
{
	(void)data;
	*(size_t *)shared -= len;
}

/* Adds a constant: by reference, since evbuffer_add() after a reference reserves as much room
 * as that had. */
static void
add_mark(struct rpc_line *l, const char *mark)
{
	evbuffer_add_reference(l->out, mark, strlen(mark), NULL, NULL);
}

static char
mark_before(const struct rpc_line *l)
{
	return !l->text ? 0 : l->answered ? ',' : '[';
}

/* Takes text (len bytes, which begin with mark_before(); NULL: out of memory). */
static void
add_text(struct rpc_line *l, char *text, size_t len)
{
	static const char sorry[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,"
				    "\"message\":\"out of memory\"}}";

	if (text && evbuffer_add_reference(l->out, text, len, free_text, NULL) < 0) {
		free(text);
		text = NULL;
	}
	if (!text) {
		if (l->text)
			add_mark(l, l->answered ? "," : "[");
		add_mark(l, sorry);
	}
	l->answered = true;
}

static void
add_answer(struct rpc_line *l, json_t *j)
{
	size_t len = 0;
	char *text = text_of(j, mark_before(l), 0, &len);

	add_text(l, text, len);
}

static void
answer_error(struct rpc_line *l, json_t *id, const struct rpc_error *e)
{
	if (id)
		add_answer(l, error_object(id, e->code, e->text));
}

/* Takes result. */
static void
answer(struct rpc_line *l, json_t *id, json_t *result, const struct rpc_error *e)
{
	static const struct rpc_error oom = { RPC_INTERNAL, "out of memory" };

	if (!result)
		answer_error(l, id, e->code ? e : &oom);
	else if (id)
		add_answer(l, json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", id, "result",
					result));
	json_decref(result);
}

/* Answers a method whose result is always the same: all clients that wait for it share one
 * text. */
static void
answer_once(struct rpc_line *l, json_t *id, const struct rpc_method *rm)
{
	size_t n = 0, len = 0;
	char *text = id ? text_of(json_incref(id), 0, 0, &n) : NULL, *head;
	char mark[2] = { mark_before(l), '\0' };
	struct moore_buf b = MOORE_BUF_INIT;

	if (!id)
		return;
	moore_buf_fmt(&b, "%s{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":", mark, (int)n,
		      text ? text : "");
	head = text && !b.oom ? b.data : NULL;
	len = b.len;
	free(text);
	if (!head)
		moore_buf_free(&b);
	add_text(l, head, len);
	if (head && evbuffer_add_reference(l->out, rm->answer, rm->answer_len, uncount,
					   l->h->shared) == 0)
		*l->h->shared += rm->answer_len;
	else if (head)
		add_mark(l, "null}");
}

/* One reason less for the line to stay. */
static void
line_put(struct rpc_line *l)
{
	if (--l->pending)
		return;
	if (l->answered)
		add_mark(l, l->text ? "]\n" : "\n");
	else {
		evbuffer_free(l->out);
		l->out = NULL;
	}
	l->h->reply(l->client, l->out);
	json_decref(l->only);
	free(l->text);
	free(l);
}

/* ---- jobs -------------------------------------------------------------------------- */

void *
rpc_job_client(const struct rpc_job *j)
{
	return j->l->client;
}

void
rpc_job_run(void *job)
{
	struct rpc_job *j = job;

	j->result = j->m->run(&j->c, &j->e);
}

static void
job_free(struct rpc_job *j)
{
	j->l->h->release(&j->c);
	json_decref(j->c.params);
	json_decref(j->id);
	free(j);
}

void
rpc_job_end(struct rpc_job *j)
{
	struct rpc_line *l = j->l;

	if (!j->result && !j->e.code)
		rpc_fail(&j->e, RPC_INTERNAL, "moored stops, or memory ran out");
	j->c.d = l->h->d;
	if (j->m->finish)
		j->result = j->m->finish(&j->c, j->result, &j->e);
	answer(l, j->id, j->result, &j->e);
	job_free(j);
	line_put(l);
}

/* False: *e says why it did not leave. */
static bool
send_away(struct rpc_line *l, const struct method *m, const struct call *c, json_t *id,
	  struct rpc_error *e)
{
	struct rpc_job *j = calloc(1, sizeof(*j));

	if (!j) {
		rpc_fail(e, RPC_INTERNAL, "out of memory");
		return false;
	}
	*j = (struct rpc_job){ .l = l, .m = m, .c = *c, .id = json_incref(id) };
	json_incref(j->c.params);
	if (!l->h->capture(l->h->d, &j->c, e) || (m->prepare && !m->prepare(&j->c, e))) {
		job_free(j);
		return false;
	}
	j->c.d = NULL;
	l->pending++;
	if (l->h->defer(l->client, j, m->takes) == 0)
		return true;
	l->pending--;
	j->c.d = l->h->d;
	if (m->finish)
		json_decref(m->finish(&j->c, NULL, e));
	job_free(j);
	rpc_fail(e, RPC_BUSY, "too many requests are outstanding: ask again when some are "
		 "answered");
	return false;
}

static void
run_here(struct rpc_line *l, const struct method *m, struct call *c, json_t *id)
{
	struct rpc_error e = { 0 };

	answer(l, id, l->h->capture(l->h->d, c, &e) ? m->run(c, &e) : NULL, &e);
	l->h->release(c);
}

/* ---- requests ---------------------------------------------------------------------- */

static bool
may_call(const struct rpc_line *l, const struct method *m, struct rpc_error *e)
{
	if (l->access >= m->access)
		return true;
	rpc_fail(e, RPC_DENIED, "%s: only root and the user that moored runs as may call it",
		 m->name);
	return false;
}

static void
call_method(struct rpc_line *l, const struct rpc_method *rm, json_t *params, json_t *id)
{
	struct call c = { .d = l->h->d, .access = l->access, .client = l->client };
	struct rpc_error e = { 0 };
	char why[300];

	c.params = params ? json_incref(params) : json_object();
	if (!c.params)
		rpc_fail(&e, RPC_INTERNAL, "out of memory");
	else if (!json_is_object(c.params))
		rpc_fail(&e, RPC_PARAMS, "params: give them by name, as an object");
	else if (!schema_check(rm->params, c.params, why, sizeof(why)))
		rpc_fail(&e, RPC_PARAMS, "%s", why);
	else if (!may_call(l, rm->m, &e))
		;
	else if (rm->answer)
		answer_once(l, id, rm);
	else if (rm->m->takes == TAKES_NO_TIME)
		run_here(l, rm->m, &c, id);
	else if (id || rm->m->finish)
		send_away(l, rm->m, &c, id, &e);
	if (e.code)
		answer_error(l, id, &e);
	json_decref(c.params);
}

static void
bad_request(struct rpc_line *l, const char *why)
{
	add_answer(l, error_object(json_null(), RPC_REQUEST, why));
}

static void
request(struct rpc_line *l, json_t *r)
{
	json_t *id = json_object_get(r, "id"), *name = json_object_get(r, "method");
	json_t *params = json_object_get(r, "params");
	const char *version = json_string_value(json_object_get(r, "jsonrpc"));
	const struct rpc_method *rm;
	struct rpc_error e = { 0 };

	if (!json_is_object(r))
		bad_request(l, "a request is an object");
	else if (!version || strcmp(version, "2.0") != 0)
		bad_request(l, "jsonrpc: want \"2.0\"");
	else if (id && !json_is_string(id) && !json_is_number(id) && !json_is_null(id))
		bad_request(l, "id: want a string, a number or null");
	else if (!json_is_string(name))
		bad_request(l, "method: want a string");
	else if (params && !json_is_object(params) && !json_is_array(params))
		bad_request(l, "params: want an object");
	else if ((rm = l->h->find(json_string_value(name))))
		call_method(l, rm, params, id);
	else if (id) {
		rpc_fail(&e, RPC_METHOD, "%.80s: no such method: system.methods lists them",
			 json_string_value(name));
		answer_error(l, id, &e);
	}
}

/* ---- lines ------------------------------------------------------------------------- */

static void
take_batch(struct rpc_line *l, const json_t *in, const char *data, size_t len)
{
	if (!json_array_size(in)) {
		bad_request(l, "the batch is empty");
	} else if (json_array_size(in) > RPC_BATCH_MAX) {
		bad_request(l, "more than 100 requests in one batch: send several");
	} else if ((l->text = moore_strndup(data, len))) {
		l->len = len;
		l->n_left = (unsigned)json_array_size(in);
	} else {
		add_text(l, NULL, 0);
	}
}

struct rpc_line *
rpc_open(const struct rpc_host *h, void *client, enum access access, const char *data, size_t len,
	 struct evbuffer *out)
{
	struct rpc_line *l = out ? calloc(1, sizeof(*l)) : NULL;
	char why[JSON_ERROR_TEXT_LENGTH + 64];
	json_error_t je;
	json_t *in;

	if (!l) {
		if (out)
			evbuffer_free(out);
		h->reply(client, NULL);
		return NULL;
	}
	*l = (struct rpc_line){ .h = h, .client = client, .access = access, .pending = 1, .out = out };
	in = json_loadb(data, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &je);
	if (json_is_array(in)) {
		take_batch(l, in, data, len);
	} else if (in) {
		l->only = json_incref(in);
		l->n_left = 1;
	} else {
		snprintf(why, sizeof(why), "byte %d: %s", je.position, je.text);
		add_answer(l, error_object(json_null(), RPC_PARSE, why));
	}
	json_decref(in);
	return l;
}

/* The next request of a batch, whose text is known to be an array; NULL: out of memory. */
static json_t *
next_request(struct rpc_line *l)
{
	static const char blank[] = " \t\r\n";
	json_error_t je;
	json_t *r;

	l->at += strspn(l->text + l->at, blank);
	l->at++;		/* '[' or ',' */
	l->at += strspn(l->text + l->at, blank);
	r = json_loadb(l->text + l->at, l->len - l->at, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES |
		       JSON_DISABLE_EOF_CHECK, &je);
	if (r)
		l->at += (size_t)je.position;
	return r;
}

bool
rpc_next(struct rpc_line *l)
{
	json_t *r = !l->n_left ? NULL : l->only ? json_incref(l->only) : next_request(l);

	if (r) {
		l->n_left--;
		request(l, r);
	} else if (l->n_left) {
		l->n_left = 0;
		add_text(l, NULL, 0);
	}
	json_decref(r);
	if (l->n_left)
		return true;
	line_put(l);
	return false;
}

void
rpc_abandon(struct rpc_line *l)
{
	l->n_left = 0;
	line_put(l);
}
