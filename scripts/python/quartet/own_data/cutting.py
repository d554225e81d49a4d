"""Cuts a user's arrays into files, with bounded memory: arrays are mapped, and copied in parts."""

import os
from pathlib import Path
from typing import Sequence

import numpy

from quartet.exit_codes import ScriptError
from quartet.files import reason_of, replacing
from quartet.own_data.layout import Layout, Piece

COPIED_AT_A_TIME = 2**26  # bytes


def opened(path: Path) -> numpy.ndarray:
    """The array of an .npy file, mapped."""
    if os.path.exists(path) and not os.path.isfile(path):  # a FIFO would be waited for
        raise ScriptError(f"cannot open {path} (not a regular file): check the path")
    try:
        array = numpy.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise ScriptError(f"cannot open {path} ({reason_of(error)}): check the path") from None
    except (ValueError, EOFError, SyntaxError) as error:
        raise ScriptError(f"{path} is no .npy file of numbers ({error}): save it with numpy.save") from None
    if not isinstance(array, numpy.ndarray):
        raise ScriptError(f"{path} holds several arrays: save each with numpy.save")
    return array


def size_of(layout: Layout, paths: Sequence[Path], arrays: Sequence[numpy.ndarray]) -> int:
    """The edge or length that all the arrays have."""
    size = arrays[0].shape[0] if arrays[0].ndim else 0
    for (name, dimensions), path, array in zip(layout.arrays, paths, arrays):
        wanted = (size,) * dimensions
        if array.shape != wanted or size == 0:
            kind = "a square matrix" if dimensions == 2 else "a vector"
            raise ScriptError(f"{path} cannot be {name} (shape {array.shape} where "
                              f"{wanted if size else 'some elements'} is expected): give {kind}")
    return size


def require_type(layout: Layout, path: Path, array: numpy.ndarray, converts: bool) -> None:
    wanted = numpy.dtype(layout.dtype)
    if array.dtype == wanted:
        return
    if array.dtype.kind not in "biuf" + wanted.kind:
        raise ScriptError(f"{path} cannot be used (dtype {array.dtype} is no number that "
                          f"{layout.dtype} can hold): convert it with numpy.ndarray.astype")
    if not converts:
        raise ScriptError(f"{path} cannot be used (dtype {array.dtype} where {layout.dtype} is "
                          "expected): add --convert")


def write(array: numpy.ndarray, piece: Piece, dtype: str, folder: Path) -> None:
    part = array[piece.part]
    rows = max(1, COPIED_AT_A_TIME // max(1, part[:1].size * numpy.dtype(dtype).itemsize))
    header = {"descr": dtype, "fortran_order": False, "shape": piece.shape}
    with replacing(folder / piece.file) as aside, aside.open("wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        for begin in range(0, len(part), rows):
            with numpy.errstate(over="ignore"):  # the programs refuse what is not finite
                copied = numpy.ascontiguousarray(part[begin:begin + rows], dtype)
            file.write(copied.data)
