/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sim.h - the fabric of the simulator, as its parts share it:
 *
 *   fabric.c     read from the dumps; where a packet goes next
 *   traffic.c    who sends what to whom
 *   creditsim.c  buffers and credits, cycle by cycle, and whether it stands still */
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

struct packet {
	uint32_t to;		/* endpoint */
	uint16_t lid;
	uint8_t sl, hops, out, vl;	/* out, vl: of its next hop */
};

struct fifo {
	struct packet *slot;
	uint32_t head, n;
};

struct port {
	uint32_t sw, ep;	/* what is plugged in: one of them, or NONE both */
	uint8_t far;		/* port of sw */
	struct fifo in[N_VL];
	uint32_t turn;		/* out: (in * N_VL + vl) served last */
	uint64_t sent;
};

struct sw {
	uint64_t node_guid, port_guid;
	char name[68];
	unsigned n_ports;
	struct port *port;	/* 0..n_ports */
	uint8_t *lft;		/* N_LID */
	uint8_t *sl2vl;		/* [in][out][sl]; NULL: packets keep VL 0 */
};

struct ep {
	uint64_t guid;
	uint32_t sw;
	uint8_t port;
	uint16_t lid, n_lids;
	uint32_t partner;	/* of a fixed pattern */
	bool ready;
	struct packet next;	/* at the source, waiting to be sent */
};

extern struct sw *sw;
extern struct ep *ep;
extern uint32_t n_sw, n_ep;
extern uint64_t rng, dropped;

extern struct sim_opt {
	const char *dir, *pattern;
	int sl;			/* -1: any */
	bool all_lids;
	uint32_t cycles, buffers;
	uint64_t seed;
} opt;

_Noreturn void die(int status, const char *fmt, ...);
void *room(size_t n, size_t size);	/* n and one more, zeroed */

/* fabric.c */
void read_fabric(void);		/* the dumps of opt.dir; idle endpoints are left out */
/* Where a packet in input port `in` of s goes next. */
void next_hop(uint32_t s, unsigned in, struct packet *p);
bool reaches(uint32_t from, uint32_t to);	/* endpoints; on a fabric in parts some do not */

/* traffic.c */
bool know_pattern(const char *name);	/* take the one of that name; false: there is none */
void draw_pattern(void);
void refill(uint32_t e);	/* the next packet of an endpoint */

#endif
