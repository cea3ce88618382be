// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* env.c - the settings that make an application use chosen LID offsets, as tables: for each
 * transport, which sets of offsets it can use and whether it asks the subnet administrator
 * (SA) for the SL of the very LID that it sends to; for each setting, how its value is
 * made.  Settings that would be unsafe or without effect are refused, with the reason.
 *
 * Sources are in docs/applications.md. */
#include <string.h>

#include "moore/env.h"

enum reach {
	BASE,			/* only offset 0 */
	ALL,			/* only offset 0, or all */
	FIRST,			/* the first n offsets, for any n */
	ANY,			/* any set */
};

static const struct transport {
	const char *name, *what;
	enum reach reach;
	bool asks;		/* takes the SL from a path record of source and destination LID */
	bool instead;		/* stands in for another: answers only when a user asks for offsets
				 * beyond the base LID */
} transports[] = {
	{ "ucx", "UCX: most of today's MPIs", ANY, .asks = false },
	{ "openib", "Open MPI to 4.1 over its openib BTL", FIRST, .asks = true },
	{ "mvapich2", "MVAPICH2 over verbs", ALL, .asks = false },
	{ "nccl", "NCCL", BASE, .asks = false },
	{ "nccl_ucx", "NCCL over the UCX plugin of HPC-X 2.24 and before (2.25 has none)", ANY,
	  .instead = true },
	{ "rdma_cm", "rdma_cm (libfabric verbs, Lustre, NFS), on the SL of the SA's path record, "
	  "nothing to set", BASE, .asks = true },
};

static const struct target {
	const char *name, *transports;	/* names from transports[] */
} targets[] = {
	{ "ucx", "ucx" },
	{ "openmpi", "ucx openib" },
	{ "mvapich2", "mvapich2" },
	{ "nccl", "nccl nccl_ucx" },
	{ "rdma_cm", "rdma_cm" },
	{ "all", "ucx openib mvapich2 nccl rdma_cm" },
};

enum value { SL, ONE, LIST, COUNT, RAILS, IS_MANY, UCX };
enum when { ALWAYS, MANY, HINT };	/* MANY: more than one offset; HINT: profile sl-hint */

/* More rails bring no gain, and older UCX has fewer lanes. */
#define RAILS_MAX 8

