/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mad.h - many questions to many ports at once, over one umad port.
 *
 * A batch is a list of addresses and of Gets to them.  mad_run() keeps a bounded
 * number on their way, and a smaller one to each address, and calls back once for
 * each Get, in the order in which they end.  Everything here is for one thread. */
#ifndef MOORED_MAD_H
#define MOORED_MAD_H

#include <stdatomic.h>

#include "moore/base.h"

struct mad_port;
/* The umad port CA:PORT; ca "" and port 0 take the first active one.  name[64] tells
 * which it was.  -MOORE_EPRECOND: there is none, or it cannot be opened. */
int mad_open(struct mad_port **out, const char *ca, int port, unsigned outstanding,
	     char name[64], struct moore_err *err);
void mad_close(struct mad_port *m);
/* Is its device there; is its link active?  Both read sysfs. */
bool mad_there(const struct mad_port *m);
bool mad_active(const struct mad_port *m);
/* Gets sent so far. */
uint64_t mad_sent(const struct mad_port *m);

enum mad_class { MAD_SMP_DIRECT, MAD_SMP_LID, MAD_PERF, MAD_SA, N_MAD_CLASSES };

struct mad_ask {
	uint32_t to;		/* mad_add_to() */
	/* Attribute modifier; the port for MAD_PERF; for MAD_SA, which asks for path records
	 * alone, the LIDs of source << 16 | destination. */
	uint32_t mod;
	uint32_t tag;		/* the caller's */
	uint16_t attr;
	uint8_t class;		/* enum mad_class */
};

struct mad_batch {
	struct mad_to *to;
	struct mad_entry *entry;
	uint32_t n_to, cap_to, n_entries, cap_entries;
	uint32_t head, tail;	/* addresses with something to send */
	bool oom;
	bool enough;		/* set by answer(): the rest need not be asked */
	bool heard;		/* someone answered */
	uint32_t late;		/* Gets that waited a whole timeout, answered in the end or not */
	uint32_t late_max;	/* more of them than that end it with MAD_LEFT */
	uint64_t pause_us;	/* MAD_PAUSED by then; mad_run() again goes on.  0: never */
	/* data: the attribute, 64 bytes of an SMP, 192 of a GMP (after the SA header for
	 * MAD_SA, 200); NULL when nobody answered, then status is 0 too; or when the port
	 * refused, then status is the MAD's.  May add to the batch. */
	void (*answer)(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data,
		       unsigned status);
	void *arg;
};

void mad_batch_fini(struct mad_batch *b);
/* Address by directed route (path[1..hops]) or by LID. */
uint32_t mad_add_to(struct mad_batch *b, moore_lid lid, const uint8_t *path, uint8_t hops);
void mad_add(struct mad_batch *b, struct mad_ask q);

#define MAD_PATIENT UINT32_MAX	/* late_max: however many */

enum mad_end { MAD_DONE, MAD_NOMEM, MAD_STOPPED, MAD_LEFT, MAD_PAUSED,
	MAD_SILENT /* nobody answers at all */ };
/* Ask everything.  Every Get that was added has had its answer() but for MAD_NOMEM,
 * MAD_STOPPED, MAD_LEFT and where there was enough.  *beat is set to the monotonic clock in ms all along; *stop ends it. */
enum mad_end mad_run(struct mad_port *m, struct mad_batch *b, atomic_ullong *beat,
		     atomic_bool *stop);

uint64_t mono_us(void);

#endif
