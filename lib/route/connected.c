// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* connected.c - which switches links connect, and why a tree may not reach them all. */
#include <string.h>

#include "route/build.h"

/* Appends to queue[] (which holds s) all nodes connected to it that are not marked. */
static uint32_t
list_component(const struct moore_rview *v, uint32_t s, uint32_t *mark, uint32_t *queue)
{
	const struct moore_rgraph *g = v->g;
	uint32_t n = 0;

	mark[s] = 1;
	queue[n++] = s;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t e = g->xadj[queue[i]]; e < g->xadj[queue[i] + 1]; e++)
			if (g->flags[e] & v->flag && !mark[g->to[e]]) {
				mark[g->to[e]] = 1;
				queue[n++] = g->to[e];
			}
	return n;
}

static void
count_connected(const struct moore_rview *v, uint32_t *n_connected, uint32_t *queue)
{
	memset(n_connected, 0, v->g->n * sizeof(*n_connected));
	for (uint32_t s = 0; s < v->g->n; s++) {
		uint32_t n;

		if (n_connected[s])
			continue;
		n = list_component(v, s, n_connected, queue);
		for (uint32_t i = 0; i < n; i++)
			n_connected[queue[i]] = n;
	}
}

void
moore_rbuild_connect(struct moore_rbuild *b)
{
	count_connected(&b->planned, b->n_connected, b->tree.queue);
	count_connected(&b->up, b->n_connected_up, b->tree.queue);
}

/* Of the switches that cannot map SLs, names the one with the most neighbours: nothing else
 * but too long a route can leave a connected switch unreached. */
int
moore_rbuild_fail_unreachable(const struct moore_rbuild *b, uint32_t root, struct moore_err *err)
{
	const struct moore_rgraph *g = &b->r->g;
	const struct moore_fabric *f = b->r->seen;
	uint32_t worst = MOORE_NONE, most = 0;

	for (uint32_t s = 0; s < g->n; s++)
		if (!g->transit[s] && g->xadj[s + 1] - g->xadj[s] > most) {
			worst = s;
			most = g->xadj[s + 1] - g->xadj[s];
		}
	if (worst != MOORE_NONE)
		return moore_fail(err, MOORE_EUNREACH, 0,
				  "switch \"%s\" (0x%016llx) cannot map SLs to VLs but other switches "
				  "are reached only through it: move it to the edge, or replace it",
				  f->sw[g->sw_of[worst]].name,
				  (unsigned long long)f->sw[g->sw_of[worst]].guid);
	worst = g->sw_of[root];
	return moore_fail(err, MOORE_EUNREACH, 0, "switch \"%s\" is not within %u hops of every switch it is "
			  "connected to, and routes have no more: shorten the way between them with cables",
			  worst != MOORE_NONE ? f->sw[worst].name : "(missing, but planned)", MOORE_LEN_MAX);
}
