// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cause.c - explains why a link is loaded: which routes use it, and how much of the
 * estimated traffic between each pair of switches (demand.c) they carry.
 *
 * The in-tree of each LID is walked once: whether the route from a switch uses the link is
 * the same as for the next switch on it. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "demand_impl.h"

#define WORTH_IT 0.9		/* share of the present load: a change must bring the link below
				 * it */
#define ALONE 0.8		/* share of a receiver's traffic from one sender: above it there
				 * is nothing to spread */

static const char *const remedies[MOORE_N_REMEDIES] = {
	[MOORE_TRY_NOTHING] = "nothing", [MOORE_TRY_OFFSET] = "offset",
	[MOORE_TRY_SPLIT] = "split",
	[MOORE_TRY_WEIGHT] = "weight", [MOORE_TRY_LAYERS] = "layers",
	[MOORE_TRY_SPREAD] = "spread",
};

const char *
moore_remedy_name(enum moore_remedy r)
{
	return remedies[r];
}

/* ---- which switches' routes go over the link ------------------------------------- */

enum over { UNSEEN, NO, YES };

struct survey {
	const struct moore_demand *d;
	struct moore_cause *c;
	moore_swid at;		/* the switch whose port the link leaves by */
	uint8_t *over;		/* enum over for each switch, for the present LID */
	uint8_t *hosts;		/* the switch has endpoints */
	double *sum;		/* bytes per second over the link, by source, to the present
				 * destination switch */
	float *best;		/* the greatest part of that sum for one destination LID */
	uint32_t *best_dest;	/* and that destination */
};

/* Follows the tree until the answer is known, and stores it for all switches on the way. */
static enum over
follow(struct survey *v, const struct demand_dest *t, moore_swid s)
{
	const struct moore_fabric *f = v->d->f;
	moore_swid way[MOORE_HOPS_MAX];
	enum over seen, answer = NO;
	unsigned n = 0;

	while (n < MOORE_HOPS_MAX) {
		uint8_t out = moore_lft_row(v->d->lft, s)[t->lid];
		const struct moore_port *p;

		if ((seen = (enum over)v->over[s]) != UNSEEN) {
			answer = seen;
			break;
		}
		way[n++] = s;
		if (!out || out > f->sw[s].n_ports)
			break;
		if (f->sw[s].port0 + out == v->c->port) {
			answer = YES;
			break;
		}
		p = moore_fabric_port(f, s, out);
		if (p->role != MOORE_ROLE_SWITCH)
			break;
		s = p->peer;
	}
	while (n)
		v->over[way[--n]] = (uint8_t)answer;
	return answer;
}

/* True if any route to this LID uses the link. */
static bool
used_by(const struct survey *v, moore_lid lid)
{
	return lid < v->d->lft->stride &&
	       v->d->f->sw[v->at].port0 + moore_lft_row(v->d->lft, v->at)[lid] == v->c->port;
}

static void
count_routes(struct survey *v)
{
	const struct moore_fabric *f = v->d->f;

	for (uint32_t e = 0; e < f->n_endpoints; e++)
		for (unsigned k = 0; f->ep[e].sw != MOORE_NONE && f->ep[e].lid &&
				     k < 1u << f->ep[e].lmc; k++) {
			struct demand_dest t = { (moore_lid)(f->ep[e].lid + k), (uint16_t)k, e };

			if (k >= v->c->n_offsets)
				v->c->n_offsets = k + 1;
			if (!used_by(v, t.lid))
				continue;
			memset(v->over, UNSEEN, f->n_switches);
			for (uint32_t s = 0; s < f->n_switches; s++)
				if (v->hosts[s] && follow(v, &t, s) == YES)
					v->c->routes[k]++;
		}
}

/* ---- suspects -------------------------------------------------------------------- */

static moore_epid
busiest_endpoint(const struct moore_demand *d, moore_swid s)
{
	moore_epid best = MOORE_NONE;
	double most = 0;

	for (unsigned n = 1; n <= d->f->sw[s].n_ports; n++) {
		uint32_t i = d->f->sw[s].port0 + n;

		if (d->f->port[i].role == MOORE_ROLE_ENDPOINT && d->rx[i] > most) {
			most = d->rx[i];
			best = d->f->port[i].peer;
		}
	}
	return best;
}

