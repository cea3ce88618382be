// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* parts.c - tables that memory cannot hold: each tree is grown, written and forgotten.
 *
 * The trees of MOORE_ROUTE_PART LIDs are grown side by side, each over the edges that were least
 * loaded before the first of them; so the routes do not depend on the workers.  What lasts are the
 * graph, the turns and the load of each edge.
 *
 * A tree of a layer is grown around *gates*: neighbours of the root that may have children, while the
 * others are leaves.  As legal routes over one gate may not reach all nodes, their number doubles until
 * they do. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "route/build.h"

#define TILE 64			/* switches whose rows are written together */

struct grower {			/* of one worker */
	struct moore_rtree tree;
	bool is_bare;		/* the graph suits moore_rtree_grow_bare() */
	struct moore_rbare bare;
	uint32_t *added;	/* by edge: routes that trees of this part put there */
	uint32_t *acc;		/* by node: scratch */
	uint8_t *wish;		/* by node: enum moore_rwish */
	uint32_t bad;		/* a root that some connected node does not reach, or MOORE_NONE */
};

struct moore_route_parts {
	struct moore_rbuild b;
	struct moore_lid_owner *own;	/* by LID */
	uint32_t *load;			/* by edge: routes of earlier parts */
	uint8_t *port;			/* [i * n + node]: of the i-th LID of a part */
	struct grower *grower;
	unsigned n_growers;
	moore_lid first;		/* of the part that is made now */
	struct moore_lft *out;
	size_t at;			/* in its rows: of `first` */
};

/* ---- one tree ---------------------------------------------------------------------------- */

/* Lists the edges to root whose links are up, of the greatest rank first: most turns onto those are
 * allowed.  Returns how many. */
static uint32_t
list_gates(const struct moore_rview *v, uint32_t root, uint32_t gate[MOORE_SLOT_NONE])
{
	const struct moore_rgraph *g = v->g;
	uint32_t n = 0;

	for (uint32_t o = g->xadj[root]; o < g->xadj[root + 1]; o++) {
		uint32_t e = g->rev[o], i = n;

		if (!(g->flags[e] & v->flag))
			continue;
		for (; i > 0 && v->turns->rank[gate[i - 1]] < v->turns->rank[e]; i--)
			gate[i] = gate[i - 1];
		gate[i] = e;
		n++;
	}
	return n;
}

static bool
grow_minimal(struct grower *w, const struct moore_rview *v, uint32_t root, const uint32_t *load,
	     uint32_t n_connected)
{
	return (w->is_bare && (moore_rtree_grow_bare(&w->tree, &w->bare, v, root, load, n_connected, NULL) ||
			       moore_rtree_grow_held(&w->tree, &w->bare, v, root, load, n_connected))) ||
		moore_rtree_grow(&w->tree, v, root, load, n_connected);
}

/* Grows the tree of a layer. */
static bool
grow_layer(struct grower *w, const struct moore_rview *v, uint32_t root, unsigned layer,
	   const uint32_t *load, uint32_t n_connected)
{
	const struct moore_rgraph *g = v->g;
	uint32_t gate[MOORE_SLOT_NONE], n = list_gates(v, root, gate);
	bool done = false;

	for (uint32_t n_open = 1; n_open < n && !done; n_open *= 2) {
		for (uint32_t i = 0; i < n; i++)
			w->wish[moore_rgraph_tail(g, gate[(layer - 1 + i) % n])] = i < n_open ? 0 : MOORE_WISH_SHUT;
		done = w->is_bare ? moore_rtree_grow_bare(&w->tree, &w->bare, v, root, load, n_connected, w->wish) :
			moore_rtree_grow_around(&w->tree, v, root, load, n_connected, w->wish);
	}
	for (uint32_t i = 0; i < n; i++)
		w->wish[moore_rgraph_tail(g, gate[i])] = 0;
	return done || grow_minimal(w, v, root, load, n_connected);
}

/* Adds the routes of the tree to added[]. */
static void
add_load(struct grower *w, const struct moore_rgraph *g)
{
	const struct moore_rtree *t = &w->tree;

	for (uint32_t i = 0; i < t->n_reached; i++)
		w->acc[t->queue[i]] = g->is_source[t->queue[i]];
	for (uint32_t i = t->n_reached; i-- > 1;) {
		uint32_t s = t->queue[i], e = g->xadj[s] + t->slot[s];

		w->acc[g->to[e]] += w->acc[s];
		w->added[e] += w->acc[s];
	}
}

/* A job: grows the tree of the i-th LID of the part and writes its ports. */
static void
grow_job(void *arg, unsigned worker, size_t i)
{
	struct moore_route_parts *p = arg;
	struct grower *w = &p->grower[worker];
	const struct moore_rgraph *g = &p->b.r->g;
	const struct moore_lid_owner *own = &p->own[p->first + i];
	uint8_t *port = p->port + i * g->n;
	uint32_t root;
	bool ok;

	memset(port, MOORE_NO_PATH, g->n);
	if (p->first + i > p->b.r->seen->lid_top || own->sw == MOORE_NONE)
		return;
	root = p->b.r->g.node_of[own->sw];
	ok = own->offset && !g->one_vl ?
		grow_layer(w, &p->b.up, root, own->offset, p->load, p->b.n_connected_up[root]) :
		grow_minimal(w, &p->b.up, root, p->load, p->b.n_connected_up[root]);
	if (!ok && root < w->bad)
		w->bad = root;
	add_load(w, g);
	for (uint32_t k = 1; k < w->tree.n_reached; k++) {
		uint32_t s = w->tree.queue[k];

		port[s] = moore_rgraph_port(g, g->xadj[s] + w->tree.slot[s], root);
	}
	port[root] = own->port;
}

