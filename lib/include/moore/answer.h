/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/answer.h - every answer as JSON, made once: `moorectl --json`, moored's JSON-RPC
 * results and moorectl's text are all views of these objects.
 *
 * Not part of moore/moore.h, because it needs jansson.h; the OpenSM plugin links none of it.
 * Pure: structs in, JSON out, and the same input gives the same text.  Every function
 * borrows its arguments for the call and returns an object that the caller owns, or NULL when
 * memory ran out.  Cost: O(size of the answer) unless stated otherwise.
 *
 * The keys are one language:
 *  - An answer is always an object.  One that is a verdict has `ok`, and moorectl exits
 *    with 1 exactly when `ok` is false.  More specific words (`sound`, `safe`, `valid`,
 *    `delivered`) stand beside it.
 *  - `cables` counts cables between switches and `directed_links` their two directions;
 *    `max_load`, `mean_load` and `max_over_mean_load` are of directed links; a key that ends
 *    in `_m` is in metres.
 *  - What is not known is null; an optional key is marked in the schema.
 *
 * Adding an answer: write its function and its schema in a file of lib/answer/, declare the
 * function here, and add its row to the table in lib/answer/schema.c. */
#ifndef MOORE_ANSWER_H
#define MOORE_ANSWER_H

#include <jansson.h>

#include "accept.h"
#include "capture.h"
#include "optics.h"
#include "check.h"
#include "conf.h"
#include "counted.h"
#include "demand.h"
#include "drain.h"
#include "errors.h"
#include "engine.h"
#include "env.h"
#include "ether.h"
#include "fabric.h"
#include "hot.h"
#include "lldp.h"
#include "mix.h"
#include "path.h"
#include "permute.h"
#include "place.h"
#include "draws.h"
#include "predict.h"
#include "quality.h"
#include "route.h"
#include "saturation.h"
#include "shares.h"
#include "sim.h"
#include "steps.h"
#include "tables.h"
#include "topo.h"
#include "wire.h"

MOORE_BEGIN

/* ---- schemas (schema.c) ----------------------------------------------------- */

struct moore_answer {
	const char *name;	/* "verdict" */
	const char *verb;	/* of moorectl: "verify"; "" when only moored gives it */
	const char *help;	/* one sentence */
	/* JSON Schema with ' for ".  Every object that lists properties is closed, and each
	 * property is required unless its name ends in '?': moore_answer_schema() writes
	 * that out. */
	const char *schema;
};
/* Parses JSON that is written with ' for ", as schemas in C are.  NULL: it is no JSON, a key
 * occurs twice in an object, or memory ran out. */
MOORE_API json_t *moore_json_quoted(const char *text);
/* In the order of the table; NULL past the end. */
MOORE_API const struct moore_answer *moore_answer_at(size_t i);
/* The full JSON Schema of an answer; NULL also when no answer has that name. */
MOORE_API json_t *moore_answer_schema(const char *name);

/* ---- parts (json.c) ----------------------------------------------------------- */

/* A string of text that need not be UTF-8: then bytes from 0x80 become '?'.  NULL is "". */
MOORE_API json_t *moore_json_name(const char *name);
MOORE_API json_t *moore_json_guid(uint64_t guid);	/* "0x0123456789abcdef"; 0 is null */
MOORE_API json_t *moore_json_count(uint64_t n);
MOORE_API json_t *moore_json_rate(struct moore_rate rate);	/* "4xEDR"; unknown is null */
MOORE_API json_t *moore_json_share(double x);	/* rounded to 1e-6; negative is null */
MOORE_API json_t *moore_json_bytes(double x);	/* an integer; negative is null */
/* Sets key, or appends to list; takes value.  On failure, or when either is NULL, releases
 * both and returns NULL, so that a chain of these needs one check at its end. */
MOORE_API json_t *moore_json_set(json_t *o, const char *key, json_t *value);
MOORE_API json_t *moore_json_add(json_t *list, json_t *value);
/* Adds all of more (taken) to o; otherwise as moore_json_set(). */
MOORE_API json_t *moore_json_merge(json_t *o, json_t *more);
/* What is plugged into a switch port: switch and port, or endpoint and its CA port; null
 * for nothing and for port 0. */
