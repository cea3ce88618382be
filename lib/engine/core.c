// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* core.c - a fabric without the switches that hang from it.
 *
 * A switch *hangs* if it has one neighbour, or one beside others that hang: a management switch at a
 * free port, or a chain of them.  No route between two others passes it.  With it the fabric is no
 * family's graph, and its switches are far from the others, although routes among these need not care. */
#include <stdlib.h>

#include "engine/intended.h"

#define MOST_HANGING 8u	/* at most one switch of so many hangs: a tree has no core */

struct work {
	const struct moore_fabric *from;
	moore_swid *to;		/* by switch: its number in the core, or MOORE_NONE if it hangs */
	moore_swid *list;	/* switches that hang and whose neighbour has not been looked at */
	uint32_t n_listed, n_kept;
	bool has_hosts;
};

/* The only neighbour of s among the switches that do not hang, or MOORE_NONE if there is none or another
 * one. */
static moore_swid
only_neighbour(const struct work *w, moore_swid s)
{
	moore_swid found = MOORE_NONE;

	for (unsigned p = 1; p <= w->from->sw[s].n_ports; p++) {
		const struct moore_port *q = moore_fabric_port(w->from, s, (moore_portnum)p);

		if (q->role != MOORE_ROLE_SWITCH || q->peer == s || w->to[q->peer] == MOORE_NONE ||
		    q->peer == found)
			continue;
		if (found != MOORE_NONE)
			return MOORE_NONE;
		found = q->peer;
	}
	return found;
}

static void
look_at(struct work *w, moore_swid s)
{
	if (w->to[s] == MOORE_NONE || only_neighbour(w, s) == MOORE_NONE)
		return;
	w->list[w->n_listed++] = s;
}

/* Finds the switches that hang, and numbers the others. */
static void
find_hanging(struct work *w)
{
	for (moore_swid s = 0; s < w->from->n_switches; s++)
		look_at(w, s);
	while (w->n_listed) {
		const moore_swid s = w->list[--w->n_listed], next = only_neighbour(w, s);

		if (w->to[s] == MOORE_NONE || next == MOORE_NONE)
			continue;
		w->to[s] = MOORE_NONE;
		look_at(w, next);
	}
	for (moore_swid s = 0; s < w->from->n_switches; s++)
		if (w->to[s] != MOORE_NONE)
			w->to[s] = w->n_kept++;
	for (moore_epid e = 0; e < w->from->n_endpoints; e++) {
		const moore_swid s = w->from->ep[e].sw;

		w->has_hosts |= s != MOORE_NONE && w->to[s] != MOORE_NONE;
	}
}

int
moore_intended_core(struct moore_fabric **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct work w = { .from = f };
	int rc = 0;

	*out = NULL;
	w.to = calloc(f->n_switches + (size_t)1, sizeof(*w.to));
	w.list = malloc((2 * (size_t)f->n_switches + 1) * sizeof(*w.list));
	if (!w.to || !w.list) {
		rc = moore_fail_nomem(err);
	} else {
		find_hanging(&w);
		if (w.n_kept < f->n_switches && (f->n_switches - w.n_kept) * MOST_HANGING <= f->n_switches &&
		    w.has_hosts)
			rc = moore_intended_renumber(out, f, w.to, err);
	}
	free(w.to);
	free(w.list);
	return rc;
}
