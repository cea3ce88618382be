// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_notice.c - any bytes as a notice of a sweep, or as the rows behind it.  An accepted notice can be written and
 * read back unchanged. */
#include "driver.h"
#include "moore/conf.h"
#include "moore/notice.h"

static const char fuzz_name[] = "notices of sweeps";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"moore-sweep 1\nsm 2c903000a1b2c\nnumber 7\nstate 0\nup 1\nprofile 1\nlayers 3\n"
		"hash 0123456789abcdef\nroutes ffffffffffffffff\nlanes 1\nswitches 338\nendpoints 3042\n"
		"missing_links 1\nmissing_switches 2\nblocks 16\ntopology slimfly q=13\nwhy \n",
		"moore-sweep 1\nsm 1\nnumber 1\nlater yes\nstate 2\nwhy MR01: qos is FALSE\n",
		"moore-rows 1 2c903000a1b2c 46\n000000070000000700000abcffffffff\n",
		NULL
	};

	return seeds;
}

/* Accepted rows can be written and read back unchanged. */
static void
fuzz_rows(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_rows r, again;
	struct moore_err err;

	if (moore_rows_parse(&r, data, len, &err) < 0)
		return;
	moore_rows_write(&b, r.sm, r.number, r.hash, r.n);
	if (b.len > MOORE_ROWS_BYTES || moore_rows_parse(&again, b.data, b.len, &err) < 0 ||
	    again.sm != r.sm || again.number != r.number || again.n != r.n ||
	    memcmp(again.hash, r.hash, r.n * sizeof(*r.hash)) || (r.n && !moore_rows_have(&r, r.hash[0])))
		abort();
	moore_buf_free(&b);
	moore_rows_free(&again);
	moore_rows_free(&r);
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_notice n, again;
	struct moore_err err;

	if (moore_rows_is(data, len))
		fuzz_rows(data, len);
	if (moore_notice_parse(&n, data, len, &err) < 0)
		return;
	if (n.state >= MOORE_N_NOTICES || n.layers >= MOORE_N_LAYERS || n.up > 1 ||
	    strlen(n.why) >= sizeof(n.why) || strlen(n.topology) >= sizeof(n.topology))
		abort();
	moore_notice_write(&b, &n);
	if (b.len > MOORE_NOTICE_MAX || moore_notice_parse(&again, b.data, b.len, &err) < 0 ||
	    memcmp(&n, &again, sizeof(n)))
		abort();
	moore_buf_free(&b);
}
