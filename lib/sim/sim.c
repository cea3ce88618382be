// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* sim.c - runs points, each on a worker of its own, and names the routings. */
#include <stdlib.h>
#include <string.h>

#include "base/jobs.h"
#include "sim/sim_impl.h"

static const struct { const char *name, *help; bool programmable; } routing[] = {
	[MOORE_SIM_MIN] = { "min", "offset 0, whose routes are shortest", true },
	[MOORE_SIM_VALIANT] = { "valiant", "a random offset other than 0", true },
	[MOORE_SIM_INR] = { "inr", "a random offset of all", true },
	[MOORE_SIM_UGAL] = { "ugal", "UGAL-L: by the queues of the first switch", false },
	[MOORE_SIM_ALL] = { "all", "all offsets in turn", true },
	[MOORE_SIM_MIDDLE] = { "middle", "over a random switch, as no table can", false },
	[MOORE_SIM_UGAL_MIDDLE] = { "ugal-m", "UGAL-L with routes over random switches", false },
	[MOORE_SIM_PAR] = { "par", "progressive: ugal-m, judged again in the second switch", false },
	[MOORE_SIM_SHARES] = { "shares", "by the shares that a linear programme gives each sender", true },
	[MOORE_SIM_UGAL_G] = { "ugal-g", "UGAL-G: by the queues of all switches of a route", false },
};

const char *
moore_sim_routing_name(enum moore_sim_routing r)
{
	return r < MOORE_N_SIM_ROUTINGS ? routing[r].name : NULL;
}

const char *
moore_sim_routing_help(enum moore_sim_routing r)
{
	return r < MOORE_N_SIM_ROUTINGS ? routing[r].help : NULL;
}

bool
moore_sim_routing_programmable(enum moore_sim_routing r)
{
	return r < MOORE_N_SIM_ROUTINGS && routing[r].programmable;
}

const char *
moore_sim_queues_name(enum moore_sim_queues q)
{
	static const char *const name[] = { [MOORE_SIM_FIFO] = "fifo", [MOORE_SIM_VOQ] = "voq" };

	return q < MOORE_N_SIM_QUEUES ? name[q] : NULL;
}

const char *
moore_sim_arbiter_name(enum moore_sim_arbiter a)
{
	static const char *const name[] = { [MOORE_SIM_TURNS] = "turns", [MOORE_SIM_FARTHEST] = "farthest" };

	return a < MOORE_N_SIM_ARBITERS ? name[a] : NULL;
}

const char *
moore_sim_detour_name(enum moore_sim_detour d)
{
	static const char *const name[] = {
		[MOORE_SIM_DETOUR_VALIANT] = "valiant", [MOORE_SIM_DETOUR_NTA] = "nta",
		[MOORE_SIM_DETOUR_VALIANT3] = "valiant3",
	};

	return d < MOORE_N_SIM_DETOURS ? name[d] : NULL;
}

const char *
moore_sim_loss_name(enum moore_sim_loss l)
{
	static const char *const name[] = {
		[MOORE_SIM_LOST_WIRE] = "wire", [MOORE_SIM_LOST_PORT] = "port", [MOORE_SIM_LOST_ROW] = "row",
		[MOORE_SIM_LOST_LOOP] = "loop", [MOORE_SIM_LOST_NODE] = "node",
	};

	return l < MOORE_N_SIM_LOSSES ? name[l] : NULL;
}

void
moore_sim_defaults(struct moore_sim_opts *o)
{
	*o = (struct moore_sim_opts){
		.packet = 128, .cross = 64, .wire = 39, .sw = 78, .buffer = 24, .out_queue = 24,
		.queues = MOORE_SIM_VOQ, .length = 3200, .ugal_candidates = 4, .ugal_weight = 1, .ugal_by_hops = true, .seed = 1,
		.memory = MOORE_SIM_MEMORY,
	};
}

/* ---- one point --------------------------------------------------------------------------------- */

