// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* net.c - links between switches as arcs, and shortest paths to one switch. */
#include <string.h>

#include "load/model/net.h"

int
moore_net_init(struct moore_net *net, const struct moore_fabric *f, struct moore_arena *mem,
	       struct moore_err *err)
{
	uint32_t n = 0;

	*net = (struct moore_net){ .f = f, .n = f->n_switches };
	net->at = moore_arena_alloc(mem, (size_t)net->n + 1, sizeof(*net->at));
	net->to = moore_arena_alloc(mem, (size_t)f->n_ports + 1, sizeof(*net->to));
	net->port = moore_arena_alloc(mem, (size_t)f->n_ports + 1, sizeof(*net->port));
	if (!net->at || !net->to || !net->port)
		return moore_fail_nomem(err);
	for (moore_swid s = 0; s < net->n; s++) {
		net->at[s] = n;
		for (uint32_t p = f->sw[s].port0 + 1; p <= f->sw[s].port0 + f->sw[s].n_ports; p++)
			if (f->port[p].role == MOORE_ROLE_SWITCH && f->port[p].peer != s) {
				net->to[n] = f->port[p].peer;
				net->port[n++] = p;
			}
	}
	net->at[net->n] = n;
	return 0;
}

bool
moore_ways_init(struct moore_ways *w, const struct moore_net *net, struct moore_arena *mem)
{
	w->order = moore_arena_alloc(mem, (size_t)net->n + 1, sizeof(*w->order));
	w->far = moore_arena_alloc(mem, (size_t)net->n + 1, sizeof(*w->far));
	w->paths = moore_arena_alloc(mem, (size_t)net->n + 1, sizeof(*w->paths));
	w->n_order = 0;
	return w->order && w->far && w->paths;
}

void
moore_ways_to(struct moore_ways *w, const struct moore_net *net, moore_swid x, const double *wanted,
	      uint32_t n_wanted)
{
	uint32_t tail = 1;

	for (uint32_t i = 0; i < w->n_order; i++) {
		w->far[w->order[i]] = 0;
		w->paths[w->order[i]] = 0;
	}
	w->order[0] = x;
	w->far[x] = 1;
	w->paths[x] = 1;
	for (uint32_t i = 0; i < tail; i++) {
		const moore_swid s = w->order[i];

		if (wanted && wanted[s] > 0 && --n_wanted == 0)
			break;		/* all that lead to s have been seen, so its paths are counted */
		for (uint32_t k = net->at[s]; k < net->at[s + 1]; k++) {
			const moore_swid r = net->to[k];

			if (!w->far[r]) {
				w->far[r] = w->far[s] + 1;
				w->order[tail++] = r;
			}
			if (w->far[r] == w->far[s] + 1)
				w->paths[r] += w->paths[s];
		}
	}
	w->n_order = tail;
}

double
moore_ways_send(const struct moore_ways *w, const struct moore_net *net, double *amount, double *load)
{
	double lost = 0;

	for (uint32_t i = w->n_order; i-- > 1;) {
		const moore_swid s = w->order[i];
		const double each = amount[s] / w->paths[s];

		if (amount[s] <= 0)
			continue;
		amount[s] = 0;
		for (uint32_t k = net->at[s]; k < net->at[s + 1]; k++) {
			const moore_swid r = net->to[k];

			if (w->far[r] + 1 != w->far[s])
				continue;
			load[net->port[k]] += each * w->paths[r];
			amount[r] += each * w->paths[r];
		}
	}
	amount[w->order[0]] = 0;
	for (moore_swid s = 0; s < net->n; s++) {
		lost += amount[s];
		amount[s] = 0;
	}
	return lost;
}

uint32_t
moore_net_follow(const struct moore_fabric *f, const struct moore_lft *lft, moore_swid from, moore_lid lid,
		 moore_swid to, uint32_t *port)
{
	uint32_t n = 0;

	while (from != to) {
		const uint8_t out = moore_lft_row(lft, from)[lid];

		if (out > f->sw[from].n_ports || n == MOORE_HOPS_MAX ||
		    moore_fabric_port(f, from, out)->role != MOORE_ROLE_SWITCH)
			return MOORE_NONE;
		port[n++] = f->sw[from].port0 + out;
		from = moore_fabric_port(f, from, out)->peer;
	}
	return n;
}

int
moore_net_check(const struct moore_fabric *f, const struct moore_lft *lft, struct moore_err *err)
{
	if (!lft || lft->n_switches != f->n_switches || lft->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "the tables are not those of this fabric");
	return 0;
}

/* ---- paths to many switches, from few sources each --------------------------------------------- */

