// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* system.c - moored about itself. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "rpc/registry.h"
#include "rpc/server.h"
#include "methods/methods.h"
#include "state.h"
#include "watch/hot.h"
#include "watch/problems.h"
#include "watch/sound.h"
#include "watch/sweeps.h"
#include "watch/wiring.h"

static json_t *
run_ping(struct call *c, struct rpc_error *e)
{
	(void)c, (void)e;
	return json_pack("{s:s, s:s, s:i}", "name", "moored", "version", MOORE_VERSION, "pid",
			 (int)getpid());
}

static json_t *
run_methods(struct call *c, struct rpc_error *e)
{
	const struct rpc_method *rm;
	json_t *list = json_array();

	(void)c, (void)e;
	for (size_t i = 0; (rm = method_at(i)); i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:O, s:O}",
			"name", rm->m->name, "help", rm->m->help,
			"access", rm->m->access == ACCESS_CHANGE ? "change" : "read",
			"params", rm->params, "result", rm->result));
	return json_pack("{s:o}", "methods", list);
}

/* ---- status ------------------------------------------------------------------------ */

static json_t *
json_text(const char *s)	/* null for nothing */
{
	return s[0] ? moore_json_name(s) : json_null();
}

/* How many findings stand; null before the first poll. */
static json_t *
json_standing(const struct moored *d, unsigned plane)
{
	const struct hot_plane *h = hot_plane(d, plane);
	uint64_t n = 0;

	for (size_t k = 0; h && k < MOORE_N_FINDINGS; k++)
		n += h->standing[k];
	return h ? moore_json_count(n) : json_null();
}

/* null before the first verdict, and without a plan. */
static json_t *
json_deviating(const struct moored *d, unsigned plane)
{
	json_t *last = wiring_last(d, plane), *n = json_null();

	if (json_is_object(last))
		n = moore_json_count(json_array_size(json_object_get(last, "deviations")));
	json_decref(last);
	return n;
}

/* sm as the snapshot found it until the manager was asked since. */
static void
put_manager(json_t *o, const struct manager_state *m, const struct snapshot *s)
{
	bool asked = m->found == MANAGER_ANSWERS || m->found == MANAGER_SILENT;

	json_object_set_new(o, "sm", json_text(asked ? m->text : s->sm));
	json_object_set_new(o, "sm_answers", asked ? json_boolean(m->found == MANAGER_ANSWERS) :
			    json_null());
	json_object_set_new(o, "sm_heard_ms", asked ? moore_json_count(m->heard_ms) : json_null());
}

/* Every subnet manager that was heard and not forgotten. */
static json_t *
json_managers(const struct managers *m)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < m->n; i++) {
		const struct manager_heard *h = &m->of[i].last;

		json_array_append_new(list, json_pack("{s:o, s:i, s:i, s:s, s:b, s:o}", "guid",
			moore_json_guid(h->guid), "lid", (int)h->lid, "priority", (int)h->prio, "state",
			manager_state_name(h->state), "lost", manager_lost(&m->of[i]), "heard_ms",
			moore_json_count(m->of[i].heard_ms)));
	}
	return list;
}

/* Whose tables the switches hold, whether these are sound, and how old that knowledge is. */
static void
put_tables(json_t *o, const struct moored *d, unsigned i, const struct snapshot *s)
{
	const struct soundness *n = sound_last(d, i);
	uint64_t heard_ms = atomic_load(&s->sa_heard_ms);

	json_object_set_new(o, "tables_by", json_string(tables_by_name(sweeps_tables_by(d, s, wall_ms()))));
	json_object_set_new(o, "tables_sound", n->known ? json_boolean(n->sound) : json_null());
	json_object_set_new(o, "tables_sound_sweep", n->known ? moore_json_count(n->scan) : json_null());
	json_object_set_new(o, "sa_heard_ms", heard_ms ? moore_json_count(heard_ms) : json_null());
}

/* It is up, its subnet manager answers if it was asked, and no problem is raised. */
static bool
is_well(const struct moored *d, unsigned i)
{
	const struct plane *p = &d->plane[i];

	return p->state == PLANE_UP && p->manager.found != MANAGER_SILENT && !problems_any(d, i);
}

