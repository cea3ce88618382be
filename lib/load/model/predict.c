// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* predict.c - the traffic on links: static routings here, adaptive ones in adapt.c.
 *
 * Traffic from everywhere to one switch is sent from the farthest switches inwards, so that all sources
 * are served by one search.  Where only some switches send to it, the distances to many such switches are
 * found at once, and paths are followed from the sources.  The switches that receive are split into CHUNKS parts, each with a sum of its own, and
 * the sums are added in order: the result does not depend on the workers.
 *
 * Static indirect routing is that of Valiant in expectation: every switch sends an n-th of its traffic
 * to each switch, and receives an n-th of its traffic from each. */
#include <stdlib.h>
#include <string.h>

#include "load/model/net.h"

#define CHUNKS 16

static const char *const routing[] = {
	[MOORE_ROUTING_SD] = "SD",
	[MOORE_ROUTING_SI] = "SI",
	[MOORE_ROUTING_AD] = "AD",
	[MOORE_ROUTING_AI] = "AI",
	[MOORE_ROUTING_AH] = "AH",
	[MOORE_ROUTING_TABLES] = "tables",
	[MOORE_ROUTING_OWN] = "own",
};

const char *
moore_routing_name(enum moore_routing r)
{
	return r < MOORE_N_ROUTINGS ? routing[r] : NULL;
}

/* ---- what each switch sends and receives ------------------------------------------------ */

struct model {
	struct moore_net net;
	const struct moore_predict_opts *o;
	struct moore_pair *pair;	/* by receiver; n_pairs of them */
	uint32_t n_pairs;
	/* Beside the pairs, switch s sends send[s] * takes[x] + gives[s] * receive[x] to switch x; NULL:
	 * nothing. */
	double *send, *takes, *gives, *receive;
	moore_swid *receiver;	/* to which something is sent, n_receivers of them */
	uint32_t *first;	/* of each receiver: its first pair */
	uint32_t n_receivers;
	double scale;		/* of the product above, when some receivers stand for all */
	struct moore_arena mem;
	struct chunk {
		double *load, *amount;
		double lost;
		struct moore_ways ways;		/* of products, and of pairs that are far apart */
		struct moore_near near;		/* of pairs */
		moore_swid *source;
	} chunk[CHUNKS];
};

static int
by_receiver(const void *x, const void *y)
{
	const struct moore_pair *a = x, *b = y;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->n_direct < b->n_direct ? -1 : a->n_direct > b->n_direct;
}

/* Joins the pairs of the same switches, which lie side by side. */
static void
join_equal(struct model *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_pairs; i++)
		if (n && by_receiver(&m->pair[n - 1], &m->pair[i]) == 0)
			m->pair[n - 1].amount += m->pair[i].amount;
		else
			m->pair[n++] = m->pair[i];
	m->n_pairs = n;
}

/* How many of the MOORE_ADAPT_PATHS paths of a flow are direct. */
static uint32_t
n_direct(enum moore_routing r)
{
	return r == MOORE_ROUTING_AD ? MOORE_ADAPT_PATHS : r == MOORE_ROUTING_AH ? MOORE_ADAPT_PATHS / 2 : 0;
}

static int
list_pairs(struct model *m, const struct moore_traffic *t, struct moore_err *err)
{
	const struct moore_fabric *f = m->net.f;

	m->pair = moore_arena_alloc(&m->mem, (size_t)t->n_flows + 1, sizeof(*m->pair));
	if (!m->pair)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < t->n_flows; i++) {
		const moore_swid from = f->ep[t->flow[i].from].sw, to = f->ep[t->flow[i].to].sw;
		const enum moore_routing own = m->o->routing == MOORE_ROUTING_OWN ?
			(enum moore_routing)t->routing[i] : m->o->routing;

		if (from != to)
			m->pair[m->n_pairs++] = (struct moore_pair){ to, from, n_direct(own), t->flow[i].amount };
	}
	if (m->n_pairs)
		qsort(m->pair, m->n_pairs, sizeof(*m->pair), by_receiver);
	join_equal(m);
	return 0;
}

