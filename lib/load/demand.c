// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* demand.c - estimates the traffic between switches from the loads of the links.
 *
 * The unknowns are x(s, l): bytes per second from the endpoints of switch s to LID l, which
 * stands for a destination endpoint and an offset.  Measured are sums of them: the load of
 * each link, the bytes that each switch's endpoints send, and the bytes that each endpoint
 * receives.
 *
 * 1. Background: gravity, x = sent(s) * received(endpoint) / all, times a weight of the
 *    offset, which is fitted to the links over all pairs together.
 * 2. Heavy pairs: gravity spreads over all pairs what a few pairs send beyond their share.
 *    Repeatedly, the pair with the most room is given that room, and gravity is left with
 *    the rest of what its ends send and receive.  The room is the least excess of measured
 *    over fitted load on any link of its route, and at most what its ends send and receive.
 *    This ends when no room exceeds the noise (matching pursuit: Mallat and Zhang 1993).
 * 3. Rounds of the multiplicative step for Poisson counts (Shepp and Vardi 1982; Vardi
 *    1996 for networks): each x is multiplied by the mean of measured / fitted over the
 *    sums that contain it.  No step increases the Kullback-Leibler divergence of the sums;
 *    unknowns that the sums do not distinguish keep their proportion.
 *
 * Routes are looked up in the tables in each round instead of being stored, since 12,168
 * LIDs of 338 switches have ten million hops.  Elsewhere: the traffic over one link
 * (cause.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "demand_impl.h"
#include "moore/hot.h"

#define ROUNDS_MAX 5		/* rounds of step 3 */
#define GOOD_ENOUGH 0.001	/* step 3 ends when at most this share of the load is unexplained */
#define WEIGH_ROUNDS 30
#define PICK_PASSES 3
#define PICKS 512		/* heavy pairs considered in one pass */
#define NOISE 4.0		/* an excess of fewer standard deviations counts as noise */
#define STILL 0.9		/* a pick that lost more than a tenth of its worth was explained
				 * by another */
#define CRUMB 0.02		/* share of the greatest load: no heavy pair has less */

/* ---- rows ------------------------------------------------------------------------------- */

static double
tx_of(const struct moore_fabric *f, const struct moore_loads *l, uint32_t i)
{
	const struct moore_port *p = &f->port[i];

	if (l->tx[i] >= 0 || p->role != MOORE_ROLE_SWITCH)
		return l->tx[i];
	return l->rx[f->sw[p->peer].port0 + p->peer_port];
}

/* The bytes that the endpoints of a switch send; negative if none of them was measured. */
static double
sent_by(const struct moore_fabric *f, const struct moore_loads *l, moore_swid s, bool *all)
{
	double sum = -1;

	*all = true;
	for (unsigned n = 1; n <= f->sw[s].n_ports; n++) {
		uint32_t i = f->sw[s].port0 + n;

		if (f->port[i].role != MOORE_ROLE_ENDPOINT)
			continue;
		if (l->rx[i] >= 0)
			sum = (sum < 0 ? 0 : sum) + l->rx[i];
		else
			*all = false;
	}
	return sum;
}

static bool
has_endpoints(const struct moore_fabric *f, moore_swid s)
{
	for (unsigned n = 1; n <= f->sw[s].n_ports; n++)
		if (moore_fabric_port(f, s, (moore_portnum)n)->role == MOORE_ROLE_ENDPOINT)
			return true;
	return false;
}

/* Finds the sources that send, or may send, and their rows; sources that were not measured
 * get the mean in sent[]. */
static void
find_sources(struct moore_demand *d, const struct moore_loads *l, double *sent)
{
	const struct moore_fabric *f = d->f;
	double known = 0;
	uint32_t n_known = 0;
	bool all;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		double x = sent_by(f, l, s, &all);

		if (x == 0 && all)
			continue;
		if (!has_endpoints(f, s))
			continue;
		if (x >= 0) {
			known += x;
			n_known++;
		}
		sent[d->n_sources] = x;
		d->row[f->n_ports + d->n_sources] = all ? x : -1;
		d->source[d->n_sources++] = s;
	}
	for (uint32_t i = 0; i < d->n_sources; i++)
		if (sent[i] < 0)
			sent[i] = n_known ? known / n_known : 1;
}

