#!/bin/bash
# quartet start [OPTIONS] [RANKS] PROGRAM [ARGUMENTS...] (start.sh): runs an MPI
# program on the nodes of a Slurm job and exits with its exit code: in a batch
# script, or by hand in the shell that salloc gives.
#
# Without options there is one rank for each task, with as many cores as
# --cpus-per-task says; our programs get as many threads by their --threads, even
# where Slurm binds nothing. It changes nothing that the user has set. Settings
# are arguments, since some sites hand no variables to jobs (--export=NONE):
#
# --launcher=NAME      srun (the default, or QUARTET_LAUNCHER), mpirun (Open
#                      MPI's), mpiexec (MPICH's)
# --mpi=NAME           how srun speaks with the MPI (pmix, or QUARTET_MPI; see
#                      srun --mpi=list)
# --cpu-bind=HOW       for srun
# --prepare=LINE       a line of bash to run first, such as `module purge`; may be
#                      repeated
# --modules=NAMES      environment modules to load after that (or QUARTET_MODULES)
# --set=NAME=VALUE     a variable for the job
#
# A part of the job, one step of several:
# --ranks=N            ranks in all, as the number before PROGRAM
# --nodes=N            nodes of the job to spread over, evenly
# --hosts=A,B          these nodes
# --threads=N          cores and threads of a rank (QUARTET_THREADS)
# --distribution=HOW   block (the default), cyclic, or plane=N: N ranks on a node,
#                      then on the next, in turn
# --seconds=N          ends the program after this time (srun's own limit counts
#                      minutes)
#
# example:
#   salloc -N 2 -n 2 quartet start stream --runs 3 --json pair.json
set -eu
# The whole task begins here for the programs, by a clock that is never set.
: "${QUARTET_LAUNCHED:=$(uname -n) $(cut -d " " -f 1 /proc/uptime 2>/dev/null || :)}"
export QUARTET_LAUNCHED
[ ! -t 2 ] || export QUARTET_TERMINAL=1 # so that ranks show progress though their standard error is a pipe

refuse() { # replaces control characters
    printf '%s' "start.sh: $1" | LC_ALL=C tr '[:cntrl:]' '?' >&2
    echo >&2
    exit 2
}

launcher=${QUARTET_LAUNCHER:-srun}
mpi=${QUARTET_MPI:-pmix}
modules=${QUARTET_MODULES-}
prepare=()
cpu_bind='' ranks='' nodes='' hosts='' threads='' distribution='' seconds=''
while [ $# -gt 0 ]; do
    value=${1#*=}
    case $1 in
    --launcher=*) launcher=$value ;;
    --mpi=*) mpi=$value ;;
    --cpu-bind=*) cpu_bind=$value ;;
    --prepare=*) prepare+=("$value") ;;
    --modules=*) modules=$value ;;
    --set=[A-Za-z_]*=*) export "${value?}" ;;
    --ranks=*) ranks=$value ;;
    --nodes=*) nodes=$value ;;
    --hosts=*) hosts=$value ;;
    --threads=*) threads=$value ;;
    --distribution=*) distribution=$value ;;
    --seconds=*) seconds=$value ;;
    -h | --help)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" || exit 3
        exit
        ;;
    -*) refuse "$1 is no option (see --help): start.sh [OPTIONS] [RANKS] PROGRAM" ;;
    *[!0-9]* | '') break ;;
    *) ranks=$1 ;; # as launch.sh is called
    esac
    shift
done
[ $# -ge 1 ] || refuse "no program: start.sh [OPTIONS] [RANKS] PROGRAM [ARGUMENTS...]"
[ -n "${SLURM_JOB_ID-}" ] || refuse "no Slurm job (SLURM_JOB_ID is not set): sbatch or salloc \
first, or scripts/launch.sh for this machine alone"
for word; do
    [ "$word" != : ] ||
        refuse "an argument is ':' alone (launchers begin another program there): write it otherwise"
done
for number in "$ranks" "$nodes" "$threads" "$seconds"; do
    case $number in
    0* | *[!0-9]* | ????????*) refuse "'$number' is no number of ranks, nodes, threads or seconds" ;;
    esac
