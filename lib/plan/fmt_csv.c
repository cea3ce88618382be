// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_csv.c - a plan as a cable list (RFC 4180 quoting, lines end in LF).
 * Node b of an endpoint's row is its CA. */
#include <string.h>

#include "plan_parts.h"

static void
put_field(struct moore_buf *b, const char *s)
{
	if (!s || !s[strcspn(s, ",\"\r\n")]) {
		moore_buf_fmt(b, "%s", s ? s : "");
		return;
	}
	moore_buf_fmt(b, "\"");
	for (; *s; s++)
		moore_buf_fmt(b, "%s%c", *s == '"' ? "\"" : "", *s);
	moore_buf_fmt(b, "\"");
}

static void
put_row(struct moore_buf *b, const char *kind, const char *const node[2], const moore_portnum *port)
{
	moore_buf_fmt(b, "%s", kind);
	for (int k = 0; k < 2; k++) {
		moore_buf_fmt(b, ",");
		put_field(b, node[k]);
		moore_buf_fmt(b, ",%u", port[k]);
	}
	moore_buf_fmt(b, ",");
}

int
moore_plan_write_csv(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);

	if (rc < 0)
		return rc;
	moore_buf_fmt(out, "kind,a_switch,a_port,b_node,b_port,length_m,label\n");
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const struct moore_plan_cable *c = &p->cable[i];

		put_row(out, "cable", (const char *const[2]){ p->sw[c->sw[0]].name,
			p->sw[c->sw[1]].name }, c->port);
		if (c->length > 0)
			moore_plan_put_metres(out, c->length);
		moore_buf_fmt(out, ",");
		put_field(out, c->label);
		moore_buf_fmt(out, "\n");
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &p->ep[i];

		put_row(out, "endpoint", (const char *const[2]){ p->sw[e->sw].name, e->name },
			(const moore_portnum[2]){ e->port, e->ca_port });
		moore_buf_fmt(out, ",\n");
	}
	return moore_plan_written(out, err);
}
