// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_select.c - `moorectl select`: the LID offsets on which the hosts of a job should send, for
 * a traffic matrix, and a script that sets them for each process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "online.h"

#define GAP 0.01		/* of the greatest load to the proven bound */
#define RANKS_MAX 1024

struct job {
	struct cli_tables t;
	struct moore_amount *a;
	uint32_t n;
	uint64_t ranks;		/* 0: any shares */
	struct moore_shares *s;
};

/* ---- the answer in words ----------------------------------------------------------------- */

static void
put_load(struct moore_buf *b, const char *what, const json_t *answer, const char *key)
{
	if (json_is_number(json_object_get(answer, key)))
		cli_putf(b, "  %-36s %12.6g\n", what, cli_num(answer, key));
}

/* Appends the name of a host, with its port if that is not the first. */
static void
put_host_name(struct moore_buf *b, const json_t *host)
{
	char port[24] = "";
	const char *name = cli_str(host, "host");

	if (cli_int(host, "port") > 1)
		snprintf(port, sizeof(port), ":%lld", cli_int(host, "port"));
	cli_putf(b, "%s%-*s", name, strlen(name) < 28 ? 28 - (int)strlen(name) : 0, port);
}

static void
put_shares(struct moore_buf *b, const json_t *answer)
{
	const json_t *host, *share;
	size_t i, k;

	cli_putf(b, "%lld pair%s of %lld host%s\ngreatest load of a link between switches, in units of "
		 "AMOUNT, when they send\n", cli_int(answer, "pairs"), MOORE_S(cli_int(answer, "pairs")),
		 cli_int(answer, "hosts"), MOORE_S(cli_int(answer, "hosts")));
	put_load(b, "to base LIDs", answer, "base");
	put_load(b, "evenly on all offsets", answer, "even");
	put_load(b, "with the shares below", answer, "greatest");
	put_load(b, "with any shares, no less than", answer, "bound");
	put_load(b, "one offset for each process", answer, "with_ranks");
	if (json_is_object(json_object_get(answer, "hottest"))) {
		cli_putf(b, "a link with that load: ");
		cli_put_link(b, json_object_get(answer, "hottest"));
		cli_putf(b, "\n");
	}
	json_array_foreach(json_object_get(answer, "list"), i, host) {
		cli_putf(b, "%s", i ? "" : "\nhost                         share of each offset\n");
		put_host_name(b, host);
		json_array_foreach(json_object_get(host, "shares"), k, share)
			cli_putf(b, " %.3f", json_number_value(share));
		cli_putf(b, "\n");
	}
}

/* ---- the script ---------------------------------------------------------------------------- */

/* The host name, without a domain, in a NodeDescription such as "node1 mlx5_0"; its length, or 0
 * where a shell would not take it as a word. */
static size_t
host_name(const char *name)
{
	const size_t n = strcspn(name, " .");

	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") < n ?
		0 : n;
}

static int
put_host(struct moore_buf *b, const struct job *j, uint32_t i)
{
	const char *name = j->t.f->ep[j->s->host[i]].name;
	const size_t len = host_name(name);

	if (!len)
		return cli_error("%s: is no host name, so a script cannot find its offsets: use --json",
				 name);
	for (uint32_t k = 0; k < i; k++)
		if (!strncmp(j->t.f->ep[j->s->host[k]].name, name, len) &&
		    host_name(j->t.f->ep[j->s->host[k]].name) == len)
			return cli_error("%.*s: has several ports, and a script cannot tell which of them a "
					 "process uses: use --json", (int)len, name);
	cli_putf(b, "%.*s) offsets='", (int)len, name);
	for (unsigned r = 0; r < j->ranks; r++)
		cli_putf(b, r ? " %u" : "%u", j->s->rank_offset[i * j->ranks + r]);
	cli_putf(b, "' ;;\n");
	return CLI_OK;
}

