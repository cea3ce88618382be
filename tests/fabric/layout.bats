#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# A plugin that was compiled for other structures than OpenSM's refuses to route.  The headers
# are copies with one more member each, and the version is that of the OpenSM that runs.
load lib.bash

# refused: the plugin in $dir/other is not loaded for the given reason, and nothing is routed.
refused() {
	plan slimfly q=4
	sim_start "$dir/net"
	MOORE_BUILD=$dir/other sm_start
	await 'ERR MR24: the plugin was built for another OpenSM [0-9.]+ than this one: '"$1"' differs: build it with "make OPENSM=PREFIX"'
	await "cannot find or setup routing engine 'moore'"
	await 'cannot load plugin'
	until_ok "$DEADLINE" quiet
	! log_has 'moore: version|SUBNET UP' || fail "$(log)"
}

# grown HEADER PATTERN: links a plugin whose layout.c was compiled with one more member before
# the line of the header that matches.
grown() {
	mkdir -p "$dir/include" "$dir/other"
	cp -r "$MOORE_OPENSM/include/infiniband" "$dir/include/"
	sed -i "/$2/i\\	uint64_t one_more_member;" "$dir/include/infiniband/opensm/$1"
	grep -q one_more_member "$dir/include/infiniband/opensm/$1"
	cc -std=c11 -D_GNU_SOURCE -fPIC -isystem "$dir/include/infiniband" -I"$MOORE_ROOT/lib/include" \
		-c -o "$dir/layout.o" "$MOORE_ROOT/opensm-plugin/layout.c"
	cc -shared -Wl,--version-script="$MOORE_ROOT/opensm-plugin/libosmmoore.map" \
		-o "$dir/other/libosmmoore.so" "$dir/layout.o" \
		$(ls "$MOORE_BUILD"/opensm-plugin/*.o | grep -v '/layout.o') "$MOORE_BUILD/libmoore.a" -ljansson
}

@test "one more option" {
	grown osm_subnet.h '^	boolean_t use_optimized_slvl;'
	refused '[a-z_.]+'
}

@test "one more member of a switch" {
	grown osm_switch.h '^	int32_t mft_block_num;'
	refused osm_switch_t
}

@test "one more member of a node's ports" {
	grown osm_port.h '^	struct osm_node \*p_node;'
	refused 'osm_(node|physp)_t'
}

@test "one more member of a multicast group" {
	grown osm_multicast.h '^	ib_member_rec_t mcmember_rec;'
	refused osm_mgrp_t
}

@test "one more member of the groups of an MLID" {
	grown osm_multicast.h '^	cl_qlist_t mgrp_list;'
	refused osm_mgrp_box_t
}

@test "every structure of OpenSM that the plugin names is compared, or is one of those below" {
	local t unread='
		osm_event_plugin_t osm_epi_event_id_t osm_signal_t	what the plugin gives, and numbers
		osm_madw_context_t	written for osm_req_get(), and never read
		osm_log_t osm_stats_t	passed on by their addresses, which are compared
		osm_subn_t osm_subn_opt_t	parts of osm_opensm_t, with pointers behind them'
	for t in $(cd "$MOORE_ROOT/opensm-plugin" && grep -hoE '\bosm_[a-z_]+_t\b' *.c *.h | sort -u); do
		grep -qw "$t" "$MOORE_ROOT/opensm-plugin/layout.c" || [[ $unread == *$t* ]] || fail "$t"
	done
}

@test "a plugin for another version is refused by OpenSM" {
	other=$MOORE_ROOT/build
	[ "$MOORE_BUILD" != "$other" ] || other=$MOORE_ROOT/build-opensm
	[ -e "$other/libosmmoore.so" ] || skip "only with a second build"
	plan slimfly q=4
	sim_start "$dir/net"
	MOORE_BUILD=$other sm_start
	await "Error loading plugin 'osmmoore': OpenSM version mismatch"
	await "cannot find or setup routing engine 'moore'"
	! log_has 'SUBNET UP'
}
