// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* columns.c - the LIDs that change, each as a column: the value of its row at each switch,
 * the value that it shall have, and further values that it may have or had. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "motion_impl.h"

bool
moore_mo_unknown(const struct moore_held *h, moore_swid s)
{
	return h->unknown && moore_bits_get(h->unknown, s);
}

/* Marks the LIDs for which switch s has another row, block by block. */
static void
mark_row(const struct moore_held *h, const struct moore_lft *now, moore_swid s, uint64_t *lids)
{
	const uint8_t *was = moore_lft_row(h->lft, s), *will = moore_lft_row(now, s);

	for (size_t b = 0; b < now->stride; b += MOORE_LFT_BLOCK) {
		if (!moore_mo_unknown(h, s) && !memcmp(was + b, will + b, MOORE_LFT_BLOCK))
			continue;
		for (size_t i = b; i < b + MOORE_LFT_BLOCK; i++)
			if (moore_mo_unknown(h, s) ? will[i] != MOORE_NO_PATH : was[i] != will[i])
				moore_bits_set(lids, i);
	}
}

/* Numbers the marked LIDs, those of o->first before the others, as given. */
static int
number(struct moore_mo_columns *c, const struct moore_motion_opts *o, uint64_t *lids,
       size_t stride, struct moore_err *err)
{
	for (size_t i = 0; i < stride; i++)
		c->n += moore_bits_get(lids, i);
	if (!(c->col = calloc((size_t)c->n + 1, sizeof(*c->col))))
		return moore_fail_nomem(err);
	c->n = 0;
	for (size_t i = 0; i < o->n_first + stride; i++) {
		size_t lid = i < o->n_first ? o->first[i] : i - o->n_first;

		if (lid >= stride || !moore_bits_get(lids, lid))
			continue;
		moore_bits_clear(lids, lid);
		c->of[lid] = c->n;
		c->col[c->n++].lid = (moore_lid)lid;
	}
	return 0;
}

static bool
add_extra(struct moore_mo_columns *c, uint32_t col, moore_swid s, uint8_t port, bool stale)
{
	struct moore_mo_extra *e = c->n_extra < c->cap_extra ? c->extra :
		moore_grow(c->extra, c->n_extra, &c->cap_extra, sizeof(*e));

	if (!e)
		return false;
	c->extra = e;
	e[c->n_extra] = (struct moore_mo_extra){ s, port, stale, c->col[col].extra };
	c->col[col].extra = c->n_extra++;
	return true;
}

bool
moore_mo_stale(struct moore_mo_columns *c, uint32_t col, moore_swid s, uint8_t port)
{
	return add_extra(c, col, s, port, true);
}

static bool
add_rows(struct moore_mo_columns *c, const struct moore_row *r, size_t n, bool stale)
{
	for (size_t k = 0; k < n; k++) {
		uint32_t col = c->of[r[k].lid];

		if (!add_extra(c, col, r[k].sw, r[k].port, stale))
			return false;
		if (++c->col[col].n_former > c->most_extra)
			c->most_extra = c->col[col].n_former;
	}
	return true;
}

int
moore_mo_columns_begin(struct moore_mo_columns *c, const struct moore_mo_net *n,
		       const struct moore_held *h, const struct moore_lft *now,
		       struct moore_err *err)
{
	c->n_extra = 0;
	for (uint32_t i = 0; i < c->n; i++)
		c->col[i] = (struct moore_mo_column){ c->col[i].lid, MOORE_NONE, 0, 0 };
	for (moore_swid s = 0; s < n->n_sw; s++)
		for (uint32_t i = 0; i < c->n; i++) {
			size_t at = (size_t)i * n->n_sw + s;

			c->cur[at] = moore_mo_unknown(h, s) ? MOORE_NO_PATH :
				moore_lft_row(h->lft, s)[c->col[i].lid];
			c->fin[at] = moore_lft_row(now, s)[c->col[i].lid];
			c->col[i].left += c->cur[at] != c->fin[at];
		}
	if (!add_rows(c, h->more, h->n_more, false) || !add_rows(c, n->o->past, n->o->n_past, true))
		return moore_fail_nomem(err);
	return 0;
}

void
moore_mo_columns_between(struct moore_mo_columns *c, const struct moore_mo_net *n,
			 const uint8_t *from, const uint8_t *to)
{
	size_t n_sw = n->n_sw;

	c->n_extra = 0;
	memcpy(c->cur, from, c->n * n_sw);
	memcpy(c->fin, to, c->n * n_sw);
	for (uint32_t i = 0; i < c->n; i++) {
		c->col[i] = (struct moore_mo_column){ c->col[i].lid, MOORE_NONE, 0, 0 };
		for (size_t k = i * n_sw; k < (i + 1) * n_sw; k++)
			c->col[i].left += c->cur[k] != c->fin[k];
	}
}

static int
find_owners(struct moore_mo_columns *c, const struct moore_fabric *f, size_t stride,
	    struct moore_arena *a, struct moore_err *err)
{
	struct moore_lid_owner *own;
	int rc = moore_fabric_lids(f, &own, err);

	if (rc < 0)
		return rc;
	c->own = moore_arena_alloc(a, stride, sizeof(*c->own));
	for (size_t lid = 0; c->own && lid < stride; lid++)
		c->own[lid] = lid <= f->lid_top ? own[lid] :
			(struct moore_lid_owner){ MOORE_NONE, 0, MOORE_NONE, 0 };
	free(own);
	return c->own ? 0 : moore_fail_nomem(err);
}

int
moore_mo_columns_init(struct moore_mo_columns *c, const struct moore_mo_net *n,
		      const struct moore_held *held, const struct moore_lft *now,
		      struct moore_arena *a, struct moore_err *err)
{
	uint64_t *lids = moore_arena_alloc(a, moore_bits_words(now->stride) + 1, sizeof(*lids));
	int rc;

	c->of = moore_arena_alloc(a, now->stride, sizeof(*c->of));
	if (!lids || !c->of)
		return moore_fail_nomem(err);
	if ((rc = find_owners(c, n->f, now->stride, a, err)) < 0)
		return rc;
	for (moore_swid s = 0; s < n->n_sw; s++)
		mark_row(held, now, s, lids);
	for (size_t k = 0; k < held->n_more; k++)
		moore_bits_set(lids, held->more[k].lid);
	for (size_t k = 0; k < n->o->n_past; k++)
		moore_bits_set(lids, n->o->past[k].lid);
	if ((rc = number(c, n->o, lids, now->stride, err)) < 0)
		return rc;
	c->cur = malloc((size_t)c->n * n->n_sw + 1);
	c->fin = malloc((size_t)c->n * n->n_sw + 1);
	if (!c->cur || !c->fin)
		return moore_fail_nomem(err);
	return moore_mo_columns_begin(c, n, held, now, err);
}

int
moore_mo_columns_copy(struct moore_mo_columns *c, const struct moore_mo_columns *from,
		      const struct moore_mo_net *n, struct moore_err *err)
{
	*c = (struct moore_mo_columns){ .n = from->n, .of = from->of, .own = from->own,
		.most_extra = from->most_extra };
	c->col = calloc((size_t)c->n + 1, sizeof(*c->col));
	c->cur = malloc((size_t)c->n * n->n_sw + 1);
	c->fin = malloc((size_t)c->n * n->n_sw + 1);
	if (!c->col || !c->cur || !c->fin)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < c->n; i++)
		c->col[i].lid = from->col[i].lid;
	return 0;
}

void
moore_mo_columns_free(struct moore_mo_columns *c)
{
	free(c->col);
	free(c->cur);
	free(c->fin);
	free(c->extra);
}
