// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* place.c - puts a plan's switches into cabinets, and the cabinets onto the floor.
 *
 * Both problems use the same layout (place_impl.h): cabinets on the places of the floor,
 * and switches in the slots of cabinets whose places are fixed.  An order of the switches
 * fills the cabinets (order.c), and the cabinets are annealed on the floor.  Refining then
 * anneals the switches in the slots, starting at a lower temperature, and the cabinets once
 * more.
 * Sources: Fujiwara et al. 2014, section 7 (grid, runs, annealing of cabinets);
 * Young et al. 2022 (SpectralFly), wiring section.
 * Elsewhere: annealing (anneal.c), bounds (bound.c, cuts.c), the cabling work (work.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "place/place_impl.h"
#include "plan/plan_parts.h"

#define CABINET_SIZE_MAX 1000	/* each switch takes one unit */
#define REFINE_HEAT 0.05	/* share of Connolly's first temperature */

static const struct moore_place_model models[] = {
	{ "fujiwara", "Fujiwara et al. 2014, section 7", 16, 0.6, 2.1, 2, 4, false },
	{ "young", "Young et al. 2022, after Mubarak et al.", 2, 0.6, 2.0, 2, 4, true },
};

const struct moore_place_model *
moore_place_model_at(size_t i)
{
	return i < ARRAY_LEN(models) ? &models[i] : NULL;
}

const struct moore_place_model *
moore_place_model_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(models); i++)
		if (!strcmp(models[i].name, name))
			return &models[i];
	return NULL;
}

/* ---- links --------------------------------------------------------------------- */

struct pair {
	uint32_t a, b;
};

static int
pair_cmp(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

/* Adds up the cables between n groups of switches: parallel ones become one link with a
 * weight. */
static bool
join(struct moore_links_of *k, const struct moore_plan *p, const uint32_t *group, uint32_t n,
     struct moore_arena *tmp)
{
	const size_t max = 2 * (size_t)p->n_cables;
	struct pair *pair = malloc((max + 1) * sizeof(*pair));
	size_t n_pairs = 0;
	uint32_t m = 0;

	*k = (struct moore_links_of){ n, moore_arena_alloc(tmp, n + 1u, sizeof(*k->start)),
		moore_arena_alloc(tmp, max + 1, sizeof(*k->peer)),
		moore_arena_alloc(tmp, max + 1, sizeof(*k->weight)) };
	if (!pair || !k->start || !k->peer || !k->weight) {
		free(pair);
		return false;
	}
	for (uint32_t i = 0; i < p->n_cables; i++) {
		const uint32_t a = group[p->cable[i].sw[0]], b = group[p->cable[i].sw[1]];

		if (a == b)
			continue;
		pair[n_pairs++] = (struct pair){ a, b };
		pair[n_pairs++] = (struct pair){ b, a };
	}
	qsort(pair, n_pairs, sizeof(*pair), pair_cmp);
	for (size_t i = 0; i < n_pairs; i++) {
		if (i && !pair_cmp(&pair[i], &pair[i - 1])) {
			k->weight[m - 1]++;
			continue;
		}
		k->peer[m] = pair[i].b;
		k->weight[m++] = 1;
		k->start[pair[i].a + 1] = m;
	}
	for (uint32_t i = 1; i <= n; i++)	/* groups without a link are empty rows */
		if (k->start[i] < k->start[i - 1])
			k->start[i] = k->start[i - 1];
	free(pair);
	return true;
}

/* ---- the floor -------------------------------------------------------------------- */

struct floor {
	const struct moore_plan *p;
	const struct moore_place_opts *o;
	struct moore_arena tmp;
	struct moore_rng rng;
	struct moore_progress progress;
	uint32_t size, n_cabinets, rows, columns;
	int32_t column_pitch, row_pitch;	/* millimetres */
	uint32_t *cabinet;		/* the cabinet of each switch */
	struct moore_spot *spot;	/* the places of the floor */
	struct moore_links_of switches, between;	/* links between switches, and between
							 * cabinets */
	struct moore_layout grid;	/* cabinets on the floor */
	double before;
};

static int64_t
mm(double metres)
{
	return (int64_t)(metres * 1000 + 0.5);
}

static uint32_t
ceil_root(double v)
{
	uint32_t r = 0;

	while ((double)r * r < v)
		r++;
	return r;
}

static int
check_opts(struct floor *f, struct moore_err *err)
{
	const struct moore_place_opts *o = f->o;
	const double column = o->column_pitch != 0 ? o->column_pitch : o->model->column_pitch;
	const double row = o->row_pitch != 0 ? o->row_pitch : o->model->row_pitch;

	f->size = o->cabinet_size ? o->cabinet_size : o->model->cabinet_size;
	if (f->size > CABINET_SIZE_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u switches in a cabinet: a cabinet has 1..%d "
				  "units", f->size, CABINET_SIZE_MAX);
	if (!(column >= 0.001 && column <= 100 && row >= 0.001 && row <= 100))
		return moore_fail(err, MOORE_EINVAL, 0, "pitch of cabinets: 0.001..100 metres");
	f->column_pitch = (int32_t)mm(column);
	f->row_pitch = (int32_t)mm(row);
	f->n_cabinets = (f->p->n_switches + f->size - 1) / f->size;
	if (o->model->square_room) {
		f->columns = ceil_root(f->n_cabinets * (double)f->row_pitch / f->column_pitch);
		f->columns = f->columns < f->n_cabinets ? f->columns : f->n_cabinets;
		f->rows = (f->n_cabinets + f->columns - 1) / f->columns;
	} else {
		f->rows = ceil_root(f->n_cabinets);
		f->columns = (f->n_cabinets + f->rows - 1) / f->rows;
	}
	if (f->rows > MOORE_PLAN_GRID_MAX || f->columns > MOORE_PLAN_GRID_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "a floor of %u rows of %u cabinets: at most %d: "
				  "give more even pitches", f->rows, f->columns, MOORE_PLAN_GRID_MAX);
	return 0;
}

/* Lays out the cabinets in rows, in their order. */
static bool
lay_grid(struct floor *f)
{
	const uint32_t n = f->rows * f->columns;

	f->spot = moore_arena_alloc(&f->tmp, n, sizeof(*f->spot));
	f->grid = (struct moore_layout){ &f->between, n, f->spot, mm(f->o->model->inside),
		mm(f->o->model->overhead), moore_arena_alloc(&f->tmp, f->n_cabinets, sizeof(uint32_t)),
		moore_arena_alloc(&f->tmp, n, sizeof(uint32_t)) };
	if (!f->spot || !f->grid.at || !f->grid.thing)
		return false;
	for (uint32_t s = 0; s < n; s++) {
		f->spot[s] = (struct moore_spot){ (int32_t)(s % f->columns) * f->column_pitch,
						  (int32_t)(s / f->columns) * f->row_pitch, s };
		f->grid.thing[s] = s < f->n_cabinets ? s : MOORE_NONE;
		if (s < f->n_cabinets)
			f->grid.at[s] = s;
	}
	return true;
}

static uint32_t
n_inside(const struct floor *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->p->n_cables; i++)
		n += f->cabinet[f->p->cable[i].sw[0]] == f->cabinet[f->p->cable[i].sw[1]];
	return n;
}

