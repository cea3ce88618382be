// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* columns.c - lists every LID with its tree, and counts the LIDs that share one.
 *
 * Minimal slices come first and layers last, since layers heed the loads of all that is
 * minimal.  Under any-sl the hosts of a switch take the variants of a layer in turn. */
#include <stdlib.h>
#include <string.h>

#include "route/columns.h"
#include "route/tuning.h"
#include "route/turns/turns.h"

#define LAYERS ((uint32_t)1 << 31)	/* in `trees`: a variant of a layer, not a slice */

/* Returns 1 where a few trees of a layer are enough, as all of them together spread the load: some switches
 * have no hosts, and these are middle switches, or those with hosts are not all near.  Otherwise 0.
 * -MOORE_ENOMEM. */
static int
need_few_trees(const struct moore_rgraph *g)
{
	const bool some_bare = memchr(g->is_source, 0, g->n);
	uint32_t *mark;
	bool near;

	if (!some_bare || moore_rhalves_exist(g))
		return some_bare;
	if (!(mark = malloc(g->n * sizeof(*mark))))
		return -MOORE_ENOMEM;
	near = moore_rgraph_is_near(g, 0, mark);
	free(mark);
	return !near;
}

/* Sets c->folded.  -MOORE_ENOMEM. */
static int
find_folded(struct moore_rcolumns *c, const struct moore_rgraph *g)
{
	uint32_t *scratch = malloc(4 * ((size_t)g->n + 1) * sizeof(*scratch));

	if (!scratch)
		return -MOORE_ENOMEM;
	c->folded = moore_rgraph_is_folded(g, scratch);
	free(scratch);
	return 0;
}

/* Finds what trees layers take, if any.  Returns whether few are enough.  -MOORE_ENOMEM. */
static int
choose_trees(struct moore_rcolumns *c, const struct moore_rgraph *g)
{
	if (c->folded) {
		c->minimal = true;
		c->hinted = false;
		return 1;
	}
	if (moore_rmiddles_find(&c->middles, g) < 0)
		return -MOORE_ENOMEM;
	c->own_trees = c->middles.lines || c->middles.paired;
	c->hinted &= !c->middles.among_leaves;
	return c->own_trees ? 1 : need_few_trees(g);
}

/* Where few trees are not enough, each host of a switch has trees of its own if that stays within a
 * bound, since they give a pair more first and last links. */
static uint32_t
count_variants(const struct moore_rcolumns *c, const struct moore_rgraph *g,
	       const struct moore_fabric *intended, bool few)
{
	uint64_t n_switches = intended ? intended->n_switches : g->n, n, least = 0, most;

	/* Under sl-hint each host keeps trees of its own where few would be enough under any-sl, and where routes
	 * have four hops: few links lead to the gate of such a tree, and with fewer trees these would stand out. */
	if (c->hinted && (few || c->longest))
		return c->n_places + !c->n_places;
	if (few) {
		n = MOORE_TREES_OF_LAYER / (n_switches + 1);
		most = MOORE_MAX_VARIANTS;
	} else {
		n = c->n_offsets > 2 ? MOORE_TREE_NODES : MOORE_TREE_NODES_ONE_LAYER;
		n /= (n_switches * n_switches + 1) * c->n_offsets;
		least = c->n_offsets > 2 ? 0 : MOORE_TREES_ONE_LAYER;
		most = c->n_places;
	}
	n = n < least ? least : n;
	n = n > most ? most : n;
	return n < MOORE_MIN_VARIANTS ? MOORE_MIN_VARIANTS : (uint32_t)n;
}

static uint32_t
trees_of(const struct moore_rcolumns *c, const struct moore_rcolumn *col)
{
	const uint32_t variant = moore_rcolumn_variant(c, col);

	if (!moore_rcolumn_in_layer(col))
		return moore_rcolumn_slice(c, col);
	if (c->hinted)
		return (MOORE_PLACE_HOST + variant) * c->n_offsets + col->offset;
	if (c->own_trees)
		return LAYERS;
	return LAYERS + variant * c->n_offsets + col->offset;
}

static int
by_trees(const void *a, const void *b)
{
	const struct moore_rcolumn *x = a, *y = b;

	if (x->trees != y->trees)
		return x->trees < y->trees ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->lid < y->lid ? -1 : x->lid > y->lid;
}

/* Whether layers have no trees of root: it is a middle switch beside leaves. */
static bool
has_no_layer(const struct moore_rcolumns *c, const struct moore_rgraph *g, uint32_t root)
{
	return !g->is_source[root] && !c->hinted;
}

/* Returns the place j of the host at a port of root.  Hosts of middle switches beside leaves have one place,
 * whatever the port, so that they need no slices that leaves do not have. */
