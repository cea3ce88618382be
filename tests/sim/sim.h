/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sim.h - the fabric of the simulator, which its four parts share:
 *
 *   fabric.c     reads it from the dumps and finds the next hop of a packet
 *   traffic.c    decides which endpoint sends to which
 *   motion.c     changes rows while packets are on their way
 *   creditsim.c  moves packets cycle by cycle and detects deadlock */
#ifndef MOORE_SIM_H
#define MOORE_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SL 16
#define N_VL 15
#define N_LID 0xc000
#define NO_PORT 0xff
#define NONE UINT32_MAX
#define HOPS_MAX 64
#define STEPS_MAX 64

struct packet {
	uint32_t to;		/* destination endpoint */
	uint16_t lid;
	uint8_t sl, hops, out, vl;	/* out, vl: port and VL of the next hop */
};

struct fifo {
	struct packet *slot;
	uint32_t head, n;
};

struct port {
	uint32_t sw, ep;	/* what is connected: one of them, or both NONE */
	uint8_t far;		/* the port at the other end, if that is a switch */
	struct fifo in[N_VL];
	uint32_t turn;		/* of this out port: the (in * N_VL + vl) that it served last */
	uint64_t sent;
};

struct sw {
	uint64_t node_guid, port_guid;
	char name[68];
	unsigned n_ports;
	struct port *port;	/* ports 0 to n_ports */
	uint8_t *lft;		/* out port for each of N_LID LIDs */
	uint8_t *sl2vl;		/* [in][out][sl]; NULL: every packet uses VL 0 */
};

struct ep {
	uint64_t guid;
	uint32_t sw;
	uint8_t port;
	uint16_t lid, n_lids;
	uint32_t partner;	/* destination in a fixed pattern */
	bool ready;
	struct packet next;	/* the packet that waits at the source */
};

extern struct sw *sw;
extern struct ep *ep;
extern uint32_t n_sw, n_ep;
extern uint64_t rng, dropped, circled;

extern struct sim_opt {
	const char *dir, *pattern;
	struct {
		const char *dir;
		bool wait;	/* the fabric is empty before it */
	} step[STEPS_MAX];
	unsigned n_steps;
	int sl;			/* -1: a random one for each packet */
	bool all_lids;
	uint32_t cycles, buffers;
	uint64_t seed;
} opt;

_Noreturn void die(int status, const char *fmt, ...);
void *room(size_t n, size_t size);	/* n + 1 zeroed elements; ends the program if memory runs
					 * out */

/* fabric.c */
void read_fabric(const char *dir);	/* leaves out idle endpoints */
uint8_t *read_rows(const char *dir);	/* of the switches of the fabric; to be freed */
/* Sets the out port and VL of a packet in input port `in` of s.  The VL is N_VL if the
 * packet is dropped; unless rows change, that ends the program, as does a loop. */
void next_hop(uint32_t s, unsigned in, struct packet *p);
bool reaches(uint32_t from, uint32_t to);	/* endpoints; some are unreachable in a split
						 * fabric */

/* motion.c */
enum sources { SOURCES_SEND, SOURCES_PAUSE, SOURCES_END };
void motion_init(void);		/* sets the first rows */
/* Writes the rows that are due, and returns what the sources do in this cycle.  empty: no
 * packet is in the fabric. */
enum sources motion_tick(uint32_t now, bool empty);
void motion_report(void);

/* traffic.c */
uint32_t below(uint32_t n);	/* a random number */
bool know_pattern(const char *name);	/* selects a pattern by name; false if there is none */
void draw_pattern(void);
void refill(uint32_t e);	/* prepares the next packet of an endpoint */

#endif