MOORE_API json_t *moore_json_peer(const struct moore_fabric *f, moore_swid s, moore_portnum p);
/* {"ok": false, "error": {"text", "file", "line"}}: what every verb prints under --json
 * when it fails.  file may be NULL, and line 0: then they are null. */
MOORE_API json_t *moore_answer_error(const char *text, const char *file, unsigned line);

/* ---- tables: what they do ------------------------------------------------------- */

struct moore_answer_tables {	/* what an answer about tables rests on */
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
	const struct moore_mft *mft;	/* NULL: no multicast group */
	const struct moore_lid_owner *owner;	/* of moore_fabric_lids() */
	bool no_lanes;		/* sl2vl was not read: every VL is unknown */
	const char *op_vls;	/* what told the operational VLs in f: "portinfo", "file" or
				 * "option"; "classes" of Ethernet; NULL: nothing, so they are assumed */
	bool sl_maps;		/* it is known which switches map SLs; false: all are assumed to */
};

/* Whether traffic on these tables can deadlock, with the cycle if it can.  `sound` is false
 * also where routes lead to a port without a link (d), or asked->sl_set does not list every
 * pair.  `expected`, `sa`, `told` and `adaptive_routing` are null: only moored knows them, of
 * a running fabric, and sets them. */
MOORE_API json_t *moore_answer_verdict(const struct moore_answer_tables *t,
				       const struct moore_check_opts *asked,
				       const struct moore_verdict *v,
				       const struct moore_dangling *d);
/* Adds to that answer (taken) what the multicast trees of stock OpenSM do: `stock`, and `ok` is
 * false unless all of them are safe together.  hops_read: the hops were read from a file. */
MOORE_API json_t *moore_answer_add_stock(json_t *verdict, const struct moore_answer_tables *t,
					 const struct moore_stock_verdict *v, bool hops_read);
/* What the engine computed, with its verdict, and the steps to it from the tables in force
 * (NULL: not asked for).  `ok`: sound, and every step is safe and interrupts nothing. */
MOORE_API json_t *moore_answer_route(const struct moore_fabric *seen,
				     const struct moore_engine_result *r,
				     const struct moore_route_stats *s,
				     const struct moore_engine_steps *steps);
/* Hop by hop, as moore_path_walk() left *p; from and to as the user gave them. */
MOORE_API json_t *moore_answer_path(const struct moore_answer_tables *t, const char *from,
				    const char *to, const struct moore_path *p);
/* One switch: the LIDs of each port.  O(LIDs * ports). */
MOORE_API json_t *moore_answer_lft(const struct moore_answer_tables *t, moore_swid s);
/* One switch: SL to VL, equal tables together.  O(ports^3) at worst. */
MOORE_API json_t *moore_answer_sl2vl(const struct moore_answer_tables *t, moore_swid s);

/* The backups of a network.  For each link between switches, every mixture is judged in which the
 * switches at its ends use their backups instead of it or do not. */
struct moore_ether_backed {
	uint64_t n_routes, n_backed;	/* routes to other switches, and of these with a backup */
	struct moore_mix_cuts cuts;	/* while any single link is down */
};

struct moore_ether_judged {	/* the configurations of one format */
	const char *format;	/* "ipbatch" */
	uint64_t n_routes;
	uint64_t n_sets, n_set_hops;	/* of these, routes with several next hops, which have
					 * so many together */
	bool has_classes;	/* false: none was read, so a packet keeps one class */
	struct moore_ether_faults faults;
	const struct moore_verdict *verdict;	/* of the first next hops */
	const struct moore_mix_held *sets;	/* of every mixture of all; NULL without sets */
	struct moore_ether_backed backed;	/* n_backed is 0 without backups */
};
/* What the configurations of a network do, for each format that was judged; racks are the judged ones.  `ok`:
 * all of them are sound and have no faults. */
MOORE_API json_t *moore_answer_ether(const struct moore_ether *x, const struct moore_fabric *racks,
				     const struct moore_ether_judged *judged, size_t n);

