// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* flip.c - one step: which rows change in it.
 *
 * LID by LID, and from the destination outwards, each row that is not final yet takes its
 * final value if the mixture of all LIDs stays without a cycle and, for a live row, if its
 * new next switch drops nothing.  A dead row that cannot be flipped becomes no-path: what
 * is not there makes no dependencies in later steps.
 *
 * A detour is a value for the time being, neither the old nor the final one.  In the first
 * step, rows that cannot be flipped take detours where they can: a dead row to be connected
 * again, and a live row because other rows may have to wait until nothing takes its old
 * value.  The next step can replace every detour, since a detour must be safe together with
 * the final tables as well.
 *
 * A switch without endpoints sends only packets of its own, from port 0.  If its row carries no
 * packets of a live pair, the row is idle.  With yields, an idle row that cannot be flipped becomes
 * no-path too, so that other rows need not wait for it.
 *
 * The last resort is to drop rows.  A LID whose rows may all be in force together with the final
 * rows of all LIDs needs no drop: once the others are empty, it can change in one step. */
#include <string.h>

#include "motion_impl.h"

/* Sets hops[s] to the hops on the final route from s to the LID. */
static void
final_hops(struct moore_mo_build *b, const uint8_t *fin, moore_swid s)
{
	moore_swid path[64];
	unsigned n = 0;
	uint8_t h;

	while (n < 64 && !b->hops[s] && moore_mo_leads_on(&b->net, s, fin[s])) {
		path[n++] = s;
		s = moore_mo_next(&b->net, s, fin[s]);
	}
	if (!b->hops[s])
		b->hops[s] = n < 64 ? 1 : UINT8_MAX;
	h = b->hops[s];
	while (n)
		b->hops[path[--n]] = h = h == UINT8_MAX ? h : (uint8_t)(h + 1);
}

/* The nearest to the LID come first; of equally near ones the least GUID, so that the steps do not
 * depend on how switches are numbered. */
static bool
is_before(const struct moore_mo_build *b, moore_swid s, moore_swid t)
{
	const struct moore_switch *sw = b->net.f->sw;

	return b->hops[s] != b->hops[t] ? b->hops[s] < b->hops[t] : sw[s].guid < sw[t].guid;
}

/* Lists the switches whose row of column i is not final. */
static uint32_t
list_todo(struct moore_mo_build *b, uint32_t i)
{
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	const uint8_t *fin = b->c.fin + (size_t)i * b->net.n_sw;
	uint32_t n = 0;

	memset(b->hops, 0, b->net.n_sw);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		if (cur[s] != fin[s]) {
			uint32_t k = n++;

			final_hops(b, fin, s);
			for (; k && is_before(b, s, b->todo[k - 1]); k--)
				b->todo[k] = b->todo[k - 1];
			b->todo[k] = s;
		}
	return n;
}

/* Writes a row in this step.  Returns false when memory is out. */
static bool
write_row(struct moore_mo_build *b, uint32_t i, moore_swid s, uint8_t port)
{
	struct moore_motion *m = b->m;
	struct moore_motion_step *st = &m->step[m->n_steps - 1];
	struct moore_row *r = m->n_rows < m->cap_rows ? m->row :
		moore_grow(m->row, m->n_rows, &m->cap_rows, sizeof(*r));
	uint8_t *cur = &b->c.cur[(size_t)i * b->net.n_sw + s], *before;

	if (!r)
		return false;
	m->row = r;
	before = st->n < b->cap_before ? b->before :
		moore_grow(b->before, (uint32_t)st->n, &b->cap_before, 1);
	if (!before)
		return false;
	b->before = before;
	before[st->n++] = *cur;
	r[m->n_rows++] = (struct moore_row){ s, b->c.col[i].lid, port };
	st->no_path += port == MOORE_NO_PATH;
	if (moore_mo_leads_on(&b->net, s, *cur) && !moore_mo_stale(&b->c, i, s, *cur))
		return false;
	*cur = port;
	b->c.col[i].left -= port == b->c.fin[(size_t)i * b->net.n_sw + s];
	return true;
}

static bool
is_pair(const struct moore_mo_build *b, const struct moore_lid_owner *o, moore_swid s)
{
	return b->net.has_ep[s] && o->sw != MOORE_NONE && o->sw != s;
}

/* Notes the pairs that are dead at the beginning. */
static void
note_dead(struct moore_mo_build *b, uint32_t i)
{
	const struct moore_lid_owner *o = &b->c.own[b->c.col[i].lid];

	for (moore_swid s = 0; s < b->net.n_sw; s++)
		b->was_dead[(size_t)i * b->net.n_sw + s] =
			b->ways.drops[s] && is_pair(b, o, s);
}

/* Sets up the mixture of column i, with the switches whose packets it drops. */
static void
begin_column(struct moore_mo_build *b, uint32_t i)
{
	moore_mo_plant(b, i);
	moore_mo_ways_spread(&b->ways);
	if (b->m->n_steps == 1)
		note_dead(b, i);
}

