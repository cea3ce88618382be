// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* test_held.c - what the plugin knows of the rows that switches hold (held.c), on a fake of
 * OpenSM's structures whose switches hold rows of their own and may be deaf or mute.
 *
 * The oracle is fake.truth: the values that the plugin lists for a row must contain the
 * value that the switch holds. */
#include "harness.h"

#include "fake_opensm.h"
#include "plan_of.h"
#include "../../opensm-plugin/plugin.h"

static struct mplug_sm sm;
static uint8_t next_port;

static void
begin_with(const char *param)
{
	struct moore_plan *p = plan_of("slimfly", param);
	struct moore_fabric *f;

	assert_int_equal(moore_fabric_from_plan(&f, p, 0, NULL), 0);
	assert_int_equal(moore_fabric_seal(f, NULL), 0);
	moore_plan_free(p);
	fake_build(f);
	fake_activate();
	sm = (struct mplug_sm){ .osm = fake.osm };
}

static void
begin(void)
{
	begin_with("q=5");
}

static void
end(void)
{
	mplug_held_forget(&sm.held);
	mplug_flap_forget(&sm.flap);
	fake_free();
}

/* Fills a row of new_lft of each switch, in two blocks, with a value of its own, and sends. */
static void
send_rows(void)
{
	next_port++;
	for (moore_swid s = 0; s < fake.f->n_switches; s++) {
		fake.sw[s]->sw->new_lft[3] = (uint8_t)(next_port + s);
		fake.sw[s]->sw->new_lft[100] = next_port;
	}
	osm_ucast_mgr_set_fwd_tables(NULL);
}

struct known {
	size_t values;		/* listed for (switch 7, LID 3) */
	bool unknown;		/* switch 7 */
	bool holds;		/* every row of every switch is listed */
};

static bool
listed(const struct mplug_held_tables *t, moore_swid s, moore_lid lid, uint8_t port)
{
	if (t->unknown[s / 64] >> s % 64 & 1 || moore_lft_row(t->lft, s)[lid] == port)
		return true;
	for (size_t i = 0; i < t->held.n_more; i++)
		if (t->more[i].sw == s && t->more[i].lid == lid && t->more[i].port == port)
			return true;
	return false;
}

static struct known
known(void)
{
	struct known k = { 1, false, true };
	struct mplug_held_tables t;
	struct mplug_view v;
	moore_swid seven;

	assert_int_equal(mplug_observe(&sm, &v, NULL), 0);
	assert_int_equal(mplug_held_tables(&t, &sm.held, &v, NULL), 0);
	seven = mplug_switch_by_guid(v.f, fake.f->sw[7].guid);
	for (moore_swid s = 0; s < v.f->n_switches; s++)
		for (unsigned lid = 1; mplug_carries_data(v.sw[s]) && lid <= v.f->lid_top; lid++)
			k.holds &= listed(&t, s, (moore_lid)lid,
					  fake.truth[fake_index(v.sw[s]->p_node)][lid]);
	for (size_t i = 0; i < t.held.n_more; i++)
		k.values += t.more[i].sw == seven && t.more[i].lid == 3;
	k.unknown = t.unknown[seven / 64] >> seven % 64 & 1;
	mplug_held_tables_free(&t);
	mplug_view_free(&v);
	moore_fabric_free(v.f);
	return k;
}

#define EXPECT(why, v, u) do { \
	struct known k_ = known(); \
	CHECK(why, k_.holds); \
	CHECK_EQ(why, k_.values, (size_t)(v)); \
	CHECK_EQ(why, k_.unknown, u); \
} while (0)

static void
acknowledged_rows_have_one_value(void **state)
{
	(void)state;
	begin();
	EXPECT("nothing is known at first", 1, true);
	send_rows();
	assert_int_equal(mplug_held_note(&sm, true), 0);
	EXPECT("every block was answered", 1, false);
	end();
}

