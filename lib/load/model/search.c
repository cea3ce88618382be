// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* search.c - a placement of processes that loads the fullest link least, by simulated annealing.
 *
 * What is minimised is the sum over all links of the fourth power of their loads: unlike the greatest
 * load, it also tells whether a step that leaves the fullest link alone is a good one.  Of the
 * placements on the way, the one with the least greatest load is kept. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "load/model/net.h"

#define CHECKS 256		/* how often the greatest load is looked at, and the heat falls */
#define FALL 0.96		/* to so much: in the end to a 35,000th */

struct search {
	const struct moore_job_search *o;
	const struct moore_fabric *f;
	struct moore_net net;
	const struct moore_flow *flow;
	moore_epid *node;	/* of each process */
	uint32_t *process;	/* of each node, or MOORE_NONE */
	uint32_t n;
	uint32_t *first, *of;	/* flows of process i: of[first[i]] to of[first[i + 1] - 1] */
	uint8_t *far;		/* [to * switches + from], plus 1; with SD */
	double *paths;
	double *load;		/* by port */
	double cost;
	double *amount;		/* scratch, by switch */
	moore_swid *queue;
	struct moore_arena mem;
};

static void
change(struct search *s, uint32_t port, double by)
{
	const double a = s->load[port] * s->load[port], now = s->load[port] + by, b = now * now;

	s->load[port] = now;
	s->cost += b * b - a * a;
}

static void
send_direct(struct search *s, moore_swid from, moore_swid to, double amount)
{
	const uint8_t *far = s->far + (size_t)to * s->net.n;
	const double *paths = s->paths + (size_t)to * s->net.n;
	uint32_t tail = 1;

	s->queue[0] = from;
	s->amount[from] = amount;
	for (uint32_t i = 0; i < tail && far[from]; i++) {
		const moore_swid at = s->queue[i];
		const double each = s->amount[at] / paths[at];

		s->amount[at] = 0;
		for (uint32_t k = s->net.at[at]; at != to && k < s->net.at[at + 1]; k++) {
			const moore_swid next = s->net.to[k];

			if (far[next] + 1 != far[at])
				continue;
			if (s->amount[next] == 0 && next != to)
				s->queue[tail++] = next;
			s->amount[next] += each * paths[next];
			change(s, s->net.port[k], each * paths[next]);
		}
	}
	s->amount[to] = s->amount[from] = 0;
}

/* What has no route loads no link. */
static void
send_by_tables(struct search *s, moore_swid from, moore_epid to, double amount)
{
	const struct moore_endpoint *e = &s->f->ep[to];
	const unsigned n = 1u << e->lmc;
	uint32_t port[MOORE_HOPS_MAX];

	for (unsigned i = 0; i < n; i++) {
		const uint32_t hops = moore_net_follow(s->f, s->o->lft, from, e->lid + i, e->sw, port);

		for (uint32_t h = 0; hops != MOORE_NONE && h < hops; h++)
			change(s, port[h], amount / n);
	}
}

static void
send(struct search *s, const struct moore_flow *flow, double sign)
{
	const moore_epid from = s->node[flow->from], to = s->node[flow->to];

	if (s->f->ep[from].sw == s->f->ep[to].sw)
		return;
	if (s->o->routing == MOORE_ROUTING_SD)
		send_direct(s, s->f->ep[from].sw, s->f->ep[to].sw, sign * flow->amount);
	else
		send_by_tables(s, s->f->ep[from].sw, to, sign * flow->amount);
}

/* Adds the flows of a process, times `sign`; those to and from `but` are left to its own turn. */
static void
send_of(struct search *s, uint32_t process, uint32_t but, double sign)
{
	for (uint32_t i = s->first[process]; i < s->first[process + 1]; i++) {
		const struct moore_flow *flow = &s->flow[s->of[i]];

		if (flow->from != but && flow->to != but)
			send(s, flow, sign);
	}
}

/* Puts a process on a node, and the process that runs there, if any, on the node that it leaves. */
static void
exchange(struct search *s, uint32_t process, moore_epid to)
{
	const moore_epid from = s->node[process];
	const uint32_t other = s->process[to];

	send_of(s, process, MOORE_NONE, -1);
	if (other != MOORE_NONE)
		send_of(s, other, process, -1);
	s->node[process] = to;
	s->process[to] = process;
	s->process[from] = other;
	if (other != MOORE_NONE)
		s->node[other] = from;
	send_of(s, process, MOORE_NONE, 1);
	if (other != MOORE_NONE)
		send_of(s, other, process, 1);
}

static double
greatest(const struct search *s)
{
	double most = 0;

	for (uint32_t i = 0; i < s->f->n_ports; i++)
		most = s->load[i] > most ? s->load[i] : most;
	return most;
}

/* Loads are sums of many steps: they are computed afresh now and then, so that rounding does not grow. */
static void
load_afresh(struct search *s)
{
	memset(s->load, 0, ((size_t)s->f->n_ports + 1) * sizeof(*s->load));
	s->cost = 0;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
			if (s->flow[s->of[k]].from == i)
				send(s, &s->flow[s->of[k]], 1);
}

static double
random_share(struct moore_rng *r)
{
	return (double)(moore_rng_next(r) >> 11) * 0x1p-53;
}

/* Anneals: a step that raises the cost by x is accepted with the probability 1 / (1 + x / heat)^2, which
 * needs no exponential.  The heat begins at the cost of one process. */
