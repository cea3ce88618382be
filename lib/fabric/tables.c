// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* tables.c - forwarding, SL to VL and multicast tables as plain arrays. */
#include <stdlib.h>
#include <string.h>

#include "moore/tables.h"

int
moore_lft_new(struct moore_lft **out, uint32_t n_switches, moore_lid lid_top,
	      struct moore_err *err)
{
	struct moore_lft *t = calloc(1, sizeof(*t));
	size_t n;

	*out = NULL;
	if (!t)
		return moore_fail_nomem(err);
	t->n_switches = n_switches;
	t->stride = ((size_t)lid_top + MOORE_LFT_BLOCK) / MOORE_LFT_BLOCK * MOORE_LFT_BLOCK;
	n = n_switches * t->stride;
	if (!(t->row = malloc(n ? n : 1))) {
		free(t);
		return moore_fail_nomem(err);
	}
	memset(t->row, MOORE_NO_PATH, n);
	*out = t;
	return 0;
}

void
moore_lft_free(struct moore_lft *t)
{
	if (!t)
		return;
	free(t->row);
	free(t);
}

/* ---- SLs in use ---------------------------------------------------------- */

int
moore_sl_set_new(struct moore_sl_set **out, uint32_t n_switches, moore_lid lid_top,
		 struct moore_err *err)
{
	struct moore_sl_set *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return moore_fail_nomem(err);
	t->n_switches = n_switches;
	t->stride = (size_t)lid_top + 1;
	t->sl = calloc((size_t)n_switches * t->stride + 1, sizeof(*t->sl));
	if (!t->sl) {
		free(t);
		return moore_fail_nomem(err);
	}
	*out = t;
	return 0;
}

void
moore_sl_set_free(struct moore_sl_set *t)
{
	if (!t)
		return;
	free(t->sl);
	free(t);
}

/* ---- SL to VL ------------------------------------------------------------ */

int
moore_sl2vl_new(struct moore_sl2vl **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct moore_sl2vl *t = calloc(1, sizeof(*t));
	size_t n = 0;

	*out = NULL;
	if (!t)
		return moore_fail_nomem(err);
	t->n_switches = f->n_switches;
	t->n_rows = 1;		/* row 0 is all zero */
	t->cap_rows = 16;
	t->rows = calloc(t->cap_rows, sizeof(*t->rows));
	t->base = calloc((size_t)f->n_switches + 1, sizeof(*t->base));
	t->width = calloc((size_t)f->n_switches + 1, sizeof(*t->width));
	for (uint32_t s = 0; t->base && t->width && s < f->n_switches; s++) {
		t->base[s] = n;
		t->width[s] = (uint8_t)(f->sw[s].n_ports + 1);
		n += (size_t)t->width[s] * t->width[s];
	}
	t->id = calloc(n + 1, sizeof(*t->id));
	if (!t->rows || !t->base || !t->width || !t->id) {
		moore_sl2vl_free(t);
		return moore_fail_nomem(err);
	}
	*out = t;
	return 0;
}

void
moore_sl2vl_free(struct moore_sl2vl *t)
{
	if (!t)
		return;
	free(t->rows);
	free(t->base);
	free(t->width);
	free(t->id);
	free(t);
}

static int
add_row(struct moore_sl2vl *t, const struct moore_sl_row *row, struct moore_err *err)
{
	struct moore_sl_row *rows;

	if (t->n_rows == UINT16_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "SL2VL: more than %u distinct rows",
				  UINT16_MAX);
	if (!(rows = moore_grow(t->rows, t->n_rows, &t->cap_rows, sizeof(*rows))))
		return moore_fail_nomem(err);
	t->rows = rows;
	t->rows[t->n_rows++] = *row;
	return 0;
}

int
moore_sl2vl_set(struct moore_sl2vl *t, moore_swid s, moore_portnum in, moore_portnum out,
		const struct moore_sl_row *row, struct moore_err *err)
{
	uint32_t i = 0;
	int rc;

	while (i < t->n_rows && memcmp(&t->rows[i], row, sizeof(*row)))
		i++;
	if (i == t->n_rows && (rc = add_row(t, row, err)) < 0)
		return rc;
	t->id[t->base[s] + (size_t)in * t->width[s] + out] = (uint16_t)i;
	return 0;
}

/* ---- multicast ------------------------------------------------------------ */

int
moore_mft_new(struct moore_mft **out, uint32_t n_switches, struct moore_err *err)
{
	struct moore_mft *t = calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return moore_fail_nomem(err);
	t->n_switches = n_switches;
	*out = t;
	return 0;
}

void
moore_mft_free(struct moore_mft *t)
{
	if (!t)
		return;
	free(t->mlid);
	free(t->mask);
	free(t);
}

static bool
grow_groups(struct moore_mft *t)
{
	uint32_t cap = t->cap_groups ? t->cap_groups + t->cap_groups / 2 : 4;
	size_t n_sw = t->n_switches ? t->n_switches : 1;
	uint64_t (*mask)[4];
	uint16_t *mlid;

	if (!(mlid = realloc(t->mlid, cap * sizeof(*mlid))))
		return false;
	t->mlid = mlid;
	if (n_sw > SIZE_MAX / sizeof(*mask) / cap ||
	    !(mask = realloc(t->mask, cap * n_sw * sizeof(*mask))))
		return false;
	t->mask = mask;
	t->cap_groups = cap;
	return true;
}

int64_t
moore_mft_group(struct moore_mft *t, uint16_t mlid)
{
	uint32_t g = 0;

	while (g < t->n_groups && t->mlid[g] != mlid)
		g++;
	if (g < t->n_groups)
		return g;
	if (t->n_groups == t->cap_groups && !grow_groups(t))
		return -MOORE_ENOMEM;
	t->mlid[g] = mlid;
	if (t->n_switches)
		memset(t->mask[(size_t)g * t->n_switches], 0,
		       t->n_switches * sizeof(*t->mask));
	t->n_groups++;
	return g;
}