static int
by_switch(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Finds the LIDs of endpoints that receive, or may receive, in the order of their switches. */
static int
find_dests(struct moore_demand *d)
{
	const struct moore_fabric *f = d->f;
	uint64_t *order = malloc(((size_t)f->n_endpoints + 1) * sizeof(*order));
	uint32_t n = 0;

	if (!order)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < f->n_endpoints; e++) {
		const struct moore_endpoint *ep = &f->ep[e];

		if (ep->sw != MOORE_NONE && ep->lid && d->row[f->sw[ep->sw].port0 + ep->port] != 0)
			order[n++] = (uint64_t)ep->sw << 32 | e;
	}
	qsort(order, n, sizeof(*order), by_switch);
	for (uint32_t i = 0; i < n; i++) {
		moore_epid e = (moore_epid)order[i];

		for (unsigned k = 0; k < 1u << f->ep[e].lmc; k++)
			d->dest[d->n_dests++] = (struct demand_dest){
				(moore_lid)(f->ep[e].lid + k), (uint16_t)k, e };
	}
	free(order);
	return 0;
}

static int
fill_rows(struct moore_demand *d, const struct moore_loads *l, double *sent)
{
	const struct moore_fabric *f = d->f;

	for (uint32_t i = 0; i < f->n_ports; i++) {
		uint8_t role = f->port[i].role;

		d->rx[i] = l->rx[i];
		d->row[i] = role == MOORE_ROLE_SWITCH || role == MOORE_ROLE_ENDPOINT ?
			    tx_of(f, l, i) : -1;
	}
	find_sources(d, l, sent);
	return find_dests(d);
}

/* ---- routes ---------------------------------------------------------------------- */

/* The in-tree of one LID: for each switch, the port it sends by and the switch which that
 * port leads to. */
struct tree {
	uint32_t *out;		/* MOORE_NONE: no route from here */
	moore_swid *next;	/* MOORE_NONE: the endpoint itself */
};

struct work {
	struct moore_demand *d;
	struct tree tree;
	double *sent, *got;	/* by source and by endpoint: the traffic that the background has
				 * to explain */
	double *ratio;		/* by row: measured / fitted, or the excess */
	uint32_t n_offsets;
	double weight[MOORE_N_OFFSETS];
	double *part;		/* [offset][row]: the fit of that offset's background at weight 1 */
	struct pick *pick;	/* the PICKS pairs with most room, greatest first */
	unsigned n_picks;
	double crumb;
	double usual_sent, usual_got;	/* medians of the measured values */
};

/* Called for x[dest][source] with the rows that contain it: n ports and the source's row. */
typedef void visit_fn(struct work *w, uint32_t dest, uint32_t source, const uint32_t *row,
		      uint32_t n_rows);

static void
tree_of(const struct moore_demand *d, const struct demand_dest *t, struct tree *tree)
{
	const struct moore_fabric *f = d->f;

	for (uint32_t s = 0; s < f->n_switches; s++) {
		uint8_t out = moore_lft_row(d->lft, s)[t->lid];
		const struct moore_port *p;

		tree->out[s] = MOORE_NONE;
		tree->next[s] = MOORE_NONE;
		if (!out || out > f->sw[s].n_ports)
			continue;
		p = moore_fabric_port(f, s, out);
		if (p->role == MOORE_ROLE_SWITCH)
			tree->next[s] = p->peer;
		if (p->role == MOORE_ROLE_SWITCH ||
		    (p->role == MOORE_ROLE_ENDPOINT && p->peer == t->ep))
			tree->out[s] = f->sw[s].port0 + out;
	}
}

