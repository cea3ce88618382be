/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* tuning.h - every constant of routing that was found by experiment.
 *
 * Each entry says what the constant trades, the command that judges it, and what other values
 * give at other sizes.  Unless said otherwise figures are for LMC 2, any-sl, valiant3; *load*
 * is greatest over mean, all offsets together; *covered* is the share of pairs at distance
 * two with a detour; *overlap* and *cross* are the shares of full rate under these patterns.
 * The commands are
 *
 *	layers	build/tests/bench/layers 'slimfly q=13 p=9' 'oft k=6' ...
 *	worst	moorectl quality PLAN --lmc 2 --pattern worst
 *	stable	make bench-stability
 *
 * Bounds that arithmetic needs (sums that must fit 64 bits) stand where they are used. */
#ifndef MOORE_ROUTE_TUNING_H
#define MOORE_ROUTE_TUNING_H

/* ---- turns ---------------------------------------------------------------------- */

/* Other turns are taken where the fullest link has at most so many percent of its load with the present
 * ones: the order by distance from one switch (order.c) for the other order, and the order for colours.
 * (`moorectl quality PLAN --lmc 2 --pattern worst`)  Of 13 graphs of 20 to 240 switches, the order by
 * distance has 30 to 69 % on PolarStar q=3 d=3, LPS(3,5) and fattree3 k=6, where the worst case has 11.1
 * for 4.0 % of full rate, 1.0 for 0.8 and 57 for 11; on those with 79 to 97 % (tori, Jellyfish, Xpander,
 * rings with shortcuts) it falls on some and rises on others.  The order has 38, 44 and 68 % of what
 * colours have on MYRICLOS n=256 and n=512 and LPS(3,5), where the worst case has 60 for 25 % of full
 * rate, 50 for 10 and 1.4 for 1.0; on other graphs with colours and routes of three hops it has 95 % and
 * more. */
#define MOORE_TURNS_EVENER 75

/* Rounds of the local search for halves (halves.c): time against evenness.  (layers)  One
 * round is enough on OFT k=4, 6, 8 and MLFM h=4, 6, 10, 15: the tables of 1, 16 and 64 rounds
 * are alike.  On OFT k=12 load is 1.55 after one round and 1.53 after 16 or 64. */
#define MOORE_HALVES_ROUNDS 16

/* The search for ranks beside middle switches (middle_ranks.c): any seed. */
#define MOORE_MIDDLES_SEED 1
/* Steps for each directed link, but no more than look at so many turns: time.  From OFT k=12
 * on, the number of turns decides.  (layers starts=2)  With 128 steps the least share of k=5, 6 and 8 is
 * 44.3, 45.8 and 44.5 %, with 32 45.7, 44.7 and 44.3. */
#define MOORE_MIDDLES_TRIES 32
#define MOORE_MIDDLES_WORK ((uint64_t)1 << 26)
/* No search where a table for it would take more (OFT k=33 and above): memory. */
#define MOORE_MIDDLES_BYTES ((uint64_t)64 << 20)
/* What a pair of switches costs (middle_detours.c): so many times more with each first or last link less;
 * without a detour so many times what the most links cost, and e to the power of FALL less when
 * half of all detours are allowed.  (layers starts=2)  Least share of full rate:
 *
 *	COST, FALL	OFT k=5	k=8	k=10
 *	0		42.6	39.3	38.1
 *	1700, 4		45.7	44.3	42.9
 *	7000, 4		39.9	44.3	43.5
 *	7000, 6		45.9	43.7	43.3
 *	30000, 4	39.9	43.8	43.4 */
#define MOORE_LINKS_FALL 4
#define MOORE_DETOURS_COST 1700
#define MOORE_DETOURS_FALL 4

/* Of so many turns of a middle switch from one column to the other one is an entry turn (entry_turns.c), and by
 * which numbers they are drawn: of six seeds all are as good. */
#define MOORE_ENTRY_SIDES 5
#define MOORE_ENTRY_SEED 4
/* Columns of fewer switches have none.  (layers starts=1 order=1 to 8)  Least share of full rate with entry turns
 * and without: h=3 33.3 to 44.4 and 42.6 to 47.5 %; h=4 39.9 to 45.4 and 38.0 to 43.8, with eight LIDs 41.6 to
 * 50.0 and 41.5 to 44.7. */
#define MOORE_ENTRY_LEAST 4
/* The search for numbers of pairs of columns (pair_ranks.c).  Of 45 seeds, several are as good; which is
 * best differs with h. */
#define MOORE_PAIRS_SEED 4
/* What one unit of room more leaves of the cost of a pair, in parts of 256: exp(-1.2). */
#define MOORE_PAIRS_FALL 77
/* Changes for each pair. */
#define MOORE_PAIRS_TRIES 100
/* What classes can send (pair_share.c): rounds, and how slowly weights change.  With 200 and 8 the
 * share is 0.5 % of full rate below that of 1,000 rounds at most, and with 4 as much lower. */
