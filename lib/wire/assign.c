// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* assign.c - decides which observed cable becomes which planned cable.
 *
 * A cable that keeps both ends costs no move, a cable that keeps one end costs one, any
 * other costs two.  Each jack holds at most one observed and at most one planned cable.  So
 * cables that share jacks form paths and rings in which observed and planned cables
 * alternate, and in a path or ring of k cables at most k/2 disjoint pairs share a jack.
 * Pairing neighbours along it reaches that number, so the assignment has the fewest moves
 * for every size.  The choices that remain (which cable of an odd path is left over, which
 * way round a ring is paired) go to the pairs that a person would call the same cable.
 *
 * After that, cables between the same two switches are paired.  If there are as many cables
 * between every two switches as planned, so that only ports are wrong, a person takes each
 * cable for one of those, even where that is not the fewest moves. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "wire/wire_impl.h"

struct link {			/* one cable of a path or ring */
	struct moore_wire_cables *of;
	uint32_t i;
};

struct walk {
	struct moore_wire *w;
	struct link *path;
	uint32_t n;
	uint8_t *done[2];	/* for planned and for observed cables: already walked */
};

static struct moore_wire_cables *
other_kind(struct moore_wire *w, const struct moore_wire_cables *c)
{
	return c == &w->planned ? &w->observed : &w->planned;
}

static uint8_t *
done_of(struct walk *k, const struct moore_wire_cables *c)
{
	return k->done[c == &k->w->observed];
}

/* ---- how alike ------------------------------------------------------------------- */

static bool
is_stranger(const struct moore_wire *w, const struct moore_wire_cable *c)
{
	return c->endpoint && w->jack[c->jack[0]].slot >= w->plan->n_endpoints;
}

static bool
same_switches(const struct moore_wire *w, const struct moore_wire_cable *a,
	      const struct moore_wire_cable *b)
{
	uint32_t a0 = moore_jack_switch(w, a->jack[0]), a1 = moore_jack_switch(w, a->jack[1]);
	uint32_t b0 = moore_jack_switch(w, b->jack[0]), b1 = moore_jack_switch(w, b->jack[1]);

	return !a->endpoint && !b->endpoint &&
		((a0 == b0 && a1 == b1) || (a0 == b1 && a1 == b0));
}

/* How alike two cables that share a jack are.  An endpoint's cable is the same cable
 * wherever its other end is plugged; so is a cable in the wrong port of the right switch. */
static int32_t
likeness(const struct moore_wire *w, struct link x, struct link y)
{
	const struct moore_wire_cable *a = &x.of->cable[x.i], *b = &y.of->cable[y.i];
	bool same_endpoint = a->endpoint && b->endpoint && a->jack[0] == b->jack[0];

	if (is_stranger(w, a) || is_stranger(w, b))
		return -1;
	return same_endpoint ? 2 : a->endpoint || b->endpoint ? 0 : 1 + same_switches(w, a, b);
}

/* ---- paths and rings --------------------------------------------------------------- */

/* Walks from cable i through its jack `by`, alternating between the two kinds, to the end
 * of the path or once round the ring. */
static void
go(struct walk *k, struct moore_wire_cables *c, uint32_t i, uint32_t by)
{
	k->n = 0;
	while (i != MOORE_NONE && !done_of(k, c)[i]) {
		done_of(k, c)[i] = 1;
		k->path[k->n++] = (struct link){ c, i };
		c = other_kind(k->w, c);
		i = c->at[by];
		if (i != MOORE_NONE)
			by = c->cable[i].jack[c->cable[i].jack[0] == by];
	}
}

static void
pair(const struct link *a, const struct link *b)
{
	a->of->cable[a->i].mate = b->i;
	b->of->cable[b->i].mate = a->i;
}

/* Makes pairs of neighbours (from, from+1), (from+2, from+3) and so on, before `to`. */
static void
pair_run(struct walk *k, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i + 1 < to; i += 2)
		pair(&k->path[i], &k->path[i + 1]);
}

/* A path of odd length leaves one cable at an even position unpaired: the one that leaves
 * the most alike pairs. */
static void
pair_odd(struct walk *k)
{
	int32_t before = 0, after = 0, best;
	uint32_t alone = 0;

	for (uint32_t i = 1; i + 1 < k->n; i += 2)
		after += likeness(k->w, k->path[i], k->path[i + 1]);
	best = after;
	for (uint32_t i = 2; i < k->n; i += 2) {
		before += likeness(k->w, k->path[i - 2], k->path[i - 1]);
		after -= likeness(k->w, k->path[i - 1], k->path[i]);
		if (before + after > best) {
			best = before + after;
			alone = i;
		}
	}
	pair_run(k, 0, alone);
	pair_run(k, alone + 1, k->n);
}

static void
pair_ring(struct walk *k)
{
	int32_t even = 0, odd = 0;

	for (uint32_t i = 0; i < k->n; i += 2) {
		even += likeness(k->w, k->path[i], k->path[i + 1]);
		odd += likeness(k->w, k->path[i + 1], k->path[(i + 2) % k->n]);
	}
	if (even >= odd) {
		pair_run(k, 0, k->n);
		return;
	}
	pair_run(k, 1, k->n);
	pair(&k->path[k->n - 1], &k->path[0]);
}

