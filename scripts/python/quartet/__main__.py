"""quartet COMMAND [ARGUMENTS...]: measures MPI kernels beside the limits of the machine."""

import argparse
import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Collection, NoReturn, Sequence

from quartet.command_line import DEBUG, Parser, run_script
from quartet.commands import SHELL_SCRIPTS, SUMMARIES
from quartet.exit_codes import BAD_USAGE, VERIFIED, ScriptError
from quartet.paths import SCRIPTS, version
from quartet.text import WIDTH, filled, suggestion

IS_CHECKOUT = Path(__file__).parents[1].joinpath("quartet_dev").is_dir()
HELP = ("help", "-h", "--help")
ALL = "--all"
FLAGS = ("--help", ALL, "--version")


def all_summaries() -> dict[str, str]:
    """Summaries of all commands; a checkout also has those for maintainers."""
    return {**SUMMARIES, **(importlib.import_module("quartet_dev.commands").SUMMARIES if IS_CHECKOUT else {})}


def help_text(is_all: bool = False) -> str:
    lines = {name: f"\n  {name:14} {summary}" for name, summary in all_summaries().items()}
    parts = ["Usage: quartet COMMAND [ARGUMENTS...]", "Commands:" + "".join(map(lines.pop, SUMMARIES))]
    if is_all and lines:
        parts.append("To maintain Quartet itself:" + "".join(lines.values()))
    return "\n\n".join([*parts, "quartet COMMAND --help explains one of them, PROGRAM --help a program.\n"])


class _Format(argparse.RawDescriptionHelpFormatter):
    """Help of the same width as all other output, whatever the terminal is."""

    def __init__(self, prog: str):
        super().__init__(prog, width=WIDTH)


class _Root(Parser):
    def format_help(self) -> str:
        return help_text()


def module_of(name: str) -> ModuleType:
    package = "quartet" if name in SUMMARIES else "quartet_dev"
    return importlib.import_module(f"{package}.commands.{name.replace('-', '_')}")


def parser_of(wanted: Collection[str]) -> Parser:
    """The parser of all commands. Only the `wanted` commands are imported and get their arguments."""
    root = _Root(prog="quartet", allow_abbrev=False)
    root.add_argument("--version", action="store_true")
    parsers = root.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    for name, summary in all_summaries().items():
        parser = parsers.add_parser(name, help=summary, allow_abbrev=False, formatter_class=_Format)
        if name in wanted and name not in SHELL_SCRIPTS:
            module = module_of(name)
            parser.description = filled(module.__doc__ or "")
            parser.add_argument(DEBUG, action="store_true", help="shows where in the program a failure was")
            module.add_arguments(parser)
            parser.epilog = "\n\n".join(filter(None, (parser.epilog, f"example:\n  {module.EXAMPLE}")))
    return root


def run(words: Sequence[str]) -> int:
    """Runs the command that the words name. Returns its exit code, or raises."""
    name = words[0] if words else ""
    known = all_summaries()
    if not words or name in (*HELP, ALL):
        print(help_text(is_all=name == ALL), end="", file=sys.stdout if words else sys.stderr)
        return VERIFIED if words else BAD_USAGE
    if name in SHELL_SCRIPTS:
        script = str(SCRIPTS / SHELL_SCRIPTS[name])
        os.execv(script, [script, *words[1:]])
    if name == "--version":
        print(f"quartet {version()}")
        return VERIFIED
    if name not in known:
        raise ScriptError(f"no command is called '{name:.40}'{suggestion(name, [*known, *FLAGS])}: see quartet --help")
    module = module_of(name)
    cut = words.index("--") if "--" in words and hasattr(module, "TAKES_COMMAND") else len(words)
    options = parser_of((name,)).parse_args(words[:cut], argparse.Namespace(command=words[cut + 1:]))
    return int(module.run(options))


def complete() -> None:
    """Answers a shell that asks for completions, if argcomplete is installed."""
    try:
        import argcomplete
    except ImportError:
        return
    argcomplete.autocomplete(parser_of(os.environ.get("COMP_LINE", "").split()[1:2]))


def main() -> NoReturn:
    if "_ARGCOMPLETE" in os.environ:
        complete()
    run_script(lambda: run(sys.argv[1:]))


if __name__ == "__main__":
    main()