#define MOORE_PAIRS_ROUNDS 200
#define MOORE_PAIRS_CALM 8
/* Bad permutations of columns (pair_cuts.c): rounds, permutations sought in each, those that are kept
 * beside the shifts, and changes for each pair in each round: time against the worst case.  (layers
 * lmc=3 starts=1)  Least share of full rate with 12 rounds of 60 changes, 12 of 120 and 24 of 120:
 * h=11 43.5, 43.8, 44.2; h=12 44.1, 44.3, 44.6; h=13 43.3, 44.3, 44.4; h=14 44.0, 43.9, 43.9.  With
 * 8 permutations, or 120 that are kept, the search carries as much. */
#define MOORE_PAIRS_CUT_ROUNDS 18
#define MOORE_PAIRS_WORST 4
#define MOORE_PAIRS_CUTS 48
#define MOORE_PAIRS_CUT_TRIES 120
/* How the price of a permutation falls, in parts of 256, with each eighth of a link that all columns
 * together can send more by it. */
#define MOORE_PAIRS_CUT_FALL 150
/* So many parts of 128 of what columns can send by a shift have to be as much as they can send by
 * the permutations that are sought: shifts are patterns of their own. */
#define MOORE_PAIRS_SHIFT_PART 112
/* No round begins after rounds times the fourth power of the columns were so many: time on large
 * fabrics.  At h=20 all begin, at h=30 four, from h=46 on none. */
#define MOORE_PAIRS_CUT_WORK ((uint64_t)1 << 22)

/* The search for ranks (rank_search.c).  The seed is not "any": this one leaves every pair at
 * distance two of Slim Fly q=3, 4 and 5 a detour, but four of 8 others leave one or two pairs
 * of q=4 without (build/tests/unit/test_colours). */
#define MOORE_RANK_SEED 20
/* What one first link more leaves of the worth of a pair, in percent: exp(-0.8). */
#define MOORE_RANK_WORTH 45
/* Sweeps over all edges: time against links.  First links of a pair on average, and the least,
 * after 1, 5 and 10 sweeps: Slim Fly q=7 6.5 and 2, 7.1 and 3, 7.2 and 3; q=11 10.2 and 5,
 * 11.2 and 6, 11.3 and 6. */
#define MOORE_RANK_SWEEPS 10
/* No sweep is made where all of them would look at more counts than this: ten sweeps of Slim Fly q=19 look
 * at 3.5e8, of q=23 at 9e8.  With so many links, a pair has first links enough by random ranks.  (layers
 * starts=0)  Least share of full rate, and load, without a sweep and with as many as take 0.2 s: q=23 p=11
 * 55.3 1.31, 57.6 1.31 (four sweeps); q=25 p=9 65.8 1.29, 67.1 1.21; q=27 p=7 78.2 1.35, 83.7 1.27 (two
 * sweeps). */
#define MOORE_RANK_WORK ((uint64_t)360 << 20)

/* The price of a link that joins parts of the spanning tree (spanning.c) is its colours'
 * distance from the middle, which costs turns, plus this much for each hop of depth of either
 * end: a deep tree makes routes of the last resort long.  (stable)  When a fifth of all links
 * is lost, the longest route has 21, 29, 22, 20 and 16 hops with 0 (Slim Fly q=5, 7, 9, OFT
 * k=6, MLFM h=6), 18, 21, 18, 14 and 14 with 4, and 19, 21, 15, 14 and 14 with 16. */
#define MOORE_SPANNING_DEPTH 4

/* Where edges of the spanning tree keep ranks close to their colours (spanning_close.c), one hop of
 * depth costs as much as a change of rank by the span of all colours over this: long last resorts
 * and multicast trees against turns. */
#define MOORE_SPANNING_HOP 32

/* Profile one-vl: a switch takes so many children in the spanning tree before others take more
 * (spanning.c).  (`moorectl quality PLAN --profile one-vl`)  Load with 2 and 3: Slim Fly q=5 1.58,
 * 1.96; q=7 1.79, 1.95; q=9 1.64, 1.90; MLFM h=12 1.77, 3.15. */
#define MOORE_SPANNING_KIDS 2

/* ---- one tree ------------------------------------------------------------------- */

/* How often nodes that a tree does not reach may follow the spanning tree alone, before all
 * nodes follow it (tree_follow.c): time against length.  (stable)  When a fifth of all links
 * is lost, 16 gives the tables of 4 in Slim Fly q=5, 7, 9, OFT k=6, MLFM h=6 and a dragonfly;
 * with 1 routes are up to 1 % longer (OFT k=6). */
#define MOORE_FOLLOW_TRIES 4

/* A mended tree of a layer that needs more steps than this to be undone is mended again in other
 * orders, so often at most (fill_repair.c): time against steps.
 * (build/tests/bench/motion slimfly q=8 2 60 3)  With 0, 8 and 16 orders 7, 0 and 0 of 60 repairs
 * take more than 4 steps there, at q=7 6, 0 and 0 of 60, and at q=5 6, 5 and 5 of 175. */
