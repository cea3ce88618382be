# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# docs.bats - the man page and the completions agree with the program.
load lib
unset COLUMNS	# what completion reads is not wrapped for all that

@test "the man page is clean and names every verb and option" {
	man=$(MANWIDTH=100 LC_ALL=C.UTF-8 man -l --warnings -E UTF-8 "$ROOT/docs/man/moorectl.1" 2>"$T/warnings" | col -bx)
	[ ! -s "$T/warnings" ] || { cat "$T/warnings"; false; }
	flat=$(tr -s ' \n' ' ' <<<"$man")
	while IFS=$'\t' read -r words opts _; do
		[[ $flat == *" $words "* ]] || { echo "no $words"; false; }
		for o in $opts; do [[ $flat == *"${o%=}"* ]] || { echo "$words: no $o"; false; }; done
	done < <($M --list)
}

@test "osmmoore(8) explains each code that the plugin logs, and no other" {
	man -l --warnings -E UTF-8 "$ROOT/docs/man/osmmoore.8" 2>"$T/warnings" >/dev/null
	[ ! -s "$T/warnings" ] || { cat "$T/warnings"; false; }
	codes=$(grep -oE 'MPLUG_MR_[A-Z_]+ = [0-9]+' "$ROOT/opensm-plugin/plugin.h" | awk '$3 { printf "MR%02u\n", $3 }')
	[ "$(wc -l <<<"$codes")" -ge 24 ]
	diff <(echo "$codes") <(sed -n 's/^\.B \(MR[0-9]*\)$/\1/p' "$ROOT/docs/man/osmmoore.8")
	# An entry has what it means and what to do: at least two lines.
	awk '/^\.TP/ { if (code && n < 3) print code; n = 0; code = "" } /^\.B MR/ { code = $2 } { n++ }' \
		"$ROOT/docs/man/osmmoore.8" >"$T/short"
	[ ! -s "$T/short" ] || { cat "$T/short"; false; }
}

@test "completion offers verbs, options and families" {
	bash -n "$ROOT/etc/moorectl.bash"
	PATH=${M%/*}:$PATH
	source "$ROOT/etc/moorectl.bash"
	complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _moorectl; echo "${COMPREPLY[*]}"; }
	[[ $(complete_words moorectl ver) == verify ]]
	[[ $(complete_words moorectl plan "") == "new show check draw export import permute grow place cables steps" ]]
	[[ $(complete_words moorectl verify dir --cert 2>/dev/null) == --certificate=* ]]
	[[ $(complete_words moorectl topo show o) == oft ]]
	[[ $(complete_words moorectl conf --j) == --json ]]
	[[ $(complete_words moorectl env nc) == nccl ]]
	[ -z "$(complete_words moorectl route "")" ]
}

@test "completion offers the values of options and the parameters of families, and they are accepted" {
	PATH=${M%/*}:$PATH
	source "$ROOT/etc/moorectl.bash"
	complete_words() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _moorectl 2>/dev/null; echo "${COMPREPLY[*]}"; }
	[ "$(complete_words moorectl topo find r)" = radix= ]
	[ "$(complete_words moorectl verify dir --mcast "")" = stock ]
	while IFS='|' read -r line want; do
		# The last word is empty if the line ends in a blank.
		read -ra typed <<<"$line"
		[[ $line != *' ' ]] || typed+=('')
		[ "$(complete_words "${typed[@]}")" = "$want" ] || { echo "$line: $(complete_words "${typed[@]}")"; false; }
	done <<-'ROWS'
	moorectl plan export x --to ib|ibsim ibnetdiscover ibdm
	moorectl plan export x --to = ib|ibsim ibnetdiscover ibdm
	moorectl plan permute p --method |two-cab three-cab one-step
	moorectl route p --profile = o|one-vl
	moorectl predict p --pattern shift,st|shift,stencil2 shift,stencil3 shift,stencil4
	moorectl env ucx --use = |minimal valiant all
	moorectl verify --tables |
	moorectl topo show slimfly |q= p=
	moorectl plan new oft k = 5 |k= p=
	moorectl topo compare oft k = 5 sl|slimfly
	moorectl plan new torus2d b|b=
	ROWS
	# What is offered for these verbs is taken by them: exit code 2 is misuse.
	$M plan new torus2d a=2 b=3 -o "$T/p.json" >/dev/null
	$M plan place "$T/p.json" --cabinet-size 2 --iterations 100 -o "$T/q.json" >/dev/null
	for opt in predict:--pattern predict:--placement predict:--routing 'plan permute:--method' 'plan export:--to' 'route:--profile' 'route:--layers'; do
		words=$(complete_words moorectl ${opt%:*} p "${opt#*:}" "")
		[ "$(wc -w <<<"$words")" -ge 3 ]
		for w in $words; do
			run --separate-stderr $M ${opt%:*} "$T/q.json" "${opt#*:}" "$w"
			[ "$status" != 2 ] || [[ $stderr != *"$w\""*none* ]] || { echo "$opt $w: $stderr"; false; }
		done
	done
}

@test "every relative link of the documentation leads to a file" {
	cd "$ROOT"
	for page in README.md CONTRIBUTING.md docs/*.md docs/guide/*.md docs/measurements/*.md; do
		[ -e "$page" ] || continue
		grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' | while read -r link; do
			[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
		done
	done >"$BATS_TEST_TMPDIR/dead"
	cat "$BATS_TEST_TMPDIR/dead"
	[ ! -s "$BATS_TEST_TMPDIR/dead" ]
}

# The other pages need a fabric: tests/package/guide.bats walks them all.
@test "the guide's first page shows what its commands print" {
	mkdir "$BATS_TEST_TMPDIR/site"
	cd "$BATS_TEST_TMPDIR/site"
	PATH=${M%/*}:$PATH COLUMNS=200 "$ROOT/tests/package/walk" "$ROOT/docs/guide/design.md"
}
