// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_drain.c - which links may be drained, and the file that says so.  A union of switches,
 * made link by link, decides whether all that was connected still is; the engine's tables are
 * read row by row. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#include "fabrics.h"
#include "links_file.h"
#include "moore/conf.h"
#include "moore/drain.h"
#include "moore/engine.h"

/* ---- the verdict ---------------------------------------------------------------------- */

static void
test_verdicts(void **state)
{
	static const struct {
		const char *why;
		struct moore_topo_link link[8];
		size_t n;
		const char *avoid;
		uint32_t most, from, to;
		enum moore_drain want;
	} T[] = {
		{ "a square with both diagonals", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "", 9, 0, 1, MOORE_DRAIN_FINE },
		{ "one already is, by its other end", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "sw1:1 avoid", 9, 0, 1, MOORE_DRAIN_ALREADY },
		{ "each switch keeps two", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "sw1:1 avoid", 9, 0, 2, MOORE_DRAIN_LAST },
		{ "as many as allowed are", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "sw1:1 avoid", 1, 2, 3, MOORE_DRAIN_MANY },
		{ "none is allowed", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "", 0, 2, 3, MOORE_DRAIN_MANY },
		{ "a weight drains nothing", { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 0 }, { 0, 2 }, { 1, 3 } }, 6,
		  "sw0 weight 9", 1, 0, 1, MOORE_DRAIN_FINE },
		{ "a triangle", { { 0, 1 }, { 1, 2 }, { 2, 0 } }, 3, "", 9, 0, 1, MOORE_DRAIN_LAST },
		{ "a bridge between triangles", { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 3, 4 }, { 4, 5 }, { 5, 3 }, { 0, 3 } },
		  7, "", 9, 0, 3, MOORE_DRAIN_BRIDGE },
		{ "no link", { { 0, 1 }, { 1, 2 }, { 2, 0 } }, 3, "", 9, 0, 0, MOORE_DRAIN_NO_LINK },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		uint32_t n = 0;
		struct moore_fabric *f;
		struct moore_links *l;
		enum moore_drain got;
		uint8_t *drained;
		moore_portnum p = 0;

		for (size_t k = 0; k < T[i].n; k++)
			n = T[i].link[k].b + 1 > n ? T[i].link[k].b + 1 : n;
		f = test_fabric(n, T[i].link, T[i].n, (const uint16_t[8]){ 0 }, 0);
		for (unsigned k = 1; k <= f->sw[T[i].from].n_ports; k++)
			if (moore_fabric_port(f, T[i].from, (moore_portnum)k)->role == MOORE_ROLE_SWITCH &&
			    moore_fabric_port(f, T[i].from, (moore_portnum)k)->peer == T[i].to)
				p = (moore_portnum)k;
		assert_int_equal(moore_links_parse(&l, T[i].avoid, strlen(T[i].avoid), NULL), 0);
		drained = calloc(f->n_ports, 1);
		moore_drain_mark(f, l, drained);
		assert_int_equal(moore_drain_judge(&got, f, drained, T[i].from, p, T[i].most, NULL), 0);
		CHECK_STR(T[i].why, moore_drain_name(got), moore_drain_name(T[i].want));
		free(drained);
		moore_links_free(l);
		moore_fabric_free(f);
	}
}

/* ---- bad links at random ---------------------------------------------------------------- */

static uint32_t
root(uint32_t *of, uint32_t v)
{
	while (of[v] != v)
		v = of[v];
	return v;
}

/* The part of each switch, by the links that are not in drained[] (NULL: by all). */
static uint32_t *
parts(const struct moore_fabric *f, const uint8_t *drained)
{
	uint32_t *of = malloc((f->n_switches + 1) * sizeof(*of));

	for (uint32_t s = 0; s < f->n_switches; s++)
		of[s] = s;
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned p = 1; p <= f->sw[s].n_ports; p++) {
			const struct moore_port *q = moore_fabric_port(f, s, (moore_portnum)p);

			if (q->role == MOORE_ROLE_SWITCH && !(drained && drained[f->sw[s].port0 + p]))
				of[root(of, s)] = root(of, q->peer);
		}
	return of;
}

