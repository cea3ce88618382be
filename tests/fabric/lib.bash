# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - runs a fabric on ibsim under the real OpenSM, for .bats files.
#
#   sim_start NETFILE          start ibsim with that fabric
#   sim LINE                   give a line to ibsim's console, such as Unlink "S0"[3]
#   sm_start [KEY VALUE]...    start OpenSM with our plugin; the pairs override its file
#   sm_set [KEY VALUE]...      write OpenSM's file; the next SIGHUP makes it read it
#   sm_hup                     ask OpenSM for a heavy sweep
#   sm_stop                    kill OpenSM
#   fabric_stop                kill OpenSM and ibsim, as teardown does
#   await PATTERN [SECONDS]    wait until a line of the log after the last `since`
#                              matches; on failure, print the end of the log
#   since                      ignore the log up to now
#
# Each test has a directory, sockets and caches of its own, so files can run at the same
# time. Teardown ends the processes that this test started, by process id.

MOORE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$MOORE_ROOT/tests/shared.bash"
MOORE_BUILD=${MOORE_BUILD:-$MOORE_ROOT/build}
# The OpenSM that the plugin was built for.
MOORE_OPENSM=$(cat "$MOORE_BUILD/opensm")
PATH=$MOORE_BUILD:$MOORE_OPENSM/sbin:$PATH:/usr/sbin
# A sentence that a test looks for stands in one line.
export COLUMNS=10000
# Deadlines are long, so that a busy machine fails no test.
DEADLINE=${MOORE_DEADLINE:-60}

setup() {
	dir=$BATS_TEST_TMPDIR
	mkdir -p "$dir/cache" "$dir/dump"
	export IBSIM_SOCKNAME="moore-$$-$BATS_TEST_NUMBER-$RANDOM"
	export OSM_TMP_DIR=$dir/dump OSM_CACHE_DIR=$dir/cache
	sim_pid='' sm_pid='' seen=0
	: >"$dir/opensm.log"
}

# Ends OpenSM and ibsim.
fabric_stop() {
	sm_stop
	if [ -n "$sim_pid" ]; then
		exec 7>&-
		kill -KILL "$sim_pid" 2>/dev/null || true
		wait "$sim_pid" 2>/dev/null || true
		sim_pid=''
	fi
	return 0
}
teardown() { fabric_stop; }

fail() {
	echo "$*" >&2
	return 1
}

# Skips the test unless `make soak` runs it.
soak() { [ -n "${MOORE_SOAK:-}" ] || skip "only with make soak"; }

# until_ok SECONDS COMMAND...: runs the command every 50 ms until it succeeds.
until_ok() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# ---- ibsim -------------------------------------------------------------------

sim_listens() { grep -q "@$IBSIM_SOCKNAME" /proc/net/unix; }

