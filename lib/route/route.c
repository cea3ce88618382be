// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* route.c - the sequence of routing, and the forwarding tables.
 *
 * Trees and balance are made for the intended graph.  Where the seen one
 * differs, the order is redone close to the old one and each tree repaired: so
 * the tables are a function of (intended graph, what is missing). */
#include <stdlib.h>
#include <string.h>

#include "route/hint.h"

struct moore_route {
	const struct moore_fabric *seen;
	struct moore_rgraph g;
	struct moore_rturns turns;	/* of what is up */
	struct moore_lft *lft;
	struct moore_route_stats stats;
	uint32_t *order;	/* pos, of a switch of seen */
	/* profile sl-hint: tables right from a switch to a LID, and who has the LID */
	uint8_t *right;		/* [switch * lft->stride + LID] */
	moore_swid *at;
};

struct column {			/* one LID to route */
	uint32_t trees;		/* columns of a root that agree in this share a tree */
	uint32_t slice, root;
	moore_lid lid;
	moore_portnum last;	/* port at the root */
};

struct job {			/* one build in progress */
	struct moore_route *r;
	const struct moore_fabric *intended;
	struct moore_rview planned, up;
	struct moore_rbalance balance;
	struct moore_rvaliant valiant;
	struct moore_rtree tree;
	uint32_t *n_connected, *n_connected_up;
	uint32_t *colour;	/* NULL: by the order */
	struct moore_rturns plan_turns;
	struct column *col;
	size_t n_cols;
	unsigned n_offsets;
	uint8_t *hosts;		/* [root * n_places + place]: 1 where a host is, seen or planned */
	uint32_t n_places;
	uint32_t n_variants;	/* of each layer */
	uint32_t *load;		/* of each edge; learns of repairs, which later slices must not */
	uint8_t *ports;		/* [LID * g.n + node]: the tables the other way round */
	bool parallel;		/* some neighbours have several links */
	uint8_t *present;	/* of a root: how many LIDs share its tree */
	bool repairs;
	bool hinted;		/* profile sl-hint */
	const struct moore_rkind *kind;
	struct moore_rhint hint;
};

/* How many nodes each node is joined to by links alone, itself included. */
static void
count_connected(const struct moore_rview *v, uint32_t *n_connected, uint32_t *queue)
{
	const struct moore_rgraph *g = v->g;

	memset(n_connected, 0, g->n * sizeof(*n_connected));
	for (uint32_t s = 0; s < g->n; s++) {
		uint32_t n = 0;

		if (n_connected[s])
			continue;
		n_connected[s] = 1;
		queue[n++] = s;
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t e = g->xadj[queue[i]]; e < g->xadj[queue[i] + 1]; e++)
				if (g->flags[e] & v->flag && !n_connected[g->to[e]]) {
					n_connected[g->to[e]] = 1;
					queue[n++] = g->to[e];
				}
		for (uint32_t i = 0; i < n; i++)
			n_connected[queue[i]] = n;
	}
}

/* Which switch that cannot map SLs stands in the way?  One with the most links. */
static int
fail_unreachable(const struct job *j, uint32_t root, struct moore_err *err)
{
	const struct moore_rgraph *g = &j->r->g;
	const struct moore_fabric *f = j->r->seen;
	uint32_t worst = MOORE_NONE, most = 0;

	for (uint32_t s = 0; s < g->n; s++)
		if (!g->transit[s] && g->xadj[s + 1] - g->xadj[s] > most) {
			worst = s;
			most = g->xadj[s + 1] - g->xadj[s];
		}
	if (worst != MOORE_NONE)
		return moore_fail(err, MOORE_EUNREACH, 0,
				  "switch \"%s\" (0x%016llx) cannot map SLs to VLs but other switches "
				  "are reached only through it: move it to the edge, or replace it",
				  f->sw[g->seen[worst]].name,
				  (unsigned long long)f->sw[g->seen[worst]].guid);
	return moore_fail(err, MOORE_EUNREACH, 0,
			  "switch number %u is not within %u hops of every switch it is connected to",
			  root, MOORE_LEN_MAX);
}

