// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* registry.c - the table of all methods, made of those in methods/.  Dispatch, validation,
 * system.methods, docs/rpc.md and shell completion use it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "moore/answer.h"
#include "rpc/registry.h"
#include "rpc/schema.h"

static const struct method *const tables[] = {
	methods_system, methods_fabric, methods_plan, methods_routes, methods_wiring, methods_hot,
	methods_history, methods_job, methods_events, methods_drain, methods_about,
	methods_dump,
};

static struct rpc_method *methods;
static size_t n_methods;

/* The schema of an answer, which also allows the keys of from_sweep(). */
static json_t *
answer_schema(const char *name)
{
	json_t *schema = moore_answer_schema(name), *sweep = moore_json_quoted("{" SWEEP_KEYS "}");
	json_t *properties = json_object_get(schema, "properties"), *type;
	const char *key;

	json_object_foreach(sweep, key, type)
		json_array_append_new(json_object_get(schema, "required"), json_string(key));
	json_object_update(properties, sweep);
	json_decref(sweep);
	return schema;
}

static bool
good_schema(const struct method *m, const char *text, json_t **out)
{
	char why[200] = "is no JSON";

	*out = text[0] == '=' ? answer_schema(text + 1) : moore_json_quoted(text);
	if (*out && schema_valid(*out, why, sizeof(why)))
		return true;
	log_say(LOG_ERR, NULL, "%s: its schema: %s", m->name, why);
	return false;
}

/* The text of answers that never change; others share it. */
static bool
answer_once(struct rpc_method *rm)
{
	struct rpc_error e = { 0 };
	struct call c = { 0 };
	json_t *result;
	size_t room;

	if (rm->m->takes != TAKES_ONCE)
		return true;
	result = rm->m->run(&c, &e);
	room = result ? json_dumpb(result, NULL, 0, JSON_COMPACT) : 0;
	rm->answer = room ? malloc(room + 1) : NULL;
	if (rm->answer) {
		json_dumpb(result, rm->answer, room, JSON_COMPACT);
		rm->answer[room] = '}';
		rm->answer_len = room + 1;
	}
	json_decref(result);
	return rm->answer != NULL;
}

bool
methods_init(void)
{
	size_t n = 0;

	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct method *m = tables[t]; m->name; m++)
			n++;
	if (!(methods = calloc(n, sizeof(*methods))))
		return false;
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (const struct method *m = tables[t]; m->name; m++) {
			struct rpc_method *rm = &methods[n_methods++];

			rm->m = m;
			if (!good_schema(m, m->params, &rm->params) ||
			    !good_schema(m, m->result, &rm->result))
				return false;
		}
	for (size_t i = 0; i < n_methods; i++)
		if (!answer_once(&methods[i]))
			return false;
	return true;
}

void
methods_fini(void)
{
	while (n_methods) {
		json_decref(methods[--n_methods].params);
		json_decref(methods[n_methods].result);
		free(methods[n_methods].answer);
	}
	free(methods);
	methods = NULL;
}

const struct rpc_method *
method_at(size_t i)
{
	return i < n_methods ? &methods[i] : NULL;
}

const struct rpc_method *
method_find(const char *name)
{
	for (size_t i = 0; i < n_methods; i++)
		if (!strcmp(methods[i].m->name, name))
			return &methods[i];
	return NULL;
}

/* ---- the reference ----------------------------------------------------------------- */

static void
print_schema(struct moore_buf *out, const char *title, const json_t *schema)
{
	char *s = json_dumps(schema, JSON_INDENT(2));

	moore_buf_fmt(out, "%s\n\n```json\n%s\n```\n\n", title, s ? s : "");
	free(s);
}

static void
print_method(struct moore_buf *out, const struct rpc_method *rm)
{
	const char *result = rm->m->result;

	moore_buf_fmt(out, "## %s\n\n%s%s\n\n", rm->m->name, rm->m->help,
		      rm->m->access == ACCESS_CHANGE ?
		      " For root and the user that moored runs as." : "");
	print_schema(out, "Params:", rm->params);
	if (result[0] == '=')
		moore_buf_fmt(out, "Result: `sweep`, `plane`, `at_ms` and the answer [%s](#answer-%s)."
			      "\n\n", result + 1, result + 1);
	else
		print_schema(out, "Result:", rm->result);
}

static void
print_answers(struct moore_buf *out)
{
	const struct moore_answer *a;

	moore_buf_fmt(out, "# Answers\n\n"
		"What moored and `moorectl --json` both give, from one table of the library "
		"(moore/answer.h). An answer that is a verdict has `ok`.\n\n");
	for (size_t i = 0; (a = moore_answer_at(i)); i++) {
		json_t *schema = moore_answer_schema(a->name);

		moore_buf_fmt(out, "### Answer %s\n\n%s", a->name, a->help);
		if (*a->verb)
			moore_buf_fmt(out, " `moorectl %s --json`", a->verb);
		print_schema(out, "", schema);
		json_decref(schema);
	}
}

void
methods_print(struct moore_buf *out)
{
	const struct rpc_method *rm;

	moore_buf_fmt(out, "# JSON-RPC of moored\n\n"
		"Written by `moored --print-methods` from the table that dispatches; a test holds "
		"this file to it.\n\n"
		"JSON-RPC 2.0 on a Unix stream socket (`socket` of moored.conf(5)), one JSON value "
		"per line, answers in the order in which they are ready. Params go by name. A batch "
		"holds up to %d requests. Answers about the fabric name the scan they are from (`sweep`).\n\n"
		"Codes besides those of the specification: %d denied, %d nothing was found or read "
		"yet, %d there is no plan, %d nothing has that name, %d too much is outstanding, %d "
		"it was tried and failed.\n\n", RPC_BATCH_MAX, RPC_DENIED, RPC_NO_FABRIC, RPC_NO_PLAN,
		RPC_NOT_FOUND, RPC_BUSY, RPC_FAILED);
	for (size_t i = 0; (rm = method_at(i)); i++)
		print_method(out, rm);
	print_answers(out);
	if (out->len)
		out->data[--out->len] = '\0';
}
