"""Command lines that nobody should type: numbers, flags and paths."""

import os
from pathlib import Path
from random import Random

from quartet_dev.soak.programs import SMALL

# What is accepted of these is quick, so that it may run.
NUMBERS = ("0", "-1", "-0", "+1", "1", "2", "7", "", " ", "1.5", "nan", "inf", "-inf", "1e30", "1e999", "2^70",
           "2^-1", "2^", "^", "0x10", "1_000", "1,", ",1", "1,,2", "2:1", ":", "1:", "\u00b2",
           "\u0661", "9" * 30, "9" * 5000, "-" + "9" * 30, "3GiB3", "8KB", "KiB", "-5MiB", "1e19", "true",
           "auto", "auto,auto", "none", "x" * 100_000, "%s%n", "$(touch pwned)", "`touch pwned`", "; touch pwned",
           "\x1b]0;owned\x07", "\x1b[2J", "a\nb", "\udcff", "--", "-", "../../x")
# These may be accepted and would take long: only what is planned of them is asked for.
LARGE = ("2^31", "2^32", "2^40", "2^62", "2^63", "2^64", "2147483647", "2147483648", "4294967296", "1000000000",
         "9223372036854775807", "18446744073709551615", "1TiB", "7EiB", "65536", "1000003", "2^20", "2^24")
COUNTED = {"stream": ("--sizes", "--pushes"), "matmul": ("--size", "--tile"),
           "cg": ("--size", "--iterations", "--every"), "fft": ("--size", "--tiles")}
COUNTED_BY_ALL = ("--runs", "--warmup", "--seed", "--threads", "--memory", "--lookahead", "--chunk", "--queue",
                  "--reducers", "--ci", "--device-memory")
CHOSEN = ("--device", "--formulation", "--transport", "--verify", "--limits", "--pipeline", "--schedule", "--progress",
          "--cache", "--storage", "--algorithm", "--problem", "--order", "--restart", "--plan", "--gpu-map")
SWITCHES = ("--force", "--quiet", "--list", "--dry-run", "--version", "--help", "--generate", "--keep", "--pairs",
            "--no-such-flag", "--sizes", "-", "--", "word", "--=", "-x", "--size=", "--json=")
WRITTEN = ("--json", "--trace")
PATTERNS = ("(", "[", "*", "(a*)*b", "(.*)*(.*)*(.*)*x", "a{100000}", "(" * 50_000, "\\", "\\9", "[z-a]", "x" * 50_000,
            "(?<=a)b", "(x|x)*" * 20, "[[:none:]]", ".*")
RANKS = ("0", "-1", "", "x", "1e3", "2 3", "99999999999999999999", "\u00b2", "+2", "02", "2;touch pwned")


def small(program: str) -> list[str]:
    return ["--device", "host", "--limits", "off", "--progress", "off", *SMALL[program].split()]


def _usable(text: str) -> str:
    """No word of a command line has a NUL, nor more than 128 KiB."""
    return text.replace("\0", "")[:100_000]


def numbers(program: str, _folder: Path, chances: Random) -> list[str]:
    """One to three flags with values that they do not take. A later value of a flag may count."""
    words = small(program)
    large = chances.random() < 0.5
    for _ in range(chances.choice((1, 1, 2, 3))):
        flag = chances.choice(COUNTED[program] * 3 + COUNTED_BY_ALL + CHOSEN + ("--filter",))
        value = _usable(chances.choice(PATTERNS if flag == "--filter" else NUMBERS + LARGE * large))
        if flag in words:
            words[words.index(flag) + 1] = value
        else:
            words += [flag, value] if chances.random() < 0.8 else [f"{flag}={value}"]
    return words + ["--dry-run"] * large


def flags(program: str, _folder: Path, chances: Random) -> list[str]:
    """Flags without values, of other programs, twice, or cut."""
    words = small(program)
    for _ in range(chances.randint(1, 3)):
        words.insert(chances.randrange(len(words) + 1), chances.choice(SWITCHES + CHOSEN + COUNTED_BY_ALL))
    if chances.random() < 0.3:
        words = words[:chances.randrange(1, len(words) + 1)]
    # Without a size a program takes its own, which is large.
    return words + ["--dry-run"]


def _paths(folder: Path) -> dict[str, str]:
    """Names that lead to what is no file for results or settings. Made where they are not there."""
    (folder / "a-folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "dangling").symlink_to("nowhere/at/all")
    (folder / "to-input").symlink_to("input")
    (folder / "input").write_text("runs = 1\n")
    os.mkfifo(folder / "pipe")
    return {"folder": "a-folder", "loop": "loop", "dangling": "dangling", "pipe": "pipe", "zero": "/dev/zero",
            "null": "/dev/null", "full": "/dev/full", "long name": "n" * 300, "name": "n" * 250,
            "long path": "d/" * 3000 + "x", "empty": "", "blank": " ", "missing": "no/such/folder/x",
            "proc": "/proc/x.json", "sys": "/sys/x.json", "memory": "/proc/self/mem", "below a file": "input/x",
            "input": "input", "link": "to-input", "up": "a-folder/../input", "slash": "a-folder/",
            "dots": "..", "escape": "a-folder/\x1b[2Jx", "line": "a-folder/a\nb"}


def paths(program: str, folder: Path, chances: Random) -> list[str]:
    """Files and folders that are none. What is there before is an input, which nobody may change."""
    found = _paths(folder)
    flag = chances.choice((*WRITTEN, *WRITTEN, "--config", "--config", "--data", "--checkpoint", "--problem",
                           "--wisdom"))
    words = [*small(program), "--runs", "1", flag, found[chances.choice(sorted(found))]]
    if flag in WRITTEN:
        words += ["--config", "input"]
    words += ["--generate"] * (flag == "--data" and chances.random() < 0.5)
    words += ["--plan", "measure"] * (flag == "--wisdom")
    return words + ["--force"] * (flag in WRITTEN)
