"""What the scripts' command lines share, and how a script ends."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Callable, Iterable, NoReturn, Optional

from quartet.exit_codes import ScriptError
from quartet.paths import LAUNCHER, ROOT
from quartet.wording import say


def run_script(main: Callable[[], int]) -> NoReturn:
    """Exits with the code that `main` returns. Of a ScriptError it says the message and takes the code."""
    try:
        code = main()
    except ScriptError as error:
        say(str(error))
        code = error.code
    sys.exit(code)


def parser_of(description: Optional[str], **more) -> argparse.ArgumentParser:
    """A parser that shows the description as it is written."""
    return argparse.ArgumentParser(description=description,
                                   formatter_class=argparse.RawDescriptionHelpFormatter, **more)


def add_launch_arguments(parser: argparse.ArgumentParser) -> None:
    """--build and --launcher: what is launched, and how."""
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "host-release",
                        help="build folder, its programs in bin/ (%(default)s)")
    parser.add_argument("--launcher", type=Path, default=LAUNCHER,
                        help="called as LAUNCHER RANKS PROGRAM ARGUMENTS (%(default)s)")


def positive_number(text: str) -> float:
    """The type of an argument that is a positive, finite number."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not positive")
    return number


def why_not(launcher: Path, folders: list[Path]) -> str:
    """Why jobs cannot be launched or leave files in these folders; empty where they can. Makes the
    folders."""
    if not shutil.which(launcher):
        return f"{launcher} cannot be run: name another --launcher"
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return f"{folder} cannot be a folder ({error.strerror}): name another one"
    return ""


def some_of(names: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """The type of an argument that lists some of `names`."""
    known = tuple(names)

    def parse(text: str) -> tuple[str, ...]:
        unknown = sorted(set(text.split(",")) - set(known))
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(known)}")
        return tuple(text.split(","))

    return parse
