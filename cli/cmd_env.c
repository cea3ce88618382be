// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_env.c - `moorectl env`: the settings by which applications use the LID
 * offsets, and the SL that they may then send on (docs/applications.md).
 *
 * What an application can be told is data: a transport says which sets of
 * offsets it can use and whether it asks the subnet administrator (SA) for the
 * SL of the very LID it sends to; a setting says what its value is made of.
 * What would be unsafe, or would do nothing, is refused with the reason. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { N_OFFSETS = 128 };	/* 2^7 */

struct offsets {
	bool use[N_OFFSETS];
	unsigned n, last;
};

enum reach {
	BASE,			/* offset 0 alone */
	ALL,			/* offset 0, or all */
	FIRST,			/* offset 0 and as many next ones as wanted */
	ANY,			/* any set */
};

static const struct transport {
	const char *name, *what;
	enum reach reach;
	bool asks;		/* takes the SL from a path record of source and destination LID */
} transports[] = {
	{ "ucx", "UCX: most of today's MPIs", ANY, false },
	{ "openib", "Open MPI to 4.1 over its openib BTL", FIRST, true },
	{ "mvapich2", "MVAPICH2 over verbs", ALL, false },
	{ "nccl", "NCCL", BASE, false },
	{ "rdma_cm", "rdma_cm (libfabric verbs, Lustre, NFS), on the SL of the SA's path record, "
	  "nothing to set", BASE, true },
};

static const struct target {
	const char *name, *transports;	/* of this list */
} targets[] = {
	{ "ucx", "ucx" },
	{ "openmpi", "ucx openib" },
	{ "mvapich2", "mvapich2" },
	{ "nccl", "nccl" },
	{ "rdma_cm", "rdma_cm" },
	{ "all", "ucx openib mvapich2 nccl rdma_cm" },
};

enum value { SL, ONE, LIST, COUNT, RAILS, IS_MANY };
enum when { ALWAYS, MANY, HINT };	/* MANY: more than one offset; HINT: profile sl-hint */

/* More rails than this gain nothing and exceed the lanes of older UCX. */
#define RAILS_MAX 8

static const struct setting {
	const char *transport, *name;
	enum value value;
	enum when when;
	const char *why, *why_hint;	/* why_hint: instead, in profile sl-hint */
} settings[] = {
	{ "ucx", "UCX_IB_LID_PATH_BITS", LIST, ALWAYS,
	  "LID offsets to send to; by default the base LID alone", NULL },
	{ "ucx", "UCX_MAX_RNDV_RAILS", RAILS, MANY,
	  "large messages are split over that many offsets; by default 2", NULL },
	{ "ucx", "UCX_IB_SL", SL, ALWAYS, "any SL is safe on any LID; 0 is the default",
	  "UCX never asks the SA, and this SL is safe on base LIDs" },
	{ "openib", "OMPI_MCA_btl_openib_max_lmc", COUNT, ALWAYS,
	  "LIDs to use at each port, from its base on; defaults differ by version", NULL },
	{ "openib", "OMPI_MCA_btl_openib_ib_service_level", SL, ALWAYS,
	  "any SL is safe on any LID; 0 is the default", "where no path record is asked for" },
	{ "openib", "OMPI_MCA_btl_openib_ib_path_record_service_level", ONE, HINT,
	  "the SL comes from the path record of each LID; needs a build with dynamic SLs", NULL },
	{ "mvapich2", "MV2_USE_HSAM", IS_MANY, ALWAYS,
	  "hot-spot avoidance: messages go over all LIDs of a port; off by default", NULL },
	{ "mvapich2", "MV2_DEFAULT_SERVICE_LEVEL", SL, ALWAYS,
	  "any SL is safe on any LID; 0 is the default",
	  "this SL is safe on base LIDs where no path record is asked for" },
	{ "mvapich2", "MV2_PATH_SL_QUERY", ONE, HINT,
	  "the SL comes from the SA's path record of the base LIDs", NULL },
	{ "nccl", "NCCL_IB_SL", SL, ALWAYS, "any SL is safe on any LID; 0 is the default",
	  "NCCL never asks the SA, and this SL is safe on base LIDs" },
};

