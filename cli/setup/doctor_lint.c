// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* doctor_lint.c - judges every line of opensm.conf, and lists the settings that two
 * subnet managers must have in common.
 *
 * The known keys come from OpenSM itself: the file that it writes with -c holds all but
 * two of them, with their defaults.  The type of a key is that of its default: TRUE or
 * FALSE, or a number.  The tables below hold the rest, from osm_subnet.c and osm_qos.c
 * of OpenSM 3.3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "setup/doctor.h"

/* Each line is compared with all lines after it, so their number is bounded. */
enum { LINES_MAX = 2000 };

/* Keys that OpenSM reads and does not write. */
static const char *const unwritten[] = { "dimn_ports_file", "max_rate_enum" };

static const struct { const char *key; uint64_t min, max; const char *why; } ranges[] = {
	{ "sm_priority", 0, 15, "OpenSM takes 0 instead" },
	{ "sm_sl", 0, 15, "there are 16 service levels" },
	{ "subnet_timeout", 0, 31, "it is a code of five bits" },
	{ "vl_stall_count", 1, 7, "0 is undefined, and it has three bits" },
	{ "leaf_vl_stall_count", 1, 7, "0 is undefined, and it has three bits" },
	{ "packet_life_time", 0, 0x13, "from 0x14 on packets in a switch never expire, and while "
	  "routes change nothing else ends a jam of old and new ones" },
	{ "sweep_interval", 1, UINT32_MAX, "0 ends sweeping: a change without a trap goes unnoticed" },
};

/* Settings of lanes at switch ports, which OpenSM takes from the engine instead, and those
 * that then concern hosts only. */
static const char *const no_effect[] = {
	"qos_swe_sl2vl", "qos_swe_vlarb_high", "qos_swe_vlarb_low",
};
static const char *const hosts_only[] = { "qos_sl2vl", "qos_vlarb_high", "qos_vlarb_low" };
static const char *const maps[] = {
	"qos_sl2vl", "qos_ca_sl2vl", "qos_sw0_sl2vl", "qos_rtr_sl2vl",
};
static const char *const limits[] = { "qos_high_limit", "qos_swe_high_limit" };

/* These decide routes, lanes, and which subnet managers are accepted; the value of a secret
 * is not printed. */
static const struct { const char *key; bool secret; } both[] = {
	{ "event_plugin_name", false }, { "routing_engine", false }, { "qos", false },
	{ "max_op_vls", false }, { "use_ucast_cache", false }, { "lmc", false },
	{ "lmc_esp0", false }, { "sm_sl", false }, { "subnet_prefix", false },
	{ "m_key", true }, { "sm_key", true }, { "sa_key", true },
	{ "packet_life_time", false }, { "head_of_queue_lifetime", false },
	{ "leaf_head_of_queue_lifetime", false }, { "qos_ca_sl2vl", false },
};

static bool
among(const char *const *list, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], key))
			return true;
	return false;
}

static bool
is_set(const struct cli_setting *s)
{
	return s->value[0] && strcmp(s->value, "(null)") != 0;
}

static bool
is_number(const char *s, uint64_t max, uint64_t *out)
{
	const char *p = s;

	return moore_text_u64(&p, s + strlen(s), 0, max, out) && !*p;
}

/* Finds the value in force: that of opensm.conf, or else OpenSM's default. */
static void
effective(const struct exam *x, const char *key, struct cli_setting *s)
{
	cli_find_setting(x->conf.data, key, s);
	if (!s->line && x->defaults) {
		cli_find_setting(x->defaults, key, s);
		s->line = 0;
	}
}

/* ---- one line ------------------------------------------------------------------------ */

static const char *
default_key_at(const void *arg, size_t i)
{
	return ((const char *const *)arg)[i];
}

