#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# campaign.bats - a campaign as an array job: a real slurmctld, two slurmd and munged on the loopback, as plain
# processes in a temporary folder.
load ../cli/lib

setup_file() {
	for p in munged slurmctld slurmd sbatch; do
		command -v $p >/dev/null || PATH=$PATH:/usr/sbin command -v $p >/dev/null || skip "no $p"
	done
	[ "$(id -u)" = 0 ] || skip "slurmd needs root"
	PATH=$PATH:/usr/sbin
	export S=$BATS_FILE_TMPDIR SLURM_CONF=$BATS_FILE_TMPDIR/slurm.conf
	chmod 755 "$S"
	mkdir "$S/state" "$S/n1" "$S/n2"
	head -c 1024 /dev/urandom >"$S/munge.key"
	chmod 600 "$S/munge.key"
	settings >"$SLURM_CONF"
	begin munged -F --force -S "$S/munge" --key-file "$S/munge.key" --pid-file "$S/munged.pid" \
		--log-file "$S/munged.log" --seed-file "$S/munge.seed"
	until_true 10 test -S "$S/munge"
	begin slurmctld -D -c
	begin slurmd -D -N n1
	begin slurmd -D -N n2
	until_true 30 idle 2
}

# Ends what setup_file began, whatever came of it: by the numbers that it wrote down.
teardown_file() {
	local pids
	[ -e "$S/pids" ] || return 0
	pids=$(tac "$S/pids")
	scancel --user=root 2>/dev/null || :
	kill $pids 2>/dev/null || :
	for _ in $(seq 50); do kill -0 $pids 2>/dev/null || break; sleep 0.1; done
	kill -9 $pids 2>/dev/null || :
}

begin() {
	"$@" >"$S/$1-$(wc -l <"$S/pids" 2>/dev/null || echo 0).out" 2>&1 3>&- &
	echo $! >>"$S/pids"
}

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@" 2>/dev/null; do
		[ $SECONDS -lt $end ] || { echo "not within the time: $*"; tail -n 20 "$S"/*.out "$S"/*.log; return 1; }
		sleep 0.2
	done
}

idle() { [ "$(sinfo -h -N -o %T | grep -c idle)" = "$1" ]; }

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# The intervals of the scheduler are as short as it allows: with its own, a job waits for seconds.
settings() {
	local cpus
	cpus=$(nproc)
	cat <<-END
	ClusterName=moore
	SlurmctldHost=$(hostname)(127.0.0.1)
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$S/munge
	CryptoType=crypto/munge
	SlurmctldPort=$(free_port)
	StateSaveLocation=$S/state
	SlurmdSpoolDir=$S/%n
	SlurmctldPidFile=$S/slurmctld.pid
	SlurmdPidFile=$S/slurmd-%n.pid
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SwitchType=switch/none
	ReturnToService=2
	MaxArraySize=1001
	SchedulerType=sched/builtin
	SelectType=select/linear
	SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0,default_queue_depth=1000,max_sched_time=1
	MinJobAge=2
	NodeName=n1 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$cpus
	NodeName=n2 NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$(free_port) CPUs=$cpus
	PartitionName=all Nodes=n1,n2 Default=YES State=UP
	END
}

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
