# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# chroot.bats - the Debian packages in a bare Debian 12: built from their Build-Depends alone,
# taken to a routed fabric, installed, upgraded, downgraded, removed and purged.
#
# It needs root, a Debian mirror, some ten minutes and 2 GB in TMPDIR, so it is part of `make
# soak`.  MOORE_CHROOT_TAR=FILE keeps the bare Debian there from one run to the next.  No systemd
# runs in the chroot: what the packages enable is checked here, and systemd.bats starts it.
# The tests depend on each other, in the order of the file; the last needs no other.
load lib
OURS="libmoore0 libmoore-dev osmmoore moored moorectl moore-doc"

setup_file() {
	export F=$BATS_FILE_TMPDIR
	export C=$F/root
	tar=${MOORE_CHROOT_TAR:-$F/bare.tar}
	bare_debian "$tar" || return 0
	mkdir "$C" "$F/clean" "$F/bare"
	tar -xf "$tar" -C "$C"
	tar -xf "$tar" -C "$F/bare"
	tar -xf "$tar" -C "$F/clean"
	for r in 1 2; do
		packages "$F/deb$r" "$r"
		mkdir -p "$C/deb$r"
		cp "$F/deb$r"/*.deb "$C/deb$r"
		rm "$C/deb$r"/*-dbgsym_*.deb
	done
}

c() { in_root "$C" "$@"; }
debs() { (cd "$C" && ls "/$1"/*.deb 2>/dev/null || ls "$1"/*.deb | sed 's|^|/|'); }

# Every file with its mode, owner and contents; without the records of dpkg and apt, what is
# rebuilt from other files, and the users, which a test of its own compares.
snapshot() {
	(cd "$C" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./deb1 -o -path ./deb2 \
		-o -path ./deb3 -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache/apt -o -path ./var/log/apt \
		-o -path ./var/log/dpkg.log -o -path ./etc/ld.so.cache -o -path ./var/cache/ldconfig \
		-o -path './etc/passwd*' -o -path './etc/group*' -o -path './etc/shadow*' -o -path './etc/gshadow*' \
		-o -path ./etc/.pwd.lock -o -path ./etc/resolv.conf \) \
		-prune -o -printf '%M %u %g %p %l\n' -type f -exec md5sum {} + | sort -k 4)
}

# The configurations have what a person wrote into them.
changed() { grep -qx 'seed 7' "$C/etc/moore/moore.conf" && grep -qx 'poll_ms 2000' "$C/etc/moore/moored.conf"; }

@test "the packages build where only Build-Depends are installed" {
	mkdir "$F/clean/src"
	cp "$F"/deb1/moore_* "$F/clean/src"
	run -0 in_root "$F/clean" sh -c 'apt-get update && cd /src &&
		apt-get build-dep -y --no-install-recommends ./moore_*.dsc'
	run -0 in_root "$F/clean" sh -c 'cd /src && rm -f *.deb && dpkg-source -x moore_*.dsc tree &&
		cd tree && dpkg-buildpackage -us -uc -b 2>&1'
	for p in $OURS; do
		[ "$(dpkg-deb -I "$F"/clean/src/${p}_*.deb control | grep -v ^Installed-Size)" = \
		  "$(dpkg-deb -I "$F"/deb1/${p}_*.deb control | grep -v ^Installed-Size)" ] || { echo "$p: other dependencies"; false; }
		diff <(dpkg-deb -c "$F"/clean/src/${p}_*.deb | awk '{ print $1, $2, $6 }') \
			<(dpkg-deb -c "$F"/deb1/${p}_*.deb | awk '{ print $1, $2, $6 }')
	done
	# A program that uses the library is compiled and runs.
	printf '%s\n' '#include <moore/moore.h>' '#include <stdio.h>' \
		'int main(void) { struct moore_conf c; moore_conf_defaults(&c); return puts("linked") < 0; }' >"$F/clean/src/use.c"
	run -0 in_root "$F/clean" sh -c 'cd /src && dpkg -i libmoore0_*.deb libmoore-dev_*.deb >/dev/null &&
		cc use.c $(pkg-config --cflags --libs moore) -o use && ldd ./use && ./use'
	[[ $output == *libmoore.so.0*linked ]]
}

@test "lintian finds no error and no warning that has no reason" {
	run -0 lintian --allow-root --fail-on error,warning "$F"/deb1/*.changes
	[ -z "$output" ]
}

# A fabric of the simulator has to be there before a subnet manager can find it.
@test "from a bare Debian to routes in two minutes: apt install, two commands, OpenSM" {
	run -0 in_root "$F/bare" sh -c 'apt-get update && apt-get install -y --no-install-recommends ibsim-utils'
	mkdir "$F/bare/debs"
	cp "$F"/deb1/{libmoore0,osmmoore,moored,moorectl}_*.deb "$F/bare/debs"
	! in_root "$F/bare" dpkg -l opensm 2>/dev/null | grep -q ^ii
	cat >"$F/bare/first" <<-SH
	set -e
	apt-get install -y /debs/*.deb
	moorectl opensm-conf --write
	moorectl doctor
	cd /var/tmp
	moorectl plan new slimfly q=5 p=4 -o plan.json
	moorectl plan export --to ibsim plan.json >net
	export IBSIM_SOCKNAME=first-$$ SIM_HOST=s0-0-0-h0
	mkfifo console
	ibsim -s -N 300 -S 80 -P 2000 net 0<>console >/dev/null &
	sleep 1
	# OpenSM keeps the last lines of a log in memory; libstdbuf has it write each.
	_STDBUF_O=L LD_PRELOAD=$SIM:/usr/libexec/coreutils/libstdbuf.so opensm -f stdout >log 2>&1 &
	until grep -q 'SUBNET UP' log; do sleep 0.1; done
	SH
	begin=${EPOCHREALTIME/./}
	run -0 timeout 200 bash -c "$(declare -f in_root); in_root '$F/bare' sh /first"
	took=$(((${EPOCHREALTIME/./} - begin) / 100000))
	echo "# from apt install to SUBNET UP: $((took / 10)).$((took % 10)) s" >&3
	grep -q 'moore: .* hash ' "$F/bare/var/tmp/log"
	[ $took -lt 1200 ]
}

@test "installed: the user, the units, one line on what to run next, and doctor is content" {
	run -0 c apt-get update
	# First what the packages depend on, so that the snapshot has it.
	c apt-get -s install --no-install-recommends $(debs deb1) | sed -n 's/^Inst \([^ ]*\).*/\1/p' |
		grep -vxF "$(tr ' ' '\n' <<<"$OURS")" >"$F/needs"
	grep -qx opensm "$F/needs"
	run -0 c apt-get install -y --no-install-recommends $(cat "$F/needs")
	# An opensm.conf of its administrator.
	c opensm -c /etc/opensm/opensm.conf >/dev/null
	mkdir "$C/var/cache/opensm"	# OpenSM makes it when it runs
	snapshot >"$F/before"
	cp "$C/etc/opensm/opensm.conf" "$F/opensm.conf"
	run -0 c dpkg -i $(debs deb1)
	[ "$(grep '^osmmoore: ' <<<"$output")" = \
	  'osmmoore: next, as root: moorectl opensm-conf --write && moorectl doctor && systemctl restart opensm' ]
	cmp "$C/etc/opensm/opensm.conf" "$F/opensm.conf"
	grep -q '^moored:.*/var/lib/moored:/usr/sbin/nologin$' "$C/etc/passwd"
	for u in multi-user.target.wants/moored.service sockets.target.wants/moored.socket sockets.target.wants/moored-sweep.socket; do
		[ -L "$C/etc/systemd/system/$u" ] || { echo "$u is not enabled"; false; }
	done
	for p in $OURS; do [ "$(c dpkg-query -W -f='${db:Status-Abbrev}' "$p")" = "ii " ]; done
	[ "$(c dpkg-query -W -f='${Conffiles}\n' osmmoore moored | awk 'NF { print $1 }' | sort | tr '\n' ' ')" = \
	  "/etc/moore/moore.conf /etc/moore/moore.dashboard.json /etc/moore/moore.rules.yml /etc/moore/moored.conf /etc/moore/opensm.conf " ]
	snapshot | grep -q ' \./usr/sbin/moored '	# so the comparison after the purge would find it
	# The commands of that line, as far as they need no systemd.
	run -0 c moorectl opensm-conf --write
	run -0 c moorectl doctor
	[[ $output == *"libosmmoore.so: plugin: loads, made for OpenSM 3.3.23"* && $output != *FAIL* ]]
	run -0 c sh -c 'moorectl plan new slimfly q=5 p=4 -o /tmp/p && moorectl route /tmp/p -o /tmp/t && moorectl verify /tmp/t && rm -r /tmp/p /tmp/t'
	# moored runs as its user and leaves a socket and state.
	run -124 c sh -c 'install -d -o moored -g moored -m 750 /var/lib/moored && install -d -o moored -g moored /run/moored &&
		exec timeout 5 setpriv --reuid=moored --regid=moored --clear-groups moored --config /etc/moore/moored.conf --foreground' ||
		[ "$status" = 0 ]
	echo state >"$C/var/lib/moored/history"
	# And the plugin: the graph that it keeps, and each of its dumps; it was killed at the next.
	dumps=$(sed -n 's/.*{ "\(moore-[a-z-]*\.dump\)".*/\1/p' "$ROOT/opensm-plugin/dump.c")
	[ "$(wc -l <<<"$dumps")" -ge 4 ]
	for f in cache/opensm/moore-kept.json $(sed 's|^|log/|' <<<"$dumps"); do
		echo '{}' | tee "$C/var/$f" >"$C/var/$f.new"
	done
}