static bool
get_products(struct model *m)
{
	const size_t n = (size_t)m->net.n + 1;

	return (m->send = moore_arena_alloc(&m->mem, n, sizeof(double))) &&
		(m->takes = moore_arena_alloc(&m->mem, n, sizeof(double))) &&
		(m->gives = moore_arena_alloc(&m->mem, n, sizeof(double))) &&
		(m->receive = moore_arena_alloc(&m->mem, n, sizeof(double)));
}

/* Every node sends to all others: between switches, by their numbers of nodes. */
static void
set_uniform(struct model *m, const struct moore_traffic *t)
{
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		const moore_swid s = m->net.f->ep[t->node[i]].sw;

		m->send[s] += 1.0 / (t->n_nodes - 1.0);
		m->takes[s] += 1;
	}
}

/* What is sent from s goes over all switches, and so does what x receives.  Traffic between the
 * nodes of one switch stays there. */
static void
set_indirect(struct model *m, const struct moore_traffic *t)
{
	const double all = m->net.n;

	for (moore_swid s = 0; t->uniform && s < m->net.n; s++) {
		const double out = m->send[s] * (t->n_nodes - m->takes[s]);

		m->gives[s] = 1 / all;		/* to x: the n-th part of what x receives, ... */
		m->receive[s] = out;
		m->send[s] = out / all;		/* ... and the n-th part of what s sends */
		m->takes[s] = 1;
	}
	for (uint32_t i = 0; i < m->n_pairs; i++) {
		m->send[m->pair[i].from] += m->pair[i].amount / all;
		m->receive[m->pair[i].to] += m->pair[i].amount;
	}
	for (moore_swid s = 0; !t->uniform && s < m->net.n; s++) {
		m->gives[s] = 1 / all;
		m->takes[s] = 1;
	}
	m->n_pairs = 0;
}

/* Lists the switches that receive; of a product, some that are spread over all may stand for them. */
static int
list_receivers(struct model *m, bool product, struct moore_predicted *out, struct moore_err *err)
{
	const uint32_t n = m->net.n, sample = m->o->sample;
	uint32_t i = 0;

	m->receiver = moore_arena_alloc(&m->mem, (size_t)n + 1, sizeof(*m->receiver));
	m->first = moore_arena_alloc(&m->mem, (size_t)n + 2, sizeof(*m->first));
	if (!m->receiver || !m->first)
		return moore_fail_nomem(err);
	m->scale = 1;
	if (product && sample && n > sample) {
		m->scale = (double)n / sample;
		out->sampled = sample;
		for (uint32_t k = 0; k < sample; k++)
			m->receiver[m->n_receivers++] = (moore_swid)((uint64_t)k * n / sample);
		return 0;
	}
	for (moore_swid x = 0; x < n; x++) {
		const uint32_t begin = i;

		while (i < m->n_pairs && m->pair[i].to == x)
			i++;
		if (i == begin && !(product && (m->takes[x] > 0 || m->receive[x] > 0)))
			continue;
		m->first[m->n_receivers] = begin;
		m->receiver[m->n_receivers++] = x;
	}
	m->first[m->n_receivers] = m->n_pairs;
	return 0;
}

/* ---- direct and indirect routing ------------------------------------------------------------- */

static void
send_product(const struct model *m, struct chunk *c, moore_swid x)
{
	uint32_t n = 0;

	for (moore_swid s = 0; s < m->net.n; s++) {
		c->amount[s] = m->scale * (m->send[s] * m->takes[x] + m->gives[s] * m->receive[x]);
		n += c->amount[s] > 0;
	}
	moore_ways_to(&c->ways, &m->net, x, c->amount, n);
	c->lost += moore_ways_send(&c->ways, &m->net, c->amount, c->load);
}

