"""A hook of MkDocs (mkdocs.yml): the site's pages lie where they lie in the source tree, so that the same
links lead somewhere on both. A page for each command is made of its own --help."""

import functools
import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
QUARTET = ROOT / "scripts" / "quartet"
PROGRAMS = ROOT / "build" / "host-release" / "bin"
KERNELS = tuple(sorted(main.parent.name for main in ROOT.glob("*/main.cpp")))
BESIDE_PAGES = ("LICENSE", "CITATION.cff", "results/pictures/*.png")
COMMANDS = "commands"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    assert config.nav is not None
    place = next(i for i, entry in enumerate(config.nav) if "Glossary" in entry)
    config.nav[place:place] = [{title: [{name: f"{COMMANDS}/{name}.md"} for name in helps]}
                               for title, helps in _helps().items() if helps]
    return config


def on_files(found: Files, config: MkDocsConfig) -> Files:
    files = [file for file in found if file.src_dir != config.docs_dir]  # the theme's
    files += [File.generated(config, name, abs_src_path=str(ROOT / name)) for name in _tree()]
    files += [File.generated(config, f"{COMMANDS}/{command}.md", content=_page(command, text))
              for helps in _helps().values() for command, text in helps.items()]
    return Files(files)


def _tree() -> Iterator[str]:
    for pattern in ("*.md", "docs/*.md", "docs/notes/*.md", "docs/example-kernel/main.cpp",
                    "scripts/packaging/README.md", "results/measured/README.md",
                    *(f"{kernel}/README.md" for kernel in KERNELS), *BESIDE_PAGES):
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix()


@functools.cache
def _helps() -> dict[str, dict[str, str]]:
    """Of each command, and of each program that was built; by title in the navigation."""
    sys.path.insert(0, str(QUARTET.parent / "python"))
    return {
        "Commands": _of_commands("quartet"),
        "Commands for developers": _of_commands("quartet_dev"),
        "Programs": {name: _output(str(PROGRAMS / name), "--help") for name in KERNELS
                     if (PROGRAMS / name).exists()}}


def _of_commands(package: str) -> dict[str, str]:
    names = importlib.import_module(f"{package}.commands").SUMMARIES
    return {name: _output(str(QUARTET), name, "--help") for name in names}


def _output(*command: str) -> str:
    done = subprocess.run(command, text=True, capture_output=True, check=True,
                          env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"})
    return done.stdout.replace(f"{ROOT}/", "")


def _page(command: str, text: str) -> str:
    return f"# {command}\n\n```text\n{text.rstrip()}\n```\n"
