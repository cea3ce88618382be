# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# ethernet.bash - the networks that ethernet*.bats start from: $N of plan $P, a Slim Fly, and $R, a ring.
setup_file() {
	load lib
	$M plan new slimfly q=5 -o "$BATS_FILE_TMPDIR/p.json" >/dev/null
	$M ethernet emit "$BATS_FILE_TMPDIR/p.json" --ipv4 10.0.0.0/8 --ipv6 fd00::/48 \
		-o "$BATS_FILE_TMPDIR/net" >/dev/null
	ring 5 "$BATS_FILE_TMPDIR/ring.json"
	$M ethernet emit "$BATS_FILE_TMPDIR/ring.json" --ipv4 10.0.0.0/16 --layers 1 \
		-o "$BATS_FILE_TMPDIR/ring" >/dev/null
}

setup() {
	P=$BATS_FILE_TMPDIR/p.json
	cp -r "$BATS_FILE_TMPDIR/net" "$BATS_FILE_TMPDIR/ring" "$T"
	N=$T/net R=$T/ring
}

# also_over FILE PREFIX PORT: the switch of a routes.ipbatch sends a prefix to the neighbour at a second port as well.
also_over() {
	local hop
	hop=$(awk -v p="swp$3" '$7 == p { print $5; exit }' "$1")
	sed -i "s|^\(route replace $2\) \(via .* onlink\) proto 109|\1 proto 109 nexthop \2 nexthop via $hop dev swp$3 onlink|" "$1"
	grep -q "^route replace $2 proto 109 nexthop .* nexthop " "$1"
}
