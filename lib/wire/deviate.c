// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* deviate.c - gives a verdict for each deviation from the plan, one for each cause.
 *
 * Devices come first: a switch or endpoint that is exchanged, unknown or missing explains
 * its cables, which get no verdict of their own.  Then come the pairs of assign.c whose two
 * cables differ, the planned cables that no observed cable becomes, and the observed cables
 * that become no planned one. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "wire/wire_impl.h"

static const struct moore_wire_text texts[MOORE_WIRE_VERDICTS] = {
	[MOORE_WIRE_MISSING] = { "missing", "planned, and nothing is there" },
	[MOORE_WIRE_EXTRA] = { "extra", "a cable that is not planned" },
	[MOORE_WIRE_WRONG_PEER] = { "wrong-peer", "one end is right, the other at another device" },
	[MOORE_WIRE_WRONG_PORT] = { "wrong-port", "the right device, another port of it" },
	[MOORE_WIRE_DUPLICATE] = { "duplicate",
		"one cable more between switches that have what is planned between them" },
	[MOORE_WIRE_LOOPBACK] = { "loopback", "from a switch to itself" },
	[MOORE_WIRE_ONE_SIDED] = { "one-sided", "only the other end tells of the link here" },
	[MOORE_WIRE_SLOW] = { "slow", "fewer gigabits a second on a lane than planned" },
	[MOORE_WIRE_NARROW] = { "narrow", "fewer lanes than planned" },
	[MOORE_WIRE_SWAPPED] = { "switch-swapped",
		"two switches have each other's cables: exchange them, or their names" },
	[MOORE_WIRE_MIRRORED] = { "mirrored",
		"the wiring is an image of the plan: relabel, do not recable" },
	[MOORE_WIRE_MISSING_SWITCH] = { "missing-switch", "not found, nor any of its cables" },
	[MOORE_WIRE_MISSING_ENDPOINT] = { "missing-endpoint", "not found" },
	[MOORE_WIRE_MOVED] = { "endpoint-moved", "plugged into another switch" },
	[MOORE_WIRE_UNKNOWN] = { "unknown-device", "not in the plan" },
};

const struct moore_wire_text *
moore_wire_text(enum moore_wire_verdict v)
{
	return (unsigned)v < MOORE_WIRE_VERDICTS ? &texts[v] : NULL;
}

static const struct moore_wire_jack nowhere = { false, MOORE_NONE, 0 };

static struct moore_deviation *
add(struct moore_wire *w, enum moore_wire_verdict v)
{
	struct moore_deviation *d = &w->deviation[w->n_deviations++];

	*d = (struct moore_deviation){ .verdict = v, .planned = { nowhere, nowhere },
		.observed = { nowhere, nowhere }, .cable = MOORE_NONE };
	return d;
}

/* ---- devices ------------------------------------------------------------------------ */

/* Lists the exchanges of two switches that bring every displaced switch to its own slot. */
static bool
find_exchanges(struct moore_wire *w, struct moore_arena *tmp)
{
	uint32_t n = w->plan->n_switches;
	moore_swid *at = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*at));

	w->exchange = moore_arena_alloc(w->mem, (size_t)w->n_displaced + 1, sizeof(*w->exchange));
	if (!at || !w->exchange)
		return false;
	memcpy(at, w->occupant, n * sizeof(*at));
	for (moore_swid s = 0; s < n && !w->mirrored && w->n_displaced; s++)
		while (at[s] != MOORE_NONE && w->self[at[s]] != MOORE_NONE && w->self[at[s]] != s) {
			moore_swid home = w->self[at[s]], o = at[s];

			w->exchange[w->n_exchanges][0] = s;
			w->exchange[w->n_exchanges++][1] = home;
			at[s] = at[home];
			at[home] = o;
		}
	return true;
}

static void
name_exchanges(struct moore_wire *w)
{
	if (w->mirrored)
		add(w, MOORE_WIRE_MIRRORED)->count = w->n_displaced;
	for (uint32_t i = 0; i < w->n_exchanges; i++) {
		struct moore_deviation *d = add(w, MOORE_WIRE_SWAPPED);

		for (int k = 0; k < 2; k++)
			d->planned[k] = (struct moore_wire_jack){ false, w->exchange[i][k], 0 };
	}
}

static uint32_t
planned_at(const struct moore_plan *p, moore_swid s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_cables; i++)
		n += p->cable[i].sw[0] == s || p->cable[i].sw[1] == s;
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		n += p->ep[i].sw == s;
	return n;
}

