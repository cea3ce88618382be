// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* check_tree.c - walks the routes to every LID and notes the VLs held at each turn.
 *
 * The entries for one LID give each switch one next switch; together they form an in-tree.
 * Its inner nodes are the switches to which others send, and these are few: of 1250 switches
 * of a Slim Fly about 80.  So the rows of BLOCK LIDs are read switch by switch first, and the
 * link of each switch is added to the set of those over which its next switch receives
 * (check_sets.c).  Then only the inner nodes are walked.  (A node is a bundle of links: a switch
 * with over 64 links has several, all with the same next one.)
 *
 * The VLs that sources put on a link are known beforehand, so it suffices to note the turns
 * that packets make there.  Packets in transit leave on VLs that depend on the turn that
 * they make, but not on the VL of arrival.  From the leaves to the root (Kahn 1962), the VLs
 * on which packets leave each node are those that the turns from its links give, if these
 * links carry anything of the class.  Nodes without an order are on a loop. */
#include <string.h>

#include "base/bits.h"
#include "check_impl.h"

#define BLOCK MOORE_CK_BLOCK
#define PART MOORE_CHECK_PART
#define AHEAD 4		/* rows are fetched for so many switches ahead */
#define GROUP 16	/* LIDs of a block whose nodes are listed together */
#define COPIES_BYTES ((size_t)64 << 20)	/* for cells of further workers, if there are over two */

/* A function that is compiled for each n_cls that its callers name. */
#define FOR_EACH_N_CLS static inline __attribute__((always_inline))

struct moore_ck_walker {	/* of one worker */
	const struct moore_ck *k;
	const struct moore_ck_visitor *v;
	const struct moore_ck_sets *sets;
	const uint64_t *weighs;	/* of each bundle: links from switches that have a weight */
	struct moore_ck_tree t;
	struct moore_ck_notes *notes;
	uint64_t walked;	/* LIDs of the block that have a tree */
	uint8_t *all_out, *out;	/* slots named by the tables, of a part and of a block of it:
				 * [switch * BLOCK + LID] */
	uint16_t *all_sls, *sls;	/* likewise, SLs on which sources send; NULL without an sl_set */
	uint64_t *kids;		/* links that carry packets: [bundle * BLOCK + LID] */
	uint8_t *some;		/* likewise, 1 where there are any */
	uint64_t *is_node;	/* of each bundle: LIDs of the block for which some do */
	size_t n_places;	/* for nodes of each LID's tree, with two for the ends of routes */
	uint32_t n_nodes[GROUP];
	struct moore_ck_node *node;	/* [LID * n_places] */
	uint64_t *arrive;	/* [(LID * n_places + node) * n_cls + class]: links over which packets
				 * of the class come */
};

/* ---- reading a block ---------------------------------------------------------------- */

/* Asks for memory that is read soon.  The processor does not foresee it, since the row of each switch
 * is in another page. */
static void
fetch(const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 64)
		__builtin_prefetch((const char *)from + i);
}

/* Reads the rows of n LIDs, at most PART, from lid0 on. */
static void
read_rows(const struct moore_ck_walker *w, unsigned lid0, size_t n)
{
	const struct moore_ck *k = w->k;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		const uint8_t *row = moore_lft_row(k->lft, s) + (lid0 - k->lid0);
		uint8_t nowhere = (uint8_t)(k->f->sw[s].n_ports + 1), part[PART];

		if (s + AHEAD < k->n_sw)
			fetch(moore_lft_row(k->lft, s + AHEAD) + (lid0 - k->lid0), n);
		memset(part, nowhere, sizeof(part));
		memcpy(part, row, n);
		for (unsigned i = 0; i < PART; i++)
			part[i] = part[i] < nowhere ? part[i] : nowhere;
		for (unsigned i = 0; i < PART; i += BLOCK)
			memcpy(w->all_out + ((size_t)i / BLOCK * k->n_sw + s) * BLOCK, part + i, BLOCK);
	}
}

