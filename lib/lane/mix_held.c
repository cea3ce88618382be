// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* mix_held.c - judges every mixture of what the switches may hold (held.h).
 *
 * Most LIDs have one value in every row, the same in all mixtures of a change.  These are
 * walked like tables at rest (check_tree.c), once for all mixtures, since this runs in every
 * sweep; so are multicast groups.  Those that have several values in a row, or other rows
 * than when the change began, are set apart and walked as graphs (mix_graph.c) for each
 * mixture: each switch has the way of its row in held->lft and then those that are listed as
 * extra.  The graph of a LID has the ways of both held (MOORE_MX_NOW) and before
 * (MOORE_MX_WAS).
 *
 * A mixture delivers the packets of a pair (switch, LID) in any case if every way out of
 * the switch is the owner's port or leads to a switch of which the same is true.
 *
 * Multicast groups are flooded with the union of the masks of each switch.  That is exact
 * for loops unless SL2VL entries drop packets: a shortest way by which a packet returns to
 * a switch selects one mask at each switch.
 *
 * Each worker that walks LIDs (check_tree.c) has a copy of struct judge, with cells, a graph
 * and counts of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "mix_impl.h"

#define WAS MOORE_MX_WAS
#define NOW MOORE_MX_NOW
#define INSTEAD 4	/* of a row of before: it does not have the value of held->lft */

struct extra {			/* a value that a row may have besides that of held->lft */
	moore_swid sw;
	uint8_t out;		/* slot within the switch */
	uint8_t in;		/* WAS or NOW; or WAS | INSTEAD */
};

struct judge {
	struct moore_ck k;
	struct moore_mix_held *v;
	const struct moore_held *held, *before;
	size_t stride;
	struct extra *extra;	/* by LID */
	size_t *extra0;		/* where those of each LID begin; stride + 2 */
	struct moore_mx_graph g;
	const uint64_t *apart;	/* set of LIDs that are walked as graphs */
	uint64_t *changed;	/* set of LIDs for note_change() */
	uint8_t *out;		/* the slot that the row of each switch names for one LID */
	uint8_t *sure;		/* of each switch: WAS, NOW if these deliver its packets */
};

struct moore_mix_series {
	struct moore_ck k;	/* its cells have the VLs of all that is walked once */
	struct moore_mix_held seen;	/* what was found there */
	struct moore_held before;
	uint64_t *apart;
};

void
moore_mix_held_free(struct moore_mix_held *m)
{
	if (!m)
		return;
	free(m->cycle);
	free(m);
}

/* ---- rows besides those of held->lft ------------------------------------------------ */

typedef void (*each_extra)(struct judge *j, unsigned lid, struct extra x);

static void
count(struct judge *j, unsigned lid, struct extra x)
{
	(void)x;
	j->extra0[lid + 2]++;
}

static void
put(struct judge *j, unsigned lid, struct extra x)
{
	j->extra[j->extra0[lid + 1]++] = x;
}

/* Slot within switch s; all ports that it does not have are one. */
static uint8_t
slot(const struct judge *j, moore_swid s, uint8_t port)
{
	unsigned n_ports = j->k.f->sw[s].n_ports;

	return (uint8_t)(port <= n_ports ? port : n_ports + 1);
}

static struct extra
value(const struct judge *j, moore_swid s, uint8_t port, uint8_t in)
{
	return (struct extra){ s, slot(j, s, port), in };
}

static void
each_of(struct judge *j, const struct moore_held *h, uint8_t in, each_extra f)
{
	for (size_t i = 0; i < h->n_more; i++)
		f(j, h->more[i].lid, value(j, h->more[i].sw, h->more[i].port, in));
}

/* Calls f with the rows of before->lft that differ. */
static void
each_difference(struct judge *j, each_extra f)
{
	for (uint32_t s = 0; s < j->k.n_sw; s++) {
		const uint8_t *was = moore_lft_row(j->before->lft, s);
		const uint8_t *now = moore_lft_row(j->held->lft, s);

		for (unsigned lid0 = 0; lid0 < j->stride; lid0 += MOORE_LFT_BLOCK) {
			if (memcmp(was + lid0, now + lid0, MOORE_LFT_BLOCK) == 0)
				continue;
			for (unsigned lid = lid0; lid < lid0 + MOORE_LFT_BLOCK; lid++)
				if (was[lid] != now[lid])
					f(j, lid, value(j, s, was[lid], WAS | INSTEAD));
		}
	}
}

/* Those that replace a value of before come first. */
static void
each(struct judge *j, each_extra f)
{
	if (j->before->lft != j->held->lft)
		each_difference(j, f);
	each_of(j, j->before, WAS, f);
	each_of(j, j->held, NOW, f);
}

