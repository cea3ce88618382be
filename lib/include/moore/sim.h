/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/sim.h - an event-driven simulation of packets on forwarding and SL2VL tables.
 *
 * A switch has an input buffer for each (port, VL), credits, virtual cut-through, a crossbar whose
 * inputs have virtual output queues or one queue, and a small output queue for each (port, VL).  A
 * host has a source queue without bound.  Links may have several rates.  docs/simulation.md has the model and its
 * limits.
 *
 * Time is counted in ticks, whose length the caller chooses: all durations of the options are ticks,
 * and so are those of the result. */
#ifndef MOORE_SIM_H
#define MOORE_SIM_H

#include "base.h"
#include "fabric.h"
#include "jobs.h"
#include "motion.h"
#include "tables.h"

MOORE_BEGIN

/* ---- the choice of the LID offset at the source, for each packet ----------------------------- */

enum moore_sim_routing {
	MOORE_SIM_MIN,		/* offset 0 */
	MOORE_SIM_VALIANT,	/* a random offset other than 0 */
	MOORE_SIM_INR,		/* a random offset of all */
	MOORE_SIM_UGAL,		/* UGAL-L: offset 0 or one of a few others, by the queues of the first switch */
	MOORE_SIM_ALL,		/* all offsets in turn */
	MOORE_SIM_UGAL_G,	/* UGAL-G: as UGAL-L, by the queues of all switches of the route */
	/* Beyond tables, as switches that hold a packet's middle could: the two indirect routings of Kathareios
	 * et al. (SC'15), section 3.2 and 3.3, and PAR of Yebenes et al. (HOTI 2017), section V.  A packet goes
	 * to the switch of a random node by that node's base LID, and from there to its own base LID, on as many
	 * VLs of its own.  Not with sl_set. */
	MOORE_SIM_MIDDLE,	/* each packet */
	MOORE_SIM_UGAL_MIDDLE,	/* UGAL-L, whose candidates are such routes */
	/* Progressive adaptive: the same, and a packet that was sent minimally is judged again in its second
	 * switch, unless that has no nodes.  A new route from there has VLs of its own, too. */
	MOORE_SIM_PAR,
	MOORE_SIM_SHARES,	/* each offset by its share of the sender (moore_shares_find()) */
	MOORE_N_SIM_ROUTINGS
};
MOORE_API const char *moore_sim_routing_name(enum moore_sim_routing r);	/* NULL past the last */
MOORE_API const char *moore_sim_routing_help(enum moore_sim_routing r);
/* False for what a host on InfiniBand cannot do: it does not know the queues of switches. */
MOORE_API bool moore_sim_routing_programmable(enum moore_sim_routing r);

/* ---- options ------------------------------------------------------------------------------ */

enum moore_sim_queues {
	MOORE_SIM_FIFO,		/* an input buffer is one queue: its first packet blocks all others */
	MOORE_SIM_VOQ,		/* it has a queue for each output, in the same room */
	MOORE_N_SIM_QUEUES
};
MOORE_API const char *moore_sim_queues_name(enum moore_sim_queues q);	/* NULL past the last */

enum moore_sim_arbiter {
	MOORE_SIM_TURNS,	/* an output of the crossbar serves its inputs in turn */
	MOORE_SIM_FARTHEST,	/* it serves the packet with the most hops, of equal ones in turn */
	MOORE_N_SIM_ARBITERS
};
MOORE_API const char *moore_sim_arbiter_name(enum moore_sim_arbiter a);	/* NULL past the last */

/* Where a packet leaves its way to a middle: VAL_ori, VAL_nta and VAL_3h of Yebenes et al., section IV. */
enum moore_sim_detour {
	MOORE_SIM_DETOUR_VALIANT,	/* at the middle */
	MOORE_SIM_DETOUR_NTA,	/* before, at a switch that has a link to the destination's or is it */
	MOORE_SIM_DETOUR_VALIANT3,	/* at its second switch: three links at most on a Slim Fly */
	MOORE_N_SIM_DETOURS
};
MOORE_API const char *moore_sim_detour_name(enum moore_sim_detour d);	/* NULL past the last */