@test "upgraded: what a person changed in a configuration stays, the rest is new" {
	# An upgrade stops all three units before it unpacks, and starts them afterwards.
	units="'moored-sweep.socket' 'moored.service' 'moored.socket'"
	dpkg-deb -I "$F"/deb1/moored_*.deb preinst | grep -qF "deb-systemd-invoke stop $units"
	dpkg-deb -I "$F"/deb1/moored_*.deb postinst | grep -qF "deb-systemd-invoke start $units"
	sed -i 's/^seed .*/seed 7/' "$C/etc/moore/moore.conf"
	sed -i 's/^poll_ms .*/poll_ms 2000/' "$C/etc/moore/moored.conf"
	run -0 c dpkg -i $(debs deb2)
	[[ $output == *"osmmoore: OpenSM runs the old plugin until: moorectl doctor && systemctl restart opensm"* ]]
	[ "$(c dpkg-query -W -f='${Version}' moored)" = "$(dpkg-deb -f "$F"/deb2/moored_*.deb Version)" ]
	changed
	# A version whose own configurations differ: dpkg keeps the changed one and asks nothing.
	mkdir "$F/new" "$C/deb3"
	dpkg-deb -R "$F"/deb2/osmmoore_*.deb "$F/new"
	sed -i 's/^Version: .*/&.1/' "$F/new/DEBIAN/control"
	echo '# a new line' | tee -a "$F/new/etc/moore/moore.conf" >>"$F/new/etc/moore/opensm.conf"
	dpkg-deb --root-owner-group -b "$F/new" "$C/deb3/osmmoore.deb"
	run -0 c dpkg --force-confdef --force-confold -i /deb3/osmmoore.deb
	changed
	[ "$(tail -n 1 "$C/etc/moore/moore.conf.dpkg-dist")" = '# a new line' ]
	[ "$(tail -n 1 "$C/etc/moore/opensm.conf")" = '# a new line' ]
	[ -e "$C/var/lib/moored/history" ]
	run -0 c moorectl doctor
}

