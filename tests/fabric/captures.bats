#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# A capture becomes a fabric on ibsim again, with the same GUIDs and LIDs; real OpenSM with our
# plugin routes it, and what it wrote is what `moorectl shadow` said of the capture.
#
# Each capture in tests/captures is replayed so by `make soak`: a site's file is a test once it
# lies there.
load lib.bash
bats_require_minimum_version 1.5.0

# One key for all runs: it decides in which order a replay lists the switches.
key() { printf '%032x\n' 2 >"$dir/key" && chmod 600 "$dir/key"; }

# captured FILE ENGINE [KEY VALUE]...: routes a Slim Fly by that engine, and captures it.
captured() {
	local file=$1 engine=$2
	shift 2
	planned slimfly q=4 p=2 -- routing_engine "$engine" "$@"
	settled
	key
	moorectl capture "$dir/dump" --key "$dir/key" -o "$file" >/dev/null
	fabric_stop
}

# Makes $dir an empty place for another fabric.
afresh() {
	dir=$BATS_TEST_TMPDIR/again$((++n_again))
	mkdir -p "$dir/cache" "$dir/dump"
	export OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache IBSIM_SOCKNAME=$IBSIM_SOCKNAME-$n_again
	: >"$dir/opensm.log"
	seen=0
}

# The LIDs of a capture, as OpenSM keeps them from one start to the next: an empty line ends each.
guid2lid() {
	tar xOf "$1" opensm-lfts.dump | awk '/^0x/ { for (i = 1; i < NF; i++) if ($i == "portguid") g = $(i + 1)
		sub(/:$/, "", g); if (!(g in from) || $1 < from[g]) from[g] = $1; if ($1 > to[g]) to[g] = $1 }
		END { for (g in from) print g, from[g], to[g] "\n" }'
}

# replay CAPTURE
replay() {
	local capture=$1 what lmc vls code
	afresh
	moorectl shadow "$capture" --op-vls 2 --json >"$dir/said" || [ $? -eq 1 ]
	jq -e .moore "$dir/said" >/dev/null || fail "shadow computed no routes: $(jq -c . "$dir/said")"
	tar xOf "$capture" plan.json | moorectl plan export --to ibsim - >"$dir/net"
	guid2lid "$capture" >"$dir/cache/guid2lid"
	lmc=$(jq .lmc "$dir/said")
	echo "moored $dir/moored.sock" >"$dir/moore.conf"
	sim_start "$dir/net"
	sm_start lmc "$lmc" honor_guid2lid_file TRUE
	await_up
	settled
	# Without a plan or a history, missing switches are reported (MR23), as they should be.
	! log | grep 'ERR MR' | grep -v 'ERR MR23' || fail "$(log | grep 'ERR MR')"
	moorectl capture "$dir/dump" --names keep -o "$dir/again.tar" >/dev/null
	# The same cables and LIDs.
	diff <(tar xOf "$capture" plan.json | jq -S '[.cables[] | [.a, .b] | sort] | sort') \
		<(tar xOf "$dir/again.tar" plan.json | jq -S '[.cables[] | [.a, .b] | sort] | sort')
	diff <(guid2lid "$capture" | sort) <(guid2lid "$dir/again.tar" | sort)
	# What was written is what was said.
	moorectl shadow "$dir/again.tar" --json >"$dir/did" || [ $? -eq 1 ]
	jq -e '.writes.blocks == 0 and .writes.sl2vl_rows == 0 and .today.sound' "$dir/did" >/dev/null ||
		fail "OpenSM wrote something else: $(jq -c . "$dir/did")"
	what='{sound, acyclic, unreachable, hops, vls, channels, dependencies, max_load, mean_load}'
	diff <(jq -S ".moore | $what" "$dir/said") <(jq -S ".today | $what" "$dir/did")
	diff <(jq '.moore_shares | del(.worst)' "$dir/said") <(jq '.today_shares | del(.worst)' "$dir/did")
	# Which permutation a search finds worst depends on the order of the switches.
	jq -e --slurpfile did "$dir/did" '.moore_shares.worst - $did[0].today_shares.worst | fabs < 0.02' \
		"$dir/said" >/dev/null || fail "$(jq -c .moore_shares "$dir/said" ; jq -c .today_shares "$dir/did")"
	moorectl change "$capture" "$dir/again.tar" --json >"$dir/change" || [ $? -eq 1 ]
	[ "$(jq .churn.changed.blocks "$dir/change")" = "$(jq .writes.blocks "$dir/said")" ] ||
		fail "$(jq -c .churn "$dir/change") blocks change, and $(jq -c .writes "$dir/said") was said"
	fabric_stop
}

@test "captures of minhop, updn, dfsssp and moore: OpenSM writes what shadow said" {
	local site=$BATS_TEST_TMPDIR
	captured "$site/minhop.tar" minhop qos FALSE
	replay "$site/minhop.tar"
	afresh
	echo 0x200000 >"$site/roots"
	captured "$site/updn.tar" updn root_guid_file "$site/roots"
	replay "$site/updn.tar"
	afresh
	captured "$site/dfsssp.tar" dfsssp max_op_vls 4 lmc 1
	replay "$site/dfsssp.tar"
	afresh
	captured "$site/moore.tar" moore,no_fallback lmc 2
	replay "$site/moore.tar"
}

@test "a capture of a fabric with a cut and a dead switch" {
	planned slimfly q=4 p=2 -- lmc 1
	change sim "Unlink $(first_link)"
	change sim "Unlink \"s1-3-3\""
	settled
	key
	moorectl capture "$dir/dump" --key "$dir/key" -o "$BATS_TEST_TMPDIR/cut.tar" >/dev/null
	fabric_stop
	replay "$BATS_TEST_TMPDIR/cut.tar"
}

@test "every capture that a site has sent" {
	soak
	local n=0
	for file in "$MOORE_ROOT"/tests/captures/*.tar; do
		[ -e "$file" ] || continue
		echo "# $file"
		[ "$(tar xOf "$file" MANIFEST.json | jq -r .names)" = pseudonyms ] || fail "it has the names of a site"
		replay "$file"
		n=$((n + 1))
	done
	echo "# $n captures" >&3
	[ "$n" -gt 0 ]
}
