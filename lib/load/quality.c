// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* quality.c - how good routes are, computed from the tables alone.
 *
 * The work is done endpoint by endpoint.  For each offset the tables give one next link per
 * switch: an in-tree, or what is left of one.  One pass over the tree finds the hops of
 * every switch without following loops.  Then the routes of each source are followed once,
 * to add load and to mark which routes share a link, and once more to clear the marks.
 *
 * Invariant: between pairs `seen` is all zero.
 *
 * The number of disjoint routes of a pair is the size of a greatest independent set in the
 * graph whose edges mean "share a link".  It is found by branching while the offsets fit
 * into a byte; for more offsets, greedily, shortest routes first.  Whether a route is
 * longer than needed is judged by the distances in the fabric, found by breadth-first
 * search from the endpoint's switch; links run both ways, so the distance to it is the
 * distance from it. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "moore/quality.h"

#define NO_ROUTE UINT32_MAX
#define UNKNOWN (UINT32_MAX - 1)
#define PENDING (UINT32_MAX - 2)

struct layer {			/* for one offset and the present endpoint; n_sw elements each */
	uint32_t *link;		/* the slot that the switch sends by; n_slots: to no switch */
	uint32_t *hops;		/* or NO_ROUTE */
	uint64_t *load;		/* of each slot, summed over all endpoints */
};

struct survey {
	const struct moore_fabric *f;
	const struct moore_lft *lft;
	struct moore_quality *q;
	struct moore_arena tmp;
	uint32_t n_sw, n_slots;
	uint32_t *head;		/* the switch that each slot's link leads to; MOORE_NONE */
	uint32_t *source, n_source;	/* switches with endpoints */
	uint32_t *distance;	/* distance to the present switch; NO_ROUTE */
	uint32_t *stack;
	uint8_t *seen;		/* for each slot, which routes of the present pair use it, as bits */
	uint64_t *sorted;
	struct layer *layer;	/* n_offsets */
	double sum_disjoint;
};

/* ---- the fabric ------------------------------------------------------------ */

static void
find_distances(struct survey *v, moore_swid to)
{
	uint32_t head = 0, tail = 0;

	memset(v->distance, 0xff, v->n_sw * sizeof(*v->distance));
	v->distance[to] = 0;
	v->stack[tail++] = to;
	while (head < tail) {
		uint32_t s = v->stack[head++];

		for (uint32_t i = v->f->sw[s].port0; i <= v->f->sw[s].port0 + v->f->sw[s].n_ports; i++) {
			uint32_t n = v->head[i];

			if (n == MOORE_NONE || v->distance[n] != NO_ROUTE)
				continue;
			v->distance[n] = v->distance[s] + 1;
			v->stack[tail++] = n;
		}
	}
}

/* ---- one in-tree ----------------------------------------------------------- */

/* Finds where each switch sends lid, and the number of hops to the endpoint. */
static void
plant(struct survey *v, struct layer *t, const struct moore_endpoint *ep, unsigned lid)
{
	const struct moore_fabric *f = v->f;
	uint32_t depth, s, h;

	for (s = 0; s < v->n_sw; s++) {
		uint8_t out = moore_lft_row(v->lft, s)[lid];
		bool link = out <= f->sw[s].n_ports &&
			    v->head[f->sw[s].port0 + out] != MOORE_NONE;

		t->link[s] = link ? f->sw[s].port0 + out : v->n_slots;
		t->hops[s] = link ? UNKNOWN : NO_ROUTE;
	}
	if (moore_lft_row(v->lft, ep->sw)[lid] == ep->port)
		t->hops[ep->sw] = 0;
	for (uint32_t from = 0; from < v->n_sw; from++) {
		for (depth = 0, s = from; t->hops[s] == UNKNOWN; s = v->head[t->link[s]]) {
			t->hops[s] = PENDING;
			v->stack[depth++] = s;
		}
		h = t->hops[s] == PENDING ? NO_ROUTE : t->hops[s];	/* PENDING: a loop */
		while (depth--)
			t->hops[v->stack[depth]] = h = h == NO_ROUTE ? NO_ROUTE : h + 1;
	}
}

/* ---- one pair -------------------------------------------------------------- */

