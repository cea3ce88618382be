// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* structure.c - eigenvalues by ARPACK, bisections by METIS, and shortest paths by counting.
 *
 * The eigenvalues are those of the normalised adjacency matrix D^-1/2 A D^-1/2: of a graph whose
 * switches all have d links, those of A divided by d.  Two are known of a connected graph: 1, with
 * the roots of the degrees as its vector, and -1 if the graph is bipartite, with the same vector
 * but for the sign of one side.  They are taken out of the matrix by adding multiples of u u', so
 * that ARPACK finds the next.
 *
 * These libraries keep state between calls, so this is no part of lib/. */
#include "design/structure.h"

#include <arpack/arpack.h>
#include <math.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#define N_LEAST 32		/* smaller matrices get rows that stand for nothing */
#define N_BASIS 24
/* Visits to links, about 1 ns each: what the eigenvalues, the bisection, and the paths may take. */
#define EIGEN_WORK 4e9
#define BISECTION_WORK 400e6
#define PATHS_WORK 4e9
#define ATTEMPTS_MIN 4
#define ATTEMPTS_MAX 256
#define TOLERANCE 1e-9

/* The neighbours of each switch in one array, as METIS wants them. */
struct rows {
	idx_t n, *at, *to;
};

static void
free_rows(struct rows *r)
{
	free(r->at);
	free(r->to);
}

static bool
make_rows(struct rows *r, const struct cli_graph *g)
{
	*r = (struct rows){ (idx_t)g->n, calloc((size_t)g->n + 2, sizeof(*r->at)),
			    calloc(2 * (size_t)g->n_links + 1, sizeof(*r->to)) };
	if (!r->at || !r->to) {
		free_rows(r);
		return false;
	}
	for (uint32_t i = 0; i < g->n_links; i++) {
		r->at[g->link[i].a + 2]++;
		r->at[g->link[i].b + 2]++;
	}
	for (uint32_t v = 2; v < g->n + 2; v++)
		r->at[v] += r->at[v - 1];
	for (uint32_t i = 0; i < g->n_links; i++) {
		r->to[r->at[g->link[i].a + 1]++] = (idx_t)g->link[i].b;
		r->to[r->at[g->link[i].b + 1]++] = (idx_t)g->link[i].a;
	}
	return true;
}

static idx_t
degree(const struct rows *r, idx_t v)
{
	return r->at[v + 1] - r->at[v];
}

/* ---- bisection ------------------------------------------------------------------------ */

struct halves {
	const struct rows *r;
	idx_t *weight, *side;
	int64_t heavier;	/* weight of side 0 less that of side 1 */
};

/* By how many links fewer cross if v changes sides. */
static int64_t
gain(const struct halves *h, idx_t v)
{
	int64_t n = 0;

	for (idx_t k = h->r->at[v]; k < h->r->at[v + 1]; k++)
		n += h->side[h->r->to[k]] != h->side[v] ? 1 : -1;
	return n;
}

/* Moves switches from the heavier side, the one that costs least first, while that makes the sides
 * more alike. */
static void
balance(struct halves *h)
{
	for (;;) {
		const idx_t from = h->heavier < 0;
		const int64_t over = h->heavier < 0 ? -h->heavier : h->heavier;
		int64_t best_gain = 0;
		idx_t best = -1;

		for (idx_t v = 0; v < h->r->n; v++)
			if (h->side[v] == from && h->weight[v] && h->weight[v] < over &&
			    (best < 0 || gain(h, v) > best_gain)) {
				best = v;
				best_gain = gain(h, v);
			}
		if (best < 0)
			return;
		h->side[best] = !from;
		h->heavier += (from ? 2 : -2) * (int64_t)h->weight[best];
	}
}