static void
each_route(struct work *w, visit_fn *visit)
{
	struct moore_demand *d = w->d;
	const struct tree *tree = &w->tree;
	uint32_t row[MOORE_HOPS_MAX + 1], n;

	for (uint32_t j = 0; j < d->n_dests; j++) {
		tree_of(d, &d->dest[j], &w->tree);
		for (uint32_t i = 0; i < d->n_sources; i++) {
			moore_swid s = d->source[i];

			for (n = 0; s != MOORE_NONE && n < MOORE_HOPS_MAX && tree->out[s] != MOORE_NONE;
			     s = tree->next[s])
				row[n++] = tree->out[s];
			if (s != MOORE_NONE)	/* the route does not reach the endpoint */
				continue;
			row[n++] = d->f->n_ports + i;
			visit(w, j, i, row, n);
		}
	}
}

static float *
x_of(const struct moore_demand *d, uint32_t dest, uint32_t source)
{
	return &d->x[(size_t)dest * d->n_sources + source];
}

static size_t
n_rows(const struct moore_demand *d)
{
	return (size_t)d->f->n_ports + d->n_sources;
}

/* ---- 1. background --------------------------------------------------------------- */

static void
visit_part(struct work *w, uint32_t j, uint32_t i, const uint32_t *row, uint32_t n)
{
	double *part = w->part + w->d->dest[j].offset * n_rows(w->d);
	double x = *x_of(w->d, j, i);

	for (uint32_t k = 0; k < n; k++)
		part[row[k]] += x;
}

/* Computes x with weight 1 in each offset, and part[] from it. */
static void
gravity(struct work *w)
{
	struct moore_demand *d = w->d;
	double all = 0;

	for (uint32_t i = 0; i < d->n_sources; i++)
		all += w->sent[i];
	for (uint32_t j = 0; j < d->n_dests; j++)
		for (uint32_t i = 0; i < d->n_sources; i++)
			*x_of(d, j, i) = (float)(all > 0 ? w->sent[i] * w->got[d->dest[j].ep] / all : 0);
	memset(w->part, 0, w->n_offsets * n_rows(d) * sizeof(*w->part));
	each_route(w, visit_part);
}

/* Multiplicative steps as in step 3, with one unknown for each offset. */
static void
weigh(struct work *w, const double *heavy)
{
	size_t rows = n_rows(w->d);

	for (unsigned round = 0; round < WEIGH_ROUNDS; round++) {
		double have[MOORE_N_OFFSETS] = { 0 }, want[MOORE_N_OFFSETS] = { 0 };

		for (size_t r = 0; r < rows; r++) {
			double fit = heavy[r];

			for (unsigned k = 0; k < w->n_offsets; k++)
				fit += w->weight[k] * w->part[k * rows + r];
			w->d->fit[r] = fit;
			if (w->d->row[r] < 0 || fit <= 0)
				continue;
			for (unsigned k = 0; k < w->n_offsets; k++) {
				have[k] += w->part[k * rows + r];
				want[k] += w->part[k * rows + r] * w->d->row[r] / fit;
			}
		}
		for (unsigned k = 0; k < w->n_offsets; k++)
			if (have[k] > 0)
				w->weight[k] *= want[k] / have[k];
	}
}

/* ---- 2. heavy pairs -------------------------------------------------------------- */

struct pick {
	uint32_t dest, source;
	double room;
	double worth;		/* the excess that the pair would explain, over all its rows */
};

static double
least(double a, double b)
{
	return a < b ? a : b;
}

/* The room of a pair is the least excess of its links, and at most what is left at its
 * ends.  Of two pairs with the same room, the one that explains more rows is worth more: a
 * pair that shares some links with a heavy pair explains only those, and nothing at its own
 * ends. */
