// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_held.c - judges every mixture of what the switches may hold (held.h).
 *
 * Most LIDs have one value in every row.  These are walked like tables at rest
 * (check_tree.c), since this runs in every sweep.  Those that have several values in a row,
 * or other rows than when the change began, or a route but no owner, are set apart and
 * walked as graphs (mix_graph.c).  Multicast groups are flooded with the union of the masks
 * of each switch.  That is exact for the loops: a shortest way in which a packet returns to
 * a switch selects one mask at each switch.
 *
 * A mixture delivers the packets of a pair (switch, LID) in any case if every way out of
 * the switch is the owner's port or leads to a switch of which the same is true. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mix_impl.h"

#define BLOCK MOORE_LFT_BLOCK

struct rows {				/* what the switches hold, LID by LID */
	const struct moore_held *h;	/* NULL: not given */
	const struct moore_row *more;	/* h->more by LID, then by switch */
	size_t *more0;			/* where each LID begins in it; stride + 1 */
	uint8_t (*block)[BLOCK];	/* for each switch: the slots that h->lft names */
};

struct judge {
	struct moore_ck k;
	struct moore_mix_held *v;
	struct rows held, before;
	struct moore_mx_graph g;
	size_t stride;
	uint64_t *apart;		/* set of LIDs that are walked as graphs */
	uint32_t *weight;		/* of each switch: 1 if it has an endpoint */
	uint8_t *live;			/* for each switch: `before` delivers in any case */
	uint8_t *sure;			/* and so does what is held */
};

void
moore_mix_held_free(struct moore_mix_held *m)
{
	if (!m)
		return;
	free(m->cycle);
	free(m);
}

/* ---- rows ----------------------------------------------------------------------- */

static size_t
key(const struct moore_row *r, bool by_lid)
{
	return by_lid ? r->lid : r->sw;
}

/* Sorts n rows and keeps the order of those with equal keys.  Sets at[i] to where the key i
 * begins; at[] has n_keys + 2 entries, all 0 before. */
static void
sort_by(bool by_lid, const struct moore_row *from, struct moore_row *to, size_t n, size_t *at,
	size_t n_keys)
{
	for (size_t i = 0; i < n; i++)
		at[key(&from[i], by_lid) + 2]++;
	for (size_t i = 2; i < n_keys + 2; i++)
		at[i] += at[i - 1];
	for (size_t i = 0; i < n; i++)
		to[at[key(&from[i], by_lid) + 1]++] = from[i];
}

static int
read_rows(struct judge *j, struct rows *r, const struct moore_held *h, struct moore_err *err)
{
	struct moore_arena *a = &j->k.tmp;
	uint32_t n_sw = j->k.n_sw;
	struct moore_row *by_sw, *by_lid;
	size_t *at;

	r->h = h;
	if (!(by_sw = moore_arena_alloc(a, h->n_more + 1, sizeof(*by_sw))) ||
	    !(by_lid = moore_arena_alloc(a, h->n_more + 1, sizeof(*by_lid))) ||
	    !(at = moore_arena_alloc(a, (size_t)n_sw + 2, sizeof(*at))) ||
	    !(r->more0 = moore_arena_alloc(a, j->stride + 2, sizeof(*r->more0))) ||
	    !(r->block = moore_arena_alloc(a, (size_t)n_sw + 1, BLOCK)))
		return moore_fail_nomem(err);
	sort_by(false, h->more, by_sw, h->n_more, at, n_sw);
	sort_by(true, by_sw, by_lid, h->n_more, r->more0, j->stride);
	r->more = by_lid;
	return 0;
}

static bool
is_unknown(const struct moore_held *h, moore_swid s)
{
	return h->unknown && moore_bits_get(h->unknown, s);
}

/* A row of unknown value may lead out of every port that has a role, or nowhere. */
static void
add_all(struct moore_mx_graph *g, moore_swid s)
{
	unsigned nowhere = g->k->f->sw[s].n_ports + 1u;

	for (unsigned out = 0; out <= nowhere; out++)
		if (out == nowhere || moore_mx_leads_on(g->k, s, (uint8_t)out))
			moore_mx_graph_add(g, s, (uint8_t)out);
}

