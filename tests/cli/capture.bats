# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# capture.bats - a fabric in one file: what it holds, what it hides, and how it is read.
load lib

setup_file() {
	load lib
	cd "$BATS_FILE_TMPDIR"
	q5 p.json
	$M route p.json -o t >/dev/null
	touch -d @1700000000 t/opensm-lfts.dump
	$M route p.json --lmc 1 --profile sl-hint -o hint >/dev/null
	$M capture t --key key -o site.tar >/dev/null
}

setup() { cd "$BATS_FILE_TMPDIR"; }

@test "a capture is a tar archive of dumps, and its manifest lists it" {
	[ "$(tar tf site.tar | tr '\n' ' ')" = "opensm-subnet.lst opensm-lfts.dump opensm-sl2vl.dump opensm.mcfdbs moore-op-vls.dump plan.json MANIFEST.json " ]
	run -0 tar xOf site.tar MANIFEST.json
	holds '.moore_capture == 2 and .from == "dumps" and .names == "pseudonyms" and .at == 1700000000'
	holds '.switches == 50 and .endpoints == 200 and .cables == 175 and .lids == 250'
	tar xOf site.tar MANIFEST.json | jq -r '.members[] | "\(.bytes) \(.name)"' >"$T/listed"
	tar tvf site.tar | awk '$6 != "MANIFEST.json" { print $3, $6 }' | diff "$T/listed" -
	# FNV-1a, in a few lines that share nothing with ours.
	tar xOf site.tar moore-op-vls.dump | python3 -c 'import sys
h = 0xcbf29ce484222325
for b in sys.stdin.buffer.read(): h = (h ^ b) * 0x100000001b3 % 2**64
print("0x%016x" % h)' >"$T/hash"
	[ "$(tar xOf site.tar MANIFEST.json | jq -r '.members[] | select(.name == "moore-op-vls.dump").hash')" = "$(cat "$T/hash")" ]
}