static int64_t
total(const struct floor *f)
{
	return moore_layout_length(&f->grid) + n_inside(f) * f->grid.inside;
}

static void
advance(struct floor *f, double part)
{
	f->progress.share += part;
	if (f->progress.call)
		f->progress.call(f->progress.arg, f->progress.share);
}

static int
anneal(struct floor *f, struct moore_layout *l, double heat, double part, struct moore_err *err)
{
	f->progress.part = part;
	if (moore_layout_anneal(l, f->o->iterations, heat, &f->rng, &f->progress, err) < 0)
		return -MOORE_ENOMEM;
	advance(f, part);
	return 0;
}

/* ---- assignment -------------------------------------------------------------------- */

/* Fills the cabinets in that order, puts them in rows, and anneals them. */
static int
assign(struct floor *f, bool structure, double part, struct moore_err *err)
{
	uint32_t *order = malloc((f->p->n_switches + 1u) * sizeof(*order));
	int rc = order ? moore_place_order(order, f->p, &f->switches, f->size, structure, err) :
		 moore_fail_nomem(err);

	f->rng = (struct moore_rng){ f->o->seed };	/* the same seed each time: a repeated run
							 * gives the same result */
	for (uint32_t k = 0; !rc && k < f->p->n_switches; k++)
		f->cabinet[order[k]] = k / f->size;
	free(order);
	if (rc < 0)
		return rc;
	if (!lay_grid(f) || !join(&f->between, f->p, f->cabinet, f->n_cabinets, &f->tmp))
		return moore_fail_nomem(err);
	f->before = (double)total(f) / 1000;
	return anneal(f, &f->grid, 1, part, err);
}

/* Lays out the slots: switch i goes to the first free slot of its cabinet; the cabinets
 * keep their places. */
