# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# env.bats - moorectl env: the settings for applications, and requests that it refuses.
load lib

# value NAME: the value that a POSIX shell gets when it reads the settings.
value() { sh -c 'eval "$1"; eval "printf %s \"\$$2\""' - "$output" "$1"; }

@test "settings by target, LMC, profile and offsets" {
	while IFS='|' read -r args name want; do
		run -0 $M env $args
		[ "$(value "$name")" = "$want" ] || { echo "$args: $name: $output"; false; }
	done <<-'ROWS'
	ucx --lmc 2|UCX_IB_LID_PATH_BITS|0-3
	ucx --lmc 2|UCX_MAX_RNDV_RAILS|4
	ucx --lmc 2|UCX_IB_SL|0
	ucx --lmc 7|UCX_IB_LID_PATH_BITS|0-127
	ucx --lmc 7|UCX_MAX_RNDV_RAILS|8
	ucx --lmc 0|UCX_IB_LID_PATH_BITS|0
	ucx --lmc 0|UCX_MAX_RNDV_RAILS|
	ucx --lmc 2 --use minimal|UCX_IB_LID_PATH_BITS|0
	ucx --lmc 2 --use valiant|UCX_IB_LID_PATH_BITS|1-3
	ucx --lmc 2 --use 0,2-3|UCX_IB_LID_PATH_BITS|0,2-3
	ucx --lmc 2 --use 3,1,3|UCX_IB_LID_PATH_BITS|1,3
	ucx --lmc 2 --profile sl-hint|UCX_IB_LID_PATH_BITS|0
	ucx --lmc 2 --profile any-sl|UCX_IB_LID_PATH_BITS|0-3
	openmpi --lmc 2|UCX_IB_LID_PATH_BITS|0-3
	openmpi --lmc 2|OMPI_MCA_btl_openib_max_lmc|4
	openmpi --lmc 2 --use minimal|OMPI_MCA_btl_openib_max_lmc|1
	openmpi --lmc 2 --use 0-1|OMPI_MCA_btl_openib_max_lmc|2
	openmpi --lmc 2|OMPI_MCA_btl_openib_ib_path_record_service_level|
	openmpi --lmc 2 --profile sl-hint|OMPI_MCA_btl_openib_ib_path_record_service_level|1
	openmpi --lmc 2 --profile sl-hint|UCX_IB_LID_PATH_BITS|0
	nccl --lmc 0 --classes 0,0,1 --class 1|NCCL_IB_SL|2
	nccl --lmc 0 --profile sl-hint --classes 0,0,1 --class 1|NCCL_IB_SL|4
	ucx --lmc 2 --profile sl-hint --classes 0,3 --class 3|UCX_IB_SL|12
	ucx --lmc 2 --profile sl-hint --classes 0,3|UCX_IB_SL|0
	mvapich2 --lmc 2|MV2_USE_HSAM|1
	mvapich2 --lmc 2|MV2_PATH_SL_QUERY|
	mvapich2 --lmc 0|MV2_USE_HSAM|0
	mvapich2 --lmc 2 --profile sl-hint|MV2_USE_HSAM|0
	mvapich2 --lmc 2 --profile sl-hint|MV2_PATH_SL_QUERY|1
	nccl --lmc 2|NCCL_IB_SL|0
	nccl --lmc 2|NCCL_PLUGIN_P2P|
	nccl --lmc 2 --use all|NCCL_PLUGIN_P2P|ucx
	nccl --lmc 2 --use valiant|UCX_IB_LID_PATH_BITS|1-3
	all --lmc 2|NCCL_IB_SL|0
	ROWS
}

@test "what would be unsafe or do nothing is refused with the reason" {
	while IFS='|' read -r args part; do
		run --separate-stderr -1 $M env $args
		says "$part"
		[ -z "$output" ]
	done <<-'ROWS'
	ucx --lmc 2 --use 4|offset 4 has no LID: each port has 4, offsets 0 to 3
	ucx --lmc 0 --use valiant|offset 1 has no LID: each port has 1
	ucx --lmc 0 --use 0,1|offset 1 has no LID
	ucx --lmc 2 --use valiant --profile sl-hint|does not ask the SA
	ucx --lmc 2 --use all --profile sl-hint|does not ask the SA
	nccl --lmc 0 --class 1|no SL has this class
	nccl --lmc 0 --profile sl-hint --classes 0,2 --class 1|no SL has this class
	mvapich2 --lmc 2 --use all --profile sl-hint|does not ask the SA
	mvapich2 --lmc 2 --use valiant|offset 0 or all of them
	nccl --lmc 2 --use all --profile sl-hint|does not ask the SA
	rdma_cm --lmc 2 --use valiant|no effect
	ROWS
}

@test "of several transports those that can are told, and why the others are not" {
	run -0 $M env all --lmc 2 --use valiant
	[ "$(value UCX_IB_LID_PATH_BITS)" = 1-3 ]
	[[ $output == *"# openib uses offsets from 0 on"*"# nccl sends to base LIDs"* ]]
	[[ $output != *NCCL_IB_SL* && $output != *openib_max_lmc* ]]
	run -0 $M env all --lmc 2 --use valiant --json
	holds '.target == "all" and .lids == 4 and .profile == "any-sl"'
	holds '[.transports[] | select(.refused == null) | .transport] == ["ucx"]'
	run -0 $M env nccl --lmc 2 --use 1 --json
	holds '.transports[0] | .refused != null and .settings == []'
	holds '.transports[1] | .transport == "nccl_ucx" and .refused == null'
	run -0 $M env openmpi --lmc 2 --use 1-2 --json
	holds '[.transports[].refused != null] == [false, true]'
}