/* Returns how many links cross in one attempt of METIS, -1 when it failed. */
static int64_t
attempt(struct halves *h, idx_t seed)
{
	idx_t options[METIS_NOPTIONS], one = 1, two = 2, n = h->r->n, found;
	int64_t cut = 0;

	METIS_SetDefaultOptions(options);
	options[METIS_OPTION_SEED] = seed;
	options[METIS_OPTION_UFACTOR] = 1;
	if (METIS_PartGraphRecursive(&n, &one, h->r->at, h->r->to, h->weight, NULL, NULL, &two, NULL, NULL,
				     options, &found, h->side) != METIS_OK)
		return -1;
	h->heavier = 0;
	for (idx_t v = 0; v < n; v++)
		h->heavier += h->side[v] ? -(int64_t)h->weight[v] : h->weight[v];
	balance(h);
	for (idx_t v = 0; v < n; v++)
		for (idx_t k = h->r->at[v]; k < h->r->at[v + 1]; k++)
			cut += v < h->r->to[k] && h->side[v] != h->side[h->r->to[k]];
	return cut;
}

static int64_t
bisect(const struct rows *r, const struct cli_graph *g)
{
	struct halves h = { .r = r, .weight = calloc(g->n + 1, sizeof(*h.weight)),
			    .side = calloc(g->n + 1, sizeof(*h.side)) };
	const double fit = BISECTION_WORK / (100.0 * (g->n + 2.0 * g->n_links));
	const idx_t attempts = fit < ATTEMPTS_MIN ? ATTEMPTS_MIN : fit > ATTEMPTS_MAX ? ATTEMPTS_MAX :
		(idx_t)fit;
	int64_t least = -1;
	bool any = false;

	if (h.weight && h.side) {
		for (uint32_t v = 0; g->endpoints && v < g->n; v++)
			any = any || g->endpoints[v];
		for (uint32_t v = 0; v < g->n; v++)
			h.weight[v] = any ? g->endpoints[v] : 1;
		for (idx_t i = 0; i < attempts; i++) {
			const int64_t cut = attempt(&h, i);

			if (cut >= 0 && (least < 0 || cut < least))
				least = cut;
		}
	}
	free(h.weight);
	free(h.side);
	return least;
}

int64_t
cli_bisection(const struct cli_graph *g)
{
	struct rows r;
	int64_t cut;

	if (g->n < 2 || !make_rows(&r, g))
		return -1;
	cut = bisect(&r, g);
	free_rows(&r);
	return cut;
}

/* ---- eigenvalues --------------------------------------------------------------------------- */

struct matrix {
	const struct rows *r;
	a_int n;		/* at least N_LEAST */
	void (*multiply)(const struct matrix *m, const double *x, double *y);
	const struct ends *ends;	/* of multiply_ends() */
	double *root;		/* of each switch's degree */
	double *scaled;		/* scratch */
	double *known[2];	/* vectors of length 1: of the eigenvalue 1, and of -1 or NULL */
	double add[2];		/* times u u' is added */
	double rest;		/* the value of the rows that stand for nothing */
};

static void
multiply_adjacency(const struct matrix *m, const double *x, double *y)
{
	const struct rows *r = m->r;

	for (idx_t v = 0; v < r->n; v++)
		m->scaled[v] = m->root[v] > 0 ? x[v] / m->root[v] : 0;
	for (idx_t v = 0; v < r->n; v++) {
		double sum = 0;

		for (idx_t k = r->at[v]; k < r->at[v + 1]; k++)
			sum += m->scaled[r->to[k]];
		y[v] = m->root[v] > 0 ? sum / m->root[v] : 0;
	}
	for (a_int v = r->n; v < m->n; v++)
		y[v] = m->rest * x[v];
	for (unsigned i = 0; i < 2 && m->known[i]; i++) {
		double share = 0;

		for (idx_t v = 0; v < r->n; v++)
			share += m->known[i][v] * x[v];
		for (idx_t v = 0; v < r->n; v++)
			y[v] += m->add[i] * share * m->known[i][v];
	}
}