static struct pick
pick_of(const struct work *w, uint32_t j, uint32_t i, const uint32_t *row, uint32_t n)
{
	double sent = w->sent[i], got = w->got[w->d->dest[j].ep], room = least(sent, got), known = 0;

	for (uint32_t k = 0; k + 2 < n; k++)	/* all rows but those of the endpoint's port and
						 * of the source */
		if (w->d->row[row[k]] >= 0) {
			room = least(room, w->ratio[row[k]]);
			known++;
		}
	if (!known || room < w->crumb)
		return (struct pick){ j, i, 0, 0 };
	return (struct pick){ j, i, room, room * known +
		(sent > w->usual_sent ? least(room, sent - w->usual_sent) : 0) +
		(got > w->usual_got ? least(room, got - w->usual_got) : 0) };
}

static void
visit_room(struct work *w, uint32_t j, uint32_t i, const uint32_t *row, uint32_t n)
{
	struct pick p = pick_of(w, j, i, row, n);
	unsigned at = w->n_picks;

	if (p.room <= 0 || (at == PICKS && p.worth <= w->pick[at - 1].worth))
		return;
	if (at < PICKS)
		w->n_picks++;
	else
		at--;
	for (; at > 0 && w->pick[at - 1].worth < p.worth; at--)
		w->pick[at] = w->pick[at - 1];
	w->pick[at] = p;
}

static uint32_t
route_of(const struct moore_demand *d, uint32_t j, uint32_t i, uint32_t *row)
{
	uint32_t n = load_route(d->f, d->lft, d->source[i], d->dest[j].ep, d->dest[j].lid, row);

	row[n] = d->f->n_ports + i;
	return n + 1;
}

/* Fills ratio[] with the excess of measured over fitted load; returns the level of noise in
 * it. */
static double
excess(struct work *w, double *scratch)
{
	const struct moore_demand *d = w->d;
	struct moore_summary s;
	double greatest = 0, noise;
	uint32_t n = 0;

	for (uint32_t r = 0; r < d->f->n_ports; r++) {
		w->ratio[r] = d->row[r] - d->fit[r];
		if (d->row[r] < 0)
			continue;
		if (d->row[r] > greatest)
			greatest = d->row[r];
		if (d->f->port[r].role == MOORE_ROLE_SWITCH)
			scratch[n++] = w->ratio[r];
	}
	moore_summarize(&s, scratch, n);
	noise = NOISE * 1.4826 * s.mad;
	return noise > CRUMB * greatest ? noise : CRUMB * greatest;
}

/* Gives the picked pairs the room that they still have; returns how many got some. */
static unsigned
take(struct work *w, float *heavy_x, double *heavy)
{
	uint32_t row[MOORE_HOPS_MAX + 1];
	unsigned n_taken = 0;

	for (unsigned p = 0; p < w->n_picks; p++) {
		const struct pick *k = &w->pick[p];
		uint32_t n = route_of(w->d, k->dest, k->source, row);
		struct pick now = pick_of(w, k->dest, k->source, row, n);
		double room = now.room;

		if (room <= 0 || now.worth < STILL * k->worth)
			continue;
		n_taken++;
		heavy_x[(size_t)k->dest * w->d->n_sources + k->source] += (float)room;
		w->sent[k->source] -= room;
		w->got[w->d->dest[k->dest].ep] -= room;
		for (uint32_t i = 0; i < n; i++) {
			heavy[row[i]] += room;
			w->ratio[row[i]] -= room;
		}
	}
	return n_taken;
}

static double
usual(const double *v, uint32_t n, double *scratch)
{
	struct moore_summary s;

	memcpy(scratch, v, n * sizeof(*v));
	moore_summarize(&s, scratch, n);
	return s.median;
}

