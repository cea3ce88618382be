/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* drains.h - which links of a fabric are drained, and which more may be: from the links file that
 * moore.conf names.  Any thread; the calls read files. */
#ifndef MOORED_DRAINS_H
#define MOORED_DRAINS_H

#include "moore/answer.h"
#include "moore/drain.h"
#include "state.h"

#define DRAINS_MAX 64		/* links that are asked for at once */

struct drain_want {
	uint64_t guid;
	moore_portnum port;
	const char *finding;	/* static text; NULL: a person asks */
};
/* The links with errors or flaps now; returns how many were written to out[DRAINS_MAX].  For
 * the loop's thread. */
size_t drains_wanted(const struct moored *d, unsigned plane, struct drain_want *out);

struct drains {
	struct moore_conf conf;	/* conf.links is the file */
	struct moore_links *links;
	struct moore_buf text;	/* of the file */
	struct moore_drain_line *line;	/* of the part that programs write */
	size_t n_lines;
	uint8_t *drained;	/* by port of the fabric */
};
/* Reads moore.conf ("": its defaults) and the links file.  -MOORE_EINVAL if moore.conf names
 * none, or as conf_for_routes(); err->text names file and line.  The caller calls drains_free() whatever is returned. */
int drains_read(struct drains *x, const struct moore_fabric *f, const char *moore_conf,
		struct moore_err *err);
void drains_free(struct drains *x);
/* Judges the wanted links one after another, each when those before it that are fine are drained,
 * and marks these.  -MOORE_ENOMEM. */
int drains_judge(struct drains *x, const struct moore_fabric *f, const struct drain_want *want,
		 size_t n, uint32_t most, struct moore_drain_link *out, struct moore_err *err);
/* Computes the greatest load of a link with the file as it is, and with out[] in it. */
int drains_cost(struct moore_drain_cost *cost, const struct drains *x, const struct moore_fabric *f,
		const struct moore_plan *plan, const struct moore_drain_link *link, size_t n,
		struct moore_err *err);
/* The line for a link that is fine. */
struct moore_drain_line drains_line(const struct moore_drain_link *l, const char *by, uint64_t at_s);

#endif