#define MOORE_MEND_STEPS 3
#define MOORE_MEND_DRAWS 16

/* ---- minimal trees ----------------------------------------------------------------- */

/* Rounds of the local search over leaves, in each slice (balance.c): time against load.
 * (layers)  Load with 1, 3 and 10: Slim Fly q=7 1.21, 1.15, 1.16; q=11 1.21, 1.19, 1.21; q=13
 * 1.20, 1.17, 1.17; MLFM h=15 1.38, 1.30, 1.37; no change at q=5 and on OFT k=4 to 12. */
#define MOORE_BALANCE_ROUNDS 3

/* ---- non-minimal layers -------------------------------------------------------------- */

/* Into how many strands the roots of a slice are divided (layers.c, hint_layer.c): processors that can
 * build trees side by side against what a tree does not know of those of other strands.  (layers)
 * Load with 4, 8 and 16: Slim Fly q=5 1.36, 1.36, 1.37; q=7 1.26, 1.23, 1.26; q=11 and q=13 p=9
 * 1.20 and 1.19 with each.  The least share of the worst case differs without a trend: q=8 33,
 * 40, 29 %; q=13 40 % with each.  (layers profile=sl-hint starts=0)  Load, and the least share, with 5, 6
 * and 8: q=7 p=5 1.32 60.7, 1.32 60.6, 1.32 60.5; q=8 1.25 43.7, 1.26 43.4, 1.26 43.2; q=9 1.21 47.2,
 * 1.21 47.6, 1.21 47.6; q=11 1.35 50.0, 1.34 49.9, 1.35 50.4; q=13 1.26 50.6, 1.24 50.4, 1.28 49.8. */
#define MOORE_STRANDS 8

/* Variants of a layer where some switches have no endpoints, and either those are middle switches or
 * those with endpoints are not all near (columns.c): MOORE_TREES_OF_LAYER over the number of switches,
 * within these bounds.  (layers)  OFT k=12 and MLFM h=15 gain nothing from 2048 trees: 1.57 and 1.38
 * instead of 1.53 and 1.30. */
#define MOORE_TREES_OF_LAYER 1024
#define MOORE_MIN_VARIANTS 2
#define MOORE_MAX_VARIANTS 4
/* Elsewhere each host of a switch has trees of its own, as long as those of all offsets have at
 * most so many nodes: time (some 60 ns for each) against quality.  Slim Fly q=13 p=9 has 4.1e6 at LMC 2,
 * q=25 p=9 5.6e7. */
#define MOORE_TREE_NODES ((uint64_t)1 << 27)
/* The same with two offsets, and the trees that each root has there at least, if it has as many hosts.  So
 * q=19 p=14 has trees for all hosts, q=23 p=17 seven, and from q=25 on a root has six: q=25 p=19 at LMC 1
 * has nearly all LIDs that there are.  (layers lmc=1 starts=0; with all relays, see MOORE_RELAY_OFFERS)  Load,
 * the least share of full rate %, and coverage %, by the trees of each root: q=25 p=19 19 1.30, 7.7, 92; 10
 * 1.27, 6.8, 92; 6 1.32, 5.3, 87; 5 1.30, 4.8, 85.  q=23 p=17 17 1.32, 8.1, 91; 14 1.28, 7.4, 91; 7 1.31,
 * 6.1, 88.  q=27 p=15 8 1.30, 7.5, 90; 6 1.32, 7.7, 88; 3 1.61, 4.0, 75.  q=31 p=11 11 1.29, 11.0, 93; 6
 * 1.39, 7.8, 88; 5 1.41, 7.1, 86.  Six trees of q=25 p=19 take half of the time of 19 in all.
 * (the same, profile=sl-hint)  q=25 p=19 19 1.35, 9.1, 96; 6 1.41, 10.6, 90, in two thirds of the time.
 * q=23 p=17 17 1.42, 10.0, 95; 7 1.46, 11.1, 92.  q=27 p=15 15 1.66, 6.6, 95; 6 1.73, 5.2, 93. */
#define MOORE_TREE_NODES_ONE_LAYER ((uint64_t)1 << 24)
#define MOORE_TREES_ONE_LAYER 6

/* The least number of shares that the root's neighbours are divided into (layer_grow.c); one
 * share is out of service in each layer.  Fewer shares give more detours and less choice for
 * the others.  (layers)  There are as many shares as layers, so at LMC 2 a least of 2 changes
 * nothing.  With 4, neighbours covered and load: Slim Fly q=5 95.8 % for 98.6 %, 1.29 for
 * 1.20; q=9 99.6 % for 100 %, 1.11 for 1.13; q=13 1.22 for 1.17; OFT k=12 1.61 for 1.53. */
#define MOORE_MIN_SHARES 3