static void
check_connected(const char *why, const struct moore_fabric *f, const uint8_t *drained)
{
	uint32_t *all = parts(f, NULL), *left = parts(f, drained);

	for (uint32_t s = 0; s < f->n_switches; s++)
		for (uint32_t t = 0; t < s; t++)
			CHECK(why, (root(all, s) == root(all, t)) == (root(left, s) == root(left, t)));
	free(all);
	free(left);
}

/* The engine routes all that is connected, and over no drained link. */
static void
check_routes(const char *why, const struct moore_fabric *f, const struct moore_buf *text,
	     const uint8_t *drained)
{
	struct moore_engine_result *r;
	struct moore_links *l;
	struct moore_conf conf;
	struct moore_err err;

	moore_conf_defaults(&conf);
	assert_int_equal(moore_links_parse(&l, text->data, text->len, &err), 0);
	conf.link_rules = l;
	if (moore_engine_run(&r, f, NULL, &conf, NULL, NULL, &err) < 0)
		fail_msg("%s: %s", why, err.text);
	CHECK(why, r->verdict->sound);
	CHECK_EQ(why, r->verdict->unreachable, 0);
	for (uint32_t s = 0; s < f->n_switches; s++)
		for (unsigned lid = 1; lid <= f->lid_top; lid++) {
			unsigned p = moore_lft_row(r->lft, s)[lid];

			CHECK(why, p == MOORE_NO_PATH || !p || !drained[f->sw[s].port0 + p]);
		}
	moore_engine_result_free(r);
	moore_links_free(l);
}

static void
mark(const struct moore_fabric *f, uint8_t *drained, moore_swid s, moore_portnum p)
{
	const struct moore_port *q = moore_fabric_port(f, s, p);

	drained[f->sw[s].port0 + p] = 1;
	drained[f->sw[q->peer].port0 + q->peer_port] = 1;
}

static struct moore_fabric *
some_fabric(struct moore_rng *r)
{
	static const char *const family[][2] = { { "slimfly", "q=5 p=2" }, { "oft", "k=3" },
		{ "mlfm", "h=3" }, { "hypercube", "n=4" } };
	const unsigned i = moore_rng_below(r, 8);
	uint32_t n = 4 + moore_rng_below(r, 30);

	return i < ARRAY_LEN(family) ? test_family(family[i][0], family[i][1], 0) :
	       test_random_fabric(r, n, moore_rng_below(r, 3 * n), 0);
}

/* 1000 links turn bad, at random, on fabrics from which some links are missing.  Each that may
 * be drained is. */
static void
test_random(void **state)
{
	struct moore_rng r = { test_seed() };
	unsigned bad = 0, n_of[MOORE_N_DRAINS] = { 0 };
	(void)state;

	while (bad < test_rounds(1000)) {
		struct moore_fabric *f = some_fabric(&r);
		struct moore_buf text = MOORE_BUF_INIT, next = MOORE_BUF_INIT;
		uint8_t *drained = calloc(f->n_ports, 1);
		const uint32_t most = 1 + moore_rng_below(&r, 40);
		char why[64];

		test_cut_some(f, &r, moore_rng_below(&r, 10));
		snprintf(why, sizeof(why), "after %u bad links, %u switches", bad, f->n_switches);
		for (unsigned k = 10 + moore_rng_below(&r, 30); k; k--) {
			moore_swid s = moore_rng_below(&r, f->n_switches);
			struct moore_drain_line add = { .guid = f->sw[s].guid, .by = "test", .at_s = bad };
			enum moore_drain v;

			add.port = (moore_portnum)(1 + moore_rng_below(&r, f->sw[s].n_ports));
			assert_int_equal(moore_drain_judge(&v, f, drained, s, add.port, most, NULL), 0);
			n_of[v]++;
			bad += v != MOORE_DRAIN_NO_LINK;
			if (v != MOORE_DRAIN_FINE)
				continue;
			next.len = 0;
			assert_int_equal(moore_drain_edit(&next, text.data, text.len, NULL, 0, &add, 1, NULL), 0);
			text.len = 0;
			moore_buf_add(&text, next.data, next.len);
			mark(f, drained, s, add.port);
			check_connected(why, f, drained);
		}
		check_routes(why, f, &text, drained);
		moore_buf_free(&text);
		moore_buf_free(&next);
		free(drained);
		moore_fabric_free(f);
	}
	for (enum moore_drain v = 0; v < MOORE_N_DRAINS; v++) {
		print_message("# %s: %u\n", moore_drain_name(v), n_of[v]);
		CHECK("each verdict occurs", v == MOORE_DRAIN_BRIDGE || n_of[v]);
	}
}

