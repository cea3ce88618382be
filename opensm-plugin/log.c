// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* log.c - the plugin's lines in OpenSM's log: one INFO line for each sweep with new
 * tables, and errors "ERR MRnn: what: why, and what to do".  An error that lasts is
 * logged once; when it is over, an INFO line says how often it was repeated.  MR18 and MR19,
 * that something is not known to be safe now, are logged each time. */
#include "plugin.h"

#include <stdarg.h>
#include <stdio.h>

/* True the first time that an error occurs.  False for repeats, and for all new errors
 * once MPLUG_SAID_MAX different ones are standing, to bound the log. */
static bool
is_news(struct mplug_said *s, enum mplug_mr code, const char *text)
{
	uint64_t hash = moore_hash(MOORE_HASH_INIT + code, text, strlen(text));

	for (unsigned i = 0; i < s->n; i++)
		if (s->of[i].hash == hash) {
			s->of[i].sweep = s->sweep;
			s->of[i].repeats++;
			return false;
		}
	if (s->n == MPLUG_SAID_MAX)
		return false;
	s->of[s->n].hash = hash;
	s->of[s->n].code = code;
	s->of[s->n].sweep = s->sweep;
	s->of[s->n++].repeats = 0;
	return true;
}

static bool
is_unsafe(enum mplug_mr code)
{
	return code == MPLUG_MR_IN_FORCE || code == MPLUG_MR_MOTION;
}

void
mplug_log_err(struct mplug_sm *sm, enum mplug_mr code, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	moore_text_hide(text);	/* files and NodeDescriptions may hold anything */
	if (is_unsafe(code) || is_news(&sm->said, code, text))
		osm_log(&sm->osm->log, OSM_LOG_ERROR, "moore: ERR MR%02u: %s\n", code, text);
}

/* True if the last sweep had an error with this code, whatever its text. */
static bool
stands(const struct mplug_said *s, enum mplug_mr code)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->of[i].code == code && s->of[i].sweep == s->sweep)
			return true;
	return false;
}

/* Forgets the errors that the last sweep did not repeat: if one occurs again, it is
 * logged again. */
void
mplug_log_new_sweep(struct mplug_sm *sm)
{
	struct mplug_said *s = &sm->said;
	unsigned kept = 0;

	for (unsigned i = 0; i < s->n; i++)
		if (s->of[i].sweep != s->sweep && s->of[i].repeats)
			osm_log(&sm->osm->log, OSM_LOG_INFO, "moore: MR%02u %s, repeats not logged: %u\n",
				s->of[i].code, stands(s, s->of[i].code) ? "has another text now" :
				"is over", s->of[i].repeats);
	for (unsigned i = 0; i < s->n; i++)
		if (s->of[i].sweep == s->sweep)
			s->of[kept++] = s->of[i];
	s->n = kept;
	s->sweep++;
}

static unsigned
layers(const struct moore_fabric *f)
{
	unsigned lmc = 0;

	for (moore_epid e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].lmc > lmc)
			lmc = f->ep[e].lmc;
	return 1u << lmc;
}

/* Appends the names of missing links, as moorectl check writes them. */
static void
put_gaps(struct moore_buf *b, const struct mplug_sm *sm, uint32_t n_missing)
{
	const struct moore_fabric *f = sm->newest;
	struct moore_route_gap gap[MPLUG_GAPS_MAX];
	size_t n = moore_route_gaps(sm->result->route, gap, MPLUG_GAPS_MAX);

	for (size_t i = 0; i < n; i++) {
		moore_buf_fmt(b, "%s%s[%u]", i ? ", " : " (", f->sw[gap[i].sw[0]].name, gap[i].port[0]);
		if (gap[i].sw[1] != MOORE_NONE)
			moore_buf_fmt(b, " -- %s[%u]", f->sw[gap[i].sw[1]].name, gap[i].port[1]);
	}
	if (n)
		moore_buf_fmt(b, n < n_missing ? ", and more)" : ")");
}

/* Appends what is not as intended; a count that is zero has no term. */
static void
put_terms(struct moore_buf *b, const struct mplug_sm *sm, size_t sl2vl_rows)
{
	struct moore_route_stats st;

	moore_route_stats(sm->result->route, &st);
	const struct { const char *what; size_t n; } term[] = {
		{ "SL2VL rows to set", sl2vl_rows },
		{ "extra links", st.extra_links },
		{ "one-lane links in use", st.one_lane_links },
		{ "one-lane links left out", st.unused_links },
		{ "avoided links", st.avoided_links },
		{ "drained switches", st.drained_switches },
		{ "next hops repaired", st.repaired },
		{ "missing switches", st.missing_switches },
		{ "missing links", st.missing_links },
	};

	for (size_t i = 0; i < ARRAY_LEN(term); i++)
		if (term[i].n)
			moore_buf_fmt(b, "; %s: %zu", term[i].what, term[i].n);
	put_gaps(b, sm, st.missing_links);
	if (b->data)
		moore_text_hide(b->data);	/* NodeDescriptions may hold anything */
}

void
mplug_log_sweep(struct mplug_sm *sm, const struct mplug_view *v, const struct mplug_times *t)
{
	const struct moore_engine_result *r = sm->result;
	const int n_vls = __builtin_popcount(r->verdict->vls);
	struct moore_buf terms = MOORE_BUF_INIT;
	size_t changed, total;

	mplug_publish_count(v, &changed, &total);
	put_terms(&terms, sm, mplug_sl2vl_rows_to_set(sm, v));
	osm_log(&sm->osm->log, OSM_LOG_INFO,
		"moore: %s: %u switches, %u endpoints, %u layer%s, %d VL%s; "
		"total %.1f ms (routing %.1f, lanes %.1f, check %.1f); "
		"%zu of %zu LFT blocks change%s; hash %016" PRIx64 "\n",
		*r->topology ? r->topology : "unrecognised, routed as a general graph",
		v->f->n_switches, v->f->n_endpoints, layers(v->f), MOORE_S(layers(v->f)),
		n_vls, MOORE_S(n_vls),
		t->ms[MPLUG_T_END] - t->ms[MPLUG_T_START],
		t->ms[MPLUG_T_ROUTED] - t->ms[MPLUG_T_OBSERVED],
		t->ms[MPLUG_T_LANES] - t->ms[MPLUG_T_ROUTED],
		t->ms[MPLUG_T_CHECKED] - t->ms[MPLUG_T_LANES],
		changed, total, terms.data && !terms.oom ? terms.data : "", r->hash);
	moore_buf_free(&terms);
}
