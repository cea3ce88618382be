// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* campaign.c - how far a campaign of simulations is. */
#include "answer/answer_impl.h"

const char moore_schema_campaign[] = OBJ("'points':" INT ",'done':" INT ",'ran':" INT ",'chunks':" INT
	",'saturated':" INT ",'stalled':" INT ",'dropped':" INT ",'folder':" STR ",'results':" OR_NULL("string")
	",'times':" OR_NULL("string") ",'script':" OR_NULL("string"));

json_t *
moore_answer_campaign(const struct moore_campaign *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s?, s:s?, s:s?}", "points",
			 moore_json_count(c->points), "done", moore_json_count(c->done), "ran",
			 moore_json_count(c->ran), "chunks", moore_json_count(c->chunks), "saturated",
			 moore_json_count(c->saturated), "stalled", moore_json_count(c->stalled), "dropped",
			 moore_json_count(c->dropped), "folder", c->folder, "results", c->results, "times",
			 c->times, "script", c->script);
}
