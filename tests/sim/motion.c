// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* motion.c - changes rows while packets are on their way.
 *
 * For --cycles the switches have the rows of the first directory, and buffers fill.  Then
 * each --step and --wait takes --cycles, too: in that time every row that differs is
 * written, each at a random cycle.  Before a --wait the sources pause until all packets have
 * arrived; before a --step they do not, so packets that former rows have sent on are still
 * in the buffers. */
#include "sim.h"

struct write {
	uint32_t at, sw;
	uint16_t lid;
	uint8_t port;
};

static uint8_t *goal[STEPS_MAX];	/* rows after each step: [switch * N_LID + LID] */
static struct write *todo;
static size_t n_todo, next_todo;
static unsigned n_begun;
static uint32_t phase_end;
static uint64_t written;

void
motion_init(void)
{
	uint8_t *first;

	phase_end = opt.cycles;
	if (!opt.n_steps)
		return;
	first = read_rows(opt.dir);
	for (uint32_t s = 0; s < n_sw; s++)
		memcpy(sw[s].lft, first + (size_t)s * N_LID, N_LID);
	free(first);
	for (unsigned k = 0; k < opt.n_steps; k++)
		goal[k] = read_rows(opt.step[k].dir);
}

static int
by_time(const void *a, const void *b)
{
	const struct write *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static void
begin_step(uint32_t now)
{
	const uint8_t *to = goal[n_begun++];
	size_t n = 0;

	for (uint32_t s = 0; s < n_sw; s++)
		for (uint32_t lid = 0; lid < N_LID; lid++)
			n += sw[s].lft[lid] != to[(size_t)s * N_LID + lid];
	free(todo);
	todo = room(n, sizeof(*todo));
	n_todo = next_todo = 0;
	for (uint32_t s = 0; s < n_sw; s++)
		for (uint32_t lid = 0; lid < N_LID; lid++)
			if (sw[s].lft[lid] != to[(size_t)s * N_LID + lid])
				todo[n_todo++] = (struct write){ now + below(opt.cycles), s, (uint16_t)lid,
					to[(size_t)s * N_LID + lid] };
	qsort(todo, n_todo, sizeof(*todo), by_time);
	phase_end = now + opt.cycles;
}

enum sources
motion_tick(uint32_t now, bool empty)
{
	if (now > phase_end) {
		if (n_begun == opt.n_steps)
			return SOURCES_END;
		if (opt.step[n_begun].wait && !empty)
			return SOURCES_PAUSE;
		begin_step(now);
	}
	for (; next_todo < n_todo && todo[next_todo].at <= now; next_todo++) {
		const struct write *w = &todo[next_todo];

		sw[w->sw].lft[w->lid] = w->port;
		written++;
	}
	return SOURCES_SEND;
}

void
motion_report(void)
{
	if (opt.n_steps)
		printf("%llu rows written in %u steps; %llu packets dropped, %llu ran in circles\n",
		       (unsigned long long)written, n_begun, (unsigned long long)dropped,
		       (unsigned long long)circled);
}
