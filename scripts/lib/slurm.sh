# shellcheck shell=bash disable=SC2154 # dir, hosts and spec are cluster-build's
# Slurm on the hosts of a cluster: a controller on the login node and a daemon on every host. Its
# files are in DIR/slurm, and its processes end with the cluster.

# Number of processors that every host claims: more than the machine has, so that several ranks fit
# on each host.
slurm_processors=16
# The plugin that binds tasks: none, or task/affinity, which lets tasks run only on the cores of
# their job.
slurm_tasks=task/none
# The controller's port. The daemon of host i listens on port slurm_port + 1 + i.
slurm_port=17800

# Makes hosts with their own addresses and unshaped links: PMIx needs one address for each host.
build_connected() {
    [[ $1 =~ ^[1-9][0-9]{0,2}$ ]] || bad_spec "$1 is not a number of hosts"
    hosts=$1
    name_hosts
    new_launch_network
    local i
    for ((i = 0; i < hosts; i++)); do
        new_uts "$(host_name "$i")"
        new_net "$(host_name "$i")"
        join_launch_network "$(host_name "$i")" "$i"
    done
    echo "launch0 launch0" > "$dir/networks"
    # UCX and libfabric may use shared memory between hosts.
    touch "$dir/unshaped"
}

# Writes the switches of a tree. Slurm is told nothing about other networks.
write_switches() {
    local leaf i members=() leaves=()
    [[ $spec == tree:* ]] || return 0
    for ((leaf = 0; leaf < sizes[0]; leaf++)); do
        members=()
        for ((i = 0; i < sizes[1]; i++)); do members+=("$(host_name $((leaf * sizes[1] + i)))"); done
        echo "SwitchName=leaf$leaf Nodes=$(IFS=, && echo "${members[*]}")"
        leaves+=("leaf$leaf")
    done > "$dir/slurm/topology.conf"
    echo "SwitchName=root Switches=$(IFS=, && echo "${leaves[*]}")" >> "$dir/slurm/topology.conf"
    echo "TopologyPlugin=topology/tree" >> "$dir/slurm/slurm.conf"
}

write_slurm_conf() {
    # MPICH names its shared memory after the job. Job numbers start at random, so that they do not
    # meet files of an earlier cluster.
    local i first_job=$((1000 * (RANDOM + 1)))
    cat > "$dir/slurm/slurm.conf" <<- CONF
		ClusterName=rankfold
		SlurmctldHost=login($(launch_address "$hosts"))
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$dir/slurm/munge/socket
		CredType=cred/munge
		SlurmctldPort=$slurm_port
		SlurmctldPidFile=$dir/slurm/slurmctld.pid
		SlurmdPidFile=$dir/slurm/slurmd.%n.pid
		SlurmctldLogFile=$dir/slurm/slurmctld.log
		SlurmdLogFile=$dir/slurm/slurmd.%n.log
		StateSaveLocation=$dir/slurm/state
		SlurmdSpoolDir=$dir/slurm/spool.%n
		ProctrackType=proctrack/linuxproc
		TaskPlugin=$slurm_tasks
		JobAcctGatherType=jobacct_gather/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		MpiDefault=none
		FirstJobId=$first_job
		ReturnToService=2
		InactiveLimit=0
		KillWait=5
	CONF
    write_switches
    for ((i = 0; i < hosts; i++)); do
        echo "NodeName=$(host_name "$i") NodeAddr=$(launch_address "$i") Port=$((slurm_port + 1 + i)) CPUs=$slurm_processors"
    done >> "$dir/slurm/slurm.conf"
    echo "PartitionName=all Nodes=ALL Default=YES MaxTime=30 OverSubscribe=NO" >> "$dir/slurm/slurm.conf"
    # The PMIx plugin keeps a directory for each job below this path, where the daemons of all hosts
    # would collide.
    echo "PMIxCliTmpDirBase=$dir/slurm/pmix" > "$dir/slurm/mpi.conf"
}

# Munge authenticates users. The cluster has its own key and socket.
start_munge() {
    local at=$dir/slurm/munge
    mkdir -m 711 "$at"
    head -c 128 /dev/urandom > "$at/key"
    chmod 400 "$at/key"
    munged --force --key-file="$at/key" --socket="$at/socket" --pid-file="$at/pid" --log-file="$at/log" \
        --seed-file="$at/seed"
}

start_slurmd() {
    local host=$1
    mkdir "$dir/slurm/pmix.$host"
    # shellcheck disable=SC2016 # the inner shell's
    in_net "$host" nsenter --uts="$dir/ns/$host.uts" unshare --mount sh -c \
        'mount --bind "$1/pmix.$2" "$1/pmix" && exec slurmd -N "$2"' sh "$dir/slurm" "$host"
}

# Every host idle, as Slurm sees them.
slurm_is_ready() { [ "$(sinfo --noheader --format '%D %t' 2> /dev/null)" = "$hosts idle" ]; }

start_slurm() {
    local i
    for i in munged slurmctld slurmd sinfo; do
        command -v "$i" > /dev/null || bad_spec "$i is not installed; on Debian: slurmctld slurmd slurm-client munge"
    done
    mkdir "$dir/slurm" "$dir/slurm/state" "$dir/slurm/pmix"
    chmod 755 "$dir" "$dir/slurm"
    export SLURM_CONF=$dir/slurm/slurm.conf
    write_slurm_conf
    start_munge
    slurmctld -c
    for ((i = 0; i < hosts; i++)); do start_slurmd "$(host_name "$i")"; done
    for ((i = 0; i < 300; i++)); do
        if slurm_is_ready; then return; fi
        sleep 0.1
    done
    tail -n 3 "$dir"/slurm/*.log
    sinfo --Node --long
    bad_spec "Slurm's hosts did not come up"
}
