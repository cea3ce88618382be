/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* middle_detours.h - counts the detours that ranks allow where the graph has lines (middles.h), and
 * what a search makes of the counts; for middle_ranks.c alone.
 *
 * A *low* switch has endpoints.  A detour s -> m -> i -> m' -> d is allowed when the ranks of its last
 * three links rise.  Middle switch m *reaches* the last link m' -> d by way of i then.  Switches that have
 * the same middle switches, as the copies of a line in an OFT, are a class here, and senders are counted by
 * class; classes of middles.h need to share most of them only. */
#ifndef MOORE_ROUTE_MIDDLE_DETOURS_H
#define MOORE_ROUTE_MIDDLE_DETOURS_H

#include "base/arena.h"
#include "route/turns/middles.h"

struct moore_rdetours {
	const struct moore_rgraph *g;
	const uint32_t *rank;	/* by edge */
	uint32_t n_low, n_middles, stride;	/* stride: more than any slot of a planned edge of
						 * a low switch */
	uint32_t *low, *middle;	/* their nodes */
	uint32_t *at;		/* by node: which of low[] or middle[] it is */
	uint32_t *xadj, *adj;	/* planned edges of node s: adj[xadj[s]] .. adj[xadj[s + 1] - 1] */
	uint32_t *edge;		/* [low * n_middles + middle]: the edge to it; MOORE_NONE */
	uint32_t n_classes, most_beside;	/* most_beside: classes beside a middle switch */
	uint32_t *class_of, *first;	/* by low switch; by class: the first of its low switches */
	uint32_t *between, *xbetween;	/* low switches beside both m and m':
					 * between[xbetween[m * n_middles + m']] and so on */
	uint8_t *common;	/* [class * n_low + d]: d's slot to the middle switch beside both */
	uint8_t *ways;		/* [(m * n_low + d) * stride + slot]: of the first eight low switches between m
				 * and the middle switch there, those by which m reaches this last link, as bits */
	uint8_t *n_reached;	/* [m * n_low + d]: last links that m reaches */
	uint8_t *firsts, *lasts;	/* [class * n_low + d]: first and last links in detours */
	uint8_t *ending;	/* [(class * n_low + d) * stride + slot]: first links that reach it */
	uint16_t *n_detours;	/* [class * n_low + d] */
	uint64_t *by_links, *by_detours;	/* what a pair costs, by firsts or lasts, and by detours */
	uint32_t most_detours;	/* by_detours[] of more is that of so many */
	uint64_t cost;		/* of all pairs */
	struct moore_rway_change {
		uint16_t m, d;
		uint8_t slot, was;
	} *change;		/* n_changes since the last moore_rdetours_recount() began */
	size_t n_changes;
};

/* Counts all detours under rank[] (by edge), which stays the caller's.  Memory is from tmp.
 * -MOORE_ENOMEM; MOORE_RDETOURS_MANY, and nothing is counted, where memory would exceed
 * MOORE_MIDDLES_BYTES. */
#define MOORE_RDETOURS_MANY 1
int moore_rdetours_init(struct moore_rdetours *w, const struct moore_rgraph *g, const uint32_t *rank,
			struct moore_arena *tmp);
/* Counts again what edge e takes part in, whose rank has changed.  O(degree^2). */
void moore_rdetours_recount(struct moore_rdetours *w, uint32_t e);
/* Takes the last recount back. */
void moore_rdetours_undo(struct moore_rdetours *w);

#endif
