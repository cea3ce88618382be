/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* scanner.h - what the scanner's threads hand to the loop: snapshots of the fabric,
 * counters, and the state of each plane.
 *
 * A plane is one umad port, or the Ethernet switches of the plan.  Each has a thread of its own,
 * which alone sends MADs or runs commands. */
#ifndef MOORED_SCANNER_H
#define MOORED_SCANNER_H

#include "moore/counters.h"
#include "snapshot.h"

/* ---- one reading of all counters ---------------------------------------------------- */

struct poll {
	struct snapshot *snap;	/* a reference */
	uint64_t number, at_ms;
	uint32_t took_us, n_asked, n_failed;
	/* [snap->fabric->n_ports], in the order of its port[].  Values are absolute, as the ports
	 * report them; nothing resets them. */
	struct moore_reading *port;
	/* Of the endpoints from host_first on, which had their turn; at_us is 0 for one that was not
	 * asked, or did not answer. */
	struct moore_reading *host;
	uint32_t host_first, n_hosts;
};
void poll_free(struct poll *p);	/* NULL is fine */

/* ---- subnet managers ---------------------------------------------------------------- */

enum manager {
	MANAGER_UNKNOWN,	/* not asked yet, or our own port does not answer */
	MANAGER_NONE,		/* our port has no LID of a master */
	MANAGER_ANSWERS,
	MANAGER_SILENT,		/* several SMInfo in a row had no answer from a master */
};
/* SMInfo.SMState (IBTA 14.2.5.13). */
enum { SM_NOT_ACTIVE, SM_DISCOVERING, SM_STANDBY, SM_MASTER, N_SM_STATES };
static inline const char *
manager_state_name(unsigned state)
{
	static const char *const name[] = { "not active", "discovering", "standby", "master" };

	return name[state % N_SM_STATES];
}
enum { MANAGERS_MAX = 16 };	/* of one plane */
struct manager_heard {
	uint64_t guid;		/* of its port */
	moore_lid lid;
	uint8_t prio, state;	/* SM_MASTER, .. */
};
struct manager_state {
	enum manager found;
	moore_lid lid;
	uint64_t guid;		/* of its last SMInfo; 0: none yet */
	uint8_t prio;
	bool answered;		/* the last question */
	char text[64];		/* "0x... prio 0 master", "0x... prio 0 does not answer"; or "" */
	uint64_t heard_ms;	/* wall clock of its last answer as master; before the first, of
				 * the first question; 0: not asked */
	/* All that answered SMInfo at the last question, the master among them; the rest is
	 * left out.  round counts the questions at which our own port answered. */
	struct manager_heard sm[MANAGERS_MAX];
	unsigned n_sm;
	uint64_t round;
};

/* ---- the scanner -------------------------------------------------------------------- */

struct loop;
struct moored_conf;
struct scanner;

#define PLANE_ETHERNET "ethernet"	/* the name of such a plane in the key planes */

struct scanner_calls {		/* all run on the loop's thread */
	void (*snapshot)(void *arg, struct snapshot *s);	/* the receiver owns the reference */
	void (*polled)(void *arg, struct poll *p);		/* the receiver frees p */
	void (*state)(void *arg, unsigned plane, enum plane_state s, const char *why);
	void (*manager)(void *arg, unsigned plane, const struct manager_state *m);
	void *arg;
};

/* Starts a thread for each plane of c->planes.  Snapshots are numbered from first_scan.
 * c and calls are copied.  -1: out of memory, or no thread can be started. */
int scanner_start(struct scanner **out, struct loop *l, const struct moored_conf *c,
		  uint64_t first_scan, const struct scanner_calls *calls);
/* Ask all planes to look for changes and to read tables now. */
void scanner_kick(struct scanner *s);
/* Ends the threads and frees s.  False: a thread hangs in its device and still runs; then s
 * stays, and the process can only _exit. */
bool scanner_stop(struct scanner *s);

#endif