/* Sets up the mixture of the final rows of column i. */
static void
plant_goal(struct moore_mo_build *b, uint32_t i)
{
	const uint8_t *fin = b->c.fin + (size_t)i * b->net.n_sw;

	if (b->planted)
		return;
	b->planted = true;
	moore_mo_ways_clear(&b->goal_ways, b->c.col[i].lid);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		moore_mo_ways_add(&b->goal_ways, s, fin[s], false);
	moore_mo_ways_fill(&b->goal_ways);
}

/* Flips the row of switch s to a port by which packets reach the LID in every mixture, of
 * what is held and of the final rows.  Returns MOORE_NO_PATH if there is no port but cur. */
static uint8_t
take_detour(struct moore_mo_build *b, uint32_t i, moore_swid s, uint8_t cur)
{
	const struct moore_switch *sw = &b->net.f->sw[s];

	plant_goal(b, i);
	for (unsigned p = 1; p <= sw->n_ports; p++)
		if (p != cur && moore_mo_leads_on(&b->net, s, (uint8_t)p) &&
		    !b->ways.drops[moore_mo_next(&b->net, s, (uint8_t)p)] &&
		    moore_mo_ways_flip(&b->goal_ways, s, (uint8_t)p) &&
		    moore_mo_ways_flip(&b->ways, s, (uint8_t)p))
			return (uint8_t)p;
	return MOORE_NO_PATH;
}

static bool
is_first(const struct moore_mo_build *b, moore_lid lid)
{
	for (size_t i = 0; i < b->net.o->n_first; i++)
		if (b->net.o->first[i] == lid)
			return true;
	return false;
}

/* Whether no packets of a live pair come to switch s, in any mixture of column i. */
static bool
is_idle(struct moore_mo_build *b, uint32_t i, moore_swid s)
{
	const struct moore_lid_owner *o = &b->c.own[b->c.col[i].lid];
	const struct moore_mo_ways *w = &b->ways;
	uint32_t n = 0;

	memset(b->live, 0, b->net.n_sw);	/* marks the switches that are listed */
	b->live[s] = 1;
	w->queue[n++] = s;
	for (uint32_t k = 0; k < n; k++) {
		moore_swid v = w->queue[k];

		if (!w->drops[v] && is_pair(b, o, v))
			return false;
		for (uint32_t e = w->in[v]; e != MOORE_NONE; e = w->way[e].in)
			if (!b->live[w->way[e].from]++)
				w->queue[n++] = w->way[e].from;
	}
	return true;
}

/* Lets the row of switch s drop packets from this step on, if it is idle.  Rows that are looked at
 * later in this step are not flipped to s any more.  The SM's LIDs are spared: traps go there. */
static bool
yields(struct moore_mo_build *b, uint32_t i, moore_swid s)
{
	if (!b->yields || is_first(b, b->c.col[i].lid) || !is_idle(b, i, s))
		return false;
	b->ways.drops[s] = 1;
	moore_mo_ways_spread(&b->ways);
	return true;
}

/* The value that a row takes in this step if it cannot be flipped to its final one. */
static uint8_t
other_value(struct moore_mo_build *b, uint32_t i, moore_swid s, uint8_t cur)
{
	bool live = !b->ways.drops[s];
	uint8_t port = MOORE_NO_PATH;

	if (b->detours && b->m->n_steps == 1 && (live || b->net.has_ep[s]))
		port = take_detour(b, i, s, cur);
	b->detoured |= port != MOORE_NO_PATH;
	return live && port == MOORE_NO_PATH && !yields(b, i, s) ? cur : port;
}

/* Whether switch s takes its final value in this step. */
static bool
flips(struct moore_mo_build *b, uint32_t i, moore_swid s, uint8_t port)
{
	bool live = !b->ways.drops[s];

	/* backward, a row that was no-path for a while becomes so again */
	if (live && b->backward && port == MOORE_NO_PATH)
		return yields(b, i, s);
	if (live && moore_mo_leads_on(&b->net, s, port) &&
	    b->ways.drops[moore_mo_next(&b->net, s, port)])
		return false;
	return moore_mo_ways_flip(&b->ways, s, port);
}

/* Returns false when memory is out. */
static bool
flip_column(struct moore_mo_build *b, uint32_t i)
{
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	const uint8_t *fin = b->c.fin + (size_t)i * b->net.n_sw;
	uint32_t n = list_todo(b, i);

	begin_column(b, i);
	for (uint32_t k = 0; k < n; k++) {
		moore_swid s = b->todo[k];
		uint8_t port = flips(b, i, s, fin[s]) ? fin[s] : other_value(b, i, s, cur[s]);

		if (port != cur[s] && !write_row(b, i, s, port))
			return false;
	}
	return !b->order.oom && !b->goal.oom;
}

