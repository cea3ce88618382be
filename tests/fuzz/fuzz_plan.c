// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_plan.c - any bytes as a plan.  An accepted plan is written as the same text twice,
 * and in every format that can express it. */
#include "driver.h"
#include "moore/plan.h"

static const char fuzz_name[] = "plan";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"{\"moore_plan\": 1, \"topology\": {\"family\": \"slimfly\", \"q\": 5, \"p\": -1},"
		" \"permutation_seed\": \"0x7\", \"switches\": ["
		"{\"name\": \"a\", \"ports\": 5, \"guid\": \"0x10\", \"cabinet\": \"R \\\"1\\\"\", \"unit\": 40},"
		"{\"name\": \"b\", \"ports\": 4}], \"endpoints\": ["
		"{\"name\": \"h\", \"switch\": \"a\", \"port\": 1, \"guid\": \"0x101\"},"
		"{\"name\": \"h\", \"switch\": \"b\", \"port\": 1, \"ca_port\": 2}], \"cables\": ["
		"{\"a\": {\"switch\": \"a\", \"port\": 3}, \"b\": {\"switch\": \"b\", \"port\": 3},"
		" \"length\": 2.3, \"label\": \"C, 1\"},"
		"{\"a\": {\"switch\": \"b\", \"port\": 2}, \"b\": {\"switch\": \"a\", \"port\": 5}}]}",
		"{\n\"moore_plan\": 1,\n\"switches\": [\n  {\"name\": \"s\", \"ports\": 1}\n],\n"
		"\"endpoints\": [],\n\"cables\": []\n}\n",
		NULL
	};

	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT, again = MOORE_BUF_INIT, other = MOORE_BUF_INIT;
	struct moore_plan *p = NULL, *q = NULL;
	struct moore_err err;

	if (moore_plan_parse(&p, (const char *)data, len, &err) < 0)
		return;
	if (moore_plan_write(p, &b, &err) < 0 || moore_plan_parse(&q, b.data, b.len, &err) < 0 ||
	    moore_plan_write(q, &again, &err) < 0 || strcmp(b.data, again.data))
		abort();
	for (size_t i = 0; moore_plan_format_at(i); i++)
		if (moore_plan_format_at(i)->write)
			moore_plan_format_at(i)->write(p, &other, &err);
	moore_buf_free(&b);
	moore_buf_free(&again);
	moore_buf_free(&other);
	moore_plan_free(p);
	moore_plan_free(q);
}