sim_start() {
	local net=$1 switches nodes ports
	read -r switches nodes ports < <(awk '
		$1 == "Switch" { s++; n++; p += $2 + 1 }
		$1 == "Hca" || $1 == "Router" { n++; p += $2 + 1 }
		END { print s, n, p }' "$net")
	mkfifo "$dir/console"
	# Output goes to a file, because bats waits for every process that holds its own
	# output.
	stdbuf -oL ibsim -s -N $((nodes + 8)) -S $((switches + 8)) -P $((ports + 64)) "$net" \
		<"$dir/console" >"$dir/ibsim.out" 2>&1 3>&- &
	sim_pid=$!
	exec 7>"$dir/console"
	until_ok "$DEADLINE" sim_listens || fail "ibsim does not start: $(tail "$dir/ibsim.out")"
	SIM_HOST=$(awk -F'"' '/^Hca/ { print $2; exit }' "$net")
	export SIM_HOST
}

sim() { echo "$*" >&7; }

# ---- OpenSM ------------------------------------------------------------------

sm_set() {
	local -A opt=(
		[event_plugin_name]=osmmoore
		[event_plugin_options]="moore_conf=$dir/moore.conf"
		[routing_engine]=moore,no_fallback
		[qos]=TRUE [max_op_vls]=2 [sweep_interval]=0
		[dump_files_dir]=$dir/dump [log_file]=$dir/opensm.log
		[force_log_flush]=TRUE [log_flags]=0x43 [use_ucast_cache]=FALSE
		# 4 ms for each switch, so that no test waits long for packets to leave.
		[head_of_queue_lifetime]=0x0a [leaf_head_of_queue_lifetime]=0x0a
		[packet_life_time]=0x0a
	)
	local k
	[ -e "$dir/moore.conf" ] || echo "moored $dir/moored.sock" >"$dir/moore.conf"
	while [ $# -gt 0 ]; do
		opt[$1]=$2
		shift 2
	done
	for k in "${!opt[@]}"; do
		echo "$k ${opt[$k]}"
	done >"$dir/opensm.conf.new"
	mv "$dir/opensm.conf.new" "$dir/opensm.conf"
}

# $sm_preload names a library to preload besides the simulator's.
sm_start() {
	local -a with=()
	[ -z "${sm_preload:-}" ] ||
		with=(env LD_PRELOAD="$sm_preload:$(sed -n 's/^sim_so=//p' "$(command -v ibsim-run)")")
	sm_set "$@"
	# Runs in $dir, because a killed program leaves the simulated sysfs behind.
	(cd "$dir" && exec env LD_LIBRARY_PATH="$MOORE_BUILD" ibsim-run \
		"${with[@]}" opensm -F "$dir/opensm.conf" >"$dir/opensm.out" 2>&1 3>&- 7>&-) &
	sm_pid=$!
}

sm_hup() { kill -HUP "$sm_pid"; }

# Uses SIGKILL, because OpenSM under ibsim may ignore SIGTERM.
sm_stop() {
	[ -n "$sm_pid" ] || return 0
	kill -KILL "$sm_pid" 2>/dev/null || true
	wait "$sm_pid" 2>/dev/null || true
	sm_pid=''
	return 0
}

sm_lives() { kill -0 "$sm_pid" 2>/dev/null; }

since() { seen=$(wc -l <"$dir/opensm.log"); }
log() { tail -n +$((seen + 1)) "$dir/opensm.log"; }
log_has() { log | grep -qE -- "$1"; }
# Some sweep line is without this term: a count that is zero has none.
sweep_lacks() { log | grep 'moore: .* VLs; total ' | grep -qvE -- "$1"; }
log_count() { log | grep -cE -- "$1"; }

log_has_or_dead() { log_has "$1" || ! sm_lives; }
await() {
	until_ok "${2:-$DEADLINE}" log_has_or_dead "$1" || :
	log_has "$1" && return 0
	sm_lives || echo "OpenSM is gone: $(tail -n 5 "$dir/opensm.out")" >&2
	tail -n 15 "$dir/opensm.log" >&2
	fail "no line matches: $1"
}
await_up() { await 'SUBNET UP'; }

# change COMMAND...: runs the command and waits until the subnet is up again.
change() {
	since
	"$@"
	await_up
}

# True if a sweep has routes and has not ended: a step may take a while.
sweeping() {
	awk '/moore: .* hash / { on = 1 } /SUBNET UP|Errors during init|moore: version/ { on = 0 }
		END { exit !on }' "$dir/opensm.log"
}

# True if OpenSM logged nothing for 0.4 s, so that no further sweep follows.
quiet() {
	local n
	n=$(wc -l <"$dir/opensm.log")
	sleep 0.4
	[ "$n" -eq "$(wc -l <"$dir/opensm.log")" ] && ! sweeping
}
settled() { until_ok "$DEADLINE" quiet || fail "OpenSM does not settle"; }

# Runs a tool on the fabric.
on_fabric() { (cd "$dir" && timeout "$DEADLINE" ibsim-run "$@" 2>&1); }

# ---- a planned fabric ----------------------------------------------------------

# plan FAMILY KEY=VALUE...: writes $dir/plan.json, $dir/net, and a moore.conf that names the
# plan, unless no_plan is set.
plan() {
	moorectl plan new "$@" -o "$dir/plan.json" >/dev/null
	moorectl plan export --to ibsim "$dir/plan.json" >"$dir/net"
	{ [ -n "${no_plan-}" ] || echo "plan $dir/plan.json"; echo "moored $dir/moored.sock"; } \
		>"$dir/moore.conf"
}

# planned FAMILY KEY=VALUE... [-- KEY VALUE...]: starts ibsim with the plan's fabric, and
# OpenSM, and waits until it is routed.
planned() {
	local -a words=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift || true
	plan "${words[@]}"
	sim_start "$dir/net"
	sm_start "$@"
	await_up
}

# The same without the plan in moore.conf, and waits until OpenSM asks for no other sweep.
unplanned() {
	local no_plan=1
	planned "$@"
	settled
}

# Prints the links between switches, one line for each end, as ibsim's console names it.
cables() {
	awk -F'"' 'NR == FNR { if (/^Switch/) is[$2]; next }
		/^(Switch|Hca)/ { s = $2 }
		/^\[/ && s in is && $2 in is { print "\"" s "\"" $1 }' "$dir/net" "$dir/net" | tr -d '\t '
}
first_link() { cables | head -n 1; }

# ---- what must hold -------------------------------------------------------------

hash() { log | sed -n 's/.*moore: .* hash \([0-9a-f]*\).*/\1/p' | tail -n 1; }

# The checker's verdict on the dumps: any SL, any LID, from port 0 too.
verify() { moorectl verify "${1:-$dir/dump}" --json; }
sound() {
	local out
	out=$(verify "$@") || fail "not sound: $out"
	jq -e '.sound and .acyclic and .unreachable == 0 and .loops == 0' <<<"$out" >/dev/null ||
		fail "not sound: $out"
}

# Asks ibdmchk, which shares no code with us, whether there is a credit loop: base LIDs and
# SL 0 on the lanes of the SL2VL dump.  It crashes after printing its verdict.
no_credit_loop() {
	local d=$dir/dump out
	awk '/^Switch/ { sub(/,$/, "", $2); sw = $2 }
		/^[0-9]/ { printf "%s %d %d", sw, $1, $2
			for (i = 4; i <= 18; i += 2) printf " 0x%x%x", $i, $(i + 1)
			print "" }' "$d/opensm-sl2vl.dump" >"$d/slvl"
	out=$(cd "$d" && ibdmchk -s opensm-subnet.lst -f opensm.fdbs -m opensm.mcfdbs \
		-d slvl -l 0 2>&1) || true
	grep -q 'no credit loops found' <<<"$out" || fail "ibdmchk: $(tail -n 20 <<<"$out")"
}

# The base LID of the endpoint with this name.
lid_of() {
	awk -v q="'$1'" '/Channel Adapter/ && $NF == q { print $1; exit }' \
		"$dir/dump/opensm-lfts.dump"
}

# Asks for a path record as a host does, between two endpoints given by name.
path_record() {
	on_fabric saquery -p --src-to-dst "$(($(lid_of "$1"))):$(($(lid_of "$2")))" >"$dir/path"
	grep -q 'dlid\.*[1-9]' "$dir/path" || fail "no path from $1 to $2: $(cat "$dir/path")"
}

# ---- new tables that reach the switches in steps -----------------------------------

# The steps that the log shows.
steps() { log_count 'moore: step [0-9]+ of [0-9]+: '; }

# Every step since the last `since` was safe, and interrupted no live pair.
calm() {
	log_has 'moore: step 1 of [0-9]+: [0-9]+ blocks?, ' || fail "no step: $(log | grep moore)"
	! log_has 'ERR MR' || fail "$(log | grep 'ERR MR')"
	[ "$(log_count 'moore: step .* 0 live pairs interrupted, ')" -eq "$(steps)" ] ||
		fail "$(log | grep 'moore: step')"
}

# A new OpenSM reads the tables of all switches and finds them as they should be.
read_back() {
	sm_stop
	since
	sm_start "$@"
	await_up
	log_has 'moore: [0-9]+ LFT blocks read from switches, 0 not answered' ||
		fail "$(log | grep moore)"
	log_has ' 0 of [0-9]+ LFT blocks change' || fail "$(log | grep moore)"
	[ "$(steps)" -eq 0 ]
}

# keep_whole: remembers links and lanes of the fabric as it is now, for `harmless`.
keep_whole() {
	mkdir -p "$dir/held"
	cp "$dir/dump/"{opensm-subnet.lst,opensm-sl2vl.dump,moore-op-vls.dump} "$dir/held/"
}

# The tables that the switches hold at this moment, which dump_fts reads from them, neither
# deadlock nor loop.  Pairs may be unreachable.
harmless() {
	local out
	on_fabric dump_fts | awk '
		/^Unicast/ { sub(/^.* guid /, ""); sub(/\(/, "(\047"); sub(/\):/, "\047):")
			print "Unicast lids [0-49151] of switch Lid 1 guid " $0; next }
		/^0x/ { sub(/:.*portguid /, "# Channel Adapter portguid "); sub(/\)$/, ""); print }
		/dumped/ { print "49151 lids dumped" }' >"$dir/held/opensm-lfts.dump"
	out=$(moorectl verify "$dir/held" --json) || true
	jq -e '.acyclic and .loops == 0' <<<"$out" >/dev/null || fail "what the switches hold: $out"
}
