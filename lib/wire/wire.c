// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wire.c - planned and observed cables over one set of jacks.
 *
 * Once every observed switch has a role, a port of that switch and the same port of the
 * planned switch of its role are one jack.  A known endpoint and its planned one share a
 * jack in the same way.  Two cables are then the same if their jacks are, and each jack
 * holds at most one observed and at most one planned cable.
 * Elsewhere: roles (match.c, image.c), which cable becomes which (assign.c), verdicts
 * (deviate.c), moves (repair.c), the relabelled plan (accept.c). */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "wire/wire_impl.h"

/* ---- slots and jacks ------------------------------------------------------------- */

static bool
take_match(struct moore_wire *w, const struct moore_match *m)
{
	uint32_t n = w->seen->plan->n_switches, unknown = 0;

	w->self = moore_arena_alloc(w->mem, (size_t)n + 1, sizeof(*w->self));
	w->role = moore_arena_alloc(w->mem, (size_t)n + 1, sizeof(*w->role));
	w->occupant = moore_arena_alloc(w->mem, (size_t)n + w->plan->n_switches + 1,
					sizeof(*w->occupant));
	if (!w->self || !w->role || !w->occupant)
		return false;
	memcpy(w->self, m->self, n * sizeof(*w->self));
	memset(w->occupant, 0xff, ((size_t)n + w->plan->n_switches) * sizeof(*w->occupant));
	w->by_guid = m->by_guid;
	w->by_name = m->by_name;
	for (moore_swid o = 0; o < n; o++) {
		w->by_structure += m->self[o] == MOORE_NONE && m->role[o] != MOORE_NONE;
		w->n_displaced += m->self[o] != MOORE_NONE && m->role[o] != m->self[o];
		w->role[o] = m->role[o] != MOORE_NONE ? m->role[o] :
			w->plan->n_switches + unknown++;
		w->occupant[w->role[o]] = o;
	}
	w->n_slots = w->plan->n_switches + unknown;
	w->mirrored = m->image;
	w->eps_by_place = m->eps_by_place;
	return true;
}

/* The name and place that reports give a slot: those of the plan, but in an image, whose
 * switches stay where they are, those of the switch that stands there. */
static const struct moore_plan_switch *
face_of(const struct moore_wire *w, uint32_t slot)
{
	moore_swid o = w->occupant[slot];

	if (slot >= w->plan->n_switches)
		return &w->seen->plan->sw[o];
	if (w->mirrored && o != MOORE_NONE && w->self[o] != MOORE_NONE)
		return &w->plan->sw[w->self[o]];
	return &w->plan->sw[slot];
}

static bool
lay_slots(struct moore_wire *w, const struct moore_match *m)
{
	const struct moore_plan *have = w->seen->plan;
	uint32_t unknown = 0;

	w->sw = moore_arena_alloc(w->mem, (size_t)w->n_slots + 1, sizeof(*w->sw));
	w->ep_slot = moore_arena_alloc(w->mem, (size_t)have->n_endpoints + 1, sizeof(*w->ep_slot));
	w->ep = moore_arena_alloc(w->mem, (size_t)have->n_endpoints + w->plan->n_endpoints + 1,
				  sizeof(*w->ep));
	w->stand_in = moore_arena_alloc(w->mem, (size_t)w->plan->n_endpoints + 1, sizeof(*w->stand_in));
	if (!w->sw || !w->ep_slot || !w->ep || !w->stand_in)
		return false;
	memcpy(w->stand_in, m->stand_in, w->plan->n_endpoints * sizeof(*w->stand_in));
	for (uint32_t s = 0; s < w->n_slots; s++)
		w->sw[s] = face_of(w, s);
	for (uint32_t i = 0; i < w->plan->n_endpoints; i++)
		w->ep[i] = &w->plan->ep[i];
	for (uint32_t e = 0; e < have->n_endpoints; e++) {
		w->ep_slot[e] = m->ep[e] != MOORE_NONE ? m->ep[e] :
			w->plan->n_endpoints + unknown++;
		if (m->ep[e] == MOORE_NONE)
			w->ep[w->ep_slot[e]] = &have->ep[e];
	}
	w->n_ep_slots = w->plan->n_endpoints + unknown;
	return true;
}

