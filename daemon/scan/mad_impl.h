/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mad_impl.h - what the files of mad.h share: the umad port, addresses that take turns,
 * and the form of a MAD. */
#ifndef MOORED_MAD_IMPL_H
#define MOORED_MAD_IMPL_H

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include "scan/mad.h"

#define NOTHING UINT32_MAX

enum { AT_ONE = 4 };		/* Gets on their way to one address, once it has answered */
enum { PLACE_BITS = 10 };	/* of a transaction ID: 1024 Gets on their way at most */

struct mad_to {			/* an address */
	moore_lid lid;
	uint8_t hops, path[64];
	bool in_ring, dead, answered;
	uint8_t out, misses;	/* Gets on their way; unanswered Gets in a row */
	uint32_t first, last;	/* entries to send; NOTHING */
	uint32_t next;		/* in the ring */
};

struct mad_entry {
	struct mad_ask q;
	uint32_t next;		/* of the same address */
};

struct place {			/* for a Get on its way */
	uint32_t entry;		/* NOTHING: free */
	uint32_t generation;
	uint64_t until_us;
	uint8_t tries;
};

struct mad_port {
	int fd, agent[N_MAD_CLASSES];
	char ca[UMAD_CA_NAME_LEN];
	int num;
	unsigned n_places, n_out;
	struct place *place;
	uint32_t *free_place;
	uint64_t next_check_us;	/* no place expires before that */
	unsigned silent;	/* Gets that ended without an answer since the last answer */
	uint64_t sent;
	uint8_t *umad;
};

/* ---- addresses take turns (mad_batch.c) --------------------------------------------- */

/* Puts address i last in the ring if it has something to send and may send it. */
void mad_enter_ring(struct mad_batch *b, uint32_t i);
/* The next entry in turn, or NOTHING.  Its address has one more on its way. */
uint32_t mad_take_turn(struct mad_batch *b);

/* ---- the form of a MAD (mad_packet.c) ----------------------------------------------- */

extern const struct mad_class_id {
	int class, version;
} mad_class_id[N_MAD_CLASSES];

/* Writes the Get q to t, with that transaction ID, to mad[IB_MAD_SIZE]. */
void mad_compose(uint8_t *mad, const struct mad_ask *q, const struct mad_to *t, uint32_t tid);
/* Where the attribute begins. */
unsigned mad_data_at(enum mad_class class);

#endif