/* The price of using a first or last link again is that of a mean load, times the square of
 * the links at a switch, over this (layers.c).  A smaller divisor serves the worst patterns
 * better and loads less evenly.  (layers, worst)  Used where layers have no gates; figures of
 * Slim Fly are of trees without them.
 *
 *	Slim Fly	q=5	q=7	q=9	q=11	q=13
 *	90: load	1.25	1.27	1.25	1.33	1.31
 *	    overlap %	40.2	57.0	50.0	40.0	40.0
 *	    cross %	46.2	49.9	38.4	22.4	38.7
 *	361: load	1.20	1.15	1.13	1.19	1.17
 *	    overlap %	39.6	55.0	49.6	39.5	39.3
 *	    cross %	45.8	49.8	38.4	20.8	33.3
 *	1444: load	1.22	1.17	1.09	1.13	1.14
 *	    overlap %	39.4	52.8	48.1	37.3	37.7
 *	    cross %	44.5	42.9	37.0	18.0	25.0
 *
 * On OFT k=4 to 12 load changes by less than 0.05 between these, on MLFM h=15 it is 1.57,
 * 1.30 and 1.23. */
#define MOORE_AGAIN 361
/* Gates of a tree (layer_gates.c), but at most half of the root's neighbours: more gates give
 * more detours of three hops, fewer give a pair more first links for each last.  (layers)
 * Load with 3 and 4: Slim Fly q=7 1.17, 1.15; q=13 p=4 1.27, 1.19.  With 4 of the 7 neighbours
 * at q=5 only 99.7 % of the pairs are covered; with 3, all. */
#define MOORE_GATES 4
/* With few trees, a tree has more gates: the links over HOPS times the trees of a root.  A gate of G
 * carries one part in G of the sources, and the mean link that many parts of each tree; so no gate
 * of one tree alone stands out.  (`moorectl ethernet emit PLAN --ipv4 10.0.0.0/8 --sample 1`: four
 * trees)  Load of Slim Fly q=37 and 47 with 4 gates 3.10 and 3.37; with HOPS 2, 2.69 and 2.30; with
 * HOPS 1, 2.26 and 2.12, and fewer routes of three hops: 48 % of all at q=47 instead of 53 %.
 * Where several hosts share a tree, the trees of a root have a gate for each of its links together. */
#define MOORE_GATE_HOPS 2
/* A relay (layer_gates.c) has to serve so many percent of its neighbours at mean prices; the
 * lower limits apply only when no switch meets those before.  Fewer relays give more detours,
 * more relays give each switch a choice among them.  (layers, starts=0)  Load, and the least
 * share of full rate for a single pair and at distance two:
 *
 *	Slim Fly	q=5 p=4, were they to apply	q=7		q=9
 *	110, 75, 50	1.19, 33.3, 47.0	1.26, 50.0, 58.7	1.24, 66.5, 53.4
 *	90, 70, 50	1.17, 25.0, 45.7	1.23, 33.3, 59.0	1.20, 59.9, 53.5
 *	100, 66, 44	1.20, 33.3, 44.3	1.25, 50.0, 58.9	1.26, 59.9, 52.8
 *	100, 70, 40	1.17, 33.3, 45.6	1.27, 50.0, 58.2	1.24, 59.9, 50.9
 *
 * With 100, 75, 50 one pair of q=5 p=4 has no detour. */
#define MOORE_RELAY_PERCENT { 110, 75, 50 }
/* These limits apply where a root has links for all gates, and so many trees for each 100 links
 * of a switch.  With fewer trees, the links of few relays stand out.  (layers)  Load, and the least
 * share of full rate, with limits and without, by trees for each 100 links: Slim Fly q=9 p=6 (138)
 * has them; q=23 (94) 1.32, 54.8 with them; q=7 p=3 (82) 1.40, 66.5 and 1.29, 49.9; q=13 p=5 (79)
 * 1.40, 76.8 and 1.18, 69.6; q=25 p=9 (73) 1.38, 71.4 and 1.24, 66.0; q=11 p=4 (71) 1.42, 81.4
 * and 1.21, 58.3. */
#define MOORE_RELAY_TREES 90
/* Where several LIDs share a tree, it has so many relays that a switch has this many beside it on average: with
 * fewer, more switches take detours, and trees are made sooner; with more, each has more of a choice.  (layers
 * lmc=1 starts=0)  Least share of full rate, coverage and load:
 *
 *	Slim Fly	q=23 p=17		q=25 p=19		q=27 p=15
 *	2.5		6.7 92.7 1.36		5.9 93.1 1.29		7.7 93.8 1.36
 *	3		6.6 91.3 1.33		5.6 91.7 1.29		7.7 92.5 1.29
 *	3.5		6.3 90.1 1.32		5.3 90.3 1.28		7.7 91.3 1.34
 *	all		6.1 88.5 1.31		5.3 87.4 1.32		7.7 88.2 1.32
 *
 * All are 6.2 at q=25.  With 3 and all, q=29 p=13 has 7.9 92.9 1.27 and 6.9 87.4 1.28, q=31 p=11 9.0 93.5 1.37
 * and 8.2 88.5 1.39. */