@test "no name and no GUID of the site is in a capture, of any profile" {
	$M capture hint --key key -o "$T/hint.tar" >/dev/null
	tar tf "$T/hint.tar" | grep -qx moore-path-sl.dump
	jq -r '.switches[].name, .endpoints[].name' p.json >"$T/words"
	grep -ohE '(GUID:|guid 0x|portguid 0x)[0-9a-f]{16}' t/* hint/* | sed 's/.*[:x]//' | sort -u >>"$T/words"
	[ "$(wc -l <"$T/words")" -ge 700 ]
	for f in site.tar "$T/hint.tar"; do
		run ! grep -qaiFf "$T/words" "$f"
	done
	$M capture t --names keep -o "$T/kept.tar" >/dev/null
	grep -qaiFf "$T/words" "$T/kept.tar"
}

@test "one key gives the same bytes, another key others; the key is for its owner alone" {
	[ "$(stat -c %a key)" = 600 ]
	[[ $(cat key) =~ ^[0-9a-f]{32}$ ]]
	run -0 $M capture t --key key -o "$T/again.tar" --json
	id=$(jq -r .key_id <<<"$output")
	cmp site.tar "$T/again.tar"
	run -0 $M capture t --key "$T/key" -o "$T/other.tar" --json
	[ "$(jq -r .key_id <<<"$output")" != "$id" ]
	run ! grep -qaF "$(cat key)" site.tar
	HOME=$T run -0 $M capture t -o "$T/home.tar"
	[ "$(stat -c %a "$T/.moore-capture.key")" = 600 ]
	chmod 640 "$T/key"
	run --separate-stderr -2 $M capture t --key "$T/key" -o "$T/no.tar"
	says "others may read this key: chmod 600 $T/key"
	chmod 600 "$T/key"
	for bad in "" x 00112233445566778899aabbccddeef 00112233445566778899aabbccddeeff0 "0 112233445566778899aabbccddeeff" 00112233445566778899aabbccddeegg; do
		echo "$bad" >"$T/key"
		run --separate-stderr -2 $M capture t --key "$T/key" -o "$T/no.tar"
		says "$T/key:1: is no key"
	done
	run --separate-stderr -2 env -u HOME $M capture t -o "$T/no.tar"
	says "--key FILE is missing"
	run --separate-stderr -2 $M capture t --key "$T/no/key" -o "$T/no.tar"
	says "cannot make the key: No such file or directory"
	[ ! -e "$T/no.tar" ]
}

@test "captures that make one key at once use one key; killed at any moment, it is whole" {
	for round in 1 2 3 4 5; do
		rm -f "$T/key"
		for i in 1 2 3 4; do
			$M capture t --key "$T/key" -o "$T/$i.tar" >/dev/null 2>"$T/e$i" 3>&- &
		done
		wait
		cat "$T"/e?
		for i in 2 3 4; do cmp "$T/1.tar" "$T/$i.tar"; done
	done
	[ "$(stat -c %a "$T/key")" = 600 ]
	mkdir "$T/k"
	for ms in 000 001 002 003 004 005 006 008 010; do
		rm -f "$T"/k/*
		$M capture t --key "$T/k/key" -o "$T/k.tar" >/dev/null 2>&1 3>&- &
		sleep "0.$ms"
		kill -9 $! 2>/dev/null || true
		wait $! || true
		[ ! -e "$T/k/key" ] || [[ $(cat "$T/k/key") =~ ^[0-9a-f]{32}$ ]]
	done
	# A full disk leaves none.
	rm -f "$T"/k/*
	run -2 bash -c "set -o pipefail; (trap '' XFSZ; ulimit -f 0; $M capture t --key '$T/k/key' -o '$T/k.tar') 2>&1 | cat"
	[[ $output == *"$T/k/key: cannot write the key: File too large"* ]]
	[ -z "$(ls "$T/k")" ]
}

@test "every verb that reads dumps reads a capture, with the same result" {
	same='del(.hottest, .load.hottest, .offsets, .worst)'
	for verb in verify "quality" "simulate --load 0.2 --length 50"; do
		a=$($M ${verb%% *} t ${verb#"${verb%% *}"} --json | jq -S "$same")
		b=$($M ${verb%% *} site.tar ${verb#"${verb%% *}"} --json | jq -S "$same")
		[ -n "$a" ]
		[ "$a" = "$b" ] || { diff <(echo "$a") <(echo "$b"); false; }
	done
	a=$($M path "lid 60" "lid 240" --tables t --json | jq '[.hops[]? | .port, .vl]')
	b=$($M path "lid 60" "lid 240" --tables site.tar --json | jq '[.hops[]? | .port, .vl]')
	[ "$a" = "$b" ]
	run -0 $M find "lid 60" site.tar --json
	holds '.ok'
	run -0 $M table lft "lid 3" --tables site.tar --json
	run -0 $M change site.tar site.tar --json
	holds '.churn.changed.rows == 0 and .safe'
	# Names differ from the plan's, so cables are compared by structure.
	run -0 $M check p.json site.tar --json
	holds '.ok and .bound.structure == 50'
	$M capture hint --key key -o "$T/hint.tar" >/dev/null
	run -0 $M verify "$T/hint.tar" --sl hint --json
	holds '.sound and .asked.hint'
}

@test "two captures of one site compare: a lost cable is found by its pseudonyms" {
	$M route p.json --fail s0-0-0:5 -o "$T/cut" >/dev/null
	$M capture "$T/cut" --key key -o "$T/cut.tar" >/dev/null
	run $M change site.tar "$T/cut.tar" --json
	holds '.gone == 0 and .new == 0 and .churn.changed.rows > 0 and .churn.forced.rows > 0'
	tar xOf site.tar plan.json >"$T/before.json"
	run -1 $M check "$T/before.json" "$T/cut.tar" --json
	holds '[.deviations[].verdict] == ["missing"] and .bound.structure == 0'
}

@test "the plan in a capture begins the same fabric in ibsim's format" {
	tar xOf site.tar plan.json >"$T/plan.json"
	run -0 $M plan export --to ibsim "$T/plan.json"
	[ "$(grep -c '^Switch' <<<"$output")" = 50 ]
	[ "$(grep -c '^Hca' <<<"$output")" = 200 ]
}

@test "what is no capture, or a damaged one, is refused with the reason" {
	size=$(stat -c %s site.tar)
	for n in 512 1000 100000 $((size - 1024)); do
		head -c "$n" site.tar >"$T/cut.tar"
		run --separate-stderr -2 $M verify "$T/cut.tar"
		says "moorectl: $T/cut.tar: "
		says "cut off"
	done
	cp site.tar "$T/bad.tar"
	printf X | dd of="$T/bad.tar" bs=1 seek=5000 conv=notrunc status=none
	run --separate-stderr -2 $M verify "$T/bad.tar"
	says "opensm-subnet.lst: is not what MANIFEST.json lists"
	# What `tar` packs again is a capture as well, unless it holds more.
	mkdir "$T/x"
	tar xf site.tar -C "$T/x"
	(cd "$T/x" && tar cf ../again.tar opensm* moore* plan.json MANIFEST.json)
	run -0 $M verify "$T/again.tar"
	(cd "$T/x" && tar cf ../dots.tar .)
	run --separate-stderr -2 $M verify "$T/dots.tar"
	says "something else than files with plain names"
	(cd "$T/x" && ln -s /etc/passwd link && tar cf ../link.tar link MANIFEST.json)
	run --separate-stderr -2 $M verify "$T/link.tar"
	says "something else than files with plain names"
	(cd "$T/x" && tar cf ../few.tar opensm-lfts.dump MANIFEST.json)
	run --separate-stderr -2 $M verify "$T/few.tar"
	says "which is not in it"
	# pack_as VERSION [MEMBER]: a capture of this version, with one more member.
	pack_as() {
		jq ".moore_capture = $1" "$T/x/MANIFEST.json" >"$T/m"
		cp "$T/m" "$T/x/MANIFEST.json"
		[ -z "${2-}" ] || echo news >"$T/x/$2"
		(cd "$T/x" && tar cf ../version.tar opensm* moore* plan.json ${2+"$2"} MANIFEST.json)
	}
	# Version 1 had fewer members.
	pack_as 1
	run -0 $M verify "$T/version.tar"
	pack_as 0
	run --separate-stderr -2 $M verify "$T/version.tar"
	says "MANIFEST.json: is not that of a capture"
	# What a later version adds has no name here, but its version is the reason.
	pack_as 3 news.dump
	run --separate-stderr -2 $M verify "$T/version.tar"
	says "a later moore made this capture (format 3, this one reads up to 2): update moore"
	pack_as 2 news.dump
	run --separate-stderr -2 $M verify "$T/version.tar"
	says "news.dump: no member of a capture has this name"
	run --separate-stderr -2 $M capture site.tar --key key -o "$T/again"
	says "is a capture already"
	run --separate-stderr -2 $M capture t --key key
	says "-o FILE is missing"
	run --separate-stderr -2 $M capture t --names none -o "$T/x.tar"
	says "--names none: it is hide or keep"
}

@test "a capture is written whole or not at all: full disks, limits, kill -9" {
	run --separate-stderr -2 $M capture t --key key -o /dev/full
	says "/dev/full: cannot write: No space left on device"
	mkdir "$T/d"
	echo old >"$T/d/site.tar"
	run --separate-stderr -2 bash -c "trap '' XFSZ; ulimit -f 100; $M capture t --key key -o '$T/d/site.tar'"
	says "cannot write: File too large: nothing was changed"
	[ "$(cat "$T/d/site.tar")" = old ]
	only "$T/d" site.tar
	# Killed at any moment: the old file or the new one, and no other.
	for ms in 000 005 010 020 030 040 060 080; do
		$M capture t --key key -o "$T/d/site.tar" >/dev/null 2>&1 3>&- &
		sleep "0.$ms"
		kill -9 $! 2>/dev/null || true
		wait $! || true
		only "$T/d" site.tar
		[ "$(cat "$T/d/site.tar" | head -c 3)" = old ] || cmp site.tar "$T/d/site.tar"
	done
	$M capture t --key key -o - | cmp - site.tar
}

@test "shadow: moore's own tables are as they should be, and a cut is found" {
	run -0 $M shadow t --plan p.json --json
	holds '.ok and .writes.blocks == 0 and .writes.sl2vl_rows == 0 and .moore.topology == "planned slimfly q=5 p=4"'
	holds '.today_shares == .moore_shares and .today_shares.worst > 0.1 and (.capture | not)'
	run -0 $M shadow site.tar --json
	holds '.ok and .capture.endpoints == 200 and .moore.topology == "slimfly q=5"'
	$M route p.json --fail s0-0-0:5 -o "$T/cut" >/dev/null
	run -1 $M shadow "$T/cut" --plan p.json --json
	holds '.today.sound and .moore.missing_links == 1 and [.cables.deviations[].verdict] == ["missing"]'
	run -1 $M shadow "$T/cut"
	[[ $output == *"1 link and 0 switches of this topology are missing; --plan names them"* ]]
}

@test "shadow: tables that can deadlock, a fabric that cannot be routed so, and what is missing" {
	ring 5 "$T/ring.json"
	$M route "$T/ring.json" -o "$T/ring" >/dev/null
	clockwise "$T/ring" "$T/bad"
	run -1 $M shadow "$T/bad" --json
	holds '(.today.acyclic | not) and .moore.acyclic and .writes.blocks > 0 and (.there.stages[0].steps.start_safe | not)'
	run -1 $M shadow "$T/bad"
	[[ $output == *"free of deadlock"*"NO, packets can wait in a circle"*"yes"* ]]
	# Without lanes: the rows are unknown, and the first stage counts on none.
	rm "$T/bad/opensm-sl2vl.dump"
	run -1 $M shadow "$T/bad" --json
	holds '.writes.sl2vl_rows == null and .there.stages[0].lanes == "one" and ([.preconditions[] | select(.what == "QoS").met] == [false])'
	run -1 $M shadow "$T/ring" --op-vls 1 --json
	holds '[.preconditions[] | select(.what == "two VLs").met] == [false]'
	run --separate-stderr -2 $M shadow t --op-vls 3
	says "--op-vls 3: a link runs 1, 2, 4, 8 or 15 data VLs"
	run --separate-stderr -2 $M shadow t --profile none
	says "--profile: "
	run --separate-stderr -2 $M shadow "$T/nowhere"
	says "$T/nowhere: no such directory"
}

@test "shadow --html: one page with the same lines, and names that are no markup" {
	sed 's/s0-0-0\b/s<script>\&/g' t/opensm-lfts.dump >"$T/lfts"
	cp -r t "$T/names"
	cp "$T/lfts" "$T/names/opensm-lfts.dump"
	sed -i 's/{s0-0-0}/{s<script>\&}/' "$T/names/opensm-subnet.lst"
	run -1 $M shadow "$T/names" --plan p.json --html "$T/page.html"
	python3 - "$T/page.html" <<-'END'
		import html.parser, sys
		class P(html.parser.HTMLParser):
		    def __init__(self): super().__init__(); self.tags = []; self.text = ""
		    def handle_starttag(self, tag, attrs): self.tags.append(tag)
		    def handle_data(self, data): self.text += data
		p = P(); p.feed(open(sys.argv[1]).read())
		assert "script" not in p.tags and "pre" in p.tags, p.tags
		assert "s<script>&" in p.text, p.text
		assert "free of deadlock" in p.text and "from moore's tables back" in p.text, p.text
	END
	run --separate-stderr -2 $M shadow t --html /dev/full
	says "/dev/full: cannot write: No space left on device"
}

# counters DIR: writes moore-counters.dump there, in which every third port of a switch has sent more.
counters() {
	python3 - "$1" <<-'PY'
		import sys
		names = "transmit_data receive_data transmit_packets receive_packets transmit_wait symbol_error " \
		    "link_error_recovery link_downed receive_errors receive_remote_physical_errors transmit_discards " \
		    "local_link_integrity_errors excessive_buffer_overrun_errors vl15_dropped"
		out = ["read 1764097000123", "columns " + names]
		port = 0
		for line in open(sys.argv[1] + "/moore-op-vls.dump"):
		    line = line.rstrip()
		    if line.startswith("Switch"):
		        out.append(line)
		    elif line[:1].isdigit():
		        port += 1
		        row = [port % 3 * 1000, 500, port % 3, 1] + [0] * 9 + ["-"]
		        row[5] = int(port % 90 == 7)
		        out.append(" ".join(map(str, [line.split()[0]] + row)))
		open(sys.argv[1] + "/moore-counters.dump", "w").write("\n".join(out) + "\n#--\n")
	PY
}

@test "counters beside the dumps come along, and shadow shows them beside the predicted load" {
	cp -r t "$T/t"
	counters "$T/t"
	$M capture "$T/t" --key key -o "$T/counted.tar" >/dev/null
	diff <(tar tf site.tar) <(tar tf "$T/counted.tar") | grep -x '> moore-counters.dump'
	# Nothing but the names and GUIDs of switches is replaced.
	diff <(grep -v '^Switch' "$T/t/moore-counters.dump" | sort) <(tar xOf "$T/counted.tar" moore-counters.dump | grep -v '^Switch' | sort)
	run ! grep -qaiF -f <(grep -oE '0x[0-9a-f]{16}|"[^"]*"' "$T/t/moore-counters.dump") "$T/counted.tar"
	run $M shadow "$T/counted.tar" --json
	holds '.counters | .links == 350 and .links_read == 350 and .ports == 550 and .at_ms == 1764097000123'
	holds '.counters | .max_load == 8000 and (.busiest | length) == 5 and .busiest[0].bytes == 8000'
	holds '.counters | .ports_with_errors == 7 and (.errors | length) == 7 and .errors[0].counters == {symbol_error: 1}'
	# With one LID for each endpoint, the prediction is the load that verify counts.
	load=$(jq .today.max_over_mean_load <<<"$output")
	jq -e --argjson m "$load" '[.counters.busiest[].predicted_over_mean] | max <= $m + 1e-9 and min > 0' <<<"$output"
	# A file that is damaged is refused with its line.
	sed -i '5s/ 500 / x /' "$T/t/moore-counters.dump"
	run --separate-stderr -2 $M capture "$T/t" --key key -o "$T/no.tar"
	says "moore-counters.dump:5: expected a number or -"
}
