/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/conf.h - moore.conf: `key value` lines, `#` comments.  One table drives
 * the parser, the defaults that `moorectl conf` prints and the man page. */
#ifndef MOORE_CONF_H
#define MOORE_CONF_H

#include "base.h"
#include "lane.h"
#include "links.h"
#include "profile.h"

MOORE_BEGIN

#define MOORE_CONF_PATH_MAX 1024

struct moore_conf {
	char plan[MOORE_CONF_PATH_MAX];	/* path of the plan; "" when there is none */
	uint64_t seed;
	enum moore_profile profile;
	enum moore_layers layers;
	struct moore_lane_opts lanes;	/* the class of each SL */
	char links[MOORE_CONF_PATH_MAX];	/* path of the links file; "": none */
	char moored[MOORE_CONF_PATH_MAX];	/* the daemon's socket; "": it is told nothing */
	const struct moore_links *link_rules;	/* what it holds, set by who reads it */
};

enum moore_conf_type { MOORE_CONF_U64, MOORE_CONF_PATH, MOORE_CONF_WORD,
	MOORE_CONF_PER_SL };

struct moore_conf_key {
	const char *key;
	enum moore_conf_type type;
	uint64_t min, max;	/* of a number, or of each of those for the SLs */
	const char *words;	/* of a word: "any-sl|sl-hint"; the value is its place */
	const char *dflt;	/* as written in the file */
	const char *help;
	size_t offset;		/* in struct moore_conf */
};
MOORE_API const struct moore_conf_key *moore_conf_key_at(size_t i);	/* NULL past the end */

MOORE_API void moore_conf_defaults(struct moore_conf *c);
/* Defaults, then the text.  -MOORE_ESYNTAX: err->line and "key: why"; then *c is
 * as it was. */
MOORE_API int moore_conf_parse(struct moore_conf *c, const char *text, size_t len,
			       struct moore_err *err);
/* Put one value in place; key is one of the table.  Then *c is as it was on error. */
MOORE_API int moore_conf_set(struct moore_conf *c, const char *key, const char *value,
			     struct moore_err *err);
/* The SLs that a file of OpenSM's makes path records ask for: partitions.conf, or else
 * a QoS policy.  Under sl-hint one is wrong that is not the first SL (4c) of the class
 * c in use that it means: groups cannot use it, and records give another.  O(len). */
struct moore_policy_sls {
	unsigned n;		/* how many are set */
	unsigned wrong_line;	/* of the first wrong one; 0: none */
	uint8_t wrong;
};
MOORE_API struct moore_policy_sls moore_policy_scan(const char *text, size_t len, bool partitions,
						    const struct moore_lane_opts *o);
/* A file with every key, its help and its default. */
MOORE_API void moore_conf_template(struct moore_buf *out);

MOORE_END

#endif
