// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* plan_check.c - checks the invariants of a plan.
 *
 * Everything that must be unique (names, CA ports, GUIDs, switch ports) is listed with a key
 * and sorted, and neighbours are compared: O(n log n) time, and memory proportional to the
 * plan whatever numbers it holds.  Errors name places as in the JSON ("cables[12].b.port"),
 * whose arrays have the same indices. */
#include <stdlib.h>
#include <string.h>

#include "base/union_find.h"
#include "plan_parts.h"

/* ---- references ---------------------------------------------------------- */

static int
ref_cmp(const void *x, const void *y)
{
	const struct moore_plan_ref *a = x, *b = y;
	int d = strcmp(a->name, b->name);

	if (d)
		return d;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

void
moore_plan_refs_sort(struct moore_plan_ref *r, size_t n)
{
	qsort(r, n, sizeof(*r), ref_cmp);
}

uint32_t
moore_plan_refs_find(const struct moore_plan_ref *r, size_t n, const char *name, uint64_t key,
		     int kind)
{
	const struct moore_plan_ref want = { name, key, 0, kind };
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ref_cmp(&r[mid], &want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == n || strcmp(r[lo].name, name) || r[lo].key != key || r[lo].kind != kind)
		return MOORE_NONE;
	return r[lo].index;
}

static const struct {
	const char *list, *part;
} kinds[] = {
	[MOORE_PLAN_SWITCH] = { "switches", "" },
	[MOORE_PLAN_ENDPOINT] = { "endpoints", "" },
	[MOORE_PLAN_CABLE] = { "cables", "" },
	[MOORE_PLAN_CABINET] = { "floor.cabinets", "" },
	[MOORE_PLAN_CABLE_A] = { "cables", ".a" },
	[MOORE_PLAN_CABLE_B] = { "cables", ".b" },
};

#define PLACE "%s[%u]%s"
#define PLACE_OF(ref) kinds[(ref)->kind].list, (ref)->index, kinds[(ref)->kind].part

int
moore_plan_refs_unique(const struct moore_plan_ref *r, size_t n, const char *what,
		       struct moore_err *err)
{
	for (size_t i = 1; i < n; i++)
		if (r[i].key == r[i - 1].key && !strcmp(r[i].name, r[i - 1].name))
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ".%s: the same as that of "
					  PLACE ": each must be its own", PLACE_OF(&r[i]), what,
					  PLACE_OF(&r[i - 1]));
	return 0;
}

/* ---- single values -------------------------------------------------------- */

static int
check_text(const struct moore_plan_ref *at, const char *key, const char *text, size_t max,
	   const char *forbidden, struct moore_err *err)
{
	size_t len = text ? strlen(text) : 0, n;

	if (!len || len > max)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".%s: %zu bytes: it must have 1..%zu",
				  PLACE_OF(at), key, len, max);
	for (size_t i = 0; i < len; i += n) {
		unsigned char c = (unsigned char)text[i];

		if (!(n = moore_utf8_len(text + i, len - i)))
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ".%s: byte 0x%02x is not UTF-8",
					  PLACE_OF(at), key, c);
		if (c < 0x20 || c == 0x7f)
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ".%s: control character 0x%02x",
					  PLACE_OF(at), key, c);
		if (strchr(forbidden, c))
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ".%s: \"%s\" holds %c, which "
					  "fabric tools cannot read in a name", PLACE_OF(at), key,
					  text, c);
	}
	return 0;
}

static int
check_name(const struct moore_plan_ref *at, const char *name, struct moore_err *err)
{
	return check_text(at, "name", name, MOORE_NAME_MAX, "\"\\", err);
}

static int
check_plug(const struct moore_plan *p, const struct moore_plan_ref *at, moore_swid sw,
	   moore_portnum port, struct moore_err *err)
{
	if (sw >= p->n_switches)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".switch: there is no switches[%u]",
				  PLACE_OF(at), sw);
	if (!port || port > p->sw[sw].ports)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".port: %u is out of range: ports are "
				  "1..%u of switch \"%s\"", PLACE_OF(at), port, p->sw[sw].ports,
				  p->sw[sw].name);
	return 0;
}

