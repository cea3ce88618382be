// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_apply.c - `moorectl ethernet apply`: brings the switches to the routes of a
 * directory, by commands that the user names.  Each step is loaded on all its switches and read back;
 * the next one begins only when what was read is what the step should leave. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "ethernet/ether_diff.h"
#include "run.h"

#define WIDTH 8			/* commands at a time */
#define OUTPUT_MAX ((size_t)64 << 20)	/* bytes of the routes of a switch */

struct apply {
	struct cli_ether_diff d;
	const char *command, *read;	/* templates */
	uint64_t seconds, wait_ms;
	struct child *child;	/* two for each switch */
	moore_swid *sw;			/* the switches of a round */
};

static int
child_failed(const struct apply *a, const struct child *c, moore_swid s)
{
	return cli_error("%s: %s: %s", a->d.new.x->plan->sw[s].name, c->argv[0], c->why);
}

static int
run(struct apply *a, size_t n)
{
	return cli_run(a->child, n, &(struct child_rules){ .width = WIDTH, .output_max = OUTPUT_MAX,
		       .seconds = (unsigned)a->seconds, .ends_at_failure = true });
}

static int
set_words(const struct apply *a, struct child *c, const char *text, moore_swid s,
	  const char *family)
{
	const struct child_place places[] = {
		{ "{switch}", a->d.new.x->plan->sw[s].name }, { "{family}", family },
	};

	*c = (struct child){ .argv = child_words(text, places, ARRAY_LEN(places)) };
	return c->argv ? CLI_OK : cli_error("\"%s\": no command is there", text);
}

/* ---- reading ------------------------------------------------------------------------------- */

static int
take_answer(struct apply *a, const struct child *c, moore_swid s, struct moore_ether_config *out)
{
	const char *name = a->d.new.x->plan->sw[s].name;
	struct moore_err err;

	if (*c->why)
		return child_failed(a, c, s);
	if (moore_ether_read_running(a->d.new.x, s, c->output.data ? c->output.data : "", c->output.len,
				     out, &err) < 0)
		return cli_error("%s: what %s says: %s", name, c->argv[0], err.text);
	return CLI_OK;
}

/* Reads the routes of the n switches of sw[] into config[], by number of the switch. */
static int
read_routes(struct apply *a, size_t n, struct moore_ether_config *config)
{
	static const char *const family[MOORE_N_IP] = { "-4", "-6" };
	size_t k = 0;
	int rc = CLI_OK;

	for (size_t i = 0; i < n && rc == CLI_OK; i++)
		for (unsigned ip = 0; ip < MOORE_N_IP && rc == CLI_OK; ip++)
			if (a->d.new.x->opts.range[ip].is_set)
				rc = set_words(a, &a->child[k++], a->read, a->sw[i], family[ip]);
	if (rc == CLI_OK)
		rc = run(a, k);
	for (size_t i = 0; rc == CLI_OK && i < k; i++)
		rc = take_answer(a, &a->child[i], a->sw[i * n / k], &config[a->sw[i * n / k]]);
	for (size_t i = 0; i < n; i++)
		moore_ether_config_sort(&config[a->sw[i]]);
	children_free(a->child, k);
	return rc;
}

/* ---- a step ----------------------------------------------------------------------------------- */

static int
load_step(struct apply *a, uint32_t step, size_t *n)
{
	uint32_t n_switches = a->d.new.x->plan->n_switches;
	struct moore_buf *text = calloc((size_t)n_switches + 1, sizeof(*text));
	int rc = text ? CLI_OK : cli_error("out of memory");

	*n = 0;
	for (moore_swid s = 0; s < n_switches && rc == CLI_OK; s++) {
		if (!cli_ether_diff_put(&a->d, step, s, &text[*n]))
			continue;
		rc = set_words(a, &a->child[*n], a->command, s, "");
		a->child[*n].input = &text[*n];
		a->sw[(*n)++] = s;
	}
	if (rc == CLI_OK)
		rc = run(a, *n);
	for (size_t i = 0; i < *n && rc == CLI_OK; i++)
		if (*a->child[i].why)
			rc = child_failed(a, &a->child[i], a->sw[i]);
	children_free(a->child, *n);
	for (size_t i = 0; text && i < n_switches; i++)
		moore_buf_free(&text[i]);
	free(text);
	return rc;
}

