// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* shares.c - divides what each host of a job sends over the LID offsets, by the linear programme
 * of programme.c, in which a host is one flow to all its destinations.
 *
 * Amounts are scaled so that a host sends 1 on average, which the programme's steps suit. */
#include <stdlib.h>
#include <string.h>

#include "moore/shares.h"
#include "programme.h"

struct model {
	const struct moore_fabric *f;
	struct moore_shares *s;
	struct moore_programme p;
	struct moore_amount *a;	/* sorted by sender */
	struct moore_programme_pair *pair;
	uint32_t n;
	uint32_t *flow;		/* by host: its flow, or MOORE_NONE when it loads no link */
	double *share;		/* as p.share: scratch */
	double scale;		/* units of the programme over those of the matrix */
	struct moore_arena tmp;
};

static int
by_pair(const void *a, const void *b)
{
	const struct moore_amount *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static uint32_t
count_offsets(const struct moore_fabric *f, const struct moore_amount *a, uint32_t n)
{
	uint8_t lmc = 0;

	for (uint32_t i = 0; i < n; i++)
		lmc = f->ep[a[i].to].lmc > lmc ? f->ep[a[i].to].lmc : lmc;
	return 1u << lmc;
}

static int
start(struct model *m, const struct moore_lft *lft, const struct moore_amount *a, struct moore_err *err)
{
	struct moore_shares *s = m->s;
	double total = 0;

	m->a = moore_arena_alloc(&m->tmp, (size_t)m->n + 1, sizeof(*m->a));
	m->pair = moore_arena_alloc(&m->tmp, (size_t)m->n + 1, sizeof(*m->pair));
	if (!m->a || !m->pair)
		return moore_fail_nomem(err);
	if (m->n)
		memcpy(m->a, a, m->n * sizeof(*a));
	qsort(m->a, m->n, sizeof(*a), by_pair);
	for (uint32_t i = 0; i < m->n; i++) {
		total += m->a[i].amount;
		s->n_hosts += !i || m->a[i].from != m->a[i - 1].from;
		s->n_pairs += !i || by_pair(&m->a[i], &m->a[i - 1]);
	}
	m->scale = s->n_hosts ? s->n_hosts / total : 1;
	s->n_offsets = count_offsets(m->f, a, m->n);
	s->host = calloc((size_t)s->n_hosts + 1, sizeof(*s->host));
	s->share = calloc((size_t)s->n_hosts * s->n_offsets + 1, sizeof(*s->share));
	s->rank_offset = calloc((size_t)s->n_hosts * s->n_ranks + 1, sizeof(*s->rank_offset));
	m->flow = moore_arena_alloc(&m->tmp, (size_t)s->n_hosts + 1, sizeof(*m->flow));
	m->share = moore_arena_alloc(&m->tmp, (size_t)s->n_hosts * s->n_offsets + 1, sizeof(double));
	if (!s->host || !s->share || !s->rank_offset || !m->flow || !m->share)
		return moore_fail_nomem(err);
	return moore_programme_init(&m->p, m->f, lft, s->n_offsets, s->n_hosts, err);
}

/* Adds the host whose amounts are a[i] .. a[end - 1] as a flow to its destinations at other
 * switches. */
static int
add_host(struct model *m, uint32_t host, uint32_t i, uint32_t end, struct moore_err *err)
{
	const moore_epid from = m->a[i].from;
	const moore_swid sw = m->f->ep[from].sw;
	const uint32_t flow = m->p.n_flows;
	uint32_t n = 0;

	m->s->host[host] = from;
	m->flow[host] = MOORE_NONE;
	for (; i < end; i++)
		if (m->f->ep[m->a[i].to].sw != sw)
			m->pair[n++] = (struct moore_programme_pair){ sw, m->a[i].to,
				m->a[i].amount * m->scale };
	if (!n)
		return 0;
	if (!moore_programme_add(&m->p, m->pair, n))
		return moore_fail_nomem(err);
	if (m->p.n_flows == flow)
		return moore_fail(err, MOORE_EINVAL, 0, "%s: no offset leads to all its destinations: see "
				  "`moorectl verify`", m->f->ep[from].name);
	m->flow[host] = flow;
	return 0;
}

static int
add_hosts(struct model *m, struct moore_err *err)
{
	uint32_t host = 0;
	int rc = 0;

	for (uint32_t i = 0, end; i < m->n && rc == 0; i = end) {
		for (end = i + 1; end < m->n && m->a[end].from == m->a[i].from;)
			end++;
		rc = add_host(m, host++, i, end, err);
	}
	return rc;
}

/* ---- what is compared ------------------------------------------------------------------ */

/* Sets share[] to 1 over the number of the first `most` offsets that a flow can use; false if
 * some flow can use none of them. */
static bool
spread(struct model *m, unsigned most)
{
	const unsigned n = m->s->n_offsets;

	for (uint32_t i = 0; i < m->p.n_flows; i++) {
		const uint32_t *at = &m->p.start[(size_t)i * n];
		unsigned usable = 0;

		for (unsigned k = 0; k < most; k++)
			usable += at[k] != at[k + 1];
		for (unsigned k = 0; k < n; k++)
			m->share[(size_t)i * n + k] = k < most && at[k] != at[k + 1] ? 1.0 / usable : 0;
		if (!usable)
			return false;
	}
	return true;
}

/* Gives each process of a flow one offset: each offset as many as its share makes in whole
 * numbers, and the rest to the offsets that are the farthest below theirs. */
static void
round_host(struct model *m, uint32_t host, uint32_t flow)
{
	const unsigned n = m->s->n_offsets, n_ranks = m->s->n_ranks;
	const double *want = &m->p.share[(size_t)flow * n];
	double *got = &m->share[(size_t)flow * n];
	uint16_t *rank = &m->s->rank_offset[(size_t)host * n_ranks];

	memset(got, 0, n * sizeof(*got));
	for (unsigned r = 0; r < n_ranks; r++) {
		unsigned best = 0;

		for (unsigned k = 1; k < n; k++)
			if (want[k] * n_ranks - got[k] > want[best] * n_ranks - got[best])
				best = k;
		got[best]++;
		rank[r] = (uint16_t)best;
	}
	for (unsigned k = 0; k < n; k++)
		got[k] /= n_ranks;
}

static void
note_hottest(struct model *m)
{
	uint32_t slot = MOORE_NONE;

	for (uint32_t i = 0; i < m->p.n_links; i++)
		if (m->p.load[i] >= m->p.greatest && m->p.slot[i] < slot)
			slot = m->p.slot[i];
	m->s->sw = MOORE_NONE;
	for (moore_swid s = 0; s < m->f->n_switches && slot != MOORE_NONE; s++)
		if (slot >= m->f->sw[s].port0 && slot - m->f->sw[s].port0 <= m->f->sw[s].n_ports) {
			m->s->sw = s;
			m->s->port = (moore_portnum)(slot - m->f->sw[s].port0);
		}
}

static void
solve(struct model *m, double gap)
{
	struct moore_shares *s = m->s;
	const double back = 1 / m->scale;

	s->even = spread(m, s->n_offsets) ? back * moore_programme_greatest(&m->p, m->share) : 0;
	s->base = spread(m, 1) ? back * moore_programme_greatest(&m->p, m->share) : -1;
	moore_programme_solve(&m->p, gap, 0);
	s->greatest = back * m->p.greatest;
	s->bound = back * m->p.bound;
	note_hottest(m);
	for (uint32_t i = 0; i < s->n_hosts; i++) {
		double *share = &s->share[(size_t)i * s->n_offsets];

		if (m->flow[i] == MOORE_NONE) {
			share[0] = 1;
			continue;
		}
		memcpy(share, &m->p.share[(size_t)m->flow[i] * s->n_offsets],
		       s->n_offsets * sizeof(*share));
		if (s->n_ranks)
			round_host(m, i, m->flow[i]);
	}
	s->with_ranks = s->n_ranks ? back * moore_programme_greatest(&m->p, m->share) : 0;
}

int
moore_shares_find(struct moore_shares **out, const struct moore_fabric *f,
		  const struct moore_lft *lft, const struct moore_amount *a, uint32_t n,
		  unsigned n_ranks, double gap, struct moore_err *err)
{
	struct model m = { .f = f, .n = n, .s = calloc(1, sizeof(*m.s)) };
	int rc;

	*out = NULL;
	if (!m.s)
		return moore_fail_nomem(err);
	m.s->n_ranks = n_ranks;
	if ((rc = start(&m, lft, a, err)) == 0 && (rc = add_hosts(&m, err)) == 0)
		solve(&m, gap);
	moore_programme_fini(&m.p);
	moore_arena_free(&m.tmp);
	if (rc < 0)
		moore_shares_free(m.s);
	else
		*out = m.s;
	return rc;
}

void
moore_shares_free(struct moore_shares *s)
{
	if (!s)
		return;
	free(s->host);
	free(s->share);
	free(s->rank_offset);
	free(s);
}