/* More switches than a word of the set of unknown ones has bits; some answered. */
static void
each_of_many_switches_is_known_or_not(void **state)
{
	struct mplug_held_tables t;
	struct mplug_view v;

	(void)state;
	begin_with("q=7");
	mplug_held_read(&sm);
	for (moore_swid s = 0; s < fake.f->n_switches; s += 3)
		fake.sw[s]->sw->lft_size = 0;	/* OpenSM has met this switch anew */
	mplug_held_note(&sm, true);
	assert_int_equal(mplug_observe(&sm, &v, NULL), 0);
	assert_int_equal(mplug_held_tables(&t, &sm.held, &v, NULL), 0);
	assert_true(v.f->n_switches > 64);
	for (moore_swid s = 0; s < v.f->n_switches; s++)
		CHECK_EQ("unknown", t.unknown[s / 64] >> s % 64 & 1,
			 fake_index(v.sw[s]->p_node) % 3 == 0);
	mplug_held_tables_free(&t);
	mplug_view_free(&v);
	moore_fabric_free(v.f);
	end();
}

static void
an_unanswered_block_has_old_and_new_rows(void **state)
{
	(void)state;
	begin();
	send_rows();
	mplug_held_note(&sm, true);
	fake.deaf[7] = true;
	send_rows();
	assert_int_equal(mplug_held_note(&sm, true), 2);
	EXPECT("the switch holds the old rows", 2, false);
	assert_int_equal(mplug_held_note(&sm, true), 2);
	EXPECT("what is known already is not added", 2, false);
	fake.deaf[7] = false;
	fake.mute[7] = true;
	send_rows();
	assert_int_equal(mplug_held_note(&sm, true), 2);
	EXPECT("it holds the third", 3, false);
	assert_int_equal(mplug_held_note(&sm, true), 2);
	assert_int_equal(mplug_held_note(&sm, false), 0);
	EXPECT("what is known already is not added", 3, false);
	fake.mute[7] = false;
	send_rows();
	assert_int_equal(mplug_held_note(&sm, true), 0);
	EXPECT("now it answers", 1, false);
	end();
}

/* Sends another value in every row of switch 7. */
static void
send_all_rows(uint8_t port)
{
	memset(fake.sw[7]->sw->new_lft, port, fake_bytes());
	osm_ucast_mgr_set_fwd_tables(NULL);
}

static void
every_row_may_have_other_values(void **state)
{
	(void)state;
	begin();
	send_all_rows(3);
	mplug_held_note(&sm, true);
	fake.deaf[7] = true;
	for (uint8_t n = 1; n <= 4; n++) {
		send_all_rows((uint8_t)(3 + n));
		assert_int_equal(mplug_held_note(&sm, true), fake_bytes() / 64);
		EXPECT("one more in each row", 1 + n, false);
	}
	end();
}

static void
memory_runs_out(void **state)
{
	(void)state;
	for (long at = 0, n = 0; at <= n; at++) {
		begin();
		send_rows();
		alloc_count = 0;
		alloc_fail_at = at;
		CHECK_EQ("all is known, or it is not", mplug_held_note(&sm, true) > 0, at < alloc_count);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("nothing false is believed", known().holds);
		end();
	}
	for (long at = 0, n = 0; at <= n; at++) {
		begin();
		send_all_rows(3);
		mplug_held_note(&sm, true);
		fake.deaf[7] = true;
		send_all_rows(4);
		alloc_count = 0;
		alloc_fail_at = at;
		CHECK("some blocks were not answered", mplug_held_note(&sm, true) > 0);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK("nothing false is believed", known().holds);
		end();
	}
	begin();
	send_all_rows(3);
	mplug_held_note(&sm, true);
	fake.deaf[7] = true;
	send_all_rows(4);
	mplug_held_note(&sm, true);
	for (long at = 0, n = 0, rc; at <= n; at++) {
		struct mplug_held_tables t;
		struct mplug_view v;

		assert_int_equal(mplug_observe(&sm, &v, NULL), 0);
		alloc_count = 0;
		alloc_fail_at = at;
		rc = mplug_held_tables(&t, &sm.held, &v, NULL);
		alloc_fail_at = -1;
		n = alloc_count;
		CHECK_EQ("every allocation fails in turn", rc, at < n ? -MOORE_ENOMEM : 0);
		mplug_held_tables_free(&t);
		mplug_view_free(&v);
		moore_fabric_free(v.f);
	}
	end();
}