/* ---- the text ---------------------------------------------------------------------------- */

#define B MOORE_DRAIN_BEGIN "\n"
#define E MOORE_DRAIN_END "\n"
#define L1 "0x0000000000000abc:3 avoid # 17 moored errors sw1[3] -> sw2[4]\n"
#define L2 "0x0000000000000abd:4 avoid # 18 moorectl \n"

static void
test_edit(void **state)
{
	static const struct moore_drain_line one = { 0xabc, 3, 17, "moored", "errors sw1[3] -> sw2[4]" },
		two = { 0xabd, 4, 18, "moorectl", "" };
	static const struct {
		const char *why, *text;
		const struct moore_drain_line *drop, *add;
		const char *want;	/* NULL: an error that names `line` */
		unsigned line;
	} T[] = {
		{ "the first line of an empty file", "", NULL, &one, B L1 E, 0 },
		{ "behind a person's lines", "# mine\nsw1 avoid\n", NULL, &one, "# mine\nsw1 avoid\n" B L1 E, 0 },
		{ "a last line without an end", "sw1 avoid", NULL, &one, "sw1 avoid\n" B L1 E, 0 },
		{ "a second line", B L1 E "sw1 avoid\n", NULL, &two, B L1 L2 E "sw1 avoid\n", 0 },
		{ "one in place of another", B L1 E, &one, &two, B L2 E, 0 },
		{ "the last goes, and the part", "a avoid\n" B L1 E "b avoid\n", &one, NULL, "a avoid\nb avoid\n", 0 },
		{ "a person's line in the part stays", B "c weight 3\n" L1 E, &one, NULL, B "c weight 3\n" E, 0 },
		{ "nor does one for the same link outside", L1 B L1 E, &one, NULL, L1, 0 },
		{ "nothing to do", "a avoid\n\n", &one, NULL, "a avoid\n\n", 0 },
		{ "a line that ends in CR", "a avoid\r\n" B L1 E, &one, NULL, "a avoid\r\n", 0 },
		{ "no end", "a avoid\n" B L1, NULL, &two, NULL, 2 },
		{ "no begin", "a avoid\n" L1 E, NULL, &two, NULL, 3 },
		{ "two begins", B B E, NULL, &two, NULL, 2 },
		{ "two ends", B E E, NULL, &two, NULL, 3 },
		{ "two parts", B E B E, NULL, &two, NULL, 3 },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct moore_buf out = MOORE_BUF_INIT;
		struct moore_err err = { 0 };
		int rc = moore_drain_edit(&out, T[i].text, strlen(T[i].text), T[i].drop, T[i].drop != NULL,
					  T[i].add, T[i].add != NULL, &err);

		CHECK_EQ(T[i].why, rc, T[i].want ? 0 : -MOORE_ESYNTAX);
		CHECK_EQ(T[i].why, err.line, T[i].line);
		CHECK_EQ(T[i].why, out.len, T[i].want ? strlen(T[i].want) : 0);
		if (T[i].want && strncmp(out.data ? out.data : "", T[i].want, out.len) != 0)
			fail_msg("%s: %.*s", T[i].why, (int)out.len, out.data);
		moore_buf_free(&out);
	}
}