static uint32_t
place_of(const struct moore_rcolumns *c, const struct moore_rgraph *g, uint32_t root, moore_portnum port)
{
	return has_no_layer(c, g, root) ? 0 : moore_rgraph_host_place(g, root, port);
}

/* The same for a host that is seen.  If it does not count, it takes the place of one that does, so that
 * other hosts keep their trees. */
static uint32_t
place_of_seen(const struct moore_rcolumns *c, const struct moore_rgraph *g, uint32_t root, moore_portnum port)
{
	const uint8_t *hosts = c->hosts + (size_t)root * c->n_places;
	uint32_t place = place_of(c, g, root, port), n = 0, nth;

	if (place < c->n_places && hosts[place])
		return place;
	for (uint32_t j = 0; j < c->n_places; j++)
		n += hosts[j];
	if (!n)
		return place;	/* no layer has trees for it */
	nth = place % n;
	for (place = 0; !hosts[place] || nth--;)
		place++;
	return place;
}

/* Adds the LIDs of one port; first is the column of its base LID. */
static void
add_columns(struct moore_rcolumns *c, struct moore_rcolumn first, uint8_t lmc)
{
	for (uint32_t o = 0; first.lid && o < 1u << lmc; o++) {
		struct moore_rcolumn col = first;

		col.offset = o;
		col.minimal = first.minimal || c->minimal;
		col.lid = (moore_lid)(first.lid + o);
		col.trees = trees_of(c, &col);
		c->col[c->n++] = col;
	}
}

uint32_t
moore_rcolumns_offsets(const struct moore_fabric *f)
{
	uint8_t lmc = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		lmc = f->sw[s].lmc > lmc ? f->sw[s].lmc : lmc;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		lmc = f->ep[e].lmc > lmc ? f->ep[e].lmc : lmc;
	return 1u << lmc;
}

static int
alloc_columns(struct moore_rcolumns *c, const struct moore_fabric *f, struct moore_err *err)
{
	size_t n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		n += (size_t)1 << f->sw[s].lmc;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		n += (size_t)1 << f->ep[e].lmc;
	c->n_offsets = moore_rcolumns_offsets(f);
	c->col = calloc(n + 1, sizeof(*c->col));
	return c->col ? 0 : moore_fail_nomem(err);
}

static void
list_columns(struct moore_rcolumns *c, const struct moore_rgraph *g, const struct moore_fabric *f)
{
	for (moore_swid s = 0; s < f->n_switches; s++) {
		uint32_t root = g->node_of[s];

		add_columns(c, (struct moore_rcolumn){ .root = root, .lid = f->sw[s].lid,
			    .place = g->is_source[root] ? MOORE_PLACE_WITH_HOSTS :
			    MOORE_PLACE_WITHOUT }, f->sw[s].lmc);
	}
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];
		uint32_t root;

		if (ep->sw == MOORE_NONE)
			continue;
		root = g->node_of[ep->sw];
		add_columns(c, (struct moore_rcolumn){ .root = root, .lid = ep->lid,
			    .last = ep->port, .place = MOORE_PLACE_HOST + place_of_seen(c, g, root, ep->port),
			    .minimal = has_no_layer(c, g, root) }, ep->lmc);
	}
	qsort(c->col, c->n, sizeof(*c->col), by_trees);
}

static bool
list_slices(struct moore_rcolumns *c)
{
	if (!(c->slice = calloc(c->n + 1, sizeof(*c->slice))))
		return false;
	for (size_t i = 0; i < c->n; i++) {
		if (i && c->col[i].trees == c->col[i - 1].trees)
			continue;
		c->slice[c->n_slices++] = i;
		c->n_minimal += !moore_rcolumn_in_layer(&c->col[i]);
	}
	c->slice[c->n_slices] = c->n;
	return true;
}

/* ---- where hosts are ---------------------------------------------------------------- */

/* The node of f's endpoint e, or MOORE_NONE when it has no link; node_of is NULL for the
 * intended fabric, whose switches are nodes. */
static uint32_t
host_node(const struct moore_fabric *f, moore_epid e, const uint32_t *node_of)
{
	if (f->ep[e].sw == MOORE_NONE || !node_of)
		return f->ep[e].sw;
	return node_of[f->ep[e].sw];
}

/* Finds the greatest place of a host of f; or marks every host in hosts[], once that is allocated.  With
 * but[], hosts at switches with a mark there do not count, nor those that no layer has trees for. */
