/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire_impl.h - what the files of lib/wire share: the plan and the fabric, each indexed by
 * switch port. */
#ifndef MOORE_WIRE_IMPL_H
#define MOORE_WIRE_IMPL_H

#include "moore/wire.h"

enum moore_peer_kind { MOORE_PEER_NONE, MOORE_PEER_SWITCH, MOORE_PEER_ENDPOINT };

struct moore_side_peer {	/* the other end of the cable at a switch port */
	uint32_t peer;		/* a switch or endpoint of the same side */
	uint8_t port;		/* its port */
	uint8_t kind;
};

struct moore_side {		/* the plan or the fabric, indexed by switch port */
	const struct moore_plan *p;
	uint32_t *base;		/* port p of switch s is at[base[s] + p - 1] */
	struct moore_side_peer *at;
};

bool moore_side_init(struct moore_side *s, const struct moore_plan *p,
		     const struct moore_seen *seen, struct moore_arena *mem);

static inline const struct moore_side_peer *
moore_side_at(const struct moore_side *s, moore_swid sw, unsigned port)
{
	static const struct moore_side_peer none = { 0 };

	return port && port <= s->p->sw[sw].ports ? &s->at[s->base[sw] + port - 1] : &none;
}

struct moore_match {		/* the matching of observed with planned devices, as it is being
				 * found */
	struct moore_side want, have;	/* planned, observed */
	moore_swid *self, *role;	/* for each observed switch, the planned switch it is, and
					 * the one whose cables it has */
	moore_swid *occupant;		/* for each planned switch, the observed switch with that
					 * role */
	moore_epid *ep;			/* for each observed endpoint, the planned one */
	uint32_t by_guid, by_name;
	uint8_t *mark;			/* for each observed switch, whether it is on the ring
					 * being weighed */
	bool eps_by_place;		/* no endpoint is known by GUID or name */
	moore_epid *stand_in;		/* for each planned endpoint, the unknown one in its place */
	bool image;			/* the names are wrong altogether */
	bool mute;			/* endpoints stayed with the names, and do not vote on
					 * cables */
	struct moore_arena *tmp;
	struct moore_err *err;
};

/* match.c: fills self, then role.  0, or -MOORE_ENOMEM. */
int moore_match_names(struct moore_match *m);
int moore_match_roles(struct moore_match *m);
/* The percentage of observed cables that lead to the switch that the plan wants, at any
 * port; and the percentage below which other roles are looked for, unless all names are
 * wrong. */
uint64_t moore_match_share(const struct moore_match *m, const moore_swid *role);
#define MOORE_MATCH_DOUBT 90
/* image.c: finds roles when the names do not fit at all: an image of the plan found by
 * following ports from one switch; else, if fewer than `doubt` per cent of the cables fit,
 * one found from the graph alone (then *exact is set, and no vote is needed).  Returns
 * false if there is none. */
bool moore_match_image(struct moore_match *m, uint64_t doubt, bool *exact, bool *oom);
/* assign.c: decides which cable becomes which; fills mate on both sides. */
bool moore_wire_assign(struct moore_wire *w);
/* deviate.c: fills w->deviation from everything else. */
bool moore_wire_deviate(struct moore_wire *w);

/* The switch slot that a jack belongs to; MOORE_NONE for an endpoint's jack. */
static inline uint32_t
moore_jack_switch(const struct moore_wire *w, uint32_t jack)
{
	return w->jack[jack].endpoint ? MOORE_NONE : w->jack[jack].slot;
}

#endif
