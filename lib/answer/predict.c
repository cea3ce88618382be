// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* predict.c - the traffic that jobs put on links, by routing, pattern and placement. */
#include "answer/answer_impl.h"

#define PREDICTED_ROW OBJ("'routing':" STR ",'pattern':" STR ",'placement':" STR ",'cut':" BOOL \
	",'programmable':" BOOL ",'min':" NUM ",'q1':" NUM ",'median':" NUM ",'mean':" NUM ",'q3':" NUM ",'max':" NUM \
	",'saturation':" NUM ",'lost':" NUM ",'sampled':" OR_NULL("integer") ",'error':" NUM)

const char moore_schema_predict[] = OBJ("'switches':" INT ",'nodes':" INT ",'processes':" INT ",'seed':"
	INT ",'lmc':" INT ",'rows':" LIST_OF(PREDICTED_ROW));

static json_t *
json_row(const struct moore_prediction *p)
{
	const struct moore_summary *s = &p->load;

	return json_pack("{s:s, s:s, s:s, s:b, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:f}",
			 "routing", moore_routing_name(p->routing), "pattern", p->pattern,
			 "placement", p->placement, "cut", p->cut,
			 "programmable", p->routing == MOORE_ROUTING_TABLES,
			 "min", s->min, "q1", s->q1, "median", s->median, "mean", s->mean, "q3", s->q3,
			 "max", s->max, "saturation", p->saturation, "lost", p->lost,
			 "sampled", p->sampled ? json_integer(p->sampled) : json_null(),
			 "error", p->error);
}

json_t *
moore_answer_predict(const struct moore_fabric *f, const struct moore_prediction *p, size_t n,
		     uint32_t processes, uint64_t seed, uint8_t lmc)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < n; i++)
		rows = moore_json_add(rows, json_row(&p[i]));
	return json_pack("{s:i, s:i, s:i, s:o, s:i, s:o}", "switches", (int)f->n_switches, "nodes",
			 (int)f->n_endpoints, "processes", (int)processes, "seed", moore_json_count(seed),
			 "lmc", lmc, "rows", rows);
}
