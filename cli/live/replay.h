/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* replay.h - what a whole recording showed: the end of `moorectl replay`. */
#ifndef MOORE_CLI_REPLAY_H
#define MOORE_CLI_REPLAY_H

#include "online.h"

struct cli_tally {		/* of one direction of a link */
	double seconds;		/* for which its rate is known; 0: never */
	double bytes;
	double share;		/* of the line, summed over these seconds; negative: unknown */
	double peak, peak_share;	/* the greatest of a row */
};

struct cli_replayed {		/* zeroed to begin with */
	long long from_ms, to_ms, covered_ms;
	size_t rows;
	json_t *links;		/* by name: the link, and its tally */
	json_t *findings;	/* {"finding","switch","port","peer","from_ms","to_ms"}; null: stands */
};
/* Counts a row. */
void cli_replayed_row(struct cli_replayed *s, long long at_ms, long long span_ms);
/* Adds to the tally of a link {"switch","port","peer"}, which is taken. */
void cli_replayed_link(struct cli_replayed *s, json_t *link, const struct cli_tally *t);
/* A finding as of a row: {"finding","raised","switch","port","peer"}; borrowed. */
void cli_replayed_finding(struct cli_replayed *s, const json_t *f, long long at_ms);
/* Make the summary as JSON, and print that as text. */
json_t *cli_replayed_json(const struct cli_replayed *s);
void cli_put_replayed(struct moore_buf *b, const json_t *summary);
void cli_replayed_free(struct cli_replayed *s);

/* A share of a line as it is shown: a rate is rounded, so it may exceed the line by a little. */
static inline double
cli_share(double share)
{
	return share > 1 ? 1 : share;
}

#endif
