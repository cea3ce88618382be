/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* lldp.h - what the switches of an Ethernet fabric report: read from a directory, or asked by
 * a command. */
#ifndef MOORE_CLI_LLDP_H
#define MOORE_CLI_LLDP_H

#include "online.h"

struct cli_lldp {
	struct moore_lldp_switch **sw;
	uint32_t n, cap;
};
/* Reads DIR/SWITCH/chassis.json, neighbors.json and links.json of each directory in DIR, in the
 * order of their names.  A switch whose documents are missing did not answer; a document that
 * cannot be read is CLI_FAIL.  The caller calls cli_lldp_free() whatever is returned, as after
 * the functions below. */
int cli_lldp_read_dir(const char *dir, struct cli_lldp *out);
/* Adds a switch that was not read yet. */
int cli_lldp_add(struct cli_lldp *x, const char *name);
/* Forgets what a switch said, and notes why it did not answer. */
int cli_lldp_silence(struct cli_lldp *x, uint32_t i, const char *why);
void cli_lldp_free(struct cli_lldp *x);

struct cli_lldp_question {
	/* Words separated by blanks, in which {switch} and {what} (chassis, neighbors, links) are
	 * replaced; the first is the program.  No shell is involved. */
	const char *command;
	const struct moore_plan *plan;	/* its switches are asked; may be NULL */
	const char *from;	/* this switch is asked, and those that are its neighbours, and so
				 * on; NULL: only those of the plan */
	unsigned timeout_s;	/* for each run of the command */
};
/* Asks all switches, several at once.  One that does not answer costs only itself. */
int cli_lldp_ask(const struct cli_lldp_question *q, struct cli_lldp *out);

#endif
