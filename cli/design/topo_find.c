// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* topo_find.c - `moorectl topo find`: of each family the cheapest member that has enough endpoints
 * within a radix and a diameter.
 *
 * Cost is the number of links: so many endpoints need as many ports and links of their own in any
 * topology.  The members of a family are listed by their closed forms, which say everything but
 * distances, and built in the order of their links until one fits.
 *
 * A full mesh is a member of several families, and is listed as a HyperX alone.
 *
 * Where a family has no rule for the endpoints on a switch, a switch gets as many as its links carry
 * under uniform traffic: its degree over the mean distance.  A member in which this is less than one
 * does not fit.  Before a member is built, the mean distance is taken for the least that a graph of its
 * degree can have, times the least ratio between the two that was seen in this family. */
#include <stdlib.h>
#include <string.h>

#include "online.h"
#include "design/report.h"
#include "design/structure.h"

#define CANDIDATES_MAX 400000
/* Of each family so many members are built at most, or fewer that have so many links together, but
 * always some. */
#define BUILT_MAX 200
#define BUILT_LINKS 20e6
#define BUILT_MIN 3
#define TRY_WORK 20e6		/* visits to links for measuring a member roughly */
#define ROWS_MAX 100
#define NAME 24			/* columns; a longer one has a line of its own */
#define RADIX 64		/* of one chip on the market, unless another limit is given */

/* Beside required parameters these are varied.  A parameter that counts switches needs only the values that
 * some number of endpoints on each switch gives. */
static const struct { const char *family, *key; bool counts_switches; } varied[] = {
	{ "dragonfly", "h", false }, { "dfplus", "h", false }, { "hyperx", "s3", false },
	{ "torus", "a", false }, { "torus", "b", false }, { "torus", "c", false },
	{ "jellyfish", "n", true }, { "dln", "n", true },
};
/* A floor gives SkyWalk its parameters. */
static const char *const left_out[] = { "skywalk" };

struct candidate {
	int64_t param[MOORE_TOPO_MAX_PARAMS];	/* as they are given, not resolved */
	struct moore_topo_counts n;
};

struct search {
	uint64_t endpoints;
	uint64_t radix, diameter;	/* 0: no limit */
	const struct moore_topo_family *f;
	unsigned ends;			/* the parameter that says how many endpoints a switch has, or past the last */
	bool balanced;			/* the family has no rule for it */
	double ratio;			/* of mean distances to the least ones */
	struct candidate *c;
	uint32_t n, cap;
	bool oom;
};

/* ---- the members of a family ------------------------------------------------------------ */

/* The least mean distance in a graph of n vertices of this degree: as many as can be are near. */
static double
least_distance(uint64_t n, uint32_t degree)
{
	double left = (double)n - 1, at = degree, sum = 0;

	if (degree < 2 || n < 2)
		return 1;
	if (degree == 2)
		return ((double)n + 1) / 4;	/* a ring */
	for (int hops = 1; left > 0; hops++) {
		const double here = at < left ? at : left;

		sum += here * hops;
		left -= here;
		at *= degree - 1.0;
	}
	return sum / ((double)n - 1);
}

/* How many endpoints a switch gets at this mean distance, within the radix. */
static int64_t
balance(const struct search *s, uint32_t degree, double distance)
{
	int64_t p = (int64_t)((double)degree / distance + 1e-9);

	if (s->radix && degree + (uint64_t)p > s->radix)
		p = (int64_t)s->radix - degree;
	return p < 0 ? 0 : p;
}

/* A fabric of more switches than this costs more than any that is wanted. */
static uint64_t
most_switches(const struct search *s)
{
	return 2 * s->endpoints + 64;
}

/* Whether a member with these counts can fit, with p endpoints on each switch if there is no rule. */
static bool
can_fit(const struct search *s, const struct moore_topo_counts *n, int64_t p)
{
	const uint64_t ends = s->balanced ? n->switches * (uint64_t)p : n->endpoints;
	const uint64_t radix = s->balanced ? n->degree + (uint64_t)p : n->radix;

	/* Where only some switches have endpoints, the others are at most two links further apart. */
	const uint32_t diameter = (uint32_t)s->diameter + (s->balanced ? 0 : 2);
	/* A rule that lets twice the traffic onto the links that they can carry is none. */
	const double carried = 2.0 * n->degree / least_distance(n->switches, n->degree);

	return n->switches > 1 && n->switches <= most_switches(s) && ends >= s->endpoints &&
		radix <= MOORE_PORT_MAX && (!s->radix || radix <= s->radix) &&
		(double)ends <= carried * (double)n->switches &&
		(!s->diameter || moore_bound(n->degree, diameter) >= (double)n->switches);
}

