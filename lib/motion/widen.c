// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* widen.c - gives rows further values, each on a route of as many hops as the first.
 *
 * A value is added to the mixture of its LID as a step adds one (flip.c), and is taken back if
 * the dependencies of all LIDs together would close a cycle.  No mixture can loop, since every
 * value leads to a switch that is one hop nearer to the LID.
 *
 * A switch sends to its values by a hash, so their order does not matter.  The ports after that
 * of the first value are tried first: the first values of the LIDs of a fabric are spread over
 * the ports of a switch, and so the further ones are, too. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "motion_impl.h"

#define FAR UINT32_MAX

struct widen {
	struct moore_mo_net net;
	struct moore_mo_order order;
	struct moore_mo_ways ways;	/* of one LID: its rows and what was added */
	const struct moore_lft *lft;
	struct moore_lid_owner *own;
	unsigned n_max;
	uint8_t *row;			/* of each switch, for one LID */
	uint32_t *hops;			/* of each switch, or FAR */
	moore_swid *near;		/* the switches that reach the LID, the nearest first */
	struct moore_row *more;
	uint32_t n_more, cap_more;
	struct moore_arena tmp;
	struct moore_err *err;
};

static void
load_rows(struct widen *w, moore_lid lid)
{
	for (moore_swid s = 0; s < w->net.n_sw; s++)
		w->row[s] = moore_lft_row(w->lft, s)[lid];
}

static int
prepare(struct widen *w)
{
	uint32_t n = w->net.n_sw, cap = n * (w->n_max + 1);
	struct moore_arena *a = &w->tmp;
	int rc;

	if ((rc = moore_mo_order_init(&w->order, &w->net, a, w->err)) < 0 ||
	    (rc = moore_mo_ways_init(&w->ways, &w->net, &w->order, cap, a, w->err)) < 0 ||
	    (rc = moore_fabric_lids(w->net.f, &w->own, w->err)) < 0)
		return rc;
	if (!(w->row = moore_arena_alloc(a, n + 1u, sizeof(*w->row))) ||
	    !(w->hops = moore_arena_alloc(a, n + 1u, sizeof(*w->hops))) ||
	    !(w->near = moore_arena_alloc(a, n + 1u, sizeof(*w->near))))
		return moore_fail_nomem(w->err);
	for (unsigned lid = 1; lid <= w->net.f->lid_top; lid++) {
		load_rows(w, (moore_lid)lid);
		moore_mo_ways_hold(&w->ways, (moore_lid)lid, w->row);
	}
	return moore_mo_sort(&w->order) ? 0 :
		moore_fail(w->err, MOORE_EUNSAFE, 0, "the routes themselves can deadlock on these lanes");
}

/* Sets up the mixture of a LID, which has one value for each row, and hops[] and near[].  Returns
 * the number of switches that reach the LID. */
static uint32_t
plant(struct widen *w, moore_lid lid)
{
	uint32_t n = 0;

	load_rows(w, lid);
	moore_mo_ways_clear(&w->ways, lid);
	for (moore_swid s = 0; s < w->net.n_sw; s++) {
		moore_mo_ways_add(&w->ways, s, w->row[s], false);
		w->hops[s] = FAR;
	}
	moore_mo_ways_fill(&w->ways);
	w->hops[w->own[lid].sw] = 0;
	w->near[n++] = w->own[lid].sw;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = w->ways.in[w->near[i]]; k != MOORE_NONE; k = w->ways.way[k].in) {
			moore_swid s = w->ways.way[k].from;

			if (w->hops[s] != FAR)
				continue;
			w->hops[s] = w->hops[w->near[i]] + 1;
			w->near[n++] = s;
		}
	return n;
}

/* Adds values to the row of switch s.  Returns false when memory is out. */
static bool
widen_row(struct widen *w, moore_lid lid, moore_swid s)
{
	unsigned n_ports = w->net.f->sw[s].n_ports, n = 1;

	for (unsigned k = 0; k + 1 < n_ports && n < w->n_max; k++) {
		uint8_t port = (uint8_t)((w->row[s] + k) % n_ports + 1);
		uint32_t to = w->net.next[w->net.f->sw[s].port0 + port];
		struct moore_row *more;

		if (to == MOORE_NONE || w->hops[to] != w->hops[s] - 1 ||
		    !moore_mo_ways_flip(&w->ways, s, port)) {
			if (w->order.oom)
				return false;
			continue;
		}
		if (!(more = moore_grow(w->more, w->n_more, &w->cap_more, sizeof(*more))))
			return false;
		w->more = more;
		more[w->n_more++] = (struct moore_row){ s, lid, port };
		n++;
	}
	return true;
}

static int
widen(struct widen *w, const uint64_t *lids)
{
	for (unsigned lid = 1; lid <= w->net.f->lid_top; lid++) {
		uint32_t n;

		if (!moore_bits_get(lids, lid) || w->own[lid].sw == MOORE_NONE)
			continue;
		n = plant(w, (moore_lid)lid);
		for (uint32_t i = 1; i < n; i++)
			if (!widen_row(w, (moore_lid)lid, w->near[i]))
				return moore_fail_nomem(w->err);
	}
	return 0;
}

int
moore_motion_widen(struct moore_row **more, size_t *n_more, const struct moore_fabric *f,
		   const struct moore_lft *lft, const uint64_t *lids, unsigned n_max,
		   const struct moore_motion_opts *opts, struct moore_err *err)
{
	struct widen w = { .lft = lft, .n_max = n_max, .tmp = MOORE_ARENA_INIT, .err = err };
	int rc;

	*more = NULL;
	*n_more = 0;
	if (lft->n_switches != f->n_switches || lft->stride <= f->lid_top || !n_max ||
	    n_max > MOORE_PORT_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "LFTs: made for another fabric");
	if ((rc = moore_mo_layout(&w.net, f, opts, &w.tmp, err)) == 0 && (rc = prepare(&w)) == 0 &&
	    (rc = widen(&w, lids)) == 0) {
		*more = w.more;
		*n_more = w.n_more;
		w.more = NULL;
	}
	free(w.more);
	free(w.own);
	moore_mo_order_free(&w.order);
	moore_arena_free(&w.tmp);
	return rc;
}
