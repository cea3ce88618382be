// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* json.c - JSON values as all answers and events write them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

json_t *
from_sweep(const struct snapshot *s, json_t *more)
{
	json_t *o = json_pack("{s:I, s:i, s:I}", "sweep", (json_int_t)s->scan, "plane",
			      (int)s->plane, "at_ms", (json_int_t)s->at_ms);

	if (!o || !more || json_object_update(o, more) < 0) {
		json_decref(o);
		o = NULL;
	}
	json_decref(more);
	return o;
}

json_t *
json_name(const char *name)
{
	json_t *j = json_string(name ? name : "");
	char *copy;

	if (j || !name || !(copy = strdup(name)))
		return j;
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

json_t *
json_guid(uint64_t guid)
{
	char s[24];

	if (!guid)
		return json_null();
	snprintf(s, sizeof(s), "0x%016llx", (unsigned long long)guid);
	return json_string(s);
}

json_t *
json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

json_t *
json_rate(struct moore_rate r)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *j;

	moore_rate_put(&b, r);
	j = b.len ? json_stringn(b.data, b.len) : json_null();
	moore_buf_free(&b);
	return j;
}

json_t *
json_share(double x)
{
	return x < 0 ? json_null() : json_real((double)(int64_t)(x * 1e6 + 0.5) / 1e6);
}

json_t *
json_bytes(double x)
{
	return x < 0 ? json_null() : json_integer((json_int_t)x);
}