/* Compares what the switches of sw[] run with what the step should leave them with. */
static int
check_step(struct apply *a, size_t n)
{
	uint32_t n_switches = a->d.new.x->plan->n_switches;
	struct moore_ether_config *seen = calloc((size_t)n_switches + 1, sizeof(*seen));
	int rc = seen ? read_routes(a, n, seen) : cli_error("out of memory");

	for (size_t i = 0; i < n && rc == CLI_OK; i++) {
		const struct moore_ether_config *want = &a->d.old.config[a->sw[i]], *has = &seen[a->sw[i]];
		uint32_t k = 0;

		while (k < want->n_routes && k < has->n_routes &&
		       moore_ether_route_equal(&want->route[k], &has->route[k]))
			k++;
		if (k < want->n_routes || k < has->n_routes)
			rc = cli_error("%s: does not run the routes of the step that was loaded: route %u "
				       "of %u differs: look at its log, then apply again",
				       a->d.new.x->plan->sw[a->sw[i]].name, k + 1, want->n_routes);
	}
	for (moore_swid s = 0; seen && s < n_switches; s++)
		moore_ether_config_fini(&seen[s]);
	free(seen);
	return rc;
}

static void
wait_ms(uint64_t ms)
{
	const struct timespec t = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static int
run_step(struct apply *a, uint32_t step)
{
	const struct moore_motion *m = a->d.steps ? a->d.steps->motion : NULL;
	const uint32_t k = step - a->d.n_before;	/* the step before those of m has no number there */
	size_t n;
	int rc;

	if (m && k < m->n_steps ? m->step[k].wait : step >= a->d.n_before && a->d.last_waits)
		wait_ms(a->wait_ms);
	cli_busy("loading a step");
	if ((rc = load_step(a, step, &n)) == CLI_OK && (rc = cli_ether_diff_play(&a->d, step)) == CLI_OK)
		rc = check_step(a, n);
	return rc;
}

/* ---- the verb ----------------------------------------------------------------------------------- */

static int
new_apply(const struct cli_call *c, struct apply *a)
{
	size_t n;
	int rc;

	*a = (struct apply){ .command = cli_opt(c, "command"), .read = cli_opt(c, "read"), .seconds = 10,
		.wait_ms = 200 };
	if (!a->command || !a->read)
		return cli_misuse(c, "--command and --read are missing: they say how to load lines on a "
				  "switch, and how to read its routes");
	if ((rc = cli_opt_u64(c, "timeout", 1, 3600, &a->seconds)) != CLI_OK ||
	    (rc = cli_opt_u64(c, "wait", 0, 60000, &a->wait_ms)) != CLI_OK ||
	    (rc = cli_ether_diff_load(&a->d, c->arg[0])) != CLI_OK)
		return rc;
	n = (size_t)a->d.new.x->plan->n_switches + 1;
	a->child = calloc(2 * n, sizeof(*a->child));
	a->sw = calloc(n, sizeof(*a->sw));
	for (moore_swid s = 0; s + 1 < n && rc == CLI_OK; s++)
		rc = cli_ether_check_name(c->arg[0], a->d.new.x->plan->sw[s].name);
	return rc != CLI_OK || (a->child && a->sw) ? rc : cli_error("out of memory");
}

static int
read_all(struct apply *a)
{
	uint32_t n = a->d.new.x->plan->n_switches;

	if (!(a->d.old.config = calloc((size_t)n + 1, sizeof(*a->d.old.config))))
		return cli_error("out of memory");
	for (moore_swid s = 0; s < n; s++)
		a->sw[s] = s;
	cli_busy("reading the switches");
	return read_routes(a, n, a->d.old.config);
}

/* Keeps a second apply out until this one and all commands that it has started are gone: they
 * inherit the lock, so a command that outlives an apply that was killed cannot write between the
 * steps of the next one. */
static int
lock(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		close(fd);
		return cli_error("%s: another apply of this directory runs, or a command that it started: wait "
				 "until it has ended", dir);
	}
	return CLI_OK;		/* the process ends with the lock */
}

int
cmd_ether_apply(const struct cli_call *c)
{
	struct apply a;
	json_t *answer = NULL;
	int rc = new_apply(c, &a);

	signal(SIGPIPE, SIG_IGN);	/* a command may end before it has read all */
	if (rc == CLI_OK && !cli_has(c, "dry-run"))
		rc = lock(c->arg[0]);
	if (rc == CLI_OK && (rc = read_all(&a)) == CLI_OK && (rc = cli_ether_diff_find(&a.d)) == CLI_OK &&
	    !(answer = cli_ether_diff_answer(&a.d)))
		rc = cli_error("out of memory");
	for (uint32_t k = 0; k < a.d.n_steps && rc == CLI_OK && !cli_has(c, "dry-run"); k++)
		rc = run_step(&a, k);
	if (rc == CLI_OK)
		rc = cli_show(c, answer, cli_ether_put_diff, NULL);
	else
		json_decref(answer);
	free(a.child);
	free(a.sw);
	cli_ether_diff_free(&a.d);
	return rc;
}
