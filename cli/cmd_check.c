// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_check.c - `moorectl check`: is the fabric cabled as planned, and if not, what
 * is where. */
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* ---- one deviation ------------------------------------------------------------------ */

/* The name that the fabric gives a switch, where a verdict is about just that. */
static const char *
seen_name(const struct moore_wire *w, struct moore_wire_jack j)
{
	return w->seen->plan->sw[w->occupant[j.slot]].name;
}

static bool
is_unknown_switch(const struct moore_deviation *d)
{
	return d->verdict == MOORE_WIRE_UNKNOWN && !d->observed[0].endpoint &&
		cli_wire_nowhere(d->observed[1]);
}

/* Where to look: as planned if there is a plan for it, else as found. */
static const struct moore_wire_jack *
ends_of(const struct moore_deviation *d)
{
	return cli_wire_nowhere(d->planned[0]) ? d->observed : d->planned;
}

static void
put_ends(struct moore_buf *b, const struct moore_wire *w, const struct moore_wire_jack *end,
	 bool place)
{
	cli_put_jack(b, w, end[0], place);
	if (cli_wire_nowhere(end[1]))
		return;
	cli_putf(b, " -- ");
	cli_put_jack(b, w, end[1], place);
}

static void
put_device(struct moore_buf *b, const struct moore_wire *w, const struct moore_deviation *d)
{
	switch (d->verdict) {
	case MOORE_WIRE_MIRRORED:
		cli_putf(b, "%u of %u switches have the cables of another: the wiring is an image "
			 "of the plan; relabel (moorectl repair --accept), do not recable",
			 d->count, w->plan->n_switches);
		break;
	case MOORE_WIRE_SWAPPED:
		cli_put_jack(b, w, d->planned[0], true);
		cli_putf(b, " and ");
		cli_put_jack(b, w, d->planned[1], true);
		cli_putf(b, ": each has the other's cables: exchange them, or their names");
		break;
	case MOORE_WIRE_MISSING_SWITCH:
		cli_put_jack(b, w, d->planned[0], true);
		cli_putf(b, ": not found, nor any of its %u cables", d->count);
		break;
	case MOORE_WIRE_ONE_SIDED:
		cli_put_jack(b, w, d->observed[0], true);
		cli_putf(b, ": only the other end tells of the link here");
		break;
	default:		/* an unknown switch */
		cli_putf(b, "%s: a switch that is not in the plan", seen_name(w, d->observed[0]));
		if (cli_wire_nowhere(d->planned[0]))
			break;
		cli_putf(b, ", with the cables of ");
		cli_put_jack(b, w, d->planned[0], true);
	}
}

static void
put_cable(struct moore_buf *b, const struct moore_wire *w, const struct moore_deviation *d)
{
	if (d->planned_rate.width) {
		put_ends(b, w, d->planned, true);
		cli_putf(b, ": ");
		moore_rate_put(b, d->planned_rate);
		cli_putf(b, " is planned, it runs at ");
		moore_rate_put(b, d->observed_rate);
	} else if (cli_wire_nowhere(d->observed[0]) || cli_wire_nowhere(d->planned[0])) {
		put_ends(b, w, ends_of(d), true);
		cli_putf(b, ": %s", moore_wire_text(d->verdict)->help);
	} else {
		cli_put_jack(b, w, d->observed[0], true);
		cli_putf(b, ": should lead to ");
		cli_put_jack(b, w, d->planned[1], true);
		cli_putf(b, ", leads to ");
		cli_put_jack(b, w, d->observed[1], true);
	}
}

static bool
is_device(const struct moore_deviation *d)
{
	return d->verdict == MOORE_WIRE_MIRRORED || d->verdict == MOORE_WIRE_SWAPPED ||
		d->verdict == MOORE_WIRE_MISSING_SWITCH || d->verdict == MOORE_WIRE_ONE_SIDED ||
		is_unknown_switch(d);
}

void
cli_put_deviation(struct moore_buf *b, const struct moore_wire *w, const struct moore_deviation *d)
{
	cli_putf(b, CLI_RED "%-16s" CLI_PLAIN " ", moore_wire_text(d->verdict)->name);
	if (is_device(d))
		put_device(b, w, d);
	else
		put_cable(b, w, d);
	cli_putf(b, "\n");
}

/* ---- as JSON ---------------------------------------------------------------------------- */

static json_t *
json_text(struct moore_buf *b)
{
	json_t *j = b->oom || !b->len ? json_null() : cli_json_name(b->data);

	moore_buf_free(b);
	return j;
}

static json_t *
json_side(const struct moore_wire *w, const struct moore_deviation *d,
	  const struct moore_wire_jack *end, struct moore_rate rate)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (rate.width)
		moore_rate_put(&b, rate);
	else if (is_unknown_switch(d) && end == d->observed)
		cli_putf(&b, "%s", seen_name(w, end[0]));
	else if (!cli_wire_nowhere(end[0]))
		put_ends(&b, w, end, false);
	return json_text(&b);
}