/* The fabric that LLDP found, of n_asked switches.  `ok`: there are no findings but notes. */
MOORE_API json_t *moore_answer_discovery(const struct moore_lldp_fabric *f, uint32_t n_asked);

/* Each port's planned and actual neighbours, as ptmctl names them.  `ok`: no port fails. */
MOORE_API json_t *moore_answer_ports(const struct moore_lldp_cables *c);

/* What changes from running routes to those of a directory: the engine's steps (NULL: no packet
 * goes another way), all steps to load, whether the one after the engine's must wait until packets
 * have left, the edits, and how many loads of a switch. */
MOORE_API json_t *moore_answer_ether_diff(const struct moore_fabric *racks,
					  const struct moore_engine_steps *steps, uint32_t n_steps,
					  bool last_waits, uint32_t n_edits, uint32_t n_removed,
					  uint32_t n_loads);

/* How long, even and independent the routes are. */
MOORE_API json_t *moore_answer_quality(const struct moore_fabric *f,
				       const struct moore_quality *q);
/* The spread of each figure over the draws. */
MOORE_API json_t *moore_answer_draws(const struct moore_draws *all);
/* How much traffic of each of n patterns they carry, and which of them is the worst; figures
 * are null where a pattern has no flows in this fabric.  The i-th pattern's to[] of
 * moore_saturation_measure() begins at to[i * f->n_switches]. */
MOORE_API json_t *moore_answer_patterns(const struct moore_fabric *f,
					const struct moore_saturation *s, const moore_swid *to,
					size_t n);
/* On which offsets the hosts of a traffic matrix should send. */
MOORE_API json_t *moore_answer_shares(const struct moore_fabric *f, const struct moore_shares *s);

/* ---- the load of jobs (predict.c) ------------------------------------------------------- */

struct moore_prediction {
	enum moore_routing routing;
	const char *pattern, *placement;	/* their names, or those of files */
	bool cut;			/* parts of the fabric have failed */
	struct moore_summary load;	/* of links between switches, each direction: what the busiest
					 * process sends or receives is 1 */
	double saturation;		/* share of full rate that it can send at, 0..1 */
	double lost;			/* share of all amounts that has no path */
	uint32_t sampled;		/* switches that stood for all; 0: all were taken */
	double error;			/* standard error of a link's load, because of that */
};
MOORE_API json_t *moore_answer_predict(const struct moore_fabric *f, const struct moore_prediction *p,
				       size_t n, uint32_t processes, uint64_t seed, uint8_t lmc);

/* ---- simulated packets (simulate.c) ------------------------------------------------------ */

struct moore_simulation {		/* a point and what was found */
	enum moore_sim_routing routing;
	const char *pattern, *placement;	/* their names */
	const char *motion;	/* "safe" or "fast": how rows change during the run; NULL: none does */
	double load;
	double carried;		/* load at which the first link is full with routing shares; 0: another routing */
	bool exchange;		/* pattern is one; load is 0 */
	struct moore_sim_result result;
};
struct moore_simulated {		/* what all points have in common */
	const struct moore_sim_opts *opts;
	uint32_t processes, packet;	/* packet: its bytes */
	double ns;			/* length of a tick */
	double speedup, rate;		/* of the crossbar; of a link in Gbit/s */
	uint8_t lmc;
};
/* Latencies and warm-up are in nanoseconds. */
MOORE_API json_t *moore_answer_simulate(const struct moore_fabric *f, const struct moore_simulation *p,
					size_t n, const struct moore_simulated *how);

/* ---- campaigns of simulations (campaign.c) ------------------------------------------------- */

struct moore_campaign {
	/* Of all, or of one chunk if the call is about that; those done at the end; those that this call ran. */
	uint64_t points, done, ran;
	uint64_t chunks;
	uint64_t saturated, stalled, dropped;	/* points, of those done */
	const char *folder, *results, *times;	/* the tables: NULL while points are missing */
	const char *script;	/* of `campaign slurm`; else NULL */
};
MOORE_API json_t *moore_answer_campaign(const struct moore_campaign *c);

