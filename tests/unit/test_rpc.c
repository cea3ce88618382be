// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_rpc.c - request lines and their replies: the examples of section 7 of the JSON-RPC
 * specification, and lines that a faulty peer could send. */
#include "harness.h"
#include "rpc_host.h"

static const struct {
	const char *why, *in, *out;	/* ' stands for " in both */
} T[] = {
	{ "a call", "{'jsonrpc':'2.0','method':'echo','params':{'a':1},'id':1}",
	  "{'jsonrpc':'2.0','id':1,'result':{'a':1}}\n" },
	{ "without params", "{'jsonrpc':'2.0','method':'echo','id':'x'}",
	  "{'jsonrpc':'2.0','id':'x','result':{}}\n" },
	{ "an id of null is a call", "{'jsonrpc':'2.0','method':'echo','id':null}",
	  "{'jsonrpc':'2.0','id':null,'result':{}}\n" },
	{ "a notification", "{'jsonrpc':'2.0','method':'echo'}", "" },
	{ "a notification to nobody", "{'jsonrpc':'2.0','method':'nobody'}", "" },
	{ "a notification that fails", "{'jsonrpc':'2.0','method':'fail'}", "" },
	{ "a slow one", "{'jsonrpc':'2.0','method':'slow','id':1}",
	  "{'jsonrpc':'2.0','id':1,'result':{'alone':true}}\n" },
	{ "no such method", "{'jsonrpc':'2.0','method':'nobody','id':1}", "'code':-32601" },
	{ "no JSON", "{'jsonrpc':'2.0','method':'echo, 'params': 'bar', 'baz]", "'code':-32700" },
	{ "nothing behind it", "{'jsonrpc':'2.0','method':'echo','id':1} x", "'code':-32700" },
	{ "a key twice", "{'jsonrpc':'2.0','method':'echo','id':1,'id':2}", "'code':-32700" },
	{ "no request", "{'jsonrpc':'2.0','method':1,'params':'bar'}", "'code':-32600" },
	{ "no object", "1", "'id':null,'error':{'code':-32600" },
	{ "another version", "{'jsonrpc':'1.0','method':'echo','id':1}", "'code':-32600" },
	{ "an id that is a list", "{'jsonrpc':'2.0','method':'echo','id':[1]}", "'code':-32600" },
	{ "params that are text", "{'jsonrpc':'2.0','method':'echo','id':1,'params':'x'}",
	  "'code':-32600" },
	{ "params by place", "{'jsonrpc':'2.0','method':'echo','id':1,'params':[1]}",
	  "'code':-32602" },
	{ "params against the schema", "{'jsonrpc':'2.0','method':'echo','id':1,'params':{'n':10}}",
	  "'code':-32602,'message':'params.n: 10 is above 9'" },
	{ "a failure, and its text is no UTF-8", "{'jsonrpc':'2.0','method':'fail','id':1}",
	  "'code':-32004,'message':'(the message cannot be shown)'" },
	{ "what only root may", "{'jsonrpc':'2.0','method':'change','id':1}", "'code':-32001" },
	{ "an empty batch", "[]", "{'jsonrpc':'2.0','id':null,'error':{'code':-32600" },
	{ "a batch of nothing good", "[1]", "[{'jsonrpc':'2.0','id':null,'error':{'code':-32600" },
	{ "a batch of notifications", "[{'jsonrpc':'2.0','method':'echo'},"
	  "{'jsonrpc':'2.0','method':'slow'}]", "" },
	{ "a batch", "[{'jsonrpc':'2.0','method':'echo','id':1},{'jsonrpc':'2.0','method':'echo'},"
	  "{'jsonrpc':'2.0','method':'slow','id':2}]",
	  "[{'jsonrpc':'2.0','id':1,'result':{}},{'jsonrpc':'2.0','id':2,'result':{'alone':true}}]\n" },
	{ "an answer that is always the same", "{'jsonrpc':'2.0','method':'once','id':'x'}",
	  "{'jsonrpc':'2.0','id':'x','result':{'always':1}}\n" },
	{ "nobody waits for it", "{'jsonrpc':'2.0','method':'once'}", "" },
	{ "in a batch", "[ {'jsonrpc':'2.0','method':'once','id':1} , 7,\t{'jsonrpc':'2.0','method':"
	  "'once','id':2}]", "[{'jsonrpc':'2.0','id':1,'result':{'always':1}},{'jsonrpc':'2.0','id':null,"
	  "'error':{'code':-32600,'message':'a request is an object'}},{'jsonrpc':'2.0','id':2,'result':"
	  "{'always':1}}]\n" },
	{ "params and brackets in strings", "[{'jsonrpc':'2.0','method':'echo','id':'],[','params':"
	  "{'a':'[,]'}},{'jsonrpc':'2.0','method':'echo','id':2}]",
	  "[{'jsonrpc':'2.0','id':'],[','result':{'a':'[,]'}},{'jsonrpc':'2.0','id':2,'result':{}}]\n" },
	{ "no JSON at the end of a batch: nothing of it runs", "[{'jsonrpc':'2.0','method':'echo','id':1},",
	  "'id':null,'error':{'code':-32700" },
	{ "a batch in a batch", "[[{'jsonrpc':'2.0','method':'echo','id':1}]]",
	  "[{'jsonrpc':'2.0','id':null,'error':{'code':-32600" },
};