static void
read_sls(const struct moore_ck_walker *w, unsigned lid0)
{
	const struct moore_ck *k = w->k;
	const struct moore_sl_set *set = k->opts.sl_set;
	size_t left = lid0 < set->stride ? set->stride - lid0 : 0, n = left < PART ? left : PART;

	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint16_t part[PART] = { 0 };

		if (n && s + AHEAD < k->n_sw)
			fetch(moore_sl_set_row(set, s + AHEAD) + lid0, n * sizeof(*part));
		if (n)
			memcpy(part, moore_sl_set_row(set, s) + lid0, n * sizeof(*part));
		for (unsigned i = 0; i < PART; i++)
			part[i] &= k->sl_used;
		for (unsigned i = 0; i < PART; i += BLOCK)
			memcpy(w->all_sls + ((size_t)i / BLOCK * k->n_sw + s) * BLOCK, part + i,
			       BLOCK * sizeof(*part));
	}
}

/* Adds each switch to the kids of the next one. */
static void
gather_kids(struct moore_ck_walker *w)
{
	const struct moore_ck *k = w->k;
	uint64_t *kids = w->kids;
	uint8_t *some = w->some;

	memset(kids, 0, (size_t)w->sets->n_bundles * BLOCK * sizeof(*kids));
	memset(some, 0, (size_t)w->sets->n_bundles * BLOCK);
	for (uint32_t s = 0; s < k->n_sw; s++) {
		const struct moore_ck_way *way = &w->sets->way[k->slot0[s]];
		const uint8_t *out = w->out + (size_t)s * BLOCK;

		for (unsigned i = 0; i < BLOCK; i++) {
			const struct moore_ck_way *y = &way[out[i]];
			size_t at = (size_t)y->bundle * BLOCK + i;

			kids[at] |= y->bit;
			some[at] = 1;
		}
	}
}

/* For each set of four SLs: a mask for each of them. */
#define MASK(v) { -(uint64_t)((v) & 1), -(uint64_t)((v) >> 1 & 1), -(uint64_t)((v) >> 2 & 1), \
		  -(uint64_t)((v) >> 3) }
static const uint64_t MASKS[16][4] = {
	MASK(0), MASK(1), MASK(2), MASK(3), MASK(4), MASK(5), MASK(6), MASK(7),
	MASK(8), MASK(9), MASK(10), MASK(11), MASK(12), MASK(13), MASK(14), MASK(15),
};

/* Of the links of bundle b in kids, sets in all[] those behind which sources send to the i-th LID
 * on each of four SLs from sl0 on. */
static void
find_senders(const struct moore_ck_walker *w, uint32_t b, uint64_t kids, unsigned i, unsigned sl0,
	     uint64_t all[4])
{
	const uint32_t *from = w->sets->from[b];
	uint64_t found[4] = { 0 };

	for (; kids; kids &= kids - 1) {
		unsigned link = (unsigned)__builtin_ctzll(kids);
		const uint64_t *sls = MASKS[w->sls[(size_t)from[link] * BLOCK + i] >> sl0 & 15];

		for (unsigned x = 0; x < 4; x++)
			found[x] |= sls[x] & (kids & -kids);
	}
	memcpy(all, found, sizeof(found));
}

/* Sets the links over which packets of sources come to a node, and notes their turns there. */
FOR_EACH_N_CLS void
let_in(struct moore_ck_walker *w, const unsigned n_cls, const struct moore_ck_node *n, unsigned i,
       uint64_t *arrive)
{
	const uint64_t *inject = &w->sets->inject[(size_t)n->bundle * n_cls];
	uint64_t senders[4];

	if (!w->sls) {
		w->notes->used[n->set] |= n->kids;
		for (unsigned x = 0; x < n_cls; x++)
			arrive[x] = inject[x] & n->kids;
		return;
	}
	for (unsigned x = 0; x < n_cls; x++) {
		unsigned sl = w->k->cls_sl[x];

		if (x == 0 || sl / 4 != w->k->cls_sl[x - 1] / 4)
			find_senders(w, n->bundle, n->kids, i, sl & ~3u, senders);
		w->notes->used[(size_t)n->set * n_cls + x] |= senders[sl % 4];
		arrive[x] = inject[x] & senders[sl % 4];
	}
}