static int
check_key(const struct moore_plan *p, size_t i, struct moore_err *err)
{
	size_t len = strnlen(p->key[i], sizeof(*p->key));

	if (!len || len == sizeof(*p->key) ||
	    strspn(p->key[i], "abcdefghijklmnopqrstuvwxyz0123456789_") != len ||
	    !strcmp(p->key[i], "family"))
		return moore_fail(err, MOORE_EPLAN, 0, "topology: \"%.15s\" cannot be a parameter: "
				  "a parameter has 1..15 of a-z, 0-9 and _", p->key[i]);
	for (size_t j = 0; j < i; j++)
		if (!strcmp(p->key[i], p->key[j]))
			return moore_fail(err, MOORE_EPLAN, 0, "topology.%s: given twice", p->key[i]);
	return 0;
}

static int
check_head(const struct moore_plan *p, struct moore_err *err)
{
	int rc = 0;

	if (!p->n_switches)
		return moore_fail(err, MOORE_EPLAN, 0, "switches: there is none: is the file empty, or cut off?");
	if (p->n_switches > MOORE_PLAN_COUNT_MAX || p->n_endpoints > MOORE_PLAN_COUNT_MAX ||
	    p->n_cables > MOORE_PLAN_COUNT_MAX)
		return moore_fail(err, MOORE_EPLAN, 0, "%u switches, %u endpoints, %u cables: a plan "
				  "holds at most %d of each", p->n_switches, p->n_endpoints,
				  p->n_cables, MOORE_PLAN_COUNT_MAX);
	if (p->family && (!*p->family || strlen(p->family) > MOORE_NAME_MAX ||
	    strspn(p->family, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(p->family)))
		return moore_fail(err, MOORE_EPLAN, 0, "topology.family: it must have 1..%d of a-z, "
				  "0-9, _ and -", MOORE_NAME_MAX);
	if (p->n_params > MOORE_PLAN_PARAMS_MAX || (p->n_params && !p->family))
		return moore_fail(err, MOORE_EPLAN, 0, "topology: %zu parameters: at most %d, of a "
				  "family", p->n_params, MOORE_PLAN_PARAMS_MAX);
	for (size_t i = 0; !rc && i < p->n_params; i++)
		rc = check_key(p, i, err);
	return rc;
}

static int
check_switch(const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_ref at = { "", 0, i, MOORE_PLAN_SWITCH };
	const struct moore_plan_switch *s = &p->sw[i];
	int rc;

	if ((rc = check_name(&at, s->name, err)) < 0 ||
	    (s->cabinet && (rc = check_text(&at, "cabinet", s->cabinet, MOORE_PLAN_TEXT_MAX, "",
					    err)) < 0))
		return rc;
	if (!s->ports || s->ports > MOORE_PORT_MAX)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".ports: %u is out of range: 1..%d",
				  PLACE_OF(&at), s->ports, MOORE_PORT_MAX);
	if (s->unit > MOORE_PLAN_UNIT_MAX || (s->unit && !s->cabinet))
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".unit: %u: a unit is 1..%d of a cabinet",
				  PLACE_OF(&at), s->unit, MOORE_PLAN_UNIT_MAX);
	return 0;
}

static int
check_endpoint(const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_ref at = { "", 0, i, MOORE_PLAN_ENDPOINT };
	const struct moore_plan_endpoint *e = &p->ep[i];
	int rc;

	if ((rc = check_name(&at, e->name, err)) < 0 ||
	    (rc = check_plug(p, &at, e->sw, e->port, err)) < 0)
		return rc;
	if (!e->ca_port || e->ca_port > MOORE_PORT_MAX)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".ca_port: %u is out of range: 1..%d",
				  PLACE_OF(&at), e->ca_port, MOORE_PORT_MAX);
	/* A node GUID is a port GUID minus the port's number, and must not be 0. */
	if (e->guid && e->guid <= e->ca_port)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ".guid: 0x%llx is no GUID: it must "
				  "exceed ca_port", PLACE_OF(&at), (unsigned long long)e->guid);
	return 0;
}

