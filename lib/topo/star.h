/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* star.h - star products of two graphs (Bermond, Delorme and Farhi, Annals of Discrete
 * Mathematics 13, 1982): each switch x of the outer graph becomes a copy of the inner graph, and
 * a link from x to x', x < x', joins each (x, y) to (x', f(y)).
 *
 * If each two places y, z of the inner graph are linked, or f takes the ends of a link to them,
 * or z = f(y), the diameter is at most one more than that of the outer graph, for an f whose
 * square keeps the links (property R1 for Paley graphs) or that is its own inverse (R*, where
 * the outer graph must have a walk of exactly its diameter between any two switches). */
#ifndef MOORE_TOPO_STAR_H
#define MOORE_TOPO_STAR_H

#include "moore/math.h"
#include "topo_build.h"

struct moore_star_inner {
	uint32_t n, degree;
	uint8_t *linked;	/* n * n: true if two places are linked */
	uint16_t *image;	/* f(y) of each place */
};

int moore_star_inner_new(struct moore_star_inner *in, uint32_t n, uint32_t degree,
			 struct moore_err *err);
void moore_star_inner_free(struct moore_star_inner *in);

/* The Paley graph: elements of a field of order 1 modulo 4 are linked if their difference is a
 * square; f multiplies by an element that is none. */
int moore_star_paley(struct moore_star_inner *in, uint32_t order, struct moore_err *err);

/* Joins the copies; switch (x, y) has the number x * in->n + y, and its name is that of x with y
 * appended. */
void moore_star_fill(struct moore_topo_draft *d, const struct moore_topo *outer,
		     const struct moore_star_inner *in, uint16_t endpoints);

#endif
