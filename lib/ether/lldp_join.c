// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* lldp_join.c - makes one fabric of what many switches report.
 *
 * A report is one neighbour at one port of one switch.  It is confirmed when the neighbour was
 * asked and reports the same link from its side; open when the neighbour could not be asked (a
 * host, or a switch that did not answer); else nothing but the report speaks for the link.
 * Of the reports at a port at most one counts: the confirmed one, else the open one; where
 * there are several of a sort, the planned one.  Whatever counts for no port is a finding.
 * LLDP gives no time by which an old report could be told from a new one (lldpd's age counts
 * from the first), so a stale report is one that another at its port outweighs.
 * Elsewhere: the documents (lldp_read.c), the plan in the making (plan/draft.c). */
#include <stdlib.h>
#include <string.h>

#include "lldp_impl.h"
#include "plan/draft.h"

enum weight { ALONE, OPEN, CONFIRMED };

struct report {
	uint32_t sw;		/* that reports */
	const struct moore_lldp_port *port;
	const struct moore_lldp_neighbour *nb;
	uint32_t node;		/* of the draft: the neighbour */
	moore_portnum to;	/* its port; 0: a host's, to be numbered */
	bool counts;
};

struct join {
	struct moore_lldp_switch *const *sw;
	uint32_t n;
	struct moore_lldp_plan plan;
	struct moore_draft d;
	struct moore_lldp_fabric *out;
	const char **name;	/* by switch: what it calls itself, or what it was asked by */
	uint32_t *node;		/* by switch; MOORE_NONE: left out */
	uint32_t *sw_of;	/* by node, up to n_asked: the switch */
	uint32_t n_asked;
	struct moore_plan_ref *mac;	/* the switches by MAC */
	size_t n_macs;
	struct moore_plan_ref *asked;	/* the switches by the name that they were asked by */
	struct report *report;
	uint32_t n_reports, cap_reports;
	uint32_t *first;	/* by switch: its first report; sorted by port number */
	struct moore_err *err;
};

/* Whether two values are known and differ. */
static bool
differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

/* ---- findings ----------------------------------------------------------------------- */

static int
add(struct join *j, const struct moore_lldp_finding *f)
{
	struct moore_lldp_fabric *x = j->out;
	struct moore_lldp_finding *list = moore_grow(x->finding, x->n_findings, &x->cap_findings,
						     sizeof(*list));

	if (!list)
		return moore_fail_nomem(j->err);
	x->finding = list;
	list[x->n_findings++] = *f;
	x->n_notes += moore_lldp_text(f->kind)->is_note;
	return 0;
}

static int
add_switch(struct join *j, enum moore_lldp_kind kind, const char *name, const char *other)
{
	return add(j, &(struct moore_lldp_finding){ .kind = (uint8_t)kind, .sw = name, .peer = other });
}

static struct moore_lldp_finding
finding_of(const struct join *j, enum moore_lldp_kind kind, const struct report *r)
{
	bool is_asked = r->node < j->n_asked;

	return (struct moore_lldp_finding){ .kind = (uint8_t)kind, .sw = j->name[r->sw],
		.port = r->port->name, .peer = is_asked ? j->name[j->sw_of[r->node]] : r->nb->name,
		.peer_port = r->nb->port };
}

static int
add_report(struct join *j, enum moore_lldp_kind kind, const struct report *r)
{
	struct moore_lldp_finding f = finding_of(j, kind, r);

	return add(j, &f);
}

static int
add_values(struct join *j, enum moore_lldp_kind kind, const struct report *r, uint32_t a, uint32_t b)
{
	struct moore_lldp_finding f = finding_of(j, kind, r);

	f.value[0] = a;
	f.value[1] = b;
	return add(j, &f);
}

/* ---- switches ----------------------------------------------------------------------- */

/* Returns the EUI-64 of a MAC (IEEE guidelines for EUI); 0 of none. */
static uint64_t
guid_of(uint64_t mac)
{
	return mac ? (mac >> 24) << 40 | (uint64_t)0xfffe << 24 | (mac & 0xffffff) : 0;
}

