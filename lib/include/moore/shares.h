/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/shares.h - which LID offsets each host of a job should send on, so that the fullest
 * link is as empty as the tables allow.
 *
 * An application's setting of offsets belongs to a process and serves all its destinations,
 * so shares are those of a sending endpoint, not of a pair. */
#ifndef MOORE_SHARES_H
#define MOORE_SHARES_H

#include "base.h"
#include "tables.h"

MOORE_BEGIN

struct moore_amount {		/* an element of a traffic matrix */
	moore_epid from, to;	/* both are plugged into a switch and have a LID */
	double amount;		/* in any unit */
};

#define MOORE_AMOUNTS_MAX 4000000u	/* elements of a matrix */

/* Reads lines "SOURCE DESTINATION AMOUNT": endpoints as moore_fabric_find() takes them, and a
 * whole number.  Tabs separate words in a line that has any, else blanks do; # begins a
 * comment.  Pairs may be repeated; amounts of 0 and those that an endpoint sends to itself are
 * left out.  The caller frees *out with free().  -MOORE_ESYNTAX with the line in err;
 * -MOORE_ENOMEM.  O(text + different words * endpoints). */
MOORE_API int moore_amounts_parse(struct moore_amount **out, uint32_t *n,
				  const struct moore_fabric *f, const char *text, size_t len,
				  struct moore_err *err);

/* Loads are sums of amounts over a link between switches.  The amounts between endpoints of one
 * switch load none. */
struct moore_shares {
	uint32_t n_hosts, n_offsets;
	uint32_t n_pairs;	/* different ones */
	moore_epid *host;	/* the endpoints that send, in order */
	double *share;		/* [host * n_offsets + offset]; each host's sum is 1 */
	unsigned n_ranks;	/* processes of a host */
	uint16_t *rank_offset;	/* [host * n_ranks + process]: the shares, rounded to one offset for
				 * each process */
	/* The greatest load of a link */
	double greatest;	/* with these shares; */
	double bound;		/* with any shares it is no less than this; */
	double base;		/* when all send to base LIDs; negative: some pair has no such route; */
	double even;		/* when each host sends evenly on all offsets that it can use; */
	double with_ranks;	/* when each process sends on its offset, all of them equally much */
	moore_swid sw;		/* a link with the load `greatest`; sw is MOORE_NONE where no link */
	moore_portnum port;	/* carries anything */
};

/* Finds shares with greatest <= bound * (1 + gap).  A host uses an offset only if the tables
 * lead there from it to all its destinations.  n_ranks may be 0.  Borrows all but *out, which
 * the caller ends with moore_shares_free().  -MOORE_EINVAL when no offset leads from a host to
 * all its destinations; -MOORE_ENOMEM.  O(n * offsets * hops), and some thousand passes over the
 * links of all hosts and offsets. */
MOORE_API int moore_shares_find(struct moore_shares **out, const struct moore_fabric *f,
				const struct moore_lft *lft, const struct moore_amount *a,
				uint32_t n, unsigned n_ranks, double gap, struct moore_err *err);
MOORE_API void moore_shares_free(struct moore_shares *s);	/* NULL is fine */

MOORE_END

#endif