struct jacks {			/* the first jack of each slot; endpoint slots follow, one jack
				 * each */
	uint32_t *base, ep_base;
};

static unsigned
ports_of(const struct moore_wire *w, uint32_t slot)
{
	unsigned want = slot < w->plan->n_switches ? w->plan->sw[slot].ports : 0;
	unsigned have = w->occupant[slot] == MOORE_NONE ? 0 :
		w->seen->plan->sw[w->occupant[slot]].ports;

	return want > have ? want : have;
}

static bool
lay_jacks(struct moore_wire *w, struct jacks *j, struct moore_arena *tmp)
{
	uint32_t n = 0;

	if (!(j->base = moore_arena_alloc(tmp, (size_t)w->n_slots + 1, sizeof(*j->base))))
		return false;
	for (uint32_t s = 0; s < w->n_slots; n += ports_of(w, s++))
		j->base[s] = n;
	j->ep_base = n;
	w->n_jacks = n + w->n_ep_slots;
	w->jack = moore_arena_alloc(w->mem, (size_t)w->n_jacks + 1, sizeof(*w->jack));
	if (!w->jack)
		return false;
	for (uint32_t s = 0; s < w->n_slots; s++)
		for (unsigned p = 0; p < ports_of(w, s); p++)
			w->jack[j->base[s] + p] = (struct moore_wire_jack){ false, s, (uint8_t)(p + 1) };
	for (uint32_t e = 0; e < w->n_ep_slots; e++)
		w->jack[n + e] = (struct moore_wire_jack){ true, e, w->ep[e]->ca_port };
	return true;
}

/* ---- cables ---------------------------------------------------------------------- */

static bool
cables_init(struct moore_wire_cables *c, size_t most, const struct moore_wire *w,
	    struct moore_arena *mem)
{
	c->cable = moore_arena_alloc(mem, most + 1, sizeof(*c->cable));
	c->at = moore_arena_alloc(mem, (size_t)w->n_jacks + 1, sizeof(*c->at));
	if (!c->cable || !c->at)
		return false;
	memset(c->at, 0xff, ((size_t)w->n_jacks + 1) * sizeof(*c->at));
	return true;
}

static void
cables_add(struct moore_wire_cables *c, uint32_t a, uint32_t b, struct moore_rate rate,
	   uint32_t index, bool endpoint)
{
	c->at[a] = c->at[b] = c->n;
	c->cable[c->n++] = (struct moore_wire_cable){ { a, b }, rate, index, endpoint, MOORE_NONE,
		MOORE_NONE };
}

static bool
lay_observed(struct moore_wire *w, const struct jacks *j)
{
	const struct moore_plan *have = w->seen->plan;

	if (!cables_init(&w->observed, (size_t)have->n_cables + have->n_endpoints + w->seen->n_loops,
			 w, w->mem))
		return false;
	for (uint32_t i = 0; i < have->n_cables; i++) {
		const struct moore_plan_cable *c = &have->cable[i];

		cables_add(&w->observed, j->base[w->role[c->sw[0]]] + c->port[0] - 1,
			   j->base[w->role[c->sw[1]]] + c->port[1] - 1,
			   moore_plan_rate(have, c->rate), i, false);
	}
	for (uint32_t i = 0; i < have->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &have->ep[i];

		cables_add(&w->observed, j->ep_base + w->ep_slot[i], j->base[w->role[e->sw]] +
			   e->port - 1, moore_plan_rate(have, e->rate), i, true);
	}
	for (uint32_t i = 0; i < w->seen->n_loops; i++) {
		const struct moore_seen_loop *l = &w->seen->loop[i];
		uint32_t base = j->base[w->role[l->sw]] - 1;

		cables_add(&w->observed, base + l->port[0], base + l->port[1],
			   (struct moore_rate){ 0 }, MOORE_NONE, false);
	}
	return true;
}

