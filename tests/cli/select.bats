# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# select.bats - moorectl select: shares of LID offsets for a traffic matrix, and the script that
# sets them.
load lib

setup_file() {
	M=${MOORE_BUILD:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/build}/moorectl
	"$M" plan new slimfly q=5 p=4 -o "$BATS_FILE_TMPDIR/plan" >/dev/null
	"$M" route "$BATS_FILE_TMPDIR/plan" --lmc 2 -o "$BATS_FILE_TMPDIR/tables" >/dev/null
}

setup() { D=$BATS_FILE_TMPDIR/tables; }

# shift_by N: each switch's hosts send to those of the switch N places on.
shift_by() {
	jq -r --argjson n "$1" '.endpoints as $e | range($e | length) as $i |
		"\($e[$i].name) \($e[($i + 4 * $n) % ($e | length)].name) 100"' "$BATS_FILE_TMPDIR/plan"
}

@test "shares of a worst case: much less than base LIDs alone, with a proof" {
	shift_by 7 >"$T/m"
	run -0 $M select "$T/m" --tables "$D" --json
	holds '.pairs == 200 and .hosts == 200 and (.list | length) == 200'
	holds '.greatest <= .bound * 1.0101 and .bound <= .greatest'
	holds '.greatest < .base and .greatest < .even and .with_ranks == null'
	holds 'all(.list[]; (.shares | length == 4) and ((.shares | add) > 0.999) and .ranks == [])'
	run -0 $M select - --tables "$D" <"$T/m"
	[[ ${lines[0]} == "200 pairs of 200 hosts" && ${lines[1]} == "greatest load"*"when they send" ]]
	[[ $output == *"to base LIDs"*"a link with that load: "* ]]
}

@test "a pair that is given twice is one pair, and its amounts add up" {
	printf 's0-0-0-h0 s0-1-0-h0 2\ns0-0-0-h0:1 s0-1-0-h0 1\n' >"$T/m"
	run -0 $M select "$T/m" --tables "$D"
	[ "${lines[0]}" = "1 pair of 1 host" ]
	run -0 $M select "$T/m" --tables "$D" --json
	holds '.pairs == 1 and .hosts == 1 and .base == 3'
}

@test "two ports of a host are two senders, told apart" {
	jq '.endpoints[1] |= (.name = "s0-0-0-h0" | .ca_port = 2)' "$BATS_FILE_TMPDIR/plan" >"$T/two"
	$M route "$T/two" --lmc 1 -o "$T/t" >/dev/null
	printf 's0-0-0-h0:%s s0-1-0-h0 2\n' 1 2 >"$T/m"
	run -0 $M select "$T/m" --tables "$T/t"
	grep -q '^s0-0-0-h0    *[0-9]' <<<"$output"
	grep -q '^s0-0-0-h0:2  *[0-9]' <<<"$output"
	run -0 $M select "$T/m" --tables "$T/t" --json
	holds '[.list[] | [.host, .port]] == [["s0-0-0-h0", 1], ["s0-0-0-h0", 2]]'
	run --separate-stderr -2 $M select "$T/m" --tables "$T/t" --ranks 2 --script "$T/run"
	says "s0-0-0-h0: has several ports"
}

@test "the rounded shares are what processes get from the script" {
	shift_by 7 >"$T/m"
	run -0 $M select "$T/m" --tables "$D" --ranks 3 --script "$T/run" --json
	holds 'all(.list[]; .ranks | length == 3) and .with_ranks >= .bound'
	want=$(jq -r '.list[5] | "\(.host) \(.ranks | join(" "))"' <<<"$output")
	[ "$(sed /^esac/q "$T/run" | grep '^#' | wc -L)" -le 80 ]
	mkdir "$T/bin"
	printf '#!/bin/sh\necho %s.example.org\n' "${want%% *}" >"$T/bin/hostname"
	chmod +x "$T/bin/hostname"
	got=${want%% *}
	for rank in 3 1 2; do
		got+=" $(SLURM_LOCALID=$rank PATH=$T/bin:$PATH sh "$T/run" sh -c 'echo $UCX_IB_LID_PATH_BITS')"
	done
	[ "$got" = "$want" ]
	[ "$(sh "$T/run" sh -c 'echo "${UCX_IB_LID_PATH_BITS-unset}"')" = unset ]	# another host
	[ "$("$T/run" echo it can be run)" = 'it can be run' ]
	run -0 $M select "$T/m" --tables "$D" --ranks 3 --script -
	diff "$T/run" - <<<"$output"
}

@test "the script finds a host whose description has a domain and a device" {
	jq '.endpoints[0].name = "node1.example.org mlx5_0"' "$BATS_FILE_TMPDIR/plan" >"$T/p"
	$M route "$T/p" --lmc 1 -o "$T/t" >/dev/null
	printf 'node1.example.org mlx5_0\ts0-1-0-h0\t2\n' >"$T/m"
	run -0 $M select "$T/m" --tables "$T/t" --ranks 1 --script "$T/run"
	mkdir "$T/bin"
	for host in node1 node1.example.org; do
		printf '#!/bin/sh\necho %s\n' $host >"$T/bin/hostname"
		chmod +x "$T/bin/hostname"
		PATH=$T/bin:$PATH sh "$T/run" sh -c 'echo ${UCX_IB_LID_PATH_BITS-unset}' | grep -qx '[01]'
	done
}

@test "tables on which SL 0 is not safe are refused: UCX asks for no other" {
	$M route "$BATS_FILE_TMPDIR/plan" --lmc 1 --profile sl-hint -o "$T/hint" >/dev/null
	shift_by 7 >"$T/m"
	run --separate-stderr -1 $M select "$T/m" --tables "$T/hint" --ranks 2 --script "$T/run"
	says "SL 0, on which UCX sends, is not safe on all LIDs"
	says "sl-hint: see"
	[ -z "$output" ] && [ ! -e "$T/run" ]
	run ! $M verify "$T/hint" --sl 0 --sources endpoints
}

@test "select: wrong matrices and misuse" {
	while IFS='|' read -r text part; do
		printf '%b' "$text" >"$T/m"
		run --separate-stderr -2 $M select "$T/m" --tables "$D"
		says "$part"
	done <<-ROWS
	s0-0-0-h0 nobody 5|$T/m:1: nobody: nothing in the fabric
	s0-0-0-h0 s0-0-0 5|$T/m:1: s0-0-0: is a switch
	\ns0-0-0-h0 5|$T/m:2: not of the form
	# nothing|holds no amount
	ROWS
	shift_by 7 >"$T/m"
	run --separate-stderr -2 $M select "$T/m"
	says "--tables DIR is missing"
	run --separate-stderr -2 $M select "$T/m" --tables "$D" --script "$T/run"
	says "--ranks N is missing"
	run --separate-stderr -2 $M select "$T/m" --tables "$D" --ranks 0
	run --separate-stderr -2 $M select "$T/m" --tables "$D" --ranks 2 --script /dev/full
	run --separate-stderr -2 $M select "$T/none" --tables "$D"
	says "$T/none"
}
