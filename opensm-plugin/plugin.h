/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* plugin.h - what the files of the OpenSM plugin share.
 *
 * OpenSM calls every function here under its own lock, one at a time, except where it is
 * said otherwise; only early.c has a thread, which ends before the first routing.  No pointer into
 * OpenSM, except osm itself, outlives the callback that received it: what the plugin keeps from
 * sweep to sweep are copies, found by GUID.
 *
 * Names: mplug_ is the plugin's own, moore_ is libmoore's, osm_ and cl_ are OpenSM's. */
#ifndef MPLUG_PLUGIN_H
#define MPLUG_PLUGIN_H

/* This header comes first: the layout of OpenSM's structures depends on its macros. */
#include <opensm/osm_config.h>
#include <opensm/osm_opensm.h>

#include <pthread.h>
#include <sys/stat.h>

#include "lastgood.h"
#include "moore/moore.h"
#include "moore/motion.h"

/* This function of the opensm program is in none of its headers. */
extern int wait_for_pending_transactions(osm_stats_t *stats);

/* The numbers after "ERR MR" in OpenSM's log. */
enum mplug_mr {
	MPLUG_MR_OK = 0,
	MPLUG_MR_QOS = 1,	/* qos is FALSE: lanes would not be programmed */
	MPLUG_MR_VLS = 2,	/* max_op_vls leaves one lane */
	MPLUG_MR_CACHE = 3,	/* use_ucast_cache goes past the engine */
	MPLUG_MR_CONF = 4,	/* moore.conf cannot be used */
	MPLUG_MR_PLAN = 5,	/* the plan cannot be used */
	MPLUG_MR_FABRIC = 6,	/* what OpenSM discovered contradicts itself */
	MPLUG_MR_ROUTE = 7,	/* no safe routes */
	MPLUG_MR_UNSAFE = 8,	/* the checker rejected the routes */
	MPLUG_MR_NOMEM = 9,
	MPLUG_MR_MCAST_SWITCH = 10,	/* a member's switch cannot carry multicast */
	MPLUG_MR_MCAST_TREE = 11,	/* a group's tree does not reach all members */
	MPLUG_MR_FALLBACK = 12,	/* no_fallback is not listed */
	MPLUG_MR_CLASSES = 13,	/* fewer lanes than the classes need */
	MPLUG_MR_LINKS = 14,	/* the links file cannot be used, or names unknown switches */
	MPLUG_MR_DUMP = 15,	/* a moore-*.dump file cannot be written */
	MPLUG_MR_GROUP_SL = 16,	/* a group's SL is unsafe under sl-hint */
	MPLUG_MR_POLICY = 17,	/* a file that sets SLs, under sl-hint */
	MPLUG_MR_IN_FORCE = 18,	/* what is in force is not known to be safe: logged each time */
	MPLUG_MR_MOTION = 19,	/* nor is the way to the new tables: logged each time */
	MPLUG_MR_INTERRUPTED = 20,	/* a step interrupts pairs that were connected */
	MPLUG_MR_ANSWERS = 21,	/* switches did not answer a step */
	MPLUG_MR_FLAP = 22,	/* a link that goes down again and again is left out */
	MPLUG_MR_KEPT = 23,	/* the kept graph cannot be read, used or written */
	MPLUG_MR_LAYOUT = 24,	/* OpenSM's structures are not those that we were compiled for */
};

/* The errors that were logged already.  An error that every sweep repeats is logged the
 * first time and counted from then on (log.c). */
#define MPLUG_SAID_MAX 128
#define MPLUG_GAPS_MAX 10	/* missing links that the line of a sweep names */
struct mplug_said {
	struct {
		uint64_t hash;
		enum mplug_mr code;
		unsigned sweep, repeats;
	} of[MPLUG_SAID_MAX];
	unsigned n;
	unsigned sweep;		/* number of the sweep in progress */
};

/* A plan that could not be used.  It is not read again before the file changes: reading
 * the greatest one takes a second, in which OpenSM does nothing else. */
