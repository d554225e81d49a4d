#!/bin/sh
# launch.sh RANKS PROGRAM [ARGUMENTS...]: runs an MPI program on this machine.
#
# Sets what Open MPI needs to be told here, and nothing that the user has set already:
# - it may run as root (containers are), and says nothing about our own exit codes;
# - ranks are bound to cores where there are enough, else they share them and yield while waiting;
# - on a machine with no network but loopback it uses that.
# Other MPIs ignore the OMPI_ variables. MPIEXEC names the launcher (mpiexec by default),
# QUARTET_THREADS the cores per rank (1), MPIEXEC_FLAGS replaces the flags chosen here.
set -eu

ranks=$1
shift
threads=${QUARTET_THREADS:-1}
launcher=${MPIEXEC:-mpiexec}

: "${OMPI_MCA_orte_execute_quiet:=1}"
: "${OMPI_MCA_btl_base_warn_component_unused:=0}"
: "${OMP_NUM_THREADS:=$threads}"
export OMPI_MCA_orte_execute_quiet OMPI_MCA_btl_base_warn_component_unused OMP_NUM_THREADS
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# Cores that this process may use; a core's second hardware thread is not a core.
cores=$(lscpu -p=core,socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
allowed=$(nproc)
[ "$cores" -gt 0 ] && [ "$cores" -lt "$allowed" ] || cores=$allowed

if [ -n "${MPIEXEC_FLAGS+set}" ]; then
    flags=$MPIEXEC_FLAGS
elif ! "$launcher" --version 2>/dev/null | grep -qi 'open mpi\|openrte'; then
    flags=
elif [ $((ranks * threads)) -le "$cores" ]; then
    flags="--bind-to core --map-by slot:PE=$threads"
else
    flags="--oversubscribe --bind-to none"
    : "${OMPI_MCA_mpi_yield_when_idle:=1}"
    export OMPI_MCA_mpi_yield_when_idle
fi

# shellcheck disable=SC2086  # the flags are words
exec "$launcher" -np "$ranks" $flags "$@"