/* ---- the columns --------------------------------------------------------- */

/* What shares a slice, apart from the offset: the LIDs of switches with endpoints,
 * those of the others, then the hosts by their place on the switch.  So each
 * slice is one unit for each pair of switches, and is balanced for itself. */
enum { KIND_WITH_HOSTS, KIND_WITHOUT, KIND_HOST };

/* A layer is made in some variants, which the hosts of a switch take in turn.  All
 * trees of a layer together spread the load: where there are many switches, fewer
 * variants do; where every switch has hosts, more give a pair more links to begin and
 * end on (docs/benchmarks.md). */
#define TREES_OF_LAYER 1024
#define MIN_VARIANTS 2
#define MAX_VARIANTS 5

static void
count_variants(struct job *j)
{
	const struct moore_rgraph *g = &j->r->g;
	uint32_t n = TREES_OF_LAYER / ((j->intended ? j->intended->n_switches : g->n) + 1);
	uint32_t most = MAX_VARIANTS;

	if (memchr(g->weight, 0, g->n))
		most--;
	else
		n *= 2;
	j->n_variants = n < MIN_VARIANTS ? MIN_VARIANTS : n > most ? most : n;
}

/* Layers come last: they heed the loads of all that is minimal. */
#define LAYERS ((uint32_t)1 << 31)

static uint32_t
trees_of(const struct job *j, uint32_t slice)
{
	uint32_t kind = slice / j->n_offsets, offset = slice % j->n_offsets;

	if (kind < KIND_HOST || !offset || j->hinted)
		return slice;
	return LAYERS + (kind - KIND_HOST) % j->n_variants * j->n_offsets + offset;
}

static int
by_trees(const void *a, const void *b)
{
	const struct column *x = a, *y = b;

	if (x->trees != y->trees)
		return x->trees < y->trees ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->lid < y->lid ? -1 : x->lid > y->lid;
}

static void
add_columns(struct job *j, uint32_t root, uint32_t slice, moore_lid lid, uint8_t lmc,
	    moore_portnum last)
{
	for (unsigned o = 0; lid && o < 1u << lmc; o++)
		j->col[j->n_cols++] = (struct column){ trees_of(j, slice + o), slice + o, root,
						       (moore_lid)(lid + o), last };
}

static int
alloc_columns(struct job *j, struct moore_err *err)
{
	const struct moore_fabric *f = j->r->seen;
	size_t n = 0;
	uint8_t lmc = 0;

	for (moore_swid s = 0; s < f->n_switches; s++) {
		n += (size_t)1 << f->sw[s].lmc;
		lmc = f->sw[s].lmc > lmc ? f->sw[s].lmc : lmc;
	}
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		n += (size_t)1 << f->ep[e].lmc;
		lmc = f->ep[e].lmc > lmc ? f->ep[e].lmc : lmc;
	}
	j->n_offsets = 1u << lmc;
	j->col = calloc(n + 1, sizeof(*j->col));
	return j->col ? 0 : moore_fail_nomem(err);
}

static int
list_columns(struct job *j, struct moore_err *err)
{
	const struct moore_fabric *f = j->r->seen;
	const struct moore_rgraph *g = &j->r->g;

	if (alloc_columns(j, err) < 0)
		return -MOORE_ENOMEM;
	count_variants(j);
	for (moore_swid s = 0; s < f->n_switches; s++)
		add_columns(j, g->node_of[s],
			    (g->weight[g->node_of[s]] ? KIND_WITH_HOSTS : KIND_WITHOUT) * j->n_offsets,
			    f->sw[s].lid, f->sw[s].lmc, 0);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];
		uint32_t root;

		if (ep->sw == MOORE_NONE)
			continue;
		root = g->node_of[ep->sw];
		add_columns(j, root, (KIND_HOST + moore_rgraph_slot(g, root, ep->port)) * j->n_offsets,
			    ep->lid, ep->lmc, ep->port);
	}
	qsort(j->col, j->n_cols, sizeof(*j->col), by_trees);
	return 0;
}

