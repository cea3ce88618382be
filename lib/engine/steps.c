// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* steps.c - the steps from what the switches may hold to new tables, with a second opinion.
 *
 * lib/motion chooses the steps, and moore_mix_held(), which shares nothing with it, judges
 * them.  All rows since a wait are judged together first, since packets that followed the
 * older ones can meet the newer ones.  Every mixture of two consecutive steps is among
 * theirs, so if that is safe and interrupts nothing, so is each step.  Otherwise each
 * step is judged on its own; if only the rows together are unsafe, waits are added.  If a
 * step itself is unsafe, the rows that change are dropped first instead. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "moore/engine.h"

struct judging {
	struct moore_engine_steps *s;
	const struct moore_fabric *f;
	const struct moore_held *start;	/* held before the first step */
	struct moore_held held;		/* held before the step that is judged next */
	struct moore_lft *lft;		/* of held, after the first step */
	struct moore_mix_lanes lanes;
	const struct moore_row *past;	/* no switch holds these, packets may have followed them */
	size_t n_past;
	const struct moore_jobs *jobs;
	struct moore_mix_series *series;
};

static size_t
append(struct moore_row *to, size_t at, const struct moore_row *row, size_t n)
{
	if (n)
		memcpy(to + at, row, n * sizeof(*row));
	return at + n;
}

/* Judges what is held, mixed with the rows of the steps [from, to) and n_past of the past. */
static int
judge_rows(const struct judging *j, uint32_t from, uint32_t to, size_t n_past,
	   struct moore_mix_held **out, struct moore_err *err)
{
	const struct moore_motion *m = j->s->motion;
	size_t first = m->step[from].first, n = m->step[to - 1].first + m->step[to - 1].n - first;
	struct moore_held all = j->held;
	struct moore_row *more = malloc((all.n_more + n + n_past + 1) * sizeof(*more));
	int rc;

	*out = NULL;
	if (!more)
		return moore_fail_nomem(err);
	all.n_more = append(more, 0, all.more, all.n_more);
	all.n_more = append(more, all.n_more, m->row + first, n);
	all.n_more = append(more, all.n_more, j->past, n_past);
	all.more = more;
	rc = moore_mix_series_judge(out, j->series, &all, err);
	free(more);
	return rc;
}

/* Packets of the past meet the rows until the first wait.  They may deadlock or loop, but no
 * switch drops packets because of a row that it no longer holds. */
static int
judge(const struct judging *j, uint32_t from, uint32_t to, struct moore_mix_held **out,
      struct moore_err *err)
{
	int rc = judge_rows(j, from, to, 0, out, err);
	uint64_t interrupted;

	if (rc < 0 || from > 0 || !j->n_past)
		return rc;
	interrupted = (*out)->interrupted;
	moore_mix_held_free(*out);
	if ((rc = judge_rows(j, from, to, j->n_past, out, err)) == 0)
		(*out)->interrupted = interrupted;
	return rc;
}

/* Announces the LIDs that the steps change. */
static int
begin(struct judging *j, struct moore_err *err)
{
	const struct moore_motion *m = j->s->motion;
	const struct moore_held *h = j->start;
	uint64_t *lids = calloc(moore_bits_words(h->lft->stride), sizeof(*lids));
	int rc;

	if (!lids)
		return moore_fail_nomem(err);
	for (size_t i = 0; i < h->n_more; i++)
		moore_bits_set(lids, h->more[i].lid);
	for (size_t i = 0; i < j->n_past; i++)
		moore_bits_set(lids, j->past[i].lid);
	for (uint32_t i = 0; i < m->n_rows; i++)
		moore_bits_set(lids, m->row[i].lid);
	rc = moore_mix_series_new(&j->series, j->f, h, lids, &j->lanes, j->jobs, err);
	free(lids);
	return rc;
}

/* The rows of the steps [from, to) are in force. */
static void
apply(struct judging *j, uint32_t from, uint32_t to)
{
	const struct moore_motion *m = j->s->motion;

	for (uint32_t k = from; k < to; k++)
		for (size_t i = 0; i < m->step[k].n; i++) {
			const struct moore_row *r = &m->row[m->step[k].first + i];

			moore_lft_row(j->lft, r->sw)[r->lid] = r->port;
		}
	j->held = (struct moore_held){ .lft = j->lft };
}

