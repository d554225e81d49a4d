#!/bin/bash
# batch.sh PROGRAM [ARGUMENTS...]: for batch scripts: runs start.sh, then records or requeues.
#
# Slurm sends this shell USR1 before the time limit (#SBATCH --signal=B:USR1@...). The shell passes it on if
# the program saves checkpoints (--checkpoint DIR, also in a --config file); that then saves one and exits with
# 75. The job is requeued, and continues from the checkpoint (--restart), as it does after a node has failed.
# TERM, INT and HUP end every program by TERM; a job that is cancelled is not requeued.
#
# QUARTET_EXIT_CODE_FILE  gets exit code and seconds when the job has ended (for quartet sweep)
set -u
here=$(dirname "$0")
STOPPED=75

# value_of NAME ARGUMENTS...: the value of the last --NAME VALUE or --NAME=VALUE.
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

# set_in NAME FILE: the value of the first NAME = "VALUE" in a file for --config. Unlike the programs, this does
# not read backslashes in double quotes, texts of several lines, or dotted names.
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
    # Files of the interrupted run are replaced.
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
# USR1 is only a warning: a program without checkpoints may still end in time.
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

# Without checkpoints the job would begin anew, and be stopped again. A TERM without a warning is from scancel.
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
# For a job that was cancelled, or ran out of time, Slurm's state says more than an exit code.
[ -z "$is_ended" ] || exit "$code"
leave_exit_code "$code"
