// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan.c - makes a plan from a topology, and frees plans.
 *
 * Endpoints take ports 1..p of their switch; links take the next ones, in the order of the
 * neighbours' indices.  A topology's links are sorted by (a, b), so one pass that gives each
 * link the next free port at both ends yields that order at every switch.
 *
 * Elsewhere: the invariants (plan_check.c), GUIDs (plan_wiring.c), JSON (plan_json.c), other
 * formats (fmt_*.c). */
#include <stdlib.h>
#include <string.h>

#include "plan_parts.h"

struct moore_plan *
moore_plan_new(uint32_t n_switches, uint32_t n_endpoints, uint32_t n_cables)
{
	struct moore_plan *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->sw = calloc((size_t)n_switches + 1, sizeof(*p->sw));
	p->ep = calloc((size_t)n_endpoints + 1, sizeof(*p->ep));
	p->cable = calloc((size_t)n_cables + 1, sizeof(*p->cable));
	if (!p->sw || !p->ep || !p->cable) {
		moore_plan_free(p);
		return NULL;
	}
	p->n_switches = n_switches;
	p->n_endpoints = n_endpoints;
	p->n_cables = n_cables;
	return p;
}

void
moore_plan_free(struct moore_plan *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_switches; i++) {
		free(p->sw[i].name);
		free(p->sw[i].cabinet);
	}
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		free(p->ep[i].name);
	for (uint32_t i = 0; i < p->n_cables; i++)
		free(p->cable[i].label);
	for (uint32_t i = 0; i < p->n_cabinets; i++)
		free(p->cabinet[i].name);
	free(p->cabinet);
	free(p->family);
	free(p->key);
	free(p->value);
	free(p->sw);
	free(p->ep);
	free(p->cable);
	free(p);
}

/* Names the parameter to lower: the number of endpoints if the links alone fit, else the
 * size. */
static const char *
param_to_lower(const struct moore_topo_family *f, uint32_t links)
{
	if (!f || !f->param[0].key)
		return "the number of endpoints or links";
	for (size_t i = 0; links <= MOORE_PORT_MAX && i < MOORE_TOPO_MAX_PARAMS &&
	     f->param[i].key; i++)
		if (f->param[i].symbolic)
			return f->param[i].key;
	return f->param[0].key;
}

static int
check_sizes(const struct moore_topo *t, const uint32_t *degree, uint64_t *n_endpoints,
	    struct moore_err *err)
{
	*n_endpoints = 0;
	for (uint32_t i = 0; i < t->n_switches; i++) {
		uint64_t ports = (uint64_t)t->endpoints[i] + degree[i];

		if (ports > MOORE_PORT_MAX)
			return moore_fail(err, MOORE_EINVAL, 0, "switch \"%.31s\": %u endpoints and "
					  "%u links need %llu ports, and an InfiniBand switch has at "
					  "most %d: lower %s", t->name[i], t->endpoints[i], degree[i],
					  (unsigned long long)ports, MOORE_PORT_MAX,
					  param_to_lower(t->family, degree[i]));
		*n_endpoints += t->endpoints[i];
	}
	if (t->n_switches > MOORE_PLAN_COUNT_MAX || t->n_links > MOORE_PLAN_COUNT_MAX ||
	    *n_endpoints > MOORE_PLAN_COUNT_MAX)
		return moore_fail(err, MOORE_EINVAL, 0, "%u switches, %llu endpoints and %u links: "
				  "a plan holds at most %d of each: lower %s", t->n_switches,
				  (unsigned long long)*n_endpoints, t->n_links, MOORE_PLAN_COUNT_MAX,
				  param_to_lower(t->family, MOORE_NONE));
	return 0;
}

static bool
fill_family(struct moore_plan *p, const struct moore_topo *t)
{
	const struct moore_topo_family *f = t->family;

	if (!f)
		return true;
	p->key = calloc(MOORE_TOPO_MAX_PARAMS, sizeof(*p->key));
	p->value = calloc(MOORE_TOPO_MAX_PARAMS, sizeof(*p->value));
	p->family = moore_strndup(f->name, strlen(f->name));
	if (!p->key || !p->value || !p->family)
		return false;
	for (size_t i = 0; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++) {
		memcpy(p->key[i], f->param[i].key, strnlen(f->param[i].key, sizeof(*p->key) - 1));
		p->value[i] = t->param[i];
		p->n_params++;
	}
	return true;
}

/* Fills switches and endpoints.  next[i] holds the links of switch i, and afterwards its
 * first free port. */
static bool
fill_nodes(struct moore_plan *p, const struct moore_topo *t, uint32_t *next)
{
	struct moore_buf name = MOORE_BUF_INIT;
	struct moore_plan_endpoint *ep = p->ep;
	bool ok = true;

	for (uint32_t i = 0; ok && i < t->n_switches; i++) {
		uint32_t ports = t->endpoints[i] + next[i];

		p->sw[i].ports = (moore_portnum)(ports ? ports : 1);
		p->sw[i].name = moore_strndup(t->name[i], strnlen(t->name[i], sizeof(*t->name)));
		ok = p->sw[i].name != NULL;
		for (uint32_t j = 0; ok && j < t->endpoints[i]; j++, ep++) {
			name.len = 0;
			moore_buf_fmt(&name, "%s-h%u", p->sw[i].name, j);
			ep->sw = i;
			ep->port = (moore_portnum)(j + 1);
			ep->ca_port = 1;
			ep->name = name.oom ? NULL : moore_strndup(name.data, name.len);
			ok = ep->name != NULL;
		}
		next[i] = t->endpoints[i] + 1u;
	}
	moore_buf_free(&name);
	return ok;
}

static void
fill_cables(struct moore_plan *p, const struct moore_topo *t, uint32_t *next)
{
	for (uint32_t i = 0; i < t->n_links; i++) {
		moore_swid a = t->link[i].a, b = t->link[i].b;

		p->cable[i].sw[0] = a;
		p->cable[i].sw[1] = b;
		p->cable[i].port[0] = (moore_portnum)next[a]++;
		p->cable[i].port[1] = (moore_portnum)next[b]++;
	}
}

int
moore_plan_from_topo(struct moore_plan **out, const struct moore_topo *t, struct moore_err *err)
{
	uint32_t *degree = calloc((size_t)t->n_switches + 1, sizeof(*degree));
	struct moore_plan *p = NULL;
	uint64_t n_endpoints;
	int rc;

	*out = NULL;
	if (!degree)
		return moore_fail_nomem(err);
	for (uint32_t i = 0; i < t->n_links; i++) {
		degree[t->link[i].a]++;
		degree[t->link[i].b]++;
	}
	if ((rc = check_sizes(t, degree, &n_endpoints, err)) < 0)
		goto out;
	if (!(p = moore_plan_new(t->n_switches, (uint32_t)n_endpoints, t->n_links)) ||
	    !fill_family(p, t) || !fill_nodes(p, t, degree)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	fill_cables(p, t, degree);
	*out = p;
	p = NULL;			/* now the caller's */
out:
	moore_plan_free(p);
	free(degree);
	return rc;
}
