/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* report.h - measures a topology: its graph, and what its routes carry and its cables need. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "moore/answer.h"

/* Fills what the parameters of t tell; all else is unknown. */
void cli_report_begin(struct moore_topo_report *r, const struct moore_topo *t);

/* Fills the parts of r that the graph tells; routes and cables stay unknown.  Borrows t, which must
 * outlive r.  O(switches * links / 64), and what cli_structure() takes. */
int cli_report_graph(struct moore_topo_report *r, const struct moore_topo *t, struct moore_err *err);

/* Fills the rest: routes by this project's engine with the greatest LMC up to 2 for which there are LIDs,
 * and cables as `plan place` puts them on its first floor with a tenth of its effort.  What exceeds the
 * sizes for which this takes a minute at most stays unknown. */
int cli_report_worth(struct moore_topo_report *r, struct moore_err *err);

/* The shares of full rate that the routes carry: of uniform traffic, and of the worst pattern found with
 * one start of each search.  Both are of pairs with a route; where no offset has one for all pairs,
 * uniform traffic goes evenly over those that each pair has.  Shares are 0..1. */
int cli_worst_share(double *uniform, double *worst, const struct moore_fabric *f,
		    const struct moore_lft *lft, uint64_t seed, struct moore_err *err);

#endif
