# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lines.bats - long lines of moorectl's text: wrapped at 80 columns, or at COLUMNS.
#
# That no verb prints a wider line is tests/golden/ask --wide's to find.
load lib

# wider N: the lines of $output with more than N columns.
wider() { awk -v n="$1" 'length > n' <<<"$output"; }
blanks() { tr -s ' \n' ' '; }

@test "a sentence is wrapped below its text, past the label" {
	q5 "$T/p.json"
	$M route "$T/p.json" -o "$T/tables" >/dev/null
	rm "$T/tables/moore-op-vls.dump"
	run $M verify "$T/tables"
	one=$output
	grep -q '^operational    15 VLs .\{70\}' <<<"$one"
	for n in unset 40 80 100 5 x ''; do
		unset COLUMNS
		[ $n = unset ] || export COLUMNS=$n
		case $n in 40 | 100) want=$n ;; *) want=80 ;; esac
		run $M verify "$T/tables"
		[ -z "$(wider "$want")" ] || { echo "$n: $output"; false; }
		[ -n "$(wider $((want - 12)))" ]	# no line is wrapped too early
		[ "$(blanks <<<"$output")" = "$(blanks <<<"$one")" ]
		[ "$(grep -A 1 '^operational' <<<"$output" | tail -n 1 | sed 's/[^ ].*//')" = "$(printf '%15s' '')" ]
	done
}

@test "a label in colour is as wide as one without" {
	q5 "$T/p.json"
	$M plan permute "$T/p.json" -o "$T/new.json" --cabinet-size 16 --fraction 0.02 --trials 1 --seed 3
	COLUMNS=60 run -1 $M check "$T/p.json" "$T/new.json"
	[ -z "$(wider 60)" ] || { echo "$output"; false; }
	[ "$(grep -A 1 '^wrong-peer' <<<"$output" | sed -n '2s/[^ ].*//p')" = "$(printf '%17s' '')" ]
}

@test "a list without blanks is broken after commas" {
	q5 "$T/p.json"
	$M route "$T/p.json" --lmc 2 -o "$T/d" >/dev/null
	run -0 $M table lft s0-0-0 --tables "$T/d"
	[ -n "$(wider 300)" ]
	one=$output
	COLUMNS=60 run -0 $M table lft s0-0-0 --tables "$T/d"
	[ -z "$(wider 60)" ] || { echo "$output"; false; }
	[ "$(tr -d ' \n' <<<"$output")" = "$(tr -d ' \n' <<<"$one")" ]
	! grep -E '^ +,' <<<"$output" || false
}

@test "a message is wrapped on a terminal, and is one line elsewhere" {
	mkdir "$T/none"
	run -2 $M verify "$T/none"
	[ ${#lines[@]} = 1 ]
	one=$output
	[ -n "$(wider 100)" ]
	for n in 60 80 120; do
		run script -qec "stty cols $n rows 40; $M verify '$T/none'" /dev/null
		output=$(tr -d '\r' <<<"$output")
		[ -z "$(wider $n)" ] || { echo "$n: $output"; false; }
		[ "$(blanks <<<"$output")" = "$(blanks <<<"$one")" ]
		[ "$(sed -n 2p <<<"$output" | sed 's/[^ ].*//')" = '  ' ]
	done
}

@test "rows of tables and what a shell reads stay whole" {
	q5 "$T/p.json"
	while read -r words; do
		run -0 $M $words
		one=$output
		[ -n "$(wider 40)" ]
		COLUMNS=40 run -0 $M $words
		[ "$output" = "$one" ] || { echo "$words: $output"; false; }
	done <<-ROWS
	conf
	--list
	ROWS
	COLUMNS=40 run -0 $M predict "$T/p.json" --pattern shift --routing SD
	grep -qE '^SD +shift +linear .* [0-9.]+$' <<<"$output"
	run -0 env COLUMNS=40 $M env all --lmc 2
	[ -z "$(grep -v '^# \|^export [^ ]*$' <<<"$output")" ]
	[ -z "$(grep '^# ' <<<"$output" | awk 'length > 40')" ] || { echo "$output"; false; }
}
