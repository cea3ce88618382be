// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* cmd_route.c - `moorectl route`: what the plugin would compute in OpenSM, from
 * a plan, with failures; and as the dumps that OpenSM would leave. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "online.h"

static void
on_mark(void *arg, enum moore_engine_mark mark)
{
	static const char *const next[] = {
		[MOORE_MARK_ROUTED] = "setting lanes",
		[MOORE_MARK_LANES] = "checking",
		[MOORE_MARK_CHECKED] = "writing",
	};

	(void)arg;
	cli_busy(next[mark]);
}

/* The links file that moore.conf names. */
static int
load_links(struct cli_routing *r)
{
	struct moore_err err;
	int rc;

	if (!*r->conf.links)
		return CLI_OK;
	if ((rc = cli_try_links(r->conf.links, &r->links, &err)) == CLI_FOUND)
		return cli_error_at(r->conf.links, &err);
	r->conf.link_rules = r->links;
	return rc;
}

int
cli_conf_options(const struct cli_call *c, struct moore_conf *conf)
{
	static const char *const keys[] = { "profile", "layers", "classes" };
	struct moore_err err;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *value = cli_opt(c, keys[i]);

		if (value && moore_conf_set(conf, keys[i], value, &err) < 0)
			return cli_misuse(c, "--%s: %s", keys[i], err.text);
	}
	return CLI_OK;
}

