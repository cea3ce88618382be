// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* parts.c - tables that memory cannot hold: each part is routed, judged, handed to the caller and
 * forgotten. */
#include "engine/unsound.h"
#include "moore/lane.h"

_Static_assert(MOORE_ENGINE_PART % MOORE_CHECK_PART == 0 && MOORE_ENGINE_PART % MOORE_ROUTE_PART == 0,
	       "a part is whole for the router and the checker");

static int
make_lanes(struct moore_sl2vl **out, const struct moore_fabric *f, const struct moore_conf *conf,
	   struct moore_err *err)
{
	if (conf->profile == MOORE_PROFILE_ONE_VL)
		return moore_sl2vl_new(out, f, err);
	return moore_lane_effective(out, f, &conf->lanes, NULL, err);
}

static moore_lid
least_lid(const struct moore_fabric *f)
{
	moore_lid least = f->lid_top;

	for (moore_swid s = 0; s < f->n_switches; s++)
		if (f->sw[s].lid && f->sw[s].lid < least)
			least = f->sw[s].lid;
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].lid && f->ep[e].lid < least)
			least = f->ep[e].lid;
	return least;
}

/* Makes all parts; part is room for one. */
static int
make_parts(struct moore_route_parts *route, struct moore_check_parts *check, struct moore_lft *part,
	   const struct moore_fabric *f, const struct moore_engine_taker *taker, struct moore_err *err)
{
	moore_lid first = least_lid(f) / MOORE_ENGINE_PART * MOORE_ENGINE_PART;
	int rc = 0;

	for (; rc == 0 && first <= f->lid_top; first += MOORE_ENGINE_PART)
		if ((rc = moore_route_part(route, part, first, err)) == 0) {
			moore_check_part(check, part, first);
			taker->take(taker->arg, part, first);
		}
	return rc;
}

int
moore_engine_run_parts(struct moore_verdict **out, const struct moore_fabric *f,
		       const struct moore_conf *conf, const struct moore_engine_taker *taker,
		       struct moore_err *err)
{
	const struct moore_route_opts opts = { .profile = conf->profile, .jobs = conf->jobs };
	struct moore_route_parts *route = NULL;
	struct moore_check_parts *check = NULL;
	struct moore_sl2vl *lanes = NULL;
	struct moore_lft *part = NULL;
	int rc;

	*out = NULL;
	if ((rc = moore_route_parts_new(&route, f, &opts, err)) == 0 &&
	    (rc = make_lanes(&lanes, f, conf, err)) == 0 &&
	    (rc = moore_check_parts_new(&check, f, lanes, conf->jobs, MOORE_ENGINE_PART, err)) == 0 &&
	    (rc = moore_lft_new(&part, f->n_switches, MOORE_ENGINE_PART - 1, err)) == 0 &&
	    (rc = make_parts(route, check, part, f, taker, err)) == 0)
		rc = moore_check_parts_end(out, check, err);
	if (rc == 0 && !(*out)->sound) {
		rc = moore_unsound_fail(*out, f, err);
		moore_verdict_free(*out);
		*out = NULL;
	}
	moore_lft_free(part);
	moore_check_parts_free(check);
	moore_sl2vl_free(lanes);
	moore_route_parts_free(route);
	return rc;
}
