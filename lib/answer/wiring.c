// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wiring.c - the cabling against the plan: what deviates, and which cable ends to move. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer_impl.h"

#define JACK_KEYS "'switch?':" STR ",'endpoint?':" STR ",'port?':" INT ",'cabinet?':" STR \
	",'unit?':" INT
#define A_JACK OBJ_OR_NULL(JACK_KEYS)
#define DEVIATION_KEYS "'verdict':" STR ",'text':" STR ",'a':" A_JACK ",'b':" A_JACK \
	",'planned':" OR_NULL("string") ",'observed':" OR_NULL("string") ",'label?':" STR \
	",'switches?':" INT ",'cables?':" INT
#define A_DEVIATION OBJ(DEVIATION_KEYS)

const char moore_schema_check[] = OBJ("'ok':" BOOL ",'deviations':" LIST_OF(OBJ(DEVIATION_KEYS
	",'since?':" INT)) ",'counts':" ANY_OBJECT ",'cabinets':" LIST_OF(OBJ("'cabinet':" STR ",'deviations':" INT))
	",'image':" BOOL ",'bound':" OBJ("'guid':" INT ",'name':" INT ",'structure':" INT)
	",'switches':" INT ",'endpoints':" INT ",'cables':" INT);

const char moore_schema_repair[] = OBJ("'ok':" BOOL ",'exchanges':" LIST_OF(OBJ("'a':" A_JACK
	",'b':" A_JACK)) ",'moves':" LIST_OF(OBJ("'cable':" STR ",'end':{'type':'string','enum':"
		"['a','b']},'from':" A_JACK ",'to':" A_JACK ",'step':" INT ",'parts':" BOOL))
	",'reseat':" LIST_OF(A_DEVIATION) ",'optimal':" BOOL ",'lower_bound':" INT ",'steps':" INT ",'new_cables':" INT
	",'parting_steps':" INT ",'mirrored':" BOOL ",'image':" BOOL ",'deviations':" INT);

/* ---- jacks ---------------------------------------------------------------------- */

static const struct moore_wire_jack nowhere = { false, MOORE_NONE, 0 };

static bool
is_nowhere(struct moore_wire_jack j)
{
	return j.slot == MOORE_NONE;
}

static const char *
cabinet_of(const struct moore_wire *w, struct moore_wire_jack j)
{
	return j.endpoint || is_nowhere(j) ? NULL : w->sw[j.slot]->cabinet;
}

static json_t *
json_jack(const struct moore_wire *w, struct moore_wire_jack j)
{
	const char *cabinet = cabinet_of(w, j);
	json_t *o;

	if (is_nowhere(j))
		return json_null();
	o = json_pack("{s:o}", j.endpoint ? "endpoint" : "switch",
		      moore_json_name(j.endpoint ? w->ep[j.slot]->name : w->sw[j.slot]->name));
	if (j.port)
		o = moore_json_set(o, "port", json_integer(j.port));
	if (cabinet)
		o = moore_json_set(o, "cabinet", moore_json_name(cabinet));
	if (cabinet && w->sw[j.slot]->unit)
		o = moore_json_set(o, "unit", json_integer(w->sw[j.slot]->unit));
	return o;
}

/* "s0[3]", or "h0" where a CA has one port. */
static void
put_jack(struct moore_buf *b, const struct moore_wire *w, struct moore_wire_jack j)
{
	unsigned port;

	if (is_nowhere(j)) {
		moore_buf_fmt(b, "nothing");
		return;
	}
	port = j.endpoint ? w->ep[j.slot]->ca_port : j.port;
	moore_buf_fmt(b, "%s", j.endpoint ? w->ep[j.slot]->name : w->sw[j.slot]->name);
	if (port != (j.endpoint ? 1 : 0))
		moore_buf_fmt(b, "[%u]", port);
}

/* "s0[3] (cabinet A2, unit 5)" */
static void
put_place(struct moore_buf *b, const struct moore_wire *w, struct moore_wire_jack j)
{
	const char *cabinet = cabinet_of(w, j);

	put_jack(b, w, j);
	if (!cabinet)
		return;
	moore_buf_fmt(b, " (cabinet %s", cabinet);
	if (w->sw[j.slot]->unit)
		moore_buf_fmt(b, ", unit %u", w->sw[j.slot]->unit);
	moore_buf_fmt(b, ")");
}