/* Pairs up the paths, which begin at a jack that has no cable of the other kind. */
static void
paths_from(struct walk *k, struct moore_wire_cables *c)
{
	const struct moore_wire_cables *other = other_kind(k->w, c);

	for (uint32_t i = 0; i < c->n; i++)
		for (int end = 0; end < 2 && !done_of(k, c)[i]; end++) {
			if (other->at[c->cable[i].jack[end]] != MOORE_NONE)
				continue;
			go(k, c, i, c->cable[i].jack[!end]);
			if (k->n % 2)
				pair_odd(k);
			else
				pair_run(k, 0, k->n);
		}
}

/* ---- between the same switches -------------------------------------------------------- */

struct loose {
	uint64_t key;
	uint32_t i;
	bool observed;
};

static int
loose_cmp(const void *x, const void *y)
{
	const struct loose *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->observed != b->observed)
		return a->observed - b->observed;
	return (a->i > b->i) - (a->i < b->i);
}

/* Collects cables between switches: those without a mate, or (all) every cable that is not
 * as planned. */
static uint32_t
gather_loose(struct moore_wire *w, struct moore_wire_cables *c, bool all, struct loose *to)
{
	const struct moore_wire_cables *other = other_kind(w, c);
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct moore_wire_cable *x = &c->cable[i];
		uint64_t a, b;

		if (x->endpoint || (all ? other->at[x->jack[0]] != MOORE_NONE &&
				    other->at[x->jack[0]] == other->at[x->jack[1]] :
				    x->mate != MOORE_NONE))
			continue;
		a = moore_jack_switch(w, x->jack[0]);
		b = moore_jack_switch(w, x->jack[1]);
		to[n++] = (struct loose){ a < b ? a << 32 | b : b << 32 | a, i, c == &w->observed };
	}
	return n;
}

/* The end of the group that begins at `from`; *mid is where its observed cables begin. */
static uint32_t
group_end(const struct loose *l, uint32_t n, uint32_t from, uint32_t *mid)
{
	uint32_t to;

	for (*mid = from; *mid < n && l[*mid].key == l[from].key && !l[*mid].observed; ++*mid)
		;
	for (to = *mid; to < n && l[to].key == l[from].key; to++)
		;
	return to;
}

static void
pair_mates(struct moore_wire *w, struct loose *l)
{
	uint32_t n = gather_loose(w, &w->planned, false, l), to, mid;

	n += gather_loose(w, &w->observed, false, l + n);
	qsort(l, n, sizeof(*l), loose_cmp);
	for (uint32_t from = 0; from < n; from = to) {
		to = group_end(l, n, from, &mid);
		for (uint32_t k = 0; k < mid - from && k < to - mid; k++) {
			w->planned.cable[l[from + k].i].mate = l[mid + k].i;
			w->observed.cable[l[mid + k].i].mate = l[from + k].i;
		}
	}
}

static void
twin_mates(struct moore_wire_cables *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		c->cable[i].twin = c->cable[i].mate;
}

static void
make_twins(struct moore_wire *w, uint32_t p, uint32_t o)
{
	w->planned.cable[p].twin = o;
	w->observed.cable[o].twin = p;
}

static void
pair_twins(struct moore_wire *w, struct loose *l)
{
	uint32_t n = gather_loose(w, &w->planned, true, l), to, mid;

	n += gather_loose(w, &w->observed, true, l + n);
	qsort(l, n, sizeof(*l), loose_cmp);
	twin_mates(&w->planned);
	twin_mates(&w->observed);
	for (uint32_t from = 0; from < n; from = to) {
		to = group_end(l, n, from, &mid);
		if (mid - from != to - mid)
			return;
	}
	for (uint32_t i = 0; i < w->observed.n; i++) {
		uint32_t p = w->planned.at[w->observed.cable[i].jack[0]];

		if (w->observed.cable[i].endpoint)
			w->observed.cable[i].twin = MOORE_NONE;
		if (w->observed.cable[i].endpoint && p != MOORE_NONE)
			make_twins(w, p, i);
	}
	for (uint32_t from = 0; from < n; from = to) {
		to = group_end(l, n, from, &mid);
		for (uint32_t k = 0; k < mid - from; k++)
			make_twins(w, l[from + k].i, l[mid + k].i);
	}
}

bool
moore_wire_assign(struct moore_wire *w)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct walk k = { .w = w };
	struct loose *l;
	bool ok;

	k.path = moore_arena_alloc(&tmp, (size_t)w->planned.n + w->observed.n + 1, sizeof(*k.path));
	k.done[0] = moore_arena_alloc(&tmp, (size_t)w->planned.n + 1, 1);
	k.done[1] = moore_arena_alloc(&tmp, (size_t)w->observed.n + 1, 1);
	l = moore_arena_alloc(&tmp, (size_t)w->planned.n + w->observed.n + 1, sizeof(*l));
	ok = k.path && k.done[0] && k.done[1] && l;
	if (ok) {
		paths_from(&k, &w->planned);
		paths_from(&k, &w->observed);
		for (uint32_t i = 0; i < w->planned.n; i++)
			if (!k.done[0][i]) {
				go(&k, &w->planned, i, w->planned.cable[i].jack[1]);
				pair_ring(&k);
			}
		pair_mates(w, l);
		pair_twins(w, l);
	}
	moore_arena_free(&tmp);
	return ok;
}