static void
name_switches(struct moore_wire *w)
{
	bool named = w->by_guid + w->by_name > 0;	/* without any known name, names say
							 * nothing */

	for (uint32_t s = 0; s < w->n_slots; s++) {
		moore_swid o = w->occupant[s];
		struct moore_wire_jack whole = { false, s, 0 };
		struct moore_deviation *d;

		if (o == MOORE_NONE) {
			d = add(w, MOORE_WIRE_MISSING_SWITCH);
			d->planned[0] = whole;
			d->count = planned_at(w->plan, s);
		} else if (w->self[o] == MOORE_NONE && (named || s >= w->plan->n_switches)) {
			d = add(w, MOORE_WIRE_UNKNOWN);
			d->observed[0] = whole;
			if (s < w->plan->n_switches)
				d->planned[0] = whole;
		}
	}
}

static bool
name_endpoints(struct moore_wire *w, struct moore_arena *tmp)
{
	uint8_t *there = moore_arena_alloc(tmp, (size_t)w->n_ep_slots + 1, 1);

	if (!there)
		return false;
	for (uint32_t e = 0; e < w->seen->plan->n_endpoints; e++)
		there[w->ep_slot[e]] = 1;
	for (uint32_t i = 0; i < w->plan->n_endpoints; i++) {
		const struct moore_plan_endpoint *e = &w->plan->ep[i];
		struct moore_deviation *d;

		if (w->stand_in[i] != MOORE_NONE)
			d = add(w, MOORE_WIRE_UNKNOWN);
		else if (!there[i] && w->occupant[e->sw] != MOORE_NONE)
			d = add(w, MOORE_WIRE_MISSING_ENDPOINT);
		else
			continue;
		d->planned[0] = (struct moore_wire_jack){ true, i, e->ca_port };
		d->planned[1] = (struct moore_wire_jack){ false, e->sw, e->port };
		if (w->stand_in[i] != MOORE_NONE)
			memcpy(d->observed, d->planned, sizeof(d->observed));
	}
	return true;
}

static void
name_one_sided(struct moore_wire *w)
{
	for (uint32_t i = 0; i < w->seen->n_one_sided; i++) {
		const struct moore_seen_port *p = &w->seen->one_sided[i];

		add(w, MOORE_WIRE_ONE_SIDED)->observed[0] =
			(struct moore_wire_jack){ false, w->role[p->sw], p->port };
	}
}

/* ---- cables ------------------------------------------------------------------------- */

static void
put_ends(const struct moore_wire *w, struct moore_wire_jack *to, const struct moore_wire_cable *c,
	 int first)
{
	to[0] = w->jack[c->jack[first]];
	to[1] = w->jack[c->jack[!first]];
}

/* Decides which ends of a planned and an observed cable correspond: ends in the same jack,
 * else ends at the same switch. */
static void
align(const struct moore_wire *w, const struct moore_wire_cable *p,
      const struct moore_wire_cable *o, int *pe, int *oe)
{
	for (*pe = 0; *pe < 2; ++*pe)
		for (*oe = 0; *oe < 2; ++*oe)
			if (p->jack[*pe] == o->jack[*oe])
				return;
	*pe = 0;
	*oe = moore_jack_switch(w, p->jack[0]) != moore_jack_switch(w, o->jack[0]);
}

static bool
same_cable(const struct moore_wire_cable *p, const struct moore_wire_cable *o)
{
	return (p->jack[0] == o->jack[0] && p->jack[1] == o->jack[1]) ||
		(p->jack[0] == o->jack[1] && p->jack[1] == o->jack[0]);
}

static enum moore_wire_verdict
judge(const struct moore_wire *w, const struct moore_deviation *d,
      const struct moore_wire_cable *p, const struct moore_wire_cable *o)
{
	bool same_far = d->planned[1].slot == d->observed[1].slot &&
		!d->planned[1].endpoint && !d->observed[1].endpoint;

	if (o->endpoint && w->jack[o->jack[0]].slot >= w->plan->n_endpoints)
		return MOORE_WIRE_UNKNOWN;
	if (!o->endpoint && d->observed[0].slot == d->observed[1].slot)
		return MOORE_WIRE_LOOPBACK;
	if (same_far && p->endpoint == o->endpoint)
		return MOORE_WIRE_WRONG_PORT;
	return p->endpoint && o->endpoint && p->jack[0] == o->jack[0] ? MOORE_WIRE_MOVED :
		MOORE_WIRE_WRONG_PEER;
}

/* Adds a verdict if the link is slower than planned: fewer lanes, or a lower speed per
 * lane. */
static void
judge_rate(struct moore_wire *w, const struct moore_wire_cable *p,
	   const struct moore_wire_cable *o)
{
	struct moore_deviation *d;

	if (!p->rate.width || !o->rate.width ||
	    (o->rate.width >= p->rate.width && o->rate.speed >= p->rate.speed))
		return;
	d = add(w, o->rate.width < p->rate.width ? MOORE_WIRE_NARROW : MOORE_WIRE_SLOW);
	put_ends(w, d->planned, p, 0);
	put_ends(w, d->observed, o, o->jack[0] != p->jack[0]);
	d->planned_rate = p->rate;
	d->observed_rate = o->rate;
	d->cable = p->endpoint ? MOORE_NONE : p->index;
}

