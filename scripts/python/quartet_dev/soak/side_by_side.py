"""Rounds side by side: workers that share nothing but the machine. Each is a process with a folder, a /dev/shm
and disks of its own, and takes every so many-th round."""

import ctypes
import itertools
import multiprocessing
import os
import pickle
import shutil
import signal
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Iterable, Union

from quartet.exit_codes import FAILED, ScriptError
from quartet_dev.soak import loop, shared_memory
from quartet_dev.soak.loop import Record, Setting

PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def rounds(setting: Setting, numbers: Iterable[int], stop_at: float, jobs: int) -> Record:
    """As loop.rounds() does them, by so many workers. Raises ScriptError if one of them ends without its record."""
    if jobs == 1:
        return loop.rounds(setting, numbers, stop_at)
    begin, interrupted = time.monotonic(), False
    folders = [setting.folder / f"worker-{place}" for place in range(jobs)]
    workers = [multiprocessing.get_context("fork").Process(
        target=_work, args=(replace(setting, folder=folder), itertools.islice(numbers, place, None, jobs), stop_at))
        for place, folder in enumerate(folders)]
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    except KeyboardInterrupt:
        interrupted = True
    try:
        for worker in workers:
            if worker.pid:
                worker.terminate()  # asks one that is not done
                worker.join()
        return _together([_record_of(folder) for folder in folders], time.monotonic() - begin, interrupted)
    finally:
        shutil.rmtree(setting.folder, ignore_errors=True)


def _file(folder: Path) -> Path:
    return folder.with_suffix(".record")


def _work(setting: Setting, numbers: Iterable[int], stop_at: float) -> None:
    """A worker's life. A terminal's signals are its parent's business; it ends with that."""
    answer: Union[Record, str]
    try:
        os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        why = "" if setting.why_no_mounts else shared_memory.have_own()
        if why:
            raise ScriptError(why)
        setting.folder.mkdir()
        answer = loop.rounds(setting, numbers, stop_at)
    except KeyboardInterrupt:
        answer = Record(interrupted=True)
    except (ScriptError, OSError) as error:
        answer = str(error)
    _file(setting.folder).write_bytes(pickle.dumps(answer))


def _record_of(folder: Path) -> Record:
    answer: Union[Record, str]
    try:
        answer = pickle.loads(_file(folder).read_bytes())
    except (OSError, EOFError):
        answer = "it was killed"
    if isinstance(answer, str):
        raise ScriptError(f"a worker has ended without its record ({answer}): try --jobs 1", FAILED)
    return answer


def _together(records: list[Record], seconds: float, interrupted: bool) -> Record:
    whole = Record(seconds=seconds, interrupted=interrupted)
    for record in records:
        whole.rounds.update(record.rounds)
        for kind, counts in record.counts.items():
            whole.counts.setdefault(kind, Counter()).update(counts)
        whole.failures += record.failures
        whole.interrupted = whole.interrupted or record.interrupted
    whole.failures.sort(key=lambda failure: failure.number)
    return whole
