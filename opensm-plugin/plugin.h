/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plugin.h - what the files of the OpenSM plugin share.
 *
 * OpenSM calls every function here under its own lock, one at a time; there is
 * no thread of ours.  No pointer into OpenSM outlives the callback that got it
 * (but osm itself): what is kept from sweep to sweep is ours, keyed by GUID. */
#ifndef MOORE_PLUGIN_H
#define MOORE_PLUGIN_H

/* First: OpenSM's own structures change shape with these. */
#include <opensm/osm_config.h>
#include <opensm/osm_opensm.h>

#include "lastgood.h"
#include "moore/moore.h"

/* The numbers after "ERR MR" in OpenSM's log. */
enum moore_mr {
	MOORE_MR_OK = 0,
	MOORE_MR_QOS = 1,	/* qos is FALSE: lanes would not be programmed */
	MOORE_MR_VLS = 2,	/* max_op_vls leaves one lane */
	MOORE_MR_CACHE = 3,	/* use_ucast_cache goes past the engine */
	MOORE_MR_CONF = 4,	/* moore.conf cannot be used */
	MOORE_MR_PLAN = 5,	/* the plan cannot be used */
	MOORE_MR_FABRIC = 6,	/* what OpenSM discovered contradicts itself */
	MOORE_MR_ROUTE = 7,	/* no safe routes */
	MOORE_MR_UNSAFE = 8,	/* the checker rejected the routes */
	MOORE_MR_NOMEM = 9,
	MOORE_MR_MCAST_SWITCH = 10,	/* members where no group can reach */
	MOORE_MR_MCAST_TREE = 11,	/* a group's tree does not join all members */
	MOORE_MR_FALLBACK = 12,	/* no_fallback is not listed */
	MOORE_MR_CLASSES = 13,	/* fewer lanes than the classes need */
	MOORE_MR_LINKS = 14,	/* the links file cannot be used, or names what is not there */
	MOORE_MR_DUMP = 15,	/* a dump of ours cannot be written */
	MOORE_MR_GROUP_SL = 16,	/* a group's SL is unsafe under sl-hint */
	MOORE_MR_POLICY = 17,	/* a file that sets SLs, under sl-hint */
};

/* What was logged already.  A message is logged once and then counted, for as
 * long as every sweep says it again. */
#define MOORE_SAID_MAX 128
struct moore_said {
	struct {
		uint64_t hash;
		enum moore_mr code;
		unsigned sweep, repeats;
	} of[MOORE_SAID_MAX];
	unsigned n;
	unsigned sweep;		/* the present one */
};

struct moore_settings {
	char path[MOORE_CONF_PATH_MAX];	/* of moore.conf */
	bool named;		/* by event_plugin_options: then it must exist */
	bool valid;		/* conf and plan were read once */
	struct moore_conf conf;
	struct moore_plan *plan;	/* NULL when conf names none */
	uint64_t plan_hash;	/* of its bytes: parsed again when they change */
	struct moore_links *links;	/* conf.link_rules; NULL when conf names none */
};

struct moore_tell {		/* tell.c */
	int fd;			/* -1: not open */
	unsigned said;		/* bit of each kind of failure that was logged */
	struct moore_notice notice;	/* of the last sweep */
};

struct moore_sm {
	osm_opensm_t *osm;
	struct moore_settings settings;
	/* The last accepted routes and the fabric that they are for. */
	struct moore_fabric *good;
	struct moore_engine_result *result;
	struct moore_fabric *newest;	/* last seen: the roles of ports; may be good */
	struct moore_said said;
	struct moore_tell tell;
	bool asked_again;	/* the last sweep asked for one more */
};

/* A fabric and OpenSM's switches in the same order; ends with the callback. */
struct moore_view {
	struct moore_fabric *f;
	osm_switch_t **sw;
	bool lanes_pending;	/* some link gets its lanes only after this sweep */
};

enum moore_time { MOORE_T_START, MOORE_T_OBSERVED, MOORE_T_ROUTED, MOORE_T_LANES,
	MOORE_T_CHECKED, MOORE_T_END, MOORE_T_MAX };
struct moore_times {
	double ms[MOORE_T_MAX];
};

/* log.c */
void moore_log_err(struct moore_sm *sm, enum moore_mr code, const char *fmt, ...)
	MOORE_PRINTF(3, 4);
void moore_log_new_sweep(struct moore_sm *sm);
void moore_log_sweep(struct moore_sm *sm, const struct moore_view *v,
		     const struct moore_times *t);

/* settings.c: read moore.conf and the plan again.  Whatever fails is logged and
 * the last good ones stay; the code only when there never were any. */
void moore_settings_init(struct moore_sm *sm, const char *options);
enum moore_mr moore_settings_read(struct moore_sm *sm, struct moore_err *err);
void moore_settings_free(struct moore_settings *s);
/* Warn of SLs in OpenSM's own files that fight profile sl-hint. */
void moore_settings_policies(struct moore_sm *sm);

/* observe.c */
int moore_observe(struct moore_sm *sm, struct moore_view *out, struct moore_err *err);
void moore_view_free(struct moore_view *v);	/* not the fabric */
uint8_t moore_lanes_of_code(uint8_t code);	/* IBTA's 1..5 to 1, 2, 4, 8, 15 */

/* publish.c: the rows into OpenSM's new_lft, and how many blocks that changes. */
void moore_publish(const struct moore_view *v, const struct moore_lft *lft);
void moore_publish_count(const struct moore_view *v, size_t *changed, size_t *total);

/* tell.c: the daemon, of a sweep that ended with mr (and why), and then that the subnet is
 * up.  restored is what lastgood.c made, or NULL.  Never blocks. */
void moore_tell_init(struct moore_sm *sm);
void moore_tell_sweep(struct moore_sm *sm, const struct moore_view *v, enum moore_mr mr,
		      const char *why, const struct moore_lft *restored);
void moore_tell_up(struct moore_sm *sm);
void moore_tell_fini(struct moore_sm *sm);

/* dump.c: of the last accepted routes. */
void moore_dump(struct moore_sm *sm);

/* qos.c */
void moore_update_sl2vl(void *context, osm_physp_t *physp, uint8_t in, uint8_t out,
			ib_slvl_table_t *t);
void moore_update_vlarb(void *context, osm_physp_t *physp, uint8_t port,
			ib_vl_arb_table_t *block, unsigned length, unsigned number);
size_t moore_sl2vl_rows_to_set(struct moore_sm *sm, const struct moore_view *v);

/* mcast.c */
ib_api_status_t moore_mcast_build(void *context, osm_mgrp_box_t *mbox);

/* engine.c */
uint8_t moore_path_sl_of(const struct moore_sm *sm, uint8_t hint, moore_lid slid, moore_lid dlid);
extern const external_routing_engine_module_t moore_engine_module;
void moore_sm_forget(struct moore_sm *sm);

#endif
