# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - a bare Debian 12 in a folder, for the tests of packages and units.
#
#   bare_debian TAR [PACKAGE]...   write that system with these packages into TAR, unless TAR
#                                  is there; if it cannot, every test of the file is skipped
#   in_root DIR COMMAND...         run the command in the system in DIR
#   system_with_moore              make a system in $F/root that has systemd, OpenSM, ibsim and moore
#   fabric_of NET [SETTING]...     let ibsim be its fabric
#   boot, in_it COMMAND..., halt   boot it, run a command in it, end it
#   packages DIR [REVISION]        build the Debian packages of the last commit into DIR
bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
F=$BATS_FILE_TMPDIR

setup() { [ ! -e "$F/skip" ] || skip "$(cat "$F/skip")"; }

bare_debian() {
	local tar=$1
	shift
	[ "$(id -u)" = 0 ] || { echo "only as root" >"$F/skip"; return 1; }
	[ ! -e "$tar" ] || return 0
	mmdebstrap --quiet --variant=minbase --mode=root ${1:+--include="$*"} bookworm "$tar" 2>"$F/mirror" ||
		{ echo "only where a Debian mirror answers: $(tail -n 1 "$F/mirror")" >"$F/skip"; rm -f "$tar"; return 1; }
}

# /proc ends with the command.
in_root() {
	local root=$1
	shift
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" env -i \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 COLUMNS=10000 DEBIAN_FRONTEND=noninteractive "$@"
}

packages() {
	local tar version
	unset MAKEFLAGS MAKELEVEL MFLAGS
	tar=$ROOT/$(make -sC "$ROOT" dist | tail -n 1)
	version=${tar##*/moore-}
	DEB_REVISION=${2:-1} "$ROOT/packaging/make-deb" "$tar" "${version%.tar.gz}" "$1" >&2
}

# ---- a system that boots ------------------------------------------------------------
SIM=/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so

system_with_moore() {
	local tar=${MOORE_UNITS_TAR:-$F/units.tar}
	bare_debian "$tar" systemd systemd-sysv udev opensm ibsim-utils curl libarpack2 libevent-2.1-7 \
		libibmad5 libibumad3 libibverbs1 libjansson4 libmetis5 libsystemd0 || return 1
	mkdir "$F/root"
	tar -xf "$tar" -C "$F/root"
	if [ -n "${MOORE_SOAK:-}" ]; then install_packages; else install_build; fi
}

# A copy of the build is installed; -o keeps its objects, whatever compiler made them.
install_build() {
	local build=${MOORE_BUILD:-$ROOT/build}
	cp -a "$build" "$F/build"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" -o "$F/build/flags" B="$F/build" install \
		DESTDIR="$F/root" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu UNITDIR=/lib/systemd/system >/dev/null
	rm -r "$F/build"
	# As `make install` prints.
	in_root "$F/root" sh -c 'systemd-sysusers && systemctl -q enable moored.service moored.socket moored-sweep.socket'
}

install_packages() {
	packages "$F/deb"
	cp "$F"/deb/{libmoore0,osmmoore,moored,moorectl}_*.deb "$F/root"
	in_root "$F/root" sh -c 'dpkg -i *.deb && rm *.deb' >&2
}

# fabric_of NET [SETTING]...: ibsim runs with NET from the next boot on, and the units of moored
# and OpenSM find it; moored's gets the settings, too.
fabric_of() {
	local net=$1
	shift
	simulated moored 'WorkingDirectory=/var/lib/moored' "$@"
	# OpenSM under ibsim may ignore SIGTERM.
	simulated opensm@ 'WorkingDirectory=/var/tmp' 'TimeoutStopSec=1'
	simulated opensm
	cat >"$F/root/etc/systemd/system/ibsim.service" <<-UNIT
	[Unit]
	Before=moored.service
	[Service]
	ExecStart=/bin/sh -c 'mkfifo /run/console; ibsim -s -N 300 -S 80 -P 2000 $net 0<>/run/console'
	[Install]
	WantedBy=multi-user.target
	UNIT
	in_root "$F/root" systemctl -q enable ibsim.service
}

# simulated UNIT SETTING...: the service finds the fabric of ibsim.
simulated() {
	local d=$F/root/etc/systemd/system/$1.service.d
	shift
	mkdir -p "$d"
	# The condition of OpenSM's units asks the kernel for InfiniBand.
	printf '%s\n' '[Unit]' ConditionPathExists= '[Service]' "Environment=LD_PRELOAD=$SIM SIM_HOST=s0-0-0-h0" "$@" >"$d/sim.conf"
}

# boot: starts the system in control groups of its own, so that two can run side by side.
boot() {
	local own=moore-units-$$ h
	(
		for h in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
			[ ! -e "$h/cgroup.procs" ] || { mkdir -p "$h/$own" && echo $BASHPID >"$h/$own/cgroup.procs"; }
		done
		exec systemd-nspawn --quiet --boot --register=no --keep-unit --private-network \
			-D "$F/root" -M "$own"
	) </dev/null >"$F/console" 2>&1 3>&- &
	echo $! >"$F/nspawn"
	until_ok booted || { echo "only where a systemd boots: $(tail -n 3 "$F/console")" >"$F/skip"; return; }
}
# The file has the id of the system's process 1.
booted() { pgrep -P "$(cat "$F/nspawn")" -x systemd >"$F/first" && in_it systemctl is-active -q multi-user.target; }

# halt: ends the system that booted.
halt() {
	[ ! -s "$F/first" ] || kill -KILL "$(cat "$F/first")"
	[ ! -s "$F/nspawn" ] || until_ok eval "! kill -0 $(cat "$F/nspawn") 2>/dev/null"
	find /sys/fs/cgroup -depth -type d -path "*/moore-units-$$*" -exec rmdir {} + 2>/dev/null || true
}

# in_it COMMAND...: runs it in the system that booted.
in_it() {
	timeout 60 nsenter -t "$(cat "$F/first")" -m -u -i -p -n -r -w env -i \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 COLUMNS=10000 TERM=dumb SYSTEMD_PAGER= "$@"
}
until_ok() {
	local end=$((SECONDS + 60))
	until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.1; done
}