/* Both ends of a cable, or the one that there is. */
static void
put_ends(struct moore_buf *b, const struct moore_wire *w, const struct moore_wire_jack *end,
	 void (*put)(struct moore_buf *b, const struct moore_wire *w, struct moore_wire_jack j))
{
	put(b, w, end[0]);
	if (is_nowhere(end[1]))
		return;
	moore_buf_fmt(b, " -- ");
	put(b, w, end[1]);
}

/* ---- one deviation ------------------------------------------------------------------ */

/* The name that the fabric gives a switch that the plan does not have. */
static const char *
seen_name(const struct moore_wire *w, struct moore_wire_jack j)
{
	return w->seen->plan->sw[w->occupant[j.slot]].name;
}

static bool
is_unknown_switch(const struct moore_deviation *d)
{
	return d->verdict == MOORE_WIRE_UNKNOWN && !d->observed[0].endpoint &&
		is_nowhere(d->observed[1]);
}

/* Whether a host that the plan does not have is in the place of one that was not found. */
static bool
is_stand_in(const struct moore_wire *w, const struct moore_deviation *d)
{
	return d->verdict == MOORE_WIRE_UNKNOWN && d->planned[0].endpoint &&
		w->stand_in[d->planned[0].slot] != MOORE_NONE;
}

static const char *
stand_in_name(const struct moore_wire *w, struct moore_wire_jack j)
{
	return w->seen->plan->ep[w->stand_in[j.slot]].name;
}

/* Where to look: as planned if the plan has it, else as found. */
static const struct moore_wire_jack *
ends_of(const struct moore_deviation *d)
{
	return is_nowhere(d->planned[0]) ? d->observed : d->planned;
}

/* The deviation of a whole device; false: it is one of a cable. */
static bool
put_device(struct moore_buf *b, const struct moore_wire *w, const struct moore_deviation *d)
{
	switch (d->verdict) {
	case MOORE_WIRE_MIRRORED:
		moore_buf_fmt(b, "%u of %u switches have the cables of another: the wiring is an image "
			      "of the plan; relabel (moorectl repair --accept), do not recable",
			      d->count, w->plan->n_switches);
		return true;
	case MOORE_WIRE_SWAPPED:
		put_place(b, w, d->planned[0]);
		moore_buf_fmt(b, " and ");
		put_place(b, w, d->planned[1]);
		moore_buf_fmt(b, ": each has the other's cables: exchange them, or their names");
		return true;
	case MOORE_WIRE_MISSING_SWITCH:
		put_place(b, w, d->planned[0]);
		moore_buf_fmt(b, d->count == 1 ? ": not found, nor its only cable" :
			      ": not found, nor any of its %u cables", d->count);
		return true;
	case MOORE_WIRE_ONE_SIDED:
		put_place(b, w, d->observed[0]);
		moore_buf_fmt(b, ": only the other end reports the link here");
		return true;
	default:
		if (is_stand_in(w, d)) {
			moore_buf_fmt(b, "%s: a host that is not in the plan, with the cable of ",
				      stand_in_name(w, d->planned[0]));
			put_ends(b, w, d->planned, put_place);
			return true;
		}
		if (!is_unknown_switch(d))
			return false;
	}
	moore_buf_fmt(b, "%s: a switch that is not in the plan", seen_name(w, d->observed[0]));
	if (!is_nowhere(d->planned[0])) {
		moore_buf_fmt(b, ", with the cables of ");
		put_place(b, w, d->planned[0]);
	}
	return true;
}

static void
put_cable(struct moore_buf *b, const struct moore_wire *w, const struct moore_deviation *d)
{
	if (d->planned_rate.width) {
		put_ends(b, w, d->planned, put_place);
		moore_buf_fmt(b, ": ");
		moore_rate_put(b, d->planned_rate);
		moore_buf_fmt(b, " is planned, it runs at ");
		moore_rate_put(b, d->observed_rate);
	} else if (is_nowhere(d->observed[0]) || is_nowhere(d->planned[0])) {
		put_ends(b, w, ends_of(d), put_place);
		moore_buf_fmt(b, ": %s", moore_wire_text(d->verdict)->help);
	} else {
		put_place(b, w, d->observed[0]);
		moore_buf_fmt(b, ": should lead to ");
		put_place(b, w, d->planned[1]);
		moore_buf_fmt(b, ", leads to ");
		put_place(b, w, d->observed[1]);
	}
}

