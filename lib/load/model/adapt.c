// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* adapt.c - adaptive routing: the iterative solution of Jain et al., SC'14, section III.
 *
 * Every link has the bandwidth 1.  The messages from one switch to another are one flow.  In each round
 * every flow asks for bandwidth on its paths: more on those whose fullest link has more left, and more if it
 * sends more.  A path gets the least share that one of its links can give.  In the end the amount of a flow is
 * divided among its paths in proportion to what they got.
 *
 * Direct paths are the same in all rounds.  Indirect ones lead over switches that are drawn anew in each
 * round, and of the bandwidth a further part becomes available in each of the first rounds, so that the
 * first paths do not take all.  Each of the TREES switches of a round has a tree of shortest paths; the flows
 * are in as many classes, and the k-th indirect path of a flow of class c goes up and down tree
 * c + k * TREES / PATHS.  So a path costs the same however long it is, and none is kept: a second run makes all
 * rounds again, when it is known what each flow gets in sum, and sends the traffic.
 *
 * A class meets only trees of the same number modulo PARTS.  Each part keeps sums of its own by port, and they
 * are added in order: the result does not depend on the workers. */
#include <string.h>

#include "base/jobs.h"
#include "load/model/adapt.h"

#define ROUNDS 50		/* beyond which the paper saw no effect */
#define PATHS MOORE_ADAPT_PATHS
#define TREES 64		/* in one round, and classes of flows */
#define PARTS 8			/* divides TREES / PATHS */
#define FULL 1e-6		/* of a link that is full: what rounding may leave, and no flow asks for */

struct flow {
	moore_swid from, to;
	uint32_t n_direct;		/* of its PATHS */
	double amount;
};

struct adapt {
	const struct moore_net *net;
	const struct moore_predict_opts *o;
	unsigned n_direct, n_indirect;	/* paths of each kind in a round: the most of a flow */
	unsigned round;
	double available;		/* of each link in this round */
	uint32_t first[TREES + 1];	/* flow of each class */
	struct flow *flow;		/* by class */
	struct moore_directs direct;	/* by flow */
	float *asked;			/* [flow * PATHS + path]: in this round */
	float *got;			/* [flow * n_direct + path]: in all rounds */
	double *sum;			/* by flow: what it got on all paths */
	bool sending;			/* the second run: sum[] is known */
	double *used, *value;		/* by port; value: what is left, then that for each that was asked */
	uint32_t *back;			/* by arc: the port that sends along it in the other direction */
	struct moore_tree tree[TREES];
	struct moore_tree_work *work;	/* by worker */
	struct part {
		double *at;		/* by port: what is asked of it, then what it gave */
		double *load;		/* by port: what is sent */
		double given;
	} part[PARTS];
};

static void
run(struct adapt *a, size_t n, void (*job)(void *arg, unsigned worker, size_t i))
{
	moore_jobs_run(a->o->jobs, moore_jobs_width(a->o->jobs, n), n, job, a);
}

static void
draw_tree(void *arg, unsigned worker, size_t i)
{
	struct adapt *a = arg;
	struct moore_rng rng = { (a->o->seed * 0x9e3779b97f4a7c15 + a->round) * TREES + i };
	const moore_swid root = moore_rng_below(&rng, a->net->n);

	moore_tree_draw(&a->tree[i], a->net, a->back, root, &a->work[worker], &rng);
}

static struct moore_tree *
tree_of(struct adapt *a, uint32_t class, unsigned k)
{
	return &a->tree[(class + k * (TREES / PATHS)) % TREES];
}

static float
least_of(const struct adapt *a, const struct moore_direct *d, unsigned path)
{
	const uint32_t *port = d->port + (size_t)path * d->hops;
	double least = path < d->paths ? a->value[port[0]] : 0;

	for (uint32_t h = 1; path < d->paths && h < d->hops; h++)
		least = a->value[port[h]] < least ? a->value[port[h]] : least;
	return (float)least;
}

