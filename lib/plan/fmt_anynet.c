// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fmt_anynet.c - writes a plan as the network file of BookSim2's topology anynet: a line for each switch
 * with the endpoints and the switches that it is linked to, by number in the order of the plan.  A link that
 * both its ends name is one link in each direction. */
#include <stdlib.h>

#include "plan_parts.h"

struct link {
	uint32_t from, to;
	bool node;
};

static int
by_numbers(const void *x, const void *y)
{
	const struct link *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->node != b->node)
		return a->node ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

int
moore_plan_write_anynet(const struct moore_plan *p, struct moore_buf *out, struct moore_err *err)
{
	int rc = moore_plan_check(p, NULL, err);
	struct link *link;
	size_t n = 0;

	if (rc < 0)
		return rc;
	if (!(link = calloc((size_t)p->n_endpoints + 2 * (size_t)p->n_cables + 1, sizeof(*link))))
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		link[n++] = (struct link){ p->ep[i].sw, i, true };
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int end = 0; end < 2; end++)
			link[n++] = (struct link){ p->cable[i].sw[end], p->cable[i].sw[!end], false };
	qsort(link, n, sizeof(*link), by_numbers);
	for (size_t i = 0, k = 0; i < p->n_switches; i++) {
		moore_buf_fmt(out, "router %zu", i);
		for (; k < n && link[k].from == i; k++)
			moore_buf_fmt(out, " %s %u", link[k].node ? "node" : "router", link[k].to);
		moore_buf_fmt(out, "\n");
	}
	free(link);
	return moore_plan_written(out, err);
}
