# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# systemd.bats - the units under a real systemd, which boots in a bare Debian 12.
#
# In it runs what a host of a fabric runs: OpenSM with the plugin and moored, both from their
# units.  ibsim is the fabric, so both units get a drop-in that preloads its library; nothing
# else of them is changed but the seconds of the watchdog.
#
# `make check` boots what `make install` installs, and `make soak` the Debian packages, which
# enable the units themselves.  It needs root and a Debian mirror, so without them it is skipped.
# The tests depend on each other, in the order of the file.
load lib

setup_file() {
	system_with_moore || return 0
	prepare
	boot
}
teardown_file() { halt; }

# prepare: a plan, its fabric for ibsim, and the settings that an administrator makes.
prepare() {
	in_root "$F/root" sh -ec 'moorectl plan new slimfly q=5 p=4 -o /etc/moore/plan.json
		moorectl plan export --to ibsim /etc/moore/plan.json >/root/net
		sed -i "s|^plan .*|plan /etc/moore/plan.json|" /etc/moore/moore.conf /etc/moore/moored.conf
		opensm -c /etc/opensm/opensm.conf
		moorectl opensm-conf --write
		useradd guest' >/dev/null
	fabric_of /root/net 'WatchdogSec=2' 'TimeoutAbortSec=2'
}

value() { in_it systemctl show -P "$1" "${2:-moored.service}"; }
journal() { in_it journalctl -o cat -u "${2:-moored}" | grep -qE -- "$1"; }
# status JQ: the answer of moored satisfies a jq condition.
status() { [ "$(in_it moorectl call system.status | jq "$1")" = true ]; }
will() { until_ok "$@" >/dev/null 2>&1 || { echo "not: $*"; in_it journalctl --no-pager -n 20; in_it moorectl status; return 1; }; }
opensm_unit() { echo "opensm@$(in_it env LD_PRELOAD=$SIM SIM_HOST=s0-0-0-h0 ibstat -p 2>/dev/null | head -n 1).service"; }

@test "booted: moored is ready when systemd says so, and no unit failed" {
	[ "$(value Type)" = notify ]
	[ "$(value ActiveState)/$(value StatusText)" = active/serving ]
	# systemd calls it started after moored said that it serves, not before.
	in_it journalctl -o cat -u moored | awk '/^moored .* serves / { serves = NR } /^Started/ { exit !serves }'
	for u in moored.socket moored-sweep.socket; do [ "$(value ActiveState $u)" = active ]; done
	[ -z "$(in_it systemctl list-units --failed --plain --no-legend)" ]
	will status '.planes[0].switches == 50 and .planes[0].endpoints == 200'
}

@test "OpenSM's unit refuses settings with which moore would not route, and says why" {
	unit=$(opensm_unit)
	in_it sed -i 's/^qos TRUE/qos FALSE/' /etc/opensm/opensm.conf
	run in_it systemctl start "$unit"
	[ "$status" -ne 0 ]
	journal 'FAIL.*qos' "$unit"
	in_it sed -i 's/^qos FALSE/qos TRUE/' /etc/opensm/opensm.conf
	in_it systemctl reset-failed "$unit"
}

@test "OpenSM routes from its unit, and its plugin reports to moored" {
	in_it systemctl start "$(opensm_unit)"
	will status '.planes[0].told.routes_held and .planes[0].told.lanes_held'
	run -0 in_it moorectl check
	run -0 in_it moorectl verify
	in_it moorectl status
}

@test "hardened: no rights, no writing, and the figure of docs/daemon.md" {
	said=$(grep -o 'exposure of [0-9.]*' "$ROOT/docs/daemon.md" | grep -o '[0-9.]*$')
	is=$(in_it systemd-analyze security --no-pager moored.service | sed -n 's/.*moored.service: \([0-9.]*\) .*/\1/p')
	awk -v is="$is" -v said="$said" 'BEGIN { exit !(is > 0 && is <= said) }' || { echo "$is, not $said"; false; }
	pid=$(value MainPID)
	[ "$(in_it stat -c %U "/proc/$pid")" = moored ]
	in_it sh -c "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/$pid/status" | tr -s '\t\n' ' ' >"$F/rights"
	[ "$(cat "$F/rights")" = "CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 " ]
	# In the files that moored sees, even root writes in its own folder only.
	within() { in_it nsenter -t "$pid" -m "$@"; }
	within touch /var/lib/moored/new
	for f in /etc/moore/new /usr/new /root/new; do run ! within touch $f; done
	run ! within ls /root/net
	[ "$(in_it stat -c '%U:%G %a' /var/lib/moored)" = 'moored:moored 750' ]
	# The filter of system calls ends nothing that moored does: it has answered, and runs.
	[ "$(value NRestarts)" = 0 ]
}

