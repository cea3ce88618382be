// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* rate.c - reads and writes the rate of a link as ibnetdiscover does: width and speed of a
 * lane, "4xEDR" (PortInfo LinkWidthActive, LinkSpeedActive: IBTA 14.2.5.6). */
#include <string.h>

#include "moore/plan.h"

static const char *const speeds[] = { "", "SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR",
				      "XDR" };

/* Takes the longest name that matches, since FDR10 begins with FDR. */
static uint8_t
read_speed(const char *s, const char *end)
{
	uint8_t best = 0;

	for (uint8_t i = 1; i < ARRAY_LEN(speeds); i++) {
		size_t n = strlen(speeds[i]);

		if (n > strlen(speeds[best]) && (size_t)(end - s) >= n && !memcmp(s, speeds[i], n))
			best = i;
	}
	return best;
}

bool
moore_rate_read(const char **s, const char *end, struct moore_rate *out)
{
	const char *at = *s;
	uint64_t width;
	uint8_t speed;

	if (!moore_text_u64(&at, end, 10, 12, &width) || !strchr("\1\2\4\10\14", (int)width) ||
	    !width || at == end || *at++ != 'x' || !(speed = read_speed(at, end)))
		return false;
	*s = at + strlen(speeds[speed]);
	*out = (struct moore_rate){ (uint8_t)width, speed };
	return true;
}

double
moore_rate_gbit(struct moore_rate r)
{
	/* A lane carries this without its code, which is 8b/10b up to QDR and 64b/66b from FDR10 on. */
	static const double lane[] = { 0, 2, 4, 8, 10, 14.0625 * 64 / 66, 25, 50, 100, 200 };

	return r.speed < ARRAY_LEN(lane) ? r.width * lane[r.speed] : 0;
}

void
moore_rate_put(struct moore_buf *b, struct moore_rate r)
{
	if (r.width)
		moore_buf_fmt(b, "%ux%s", r.width, speeds[r.speed]);
}
