# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# docs.bats - moored's documentation, units and sample files agree with the program.
load lib

@test "docs/rpc.md is the table of methods" {
	$BUILD/moored --print-methods >"$T/rpc.md"
	diff "$ROOT/docs/rpc.md" "$T/rpc.md" || { echo "run: build/moored --print-methods >docs/rpc.md"; false; }
}

@test "the man pages are clean; moored.8 names every option" {
	for page in moored.8 moored.conf.5; do
		man=$(MANWIDTH=100 LC_ALL=C.UTF-8 man -l --warnings -E UTF-8 "$ROOT/docs/man/$page" 2>"$T/warnings" | col -bx)
		[ ! -s "$T/warnings" ] || { cat "$T/warnings"; false; }
		[ $page = moored.8 ] || continue
		options=$($D --help | grep -o '^  --[a-z-]*')
		[ "$(wc -l <<<"$options")" -ge 9 ]
		for o in $options; do grep -qe "$o" <<<"$man" || { echo "no $o"; false; }; done
	done
}

@test "moored --help fits 80 columns" {
	run -0 $D --help
	[ -z "$(awk 'length > 80' <<<"$output")" ] || { echo "$output"; false; }
}

@test "the sample configuration is read, and is the defaults" {
	$D --print-config >"$T/moored.conf"
	$D --config "$T/moored.conf" --check-config
	grep -c '^[a-z]' "$T/moored.conf"
	sed -i '/^poll_ms/s/1000/99/' "$T/moored.conf"
	run -2 $D --config "$T/moored.conf" --check-config
}

@test "installed, its units are sound and as closed as docs/daemon.md says" {
	# Installs a copy of the build; -o keeps its objects, whatever compiler made them.
	cp -a "$BUILD" "$T/build"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" -o "$T/build/flags" B="$T/build" \
		install DESTDIR="$T/root" PREFIX=/usr >/dev/null
	cmp "$T/root/etc/moore/moored.conf" "$T/root/etc/moore/moored.conf.default"
	units=$T/root/usr/local/lib/systemd/system
	[ -d "$units" ] || units=$T/root/usr/lib/systemd/system
	grep -q '^ExecStart=/usr/sbin/moored --config /etc/moore/moored.conf$' "$units/moored.service"
	! grep -r '@[A-Z]*@' "$units" "$T/root/usr/lib/sysusers.d" "$T/root/usr/lib/udev"
	"$T/root/usr/sbin/moored" --version
	mkdir "$T/units"
	cp "$units"/moored* "$T/units"
	sed -i "s|=/usr/sbin|=$T/root/usr/sbin|" "$T/units/moored.service"
	SYSTEMD_UNIT_PATH=$T/units: systemd-analyze verify --man=no "$T"/units/moored*
	systemd-sysusers --dry-run "$T/root/usr/lib/sysusers.d/moored.conf"
	said=$(grep -o 'exposure of [0-9.]*' "$ROOT/docs/daemon.md" | grep -o '[0-9.]*$')
	run -0 systemd-analyze security --offline=yes --no-pager "$units/moored.service"
	[[ $output == *"Overall exposure level for moored.service: $said "* ]]
}

@test "zsh completes as bash does" {
	command -v zsh >/dev/null || skip "no zsh"
	unset COLUMNS	# what completion reads is not wrapped for all that
	complete_words() {
		PATH=$BUILD:$PATH zsh -f -c 'compdef() { : }; _files() { print FILES }
			compadd() { [[ $1 == -S ]] && shift 2; shift; print -l -- "$@" | grep -e "^${words[CURRENT]}" }
			source "$1"; shift; words=("$@"); CURRENT=$#words; _moorectl' \
			- "$ROOT/etc/moorectl.zsh" "$@" | sort | tr '\n' ' '
	}
	[ "$(complete_words moorectl ver)" = "verify " ]
	[ "$(complete_words moorectl plan s)" = "show steps " ]
	[ "$(complete_words moorectl verify dir --cert)" = "--certificate= " ]
	[ "$(complete_words moorectl topo show o)" = "oft " ]
	[ "$(complete_words moorectl topo show bundlefly "")" = "c= p= s= " ]
	[ "$(complete_words moorectl topo show slimfly "")" = "p= q= " ]
	[ "$(complete_words moorectl topo find "")" = "diameter= endpoints= radix= " ]
	[ "$(complete_words moorectl verify dir --mcast "")" = "stock " ]
	[ "$(complete_words moorectl conf --j)" = "--json " ]
	[ "$(complete_words moorectl env nc)" = "nccl " ]
	[ "$(complete_words moorectl route "")" = "FILES " ]
	start
	[ "$(complete_words moorectl --socket "$SOCK" call system.p)" = "system.ping " ]
}
