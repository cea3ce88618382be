// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* dump_subnet.c - reads the fabric from opensm-subnet.lst (cables and base LIDs) and
 * opensm-lfts.dump (the owner of each LID, which gives each LMC; switches without a link).
 * A line of the first, by dump_topology_node() of OpenSM's osm_dump.c, describes both ends
 * of a link as seen from one of them:
 *
 *   { SW Ports:04 SystemGUID:X NodeGUID:X PortGUID:X VenID:X DevID:X Rev:X {S0}
 *   LID:0004 PN:02 } { ... } PHY=4x LOG=ACT SPD=2.5
 *
 * Switches are identified by node GUID, endpoints by port GUID.  The node description is
 * free text: it ends where the fixed text after it matches. */
#include <stdlib.h>
#include <string.h>

#include "guid_map.h"
#include "lfts_lines.h"
#include "moore/dumps.h"
#include "listing.h"

#define SUBNET "opensm-subnet.lst"
#define LFTS "opensm-lfts.dump"
#define DUMP_LANES 15		/* the dumps do not hold the lanes */
#define LINE_MIN 128		/* bytes of the shortest valid line */
#define HEADER_MIN 48		/* bytes of the shortest switch header in the LFT dump */

enum kind { KIND_SWITCH, KIND_CA, KIND_ROUTER };

struct end {			/* one end of a line */
	enum kind kind;
	uint8_t ports, pn;
	uint64_t node_guid, port_guid;
	const char *name;
	size_t name_len;
	moore_lid lid;
	uint32_t id;		/* index in found.sw or found.ep */
};

struct found {			/* what was read, before the fabric is made of it */
	struct moore_arena tmp;
	struct line {
		struct end end[2];
		struct moore_rate rate;
		unsigned number;
	} *line;
	uint32_t n_lines, n_sw, n_ep, room_sw;
	struct node {
		struct end of;	/* as the first line about it says */
		uint8_t lmc;
	} *sw, *ep;
	struct moore_guid_map sw_by_node, by_port;	/* by_port: EP_BIT for endpoints */
	uint64_t *lid_guid;	/* port GUID of each LID's owner */
};
#define EP_BIT 0x80000000u	/* in a value of by_port: it is an endpoint */

/* ---- a line ---------------------------------------------------------------- */

static bool
read_kind(struct moore_scan *l, enum kind *kind)
{
	static const struct { const char *text; enum kind kind; } T[] = {
		{ "{ SW", KIND_SWITCH }, { "{ CA", KIND_CA }, { "{ Rt", KIND_ROUTER },
		{ "{ **", KIND_CA },	/* OpenSM does not know the type: treat it as a CA */
	};

	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		if (moore_scan_skip(l, T[i].text)) {
			*kind = T[i].kind;
			moore_scan_skip(l, "-SM");
			return true;
		}
	return false;
}

/* Reads "NAME} LID:0004 PN:02 } ", which follow must follow. */
static bool
read_name(struct moore_scan *l, const char *follow, struct end *e)
{
	uint64_t lid, pn;

	e->name = l->at;
	for (; l->at < l->end; l->at++) {
		struct moore_scan t = *l;

		if (moore_scan_skip(&t, "} LID:") && moore_scan_num(&t, 16, MOORE_LID_MAX, &lid) &&
		    moore_scan_skip(&t, " PN:") && moore_scan_num(&t, 16, UINT8_MAX, &pn) &&
		    moore_scan_skip(&t, " } ") && moore_scan_skip(&t, follow)) {
			e->name_len = (size_t)(l->at - e->name);
			e->lid = (moore_lid)lid;
			e->pn = (uint8_t)pn;
			l->at = t.at - strlen(follow);
			return true;
		}
	}
	return false;
}