static void
pursue(struct work *w, float *heavy_x, double *heavy, double *scratch)
{
	w->usual_sent = usual(w->sent, w->d->n_sources, scratch);
	w->usual_got = usual(w->got, w->d->f->n_endpoints, scratch);
	gravity(w);
	weigh(w, heavy);
	for (unsigned pass = 0; pass < PICK_PASSES; pass++) {
		w->crumb = excess(w, scratch);
		w->n_picks = 0;
		each_route(w, visit_room);
		if (!take(w, heavy_x, heavy))
			break;
		gravity(w);
		weigh(w, heavy);
	}
	for (uint32_t j = 0; j < w->d->n_dests; j++)
		for (uint32_t i = 0; i < w->d->n_sources; i++) {
			float *x = x_of(w->d, j, i);

			*x = (float)(*x * w->weight[w->d->dest[j].offset]) +
			     heavy_x[(size_t)j * w->d->n_sources + i];
		}
}

/* ---- 3. agreement ---------------------------------------------------------------- */

static void
visit_fit(struct work *w, uint32_t j, uint32_t i, const uint32_t *row, uint32_t n)
{
	float x = *x_of(w->d, j, i);

	for (uint32_t k = 0; k < n; k++)
		w->d->fit[row[k]] += x;
}

/* Multiplies x by the mean of its rows' ratio[], and adds it to their fit. */
static void
visit_step(struct work *w, uint32_t j, uint32_t i, const uint32_t *row, uint32_t n)
{
	double sum = 0;
	unsigned known = 0;

	for (uint32_t k = 0; k < n; k++)
		if (w->d->row[row[k]] >= 0) {
			sum += w->ratio[row[k]];
			known++;
		}
	if (known)
		*x_of(w->d, j, i) *= (float)(sum / known);
	visit_fit(w, j, i, row, n);
}

static void
fit(struct work *w, visit_fn *visit)
{
	memset(w->d->fit, 0, n_rows(w->d) * sizeof(*w->d->fit));
	each_route(w, visit);
}

/* Fills ratio[]; returns the share of the measured sums that is not explained. */
static double
compare(struct work *w)
{
	const struct moore_demand *d = w->d;
	double off = 0, all = 0;

	for (size_t i = 0; i < n_rows(d); i++) {
		double y = d->row[i], x = d->fit[i];

		w->ratio[i] = x > 0 ? y / x : 1;
		if (y < 0)
			continue;
		off += y > x ? y - x : x - y;
		all += y;
	}
	return all > 0 ? (off < all ? off / all : 1) : 0;
}

static double
agree(struct work *w)
{
	double misfit;

	fit(w, visit_fit);
	misfit = compare(w);
	for (unsigned n = 0; n < ROUNDS_MAX && misfit > GOOD_ENOUGH; n++) {
		fit(w, visit_step);
		misfit = compare(w);
	}
	return misfit;
}

/* ---- the whole ------------------------------------------------------------------- */

static int
demand_new(struct moore_demand **out, const struct moore_fabric *f, const struct moore_lft *lft)
{
	struct moore_demand *d = calloc(1, sizeof(*d));
	size_t rows = (size_t)f->n_ports + f->n_switches + 1, lids = 1;

	*out = d;
	if (!d)
		return -MOORE_ENOMEM;
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		lids += (size_t)1 << f->ep[e].lmc;
	d->f = f;
	d->lft = lft;
	d->source = malloc(((size_t)f->n_switches + 1) * sizeof(*d->source));
	d->dest = malloc(lids * sizeof(*d->dest));
	d->row = malloc(rows * sizeof(*d->row));
	d->fit = malloc(rows * sizeof(*d->fit));
	d->rx = malloc(rows * sizeof(*d->rx));
	return d->source && d->dest && d->row && d->fit && d->rx ? 0 : -MOORE_ENOMEM;
}

void
moore_demand_free(struct moore_demand *d)
{
	if (!d)
		return;
	free(d->source);
	free(d->dest);
	free(d->x);
	free(d->row);
	free(d->fit);
	free(d->rx);
	free(d);
}

