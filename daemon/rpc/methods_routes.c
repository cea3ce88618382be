// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* methods_routes.c - where the tables lead that the switches hold.
 *
 * path is a few look-ups and answers at once; what walks all tables goes to the
 * worker.  The fields are those of moorectl's verbs of the same names with --json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moore/moore.h"
#include "watch/expected.h"
#include "watch/sweeps.h"
#include "rpc/methods.h"
#include "state.h"

/* ---- names ------------------------------------------------------------------------------- */

static json_t *
json_peer(const struct moore_fabric *f, moore_swid s, moore_portnum p)
{
	const struct moore_port *port = moore_fabric_port(f, s, p);

	switch (port->role) {
	case MOORE_ROLE_SWITCH:
		return json_pack("{s:o, s:i}", "switch", json_name(f->sw[port->peer].name), "port",
				 port->peer_port);
	case MOORE_ROLE_ENDPOINT:
		return json_pack("{s:o, s:i}", "endpoint", json_name(f->ep[port->peer].name), "port",
				 f->ep[port->peer].ca_port);
	default:
		return json_null();
	}
}

static json_t *
json_owner(const struct view *v, unsigned lid)
{
	const struct moore_fabric *f = v->snap->fabric;
	const struct moore_lid_owner *o = lid <= f->lid_top ? &v->owner[lid] : NULL;

	if (!o || o->sw == MOORE_NONE)
		return json_string("");
	return json_name(o->ep != MOORE_NONE ? f->ep[o->ep].name : f->sw[o->sw].name);
}

static const char *
text_param(const struct call *c, const char *key)
{
	return json_string_value(json_object_get(c->params, key));
}

static bool
find(const struct call *c, const char *key, moore_swid *sw, moore_epid *ep, struct rpc_error *e)
{
	struct moore_err err;

	if (view_find(c->view, text_param(c, key), sw, ep, &err) == 0)
		return true;
	rpc_fail(e, RPC_NOT_FOUND, "%s: %s", key, err.text);
	return false;
}

static bool
find_switch(const struct call *c, moore_swid *sw, struct rpc_error *e)
{
	moore_epid ep;

	if (!find(c, "switch", sw, &ep, e))
		return false;
	if (*sw == MOORE_NONE)
		rpc_fail(e, RPC_NOT_FOUND, "switch: %.100s is an endpoint", text_param(c, "switch"));
	return *sw != MOORE_NONE;
}

/* ---- path -------------------------------------------------------------------------------- */

static bool
path_ends(const struct call *c, const struct moore_fabric *f, struct moore_path *p,
	  struct rpc_error *e)
{
	json_int_t offset = json_integer_value(json_object_get(c->params, "offset"));
	moore_swid s;
	moore_epid a;
	moore_lid base;
	unsigned lmc;

	if (!find(c, "from", &s, &a, e))
		return false;
	p->sw = a != MOORE_NONE ? f->ep[a].sw : s;
	p->in = a != MOORE_NONE ? f->ep[a].port : 0;
	if (p->sw == MOORE_NONE) {
		rpc_fail(e, RPC_NOT_FOUND, "from: %.100s is plugged into no switch",
			 text_param(c, "from"));
		return false;
	}
	if (!find(c, "to", &s, &a, e))
		return false;
	base = a != MOORE_NONE ? f->ep[a].lid : f->sw[s].lid;
	lmc = a != MOORE_NONE ? f->ep[a].lmc : f->sw[s].lmc;
	if (!base || base > f->lid_top || c->view->owner[base].sw == MOORE_NONE)
		rpc_fail(e, RPC_NOT_FOUND, "to: %.100s has no LID", text_param(c, "to"));
	else if (offset >= (json_int_t)1 << lmc)
		rpc_fail(e, RPC_PARAMS, "params.offset: %.100s has LMC %u: offsets 0 to %u",
			 text_param(c, "to"), lmc, (1u << lmc) - 1);
	p->lid = (moore_lid)(base + offset);
	return !e->code;
}

