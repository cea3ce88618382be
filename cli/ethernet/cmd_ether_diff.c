// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_ether_diff.c - `moorectl ethernet diff`: what to change on the switches, so that they run
 * the routes of a directory, in steps of which no mixture can deadlock. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "ethernet/ether_diff.h"
#include "ethernet/ether_target.h"

static int
make_dir(const char *path)
{
	struct stat st;

	if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return CLI_OK;
	return cli_ether_cannot("make", path);
}

/* Refuses a directory with steps of another difference, which would be loaded as parts of this. */
static int
refuse_old_steps(const char *dir)
{
	char *path = cli_path_join(dir, "step-1");
	struct stat st;
	int rc = CLI_OK;

	if (!path)
		return cli_error("out of memory");
	if (stat(path, &st) == 0)
		rc = cli_error("%s: is there already: remove it, or name another directory", path);
	free(path);
	return rc;
}

/* Writes the edits of one step: DIR/step-K/SWITCH.ipbatch. */
static int
write_step(const char *dir, const struct cli_ether_diff *d, uint32_t step)
{
	char name[24];
	char *at;
	int rc;

	snprintf(name, sizeof(name), "step-%u", step + 1);
	at = cli_path_join(dir, name);
	rc = at ? make_dir(at) : cli_error("out of memory");
	for (moore_swid s = 0; s < d->new.x->plan->n_switches && rc == CLI_OK; s++) {
		struct moore_buf b = MOORE_BUF_INIT;
		char *path = NULL, *dot;

		if (cli_ether_diff_put(d, step, s, &b)) {
			dot = cli_path_join(at, d->new.x->plan->sw[s].name);
			if (!dot || asprintf(&path, "%s.ipbatch", dot) < 0)
				rc = cli_error("out of memory");
			else
				rc = cli_write(path, &b);
			free(dot);
			free(path);
		}
		moore_buf_free(&b);
	}
	free(at);
	return rc;
}

static int
write_steps(const char *dir, const struct cli_ether_diff *d)
{
	int rc = make_dir(dir);

	if (rc == CLI_OK)
		rc = refuse_old_steps(dir);
	for (uint32_t k = 0; k < d->n_steps && rc == CLI_OK; k++)
		rc = write_step(dir, d, k);
	return rc;
}

/* ---- the answer ------------------------------------------------------------------------- */

static bool
differs(const json_t *answer)
{
	return cli_int(answer, "edits");
}

int
cmd_ether_diff(const struct cli_call *c)
{
	const char *out = cli_opt(c, "output");
	struct cli_ether_diff d;
	json_t *answer;
	int rc = cli_ether_diff_load(&d, c->arg[0]);

	if (rc == CLI_OK && (rc = cli_ether_diff_read_old(&d, c->arg[1])) == CLI_OK)
		rc = cli_ether_diff_find(&d);
	if (rc == CLI_OK && out)
		rc = write_steps(out, &d);
	if (rc == CLI_OK) {
		answer = cli_ether_diff_answer(&d);
		if (!out && !c->json && answer) {
			struct moore_buf b = MOORE_BUF_INIT;

			cli_ether_diff_list(&d, &b);
			rc = cli_print_data(&b);
		}
		rc = rc == CLI_OK ? cli_show(c, answer, cli_ether_put_diff, differs) : rc;
	}
	cli_ether_diff_free(&d);
	return rc;
}