/* Stores in out the known key that is most like a wrong one; false when none is like it. */
static bool
nearest_key(const struct exam *x, const char *key, char *out, size_t cap)
{
	struct cli_setting s = { .line = 0 };
	const char *p = x->defaults, *near, **names = calloc(LINES_MAX + 1, sizeof(*names));
	char *keys = calloc(LINES_MAX, sizeof(s.key));
	size_t n = 0;

	while (names && keys && n < LINES_MAX && cli_next_setting(&p, &s)) {
		memcpy(keys + n * sizeof(s.key), s.key, sizeof(s.key));
		names[n] = keys + n * sizeof(s.key);
		n++;
	}
	near = n ? cli_nearest(key, default_key_at, names) : NULL;
	if (near)
		snprintf(out, cap, "%s", near);
	free(names);
	free(keys);
	return near != NULL;
}

static void
lint_by_default(struct exam *x, const struct cli_setting *s,
		bool (*is_judged)(const char *key))
{
	struct cli_setting d;
	char near[sizeof(d.key)];
	uint64_t v;

	cli_find_setting(x->defaults, s->key, &d);
	if (!d.line && !among(unwritten, ARRAY_LEN(unwritten), s->key)) {
		if (nearest_key(x, s->key, near, sizeof(near)))
			note(x, WARN, s->key, x->opensm_conf, s->line, "OpenSM has no such "
			     "key and ignores the line: did you mean %s?", near);
		else
			note(x, WARN, s->key, x->opensm_conf, s->line, "OpenSM has no such "
			     "key and ignores the line: remove it");
	} else if (is_judged(s->key)) {
		return;
	} else if ((!strcmp(d.value, "TRUE") || !strcmp(d.value, "FALSE")) &&
		   strcmp(s->value, "TRUE") != 0 && strcmp(s->value, "FALSE") != 0) {
		note(x, WARN, s->key, x->opensm_conf, s->line, "\"%s\" counts as FALSE: "
		     "write TRUE or FALSE", s->value);
	} else if (is_number(d.value, UINT64_MAX, &v) && !is_number(s->value, UINT64_MAX, &v)) {
		note(x, WARN, s->key, x->opensm_conf, s->line, "\"%s\" is not a number: "
		     "OpenSM keeps its default, %s", s->value, d.value);
	}
}

/* rest: the text after this line.  Not reported when this line holds OpenSM's default:
 * appending lines to the file that `opensm -c` writes is a usual way to change it. */
static void
lint_twice(struct exam *x, const struct cli_setting *s, const char *rest)
{
	struct cli_setting later, d = { .line = 0 };

	cli_find_setting(rest, s->key, &later);
	if (!later.line || !strcmp(later.value, s->value))
		return;
	if (x->defaults)
		cli_find_setting(x->defaults, s->key, &d);
	if (d.line && !strcmp(d.value, s->value))
		return;
	note(x, WARN, s->key, x->opensm_conf, s->line, "is set again on line %u, which is "
	     "the one that counts: remove this one", s->line + later.line);
}

static void
lint_range(struct exam *x, const struct cli_setting *s)
{
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (!strcmp(ranges[i].key, s->key) && is_number(s->value, UINT64_MAX, &v) &&
		    (v < ranges[i].min || v > ranges[i].max))
			note(x, WARN, s->key, x->opensm_conf, s->line, "%s: %s; write %llu "
			     "to %llu", s->value, ranges[i].why,
			     (unsigned long long)ranges[i].min,
			     (unsigned long long)ranges[i].max);
}

/* ---- lanes --------------------------------------------------------------------------- */

/* A list of 16 VLs, "0,1,...".  OpenSM takes VL 0 for those missing at its end. */
static void
lint_map(struct exam *x, const struct cli_setting *s)
{
	const char *p = s->value, *end = p + strlen(p);
	unsigned n = 0, first_dropped = MOORE_N_SL;
	uint64_t vl;

	for (; n < MOORE_N_SL && moore_text_u64(&p, end, 0, 15, &vl); n++) {
		if (vl == 15 && first_dropped == MOORE_N_SL)
			first_dropped = n;
		p += *p == ',';
	}
	if (first_dropped < MOORE_N_SL)
		note(x, first_dropped ? WARN : BAD, s->key, x->opensm_conf, s->line,
		     "maps SL %u to VL 15: what is sent on it is dropped at its source; map "
		     "it to VL 0", first_dropped);
	if (n < MOORE_N_SL || *p)
		note(x, WARN, s->key, x->opensm_conf, s->line, "is no list of %u VLs from 0 "
		     "to 15, one for each SL", MOORE_N_SL);
}