static void
add_candidate(struct search *s, const int64_t *param, const struct moore_topo_counts *n)
{
	const bool full_mesh = n->degree + (uint64_t)1 == n->switches;
	struct candidate *c;

	if (s->oom || s->n == CANDIDATES_MAX || (full_mesh && strcmp(s->f->name, "hyperx") != 0))
		return;
	if (!(c = moore_grow(s->c, s->n, &s->cap, sizeof(*c)))) {
		s->oom = true;
		return;
	}
	s->c = c;
	memcpy(c[s->n].param, param, sizeof(c->param));
	c[s->n++].n = *n;
}

enum how { FIXED, VARIED, COUNTS };

static enum how
how_of(const struct moore_topo_family *f, unsigned i)
{
	for (size_t k = 0; k < ARRAY_LEN(varied); k++)
		if (!strcmp(varied[k].family, f->name) && !strcmp(varied[k].key, f->param[i].key))
			return varied[k].counts_switches ? COUNTS : VARIED;
	return f->param[i].required ? VARIED : FIXED;
}

/* The next value to try after v; of a count of switches, the next one that some number of endpoints
 * on each of them gives. */
static int64_t
next_value(const struct search *s, enum how how, int64_t v)
{
	const int64_t all = (int64_t)s->endpoints, each = (all + v - 1) / v - 1;

	return how == COUNTS && each > 0 && (all + each - 1) / each > v ? (all + each - 1) / each : v + 1;
}

/* Lists the members whose first i parameters these are.  False when the number of switches with the
 * least values for the rest exceeds what can be needed. */
static bool
list_members(struct search *s, int64_t *param, unsigned i)
{
	const struct moore_topo_param *p = &s->f->param[i];
	int64_t value[MOORE_TOPO_MAX_PARAMS];
	struct moore_topo_counts n;
	enum how how;

	if (i == s->ends) {
		memcpy(value, param, sizeof(value));
		if (s->f->resolve(value, NULL) < 0)
			return true;
		s->f->counts(value, &n);
		if (can_fit(s, &n, balance(s, n.degree, least_distance(n.switches, n.degree))))
			add_candidate(s, param, &n);
		return s->f->irregular || n.switches <= most_switches(s);
	}
	how = how_of(s->f, i);
	if (how == FIXED) {
		param[i] = p->dflt;
		return list_members(s, param, i + 1);
	}
	param[i] = i && i < s->f->n_alike ? param[i - 1] : p->min;
	for (bool first = true; param[i] <= p->max; param[i] = next_value(s, how, param[i]), first = false)
		if (!list_members(s, param, i + 1))
			return !first;
	return true;
}

static int
by_links(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->n.links != b->n.links)
		return a->n.links < b->n.links ? -1 : 1;
	if (a->n.switches != b->n.switches)
		return a->n.switches < b->n.switches ? -1 : 1;
	return memcmp(a->param, b->param, sizeof(a->param));
}

/* ---- the cheapest one that fits ------------------------------------------------------------ */

/* Builds a candidate with p endpoints on each switch, or as the family's rule has it. */
static int
build(struct moore_topo **t, const struct search *s, const struct candidate *c, int64_t p,
      struct moore_err *err)
{
	int64_t param[MOORE_TOPO_MAX_PARAMS];
	int rc;

	memcpy(param, c->param, sizeof(param));
	if (s->balanced)
		param[s->ends] = p;
	if ((rc = s->f->resolve(param, err)) < 0)
		return rc;
	return moore_topo_build(t, s->f, param, err);
}