/* VL arbitration of the links of switches (IBTA 7.6.9): two tables of turns.  The high one goes first, until it has sent
 * high_limit packets since the low one's turn; then the low one may send a packet. */
#define MOORE_SIM_TURNS_MAX 64
#define MOORE_SIM_NO_LIMIT UINT16_MAX
struct moore_sim_vl_turn {
	uint8_t vl;
	uint16_t packets;	/* that it may send in its turn; 0: the entry is skipped */
};
struct moore_sim_vlarb {
	struct moore_sim_vl_turn high[MOORE_SIM_TURNS_MAX], low[MOORE_SIM_TURNS_MAX];
	uint8_t n_high, n_low;
	uint16_t high_limit;	/* 1 at least, or MOORE_SIM_NO_LIMIT */
};

#define MOORE_SIM_BLOCKS 64			/* parts of the run, for warm-up and confidence */
#define MOORE_SIM_MEMORY ((uint64_t)2 << 30)	/* bytes that one point may take */

struct moore_sim_opts {
	uint32_t packet;	/* ticks that a packet takes on the fastest link */
	/* The same by port, indexed as f->port[], of both ends; at least `packet`.  0, or NULL: packet.  From a slower
	 * link, a packet comes to the crossbar when the rest of it comes no later than the fastest link would send it. */
	const uint32_t *packet_of;
	uint32_t cross;		/* ticks that it takes in a crossbar: packet / speed-up */
	uint32_t wire;		/* ticks from one end of a link to the other */
	const uint32_t *wire_of;	/* the same by port, indexed as f->port[]; NULL: wire for all */
	uint32_t sw;		/* ticks from an input to the crossbar of a switch */
	uint32_t buffer;	/* packets of an input buffer, for each VL */
	uint32_t out_queue;	/* packets of an output queue, for each VL */
	enum moore_sim_queues queues;
	enum moore_sim_arbiter arbiter;
	enum moore_sim_detour detour;	/* of routings over a middle; a switch without nodes is never left so */
	const struct moore_sim_vlarb *vlarb;	/* NULL: all VLs in turn, a packet each, as moore programs switches */
	uint8_t sl;		/* of all packets, unless sl_set allows others */
	uint32_t length;	/* of the run, in packet times of the fastest link */
	/* UGAL takes the least of C_M = q_0 and, for each of n_I candidates, C_I = c * q + bias; the first
	 * of equal ones.  UGAL-L: q is the number of packets in the first switch that leave by the same
	 * port, and c the weight, times hops / hops_0 if ugal_by_hops.  UGAL-G: q is the sum of these
	 * over all switches of the route, and c the weight.  Offset 0 in any case if the first switch has
	 * fewer packets for its port than the threshold. */
	uint32_t ugal_candidates;	/* n_I */
	double ugal_weight;
	bool ugal_by_hops;
	uint32_t ugal_threshold, ugal_bias;	/* packets */
	uint64_t seed;
	uint64_t memory;	/* bytes that one point may take */
};
/* Sets what Kathareios et al. (SC'15), section 4.1, simulate, in ticks of 1.28 ns (16 bytes at 100
 * Gbit/s), but with packets of 2048 bytes, virtual output queues, and a speed-up of 2.  Buffers are 100
 * KB for two VLs. */
MOORE_API void moore_sim_defaults(struct moore_sim_opts *o);

/* ---- traffic ------------------------------------------------------------------------------ */

struct moore_sim_flow {
	moore_epid from, to;
};

/* A message of an exchange.  Its node may send it after it has received `after` whole messages, and
 * sends a packet of each message that it may send, in turn. */
struct moore_sim_message {
	moore_epid from, to;
	uint32_t packets, after;
};

enum moore_sim_exchange {
	MOORE_SIM_ALL_TO_ALL,	/* one message to each other process */
	MOORE_SIM_NEIGHBOURS,	/* one to each neighbour in a 3-D torus of the processes */
	MOORE_SIM_RING,		/* allreduce: 2 (n - 1) phases, each a message to the next process */
	MOORE_SIM_TREE,		/* allreduce: up a binary tree and down again */
	MOORE_N_SIM_EXCHANGES
};
MOORE_API const char *moore_sim_exchange_name(enum moore_sim_exchange x);	/* NULL past the last */