/* The node an endpoint hangs on; MOORE_NONE when it hangs on none. */
static uint32_t
host_node(const struct job *j, const struct moore_fabric *f, moore_epid e)
{
	if (f->ep[e].sw == MOORE_NONE || f == j->intended)
		return f->ep[e].sw;
	return j->r->g.node_of[f->ep[e].sw];
}

/* Where hosts are, on the fabric seen or the intended one. */
static int
list_hosts(struct job *j, struct moore_err *err)
{
	const struct moore_fabric *both[] = { j->r->seen, j->intended };
	const struct moore_rgraph *g = &j->r->g;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < 2 && both[i]; i++)
			for (moore_epid e = 0; e < both[i]->n_endpoints; e++) {
				uint32_t s = host_node(j, both[i], e), place;

				if (s == MOORE_NONE)
					continue;
				place = moore_rgraph_slot(g, s, both[i]->ep[e].port);
				if (pass)
					j->hosts[(size_t)s * j->n_places + place] = 1;
				else if (place >= j->n_places)
					j->n_places = place + 1;
			}
		if (!pass && !(j->hosts = calloc((size_t)g->n * j->n_places + 1, 1)))
			return moore_fail_nomem(err);
	}
	return 0;
}

/* How many LIDs each root has among the columns that share trees with this one. */
static void
mark_present(struct job *j, const struct column *col)
{
	const struct moore_rgraph *g = &j->r->g;
	uint32_t kind = col->slice / j->n_offsets;

	for (uint32_t s = 0; s < g->n; s++) {
		const uint8_t *hosts = j->hosts + (size_t)s * j->n_places;
		uint32_t place = kind - KIND_HOST;

		if (kind < KIND_HOST) {
			j->present[s] = kind == (g->weight[s] ? KIND_WITH_HOSTS : KIND_WITHOUT);
			continue;
		}
		if (col->trees < LAYERS) {
			j->present[s] = hosts[place];
			continue;
		}
		j->present[s] = 0;
		for (place %= j->n_variants; place < j->n_places; place += j->n_variants)
			j->present[s] = (uint8_t)(j->present[s] + hosts[place]);
	}
}

/* ---- the tables ----------------------------------------------------------- */

static uint8_t
edge_port(const struct moore_rgraph *g, uint32_t e, uint32_t key)
{
	uint32_t n = g->xpar[e + 1] - g->xpar[e];
	const struct moore_par *p = g->par + g->xpar[e];

	for (uint32_t i = 0; i < n; i++)
		if (p[(key + i) % n].live)
			return p[(key + i) % n].port;
	return MOORE_NO_PATH;
}

static void
put_column(struct job *j, const struct column *c, const uint8_t *slot)
{
	const struct moore_rgraph *g = &j->r->g;
	uint8_t *port = j->ports + (size_t)c->lid * g->n;

	for (uint32_t s = 0; s < g->n; s++)
		port[s] = slot[s] == MOORE_SLOT_NONE ? MOORE_NO_PATH :
			edge_port(g, g->xadj[s] + slot[s], c->root + c->slice);
	port[c->root] = c->last;
}

/* The same for a column of the same tree, where no port depends on the LID. */
static void
copy_column(struct job *j, const struct column *c, const struct column *from)
{
	uint32_t n = j->r->g.n;
	uint8_t *port = j->ports + (size_t)c->lid * n;

	memcpy(port, j->ports + (size_t)from->lid * n, n);
	port[c->root] = c->last;
}