struct advice {
	const struct cli_call *c;
	unsigned n_lids;		/* 2^LMC */
	bool hint;			/* profile sl-hint */
	unsigned sl;			/* of the class to send in; table A under sl-hint */
	bool asked;			/* --use was given: */
	struct offsets use;
};

/* ---- sets of offsets ----------------------------------------------------------------- */

static void
add_offset(struct offsets *o, unsigned k)
{
	o->n += !o->use[k];
	o->use[k] = true;
	o->last = k > o->last ? k : o->last;
}

static struct offsets
range(unsigned from, unsigned to)
{
	struct offsets o = { .n = 0 };

	for (; from < to; from++)
		add_offset(&o, from);
	return o;
}

/* "0,2-5" */
static void
put_list(char *out, size_t cap, const struct offsets *o)
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned k = 0, to; k <= o->last; k = to + 1) {
		to = k;
		if (!o->use[k])
			continue;
		while (to < o->last && o->use[to + 1])
			to++;
		len += (size_t)snprintf(out + len, cap - len, to > k ? "%s%u-%u" : "%s%u",
					len ? "," : "", k, to);
	}
}

/* False when s is no such list. */
static bool
read_list(const char *s, struct offsets *o)
{
	const char *end = s + strlen(s);
	uint64_t a, b;

	for (;; s++) {
		if (!moore_text_u64(&s, end, 10, N_OFFSETS - 1, &a))
			return false;
		b = a;
		if (*s == '-' && (s++, !moore_text_u64(&s, end, 10, N_OFFSETS - 1, &b)))
			return false;
		if (b < a || (*s && *s != ','))
			return false;
		for (; a <= b; a++)
			add_offset(o, (unsigned)a);
		if (!*s)
			return true;
	}
}

/* ---- what is asked -------------------------------------------------------------------- */

static int
read_use(struct advice *a)
{
	const char *s = cli_opt(a->c, "use");

	a->asked = s != NULL;
	if (!s || !strcmp(s, "all"))
		a->use = range(0, a->n_lids);
	else if (!strcmp(s, "minimal"))
		a->use = range(0, 1);
	else if (!strcmp(s, "valiant"))
		a->use = range(1, a->n_lids > 1 ? a->n_lids : 2);
	else if (!read_list(s, &a->use))
		return cli_misuse(a->c, "--use %s: it is minimal, valiant, all, or a list of LID "
				  "offsets like 0,2-3", s);
	if (a->use.last < a->n_lids)
		return CLI_OK;
	cli_error("--use %s: offset %u has no LID: ports have %u, offsets 0 to %u; a greater `lmc` "
		  "in opensm.conf gives more", s, a->use.last, a->n_lids, a->n_lids - 1);
	return CLI_FOUND;
}

/* The LMC that all endpoints have. */
static int
lmc_of_tables(const char *dir, uint64_t *lmc)
{
	struct cli_tables t = { NULL };
	int rc = cli_load_tables(dir, &t);

	*lmc = 7;
	for (moore_epid e = 0; rc == CLI_OK && e < t.f->n_endpoints; e++)
		if (t.f->ep[e].lid && t.f->ep[e].lmc < *lmc)
			*lmc = t.f->ep[e].lmc;
	if (rc == CLI_OK && !t.f->n_endpoints)
		rc = cli_error("%s: holds no endpoint, so no LMC: say --lmc N", dir);
	cli_tables_free(&t);
	return rc;
}

static int
lmc_of_conf(const char *path, uint64_t *lmc)
{
	struct cli_setting s;
	struct moore_buf text;
	const char *p = s.value;
	int rc = cli_read(path, &text);

	if (rc != CLI_OK)
		return rc;
	cli_find_setting(text.data, "lmc", &s);
	moore_buf_free(&text);
	*lmc = 0;
	if (s.line && (!moore_text_u64(&p, p + strlen(p), 0, 7, lmc) || *p))
		return cli_error("%s:%u: lmc: \"%s\" is not a number from 0 to 7",
				 cli_file_name(path), s.line, s.value);
	return CLI_OK;
}