struct mplug_bad_plan {
	char path[MOORE_CONF_PATH_MAX];
	struct stat st;
	enum mplug_mr mr;	/* MPLUG_MR_OK: there is none */
	struct moore_err why;
};

struct mplug_settings {
	char path[MOORE_CONF_PATH_MAX];	/* of moore.conf */
	bool named;		/* event_plugin_options names the path: the file must exist */
	bool valid;		/* conf, plan and links have been read successfully once */
	bool empty;		/* moore.conf, at the last reading */
	struct moore_conf conf;
	struct moore_jobs jobs;	/* conf.jobs */
	struct moore_plan *plan;	/* NULL when conf names none */
	uint64_t plan_hash;	/* of the file's bytes: the plan is parsed again when it changes */
	struct mplug_bad_plan bad_plan;
	struct moore_links *links;	/* conf.link_rules; NULL when conf names none */
	struct stat links_st;	/* of its file when it was last read, or 0 */
};

struct mplug_tell {		/* tell.c */
	int fd;			/* the datagram socket; -1: not open */
	unsigned said;		/* one bit for each kind of failure that was logged */
	struct moore_notice notice;	/* what moored was told of the last sweep */
};

/* What each switch may hold, in the order of GUIDs (held.c). */
struct mplug_held {
	struct mplug_held_switch *sw;
	size_t n;
};

/* The same, with the switches numbered as in one fabric. */
struct mplug_held_tables {
	struct moore_held held;	/* points to the arrays below */
	struct moore_lft *lft;
	struct moore_row *more;
	uint32_t cap_more;
	uint64_t *unknown;
};

/* A row that a step replaced, and that packets may still have followed. */
struct mplug_past_row {
	uint64_t guid;
	moore_lid lid;
	uint8_t port;
};

/* The steps of one sweep, and what the next one must know of them (motion.c). */
struct mplug_motion {
	struct moore_engine_steps *plan;	/* NULL: no steps are under way */
	struct mplug_held_tables start;	/* what the plan begins with */
	struct moore_lft *goal;
	struct moore_sl2vl *want, *held_rows;	/* SL2VL: after OpenSM has set it; until then */
	struct moore_sl_set *sls;	/* SLs that sources use; NULL: any */
	uint32_t next;		/* the step of the plan to be sent next */
	bool trees_first;	/* trees of groups change before any row does */
	bool links_first;	/* links are activated before any row changes */
	bool wait_first;	/* packets leave before any row changes */
	bool new_rows;		/* some switches get all their rows before that */
	bool trapped;		/* a trap came before the routing */
	bool asked;		/* the routing asked for another sweep */
	unsigned early;		/* sequences in a row that ended early */
	unsigned disturbed;	/* the last of these in a row that a change of the fabric ended */
	unsigned hops, hops_new;	/* of the longest route: old or new tables, new ones */
	size_t blocks;		/* of the step that was sent last */
	double begun_ms, sent_ms, answered_ms, waited_ms;
	double strange_ms;	/* rows or lanes that are not listed were in force until then; 0:
				 * packets have left since */
	struct mplug_past_row *past;	/* replaced since packets left the last time */
	uint32_t n_past, cap_past;
};

/* The masks of multicast groups (trees.c). */
#define MPLUG_AGAIN_MAX 1024
struct mplug_trees {
	struct moore_mft *held;	/* by switch of sm->newest: as OpenSM sent them last */
	bool common_only;	/* new links wait until the old ones are gone */
	uint16_t again[MPLUG_AGAIN_MAX];	/* groups that OpenSM is to compute once more */
	unsigned n_again;
	cl_timer_t timer;
	bool timer_set;
};

/* The links between switches, and how often they have changed (flap.c). */
struct mplug_flap {
	struct mplug_link *link;
	size_t n, n_out;	/* links; those that count as missing */
	bool begun;
	cl_timer_t timer;
	bool timer_set;
};

