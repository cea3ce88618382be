/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* least_steps.h - how many steps every safe sequence between two tables needs at least, if rows
 * take old and new values alone and no packets are dropped that the old rows deliver, those from
 * port 0 of a switch included (docs/theory.md, section 9).
 *
 * For a number of steps k, each row that changes has an interval: its new value is written in
 * step lo at the earliest, and it has changed for good in step hi at the latest.  In step i a row
 * with lo >= i certainly has its old value, and one with hi <= i its new one.  If a row changed in
 * step lo and the dependencies of what is certain then had a cycle, or live packets were dropped,
 * lo is greater; the same is done for hi.  When an interval is empty, k steps are not enough.
 *
 * Shares nothing with lib/motion: dependencies are followed packet by packet, for SL 0 alone, and
 * cycles are found by depth-first search.  Both leave something out at most, so the number is
 * never too great. */
#ifndef MOORE_TEST_LEAST_STEPS_H
#define MOORE_TEST_LEAST_STEPS_H

#include <stdlib.h>
#include <string.h>

#include "moore/fabric.h"
#include "moore/tables.h"

#define LEAST_MAX 12		/* more steps than this are reported as LEAST_NONE */
#define LEAST_NONE (LEAST_MAX + 1)
#define LEAST_OLD 1
#define LEAST_NEW 2

struct least_row {		/* a row that changes */
	moore_swid sw;
	moore_lid lid;
	unsigned lo, hi;
};

struct least_turn {		/* packets on a channel leave its switch by a port */
	uint32_t channel;
	uint8_t port;
};

struct least {
	const struct moore_fabric *f;
	const struct moore_sl2vl *lanes;
	const struct moore_lft *lft[2];		/* old, new */
	struct moore_lid_owner *own;
	uint32_t n_sw, n_channels;		/* channel: slot * n_vl + VL */
	unsigned n_vl;
	uint32_t *from;				/* of each slot: its switch */
	struct least_row *row;			/* by LID */
	uint32_t n_rows, *row0;			/* of each LID: its first row */
	uint8_t *live;				/* [lid * n_sw + switch]: its old route arrives */
	uint8_t *hold;				/* of each switch: values that its row certainly has */
	uint64_t (*base)[4], (*after)[4];	/* of each channel: ports by which packets leave */
	struct least_turn *turn;		/* those that walk() found */
	uint32_t n_turns, cap_turns;
	uint32_t *queue, *mark, stamp, *place;
};

/* ---- dependencies of one LID ------------------------------------------------------------- */

static inline const struct moore_port *
least_link(const struct least *l, moore_swid s, uint8_t port)
{
	const struct moore_port *p = port > l->f->sw[s].n_ports ? NULL :
		moore_fabric_port(l->f, s, port);

	return p && p->role == MOORE_ROLE_SWITCH ? p : NULL;
}

/* The channel that packets take which enter s by port in and leave by out; MOORE_NONE: dropped. */
static inline uint32_t
least_channel(const struct least *l, moore_swid s, moore_portnum in, uint8_t out)
{
	unsigned vl = moore_sl2vl_get(l->lanes, s, in, out)->vl[0];

	return vl < l->n_vl ? (l->f->sw[s].port0 + out) * l->n_vl + vl : MOORE_NONE;
}

/* Returns the port by which packets of s itself enter it: that of its first endpoint, or port 0. */
static inline moore_portnum
least_source(const struct least *l, moore_swid s)
{
	for (unsigned p = 1; p <= l->f->sw[s].n_ports; p++)
		if (moore_fabric_port(l->f, s, (moore_portnum)p)->role == MOORE_ROLE_ENDPOINT)
			return (moore_portnum)p;
	return 0;
}

static inline void
least_turn(struct least *l, uint32_t channel, uint8_t port)
{
	if (l->n_turns == l->cap_turns) {
		l->cap_turns = 2 * l->cap_turns + 256;
		l->turn = realloc(l->turn, l->cap_turns * sizeof(*l->turn));
	}
	l->turn[l->n_turns++] = (struct least_turn){ channel, port };
}

