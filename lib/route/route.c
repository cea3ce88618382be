// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* route.c - the sequence of routing: graph, columns, turns, trees, tables.
 *
 * graph.h has a map of the files. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "route/build.h"
#include "route/trees/mcast.h"

int
moore_rbuild_alloc(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_route *r = b->r;
	size_t n = (size_t)r->g.n + 1;

	b->n_connected = calloc(n, sizeof(*b->n_connected));
	b->n_connected_up = calloc(n, sizeof(*b->n_connected_up));
	r->order = calloc(n, sizeof(*r->order));
	r->half = calloc(n, 1);
	r->entry_wanted = calloc((size_t)r->g.n_edges + 1, 1);
	if (!b->n_connected || !b->n_connected_up || !r->order || !r->half || !r->entry_wanted ||
	    moore_rtree_init(&b->tree, &r->g) < 0 ||
	    moore_rturns_init(&r->turns, &r->g, r->half, r->entry_wanted, b->hinted) < 0 ||
	    moore_rturns_init(&b->plan_turns, &r->g, r->half, r->entry_wanted, false) < 0)
		return moore_fail_nomem(err);
	b->planned = (struct moore_rview){ &r->g, MOORE_EDGE_PLANNED, b->lanes_as_seen,
		&b->plan_turns };
	b->up = (struct moore_rview){ &r->g, MOORE_EDGE_UP, true, &r->turns };
	b->common = (struct moore_rview){ &r->g, MOORE_EDGE_UP, true, &b->common_turns };
	return 0;
}

/* Makes the tables, and the columns in which they are filled. */
static int
alloc_tables(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_route *r = b->r;
	size_t n_ports = ((size_t)r->seen->lid_top + 1) * (r->g.n + 1);

	if (!(b->port = malloc(n_ports)))
		return moore_fail_nomem(err);
	memset(b->port, MOORE_NO_PATH, n_ports);
	return moore_lft_new(&r->lft, r->seen->n_switches, r->seen->lid_top, err);
}

static int
alloc_hint(struct moore_rbuild *b, struct moore_err *err)
{
	struct moore_route *r = b->r;

	if (!b->hinted)
		return 0;
	r->right = calloc(r->seen->n_switches + 1, r->lft->stride);
	r->at = malloc(r->lft->stride * sizeof(*r->at));
	if (!r->right || !r->at || moore_rhint_init(&b->hint, &r->g, b->kind, b->jobs) < 0)
		return moore_fail_nomem(err);
	memset(r->at, 0xff, r->lft->stride * sizeof(*r->at));
	return 0;
}

/* Makes room for the trees of layers: where they are kept, if they are. */
static int
init_layers(struct moore_rbuild *b, struct moore_err *err)
{
	uint8_t *room = b->growing ? moore_rgrown_slice(b->growing, b->cols.n_minimal) : NULL;

	if (moore_rslices_init(&b->all, &b->r->g, moore_rcolumns_layer_slices(&b->cols),
			       b->cols.own_trees ? b->cols.n_places : b->cols.n_variants, room) < 0 ||
	    (!b->cols.own_trees &&
	     moore_rlayers_init(&b->layers, &b->balance, b->kind, moore_rcolumns_trees(&b->cols), &b->all,
				b->jobs) < 0))
		return moore_fail_nomem(err);
	return 0;
}

/* Whether leaves take their parents in turn: where some switches have no endpoints, and all routes are minimal.
 * Elsewhere the loads are not worse without it (docs/measurements/engine.md). */
static bool
takes_turns(const struct moore_rbuild *b)
{
	const struct moore_rgraph *g = &b->r->g;

	return (b->cols.n_offsets == 1 || b->cols.minimal) && !g->one_vl && memchr(g->is_source, 0, g->n);
}

/* The minimal trees of the intended graph, and room for those of layers. */
static int
grow_trees(struct moore_rbuild *b, uint64_t seed, struct moore_err *err)
{
	uint32_t bad = 0;
	int rc = moore_rbalance_build(&b->balance, &b->planned, b->n_connected, seed, &bad, err);

	if (rc == -MOORE_EUNREACH)
		return moore_rbuild_fail_unreachable(b, bad, err);
	if (rc == 0 && takes_turns(b))
		moore_rbalance_take_turns(&b->balance);
	return rc < 0 || !b->layered ? rc : init_layers(b, err);
}

/* ---- trees, and room for tables ---------------------------------------------------- */

enum { TREES, TABLES, N_STAGES };	/* done side by side: new memory takes a while to touch */

struct stages {
	struct moore_rbuild *b;
	const struct moore_route_opts *opts;
	int rc[N_STAGES];
	struct moore_err err[N_STAGES];
};

static int
make_trees(struct moore_rbuild *b, const struct moore_route_opts *opts, struct moore_err *err)
{
	int rc;

	moore_rbuild_connect(b);
	moore_rgrown_open(b, opts);
	if ((rc = moore_rbuild_turns(b, opts->by_roles, err)) < 0)
		return rc;
	if (!b->grown)
		return grow_trees(b, opts->seed, err);
	b->all.slot = moore_rgrown_slice(b->grown, b->cols.n_minimal);
	return 0;
}

