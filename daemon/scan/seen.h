/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* seen.h - one plane as the scanner knows it, between snapshots: which devices there are,
 * the directed route to each, and what was read from them.  Only the plane's own thread
 * has it.
 *
 *   walk.c       finds the fabric
 *   seen.c       switches by GUID, and the order of the arrays
 *   look.c       did the fabric change?
 *   observed.c   plan and fabric of a snapshot
 *   readback.c   tables, as the switches hold them
 *   hardware.c   what switches and ports report of themselves; VL arbitration
 *   records.c    SLs of the SA's path records
 *   manager.c    the subnet managers: where they are, which is master, which answer
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
	bool asked;		/* the walk asked for NodeInfo through it */
	uint32_t peer;		/* switch or endpoint of struct seen */
	struct moore_rate rate;
};

static inline bool
port_is_up(const struct seen_port *p)
{
	return p->state > 1 && p->phys == 5;	/* not down; LinkUp */
}

struct seen_hardware;
struct seen_perf {		/* which counters a device has */
	uint16_t cap;		/* PerfMgt ClassPortInfo.CapabilityMask */
	uint32_t cap2;
	bool known, ext_refused;
};

struct seen_switch {
	uint64_t guid, port_guid;
	char desc[DESC_MAX + 1];
	uint8_t n_ports;
	moore_lid lid;
	uint8_t lmc;
	uint32_t capability;	/* of port 0 */
	uint16_t lft_top, mft_cap, mft_top;
	uint8_t hops, path[64];	/* the directed route from us */
	struct seen_port *port;	/* 0..n_ports */
	/* Read back.  lft: lft_size LIDs; sl2vl: a row of 8 bytes, one nibble for each SL, at
	 * in * (n_ports + 1) + out; mft: 32 masks of each of n_mft blocks. */
	uint8_t *lft;
	uint32_t lft_size;
	uint8_t (*sl2vl)[8];
	uint64_t (*mft)[4];
	uint32_t n_mft;
	struct seen_hardware *hardware;
	struct seen_perf perf;
};

struct seen_endpoint {
	uint64_t guid, node_guid;
	char desc[DESC_MAX + 1];
	uint8_t ca_port, node_ports;
	bool router;
	uint32_t sw;		/* the switch it is cabled to; MOORE_NONE */
	moore_portnum port;
	moore_lid lid;
	uint8_t lmc, op_vls;
	struct moore_rate rate;
	struct seen_perf perf;
	uint8_t silent;		/* its counters are asked for in each 2^silent-th turn */
};

struct seen {
	struct seen_switch *sw;		/* by GUID, once the walk is over */
	struct seen_endpoint *ep;	/* by node GUID and port */
	uint32_t n_switches, cap_switches, n_endpoints, cap_endpoints;
	uint32_t *by_guid, n_slots;	/* open hash of switches, while walking */
	moore_lid sm_lid;
	uint8_t self_path1;	/* our own port, the first step of each route; 0: a switch */
	char sm[64];
	struct sa_read sa;
	uint32_t n_unanswered;	/* Gets of the walk without an answer */
};
void seen_free(struct seen *s);	/* NULL is fine */

/* ---- seen.c ------------------------------------------------------------------------- */

/* The switch of that GUID, or MOORE_NONE. */
uint32_t seen_find(const struct seen *s, uint64_t guid);
/* Room behind the last switch, for the caller to fill; NULL: out of memory.  seen_keep() then
 * makes it a switch of s, under its GUID. */
struct seen_switch *seen_room(struct seen *s);
void seen_keep(struct seen *s);
/* Puts switches in the order of their GUIDs and endpoints in that of node GUID and port.  -1:
 * out of memory. */
int seen_order(struct seen *s);

/* ---- how MADs are sent on this thread ----------------------------------------------- */

