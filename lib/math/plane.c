// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plane.c - the projective plane of order n as the maximal-leaves building block
 * (k-ML3B, k = n+1) of Kathareios et al., SC'15, section 2.2.4.
 *
 * Point u*n + v is the affine point (u, v); the last n+1 points lie on the line
 * at infinity, which is row 0.  Below it stand n+1 squares of n lines, one square
 * for each point at infinity: u = y, then v = y, then the n-1 Latin squares
 * v = a*u + y, where y is the row in its square.  Two lines of one square meet at
 * infinity; lines of two squares meet where a*u + y = b*u + z, in one u. */
#include "moore/math.h"

/* Returns the affine point of line y of square s in column u. */
static uint32_t
affine_point(const struct moore_gf *f, uint32_t s, uint32_t y, uint32_t u)
{
	const uint32_t n = f->q;

	if (s == 0)
		return y * n + u;
	return u * n + moore_gf_add(f, moore_gf_mul(f, s - 1, u), y);
}

void
moore_plane_lines(const struct moore_gf *f, uint32_t *out)
{
	const uint32_t n = f->q;

	for (uint32_t i = 0; i <= n; i++)
		*out++ = n * n + i;
	for (uint32_t s = 0; s <= n; s++) {
		for (uint32_t y = 0; y < n; y++) {
			*out++ = n * n + s;
			for (uint32_t u = 0; u < n; u++)
				*out++ = affine_point(f, s, y, u);
		}
	}
}
