// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* campaign_run.c - runs what is missing, in batches of chunks of one topology.
 *
 * All points of a batch run at once; then its claims end, and another process may take the next chunks.  So
 * processes that run the same campaign share its chunks.  Chunks that others hold are left for the end, when
 * each is waited for: its holder has then done it, or was killed. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "load/campaign.h"
#include "threads.h"

#define POINTS_PER_JOB 8	/* of a batch, so that its last points leave few processors idle */
#define BATCH_CHUNKS 256	/* a process may have 1,024 files open */

struct point {
	size_t number;
	const struct cli_simulation *s;
	struct campaign_chunk *chunk;
	struct moore_sim_point p;
	struct moore_simulation row;
};

struct runner {
	const struct campaign *k;
	struct moore_jobs jobs;
	size_t topology;		/* that world holds; SIZE_MAX: none */
	struct cli_sim_world world;
	struct setting {		/* a seed on that world; made when a batch needs it */
		struct campaign_call call;
		struct cli_simulation s;
	} **setting;
	struct campaign_chunk chunk[BATCH_CHUNKS];	/* of the batch */
	size_t n_chunks;
	struct point *point;
	size_t n_points;
	pthread_mutex_t lock;		/* of what follows */
	int error;			/* errno of a row that was not written: no more points begin */
	const char *error_path;
	struct moore_err err;		/* code 0: no simulation has failed */
	size_t failed;			/* the point that did */
	uint64_t n_ran, n_wanted;
	double begun;
};

/* ---- points: on threads ------------------------------------------------------------------- */

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
keep(struct runner *r, const struct point *p, double seconds)
{
	struct moore_buf row = MOORE_BUF_INIT;

	campaign_put_row(&row, r->k->topology.word[r->topology].text, &p->row, p->s->how.ns);
	pthread_mutex_lock(&r->lock);
	if (!r->error && (r->error = campaign_add(r->k, p->chunk, p->number, seconds, &row)))
		r->error_path = p->chunk->path;
	r->n_ran += !r->error;
	if (r->n_ran) {
		cli_busy_share(NULL, (double)r->n_ran / (double)r->n_wanted);
		cli_busy_left((seconds_now() - r->begun) * (double)(r->n_wanted - r->n_ran) / (double)r->n_ran);
	}
	pthread_mutex_unlock(&r->lock);
	moore_buf_free(&row);
}

static void
run_point(void *arg, unsigned worker, size_t i)
{
	struct runner *r = arg;
	struct point *p = &r->point[i];
	const double begun = seconds_now();
	struct moore_err err;
	bool stop;

	(void)worker;
	pthread_mutex_lock(&r->lock);
	stop = r->error || r->err.code;
	pthread_mutex_unlock(&r->lock);
	if (stop)
		return;
	if (moore_simulate(&p->row.result, &p->p, 1, &r->world.t, &p->s->o, NULL, &err) == 0) {
		keep(r, p, seconds_now() - begun);
		return;
	}
	pthread_mutex_lock(&r->lock);
	r->err = err;
	r->failed = p->number;
	pthread_mutex_unlock(&r->lock);
}

/* ---- what they need --------------------------------------------------------------------------- */

static void
drop_setting(struct runner *r, size_t seed)
{
	if (!r->setting[seed])
		return;
	cli_simulation_free(&r->setting[seed]->s);
	campaign_call_free(&r->setting[seed]->call);
	free(r->setting[seed]);
	r->setting[seed] = NULL;
}

static size_t
n_seeds(const struct campaign *k)
{
	return k->seed.n ? k->seed.n : 1;
}

static void
drop_world(struct runner *r)
{
	for (size_t i = 0; i < n_seeds(r->k); i++)
		drop_setting(r, i);
	cli_sim_world_free(&r->world);
	r->world = (struct cli_sim_world){ .dumps = { NULL } };
	r->topology = SIZE_MAX;
}