/* ---- a part ---------------------------------------------------------------------------------- */

/* A job: writes the rows of TILE nodes. */
static void
write_job(void *arg, unsigned worker, size_t tile)
{
	struct moore_route_parts *p = arg;
	const struct moore_rgraph *g = &p->b.r->g;
	uint32_t end = (uint32_t)(tile + 1) * TILE < g->n ? (uint32_t)(tile + 1) * TILE : g->n;

	(void)worker;
	for (uint32_t s = (uint32_t)tile * TILE; s < end; s++) {
		uint8_t *row = moore_lft_row(p->out, g->sw_of[s]) + p->at;

		for (size_t i = 0; i < MOORE_ROUTE_PART; i++)
			row[i] = p->port[i * g->n + s];
	}
}

/* Adds what the growers put on the edges to load[], up to what fits. */
static void
add_up(struct moore_route_parts *p)
{
	for (unsigned i = 0; i < p->n_growers; i++)
		for (uint32_t e = 0; e < p->b.r->g.n_edges; e++) {
			uint64_t sum = (uint64_t)p->load[e] + p->grower[i].added[e];

			p->load[e] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
			p->grower[i].added[e] = 0;
		}
}

int
moore_route_part(struct moore_route_parts *p, struct moore_lft *part, moore_lid first,
		 struct moore_err *err)
{
	size_t n_tiles = (p->b.r->g.n + TILE - 1) / TILE;

	p->out = part;
	for (p->at = 0; p->at < part->stride; p->at += MOORE_ROUTE_PART) {
		uint32_t bad = MOORE_NONE;

		p->first = (moore_lid)(first + p->at);
		moore_jobs_run(p->b.jobs, p->n_growers, MOORE_ROUTE_PART, grow_job, p);
		for (unsigned i = 0; i < p->n_growers; i++)
			bad = p->grower[i].bad < bad ? p->grower[i].bad : bad;
		if (bad != MOORE_NONE)
			return moore_rbuild_fail_unreachable(&p->b, bad, err);
		add_up(p);
		moore_jobs_run(p->b.jobs, moore_jobs_width(p->b.jobs, n_tiles), n_tiles, write_job, p);
	}
	return 0;
}

/* ---- beginning and end -------------------------------------------------------------------------- */

static bool
alloc_growers(struct moore_route_parts *p)
{
	const struct moore_rgraph *g = &p->b.r->g;
	size_t n = (size_t)g->n + 1, m = (size_t)g->n_edges + 1;

	p->n_growers = moore_jobs_width(p->b.jobs, MOORE_ROUTE_PART);
	p->load = calloc(m, sizeof(*p->load));
	p->port = malloc(n * MOORE_ROUTE_PART);
	p->grower = calloc(p->n_growers, sizeof(*p->grower));
	for (unsigned i = 0; p->grower && i < p->n_growers; i++) {
		struct grower *w = &p->grower[i];

		w->bad = MOORE_NONE;
		w->is_bare = moore_rbare_suits(g);
		w->added = calloc(m, sizeof(*w->added));
		w->acc = calloc(n, sizeof(*w->acc));
		w->wish = calloc(n, 1);
		if (moore_rtree_init(&w->tree, g) < 0 || moore_rbare_init(&w->bare, &p->b.up) < 0 ||
		    !w->added || !w->acc || !w->wish)
			return false;
	}
	return p->load && p->port && p->grower;
}

void
moore_route_parts_free(struct moore_route_parts *p)
{
	if (!p)
		return;
	for (unsigned i = 0; p->grower && i < p->n_growers; i++) {
		moore_rtree_fini(&p->grower[i].tree);
		moore_rbare_fini(&p->grower[i].bare);
		free(p->grower[i].added);
		free(p->grower[i].acc);
		free(p->grower[i].wish);
	}
	free(p->grower);
	free(p->own);
	free(p->load);
	free(p->port);
	moore_rbuild_fini(&p->b);
	moore_route_free(p->b.r);
	free(p);
}

int
moore_route_parts_new(struct moore_route_parts **out, const struct moore_fabric *seen,
		      const struct moore_route_opts *opts, struct moore_err *err)
{
	struct moore_route_parts *p = calloc(1, sizeof(*p));
	int rc;

	*out = NULL;
	if (!p || !(p->b.r = calloc(1, sizeof(*p->b.r)))) {
		free(p);
		return moore_fail_nomem(err);
	}
	p->b.r->seen = seen;
	p->b.jobs = opts->jobs;
	p->b.lanes_as_seen = true;
	if ((rc = moore_rgraph_build(&p->b.r->g, seen, NULL, NULL,
				     opts->profile == MOORE_PROFILE_ONE_VL ? MOORE_RGRAPH_ONE_VL : MOORE_RGRAPH_MINIMAL,
				     err)) == 0 &&
	    (rc = moore_rbuild_alloc(&p->b, err)) == 0 &&
	    (rc = moore_fabric_lids(seen, &p->own, err)) == 0) {
		moore_rbuild_connect(&p->b);
		rc = moore_rturns_build(&p->b.r->turns, &p->b.up, NULL, NULL, err);
	}
	if (rc == 0 && !alloc_growers(p))
		rc = moore_fail_nomem(err);
	if (rc < 0)
		moore_route_parts_free(p);
	else
		*out = p;
	return rc;
}
