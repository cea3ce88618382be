/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* expected.h - what the switches hold against what engine moore computes here. */
#ifndef MOORED_EXPECTED_H
#define MOORED_EXPECTED_H

#include <jansson.h>

#include "moore/conf.h"
#include "state.h"

/* Adds to answer: "expected", or null and "expected_why"; "adaptive_routing".  Any thread;
 * of a snapshot with tables.  moore_conf: path, "" for the defaults; plan may be NULL.
 * As long as the engine takes. */
void add_expected(json_t *answer, const struct snapshot *s, const struct planned *plan,
		  const char *moore_conf);

/* The moore.conf that moored.conf names ("" for the defaults), with its links file; the
 * caller ends *links, also on failure. */
int conf_for_routes(const char *path, struct moore_conf *conf, struct moore_links **links,
		    struct moore_err *err);

#endif
