// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* expected.c - compares the tables that the switches hold with those that engine moore computes.
 *
 * The engine's tables are a function of the plan or the kept graph, moore.conf and the observed
 * fabric, and do not depend on history (docs/stability.md), so moored can compute them again.
 * A row that differs was written by another engine or manager, or from another plan, graph or
 * moore.conf, or is not written yet.  A difference is not an error: verify judges the tables
 * as they are.  But the engine's proof then holds for other tables than those in use.
 *
 * No standard attribute reports whether a switch routes adaptively. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "watch/expected.h"
#include "json.h"
#include "moore/engine.h"
#include "threads.h"

#define CONF_MAX ((size_t)1 << 20)
#define LINKS_MAX ((size_t)64 << 20)
#define OPENSM_CACHE "/var/cache/opensm"

int
conf_for_routes(const char *path, struct moore_conf *conf, struct moore_links **links,
		struct moore_err *err)
{
	struct moore_buf text;
	int rc;

	*links = NULL;
	moore_conf_defaults(conf);
	if (!*path)
		return 0;
	if ((rc = file_read(path, CONF_MAX, &text, err)) < 0)
		return rc;
	rc = moore_conf_parse(conf, text.data, text.len, err);
	moore_buf_free(&text);
	if (rc < 0 || !*conf->links || (rc = file_read(conf->links, LINKS_MAX, &text, err)) < 0)
		return rc;
	rc = moore_links_parse(links, text.data, text.len, err);
	moore_buf_free(&text);
	conf->link_rules = *links;
	return rc;
}

/* Reads the graph that the plugin keeps, if OpenSM runs on this host.  A file that cannot be
 * read is not used by the plugin, either. */
static struct moore_plan *
read_kept(void)
{
	const char *dir = getenv("OSM_CACHE_DIR");
	struct moore_plan *kept = NULL;
	struct moore_buf text;
	struct moore_err err;
	char path[2048];

	snprintf(path, sizeof(path), "%s/" MOORE_KEPT_FILE, dir && *dir ? dir : OPENSM_CACHE);
	if (file_read(path, MOORE_PLAN_SUBNET_BYTES_MAX, &text, &err) < 0)
		return NULL;
	moore_plan_parse(&kept, text.data, text.len, &err);
	moore_buf_free(&text);
	return kept;
}

/* The kept graph counts if there is no plan, as in the plugin. */
int
run_engine(struct moore_engine_result **out, const struct moore_fabric *f,
	   const struct moore_plan *plan, struct moore_conf *conf, struct moore_err *err)
{
	struct moore_jobs jobs = threads_lend(conf->threads);
	struct moore_plan *kept = plan || *conf->plan ? NULL : read_kept();
	int rc;

	conf->jobs = &jobs;
	conf->kept = kept;
	rc = moore_engine_run(out, f, plan, conf, NULL, NULL, err);
	conf->jobs = NULL;
	conf->kept = NULL;
	moore_plan_free(kept);
	return rc;
}

static int
compute(struct moore_engine_result **out, const struct moore_fabric *f,
	const struct moore_plan *plan, const char *moore_conf, struct moore_err *err)
{
	struct moore_links *links;
	struct moore_conf conf;
	int rc = conf_for_routes(moore_conf, &conf, &links, err);

	if (rc == 0)
		rc = run_engine(out, f, plan, &conf, err);
	moore_links_free(links);
	return rc;
}

/* Does a switch or an endpoint have this LID, at any offset? */
static bool
is_owned(const struct moore_lid_owner *owner, unsigned lid)
{
	return owner[lid].sw != MOORE_NONE;
}

static json_t *
compare_routes(const struct snapshot *s, const struct moore_lft *want,
	       const struct moore_lid_owner *owner)
{
	const struct moore_fabric *f = s->fabric;
	json_t *o = json_object(), *example = json_null();
	json_int_t n = 0, differ = 0;

	for (uint32_t i = 0; i < f->n_switches; i++)
		for (unsigned lid = 1; lid <= f->lid_top; lid++) {
			unsigned has = lid < s->lft->stride ? moore_lft_row(s->lft, i)[lid] : MOORE_NO_PATH;
			unsigned is = lid < want->stride ? moore_lft_row(want, i)[lid] : MOORE_NO_PATH;

			if (!is_owned(owner, lid))
				continue;
			n++;
			if (has != is && !differ++) {
				json_decref(example);
				example = json_pack("{s:o, s:i, s:i, s:i}", "switch",
					moore_json_name(f->sw[i].name), "lid", (int)lid, "port", (int)has,
					"expected", (int)is);
			}
		}
	json_object_set_new(o, "routes", json_integer(n));
	json_object_set_new(o, "routes_differ", json_integer(differ));
	json_object_set_new(o, "example", example);
	return o;
}

static bool
is_live(const struct moore_fabric *f, moore_swid s, unsigned port)
{
	return !port || moore_fabric_port(f, s, (moore_portnum)port)->role != MOORE_ROLE_NONE;
}

/* Counts the (switch, in, out), with links at both ports, whose SL2VL rows differ. */
static json_int_t
count_lanes(const struct snapshot *s, const struct moore_sl2vl *want)
{
	const struct moore_fabric *f = s->fabric;
	json_int_t differ = 0;

	for (uint32_t i = 0; i < f->n_switches; i++)
		for (unsigned in = 0; in <= f->sw[i].n_ports; in++)
			for (unsigned out = 1; is_live(f, i, in) && out <= f->sw[i].n_ports; out++)
				if (in != out && is_live(f, i, out))
					differ += memcmp(moore_sl2vl_get(s->sl2vl, i, (moore_portnum)in,
									 (moore_portnum)out),
							 moore_sl2vl_get(want, i, (moore_portnum)in,
									 (moore_portnum)out),
							 sizeof(struct moore_sl_row)) != 0;
	return differ;
}

void
add_expected(json_t *answer, const struct snapshot *s, const struct planned *plan,
	     const char *moore_conf)
{
	struct moore_engine_result *r = NULL;
	struct moore_lid_owner *owner = NULL;
	json_t *o = json_null();
	struct moore_err err;

	if (s->is_ethernet)
		json_object_set_new(answer, "expected_why", json_string(
			"on Ethernet moorectl ethernet diff compares what runs with what ethernet emit wrote"));
	else if (compute(&r, s->fabric, plan ? plan->plan : NULL, moore_conf, &err) < 0 ||
	    moore_fabric_lids(s->fabric, &owner, &err) < 0) {
		json_object_set_new(answer, "expected_why", moore_json_name(err.text));
	} else {
		o = compare_routes(s, r->lft, owner);
		json_object_set_new(o, "lanes_differ", json_integer(count_lanes(s, r->sl2vl)));
	}
	json_object_set_new(answer, "expected", o);
	json_object_set_new(answer, "adaptive_routing", json_null());
	free(owner);
	moore_engine_result_free(r);
}