/* Lists bundle b, which leads to switch s, as a node of the i-th LID's tree. */
FOR_EACH_N_CLS void
add_node(struct moore_ck_walker *w, const unsigned n_cls, uint32_t s, uint32_t b, unsigned i)
{
	const struct moore_ck_sets *t = w->sets;
	size_t at = i % GROUP * w->n_places + w->n_nodes[i % GROUP]++;
	uint32_t out = w->out[(size_t)s * BLOCK + i], link = w->k->slot0[s] + out;
	const struct moore_ck_way *y = &t->way[link];
	uint64_t kids = w->kids[(size_t)b * BLOCK + i], heavy = kids & w->weighs[b];
	uint32_t n_kids = moore_bits_count(kids), n_heavy = heavy == kids ? n_kids : moore_bits_count(heavy);

	w->node[at] = (struct moore_ck_node){ kids, heavy, y->bit, (uint32_t)(t->set0[b] + out), link, b,
		y->bundle, 0, n_kids, n_heavy, n_kids, n_heavy };
	let_in(w, n_cls, &w->node[at], i, &w->arrive[at * n_cls]);
}

/* Returns the last bits of eight bytes that are 0 or 1. */
static uint64_t
last_bits(const uint8_t *b)
{
	uint64_t all = b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
		(uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
		(uint64_t)b[7] << 56;

	return all * 0x0102040810204080 >> 56;	/* moves bit 8 i to bit 56 + i */
}

/* Finds the LIDs of which each bundle is a node. */
static void
find_nodes(struct moore_ck_walker *w)
{
	for (uint32_t b = 0; b < w->sets->n_bundles; b++) {
		const uint8_t *some = w->some + (size_t)b * BLOCK;
		uint64_t set = 0;

		for (unsigned i = 0; i < BLOCK; i += 8)
			set |= last_bits(some + i) << i;
		w->is_node[b] = set & w->walked;
	}
}

/* Lists the nodes of the LIDs of a group, whose first one is the i0-th of the block. */
FOR_EACH_N_CLS void
list_nodes(struct moore_ck_walker *w, const unsigned n_cls, unsigned i0)
{
	const uint64_t group = (((uint64_t)1 << GROUP) - 1) << i0;

	memset(w->n_nodes, 0, sizeof(w->n_nodes));
	for (uint32_t s = 0; s < w->k->n_sw; s++)
		for (uint32_t b = w->sets->bundle0[s]; b < w->sets->bundle0[s + 1]; b++)
			for (uint64_t m = w->is_node[b] & group; m; m &= m - 1)
				add_node(w, n_cls, s, b, (unsigned)__builtin_ctzll(m));
}

/* ---- the tree of one LID ------------------------------------------------------------ */

/* Makes the tree of the i-th LID of the block the current one. */
static void
plant(struct moore_ck_walker *w, unsigned lid, unsigned i)
{
	const struct moore_lid_owner *own = &w->k->own[lid];
	struct moore_ck_tree *t = &w->t;
	uint32_t own_link = w->k->slot0[own->sw] + own->port, n = w->n_nodes[i % GROUP];

	t->out = w->out + i;
	t->node = w->node + i % GROUP * w->n_places;
	t->n_nodes = n;
	t->delivers = t->out[(size_t)own->sw * BLOCK] == own->port;
	t->node[n] = t->node[n + 1] = (struct moore_ck_node){ .deg = 1 };	/* never processed */
	t->place[w->sets->n_bundles] = n;
	for (uint32_t a = 0; a < n; a++)
		t->place[t->node[a].bundle] = a;
	for (uint32_t a = 0; a < n; a++) {
		struct moore_ck_node *node = &t->node[a];

		node->next = node->link == own_link ? n + 1 : t->place[node->next];
		t->node[node->next].deg++;
		__builtin_prefetch(&w->sets->out[(size_t)node->set * w->sets->n_pairs]);
		__builtin_prefetch(&w->notes->held[(size_t)t->node[node->next].set * w->sets->n_pairs], 1);
	}
}

/* Moves the packets that arrive at a node over its link: notes the VLs that those in transit
 * hold before the next turn. */
FOR_EACH_N_CLS void
move(struct moore_ck_walker *w, const unsigned n_cls, uint64_t *arrive, uint32_t a)
{
	const struct moore_ck_sets *t = w->sets;
	const struct moore_ck_node *n = &w->t.node[a], *next = &w->t.node[n->next];
	const uint64_t *out = &t->out[(size_t)n->set * t->n_pairs];
	uint64_t *held = &w->notes->held[(size_t)next->set * t->n_pairs];

	for (unsigned x = 0; x < n_cls; x++) {
		uint64_t from = arrive[(size_t)a * n_cls + x], any = 0;

		for (unsigned p = t->pair0[x]; p < t->pair0[x + 1]; p++) {
			uint64_t leaves = n->bit & -(uint64_t)((from & out[p]) != 0);

			held[p] |= leaves;
			any |= leaves;
		}
		arrive[(size_t)n->next * n_cls + x] |= any;
	}
}

FOR_EACH_N_CLS void
climb(struct moore_ck_walker *w, const unsigned n_cls, uint64_t *arrive)
{
	struct moore_ck_tree *t = &w->t;
	uint32_t tail = 0;

	for (uint32_t a = 0; a < t->n_nodes; a++) {
		t->order[tail] = a;
		tail += !t->node[a].deg;
	}
	for (uint32_t i = 0; i < tail; i++) {
		const struct moore_ck_node *n = &t->node[t->order[i]];
		struct moore_ck_node *next = &t->node[n->next];

		if (n->next < t->n_nodes)
			move(w, n_cls, arrive, t->order[i]);
		next->below += n->below;
		next->heavy += n->heavy;
		t->order[tail] = n->next;
		tail += !--next->deg;
	}
	t->n_order = tail;
}

/* Walks the loops, which climb() leaves over: the first time around carries every VL as far
 * as it goes, the second time carries it to where the first one began. */
static void
climb_cycles(struct moore_ck_walker *w, uint64_t *arrive)
{
	struct moore_ck_tree *t = &w->t;

	for (uint32_t a0 = 0; a0 < t->n_nodes; a0++) {
		uint32_t a = a0;

		if (!t->node[a0].deg)
			continue;
		for (unsigned round = 0; round < 2; round++)
			do {
				move(w, w->k->n_cls, arrive, a);
				t->node[a].deg = 0;
				a = t->node[a].next;
			} while (a != a0);
	}
}

static void
walk(struct moore_ck_walker *w, unsigned lid, unsigned i)
{
	uint64_t *arrive = w->arrive + i % GROUP * w->n_places * w->k->n_cls;
	struct moore_ck_node *end;

	plant(w, lid, i);
	if (w->k->n_cls == 1)
		climb(w, 1, arrive);
	else
		climb(w, w->k->n_cls, arrive);
	if (w->t.n_order < w->t.n_nodes)
		climb_cycles(w, arrive);
	end = &w->t.node[w->t.n_nodes + 1];
	if (w->t.delivers) {	/* the owner arrives, too */
		end->below++;
		end->heavy += w->v->weight[w->k->own[lid].sw];
	}
	w->v->visit(w->v->arg, &w->t, lid);
}

/* True if this LID has a tree. */
static bool
is_walked(const struct moore_ck_walker *w, unsigned lid)
{
	return lid <= w->k->f->lid_top && moore_ck_is_addressed(w->k, lid) &&
		!(w->v->other && moore_bits_get(w->v->apart, lid));
}

/* Walks the n LIDs of a block. */
static void
walk_block(struct moore_ck_walker *w, unsigned lid0, unsigned n)
{
	w->walked = 0;
	for (unsigned i = 0; i < n; i++)
		w->walked |= (uint64_t)is_walked(w, lid0 + i) << i;
	gather_kids(w);
	find_nodes(w);
	for (unsigned i = 0; i < n; i++) {
		if (i % GROUP == 0 && w->k->n_cls == 1)
			list_nodes(w, 1, i);	/* the usual case: no inner loop */
		else if (i % GROUP == 0)
			list_nodes(w, w->k->n_cls, i);
		if (w->walked >> i & 1)
			walk(w, lid0 + i, i);
		else if (w->v->other)
			w->v->other(w->v->arg, w->out + i, lid0 + i);
	}
}

static void
walk_job(void *arg, unsigned worker, size_t job)
{
	struct moore_ck_walker *w = (struct moore_ck_walker *)arg + worker;
	unsigned lid0 = w->k->lid0 + (unsigned)job * PART, top = w->k->lid0 + (unsigned)w->k->lft->stride;
	unsigned n = top - lid0 < PART ? top - lid0 : PART;

	read_rows(w, lid0, n);
	if (w->all_sls)
		read_sls(w, lid0);
	for (unsigned i = 0; i < n; i += BLOCK) {
		size_t at = (size_t)i * w->k->n_sw;

		w->out = w->all_out + at;
		w->sls = w->all_sls ? w->all_sls + at : NULL;
		walk_block(w, lid0 + i, n - i < BLOCK ? n - i : BLOCK);
	}
}

/* ---- workers ---------------------------------------------------------------------- */

static size_t
n_parts(const struct moore_ck *k)
{
	return (k->lft->stride + PART - 1) / PART;
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
	unsigned n = moore_jobs_width(k->opts.jobs, n_parts(k));

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

static bool
get_memory(struct moore_ck_walker *w, struct moore_arena *a)
{
	size_t n = (size_t)w->k->n_sw + 2, n_bundles = (size_t)w->sets->n_bundles + 1;
	unsigned n_cls = w->k->n_cls;

	w->n_places = n_bundles + 1;
	return (w->all_out = moore_arena_alloc(a, n, PART)) &&
	       (w->kids = moore_arena_alloc(a, n_bundles, BLOCK * sizeof(*w->kids))) &&
	       (w->some = moore_arena_alloc(a, n_bundles, BLOCK)) &&
	       (w->is_node = moore_arena_alloc(a, n_bundles, sizeof(*w->is_node))) &&
	       (w->node = moore_arena_alloc(a, w->n_places, GROUP * sizeof(*w->node))) &&
	       (w->arrive = moore_arena_alloc(a, w->n_places * n_cls, GROUP * sizeof(*w->arrive))) &&
	       (w->t.place = moore_arena_alloc(a, w->n_places, sizeof(*w->t.place))) &&
	       (w->t.order = moore_arena_alloc(a, w->n_places, sizeof(*w->t.order))) &&
	       (!w->k->opts.sl_set ||
		(w->all_sls = moore_arena_alloc(a, n, PART * sizeof(*w->all_sls))));
}

/* Returns, for each bundle, the links from switches that have a weight. */
static uint64_t *
weigh(struct moore_ck *k, const struct moore_ck_sets *t, const uint8_t *weight)
{
	uint64_t *weighs = moore_arena_alloc(&k->tmp, (size_t)t->n_bundles + 1, sizeof(*weighs));

	for (uint32_t s = 0; weighs && s < k->n_sw; s++)
		for (uint32_t i = k->slot0[s]; i < k->slot0[s + 1]; i++)
			weighs[t->way[i].bundle] |= weight[s] ? t->way[i].bit : 0;
	return weighs;
}

bool
moore_ck_walk_init(struct moore_ck_walk *m, struct moore_ck *k, const struct moore_ck_visitor *v,
		   unsigned n)
{
	uint64_t *weighs;

	m->n = n;
	m->walker = moore_arena_alloc(&k->tmp, n, sizeof(*m->walker));
	m->notes = moore_arena_alloc(&k->tmp, n, sizeof(*m->notes));
	if (!m->walker || !m->notes || !(m->sets = moore_ck_sets(k)) ||
	    !(weighs = weigh(k, m->sets, v->weight)))
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct moore_ck_walker *w = &m->walker[i];

		w->v = &v[i];
		w->k = k;
		w->sets = w->t.sets = m->sets;
		w->weighs = weighs;
		w->notes = &m->notes[i];
		if (!get_memory(w, &k->tmp) || !moore_ck_notes(k, m->sets, w->notes))
			return false;
	}
	return true;
}

void
moore_ck_walk_rows(struct moore_ck_walk *m, const struct moore_ck *k)
{
	moore_jobs_run(k->opts.jobs, m->n, n_parts(k), walk_job, m->walker);
}

void
moore_ck_walk_end(struct moore_ck_walk *m, struct moore_ck *k)
{
	moore_ck_note_sets(k, m->sets, m->notes, m->n);
}

int
moore_ck_trees(struct moore_ck *k, const struct moore_ck_visitor *v, unsigned n,
	       struct moore_err *err)
{
	struct moore_ck_walk m;

	if (!moore_ck_walk_init(&m, k, v, n))
		return moore_fail_nomem(err);
	moore_ck_walk_rows(&m, k);
	moore_ck_walk_end(&m, k);
	return 0;
}