/* Sorts the extra rows by LID: counts them, then puts each in its place. */
static int
list_extra(struct judge *j, struct moore_err *err)
{
	each(j, count);
	for (size_t lid = 2; lid < j->stride + 2; lid++)
		j->extra0[lid] += j->extra0[lid - 1];
	j->extra = moore_arena_alloc(&j->k.tmp, j->extra0[j->stride + 1] + 1, sizeof(*j->extra));
	if (!j->extra)
		return moore_fail_nomem(err);
	each(j, put);
	return 0;
}

static bool
is_unknown(const struct moore_held *h, moore_swid s)
{
	return h->unknown && moore_bits_get(h->unknown, s);
}

static bool
some_unknown(const struct moore_held *h, uint32_t n_sw)
{
	for (uint32_t s = 0; s < n_sw; s++)
		if (is_unknown(h, s))
			return true;
	return false;
}

static void
note_change(struct judge *j, unsigned lid, struct extra x)
{
	(void)x;
	moore_bits_set(j->changed, lid);
}

/* Adds the LIDs whose rows are not the same in both, or that have several values. */
static void
add_changes(uint64_t *lids, const struct moore_fabric *f, const struct moore_held *was,
	    const struct moore_held *now)
{
	struct judge j = { .k = { .f = f, .n_sw = f->n_switches }, .before = was, .held = now,
		.stride = was->lft->stride, .changed = lids };

	each(&j, note_change);
	if (some_unknown(was, f->n_switches) || some_unknown(now, f->n_switches))
		memset(lids, 0xff, moore_bits_words(j.stride) * sizeof(*lids));
}

/* Rejects rows that change for LIDs that were walked once for all. */
static int
check_apart(const struct judge *j, struct moore_err *err)
{
	bool unknown = some_unknown(j->held, j->k.n_sw);

	for (unsigned lid = 1; lid < j->stride; lid++)
		if ((unknown || j->extra0[lid] < j->extra0[lid + 1]) &&
		    !moore_bits_get(j->apart, lid))
			return moore_fail(err, MOORE_EINVAL, 0, "rows: LID %u changes, and the series "
					  "was made for others", lid);
	return 0;
}

/* ---- LIDs that are set apart ---------------------------------------------------------- */

/* A row of unknown value may lead out of every port that has a role, or nowhere. */
static void
add_all(struct moore_mx_graph *g, moore_swid s, uint8_t in)
{
	unsigned nowhere = g->k->f->sw[s].n_ports + 1u;

	for (unsigned out = 0; out < nowhere; out++)
		if (moore_mx_leads_on(g->k, s, (uint8_t)out))
			moore_mx_graph_add(g, s, (uint8_t)out, in);
	moore_mx_graph_add(g, s, (uint8_t)nowhere, in);
}

/* Builds the graph of this LID from the slots that the rows of held->lft name: that of switch s
 * is out[s * stride]. */
static void
plant(struct judge *j, const uint8_t *out, size_t stride, unsigned lid)
{
	struct moore_mx_graph *g = &j->g;

	moore_mx_graph_plant(g, out, stride);
	for (size_t i = j->extra0[lid]; i < j->extra0[lid + 1]; i++) {
		const struct extra *x = &j->extra[i];

		if (x->in & INSTEAD)
			g->way[x->sw].in = NOW;
		moore_mx_graph_add(g, x->sw, x->out, x->in & (WAS | NOW));
	}
	for (uint32_t s = 0; s < j->k.n_sw && j->held->unknown; s++)
		if (is_unknown(j->held, s))
			add_all(g, s, NOW);
	for (uint32_t s = 0; s < j->k.n_sw && j->before->unknown; s++)
		if (is_unknown(j->before, s))
			add_all(g, s, WAS);
}

/* Counts the LID if it has a route, and if a row of it has several values. */
static bool
has_route(struct judge *j)
{
	const struct moore_mx_graph *g = &j->g;
	bool route = false, mixed = false;

	for (uint32_t s = 0; s < j->k.n_sw && !route; s++) {
		uint32_t a = s;

		do
			route |= g->way[a].in & NOW && moore_mx_leads_on(&j->k, s, g->way[a].out);
		while ((a = g->way[a].more));
	}
	for (uint32_t a = j->k.n_sw; a < g->n_ways; a++)
		mixed |= g->way[a].in & NOW;
	j->v->lids += route;
	j->v->lids_mixed += route && mixed;
	return route;
}

