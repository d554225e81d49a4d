"""Mounts of the soak's own: a /dev/shm that no other job uses, and disks that are soon full.

They live in a mount namespace and end with it, however this process ends."""

import contextlib
import ctypes
import os
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

from quartet.exit_codes import ScriptError

FOLDER = Path("/dev/shm")
CLONE_NEWNS = 0x00020000  # <sched.h>
SIZE = "2g"


def entries() -> set[str]:
    """Lists this user's entries of /dev/shm."""
    with contextlib.suppress(OSError), os.scandir(FOLDER) as found:
        return {entry.name for entry in found if _is_ours(entry)}
    return set()


def _is_ours(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    except OSError:
        return False  # gone meanwhile


def _mount(*words: str) -> bool:
    return subprocess.run(["mount", *words], stderr=subprocess.DEVNULL, check=False).returncode == 0


def have_own() -> str:
    """Gives this process a /dev/shm of its own. Why it cannot; empty if it could. To be called
    before there are threads."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return "mounting is for root"
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        return f"no mounts of one's own here ({os.strerror(ctypes.get_errno())})"
    # Otherwise other namespaces would see what is mounted here.
    if not _mount("--make-rprivate", "/") or not _mount("-t", "tmpfs", "-o", f"size={SIZE}", "none", str(FOLDER)):
        return "nothing can be mounted here"
    return ""


@contextlib.contextmanager
def of_size(size: str) -> Iterator[None]:
    """Gives /dev/shm that size for a while. Only after have_own()."""
    _resize(size)
    try:
        yield
    finally:
        _resize(SIZE)


def _resize(size: str) -> None:
    if not _mount("-o", f"remount,size={size}", str(FOLDER)):
        raise ScriptError(f"{FOLDER} cannot be given {size}: leave that out with --only")


@contextlib.contextmanager
def disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size at `folder`, which is made."""
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder)):
        raise ScriptError(f"{folder}: nothing can be mounted there: leave that out with --only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