static json_t *
json_plane(const struct moored *d, unsigned i)
{
	const struct plane *p = &d->plane[i];
	const struct snapshot *s = p->view ? p->view->snap : NULL;
	json_t *o = json_pack("{s:i, s:b, s:o, s:s, s:o}", "plane", (int)i, "ok", is_well(d, i),
			      "name", json_text(p->name), "state", plane_state_name(p->state), "why", json_text(p->why));

	if (!s || !o)
		return o;
	json_object_set_new(o, "sweep", moore_json_count(s->scan));
	json_object_set_new(o, "at_ms", moore_json_count(s->at_ms));
	json_object_set_new(o, "took_ms", moore_json_count(s->took_ms));
	put_manager(o, &p->manager, s);
	json_object_set_new(o, "managers", json_managers(&p->managers));
	json_object_set_new(o, "sm_was", p->managers.was ? moore_json_guid(p->managers.was) : json_null());
	json_object_set_new(o, "sm_changed_ms", p->managers.was ? moore_json_count(p->managers.changed_ms) :
			    json_null());
	json_object_set_new(o, "problems", json_problems(d, i));
	put_tables(o, d, i, s);
	json_object_set_new(o, "switches", moore_json_count(s->seen->n_switches));
	json_object_set_new(o, "endpoints", moore_json_count(s->seen->n_endpoints));
	json_object_set_new(o, "cables", moore_json_count(s->seen->n_cables));
	json_object_set_new(o, "tables_sweep", s->lft ? moore_json_count(s->tables_scan) : json_null());
	json_object_set_new(o, "told", json_sweep_told(d, s));
	json_object_set_new(o, "deviations", json_deviating(d, i));
	json_object_set_new(o, "hotspots", json_standing(d, i));
	return o;
}

static json_t *
json_planned(const struct moored *d)
{
	const struct planned *p = d->plan;

	if (!p)
		return json_null();
	return json_pack("{s:o, s:o, s:i, s:i, s:i}", "path", moore_json_name(p->path), "hash",
			 moore_json_guid(p->hash), "switches", (int)p->plan->n_switches, "endpoints",
			 (int)p->plan->n_endpoints, "cables", (int)p->plan->n_cables);
}

static json_t *
json_server(const struct moored *d)
{
	struct server_count n = server_count(d->server);
	unsigned waiting = 0;

	for (size_t i = 0; i < N_WORK; i++)
		waiting += worker_waiting(d->worker[i]);
	return json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "clients", (int)n.clients,
		"subscribers", (int)n.subscribers, "outstanding", (int)n.outstanding, "waiting",
		(int)waiting, "accepted", moore_json_count(n.accepted), "refused",
		moore_json_count(n.refused), "dropped", moore_json_count(n.dropped), "requests",
		moore_json_count(n.requests), "events_lost", moore_json_count(n.events_lost));
}

static json_t *
run_status(struct call *c, struct rpc_error *e)
{
	const struct moored *d = c->d;
	bool ok = !d->plan_error[0] && !d->conf_error[0] && !records_error(&d->records)[0];
	json_t *planes = json_array();

	(void)e;
	problems_look(c->d);
	for (unsigned i = 0; i < d->n_planes; i++) {
		ok &= is_well(d, i);
		json_array_append_new(planes, json_plane(d, i));
	}
	return json_pack("{s:b, s:s, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"ok", ok, "version", MOORE_VERSION, "pid", (int)getpid(),
		"uptime_ms", (json_int_t)wall_ms() - (json_int_t)d->started_ms,
		"sweep", moore_json_count(d->scan), "planes", planes, "plan", json_planned(d),
		"plan_error", json_text(d->plan_error), "config", json_text(d->conf_path),
		"config_error", json_text(d->conf_error),
		"records_error", json_text(records_error(&d->records)), "reloads", moore_json_count(d->reloads),
		"server", json_server(d), "sweeps", json_sweeps_count(d));
}

/* ---- reload: the files are read on the worker -------------------------------------- */