done
case ${distribution:-block} in
block | cyclic) ;;
plane=*)
    case ${distribution#plane=} in
    '' | 0* | *[!0-9]* | ????????*) refuse "--distribution=$distribution (plane has a number): plane=2" ;;
    esac
    ;;
*) refuse "--distribution=$distribution (not block, cyclic or plane=N): name another one" ;;
esac
here=$(dirname "$0")

find_modules() {
    # Batch shells may not have read the profile that defines `module`.
    for file in "${LMOD_PKG:-/usr/share/lmod/lmod}/init/bash" \
        "${MODULESHOME:-/usr/share/modules}/init/bash" /etc/profile.d/modules.sh /etc/profile.d/lmod.sh; do
        command -v module >/dev/null && return
        # shellcheck disable=SC1090  # the site's
        if [ -r "$file" ]; then . "$file"; fi
    done
}
# Runs a line without our arguments, which a script that it sources would take for its own.
run_line() {
    local line=$1
    shift
    eval "$line"
}
if [ -n "$modules" ] || [ ${#prepare[@]} -gt 0 ]; then
    set +eu # the site's functions may not work with it
    find_modules
    for line in ${prepare[@]+"${prepare[@]}"}; do
        run_line "$line" || refuse "'$line' failed (prepare): try it in a job of yours"
    done
    if [ -n "$modules" ]; then
        command -v module >/dev/null || refuse "no module command (for $modules): load them yourself"
        # shellcheck disable=SC2086  # a list of names
        module load $modules || refuse "module load $modules failed: see module avail"
    fi
    set -eu
fi

# shellcheck disable=SC1091  # beside this file
. "$here/open_mpi.sh"
is_step=$ranks$nodes$hosts # a part of the job
ranks=${ranks:-${SLURM_NTASKS:-${nodes:-${SLURM_JOB_NUM_NODES:-1}}}}
threads=${threads:-${QUARTET_THREADS:-${SLURM_CPUS_PER_TASK:-1}}}
: "${OMP_NUM_THREADS:=$threads}" "${OMP_PLACES:=cores}" "${OMP_PROC_BIND:=close}"
export OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND
export SLURM_EXPORT_ENV=ALL # after --export=NONE srun would pass no variables to ranks
if [ -n "$is_step" ]; then
    all=${SLURM_JOB_NUM_NODES:-1}
    [ -z "$hosts" ] || nodes=$(tr , '\n' <<<"$hosts" | grep -c .)
    nodes=${nodes:-$((ranks < all ? ranks : all))}
    [ "$nodes" -le "$all" ] || refuse "$nodes nodes (the job has $all): ask Slurm for more"
    [ "$nodes" -le "$ranks" ] || refuse "$ranks ranks on $nodes nodes (each needs one): give more ranks"
    per_node=$(((ranks + nodes - 1) / nodes))
    case $distribution in
    plane=*) # ranks of the first node: from whole rounds over all nodes, and from the last round
        plane=${distribution#plane=}
        rounds=$((ranks / (plane * nodes)))
        rest=$((ranks % (plane * nodes)))
        per_node=$((rounds * plane + (rest < plane ? rest : plane)))
        ;;
    esac
fi

# The names of the nodes to be used, one per line.
names_of_nodes() {
    if [ -n "$hosts" ]; then
        tr , '\n' <<<"$hosts"
    else
        scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n "$nodes"
    fi
}

with_srun() {
    # Since 22.05 srun does not take this from the job.
    export SRUN_CPUS_PER_TASK="${SRUN_CPUS_PER_TASK:-$threads}"
    unset SLURM_NTASKS_PER_NODE # srun would warn of this maximum, which has placed the job already
    # If a rank dies, the others would wait for it for ever. Without a failure all end within moments. To end
    # the others at once (--kill-on-bad-exit) would hide an exit code that all ranks have.
    export SLURM_WAIT="${SLURM_WAIT:-20}" # seconds
    local flags=("--ntasks=$ranks" "--mpi=$mpi")
    if [ -n "$is_step" ]; then
        # An interrupt ends the step, even if ranks ignore it.
        flags+=("--nodes=$nodes" "--ntasks-per-node=$per_node" "--cpus-per-task=$threads" --exact
            "--distribution=${distribution:-block}" --quit-on-interrupt)
        [ -z "$hosts" ] || flags+=("--nodelist=$hosts")
    fi
    [ -z "$cpu_bind" ] || flags+=("--cpu-bind=$cpu_bind")
    [ -z "$seconds" ] || flags+=("--time=$(((seconds + 59) / 60))")
    # Ranks that see only one GPU cannot open each other's memory (CUDA IPC): each must see all GPUs of the
    # node. srun restricts them only if the job requests GPUs per task. The flag is not always set, since Slurm
    # 22.05 then sets no CUDA_VISIBLE_DEVICES, and shared nodes without cgroups would show too many GPUs.
    if [ -n "${SLURM_GPU_BIND-}${SLURM_GPUS_PER_TASK-}" ] ||
        [ -n "${SLURM_NTASKS_PER_GPU-}${SLURM_TRES_PER_TASK-}" ]; then
        flags+=(--gpu-bind=none)
    fi
    exec srun "${flags[@]}" "$@"
}

with_mpirun() {
    # The daemons of mpirun are a step with one task per node, which needs all cores of the node.
    unset SRUN_CPUS_PER_TASK
    local flags=(-n "$ranks") policy=slot
    case ${distribution:-${SLURM_DISTRIBUTION:-block}} in
    cyclic*) policy=node ;;
    plane*) refuse "plane distribution with mpirun (it has none): launcher srun or mpiexec, or cyclic" ;;
    esac
    if [ -n "$is_step" ]; then
        flags+=(--host "$(names_of_nodes | sed "s/\$/:$per_node/" | paste -sd,)")
    fi
    [ -z "$seconds" ] || flags+=(--timeout "$seconds")
    [ "$ranks" -le "${SLURM_NTASKS:-$ranks}" ] || echo "start.sh: $ranks ranks, but the job has $SLURM_NTASKS \
tasks, which Open MPI takes for its slots: ask Slurm for more" >&2
    : "${OMPI_MCA_rmaps_base_mapping_policy:=$policy:PE=$threads}"
    : "${OMPI_MCA_hwloc_base_binding_policy:=core}"
    export OMPI_MCA_rmaps_base_mapping_policy OMPI_MCA_hwloc_base_binding_policy
    exec mpirun "${flags[@]}" "$@"
}

