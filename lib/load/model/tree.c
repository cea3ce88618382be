// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tree.c - one shortest path from each switch to a root, and what is asked, given and sent on them. */
#include <string.h>

#include "load/model/adapt.h"

#define MUCH 1e30f		/* more than any link has */

bool
moore_tree_init(struct moore_tree *t, uint32_t n_switches, struct moore_arena *mem)
{
	const size_t n = (size_t)n_switches + 1;

	t->n = 0;
	return (t->order = moore_arena_alloc(mem, n, sizeof(*t->order))) &&
		(t->parent = moore_arena_alloc(mem, n, sizeof(*t->parent))) &&
		(t->up = moore_arena_alloc(mem, n, sizeof(*t->up))) &&
		(t->down = moore_arena_alloc(mem, n, sizeof(*t->down)));
}

/* A switch takes a further link to its parent in proportion to the paths over it: when all have been met,
 * each of its shortest paths is equally likely. */
void
moore_tree_draw(struct moore_tree *t, const struct moore_net *net, const uint32_t *back, moore_swid root,
		struct moore_tree_work *w, struct moore_rng *rng)
{
	uint32_t n = 1;

	memset(w->far, 0, net->n * sizeof(*w->far));
	for (uint32_t i = 0; i < t->n; i++)
		t->up[t->order[i]].least = t->down[t->order[i]].least = 0;
	t->order[0] = root;
	w->far[root] = 1;
	w->paths[root] = 1;
	for (uint32_t i = 0; i < n; i++) {
		const moore_swid r = t->order[i];
		const double paths = w->paths[r];

		for (uint32_t k = net->at[r]; k < net->at[r + 1]; k++) {
			const moore_swid s = net->to[k];
			const bool first = !w->far[s];

			if (first) {
				w->far[s] = w->far[r] + 1;
				w->paths[s] = 0;
				t->order[n++] = s;
			} else if (w->far[s] != w->far[r] + 1) {
				continue;
			}
			w->paths[s] += paths;
			if (!first && moore_adapt_random(rng) * w->paths[s] >= paths)
				continue;
			t->parent[s] = r;
			t->up[s].port = back[k];
			t->down[s].port = net->port[k];
		}
	}
	t->n = n;
}

static void
set_least(const struct moore_tree *t, struct moore_half *half, const double *value)
{
	half[t->order[0]].least = MUCH;
	for (uint32_t i = 1; i < t->n; i++) {
		struct moore_half *h = &half[t->order[i]];
		const float here = (float)value[h->port], beyond = half[t->parent[t->order[i]]].least;

		h->least = here < beyond ? here : beyond;
	}
}

void
moore_tree_least(struct moore_tree *t, const double *value)
{
	set_least(t, t->up, value);
	set_least(t, t->down, value);
}

/* Adds what stands at the switches, a field of their halves, to all links from there to the root. */
#define ADD(t, half, field, at) do { \
	for (uint32_t i = (t)->n; i-- > 1;) { \
		struct moore_half *h = &(half)[(t)->order[i]]; \
\
		(at)[h->port] += h->field; \
		(half)[(t)->parent[(t)->order[i]]].field += h->field; \
		h->field = 0; \
	} \
	(half)[(t)->order[0]].field = 0; \
} while (0)

void
moore_tree_add_sums(struct moore_tree *t, double *at)
{
	ADD(t, t->up, sum, at);
	ADD(t, t->down, sum, at);
}

void
moore_tree_add_sent(struct moore_tree *t, double *at)
{
	ADD(t, t->up, sent, at);
	ADD(t, t->down, sent, at);
}
