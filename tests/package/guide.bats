# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# guide.bats - every command of docs/guide runs, in the order of the guide, as root of a bare
# Debian 12 that systemd booted, and prints what the guide shows.
#
# ibsim is the fabric that the guide cables: the Slim Fly of its first page.  tests/package/walk
# explains how a page is read.  The packages are installed before (lib.bash), so the page shows
# the commands that build and install them in a block that is not run.
# The tests depend on each other, in the order of the file.
load lib

setup_file() {
	system_with_moore || return 0
	mkdir "$F/root/root/site"
	in_root "$F/root" sh -ec 'cd /root/site && opensm -c /etc/opensm/opensm.conf
		moorectl plan new slimfly q=5 p=4 -o lab.json && moorectl plan export --to ibsim lab.json >net
		rm lab.json
		printf "%s\n" "#!/bin/sh" "echo \"\$*\" >/run/console" >/usr/local/bin/sim
		chmod +x /usr/local/bin/sim
		systemctl -q disable moored.service' >/dev/null
	fabric_of /root/site/net
	boot
}
teardown_file() { halt; }

# The words that in_it would run, for a program.
inside() {
	echo timeout 170 nsenter -t "$(cat "$F/first")" -m -u -i -p -n -r -w env -i -C /root/site \
		PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 COLUMNS=200 TERM=dumb SYSTEMD_PAGER=
}
walk() { "$BATS_TEST_DIRNAME/walk" "$ROOT/docs/guide/$1.md" $(inside); }

@test "design" { walk design; }
@test "bring-up" { walk bring-up; }
@test "running" { walk running; }
@test "changes" { walk changes; }
@test "troubleshooting" { walk troubleshooting; }
@test "security" { walk security; }

@test "each page is walked" {
	for page in "$ROOT"/docs/guide/*.md; do
		page=${page##*/}
		[ "$page" = README.md ] || grep -qx "@test .* { walk ${page%.md}; }" "$BATS_TEST_FILENAME" || { echo "$page is not"; false; }
	done
}