static void
scan_hosts(struct moore_rcolumns *c, const struct moore_rgraph *g, const struct moore_fabric *f,
	   const uint32_t *node_of, const uint32_t *but)
{
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		uint32_t s = host_node(f, e, node_of), j;

		if (s == MOORE_NONE || (but && (but[s] || has_no_layer(c, g, s))))
			continue;
		j = place_of(c, g, s, f->ep[e].port);
		if (c->hosts)
			c->hosts[(size_t)s * c->n_places + j] = 1;
		else if (j >= c->n_places)
			c->n_places = j + 1;
	}
}

/* planned[] is what mark_planned() returns; NULL without an intended fabric. */
static void
scan_both(struct moore_rcolumns *c, const struct moore_rgraph *g, const struct moore_fabric *seen,
	  const struct moore_fabric *intended, const uint32_t *planned)
{
	scan_hosts(c, g, seen, g->node_of, planned);
	if (intended)
		scan_hosts(c, g, intended, NULL, NULL);
}

static void
count_hosts(const struct moore_fabric *f, const uint32_t *node_of, uint32_t *n_hosts)
{
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const uint32_t s = host_node(f, e, node_of);

		if (s != MOORE_NONE)
			n_hosts[s]++;
	}
}

/* Returns marks by node, for the caller to free: 1 where hosts are planned, and not many more are seen, so
 * that those few take the trees of the planned ones.  NULL without memory. */
static uint32_t *
mark_planned(const struct moore_rgraph *g, const struct moore_fabric *seen,
	     const struct moore_fabric *intended)
{
	uint32_t *n = calloc(2 * ((size_t)g->n + 1), sizeof(*n));	/* planned, then seen */

	if (!n)
		return NULL;
	count_hosts(intended, NULL, n);
	count_hosts(seen, g->node_of, n + g->n);
	for (uint32_t s = 0; s < g->n; s++)
		n[s] = n[s] && n[g->n + s] <= n[s] + n[s] / 2;
	return n;
}

/* Finds n_places and hosts[]. */
static int
find_hosts(struct moore_rcolumns *c, const struct moore_rgraph *g, const struct moore_fabric *seen,
	   const struct moore_fabric *intended, struct moore_err *err)
{
	uint32_t *planned = intended ? mark_planned(g, seen, intended) : NULL;

	if (intended && !planned)
		return moore_fail_nomem(err);
	scan_both(c, g, seen, intended, planned);
	if ((c->hosts = calloc((size_t)g->n * c->n_places + 1, 1)))
		scan_both(c, g, seen, intended, planned);
	free(planned);
	return c->hosts ? 0 : moore_fail_nomem(err);
}

int
moore_rcolumns_list(struct moore_rcolumns *c, const struct moore_rgraph *g,
		    const struct moore_fabric *seen, const struct moore_fabric *intended,
		    struct moore_err *err)
{
	int few = 1;

	if (alloc_columns(c, seen, err) < 0)
		return -MOORE_ENOMEM;
	if ((!c->minimal && find_folded(c, g) < 0) ||
	    (c->n_offsets > 1 && !c->minimal && (few = choose_trees(c, g)) < 0))
		return moore_fail_nomem(err);
	if (find_hosts(c, g, seen, intended, err) < 0)
		return -MOORE_ENOMEM;
	c->n_variants = count_variants(c, g, intended, few);
	list_columns(c, g, seen);
	return list_slices(c) ? 0 : moore_fail_nomem(err);
}

void
moore_rcolumns_fini(struct moore_rcolumns *c)
{
	free(c->col);
	free(c->slice);
	free(c->hosts);
	moore_rmiddles_fini(&c->middles);
	*c = (struct moore_rcolumns){ 0 };
}

void
moore_rcolumns_count_lids(const struct moore_rcolumns *c, const struct moore_rgraph *g,
			  const struct moore_rcolumn *col, uint8_t *n_lids)
{
	bool shared = moore_rcolumn_in_layer(col);
	/* Hosts that layers have trees for and others are in different slices. */
	bool apart = col->offset && !c->minimal;

	for (uint32_t s = 0; s < g->n; s++) {
		const uint8_t *hosts = c->hosts + (size_t)s * c->n_places;
		uint32_t j = col->place - MOORE_PLACE_HOST;

		if (col->place < MOORE_PLACE_HOST) {
			n_lids[s] = col->place == (g->is_source[s] ? MOORE_PLACE_WITH_HOSTS :
						   MOORE_PLACE_WITHOUT);
		} else if (apart && has_no_layer(c, g, s) != has_no_layer(c, g, col->root)) {
			n_lids[s] = 0;
		} else if (!shared) {
			n_lids[s] = hosts[j];
		} else {
			n_lids[s] = 0;
			for (j %= c->n_variants; j < c->n_places; j += c->n_variants)
				n_lids[s] = (uint8_t)(n_lids[s] + hosts[j]);
		}
	}
}