static json_t *
json_hop(const struct moore_fabric *f, const struct moore_hop *h)
{
	bool out = h->out <= f->sw[h->sw].n_ports;

	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "switch", json_name(f->sw[h->sw].name),
			 "guid", json_guid(f->sw[h->sw].guid), "in", h->in,
			 "out", out ? json_integer(h->out) : json_null(),
			 "vl", out && h->out ? json_integer(h->vl) : json_null(),
			 "peer", out ? json_peer(f, h->sw, h->out) : json_null());
}

static json_t *
run_path(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_path p = { 0 };
	json_t *hops;

	if (!s || !path_ends(c, s->fabric, &p, e))
		return NULL;
	p.sl = (uint8_t)json_integer_value(json_object_get(c->params, "sl"));
	if (!(p.hop = malloc(s->fabric->n_switches * sizeof(*p.hop))))
		return rpc_fail(e, RPC_INTERNAL, "out of memory");
	moore_path_walk(s->fabric, s->lft, s->sl2vl, c->view->owner, &p);
	hops = json_array();
	for (uint32_t i = 0; i < p.n_hops; i++)
		json_array_append_new(hops, json_hop(s->fabric, &p.hop[i]));
	free(p.hop);
	return from_sweep(s, json_pack("{s:O, s:O, s:i, s:i, s:b, s:o, s:i, s:o}",
		"from", json_object_get(c->params, "from"), "to", json_object_get(c->params, "to"),
		"lid", p.lid, "sl", p.sl, "delivered", !p.fault,
		"fault", p.fault ? json_string(p.fault) : json_null(),
		"switch_hops", p.n_hops ? (int)p.n_hops - 1 : 0, "hops", hops));
}

/* ---- tables ------------------------------------------------------------------------------- */

static json_t *
json_lft_row(const struct view *v, moore_swid s, unsigned port)
{
	const struct moore_fabric *f = v->snap->fabric;
	const uint8_t *row = moore_lft_row(v->snap->lft, s);
	bool real = port <= f->sw[s].n_ports;
	json_t *lids = json_array();

	/* A LID that no one owns and that has no route says nothing. */
	for (unsigned lid = 1; lid <= f->lid_top && lid < v->snap->lft->stride; lid++)
		if (row[lid] == port &&
		    (port != MOORE_NO_PATH || v->owner[lid].sw != MOORE_NONE))
			json_array_append_new(lids, json_integer(lid));
	if (!json_array_size(lids)) {
		json_decref(lids);
		return NULL;
	}
	return json_pack("{s:o, s:o, s:o}", "port", real ? json_integer(port) : json_null(), "peer",
			 real ? json_peer(f, s, (moore_portnum)port) : json_null(), "lids", lids);
}

static json_t *
of_switch(const struct snapshot *s, moore_swid sw, json_t *rows)
{
	return from_sweep(s, json_pack("{s:o, s:o, s:o}", "switch",
		json_name(s->fabric->sw[sw].name), "guid", json_guid(s->fabric->sw[sw].guid),
		"rows", rows));
}

static json_t *
run_table(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	json_t *rows, *row;
	moore_swid sw;

	if (!s || !find_switch(c, &sw, e))
		return NULL;
	rows = json_array();
	for (unsigned port = 0; port <= MOORE_NO_PATH; port++)
		if ((row = json_lft_row(c->view, sw, port)))
			json_array_append_new(rows, row);
	return of_switch(s, sw, rows);
}

struct sl_group {
	const struct moore_sl2vl *m;
	moore_swid sw;
	unsigned n, in, out;	/* ports; the first of the group */
};

static unsigned
row_id(const struct sl_group *g, unsigned in, unsigned out)
{
	return g->m->id[g->m->base[g->sw] + (size_t)in * g->m->width[g->sw] + out];
}

/* Does in treat every out port as g->in does? */
static bool
same_in(const struct sl_group *g, unsigned in)
{
	for (unsigned out = 1; out <= g->n; out++)
		if (row_id(g, in, out) != row_id(g, g->in, out))
			return false;
	return true;
}

static bool
same_out(const struct sl_group *g, unsigned out)
{
	return row_id(g, g->in, out) == row_id(g, g->in, g->out);
}

static json_t *
take_ports(const struct sl_group *g, unsigned first,
	   bool (*same)(const struct sl_group *, unsigned), bool *done)
{
	json_t *list = json_array();

	for (unsigned p = first; p <= g->n; p++)
		if (same(g, p)) {
			done[p] = true;
			json_array_append_new(list, json_integer(p));
		}
	return list;
}

