// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* wheel.c - making the wheel of events, and its next event. */
#include "sim/wheel.h"

static uint32_t
buckets(uint32_t span)
{
	uint32_t n = 64;

	while (n < span)
		n *= 2;
	return n;
}

uint64_t
moore_sim_wheel_memory(uint32_t span, uint32_t n_events)
{
	return (uint64_t)buckets(span) * 2 * sizeof(uint32_t) + (uint64_t)n_events * sizeof(struct sim_event);
}

bool
moore_sim_wheel_init(struct sim_wheel *w, uint32_t span, uint32_t n_events, struct moore_arena *mem)
{
	*w = (struct sim_wheel){ .n = buckets(span), .free_event = UINT32_MAX };
	w->head = moore_arena_alloc(mem, w->n, sizeof(*w->head));
	w->tail = moore_arena_alloc(mem, w->n, sizeof(*w->tail));
	w->full = moore_arena_alloc(mem, w->n / 64, sizeof(*w->full));
	w->event = moore_arena_alloc(mem, (size_t)n_events + 1, sizeof(*w->event));
	if (!w->head || !w->tail || !w->full || !w->event)
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		w->head[i] = UINT32_MAX;
	return true;
}

uint64_t
moore_sim_wheel_next(const struct sim_wheel *w, uint64_t t)
{
	const uint32_t b = (uint32_t)t & (w->n - 1), words = w->n / 64;
	uint64_t bits = w->full[b / 64] >> b % 64;

	if (bits)
		return t + (uint64_t)__builtin_ctzll(bits);
	t += 64 - b % 64;
	for (uint32_t i = 1; i <= words; i++, t += 64)
		if ((bits = w->full[(b / 64 + i) & (words - 1)]))
			return t + (uint64_t)__builtin_ctzll(bits);
	return UINT64_MAX;
}