struct mplug_watch {		/* watch.c */
	cl_spinlock_t lock;	/* of all that follows but the timer */
	char path[MOORE_CONF_PATH_MAX];	/* of the links file; "": there is none */
	struct stat read, seen;	/* as the last sweep read it; at the last look */
	bool ending;		/* the timer is not to be started again */
	cl_timer_t timer;
	bool timer_set;
};

struct mplug_kept {		/* kept.c */
	struct moore_plan *plan;	/* NULL: none */
	struct stat st;		/* of the file when it was last read or written */
	bool saved;		/* st is valid: the file held the plan, or could not be read */
	bool unreadable;	/* it could not; the plan, if any, is the one that was kept before */
	uint32_t missing[2];	/* links and switches that the last line about them named */
};

struct mplug_early {		/* early.c: of the thread, until it has ended */
	pthread_t thread;
	bool running;
	uint8_t lmc;
	struct mplug_settings settings;
	struct mplug_kept kept;
	struct moore_ranks *ranks;
	struct moore_grown *grown;
	double took_ms;
};

struct mplug_rows {		/* qos.c: OpenSM asks for each row of each switch */
	ib_slvl_table_t of_role[MOORE_ROLE_SELF + 1];	/* under any-sl and one-vl, by the role
							 * of the in-port */
	uint64_t guid;		/* the switch that was asked for last, and */
	moore_swid sw;		/* its number in sm->newest; MOORE_NONE: none */
};

struct mplug_sm {
	osm_opensm_t *osm;
	struct mplug_settings settings;
	/* The routes that the checker accepted last, and the fabric they were made for. */
	struct moore_fabric *good;
	struct moore_engine_result *result;
	struct moore_fabric *newest;	/* as observed in the last sweep; may be the same as good */
	struct mplug_held held;
	struct mplug_motion motion;
	struct mplug_flap flap;
	struct mplug_watch watch;
	struct mplug_trees trees;
	struct mplug_said said;
	struct mplug_tell tell;
	struct mplug_kept kept;
	struct mplug_early early;
	struct mplug_rows rows;
	struct moore_ranks *ranks;	/* of the intended graph routed last, */
	struct moore_grown *grown;	/* and its trees; NULL: none are kept */
	unsigned asked_again;	/* how many sweeps in a row OpenSM was asked for */
	bool asking;		/* the next sweep is one of them */
	size_t lanes_lowered;	/* as in the last view */
};

/* One observed fabric with OpenSM's switches in the same order.  It is valid only
 * within the callback that made it, since sw[] points into OpenSM. */
struct mplug_view {
	struct moore_fabric *f;
	osm_switch_t **sw;
	bool lanes_pending;	/* the number of lanes of some link changes after this sweep */
	size_t lanes_lowered;	/* links that count with fewer lanes than they run */
};

/* Moments of one sweep, for the times in its INFO line. */
enum mplug_time { MPLUG_T_START, MPLUG_T_OBSERVED, MPLUG_T_ROUTED, MPLUG_T_LANES,
	MPLUG_T_CHECKED, MPLUG_T_END, MPLUG_T_MAX };
struct mplug_times {
	double ms[MPLUG_T_MAX];
};

/* log.c */
void mplug_log_err(struct mplug_sm *sm, enum mplug_mr code, const char *fmt, ...)
	MOORE_PRINTF(3, 4);
void mplug_log_new_sweep(struct mplug_sm *sm);
void mplug_log_sweep(struct mplug_sm *sm, const struct mplug_view *v,
		     const struct mplug_times *t);

/* layout.c: true if the structures of the running OpenSM are those that the plugin was compiled
 * for.  If not, logs an error; then nothing else in *osm may be touched. */
bool mplug_layout_fits(osm_opensm_t *osm);

/* settings.c: reads moore.conf and the files that it names again.  An error is logged
 * and the last good settings stay in force; an error code is returned only when no
 * settings have ever been read. */
void mplug_settings_init(struct mplug_sm *sm, const char *options);
enum mplug_mr mplug_settings_read(struct mplug_sm *sm, struct moore_err *err);
/* The same without a word in the log: *s, whose path and named are set, changes unless an error code is
 * returned.  If s->empty is set and *s was not valid, *err says why the defaults apply. */
