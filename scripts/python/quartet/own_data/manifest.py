"""Manifests of a user's own files: what they hold, and their checksums. No seed and no generator:
nobody knows how they were made."""

import itertools
from pathlib import Path

import numpy
import xxhash

from quartet.exit_codes import ScriptError
from quartet.files import FileProblem, read_json, write_json
from quartet.own_data.cutting import opened, require_finite
from quartet.own_data.layout import Cut, Layout

NAME = "manifest.json"


def require_own(folder: Path) -> None:
    """A manifest of data that a program has generated is not replaced."""
    path = folder / NAME
    if not path.exists():
        return
    try:
        found = read_json(path)
    except FileProblem as error:
        raise ScriptError(f"{error}: remove it") from None
    if not isinstance(found, dict) or "seed" in found:
        raise ScriptError(f"{path} is of data that a program has made: name another folder")


def found_in(layout: Layout, folder: Path) -> Cut:
    """Returns what the files make up. All have the shapes that they should have."""
    def count_of(pattern: str) -> int:
        return next(i for i in itertools.count() if not (folder / pattern.format(i)).exists())

    def shape_of(file: str) -> tuple[int, ...]:
        return opened(folder / file).shape or (0,)

    cut = layout.found(count_of, shape_of)
    if not cut.pieces or not cut.tile:
        raise ScriptError(f"{folder} has no {layout.arrays[0][0]} in files: name the folder that has")
    for piece in cut.pieces:
        path = folder / piece.file
        if not path.exists():
            raise ScriptError(f"{folder} has no {piece.file}: add it")
        array = opened(path)
        if array.dtype != numpy.dtype(layout.dtype) or array.shape != piece.shape:
            raise ScriptError(f"{path} cannot be used (dtype {array.dtype.str}, shape {array.shape} "
                              f"where {layout.dtype}, {piece.shape} is expected): write it again")
        if not array.flags.c_contiguous:
            raise ScriptError(f"{path} cannot be used in Fortran order: convert it with numpy.ascontiguousarray")
        require_finite(path, array)
    return cut


def write(kernel: str, layout: Layout, cut: Cut, folder: Path) -> None:
    # As the programs have it: XXH3 of 64 bits, of the elements.
    sums = {piece.file: xxhash.xxh3_64_hexdigest(opened(folder / piece.file).reshape(-1).view(numpy.uint8))
            for piece in cut.pieces}
    write_json(folder / NAME, {"schema_version": 1, "kernel": kernel, "shape": list(cut.shape),
                               "tile": cut.tile, "dtype": layout.dtype, "order": layout.order,
                               "checksums": dict(sorted(sums.items()))})
