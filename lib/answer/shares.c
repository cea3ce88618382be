// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shares.c - the LID offsets on which the hosts of a job should send. */
#include "answer/answer_impl.h"

const char moore_schema_shares[] = OBJ("'pairs':" INT ",'hosts':" INT ",'base':" OR_NULL("number")
	",'even':" NUM ",'greatest':" NUM ",'bound':" NUM ",'with_ranks':" OR_NULL("number")
	",'hottest':" OBJ_OR_NULL(LINK_KEYS) ",'list':" LIST_OF(OBJ("'host':" STR ",'port':" INT ",'guid':"
		OR_NULL("string") ",'shares':" LIST_OF(NUM) ",'ranks':" LIST_OF(INT))));

static json_t *
json_host(const struct moore_fabric *f, const struct moore_shares *s, uint32_t i)
{
	const struct moore_endpoint *ep = &f->ep[s->host[i]];
	json_t *shares = json_array(), *ranks = json_array();

	for (uint32_t k = 0; k < s->n_offsets; k++)
		shares = moore_json_add(shares,
					moore_json_share(s->share[(size_t)i * s->n_offsets + k]));
	for (unsigned r = 0; r < s->n_ranks; r++)
		ranks = moore_json_add(ranks, json_integer(s->rank_offset[(size_t)i * s->n_ranks + r]));
	return json_pack("{s:o, s:i, s:o, s:o, s:o}", "host", moore_json_name(ep->name), "port",
			 (int)ep->ca_port, "guid", moore_json_guid(ep->guid), "shares", shares, "ranks",
			 ranks);
}

json_t *
moore_answer_shares(const struct moore_fabric *f, const struct moore_shares *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->n_hosts; i++)
		list = moore_json_add(list, json_host(f, s, i));
	return json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:o, s:o, s:o}", "pairs",
			 moore_json_count(s->n_pairs), "hosts", moore_json_count(s->n_hosts), "base",
			 s->base < 0 ? json_null() : json_real(s->base), "even", s->even, "greatest",
			 s->greatest, "bound", s->bound, "with_ranks",
			 s->n_ranks ? json_real(s->with_ranks) : json_null(), "hottest",
			 s->sw != MOORE_NONE ? moore_json_link(f, s->sw, s->port) : json_null(), "list",
			 list);
}