static int
check_cable(const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_cable *c = &p->cable[i];
	const struct moore_plan_ref whole = { "", 0, i, MOORE_PLAN_CABLE };
	const struct moore_plan_ref at[2] = {
		{ "", 0, i, MOORE_PLAN_CABLE_A }, { "", 0, i, MOORE_PLAN_CABLE_B },
	};
	int rc;

	for (int end = 0; end < 2; end++)
		if ((rc = check_plug(p, &at[end], c->sw[end], c->port[end], err)) < 0)
			return rc;
	if (c->sw[0] == c->sw[1])
		return moore_fail(err, MOORE_EPLAN, 0, "cables[%u]: from switch \"%s\" to itself: a "
				  "cable joins two switches", i, p->sw[c->sw[0]].name);
	if (!(c->length >= 0 && c->length <= MOORE_PLAN_METRES_MAX))
		return moore_fail(err, MOORE_EPLAN, 0, "cables[%u].length: out of range: 0..%d metres",
				  i, MOORE_PLAN_METRES_MAX);
	return c->label ? check_text(&whole, "label", c->label, MOORE_PLAN_TEXT_MAX, "", err) : 0;
}

static int
check_cabinet(const struct moore_plan *p, uint32_t i, struct moore_err *err)
{
	const struct moore_plan_ref at = { "", 0, i, MOORE_PLAN_CABINET };
	const struct moore_plan_cabinet *c = &p->cabinet[i];

	if (c->row > MOORE_PLAN_GRID_MAX || c->column > MOORE_PLAN_GRID_MAX)
		return moore_fail(err, MOORE_EPLAN, 0, PLACE ": row %u, column %u: out of range: "
				  "0..%d", PLACE_OF(&at), c->row, c->column, MOORE_PLAN_GRID_MAX);
	return check_text(&at, "name", c->name, MOORE_PLAN_TEXT_MAX, "", err);
}

static int
check_pitch(const char *key, double pitch, struct moore_err *err)
{
	if (!(pitch > 0 && pitch <= MOORE_PLAN_METRES_MAX))
		return moore_fail(err, MOORE_EPLAN, 0, "floor.%s: out of range: metres, above 0 and at "
				  "most %d", key, MOORE_PLAN_METRES_MAX);
	return 0;
}

/* ---- what must be unique --------------------------------------------------- */

static int
check_names(const struct moore_plan *p, struct moore_plan_ref *r, struct moore_err *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_switches; i++)
		r[n++] = (struct moore_plan_ref){ p->sw[i].name, 0, i, MOORE_PLAN_SWITCH };
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		r[n++] = (struct moore_plan_ref){ p->ep[i].name, p->ep[i].ca_port, i,
						  MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(r, n);
	for (size_t i = 1; i < n; i++) {
		const struct moore_plan_ref *a = &r[i - 1], *b = &r[i];

		if (strcmp(a->name, b->name))
			continue;
		if (a->kind == MOORE_PLAN_SWITCH)
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ".name: \"%s\" is also the name "
					  "of " PLACE, PLACE_OF(b), b->name, PLACE_OF(a));
		if (a->key == b->key)
			return moore_fail(err, MOORE_EPLAN, 0, PLACE ": port %u of \"%s\" is also "
					  PLACE ": a CA port is plugged in once", PLACE_OF(b),
					  (unsigned)b->key, b->name, PLACE_OF(a));
	}
	return 0;
}

static int
check_guids(const struct moore_plan *p, struct moore_plan_ref *r, struct moore_err *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_switches; i++)
		if (p->sw[i].guid)
			r[n++] = (struct moore_plan_ref){ "", p->sw[i].guid, i, MOORE_PLAN_SWITCH };
	for (uint32_t i = 0; i < p->n_endpoints; i++)
		if (p->ep[i].guid)
			r[n++] = (struct moore_plan_ref){ "", p->ep[i].guid, i, MOORE_PLAN_ENDPOINT };
	moore_plan_refs_sort(r, n);
	return moore_plan_refs_unique(r, n, "guid", err);
}