static json_t *
json_sentence(const struct moore_wire *w, const struct moore_deviation *d)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (!put_device(&b, w, d))
		put_cable(&b, w, d);
	return moore_json_text(&b);
}

/* What is planned, or what is observed: a rate, a name, the ends, or null. */
static json_t *
json_side(const struct moore_wire *w, const struct moore_deviation *d,
	  const struct moore_wire_jack *end, struct moore_rate rate)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (rate.width)
		return moore_json_rate(rate);
	if (is_nowhere(end[0]))
		return json_null();
	if (is_unknown_switch(d) && end == d->observed)
		return moore_json_name(seen_name(w, end[0]));
	if (is_stand_in(w, d) && end == d->observed)
		return moore_json_name(stand_in_name(w, end[0]));
	put_ends(&b, w, end, put_jack);
	return moore_json_text(&b);
}

json_t *
moore_json_deviation(const struct moore_wire *w, const struct moore_deviation *d)
{
	const struct moore_wire_jack *end = ends_of(d);
	const char *label = d->cable == MOORE_NONE ? NULL : w->plan->cable[d->cable].label;
	json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "verdict",
		moore_wire_text(d->verdict)->name, "text", json_sentence(w, d),
		"a", json_jack(w, end[0]), "b", json_jack(w, end[1]),
		"planned", json_side(w, d, d->planned, d->planned_rate),
		"observed", json_side(w, d, d->observed, d->observed_rate));

	if (label)
		o = moore_json_set(o, "label", moore_json_name(label));
	if (d->count)
		o = moore_json_set(o, d->verdict == MOORE_WIRE_MIRRORED ? "switches" : "cables",
				   json_integer(d->count));
	return o;
}

json_t *
moore_json_deviations(const struct moore_wire *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->n_deviations; i++)
		list = moore_json_add(list, moore_json_deviation(w, &w->deviation[i]));
	return list;
}

/* ---- check ------------------------------------------------------------------------------ */

static json_t *
json_counts(const struct moore_wire *w)
{
	uint32_t n[MOORE_WIRE_VERDICTS] = { 0 };
	json_t *o = json_object();

	for (uint32_t i = 0; i < w->n_deviations; i++)
		n[w->deviation[i].verdict]++;
	for (int v = 0; v < MOORE_WIRE_VERDICTS; v++)
		if (n[v])
			o = moore_json_set(o, moore_wire_text(v)->name, json_integer(n[v]));
	return o;
}

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The cabinets that a deviation has an end in, each once: how many. */
static size_t
cabinets_of(const struct moore_wire *w, const struct moore_deviation *d, const char **name)
{
	const struct moore_wire_jack *all[] = { &d->planned[0], &d->planned[1], &d->observed[0],
		&d->observed[1] };
	size_t n = 0;

	for (size_t k = 0; k < ARRAY_LEN(all); k++) {
		const char *c = cabinet_of(w, *all[k]);

		for (size_t i = 0; c && i < n; i++)
			c = strcmp(name[i], c) ? c : NULL;
		if (c)
			name[n++] = c;
	}
	return n;
}

/* How many deviations have an end in each cabinet. */
static json_t *
json_cabinets(const struct moore_wire *w)
{
	const char **name = calloc(4 * (size_t)w->n_deviations + 1, sizeof(*name));
	json_t *list = name ? json_array() : NULL;
	size_t n = 0, from = 0;

	for (uint32_t i = 0; name && i < w->n_deviations; i++)
		n += cabinets_of(w, &w->deviation[i], name + n);
	if (n)
		qsort(name, n, sizeof(*name), name_cmp);
	for (size_t i = 1; i <= n; i++)
		if (i == n || strcmp(name[i], name[from])) {
			list = moore_json_add(list, json_pack("{s:o, s:i}", "cabinet",
				moore_json_name(name[from]), "deviations", (int)(i - from)));
			from = i;
		}
	free(name);
	return list;
}