enum mplug_mr mplug_settings_load(struct mplug_settings *s, struct moore_err *err);
void mplug_settings_free(struct mplug_settings *s);
/* Reads a regular file of at most max bytes; returns 0 or -errno.  A pipe or a device is
 * refused, since reading it could block the subnet manager. */
int mplug_slurp(const char *path, size_t max, char **out, size_t *len, struct stat *st);
/* True if both are of one file that has not changed since, as far as its size and time tell. */
bool mplug_same_file(const struct stat *a, const struct stat *b);
/* Under profile sl-hint: warns of SLs in OpenSM's partition and QoS policy files that
 * the profile cannot serve. */
void mplug_settings_policies(struct mplug_sm *sm);

/* early.c */
/* The first starts a thread that reads the plan and grows its trees.  The second waits for the end of that
 * thread and takes what it has made; it does nothing if no thread runs. */
void mplug_early_begin(struct mplug_sm *sm);
void mplug_early_end(struct mplug_sm *sm);

/* observe.c */
int mplug_observe(struct mplug_sm *sm, struct mplug_view *out, struct moore_err *err);
void mplug_view_free(struct mplug_view *v);	/* does not free the fabric */
/* Sets the lanes of f's links, found by GUID, to those that they run after this sweep, and
 * adds the links that were left out because they flap. */
void mplug_observe_op_vls(const struct mplug_sm *sm, struct moore_fabric *f);
/* The port at the other end of p's link, or NULL if the link does not count. */
osm_physp_t *mplug_live_peer(const osm_physp_t *p);
/* True if both ends of p's link are active. */
bool mplug_is_active(const osm_physp_t *p);

/* lanes.c */
/* Lowers to one the lanes in v->f, which is sm->newest, of links at which packets can meet
 * other SL2VL rows than routes with the rows in want need.  Returns 1 if there are such links,
 * 0 if not; -MOORE_ENOMEM. */
int mplug_lanes_lower(struct mplug_sm *sm, struct mplug_view *v, const struct moore_sl2vl *want,
		      struct moore_err *err);
/* Returns 0 if lft, the last good routes carried over to v->f, cannot deadlock on the lanes as
 * they are, to which it lowers those in v->f; else -MOORE_EUNSAFE, or -MOORE_ENOMEM. */
int mplug_lanes_bear(struct mplug_sm *sm, struct mplug_view *v, const struct moore_lft *lft,
		     struct moore_err *err);
/* Sets *want to the rows that the last accepted routes need, for sm->newest; *held to those
 * that packets meet until OpenSM has set the wanted ones, or NULL if they are the same; and
 * *sls to the SLs that sources use, or NULL: any.  The caller frees them, after a failure
 * too.  -MOORE_ENOMEM. */
int mplug_lanes_in_motion(struct mplug_sm *sm, struct moore_sl2vl **want,
			  struct moore_sl2vl **held, struct moore_sl_set **sls,
			  struct moore_err *err);
/* Both are called from the thread that sweeps, without OpenSM's lock, when no request is
 * outstanding.  The first reads the rows of active ports that another subnet manager may
 * have set; the second asks for one more sweep if rows that the routes need were not
 * acknowledged. */
void mplug_lanes_read(struct mplug_sm *sm);
void mplug_lanes_confirm(struct mplug_sm *sm);

/* flap.c */
/* Compares the links of now with those of the last call.  -MOORE_ENOMEM. */
int mplug_flap_note(struct mplug_sm *sm, const struct mplug_view *v, struct moore_err *err);
/* At the end of a sweep: OpenSM has activated the links. */
void mplug_flap_up(struct mplug_sm *sm);
/* True if the link counts as missing.  guid and port are of the end with the lesser GUID. */
bool mplug_flaps(const struct mplug_sm *sm, uint64_t guid, uint8_t port);
void mplug_flap_forget(struct mplug_flap *fl);

