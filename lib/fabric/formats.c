// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* formats.c - the text formats of other tools: one row and one fmt_*.c for each.  The files
 * are in plan/, except for fmt_ibnetdiscover.c: it needs the reader of observed fabrics,
 * and that is why the table stands in fabric/. */
#include <string.h>

#include "plan/plan_parts.h"

#define BOTH(f) moore_plan_write_##f, moore_plan_parse_##f

static const struct moore_plan_format formats[] = {
	{ "ibsim", "fabric description that ibsim loads", BOTH(ibsim),
	  "rates, lengths, labels, cabinets, the family" },
	{ "ibnetdiscover", "what ibnetdiscover prints of a fabric", BOTH(ibnetdiscover),
	  "lengths, labels, cabinets, the family" },
	{ "dot", "Graphviz graph", BOTH(dot),
	  "GUIDs, rates, lengths, labels, cabinets, ports without a cable, the family" },
	{ "ptm", "topology.dot of the Prescriptive Topology Manager", BOTH(ptm),
	  "what dot leaves out, and switches without a cable" },
	{ "csv", "cable list, one cable or endpoint on a line", BOTH(csv),
	  "GUIDs, rates, cabinets, ports and switches without a cable, the family" },
	{ "opa", "link list of Omni-Path's opaxlattopology", BOTH(opa),
	  "GUIDs, rates, units, the floor, ports and switches without a cable, the family" },
	{ "slurm", "topology.conf of Slurm, one switch above all that have endpoints", BOTH(slurm),
	  "all but which node is at which switch" },
};

const struct moore_plan_format *
moore_plan_format_at(size_t i)
{
	return i < ARRAY_LEN(formats) ? &formats[i] : NULL;
}

const struct moore_plan_format *
moore_plan_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}
