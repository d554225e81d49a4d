"""What a soak has found, in at most twenty lines."""

from dataclasses import asdict
from typing import Any

from quartet.exit_codes import FAILED, STOPPED, VERIFIED
from quartet.terminal import printable
from quartet.text import counted
from quartet_dev.soak.loop import Record, Setting

MOST_SHOWN = 4  # failures, of two lines each
LONGEST = 400  # characters


def _shown(text: str) -> str:
    line = printable(" ".join(text.split()))
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} .."


def lines(setting: Setting, record: Record) -> list[str]:
    """By kind, and the first failures."""
    found = []
    for kind in setting.kinds:
        done = ", ".join(f"{count} {what}" for what, count in sorted(record.counts.get(kind.name, {}).items())
                         if count)
        failed = sum(failure.kind == kind.name for failure in record.failures)
        found.append(f"{kind.name:8} {counted(record.rounds[kind.name], 'round'):>11}  "
                     f"{str(failed) if failed else 'none':>4} failed  {done}")
    if setting.why_no_mounts:
        found.append(f"Left out: full disks, all of /dev/shm ({setting.why_no_mounts}).")
    for failure in record.failures[:MOST_SHOWN]:
        found += [f"failed: {_shown(failure.what)}", f"  again: {failure.repeat}"]
    if len(record.failures) > MOST_SHOWN:
        found.append(f"{len(record.failures) - MOST_SHOWN} more failed: --json has them all.")
    found.append(verdict(setting, record))
    return found


def verdict(setting: Setting, record: Record) -> str:
    done = counted(sum(record.rounds.values()), "round")
    word = "interrupted" if record.interrupted else "done"
    result = f"{counted(len(record.failures), 'failure')}" if record.failures else "nothing failed"
    return f"{done} of seed {setting.seed} {word} in {record.seconds / 60:.1f} minutes: {result}."


def exit_code(record: Record) -> int:
    return STOPPED if record.interrupted else FAILED if record.failures else VERIFIED


def as_json(setting: Setting, record: Record) -> dict[str, Any]:
    return {"seed": setting.seed, "seconds": record.seconds, "interrupted": record.interrupted,
            "rounds": dict(record.rounds), "left_out": setting.why_no_mounts,
            "counts": {name: dict(counts) for name, counts in record.counts.items()},
            "failures": [asdict(failure) for failure in record.failures]}