static bool
read_end(struct moore_scan *l, const char *follow, struct end *e)
{
	enum { PORTS, SYSTEM, NODE, PORT, N = 7 };
	static const struct { const char *label; uint64_t max; } T[N] = {
		{ " Ports:", UINT8_MAX }, { " SystemGUID:", UINT64_MAX },
		{ " NodeGUID:", UINT64_MAX }, { " PortGUID:", UINT64_MAX },
		{ " VenID:", UINT32_MAX }, { " DevID:", UINT32_MAX }, { " Rev:", UINT32_MAX },
	};
	uint64_t v[N];

	if (!read_kind(l, &e->kind))
		return false;
	for (size_t i = 0; i < N; i++)
		if (!moore_scan_skip(l, T[i].label) || !moore_scan_num(l, 16, T[i].max, &v[i]))
			return false;
	e->ports = (uint8_t)v[PORTS];
	e->node_guid = v[NODE];
	e->port_guid = v[PORT];
	return moore_scan_skip(l, " {") && read_name(l, follow, e) && e->pn &&
	       (e->kind != KIND_SWITCH || (e->pn <= e->ports && e->ports <= MOORE_PORT_MAX));
}

static bool
skip_word(struct moore_scan *l)
{
	const char *from = l->at;

	while (l->at < l->end && *l->at != ' ')
		l->at++;
	return l->at > from;
}

/* Reads PHY=4x (lanes) and SPD=25 (gigabits a second of a lane).  The rate is unknown when
 * either word is another one. */
static bool
read_rate(struct moore_scan *l, struct moore_rate *rate)
{
	static const struct { const char *text; uint8_t speed; } T[] = {
		{ "2.5", 1 }, { "5", 2 }, { "10", 3 }, { "FDR10", 4 }, { "14", 5 }, { "25", 6 },
		{ "50", 7 }, { "100", 8 }, { "200", 9 },
	};
	struct moore_scan t = *l;
	const char *from;
	uint64_t width;

	if (moore_scan_num(&t, 10, 12, &width) && moore_scan_skip(&t, "x "))
		rate->width = (uint8_t)width;
	if (!skip_word(l) || !moore_scan_skip(l, " LOG=") || !skip_word(l) ||
	    !moore_scan_skip(l, " SPD="))
		return false;
	from = l->at;
	if (!skip_word(l))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(T); i++)
		if (strlen(T[i].text) == (size_t)(l->at - from) &&
		    !memcmp(T[i].text, from, strlen(T[i].text)))
			rate->speed = T[i].speed;
	if (!rate->speed || !strchr("\1\2\4\10\14", rate->width) || !rate->width)
		*rate = (struct moore_rate){ 0 };
	return true;
}

static bool
read_line(struct moore_scan *l, struct line *to)
{
	to->number = l->line;
	return read_end(l, "{ ", &to->end[0]) && read_end(l, "PHY=", &to->end[1]) &&
	       moore_scan_skip(l, "PHY=") && read_rate(l, &to->rate);
}

static int
read_lines(struct found *w, const char *text, size_t len, struct moore_err *err)
{
	struct moore_scan l = moore_scan_of(text, len);

	w->line = moore_arena_alloc(&w->tmp, len / LINE_MIN + 1, sizeof(*w->line));
	if (!w->line)
		return moore_fail_nomem(err);
	while (moore_scan_line(&l)) {
		if (moore_scan_done(&l))
			continue;
		if (!read_line(&l, &w->line[w->n_lines]))
			return moore_fail(err, MOORE_ESYNTAX, l.line, SUBNET ": expected '{ SW Ports:.. "
					  "... PN:.. } { ... } PHY=.. LOG=.. SPD=..' with port numbers that "
					  "the device has; copy the file whole");
		w->n_lines++;
	}
	return 0;
}

/* ---- switches and endpoints ------------------------------------------------ */