/* Measures distances in t: roughly if it is large. */
static int
measure(const struct search *s, struct moore_topo *t, struct moore_topo_report *r, struct moore_err *err)
{
	/* 64 sources are searched from at once, a sweep over all links for each distance. */
	const double sweeps = 1 + least_distance(r->n.switches, r->n.degree);
	const uint32_t fit = 64 + (uint32_t)(64 * TRY_WORK / (sweeps * (t->n_links + 1.0)));
	const uint32_t n_sources = s->f->transitive ? 1 : fit < t->n_switches ? fit : t->n_switches;

	return moore_graph_measure(t->n_switches, t->link, t->n_links, n_sources, &r->m, NULL, NULL, err);
}

/* Sets how many endpoints a switch of t gets at its mean distance. */
static void
set_balance(struct search *s, struct moore_topo *t, double distance)
{
	struct moore_topo_counts n;
	double ratio;

	s->f->counts(t->param, &n);
	ratio = distance / least_distance(n.switches, n.degree);
	if (ratio < s->ratio || s->ratio == 0)
		s->ratio = ratio;
	t->param[s->ends] = balance(s, n.degree, distance);
	for (uint32_t v = 0; v < t->n_switches; v++)
		t->endpoints[v] = (uint16_t)t->param[s->ends];
}

/* Whether what was measured is within the limits. */
static bool
is_within(const struct search *s, const struct moore_topo_report *r)
{
	return r->s.ends_diameter != MOORE_NONE && (!s->diameter || r->s.ends_diameter <= s->diameter);
}

/* Measures t; sets *fits. */
static int
try_member(struct search *s, struct moore_topo *t, struct moore_topo_report *r, bool *fits,
	   struct moore_err *err)
{
	const struct cli_graph g = { t->n_switches, t->link, t->n_links, t->endpoints };
	int rc;

	cli_report_begin(r, t);
	rc = measure(s, t, r, err);
	*fits = false;
	if (rc < 0)
		return rc;
	if (s->balanced)
		set_balance(s, t, r->m.mean_distance);
	s->f->counts(t->param, &r->n);
	if (!can_fit(s, &r->n, s->balanced ? t->param[s->ends] : 0) ||
	    (s->balanced && s->diameter && r->m.diameter > s->diameter))
		return 0;
	if ((rc = cli_distances(&r->s, &g, s->f->transitive, TRY_WORK, err)) == 0)
		*fits = is_within(s, r);
	return rc;
}

/* Finds the cheapest member of a family that fits: r->t, which the caller frees, stays NULL if none does. */
static int
find_in(struct search *s, struct moore_topo_report *r, struct moore_err *err)
{
	double links = 0;
	unsigned built = 0;
	bool fits = false;
	int rc = 0;

	if (s->n)
		qsort(s->c, s->n, sizeof(*s->c), by_links);
	for (uint32_t i = 0; rc == 0 && !fits && i < s->n; i++) {
		const struct moore_topo_counts *n = &s->c[i].n;
		const double ratio = s->ratio > 1 ? s->ratio : 1;
		struct moore_topo *t = NULL;
		const int64_t p = balance(s, n->degree, ratio * least_distance(n->switches, n->degree));

		if (!can_fit(s, n, p))
			continue;
		links += (double)n->links;
		if (built++ == BUILT_MAX || (built > BUILT_MIN && links > BUILT_LINKS))
			break;
		if ((rc = build(&t, s, &s->c[i], p, err)) == 0)
			rc = try_member(s, t, r, &fits, err);
		else if (rc == -MOORE_EINVAL)
			rc = 0;			/* a random family found no graph */
		if (rc < 0 || !fits) {
			moore_topo_free(t);
			r->t = NULL;
		}
	}
	return rc;
}

static bool
is_left_out(const struct moore_topo_family *f)
{
	for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (!strcmp(left_out[i], f->name))
			return true;
	return false;
}

static int
find_in_family(const struct search *wanted, const struct moore_topo_family *f, struct moore_topo_report *r,
	       struct moore_err *err)
{
	struct search s = *wanted;
	int64_t param[MOORE_TOPO_MAX_PARAMS] = { 0 };
	int rc;

