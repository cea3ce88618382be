// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* work.c - the list of work for a cabling crew.
 *
 * There is one line for each cable and each endpoint, sorted by the position of its first
 * end: cabinets in rows, then units, then ports.  A bundle is either the cables from one
 * cabinet to the cabinets of one row, which run together up to that row, or the cables
 * inside one cabinet. */
#include <stdlib.h>
#include <string.h>

#include "moore/place.h"
#include "plan/plan_parts.h"

struct ends {			/* the sort key of a line */
	uint64_t key[5];	/* key parts of the first end and of the other end */
	struct moore_work work;
};

enum { FROM, TO_ROW, TO, PLUG, TO_PLUG };	/* parts of the key; TO_ROW counts from 1, and 0
						 * means inside the cabinet */

void
moore_work_label(struct moore_buf *b, const struct moore_plan *p, moore_swid sw,
		 moore_portnum port)
{
	const struct moore_plan_switch *s = &p->sw[sw];

	moore_buf_fmt(b, "%s-%u-%u", s->cabinet ? s->cabinet : "", s->unit, port);
}

/* Finds the cabinet of each switch, and checks that each switch has a unit of its own
 * there. */
static int
find_cabinets(uint32_t *cabinet, struct moore_plan_ref *r, const struct moore_plan *p,
	      struct moore_err *err)
{
	for (uint32_t i = 0; i < p->n_cabinets; i++)
		r[i] = (struct moore_plan_ref){ p->cabinet[i].name, 0, i, 0 };
	moore_plan_refs_sort(r, p->n_cabinets);
	for (uint32_t i = 0; i < p->n_switches; i++) {
		const struct moore_plan_switch *s = &p->sw[i];

		cabinet[i] = s->cabinet ? moore_plan_refs_find(r, p->n_cabinets, s->cabinet, 0, 0) :
			     MOORE_NONE;
		if (cabinet[i] == MOORE_NONE || !s->unit)
			return moore_fail(err, MOORE_EPLAN, 0, "switches[%u]: \"%s\" has no cabinet on the "
					  "floor, or no unit: place the plan first", i, s->name);
	}
	for (uint32_t i = 0; i < p->n_switches; i++)
		r[i] = (struct moore_plan_ref){ p->sw[i].cabinet, p->sw[i].unit, i, MOORE_PLAN_SWITCH };
	moore_plan_refs_sort(r, p->n_switches);
	return moore_plan_refs_unique(r, p->n_switches, "unit", err);
}

static uint64_t
place_of(const struct moore_plan *p, uint32_t cabinet)
{
	return (uint64_t)p->cabinet[cabinet].row << 32 | p->cabinet[cabinet].column;
}

static uint64_t
plug_of(const struct moore_plan *p, moore_swid sw, moore_portnum port)
{
	return (uint64_t)p->sw[sw].unit << 8 | port;
}

static int
fill_cable(struct ends *e, const struct moore_plan *p, uint32_t i, const uint32_t *cabinet,
	   const struct moore_catalogue *cat, struct moore_err *err)
{
	const struct moore_plan_cable *c = &p->cable[i];
	const uint32_t stock = moore_catalogue_pick(cat, c->length);
	const uint32_t at[2] = { cabinet[c->sw[0]], cabinet[c->sw[1]] };
	const uint64_t plug[2] = { plug_of(p, c->sw[0], c->port[0]), plug_of(p, c->sw[1], c->port[1]) };
	const uint64_t place[2] = { place_of(p, at[0]), place_of(p, at[1]) };
	int first;

	if (!(c->length > 0))
		return moore_fail(err, MOORE_EPLAN, 0, "cables[%u]: no length: place the plan first", i);
	if (stock == MOORE_NONE) {
		struct moore_buf b = MOORE_BUF_INIT;
		int rc;

		moore_plan_put_metres(&b, c->length);
		rc = moore_fail(err, MOORE_EPLAN, 0, "cables[%u]: %s m: longer than every cable of the "
				"catalogue: add one, or place the cabinets closer", i,
				b.oom ? "" : b.data);
		moore_buf_free(&b);
		return rc;
	}
	first = place[0] != place[1] ? place[1] < place[0] : plug[1] < plug[0];
	*e = (struct ends){ { place[first], place[0] == place[1] ? 0 : (place[!first] >> 32) + 1,
			      place[!first], plug[first], plug[!first] },
			    { .index = i, .first = (uint8_t)first, .stock = stock,
			      .cabinet = { at[first], at[!first] } } };
	return 0;
}