/* watch.c */
/* The subnet is up: the links file is watched from now on. */
void mplug_watch_up(struct mplug_sm *sm);
/* The settings were read. */
void mplug_watch_note(struct mplug_sm *sm);
void mplug_watch_forget(struct mplug_watch *w);

/* publish.c: copies rows into OpenSM's new_lft; counts the blocks that OpenSM will send. */
void mplug_publish(const struct mplug_view *v, const struct moore_lft *lft);
void mplug_publish_count(const struct mplug_view *v, size_t *changed, size_t *total);

/* hops.c: fills OpenSM's hop tables.  jobs may be NULL. */
void mplug_hops_fill(struct mplug_view *v, const struct moore_jobs *jobs);

/* held.c: what the switches may hold. */
/* Reads what OpenSM knows of the last sends, when no request is outstanding and OpenSM's
 * lock is held.  sent_all: all that differed has just been sent; then it returns the number
 * of blocks that were not answered. */
size_t mplug_held_note(struct mplug_sm *sm, bool sent_all);
/* Reads the tables that are unknown from the switches.  Takes OpenSM's lock and waits for
 * the answers: to be called from the thread that sweeps, without the lock. */
void mplug_held_read(struct mplug_sm *sm);
/* Makes OpenSM send every unknown block, all blocks of switches that may have been reset, and
 * only the blocks that differ to the other switches. */
void mplug_held_distrust(struct mplug_held *h, const struct mplug_view *v);
void mplug_held_forget(struct mplug_held *h);
/* True if a link of the switch is active: then packets may meet its rows. */
bool mplug_carries_data(const osm_switch_t *sw);

/* A switch that carries no data has no path.  The caller frees *t.  -MOORE_ENOMEM. */
int mplug_held_tables(struct mplug_held_tables *t, const struct mplug_held *h,
		      const struct mplug_view *v, struct moore_err *err);
void mplug_held_tables_free(struct mplug_held_tables *t);

/* trees.c: changing the trees of multicast groups. */
/* Reads the masks that OpenSM has sent.  -MOORE_ENOMEM. */
int mplug_trees_read(struct mplug_sm *sm, const struct mplug_view *v, struct moore_err *err);
/* Judges old and new trees together with the rows that are held. */
void mplug_trees_judge(struct mplug_sm *sm, const struct moore_held *held,
		       const struct moore_mix_lanes *lanes);
/* Takes those links out of a new tree, by switch of sm->good, that must not be published
 * while the old tree may be in force, and asks OpenSM for the group once more.  -1: no
 * memory. */
int mplug_trees_soften(struct mplug_sm *sm, uint16_t mlid, uint64_t (*mask)[4]);
void mplug_trees_forget(struct mplug_trees *t);

/* packets.c: packets of rows and lanes that have changed. */
/* The longest time that a packet can stay in the fabric, by the longest route. */
double mplug_packets_stay_ms(const struct mplug_sm *sm);
/* Notes a row that a step replaces and that packets may have followed.  -1: no memory. */
int mplug_packets_note(struct mplug_motion *m, uint64_t guid, moore_lid lid, uint8_t port);
/* Lists the noted rows whose switches and LIDs are still there; NULL if memory is out.  The caller
 * frees the list. */
struct moore_row *mplug_packets_list(struct mplug_sm *sm, const struct moore_fabric *f, size_t stride,
				     size_t *n);
void mplug_packets_left(struct mplug_motion *m);	/* forgets the noted rows */
/* Rows or lanes that the plugin does not know may have been in force until now. */
void mplug_packets_strange(struct mplug_sm *sm);
/* True if packets of such rows or lanes may still be there: the checker knows of neither. */
bool mplug_packets_are_strange(const struct mplug_sm *sm);

/* motion.c: the steps to new tables. */
/* At the beginning of a routing. */
void mplug_motion_new_sweep(struct mplug_sm *sm);
/* Finds the steps from what the switches hold to lft, which is in new_lft, and leaves only
 * those rows in new_lft that OpenSM may send after the routing. */
void mplug_motion_begin(struct mplug_sm *sm, const struct mplug_view *v,
			const struct moore_lft *lft);
