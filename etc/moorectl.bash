# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moorectl.bash - completes verbs, options and their values, families and their parameters, and
# the switches and hot links that moored knows.  The words come from moorectl itself. Source it, or install it in
# bash-completion's directory as moorectl.
# A family, or a parameter of the family that was named last.
_moorectl_family()
{
	local list family='' i

	list=$(COLUMNS=10000 moorectl topo list)	# no line is wrapped
	for ((i = 3; i < COMP_CWORD; i++)); do
		! grep -q "^${COMP_WORDS[i]} - " <<<"$list" || family=${COMP_WORDS[i]}
	done
	if [ -n "$family" ]; then
		COMPREPLY=($(compgen -W "$(sed -n "/^$family - /,/^[a-z]/s/^  \([a-z0-9]*\)=.*/\1=/p" <<<"$list")" -- "$1"))
		compopt -o nospace 2>/dev/null
	fi
	if [ -z "$family" ] || [[ "${COMP_WORDS[1]} ${COMP_WORDS[2]}" == "topo compare" ]]; then
		COMPREPLY+=($(compgen -W "$(sed -n 's/^\([a-z0-9]*\) - .*/\1/p' <<<"$list")" -- "$1"))
	fi
}

_moorectl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} one=${COMP_WORDS[1]} two=${COMP_WORDS[2]}
	local list words opts value=''

	if [ "$one" = --socket ] && [ "$COMP_CWORD" -gt 2 ]; then	# the verb comes after it
		local -a socket=(--socket "$two")
		COMP_WORDS=("${COMP_WORDS[0]}" "${COMP_WORDS[@]:3}")
		COMP_CWORD=$((COMP_CWORD - 2)) one=${COMP_WORDS[1]} two=${COMP_WORDS[2]}
	fi
	list=$(moorectl --list 2>/dev/null) || return
	words=$(cut -f1 <<<"$list")
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(cut -d' ' -f1 <<<"$words") --help --version --socket" -- "$cur"))
		return
	fi
	if [ "$COMP_CWORD" -eq 2 ] && [[ $cur != -* ]]; then
		COMPREPLY=($(compgen -W "$(sed -n "s/^$one //p" <<<"$words")" -- "$cur"))
		[ ${#COMPREPLY[@]} -gt 0 ] && return
	fi
	# bash divides --option=value at the =.
	[ "$cur" != = ] || { cur='' value=${COMP_WORDS[COMP_CWORD-1]}; }
	[ "${COMP_WORDS[COMP_CWORD-1]}" != = ] || value=${COMP_WORDS[COMP_CWORD-2]}
	[[ ${COMP_WORDS[COMP_CWORD-1]} != --?* ]] || value=${value:-${COMP_WORDS[COMP_CWORD-1]}}
	if [[ $value == --?* ]]; then
		opts=$(awk -F'\t' -v v="$one $two" -v w="$one" \
			'$1 == v { o = $3 } $1 == w && o == "" { o = $3 } END { print o }' <<<"$list" |
			tr ' ' '\n' | sed -n "s/^$value=//p" | tr '|' ' ')
		if [ -n "$opts" ]; then		# of a list, the word behind the last comma
			local before=
			[[ $cur != *,* ]] || before=${cur%,*},
			COMPREPLY=($(compgen -P "$before" -W "$opts" -- "${cur##*,}"))
			return
		fi
	fi
	if [[ $cur == -* ]]; then
		opts=$(awk -F'\t' -v v="$one $two" -v w="$one" \
			'$1 == v { o = $2 } $1 == w && o == "" { o = $2 } END { print o }' <<<"$list")
		COMPREPLY=($(compgen -W "$opts" -- "$cur"))
		[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
	elif [ "$COMP_CWORD" -eq 2 ] && [ "$one" = env ]; then
		COMPREPLY=($(compgen -W "ucx openmpi mvapich2 nccl rdma_cm all" -- "$cur"))
	elif [ "$one" = events ]; then
		COMPREPLY=($(compgen -W "sweep state reload wiring hotspot manager problem drain" -- "$cur"))
	elif [[ "$one $COMP_CWORD" == @(links|path|history)\ 2 || "$one $COMP_CWORD" == @(path|table)\ 3 ]]; then
		COMPREPLY=($(compgen -W "$(moorectl "${socket[@]}" switches 2>/dev/null | awk 'NR > 1 { print $1 }')" -- "$cur"))
	elif [[ "$one $COMP_CWORD" == explain\ 2 || $one == drain ]]; then	# a link that is hot
		COMPREPLY=($(compgen -W "$(moorectl "${socket[@]}" hotspots 2>/dev/null | awk '$2 ~ /]$/ { print $2 }')" -- "$cur"))
	elif [ "$COMP_CWORD" -eq 2 ] && [ "$one" = call ]; then
		COMPREPLY=($(compgen -W "$(moorectl "${socket[@]}" call 2>/dev/null | cut -d' ' -f1)" -- "$cur"))
	elif [[ "$one $two" == "topo find" ]]; then
		COMPREPLY=($(compgen -W "endpoints= radix= diameter=" -- "$cur"))
		compopt -o nospace 2>/dev/null
	elif [[ "$one $two" == @("topo show"|"topo compare"|"plan new") ]]; then
		_moorectl_family "$cur"
	fi
}
complete -o default -F _moorectl moorectl