/* Inserts s if it is among the greatest suspects. */
static void
keep(struct moore_cause *c, const struct moore_suspect *s)
{
	unsigned i = c->n_suspects;

	if (i == MOORE_CAUSE_FLOWS && s->bytes <= c->suspect[i - 1].bytes)
		return;
	if (i < MOORE_CAUSE_FLOWS)
		c->n_suspects++;
	else
		i--;
	for (; i > 0 && c->suspect[i - 1].bytes < s->bytes; i--)
		c->suspect[i] = c->suspect[i - 1];
	c->suspect[i] = *s;
}

static void
end_of_switch(struct survey *v, moore_swid to)
{
	const struct moore_demand *d = v->d;

	for (uint32_t i = 0; i < d->n_sources; i++) {
		const struct demand_dest *t = &d->dest[v->best_dest[i]];

		v->c->explained += v->sum[i];
		if (v->sum[i] > 0)
			keep(v->c, &(struct moore_suspect){ .from = d->source[i], .to = to,
				.dest = t->ep, .offset = t->offset, .bytes = v->sum[i],
				.other = MOORE_N_OFFSETS });
		v->sum[i] = v->best[i] = 0;
	}
}

static void
find_suspects(struct survey *v)
{
	const struct moore_demand *d = v->d;

	for (uint32_t j = 0; j < d->n_dests; j++) {
		const struct demand_dest *t = &d->dest[j];
		moore_swid to = d->f->ep[t->ep].sw;

		if (used_by(v, t->lid)) {
			memset(v->over, UNSEEN, d->f->n_switches);
			for (uint32_t i = 0; i < d->n_sources; i++) {
				float x = d->x[(size_t)j * d->n_sources + i];

				if (x <= 0 || follow(v, t, d->source[i]) != YES)
					continue;
				v->sum[i] += x;
				if (x > v->best[i]) {
					v->best[i] = x;
					v->best_dest[i] = j;
				}
			}
		}
		if (j + 1 == d->n_dests || d->f->ep[d->dest[j + 1].ep].sw != to)
			end_of_switch(v, to);
	}
}

/* ---- what is known of a suspect, and what else it could do ----------------------- */

static void
judge(const struct moore_demand *d, const struct moore_cause *c, struct moore_suspect *s)
{
	uint32_t port[MOORE_HOPS_MAX];
	unsigned n = load_route(d->f, d->lft, s->from, s->dest,
				(moore_lid)(d->f->ep[s->dest].lid + s->offset), port);

	s->source = busiest_endpoint(d, s->from);
	s->share = c->load > 0 ? s->bytes / c->load : 0;
	s->most = -1;
	for (unsigned i = 0; i < n; i++)
		if (d->row[port[i]] >= 0 && (s->most < 0 || d->row[port[i]] < s->most))
			s->most = d->row[port[i]];
	for (uint32_t i = 0; i < d->n_sources; i++)
		if (d->source[i] == s->from && d->row[d->f->n_ports + i] >= 0 &&
		    (s->most < 0 || d->row[d->f->n_ports + i] < s->most))
			s->most = d->row[d->f->n_ports + i];
	s->certainty = s->most <= 0 ? 0 : s->bytes < s->most ? s->bytes / s->most : 1;
	s->share = s->share < 1 ? s->share : 1;
}

/* Finds the offset whose most loaded link has the least load, among the offsets that avoid
 * the hot link. */
static void
alternative(const struct moore_demand *d, const struct moore_cause *c,
	    const struct moore_line *line, struct moore_suspect *s)
{
	const struct moore_endpoint *ep = &d->f->ep[s->dest];
	uint32_t port[MOORE_HOPS_MAX];

	for (unsigned k = 0; k < 1u << ep->lmc && k < MOORE_N_OFFSETS; k++) {
		unsigned n = k == s->offset ? 0 :
			     load_route(d->f, d->lft, s->from, s->dest, (moore_lid)(ep->lid + k), port);
		double idle = 1;

		for (unsigned i = 0; i < n && idle >= 0; i++) {
			double full = line[port[i]].bytes_per_s, y = d->row[port[i]];

			if (port[i] == c->port)
				idle = -1;
			else if (i + 1 < n && full > 0 && y >= 0 && 1 - y / full < idle)
				idle = y < full ? 1 - y / full : 0;
		}
		if (n && idle >= 0 && (s->other == MOORE_N_OFFSETS || idle > s->idle)) {
			s->idle = idle;
			s->other = (uint16_t)k;
		}
	}
}

