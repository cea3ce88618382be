// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* campaign_file.c - reads a campaign file.
 *
 * Its keys are the options of `moorectl simulate`, from that verb's own table, and their values become a call of
 * it for each topology and seed.  So a value is checked by the code that checks the option, and a new option is
 * a new key. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "load/campaign.h"

/* ---- lines: jansson keeps none, so the text, which is valid JSON by then, is read again -------- */

static const char *
after_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\';
	return p + 1;
}

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* Moves past n commas of the list or object whose first character is p[-1]. */
static const char *
nth_item(const char *p, size_t n)
{
	for (int depth = 0; n && *p; ) {
		if (*p == '"') {
			p = after_string(p);
			continue;
		}
		depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		n -= *p == ',' && !depth;
		p++;
	}
	return skip_space(p);
}

/* Returns the line of the key, or of an item of its list. */
static unsigned
line_of(const char *text, const char *key, size_t item, bool in_list)
{
	const char *inside = strchr(text, '{') + 1, *at = inside;
	unsigned line = 1;

	for (size_t i = 0; *(at = nth_item(inside, i)); i++)
		if (strlen(key) == (size_t)(after_string(at) - at) - 2 && !strncmp(at + 1, key, strlen(key)))
			break;
	if (!*at)
		return 1;	/* its name has an escape */
	if (in_list)
		at = nth_item(strchr(after_string(at), '[') + 1, item);
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return line;
}

static int
fault(const struct campaign *k, unsigned line, const char *key, const char *why)
{
	struct moore_err err = { .line = line };

	snprintf(err.text, sizeof(err.text), "%s: %s", key, why);
	return cli_error_at(k->file, &err);
}

static int
fault_of_key(const struct campaign *k, const char *key, const char *why)
{
	return fault(k, line_of(k->text.data, key, 0, false), key, why);
}

/* ---- values -------------------------------------------------------------------------------- */

/* Returns a value as an option would have it, for the caller to free; NULL if it cannot be one. */
static char *
value_text(const json_t *v)
{
	char *text = NULL;

	if (json_is_string(v))
		return strdup(json_string_value(v));
	if (json_is_integer(v) && asprintf(&text, "%lld", json_integer_value(v)) >= 0)
		return text;
	if (json_is_real(v) && asprintf(&text, "%.12g", json_real_value(v)) >= 0)
		return text;
	return NULL;
}

/* Reads a value or a list of them. */
static int
read_list(const struct campaign *k, const char *key, size_t max, struct campaign_list *out)
{
	const json_t *v = json_object_get(k->json, key);
	const size_t n = json_is_array(v) ? json_array_size(v) : 1;
	char why[80];

	snprintf(why, sizeof(why), "give 1 to %zu values", max);
	if (!n || n > max)
		return fault_of_key(k, key, why);
	if (!(out->word = calloc(n, sizeof(*out->word))))
		return cli_error("out of memory");
	for (size_t i = 0; i < n; i++) {
		struct campaign_word *w = &out->word[out->n++];

		w->line = line_of(k->text.data, key, i, json_is_array(v));
		if (!(w->text = value_text(json_is_array(v) ? json_array_get(v, i) : v)))
			return fault(k, w->line, key, "not a string or a number: give one, or a list of them");
		if (w->text[strcspn(w->text, "\n\r")])
			return fault(k, w->line, key, "has a line break: give it on one line");
	}
	return CLI_OK;
}

static void
free_list(struct campaign_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->word[i].text);
	free(l->word);
	*l = (struct campaign_list){ NULL, 0 };
}

