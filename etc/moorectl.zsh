#compdef moorectl
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# moorectl.zsh - completes verbs, options and their values, families and their parameters, and
# the switches and hot links that moored knows.  The words come from moorectl itself. Install it in a folder of $fpath as
# _moorectl.
# A family, or a parameter of the family that was named last.
_moorectl_family()
{
	local -a lines families keys
	local family='' line in=''

	lines=(${(f)"$(COLUMNS=10000 moorectl topo list)"})	# no line is wrapped
	families=(${${(M)lines:#[a-z0-9]## - *}%% *})
	for line in ${words[4,CURRENT-1]}; do
		(( ${families[(Ie)$line]} == 0 )) || family=$line
	done
	for line in $lines; do
		[[ $line == ' '* ]] || in=${line%% *}
		[[ $line != ' '* || $in != $family ]] || keys+=(${${line##[ ]##}%%=*}=)
	done
	[[ -z $keys ]] || compadd -S '' -- $keys
	[[ -n $family && "${words[2]} ${words[3]}" != "topo compare" ]] || compadd -- $families
}

_moorectl()
{
	local -a list verbs opts socket
	local one two value

	setopt localoptions extendedglob

	if [[ ${words[2]} == --socket ]] && (( CURRENT > 3 )); then	# the verb comes after it
		socket=(--socket ${words[3]})
		words=(${words[1]} ${words[4,-1]})
		(( CURRENT -= 2 ))
	fi
	one=${words[2]} two=${words[3]}
	list=(${(f)"$(moorectl --list 2>/dev/null)"})
	verbs=(${list%%$'\t'*})
	if (( CURRENT == 2 )); then
		compadd -- ${(u)verbs%% *} --help --version --socket
		return
	fi
	value=${words[CURRENT-1]}
	[[ ${words[CURRENT]} != --*=* ]] || { value=${words[CURRENT]%%=*}; compset -P '*='; }
	if [[ $value == --?* ]]; then
		opts=(${(M)list:#"$one $two"$'\t'*})
		[[ -n $opts ]] || opts=(${(M)list:#"$one"$'\t'*})
		opts=(${(M)${=opts[1]##*$'\t'}:#$value=*})
		if [[ -n $opts ]]; then		# of a list, the word behind the last comma
			compset -P '*,'
			compadd -- ${(s:|:)opts[1]#*=}
			return
		fi
	fi
	if [[ ${words[CURRENT]} == -* ]]; then
		opts=(${(M)list:#"$one $two"$'\t'*})
		[[ -n $opts ]] || opts=(${(M)list:#"$one"$'\t'*})
		opts=(${=${${(s:	:)opts[1]}[2]}})
		compadd -S '' -- ${(M)opts:#*=}
		compadd -- ${opts:#*=}
		return
	fi
	if (( CURRENT == 3 )) && [[ -n ${(M)verbs:#"$one "*} ]]; then
		compadd -- ${${(M)verbs:#"$one "*}#* }
	elif (( CURRENT == 3 )) && [[ $one == env ]]; then
		compadd -- ucx openmpi mvapich2 nccl rdma_cm all
	elif [[ $one == events ]]; then
		compadd -- sweep state reload wiring hotspot manager problem drain
	elif [[ "$one $CURRENT" == ((links|path|history)" "3|(path|table)" "4) ]]; then
		compadd -- ${${${(f)"$(moorectl $socket switches 2>/dev/null)"}[2,-1]}%% *}
	elif [[ "$one $CURRENT" == explain\ 3 || $one == drain ]]; then	# a link that is hot
		compadd -- ${${(M)${${(f)"$(moorectl $socket hotspots 2>/dev/null)"}##[a-z]## ##}:#*\] *}%% *}
	elif (( CURRENT == 3 )) && [[ $one == call ]]; then
		compadd -- ${${(f)"$(moorectl $socket call 2>/dev/null)"}%% *}
	elif [[ "$one $two" == "topo find" ]]; then
		compadd -S '' -- endpoints= radix= diameter=
	elif [[ "$one $two" == ("topo show"|"topo compare"|"plan new") ]]; then
		_moorectl_family
	else
		_files
	fi
}
# compinit calls this file as the function; if it is sourced, it registers itself.
if [[ $funcstack[1] == _moorectl ]]; then _moorectl "$@"; else compdef _moorectl moorectl; fi
