// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* hot.c - turns rates into findings: which link stands out, since when, and until when.
 *
 * Each (port, kind of finding) is a small state machine.  It is raised when its level has
 * been at or above `enter` for raise_s without a break, and cleared when its level has been
 * below `leave` for clear_s.  A level between the two, or an unknown one, changes no state
 * and does not restart a wait.  A rate is the mean since the reading before, so its level
 * counts from that reading on.  The level is computed by one of three methods:
 *
 *  score	(value - median) / spread over the present values of all links of the same kind.
 * 	The spread is the median distance from the median times 1.4826 (one standard
 * 	deviation of a normal distribution: Hampel 1974), but at least `grain`, so that
 * 	tiny differences in an even fabric raise nothing.  Below `floor` no link is hot,
 * 	whatever its score; at or above `full` every link is.
 *  count	events of the last minutes: a leaky bucket with time constant LEAK_S.
 *  state	1 while the condition holds, 0 otherwise.
 *
 * Elsewhere: rates (counters.c), causes (cause.c). */
#include <stdlib.h>
#include <string.h>

#include "moore/hot.h"

#define LEAK_S 600.0

enum level { BELOW, BETWEEN, ABOVE, UNKNOWN, GONE };

static const struct rule {
	const char *name, *help;
	double enter, leave;
	double raise_s, clear_s;
	double floor, full, grain;	/* for method score */
	uint32_t counters;		/* for method count: one bit for each counter that is
					 * added up */
} rules[MOORE_N_FINDINGS] = {
	[MOORE_FIND_LOAD] = { "load", "the link carries much more than the others", 6, 4, 5, 15, 0.2,
			      0.95, 0.02, 0 },
	[MOORE_FIND_WAIT] = { "wait", "packets wait for the link much longer than for the others", 6,
			      4, 5, 15, 0.05, 0.5, 0.01, 0 },
	[MOORE_FIND_ERRORS] = { "errors", "the link errs: over 20 errors in ten minutes", 20, 5, 0, 0,
				0, 0, 0, 1u << MOORE_SYMBOL_ERROR | 1u << MOORE_RCV_ERROR |
				1u << MOORE_LOCAL_INTEGRITY | 1u << MOORE_BUFFER_OVERRUN |
				1u << MOORE_RCV_REMOTE_PHYSICAL },
	[MOORE_FIND_FLAPS] = { "flaps", "the link went down or recovered over twice in ten minutes", 2.5,
			       0.5, 0, 0, 0, 0, 0,
			       1u << MOORE_LINK_DOWNED | 1u << MOORE_LINK_RECOVERED },
	[MOORE_FIND_DISCARDS] = { "discards",
		"packets for the link are thrown away: over 100 in ten minutes",
				  100, 10, 0, 0, 0, 0, 0, 1u << MOORE_XMIT_DISCARD },
	[MOORE_FIND_SLOW] = { "slow", "the link runs below the speed it should have", 1, 1, 0, 0, 0, 0, 0,
			      0 },
	[MOORE_FIND_NARROW] = { "narrow", "the link runs on fewer lanes than it should", 1, 1, 0, 0, 0, 0,
				0, 0 },
	[MOORE_FIND_SILENT] = { "silent", "the port's counters cannot be read", 1, 1, 10, 2, 0, 0, 0, 0 },
};

struct state {
	bool raised;
	uint64_t since_us;	/* when the present wait to raise or to clear began; 0: none */
	uint64_t began_us, raised_us;
	double bucket;
	double value, peak, score;
	uint32_t rank;
};

struct port_state {
	struct state kind[MOORE_N_FINDINGS];
};

struct moore_hot {
	uint32_t n_ports;
	struct port_state *port;
	struct moore_summary load, wait[MOORE_N_LINK_KINDS];
};

const char *
moore_finding_name(enum moore_finding k)
{
	return rules[k].name;
}

const char *
moore_finding_help(enum moore_finding k)
{
	return rules[k].help;
}

/* ---- statistics ------------------------------------------------------------------------ */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value at position `part` (0..1) of a sorted array, interpolated. */
static double
at_part(const double *v, uint32_t n, double part)
{
	double at = part * (n - 1);
	uint32_t i = (uint32_t)at;

	return i + 1 < n ? v[i] + (at - i) * (v[i + 1] - v[i]) : v[i];
}

