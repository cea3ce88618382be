/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* methods.h - how a row of the table of methods is written.
 *
 * Schemas are JSON with ' for ", so that C can hold them; methods_init() reads them.
 * P() and R() are the params and the result of a method: an object whose properties
 * are given; all params are optional unless P_REQ() lists them. */
#ifndef MOORED_METHODS_H
#define MOORED_METHODS_H

#include "json.h"
#include "moore/answer.h"
#include "moored.h"
#include "rpc/rpc.h"

#define P(properties) "{'type':'object','additionalProperties':false,'properties':{" \
	properties "}}"
#define P_REQ(required, properties) "{'type':'object','additionalProperties':false," \
	"'required':[" required "],'properties':{" properties "}}"
#define R(properties) "{'type':'object','properties':{" properties "}}"
#define PLANE "'plane':{'type':'integer','minimum':0,'maximum':7," \
	"'description':'index in planes of moored.conf(5) (0)'}"
#define NAME "{'type':'string','minLength':1,'maxLength':200}"
#define INT "{'type':'integer'}"
#define STR "{'type':'string'}"
#define BOOL "{'type':'boolean'}"
#define LIST "{'type':'array'}"
#define OBJECT "{'type':'object'}"
#define OR_NULL(type) "{'type':['" type "','null']}"
/* The result is an answer of moore/answer.h and the sweep it is from. */
#define ANSWER(name) "=" name
#define SWEEP_KEYS "'sweep':" INT ",'plane':" INT ",'at_ms':" INT	/* of from_sweep() */
#define SWEEP SWEEP_KEYS ","

/* Read all schemas; false, with the reason in the log, is a defect of the table. */
bool methods_init(void);
void methods_fini(void);
const struct rpc_method *method_find(const char *name);
/* In order of the tables; NULL past the end. */
const struct rpc_method *method_at(size_t i);
/* The reference, docs/rpc.md. */
void methods_print(struct moore_buf *out);

/* The snapshot that c is about; NULL fills *e with the reason.  need_fabric: with
 * LIDs; need_tables: with LFTs read back. */
enum need { NEED_SEEN, NEED_FABRIC, NEED_TABLES };
const struct snapshot *call_snapshot(const struct call *c, enum need need, struct rpc_error *e);
/* prepare() and finish() of methods that compute with moore.conf: its path in c->own. */
bool take_moore_conf(struct call *c, struct rpc_error *e);
json_t *drop_own(struct call *c, json_t *result, struct rpc_error *e);

#endif