static uint32_t
switch_of_mac(const struct join *j, uint64_t mac)
{
	return mac ? moore_plan_refs_find(j->mac, j->n_macs, "", mac, 0) : MOORE_NONE;
}

/* The length of a name without its domain, if the plan or the caller knows the switch or host
 * without; else all of it. */
static size_t
name_length(const struct join *j, const char *name)
{
	const char *text[2];
	char part[MOORE_NAME_MAX + 1];
	size_t n = strcspn(name, ".");

	memcpy(part, name, n);
	part[n] = '\0';
	text[0] = name;
	text[1] = part;
	for (int i = 0; i < 2; i++)
		if (moore_lldp_planned_switch(&j->plan, text[i]) != MOORE_NONE ||
		    moore_lldp_planned_host(&j->plan, text[i]) ||
		    moore_plan_refs_find(j->asked, j->n, text[i], 0, 0) != MOORE_NONE)
			return strlen(text[i]);
	return strlen(name);
}

/* The name that a switch has in the fabric. */
static const char *
name_of(const struct join *j, uint32_t sw)
{
	return j->d.node[j->node[sw]].name;
}

/* The switch that answered for a node; MOORE_NONE for hosts and for those that did not. */
static uint32_t
answered(const struct join *j, uint32_t node)
{
	uint32_t sw = node < j->n_asked ? j->sw_of[node] : MOORE_NONE;

	return sw != MOORE_NONE && !j->sw[sw]->silent ? sw : MOORE_NONE;
}

/* What is said of a switch by itself. */
static int
tell_switch(struct join *j, uint32_t i)
{
	const struct moore_lldp_switch *s = j->sw[i];
	uint32_t twin = switch_of_mac(j, s->mac);
	int rc = 0;

	if (s->silent)
		return add(j, &(struct moore_lldp_finding){ .kind = MOORE_LLDP_SILENT, .sw = s->asked,
							    .why = s->silent });
	j->out->n_answered++;
	if (s->unnamed)
		rc = add_switch(j, MOORE_LLDP_UNNAMED, s->name, NULL);
	else if (j->name[i] == s->asked)
		rc = add_switch(j, MOORE_LLDP_SAME_NAME, s->asked, s->name);
	else if (strcmp(name_of(j, i), s->asked) != 0)
		rc = add_switch(j, MOORE_LLDP_OTHER_NAME, s->name, s->asked);
	if (rc == 0 && twin != MOORE_NONE && twin != i)
		rc = add_switch(j, MOORE_LLDP_SAME_MAC, j->name[i], j->name[twin]);
	return rc;
}

/* The greatest number of its ports, or what the plan gives it. */
static moore_portnum
ports_of(const struct join *j, const struct moore_lldp_switch *s, const char *name)
{
	moore_swid planned = moore_lldp_planned_switch(&j->plan, name);
	moore_portnum n = planned != MOORE_NONE ? j->plan.plan->sw[planned].ports : 0;

	for (uint32_t i = 0; i < s->n_ports; i++)
		if (s->port[i].number > n)
			n = s->port[i].number;
	return n;
}

/* Names that several switches give, such as "localhost", say nothing: a switch whose MAC tells
 * it from another of its name has the name that it was asked by. */
static int
choose_names(struct join *j)
{
	struct moore_plan_ref *given = malloc((j->n + 1u) * sizeof(*given));

	if (!given)
		return moore_fail_nomem(j->err);
	for (uint32_t i = 0; i < j->n; i++) {
		j->name[i] = j->sw[i]->name;
		given[i] = (struct moore_plan_ref){ j->name[i], 0, i, 0 };
	}
	moore_plan_refs_sort(given, j->n);
	for (uint32_t i = 0, k; i < j->n; i = k) {
		bool is_shared = false;

		for (k = i; k < j->n && !strcmp(given[k].name, given[i].name); k++)
			is_shared |= differ(j->sw[given[k].index]->mac, j->sw[given[i].index]->mac);
		for (uint32_t m = i; is_shared && m < k; m++)
			if (strcmp(given[m].name, j->sw[given[m].index]->asked) != 0)
				j->name[given[m].index] = j->sw[given[m].index]->asked;
	}
	free(given);
	return 0;
}