/* Finds the eigenvalue of the greatest magnitude ("LM") or the greatest one ("LA").  False if it was
 * not found with the work that is allowed. */
static bool
find_eigenvalue(const struct matrix *m, const char *which, double *value)
{
	const a_int n = m->n, n_work = N_BASIS * (N_BASIS + 8);
	double *mem = calloc((size_t)n * (N_BASIS + 4) + (size_t)n_work, sizeof(*mem));
	double *residue = mem, *basis = mem + n, *work = basis + (size_t)n * N_BASIS, *small = work + 3 * n;
	const double visits = m->r->at[m->r->n] + 2.0 * N_BASIS * n;
	a_int param[11] = { 1, 0, (a_int)fmin(EIGEN_WORK / (visits * N_BASIS), 100000), 1, 0, 0, 1 };
	a_int at[14] = { 0 }, ido = 0, info = 1, select[N_BASIS] = { 0 };

	if (!mem)
		return false;
	for (a_int v = 0; v < n; v++)
		residue[v] = sin(v + 1.0);	/* ARPACK would draw its own start */
	do {
		dsaupd_c(&ido, "I", n, which, 1, TOLERANCE, residue, N_BASIS, basis, n, param, at, work, small,
			 n_work, &info);
		if (ido == 1 || ido == -1)
			m->multiply(m, work + at[0] - 1, work + at[1] - 1);
	} while (ido == 1 || ido == -1);
	if (info == 0)
		dseupd_c(0, "A", select, value, basis, n, 0, "I", n, which, 1, TOLERANCE, residue, N_BASIS,
			 basis, n, param, at, work, small, n_work, &info);
	free(mem);
	return info == 0;
}

/* Colours the switches that v reaches so that links join 1 and -1; false if that cannot be. */
static bool
colour(const struct rows *r, double *side, idx_t *queue)
{
	idx_t tail = 1;

	side[0] = 1;
	queue[0] = 0;
	for (idx_t i = 0; i < tail; i++)
		for (idx_t v = queue[i], k = r->at[v]; k < r->at[v + 1]; k++) {
			if (side[r->to[k]] == side[v])
				return false;
			if (side[r->to[k]] == 0) {
				side[r->to[k]] = -side[v];
				queue[tail++] = r->to[k];
			}
		}
	return true;
}

/* Fills what is known of the matrix. */
static void
set_known(struct matrix *m, double *mem, idx_t *queue)
{
	const struct rows *r = m->r;
	const double length = sqrt((double)r->at[r->n]);

	m->root = mem;
	m->scaled = mem + r->n;
	m->known[0] = mem + 2 * (size_t)r->n;
	m->known[1] = mem + 3 * (size_t)r->n;
	for (idx_t v = 0; v < r->n; v++) {
		m->root[v] = sqrt((double)degree(r, v));
		m->known[0][v] = m->root[v] / length;
	}
	if (!colour(r, m->known[1], queue)) {
		m->known[1] = NULL;
		return;
	}
	for (idx_t v = 0; v < r->n; v++)
		m->known[1][v] *= m->known[0][v];
}

static void
find_spectrum(struct moore_structure *s, struct matrix *m)
{
	double value;

	if (m->r->n - 1 - (m->known[1] != NULL) == 0)
		return;			/* no other eigenvalues */
	m->add[0] = -1;			/* both become 0, and so do the rows that stand for nothing */
	m->add[1] = 1;
	if (!find_eigenvalue(m, "LM", &value))
		return;
	s->mu1 = 1 - fabs(value);
	if (value < -sqrt(TOLERANCE)) {
		m->add[0] = -2;		/* 1 becomes -1, and -1 stays */
		m->add[1] = 0;
		m->rest = -1;
		if (!find_eigenvalue(m, "LA", &value))
			return;
	}
	s->second = value;
}