with_mpiexec() {
    local flags=(-n "$ranks")
    case ${distribution:-block} in # mpiexec gives -ppn ranks to each host, in turn
    plane=*) per_node=${distribution#plane=} ;;
    cyclic) per_node=1 ;;
    esac
    if [ -n "$is_step" ]; then
        flags+=(-ppn "$per_node" -hosts "$(names_of_nodes | paste -sd,)")
    fi
    [ -z "$seconds" ] || export MPIEXEC_TIMEOUT="$seconds"
    exec mpiexec "${flags[@]}" "$@"
}

# has_threads ARGUMENTS...: true if they, or a file for --config, set the program's --threads.
has_threads() {
    local word config=
    for word; do
        [ "$config" != next ] || config=$word
        case $word in
        --threads | --threads=*) return 0 ;;
        --config) config=next ;;
        --config=*) config=${word#*=} ;;
        esac
    done
    [ -f "$config" ] && grep -q '^[[:space:]]*threads[[:space:]]*=' "$config"
}

# Without --threads a program whose ranks are not bound would use all cores of its node.
if grep -qsF "Kernel(\"${1##*/}\"" "$here/../python/quartet/kernels.py"; then
    has_threads "$@" || set -- "$1" "--threads=$threads" "${@:2}"
fi
case $launcher in
srun) with_srun "$@" ;;
mpirun) with_mpirun "$@" ;;
mpiexec) with_mpiexec "$@" ;;
*) refuse "launcher '$launcher' (not srun, mpirun or mpiexec): name another one" ;;
esac