/* Turn ports[] into rows, a cache line of each at a time. */
static void
write_tables(struct job *j)
{
	const struct moore_rgraph *g = &j->r->g;
	size_t n = g->n, top = (size_t)j->r->seen->lid_top + 1;

	for (size_t lid0 = 0; lid0 < top; lid0 += 64)
		for (uint32_t s = 0; s < n; s++) {
			const uint8_t *port = j->ports + lid0 * n + s;
			uint8_t *row;

			if (g->seen[s] == MOORE_NONE)
				continue;
			row = moore_lft_row(j->r->lft, g->seen[s]) + lid0;
			for (size_t i = 0; i < 64 && lid0 + i < top; i++)
				row[i] = port[i * n];
		}
}

/* The trees of one slice, minimal or not. */
struct slice {
	const uint8_t *slot, *len;
};

/* The nodes that len[] reaches, as repairing wants them. */
static void
queue_by_length(struct moore_rtree *t, const uint8_t *len, uint32_t n)
{
	uint32_t at[MOORE_LEN_NONE + 2] = { 0 };

	for (uint32_t s = 0; s < n; s++)
		at[len[s] + 1]++;
	for (unsigned l = 0; l <= MOORE_LEN_NONE; l++)
		at[l + 1] += at[l];
	t->n_reached = at[MOORE_LEN_NONE];
	for (uint32_t s = 0; s < n; s++)
		if (len[s] != MOORE_LEN_NONE)
			t->queue[at[len[s]]++] = s;
}

/* Repair the tree of c for what is missing; the loads learn of new routes. */
static int
repair_tree(struct job *j, const struct slice *sl, const struct column *c, struct moore_err *err)
{
	const struct moore_rgraph *g = &j->r->g;
	const uint8_t *old = sl->slot + (size_t)c->root * g->n;
	struct moore_rtree *t = &j->tree;
	bool shortest = c->slice % j->n_offsets == 0 || c->slice / j->n_offsets < KIND_HOST;

	memcpy(t->slot, old, g->n);
	queue_by_length(t, sl->len + (size_t)c->root * g->n, g->n);
	if (!(shortest ? moore_rtree_repair : moore_rtree_mend)
	    (t, &j->up, c->root, j->load, j->n_connected_up[c->root], &j->r->stats.repaired))
		return fail_unreachable(j, c->root, err);
	for (uint32_t s = 0; s < g->n; s++)
		if (t->slot[s] != old[s] && t->slot[s] != MOORE_SLOT_NONE)
			j->load[g->xadj[s] + t->slot[s]] += g->weight[s] * j->present[c->root];
	return 0;
}

/* Choose the trees for a slice: offset 0 minimal, the others of hosts not. */
static struct slice
make_slice(struct job *j, const struct column *col)
{
	struct moore_rbalance *b = &j->balance;
	struct moore_rvaliant *v = &j->valiant;
	unsigned kind = col->slice / j->n_offsets, offset = col->slice % j->n_offsets;

	if (col->trees >= LAYERS) {
		moore_rvaliant_slice(v, offset - 1, j->n_offsets - 1, kind % j->n_variants,
				     j->present, j->n_connected);
		memcpy(j->load, v->load, j->r->g.n_edges * sizeof(*j->load));
		return (struct slice){ v->slot, v->len };
	}
	moore_rbalance_slice(b, col->slice / j->n_offsets + offset, j->present);
	for (uint32_t e = 0; v->load && kind >= KIND_HOST && e < j->r->g.n_edges; e++)
		v->load[e] += b->load[e];
	memcpy(j->load, b->load, j->r->g.n_edges * sizeof(*j->load));
	return (struct slice){ b->slot, b->len };
}

/* The layers of sl-hint are the slices of hosts at offsets 1 and up. */
static uint32_t
layer_of(const struct job *j, uint32_t slice)
{
	return (slice / j->n_offsets - KIND_HOST) * (j->n_offsets - 1) + slice % j->n_offsets - 1;
}