static void
lint_lanes(struct exam *x, const struct cli_setting *s)
{
	uint64_t v;

	if (!is_set(s))
		return;
	if (among(no_effect, ARRAY_LEN(no_effect), s->key))
		note(x, WARN, s->key, x->opensm_conf, s->line, "has no effect: moore sets "
		     "the lanes of switch ports; remove it");
	if (among(hosts_only, ARRAY_LEN(hosts_only), s->key))
		note(x, WARN, s->key, x->opensm_conf, s->line, "concerns hosts alone: moore "
		     "sets the lanes of switch ports; remove it, or write qos_ca%s",
		     s->key + strlen("qos"));
	if (among(maps, ARRAY_LEN(maps), s->key))
		lint_map(x, s);
	if (among(limits, ARRAY_LEN(limits), s->key) && is_number(s->value, UINT64_MAX, &v) &&
	    v >= 255)
		note(x, WARN, s->key, x->opensm_conf, s->line, "%s: no limit: on switches "
		     "with one low-priority entry VL 1 then starves VL 0; write `%s 0`",
		     s->value, s->key);
}

static unsigned
count_settings(const char *text)
{
	struct cli_setting s = { .line = 0 };
	unsigned n = 0;

	while (cli_next_setting(&text, &s))
		n++;
	return n;
}

void
doctor_lint(struct exam *x, bool (*is_judged)(const char *key))
{
	struct cli_setting s = { .line = 0 }, last;
	unsigned n = count_settings(x->conf.data);
	const char *rest = x->conf.data;
	enum status before = x->worst;

	if (n > LINES_MAX) {
		note(x, WARN, "lines", x->opensm_conf, 0, "%u settings are more than OpenSM has: "
		     "they were not checked one by one", n);
		return;
	}
	x->worst = GOOD;
	while (cli_next_setting(&rest, &s)) {
		if (x->defaults)
			lint_by_default(x, &s, is_judged);
		lint_twice(x, &s, rest);
		cli_find_setting(rest, s.key, &last);
		if (last.line)
			continue;	/* a later line is in force */
		lint_range(x, &s);
		lint_lanes(x, &s);
	}
	if (!x->defaults)
		note(x, GOOD, "lines", x->opensm_conf, 0, "%u settings; no OpenSM was found, so whether "
		     "it knows their keys was not checked", n);
	else if (x->worst == GOOD)
		note(x, GOOD, "lines", x->opensm_conf, 0, "%u settings, all of them known", n);
	if (before > x->worst)
		x->worst = before;
}

/* ---- with moore.conf and the plan ---------------------------------------------------- */

void
doctor_check_lids(struct exam *x, const struct moore_plan *p, const char *plan)
{
	struct cli_setting lmc, esp0;
	uint64_t v = 0, step, need;

	if (!x->conf.data)
		return;
	cli_find_setting(x->conf.data, "lmc", &lmc);
	cli_find_setting(x->conf.data, "lmc_esp0", &esp0);
	if (lmc.line && !is_number(lmc.value, 7, &v))
		return;			/* judge_lmc() has reported it */
	step = (uint64_t)1 << v;
	need = p->n_endpoints * step + p->n_switches * (strcmp(esp0.value, "TRUE") ? 1 : step);
	if (need > MOORE_LID_MAX)
		note(x, BAD, "lmc", x->opensm_conf, lmc.line, "%u: the %u endpoints and %u "
		     "switches of %s then need %llu LIDs, and there are %u: %s", (unsigned)v,
		     p->n_endpoints, p->n_switches, plan, (unsigned long long)need, MOORE_LID_MAX,
		     v ? "write a smaller one" : "divide the plan into several subnets");
}

