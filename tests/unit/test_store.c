// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_store.c - history files on a real file system.  Intact files are read back.  A file
 * that is cut, changed or foreign is set aside, and only its own rows are lost.  A full
 * disk leaves the earlier files as they were. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "moore/fabric.h"
#include "records/store.h"

enum { FILES = 3, ROWS = 4, SECOND = 1000 };

static char dir[64];
static unsigned n_said;
static char said[4096];

static void
say(const char *text)
{
	n_said++;
	snprintf(said, sizeof(said), "%s", text);
}

static const char *
path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static const char *
file_name(unsigned plane, unsigned i)
{
	static char name[64];

	snprintf(name, sizeof(name), "history-%u-%016x.moore", plane, (i + 1) * ROWS * SECOND);
	return name;
}

static unsigned
n_files(const char *ends)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d)))
		n += strlen(e->d_name) > strlen(ends) &&
		     !strcmp(e->d_name + strlen(e->d_name) - strlen(ends), ends);
	closedir(d);
	return n;
}

/* Writes FILES files of ROWS rows each, one row per second. */
static int
fill(void **state)
{
	struct moore_history *h;
	struct moore_fabric *f;
	struct moore_sample s[5] = { { 0 } };
	struct moore_err err;
	uint64_t last = 0;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/moore-store.XXXXXX");
	n_said = 0;
	if (!mkdtemp(dir) || moore_fabric_new(&f, 1, 0, 5, &err) < 0 ||
	    moore_history_new(&h, 100, &err) < 0)
		return -1;
	f->sw[0].guid = 1;
	f->sw[0].n_ports = 4;
	moore_fabric_layout(f);
	for (uint64_t t = 1; t <= FILES * ROWS; t++) {
		for (unsigned k = 1; k <= 4; k++)
			s[k] = (struct moore_sample){ true, t * 1000, k * 77, 3 };
		CHECK_EQ("a row", moore_history_add(h, f, s, t * SECOND, SECOND, &err), 0);
	}
	for (int i = 0; i < FILES; i++) {
		struct moore_buf b = MOORE_BUF_INIT;

		CHECK_EQ("a frame", moore_history_write(h, last, ROWS, &b, &last, &err), 0);
		CHECK_EQ("a file", store_add(dir, 0, last, &b, &err), 0);
		moore_buf_free(&b);
	}
	moore_history_free(h);
	moore_fabric_free(f);
	return 0;
}

static int
sweep_away(void **state)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	(void)state;
	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove(path_of(e->d_name));
	closedir(d);
	return rmdir(dir);
}

static uint32_t
load(unsigned plane)
{
	struct moore_history *h;
	struct moore_err err;
	uint32_t rows;

	CHECK_EQ("memory", moore_history_new(&h, 100, &err), 0);
	CHECK_EQ("load", store_load(dir, plane, h, say, &err), 0);
	rows = moore_history_rows(h);
	moore_history_free(h);
	return rows;
}

static size_t
slurp(const char *name, uint8_t *data, size_t max)
{
	FILE *f = fopen(path_of(name), "rb");
	size_t n = f ? fread(data, 1, max, f) : 0;

	if (f)
		fclose(f);
	return n;
}

static void
put(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(path_of(name), "wb");

	CHECK("open", f != NULL);
	CHECK_EQ("write", fwrite(data, 1, len, f), len);
	fclose(f);
}

static void
test_whole(void **state)
{
	(void)state;
	CHECK_EQ("all rows", load(0), FILES * ROWS);
	CHECK_EQ("of another plane", load(1), 0);
	CHECK_EQ("complaints", n_said, 0);
	put(".history-0-0000000000000001.moore", "half", 4);
	put(".other", "not ours", 8);
	CHECK_EQ("beside what was being written", load(0), FILES * ROWS);
	CHECK("swept away", access(path_of(".history-0-0000000000000001.moore"), F_OK) != 0);
	CHECK("left", access(path_of(".other"), F_OK) == 0);
	store_expire(dir, 0, 2 * ROWS * SECOND);
	CHECK_EQ("those that end before are gone", load(0), (FILES - 1) * ROWS);
}

