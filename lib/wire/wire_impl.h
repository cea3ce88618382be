/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* wire_impl.h - what the files of lib/wire share: both sides by switch port. */
#ifndef MOORE_WIRE_IMPL_H
#define MOORE_WIRE_IMPL_H

#include "moore/wire.h"

enum moore_peer_kind { MOORE_PEER_NONE, MOORE_PEER_SWITCH, MOORE_PEER_ENDPOINT };

struct moore_side_peer {	/* what is at the other end of a switch port's cable */
	uint32_t peer;		/* switch or endpoint of the same side */
	uint8_t port;		/* its port */
	uint8_t kind;
};

struct moore_side {		/* a plan, or the fabric, by switch port */
	const struct moore_plan *p;
	uint32_t *base;		/* of each switch s: its port is at[base[s] + port - 1] */
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

struct moore_match {		/* who is who, while it is being found out */
	struct moore_side want, have;	/* planned, observed */
	moore_swid *self, *role;	/* of each observed switch */
	moore_swid *occupant;		/* of each planned switch */
	moore_epid *ep;			/* of each observed endpoint: the planned one */
	uint32_t by_guid, by_name;
	uint8_t *mark;			/* of each observed switch, while a ring is weighed */
	bool eps_by_place;		/* no endpoint is known by GUID or name */
	bool image;			/* the names are wrong altogether */
	bool mute;			/* endpoints stand by names, and have no vote on cables */
	struct moore_arena *tmp;
	struct moore_err *err;
};

/* match.c: fill self, then role.  0, or -MOORE_ENOMEM. */
int moore_match_names(struct moore_match *m);
int moore_match_roles(struct moore_match *m);
/* Percentage of observed cables that lead where the plan, ports aside, wants one; and
 * the percentage below which other roles may fit better, unless all names are wrong. */
uint64_t moore_match_share(const struct moore_match *m, const moore_swid *role);
#define MOORE_MATCH_DOUBT 90
/* image.c: roles when names do not fit at all: an image of the plan found by
 * following ports from one switch, else, below doubt per cent, by the graph alone
 * (then *exact: there is nothing left to vote on).  False: none. */
bool moore_match_image(struct moore_match *m, uint64_t doubt, bool *exact, bool *oom);
/* assign.c: what becomes of what: fills mate on both sides. */
bool moore_wire_assign(struct moore_wire *w);
/* deviate.c: from everything else to w->deviation. */
bool moore_wire_deviate(struct moore_wire *w);

/* The slot that a jack belongs to; MOORE_NONE for an endpoint's. */
static inline uint32_t
moore_jack_switch(const struct moore_wire *w, uint32_t jack)
{
	return w->jack[jack].endpoint ? MOORE_NONE : w->jack[jack].slot;
}

#endif
