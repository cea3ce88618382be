/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* doctor.h - what the files of `moorectl doctor` share: cmd_doctor.c checks programs, files and
 * the settings on which routing depends; doctor_lint.c every line of opensm.conf, and what two
 * subnet managers must have in common; both report by note() of doctor.c. */
#ifndef MOORE_DOCTOR_H
#define MOORE_DOCTOR_H

#include "cli.h"

enum status { GOOD, WARN, BAD };

struct exam {
	const struct cli_call *c;
	const char *opensm_conf;
	char moore_conf[MOORE_CONF_PATH_MAX];
	bool named;			/* moore.conf was named, so it must be there */
	const char *opensm;		/* the program whose version was read; NULL: none */
	struct moore_buf conf;		/* text of opensm.conf; data is NULL when it was not read */
	char *defaults;			/* what `opensm -c` writes; NULL: unknown */
	struct moore_conf moore;	/* moore.conf, or the defaults */
	struct moore_err moore_err;	/* what is wrong with it */
	bool is_tried;			/* it was read, and */
	int tried;			/* with this result, as of cli_try_conf() */
	uint64_t plan_hash;		/* of the plan's contents; 0: no plan */
	struct moore_buf text;		/* the report */
	json_t *list;			/* the report for --json */
	enum status worst;
};

/* Appends a line to the report.  file may be NULL; line is 0 when none applies. */
void note(struct exam *x, enum status status, const char *check, const char *file,
	  unsigned line, const char *fmt, ...) MOORE_PRINTF(6, 7);

/* Reports unknown keys, keys set twice, and values that OpenSM does not accept or that
 * the engine overrides.  A key that is_judged() is judged elsewhere. */
void doctor_lint(struct exam *x, bool (*is_judged)(const char *key));
/* Reports when the plan needs more LIDs than there are, at the LMC of opensm.conf. */
void doctor_check_lids(struct exam *x, const struct moore_plan *p, const char *plan);
/* Reports settings of opensm.conf that the profile of moore.conf does not allow. */
void doctor_check_profile(struct exam *x);
/* Appends the settings that must be equal on two subnet managers to the text of the
 * report; or returns them as a new array. */
void doctor_put_both(struct exam *x);
json_t *doctor_json_both(struct exam *x);

#endif
