// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* schema.c - the one table of answers, and how their short schemas are written out. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_impl.h"

static const struct moore_answer answers[] = {
	{ "verdict", "verify", "Whether traffic on these tables can deadlock.",
	  moore_schema_verdict },
	{ "route", "route", "What the engine computed from a plan, and the checker's verdict.",
	  moore_schema_route },
	{ "path", "path", "How one packet goes, hop by hop and lane by lane.", moore_schema_path },
	{ "lft", "table lft", "A switch's forwarding table: the LIDs of each port.",
	  moore_schema_lft },
	{ "sl2vl", "table sl2vl", "A switch's SL to VL tables, equal ones together.",
	  moore_schema_sl2vl },
	{ "quality", "quality", "How long, even and independent the routes are.",
	  moore_schema_quality },
	{ "patterns", "quality --pattern", "How much traffic of each pattern the routes carry.",
	  moore_schema_patterns },
	{ "draws", "quality --fail-share", "What is left of distances and routes when links fail at "
	  "random.", moore_schema_draws },
	{ "predict", "predict", "The traffic that jobs put on links; whatif gives it, too.",
	  moore_schema_predict },
	{ "simulate", "simulate", "Throughput and latency of packets on the tables, by simulation.",
	  moore_schema_simulate },
	{ "campaign", "campaign run", "How many points of a campaign are done, and where they are; campaign "
	  "slurm gives it, too.", moore_schema_campaign },
	{ "shares", "select", "On which LID offsets the hosts of a job should send.",
	  moore_schema_shares },
	{ "check", "check", "Whether the fabric is cabled as planned, and what is where.",
	  moore_schema_check },
	{ "repair", "repair", "Which cable ends to move, in which order.", moore_schema_repair },
	{ "find", "find", "What a LID, GUID, name or label means, and where it is.", moore_schema_find },
	{ "families", "topo list", "The families of topologies and their parameters.",
	  moore_schema_families },
	{ "topo-find", "topo find", "Of each family the cheapest topology that fits.", moore_schema_topo_find },
	{ "topo-compare", "topo compare", "Topologies side by side.", moore_schema_topo_compare },
	{ "topo", "topo show", "What a topology has, and how far its switches are apart.",
	  moore_schema_topo },
	{ "plan", "plan show", "What a plan has; plan new, import, export and draw with a file give it, too.",
	  moore_schema_plan },
	{ "plan-check", "plan check", "Whether a plan is valid and connected.",
	  moore_schema_plan_check },
	{ "place", "plan place", "Cabinets on the floor and the cable that they take.",
	  moore_schema_place },
	{ "permutation", "plan permute", "A plan with links swapped, and the ends that move.",
	  moore_schema_permutation },
	{ "steps", "plan steps", "An order of moves that keeps the fabric running.",
	  moore_schema_steps },
	{ "change", "change", "How much changes from one set of tables to the next, and whether "
	  "every mixture of both is safe.", moore_schema_change },
	{ "capture", "capture", "What a capture of a fabric holds: its manifest.", moore_schema_capture },
	{ "shadow", "shadow", "The tables in force beside those that the engine computes, and the way from "
	  "one to the other.", moore_schema_shadow },
	{ "accept", "accept", "Whether switches keep the tables that were written to them.",
	  moore_schema_accept },
	{ "conf", "conf", "The keys of moore.conf with their defaults.", moore_schema_conf },
	{ "conf-check", "conf check", "Whether a moore.conf is right.", moore_schema_conf_check },
	{ "env", "env", "The settings by which a job uses the LID offsets.", moore_schema_env },
	{ "hotspots", "hotspots", "Links that stand out now, and the spread of load and wait over "
	  "all links.", moore_schema_hotspots },
	{ "errors", "errors", "Ports whose error counters are not 0, and how fast these rise.",
	  moore_schema_errors },
	{ "explain", "explain", "Why a link is loaded, by whose traffic, and what to try.",
	  moore_schema_explain },
	{ "history", "history", "What happened to a link, a switch, an endpoint, or the whole fabric.",
	  moore_schema_history },
	{ "drain", "drain", "Which links are drained, which may be, and what that costs.",
	  moore_schema_drain },
	{ "ethernet", "ethernet verify", "What the configurations of Ethernet switches do: which "
	  "prefixes they reach, and whether lossless traffic can deadlock.", moore_schema_ether },
	{ "discovery", "ethernet discover", "The fabric that switches report by LLDP, and where their "
	  "reports disagree.", moore_schema_discovery },
	{ "ports", "ethernet ports", "The planned and the actual neighbour of each port of Ethernet "
	  "switches.", moore_schema_ports },
	{ "ethernet-diff", "ethernet diff", "What changes from the routes that switches run to those of "
	  "a directory, in steps.", moore_schema_ether_diff },
	{ "error", "", "Why a verb failed: every verb prints this under --json when it exits with 2.",
	  moore_schema_error },
};

const struct moore_answer *
moore_answer_at(size_t i)
{
	return i < ARRAY_LEN(answers) ? &answers[i] : NULL;
}

/* ---- writing out: every object closed, every key required but those with '?' ----------- */

static bool write_out(json_t *schema);

/* Moves each property to its name without '?'. */
static json_t *
write_out_properties(const json_t *given, json_t *required)
{
	json_t *all = json_object(), *schema;
	const char *key;

	json_object_foreach((json_t *)given, key, schema) {
		size_t n = strcspn(key, "?");
		char *name = moore_strndup(key, n);

		if (!name || !write_out(schema) || json_object_set(all, name, schema) < 0 ||
		    (!key[n] && json_array_append_new(required, json_string(name)) < 0)) {
			json_decref(all);
			all = NULL;
		}
		free(name);
		if (!all)
			return NULL;
	}
	return all;
}

/* Puts the schema of the answer of this name in place of {"answer": name}. */
static bool
insert_answer(json_t *schema, const char *name)
{
	json_t *other = moore_answer_schema(name);
	bool good = other && json_object_clear(schema) == 0 && json_object_update(schema, other) == 0;

	json_decref(other);
	return good;
}

static bool
write_out(json_t *schema)
{
	const char *answer = json_string_value(json_object_get(schema, "answer"));
	json_t *items = json_object_get(schema, "items");
	json_t *given = json_object_get(schema, "properties"), *required, *all;
	bool good;

	if (answer)
		return insert_answer(schema, answer);
	if (items)
		return write_out(items);
	if (!given)
		return true;
	required = json_array();
	all = required ? write_out_properties(given, required) : NULL;
	good = all && json_object_set(schema, "properties", all) == 0 &&
		(!json_array_size(required) || json_object_set(schema, "required", required) == 0) &&
		json_object_set_new(schema, "additionalProperties", json_false()) == 0;
	json_decref(all);
	json_decref(required);
	return good;
}

json_t *
moore_json_quoted(const char *text)
{
	char *s = moore_strndup(text, strlen(text));
	json_t *j;

	if (!s)
		return NULL;
	for (char *p = s; *p; p++)
		if (*p == '\'')
			*p = '"';
	j = json_loads(s, JSON_REJECT_DUPLICATES, NULL);
	free(s);
	return j;
}

json_t *
moore_answer_schema(const char *name)
{
	const struct moore_answer *a;
	json_t *j;

	for (size_t i = 0; (a = moore_answer_at(i)) && strcmp(a->name, name);)
		i++;
	j = a ? moore_json_quoted(a->schema) : NULL;
	if (j && write_out(j))
		return j;
	json_decref(j);
	return NULL;
}