/* ---- wiring: the fabric against the plan (wiring.c) ---------------------------------- */

/* What deviates.  `text` of each deviation is a sentence for people, with cabinets. */
MOORE_API json_t *moore_answer_check(const struct moore_wire *w);
MOORE_API json_t *moore_json_deviation(const struct moore_wire *w,
				       const struct moore_deviation *d);
MOORE_API json_t *moore_json_deviations(const struct moore_wire *w);	/* all of them */
/* Which cable ends to move; `ok`: none, and nothing to exchange or relabel. */
MOORE_API json_t *moore_answer_repair(const struct moore_wire *w, const struct moore_repair *r);

/* ---- what a word means (find.c) -------------------------------------------------------- */

struct moore_find {		/* where to look; at least one of the first two is not NULL */
	const struct moore_fabric *fabric;
	const struct moore_plan *plan;
	const struct moore_fabric *outline;	/* moore_fabric_outline() of plan; NULL without */
};
/* All switches and endpoints that moore_switch_matches() and moore_endpoint_matches(), and all
 * planned cables whose own label, or the label or NAME[PORT] of an end, is `what`: where they
 * stand and what they are connected to.  `ok`: there is one.  O(devices of both * matches +
 * cables). */
MOORE_API json_t *moore_answer_find(const struct moore_find *x, const char *what);

/* ---- topologies, plans, places (plan.c) ------------------------------------------------ */

MOORE_API json_t *moore_answer_families(void);
struct moore_structure {	/* of a graph, by the caller */
	/* Of the normalised adjacency matrix, whose values are 1 at most: 1 less the greatest magnitude
	 * but those of 1 and, if the graph is bipartite, -1; and the second greatest.  NAN: unknown. */
	double mu1, second;
	int64_t bisection;		/* links between halves, the fewest that were found */
	int64_t bisection_bound;	/* no halves have fewer between them.  -1, both: unknown */
	double shortest_paths;		/* in the mean, between two switches; negative: unknown */
	/* Between switches that have endpoints: the greatest distance, MOORE_NONE if there are none, and
	 * the mean. */
	uint32_t ends_diameter;
	double ends_distance;
};
struct moore_topo_report {
	const struct moore_topo *t;
	struct moore_topo_counts n;
	struct moore_graph_metrics m;
	struct moore_structure s;
	/* Of its routes with 2^lmc LIDs for each endpoint: the shares of full rate that they carry of
	 * uniform traffic and of the worst pattern; and of uniform traffic over all shortest paths evenly.
	 * Of its cables: metres.  Negative, all: unknown. */
	int lmc;
	double uniform, worst, shortest;
	double metres, longest;
};
/* What a topology costs, how far its switches are apart, its structure, whether its LIDs suffice, and
 * which switches on the market hold its radix. */
MOORE_API json_t *moore_answer_topo(const struct moore_topo_report *r);
/* Topologies for at least `wanted` endpoints, with routes and cables; limits of 0 are none. */
MOORE_API json_t *moore_answer_topo_find(const struct moore_topo_report *r, size_t n, uint64_t wanted,
					 uint32_t radix, uint32_t diameter);
MOORE_API json_t *moore_answer_topo_compare(const struct moore_topo_report *r, size_t n);

struct moore_plan_sums {	/* of a plan, by the caller */
	uint32_t parts;		/* of moore_plan_check() */
	uint32_t guids, placed;	/* switches with a GUID, with a cabinet */
	uint32_t measured;	/* cables with a length */
	uint64_t ports, ports_used;
	double metres;		/* of all cables */
	struct moore_graph_metrics metrics;
};
MOORE_API json_t *moore_answer_plan(const struct moore_plan *p, const struct moore_plan_sums *s);
/* fault is NULL for a plan that could be read; `ok`: that, and in one part. */
MOORE_API json_t *moore_answer_plan_check(const char *file, const struct moore_err *fault,
					  uint32_t parts);
MOORE_API json_t *moore_answer_place(const struct moore_place_opts *o,
				     const struct moore_place_report *r, uint32_t n_cables);

/* ---- captures (capture.c) ------------------------------------------------------------------- */