/* After OpenSM has sent them and waited for the answers: sends the rest.  It takes OpenSM's
 * lock and waits: to be called from the thread that sweeps, without the lock. */
void mplug_motion_sent(struct mplug_sm *sm);
void mplug_motion_forget(struct mplug_motion *m);

/* tell.c: tells moored that a sweep ended with mr (why is its text), and later that the
 * subnet is up.  restored are the tables made by lastgood.c, or NULL.  Never blocks. */
void mplug_tell_init(struct mplug_sm *sm);
void mplug_tell_sweep(struct mplug_sm *sm, const struct mplug_view *v, enum mplug_mr mr,
		      const char *why, const struct moore_lft *restored);
/* Tells that all switches have acknowledged step `step` of `steps`. */
void mplug_tell_step(struct mplug_sm *sm, uint32_t step, uint32_t steps);
void mplug_tell_up(struct mplug_sm *sm);
void mplug_tell_fini(struct mplug_sm *sm);

/* kept.c: the graph kept from an earlier sweep.  mplug_kept_read() reads its file if that has
 * changed and returns the graph, or NULL if there is none, or a plan that takes its place.
 * mplug_kept_update() keeps the newest fabric if the result says so, and writes the file. */
const struct moore_plan *mplug_kept_read(struct mplug_sm *sm);
void mplug_kept_update(struct mplug_sm *sm);
/* mplug_kept_load() reads the file into *k, which is zeroed, and logs nothing; after a failure *k is zeroed
 * again.  mplug_kept_take() moves *k to sm->kept, and logs that it was read. */
void mplug_kept_load(struct mplug_kept *k);
void mplug_kept_take(struct mplug_sm *sm, struct mplug_kept *k);
void mplug_kept_free(struct mplug_kept *k);

/* dump.c: writes the moore-*.dump files of the last accepted routes; and moore-op-vls.dump,
 * the operational VLs of the newest fabric. */
void mplug_dump(struct mplug_sm *sm);
void mplug_dump_op_vls(struct mplug_sm *sm);

/* qos.c */
void mplug_update_sl2vl(void *context, osm_physp_t *physp, uint8_t in, uint8_t out,
			ib_slvl_table_t *t);
void mplug_update_vlarb(void *context, osm_physp_t *physp, uint8_t port,
			ib_vl_arb_table_t *block, unsigned length, unsigned number);
/* Makes OpenSM send endpoints only the tables that differ, unless they may have been reset.
 * sm->newest is still the fabric of the last sweep. */
void mplug_endpoints_trust(const struct mplug_sm *sm);
/* The number of this port of a switch of sm->newest in entry turns of the last accepted routes. */
uint8_t mplug_entry(const struct mplug_sm *sm, moore_swid s, uint8_t port);
/* Computes the rows that depend on the settings alone; sm->newest has changed. */
void mplug_rows_prepare(struct mplug_sm *sm);
void mplug_pack_row(ib_slvl_table_t *t, const struct moore_sl_row *row);
size_t mplug_sl2vl_rows_to_set(struct mplug_sm *sm, const struct mplug_view *v);

/* mcast.c */
/* Sets the masks of a group's tree, by switch of sm->good.  -1: none can be computed. */
int mplug_mcast_masks(struct mplug_sm *sm, osm_mgrp_box_t *mbox, uint64_t (*mask)[4]);
ib_api_status_t mplug_mcast_build(void *context, osm_mgrp_box_t *mbox);

/* engine.c */
double mplug_now_ms(void);
/* Asks OpenSM for one more sweep, at most three in a row. */
void mplug_ask_again(struct mplug_sm *sm);
/* Asks for one now, from any thread. */
void mplug_ask_for_sweep(struct mplug_sm *sm);
uint8_t mplug_path_sl_of(const struct mplug_sm *sm, uint8_t hint, moore_lid slid, moore_lid dlid);
extern const external_routing_engine_module_t mplug_engine_module;
void mplug_sm_forget(struct mplug_sm *sm);

#endif
