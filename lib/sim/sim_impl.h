/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sim_impl.h - the state of one simulated point.
 *
 * Channels are what sends: port i of f->port[] is channel i, the host port of endpoint e is channel
 * n_ports + e.  An input buffer belongs to (port i, VL v) and has the number i * n_vl + v; so does the
 * output queue of (channel i, VL v).  An input buffer has n_lines queues: one for each output of its
 * switch, or a single one.  One array holds one kind of record, since what one event
 * touches of a packet or a channel is nearly all of it: a record is a cache line or half of one.
 *
 * build.c makes the state, source.c injects, choose.c chooses routes, exchange.c keeps messages that wait for others,
 * switch.c moves packets, change.c changes links and rows during the run, script.c says when, stall.c finds deadlocks,
 * stats.c judges the blocks, enough.c the length of the run, audit.c counts packets and credits for tests. */
#ifndef MOORE_SIM_IMPL_H
#define MOORE_SIM_IMPL_H

#include "base/arena.h"
#include "base/random.h"
#include "moore/sim.h"
#include "sim/wheel.h"

/* ---- statistics (stats.c) ------------------------------------------------------------------- */

/* Latencies are counted in bins: 2^SIM_BIN_BITS of them for each power of two. */
#define SIM_BIN_BITS 7
#define SIM_BINS ((64 - SIM_BIN_BITS + 1) << SIM_BIN_BITS)

struct sim_block {		/* packets received in one part of the run */
	uint64_t received, latency, offered;
	uint32_t *bin;		/* [SIM_BINS] */
};
unsigned moore_sim_bin_of(uint64_t ticks);
double moore_sim_root(double x);	/* by Newton's method: the library takes nothing of libm */
double moore_sim_mean_latency(const struct sim_block *b);
/* Adds the bins of n blocks; sum[SIM_BINS] is overwritten. */
void moore_sim_sum_bins(uint64_t *sum, const struct sim_block *block, unsigned n);
/* The latency that a share of n packets, counted in bins, does not exceed. */
double moore_sim_percentile(const uint64_t *bin, uint64_t n, double share);
/* Fills the means, percentiles, intervals and the warm-up of out.  full_rate: packets that all
 * senders can send in a tick.  bin[SIM_BINS] is overwritten. */
void moore_sim_judge(struct moore_sim_result *out, const struct sim_block *block, uint64_t block_ticks,
		     double full_rate, uint64_t *bin);

/* ---- state ---------------------------------------------------------------------------------- */

struct sim_packet {
	uint64_t born;		/* when it entered the source queue; in an exchange, the number of its message */
	uint64_t tail;		/* when its last byte is past the input of the present switch */
	uint32_t next;		/* in its queue, or in the list of free packets */
	moore_epid ep;		/* where it goes */
	moore_lid lid;
	unsigned sl : 4, hops : 8;
	unsigned stale : 1;	/* a row that is yet to change has forwarded it */
	unsigned stage : 2;	/* of routings over a middle: how often its route began anew */
	unsigned out : 8, out_vl : 4;	/* port and VL by which it leaves the present switch */
};

struct sim_queue {		/* first in, first out */
	uint32_t head, tail;	/* MOORE_NONE: empty */
};

struct sim_channel {
	uint32_t down;		/* the port of f->port[] at the other end; MOORE_NONE: a host receives */
	uint32_t up;		/* of a port: the channel that sends to it */
	uint32_t sw;		/* of a port: its switch */
	uint32_t wire;		/* ticks to the other end */
	uint32_t packet;	/* ticks that a packet takes on it */
	uint32_t pending;	/* packets in the switch that leave by this port */
	uint32_t n_wait;	/* input buffers whose first packet waits for this crossbar output */
	uint8_t vl;		/* the VL whose turn it is to cross to this output, */
	uint8_t in_vl;		/* and from this input */
	uint8_t low, high;	/* places in the tables of turns, */
	uint16_t low_left, high_left;	/* how many packets these may still send, */
	uint16_t quota;		/* and how many the high table may before the low one */
	uint8_t sending;	/* VL of the packet on the link */
	bool link_busy : 1;	/* a packet is on the link */
	bool output_busy : 1;	/* a packet crosses to this port */
	bool input_busy : 1;	/* a packet crosses from this port */
	bool dead : 1;		/* the link is down: what comes to this output is lost */
	uint32_t sent;		/* packets that have begun to leave by it */
};

struct sim_message {
	moore_epid to;
	uint32_t after;
	uint32_t to_send, to_receive;	/* packets */
};

