// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* formats.c - the text formats of other tools.
 * A new format is one file, plan/fmt_NAME.c, and one row here: BOTH(NAME, help, lost) when
 * the file defines moore_plan_write_NAME() and moore_plan_parse_NAME(), WRITE or PARSE when
 * it defines one of them.  Help, man page, completion and tests follow.
 * fmt_ibnetdiscover.c needs the reader of observed fabrics, so it and this table are in
 * fabric/. */
#include <string.h>

#include "plan/plan_parts.h"

#define FORMATS(BOTH, WRITE, PARSE) \
	BOTH(ibsim, "fabric description that ibsim loads", \
	     "rates, lengths, labels, cabinets, the family") \
	BOTH(ibnetdiscover, "what ibnetdiscover prints of a fabric", \
	     "lengths, labels, cabinets, the family") \
	BOTH(dot, "Graphviz graph", \
	     "GUIDs, rates, lengths, labels, cabinets, ports without a cable, the family") \
	BOTH(ptm, "topology.dot of the Prescriptive Topology Manager", \
	     "what dot leaves out, and switches without a cable") \
	BOTH(csv, "cable list, one cable or endpoint on a line", \
	     "GUIDs, rates, cabinets, ports and switches without a cable, the family") \
	BOTH(opa, "link list of Omni-Path's opaxlattopology", \
	     "GUIDs, rates, units, the floor, ports and switches without a cable, the family") \
	BOTH(slurm, "topology.conf of Slurm, one switch above all that have endpoints", \
	     "all but which node is at which switch") \
	BOTH(ibdm, "topology file of ibdm (ibdiagnet, ibtopodiff)", \
	     "GUIDs, rates, lengths, labels, cabinets, the family") \
	BOTH(netbox, "cables for NetBox's bulk import", \
	     "GUIDs, rates, cabinets, ports and switches without a cable, the family") \
	WRITE(netboxdevices, "devices for NetBox's bulk import, without maker, type and site", \
	      "all but devices, cabinets and units") \
	BOTH(nautobot, "cables for Nautobot 2, ends by the names of devices and interfaces", \
	     "GUIDs, rates, cabinets, ports and switches without a cable, the family") \
	WRITE(nautobotdevices, "devices for Nautobot 2, without maker, model and location", \
	      "all but devices, cabinets and units") \
	WRITE(slurmyaml, "topology.yaml of Slurm 25.05, a block for each cabinet or group (untested)", \
	      "all but which node is in which block") \
	WRITE(graphml, "GraphML, for programs that draw or analyse graphs", \
	      "GUIDs, rates, units, the floor, ports without a cable, the family") \
	WRITE(clusters, "Graphviz graph of the switches alone, a cluster for each cabinet", \
	      "all but switches, cabinets and which switches are joined") \
	WRITE(anynet, "network of BookSim2's topology anynet, a cycle to a link; BookSim finds the routes", \
	      "all but which endpoints and switches are joined, by number, and second cables between two switches")

#define DECLARE_WRITE(name, ...) \
	int moore_plan_write_##name(const struct moore_plan *p, struct moore_buf *out, \
				    struct moore_err *err);
#define DECLARE_PARSE(name, ...) \
	int moore_plan_parse_##name(struct moore_plan **out, const char *text, size_t len, \
				    struct moore_err *err);
#define DECLARE_BOTH(name, ...) DECLARE_WRITE(name) DECLARE_PARSE(name)
FORMATS(DECLARE_BOTH, DECLARE_WRITE, DECLARE_PARSE)

#define ROW_BOTH(name, help, lost) \
	{ #name, help, moore_plan_write_##name, moore_plan_parse_##name, lost },
#define ROW_WRITE(name, help, lost) { #name, help, moore_plan_write_##name, NULL, lost },
#define ROW_PARSE(name, help, lost) { #name, help, NULL, moore_plan_parse_##name, lost },
static const struct moore_plan_format formats[] = { FORMATS(ROW_BOTH, ROW_WRITE, ROW_PARSE) };

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
