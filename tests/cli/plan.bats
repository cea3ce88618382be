# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# plan.bats - plans are made, shown, checked and converted.
load lib

@test "a new plan is valid, the same each time, and says what it is" {
	run -0 $M plan new slimfly q=5 p=4 -o "$T/a.json" --json
	holds '.switches == 50 and .endpoints == 200 and .cables == 175 and .parts == 1'
	$M plan new slimfly q=5 p=4 >"$T/b.json"
	cmp "$T/a.json" "$T/b.json"
	run -0 $M plan check "$T/a.json" --json
	holds '.valid and .parts == 1 and .error == null'
	run -0 $M plan show "$T/a.json" --json
	holds '.family == "slimfly" and .parameters == {q: 5, p: 4} and .ports == 550 and .ports_used == 550'
	holds '.diameter == 2 and .girth == 5'
	run -0 $M plan show "$T/a.json"
	[[ $output == *"slimfly q=5 p=4"* ]]
}

@test "plans are read from standard input and written to standard output" {
	$M plan new oft k=4 -o - | $M plan check - | grep -q "standard input: valid"
	$M plan new oft k=4 | $M plan export --to ibnetdiscover - |
		$M plan import --from ibnetdiscover - -o - | $M plan check -
}

@test "every format is written; ibnetdiscover comes back with all cables" {
	q5 "$T/p.json"
	for f in ibsim ibnetdiscover dot csv; do
		run -0 $M plan export --to $f "$T/p.json" -o "$T/x.$f" --json
		holds '.cables == 175'
		[ -s "$T/x.$f" ]
		$M plan export --to=$f "$T/p.json" | cmp - "$T/x.$f"
	done
	[ "$(grep -c '^cable,' "$T/x.csv")" = 175 ]
	[ "$(grep -c ' -- ' "$T/x.dot")" -ge 175 ]
	run -0 $M plan import --from ibnetdiscover "$T/x.ibnetdiscover" -o "$T/y.json" --json
	holds '.switches == 50 and .endpoints == 200 and .cables == 175 and .diameter == 2 and .girth == 5'
	cables() { jq -c '.cables[] | [.a, .b] | map([.switch, .port]) | sort' "$1" | sort; }
	[ "$(cables "$T/p.json")" = "$(cables "$T/y.json")" ]
}

@test "a plan in pieces, or wrong, is what the check found: 1" {
	q5 "$T/p.json"
	while IFS='|' read -r why edit part; do
		jq "$edit" "$T/p.json" >"$T/bad.json"
		run --separate-stderr -1 $M plan check "$T/bad.json"
		[[ $stderr == "moorectl: $T/bad.json:"* ]] || { echo "$why: $stderr"; false; }
		says "$part"
		run -1 $M plan check "$T/bad.json" --json
		holds '.valid == false'
		run --separate-stderr -2 $M route "$T/bad.json" -o "$T/dir"
		[ ! -e "$T/dir" ]
	done <<-'ROWS'
	a port used twice|.cables[1].a.port = .cables[0].a.port|cables[1]
	a port beyond the last|.cables[3].b.port = 12|cables[3].b.port
	a switch that is not there|.cables[3].b.switch = "nobody"|nobody
	two of one name|.switches[1].name = .switches[0].name|switches[1].name
	an unknown key|.cabels = .cables|cabels
	another version|.moore_plan = 99|99
	a wrong type|.switches[7].ports = "many"|switches[7]
	no plan at all|[1, 2]|object
	ROWS
	jq 'del(.cables[] | select(.a.switch == "s0-0-0" or .b.switch == "s0-0-0"))' "$T/p.json" >"$T/parts.json"
	run --separate-stderr -1 $M plan check "$T/parts.json"
	says "2 parts that no cable connects"
	run -1 $M plan check "$T/parts.json" --json
	holds '.valid == false and .parts == 2'
	run -0 $M plan show "$T/parts.json" --json
	holds '.diameter == null and .parts == 2'
}

@test "a plan cut off anywhere is refused with its line" {
	q5 "$T/p.json"
	size=$(stat -c %s "$T/p.json")
	for cut in 0 1 2 17 1000 9000 $((size - 3)); do
		head -c $cut "$T/p.json" >"$T/cut.json"
		run --separate-stderr -1 $M plan check "$T/cut.json"
		[[ $stderr =~ ^moorectl:\ $T/cut.json:([0-9]+:)?\  ]]
		run -2 $M plan show "$T/cut.json"
	done
}

@test "bytes that are no text are refused, not fatal" {
	head -c 20000 /dev/urandom >"$T/noise"
	run -1 $M plan check "$T/noise"
	printf '\0\0\0' >"$T/nul"
	run -1 $M plan check "$T/nul"
	run -1 bash -c 'printf "%0.s[" {1..200000} | '"$M"' plan check -'
}

@test "a file that cannot be read: 2, and why" {
	run --separate-stderr -2 $M plan check "$T/none.json"
	says "No such file"
	run --separate-stderr -2 $M plan check "$T"
	says "is a directory: give a file"
	truncate -s 2G "$T/huge.json"
	run --separate-stderr -2 $M plan check "$T/huge.json"
	says "larger than 512 MiB"
	run --separate-stderr -2 bash -c "$M plan check - <'$T'"
	says "standard input: is a directory"
	run --separate-stderr -2 bash -c "$M plan check - <&-"
	says "standard input: cannot read"
}

@test "formats: unknown, missing, the wrong one" {
	q5 "$T/p.json"
	run --separate-stderr -2 $M plan export "$T/p.json"
	says "--to FORMAT is missing: it is one of ibsim"
	run --separate-stderr -2 $M plan export --to visio "$T/p.json"
	says "--to visio: no such format"
	run --separate-stderr -2 $M plan import --from visio "$T/p.json"
	says "it is one of ibsim, ibnetdiscover"
	run --separate-stderr -2 $M plan import --from ibnetdiscover "$T/p.json"
	says "$T/p.json:"
}
