// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_daemon.c - small parts of the daemon that need no loop: JSON values when memory runs
 * out, names of planes, and the index of planned cables against a linear search. */
#include "harness.h"

#include "conf.h"
#include "json.h"
#include "plan_of.h"
#include "planned.h"

static void *
no_memory(size_t n)
{
	(void)n;
	return NULL;
}

static void
test_json_oom(void **state)
{
	(void)state;
	json_set_alloc_funcs(no_memory, free);
	CHECK("no name", !moore_json_name(NULL));
	CHECK("a name", !moore_json_name("s0"));
	json_set_alloc_funcs(malloc, free);
}

static void
test_json(void **state)
{
	static const struct {
		const char *why, *in, *out;
	} T[] = {
		{ "none", NULL, "" },
		{ "plain", "s0", "s0" },
		{ "UTF-8", "M\303\274nchen", "M\303\274nchen" },
		{ "Latin-1", "M\374nchen", "M?nchen" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		json_t *j = moore_json_name(T[i].in);

		CHECK(T[i].why, j && !strcmp(json_string_value(j), T[i].out));
		json_decref(j);
	}
}

static void
test_plane_names(void **state)
{
	static const struct {
		const char *why, *planes, *text, *device, *rest;
		int port;
		bool good;
	} T[] = {
		{ "none", "", "", "", "", 0, false },
		{ "a port", "mlx5_0:1", "mlx5_0:1", "mlx5_0", "", 1, true },
		{ "the first of three", "a:12,b,c:1", "a:12", "a", "b,c:1", 12, true },
		{ "any port of a device", "b,c:1", "b", "b", "c:1", 0, true },
		{ "a comma at the end", "a:1,", "a:1", "a", "", 1, true },
		{ "nothing before a comma", ",b:1", "", "", "b:1", 0, false },
		{ "no number", "a:x", "a:x", "a:x", "", 0, false },
		{ "a number and more", "a:1x,b", "a:1x", "a:1x", "b", 0, false },
		{ "no port after the colon", "a:,1", "a:", "a:", "1", 0, false },
		{ "port 0", "a:0", "a:0", "a:0", "", 0, false },
		{ "a port that no device has", "a:255", "a:255", "a:255", "", 0, false },
		{ "no device", ":1", ":1", ":1", "", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct plane_name p;
		const char *rest = moored_conf_plane(&p, T[i].planes);

		CHECK(T[i].why, !strcmp(rest, T[i].rest) && !strcmp(p.text, T[i].text));
		CHECK(T[i].why, !strcmp(p.device, T[i].device) && p.good == T[i].good);
		CHECK_EQ(T[i].why, p.port, T[i].port);
	}
}

static void
test_planned_cable(void **state)
{
	struct moore_plan *plan = plan_of("slimfly", "q=5");
	struct planned *p;
	struct moore_err err;

	(void)state;
	CHECK("a plan", plan != NULL);
	CHECK_EQ("an index", planned_new(&p, plan, "plan.json", 1, &err), 0);
	for (uint32_t s = 0; s < plan->n_switches; s++)
		for (unsigned port = 0; port <= plan->sw[s].ports; port++) {
			const struct moore_plan_cable *want = NULL;

			for (uint32_t i = 0; i < plan->n_cables; i++)
				for (int e = 0; e < 2; e++)
					if (plan->cable[i].sw[e] == s && plan->cable[i].port[e] == port)
						want = &plan->cable[i];
			CHECK(plan->sw[s].name, planned_cable(p, plan->sw[s].name,
							       (moore_portnum)port) == want);
		}
	CHECK("no such switch", !planned_cable(p, "nobody", 1));
	planned_put(planned_get(p));
	planned_put(p);
}

static void
test_planned_oom(void **state)
{
	struct planned *p;
	struct moore_err err;
	int rc;

	(void)state;
	for (long n = 0;; n++) {
		struct moore_plan *plan = plan_of("slimfly", "q=3");

		alloc_count = 0;
		alloc_fail_at = n;
		rc = planned_new(&p, plan, "plan.json", 1, &err);
		alloc_fail_at = -1;
		if (rc == 0)
			break;
		CHECK_EQ("no memory", rc, -MOORE_ENOMEM);
		CHECK("nothing is left", !p);
	}
	planned_put(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_oom),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_plane_names),
		cmocka_unit_test(test_planned_cable),
		cmocka_unit_test(test_planned_oom),
	};

	return cmocka_run_group_tests_name("daemon", tests, NULL, NULL);
}