static void
anneal(struct search *s, moore_epid *best)
{
	struct moore_rng r = { s->o->seed };
	double least = greatest(s), heat = s->cost / s->n;
	const uint64_t each = s->o->iterations / CHECKS + 1;

	for (int check = 0; check < CHECKS && s->cost > 0; check++, heat *= FALL) {
		for (uint64_t i = 0; i < each; i++) {
			const uint32_t process = moore_rng_below(&r, s->n);
			const moore_epid from = s->node[process], to = moore_rng_below(&r, s->f->n_endpoints);
			const double before = s->cost, chance = random_share(&r);

			if (to == from || (s->o->taken && s->o->taken[to]))
				continue;
			exchange(s, process, to);
			if (s->cost > before && chance * (1 + (s->cost - before) / heat) *
			    (1 + (s->cost - before) / heat) > 1)
				exchange(s, process, from);
		}
		load_afresh(s);
		if (greatest(s) < least) {
			least = greatest(s);
			memcpy(best, s->node, s->n * sizeof(*best));
		}
		if (s->o->progress)
			s->o->progress(s->o->arg, (check + 1.0) / CHECKS);
	}
}

/* ---- what is prepared ------------------------------------------------------------------------ */

static int
list_flows(struct search *s, uint32_t n_flows, struct moore_err *err)
{
	uint32_t *at;

	s->first = moore_arena_alloc(&s->mem, (size_t)s->n + 2, sizeof(*s->first));
	s->of = moore_arena_alloc(&s->mem, 2 * (size_t)n_flows + 1, sizeof(*s->of));
	at = moore_arena_alloc(&s->mem, (size_t)s->n + 2, sizeof(*at));
	if (!s->first || !s->of || !at)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < n_flows; i++) {
		s->first[s->flow[i].from + 1]++;
		s->first[s->flow[i].to + 1]++;
	}
	for (uint32_t i = 1; i <= s->n; i++)
		s->first[i] += s->first[i - 1];
	memcpy(at, s->first, ((size_t)s->n + 1) * sizeof(*at));
	for (uint32_t i = 0; i < n_flows; i++) {
		s->of[at[s->flow[i].from]++] = i;
		s->of[at[s->flow[i].to]++] = i;
	}
	return 0;
}

static int
search_all(struct search *s, struct moore_err *err)
{
	const size_t n = s->net.n;
	struct moore_ways w;

	s->far = moore_arena_alloc(&s->mem, n * n + 1, sizeof(*s->far));
	s->paths = moore_arena_alloc(&s->mem, n * n + 1, sizeof(*s->paths));
	if (!s->far || !s->paths || !moore_ways_init(&w, &s->net, &s->mem))
		return moore_fail_nomem(err);
	for (moore_swid x = 0; x < n; x++) {
		moore_ways_to(&w, &s->net, x, NULL, 0);
		for (size_t i = 0; i < n; i++) {
			s->far[x * n + i] = (uint8_t)(w.far[i] < UINT8_MAX ? w.far[i] : 0);
			s->paths[x * n + i] = w.paths[i];
		}
	}
	return 0;
}

static int
prepare(struct search *s, uint32_t n_flows, struct moore_err *err)
{
	int rc;

	if (s->o->routing != MOORE_ROUTING_SD && s->o->routing != MOORE_ROUTING_TABLES)
		return moore_fail(err, MOORE_EINVAL, 0, "a placement is searched for with SD or tables");
	if (s->o->routing == MOORE_ROUTING_TABLES && (rc = moore_net_check(s->f, s->o->lft, err)) < 0)
		return rc;
	if ((rc = moore_net_init(&s->net, s->f, &s->mem, err)) < 0 || (rc = list_flows(s, n_flows, err)) < 0 ||
	    (s->o->routing == MOORE_ROUTING_SD && (rc = search_all(s, err)) < 0))
		return rc;
	s->load = moore_arena_alloc(&s->mem, (size_t)s->f->n_ports + 1, sizeof(*s->load));
	s->amount = moore_arena_alloc(&s->mem, (size_t)s->net.n + 1, sizeof(*s->amount));
	s->queue = moore_arena_alloc(&s->mem, (size_t)s->net.n + 1, sizeof(*s->queue));
	s->process = moore_arena_alloc(&s->mem, (size_t)s->f->n_endpoints + 1, sizeof(*s->process));
	if (!s->load || !s->amount || !s->queue || !s->process)
		return moore_fail_nomem(err);
	for (moore_epid e = 0; e < s->f->n_endpoints; e++)
		s->process[e] = MOORE_NONE;
	for (uint32_t i = 0; i < s->n; i++)
		s->process[s->node[i]] = i;
	return 0;
}

int
moore_job_search(moore_epid *node, uint32_t n, const struct moore_fabric *f, const struct moore_flow *flow,
		 uint32_t n_flows, const struct moore_job_search *o, struct moore_err *err)
{
	struct search s = { .o = o, .f = f, .flow = flow, .n = n, .mem = MOORE_ARENA_INIT };
	int rc;

	s.node = moore_arena_alloc(&s.mem, (size_t)n + 1, sizeof(*s.node));
	if (!s.node) {
		rc = moore_fail_nomem(err);
	} else {
		memcpy(s.node, node, n * sizeof(*node));
		if ((rc = prepare(&s, n_flows, err)) == 0) {
			load_afresh(&s);
			anneal(&s, node);
		}
	}
	moore_arena_free(&s.mem);
	return rc;
}
