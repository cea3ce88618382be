// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* direct.c - shortest paths that are drawn for each flow.
 *
 * The distances to many receivers are found at once, and paths are counted and walked from the switches that
 * send.  Each flow has a seed of its own, so the paths are the same in any order. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "load/model/adapt.h"

#define TRIES 32		/* to draw a further path of a flow */

struct search {			/* of one worker */
	struct moore_near near;
	struct moore_ways ways;	/* to one switch that is too far for the above */
	bool far_away;
	uint32_t i;		/* the present receiver, of those of near */
	uint32_t *port;		/* of the flows of one batch, growing */
	uint32_t n, cap;
};

struct draw {
	const struct moore_net *net;
	const struct moore_pair *flow;
	const uint32_t *place;
	uint32_t *first;	/* flow of each receiver, and one past the last */
	uint32_t n_receivers;
	uint64_t seed;
	struct moore_directs *out;
	struct search *search;	/* by worker */
	bool *oom;		/* by worker */
};

static uint32_t
far_of(const struct search *w, moore_swid s)
{
	return w->far_away ? w->ways.far[s] : w->near.far[(size_t)s * MOORE_NEAR_SWITCHES + w->i];
}

static double
paths_of(struct search *w, const struct moore_net *net, moore_swid s)
{
	return w->far_away ? w->ways.paths[s] : moore_near_count(&w->near, net, w->i, s);
}

/* Walks from s to the receiver by a random shortest path, which goes to port[]. */
static void
walk(struct search *w, const struct moore_net *net, moore_swid s, uint32_t *port, struct moore_rng *rng)
{
	for (uint32_t far = far_of(w, s); far > 1; far--) {
		double left = moore_adapt_random(rng) * paths_of(w, net, s);
		uint32_t taken = MOORE_NONE;

		for (uint32_t k = net->at[s]; k < net->at[s + 1] && left >= 0; k++)
			if (far_of(w, net->to[k]) + 1 == far && far_of(w, net->to[k])) {
				taken = k;
				left -= paths_of(w, net, net->to[k]);
			}
		*port++ = net->port[taken];
		s = net->to[taken];
	}
}

/* Draws different paths of one flow, as many as there are and are wanted; false when out of memory. */
static bool
draw_flow(const struct draw *d, struct search *w, uint32_t i)
{
	const moore_swid from = d->flow[i].from;
	const uint32_t hops = far_of(w, from) ? far_of(w, from) - 1 : 0;
	const double all = hops && d->flow[i].n_direct ? paths_of(w, d->net, from) : 0;
	struct moore_direct *at = &d->out->flow[d->place[i]];
	struct moore_rng rng = { d->seed + i };

	*at = (struct moore_direct){ .hops = hops };
	for (unsigned tries = 0; tries < TRIES && at->paths < d->flow[i].n_direct && at->paths < all; tries++) {
		bool is_new = true;
		uint32_t *port;

		while ((uint64_t)w->n + hops > w->cap) {
			if (w->cap > UINT32_MAX / 2 || !(port = moore_grow(w->port, w->cap, &w->cap, sizeof(*port))))
				return false;
			w->port = port;
		}
		port = w->port + w->n;
		walk(w, d->net, from, port, &rng);
		for (uint32_t k = 1; k <= at->paths && is_new; k++)
			is_new = memcmp(port, port - (size_t)k * hops, hops * sizeof(*port)) != 0;
		if (is_new) {
			w->n += hops;
			at->paths++;
		}
	}
	return true;
}

/* Draws the flows of up to MOORE_NEAR_SWITCHES receivers. */
static void
draw_batch(void *arg, unsigned worker, size_t batch)
{
	const struct draw *d = arg;
	struct search *w = &d->search[worker];
	const uint32_t begin = (uint32_t)batch * MOORE_NEAR_SWITCHES, left = d->n_receivers - begin;
	const uint32_t n = left < MOORE_NEAR_SWITCHES ? left : MOORE_NEAR_SWITCHES;
	moore_swid x[MOORE_NEAR_SWITCHES];
	uint32_t at = 0;
	bool good = true;

	w->port = NULL;
	w->n = w->cap = 0;
	for (uint32_t i = 0; i < n; i++)
		x[i] = d->flow[d->first[begin + i]].to;
	w->far_away = !moore_near_to(&w->near, d->net, x, n);
	for (w->i = 0; w->i < n; w->i++) {
		if (w->far_away)
			moore_ways_to(&w->ways, d->net, x[w->i], NULL, 0);
		for (uint32_t i = d->first[begin + w->i]; good && i < d->first[begin + w->i + 1]; i++)
			good = draw_flow(d, w, i);
		moore_near_forget(&w->near);
	}
	d->out->room[batch] = w->port;
	if (!good) {
		d->oom[worker] = true;
		return;
	}
	for (uint32_t i = d->first[begin]; i < d->first[begin + n]; i++) {
		struct moore_direct *flow = &d->out->flow[d->place[i]];

		flow->port = w->port + at;
		at += flow->paths * flow->hops;
	}
}

/* Lists where the flows of each receiver begin. */
static bool
list_receivers(struct draw *d, uint32_t n_flows, struct moore_arena *mem)
{
	if (!(d->first = moore_arena_alloc(mem, (size_t)d->net->n + 2, sizeof(*d->first))))
		return false;
	for (uint32_t i = 0; i < n_flows; i++)
		if (!i || d->flow[i].to != d->flow[i - 1].to)
			d->first[d->n_receivers++] = i;
	d->first[d->n_receivers] = n_flows;
	return true;
}

static bool
get_searches(struct draw *d, unsigned width, struct moore_arena *mem)
{
	if (!(d->search = moore_arena_alloc(mem, width, sizeof(*d->search))) ||
	    !(d->oom = moore_arena_alloc(mem, width, sizeof(*d->oom))))
		return false;
	for (unsigned i = 0; i < width; i++)
		if (!moore_near_init(&d->search[i].near, d->net, mem) ||
		    !moore_ways_init(&d->search[i].ways, d->net, mem))
			return false;
	return true;
}

int
moore_directs_draw(struct moore_directs *out, const struct moore_net *net, const struct moore_pair *flow,
		   uint32_t n_flows, const uint32_t *place,
		   const struct moore_predict_opts *o, struct moore_arena *mem, struct moore_err *err)
{
	struct draw d = { .net = net, .flow = flow, .place = place, .seed = o->seed, .out = out };
	unsigned width;
	bool good;

	*out = (struct moore_directs){ .flow = moore_arena_alloc(mem, (size_t)n_flows + 1, sizeof(*out->flow)) };
	if (!out->flow || !list_receivers(&d, n_flows, mem))
		return moore_fail_nomem(err);
	out->n_room = (d.n_receivers + MOORE_NEAR_SWITCHES - 1) / MOORE_NEAR_SWITCHES;
	width = moore_jobs_width(o->jobs, out->n_room);
	if (!get_searches(&d, width, mem) || !(out->room = moore_arena_alloc(mem, out->n_room + 1, sizeof(*out->room))))
		return moore_fail_nomem(err);
	moore_jobs_run(o->jobs, width, out->n_room, draw_batch, &d);
	good = true;
	for (unsigned i = 0; i < width; i++)
		good = good && !d.oom[i];
	return good ? 0 : moore_fail_nomem(err);
}

void
moore_directs_free(struct moore_directs *d)
{
	for (size_t i = 0; d->room && i < d->n_room; i++)
		free(d->room[i]);
}
