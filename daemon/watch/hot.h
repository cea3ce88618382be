/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hot.h - readings, rates and findings of each plane, from its polls. */
#ifndef MOORED_HOT_H
#define MOORED_HOT_H

#include "part.h"
#include "moore/demand.h"
#include "moore/errors.h"
#include "moore/hot.h"
#include "moore/select.h"

#define HOT_LOG 1024		/* findings that are remembered */

struct hot_entry {		/* a finding that was raised or cleared */
	uint64_t at_ms;		/* wall clock of the poll */
	struct moore_alarm alarm;
	char from[MOORE_NAME_MAX + 1], to[MOORE_NAME_MAX + 1];
	moore_portnum port, to_port;
	uint64_t guid;
	json_t *why;		/* the cause when it was raised (why.c), or NULL */
};

struct hot_plane {		/* for the loop's thread */
	struct snapshot *snap;	/* of the last poll, whose ports index the arrays; or NULL */
	uint64_t number, at_ms, at_us;
	uint32_t took_us, n_asked, n_failed;
	struct moore_reading *last;	/* the last of each port that answered */
	struct moore_reading *base;	/* the reading from which the rate of a port counts */
	struct moore_reading *host;	/* the last of each endpoint; of the snapshot's endpoints */
	struct moore_port_errors *errors;	/* of each port, up to the last step */
	struct moore_port_errors *host_errors;	/* of each endpoint, up to its last reading */
	uint64_t step_us;		/* at_us of the last step */
	struct moore_hot_port *port;
	struct moore_line *line;
	struct moore_hot *hot;
	struct hot_entry *log;		/* a ring of HOT_LOG; entry i is at i % HOT_LOG */
	uint64_t n_logged;
	bool explaining;	/* a job of why.c has not ended, */
	struct hot_job *waiting;	/* and this one is next; or NULL */
	uint32_t standing[MOORE_N_FINDINGS];	/* how many are raised now */
	uint64_t raised[MOORE_N_FINDINGS];	/* how many were ever raised */
};

extern const struct part part_hot;
/* NULL before the first poll of the plane. */
struct hot_plane *hot_plane(const struct moored *d, unsigned plane);

/* A copy of the last poll for other threads.  NULL: there was no poll, or memory ran out. */
struct hot_copy {
	struct snapshot *snap;
	uint64_t number, at_ms;
	struct moore_line *line;
	struct moore_use *use;
	double *tx, *rx;	/* bytes per second; negative when unknown */
};
struct hot_copy *hot_copy(const struct moored *d, unsigned plane);
void hot_copy_free(struct hot_copy *c);

/* Estimates the causes of the findings that one step raised; they go to the log of the plane
 * when they are found (why.c). */
#define HOT_WHY 16		/* findings of one step; for others no cause is estimated */
struct hot_raised {
	unsigned n;
	uint32_t port[HOT_WHY];
	uint64_t entry[HOT_WHY];	/* its number in the log */
};
void hot_explain(struct moored *d, unsigned plane, const struct hot_raised *raised);
void hot_job_free(struct hot_job *j);	/* one that waits; NULL is fine */

/* Both ends of a link, by name. */
struct hot_place {
	const char *from, *to;	/* the snapshot's; to is "" when nothing is connected */
	uint64_t guid;
	moore_portnum port, to_port;
	bool edge;		/* to an endpoint */
	moore_swid sw;
};
void hot_place_of(const struct snapshot *s, uint32_t port, struct hot_place *out);

#endif
