// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sl_sets.c - the SLs that sources may use under profile sl-hint, from the tables that are
 * right for each route (docs/theory.md, section 7). */
#include <stdlib.h>

#include "route/build.h"

#define ALL ((1 << MOORE_N_HINTS) - 1)

uint8_t
moore_route_right(const struct moore_route *r, moore_lid slid, moore_lid dlid)
{
	size_t n = r->lft->stride;
	uint8_t both = 0;

	if (r->all_right)
		return ALL;
	if (r->right && slid < n && dlid < n && r->at[slid] != MOORE_NONE &&
	    r->at[dlid] != MOORE_NONE)
		both = r->right[r->at[slid] * n + dlid] & r->right[r->at[dlid] * n + slid];
	return both ? both : 1 << MOORE_HINT_A;
}

/* Fills back[d * n + s] with the tables that are right from d to some LID at s. */
static void
note_back(const struct moore_route *r, uint8_t *back)
{
	size_t n = r->seen->n_switches, stride = r->lft->stride;
	const moore_swid *at = r->at;

	for (size_t d = 0; d < n; d++) {
		const uint8_t *right = r->right + d * stride;

		for (size_t lid = 1; lid < stride; lid++)
			if (at[lid] != MOORE_NONE)
				back[d * n + at[lid]] |= right[lid];
	}
}

/* The row of switch s: tables right there and back, which are all of them if lanes do not follow
 * the SL; table A also for groups (LID 0), base LIDs and the LIDs of switches. */
static void
fill_row(const struct moore_route *r, const uint8_t *back, struct moore_sl_set *t,
	 const struct moore_lid_owner *own, uint32_t s)
{
	uint16_t *row = moore_sl_set_row(t, s);

	row[0] = 1 << MOORE_HINT_A;
	for (size_t lid = 1; lid < t->stride; lid++) {
		if (own[lid].sw == MOORE_NONE)
			continue;
		row[lid] = r->all_right ? ALL : back[(size_t)own[lid].sw * r->seen->n_switches + s] &
			r->right[s * r->lft->stride + lid];
		if (!own[lid].offset || own[lid].ep == MOORE_NONE)
			row[lid] |= 1 << MOORE_HINT_A;
	}
}

int
moore_route_sl_set(const struct moore_route *r, struct moore_sl_set **out, struct moore_err *err)
{
	struct moore_lid_owner *own = NULL;
	struct moore_sl_set *t = NULL;
	size_t n = r->seen->n_switches;
	uint8_t *back = calloc(n * n + 1, 1);
	int rc;

	*out = NULL;
	if (!back) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = moore_fabric_lids(r->seen, &own, err)) < 0 ||
	    (rc = moore_sl_set_new(&t, r->seen->n_switches, r->seen->lid_top, err)) < 0)
		goto out;
	if (r->right)
		note_back(r, back);
	for (uint32_t s = 0; (r->right || r->all_right) && s < n; s++)
		fill_row(r, back, t, own, s);
	*out = t;
	t = NULL;
out:
	moore_sl_set_free(t);
	free(own);
	free(back);
	return rc;
}