/* Builds the graph of one LID.  Returns true if it has a route. */
static bool
plant(struct moore_mx_graph *g, const struct rows *r, unsigned lid)
{
	const struct moore_row *more = r->more + r->more0[lid], *end = r->more + r->more0[lid + 1];
	const struct moore_ck *k = g->k;
	bool route = false;

	moore_mx_graph_clear(g);
	for (uint32_t s = 0; s < k->n_sw; s++) {
		uint8_t nowhere = (uint8_t)(k->f->sw[s].n_ports + 1);

		g->first[s + 1] = g->first[s];
		if (is_unknown(r->h, s))
			add_all(g, s);
		else
			moore_mx_graph_add(g, s, r->block[s][lid % BLOCK]);
		for (; more < end && more->sw == s; more++)
			if (!is_unknown(r->h, s))
				moore_mx_graph_add(g, s, more->port < nowhere ? more->port : nowhere);
		for (uint32_t a = g->first[s]; !route && a < g->first[s + 1]; a++)
			route = moore_mx_leads_on(k, s, g->way[a].out);
	}
	return route;
}

/* ---- LIDs that are set apart ------------------------------------------------------ */

static void
note_loop(struct moore_mix_held *v, unsigned lid, uint32_t times)
{
	if (!v->loop_lids)
		v->loop_lid = (moore_lid)lid;
	v->loop_lids += times;
}

static bool
all_arrive(const struct moore_mx_graph *g, const struct moore_lid_owner *own, uint32_t s,
	   const uint8_t *sure)
{
	for (uint32_t a = g->first[s]; a < g->first[s + 1]; a++) {
		const struct moore_mx_way *y = &g->way[a];

		if (y->next != g->k->n_sw ? !sure[y->next] : s != own->sw || y->out != own->port)
			return false;
	}
	return true;
}

/* Sets sure[s] for the switches of which all packets arrive, the nearest to the owner first.
 * One pass in the reverse order is enough, unless there are loops. */
static void
find_sure(const struct moore_mx_graph *g, const struct moore_lid_owner *own, uint8_t *sure)
{
	bool news;

	memset(sure, 0, g->k->n_sw);
	do {
		news = false;
		for (uint32_t i = g->k->n_sw; i-- > 0;) {
			uint32_t s = g->order[i];

			if (sure[s] || !all_arrive(g, own, s, sure))
				continue;
			sure[s] = 1;
			news = true;
		}
	} while (news && g->n_order < g->k->n_sw);
}

static void
count_interrupted(struct judge *j, unsigned lid)
{
	struct moore_mix_held *v = j->v;

	for (uint32_t s = 0; s < j->k.n_sw; s++) {
		if (!j->k.has_ep[s] || !j->live[s])
			continue;
		v->live++;
		if (j->sure[s] || v->interrupted++)
			continue;
		v->interrupted_sw = s;
		v->interrupted_lid = (moore_lid)lid;
	}
}

static void
judge_lid(struct judge *j, unsigned lid)
{
	const struct moore_lid_owner *own = lid <= j->k.f->lid_top ? &j->k.own[lid] : NULL;
	bool pairs = j->before.h && own && own->sw != MOORE_NONE, route;

	if (pairs) {
		plant(&j->g, &j->before, lid);
		moore_mx_graph_sort(&j->g);
		find_sure(&j->g, own, j->live);
	}
	route = plant(&j->g, &j->held, lid);
	moore_mx_graph_sort(&j->g);
	moore_mx_graph_climb(&j->g, lid);
	j->v->lids += route;
	j->v->lids_mixed += route && j->g.first[j->k.n_sw] > j->k.n_sw;
	if (j->g.n_order < j->k.n_sw)
		note_loop(j->v, lid, 1);
	if (pairs) {
		find_sure(&j->g, own, j->sure);
		count_interrupted(j, lid);
	}
}

static void
walk_apart(struct judge *j)
{
	for (unsigned lid0 = 0; lid0 < j->stride; lid0 += BLOCK) {
		uint64_t lids = j->apart[lid0 / BLOCK];

		if (!lids)
			continue;
		moore_mx_read_block(&j->k, j->held.h->lft, lid0, j->held.block);
		if (j->before.h)
			moore_mx_read_block(&j->k, j->before.h->lft, lid0, j->before.block);
		for (; lids; lids &= lids - 1)
			judge_lid(j, lid0 + (unsigned)__builtin_ctzll(lids));
	}
}

/* ---- LIDs with one value in every row ---------------------------------------------- */