/* Sends the pairs of the receivers from, from + CHUNKS, ..., n of them. */
static void
send_pairs(const struct model *m, struct chunk *c, uint32_t from, uint32_t n)
{
	moore_swid x[MOORE_NEAR_SWITCHES];
	bool near;

	for (uint32_t i = 0; i < n; i++)
		x[i] = m->receiver[from + i * CHUNKS];
	near = moore_near_to(&c->near, &m->net, x, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_sources = 0, r = from + i * CHUNKS;

		for (uint32_t k = m->first[r]; k < m->first[r + 1]; k++) {
			if (c->amount[m->pair[k].from] == 0)
				c->source[n_sources++] = m->pair[k].from;
			c->amount[m->pair[k].from] += m->pair[k].amount;
		}
		if (near) {
			c->lost += moore_near_send(&c->near, &m->net, i, c->source, n_sources, c->amount,
						   c->load);
		} else {
			moore_ways_to(&c->ways, &m->net, x[i], c->amount, n_sources);
			c->lost += moore_ways_send(&c->ways, &m->net, c->amount, c->load);
		}
	}
}

static void
do_chunk(void *arg, unsigned worker, size_t i)
{
	struct model *m = arg;
	uint32_t k = (uint32_t)i;

	(void)worker;
	for (; m->send && k < m->n_receivers; k += CHUNKS)
		send_product(m, &m->chunk[i], m->receiver[k]);
	while (k < m->n_receivers) {
		const uint32_t left = (m->n_receivers - k + CHUNKS - 1) / CHUNKS;
		const uint32_t n = left < MOORE_NEAR_SWITCHES ? left : MOORE_NEAR_SWITCHES;

		send_pairs(m, &m->chunk[i], k, n);
		k += n * CHUNKS;
	}
}

static bool
get_chunk(struct model *m, struct chunk *c)
{
	const size_t n = (size_t)m->net.n + 1;

	return (c->load = moore_arena_alloc(&m->mem, (size_t)m->net.f->n_ports + 1, sizeof(*c->load))) &&
		(c->amount = moore_arena_alloc(&m->mem, n, sizeof(*c->amount))) &&
		moore_ways_init(&c->ways, &m->net, &m->mem) &&
		(m->send || ((c->source = moore_arena_alloc(&m->mem, n, sizeof(*c->source))) &&
			     moore_near_init(&c->near, &m->net, &m->mem)));
}

/* The parts of a sample tell how far its sum may be from that over all: the variance of the load of a
 * link is that of a part's, times their number and the share of switches outside the sample; the mean
 * over the links that carry something. */
static double
sampling_variance(const struct model *m, const double *load)
{
	double sum = 0;
	size_t n = 0;

	for (size_t p = 0; p < m->net.f->n_ports; p++) {
		double squares = 0;

		for (unsigned i = 0; i < CHUNKS; i++) {
			const double off = m->chunk[i].load[p] - load[p] / CHUNKS;

			squares += off * off;
		}
		sum += squares * CHUNKS / (CHUNKS - 1);
		n += load[p] > 0;
	}
	return n ? sum / (double)n * (1 - 1 / m->scale) : 0;
}

static int
predict_static(struct model *m, const struct moore_traffic *t, struct moore_predicted *out,
	       struct moore_err *err)
{
	const bool indirect = m->o->routing == MOORE_ROUTING_SI, product = t->uniform || indirect;
	const size_t n_ports = (size_t)m->net.f->n_ports + 1;
	int rc;

	if (!t->uniform && (rc = list_pairs(m, t, err)) < 0)
		return rc;
	if (product && !get_products(m))
		return moore_fail_nomem(err);
	if (t->uniform)
		set_uniform(m, t);
	if (indirect)
		set_indirect(m, t);
	if ((rc = list_receivers(m, product, out, err)) < 0)
		return rc;
	for (unsigned i = 0; i < CHUNKS; i++)
		if (!get_chunk(m, &m->chunk[i]))
			return moore_fail_nomem(err);
	if (m->o->jobs)
		m->o->jobs->run(m->o->jobs->width, CHUNKS, do_chunk, m);
	else
		for (size_t i = 0; i < CHUNKS; i++)
			do_chunk(m, 0, i);
	for (unsigned i = 0; i < CHUNKS; i++) {
		out->lost += m->chunk[i].lost;
		for (size_t p = 0; p < n_ports; p++)
			out->load[p] += m->chunk[i].load[p];
	}
	if (out->sampled)
		out->variance = sampling_variance(m, out->load);
	return 0;
}

