// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_dot.c - a plan as a Graphviz graph: port numbers at both ends of an edge.
 * Names hold no quote or backslash, so they need no escaping. */
#include "plan_parts.h"

static void
put_edge(struct moore_buf *b, const char *tail, unsigned tail_port, const char *head,
	 unsigned head_port)
{
	moore_buf_fmt(b, "\t\"%s\" -- \"%s\" [taillabel=\"%u\", headlabel=\"%u\"];\n", tail, head,
		      tail_port, head_port);
}

int
moore_plan_write_dot(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	struct moore_plan_wiring w;
	int rc;

	if ((rc = moore_plan_wiring_init(&w, p, err)) < 0)
		return rc;
	moore_buf_fmt(out, "graph moore {\n");
	for (uint32_t i = 0; i < p->n_switches; i++)
		moore_buf_fmt(out, "\t\"%s\";\n", p->sw[i].name);
	for (uint32_t i = 0; i < w.n_cas; i++)
		moore_buf_fmt(out, "\t\"%s\" [shape=box];\n", w.ca[i].name);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		put_edge(out, p->sw[p->ep[i].sw].name, p->ep[i].port, p->ep[i].name,
			 p->ep[i].ca_port);
	for (uint32_t i = 0; i < p->n_cables; i++)
		put_edge(out, p->sw[p->cable[i].sw[0]].name, p->cable[i].port[0],
			 p->sw[p->cable[i].sw[1]].name, p->cable[i].port[1]);
	moore_buf_fmt(out, "}\n");
	moore_plan_wiring_fini(&w);
	return moore_plan_written(out, err);
}
