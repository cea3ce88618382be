// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mlfm.c - Multi-Layer Full-Mesh: l layers of h+1 local switches.  Each pair of columns has
 * one global switch, which stands for the link between the two columns in every layer's
 * full mesh.
 *
 * The local switch (layer, j) is linked to the h global switches of the pairs that contain
 * column j.  Two local switches of different columns share the global switch of that pair
 * of columns; two of the same column share all h of theirs.
 * Source: Kathareios et al., SC'15, section 2.2.3. */
#include "topo_build.h"

enum { H, L, P };

static int
resolve(int64_t *param, struct moore_err *err)
{
	(void)err;
	if (param[L] == MOORE_TOPO_DERIVED)
		param[L] = param[H];
	if (param[P] == MOORE_TOPO_DERIVED)
		param[P] = param[H];
	return 0;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t h = (uint64_t)param[H], l = (uint64_t)param[L], p = (uint64_t)param[P];
	const uint64_t locals = l * (h + 1);

	*out = (struct moore_topo_counts){
		.switches = locals + h * (h + 1) / 2,
		.links = locals * h,
		.endpoints = locals * p,
		.degree = (uint32_t)(h > 2 * l ? h : 2 * l),
		.radix = (uint32_t)(h + p > 2 * l ? h + p : 2 * l),
	};
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t columns = (uint32_t)param[H] + 1, layers = (uint32_t)param[L];
	moore_swid global = layers * columns;
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < layers * columns; i++)
		moore_topo_draft_switch(&d, i, (uint16_t)param[P], "l%u-%u",
					i / columns, i % columns);
	for (uint32_t a = 0; a < columns; a++) {
		for (uint32_t b = a + 1; b < columns; b++, global++) {
			moore_topo_draft_switch(&d, global, 0, "g%u-%u", a, b);
			for (uint32_t layer = 0; layer < layers; layer++) {
				moore_topo_draft_join(&d, layer * columns + a, global);
				moore_topo_draft_join(&d, layer * columns + b, global);
			}
		}
	}
	return moore_topo_draft_finish(&d, err);
}

const struct moore_topo_family moore_topo_mlfm = {
	.name = "mlfm",
	.title = "Multi-Layer Full-Mesh",
	.source = "Kathareios et al., SC'15, section 2.2.3",
	.param = {
		[H] = { .key = "h", .min = 2, .max = MOORE_PORT_MAX, .required = true,
			.help = "links of a local switch, one less than the local switches of a layer" },
		[L] = { .key = "l", .min = 1, .max = MOORE_PORT_MAX / 2,
			.dflt = MOORE_TOPO_DERIVED,
			.help = "layers, half the links of a global switch (default: h)" },
		[P] = { .key = "p", .endpoints = true, .min = 0, .max = MOORE_PORT_MAX, .dflt = MOORE_TOPO_DERIVED,
			.help = "endpoints on each local switch (default: h)" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
};
