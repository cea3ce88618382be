// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_env.c - the settings for applications, as tables: what each target gets for a
 * number of LIDs, a profile and a set of offsets.  The expectations are those of
 * docs/applications.md. */
#include "harness.h"

#include "moore/env.h"

#define EFFECT "sends to base LIDs with any setting: offsets other than 0 have no effect"
#define ASKS "does not ask the SA for the SL of offsets other than 0, and in profile " \
	     "sl-hint only that one is free of deadlock: use offset 0, or profile any-sl"
#define WHOLE "uses offset 0 or all of them: no other set can be chosen"
#define FROM0 "uses offsets from 0 on: none below the last can be left out"

static const struct {
	const char *target;
	unsigned n_lids;
	bool hint;
	const char *use;
	unsigned sl;
	const char *want;	/* a line for each transport */
} T[] = {
	/* UCX: any set of offsets; more than one makes rails, at most 8 */
	{ "ucx", 1, false, NULL, 0, "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=0\n" },
	{ "ucx", 2, false, NULL, 0,
	  "ucx UCX_IB_LID_PATH_BITS=0-1 UCX_MAX_RNDV_RAILS=2 UCX_IB_SL=0\n" },
	{ "ucx", 4, false, NULL, 3,
	  "ucx UCX_IB_LID_PATH_BITS=0-3 UCX_MAX_RNDV_RAILS=4 UCX_IB_SL=3\n" },
	{ "ucx", 128, false, "all", 0,
	  "ucx UCX_IB_LID_PATH_BITS=0-127 UCX_MAX_RNDV_RAILS=8 UCX_IB_SL=0\n" },
	{ "ucx", 16, false, "0-8", 0,
	  "ucx UCX_IB_LID_PATH_BITS=0-8 UCX_MAX_RNDV_RAILS=8 UCX_IB_SL=0\n" },
	{ "ucx", 16, false, "0-6", 0,
	  "ucx UCX_IB_LID_PATH_BITS=0-6 UCX_MAX_RNDV_RAILS=7 UCX_IB_SL=0\n" },
	{ "ucx", 4, false, "minimal", 0, "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=0\n" },
	{ "ucx", 4, false, "valiant", 0,
	  "ucx UCX_IB_LID_PATH_BITS=1-3 UCX_MAX_RNDV_RAILS=3 UCX_IB_SL=0\n" },
	{ "ucx", 2, false, "valiant", 0, "ucx UCX_IB_LID_PATH_BITS=1 UCX_IB_SL=0\n" },
	{ "ucx", 4, true, NULL, 12, "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=12\n" },
	{ "ucx", 4, true, "0", 0, "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=0\n" },
	{ "ucx", 4, true, "all", 0, "ucx " ASKS "\n" },
	{ "ucx", 4, true, "1", 0, "ucx " ASKS "\n" },
	/* openib: the first n offsets; asks for the SL */
	{ "openmpi", 1, false, NULL, 0,
	  "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=0\n"
	  "openib OMPI_MCA_btl_openib_max_lmc=1 OMPI_MCA_btl_openib_ib_service_level=0\n" },
	{ "openmpi", 4, false, "0-1", 2,
	  "ucx UCX_IB_LID_PATH_BITS=0-1 UCX_MAX_RNDV_RAILS=2 UCX_IB_SL=2\n"
	  "openib OMPI_MCA_btl_openib_max_lmc=2 OMPI_MCA_btl_openib_ib_service_level=2\n" },
	{ "openmpi", 4, false, "0,2", 0,
	  "ucx UCX_IB_LID_PATH_BITS=0,2 UCX_MAX_RNDV_RAILS=2 UCX_IB_SL=0\nopenib " FROM0 "\n" },
	{ "openmpi", 4, false, "1-3", 0,
	  "ucx UCX_IB_LID_PATH_BITS=1-3 UCX_MAX_RNDV_RAILS=3 UCX_IB_SL=0\nopenib " FROM0 "\n" },
	{ "openmpi", 4, true, NULL, 4,
	  "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=4\n"
	  "openib OMPI_MCA_btl_openib_max_lmc=4 OMPI_MCA_btl_openib_ib_service_level=4 "
	  "OMPI_MCA_btl_openib_ib_path_record_service_level=1\n" },
	/* MVAPICH2: offset 0, or all */
	{ "mvapich2", 1, false, NULL, 0,
	  "mvapich2 MV2_USE_HSAM=0 MV2_DEFAULT_SERVICE_LEVEL=0\n" },
	{ "mvapich2", 4, false, NULL, 0,
	  "mvapich2 MV2_USE_HSAM=1 MV2_DEFAULT_SERVICE_LEVEL=0\n" },
	{ "mvapich2", 2, false, "all", 0,
	  "mvapich2 MV2_USE_HSAM=1 MV2_DEFAULT_SERVICE_LEVEL=0\n" },
	{ "mvapich2", 4, false, "minimal", 5,
	  "mvapich2 MV2_USE_HSAM=0 MV2_DEFAULT_SERVICE_LEVEL=5\n" },
	{ "mvapich2", 4, false, "0-2", 0, "mvapich2 " WHOLE "\n" },
	{ "mvapich2", 4, false, "valiant", 0, "mvapich2 " WHOLE "\n" },
	{ "mvapich2", 4, true, NULL, 0,
	  "mvapich2 MV2_USE_HSAM=0 MV2_DEFAULT_SERVICE_LEVEL=0 MV2_PATH_SL_QUERY=1\n" },
	{ "mvapich2", 4, true, "all", 0, "mvapich2 " ASKS "\n" },
	/* NCCL and rdma_cm: base LIDs alone; NCCL has other offsets over UCX, when asked for */
	{ "nccl", 4, false, NULL, 7, "nccl NCCL_IB_SL=7\n" },
	{ "nccl", 4, true, NULL, 0, "nccl NCCL_IB_SL=0\n" },
	{ "nccl", 4, false, "minimal", 7, "nccl NCCL_IB_SL=7\n" },
	{ "nccl", 4, false, "1", 3, "nccl " EFFECT "\n"
	  "nccl_ucx NCCL_PLUGIN_P2P=ucx UCX_IB_LID_PATH_BITS=1 UCX_IB_SL=3\n" },
	{ "nccl", 4, false, "all", 0, "nccl " EFFECT "\n"
	  "nccl_ucx NCCL_PLUGIN_P2P=ucx UCX_IB_LID_PATH_BITS=0-3 UCX_MAX_RNDV_RAILS=4 UCX_IB_SL=0\n" },
	{ "nccl", 4, true, "1", 0, "nccl " EFFECT "\nnccl_ucx " ASKS "\n" },
	{ "rdma_cm", 4, false, NULL, 0, "rdma_cm\n" },
	{ "rdma_cm", 4, false, "all", 0, "rdma_cm " EFFECT "\n" },
	{ "all", 1, false, NULL, 0,
	  "ucx UCX_IB_LID_PATH_BITS=0 UCX_IB_SL=0\n"
	  "openib OMPI_MCA_btl_openib_max_lmc=1 OMPI_MCA_btl_openib_ib_service_level=0\n"
	  "mvapich2 MV2_USE_HSAM=0 MV2_DEFAULT_SERVICE_LEVEL=0\n"
	  "nccl NCCL_IB_SL=0\n"
	  "rdma_cm\n" },
	{ "ucxx", 1, false, NULL, 0, "" },
	{ "uc", 1, false, NULL, 0, "" },
	{ "openib", 1, false, NULL, 0, "" },
	{ "", 1, false, NULL, 0, "" },
};