#define MOORE_RELAY_OFFERS 3
/* How often other gates are tried in the last layer while some pair has no detour.  With none,
 * one pair of Slim Fly q=7 and two of q=9 are left; with 8, none of q=5, 7, 9, 11, 13. */
#define MOORE_GATE_TRIES 8
/* With gates, to use a first or last link again costs the price of a mean load over this: the
 * worst case against load.  (layers)  Load, and the least share of full rate in percent, with 4
 * strands and without limits for relays:
 *
 *	Slim Fly	q=5		q=7		q=8		q=11		q=13 p=9
 *	8		1.33, 43.2	1.18, 30.7	1.20, 29.4	1.11, 25.6	1.11, 35.2
 *	4		1.35, 44.4	1.19, 34.9	1.21, 37.6	1.14, 28.5	1.14, 37.4
 *	2		1.36, 45.5	1.26, 36.8	1.24, 33.3	1.20, 29.4	1.19, 40.2 */
#define MOORE_AGAIN_PART 2
/* And so many times more within a variant, whose trees serve the same hosts.  Load with 1
 * instead of 3: Slim Fly q=5 1.24 for 1.25, q=7 1.16 for 1.17, q=13 p=4 1.27 for 1.27. */
#define MOORE_AGAIN_OWN 3

/* When all trees stand (layer_revise.c), a link with a mean load costs as much as so many other routes
 * of the pair over it: even loads against links that a pair's routes share.  _LINES: where the graph
 * has lines (turns/middles.h), so that detours have four hops.  (layers starts=2)  Least share of full
 * rate, and load:
 *
 *		Slim Fly q=5 p=4	q=7 p=5		q=8 p=6		q=9 p=6
 *	1	43.0 1.19		53.1 1.20	48.9 1.20	53.0 1.15
 *	2	39.3 1.15		51.4 1.16	42.6 1.14	50.1 1.11
 *
 *		OFT k=5			k=6		k=8		k=9
 *	1	43.9 1.40		44.4 1.38	42.3 1.39	42.4 1.48
 *	2	42.5 1.29		43.7 1.26	45.4 1.29	42.5 1.34
 *	3	42.2 1.27		45.0 1.20	42.6 1.23	42.7 1.29 */
#define MOORE_REVISE_LOAD 1
#define MOORE_REVISE_LOAD_LINES 2
/* A leaf stays where its route costs no more than so many other routes of the pair over one link: a
 * greater bound saves time, a smaller one leaves fewer links that a pair's routes share.  (layers
 * starts=1)  Least share with 0, 6, 7 and 8 at q=9 p=6: 53.5, 54.1, 52.6 and 50.4 %; with 6, 40 % of
 * the leaves stay.  With lines 8 to 12 carry as much as 0 at k=5 to 8. */
#define MOORE_REVISE_ENOUGH 6
#define MOORE_REVISE_ENOUGH_LINES 8
/* Where the trees, times the links of switches with endpoints, are more than _WORK, a leaf stays where its
 * route costs no more than so many other routes for each layer, so that fewer leaves move: to look at all
 * links of a leaf takes some 60 ns, to move it as much again.  A leaf that moves takes its cheapest link then,
 * elsewhere the first that is cheap enough.  With one layer, or with lines, all leaves stay.  At LMC 2 Slim
 * Fly q=11 p=8 has 2.4e7, q=13 p=9 5.9e7 and q=19 p=14 6.4e8; OFT k=14 7.9e7 and k=17 2.6e8.  (layers; engine)
 * Least share when all stay, and with 3 for each layer: q=13 43.3, 45.8, q=16 40.4, 45.1, q=17 40.1, 43.7,
 * q=19 38.3, 42.5 %; time 1.2 to 1.3 times as long.  With twice _WORK, q=13 has 50 % in 1.6 times the
 * time.  One layer gains nothing from q=17 on.  OFT k=14 has 41.2 % for 39.7 by it; k=17 and k=18 have 42 %
 * without. */
#define MOORE_REVISE_ENOUGH_LAYER 3
#define MOORE_REVISE_WORK ((uint64_t)1 << 25)
#define MOORE_REVISE_WORK_LINES ((uint64_t)1 << 27)

/* What a detour counts more when its first link is not that of the minimal route
 * (note_gains() of layers.c).  (worst)  It makes no difference at q=5; elsewhere neither 0, 1,
 * 2 nor 4 is best at every size: cross is 38.2, 36.7, 38.4, 36.0 % at q=9, 21.6, 19.6, 20.8,
 * 20.4 % at q=11 and 32.5, 31.4, 33.3, 36.1 % at q=13, overlap differs by 2 points at most. */
#define MOORE_OTHER_FIRST 2