/* Makes the messages between n_nodes processes, one on each node, of so many packets each.  side[3] are those of the
 * torus of MOORE_SIM_NEIGHBOURS, the one whose processes are next to each other first; NULL: as alike as n_nodes
 * allows, the shortest first.  The caller frees *out with free().
 * -MOORE_EINVAL: fewer than two, too many, or another number than that of the torus; -MOORE_ENOMEM. */
MOORE_API int moore_sim_messages(struct moore_sim_message **out, uint32_t *n, enum moore_sim_exchange x,
				 const moore_epid *node, uint32_t n_nodes, const uint32_t *side, uint64_t packets,
				 uint64_t seed, struct moore_err *err);

struct moore_sim_traffic {	/* messages, or flows, or uniform between the nodes */
	const struct moore_sim_message *message;	/* all once; those of a node by rising `after` */
	uint32_t n_messages;
	const struct moore_sim_flow *flow;	/* a node sends a packet of each of its flows equally often */
	uint32_t n_flows;
	const moore_epid *node;	/* with flow NULL: each of these to all others */
	uint32_t n_nodes;
	/* For MOORE_SIM_SHARES, else of no account: share[e * n_offsets + k] is how much endpoint e sends to
	 * offset k.  A destination with fewer offsets gets all on offset 0. */
	const double *share;
	uint32_t n_offsets;
};

/* ---- changes during the run ----------------------------------------------------------------- */

enum moore_sim_change_kind {
	MOORE_SIM_PHASE,	/* counts of another phase begin, at most MOORE_SIM_PHASES - 1 times */
	MOORE_SIM_DOWN,		/* the link between two switches goes down, in both directions */
	MOORE_SIM_UP,		/* it comes up again */
	MOORE_SIM_ROW,		/* a switch forwards packets for a LID by another port */
	MOORE_N_SIM_CHANGES
};
struct moore_sim_change {
	uint64_t at;		/* ticks */
	moore_swid sw;
	moore_lid lid;		/* of a row */
	uint8_t port;		/* of the link; of a row its new value, or MOORE_NO_PATH */
	uint8_t kind;		/* enum moore_sim_change_kind */
};
#define MOORE_SIM_PHASES 8

struct moore_sim_script {
	struct moore_sim_change *change;	/* by rising time */
	size_t n;
};

struct moore_sim_link {		/* one of its two ends */
	moore_swid sw;
	moore_portnum port;
};
struct moore_sim_turn {		/* links go down or come up, and then the tables follow */
	uint64_t at;		/* ticks */
	enum moore_sim_change_kind kind;	/* MOORE_SIM_DOWN or MOORE_SIM_UP */
	const struct moore_sim_link *link;
	size_t n_links;
	const struct moore_lft *was, *now;	/* before and after: tables of the same size */
	const struct moore_motion *motion;	/* the steps between them; NULL: all rows at once */
};
struct moore_sim_pace {		/* ticks */
	uint64_t detect;	/* from the change of links to the first step */
	uint64_t step;		/* in which the blocks of a step reach the switches; 1 at least */
	uint64_t wait;		/* before a step that must wait for the packets of those before it */
	uint64_t seed;
};
/* Makes the script of turns by rising time.  A block of MOORE_LFT_BLOCK rows of a switch changes at one
 * instant, drawn within the time of its step; a step begins when the one before it has ended.  A phase begins
 * with each turn, and another when its last step has ended.  The caller frees out->change with free().
 * -MOORE_EINVAL: too many turns, one begins before the one before it has ended, or its tables are not of one
 * size; -MOORE_ENOMEM.  O(switches * LIDs). */
MOORE_API int moore_sim_script_make(struct moore_sim_script *out, const struct moore_sim_turn *turn, size_t n,
				    const struct moore_sim_pace *pace, struct moore_err *err);

