// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_graphml.c - writes a plan as GraphML (graphml.graphdrawing.org), which programs that draw or analyse
 * graphs read: all switches, endpoints and cables, with cabinets, ports, lengths and labels. */
#include "plan_parts.h"

static void
put_data(struct moore_buf *b, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	moore_buf_fmt(b, "<data key=\"%s\">", key);
	moore_buf_xml(b, value);
	moore_buf_fmt(b, "</data>");
}

static void
put_keys(struct moore_buf *b)
{
	static const struct { const char *key, *of, *type; } keys[] = {
		{ "name", "node", "string" }, { "kind", "node", "string" }, { "cabinet", "node", "string" },
		{ "port_a", "edge", "int" }, { "port_b", "edge", "int" }, { "metres", "edge", "double" },
		{ "label", "edge", "string" },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		moore_buf_fmt(b, "<key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i].key,
			      keys[i].of, keys[i].key, keys[i].type);
}

static void
put_edge(struct moore_buf *b, const char *tail, uint32_t a, unsigned port_a, const char *head, uint32_t z,
	 unsigned port_z)
{
	moore_buf_fmt(b, "<edge source=\"%s%u\" target=\"%s%u\">", tail, a, head, z);
	moore_buf_fmt(b, "<data key=\"port_a\">%u</data><data key=\"port_b\">%u</data>", port_a, port_z);
}

int
moore_plan_write_graphml(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	moore_buf_fmt(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
	put_keys(out);
	moore_buf_fmt(out, "<graph edgedefault=\"undirected\">\n");
	for (uint32_t i = 0; i < p->n_switches; i++) {
		moore_buf_fmt(out, "<node id=\"s%u\">", i);
		put_data(out, "name", p->sw[i].name);
		put_data(out, "kind", "switch");
		put_data(out, "cabinet", p->sw[i].cabinet);
		moore_buf_fmt(out, "</node>\n");
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		moore_buf_fmt(out, "<node id=\"e%u\">", i);
		put_data(out, "name", p->ep[i].name);
		put_data(out, "kind", "endpoint");
		moore_buf_fmt(out, "</node>\n");
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		put_edge(out, "s", p->ep[i].sw, p->ep[i].port, "e", i, p->ep[i].ca_port);
		moore_buf_fmt(out, "</edge>\n");
	}
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];

		put_edge(out, "s", c->sw[0], c->port[0], "s", c->sw[1], c->port[1]);
		if (c->length > 0) {
			moore_buf_fmt(out, "<data key=\"metres\">");
			moore_plan_put_metres(out, c->length);
			moore_buf_fmt(out, "</data>");
		}
		put_data(out, "label", c->label);
		moore_buf_fmt(out, "</edge>\n");
	}
	moore_buf_fmt(out, "</graph>\n</graphml>\n");
	return moore_plan_written(out, err);
}