/* With halves, a detour may cost so many times what the minimal route does, by the third
 * powers of loads (layer_halves.c, layer_leaves.c).  More covers more and is less even.
 * (layers)  Covered % and load:
 *
 *		OFT k=4		k=6		k=8		k=12
 *	2	88.2, 1.28	96.6, 1.65	98.7, 2.03	99.6, 1.61
 *	4	90.7, 1.51	96.8, 1.69	99.0, 1.92	99.6, 1.53
 *	8	91.8, 1.78	96.8, 2.08	99.0, 2.16	99.6, 1.89
 *		MLFM h=4	h=6		h=10		h=15
 *	2	83.8, 1.16	87.7, 1.15	91.8, 1.35	94.9, 1.31
 *	4	98.9, 1.42	98.1, 1.33	99.1, 1.22	99.9, 1.30
 *	8	100, 1.80	98.9, 1.60	99.9, 1.45	100, 1.39 */
#define MOORE_DETOUR_WORTH 4

/* Where at most one in so many middle switches joins just two classes, the graph has lines (middles.c).
 * (`moorectl plan permute PLAN --cabinet-size 8 --seed 3 --fraction F`, quality at LMC 2)  Routes that share no
 * link, load and coverage of permuted plans with halves and with lines: OFT k=6 F=0.1 2.27, 1.93, 94.4 % and
 * 2.88, 1.28, 94.2 %; MLFM h=8 F=1 2.53, 1.51, 92.9 % and 3.06, 1.41, 89.4 %; h=7 F=0.05, where most still
 * join two, 2.22, 1.43, 97.4 % and 3.09, 1.80, 91.9 %, which is too few. */
#define MOORE_TWOS_OF_LINES 4

/* At most one in so many planned links is odd where these are set aside (graph/odd_links.c): beyond that they
 * are links enough to share the traffic.  (docs/measurements/layers.md has the command that exchanges the ends
 * of N pairs of cables)  Load and routes of a pair that share no link, as a general graph and set aside:
 *
 *		odd		as a general graph	set aside
 *	OFT k=5	1 in 18		2.86 2.24		1.38 2.64
 *		1 in 13		1.98 2.34		1.42 2.60
 *	OFT k=8	1 in 12		2.13 2.58		1.48 2.95
 *	MLFM h=7	1 in 16		3.11 2.45		1.49 3.00
 *		1 in 12		2.95 2.49		1.58 2.94
 *	MLFM h=10	1 in 16		3.83 2.57		1.56 3.38
 *
 * As a general graph the load falls further with more of them: MLFM h=7 2.22 with one in 8 odd. */
#define MOORE_ODD_LINKS 12

/* Else, where at most one in so many pairs of leaves of two classes share no middle switch, the classes are
 * paired.  (The same, and `quality --pattern worst`)  Least share of full rate, load and such routes with
 * halves and with pairs, F=0.05 and --cabinet-size 7: MLFM h=7 14.3 %, 1.57, 2.21 and 33.3, 1.95, 3.13; h=8
 * 12.5, 1.91, 2.26 and 37.5, 1.66, 3.30. */
#define MOORE_APART_OF_PAIRED 4

/* Trees where the graph has lines (layer_middles.c).  What it costs a switch to begin a route with
 * the same link once more, in all (FIRST) and within a variant (OWN_FIRST), or to end with it
 * (LAST); what a further intermediate costs (NEW), which has no detour itself; what a link of
 * four times the mean load costs in the middle of a detour (TRANSIT); and what a last link of mean
 * load costs (ENDING).  (layers starts=2)  Least share of full rate, and load:
 *
 *	TRANSIT, ENDING	OFT k=6		k=8		k=9
 *	3, 1		45.3 1.49	44.4 1.61	43.5 1.70
 *	6, 0		45.3 1.49	44.1 1.44	43.8 1.39
 *	6, 1		44.7 1.45	44.3 1.44	43.1 1.41
 *	6, 3		44.9 1.43	44.4 1.51	43.5 1.49
 *	12, 1		45.2 1.53	43.5 1.42	42.9 1.39
 *
 * OFT k=12 p=2, which has six trees for each root: load 2.01 with 6, 0 and 1.57 with 6, 1. */
#define MOORE_PRICE_FIRST 1
#define MOORE_PRICE_OWN_FIRST 3
#define MOORE_PRICE_LAST 1
#define MOORE_PRICE_NEW 1
#define MOORE_PRICE_TRANSIT 6
#define MOORE_PRICE_ENDING 1
/* The trees of a root are drawn so often at most, until each switch alone can send it so many percent
 * of what no tables exceed (layer_mdraws.c): time against the worst case.  Few roots need more than one.
 * (layers starts=2)  Least share of full rate:
 *
 *	OFT	k=5	k=6	k=8	k=9
 *	1	45.7	40.0	44.3	43.4
 *	4	45.7	45.4	44.3	43.1
 *	32	45.7	44.7	44.3	43.1 */