static json_t *
json_vls(const struct sl_group *g)
{
	const uint8_t *vl = moore_sl2vl_get(g->m, g->sw, (moore_portnum)g->in,
					    (moore_portnum)g->out)->vl;
	json_t *list = json_array();

	for (int sl = 0; sl < MOORE_N_SL; sl++)
		json_array_append_new(list, json_integer(vl[sl]));
	return list;
}

static void
add_sl_groups(json_t *rows, struct sl_group *g)
{
	bool in_done[MOORE_PORT_MAX + 1] = { false }, out_done[MOORE_PORT_MAX + 1];
	json_t *ins;

	for (g->in = 0; g->in <= g->n; g->in++) {
		if (in_done[g->in])
			continue;
		ins = take_ports(g, 0, same_in, in_done);
		memset(out_done, 0, sizeof(out_done));
		for (g->out = 1; g->out <= g->n; g->out++)
			if (!out_done[g->out])
				json_array_append_new(rows, json_pack("{s:O, s:o, s:o}", "in", ins,
					"out", take_ports(g, 1, same_out, out_done), "vls",
					json_vls(g)));
		json_decref(ins);
	}
}

static json_t *
run_vls(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	json_t *rows;
	moore_swid sw;

	if (!s || !find_switch(c, &sw, e))
		return NULL;
	rows = json_array();
	add_sl_groups(rows, &(struct sl_group){ s->sl2vl, sw, s->fabric->sw[sw].n_ports, 0, 0 });
	return of_switch(s, sw, rows);
}

/* ---- verify --------------------------------------------------------------------------------- */

static json_t *
json_channel(const struct moore_fabric *f, const struct moore_channel *ch)
{
	return json_pack("{s:o, s:o, s:i, s:o, s:i}", "switch", json_name(f->sw[ch->sw].name),
			 "guid", json_guid(f->sw[ch->sw].guid), "port", ch->port, "peer",
			 json_peer(f, ch->sw, ch->port), "vl", ch->vl);
}

static json_t *
json_cycle(const struct view *v, const struct moore_verdict *r)
{
	const struct moore_fabric *f = v->snap->fabric;
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->cycle_len; i++) {
		const struct moore_dependency *d = &r->cycle[i];
		const struct moore_port *p = moore_fabric_port(f, d->src_sw, d->src_port);
		bool ep = d->src_port && p->role == MOORE_ROLE_ENDPOINT;

		json_array_append_new(list, json_pack("{s:o, s:o, s:{s:o, s:i, s:o, s:i}}",
			"from", json_channel(f, &d->from),
			"to", json_channel(f, &r->cycle[(i + 1) % r->cycle_len].from),
			"example", "source",
			json_name(ep ? f->ep[p->peer].name : f->sw[d->src_sw].name), "lid", d->dlid,
			"destination", json_owner(v, d->dlid), "sl", d->sl));
	}
	return list;
}

/* Counts by number, those that are 0 left out. */
static json_t *
json_histogram(const uint64_t *count, uint32_t last)
{
	json_t *o = json_object();
	char key[12];

	for (uint32_t i = 0; i <= last; i++)
		if (count[i]) {
			snprintf(key, sizeof(key), "%u", i);
			json_object_set_new(o, key, json_count(count[i]));
		}
	return o;
}

static json_t *
json_bits(uint16_t mask)
{
	json_t *list = json_array();

	for (int i = 0; i < 16; i++)
		if (mask >> i & 1)
			json_array_append_new(list, json_integer(i));
	return list;
}

static json_t *
json_hottest(const struct moore_fabric *f, moore_swid sw, moore_portnum port)
{
	return json_pack("{s:o, s:o, s:i, s:o}", "switch", json_name(f->sw[sw].name), "guid",
			 json_guid(f->sw[sw].guid), "port", port, "peer", json_peer(f, sw, port));
}

