// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* grow.c - makes the plan of a part of a fabric, which is built first and grown later.
 *
 * Every switch, port and cable of the part is one of the whole plan, so nothing that was plugged
 * in is ever moved: growing adds cables alone.  What the earlier plan has comes first, in its
 * order, so that GUIDs which follow the order of a plan stay those that they were. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "plan/grow.h"
#include "plan/plan_parts.h"

struct part {
	const struct moore_plan *whole, *stage;		/* stage: what is built; may be NULL */
	bool *in;			/* by switch of whole: it is in the part */
	uint32_t *of_stage;		/* the switch of whole that a switch of stage is */
	uint32_t *sw, *ep, *cable;	/* of the part, in its order: indices in whole */
	uint32_t n_sw, n_ep, n_cable;
	bool *has_ep, *has_cable;	/* by index in whole: in the part */
	struct moore_arena tmp;
};

/* ---- what is built is a part of the whole ------------------------------------------------------ */

static struct moore_plan_ref *
names(struct part *g)
{
	const struct moore_plan *p = g->whole;
	struct moore_plan_ref *r;

	r = moore_arena_alloc(&g->tmp, (size_t)p->n_switches + p->n_endpoints + 1, sizeof(*r));
	for (uint32_t i = 0; r && i < p->n_switches; i++)
		r[i] = (struct moore_plan_ref){ p->sw[i].name, 0, i, MOORE_PLAN_SWITCH };
	for (uint32_t i = 0; r && i < p->n_endpoints; i++)
		r[p->n_switches + i] = (struct moore_plan_ref){ p->ep[i].name, p->ep[i].ca_port, i,
								MOORE_PLAN_ENDPOINT };
	if (r)
		moore_plan_refs_sort(r, (size_t)p->n_switches + p->n_endpoints);
	return r;
}

static int
match_switches(struct part *g, const struct moore_plan_ref *r, size_t n, struct moore_err *err)
{
	for (uint32_t i = 0; i < g->stage->n_switches; i++) {
		const struct moore_plan_switch *sw = &g->stage->sw[i];
		uint32_t k = moore_plan_refs_find(r, n, sw->name, 0, MOORE_PLAN_SWITCH);

		if (k == MOORE_NONE)
			return moore_fail(err, MOORE_EPLAN, 0, "switches[%u]: \"%s\" is no switch of the "
					  "whole plan", i, sw->name);
		if (g->whole->sw[k].ports != sw->ports)
			return moore_fail(err, MOORE_EPLAN, 0, "switches[%u]: \"%s\" has %u ports, and %u in "
					  "the whole plan", i, sw->name, sw->ports, g->whole->sw[k].ports);
		g->in[k] = true;
		g->of_stage[i] = g->sw[g->n_sw++] = k;
	}
	return 0;
}

static int
match_endpoints(struct part *g, const struct moore_plan_ref *r, size_t n, struct moore_err *err)
{
	for (uint32_t i = 0; i < g->stage->n_endpoints; i++) {
		const struct moore_plan_endpoint *ep = &g->stage->ep[i];
		uint32_t k = moore_plan_refs_find(r, n, ep->name, ep->ca_port, MOORE_PLAN_ENDPOINT);

		if (k == MOORE_NONE || g->whole->ep[k].sw != g->of_stage[ep->sw] ||
		    g->whole->ep[k].port != ep->port)
			return moore_fail(err, MOORE_EPLAN, 0, "endpoints[%u]: the whole plan has no \"%s\" at "
					  "port %u of \"%s\"", i, ep->name, ep->port,
					  g->stage->sw[ep->sw].name);
		g->has_ep[k] = true;
		g->ep[g->n_ep++] = k;
	}
	return 0;
}