/* Packets for lid enter s by port in (on a channel, if it is not MOORE_NONE) and meet a value of
 * the row.  Returns false if that drops them. */
static inline bool
least_forward(struct least *l, moore_lid lid, moore_swid s, moore_portnum in, uint32_t channel,
	      uint8_t port, uint32_t *tail)
{
	uint32_t next;

	if (!least_link(l, s, port))
		return l->own[lid].sw == s && l->own[lid].port == port;
	if ((next = least_channel(l, s, in, port)) == MOORE_NONE)
		return true;
	if (channel != MOORE_NONE)
		least_turn(l, channel, port);
	if (l->mark[next] != l->stamp) {
		l->mark[next] = l->stamp;
		l->queue[(*tail)++] = next;
	}
	return true;
}

static inline bool
least_meet(struct least *l, moore_lid lid, moore_swid s, moore_portnum in, uint32_t channel,
	   unsigned values, uint32_t *tail)
{
	bool fits = true;

	for (unsigned i = 0; i < 2; i++)
		if (l->hold[s] & values & (LEAST_OLD << i))
			fits &= least_forward(l, lid, s, in, channel, moore_lft_row(l->lft[i], s)[lid], tail);
	return fits;
}

/* Follows packets by the certain values among `values`, from live sources alone or from all.
 * Returns false if one is dropped. */
static inline bool
least_walk(struct least *l, moore_lid lid, unsigned values, bool live)
{
	uint32_t tail = 0;
	bool fits = true;

	l->stamp++;
	for (moore_swid s = 0; s < l->n_sw; s++) {
		moore_portnum in = least_source(l, s);

		if (s != l->own[lid].sw && (!live || l->live[(size_t)lid * l->n_sw + s]))
			fits &= least_meet(l, lid, s, in, MOORE_NONE, values, &tail);
	}
	for (uint32_t i = 0; i < tail; i++) {
		uint32_t slot = l->queue[i] / l->n_vl;
		const struct moore_port *p = &l->f->port[slot];

		fits &= least_meet(l, lid, p->peer, p->peer_port, l->queue[i], values, &tail);
	}
	return fits;
}

/* Finds the turns of a LID in step i.  Live packets are never dropped, so where they come, a row that
 * is not new yet is old.  Other rows may be empty, but in the first step, all old values are there. */
static inline bool
least_turns(struct least *l, moore_lid lid, unsigned i)
{
	bool fits = least_walk(l, lid, LEAST_OLD | LEAST_NEW, true);

	least_walk(l, lid, i == 1 ? LEAST_OLD | LEAST_NEW : LEAST_NEW, false);
	return fits;
}

/* ---- cycles ------------------------------------------------------------------------------- */

/* Returns the channel that follows c by a port, or MOORE_NONE. */
static inline uint32_t
least_next(const struct least *l, uint32_t c, unsigned port)
{
	const struct moore_port *p = &l->f->port[c / l->n_vl];

	return least_channel(l, p->peer, p->peer_port, (uint8_t)port);
}

/* Lists the channels in an order of the dependencies.  Returns false if they have a cycle. */
static inline bool
least_sort(struct least *l)
{
	uint32_t *n_in = calloc(l->n_channels, sizeof(*n_in)), tail = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t c = 0; pass && c < l->n_channels; c++)
			if (!n_in[c])
				l->queue[tail++] = c;
		for (uint32_t i = 0; i < (pass ? tail : l->n_channels); i++) {
			uint32_t c = pass ? l->queue[i] : i;

			l->place[c] = i;
			for (unsigned w = 0; w < 4; w++)
				for (uint64_t b = l->after[c][w]; b; b &= b - 1) {
					uint32_t to = least_next(l, c, 64 * w + (unsigned)__builtin_ctzll(b));

					if (!pass)
						n_in[to]++;
					else if (!--n_in[to])
						l->queue[tail++] = to;
				}
		}
	}
	free(n_in);
	return tail == l->n_channels;
}

