// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* due.c - what the scanner of one plane does next: see due.h. */
#include <string.h>

#include "scan/due.h"

void
due_init(struct due *d, uint32_t poll_ms, uint32_t scan_s)
{
	*d = (struct due){ .poll_us = poll_ms * (uint64_t)1000, .scan_us = scan_s * (uint64_t)1000000,
			   .look_gap = LOOK_US, .rewalk_gap = LOOK_US };
}

/* now + gap; a sum beyond the clock's range is NEVER. */
static uint64_t
after(uint64_t now, uint64_t gap)
{
	return now < NEVER - gap ? now + gap : NEVER;
}

/* ---- the next step ------------------------------------------------------------------ */

/* When a step is due; NEVER when something that it needs is missing. */
static uint64_t
due_at(const struct due *d, enum step s)
{
	if (!d->have_port)
		return s == STEP_OPEN ? d->open_at : NEVER;
	switch (s) {
	case STEP_LOOK:
		return d->look_at;
	case STEP_MANAGER:
		return d->have_snapshot ? d->manager_at : NEVER;
	case STEP_POLL:
		return d->have_lids ? d->poll_at : NEVER;
	case STEP_TABLES:
		return d->have_lids ? d->tables_at : NEVER;
	case STEP_LANES:
		return d->have_lids && (d->lanes || d->lanes_slice) ? 0 : NEVER;
	case STEP_RECORDS:
		return d->have_lids && d->have_lanes && d->records && !d->lanes ? 0 : NEVER;
	default:
		return NEVER;
	}
}

struct next
next_step(const struct due *d, uint64_t now)
{
	struct next n = { STEP_WAIT, NEVER };
	bool walk = !d->have_snapshot || d->changed || now >= d->rewalk_at;

	for (unsigned i = 1; i <= N_STEPS && n.step == STEP_WAIT; i++) {
		enum step s = d->have_port && !d->look_at ? STEP_LOOK : (d->last + i) % N_STEPS;
		uint64_t at = due_at(d, s);

		if (at <= now)
			n.step = s == STEP_LOOK && walk ? STEP_WALK : s;
		else if (at < n.until)
			n.until = at;
	}
	return n;
}

void
due_begin(struct due *d, enum step s, uint64_t now)
{
	d->last = s;
	if (s == STEP_TABLES)
		d->tables_at = after(now, d->scan_us);
	/* A poll that is late by less than a period keeps to the beat. */
	if (s == STEP_POLL)
		d->poll_at = after(after(d->poll_at, d->poll_us), d->poll_us) > now ?
			     after(d->poll_at, d->poll_us) : after(now, d->poll_us);
}

/* ---- requests from outside ---------------------------------------------------------- */

void
due_look_now(struct due *d)
{
	d->look_at = d->open_at = 0;
}

void
due_kick(struct due *d)
{
	due_look_now(d);
	d->tables_at = 0;
	d->look_gap = LOOK_US;
}

/* ---- the port, looks and walks ------------------------------------------------------ */

void
due_opened(struct due *d, uint64_t now, bool opened)
{
	d->have_port = opened;
	d->open_at = after(now, REOPEN_US);
}

void
due_lost(struct due *d, uint64_t now)
{
	d->have_port = false;
	d->open_at = after(now, d->look_gap);
}

void
due_rest(struct due *d, uint64_t now)
{
	d->look_at = after(now, d->look_gap);
}

void
due_looked(struct due *d, uint64_t now, enum look found)
{
	if (found == LOOK_CHANGED) {
		d->changed = true;
		d->look_at = 0;
		return;
	}
	if (found == LOOK_SAME)
		d->look_gap = LOOK_US;
	due_rest(d, now);
}

static uint64_t
twice(const struct due *d, uint64_t gap)
{
	return 2 * gap < d->scan_us ? 2 * gap : d->scan_us;
}

void
due_walked(struct due *d, uint64_t from, uint64_t now, enum walk found, bool unanswered)
{
	d->changed = false;
	if (found == WALK_FAILED)
		return;
	if (found == WALK_SAME) {
		if (from < d->rewalk_at)	/* a look demanded this walk, for nothing */
			d->look_gap = twice(d, d->look_gap);
		d->rewalk_gap = twice(d, d->rewalk_gap);
	} else {
		d->look_gap = d->rewalk_gap = LOOK_US;
		memset(d->patient, 0, sizeof(d->patient));
		d->tables_at = now;
		d->walked = true;
	}
	d->rewalk_at = unanswered ? after(now, d->rewalk_gap) : NEVER;
}

/* ---- readings ----------------------------------------------------------------------- */

void
due_read(struct due *d, enum reading r, bool left)
{
	d->patient[r] = left;
	if (left)
		d->look_at = 0;
}

void
due_tables(struct due *d, uint64_t now, bool new_tables)
{
	d->records = true;
	if (new_tables) {
		d->walked = false;
		d->lanes = true;
		d->tables_at = after(now, SETTLE_US);
		return;
	}
	d->lanes |= !d->have_lanes;
	d->lanes_slice = !d->lanes;
}

void
due_tables_failed(struct due *d, uint64_t now)
{
	if (d->patient[READ_TABLES])
		d->tables_at = now;	/* again, once a look found nothing */
}

void
due_lanes(struct due *d, bool whole, bool at_end)
{
	d->lanes_slice = false;
	if (whole)
		d->lanes &= !at_end;
	else
		d->lanes &= d->patient[READ_TABLES];
	d->have_lanes |= whole && at_end;
}

void
due_records(struct due *d, bool whole)
{
	d->records &= !whole && d->patient[READ_RECORDS];
}

/* ---- the subnet manager ------------------------------------------------------------- */

void
due_manager(struct due *d, uint64_t now, enum manager found)
{
	bool missed = found == MANAGER_SILENT;

	if (found == MANAGER_NONE)
		d->manager_heard = 0;
	else if (found == MANAGER_ANSWERS || (missed && !d->manager_heard))
		d->manager_heard = now;
	if (found != MANAGER_UNKNOWN)
		d->manager_misses = missed ? d->manager_misses + 1 : 0;
	d->manager_at = after(now, missed ? MANAGER_RETRY_US : MANAGER_US);
}

bool
due_manager_silent(const struct due *d)
{
	return d->manager_misses >= MANAGER_MISSES;
}