static int
build_plan(const struct cli_call *c, struct moore_plan **plan)
{
	struct moore_topo *t = NULL;
	struct moore_err err;
	int rc = cli_build_topo(c, &t);

	if (rc == CLI_OK && moore_plan_from_topo(plan, t, &err) < 0)
		rc = cli_misuse(c, "%s: %s", c->arg[0], err.text);
	moore_topo_free(t);
	return rc;
}

static int
load_world(struct runner *r, size_t topology)
{
	struct moore_plan *plan = NULL;
	struct campaign_call call;
	int rc;

	if (r->topology == topology)
		return CLI_OK;
	drop_world(r);
	cli_busy("routing");
	if ((rc = campaign_call(r->k, topology, 0, &call)) == CLI_OK &&
	    (rc = call.family ? build_plan(&call.c, &plan) : cli_load_plan(call.arg[0], &plan)) == CLI_OK &&
	    (rc = cli_sim_world_load(&call.c, plan, &r->world)) == CLI_OK)
		r->topology = topology;
	campaign_call_free(&call);
	return rc;
}

static int
make_setting(struct runner *r, size_t seed)
{
	struct setting *x;
	int rc;

	if (r->setting[seed])
		return CLI_OK;
	if (!(x = r->setting[seed] = calloc(1, sizeof(*x))))
		return cli_error("out of memory");
	if ((rc = campaign_call(r->k, r->topology, seed, &x->call)) != CLI_OK ||
	    (rc = cli_simulation_options(&x->s, &x->call.c)) != CLI_OK)
		return rc;
	return cli_simulation_place(&x->s, &r->world);
}

/* Makes the points of the batch that are missing, and drops what none of them needs. */
static int
make_points(struct runner *r)
{
	const struct campaign *k = r->k;
	size_t seed = 0;
	int rc;

	for (size_t i = 0; i < r->n_chunks; i++)
		for (size_t n = 0; n < r->chunk[i].n; n++) {
			const size_t number = r->chunk[i].first + n, at = number % k->per_topology;
			struct point *p = &r->point[r->n_points];

			if (r->chunk[i].done[n])
				continue;
			for (; seed < at / k->per_seed; seed++)
				if (!r->n_points || r->point[r->n_points - 1].number % k->per_topology / k->per_seed != seed)
					drop_setting(r, seed);
			if ((rc = make_setting(r, seed)) != CLI_OK)
				return rc;
			*p = (struct point){ .number = number, .s = &r->setting[seed]->s, .chunk = &r->chunk[i] };
			if ((rc = cli_simulation_point(&r->setting[seed]->s, at % k->per_seed, &p->p, &p->row)) != CLI_OK)
				return rc;
			r->n_points++;
		}
	return CLI_OK;
}

/* ---- batches -------------------------------------------------------------------------------------- */

static int
run_batch(struct runner *r)
{
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < r->n_chunks; i++)
		n += r->chunk[i].n;
	if (!n)
		return CLI_OK;
	free(r->point);
	r->n_points = 0;
	if (!(r->point = calloc(n + 1, sizeof(*r->point))))
		return cli_error("out of memory");
	if ((rc = load_world(r, r->chunk[0].number / r->k->chunks_per_topology)) != CLI_OK ||
	    (rc = make_points(r)) != CLI_OK)
		return rc;
	cli_busy("simulating");
	if (r->n_points)
		r->jobs.run(r->n_points < r->jobs.width ? (unsigned)r->n_points : r->jobs.width, r->n_points, run_point,
			    r);
	if (r->error)
		return cli_error("%s: cannot write: %s: free space, and run the same command again; points that are "
				 "done are kept", r->error_path, strerror(r->error));
	return r->err.code ? cli_error("%s: point %zu: %s", r->k->topology.word[r->topology].text, r->failed + 1,
				       r->err.text) : CLI_OK;
}