static enum moore_remedy
remedy_of(const struct moore_demand *d, const struct moore_cause *c, const struct moore_line *line)
{
	const struct moore_suspect *s = &c->suspect[0];
	double full = line[c->port].bytes_per_s;

	if (!c->n_suspects)
		return MOORE_TRY_NOTHING;
	if (d->f->port[c->port].role == MOORE_ROLE_ENDPOINT)
		return s->share < ALONE ? MOORE_TRY_SPREAD : MOORE_TRY_NOTHING;
	if (s->share < MOORE_CAUSE_MAIN || full <= 0)
		return MOORE_TRY_WEIGHT;
	if (d->f->ep[s->dest].lmc == 0)
		return MOORE_TRY_LAYERS;
	if (s->other == MOORE_N_OFFSETS)
		return MOORE_TRY_WEIGHT;
	/* The other offset helps if its links, with this traffic added, are clearly less
	 * loaded than the hot link is now. */
	if ((1 - s->idle) * full + s->bytes < WORTH_IT * c->load)
		return MOORE_TRY_OFFSET;
	if ((1 - s->idle) * full + s->bytes / 2 < WORTH_IT * c->load)
		return MOORE_TRY_SPLIT;
	return MOORE_TRY_WEIGHT;
}

/* ---- the whole ------------------------------------------------------------------- */

static int
survey_new(struct survey *v, struct moore_arena *tmp)
{
	const struct moore_fabric *f = v->d->f;
	uint32_t n = f->n_switches;

	v->over = moore_arena_alloc(tmp, n + 1u, 1);
	v->hosts = moore_arena_alloc(tmp, n + 1u, 1);
	v->sum = moore_arena_alloc(tmp, v->d->n_sources + 1u, sizeof(*v->sum));
	v->best = moore_arena_alloc(tmp, v->d->n_sources + 1u, sizeof(*v->best));
	v->best_dest = moore_arena_alloc(tmp, v->d->n_sources + 1u, sizeof(*v->best_dest));
	if (!v->over || !v->hosts || !v->sum || !v->best || !v->best_dest)
		return -MOORE_ENOMEM;
	for (uint32_t s = 0; s < n; s++)
		if (v->c->port > f->sw[s].port0 && v->c->port <= f->sw[s].port0 + f->sw[s].n_ports)
			v->at = s;
	for (uint32_t e = 0; e < f->n_endpoints; e++)
		if (f->ep[e].sw != MOORE_NONE)
			v->hosts[f->ep[e].sw] = 1;
	return 0;
}

int
moore_cause_of(struct moore_cause *out, const struct moore_demand *d, uint32_t port,
	       const struct moore_line *line, struct moore_err *err)
{
	struct moore_arena tmp = MOORE_ARENA_INIT;
	struct survey v = { .d = d, .c = out, .at = MOORE_NONE };
	int rc;

	*out = (struct moore_cause){ .port = port, .load = -1 };
	rc = survey_new(&v, &tmp);
	if (rc == 0 && v.at == MOORE_NONE)
		rc = moore_fail(err, MOORE_EINVAL, 0, "%u is no external port of a switch", port);
	else if (rc < 0)
		moore_fail_nomem(err);
	if (rc == 0) {
		out->load = d->row[port];
		count_routes(&v);
		find_suspects(&v);
		for (unsigned i = 0; i < out->n_suspects; i++) {
			judge(d, out, &out->suspect[i]);
			alternative(d, out, line, &out->suspect[i]);
		}
		out->remedy = remedy_of(d, out, line);
	}
	moore_arena_free(&tmp);
	return rc;
}
