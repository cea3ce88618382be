# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# reproduce.bats - the papers' values: those that take no more than a second.
load lib
R=$ROOT/tests/reproduce

# compare TABLE... OPTIONS: the program's results in $output.
compare() { MOORE_BUILD=${M%/*} run --separate-stderr "$R/reproduce" --check "$@"; }

# mini FILE PRINTED COMMAND: a table of one row and one column.
mini() {
	printf 'row\tcommand\tvalue\npath\t-\t.switches\nrule\t-\t%s\na row\t%s\t%s\n' "${4:-=}" "$3" "$2" >"$T/$1.tsv"
}

@test "small rows of the papers' tables are what is printed, or a note says why not" {
	compare kathareios-figure-3 kathareios-section-4 yebenes-table-2 fujiwara-table-1
	[ "$status" = 0 ]
	[[ $output == *"75 equal."* && $output == *"19 equal, 1 misprint."* && $output == *"20 equal."* && $output == *"39 equal."* ]]
	compare --rows '^(LPS.11|LPS.23|SF.7|SF.17|BF.13|BF.37|DF.12|DF.24)' young-table-1
	[ "$status" = 0 ]
	[[ $output == *"| BF(37,3) | 666 / 666 | 23 / 23 | 3 / 3 | 2.61 / 2.61 | 3 / 3 |"* ]]
	compare --rows 'q = (7|13),' yebenes-table-3
	[[ $status = 0 && $output == *"2 equal."* ]]
}

@test "a value that differs is an error, unless a note says why" {
	mini other 99 'moorectl topo show slimfly q=7 --json'
	compare --tables "$T" other
	[[ $status = 1 && $output == *'**99 / 98**'* && $output == *"1 UNEXPLAINED."* ]]
	printf 'note\ta row\tvalue\tmisprint 98\tbecause.\n' >>"$T/other.tsv"
	compare --tables "$T" other
	[[ $status = 0 && $output == *'99 / 98 [1]'* && $output == *"[1] because."* && $output == *"1 misprint."* ]]
	# A note whose value is not ours is an error, too.
	sed -i 's/misprint 98/misprint 97/' "$T/other.tsv"
	compare --tables "$T" other
	[ "$status" = 1 ]
}

@test "tolerances: on both sides, on one side, and none" {
	for t in "100 5% within" "100 1% UNEXPLAINED" "97 <2% within" "90 <2% UNEXPLAINED" \
		"110 <2% better" "90 >2% better" "110 >2% UNEXPLAINED" "98 = equal" "98.0 = equal"; do
		read -r printed rule verdict <<<"$t"
		mini t "$printed" 'moorectl topo show slimfly q=7 --json' "$rule"
		compare --tables "$T" t
		[[ $output == *"1 $verdict"* ]] || { echo "$t: $output"; false; }
	done
}

@test "signs: what is printed is a comparison, to 5 % where it allows equality" {
	for t in "<_100 as" "<_98 UNEXPLAINED" ">_97 as" ">_98 UNEXPLAINED" "<=_94 as" "<=_93 UNEXPLAINED" \
		"=_94 as" "=_103 as" "=_104 UNEXPLAINED"; do
		read -r printed verdict <<<"$t"
		mini t "${printed/_/ }" 'moorectl topo show slimfly q=7 --json' sign
		compare --tables "$T" t
		[[ $output == *"1 $verdict"* ]] || { echo "$t: $output"; false; }
	done
}

@test "a command that fails is not yet a value; an answer is kept until the command changes" {
	mini later 98 'moorectl topo show nosuch --json'
	compare --tables "$T" later
	[[ $status = 0 && $output == *"98 / not yet"* && $stderr == *"failed: moorectl topo show nosuch"* ]]
	mini kept 98 "echo x >>'$T/runs'; moorectl topo show slimfly q=7 --json"
	compare --tables "$T" kept
	compare --tables "$T" kept
	[[ $status = 0 && $(wc -l <"$T/runs") = 1 ]]
}

@test "the list of tables and figures, the tables and the page name the same" {
	cut -f4 "$R/items.tsv" | grep -E '^(kathareios|yebenes|fujiwara|young|jain)-' | sort >"$T/items"
	(cd "$R" && ls *.tsv | sed 's/\.tsv//' | grep -vx -e items -e pictures) | sort >"$T/tables"
	sed -n 's/<!-- reproduce \(.*\) -->/\1/p' "$ROOT/docs/reproduction.md" | grep -vx -e items -e pictures | sort >"$T/page"
	diff "$T/items" "$T/tables"
	diff "$T/tables" "$T/page"
	! grep -q UNEXPLAINED "$ROOT/docs/reproduction.md"
}

@test "pictures: every command prints one" {
	while IFS=$'\t' read -r name about command; do
		[[ $name == "#"* || $name == jain-* || $name == *-figure-* ]] && continue
		(cd "$T" && PATH=${M%/*}:$PATH sh -ec "$command" >"$name")
		python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$T/$name"
		grep -qF "| \`$name\` | $about |" "$ROOT/docs/reproduction.md"
	done <"$R/pictures.tsv"
}

# The figures themselves take minutes; the rows of each are run here on a smaller topology of its family.
@test "curves: each figure is in the list of pictures, and its rows can be drawn" {
	grep -v '^#' "$R/figures" | cut -f1 | uniq >"$T/figures"
	grep -o 'curves .*' "$R/pictures.tsv" | grep -o '[^ ]*$' | diff - "$T/figures"
	sed -E 's/slimfly q=13 p=[0-9]*/slimfly q=3 p=2/; s/mlfm h=15/mlfm h=2/; s/oft k=12/oft k=3/; s/--processes 3168//
		s/--torus [0-9,]*//; s/--pattern yebenes/--pattern shift/' "$R/figures" >"$T/small"
	while read -r figure; do
		PATH=${M%/*}:$PATH "$R/curves" --table "$T/small" --length 64 --loads 0.2,0.9 "$figure" >"$T/$figure.svg"
		grep -qF "| \`$figure.svg\` |" "$ROOT/docs/reproduction.md"
		python3 - "$T/$figure.svg" "$(grep -c "^$figure	" "$R/figures")" <<-'E'
			import sys, xml.etree.ElementTree as t
			s = "{http://www.w3.org/2000/svg}"
			root, panels = t.parse(sys.argv[1]).getroot(), int(sys.argv[2])
			drawn = sum(p.get("stroke") in ("#1b6ca8", "#d1495b") for p in root.iter(s + "path"))
			bars = sum(1 for r in root.iter(s + "rect")) - 1
			assert bars == 3 * panels or drawn >= 2 * panels, (bars, drawn)
		E
	done <"$T/figures"
	run -2 "$R/curves" nosuch
	[[ $output == *"has no such figure"* ]]
}
