"""Answers of scontrol, sinfo and srun as three versions of Slurm print them, and programs that give them."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recorded:
    nodes: str  # scontrol -o show node
    settings: str  # scontrol show config
    partitions: str  # sinfo -h -o %P
    mpi: str  # srun --mpi=list
    mpi_on_errors: bool = False

    def install(self, folder: Path) -> dict[str, str]:
        """Makes the programs in a folder; an environment in which they come first."""
        to = " >&2" if self.mpi_on_errors else ""
        self._script(folder / "scontrol", f"case \"$*\" in *node*) {_tell(self.nodes)};; *) {_tell(self.settings)};; esac")
        self._script(folder / "sinfo", _tell(self.partitions))
        self._script(folder / "srun", _tell(self.mpi) + to)
        return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}

    @staticmethod
    def _script(file: Path, line: str) -> None:
        file.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        file.chmod(0o755)


def _tell(text: str) -> str:
    return f"printf %s {shlex.quote(text)}"


def node_22(name, sockets=2, cores=64, threads=2, gres="(null)", features="(null)", partitions="main", spec=""):
    cpus = sockets * cores * threads
    return (f"NodeName={name} Arch=x86_64 CoresPerSocket={cores}  CPUAlloc=0 CPUEfctv={cpus} CPUTot={cpus} CPULoad=0.02 "
            f"AvailableFeatures={features} ActiveFeatures={features} Gres={gres} NodeAddr={name} NodeHostName={name} "
            f"Version=22.05.8 OS=Linux 5.14.0-362.el9.x86_64 #1 SMP PREEMPT_DYNAMIC  RealMemory=515000 "
            f"AllocMem=0 FreeMem=501234 Sockets={sockets} Boards=1 {spec}State=IDLE ThreadsPerCore={threads} TmpDisk=0 "
            f"Weight=1 Owner=N/A MCS_label=N/A Partitions={partitions}  BootTime=2026-01-02T03:04:05 "
            "SlurmdStartTime=2026-01-02T03:05:06 LastBusyTime=2026-02-01T00:00:00 CfgTRES=cpu=256,mem=515000M,billing=256 "
            "AllocTRES= CapWatts=n/a CurrentWatts=0 AveWatts=0 ExtSensorsJoules=n/s ExtSensorsWatts=0 "
            "ExtSensorsTemp=n/s\n")


def node_23(name, sockets=2, cores=32, threads=1, gres="(null)", features="(null)", partitions="main"):
    cpus = sockets * cores * threads
    return (f"NodeName={name} Arch=x86_64 CoresPerSocket={cores}  CPUAlloc={cpus} CPUEfctv={cpus} CPUTot={cpus} "
            f"CPULoad=63.97 AvailableFeatures={features} ActiveFeatures={features} Gres={gres} NodeAddr={name}.cluster "
            f"NodeHostName={name} Version=23.11.4 OS=Linux 4.18.0-513.el8.x86_64 #1 SMP Thu Dec 21 08:00:00 UTC 2023  "
            f"RealMemory=257000 AllocMem=257000 FreeMem=93456 Sockets={sockets} Boards=1 State=ALLOCATED+MAINTENANCE "
            f"ThreadsPerCore={threads} TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A Partitions={partitions}  "
            "BootTime=2026-01-02T03:04:05 SlurmdStartTime=2026-01-02T03:05:06 LastBusyTime=2026-02-01T00:00:00 "
            "ResumeAfterTime=None CfgTRES=cpu=64,mem=257000M,billing=64,gres/gpu=4 AllocTRES=cpu=64,mem=257000M "
            "CapWatts=n/a CurrentWatts=0 AveWatts=0 ExtSensorsJoules=n/a ExtSensorsWatts=0 ExtSensorsTemp=n/a "
            "ReservationName=next_month\n")


def node_24(name, sockets=2, cores=48, threads=2, gres="", features="", partitions="main", state="IDLE"):
    cpus = sockets * cores * threads
    optional = f"Gres={gres} " if gres else "Gres=(null) "
    known = features or "(null)"
    return (f"NodeName={name} Arch=aarch64 CoresPerSocket={cores}  CPUAlloc=0 CPUEfctv={cpus - 4} CPUTot={cpus} "
            f"CPULoad=0.00 AvailableFeatures={known} ActiveFeatures={known} {optional}NodeAddr={name} "
            f"NodeHostName={name} Version=24.05.3 OS=Linux 6.8.0-45-generic #45-Ubuntu SMP  RealMemory=773000 "
            f"AllocMem=0 FreeMem=760000 Sockets={sockets} Boards=1 CoreSpecCount=2 CPUSpecList=188-191 "
            f"MemSpecLimit=4096 State={state} ThreadsPerCore={threads} TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A "
            f"Partitions={partitions}  BootTime=2026-01-02T03:04:05 SlurmdStartTime=2026-01-02T03:05:06 "
            "LastBusyTime=2026-02-01T00:00:00 ResumeAfterTime=None CfgTRES=cpu=188,mem=773000M,billing=188 AllocTRES=  "
            "CurrentWatts=0 AveWatts=0 Comment=replaced board, Sockets=1 until then Extra=rack4\n")


def settings(name, version, selects="select/cons_tres", mpi="none"):
    return (f"Configuration data as of 2026-02-03T04:05:06\nAccountingStorageEnforce = associations,limits\n"
            f"ClusterName             = {name}\nDefMemPerNode           = UNLIMITED\nMpiDefault              = {mpi}\n"
            f"SelectType              = {selects}\nSLURM_VERSION           = {version}\nTaskPlugin              = "
            "task/affinity,task/cgroup\n\nMPI Plugins Configuration:\nPMIxTimeout             = 300\n\n"
            f"Slurmctld(primary) at head is UP\n")


A100 = "gpu:a100:4(S:0-1)"

# Four plain nodes and two with GPUs in the default partition; partitions overlap; pmix is the site's default.
SLURM_22 = Recorded(
    "".join([*(node_22(f"n{number}", features="zen3,ib", partitions="main,short") for number in (1, 2, 3, 7)),
             *(node_22(f"g{number}", gres=f"{A100},nic:2", features="zen3,ib,a100", partitions="main,gpu")
               for number in (1, 2))]),
    settings("aurora", "22.05.8", mpi="pmix"), "main*\nshort\ngpu\n",
    "MPI plugin types are...\n\tpmix\n\tnone\n\tcray_shasta\n\tpmi2\n"
    "specific pmix plugin versions available: pmix_v3,pmix_v4\n")

# No default partition; two types of GPUs; GPUs can only be asked for as generic resources.
SLURM_23 = Recorded(
    "".join([*(node_23(f"v{number:03}", gres="gpu:v100:2(S:0),gpu:v100:2(S:1)", partitions="volta") for number in range(1, 4)),
             node_23("k001", cores=12, gres="gpu:k80:4", partitions="kepler"),
             node_23("c1-n09", cores=16, partitions="all"), node_23("c1-n10", cores=16, partitions="all"),
             node_23("fat", sockets=4, cores=16, features="bigmem", partitions="all")]),
    settings("beskow", "23.11.4", "select/cons_res"), "volta\nkepler\nall\n",
    "MPI plugin types are...\n\tnone\n\tpmi2\n\tcray_shasta\n")

# Cores that are kept for the system; a GPU in slices; no plugin for MPI but none, listed as long ago.
SLURM_24 = Recorded("".join([*(node_24(f"arm{number}") for number in (8, 9, 10, 11)),
             node_24("mig", gres="gpu:1g.10gb:7,shard:4", features="mig", state="IDLE+DRAIN")]),
    settings("tetralith", "24.05.3"), "main*\n", "srun: MPI types are...\nsrun: none\n", mpi_on_errors=True)
