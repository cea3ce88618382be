// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* adapt.c - adaptive routing: the iterative solution of Jain et al., SC'14, section III.
 *
 * Every link has the bandwidth 1.  The messages from one switch to another are one flow.  In each round every flow asks for bandwidth on its paths: more on
 * those whose fullest link has more left, and more if it sends more.  A path gets the least share that
 * one of its links can give.  In the end the amount of a flow is divided among its paths in proportion
 * to what they got.
 *
 * Direct paths are the same in all rounds.  Indirect ones lead over switches that are drawn anew in each
 * round, some for all flows together, of which each flow takes a few; and of the bandwidth a further part
 * becomes available in each of the first rounds, so that the first paths do not take all.  Since indirect
 * paths are too many to keep, a second run draws the same paths again and sends the traffic. */
#include <string.h>

#include "base/random.h"
#include "load/model/net.h"

#define ROUNDS 50		/* beyond which the paper saw no effect */
#define PATHS 4			/* of a flow in one round */
#define TRIES 32		/* to draw them */
#define DIRECT_OF_HYBRID 2	/* of these, in hybrid routing */
#define DRAWN 64		/* switches that are drawn for one round */
#define LENGTH 24		/* hops of the longest path that is taken */

struct path {
	uint32_t port[LENGTH];	/* of f->port[], that sends */
	uint32_t n;		/* 0: there is none */
};

struct steps {			/* to one switch, by shortest paths */
	struct moore_ways ways;
	uint32_t *at, *arc;	/* from switch s over the arcs arc[at[s]] to arc[at[s + 1] - 1] */
};

struct adapt {
	const struct moore_net *net;
	const struct moore_pair *flow;	/* by receiver */
	uint32_t n_flows;
	const struct moore_predict_opts *o;
	unsigned n_direct, n_indirect;	/* paths of each kind in a round */
	unsigned rounds;
	struct path *direct;	/* n_direct of each flow */
	struct path *indirect;	/* n_indirect of each flow, of this round */
	float *got;		/* [(round * flows + flow) * PATHS + path]; direct ones are in round 0 */
	double *used, *asked;	/* by port */
	struct steps *steps;	/* by worker */
	unsigned round;		/* whose indirect paths are drawn */
};

static void
steps_to(struct steps *to, const struct moore_net *net, moore_swid x)
{
	const uint32_t *far = to->ways.far;
	uint32_t n = 0;

	moore_ways_to(&to->ways, net, x, NULL, 0);
	for (moore_swid s = 0; s < net->n; s++) {
		to->at[s] = n;
		for (uint32_t k = net->at[s]; k < net->at[s + 1] && far[s]; k++)
			if (far[net->to[k]] && far[net->to[k]] + 1 == far[s])
				to->arc[n++] = k;
	}
	to->at[net->n] = n;
}

/* Walks from s by a random shortest path and appends the ports; if `back`, those of the same path in the
 * other direction, in its order. */
static bool
walk(const struct adapt *a, const struct steps *to, moore_swid s, bool back, struct path *p,
     struct moore_rng *rng)
{
	const struct moore_net *net = a->net;
	const uint32_t begin = p->n;

	if (!to->ways.far[s])
		return false;
	while (to->ways.far[s] > 1) {
		double left = (double)(moore_rng_next(rng) >> 11) * 0x1p-53 * to->ways.paths[s];
		uint32_t i = to->at[s], k;

		if (p->n == LENGTH)
			return false;
		while (i + 1 < to->at[s + 1] && left >= to->ways.paths[net->to[to->arc[i]]])
			left -= to->ways.paths[net->to[to->arc[i++]]];
		k = to->arc[i];
		p->port[p->n++] = back ? net->f->sw[net->to[k]].port0 +
			net->f->port[net->port[k]].peer_port : net->port[k];
		s = net->to[k];
	}
	for (uint32_t i = begin, k = p->n; back && i + 1 < k; i++) {
		const uint32_t x = p->port[i];

		p->port[i] = p->port[--k];
		p->port[k] = x;
	}
	return true;
}

static bool
same_path(const struct path *p, const struct path *q)
{
	return p->n == q->n && !memcmp(p->port, q->port, p->n * sizeof(*p->port));
}

/* Draws different shortest paths of one flow, as many as there are and have room. */
static void
draw_paths(const struct adapt *a, moore_swid from, struct path *p, struct moore_rng *rng)
{
	unsigned n = 0;

	for (unsigned tries = 0; tries < TRIES && n < a->n_direct && n < a->steps->ways.paths[from]; tries++) {
		bool good = walk(a, a->steps, from, false, &p[n], rng);

		for (unsigned k = 0; k < n && good; k++)
			good = !same_path(&p[k], &p[n]);
		if (good)
			n++;
		else
			p[n].n = 0;
	}
}