struct ask_with {
	struct mad_port *mad;
	atomic_ullong *beat;
	atomic_bool *stop;
	/* Of counters and tables: they end with MAD_LEFT when more than late_max answers are
	 * late; *late becomes the number of late answers of a whole reading.  When *look_us is
	 * reached (NULL: never), look() runs between two Gets; false ends the reading too. */
	uint32_t late_max, *late;
	const uint64_t *look_us;
	bool (*look)(void *arg);
	void *arg;
};
/* Sends the whole batch in this way; returns MAD_LEFT when it did not send some Gets. */
enum mad_end ask_beside_looks(struct mad_batch *b, const struct ask_with *w);

/* ---- what is asked: enum mad_end of the batch, unless it says otherwise ------------- */

/* walk.c.  -MOORE_EUNREACH: our own port or the switch next to it does not answer. */
int seen_discover(struct seen **out, const struct ask_with *w, struct moore_err *err);

/* look.c.  Did a link come or go, a switch stop answering, or the LID of the subnet manager
 * change?  One Get for each link and free port, up to the first change.  *changed is valid
 * with MAD_DONE. */
enum mad_end seen_changed(const struct seen *s, const struct ask_with *w, bool *changed);
/* Of all that a snapshot shows but the tables. */
uint64_t seen_hash(const struct seen *s);

/* observed.c.  A snapshot with plan, fabric (NULL when LIDs are missing) and manager, and
 * without tables. */
int seen_snapshot(const struct seen *s, struct snapshot **out, struct moore_err *err);

/* manager.c.  The LIDs of ports that have a subnet manager. */
struct manager_ports {
	moore_lid lid[MANAGERS_MAX];
	unsigned n;
};
/* Asks every endpoint and switch for PortInfo; *out is valid with MAD_DONE. */
enum mad_end find_managers(const struct seen *s, const struct ask_with *w,
			   struct manager_ports *out);
/* Asks the master and the managers at these ports (NULL: none) once, and sets *m but
 * heard_ms; text stays when the master does not answer. */
enum mad_end ask_manager(const struct seen *s, const struct ask_with *w,
			 const struct manager_ports *at, struct manager_state *m);
/* After an ask_manager() that makes it certain that there is no master: sets found and text. */
void manager_silent(struct manager_state *m);

/* readback.c.  What is read stays in s; what cannot be read keeps its last value. */
enum mad_end read_forwarding(struct seen *s, const struct ask_with *w);	/* LFT and MFT */
/* Reads up to max rows of SL2VL from *at on; *at becomes where to go on, 0 when all were
 * read, and stays with MAD_LEFT. */
enum mad_end read_lanes(struct seen *s, const struct ask_with *w, uint32_t max, uint64_t *at);
uint64_t forwarding_hash(const struct seen *s);
uint64_t lanes_hash(const struct seen *s);
/* Copies tables to a snapshot of the same s; lanes only when have_lanes. */
int seen_tables(const struct seen *s, struct snapshot *to, bool have_lanes, struct moore_err *err);
/* Moves what was read of the same switches from an older walk to s. */
void seen_inherit(struct seen *s, struct seen *old);

/* hardware.c, for readback.c.  Adds the Gets for a port, with port 0 those for the switch too;
 * false: out of memory, as b->oom.  take_hardware() is their answer(). */
bool ask_hardware(struct mad_batch *b, struct seen_switch *s, uint32_t to, uint32_t tag,
		  uint32_t port);
void take_hardware(struct mad_batch *b, const struct mad_ask *q, struct seen_switch *s,
		   const uint8_t *data);
uint64_t hardware_hash(uint64_t h, const struct seen_switch *s);
int hardware_to(const struct seen *s, struct snapshot *to, struct moore_err *err);

/* records.c.  Asks for some more pairs of endpoints, and adds to s->sa. */
enum mad_end read_records(struct seen *s, const struct ask_with *w);

/* counters.c */
enum mad_end read_counters(struct seen *s, const struct ask_with *w, struct poll *p);
/* Adds the counters of some endpoints to p, so that at a poll in each poll_us all have their turn
 * in 10 s.  Those that do not answer delay the next step by the time of one Get at most. */
struct host_turn {
	uint32_t at, round;
};
void read_hosts(struct seen *s, const struct ask_with *w, struct poll *p, struct host_turn *turn,
		uint64_t poll_us);

#endif