static json_t *
json_verdict(const struct moore_fabric *f, const struct moore_verdict *v, bool sound)
{
	double over = v->mean_load > 0 ? v->max_load / v->mean_load : 0;

	return json_pack("{s:i, s:i, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:f, s:f, "
		"s:f, s:o}", "switches", (int)f->n_switches, "endpoints", (int)f->n_endpoints,
		"sound", sound, "acyclic", v->acyclic, "pairs", (json_int_t)v->pairs,
		"unreachable", (json_int_t)v->unreachable, "loops", (json_int_t)v->loops,
		"partitioned", (json_int_t)v->partitioned, "dropped", (json_int_t)v->dropped,
		"hops", json_histogram(v->hops, MOORE_HOPS_MAX), "vls", json_bits(v->vls),
		"channels", (json_int_t)v->n_channels, "dependencies",
		(json_int_t)v->n_dependencies, "max_load", v->max_load, "mean_load", v->mean_load,
		"max_over_mean_load", over, "hottest", v->mean_load > 0 ?
		json_hottest(f, v->hottest.sw, v->hottest.port) : json_null());
}

static json_t *
add_examples(json_t *o, const struct view *view, const struct moore_verdict *v,
	     const struct moore_dangling *d)
{
	const struct moore_fabric *f = view->snap->fabric;

	json_object_set_new(o, "dangling", json_count(d->n));
	if (d->n)
		json_object_set_new(o, "dangling_example", json_pack("{s:o, s:i, s:i}", "switch",
			json_name(f->sw[d->sw].name), "lid", (int)d->lid, "port", d->port));
	if (!v->acyclic)
		json_object_set_new(o, "cycle", json_cycle(view, v));
	if (v->unreachable)
		json_object_set_new(o, "example", json_pack("{s:o, s:i, s:o}", "switch",
			json_name(f->sw[v->bad_sw].name), "lid", v->bad_lid, "destination",
			json_owner(view, v->bad_lid)));
	return o;
}

/* On the SLs of the path records that were read; null when none was. */
static json_t *
json_sa(const struct snapshot *s, const struct moore_check_opts *o, bool sound)
{
	struct moore_check_opts only = *o;
	struct moore_verdict *v = NULL;
	struct moore_err err;

	if (!s->sa.answered)
		return json_null();
	/* What holds on all SLs asked about holds on some of them. */
	if (!sound || (o->sl_mask && s->sa.sls & ~o->sl_mask)) {
		only.sl_mask = s->sa.sls;
		if (moore_check(&v, s->fabric, s->lft, s->sl2vl, s->mft, &only, &err) < 0)
			return json_null();
		sound = v->sound;
		moore_verdict_free(v);
	}
	return json_pack("{s:o, s:o, s:o, s:b, s:o}", "asked", json_count(s->sa.asked), "answered",
			 json_count(s->sa.answered), "sls", json_bits(s->sa.sls), "sound", sound,
			 "heard_ms", json_count(atomic_load(&s->sa_heard_ms)));
}

static json_t *
run_verify(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_check_opts o = {
		.base_lids_only = json_is_true(json_object_get(c->params, "base_lids")),
		.endpoints_only = json_is_true(json_object_get(c->params, "endpoints_only")),
	};
	struct moore_verdict *v = NULL;
	struct moore_dangling d;
	struct moore_err err;
	json_t *sl, *answer;
	size_t i;

	if (!s)
		return NULL;
	json_array_foreach(json_object_get(c->params, "sls"), i, sl)
		o.sl_mask = (uint16_t)(o.sl_mask | 1u << json_integer_value(sl));
	if (moore_check(&v, s->fabric, s->lft, s->sl2vl, s->mft, &o, &err) < 0)
		return rpc_fail(e, RPC_FAILED, "%s", err.text);
	moore_lft_dangling(s->fabric, s->lft, &d);
	answer = json_verdict(s->fabric, v, v->sound && !d.n);
	if (answer) {
		add_examples(answer, c->view, v, &d);
		json_object_set_new(answer, "sa", json_sa(s, &o, v->sound));
		add_expected(answer, s, c->plan, c->own);
	}
	moore_verdict_free(v);
	return from_sweep(s, answer);
}

/* What the plugin told is the loop's. */
static json_t *
finish_verify(struct call *c, json_t *result, struct rpc_error *e)
{
	if (result)
		json_object_set_new(result, "told", json_sweep_told(c->d, c->view->snap));
	return drop_own(c, result, e);
}