/* The greatest number of routes of `set` that are pairwise disjoint. */
static unsigned
independent(const uint8_t *clash, unsigned set)
{
	unsigned v = 0, with, without;

	if (!set)
		return 0;
	while (!(set >> v & 1))
		v++;
	set &= ~(1u << v);
	with = 1 + independent(clash, set & ~clash[v]);
	if (!(set & clash[v]))
		return with;
	without = independent(clash, set);
	return with > without ? with : without;
}

static unsigned
count_exactly(struct survey *v, moore_swid from, moore_swid to, unsigned n)
{
	uint8_t clash[MOORE_QUALITY_EXACT] = { 0 };
	unsigned routed = 0;

	for (unsigned k = 0; k < n; k++) {
		const struct layer *t = &v->layer[k];

		if (t->hops[from] == NO_ROUTE)
			continue;
		routed |= 1u << k;
		for (uint32_t s = from; s != to; s = v->head[t->link[s]]) {
			clash[k] |= v->seen[t->link[s]];
			v->seen[t->link[s]] |= (uint8_t)(1u << k);
		}
		for (unsigned j = 0; j < k; j++)
			clash[j] |= (uint8_t)((clash[k] >> j & 1) << k);
	}
	for (unsigned k = 0; k < n; k++)
		for (uint32_t s = from; routed >> k & 1 && s != to; s = v->head[v->layer[k].link[s]])
			v->seen[v->layer[k].link[s]] = 0;
	return independent(clash, routed);
}

static bool
is_free(const struct survey *v, const struct layer *t, moore_swid from, moore_swid to)
{
	for (uint32_t s = from; s != to; s = v->head[t->link[s]])
		if (v->seen[t->link[s]])
			return false;
	return true;
}

static void
mark(struct survey *v, const struct layer *t, moore_swid from, moore_swid to, uint8_t with)
{
	for (uint32_t s = from; s != to; s = v->head[t->link[s]])
		v->seen[t->link[s]] = with;
}

/* Counts disjoint routes greedily: shortest first, then by offset. */
static unsigned
count_greedily(struct survey *v, moore_swid from, moore_swid to, unsigned n)
{
	uint8_t taken[MOORE_N_OFFSETS], order[MOORE_N_OFFSETS];
	unsigned n_taken = 0, n_order = 0, i;

	for (unsigned k = 0; k < n; k++) {
		if (v->layer[k].hops[from] == NO_ROUTE)
			continue;
		for (i = n_order++; i && v->layer[order[i - 1]].hops[from] > v->layer[k].hops[from]; i--)
			order[i] = order[i - 1];
		order[i] = (uint8_t)k;
	}
	for (i = 0; i < n_order; i++) {
		if (!is_free(v, &v->layer[order[i]], from, to))
			continue;
		mark(v, &v->layer[order[i]], from, to, 1);
		taken[n_taken++] = order[i];
	}
	for (i = 0; i < n_taken; i++)
		mark(v, &v->layer[taken[i]], from, to, 0);
	return n_taken;
}

static void
note_route(struct survey *v, unsigned k, moore_swid from, moore_swid to)
{
	struct moore_quality_offset *o = &v->q->offset[k];
	const struct layer *t = &v->layer[k];
	uint32_t h = t->hops[from], d = v->distance[from];

	o->pairs.n[0]++;
	if (d <= 2)
		o->pairs.n[d]++;
	if (h == NO_ROUTE) {
		o->no_route++;
		return;
	}
	o->hops[h < MOORE_HOPS_MAX ? h : MOORE_HOPS_MAX]++;
	o->three_hops += d == 2 && h == 3;
	o->pairs.longer[0] += h > d;
	if (d <= 2)
		o->pairs.longer[d] += h > d;
	for (uint32_t s = from; s != to; s = v->head[t->link[s]])
		t->load[t->link[s]]++;
}

