// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_tree.c - walks the routes to every LID and notes the VLs held at each turn.
 *
 * The entries for one LID give each switch one next switch; together they form an in-tree.
 * From the leaves to the root (Kahn 1962), each switch's VLs are computed: those on which
 * its own sources send, and for each child that sends anything the VL of that turn, which
 * does not depend on the VL of arrival.  Switches without an order are on a loop.
 *
 * This runs in every sweep of the subnet manager, over all switches and LIDs.  So tables
 * are read BLOCK LIDs at a time and transposed into columns, and the inner loops have no
 * branch but their end.  LIDs at one switch whose columns agree except at that switch are
 * walked once: the same packets come over each link, and the VLs at the last turn are noted
 * for each LID's port.  A block is one job, so this does not depend on the workers.
 *
 * What a walk needs to know of the links is looked up for BATCH walks together, switch by
 * switch: the links of one switch fit into the cache, those of all switches do not.  The cells
 * do not either (q=25 under sl-hint: 43 MB), so the walk asks for those of later switches of its
 * order ahead of time; beyond the end of the order that is a switch of an earlier walk. */
#include <string.h>

#include "base/bits.h"
#include "check_impl.h"

#define BLOCK MOORE_CHECK_PART
#define BATCH 32
#define AHEAD 8			/* cells are fetched for so many switches ahead of the walk */
#define COPIES_BYTES ((size_t)64 << 20)	/* for cells of further workers, if there are over two */

struct moore_ck_walker {	/* of one worker */
	struct moore_ck *k;
	const struct moore_ck_visitor *v;
	struct moore_ck_tree t;
	uint8_t *block;		/* slots named by the tables; n_sw + 2 for each LID */
	uint16_t *sls;		/* likewise, the SLs that sources use; NULL without an sl_set */
	struct group {
		uint32_t times;	/* LIDs that this walk counts for; 0: walked already */
		uint32_t next;	/* the next LID of a switch that has a walk of its own */
	} group[BLOCK];
	uint32_t *first;	/* of each switch: a LID that has a walk of its own */
	struct moore_ck_hop *hop;	/* of BATCH walks, n_sw + 2 for each: where each switch sends, */
	uint16_t *vls;		/* and, n_cls times as many, VLs on which sources enter */
};

static void
read_block(const struct moore_ck_walker *w, unsigned lid0)
{
	const struct moore_ck *k = w->k;
	size_t from = lid0 - k->lid0, left = k->lft->stride - from, n = left < BLOCK ? left : BLOCK;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(k->lft, s) + from;
		uint8_t nowhere = (uint8_t)(k->f->sw[s].n_ports + 1);

		for (size_t i = 0; i < n; i++)
			w->block[i * (k->n_sw + 2) + s] = row[i] < nowhere ? row[i] : nowhere;
		for (size_t i = 0; w->sls && i < n; i++)
			w->sls[i * (k->n_sw + 2) + s] = moore_ck_sls(k, s, lid0 + (unsigned)i);
	}
}

static const uint8_t *
column(const struct moore_ck_walker *w, unsigned lid)
{
	return w->block + (size_t)(lid % BLOCK) * (w->k->n_sw + 2);
}

/* Looks up the links over which each switch sends to n LIDs. */
static inline void
find_links(struct moore_ck_walker *w, const unsigned n_cls, const uint16_t *lid, unsigned n)
{
	const struct moore_ck *k = w->k;
	const uint16_t *inject = k->inject;
	size_t stride = (size_t)k->n_sw + 2;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t *out = w->block + s;
		struct moore_ck_hop *hop = w->hop + s;
		uint16_t *vls = w->vls + s * n_cls;

		for (unsigned i = 0; i < n; i++, hop += stride, vls += stride * n_cls) {
			uint32_t link = k->slot0[s] + out[lid[i] * stride];

			*hop = k->hop[link];
			for (unsigned x = 0; x < n_cls; x++)
				vls[x] = inject[(size_t)link * n_cls + x];
		}
	}
}

