// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_daemon.c - small parts of the daemon that need no loop: JSON values when memory runs
 * out, and the index of planned cables against a linear search. */
#include "harness.h"

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
		cmocka_unit_test(test_planned_cable),
		cmocka_unit_test(test_planned_oom),
	};

	return cmocka_run_group_tests_name("daemon", tests, NULL, NULL);
}