static void
draw_direct(struct adapt *a)
{
	moore_swid x = MOORE_NONE;

	for (uint32_t i = 0; i < a->n_flows; i++) {
		struct moore_rng rng = { a->o->seed + i };

		if (a->flow[i].to != x)
			steps_to(a->steps, a->net, x = a->flow[i].to);
		draw_paths(a, a->flow[i].from, a->direct + (size_t)i * a->n_direct, &rng);
	}
}

/* Draws the indirect paths of this round that lead over its d-th switch: the k-th path of flow i leads
 * over switch number i + k * part. */
static void
draw_over(void *arg, unsigned worker, size_t d)
{
	struct adapt *a = arg;
	struct steps *over = &a->steps[worker];
	struct moore_rng drawn = { (a->o->seed * 0x9e3779b97f4a7c15 + a->round) * DRAWN + d };

	steps_to(over, a->net, moore_rng_below(&drawn, a->net->n));
	for (unsigned k = 0; k < a->n_indirect; k++)
		for (size_t i = (d + DRAWN - k * (DRAWN / PATHS)) % DRAWN; i < a->n_flows; i += DRAWN) {
			struct moore_rng rng = { a->o->seed ^ ((uint64_t)a->round << 40) ^ ((uint64_t)d << 32) ^ i };
			struct path *p = &a->indirect[i * a->n_indirect + k];

			p->n = 0;
			if (!walk(a, over, a->flow[i].from, false, p, &rng) ||
			    !walk(a, over, a->flow[i].to, true, p, &rng))
				p->n = 0;
		}
}

static void
draw_indirect(struct adapt *a, unsigned round)
{
	a->round = round;
	if (a->o->jobs)
		a->o->jobs->run(a->o->jobs->width, DRAWN, draw_over, a);
	else
		for (size_t d = 0; d < DRAWN; d++)
			draw_over(a, 0, d);
}

static bool
get_steps(struct adapt *a, struct moore_arena *mem)
{
	const unsigned width = a->o->jobs ? a->o->jobs->width : 1;
	const size_t n = (size_t)a->net->n + 2, n_arcs = (size_t)a->net->at[a->net->n] + 1;

	if (!(a->steps = moore_arena_alloc(mem, width, sizeof(*a->steps))))
		return false;
	for (unsigned i = 0; i < width; i++)
		if (!moore_ways_init(&a->steps[i].ways, a->net, mem) ||
		    !(a->steps[i].at = moore_arena_alloc(mem, n, sizeof(uint32_t))) ||
		    !(a->steps[i].arc = moore_arena_alloc(mem, n_arcs, sizeof(uint32_t))))
			return false;
	return true;
}

static struct path *
path_of(struct adapt *a, uint32_t flow, unsigned k)
{
	return k < a->n_direct ? &a->direct[(size_t)flow * a->n_direct + k] :
		&a->indirect[(size_t)flow * a->n_indirect + k - a->n_direct];
}

static float *
got_of(struct adapt *a, unsigned round, uint32_t flow, unsigned k)
{
	return &a->got[((size_t)(k < a->n_direct ? 0 : round) * a->n_flows + flow) * PATHS + k];
}

/* The bandwidth that the fullest link of a path has left. */
static double
left_on(const struct adapt *a, const struct path *p, double available)
{
	double least = p->n ? available : 0;

	for (uint32_t i = 0; i < p->n; i++)
		least = available - a->used[p->port[i]] < least ? available - a->used[p->port[i]] : least;
	return least > 0 ? least : 0;
}

/* The weights of the requests of a flow on its paths; false if it asks for nothing. */
static bool
weigh(struct adapt *a, uint32_t flow, double available, double *weight)
{
	double sum = 0;

	for (unsigned k = 0; k < a->n_direct + a->n_indirect; k++)
		sum += weight[k] = left_on(a, path_of(a, flow, k), available);
	for (unsigned k = 0; k < a->n_direct + a->n_indirect && sum > 0; k++)
		weight[k] *= a->flow[flow].amount / sum;
	return sum > 0;
}

/* One round: requests, then what they get.  Returns the bandwidth that was given. */
static double
give(struct adapt *a, unsigned round, double available)
{
	const unsigned n = a->n_direct + a->n_indirect;
	double weight[PATHS], given = 0;

	memset(a->asked, 0, ((size_t)a->net->f->n_ports + 1) * sizeof(*a->asked));
	for (uint32_t i = 0; i < a->n_flows; i++)
		for (unsigned k = 0; weigh(a, i, available, weight) && k < n; k++)
			for (uint32_t h = 0; h < path_of(a, i, k)->n; h++)
				a->asked[path_of(a, i, k)->port[h]] += weight[k];
	for (uint32_t i = 0; i < a->n_flows; i++) {
		if (!weigh(a, i, available, weight))
			continue;
		for (unsigned k = 0; k < n; k++) {
			const struct path *p = path_of(a, i, k);
			double least = p->n && weight[k] > 0 ? 1 : 0;

			/* What is left is what was left when the requests were made. */
			for (uint32_t h = 0; h < p->n && least > 0; h++) {
				const double part = (available - a->used[p->port[h]]) * weight[k] /
					a->asked[p->port[h]];

				least = part < least ? part : least;
			}
			*got_of(a, round, i, k) += (float)least;
			given += least;
		}
	}
	return given;
}

