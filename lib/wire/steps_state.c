// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* steps_state.c - identifies the cables of two plans with each other, and with the links
 * that are plugged in now.
 *
 * Only its ports tell a cable apart from another.  A present link that is in the new plan
 * is that cable, already done.  A link that is in the old plan is that cable, still to be
 * moved.  A link in neither is a cable that is being moved: the one that it shares most
 * ports with, else one between the same cabinets, which has the same length.  If two such
 * cables are confused, the remaining work becomes longer at worst. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plan/plan_parts.h"
#include "wire/steps_impl.h"

int
moore_ports_init(struct ports *x, const struct moore_plan *p, struct moore_arena *tmp,
		 struct moore_err *err)
{
	uint32_t n = 0;

	x->n_switches = p->n_switches;
	x->first = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(*x->first));
	if (!x->first)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < p->n_switches; s++) {
		x->first[s] = n;
		n += p->sw[s].ports + 1u;
	}
	x->first[p->n_switches] = n;
	if (!(x->sw = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*x->sw))))
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < p->n_switches; s++)
		for (uint32_t i = x->first[s]; i < x->first[s + 1]; i++)
			x->sw[i] = s;
	return 0;
}

/* ---- switches --------------------------------------------------------------- */

/* Indexes the new plan's switches: n entries by name, then n by GUID. */
static struct moore_plan_ref *
index_switches(const struct moore_plan *new_plan, const uint64_t *guid, struct moore_arena *tmp)
{
	const uint32_t n = new_plan->n_switches;
	struct moore_plan_ref *r = moore_arena_alloc(tmp, 2 * (size_t)n + 1, sizeof(*r));

	if (!r)
		return NULL;
	for (uint32_t s = 0; s < n; s++) {
		r[s] = (struct moore_plan_ref){ new_plan->sw[s].name, 0, s, MOORE_PLAN_SWITCH };
		r[n + s] = (struct moore_plan_ref){ "", guid[s], s, MOORE_PLAN_SWITCH };
	}
	moore_plan_refs_sort(r, n);
	moore_plan_refs_sort(r + n, n);
	return r;
}

/* Fills map[s] with the switch of the new plan that switch s of p is. */
static int
bind_switches(const struct moore_plan *p, const struct moore_plan *new_plan, const char *what,
	      uint32_t **map, struct moore_arena *tmp, struct moore_err *err)
{
	uint64_t *guid = NULL, *ep_guid = NULL;
	struct moore_plan_ref *r;
	const uint32_t n = new_plan->n_switches;
	int rc;

	if ((rc = moore_plan_guids(new_plan, &guid, &ep_guid, err)) < 0)
		return rc;
	r = index_switches(new_plan, guid, tmp);
	*map = moore_arena_alloc(tmp, (size_t)p->n_switches + 1, sizeof(**map));
	free(guid);
	free(ep_guid);
	if (!r || !*map)
		return moore_fail_nomem(err);
	for (uint32_t s = 0; s < p->n_switches; s++) {
		uint32_t to = p->sw[s].guid ? moore_plan_refs_find(r + n, n, "", p->sw[s].guid,
								   MOORE_PLAN_SWITCH) : MOORE_NONE;

		if (to == MOORE_NONE)
			to = moore_plan_refs_find(r, n, p->sw[s].name, 0, MOORE_PLAN_SWITCH);
		if (to == MOORE_NONE)
			return moore_fail(err, MOORE_EPLAN, 0, "switch \"%s\" of %s is not in the new plan: "
					  "only cables may differ", p->sw[s].name, what);
		(*map)[s] = to;
	}
	return 0;
}

/* The ports of p's cables, 2 for each, in the new plan's numbers. */
static int
cable_ports(const struct ports *x, const struct moore_plan *p, const struct moore_plan *new_plan,
	    const char *what, uint32_t **out, struct moore_arena *tmp, struct moore_err *err)
{
	uint32_t *map, *port;
	int rc;

	if ((rc = bind_switches(p, new_plan, what, &map, tmp, err)) < 0)
		return rc;
	if (!(port = moore_arena_alloc(tmp, 2 * (size_t)p->n_cables + 1, sizeof(*port))))
		return moore_fail_nomem(err);
	for (uint32_t e = 0; e < 2 * p->n_cables; e++) {
		const struct moore_plan_cable *c = &p->cable[e / 2];
		const moore_swid s = map[c->sw[e % 2]];

		if (c->port[e % 2] > new_plan->sw[s].ports)
			return moore_fail(err, MOORE_EPLAN, 0, "switch \"%s\" has a cable in port %u in %s, and %u "
					  "ports in the new plan", new_plan->sw[s].name, c->port[e % 2], what,
					  new_plan->sw[s].ports);
		port[e] = x->first[s] + c->port[e % 2];
	}
	*out = port;
	return 0;
}