struct moore_shadow_shares {		/* of full rate that tables carry, by the caller */
	double uniform, worst;
};
#define MOORE_SHADOW_STAGES 2	/* on one lane, until the SL to VL rows are set; on all lanes */
struct moore_shadow {
	const struct moore_capture *capture;	/* the tables are from it; NULL: from dumps */
	struct moore_answer_tables today;
	const struct moore_check_opts *asked;
	const struct moore_verdict *verdict;
	const struct moore_dangling *dangling;
	bool planned;			/* a plan was given */
	const struct moore_wire *wire;	/* the cables against it; NULL without */
	const struct moore_engine_result *result;	/* NULL: the engine failed, */
	const char *why;				/* for this reason */
	const struct moore_route_stats *stats;
	struct moore_shadow_shares shares[2];	/* today, moore */
	const struct moore_counted *counted;	/* NULL: no counters were captured */
	/* By port that sends, the load of today's tables when every endpoint sends evenly to all
	 * others; with counted. */
	const double *predicted;
	/* From today's tables to moore's and back; unused without a result. */
	const struct moore_churn *churn;
	struct moore_lane_churn lanes;
	unsigned n_stages;
	struct moore_shadow_stage {
		const struct moore_engine_steps *steps;	/* NULL: there are none, */
		const char *why;			/* for this reason */
	} stage[2][MOORE_SHADOW_STAGES];	/* there, back */
};
/* The tables in force beside the engine's.  `ok`: both are sound, the cables are as planned or
 * none of the family is missing, the steps there and back exist, are safe and interrupt nothing,
 * and no precondition is known to be unmet. */
MOORE_API json_t *moore_answer_shadow(const struct moore_shadow *x);

/* Whether switches keep their tables, n of them.  `ok`: all do, in every row. */
MOORE_API json_t *moore_answer_accept(const struct moore_accept_side *read,
				      const struct moore_accepted *a, size_t n);

/* What a capture holds: its manifest.  `len` of its members counts; their data is not read. */
MOORE_API json_t *moore_answer_capture(const struct moore_capture *c);

/* ---- moore.conf (conf.c) ----------------------------------------------------------------- */

MOORE_API json_t *moore_answer_conf(void);	/* its keys */
/* fault[n]: what is wrong, the first one first; without any, conf was read. */
MOORE_API json_t *moore_answer_conf_check(const char *file, const struct moore_conf *conf,
					  const struct moore_err *fault, size_t n);

/* The settings for each transport of a target (env.c); `ok`: one at least can be used. */
MOORE_API json_t *moore_answer_env(const struct moore_env *e, const char *target);

/* ---- hot links (hot.c) --------------------------------------------------------------------- */

struct moore_link_name {	/* a link by what people call its ends */
	const char *from, *to;	/* to: "" where nothing is */
	moore_portnum port, to_port;
};
struct moore_hot_poll {		/* the poll of counters that an answer is from */
	uint64_t number, at_ms;
	const struct moore_summary *load, *wait, *wait_edge;	/* of hotspots alone */
};
struct moore_hotspot {
	struct moore_alarm alarm;	/* of hotspots alone, as is for_s */
	struct moore_link_name at;
	const char *cable;	/* the label of the planned cable; NULL: none */
	double load, wait;	/* negative: unknown */
	uint64_t for_s;
};
/* The first n of total findings that stand; `ok`: there is none. */
MOORE_API json_t *moore_answer_hotspots(const struct moore_hot_poll *p,
					const struct moore_hotspot *spot, uint32_t n,
					uint32_t total);
/* A port with errors: its counters, what of them rose since rose_ms, and when they rose last. */
struct moore_error_port {
	struct moore_link_name at;
	bool hca;		/* a port of a host, whose name is at.from */
	uint64_t guid;		/* of the switch or the host */
	const char *cable;	/* the label of the planned cable; NULL: none */
	const struct moore_reading *now;
	const struct moore_port_errors *since;
	uint64_t now_us;	/* monotonic time of p->at_ms, as that of now and since */
};
/* The first n of total ports; `ok`: there is none. */
MOORE_API json_t *moore_answer_errors(const struct moore_hot_poll *p,
				      const struct moore_error_port *port, uint32_t n,
				      uint32_t total);
