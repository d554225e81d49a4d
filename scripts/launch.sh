#!/bin/sh
# quartet launch RANKS PROGRAM [ARGUMENTS...] (launch.sh): runs an MPI program on
# this machine and exits with its exit code; 77, with the reason, if there is no
# MPI or network to start it with, 3 if there is no room for Open MPI's files.
#
# In a Slurm job of several nodes it hands over to slurm/start.sh, which spreads
# the ranks over them, unless MPIEXEC or MPIEXEC_FLAGS are set. With those, and in
# jobs of PBS and LSF on several hosts, the batch system decides on the ranks and
# their binding. The rest is about one machine.
#
# TERM, INT, HUP and USR1 ask the ranks to stop (USR1, which Open MPI hands to
# them, once there are some); a second one ends the job. The exit code is then the
# programs', 75 if they have stopped, or 128 plus the signal's number. Open
# MPI (4.1.4) exits with 1 if a signal kills it; that becomes 128 plus the number,
# since 1 means a wrong result. If only a request came, 1 is the programs' own and
# stays.
#
# It sets what Open MPI needs, and changes nothing that the user has set:
# - Open MPI may run as root, as containers do, and needs no ssh.
# - It prints nothing about our exit codes. It then does not report crashed ranks
#   either, whose codes are 128 plus the signal. OMPI_MCA_orte_execute_quiet=0
#   lets it report (Open MPI 5 always does).
# - It uses the loopback interface alone (docs/cluster.md says what listens
#   where).
# - Each rank is bound to its own cores if there are enough. Otherwise ranks are
#   not bound, may outnumber the cores, and yield while waiting. Nor are they
#   bound if this shell may use only some CPUs (taskset, a batch system): Open MPI
#   would bind them to others.
# MPICH's launcher (Hydra) gets "-bind-to core:THREADS" where Open MPI's would
# bind. Other MPIs ignore the OMPI_ variables and keep their own binding. No
# network is needed, but Open MPI needs an interface that is up, if only loopback;
# the message says how to get one.
#
# MPIEXEC          the launcher (mpiexec)
# MPIEXEC_FLAGS    replaces the flags chosen here; may be empty. The launcher's
#                  messages are then shown, since it may reject them
# QUARTET_THREADS  cores per rank (OMP_NUM_THREADS, else the cores divided by the
#                  ranks; 1 where ranks may be on other hosts, MPIEXEC_FLAGS
#                  are set, or ranks are not bound)
# QUARTET_BIND     "none": do not bind, for jobs that run beside others, which
#                  Open MPI would bind to the same first cores
#
# example:
#   quartet launch 2 cg --size 4096 --iterations 50 --runs 3
set -eu
is_open_mpi=
job=
stopped_by= # number of the first signal that this shell got
sent=       # the last signal that the job got

# True if the launcher has started no rank yet; false if that is unknown.
# shellcheck disable=SC2317  # pass_on calls it
has_no_ranks() {
    children=$(cat "/proc/$job/task/"*/children 2>/dev/null) && [ -z "$children" ]
}

# pass_on SIGNAL NUMBER: the first signal asks the ranks to stop, the next one ends the job. Before there are
# ranks, Open MPI would ignore a request, so the job is ended: nothing is lost.
# shellcheck disable=SC2317  # the traps call it
pass_on() {
    signal=$1
    [ -n "$is_open_mpi" ] && [ -z "$stopped_by" ] && signal=USR1
    stopped_by=${stopped_by:-$2}
    [ -n "$job" ] || return 0
    [ -n "$is_open_mpi" ] && has_no_ranks && signal=TERM
    sent=$signal
    kill -s "$signal" "$job" 2>/dev/null || :
    if [ "$1-$signal" = INT-USR1 ]; then
        echo "launch.sh: asked the ranks to stop after the run under way; again to end the job" >&2 || :
    fi
}
trap 'pass_on TERM 15' TERM
trap 'pass_on INT 2' INT
trap 'pass_on HUP 1' HUP
trap 'pass_on USR1 10' USR1

# finish CODE: exits, and names the signal that the code stands for, since Open MPI is quiet.
finish() {
    case $1 in
    129 | 13[024-9] | 141 | 143 | 15[23])
        why=SIG$(kill -l "$1")
        [ "$1" != 135 ] || why="$why, as where /dev/shm is full"
        [ "$1" != 153 ] || why="$why: a file became larger than ulimit -f allows"
        echo "launch.sh: the job ended early ($why): see its document, if it began one" >&2 || :
        ;;
    127) echo "launch.sh: a part of the launcher, or a library, was not found: look at PATH and LD_LIBRARY_PATH" >&2 || : ;;
    esac
    exit "$1"
}

# With an empty environment Open MPI would find no programs.
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin}
export PATH

