# shellcheck shell=sh
# For jobs on several hosts, to be read into a shell: . scripts/slurm/open_mpi.sh
#
# By default, a job of Open MPI waits many minutes after a link has failed, and ranks behind the link run
# on. With these settings it ends on both sides within ten seconds (exit code 205) if mpirun starts the
# ranks; a failure of up to five seconds does no harm. The user's own settings stay.
: "${OMPI_MCA_oob_tcp_keepalive_time:=3}"   # seconds of silence before the first probe
: "${OMPI_MCA_oob_tcp_keepalive_intvl:=1}"  # seconds between probes
: "${OMPI_MCA_oob_tcp_keepalive_probes:=3}" # probes without an answer until the link counts as dead
export OMPI_MCA_oob_tcp_keepalive_time OMPI_MCA_oob_tcp_keepalive_intvl \
    OMPI_MCA_oob_tcp_keepalive_probes