static int
take_switches(struct join *j)
{
	int rc = choose_names(j);

	for (uint32_t i = 0; i < j->n; i++) {
		j->asked[i] = (struct moore_plan_ref){ j->sw[i]->asked, 0, i, 0 };
		if (j->sw[i]->mac && !j->sw[i]->silent)
			j->mac[j->n_macs++] = (struct moore_plan_ref){ "", j->sw[i]->mac, i, 0 };
	}
	moore_plan_refs_sort(j->asked, j->n);
	moore_plan_refs_sort(j->mac, j->n_macs);
	for (uint32_t i = 0; i < j->n && rc == 0; i++) {
		const struct moore_lldp_switch *s = j->sw[i];
		uint32_t node = moore_draft_node(&j->d, j->name[i], name_length(j, j->name[i]), i + 1);

		if (node == MOORE_NONE)
			return -j->err->code;
		if (node < j->n_asked) {
			j->node[i] = MOORE_NONE;
			rc = add_switch(j, MOORE_LLDP_LEFT_OUT, s->asked, j->sw[j->sw_of[node]]->asked);
			continue;
		}
		j->node[i] = node;
		j->sw_of[j->n_asked++] = i;
		j->d.node[node].ports = ports_of(j, s, j->d.node[node].name);
		if (switch_of_mac(j, s->mac) == i)
			j->d.node[node].guid = guid_of(s->mac);
		rc = tell_switch(j, i);
	}
	return rc;
}

/* ---- reports ------------------------------------------------------------------------ */

/* Whether a neighbour that was not asked is a switch: the plan decides, else what it reports. */
static void
classify(struct join *j, uint32_t node, const struct moore_lldp_neighbour *nb)
{
	struct moore_draft_node *d = &j->d.node[node];
	moore_swid planned = moore_lldp_planned_switch(&j->plan, d->name);

	d->line = j->n + 1 + node;
	if (planned != MOORE_NONE)
		d->ports = j->plan.plan->sw[planned].ports;
	d->ca = planned == MOORE_NONE && 
		(moore_lldp_planned_host(&j->plan, d->name) || !moore_lldp_is_switch(nb));
}

/* Finds the node of a neighbour; MOORE_NONE with a return of 0 when it has none. */
static int
find_node(struct join *j, const struct report *r, uint32_t *node)
{
	uint32_t before = j->d.n_nodes, sw = switch_of_mac(j, r->nb->mac), self = j->node[r->sw];
	uint32_t by_mac = sw != MOORE_NONE ? j->node[sw] : MOORE_NONE;
	const char *name = r->nb->name;
	int rc = 0;

	*node = MOORE_NONE;
	if (sw != MOORE_NONE && by_mac == MOORE_NONE)
		return 0;			/* a switch that was left out */
	if (by_mac != MOORE_NONE && (!name || !moore_lldp_good_name(name) ||
				     !strcmp(name, j->sw[sw]->name)))
		name = j->d.node[by_mac].name;
	if (!name || !moore_lldp_good_name(name))
		return add_report(j, MOORE_LLDP_BAD_NAME, r);
	*node = moore_draft_node(&j->d, name, name_length(j, name), 0);
	if (*node == MOORE_NONE)
		return -j->err->code;
	if (*node == before)
		classify(j, *node, r->nb);
	if (*node >= j->n_asked && by_mac != MOORE_NONE) {
		rc = add_report(j, MOORE_LLDP_OLD_NAME, r);
		*node = by_mac;
	} else if (*node < j->n_asked && differ(r->nb->mac, j->sw[j->sw_of[*node]]->mac)) {
		rc = add_report(j, MOORE_LLDP_OTHER_MAC, r);
	}
	if (rc == 0 && *node == self) {
		*node = MOORE_NONE;
		rc = add_report(j, MOORE_LLDP_ITSELF, r);
	}
	return rc;
}

