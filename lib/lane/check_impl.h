/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* check_impl.h - the stages of the checker and the data they share.
 *
 *   check_fit.c      rejects tables that were made for another fabric
 *   check_net.c      lays out fabric and SL2VL tables as flat arrays of slots and turns
 *   check_sets.c     turns as sets of links
 *   check_tree.c     walks the routes to every LID: VLs held at each turn
 *   check_walk.c     what the verdict counts on these routes: hops, faults, load
 *   check_parts.c    the same when memory cannot hold all rows
 *   check_mcast.c    follows every multicast tree: VLs held at each turn, loops
 *   check_drop.c     counts the entries in use that drop packets
 *   check_graph.c    turns into dependencies between channels, and their topological order
 *   check_cycle.c    finds a shortest cycle of the channels that have no order
 *   check_example.c  finds a packet that makes a given dependency
 *   check_stock.c    the same for each multicast tree that OpenSM builds by itself
 *
 * A slot is a place that a table entry can name: port p of switch s is slot slot0[s] + p,
 * and the slot after the last port stands for "nowhere".  A link is a slot whose port leads
 * to a switch.  A turn is a link and a slot of the switch that it leads to: moore_ck_cells().
 * The turns of a switch from all its links to one slot lie side by side: most routes to a LID
 * come together in a few switches, so walking them touches little memory.
 *
 * A packet holds a VL at a turn if it occupies a buffer of that VL while it waits to make
 * the turn.
 *
 * The routes to different LIDs are walked side by side (opts.jobs): each worker has notes of
 * its own and counts of its own.  Afterwards the notes are united and the counts added, so
 * the result does not depend on which worker walked which LID. */
#ifndef MOORE_LANE_CHECK_IMPL_H
#define MOORE_LANE_CHECK_IMPL_H

#include "base/arena.h"
#include "base/jobs.h"
#include "moore/check.h"

#define MOORE_VL_DROP 15

struct moore_ck_hop {
	uint32_t next;		/* switch at the other end; n_sw: none */
	uint32_t turns;		/* index of the first turn of this link; 0: not a link */
};

struct moore_ck_cell {
	uint16_t held;		/* VLs on which packets that make this turn arrive */
	uint16_t out;		/* bit of the VL on which they leave; 0: none; two bits if the
				 * other SL2VL table maps to another VL */
};

struct moore_ck {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	unsigned lid0;				/* the first LID of its rows: not 0 where the tables come
						 * in parts (check_parts.c) */
	const struct moore_sl2vl *sl2vl;
	const struct moore_sl2vl *other;	/* while tables change (mix.c), either may be in
						 * force; NULL: there is no other */
	const struct moore_mft *mft;		/* may be NULL */
	struct moore_check_opts opts;		/* sl_mask is not 0 */
	struct moore_arena tmp;
	struct moore_lid_owner *own;

	/* SLs that all rows map alike form one class; with an sl_set each SL is its own */
	unsigned n_cls;
	uint8_t cls_sl[MOORE_N_SL];		/* one SL of each class */
	uint16_t cls_mask[MOORE_N_SL];		/* all SLs of each class */
	bool drops;				/* some SL in use may map to VL 15 */
	uint16_t sl_used;			/* those of opts.sl_mask that a source uses */

	uint32_t n_sw, n_slots, n_turns, n_links;
	uint32_t *slot0;			/* first slot of each switch; n_sw + 1 */
	uint32_t *n_in;				/* links to each switch, and so the distance from
						 * one turn of such a link to its next one; n_sw + 2 */
	uint32_t *into, *into0;			/* the links to switch s, in order:
						 * into[into0[s]..into0[s + 1] - 1] */
	moore_portnum *in_port;			/* by place in into[]: the port of s that the link enters */
	struct moore_ck_hop *hop;		/* of each slot */
	uint16_t *inject;			/* VLs on which sources enter: [slot * n_cls +
						 * class] */
	uint16_t *vls;				/* VLs of the turns of each switch's links: [switch *
						 * n_cls + class] */
	struct moore_ck_cell *cell;
	uint8_t *has_ep;			/* true for switches with an endpoint */
	uint32_t *part;				/* connected component of each switch */
	uint32_t n_parts;
};

#define MOORE_CK_BLOCK 64	/* LIDs whose rows are read together: bits of a word */

/* Where a slot leads, as the walk needs it. */
struct moore_ck_way {
	uint64_t bit;		/* of its link in the bundle; 0: not a link */
	uint32_t bundle;	/* n_bundles: not a link */
};

/* Turns as sets of links (check_sets.c).  A bundle is up to 64 links that lead to one switch;
 * it has a set for each slot of that switch. */