/* The median distance from m in a sorted array: both sides are merged as far as needed. */
static double
median_distance(const double *v, uint32_t n, double m)
{
	uint32_t up = 0, down, seen = 0;
	double last = 0, one;

	while (up < n && v[up] < m)
		up++;
	down = up;
	while (seen <= n / 2) {
		bool lower = down > 0 && (up == n || m - v[down - 1] <= v[up] - m);

		one = lower ? m - v[--down] : v[up++] - m;
		if (seen++ == n / 2)
			return n % 2 ? one : (last + one) / 2;
		last = one;
	}
	return last;
}

void
moore_summarize(struct moore_summary *out, double *v, uint32_t n)
{
	*out = (struct moore_summary){ .n = n };
	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_value);
	for (uint32_t i = 0; i < n; i++)
		out->mean += v[i] / n;
	out->min = v[0];
	out->q1 = at_part(v, n, 0.25);
	out->median = at_part(v, n, 0.5);
	out->q3 = at_part(v, n, 0.75);
	out->max = v[n - 1];
	out->mad = median_distance(v, n, out->median);
}

static double
score_of(const struct rule *r, const struct moore_summary *s, double value)
{
	double spread = 1.4826 * s->mad;

	return (value - s->median) / (spread > r->grain ? spread : r->grain);
}

/* The rank of a value: 1 plus the number of greater values in the sorted array. */
static uint32_t
rank_of(const double *v, uint32_t n, double value)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid] > value)
			hi = mid;
		else
			lo = mid + 1;
	}
	return n - lo + 1;
}

/* ---- one machine ----------------------------------------------------------------- */

struct step {
	struct moore_hot *h;
	const struct moore_fabric *f;
	const struct moore_hot_port *port;
	uint64_t at_us;
	double *load, *wait[MOORE_N_LINK_KINDS];	/* the sorted values of this poll */
	moore_alarm_event *event;
	void *arg;
};

static void
alarm_of(struct moore_alarm *a, uint32_t port, enum moore_finding k, const struct state *s,
	 uint64_t at_us)
{
	*a = (struct moore_alarm){ port, k, s->raised, s->began_us, at_us, s->value, s->peak,
				   s->score, s->rank };
}

static void
turn(const struct step *t, uint32_t port, enum moore_finding k, struct state *s, bool raised)
{
	struct moore_alarm a;

	s->raised = raised;
	if (raised) {
		s->began_us = s->since_us;
		s->raised_us = t->at_us;
		s->peak = s->value;
	}
	s->since_us = 0;
	alarm_of(&a, port, k, s, t->at_us);
	t->event(t->arg, &a);
}

static uint64_t
began(const struct step *t, uint32_t port, const struct rule *r)
{
	uint64_t span = r->grain > 0 ? (uint64_t)(t->port[port].traffic.seconds * 1e6) : 0;

	return span < t->at_us ? t->at_us - span : 1;
}

static void
machine(const struct step *t, uint32_t port, enum moore_finding k, struct state *s,
	enum level level)
{
	const struct rule *r = &rules[k];
	enum level away = s->raised ? BELOW : ABOVE;
	double wait_s = s->raised ? r->clear_s : r->raise_s;

	if (level == UNKNOWN)
		return;
	if (level == GONE) {
		s->since_us = 0;
		if (s->raised)
			turn(t, port, k, s, false);
		return;
	}
	if (s->raised && s->value > s->peak)
		s->peak = s->value;
	if (level != away) {
		s->since_us = 0;
		return;
	}
	if (!s->since_us)
		s->since_us = began(t, port, r);
	if ((double)(t->at_us - s->since_us) >= wait_s * 1e6)
		turn(t, port, k, s, !s->raised);
}

static enum level
level_of(const struct rule *r, double x)
{
	return x >= r->enter ? ABOVE : x < r->leave ? BELOW : BETWEEN;
}

/* ---- how levels are made --------------------------------------------------------- */

