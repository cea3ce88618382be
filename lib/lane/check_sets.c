// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_sets.c - turns as sets of links, one bit for each link.
 *
 * The links that lead to a switch are divided into bundles of up to 64.  For each bundle and
 * each slot by which packets may go on there is a set of turns, and what is to be known or
 * noted of these turns is a word: from which links a packet of a class leaves on a VL, over
 * which links packets came.  So the walk handles all links that lead to a switch at once.
 *
 * Each worker notes in words of its own; moore_ck_note_sets() takes all of them into the
 * cells. */
#include "check_impl.h"

/* For a job for each switch. */
struct fill {
	struct moore_ck *k;
	struct moore_ck_sets *sets;
	uint8_t pair[MOORE_N_SL][MOORE_VL_DROP];	/* of each class and VL */
	const struct moore_ck_notes *notes;
	unsigned n_notes;
};

static unsigned
n_slots(const struct moore_ck *k, moore_swid s)
{
	return k->f->sw[s].n_ports + 2u;
}

static bool
lay_out(struct moore_ck *k, struct moore_ck_sets *t)
{
	uint32_t *from = moore_arena_alloc(&k->tmp, (size_t)k->n_links + 1, sizeof(*from));
	size_t n_sets = 0;

	if (!from ||
	    !(t->bundle0 = moore_arena_alloc(&k->tmp, (size_t)k->n_sw + 1, sizeof(*t->bundle0))) ||
	    !(t->way = moore_arena_alloc(&k->tmp, (size_t)k->n_slots + 1, sizeof(*t->way))))
		return false;
	for (uint32_t s = 0; s < k->n_sw; s++)
		t->bundle0[s + 1] = t->bundle0[s] + (k->n_in[s] + 63) / 64;
	t->n_bundles = t->bundle0[k->n_sw];
	if (!(t->set0 = moore_arena_alloc(&k->tmp, (size_t)t->n_bundles + 1, sizeof(*t->set0))) ||
	    !(t->link = moore_arena_alloc(&k->tmp, (size_t)t->n_bundles + 1, sizeof(*t->link))) ||
	    !(t->from = moore_arena_alloc(&k->tmp, (size_t)t->n_bundles + 1, sizeof(*t->from))))
		return false;
	for (uint32_t i = 0; i < k->n_slots; i++)
		t->way[i] = (struct moore_ck_way){ 0, t->n_bundles };
	for (uint32_t s = 0; s < k->n_sw; s++) {
		for (uint32_t i = 0; i < k->n_in[s]; i++)
			t->way[k->into[k->into0[s] + i]] = (struct moore_ck_way){
				(uint64_t)1 << i % 64, t->bundle0[s] + i / 64 };
		for (uint32_t b = t->bundle0[s]; b < t->bundle0[s + 1]; b++, n_sets += n_slots(k, s)) {
			t->set0[b] = n_sets;
			t->link[b] = &k->into[k->into0[s] + (size_t)(b - t->bundle0[s]) * 64];
			t->from[b] = from + (t->link[b] - k->into);
		}
	}
	t->n_sets = n_sets;
	for (uint32_t s = 0; s < k->n_sw; s++)
		for (uint32_t i = k->slot0[s]; i < k->slot0[s + 1]; i++)
			if (t->way[i].bit)
				from[t->link[t->way[i].bundle] - k->into + __builtin_ctzll(t->way[i].bit)] = s;
	return true;
}

/* Numbers the pairs of a class and a VL on which some turn sends it. */
static void
list_pairs(struct fill *w)
{
	struct moore_ck_sets *t = w->sets;

	for (unsigned x = 0; x < w->k->n_cls; x++) {
		unsigned vls = 0;

		t->pair0[x] = t->n_pairs;
		for (uint32_t s = 0; s < w->k->n_sw; s++)
			vls |= w->k->vls[(size_t)s * w->k->n_cls + x];
		for (; vls; vls &= vls - 1) {
			unsigned vl = (unsigned)__builtin_ctz(vls);

			w->pair[x][vl] = (uint8_t)t->n_pairs;
			t->vl[t->n_pairs++] = (uint8_t)vl;
		}
	}
	t->pair0[w->k->n_cls] = t->n_pairs;
}

