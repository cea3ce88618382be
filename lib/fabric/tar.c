// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tar.c - archives of regular files in the format ustar, written and read.
 *
 * A member is a block of 512 bytes, its header, and its contents padded to whole blocks; two
 * blocks of zeros end the archive.  The reader takes what this writer and `tar` write for plain
 * files, and nothing else: no folders, links, devices, long names or sizes in binary, so a
 * hostile archive has nothing to escape with. */
#include <string.h>

#include "moore/capture.h"

enum { BLOCK = 512, NAME_MAX_LEN = 100 };

struct field {			/* of a header: octal digits, but for the name and the magic */
	size_t at, len;
};
static const struct field MODE = { 100, 8 }, UID = { 108, 8 }, GID = { 116, 8 }, SIZE = { 124, 12 },
	MTIME = { 136, 12 }, SUM = { 148, 8 }, TYPE = { 156, 1 }, MAGIC = { 257, 6 };

static const char zeros[BLOCK];

/* The sum of all bytes of a header, its own field taken as blanks. */
static uint64_t
sum_of(const char *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= SUM.at && i < SUM.at + SUM.len ? ' ' : (uint8_t)h[i];
	return sum;
}

/* ---- writing ------------------------------------------------------------------------ */

/* Writes octal digits that fill the field but for a NUL. */
static void
put_octal(char *h, const struct field *f, uint64_t v)
{
	for (size_t i = f->len - 1; i-- > 0; v >>= 3)
		h[f->at + i] = (char)('0' + (v & 7));
}

void
moore_tar_head(struct moore_buf *out, const char *name, uint64_t len, uint64_t at)
{
	char h[BLOCK] = { 0 };
	size_t n = strlen(name);

	memcpy(h, name, n < NAME_MAX_LEN - 1 ? n : NAME_MAX_LEN - 1);
	put_octal(h, &MODE, 0644);
	put_octal(h, &UID, 0);
	put_octal(h, &GID, 0);
	put_octal(h, &SIZE, len);
	put_octal(h, &MTIME, at);
	h[TYPE.at] = '0';
	memcpy(h + MAGIC.at, "ustar\0" "00", 8);
	put_octal(h, &SUM, sum_of(h));
	h[SUM.at + SUM.len - 1] = ' ';
	moore_buf_add(out, h, BLOCK);
}

void
moore_tar_pad(struct moore_buf *out, uint64_t len)
{
	moore_buf_add(out, zeros, (size_t)((BLOCK - len % BLOCK) % BLOCK));
}

void
moore_tar_end(struct moore_buf *out)
{
	moore_buf_add(out, zeros, BLOCK);
	moore_buf_add(out, zeros, BLOCK);
}

/* ---- reading ------------------------------------------------------------------------ */

bool
moore_tar_begins(const char *data, size_t len)
{
	return len >= BLOCK && !memcmp(data + MAGIC.at, "ustar", 5);
}

/* Reads octal digits between blanks and a NUL or blank. */
static bool
read_octal(const char *h, const struct field *f, uint64_t *out)
{
	const char *s = h + f->at, *end = s + f->len;

	while (s < end && *s == ' ')
		s++;
	return moore_text_u64(&s, end, 8, UINT64_MAX, out) && (s == end || !*s || *s == ' ');
}

/* Letters, digits, dots and hyphens: a name that no shell and no file system takes amiss. */
static bool
is_plain(const char *name)
{
	size_t n = strnlen(name, NAME_MAX_LEN);

	return n && n < NAME_MAX_LEN && name[0] != '.' && name[0] != '-' &&
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == n;
}

static int
refuse(struct moore_err *err, const char *why)
{
	return moore_fail(err, MOORE_ESYNTAX, 0, "%s", why);
}

int
moore_tar_next(const char **at, const char *end, struct moore_member *out, struct moore_err *err)
{
	const char *h = *at;
	uint64_t size, sum;

	if ((size_t)(end - h) < BLOCK)
		return refuse(err, "the archive is cut off");
	if (!memcmp(h, zeros, BLOCK))
		return 0;
	if (!moore_tar_begins(h, BLOCK) || !read_octal(h, &SUM, &sum) || sum != sum_of(h))
		return refuse(err, "this is no tar archive, or it is damaged");
	if ((h[TYPE.at] != '0' && h[TYPE.at] != '\0') || !is_plain(h))
		return refuse(err, "it holds something else than files with plain names, so it is no "
			      "capture");
	if (!read_octal(h, &SIZE, &size))
		return refuse(err, "the size of a member is no number");
	h += BLOCK;
	if (size > (uint64_t)(end - h) || (BLOCK - size % BLOCK) % BLOCK > (uint64_t)(end - h) - size)
		return refuse(err, "the archive is cut off");
	*out = (struct moore_member){ *at, h, (size_t)size };
	*at = h + size + (BLOCK - size % BLOCK) % BLOCK;
	return 1;
}