/* ---- adaptive routing: adapt.c ----------------------------------------------------------- */

/* Lists what each switch sends to each other when every node sends to all others. */
static int
list_all_pairs(struct model *m, const struct moore_traffic *t, struct moore_err *err)
{
	uint32_t n = 0;

	if (!get_products(m))
		return moore_fail_nomem(err);
	set_uniform(m, t);
	for (moore_swid s = 0; s < m->net.n; s++)
		n += m->takes[s] > 0;
	if ((uint64_t)n * n > MOORE_ADAPT_PAIRS)
		return moore_adapt_too_many((uint64_t)n * n, m->o, err);
	if (!(m->pair = moore_arena_alloc(&m->mem, (size_t)n * n + 1, sizeof(*m->pair))))
		return moore_fail_nomem(err);
	for (moore_swid x = 0; x < m->net.n; x++)
		for (moore_swid s = 0; s < m->net.n && m->takes[x] > 0; s++)
			if (s != x && m->takes[s] > 0)
				m->pair[m->n_pairs++] = (struct moore_pair){ x, s, n_direct(m->o->routing),
					m->send[s] * m->takes[x] };
	return 0;
}

static int
predict_adaptive(struct model *m, const struct moore_traffic *t, struct moore_predicted *out,
		 struct moore_err *err)
{
	int rc;

	if (m->o->routing == MOORE_ROUTING_OWN && (t->uniform || !t->routing))
		return moore_fail(err, MOORE_EINVAL, 0, "own: the flows have no routings of their own");
	rc = t->uniform ? list_all_pairs(m, t, err) : list_pairs(m, t, err);
	return rc < 0 ? rc : moore_predict_adaptive(out, &m->net, m->pair, m->n_pairs, m->o, &m->mem, err);
}

/* ---- forwarding tables ------------------------------------------------------------------------- */

static void
send_by_tables(const struct model *m, moore_epid from, moore_epid to, double amount,
	       struct moore_predicted *out)
{
	const struct moore_fabric *f = m->net.f;
	const struct moore_endpoint *e = &f->ep[to];
	const unsigned n = 1u << e->lmc;
	uint32_t port[MOORE_HOPS_MAX];

	for (unsigned i = 0; i < n; i++) {
		const uint32_t hops = moore_net_follow(f, m->o->lft, f->ep[from].sw, e->lid + i, e->sw, port);

		if (hops == MOORE_NONE)
			out->lost += amount / n;
		for (uint32_t h = 0; hops != MOORE_NONE && h < hops; h++)
			out->load[port[h]] += amount / n;
	}
}

static int
predict_tables(struct model *m, const struct moore_traffic *t, struct moore_predicted *out,
	       struct moore_err *err)
{
	const int rc = moore_net_check(m->net.f, m->o->lft, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < t->n_flows && !t->uniform; i++)
		send_by_tables(m, t->flow[i].from, t->flow[i].to, t->flow[i].amount, out);
	for (uint32_t i = 0; i < t->n_nodes && t->uniform; i++)
		for (uint32_t k = 0; k < t->n_nodes; k++)
			if (i != k)
				send_by_tables(m, t->node[i], t->node[k], 1.0 / (t->n_nodes - 1.0), out);
	return 0;
}

int
moore_predict(struct moore_predicted *out, const struct moore_fabric *f, const struct moore_traffic *t,
	      const struct moore_predict_opts *o, struct moore_err *err)
{
	struct model m = { .o = o, .mem = MOORE_ARENA_INIT };
	int rc;

	*out = (struct moore_predicted){ .load = calloc((size_t)f->n_ports + 1, sizeof(double)) };
	if (!out->load)
		return moore_fail_nomem(err);
	if ((rc = moore_net_init(&m.net, f, &m.mem, err)) == 0)
		rc = o->routing == MOORE_ROUTING_TABLES ? predict_tables(&m, t, out, err) :
			o->routing <= MOORE_ROUTING_SI ? predict_static(&m, t, out, err) :
			predict_adaptive(&m, t, out, err);
	moore_arena_free(&m.mem);
	if (rc < 0) {
		free(out->load);
		out->load = NULL;
	}
	return rc;
}
