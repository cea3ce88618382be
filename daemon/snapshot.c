// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* snapshot.c - frees snapshots, which count their owners, and the polls that hold them. */
#include <stdlib.h>

#include "scan/scanner.h"

void
snapshot_put(struct snapshot *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	moore_plan_free(s->seen);
	moore_fabric_free(s->fabric);
	moore_lft_free(s->lft);
	moore_sl2vl_free(s->sl2vl);
	moore_mft_free(s->mft);
	free(s);
}

void
poll_free(struct poll *p)
{
	if (!p)
		return;
	snapshot_put(p->snap);
	free(p->port);
	free(p);
}
