// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* when.c - points in time as people write them: "8h", "yesterday", "2026-11-22T10:00". */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

/* "8h": that long before now.  At most 100 years, so nothing overflows. */
static bool
read_ago(const char *s, time_t now, time_t *out)
{
	static const struct { char unit; uint32_t seconds; } units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	const char *p = s;
	uint64_t n;

	if (!moore_text_u64(&p, s + strlen(s), 10, UINT32_MAX, &n) || !*p || p[1])
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (*p == units[i].unit && n <= 3155760000u / units[i].seconds) {
			*out = now - (time_t)(n * units[i].seconds);
			return true;
		}
	return false;
}

/* The start of a day: of this one, or of so many days before it. */
static time_t
midnight(time_t now, int days_before)
{
	struct tm t = *localtime(&now);

	t.tm_mday -= days_before;
	t.tm_hour = t.tm_min = t.tm_sec = 0;
	t.tm_isdst = -1;
	return mktime(&t);
}

static bool
read_word(const char *s, time_t now, time_t *out)
{
	if (!strcmp(s, "now"))
		*out = now;
	else if (!strcmp(s, "today"))
		*out = midnight(now, 0);
	else if (!strcmp(s, "yesterday"))
		*out = midnight(now, 1);
	else
		return false;
	return true;
}

/* A date, a date and a time, or a time of this day; in the local time zone. */
static bool
read_date(const char *s, time_t now, time_t *out)
{
	static const char *const form[] = { "%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
		"%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%H:%M", "%H:%M:%S" };

	for (size_t i = 0; i < ARRAY_LEN(form); i++) {
		struct tm t = *localtime(&now);
		const char *end;
		int day;

		t.tm_hour = t.tm_min = t.tm_sec = 0;
		end = strptime(s, form[i], &t);
		if (!end || *end)
			continue;
		day = t.tm_mday;
		t.tm_isdst = -1;
		*out = mktime(&t);
		return *out >= 0 && t.tm_mday == day;	/* not 2026-02-30 */
	}
	return false;
}

int
cli_opt_when(const struct cli_call *c, const char *name, long long *ms)
{
	const char *s = cli_opt(c, name);
	time_t now = time(NULL), at;

	if (!s)
		return CLI_OK;
	if (!read_ago(s, now, &at) && !read_word(s, now, &at) && !read_date(s, now, &at))
		return cli_misuse(c, "--%s %s: not a time like 8h, 30m, 2d, yesterday, 10:00, 2026-11-22 "
				  "or 2026-11-22T10:00", name, s);
	*ms = at > 0 ? (long long)at * 1000 : 0;
	return CLI_OK;
}

void
cli_put_when(struct moore_buf *b, const char *form, long long ms)
{
	const time_t at = (time_t)(ms / 1000);
	char clock[32];

	strftime(clock, sizeof(clock), form, localtime(&at));
	cli_putf(b, "%s", clock);
}