# The whole task begins here for the programs, by a clock that is never set.
QUARTET_LAUNCHED="$(uname -n) $(cut -d " " -f 1 /proc/uptime 2>/dev/null || :)"
export QUARTET_LAUNCHED
[ ! -t 2 ] || export QUARTET_TERMINAL=1 # so that ranks show progress though their standard error is a pipe
(exec 3<&0) 2>/dev/null || exec </dev/null # standard input was closed

refuse() { # replaces control characters; printf, since dash's echo reads backslashes as escapes
    printf '%s' "launch.sh: $2" | LC_ALL=C tr '[:cntrl:]' '?' >&2
    echo >&2
    exit "$1"
}

case ${1-} in
-h | --help)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" || exit 3
    exit
    ;;
esac
[ $# -ge 2 ] || refuse 2 "too few arguments: quartet launch RANKS PROGRAM [ARGUMENTS...]"
ranks=$1
shift
for word; do
    [ "$word" != : ] ||
        refuse 2 "an argument is ':' alone (MPI's launchers begin another program there): write it otherwise"
done
launcher=${MPIEXEC:-mpiexec}
threads=${QUARTET_THREADS:-${OMP_NUM_THREADS-}}
threads=${threads%%,*} # OpenMP allows a list, one number for each level
case $ranks-$1 in
*[!0-9]*-[1-9]*) case $1 in *[!0-9]*) ;; *) refuse 2 "RANKS comes first: quartet launch $1 $ranks" ;; esac ;;
esac
case $ranks in
'' | *[!0-9]* | 0* | ???????*) refuse 2 "'$ranks' ranks (not a number from 1 to 999999)" ;;
esac
case ${threads:-1} in
*[!0-9]* | 0* | ?????*) refuse 2 "'$threads' threads per rank (not a number from 1 to 9999)" ;;
esac

is_program() {
    [ -f "$1" ] && [ -x "$1" ]
}