bool
moore_mo_flip(struct moore_mo_build *b)
{
	for (uint32_t k = 0; k < b->c.n; k++) {
		uint32_t i = b->backward ? b->c.n - 1 - k : k;

		if (b->c.col[i].left && !flip_column(b, i))
			return false;
	}
	return true;
}

/* Live rows that hinder each other take detours. */
static bool
evade_column(struct moore_mo_build *b, uint32_t i)
{
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	uint32_t n = list_todo(b, i);

	moore_mo_plant(b, i);
	moore_mo_ways_spread(&b->ways);
	for (uint32_t k = 0; k < n; k++) {
		moore_swid s = b->todo[k];
		uint8_t port = b->ways.drops[s] ? MOORE_NO_PATH : take_detour(b, i, s, cur[s]);

		if (port != MOORE_NO_PATH && !write_row(b, i, s, port))
			return false;
	}
	return !b->order.oom && !b->goal.oom;
}

bool
moore_mo_evade(struct moore_mo_build *b)
{
	for (uint32_t i = 0; i < b->c.n; i++)
		if (b->c.col[i].left && !evade_column(b, i))
			return false;
	return true;
}

/* Whether the rows of column i, which is planted, can all be set in one step with the final rows
 * of all LIDs, so that no live pair is dropped.  What it adds to the goal stays there. */
static bool
joins_final(struct moore_mo_build *b, uint32_t i)
{
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	struct moore_mo_ways *goal = &b->goal_ways;

	if (b->c.col[i].extra != MOORE_NONE)
		return false;
	plant_goal(b, i);
	memcpy(goal->drops, b->ways.drops, b->net.n_sw);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		if (moore_mo_leads_on(&b->net, s, cur[s]) && !moore_mo_ways_flip(goal, s, cur[s]))
			return false;
	moore_mo_ways_spread(goal);
	return !memcmp(goal->drops, b->ways.drops, b->net.n_sw);
}

static bool
drop_column(struct moore_mo_build *b, uint32_t i)
{
	struct moore_motion_step *st = &b->m->step[b->m->n_steps - 1];
	const struct moore_lid_owner *o = &b->c.own[b->c.col[i].lid];
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	uint32_t n = list_todo(b, i);

	for (moore_swid s = 0; s < b->net.n_sw; s++)
		b->live[s] = !b->ways.drops[s] && is_pair(b, o, s);
	for (uint32_t k = 0; k < n; k++) {
		moore_swid s = b->todo[k];

		if (cur[s] == MOORE_NO_PATH)
			continue;
		b->ways.drops[s] = 1;
		if (!write_row(b, i, s, MOORE_NO_PATH))
			return false;
	}
	moore_mo_ways_spread(&b->ways);
	for (moore_swid s = 0; s < b->net.n_sw; s++)
		st->interrupted += b->live[s] && b->ways.drops[s];
	return true;
}

/* Drops the columns with rows that are not final, but without `all` only those that cannot wait
 * for the next step. */
static bool
drop_columns(struct moore_mo_build *b, bool all)
{
	for (uint32_t i = 0; i < b->c.n; i++) {
		if (!b->c.col[i].left)
			continue;
		begin_column(b, i);
		if ((all || !joins_final(b, i)) && !drop_column(b, i))
			return false;
	}
	return !b->goal.oom;
}

bool
moore_mo_drop(struct moore_mo_build *b)
{
	uint32_t n_rows = b->m->n_rows;

	if (moore_mo_drops_first(b))
		return drop_columns(b, true);
	return drop_columns(b, false) && (b->m->n_rows > n_rows || drop_columns(b, true));
}

void
moore_mo_take_back(struct moore_mo_build *b)
{
	struct moore_motion *m = b->m;
	struct moore_motion_step *st = &m->step[--m->n_steps];

	while (st->n) {
		const struct moore_row *r = &m->row[--m->n_rows];
		uint32_t i = b->c.of[r->lid];
		size_t at = (size_t)i * b->net.n_sw + r->sw;

		b->c.col[i].left += b->c.cur[at] == b->c.fin[at];
		b->c.cur[at] = b->before[--st->n];
	}
}

/* True if the rows of column i, as they are, lead from s to the LID. */
static bool
delivers(const struct moore_mo_build *b, uint32_t i, moore_swid s)
{
	const uint8_t *cur = b->c.cur + (size_t)i * b->net.n_sw;
	const struct moore_lid_owner *o = &b->c.own[b->c.col[i].lid];
	uint32_t hops = 0;

	if (o->sw == MOORE_NONE)
		return false;
	while (s != o->sw && hops++ < b->net.n_sw && moore_mo_leads_on(&b->net, s, cur[s]))
		s = moore_mo_next(&b->net, s, cur[s]);
	return s == o->sw && cur[s] == o->port;
}

uint64_t
moore_mo_back(struct moore_mo_build *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->c.n; i++)
		for (moore_swid s = 0; s < b->net.n_sw; s++)
			n += b->was_dead[(size_t)i * b->net.n_sw + s] && delivers(b, i, s);
	return n;
}