/* ---- cables of the old plan ---------------------------------------------------- */

/* Sorts the labels of all cables; NULL if a cable has no label or shares it with another. */
static struct moore_plan_ref *
index_labels(const struct moore_plan *p, struct moore_arena *tmp, bool *oom)
{
	struct moore_plan_ref *r = moore_arena_alloc(tmp, (size_t)p->n_cables + 1, sizeof(*r));

	if (!r) {
		*oom = true;
		return NULL;
	}
	for (uint32_t c = 0; c < p->n_cables; c++) {
		if (!p->cable[c].label)
			return NULL;
		r[c] = (struct moore_plan_ref){ p->cable[c].label, 0, c, MOORE_PLAN_CABLE };
	}
	moore_plan_refs_sort(r, p->n_cables);
	return moore_plan_refs_unique(r, p->n_cables, "label", NULL) < 0 ? NULL : r;
}

/* Reorders the old plan's ports so that they stand in the order of the new plan's cables. */
static int
match_labels(const struct moore_plan *old_plan, const struct moore_plan *new_plan, uint32_t **was,
	     struct moore_arena *tmp, struct moore_err *err)
{
	bool oom = false;
	struct moore_plan_ref *a = index_labels(old_plan, tmp, &oom);
	struct moore_plan_ref *b = index_labels(new_plan, tmp, &oom);
	uint32_t *port = moore_arena_alloc(tmp, 2 * (size_t)new_plan->n_cables + 1, sizeof(*port));

	if (oom || !port)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; a && b && i < new_plan->n_cables; i++)
		if (strcmp(a[i].name, b[i].name) != 0)
			return moore_fail(err, MOORE_EPLAN, 0, "cable \"%s\" is in one of the plans only",
					  strcmp(a[i].name, b[i].name) < 0 ? a[i].name : b[i].name);
	for (uint32_t i = 0; a && b && i < new_plan->n_cables; i++)
		memcpy(port + 2 * (size_t)b[i].index, *was + 2 * (size_t)a[i].index,
		       2 * sizeof(*port));
	if (a && b)
		*was = port;
	return 0;
}

/* ---- what is plugged in now ------------------------------------------------------ */

struct seen {
	uint32_t n;		/* number of links */
	uint32_t *port;		/* the two ports of each link */
	uint32_t *link_at;	/* for each port, its link; MOORE_NONE */
	bool *known;		/* for each link, whether it has been identified as a cable */
};

/* If the link between these two ports is present, identifies it as this cable. */
static bool
claim(struct seen *s, const uint32_t *port, uint32_t *at)
{
	const uint32_t l = s->link_at[port[0]];

	if (l == MOORE_NONE || s->known[l] || l != s->link_at[port[1]])
		return false;
	s->known[l] = true;
	memcpy(at, port, 2 * sizeof(*at));
	return true;
}

struct way {			/* the cables that are being identified */
	const struct ports *x;
	const struct moore_plan *plan;	/* the new plan */
	const uint32_t *want, *was;
};

static bool
one_cabinet(const struct way *w, uint32_t port, uint32_t other)
{
	const char *a = w->plan->sw[w->x->sw[port]].cabinet, *b = w->plan->sw[w->x->sw[other]].cabinet;

	return a && b && !strcmp(a, b);
}

/* How alike the ends of a link and of a cable are; at least 1. */
static unsigned
likeness(const struct way *w, uint32_t a, uint32_t b, uint32_t cable)
{
	const uint32_t *want = w->want + 2 * (size_t)cable, *was = w->was + 2 * (size_t)cable;

	return 1u + (one_cabinet(w, a, want[0]) && one_cabinet(w, b, want[1])) +
	       (a == was[0] ? 2u : 0) + (b == was[1] ? 2u : 0) +
	       (a == want[0] ? 4u : 0) + (b == want[1] ? 4u : 0);
}