/* What the plan has at the port that a report is from. */
static struct moore_lldp_peer
planned_peer(const struct join *j, const struct report *r)
{
	return moore_lldp_planned_peer(&j->plan, moore_lldp_planned_switch(&j->plan, name_of(j, r->sw)),
				       r->port->number);
}

/* Finds the neighbour's port.  A host's may remain 0: it is numbered at the end. */
static int
find_port(struct join *j, struct report *r)
{
	struct moore_draft_node *d = &j->d.node[r->node];
	struct moore_lldp_peer want;

	if (!d->ca) {
		r->to = r->nb->port ? moore_lldp_switch_port(r->nb->port) : 0;
		if (answered(j, r->node) == MOORE_NONE && r->to > d->ports)
			d->ports = r->to;
		return r->to ? 0 : add_report(j, MOORE_LLDP_NO_NUMBER, r);
	}
	want = planned_peer(j, r);
	r->to = r->nb->port ? moore_lldp_host_port(r->nb->port) : 0;
	if (!r->to && want.is_host && !strcmp(want.name, d->name))
		r->to = want.port;
	return 0;
}

/* Whether the port already has this report: a neighbour may be listed under two names. */
static bool
is_known(const struct join *j, const struct report *r)
{
	for (uint32_t i = j->n_reports; i-- > j->first[r->sw];) {
		const struct report *o = &j->report[i];

		if (o->port->number != r->port->number)
			return false;
		if (o->node == r->node && o->to == r->to)
			return true;
	}
	return false;
}

static int
take_report(struct join *j, struct report r)
{
	struct report *list;
	int rc;

	if (!r.port->number)
		return add_report(j, MOORE_LLDP_LEFT_ALONE, &r);
	if (r.port->down)
		return add_report(j, MOORE_LLDP_STALE, &r);
	if ((rc = find_node(j, &r, &r.node)) < 0 || r.node == MOORE_NONE ||
	    (rc = find_port(j, &r)) < 0 || (!r.to && !j->d.node[r.node].ca) ||
	    is_known(j, &r))
		return rc;
	list = moore_grow(j->report, j->n_reports, &j->cap_reports, sizeof(*list));
	if (!list)
		return moore_fail_nomem(j->err);
	j->report = list;
	list[j->n_reports++] = r;
	return 0;
}

static int
take_reports(struct join *j)
{
	int rc = 0;

	for (uint32_t i = 0; i < j->n; i++) {
		const struct moore_lldp_switch *s = j->sw[i];

		j->first[i] = j->n_reports;
		if (s->silent || j->node[i] == MOORE_NONE)
			continue;
		for (uint32_t p = 0; p < s->n_ports; p++)
			for (uint32_t k = 0; k < s->port[p].n_neighbours; k++)
				if ((rc = take_report(j, (struct report){ .sw = i, .node = MOORE_NONE,
						.port = &s->port[p], .nb = &s->port[p].neighbour[k] })) < 0)
					return rc;
	}
	j->first[j->n] = j->n_reports;
	return 0;
}

/* ---- which report counts ------------------------------------------------------------ */

/* The reports of a switch at a port: *n of them. */
static struct report *
reports_at(const struct join *j, uint32_t sw, moore_portnum port, uint32_t *n)
{
	uint32_t lo = j->first[sw], hi = j->first[sw + 1], end = hi;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (j->report[mid].port->number < port)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < end && j->report[hi].port->number == port; hi++)
		;
	*n = hi - lo;
	return &j->report[lo];
}

/* The report of the same link from its other end; NULL when there is none. */
static struct report *
other_end(const struct join *j, const struct report *r)
{
	uint32_t sw = answered(j, r->node), n;
	struct report *list;

	if (sw == MOORE_NONE)
		return NULL;
	list = reports_at(j, sw, r->to, &n);
	for (uint32_t i = 0; i < n; i++)
		if (list[i].node == j->node[r->sw] && list[i].to == r->port->number)
			return &list[i];
	return NULL;
}

static enum weight
weigh(const struct join *j, const struct report *r)
{
	if (answered(j, r->node) == MOORE_NONE)
		return OPEN;
	return other_end(j, r) ? CONFIRMED : ALONE;
}

