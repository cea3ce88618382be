/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mad.h - many Gets to many ports at once, over one umad port.
 *
 * A batch is a list of addresses and of Gets to them.  mad_run() keeps a bounded number on
 * their way, and a smaller one to each address, and calls back once for each Get, in the
 * order in which they end.  All of it is for one thread.
 *
 *   mad.c         a Get from its first sending to its end; whole batches
 *   mad_batch.c   addresses take turns
 *   mad_packet.c  the form of a MAD
 *   mad_port.c    the umad port */
#ifndef MOORED_MAD_H
#define MOORED_MAD_H

#include <stdatomic.h>

#include "moore/base.h"

struct mad_port;
/* Opens the umad port CA:PORT; ca "" and port 0 take the first active one.  name[64] becomes
 * its name.  -MOORE_EPRECOND: there is none, or it cannot be opened. */
int mad_open(struct mad_port **out, const char *ca, int port, unsigned outstanding,
	     char name[64], struct moore_err *err);
void mad_close(struct mad_port *m);
/* Does its device exist; is its link up?  Both read sysfs. */
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
	uint32_t tag;		/* the caller's own */
	uint16_t attr;
	uint8_t class;		/* enum mad_class */
};

struct mad_batch {
	struct mad_to *to;
	struct mad_entry *entry;
	uint32_t n_to, cap_to, n_entries, cap_entries;
	uint32_t head, tail;	/* ring of addresses with something to send */
	bool oom;
	bool enough;		/* set by answer(): the rest is not sent */
	bool heard;		/* some Get was answered */
	uint32_t late;		/* Gets without an answer within the first timeout */
	uint32_t late_max;	/* when there are more of these, the batch ends with MAD_LEFT */
	uint64_t pause_us;	/* from then on nothing is sent: MAD_PAUSED.  0: never */
	/* Called once for each Get; may add to the batch.  data: the attribute, 64 bytes of an
	 * SMP, 192 of a GMP (for MAD_SA after the SA header, 200).  data is NULL when there was
	 * no answer (status 0), or when the port refused (status is that of the MAD). */
	void (*answer)(struct mad_batch *b, const struct mad_ask *q, const uint8_t *data,
		       unsigned status);
	void *arg;
};

void mad_batch_fini(struct mad_batch *b);
/* Adds an address: by directed route (path[1..hops], as in the SMP) or by LID (path NULL).
 * Returns its index.  When memory is out, this and mad_add() set b->oom. */
uint32_t mad_add_to(struct mad_batch *b, moore_lid lid, const uint8_t *path, uint8_t hops);
void mad_add(struct mad_batch *b, struct mad_ask q);
/* mad_add() of an SMP by directed route. */
void mad_add_smp(struct mad_batch *b, uint32_t to, uint16_t attr, uint32_t mod, uint32_t tag);

#define MAD_PATIENT UINT32_MAX	/* late_max: any number */

enum mad_end {
	MAD_DONE,		/* each Get had its answer(), or there was enough */
	MAD_NOMEM,
	MAD_STOPPED,		/* *stop was set */
	MAD_LEFT,		/* too many answers are late: what is on its way is forgotten */
	MAD_PAUSED,		/* pause_us is over: mad_run() goes on with the same batch */
	MAD_SILENT,		/* as MAD_DONE, but not one Get was answered */
};
/* Sends the Gets of b and waits for them.  Sets *beat to mono_us() / 1000 all the time. */
enum mad_end mad_run(struct mad_port *m, struct mad_batch *b, atomic_ullong *beat,
		     atomic_bool *stop);

#endif
