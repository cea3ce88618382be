/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* doctor.h - what the parts of `moorectl doctor` share: cmd_doctor.c looks at
 * programs, files and the settings that decide; doctor_lint.c at every line of
 * opensm.conf, and at what two subnet managers must agree on. */
#ifndef MOORE_DOCTOR_H
#define MOORE_DOCTOR_H

#include "cli.h"

enum status { GOOD, WARN, BAD };

struct exam {
	const struct cli_call *c;
	const char *opensm_conf;
	char moore_conf[MOORE_CONF_PATH_MAX];
	bool named;			/* moore.conf was named, so it must be there */
	const char *opensm;		/* the program that said its version; NULL */
	struct moore_buf conf;		/* text of opensm.conf; no data when unread */
	char *defaults;			/* opensm.conf as OpenSM would write it; NULL */
	struct moore_conf moore;	/* moore.conf, or the defaults */
	uint64_t plan_hash;		/* of the plan's contents; 0 without one */
	struct moore_buf text;		/* the report */
	json_t *list;			/* the same for --json */
	enum status worst;
};

/* One line of the report.  line 0: none applies. */
void note(struct exam *x, enum status status, const char *check, const char *file,
	  unsigned line, const char *fmt, ...) MOORE_PRINTF(6, 7);
/* Does cmd_doctor.c judge this key of opensm.conf itself? */
bool doctor_judges(const char *key);

/* Unknown keys, keys set twice, values that OpenSM does not take or that fight
 * the engine. */
void doctor_lint(struct exam *x);
/* Do the LIDs of the plan fit, at the LMC of opensm.conf? */
void doctor_check_lids(struct exam *x, const struct moore_plan *p, const char *plan);
/* Is what the profile of moore.conf asks of opensm.conf there? */
void doctor_check_profile(struct exam *x);
/* Append what must be equal on two subnet managers; or the same for --json. */
void doctor_put_both(struct exam *x);
json_t *doctor_json_both(struct exam *x);

#endif
