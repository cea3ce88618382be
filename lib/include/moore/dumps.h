/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/dumps.h - the dump files of OpenSM 3.3 (osm_dump.c), read and written as text. */
#ifndef MOORE_DUMPS_H
#define MOORE_DUMPS_H

#include "base.h"
#include "fabric.h"
#include "stock.h"
#include "tables.h"

MOORE_BEGIN

/* A text that is read in pieces because it is too long to hold.  more() is called with
 * *rest..*end, the unread part of a line; it sets both to a text that begins with a copy of
 * that part and goes on with the next piece.  It returns false at the end of the text and
 * when reading fails. */
struct moore_source {
	bool (*more)(void *arg, const char **rest, const char **end);
	void *arg;
};

/* The fabric with its LIDs comes from opensm-subnet.lst and opensm-lfts.dump, the LFTs from
 * opensm-lfts.dump.  OpenSM's dumps do not hold the lanes, so every link gets 15.  A switch
 * without links stands only in opensm-lfts.dump; it is kept.  err->text starts with the
 * name of the file that err->line counts in.  -MOORE_ESYNTAX, -MOORE_EPLAN, -MOORE_ELID,
 * -MOORE_ENOMEM.  O(size). */
MOORE_API int moore_dump_parse_fabric(struct moore_fabric **out,
				      const char *subnet, size_t subnet_len,
				      const char *lfts, size_t lfts_len,
				      struct moore_err *err);
MOORE_API int moore_dump_parse_lfts(struct moore_lft **out, const struct moore_fabric *f,
				    const char *lfts, size_t len, struct moore_err *err);
MOORE_API int moore_dump_parse_sl2vl(struct moore_sl2vl **out, const struct moore_fabric *f,
				     const char *text, size_t len, struct moore_err *err);
/* The same from LFTs in pieces; each call reads the text once. */
MOORE_API int moore_dump_read_fabric(struct moore_fabric **out, const char *subnet,
				     size_t subnet_len, const struct moore_source *lfts,
				     struct moore_err *err);
MOORE_API int moore_dump_read_lfts(struct moore_lft **out, const struct moore_fabric *f,
				   const struct moore_source *lfts, struct moore_err *err);
/* Reads opensm.mcfdbs. */
MOORE_API int moore_dump_parse_mft(struct moore_mft **out, const struct moore_fabric *f,
				   const char *text, size_t len, struct moore_err *err);

/* moore-path-sl.dump, a file of moore's own: after a line `Switch 0xGUID`, one line
 * `0xLID SL SL...` for each LID that a port has, without an SL where nothing is sent; LID
 * 0x0000 stands for every multicast group.  A LID without a line counts as unlisted.
 * O(switches * LIDs). */
MOORE_API int moore_dump_parse_path_sl(struct moore_sl_set **out, const struct moore_fabric *f,
				       const char *text, size_t len, struct moore_err *err);
MOORE_API int moore_dump_write_path_sl(const struct moore_fabric *f,
				       const struct moore_sl_set *t, struct moore_buf *out,
				       struct moore_err *err);

/* moore-op-vls.dump, a file of moore's own: after a line `Switch 0xGUID`, one line `PORT VLS`
 * for each port with a link: how many data VLs the port runs, 1, 2, 4, 8 or 15.  Reading
 * sets f's lanes, at each link to the fewer of its two ports; a link without a line is an
 * error.  On failure f is unchanged.  -MOORE_ESYNTAX, -MOORE_EPLAN, -MOORE_ENOMEM.
 * O(size). */
MOORE_API int moore_dump_parse_op_vls(struct moore_fabric *f, const char *text, size_t len,
				      struct moore_err *err);
MOORE_API void moore_dump_write_op_vls(const struct moore_fabric *f, struct moore_buf *out);

/* Reads opensm-lid-matrix.dump: the hops of moore_stock_hops() as OpenSM counted them, or
 * will with this file as lid_matrix_dump_file.  -MOORE_ESYNTAX, -MOORE_EPLAN, -MOORE_ENOMEM.
 * O(size + switches^2). */
MOORE_API int moore_dump_parse_lid_matrix(struct moore_stock_hop **out,
					  const struct moore_fabric *f, const char *text, size_t len,
					  struct moore_err *err);

/* Writes what OpenSM would write; every port is in state ACT, 4x, 2.5 Gb/s a lane. */
MOORE_API void moore_dump_write_subnet(const struct moore_fabric *f, struct moore_buf *out);
MOORE_API int moore_dump_write_lfts(const struct moore_fabric *f, const struct moore_lft *t,
				    struct moore_buf *out, struct moore_err *err);
/* opensm-lid-matrix.dump: hops from each switch to the LIDs of all switches.  Only the port that
 * leads along the tree has hops, so that OpenSM, which builds multicast trees by hops, stays
 * on that tree.  parent_port[] (by switch): the port towards the root, 0 at a root.
 * -MOORE_ENOMEM.  O(switches^2). */
MOORE_API int moore_dump_write_lid_matrix(const struct moore_fabric *f, const uint8_t *parent_port,
					  struct moore_buf *out, struct moore_err *err);
/* opensm.fdbs, as ibdmchk reads it.  Every route is marked as optimal. */
MOORE_API int moore_dump_write_fdbs(const struct moore_fabric *f, const struct moore_lft *t,
				    struct moore_buf *out, struct moore_err *err);
MOORE_API void moore_dump_write_sl2vl(const struct moore_fabric *f, const struct moore_sl2vl *t,
				      struct moore_buf *out);
/* The files that ibdmchk reads with -d (slvl) and -c (psl).  moore_dump_write_psl() writes
 * the lines of one endpoint, since those of all may be too many for one text; it calls
 * sl() for the SL from that endpoint to each base LID.  ibdmchk knows only base LIDs. */
typedef uint8_t moore_path_sl(const void *arg, moore_lid slid, moore_lid dlid);
MOORE_API void moore_dump_write_slvl(const struct moore_fabric *f, const struct moore_sl2vl *t,
				     struct moore_buf *out);
MOORE_API void moore_dump_write_psl(const struct moore_fabric *f, moore_epid from,
				    moore_path_sl *sl, const void *arg, struct moore_buf *out);
MOORE_API void moore_dump_write_mft(const struct moore_fabric *f, const struct moore_mft *t,
				    struct moore_buf *out);

MOORE_END

#endif
