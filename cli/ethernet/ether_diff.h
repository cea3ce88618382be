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
	struct moore_ether_route route;
};

struct cli_ether_diff {
	struct cli_ether new, old;	/* both of the network of the directory */
	struct moore_engine_steps *steps;	/* NULL when no prefix goes another way */
	uint32_t n_steps;		/* those, and one for what they leave undone */
	bool last_waits;		/* which begins when packets of the steps before have left */
	struct cli_ether_edit *edit;	/* sorted by step and switch */
	uint32_t n_edits, cap_edits;
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
/* Appends the edits of a switch in a step, for `ip -batch`; false when there is none. */
bool cli_ether_diff_put(const struct cli_ether_diff *d, uint32_t step, moore_swid s,
			struct moore_buf *b);
/* Appends all edits, under a line "# step K: SWITCH". */
void cli_ether_diff_list(const struct cli_ether_diff *d, struct moore_buf *b);
json_t *cli_ether_diff_answer(const struct cli_ether_diff *d);
void cli_ether_put_diff(struct moore_buf *b, const json_t *answer);

#endif
