/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/tables.h - the tables of a fabric: linear forwarding (IBTA 14.2.5.9),
 * SL to VL (IBTA 14.2.5.8) and multicast forwarding (IBTA 14.2.5.10).  Routing and lanes
 * write them, OpenSM's dumps carry them (dumps.h), and the checker judges them. */
#ifndef MOORE_TABLES_H
#define MOORE_TABLES_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

#define MOORE_LFT_BLOCK 64	/* LIDs that one MAD sets (IBTA 14.2.5.9) */

struct moore_lft {
	uint32_t n_switches;
	size_t stride;		/* bytes of a row: lid_top+1 rounded up to MOORE_LFT_BLOCK */
	uint8_t *row;		/* row[s * stride + lid]: port, or MOORE_NO_PATH */
};

MOORE_API int moore_lft_new(struct moore_lft **out, uint32_t n_switches, moore_lid lid_top,
			    struct moore_err *err);
MOORE_API void moore_lft_free(struct moore_lft *t);

static inline uint8_t *
moore_lft_row(const struct moore_lft *t, moore_swid s)
{
	return t->row + (size_t)s * t->stride;
}

struct moore_sl_row {		/* VL of each SL; 15 drops the packet */
	uint8_t vl[MOORE_N_SL];
};

/* A fabric has few distinct rows, so each (switch, in port, out port) holds the number of
 * one: id[base[s] + in * width[s] + out]. */
struct moore_sl2vl {
	uint32_t n_switches;
	uint32_t n_rows, cap_rows;
	struct moore_sl_row *rows;
	size_t *base;
	uint8_t *width;		/* n_ports + 1 of each switch */
	uint16_t *id;
};

/* Every row maps every SL to VL 0.  Widths are those of f's switches. */
MOORE_API int moore_sl2vl_new(struct moore_sl2vl **out, const struct moore_fabric *f,
			      struct moore_err *err);
MOORE_API void moore_sl2vl_free(struct moore_sl2vl *t);
/* -MOORE_ENOMEM; -MOORE_EINVAL beyond 65,535 distinct rows. O(distinct rows). */
MOORE_API int moore_sl2vl_set(struct moore_sl2vl *t, moore_swid s, moore_portnum in,
			      moore_portnum out, const struct moore_sl_row *row,
			      struct moore_err *err);

static inline const struct moore_sl_row *
moore_sl2vl_get(const struct moore_sl2vl *t, moore_swid s, moore_portnum in, moore_portnum out)
{
	return &t->rows[t->id[t->base[s] + (size_t)in * t->width[s] + out]];
}

/* The VL on which a packet of this SL leaves: that of the row, masked to the lanes that the
 * link at `out` runs. */
static inline uint8_t
moore_sl2vl_vl(const struct moore_sl2vl *t, const struct moore_fabric *f, moore_swid s,
	       moore_portnum in, moore_portnum out, unsigned sl)
{
	uint8_t vl = moore_sl2vl_get(t, s, in, out)->vl[sl];

	return vl >= 15 ? vl : vl & moore_lane_mask(moore_fabric_port(f, s, out)->lanes);
}

/* Hashes by which computed tables can be compared with those read back from the switches.
 * The LFT hash runs over switches and LID owners in order of GUIDs, so it does not depend
 * on the LIDs, which each subnet manager hands out from its own cache.  The SL2VL hash runs
 * over pairs of ports with links, on switches that map SLs: rows that no packet meets do
 * not count.  On one fabric, tables with equal hashes are taken as equal.
 * -MOORE_ENOMEM; -MOORE_ELID as moore_fabric_lids().  O(switches * LIDs) and
 * O(switches * ports^2). */
MOORE_API int moore_lft_hash(uint64_t *out, const struct moore_fabric *f,
			     const struct moore_lft *t, struct moore_err *err);
/* The same for each switch alone: each[s] covers its GUID and its row, so the numbers of two
 * programs can be compared as sets. */
MOORE_API int moore_lft_hash_each(uint32_t *each, const struct moore_fabric *f,
				  const struct moore_lft *t, struct moore_err *err);
MOORE_API int moore_sl2vl_hash(uint64_t *out, const struct moore_fabric *f,
			       const struct moore_sl2vl *t, struct moore_err *err);

/* Multicast: for each group, the ports of each switch in its tree. */
struct moore_mft {
	uint32_t n_switches, n_groups, cap_groups;
	uint16_t *mlid;			/* of each group */
	uint64_t (*mask)[4];		/* mask[g * n_switches + s]: bit p = port p */
};
MOORE_API int moore_mft_new(struct moore_mft **out, uint32_t n_switches, struct moore_err *err);
MOORE_API void moore_mft_free(struct moore_mft *t);
/* Returns the index of the group, which is added with no ports if it is new; or
 * -MOORE_ENOMEM. */
MOORE_API int64_t moore_mft_group(struct moore_mft *t, uint16_t mlid);

/* The SLs that sources use: bit x of sl[s * stride + lid] is set when packets for that LID
 * that enter at switch s may carry SL x.  LID 0 stands for every multicast group. */
struct moore_sl_set {
	uint32_t n_switches;
	size_t stride;		/* lid_top + 1 */
	uint16_t *sl;
	/* Of a set that was read: how many (switch, LID) pairs the dump has no line for, and
	 * the first of them.  Their SLs are not known; sl has none for them. */
	uint64_t n_unlisted;
	moore_swid unlisted_sw;
	moore_lid unlisted_lid;
};
/* Makes a set with no bit set. */
MOORE_API int moore_sl_set_new(struct moore_sl_set **out, uint32_t n_switches,
			       moore_lid lid_top, struct moore_err *err);
MOORE_API void moore_sl_set_free(struct moore_sl_set *t);

static inline uint16_t *
moore_sl_set_row(const struct moore_sl_set *t, moore_swid s)
{
	return t->sl + (size_t)s * t->stride;
}

MOORE_END

#endif