struct moore_sim_point {
	enum moore_sim_routing routing;
	const struct moore_sim_traffic *traffic;
	double load;		/* that each sender offers, as a share of the rate of its link: 0.001 to 1; of
				 * messages it is of no account */
	const struct moore_sim_script *script;	/* NULL: nothing changes; of messages NULL */
	uint64_t *sent;		/* NULL; or to each port of f->port[], packets are added that it sends in the whole run */
};

/* ---- result ------------------------------------------------------------------------------- */

enum moore_sim_loss {
	MOORE_SIM_LOST_WIRE,	/* it was on the way to a switch when the link went down */
	MOORE_SIM_LOST_PORT,	/* its row leads to a link that is down */
	MOORE_SIM_LOST_ROW,	/* it has no row, or no VL */
	MOORE_SIM_LOST_LOOP,	/* it has crossed MOORE_HOPS_MAX links */
	MOORE_SIM_LOST_NODE,	/* its row leads to a wrong node */
	MOORE_N_SIM_LOSSES
};
MOORE_API const char *moore_sim_loss_name(enum moore_sim_loss l);	/* NULL past the last */

struct moore_sim_phase {
	uint64_t from, to;	/* ticks */
	uint64_t made;		/* packets that hosts have sent */
	uint64_t received;
	/* Packets that a switch has forwarded, as the first one, by a row that a later change of this phase
	 * replaces. */
	uint64_t stale;
	uint64_t lost[MOORE_N_SIM_LOSSES];
	double accepted;	/* share of full rate */
	double latency_mean, latency_p99;	/* of those received */
};

struct moore_sim_result {
	/* Shares of full rate, means over all senders after warm-up; ci is half the width of the 95 %
	 * confidence interval by batch means. */
	double offered, accepted, accepted_ci;
	/* Ticks from the making of a packet to its last byte at the destination.  Beyond saturation they
	 * grow with the run.  p50 and p99 are within 1 %. */
	double latency_mean, latency_ci, latency_p50, latency_p99;
	/* False: the run is too short for an interval of latency, which would be too narrow; or latency has no
	 * mean, since packets stall or source queues grow.  latency_ci is of no account then. */
	bool latency_ci_known;
	uint64_t packets;	/* received after warm-up */
	uint64_t hops;		/* links that packets have crossed in the whole run, those of hosts included */
	uint64_t dropped;	/* packets that were lost in the whole run */
	moore_swid drop_sw;	/* where the first one was dropped; MOORE_NONE: none was */
	moore_lid drop_lid;	/* its LID */
	bool stalled;		/* some buffers wait for each other and can never move again */
	uint32_t stuck;		/* buffers in the cycle that was found */
	moore_swid stuck_sw;	/* one of them: the input buffer of this port and VL */
	moore_portnum stuck_port;
	uint8_t stuck_vl;
	uint64_t stalled_at;	/* ticks: when it was found; the run ended then */
	uint64_t warm_up;	/* ticks that were left out at the beginning */
	bool saturated;		/* less is accepted than offered, by over 1 % and accepted_ci: source queues
				 * grow, and latency with them */
	/* Of messages, which run until all were received; then what is offered and accepted, latencies
	 * and blocks stay 0, and o->length says only how often stalls are looked for. */
	uint64_t completion;	/* ticks to the last byte of the last message; 0: not all were received */
	double share;		/* packets as a share of what the links of all senders carry until then */
	uint64_t seed;
	uint32_t n_phases;	/* 0: there was no script */
	struct moore_sim_phase phase[MOORE_SIM_PHASES];
};

struct moore_sim_tables {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
	const struct moore_sl_set *sl_set;	/* NULL: every packet has the SL of the options */
};

/* Simulates n points; out[] has room for them.  Borrows all.  The result is the same for any jobs (may
 * be NULL).
 * -MOORE_EINVAL: an option is out of its range, tables and fabric do not fit, a script has something that the
 * fabric has not, or a point would take more than o->memory; -MOORE_ENOMEM.  O(packets * hops) for each point. */
MOORE_API int moore_simulate(struct moore_sim_result *out, const struct moore_sim_point *point, size_t n,
			     const struct moore_sim_tables *t, const struct moore_sim_opts *o,
			     const struct moore_jobs *jobs, struct moore_err *err);

MOORE_END

#endif
