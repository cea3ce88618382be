# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - helpers of moorectl's tests.  MOORE_BUILD names the build to test: build, or
# build-san, with which a leak or a bad access causes a wrong exit code.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
. "$ROOT/tests/shared.bash"
M=${MOORE_BUILD:-$ROOT/build}/moorectl
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=1:allocator_may_return_null=1}
T=$BATS_TEST_TMPDIR
# A sentence that a test looks for stands in one line.
export COLUMNS=10000

# The JSON in $output satisfies a jq condition; if not, prints it.
holds() { jq -e "$1" <<<"$output" >/dev/null || { echo "not ($1): $output"; return 1; }; }

# Standard error contains these words.
says() { [[ $stderr == *"$1"* ]] || { echo "stderr does not say '$1': $stderr"; return 1; }; }

# q5 FILE: writes a Slim Fly of 50 switches and 200 endpoints.
q5() { $M plan new slimfly q=5 p=4 -o "$1" >/dev/null; }

# ring N FILE: writes a ring of N switches r0.. with endpoints h0.. on port 1; port 2 leads
# to the next switch, port 3 to the previous one.
ring() {
	jq -n --argjson n "$1" '{
		moore_plan: 1,
		switches: [range($n) | {name: "r\(.)", ports: 3}],
		endpoints: [range($n) | {name: "h\(.)", switch: "r\(.)", port: 1}],
		cables: [range($n) | {a: {switch: "r\(.)", port: 2},
			b: {switch: "r\((. + 1) % $n)", port: 3}}]
	}' >"$2"
}

# clockwise FROM TO: tables of a ring in which every packet leaves by port 2.
clockwise() {
	cp -r "$1" "$2"
	awk '/^0x/ && $2 != "000" && $2 != "001" { sub(/ 00[23] /, " 002 ") } 1' \
		"$1/opensm-lfts.dump" >"$2/opensm-lfts.dump"
}

# only D NAME...: directory D holds exactly these files, so that no temporary file is left
# (their names begin with a dot or end in six letters).
only() {
	local d=$1
	shift
	[ "$(ls -A "$d" | sort | tr '\n' ' ')" = "$(printf '%s\n' "$@" | sed '/^$/d' | sort | tr '\n' ' ')" ] ||
		{ ls -lA "$d"; return 1; }
}
