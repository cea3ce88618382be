/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/conf.h - moore.conf, the settings of the routing engine; keys.h says how such a file
 * is read.  A new key is one row in engine/conf.c and one field here. */
#ifndef MOORE_CONF_H
#define MOORE_CONF_H

#include "base.h"
#include "jobs.h"
#include "keys.h"
#include "lane.h"
#include "links.h"
#include "plan.h"
#include "profile.h"

MOORE_BEGIN

#define MOORE_CONF_PATH_MAX 1024
#define MOORE_FLAP_MAX 16	/* the greatest flap_count */
#define MOORE_THREADS_MAX 16	/* the greatest number of threads */

/* How new tables reach the switches: in steps of which no mixture deadlocks, or all rows at
 * once. */
enum moore_motion_kind { MOORE_MOTION_SAFE, MOORE_MOTION_FAST };

struct moore_grown;
struct moore_ranks;

struct moore_conf {
	char plan[MOORE_CONF_PATH_MAX];	/* path of the plan; "": none */
	uint64_t seed;
	enum moore_profile profile;
	enum moore_layers layers;
	struct moore_lane_opts lanes;	/* the class of each SL */
	char links[MOORE_CONF_PATH_MAX];	/* path of the links file; "": none */
	char moored[MOORE_CONF_PATH_MAX];	/* the daemon's socket; "": no notices are sent */
	enum moore_motion_kind motion;
	uint32_t motion_wait;		/* ms; 0: by the head-of-queue lifetime */
	uint32_t flap_count, flap_seconds;
	uint32_t threads;		/* 0: as many as there are processors */
	const struct moore_links *link_rules;	/* the rules of that file; the caller reads it */
	const struct moore_plan *kept;	/* the graph kept from an earlier sweep, or NULL; no key of
					 * moore.conf, the caller sets it */
	struct moore_ranks **ranks;	/* see struct moore_route_opts; no key of moore.conf either */
	struct moore_grown **grown;	/* likewise */
	bool by_roles;			/* as in struct moore_route_opts; no key either */
	const struct moore_jobs *jobs;	/* of that many threads; NULL: one.  The caller sets it */
};

/* Returns how many lanes a link needs for all classes to have their own: one under one-vl, whose routes
 * are safe on any lanes. */
static inline uint8_t
moore_conf_lanes(const struct moore_conf *c)
{
	return c->profile == MOORE_PROFILE_ONE_VL ? 1 : moore_lane_needed(&c->lanes);
}

/* The rows of the keys, in order; NULL past the end. */
MOORE_API const struct moore_key *moore_conf_key_at(size_t i);

MOORE_API void moore_conf_defaults(struct moore_conf *c);
/* Sets the defaults and then what the text says.  -MOORE_ESYNTAX sets err->line and
 * err->text ("key: why") and leaves *c as it was. */
MOORE_API int moore_conf_parse(struct moore_conf *c, const char *text, size_t len,
			       struct moore_err *err);
/* Sets one key of the table.  -MOORE_ESYNTAX leaves *c as it was. */
MOORE_API int moore_conf_set(struct moore_conf *c, const char *key, const char *value,
			     struct moore_err *err);
/* The SLs that OpenSM's partitions.conf, or else its QoS policy file, puts into path records
 * and groups.  Under sl-hint, such an SL must be the first one (4c) of a class c in use and
 * must mean class c; any other is wrong.  O(len). */
struct moore_policy_sls {
	unsigned n;		/* SLs in the file */
	unsigned wrong_line;	/* of the first wrong SL; 0: none is wrong */
	uint8_t wrong;		/* that SL */
};
MOORE_API struct moore_policy_sls moore_policy_scan(const char *text, size_t len, bool partitions,
						    const struct moore_lane_opts *o);
/* Appends a file with every key, its help and its default. */
MOORE_API void moore_conf_template(struct moore_buf *out);

MOORE_END

#endif