static uint32_t
add_node(struct found *w, const struct end *e)
{
	bool is_switch = e->kind == KIND_SWITCH;
	struct node *list = is_switch ? w->sw : w->ep;
	uint32_t id = is_switch ? w->n_sw++ : w->n_ep++;

	list[id].of = *e;
	if (is_switch)
		moore_guid_map_put(&w->sw_by_node, e->node_guid, id);
	moore_guid_map_put(&w->by_port, e->port_guid, is_switch ? id : id | EP_BIT);
	return id;
}

/* Finds the node of an end, or adds it.  -MOORE_EPLAN when two lines contradict each other
 * about it. */
static int
meet(struct found *w, struct end *e, unsigned line, struct moore_err *err)
{
	uint32_t by_port = moore_guid_map_get(&w->by_port, e->port_guid);
	const struct end *was;

	if (e->kind == KIND_SWITCH)
		e->id = moore_guid_map_get(&w->sw_by_node, e->node_guid);
	else
		e->id = by_port == MOORE_NONE || !(by_port & EP_BIT) ? MOORE_NONE : by_port & ~EP_BIT;
	if (e->id == MOORE_NONE && by_port == MOORE_NONE) {
		e->id = add_node(w, e);
		return 0;
	}
	if (e->id == MOORE_NONE)
		return moore_fail(err, MOORE_EPLAN, line, SUBNET ": port GUID 0x%016llx belongs to two "
				  "devices", (unsigned long long)e->port_guid);
	was = e->kind == KIND_SWITCH ? &w->sw[e->id].of : &w->ep[e->id].of;
	if (was->port_guid == e->port_guid && was->lid == e->lid &&
	    (e->kind == KIND_SWITCH ? was->ports == e->ports : was->pn == e->pn))
		return 0;
	return moore_fail(err, MOORE_EPLAN, line, SUBNET ": %.*s has another LID, port GUID or number "
			  "of ports than on an earlier line; use a dump of one sweep",
			  (int)e->name_len, e->name);
}

static int
meet_all(struct found *w, struct moore_err *err)
{
	int rc;

	for (uint32_t i = 0; i < w->n_lines; i++)
		for (unsigned k = 0; k < 2; k++)
			if ((rc = meet(w, &w->line[i].end[k], w->line[i].number, err)) < 0)
				return rc;
	return 0;
}

/* ---- what the forwarding tables tell ---------------------------------------- */

/* Adds the switch of a section if no link has named it; *isolated is then its index.  Its
 * name is copied, since the line does not last. */
static int
take_header(struct found *w, const struct moore_lfts_item *it, uint32_t *isolated, unsigned line,
	    struct moore_err *err)
{
	struct end e = { .kind = KIND_SWITCH, .node_guid = it->guid, .port_guid = it->guid,
		.name_len = it->name_len, .lid = it->lid };
	char *name;

	*isolated = MOORE_NONE;
	if (moore_guid_map_get(&w->sw_by_node, it->guid) != MOORE_NONE)
		return 0;
	if (w->n_sw == w->room_sw)
		return moore_fail(err, MOORE_EPLAN, line, LFTS ": more switches than a subnet has "
				  "LIDs");
	if (!(name = moore_arena_alloc(&w->tmp, it->name_len + 1, 1)))
		return moore_fail_nomem(err);
	memcpy(name, it->name, it->name_len);
	e.name = name;
	*isolated = add_node(w, &e);
	return 0;
}

static int
take_row(struct found *w, const struct moore_lfts_item *it, uint32_t isolated, unsigned line,
	 struct moore_err *err)
{
	struct end *e = isolated == MOORE_NONE ? NULL : &w->sw[isolated].of;

	if (e && it->port > e->ports)
		e->ports = it->port;
	if (e && it->owned && it->lid == e->lid && !it->port) {
		e->port_guid = it->guid;
		moore_guid_map_put(&w->by_port, it->guid, isolated);
	}
	if (!it->owned || w->lid_guid[it->lid] == it->guid)
		return 0;
	if (w->lid_guid[it->lid])
		return moore_fail(err, MOORE_ELID, line, LFTS ": LID 0x%04x has another owner than on "
				  "an earlier line; use a dump of one sweep", it->lid);
	w->lid_guid[it->lid] = it->guid;
	return 0;
}