# path_of PROGRAM: its path; PROGRAM is a path or a name on PATH. Shells differ in what command -v finds.
path_of() (
    case $1 in
    */*) is_program "$1" && printf '%s' "$1" && exit ;;
    *)
        IFS=:
        for folder in $PATH; do
            is_program "${folder:-.}/$1" && printf '%s' "${folder:-.}/$1" && exit
        done
        ;;
    esac
    exit 1
)
if [ "${SLURM_JOB_NUM_NODES:-1}" != 1 ] && [ -z "${MPIEXEC-}${MPIEXEC_FLAGS+set}" ]; then
    [ -z "$stopped_by" ] || finish "$((128 + stopped_by))"
    exec "$(dirname "$0")/slurm/start.sh" ${threads:+"--threads=$threads"} "$ranks" "$@"
fi
path_of "$launcher" >/dev/null ||
    refuse 77 "there is no $launcher: install an MPI, or set MPIEXEC to its launcher"
if ! program=$(path_of "$1"); then
    [ ! -f "$1" ] || refuse 2 "$1 is no program (not an executable file): name another one"
    refuse 2 "there is no program $1 (Quartet's are cg, fft, matmul and stream): build it (make build), or name its path"
fi
# Open MPI would report a file that is no program in a dozen lines.
[ ! -r "$program" ] || case $(head -c 4 "$program" | tr -d '\0') in
"$(printf '\177ELF')" | '#!'*) ;;
*) refuse 2 "$1 is no program (it begins neither as a compiled one nor with #!): name another one" ;;
esac

# CPUs that this process may use; nproc would follow OMP_NUM_THREADS.
allowed=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || echo 1)
online=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo "$allowed")
# Cores: hardware threads of one core count once. Without lscpu, CPUs count as cores.
cores=$(lscpu -p=core,socket 2>/dev/null | grep -v '^#' | sort -u | wc -l)
if [ "$cores" -eq 0 ] || [ "$cores" -gt "$allowed" ]; then
    cores=$allowed
fi

# True if the batch system gave this job several hosts.
has_other_hosts() {
    [ "${SLURM_JOB_NUM_NODES:-1}" = 1 ] || return 0
    for file in "${PBS_NODEFILE-}" "${LSB_DJOB_HOSTFILE-}"; do
        if [ -r "$file" ] && [ "$(sort -u "$file" | wc -l)" -gt 1 ]; then return 0; fi
    done
    return 1
}

if [ -z "$threads" ]; then
    threads=1
    if [ "$ranks" -lt "$cores" ] && [ -z "${MPIEXEC_FLAGS+set}" ] && [ "${QUARTET_BIND:-core}" != none ] &&
        ! has_other_hosts; then
        threads=$((cores / ranks))
    fi
fi

# True if each rank gets its own cores; on several hosts the batch system decides that.
binds_ranks() {
    [ "${QUARTET_BIND:-core}" != none ] || return 1
    has_other_hosts || { [ "$((ranks * threads))" -le "$cores" ] && [ "$allowed" -ge "$online" ]; }
}

open_mpi_flags() {
    has_other_hosts || printf '%s ' --oversubscribe
    if binds_ranks; then
        echo "--bind-to core --map-by slot:PE=$threads"
    else
        echo "--bind-to none"
    fi
}

# Hydra counts no slots, and binds only if it is told to.
hydra_flags() {
    ! binds_ranks || echo "-bind-to core:$threads"
}

# has_room FOLDER: true if a file that is not empty can be written there.
has_room() (
    file=$(mktemp "$1/quartet.XXXXXX" 2>/dev/null) || exit
    code=0
    { echo >"$file"; } 2>/dev/null || code=1
    rm -f "$file"
    exit $code
)

prepare_open_mpi() {
    # The kernel's routing tables are empty if no interface is up.
    if [ -r /proc/net/fib_trie ] && ! grep -qs . /proc/net/fib_trie /proc/net/if_inet6; then
        refuse 77 "no network interface is up (Open MPI needs one): ip link set lo up"
    fi
    # Without room it would exit with 1, as if a result were wrong. It makes a missing folder.
    folder=${OMPI_MCA_orte_tmpdir_base:-${TMPDIR:-/tmp}}
    if [ -d "$folder" ] && ! has_room "$folder"; then
        refuse 3 "nothing can be written to $folder, where Open MPI has its files: set TMPDIR to another folder"
    fi
    # With fewer open files it would hang: it has some itself, and pipes and sockets for each rank.
    files=$((32 + 5 * ranks))
    # shellcheck disable=SC3045 # every shell that is sh on Linux has it
    open=$(ulimit -n)
    case $open in
    unlimited | ???????*) ;;
    *) has_other_hosts || [ "$open" -ge "$files" ] ||
        refuse 3 "$open files may be open at a time (Open MPI needs $files for $ranks ranks): ulimit -n $files" ;;
    esac
    [ -n "${MPIEXEC_FLAGS+set}" ] || : "${OMPI_MCA_orte_execute_quiet:=1}"
    : "${OMPI_MCA_orte_execute_quiet:=0}" "${OMPI_MCA_btl_base_warn_component_unused:=0}"
    export OMPI_MCA_orte_execute_quiet OMPI_MCA_btl_base_warn_component_unused
    # It looks for ssh or rsh even if there are no other machines, and fails without.
    if ! command -v ssh >/dev/null && ! command -v rsh >/dev/null; then
        export OMPI_MCA_plm_rsh_agent="${OMPI_MCA_plm_rsh_agent-}"
    fi
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    # Unbound ranks may share a core with each other, or with other jobs.
    case $flags in
    *"--bind-to none"*)
        : "${OMPI_MCA_mpi_yield_when_idle:=1}"
        export OMPI_MCA_mpi_yield_when_idle
        ;;
    esac
}

# True if the site's configuration of Open MPI names hosts or network interfaces, outside of comments.
is_set_by_site() {
    info=$(dirname "$(command -v "$launcher")")/ompi_info
    folder=$("$info" --path sysconfdir 2>/dev/null || ompi_info --path sysconfdir 2>/dev/null) || folder=
    folder=${folder##*: }
    for folder in "$folder" "${OPAL_PREFIX:+$OPAL_PREFIX/etc}"; do
        [ -n "$folder" ] || continue
        if grep -qs '^[^#]*\(tcp_if_\|hostfile\)' "$folder/openmpi-mca-params.conf" ||
            grep -qs '^[[:space:]]*[^#[:space:]]' "$folder/openmpi-default-hostfile"; then
            return 0
        fi
    done
    return 1
}

# True if no setting says that ranks may be on other hosts, or which network to use.
is_local() {
    [ -z "${MPIEXEC_FLAGS-}${SLURM_JOB_ID-}${PBS_JOBID-}${LSB_JOBID-}${PE_HOSTFILE-}" ] &&
        [ -z "${FLUX_URI-}${OAR_NODEFILE-}${COBALT_NODEFILE-}" ] &&
        ! env | grep -q '^OMPI_MCA_\(btl_tcp_if\|oob_tcp_if\|orte_default_hostfile\|ras\)' &&
        ! grep -qs '^[^#]*\(tcp_if_\|hostfile\)' "${HOME:-/nowhere}/.openmpi/mca-params.conf" &&
        grep -qs '^0x.*[13579bdf]$' /sys/class/net/lo/flags && # it is up
        ! is_set_by_site
}

# Kills ranks that did not notice that their launcher was killed: they have this job's mark, their parents do not.
end_orphans() {
    mark=QUARTET_LAUNCHED=$QUARTET_LAUNCHED
    grep -lsF "$mark" /proc/[0-9]*/environ | while read -r rank; do
        rank=${rank%/environ}
        parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$rank/status" 2>/dev/null)
        if grep -qsF OMPI_COMM_WORLD_RANK= "$rank/environ" && ! grep -qsF "$mark" "/proc/$parent/environ"; then
            kill -s KILL "${rank#/proc/}" 2>/dev/null || :
        fi
    done
}