/* ---- quality --------------------------------------------------------------------------------- */

static double
share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static json_t *
json_pairs(const struct moore_quality_pairs *p)
{
	static const char *const key[] = { "all", "at_one", "at_two" };
	json_t *o = json_object();

	for (int d = 0; d < 3; d++)
		json_object_set_new(o, key[d], json_pack("{s:o, s:o, s:f}", "pairs",
			json_count(p->n[d]), "longer", json_count(p->longer[d]),
			"longer_share", share(p->longer[d], p->n[d])));
	return o;
}

static json_t *
json_spread(const struct moore_fabric *f, const struct moore_link_load *s)
{
	json_t *on = json_null();

	if (s->max > 0)
		on = json_pack("{s:o, s:i, s:o}", "switch", json_name(f->sw[s->sw].name), "port",
			       s->port, "peer", json_peer(f, s->sw, s->port));
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o}", "min", s->min, "q1", s->q1,
			 "median", s->median, "q3", s->q3, "max", s->max, "mean", s->mean,
			 "max_over_mean", s->mean > 0 ? s->max / s->mean : 0.0, "hottest", on);
}

static json_t *
json_offset(const struct moore_fabric *f, const struct moore_quality_offset *o, uint32_t k)
{
	return json_pack("{s:i, s:o, s:o, s:o, s:f, s:o, s:o}", "offset", (int)k, "hops",
			 json_histogram(o->hops, MOORE_HOPS_MAX),
			 "no_route", json_count(o->no_route),
			 "three_hops_at_two", json_count(o->three_hops),
			 "three_hops_at_two_share", share(o->three_hops, o->pairs.n[2]),
			 "distance", json_pairs(&o->pairs), "load", json_spread(f, &o->load));
}

static json_t *
json_quality(const struct moore_fabric *f, const struct moore_quality *q)
{
	json_t *list = json_array(), *worst = json_null();

	for (uint32_t k = 0; k < q->n_offsets; k++)
		json_array_append_new(list, json_offset(f, &q->offset[k], k));
	if (q->worst_sw != MOORE_NONE)
		worst = json_pack("{s:o, s:o, s:i, s:i}", "switch", json_name(f->sw[q->worst_sw].name),
				  "endpoint", json_name(f->ep[q->worst_ep].name), "disjoint",
				  (int)q->worst_disjoint, "hops", (int)q->worst_hops);
	return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:o}",
		"switches", (int)f->n_switches, "sources", (int)q->n_sources,
		"endpoints", (int)q->n_endpoints, "links", (int)q->n_links,
		"partitioned", json_count(q->partitioned), "offsets", list,
		"load", json_spread(f, &q->load), "distance", json_pairs(&q->pairs),
		"disjoint", json_histogram(q->disjoint, q->n_offsets),
		"mean_disjoint", q->mean_disjoint, "exact", q->exact, "worst", worst);
}

static json_t *
run_quality(struct call *c, struct rpc_error *e)
{
	const struct snapshot *s = call_snapshot(c, NEED_TABLES, e);
	struct moore_quality *q = NULL;
	struct moore_err err;
	json_t *answer;

	if (!s)
		return NULL;
	if (moore_quality_measure(&q, s->fabric, s->lft, &err) < 0)
		return rpc_fail(e, RPC_FAILED, "%s", err.text);
	answer = json_quality(s->fabric, q);
	moore_quality_free(q);
	return from_sweep(s, answer);
}

/* ---- the table -------------------------------------------------------------------------------- */

#define SL "{'type':'integer','minimum':0,'maximum':15}"
#define OF_SWITCH "'switch':" STR ",'guid':" STR ",'rows':"