struct sim_host {
	struct moore_rng arrivals, choices;
	uint64_t due;		/* when the next packet is made, in 2^-SIM_FRACTION ticks */
	uint64_t gap;		/* the mean between two of them, in the same */
	uint32_t first, n;	/* its flows: sim.to[first..first+n-1]; uniform: n is 0, and first its
				 * place among the nodes */
	uint8_t turn;		/* of routing ALL */
	double *debt;		/* of routing SHARES, by offset: packets that should have taken it, less those that did */
	bool sends;
	bool armed;		/* an event waits for the next packet */
	/* Of an exchange: its messages are first to first + n - 1, those before `open` may be sent or were,
	 * and `next` is the one whose turn it is. */
	uint32_t got, open, next, left;	/* got: whole messages received; left: packets that may be sent */
};
#define SIM_FRACTION 16
#define SIM_PASSED (MOORE_NONE - 1)

struct sim {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	const struct moore_sl2vl *sl2vl;
	const struct moore_sl_set *sl_set;
	struct moore_sim_opts o;
	struct moore_sim_vlarb arb;
	struct moore_sim_point point;

	uint32_t own_vls;	/* VLs of the tables; packets have as many others when their route begins anew */
	uint32_t n_ports, n_channels, n_vl, n_words, n_senders;
	uint32_t n_lines, line_words;	/* queues of an input buffer; words of their bit set */
	struct sim_channel *channel;
	struct sim_host *host;
	moore_epid *to;		/* destinations of flows, by sender */
	struct sim_message *message;	/* of an exchange, by sender; NULL: there is none */
	uint32_t n_open;	/* messages that were not received */
	uint64_t completion;	/* when the last one was */
	uint16_t *credit;	/* by (channel, VL): packets for which the next buffer has room */
	struct sim_queue *in;	/* by (port, VL) and line */
	struct sim_queue *out;	/* by (port, VL) */
	uint16_t *n_in, *n_out;	/* packets of a buffer; of an output queue with the one on the link */
	/* Turns, each VL with its own: where all VLs shared one, the turn that a high input of one VL has left behind
	 * would always be at the lowest input of another. */
	uint16_t *turn;		/* by (port, VL) to leave by: the input, as a bit of wait[], that is served next */
	uint8_t *line;		/* by (port, VL): the output, within the switch, that this buffer tries first */
	uint64_t *lines;	/* by (port, VL): bit set of the lines that are not empty */
	uint64_t *taken;	/* by switch: bit set of the lines to which a packet crosses */
	uint64_t *wait;		/* by (port, VL) to leave by: bit set of inputs with a line whose first packet waits */
	uint64_t *busy;		/* by switch: bit set of inputs whose line into the crossbar is in use */
	uint8_t *far;		/* of UGAL, by (switch, LID): hops plus 1; 0: not known yet */

	struct sim_packet *packet;
	/* Of routings over a middle, by packet: the node to whose switch it goes first, SIM_PASSED from there on, or
	 * MOORE_NONE if it has no middle.  NULL: another routing. */
	moore_epid *middle;
	moore_portnum *node_port;	/* by switch: a port with a node, or 0; a route that begins anew enters by it */
	struct moore_rng choices;	/* of switches that judge a route again */
	/* Packets that were used are in a list; those from fresh_packet on were not yet, so memory that a
	 * run does not need is never touched. */
	uint32_t free_packet, fresh_packet, n_packets;	/* n_packets: in use now */

	struct sim_wheel wheel;
	uint64_t now, end, block_ticks;
	double full_rate;	/* packets that all senders can send in a tick */
	uint64_t made, received, dropped, hops;
	struct sim_changes *changes;	/* NULL: nothing changes */
	moore_swid drop_sw;
	moore_lid drop_lid;
	struct sim_block block[MOORE_SIM_BLOCKS];
	struct moore_arena mem;
};

struct sim_changes {		/* the state of a script (change.c) */
	const struct moore_sim_script *script;
	size_t next;		/* the first change that is not made yet */
	struct moore_lft lft;	/* as it is now */
	uint8_t *left;		/* by (switch, LID), as lft.row: changes of this row in the rest of this phase */
	struct moore_sim_phase phase[MOORE_SIM_PHASES];
	struct sim_block count[MOORE_SIM_PHASES];	/* packets received, and their latencies */
	uint32_t n_phases;	/* the last one is that of now */
};

enum sim_kind {
	SIM_ARRIVE,		/* the head of packet x reaches the crossbar from port at, VL vl */
	SIM_CROSSED,		/* a packet has crossed from port at to port x */
	SIM_FREE,		/* the last byte has left channel at */
	SIM_CREDIT,		/* a credit for VL vl reaches channel at */
	SIM_DUE,		/* host at has a packet to send */
	SIM_GOT,		/* host at has received the last byte of a message */
};

/* Ticks from the beginning of a packet on a link until it may cross in the next switch. */
static inline uint32_t
sim_to_crossbar(const struct sim *s, const struct sim_channel *c)
{
	return c->wire + s->o.sw + (c->packet - s->o.packet);
}