static int
match_cables(struct part *g, struct moore_err *err)
{
	const struct moore_plan *p = g->whole;
	size_t n = 2 * (size_t)p->n_cables;
	struct moore_plan_ref *r = moore_arena_alloc(&g->tmp, n + 1, sizeof(*r));

	if (!r)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		r[i] = (struct moore_plan_ref){ "", moore_plan_plug_key(p->cable[i / 2].sw[i & 1],
					p->cable[i / 2].port[i & 1]), i / 2, MOORE_PLAN_CABLE };
	moore_plan_refs_sort(r, n);
	for (uint32_t i = 0; i < g->stage->n_cables; i++) {
		const struct moore_plan_cable *c = &g->stage->cable[i];
		uint32_t k[2];

		for (int e = 0; e < 2; e++)
			k[e] = moore_plan_refs_find(r, n, "", moore_plan_plug_key(g->of_stage[c->sw[e]],
						    c->port[e]), MOORE_PLAN_CABLE);
		if (k[0] == MOORE_NONE || k[0] != k[1])
			return moore_fail(err, MOORE_EPLAN, 0, "cables[%u]: the whole plan has no cable from port "
					  "%u of \"%s\" to port %u of \"%s\"", i, c->port[0],
					  g->stage->sw[c->sw[0]].name, c->port[1], g->stage->sw[c->sw[1]].name);
		g->has_cable[k[0]] = true;
		g->cable[g->n_cable++] = k[0];
	}
	return 0;
}

static int
match(struct part *g, struct moore_err *err)
{
	size_t n = (size_t)g->whole->n_switches + g->whole->n_endpoints;
	struct moore_plan_ref *r = names(g);
	int rc;

	if (!r)
		return moore_fail_nomem(err);
	if ((rc = match_switches(g, r, n, err)) < 0 || (rc = match_endpoints(g, r, n, err)) < 0)
		return rc;
	return match_cables(g, err);
}

/* ---- what is added -------------------------------------------------------------------------------- */

/* Adds endpoints in the order of the whole plan, until each switch has `most`. */
static bool
add_endpoints(struct part *g, uint32_t most)
{
	uint32_t *n = moore_arena_alloc(&g->tmp, (size_t)g->whole->n_switches + 1, sizeof(*n));

	if (!n)
		return false;
	for (uint32_t i = 0; i < g->n_ep; i++)
		n[g->whole->ep[g->ep[i]].sw]++;
	for (uint32_t i = 0; i < g->whole->n_endpoints; i++) {
		uint32_t s = g->whole->ep[i].sw;

		if (!g->has_ep[i] && g->in[s] && n[s] < most) {
			g->ep[g->n_ep++] = i;
			n[s]++;
		}
	}
	return true;
}

static int
add(struct part *g, uint32_t switches, uint32_t endpoints,
    void (*progress)(void *arg, double share), void *arg, struct moore_err *err)
{
	uint32_t built = g->n_sw;
	bool *was = moore_arena_alloc(&g->tmp, (size_t)g->whole->n_switches + 1, sizeof(*was));
	int rc;

	if (!was)
		return moore_fail_nomem(err);
	memcpy(was, g->in, g->whole->n_switches * sizeof(*was));
	if (switches == g->whole->n_switches)
		memset(g->in, true, g->whole->n_switches * sizeof(*was));
	else if (switches > built &&
		 (rc = moore_grow_choose(g->in, g->whole, switches, progress, arg, err)) < 0)
		return rc;
	for (uint32_t i = 0; i < g->whole->n_switches; i++)
		if (g->in[i] && !was[i])
			g->sw[g->n_sw++] = i;
	for (uint32_t i = 0; i < g->whole->n_cables; i++)
		if (!g->has_cable[i] && g->in[g->whole->cable[i].sw[0]] && g->in[g->whole->cable[i].sw[1]])
			g->cable[g->n_cable++] = i;
	return add_endpoints(g, endpoints) ? 0 : moore_fail_nomem(err);
}

/* ---- its plan ------------------------------------------------------------------------------------- */

static char *
copy_text(const char *s, bool *ok)
{
	char *copy = s ? moore_strndup(s, strlen(s)) : NULL;

	*ok &= !s || copy;
	return copy;
}

static bool
copy_nodes(struct moore_plan *p, const struct part *g, uint32_t *now)
{
	bool ok = true;

	for (uint32_t i = 0; i < g->n_sw; i++) {
		p->sw[i] = g->whole->sw[g->sw[i]];
		p->sw[i].name = copy_text(p->sw[i].name, &ok);
		p->sw[i].cabinet = copy_text(p->sw[i].cabinet, &ok);
		now[g->sw[i]] = i;
	}
	for (uint32_t i = 0; i < g->n_ep; i++) {
		p->ep[i] = g->whole->ep[g->ep[i]];
		p->ep[i].name = copy_text(p->ep[i].name, &ok);
		p->ep[i].sw = now[p->ep[i].sw];
	}
	for (uint32_t i = 0; i < g->n_cable; i++) {
		p->cable[i] = g->whole->cable[g->cable[i]];
		p->cable[i].label = copy_text(p->cable[i].label, &ok);
		for (int e = 0; e < 2; e++)
			p->cable[i].sw[e] = now[p->cable[i].sw[e]];
	}
	return ok;
}

