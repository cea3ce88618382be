// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* accept.c - makes the plan that the wiring fulfils, when it is an image of the plan.
 *
 * A switch keeps its name, GUID and place; cables and endpoints, with their labels, go to
 * where they were found.  A switch that no name or GUID identifies takes over the record of
 * the planned switch whose cables it has, with its own name and GUID. */
#include <stdlib.h>
#include <string.h>

#include "plan/plan_parts.h"
#include "wire/wire_impl.h"

/* The planned switch whose record the switch at this slot takes. */
static moore_swid
record_of(const struct moore_wire *w, uint32_t slot)
{
	moore_swid self = w->self[w->occupant[slot]];

	return self != MOORE_NONE ? self : slot;
}

static int
copy_plan(struct moore_plan **out, const struct moore_plan *p, struct moore_err *err)
{
	struct moore_buf text = MOORE_BUF_INIT;
	int rc = moore_plan_write(p, &text, err);

	if (rc == 0)
		rc = moore_plan_parse(out, text.data, text.len, err);
	moore_buf_free(&text);
	return rc;
}

static int
take_switches(struct moore_plan *p, const struct moore_wire *w, struct moore_err *err)
{
	for (moore_swid s = 0; s < p->n_switches; s++) {
		const struct moore_plan_switch *o = &w->seen->plan->sw[w->occupant[s]];
		struct moore_plan_switch *to = &p->sw[record_of(w, s)];
		char *name;

		if (o->ports > to->ports)
			to->ports = o->ports;
		if (w->self[w->occupant[s]] != MOORE_NONE)
			continue;
		if (!(name = moore_strndup(o->name, strlen(o->name))))
			return moore_fail_nomem(err);
		free(to->name);
		to->name = name;
		to->guid = o->guid;
	}
	return 0;
}

static void
take_cables(struct moore_plan *p, const struct moore_wire *w)
{
	for (uint32_t i = 0; i < w->planned.n; i++) {
		const struct moore_wire_cable *c = &w->planned.cable[i];
		const struct moore_wire_cable *o = &w->observed.cable[c->twin];
		struct moore_wire_jack end[2] = { w->jack[o->jack[0]], w->jack[o->jack[1]] };

		if (c->endpoint) {
			p->ep[c->index].sw = record_of(w, end[1].slot);
			p->ep[c->index].port = end[1].port;
			continue;
		}
		for (int k = 0; k < 2; k++) {
			p->cable[c->index].sw[k] = record_of(w, end[k].slot);
			p->cable[c->index].port[k] = end[k].port;
		}
	}
}

int
moore_wire_accept(struct moore_plan **out, const struct moore_wire *w, struct moore_err *err)
{
	struct moore_plan *p = NULL;
	int rc;

	*out = NULL;
	if (!w->image)
		return moore_fail(err, MOORE_EPLAN, 0, "the wiring is no image of the plan: something is "
				  "missing, extra or between other devices; repair that first");
	if ((rc = copy_plan(&p, w->plan, err)) < 0 || (rc = take_switches(p, w, err)) < 0)
		goto out;
	take_cables(p, w);
	if ((rc = moore_plan_check(p, NULL, err)) < 0)
		goto out;
	*out = p;
	p = NULL;			/* the caller owns it now */
out:
	moore_plan_free(p);
	return rc;
}
