#!/bin/sh
# agent.sh HOST COMMAND...: runs a command on a host of hosts.py, as ssh would: Open MPI's
# plm_rsh_agent.
host=$1
shift
exec nsenter -t "$(cat "$TMPDIR/$host.pid")" --net --uts --ipc --mount -- sh -c "$*"