struct moore_ck_sets {
	uint32_t n_bundles;
	uint32_t *bundle0;	/* first bundle of each switch; n_sw + 1 */
	const uint32_t **link, **from;	/* the links of each bundle, and the switches they come from */
	size_t n_sets, *set0;	/* the set of slot 0 of each bundle */
	struct moore_ck_way *way;	/* of each slot */
	unsigned n_pairs;	/* of a class and a VL on which some turn sends it */
	unsigned pair0[MOORE_N_SL + 1];	/* first pair of each class */
	uint8_t vl[MOORE_N_SL * MOORE_VL_DROP];	/* of each pair */
	unsigned n_used;	/* words of a set in moore_ck_notes.used: one of each class with an
				 * sl_set, else one */
	uint64_t *inject;	/* [bundle * n_cls + class]: links that sources can enter */
	uint64_t *out;		/* [set * n_pairs + pair]: links from which a turn sends this pair */
};

/* What one worker notes of turns. */
struct moore_ck_notes {
	uint64_t *used;		/* [set * n_used + class]: links over which packets of sources come */
	uint64_t *held;		/* [set * n_pairs + pair]: links over which packets in transit come */
};

/* An inner node of a tree: a bundle over which others send to a switch. */
struct moore_ck_node {
	uint64_t kids, heavy_kids;	/* links over which they do, and of these those from switches
					 * with a weight */
	uint64_t bit;		/* of the link by which the switch sends */
	uint32_t set;		/* of the turns from kids to it */
	uint32_t link;		/* slot by which the switch sends */
	uint32_t bundle;
	uint32_t next;		/* place of the next node; n_nodes: the route ends, but not at the
				 * owner of the LID; n_nodes + 1: this is the owner */
	uint32_t deg;		/* nodes before it that are not processed yet */
	uint32_t n_kids, n_heavy;	/* kids, and those that have a weight */
	uint32_t below, heavy;	/* the same for all switches whose routes lead over kids */
};

/* The routes to one LID. */
struct moore_ck_tree {
	const struct moore_ck_sets *sets;
	const uint8_t *out;	/* [switch * MOORE_CK_BLOCK]: slot that its table names */
	bool delivers;		/* the table of the owner of the LID does */
	struct moore_ck_node *node;	/* and two that stand for the ends of routes */
	uint32_t n_nodes;
	uint32_t *place;	/* of each bundle that is a node, and (n_bundles) of that of failed routes */
	uint32_t *order, n_order;	/* nodes, leaves first; those on a loop have no order */
};

struct moore_ck_visitor {	/* of one worker */
	const uint8_t *weight;	/* 0 or 1, of each switch; the same for all workers */
	void (*visit)(void *arg, const struct moore_ck_tree *t, unsigned lid);
	/* Receives the LIDs of the table that are not walked, with the slots that the rows name as
	 * in moore_ck_tree.out: those that are not addressed, and those of the set `apart`.  NULL:
	 * these do not matter, and there is no such set. */
	void (*other)(void *arg, const uint8_t *out, unsigned lid);
	const uint64_t *apart;
	void *arg;
};

struct moore_ck_loops {		/* multicast groups that loop */
	uint32_t n;
	uint16_t mlid;		/* the first of them */
};

/* The dependency graph.  Its nodes are the channels, (link, VL), in use. */
struct moore_ck_graph {
	uint16_t *used;		/* VLs in use on each slot's link */
	uint32_t *first;	/* number of the first channel of each slot; n_slots + 1 */
	uint32_t n;
	struct moore_channel *channel;
	uint64_t *adj0;		/* where each channel's row begins in adj; n + 1 */
	uint32_t *adj;
	uint32_t *indeg;	/* after ordering: 0 for channels that have an order */
};

static inline struct moore_ck_cell *
moore_ck_cells(const struct moore_ck *k, uint32_t link, unsigned out)
{
	const struct moore_ck_hop *h = &k->hop[link];

	return &k->cell[(h->turns + (size_t)k->n_in[h->next] * out) * k->n_cls];
}

/* True if packets originate behind port in of switch s: at an endpoint, or at port 0. */
static inline bool
moore_ck_is_source(const struct moore_ck *k, moore_swid s, unsigned in)
{
	uint8_t role = moore_fabric_port(k->f, s, (moore_portnum)in)->role;

	return role == MOORE_ROLE_ENDPOINT ||
	       (role == MOORE_ROLE_SELF && !k->opts.endpoints_only);
}

/* True if packets may be addressed to this LID. */
static inline bool
moore_ck_is_addressed(const struct moore_ck *k, unsigned lid)
{
	const struct moore_lid_owner *o = &k->own[lid];

	return o->sw != MOORE_NONE && (!k->opts.base_lids_only || !o->offset) &&
	       (!k->opts.endpoints_only || o->ep != MOORE_NONE);
}

/* The SLs of packets for this LID (0: a multicast group) that enter at switch s. */
static inline uint16_t
moore_ck_sls(const struct moore_ck *k, moore_swid s, unsigned lid)
{
	const struct moore_sl_set *set = k->opts.sl_set;

	if (!set)
		return k->sl_used;
	return lid < set->stride ? moore_sl_set_row(set, s)[lid] & k->sl_used : 0;
}

static inline uint8_t
moore_ck_vl(const struct moore_ck *k, moore_swid s, unsigned in, unsigned out, unsigned sl)
{
	return moore_sl2vl_vl(k->sl2vl, k->f, s, (moore_portnum)in, (moore_portnum)out, sl);
}

