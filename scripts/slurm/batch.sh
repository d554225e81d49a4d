#!/bin/bash
# batch.sh PROGRAM [ARGUMENTS...]: what a batch script runs: start.sh, and what becomes of its end.
#
# Slurm sends this shell USR1 before the time limit (#SBATCH --signal=B:USR1@...); it passes it on to
# the program. One that saves a checkpoint then (cg --checkpoint DIR) ends with exit code 75: the job
# is requeued, and goes on from there (--restart), as it does when a node has failed under it.
#
# QUARTET_EXIT_CODE_FILE  where exit code and seconds are left when the job has ended (for sweep.py)
set -u
here=$(dirname "$0")
STOPPED=75

checkpoints_of() {
    while [ $# -gt 1 ]; do
        [ "$1" = --checkpoint ] && echo "$2"
        shift
    done
}

leave_exit_code() {
    local file=${QUARTET_EXIT_CODE_FILE-}
    if [ -n "$file" ]; then
        echo "$1 $SECONDS" >"$file.tmp" && mv "$file.tmp" "$file"
    fi
    exit "$1"
}

arguments=("$@")
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
    # What the interrupted run has left is replaced.
    arguments+=(--force)
    folder=$(checkpoints_of "$@")
    case " $* " in *" --restart "*) folder= ;; esac
    if [ -n "$folder" ] && compgen -G "$folder/iteration-*" >/dev/null; then
        arguments+=(--restart)
    fi
fi

step=
# shellcheck disable=SC2317  # the trap calls it
pass_on() { # what saves no checkpoint would merely die of it
    if [ -n "$step" ] && [ -n "$(checkpoints_of "${arguments[@]}")" ]; then
        kill -USR1 "$step"
    fi
}
trap pass_on USR1
"$here/start.sh" "${arguments[@]}" &
step=$!
wait "$step"
code=$?
while kill -0 "$step" 2>/dev/null; do # a signal ends wait, not the program
    wait "$step"
    code=$?
done

if [ "$code" = "$STOPPED" ] && [ -n "${SLURM_JOB_ID-}" ]; then
    job=$SLURM_JOB_ID
    [ -z "${SLURM_ARRAY_JOB_ID-}" ] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
    if scontrol requeue "$job"; then
        sleep 60 # Slurm ends this shell meanwhile
    fi
    echo "batch.sh: the job could not be requeued: submit it again, with --restart" >&2
fi
leave_exit_code "$code"
