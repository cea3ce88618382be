// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* motion.c - the steps to new tables: what each writes, and the judge's opinion. */
#include <stdlib.h>

#include "answer/answer_impl.h"
#include "base/bits.h"

bool
moore_engine_steps_ok(const struct moore_engine_steps *s)
{
	for (uint32_t i = 0; i < s->motion->n_steps; i++)
		if (!s->step[i].safe || s->step[i].interrupted)
			return false;
	return true;
}

/* Counts the blocks that the rows of a step are in.  *seen has a bit for each block of each
 * switch; all are 0 before and after. */
static uint64_t
count_blocks(const struct moore_row *row, size_t n, uint64_t *seen)
{
	const size_t per_switch = (MOORE_LID_MAX + 1) / MOORE_LFT_BLOCK;
	uint64_t blocks = 0;

	for (size_t i = 0; i < n; i++) {
		size_t block = row[i].sw * per_switch + row[i].lid / MOORE_LFT_BLOCK;

		blocks += !moore_bits_get(seen, block);
		moore_bits_set(seen, block);
	}
	for (size_t i = 0; i < n; i++)
		moore_bits_clear(seen, row[i].sw * per_switch + row[i].lid / MOORE_LFT_BLOCK);
	return blocks;
}

static json_t *
json_step(const struct moore_engine_steps *s, uint32_t i, uint64_t *seen)
{
	const struct moore_motion_step *m = &s->motion->step[i];
	const struct moore_engine_step *e = &s->step[i];

	return json_pack("{s:o, s:o, s:i, s:o, s:o, s:b, s:b, s:b}",
		"rows", moore_json_count(m->n),
		"blocks", moore_json_count(count_blocks(s->motion->row + m->first, m->n, seen)),
		"no_path", (int)m->no_path, "back", moore_json_count(m->back),
		"interrupted", moore_json_count(e->interrupted), "wait", m->wait,
		"safe", e->safe, "safe_together", e->safe_together);
}

json_t *
moore_json_engine_steps(const struct moore_fabric *f, const struct moore_engine_steps *s)
{
	size_t n_blocks = (size_t)f->n_switches * ((MOORE_LID_MAX + 1) / MOORE_LFT_BLOCK);
	uint64_t *seen = calloc(moore_bits_words(n_blocks) + 1, sizeof(*seen));
	json_t *list = json_array();

	if (!seen) {
		json_decref(list);
		return NULL;
	}
	for (uint32_t i = 0; i < s->motion->n_steps; i++)
		list = moore_json_add(list, json_step(s, i, seen));
	free(seen);
	return json_pack("{s:b, s:b, s:o, s:o, s:o}", "ok", moore_engine_steps_ok(s),
		"start_safe", !s->motion->start_unsafe, "dead", moore_json_count(s->motion->dead),
		"why", s->why.code ? moore_json_name(s->why.text) : json_null(), "list", list);
}