/* Checks that cabinets have distinct names and places, and that switches name existing ones. */
static int
check_floor(const struct moore_plan *p, struct moore_plan_ref *r, struct moore_err *err)
{
	uint32_t n = p->n_cabinets;
	int rc;

	for (uint32_t i = 0; i < n; i++)
		r[i] = (struct moore_plan_ref){ "", (uint64_t)p->cabinet[i].row << 32 |
						p->cabinet[i].column, i, MOORE_PLAN_CABINET };
	moore_plan_refs_sort(r, n);
	if ((rc = moore_plan_refs_unique(r, n, "row, column", err)) < 0)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		r[i] = (struct moore_plan_ref){ p->cabinet[i].name, 0, i, MOORE_PLAN_CABINET };
	moore_plan_refs_sort(r, n);
	if ((rc = moore_plan_refs_unique(r, n, "name", err)) < 0)
		return rc;
	for (uint32_t i = 0; n && i < p->n_switches; i++)
		if (p->sw[i].cabinet && moore_plan_refs_find(r, n, p->sw[i].cabinet, 0,
							     MOORE_PLAN_CABINET) == MOORE_NONE)
			return moore_fail(err, MOORE_EPLAN, 0, "switches[%u].cabinet: there is no "
					  "cabinet \"%s\" on the floor", i, p->sw[i].cabinet);
	return 0;
}

static int
check_plugs(const struct moore_plan *p, struct moore_err *err)
{
	size_t n = (size_t)p->n_endpoints + 2 * (size_t)p->n_cables;
	struct moore_plan_ref *r = moore_plan_plugs(p);
	int rc = 0;

	if (!r)
		return moore_fail_nomem(err);
	for (size_t i = 1; !rc && i < n; i++)
		if (r[i].key == r[i - 1].key)
			rc = moore_fail(err, MOORE_EPLAN, 0, PLACE ".port: port %u of switch \"%s\" is "
					"used by " PLACE " already", PLACE_OF(&r[i]),
					(unsigned)(r[i].key & 0xff), p->sw[r[i].key >> 8].name,
					PLACE_OF(&r[i - 1]));
	free(r);
	return rc;
}

static int
check_unique(const struct moore_plan *p, struct moore_err *err)
{
	struct moore_plan_ref *r = malloc(((size_t)p->n_switches + p->n_endpoints + p->n_cabinets) *
					  sizeof(*r));
	int rc;

	if (!r)
		return moore_fail_nomem(err);
	if ((rc = check_names(p, r, err)) == 0 && (rc = check_guids(p, r, err)) == 0 &&
	    (rc = check_floor(p, r, err)) == 0)
		rc = check_plugs(p, err);
	free(r);
	return rc;
}

static int
count_parts(const struct moore_plan *p, uint32_t *n_parts, struct moore_err *err)
{
	uint32_t *part = malloc(p->n_switches * sizeof(*part));

	if (!part)
		return moore_fail_nomem(err);
	moore_union_start(part, p->n_switches);
	*n_parts = p->n_switches;
	for (uint32_t i = 0; i < p->n_cables; i++)
		*n_parts -= moore_union_join(part, p->cable[i].sw[0], p->cable[i].sw[1]);
	free(part);
	return 0;
}

int
moore_plan_check(const struct moore_plan *p, uint32_t *n_parts, struct moore_err *err)
{
	int rc = check_head(p, err);

	if (!rc && p->n_cabinets && (rc = check_pitch("column_pitch", p->column_pitch, err)) == 0)
		rc = check_pitch("row_pitch", p->row_pitch, err);
	for (uint32_t i = 0; !rc && i < p->n_cabinets; i++)
		rc = check_cabinet(p, i, err);
	for (uint32_t i = 0; !rc && i < p->n_switches; i++)
		rc = check_switch(p, i, err);
	for (uint32_t i = 0; !rc && i < p->n_endpoints; i++)
		rc = check_endpoint(p, i, err);
	for (uint32_t i = 0; !rc && i < p->n_cables; i++)
		rc = check_cable(p, i, err);
	if (!rc)
		rc = check_unique(p, err);
	if (!rc && n_parts)
		rc = count_parts(p, n_parts, err);
	return rc;
}
