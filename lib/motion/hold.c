// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hold.c - finds the dependencies of many LIDs side by side.
 *
 * What a LID holds does not depend on other LIDs as long as the order of the channels is not
 * looked at.  So each worker has cells of its own, and at the end they are united. */
#include <string.h>

#include "base/jobs.h"
#include "motion_impl.h"

#define COPIES_BYTES ((size_t)64 << 20)	/* for the cells of workers, if there are over two */

int
moore_mo_holders_init(struct moore_mo_build *b)
{
	const struct moore_jobs *jobs = b->net.o->jobs;
	unsigned n = moore_jobs_width(jobs, b->held->lft->stride / MOORE_LFT_BLOCK);
	struct moore_arena *a = &b->tmp;

	while (n > 2 && n * b->n_cells * sizeof(*b->base) > COPIES_BYTES)
		n--;
	b->n_holders = n;
	if (!(b->holder = moore_arena_alloc(a, n, sizeof(*b->holder))))
		return moore_fail_nomem(b->err);
	for (unsigned i = 0; i < n; i++) {
		struct moore_mo_holder *h = &b->holder[i];
		int rc;

		h->cells = (struct moore_mo_order){ .n = &b->net };
		if (!(h->cells.held = moore_arena_alloc(a, b->n_cells, sizeof(*h->cells.held))) ||
		    !(h->block = moore_arena_alloc(a, b->net.n_sw + 1u, sizeof(*h->block))) ||
		    !(h->row = moore_arena_alloc(a, b->net.n_sw + 1u, 1)))
			return moore_fail_nomem(b->err);
		if ((rc = moore_mo_ways_init(&h->ways, &b->net, &h->cells, b->net.n_sw, a, b->err)) < 0)
			return rc;
	}
	return 0;
}

void
moore_mo_hold_side_by_side(struct moore_mo_build *b, size_t n,
			   void (*job)(void *arg, unsigned worker, size_t i), void *arg)
{
	for (unsigned i = 0; i < b->n_holders; i++)
		memset(b->holder[i].cells.held, 0, b->n_cells * sizeof(*b->base));
	moore_jobs_run(b->net.o->jobs, b->n_holders, n, job, arg);
	for (unsigned i = 0; i < b->n_holders; i++)
		for (size_t c = 0; c < b->n_cells; c++)
			b->order.held[c] |= b->holder[i].cells.held[c];
}