/* Makes the i-th walk of the batch the current tree. */
static void
plant(struct moore_ck_walker *w, unsigned lid, unsigned i)
{
	const struct moore_lid_owner *own = &w->k->own[lid];
	const struct moore_ck *k = w->k;
	struct moore_ck_tree *t = &w->t;
	size_t at = i * ((size_t)k->n_sw + 2);

	t->out = column(w, lid);
	t->hop = w->hop + at;
	t->vls = w->vls + at * k->n_cls;
	memset(t->deg, 0, k->n_sw * sizeof(*t->deg));
	t->deg[k->n_sw] = t->deg[k->n_sw + 1] = 1;	/* never processed */
	memcpy(t->sources, w->v->weight, k->n_sw * sizeof(*t->sources));
	t->sources[k->n_sw] = t->sources[k->n_sw + 1] = 0;
	if (t->out[own->sw] == own->port)
		t->hop[own->sw].next = k->n_sw + 1;
	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint32_t n = t->hop[s].next;

		t->deg[n]++;
		t->hop[s].turns += k->n_in[n] * t->out[n];
	}
}

/* With an sl_set, removes the classes in which the sources of a switch do not send to this
 * LID. */
static void
silence(struct moore_ck_walker *w, unsigned lid)
{
	const struct moore_ck *k = w->k;
	const uint16_t *sls = w->sls + (size_t)(lid % BLOCK) * (k->n_sw + 2);

	for (uint32_t s = 0; s < k->n_sw; s++)
		for (unsigned x = 0; x < k->n_cls; x++)
			if (!(sls[s] >> k->cls_sl[x] & 1))
				w->t.vls[(size_t)s * k->n_cls + x] = 0;
}

static inline void
climb(struct moore_ck_walker *w, const unsigned n_cls, unsigned lid)
{
	struct moore_ck *k = w->k;
	struct moore_ck_tree *t = &w->t;
	uint32_t tail = 0;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		t->order[tail] = s;
		tail += !t->deg[s];
	}
	if (k->opts.sl_set)
		silence(w, lid);
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t s = t->order[i], n = t->hop[s].next;

		__builtin_prefetch(&k->cell[(size_t)t->hop[t->order[i + AHEAD]].turns * n_cls], 1);
		moore_ck_turn(&k->cell[(size_t)t->hop[s].turns * n_cls], &t->vls[(size_t)s * n_cls],
			      &t->vls[(size_t)n * n_cls], n_cls);
		t->sources[n] += t->sources[s];
		t->order[tail] = n;
		tail += !--t->deg[n];
	}
	t->n_order = tail;
}

/* Walks the loops, which climb() leaves over: the first time around carries every VL as far
 * as it goes, the second time carries it to where the first one began. */
static void
climb_cycles(struct moore_ck_walker *w)
{
	struct moore_ck *k = w->k;
	struct moore_ck_tree *t = &w->t;

	for (uint32_t s0 = 0; s0 < k->n_sw; s0++) {
		uint32_t s = s0;

		if (!t->deg[s0])
			continue;
		for (unsigned round = 0; round < 2; round++)
			do {
				uint32_t n = t->hop[s].next;

				moore_ck_turn(moore_ck_cells(k, k->slot0[s] + t->out[s], t->out[n]),
					      &t->vls[(size_t)s * k->n_cls],
					      &t->vls[(size_t)n * k->n_cls], k->n_cls);
				t->deg[s] = 0;
				s = n;
			} while (s != s0);
	}
}

/* ---- LIDs whose columns agree --------------------------------------------------- */

/* True if the table of the LID's own switch delivers it and all sources use the same SLs
 * for it. */
static bool
is_plain(const struct moore_ck_walker *w, unsigned lid)
{
	const struct moore_lid_owner *own = &w->k->own[lid];

	return !w->k->opts.sl_set && column(w, lid)[own->sw] == own->port;
}

static bool
agree(const struct moore_ck_walker *w, unsigned a, unsigned b)
{
	const struct moore_ck *k = w->k;
	const uint8_t *x = column(w, a), *y = column(w, b);
	uint32_t s = k->own[a].sw;

	return (k->own[a].ep == MOORE_NONE) == (k->own[b].ep == MOORE_NONE) &&
		memcmp(x, y, s) == 0 && memcmp(x + s + 1, y + s + 1, k->n_sw - s - 1) == 0;
}