/* The bytes that each endpoint received; endpoints that were not measured get the mean. */
static void
find_got(struct work *w)
{
	const struct moore_demand *d = w->d;
	double known = 0, mean;
	uint32_t n = 0;

	for (int again = 0; again < 2; again++) {
		mean = n ? known / n : 1;
		for (uint32_t j = 0; j < d->n_dests; j++) {
			moore_epid e = d->dest[j].ep;
			double x = d->row[d->f->sw[d->f->ep[e].sw].port0 + d->f->ep[e].port];

			if (d->dest[j].offset >= w->n_offsets)
				w->n_offsets = d->dest[j].offset + 1u;
			w->got[e] = x >= 0 ? x : mean;
			if (!again && !d->dest[j].offset && x >= 0) {
				known += x;
				n++;
			}
		}
	}
	for (unsigned k = 0; k < w->n_offsets; k++)	/* most applications use the base LID
							 * alone */
		w->weight[k] = w->n_offsets == 1 ? 1 : k ? 0.5 / (w->n_offsets - 1) : 0.5;
}

static int
estimate(struct moore_demand *d, const struct moore_loads *loads, struct moore_arena *tmp,
	 double *misfit)
{
	size_t n_sw = (size_t)d->f->n_switches + 1, rows = n_sw + d->f->n_ports, cells;
	struct work w = { .d = d };
	double *heavy = moore_arena_alloc(tmp, rows, sizeof(*heavy));
	double *scratch = moore_arena_alloc(tmp, rows + d->f->n_endpoints, sizeof(*scratch));
	float *heavy_x;

	w.tree.out = moore_arena_alloc(tmp, n_sw, sizeof(*w.tree.out));
	w.tree.next = moore_arena_alloc(tmp, n_sw, sizeof(*w.tree.next));
	w.sent = moore_arena_alloc(tmp, n_sw, sizeof(*w.sent));
	w.got = moore_arena_alloc(tmp, (size_t)d->f->n_endpoints + 1, sizeof(*w.got));
	w.ratio = moore_arena_alloc(tmp, rows, sizeof(*w.ratio));
	w.pick = moore_arena_alloc(tmp, PICKS, sizeof(*w.pick));
	if (!heavy || !scratch || !w.tree.out || !w.tree.next || !w.sent || !w.got || !w.ratio ||
	    !w.pick || fill_rows(d, loads, w.sent) < 0)
		return -MOORE_ENOMEM;
	find_got(&w);
	cells = (size_t)d->n_dests * d->n_sources + 1;
	w.part = moore_arena_alloc(tmp, w.n_offsets + 1, n_rows(d) * sizeof(*w.part));
	heavy_x = moore_arena_alloc(tmp, cells, sizeof(*heavy_x));
	d->x = malloc(cells * sizeof(*d->x));
	if (!w.part || !heavy_x || !d->x)
		return -MOORE_ENOMEM;
	pursue(&w, heavy_x, heavy, scratch);
	*misfit = agree(&w);
	return 0;
}

int
moore_demand_estimate(struct moore_demand **out, const struct moore_fabric *f,
		      const struct moore_lft *lft, const struct moore_loads *loads, double *misfit,
		      struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_demand *d = NULL;
	double off = 0;
	int rc;

	*out = NULL;
	if (lft->n_switches != f->n_switches || lft->stride <= f->lid_top)
		return moore_fail(err, MOORE_EINVAL, 0, "the forwarding tables are not this fabric's");
	rc = demand_new(&d, f, lft);
	if (rc == 0)
		rc = estimate(d, loads, &tmp, &off);
	moore_arena_free(&tmp);
	if (rc < 0) {
		moore_demand_free(d);
		return moore_fail_nomem(err);
	}
	if (misfit)
		*misfit = off;
	*out = d;
	return 0;
}