/* Identifies this link as the most alike of the cables that have no link yet. */
static bool
claim_like(const struct way *w, const uint32_t *link, uint32_t *at)
{
	uint32_t best = MOORE_NONE;
	unsigned most = 0;
	bool turned = false;

	for (uint32_t c = 0; c < w->plan->n_cables; c++)
		for (unsigned k = 0; k < 2 && at[2 * c] == MOORE_NONE; k++) {
			const unsigned like = likeness(w, link[k], link[!k], c);

			if (like > most) {
				most = like;
				best = c;
				turned = k;
			}
		}
	if (best == MOORE_NONE)
		return false;
	at[2 * best] = link[turned];
	at[2 * best + 1] = link[!turned];
	return true;
}

static int
look(const struct ports *x, struct seen *s, const uint32_t *want, const uint32_t *was,
     const struct moore_plan *new_plan, uint32_t *at, struct moore_arena *tmp,
     struct moore_err *err)
{
	const uint32_t n_ports = moore_ports_count(x);

	s->link_at = moore_arena_alloc(tmp, (size_t)n_ports + 1, sizeof(*s->link_at));
	s->known = moore_arena_alloc(tmp, (size_t)s->n + 1, sizeof(*s->known));
	if (!s->link_at || !s->known)
		return moore_fail_nomem(err);
	memset(s->link_at, 0xff, ((size_t)n_ports + 1) * sizeof(*s->link_at));
	memset(at, 0xff, 2 * (size_t)new_plan->n_cables * sizeof(*at));
	for (uint32_t e = 0; e < 2 * s->n; e++)
		s->link_at[s->port[e]] = e / 2;
	for (uint32_t c = 0; c < new_plan->n_cables; c++)
		claim(s, want + 2 * c, at + 2 * c);
	for (uint32_t c = 0; c < new_plan->n_cables; c++)
		if (at[2 * c] == MOORE_NONE)
			claim(s, was + 2 * c, at + 2 * c);
	for (uint32_t l = 0; l < s->n; l++) {
		const struct moore_switch_port p = moore_ports_plug(x, s->port[2 * l]);

		if (!s->known[l] &&
		    !claim_like(&(struct way){ x, new_plan, want, was }, s->port + 2 * (size_t)l, at))
			return moore_fail(err, MOORE_EPLAN, 0, "the link at \"%s\" port %u now is one more than "
					  "the plans have cables: take out what is in neither",
					  new_plan->sw[p.sw].name, p.port);
	}
	return 0;
}

int
moore_steps_state(const struct ports *x, const struct moore_plan *old_plan,
		  const struct moore_plan *new_plan, const struct moore_plan *present,
		  uint32_t **at, uint32_t **want, struct moore_arena *tmp, struct moore_err *err)
{
	struct seen s = { 0 };
	uint32_t *was;
	int rc;

	if (old_plan->n_cables != new_plan->n_cables || old_plan->n_switches != new_plan->n_switches)
		return moore_fail(err, MOORE_EPLAN, 0, "%u switches and %u cables in the old plan, %u and %u in "
				  "the new one: only the ends of cables may differ", old_plan->n_switches,
				  old_plan->n_cables, new_plan->n_switches, new_plan->n_cables);
	if ((rc = cable_ports(x, new_plan, new_plan, "the new plan", want, tmp, err)) < 0 ||
	    (rc = cable_ports(x, old_plan, new_plan, "the old plan", &was, tmp, err)) < 0 ||
	    (rc = match_labels(old_plan, new_plan, &was, tmp, err)) < 0)
		return rc;
	if (!present) {
		*at = was;
		return 0;
	}
	s.n = present->n_cables;
	if (!(*at = moore_arena_alloc(tmp, 2 * (size_t)new_plan->n_cables + 1, sizeof(**at))))
		return moore_fail_nomem(err);
	if ((rc = cable_ports(x, present, new_plan, "the present fabric", &s.port, tmp, err)) < 0)
		return rc;
	return look(x, &s, *want, was, new_plan, *at, tmp, err);
}
