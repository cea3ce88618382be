// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_ibnetdiscover.c - any bytes as ibnetdiscover's output.  What is accepted is a valid
 * plan and can be written as JSON. */
#include "driver.h"
#include "moore/plan.h"

static const char fuzz_name[] = "ibnetdiscover";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"#\n# Topology file\n#\n\nvendid=0x0\nswitchguid=0x20(20)\n"
		"Switch\t4 \"S-0000000000000020\"\t\t# \"same\" base port 0 lid 0 lmc 0\n"
		"[1]\t\"H-0000000000000010\"[1](11) \t\t# \"h\" lid 0 4xSDR\n"
		"[2]\t\"S-0000000000000021\"[3]\t\t# \"same\" lid 0 4xSDR\n\n"
		"Switch\t4 \"S-0000000000000021\"\t\t# \"same\" base port 0 lid 0 lmc 0\n"
		"[3][ext 1]\t\"S-0000000000000020\"[2][ext 2]\t\t# \"same\" lid 0 4xSDR\n"
		"[4]\t\"R-0000000000000030\"[1](31) \t\t# \"\" lid 0 4xSDR\n\n"
		"Ca\t1 \"H-0000000000000010\"\t\t# \"h\"\n"
		"[1](11) \t\"S-0000000000000020\"[1]\t\t# lid 0 lmc 0 \"same\" lid 0 4xSDR\n\n"
		"Rt\t1 \"R-0000000000000030\"\t\t# \"\"\n"
		"[1](31) \t\"S-0000000000000021\"[4]\t\t# lid 0 lmc 0 \"same\" lid 0 4xSDR\n",
		"Switch\t1 \"S-1\"\n",
		NULL
	};

	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_plan *p = NULL, *q = NULL;
	struct moore_err err;

	if (moore_plan_format_find("ibnetdiscover")->parse(&p, (const char *)data, len, &err) < 0)
		return;
	if (moore_plan_write(p, &b, &err) < 0 || moore_plan_parse(&q, b.data, b.len, &err) < 0)
		abort();
	moore_buf_free(&b);
	moore_plan_free(p);
	moore_plan_free(q);
}