static void
add_to(double *at, const struct moore_direct *d, unsigned path, double what)
{
	const uint32_t *port = d->port + (size_t)path * d->hops;

	for (uint32_t h = 0; path < d->paths && h < d->hops; h++)
		at[port[h]] += what;
}

/* The least value of a link of each path of a flow. */
static void
look_at(struct adapt *a, uint32_t class, uint32_t i, float *least)
{
	const struct flow *f = &a->flow[i];

	for (unsigned k = 0; k < f->n_direct; k++)
		*least++ = least_of(a, &a->direct.flow[i], k);
	for (unsigned k = 0; k < PATHS - f->n_direct; k++) {
		const struct moore_tree *t = tree_of(a, class, k);
		const float up = t->up[f->from].least, down = t->down[f->to].least;

		*least++ = up < down ? up : down;
	}
}

static void
put(struct adapt *a, uint32_t class, uint32_t i, double *at, const float *what)
{
	const struct flow *f = &a->flow[i];

	for (unsigned k = 0; k < f->n_direct; k++)
		add_to(at, &a->direct.flow[i], k, *what++);
	for (unsigned k = 0; k < PATHS - f->n_direct; k++, what++) {
		struct moore_tree *t = tree_of(a, class, k);

		t->up[f->from].sum += *what;
		t->down[f->to].sum += *what;
	}
}

/* Sets the values of the trees of a part. */
static void
look_at_trees(struct adapt *a, size_t part)
{
	for (size_t t = part; a->n_indirect && t < TREES; t += PARTS)
		moore_tree_least(&a->tree[t], a->value);
}

static void
add_trees(struct adapt *a, size_t part)
{
	for (size_t t = part; a->n_indirect && t < TREES; t += PARTS) {
		moore_tree_add_sums(&a->tree[t], a->part[part].at);
		if (a->sending)
			moore_tree_add_sent(&a->tree[t], a->part[part].load);
	}
}

/* The requests of the flows of a part: their amounts, on paths in proportion to what these have left. */
static void
ask(void *arg, unsigned worker, size_t part)
{
	struct adapt *a = arg;

	(void)worker;
	look_at_trees(a, part);
	for (uint32_t class = (uint32_t)part; class < TREES; class += PARTS)
		for (uint32_t i = a->first[class]; i < a->first[class + 1]; i++) {
			float *asked = &a->asked[(size_t)i * PATHS];
			double sum = 0;

			look_at(a, class, i, asked);
			for (unsigned k = 0; k < PATHS; k++)
				sum += asked[k];
			for (unsigned k = 0; k < PATHS && sum > 0; k++)
				asked[k] = (float)(asked[k] * a->flow[i].amount / sum);
			if (sum > 0)
				put(a, class, i, a->part[part].at, asked);
		}
	add_trees(a, part);
}

/* Keeps what a flow got in this round, or sends the part of its amount that this is. */
static void
keep(struct adapt *a, uint32_t class, uint32_t i, const float *got)
{
	const struct flow *f = &a->flow[i];

	for (unsigned k = 0; k < f->n_direct; k++)
		a->got[(size_t)i * a->n_direct + k] += got[k];
	for (unsigned k = 0; !a->sending && k < PATHS; k++)
		a->sum[i] += got[k];
	for (unsigned k = 0; a->sending && k < PATHS - f->n_direct && a->sum[i] > 0; k++) {
		const double sent = got[f->n_direct + k] / a->sum[i] * f->amount;
		struct moore_tree *t = tree_of(a, class, k);

		t->up[f->from].sent += sent;
		t->down[f->to].sent += sent;
	}
}

