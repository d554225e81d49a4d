"""Cuts a user's own arrays (.npy, in row-major or Fortran order) into the files that a program reads
with --data DIR, and writes a manifest with checksums of such files. Memory stays bounded, however
large the arrays are. Needs NumPy.

    quartet tiles matmul A.npy B.npy tiles --tile 1024
    quartet tiles cg A.npy b.npy system --blocks 4 --manifest
    quartet tiles fft x.npy signal --tiles 64 --convert
    quartet tiles fft signal --manifest          # of files that are there

No file is written over: pieces go to a folder that has none of them."""

import argparse
import importlib
from pathlib import Path
from typing import Optional

from quartet.command_line import whole_number
from quartet.exit_codes import UNAVAILABLE, VERIFIED, ScriptError
from quartet.files import make_folder
from quartet.own_data.layout import LAYOUTS, Cut, Layout
from quartet.text import counted

EXAMPLE = "quartet tiles matmul A.npy B.npy tiles --tile 1024"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kernel", choices=LAYOUTS, help="the program that reads the files")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH",
                        help="the arrays, if there are any to cut, and the folder")
    for name, layout in LAYOUTS.items():
        parser.add_argument(layout.flag, type=whole_number(2**44), dest=layout.flag, metavar="N",
                            help=f"{name}: {layout.meaning}")
    parser.add_argument("--convert", action="store_true",
                        help="convert numbers of another type, which may round them")
    parser.add_argument("--manifest", action="store_true",
                        help="write a manifest with checksums, which programs then compare")


def require(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError:
        raise ScriptError(f"the Python module {module} is not there: install it (Debian: python3-{module})",
                          UNAVAILABLE) from None


def asked_for(options: argparse.Namespace, layout: Layout) -> int:
    """The number of the kernel's own flag."""
    for other in {layout.flag for layout in LAYOUTS.values()} - {layout.flag}:
        if getattr(options, other) is not None:
            raise ScriptError(f"{other}: {options.kernel} has {layout.flag}: leave it out")
    count: Optional[int] = getattr(options, layout.flag)
    if not count:
        raise ScriptError(f"{layout.flag}: it is missing or 0 ({layout.meaning}): add {layout.flag} N")
    return int(count)


def cut_arrays(options: argparse.Namespace, layout: Layout) -> Cut:
    from quartet.own_data import cutting
    *paths, folder = options.paths
    if len(paths) != len(layout.arrays):
        names = " and ".join(name for name, _ in layout.arrays)
        raise ScriptError(f"{counted(len(paths), 'array')} where {names} are cut: name "
                          f"{counted(len(layout.arrays), 'file')} and a folder, or a folder and "
                          "--manifest")
    count = asked_for(options, layout)
    arrays = [cutting.opened(path) for path in paths]
    cut = layout.cut(cutting.size_of(layout, paths, arrays), count)
    for path, array in zip(paths, arrays):
        cutting.require_type(layout, path, array, options.convert)
    make_folder(folder)
    for file in ("manifest.json", *(piece.file for piece in cut.pieces)):
        if (folder / file).exists():
            raise ScriptError(f"{folder} has {file} already: name another folder")
    written: list[Path] = []
    try:
        for piece in cut.pieces:
            cutting.write(paths[piece.array], arrays[piece.array], piece, layout.dtype, folder)
            written.append(folder / piece.file)
    except BaseException:
        for piece_file in written:  # they would stand in the way of the next attempt
            piece_file.unlink(missing_ok=True)
        raise
    print(f"{folder}: {counted(len(cut.pieces), 'file')}")
    return cut


def run(options: argparse.Namespace) -> int:
    require("numpy")
    layout = LAYOUTS[options.kernel]
    folder = options.paths[-1]
    is_cut = len(options.paths) > 1 or not options.manifest
    cut = cut_arrays(options, layout) if is_cut else None
    if options.manifest:
        require("xxhash")
        from quartet.own_data import manifest
        manifest.require_own(folder)
        cut = cut or manifest.found_in(layout, folder)
        manifest.write(options.kernel, layout, cut, folder)
        print(f"{folder / manifest.NAME}: {counted(len(cut.pieces), 'checksum')}")
    return VERIFIED