static const struct setting {
	const char *transports, *name;	/* transports: names from transports[] */
	enum value value;
	enum when when;
	const char *why, *why_hint;	/* why_hint replaces why in profile sl-hint */
} settings[] = {
	{ "nccl_ucx", "NCCL_PLUGIN_P2P", UCX, ALWAYS,
	  "replaces NCCL's own verbs code and so NCCL_IB_*; compare both with nccl-tests", NULL },
	{ "ucx nccl_ucx", "UCX_IB_LID_PATH_BITS", LIST, ALWAYS,
	  "LID offsets to send to; by default the base LID alone", NULL },
	{ "ucx nccl_ucx", "UCX_MAX_RNDV_RAILS", RAILS, MANY,
	  "large messages are split over that many offsets; by default 2", NULL },
	{ "ucx nccl_ucx", "UCX_IB_SL", SL, ALWAYS, "any SL is safe on any LID; 0 is the default",
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

/* ---- sets of offsets ----------------------------------------------------------------- */

static void
add_offset(struct moore_env_offsets *o, unsigned k)
{
	o->n += !o->use[k];
	o->use[k] = true;
	o->last = k > o->last ? k : o->last;
}

static struct moore_env_offsets
range(unsigned from, unsigned to)
{
	struct moore_env_offsets o = { .n = 0 };

	for (; from < to; from++)
		add_offset(&o, from);
	return o;
}

void
moore_env_put(struct moore_buf *b, const struct moore_env_offsets *o)
{
	const char *comma = "";

	for (unsigned k = 0, to; k <= o->last; k = to + 1) {
		to = k;
		if (!o->use[k])
			continue;
		while (to < o->last && o->use[to + 1])
			to++;
		moore_buf_fmt(b, to > k ? "%s%u-%u" : "%s%u", comma, k, to);
		comma = ",";
	}
}

/* Returns false if s is no list of offsets. */
static bool
read_list(const char *s, struct moore_env_offsets *o)
{
	const char *end = s + strlen(s);
	uint64_t a, b;

	for (;; s++) {
		if (!moore_text_u64(&s, end, 10, MOORE_N_OFFSETS - 1, &a))
			return false;
		b = a;
		if (*s == '-' && (s++, !moore_text_u64(&s, end, 10, MOORE_N_OFFSETS - 1, &b)))
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

bool
moore_env_use(struct moore_env *e, const char *s)
{
	e->asked = s != NULL;
	e->use = (struct moore_env_offsets){ .n = 0 };
	if (!s || !strcmp(s, "all"))
		e->use = range(0, e->n_lids);
	else if (!strcmp(s, "minimal"))
		e->use = range(0, 1);
	else if (!strcmp(s, "valiant"))
		e->use = range(1, e->n_lids > 1 ? e->n_lids : 2);
	else
		return read_list(s, &e->use);
	return true;
}

bool
moore_env_class(struct moore_env *e, const struct moore_conf *conf, unsigned qos_class)
{
	static const char *const names[] = { "any-sl", "sl-hint", "one-vl" };

	e->hint = conf->profile == MOORE_PROFILE_SL_HINT;
	e->profile = names[conf->profile];
	e->sl = 0;
	if (!qos_class)
		return true;
	if (e->hint) {
		e->sl = qos_class * MOORE_N_HINTS;
		return qos_class < MOORE_HINT_CLASSES &&
		       moore_lane_hint_classes(&conf->lanes) >> qos_class & 1;
	}
	while (e->sl < MOORE_N_SL && conf->lanes.sl_class[e->sl] != qos_class)
		e->sl++;
	return e->sl < MOORE_N_SL;
}

/* ---- what is answered ----------------------------------------------------------------- */

/* Returns the reason why the transport must not, or cannot, send to these offsets; NULL if
 * it may. */
static const char *
refusal(const struct moore_env *a, const struct transport *t, const struct moore_env_offsets *o)
{
	if (!o->last)
		return NULL;
	if (t->reach == BASE)
		return "sends to base LIDs with any setting: offsets other than 0 have no effect";
	if (a->hint && !t->asks)
		return "does not ask the SA for the SL of offsets other than 0, and in profile "
		       "sl-hint only that one is free of deadlock: use offset 0, or profile any-sl";
	if (t->reach == ALL && o->n < a->n_lids)
		return "uses offset 0 or all of them: no other set can be chosen";
	if (t->reach == FIRST && o->n != o->last + 1)
		return "uses offsets from 0 on: none below the last can be left out";
	return NULL;
}

/* The offsets that were asked for; if none were, all those that the transport can use. */
static struct moore_env_offsets
choose(const struct moore_env *a, const struct transport *t)
{
	if (a->asked || !refusal(a, t, &a->use))
		return a->use;
	return range(0, 1);
}

static void
put_value(struct moore_buf *b, enum value v, const struct moore_env *e,
	  const struct moore_env_offsets *o)
{
	switch (v) {
	case SL:
	case ONE:
		moore_buf_fmt(b, "%u", v == ONE ? 1 : e->sl);
		break;
	case IS_MANY:
		moore_buf_fmt(b, "%d", o->n > 1);
		break;
	case COUNT:
		moore_buf_fmt(b, "%u", o->n);
		break;
	case RAILS:
		moore_buf_fmt(b, "%u", o->n < RAILS_MAX ? o->n : RAILS_MAX);
		break;
	case UCX:
		moore_buf_fmt(b, "ucx");
		break;
	case LIST:
		moore_env_put(b, o);
	}
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
add_settings(const struct moore_env *e, struct moore_env_answer *out)
{
	struct moore_buf b = MOORE_BUF_INIT;
	bool oom = false;

	for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
		const struct setting *s = &settings[i];
		struct moore_env_setting *to = &out->setting[out->n_settings];

		if (!has_word(s->transports, out->transport) ||
		    (s->when == MANY && out->use.n < 2) || (s->when == HINT && !e->hint))
			continue;
		b.len = 0;
		put_value(&b, s->value, e, &out->use);
		if ((oom = b.oom || b.len >= sizeof(to->value)))
			break;
		to->name = s->name;
		to->why = e->hint && s->why_hint ? s->why_hint : s->why;
		memcpy(to->value, b.data, b.len);
		to->value[b.len] = '\0';
		out->n_settings++;
	}
	moore_buf_free(&b);
	return oom ? -MOORE_ENOMEM : 1;
}

const char *
moore_env_target(size_t i)
{
	return i < ARRAY_LEN(targets) ? targets[i].name : NULL;
}

int
moore_env_answer(const struct moore_env *e, const char *target, size_t i,
		 struct moore_env_answer *out)
{
	const char *list = "";

	*out = (struct moore_env_answer){ .transport = NULL };
	for (size_t t = 0; t < ARRAY_LEN(targets); t++)
		if (!strcmp(targets[t].name, target))
			list = targets[t].transports;
	for (size_t t = 0; t < ARRAY_LEN(transports); t++) {
		if (!has_word(list, transports[t].name) ||
		    (transports[t].instead && !(e->asked && e->use.last)) || i-- > 0)
			continue;
		out->transport = transports[t].name;
		out->what = transports[t].what;
		out->use = choose(e, &transports[t]);
		out->refused = refusal(e, &transports[t], &out->use);
		return out->refused ? 1 : add_settings(e, out);
	}
	return 0;
}
