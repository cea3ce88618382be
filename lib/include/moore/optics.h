/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/optics.h - FEC, bit error rates and cable modules of ports, from files that ibdiagnet
 * and mlxlink of NVIDIA leave behind.
 *
 * Two files of ibdiagnet are known: ibdiagnet2.net_dump_ext, a table with colons between its
 * columns, and ibdiagnet2.db_csv, of which the section CABLE_INFO is read.  Columns are found by
 * the names in their head, so an order or a column of another version does no harm.  mlxlink (and
 * mstlink, which is free software) prints one port, as text or as JSON, in sections whose names and
 * keys are the same in both.  The names are those of the manual and those that several public
 * readers of these files agree on; no file of a real fabric was at hand.  Values are kept as they
 * are written, without a judgement. */
#ifndef MOORE_OPTICS_H
#define MOORE_OPTICS_H

#include "base.h"

MOORE_BEGIN

enum moore_optic_value {
	MOORE_OPTIC_FEC, MOORE_OPTIC_RAW_BER, MOORE_OPTIC_EFFECTIVE_BER, MOORE_OPTIC_SYMBOL_BER,
	MOORE_OPTIC_TEMPERATURE, MOORE_OPTIC_VENDOR, MOORE_OPTIC_PART, MOORE_OPTIC_SERIAL,
	MOORE_N_OPTIC_VALUES
};
MOORE_API const char *moore_optic_value_name(enum moore_optic_value v);	/* "raw_ber" */

#define MOORE_OPTIC_SIZE 48	/* of a value, which is cut to it */

struct moore_optic {
	uint64_t guid;		/* of the node */
	uint32_t port;
	char value[MOORE_N_OPTIC_VALUES][MOORE_OPTIC_SIZE];	/* "" where the files have none */
};
struct moore_optics {
	struct moore_optic *port;	/* by GUID and port */
	uint32_t n, cap;
	uint32_t skipped;	/* rows without a GUID and a port */
};
#define MOORE_OPTICS_INIT { NULL, 0, 0, 0 }

/* Adds what a file says.  If it has two values for a port, one of them stays, the same each time.
 * The caller ends t with moore_optics_free(), also on failure.  -MOORE_ESYNTAX with a line: it is neither of the two
 * files, or lacks a column without which a row has no port; -MOORE_ENOMEM.  O(n log n). */
MOORE_API int moore_optics_add(struct moore_optics *t, const char *text, size_t len,
			       struct moore_err *err);
/* Adds what mlxlink printed of this port: text, or JSON if it begins with a brace.  What it has
 * replaces what is known of the port.  -MOORE_ESYNTAX with a line: it has none of the sections that
 * are read; -MOORE_EINVAL: mlxlink itself failed; -MOORE_ENOMEM.  O(len + ports behind it). */
MOORE_API int moore_optics_add_mlxlink(struct moore_optics *t, uint64_t guid, uint32_t port,
				       const char *text, size_t len, struct moore_err *err);
/* Parts of such readers.  The first sets a value, unless the text means that there is none; the
 * second adds a port, or what row has of a port that is known.  -MOORE_ENOMEM. */
MOORE_API void moore_optic_set(struct moore_optic *row, enum moore_optic_value v, const char *text,
			       size_t len);
MOORE_API int moore_optics_put(struct moore_optics *t, const struct moore_optic *row,
			       struct moore_err *err);
MOORE_API void moore_optics_free(struct moore_optics *t);
/* NULL: the files do not have this port.  O(log n). */
MOORE_API const struct moore_optic *moore_optics_find(const struct moore_optics *t, uint64_t guid,
						      uint32_t port);

MOORE_END

#endif