static void
visit(void *arg, const struct moore_ck_tree *t, unsigned lid, uint32_t times)
{
	struct judge *j = arg;
	uint32_t n_sw = j->k.n_sw, s = 0;

	while (s < n_sw && !moore_mx_leads_on(&j->k, s, t->out[s]))
		s++;
	j->v->lids += s < n_sw ? times : 0;
	if (t->n_order < n_sw)
		note_loop(j->v, lid, times);
	if (j->before.h)
		j->v->live += (uint64_t)t->sources[n_sw + 1] * times;
}

/* Sets apart the LIDs of a block that have rows unlike before, or a route but no owner. */
static void
choose_in_block(struct judge *j, unsigned lid0)
{
	const struct moore_lft *lft = j->held.h->lft;
	const struct moore_lft *was = j->before.h ? j->before.h->lft : lft;
	uint8_t differs[BLOCK] = { 0 }, all[BLOCK];

	memset(all, MOORE_NO_PATH, BLOCK);
	for (uint32_t s = 0; s < j->k.n_sw; s++) {
		const uint8_t *a = moore_lft_row(lft, s) + lid0, *b = moore_lft_row(was, s) + lid0;

		for (unsigned i = 0; i < BLOCK; i++) {
			differs[i] |= a[i] ^ b[i];
			all[i] &= a[i];
		}
	}
	for (unsigned i = lid0 ? 0 : 1; i < BLOCK; i++) {
		unsigned lid = lid0 + i;
		bool owned = lid <= j->k.f->lid_top && moore_ck_is_addressed(&j->k, lid);

		if (differs[i] || (!owned && all[i] != MOORE_NO_PATH))
			moore_bits_set(j->apart, lid);
	}
}

static void
choose(struct judge *j)
{
	const struct rows *const rows[] = { &j->held, &j->before };

	for (unsigned lid0 = 0; lid0 < j->stride; lid0 += BLOCK)
		choose_in_block(j, lid0);
	for (size_t i = 0; i < ARRAY_LEN(rows) && rows[i]->h; i++) {
		const struct moore_held *h = rows[i]->h;
		bool unknown = false;

		for (size_t m = 0; m < h->n_more; m++)
			if (h->more[m].lid)
				moore_bits_set(j->apart, h->more[m].lid);
		for (uint32_t s = 0; s < j->k.n_sw; s++)
			unknown |= is_unknown(h, s);
		for (unsigned lid = 1; unknown && lid < j->stride; lid++)
			moore_bits_set(j->apart, lid);
	}
}

static int
judge_lids(struct judge *j, struct moore_err *err)
{
	struct moore_ck_visitor rest = { j->weight, j->apart, visit, j };
	int rc;

	for (uint32_t s = 0; s < j->k.n_sw; s++)
		j->weight[s] = j->k.has_ep[s];
	choose(j);
	if ((rc = moore_ck_trees(&j->k, &rest, err)) < 0)
		return rc;
	walk_apart(j);
	return 0;
}

/* ---- multicast, dependencies --------------------------------------------------------- */

/* Adds the masks of t to those of all. */
static int
merge(struct moore_mft *all, const struct moore_mft *t, struct moore_err *err)
{
	for (uint32_t g = 0; g < t->n_groups; g++) {
		int64_t to = moore_mft_group(all, t->mlid[g]);

		if (to < 0)
			return moore_fail_nomem(err);
		for (size_t s = 0; s < t->n_switches; s++)
			for (unsigned i = 0; i < 4; i++)
				all->mask[(size_t)to * t->n_switches + s][i] |=
					t->mask[(size_t)g * t->n_switches + s][i];
	}
	return 0;
}

static int
judge_groups(struct judge *j, const struct moore_mix_lanes *lanes, struct moore_err *err)
{
	struct moore_ck_loops loops = { 0 };
	struct moore_mft *all;
	int rc = moore_mft_new(&all, j->k.n_sw, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < lanes->n_mft && rc == 0; i++)
		rc = merge(all, lanes->mft[i], err);
	j->k.mft = all;
	if (rc == 0)
		rc = moore_ck_mcast(&j->k, &loops, err);
	j->k.mft = NULL;
	moore_mft_free(all);
	j->v->loop_groups = loops.n;
	j->v->loop_mlid = loops.mlid;
	return rc;
}

