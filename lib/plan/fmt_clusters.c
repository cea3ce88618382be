// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_clusters.c - writes a plan for Graphviz to draw: switches alone, and each cabinet as a cluster.
 *
 * Graphviz joins subgraphs of one name, so every switch names its own.  Names of switches hold no quote or
 * backslash (moore_plan_check()); those of cabinets may. */
#include "plan_parts.h"

static void
put_quoted(struct moore_buf *b, const char *before, const char *s)
{
	moore_buf_fmt(b, "\"%s", before);
	for (; *s; s++)
		moore_buf_fmt(b, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
	moore_buf_fmt(b, "\"");
}

int
moore_plan_write_clusters(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	moore_buf_fmt(out, "graph moore {\n\tnode [shape=point];\n");
	for (uint32_t i = 0; i < p->n_cabinets; i++) {
		moore_buf_fmt(out, "\tsubgraph ");
		put_quoted(out, "cluster_", p->cabinet[i].name);
		moore_buf_fmt(out, " { label=");
		put_quoted(out, "", p->cabinet[i].name);
		moore_buf_fmt(out, "; }\n");
	}
	for (uint32_t i = 0; i < p->n_switches; i++) {
		if (p->sw[i].cabinet) {
			moore_buf_fmt(out, "\tsubgraph ");
			put_quoted(out, "cluster_", p->sw[i].cabinet);
			moore_buf_fmt(out, " { \"%s\"; }\n", p->sw[i].name);
		} else {
			moore_buf_fmt(out, "\t\"%s\";\n", p->sw[i].name);
		}
	}
	for (uint32_t i = 0; i < p->n_cables; i++)
		moore_buf_fmt(out, "\t\"%s\" -- \"%s\";\n", p->sw[p->cable[i].sw[0]].name,
			      p->sw[p->cable[i].sw[1]].name);
	moore_buf_fmt(out, "}\n");
	return moore_plan_written(out, err);
}
