// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* change.c - from one set of tables to the next: how much changes, and what can go wrong
 * while they are written. */
#include "answer/answer_impl.h"

#define COUNT OBJ("'rows':" INT ",'blocks':" INT)
#define LINKS(more) LIST_OF(OBJ(LINK_KEYS more))

const char moore_schema_change[] = OBJ("'ok':" BOOL ",'safe':" BOOL ",'switches':" INT ",'gone':" INT
	",'new':" INT ",'churn':" OBJ("'all':" COUNT ",'changed':" COUNT ",'lost':" COUNT
		",'forced':" COUNT ",'shortest':" COUNT ",'over_forced':" NUM
		",'over_shortest':" NUM)
	",'lids':" INT ",'lids_changed':" INT ",'loop_lids':" INT ",'acyclic':" BOOL
	",'dependencies':" INT ",'dead_old':" INT ",'dead_new':" INT ",'order':" OBJ("'kind':" STR
		",'acyclic':" BOOL ",'blocks_with_loops':" INT ",'blocks_ordered':" INT
		",'opensm_loop_lids':" INT ",'steps':" LIST_OF(OBJ("'switch':" STR ",'block':" INT)))
	",'op_vls':" OP_VLS ",'loop?':" OBJ("'lid':" INT ",'destination':" STR ",'links':" LINKS(""))
	",'cycle?':" LINKS(",'vl':" INT) ",'steps?':" ENGINE_STEPS);

/* How many times the blocks that have to change do change; 0 when none has to. */
static double
over(const struct moore_churn_count *changed, const struct moore_churn_count *least)
{
	return least->blocks ? (double)changed->blocks / (double)least->blocks : 0;
}

static json_t *
json_count(const struct moore_churn_count *n)
{
	return json_pack("{s:I, s:I}", "rows", (json_int_t)n->rows, "blocks", (json_int_t)n->blocks);
}

static json_t *
json_churn(const struct moore_churn *c)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "all", json_count(&c->all),
		"changed", json_count(&c->changed), "lost", json_count(&c->lost),
		"forced", json_count(&c->forced), "shortest", json_count(&c->shortest),
		"over_forced", over(&c->changed, &c->forced),
		"over_shortest", over(&c->changed, &c->shortest));
}

static json_t *
json_links(const struct moore_fabric *f, const struct moore_channel *ch, uint32_t n, bool vl)
{
	json_t *list = json_array(), *o;

	for (uint32_t i = 0; i < n; i++) {
		o = moore_json_link(f, ch[i].sw, ch[i].port);
		list = moore_json_add(list, vl ? moore_json_set(o, "vl", json_integer(ch[i].vl)) : o);
	}
	return list;
}

static json_t *
json_order(const struct moore_fabric *f, const struct moore_mix *m)
{
	static const char *const kind[] = {
		[MOORE_ORDER_ANY] = "any", [MOORE_ORDER_SWITCHES] = "switches",
		[MOORE_ORDER_BLOCKS] = "blocks", [MOORE_ORDER_UNKNOWN] = "unknown",
	};
	json_t *steps = json_array();

	for (uint32_t i = 0; i < m->n_steps; i++)
		steps = moore_json_add(steps, json_pack("{s:o, s:i}", "switch",
			moore_json_name(f->sw[m->step[i].sw].name), "block", (int)m->step[i].block));
	return json_pack("{s:s, s:b, s:i, s:i, s:i, s:o}", "kind", kind[m->order],
		"acyclic", m->order_acyclic, "blocks_with_loops", (int)m->bad_blocks,
		"blocks_ordered", (int)m->ordered_blocks,
		"opensm_loop_lids", (int)m->opensm_loop_lids, "steps", steps);
}

json_t *
moore_answer_change(const struct moore_answer_tables *now, const struct moore_churn *c,
		    const struct moore_mix *m, uint32_t gone, uint32_t added,
		    const struct moore_engine_steps *steps)
{
	const struct moore_fabric *f = now->f;
	json_t *o = json_pack("{s:b, s:b, s:i, s:i, s:i, s:o, s:i, s:i, s:i, s:b, s:I, s:I, s:I, s:o}",
		"ok", steps ? moore_engine_steps_ok(steps) : m->safe, "safe", m->safe,
		"switches", (int)f->n_switches, "gone", (int)gone, "new", (int)added, "churn", json_churn(c), "lids", (int)m->lids,
		"lids_changed", (int)m->lids_changed, "loop_lids", (int)m->loop_lids,
		"acyclic", m->acyclic, "dependencies", (json_int_t)m->n_dependencies,
		"dead_old", (json_int_t)m->dead_old, "dead_new", (json_int_t)m->dead_new,
		"order", json_order(f, m));

	o = moore_json_set(o, "op_vls", moore_json_op_vls(f, now->op_vls));
	if (m->loop_lids)
		o = moore_json_set(o, "loop", json_pack("{s:i, s:o, s:o}", "lid", m->loop_lid,
			"destination", moore_json_owner(now, m->loop_lid), "links",
			json_links(f, m->loop, m->loop_len, false)));
	if (!m->acyclic)
		o = moore_json_set(o, "cycle", json_links(f, m->cycle, m->cycle_len, true));
	if (steps)
		o = moore_json_set(o, "steps", moore_json_engine_steps(f, steps));
	return o;
}