/* The tables of which all ways out of s arrive, as far as is known. */
static uint8_t
arrive(const struct judge *j, const struct moore_lid_owner *own, uint32_t s)
{
	unsigned all = WAS | NOW;
	uint32_t a = s;

	do {
		const struct moore_mx_way *y = &j->g.way[a];
		bool end = s == own->sw && y->out == own->port;
		unsigned on = y->next != j->k.n_sw ? j->sure[y->next] : end ? WAS | NOW : 0;

		all &= on | ~(unsigned)y->in;
	} while ((a = j->g.way[a].more));
	return (uint8_t)all;
}

/* Sets sure[], from the owner on: in the reverse order one pass is enough, unless there are
 * loops. */
static void
find_sure(struct judge *j, const struct moore_lid_owner *own)
{
	bool news;

	memset(j->sure, 0, j->k.n_sw);
	do {
		news = false;
		for (uint32_t i = j->k.n_sw; i-- > 0;) {
			uint32_t s = j->g.order[i];
			uint8_t now = arrive(j, own, s);

			news |= now != j->sure[s];
			j->sure[s] = now;
		}
	} while (news && j->g.n_order < j->k.n_sw);
}

static void
count_pairs(struct judge *j, unsigned lid)
{
	struct moore_mix_held *v = j->v;

	for (uint32_t s = 0; s < j->k.n_sw; s++) {
		if (!j->k.has_ep[s] || !(j->sure[s] & WAS))
			continue;
		v->live++;
		if (j->sure[s] & NOW || (v->interrupted++ && v->interrupted_lid <= lid))
			continue;
		v->interrupted_sw = s;
		v->interrupted_lid = (moore_lid)lid;
	}
}

static void
note_loop(struct moore_mix_held *v, unsigned lid)
{
	if (!v->loop_lids || lid < v->loop_lid)
		v->loop_lid = (moore_lid)lid;
	v->loop_lids++;
}

static void
walk_graph(struct judge *j, const uint8_t *out, size_t stride, unsigned lid)
{
	plant(j, out, stride, lid);
	if (!has_route(j) && !moore_bits_get(j->apart, lid))
		return;
	moore_mx_graph_sort(&j->g, WAS | NOW);
	moore_mx_graph_climb(&j->g, lid, NOW);
	if (lid <= j->k.f->lid_top && j->k.own[lid].sw != MOORE_NONE) {
		find_sure(j, &j->k.own[lid]);
		count_pairs(j, lid);
	}
	if (j->g.n_order < j->k.n_sw)
		moore_mx_graph_sort(&j->g, NOW);	/* before may add loops */
	if (j->g.n_order < j->k.n_sw)
		note_loop(j->v, lid);
}

/* ---- LIDs with one value in every row ---------------------------------------------- */

static void
visit(void *arg, const struct moore_ck_tree *t, unsigned lid)
{
	struct judge *j = arg;
	uint32_t n_sw = j->k.n_sw, s = 0;

	while (s < n_sw && !moore_mx_leads_on(&j->k, s, t->out[(size_t)s * MOORE_CK_BLOCK]))
		s++;
	j->v->lids += s < n_sw;
	if (t->n_order < t->n_nodes)
		note_loop(j->v, lid);
	j->v->live += t->node[t->n_nodes + 1].heavy;
}

/* LIDs without an owner have no tree. */
static void
visit_other(void *arg, const uint8_t *out, unsigned lid)
{
	struct judge *j = arg;

	if (lid && !moore_bits_get(j->apart, lid))
		walk_graph(j, out, MOORE_CK_BLOCK, lid);
}

static int
walk_rest(struct judge *j, struct judge *part, unsigned n, struct moore_err *err)
{
	struct moore_ck *k = &j->k;
	struct moore_ck_visitor *v = moore_arena_alloc(&k->tmp, n, sizeof(*v));

	if (!v)
		return moore_fail_nomem(err);
	for (unsigned i = 0; i < n; i++)
		v[i] = (struct moore_ck_visitor){ k->has_ep, visit, visit_other, part[i].apart, &part[i] };
	return moore_ck_trees(k, v, n, err);
}

/* ---- workers ---------------------------------------------------------------------- */

/* One block of LIDs. */
static void
walk_apart_job(void *arg, unsigned worker, size_t i)
{
	struct judge *j = (struct judge *)arg + worker;

	for (size_t lid = i * MOORE_LFT_BLOCK; lid < (i + 1) * MOORE_LFT_BLOCK; lid++) {
		if (!lid || !moore_bits_get(j->apart, lid))
			continue;
		for (uint32_t s = 0; s < j->k.n_sw; s++)
			j->out[s] = slot(j, s, moore_lft_row(j->held->lft, s)[lid]);
		walk_graph(j, j->out, 1, (unsigned)lid);
	}
}

