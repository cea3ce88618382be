// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sound.c - the verdict on the tables that the switches hold, after each scan.
 *
 * It is the verdict of routes.verify without parameters.  Where that fails, and the SA was
 * asked for path records, the tables are judged on the SLs that these name.  Scans that come
 * while a worker judges lead to one more verdict when it is done. */
#include <stdlib.h>

#include "log.h"
#include "moore/moore.h"
#include "state.h"
#include "threads.h"
#include "watch/sound.h"
#include "watch/sweeps.h"

struct sound {
	struct {
		bool running, again;
		struct soundness last;
	} plane[MOORED_PLANES_MAX];
};

struct job {
	struct moored *d;
	struct view *view;
	bool sound;
	int rc;
	struct moore_err err;
};

static int
judge(const struct snapshot *s, uint16_t sls, bool *sound, struct moore_err *err)
{
	const struct moore_jobs jobs = threads_lend(0);
	const struct moore_check_opts o = { .sl_mask = sls, .jobs = &jobs };
	struct moore_verdict *v = NULL;
	int rc = moore_check(&v, s->fabric, s->lft, s->sl2vl, s->mft, &o, err);

	*sound = rc == 0 && v->sound;
	moore_verdict_free(v);
	return rc;
}

static void
job_run(void *arg)
{
	struct job *j = arg;
	const struct snapshot *s = j->view->snap;

	j->rc = judge(s, 0, &j->sound, &j->err);
	if (j->rc == 0 && !j->sound && s->sa.sls)
		j->rc = judge(s, s->sa.sls, &j->sound, &j->err);
}

/* Under sl-hint each pair of hosts has SLs of its own.  moored does not know which, so only
 * tables that are sound on every SL are known to be sound. */
static bool
by_pair(const struct moored *d, const struct snapshot *s)
{
	uint64_t at_ms;
	const struct moore_notice *n = sweeps_last(d, s, &at_ms);

	return n && n->profile == MOORE_PROFILE_SL_HINT;
}

static void look(struct moored *d, struct view *v);

static void
job_done(void *arg)
{
	struct job *j = arg;
	const struct snapshot *s = j->view->snap;
	struct sound *w = j->d->sound;
	struct soundness *last = &w->plane[s->plane].last;

	w->plane[s->plane].running = false;
	if (j->rc < 0)	/* out of memory */
		log_say(LOG_ERR, NULL, "the tables of scan %llu cannot be judged: %s",
			(unsigned long long)s->scan, j->err.text);
	*last = (struct soundness){ j->rc == 0 && (j->sound || !by_pair(j->d, s)), j->sound, s->scan };
	if (w->plane[s->plane].again)
		look(j->d, j->d->plane[s->plane].view);
	view_put(j->view);
	free(j);
}

static void
look(struct moored *d, struct view *v)
{
	const struct snapshot *s = v->snap;
	struct sound *w = d->sound;
	struct job *j;

	w->plane[s->plane].again = w->plane[s->plane].running;
	if (!s->fabric || !s->lft || !s->sl2vl || w->plane[s->plane].running ||
	    !(j = calloc(1, sizeof(*j))))
		return;
	*j = (struct job){ .d = d, .view = view_get(v) };
	w->plane[s->plane].running = worker_add(d->worker[WORK_OWN], job_run, job_done, j) == 0;
	if (w->plane[s->plane].running)
		return;
	view_put(j->view);	/* the queue is full: the next scan is judged */
	free(j);
}

static int
start(struct moored *d)
{
	d->sound = calloc(1, sizeof(*d->sound));
	return d->sound ? 0 : -1;
}

static void
stop(struct moored *d)
{
	free(d->sound);
	d->sound = NULL;
}

const struct soundness *
sound_last(const struct moored *d, unsigned plane)
{
	static const struct soundness none;

	return d->sound ? &d->sound->plane[plane].last : &none;
}

const struct part part_sound = { .name = "sound", .start = start, .snapshot = look, .stop = stop };