/* The slot at which the plan wants the endpoints of each planned switch: that switch's own
 * slot; but in an image whose endpoints stayed with the names, the slot of the switch with
 * that name. */
static uint32_t *
homes(const struct moore_wire *w, bool stay, struct moore_arena *tmp)
{
	uint32_t *home = moore_arena_alloc(tmp, (size_t)w->plan->n_switches + 1, sizeof(*home));

	for (moore_swid s = 0; home && s < w->plan->n_switches; s++)
		home[s] = s;
	for (moore_swid o = 0; home && stay && o < w->seen->plan->n_switches; o++)
		if (w->self[o] != MOORE_NONE)
			home[w->self[o]] = w->role[o];
	return home;
}

/* Adds the planned cables that could be observed: those between devices that are present. */
static bool
lay_planned(struct moore_wire *w, const struct jacks *j, bool stay, struct moore_arena *tmp)
{
	const struct moore_plan *want = w->plan;
	uint32_t *home = homes(w, stay, tmp);
	uint8_t *there = moore_arena_alloc(tmp, (size_t)w->n_ep_slots + 1, 1);

	if (!home || !there || !cables_init(&w->planned, (size_t)want->n_cables +
					    want->n_endpoints, w, w->mem))
		return false;
	for (uint32_t e = 0; e < w->seen->plan->n_endpoints; e++)
		there[w->ep_slot[e]] = 1;
	for (uint32_t i = 0; i < want->n_cables; i++) {
		const struct moore_plan_cable *c = &want->cable[i];

		if (w->occupant[c->sw[0]] != MOORE_NONE && w->occupant[c->sw[1]] != MOORE_NONE)
			cables_add(&w->planned, j->base[c->sw[0]] + c->port[0] - 1,
				   j->base[c->sw[1]] + c->port[1] - 1,
				   moore_plan_rate(want, c->rate), i, false);
	}
	for (uint32_t i = 0; i < want->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &want->ep[i];
		uint32_t s = home[e->sw];

		if (there[i] && w->occupant[s] != MOORE_NONE && e->port <= ports_of(w, s))
			cables_add(&w->planned, j->ep_base + i, j->base[s] + e->port - 1,
				   moore_plan_rate(want, e->rate), i, true);
	}
	return true;
}

/* ---- all of it --------------------------------------------------------------------- */

static int
match(struct moore_match *m, const struct moore_plan *plan, const struct moore_seen *seen)
{
	int rc;

	if (!moore_side_init(&m->want, plan, NULL, m->tmp) ||
	    !moore_side_init(&m->have, seen->plan, seen, m->tmp))
		return moore_fail_nomem(m->err);
	if ((rc = moore_match_names(m)) < 0)
		return rc;
	return moore_match_roles(m);
}

struct owner {			/* what moore_wire_check() allocates */
	struct moore_wire w;	/* first, so that moore_wire_free() finds the rest */
	struct moore_arena mem;
};

int
moore_wire_check(struct moore_wire **out, const struct moore_plan *plan,
		 const struct moore_seen *seen, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct moore_match m = { .tmp = &tmp, .err = err };
	struct owner *o = calloc(1, sizeof(*o));
	struct moore_wire *w;
	struct jacks j;
	int rc;

	*out = NULL;
	if (!o)
		return moore_fail_nomem(err);
	w = &o->w;
	w->mem = &o->mem;
	w->plan = plan;
	w->seen = seen;
	if ((rc = match(&m, plan, seen)) < 0)
		goto out;
	if (!take_match(w, &m) || !lay_slots(w, &m) || !lay_jacks(w, &j, &tmp) ||
	    !lay_observed(w, &j) || !lay_planned(w, &j, m.mute && w->mirrored, &tmp) ||
	    !moore_wire_assign(w) || !moore_wire_deviate(w)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	*out = w;
	w = NULL;			/* the caller owns it now */
out:
	moore_wire_free(w);
	moore_arena_free(&tmp);
	return rc;
}

void
moore_wire_free(struct moore_wire *w)
{
	if (!w)
		return;
	moore_arena_free(w->mem);
	free(w);
}