@test "every export has its reason in the comment before it" {
	run -0 $M env all --lmc 3
	awk '!/^export [A-Za-z0-9_]+=[0-9,-]+$/ && !/^# ./ || /^export/ && was !~ /^# / { print; bad = 1 }
		{ was = $0 } END { exit bad }' <<<"$output"
	COLUMNS=80 run -0 $M env all --lmc 3
	[ "$(awk 'length > 80 || /^ /' <<<"$output")" = "" ]
	run -0 $M env rdma_cm --lmc 3
	[[ $output == "# rdma_cm "*"nothing to set: offset 0" ]]
}

@test "the LMC comes from tables or opensm.conf" {
	q5 "$T/p.json"
	$M route "$T/p.json" --lmc 1 -o "$T/t" >/dev/null
	run -0 $M env ucx --tables "$T/t"
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0-1 ]
	printf 'lmc 1\nlmc 3 # counts\n#lmc 2\n' >"$T/opensm.conf"
	run -0 $M env ucx --opensm-conf "$T/opensm.conf"
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0-7 ]
	echo "qos TRUE" >"$T/opensm.conf"
	run -0 $M env ucx --opensm-conf "$T/opensm.conf"
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0 ]
	echo "lmc 8" >"$T/opensm.conf"
	run --separate-stderr -2 $M env ucx --opensm-conf "$T/opensm.conf"
	says "opensm.conf:1: lmc"
}

@test "profile and classes come from the moore.conf of opensm.conf" {
	printf 'profile sl-hint\nclasses 0,3\n' >"$T/moore.conf"
	echo "lmc 2" >"$T/opensm.conf"
	echo "event_plugin_options other=1 moore_conf=$T/moore.conf" >>"$T/opensm.conf"
	run -0 $M env ucx --opensm-conf "$T/opensm.conf" --class 3
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0 ] && [ "$(value UCX_IB_SL)" = 12 ]
	run -0 $M env ucx --opensm-conf - <"$T/opensm.conf"
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0 ]
	run -0 $M env ucx --opensm-conf - --profile any-sl <"$T/opensm.conf"
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0-3 ]
	echo "profile sl-hunt" >"$T/moore.conf"
	run --separate-stderr -2 $M env ucx --opensm-conf "$T/opensm.conf"
	says "$T/moore.conf:1: profile"
	rm "$T/moore.conf"
	run --separate-stderr -2 $M env ucx --opensm-conf "$T/opensm.conf"
	says "$T/moore.conf: cannot read"
}

@test "settings that are not safe with the tables are refused" {
	q5 "$T/p.json"
	$M route "$T/p.json" --lmc 1 --profile sl-hint -o "$T/hint" >/dev/null
	run --separate-stderr -1 $M env ucx --tables "$T/hint"
	says "give --profile sl-hint"
	[ -z "$output" ]
	run -0 $M env ucx --tables "$T/hint" --profile sl-hint
	[ "$(value UCX_IB_LID_PATH_BITS)" = 0 ]
	# Without its lanes, a Slim Fly's routes have cycles even on base LIDs.
	rm "$T/hint/opensm-sl2vl.dump"
	run --separate-stderr -1 $M env ucx --tables "$T/hint" --profile sl-hint
	says "moorectl verify $T/hint --sl 0 --lids base --sources endpoints"
	run ! $M verify "$T/hint" --sl 0 --lids base --sources endpoints
	rm "$T/hint/moore-path-sl.dump"
	run --separate-stderr -1 $M env all --tables "$T/hint" --json
	[[ $output == *"not every SL is safe on every LID with these tables: see"* ]]
}

@test "env: misuse" {
	while IFS='|' read -r args part; do
		run --separate-stderr -2 $M env $args
		says "$part"
	done <<-ROWS
	|it takes TARGET
	ncl --lmc 1|did you mean nccl?
	ucx|one of --lmc N, --tables DIR and --opensm-conf FILE
	ucx --lmc 1 --tables $T|too much
	ucx --lmc 8|not a number from 0 to 7
	ucx --lmc 1 --profile sl|is none of any-sl
	ucx --lmc 1 --use some|or a list of LID
	ucx --lmc 1 --use 1-0|or a list of LID
	ucx --lmc 1 --use 128|or a list of LID
	ucx --lmc 1 --use 0,|or a list of LID
	ucx --tables $T/none|no such directory
	ROWS
}

@test "applications.md names every variable, and no other of these families" {
	for profile in any-sl sl-hint; do
		$M env all --lmc 2 --profile $profile --json
	done | jq -r '.transports[].settings[].name' | sort -u >"$T/names"
	[ "$(wc -l <"$T/names")" = 10 ]
	while read -r name; do
		grep -q "\`$name\`" "$ROOT/docs/applications.md" || { echo "no $name"; false; }
	done <"$T/names"
}