static bool
is_planned(const struct join *j, const struct report *r)
{
	struct moore_lldp_peer want = planned_peer(j, r);

	return want.name && !strcmp(want.name, j->d.node[r->node].name) && want.port == r->to;
}

/* A report that nothing but itself speaks for. */
static int
tell_alone(struct join *j, const struct report *r)
{
	struct moore_lldp_finding f = finding_of(j, MOORE_LLDP_DISAGREES, r);
	uint32_t n;
	const struct report *list = reports_at(j, answered(j, r->node), r->to, &n);

	if (!n)
		return add_report(j, MOORE_LLDP_ONE_SIDED, r);
	for (uint32_t i = 0; i < n; i++)
		if (!i || list[i].counts) {
			f.other = finding_of(j, f.kind, &list[i]).peer;
			f.other_port = list[i].nb->port;
		}
	return add(j, &f);
}

/* Lets one of the n reports at a port count, and tells of the others. */
static int
choose(struct join *j, struct report *r, uint32_t n)
{
	enum weight best = ALONE;
	uint32_t n_best = 0, chosen = MOORE_NONE, planned = MOORE_NONE;
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		enum weight w = weigh(j, &r[i]);

		if (w > best) {
			best = w;
			n_best = 0;
			planned = MOORE_NONE;
		}
		if (w == ALONE || w < best)
			continue;
		chosen = n_best++ ? chosen : i;
		if (is_planned(j, &r[i]))
			planned = i;
	}
	if (n_best > 1)
		rc = add_report(j, planned != MOORE_NONE ? MOORE_LLDP_CHOSEN : MOORE_LLDP_SEVERAL,
				&r[planned != MOORE_NONE ? planned : chosen]);
	if (n_best > 1)
		chosen = planned;
	if (chosen != MOORE_NONE)
		r[chosen].counts = true;
	for (uint32_t i = 0; i < n && rc == 0; i++)
		if (weigh(j, &r[i]) == ALONE && chosen == MOORE_NONE)
			rc = tell_alone(j, &r[i]);
		else if (chosen != MOORE_NONE && i != chosen)
			rc = add_report(j, MOORE_LLDP_STALE, &r[i]);
	return rc;
}

static int
choose_all(struct join *j)
{
	int rc = 0;

	for (uint32_t i = 0, n; i < j->n_reports && rc == 0; i += n) {
		for (n = 1; i + n < j->n_reports && j->report[i + n].sw == j->report[i].sw &&
		     j->report[i + n].port->number == j->report[i].port->number;)
			n++;
		rc = choose(j, &j->report[i], n);
	}
	return rc;
}

/* ---- links -------------------------------------------------------------------------- */

/* A link between switches that both answered counts when it counts at both ends. */
static int
agree(struct join *j)
{
	int rc = 0;

	for (uint32_t i = 0; i < j->n_reports && rc == 0; i++) {
		struct report *r = &j->report[i], *back = r->counts ? other_end(j, r) : NULL;

		if (back && !back->counts) {
			r->counts = false;
			rc = tell_alone(j, r);
		}
	}
	return rc;
}

/* Of the open reports of one port of a neighbour, lets only the planned one count, else the
 * first, and gives hosts' ports without a number the least that is free. */
static int
settle_node(struct join *j, const struct moore_plan_ref *ref, size_t n)
{
	bool used[MOORE_PORT_MAX + 2] = { false };
	int rc = 0;

	for (size_t i = 0, k; i < n && rc == 0; i = k) {
		uint32_t keep = ref[i].index;

		for (k = i; k < n && j->report[ref[k].index].to == j->report[keep].to; k++)
			if (!is_planned(j, &j->report[keep]) && is_planned(j, &j->report[ref[k].index]))
				keep = ref[k].index;
		if (!j->report[keep].to)
			continue;
		used[j->report[keep].to] = true;
		for (size_t m = i; m < k && rc == 0; m++)
			if (ref[m].index != keep) {
				j->report[ref[m].index].counts = false;
				rc = add_report(j, MOORE_LLDP_TWICE, &j->report[ref[m].index]);
			}
	}
	for (size_t i = 0, free_port = 1; i < n && rc == 0; i++) {
		struct report *r = &j->report[ref[i].index];

		if (r->to)
			continue;
		while (free_port <= MOORE_PORT_MAX && used[free_port])
			free_port++;
		r->to = (moore_portnum)free_port++;
		if (free_port > MOORE_PORT_MAX + 1) {
			r->counts = false;
			rc = add_report(j, MOORE_LLDP_NO_NUMBER, r);
		}
	}
	return rc;
}

