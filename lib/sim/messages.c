// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* messages.c - the messages of an exchange between processes, one on each node. */
#include <stdlib.h>

#include "base/random.h"
#include "moore/predict.h"
#include "moore/sim.h"

#define MESSAGES_MAX ((uint64_t)1 << 27)

struct list {
	struct moore_sim_message *message;
	uint32_t n;
	const moore_epid *node;
	uint32_t n_nodes, packets;
	uint64_t seed;
};

static void
add(struct list *l, uint32_t from, uint32_t to, uint32_t after)
{
	l->message[l->n++] = (struct moore_sim_message){ l->node[from], l->node[to], l->packets, after };
}

/* Each process sends to all others, in an order of its own: where all keep one order, all send to the nodes
 * of one switch at a time (Kumar et al., ICPP 2008, on Blue Gene/L). */
static void
all_to_all(struct list *l)
{
	struct moore_rng rng = { l->seed };

	for (uint32_t i = 0; i < l->n_nodes; i++) {
		struct moore_sim_message *own = &l->message[l->n];

		for (uint32_t k = 1; k < l->n_nodes; k++)
			add(l, i, (i + k) % l->n_nodes, 0);
		for (uint32_t k = l->n_nodes - 1; k > 1; k--) {
			const uint32_t other = moore_rng_below(&rng, k);
			const struct moore_sim_message m = own[k - 1];

			own[k - 1] = own[other];
			own[other] = m;
		}
	}
}

/* Allreduce in 2 (n - 1) phases: each process sends a part to the next one, after it has received the one
 * of the phase before. */
static void
ring(struct list *l)
{
	for (uint32_t i = 0; i < l->n_nodes; i++)
		for (uint32_t phase = 0; phase < 2 * (l->n_nodes - 1); phase++)
			add(l, i, (i + 1) % l->n_nodes, phase);
}

/* Allreduce over a binary tree: the children of process i are 2 i + 1 and 2 i + 2.  A process sends to its
 * parent after its children have sent, and to its children after its parent has. */
static void
tree(struct list *l)
{
	for (uint32_t i = 0; i < l->n_nodes; i++) {
		const uint32_t child = 2 * i + 1, n = child + 1 < l->n_nodes ? 2 : child < l->n_nodes;

		if (i)
			add(l, i, (i - 1) / 2, n);
		for (uint32_t k = 0; k < n; k++)
			add(l, i, child + k, n + (i > 0));
	}
}

static const struct { const char *name; void (*fill)(struct list *l); } kind[] = {
	[MOORE_SIM_ALL_TO_ALL] = { "alltoall", all_to_all },
	[MOORE_SIM_NEIGHBOURS] = { "neighbours", NULL },
	[MOORE_SIM_RING] = { "ring", ring },
	[MOORE_SIM_TREE] = { "tree", tree },
};

const char *
moore_sim_exchange_name(enum moore_sim_exchange x)
{
	return x < MOORE_N_SIM_EXCHANGES ? kind[x].name : NULL;
}

/* In a torus with these sides, the processes of the first one are next to each other. */
static int
torus(struct list *l, const uint32_t *side, struct moore_err *err)
{
	if ((uint64_t)side[0] * side[1] * side[2] != l->n_nodes)
		return moore_fail(err, MOORE_EINVAL, 0, "a torus of %u x %u x %u is not one of %u processes: give sides "
				  "whose product is that number", side[0], side[1], side[2], l->n_nodes);
	if (!(l->message = calloc(6 * (size_t)l->n_nodes, sizeof(*l->message))))
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		for (uint32_t d = 0, step = 1; d < 3; step *= side[d++]) {
			const uint32_t at = i / step % side[d], base = i - at * step;

			if (side[d] > 1)
				add(l, i, base + (at + 1) % side[d] * step, 0);
			if (side[d] > 2)
				add(l, i, base + (at + side[d] - 1) % side[d] * step, 0);
		}
	return 0;
}

static int
neighbours(struct list *l, struct moore_err *err)
{
	struct moore_flow *flow = NULL;
	uint32_t n = 0;
	int rc = moore_job_flows(&flow, &n, MOORE_JOB_STENCIL3, l->node, l->n_nodes, 1, l->seed, err);

	if (rc == 0 && !(l->message = calloc((size_t)n + 1, sizeof(*l->message))))
		rc = moore_fail_nomem(err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		l->message[l->n++] = (struct moore_sim_message){ flow[i].from, flow[i].to,
								 (uint32_t)flow[i].amount * l->packets, 0 };
	free(flow);
	return rc;
}

int
moore_sim_messages(struct moore_sim_message **out, uint32_t *n, enum moore_sim_exchange x, const moore_epid *node,
		   uint32_t n_nodes, const uint32_t *side, uint64_t packets, uint64_t seed, struct moore_err *err)
{
	struct list l = { .node = node, .n_nodes = n_nodes, .packets = (uint32_t)packets, .seed = seed };
	const uint64_t most = 2 * (uint64_t)n_nodes * n_nodes;
	int rc = 0;

	*out = NULL;
	*n = 0;
	if (n_nodes < 2 || !packets)
		return moore_fail(err, MOORE_EINVAL, 0, "an exchange needs two processes and messages of a packet");
	if (most > MESSAGES_MAX || packets > UINT32_MAX / 8 / n_nodes)
		return moore_fail(err, MOORE_EINVAL, 0, "an exchange of %u processes with messages of %llu packets has too "
				  "many of either: give fewer processes, shorter messages, or longer packets", n_nodes,
				  (unsigned long long)packets);
	if (x == MOORE_SIM_NEIGHBOURS)
		rc = side ? torus(&l, side, err) : neighbours(&l, err);
	else if ((l.message = calloc(most, sizeof(*l.message))))
		kind[x].fill(&l);
	else
		rc = moore_fail_nomem(err);
	*out = l.message;
	*n = l.n;
	return rc;
}
