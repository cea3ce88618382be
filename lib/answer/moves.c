// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* moves.c - cable ends that move from one plan to another: a permutation of links, and an
 * order of steps that keeps the fabric running. */
#include <stdlib.h>

#include "answer/answer_impl.h"

#define A_PLUG OBJ_OR_NULL("'switch':" STR ",'port':" INT ",'cabinet':" OR_NULL("string"))
#define MOVES LIST_OF(OBJ("'cable':" INT ",'label':" OR_NULL("string") ",'end':{'type':'string'," \
	"'enum':['a','b']},'from':" A_PLUG ",'to':" A_PLUG))

const char moore_schema_permutation[] = OBJ("'method':" STR ",'fraction':" NUM ",'seed':" INT
	",'trials':" INT ",'best_trial':" INT ",'swaps':" INT ",'before':" OBJ(METRICS_KEYS)
	",'after':" OBJ(METRICS_KEYS) ",'same_lengths':" BOOL ",'moves':" MOVES);

const char moore_schema_steps[] = OBJ("'ok':" BOOL ",'possible':" BOOL ",'safe':" BOOL
	",'max_cables':" INT ",'error':" AN_ERROR_OR_NULL ",'cables?':" INT ",'ahead?':" INT
	",'out?':" INT ",'moves?':" INT ",'steps?':" LIST_OF(OBJ("'step':" INT ",'cables':" INT
		",'moves':" MOVES ",'connected':" BOOL ",'ok':" BOOL ",'safe':" BOOL ",'max_load':"
		OR_NULL("number") ",'mean_load':" OR_NULL("number") ",'max_over_mean_load':"
		OR_NULL("number") ",'error':" OR_NULL("string") "," METRICS_KEYS)));

static json_t *
json_plug(const struct moore_plan *p, struct moore_switch_port at)
{
	const struct moore_plan_switch *s;

	if (at.sw == MOORE_NONE)
		return json_null();
	s = &p->sw[at.sw];
	return json_pack("{s:o, s:i, s:o}", "switch", moore_json_name(s->name), "port", at.port,
			 "cabinet", s->cabinet ? moore_json_name(s->cabinet) : json_null());
}

static json_t *
json_moves(const struct moore_plan *p, const struct moore_cable_move *move, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const char *label = p->cable[move[i].cable].label;

		list = moore_json_add(list, json_pack("{s:i, s:o, s:s, s:o, s:o}",
			"cable", (int)move[i].cable,
			"label", label ? moore_json_name(label) : json_null(),
			"end", move[i].end ? "b" : "a", "from", json_plug(p, move[i].from),
			"to", json_plug(p, move[i].to)));
	}
	return list;
}

json_t *
moore_answer_permutation(const struct moore_plan *p, const struct moore_permute_opts *o,
			 const struct moore_permutation *r)
{
	return json_pack("{s:s, s:f, s:I, s:i, s:i, s:i, s:o, s:o, s:b, s:o}",
		"method", moore_permute_name(o->method), "fraction", o->fraction,
		"seed", (json_int_t)o->seed, "trials", (int)r->n_trials,
		"best_trial", (int)r->best + 1, "swaps", (int)r->n_swaps,
		"before", moore_json_metrics(&r->before), "after", moore_json_metrics(&r->after),
		"same_lengths", 1, "moves", json_moves(p, r->move, r->n_moves));
}

/* ---- steps -------------------------------------------------------------------------- */

/* How many cables differ among the moves of step i; touched is all false, before and after. */
static int
count_touched(const struct moore_steps *s, uint32_t i, bool *touched)
{
	int n = 0;

	for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
		n += !touched[s->move[k].cable];
		touched[s->move[k].cable] = true;
	}
	for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
		touched[s->move[k].cable] = false;
	return n;
}

static json_t *
json_step(const struct moore_plan *p, const struct moore_steps *s, const struct moore_step_judged *t,
	  uint32_t i, bool *touched)
{
	json_t *moves = json_moves(p, s->move + s->first[i], s->first[i + 1] - s->first[i]);
	json_t *o = json_pack("{s:i, s:i, s:o, s:b, s:b, s:b}", "step", (int)i + 1, "cables",
			      count_touched(s, i, touched), "moves", moves, "connected",
			      t->metrics.diameter != MOORE_NONE, "ok", t->safe, "safe", t->safe);

	if (t->routed)
		o = moore_json_merge(o, moore_json_load(t->max_load, t->mean_load));
	else
		o = moore_json_merge(o, json_pack("{s:n, s:n, s:n}", "max_load", "mean_load",
						  "max_over_mean_load"));
	o = moore_json_set(o, "error", t->routed ? json_null() : moore_json_name(t->why));
	return moore_json_merge(o, moore_json_metrics(&t->metrics));
}

json_t *
moore_answer_steps(const struct moore_plan *p, const struct moore_steps *s,
		   const struct moore_step_judged *judged, uint64_t max_cables)
{
	bool *touched = calloc((size_t)s->n_cables + 1, sizeof(*touched)), safe = true;
	json_t *list = touched ? json_array() : NULL;

	for (uint32_t i = 0; touched && i < s->n_steps; i++) {
		safe &= judged[i].safe;
		list = moore_json_add(list, json_step(p, s, &judged[i], i, touched));
	}
	free(touched);
	return json_pack("{s:b, s:b, s:b, s:I, s:n, s:i, s:i, s:i, s:i, s:o}", "ok", safe,
		"possible", 1, "safe", safe, "max_cables", (json_int_t)max_cables, "error",
		"cables", (int)s->n_cables, "ahead", (int)s->n_ahead, "out", (int)s->n_out,
		"moves", (int)s->n_moves, "steps", list);
}

json_t *
moore_answer_no_steps(const char *why, uint64_t max_cables)
{
	return json_pack("{s:b, s:b, s:b, s:I, s:o}", "ok", 0, "possible", 0, "safe", 0,
			 "max_cables", (json_int_t)max_cables, "error",
			 moore_json_error(why, NULL, 0));
}