static int
plan_layers(struct job *j, struct moore_err *err)
{
	uint32_t n = j->r->g.n, top = j->n_cols ? j->col[j->n_cols - 1].slice / j->n_offsets : 0;
	uint32_t n_layers = top < KIND_HOST ? 0 : (top - KIND_HOST + 1) * (j->n_offsets - 1);
	uint8_t *present;
	int rc;

	if (!j->hinted)
		return 0;
	if (!(present = calloc((size_t)n_layers * n + 1, 1)))
		return moore_fail_nomem(err);
	for (size_t i = 0, k; i < j->n_cols; i = k) {
		uint32_t slice = j->col[i].slice;

		for (k = i; k < j->n_cols && j->col[k].slice == slice; k++)
			;
		if (slice / j->n_offsets < KIND_HOST || !(slice % j->n_offsets))
			continue;
		mark_present(j, j->col + i);
		memcpy(present + (size_t)layer_of(j, slice) * n, j->present, n);
	}
	if ((rc = moore_rhint_plan(&j->hint, &j->planned, n_layers, present, err)) == 0)
		moore_rhint_base(&j->hint, &j->up, j->n_connected_up);
	free(present);
	return rc;
}

/* The tree of c under sl-hint, from slot[] when it is minimal.  Switch LIDs are
 * minimal at every offset, so that SL 0 is right for them. */
static int
hint_column(struct job *j, const struct column *c, const uint8_t *slot, struct moore_err *err)
{
	struct moore_route *r = j->r;
	struct moore_rhint *h = &j->hint;
	bool host = c->slice / j->n_offsets >= KIND_HOST;
	bool layer = host && c->slice % j->n_offsets;
	uint32_t moved = 0;

	if (layer)
		moore_rhint_grow(h, &j->planned, layer_of(j, c->slice), c->root);
	else
		memcpy(h->slot, slot, r->g.n);
	if (!moore_rhint_mend(h, &j->up, c->root, !layer, j->n_connected_up[c->root], &moved))
		return fail_unreachable(j, c->root, err);
	r->stats.repaired += moved;
	if (host)
		moore_rhint_count(h);
	for (uint32_t s = 0; s < r->g.n; s++)
		if (r->g.seen[s] != MOORE_NONE)
			r->right[r->g.seen[s] * r->lft->stride + c->lid] = h->ok[s] & 15;
	r->at[c->lid] = r->g.seen[c->root];
	return 0;
}

static int
fill_slice(struct job *j, const struct column *col, size_t n, struct moore_err *err)
{
	const struct moore_rgraph *g = &j->r->g;
	struct slice sl;
	int rc;

	mark_present(j, col);
	sl = make_slice(j, col);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *slot = sl.slot + (size_t)col[i].root * g->n;
		bool again = i > 0 && col[i].root == col[i - 1].root && !j->hinted;

		if (again && !j->parallel) {
			copy_column(j, &col[i], &col[i - 1]);
			continue;
		}
		if (j->repairs) {
			if (!again && (rc = repair_tree(j, &sl, &col[i], err)) < 0)
				return rc;
			slot = j->tree.slot;
		}
		if (j->hinted) {
			if ((rc = hint_column(j, &col[i], slot, err)) < 0)
				return rc;
			slot = j->hint.slot;
		}
		put_column(j, &col[i], slot);
	}
	return 0;
}

static int
fill_tables(struct job *j, struct moore_err *err)
{
	int rc = 0;

	for (uint32_t e = 0; e < j->r->g.n_edges; e++)
		j->parallel |= j->r->g.xpar[e + 1] - j->r->g.xpar[e] > 1;
	for (size_t i = 0, k; rc == 0 && i < j->n_cols; i = k) {
		for (k = i; k < j->n_cols && j->col[k].trees == j->col[i].trees; k++)
			;
		rc = fill_slice(j, j->col + i, k - i, err);
	}
	if (rc == 0)
		write_tables(j);
	return rc;
}

/* ---- the sequence --------------------------------------------------------- */

