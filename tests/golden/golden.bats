# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# golden.bats - answers and tables are those of the record beside this file.
#
# With MOORE_SOAK set all tables are computed, otherwise the small fabrics with few failures.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
G=$BATS_TEST_DIRNAME
T=$BATS_TEST_TMPDIR

@test "answers: each recorded key is there, with its type and value" {
	"$G/compare"
}

@test "answers: each follows its schema in docs/rpc.md" {
	"$G/ask" "$T/today"
	"$ROOT/tests/answers.py" --golden "$T/today"
}

@test "answers: as text, no line has more than 80 columns" {
	"$G/ask" --wide
}

@test "answers: every verb and every method has one" {
	cat "$G"/answers/*.json | sed -n 's/^"command": "\(.*\)",$/\1/p' | sed 's/--socket [^ ]* //' >"$T/asked"
	"$BUILD/moorectl" --list | cut -f1 >"$T/verbs"
	[ -s "$T/verbs" ]
	while read -r verb; do
		grep -q "^$verb\( \|$\)" "$T/asked" || { echo "no answer of: $verb"; false; }
	done <"$T/verbs"
	sed -n 's/^## //p' "$ROOT/docs/rpc.md" >"$T/methods"
	[ -s "$T/methods" ]
	while read -r method; do
		grep -q "^call $method\( \|$\)" "$T/asked" || { echo "no answer of: $method"; false; }
	done <"$T/methods"
}

@test "tables: the hashes of each fabric, LMC, profile and failure" {
	if [ -n "$MOORE_SOAK" ]; then
		"$BUILD/tests/golden/tables" >"$T/tables"
	else
		"$BUILD/tests/golden/tables" --switches 50 --draws 3 >"$T/tables"
	fi
	"$G/compare" --tables "$T/tables"
}

# differs FILE EDIT LINE: with that edit (python) of a recorded answer r, compare prints LINE.
differs() {
	mkdir -p "$T/tests/golden" "$T/tests/ether"
	cp -r "$G/ask" "$G/compare" "$G/intended" "$G/answers" "$T/tests/golden"
	cp "$G/../ether/fake-lldp" "$T/tests/ether"
	python3 - "$T/tests/golden/answers/$1.json" "$2" <<-'PY'
		import json, sys
		r = json.load(open(sys.argv[1]))
		exec(sys.argv[2])
		json.dump(r, open(sys.argv[1], "w"))
	PY
	MOORE_BUILD=$BUILD run "$T/tests/golden/compare" "$1"
	grep -qxF -- "$3" <<<"$output" || { echo "$output"; false; }
}

@test "compare: what is gone, other or of another type is a difference, what is new is not" {
	differs plan-check 'r["answer"]["gone"] = 3' 'plan-check .gone: is gone, was 3'
	[ "$status" -eq 1 ]
	differs plan-check 'r["answer"]["parts"] = 2' 'plan-check .parts: was 2, is 1'
	differs plan-check 'r["answer"]["parts"] = "1"' \
		'plan-check .parts: was the string "1", is the number 1'
	differs plan-check 'r["exit"] = 1' 'plan-check exit: was 1, is 0'
	differs path 'r["answer"]["hops"].pop()' 'path .hops: had 2 elements, has 3'
	differs live-status 'r["answer"]["pid"] = "~string"' 'live-status .pid: was a string, is "~number"'
	differs plan-check 'del r["answer"]["parts"]' '1 answers compared, 0 differences'
	[ "$status" -eq 0 ]
	# an array that an object holds today
	differs path 'r["answer"] = r["answer"]["hops"]' '1 answers compared, 0 differences'
}

@test "compare: an intended difference is not listed" {
	differs plan-check 'r["answer"]["gone"] = 3' 'plan-check .gone: is gone, was 3'
	echo 'plan-ch* .go*: for this test' >>"$T/tests/golden/intended"
	MOORE_BUILD=$BUILD run -0 "$T/tests/golden/compare" plan-check
}