static int
read_owners(struct found *w, struct moore_lfts r, struct moore_err *err)
{
	uint32_t isolated = MOORE_NONE;
	struct moore_lfts_item it;
	int rc;

	while ((rc = moore_lfts_next(&r, &it, err)) > 0) {
		rc = it.kind == MOORE_LFTS_SWITCH ?
			take_header(w, &it, &isolated, r.l.line, err) :
			take_row(w, &it, isolated, r.l.line, err);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* Sets each port's LMC to the least one that covers all LIDs whose owner it is. */
static int
learn_lmcs(struct found *w, struct moore_err *err)
{
	for (unsigned lid = 1; lid <= MOORE_LID_MAX; lid++) {
		uint32_t id = w->lid_guid[lid] ? moore_guid_map_get(&w->by_port, w->lid_guid[lid]) :
			MOORE_NONE;
		struct node *n;

		if (id == MOORE_NONE)
			continue;
		n = id & EP_BIT ? &w->ep[id & ~EP_BIT] : &w->sw[id];
		if (!n->of.lid || lid < n->of.lid || lid - n->of.lid > 127)
			return moore_fail(err, MOORE_ELID, 0, LFTS ": LID %u is said to be of %.*s, whose "
					  "base LID is %u; use dumps of the same sweep", lid,
					  (int)n->of.name_len, n->of.name, n->of.lid);
		while (lid - n->of.lid >= 1u << n->lmc)
			n->lmc++;
	}
	return 0;
}

/* ---- the fabric -------------------------------------------------------------- */

static bool
fill(struct moore_fabric *f, const struct found *w)
{
	for (uint32_t s = 0; s < w->n_sw; s++) {
		const struct end *e = &w->sw[s].of;

		f->sw[s] = (struct moore_switch){ .guid = e->node_guid, .port_guid = e->port_guid,
			.lid = e->lid, .lmc = w->sw[s].lmc, .n_ports = e->ports, .maps_sl = true,
			.name = moore_strndup(e->name, e->name_len) };
		if (!f->sw[s].name)
			return false;
	}
	for (uint32_t i = 0; i < w->n_ep; i++) {
		const struct end *e = &w->ep[i].of;

		f->ep[i] = (struct moore_endpoint){ .guid = e->port_guid, .node_guid = e->node_guid,
			.ca_port = e->pn, .router = e->kind == KIND_ROUTER, .sw = MOORE_NONE,
			.lid = e->lid, .lmc = w->ep[i].lmc,
			.name = moore_strndup(e->name, e->name_len) };
		if (!f->ep[i].name)
			return false;
	}
	moore_fabric_layout(f);
	return true;
}

/* True when e's port is free or is joined to that of to already. */
static bool
fits(const struct moore_fabric *f, const struct end *e, const struct end *to)
{
	const struct moore_port *p;

	if (e->kind != KIND_SWITCH)
		return f->ep[e->id].sw == MOORE_NONE ||
		       (f->ep[e->id].sw == to->id && f->ep[e->id].port == to->pn);
	p = moore_fabric_port(f, e->id, e->pn);
	return p->role == MOORE_ROLE_NONE ||
	       (p->role == (to->kind == KIND_SWITCH ? MOORE_ROLE_SWITCH : MOORE_ROLE_ENDPOINT) &&
		p->peer == to->id && (to->kind != KIND_SWITCH || p->peer_port == to->pn));
}

static int
join(struct moore_fabric *f, const struct line *line, struct moore_err *err)
{
	const struct end *a = &line->end[0], *b = &line->end[1], *swap = a;

	if (a->kind != KIND_SWITCH) {
		a = b;
		b = swap;
	}
	if (a->kind != KIND_SWITCH)
		return 0;	/* two hosts joined to each other: no switch is involved */
	if (!fits(f, a, b) || !fits(f, b, a))
		return moore_fail(err, MOORE_EPLAN, line->number, SUBNET ": %.*s port %u and %.*s port "
				  "%u: an earlier line has one of them elsewhere; use a dump of one sweep",
				  (int)a->name_len, a->name, a->pn, (int)b->name_len, b->name, b->pn);
	if (b->kind == KIND_SWITCH)
		moore_fabric_link(f, a->id, a->pn, b->id, b->pn, DUMP_LANES);
	else
		moore_fabric_attach(f, b->id, a->id, a->pn, DUMP_LANES);
	return 0;
}

static int
make(struct moore_fabric **out, const struct found *w, struct moore_err *err)
{
	struct moore_fabric *f = NULL;
	uint32_t n_ports = 0;
	int rc;

	for (uint32_t s = 0; s < w->n_sw; s++)
		n_ports += 1u + w->sw[s].of.ports;
	if ((rc = moore_fabric_new(&f, w->n_sw, w->n_ep, n_ports, err)) < 0)
		return rc;
	if (!fill(f, w)) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	for (uint32_t i = 0; i < w->n_lines; i++)
		if ((rc = join(f, &w->line[i], err)) < 0)
			goto out;
	if ((rc = moore_fabric_seal(f, err)) < 0)
		goto out;
	*out = f;
	f = NULL;
out:
	moore_fabric_free(f);
	return rc;
}

static int
prepare(struct found *w, size_t most_headers, struct moore_err *err)
{
	size_t most_sw = 2 * (size_t)w->n_lines + most_headers + 1;

	w->room_sw = (uint32_t)most_sw;
	w->sw = moore_arena_alloc(&w->tmp, most_sw, sizeof(*w->sw));
	w->ep = moore_arena_alloc(&w->tmp, 2 * (size_t)w->n_lines + 1, sizeof(*w->ep));
	w->lid_guid = moore_arena_alloc(&w->tmp, MOORE_LID_MAX + 1, sizeof(*w->lid_guid));
	if (!w->sw || !w->ep || !w->lid_guid ||
	    !moore_guid_map_init(&w->sw_by_node, most_sw, &w->tmp) ||
	    !moore_guid_map_init(&w->by_port, 2 * most_sw, &w->tmp))
		return moore_fail_nomem(err);
	return 0;
}

static int
read_both(struct moore_fabric **out, const char *subnet, size_t subnet_len,
	  struct moore_lfts lfts, size_t most_headers, struct moore_err *err)
{
	struct found w = { .tmp = MOORE_ARENA_INIT };
	int rc;

	*out = NULL;
	if ((rc = read_lines(&w, subnet, subnet_len, err)) < 0 ||
	    (rc = prepare(&w, most_headers, err)) < 0 ||
	    (rc = meet_all(&w, err)) < 0 ||
	    (rc = read_owners(&w, lfts, err)) < 0 ||
	    (rc = learn_lmcs(&w, err)) < 0)
		goto out;
	rc = make(out, &w, err);
out:
	moore_arena_free(&w.tmp);
	return rc;
}

int
moore_dump_parse_fabric(struct moore_fabric **out, const char *subnet, size_t subnet_len,
			const char *lfts, size_t lfts_len, struct moore_err *err)
{
	size_t most = lfts_len / HEADER_MIN;

	return read_both(out, subnet, subnet_len,
			 (struct moore_lfts){ .l = moore_scan_of(lfts, lfts_len) },
			 most < MOORE_LID_MAX ? most : MOORE_LID_MAX, err);
}

int
moore_dump_read_fabric(struct moore_fabric **out, const char *subnet, size_t subnet_len,
		       const struct moore_source *lfts, struct moore_err *err)
{
	return read_both(out, subnet, subnet_len,
			 (struct moore_lfts){ .l = moore_scan_from(lfts) }, MOORE_LID_MAX, err);
}

/* ---- as a listing: the wiring with its rates, and nothing of LIDs --------------------- */

struct told {
	struct moore_guid_map ca;	/* node GUID to listed node; switches first */
	struct moore_guid_map port;	/* (node, port) to its link */
};

static int
list_node(struct moore_listing *d, const struct end *e)
{
	static const char kind[] = { [KIND_SWITCH] = 'S', [KIND_CA] = 'H', [KIND_ROUTER] = 'R' };
	struct moore_listed_node *n = moore_listing_node(d);

	if (!n)
		return -MOORE_ENOMEM;
	*n = (struct moore_listed_node){ .guid = e->node_guid, .desc = e->name,
		.desc_len = e->name_len, .kind = kind[e->kind], .ports = e->ports };
	d->n_nodes++;
	return 0;
}

static int
list_nodes(struct moore_listing *d, const struct found *w, struct told *told)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < w->n_sw; i++)
		rc = list_node(d, &w->sw[i].of);
	for (uint32_t i = 0; !rc && i < w->n_ep; i++)
		if (moore_guid_map_get(&told->ca, w->ep[i].of.node_guid) == MOORE_NONE) {
			moore_guid_map_put(&told->ca, w->ep[i].of.node_guid, d->n_nodes);
			rc = list_node(d, &w->ep[i].of);
		}
	return rc;
}

