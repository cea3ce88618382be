/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/base.h - errors, text, memory, a hash, and the types of the field, which every part
 * of libmoore uses.
 *
 * libmoore is pure: no file, socket, clock, environment, log or mutable
 * global.  A function's result depends on its arguments alone.
 *
 * Errors: functions that can fail return 0 or -MOORE_E*; then their outputs
 * are NULL (or as they were) and *err, which may be NULL, says where and why.
 * Ownership: X_new/X_build/X_parse give the caller a value to end with X_free;
 * freeing NULL is fine.
 */
#ifndef MOORE_BASE_H
#define MOORE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define MOORE_BEGIN extern "C" {	/* before the declarations of every header */
#define MOORE_END }
#else
#define MOORE_BEGIN
#define MOORE_END
#endif
#define MOORE_API __attribute__((visibility("default")))
#define MOORE_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

MOORE_BEGIN

typedef uint32_t moore_lid;	/* unicast LID, 1..0xbfff; 0 is none (IBTA 4.1.1).  The racks of an
				 * Ethernet network (ether.h) have more. */
typedef uint8_t moore_portnum;	/* port of a switch, 0..254 (IBTA 14.2.5.3) */
typedef uint32_t moore_swid;	/* index of a switch in its fabric or plan */
typedef uint32_t moore_epid;	/* index of an endpoint in its fabric or plan */

#define MOORE_NONE UINT32_MAX	/* no switch, no endpoint */
#define MOORE_NO_PATH 0xff	/* in an LFT: no port */
#define MOORE_LID_MAX 0xbfff	/* last unicast LID */
#define MOORE_PORT_MAX 254
#define MOORE_N_SL 16
#define MOORE_N_OFFSETS 128	/* LID offsets of a port: 2^7, the greatest LMC (IBTA 4.1.1) */
#define MOORE_HOPS_MAX 64	/* between switches; a packet that takes more runs in a loop */

enum moore_errno {
	MOORE_ENOMEM = 1,	/* memory ran out */
	MOORE_EINVAL,		/* an argument is out of its range */
	MOORE_ESYNTAX,		/* text does not follow its grammar */
	MOORE_EPLAN,		/* a plan or fabric contradicts itself */
	MOORE_EUNREACH,		/* connected switches left without a safe route */
	MOORE_EUNSAFE,		/* the checker rejected the tables */
	MOORE_ELID,		/* a LID is missing, doubled or too large */
	MOORE_EPRECOND,		/* the subnet manager's settings forbid safe routing */
};

/* Where and why a call failed.  The function that fails first fills it in; it never grows. */
struct moore_err {
	int code;		/* MOORE_E*, 0 when nothing failed */
	unsigned line;		/* line of the input, from 1; 0 when no line applies */
	char text[400];		/* "what: why, and what to do" */
};

/* Fills *err (which may be NULL) and returns -code.  Formats as moore_buf_fmt(). */
MOORE_API int moore_fail(struct moore_err *err, int code, unsigned line,
			 const char *fmt, ...) MOORE_PRINTF(4, 5);
MOORE_API int moore_fail_nomem(struct moore_err *err);

/* ---- text: a growing buffer, or a window on a longer text ----------------- */

/* The end of a noun that stands after a count: "%u link%s", n, MOORE_S(n). */
#define MOORE_S(n) ((n) == 1 ? "" : "s")
#define MOORE_ES(n) ((n) == 1 ? "" : "es")

struct moore_buf {
	char *data;		/* NUL-terminated once anything was added */
	size_t len, cap;
	bool oom;		/* an addition failed; the rest is ignored */
	/* If set, the buffer stays small: it passes its contents to drain() piece by piece,
	 * and the last piece in moore_buf_drain().  If drain() returns false, the buffer
	 * behaves as if memory had run out. */
	bool (*drain)(void *arg, const char *data, size_t len);
	void *drain_arg;
};
#define MOORE_BUF_INIT { NULL, 0, 0, false, NULL, NULL }
#define MOORE_BUF_WINDOW ((size_t)256 << 10)

/* Appends formatted text.  fmt knows %s %.*s %c %d %i %u %x %X with l, ll, z, a zero pad,
 * minus and width, and %%; the locale never matters.  O(length). */
MOORE_API void moore_buf_fmt(struct moore_buf *b, const char *fmt, ...) MOORE_PRINTF(2, 3);
MOORE_API void moore_buf_vfmt(struct moore_buf *b, const char *fmt, va_list ap) MOORE_PRINTF(2, 0);
MOORE_API void moore_buf_add(struct moore_buf *b, const void *data, size_t len);
/* Appends text as comment lines, each "# " and words up to column 76. */
MOORE_API void moore_buf_comment(struct moore_buf *b, const char *words);
MOORE_API void moore_buf_drain(struct moore_buf *b);
MOORE_API void moore_buf_free(struct moore_buf *b);

/* Reads the unsigned number at *s in the given base (0: a 0x prefix means 16), without a
 * sign or space before it, and advances *s past it.  Returns false and leaves *s unchanged
 * if there is none or it exceeds max. */
MOORE_API bool moore_text_u64(const char **s, const char *end, unsigned base,
			      uint64_t max, uint64_t *out);

/* Returns the length of the UTF-8 character at s (RFC 3629; len > 0 bytes are there); 0 if it
 * is not valid. */
MOORE_API size_t moore_utf8_len(const char *s, size_t len);

/* Returns the number of bytes of the character at s if it is not displayed and could
 * mislead a reader: a control character (also DEL and U+0080..U+009F), a line or paragraph
 * separator, a byte order mark, or one that changes the direction of text (such as U+202E).
 * Returns 0 for any other; len > 0. */
MOORE_API size_t moore_text_hidden(const char *s, size_t len);
/* Replaces each such character of s, and each byte that is not UTF-8, by a question mark. */
MOORE_API void moore_text_hide(char *s);
/* Appends that character of n bytes as \uXXXX. */
MOORE_API void moore_text_put_u(struct moore_buf *b, const char *s, size_t n);
/* Appends s as text of XML or HTML, in which no character of it is markup; a hidden one becomes
 * U+FFFD. */
MOORE_API void moore_buf_xml(struct moore_buf *b, const char *s);

/* ---- memory ------------------------------------------------------------ */

/* Makes room for element n of an array that has room for *cap elements (n <= *cap), each
 * of size bytes.  Returns the array, or a copy of twice the length whose *cap is updated.
 * Returns NULL and leaves array and *cap unchanged when out of memory. */
MOORE_API void *moore_grow(void *array, uint32_t n, uint32_t *cap, size_t size);

/* Returns a copy of s (len bytes) on the heap, NUL-terminated, or NULL when out of memory. */
MOORE_API char *moore_strndup(const char *s, size_t len);

/* ---- hash (FNV-1a, 64 bit): names tables so that two can be compared --- */

#define MOORE_HASH_INIT 0xcbf29ce484222325ull
MOORE_API uint64_t moore_hash(uint64_t h, const void *data, size_t len);

MOORE_END

#endif
