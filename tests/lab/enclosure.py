"""Namespaces around a test: whatever it starts, mounts or writes ends with it, even if it is killed.

The test goes on as a child in PID, mount, network, host-name and IPC namespaces of its own. The
kernel ends all processes of a PID namespace with its first one, that one with its parent, and the
other namespaces, the scratch folder (a tmpfs) included, with their last process."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMESPACES = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net", "--uts", "--ipc"]
# What the tests do inside; on a kernel or in a container without it they cannot be run.
PROBE = """mount -t tmpfs tmpfs "$0" && ip link set lo up && ip link add switch type bridge &&
ip link add one type veth peer name other &&
tc qdisc add dev one root tbf rate 1mbit burst 9kb limit 9kb"""


def scratch() -> Path:
    """The folder that is the enclosed test's alone: its hosts share it, as they would a file server."""
    return next(folder for folder in map(Path, ("/mnt", "/media", "/srv"))
                if folder.is_dir() and folder not in ROOT.parents)


def enclose(*commands: str) -> None:
    """Goes on in the enclosure; where that cannot be, or one of the commands is not there, the
    program ends and says why it is skipped."""
    if "QUARTET_ENCLOSED" in os.environ:
        _furnish()
        return
    reason = _obstacle(commands)
    if reason:
        print(f"skipped: {reason}")
        sys.exit()
    # The first process of a PID namespace must collect orphans, which a shell does.
    os.environ["QUARTET_ENCLOSED"] = "1"
    os.execvp(NAMESPACES[0], [*NAMESPACES, "bash", "-c", '"$@"; exit $?', "lab", sys.executable, "-B", *sys.argv])


def _obstacle(commands: tuple[str, ...]) -> str:
    if os.geteuid() != 0:
        return "hosts of one's own are for root"
    for command in ("unshare", "nsenter", "ip", "tc", *commands):
        if shutil.which(command) is None:
            return f"there is no {command} (scripts/setup.sh lab installs it)"
    done = subprocess.run([*NAMESPACES, "sh", "-c", PROBE, str(scratch())], capture_output=True, text=True, check=False)
    return " ".join(f"no namespaces here: {done.stderr}".split()) if done.returncode else ""


def _furnish() -> None:
    for folder in (scratch(), Path("/dev/shm")):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.environ["TMPDIR"] = str(scratch())