static void
stage_job(void *arg, unsigned worker, size_t i)
{
	struct stages *s = arg;

	(void)worker;
	s->rc[i] = i == TREES ? make_trees(s->b, s->opts, &s->err[i]) : alloc_tables(s->b, &s->err[i]);
}

static int
make_trees_and_room(struct moore_rbuild *b, const struct moore_route_opts *opts, struct moore_err *err)
{
	struct stages s = { .b = b, .opts = opts };

	moore_jobs_run(b->jobs, moore_jobs_width(b->jobs, N_STAGES), N_STAGES, stage_job, &s);
	for (unsigned i = 0; i < N_STAGES; i++)
		if (s.rc[i] < 0) {
			if (err)
				*err = s.err[i];
			return s.rc[i];
		}
	return 0;
}

/* ---- all ----------------------------------------------------------------------------- */

static enum moore_rgraph_use
use_of(const struct moore_fabric *seen, enum moore_profile profile)
{
	if (profile == MOORE_PROFILE_ONE_VL)
		return MOORE_RGRAPH_ONE_VL;
	return moore_rcolumns_offsets(seen) > 1 ? MOORE_RGRAPH_LAYERS : MOORE_RGRAPH_MINIMAL;
}

static int
build_all(struct moore_rbuild *b, const struct moore_route_opts *opts, struct moore_err *err)
{
	struct moore_route *r = b->r;
	int rc;

	if ((rc = moore_rgraph_build(&r->g, r->seen, b->intended, opts->links,
				     use_of(r->seen, opts->profile), err)) < 0 ||
	    (rc = moore_rcolumns_list(&b->cols, &r->g, r->seen, b->intended, err)) < 0)
		return rc;
	b->hinted = b->cols.hinted;
	r->all_right = opts->profile == MOORE_PROFILE_SL_HINT && !b->hinted;
	b->layered = b->cols.n_offsets > 1 && !b->hinted && !b->cols.minimal;
	if (r->g.n >= UINT16_MAX)	/* balance.h and layers.h hold nodes in 16 bits */
		return moore_fail(err, MOORE_EINVAL, 0, "%u switches: routes are computed for at most %d",
				  r->g.n, UINT16_MAX - 1);
	if ((rc = moore_rbuild_alloc(b, err)) < 0)
		return rc;
	if ((rc = make_trees_and_room(b, opts, err)) == 0 &&
	    (rc = alloc_hint(b, err)) == 0 &&
	    (rc = moore_rbuild_fill(b, err)) == 0)
		moore_rbuild_count(r);
	moore_rgrown_close(b, opts, rc == 0);
	return rc;
}

void
moore_rbuild_fini(struct moore_rbuild *b)
{
	moore_rlayers_fini(&b->layers);
	moore_rslices_fini(&b->all);
	moore_rbalance_fini(&b->balance);
	moore_rtree_fini(&b->tree);
	moore_rhint_fini(&b->hint);
	moore_rturns_fini(&b->plan_turns);
	moore_rturns_fini(&b->common_turns);
	moore_rcolumns_fini(&b->cols);
	free(b->n_connected);
	free(b->n_connected_up);
	free(b->colour);
	free(b->port);
}

int
moore_route_build(struct moore_route **out, const struct moore_fabric *seen,
		  const struct moore_fabric *intended, const struct moore_route_opts *opts,
		  struct moore_err *err)
{
	struct moore_rbuild b = { .r = calloc(1, sizeof(*b.r)), .intended = intended,
		.lanes_as_seen = opts->lanes_as_seen || !intended ||
			opts->profile == MOORE_PROFILE_ONE_VL,
		.cols.hinted = opts->profile == MOORE_PROFILE_SL_HINT,
		.cols.longest = moore_rkind_of(opts->layers)->longest,
		.cols.minimal = opts->profile == MOORE_PROFILE_ONE_VL,
		.kind = moore_rkind_of(opts->layers), .jobs = opts->jobs, .ranks = opts->ranks };
	int rc;

	*out = NULL;
	if (!b.r)
		return moore_fail_nomem(err);
	b.r->seen = seen;
	rc = build_all(&b, opts, err);
	moore_rbuild_fini(&b);
	if (rc < 0)
		moore_route_free(b.r);
	else
		*out = b.r;
	return rc;
}

void
moore_route_free(struct moore_route *r)
{
	if (!r)
		return;
	moore_rgraph_fini(&r->g);
	moore_rturns_fini(&r->turns);
	free(r->half);
	free(r->entry_wanted);
	free(r->entry);
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

const uint32_t *
moore_route_order(const struct moore_route *r)
{
	return r->order;
}

int
moore_route_mcast(const struct moore_route *r, uint16_t group, const moore_swid *members,
		  size_t n, uint8_t *parent_port, struct moore_err *err)
{
	const struct moore_rview up = { &r->g, MOORE_EDGE_UP, true, &r->turns };

	return moore_rmcast(&up, group, members, n, parent_port, err);
}
