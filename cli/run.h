/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* run.h - commands for many switches, with their progress on the terminal, which end with the
 * program. */
#ifndef MOORE_CLI_RUN_H
#define MOORE_CLI_RUN_H

#include "children.h"
#include "cli.h"

/* children_run() with a go_on of its own: a signal that would end the program kills all
 * commands first. */
int cli_run(struct child *c, size_t n, const struct child_rules *rules);

#endif
