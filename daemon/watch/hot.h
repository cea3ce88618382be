/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* hot.h - what the polls of each plane came to: readings, rates, findings. */
#ifndef MOORED_HOT_H
#define MOORED_HOT_H

#include "part.h"
#include "moore/demand.h"
#include "moore/hot.h"
#include "moore/select.h"

#define HOT_LOG 1024		/* findings that are remembered */

struct hot_entry {		/* a finding that was raised or cleared */
	uint64_t at_ms;		/* wall clock of the poll */
	struct moore_alarm alarm;
	char from[MOORE_NAME_MAX + 1], to[MOORE_NAME_MAX + 1];
	moore_portnum port, to_port;
	uint64_t guid;
	json_t *why;		/* of what was raised: cause at that time (why.c); or NULL */
};

struct hot_plane {		/* the loop's */
	struct snapshot *snap;	/* of the last poll: what the indices below are of; or NULL */
	uint64_t number, at_ms, at_us;
	uint32_t took_us, n_asked, n_failed;
	struct moore_reading *last;	/* of each port, the last that was answered */
	struct moore_reading *base;	/* and the one that its rate counts from */
	uint64_t step_us;		/* at_us of the last step */
	struct moore_hot_port *port;
	struct moore_line *line;
	struct moore_hot *hot;
	struct hot_entry *log;		/* HOT_LOG of them, round and round */
	uint64_t n_logged;
	bool explaining;	/* a job of why.c is under way */
	uint32_t standing[MOORE_N_FINDINGS];	/* how many are raised now, */
	uint64_t raised[MOORE_N_FINDINGS];	/* and ever were */
};

extern const struct part part_hot;
/* NULL before the first poll of the plane. */
struct hot_plane *hot_plane(const struct moored *d, unsigned plane);

/* A copy that may leave the loop's thread: NULL when there was no poll yet, or no memory. */
struct hot_copy {
	struct snapshot *snap;
	uint64_t number, at_ms;
	struct moore_line *line;
	struct moore_use *use;
	double *tx, *rx;	/* bytes per second; negative when unknown */
};
struct hot_copy *hot_copy(const struct moored *d, unsigned plane);
void hot_copy_free(struct hot_copy *c);

/* The causes of what one step raised, into the log when they are found (why.c). */
#define HOT_WHY 16		/* at once; the rest go without */
struct hot_raised {
	unsigned n;
	uint32_t port[HOT_WHY];
	uint64_t entry[HOT_WHY];	/* n_logged of each, before it */
};
void hot_explain(struct moored *d, unsigned plane, const struct hot_raised *raised);
/* "suspects" (at most so many) and "remedy", added to o. */
void put_cause(json_t *o, const struct hot_copy *h, const struct moore_cause *c, unsigned most);

/* Where a link starts and ends, for people. */
struct hot_place {
	const char *from, *to;	/* of the snapshot; to is "" where nothing is */
	uint64_t guid;
	moore_portnum port, to_port;
	bool edge;		/* to an endpoint */
	moore_swid sw;
};
void hot_place_of(const struct snapshot *s, uint32_t port, struct hot_place *out);

#endif