bool
moore_near_init(struct moore_near *w, const struct moore_net *net, struct moore_arena *mem)
{
	const size_t n = (size_t)net->n + 1;

	w->seen = moore_arena_alloc(mem, n, sizeof(*w->seen));
	w->front = moore_arena_alloc(mem, n, sizeof(*w->front));
	w->next = moore_arena_alloc(mem, n, sizeof(*w->next));
	w->far = moore_arena_alloc(mem, n, MOORE_NEAR_SWITCHES * sizeof(*w->far));
	w->paths = moore_arena_alloc(mem, n, sizeof(*w->paths));
	w->counted = moore_arena_alloc(mem, n, sizeof(*w->counted));
	w->n_counted = 0;
	return w->seen && w->front && w->next && w->far && w->paths && w->counted;
}

/* Notes that the switches of these bits are `far` - 1 hops from s. */
static void
note(struct moore_near *w, moore_swid s, uint64_t bits, uint8_t far)
{
	uint8_t *of = w->far + (size_t)s * MOORE_NEAR_SWITCHES;

	for (; bits; bits >>= 1, of++)
		if (bits & 1)
			*of = far;
}

bool
moore_near_to(struct moore_near *w, const struct moore_net *net, const moore_swid *x, uint32_t n_x)
{
	const uint64_t all = n_x == 64 ? UINT64_MAX : ((uint64_t)1 << n_x) - 1;
	bool more = true;

	memset(w->seen, 0, net->n * sizeof(*w->seen));
	memset(w->front, 0, net->n * sizeof(*w->front));
	memset(w->far, 0, (size_t)net->n * MOORE_NEAR_SWITCHES);
	for (uint32_t i = 0; i < n_x; i++) {
		w->seen[x[i]] |= (uint64_t)1 << i;
		w->front[x[i]] |= (uint64_t)1 << i;
		w->far[(size_t)x[i] * MOORE_NEAR_SWITCHES + i] = 1;
	}
	for (unsigned far = 2; more && far <= UINT8_MAX; far++) {
		uint64_t *swap = w->front;

		more = false;
		for (moore_swid s = 0; s < net->n; s++) {
			uint64_t bits = 0;

			for (uint32_t k = net->at[s]; w->seen[s] != all && k < net->at[s + 1]; k++)
				bits |= w->front[net->to[k]];
			w->next[s] = bits &= ~w->seen[s];
			more = more || bits;
			note(w, s, bits, (uint8_t)far);
		}
		for (moore_swid s = 0; s < net->n; s++)
			w->seen[s] |= w->next[s];
		w->front = w->next;
		w->next = swap;
	}
	return !more;
}

static uint8_t
far_of(const struct moore_near *w, moore_swid s, uint32_t i)
{
	return w->far[(size_t)s * MOORE_NEAR_SWITCHES + i];
}

double
moore_near_count(struct moore_near *w, const struct moore_net *net, uint32_t i, moore_swid s)
{
	const uint8_t far = far_of(w, s, i);
	double n = far == 1;

	if (w->paths[s] > 0)
		return w->paths[s];
	for (uint32_t k = net->at[s]; far > 1 && k < net->at[s + 1]; k++)
		if (far_of(w, net->to[k], i) + 1 == far)
			n += moore_near_count(w, net, i, net->to[k]);
	w->counted[w->n_counted++] = s;
	return w->paths[s] = n;
}

void
moore_near_forget(struct moore_near *w)
{
	while (w->n_counted > 0)
		w->paths[w->counted[--w->n_counted]] = 0;
}

double
moore_near_send(struct moore_near *w, const struct moore_net *net, uint32_t i, const moore_swid *source,
		uint32_t n_sources, double *amount, double *load)
{
	double lost = 0;

	for (uint32_t k = 0; k < n_sources; k++) {
		if (far_of(w, source[k], i)) {
			moore_near_count(w, net, i, source[k]);
			continue;
		}
		lost += amount[source[k]];
		amount[source[k]] = 0;
	}
	/* A switch was counted after all that follow it on its paths: from the last one on, what leads to
	 * a switch has been sent before its own turn. */
	for (uint32_t c = w->n_counted; c-- > 0;) {
		const moore_swid s = w->counted[c];
		const double each = amount[s] / w->paths[s];
		const uint8_t far = far_of(w, s, i);

		for (uint32_t k = net->at[s]; far > 1 && k < net->at[s + 1]; k++)
			if (far_of(w, net->to[k], i) + 1 == far) {
				load[net->port[k]] += each * w->paths[net->to[k]];
				amount[net->to[k]] += each * w->paths[net->to[k]];
			}
		amount[s] = 0;
	}
	moore_near_forget(w);
	return lost;
}