static bool
copy_floor(struct moore_plan *p, const struct moore_plan *whole)
{
	bool ok = true;

	p->column_pitch = whole->column_pitch;
	p->row_pitch = whole->row_pitch;
	if (!(p->cabinet = calloc((size_t)whole->n_cabinets + 1, sizeof(*p->cabinet))))
		return false;
	p->n_cabinets = whole->n_cabinets;
	for (uint32_t i = 0; i < whole->n_cabinets; i++) {
		p->cabinet[i] = whole->cabinet[i];
		p->cabinet[i].name = copy_text(whole->cabinet[i].name, &ok);
	}
	return ok;
}

/* A part has no family, since its graph is none of the family's. */
static bool
copy_family(struct moore_plan *p, const struct moore_plan *whole)
{
	bool ok = true;

	p->family = copy_text(whole->family, &ok);
	p->permuted = whole->permuted;
	p->permutation_seed = whole->permutation_seed;
	if (!whole->n_params)
		return ok;
	p->key = calloc(whole->n_params, sizeof(*p->key));
	p->value = calloc(whole->n_params, sizeof(*p->value));
	if (!p->key || !p->value)
		return false;
	memcpy(p->key, whole->key, whole->n_params * sizeof(*p->key));
	memcpy(p->value, whole->value, whole->n_params * sizeof(*p->value));
	p->n_params = whole->n_params;
	return ok;
}

static int
make(struct moore_plan **out, struct part *g, struct moore_err *err)
{
	struct moore_plan *p = moore_plan_new(g->n_sw, g->n_ep, g->n_cable);
	uint32_t *now = moore_arena_alloc(&g->tmp, (size_t)g->whole->n_switches + 1, sizeof(*now));

	if (p)
		p->rate = g->whole->rate;
	if (!p || !now || !copy_nodes(p, g, now) || !copy_floor(p, g->whole) ||
	    (g->n_sw == g->whole->n_switches && !copy_family(p, g->whole))) {
		moore_plan_free(p);
		return moore_fail_nomem(err);
	}
	*out = p;
	return 0;
}

static bool
new_part(struct part *g)
{
	const struct moore_plan *p = g->whole;
	size_t built = g->stage ? g->stage->n_switches : 0;

	g->in = moore_arena_alloc(&g->tmp, (size_t)p->n_switches + 1, sizeof(*g->in));
	g->of_stage = moore_arena_alloc(&g->tmp, built + 1, sizeof(*g->of_stage));
	g->sw = moore_arena_alloc(&g->tmp, (size_t)p->n_switches + 1, sizeof(*g->sw));
	g->ep = moore_arena_alloc(&g->tmp, (size_t)p->n_endpoints + 1, sizeof(*g->ep));
	g->cable = moore_arena_alloc(&g->tmp, (size_t)p->n_cables + 1, sizeof(*g->cable));
	g->has_ep = moore_arena_alloc(&g->tmp, (size_t)p->n_endpoints + 1, sizeof(*g->has_ep));
	g->has_cable = moore_arena_alloc(&g->tmp, (size_t)p->n_cables + 1, sizeof(*g->has_cable));
	return g->in && g->of_stage && g->sw && g->ep && g->cable && g->has_ep && g->has_cable;
}

int
moore_plan_grow(struct moore_plan **out, const struct moore_plan *whole, const struct moore_plan *stage,
		uint32_t switches, uint32_t endpoints, void (*progress)(void *arg, double share),
		void *arg, struct moore_err *err)
{
	struct part g = { .whole = whole, .stage = stage, .tmp = MOORE_ARENA_INIT };
	int rc;

	if (switches > whole->n_switches)
		rc = moore_fail(err, MOORE_EINVAL, 0, "%u switches: the whole plan has %u", switches,
				whole->n_switches);
	else if (stage && switches < stage->n_switches)
		rc = moore_fail(err, MOORE_EINVAL, 0, "%u switches: %u are built already", switches,
				stage->n_switches);
	else if (!new_part(&g))
		rc = moore_fail_nomem(err);
	else if ((!stage || (rc = match(&g, err)) == 0) &&
		 (rc = add(&g, switches, endpoints, progress, arg, err)) == 0)
		rc = make(out, &g, err);
	moore_arena_free(&g.tmp);
	return rc;
}
