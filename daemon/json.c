// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* json.c - which sweep an answer or event is from. */
#include "json.h"

json_t *
from_sweep(const struct snapshot *s, json_t *more)
{
	return moore_json_merge(json_pack("{s:I, s:i, s:I}", "sweep", (json_int_t)s->scan, "plane",
					  (int)s->plane, "at_ms", (json_int_t)s->at_ms), more);
}