/* OpenSM's copy may have more blocks than it sends. */
static void
blocks_beyond_the_last_lid_do_not_count(void **state)
{
	(void)state;
	begin();
	send_all_rows(3);
	mplug_held_note(&sm, true);
	fake.deaf[7] = true;
	send_all_rows(4);
	fake.sw[7]->sw->max_lid_ho = 63;
	CHECK_EQ("one block", mplug_held_note(&sm, true), 1);
	fake.sw[7]->sw->max_lid_ho = (uint16_t)fake.f->lid_top;
	fake.sw[7]->sw->lft_size = 64;
	CHECK_EQ("nor do LIDs beyond the copy", mplug_held_note(&sm, true), 1);
	end();
}

/* Where only the first block is known, the rows of the others may have any value. */
static void
unknown_blocks_have_every_value(void **state)
{
	(void)state;
	begin();
	fake.sw[7]->sw->max_lid_ho = 63;
	send_all_rows(3);
	mplug_held_note(&sm, true);
	fake.sw[7]->sw->max_lid_ho = (uint16_t)fake.f->lid_top;
	mplug_held_note(&sm, false);
	for (unsigned p = 0; p <= fake.f->sw[7].n_ports; p++) {
		fake.truth[7][64 + p] = (uint8_t)p;
		fake.truth[7][fake.f->lid_top] = (uint8_t)p;
		EXPECT("any port", 1, false);
	}
	end();
}

/* OpenSM drops its copy when it meets a switch anew, which may have been reset. */
static void
a_switch_that_opensm_meets_anew_is_unknown(void **state)
{
	uint8_t *lft;

	(void)state;
	begin();
	send_rows();
	mplug_held_note(&sm, true);
	lft = fake.sw[7]->sw->lft;
	fake.sw[7]->sw->lft = NULL;
	memset(fake.truth[7], 3, fake_bytes());
	mplug_held_note(&sm, false);
	fake.sw[7]->sw->lft = lft;
	EXPECT("unknown", 1, true);
	end();
}

static void
rows_that_were_not_sent_are_not_added(void **state)
{
	(void)state;
	begin();
	send_rows();
	mplug_held_note(&sm, true);
	memset(fake.sw[7]->sw->new_lft, OSM_NO_PATH, fake_bytes());	/* as before each routing */
	assert_int_equal(mplug_held_note(&sm, false), 0);
	EXPECT("the switch holds what it held", 1, false);
	end();
}

static void
reads_the_unknown_and_nothing_else(void **state)
{
	unsigned blocks;
	char text[80];

	(void)state;
	begin();
	blocks = (unsigned)(fake_bytes() / 64 * fake.f->n_switches);
	for (moore_swid s = 0; s < fake.f->n_switches; s++)
		memset(fake.truth[s], (int)(s % 5), fake_bytes());	/* another engine's */
	mplug_held_read(&sm);
	EXPECT("all were read", 1, false);
	CHECK_EQ("once", fake.reads, blocks);
	snprintf(text, sizeof(text), "moore: %u LFT blocks read from switches, 0 not answered", blocks);
	CHECK_STR("their number", fake.log, text);
	mplug_held_read(&sm);
	CHECK_EQ("what is known is not read again", fake.reads, blocks);
	fake.osm->subn.coming_out_of_standby = TRUE;
	mplug_held_read(&sm);
	CHECK_EQ("after a takeover, all are read", fake.reads, 2 * blocks);
	assert_non_null(strstr(fake.log, "LFT blocks read from switches, 0 not answered"));
	end();
}

/* A LinearFDBTop above the unicast LIDs means that no row is in use. */
static void
reads_no_more_than_there_can_be(void **state)
{
	(void)state;
	begin();
	fake.sw[7]->sw->switch_info.lin_top = 0xffff;
	mplug_held_read(&sm);
	CHECK_EQ("one block of it", fake.reads, fake_bytes() / 64 * (fake.f->n_switches - 1) + 1);
	end();
}

