#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# topology.bats - Slurm's own controller loads the topology.conf that moorectl writes, and says which
# node is at which switch.
load lib

setup_file() { slurm_here scontrol; }

teardown() {
	[ -z "${controller:-}" ] || kill "$controller" 2>/dev/null || :
	wait
}

# loads FAMILY KEY=VALUE...: slurmctld starts with the topology of that plan, and shows it.
loads() {
	$M plan new "$@" -o "$T/p.json" >/dev/null
	$M plan export --to slurm "$T/p.json" -o "$S/topology.conf"
	settings >"$SLURM_CONF"
	cat >>"$SLURM_CONF" <<-END
	TopologyPlugin=topology/tree
	$(jq -r '.endpoints[] | "NodeName=\(.name) NodeAddr=127.0.0.1 State=UNKNOWN"' "$T/p.json")
	PartitionName=all Nodes=ALL Default=YES State=UP
	END
	rm -rf "$S/state" && mkdir "$S/state"
	slurmctld -D -c >"$S/controller.out" 2>&1 3>&- &
	controller=$!
	until_true 30 eval 'scontrol show topology >"$T/shown"'
	! grep -iE 'topology.*(error|invalid|lack)|error: .*(topology|switch)' "$S/controller.out" || { cat "$S/controller.out"; false; }
	# SwitchName=s0-0-0 Level=0 LinkSpeed=1 Nodes=s0-0-0-h[0-3]
	while read -r switch nodes; do
		for node in $(scontrol show hostnames "$nodes"); do echo "$switch $node"; done
	done < <(sed -n 's/^SwitchName=\(\S*\) Level=0 .*Nodes=\(\S*\).*/\1 \2/p' "$T/shown") | sort >"$T/got"
	diff <(jq -r '.endpoints[] | "\(.switch) \(.name)"' "$T/p.json" | sort) "$T/got"
	# One switch stands above all.
	[ "$(grep -c 'Level=1' "$T/shown")" = 1 ]
	[ "$(scontrol show hostnames "$(sed -n 's/.*Level=1 .*Nodes=\(\S*\).*/\1/p' "$T/shown")" | wc -l)" = "$(jq '.endpoints | length' "$T/p.json")" ]
}

@test "a Slim Fly of 200 nodes" { loads slimfly q=5 p=4; }
@test "an OFT, whose middle switches have no nodes" { loads oft k=4; }
@test "an MLFM" { loads mlfm h=4; }
