/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* expected.h - compares the tables that the switches hold with those that engine moore computes. */
#ifndef MOORED_EXPECTED_H
#define MOORED_EXPECTED_H

#include <jansson.h>

#include "moore/conf.h"
#include "moore/engine.h"
#include "state.h"

/* Adds the keys "expected" (null, and then "expected_why", when it cannot be computed) and
 * "adaptive_routing" to answer.  s has tables; plan may be NULL; moore_conf is a path, or "" for
 * the defaults.  Any thread.  Takes as long as the engine. */
void add_expected(json_t *answer, const struct snapshot *s, const struct planned *plan,
		  const char *moore_conf);

/* Reads the moore.conf at path ("" for the defaults) and its links file.  The caller frees
 * *links, also on failure. */
int conf_for_routes(const char *path, struct moore_conf *conf, struct moore_links **links,
		    struct moore_err *err);

/* Computes the engine's tables as the plugin does.  Takes as long as the engine. */
int run_engine(struct moore_engine_result **out, const struct moore_fabric *f,
	       const struct moore_plan *plan, struct moore_conf *conf, struct moore_err *err);

#endif
