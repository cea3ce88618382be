/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* seen.h - one plane as the scanner knows it, between snapshots: who is there and by
 * which way, and what was read from whom.  The scanner's thread alone has it.
 *
 *   discover.c   walks the fabric, and looks whether it changed
 *   readback.c   tables, as the switches hold them
 *   records.c    SLs of the SA's path records
 *   manager.c    the master subnet manager: who, and does it answer
 *   counters.c   one reading of all counters
 *   plane.c      when which of these happens, and what the loop is given */
#ifndef MOORED_SEEN_H
#define MOORED_SEEN_H

#include "scan/mad.h"
#include "scan/scanner.h"

#define DESC_MAX 64

struct seen_port {		/* of a switch; port 0 too */
	uint8_t state, phys;	/* PortInfo: 1 down .. 4 active; 5 is LinkUp */
	uint8_t op_vls;		/* IBTA's code */
	uint8_t role;		/* enum moore_role */
	moore_portnum peer_port;
	bool asked;		/* who is there */
	uint32_t peer;		/* switch or endpoint of struct seen */
	struct moore_rate rate;
};

struct seen_switch {
	uint64_t guid, port_guid;
	char desc[DESC_MAX + 1];
	uint8_t n_ports;
	moore_lid lid;
	uint8_t lmc;
	uint32_t capability;	/* of port 0 */
	uint16_t lft_top, mft_cap, mft_top;
	bool answers;
	uint8_t hops, path[64];	/* from us */
	struct seen_port *port;	/* 0..n_ports */
	/* Read back.  lft: lft_size LIDs; sl2vl: a row of 8 bytes, one nibble for each SL, at
	 * in * (n_ports + 1) + out; mft: 32 masks of each of n_mft blocks. */
	uint8_t *lft;
	uint32_t lft_size;
	uint8_t (*sl2vl)[8];
	uint64_t (*mft)[4];
	uint32_t n_mft;
	/* Counters. */
	uint16_t perf_cap;	/* PerfMgt ClassPortInfo.CapabilityMask */
	uint32_t perf_cap2;
	bool perf_known, perf_ext_refused;
};

struct seen_endpoint {
	uint64_t guid, node_guid;
	char desc[DESC_MAX + 1];
	uint8_t ca_port, node_ports;
	bool router;
	uint32_t sw;		/* MOORE_NONE: beside no switch */
	moore_portnum port;
	moore_lid lid;
	uint8_t lmc, op_vls;
	struct moore_rate rate;
};

struct seen {
	struct seen_switch *sw;		/* by GUID, once the walk is over */
	struct seen_endpoint *ep;	/* by node GUID and port */
	uint32_t n_switches, cap_switches, n_endpoints, cap_endpoints;
	uint32_t *by_guid, n_slots;	/* open hash of switches, while walking */
	moore_lid sm_lid;
	uint8_t self_path1;	/* our port: first step of every way; 0 on a switch */
	char sm[64];
	struct sa_read sa;
	uint32_t n_unanswered;	/* ports that are up and lead to nobody who answers */
};
void seen_free(struct seen *s);	/* NULL is fine */

struct ask_with {		/* how MADs are asked on this thread */
	struct mad_port *mad;
	atomic_ullong *beat;
	atomic_bool *stop;
	/* Of counters and tables: they go on while no more answers are late than that, and
	 * a look every now and then (*look_us; NULL: none) finds what was there. */
	uint32_t late_max, *late;
	const uint64_t *look_us;
	bool (*look)(void *arg);	/* false: something changed */
	void *arg;
};
/* All of the batch so; MAD_LEFT when it cannot be all. */
enum mad_end ask_beside_looks(struct mad_batch *b, const struct ask_with *w);

/* discover.c */
int seen_discover(struct seen **out, const struct ask_with *w, struct moore_err *err);
/* Did a link come or go, a switch stop answering, or the SM's LID change?  Costs one Get
 * for each link and free port, and ends at the first change.  enum mad_end; *changed is
 * set when it is MAD_DONE. */
enum mad_end seen_changed(const struct seen *s, const struct ask_with *w, bool *changed);
/* Of all that a snapshot shows but the tables. */
uint64_t seen_hash(const struct seen *s);
/* The snapshot of it: plan, fabric and SM; tables stay NULL. */
int seen_snapshot(const struct seen *s, struct snapshot **out, struct moore_err *err);

/* manager.c.  Asks once and sets *m but heard_ms; text stays when nobody answers. */
enum mad_end ask_manager(const struct seen *s, const struct ask_with *w, struct manager_state *m);
/* Of the last ask_manager() it is known now that there is no master: sets found and text. */
void manager_silent(struct manager_state *m);

/* readback.c.  What is read stays in s; what cannot be read keeps its last value. */
enum mad_end read_forwarding(struct seen *s, const struct ask_with *w);	/* LFT and MFT */
/* Lanes of up to max rows from *at on; *at goes to 0 when all were read, and stays at MAD_LEFT. */
enum mad_end read_lanes(struct seen *s, const struct ask_with *w, uint32_t max, uint64_t *at);
uint64_t forwarding_hash(const struct seen *s);
uint64_t lanes_hash(const struct seen *s);
/* Tables to a snapshot of the same s; lanes only when have_lanes. */
int seen_tables(const struct seen *s, struct snapshot *to, bool have_lanes, struct moore_err *err);
/* Take over from an older walk what was read of the same switches. */
void seen_inherit(struct seen *s, struct seen *old);

/* records.c: some more pairs of endpoints, into s->sa. */
enum mad_end read_records(struct seen *s, const struct ask_with *w);

/* counters.c */
enum mad_end read_counters(struct seen *s, const struct ask_with *w, struct poll *p);

#endif