static int
read_lmc(const struct cli_call *c, uint64_t *lmc)
{
	const char *tables = cli_opt(c, "tables"), *conf = cli_opt(c, "opensm-conf");
	int n = (cli_opt(c, "lmc") != NULL) + (tables != NULL) + (conf != NULL);

	if (n != 1)
		return cli_misuse(c, "%s: the LMC of the fabric comes from one of --lmc N, "
				  "--tables DIR and --opensm-conf FILE", n ? "too much" : "missing");
	if (tables)
		return lmc_of_tables(tables, lmc);
	if (conf)
		return lmc_of_conf(conf, lmc);
	return cli_opt_u64(c, "lmc", 0, 7, lmc);
}

/* The SL of --class: the class's first, which is its table A under sl-hint. */
static int
read_class(struct advice *a, const struct moore_conf *conf)
{
	uint64_t class = 0;
	int rc = cli_opt_u64(a->c, "class", 0, MOORE_CLASS_MAX, &class);

	if (rc != CLI_OK || !class)
		return rc;
	if (a->hint && class < MOORE_HINT_CLASSES &&
	    moore_lane_hint_classes(&conf->lanes) >> class & 1) {
		a->sl = (unsigned)class * MOORE_N_HINTS;
		return CLI_OK;
	}
	for (a->sl = 0; !a->hint && a->sl < MOORE_N_SL; a->sl++)
		if (conf->lanes.sl_class[a->sl] == class)
			return CLI_OK;
	cli_error("--class %u: no SL has this class: say --classes as in moore.conf, and there give "
		  "it one", (unsigned)class);
	return CLI_FOUND;
}

static int
read_advice(struct advice *a)
{
	struct moore_conf conf;
	uint64_t lmc = 0;
	int rc;

	moore_conf_defaults(&conf);
	if ((rc = cli_conf_options(a->c, &conf)) != CLI_OK)
		return rc;
	a->hint = conf.profile == MOORE_PROFILE_SL_HINT;
	if ((rc = read_class(a, &conf)) != CLI_OK || (rc = read_lmc(a->c, &lmc)) != CLI_OK)
		return rc;
	a->n_lids = 1u << lmc;
	return read_use(a);
}

/* ---- what is answered ----------------------------------------------------------------- */

/* Why the transport must not, or cannot, send to these offsets; NULL when it can. */
static const char *
refusal(const struct advice *a, const struct transport *t, const struct offsets *o)
{
	if (!o->last)
		return NULL;
	if (t->reach == BASE)
		return "sends to base LIDs whatever is set: offsets other than 0 have no effect";
	if (a->hint && !t->asks)
		return "does not ask the SA for the SL of offsets other than 0, and in profile "
		       "sl-hint only that one is free of deadlock: use offset 0, or profile any-sl";
	if (t->reach == ALL && o->n < a->n_lids)
		return "uses offset 0 or all of them: it cannot be told which";
	if (t->reach == FIRST && o->n != o->last + 1)
		return "uses offsets from 0 on: none below the last can be left out";
	return NULL;
}

/* What was asked for, or else all that the transport can use. */
static struct offsets
choose(const struct advice *a, const struct transport *t)
{
	if (a->asked || !refusal(a, t, &a->use))
		return a->use;
	return range(0, 1);
}

static void
put_value(char *out, size_t cap, enum value v, const struct advice *a, const struct offsets *o)
{
	switch (v) {
	case SL:
	case ONE:
		snprintf(out, cap, "%u", v == ONE ? 1 : a->sl);
		break;
	case IS_MANY:
		snprintf(out, cap, "%d", o->n > 1);
		break;
	case COUNT:
		snprintf(out, cap, "%u", o->n);
		break;
	case RAILS:
		snprintf(out, cap, "%u", o->n < RAILS_MAX ? o->n : RAILS_MAX);
		break;
	case LIST:
		put_list(out, cap, o);
	}
}

