// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_amounts.c - any bytes as a traffic matrix of a small fabric.  What is accepted are amounts
 * above 0 between two different endpoints that have a LID and a link. */
#include "driver.h"
#include "fabrics.h"
#include "moore/shares.h"

static const char fuzz_name[] = "traffic matrix";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"# from to amount\nh0 h1 5\nh1 h0 18446744073709551615\n0x100003 0x100001 7\n",
		"h0\th1\t5\r\n\nh2:1 h0 0 # none\nh2 lid1 7",
		NULL
	};

	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	static const struct moore_topo_link triangle[] = { { 0, 1 }, { 1, 2 }, { 2, 0 } };
	static const uint16_t one[3] = { 1, 1, 1 };
	struct moore_fabric *f = test_fabric(3, triangle, 3, one, 1);
	struct moore_amount *a = NULL;
	struct moore_err err;
	uint32_t n = 0;

	if (moore_amounts_parse(&a, &n, f, (const char *)data, len, &err) < 0 && (a || n))
		abort();
	for (uint32_t i = 0; i < n; i++)
		if (a[i].from >= 3 || a[i].to >= 3 || a[i].from == a[i].to || !(a[i].amount > 0))
			abort();
	free(a);
	moore_fabric_free(f);
}
