// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hint_beside.c - the table that all detours between two neighbours keep to under sl-hint.
 *
 * Such detours have four hops, s -> x -> y -> z -> d, and few of them have a right table in
 * common.  Admitted one by one, they could leave a direction without any; so both directions
 * keep to one table, the one that is right for most. */
#include "route/hint/hint_tree.h"

/* Adds to n[] the routes s -> x -> y -> z -> d over neighbours z of d (beside[]), each under
 * the set of tables that are right for it. */
static void
count_over(const struct moore_rhint *h, const struct moore_rview *v, uint32_t s, uint32_t x,
	   uint32_t y, uint32_t d, uint32_t n[OK_TABLES + 1])
{
	const struct moore_rgraph *g = v->g;
	const uint32_t *pos = v->turns->pos;
	const uint8_t (*extend)[256] = h->extend[0];
	const uint8_t *first = extend[moore_rhint_turn(pos, s, x, y)];

	for (uint32_t e = g->xadj[y]; e < g->xadj[y + 1]; e++) {
		uint32_t z = g->to[e];
		uint8_t ok;

		if (z == x || z == s || !h->beside[z] || !(g->flags[e] & v->flag))
			continue;
		ok = extend[moore_rhint_turn(pos, y, z, d)][OK_ALL];
		ok = extend[moore_rhint_turn(pos, x, y, z)][ok];
		n[first[ok] & OK_TABLES]++;
	}
}

/* Fills right[] with the number of detours from s to d for which each table is right. */
static void
count_right(struct moore_rhint *h, const struct moore_rview *v, uint32_t s, uint32_t d,
	    uint32_t right[MOORE_N_HINTS])
{
	const struct moore_rgraph *g = v->g;
	uint32_t n[OK_TABLES + 1] = { 0 };

	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		h->beside[g->to[e]] = (g->flags[e] & v->flag) != 0;
	for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++)
		for (uint32_t x = g->to[e], k = g->xadj[x]; k < g->xadj[x + 1]; k++)
			if (x != d && g->to[k] != s && g->to[k] != d &&
			    g->flags[e] & g->flags[k] & v->flag)
				count_over(h, v, s, x, g->to[k], d, n);
	for (uint32_t e = g->xadj[d]; e < g->xadj[d + 1]; e++)
		h->beside[g->to[e]] = 0;
	for (unsigned t = 0; t < MOORE_N_HINTS; t++) {
		right[t] = 0;
		for (unsigned m = 0; m <= OK_TABLES; m++)
			right[t] += (m >> t & 1) * n[m];
	}
}

/* The table that is right for most detours from s to d, or from d to s if these are fewer. */
static unsigned
table_beside(struct moore_rhint *h, const struct moore_rview *v, uint32_t s, uint32_t d)
{
	static const uint8_t table[] = { MOORE_HINT_C, MOORE_HINT_B, MOORE_HINT_D, MOORE_HINT_A };
	uint32_t there[MOORE_N_HINTS], back[MOORE_N_HINTS], most = 0;
	unsigned best = table[0];

	count_right(h, v, s, d, there);
	count_right(h, v, d, s, back);
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		unsigned t = table[i];
		uint32_t least = there[t] < back[t] ? there[t] : back[t];

		if (least > most) {
			most = least;
			best = t;
		}
	}
	return best;
}

void
moore_rhint_set_beside(struct moore_rhint *h, const struct moore_rview *v)
{
	const struct moore_rgraph *g = v->g;

	for (uint32_t s = 0; s < g->n; s++)
		for (uint32_t e = g->xadj[s]; e < g->xadj[s + 1]; e++) {
			uint32_t d = g->to[e];
			uint16_t only;

			if (s > d || !(g->flags[e] & v->flag))
				continue;
			only = (uint16_t)(1u << (1u << table_beside(h, v, s, d)));
			h->met_planned[(size_t)s * g->n + d] |= only;
			h->met_planned[(size_t)d * g->n + s] |= only;
		}
}