@test "an OpenSM of another version is refused, a new revision of the same is not" {
	while IFS='|' read -r version want; do
		rm -rf "$F/fake"
		mkdir -p "$F/fake/DEBIAN"
		printf '%s\n' 'Package: opensm' "Version: $version" 'Architecture: amd64' \
			'Maintainer: nobody <nobody@example.org>' 'Description: stand-in' >"$F/fake/DEBIAN/control"
		dpkg-deb --root-owner-group -b "$F/fake" "$C/deb3/opensm_$version.deb" >/dev/null
		run c dpkg --no-act -i "/deb3/opensm_$version.deb"
		[ "$status" = "$want" ] || { echo "$version: exit $status: $output"; false; }
		[ "$want" = 0 ] || [[ $output == *"osmmoore conflicts with opensm"* ]]
	done <<-'ROWS'
	3.3.22-1|1
	3.3.23-9|0
	3.3.23.1-1|0
	3.3.24~rc1-1|1
	3.3.24-1|1
	3.3.25-1|1
	ROWS
	[[ $(c dpkg-query -W -f='${Version}' opensm) == 3.3.23-* ]]
}

@test "downgraded: what a person changed stays" {
	# dpkg would ask about the configuration that the version above changed.
	run -0 c dpkg --force-confdef --force-confold -i $(debs deb1)
	[ "$(c dpkg-query -W -f='${Version}' osmmoore)" = "$(dpkg-deb -f "$F"/deb1/osmmoore_*.deb Version)" ]
	changed
	run -0 c moorectl doctor
}

