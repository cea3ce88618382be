// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* switches.c - patterns in which all nodes of a switch send to those of another one: the papers' worst cases of
 * minimal routes, and the worst that the searches of saturation.c find for the tables. */
#include <stdlib.h>
#include <string.h>

#include "moore/predict.h"
#include "moore/saturation.h"

/* Lists the endpoints of each switch in order: first[s], then next[e]. */
static void
list_endpoints(const struct moore_fabric *f, moore_epid *first, moore_epid *next)
{
	for (moore_swid s = 0; s < f->n_switches; s++)
		first[s] = MOORE_NONE;
	for (moore_epid e = f->n_endpoints; e-- > 0;)
		if (f->ep[e].sw != MOORE_NONE) {
			next[e] = first[f->ep[e].sw];
			first[f->ep[e].sw] = e;
		}
}

/* Sets to[] to the pattern of the greatest load; tried[] has room for one more. */
static int
find_worst(moore_swid *to, moore_swid *tried, const struct moore_fabric *f, const struct moore_lft *lft,
	   const struct moore_saturation_opts *opts, struct moore_err *err)
{
	double most = 0;
	int rc = 0;

	for (enum moore_pattern p = MOORE_PATTERN_UNIFORM + 1; rc == 0 && p < MOORE_N_PATTERNS; p++) {
		struct moore_saturation s;

		if (!moore_pattern_fits(f, p))
			continue;
		rc = moore_saturation_measure(&s, tried, f, lft, p, opts, err);
		if (rc == 0 && s.n_flows && s.pair > most) {
			most = s.pair;
			memcpy(to, tried, f->n_switches * sizeof(*to));
		}
	}
	return rc;
}

static int
find_peers(moore_swid *to, moore_swid *tried, enum moore_job_pattern pattern, const struct moore_fabric *f,
	   const struct moore_lft *lft, uint64_t seed, struct moore_err *err)
{
	const struct moore_saturation_opts opts = { .seed = seed, .starts = 1 };
	struct moore_saturation s;

	for (moore_swid i = 0; i < f->n_switches; i++)
		to[i] = MOORE_NONE;
	return pattern == MOORE_JOB_WORST ? find_worst(to, tried, f, lft, &opts, err) :
		moore_saturation_measure(&s, to, f, lft, pattern == MOORE_JOB_OVERLAP ? MOORE_PATTERN_OVERLAP :
					 MOORE_PATTERN_YEBENES, &opts, err);
}

int
moore_job_switch_flows(struct moore_flow **out, uint32_t *n_flows, enum moore_job_pattern pattern,
		       const struct moore_fabric *f, const struct moore_lft *lft, uint64_t seed,
		       struct moore_err *err)
{
	const size_t n = (size_t)f->n_switches + 1;
	moore_swid *to = calloc(3 * n, sizeof(*to)), *tried = to ? to + n : NULL;
	moore_epid *first = to ? to + 2 * n : NULL, *next = calloc((size_t)f->n_endpoints + 1, sizeof(*next));
	struct moore_flow *flow = calloc((size_t)f->n_endpoints + 1, sizeof(*flow));
	int rc = to && next && flow ? find_peers(to, tried, pattern, f, lft, seed, err) : moore_fail_nomem(err);

	*n_flows = 0;
	if (rc == 0) {
		list_endpoints(f, first, next);
		for (moore_swid s = 0; s < f->n_switches; s++)
			for (moore_epid a = first[s], b = to[s] == MOORE_NONE ? MOORE_NONE : first[to[s]];
			     a != MOORE_NONE && b != MOORE_NONE; a = next[a], b = next[b])
				flow[(*n_flows)++] = (struct moore_flow){ a, b, 1 };
		if (!*n_flows)
			rc = moore_fail(err, MOORE_EINVAL, 0, "%s: no switch has one to send to",
					moore_job_pattern_name(pattern));
	}
	free(to);
	free(next);
	if (rc < 0) {
		free(flow);
		return rc;
	}
	*out = flow;
	return 0;
}