/* Decides whether lid is walked on its own or counts as one more of an earlier LID.  The
 * LIDs at a switch that have a walk of their own form a list from first[] along
 * group[].next; those that agree with one of them form a list from it along members[]. */
static void
join(struct moore_ck_walker *w, unsigned lid, uint32_t *members)
{
	struct group *g = &w->group[lid % BLOCK];
	uint32_t *first = &w->first[w->k->own[lid].sw];

	*g = (struct group){ 1, MOORE_NONE };
	members[lid % BLOCK] = MOORE_NONE;
	if (!is_plain(w, lid))
		return;
	if (*first == MOORE_NONE || *first / BLOCK != lid / BLOCK)
		*first = MOORE_NONE;
	for (uint32_t l = *first; l != MOORE_NONE; l = w->group[l % BLOCK].next)
		if (agree(w, l, lid)) {
			g->times = 0;
			w->group[l % BLOCK].times++;
			members[lid % BLOCK] = members[l % BLOCK];
			members[l % BLOCK] = lid;
			return;
		}
	g->next = *first;
	*first = lid;
}

/* Notes the VLs held at the last turns towards lid, on the tree that was just walked. */
static void
turn_to(struct moore_ck_walker *w, unsigned lid)
{
	const struct moore_lid_owner *own = &w->k->own[lid];
	struct moore_ck *k = w->k;
	struct moore_ck_tree *t = &w->t;

	for (uint32_t slot = k->slot0[own->sw]; slot < k->slot0[own->sw + 1]; slot++) {
		uint32_t s = k->hop[slot].next;
		const uint16_t *from = &t->vls[(size_t)s * k->n_cls];
		struct moore_ck_cell *cell;

		if (s == k->n_sw || t->hop[s].next != own->sw)
			continue;
		cell = moore_ck_cells(k, k->slot0[s] + t->out[s], own->port);
		for (unsigned x = 0; x < k->n_cls; x++)
			cell[x].held |= from[x];
	}
}

/* True if this LID has a tree of its own or that of another LID. */
static bool
is_walked(const struct moore_ck_walker *w, unsigned lid)
{
	return lid <= w->k->f->lid_top && moore_ck_is_addressed(w->k, lid) &&
		!(w->v->other && moore_bits_get(w->v->apart, lid));
}

/* Walks n LIDs, at most BATCH, of the block from lid0 on; members[] are those that agree with them. */
static inline void
walk_batch(struct moore_ck_walker *w, const unsigned n_cls, unsigned lid0, const uint16_t *own, unsigned n,
	   const uint32_t *members)
{
	find_links(w, n_cls, own, n);
	for (unsigned i = 0; i < n; i++) {
		plant(w, lid0 + own[i], i);
		climb(w, n_cls, lid0 + own[i]);
		if (w->t.n_order < w->k->n_sw)
			climb_cycles(w);
		w->v->visit(w->v->arg, &w->t, lid0 + own[i], w->group[own[i]].times);
		for (uint32_t m = members[own[i]]; m != MOORE_NONE; m = members[m % BLOCK])
			turn_to(w, m);
	}
}

static void
walk_block(struct moore_ck_walker *w, unsigned lid0)
{
	unsigned top = w->k->lid0 + (unsigned)w->k->lft->stride;
	unsigned end = lid0 + BLOCK <= top ? lid0 + BLOCK : top;
	uint32_t members[BLOCK];
	uint16_t own[BLOCK];	/* what is to be added to lid0 for the LIDs with a walk of their own */
	unsigned n = 0;

	for (unsigned lid = lid0; lid < end; lid++) {
		w->group[lid % BLOCK].times = 0;
		if (is_walked(w, lid))
			join(w, lid, members);
		else if (w->v->other)
			w->v->other(w->v->arg, column(w, lid), lid);
	}
	for (unsigned i = 0; lid0 + i < end; i++)
		if (w->group[i].times)
			own[n++] = (uint16_t)i;
	for (unsigned i = 0; i < n; i += BATCH) {
		unsigned some = n - i < BATCH ? n - i : BATCH;

		if (w->k->n_cls == 1)
			walk_batch(w, 1, lid0, own + i, some, members);	/* the usual case: no inner loops */
		else
			walk_batch(w, w->k->n_cls, lid0, own + i, some, members);
	}
}