static int
walk_apart(struct judge *j, struct judge *part, unsigned n, struct moore_err *err)
{
	(void)err;
	moore_jobs_run(j->k.opts.jobs, n, moore_bits_words(j->stride), walk_apart_job, part);
	return 0;
}

/* Makes the judges of n workers, whose k are copies[]. */
static bool
copy_judge(struct judge *j, struct judge *part, const struct moore_ck *copies, unsigned n)
{
	struct moore_arena *a = &j->k.tmp;

	for (unsigned i = 0; i < n; i++) {
		struct judge *p = &part[i];

		*p = *j;
		p->k = copies[i];
		if (!(p->v = moore_arena_alloc(a, 1, sizeof(*p->v))) ||
		    !(p->sure = moore_arena_alloc(a, j->k.n_sw, 1)) ||
		    !(p->out = moore_arena_alloc(a, j->k.n_sw, 1)) ||
		    !moore_mx_graph_init(&p->g, &j->k))
			return false;
		p->g.k = &p->k;
	}
	return true;
}

/* Adds the counts of one worker. */
static void
add_up(struct moore_mix_held *v, const struct moore_mix_held *more)
{
	if (more->loop_lids && (!v->loop_lids || more->loop_lid < v->loop_lid))
		v->loop_lid = more->loop_lid;
	if (more->interrupted && (!v->interrupted || more->interrupted_lid < v->interrupted_lid)) {
		v->interrupted_sw = more->interrupted_sw;
		v->interrupted_lid = more->interrupted_lid;
	}
	v->lids += more->lids;
	v->lids_mixed += more->lids_mixed;
	v->loop_lids += more->loop_lids;
	v->live += more->live;
	v->interrupted += more->interrupted;
}

typedef int walk_with(struct judge *j, struct judge *part, unsigned n, struct moore_err *err);

