// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* history.c - what happened to a link, a switch, an endpoint, or the whole fabric. */
#include "answer/answer_impl.h"

const char moore_schema_history[] = OBJ("'what':" OR_NULL("string") ",'port':" OR_NULL("integer") ",'cut':" BOOL
	",'events':" LIST_OF(OBJ("'number':" INT ",'at_ms':" INT ",'method':" STR ",'params':" ANY_OBJECT))
	",'load':" OBJ_OR_NULL("'rows':" INT ",'first_ms':" INT ",'mean_out':" NUM ",'mean_in':" NUM
		",'most_out':" NUM ",'most_ms':" INT)
	",'counters':{'type':['array','null'],'items':" OBJ("'counter':" STR ",'value':" INT ",'rose':" INT
		",'per_hour':" OR_NULL("number") ",'last_ms':" OR_NULL("integer")) "}");

static json_t *
json_load(const struct moore_port_past *l)
{
	if (!l || !l->rows || l->seconds <= 0)
		return json_null();
	return json_pack("{s:I, s:I, s:f, s:f, s:f, s:I}", "rows", (json_int_t)l->rows, "first_ms",
			 (json_int_t)l->first_ms, "mean_out", l->bytes_out / l->seconds, "mean_in",
			 l->bytes_in / l->seconds, "most_out", (double)l->most_out, "most_ms",
			 (json_int_t)l->most_ms);
}

json_t *
moore_answer_history(const char *what, unsigned port, json_t *events, bool cut,
		     const struct moore_port_past *load, json_t *counters)
{
	return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o}", "what",
			 what ? moore_json_name(what) : json_null(), "port",
			 port ? json_integer(port) : json_null(), "cut", (int)cut, "events", events,
			 "load", json_load(load), "counters", counters ? counters : json_null());
}