static void
note(struct moore_engine_steps *s, uint32_t step, const struct moore_mix_held *v)
{
	struct moore_engine_step *to = &s->step[step];

	to->safe = v->safe;
	to->interrupted = v->interrupted > s->motion->step[step].interrupted ? v->interrupted :
		s->motion->step[step].interrupted;
	if (v->safe || s->why.code)
		return;
	if (!v->acyclic)
		moore_fail(&s->why, MOORE_EUNSAFE, 0, "step %u: %u channels could wait for each other",
			   step + 1, v->cycle_len);
	else if (v->loop_lids)
		moore_fail(&s->why, MOORE_EUNSAFE, 0, "step %u: packets to LID %u could loop",
			   step + 1, v->loop_lid);
	else
		moore_fail(&s->why, MOORE_EUNSAFE, 0, "step %u: packets to group 0x%x could loop",
			   step + 1, v->loop_mlid);
}

static int
judge_each(struct judging *j, uint32_t from, uint32_t to, struct moore_err *err)
{
	for (uint32_t k = from; k < to; k++) {
		struct moore_mix_held *v;
		int rc = judge(j, k, k + 1, &v, err);

		if (rc < 0)
			return rc;
		note(j->s, k, v);
		moore_mix_held_free(v);
		apply(j, k, k + 1);
	}
	return 0;
}

/* Judges the steps [from, to), between which nothing waits. */
static int
judge_together(struct judging *j, uint32_t from, uint32_t to, struct moore_err *err)
{
	struct moore_mix_held *v;
	bool safe, still;
	int rc = judge(j, from, to, &v, err);

	if (rc < 0)
		return rc;
	safe = v->safe;
	still = !v->interrupted;
	moore_mix_held_free(v);
	for (uint32_t k = from; k < to; k++) {
		j->s->step[k] = (struct moore_engine_step){ safe, safe, 0 };
		j->s->motion->step[k].wait |= !safe && k > from;
	}
	if (!safe || !still)
		return judge_each(j, from, to, err);
	apply(j, from, to);
	return 0;
}

static int
judge_all(struct judging *j, struct moore_err *err)
{
	const struct moore_motion *m = j->s->motion;
	const struct moore_lft *was = j->start->lft;
	int rc;

	if ((rc = begin(j, err)) < 0 ||
	    (rc = moore_lft_new(&j->lft, was->n_switches, (moore_lid)(was->stride - 1), err)) < 0)
		goto out;
	memcpy(j->lft->row, was->row, was->stride * was->n_switches);
	for (uint32_t from = 0, to; rc == 0 && from < m->n_steps; from = to) {
		for (to = from + 1; to < m->n_steps && !m->step[to].wait; to++)
			;
		rc = judge_together(j, from, to, err);
	}
out:
	moore_lft_free(j->lft);
	moore_mix_series_free(j->series);
	return rc;
}

static int
build_and_judge(struct moore_engine_steps **out, const struct moore_fabric *f,
		const struct moore_held *held, const struct moore_lft *now,
		const struct moore_motion_opts *opts, struct moore_err *err)
{
	struct moore_engine_steps *s = calloc(1, sizeof(*s));
	struct judging j = { .s = s, .f = f, .start = held, .held = *held,
		.lanes = { opts->sl2vl, opts->other, opts->sl_set, opts->mft, opts->n_mft },
		.past = opts->past, .n_past = opts->n_past, .jobs = opts->jobs };
	int rc;

	*out = NULL;
	if (!s)
		return moore_fail_nomem(err);
	if ((rc = moore_motion_build(&s->motion, f, held, now, opts, err)) < 0)
		goto out;
	if (!(s->step = calloc((size_t)s->motion->n_steps + 1, sizeof(*s->step)))) {
		rc = moore_fail_nomem(err);
		goto out;
	}
	if ((rc = judge_all(&j, err)) < 0)
		goto out;
	*out = s;
	s = NULL;
out:
	moore_engine_steps_free(s);
	return rc;
}

int
moore_engine_steps(struct moore_engine_steps **out, const struct moore_fabric *f,
		   const struct moore_held *held, const struct moore_lft *now,
		   const struct moore_motion_opts *opts, struct moore_err *err)
{
	struct moore_motion_opts again = *opts;
	int rc = build_and_judge(out, f, held, now, opts, err);

	if (rc < 0 || !(*out)->why.code || (*out)->motion->start_unsafe || opts->drop_first)
		return rc;
	moore_engine_steps_free(*out);
	again.drop_first = true;
	return build_and_judge(out, f, held, now, &again, err);
}

void
moore_engine_steps_free(struct moore_engine_steps *s)
{
	if (!s)
		return;
	moore_motion_free(s->motion);
	free(s->step);
	free(s);
}
