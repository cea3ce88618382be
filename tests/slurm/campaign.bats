#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# campaign.bats - a campaign as an array job: a real slurmctld, two slurmd and munged.
load lib

setup_file() {
	slurm_here slurmd sbatch
	mkdir "$S/n1" "$S/n2"
	settings >"$SLURM_CONF"
	cat >>"$SLURM_CONF" <<-END
	NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$(nproc)
	NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$(nproc)
	PartitionName=all Nodes=n1,n2 Default=YES State=UP
	END
	begin slurmctld -D -c
	begin slurmd -D -N n1
	begin slurmd -D -N n2
	until_true 30 idle 2
}

# Prints the process of the task that our Slurm runs on a node.
task_on() {
	local p
	for p in $(pgrep -x moorectl); do
		tr '\0' '\n' <"/proc/$p/environ" >"$T/environ" || continue
		grep -qx "SLURMD_NODENAME=$1" "$T/environ" && grep -qxF "SLURM_CONF=$SLURM_CONF" "$T/environ" || continue
		echo "$p"
		return
	done
	return 1
}

idle() { [ "$(sinfo -h -N -o %T | grep -c idle)" = "$1" ]; }

@test "slurm: an array job runs all chunks, and its table is that of a local run" {
	cd "$T"
	cat >c.json <<-'END'
	{ "moore_campaign": 1, "topology": ["slimfly q=3 p=2", "hypercube n=3"], "routing": ["min", "ugal"],
	  "pattern": ["uniform", "shift"], "lmc": 1, "length": 64, "load": [0.1, 0.5, 0.9], "seed": [1, 2, 3, 4],
	  "chunk": 10 }
	END
	$M campaign run c.json -o local
	$M campaign slurm c.json >script
	grep -q '^#SBATCH --array=0-9$' script
	job=$(sbatch --parsable <script)
	start=$SECONDS
	until_true 80 eval '[ -z "$(squeue -h -j '"$job"' 2>&1 | grep -v Invalid)" ]'
	echo "# the array job took $((SECONDS - start)) s" >&3
	cat c.results/slurm-*.out
	[ "$(ls c.results/slurm-*.out | wc -l)" = 10 ]
	run -0 $M campaign run c.json --json
	holds '.ran == 0 and .done == 96'
	cmp c.results/results.csv local/results.csv
	[ "$(cat c.results/slurm-*.out | grep -c 'points are done')" = 10 ]
}

# The host n2 is lost with the task that it runs: its slurmd, the process that watches the task, and the task.
@test "slurm: what a lost host had not done, the next run does" {
	cd "$T"
	cat >lost.json <<-'END'
	{ "moore_campaign": 1, "topology": "slimfly q=3 p=2", "routing": ["min", "ugal"], "lmc": 1, "length": 20000,
	  "load": [0.5, 0.9], "seed": [1, 2, 3], "chunk": 4 }
	END
	$M campaign run lost.json -o local-lost
	job=$($M campaign slurm lost.json | sbatch --parsable --no-requeue)
	until_true 60 eval 'task=$(task_on n2)'
	kill -9 "$(tail -n 1 "$S/pids")" "$(awk '$1 == "PPid:" { print $2 }' /proc/$task/status)" $task
	scontrol update nodename=n2 state=down reason=lost
	until_true 80 eval '[ -z "$(squeue -h -j '"$job"' 2>&1 | grep -v Invalid)" ]'
	kept=$(cat lost.results/chunk-* | wc -l)
	echo "# $kept of 12 points were done" >&3
	run -0 $M campaign run lost.json --json
	holds ".ran == 12 - $kept and .ran > 0 and .done == 12"
	cmp lost.results/results.csv local-lost/results.csv
	[ -z "$(cut -d' ' -f1 lost.results/chunk-* | sort | uniq -d)" ]
}