	s.f = f;
	while (s.ends < MOORE_TOPO_MAX_PARAMS && f->param[s.ends].key && !f->param[s.ends].endpoints)
		s.ends++;
	s.balanced = s.ends < MOORE_TOPO_MAX_PARAMS && f->param[s.ends].key && f->param[s.ends].dflt >= 0;
	for (unsigned i = s.ends; i < MOORE_TOPO_MAX_PARAMS && f->param[i].key; i++)
		param[i] = f->param[i].dflt;
	list_members(&s, param, 0);
	rc = s.oom ? moore_fail_nomem(err) : find_in(&s, r, err);
	free(s.c);
	return rc;
}

/* ---- the table --------------------------------------------------------------------------------- */

static int
by_cost(const void *x, const void *y)
{
	const struct moore_topo_report *a = x, *b = y;

	if (a->n.links != b->n.links)
		return a->n.links < b->n.links ? -1 : 1;
	return strcmp(a->t->family->name, b->t->family->name);
}

static void
put_share(struct moore_buf *b, const json_t *o, const char *key, int width, double times)
{
	if (json_is_number(json_object_get(o, key)))
		cli_putf(b, " %*.*f", width, times > 1 ? 1 : 0, times * cli_num(o, key));
	else
		cli_putf(b, " %*s", width, "-");
}

static void
put_found_notes(struct moore_buf *b, const json_t *answer, bool measured, bool addressed)
{
	cli_putf(b, "\nradix, sold: ports that a switch needs, and of the least one that is sold\n"
		 "port, link: for each of %lld endpoints, with their own; fewest links first\n"
		 "diam, mean: hops between switches with endpoints\n", cli_int(answer, "endpoints"));
	if (measured)
		cli_putf(b, "worst: %% of full rate, by the routes of moore with the LMC of the row, when the\n"
			 "nodes of each switch send to one other switch\n"
			 "cable: metres, in cabinets on a floor\n");
	else
		cli_putf(b, "worst, cable: - is not measured at this size, or with --quick\n");
	cli_putf(b, "LMC: the greatest, up to 2, for which there are LIDs%s\n", addressed ? "" :
		 "; -: none on InfiniBand");
	if (cli_int(answer, "radix") == RADIX)
		cli_putf(b, "Switches have up to %d ports unless radix=R is given.\n", RADIX);
}

static void
put_found(struct moore_buf *b, const json_t *answer)
{
	const json_t *list = json_object_get(answer, "found"), *o, *l;
	bool measured = true, addressed = true;
	size_t i, k;

	if (!json_array_size(list)) {
		cli_putf(b, "no family has a member that fits\n");
		return;
	}
	cli_putf(b, "%-*s switch radix sold port link diam  mean worst  cable LMC\n", NAME, "topology");
	json_array_foreach(list, i, o) {
		char lmc[32] = "-";

		if (strlen(cli_str(o, "name")) > NAME)
			cli_putf(b, "%s\n", cli_str(o, "name"));
		cli_putf(b, "%-*s %6lld %5lld %4lld %4.2f %4.2f %4lld %5.2f", NAME,
			 strlen(cli_str(o, "name")) > NAME ? "" : cli_str(o, "name"), cli_int(o, "switches"), cli_int(o, "radix"), cli_int(o, "switch_ports"),
			 cli_num(o, "ports_per_wanted"), cli_num(o, "links_per_wanted"),
			 cli_int(o, "endpoint_diameter"), cli_num(o, "endpoint_distance"));
		put_share(b, o, "throughput_worst", 5, 100);
		put_share(b, o, "cable_m", 6, 1);
		json_array_foreach(json_object_get(o, "lids"), k, l)
			if (cli_yes(l, "suffice"))
				snprintf(lmc, sizeof(lmc), "%lld", cli_int(l, "lmc"));
		cli_putf(b, " %3s\n", lmc);
		measured = measured && json_is_number(json_object_get(o, "cable_m"));
		addressed = addressed && *lmc != '-';
	}
	put_found_notes(b, answer, measured, addressed);
}

/* Measures a row in full; *within is false if it turns out to exceed the diameter. */
static int
measure_row(const struct cli_call *c, const struct search *s, struct moore_topo_report *r, bool *within,
	    struct moore_err *err)
{
	int rc = 0;