static char *
quoted(const char *s)
{
	char *copy = strdup(s);

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	return copy;
}

static void
say(const char *line, enum access access)
{
	host_clear();
	answer_line(access, line, strlen(line));
	run_jobs();
	moore_buf_add(&host.out, "", 0);
}

static void
test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		char *in = quoted(T[i].in), *out = quoted(T[i].out);

		say(in, ACCESS_READ);
		if (!*out || out[strlen(out) - 1] == '\n')
			CHECK(T[i].why, !strcmp(host.out.data, out));
		else
			CHECK_STR(T[i].why, host.out.data, out);
		CHECK_EQ(T[i].why, host.replies, 1);
		CHECK_EQ(T[i].why, host.captured, host.released);
		free(in);
		free(out);
	}
	host_fini();
}

static void
test_access(void **state)
{
	(void)state;
	say("{\"jsonrpc\":\"2.0\",\"method\":\"change\"}", ACCESS_READ);
	CHECK_EQ("refused also when nobody waits for an answer", host.ran, 0);
	say("{\"jsonrpc\":\"2.0\",\"method\":\"change\",\"id\":1}", ACCESS_CHANGE);
	CHECK_EQ("root may", host.ran, 1);
	host_fini();
}

/* Batches that are too large, and more slow requests than can wait. */
static void
test_bounds(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	unsigned busy = 0;

	(void)state;
	for (unsigned n = RPC_BATCH_MAX; n <= RPC_BATCH_MAX + 1; n++) {
		b.len = 0;
		for (unsigned i = 0; i < n; i++)
			moore_buf_fmt(&b, "%c{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"id\":%u}",
				      i ? ',' : '[', i);
		moore_buf_fmt(&b, "]");
		say(b.data, ACCESS_READ);
		CHECK_EQ("one answer", host.replies, 1);
		CHECK_EQ("of one batch", host.out.data[0] == '[', n == RPC_BATCH_MAX);
		if (n > RPC_BATCH_MAX)
			break;
		for (const char *p = host.out.data; (p = strstr(p, "-32005")); p++)
			busy++;
		CHECK_EQ("what cannot wait is told", busy, RPC_BATCH_MAX - JOBS_MAX);
	}
	moore_buf_free(&b);
	host_fini();
}

/* Requests run one per turn.  When the client disconnects, those that have not started do
 * not run; a job that runs elsewhere continues. */
static void
test_turns(void **state)
{
	static const char line[] = "[{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":1},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"slow\",\"id\":2},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"once\",\"id\":3},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"echo\",\"id\":4}]";

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		struct rpc_line *l;

		host_clear();
		l = rpc_open(&fake_host, NULL, ACCESS_READ, line, sizeof(line) - 1, evbuffer_new());
		CHECK_EQ("nothing before the first turn", host.ran, 0);
		for (unsigned i = 0; i < n; i++)
			CHECK("more is left", rpc_next(l));
		CHECK_EQ("one for each turn", host.ran, n >= 1);
		CHECK_EQ("shared while it waits", host.shared > 0, n >= 3);
		CHECK_EQ("no reply yet", host.replies, 0);
		rpc_abandon(l);
		CHECK_EQ("a job is waited for", host.replies, n < 2);
		run_jobs();
		CHECK_EQ("one reply", host.replies, 1);
		CHECK_EQ("the last did not run", host.ran, n >= 1);
		CHECK_EQ("captured", host.captured, host.released);
		CHECK_EQ("no text is referred to", host.shared, 0);
	}
	host_fini();
}

/* Nesting deeper than in any request. */
static void
test_deep(void **state)
{
	enum { DEEP = 200000 };
	char *s = malloc(DEEP);

	(void)state;
	memset(s, '[', DEEP);
	host_clear();
	answer_line(ACCESS_READ, s, DEEP);
	moore_buf_add(&host.out, "", 0);
	CHECK_STR("refused", host.out.data, "-32700");
	free(s);
	host_fini();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests_name("rpc", tests, NULL, NULL);
}