/* Joins the values of a key with commas, as an option that is a list has them. */
static char *
join(const struct campaign_list *l)
{
	struct moore_buf b = MOORE_BUF_INIT;

	for (size_t i = 0; i < l->n; i++)
		cli_putf(&b, "%s%s", i ? "," : "", l->word[i].text);
	if (!b.oom)
		return b.data;
	moore_buf_free(&b);
	return NULL;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static const struct cli_cmd *
verb_simulate(void)
{
	const struct cli_cmd *cmd = cli_cmds;

	while (cmd->run != cmd_simulate)
		cmd++;
	return cmd;
}

static const char *const own_keys[] = { "moore_campaign", "topology", "chunk" };

static const char *
key_at(const void *unused, size_t i)
{
	const char *name;

	(void)unused;
	if (i < ARRAY_LEN(own_keys))
		return own_keys[i];
	/* The options of simulate from svg on belong to no point, or change the fabric during a run. */
	name = verb_simulate()->opts[i - ARRAY_LEN(own_keys)].name;
	return name && strcmp(name, "svg") != 0 ? name : NULL;
}

/* Options of simulate that are lists, or that a campaign takes a list of. */
static bool
takes_list(const char *key)
{
	static const char *const lists[] = { "routing", "pattern", "load", "exchange" };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (!strcmp(key, lists[i]))
			return true;
	return false;
}

static int
unknown_key(const struct campaign *k, const char *key)
{
	const char *near = cli_nearest(key, key_at, NULL), *name;
	struct moore_buf b = MOORE_BUF_INIT;
	int rc;

	cli_putf(&b, "unknown key: ");
	if (near)
		cli_putf(&b, "did you mean %s? ", near);
	cli_putf(&b, "keys are");
	for (size_t i = 0; (name = key_at(NULL, i)); i++)
		cli_putf(&b, "%s %s", i ? "," : "", name);
	rc = fault_of_key(k, key, b.oom ? "unknown key" : b.data);
	moore_buf_free(&b);
	return rc;
}

static int
read_option(struct campaign *k, const struct cli_opt *o)
{
	struct campaign_list l = { NULL, 0 };
	int rc;

	if (json_is_array(json_object_get(k->json, o->name)) && !takes_list(o->name))
		return fault_of_key(k, o->name, "is a list: give one value; topology, routing, pattern, load, exchange and "
				    "seed may be lists");
	if ((rc = read_list(k, o->name, CLI_SIM_LOADS, &l)) == CLI_OK) {
		if (!(k->value[k->n_given] = join(&l)))
			rc = cli_error("out of memory");
		k->given[k->n_given] = (struct cli_given){ o, k->value[k->n_given],
							   line_of(k->text.data, o->name, 0, false) };
		k->n_given++;
	}
	free_list(&l);
	return rc;
}

static int
read_keys(struct campaign *k)
{
	const struct cli_opt *opts = verb_simulate()->opts;
	const char *key;
	json_t *value;
	size_t n = 0;
	int rc = CLI_OK;

	while (opts[n].name)
		n++;
	k->given = calloc(n + 1, sizeof(*k->given));
	k->value = calloc(n + 1, sizeof(*k->value));
	if (!k->given || !k->value)
		return cli_error("out of memory");
	json_object_foreach(k->json, key, value) {
		size_t i = 0;

		while (key_at(NULL, i) && strcmp(key_at(NULL, i), key) != 0)
			i++;
		if (!key_at(NULL, i))
			return unknown_key(k, key);
		if (i >= ARRAY_LEN(own_keys) && strcmp(key, "seed") != 0 &&
		    (rc = read_option(k, &opts[i - ARRAY_LEN(own_keys)])) != CLI_OK)
			return rc;
	}
	if (!json_object_get(k->json, "topology")) {
		struct moore_err err = { .line = 1, .text = "topology: is missing: give for instance "
					 "\"topology\": [\"slimfly q=5 p=3\", \"plan.json\"]" };

		return cli_error_at(k->file, &err);
	}
	if ((rc = read_list(k, "topology", CAMPAIGN_TOPOLOGIES, &k->topology)) != CLI_OK)
		return rc;
	return json_object_get(k->json, "seed") ? read_list(k, "seed", CAMPAIGN_SEEDS, &k->seed) : CLI_OK;
}

/* ---- calls of simulate ------------------------------------------------------------------------ */

/* A plan's name is relative to the folder of the campaign file. */
static char *
plan_path(const struct campaign *k, const char *name)
{
	char *copy = name[0] == '/' ? NULL : strdup(k->file), *path = NULL;

	if (name[0] == '/')
		return strdup(name);
	if (copy)
		path = cli_path_join(dirname(copy), name);
	free(copy);
	return path;
}

/* Divides "slimfly q=5" at blanks; any other word is the name of a plan. */
static int
set_topology(const struct campaign *k, const struct campaign_word *w, struct campaign_call *out)
{
	char *rest = NULL, *word;
	size_t n = 0;

	out->c.line = w->line;
	if (!(out->words = strdup(w->text)))
		return cli_error("out of memory");
	for (word = strtok_r(out->words, " ", &rest); word && n + 1 < ARRAY_LEN(out->arg);
	     word = strtok_r(NULL, " ", &rest))
		out->arg[n++] = word;
	out->c.n_args = n;
	if (word || !n)
		return fault(k, w->line, "topology", n ? "has too many words: give a family and its parameters" :
			     "is empty: give \"slimfly q=5\" or the name of a plan");
	out->family = strchr(w->text, '=') || moore_topo_family_find(out->arg[0]);
	if (out->family)
		return CLI_OK;
	free(out->words);
	out->arg[0] = out->words = plan_path(k, w->text);
	out->c.n_args = 1;
	return out->words ? CLI_OK : cli_error("out of memory");
}

int
campaign_call(const struct campaign *k, size_t topology, size_t seed, struct campaign_call *out)
{
	const struct cli_cmd *simulate = verb_simulate();
	const struct cli_opt *o = simulate->opts;

	*out = (struct campaign_call){ .c = { .cmd = simulate, .file = k->file } };
	if (!(out->given = calloc(k->n_given + 2, sizeof(*out->given))))
		return cli_error("out of memory");
	if (k->n_given)
		memcpy(out->given, k->given, k->n_given * sizeof(*out->given));
	out->c.n_given = k->n_given;
	while (strcmp(o->name, "seed") != 0)
		o++;
	if (seed < k->seed.n)
		out->given[out->c.n_given++] = (struct cli_given){ o, k->seed.word[seed].text,
								    k->seed.word[seed].line };
	out->c.given = out->given;
	out->c.arg = out->arg;
	return set_topology(k, &k->topology.word[topology], out);
}

void
campaign_call_free(struct campaign_call *c)
{
	free(c->words);
	free(c->given);
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Checks the parameters of a family, or reads a plan, and adds it to the hash. */
static int
check_topology(struct campaign *k, const struct campaign_call *call)
{
	const struct moore_topo_family *f = moore_topo_family_find(call->arg[0]);
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	struct moore_buf text;
	struct moore_err err;
	int rc;

	if (!call->family) {
		if ((rc = cli_read_at_most(call->arg[0], MOORE_PLAN_BYTES_MAX, "plan", &text)) != CLI_OK)
			return rc;
		k->hash = moore_hash(k->hash, text.data, text.len);
		moore_buf_free(&text);
		return CLI_OK;
	}
	if (!f || moore_topo_params_parse(f, param, call->arg + 1, call->c.n_args - 1, &err) < 0)
		return cli_misuse(&call->c, "topology: %s: %s", call->arg[0], f ? err.text :
				  "no such family: `moorectl topo list` names them; a plan's name has no =");
	return CLI_OK;
}

static int
check_calls(struct campaign *k)
{
	struct cli_simulation s = { .n_points = 0 };
	struct campaign_call call;
	int rc = CLI_OK;

	for (size_t i = 0; i < k->topology.n && rc == CLI_OK; i++) {
		if ((rc = campaign_call(k, i, 0, &call)) == CLI_OK)
			rc = check_topology(k, &call);
		campaign_call_free(&call);
	}
	for (size_t i = 0; i < (k->seed.n ? k->seed.n : 1) && rc == CLI_OK; i++) {
		if ((rc = campaign_call(k, 0, i, &call)) == CLI_OK) {
			rc = cli_simulation_options(&s, &call.c);
			cli_simulation_free(&s);
		}
		campaign_call_free(&call);
	}
	k->per_seed = s.n_points;
	return rc;
}

/* Divides the points of each topology into chunks. */
static int
divide(struct campaign *k)
{
	const json_t *chunk = json_object_get(k->json, "chunk");
	const size_t most = CAMPAIGN_CHUNKS / k->topology.n;
	char why[160];

	k->per_topology = k->per_seed * (k->seed.n ? k->seed.n : 1);
	k->n_points = k->per_topology * k->topology.n;
	if (k->n_points > CAMPAIGN_POINTS) {
		snprintf(why, sizeof(why), "%zu points in all, over %d: name fewer, or make several campaigns",
			 k->n_points, CAMPAIGN_POINTS);
		return fault_of_key(k, "topology", why);
	}
	k->chunk = (k->per_topology + most - 1) / most;
	if (chunk && (!json_is_integer(chunk) || json_integer_value(chunk) < (json_int_t)k->chunk ||
		      json_integer_value(chunk) > CAMPAIGN_POINTS)) {
		snprintf(why, sizeof(why), "not a number of points from %zu, which makes %d chunks at most, to %d",
			 k->chunk, CAMPAIGN_CHUNKS, CAMPAIGN_POINTS);
		return fault_of_key(k, "chunk", why);
	}
	if (chunk || k->chunk < CAMPAIGN_CHUNK)
		k->chunk = chunk ? (size_t)json_integer_value(chunk) : CAMPAIGN_CHUNK;
	k->chunks_per_topology = (k->per_topology + k->chunk - 1) / k->chunk;
	k->n_chunks = k->chunks_per_topology * k->topology.n;
	return CLI_OK;
}

static int
parse(struct campaign *k)
{
	struct moore_err err = { 0 };
	json_error_t e;

	k->json = json_loadb(k->text.data, k->text.len, JSON_REJECT_DUPLICATES, &e);
	if (!k->json) {
		err.line = e.line > 0 ? (unsigned)e.line : 0;
		snprintf(err.text, sizeof(err.text), "%s: a campaign file is a JSON object", e.text);
		return cli_error_at(k->file, &err);
	}
	if (json_is_object(k->json) && json_integer_value(json_object_get(k->json, "moore_campaign")) == 1)
		return CLI_OK;
	err.line = 1;
	snprintf(err.text, sizeof(err.text), "moore_campaign: is not 1: begin the file with { \"moore_campaign\": 1, "
		 "if it is a campaign file of this version");
	return cli_error_at(k->file, &err);
}

/* FILE without .json and with .results, unless --output names another. */
static char *
folder_of(const struct cli_call *c)
{
	const char *file = c->arg[0];
	const size_t n = strlen(file);
	char *dir;

	if (cli_opt(c, "output"))
		return strdup(cli_opt(c, "output"));
	return asprintf(&dir, "%.*s.results", (int)(n > 5 && !strcmp(file + n - 5, ".json") ? n - 5 : n), file) < 0 ?
		NULL : dir;
}

int
campaign_read(const struct cli_call *c, struct campaign *k)
{
	int rc;

	*k = (struct campaign){ .file = c->arg[0], .dir = folder_of(c), .begun = -1, .hash = MOORE_HASH_INIT };
	if (!k->dir)
		return cli_error("out of memory");
	if (!strcmp(k->file, "-"))
		return cli_misuse(c, "-: give a file, since a later call continues by its name");
	if ((rc = cli_read_at_most(k->file, CLI_CONF_MAX, "campaign file", &k->text)) != CLI_OK)
		return rc;
	k->hash = moore_hash(k->hash, MOORE_VERSION, sizeof(MOORE_VERSION));
	k->hash = moore_hash(k->hash, k->text.data, k->text.len);
	if ((rc = parse(k)) != CLI_OK || (rc = read_keys(k)) != CLI_OK || (rc = check_calls(k)) != CLI_OK)
		return rc;
	return divide(k);
}

void
campaign_free(struct campaign *k)
{
	for (size_t i = 0; k->value && i < k->n_given; i++)
		free(k->value[i]);
	free(k->value);
	free(k->given);
	free_list(&k->topology);
	free_list(&k->seed);
	json_decref(k->json);
	moore_buf_free(&k->text);
	free(k->dir);
	if (k->begun >= 0)
		close(k->begun);
}
