/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* sweeps.h - what OpenSM's plugin reported of its last sweep. */
#ifndef MOORED_SWEEPS_H
#define MOORED_SWEEPS_H

#include "moore/notice.h"
#include "part.h"

extern const struct part part_sweeps;
/* What the master of this snapshot's plane reported, and whether the switches hold what it
 * computed.  null: no report (another engine, no plugin, another host). */
json_t *json_sweep_told(const struct moored *d, const struct snapshot *s);
/* The origin of the tables that the switches of this snapshot hold, at this wall clock. */
enum tables_by {
	BY_UNKNOWN,		/* the master's plugin reported nothing, or no tables were read */
	BY_PLUGIN,		/* they are what the plugin reported last */
	BY_CHANGING,		/* they are not, and a sweep of the plugin is under way */
	BY_OTHER,		/* they are not: another engine or program wrote them */
	N_TABLES_BY
};
enum tables_by sweeps_tables_by(const struct moored *d, const struct snapshot *s, uint64_t now_ms);
/* How many switches of this snapshot hold routes that the plugin did not report, the first of them
 * in first[max].  MOORE_NONE: unknown, since the plugin did not report the rows of its last sweep. */
uint32_t sweeps_others(const struct moored *d, const struct snapshot *s, moore_swid *first, uint32_t max);
const char *tables_by_name(enum tables_by by);	/* "plugin" */
/* What the master of this snapshot's plane reported last; NULL: nothing.  *at_ms is when. */
const struct moore_notice *sweeps_last(const struct moored *d, const struct snapshot *s,
				       uint64_t *at_ms);
/* How many datagrams were notices, and how many were not. */
json_t *json_sweeps_count(const struct moored *d);

#define A_SWEEP_TOLD "{'type':['object','null'],'properties':{'at_ms':" INT ",'number':" INT \
	",'state':{'type':'string','enum':['routed','kept','refused']},'up':" BOOL ",'why':" \
	OR_NULL("string") ",'topology':" OR_NULL("string") ",'profile':" STR ",'layers':" STR \
	",'switches':" INT ",'endpoints':" INT ",'missing_links':" INT ",'missing_switches':" INT \
	",'blocks':" INT ",'step':" INT ",'steps':" INT ",'hash':" OR_NULL("string") ",'routes_held':" OR_NULL("boolean") \
	",'lanes_held':" OR_NULL("boolean") "}}"

#endif
