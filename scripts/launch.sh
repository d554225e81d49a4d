#!/bin/sh
# launch.sh RANKS PROGRAM [ARGUMENTS...]: runs an MPI program on this machine and exits with its
# exit code; 77, with the reason, where MPI cannot start here at all.
#
# It tells Open MPI what it needs to be told, and nothing that the user has set already:
# - it may run as root, as containers do, and needs no ssh;
# - it keeps quiet about our own exit codes, and so, alas, about crashed ranks, whose codes are 128
#   plus the signal: OMPI_MCA_orte_execute_quiet=0 lets it speak (Open MPI 5 always does);
# - ranks are bound to cores of their own where there are enough. Otherwise they are not bound, may
#   outnumber the cores and yield while waiting. They are not bound either where this shell itself
#   may use some CPUs only (taskset, a batch system): Open MPI would bind them to others.
# Other MPIs ignore the OMPI_ variables and are left to their own binding. No network is needed, but
# Open MPI wants an interface that is up, if only loopback; what sees none says how to get one.
#
# MPIEXEC          the launcher (mpiexec)
# MPIEXEC_FLAGS    replaces the flags chosen here; may be empty. The launcher then speaks, since it
#                  may not like them
# QUARTET_THREADS  cores per rank (OMP_NUM_THREADS, else 1)
# QUARTET_BIND     "none": do not bind, for jobs that run beside others, which Open MPI would bind to
#                  the same first cores
set -eu

refuse() {
    echo "launch.sh: $2" >&2
    exit "$1"
}

[ $# -ge 2 ] || refuse 2 "too few arguments: launch.sh RANKS PROGRAM [ARGUMENTS...]"
ranks=$1
shift
launcher=${MPIEXEC:-mpiexec}
threads=${QUARTET_THREADS:-${OMP_NUM_THREADS:-1}}
threads=${threads%%,*} # OpenMP allows a list, one number for each level
case $ranks in
'' | *[!0-9]* | 0*) refuse 2 "'$ranks' ranks (not a positive number)" ;;
esac
case $threads in
'' | *[!0-9]* | 0*) refuse 2 "'$threads' threads per rank (not a positive number)" ;;
esac
command -v "$launcher" >/dev/null ||
    refuse 77 "there is no $launcher: install an MPI, or set MPIEXEC to its launcher"
command -v "$1" >/dev/null || refuse 2 "there is no program $1: build it first"

# CPUs that this process may use; nproc would take OMP_NUM_THREADS for them.
allowed=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || echo 1)
online=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo "$allowed")
# Cores among these: a core's second hardware thread is not one. Without lscpu, CPUs count as cores.
cores=$(lscpu -p=core,socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
if [ "$cores" -eq 0 ] || [ "$cores" -gt "$allowed" ]; then
    cores=$allowed
fi

open_mpi_flags() {
    if [ "$((ranks * threads))" -gt "$cores" ] || [ "$allowed" -lt "$online" ] ||
        [ "${QUARTET_BIND:-core}" = none ]; then
        echo "--oversubscribe --bind-to none"
    else
        echo "--oversubscribe --bind-to core --map-by slot:PE=$threads" # as for slots, not cores
    fi
}

prepare_open_mpi() {
    # The kernel's routing tables are empty where no interface is up.
    if [ -r /proc/net/fib_trie ] && ! grep -qs . /proc/net/fib_trie /proc/net/if_inet6; then
        refuse 77 "no network interface is up (Open MPI needs one): ip link set lo up"
    fi
    [ -n "${MPIEXEC_FLAGS+set}" ] || : "${OMPI_MCA_orte_execute_quiet:=1}"
    : "${OMPI_MCA_orte_execute_quiet:=0}" "${OMPI_MCA_btl_base_warn_component_unused:=0}"
    export OMPI_MCA_orte_execute_quiet OMPI_MCA_btl_base_warn_component_unused
    # It looks for the means to reach other machines even where there are none, and fails without.
    if ! command -v ssh >/dev/null && ! command -v rsh >/dev/null; then
        export OMPI_MCA_plm_rsh_agent="${OMPI_MCA_plm_rsh_agent-}"
    fi
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    # Unbound ranks may meet on a core, with each other or with other jobs.
    case $flags in
    *"--bind-to none"*)
        : "${OMPI_MCA_mpi_yield_when_idle:=1}"
        export OMPI_MCA_mpi_yield_when_idle
        ;;
    esac
}

flags=${MPIEXEC_FLAGS-}
if "$launcher" --version 2>/dev/null | grep -qi 'open mpi\|openrte'; then
    flags=${MPIEXEC_FLAGS-$(open_mpi_flags)}
    prepare_open_mpi
fi
: "${OMP_NUM_THREADS:=$threads}"
export OMP_NUM_THREADS

# shellcheck disable=SC2086  # the flags are words
exec "$launcher" -n "$ranks" $flags "$@"
