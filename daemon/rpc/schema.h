/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* schema.h - the part of JSON Schema that the methods use: type, properties,
 * required, additionalProperties (false), enum, minimum, maximum, minLength,
 * maxLength, items, maxItems, and description, which checks nothing. */
#ifndef MOORED_SCHEMA_H
#define MOORED_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Does schema_check() know every keyword of schema?  Otherwise why names the first that it does
 * not know, which would never be checked. */
bool schema_valid(const json_t *schema, char *why, size_t size);
/* Does value satisfy it?  Otherwise why says "params.port: 300 is above 254". */
bool schema_check(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