static void
test_foreign(void **state)
{
	static const struct {
		const char *why, *data, *complaint;
		size_t len;
	} T[] = {
		{ "empty", "", "empty", 0 },
		{ "text", "not ours\n", "", 9 },
		{ "zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "", 28 },
		{ "a head and no more", "MOO1ROWS", "truncated", 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		n_said = 0;
		put(file_name(0, 1), T[i].data, T[i].len);
		CHECK_EQ(T[i].why, load(0), (FILES - 1) * ROWS);
		CHECK_EQ(T[i].why, n_said, 1);
		CHECK_STR(T[i].why, said, T[i].complaint);
		CHECK_STR(T[i].why, said, "set aside");
		CHECK_EQ(T[i].why, n_files(".bad"), 1);
		n_said = 0;
		CHECK_EQ("said once", load(0), (FILES - 1) * ROWS);
		CHECK_EQ("said once", n_said, 0);
	}
	CHECK_EQ("a folder of that name", mkdir(path_of(file_name(0, 1)), 0700), 0);
	remove(path_of("history-0-0000000000001f40.moore.bad"));
	CHECK_EQ("a folder of that name", load(0), (FILES - 1) * ROWS);
	CHECK_STR("a folder of that name", said, "no regular file");
}

/* A frame of a later version between ours is skipped. */
static void
test_later(void **state)
{
	struct moore_buf b = MOORE_BUF_INIT;
	uint8_t data[65536];
	size_t n;

	(void)state;
	n = slurp(file_name(0, 1), data, sizeof(data));
	moore_frame_write(&b, "NEWS", "what", 4);
	moore_buf_add(&b, (char *)data, n);
	put(file_name(0, 1), b.data, b.len);
	moore_buf_free(&b);
	CHECK_EQ("all rows", load(0), FILES * ROWS);
	CHECK_EQ("complaints", n_said, 0);
}

/* A file that is cut or changed at any byte is set aside, and the others are read. */
static void
test_damaged(void **state)
{
	struct moore_rng rng = { test_seed() };
	uint8_t data[65536];
	size_t n = slurp(file_name(0, 1), data, sizeof(data)), cut;

	(void)state;
	CHECK("a file", n > MOORE_FRAME_HEAD && n < sizeof(data));
	for (unsigned i = 0; i < test_rounds(200); i++) {
		uint32_t at = moore_rng_below(&rng, (uint32_t)n);
		uint8_t was = data[at];

		cut = i % 2 ? at : n;
		data[at] ^= (uint8_t)(1 + moore_rng_below(&rng, 255));
		n_said = 0;
		put(file_name(0, 1), data, cut);
		data[at] = was;
		/* A changed frame kind counts as a later version's and is skipped; no row
		 * of the frame is read. */
		CHECK_EQ("the others", load(0), (FILES - 1) * ROWS);
		CHECK("it is told", n_said == 1 || (cut == n && at >= 4 && at < 8));
		remove(path_of(file_name(0, 1)));
	}
}

static uint64_t
sweep_number(void)
{
	uint64_t n;

	CHECK("readable", store_sweep(dir, &n, say));
	return n;
}

/* A limit on the size of files stops a write where a full disk would. */
static void
test_full(void **state)
{
	struct rlimit was, little;
	char *big = calloc(1, 100000);
	struct moore_err err;
	int rc;

	(void)state;
	CHECK_EQ("a file", store_write(dir, "sweep", "7\n", 2, &err), 0);
	getrlimit(RLIMIT_FSIZE, &was);
	little = (struct rlimit){ 1000, was.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &little);
	rc = store_write(dir, "sweep", big, 100000, &err);
	setrlimit(RLIMIT_FSIZE, &was);
	free(big);
	CHECK_EQ("full", rc, -MOORE_EINVAL);
	CHECK_STR("full", err.text, "free space");
	CHECK("nothing is left of it", access(path_of(".sweep"), F_OK) != 0);
	CHECK_EQ("as it was", sweep_number(), 7);
	CHECK_EQ("no folder", store_write("/nowhere", "sweep", "7\n", 2, &err), -MOORE_EINVAL);
	CHECK_EQ("no folder", store_load("/nowhere", 0, NULL, say, &err), -MOORE_EINVAL);
}

static void
test_sweep(void **state)
{
	static const struct {
		const char *why, *text;
		uint64_t n;
		bool bad;
	} T[] = {
		{ "a number", "1234\n", 1234, false },
		{ "without its end", "1234", 0, true },
		{ "none", "x\n", 0, true },
		{ "too great", "99999999999999999999\n", 0, true },
		{ "nothing", "", 0, true },
	};

	(void)state;
	CHECK_EQ("no file", sweep_number(), 0);
	CHECK_EQ("no file", n_said, 0);
	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		n_said = 0;
		put("sweep", T[i].text, strlen(T[i].text));
		CHECK_EQ(T[i].why, sweep_number(), T[i].n);
		CHECK_EQ(T[i].why, n_said, T[i].bad);
		CHECK_EQ(T[i].why, access(path_of("sweep"), F_OK) != 0, T[i].bad);
	}
}

/* As another user without read permission: a file that cannot be read is not reported as
 * damaged, and one that cannot be renamed is not reported as set aside. */
static void
test_forbidden(void **state)
{
	uint64_t n;

	(void)state;
	if (geteuid())
		skip();
	put("sweep", "7\n", 2);
	chmod(path_of("sweep"), 0);
	chmod(path_of(file_name(0, 1)), 0);
	chmod(dir, 0777);
	CHECK_EQ("another user", seteuid(65534), 0);
	n_said = 0;
	CHECK_EQ("the others are read", load(0), (FILES - 1) * ROWS);
	CHECK_EQ("one sentence", n_said, 1);
	CHECK_STR("the reason", said, "Permission denied: left there");
	CHECK("a number that cannot be read", !store_sweep(dir, &n, say));
	CHECK_STR("the reason", said, "Permission denied: left there");
	CHECK_EQ("root", seteuid(0), 0);
	CHECK_EQ("nothing was renamed", n_files(".bad"), 0);
	CHECK_EQ("nothing is lost", (chmod(path_of(file_name(0, 1)), 0644), load(0)), FILES * ROWS);

	put(file_name(0, 1), "not ours", 8);
	chmod(dir, 0755);
	CHECK_EQ("another user", seteuid(65534), 0);
	CHECK_EQ("the others are read", load(0), (FILES - 1) * ROWS);
	CHECK_EQ("root", seteuid(0), 0);
	CHECK_STR("what is done", said, "not read, and left there: cannot rename it");
	CHECK("it is still there", access(path_of(file_name(0, 1)), F_OK) == 0);
}

#define STORE_TEST(f) cmocka_unit_test_setup_teardown(f, fill, sweep_away)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_whole), STORE_TEST(test_foreign), STORE_TEST(test_later),
		STORE_TEST(test_damaged), STORE_TEST(test_full), STORE_TEST(test_sweep),
		STORE_TEST(test_forbidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
