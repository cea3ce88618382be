// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* publish.c - copies LFT rows into OpenSM's new_lft.  OpenSM has filled new_lft with
 * OSM_NO_PATH, and afterwards sends each block that differs from its copy lft. */
#include "plugin.h"

void
mplug_publish(const struct mplug_view *v, const struct moore_lft *lft)
{
	for (moore_swid s = 0; s < v->f->n_switches; s++) {
		osm_switch_t *sw = v->sw[s];
		size_t n = (size_t)sw->max_lid_ho + 1;

		if (n > lft->stride)
			n = lft->stride;
		memcpy(sw->new_lft, moore_lft_row(lft, s), n);
		/* Rows are whole blocks of 64 LIDs; the LIDs past the last one stay no-path. */
	}
}

void
mplug_publish_count(const struct mplug_view *v, size_t *changed, size_t *total)
{
	*changed = *total = 0;
	for (moore_swid s = 0; s < v->f->n_switches; s++) {
		const osm_switch_t *sw = v->sw[s];
		size_t blocks = sw->max_lid_ho / (size_t)IB_SMP_DATA_SIZE + 1;

		for (size_t b = 0; b < blocks; b++)
			*changed += memcmp(sw->new_lft + b * IB_SMP_DATA_SIZE,
					   sw->lft + b * IB_SMP_DATA_SIZE,
					   IB_SMP_DATA_SIZE) != 0;
		*total += blocks;
	}
}
