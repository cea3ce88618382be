// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan_wiring.c - a plan sorted by switch port and by CA, and the GUIDs of its nodes.
 *
 * A plan lists endpoints and cables; fabric tools list nodes and what is plugged into each
 * port.  Endpoints with the same name are the ports of one CA, whose node GUID is the GUID of
 * any of its ports minus the port's number, as in ibsim and most adapters. */
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"

#define FIRST_CA_GUID 0x100000		/* ibsim's first GUIDs */
#define FIRST_SWITCH_GUID 0x200000

static moore_swid
switch_of(const struct moore_plan_ref *r)
{
	return (moore_swid)(r->key >> 8);
}

/* Lists the used ports of p in r[]. */
static void
list_plugs(const struct moore_plan *p, struct moore_plan_ref *r)
{
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		*r++ = (struct moore_plan_ref){ "", moore_plan_plug_key(p->ep[i].sw, p->ep[i].port),
						i, MOORE_PLAN_ENDPOINT };
	for (uint32_t i = 0; i < p->n_cables; i++)
		for (int end = 0; end < 2; end++)
			*r++ = (struct moore_plan_ref){ "",
				moore_plan_plug_key(p->cable[i].sw[end], p->cable[i].port[end]),
				i, end ? MOORE_PLAN_CABLE_B : MOORE_PLAN_CABLE_A };
}

/* Sorts n references to ports into to[]: first by switch, then those of each, which are few.  To sort many
 * thousand at once takes several times as long.  begin[n_switches + 1] is scratch, zeroed. */
static void
sort_plugs(const struct moore_plan_ref *r, size_t n, struct moore_plan_ref *to, size_t *begin,
	   uint32_t n_switches)
{
	for (size_t i = 0; i < n; i++)
		begin[switch_of(&r[i])]++;
	for (uint32_t s = 0; s < n_switches; s++)
		begin[s + 1] += begin[s];
	for (size_t i = n; i-- > 0;)
		to[--begin[switch_of(&r[i])]] = r[i];
	for (uint32_t s = 0; s < n_switches; s++)
		moore_plan_refs_sort(to + begin[s], begin[s + 1] - begin[s]);
}

struct moore_plan_ref *
moore_plan_plugs(const struct moore_plan *p)
{
	const size_t n = (size_t)p->n_endpoints + 2 * (size_t)p->n_cables;
	struct moore_plan_ref *r = malloc((n + 1) * sizeof(*r)), *sorted = malloc((n + 1) * sizeof(*r));
	size_t *begin = calloc((size_t)p->n_switches + 1, sizeof(*begin));

	if (r && sorted && begin) {
		list_plugs(p, r);
		sort_plugs(r, n, sorted, begin, p->n_switches);
	} else {
		free(sorted);
		sorted = NULL;
	}
	free(r);
	free(begin);
	return sorted;
}

static int
ca_cmp(const void *x, const void *y)
{
	const struct moore_plan_ca *a = x, *b = y;

	return (a->first > b->first) - (a->first < b->first);
}