static int
find_eigenvalues(struct moore_structure *s, const struct rows *r, struct moore_err *err)
{
	struct matrix m = { .r = r, .n = r->n < N_LEAST ? N_LEAST : r->n, .multiply = multiply_adjacency };
	double *mem = calloc(4 * (size_t)r->n, sizeof(*mem));
	idx_t *queue = calloc((size_t)r->n, sizeof(*queue));
	int rc = 0;

	if (mem && queue) {
		set_known(&m, mem, queue);
		find_spectrum(s, &m);
	} else {
		rc = moore_fail_nomem(err);
	}
	free(mem);
	free(queue);
	return rc;
}

/* ---- the bound of halves ----------------------------------------------------------------------
 *
 * Halves of the endpoints are numbers 1 and -1 on the n switches that have endpoints, which add up
 * to 0, and any on the others; x'Lx / 4 links cross, with the Laplacian L of the graph.  Let the
 * others take the numbers that make that least, whatever these are: then it is a quadratic form of the
 * first alone (the Schur complement of L), and no less than its second eigenvalue times n / 4. */

struct ends {
	const struct cli_graph *g;
	idx_t *end, n;		/* the switches with endpoints */
	double most;		/* no eigenvalue of the form is greater */
	double *x, *res, *dir, *image;	/* by switch: the numbers, and scratch */
	bool *failed;
};

static bool
is_end(const struct cli_graph *g, idx_t v)
{
	return !g->endpoints || g->endpoints[v];
}

/* image = L x at the switches without endpoints, where the others count as 0. */
static void
apply_inside(const struct ends *e, const struct rows *r, const double *x)
{
	for (idx_t v = 0; v < r->n; v++) {
		double sum = 0;

		if (is_end(e->g, v))
			continue;
		for (idx_t k = r->at[v]; k < r->at[v + 1]; k++)
			sum += is_end(e->g, r->to[k]) ? 0 : x[r->to[k]];
		e->image[v] = (double)degree(r, v) * x[v] - sum;
	}
}

static double
dot_inside(const struct ends *e, const struct rows *r, const double *x, const double *y)
{
	double sum = 0;

	for (idx_t v = 0; v < r->n; v++)
		if (!is_end(e->g, v))
			sum += x[v] * y[v];
	return sum;
}

/* Sets x of the switches without endpoints to the numbers for which x'Lx is least, by conjugate
 * gradients.  Returns whether that was reached. */
static bool
fill_inside(const struct ends *e, const struct rows *r)
{
	double now, first;

	for (idx_t v = 0; v < r->n; v++) {
		e->res[v] = 0;
		if (is_end(e->g, v))
			continue;
		e->x[v] = 0;
		for (idx_t k = r->at[v]; k < r->at[v + 1]; k++)
			e->res[v] += is_end(e->g, r->to[k]) ? e->x[r->to[k]] : 0;
		e->dir[v] = e->res[v];
	}
	first = now = dot_inside(e, r, e->res, e->res);
	for (idx_t i = 0; now > TOLERANCE * TOLERANCE * first; i++) {
		double step, before = now;

		apply_inside(e, r, e->dir);
		step = now / dot_inside(e, r, e->dir, e->image);
		if (i > r->n || !isfinite(step))
			return false;
		for (idx_t v = 0; v < r->n; v++) {
			e->x[v] += is_end(e->g, v) ? 0 : step * e->dir[v];
			e->res[v] -= is_end(e->g, v) ? 0 : step * e->image[v];
		}
		now = dot_inside(e, r, e->res, e->res);
		for (idx_t v = 0; v < r->n; v++)
			e->dir[v] = e->res[v] + now / before * e->dir[v];
	}
	return true;
}