static void
put_answer(struct moore_buf *b, const struct moore_env_answer *a)
{
	moore_buf_fmt(b, "%s", a->transport);
	if (a->refused)
		moore_buf_fmt(b, " %s", a->refused);
	for (unsigned k = 0; k < a->n_settings; k++)
		moore_buf_fmt(b, " %s=%s", a->setting[k].name, a->setting[k].value);
	moore_buf_fmt(b, "\n");
}

static void
answers(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	struct moore_env_answer a;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_env e = { .n_lids = T[i].n_lids, .hint = T[i].hint, .sl = T[i].sl };
		size_t n;
		int rc;

		b.len = 0;
		CHECK(T[i].target, moore_env_use(&e, T[i].use));
		for (n = 0; (rc = moore_env_answer(&e, T[i].target, n, &a)) == 1; n++)
			put_answer(&b, &a);
		CHECK_EQ(T[i].target, rc, 0);
		moore_buf_add(&b, "", 1);
		assert_string_equal(b.data, T[i].want);
		CHECK_EQ("past the end", moore_env_answer(&e, T[i].target, n + 1, &a), 0);
		CHECK("and empty", !a.transport && !a.n_settings);
	}
	moore_buf_free(&b);
}

static void
sets(void **state)
{
	static const struct {
		const char *use;
		unsigned n_lids;
		const char *want;	/* NULL: refused */
		unsigned n, last;
	} S[] = {
		{ NULL, 4, "0-3", 4, 3 },
		{ "all", 1, "0", 1, 0 },
		{ "minimal", 4, "0", 1, 0 },
		{ "valiant", 4, "1-3", 3, 3 },
		{ "valiant", 2, "1", 1, 1 },
		{ "valiant", 1, "1", 1, 1 },	/* an offset that is not there: the caller reports it */
		{ "3,1,3", 4, "1,3", 2, 3 },
		{ "0,2-5", 8, "0,2-5", 5, 5 },
		{ "5,0-2,1-3", 8, "0-3,5", 5, 5 },
		{ "7-7", 8, "7", 1, 7 },
		{ "0,2,4-5,7", 8, "0,2,4-5,7", 5, 7 },
		{ "126-127", 128, "126-127", 2, 127 },
		{ "0-127", 128, "0-127", 128, 127 },
		{ "128", 128, NULL, 0, 0 },
		{ "1-128", 128, NULL, 0, 0 },
		{ "2-1", 4, NULL, 0, 0 },
		{ "1-", 4, NULL, 0, 0 },
		{ "-1", 4, NULL, 0, 0 },
		{ "0,", 4, NULL, 0, 0 },
		{ ",0", 4, NULL, 0, 0 },
		{ "0 1", 4, NULL, 0, 0 },
		{ "1-2-3", 4, NULL, 0, 0 },
		{ "", 4, NULL, 0, 0 },
		{ "ALL", 4, NULL, 0, 0 },
	};
	struct moore_buf b = MOORE_BUF_INIT;
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(S); i++) {
		struct moore_env e = { .n_lids = S[i].n_lids };
		const char *why = S[i].use ? S[i].use : "no --use";

		memset(&e.use, 1, sizeof(e.use));	/* what an earlier call left */
		CHECK_EQ(why, moore_env_use(&e, S[i].use), S[i].want != NULL);
		CHECK_EQ(why, e.asked, S[i].use != NULL);
		if (!S[i].want)
			continue;
		b.len = 0;
		moore_env_put(&b, &e.use);
		moore_buf_add(&b, "", 1);
		assert_string_equal(b.data, S[i].want);
		CHECK_EQ(why, e.use.n, S[i].n);
		CHECK_EQ(why, e.use.last, S[i].last);
	}
	moore_buf_free(&b);
}

