/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* json.h - JSON values as all answers and events write them.  The caller owns each result,
 * which is NULL when memory ran out. */
#ifndef MOORED_JSON_H
#define MOORED_JSON_H

#include <jansson.h>

#include "snapshot.h"

/* A name that need not be UTF-8: then each byte above 0x7f becomes '?'.  NULL is "". */
json_t *json_name(const char *name);
json_t *json_guid(uint64_t guid);	/* "0x0002c90000000001"; null for 0 */
json_t *json_count(uint64_t n);
json_t *json_rate(struct moore_rate r);	/* "4xEDR"; null when unknown */
json_t *json_share(double x);		/* rounded to 1e-6; null when negative */
json_t *json_bytes(double x);		/* an integer; null when negative */
/* {"sweep":..,"plane":..,"at_ms":..} and the members of more (taken; NULL: memory ran out). */
json_t *from_sweep(const struct snapshot *s, json_t *more);

#endif