static enum level
level_score(enum moore_finding k, struct state *s, double value, const struct moore_summary *of,
	    const double *sorted)
{
	const struct rule *r = &rules[k];
	double floor = s->raised ? 0.8 * r->floor : r->floor;

	if (value < 0 || !of->n)
		return UNKNOWN;
	s->value = value;
	s->score = score_of(r, of, value);
	s->rank = rank_of(sorted, of->n, value);
	if (value >= r->full)
		return ABOVE;
	return value < floor ? BELOW : level_of(r, s->score);
}

static enum level
level_count(enum moore_finding k, struct state *s, const struct moore_port_traffic *p)
{
	const struct rule *r = &rules[k];

	if (p->seconds <= 0)
		return UNKNOWN;
	s->bucket *= LEAK_S / (LEAK_S + p->seconds);
	for (unsigned c = 0; c < MOORE_N_COUNTERS; c++)
		if (r->counters & p->has & 1u << c)
			s->bucket += (double)p->delta[c];
	s->value = s->bucket;
	return level_of(r, s->bucket);
}

static enum level
level_state(struct state *s, bool known, bool is)
{
	s->value = is;
	return !known ? UNKNOWN : is ? ABOVE : BELOW;
}

static enum moore_link_kind
kind_of(const struct moore_port *p)
{
	return p->role == MOORE_ROLE_SWITCH ? MOORE_LINK_FABRIC : MOORE_LINK_EDGE;
}

static enum level
level(const struct step *t, uint32_t i, enum moore_finding k, struct state *s)
{
	const struct moore_port *p = &t->f->port[i];
	const struct moore_hot_port *x = &t->port[i];
	bool linked = p->role == MOORE_ROLE_SWITCH || p->role == MOORE_ROLE_ENDPOINT;

	if (rules[k].counters)
		return level_count(k, s, &x->traffic);
	if (!linked || (k == MOORE_FIND_LOAD && p->role != MOORE_ROLE_SWITCH))
		return GONE;
	switch (k) {
	case MOORE_FIND_LOAD:
		return level_score(k, s, x->traffic.tx, &t->h->load, t->load);
	case MOORE_FIND_WAIT:
		return level_score(k, s, x->traffic.wait, &t->h->wait[kind_of(p)], t->wait[kind_of(p)]);
	case MOORE_FIND_SLOW:
		return level_state(s, x->is.width && x->should.width, x->is.speed < x->should.speed);
	case MOORE_FIND_NARROW:
		return level_state(s, x->is.width && x->should.width, x->is.width < x->should.width);
	default:
		return level_state(s, true, !x->answered);
	}
}

/* ---- one poll -------------------------------------------------------------------- */

static void
gather(struct step *t)
{
	uint32_t n_load = 0, n_wait[MOORE_N_LINK_KINDS] = { 0 };

	for (uint32_t i = 0; i < t->f->n_ports; i++) {
		const struct moore_port *p = &t->f->port[i];
		enum moore_link_kind k = kind_of(p);

		if (p->role != MOORE_ROLE_SWITCH && p->role != MOORE_ROLE_ENDPOINT)
			continue;
		if (k == MOORE_LINK_FABRIC && t->port[i].traffic.tx >= 0)
			t->load[n_load++] = t->port[i].traffic.tx;
		if (t->port[i].traffic.wait >= 0)
			t->wait[k][n_wait[k]++] = t->port[i].traffic.wait;
	}
	moore_summarize(&t->h->load, t->load, n_load);
	for (unsigned k = 0; k < MOORE_N_LINK_KINDS; k++)
		moore_summarize(&t->h->wait[k], t->wait[k], n_wait[k]);
}

int
moore_hot_step(struct moore_hot *h, const struct moore_fabric *f, const struct moore_hot_port *port,
	       uint64_t at_us, moore_alarm_event *event, void *arg, struct moore_err *err)
{
	struct step t = { h, f, port, at_us, NULL, { NULL }, event, arg };
	double *room;

	if (h->n_ports != f->n_ports)
		return moore_fail(err, MOORE_EINVAL, 0, "%u ports are followed, not %u: move first",
				  h->n_ports, f->n_ports);
	room = malloc(((size_t)f->n_ports + 1) * 3 * sizeof(*room));
	if (!room)
		return moore_fail_nomem(err);
	t.load = room;
	t.wait[MOORE_LINK_FABRIC] = room + f->n_ports;
	t.wait[MOORE_LINK_EDGE] = room + 2 * (size_t)f->n_ports;
	gather(&t);
	for (uint32_t i = 0; i < f->n_ports; i++)
		for (unsigned k = 0; k < MOORE_N_FINDINGS; k++) {
			struct state *s = &h->port[i].kind[k];

			machine(&t, i, (enum moore_finding)k, s, level(&t, i, (enum moore_finding)k, s));
		}
	free(room);
	return 0;
}

