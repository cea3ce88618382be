/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/env.h - the settings by which applications use the LID offsets, and the SL that
 * they may then send on (docs/applications.md).  Pure: same input, same answer. */
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

struct moore_env {		/* what is asked */
	unsigned n_lids;	/* of each port: 2^LMC */
	bool hint;		/* profile sl-hint */
	unsigned sl;		/* to send on; moore_env_class() */
	bool asked;		/* use was given: what cannot use just that is refused */
	struct moore_env_offsets use;
};
/* Set use: "minimal", "valiant", "all", or a list like 0,2-3; NULL: all that a transport
 * can.  n_lids is set before.  False: s is none of these; whether last is below
 * n_lids is for the caller to look at. */
MOORE_API bool moore_env_use(struct moore_env *e, const char *s);
/* Set hint and sl by the configuration: sl is the first of the class, under sl-hint its
 * table A.  False: no SL has this class. */
MOORE_API bool moore_env_class(struct moore_env *e, const struct moore_conf *conf, unsigned qos_class);

struct moore_env_setting {
	const char *name, *why;		/* static */
	char value[4 * MOORE_N_OFFSETS];
};
struct moore_env_answer {		/* of one transport */
	const char *transport, *what;	/* static; "ucx", and in words */
	const char *refused;		/* static: why it must not, or cannot; NULL: it can */
	struct moore_env_offsets use;
	struct moore_env_setting setting[4];
	unsigned n_settings;		/* 0 when refused */
};
MOORE_API const char *moore_env_target(size_t i);	/* "openmpi"; NULL past the end */
/* The i-th transport of a target: 1, 0 past the end (or no such target), -MOORE_ENOMEM. */
MOORE_API int moore_env_answer(const struct moore_env *e, const char *target, size_t i,
			       struct moore_env_answer *out);

MOORE_END

#endif
