// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* by_guid.c - a copy of a fabric with its switches in the order of their GUIDs.
 *
 * A degraded fabric can lie in its family's graph in several ways, and the switches of the graph
 * are numbered in the order of the fabric's.  The plugin lists switches by GUID; dumps and
 * captures list them in another order, and routes must be the same. */
#include <stdlib.h>

#include "engine/intended.h"

struct place {
	uint64_t guid;
	moore_swid sw;
};

static int
by_guid(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

int
moore_intended_by_guid(struct moore_fabric **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct place *at = malloc((f->n_switches + (size_t)1) * sizeof(*at));
	moore_swid *to = malloc((f->n_switches + (size_t)1) * sizeof(*to));
	int rc;

	if (at && to) {
		for (moore_swid s = 0; s < f->n_switches; s++)
			at[s] = (struct place){ f->sw[s].guid, s };
		qsort(at, f->n_switches, sizeof(*at), by_guid);
		for (moore_swid s = 0; s < f->n_switches; s++)
			to[at[s].sw] = s;
		rc = moore_intended_renumber(out, f, to, err);
	} else {
		rc = moore_fail_nomem(err);
	}
	free(at);
	free(to);
	return rc;
}
