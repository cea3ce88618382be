/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* ether_diff.h - the difference between the routes that switches run and those of a directory, in
 * safe steps: what `ethernet diff` prints and `ethernet apply` carries out. */
#ifndef MOORE_CLI_ETHER_DIFF_H
#define MOORE_CLI_ETHER_DIFF_H

#include "ethernet/ether.h"

struct cli_ether_edit {
	uint32_t step;
	moore_swid sw;
	uint32_t n_hops;	/* 0: the route is removed; of several, the route here is the first,
				 * and all are in the new configuration of the switch */
	bool opens;		/* the first edit that uses a port over which the switch runs no route */
	struct moore_ether_route route;
};

struct cli_ether_diff {
	struct cli_ether new, old;	/* both of the network of the directory */
	struct moore_engine_steps *steps;	/* NULL when no prefix goes another way */
	uint32_t n_before;		/* 1 if a step withdraws backups before those, else 0 */
	uint32_t n_steps;		/* all of them: also for what those leave undone, and for backups */
	bool last_waits;		/* which begins when packets of the steps before have left */
	struct cli_ether_edit *edit;	/* sorted by step and switch */
	uint32_t n_edits, cap_edits;
	bool primaries_change;		/* some edit is not one of a backup */
};

/* Reads the routes of dir; old has none yet.  The caller calls cli_ether_diff_free(), whatever
 * is returned. */
int cli_ether_diff_load(struct cli_ether_diff *d, const char *dir);
/* Reads the old routes from a directory with routes.json and routes6.json of each switch, or from
 * one that was emitted. */
int cli_ether_diff_read_old(struct cli_ether_diff *d, const char *running);
/* Finds the edits from the old routes to the new. */
int cli_ether_diff_find(struct cli_ether_diff *d);
/* Changes the old routes as the edits of a step do. */
int cli_ether_diff_play(struct cli_ether_diff *d, uint32_t step);
void cli_ether_diff_free(struct cli_ether_diff *d);
/* Appends the edits of a switch in a step, for `ip -batch`; false when there is none.  Before the first
 * route over a port that has none stand the addresses and neighbours of the port: they are gone
 * if it was set down. */
bool cli_ether_diff_put(const struct cli_ether_diff *d, uint32_t step, moore_swid s,
			struct moore_buf *b);
/* Appends all edits, under a line "# step K: SWITCH". */
void cli_ether_diff_list(const struct cli_ether_diff *d, struct moore_buf *b);
json_t *cli_ether_diff_answer(const struct cli_ether_diff *d);
void cli_ether_put_diff(struct moore_buf *b, const json_t *answer);

/* ---- backups (ether_diff_backup.c) ---------------------------------------- */

/* The first route of the configuration to exactly that prefix, a backup or not; NULL when there
 * is none. */
const struct moore_ether_route *cli_ether_diff_route(const struct moore_ether_config *c,
						     const struct moore_addr *to, bool is_backup);
/* True if the old configuration of the switch has a backup for the prefix and no other route over a
 * link that is there. */
bool cli_ether_diff_in_force(const struct cli_ether_diff *d, moore_swid s, const struct moore_addr *to);
/* Writes the backups in force into the old tables. */
void cli_ether_diff_use_backups(const struct cli_ether_diff *d, struct moore_ether_tables *was);
/* Fails unless the backups of the directory are safe while any single link is down. */
int cli_ether_diff_judge_backups(const struct cli_ether_diff *d, const struct moore_ether_tables *now,
				 const struct moore_sl2vl *lanes);
enum cli_ether_backup_edit {
	CLI_ETHER_BACKUP_IDLE,		/* an old one that is withdrawn first */
	CLI_ETHER_BACKUP_IN_FORCE,	/* an old one that is withdrawn after all other routes are new */
	CLI_ETHER_BACKUP_ADD,		/* a new one */
};
/* True if a route, an old backup or (ADD) a new one, needs that edit. */
bool cli_ether_diff_backup_is(const struct cli_ether_diff *d, moore_swid s,
			      const struct moore_ether_route *r, enum cli_ether_backup_edit which);

#endif
