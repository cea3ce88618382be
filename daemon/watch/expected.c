// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* expected.c - compares the tables that the switches hold with those that engine moore computes.
 *
 * The engine's tables are a function of the plan, moore.conf and the observed fabric, and do
 * not depend on history (docs/stability.md), so moored can compute them again.  A row that
 * differs was written by another engine or manager, or from another plan or moore.conf, or is
 * not written yet.  A difference is not an error: verify judges the tables as they are.  But
 * the engine's proof then holds for other tables than those in use.
 *
 * No standard attribute reports whether a switch routes adaptively. */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "watch/expected.h"
#include "json.h"
#include "moore/engine.h"
#include "threads.h"

#define CONF_MAX ((size_t)1 << 20)
#define LINKS_MAX ((size_t)64 << 20)

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
	struct moore_links *links = NULL;
	json_t *o = json_null();
	struct moore_jobs jobs;
	struct moore_conf conf;
	struct moore_err err;
	int rc = conf_for_routes(moore_conf, &conf, &links, &err);

	jobs = threads_lend(conf.threads);
	conf.jobs = &jobs;
	if (rc < 0 ||
	    moore_engine_run(&r, s->fabric, plan ? plan->plan : NULL, &conf, NULL, NULL, &err) < 0 ||
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
	moore_links_free(links);
}