/* The message begins with `which`: "" or, for example, "old ". */
int moore_ck_fit_lft(const struct moore_fabric *f, const struct moore_lft *t, const char *which,
		     struct moore_err *err);
int moore_ck_fit_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t,
		       const char *which, struct moore_err *err);
int moore_ck_fit_mft(const struct moore_fabric *f, const struct moore_mft *t,
		     struct moore_err *err);
int moore_ck_fit_sl_set(const struct moore_fabric *f, const struct moore_sl_set *t,
			struct moore_err *err);

/* Runs a job for each switch, the more workers the more switches there are. */
static inline void
moore_ck_each_switch(const struct moore_ck *k, void (*job)(void *arg, unsigned worker, size_t s),
		     void *arg)
{
	unsigned width = moore_jobs_width(k->opts.jobs, k->n_sw / 32);

	moore_jobs_run(k->opts.jobs, width, k->n_sw, job, arg);
}

int moore_ck_net(struct moore_ck *k, struct moore_err *err);

static inline size_t
moore_ck_n_cells(const struct moore_ck *k)
{
	return (size_t)k->n_turns * k->n_cls;
}

/* The sets of k's turns; NULL when out of memory.  They live as long as k. */
struct moore_ck_sets *moore_ck_sets(struct moore_ck *k);
bool moore_ck_notes(struct moore_ck *k, const struct moore_ck_sets *t, struct moore_ck_notes *notes);
/* Takes what n workers noted into the cells of k. */
void moore_ck_note_sets(struct moore_ck *k, struct moore_ck_sets *t, const struct moore_ck_notes *notes,
			unsigned n);

/* The number of workers that walk the routes; at least 1. */
unsigned moore_ck_width(const struct moore_ck *k);
/* Makes copies of k for n workers.  The first one has the cells of k, each other one cells of
 * its own; moore_ck_unite() adds the VLs held in these to those of k.  Returns NULL when out
 * of memory.  The copies live as long as k. */
struct moore_ck *moore_ck_copies(struct moore_ck *k, unsigned n);
void moore_ck_unite(const struct moore_ck *copies, unsigned n);
/* Walks the routes to every LID that is addressed and not apart, with n workers, and notes in
 * k's cells the VLs held. */
int moore_ck_trees(struct moore_ck *k, const struct moore_ck_visitor *v, unsigned n,
		   struct moore_err *err);
/* The same in three, of which the second walks the routes to the LIDs of which k->lft has rows.
 * The first one returns false when out of memory. */
struct moore_ck_walk {
	unsigned n;			/* workers */
	struct moore_ck_sets *sets;
	struct moore_ck_walker *walker;
	struct moore_ck_notes *notes;
};
bool moore_ck_walk_init(struct moore_ck_walk *m, struct moore_ck *k, const struct moore_ck_visitor *v,
			unsigned n);
void moore_ck_walk_rows(struct moore_ck_walk *m, const struct moore_ck *k);
void moore_ck_walk_end(struct moore_ck_walk *m, struct moore_ck *k);

/* What the verdict counts on the routes.  All memory is that of k->tmp. */
int moore_ck_count(struct moore_ck *k, struct moore_verdict *v, struct moore_err *err);
/* The same in three, of which the second counts on the routes to the LIDs of k->lft. */
struct moore_ck_counts {
	struct moore_ck_counter *worker;
	struct moore_ck_walk walk;
};
int moore_ck_count_init(struct moore_ck_counts *c, struct moore_ck *k, struct moore_err *err);
void moore_ck_count_rows(struct moore_ck_counts *c, const struct moore_ck *k);
void moore_ck_count_end(struct moore_ck_counts *c, struct moore_ck *k, struct moore_verdict *v);
/* Counts in *loops, unless it is NULL, the groups in which a packet can circulate. */
int moore_ck_mcast(struct moore_ck *k, struct moore_ck_loops *loops, struct moore_err *err);
int moore_ck_dropped(struct moore_ck *k, struct moore_verdict *v, struct moore_err *err);
/* Sets n_channels, n_dependencies and vls in *v, and order if there is one. */
int moore_ck_graph(struct moore_ck *k, struct moore_ck_graph *g, struct moore_verdict *v,
		   struct moore_err *err);
/* Returns a shortest cycle of the channels without an order, as consecutive channel
 * numbers. */
int moore_ck_cycle(struct moore_ck *k, const struct moore_ck_graph *g, uint32_t **cycle,
		   uint32_t *len, struct moore_err *err);
/* Fills in the example of d, whose next channel is to. */
int moore_ck_example(struct moore_ck *k, struct moore_dependency *d,
		     const struct moore_channel *to, struct moore_err *err);
/* Reads the tables into k, in which the caller has set those and opts. */
int moore_ck_read(struct moore_ck *k, struct moore_err *err);
/* A shortest cycle, to be freed with free(); with examples if there is k->lft. */
int moore_ck_tell_cycle(struct moore_ck *k, const struct moore_ck_graph *g,
			struct moore_dependency **cycle, uint32_t *len, struct moore_err *err);

#endif