/* True if dependencies lead from one channel to another. */
static inline bool
least_reaches(struct least *l, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	l->mark[from] = ++l->stamp;
	l->queue[n++] = from;
	while (n) {
		uint32_t c = l->queue[--n];

		if (c == to)
			return true;
		for (unsigned w = 0; w < 4; w++)
			for (uint64_t b = l->after[c][w]; b; b &= b - 1) {
				uint32_t next = least_next(l, c, 64 * w + (unsigned)__builtin_ctzll(b));

				if (l->mark[next] == l->stamp)
					continue;
				l->mark[next] = l->stamp;
				l->queue[n++] = next;
			}
	}
	return false;
}

/* Adds the turns that were found to after[]; keeps those that are new in turn[]. */
static inline void
least_add(struct least *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n_turns; i++) {
		const struct least_turn t = l->turn[i];
		uint64_t *w = &l->after[t.channel][t.port / 64], bit = UINT64_C(1) << t.port % 64;

		if (!(*w & bit))
			l->turn[n++] = t;
		*w |= bit;
	}
	l->n_turns = n;
}

/* ---- intervals ---------------------------------------------------------------------------- */

static inline void
least_hold(struct least *l, moore_lid lid, unsigned i)
{
	memset(l->hold, LEAST_OLD | LEAST_NEW, l->n_sw);
	for (uint32_t k = l->row0[lid]; k < l->row0[lid + 1]; k++)
		l->hold[l->row[k].sw] = (uint8_t)((l->row[k].lo >= i ? LEAST_OLD : 0) |
						  (l->row[k].hi <= i ? LEAST_NEW : 0));
}

/* Sets after[] to what is certain in step i.  Returns false if it has a cycle or drops what is live. */
static inline bool
least_step(struct least *l, unsigned i)
{
	memcpy(l->after, l->base, l->n_channels * sizeof(*l->after));
	for (unsigned lid = 1; lid <= l->f->lid_top; lid++) {
		if (l->row0[lid] == l->row0[lid + 1])
			continue;
		least_hold(l, (moore_lid)lid, i);
		l->n_turns = 0;
		if (!least_turns(l, (moore_lid)lid, i))
			return false;
		least_add(l);
	}
	return least_sort(l);
}

/* True if row r may change in step i, the one of after[]. */
static inline bool
least_may_change(struct least *l, const struct least_row *r, unsigned i)
{
	bool fits;

	least_hold(l, r->lid, i);
	l->hold[r->sw] = LEAST_OLD | LEAST_NEW;
	l->n_turns = 0;
	if (!least_turns(l, r->lid, i))
		return false;
	least_add(l);
	fits = true;
	for (uint32_t k = 0; fits && k < l->n_turns; k++) {
		uint32_t c = l->turn[k].channel, to = least_next(l, c, l->turn[k].port);

		fits = l->n_turns == 1 && l->place[c] < l->place[to] ? true : !least_reaches(l, to, c);
	}
	for (uint32_t k = 0; k < l->n_turns; k++)
		l->after[l->turn[k].channel][l->turn[k].port / 64] &=
			~(UINT64_C(1) << l->turn[k].port % 64);
	return fits;
}

/* Narrows the intervals by step i.  Returns false if one is empty; sets *news if one changed. */
static inline bool
least_narrow(struct least *l, unsigned i, bool *news)
{
	if (!least_step(l, i))
		return false;
	for (uint32_t k = 0; k < l->n_rows; k++) {
		struct least_row *r = &l->row[k];

		if ((r->lo != i && r->hi != i) || least_may_change(l, r, i))
			continue;
		*news = true;
		if (r->lo == r->hi)
			return false;
		if (r->lo == i)
			r->lo++;
		else
			r->hi--;
	}
	return true;
}