@test "the udev rule gives its devices to the group moored" {
	# No machine of the tests has umad devices, so the rule is applied to one that each has.
	[ "$(in_it getent group moored | cut -d: -f1,4)" = moored: ]
	in_it sh -c 'mkdir -p /run/udev/rules.d &&
		sed "s/infiniband_mad/mem/; s/umad\*/null/" /lib/udev/rules.d/90-moored.rules >/run/udev/rules.d/99-null.rules'
	run -0 in_it udevadm test /sys/class/mem/null
	gid=$(in_it getent group moored | cut -d: -f3)
	grep -qE "99-null.rules:[0-9]+ (GROUP|Set group ID: )[^0-9]*$gid" <<<"$output"
	grep -qE '99-null.rules:[0-9]+ (MODE|Set mode: )[^0-9]*0660' <<<"$output"
	run ! grep -iE '90-moored.rules.*(invalid|unknown|ignor)' <<<"$output"
}

@test "only root and the group of moored.conf are answered" {
	run in_it setpriv --reuid=guest --regid=guest --clear-groups moorectl status
	[ "$status" -eq 2 ]
	[[ $output == *group* ]]
	in_it groupadd fabric
	in_it sed -i 's/^group .*/group fabric/' /etc/moore/moored.conf
	in_it systemctl reload moored
	will in_it setpriv --reuid=guest --regid=guest --groups="$(in_it getent group fabric | cut -d: -f3)" moorectl check
	run in_it setpriv --reuid=guest --regid=guest --clear-groups moorectl status
	[ "$status" -eq 2 ]
}

@test "reload: a new plan counts, a wrong configuration leaves the old one in force" {
	pid=$(value MainPID)
	in_it moorectl plan new slimfly q=5 p=3 -o /etc/moore/other.json >/dev/null
	in_it sed -i 's|^plan .*|plan /etc/moore/other.json|' /etc/moore/moored.conf
	in_it systemctl reload moored
	will status '.plan.endpoints == 150'
	in_it sed -i 's|^poll_ms .*|poll_ms never|' /etc/moore/moored.conf
	in_it systemctl reload moored
	will journal 'moored.conf:[0-9]+: poll_ms: '
	status '.plan.endpoints == 150'
	in_it sed -i 's|^poll_ms .*|poll_ms 1000|; s|^plan .*|plan /etc/moore/plan.json|' /etc/moore/moored.conf
	in_it systemctl reload moored
	will in_it moorectl check
	[ "$(value MainPID)" = "$pid" ]
}

@test "watchdog: a moored that stands still is started again" {
	pid=$(value MainPID)
	in_it sh -c "kill -STOP $pid"
	will journal 'Watchdog timeout'
	will eval '[ "$(value NRestarts)" = 1 ] && [ "$(value ActiveState)" = active ]'
	[ "$(value MainPID)" != "$pid" ]
	will in_it moorectl check
}

@test "a crash is followed by a start, a wrong configuration by none" {
	in_it sh -c "kill -SEGV $(value MainPID)"
	will eval '[ "$(value NRestarts)" = 2 ] && [ "$(value ActiveState)" = active ]'
	in_it sed -i 's|^poll_ms .*|poll_ms never|' /etc/moore/moored.conf
	run in_it systemctl restart moored
	[ "$status" -ne 0 ]
	# A client or OpenSM that waits at a socket has it tried some times more.
	# RestartSec is one second, so two later it has failed for good.
	will eval '[ "$(value ActiveState)" = failed ] && sleep 2 && [ "$(value ActiveState)" = failed ]'
	[ "$(in_it journalctl -o cat -u moored | grep -c 'Scheduled restart job')" = 2 ]
	in_it sed -i 's|^poll_ms .*|poll_ms 1000|' /etc/moore/moored.conf
	in_it systemctl reset-failed moored
	in_it systemctl start moored
	will in_it moorectl check
}

@test "socket activation: the first client starts moored, and is answered" {
	# At the other socket a message of OpenSM would start it before.
	in_it systemctl stop moored-sweep.socket moored
	[ "$(value ActiveState)" = inactive ]
	[ "$(value ActiveState moored.socket)" = active ]
	[ "$(in_it moorectl call system.ping | jq .pid)" = "$(value MainPID)" ]
	[ "$(value ActiveState)" = active ]
}

@test "stopped: it ends at once and well, and its records stay" {
	will in_it moorectl check
	in_it systemctl stop moored.socket moored-sweep.socket moored
	[ "$(value ActiveState)/$(value Result)/$(value ExecMainStatus)" = inactive/success/0 ]
	in_it sh -c 'ls /var/lib/moored/events-*'
	[ ! -e "$F/root/run/moored/moored.sock" ]
}
