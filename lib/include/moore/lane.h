/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* moore/lane.h - the SL-to-VL tables of both profiles.
 *
 * Profile any-sl: the VL shows where a packet came from.  It depends only on the roles of
 * the ports, so it does not change with the routes.  Each class of service has a pair of
 * VLs: packets of class c use VL 2c from endpoints and port 0, and VL 2c+1 from switches.
 * So every mask keeps the two apart (docs/theory.md, "Classes").
 *
 * A packet that takes an *entry turn* counts as one from an endpoint: only packets that have just left
 * their own switch's endpoints take such a turn (docs/theory.md, "Entry turns").  The routes say which
 * turns these are, moore_route_entries(): entry[f->sw[s].port0 + p] is a number below MOORE_N_SIDES, and
 * the turn from port p to port q is an entry turn if the numbers of the two differ in the last bit alone
 * and are not 0 or 1.  NULL stands for none.
 *
 * Profile sl-hint: the VL rises where a route turns from down to up in an order of the
 * switches.  An SL2VL table does not know the VL that a packet is on, so the SL names one
 * of four tables, each correct for most routes (docs/theory.md, section 7), and one of four
 * classes: SL = 4 * class + table, on the same pairs of VLs. */
#ifndef MOORE_LANE_H
#define MOORE_LANE_H

#include "base.h"
#include "profile.h"
#include "tables.h"

MOORE_BEGIN

#define MOORE_CLASS_MAX 6	/* VL 15 carries no data, so class 7 would have one VL */

struct moore_lane_opts {
	uint8_t sl_class[MOORE_N_SL];	/* class of each SL, 0..MOORE_CLASS_MAX */
};

#define MOORE_N_SIDES 16	/* numbers of ports in entry turns, with 0 and 1 */

/* Whether turns between two ports with these numbers are entry turns. */
static inline bool
moore_lane_enters(uint8_t in, uint8_t out)
{
	return in && (in ^ out) == 1;
}

/* The role of port in of s as far as lanes of packets go that leave by port out. */
static inline enum moore_role
moore_lane_role(const struct moore_fabric *f, const uint8_t *entry, moore_swid s, moore_portnum in,
		moore_portnum out)
{
	const size_t at = f->sw[s].port0;

	return entry && moore_lane_enters(entry[at + in], entry[at + out]) ? MOORE_ROLE_ENDPOINT :
		(enum moore_role)f->port[at + in].role;
}

/* The VL of an SL for packets that enter by a port of this role. */
static inline uint8_t
moore_lane_any_sl(const struct moore_lane_opts *o, enum moore_role in, uint8_t sl)
{
	return (uint8_t)(2 * o->sl_class[sl] + (in == MOORE_ROLE_SWITCH));
}

/* Returns the number of lanes (2, 4, 8 or 15) with which each class has a pair of its own. */
MOORE_API uint8_t moore_lane_needed(const struct moore_lane_opts *o);
/* Returns the VLs in use (bit v: VL v) on a port with that many lanes; classes for which
 * there is no room share pairs. */
MOORE_API uint16_t moore_lane_vls(const struct moore_lane_opts *o, uint8_t lanes);
/* Makes the tables as the hardware will apply them: the rule of any-sl, masked to the lanes
 * of each out port as by moore_lane_mask(), and VL = SL (masked) on a switch that cannot
 * map SLs.  entry may be NULL.  The caller frees *out with moore_sl2vl_free().  -MOORE_ENOMEM;
 * -MOORE_EINVAL as moore_sl2vl_set(). */
MOORE_API int moore_lane_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
				   const struct moore_lane_opts *o, const uint8_t *entry,
				   struct moore_err *err);

/* ---- profile sl-hint ------------------------------------------------------- */

/* moore.conf allows no higher classes; if set otherwise, they count as the last one. */
enum { MOORE_HINT_CLASSES = MOORE_N_SL / MOORE_N_HINTS };

/* The class that a request for an SL (a partition, a QoS policy, a path query) means. */
static inline uint8_t
moore_lane_hint_class(const struct moore_lane_opts *o, uint8_t asked)
{
	uint8_t c = o->sl_class[asked % MOORE_N_SL];

	return c < MOORE_HINT_CLASSES ? c : MOORE_HINT_CLASSES - 1;
}

/* The SL of a path record.  `right` is the set of tables that are correct for the path (bit
 * t; at least one is set).  The SL that was asked for is returned if it is of its own class
 * and its table is correct; else the SL of the first correct table in that class. */
static inline uint8_t
moore_lane_hint_sl(const struct moore_lane_opts *o, uint8_t asked, uint8_t right)
{
	uint8_t c = moore_lane_hint_class(o, asked);

	if (asked / MOORE_N_HINTS == c && right >> asked % MOORE_N_HINTS & 1)
		return asked;
	return (uint8_t)(c * MOORE_N_HINTS + __builtin_ctz(right));
}

/* Returns the classes in use (bit c): 0 and those in sl_class[]. */
MOORE_API uint8_t moore_lane_hint_classes(const struct moore_lane_opts *o);

/* True if the SL is correct for every route without a turn from down to up, whatever the
 * lanes of its links.  Multicast groups use such SLs. */
MOORE_API bool moore_lane_hint_group(const struct moore_lane_opts *o, uint8_t sl);

/* Returns the row for (in, out) at switch s by the rule of sl-hint, without a mask.  pos[]
 * is the place of each switch in the order, where 0 is the greatest; entry may be NULL.  SLs that
 * are not in use map to VL 15. */
MOORE_API struct moore_sl_row moore_lane_hint_row(const struct moore_fabric *f,
						  const struct moore_lane_opts *o,
						  const uint32_t *pos, const uint8_t *entry,
						  moore_swid s, moore_portnum in,
						  moore_portnum out);

/* Makes all rows as the hardware will apply them, like moore_lane_effective(); without pos (NULL)
 * those of any-sl. */
MOORE_API int moore_lane_hint_effective(struct moore_sl2vl **out, const struct moore_fabric *f,
					const struct moore_lane_opts *o, const uint32_t *pos,
					const uint8_t *entry, struct moore_err *err);

/* Copies the tables in t, which are those of class 0 (SL = table), to every class in use. */
MOORE_API void moore_lane_hint_spread(const struct moore_lane_opts *o, struct moore_sl_set *t);

MOORE_END

#endif