/* An endpoint's cable stays in its switch's cabinet, and is listed after the cables that
 * begin there. */
static void
fill_endpoint(struct ends *e, const struct moore_plan *p, uint32_t i, const uint32_t *cabinet)
{
	const struct moore_plan_endpoint *ep = &p->ep[i];
	const uint32_t at = cabinet[ep->sw];

	*e = (struct ends){ { place_of(p, at), UINT32_MAX, UINT64_MAX,
			      plug_of(p, ep->sw, ep->port), 0 },
			    { .index = i, .endpoint = true, .cabinet = { at, at },
			      .stock = MOORE_NONE } };
}

/* ---- order ------------------------------------------------------------------------ */

static int
ends_cmp(const void *x, const void *y)
{
	const struct ends *a = x, *b = y;

	for (size_t i = 0; i < ARRAY_LEN(a->key); i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

/* Crews get consecutive runs of the list sorted by pair of cabinets, and bundles are
 * consecutive runs of each crew's part. */
static void
arrange(struct ends *e, size_t n, enum moore_work_order order, uint32_t n_crews)
{
	uint32_t bundle = 0;

	qsort(e, n, sizeof(*e), ends_cmp);
	for (size_t i = 0; i < n; i++) {
		bundle += !i || e[i].key[FROM] != e[i - 1].key[FROM] ||
			  e[i].key[TO_ROW] != e[i - 1].key[TO_ROW];
		e[i].work.bundle = bundle;
		e[i].work.crew = (uint32_t)((uint64_t)i * n_crews / n) + 1;
	}
	/* The list is sorted by pair and, since crews get consecutive runs, by crew.  A
	 * crew pulls its part of a bundle as one, so inside that the lines are sorted by the
	 * plugs at the first end. */
	if (order != MOORE_WORK_BUNDLE)
		return;
	for (size_t i = 0; i < n; i++)
		e[i].key[TO] = e[i].work.crew;
	qsort(e, n, sizeof(*e), ends_cmp);
}

int
moore_work_list(struct moore_work **out, const struct moore_plan *p,
		const struct moore_catalogue *c, enum moore_work_order order, uint32_t n_crews,
		struct moore_err *err)
{
	const size_t n = (size_t)p->n_cables + p->n_endpoints;
	const size_t n_refs = p->n_cabinets > p->n_switches ? p->n_cabinets : p->n_switches;
	struct moore_plan_ref *r = malloc((n_refs + 1) * sizeof(*r));
	uint32_t *cabinet = malloc((p->n_switches + 1u) * sizeof(*cabinet));
	struct ends *e = malloc((n + 1) * sizeof(*e));
	int rc = r && cabinet && e ? 0 : moore_fail_nomem(err);

	*out = NULL;
	if (!rc && !n_crews)
		rc = moore_fail(err, MOORE_EINVAL, 0, "no crew: at least 1");
	if (!rc && (rc = moore_plan_check(p, NULL, err)) == 0)
		rc = find_cabinets(cabinet, r, p, err);
	for (uint32_t i = 0; !rc && i < p->n_cables; i++)
		rc = fill_cable(&e[i], p, i, cabinet, c, err);
	for (uint32_t i = 0; !rc && i < p->n_endpoints; i++)
		fill_endpoint(&e[p->n_cables + i], p, i, cabinet);
	if (!rc && !(*out = malloc((n + 1) * sizeof(**out))))
		rc = moore_fail_nomem(err);
	if (!rc) {
		arrange(e, n, order, n_crews);
		for (size_t i = 0; i < n; i++)
			(*out)[i] = e[i].work;
	}
	free(e);
	free(cabinet);
	free(r);
	return rc;
}