static bool
prepare_reload(struct call *c, struct rpc_error *e)
{
	c->own = reload_new(c->d);
	if (!c->own)
		rpc_fail(e, RPC_INTERNAL, "out of memory");
	return c->own != NULL;
}

static json_t *
run_reload(struct call *c, struct rpc_error *e)
{
	(void)e;
	reload_read(c->own);
	return json_true();
}

static json_t *
finish_reload(struct call *c, json_t *result, struct rpc_error *e)
{
	const struct moored *d = c->d;

	if (!result) {
		reload_free(c->own);
		return NULL;
	}
	if (!reload_apply(c->d, c->own))
		return rpc_fail(e, RPC_FAILED, "%s: the previous one stays in force",
				d->conf_error[0] ? d->conf_error : d->plan_error);
	return json_pack("{s:o}", "plan", json_planned(d));
}

const struct method methods_system[] = {
	{ "system.ping", "Answers at once, to test the connection.", ACCESS_READ, P(""),
	  R("'name':" STR ",'version':" STR ",'pid':" INT), run_ping, TAKES_NO_TIME, NULL, NULL },
	{ "system.status", "Returns what moored is doing: planes with their state, last scan "
	  "and what OpenSM's plugin told of its own (routes_held: the switches hold what it "
	  "computed), plan, configuration, what was wrong with the last reload, why records cannot "
	  "be written, connections.", ACCESS_READ,
	  P(""),
	  R("'ok':" BOOL ",'version':" STR ",'pid':" INT ",'uptime_ms':" INT ",'sweep':" INT ",'planes':{"
	    "'type':'array','items':{'type':'object','properties':{'plane':" INT ",'ok':" BOOL ",'name':{'type':"
	    "['string','null']},'state':{'type':'string','enum':['no-device','down','unreached',"
	    "'up']},'why':{'type':['string','null']},'sweep':" INT ",'at_ms':" INT ",'took_ms':"
	    INT ",'sm':{'type':['string','null']},'sm_answers':{'type':['boolean','null']},"
	    "'sm_heard_ms':{'type':['integer','null']},'sm_was':" OR_NULL("string")
	    ",'sm_changed_ms':" OR_NULL("integer") ",'managers':{'type':'array','items':{'type':"
	    "'object','properties':{'guid':" STR ",'lid':" INT ",'priority':" INT ",'state':" STR
	    ",'lost':" BOOL ",'heard_ms':" INT "}}},'problems':{'type':'array','items':{'type':"
	    "'object','properties':{'what':" STR ",'since_ms':" INT ",'text':" STR "}}},"
	    "'tables_by':{'type':'string','enum':['unknown','plugin','changing','other']},"
	    "'tables_sound':" OR_NULL("boolean") ",'tables_sound_sweep':" OR_NULL("integer")
	    ",'sa_heard_ms':" OR_NULL("integer") ",'switches':" INT ",'endpoints':" INT
	    ",'cables':" INT ",'tables_sweep':{'type':['integer','null']},'deviations':{'type':['integer',"
	    "'null']},'hotspots':{'type':['integer','null']},'told':" A_SWEEP_TOLD
	    "}}},'plan':{'type':"
	    "['object','null']},'plan_error':{'type':['string','null']},'config':{'type':["
	    "'string','null']},'config_error':{'type':['string','null']},'records_error':"
	    OR_NULL("string") ",'reloads':" INT
	    ",'server':" OBJECT ",'sweeps':{'type':'object','properties':{'listens':" BOOL
	    ",'notices':" INT ",'junk':" INT "}}"), run_status, TAKES_NO_TIME, NULL, NULL },
	{ "system.methods", "Returns every method with its schemas.", ACCESS_READ, P(""),
	  R("'methods':" LIST), run_methods, TAKES_ONCE, NULL, NULL },
	{ "system.reload", "Reads configuration and plan again, as SIGHUP does; on an error, "
	  "which the answer describes, nothing changes.", ACCESS_CHANGE, P(""),
	  R("'plan':{'type':['object','null']}"), run_reload, TAKES_A_MOMENT, prepare_reload, finish_reload },
	{ 0 }
};