#define MOORE_MIDDLES_DRAWS 8
#define MOORE_MIDDLES_ENOUGH 80
/* TRANSIT where classes are paired, where a further intermediate costs nothing. */
#define MOORE_PRICE_TRANSIT_PAIRS 12
/* There, the price of a link to an intermediate for each route of the same root over it.  (layers starts=1)
 * Least share of full rate and load:
 *
 *	OWN	MLFM h=9	h=10		h=12		h=15
 *	0	44.2 1.24	44.0 1.28	43.7 1.33	42.7 1.24
 *	3	46.2 1.26	45.0 1.27	44.7 1.28	45.2 1.26
 *	6	44.3 1.26	46.0 1.29	44.7 1.29	45.1 1.27
 *
 * At LMC 1: h=9 20.0 1.39, 21.9 1.33 and 20.0 1.37; h=15 20.0 1.32, 20.0 1.32 and 16.7 1.35. */
#define MOORE_PRICE_OWN_TRANSIT 3

/* Generations of children that are sent to other parents so that a node can move to a detour
 * (layer_cover.c): in the last layer of a variant DEEP, in those before it SHALLOW.  Coverage
 * against load and time.  (layers)  DEEP 1 covers fewer neighbours (Slim Fly q=5 96.8 % for
 * 98.6 %, q=7 99.8 % for 100 %); 3 gives the tables of 2 in all of Slim Fly q=5 to 13.
 * SHALLOW 0 covers 97.8 % at q=5 but loads more evenly: q=9 1.06 for 1.13, q=11 1.12 for 1.19,
 * q=13 1.12 for 1.17. */
#define MOORE_COVER_SHALLOW 1
#define MOORE_COVER_DEEP 2

/* ---- kept trees -------------------------------------------------------------------------- */

/* Trees of an intended graph that take more are not kept (grown.c): memory against time after a
 * cut.  (build/tests/bench/engine)  Slim Fly q=13 p=9 takes 5 MiB at LMC 2, and q=25 p=19 at LMC 1,
 * which has nearly all LIDs that there are, 65. */
#define MOORE_GROWN_BYTES ((size_t)128 << 20)

/* ---- profile sl-hint ------------------------------------------------------------------- */

/* Rounds over all trees when the neighbour of each root is chosen (hint_plan.c).  (layers)
 * The tables of 3, 12 and 30 rounds are alike in all of Slim Fly q=5 to 13, OFT k=4 to 12,
 * MLFM h=4 to 15, a dragonfly and a ring with shortcuts: it ends before. */
#define MOORE_HINT_ROUNDS 12

/* How much dearer a way over a neighbour of the root is, for each recent[] of that neighbour
 * (hint_serve.c).  (layers profile=sl-hint starts=1)  Least share of full rate %, with 0, 1, 2
 * and 4: q=5 p=4 45.9, 45.4, 45.4, 45.4; q=7 50.0, 54.6, 54.4, 55.0; q=8 43.9, 43.5, 43.7, 43.8; q=9
 * 33.3, 52.3, 52.8, 52.3; q=11 25.0, 48.3, 48.0, 47.9; q=13 25.0, 49.3, 48.9 with 0, 1 and 2. */
#define MOORE_HINT_RECENT 2

/* A detour of four hops prefers a window of one in so many first links, another one in each layer
 * (hint_grow.c).  (layers profile=sl-hint starts=1)  Least share of full rate with 4, 6 and 8:
 * Slim Fly q=7 54.8, 54.4, 54.4; q=8 43.7 with each; q=9 52.6, 52.8, 53.0; q=11 48.1, 48.0, 48.0.  With
 * 6, four hops being taken in one layer of three, of two, and in two of three: q=7 53.5, 55.7, 54.4;
 * q=8 34.3, 43.5, 43.7; q=9 47.9, 52.8, 52.8; q=11 44.4, 48.0, 48.0; overlap at q=16 29.8, 37.7, 41.9. */
#define MOORE_HINT_WINDOWS 6

/* Choices for the switch two hops before the root in kinds of four hops (hint_grow.c).
 * (layers)  More choices even the load and cover more neighbours; fewer let more neighbours
 * go straight.  Under inr, with 1, 2, 3 and 4: load at q=5 1.15, 1.14, 1.13, 1.11; at q=9 1.25, 1.17,
 * 1.18, 1.17; at q=13 1.30, 1.26, 1.22, 1.21; routes of four hops at q=5 41.2, 47.9, 43.4, 35.5 %, at
 * q=9 42.4, 54.8, 57.4, 55.8 %, at q=13 41.8, 56.0, 61.2, 62.5 %. */
#define MOORE_HINT_BEFORE 3

/* ---- profile one-vl --------------------------------------------------------------------- */

/* The search for a sequence of all edges (sequence.c).  (`moorectl quality PLAN --profile
 * one-vl`)  Each figure is the share of longer routes and the greatest load over the mean.  The
 * best choice differs from size to size, by about a percent and a fifth of the load. */