/* Adds what the flows got in this round to what is used: `was` is what they had got on direct paths. */
static void
use(struct adapt *a, unsigned round, const float *was)
{
	for (uint32_t i = 0; i < a->n_flows; i++)
		for (unsigned k = 0; k < a->n_direct + a->n_indirect; k++) {
			const struct path *p = path_of(a, i, k);
			const double got = *got_of(a, round, i, k) - (k < a->n_direct ? was[(size_t)i * PATHS + k] : 0);

			for (uint32_t h = 0; h < p->n; h++)
				a->used[p->port[h]] += got;
		}
}

static void
share_out(struct adapt *a, float *was)
{
	const size_t n = (size_t)a->n_flows * PATHS;

	for (unsigned round = 0; round < a->rounds; round++) {
		const double available = a->n_indirect ? (round + 1.0) / a->rounds : 1;
		double given;

		if (a->n_indirect)
			draw_indirect(a, round);
		memcpy(was, a->got, n * sizeof(*was));
		given = give(a, round, available);
		use(a, round, was);
		if (!a->n_indirect && given < 1e-6)
			break;
	}
}

/* Sends the amount of each flow over its paths, in proportion to what they got. */
static void
send_all(struct adapt *a, double *sum, struct moore_predicted *out)
{
	for (unsigned round = 0; round < a->rounds; round++)
		for (uint32_t i = 0; i < a->n_flows; i++)
			for (unsigned k = round ? a->n_direct : 0; k < a->n_direct + a->n_indirect; k++)
				sum[i] += *got_of(a, round, i, k);
	for (unsigned round = 0; round < (a->n_indirect ? a->rounds : 1); round++) {
		if (a->n_indirect)
			draw_indirect(a, round);
		for (uint32_t i = 0; i < a->n_flows; i++)
			for (unsigned k = round ? a->n_direct : 0; k < a->n_direct + a->n_indirect; k++) {
				const struct path *p = path_of(a, i, k);
				const double part = sum[i] > 0 ? *got_of(a, round, i, k) / sum[i] : 0;

				for (uint32_t h = 0; h < p->n; h++)
					out->load[p->port[h]] += part * a->flow[i].amount;
			}
	}
	for (uint32_t i = 0; i < a->n_flows; i++)
		if (!(sum[i] > 0))
			out->lost += a->flow[i].amount;
}

int
moore_adapt_too_many(uint64_t n, const struct moore_predict_opts *o, struct moore_err *err)
{
	return moore_fail(err, MOORE_EINVAL, 0, "%s: %llu pairs of switches send, and memory is for %u: give "
			  "fewer processes, or use SD or SI", moore_routing_name(o->routing),
			  (unsigned long long)n, MOORE_ADAPT_PAIRS);
}

int
moore_predict_adaptive(struct moore_predicted *out, const struct moore_net *net,
		       const struct moore_pair *flow, uint32_t n_flows, const struct moore_predict_opts *o,
		       struct moore_arena *mem, struct moore_err *err)
{
	struct adapt a = { .net = net, .flow = flow, .n_flows = n_flows, .o = o,
		.n_direct = o->routing == MOORE_ROUTING_AD ? PATHS : o->routing == MOORE_ROUTING_AH ?
			DIRECT_OF_HYBRID : 0, .rounds = ROUNDS };
	const size_t n = (size_t)n_flows + 1, n_ports = (size_t)net->f->n_ports + 1;
	double *sum;
	float *was;

	if (n_flows > MOORE_ADAPT_PAIRS)
		return moore_adapt_too_many(n_flows, o, err);
	a.n_indirect = o->routing == MOORE_ROUTING_AD ? 0 : PATHS - a.n_direct;
	if (!(a.direct = moore_arena_alloc(mem, n * (a.n_direct + 1), sizeof(*a.direct))) ||
	    !(a.indirect = moore_arena_alloc(mem, n * (a.n_indirect + 1), sizeof(*a.indirect))) ||
	    !(a.got = moore_arena_alloc(mem, n * PATHS, (a.n_indirect ? ROUNDS : 1) * sizeof(*a.got))) ||
	    !(was = moore_arena_alloc(mem, n * PATHS, sizeof(*was))) ||
	    !(a.used = moore_arena_alloc(mem, n_ports, sizeof(*a.used))) ||
	    !(a.asked = moore_arena_alloc(mem, n_ports, sizeof(*a.asked))) ||
	    !(sum = moore_arena_alloc(mem, n, sizeof(*sum))) || !get_steps(&a, mem))
		return moore_fail_nomem(err);
	if (a.n_direct)
		draw_direct(&a);
	share_out(&a, was);
	send_all(&a, sum, out);
	return 0;
}
