// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_kept.c - the graph that the plugin keeps in a file (kept.c), on a fake of OpenSM's
 * structures.  Which graph is kept and when it serves: test_intended.c. */
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_opensm.h"
#include "plan_of.h"
#include "../../opensm-plugin/plugin.h"

static unsigned failing;	/* how many calls of fsync() fail from now on */

int
fsync(int fd)
{
	(void)fd;
	if (!failing)
		return 0;
	failing--;
	errno = EIO;
	return -1;
}

static struct mplug_sm *
begin(void)
{
	struct moore_plan *p = plan_of("slimfly", "q=5");
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, 1, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	moore_plan_free(p);
	fake_build(f);
	failing = 0;
	fake_write(fake_conf, "moored /nowhere\n");
	return fake_load();
}

static void
end(struct mplug_sm *sm)
{
	fake_unload(sm);
	fake_free();
}

static void
sweep(void)
{
	fake_next_sweep();
	assert_int_equal(re.ucast_build_fwd_tables(fake_context), 0);
	fake_configure_ports();
}

static void
remove_switch(moore_swid s)
{
	for (unsigned p = 1; p <= fake.f->sw[s].n_ports; p++)
		fake_cut(s, p);
	cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &fake.sw[s]->sw->map_item);
}

static bool
is_there(const char *suffix)
{
	return access(fake_kept(suffix), F_OK) == 0;
}

/* ---- kept and used ------------------------------------------------------------------- */

static void
after_a_restart(void **state)
{
	struct mplug_sm *sm = begin();
	uint64_t hash;
	(void)state;

	sweep();
	CHECK_STR("it is said", fake.log, "moore: slimfly q=5 of 50 switches and 175 links is kept in ");
	CHECK_STR("and where", fake.log, fake_kept(""));
	CHECK("whole", is_there("") && !is_there(".new"));
	fake_cut(3, 5);
	remove_switch(20);
	sweep();
	CHECK_EQ("it serves", sm->result->intent, MOORE_INTENT_KEPT);
	CHECK_STR("with a remedy", fake.log, " links, 1 switch; if they will not return, remove ");
	CHECK_STR("by its family's name", fake.log, "moore: slimfly q=5: 49 switches");
	CHECK("no error", !strstr(fake.log, "ERR MR23"));
	sweep();
	CHECK("what is missing is said once", !strstr(fake.log, "if they will not return"));
	hash = sm->result->hash;
	fake_unload(sm);
	sm = fake_load();
	CHECK_STR("it is read", fake.log, "moore: kept graph of 50 switches and 175 links in ");
	CHECK_STR("its trees are made", fake.log, "moore: the trees of the kept graph were made in ");
	sweep();
	CHECK("the same hash", sm->result->hash == hash);
	fake_unload(sm);
	fake_forget_kept();
	sm = fake_load();
	sweep();
	CHECK("not without the file", sm->result->hash != hash);
	CHECK_STR("which is said", fake.log, "ERR MR23: 1 switch is missing, and no kept graph tells");
	end(sm);
}

static void
one_link_needs_no_file(void **state)
{
	struct mplug_sm *sm = begin();
	uint64_t hash;
	(void)state;

	sweep();
	fake_cut(3, 5);
	sweep();
	hash = sm->result->hash;
	fake_unload(sm);
	fake_forget_kept();
	sm = fake_load();
	sweep();
	CHECK("the same hash", sm->result->hash == hash);
	CHECK("no error", !strstr(fake.log, "ERR MR23"));
	CHECK("a part is not kept", !is_there(""));
	end(sm);
}

static void
removed_and_replaced(void **state)
{
	struct mplug_sm *sm = begin();
	struct stat was, is;
	(void)state;

	sweep();
	assert_int_equal(stat(fake_kept(""), &was), 0);
	sweep();
	assert_int_equal(stat(fake_kept(""), &is), 0);
	CHECK("it is written once", was.st_ino == is.st_ino);
	remove_switch(20);
	sweep();
	CHECK_EQ("it serves", sm->result->intent, MOORE_INTENT_KEPT);
	fake_forget_kept();
	sweep();
	CHECK_EQ("it is forgotten", sm->result->intent, MOORE_INTENT_FAMILY);
	CHECK("no plan", !sm->kept.plan);
	end(sm);
}

static bool
was_read(void)
{
	return strstr(fake.log, "moore: kept graph of ");
}

/* Sets the time of the file's last change, and sweeps.  Returns whether the plugin read it. */
static bool
reads_with_time(struct timespec changed)
{
	const struct timespec t[2] = { changed, changed };

	assert_int_equal(utimensat(AT_FDCWD, fake_kept(""), t, 0), 0);
	sweep();
	return was_read();
}