static bool
lay_slots(struct floor *f, struct moore_layout *l)
{
	const uint32_t n = f->n_cabinets * f->size;
	struct moore_spot *spot = moore_arena_alloc(&f->tmp, n, sizeof(*spot));
	uint32_t *next = moore_arena_alloc(&f->tmp, f->n_cabinets, sizeof(*next));

	*l = (struct moore_layout){ &f->switches, n, spot, f->grid.inside, f->grid.overhead,
		moore_arena_alloc(&f->tmp, f->p->n_switches, sizeof(uint32_t)),
		moore_arena_alloc(&f->tmp, n, sizeof(uint32_t)) };
	if (!spot || !next || !l->at || !l->thing)
		return false;
	for (uint32_t s = 0; s < n; s++) {
		spot[s] = f->spot[f->grid.at[s / f->size]];
		l->thing[s] = MOORE_NONE;
	}
	for (uint32_t i = 0; i < f->p->n_switches; i++) {
		const uint32_t c = f->cabinet[i];

		l->at[i] = c * f->size + next[c]++;
		l->thing[l->at[i]] = i;
	}
	return true;
}

static int
refine(struct floor *f, double part, struct moore_err *err)
{
	struct moore_layout slots;

	if (!lay_slots(f, &slots))
		return moore_fail_nomem(err);
	if (anneal(f, &slots, REFINE_HEAT, part / 2, err) < 0)
		return -MOORE_ENOMEM;
	for (uint32_t i = 0; i < f->p->n_switches; i++)
		f->cabinet[i] = slots.at[i] / f->size;
	if (!join(&f->between, f->p, f->cabinet, f->n_cabinets, &f->tmp))
		return moore_fail_nomem(err);
	return anneal(f, &f->grid, REFINE_HEAT, part / 2, err);
}

/* Tries both orders and refines the better one. */
static int
assign_best(struct floor *f, struct moore_err *err)
{
	int64_t sequential;
	double before;
	int rc;

	if ((rc = assign(f, false, 0.1, err)) < 0)
		return rc;
	sequential = total(f);
	before = f->before;
	if ((rc = assign(f, true, 0.1, err)) < 0)
		return rc;
	if (sequential < total(f) && (rc = assign(f, false, 0.1, err)) < 0)
		return rc;
	f->before = before;	/* the length to compare with: cabinets in rows, in the plan's
				 * order */
	f->progress.share = 0.3;
	return refine(f, 0.3, err);
}

/* ---- the answer --------------------------------------------------------------------- */

static void
put_name(struct moore_buf *b, uint32_t row, uint32_t column)
{
	char letters[8];
	size_t n = 0;

	for (uint32_t r = row + 1; r; r = (r - 1) / 26)
		letters[n++] = (char)('A' + (r - 1) % 26);
	while (n)
		moore_buf_fmt(b, "%c", letters[--n]);
	moore_buf_fmt(b, "%02u", column + 1);
}

static bool
fill_cabinets(const struct floor *f, struct moore_plan_cabinet *out)
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool ok = true;

	for (uint32_t c = 0; ok && c < f->n_cabinets; c++) {
		const uint32_t s = f->grid.at[c];

		b.len = 0;
		put_name(&b, s / f->columns, s % f->columns);
		out[c] = (struct moore_plan_cabinet){ b.oom ? NULL : moore_strndup(b.data, b.len),
						      s / f->columns, s % f->columns };
		ok = out[c].name != NULL;
	}
	moore_buf_free(&b);
	return ok;
}

static int
cabinet_cmp(const void *x, const void *y)
{
	const struct moore_plan_cabinet *a = x, *b = y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->column > b->column) - (a->column < b->column);
}

static void
fill_cables(const struct floor *f, struct moore_plan *p, struct moore_place_report *r)
{
	for (uint32_t i = 0; i < p->n_cables; i++) {
		struct moore_plan_cable *c = &p->cable[i];
		const uint32_t a = f->grid.at[f->cabinet[c->sw[0]]];
		const uint32_t b = f->grid.at[f->cabinet[c->sw[1]]];

		c->length = (double)moore_layout_run(&f->grid, a, b) / 1000;
		r->longest = c->length > r->longest ? c->length : r->longest;
	}
}

/* Allocates all memory first; after that nothing can fail and the plan is changed. */
static int
commit(const struct floor *f, struct moore_plan *p, struct moore_place_report *r,
       struct moore_err *err)
{
	struct moore_plan_cabinet *cabinet = calloc(f->n_cabinets, sizeof(*cabinet));
	char **name = calloc(p->n_switches, sizeof(*name));
	uint32_t *unit = calloc(f->n_cabinets, sizeof(*unit));
	bool ok = cabinet && name && unit && fill_cabinets(f, cabinet);

