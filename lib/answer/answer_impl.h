/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* answer_impl.h - what the files of lib/answer/ share: words that schemas are made of,
 * and encoders of parts that occur in several answers. */
#ifndef MOORE_ANSWER_IMPL_H
#define MOORE_ANSWER_IMPL_H

#include "moore/answer.h"

/* ---- schemas: see struct moore_answer ------------------------------------------ */

#define OBJ(properties) "{'type':'object','properties':{" properties "}}"
#define OBJ_OR_NULL(properties) "{'type':['object','null'],'properties':{" properties "}}"
#define LIST_OF(schema) "{'type':'array','items':" schema "}"
#define OR_NULL(type) "{'type':['" type "','null']}"
#define INT "{'type':'integer'}"
#define NUM "{'type':'number'}"
#define STR "{'type':'string'}"
#define BOOL "{'type':'boolean'}"
#define ANY_OBJECT "{'type':'object'}"	/* its keys are numbers or names */

#define A_PEER OBJ_OR_NULL("'switch?':" STR ",'endpoint?':" STR ",'port':" INT)
#define LINK_KEYS "'switch':" STR ",'guid':" OR_NULL("string") ",'port':" INT ",'peer':" A_PEER
#define LOAD_KEYS "'max_load':" NUM ",'mean_load':" NUM ",'max_over_mean_load':" NUM

#define OP_VLS OBJ("'from':" STR ",'least':" OR_NULL("integer") ",'greatest':" \
	OR_NULL("integer"))
#define VERDICT_KEYS "'ok':" BOOL ",'sound':" BOOL ",'acyclic':" BOOL ",'pairs':" INT \
	",'unreachable':" INT ",'loops':" INT ",'partitioned':" INT ",'dropped':" INT \
	",'hops':" ANY_OBJECT ",'vls':" LIST_OF(INT) ",'channels':" INT ",'dependencies':" INT \
	"," LOAD_KEYS ",'hottest':" OBJ_OR_NULL(LINK_KEYS) ",'op_vls':" OP_VLS
/* What files of ibdiagnet hold of a port; moorectl adds it on demand. */
#define OPTIC OBJ_OR_NULL("'fec':" OR_NULL("string") ",'raw_ber':" OR_NULL("string") \
	",'effective_ber':" OR_NULL("string") ",'symbol_ber':" OR_NULL("string") ",'temperature':" \
	OR_NULL("string") ",'vendor':" OR_NULL("string") ",'part':" OR_NULL("string") ",'serial':" \
	OR_NULL("string"))
#define METRICS_KEYS "'diameter':" OR_NULL("integer") ",'mean_distance':" NUM ",'girth':" \
	OR_NULL("integer")
#define ERROR_KEYS "'text':" STR ",'file':" OR_NULL("string") ",'line':" OR_NULL("integer")
#define AN_ERROR OBJ(ERROR_KEYS)
#define ENGINE_STEPS OBJ("'ok':" BOOL ",'start_safe':" BOOL ",'dead':" INT ",'why':" \
	OR_NULL("string") ",'list':" LIST_OF(OBJ("'rows':" INT ",'blocks':" INT ",'no_path':" INT \
	",'back':" INT ",'interrupted':" INT ",'wait':" BOOL ",'safe':" BOOL ",'safe_together':" BOOL)))
#define AN_ERROR_OR_NULL OBJ_OR_NULL(ERROR_KEYS)

extern const char moore_schema_verdict[], moore_schema_route[], moore_schema_path[],
	moore_schema_lft[], moore_schema_sl2vl[], moore_schema_quality[], moore_schema_patterns[], moore_schema_draws[], moore_schema_topo_find[], moore_schema_predict[],
	moore_schema_topo_compare[],
	moore_schema_check[], moore_schema_repair[], moore_schema_find[], moore_schema_families[],
	moore_schema_topo[], moore_schema_plan[], moore_schema_plan_check[], moore_schema_place[],
	moore_schema_permutation[], moore_schema_steps[], moore_schema_change[],
	moore_schema_error[], moore_schema_conf[], moore_schema_conf_check[],
	moore_schema_env[], moore_schema_hotspots[], moore_schema_errors[], moore_schema_explain[],
	moore_schema_shares[], moore_schema_ether[], moore_schema_ether_diff[],
	moore_schema_discovery[], moore_schema_ports[],
	moore_schema_simulate[], moore_schema_campaign[], moore_schema_drain[], moore_schema_capture[],
	moore_schema_shadow[], moore_schema_accept[], moore_schema_history[];

/* ---- parts (json.c) -------------------------------------------------------------- */

/* Counts by number, those that are 0 left out. */
json_t *moore_json_histogram(const uint64_t *count, uint32_t last);
json_t *moore_json_bits(uint16_t mask);		/* numbers of the bits that are set */
/* The link that leaves a switch by a port: LINK_KEYS. */
json_t *moore_json_link(const struct moore_fabric *f, moore_swid s, moore_portnum p);
/* LOAD_KEYS. */
json_t *moore_json_load(double max, double mean);
/* OP_VLS: the operational VLs of links between switches; least and greatest are null when
 * there is none.  `from` is "assumed" when op_vls, as in struct moore_answer_tables, is
 * NULL. */
json_t *moore_json_op_vls(const struct moore_fabric *f, const char *op_vls);
/* VERDICT_KEYS, added to o (taken).  op_vls as in struct moore_answer_tables. */
json_t *moore_json_add_verdict(json_t *o, const struct moore_fabric *f,
			       const struct moore_verdict *v, bool sound, const char *op_vls);
/* ENGINE_STEPS: the steps to new tables of f.  The second function tells `ok`: every step is
 * safe and interrupts nothing (motion.c). */
json_t *moore_json_engine_steps(const struct moore_fabric *f, const struct moore_engine_steps *s);
bool moore_engine_steps_ok(const struct moore_engine_steps *s);
json_t *moore_json_metrics(const struct moore_graph_metrics *m);	/* METRICS_KEYS */
json_t *moore_json_error(const char *text, const char *file, unsigned line);	/* ERROR_KEYS */
/* The name of the owner of a LID; "" when it has none. */
json_t *moore_json_owner(const struct moore_answer_tables *t, unsigned lid);
/* An owned buffer as a string; NULL when it ran out of memory. */
json_t *moore_json_text(struct moore_buf *b);

#endif