	if (!cli_has(c, "quick") && (rc = cli_report_graph(r, r->t, err)) == 0 &&
	    (*within = is_within(s, r)))
		rc = cli_report_worth(r, err);
	return rc;
}

/* Keeps and measures the first rows, and frees the rest. */
static int
measure_rows(const struct cli_call *c, const struct search *s, struct moore_topo_report *r, size_t *n,
	     uint64_t rows, struct moore_err *err)
{
	size_t kept = 0;
	int rc = 0;

	qsort(r, *n, sizeof(*r), by_cost);
	cli_busy("routing and placing");
	for (size_t i = 0; i < *n; i++) {
		bool within = kept < rows && rc == 0;

		if (within)
			rc = measure_row(c, s, &r[i], &within, err);
		if (within)
			r[kept++] = r[i];
		else
			moore_topo_free((struct moore_topo *)r[i].t);
		cli_busy_share(NULL, (double)kept / (double)rows);
	}
	*n = kept;
	return rc;
}

static int
find(const struct cli_call *c, const struct search *s, uint64_t rows, struct moore_topo_report *r, size_t n_families,
     size_t *n)
{
	const struct moore_topo_family *f;
	struct moore_err err;
	int rc = 0;

	cli_busy("building and measuring");
	for (size_t i = 0; rc == 0 && (f = moore_topo_family_at(i)); i++) {
		r[*n].t = NULL;
		rc = is_left_out(f) ? 0 : find_in_family(s, f, &r[*n], &err);
		*n += r[*n].t != NULL;
		cli_busy_share(NULL, (double)(i + 1) / (double)n_families);
	}
	if (rc == 0)
		rc = measure_rows(c, s, r, n, rows, &err);
	return rc < 0 ? cli_error("%s", err.text) : CLI_OK;
}

/* ---- the verb ------------------------------------------------------------------------------------ */

static int
read_words(const struct cli_call *c, struct search *s)
{
	const struct { const char *key; uint64_t min, max, *to; } word[] = {
		{ "endpoints", 2, 10000000, &s->endpoints }, { "radix", 3, MOORE_PORT_MAX, &s->radix },
		{ "diameter", 1, 1000, &s->diameter },
	};

	for (size_t i = 0; i < c->n_args; i++) {
		const char *is = strchr(c->arg[i], '=');
		size_t k = 0;
		char *end;

		while (k < ARRAY_LEN(word) && (!is || strlen(word[k].key) != (size_t)(is - c->arg[i]) ||
					       strncmp(word[k].key, c->arg[i], strlen(word[k].key)) != 0))
			k++;
		if (k == ARRAY_LEN(word))
			return cli_misuse(c, "%s: give endpoints=N, and if you like radix=R and diameter=D",
					  c->arg[i]);
		*word[k].to = strtoull(is + 1, &end, 10);
		if (end == is + 1 || *end || strchr(is, '-') || *word[k].to < word[k].min ||
		    *word[k].to > word[k].max)
			return cli_misuse(c, "%s: give a number from %llu to %llu", c->arg[i],
					  (unsigned long long)word[k].min, (unsigned long long)word[k].max);
	}
	return s->endpoints ? CLI_OK : cli_misuse(c, "endpoints=N is missing: how many the fabric shall have");
}

int
cmd_topo_find(const struct cli_call *c)
{
	struct search s = { .radix = RADIX };
	struct moore_topo_report *r;
	uint64_t rows = 12;
	size_t n = 0, n_families = 0;
	int rc;

	if ((rc = read_words(c, &s)) != CLI_OK || (rc = cli_opt_u64(c, "rows", 1, ROWS_MAX, &rows)) != CLI_OK)
		return rc;
	while (moore_topo_family_at(n_families))
		n_families++;
	if (!(r = calloc(n_families + 1, sizeof(*r))))
		return cli_error("out of memory");
	if ((rc = find(c, &s, rows, r, n_families, &n)) == CLI_OK)
		rc = cli_show(c, moore_answer_topo_find(r, n, s.endpoints, (uint32_t)s.radix,
							(uint32_t)s.diameter), put_found, cli_not_ok);
	for (size_t i = 0; i < n; i++)
		moore_topo_free((struct moore_topo *)r[i].t);
	free(r);
	return rc;
}