static void
asks_a_dead_switch_once(void **state)
{
	(void)state;
	begin();
	fake.deaf[7] = true;
	mplug_held_read(&sm);
	EXPECT("unknown", 1, true);
	CHECK_EQ("one block of it was asked for", fake.reads,
		 fake_bytes() / 64 * (fake.f->n_switches - 1) + 1);
	end();
}

static void
a_switch_without_data_holds_nothing(void **state)
{
	osm_switch_t *sw;

	(void)state;
	begin();
	mplug_held_read(&sm);
	sw = fake.sw[7]->sw;
	for (unsigned p = 1; p < sw->num_ports; p++)
		ib_port_info_set_port_state(&fake.sw[7]->physp_table[p].port_info, IB_LINK_INIT);
	memset(fake.truth[7], 3, fake_bytes());		/* it was reset */
	EXPECT("no packet meets its rows", 1, false);
	for (int i = 0; i < 2; i++) {
		struct mplug_view v;

		assert_int_equal(mplug_observe(&sm, &v, NULL), 0);
		mplug_held_distrust(&sm.held, &v);
		mplug_view_free(&v);
		moore_fabric_free(v.f);
		send_rows();
		mplug_held_note(&sm, true);
	}
	CHECK("every block was sent", !memcmp(fake.truth[7], sw->new_lft, fake_bytes()));
	end();
}

/* A switch whose port has changed: OpenSM sets need_update. */
static void
known_blocks_are_not_sent_again(void **state)
{
	osm_switch_t *sw;
	struct mplug_view v;

	(void)state;
	begin();
	send_rows();
	mplug_held_note(&sm, true);
	sw = fake.sw[7]->sw;
	sw->need_update = 1;
	sw->new_lft[100] = 77;
	fake.truth[7][3] = 78;		/* lost if the other block is sent again */
	assert_int_equal(mplug_observe(&sm, &v, NULL), 0);
	mplug_held_distrust(&sm.held, &v);
	mplug_view_free(&v);
	moore_fabric_free(v.f);
	osm_ucast_mgr_set_fwd_tables(NULL);
	CHECK_EQ("the block that differs is sent", fake.truth[7][100], 77);
	CHECK_EQ("the other one is not", fake.truth[7][3], 78);
	end();
}

static void
a_switch_that_left_is_forgotten(void **state)
{
	osm_switch_t *sw;

	(void)state;
	begin();
	send_rows();
	mplug_held_note(&sm, true);
	sw = fake.sw[7]->sw;
	cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &sw->map_item);
	mplug_held_note(&sm, true);
	CHECK_EQ("one less", sm.held.n, fake.f->n_switches - 1);
	cl_qmap_insert(&fake.osm->subn.sw_guid_tbl, fake.sw[7]->node_info.node_guid, &sw->map_item);
	mplug_held_note(&sm, false);
	EXPECT("unknown", 1, true);
	cl_qmap_remove_item(&fake.osm->subn.sw_guid_tbl, &fake.sw[0]->sw->map_item);
	mplug_held_note(&sm, true);
	CHECK_EQ("the first one, too", sm.held.n, fake.f->n_switches - 1);
	end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(acknowledged_rows_have_one_value),
		cmocka_unit_test(each_of_many_switches_is_known_or_not),
		cmocka_unit_test(an_unanswered_block_has_old_and_new_rows),
		cmocka_unit_test(every_row_may_have_other_values),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(blocks_beyond_the_last_lid_do_not_count),
		cmocka_unit_test(a_switch_that_opensm_meets_anew_is_unknown),
		cmocka_unit_test(rows_that_were_not_sent_are_not_added),
		cmocka_unit_test(reads_the_unknown_and_nothing_else),
		cmocka_unit_test(unknown_blocks_have_every_value),
		cmocka_unit_test(reads_no_more_than_there_can_be),
		cmocka_unit_test(asks_a_dead_switch_once),
		cmocka_unit_test(a_switch_without_data_holds_nothing),
		cmocka_unit_test(known_blocks_are_not_sent_again),
		cmocka_unit_test(a_switch_that_left_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
