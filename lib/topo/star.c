// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* star.c - star products, and the Paley graph as the inner one. */
#include <stdlib.h>

#include "topo/star.h"

int
moore_star_inner_new(struct moore_star_inner *in, uint32_t n, uint32_t degree, struct moore_err *err)
{
	*in = (struct moore_star_inner){ n, degree, calloc((size_t)n * n + 1, 1),
					 calloc((size_t)n + 1, sizeof(*in->image)) };
	return in->linked && in->image ? 0 : moore_fail_nomem(err);
}

void
moore_star_inner_free(struct moore_star_inner *in)
{
	free(in->linked);
	free(in->image);
}

int
moore_star_paley(struct moore_star_inner *in, uint32_t order, struct moore_err *err)
{
	struct moore_gf *f = NULL;
	int rc;

	if ((rc = moore_star_inner_new(in, order, (order - 1) / 2, err)) < 0 ||
	    (rc = moore_gf_new(&f, order, err)) < 0)
		return rc;
	for (uint32_t y = 0; y < order; y++) {
		in->image[y] = (uint16_t)moore_gf_mul(f, y, f->generator);
		for (uint32_t root = 1; root < order; root++)
			in->linked[(size_t)y * order +
				   moore_gf_add(f, y, moore_gf_mul(f, root, root))] = 1;
	}
	moore_gf_free(f);
	return 0;
}

void
moore_star_fill(struct moore_topo_draft *d, const struct moore_topo *outer,
		const struct moore_star_inner *in, uint16_t endpoints)
{
	for (uint32_t x = 0; x < outer->n_switches; x++)
		for (uint32_t y = 0; y < in->n; y++) {
			moore_topo_draft_switch(d, x * in->n + y, endpoints, "%s-%u", outer->name[x], y);
			for (uint32_t z = y + 1; z < in->n; z++)
				if (in->linked[(size_t)y * in->n + z])
					moore_topo_draft_join(d, x * in->n + y, x * in->n + z);
		}
	for (uint32_t l = 0; l < outer->n_links; l++)
		for (uint32_t y = 0; y < in->n; y++)
			moore_topo_draft_join(d, outer->link[l].a * in->n + y,
					      outer->link[l].b * in->n + in->image[y]);
}
