// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* api.c - /api/METHOD?NAME=VALUE&...: the answer of a method, as on the socket.
 *
 * The query becomes a request of JSON-RPC, which rpc.c checks and answers as it does a line of the
 * socket, with the rights of a reader.  Only the methods of this table can be called: the page
 * needs no other, and those that subscribe need a client of the socket. */
#include <stdlib.h>
#include <string.h>

#include "page/page.h"
#include "rpc/registry.h"

static const char *const allowed[] = {
	"system.status", "fabric.summary", "fabric.switches", "fabric.links", "fabric.loads",
	"fabric.locate", "plan.summary", "plan.get", "wiring.check", "wiring.repair",
	"hotspots.list", "hotspots.explain", "errors.list", "history.port", "routes.path",
	"events.past",
};

struct asked {			/* one request */
	struct web *g;
	struct http_wait wait;
};

static const struct rpc_method *
find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
		if (!strcmp(name, allowed[i]))
			return method_find(name);
	return NULL;
}

static void
reply(void *client, struct evbuffer *out)
{
	struct asked *a = client;
	struct http_peer *p = http_waited(&a->wait);

	if (p && out)
		http_answer_buffer(p, "application/json", out);
	else if (p)
		http_refuse(p, "500 Internal Server Error", "");
	if (out)
		evbuffer_free(out);
	free(a);
}

/* ---- jobs -------------------------------------------------------------------------- */

static void
end_job(void *job)
{
	const struct asked *a = rpc_job_client(job);

	a->g->n_jobs--;
	rpc_job_end(job);	/* which may free a */
}

static int
defer(void *client, struct rpc_job *job, enum takes takes)
{
	struct web *g = ((struct asked *)client)->g;

	if (g->n_jobs >= PAGE_JOBS || worker_add(g->d->worker[takes == TAKES_LONG ? WORK_LONG : WORK_SHORT],
						 rpc_job_run, end_job, job) < 0)
		return -1;
	g->n_jobs++;
	return 0;
}

void
page_api_start(struct web *g)
{
	g->host = (struct rpc_host){ g->d, find, state_capture, state_release, defer, reply,
		&g->shared };
}

/* ---- params ------------------------------------------------------------------------ */

/* A value as the schema of its param has it: a number for an integer, else text. */
static json_t *
value_of(const struct rpc_method *rm, const char *name, const char *text)
{
	const json_t *schema = json_object_get(json_object_get(rm->params, "properties"), name);
	const char *type = json_string_value(json_object_get(schema, "type"));
	const char *at = text;
	uint64_t v;

	if (type && !strcmp(type, "integer") &&
	    moore_text_u64(&at, text + strlen(text), 10, INT64_MAX, &v) && !*at)
		return json_integer((json_int_t)v);
	if (type && !strcmp(type, "boolean") && (!strcmp(text, "true") || !strcmp(text, "false")))
		return json_boolean(text[0] == 't');
	return json_string(text);
}

/* The params of a query; NULL: it is malformed, or memory ran out. */
static json_t *
read_query(const struct rpc_method *rm, const char *query)
{
	char *copy = strdup(query), *rest = copy, *value, *name;
	json_t *params = json_object();
	bool good = copy && params;

	while (good && (name = strsep(&rest, "&"))) {
		value = name;
		strsep(&value, "=");
		good = !*name || (value && http_unescape(name) && http_unescape(value) &&
				  !json_object_get(params, name) &&
				  json_object_set_new(params, name, value_of(rm, name, value)) == 0);
	}
	free(copy);
	if (good)
		return params;
	json_decref(params);
	return NULL;
}

/* The request as a line, which the caller frees; NULL as read_query(). */
static char *
request_line(const struct rpc_method *rm, const char *query)
{
	json_t *params = read_query(rm, query);
	json_t *request = params ? json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", 1,
					     "method", rm->m->name, "params", params) : NULL;
	char *line = request ? json_dumps(request, JSON_COMPACT) : NULL;

	json_decref(request);
	return line;
}

void
page_api(struct web *g, struct http_peer *p, const char *method, const char *query)
{
	const struct rpc_method *rm = find(method);
	char *line = rm ? request_line(rm, query) : NULL;
	struct asked *a = line ? calloc(1, sizeof(*a)) : NULL;
	struct rpc_line *l;

	if (a) {
		a->g = g;
		http_wait(p, &a->wait);
		l = rpc_open(&g->host, a, ACCESS_READ, line, strlen(line), evbuffer_new());
		if (l)
			rpc_next(l);
	} else {
		http_refuse(p, !rm ? "404 Not Found" : "400 Bad Request", "");
	}
	free(line);
}