static void
note_pair(struct survey *v, moore_swid from, moore_epid e, unsigned n)
{
	struct moore_quality *q = v->q;
	moore_swid to = v->f->ep[e].sw;
	uint32_t d = v->distance[from], longest = 0, disjoint;
	bool longer;

	for (unsigned k = 0; k < n; k++) {
		uint32_t h = v->layer[k].hops[from];

		note_route(v, k, from, to);
		if (h != NO_ROUTE && h > longest)
			longest = h;
	}
	longer = longest > d;
	q->pairs.n[0]++;
	q->pairs.longer[0] += longer;
	if (d <= 2) {
		q->pairs.n[d]++;
		q->pairs.longer[d] += longer;
	}
	disjoint = n <= MOORE_QUALITY_EXACT ? count_exactly(v, from, to, n) :
		   count_greedily(v, from, to, n);
	q->disjoint[disjoint]++;
	v->sum_disjoint += disjoint;
	if (q->worst_sw == MOORE_NONE || disjoint < q->worst_disjoint ||
	    (disjoint == q->worst_disjoint && longest > q->worst_hops)) {
		q->worst_sw = from;
		q->worst_ep = e;
		q->worst_disjoint = disjoint;
		q->worst_hops = longest;
	}
}

/* ---- everything ------------------------------------------------------------ */

static void
survey_endpoint(struct survey *v, moore_epid e)
{
	const struct moore_endpoint *ep = &v->f->ep[e];
	unsigned n = 1u << ep->lmc;

	for (unsigned k = 0; k < n; k++)
		plant(v, &v->layer[k], ep, ep->lid + k);
	for (uint32_t i = 0; i < v->n_source; i++) {
		moore_swid s = v->source[i];

		if (s == ep->sw)
			continue;
		if (v->distance[s] == NO_ROUTE)
			v->q->partitioned++;
		else
			note_pair(v, s, e, n);
	}
}

static void
survey_switch(struct survey *v, moore_swid s)
{
	const struct moore_fabric *f = v->f;

	find_distances(v, s);
	for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
		const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);

		if (port->role == MOORE_ROLE_ENDPOINT && f->ep[port->peer].lid)
			survey_endpoint(v, port->peer);
	}
}