static void
test_read(void **state)
{
	static const char text[] = L2 B "sw3 avoid\n" L1 "0xabd:4 avoid # 18 moored\n"
		"0xabd:4 avoid # x moored\n0xabd:0 avoid # 1 m\n" E L2;
	struct moore_drain_line *l;
	struct moore_links *rules;
	size_t n;
	(void)state;

	assert_int_equal(moore_drain_read(&l, &n, text, strlen(text), NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(l[0].guid, 0xabc);
	assert_int_equal(l[0].port, 3);
	assert_int_equal(l[0].at_s, 17);
	assert_string_equal(l[0].by, "moored");
	assert_string_equal(l[0].why, "errors sw1[3] -> sw2[4]");
	assert_int_equal(l[1].guid, 0xabd);
	assert_string_equal(l[1].why, "");
	free(l);
	/* The plugin's reader takes the same lines. */
	assert_int_equal(moore_links_parse(&rules, B L1 L2 E, strlen(B L1 L2 E), NULL), 0);
	assert_int_equal(rules->n, 2);
	assert_int_equal(rules->rule[0].guid, 0xabc);
	assert_int_equal(rules->rule[0].port, 3);
	assert_int_equal(rules->rule[0].weight, MOORE_LINK_AVOID);
	moore_links_free(rules);
}

/* ---- the file ------------------------------------------------------------------------------ */

static char dir[] = "/tmp/moore-drain-XXXXXX";
static char path[64], tmp[64];
static int exchanges;		/* the linker directs renameat2 here (--wrap) */
static void (*before_exchange)(void), (*after_exchange)(void);

int __real_renameat2(int a, const char *from, int b, const char *to, unsigned flags);
int __wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags);

int
__wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	int rc;

	if (!exchanges && before_exchange)
		before_exchange();
	rc = __real_renameat2(a, from, b, to, flags);
	if (!exchanges++ && after_exchange)
		after_exchange();
	return rc;
}

static void
put(const char *name, const char *text, int flags)
{
	int fd = open(name, O_WRONLY | O_CREAT | flags, 0644);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

static const char *
get(const char *name)
{
	static char text[1 << 16];
	int fd = open(name, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n] = '\0';
	return text;
}

static int
change(bool add, unsigned port, struct moore_err *err)
{
	struct moore_drain_line l = { .guid = 0xabc, .port = (moore_portnum)port, .at_s = 1, .by = "test" };

	exchanges = 0;
	return links_file_change(path, &l, !add, &l, add, err);
}

static int held;		/* the file that a person has open */

static void person_saves(void) { put(tmp, "sw1 avoid\nsw2 avoid\n", O_TRUNC); rename(tmp, path); }
static void person_opens(void) { held = open(path, O_WRONLY | O_APPEND); }
static void person_writes(void) { assert_int_equal(write(held, "sw2 avoid\n", 10), 10); close(held); }
static void person_removes(void) { unlink(path); }

/* A person writes at the worst moments. */
static void
test_person(void **state)
{
	static const struct {
		const char *why;
		void (*before)(void), (*after)(void);
		const char *want;
	} T[] = {
		{ "nobody writes", NULL, NULL, "sw1 avoid\n" },
		{ "an editor saves", person_saves, NULL, "sw1 avoid\nsw2 avoid\n" },
		{ "a shell appends to the file that it has open", person_opens, person_writes,
		  "sw1 avoid\nsw2 avoid\n" },
	};
	struct moore_err err = { 0 };
	char want[512];
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		put(path, "sw1 avoid\n", O_TRUNC);
		before_exchange = T[i].before;
		after_exchange = T[i].after;
		if (change(true, 3, &err) < 0)
			fail_msg("%s: %s", T[i].why, err.text);
		snprintf(want, sizeof(want), "%s" B "0x0000000000000abc:3 avoid # 1 test \n" E, T[i].want);
		assert_string_equal(get(path), want);
		before_exchange = after_exchange = NULL;
		assert_int_equal(change(false, 3, &err), 0);
		assert_string_equal(get(path), T[i].want);
		unlink(path);
	}
	/* A file that goes away meanwhile is an error, and nothing takes its place. */
	put(path, "sw1 avoid\n", O_TRUNC);
	before_exchange = person_removes;
	assert_int_equal(change(true, 3, &err), -MOORE_EINVAL);
	before_exchange = NULL;
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(change(true, 3, &err), 0);	/* a new one is made */
	assert_string_equal(get(path), B "0x0000000000000abc:3 avoid # 1 test \n" E);
	unlink(path);
}