static inline bool
least_enough(struct least *l, unsigned n_steps)
{
	bool news = true;

	for (uint32_t k = 0; k < l->n_rows; k++) {
		l->row[k].lo = 1;
		l->row[k].hi = n_steps;
	}
	while (news) {
		news = false;
		for (unsigned i = 1; i <= n_steps; i++)
			if (!least_narrow(l, i, &news))
				return false;
	}
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* True if the old rows deliver packets of s to lid. */
static inline bool
least_arrives(const struct least *l, moore_swid s, moore_lid lid)
{
	for (uint32_t hops = 0; hops <= l->n_sw; hops++) {
		uint8_t port = moore_lft_row(l->lft[0], s)[lid];
		const struct moore_port *p = least_link(l, s, port);

		if (!p)
			return s == l->own[lid].sw && port == l->own[lid].port;
		s = p->peer;
	}
	return false;
}

static inline void
least_list_rows(struct least *l)
{
	for (unsigned lid = 1; lid <= l->f->lid_top; lid++) {
		l->row0[lid] = l->n_rows;
		for (moore_swid s = 0; s < l->n_sw; s++) {
			l->live[(size_t)lid * l->n_sw + s] = least_arrives(l, s, (moore_lid)lid);
			if (moore_lft_row(l->lft[0], s)[lid] != moore_lft_row(l->lft[1], s)[lid])
				l->row[l->n_rows++] = (struct least_row){ s, (moore_lid)lid, 1, 1 };
		}
	}
	l->row0[l->f->lid_top + 1] = l->n_rows;
}

/* The turns of the LIDs that do not change. */
static inline void
least_fill_base(struct least *l)
{
	for (unsigned lid = 1; lid <= l->f->lid_top; lid++)
		if (l->row0[lid] == l->row0[lid + 1] && l->own[lid].sw != MOORE_NONE) {
			least_hold(l, (moore_lid)lid, 1);
			l->n_turns = 0;
			least_walk(l, (moore_lid)lid, LEAST_NEW, false);
			least_add(l);
		}
	memcpy(l->base, l->after, l->n_channels * sizeof(*l->base));
}

static inline void
least_begin(struct least *l)
{
	size_t n_lids = l->f->lid_top + 2u, n_sw = l->n_sw = l->f->n_switches;

	l->n_vl = 1;
	for (uint32_t r = 0; r < l->lanes->n_rows; r++)
		if (l->lanes->rows[r].vl[0] < 15 && l->lanes->rows[r].vl[0] >= l->n_vl)
			l->n_vl = l->lanes->rows[r].vl[0] + 1u;
	l->n_channels = l->f->n_ports * l->n_vl;
	l->row = calloc(n_lids * n_sw, sizeof(*l->row));
	l->row0 = calloc(n_lids + 1, sizeof(*l->row0));
	l->live = calloc(n_lids, n_sw);
	l->hold = calloc(n_sw, 1);
	l->base = calloc(l->n_channels, sizeof(*l->base));
	l->after = calloc(l->n_channels, sizeof(*l->after));
	l->queue = calloc(l->n_channels + 1, sizeof(*l->queue));
	l->mark = calloc(l->n_channels, sizeof(*l->mark));
	l->place = calloc(l->n_channels, sizeof(*l->place));
	if (moore_fabric_lids(l->f, &l->own, NULL) < 0)
		abort();
	least_list_rows(l);
	least_fill_base(l);
}

static inline void
least_end(struct least *l)
{
	free(l->own);
	free(l->row);
	free(l->row0);
	free(l->live);
	free(l->hold);
	free(l->base);
	free(l->after);
	free(l->turn);
	free(l->queue);
	free(l->mark);
	free(l->place);
}

/* The least number of steps from the rows of was to those of now in fabric f, with the lanes of SL
 * 0; LEAST_NONE if LEAST_MAX are not enough, as when rows wait for each other in a circle. */
static inline unsigned
least_steps(const struct moore_fabric *f, const struct moore_sl2vl *lanes,
	    const struct moore_lft *was, const struct moore_lft *now)
{
	struct least l = { .f = f, .lanes = lanes, .lft = { was, now } };
	unsigned n = 0;

	least_begin(&l);
	while (l.n_rows && ++n <= LEAST_MAX && !least_enough(&l, n))
		;
	least_end(&l);
	return n;
}

#endif
