// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* route.c - computes the routes of a plan, with failures, for all verbs that need them. */
#include "cli.h"
#include "threads.h"

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

int
cli_load_links(struct moore_conf *conf, struct moore_links **out)
{
	struct moore_err err;
	int rc;

	*out = NULL;
	if (!*conf->links)
		return CLI_OK;
	if ((rc = cli_try_links(conf->links, out, &err)) == CLI_FOUND)
		return cli_error_at(conf->links, &err);
	conf->link_rules = *out;
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

/* Takes the LIDs from the file of --lids. */
static int
take_lids(const struct cli_call *c, struct moore_fabric *f)
{
	const char *path = cli_opt(c, "lids");
	struct moore_buf text = MOORE_BUF_INIT;
	struct moore_err err;
	int rc;

	if (!path || (rc = cli_read(path, &text)) != CLI_OK)
		return path ? rc : CLI_OK;
	if (moore_fabric_take_lids(f, text.data, text.len, &err) < 0)
		rc = cli_error_at(path, &err);
	moore_buf_free(&text);
	return rc;
}

/* Whether a port lacks a LID.  The first one that does gives *name and *first. */
static bool
lacks_lid(const char **name, const char *of, moore_lid lid, uint64_t guid, uint64_t *first)
{
	if (lid)
		return false;
	if (!*name) {
		*name = of;
		*first = guid;
	}
	return true;
}

/* Refuses ports to which OpenSM has given no LID yet: it cannot load routes to them. */
static int
check_lids(const struct cli_call *c, const struct moore_fabric *f)
{
	const char *name = NULL;
	uint64_t guid = 0;
	uint32_t n = 0;

	for (moore_swid s = 0; s < f->n_switches; s++)
		n += lacks_lid(&name, f->sw[s].name, f->sw[s].lid, f->sw[s].port_guid, &guid);
	for (moore_epid e = 0; e < f->n_endpoints; e++)
		n += lacks_lid(&name, f->ep[e].name, f->ep[e].lid, f->ep[e].guid, &guid);
	if (!n || !cli_opt(c, "lids"))
		return CLI_OK;
	if (n == 1)
		return cli_error("%s: has no LID for \"%s\" (0x%016llx): OpenSM has not found it: leave it "
				 "out with --fail", cli_opt(c, "lids"), name, (unsigned long long)guid);
	return cli_error("%s: has no LIDs for \"%s\" (0x%016llx) and %u more: OpenSM has not found them: "
			 "leave them out with --fail, or with --stage", cli_opt(c, "lids"), name,
			 (unsigned long long)guid, n - 1);
}

int
cli_route(const struct cli_call *c, struct moore_plan *plan, struct cli_routing *r)
{
	const char *conf = cli_opt(c, "conf");
	struct moore_err err;
	uint64_t lmc = 0;
	int rc;

	*r = (struct cli_routing){ .plan = plan };
	moore_conf_defaults(&r->conf);
	if ((rc = cli_opt_u64(c, "lmc", 0, 7, &lmc)) != CLI_OK ||
	    (conf && (rc = cli_load_conf(conf, &r->conf)) != CLI_OK) ||
	    (rc = cli_conf_options(c, &r->conf)) != CLI_OK ||
	    (rc = cli_load_links(&r->conf, &r->links)) != CLI_OK ||
	    (!plan && (rc = cli_load_plan(c->arg[0], &r->plan)) != CLI_OK))
		return rc;
	if (moore_fabric_from_plan(&r->seen, r->plan, (uint8_t)lmc, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	if ((rc = take_lids(c, r->seen)) != CLI_OK ||
	    (rc = cli_keep_stage(c, r->plan, &r->seen)) != CLI_OK ||
	    (rc = cli_fail_parts(c, &r->seen)) != CLI_OK || (rc = check_lids(c, r->seen)) != CLI_OK)
		return rc;
	r->jobs = threads_lend(r->conf.threads);
	r->conf.jobs = &r->jobs;
	cli_busy("routing");
	if (moore_engine_run(&r->result, r->seen, cli_has(c, "without-plan") ? NULL : r->plan,
			     &r->conf, on_mark, NULL, &err) < 0)
		return cli_error_at(c->arg[0], &err);
	return CLI_OK;
}

int
cli_route_plan(const struct cli_call *c, struct cli_routing *r)
{
	return cli_route(c, NULL, r);
}

void
cli_routing_free(struct cli_routing *r)
{
	moore_engine_result_free(r->result);
	moore_fabric_free(r->seen);
	moore_plan_free(r->plan);
	moore_links_free(r->links);
}
