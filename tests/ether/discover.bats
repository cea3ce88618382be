# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# discover.bats - `ethernet discover` asks a real lldpd in the namespace of each switch.  The hosts
# of the lab run none, so that they are missing from every fabric here.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
M=${MOORE_BUILD:-$ROOT/build}/moorectl
LAB=$ROOT/tests/ether/lab
PATH=$PATH:/usr/sbin

setup() {
	[ "$(id -u)" = 0 ] || skip "lldpd gives up the rights of root, so it needs them"
	cd "$BATS_TEST_TMPDIR"
	"$M" plan new slimfly q=5 -o plan.json >/dev/null
	"$LAB" up plan.json lab
}

teardown() {
	[ ! -e lab/lab.json ] || "$LAB" down lab
}

# discover OPTION...: writes f.json.
discover() {
	"$M" ethernet discover --command "$ROOT/tests/ether/ask lab {switch} {what}" "$@" -o f.json --json >found
}

# Asks up to 15 times until the answer satisfies a jq condition.
until_found() {
	local want=$1
	shift
	for _ in $(seq 15); do
		discover "$@" || true
		! jq -e "$want" found >/dev/null || return 0
		sleep 1
	done
	head -40 found
	return 1
}

# What check finds besides the hosts.
wrong_cables() {
	"$M" check plan.json f.json --json >check || true
	jq -r '.deviations[] | select(.verdict != "missing-endpoint") | .text' check
}

# Asks up to 30 times until lldpd has settled on cables of which check says what standard input
# says.  After a swap lldpd lists the old neighbours first alone, then beside the new ones.
until_wrong_is() {
	local want
	want=$(cat)
	for _ in $(seq 30); do
		discover --plan plan.json || true
		! jq -e '.cables == 175 and .findings == []' found >/dev/null ||
			[ "$(wrong_cables)" != "$want" ] || return 0
		sleep 1
	done
	diff <(wrong_cables) - <<<"$want"
	return 1
}

@test "lldpd in every switch: the cables are those of the plan, whoever is asked first" {
	until_found '.ok and .answered == 50 and .cables == 175 and .findings == []' --plan plan.json
	[ -z "$(wrong_cables)" ]
	jq '[.cables[] | [.a, .b | [.switch, .port]] | sort] | sort' plan.json f.json | jq -es '.[0] == .[1]'
	until_found '.ok and .answered == 50 and .cables == 175' --from s1-2-2
	[ -z "$(wrong_cables)" ]
}

@test "two cables are swapped: lldpd reports it, check names it, and both are put right" {
	until_found '.ok and .cables == 175' --plan plan.json
	"$LAB" swap lab s0-0-0 4 s1-3-3 5
	until_wrong_is <<-END
		s0-0-1[4]: should lead to s0-0-0[4], leads to s1-3-3[5]
		s0-1-1[9]: should lead to s1-3-3[5], leads to s0-0-0[4]
	END
	"$LAB" swap lab s0-0-0 4 s1-3-3 5
	until_wrong_is </dev/null
}