/* Sets y to (most - form) x, where the vector of ones counts as 0. */
static void
multiply_ends(const struct matrix *m, const double *x, double *y)
{
	const struct ends *e = m->ends;
	const struct rows *r = m->r;
	double mean = 0;

	for (idx_t i = 0; i < e->n; i++) {
		e->x[e->end[i]] = x[i];
		mean += x[i] / (double)e->n;
	}
	if (!fill_inside(e, r))
		*e->failed = true;
	for (idx_t i = 0; i < m->n; i++)
		y[i] = 0;
	for (idx_t i = 0; i < e->n; i++) {
		const idx_t v = e->end[i];
		double sum = (double)degree(r, v) * x[i];

		for (idx_t k = r->at[v]; k < r->at[v + 1]; k++)
			sum -= e->x[r->to[k]];
		y[i] = e->most * (x[i] - mean) - sum;
	}
}

/* Fills end[], n and most; false unless all switches with endpoints have as many. */
static bool
list_ends(struct ends *e, const struct rows *r)
{
	for (idx_t v = 0; v < r->n; v++) {
		e->most = fmax(e->most, 2 * (double)degree(r, v));
		if (!is_end(e->g, v))
			continue;
		if (e->g->endpoints && e->n && e->g->endpoints[v] != e->g->endpoints[e->end[0]])
			return false;
		e->end[e->n++] = v;
	}
	return e->n > 1;
}

/* The second eigenvalue of the form; NAN when it is not known. */
static double
second_of_ends(const struct cli_graph *g, const struct rows *r)
{
	const size_t n = (size_t)r->n;
	double *mem = calloc(4 * n, sizeof(*mem)), value = NAN;
	bool failed = false;
	struct ends e = { .g = g, .end = calloc(n, sizeof(*e.end)), .x = mem, .failed = &failed };
	struct matrix m = { .r = r, .multiply = multiply_ends, .ends = &e };

	if (mem && e.end && list_ends(&e, r)) {
		e.res = mem + n;
		e.dir = mem + 2 * n;
		e.image = mem + 3 * n;
		m.n = e.n < N_LEAST ? N_LEAST : (a_int)e.n;
		value = find_eigenvalue(&m, "LA", &value) && !failed ? e.most - value : NAN;
	}
	free(mem);
	free(e.end);
	return value;
}

/* ---- shortest paths ------------------------------------------------------------------------- */

struct counting {
	const struct rows *r;
	idx_t *queue;
	uint32_t *far;		/* distance plus 1 */
	double *paths;
	double sum, reached, sum_ends, n_ends;
};

/* Sets the distances and the numbers of shortest paths from v; returns how many it reaches. */
static idx_t
walk_from(struct counting *c, idx_t v)
{
	idx_t tail = 1;

	memset(c->far, 0, (size_t)c->r->n * sizeof(*c->far));
	memset(c->paths, 0, (size_t)c->r->n * sizeof(*c->paths));
	c->queue[0] = v;
	c->far[v] = 1;
	c->paths[v] = 1;
	for (idx_t i = 0; i < tail; i++) {
		const idx_t u = c->queue[i];

		for (idx_t k = c->r->at[u]; k < c->r->at[u + 1]; k++) {
			const idx_t w = c->r->to[k];

			if (!c->far[w]) {
				c->far[w] = c->far[u] + 1;
				c->queue[tail++] = w;
			}
			if (c->far[w] == c->far[u] + 1)
				c->paths[w] += c->paths[u];
		}
	}
	return tail;
}

static bool
has_ends(const struct cli_graph *g, idx_t v)
{
	return !g->endpoints || g->endpoints[v];
}

/* Adds what is seen from v: paths, and distances between switches with endpoints. */
static void
add_from(struct counting *c, const struct cli_graph *g, idx_t v, struct moore_structure *s)
{
	const idx_t reached = walk_from(c, v);

	for (idx_t i = 1; i < reached; i++) {
		const idx_t w = c->queue[i];

		c->sum += c->paths[w];
		if (!has_ends(g, v) || !has_ends(g, w))
			continue;
		c->n_ends++;
		c->sum_ends += c->far[w] - 1;
		if (s->ends_diameter == MOORE_NONE || c->far[w] - 1 > s->ends_diameter)
			s->ends_diameter = c->far[w] - 1;
	}
	c->reached += reached - 1;
}

