/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/tables.h - the tables of a fabric: linear forwarding (IBTA 14.2.5.9),
 * SL to VL (IBTA 14.2.5.8) and multicast forwarding (IBTA 14.2.5.10).
 * Routing and lanes write them, OpenSM's dumps carry them, the checker judges
 * them; these three share nothing else. */
#ifndef MOORE_TABLES_H
#define MOORE_TABLES_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

struct moore_lft {
	uint32_t n_switches;
	size_t stride;		/* bytes of a row: lid_top+1 rounded up to a block of 64 */
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

/* Few distinct rows exist in a fabric, so each (switch, in, out) holds the
 * number of one.  id[base[s] + in * (n_ports+1) + out]. */
struct moore_sl2vl {
	uint32_t n_switches;
	uint32_t n_rows, cap_rows;
	struct moore_sl_row *rows;
	size_t *base;
	uint8_t *width;		/* n_ports + 1 of each switch */
	uint16_t *id;
};

/* All rows all zero (VL 0 for every SL).  Widths are those of f's switches. */
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

/* Names of what the tables say, so that who computed and who read them back can compare:
 * in order of GUIDs, over the LIDs that are addressed, so that LIDs, which each subnet
 * manager hands out from its own cache, do not show; over the lanes between ports with
 * links of switches that map SLs, so that what no packet meets does not.  Two that hash
 * alike are alike on the same fabric.  -MOORE_ENOMEM, -MOORE_ELID as
 * moore_fabric_lids().  O(switches * LIDs), O(switches * ports^2). */
MOORE_API int moore_lft_hash(uint64_t *out, const struct moore_fabric *f,
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
/* Index of the group, added empty when new; or -MOORE_ENOMEM. */
MOORE_API int64_t moore_mft_group(struct moore_mft *t, uint16_t mlid);

/* The SLs that sources use: sl[s * stride + lid] has bit x set when packets that
 * enter at switch s for that LID may carry SL x; LID 0 stands for every
 * multicast group. */
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
/* No SL for anything. */
MOORE_API int moore_sl_set_new(struct moore_sl_set **out, uint32_t n_switches,
			       moore_lid lid_top, struct moore_err *err);
MOORE_API void moore_sl_set_free(struct moore_sl_set *t);

static inline uint16_t *
moore_sl_set_row(const struct moore_sl_set *t, moore_swid s)
{
	return t->sl + (size_t)s * t->stride;
}

/* ---- OpenSM's dump files (osm_dump.c of 3.3): text in, text out ----------- */

/* A text too long to hold: more() gives the next piece, after what is left of
 * the one before it (rest..end, less than a line), and sets both to where that
 * now lies; false at the end of the text, or when it cannot be read. */
struct moore_source {
	bool (*more)(void *arg, const char **rest, const char **end);
	void *arg;
};

/* opensm-subnet.lst and opensm-lfts.dump together give the fabric with LIDs;
 * opensm-lfts.dump the LFTs.  Lanes are not in the dumps: 15 for every link.
 * Switches that have no link appear only in the LFT dump and are kept.
 * err->line counts in the text whose name err->text starts with.  O(size). */
MOORE_API int moore_dump_parse_fabric(struct moore_fabric **out,
				      const char *subnet, size_t subnet_len,
				      const char *lfts, size_t lfts_len,
				      struct moore_err *err);
MOORE_API int moore_dump_parse_lfts(struct moore_lft **out, const struct moore_fabric *f,
				    const char *lfts, size_t len, struct moore_err *err);
MOORE_API int moore_dump_parse_sl2vl(struct moore_sl2vl **out, const struct moore_fabric *f,
				     const char *text, size_t len, struct moore_err *err);
/* The same two from LFTs in pieces, each of which reads the text once. */
MOORE_API int moore_dump_read_fabric(struct moore_fabric **out, const char *subnet,
				     size_t subnet_len, const struct moore_source *lfts,
				     struct moore_err *err);
MOORE_API int moore_dump_read_lfts(struct moore_lft **out, const struct moore_fabric *f,
				   const struct moore_source *lfts, struct moore_err *err);
/* opensm.mcfdbs */
MOORE_API int moore_dump_parse_mft(struct moore_mft **out, const struct moore_fabric *f,
				   const char *text, size_t len, struct moore_err *err);

/* moore-path-sl.dump, which is our own: after a line `Switch 0xGUID`, for each LID that a
 * port has `0xLID SL SL...`, without an SL where nothing is sent; LID 0x0000 stands for
 * every multicast group.  A LID without a line counts as unlisted.  O(switches * LIDs). */
MOORE_API int moore_dump_parse_path_sl(struct moore_sl_set **out, const struct moore_fabric *f,
				       const char *text, size_t len, struct moore_err *err);
MOORE_API int moore_dump_write_path_sl(const struct moore_fabric *f,
				       const struct moore_sl_set *t, struct moore_buf *out,
				       struct moore_err *err);

/* Write what OpenSM would write (OpenSM's ports in state ACT, 4x, 2.5). */
MOORE_API void moore_dump_write_subnet(const struct moore_fabric *f, struct moore_buf *out);
MOORE_API int moore_dump_write_lfts(const struct moore_fabric *f, const struct moore_lft *t,
				    struct moore_buf *out, struct moore_err *err);
/* opensm.fdbs, as ibdmchk reads it.  Every route counts as optimal. */
MOORE_API int moore_dump_write_fdbs(const struct moore_fabric *f, const struct moore_lft *t,
				    struct moore_buf *out, struct moore_err *err);
MOORE_API void moore_dump_write_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t,
				      struct moore_buf *out);
/* What ibdmchk reads with -d, and with -c: there sl(arg, ...) is asked for the SL from
 * an endpoint to every base LID.  One call writes the lines of one endpoint: n * n are
 * too many for one text.  ibdmchk knows no LIDs but base LIDs. */
typedef uint8_t moore_path_sl(const void *arg, moore_lid slid, moore_lid dlid);
MOORE_API void moore_dump_write_slvl(const struct moore_fabric *f, const struct moore_sl2vl *t,
				     struct moore_buf *out);
MOORE_API void moore_dump_write_psl(const struct moore_fabric *f, moore_epid from,
				    moore_path_sl *sl, const void *arg, struct moore_buf *out);
MOORE_API void moore_dump_write_mft(const struct moore_fabric *f, const struct moore_mft *t,
				    struct moore_buf *out);

MOORE_END

#endif