static void
test_refused(void **state)
{
	struct moore_err err = { 0 };
	(void)state;

	put(path, "sw1 avoid\nsw2 evade\n", O_TRUNC);
	assert_int_equal(change(true, 3, &err), -MOORE_ESYNTAX);
	assert_int_equal(err.line, 2);
	assert_string_equal(get(path), "sw1 avoid\nsw2 evade\n");
	unlink(path);
	snprintf(tmp, sizeof(tmp), "%s/none", dir);
	assert_int_equal(links_file_change("/nowhere/links", NULL, 0, NULL, 0, &err), -MOORE_EINVAL);
	CHECK_STR("why", err.text, "No such file or directory");
	snprintf(tmp, sizeof(tmp), "%s/person", dir);
}

/* A full disk: a process that may write no more than some bytes. */
static void
test_full(void **state)
{
	char many[4096] = "";
	pid_t pid;
	int status;
	(void)state;

	for (int i = 0; i < 200; i++)
		strcat(many, "sw1 avoid\n");
	put(path, many, O_TRUNC);
	if (!(pid = fork())) {
		const struct rlimit room = { 1000, 1000 };
		struct moore_err err = { 0 };

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &room);
		_exit(change(true, 3, &err) == -MOORE_EINVAL && strstr(err.text, "File too large") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	assert_string_equal(get(path), many);
	assert_int_equal(access("links.new", F_OK), -1);
	unlink(path);
}

/* Killed at random moments, while a person adds lines: the file holds all the person's lines, and
 * moore's part is whole. */
static void
test_killed(void **state)
{
	struct moore_rng r = { test_seed() };
	const unsigned rounds = test_rounds(120);
	unsigned added = 0;
	char mine[1 << 14] = "";
	(void)state;

	put(path, "", O_TRUNC);
	for (unsigned i = 0; i < rounds; i++) {
		const struct timespec wait = { 0, (long)moore_rng_below(&r, 60000000) };
		struct moore_drain_line *l;
		struct moore_links *rules;
		pid_t pid = fork();
		char line[32];
		size_t n;

		if (!pid) {
			for (unsigned k = 0;; k++)
				change(k % 2 == 0, 1 + k % 7, NULL);
		}
		snprintf(line, sizeof(line), "person%u avoid\n", i);
		nanosleep(&wait, NULL);
		put(path, line, O_APPEND);
		nanosleep(&wait, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		strcat(mine, line);
		/* Killed between two exchanges, the person's file is the one beside it. */
		if (!strstr(get(path), line) && i + 1 < rounds) {
			char beside[80];

			snprintf(beside, sizeof(beside), "%s.new", path);
			CHECK("the line is in the file beside", strstr(get(beside), line));
			put(path, line, O_APPEND);
			added++;
		}
		assert_int_equal(moore_drain_read(&l, &n, get(path), strlen(get(path)), NULL), 0);
		free(l);
		assert_int_equal(moore_links_parse(&rules, get(path), strlen(get(path)), NULL), 0);
		moore_links_free(rules);
	}
	for (unsigned i = 0; i + 1 < rounds; i++) {
		char line[32];

		snprintf(line, sizeof(line), "person%u avoid\n", i);
		CHECK(line, strstr(get(path), line));
	}
	print_message("# %u rounds, %u killed between two exchanges\n", rounds, added);
	unlink(path);
}

static int
make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/links", dir);
	snprintf(tmp, sizeof(tmp), "%s/person", dir);
	return 0;
}

static int
remove_dir(void **state)
{
	static const char *const end[] = { "", ".new", ".before-moore", ".lock" };
	char name[96];
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(end); i++) {
		snprintf(name, sizeof(name), "%s%s", path, end[i]);
		unlink(name);
	}
	return rmdir(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_edit),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_person),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
