#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# The web page of moored in a real browser, on a fabric under the real OpenSM: a cable is pulled
# and plugged in again, and the page shows both within three seconds.
bats_require_minimum_version 1.5.0
load lib.bash
load daemon.bash

teardown() {
	[ ! -e "$dir/moored.log" ] || tail -n 20 "$dir/moored.log"
	moored_kill
	fabric_stop
}

# pulled WORDS...: the plan of these words, and a browser that watches while its 21st cable is
# pulled and plugged in again.
pulled() {
	local port=$((20000 + $$ % 20000)) n
	command -v chromium >/dev/null || skip "no chromium"
	plan "$@"
	moorectl plan place "$dir/plan.json" --iterations 1000 -o "$dir/placed.json" >/dev/null
	mv "$dir/placed.json" "$dir/plan.json"
	n=$(jq '.switches | length' "$dir/plan.json")
	read -r a b < <(jq -r '.cables[20] | "\"\(.a.switch)\"[\(.a.port)] \"\(.b.switch)\"[\(.b.port)]"' "$dir/plan.json")
	sim_start "$dir/net"
	sm_start
	await_up
	moored_start page "127.0.0.1:$port"
	will "$DEADLINE" '.ok' wiring.check
	will "$DEADLINE" '.poll > 2' fabric.loads
	chmod o+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$dir"	# the browser runs as an ordinary user
	cat >"$dir/steps" <<-END
		size 1400 1000
		open http://localhost:$port/
		until 20 document.querySelector("#live").textContent === "live"
		until 20 document.querySelectorAll("#map .switch").length === $n
		until 20 document.querySelector("#verdict.good")
		print document.querySelector("[value=deviations]").click() || "clicked"
		until 5 document.querySelectorAll("#map .vgood.switch").length === $n
		run echo 'Unlink $a' >$dir/console
		until 3 document.querySelector("#map .link.missing") && document.querySelectorAll("#map .vbad.switch").length === 2 && document.querySelectorAll("#deviations tbody tr").length === 1
		shot ${SHOT:-$dir/shot.png}
		run echo 'Link $a $b' >$dir/console
		until 3 document.querySelector("#verdict.good") && !document.querySelector("#map .link.missing, #map .vbad")
	END
	timeout 200 python3 "$MOORE_ROOT/tests/daemon/browser.py" "$dir/browser" <"$dir/steps" 3>&- 7>&- >"$dir/said" ||
		fail "$(cat "$dir/said")"
	cat "$dir/said"
	sed -n '/sandbox/s/^/# /p' "$dir/said" >&3
	moored_stop
}

@test "a cable is pulled: the page shows it within 3 s, and that it is back" {
	pulled slimfly q=5 p=4
}

@test "the same on 338 switches and 3,042 endpoints" {
	soak
	pulled slimfly q=13 p=9
	[ "$(sed -n 's/^first paint \([0-9]*\) ms$/\1/p' "$dir/said")" -lt 1000 ]
}
