/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* campaign.h - a file that names many simulations, and the folder of what they found.
 *
 * Points are numbered: topology by topology, in each seed by seed, in each as `moorectl simulate` orders its
 * rows.  A chunk is a run of consecutive points of one topology; it is what one process claims.  The file alone
 * decides both, so every process, whenever and wherever it runs, means the same by a number.  Functions that
 * fail have printed the reason. */
#ifndef CLI_CAMPAIGN_H
#define CLI_CAMPAIGN_H

#include "load/simulate.h"

#define CAMPAIGN_POINTS 1000000
#define CAMPAIGN_CHUNKS 1000	/* an array job of Slurm has 1,001 tasks at most (MaxArraySize) */
#define CAMPAIGN_TOPOLOGIES 100
#define CAMPAIGN_SEEDS 10000
#define CAMPAIGN_CHUNK 16	/* points of a chunk, unless that makes over CAMPAIGN_CHUNKS */

struct campaign_word {		/* of a list in the file */
	char *text;
	unsigned line;
};

struct campaign_list {
	struct campaign_word *word;
	size_t n;
};

struct campaign {
	const char *file;
	char *dir;			/* the folder of results */
	int begun;			/* its file `begun`, with a shared lock; -1: not open */
	struct moore_buf text;
	json_t *json;
	struct campaign_list topology, seed;
	struct cli_given *given;	/* all options of simulate but the seed; their values are in value[] */
	char **value;
	size_t n_given;
	size_t per_seed, per_topology, n_points;
	size_t chunk, chunks_per_topology, n_chunks;
	uint64_t hash;			/* of the file, its plans and the version of moore */
};

/* ---- the file (campaign_file.c) ----------------------------------------------------- */

/* Reads and checks the file that the first argument of c names; dir is that of --output, or FILE without
 * .json and with .results.  The caller calls campaign_free() whatever is returned. */
int campaign_read(const struct cli_call *c, struct campaign *k);
void campaign_free(struct campaign *k);

struct campaign_call {		/* `moorectl simulate` of one topology and seed */
	struct cli_call c;
	char *words;
	const char *arg[MOORE_TOPO_MAX_PARAMS + 2];
	bool family;		/* arg[] are those of `plan new`; else arg[0] is a plan */
	struct cli_given *given;
};
/* Makes that call; campaign_call_free() frees it whatever is returned. */
int campaign_call(const struct campaign *k, size_t topology, size_t seed, struct campaign_call *out);
void campaign_call_free(struct campaign_call *c);

/* ---- the folder (campaign_folder.c) -------------------------------------------------- */

struct campaign_chunk {
	size_t number, first, n;	/* its points */
	bool *done;			/* by point, from first */
	size_t n_done;
	char *path;
	int fd;				/* -1: not claimed */
};

/* Makes the folder, or finds that it is of this campaign, which it then stays until campaign_free(). */
int campaign_begin(struct campaign *k);
/* Reads which points of a chunk are done.  campaign_chunk_free() ends the claim, too. */
int campaign_look(const struct campaign *k, size_t number, struct campaign_chunk *out);
/* Claims a chunk that was looked at, removes damaged lines, and looks again.  CLI_FOUND: another process
 * has it, and wait is false.  A claim ends with the process, however that ends. */
int campaign_claim(const struct campaign *k, struct campaign_chunk *x, bool wait);
/* Adds a row of a claimed chunk, whole or not at all: 0 or an errno.  Threads may not call it at once. */
int campaign_add(const struct campaign *k, struct campaign_chunk *x, size_t point, double seconds,
		 const struct moore_buf *row);
/* Syncs what was added and frees x; CLI_FAIL if the disk failed. */
int campaign_chunk_free(struct campaign_chunk *x);
struct campaign_sums {		/* points; dropped: those that dropped a packet */
	uint64_t points, done, stalled, dropped, saturated;
};
/* Counts what the rows of a chunk say; SIZE_MAX: of all, and if all points are done and write is true, writes
 * results.csv and times.csv. */
int campaign_merge(const struct campaign *k, size_t chunk, bool write, struct campaign_sums *sums);
/* Appends the row of a point. */
void campaign_put_row(struct moore_buf *b, const char *topology, const struct moore_simulation *row, double ns);

/* ---- running (campaign_run.c) --------------------------------------------------------- */

/* Runs the points that are not done: all, or those of one chunk (SIZE_MAX: all).  *n_ran gets their number. */
int campaign_run(const struct campaign *k, unsigned jobs, size_t chunk, uint64_t *n_ran);

#endif
