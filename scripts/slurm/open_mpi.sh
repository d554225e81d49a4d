# shellcheck shell=sh
# For jobs on several hosts, to be read into a shell: . scripts/slurm/open_mpi.sh
#
# With Open MPI's own settings a job whose link dies waits for many minutes, and ranks that were cut
# off live on. These end it on both sides within ten seconds (exit code 205), where mpirun starts the
# ranks; a link that comes back within five does no harm. What the user has set stays.
: "${OMPI_MCA_oob_tcp_keepalive_time:=3}"   # seconds of silence before the first question
: "${OMPI_MCA_oob_tcp_keepalive_intvl:=1}"  # seconds between questions
: "${OMPI_MCA_oob_tcp_keepalive_probes:=3}" # questions without an answer that are enough
export OMPI_MCA_oob_tcp_keepalive_time OMPI_MCA_oob_tcp_keepalive_intvl \
    OMPI_MCA_oob_tcp_keepalive_probes
