// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* path.c - one packet's way through the fabric, hop by hop. */
#include "answer/answer_impl.h"

const char moore_schema_path[] = OBJ("'ok':" BOOL ",'from':" STR ",'to':" STR ",'lid':" INT
	",'sl':" INT ",'delivered':" BOOL ",'fault':" OR_NULL("string") ",'switch_hops':" INT
	",'hops':" LIST_OF(OBJ("'switch':" STR ",'guid':" OR_NULL("string") ",'in':" INT ",'out':"
		OR_NULL("integer") ",'vl':" OR_NULL("integer") ",'peer':" A_PEER)));

/* out is null where there is no route, vl also where the switch itself is the destination. */
static json_t *
json_hop(const struct moore_answer_tables *t, const struct moore_hop *h)
{
	const struct moore_switch *s = &t->f->sw[h->sw];
	bool out = h->out <= s->n_ports;

	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "switch", moore_json_name(s->name),
			 "guid", moore_json_guid(s->guid), "in", h->in,
			 "out", out ? json_integer(h->out) : json_null(),
			 "vl", out && h->out && !t->no_lanes ? json_integer(h->vl) : json_null(),
			 "peer", out ? moore_json_peer(t->f, h->sw, h->out) : json_null());
}

json_t *
moore_answer_path(const struct moore_answer_tables *t, const char *from, const char *to,
		  const struct moore_path *p)
{
	json_t *hops = json_array();

	for (uint32_t i = 0; i < p->n_hops; i++)
		hops = moore_json_add(hops, json_hop(t, &p->hop[i]));
	return json_pack("{s:b, s:o, s:o, s:i, s:i, s:b, s:o, s:i, s:o}", "ok", !p->fault,
			 "from", moore_json_name(from), "to", moore_json_name(to),
			 "lid", p->lid, "sl", p->sl, "delivered", !p->fault,
			 "fault", p->fault ? json_string(p->fault) : json_null(),
			 "switch_hops", p->n_hops ? (int)p->n_hops - 1 : 0, "hops", hops);
}