/* Fills in the sets of the links that lead to s. */
static void
fill_sets(void *arg, unsigned worker, size_t s)
{
	struct fill *w = arg;
	const struct moore_ck *k = w->k;
	struct moore_ck_sets *t = w->sets;

	(void)worker;
	for (uint32_t i = k->into0[s]; i < k->into0[s + 1]; i++) {
		const struct moore_ck_way *y = &t->way[k->into[i]];
		uint64_t *out = &t->out[t->set0[y->bundle] * t->n_pairs];
		const struct moore_ck_cell *c = moore_ck_cells(k, k->into[i], 0);

		for (unsigned x = 0; x < k->n_cls; x++)
			if (k->inject[(size_t)k->into[i] * k->n_cls + x])
				t->inject[(size_t)y->bundle * k->n_cls + x] |= y->bit;
		for (unsigned q = 0; q < n_slots(k, (moore_swid)s); q++) {
			for (unsigned x = 0; x < k->n_cls; x++)
				for (unsigned v = c[x].out; v; v &= v - 1)
					out[w->pair[x][__builtin_ctz(v)]] |= y->bit;
			out += t->n_pairs;
			c += (size_t)k->n_in[s] * k->n_cls;
		}
	}
}

struct moore_ck_sets *
moore_ck_sets(struct moore_ck *k)
{
	struct moore_ck_sets *t = moore_arena_alloc(&k->tmp, 1, sizeof(*t));
	struct fill w = { .k = k, .sets = t };

	if (!t || !lay_out(k, t))
		return NULL;
	list_pairs(&w);
	t->n_used = k->opts.sl_set ? k->n_cls : 1;
	t->inject = moore_arena_alloc(&k->tmp, ((size_t)t->n_bundles + 1) * k->n_cls, sizeof(*t->inject));
	t->out = moore_arena_alloc(&k->tmp, t->n_sets * t->n_pairs + 1, sizeof(*t->out));
	if (!t->inject || !t->out)
		return NULL;
	moore_ck_each_switch(k, fill_sets, &w);
	return t;
}

bool
moore_ck_notes(struct moore_ck *k, const struct moore_ck_sets *t, struct moore_ck_notes *notes)
{
	notes->used = moore_arena_alloc(&k->tmp, t->n_sets * t->n_used + 1, sizeof(*notes->used));
	notes->held = moore_arena_alloc(&k->tmp, t->n_sets * t->n_pairs + 1, sizeof(*notes->held));
	return notes->used && notes->held;
}

/* ---- what was noted --------------------------------------------------------------- */

static uint64_t
used(const struct fill *w, size_t i)
{
	uint64_t all = 0;

	for (unsigned n = 0; n < w->n_notes; n++)
		all |= w->notes[n].used[i];
	return all;
}

static uint64_t
held(const struct fill *w, size_t i)
{
	uint64_t all = 0;

	for (unsigned n = 0; n < w->n_notes; n++)
		all |= w->notes[n].held[i];
	return all;
}

/* Takes what was noted of a class in one set into the cells of its turns, which are those of link[]. */
static void
note_set(const struct fill *w, size_t set, unsigned x, const uint32_t *link, struct moore_ck_cell *cell)
{
	const struct moore_ck_sets *t = w->sets;
	unsigned n_cls = w->k->n_cls;

	for (uint64_t m = used(w, set * t->n_used + x % t->n_used); m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctzll(m);

		cell[i * n_cls].held |= w->k->inject[(size_t)link[i] * n_cls + x];
	}
	for (unsigned p = t->pair0[x]; p < t->pair0[x + 1]; p++)
		for (uint64_t m = held(w, set * t->n_pairs + p); m; m &= m - 1)
			cell[(unsigned)__builtin_ctzll(m) * n_cls].held |= (uint16_t)(1u << t->vl[p]);
}

static void
note_switch(void *arg, unsigned worker, size_t s)
{
	const struct fill *w = arg;
	const struct moore_ck *k = w->k;
	const struct moore_ck_sets *t = w->sets;

	(void)worker;
	for (uint32_t b = t->bundle0[s]; b < t->bundle0[s + 1]; b++)
		for (unsigned q = 0; q < n_slots(k, (moore_swid)s); q++)
			for (unsigned x = 0; x < k->n_cls; x++)
				note_set(w, t->set0[b] + q, x, t->link[b],
					 &moore_ck_cells(k, t->link[b][0], q)[x]);
}

void
moore_ck_note_sets(struct moore_ck *k, struct moore_ck_sets *t, const struct moore_ck_notes *notes,
		   unsigned n)
{
	struct fill w = { .k = k, .sets = t, .notes = notes, .n_notes = n };

	moore_ck_each_switch(k, note_switch, &w);
}
