// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* conf.c - the keys of moore.conf, and whether a given one is right. */
#include "answer/answer_impl.h"

const char moore_schema_conf[] = OBJ("'keys':" LIST_OF(OBJ("'key':" STR ",'default':" STR ",'help':"
	STR)));
const char moore_schema_conf_check[] = OBJ("'ok':" BOOL ",'valid':" BOOL ",'plan?':" STR
	",'seed?':" INT ",'error':" AN_ERROR_OR_NULL ",'errors':" LIST_OF(AN_ERROR));

json_t *
moore_answer_conf(void)
{
	const struct moore_key *k;
	json_t *list = json_array();

	for (size_t i = 0; (k = moore_conf_key_at(i)); i++)
		list = moore_json_add(list, json_pack("{s:s, s:s, s:s}", "key", k->key, "default",
						      k->dflt, "help", k->help));
	return json_pack("{s:o}", "keys", list);
}

json_t *
moore_answer_conf_check(const char *file, const struct moore_conf *conf,
			const struct moore_err *fault, size_t n)
{
	json_t *errors = json_array();

	for (size_t i = 0; i < n; i++)
		errors = moore_json_add(errors, moore_json_error(fault[i].text, file, fault[i].line));
	if (n)
		return json_pack("{s:b, s:b, s:o, s:o}", "ok", 0, "valid", 0, "error",
				 moore_json_error(fault->text, file, fault->line), "errors", errors);
	return json_pack("{s:b, s:b, s:o, s:I, s:n, s:o}", "ok", 1, "valid", 1, "plan",
			 moore_json_name(conf->plan), "seed", (json_int_t)conf->seed, "error",
			 "errors", errors);
}
