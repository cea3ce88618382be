// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* from_plan.c - makes the fabric of a plan with every cable plugged in.
 *
 * LIDs follow GUIDs, as a subnet manager assigns them at the first start of a fabric, so the
 * order of elements in the plan file does not matter. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "moore/fabric.h"

#define PLAN_LANES 8		/* VL 0 to 7, as most switches have */

struct by_guid {
	uint64_t guid;
	uint32_t i;
};

static int
cmp_guid(const void *a, const void *b)
{
	const struct by_guid *x = a, *y = b;

	return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Returns the indices of guid[0..n-1], sorted by GUID; GUIDs are distinct. */
static struct by_guid *
sort_guids(const uint64_t *guid, uint32_t n, struct moore_arena *tmp)
{
	struct by_guid *o = moore_arena_alloc(tmp, (size_t)n + 1, sizeof(*o));

	for (uint32_t i = 0; o && i < n; i++)
		o[i] = (struct by_guid){ guid[i], i };
	if (o)
		qsort(o, n, sizeof(*o), cmp_guid);
	return o;
}

/* The last LID that is taken, at this LMC. */
static uint64_t
last_lid(const struct moore_fabric *f, unsigned lmc)
{
	const uint64_t step = (uint64_t)1 << lmc;

	return (f->n_switches + step) / step * step + f->n_endpoints * step - 1;
}

#define TOO_MANY \
	"plan: %u switches and %u endpoints of %u LIDs need more than the %u unicast LIDs; "

static int
fail_lids(const struct moore_fabric *f, unsigned lmc, struct moore_err *err)
{
	unsigned low = 0;	/* the LMCs that would do are less than this */

	while (low < lmc && last_lid(f, low) <= f->lid_max)
		low++;
	if (low)
		return moore_fail(err, MOORE_ELID, 0, TOO_MANY "lower the LMC to %u", f->n_switches,
				  f->n_endpoints, 1u << lmc, f->lid_max, low - 1);
	return moore_fail(err, MOORE_ELID, 0, TOO_MANY "plan fewer endpoints, or use Ethernet, which has "
			  "no such limit", f->n_switches, f->n_endpoints, 1u << lmc, f->lid_max);
}

static int
give_lids(struct moore_fabric *f, const struct by_guid *sw, const struct by_guid *ep,
	  uint8_t lmc, struct moore_err *err)
{
	const uint64_t step = (uint64_t)1 << lmc;
	uint64_t lid = 1;

	if (last_lid(f, lmc) > f->lid_max)
		return fail_lids(f, lmc, err);
	for (uint32_t i = 0; i < f->n_switches; i++)
		f->sw[sw[i].i].lid = (moore_lid)lid++;
	lid = (lid + step - 1) / step * step;
	for (uint32_t i = 0; i < f->n_endpoints; i++, lid += step) {
		f->ep[ep[i].i].lid = (moore_lid)lid;
		f->ep[ep[i].i].lmc = lmc;
	}
	return 0;
}

static bool
fill_switches(struct moore_fabric *f, const struct moore_plan *p, const uint64_t *guid)
{
	for (uint32_t s = 0; s < p->n_switches; s++) {
		struct moore_switch *to = &f->sw[s];

		to->guid = to->port_guid = guid[s];
		to->n_ports = p->sw[s].ports;
		to->maps_sl = true;
		if (!(to->name = moore_strndup(p->sw[s].name, strlen(p->sw[s].name))))
			return false;
	}
	moore_fabric_layout(f);
	return true;
}

static bool
fill_endpoints(struct moore_fabric *f, const struct moore_plan *p, const uint64_t *guid)
{
	for (uint32_t e = 0; e < p->n_endpoints; e++) {
		const struct moore_plan_endpoint *from = &p->ep[e];
		struct moore_endpoint *to = &f->ep[e];

		to->guid = guid[e];
		to->node_guid = guid[e] - from->ca_port;
		to->ca_port = from->ca_port;
		if (!(to->name = moore_strndup(from->name, strlen(from->name))))
			return false;
		moore_fabric_attach(f, e, from->sw, from->port, PLAN_LANES);
	}
	return true;
}

static int
fill(struct moore_fabric *f, const struct moore_plan *p, const uint64_t *sw_guid,
     const uint64_t *ep_guid, uint8_t lmc, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct by_guid *sw, *ep = NULL;
	int rc;

	if (!(sw = sort_guids(sw_guid, p->n_switches, &tmp)) ||
	    !(ep = sort_guids(ep_guid, p->n_endpoints, &tmp)) ||
	    !fill_switches(f, p, sw_guid) || !fill_endpoints(f, p, ep_guid)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t c = 0; c < p->n_cables; c++)
		moore_fabric_link(f, p->cable[c].sw[0], p->cable[c].port[0],
				  p->cable[c].sw[1], p->cable[c].port[1], PLAN_LANES);
	if ((rc = give_lids(f, sw, ep, lmc, err)) == 0)
		rc = moore_fabric_seal(f, err);
out:
	moore_arena_free(&tmp);
	return rc;
}

int
moore_fabric_from_plan_to(struct moore_fabric **out, const struct moore_plan *p, uint8_t lmc,
			  moore_lid lid_max, struct moore_err *err)
{
	uint64_t *sw_guid = NULL, *ep_guid = NULL;
	struct moore_fabric *f = NULL;
	uint32_t n_ports = 0;
	int rc;

	*out = NULL;
	if (lmc > 7)
		return moore_fail(err, MOORE_EINVAL, 0, "LMC %u: not 0 to 7", lmc);
	for (uint32_t s = 0; s < p->n_switches; s++)
		n_ports += 1u + p->sw[s].ports;
	if ((rc = moore_plan_guids(p, &sw_guid, &ep_guid, err)) < 0 ||
	    (rc = moore_fabric_new(&f, p->n_switches, p->n_endpoints, n_ports, err)) < 0)
		goto out;
	f->lid_max = lid_max;
	if ((rc = fill(f, p, sw_guid, ep_guid, lmc, err)) < 0)
		goto out;
	*out = f;
	f = NULL;
out:
	moore_fabric_free(f);
	free(sw_guid);
	free(ep_guid);
	return rc;
}

int
moore_fabric_from_plan(struct moore_fabric **out, const struct moore_plan *p, uint8_t lmc,
		       struct moore_err *err)
{
	return moore_fabric_from_plan_to(out, p, lmc, MOORE_LID_MAX, err);
}

int
moore_fabric_outline(struct moore_fabric **out, const struct moore_plan *p, struct moore_err *err)
{
	const uint32_t most = p->n_switches > p->n_endpoints ? p->n_switches : p->n_endpoints;
	uint64_t *none = calloc(most + 1u, sizeof(*none));
	uint32_t n_ports = 0;
	int rc = none ? 0 : moore_fail_nomem(err);

	*out = NULL;
	for (uint32_t s = 0; s < p->n_switches; s++)
		n_ports += 1u + p->sw[s].ports;
	if (rc == 0)
		rc = moore_fabric_new(out, p->n_switches, p->n_endpoints, n_ports, err);
	if (rc == 0 && (!fill_switches(*out, p, none) || !fill_endpoints(*out, p, none)))
		rc = moore_fail_nomem(err);
	for (uint32_t s = 0; rc == 0 && s < p->n_switches; s++)
		(*out)->sw[s].guid = (*out)->sw[s].port_guid = p->sw[s].guid;
	for (uint32_t e = 0; rc == 0 && e < p->n_endpoints; e++) {
		(*out)->ep[e].guid = p->ep[e].guid;
		(*out)->ep[e].node_guid = 0;
	}
	for (uint32_t c = 0; rc == 0 && c < p->n_cables; c++)
		moore_fabric_link(*out, p->cable[c].sw[0], p->cable[c].port[0], p->cable[c].sw[1],
				  p->cable[c].port[1], PLAN_LANES);
	if (rc < 0) {
		moore_fabric_free(*out);
		*out = NULL;
	}
	free(none);
	return rc;
}
