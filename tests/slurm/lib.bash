# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
# lib.bash - a real Slurm on the loopback, as plain processes in a temporary folder.
#
#   slurm_here PROGRAM...   skip the file without these programs or root; begin munged
#   begin COMMAND...        run it in the background until the file ends
#   until_true S COMMAND... wait, at most S seconds
#   settings                print slurm.conf without nodes
load ../cli/lib

slurm_here() {
	PATH=$PATH:/usr/sbin
	for p in munged slurmctld "$@"; do
		command -v $p >/dev/null || skip "no $p"
	done
	[ "$(id -u)" = 0 ] || skip "slurmd needs root"
	export S=$BATS_FILE_TMPDIR SLURM_CONF=$BATS_FILE_TMPDIR/slurm.conf
	chmod 755 "$S"
	mkdir "$S/state"
	head -c 1024 /dev/urandom >"$S/munge.key"
	chmod 600 "$S/munge.key"
	begin munged -F --force -S "$S/munge" --key-file "$S/munge.key" --pid-file "$S/munged.pid" \
		--log-file "$S/munged.log" --seed-file "$S/munge.seed"
	until_true 10 test -S "$S/munge"
}

# Ends what setup_file began, whatever came of it: by the numbers that it wrote down.
teardown_file() {
	local pids
	[ -e "$S/pids" ] || return 0
	pids=$(tac "$S/pids")
	[ ! -e "$S/n1" ] || scancel --user=root 2>/dev/null || :	# jobs need a slurmd
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

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# settings: slurm.conf without nodes. The intervals of the scheduler are as short as it allows: with
# its own, a job waits for seconds.
settings() {
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
	END
}
