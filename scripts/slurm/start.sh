#!/bin/sh
# start.sh PROGRAM [ARGUMENTS...]: runs an MPI program on all that a Slurm job has, and exits with its
# exit code. In a batch script, or by hand in the shell that salloc gives.
#
# One rank a task, as many cores a rank as --cpus-per-task says. What the user has set stays.
#
# QUARTET_LAUNCHER  srun (the default) or mpirun
# QUARTET_MPI       how srun speaks with the MPI (pmix; see srun --mpi=list)
# QUARTET_MODULES   environment modules to load first, and to be found
set -eu

refuse() {
    echo "start.sh: $1" >&2
    exit 2
}

[ $# -ge 1 ] || refuse "no program: start.sh PROGRAM [ARGUMENTS...]"
[ -n "${SLURM_JOB_ID-}" ] || refuse "no Slurm job (SLURM_JOB_ID is not set): sbatch or salloc \
first, or scripts/launch.sh for this machine alone"
here=$(dirname "$0")

load_modules() {
    # Batch shells need not have read the profile that defines it.
    if ! command -v module >/dev/null; then
        for file in "${LMOD_PKG:-/usr/share/lmod/lmod}/init/sh" \
            "${MODULESHOME:-/usr/share/modules}/init/sh" /etc/profile.d/modules.sh /etc/profile.d/lmod.sh; do
            # shellcheck disable=SC1090  # the site's
            if [ -r "$file" ]; then . "$file" && break; fi
        done
    fi
    command -v module >/dev/null || refuse "no module command (for QUARTET_MODULES): load them yourself"
    set +u # the site's functions were not written for it
    # shellcheck disable=SC2086  # a list of names
    module load $QUARTET_MODULES || refuse "module load $QUARTET_MODULES failed: see module avail"
    set -u
}
[ -z "${QUARTET_MODULES-}" ] || load_modules

# shellcheck disable=SC1091  # beside this file
. "$here/open_mpi.sh"
ranks=${SLURM_NTASKS:-${SLURM_JOB_NUM_NODES:-1}}
threads=${SLURM_CPUS_PER_TASK:-1}
: "${OMP_NUM_THREADS:=$threads}" "${OMP_PLACES:=cores}" "${OMP_PROC_BIND:=close}"
export OMP_NUM_THREADS OMP_PLACES OMP_PROC_BIND

with_srun() {
    # Since 22.05 srun no longer takes this from the job by itself.
    export SRUN_CPUS_PER_TASK="${SRUN_CPUS_PER_TASK:-$threads}"
    unset SLURM_NTASKS_PER_NODE # a maximum, that srun would warn of: the job has been placed by it
    # Where a rank dies the others would wait for it. All end within moments when all is well; ending
    # the others at once (--kill-on-bad-exit) would hide an exit code that all have.
    export SLURM_WAIT="${SLURM_WAIT:-20}" # seconds
    flags="--ntasks=$ranks --mpi=${QUARTET_MPI:-pmix}"
    # Ranks that see one GPU each cannot open each other's memory (CUDA IPC): all must see all of the
    # node's. By itself srun binds none; where the job asks for GPUs by the task, it does. Not always:
    # Slurm 22.05 then sets no CUDA_VISIBLE_DEVICES, and shared nodes without cgroups show too many.
    if [ -n "${SLURM_GPU_BIND-}${SLURM_GPUS_PER_TASK-}" ] ||
        [ -n "${SLURM_NTASKS_PER_GPU-}${SLURM_TRES_PER_TASK-}" ]; then
        flags="$flags --gpu-bind=none"
    fi
    # shellcheck disable=SC2086  # the flags are words
    exec srun $flags "$@"
}

with_mpirun() {
    # The daemons of mpirun are a step with one task a node: they need all of its cores.
    unset SRUN_CPUS_PER_TASK
    case ${SLURM_DISTRIBUTION:-block} in
    cyclic*) : "${OMPI_MCA_rmaps_base_mapping_policy:=node:PE=$threads}" ;;
    *) : "${OMPI_MCA_rmaps_base_mapping_policy:=slot:PE=$threads}" ;;
    esac
    : "${OMPI_MCA_hwloc_base_binding_policy:=core}"
    export OMPI_MCA_rmaps_base_mapping_policy OMPI_MCA_hwloc_base_binding_policy
    exec mpirun -n "$ranks" "$@"
}

case ${QUARTET_LAUNCHER:-srun} in
srun) with_srun "$@" ;;
mpirun) with_mpirun "$@" ;;
*) refuse "QUARTET_LAUNCHER is '$QUARTET_LAUNCHER' (not srun or mpirun)" ;;
esac