static int
write_script(const struct job *j, const char *path)
{
	struct moore_buf b = MOORE_BUF_INIT;
	int rc = CLI_OK;

	cli_putf(&b, "#!/bin/sh\n"
		 "# Sets the LID offset on which this process sends over UCX (Open MPI and others\n"
		 "# use it), by its host and its number there, and runs a command.  Made by\n"
		 "# moorectl select.\n"
		 "# Use: mpirun ./SCRIPT PROGRAM [ARGUMENT...]\n"
		 "rank=${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-${MPI_LOCALRANKID:-0}}}\n"
		 "host=$(hostname)\n"
		 "offsets=\n"
		 "case ${host%%%%.*} in\n");
	for (uint32_t i = 0; i < j->s->n_hosts && rc == CLI_OK; i++)
		rc = put_host(&b, j, i);
	cli_putf(&b, "esac\n"
		 "rank=$((rank %% %u))\n"
		 "for k in $offsets; do\n"
		 "\t[ $rank -ne 0 ] || export UCX_IB_LID_PATH_BITS=$k\n"
		 "\trank=$((rank - 1))\n"
		 "done\n"
		 "exec \"$@\"\n", (unsigned)j->ranks);
	if (rc == CLI_OK)
		rc = cli_write_all(&(struct cli_file){ .path = path, .data = &b, .program = true }, 1);
	moore_buf_free(&b);
	return rc;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int
read_matrix(const struct cli_call *c, struct job *j)
{
	struct moore_buf text;
	struct moore_err err;
	int rc = cli_read(c->arg[0], &text);

	if (rc != CLI_OK)
		return rc;
	if (moore_amounts_parse(&j->a, &j->n, j->t.f, text.data, text.len, &err) < 0)
		rc = cli_error_at(c->arg[0], &err);
	else if (!j->n)
		rc = cli_error("%s: holds no amount between two endpoints: a line is SOURCE DESTINATION "
			       "AMOUNT", cli_file_name(c->arg[0]));
	moore_buf_free(&text);
	return rc;
}

/* UCX sends on SL 0 to all LIDs, in any combination, and does not ask the SA for another SL. */
static int
check_tables(const char *dir, const struct job *j)
{
	int rc = cli_judge_tables(dir, &j->t, 1, false);

	if (rc == CLI_FOUND)
		cli_error("%s: SL 0, on which UCX sends, is not safe on all LIDs with these tables%s: see "
			  "`moorectl verify %s --sl 0 --sources endpoints`", dir,
			  j->t.sl_set ? ", which are of profile sl-hint" : "", dir);
	return rc;
}

static int
find_shares(const struct cli_call *c, struct job *j)
{
	const char *dir = cli_opt(c, "tables"), *script = cli_opt(c, "script");
	struct moore_err err;
	int rc;

	if (!dir)
		return cli_misuse(c, "--tables DIR is missing: OpenSM's dumps, or what `moorectl route "
				  "PLAN --lmc N -o DIR` writes");
	if ((rc = cli_opt_u64(c, "ranks", 1, RANKS_MAX, &j->ranks)) != CLI_OK)
		return rc;
	if (script && !j->ranks)
		return cli_misuse(c, "--script: --ranks N is missing: how many processes does a host run?");
	if ((rc = cli_load_tables(dir, &j->t)) != CLI_OK || (rc = check_tables(dir, j)) != CLI_OK ||
	    (rc = read_matrix(c, j)) != CLI_OK)
		return rc;
	cli_busy("dividing");
	if (moore_shares_find(&j->s, j->t.f, j->t.lft, j->a, j->n, (unsigned)j->ranks, GAP, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	return script ? write_script(j, script) : CLI_OK;
}

int
cmd_select(const struct cli_call *c)
{
	const char *script = cli_opt(c, "script");
	struct job j = { .ranks = 0 };
	int rc = find_shares(c, &j);

	if (rc == CLI_OK && !(script && !strcmp(script, "-")))	/* a script alone can be run */
		rc = cli_show(c, moore_answer_shares(j.t.f, j.s), put_shares, NULL);
	moore_shares_free(j.s);
	free(j.a);
	cli_tables_free(&j.t);
	return rc;
}
