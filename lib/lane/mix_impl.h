/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* mix_impl.h - the stages that judge tables while they change.
 *
 *   mix_graph.c  the graph of one LID whose rows may have several values: VLs held
 *   mix.c        judges two tables, and brings tables of two fabrics into one shape
 *   mix_walk.c   for each LID the graph of old and new next hops, and its shortest loop
 *   mix_order.c  an order of writes in which nothing loops
 *   mix_held.c   judges what the switches may hold: any number of values of each row
 *   mix_cuts.c   judges backups: what they may hold while any one link is down
 *   churn.c      how much changes, and how much must change
 *
 * Dependencies are computed from turns by the checker's own code (check_impl.h). */
#ifndef MOORE_LANE_MIX_IMPL_H
#define MOORE_LANE_MIX_IMPL_H

#include "lane/check_impl.h"
#include "moore/mix.h"

/* ---- the graph of one LID -------------------------------------------------------- */

enum { MOORE_MX_WAS = 1, MOORE_MX_NOW = 2 };

struct moore_mx_way {		/* a value of a switch's row */
	uint32_t link;		/* slot of the out port */
	uint32_t next;		/* next switch; n_sw: none */
	uint32_t more;		/* another way of the same switch; 0: no more */
	uint8_t out;		/* slot within the switch */
	uint8_t in;		/* which tables may have it: MOORE_MX_WAS, MOORE_MX_NOW or both */
};

struct moore_mx_graph {
	struct moore_ck *k;
	struct moore_mx_way *way;	/* way[s] is the first of switch s */
	uint32_t n_ways;
	/* When each switch changes from its old row to its new one; NULL: at any time. */
	const uint32_t *when;
	uint32_t *deg;		/* ways that lead to each switch and are not processed yet */
	uint32_t *order;	/* all switches; the first n_order come after those that lead to
				 * them, the others are on a loop or lead from one */
	uint32_t n_order;
	uint16_t *vls;		/* [way * n_cls + class]: VLs on which packets take it */
};

/* Returns false when out of memory. */
bool moore_mx_graph_init(struct moore_mx_graph *g, struct moore_ck *k);
/* Gives each switch one way, in both tables: switch s leaves by out[s * stride]. */
void moore_mx_graph_plant(struct moore_mx_graph *g, const uint8_t *out, size_t stride);
/* Adds a way of switch s, or to one that it has the tables in which it is. */
void moore_mx_graph_add(struct moore_mx_graph *g, moore_swid s, uint8_t out, uint8_t in);
/* Both take only the ways of these tables. */
void moore_mx_graph_sort(struct moore_mx_graph *g, uint8_t in);
/* Notes in k's cells the VLs that packets of this LID hold. */
void moore_mx_graph_climb(struct moore_mx_graph *g, unsigned lid, uint8_t in);

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

/* Rejects rows that do not fit f or are not of this stride. */
int moore_mx_fit(const struct moore_fabric *f, const struct moore_lft *t, size_t stride,
		 const char *which, struct moore_err *err);
/* The same for all that the switches may hold. */
int moore_mx_fit_rows(const struct moore_fabric *f, const struct moore_held *h, size_t stride,
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
