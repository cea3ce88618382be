/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/capture.h - a capture: what was read of one fabric, in one file that may leave the
 * site.
 *
 * The file is a ustar archive (POSIX.1-1988) of regular files: the dumps of dumps.h, the plan
 * of the fabric as it is, and last MANIFEST.json, which lists the others with their sizes and
 * hashes.  `tar` unpacks it.  Names and GUIDs in it are pseudonyms under a key that stays at
 * the site: the same key gives the same pseudonyms, so two captures of a site can be compared. */
#ifndef MOORE_CAPTURE_H
#define MOORE_CAPTURE_H

#include "base.h"
#include "fabric.h"

MOORE_BEGIN

/* ---- pseudonyms (pseudonym.c) ---------------------------------------------------- */

#define MOORE_KEY_BYTES 16

/* SipHash-2-4 (Aumasson and Bernstein, 2012): without the key, neither the value nor whether a
 * guessed text has it can be told.  O(len). */
MOORE_API uint64_t moore_keyed_hash(const uint8_t key[MOORE_KEY_BYTES], const void *data, size_t len);

/* Replaces every GUID of f by 0x02 and 56 bits of its keyed hash (0 stays 0), and every name
 * by "sw-", "ca-" or "rt-" and its keyed hash.  Equal ones stay equal; LIDs, ports and the order
 * of arrays stay.  -MOORE_EINVAL if two GUIDs would become one (one site in millions: make
 * another key); -MOORE_ENOMEM.  On failure f is undefined.  O(n log n). */
MOORE_API int moore_fabric_pseudonyms(struct moore_fabric *f, const uint8_t key[MOORE_KEY_BYTES],
				      struct moore_err *err);

/* ---- the archive (tar.c) --------------------------------------------------------- */

struct moore_member {
	const char *name;	/* at most 99 bytes; of moore_tar_next(): inside the archive */
	const char *data;
	size_t len;
};
/* Appends the header of a member of len bytes, changed at this time (seconds since 1970);
 * then its bytes follow, and then moore_tar_pad(). */
MOORE_API void moore_tar_head(struct moore_buf *out, const char *name, uint64_t len, uint64_t at);
MOORE_API void moore_tar_pad(struct moore_buf *out, uint64_t len);
MOORE_API void moore_tar_end(struct moore_buf *out);
/* Returns 1 and the next member, which borrows the archive; 0 at its end mark; or
 * -MOORE_ESYNTAX: it is cut off or damaged, or holds anything but regular files with plain
 * names.  O(1). */
MOORE_API int moore_tar_next(const char **at, const char *end, struct moore_member *out,
			     struct moore_err *err);
/* Does an archive begin with these bytes? */
MOORE_API bool moore_tar_begins(const char *data, size_t len);

/* ---- a whole capture (capture.c of lib/answer) --------------------------------------- */

/* The members, in their order in the archive; what a fabric does not have is left out. */
enum moore_captured { MOORE_CAPTURED_SUBNET, MOORE_CAPTURED_LFTS, MOORE_CAPTURED_SL2VL,
	MOORE_CAPTURED_MCAST, MOORE_CAPTURED_PATH_SL, MOORE_CAPTURED_OP_VLS,
	MOORE_CAPTURED_HARDWARE, MOORE_CAPTURED_COUNTERS, MOORE_CAPTURED_PLAN, MOORE_N_CAPTURED };
MOORE_API const char *moore_captured_name(enum moore_captured which);	/* "opensm-lfts.dump" */
#define MOORE_MANIFEST "MANIFEST.json"

struct moore_capture {
	struct moore_member member[MOORE_N_CAPTURED];	/* name is NULL where there is none */
	uint64_t hash[MOORE_N_CAPTURED];		/* moore_hash() of the data */
	uint64_t at;		/* when the tables were read: seconds since 1970 */
	bool pseudonyms;	/* false: names and GUIDs are those of the site */
	uint64_t key_id;	/* which key made them; it does not reveal the key.  0: none */
	bool live;		/* moored read the switches; false: from OpenSM's dumps */
	uint32_t switches, endpoints, cables, lids;
};
#define MOORE_KEY_ID_OF "moore capture"		/* its keyed hash is the key_id */

/* Reads an archive and compares every member with the manifest; members borrow it.
 * -MOORE_ESYNTAX, -MOORE_EINVAL (made by a later version), -MOORE_ENOMEM.  O(len). */
MOORE_API int moore_capture_open(struct moore_capture *out, const char *data, size_t len,
				 struct moore_err *err);

MOORE_END

#endif