	for (uint32_t i = 0; ok && i < p->n_switches; i++) {
		const char *s = cabinet[f->cabinet[i]].name;

		ok = (name[i] = moore_strndup(s, strlen(s))) != NULL;
	}
	if (ok) {
		for (uint32_t i = 0; i < p->n_switches; i++) {
			free(p->sw[i].cabinet);
			p->sw[i].cabinet = name[i];
			p->sw[i].unit = ++unit[f->cabinet[i]];
			name[i] = NULL;		/* the plan owns it now */
		}
		fill_cables(f, p, r);
		qsort(cabinet, f->n_cabinets, sizeof(*cabinet), cabinet_cmp);
		for (uint32_t c = 0; c < p->n_cabinets; c++)
			free(p->cabinet[c].name);
		free(p->cabinet);
		p->cabinet = cabinet;
		p->n_cabinets = f->n_cabinets;
		p->column_pitch = f->column_pitch / 1000.0;
		p->row_pitch = f->row_pitch / 1000.0;
		cabinet = NULL;			/* the plan owns it now */
	}
	for (uint32_t c = 0; cabinet && c < f->n_cabinets; c++)
		free(cabinet[c].name);
	for (uint32_t i = 0; name && i < p->n_switches; i++)
		free(name[i]);
	free(cabinet);
	free(name);
	free(unit);
	return ok ? 0 : moore_fail_nomem(err);
}

/* The better of the two bounds, with `size` slots at each place of the floor. */
static int64_t
bound_of(struct floor *f, const struct moore_layout *l, uint32_t size, double part,
	 struct moore_err *err)
{
	const struct moore_grid g = { f->rows, f->columns, size, f->column_pitch, f->row_pitch };
	int64_t ways = moore_layout_bound(l, err), cuts;

	f->progress.part = part;
	if (ways < 0 || (cuts = moore_layout_cut_bound(l, &g, &f->progress, err)) < 0)
		return -MOORE_ENOMEM;
	advance(f, part);
	return cuts > ways ? cuts : ways;
}

/* For the bound over any assignment, the things are switches and the spots are all slots of
 * a full floor.  That is more room than there is, so the bound still holds. */
static int
fill_bounds(struct floor *f, struct moore_place_report *r, struct moore_err *err)
{
	const uint32_t n = f->rows * f->columns * f->size;
	struct moore_spot *spot = moore_arena_alloc(&f->tmp, n, sizeof(*spot));
	struct moore_layout any = { &f->switches, n, spot, f->grid.inside, f->grid.overhead, NULL,
				    NULL };
	int64_t bound;

	if (!spot)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < n; s++)
		spot[s] = f->spot[s / f->size];
	if ((bound = bound_of(f, &f->grid, 1, 0.1, err)) < 0)
		return (int)bound;
	r->bound = (double)(bound + n_inside(f) * f->grid.inside) / 1000;
	if ((bound = bound_of(f, &any, f->size, 0.29, err)) < 0)
		return (int)bound;
	r->bound_any = (double)bound / 1000;
	r->bound = r->bound > r->bound_any ? r->bound : r->bound_any;
	return 0;
}

static int
run(struct floor *f, struct moore_place_report *r, struct moore_err *err)
{
	uint32_t *self;
	int rc;

	if ((rc = moore_plan_check(f->p, NULL, err)) < 0 || (rc = check_opts(f, err)) < 0)
		return rc;
	f->cabinet = moore_arena_alloc(&f->tmp, f->p->n_switches, sizeof(*f->cabinet));
	self = moore_arena_alloc(&f->tmp, f->p->n_switches, sizeof(*self));
	if (!f->cabinet || !self)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < f->p->n_switches; i++)
		self[i] = i;
	if (!join(&f->switches, f->p, self, f->p->n_switches, &f->tmp))
		return moore_fail_nomem(err);
	if (f->o->assign == MOORE_PLACE_REFINED)
		rc = assign_best(f, err);
	else
		rc = assign(f, f->o->assign == MOORE_PLACE_STRUCTURE, 0.6, err);
	if (rc < 0)
		return rc;
	*r = (struct moore_place_report){ f->n_cabinets, f->rows, f->columns, n_inside(f), f->before,
					  (double)total(f) / 1000, 0, 0, 0 };
	return fill_bounds(f, r, err);
}

int
moore_place(struct moore_plan *p, const struct moore_place_opts *opts,
	    struct moore_place_report *out, struct moore_err *err)
{
	struct floor f = { .p = p, .o = opts, .tmp = MOORE_ARENA_INIT,
			   .progress = { opts->progress, opts->arg, 0, 1 } };
	struct moore_place_report r = { 0 };
	int rc;

	if ((rc = run(&f, &r, err)) == 0 && (rc = commit(&f, p, &r, err)) == 0)
		*out = r;
	moore_arena_free(&f.tmp);
	return rc;
}