static int
settle(struct join *j)
{
	struct moore_plan_ref *ref = malloc(((size_t)j->n_reports + 1) * sizeof(*ref));
	size_t n = 0;
	int rc = 0;

	if (!ref)
		return moore_fail_nomem(j->err);
	for (uint32_t i = 0; i < j->n_reports; i++)
		if (j->report[i].counts && answered(j, j->report[i].node) == MOORE_NONE)
			ref[n++] = (struct moore_plan_ref){ "", (uint64_t)j->report[i].node << 8 |
							    j->report[i].to, i, 0 };
	moore_plan_refs_sort(ref, n);
	for (size_t i = 0, k; i < n && rc == 0; i = k) {
		uint32_t node = j->report[ref[i].index].node;

		for (k = i; k < n && j->report[ref[k].index].node == node; k++)
			;
		j->d.node[node].declared = true;	/* it has a link */
		if (node >= j->n_asked && !j->d.node[node].ca)
			rc = add_report(j, MOORE_LLDP_NOT_ASKED, &j->report[ref[i].index]);
		if (rc == 0)
			rc = settle_node(j, ref + i, k - i);
	}
	free(ref);
	return rc;
}

/* Whether this report stands for its link: the other end's does where that comes first. */
static bool
is_link(const struct join *j, const struct report *r)
{
	return r->counts && (answered(j, r->node) == MOORE_NONE || j->node[r->sw] < r->node);
}

/* Adds the links.  A switch that nobody asked and that has none leaves no trace. */
static int
add_links(struct join *j)
{
	int rc = 0;

	for (uint32_t node = j->n_asked; node < j->d.n_nodes; node++)
		j->d.node[node].ca |= !j->d.node[node].declared;
	for (uint32_t i = 0; i < j->n_reports && rc == 0; i++) {
		const struct report *r = &j->report[i];

		if (is_link(j, r))
			rc = moore_draft_link(&j->d, &(struct moore_draft_link){
				.node = { j->node[r->sw], r->node },
				.port = { r->port->number, r->to }, .line = i + 1 });
	}
	return rc;
}

/* ---- MTU and speed ------------------------------------------------------------------ */

static int
by_value(const void *x, const void *y)
{
	const uint32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static uint32_t
mtu_of(const struct join *j, const struct report *r)
{
	(void)j;
	return r->port->mtu;
}

/* The greatest frame of a host; 0 of a switch, and when it is not given. */
static uint32_t
host_frame(const struct join *j, const struct report *r)
{
	return j->d.node[r->node].ca ? r->nb->frame : 0;
}

/* The value that most reports of links have, besides 0; 0 when there is none. */
static int
usual(const struct join *j, uint32_t (*value_of)(const struct join *j, const struct report *r),
      uint32_t *out)
{
	uint32_t *value = malloc(((size_t)j->n_reports + 1) * sizeof(*value)), n = 0, best = 0;

	*out = 0;
	if (!value)
		return moore_fail_nomem(j->err);
	for (uint32_t i = 0; i < j->n_reports; i++)
		if (j->report[i].counts && value_of(j, &j->report[i]))
			value[n++] = value_of(j, &j->report[i]);
	qsort(value, n, sizeof(*value), by_value);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && value[k] == value[i]; k++)
			;
		if (k - i > best) {
			best = k - i;
			*out = value[i];
		}
	}
	free(value);
	return 0;
}

/* A host's greatest frame has up to this many bytes besides what the MTU counts: addresses and type, VLAN
 * tag, checksum (IEEE 802.3, 3.1.1). */
#define FRAME_BYTES 22