static void
read_when_it_has_changed(void **state)
{
	struct mplug_sm *sm = begin();
	struct moore_buf b = MOORE_BUF_INIT;
	char copy[sizeof(fake_conf)];
	struct timespec t;
	struct stat st;
	mode_t mask = umask(0);
	(void)state;

	umask(mask);
	sweep();
	sweep();
	CHECK("not what the plugin has written", !was_read());
	assert_int_equal(stat(fake_kept(""), &st), 0);
	CHECK_EQ("which everybody may read", st.st_mode & 0777, 0644 & ~mask);
	t = st.st_mtim;
	t.tv_nsec ^= 1;
	CHECK("another nanosecond", reads_with_time(t));
	CHECK("the same time", !reads_with_time(t));
	t.tv_sec++;
	CHECK("another second", reads_with_time(t));
	assert_int_equal(moore_plan_write(sm->kept.plan, &b, NULL), 0);
	snprintf(copy, sizeof(copy), "%s", fake_kept(".copy"));
	fake_write(copy, b.data);
	assert_int_equal(rename(copy, fake_kept("")), 0);
	CHECK("another file of that size and time", reads_with_time(t));
	moore_buf_fmt(&b, "\n");
	fake_write(fake_kept(""), b.data);
	CHECK("the same file, one byte longer", reads_with_time(t));
	CHECK("and unchanged", !reads_with_time(t));
	moore_buf_free(&b);
	end(sm);
}

static void
another_switch(void **state)
{
	struct mplug_sm *sm = begin();
	(void)state;

	sweep();
	cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &fake.sw[7]->sw->map_item);
	fake.sw[7]->node_info.node_guid = cl_hton64(0x777777);
	cl_qmap_insert(&fake.osm->subn.sw_guid_tbl, fake.sw[7]->node_info.node_guid,
		       &fake.sw[7]->sw->map_item);
	sweep();
	CHECK_EQ("the new fabric", sm->result->intent, MOORE_INTENT_SEEN);
	CHECK("is kept", sm->kept.plan->sw[49].guid == 0x777777 || sm->kept.plan->sw[0].guid == 0x777777);
	end(sm);
}

static void
a_plan_wins(void **state)
{
	struct moore_plan *p = plan_of("slimfly", "q=5");
	struct moore_buf b = MOORE_BUF_INIT;
	struct mplug_sm *sm = begin();
	char text[128];
	(void)state;

	assert_int_equal(moore_plan_write(p, &b, NULL), 0);
	fake_write(fake_plan, b.data);
	snprintf(text, sizeof(text), "moored /nowhere\nplan %s\n", fake_plan);
	fake_write(fake_conf, text);
	sweep();
	CHECK_EQ("planned", sm->result->intent, MOORE_INTENT_PLAN);
	CHECK("nothing is kept", !is_there("") && !sm->kept.plan);
	end(sm);
	moore_buf_free(&b);
	moore_plan_free(p);
}

/* ---- files that are no use ------------------------------------------------------------- */

