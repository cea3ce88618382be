#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# plan_schema.bats - the published schema accepts what moore writes and refuses what moore
# refuses.

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	B=${MOORE_BUILD:-$PWD/build}
	PLAN=$BATS_TEST_TMPDIR/plan.json
	"$B/moorectl" plan new slimfly q=5 -o "$PLAN"
}

valid() { python3 -W ignore -m jsonschema -i "$1" docs/plan.schema.json; }

@test "a new plan follows the schema" {
	valid "$PLAN"
}

@test "GUIDs, cabinets, lengths, labels and the seed follow the schema" {
	jq '.permutation_seed = "0xffffffffffffffff"
	    | .switches[0] += {guid: "0x0002c90300000010", cabinet: "R1", unit: 1}
	    | .endpoints[0] += {guid: "0x0002c90300000101", ca_port: 2}
	    | .cables[0] += {length: 2.5, label: "C-1 \"blue\""}' "$PLAN" > "$PLAN.full"
	valid "$PLAN.full"
}

@test "the schema refuses what moore refuses" {
	for edit in '.moore_plan = 2' '.extra = 1' '.switches = []' '.topology.q = "5"' \
		'.switches[0].ports = 255' '.switches[0].unit = 1' '.switches[0].guid = "0x0"' \
		'.switches[0].name = "a\"b"' '.endpoints[0].port = 0' '.cables[0].length = 0' \
		'.cables[0].b.port = 1.5' '.cables[0] |= del(.a)' '.permutation_seed = -1'; do
		jq "$edit" "$PLAN" > "$PLAN.bad"
		run valid "$PLAN.bad"
		[ "$status" -ne 0 ] || { echo "accepted: $edit"; false; }
	done
}