/* What the paths of a part get of their requests. */
static void
give(void *arg, unsigned worker, size_t part)
{
	struct adapt *a = arg;
	double given = 0;

	(void)worker;
	look_at_trees(a, part);
	for (uint32_t class = (uint32_t)part; class < TREES; class += PARTS)
		for (uint32_t i = a->first[class]; i < a->first[class + 1]; i++) {
			const float *asked = &a->asked[(size_t)i * PATHS];
			float got[PATHS];

			look_at(a, class, i, got);
			for (unsigned k = 0; k < PATHS; k++) {
				got[k] = asked[k] > 0 ? got[k] * asked[k] : 0;
				got[k] = got[k] > 1 ? 1 : got[k];
				given += got[k];
			}
			put(a, class, i, a->part[part].at, got);
			keep(a, class, i, got);
		}
	add_trees(a, part);
	a->part[part].given = given;
}

/* The sum of what the parts have at a port, which is cleared. */
static double
take_parts(struct adapt *a, size_t port)
{
	double sum = 0;

	for (unsigned i = 0; i < PARTS; i++) {
		sum += a->part[i].at[port];
		a->part[i].at[port] = 0;
	}
	return sum;
}

static size_t
port_of_part(const struct adapt *a, size_t part)
{
	return ((size_t)a->net->f->n_ports + 1) * part / PARTS;
}

/* Before requests: what each link has left after the round before. */
static void
settle(void *arg, unsigned worker, size_t part)
{
	struct adapt *a = arg;

	(void)worker;
	for (size_t p = port_of_part(a, part); p < port_of_part(a, part + 1); p++) {
		a->used[p] += take_parts(a, p);
		a->value[p] = a->available - a->used[p] > FULL ? a->available - a->used[p] : 0;
	}
}

/* After requests: what each link gives for each that was asked of it. */
static void
price(void *arg, unsigned worker, size_t part)
{
	struct adapt *a = arg;

	(void)worker;
	for (size_t p = port_of_part(a, part); p < port_of_part(a, part + 1); p++) {
		const double asked = take_parts(a, p);

		a->value[p] = asked > 0 ? a->value[p] / asked : 0;
	}
}

static void
share_out(struct adapt *a, uint32_t n_flows)
{
	const size_t n_ports = (size_t)a->net->f->n_ports + 1;

	memset(a->used, 0, n_ports * sizeof(*a->used));
	memset(a->got, 0, (size_t)n_flows * a->n_direct * sizeof(*a->got));
	for (unsigned i = 0; i < PARTS; i++)
		memset(a->part[i].at, 0, n_ports * sizeof(*a->part[i].at));
	for (a->round = 0; a->round < ROUNDS; a->round++) {
		double given = 0;

		a->available = a->n_indirect ? (a->round + 1.0) / ROUNDS : 1;
		if (a->n_indirect)
			run(a, TREES, draw_tree);
		run(a, PARTS, settle);
		run(a, PARTS, ask);
		run(a, PARTS, price);
		run(a, PARTS, give);
		for (unsigned i = 0; i < PARTS; i++)
			given += a->part[i].given;
		if (!a->n_indirect && given < 1e-6)
			break;
	}
}

/* Sends the amount of each flow over its direct paths, in proportion to what they got. */
static void
send_direct(void *arg, unsigned worker, size_t part)
{
	struct adapt *a = arg;

	(void)worker;
	for (uint32_t class = (uint32_t)part; class < TREES; class += PARTS)
		for (uint32_t i = a->first[class]; i < a->first[class + 1]; i++)
			for (unsigned k = 0; k < a->flow[i].n_direct && a->sum[i] > 0; k++)
				add_to(a->part[part].load, &a->direct.flow[i], k,
				       a->got[(size_t)i * a->n_direct + k] / a->sum[i] * a->flow[i].amount);
}