/* Makes a CA of each run of equal names among the endpoints sorted by (name, ca_port). */
static int
group_cas(struct moore_plan_wiring *w, const struct moore_plan *p, struct moore_err *err)
{
	uint32_t n = p->n_endpoints;
	struct moore_plan_ref *r = malloc(((size_t)n + 1) * sizeof(*r));

	w->ca = calloc((size_t)n + 1, sizeof(*w->ca));
	w->ep = malloc(((size_t)n + 1) * sizeof(*w->ep));
	if (!r || !w->ca || !w->ep) {
		free(r);
		return moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < n; i++)
		r[i] = (struct moore_plan_ref){ p->ep[i].name, p->ep[i].ca_port, i,
						MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(r, n);
	for (uint32_t i = 0; i < n; i++) {
		struct moore_plan_ca *ca = &w->ca[w->n_cas];

		w->ep[i] = r[i].index;
		if (!i || strcmp(r[i].name, r[i - 1].name))
			*ca = (struct moore_plan_ca){ .name = r[i].name, .first = r[i].index,
						      .start = i };
		ca->n++;
		ca->ports = (uint8_t)r[i].key;
		if (r[i].index < ca->first)
			ca->first = r[i].index;
		if (i + 1 == n || strcmp(r[i].name, r[i + 1].name))
			w->n_cas++;
	}
	qsort(w->ca, w->n_cas, sizeof(*w->ca), ca_cmp);
	free(r);
	return 0;
}

static void
name_endpoints(struct moore_plan_wiring *w, const struct moore_plan *p)
{
	uint64_t next = FIRST_CA_GUID;

	for (uint32_t i = 0; i < w->n_cas; i++) {
		struct moore_plan_ca *ca = &w->ca[i];
		const uint32_t *ep = w->ep + ca->start;

		ca->guid = next;
		next += ca->ports + 1u;
		for (uint32_t j = ca->n; j-- > 0; )
			if (p->ep[ep[j]].guid)
				ca->guid = p->ep[ep[j]].guid - p->ep[ep[j]].ca_port;
		for (uint32_t j = 0; j < ca->n; j++)
			w->ep_guid[ep[j]] = p->ep[ep[j]].guid ? p->ep[ep[j]].guid :
					    ca->guid + p->ep[ep[j]].ca_port;
	}
}

static int
make_guids(struct moore_plan_wiring *w, const struct moore_plan *p, struct moore_err *err)
{
	size_t n = 0;
	struct moore_plan_ref *r;
	int rc;

	w->sw_guid = malloc(((size_t)p->n_switches + 1) * sizeof(*w->sw_guid));
	w->ep_guid = malloc(((size_t)p->n_endpoints + 1) * sizeof(*w->ep_guid));
	r = malloc(((size_t)p->n_switches + p->n_endpoints + 1) * sizeof(*r));
	if (!w->sw_guid || !w->ep_guid || !r) {
		free(r);
		return moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < p->n_switches; i++) {
		w->sw_guid[i] = p->sw[i].guid ? p->sw[i].guid : FIRST_SWITCH_GUID + i;
		r[n++] = (struct moore_plan_ref){ "", w->sw_guid[i], i, MOORE_PLAN_SWITCH };
	}
	name_endpoints(w, p);
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		r[n++] = (struct moore_plan_ref){ "", w->ep_guid[i], i, MOORE_PLAN_ENDPOINT };
	/* A GUID that the plan gives may be one that is also handed out. */
	moore_plan_refs_sort(r, n);
	rc = moore_plan_refs_unique(r, n, "guid (where none is given, ibsim's default)", err);
	free(r);
	return rc;
}

int
moore_plan_guids(const struct moore_plan *p, uint64_t **sw_guid, uint64_t **ep_guid,
		 struct moore_err *err)
{
	struct moore_plan_wiring w = { 0 };
	int rc;

	*sw_guid = *ep_guid = NULL;
	if ((rc = group_cas(&w, p, err)) < 0 || (rc = make_guids(&w, p, err)) < 0)
		goto out;
	*sw_guid = w.sw_guid;
	*ep_guid = w.ep_guid;
	w.sw_guid = w.ep_guid = NULL;	/* now the caller's */
out:
	moore_plan_wiring_fini(&w);
	return rc;
}

static int
check_node_guids(const struct moore_plan_wiring *w, const struct moore_plan *p,
		 struct moore_err *err)
{
	size_t n = 0;
	struct moore_plan_ref *r = malloc(((size_t)p->n_switches + w->n_cas + 1) * sizeof(*r));
	int rc;

	if (!r)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < p->n_switches; i++)
		r[n++] = (struct moore_plan_ref){ "", w->sw_guid[i], i, MOORE_PLAN_SWITCH };
	for (uint32_t i = 0; i < w->n_cas; i++)
		r[n++] = (struct moore_plan_ref){ "", w->ca[i].guid, w->ca[i].first,
						  MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(r, n);
	rc = moore_plan_refs_unique(r, n, "guid (of the node: that of a port less its number)", err);
	free(r);
	return rc;
}

int
moore_plan_wiring_init(struct moore_plan_wiring *w, const struct moore_plan *p,
		       struct moore_err *err)
{
	int rc;

	*w = (struct moore_plan_wiring){ 0 };
	if ((rc = moore_plan_check(p, NULL, err)) < 0)
		return rc;
	w->n_plugs = (size_t)p->n_endpoints + 2 * (size_t)p->n_cables;
	if (!(w->plug = moore_plan_plugs(p)))
		rc = moore_fail_nomem(err);
	else if ((rc = group_cas(w, p, err)) == 0 && (rc = make_guids(w, p, err)) == 0)
		rc = check_node_guids(w, p, err);
	if (rc < 0)
		moore_plan_wiring_fini(w);
	return rc;
}

void
moore_plan_wiring_fini(struct moore_plan_wiring *w)
{
	free(w->plug);
	free(w->ca);
	free(w->ep);
	free(w->sw_guid);
	free(w->ep_guid);
	*w = (struct moore_plan_wiring){ 0 };
}
