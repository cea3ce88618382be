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