static void
add_loads(struct adapt *a, struct moore_predicted *out)
{
	for (unsigned i = 0; i < PARTS; i++)
		for (size_t p = 0; p <= a->net->f->n_ports; p++)
			out->load[p] += a->part[i].load[p];
	for (uint32_t i = 0; i < a->first[TREES]; i++)
		if (!(a->sum[i] > 0))
			out->lost += a->flow[i].amount;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Puts the flows in the order of classes, to which they go in turn, so that those of one switch are in
 * many.  place[i] is where flow i is then. */
static void
order_flows(struct adapt *a, const struct moore_pair *flow, uint32_t n, uint32_t *place)
{
	for (uint32_t class = 0; class < TREES; class++)
		a->first[class + 1] = a->first[class] + n / TREES + (class < n % TREES);
	for (uint32_t i = 0; i < n; i++) {
		place[i] = a->first[i % TREES] + i / TREES;
		a->flow[place[i]] = (struct flow){ flow[i].from, flow[i].to, flow[i].n_direct, flow[i].amount };
	}
}

static bool
get_trees(struct adapt *a, struct moore_arena *mem)
{
	const struct moore_net *net = a->net;
	const unsigned width = moore_jobs_width(a->o->jobs, TREES);
	const size_t n = (size_t)net->n + 1;

	if (!(a->back = moore_arena_alloc(mem, (size_t)net->at[net->n] + 1, sizeof(*a->back))) ||
	    !(a->work = moore_arena_alloc(mem, width, sizeof(*a->work))))
		return false;
	for (uint32_t k = 0; k < net->at[net->n]; k++)
		a->back[k] = net->f->sw[net->to[k]].port0 + net->f->port[net->port[k]].peer_port;
	for (unsigned i = 0; i < width; i++)
		if (!(a->work[i].far = moore_arena_alloc(mem, n, sizeof(uint32_t))) ||
		    !(a->work[i].paths = moore_arena_alloc(mem, n, sizeof(double))))
			return false;
	for (unsigned i = 0; i < TREES; i++)
		if (!moore_tree_init(&a->tree[i], net->n, mem))
			return false;
	return true;
}

static bool
get_room(struct adapt *a, uint32_t n_flows, struct moore_arena *mem)
{
	const size_t n = (size_t)n_flows + 1, n_ports = (size_t)a->net->f->n_ports + 1;

	for (unsigned i = 0; i < PARTS; i++)
		if (!(a->part[i].at = moore_arena_alloc(mem, n_ports, sizeof(double))) ||
		    !(a->part[i].load = moore_arena_alloc(mem, n_ports, sizeof(double))))
			return false;
	return (a->flow = moore_arena_alloc(mem, n, sizeof(*a->flow))) &&
		(a->asked = moore_arena_alloc(mem, n * PATHS, sizeof(*a->asked))) &&
		(a->got = moore_arena_alloc(mem, n * a->n_direct, sizeof(*a->got))) &&
		(a->sum = moore_arena_alloc(mem, n, sizeof(*a->sum))) &&
		(a->used = moore_arena_alloc(mem, n_ports, sizeof(*a->used))) &&
		(a->value = moore_arena_alloc(mem, n_ports, sizeof(*a->value))) &&
		(!a->n_indirect || get_trees(a, mem));
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
	struct adapt a = { .net = net, .o = o };
	uint32_t *place;
	int rc = 0;

	if (n_flows > MOORE_ADAPT_PAIRS)
		return moore_adapt_too_many(n_flows, o, err);
	for (uint32_t i = 0; i < n_flows; i++) {
		const unsigned indirect = PATHS - flow[i].n_direct;

		a.n_direct = flow[i].n_direct > a.n_direct ? flow[i].n_direct : a.n_direct;
		a.n_indirect = indirect > a.n_indirect ? indirect : a.n_indirect;
	}
	if (!get_room(&a, n_flows, mem) || !(place = moore_arena_alloc(mem, (size_t)n_flows + 1, sizeof(*place))))
		return moore_fail_nomem(err);
	order_flows(&a, flow, n_flows, place);
	if (a.n_direct)
		rc = moore_directs_draw(&a.direct, net, flow, n_flows, place, o, mem, err);
	if (rc == 0) {
		share_out(&a, n_flows);
		a.sending = true;
		if (a.n_indirect)
			share_out(&a, n_flows);
		run(&a, PARTS, send_direct);
		add_loads(&a, out);
	}
	moore_directs_free(&a.direct);
	return rc;
}