@test "removed: the configurations and the state stay; purged: nothing does" {
	run -0 c dpkg --remove $OURS
	[[ $output == *"osmmoore: /etc/opensm/opensm.conf still names the plugin"* ]]
	[ "$(cd "$C" && find etc/moore -type f | sort | tr '\n' ' ')" = \
	  "etc/moore/moore.conf etc/moore/moore.conf.dpkg-dist etc/moore/moore.dashboard.json etc/moore/moore.rules.yml etc/moore/moored.conf etc/moore/opensm.conf " ]
	[ -e "$C/var/lib/moored/history" ]
	# The administrator undoes what the first of the commands did.
	mv "$C/etc/opensm/opensm.conf.before-moore" "$C/etc/opensm/opensm.conf"
	cmp "$C/etc/opensm/opensm.conf" "$F/opensm.conf"
	run -0 c dpkg --purge $OURS
	snapshot >"$F/after"
	diff "$F/before" "$F/after"
	# The user stays, as is Debian's custom, and cannot log in.
	grep -q '^moored:.*/usr/sbin/nologin$' "$C/etc/passwd"
	! c dpkg -l $OURS 2>/dev/null | grep '^[a-z][a-zA-Z]'
}

@test "without the right OpenSM the plugin is not set up" {
	run -0 c dpkg --force-depends -i /deb3/opensm_3.3.24-1.deb
	run c dpkg -i $(debs deb1 | grep -E 'osmmoore|moorectl')
	[ "$status" = 1 ]
	[[ $output == *"osmmoore"*"opensm"*"3.3.24"* ]]
	[ "$(c dpkg-query -W -f='${db:Status-Status}' osmmoore)" != installed ]
}

# The disk has room for a part of the files, or for these and a part of what dpkg and the
# scripts write then: libmoore0, osmmoore and the scripts of moored fail at these sizes.
@test "disk full: dpkg says so, and with space again apt -f and another install end well" {
	small=$F/small
	mkdir "$small"
	run -0 unshare --mount --propagation private bash -c "$(declare -f in_root); $(declare -f full); F='$F'; full '$small' '${MOORE_CHROOT_TAR:-$F/bare.tar}'"
	[ "$(grep -c '^fails: .*No space left on device' <<<"$output")" = 5 ]
	[ "$(grep -c '^mended: 4 packages, moored with its user and 3 units' <<<"$output")" = 5 ]
	# Of some of them dpkg had unpacked all and set up a part.
	grep -q '^state: .*iU' <<<"$output"
}
full() {
	local small=$1 left got n
	mount -t tmpfs -o size=3G none "$small"
	tar -xf "$2" -C "$small"
	mkdir "$small/debs"
	cp "$F"/deb1/{libmoore0,osmmoore,moored,moorectl}_*.deb "$small/debs"
	r() { in_root "$small" "$@" 2>&1; }
	r sh -c 'apt-get update && apt-get install -y --no-install-recommends $(apt-get -s install \
		--no-install-recommends /debs/*.deb | sed -n "s/^Inst \([^ ]*\).*/\1/p" | grep -vE "moore")' >/dev/null
	for left in 400 1500 20 40 60; do
		[ $left -ge 100 ] || r sh -c 'dpkg --unpack /debs/*.deb' >/dev/null
		mount -o remount,size=$(($(df -k --output=used "$small" | tail -n 1) + left))k "$small"
		if [ $left -ge 100 ]; then got=$(r sh -c 'dpkg -i /debs/*.deb'); else got=$(r dpkg --configure -a); fi && return 1
		echo "fails: $(grep -m 1 'No space left' <<<"$got")"
		echo "state: $(r dpkg-query -W -f='${db:Status-Abbrev}' libmoore0 osmmoore moored moorectl)"
		mount -o remount,size=3G "$small"
		r sh -c 'dpkg --configure -a && apt-get -f install -y && dpkg -i /debs/*.deb' >/dev/null || return 1
		[ -z "$(r dpkg --audit)" ] && grep -q ^moored: "$small/etc/passwd" || return 1
		n=$(r dpkg-query -W -f='${db:Status-Abbrev}\n' libmoore0 osmmoore moored moorectl | grep -c '^ii')
		echo "mended: $n packages, moored with its user and $(ls "$small"/etc/systemd/system/*.wants | grep -c moored) units"
		r sh -c 'dpkg --purge osmmoore moored moorectl libmoore0' >/dev/null
		sed -i /^moored:/d "$small"/etc/{passwd,group,shadow,gshadow}
	done
}
