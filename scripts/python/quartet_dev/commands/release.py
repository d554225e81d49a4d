"""Makes a release tarball that builds where the header-only libraries are not installed: the commit, and
in carried/ these libraries' headers, from this machine, each with its licence. Beside it lies a recipe for
EasyBuild, with the tarball's checksum. `make release` calls it.

A licence is what the library's package left in /usr/share/doc or /usr/share/licenses; --licence names another file.
MPI, BLAS, FFTW and hwloc are libraries, not headers alone: sites have them, and the tarball does not."""

import argparse
import gzip
import hashlib
import io
import os
import re
import subprocess
import tarfile
from pathlib import Path

from quartet.command_line import UsageError
from quartet.exit_codes import FAILED, VERIFIED, ScriptError
from quartet.files import make_folder, replacing, write_text
from quartet.paths import ROOT, SCRIPTS

EXAMPLE = "quartet release --commit v0.1.0"
EASYBUILD = SCRIPTS / "packaging/easybuild/quartet.eb.in"


# Header-only libraries: the file or folder below an include folder, and Debian's package.
LIBRARIES = {"CLI11": ("CLI", "libcli11-dev"), "fmt": ("fmt", "libfmt-dev"),
             "nlohmann_json": ("nlohmann", "nlohmann-json3-dev"), "Random123": ("Random123", "librandom123-dev"),
             "xxHash": ("xxhash.h", "libxxhash-dev")}
ABOUT = """Headers of other projects, for machines that do not have them. CMake uses them if it finds no
installed ones. Each library's licence is in licences/.

"""


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, check=False)
    if done.returncode != 0:
        raise ScriptError(f"git {words[0]}: {done.stderr.decode(errors='replace').strip()}: a release is "
                          "made from a clone", FAILED)
    return done.stdout


def include_folders() -> list[Path]:
    """The folders in which compilers and CMake search, the user's own first."""
    given = [Path(text) for name in ("CPATH", "CPLUS_INCLUDE_PATH") for text in os.environ.get(name, "").split(":")
             if text]
    prefixes = [text for text in os.environ.get("CMAKE_PREFIX_PATH", "").split(":") if text]
    return [*given, *(Path(prefix, "include") for prefix in (*prefixes, "/usr/local", "/usr"))]


def headers_of(name: str) -> list[tuple[str, Path]]:
    """The headers of a library, each with its name below the include folder. Raises ScriptError."""
    headers, package = LIBRARIES[name]
    for folder in include_folders():
        place = folder / headers
        files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
        if files:
            return [(path.relative_to(folder).as_posix(), path) for path in files]
    raise ScriptError(f"{name}: no {headers} (in {', '.join(map(str, include_folders()))}): install {package}, or name "
                      "its folder by CPATH", FAILED)


def licence_of(name: str, given: dict[str, Path]) -> bytes:
    """The text of a library's licence. Raises ScriptError if there is none: then its headers must not be passed on."""
    headers, package = LIBRARIES[name]
    own = sorted(Path("/usr/share/licenses").glob(f"{headers.removesuffix('.h')}*/*"))
    places = [given[name]] if name in given else [Path("/usr/share/doc", package, "copyright"), *own]
    for place in places:
        if place.is_file() and place.stat().st_size:
            return place.read_bytes()
    raise ScriptError(f"{name}: no licence (in {', '.join(map(str, places))}): --licence {name}=FILE", FAILED)


def carried(given: dict[str, Path]) -> dict[str, bytes]:
    """The files of the folder carried/, by name."""
    files = {}
    about = ABOUT
    for library, (headers, package) in LIBRARIES.items():
        files.update({f"include/{name}": path.read_bytes() for name, path in headers_of(library)})
        files[f"licences/{library}.txt"] = licence_of(library, given)
        about += f"- {library} ({package}): include/{headers}\n"
    return {**files, "README.md": about.encode()}


def tarball(commit: str, given: dict[str, Path]) -> tuple[str, bytes]:
    """The tarball's name without .tar.gz, and its content: the same bytes for the same commit and libraries."""
    name = f"quartet-{_git('show', f'{commit}:VERSION').decode().strip()}"
    date = int(_git("show", "-s", "--format=%ct", commit))
    content = io.BytesIO(_git("archive", "--format=tar", f"--prefix={name}/", commit))
    files = {f"carried/{path}": data for path, data in sorted(carried(given).items())}
    files["COMMIT"] = _git("describe", "--always", "--abbrev=12", "--exclude=*", commit)
    with tarfile.open(fileobj=content, mode="a") as archive:
        for path, data in files.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size, member.mtime, member.mode = len(data), date, 0o644
            archive.addfile(member, io.BytesIO(data))
    return name, gzip.compress(content.getvalue(), mtime=0)


def recipe(version: str, tarball_bytes: bytes) -> tuple[str, str]:
    """EasyBuild's recipe for the tarball: its file name, which EasyBuild prescribes, and its text."""
    text = EASYBUILD.read_text(encoding="utf-8")
    found = re.search(r"'name': '(.*)', 'version': '(.*)'", text)
    if not found:
        raise ScriptError(f"{EASYBUILD} names no toolchain: correct it", FAILED)
    name = f"quartet-{version}-{found[1]}-{found[2]}.eb"
    values = {"NAME": name, "VERSION": version, "CHECKSUM": hashlib.sha256(tarball_bytes).hexdigest()}
    return name, re.sub("@([A-Z]+)@", lambda match: values[match[1]], text)


def licence(text: str) -> tuple[str, Path]:
    """The type of --licence."""
    name, _, file = text.partition("=")
    if name not in LIBRARIES or not file:
        raise argparse.ArgumentTypeError(f"'{text:.40}' is no NAME=FILE of {', '.join(LIBRARIES)}")
    return name, Path(file)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--commit", default="HEAD", help="(%(default)s)")
    parser.add_argument("--output", type=Path, help="(build/quartet-VERSION.tar.gz)")
    parser.add_argument("--licence", type=licence, action="append", default=[], metavar="NAME=FILE",
                        help=f"of one of {', '.join(LIBRARIES)}")


def run(options: argparse.Namespace) -> int:
    if options.commit.startswith("-"):
        raise UsageError(f"--commit '{options.commit:.40}' is none")
    name, content = tarball(options.commit, dict(options.licence))
    output: Path = options.output or ROOT / "build" / f"{name}.tar.gz"
    if not options.output:
        make_folder(output.parent)
    with replacing(output) as aside:
        aside.write_bytes(content)
    recipe_name, text = recipe(name.partition("-")[2], content)
    write_text(output.with_name(recipe_name), text)
    print(f"{os.path.relpath(output)}: {len(content) / 1e6:.1f} MB of {options.commit}, and {recipe_name}")
    return VERIFIED