static void
bad_files(void **state)
{
	static const struct { const char *why, *text, *log; } T[] = {
		{ "no JSON", "{", "it is not used: " },
		{ "empty", "", "it is not used: " },
		{ "another document", "{\"a\": 1}", "it is not used: " },
		{ "no switch", "{\"moore_plan\": 1, \"switches\": [], \"endpoints\": [], \"cables\": []}",
		  "is kept in" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(T); i++) {
		struct mplug_sm *sm = begin();

		fake_write(fake_kept(""), T[i].text);
		sweep();
		CHECK_STR(T[i].why, fake.log, T[i].log);
		CHECK_STR("it is replaced", fake.log, "175 links is kept in ");
		fake_cut(3, 5);
		sweep();
		CHECK_EQ("and serves", sm->result->intent, MOORE_INTENT_KEPT);
		end(sm);
	}
}

/* Half of a file, as a copy that is under way: what was kept before goes on to serve. */
static void
a_copy_under_way(void **state)
{
	struct mplug_sm *sm = begin();
	const struct moore_port *far = moore_fabric_port(fake.f, 3, 5);
	const moore_swid peer = far->peer;
	const moore_portnum peer_port = far->peer_port;
	struct moore_buf b = MOORE_BUF_INIT;
	uint64_t hash;
	(void)state;

	sweep();
	assert_int_equal(moore_plan_write(sm->kept.plan, &b, NULL), 0);
	fake_cut(3, 5);
	sweep();
	hash = sm->result->hash;
	b.data[b.len / 2] = '\0';
	fake_write(fake_kept(""), b.data);
	sweep();
	CHECK_STR("with the line", fake.log, "it is not used: line ");
	CHECK_STR("and what serves", fake.log, ": the graph that was kept before is used, and the file ");
	CHECK_EQ("what was kept serves", sm->result->intent, MOORE_INTENT_KEPT);
	CHECK("the same tables", sm->result->hash == hash);
	CHECK("the file is left to who copies", !strstr(fake.log, "is kept in "));
	sweep();
	CHECK("it is said once", !strstr(fake.log, "MR23"));
	fake_relink(3, 5, peer, peer_port);
	sweep();
	CHECK_STR("it is replaced when nothing is missing", fake.log, "175 links is kept in ");
	CHECK("and is as before", sm->kept.plan && sm->kept.saved && !sm->kept.unreadable);
	sweep();
	CHECK("once", !strstr(fake.log, "is kept in "));
	moore_buf_free(&b);
	end(sm);
}

/* The folder cannot be looked into for a while; that is not a file that was removed. */
static void
a_folder_that_fails(void **state)
{
	struct mplug_sm *sm = begin();
	char loop[sizeof(fake_conf)], below[sizeof(fake_conf) + 8];
	(void)state;

	sweep();
	remove_switch(20);
	snprintf(loop, sizeof(loop), "%s", fake_kept(".loop"));
	assert_int_equal(symlink(loop, loop), 0);
	snprintf(below, sizeof(below), "%s/x", loop);
	assert_int_equal(setenv("OSM_CACHE_DIR", below, 1), 0);
	sweep();
	CHECK_EQ("what was kept serves", sm->result->intent, MOORE_INTENT_KEPT);
	assert_int_equal(setenv("OSM_CACHE_DIR", fake_cache, 1), 0);
	assert_int_equal(unlink(loop), 0);
	end(sm);
}

static void
a_folder_in_its_place(void **state)
{
	struct mplug_sm *sm = begin();
	(void)state;

	assert_int_equal(mkdir(fake_kept(""), 0700), 0);
	sweep();
	CHECK_STR("it is not read", fake.log, "it is not used: Is a directory");
	CHECK_STR("nor written", fake.log, "it cannot be written: ");
	fake_cut(3, 5);
	sweep();
	CHECK_EQ("the graph serves all the same", sm->result->intent, MOORE_INTENT_KEPT);
	CHECK("no rest", !is_there(".new"));
	end(sm);
}

static void
a_folder_that_is_missing(void **state)
{
	struct mplug_sm *sm = begin();
	(void)state;

	assert_int_equal(setenv("OSM_CACHE_DIR", "/nonexistent", 1), 0);
	sweep();
	CHECK_STR("why", fake.log, "No such file or directory: it cannot be written");
	fake_cut(3, 5);
	sweep();
	CHECK_STR("no file to remove", fake.log, "see to MR23 first, so that there is a file, and then ");
	assert_int_equal(setenv("OSM_CACHE_DIR", fake_cache, 1), 0);
	sweep();
	CHECK("the next sweep finds it", is_there("") && sm->kept.saved);
	end(sm);
}

static void
a_link_in_the_way(void **state)
{
	struct mplug_sm *sm = begin();
	char link[sizeof(fake_conf)];
	struct stat st;
	(void)state;

	snprintf(link, sizeof(link), "%s", fake_kept(".new"));
	assert_int_equal(symlink(fake_conf, link), 0);
	sweep();
	CHECK_STR("it is not followed", fake.log, "Too many levels of symbolic links: it cannot be");
	assert_int_equal(stat(fake_conf, &st), 0);
	CHECK_EQ("so that file stays", (size_t)st.st_size, strlen("moored /nowhere\n"));
	assert_int_equal(unlink(link), 0);
	end(sm);
}

static void
memory_runs_out(void **state)
{
	struct mplug_sm *sm = begin();
	(void)state;

	sweep();
	for (long at = 0, n = 1; at < n; at++) {
		fake.log[0] = '\0';
		sm->said.n = 0;
		alloc_count = 0;
		alloc_fail_at = at;
		mplug_kept_update(sm);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("not kept, not written, or both", strstr(fake.log, "the graph is not kept: ") ||
		      strstr(fake.log, "it cannot be written: ") || strstr(fake.log, "is kept in "));
	}
	end(sm);
}

static void
a_disk_that_fails(void **state)
{
	struct mplug_sm *sm = begin();
	(void)state;

	failing = 1;
	sweep();
	CHECK_STR("it is said", fake.log, "ERR MR23: ");
	CHECK_STR("why", fake.log, "Input/output error: it cannot be written");
	CHECK("whole or not at all", !is_there("") && !is_there(".new"));
	sweep();
	CHECK("the next sweep tries again", is_there("") && sm->kept.saved);
	end(sm);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(after_a_restart),
		cmocka_unit_test(one_link_needs_no_file),
		cmocka_unit_test(removed_and_replaced),
		cmocka_unit_test(read_when_it_has_changed),
		cmocka_unit_test(another_switch),
		cmocka_unit_test(a_plan_wins),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(a_copy_under_way),
		cmocka_unit_test(a_folder_that_fails),
		cmocka_unit_test(a_folder_in_its_place),
		cmocka_unit_test(a_folder_that_is_missing),
		cmocka_unit_test(a_link_in_the_way),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(a_disk_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
