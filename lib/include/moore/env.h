/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/env.h - the settings that make applications use the LID offsets, and the SL that
 * they send on (docs/applications.md).  Pure: same input, same answer. */
#ifndef MOORE_ENV_H
#define MOORE_ENV_H

#include "base.h"
#include "conf.h"

MOORE_BEGIN

struct moore_env_offsets {	/* a set */
	bool use[MOORE_N_OFFSETS];
	unsigned n, last;
};
/* "0,2-5" */
MOORE_API void moore_env_put(struct moore_buf *b, const struct moore_env_offsets *o);

struct moore_env {		/* the question */
	unsigned n_lids;	/* of each port: 2^LMC */
	bool hint;		/* profile sl-hint */
	const char *profile;	/* its name; not owned */
	unsigned sl;		/* to send on; moore_env_class() */
	bool asked;		/* a user set `use`: a transport that cannot use exactly these
				 * offsets is refused */
	struct moore_env_offsets use;
};
/* Sets use from "minimal", "valiant", "all" or a list such as 0,2-3; NULL stands for all
 * offsets that a transport can use.  The caller sets n_lids before, and checks afterwards
 * that use.last is below it.  False when s is none of these. */
MOORE_API bool moore_env_use(struct moore_env *e, const char *s);
/* Sets hint and sl: the first SL of the class, which under sl-hint is its table A.  False
 * when no SL has this class. */
MOORE_API bool moore_env_class(struct moore_env *e, const struct moore_conf *conf,
				unsigned qos_class);

struct moore_env_setting {
	const char *name, *why;		/* static */
	char value[4 * MOORE_N_OFFSETS];
};
struct moore_env_answer {		/* of one transport */
	const char *transport, *what;	/* static; "ucx", and in words */
	const char *refused;		/* static: why it cannot or must not; NULL: it can */
	struct moore_env_offsets use;
	struct moore_env_setting setting[4];
	unsigned n_settings;		/* 0 when refused */
};
MOORE_API const char *moore_env_target(size_t i);	/* "openmpi"; NULL past the end */
/* Answers for the i-th transport of a target.  Returns 1; 0 past the end or for an unknown
 * target; or -MOORE_ENOMEM. */
MOORE_API int moore_env_answer(const struct moore_env *e, const char *target, size_t i,
			       struct moore_env_answer *out);

MOORE_END

#endif
