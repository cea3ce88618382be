/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/profile.h - the words that routing and lanes share: the profiles, the kinds of
 * layers, and the four SL-to-VL tables of profile sl-hint.  docs/theory.md has the
 * proofs. */
#ifndef MOORE_PROFILE_H
#define MOORE_PROFILE_H

#include "base.h"

MOORE_BEGIN

enum moore_profile {
	MOORE_PROFILE_ANY_SL,	/* every SL is safe on every LID */
	MOORE_PROFILE_SL_HINT,	/* LIDs above the base take the SL of a path record */
	MOORE_PROFILE_ONE_VL,	/* every SL is safe on every LID, whatever the SL2VL tables */
};

/* The kinds of detours that the routes to offsets 1 and up take (docs/theory.md, section
 * 4). */
enum moore_layers {
	MOORE_LAYERS_VALIANT3,
	MOORE_LAYERS_NTA,
	MOORE_LAYERS_VALIANT,
	MOORE_LAYERS_INR,
	MOORE_N_LAYERS
};

/* Profile sl-hint: the table decides at which turns a packet is put on VL 1.  A link is
 * up when it leads to the greater of its two switches, else down.  The turns are
 *	A: down-up;
 *	B: down-up, up-up, and the up-down turns that end at a greater switch than they
 *	   began at;
 *	C: down-up, up-up, and the up-down turns that end at a lesser switch;
 *	D: all turns.
 * Where all places are 0, each of the four is D. */
enum moore_hint_table { MOORE_HINT_A, MOORE_HINT_B, MOORE_HINT_C, MOORE_HINT_D, MOORE_N_HINTS };

/* VL (0 or 1) after the turn over the switches from, at and to, which are given by their
 * places in the order: 0 is the greatest switch. */
static inline uint8_t
moore_hint_vl(enum moore_hint_table t, uint32_t from, uint32_t at, uint32_t to)
{
	enum { ALL = 15, B = 1 << MOORE_HINT_B, C = 1 << MOORE_HINT_C, D = 1 << MOORE_HINT_D };
	bool in_up = at < from, out_up = to < at;
	unsigned one = in_up ? (out_up ? B | C | D : to < from ? B | D : C | D) :
		       (out_up || at == from ? ALL : D);

	return one >> t & 1;
}

MOORE_END

#endif
