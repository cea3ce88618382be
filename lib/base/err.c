// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* err.c - stores where and why something failed in the caller's struct. */
#include <string.h>

#include "moore/base.h"

int
moore_fail(struct moore_err *err, int code, unsigned line, const char *fmt, ...)
{
	struct moore_buf b = MOORE_BUF_INIT;
	va_list ap;
	size_t n;

	if (!err)
		return -code;
	err->code = code;
	err->line = line;
	va_start(ap, fmt);
	moore_buf_vfmt(&b, fmt, ap);
	va_end(ap);
	n = b.len < sizeof(err->text) ? b.len : sizeof(err->text) - 1;
	if (n)
		memcpy(err->text, b.data, n);
	err->text[n] = '\0';
	moore_buf_free(&b);
	return -code;
}

int
moore_fail_nomem(struct moore_err *err)
{
	static const char text[] = "out of memory";

	if (err) {
		err->code = MOORE_ENOMEM;
		err->line = 0;
		memcpy(err->text, text, sizeof(text));
	}
	return -MOORE_ENOMEM;
}