MOORE_API json_t *moore_answer_explain(const struct moore_hot_poll *p,
				       const struct moore_fabric *f, const struct moore_cause *c,
				       const struct moore_hotspot *link, double misfit);
/* What files of ibdiagnet say of a port; null for NULL. */
MOORE_API json_t *moore_answer_optic(const struct moore_optic *o);
/* A finding with its link; a cause with at most so many suspects and the remedy. */
MOORE_API json_t *moore_json_alarm(const struct moore_alarm *a, const struct moore_link_name *at,
				   uint64_t for_s);
MOORE_API json_t *moore_json_cause(const struct moore_fabric *f, const struct moore_cause *c,
				   const struct moore_link_name *at, double misfit,
				   unsigned most);

/* ---- what happened to one thing (history.c) -------------------------------------------------- */

struct moore_port_past {	/* rates of a switch port over a time */
	uint32_t rows;		/* of history; 0: none */
	uint64_t first_ms;	/* when the first row begins */
	double seconds, bytes_out, bytes_in;	/* over all rows */
	uint64_t most_out, most_ms;	/* the greatest rate out, in bytes a second, and when */
};
/* what: NULL for the whole fabric.  events (taken): as events.past has them; cut: earlier ones
 * were left out.  load: NULL for a switch and the fabric.  counters: of moore_answer_counters(), taken; or NULL. */
MOORE_API json_t *moore_answer_history(const char *what, unsigned port, json_t *events, bool cut,
				       const struct moore_port_past *load, json_t *counters);
/* The error counters of a port that are not 0, as a list. */
MOORE_API json_t *moore_answer_counters(const struct moore_hot_poll *p,
					const struct moore_error_port *port);

/* ---- drains (drain.c) ----------------------------------------------------------------------- */

struct moore_drain_link {	/* that may be drained, or may not */
	struct moore_link_name at;
	uint64_t guid, peer_guid;	/* of its switches; 0: none */
	const char *finding;	/* why it should be; NULL: somebody asks for it */
	enum moore_drain verdict;
};
struct moore_drain_cost {	/* greatest load of a link, as in struct moore_verdict */
	double before, after;
};
/* file: the links file, with n_lines lines of programs; most: how many links may be drained.  `ok`:
 * each link is drained already, or is asked for and may be. */
MOORE_API json_t *moore_answer_drain(const char *file, uint32_t most,
				     const struct moore_drain_cost *cost,
				     const struct moore_drain_line *line, size_t n_lines,
				     const struct moore_drain_link *link, size_t n);

/* ---- moves and changes (moves.c, change.c) ------------------------------------------------ */

MOORE_API json_t *moore_answer_permutation(const struct moore_plan *p,
					   const struct moore_permute_opts *o,
					   const struct moore_permutation *r);

struct moore_step_judged {	/* while the cables of a step are unplugged, by the caller */
	struct moore_graph_metrics metrics;
	bool routed, safe;	/* by the engine */
	double max_load, mean_load;
	char why[sizeof(((struct moore_err *)0)->text)];	/* when it is not routed */
};
/* judged has s->n_steps entries; p is the new plan.  `ok`: every step is safe. */
MOORE_API json_t *moore_answer_steps(const struct moore_plan *p, const struct moore_steps *s,
				     const struct moore_step_judged *judged, uint64_t max_cables);
/* No order of steps exists for so many cables at a time. */
MOORE_API json_t *moore_answer_no_steps(const char *why, uint64_t max_cables);

/* From old tables to those in now: c and m compare both; gone and added count switches.
 * steps may be NULL.  `ok`: the change is safe all at once; with steps: every step is safe
 * and interrupts nothing. */
MOORE_API json_t *moore_answer_change(const struct moore_answer_tables *now,
				      const struct moore_churn *c, const struct moore_mix *m,
				      uint32_t gone, uint32_t added,
				      const struct moore_engine_steps *steps);

MOORE_END

#endif