static void
check_policy(struct exam *x, const char *key, bool partitions)
{
	struct moore_policy_sls found;
	struct moore_buf text = MOORE_BUF_INIT;
	struct cli_setting s;

	effective(x, key, &s);
	if (!is_set(&s) || access(s.value, R_OK) < 0 || cli_read(s.value, &text) != CLI_OK)
		return;
	found = moore_policy_scan(text.data ? text.data : "", text.len, partitions, &x->moore.lanes);
	if (found.wrong_line)
		note(x, WARN, key, s.value, found.wrong_line, "sets SL %u: under profile sl-hint an SL "
		     "asks for a class, path records give 4 * class + table, and groups cannot use "
		     "it: write 0, or 4c for the class c, where `classes` of moore.conf gives SL 4c "
		     "that class", found.wrong);
	else if (found.n)
		note(x, GOOD, key, s.value, 0, "%u SLs, each the first of its class", found.n);
	moore_buf_free(&text);
}

void
doctor_check_profile(struct exam *x)
{
	struct cli_setting s;
	uint64_t v;

	if (!x->conf.data || x->moore.profile != MOORE_PROFILE_SL_HINT)
		return;
	cli_find_setting(x->conf.data, "sm_sl", &s);
	if (s.line && is_number(s.value, 15, &v) && v)
		note(x, BAD, "sm_sl", x->opensm_conf, s.line, "%u: in profile sl-hint what "
		     "is sent without a path record is safe on SL 0 alone: write `sm_sl 0`",
		     (unsigned)v);
	check_policy(x, "partition_config_file", true);
	check_policy(x, "qos_policy_file", false);
}

/* ---- two subnet managers ------------------------------------------------------------- */

static const char *
shown(const struct cli_setting *s, bool secret)
{
	return secret ? "(not shown)" : *s->value ? s->value : "(OpenSM's default)";
}

/* A key of moore.conf with the value that is written there, or its default.  For the plan
 * the hash of its contents is shown, since its path may differ between two machines. */
static json_t *
json_moore(const struct exam *x, const struct moore_key *k, const char *text)
{
	struct cli_setting s;
	json_t *value;

	cli_find_setting(text, k->key, &s);
	if (!strcmp(k->key, "plan") && x->plan_hash)
		value = json_sprintf("(contents 0x%016llx)", (unsigned long long)x->plan_hash);
	else
		value = moore_json_name(s.line ? s.value : k->dflt);
	return json_pack("{s:s, s:s, s:o}", "file", "moore.conf", "key", k->key, "value", value);
}

json_t *
doctor_json_both(struct exam *x)
{
	json_t *list = json_array();
	struct moore_buf text = MOORE_BUF_INIT;
	const struct moore_key *k;
	struct cli_setting s;

	for (size_t i = 0; x->conf.data && i < ARRAY_LEN(both); i++) {
		effective(x, both[i].key, &s);
		json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "file", "opensm.conf",
			"key", both[i].key, "value", moore_json_name(shown(&s, both[i].secret))));
	}
	if (access(x->moore_conf, R_OK) == 0 && cli_read(x->moore_conf, &text) != CLI_OK)
		x->worst = BAD;		/* cli_read() has printed the reason */
	for (size_t i = 0; (k = moore_conf_key_at(i)); i++)
		json_array_append_new(list, json_moore(x, k, text.data));
	moore_buf_free(&text);
	return list;
}

void
doctor_put_both(struct exam *x)
{
	json_t *list = doctor_json_both(x), *o;
	size_t i;

	cli_putf(&x->text, "\nTwo subnet managers must agree on these, and on their versions:\n");
	json_array_foreach(list, i, o)
		cli_putf(&x->text, "      %s: %s %s\n", json_string_value(json_object_get(o, "file")),
			 json_string_value(json_object_get(o, "key")),
			 json_string_value(json_object_get(o, "value")));
	json_decref(list);
}