static int
judge_link(struct join *j, const struct report *r, uint32_t mtu, uint32_t frame)
{
	const struct report *back = other_end(j, r);
	int rc = 0;

	if (back && differ(r->port->mtu, back->port->mtu))
		return add_values(j, MOORE_LLDP_MTU, r, r->port->mtu, back->port->mtu);
	if (back && differ(back->nb->frame, r->nb->frame))
		return add_values(j, MOORE_LLDP_MTU, r, back->nb->frame, r->nb->frame);
	if (back && differ(back->nb->autoneg, r->nb->autoneg))
		return add_report(j, MOORE_LLDP_AUTONEG, r);
	if (back && differ(back->nb->mbits, r->nb->mbits))
		rc = add_values(j, MOORE_LLDP_SPEED, r, back->nb->mbits, r->nb->mbits);
	if (rc == 0 && differ(r->port->mtu, mtu))
		rc = add_values(j, MOORE_LLDP_ODD_MTU, r, r->port->mtu, mtu);
	if (rc == 0 && differ(host_frame(j, r), frame))
		rc = add_values(j, MOORE_LLDP_ODD_FRAME, r, r->nb->frame, frame);
	else if (rc == 0 && r->port->mtu && host_frame(j, r) > (uint64_t)r->port->mtu + FRAME_BYTES)
		rc = add_values(j, MOORE_LLDP_LARGE_FRAME, r, r->nb->frame, r->port->mtu);
	return rc;
}

static int
judge_links(struct join *j)
{
	uint32_t mtu, frame;
	int rc = usual(j, mtu_of, &mtu);

	if (rc == 0)
		rc = usual(j, host_frame, &frame);
	for (uint32_t i = 0; i < j->n_reports && rc == 0; i++)
		if (is_link(j, &j->report[i]))
			rc = judge_link(j, &j->report[i], mtu, frame);
	return rc;
}

/* ---- all of it ---------------------------------------------------------------------- */

static int
join(struct join *j)
{
	int rc;

	j->name = malloc((j->n + 1u) * sizeof(*j->name));
	j->node = malloc((j->n + 1u) * sizeof(*j->node));
	j->sw_of = malloc((j->n + 1u) * sizeof(*j->sw_of));
	j->first = malloc((j->n + 1u) * sizeof(*j->first));
	j->mac = malloc((j->n + 1u) * sizeof(*j->mac));
	j->asked = malloc((j->n + 1u) * sizeof(*j->asked));
	if (!j->asked || !j->name || !j->node || !j->sw_of || !j->first || !j->mac)
		return moore_fail_nomem(j->err);
	if ((rc = take_switches(j)) < 0 || (rc = take_reports(j)) < 0 || (rc = choose_all(j)) < 0 ||
	    (rc = agree(j)) < 0 || (rc = settle(j)) < 0 || (rc = judge_links(j)) < 0 ||
	    (rc = add_links(j)) < 0)
		return rc;
	return moore_draft_finish(&j->d, &j->out->plan);
}

int
moore_lldp_join(struct moore_lldp_fabric **out, struct moore_lldp_switch *const *sw, uint32_t n,
		const struct moore_plan *intended, struct moore_err *err)
{
	struct moore_err own;
	struct join j = { .sw = sw, .n = n, .err = err ? err : &own };
	int rc;

	*out = NULL;
	j.d.err = j.err;
	if (!(j.out = calloc(1, sizeof(*j.out))))
		return moore_fail_nomem(err);
	if ((rc = moore_lldp_plan_init(&j.plan, intended, j.err)) == 0)
		rc = join(&j);
	moore_lldp_plan_fini(&j.plan);
	moore_draft_free(&j.d);
	free(j.name);
	free(j.node);
	free(j.sw_of);
	free(j.first);
	free(j.mac);
	free(j.asked);
	free(j.report);
	if (rc < 0)
		moore_lldp_fabric_free(j.out);
	else
		*out = j.out;
	return rc;
}

void
moore_lldp_fabric_free(struct moore_lldp_fabric *f)
{
	if (!f)
		return;
	moore_plan_free(f->plan);
	free(f->finding);
	free(f);
}
