# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# day.bats - every command of "A day with an Ethernet Slim Fly" in docs/ethernet.md runs, in the order of the page,
# and prints what the page shows.
#
# tests/package/walk explains how a page is read.  Switches and hosts are network namespaces with a real lldpd; ssh
# and scp are programs of this test, which lead there, each to a folder of its own.
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${MOORE_BUILD:-$ROOT/build}
LAB=$ROOT/tests/ether/lab
PATH=$PATH:/usr/sbin

setup() {
	[ "$(id -u)" = 0 ] || skip "lldpd gives up the rights of root, so it needs them"
	cd "$BATS_TEST_TMPDIR"
	mkdir bin home
	program ssh 'at=$1; shift; mkdir -p "$D/home/$at"; cd "$D/home/$at"
		AT=$at exec nsenter --net="/run/netns/$ID.$at" sh -c "$*"'
	program scp 'mkdir -p "$D/home/${3%%:*}"; cp -r "$2" "$D/home/${3/://}"'
	program lldpcli 'exec /usr/sbin/lldpcli -u "/run/$ID/$AT" "$@"'
	program up '"$LAB" up plan.json lab --hosts 3; ID=$(jq -r .id lab/lab.json); echo "$ID" >id
		for h in $(jq -r ".endpoints[].name" plan.json); do
			printf "%s\n" "configure system hostname $h" "configure lldp portidsubtype ifname" \
				"configure lldp tx-interval 1" >"/run/$ID/$h.conf"
			ip netns exec "$ID.$h" lldpd -d -I "eth*" -u "/run/$ID/$h" -O "/run/$ID/$h.conf" \
				</dev/null >/dev/null 2>&1 3>&- &
			echo $! >>hosts.pids
		done'
	program cut '"$LAB" cut lab "$@"'
	program mend '"$LAB" mend lab "$@"'
	sed -n '/^#!\/bin\/sh$/,/^esac$/p' "$ROOT/docs/ethernet.md" >bin/show-me
	chmod +x bin/show-me
}

# program NAME TEXT: a program that the page calls; it finds $D, the folder of this test, and $ID of the lab.
program() {
	printf '#!/bin/bash\nD=%q LAB=%q\n[ ! -e "$D/id" ] || read -r ID <"$D/id"\nexport ID\n%s\n' "$PWD" "$LAB" "$2" >"bin/$1"
	chmod +x "bin/$1"
}

teardown() {
	for p in $(cat moored.pid hosts.pids 2>/dev/null); do kill "$p" 2>/dev/null || true; done
	[ ! -e lab/lab.json ] || "$LAB" down lab
}

@test "the day" {
	"$ROOT/tests/package/walk" "$ROOT/docs/ethernet.md" env PATH="$PWD/bin:$BUILD:$PATH"
}