# Removes shared memory that killed jobs of Open MPI have left, of this user on this host: their mpiexec is dead,
# or a zombie, which has no exe, and no process maps it. A container's /dev/shm is small. The loops start no
# process for each session, since each killed job leaves one.
remove_leftovers() {
    user=$(id -u)
    host=$(uname -n)
    host=${host%%.*}
    dead=" " # job families
    sessions=${TMPDIR:-/tmp}/ompi.$host.$user
    [ -O "$sessions" ] && [ ! -L "$sessions" ] || return 0 # another user may have put a FIFO there
    for session in "$sessions"/pid.*; do
        if [ -f "$session/contact.txt" ] && [ ! -e "/proc/${session##*.}/exe" ]; then
            contact=
            { read -r contact <"$session/contact.txt"; } 2>/dev/null || :
            dead="$dead${contact%%.0;*} "
        fi
    done
    segments=/dev/shm/vader_segment.$host.$user.
    for segment in "$segments"*; do
        family=${segment#"$segments"}
        family=${family%%.*}
        case $family in
        '' | *[!0-9a-f]* | ?????????*) continue ;;
        esac
        case $dead in
        *" $((0x$family - 1)) "*)
            if [ -O "$segment" ] && ! grep -qsF "$segment" /proc/[0-9]*/maps; then
                rm -f "$segment"
            fi
            ;;
        esac
    done
}

flags=${MPIEXEC_FLAGS-}
version=$("$launcher" --version 2>/dev/null || :)
if printf '%s' "$version" | grep -qi 'open mpi\|openrte'; then
    is_open_mpi=1
    flags=${MPIEXEC_FLAGS-$(open_mpi_flags)}
    prepare_open_mpi
    if is_local; then
        export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
    fi
    remove_leftovers || :
elif printf '%s' "$version" | grep -q '^HYDRA build details'; then
    flags=${MPIEXEC_FLAGS-$(hydra_flags)}
fi
: "${OMP_NUM_THREADS:=$threads}"
export OMP_NUM_THREADS

# In its own process group the job gets each signal once, from this shell, and it ends if this shell is
# killed. Without Perl and setpriv a signal to the group ends the job at once.
apart=
if command -v perl >/dev/null && setpriv --pdeathsig TERM true 2>/dev/null; then
    # shellcheck disable=SC2016  # Perl's, not the shell's
    apart='setpgrp(0, 0); exec { $ARGV[0] } @ARGV or exit 127'
fi

exec 3<&0 # a shell gives background processes no standard input
# shellcheck disable=SC2086  # the flags are words
set -- "$launcher" -n "$ranks" $flags "$@"
[ -z "$apart" ] || set -- perl -e "$apart" setpriv --pdeathsig TERM "$@"
[ -z "$stopped_by" ] || finish "$((128 + stopped_by))" # nothing has begun
"$@" <&3 3<&- &
job=$!
if [ -n "$stopped_by" ] && [ -z "$sent" ]; then # the signal came before there was a job
    sleep 1 # before its exec the job would lose the signal
    sent=TERM
    kill -s TERM "$job" 2>/dev/null || :
fi
code=0
wait "$job" || code=$?
while kill -0 "$job" 2>/dev/null; do # a signal ends wait, not the job
    code=0
    wait "$job" || code=$?
done
if [ -n "$stopped_by" ]; then
    # Open MPI exits with 1 if it was ended; after USR1 alone, 1 is the ranks' code. 138 means that USR1 has
    # ended a rank, 143 that TERM has ended the launcher.
    case $code-$sent-${is_open_mpi:+open}-${apart:+apart} in
    1-USR1-open-apart) ;;
    1-* | 138-* | 143-*) code=$((128 + stopped_by)) ;;
    esac
fi
if [ "$code-${OMPI_MCA_orte_execute_quiet-}-$stopped_by" = 1-1- ]; then # Open MPI gives no reason for its own 1
    echo "launch.sh: wrong, or MPI did not start (OMPI_MCA_orte_execute_quiet=0 says why)" >&2 || :
fi
if [ "$code" -gt 128 ] && [ -n "$is_open_mpi" ]; then
    end_orphans || :
    remove_leftovers || :
fi
finish "$code"