static void
count_stats(struct moore_route *r)
{
	const struct moore_rgraph *g = &r->g;
	uint32_t missing = 0, extra = 0, one_lane = 0, live = 0, up = 0;

	for (uint32_t e = 0; e < g->n_edges; e++) {
		missing += (g->flags[e] & (3 | MOORE_EDGE_AVOID)) == MOORE_EDGE_PLANNED;
		extra += (g->flags[e] & 3) == MOORE_EDGE_UP;
		one_lane += (g->flags[e] & MOORE_EDGE_ONE_LANE) != 0;
	}
	for (uint32_t i = 0; i < g->xpar[g->n_edges]; i++)
		live += g->par[i].live;
	for (moore_swid s = 0; s < r->seen->n_switches; s++)
		for (unsigned p = 1; p <= r->seen->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(r->seen, s, (moore_portnum)p);

			up += q->role == MOORE_ROLE_SWITCH && q->peer != s;
		}
	r->stats.missing_links = missing / 2;
	r->stats.extra_links = extra / 2;
	r->stats.one_lane_links = one_lane / 2;
	r->stats.unused_links = (up - live - g->n_avoided) / 2;
	r->stats.avoided_links = g->n_avoided / 2;
	r->stats.drained_switches = g->n_drained;
	r->stats.unknown_rules = g->n_unknown;
	r->stats.unknown_line = g->unknown_line;
	for (uint32_t s = 0; s < g->n; s++)
		r->stats.missing_switches += g->seen[s] == MOORE_NONE;
}