static int
judge_turns(struct judge *j, struct moore_err *err)
{
	struct moore_mix_held *v = j->v;
	struct moore_mx_turns t;
	int rc = moore_mx_turns(&j->k, &t, err);

	v->acyclic = t.acyclic;
	v->n_channels = t.n_channels;
	v->n_dependencies = t.n_dependencies;
	v->cycle = t.cycle;
	v->cycle_len = t.cycle_len;
	v->safe = v->acyclic && !v->loop_lids && !v->loop_groups;
	return rc;
}

/* ---- the whole ------------------------------------------------------------------------ */

static int
fit_rows(const struct moore_fabric *f, const struct moore_held *h, size_t stride,
	 const char *which, struct moore_err *err)
{
	int rc = moore_mx_fit(f, h->lft, stride, which, err);

	for (size_t i = 0; i < h->n_more && rc == 0; i++)
		if (h->more[i].sw >= f->n_switches || h->more[i].lid >= stride)
			rc = moore_fail(err, MOORE_EINVAL, 0, "%srows: switch %u, LID %u: not in "
					"the LFTs", which, h->more[i].sw, h->more[i].lid);
	return rc;
}

static int
check_fit(const struct judge *j, const struct moore_held *held, const struct moore_held *before,
	  const struct moore_mix_lanes *lanes, struct moore_err *err)
{
	const struct moore_fabric *f = j->k.f;
	int rc = fit_rows(f, held, j->stride, "", err);

	if (rc == 0 && before)
		rc = fit_rows(f, before, j->stride, "old ", err);
	if (rc == 0)
		rc = moore_ck_fit_sl2vl(f, lanes->sl2vl, "", err);
	if (rc == 0 && lanes->other)
		rc = moore_ck_fit_sl2vl(f, lanes->other, "other ", err);
	if (rc == 0 && lanes->sl_set)
		rc = moore_ck_fit_sl_set(f, lanes->sl_set, err);
	for (size_t i = 0; i < lanes->n_mft && rc == 0; i++)
		rc = moore_ck_fit_mft(f, lanes->mft[i], err);
	return rc;
}

static int
set_up(struct judge *j, const struct moore_held *held, const struct moore_held *before,
       struct moore_err *err)
{
	struct moore_arena *a = &j->k.tmp;
	int rc;

	if ((rc = moore_fabric_lids(j->k.f, &j->k.own, err)) < 0 ||
	    (rc = moore_ck_net(&j->k, err)) < 0 ||
	    (rc = read_rows(j, &j->held, held, err)) < 0 ||
	    (before && (rc = read_rows(j, &j->before, before, err)) < 0))
		return rc;
	if (!(j->apart = moore_arena_alloc(a, moore_bits_words(j->stride), sizeof(*j->apart))) ||
	    !(j->weight = moore_arena_alloc(a, (size_t)j->k.n_sw + 1, sizeof(*j->weight))) ||
	    !(j->live = moore_arena_alloc(a, (size_t)j->k.n_sw + 1, 1)) ||
	    !(j->sure = moore_arena_alloc(a, (size_t)j->k.n_sw + 1, 1)) ||
	    !moore_mx_graph_init(&j->g, &j->k))
		return moore_fail_nomem(err);
	return 0;
}

int
moore_mix_held(struct moore_mix_held **out, const struct moore_fabric *f,
	       const struct moore_held *held, const struct moore_held *before,
	       const struct moore_mix_lanes *lanes, struct moore_err *err)
{
	struct moore_mix_held *v = calloc(1, sizeof(*v));
	struct judge j = { .v = v, .stride = held->lft->stride, .k = { .f = f, .lft = held->lft,
		.sl2vl = lanes->sl2vl, .other = lanes->other,
		.opts = { .sl_mask = UINT16_MAX, .sl_set = lanes->sl_set },
		.tmp = MOORE_ARENA_INIT } };
	int rc;

	*out = NULL;
	if (!v)
		return moore_fail_nomem(err);
	v->interrupted_sw = MOORE_NONE;
	if ((rc = check_fit(&j, held, before, lanes, err)) < 0 ||
	    (rc = set_up(&j, held, before, err)) < 0 ||
	    (rc = judge_lids(&j, err)) < 0 ||
	    (rc = judge_groups(&j, lanes, err)) < 0 ||
	    (rc = judge_turns(&j, err)) < 0)
		goto out;
	*out = v;
	v = NULL;
out:
	moore_mix_held_free(v);
	free(j.k.own);
	moore_arena_free(&j.k.tmp);
	return rc;
}
