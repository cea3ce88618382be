// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_lid_matrix.c - writes opensm-lid-matrix.dump for one tree.
 *
 * OpenSM takes the first port with the fewest hops towards each member of a multicast group.
 * A file that gives hops to one port alone therefore decides on the tree of every group. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "moore/dumps.h"

#define NO_HOPS 0xff

struct hops {
	uint32_t n;		/* the distance, along the tree */
	moore_portnum port;	/* the first port on the way */
};

struct walk {
	const struct moore_fabric *f;
	const uint8_t *parent_port;
	struct hops *to;	/* by switch: from the switch at hand */
	moore_swid *queue;
};

/* Whether the link at port p of s is one of the tree. */
static bool
in_tree(const struct walk *w, moore_swid s, moore_portnum p)
{
	const struct moore_port *q = moore_fabric_port(w->f, s, p);

	return q->role == MOORE_ROLE_SWITCH &&
		(w->parent_port[s] == p || w->parent_port[q->peer] == q->peer_port);
}

/* Fills to[] from s; returns how many switches it reaches. */
static uint32_t
walk_from(struct walk *w, moore_swid s)
{
	uint32_t n = 1;

	for (moore_swid d = 0; d < w->f->n_switches; d++)
		w->to[d].n = MOORE_NONE;
	w->to[s] = (struct hops){ 0, 0 };
	w->queue[0] = s;
	for (uint32_t i = 0; i < n; i++)
		for (unsigned p = 1; p <= w->f->sw[w->queue[i]].n_ports; p++) {
			moore_swid at = w->queue[i], d = moore_fabric_port(w->f, at, (moore_portnum)p)->peer;

			if (!in_tree(w, at, (moore_portnum)p) || w->to[d].n != MOORE_NONE)
				continue;
			w->to[d] = (struct hops){ w->to[at].n + 1, i ? w->to[at].port : (moore_portnum)p };
			w->queue[n++] = d;
		}
	return n;
}

/* The hops of each port up to the one that leads to d; OpenSM takes the rest for unreachable. */
static void
put_row(const struct walk *w, moore_swid d, struct moore_buf *out)
{
	const struct hops *h = &w->to[d];

	moore_buf_fmt(out, "0x%04x:", w->f->sw[d].lid);
	for (unsigned p = 0; p < h->port; p++)
		moore_buf_add(out, " ff", 3);
	moore_buf_fmt(out, " %02x\n", h->n < NO_HOPS ? h->n : NO_HOPS - 1);
}

int
moore_dump_write_lid_matrix(const struct moore_fabric *f, const uint8_t *parent_port,
			    struct moore_buf *out, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk w = { .f = f, .parent_port = parent_port,
		.to = moore_arena_alloc(&tmp, (size_t)f->n_switches + 1, sizeof(*w.to)),
		.queue = moore_arena_alloc(&tmp, (size_t)f->n_switches + 1, sizeof(*w.queue)) };

	for (moore_swid s = 0; w.to && w.queue && s < f->n_switches; s++) {
		uint32_t n = walk_from(&w, s);

		moore_buf_fmt(out, "Switch: guid 0x%016llx\n", (unsigned long long)f->sw[s].guid);
		for (uint32_t i = 0; i < n; i++)
			if (f->sw[w.queue[i]].lid)
				put_row(&w, w.queue[i], out);
	}
	if (!w.to || !w.queue)
		out->oom = true;
	moore_arena_free(&tmp);
	return out->oom ? moore_fail_nomem(err) : 0;
}
