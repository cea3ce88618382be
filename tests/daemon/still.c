// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* still.c - a sweeper for tests that need no fabric: moored-still is moored with
 * this in place of sweep.c.
 *
 * It finds the plan in $MOORED_STILL, whole, with the routes of the engine, once
 * (and again at each kick); without it, no device. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "moore/engine.h"
#include "moored.h"

struct sweeper {
	struct loop *loop;
	struct sweeper_calls calls;
	struct moore_plan *plan;
	uint64_t sweep;
};

void
snapshot_put(struct snapshot *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	moore_plan_free(s->seen);
	moore_fabric_free(s->fabric);
	moore_lft_free(s->lft);
	moore_sl2vl_free(s->sl2vl);
	moore_mft_free(s->mft);
	free(s);
}

void
poll_free(struct poll *p)
{
	if (!p)
		return;
	snapshot_put(p->snap);
	free(p->port);
	free(p);
}

static struct moore_plan *
read_plan(void)
{
	const char *path = getenv("MOORED_STILL");
	struct moore_buf text;
	struct moore_plan *p = NULL;
	struct moore_err err;

	if (!path)
		return NULL;
	if (file_read(path, (size_t)1 << 28, &text, &err) < 0 ||
	    moore_plan_parse(&p, text.data, text.len, &err) < 0) {
		fprintf(stderr, "still: %s\n", err.text);
		exit(3);
	}
	moore_buf_free(&text);
	return p;
}

static void
route(struct snapshot *s)
{
	struct moore_engine_result *r = NULL;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	if (moore_fabric_from_plan(&s->fabric, s->seen, 2, &err) < 0 ||
	    moore_engine_run(&r, s->fabric, s->seen, &conf, NULL, NULL, &err) < 0 ||
	    moore_lft_new(&s->lft, s->fabric->n_switches, s->fabric->lid_top, &err) < 0) {
		fprintf(stderr, "still: %s\n", err.text);
		exit(3);
	}
	for (uint32_t i = 0; i < s->fabric->n_switches; i++)
		for (size_t l = 0; l < s->lft->stride; l++)
			moore_lft_row(s->lft, i)[l] = l < r->lft->stride ?
				moore_lft_row(r->lft, i)[l] : MOORE_NO_PATH;
	s->sl2vl = r->sl2vl;
	r->sl2vl = NULL;
	moore_engine_result_free(r);
}

static void
find(void *arg)
{
	struct sweeper *w = arg;
	struct snapshot *s;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	w->plan = read_plan();
	if (!w->plan) {
		w->calls.state(w->calls.arg, 0, PLANE_NO_DEVICE, "there is no umad port");
		return;
	}
	s = calloc(1, sizeof(*s));
	atomic_init(&s->refs, 1);
	s->sweep = s->tables_sweep = w->sweep++;
	s->at_ms = (uint64_t)now.tv_sec * 1000;
	s->seen = w->plan;
	route(s);
	w->calls.state(w->calls.arg, 0, PLANE_UP, "");
	w->calls.snapshot(w->calls.arg, s);
}

int
sweeper_start(struct sweeper **out, struct loop *l, const struct moored_conf *c,
	      uint64_t first_sweep, const struct sweeper_calls *calls)
{
	struct sweeper *w = calloc(1, sizeof(*w));

	(void)c;
	*out = w;
	if (!w)
		return -1;
	*w = (struct sweeper){ .loop = l, .calls = *calls, .sweep = first_sweep };
	return loop_post(l, find, w);
}

void
sweeper_kick(struct sweeper *s)
{
	loop_post(s->loop, find, s);
}

bool
sweeper_stop(struct sweeper *s)
{
	free(s);
	return true;
}
