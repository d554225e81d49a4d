"""A Slurm on the hosts of hosts.py: slurmctld on the head, a slurmd on each node, and munge, all
ended with the enclosure. It starts in a second."""

import os
import subprocess
import time
import unittest

from enclosure import scratch
from hosts import NETWORK, Hosts, wait_for

NODES, CORES, GPUS = 3, 4, 2  # of each node; the GPUs are pretended, and nothing binds to the cores
FIRST_PORT = 17000
SECONDS_TO_START = 30
SECONDS_FOR_A_JOB = 120
SECONDS_HELD = 2.5  # a job that was requeued
# Quick reactions for tests; nothing that needs cgroups, which a container does not have.
SETTINGS = """
ClusterName=lab
SlurmctldHost=head({head})
SlurmUser=root
SlurmdUser=root
SlurmctldPort={port}
SrunPortRange={srun_port}-{last_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=8
TCPTimeout=1
MessageTimeout=5
KillWait=3
MinJobAge=300
JobRequeue=1
EnforcePartLimits=ANY
"""


class Cluster:
    """Raises AssertionError, with the logs, where it does not come up."""

    def __init__(self, nodes: int = NODES, settings: str = ""):
        self._settings = settings  # lines of slurm.conf
        self.hosts = Hosts(nodes)
        self._count = nodes
        self.folder = scratch() / "slurm"
        self.configuration = self.folder / "slurm.conf"
        self._held: dict[str, float] = {}
        self._daemons: dict[str, subprocess.Popen] = {}
        self.folder.mkdir()
        self._configure()
        self._start_munge()
        self._start("head", "slurmctld", "-D", "-c")
        for host in self.hosts.nodes:
            self.start_node(host.name)
        try:
            wait_for(lambda: self.nodes_in("idle") == self._count, SECONDS_TO_START, "Slurm does not come up")
        except AssertionError:
            for log in self.folder.glob("*.log"):
                print(log, log.read_text()[-2000:], sep="\n")
            raise

    @property
    def environment(self) -> dict[str, str]:
        """For whoever speaks with it. The nodes' cores are pretended: nothing may be bound to them."""
        return {**os.environ, "SLURM_CONF": str(self.configuration), "OMPI_ALLOW_RUN_AS_ROOT": "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
                "OMPI_MCA_btl_tcp_if_include": f"{NETWORK}.0/24",
                "OMPI_MCA_oob_tcp_if_include": f"{NETWORK}.0/24",
                "OMP_PROC_BIND": "false"}

    def run(self, *words, environment=None, **how) -> subprocess.CompletedProcess:
        """Runs a command on the head."""
        return self.hosts.head.run(*words, env={**self.environment, **(environment or {})}, **how)

    def must(self, *words, **how) -> str:
        done = self.run(*words, **how)
        assert done.returncode == 0, (words, done)
        return done.stdout.strip()

    def submit(self, *words, **how) -> str:
        """sbatch; the job's number."""
        return self.must("sbatch", "--parsable", *words, **how)

    def wait(self, *jobs: str, seconds: float = SECONDS_FOR_A_JOB) -> None:
        """Until the jobs have ended."""
        wait_for(lambda: not self._queued(*jobs), seconds, f"{jobs} did not end: {self._queued()}")

    def is_running(self, job: str) -> bool:
        return any(line.startswith(f"{job} RUNNING") for line in self._queued(job))

    def _queued(self, *jobs: str) -> list[str]:
        lines = self.must("squeue", "-h", "-o", "%F %T %r").splitlines()
        for line in lines:
            # A requeued job is held for two minutes. Right away its nodes would still refuse it.
            if line.endswith("BeginTime"):
                job = line.split()[0]
                since = self._held.setdefault(job, time.monotonic())
                if time.monotonic() - since > SECONDS_HELD:
                    del self._held[job]
                    self.run("scontrol", "update", f"JobId={job}", "StartTime=now")
        return [line for line in lines if not jobs or line.split()[0] in jobs]

    def facts(self, job: str) -> dict[str, str]:
        """What scontrol says of a job, that has ended too."""
        words = self.must("scontrol", "-o", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def nodes_in(self, state: str) -> int:
        done = self.run("sinfo", "-h", "-t", state, "-o", "%D")
        return sum(map(int, done.stdout.split())) if done.returncode == 0 else 0

    def start_node(self, name: str) -> None:
        for kind in ("spool", "tmp"):
            (self.folder / f"{kind}.{name}").mkdir(exist_ok=True)
        self._start(name, "slurmd", "-D", "-N", name)

    def crash(self, name: str) -> None:
        """The node and all that runs on it is gone at once."""
        self.hosts.crash(name)
        self._daemons[name].wait()

    def repair(self, name: str) -> None:
        self.hosts.boot(name)
        self.start_node(name)
        wait_for(lambda: self.nodes_in("idle") == self._count, SECONDS_TO_START, f"{name} does not come back")

    def close(self) -> None:
        self.hosts.close()
        for daemon in self._daemons.values():
            daemon.wait()

    def _start(self, name: str, *words: str) -> None:
        with open(self.folder / f"{name}.out", "ab") as output:
            self._daemons[name] = subprocess.Popen(
                self.hosts[name].command(*words), env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True)

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        # --force: as root, from a folder of our own.
        self.must("munged", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                  f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                  f"--seed-file={self.folder}/munge.seed", "--num-threads=2")

    def _configure(self) -> None:
        lines = [SETTINGS.format(head=self.hosts.head.address, folder=self.folder, port=FIRST_PORT,
                                 srun_port=FIRST_PORT + 100, last_port=FIRST_PORT + 300)]
        for number, host in enumerate(self.hosts.nodes, 1):
            lines.append(f"NodeName={host.name} NodeAddr={host.address} Port={FIRST_PORT + number} "
                         f"CPUs={CORES} Sockets=1 CoresPerSocket={CORES} ThreadsPerCore=1 "
                         f"RealMemory=1000 Gres=gpu:{GPUS} State=UNKNOWN\n")
        lines.append(f"PartitionName=main Nodes=n[1-{self._count}] Default=YES MaxTime=INFINITE State=UP\n")
        lines.append(self._settings)
        (self.folder / "state").mkdir()
        self.configuration.write_text("".join(lines))
        # A GPU needs a device of its own; the number that it ends in is the one that jobs see.
        devices = self.folder / "dev"
        devices.mkdir()
        lines = []
        for number in range(GPUS):
            os.mknod(devices / f"gpu{number}", 0o666 | 0o020000, os.makedev(1, 3))
            lines.append(f"NodeName=n[1-{self._count}] Name=gpu File={devices}/gpu{number}\n")
        (self.folder / "gres.conf").write_text("".join(lines))


def setUpModule():
    """For modules of tests on a cluster: all of a module's have one."""
    ClusterTest.cluster = Cluster()
    unittest.addModuleCleanup(ClusterTest.cluster.close)


class ClusterTest(unittest.TestCase):
    cluster = None

    def setUp(self):
        self.folder = scratch() / self.id()
        self.folder.mkdir()
