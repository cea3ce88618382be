# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# make.bats - the Makefile: what is rebuilt, what is installed and removed, which packages
# are named.  It works on a copy of the build.
load lib

setup() {
	unset MAKEFLAGS MAKELEVEL MFLAGS
	B=$T/build
}
copy() { cp -a "${M%/*}" "$B"; }

# -o keeps the objects of the build, whatever compiler made them.
mk() { make -C "$ROOT" --no-print-directory -o "$B/flags" B="$B" "$@"; }

@test "make help names every target, a line each" {
	run -0 mk help
	for t in all deps test quick check soak demo install uninstall dist deb clean; do
		grep -q "^  make $t  *[a-z]" <<<"$output" || { echo "no $t"; false; }
	done
}

@test "other flags compile everything, another prefix what names its folders" {
	copy
	objects() { make -nC "$ROOT" B="$B" CC="$(sed 's/ : .*//' "$B/flags")" "$@" | grep -o ' -c -o .*' | sed 's/.* //' | sort; }
	[ "$(objects)" = "" ]
	[ "$(objects CFLAGS=-O1 | wc -l)" = "$(cd "$ROOT" && ls lib/*/*.c lib/*/*/*.c cli/*.c cli/*/*.c daemon/*.c daemon/*/*.c opensm-plugin/*.c threads/*.c | wc -l)" ]
	[ "$(objects SYSCONFDIR=/elsewhere)" = "$(cd "$ROOT" && grep -rlE 'MOORE_(SYSCONF|LIB)DIR' --include='*.c' opensm-plugin cli daemon | sort)" ]
}

@test "installed elsewhere, programs look there; uninstall leaves what was changed" {
	copy
	find "$B/lib" "$B/daemon" -name '*.o' | sort | xargs md5sum >"$T/before"
	run -0 mk PREFIX="$T/p"
	run -0 mk install PREFIX="$T/p"
	[[ $output == *"systemd-sysusers"*"udevadm"*"systemctl daemon-reload"*"moorectl opensm-conf --write"*"moorectl doctor"*"restart opensm"*"enable --now moored"* ]]
	[[ $output != *" CC "* ]]	# nothing was left to compile
	find "$B/lib" "$B/daemon" -name '*.o' | sort | xargs md5sum | diff "$T/before" - | grep -c '^>' | grep -qx 1
	run -0 "$T/p/bin/moorectl" doctor --help
	[[ $output == *"$T/p/etc/moore/moore.conf"* ]]
	grep -rqF "$T/p/etc/moore/moored.conf" "$T/p/lib/systemd/system/moored.service"
	! grep -r '@[A-Z]*@' "$T/p"
	# Before ldconfig has run, OpenSM's unit finds the plugin, but other programs do
	# not.
	printf '%s\n' 'routing_engine moore,no_fallback' 'event_plugin_name osmmoore' 'qos TRUE' \
		'max_op_vls 2' >"$T/opensm.conf"
	run -0 "$T/p/bin/moorectl" doctor --if-used --opensm-conf "$T/opensm.conf"
	[[ $output == *"warn  $T/p/lib/libosmmoore.so: plugin: only OpenSM's unit finds it"*"run ldconfig"* ]]
	unit=$T/p/lib/systemd/system/opensm@.service.d/moore.conf
	check=$(sed -n 's/^ExecStartPre=//p' "$unit")
	[ "$check" = "$T/p/bin/moorectl doctor --if-used" ]
	run -0 env "$(sed -n 's/^Environment=//p' "$unit")" $check --opensm-conf "$T/opensm.conf"
	[[ $output != *ldconfig* && $output == *"libosmmoore.so: plugin: loads, made for OpenSM"* ]]
	echo "seed 3" >>"$T/p/etc/moore/moore.conf"
	run -0 mk install PREFIX="$T/p" DESTDIR="$T/root"	# a package: nothing to run next
	[ -z "$output" ]
	run -0 mk uninstall PREFIX="$T/p" DESTDIR="$T/root"
	[ -z "$output" ]
	[ -z "$(find "$T/root" ! -type d)" ]
	[ -z "$(find "$T/root" -name moore -o -name '*.service.d')" ]
	[ ! -e /etc/systemd/system/multi-user.target.wants/moored.service ] || skip "moored is enabled here"
	run -0 mk uninstall PREFIX="$T/p"
	[[ $output == "kept, because it was changed: $T/p/etc/moore/moore.conf"* ]]
	[ "$(find "$T/p" ! -type d)" = "$T/p/etc/moore/moore.conf" ]
}

# A machine without packages: the fake apt-get makes packages known to dpkg-query. The fake
# compiler makes empty files.  It fails at a test program, after noting whether the test's
# packages are installed.
bare() {
	mkdir -p "$T/bin"
	cat >"$T/bin/dpkg-query" <<-SH
		#!/bin/sh
		for p in "\$@"; do grep -qw -e "\$p" $T/apt && echo "ii  \$p"; done 2>/dev/null
	SH
	cat >"$T/bin/apt-get" <<-SH
		#!/bin/sh
		sleep 0.5
		echo "\$*" >>$T/apt
	SH
	cat >"$T/bin/cc" <<-SH
		#!/bin/sh
		need=libjansson-dev
		case "\$*" in *tests/unit*) need=libcmocka-dev ;; esac
		grep -q \$need $T/apt && echo "\$need first" >>$T/compiled || echo "no \$need: \$*" >>$T/compiled
		[ \$need = libjansson-dev ] || exit 1
		while [ "\$1" != -o ]; do shift; done
		>"\$2"
	SH
	printf '#!/bin/sh\necho 0\n' >"$T/bin/id"
	chmod +x "$T/bin"/*
	PATH=$T/bin:$PATH
}

@test "packages: make names the missing ones; quick installs them before it compiles" {
	bare
	run -2 make -C "$ROOT" B="$B" CC=cc
	[[ $output == *"apt-get install --no-install-recommends gcc "*libjansson-dev* ]]
	run -2 make -j2 -C "$ROOT" B="$B" CC=cc tests-bin
	[ ! -e "$T/apt" ]
	[ ! -e "$T/compiled" ]
	run -0 make -C "$ROOT" B="$B" deps
	! grep libcmocka-dev "$T/apt"
	rm "$T/apt"
	run -2 make -j2 -C "$ROOT" B="$B" -k CC=cc quick
	[ "$(sort -u "$T/compiled")" = $'libcmocka-dev first\nlibjansson-dev first' ] || { sort -u "$T/compiled"; false; }
}

@test "make dist packs the last commit, the same bytes each time" {
	git -C "$ROOT" rev-parse HEAD >/dev/null 2>&1 || skip "no git"
	run -0 mk dist
	tar=$ROOT/${lines[-1]}
	cp "$tar" "$T/one"
	mk dist
	cmp "$T/one" "$tar"
	diff <(tar tzf "$T/one" | grep -v '/$' | sort) \
		<(git -C "$ROOT" ls-tree -r --name-only HEAD | sed "s|^|$(basename "$tar" .tar.gz)/|" | sort)
}

@test "make test runs the tests that T names" {
	copy
	run -0 mk test T=test_base:rng
	[[ $output == *"1..1"*"ok 1 - test_rng"* ]]
	run -2 mk test T=test_base:absent
	[[ $output == *'no test of test_base matches "absent"'* ]]
	run -0 mk -n test T='tests/cli/topo.bats:topo list'
	[[ $output == *"tests/run one 'tests/cli/topo.bats:topo list'" ]]
	run -2 mk test
	[[ $output == *"T=test_route:layers"* ]]
}