static int
cmp_load(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The value at i/4 of n > 0 sorted values. */
static double
quartile(const uint64_t *sorted, uint32_t n, unsigned i)
{
	uint64_t at = (uint64_t)(n - 1) * i;
	double low = (double)sorted[at / 4];

	return at % 4 ? low + ((double)sorted[at / 4 + 1] - low) * (double)(at % 4) / 4 : low;
}

static void
spread(struct survey *v, const uint64_t *load, struct moore_link_load *out)
{
	uint64_t sum = 0, top = 0;
	uint32_t n = 0;

	*out = (struct moore_link_load){ .sw = MOORE_NONE };
	for (uint32_t s = 0; s < v->n_sw; s++)
		for (unsigned p = 1; p <= v->f->sw[s].n_ports; p++) {
			uint32_t i = v->f->sw[s].port0 + p;

			if (v->head[i] == MOORE_NONE)
				continue;
			sum += v->sorted[n++] = load[i];
			if (out->sw != MOORE_NONE && load[i] <= top)
				continue;
			top = load[i];
			out->sw = s;
			out->port = (moore_portnum)p;
		}
	if (!n)
		return;
	qsort(v->sorted, n, sizeof(*v->sorted), cmp_load);
	out->min = (double)v->sorted[0];
	out->q1 = quartile(v->sorted, n, 1);
	out->median = quartile(v->sorted, n, 2);
	out->q3 = quartile(v->sorted, n, 3);
	out->max = (double)top;
	out->mean = (double)sum / n;
}

static void
sum_up(struct survey *v)
{
	struct moore_quality *q = v->q;

	for (unsigned k = 0; k < q->n_offsets; k++)
		spread(v, v->layer[k].load, &q->offset[k].load);
	for (unsigned k = 1; k < q->n_offsets; k++)	/* layer 0 collects the others */
		for (uint32_t i = 0; i < v->n_slots; i++)
			v->layer[0].load[i] += v->layer[k].load[i];
	spread(v, v->layer[0].load, &q->load);
	q->exact = q->n_offsets <= MOORE_QUALITY_EXACT;
	q->mean_disjoint = q->pairs.n[0] ? v->sum_disjoint / (double)q->pairs.n[0] : 0;
}

static bool
get_memory(struct survey *v)
{
	size_t n = (size_t)v->n_sw + 1, n_slots = (size_t)v->n_slots + 1;
	struct moore_arena *a = &v->tmp;

	if (!(v->head = moore_arena_alloc(a, n_slots, sizeof(*v->head))) ||
	    !(v->source = moore_arena_alloc(a, n, sizeof(*v->source))) ||
	    !(v->distance = moore_arena_alloc(a, n, sizeof(*v->distance))) ||
	    !(v->stack = moore_arena_alloc(a, n, sizeof(*v->stack))) ||
	    !(v->seen = moore_arena_alloc(a, n_slots, 1)) ||
	    !(v->sorted = moore_arena_alloc(a, n_slots, sizeof(*v->sorted))) ||
	    !(v->layer = moore_arena_alloc(a, v->q->n_offsets, sizeof(*v->layer))) ||
	    !(v->q->offset = calloc(v->q->n_offsets, sizeof(*v->q->offset))))
		return false;
	for (unsigned k = 0; k < v->q->n_offsets; k++) {
		struct layer *t = &v->layer[k];

		if (!(t->link = moore_arena_alloc(a, n, sizeof(*t->link))) ||
		    !(t->hops = moore_arena_alloc(a, n, sizeof(*t->hops))) ||
		    !(t->load = moore_arena_alloc(a, n_slots, sizeof(*t->load))))
			return false;
	}
	return true;
}

/* Lays out links and sources as flat arrays. */
static void
lay_out(struct survey *v)
{
	const struct moore_fabric *f = v->f;

	for (uint32_t s = 0; s < v->n_sw; s++) {
		bool source = false;

		for (unsigned p = 0; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *port = moore_fabric_port(f, s, (moore_portnum)p);
			bool link = port->role == MOORE_ROLE_SWITCH;

			v->head[f->sw[s].port0 + p] = link ? port->peer : MOORE_NONE;
			v->q->n_links += link;
			source |= port->role == MOORE_ROLE_ENDPOINT;
		}
		if (source)
			v->source[v->n_source++] = s;
	}
	v->q->n_sources = v->n_source;
}

/* Finds the number of endpoints that take part, and the number of their offsets. */
static int
measure_up(struct survey *v, struct moore_err *err)
{
	struct moore_quality *q = v->q;
	const struct moore_fabric *f = v->f;

	if (v->lft->n_switches != f->n_switches)
		return moore_fail(err, MOORE_EINVAL, 0, "tables: of %u switches, and the fabric has "
				  "%u: take both from one run", v->lft->n_switches, f->n_switches);
	for (moore_epid e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw == MOORE_NONE || !ep->lid)
			continue;
		if (ep->lmc > 7 || ep->lid + (1u << ep->lmc) > v->lft->stride)
			return moore_fail(err, MOORE_EINVAL, 0, "tables: end before LID %u of "
					  "endpoint %s: take both from one run", ep->lid, ep->name);
		q->n_endpoints++;
		if (q->n_offsets < 1u << ep->lmc)
			q->n_offsets = 1u << ep->lmc;
	}
	if (!q->n_endpoints)
		return moore_fail(err, MOORE_EINVAL, 0, "fabric: no endpoint has a LID: routes are "
				  "judged between endpoints, so attach some");
	return 0;
}

int
moore_quality_measure(struct moore_quality **out, const struct moore_fabric *f,
		      const struct moore_lft *lft, struct moore_err *err)
{
	struct survey v = { .f = f, .lft = lft, .n_sw = f->n_switches, .n_slots = f->n_ports };
	int rc;

	*out = NULL;
	if (!(v.q = calloc(1, sizeof(*v.q))))
		return moore_fail_nomem(err);
	v.q->worst_sw = v.q->worst_ep = MOORE_NONE;
	if ((rc = measure_up(&v, err)) < 0)
		goto out;
	if (!get_memory(&v)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	lay_out(&v);
	for (moore_swid s = 0; s < v.n_sw; s++)
		survey_switch(&v, s);
	sum_up(&v);
	*out = v.q;
	v.q = NULL;
out:
	moore_quality_free(v.q);
	moore_arena_free(&v.tmp);
	return rc;
}

void
moore_quality_free(struct moore_quality *q)
{
	if (!q)
		return;
	free(q->offset);
	free(q);
}
