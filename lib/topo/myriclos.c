// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* myriclos.c - Myrinet-Clos networks of 16-port switches for 32 to 4096 nodes, with 8 nodes
 * on each switch of the first tier.
 *
 * Up to 128 nodes there is one block of n/8 first-tier and n/16 second-tier switches, each
 * linked to every switch of the other tier.  From 256 nodes on, a block serves 64 nodes: it
 * has 8 first-tier switches, 8 second-tier switches and 64 uplinks, 8 from each second-tier
 * switch.  The uplinks lead to tops, each of which acts as one large switch: uplink x of
 * every block leads to top x mod (number of tops).  Up to 1024 nodes, there are n/16 tops
 * of one switch each.  Above that, there are n/128 tops, each a block of 16 third-tier and
 * 8 fourth-tier switches with 128 outer ports; uplink x of a block takes outer port (block
 * * 64 + x) / (number of tops) of its top.
 *
 * The numbers of switches, tiers and enclosures are those of Table 1.  Where the paper only
 * refers to Myricom's guide, the wiring between tiers is this file's choice.  In a block of
 * 32 or 64 nodes each link stands for 4 or 2 parallel cables.
 * Source: Fujiwara et al., "Swap-and-randomize", table 1; Myricom, "Guide to
 * Myrinet-2000 Switches". */
#include "topo_build.h"

enum { N };

#define LEAF_NODES 8
#define BLOCK_SWITCHES 16	/* 8 in each tier, for 64 nodes, in one enclosure */
#define BLOCK_LINKS 64		/* links inside a block, and equally many uplinks */
#define TOP_SWITCHES 8		/* tops of one switch in an enclosure */
#define TOP_BLOCK_SWITCHES 24	/* a top of 128 ports, in one enclosure */
#define TOP_BLOCK_LINKS 128
#define ENCLOSURES_IN_CABINET 4

static int
resolve(int64_t *param, struct moore_err *err)
{
	if (param[N] & (param[N] - 1))
		return moore_fail(err, MOORE_EINVAL, 0, "n=%lld: the nodes are a power of two, 32 to 4096",
				  (long long)param[N]);
	return 0;
}

static void
counts(const int64_t *param, struct moore_topo_counts *out)
{
	const uint64_t n = (uint64_t)param[N], blocks = n / 64;

	*out = (struct moore_topo_counts){ .endpoints = n, .degree = 16, .radix = 16 };
	if (n <= 128) {
		out->switches = n / 8 + n / 16;
		out->links = n / 8 * (n / 16);
		out->degree = (uint32_t)(n / 8);
		out->radix = n == 128 ? 16 : (uint32_t)(n / 8 > 8 + n / 16 ? n / 8 : 8 + n / 16);
	} else if (n <= 1024) {
		out->switches = blocks * BLOCK_SWITCHES + n / 16;
		out->links = blocks * 2 * BLOCK_LINKS;
	} else {
		out->switches = blocks * BLOCK_SWITCHES + n / 128 * TOP_BLOCK_SWITCHES;
		out->links = blocks * 2 * BLOCK_LINKS + n / 128 * TOP_BLOCK_LINKS;
	}
}

/* Adds a block: `low` switches from index first on, each linked to each of the `high`
 * switches after them. */
static void
add_block(struct moore_topo_draft *d, moore_swid first, uint32_t low, uint32_t high,
	  uint32_t tier, uint32_t block, uint16_t nodes)
{
	for (uint32_t i = 0; i < low; i++)
		moore_topo_draft_switch(d, first + i, nodes, "m%u-%u-%u", tier, block, i);
	for (uint32_t j = 0; j < high; j++) {
		moore_topo_draft_switch(d, first + low + j, 0, "m%u-%u-%u", tier + 1, block, j);
		for (uint32_t i = 0; i < low; i++)
			moore_topo_draft_join(d, first + i, first + low + j);
	}
}

/* The switch of the top layer that an uplink of a block leads to; the layer begins at
 * `first`. */
static moore_swid
top_of(uint32_t nodes, moore_swid first, uint32_t block, uint32_t uplink)
{
	const uint32_t n_tops = nodes <= 1024 ? nodes / 16 : nodes / 128;
	const uint32_t top = uplink % n_tops, port = (block * BLOCK_LINKS + uplink) / n_tops;

	return nodes <= 1024 ? first + top : first + top * TOP_BLOCK_SWITCHES + port / 8;
}

static void
add_tops(struct moore_topo_draft *d, uint32_t nodes, moore_swid first)
{
	if (nodes <= 1024)
		for (uint32_t i = 0; i < nodes / 16; i++)
			moore_topo_draft_switch(d, first + i, 0, "m3-%u", i);
	else
		for (uint32_t i = 0; i < nodes / 128; i++)
			add_block(d, first + i * TOP_BLOCK_SWITCHES, 16, 8, 3, i, 0);
}

static int
build(struct moore_topo *t, const int64_t *param, struct moore_err *err)
{
	const uint32_t n = (uint32_t)param[N], n_blocks = n <= 128 ? 0 : n / 64;
	const moore_swid tops = n_blocks * BLOCK_SWITCHES;
	struct moore_topo_draft d;
	int rc;

	if ((rc = moore_topo_draft_init(&d, t, err)) < 0)
		return rc;
	if (!n_blocks)
		add_block(&d, 0, n / 8, n / 16, 1, 0, LEAF_NODES);
	else
		add_tops(&d, n, tops);
	for (uint32_t b = 0; b < n_blocks; b++) {
		const moore_swid first = b * BLOCK_SWITCHES;

		add_block(&d, first, 8, 8, 1, b, LEAF_NODES);
		for (uint32_t x = 0; x < BLOCK_LINKS; x++)
			moore_topo_draft_join(&d, first + 8 + x / 8, top_of(n, tops, b, x));
	}
	return moore_topo_draft_finish(&d, err);
}

/* Four enclosures make up a cabinet, from the lowest tier to the highest (section 4.2). */
static uint32_t
cabinet(const int64_t *param, moore_swid s)
{
	const uint32_t n = (uint32_t)param[N], n_blocks = n <= 128 ? 0 : n / 64;
	const uint32_t tops = n_blocks * BLOCK_SWITCHES;

	if (!n_blocks)
		return 0;
	if (s < tops)
		return s / BLOCK_SWITCHES / ENCLOSURES_IN_CABINET;
	return (n_blocks + (s - tops) / (n <= 1024 ? TOP_SWITCHES : TOP_BLOCK_SWITCHES)) /
	       ENCLOSURES_IN_CABINET;
}

const struct moore_topo_family moore_topo_myriclos = {
	.name = "myriclos",
	.title = "Myrinet-Clos of 16-port switches",
	.source = "Fujiwara et al., TPDS 2014, table 1",
	.param = {
		[N] = { .key = "n", .min = 32, .max = 4096, .required = true,
			.help = "nodes, a power of two" },
	},
	.resolve = resolve,
	.counts = counts,
	.build = build,
	.cabinet = cabinet,
};