json_t *
moore_answer_check(const struct moore_wire *w)
{
	const struct moore_plan *seen = w->seen->plan;

	return json_pack("{s:b, s:o, s:o, s:o, s:b, s:{s:i, s:i, s:i}, s:i, s:i, s:i}",
		"ok", !w->n_deviations, "deviations", moore_json_deviations(w),
		"counts", json_counts(w), "cabinets", json_cabinets(w), "image", w->image,
		"bound", "guid", (int)w->by_guid, "name", (int)w->by_name,
		"structure", (int)w->by_structure, "switches", (int)seen->n_switches,
		"endpoints", (int)seen->n_endpoints, "cables", (int)seen->n_cables);
}

/* ---- repair ----------------------------------------------------------------------------- */

/* How the crew knows a cable: by the label of the planned cable that it is to become, if it
 * has one, and by where its ends are now. */
static json_t *
json_cable(const struct moore_wire *w, uint32_t cable)
{
	struct moore_buf b = MOORE_BUF_INIT;
	const struct moore_wire_cable *o, *p;

	if (cable >= w->observed.n) {
		moore_buf_fmt(&b, "new %u", cable - w->observed.n + 1);
		return moore_json_text(&b);
	}
	o = &w->observed.cable[cable];
	p = o->mate == MOORE_NONE ? NULL : &w->planned.cable[o->mate];
	if (p && !p->endpoint && w->plan->cable[p->index].label)
		moore_buf_fmt(&b, "%s: ", w->plan->cable[p->index].label);
	put_jack(&b, w, w->jack[o->jack[0]]);
	moore_buf_fmt(&b, " -- ");
	put_jack(&b, w, w->jack[o->jack[1]]);
	return moore_json_text(&b);
}

static json_t *
json_jack_at(const struct moore_wire *w, uint32_t jack)
{
	return json_jack(w, jack == MOORE_NONE ? nowhere : w->jack[jack]);
}

/* The cables whose connectors may be at fault.  A planned cable that no discovery finds is
 * often in its jacks, and its link is down. */
static json_t *
json_reseat(const struct moore_wire *w)
{
	static const bool by_verdict[MOORE_WIRE_VERDICTS] = { [MOORE_WIRE_MISSING] = true,
		[MOORE_WIRE_ONE_SIDED] = true, [MOORE_WIRE_SLOW] = true, [MOORE_WIRE_NARROW] = true };
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->n_deviations; i++)
		if (by_verdict[w->deviation[i].verdict])
			list = moore_json_add(list, moore_json_deviation(w, &w->deviation[i]));
	return list;
}

json_t *
moore_answer_repair(const struct moore_wire *w, const struct moore_repair *r)
{
	json_t *moves = json_array(), *exchanges = json_array();

	for (uint32_t i = 0; i < w->n_exchanges; i++)
		exchanges = moore_json_add(exchanges, json_pack("{s:o, s:o}",
			"a", json_jack(w, (struct moore_wire_jack){ false, w->exchange[i][0], 0 }),
			"b", json_jack(w, (struct moore_wire_jack){ false, w->exchange[i][1], 0 })));
	for (uint32_t i = 0; i < r->n_moves; i++) {
		const struct moore_repair_move *m = &r->move[i];

		moves = moore_json_add(moves, json_pack("{s:o, s:s, s:o, s:o, s:i, s:b}",
			"cable", json_cable(w, m->cable), "end", m->end ? "b" : "a",
			"from", json_jack_at(w, m->from), "to", json_jack_at(w, m->to),
			"step", (int)m->step, "parts", m->parts));
	}
	return json_pack("{s:b, s:o, s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:b, s:b, s:i}",
		"ok", !r->n_moves && !w->n_exchanges && !w->mirrored, "exchanges", exchanges,
		"moves", moves, "reseat", json_reseat(w), "optimal", r->optimal,
		"lower_bound", (int)r->lower_bound, "steps", (int)r->n_steps,
		"new_cables", (int)r->n_new, "parting_steps", (int)r->n_parting,
		"mirrored", w->mirrored, "image", w->image, "deviations", (int)w->n_deviations);
}