const struct method methods_routes[] = {
	{ "routes.path", "How from reaches to, hop by hop and lane by lane, on the tables that the "
	  "switches hold. Both are a name, NAME:CA_PORT, 0x GUID or LID; offset is the LID of to, "
	  "less its base LID.", ACCESS_READ,
	  P_REQ("'from','to'", PLANE ",'from':" NAME ",'to':" NAME ",'offset':{'type':'integer',"
		"'minimum':0,'maximum':127},'sl':" SL),
	  R(SWEEP "'from':" STR ",'to':" STR ",'lid':" INT ",'sl':" INT ",'delivered':" BOOL
	    ",'fault':" OR_NULL("string") ",'switch_hops':" INT ",'hops':{'type':'array','items':{"
	    "'type':'object','properties':{'switch':" STR ",'guid':" STR ",'in':" INT ",'out':"
	    OR_NULL("integer") ",'vl':" OR_NULL("integer") ",'peer':" OR_NULL("object") "}}}"),
	  run_path, TAKES_NO_TIME, NULL, NULL },
	{ "routes.table", "A switch's forwarding table: the LIDs of each port.", ACCESS_READ,
	  P_REQ("'switch'", PLANE ",'switch':" NAME),
	  R(SWEEP OF_SWITCH "{'type':'array','items':{'type':'object','properties':{'port':"
	    OR_NULL("integer") ",'peer':" OR_NULL("object") ",'lids':{'type':'array','items':" INT
	    "}}}}"), run_table, TAKES_A_MOMENT, NULL, NULL },
	{ "routes.verify", "Can traffic on these tables deadlock? With sls: only these SLs are used; "
	  "base_lids: only base LIDs; endpoints_only: switches neither send nor are addressed. expected "
	  "compares with what engine moore computes from plan and moore_conf: rows that differ were "
	  "written by another engine or manager, or from other settings. adaptive_routing is null: "
	  "not read, and where it is on for an SL the answer does not hold for that SL. sa judges the "
	  "same tables on the SLs that the SA's path records name: of `asked` pairs of endpoints spread "
	  "over all (4096 at a time), `answered` had one, "
	  "the last at `heard_ms`; null when none was read.",
	  ACCESS_READ, P(PLANE ",'sls':{'type':'array','maxItems':16,'items':" SL "},'base_lids':" BOOL
			 ",'endpoints_only':" BOOL),
	  R(SWEEP "'switches':" INT ",'endpoints':" INT ",'sound':" BOOL ",'acyclic':" BOOL ",'pairs':"
	    INT ",'unreachable':" INT ",'loops':" INT ",'partitioned':" INT ",'dropped':" INT
	    ",'hops':" OBJECT ",'vls':" LIST ",'channels':" INT ",'dependencies':" INT
	    ",'max_load':{'type':'number'},'mean_load':{'type':'number'},'max_over_mean_load':{"
	    "'type':'number'},'hottest':" OR_NULL("object") ",'dangling':" INT
	    ",'dangling_example':" OBJECT ",'cycle':" LIST ",'example':" OBJECT ",'expected':{'type':["
	    "'object','null'],'properties':{'routes':" INT ",'routes_differ':" INT ",'example':"
	    OR_NULL("object") ",'lanes_differ':" INT "}},'expected_why':" STR
	    ",'sa':{'type':['object','null'],'properties':{'asked':" INT ",'answered':" INT ",'sls':" LIST
	    ",'sound':" BOOL ",'heard_ms':" INT "}},'adaptive_routing':{'type':'null'},'told':" A_SWEEP_TOLD), run_verify,
	  TAKES_LONG, take_moore_conf, finish_verify },
	{ "routes.quality", "How long, even and independent are the routes?", ACCESS_READ, P(PLANE),
	  R(SWEEP "'switches':" INT ",'sources':" INT ",'endpoints':" INT ",'links':" INT
	    ",'partitioned':" INT ",'offsets':" LIST ",'load':" OBJECT ",'distance':" OBJECT
	    ",'disjoint':" OBJECT ",'mean_disjoint':{'type':'number'},'exact':" BOOL ",'worst':"
	    OR_NULL("object")), run_quality, TAKES_LONG, NULL, NULL },
	{ "vls.table", "A switch's SL to VL tables, equal ones together.", ACCESS_READ,
	  P_REQ("'switch'", PLANE ",'switch':" NAME),
	  R(SWEEP OF_SWITCH "{'type':'array','items':{'type':'object','properties':{'in':" LIST
	    ",'out':" LIST ",'vls':" LIST "}}}"), run_vls, TAKES_A_MOMENT, NULL, NULL },
	{ 0 }
};