uint32_t
moore_hot_alarms(const struct moore_hot *h, struct moore_alarm *out, uint32_t cap)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->n_ports; i++)
		for (unsigned k = 0; k < MOORE_N_FINDINGS; k++) {
			const struct state *s = &h->port[i].kind[k];

			if (s->raised && n++ < cap)
				alarm_of(&out[n - 1], i, (enum moore_finding)k, s, s->raised_us);
		}
	return n;
}

const struct moore_summary *
moore_hot_load(const struct moore_hot *h)
{
	return &h->load;
}

const struct moore_summary *
moore_hot_wait(const struct moore_hot *h, enum moore_link_kind k)
{
	return &h->wait[k];
}

/* ---- new, and over to another fabric --------------------------------------------- */

int
moore_hot_new(struct moore_hot **out, const struct moore_fabric *f, struct moore_err *err)
{
	struct moore_hot *h = calloc(1, sizeof(*h));

	*out = NULL;
	if (h)
		h->port = calloc((size_t)f->n_ports + 1, sizeof(*h->port));
	if (!h || !h->port) {
		free(h);
		return moore_fail_nomem(err);
	}
	h->n_ports = f->n_ports;
	*out = h;
	return 0;
}

void
moore_hot_free(struct moore_hot *h)
{
	if (h)
		free(h->port);
	free(h);
}

struct place {
	uint64_t guid;
	const struct moore_switch *sw;
};

static int
by_guid(const void *a, const void *b)
{
	uint64_t x = ((const struct place *)a)->guid, y = ((const struct place *)b)->guid;

	return (x > y) - (x < y);
}

int
moore_port_map(uint32_t **out, const struct moore_fabric *from, const struct moore_fabric *to,
	       struct moore_err *err)
{
	struct place *at = malloc(((size_t)to->n_switches + 1) * sizeof(*at));
	uint32_t *map = malloc(((size_t)from->n_ports + 1) * sizeof(*map));

	*out = NULL;
	if (!at || !map) {
		free(at);
		free(map);
		return moore_fail_nomem(err);
	}
	for (uint32_t s = 0; s < to->n_switches; s++)
		at[s] = (struct place){ to->sw[s].guid, &to->sw[s] };
	qsort(at, to->n_switches, sizeof(*at), by_guid);
	memset(map, 0xff, from->n_ports * sizeof(*map));
	for (uint32_t s = 0; s < from->n_switches; s++) {
		const struct moore_switch *a = &from->sw[s];
		struct place key = { a->guid, NULL };
		const struct place *b = bsearch(&key, at, to->n_switches, sizeof(*at), by_guid);

		for (unsigned n = 0; b && n <= a->n_ports && n <= b->sw->n_ports; n++)
			map[a->port0 + n] = b->sw->port0 + n;
	}
	free(at);
	*out = map;
	return 0;
}

int
moore_hot_move(struct moore_hot *h, const struct moore_fabric *from, const struct moore_fabric *to,
	       uint64_t at_us, moore_alarm_event *event, void *arg, struct moore_err *err)
{
	struct step t = { .h = h, .f = from, .at_us = at_us, .event = event, .arg = arg };
	struct port_state *port = calloc((size_t)to->n_ports + 1, sizeof(*port));
	uint32_t *map = NULL;

	if (!port || moore_port_map(&map, from, to, NULL) < 0) {
		free(port);
		return moore_fail_nomem(err);
	}
	for (uint32_t i = 0; i < from->n_ports; i++)
		if (map[i] != MOORE_NONE)
			port[map[i]] = h->port[i];
		else
			for (unsigned k = 0; k < MOORE_N_FINDINGS; k++)
				machine(&t, i, (enum moore_finding)k, &h->port[i].kind[k], GONE);
	free(map);
	free(h->port);
	h->port = port;
	h->n_ports = to->n_ports;
	return 0;
}
