// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* doctor.c - the report of `moorectl doctor`. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "setup/doctor.h"

void
note(struct exam *x, enum status status, const char *check, const char *file, unsigned line,
     const char *fmt, ...)
{
	static const char *const word[] = { "ok", "warn", "FAIL" };
	static const char *const colour[] = { CLI_GREEN, CLI_YELLOW, CLI_RED };
	char place[64] = "";
	char *s;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	if (status > x->worst)
		x->worst = status;
	if (x->c->json) {
		json_array_append_new(x->list, json_pack("{s:s, s:s, s:o, s:o, s:o}",
			"check", check, "status", word[status],
			"file", file ? moore_json_name(file) : json_null(),
			"line", line ? json_integer(line) : json_null(),
			"text", moore_json_name(s)));
	} else {
		if (line)
			snprintf(place, sizeof(place), ":%u", line);
		cli_putf(&x->text, "%s%-4s" CLI_PLAIN "  %s%s%s%s: %s\n", colour[status],
			 word[status], file ? file : "", place, file ? ": " : "", check,
			 s ? s : "");
	}
	free(s);
}
