/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mix_impl.h - the stages that judge tables while they change.
 *
 *   mix_graph.c  the graph of one LID whose rows may have several values: VLs held
 *   mix.c        judges two tables, and brings tables of two fabrics into one shape
 *   mix_walk.c   for each LID the graph of old and new next hops, and its shortest loop
 *   mix_order.c  an order of writes in which nothing loops
 *   mix_held.c   judges what the switches may hold: any number of values of each row
 *   churn.c      how much changes, and how much must change
 *
 * Dependencies are computed from turns by the checker's own code (check_impl.h). */
#ifndef MOORE_LANE_MIX_IMPL_H
#define MOORE_LANE_MIX_IMPL_H

#include "lane/check_impl.h"
#include "moore/mix.h"

/* ---- the graph of one LID -------------------------------------------------------- */

struct moore_mx_way {		/* a value of a switch's row */
	uint32_t link;		/* slot of the out port */
	uint32_t next;		/* next switch; n_sw: none */
	uint8_t out;		/* slot within the switch */
};

struct moore_mx_graph {
	struct moore_ck *k;
	uint32_t *first;	/* ways of switch s: way[first[s]] .. way[first[s + 1] - 1] */
	struct moore_mx_way *way;	/* those of one switch differ in out */
	/* If rows are of two tables, the old way of a switch is the first and the new one the
	 * second, and this is when each switch is written; NULL: at any time. */
	const uint32_t *when;
	uint32_t *deg;		/* ways that lead to each switch and are not processed yet */
	uint32_t *order;	/* all switches; the first n_order come after those that lead to
				 * them, the others are on a loop or lead from one */
	uint32_t n_order;
	uint16_t *vls;		/* [way * n_cls + class]: VLs on which packets take it */
};

/* Returns false when out of memory. */
bool moore_mx_graph_init(struct moore_mx_graph *g, struct moore_ck *k);
void moore_mx_graph_clear(struct moore_mx_graph *g);
/* After all ways were added. */
void moore_mx_graph_sort(struct moore_mx_graph *g);
/* Notes in k's cells the VLs that packets of this LID hold. */
void moore_mx_graph_climb(struct moore_mx_graph *g, unsigned lid);

/* Adds a way to switch s, unless s has it.  Each switch has at least one; they are added in
 * the order of switches, and first[s + 1] was set to first[s] before the first of s. */
static inline void
moore_mx_graph_add(struct moore_mx_graph *g, moore_swid s, uint8_t out)
{
	uint32_t link = g->k->slot0[s] + out;

	for (uint32_t a = g->first[s]; a < g->first[s + 1]; a++)
		if (g->way[a].out == out)
			return;
	g->way[g->first[s + 1]++] =
		(struct moore_mx_way){ link, g->k->hop[link].next, out };
	g->deg[g->k->hop[link].next]++;
}

/* Copies the slots that t's rows name for the block of LIDs from lid0 on; the slot after
 * the last port stands for every port that the switch does not have. */
void moore_mx_read_block(const struct moore_ck *k, const struct moore_lft *t, unsigned lid0,
			 uint8_t (*to)[MOORE_LFT_BLOCK]);

static inline bool
moore_mx_leads_on(const struct moore_ck *k, moore_swid s, uint8_t out)
{
	return out <= k->f->sw[s].n_ports &&
		moore_fabric_port(k->f, s, out)->role != MOORE_ROLE_NONE;
}

/* ---- all LIDs -------------------------------------------------------------------- */

struct moore_mx {
	struct moore_ck k;		/* fabric, lanes, turns */
	const struct moore_lft *was, *now;
	uint32_t n_blocks;
	uint64_t *loops;		/* bit set of the LIDs that loop in some combination */
	/* When each block is written: [block * n_sw + switch].  NULL: at any time. */
	const uint32_t *when;
	uint32_t *by_guid;		/* switches in GUID order */
};

/* Returns the switch that port out of s leads to, or n_sw. */
static inline uint32_t
moore_mx_next(const struct moore_mx *m, moore_swid s, uint8_t out)
{
	return out > m->k.f->sw[s].n_ports ? m->k.n_sw : m->k.hop[m->k.slot0[s] + out].next;
}

/* Rejects rows that do not fit f or are not of this stride. */
int moore_mx_fit(const struct moore_fabric *f, const struct moore_lft *t, size_t stride,
		 const char *which, struct moore_err *err);

/* Notes in k's cells the VLs held in any combination, or (m->when) in those that can occur
 * in that order of writes, and in *v the counts of LIDs, loops and dead rows. */
int moore_mx_walk(struct moore_mx *m, struct moore_mix *v, struct moore_err *err);
int moore_mx_order(struct moore_mx *m, struct moore_mix *v, struct moore_err *err);

struct moore_mx_turns {
	bool acyclic;
	uint32_t n_channels;
	uint64_t n_dependencies;
	struct moore_channel *cycle;	/* for free(); NULL when acyclic */
	uint32_t cycle_len;
};

/* Judges the dependencies of the turns noted in k's cells. */
int moore_mx_turns(struct moore_ck *k, struct moore_mx_turns *out, struct moore_err *err);

#endif
