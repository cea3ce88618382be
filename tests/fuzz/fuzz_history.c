// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_history.c - any bytes as a history file, and as the body of a frame whose hash is
 * right.  What is refused leaves the history unchanged. */
#include "driver.h"
#include "moore/history.h"

static const char fuzz_name[] = "files of history";

static const char *const *
fuzz_seeds(void)
{
	/* Bodies without a zero byte: one switch of 2 ports; a row of width 1. */
	static const char *const seeds[] = {
		"\1ABCDEFGH\2\1\5\5\1\1\1",
		"\2ABCDEFGH\2abcdefgh\3\2\5\5\5\1\4abcdefghijklmnop\7\7\3\1\2abcdefgh",
		"MOO1ROWS\11\1\1\1\1\1\1\1abcdefghijklmnopq",
		NULL
	};

	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	const uint8_t *at = data, *body;
	struct moore_history *h;
	struct moore_err err;
	size_t n;
	char kind[4];

	if (moore_history_new(&h, 8, &err) < 0)
		return;
	while (moore_frame_next(&at, data + len, kind, &body, &n, &err) == 1)
		if (body + n > data + len)
			abort();
	if (moore_history_read(h, data, len, &err) == -MOORE_ESYNTAX && moore_history_rows(h))
		abort();
	if (moore_history_rows(h) > 8)
		abort();
	moore_history_free(h);
}