static uint32_t
node_of(const struct told *told, const struct end *e)
{
	return e->kind == KIND_SWITCH ? e->id : moore_guid_map_get(&told->ca, e->node_guid);
}

/* Adds a link to the listing, as end from has it.  A link that is already listed counts once. */
static int
list_link(struct moore_listing *d, const struct line *line, int from, struct told *told)
{
	const struct end *e = &line->end[from], *peer = &line->end[!from];
	uint32_t node = node_of(told, e), far = node_of(told, peer), i;
	uint64_t key = (uint64_t)node << 8 | e->pn;
	struct moore_listed_link *k;

	if ((i = moore_guid_map_get(&told->port, key)) != MOORE_NONE) {
		k = &d->link[i];
		if (k->peer == far && k->peer_port == peer->pn)
			return 0;
		return moore_fail(d->err, MOORE_EPLAN, line->number, SUBNET ": %.*s port %u is "
				  "elsewhere on line %u; use a dump of one sweep", (int)e->name_len,
				  e->name, e->pn, k->line);
	}
	if (!(k = moore_listing_link(d)))
		return -MOORE_ENOMEM;
	moore_guid_map_put(&told->port, key, d->n_links++);
	*k = (struct moore_listed_link){ .node = node, .peer = far, .line = line->number,
		.peer_guid = peer->node_guid, .peer_kind = d->node[far].kind, .port = e->pn,
		.peer_port = peer->pn, .rate = line->rate,
		.port_guid = e->kind == KIND_SWITCH ? 0 : e->port_guid };
	return 0;
}

int
moore_listing_subnet(struct moore_listing *d, const char *text, size_t len)
{
	struct found w = { .tmp = MOORE_ARENA_INIT };
	struct told told;
	int rc;

	if ((rc = read_lines(&w, text, len, d->err)) < 0 || (rc = prepare(&w, 0, d->err)) < 0 ||
	    (rc = meet_all(&w, d->err)) < 0)
		goto out;
	if (!moore_guid_map_init(&told.ca, 2 * (size_t)w.n_lines + 1, &w.tmp) ||
	    !moore_guid_map_init(&told.port, 2 * (size_t)w.n_lines + 1, &w.tmp)) {
		rc = moore_fail_nomem(d->err);
		goto out;
	}
	rc = list_nodes(d, &w, &told);
	for (uint32_t i = 0; !rc && i < w.n_lines; i++)
		for (int k = 0; !rc && k < 2; k++)
			rc = list_link(d, &w.line[i], k, &told);
out:
	moore_arena_free(&w.tmp);
	return rc;
}
