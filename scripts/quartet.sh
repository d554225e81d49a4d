#!/bin/sh
# quartet COMMAND [ARGUMENTS...]: every script by one command, here and where it is installed. Programs
# need no path: `quartet launch 2 cg`. `quartet help` lists the commands.
#
# QUARTET_PYTHON  the Python to take (else the first of 3.9 or newer on PATH)
set -u
here=$(dirname "$(readlink -f "$0")")
programs=$here/../build/host-release/bin
[ -f "$here/../CMakeLists.txt" ] || programs=$(readlink -f "$here/../../../bin")

commands='
run            measures with every program on this machine, ends with a verdict
check-machine  says whether this machine is fit to be measured
launch         runs one program: quartet launch RANKS PROGRAM [ARGUMENTS...]
start          the same over the nodes of a Slurm job, whose options it knows
table          shows documents as a table, Markdown, CSV
compare        compares results: before and after, with references, with published numbers
sweep          runs programs over sizes, ranks, nodes, formulations; in Slurm jobs, too
report         makes one page of results, with charts
plot-trace     draws the timeline that --trace left
limits         says how near kernels are to their limits, and how far ahead of their peers
peers          runs the same data flows by TensorFlow beside ours
cost           measures time and memory against size
tiles          cuts large arrays of your own into files that programs take
submit         submits one job to Slurm
nodes          finds slow nodes of a cluster
predict        computes what any number of ranks should give
simulate       runs programs on simulated ranks of a described machine (where they are built for it)
soak           disturbs small jobs, and looks for what is lost or left
'

refuse() { # control characters move no cursor, and backslashes are no escapes, as they are for dash's echo
    printf '%s' "quartet: $1" | LC_ALL=C tr '[:cntrl:]' '?' >&2
    echo >&2
    exit 2
}

help() {
    echo 'usage: quartet COMMAND [ARGUMENTS...]'
    echo "$commands"
    echo 'quartet COMMAND --help explains one of them; PROGRAM --help the programs.'
}

# Reads from standard input, so that troff sees what it must not take for its own.
man_page() {
    cat <<'PAGE'
.TH QUARTET 1 "" "Quartet"
.SH NAME
quartet \- measures MPI kernels beside the limits of the machine
.SH SYNOPSIS
.B quartet
.I COMMAND
.RI [ ARGUMENTS ...]
.SH COMMANDS
.nf
PAGE
    echo "$commands" | sed -e '/^$/d' -e 's/-/\\-/g'
    cat <<'PAGE'
.fi
.PP
.B quartet
.I COMMAND
.B \-\-help
explains one of them.
.SH EXIT STATUS
0 verified, 1 a wrong result or a slower one, 2 bad usage, 3 failed, 4 undecided, 75 stopped,
77 not available here.
PAGE
}

completions() {
    cat <<'SCRIPT'
_quartet() {
    local word=${COMP_WORDS[COMP_CWORD]} offers
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        offers=$("${COMP_WORDS[0]}" help 2>/dev/null | sed -n 's/^\([a-z-]*\)  .*/\1/p')
    elif [ "${word#-}" != "$word" ]; then
        offers=$("${COMP_WORDS[0]}" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    fi
    mapfile -t COMPREPLY < <(compgen -W "$offers" -- "$word")
}
complete -o default -F _quartet quartet
SCRIPT
}

version() {
    if [ -f "$here/../version" ]; then
        echo "quartet $(cat "$here/../version")"
    else
        echo "quartet $(sed -n 's/^project(quartet VERSION \([0-9.]*\).*/\1/p' "$here/../CMakeLists.txt")"
    fi
}

# The first Python that is new enough; sites' own are often older than their modules'.
find_python() {
    for python in ${QUARTET_PYTHON:+"$QUARTET_PYTHON"} python3 python3.13 python3.12 python3.11 python3.10 \
        python3.9 /usr/bin/python3; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then return 0; fi
    done
    refuse "no Python of 3.9 or newer on PATH: load a module with one, or name it by QUARTET_PYTHON"
}

[ $# -gt 0 ] || {
    help >&2
    exit 2
}
command=$1
shift
case $command in
help | -h | --help)
    help
    exit
    ;;
--version)
    version
    exit
    ;;
--manual)
    case ${1-} in
    man) man_page ;;
    bash) completions ;;
    *) refuse "--manual '${1-}' (not man or bash): name one of them" ;;
    esac
    exit
    ;;
*[!a-z-]* | '') refuse "no command is called '$command': see quartet help" ;;
esac
script=$here/$(echo "$command" | tr - _)
[ "$command" != start ] || script=$here/slurm/start
[ ! -d "$programs" ] || PATH=$programs:$PATH
export PATH
if [ -f "$script.sh" ] && [ "$command" != quartet ]; then
    exec "$script.sh" "$@"
fi
[ -f "$script.py" ] || refuse "no command is called '$command': see quartet help"
find_python
QUARTET_COMMAND=1 exec "$python" -B "$script.py" "$@"
