#!/bin/bash
# batch.sh PROGRAM [ARGUMENTS...]: what a batch script runs: start.sh, and what becomes of its end.
#
# Slurm sends this shell USR1 before the time limit (#SBATCH --signal=B:USR1@...); it passes it on to
# a program that saves a checkpoint then (--checkpoint DIR, also of a --config file). That ends with exit
# code 75: the job is requeued, and goes on from there (--restart), as it does when a node has failed
# under it. TERM, INT and HUP end every program by TERM; a job that is cancelled is not requeued.
#
# QUARTET_EXIT_CODE_FILE  where exit code and seconds are left when the job has ended (for quartet sweep)
set -u
here=$(dirname "$0")
STOPPED=75

# value_of NAME ARGUMENTS...: of the last --NAME VALUE or --NAME=VALUE.
value_of() {
    local flag=--$1 value=
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        "$flag="*) value=${1#*=} ;;
        "$flag") value=${2-} ;;
        esac
        shift
    done
    printf '%s' "$value"
}

# set_in NAME FILE: the value of NAME = "VALUE" in a file for --config, the first one. Backslashes in
# double quotes, texts of several lines and dotted names are not read as the programs read them.
set_in() {
    local line value head="^[[:space:]]*$1[[:space:]]*=[[:space:]]*"
    [ -f "$2" ] || return 0
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line =~ $head(.*)$ ]] || continue
        value=${BASH_REMATCH[1]}
        case $value in
        \"*) value=${value#\"} value=${value%%\"*} ;;
        \'*) value=${value#\'} value=${value%%\'*} ;;
        *) value=${value%%#*} value=${value%"${value##*[![:space:]]}"} ;;
        esac
        printf '%s' "$value"
        return 0
    done <"$2"
}

checkpoints_of() {
    local folder
    folder=$(value_of checkpoint "$@")
    [ -n "$folder" ] || folder=$(set_in checkpoint "$(value_of config "$@")")
    printf '%s' "$folder"
}

has_restart() {
    local word
    for word in "$@"; do
        case $word in --restart | --restart=*) return 0 ;; esac
    done
    case $(set_in restart "$(value_of config "$@")") in
    '' | false | off | no | 0) return 1 ;;
    esac
}

has_checkpoints() {
    local found
    for found in "$1"/iteration-*; do # the folder's name is no pattern
        [ -e "$found" ] && return 0
    done
    return 1
}

leave_exit_code() {
    local file=${QUARTET_EXIT_CODE_FILE-}
    if [ -n "$file" ]; then
        echo "$1 $SECONDS" >"$file.tmp" && mv "$file.tmp" "$file"
    fi
    exit "$1"
}

arguments=("$@")
checkpoints=$(checkpoints_of "$@")
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
    # What the interrupted run has left is replaced.
    arguments+=(--force)
    if [ -n "$checkpoints" ] && ! has_restart "$@" && has_checkpoints "$checkpoints"; then
        arguments+=(--restart)
    fi
fi

step=
is_warned= # of the time limit
is_ended=  # from outside
# shellcheck disable=SC2317  # the traps call it
pass_on() {
    [ -z "$step" ] || kill -s "$1" "$step"
}
# USR1 is no more than a warning: what saves no checkpoint may end in time.
trap 'is_warned=1; [ -z "$checkpoints" ] || pass_on USR1' USR1
trap 'is_ended=1; pass_on TERM' TERM INT HUP
"$here/start.sh" "${arguments[@]}" &
step=$!
wait "$step"
code=$?
while kill -0 "$step" 2>/dev/null; do # a signal ends wait, not the program
    wait "$step"
    code=$?
done

# Without a checkpoint it would begin anew, and be stopped again. A TERM without a warning is scancel's.
if [ "$code" = "$STOPPED" ] && [ -n "${SLURM_JOB_ID-}" ] && [ -n "$checkpoints" ] &&
    { [ -z "$is_ended" ] || [ -n "$is_warned" ]; }; then
    trap - TERM INT HUP # Slurm ends this shell as it requeues the job
    job=$SLURM_JOB_ID
    [ -z "${SLURM_ARRAY_JOB_ID-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    if scontrol requeue "$job"; then
        sleep 60
    fi
    echo "batch.sh: the job could not be requeued: submit it again, with --restart" >&2
fi
# Of a job that was cancelled, or ran out of time, Slurm knows more than its exit code.
[ -z "$is_ended" ] || exit "$code"
leave_exit_code "$code"