static int
job_alloc(struct job *j, struct moore_err *err)
{
	struct moore_route *r = j->r;
	size_t n = r->g.n + 1, e = r->g.n_edges + 1;

	if (n > UINT16_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%zu switches are more than LIDs exist", n - 1);
	j->n_connected = calloc(n, sizeof(*j->n_connected));
	j->n_connected_up = calloc(n, sizeof(*j->n_connected_up));
	j->present = calloc(n, 1);
	j->load = calloc(e, sizeof(*j->load));
	j->ports = malloc(((size_t)r->seen->lid_top + 1) * n);
	r->order = calloc(n, sizeof(*r->order));
	if (!j->n_connected || !j->n_connected_up || !j->present || !j->load || !j->ports || !r->order ||
	    moore_rtree_init(&j->tree, &r->g) < 0 || moore_rturns_init(&r->turns, &r->g) < 0 ||
	    moore_rturns_init(&j->plan_turns, &r->g) < 0)
		return moore_fail_nomem(err);
	memset(j->ports, MOORE_NO_PATH, ((size_t)r->seen->lid_top + 1) * n);
	return moore_lft_new(&r->lft, r->seen->n_switches, r->seen->lid_top, err);
}

static int
hint_alloc(struct job *j, struct moore_err *err)
{
	struct moore_route *r = j->r;

	if (!j->hinted)
		return 0;
	r->right = calloc(r->seen->n_switches + 1, r->lft->stride);
	r->at = malloc(r->lft->stride * sizeof(*r->at));
	if (!r->right || !r->at || moore_rhint_init(&j->hint, &r->g, j->kind) < 0)
		return moore_fail_nomem(err);
	memset(r->at, 0xff, r->lft->stride * sizeof(*r->at));
	return 0;
}

/* The most hops between switches with endpoints, in trees grown under v as they
 * come; MOORE_LEN_NONE when some are not reached. */
static unsigned
longest_route(struct job *j, const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;
	const struct moore_rtree *t = &j->tree;
	unsigned most = 0;

	for (uint32_t root = 0; root < g->n; root++) {
		if (!g->weight[root])
			continue;
		if (!moore_rtree_grow(&j->tree, v, root, NULL, j->n_connected[root]))
			return MOORE_LEN_NONE;
		for (uint32_t i = 0; i < t->n_reached; i++)
			if (g->weight[t->queue[i]] && t->len[t->queue[i]] > most)
				most = t->len[t->queue[i]];
	}
	return most;
}

/* Colours for the layers; none, so that all goes by the order, where colours would
 * leave base LIDs ways longer by more than a hop: then turns are too few at each
 * switch.  Not asked where middle switches are split, nor where two hops do. */
static int
plan_colours(struct job *j, struct moore_err *err)
{
	struct moore_rgraph *g = &j->r->g;
	struct moore_rview by_order = { g, j->planned.flag, j->planned.lanes, &j->r->turns };
	unsigned longest;
	int rc;

	if (j->n_offsets == 1 || j->hinted)
		return 0;
	if (!(j->colour = calloc((size_t)g->n_edges + 1, sizeof(*j->colour))))
		return moore_fail_nomem(err);
	if ((rc = moore_rturns_colour(g, j->colour, err)) < 0 ||
	    (rc = moore_rturns_build(&j->plan_turns, &j->planned, NULL, j->colour, err)) < 0 ||
	    (rc = moore_rturns_spread(&j->plan_turns, g, j->colour, err)) < 0 ||
	    memchr(g->half, 1, g->n) || (longest = longest_route(j, &j->planned)) <= 2)
		return rc;
	if ((rc = moore_rturns_build(&j->r->turns, &by_order, NULL, NULL, err)) == 0 &&
	    longest > longest_route(j, &by_order) + 1) {
		free(j->colour);
		j->colour = NULL;
	}
	return rc;
}

/* Orders and turns: for the intended graph, and close to it for what is up. */
static int
make_turns(struct job *j, struct moore_err *err)
{
	struct moore_rgraph *g = &j->r->g;
	int rc;

	j->planned = (struct moore_rview){ g, MOORE_EDGE_PLANNED, !j->intended, &j->plan_turns };
	j->up = (struct moore_rview){ g, MOORE_EDGE_UP, true, &j->r->turns };
	j->r->turns.steady = j->hinted;
	count_connected(&j->planned, j->n_connected, j->tree.queue);
	count_connected(&j->up, j->n_connected_up, j->tree.queue);
	if ((rc = plan_colours(j, err)) < 0 ||
	    (!j->colour &&
	     (rc = moore_rturns_build(&j->plan_turns, &j->planned, NULL, NULL, err)) < 0) ||
	    (rc = moore_rturns_build(&j->r->turns, &j->up, &j->plan_turns, j->colour, err)) < 0)
		return rc;
	for (uint32_t s = 0; s < g->n; s++)
		if (g->seen[s] != MOORE_NONE)
			j->r->order[g->seen[s]] = j->r->turns.pos[s];
	return 0;
}

static int
grow_trees(struct job *j, uint64_t seed, struct moore_err *err)
{
	uint32_t bad = 0;
	int rc = moore_rbalance_build(&j->balance, &j->planned, j->n_connected, seed, &bad, err);

	if (rc == -MOORE_EUNREACH)
		return fail_unreachable(j, bad, err);
	if (rc == 0 && j->n_offsets > 1 && !j->hinted &&
	    moore_rvaliant_init(&j->valiant, &j->balance, j->kind) < 0)
		return moore_fail_nomem(err);
	return rc;
}

int
moore_route_build(struct moore_route **out, const struct moore_fabric *seen,
		  const struct moore_fabric *intended, const struct moore_route_opts *opts,
		  struct moore_err *err)
{
	struct job j = { .r = calloc(1, sizeof(*j.r)), .intended = intended,
		.hinted = opts->profile == MOORE_PROFILE_SL_HINT,
		.kind = moore_rkind_of(opts->layers) };
	int rc;

	*out = NULL;
	if (!j.r)
		return moore_fail_nomem(err);
	j.r->seen = seen;
	if ((rc = moore_rgraph_build(&j.r->g, seen, intended, opts->links, err)) < 0 ||
	    (rc = job_alloc(&j, err)) < 0 ||
	    (rc = hint_alloc(&j, err)) < 0 ||
	    (rc = list_columns(&j, err)) < 0 ||
	    (rc = list_hosts(&j, err)) < 0 ||
	    (rc = make_turns(&j, err)) < 0 ||
	    (rc = plan_layers(&j, err)) < 0 ||
	    (rc = grow_trees(&j, opts->seed, err)) < 0)
		goto out;
	j.repairs = (intended || j.r->g.n_avoided || j.r->g.n_drained) && !j.r->g.as_planned;
	if ((rc = fill_tables(&j, err)) < 0)
		goto out;
	count_stats(j.r);
	*out = j.r;
	j.r = NULL;
out:
	moore_rvaliant_fini(&j.valiant);
	moore_rbalance_fini(&j.balance);
	moore_rtree_fini(&j.tree);
	moore_rhint_fini(&j.hint);
	free(j.n_connected);
	free(j.n_connected_up);
	free(j.colour);
	moore_rturns_fini(&j.plan_turns);
	free(j.present);
	free(j.col);
	free(j.hosts);
	free(j.load);
	free(j.ports);
	moore_route_free(j.r);
	return rc;
}

void
moore_route_free(struct moore_route *r)
{
	if (!r)
		return;
	moore_rgraph_fini(&r->g);
	moore_rturns_fini(&r->turns);
	free(r->order);
	free(r->right);
	free(r->at);
	moore_lft_free(r->lft);
	free(r);
}

const struct moore_lft *
moore_route_lft(const struct moore_route *r)
{
	return r->lft;
}

void
moore_route_stats(const struct moore_route *r, struct moore_route_stats *out)
{
	*out = r->stats;
}

int
moore_route_mcast(const struct moore_route *r, uint16_t group, const moore_swid *members,
		  size_t n, uint8_t *parent_port, struct moore_err *err)
{
	const struct moore_rview up = { &r->g, MOORE_EDGE_UP, true, &r->turns };

	return moore_rmcast(&up, group, members, n, parent_port, err);
}

const uint32_t *
moore_route_order(const struct moore_route *r)
{
	return r->order;
}

/* ---- profile sl-hint ---------------------------------------------------------- */

uint8_t
moore_route_right(const struct moore_route *r, moore_lid slid, moore_lid dlid)
{
	size_t n = r->lft->stride;
	uint8_t both = 0;

	if (r->right && slid < n && dlid < n && r->at[slid] != MOORE_NONE &&
	    r->at[dlid] != MOORE_NONE)
		both = r->right[r->at[slid] * n + dlid] & r->right[r->at[dlid] * n + slid];
	return both ? both : 1 << MOORE_HINT_A;
}

/* back[s * n + d]: the tables right from d to some LID at s. */
static void
note_back(const struct moore_route *r, uint8_t *back)
{
	uint32_t n = r->seen->n_switches;

	for (size_t lid = 1; lid < r->lft->stride; lid++)
		for (uint32_t d = 0; r->at[lid] != MOORE_NONE && d < n; d++)
			back[(size_t)r->at[lid] * n + d] |= r->right[d * r->lft->stride + lid];
}

static void
fill_set(const struct moore_route *r, const uint8_t *back, struct moore_sl_set *t,
	 const struct moore_lid_owner *own)
{
	uint32_t n = r->seen->n_switches;

	for (uint32_t s = 0; s < n; s++) {
		uint16_t *row = moore_sl_set_row(t, s);

		row[0] = 1 << MOORE_HINT_A;
		for (size_t lid = 1; lid < t->stride; lid++) {
			if (own[lid].sw == MOORE_NONE)
				continue;
			row[lid] = back[(size_t)s * n + own[lid].sw] &
				r->right[s * r->lft->stride + lid];
			if (!own[lid].offset || own[lid].ep == MOORE_NONE)
				row[lid] |= 1 << MOORE_HINT_A;
		}
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
	if (r->right) {
		note_back(r, back);
		fill_set(r, back, t, own);
	}
	*out = t;
	t = NULL;
out:
	moore_sl_set_free(t);
	free(own);
	free(back);
	return rc;
}