static bool
get_memory(struct moore_ck_walker *w, struct moore_arena *a)
{
	size_t n = (size_t)w->k->n_sw + 2;
	struct moore_ck_tree *t = &w->t;

	return (w->hop = moore_arena_alloc(a, n, BATCH * sizeof(*w->hop))) &&
	       (w->vls = moore_arena_alloc(a, n * w->k->n_cls, BATCH * sizeof(*w->vls))) &&
	       (t->deg = moore_arena_alloc(a, n, sizeof(*t->deg))) &&
	       (t->order = moore_arena_alloc(a, n + AHEAD, sizeof(*t->order))) &&
	       (t->sources = moore_arena_alloc(a, n, sizeof(*t->sources))) &&
	       (w->block = moore_arena_alloc(a, n, BLOCK)) &&
	       (!w->k->opts.sl_set ||
		(w->sls = moore_arena_alloc(a, n, BLOCK * sizeof(*w->sls)))) &&
	       (w->first = moore_arena_alloc(a, n, sizeof(*w->first)));
}

/* ---- workers ---------------------------------------------------------------------- */

static size_t
n_blocks(const struct moore_ck *k)
{
	return (k->lft->stride + BLOCK - 1) / BLOCK;
}

static size_t
cell_bytes(const struct moore_ck *k)
{
	return moore_ck_n_cells(k) * sizeof(*k->cell);
}

unsigned
moore_ck_width(const struct moore_ck *k)
{
	size_t bearable = 1 + COPIES_BYTES / cell_bytes(k);
	unsigned n = moore_jobs_width(k->opts.jobs, n_blocks(k));

	bearable = bearable < 2 ? 2 : bearable;
	return n < bearable ? n : (unsigned)bearable;
}

struct moore_ck *
moore_ck_copies(struct moore_ck *k, unsigned n)
{
	struct moore_ck *copies = moore_arena_alloc(&k->tmp, n, sizeof(*copies));

	for (unsigned i = 0; copies && i < n; i++) {
		copies[i] = *k;
		if (i == 0)
			continue;
		if (!(copies[i].cell = moore_arena_alloc(&k->tmp, 1, cell_bytes(k))))
			return NULL;
		memcpy(copies[i].cell, k->cell, cell_bytes(k));
	}
	return copies;
}

void
moore_ck_unite(const struct moore_ck *copies, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (size_t c = 0; c < moore_ck_n_cells(copies); c++)
			copies->cell[c].held |= copies[i].cell[c].held;
}

static void
walk_job(void *arg, unsigned worker, size_t i)
{
	struct moore_ck_walker *w = (struct moore_ck_walker *)arg + worker;
	unsigned lid0 = w->k->lid0 + (unsigned)i * BLOCK;

	read_block(w, lid0);
	walk_block(w, lid0);
}

struct moore_ck_walker *
moore_ck_walkers(struct moore_ck *k, const struct moore_ck_visitor *v, unsigned n)
{
	struct moore_ck_walker *w = moore_arena_alloc(&k->tmp, n, sizeof(*w));

	for (unsigned i = 0; w && i < n; i++) {
		w[i].k = v[i].k;
		w[i].v = &v[i];
		if (!get_memory(&w[i], &k->tmp))
			return NULL;
		for (uint32_t s = 0; s < k->n_sw; s++)
			w[i].first[s] = MOORE_NONE;
	}
	return w;
}

void
moore_ck_trees_by(const struct moore_ck *k, struct moore_ck_walker *w, unsigned n)
{
	moore_jobs_run(k->opts.jobs, n, n_blocks(k), walk_job, w);
}

int
moore_ck_trees(struct moore_ck *k, const struct moore_ck_visitor *v, unsigned n,
	       struct moore_err *err)
{
	struct moore_ck_walker *w = moore_ck_walkers(k, v, n);

	if (!w)
		return moore_fail_nomem(err);
	moore_ck_trees_by(k, w, n);
	return 0;
}
