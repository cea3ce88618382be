/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* tuning.h - every constant of routing that was found by experiment. */
#ifndef MOORE_ROUTE_TUNING_H
#define MOORE_ROUTE_TUNING_H

#define MOORE_FOLLOW_TRIES 4
#define MOORE_MEND_ROWS 2
#define MOORE_HALVES_ROUNDS 16
#define MOORE_SPANNING_DEPTH 4
#define MOORE_COLOUR_SEED 20
#define MOORE_COLOUR_WORK ((uint64_t)1 << 23)
#define MOORE_COLOUR_IDLE 200
#define MOORE_BALANCE_ROUNDS 3
#define MOORE_TREES_OF_LAYER 1024
#define MOORE_MIN_VARIANTS 2
#define MOORE_MAX_VARIANTS 5
#define MOORE_MIN_SHARES 3
#define MOORE_AGAIN 361
#define MOORE_OTHER_FIRST 2
#define MOORE_DETOUR_WORTH 4
#define MOORE_COVER_SHALLOW 1
#define MOORE_COVER_DEEP 2
#define MOORE_HINT_ROUNDS 12
#define MOORE_HINT_BEFORE 3
#define MOORE_HINT_SENSES 3
#define MOORE_MCAST_SLACK 4

#endif
