# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# limit.bats - memory stays bounded when dumps are larger than memory.  The address space is
# limited, so that memory which grows with the text causes a failure.  With MOORE_SOAK all
# 49,151 unicast LIDs are used (6.3 GB of dumps), else a tenth of them.
load lib

# full: a Slim Fly with more endpoints added until all LIDs are used.
full() {
	$M plan new slimfly q=25 p=19 -o "$1" >/dev/null
	jq -c --argjson more 200 '.endpoints += [range($more) as $i | .switches[$i] as $s |
		{ name: "x\($i)", switch: $s.name, port: ($s.ports + 1) }] |
		.switches |= (to_entries | map(if .key < $more then .value.ports += 1 else . end | .value))' \
		"$1" >"$1.full"
	mv "$1.full" "$1"
}

@test "dumps far longer than memory are written and read" {
	[[ $M != *-san/* ]] || skip "AddressSanitizer takes terabytes of address space"
	cd "$BATS_TEST_TMPDIR"
	if [ -n "$MOORE_SOAK" ]; then
		full plan.json
		space=1048576 lids=49151
	else
		$M plan new slimfly q=11 p=8 -o plan.json >/dev/null
		space=131072 lids=7987
	fi
	(ulimit -v $space; $M route plan.json --lmc $([ -n "$MOORE_SOAK" ] && echo 1 || echo 2) --json) >memory.json
	(ulimit -v $space; $M route plan.json --lmc $([ -n "$MOORE_SOAK" ] && echo 1 || echo 2) -o t --json) >route.json
	cmp memory.json route.json
	[ "$(stat -c %s t/opensm-lfts.dump)" -gt $((space * 900)) ]
	grep -q "^Unicast lids \[0-$lids\]" <(head -n 1 t/opensm-lfts.dump)
	(ulimit -v $space; $M verify t --json) >verdict.json
	jq -e '.sound and .unreachable == 0' verdict.json
	(ulimit -v $space; $M quality t --pattern worst >/dev/null)
	(ulimit -v $space; $M table lft s0-0-0 --tables t >/dev/null)
	(ulimit -v $space; $M path s0-0-0-h1 s1-3-4-h2 --tables t >/dev/null)
}

@test "a full disk leaves the old files and no others" {
	cd "$BATS_TEST_TMPDIR"
	q5 q5.json
	$M route q5.json -o t >/dev/null
	cp -r t before
	run --separate-stderr -2 bash -c "ulimit -f 64; trap '' XFSZ; exec $M route q5.json --lmc 2 -o t"
	says "cannot write"
	diff -r before t
}