/* Looks for a cycle of full buffers; true if there is one. */
static bool
stalls(const struct sim *s, uint32_t *mark, struct moore_sim_result *out)
{
	const size_t n = (size_t)s->n_ports * s->n_vl;
	uint32_t where;

	memset(mark, 0, n * sizeof(*mark));
	if (!(out->stuck = moore_sim_find_stall(s, mark, &where)))
		return false;
	out->stalled = true;
	out->stalled_at = s->now;
	out->stuck_sw = s->channel[where / s->n_vl].sw;
	out->stuck_port = (moore_portnum)(where / s->n_vl - s->f->sw[out->stuck_sw].port0);
	out->stuck_vl = (uint8_t)(where % s->n_vl);
	return true;
}

static void
run(struct sim *s, uint32_t *mark, struct moore_sim_result *out)
{
	uint64_t look = s->block_ticks;
	bool more = true;

	while (more && !out->stalled) {
		while ((more = moore_sim_step(s)) && s->now < look)
			;
		look += s->block_ticks;
		stalls(s, mark, out);
	}
	for (uint32_t i = 0; s->point.sent && i < s->n_ports; i++)
		s->point.sent[i] += s->channel[i].sent;
	out->hops = s->hops;
	out->dropped = s->dropped;
	out->drop_sw = s->drop_sw;
	out->drop_lid = s->drop_lid;
}

static void
judge_exchange(const struct sim *s, struct moore_sim_result *out)
{
	out->packets = s->received;
	if (s->n_open)
		return;
	out->completion = s->completion;
	out->share = (double)s->received / ((double)s->completion * s->full_rate);
}

static int
simulate(struct moore_sim_result *out, struct sim *s, struct moore_err *err)
{
	uint32_t *mark = moore_arena_alloc(&s->mem, (size_t)s->n_ports * s->n_vl + 1, sizeof(*mark));
	uint64_t *bin = moore_arena_alloc(&s->mem, SIM_BINS, sizeof(*bin));

	*out = (struct moore_sim_result){ .seed = s->o.seed };
	if (!mark || !bin)
		return moore_fail_nomem(err);
	run(s, mark, out);
	if (s->message) {
		judge_exchange(s, out);
		return 0;
	}
	moore_sim_count_rest(s);
	moore_sim_judge_phases(s, out, bin);
	moore_sim_judge(out, s->block, s->block_ticks, s->full_rate, bin);
	out->latency_ci_known = out->packets && !out->stalled && !out->saturated && moore_sim_is_enough(s, out);
	return 0;
}

/* ---- all points --------------------------------------------------------------------------------- */

struct batch {
	struct moore_sim_result *out;
	const struct moore_sim_point *point;
	const struct moore_sim_tables *tables;
	const struct moore_sim_opts *o;
	struct moore_err *err;	/* of each point; code 0: it succeeded */
};

static void
run_point(void *arg, unsigned worker, size_t i)
{
	struct batch *b = arg;
	struct sim s;

	(void)worker;
	b->err[i].code = 0;
	if (moore_sim_init(&s, &b->point[i], b->tables, b->o, &b->err[i]) == 0)
		simulate(&b->out[i], &s, &b->err[i]);
	moore_sim_fini(&s);
}

int
moore_simulate(struct moore_sim_result *out, const struct moore_sim_point *point, size_t n,
	       const struct moore_sim_tables *t, const struct moore_sim_opts *o, const struct moore_jobs *jobs,
	       struct moore_err *err)
{
	struct moore_err *each = calloc(n + 1, sizeof(*each));
	struct batch b = { out, point, t, o, each };
	size_t i = 0;
	int rc;

	if (!each)
		return moore_fail_nomem(err);
	moore_jobs_run(jobs, moore_jobs_width(jobs, n), n, run_point, &b);
	while (i < n && !each[i].code)
		i++;
	rc = i < n ? moore_fail(err, each[i].code, 0, "%s", each[i].text) : 0;
	free(each);
	return rc;
}
