// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* env.c - the settings by which a job uses the LID offsets, transport by transport. */
#include "answer/answer_impl.h"

const char moore_schema_env[] = OBJ("'ok':" BOOL ",'target':" STR ",'lids':" INT ",'profile':" STR
	",'transports':" LIST_OF(OBJ("'transport':" STR ",'what':" STR ",'offsets':" STR
		",'settings':" LIST_OF(OBJ("'name':" STR ",'value':" STR ",'why':" STR))
		",'refused':" OR_NULL("string"))));

static json_t *
json_transport(const struct moore_env_answer *t)
{
	struct moore_buf offsets = MOORE_BUF_INIT;
	json_t *list = json_array();

	for (unsigned i = 0; i < t->n_settings; i++)
		list = moore_json_add(list, json_pack("{s:s, s:s, s:s}", "name", t->setting[i].name,
			"value", t->setting[i].value, "why", t->setting[i].why));
	moore_env_put(&offsets, &t->use);
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "transport", t->transport, "what", t->what,
		"offsets", moore_json_text(&offsets), "settings", list, "refused",
		t->refused ? json_string(t->refused) : json_null());
}

json_t *
moore_answer_env(const struct moore_env *e, const char *target)
{
	struct moore_env_answer t;
	json_t *list = json_array();
	bool any = false;
	int rc;

	for (size_t i = 0; (rc = moore_env_answer(e, target, i, &t)) > 0; i++) {
		list = moore_json_add(list, json_transport(&t));
		any |= !t.refused;
	}
	if (rc < 0) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{s:b, s:s, s:i, s:s, s:o}", "ok", any, "target", target,
			 "lids", (int)e->n_lids, "profile", e->profile,
			 "transports", list);
}