/* Where some sources stand for all, the number of shortest paths stays unknown. */
static int
count_paths(struct moore_structure *s, const struct cli_graph *g, const struct rows *r, idx_t n_sources,
	    double work, struct moore_err *err)
{
	const size_t n = (size_t)r->n;
	const double fit = work / (r->at[r->n] + 4.0 * r->n);
	const idx_t step = n_sources < fit ? 1 : (idx_t)(n_sources / fit) + 1;
	struct counting c = { .r = r, .queue = calloc(n, sizeof(*c.queue)), .far = calloc(n, sizeof(*c.far)),
			      .paths = calloc(n, sizeof(*c.paths)) };
	int rc = 0;

	if (!c.queue || !c.far || !c.paths) {
		rc = moore_fail_nomem(err);
	} else {
		for (idx_t v = 0; v < n_sources; v += step)
			add_from(&c, g, v, s);
		if (c.reached > 0 && step == 1)
			s->shortest_paths = c.sum / c.reached;
		if (c.n_ends > 0)
			s->ends_distance = c.sum_ends / c.n_ends;
	}
	free(c.queue);
	free(c.far);
	free(c.paths);
	return rc;
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* Whether all switches have as many links and as many endpoints. */
static bool
is_regular(const struct cli_graph *g, const struct rows *r)
{
	for (idx_t v = 1; v < r->n; v++)
		if (degree(r, v) != degree(r, 0) || (g->endpoints && g->endpoints[v] != g->endpoints[0]))
			return false;
	return true;
}

void
cli_structure_unknown(struct moore_structure *s)
{
	*s = (struct moore_structure){ .mu1 = NAN, .second = NAN, .bisection = -1, .bisection_bound = -1,
				       .shortest_paths = -1, .ends_diameter = MOORE_NONE };
}

/* Fiedler: two parts of a and b vertices are joined by at least lambda a b / n links, where lambda
 * is the second eigenvalue of the Laplacian. */
static int
find_halves(struct moore_structure *s, const struct cli_graph *graph, struct rows *r, struct moore_err *err)
{
	const int rc = find_eigenvalues(s, r, err);
	struct cli_graph all = *graph, *g = &all;
	double n = 0, second;

	if (rc < 0)
		return rc;
	s->bisection = bisect(r, g);
	for (idx_t v = 0; v < r->n; v++)
		n += is_end(g, v);
	if (n == 0) {			/* halves of the switches */
		all.endpoints = NULL;
		n = (double)r->n;
	}
	second = is_regular(g, r) ? (1 - s->second) * (double)degree(r, 0) : second_of_ends(g, r);
	if (!isnan(second))
		s->bisection_bound = (int64_t)ceil(second * floor(n / 2) * ceil(n / 2) / n - 1e-6);
	return 0;
}

static int
measure(struct moore_structure *s, const struct cli_graph *g, bool transitive, double work, bool halves,
	struct moore_err *err)
{
	struct rows r;
	int rc;

	cli_structure_unknown(s);
	if (g->n < 2)
		return 0;
	if (!make_rows(&r, g))
		return moore_fail_nomem(err);
	if ((rc = count_paths(s, g, &r, transitive ? 1 : r.n, work, err)) == 0 && halves)
		rc = find_halves(s, g, &r, err);
	free_rows(&r);
	return rc;
}

int
cli_distances(struct moore_structure *s, const struct cli_graph *g, bool transitive, double work,
	      struct moore_err *err)
{
	return measure(s, g, transitive, work, false, err);
}

int
cli_structure(struct moore_structure *s, const struct cli_graph *g, bool transitive, struct moore_err *err)
{
	return measure(s, g, transitive, PATHS_WORK, true, err);
}