/* Lets the workers walk, and unites what they find. */
static int
side_by_side(struct judge *j, walk_with *walk, struct moore_err *err)
{
	unsigned n = moore_ck_width(&j->k);
	struct moore_ck *copies = moore_ck_copies(&j->k, n);
	struct judge *part = moore_arena_alloc(&j->k.tmp, n, sizeof(*part));
	int rc;

	if (!copies || !part || !copy_judge(j, part, copies, n))
		return moore_fail_nomem(err);
	if ((rc = walk(j, part, n, err)) < 0)
		return rc;
	moore_ck_unite(copies, n);
	for (unsigned i = 0; i < n; i++)
		add_up(j->v, part[i].v);
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

	for (size_t i = 0; i < lanes->n_mft && rc == 0; i++)
		rc = merge(all, lanes->mft[i], err);
	j->k.mft = all;
	if (rc == 0)
		rc = moore_ck_mcast(&j->k, &loops, err);
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

int
moore_mx_fit_rows(const struct moore_fabric *f, const struct moore_held *h, size_t stride,
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
check_lanes(const struct moore_fabric *f, const struct moore_mix_lanes *lanes,
	    struct moore_err *err)
{
	int rc = moore_ck_fit_sl2vl(f, lanes->sl2vl, "", err);

	if (rc == 0 && lanes->other)
		rc = moore_ck_fit_sl2vl(f, lanes->other, "other ", err);
	if (rc == 0 && lanes->sl_set)
		rc = moore_ck_fit_sl_set(f, lanes->sl_set, err);
	for (size_t i = 0; i < lanes->n_mft && rc == 0; i++)
		rc = moore_ck_fit_mft(f, lanes->mft[i], err);
	return rc;
}

static int
set_up(struct moore_mix_series *s, const uint64_t *lids, struct moore_err *err)
{
	size_t stride = s->before.lft->stride;
	int rc;

	if ((rc = moore_fabric_lids(s->k.f, &s->k.own, err)) < 0 ||
	    (rc = moore_ck_net(&s->k, err)) < 0)
		return rc;
	s->apart = moore_arena_alloc(&s->k.tmp, moore_bits_words(stride), sizeof(*s->apart));
	if (!s->apart)
		return moore_fail_nomem(err);
	memcpy(s->apart, lids, moore_bits_words(stride) * sizeof(*lids));
	add_changes(s->apart, s->k.f, &s->before, &s->before);
	return 0;
}

/* A judge of what is the same in all mixtures, or of one mixture.  The caller frees j->k.tmp. */
static int
judge_init(struct judge *j, const struct moore_mix_series *s, const struct moore_held *held,
	   struct moore_mix_held *v, struct moore_err *err)
{
	*j = (struct judge){ .k = s->k, .v = v, .held = held, .before = &s->before,
		.stride = s->before.lft->stride, .apart = s->apart };
	j->k.tmp = (struct moore_arena)MOORE_ARENA_INIT;
	j->extra0 = moore_arena_alloc(&j->k.tmp, j->stride + 2, sizeof(*j->extra0));
	return j->extra0 ? 0 : moore_fail_nomem(err);
}

static int
judge_rest(struct moore_mix_series *s, const struct moore_mix_lanes *lanes,
	   struct moore_err *err)
{
	struct judge j;
	int rc = judge_init(&j, s, &s->before, &s->seen, err);

	if (rc == 0 && (rc = side_by_side(&j, walk_rest, err)) == 0)
		rc = judge_groups(&j, lanes, err);
	moore_arena_free(&j.k.tmp);
	return rc;
}

int
moore_mix_series_new(struct moore_mix_series **out, const struct moore_fabric *f,
		     const struct moore_held *before, const uint64_t *lids,
		     const struct moore_mix_lanes *lanes, const struct moore_jobs *jobs,
		     struct moore_err *err)
{
	struct moore_mix_series *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (!s)
		return moore_fail_nomem(err);
	*s = (struct moore_mix_series){ .before = *before,
		.seen = { .interrupted_sw = MOORE_NONE },
		.k = { .f = f, .lft = before->lft, .tmp = MOORE_ARENA_INIT,
		.sl2vl = lanes->sl2vl, .other = lanes->other,
		.opts = { .sl_mask = UINT16_MAX, .sl_set = lanes->sl_set, .jobs = jobs } } };
	if ((rc = moore_mx_fit_rows(f, before, before->lft->stride, "old ", err)) < 0 ||
	    (rc = check_lanes(f, lanes, err)) < 0 || (rc = set_up(s, lids, err)) < 0 ||
	    (rc = judge_rest(s, lanes, err)) < 0) {
		moore_mix_series_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void
moore_mix_series_free(struct moore_mix_series *s)
{
	if (!s)
		return;
	free(s->k.own);
	moore_arena_free(&s->k.tmp);
	free(s);
}

int
moore_mix_series_judge(struct moore_mix_held **out, const struct moore_mix_series *s,
		       const struct moore_held *held, struct moore_err *err)
{
	struct moore_mix_held *v = malloc(sizeof(*v));
	size_t bytes = moore_ck_n_cells(&s->k) * sizeof(*s->k.cell);
	struct judge j;
	int rc;

	*out = NULL;
	if (!v)
		return moore_fail_nomem(err);
	*v = s->seen;
	if ((rc = judge_init(&j, s, held, v, err)) < 0 ||
	    (rc = moore_mx_fit_rows(s->k.f, held, j.stride, "", err)) < 0 ||
	    (rc = list_extra(&j, err)) < 0 || (rc = check_apart(&j, err)) < 0)
		goto out;
	if (!(j.k.cell = moore_arena_alloc(&j.k.tmp, 1, bytes))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	memcpy(j.k.cell, s->k.cell, bytes);
	if ((rc = side_by_side(&j, walk_apart, err)) < 0 || (rc = judge_turns(&j, err)) < 0)
		goto out;
	*out = v;
	v = NULL;
out:
	moore_mix_held_free(v);
	moore_arena_free(&j.k.tmp);
	return rc;
}

int
moore_mix_held(struct moore_mix_held **out, const struct moore_fabric *f,
	       const struct moore_held *held, const struct moore_held *before,
	       const struct moore_mix_lanes *lanes, const struct moore_jobs *jobs,
	       struct moore_err *err)
{
	const struct moore_held *first = before ? before : held;
	size_t stride = held->lft->stride;
	uint64_t *lids = calloc(moore_bits_words(stride), sizeof(*lids));
	struct moore_mix_series *s = NULL;
	int rc;

	*out = NULL;
	if (!lids)
		return moore_fail_nomem(err);
	if ((rc = moore_mx_fit_rows(f, held, stride, "", err)) < 0 ||
	    (rc = moore_mx_fit_rows(f, first, stride, "old ", err)) < 0)
		goto out;
	add_changes(lids, f, first, held);
	if ((rc = moore_mix_series_new(&s, f, first, lids, lanes, jobs, err)) == 0 &&
	    (rc = moore_mix_series_judge(out, s, held, err)) == 0 && !before)
		(*out)->live = 0;
out:
	moore_mix_series_free(s);
	free(lids);
	return rc;
}