json_t *
cli_json_deviation(const struct moore_wire *w, const struct moore_deviation *d)
{
	const struct moore_wire_jack *end = ends_of(d);
	const char *label = d->cable == MOORE_NONE ? NULL : w->plan->cable[d->cable].label;
	json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o}", "verdict",
		moore_wire_text(d->verdict)->name, "a", cli_json_jack(w, end[0]),
		"b", cli_json_jack(w, end[1]),
		"planned", json_side(w, d, d->planned, d->planned_rate),
		"observed", json_side(w, d, d->observed, d->observed_rate));

	if (label)
		json_object_set_new(o, "label", cli_json_name(label));
	if (d->count)
		json_object_set_new(o, d->verdict == MOORE_WIRE_MIRRORED ? "switches" : "cables",
				    json_integer(d->count));
	return o;
}

/* ---- by cabinet ------------------------------------------------------------------------ */

struct sum {
	const char *cabinet;
	uint32_t n;
};

static int
sum_cmp(const void *x, const void *y)
{
	return strcmp(((const struct sum *)x)->cabinet, ((const struct sum *)y)->cabinet);
}

/* Deviations that have an end in each cabinet; returns how many cabinets. */
static size_t
sum_cabinets(const struct moore_wire *w, struct sum *s)
{
	size_t n = 0, m = 0;

	for (uint32_t i = 0; i < w->n_deviations; i++) {
		const struct moore_deviation *d = &w->deviation[i];
		const struct moore_wire_jack *all[] = { &d->planned[0], &d->planned[1],
			&d->observed[0], &d->observed[1] };
		size_t from = n;

		for (size_t k = 0; k < ARRAY_LEN(all); k++) {
			const char *c = cli_cabinet_of(w, *all[k]);

			for (size_t t = from; c && t < n; t++)
				c = strcmp(s[t].cabinet, c) ? c : NULL;
			if (c)
				s[n++] = (struct sum){ c, 1 };
		}
	}
	qsort(s, n, sizeof(*s), sum_cmp);
	for (size_t i = 0; i < n; i++)
		if (m && !strcmp(s[m - 1].cabinet, s[i].cabinet))
			s[m - 1].n++;
		else
			s[m++] = s[i];
	return m;
}

/* ---- the answer --------------------------------------------------------------------------- */

static json_t *
json_check(const struct moore_wire *w, const struct sum *s, size_t n_sums)
{
	json_t *list = json_array(), *counts = json_object(), *cabinets = json_array();
	uint32_t n[MOORE_WIRE_VERDICTS] = { 0 };

	for (uint32_t i = 0; i < w->n_deviations; i++) {
		n[w->deviation[i].verdict]++;
		json_array_append_new(list, cli_json_deviation(w, &w->deviation[i]));
	}
	for (int v = 0; v < MOORE_WIRE_VERDICTS; v++)
		if (n[v])
			json_object_set_new(counts, moore_wire_text(v)->name, json_integer(n[v]));
	for (size_t i = 0; i < n_sums; i++)
		json_array_append_new(cabinets, json_pack("{s:o, s:i}", "cabinet",
			cli_json_name(s[i].cabinet), "deviations", (int)s[i].n));
	return json_pack("{s:b, s:o, s:o, s:o, s:b, s:{s:i, s:i, s:i}, s:i, s:i, s:i}",
		"ok", !w->n_deviations, "deviations", list, "counts", counts, "cabinets", cabinets,
		"image", w->image, "bound", "guid", (int)w->by_guid, "name", (int)w->by_name,
		"structure", (int)w->by_structure, "switches", (int)w->seen->plan->n_switches,
		"endpoints", (int)w->seen->plan->n_endpoints,
		"cables", (int)w->seen->plan->n_cables);
}

static void
put_check(struct moore_buf *b, const struct moore_wire *w, const struct sum *s, size_t n_sums)
{
	for (uint32_t i = 0; i < w->n_deviations; i++)
		cli_put_deviation(b, w, &w->deviation[i]);
	if (n_sums)
		cli_putf(b, "\n");
	for (size_t i = 0; i < n_sums; i++)
		cli_putf(b, "cabinet %-20s %u\n", s[i].cabinet, s[i].n);
	cli_putf(b, "%s%u switches, %u endpoints, %u cables: ", w->n_deviations ? "\n" : "",
		 w->seen->plan->n_switches, w->seen->plan->n_endpoints, w->seen->plan->n_cables);
	if (!w->n_deviations)
		cli_putf(b, CLI_GREEN "cabled as planned" CLI_PLAIN "\n");
	else
		cli_putf(b, CLI_RED "%u deviation%s" CLI_PLAIN "\n", w->n_deviations,
			 w->n_deviations == 1 ? "" : "s");
	if (w->by_structure)
		cli_putf(b, "%u switches are known by their cables alone\n", w->by_structure);
}

int
cmd_check(const struct cli_call *c)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct cli_wire x;
	struct sum *s = NULL;
	size_t n;
	int rc;

	if ((rc = cli_wire_load(c, &x)) != CLI_OK)
		goto out;
	if (!(s = calloc(4 * (size_t)x.w->n_deviations + 1, sizeof(*s)))) {
		rc = cli_error("out of memory");
		goto out;
	}
	n = sum_cabinets(x.w, s);
	if (!c->json)
		put_check(&b, x.w, s, n);
	rc = c->json ? cli_print_json(json_check(x.w, s, n)) : cli_print_text(&b);
	if (rc == CLI_OK && x.w->n_deviations)
		rc = CLI_FOUND;
out:
	free(s);
	cli_wire_free(&x);
	return rc;
}