/* The number of (port, VL) within its switch, as a bit of wait[] and busy[]. */
static inline uint32_t
sim_bit(const struct sim *s, uint32_t port, uint32_t vl)
{
	return (port - s->f->sw[s->channel[port].sw].port0) * s->n_vl + vl;
}

/* Returns the first queue of the input buffer of a (port, VL). */
static inline struct sim_queue *
sim_lines(const struct sim *s, size_t q)
{
	return &s->in[q * s->n_lines];
}

static inline bool
sim_has_middles(const struct sim *s)
{
	return s->point.routing == MOORE_SIM_MIDDLE || s->point.routing == MOORE_SIM_UGAL_MIDDLE ||
	       s->point.routing == MOORE_SIM_PAR;
}

/* How often a route may begin, each time on VLs of its own. */
static inline uint32_t
sim_stages(const struct sim *s)
{
	return s->point.routing == MOORE_SIM_PAR ? 3 : sim_has_middles(s) ? 2 : 1;
}

static inline bool
sim_is_host(const struct sim *s, uint32_t channel)
{
	return channel >= s->n_ports;
}

/* build.c.  moore_sim_fini() frees also what a failed moore_sim_init() has left. */
int moore_sim_init(struct sim *s, const struct moore_sim_point *point, const struct moore_sim_tables *t,
		   const struct moore_sim_opts *o, struct moore_err *err);
void moore_sim_fini(struct sim *s);
uint64_t moore_sim_memory(const struct sim *s);

/* exchange.c */
void moore_sim_start_exchange(struct sim *s);
/* Takes the next message of a host that has packets to send; MOORE_NONE: no packet may be sent. */
uint32_t moore_sim_next_message(struct sim *s, struct sim_host *h);
/* A packet of message m has reached its node; its last byte comes at time t. */
void moore_sim_got_packet(struct sim *s, uint32_t m, uint64_t t);
void moore_sim_got_message(struct sim *s, uint32_t host);

/* change.c */
int moore_sim_check_script(const struct sim *s, struct moore_err *err);
uint64_t moore_sim_changes_memory(const struct sim *s);
bool moore_sim_changes_init(struct sim *s);	/* false: out of memory */
/* Makes the changes whose time is now, or was. */
void moore_sim_make_changes(struct sim *s);
void moore_sim_judge_phases(const struct sim *s, struct moore_sim_result *out, uint64_t *bin);	/* [SIM_BINS], overwritten */

/* When the next change is made; UINT64_MAX: there is none. */
static inline uint64_t
sim_next_change(const struct sim *s)
{
	const struct sim_changes *c = s->changes;

	return c && c->next < c->script->n ? c->script->change[c->next].at : UINT64_MAX;
}

static inline struct moore_sim_phase *
sim_phase(const struct sim *s)
{
	return &s->changes->phase[s->changes->n_phases - 1];
}

/* choose.c.  The offset of the next packet of host e to this node. */
uint32_t moore_sim_choose_offset(struct sim *s, uint32_t e, const struct moore_endpoint *to);
/* Sends packet k of host e over a middle, or not; within a switch never. */
void moore_sim_choose_middle(struct sim *s, uint32_t e, uint32_t k);
/* Packet k is at switch w on its way over a middle: if it leaves that way here, its route begins anew; true then. */
bool moore_sim_pass_middle(struct sim *s, moore_swid w, uint32_t k);
/* Packet k is at its second switch, w: under PAR, a minimal route may begin anew over a middle; true then. */
bool moore_sim_judge_again(struct sim *s, moore_swid w, uint32_t k);

/* source.c */
void moore_sim_start(struct sim *s);
/* Gives each host its place in a list of what all send, in the order of hosts: n, which has counted what it
 * sends, becomes 0 again, to count what is put there. */
void moore_sim_place_lists(struct sim *s);
void moore_sim_inject(struct sim *s, uint32_t host);
/* Counts the packets that were made until the end and have not left their source queue. */
void moore_sim_count_rest(struct sim *s);
/* One in 2^32 parts, exponentially distributed with mean 1. */
uint64_t moore_sim_exponential(struct moore_rng *r);

/* switch.c.  Serves an output whose link has gone down or has come up. */
void moore_sim_serve(struct sim *s, uint32_t channel);
/* Handles the changes and events of one tick; false when there are none before the end. */
bool moore_sim_step(struct sim *s);

/* stall.c: the length of a cycle of full buffers that wait for each other, and one of them; 0: there
 * is none.  mark[] has a zero for each (port, VL), and is changed. */
uint32_t moore_sim_find_stall(const struct sim *s, uint32_t *mark, uint32_t *where);

/* enough.c: whether the run, which has received packets and was judged, is long enough for an interval of latency. */
bool moore_sim_is_enough(const struct sim *s, const struct moore_sim_result *x);

/* audit.c: NULL, or what does not add up. */
const char *moore_sim_audit(const struct sim *s, uint32_t *scratch);

#endif
