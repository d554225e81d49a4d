"""What the node that this process runs on has, by its own word."""

from pathlib import Path

from quartet.machine import Machine
from quartet.slurm.site import Kind


def kind_of_this_node(root: Path = Path("/")) -> Kind:
    """All of the node, whatever a job's share is. `root` is where proc/ and sys/ are."""
    cpus = [cpu for cpu in (_topology(file) for file in sorted((root / "sys/devices/system/cpu").glob("cpu[0-9]*")))
            if cpu]
    gpus = len(list((root / "proc/driver/nvidia/gpus").glob("*")))
    if not cpus:
        return Kind(1, Machine.here().cores, 1, (("", gpus),) if gpus else ())
    cores = {siblings for _, siblings in cpus}
    return Kind(len({package for package, _ in cpus}), len(cores), len(cpus) // len(cores),
                (("", gpus),) if gpus else ())


def _topology(cpu: Path) -> tuple[str, ...]:
    """A hardware thread's socket and core; nothing of one that is off."""
    try:
        return tuple((cpu / "topology" / name).read_text(encoding="ascii").strip()
                     for name in ("physical_package_id", "thread_siblings_list"))
    except OSError:
        return ()