int
cli_route_plan(const struct cli_call *c, struct cli_routing *r)
{
	const char *conf = cli_opt(c, "conf");
	struct moore_err err;
	uint64_t lmc = 0;
	int rc;

	*r = (struct cli_routing){ NULL };
	moore_conf_defaults(&r->conf);
	if ((rc = cli_opt_u64(c, "lmc", 0, 7, &lmc)) != CLI_OK ||
	    (conf && (rc = cli_load_conf(conf, &r->conf)) != CLI_OK) ||
	    (rc = cli_conf_options(c, &r->conf)) != CLI_OK ||
	    (rc = load_links(r)) != CLI_OK ||
	    (rc = cli_load_plan(c->arg[0], &r->plan)) != CLI_OK)
		return rc;
	if (moore_fabric_from_plan(&r->seen, r->plan, (uint8_t)lmc, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	if ((rc = cli_fail_parts(c, &r->seen)) != CLI_OK)
		return rc;
	cli_busy("routing");
	if (moore_engine_run(&r->result, r->seen, r->plan, &r->conf, on_mark, NULL, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	return CLI_OK;
}

void
cli_routing_free(struct cli_routing *r)
{
	moore_engine_result_free(r->result);
	moore_fabric_free(r->seen);
	moore_plan_free(r->plan);
	moore_links_free(r->links);
}

/* ---- the dumps --------------------------------------------------------------------- */

static int
make_dir(const char *dir)
{
	struct stat st;

	if (mkdir(dir, 0777) == 0)
		return CLI_OK;
	if (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
		return CLI_OK;
	if (errno == EEXIST)
		return cli_error("%s: is no directory: name one for the tables", dir);
	return cli_error("%s: cannot make this directory: %s: make the directories above it, or "
			 "name another", dir, strerror(errno));
}

/* Removes a file of an earlier run, which would be read as part of these tables. */
static int
drop_stale(const char *dir, const char *name)
{
	char *path = cli_path_join(dir, name);
	int rc = CLI_OK;

	if (!path)
		return cli_error("out of memory");
	if (remove(path) != 0 && errno != ENOENT)
		rc = cli_error("%s: cannot remove: %s: it is of an earlier run", path, strerror(errno));
	free(path);
	return rc;
}

static int
put_lfts(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	return moore_dump_write_lfts(r->seen, r->result->lft, out, err);
}

static int
put_sl2vl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	(void)err;
	moore_dump_write_sl2vl(r->seen, r->result->sl2vl, out);
	return 0;
}

static int
put_subnet(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	(void)err;
	moore_dump_write_subnet(r->seen, out);
	return 0;
}

static int
put_fdbs(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	return moore_dump_write_fdbs(r->seen, r->result->lft, out, err);
}

/* Off line no group has members. */
static int
put_mcast(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;
	struct moore_mft *no_groups;
	int rc = moore_mft_new(&no_groups, r->seen->n_switches, err);

	if (rc == 0)
		moore_dump_write_mft(r->seen, no_groups, out);
	moore_mft_free(no_groups);
	return rc;
}

static int
put_op_vls(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	(void)err;
	moore_dump_write_op_vls(r->seen, out);
	return 0;
}

static int
put_path_sl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	return moore_dump_write_path_sl(r->seen, r->result->sl_set, out, err);
}

static int
put_slvl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	(void)err;
	moore_dump_write_slvl(r->seen, r->result->sl2vl, out);
	return 0;
}

/* The SL in the path record of a request that asks for none. */
static uint8_t
record_sl(const void *routing, moore_lid slid, moore_lid dlid)
{
	const struct cli_routing *r = routing;

	return moore_lane_hint_sl(&r->conf.lanes, 0, moore_route_right(r->result->route, slid, dlid));
}

static int
put_psl(const void *arg, struct moore_buf *out, struct moore_err *err)
{
	const struct cli_routing *r = arg;

	(void)err;
	for (moore_epid e = 0; e < r->seen->n_endpoints; e++)
		moore_dump_write_psl(r->seen, e, record_sl, r, out);
	return 0;
}

/* Files that only profile sl-hint has stand last. */
static const struct {
	const char *name;
	int (*write)(const void *arg, struct moore_buf *out, struct moore_err *err);
	bool hint;
} files[] = {
	{ "opensm-lfts.dump", put_lfts, false }, { "opensm-sl2vl.dump", put_sl2vl, false },
	{ "opensm-subnet.lst", put_subnet, false }, { "opensm.fdbs", put_fdbs, false },
	{ "opensm.mcfdbs", put_mcast, false }, { "moore-op-vls.dump", put_op_vls, false },
	{ "moore-path-sl.dump", put_path_sl, true },
	{ "moore-slvl.dump", put_slvl, true }, { "moore-psl.dump", put_psl, true },
};

static int
write_tables(const char *dir, const struct cli_routing *r)
{
	struct cli_file file[ARRAY_LEN(files)] = { { 0 } };
	size_t n = 0;
	int rc;

	if ((rc = make_dir(dir)) != CLI_OK)
		return rc;
	cli_busy("writing");
	for (; n < ARRAY_LEN(files) && rc == CLI_OK && (!files[n].hint || r->result->sl_set); n++) {
		file[n] = (struct cli_file){ .path = cli_path_join(dir, files[n].name),
			.write = files[n].write, .arg = r };
		rc = file[n].path ? CLI_OK : cli_error("out of memory");
	}
	if (rc == CLI_OK)
		rc = cli_write_all(file, n);
	for (size_t i = n; i < ARRAY_LEN(files) && rc == CLI_OK; i++)
		rc = drop_stale(dir, files[i].name);
	for (size_t i = 0; i < n; i++)
		free((char *)file[i].path);
	return rc;
}

/* ---- the answer ---------------------------------------------------------------------- */

static void
put_answer(struct moore_buf *b, const json_t *answer)
{
	const char *topology = cli_str(answer, "topology");

	cli_putf(b, "topology       %s\n", *topology ? topology : "not recognised");
	cli_putf(b, "fabric         %lld switches, %lld endpoints\n", cli_int(answer, "switches"),
		 cli_int(answer, "endpoints"));
	if (cli_int(answer, "missing_switches") || cli_int(answer, "missing_links"))
		cli_putf(b, "missing        %lld switches, %lld links; %lld next hops differ from the "
			 "intact fabric's\n", cli_int(answer, "missing_switches"),
			 cli_int(answer, "missing_links"), cli_int(answer, "repaired"));
	if (cli_int(answer, "avoided_links") || cli_int(answer, "drained_switches"))
		cli_putf(b, "avoided        %lld links out of use, nothing passes through %lld switches\n",
			 cli_int(answer, "avoided_links"), cli_int(answer, "drained_switches"));
	if (cli_int(answer, "unknown_link_rules"))
		cli_putf(b, "links file     %lld lines name no switch of the plan, the first is line "
			 "%lld\n", cli_int(answer, "unknown_link_rules"),
			 cli_int(answer, "unknown_link_line"));
	cli_put_verdict(b, answer);
	cli_put_sound(b, answer);
	cli_putf(b, "hash           %s\n", cli_str(answer, "hash"));
}

static int
answer(const struct cli_call *c, const struct cli_routing *r)
{
	const char *dir = cli_opt(c, "output");
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_route_stats s;
	int rc;

	moore_route_stats(r->result->route, &s);
	rc = cli_show(c, moore_answer_route(r->seen, r->result, &s), put_answer, NULL);
	if (rc != CLI_OK || !dir || c->json)
		return rc;
	cli_putf(&b, "tables         in %s\n", dir);
	return cli_print_text(&b);
}

int
cmd_route(const struct cli_call *c)
{
	const char *dir = cli_opt(c, "output");
	struct cli_routing r = { NULL };
	int rc;

	if (dir && !strcmp(dir, "-"))
		return cli_misuse(c, "-o -: tables are several files: name a directory (it is made "
				  "when it is not there), or leave -o out for the verdict alone");
	if ((rc = cli_route_plan(c, &r)) == CLI_OK && dir)
		rc = write_tables(dir, &r);
	if (rc == CLI_OK)
		rc = answer(c, &r);
	cli_routing_free(&r);
	return rc;
}
