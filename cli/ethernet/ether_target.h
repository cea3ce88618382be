/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ether_target.h - the directory that `ethernet emit` makes, whole or not at all.  There is one at a
 * time, and the main thread alone writes into it. */
#ifndef MOORE_CLI_ETHER_TARGET_H
#define MOORE_CLI_ETHER_TARGET_H

/* Says that this cannot be done with the path, and why by errno; CLI_FAIL. */
int cli_ether_cannot(const char *what, const char *path);

struct cli_ether_target {
	const char *dir;	/* as the user named it */
	char *tmp;		/* beside it, while it is made */
	int fd;			/* of that, locked; -1: none */
};

/* Makes an empty directory t->tmp, and removes those that runs for dir left which were killed; fails when dir is there, holds files, and was not emitted before.  Borrows
 * dir.  The caller calls cli_ether_target_close(), whatever is returned. */
int cli_ether_target_open(struct cli_ether_target *t, const char *dir);
/* If rc is CLI_OK, gives the directory its name and removes the one that had it; else removes the new
 * one.  Returns rc, or what failed. */
int cli_ether_target_close(struct cli_ether_target *t, int rc);

#endif