static void
classes(void **state)
{
	static const struct {
		const char *why, *text;
		unsigned qos_class;
		bool found, hint;
		unsigned sl;
	} C[] = {
		{ "class 0 is SL 0", "classes 1,0\n", 0, true, false, 0 },
		{ "the first SL of the class", "classes 0,0,1,2,1\n", 1, true, false, 2 },
		{ "of class 2", "classes 0,0,1,2,1\n", 2, true, false, 3 },
		{ "SL 0 itself", "classes 1\n", 1, true, false, 0 },
		{ "the last SL", "classes 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,5\n", 5, true, false, 15 },
		{ "no SL of the class", "classes 0,2\n", 1, false, false, 0 },
		{ "sl-hint: class 0", "profile sl-hint\nclasses 0,1\n", 0, true, true, 0 },
		{ "sl-hint: SL 4c", "profile sl-hint\nclasses 0,1\n", 1, true, true, 4 },
		{ "sl-hint: the last class", "profile sl-hint\nclasses 0,3\n", 3, true, true, 12 },
		{ "sl-hint: a class not in use", "profile sl-hint\nclasses 0,2\n", 1, false, true, 0 },
		{ "sl-hint: no fifth class", "profile sl-hint\nclasses 0,3\n", 4, false, true, 0 },
		{ "sl-hint: nor a far one", "profile sl-hint\nclasses 0,3\n", 31, false, true, 0 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(C); i++) {
		struct moore_env e = { .hint = !C[i].hint, .sl = 9 };
		struct moore_conf conf;

		assert_int_equal(moore_conf_parse(&conf, C[i].text, strlen(C[i].text), NULL), 0);
		CHECK_EQ(C[i].why, moore_env_class(&e, &conf, C[i].qos_class), C[i].found);
		CHECK_EQ(C[i].why, e.hint, C[i].hint);
		if (C[i].found)
			CHECK_EQ(C[i].why, e.sl, C[i].sl);
	}
}

/* The reason beside an SL differs by profile; that of other settings does not. */
static void
reasons(void **state)
{
	static const struct {
		const char *target, *name;
		bool hint;
		const char *part;
	} R[] = {
		{ "ucx", "UCX_IB_SL", false, "any SL is safe on any LID" },
		{ "ucx", "UCX_IB_SL", true, "UCX never asks the SA" },
		{ "ucx", "UCX_IB_LID_PATH_BITS", false, "LID offsets to send to" },
		{ "ucx", "UCX_IB_LID_PATH_BITS", true, "LID offsets to send to" },
		{ "nccl", "NCCL_IB_SL", true, "NCCL never asks the SA" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(R); i++) {
		struct moore_env e = { .n_lids = 1, .hint = R[i].hint };
		struct moore_env_answer a;
		unsigned k = 0;

		assert_true(moore_env_use(&e, NULL));
		CHECK_EQ(R[i].name, moore_env_answer(&e, R[i].target, 0, &a), 1);
		CHECK(R[i].name, a.what && strlen(a.what));
		while (strcmp(a.setting[k].name, R[i].name) != 0)
			assert_true(++k < a.n_settings);
		CHECK_STR(R[i].name, a.setting[k].why, R[i].part);
	}
}

static void
targets(void **state)
{
	static const char *const want[] = { "ucx", "openmpi", "mvapich2", "nccl", "rdma_cm", "all" };
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(moore_env_target(i), want[i]);
	CHECK("past the end", !moore_env_target(ARRAY_LEN(want)));
}

static void
memory_runs_out(void **state)
{
	struct moore_env e = { .n_lids = 128 };
	struct moore_env_answer a;
	(void)state;

	assert_true(moore_env_use(&e, "all"));
	CHECK_OOM("every allocation fails in turn", moore_env_answer(&e, "ucx", 0, &a), (void)0);
	CHECK_EQ("all settings", a.n_settings, 3);
	assert_string_equal(a.setting[0].value, "0-127");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(sets),
		cmocka_unit_test(classes),
		cmocka_unit_test(reasons),
		cmocka_unit_test(targets),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