static json_t *
put_settings(const struct advice *a, const struct transport *t, const struct offsets *o,
	     struct moore_buf *b)
{
	json_t *list = json_array();
	char value[4 * N_OFFSETS];

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		const struct setting *s = &settings[i];
		const char *why = a->hint && s->why_hint ? s->why_hint : s->why;

		if (strcmp(s->transport, t->name) != 0 || (s->when == MANY && o->n < 2) ||
		    (s->when == HINT && !a->hint))
			continue;
		put_value(value, sizeof(value), s->value, a, o);
		cli_putf(b, "export %s=%s\t# %s\n", s->name, value, why);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "name", s->name,
						      "value", value, "why", why));
	}
	return list;
}

static json_t *
put_transport(const struct advice *a, const struct transport *t, struct moore_buf *b,
	      const char **why_not)
{
	struct offsets o = choose(a, t);
	char offsets[4 * N_OFFSETS];
	json_t *list;

	*why_not = refusal(a, t, &o);
	put_list(offsets, sizeof(offsets), &o);
	if (*why_not) {
		cli_putf(b, "# %s %s\n", t->name, *why_not);
		list = json_array();
	} else {
		cli_putf(b, "# %s: offset%s %s\n", t->what, o.n > 1 ? "s" : "", offsets);
		list = put_settings(a, t, &o, b);
	}
	return json_pack("{s:s, s:s, s:o, s:o}", "transport", t->name, "offsets", offsets,
			 "settings", list, "refused",
			 *why_not ? json_string(*why_not) : json_null());
}

static bool
has_word(const char *list, const char *word)
{
	size_t n = strlen(word), len;

	for (; *list; list += len + (list[len] == ' ')) {
		len = strcspn(list, " ");
		if (len == n && !strncmp(list, word, n))
			return true;
	}
	return false;
}

static int
answer(const struct advice *a, const struct target *target)
{
	struct moore_buf b = MOORE_BUF_INIT;
	json_t *list = json_array();
	const char *why_not, *last = NULL, *name = "";
	bool any = false;
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(transports); i++) {
		if (!has_word(target->transports, transports[i].name))
			continue;
		json_array_append_new(list, put_transport(a, &transports[i], &b, &why_not));
		any |= !why_not;
		if (why_not) {
			last = why_not;
			name = transports[i].name;
		}
	}
	if (!any && !a->c->json) {
		cli_error("%s: %s %s", target->name, name, last);
		moore_buf_free(&b);
		json_decref(list);
		return CLI_FOUND;
	}
	if (a->c->json) {
		moore_buf_free(&b);
		rc = cli_print_json(json_pack("{s:s, s:i, s:s, s:o}", "target", target->name,
			"lids", (int)a->n_lids, "profile", a->hint ? "sl-hint" : "any-sl",
			"transports", list));
	} else {
		json_decref(list);
		rc = cli_print_text(&b);
	}
	return rc != CLI_OK ? rc : any ? CLI_OK : CLI_FOUND;
}

static const char *
target_at(const void *unused, size_t i)
{
	(void)unused;
	return i < ARRAY_LEN(targets) ? targets[i].name : NULL;
}

int
cmd_env(const struct cli_call *c)
{
	struct advice a = { .c = c };
	const char *near = cli_nearest(c->arg[0], target_at, NULL);
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(targets); i++)
		if (!strcmp(c->arg[0], targets[i].name))
			return (rc = read_advice(&a)) != CLI_OK ? rc : answer(&a, &targets[i]);
	return cli_misuse(c, "%s: no such target: it is ucx, openmpi, mvapich2, nccl, rdma_cm or "
			  "all%s%s%s", c->arg[0], near ? ": did you mean " : "", near ? near : "",
			  near ? "?" : "");
}
