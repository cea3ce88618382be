// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* fuzz_rpc.c - any bytes as a line on moored's socket, and as moored.conf.  Each line gets
 * one reply, which is one line of JSON or nothing, and every reference is released. */
#include "driver.h"
#include "rpc_host.h"
#include "daemon/conf.h"

static const char fuzz_name[] = "JSON-RPC lines and moored.conf";

static const char *const *
fuzz_seeds(void)
{
	static const char *const seeds[] = {
		"[{\"jsonrpc\":\"2.0\",\"method\":\"once\",\"id\":[]},1 ,{\"jsonrpc\":\"2.0\",\"method\":\"once\",\"id\":7}]",
		"{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"params\":{\"n\":4,\"b\":[1,2]},\"id\":1}",
		"[{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"id\":\"a\"},{\"jsonrpc\":\"2.0\","
		"\"method\":\"fail\",\"id\":null},{\"jsonrpc\":\"2.0\",\"method\":\"change\"}]",
		"plan /a/b.json # why\nsocket /run/x\npoll_ms 500\nclients 10\nmetrics (null)\n",
		NULL
	};

	return seeds;
}

static void
fuzz_one(const uint8_t *data, size_t len)
{
	struct moored_conf c;
	struct moore_err err;
	json_t *j;

	if (moored_conf_parse(&c, "conf", (const char *)data, len, &err) == 0 &&
	    (c.poll_ms < 100 || c.clients < 1 || c.socket[sizeof(c.socket) - 1]))
		abort();
	if (memchr(data, '\n', len))
		return;		/* the server splits its input into lines */
	host_clear();
	answer_line(ACCESS_READ, (const char *)data, len);
	run_jobs();
	if (host.replies != 1 || host.captured != host.released)
		abort();
	if (host.out.len) {
		if (memchr(host.out.data, '\n', host.out.len) != host.out.data + host.out.len - 1)
			abort();
		j = json_loadb(host.out.data, host.out.len, 0, NULL);
		if (!j)
			abort();
		json_decref(j);
	}
	host_clear();
}
