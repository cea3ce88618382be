// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_campaign.c - `moorectl campaign`: many simulations, here or as an array job of Slurm. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "moore/conf.h"

#include "load/campaign.h"

static int
read_jobs(const struct cli_call *c, uint64_t *jobs)
{
	return cli_opt_u64(c, "jobs", 1, MOORE_THREADS_MAX, jobs);
}

/* ---- run ------------------------------------------------------------------------------------- */

static void
put_campaign(struct moore_buf *b, const json_t *o)
{
	cli_putf(b, "%lld of %lld points are done, %lld of them by this run\n", cli_int(o, "done"),
		 cli_int(o, "points"), cli_int(o, "ran"));
	if (cli_int(o, "saturated"))
		cli_putf(b, "saturated: %lld points\n", cli_int(o, "saturated"));
	if (cli_int(o, "stalled"))
		cli_putf(b, CLI_RED "stalled" CLI_PLAIN ": %lld points\n", cli_int(o, "stalled"));
	if (cli_int(o, "dropped"))
		cli_putf(b, CLI_RED "dropped" CLI_PLAIN " packets: %lld points\n", cli_int(o, "dropped"));
	if (*cli_str(o, "results"))
		cli_putf(b, "%s: a row for each\n%s: its seconds and host\n", cli_str(o, "results"), cli_str(o, "times"));
}

static struct moore_campaign
summary(const struct campaign *k, const struct campaign_sums *sums, uint64_t ran)
{
	return (struct moore_campaign){ .points = sums->points, .done = sums->done, .ran = ran, .chunks = k->n_chunks,
					.saturated = sums->saturated, .stalled = sums->stalled,
					.dropped = sums->dropped, .folder = k->dir };
}

static int
show(const struct cli_call *c, const struct campaign *k, struct moore_campaign *a)
{
	char *results = cli_path_join(k->dir, "results.csv"), *times = cli_path_join(k->dir, "times.csv");
	int rc;

	if (a->done == k->n_points && !cli_has(c, "chunk")) {
		a->results = results;
		a->times = times;
	}
	rc = results && times ? cli_show(c, moore_answer_campaign(a), put_campaign, NULL) :
		cli_error("out of memory");
	free(results);
	free(times);
	return rc;
}

static int
run(const struct cli_call *c, struct campaign *k)
{
	struct moore_campaign a;
	struct campaign_sums sums;
	uint64_t jobs = 0, chunk = SIZE_MAX, ran;
	int rc;

	if ((rc = read_jobs(c, &jobs)) != CLI_OK || (rc = campaign_read(c, k)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "chunk", 0, k->n_chunks - 1, &chunk)) != CLI_OK ||
	    (rc = campaign_begin(k)) != CLI_OK ||
	    (rc = campaign_run(k, (unsigned)jobs, (size_t)chunk, &ran)) != CLI_OK ||
	    (rc = campaign_merge(k, (size_t)chunk, true, &sums)) != CLI_OK)
		return rc;
	a = summary(k, &sums, ran);
	return show(c, k, &a);
}

int
cmd_campaign_run(const struct cli_call *c)
{
	struct campaign k = { .begun = -1 };
	const int rc = run(c, &k);

	campaign_free(&k);
	return rc;
}

/* ---- an array job ------------------------------------------------------------------------------- */

/* Appends a word as a shell reads it. */
static void
put_word(struct moore_buf *b, const char *word)
{
	cli_putf(b, "'");
	for (; *word; word++)
		cli_putf(b, *word == '\'' ? "'\\''" : "%c", *word);
	cli_putf(b, "'");
}

/* Appends the name of the file for a task's output; % would begin a replacement. */
static void
put_output(struct moore_buf *b, const char *dir)
{
	cli_putf(b, "#SBATCH --output=\"");
	for (; *dir; dir++)
		cli_putf(b, *dir == '%' ? "%%%%" : "%c", *dir);
	cli_putf(b, "/slurm-%%a.out\"\n#SBATCH --open-mode=append\n");
}

static int
put_script(struct moore_buf *b, const struct campaign *k, uint64_t jobs)
{
	char *file = realpath(k->file, NULL), *dir = realpath(k->dir, NULL), self[PATH_MAX] = "moorectl";
	int rc = file && dir ? CLI_OK : cli_error("%s: cannot find it again", file ? k->dir : k->file);
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0)
		self[n] = '\0';
	if (rc == CLI_OK && (file[strcspn(file, "\n\"\\")] || dir[strcspn(dir, "\n\"\\")]))
		rc = cli_error("%s: the path of it or of %s has a quote, a backslash or a line break, which sbatch may "
			       "misread: rename the folder", file, dir);
	if (rc == CLI_OK) {
		cli_putf(b, "#!/bin/sh\n# %zu points in %zu chunks; afterwards: moorectl campaign run FILE\n"
			 "#SBATCH --job-name=moore-campaign\n#SBATCH --array=0-%zu\n#SBATCH --ntasks=1\n"
			 "#SBATCH --cpus-per-task=%llu\n", k->n_points, k->n_chunks, k->n_chunks - 1,
			 (unsigned long long)jobs);
		put_output(b, dir);
		cli_putf(b, "exec ");
		put_word(b, self);
		cli_putf(b, " campaign run ");
		put_word(b, file);
		cli_putf(b, " -o ");
		put_word(b, dir);
		cli_putf(b, " --jobs %llu --chunk \"$SLURM_ARRAY_TASK_ID\"\n", (unsigned long long)jobs);
	}
	free(file);
	free(dir);
	return rc;
}

static void
put_only_script(struct moore_buf *b, const json_t *answer)
{
	cli_putf(b, "%s", cli_str(answer, "script"));
}

static int
print_script(const struct cli_call *c, struct campaign *k, struct moore_buf *script)
{
	struct campaign_sums sums;
	struct moore_campaign a;
	uint64_t jobs = 1;
	int rc;

	if ((rc = read_jobs(c, &jobs)) != CLI_OK || (rc = campaign_read(c, k)) != CLI_OK ||
	    (rc = campaign_begin(k)) != CLI_OK || (rc = put_script(script, k, jobs)) != CLI_OK ||
	    (rc = campaign_merge(k, SIZE_MAX, false, &sums)) != CLI_OK)
		return rc;
	a = summary(k, &sums, 0);
	a.script = script->data;
	return cli_show_script(c, script->oom ? NULL : moore_answer_campaign(&a), put_only_script, NULL);
}

int
cmd_campaign_slurm(const struct cli_call *c)
{
	struct moore_buf script = MOORE_BUF_INIT;
	struct campaign k = { .begun = -1 };
	const int rc = print_script(c, &k, &script);

	moore_buf_free(&script);
	campaign_free(&k);
	return rc;
}