/* Runs the batch and ends its claims. */
static int
end_batch(struct runner *r)
{
	int rc = run_batch(r);

	for (size_t i = 0; i < r->n_chunks; i++) {
		const int closed = campaign_chunk_free(&r->chunk[i]);

		rc = rc == CLI_OK ? closed : rc;
	}
	r->n_chunks = 0;
	return rc;
}

/* True if chunk `next` must not join the batch. */
static bool
batch_is_full(const struct runner *r, size_t next)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_chunks; i++)
		n += r->chunk[i].n - r->chunk[i].n_done;
	return n >= (size_t)POINTS_PER_JOB * r->jobs.width || r->n_chunks == BATCH_CHUNKS ||
		(r->n_chunks && r->chunk[0].number / r->k->chunks_per_topology != next / r->k->chunks_per_topology);
}

/* Adds chunk i to the batch unless it is done.  held[] notes that another process has it, which is waited for
 * if wait. */
static int
take_chunk(struct runner *r, size_t i, bool wait, bool *held)
{
	struct campaign_chunk *x = &r->chunk[r->n_chunks];
	int rc = campaign_look(r->k, i, x);

	held[i] = false;
	if (rc == CLI_OK && x->n_done < x->n)
		rc = campaign_claim(r->k, x, wait);
	held[i] = rc == CLI_FOUND;
	if (rc == CLI_OK && x->n_done < x->n) {
		r->n_chunks++;
		return CLI_OK;
	}
	campaign_chunk_free(x);
	return rc == CLI_FOUND ? CLI_OK : rc;
}

/* Runs the chunks from..to-1: without waiting those that are free, then those that others held. */
static int
run_chunks(struct runner *r, size_t from, size_t to, bool *held)
{
	int rc = CLI_OK;

	for (int wait = 0; wait < 2 && rc == CLI_OK; wait++) {
		for (size_t i = from; i < to && rc == CLI_OK; i++) {
			if (wait && !held[i])
				continue;
			if (batch_is_full(r, i) || wait)
				rc = end_batch(r);
			if (wait)
				cli_busy("waiting for another process");
			if (rc == CLI_OK)
				rc = take_chunk(r, i, wait, held);
		}
		if (rc == CLI_OK)
			rc = end_batch(r);
	}
	return rc;
}

/* Counts the points that are missing, for the progress. */
static int
count_wanted(struct runner *r, size_t from, size_t to)
{
	struct campaign_chunk x;
	int rc = CLI_OK;

	for (size_t i = from; i < to && rc == CLI_OK; i++) {
		rc = campaign_look(r->k, i, &x);
		r->n_wanted += x.n - x.n_done;
		campaign_chunk_free(&x);
	}
	return rc;
}

int
campaign_run(const struct campaign *k, unsigned jobs, size_t chunk, uint64_t *n_ran)
{
	struct runner *r = calloc(1, sizeof(*r));
	bool *held = calloc(k->n_chunks + 1, sizeof(*held));
	const size_t from = chunk == SIZE_MAX ? 0 : chunk, to = chunk == SIZE_MAX ? k->n_chunks : chunk + 1;
	int rc;

	*n_ran = 0;
	if (!r || !held || !(r->setting = calloc(n_seeds(k), sizeof(struct setting *)))) {
		free(held);
		free(r);
		return cli_error("out of memory");
	}
	r->k = k;
	r->jobs = threads_lend(jobs);
	r->topology = SIZE_MAX;
	r->begun = seconds_now();
	pthread_mutex_init(&r->lock, NULL);
	if ((rc = count_wanted(r, from, to)) == CLI_OK)
		rc = run_chunks(r, from, to, held);
	for (size_t i = 0; i < r->n_chunks; i++)	/* those that a failure left */
		campaign_chunk_free(&r->chunk[i]);
	*n_ran = r->n_ran;
	drop_world(r);
	pthread_mutex_destroy(&r->lock);
	free(r->setting);
	free(r->point);
	free(held);
	free(r);
	return rc;
}
