// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_kept.c - any bytes as moore-kept.json, the graph that the plugin keeps.  Whatever the
 * file holds, the fabric that is seen gets sound routes. */
#include "driver.h"
#include "moore/engine.h"
#include "plan_of.h"

static const char fuzz_name[] = "kept";

static struct moore_fabric *seen;	/* a Slim Fly that lacks a link */

static char *
text_of(struct moore_plan *p)
{
	struct moore_buf b = MOORE_BUF_INIT;

	if (moore_plan_write(p, &b, NULL) < 0)
		abort();
	moore_plan_free(p);
	return b.data;
}

static const char *const *
fuzz_seeds(void)
{
	static const char *seeds[5];
	struct moore_plan *p = plan_of("slimfly", "q=3 p=1"), *graph;
	moore_portnum port = 1;

	if (moore_fabric_from_plan(&seen, p, 0, NULL) < 0 || moore_fabric_seal(seen, NULL) < 0 ||
	    moore_engine_keep(&graph, seen, "", NULL) < 0)
		abort();
	seeds[0] = text_of(graph);	/* the whole graph, of no family */
	if (moore_engine_keep(&graph, seen, "slimfly q=3", NULL) < 0)
		abort();
	seeds[1] = text_of(graph);	/* and of a family: it serves although a link is missing */
	while (moore_fabric_port(seen, 0, port)->role != MOORE_ROLE_SWITCH)
		port++;
	moore_fabric_cut(seen, 0, port);
	if (moore_engine_keep(&graph, seen, "slimfly q=3", NULL) < 0)
		abort();
	seeds[2] = text_of(graph);	/* just what is seen */
	seeds[3] = text_of(p);		/* without GUIDs */
	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_engine_result *r = NULL;
	struct moore_plan *kept;
	struct moore_conf conf;
	struct moore_err err;

	if (moore_plan_parse(&kept, (const char *)data, len, &err) < 0)
		return;
	moore_conf_defaults(&conf);
	conf.kept = kept;
	if (moore_engine_run(&r, seen, NULL, &conf, NULL, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	if (!r->verdict->sound)
		abort();
	moore_engine_result_free(r);
	moore_plan_free(kept);
}