static void
name_planned(struct moore_wire *w)
{
	for (uint32_t i = 0; i < w->planned.n; i++) {
		const struct moore_wire_cable *p = &w->planned.cable[i], *o;
		struct moore_deviation *d;
		int pe = 0, oe = 0;

		o = p->twin == MOORE_NONE ? NULL : &w->observed.cable[p->twin];
		if (o && same_cable(p, o)) {
			judge_rate(w, p, o);
			continue;
		}
		d = add(w, MOORE_WIRE_MISSING);
		if (o) {
			align(w, p, o, &pe, &oe);
			put_ends(w, d->observed, o, oe);
		}
		put_ends(w, d->planned, p, pe);
		if (o)
			d->verdict = judge(w, d, p, o);
		d->cable = p->endpoint ? MOORE_NONE : p->index;
	}
}

/* True if the plan has a cable between the slot of this jack and the other slot. */
static bool
planned_between(const struct moore_wire *w, uint32_t jack, uint32_t slot)
{
	uint32_t from = jack + 1 - w->jack[jack].port, own = w->jack[jack].slot;

	for (uint32_t j = from; j < w->n_jacks && !w->jack[j].endpoint && w->jack[j].slot == own; j++) {
		uint32_t i = w->planned.at[j];
		const struct moore_wire_cable *c = i == MOORE_NONE ? NULL : &w->planned.cable[i];

		if (c && moore_jack_switch(w, c->jack[c->jack[0] == j]) == slot)
			return true;
	}
	return false;
}

/* The verdict for an observed cable that becomes no planned one; false if its device
 * already explains it. */
static bool
judge_alone(const struct moore_wire *w, const struct moore_wire_cable *o,
	    enum moore_wire_verdict *v)
{
	uint32_t a = moore_jack_switch(w, o->jack[0]), b = moore_jack_switch(w, o->jack[1]);

	if (o->endpoint)
		*v = w->jack[o->jack[0]].slot < w->plan->n_endpoints ? MOORE_WIRE_MOVED :
			MOORE_WIRE_UNKNOWN;
	else if (a == b)
		*v = MOORE_WIRE_LOOPBACK;
	else if (a >= w->plan->n_switches || b >= w->plan->n_switches)
		return false;
	else
		*v = planned_between(w, o->jack[0], b) ? MOORE_WIRE_DUPLICATE : MOORE_WIRE_EXTRA;
	return true;
}

static void
name_alone(struct moore_wire *w)
{
	for (uint32_t i = 0; i < w->observed.n; i++) {
		const struct moore_wire_cable *o = &w->observed.cable[i];
		enum moore_wire_verdict v;
		struct moore_deviation *d;

		if (o->twin != MOORE_NONE || !judge_alone(w, o, &v))
			continue;
		d = add(w, v);
		put_ends(w, d->observed, o, 0);
		if (v == MOORE_WIRE_MOVED) {
			const struct moore_plan_endpoint *e = &w->plan->ep[d->observed[0].slot];

			d->planned[0] = d->observed[0];
			d->planned[1] = (struct moore_wire_jack){ false, e->sw, e->port };
		}
	}
}

/* True if every cable is present and joins the right devices, so that only ports, names or
 * rates deviate. */
static bool
is_image(const struct moore_wire *w)
{
	for (uint32_t i = 0; i < w->n_deviations; i++)
		switch (w->deviation[i].verdict) {
		case MOORE_WIRE_WRONG_PORT:
		case MOORE_WIRE_SWAPPED:
		case MOORE_WIRE_MIRRORED:
		case MOORE_WIRE_SLOW:
		case MOORE_WIRE_NARROW:
		case MOORE_WIRE_ONE_SIDED:
			break;
		default:
			return false;
		}
	return true;
}

bool
moore_wire_deviate(struct moore_wire *w)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	size_t most = 1 + (size_t)w->n_displaced + w->n_slots + w->n_ep_slots +
		w->seen->n_one_sided + w->planned.n + w->observed.n;
	bool ok;

	w->deviation = moore_arena_alloc(w->mem, most, sizeof(*w->deviation));
	ok = w->deviation && find_exchanges(w, &tmp);
	if (ok) {
		name_exchanges(w);
		name_switches(w);
		ok = name_endpoints(w, &tmp);
		name_one_sided(w);
		name_planned(w);
		name_alone(w);
		w->image = is_image(w);
	}
	moore_arena_free(&tmp);
	return ok;
}