/* The power of each try (sequence.h): the tries end when the greatest load is at most EVEN percent
 * of the mean; otherwise the least one is taken.  Two tries of each power, as the loads of single
 * searches are spread widely.  All tries with power 1, 2, 3 and 4: Slim Fly q=5 24.7 % 1.44, 28.2 %
 * 1.48, 29.0 % 1.39, 36.2 % 6.00; q=7 20.8 % 1.40, 23.0 % 1.38, 24.5 % 1.44, 27.2 % 1.26; q=9 24.8 %
 * 1.60, 26.8 % 1.44, 29.1 % 1.31, 30.2 % 1.22; q=11 23.2 % 2.18, 24.5 % 1.65, 26.0 % 1.45, 28.2 %
 * 1.31; q=13 26.0 % 2.32, 27.3 % 1.68, 28.3 % 1.44, 29.5 % 1.43. */
#define MOORE_SEQUENCE_POWERS { 1, 1, 2, 2, 3, 3, 4, 4 }
#define MOORE_SEQUENCE_EVEN 150
/* Each edge is moved so many times.  200, 500, 1000: Slim Fly q=5 25.3 % 1.44, 24.7 % 1.44, 24.5 %
 * 1.40; q=7 23.7 % 1.44, 20.8 % 1.40, 20.4 % 1.43; q=9 is bound by WORK. */
#define MOORE_SEQUENCE_ROUNDS 500
/* Or less often, so that about so many pairs of edges are looked at: time.  It is about a second
 * at most. */
#define MOORE_SEQUENCE_WORK ((uint64_t)1 << 26)
/* What a move may waste at first and at last, in hundredths of a mean turn.  HOT 150, 250, 400:
 * q=5 24.7 % 1.44, 24.9 % 1.46, 24.8 % 1.47; q=9 27.3 % 1.33, 27.3 % 1.26, 25.0 % 1.45; hypercube
 * n=6 3.9 % 1.46, -, 5.3 % 1.51; dragonfly a=4 h=2 21.0 % 1.69, -, 20.9 % 1.91. */
#define MOORE_SEQUENCE_HOT 150
#define MOORE_SEQUENCE_COLD 50
/* The worth of a turn of the spanning tree, in mean turns: more than all turns of an edge. */
#define MOORE_SEQUENCE_TREE 100000
/* A turn on no minimal route weighs so many times less than the mean. */
#define MOORE_SEQUENCE_IDLE_TURN 64
/* A turn is worth so many times its weight more for each of its sides of which one part in SHARE
 * goes backward; the power counts where it is another part.  SHARE is about the mean. */
#define MOORE_SEQUENCE_LACK 2
#define MOORE_SEQUENCE_SHARE 4

/* When links of the spanning tree are lost (sequence_join.c), at most TRIES links that join its parts
 * are tried in full, fewer where there is much to join: about so many turns are looked at as WORK
 * says, and in each try LOOKS edges.  (moorectl quality --profile one-vl, every cut of a single link)
 * Greatest load with TRIES 1, 8 and 32: Slim Fly q=5 1.84, 1.77, 1.62; OFT k=6 4.92, 2.72, 2.72; MLFM
 * h=6 4.43, 1.74, 1.74.  With LOOKS 0, OFT k=6 4.92, MLFM h=6 2.73; 500, 1000 and 8000 are alike, and
 * 65, 69 and 133 ms for a cut of Slim Fly q=13. */
#define MOORE_JOIN_TRIES 32
#define MOORE_JOIN_WORK ((uint64_t)1 << 24)
#define MOORE_JOIN_LOOKS 1000
/* What a turn is worth then: so much more if it was allowed before, and if it is a minimal route of two
 * switches with endpoints. */
#define MOORE_JOIN_ALLOWED 4
#define MOORE_JOIN_MINIMAL 16

/* relieve.c moves routes off edges of more than RELIEF percent of the mean load, and lengthens
 * routes over edges of more than RELIEF_LONGER percent.  LONGER 130, 145, never: q=5 25.3 % 1.42,
 * 24.7 % 1.44, 27.8 % 1.31; q=11 26.1 % 1.38, 26.0 % 1.45, 27.4 % 1.38.  Without relief: q=5 27.8 %
 * 1.40, q=11 26.0 % 1.77. */
#define MOORE_RELIEF 110
#define MOORE_RELIEF_LONGER 145
/* After a repair, routes that it has left alone move off edges of more than KEPT percent only.
 * (as above)  Greatest load, and blocks that change, with KEPT 140, 150
 * and without relief: Slim Fly q=5 1.62 47.9, 1.60 36.4, 2.17 33.3; MLFM h=6 1.74 32.7, 1.74 28.6,
 * 1.95 22.7. */
#define MOORE_RELIEF_KEPT 150
/* At most so many rounds of either kind: time.  With 4, load at q=5 is 1.47 instead of 1.44. */
#define MOORE_RELIEF_ROUNDS 12

/* ---- multicast ------------------------------------------------------------------------- */

/* The root of a group may be farther from the members than the nearest by one link for so many
 * of them (mcast.c): more spreads groups and makes trees larger.  (build/tests/unit/test_mcast)
 * OFT k=6, groups of four, through the busiest switch: 0.23 of all groups, 0.39 with any root
 * above the members. */
#define MOORE_MCAST_SLACK 4

#endif
